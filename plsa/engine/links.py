"""Must-links and cannot-links between documents, as penalties on their topics.

With theta = P(z|d), two documents are of one topic with probability S_ij = <theta_i, theta_j>. A must-link
adds log S_ij to the objective and a cannot-link log(1 - S_ij), each times a weight. Both are logarithms of
sums over topics, so that EM goes on as before with expected counts of them beside those of the words (Zhou
et al. 2010, eq. 22 to 26): theta_iz theta_jz / S_ij and theta_iz (1 - theta_jz) / (1 - S_ij) are added to
the counts of topic z in document i. Nothing here is as large as pairs x topics.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from plsa.engine import blocks
from plsa.engine.parameters import Floats, Parameters, Places, Real, Statistics, unpadded
from plsa.engine.steps import GatedSteps


class Links(Protocol):
    """Some constraints, all of one kind."""

    @property
    def weight(self) -> Any:
        """How much a link counts: one number, or one for each."""

    def add(self, topics: Real, count: Real, each: Floats) -> float:
        """Adds what they expect of documents with these topics to `count`; returns the penalties' sum.

        A document's own counts are divided by how often it counts, as the words' are not multiplied by it.
        """

    def holding(self, topic: Places) -> tuple[int, int]:
        """How many of them hold where each document has this one topic, and how many there are."""


@dataclass(frozen=True, slots=True)
class MustLinks:
    """Every two of these documents belong together."""

    documents: Places
    weight: float  # of a pair

    def add(self, topics: Real, count: Real, each: Floats) -> float:
        """count[T] += weight theta_T ((1 / M, zero diagonal) theta_T), M = theta_T theta_T', in blocks."""
        theta = topics[self.documents].astype(np.float64)
        total = 0.0
        for begin, end in _blocks(len(theta), len(theta)):
            same = np.maximum(theta[begin:end] @ theta.T, _least(topics))
            own = np.arange(end - begin), np.arange(begin, end)
            same[own] = 1.0
            total += float(np.log(same).sum()) / 2
            same = 1 / same
            same[own] = 0.0
            some = self.documents[begin:end]
            expected = self.weight * theta[begin:end] * (same @ theta)
            count[some] += (expected / each[some, np.newaxis]).astype(count.dtype)
        return self.weight * total

    def holding(self, topic: Places) -> tuple[int, int]:
        """Pairs of one topic, and all pairs."""
        n = np.bincount(topic[self.documents])
        return int((n * (n - 1)).sum()) // 2, len(self.documents) * (len(self.documents) - 1) // 2


@dataclass(frozen=True, slots=True)
class CannotLinks:
    """None of these documents belongs to one of those."""

    documents: Places
    others: Places
    weight: float  # of a pair

    def add(self, topics: Real, count: Real, each: Floats) -> float:
        """With S = theta_U theta_T' and R = 1 / (1 - S), some of U at a time:

        count[T] += weight theta_T (R' (1 - theta_U)) and count[U] += weight theta_U (R (1 - theta_T)).
        """
        theta = topics[self.documents].astype(np.float64)
        expected = np.zeros_like(theta)
        total = 0.0
        for begin, end in _blocks(len(self.others), len(theta)):
            some = self.others[begin:end]
            other = topics[some].astype(np.float64)
            apart = np.maximum(1 - other @ theta.T, _least(topics))
            total += float(np.log(apart).sum())
            apart = 1 / apart
            expected += apart.T @ (1 - other)
            theirs = self.weight * other * (apart @ (1 - theta))
            count[some] += (theirs / each[some, np.newaxis]).astype(count.dtype)
        expected *= self.weight * theta
        count[self.documents] += (expected / each[self.documents, np.newaxis]).astype(count.dtype)
        return self.weight * total

    def holding(self, topic: Places) -> tuple[int, int]:
        """Pairs of two topics, and all pairs."""
        n_topics = int(topic.max()) + 1
        ours = np.bincount(topic[self.documents], minlength=n_topics)
        theirs = np.bincount(topic[self.others], minlength=n_topics)
        pairs = len(self.documents) * len(self.others)
        return pairs - int((ours * theirs).sum()), pairs


@dataclass(frozen=True, slots=True)
class PairLinks:
    """Pairs that belong together, or do not, one by one."""

    pairs: Places  # (n, 2)
    weight: Floats  # (n,) of each pair
    together: bool

    def add(self, topics: Real, count: Real, each: Floats) -> float:
        """count[i] += weight theta_i theta_j / S or weight theta_i (1 - theta_j) / (1 - S), and so for j."""
        total = 0.0
        for begin, end in _blocks(len(self.pairs), topics.shape[1]):
            some, weight = self.pairs[begin:end], self.weight[begin:end]
            first, second = (topics[some[:, side]].astype(np.float64) for side in (0, 1))
            same = np.einsum("nz,nz->n", first, second)
            chance = np.maximum(same if self.together else 1 - same, _least(topics))
            total += float(weight @ np.log(chance))
            factor = (weight / chance)[:, np.newaxis]
            for side, (own, other) in enumerate(((first, second), (second, first))):
                expected = factor * own * (other if self.together else 1 - other)
                at = some[:, side]
                np.add.at(count, at, (expected / each[at, np.newaxis]).astype(count.dtype))
        return total

    def holding(self, topic: Places) -> tuple[int, int]:
        """Pairs of one topic, or of two, and all pairs."""
        same = topic[self.pairs[:, 0]] == topic[self.pairs[:, 1]]
        return int((same if self.together else ~same).sum()), len(self.pairs)


def satisfied(links: Sequence[Links], topic: Places) -> float:
    """The share of these links that hold where each document has this one topic; NaN where there are none."""
    holding, all_of_them = np.sum([each.holding(topic) for each in links], axis=0)
    return float(holding / all_of_them) if all_of_them else float("nan")


class LinkedSteps(GatedSteps):
    """The steps of a gated PLSA with links between its documents, if there are any."""

    def __init__(self, *args: Any, links: Sequence[Links] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.links = [some for some in links if np.any(some.weight)]
        self._weights = np.ones(self.counts.n_documents) if self.weight is None else self.weight.astype(float)
        self._weights[self._weights == 0] = 1.0  # what does not count may have any topics

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics of these parameters, the links' expected counts among those of the documents."""
        statistics = super().expect(parameters)
        if not self.links:
            return statistics
        topics = unpadded(parameters.doc_topic, self.n_topics)
        count = unpadded(statistics.doc, self.n_topics)
        objective = statistics.objective
        for links in self.links:
            objective += links.add(topics, count, self._weights)
        return replace(statistics, objective=objective)


def _blocks(n_rows: int, width: int) -> Iterator[tuple[int, int]]:
    """Where blocks of rows so wide begin and end."""
    size = max(1, blocks.PAIRS // max(1, width))
    for begin in range(0, n_rows, size):
        yield begin, min(begin + size, n_rows)


def _least(topics: Real) -> float:
    """What S_ij and 1 - S_ij are at least: below it they are rounding."""
    return max(1e-12, float(np.finfo(topics.dtype).eps))
