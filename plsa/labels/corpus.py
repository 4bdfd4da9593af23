"""Documents, their labels and their weights, which go together."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from plsa.engine.counts import LARGEST_TOTAL, Counts
from plsa.engine.parameters import Array, Floats, Real
from plsa.labels.reading import UNLABELED, Labels


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents, their labels and their weights."""

    counts: Counts
    labels: Labels
    weight: Real | None = None

    @property
    def n_classes(self) -> int:
        """The number of classes that the labels know."""
        return len(self.labels.classes)

    def part(self, documents: Array) -> Self:
        """These documents, in this order; the classes stay."""
        weight = None if self.weight is None else self.weight[documents]
        return type(self)(self.counts.of_documents(documents), self.labels.part(documents), weight)

    def of_words(self, words: Array) -> Self:
        """The same documents with these words alone, ascending, which are numbered anew in their order."""
        return replace(self, counts=self.counts.of_words(words))

    def labeled(self) -> Self:
        """The labeled documents only."""
        known = self.labels.labeled
        return self if known.all() else self.part(np.flatnonzero(known))

    def weights(self) -> Floats:
        """How often each document counts."""
        if self.weight is None:
            return np.ones(self.counts.n_documents)
        return self.weight.astype(np.float64)

    def with_unlabeled(self, weight: float) -> Self:
        """The same with every document that has no label counting `weight` times as often."""
        known = self.labels.labeled
        if weight == 1 or known.all():
            return self
        weights = np.where(known, 1.0, weight) * self.weights()
        return replace(self, weight=weights.astype(self.counts.dtype))

    def without(self, documents: Array) -> Self:
        """The same with these documents there, but without a label and without weight."""
        code, weights = self.labels.code.copy(), self.weights()
        code[documents], weights[documents] = UNLABELED, 0.0
        return replace(self, labels=replace(self.labels, code=code), weight=weights.astype(self.counts.dtype))

    def class_frequencies(self) -> Floats:
        """P(class): how often each class is labeled, and once more."""
        count = self.class_counts() + 1
        return count / count.sum()

    def imbalance(self) -> float:
        """How far labels are unequal for more than chance: from 0, as if all classes were alike, to 1.

        X^2 = sum_c (n_c - n / C)^2 / (n / C) is C - 1 on average where they are; it is 1 - (C - 1) / X^2, if
        that is positive.
        """
        count = self.class_counts()
        expected = count.sum() / self.n_classes
        off = np.sum((count - expected) ** 2) / expected if expected > 0 else 0.0
        return float(max(0.0, 1 - (self.n_classes - 1) / off)) if off > 0 else 0.0

    def log_frequencies(self) -> Floats:
        """log P(class), less its mean, as far as labels are unequal for more than chance."""
        believed = self.imbalance()
        logs = np.log(believed * self.class_frequencies() + (1 - believed) / self.n_classes)
        return np.asarray(logs - logs.mean())

    def class_counts(self) -> Floats:
        """How often each class is labeled."""
        known = self.labels.labeled
        counted = None if self.weight is None else self.weights()[known]
        return np.bincount(self.labels.code[known], counted, self.n_classes).astype(np.float64)


def check_some_words(counts: Counts, weight: Real | None = None) -> None:
    """Raises where all documents that count are empty, or have too much: there is nothing to learn from."""
    total = counts.total(weight)
    if not total > 0:
        found = f"X has {counts.n_documents} documents to learn from and not one word in them"
        raise ValueError(f"{found}: counts or weights are zero. Check the vocabulary of the vectorizer.")
    if total > LARGEST_TOTAL[counts.dtype]:
        found = f"the counts of X, with their weights, add up to {total:.0e}, too much for {counts.dtype}"
        raise ValueError(f"{found}; scale the counts or the weights.")
