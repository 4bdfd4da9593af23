"""The paper's test sets: six topics drawn at random, one of them positive and a little of it known.

20 Newsgroups has its 20 groups, Reuters the ten topics that at least a hundred documents have as their only
one (the paper has ten too, of 6,869 documents; here they are 8,246). A set's draw depends on its number
alone, and the known positives with a smaller share are among those with a larger one, as "the same set of
labeled data" for all learners.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.sparse

from bench.shared import corpora

CORPORA = {"20news": "20 Newsgroups", "reuters10": "Reuters"}
PERCENTS = (1, 2, 3, 4, 5)  # of the positives that are known
SETS = 20
TOPICS = 6
LEAST = 5  # occurrences of a word in the set


@dataclass(frozen=True, slots=True)
class PositiveSet:
    """Documents of six topics, one of which is looked for."""

    counts: scipy.sparse.csr_matrix
    truth: np.ndarray  # whether a document is of the positive topic
    known: np.ndarray  # whether that is told

    @property
    def y(self) -> np.ndarray:
        """1 for known positives, -1 for all others."""
        return np.where(self.known, 1, -1)

    def f1(self, taken: np.ndarray) -> float:
        """F1 of the positive class over the documents of which nothing was told."""
        truth, taken = self.truth[~self.known], np.asarray(taken)[~self.known].astype(bool)
        return float(2 * (truth & taken).sum() / max(1, truth.sum() + taken.sum()))


@lru_cache(maxsize=2)
def _corpus(name: str) -> corpora.Prepared:
    return corpora.prepared(name)


@lru_cache(maxsize=4)
def _topics(name: str, number: int) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    whole = _corpus(name)
    rng = np.random.default_rng((number, 2))
    drawn = rng.choice(np.unique(whole.labels), TOPICS, replace=False)
    documents = np.flatnonzero(np.isin(whole.labels, drawn))
    counts = whole.counts[documents]
    counts = counts[:, np.asarray(counts.sum(axis=0)).ravel() >= LEAST]
    return counts, whole.labels[documents] == drawn[0]


def drawn(name: str, number: int, percent: float) -> PositiveSet:
    """Set `number` of a corpus, with `percent` of the positives known, at least one."""
    counts, truth = _topics(name, number)
    positives = np.random.default_rng((number, 3)).permutation(np.flatnonzero(truth))
    known = np.zeros(len(truth), dtype=bool)
    known[positives[: max(1, round(percent / 100 * len(positives)))]] = True
    return PositiveSet(counts, truth, known)
