"""First parameters: random, from groups of documents, drawn around these, or given.

P(z|d) starts at its prior, and only P(w|z) is drawn: what a document gets then depends neither on its row nor
on its neighbors. To draw P(z|d) too is what the papers print, and is there for who asks for that.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from plsa.engine import blocks
from plsa.engine.counts import Counts
from plsa.engine.parameters import Codes, Floats, Gate, Parameters, Real, Rng, padded, padded_zeros

NO_GROUP = -1  # of a document or a topic

Groups = NDArray[np.integer[Any]]  # the group of each document or topic, or NO_GROUP


def random_words(counts: Counts, n_topics: int, weight: Real | None, rng: Rng) -> Real:
    """(W, padded): each topic is the corpus's word distribution, every probability times an Exp(1) draw."""
    words = padded_zeros(counts.n_words, n_topics, counts.dtype)
    total = counts.word_totals(weight)
    words[:, :n_topics] = (total / total.sum())[:, np.newaxis]  # in double: the totals may be huge
    return _noisy(words, n_topics, 1.0, rng)


def words_from_groups(
    counts: Counts, group: Groups, topic_group: Groups, weight: Real | None, rng: Rng
) -> Real:
    """(W, padded): half the word distribution of the topic's group, half the corpus's, and noise.

    A topic of no group starts from the corpus alone. Half and half beat each alone on every corpus tried.
    """
    of_group = _words_of_groups(counts, group, topic_group.max() + 1, weight)
    corpus = counts.word_totals(weight)
    corpus /= corpus.sum()
    n_topics = len(topic_group)
    words = padded_zeros(counts.n_words, n_topics, counts.dtype)
    for topic, its_group in enumerate(topic_group):
        words[:, topic] = corpus if its_group == NO_GROUP else corpus + of_group[its_group]
    # One topic per group needs no noise: nothing is there to be told apart. With only a tenth of it several
    # topics of a group were so alike that the first passes gained next to nothing, which looks like the end.
    alone = np.all(topic_group != NO_GROUP) and np.bincount(topic_group).max() == 1
    return _noisy(words, n_topics, 0.0 if alone else 0.3, rng)


def words_expected(expected: Floats, dtype: Any, rng: Rng) -> Real:
    """(W, padded): for each topic a draw from the Dirichlet distribution of its (W, K) expected words."""
    drawn = rng.standard_gamma(expected)
    return padded(drawn / np.maximum(drawn.sum(axis=0), np.finfo(float).tiny), dtype)


def words_from_clusters(counts: Counts, cluster: Groups, n_topics: int) -> Real:
    """(W, padded): half the words of a cluster's documents and half the corpus's."""
    own = _words_of_groups(counts, cluster, n_topics, None)
    corpus = counts.word_totals()
    corpus /= corpus.sum()
    words = padded_zeros(counts.n_words, n_topics, counts.dtype)
    words[:, :n_topics] = (np.where(own.any(axis=1, keepdims=True), own, corpus) + corpus).T / 2
    return words


def _words_of_groups(counts: Counts, group: Groups, n_groups: int, weight: Real | None) -> Floats:
    """(groups, W): the word distribution of each group's documents, zeros where it has no words."""
    words = _counts_of_groups(counts, group, n_groups, weight)
    words /= np.maximum(words.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return words


def _counts_of_groups(counts: Counts, group: Groups, n_groups: int, weight: Real | None) -> Floats:
    """(groups, W): how often each word stands in a group's documents."""
    inside = np.flatnonzero(group != NO_GROUP)  # few, mostly: the product would copy what it reads
    weights = np.ones(len(inside)) if weight is None else np.asarray(weight, dtype=np.float64)[inside]
    place = group[inside], np.arange(len(inside))
    member = sparse.csr_array((weights, place), shape=(n_groups, len(inside)))
    return np.asarray((member @ counts.of_documents(inside).matrix()).toarray(), dtype=np.float64)


def _noisy(words: Real, n_topics: int, share: float, rng: Rng) -> Real:
    """Every column times noise and then a distribution, in place, some rows at a time."""
    real = words.dtype.type
    for begin in range(0, len(words) if share > 0 else 0, blocks.WORDS):
        rows = words[begin : begin + blocks.WORDS, :n_topics]
        rows *= real(1 - share) + real(share) * rng.standard_exponential(rows.shape).astype(real)
    total = words.sum(axis=0, dtype=np.float64)
    words /= np.where(total > 0, total, 1).astype(real)
    return words


def assemble(
    counts: Counts, word_topic: Real, gate: Gate, doc_start: Real, state: Codes | None
) -> Parameters:
    """Parameters of padded P(w|z), and P(z|d) the row of `doc_start` of the state."""
    documents = padded_zeros(counts.n_documents, word_topic.shape[1], counts.dtype)
    documents[:] = doc_start[0] if state is None else doc_start[state]
    return Parameters(documents, word_topic, gate)


def with_random_topics(parameters: Parameters, rng: Rng) -> Parameters:
    """The same arrays with P(z|d) drawn evenly from all distributions over the topics that are not zero."""
    for begin in range(0, len(parameters.doc_topic), blocks.WORDS):
        rows = parameters.doc_topic[begin : begin + blocks.WORDS]
        rows[:] = np.where(rows > 0, rng.standard_exponential(rows.shape), 0)
        rows /= rows.sum(axis=1, keepdims=True)
    return parameters
