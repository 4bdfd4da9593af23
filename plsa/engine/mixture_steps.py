"""The two steps of a mixture of multinomials: a document has one component, and all its words are from it.

The gate holds P(z), zero for the components that a document's label rules out. `expect` finds
P(z|d) ~ gate[s(d), z] prod_w P(w|z)^n(d, w) in log space and adds documents up by it; `maximize` adds the
pseudo-counts and normalizes. Parameters and statistics are those of the aspect models, but P(z|d) follows
from the others: `Parameters.doc_topic` is what the step before found.
"""

from typing import Protocol

import numpy as np
from scipy import sparse

import plsa._kernels as _kernels
from plsa.engine import blocks
from plsa.engine.counts import Counts
from plsa.engine.parameters import Codes, Floats, Gate, Parameters, Places, Real, Statistics, padded, unpadded
from plsa.engine.steps import CorpusSteps
from plsa.engine.threads import effective_threads


class ComponentGate(Gate, Protocol):
    """The gate of a mixture: P(z), zero for the components that a state rules out, and its prior."""

    def open(self) -> Floats:
        """(S, K): 1 where a state may have a component, else 0."""

    def log_prior(self) -> float:
        """The log-density of the gate's parameters, but for a constant."""


class MixtureSteps(CorpusSteps):
    """`expect` and `maximize` of a mixture of multinomials on one corpus.

    Parameters
    ----------
    counts : Counts
    n_topics : int
        The number of components.
    state : (D,) int32 array
        The row of the gate that each document uses.
    n_states : int
    alpha : (W,) array
        Pseudo-counts of the words of every component.
    weight : (D,) array or None
        How often each document counts.

    Attributes
    ----------
    power : float
        1 / temperature: the posterior is raised to it and normalized again. What never falls at one power is
        sum_d (1 / power) log sum_z P(d, z)^power + log prior (Nigam et al. 2006, eq. 3.8 at power 1).
    """

    def __init__(
        self,
        counts: Counts,
        n_topics: int,
        *,
        state: Codes,
        n_states: int,
        alpha: Floats,
        weight: Real | None = None,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(counts, n_topics, weight, n_threads)
        self.state = state
        self.alpha = alpha
        self.power = 1.0
        n_documents = counts.n_documents
        self._weights = np.ones(n_documents) if weight is None else weight.astype(np.float64)
        entries = (self._weights, (state, np.arange(n_documents)))
        self._member = sparse.csr_array(entries, shape=(n_states, n_documents))
        self._column = alpha[:, np.newaxis].astype(counts.dtype)

    def primed(self, share: Floats, gate: ComponentGate) -> Parameters:
        """The parameters that these P(z|d) ask for; rows of zeros are documents that do not count."""
        doc, word = self.buffers()
        unpadded(doc, self.n_topics)[:] = share
        before = Parameters(*self.buffers(), gate)
        # What a component without a word gets where there are no pseudo-counts either.
        before.word_topic[:] = 0
        totals = self.counts.word_totals(self.weight)
        unpadded(before.word_topic, self.n_topics)[:] = (totals / totals.sum())[:, np.newaxis]
        return self.maximize(before, self._counted(doc, word, 0.0, 0.0))

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics of these parameters at the present power."""
        self.n_passes += 1
        doc, word = self.buffers()
        logs = log_words(parameters.word_topic, self.n_topics)
        log_total = self._posterior(logs, parameters.gate, self.power, doc)
        log_total[self._weights == 0] = 0  # what does not count may well be impossible
        log_likelihood = float(np.sum(self._weights * log_total))
        of_words = unpadded(logs, self.n_topics).sum(axis=1, dtype=np.float64)
        objective = log_likelihood + float(np.sum(self.alpha * of_words)) + parameters.gate.log_prior()
        return self._counted(doc, word, log_likelihood, objective)

    def maximize(self, parameters: Parameters, statistics: Statistics) -> Parameters:
        """The parameters that these statistics ask for, in their arrays."""
        words = unpadded(statistics.word, self.n_topics)
        words += self._column
        _kernels.normalize_columns(statistics.word, parameters.word_topic, 0.0, self.n_topics, self.n_threads)
        learned = Parameters(statistics.doc, statistics.word, parameters.gate.learn(statistics.state))
        self.release(parameters)
        return learned

    def explained(self, parameters: Parameters) -> Parameters:
        """The same with the P(z|d) that follow from them, each document under its label."""
        # Ctrl-C may have come when these very arrays were taken for spare ones.
        doc = np.zeros_like(parameters.doc_topic)
        self._posterior(log_words(parameters.word_topic, self.n_topics), parameters.gate, 1.0, doc)
        return Parameters(doc, parameters.word_topic, parameters.gate)

    def reordered(self, parameters: Parameters, order: Places, gate: ComponentGate) -> Parameters:
        """The parameters with component order[z] as component z, and the gate that goes with it."""
        doc = padded(parameters.doc_topic[:, order], self.counts.dtype)
        word = padded(parameters.word_topic[:, order], self.counts.dtype)
        return Parameters(doc, word, gate)

    def _posterior(self, logs: Real, gate: ComponentGate, power: float, doc: Real) -> Floats:
        """`doc` becomes P(z|d) at a power; returns (1 / power) log sum_z P(d, z)^power."""
        _kernels.document_sums(self.corpus, logs, doc, self.n_threads)
        table = gate.table().astype(self.counts.dtype)
        return normalize(unpadded(doc, self.n_topics), table, self.state, power, gate.open())

    def _counted(self, doc: Real, word: Real, log_likelihood: float, objective: float) -> Statistics:
        """What documents with these P(z|d) add up to."""
        _kernels.word_sums(self.corpus, doc, word, self.n_threads)
        state = self._member @ unpadded(doc, self.n_topics).astype(np.float64, copy=False)
        return Statistics(doc, word, state, log_likelihood, objective)


def log_words(word_topic: Real, n_topics: int) -> Real:
    """(W, padded): log P(w|z), a probability of zero counting as the smallest normal number."""
    logs = np.zeros_like(word_topic)
    rows = unpadded(logs, n_topics)
    np.maximum(unpadded(word_topic, n_topics), np.finfo(word_topic.dtype).smallest_normal, out=rows)
    np.log(rows, out=rows)
    return logs


def normalize(rows: Real, gate: Real, state: Codes, power: float, fallback: Floats) -> Floats:
    """Rows log P(d|z) become P(z|d) ~ P(d, z)^power; returns (1 / power) log sum_z P(d, z)^power.

    P(d, z) = gate[state, z] P(d|z). A document that no component can have made gets its row of `fallback`,
    as a distribution.
    """
    log_total = np.empty(len(rows))
    with np.errstate(divide="ignore"):
        log_gate = np.log(gate)
    for begin in range(0, len(rows), blocks.DOCUMENTS):
        inside = slice(begin, begin + blocks.DOCUMENTS)
        block = rows[inside]
        block += log_gate[state[inside]]
        peak = block.max(axis=1, keepdims=True)
        lost = np.flatnonzero(np.isneginf(peak))
        peak[lost] = 0
        block -= peak
        if power != 1:
            block *= block.dtype.type(power)
        np.exp(block, out=block)
        total = block.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            log_total[inside] = (peak + np.log(total, dtype=np.float64) / power)[:, 0]
        if len(lost):
            block[lost] = fallback[state[begin + lost]]
            total[lost] = block[lost].sum(axis=1, keepdims=True)
        block /= total
    return log_total


def joint(counts: Counts, word_topic: Real, prior: Floats, n_threads: int | None) -> Floats:
    """(D, K): log P(d, z) = log P(z) + sum_w n(d, w) log P(w|z) of new documents."""
    width = word_topic.shape[1]
    sums = np.zeros((counts.n_documents, width), dtype=counts.dtype)
    corpus = _kernels.Corpus(counts.offset, counts.word, counts.count, counts.n_words)
    threads = effective_threads(n_threads, work=len(counts.word) * width)
    _kernels.document_sums(corpus, log_words(word_topic, len(prior)), sums, threads)
    rows = unpadded(sums, len(prior)).astype(np.float64, copy=False)
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    rows += log_prior
    rows[np.isneginf(rows).all(axis=1)] = log_prior  # counts so huge that no component is possible
    return rows
