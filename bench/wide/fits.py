"""The cells of the wide protocol: one learner on one split of a corpus at one ratio of labels.

A cell's task is the corpus, its labels are the ratio, its trial is the split.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from bench.shared import scores
from bench.shared.cells import Cell
from bench.wide import documents
from bench.wide.learners import LEARNERS

NAME = "wide"
TRIALS_ARE = "splits"


def cells(learners: Iterable[str]) -> Iterator[Cell]:
    """Every cell of these, few labels and short texts first. Where all are labeled nothing can spread."""
    for ratio, corpus, seed, name in product(
        documents.RATIOS, documents.CORPORA, documents.SEEDS, tuple(learners)
    ):
        if not (name == "spreading" and ratio == 1):
            yield Cell(NAME, corpus, "", name, ratio, seed)


def settings(cell: Cell) -> str:
    """The learner as scikit-learn prints it: what differs from its constructor's defaults."""
    return " ".join(repr(LEARNERS[cell.learner].make()).split())


def measure(cell: Cell) -> dict[str, Any]:
    """A fit on the training part and what it makes of the test part."""
    whole, split = documents.read(cell.task), documents.split(cell.task, cell.trial)
    X, y = split.training(cell.labels)
    new, true = split.testing()
    learner = LEARNERS[cell.learner]
    if learner.on_texts:
        X, new = ([whole.texts[place] for place in places] for places in (split.train, split.test))
    estimator = learner.make()
    result = scores.fitted(estimator, X, y, new, true, macro_f1=True)
    # So that a report can be made again without the corpora.
    result |= {
        "documents": len(whole.texts),
        "words": float(whole.counts.sum() / len(whole.texts)),
        "classes": len(whole.classes),
        "labeled": len(split.labeled[cell.labels]),
    }
    model = estimator[-1] if learner.on_texts else estimator
    if cell.labels < 1 and not getattr(model, "unlabeled_used_", True):
        result["fell_back"] = True
    return result
