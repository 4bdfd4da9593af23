"""The mathematics of the package in dense NumPy, a document at a time, written to be read.

Nothing here imports `plsa`, and everything is computed in float64. The counts X are a dense (D, W)
array; its type, float32 or float64, tells only which probabilities count as zero: see `possible`.

A model is a gate table (S, K) and, where labels have parameters, a `learn_gate` that makes the next
one of the expected topic counts of the states. Every model has the same `posterior`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# The largest n / p that the kernels still add up.
LARGEST_RATIO = {np.dtype(np.float32): 2.0**100, np.dtype(np.float64): 2.0**1000}


def posterior(topics, gate, word_topic):
    """P(z | w, d) of one document for every word, (W, K), and p(w, d), (W,).

    posterior[w, z] = theta[z] gate[z] phi[w, z] / p[w];  p[w] = sum_z theta[z] gate[z] phi[w, z].
    Where p is zero the posterior is zero.
    """
    joint = topics * gate * word_topic
    p = joint.sum(axis=1)
    return joint / np.where(p > 0, p, 1)[:, np.newaxis], p


def possible(n, p, dtype):
    """Whether a nonzero takes part: p is a normal number and n / p cannot overflow a sum."""
    normal = p >= np.finfo(dtype).tiny
    return normal & (n <= p * LARGEST_RATIO[np.dtype(dtype)])


def safe_log(x, dtype):
    """log x, what is below the smallest normal number of the type counting as it."""
    return np.log(np.maximum(x, float(np.finfo(dtype).tiny)))


def expect_document(n, gate, topics, word_topic, dtype):
    """Expected counts (W, K) of one document, its log-likelihood, how many nonzeros are impossible."""
    share, p = posterior(topics, gate, word_topic)
    taking_part = (n > 0) & possible(n, p, dtype)
    expected = np.where(taking_part, n, 0)[:, np.newaxis] * share
    log_likelihood = float(n @ safe_log(p, dtype))
    return expected, log_likelihood, int(np.sum((n > 0) & ~taking_part))


@dataclass(frozen=True)
class Expected:
    """What one expectation finds."""

    doc: np.ndarray  # (D, K) expected topic counts of each document
    word: np.ndarray  # (W, K) of each word, documents counting `weight` times
    state: np.ndarray  # (S, K) of each state, likewise
    log_likelihood: np.ndarray  # (D,)
    log_prior: np.ndarray  # (D,)
    impossible: np.ndarray  # (D,)


def expect(X, weight, state, gate, prior, doc_topic, word_topic):
    """One expectation; `weight`, `state` and `prior` may be None: ones, zeros, nothing."""
    n_documents, n_words = X.shape
    n_topics = word_topic.shape[1]
    dtype = X.dtype
    X, gate, doc_topic, word_topic = map(np.float64, (X, gate, doc_topic, word_topic))
    weight = np.ones(n_documents) if weight is None else np.float64(weight)
    state = np.zeros(n_documents, dtype=int) if state is None else state
    prior = np.zeros_like(gate) if prior is None else np.float64(prior)

    doc = np.zeros((n_documents, n_topics))
    word = np.zeros((n_words, n_topics))
    of_state = np.zeros_like(gate)
    log_likelihood = np.zeros(n_documents)
    log_prior = np.zeros(n_documents)
    impossible = np.zeros(n_documents, dtype=int)
    for d, s in enumerate(state):
        expected, log_likelihood[d], impossible[d] = expect_document(
            X[d], gate[s], doc_topic[d], word_topic, dtype
        )
        doc[d] = expected.sum(axis=0)
        word += weight[d] * expected
        of_state[s] += weight[d] * doc[d]
        log_prior[d] = prior[s] @ safe_log(doc_topic[d], dtype)
    return Expected(doc, word, of_state, log_likelihood, log_prior, impossible)


def normalise_rows(counts, prior, fallback, state):
    """Rows (counts + prior of the state) / their sum; the state's fallback where that is zero."""
    state = np.zeros(len(counts), dtype=int) if state is None else state
    counts = np.float64(counts) + (0 if prior is None else np.float64(prior)[state])
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), np.float64(fallback)[state])


