"""Topic models of several sizes, and which of their topics are those of the positive documents.

How many topics a corpus has decides how well its positives are found, and few positives do not tell it. So
many models are asked. Each starts one of its topics at half of the positives and is judged by the others,
which it has met as it meets all documents: without knowing that they are positive. It names the topics that
hold many of these and few of all documents, and votes for the documents of those topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.engine import em
from plsa.engine import starts as start
from plsa.engine.counts import Counts
from plsa.engine.parameters import padded, unpadded
from plsa.engine.steps import GatedSteps
from plsa.estimators.positives import Rule, balanced_regression, recall_above, recall_criterion
from plsa.learning.linked_means import means

# Six-topic mixtures of two corpora were best found with 6 and with 20 to 30.
NUMBERS = (4, 6, 9, 13, 20, 30)
_MODELS = 4  # of each number
_STEPS = 8  # of EM
_REGULARISATION = 0.1


@dataclass(frozen=True, slots=True)
class Member:
    """One model's opinion."""

    n_topics: int
    taken: NDArray[np.bool_]  # documents of the topics that it takes for the positives'
    criterion: float  # r^2 / P(f = 1) of it: what its vote weighs


@dataclass(frozen=True, slots=True)
class Topics:
    """How documents are made topics of: the settings of the model that asks."""

    counts: Counts  # scaled
    smoothing: float
    prior_strength: float
    n_threads: int | None

    def of_documents(self, cluster: NDArray[np.intp], n_topics: int) -> NDArray[np.intp]:
        """The most probable topic of each document, by PLSA that starts at these clusters."""
        dtype = self.counts.dtype
        row = padded(np.full((1, n_topics), 1 / n_topics), dtype)
        steps = GatedSteps(
            self.counts,
            n_topics,
            state=None,
            prior=row * dtype.type(self.prior_strength) if self.prior_strength else None,
            fallback=row,
            smoothing=self.smoothing,
            n_threads=self.n_threads,
        )
        words = start.words_from_clusters(self.counts, cluster, n_topics)
        parameters = start.assemble(
            self.counts, words, padded(np.ones((1, n_topics)), dtype), row, state=None
        )
        stop = em.Stop(_STEPS, 0.0, 0.0, self.counts.total(), 0.0)
        fit = em.run(steps, parameters, stop)
        if fit.reason == "interrupted":
            raise KeyboardInterrupt
        return np.asarray(unpadded(fit.parameters.doc_topic, n_topics).argmax(axis=1))


def ask(
    topics: Topics,
    matrix: sparse.csr_array,
    positive: NDArray[np.bool_],
    rng: np.random.RandomState,
    told: Callable[[int, list[Member]], None],
) -> list[Member]:
    """The members' opinions; `told` hears those of each number of topics.

    `matrix` has the documents as TF-IDF at unit length.
    """
    with threadpool_limits(1, user_api="blas"):
        likeness = Rule.of(balanced_regression(matrix, positive, _REGULARISATION)).scores(matrix)
    known = np.flatnonzero(positive)
    members: list[Member] = []
    for number in (each for each in NUMBERS if 2 * each <= len(positive) or each == NUMBERS[0]):
        asked = []
        for first, judges in _halves(known, rng):
            cluster = means(matrix, number, first, rng)
            topic = topics.of_documents(cluster, number)
            asked.append(opinion(topic, number, likeness, positive, judges))
        told(number, asked)
        members += asked
    return members


def _halves(
    known: NDArray[np.intp], rng: np.random.RandomState
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Documents to start from and documents to judge by, which change places; one alone only judges."""
    for _ in range(_MODELS // 2):
        dealt = rng.permutation(known)
        half = (len(dealt) + 1) // 2
        first, second = dealt[:half], dealt[half:]
        for begin, judges in ((first, second), (second, first)):
            yield (begin, judges) if len(judges) else (judges, begin)


def opinion(
    topic: NDArray[np.intp],
    n_topics: int,
    likeness: NDArray[np.float64],
    positive: NDArray[np.bool_],
    judges: NDArray[np.intp],
) -> Member:
    """Which topics are the positives', where every document has one.

    Topics are put in the order of how like the positives their unlabelled documents are in the mean. As many
    of the first are taken as make r^2 / P(f = 1) the highest, but never all: f is 1 for documents of these
    topics, and r a lower bound of the recall of the judges.
    """
    others = topic[~positive]
    size = np.bincount(others, minlength=n_topics)
    total = np.bincount(others, likeness[~positive], n_topics)
    mean = np.where(size > 0, total / np.maximum(size, 1), -np.inf)
    order = np.argsort(-mean, kind="stable")
    found = np.cumsum(np.bincount(topic[judges], minlength=n_topics)[order])[:-1]
    flagged = (np.cumsum(size[order])[:-1] + 1) / (len(others) + 1)
    criterion = recall_criterion(recall_above(found, len(judges)), flagged)
    best = int(criterion.argmax())
    return Member(n_topics, np.isin(topic, order[: best + 1]), float(criterion[best]))


def votes(members: list[Member]) -> NDArray[np.float64]:
    """The share of the weight of all members that is for each document."""
    weight = np.array([member.criterion for member in members])
    if not weight.any():
        weight = np.ones(len(members))
    return np.average([member.taken for member in members], axis=0, weights=weight)
