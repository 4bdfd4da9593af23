"""`plsa simulate`: what chosen questions would have saved, on documents that are labeled already."""

import argparse
import sys

from plsa.active.simulation import simulate
from plsa.app import reading
from plsa.app.options import add_run_options, names, whole
from plsa.app.page import say
from plsa.app.pictures import add_plot_option, check_picture_file, save_plot
from plsa.estimators.text import text_classifier
from plsa.inputs import counted


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa simulate` can be told."""
    reading.add_file(parser)
    number, repeats = whole("n", 1), whole("repeats", 1)
    parser.add_argument("-n", type=number, default=100, metavar="N", help="questions (default 100)")
    names = "ways to ask, by commas (default auto,random)"
    parser.add_argument("--strategies", default="auto,random", metavar="NAMES", help=names)
    text = "sessions of each (default 3)"
    parser.add_argument("--repeats", type=repeats, default=3, metavar="N", help=text)
    initial = "labels of each class at the start (default 0)"
    parser.add_argument("--initial", type=whole("initial", 0), default=0, metavar="N", help=initial)
    jobs = "sessions that are played at a time (default 1)"
    parser.add_argument("--jobs", type=whole("jobs", 1), default=1, metavar="N", help=jobs)
    add_plot_option(parser)
    reading.add_input_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the table."""
    check_picture_file(args.plot, args.force)
    documents, _ = reading.read(args)
    known = [place for place, label in enumerate(documents.labels) if label is not None]
    left = len(documents) - len(known)
    if left:
        say(args, f"{counted(left, 'document')} without a label left out: answers have to be known")
    if not known:
        raise ValueError(f"{args.file}: no document has a label, but answers have to be known: see --label.")
    model = text_classifier(random_state=args.seed, n_threads=args.threads)
    played = simulate(
        model,
        [documents.texts[place] for place in known],
        [documents.labels[place] for place in known],
        names(args.strategies),
        args.n,
        args.repeats,
        initial=args.initial,
        n_jobs=args.jobs,
        random_state=args.seed,
        verbose=int(not args.quiet),
    )
    sys.stdout.write(f"{played}\n")
    save_plot(args, played.plot)
    return 0
