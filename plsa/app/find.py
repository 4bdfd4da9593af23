"""`plsa find`: the documents that are like some that are shown, best first."""

import argparse
import warnings
from typing import Any

import numpy as np

from plsa.app import reading
from plsa.app.options import add_run_options, names, whole
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
from plsa.engine.parameters import Places
from plsa.estimators.text import WordCounter, text_classifier
from plsa.estimators.topic_sensitive import TopicSensitivePLSA
from plsa.evaluation.predictions import cross_val_predict
from plsa.evaluation.prior import estimate_prior
from plsa.inputs import counted

_LEAST = 5  # documents that are shown, for an estimate of how many there are


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa find` can be told."""
    reading.add_file(parser)
    shown = parser.add_argument_group("what is wanted (one of these)").add_mutually_exclusive_group(
        required=True
    )
    shown.add_argument("--like", metavar="FILE", help="a file of documents that are wanted")
    shown.add_argument("--ids", metavar="IDS", help="documents of FILE that are wanted, by commas; see --id")
    shown.add_argument("--label-is", metavar="LABEL", help="those of FILE with this label are wanted")
    top = "so many documents (default: as many as there may be)"
    parser.add_argument("--top", type=whole("top", 1), metavar="N", help=top)
    reading.add_input_options(parser)
    add_output_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Learns from what is wanted and from all else, and ranks all else."""
    check_output(args.output, args.force)
    documents, _ = reading.read(args)
    wanted, texts = _wanted(args, documents)
    say(args, f"{counted(len(documents), 'document')}, {counted(int(wanted.sum()), 'document')} shown")
    y = np.where(wanted, 1, -1)
    counter = WordCounter(max_df=0.5)
    model = text_classifier(
        TopicSensitivePLSA(random_state=args.seed, n_threads=args.threads), vectorizer=counter
    ).fit(texts, y)
    counts = model[:-1].transform(texts)
    score = model[-1].decision_function(counts)
    found = int(np.sum(model[-1].predict(counts)[y < 0]))
    number = _tell_how_many(args, model, texts, y, found)
    others = np.flatnonzero(~wanted[: len(documents)])
    best = others[np.argsort(-score[others], kind="stable")]
    with written_whole(args.output) as stream:
        rows = Rows(stream, format_of(args), ["rank", "id", "score", "text"])
        rows.write(
            [rank, documents.ids[place], Share(score[place]), shortened(documents.texts[place])]
            for rank, place in enumerate(best[:number].tolist(), 1)
        )
    return 0


def _wanted(args: argparse.Namespace, documents: reading.Documents) -> tuple[Any, list[str]]:
    """Which documents are wanted, and the texts of all, those of another file last."""
    if args.like is not None:
        # It is a file of its own: only what it is written in is the same.
        own = dict.fromkeys(("text", "label", "id", "separator", "input"))
        like = reading.read(argparse.Namespace(**vars(args) | own | {"file": args.like}))[0].texts
        return np.arange(len(documents) + len(like)) >= len(documents), documents.texts + like
    if args.ids is not None:
        shown = names(args.ids)
        missing = sorted(set(shown) - set(documents.ids))
        if missing:
            ids = f"ids are such as {documents.ids[0]!r} and {documents.ids[-1]!r}"
            raise ValueError(f"--ids: {args.file} has no document {missing[0]!r}; {ids}.")
        return np.isin(documents.ids, shown), documents.texts
    found = np.array([label == args.label_is for label in documents.labels])
    if not found.any():
        known = sorted({label for label in documents.labels if label is not None})
        raise ValueError(f"--label-is {args.label_is!r}: no document has this label; there are {known[:10]}.")
    return found, documents.texts


def _tell_how_many(args: argparse.Namespace, model: Any, texts: list[str], y: Places, found: int) -> int:
    """How many of the others may be wanted, by held-out ones; so many are shown, unless it was said."""
    n_others = int(np.sum(y < 0))
    if np.sum(y == 1) >= _LEAST:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what few documents may lead to was said of all
            held_out = cross_val_predict(model, texts, y, method="decision_function")
        share = estimate_prior(np.ravel(held_out), y, random_state=args.seed)
        low, high = round(share.low * n_others), round(share.high * n_others)
        say(args, f"about {round(share.share * n_others)} of the others may be wanted ({low} to {high})")
    else:
        say(args, f"fewer than {_LEAST} shown: how many others there may be cannot be told")
    say(args, f"{found} are taken for wanted")
    return int(args.top) if args.top is not None else max(found, 1)
