"""Our passes as the benchmarks time them: the one file here that knows the package from inside."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse

from bench.shared.report import say
from plsa import _kernels
from plsa.engine import em, starts
from plsa.engine.counts import Counts
from plsa.engine.links import LinkedSteps
from plsa.engine.mixture_steps import MixtureSteps
from plsa.engine.parameters import OpenGate, Parameters, Statistics, padded, padded_zeros, unpadded
from plsa.engine.steps import GatedSteps
from plsa.engine.threads import available_threads
from plsa.labels.gates import OneComponent
from plsa.labels.layout import lay_out
from plsa.learning.topic_sensitive import links_of

__all__ = ["Counts", "available_threads"]

Advance = Callable[[], Any]


# --- timing --------------------------------------------------------------------------------------


def timed(advance: Advance, passes: int) -> list[float]:
    """The seconds of each of so many passes."""
    seconds = []
    for _ in range(passes):
        began = perf_counter()
        advance()
        seconds.append(perf_counter() - began)
    return seconds


def in_turns(
    ways: dict[str, Advance], turns: int, passes: int, once: tuple[str, ...] = ()
) -> dict[str, list[list[float]]]:
    """Seconds of every pass of every way, a list a turn; those that are to go `once` do one pass a turn.

    All take turns, so that a time when the machine is busy with other things falls on all of them alike.
    """
    seconds: dict[str, list[list[float]]] = {name: [] for name in ways}
    for turn in range(1, turns + 1):
        for name, advance in ways.items():
            seconds[name].append(timed(advance, 1 if name in once else passes))
        say(f"turn {turn} of {turns}")
    return seconds


def flat(turns: list[list[float]]) -> list[float]:
    """All passes of all turns."""
    return [seconds for turn in turns for seconds in turn]


class Running:
    """EM under way; a pass is an expectation, with its likelihood, and a maximization."""

    def __init__(self, steps: Any, parameters: Parameters) -> None:
        self._steps = steps
        self.parameters = parameters
        self.expect_seconds: list[float] = []

    def advance(self) -> Parameters:
        """One pass."""
        began = perf_counter()
        statistics = self._steps.expect(self.parameters)
        self.expect_seconds.append(perf_counter() - began)
        self.parameters = self._steps.maximize(self.parameters, statistics)
        return self.parameters

    def bits(self) -> bytes:
        """All parameters, to be compared."""
        return self.parameters.doc_topic.tobytes() + self.parameters.word_topic.tobytes()

    def topics(self, n_topics: int) -> np.ndarray:
        """P(z|d) without the padding."""
        return unpadded(self.parameters.doc_topic, n_topics)


@contextlib.contextmanager
def levels() -> Iterator[dict[str, Advance]]:
    """The instruction sets that this machine runs and how to switch to each; the one of before comes back."""
    before = _kernels.current_level()
    try:
        yield {level: partial(_kernels.use_level, level) for level in _kernels.runnable_levels()}
    finally:
        _kernels.use_level(before)


# --- plain PLSA ----------------------------------------------------------------------------------


def counts_of(matrix: scipy.sparse.csr_matrix, dtype: Any = None) -> Counts:
    """A CSR matrix with sorted rows as the kernels have it."""
    return Counts(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(dtype or matrix.dtype, copy=False),
        matrix.shape[1],
    )


def plain_steps(counts: Counts, topics: int, n_threads: int = 1) -> GatedSteps:
    """Our two steps for plain PLSA: no prior, no smoothing."""
    return GatedSteps(
        counts,
        topics,
        state=None,
        prior=None,
        fallback=padded(np.full((1, topics), 1 / topics), counts.dtype),
        smoothing=0.0,
        n_threads=n_threads,
    )


class Start:
    """The start that all share: P(z|d) uniform, P(w|z) the corpus's times random noise."""

    def __init__(self, matrix: scipy.sparse.csr_matrix, topics: int) -> None:
        self.topics = topics
        self.doc_topic = np.full((matrix.shape[0], topics), 1 / topics, dtype=np.float32)
        words = starts.random_words(counts_of(matrix, np.float32), topics, None, np.random.RandomState(0))
        self.word_topic = np.ascontiguousarray(words[:, :topics], dtype=np.float32)

    def parameters(self, dtype: Any = np.float32) -> Parameters:
        """It, as the kernels have it."""
        doc_topic, word_topic = padded(self.doc_topic, dtype), padded(self.word_topic, dtype)
        return Parameters(doc_topic, word_topic, OpenGate(self.topics))

    def running(
        self, matrix: scipy.sparse.csr_matrix, n_threads: int = 1, dtype: Any = np.float32
    ) -> Running:
        """Our EM from here."""
        steps = plain_steps(counts_of(matrix, dtype), self.topics, n_threads)
        return Running(steps, self.parameters(dtype))


def cheap_start(counts: Counts, topics: int) -> Parameters:
    """P(z|d) uniform and P(w|z) random, without a second array of words x topics."""
    doc_topic = padded_zeros(counts.n_documents, topics, np.float32)
    doc_topic[:, :topics] = 1 / topics
    word_topic = padded_zeros(counts.n_words, topics, np.float32)
    rng = np.random.default_rng(0)
    for begin in range(0, counts.n_words, 10_000):
        block = word_topic[begin : begin + 10_000, :topics]
        block[:] = 1e-3 + rng.standard_exponential(block.shape, dtype=np.float32)
    word_topic[:, :topics] /= word_topic[:, :topics].sum(axis=0)
    return Parameters(doc_topic, word_topic, OpenGate(topics))


