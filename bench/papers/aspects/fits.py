"""The cells that all tables share: one learner on one split at one ratio of labels from one start.

A cell's task is the corpus, its labels are the ratio, its trial is the split.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from bench.papers.aspects.learners import learner
from bench.shared import scores, splits
from bench.shared.cells import Cell

NAME = "fits"
TRIALS_ARE = "splits"
STARTS = 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much is measured."""
    parser.add_argument("--seeds", type=int, nargs="+", default=list(splits.SEEDS), help="splits; all five")
    parser.add_argument(
        "--starts", type=int, default=STARTS, help=f"random starts of the papers' settings; {STARTS}"
    )


def cells(
    options: argparse.Namespace, corpora: Iterable[str], ratios: Iterable[float], learners: Iterable[str]
) -> Iterator[Cell]:
    """Every cell of these. Learners that do not begin at random have one start."""
    for corpus, seed, ratio, name in product(corpora, options.seeds, ratios, learners):
        for start in range(options.starts if learner(name).random else 1):
            yield Cell(NAME, corpus, "", name, ratio, seed, start)


def settings(cell: Cell) -> str:
    """The learner as scikit-learn prints it: what differs from its constructor's defaults."""
    return " ".join(repr(learner(cell.learner).make(cell.task, cell.start)).split())


def measure(cell: Cell) -> dict[str, Any]:
    """A fit on the training part and what it makes of the test part."""
    split = splits.load(cell.task, cell.trial)
    X, y = split.training(cell.labels)
    new, true = split.testing()
    estimator = learner(cell.learner).make(cell.task, cell.start)
    result = scores.fitted(estimator, X, y, new, true)
    if cell.labels < 1 and not getattr(estimator, "unlabeled_used_", True):
        result["fell_back"] = True
    return result
