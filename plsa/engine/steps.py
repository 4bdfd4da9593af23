"""The two steps of every gated PLSA.

With a = P(z|d) gate[s(d), z], the posterior of topic z for word w of document d is a_z P(w|z) / p(w, d),
p(w, d) = sum_z a_z P(w|z). `expect` sums n(d, w) times it over words, documents and states, and
`maximize` adds the pseudo-counts and normalizes.
"""

from dataclasses import dataclass

import numpy as np

import plsa._kernels as _kernels
from plsa.engine import blocks
from plsa.engine.counts import Counts
from plsa.engine.parameters import Codes, Floats, Gate, Parameters, Real, Statistics, padded, padded_zeros
from plsa.engine.threads import effective_threads


def word_bounds(counts: Counts, n_parts: int) -> list[int]:
    """First words of `n_parts` ranges with about as many nonzeros each, seen on a sample."""
    if n_parts == 1 or not len(counts.word):
        return [0, counts.n_words]
    sample = np.sort(counts.word[:: max(1, len(counts.word) // 100_000)])
    inner = sample[[len(sample) * part // n_parts for part in range(1, n_parts)]]
    return [0, *(int(word) for word in inner), counts.n_words]


class CorpusSteps:
    """What the steps of every model have: one corpus in the form of the kernels, and arrays to work in."""

    def __init__(self, counts: Counts, n_topics: int, weight: Real | None, n_threads: int | None) -> None:
        self.counts = counts
        self.n_topics = n_topics
        self.weight = weight
        self.n_passes = 0
        self.n_threads = effective_threads(n_threads, work=len(counts.word) * n_topics)
        bounds = word_bounds(counts, self.n_threads)
        nonzeros = counts.offset, counts.word, counts.count, counts.n_words
        self.corpus = _kernels.Corpus(*nonzeros, weight, bounds)
        self._spare: list[tuple[Real, Real]] = []

    def buffers(self) -> tuple[Real, Real]:
        """A (D, padded) and a (W, padded) array, whatever they hold."""
        if self._spare:
            return self._spare.pop()
        rows = self.counts.n_documents, self.counts.n_words
        doc, word = (padded_zeros(number, self.n_topics, self.counts.dtype) for number in rows)
        return doc, word

    def release(self, parameters: Parameters) -> None:
        """Keeps the arrays of parameters that are no longer needed as buffers for the next statistics."""
        self._spare.append((parameters.doc_topic, parameters.word_topic))

    def free_buffers(self) -> None:
        """Lets go of all working arrays: no expectation follows."""
        self._spare.clear()


class GatedSteps(CorpusSteps):
    """`expect` and `maximize` of a gated PLSA on one corpus.

    Parameters
    ----------
    counts : Counts
    n_topics : int
    state : (D,) int32 array or None
        The row of the gate that each document uses; None: row 0.
    prior : (S, padded) array or None
        Pseudo-counts added to the topics of the documents of each state.
    fallback : (S, padded) array
        P(z|d) of a document with neither words nor prior.
    smoothing : float
        Pseudo-count added to every word of every topic.
    weight : (D,) array or None
        How often each document counts in what it gives to others.
    """

    def __init__(
        self,
        counts: Counts,
        n_topics: int,
        *,
        state: Codes | None,
        prior: Real | None,
        fallback: Real,
        smoothing: float,
        weight: Real | None = None,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(counts, n_topics, weight, n_threads)
        self.state = state
        self.prior = prior
        self.fallback = fallback
        self.smoothing = smoothing
        self._ratio = np.empty(len(counts.word), dtype=counts.dtype)
        self._document_objective = np.empty(counts.n_documents)
        self._document_log_prior = None if prior is None else np.empty(counts.n_documents)
        self._impossible = np.empty(counts.n_documents, dtype=np.int32)
        self._each_topic = padded(np.ones((1, n_topics)), counts.dtype)
        self._gate: Gate | None = None
        self._table = self._each_topic

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics of these parameters."""
        self.n_passes += 1
        doc, word = self.buffers()
        gate = self._padded_table(parameters.gate)
        state = np.empty((len(gate), doc.shape[1]))
        given = self.corpus, self.state, gate, self.prior, parameters.doc_topic, parameters.word_topic
        of_documents = self._document_objective, self._document_log_prior, self._impossible
        _kernels.expect(*given, self._ratio, doc, word, state, *of_documents, self.n_threads)
        log_likelihood = self._sum_documents(self._document_objective)
        objective = log_likelihood
        if self._document_log_prior is not None:
            objective += self._sum_documents(self._document_log_prior)
        if self.smoothing > 0:
            objective += self.smoothing * _kernels.sum_logs(parameters.word_topic, self._each_topic[0])
        if self.weight is not None:
            self._impossible[self.weight == 0] = 0  # what does not count may well be impossible
        n_impossible = int(self._impossible.sum())
        first = int(np.flatnonzero(self._impossible)[0]) if n_impossible else None
        return Statistics(doc, word, state, log_likelihood, objective, n_impossible, first)

    def maximize(self, parameters: Parameters, statistics: Statistics) -> Parameters:
        """The parameters that these statistics ask for, in their arrays."""
        gate = parameters.gate.learn(statistics.state[:, : self.n_topics])
        _kernels.normalize_rows(statistics.doc, self.prior, self.fallback, self.state, self.n_threads)
        words = statistics.word, parameters.word_topic
        _kernels.normalize_columns(*words, self.smoothing, self.n_topics, self.n_threads)
        self.release(parameters)
        return Parameters(statistics.doc, statistics.word, gate)

    def copied(self, parameters: Parameters) -> Parameters:
        """A copy that outlives `maximize`."""
        doc, word = self.buffers()
        np.copyto(doc, parameters.doc_topic)
        np.copyto(word, parameters.word_topic)
        return Parameters(doc, word, parameters.gate)

    def leap(
        self, first: Parameters, second: Parameters, third: Parameters, longest: float
    ) -> tuple[Parameters, float]:
        """Where SQUAREM leaps to, in the arrays of `first`, and the length l of the leap.

        With r = second - first and v = (third - second) - r, that is first + 2 l r + l^2 v, where l = |r| /
        |v| kept between 1 (which gives `third`) and `longest`: one l for all parameters (one for each row
        was tried and needs more passes). What would leave the simplex is drawn back to a tenth of `third`,
        so that no topic dies of a leap, and rows and columns are normalized again. The gate is the third's.
        """
        docs = first.doc_topic, second.doc_topic, third.doc_topic
        words = first.word_topic, second.word_topic, third.word_topic
        moves = [_kernels.sum_moves(*x, w, self.n_threads) for x, w in ((docs, self.weight), (words, None))]
        r_square, v_square = np.sum(moves, axis=0)
        length = float(np.sqrt(r_square / v_square)) if v_square > 0 else 1.0
        length = min(max(length, 1.0), longest)
        for x in (docs, words):
            _kernels.leap(*x, length, 0.1, self.n_threads)
        _kernels.normalize_rows(first.doc_topic, None, self.fallback, self.state, self.n_threads)
        _kernels.normalize_columns(first.word_topic, third.word_topic, 0.0, self.n_topics, self.n_threads)
        self.release(second)
        return Parameters(first.doc_topic, first.word_topic, third.gate), length

    def free_buffers(self) -> None:
        """Lets go of all working arrays: no expectation follows."""
        super().free_buffers()
        self._ratio = np.empty(0, dtype=self.counts.dtype)

    def _padded_table(self, gate: Gate) -> Real:
        """What the kernels read of a gate; made again only where the gate is another one."""
        if gate is not self._gate:
            self._gate, self._table = gate, padded(gate.table(), self.counts.dtype)
        return self._table

    def _sum_documents(self, values: Floats) -> float:
        # A plain sum: BLAS might add in another order with another number of threads.
        return float(np.sum(values if self.weight is None else values * self.weight))


@dataclass(frozen=True, slots=True)
class Folded:
    """What folding in found of each document."""

    doc_topic: Real  # (D, padded)
    log_likelihood: Floats  # (D,)
    rounds: Codes  # (D,)
    impossible: Codes  # (D,) nonzeros of words that no topic has


def fold_in(
    counts: Counts,
    word_topic: Real,
    start: Real,
    *,
    prior: Real | None = None,
    gate: Real | None = None,
    state: Codes | None = None,
    max_iter: int,
    tol: float,
    n_threads: int | None = None,
) -> Folded:
    """P(z|d) of documents, P(w|z) being fixed: each goes on until it has settled, by itself.

    `start` is one padded row, or one for each document. The update is that of `GatedSteps`; a document's
    answer depends on nothing but its own words.
    """
    n_documents, width = counts.n_documents, word_topic.shape[1]
    if gate is None:
        gate = np.ones((1, width), dtype=counts.dtype)
    topic = padded_zeros(n_documents, width, counts.dtype)
    topic[:] = start
    rounds, impossible = np.empty((2, n_documents), dtype=np.int32)
    found = Folded(topic, np.empty(n_documents), rounds, impossible)
    threads = effective_threads(n_threads, work=10 * len(counts.word) * width)
    # Some documents at a time: between two calls Ctrl-C is heard.
    for begin, end in counts.blocks(blocks.NONZEROS):
        block = counts.between(begin, end)
        corpus = _kernels.Corpus(block.offset, block.word, block.count, block.n_words)
        given = corpus, None if state is None else state[begin:end], gate, prior, word_topic
        room = (each[begin:end] for each in (topic, found.log_likelihood, rounds, impossible))
        _kernels.fold(*given, *room, max_iter, tol, threads)
    return found
