"""`plsa predict`: a row out for every document in, in order, in bounded memory."""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from plsa.app import reading
from plsa.app.options import add_run_options, names, whole
from plsa.app.page import say
from plsa.app.writing import Rows, Share, add_output_options, check_output, format_of, written_whole
from plsa.datasets.records import listed
from plsa.files.models import load
from plsa.inputs import counted


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa predict` can be told."""
    parser.add_argument("model", metavar="MODEL", help="a file that plsa fit, or plsa.save, has made")
    reading.add_file(parser)
    what = parser.add_argument_group("what is said of a document")
    what.add_argument(
        "--top", type=whole("top", 1), default=1, metavar="N", help="so many labels (default 1)"
    )
    what.add_argument("--probabilities", action="store_true", help="the probability of every label")
    what.add_argument("--keep", metavar="COLUMNS", help="columns of FILE to carry along, by commas; or: all")
    reading.add_input_options(parser, label=False)
    add_output_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Loads the model and labels the documents, some at a time."""
    check_output(args.output, args.force)
    model = load(args.model)
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"{args.model} holds {type(model).__name__}, which gives no labels.")
    if not hasattr(model, "steps"):
        way = "save a pipeline such as plsa.text_classifier() makes"
        raise ValueError(f"{args.model} knows counts and no texts: {way}.")
    if args.threads is not None:
        model[-1].set_params(n_threads=args.threads)
    number = unknown = 0
    rows: Rows | None = None
    kept: list[str] = []
    with written_whole(args.output) as stream:
        for columns, batch in reading.batches(args):
            if rows is None:
                kept = _kept(args, columns)
                rows = Rows(stream, format_of(args), _header(args, model, kept))
            with warnings.catch_warnings():
                # Said of every batch it would be very often.
                warnings.filterwarnings("ignore", r"\d+ of \d+ documents ha(s|ve) no word")
                counts = model[:-1].transform(batch.texts)
                rows.write(_rows(args, model, counts, batch, kept))
            unknown += int(np.sum(counts.sum(axis=1) == 0))
            number += len(batch)
    if unknown:
        say(
            args,
            f"{counted(unknown, 'document')} without a word that the model knows: taken for what is usual",
        )
    if args.output is not None:
        say(args, f"{counted(number, 'document')} labeled in {args.output}")
    return 0


def _kept(args: argparse.Namespace, columns: reading.Columns) -> list[str]:
    """The columns that are carried along."""
    if args.keep is None:
        return []
    if args.keep == "all":
        return [name for name in columns.every if name != columns.id]
    kept = names(args.keep)
    for name in kept:
        if name not in columns.every:
            raise ValueError(f"--keep: no column is called {name!r}; there are {listed(columns.every)}.")
    return kept


def _header(args: argparse.Namespace, model: Any, kept: list[str]) -> list[str]:
    columns = ["id"]
    for place in range(1, min(args.top, len(model.classes_)) + 1):
        end = "" if place == 1 else f"_{place}"
        columns += [f"label{end}", f"probability{end}"]
    if args.probabilities:
        columns += [f"P({name})" for name in model.classes_]
    # The file's own columns of these names stay beside what is said of them.
    taken = {*columns}
    return columns + [f"{name}_given" if name in taken else name for name in kept]


def _rows(
    args: argparse.Namespace, model: Any, counts: Any, batch: reading.Documents, kept: list[str]
) -> Iterator[list[Any]]:
    probability = model[-1].predict_proba(counts)
    classes = model.classes_.tolist()
    # Of equals the first, as predict has it.
    order = np.argsort(-probability, axis=1, kind="stable")[:, : args.top]
    for name, said, best, fields in zip(batch.ids, probability, order, batch.fields, strict=True):
        row: list[Any] = [name]
        for place in best.tolist():
            row += [classes[place], Share(said[place])]
        if args.probabilities:
            row += [Share(value) for value in said.tolist()]
        yield row + [fields.get(column) for column in kept]