def loop(counts: Counts, topics: int, passes: int) -> None:
    """The EM loop alone, with its parameters."""
    em.run(plain_steps(counts, topics), cheap_start(counts, topics), em.Stop(passes, -math.inf, math.inf))


def climb(
    matrix: scipy.sparse.csr_matrix,
    begin: Start,
    accelerated: bool,
    at_most: int,
    note: Callable[[int, float], bool],
) -> tuple[np.ndarray, np.ndarray, str]:
    """EM until `note(passes, log-likelihood)` says that it is enough: P(z|d), P(w|z), and why it ended."""
    steps = plain_steps(counts_of(matrix, np.float32), begin.topics)
    fit = em.run(
        em.Accelerated(steps) if accelerated else steps,
        begin.parameters(),
        em.Stop(at_most, -math.inf, math.inf),
        lambda state: note(state.number, state.log_likelihood),
    )
    ends = fit.parameters
    return ends.doc_topic[:, : begin.topics], ends.word_topic[:, : begin.topics], fit.reason


# --- mixtures of multinomials --------------------------------------------------------------------


def mixture(matrix: scipy.sparse.csr_matrix, code: np.ndarray, alpha: float, n_threads: int) -> Running:
    """EM of a mixture, one component per class, from what labeled documents ask for; `code` -1: unlabeled."""
    layout = lay_out(np.ones(code.max() + 1, dtype=np.intp), 0)
    gate = OneComponent.even(layout, 0.0, 1.0)
    steps = MixtureSteps(
        counts_of(matrix),
        layout.n_topics,
        state=gate.states(code, None),
        n_states=layout.n_classes + 1,
        alpha=np.full(matrix.shape[1], alpha),
        n_threads=n_threads,
    )
    share = np.where(code[:, np.newaxis] == np.arange(layout.n_topics), 1.0, 0.0)
    return Running(steps, steps.primed(share, gate))


def products(
    matrix: scipy.sparse.csr_matrix, rows: np.ndarray, shares: np.ndarray
) -> tuple[Advance, Advance]:
    """The kernels' products: the matrix with rows of words, and its transpose with shares of documents."""
    dtype, n_topics = matrix.dtype, rows.shape[1]
    indptr = matrix.indptr.astype(np.int64)
    corpus = _kernels.Corpus(indptr, matrix.indices, matrix.data, matrix.shape[1], None, None)
    sums = [padded_zeros(n, n_topics, dtype) for n in matrix.shape]
    return (
        partial(_kernels.document_sums, corpus, padded(rows, dtype), sums[0], 1),
        partial(_kernels.word_sums, corpus, padded(shares, dtype), sums[1], 1),
    )


# --- links ---------------------------------------------------------------------------------------


class PairSteps(GatedSteps):
    """The links as printed (eq. 22 to 26 of Zhou and others, 2010), all pairs of one positive at a time.

    The first `n_positives` documents are the positives, `must` and `cannot` the weights of a pair.
    """

    n_positives: int
    must: float
    cannot: float

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics with those of the links."""
        statistics = super().expect(parameters)
        theta = unpadded(parameters.doc_topic, self.n_topics).astype(np.float64)
        count = unpadded(statistics.doc, self.n_topics)
        known, others = theta[: self.n_positives], theta[self.n_positives :]
        objective = statistics.objective
        for place, own in enumerate(known):
            for other in range(place + 1, self.n_positives):
                both = own * known[other]
                objective += self.must * np.log(both.sum())
                count[place] += self.must * both / both.sum()
                count[other] += self.must * both / both.sum()
            apart = 1 - others @ own
            objective += self.cannot * np.log(apart).sum()
            count[place] += self.cannot * own * ((1 - others) / apart[:, np.newaxis]).sum(axis=0)
            count[self.n_positives :] += self.cannot * others * (1 - own) / apart[:, np.newaxis]
        return replace(statistics, objective=objective)


def linked(
    counts: Counts, n_topics: int, n_positives: int, must: float, cannot: float
) -> tuple[Running, Running, Running]:
    """Plain EM, EM with links, and EM with links pair by pair, all from the same start."""
    dtype = counts.dtype
    positive = np.arange(counts.n_documents) < n_positives
    nothing = np.empty((0, 2), dtype=np.intp)
    row = padded(np.full((1, n_topics), 1 / n_topics), dtype)
    common: dict[str, Any] = {"state": None, "prior": row, "fallback": row, "smoothing": 0.01, "n_threads": 1}
    links = links_of(positive, (nothing, nothing), must, cannot, None)
    pairs = PairSteps(counts, n_topics, **common)
    pairs.n_positives, pairs.must, pairs.cannot = n_positives, must, cannot

    def first() -> Parameters:
        words = starts.random_words(counts, n_topics, None, np.random.RandomState(0))
        return starts.assemble(counts, words, OpenGate(n_topics), row, None)

    return (
        Running(GatedSteps(counts, n_topics, **common), first()),
        Running(LinkedSteps(counts, n_topics, links=links.all(), **common), first()),
        Running(pairs, first()),
    )
