"""`plsa fit`: from a file of texts, some of them labeled, to a saved model."""

import argparse
from collections import Counter
from typing import Any

import numpy as np
from scipy.stats import binomtest

from plsa.app import reading
from plsa.app.options import add_run_options
from plsa.app.page import say
from plsa.app.writing import check_output
from plsa.estimators.text import text_classifier
from plsa.evaluation.predictions import cross_val_predict
from plsa.files.models import save

_LEVEL = 0.95  # of the interval
_CONFUSED = 3  # pairs of classes that are named
_SURE = 0.5  # a text whose class is less probable is unsure


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa fit` can be told."""
    reading.add_file(parser)
    parser.add_argument(
        "-o", "--output", metavar="MODEL", required=True, help="the file to save the model in"
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    text = "do not hold labels out to tell how good the model is (it takes several more fits)"
    parser.add_argument("--no-check", action="store_true", help=text)
    reading.add_input_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Reads, says what was read, learns, judges, saves."""
    check_output(args.output, args.force)
    documents, columns = reading.read(args)
    reading.tell_what_was_read(args, documents)
    labels = documents.labels
    if not any(label is not None for label in labels):
        where = f"the column {columns.label!r} is empty" if columns.label else "no column holds labels"
        way = "name it with --label, or find topics without labels: plsa topics FILE"
        raise ValueError(f"{args.file}: no document has a label ({where}): {way}.")
    model = text_classifier(random_state=args.seed, n_threads=args.threads)
    if not args.no_check:
        _judge(args, model, documents.texts, labels)
    stopped = False
    try:
        model.set_params(softmislabelingplsa__verbose=int(not args.quiet)).fit(documents.texts, labels)
    except KeyboardInterrupt:
        if not hasattr(model[-1], "stop_reason_"):
            raise
        stopped = True
    model.set_params(softmislabelingplsa__verbose=0)
    _tell_what_was_learned(args, model[-1], labels)
    save(model, args.output)
    say(args, f"saved {args.output}; next: plsa predict {args.output} NEW_FILE")
    if stopped:
        raise KeyboardInterrupt("What was learned by then was saved.")
    return 0


def _judge(args: argparse.Namespace, model: Any, texts: list[str], labels: list[str | None]) -> None:
    """How often held-out labels are guessed, with an interval, and which are taken for others."""
    often = Counter(label for label in labels if label is not None)
    if len(often) < 2 or sum(number > 1 for number in often.values()) < 2:
        say(args, "too few labels to hold some out: how good the model is cannot be told")
        return
    say(args, "holding labels out in turn, to tell how good the model is (--no-check leaves it)")
    known = np.array([label is not None for label in labels])
    guesses = cross_val_predict(model, texts, np.array(labels, dtype=object))[known]
    true = np.array(labels, dtype=object)[known]
    right = int(np.sum(guesses == true))
    interval = binomtest(right, len(true)).proportion_ci(_LEVEL, method="wilson")
    shares = f"{right / len(true):.0%} ({interval.low:.0%} to {interval.high:.0%})"
    say(args, f"of {len(true)} held-out labels {right} were guessed: {shares} of new texts like these")
    confused = Counter(zip(true[guesses != true], guesses[guesses != true], strict=True))
    pairs = [f"{one} for {other} ({n})" for (one, other), n in confused.most_common(_CONFUSED)]
    if pairs:
        say(args, "most often wrong: " + ", ".join(f"takes {pair}" for pair in pairs))


def _tell_what_was_learned(args: argparse.Namespace, model: Any, labels: list[str | None]) -> None:
    """What was chosen and why, and where it is unsure."""
    from plsa.estimators.summary import learned

    for about, text in learned(model).items():
        if about in ("chosen", "held out", "passes"):
            say(args, f"{about}: {text}")
    unknown = np.array([label is None for label in labels])
    if unknown.any():
        unsure = int(np.sum(model.transduction_[unknown].max(axis=1) < _SURE))
        say(args, f"of {unknown.sum()} texts without a label, {unsure} are unsure (below {_SURE:.0%})")
