"""First parameters: random, from labels, given, or from an earlier fit.

P(z|d) always starts at its prior, and only P(w|z) is drawn: what a document gets then depends neither on
its row nor on its neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from plsa.counts import Counts
from plsa.parameters import Parameters, Real, padded, padded_zeros
from plsa.supervision import UNLABELLED, Labels, Layout


def random_words(
    counts: Counts, n_topics: int, weight: Real | None, rng: np.random.RandomState
) -> NDArray[np.float64]:
    """(W, K): each topic is the corpus's word distribution, every probability times an Exp(1) draw."""
    return _noisy(np.repeat(counts.word_totals(weight)[:, np.newaxis], n_topics, axis=1), 1.0, rng)


def words_from_labels(
    counts: Counts,
    labels: Labels,
    layout: Layout,
    weight: Real | None,
    rng: np.random.RandomState,
) -> NDArray[np.float64]:
    """(W, K): half the word distribution of the topic's class, half the corpus's, a tenth of noise.

    A topic of no class starts from the corpus alone. Half and half beat each alone on every corpus tried.
    """
    known = np.flatnonzero(labels.labelled)
    each = np.ones(len(known)) if weight is None else np.asarray(weight, dtype=np.float64)[known]
    member = sparse.csr_array(
        (each, (labels.code[known], known)), shape=(layout.n_classes, counts.n_documents)
    )
    of_class = (member @ counts.matrix()).toarray().T  # (W, C)
    corpus = counts.word_totals(weight)
    corpus /= corpus.sum()
    of_class /= np.maximum(of_class.sum(axis=0), np.finfo(float).tiny)
    words = np.repeat(corpus[:, np.newaxis], layout.n_topics, axis=1)
    own = layout.topic_class != UNLABELLED
    words[:, own] += of_class[:, layout.topic_class[own]]
    # One topic a class needs no noise: nothing is there to be told apart.
    alone = np.bincount(layout.topic_class[own], minlength=layout.n_classes).max() == 1
    return _noisy(words, 0.0 if alone and own.all() else 0.1, rng)


def _noisy(
    words: NDArray[np.float64], share: float, rng: np.random.RandomState
) -> NDArray[np.float64]:
    if share > 0:
        words *= 1 - share + share * rng.standard_exponential(words.shape)
    total = words.sum(axis=0)
    return words / np.where(total > 0, total, 1)


def assemble(
    counts: Counts,
    word_topic: NDArray[Any],
    gate: Real,
    doc_start: Real,
    state: NDArray[np.int32] | None,
    doc_topic: NDArray[Any] | None = None,
) -> Parameters:
    """Padded parameters: P(z|d) as given, or each document's state's row of `doc_start`."""
    n_topics = word_topic.shape[1]
    if doc_topic is not None:
        documents = padded(doc_topic, counts.dtype)
    else:
        documents = padded_zeros(counts.n_documents, n_topics, counts.dtype)
        documents[:] = doc_start[0] if state is None else doc_start[state]
    return Parameters(documents, padded(word_topic, counts.dtype), gate)
