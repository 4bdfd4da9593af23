"""`plsa compare`: which method is best for a file's documents, and whether that is more than chance."""

import argparse
import sys

from plsa.app import reading
from plsa.app.options import add_run_options, names, whole
from plsa.app.pictures import add_plot_option, check_picture_file, save_plot
from plsa.evaluation.classes import compare


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa compare` can be told."""
    reading.add_file(parser)
    parser.add_argument("--all", action="store_true", help="all methods of the package, not only the usual")
    parser.add_argument("--models", metavar="NAMES", help="these alone, by commas, such as CoEM,SelfTraining")
    repeats = "how often all labels are held out (default 3)"
    parser.add_argument("--repeats", type=whole("repeats", 1), default=3, metavar="N", help=repeats)
    jobs = "methods that are fitted at a time (default 1)"
    parser.add_argument("--jobs", type=whole("jobs", 1), default=1, metavar="N", help=jobs)
    add_plot_option(parser)
    reading.add_input_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the table."""
    check_picture_file(args.plot, args.force)
    documents, _ = reading.read(args)
    reading.tell_what_was_read(args, documents)
    models = names(args.models) if args.models else ["all"] if args.all else None
    found = compare(
        documents.texts,
        documents.labels,
        models,
        n_repeats=args.repeats,
        random_state=args.seed,
        n_jobs=args.jobs,
        verbose=int(not args.quiet),
    )
    sys.stdout.write(f"{found}\n")
    save_plot(args, found.plot)
    return 0
