"""What may be learnt about a choice from the labelled documents: they are held out and judged by.

A corpus with its labels, parts of it to learn from and to judge by, and what candidates said of the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import clone

from plsa.engine.counts import Counts
from plsa.engine.parameters import Real
from plsa.estimators.scaling import CountScaler
from plsa.labels.supervision import Labels

# What scaling="auto" chooses from. No one of them is best on every corpus: constant length helps long
# documents on many classes and harms short ones on unbalanced classes.
SCALINGS: tuple[CountScaler | None, ...] = (
    None,
    CountScaler(tf="log", length=None),
    CountScaler(tf="log", length="constant"),
    CountScaler(tf="log", idf=True, length="constant"),
)
USUAL_SCALING = 2  # where there is no evidence
_MOST_TRIED = 3000  # labelled documents that a choice is made on


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents, their labels and their weights, which go together."""

    counts: Counts
    labels: Labels
    weight: Real | None

    def part(self, documents: NDArray[Any]) -> Corpus:
        """These documents, in this order; the classes stay."""
        return Corpus(
            self.counts.of_documents(documents),
            Labels(self.labels.classes, self.labels.code[documents]),
            None if self.weight is None else self.weight[documents],
        )

    def labelled(self) -> Corpus:
        """The labelled documents only."""
        known = self.labels.labelled
        return self if known.all() else self.part(np.flatnonzero(known))

    def each(self) -> NDArray[np.float64]:
        """How often each document counts."""
        if self.weight is None:
            return np.ones(self.counts.n_documents)
        return self.weight.astype(np.float64)

    def with_unlabelled(self, weight: float) -> Corpus:
        """The same with every document that has no label counting `weight` times as often."""
        known = self.labels.labelled
        if weight == 1 or known.all():
            return self
        each = np.where(known, 1.0, weight) * self.each()
        return Corpus(self.counts, self.labels, each.astype(self.counts.dtype))

    def scaled(self, scaling: CountScaler | None) -> tuple[CountScaler | None, Counts]:
        """A scaling fitted on these documents, and what it makes of them."""
        fitted = None if scaling is None else clone(scaling).fit(self.counts.matrix(), None, self.weight)
        return fitted, scaled_by(fitted, self.counts)


@dataclass(frozen=True, slots=True)
class Held:
    """Labelled documents held out of a fit, and what each candidate said of them."""

    code: NDArray[np.int32]
    each: NDArray[np.float64]
    probability: dict[str, NDArray[np.float64]]  # of each candidate: (held, C)

    def right(self, name: str) -> NDArray[np.float64]:
        """1 where the candidate has the class of a document right, else 0."""
        result: NDArray[np.float64] = (self.probability[name].argmax(axis=1) == self.code).astype(np.float64)
        return result

    def accuracy(self, name: str) -> float:
        """The share of documents that the candidate has right."""
        return float(np.average(self.right(name), weights=self.each))

    def log_probability(self, name: str) -> float:
        """The mean log-probability that the candidate gives the true class."""
        true = self.probability[name][np.arange(len(self.code)), self.code]
        return float(np.average(np.log(np.maximum(true, 1e-12)), weights=self.each))

    def best(self, scalings: Sequence[CountScaler | None]) -> CountScaler | None:
        """The scaling with the highest accuracy; of equals, with the higher log-probability."""
        return max(scalings, key=lambda s: (self.accuracy(str(s)), self.log_probability(str(s))))

    def better(self, name: str, than: str) -> bool:
        """Whether a candidate beats another by more than two standard errors of the difference."""
        gain = self.right(name) - self.right(than)
        mean = np.average(gain, weights=self.each)
        error = np.sqrt(np.average((gain - mean) ** 2, weights=self.each) / self.each.sum())
        return bool(mean > 2 * error and mean > 0)

    def sharpness(self, name: str, usual: float) -> float:
        """The power t that makes probabilities p^t / sum p^t most likely, drawn towards the usual one.

        The documents' log-probability is maximised with ten documents' worth of belief in `usual`.
        """
        log_p = np.log(np.maximum(self.probability[name], 1e-12))
        rows = np.arange(len(self.code))
        around = np.log(usual)

        def loss(log_t: float) -> float:
            sharp = log_softmax(np.exp(log_t) * log_p, axis=1)
            return float(10 * (log_t - around) ** 2 - np.sum(self.each * sharp[rows, self.code]))

        found = minimize_scalar(loss, bounds=(around - 3, around + 3), method="bounded")
        return float(np.exp(np.round(found.x, 2)))  # no more than that is known


Parts = list[tuple[NDArray[Any], NDArray[Any]]]  # documents to learn from, and documents to judge by


def hold_out(corpus: Corpus, *, sample: bool, folds: int = 3, parts: int = 3, alone: int = 0) -> Parts:
    """Parts to learn from and labelled documents to judge by, class by class; none where there are too few.

    Unlabelled documents, the only document of a class, and copies of a document that have different labels
    stay in every part to learn from. At most `_MOST_TRIED` labelled documents are held out in turn; with
    `sample` the others are left out altogether.
    Documents are dealt out in an order that their words alone make: copies are held out together, so that a
    weight is a repetition here too. Of each class one of `parts` parts is held out at a time, `folds` times;
    of no more than `alone` different documents each one by itself.
    """
    told = corpus.labels.labelled & (corpus.counts.lengths() > 0)
    if corpus.weight is not None:
        told &= corpus.weight > 0
    documents = np.flatnonzero(told)
    mark = corpus.counts.marks(documents)
    code = corpus.labels.code[documents]
    different = [np.unique(mark[code == each]) for each in np.unique(code)]  # in no order that means anything
    if not different:
        return []
    met, n_classes_of = np.unique(np.concatenate(different), return_counts=True)
    contested = met[n_classes_of > 1]  # the same words under two labels judge nothing
    different = [np.setdiff1d(marks, contested) for marks in different]
    share = min(1.0, _MOST_TRIED / max(sum(len(marks) for marks in different), 1))
    tried = [marks[: max(2, round(share * len(marks)))] for marks in different]
    several = [marks for marks in tried if len(marks) > 1]
    n_classes = len(corpus.labels.classes)
    if len(several) < 2 or sum(len(marks) for marks in several) < 2 * n_classes:
        return []
    inside = np.ones(corpus.counts.n_documents, dtype=bool)
    if sample:
        inside[documents] = np.isin(mark, np.concatenate([*tried, contested]))
    together = np.concatenate(several)
    if len(together) <= alone:
        turns = list(together[:, np.newaxis])
    else:
        turns = [np.concatenate([marks[fold::parts] for marks in several]) for fold in range(folds)]
    found = []
    for turn in turns:
        held = documents[np.isin(mark, turn)]
        if len(held):
            others = inside.copy()
            others[held] = False
            found.append((np.flatnonzero(others), held))
    return found


def gather(parts: list[Held]) -> Held:
    """What was held out in turn, as one."""
    return Held(
        np.concatenate([part.code for part in parts]),
        np.concatenate([part.each for part in parts]),
        {name: np.concatenate([part.probability[name] for part in parts]) for name in parts[0].probability},
    )


def scaled_by(fitted: CountScaler | None, counts: Counts) -> Counts:
    """What a fitted scaling makes of counts; None leaves them as they are."""
    return counts if fitted is None else fitted.scaled(counts)
