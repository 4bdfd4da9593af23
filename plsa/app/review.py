"""`plsa review`: labels that are probably wrong, most likely first."""

import argparse

from plsa.app import reading
from plsa.app.options import add_run_options, whole
from plsa.app.page import say
from plsa.app.writing import (
    Rows,
    Share,
    add_output_options,
    check_output,
    format_of,
    shortened,
    written_whole,
)
from plsa.estimators.text import text_classifier
from plsa.evaluation.mislabeled import find_label_errors


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa review` can be told."""
    reading.add_file(parser)
    top = "so many labels (default: all that are more probably wrong than right)"
    parser.add_argument("--top", type=whole("top", 1), metavar="N", help=top)
    repeats = "how often all labels are held out (default 3)"
    parser.add_argument("--repeats", type=whole("repeats", 1), default=3, metavar="N", help=repeats)
    reading.add_input_options(parser)
    add_output_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Lists them, with what they should be and the words that say so."""
    check_output(args.output, args.force)
    documents, _ = reading.read(args)
    reading.tell_what_was_read(args, documents)
    model = text_classifier(random_state=args.seed, n_threads=args.threads)
    found = find_label_errors(
        model,
        documents.texts,
        documents.labels,
        n_repeats=args.repeats,
        random_state=args.seed,
        verbose=int(not args.quiet),
    )
    say(args, found.title())
    columns = ["id", "p_wrong", "given", "suggested", "words", "text"]
    with written_whole(args.output) as stream:
        Rows(stream, format_of(args), columns).write(
            [
                documents.ids[row.index],
                Share(row.p_wrong),
                row.given,
                row.suggested,
                " ".join(row.words),
                shortened(documents.texts[row.index]),
            ]
            for row in found.rows[: args.top]
        )
    for remark in found.remarks():
        say(args, remark)
    return 0