def normalise_columns(counts, old, smoothing):
    """Columns (counts + smoothing) / their sum; the old column where that sum is zero."""
    counts = np.float64(counts) + smoothing
    total = counts.sum(axis=0)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), np.float64(old))


@dataclass(frozen=True)
class Folded:
    """What folding in finds of each document."""

    doc_topic: np.ndarray
    log_likelihood: np.ndarray
    rounds: np.ndarray
    impossible: np.ndarray


def fold(X, state, gate, prior, word_topic, start, max_rounds, tolerance):
    """P(z|d) of each document by itself, P(w|z) fixed, until no topic moves more than `tolerance`.

    A document with neither a possible word nor a prior keeps its start.
    """
    dtype = X.dtype
    state = np.zeros(len(X), dtype=int) if state is None else state
    prior = np.zeros_like(gate) if prior is None else prior
    X, gate, prior, word_topic, start = map(np.float64, (X, gate, prior, word_topic, start))
    topics = start.copy()
    log_likelihood = np.zeros(len(X))
    rounds = np.zeros(len(X), dtype=int)
    impossible = np.zeros(len(X), dtype=int)
    for d, s in enumerate(state):
        while rounds[d] < max_rounds:
            expected, _, _ = expect_document(X[d], gate[s], topics[d], word_topic, dtype)
            counts = expected.sum(axis=0) + prior[s]
            if counts.sum() == 0:
                break
            before = topics[d].copy()
            topics[d] = counts / counts.sum()
            rounds[d] += 1
            if np.abs(topics[d] - before).max() <= tolerance:
                break
        _, log_likelihood[d], impossible[d] = expect_document(X[d], gate[s], topics[d], word_topic, dtype)
    return Folded(topics, log_likelihood, rounds, impossible)


def objective(expected, weight, smoothing, word_topic, dtype):
    """What EM must not lower: the log-likelihood and the log terms of both priors."""
    weight = np.ones(len(expected.doc)) if weight is None else np.float64(weight)
    return (
        weight @ (expected.log_likelihood + expected.log_prior)
        + smoothing * safe_log(np.float64(word_topic), dtype).sum()
    )


@dataclass(frozen=True)
class Fitted:
    """The parameters after some passes; the objective before each of them and after the last."""

    doc_topic: np.ndarray
    word_topic: np.ndarray
    gate: np.ndarray
    trace: list[float]


def fit(
    X,
    weight,
    state,
    gate,
    prior,
    doc_topic,
    word_topic,
    *,
    fallback,
    smoothing: float,
    n_passes: int,
    learn_gate: Callable | None = None,
):
    """EM: `n_passes` times expect and maximise."""
    trace = []
    for number in range(n_passes + 1):
        expected = expect(X, weight, state, gate, prior, doc_topic, word_topic)
        trace.append(objective(expected, weight, smoothing, word_topic, X.dtype))
        if number < n_passes:
            doc_topic = normalise_rows(expected.doc, prior, fallback, state)
            word_topic = normalise_columns(expected.word, word_topic, smoothing)
            gate = gate if learn_gate is None else learn_gate(expected.state, gate)
    return Fitted(doc_topic, word_topic, gate, trace)


def leap(first, second, third, weight, length, least):
    """Where a leap of SQUAREM ends, not below `least` times third; and |r|^2, |v|^2, rows weighted."""
    weight = np.ones(len(first)) if weight is None else np.float64(weight)
    first, second, third = map(np.float64, (first, second, third))
    r = second - first
    v = (third - second) - r
    end = first + 2 * length * r + length**2 * v
    return np.maximum(end, least * third), ((weight @ r**2).sum(), (weight @ v**2).sum())


def learn_fake_label_gate(state_counts, gate):
    """P(label | z) = N[label, z] / sum over labels, a topic without counts keeping what it had."""
    total = state_counts.sum(axis=0)
    return np.where(total > 0, state_counts / np.where(total > 0, total, 1), gate)
