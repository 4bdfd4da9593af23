"""The kernels against dense NumPy, and what they promise: bits, conservation, clean errors."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise

import drawing
import numpy as np
import pytest
import reference
from helpers import assert_same_bits, needs_threads
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.preprocessing import normalize

from plsa import _kernels
from plsa.engine.parameters import padded, padded_width
from plsa.engine.steps import Counts, GatedSteps, fold_in
from plsa.engine.threads import effective_threads

LEVELS = _kernels.runnable_levels()
THREADS = (1, 2, 3, 8)
DOCUMENT_BLOCK = 64  # documents handed to a thread at a time, in _em.pyx
STRETCH = 256  # nonzeros whose logarithms are taken together, in loops.c
COLUMN_BLOCK = 2048  # words whose column sums are added up first, in _em.pyx

types = pytest.mark.parametrize(("real", "index"), drawing.TYPE_PAIRS, ids=drawing.TYPE_NAMES)
reals = pytest.mark.parametrize("real", drawing.REALS, ids=lambda real: np.dtype(real).name)

# Relative error of a kernel's sum: some roundings for every term.
RELATIVE = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-12}
LOGARITHM = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-14}
# Of many logarithms together: rounding goes up as often as down, but a wrong coefficient always one way.
LOGARITHM_BIAS = {np.dtype(np.float32): 3e-9, np.dtype(np.float64): 2e-18}


@dataclass(frozen=True)
class Found:
    """What `_kernels.expect` wrote, padding cut off."""

    ratio: np.ndarray
    doc: np.ndarray
    word: np.ndarray
    state: np.ndarray
    log_likelihood: np.ndarray
    log_prior: np.ndarray | None
    impossible: np.ndarray


def frozen(array):
    """The array, made read-only."""
    if array is not None:
        array.flags.writeable = False
    return array


def word_bounds(n_words, n_parts):
    """First words of `n_parts` ranges of about as many words, and the number of words."""
    return [n_words * part // n_parts for part in range(n_parts + 1)]


def corpus_of(X, weight=None, n_parts=1):
    return _kernels.Corpus(
        frozen(X.indptr.astype(np.int64)),
        frozen(X.indices),
        frozen(X.data),
        X.shape[1],
        frozen(weight),
        word_bounds(X.shape[1], n_parts),
    )


def expect(problem, n_threads=1, level=None, n_parts=None):
    """`_kernels.expect` on a problem; inputs are read-only, outputs begin as NaN or junk."""
    X, real, n_topics = problem.X, problem.real, problem.n_topics
    n_documents, n_words = X.shape
    n_states = len(problem.gate)
    width = padded_width(n_topics, real)
    corpus = corpus_of(X, problem.weight, n_parts or n_threads)
    assert corpus.n_parts == (n_parts or n_threads)

    def junk(*shape, dtype=real):
        return np.full(shape, -77 if dtype == np.int32 else np.nan, dtype=dtype)

    ratio = junk(X.nnz)
    doc, word = junk(n_documents, width), junk(n_words, width)
    state = junk(n_states, width, dtype=np.float64)
    log_likelihood = junk(n_documents, dtype=np.float64)
    prior = problem.prior
    log_prior = None if prior is None else junk(n_documents, dtype=np.float64)
    impossible = junk(n_documents, dtype=np.int32)
    if level is not None:
        _kernels.use_level(level)
    _kernels.expect(
        corpus,
        frozen(problem.state),
        frozen(padded(problem.gate, real)),
        None if prior is None else frozen(padded(prior, real)),
        frozen(padded(problem.doc_topic, real)),
        frozen(padded(problem.word_topic, real)),
        ratio,
        doc,
        word,
        state,
        log_likelihood,
        log_prior,
        impossible,
        n_threads,
    )
    for rows in (doc, word, state):
        assert not rows[:, n_topics:].any(), "padding must stay zero"
    return Found(
        ratio,
        doc[:, :n_topics],
        word[:, :n_topics],
        state[:, :n_topics],
        log_likelihood,
        log_prior,
        impossible,
    )


@dataclass(frozen=True)
class FoundFold:
    """What `_kernels.fold` wrote, padding cut off."""

    doc_topic: np.ndarray
    log_likelihood: np.ndarray
    rounds: np.ndarray
    impossible: np.ndarray


def fold(problem, max_rounds, tolerance, n_threads=1, level=None):
    """`_kernels.fold` on a problem, started from its P(z|d)."""
    real, n_topics = problem.real, problem.n_topics
    n_documents = problem.X.shape[0]
    topic = padded(problem.doc_topic, real)
    log_likelihood = np.full(n_documents, np.nan)
    rounds = np.full(n_documents, -77, dtype=np.int32)
    impossible = np.full(n_documents, -77, dtype=np.int32)
    if level is not None:
        _kernels.use_level(level)
    _kernels.fold(
        corpus_of(problem.X),
        frozen(problem.state),
        frozen(padded(problem.gate, real)),
        None if problem.prior is None else frozen(padded(problem.prior, real)),
        frozen(padded(problem.word_topic, real)),
        topic,
        log_likelihood,
        rounds,
        impossible,
        max_rounds,
        tolerance,
        n_threads,
    )
    assert not topic[:, n_topics:].any(), "padding must stay zero"
    return FoundFold(topic[:, :n_topics], log_likelihood, rounds, impossible)


def assert_close(found, wanted, real, scale=1.0, err_msg=""):
    """Equal up to rounding in `real`, of each entry or of `scale`."""
    relative = RELATIVE[np.dtype(real)]
    assert_allclose(found, wanted, rtol=relative, atol=relative * 1e-3 * scale, err_msg=err_msg)


def assert_close_logs(found, wanted, counts, real):
    """Sums of n log p, equal but for the rounding of p and of its logarithm."""
    relative = RELATIVE[np.dtype(real)]
    assert_allclose(found, wanted, rtol=relative, atol=relative * (1 + counts))


def assert_equals_reference(found, problem):
    X = problem.X.toarray()
    wanted = reference.expect(*problem.for_reference())
    assert_array_equal(found.impossible, wanted.impossible)
    assert_close(found.doc, wanted.doc, problem.real)
    assert_close(found.word, wanted.word, problem.real)
    assert_close(found.state, wanted.state, problem.real)
    assert_close_logs(found.log_likelihood, wanted.log_likelihood, X.sum(axis=1).max(), problem.real)
    if problem.prior is not None:
        assert_close_logs(found.log_prior, wanted.log_prior, problem.prior.sum(), problem.real)


@cache
def large_problem(real, n_topics, index=np.int32):
    """More blocks of documents than threads, and documents of more than one stretch of nonzeros."""
    rng = np.random.default_rng(5)
    lengths = rng.integers(0, 12, max(THREADS) * DOCUMENT_BLOCK + 37)
    lengths[[3, 77, 400, 548]] = 300, 513, 256, 257
    return drawing.random_problem(lengths, 700, n_topics, real, index)


# --- expect: the mathematics ---------------------------------------------------------------------


@types
@given(data=st.data())
def test_expect_is_the_reference(real, index, data):
    """On every instruction set, with any number of threads: their bits are the same."""
    problem = data.draw(drawing.problems(real, index))
    first = expect(problem, 1, LEVELS[0])
    assert_equals_reference(first, problem)
    for level in LEVELS[1:]:
        assert_same_bits(first, expect(problem, 1, level))
    for n_threads in (2, 3, 8):
        assert_same_bits(first, expect(problem, n_threads))


@types
@pytest.mark.parametrize("level", LEVELS)
def test_expect_is_the_reference_for_every_number_of_topics(real, index, level):
    for n_topics in drawing.topic_numbers(real):
        problem = drawing.random_problem([5, 0, 12, 3], 17, n_topics, real, index, seed=n_topics)
        assert_equals_reference(expect(problem, 2, level), problem)


@types
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("units", [1, 3, 8, 9, 10])
def test_documents_of_every_length(real, index, level, units):
    """Rows of every length mod 8, about one stretch of nonzeros, about two, and more."""
    lengths = [*range(18), *range(STRETCH - 1, STRETCH + 10), *range(2 * STRETCH - 1, 2 * STRETCH + 2)]
    problem = drawing.random_problem([*lengths, 700], 700, units * drawing.padding_unit(real), real, index)
    assert_equals_reference(expect(problem, 1, level), problem)


@types
@given(data=st.data())
def test_counts_are_conserved(real, index, data):
    """Every possible count is dealt out among the topics, once on each side."""
    problem = data.draw(drawing.problems(real, index))
    found = expect(problem)
    X = problem.X.toarray().astype(np.float64)
    p = (problem.doc_topic * problem.gate[0 if problem.state is None else problem.state]).astype(
        np.float64
    ) @ problem.word_topic.T.astype(np.float64)
    X[p == 0] = 0
    weight = np.ones(len(X)) if problem.weight is None else problem.weight.astype(np.float64)
    weighted = weight[:, np.newaxis] * X
    assert_close(found.doc.sum(axis=1, dtype=np.float64), X.sum(axis=1), real)
    assert_close(found.word.sum(axis=1, dtype=np.float64), weighted.sum(axis=0), real)
    state = np.zeros(len(X), dtype=int) if problem.state is None else problem.state
    of_state = np.bincount(state, weighted.sum(axis=1), len(problem.gate))
    assert_close(found.state.sum(axis=1), of_state, real)
    assert_close(found.word.sum(axis=0, dtype=np.float64), found.state.sum(axis=0), real)


@reals
def test_outcomes_have_the_value_worked_out_by_hand(real):
    """Two topics, theta = (3/4, 1/4), phi[w] = (1/2, 1/4): p = 7/16, six sevenths go to the first."""
    problem = drawing.Problem(
        X=sparse.csr_array(np.array([[7, 0]], dtype=real)),
        weight=np.array([2], dtype=real),
        state=None,
        gate=np.ones((1, 2), dtype=real),
        prior=np.array([[1, 0]], dtype=real),
        fallback=np.full((1, 2), 0.5, dtype=real),
        doc_topic=np.array([[0.75, 0.25]], dtype=real),
        word_topic=np.array([[0.5, 0.25], [0.5, 0.75]], dtype=real),
    )
    found = expect(problem)
    assert_close(found.ratio, [16], real)
    assert_close(found.doc, [[6, 1]], real)
    assert_close(found.word, [[12, 2], [0, 0]], real)
    assert_close(found.state, [[12, 2]], real)
    assert_close(found.log_likelihood, [7 * np.log(7 / 16)], real)
    assert_close(found.log_prior, [np.log(3 / 4)], real)
    assert_array_equal(found.impossible, [0])


# --- expect: same bits ---------------------------------------------------------------------------


@needs_threads
@types
@pytest.mark.parametrize("units", [1, 5, 9])
def test_same_bits_for_any_number_of_threads(real, index, units):
    problem = large_problem(real, units * drawing.padding_unit(real) - 1, index)
    one = expect(problem, 1)
    for n_threads in THREADS[1:]:
        assert problem.X.shape[0] > DOCUMENT_BLOCK * n_threads
        assert corpus_of(problem.X, problem.weight, n_threads).n_parts == n_threads > 1
        assert_same_bits(one, expect(problem, n_threads))
        assert_same_bits(one, expect(problem, n_threads, n_parts=2 * n_threads + 1))
        assert_same_bits(one, expect(problem, 1, n_parts=n_threads))


@types
@pytest.mark.parametrize("units", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
def test_same_bits_for_every_instruction_set(real, index, units):
    problem = large_problem(real, units * drawing.padding_unit(real) - 1, index)
    first = expect(problem, 2, LEVELS[0])
    for level in LEVELS[1:]:
        assert_same_bits(first, expect(problem, 2, level))


@reals
def test_same_bits_for_32_and_64_bit_indices(real):
    assert_same_bits(expect(large_problem(real, 13, np.int32)), expect(large_problem(real, 13, np.int64)))


# --- expect: what changes the answer, and how ----------------------------------------------------


@reals
@given(data=st.data())
def test_permuting_documents_permutes_the_answer(real, data):
    problem = data.draw(drawing.problems(real))
    n_documents = problem.X.shape[0]
    order = np.array(data.draw(st.permutations(range(n_documents))))
    moved = problem.replace(
        X=problem.X[order],
        weight=None if problem.weight is None else problem.weight[order],
        state=None if problem.state is None else problem.state[order],
        doc_topic=problem.doc_topic[order],
    )
    before, after = expect(problem), expect(moved)
    assert_array_equal(after.doc, before.doc[order])
    assert_array_equal(after.log_likelihood, before.log_likelihood[order])
    assert_array_equal(after.impossible, before.impossible[order])
    assert_close(after.word, before.word, real)
    assert_close(after.state, before.state, real)


@reals
@given(data=st.data())
def test_permuting_words_permutes_the_answer(real, data):
    problem = data.draw(drawing.problems(real))
    order = np.array(data.draw(st.permutations(range(problem.X.shape[1]))))
    X = problem.X[:, order]
    X.sort_indices()
    before = expect(problem)
    after = expect(problem.replace(X=X, word_topic=problem.word_topic[order]))
    assert_close(after.doc, before.doc, real)
    assert_close(after.word, before.word[order], real)
    assert_close(after.state, before.state, real)
    assert_close_logs(after.log_likelihood, before.log_likelihood, problem.X.sum(), real)
    assert_array_equal(after.impossible, before.impossible)


@reals
@given(data=st.data())
def test_permuting_topics_permutes_the_answer(real, data):
    problem = data.draw(drawing.problems(real))
    order = np.array(data.draw(st.permutations(range(problem.n_topics))))
    before = expect(problem)
    after = expect(
        problem.replace(
            gate=problem.gate[:, order],
            prior=None if problem.prior is None else problem.prior[:, order],
            doc_topic=problem.doc_topic[:, order],
            word_topic=problem.word_topic[:, order],
        )
    )
    assert_close(after.doc, before.doc[:, order], real)
    assert_close(after.word, before.word[:, order], real)
    assert_close(after.state, before.state[:, order], real)
    assert_close_logs(after.log_likelihood, before.log_likelihood, problem.X.sum(), real)
    assert_array_equal(after.impossible, before.impossible)


@reals
@given(data=st.data())
def test_weight_is_repetition(real, data):
    """A document of weight 2 is the document twice, one of weight 0 gives nothing to others."""
    problem = data.draw(drawing.problems(real))
    n_documents = problem.X.shape[0]
    times = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n_documents, max_size=n_documents)))
    repeated = np.repeat(np.arange(n_documents), times)
    weighted = expect(problem.replace(weight=times.astype(real)))
    plain = expect(
        problem.replace(
            X=sparse.csr_array(problem.X[repeated]),
            weight=None,
            state=None if problem.state is None else problem.state[repeated],
            doc_topic=problem.doc_topic[repeated],
        )
    )
    assert_array_equal(plain.doc, weighted.doc[repeated])
    assert_array_equal(plain.log_likelihood, weighted.log_likelihood[repeated])
    assert_close(weighted.word, plain.word, real)
    assert_close(weighted.state, plain.state, real)
    unweighted = expect(problem.replace(weight=None))
    assert_same_bits(unweighted, expect(problem.replace(weight=np.ones(n_documents, dtype=real))))
    assert_array_equal(unweighted.doc, weighted.doc)


@reals
@given(data=st.data())
def test_explicit_zeros_change_nothing(real, data):
    problem = data.draw(drawing.problems(real))
    without = problem.X.copy()
    without.eliminate_zeros()
    stored = sparse.csr_array(np.ones(problem.X.shape, dtype=real))
    stored.data[:] = problem.X.toarray().ravel()
    wanted = expect(problem.replace(X=without))
    for X in (problem.X, stored):
        found = expect(problem.replace(X=X))
        assert_array_equal(found.doc, wanted.doc)
        assert_array_equal(found.word, wanted.word)
        assert_array_equal(found.state, wanted.state)
        assert_array_equal(found.impossible, wanted.impossible)
        assert_close_logs(found.log_likelihood, wanted.log_likelihood, X.sum(), real)


@reals
@given(data=st.data())
def test_empty_documents_and_words_change_nothing(real, data):
    problem = data.draw(drawing.problems(real))
    n_documents, n_words = problem.X.shape
    n_topics = problem.n_topics
    X = sparse.csr_array((n_documents + 2, n_words + 2), dtype=real)
    X.data, X.indices = problem.X.data, problem.X.indices + 1
    X.indptr = np.concatenate([[0], problem.X.indptr, problem.X.indptr[-1:]])
    edge = np.full((1, n_topics), 1 / n_topics, dtype=real)
    before = expect(problem)
    after = expect(
        problem.replace(
            X=X,
            weight=None if problem.weight is None else np.pad(problem.weight, 1, constant_values=2),
            state=None if problem.state is None else np.pad(problem.state, 1),
            doc_topic=np.concatenate([edge, problem.doc_topic, edge]),
            word_topic=np.concatenate([edge, problem.word_topic, edge]),
        )
    )
    assert_array_equal(after.doc[1:-1], before.doc)
    assert_array_equal(after.word[1:-1], before.word)
    assert_array_equal(after.state, before.state)
    assert_array_equal(after.log_likelihood[1:-1], before.log_likelihood)
    for rows in (after.doc, after.word, after.log_likelihood, after.impossible):
        assert not rows[[0, -1]].any()


@reals
@given(data=st.data())
def test_scaling_the_counts_scales_the_answer(real, data):
    problem = data.draw(drawing.problems(real))
    before = expect(problem)
    twice = expect(problem.replace(X=problem.X * real(2)))
    for name in ("ratio", "doc", "word", "state", "log_likelihood"):
        assert_array_equal(getattr(twice, name), 2 * getattr(before, name), err_msg=name)
    thrice = expect(problem.replace(X=problem.X * real(3)))
    assert_close(thrice.doc, 3 * before.doc, real)
    assert_close_logs(thrice.log_likelihood, 3 * before.log_likelihood, 3 * problem.X.sum(), real)


@types
@given(data=st.data())
def test_statistics_add_over_documents(real, index, data):
    """Two halves give the statistics of the whole: a cluster, or work out of core, is this sum."""
    problem = data.draw(drawing.problems(real, index))
    cut = data.draw(st.integers(0, problem.X.shape[0]))
    halves = [
        expect(
            problem.replace(
                X=problem.X[half],
                weight=None if problem.weight is None else problem.weight[half],
                state=None if problem.state is None else problem.state[half],
                doc_topic=problem.doc_topic[half],
            )
        )
        for half in (slice(0, cut), slice(cut, None))
    ]
    whole = expect(problem)
    assert_array_equal(np.concatenate([half.doc for half in halves]), whole.doc)
    assert_array_equal(np.concatenate([half.log_likelihood for half in halves]), whole.log_likelihood)
    assert_close(halves[0].state + halves[1].state, whole.state, real)
    assert_close(halves[0].word + halves[1].word, whole.word, real)


# --- expect: the inputs --------------------------------------------------------------------------


def arguments(problem, copy=lambda name, array: array):
    """The inputs of `_kernels.expect` by name, each gone through `copy`."""
    real = problem.real
    inputs = {
        "offset": problem.X.indptr.astype(np.int64),
        "word": problem.X.indices,
        "count": problem.X.data,
        "weight": problem.weight,
        "state": problem.state,
        "gate": padded(problem.gate, real),
        "prior": None if problem.prior is None else padded(problem.prior, real),
        "doc_topic": padded(problem.doc_topic, real),
        "word_topic": padded(problem.word_topic, real),
    }
    return {name: None if x is None else copy(name, x) for name, x in inputs.items()}


def outputs(problem):
    """The outputs of `_kernels.expect` by name."""
    n_documents, n_words = problem.X.shape
    real, n_states = problem.real, len(problem.gate)
    width = padded_width(problem.n_topics, real)
    return {
        "ratio": np.empty(problem.X.nnz, dtype=real),
        "doc_count": np.empty((n_documents, width), dtype=real),
        "word_count": np.empty((n_words, width), dtype=real),
        "state_count": np.empty((n_states, width)),
        "log_likelihood": np.empty(n_documents),
        "log_prior": None if problem.prior is None else np.empty(n_documents),
        "impossible": np.empty(n_documents, dtype=np.int32),
    }


def call_expect(given, written, n_words, n_threads=2):
    """`_kernels.expect` of named inputs and outputs."""
    given = dict(given)
    corpus = _kernels.Corpus(
        given.pop("offset"),
        given.pop("word"),
        given.pop("count"),
        n_words,
        given.pop("weight"),
        word_bounds(n_words, n_threads),
    )
    _kernels.expect(corpus, *given.values(), *written.values(), n_threads)
    return written


@types
@given(data=st.data())
def test_inputs_are_not_written_to(real, index, data):
    """They are read-only in every test of this file; here their bits are looked at as well."""
    problem = data.draw(drawing.problems(real, index))
    n_documents, n_words = problem.X.shape
    width = padded_width(problem.n_topics, real)
    inputs = arguments(problem) | {"fallback": padded(problem.fallback, real)}
    before = {name: None if x is None else frozen(x).tobytes() for name, x in inputs.items()}
    fallback = inputs.pop("fallback")
    written = call_expect(inputs, outputs(problem), n_words)
    state, gate, prior, _, word_topic = list(inputs.values())[4:]
    _kernels.fold(
        corpus_of(problem.X),
        state,
        gate,
        prior,
        word_topic,
        inputs["doc_topic"].copy(),
        np.empty(n_documents),
        np.empty(n_documents, dtype=np.int32),
        np.empty(n_documents, dtype=np.int32),
        3,
        1e-3,
        2,
    )
    _kernels.normalize_rows(written["doc_count"], prior, fallback, state, 2)
    _kernels.normalize_columns(written["word_count"], word_topic, 0.1, problem.n_topics, 2)
    _kernels.sum_logs(word_topic, frozen(np.ones(width, dtype=real)))
    for name, x in (inputs | {"fallback": fallback}).items():
        assert before[name] == (None if x is None else x.tobytes()), name


@types
@pytest.mark.parametrize("n_topics", [5, 75])
def test_memory_maps_and_odd_addresses_are_read(real, index, n_topics, tmp_path):
    problem = drawing.random_problem(np.arange(150) % 23, 40, n_topics, real, index)
    n_words = problem.X.shape[1]
    wanted = call_expect(arguments(problem), outputs(problem), n_words)

    def on_disk(name, array):
        array.tofile(tmp_path / name)
        mapped = np.memmap(tmp_path / name, dtype=array.dtype, mode="r", shape=array.shape)
        assert not mapped.flags.writeable
        return mapped

    def one_element_further(name, array):
        room = np.empty(array.size + 64 + 1, dtype=array.dtype)
        skip = -room.ctypes.data % 64 // array.itemsize + 1
        moved = room[skip : skip + array.size].reshape(array.shape)
        moved[:] = array
        assert moved.ctypes.data % 64 == array.itemsize
        return frozen(moved)

    for copy in (on_disk, one_element_further):
        found = call_expect(arguments(problem, copy), outputs(problem), n_words)
        for name, array in wanted.items():
            assert array.tobytes() == found[name].tobytes(), name


def single_word(real, p, n):
    """One topic, a document for each (p, n): p(w, d) is p, and n is the count."""
    n_documents = len(p)
    return drawing.Problem(
        X=sparse.csr_array(
            (np.asarray(n, dtype=real), (np.arange(n_documents), np.arange(n_documents))),
            shape=(n_documents, n_documents),
        ),
        weight=None,
        state=None,
        gate=np.ones((1, 1), dtype=real),
        prior=None,
        fallback=np.ones((1, 1), dtype=real),
        doc_topic=np.ones((n_documents, 1), dtype=real),
        word_topic=np.asarray(p, dtype=real).reshape(-1, 1),
    )


@reals
@pytest.mark.parametrize("level", LEVELS)
def test_probability_zero_is_counted_and_takes_no_part(real, level):
    tiny = float(np.finfo(real).tiny)
    largest = reference.LARGEST_RATIO[np.dtype(real)]
    cases = [  # p, n, whether it takes part
        (0, 1, False),
        (0, 1e9, False),
        (0, 0, True),  # no count: nothing impossible about it
        (tiny / 4, tiny, False),  # below the smallest normal number
        (tiny, tiny, True),
        (1 / largest, 1, True),  # n / p just fits
        (1 / largest, 1.0001, False),  # and just does not
        (tiny, 1, False),
        (tiny, 1e9, False),
        (1, 1e9, True),
        (0.5, 1, True),
    ]
    problem = single_word(real, [p for p, _, _ in cases], [n for _, n, _ in cases])
    wanted = [int(not takes_part) for _, _, takes_part in cases]
    for n_threads in (1, 2):
        found = expect(problem, n_threads, level)
        assert_array_equal(found.impossible, wanted)
        assert_equals_reference(found, problem)
        for field in fields(found):
            values = getattr(found, field.name)
            assert values is None or np.isfinite(values).all(), field.name
        assert_array_equal(found.doc[np.array(wanted) == 1], 0)
        folded = fold(problem, 5, 0.0, n_threads, level)
        assert_array_equal(folded.impossible, wanted)
        assert_array_equal(folded.doc_topic, 1)
        assert np.isfinite(folded.log_likelihood).all()


@types
@given(data=st.data())
def test_impossible_words_are_counted_never_nan(real, index, data):
    """Parameters full of zeros: topics of few words, gates that shut topics out."""
    problem = data.draw(drawing.problems(real, index))
    keep_word = data.draw(st.integers(0, 3))
    word_topic = problem.word_topic.copy()
    word_topic[keep_word:] = 0
    problem = problem.replace(word_topic=word_topic)
    found = expect(problem, 2)
    assert_equals_reference(found, problem)
    for field in fields(found):
        values = getattr(found, field.name)
        assert values is None or np.isfinite(values).all(), field.name
    beyond = problem.X[:, keep_word:]
    assert_array_equal(found.impossible >= (beyond > 0).sum(axis=1), True)
    assert not found.word[keep_word:].any()


# --- logarithms ----------------------------------------------------------------------------------


def all_magnitudes(real):
    """Positive normal numbers of every size, more of them where a logarithm is hard."""
    limits = np.finfo(real)
    spread = np.exp(np.linspace(np.log(limits.tiny) + 1e-3, np.log(limits.max) - 1e-3, 4001))
    powers = np.ldexp(1.0, np.arange(limits.minexp + 1, limits.maxexp - 1))
    near_one = 1 + np.concatenate([-np.geomspace(1e-18, 0.5, 500), np.geomspace(1e-18, 1, 500)])
    x = np.concatenate([spread, powers, powers * np.sqrt(0.5), near_one]).astype(real)
    x = np.concatenate([x, np.nextafter(x, real(0)), np.nextafter(x, limits.max)])
    return np.unique(x[(x >= limits.tiny) & np.isfinite(x)])


@reals
@pytest.mark.parametrize("level", LEVELS)
def test_logarithms_are_right_over_the_whole_range(real, level):
    x = all_magnitudes(real)
    wanted = np.log(x.astype(np.float64))
    tolerance = LOGARITHM[np.dtype(real)]
    _kernels.use_level(level)
    rows = np.ones((len(x), 1, padded_width(1, real)), dtype=real)
    rows[:, 0, 0] = x
    for at in range(rows.shape[2]):  # in every lane of the vectors
        weight = np.zeros(rows.shape[2], dtype=real)
        weight[at] = 1
        found = np.array([_kernels.sum_logs(np.roll(row, at, axis=1), weight) for row in rows[at::8]])
        assert_allclose(found, wanted[at::8], rtol=tolerance, atol=0)

    # Through the likelihood a power of two as the count keeps n / p from overflowing.
    n = np.where(x < 1e-20, np.finfo(real).tiny * 8, 1).astype(real)
    found = expect(single_word(real, x[::7], n[::7]), 1, level)
    assert not found.impossible.any()
    assert_allclose(found.log_likelihood / n[::7].astype(float), wanted[::7], rtol=tolerance, atol=0)


@reals
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="nothing here is more exact than float64")
def test_logarithms_are_right_on_average(real):
    """Where the series has most to do, at the ends of [sqrt 1/2, sqrt 2): to its last coefficient."""
    row, weight = np.ones((2, 1, padded_width(1, real)), dtype=real)
    weight[0, 1:] = 0

    def logarithm(x):
        row[0, 0] = x
        return _kernels.sum_logs(row, weight[0])

    for begin, end in ((0.7072, 0.715), (1.4, 1.4141)):
        x = np.linspace(begin, end, 40_000).astype(real)
        wanted = np.log(x.astype(np.longdouble))
        found = np.array([logarithm(each) for each in x])
        assert abs(np.mean((found - wanted) / wanted)) < LOGARITHM_BIAS[np.dtype(real)]


@reals
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_topics", [1, 4, 5, 8, 12, 33, 64, 65])
def test_sum_logs_is_the_sum_of_logs(real, level, n_topics):
    rng = np.random.default_rng(n_topics)
    rows = rng.uniform(0.001, 1, size=(37, n_topics)).astype(real)
    rows[3, 0] = 0  # counts as the smallest normal number
    rows[5, -1] = np.finfo(real).tiny / 2
    weight = rng.uniform(size=n_topics).astype(real)
    _kernels.use_level(level)
    found = _kernels.sum_logs(padded(rows, real), padded(weight[np.newaxis], real)[0])
    wanted = (weight.astype(np.float64) * reference.safe_log(rows.astype(np.float64), real)).sum()
    assert_allclose(found, wanted, rtol=LOGARITHM[np.dtype(real)])
    assert _kernels.sum_logs(padded(rows[:0], real), padded(weight[np.newaxis], real)[0]) == 0


# --- fold ----------------------------------------------------------------------------------------


@types
@given(data=st.data())
def test_fold_is_the_reference(real, index, data):
    problem = data.draw(drawing.problems(real, index, max_documents=4))
    X, _, state, gate, prior, start, word_topic = problem.for_reference()
    for max_rounds in (0, 1, 4):
        # A tolerance below zero: no document settles, whatever the rounding.
        wanted = reference.fold(X, state, gate, prior, word_topic, start, max_rounds, -1)
        found = fold(problem, max_rounds, -1, 1, LEVELS[0])
        assert_array_equal(found.rounds, wanted.rounds)
        assert_array_equal(found.impossible, wanted.impossible)
        assert_close(found.doc_topic, wanted.doc_topic, real, scale=10)
        assert_close_logs(found.log_likelihood, wanted.log_likelihood, X.sum(), real)
        for level in LEVELS:
            assert_same_bits(found, fold(problem, max_rounds, -1, 2, level))


@reals
@given(data=st.data())
def test_fold_makes_the_same_update_as_a_pass(real, data):
    """One round is one pass of `expect` and `normalize_rows`, bit for bit."""
    problem = data.draw(drawing.problems(real))
    prior = None if problem.prior is None else padded(problem.prior, real)
    # Where there is nothing to learn from, fold keeps the start: here the same for a whole state.
    start = problem.fallback[0 if problem.state is None else problem.state]
    problem = problem.replace(doc_topic=np.ascontiguousarray(np.broadcast_to(start, problem.doc_topic.shape)))
    rows = padded(expect(problem).doc, real)
    _kernels.normalize_rows(rows, prior, padded(problem.fallback, real), problem.state, 1)
    found = fold(problem, 1, -1)
    assert_array_equal(found.doc_topic, rows[:, : problem.n_topics])


@needs_threads
@reals
@pytest.mark.parametrize("units", [1, 5, 9])
def test_fold_gives_the_same_bits_in_any_batch(real, units):
    problem = large_problem(real, units * drawing.padding_unit(real) - 1)
    n_documents = problem.X.shape[0]
    whole = fold(problem, 30, 1e-3)
    assert len(np.unique(whole.rounds)) > 3, "documents should stop at different rounds"
    for n_threads in THREADS[1:]:
        assert n_documents > DOCUMENT_BLOCK * n_threads
        for level in LEVELS:
            assert_same_bits(whole, fold(problem, 30, 1e-3, n_threads, level))

    def part(which):
        return fold(
            problem.replace(
                X=problem.X[which], state=problem.state[which], doc_topic=problem.doc_topic[which]
            ),
            30,
            1e-3,
        )

    order = np.random.default_rng(0).permutation(n_documents)
    assert_array_equal(part(order).doc_topic, whole.doc_topic[order])
    for d in (0, 3, 77, n_documents - 1):
        alone = part([d])
        assert_array_equal(alone.doc_topic[0], whole.doc_topic[d])
        assert alone.log_likelihood[0] == whole.log_likelihood[d]
        assert alone.rounds[0] == whole.rounds[d]


@reals
def test_fold_stops_each_document_when_it_has_settled(real):
    problem = large_problem(real, 7)
    tolerance = 1e-2
    settled = fold(problem, 200, tolerance)
    assert settled.rounds.max() < 200
    states = [problem.doc_topic] + [fold(problem, n, -1).doc_topic for n in range(1, 201)]
    moved = np.array([np.abs(b - a).max(axis=1) for a, b in pairwise(states)])
    for d in range(problem.X.shape[0]):
        rounds = settled.rounds[d]
        assert_array_equal(settled.doc_topic[d], states[rounds][d])
        assert moved[rounds - 1, d] <= tolerance
        assert (moved[: rounds - 1, d] > tolerance).all()


@reals
@pytest.mark.parametrize("n_topics", [3, 70])
def test_fold_leaves_documents_without_words_at_their_start(real, n_topics):
    problem = drawing.random_problem([0, 4, 0], 9, n_topics, real)
    problem = problem.replace(prior=None)
    found = fold(problem, 50, 0.0)
    assert_array_equal(found.doc_topic[[0, 2]], problem.doc_topic[[0, 2]])
    assert_array_equal(found.rounds[[0, 2]], 0)
    assert_array_equal(found.log_likelihood[[0, 2]], 0)
    assert np.abs(found.doc_topic[1] - problem.doc_topic[1]).max() > 0.01

    nothing_possible = problem.replace(word_topic=np.zeros_like(problem.word_topic))
    found = fold(nothing_possible, 50, 0.0)
    assert_array_equal(found.doc_topic, problem.doc_topic)
    assert_array_equal(found.impossible, [0, 4, 0])
    n_words = problem.X.sum(axis=1)
    smallest = np.log(float(np.finfo(real).tiny))  # what an impossible word counts as
    assert_allclose(found.log_likelihood, n_words * smallest, rtol=1e-6)


@reals
@given(data=st.data())
def test_no_rounds_is_the_likelihood_of_the_start(real, data):
    problem = data.draw(drawing.problems(real))
    found, expected = fold(problem, 0, 0.0), expect(problem)
    assert_array_equal(found.doc_topic, problem.doc_topic)
    assert_array_equal(found.rounds, 0)
    assert_array_equal(found.log_likelihood, expected.log_likelihood)
    assert_array_equal(found.impossible, expected.impossible)


@pytest.mark.parametrize("with_prior", [False, True])
def test_fold_of_a_training_document_at_a_fixed_point_gives_its_topics(with_prior):
    problem = drawing.random_problem([8] * 12, 20, 3, np.float64, seed=1, n_states=2)
    if not with_prior:
        problem = problem.replace(prior=None)
    start = problem.doc_topic
    for _ in range(3000):
        found = expect(problem)
        doc, word = padded(found.doc, float), padded(found.word, float)
        prior = None if problem.prior is None else padded(problem.prior, float)
        _kernels.normalize_rows(doc, prior, padded(problem.fallback, float), problem.state, 1)
        _kernels.normalize_columns(word, padded(problem.word_topic, float), 0.1, 3, 1)
        problem = problem.replace(doc_topic=doc[:, :3].copy(), word_topic=word[:, :3].copy())
    again = fold(problem, 1, -1)
    assert_allclose(again.doc_topic, problem.doc_topic, atol=1e-8)
    # Given P(w|z) the problem of one document is concave: any inner start leads to the same place.
    elsewhere = fold(problem.replace(doc_topic=start), 20000, 1e-13)
    assert_allclose(elsewhere.doc_topic, problem.doc_topic, atol=1e-5)
    assert_allclose(elsewhere.log_likelihood, expect(problem).log_likelihood, rtol=1e-8)


# --- rows and columns become distributions -------------------------------------------------------


@reals
@given(data=st.data())
def test_normalize_rows_is_the_reference(real, data):
    problem = data.draw(drawing.problems(real))
    rows = np.float64(expect(problem).doc).astype(real)
    prior = None if problem.prior is None else padded(problem.prior, real)
    wanted = reference.normalize_rows(rows, problem.prior, problem.fallback, problem.state)
    first = None
    for level in LEVELS:
        for n_threads in (1, 2):
            _kernels.use_level(level)
            found = padded(rows, real)
            _kernels.normalize_rows(found, prior, padded(problem.fallback, real), problem.state, n_threads)
            assert_close(found[:, : problem.n_topics], wanted, real)
            assert not found[:, problem.n_topics :].any()
            first = found if first is None else first
            assert found.tobytes() == first.tobytes()


@reals
@given(data=st.data())
def test_normalize_columns_is_the_reference(real, data):
    problem = data.draw(drawing.problems(real))
    smoothing = data.draw(st.sampled_from([0.0, 0.01, 1.0, 1e9]))
    rows = expect(problem).word.copy()
    if data.draw(st.booleans()):
        rows[:, 0] = 0  # a topic that died
    wanted = reference.normalize_columns(rows, problem.word_topic, smoothing)
    first = None
    for level in LEVELS:
        for n_threads in (1, 2):
            _kernels.use_level(level)
            found = padded(rows, real)
            _kernels.normalize_columns(
                found, padded(problem.word_topic, real), smoothing, problem.n_topics, n_threads
            )
            assert_close(found[:, : problem.n_topics], wanted, real)
            assert not found[:, problem.n_topics :].any()
            first = found if first is None else first
            assert found.tobytes() == first.tobytes()


@needs_threads
@reals
def test_normalizing_many_rows_gives_the_same_bits(real):
    """More blocks, of documents and of words, than threads."""
    rng = np.random.default_rng(3)
    n_rows = COLUMN_BLOCK * max(THREADS) + 100
    assert n_rows > COLUMN_BLOCK * max(THREADS) > DOCUMENT_BLOCK * max(THREADS)
    rows = rng.uniform(size=(n_rows, 5)).astype(real)
    rows[7] = 0
    old = rng.uniform(size=(n_rows, 5)).astype(real)
    state = rng.integers(0, 2, n_rows).astype(np.int32)
    fallback = rng.dirichlet(np.ones(5), 2).astype(real)
    prior = np.array([[0] * 5, [1] * 5], dtype=real)
    by_row, by_column = [], []
    for n_threads in THREADS:
        for level in LEVELS:
            _kernels.use_level(level)
            by_row.append(padded(rows, real))
            _kernels.normalize_rows(by_row[-1], padded(prior, real), padded(fallback, real), state, n_threads)
            by_column.append(padded(rows, real))
            _kernels.normalize_columns(by_column[-1], padded(old, real), 0.5, 5, n_threads)
    assert_close(by_row[0][:, :5], reference.normalize_rows(rows, prior, fallback, state), real)
    assert_close(by_column[0][:, :5], reference.normalize_columns(rows, old, 0.5), real)
    for found in (by_row, by_column):
        assert len({array.tobytes() for array in found}) == 1


@pytest.mark.parametrize("smoothing", [1e-50, 1e-42, 1e-39])
@pytest.mark.parametrize("real", [np.float32])
def test_smoothing_too_small_for_the_type_is_no_smoothing(real, smoothing):
    """A topic without counts is then kept as it was: a distribution in any case, never NaN."""
    rows = np.zeros((4, 3), dtype=real)
    rows[:, 0] = 1
    old = np.full((4, 3), 0.25, dtype=real)
    found = padded(rows, real)
    _kernels.normalize_columns(found, padded(old, real), smoothing, 3, 1)
    assert_allclose(found[:, :3], 0.25)


# --- leaps ---------------------------------------------------------------------------------------


@reals
@given(data=st.data())
def test_leaps_are_the_reference(real, data):
    n_rows, n_topics = data.draw(st.integers(0, 5)), data.draw(st.sampled_from([1, 4, 5, 12, 65]))
    x0, x1, x2 = (data.draw(drawing.distributions(n_rows, n_topics, real)) for _ in range(3))
    weight = data.draw(st.none() | drawing.weights(n_rows, real))
    length = data.draw(st.sampled_from([1.0, 1.5, 4.0, 64.0]))
    wanted, squares = reference.leap(x0, x1, x2, weight, length, 0.1)
    first = None
    for level in LEVELS:
        _kernels.use_level(level)
        for n_threads in (1, 2):
            second, third = frozen(padded(x1, real)), frozen(padded(x2, real))
            moves = _kernels.sum_moves(frozen(padded(x0, real)), second, third, frozen(weight), n_threads)
            found = padded(x0, real)
            _kernels.leap(found, second, third, length, 0.1, n_threads)
            assert_close(moves, squares, real)
            # Far terms cancel: the error is one of theirs.
            assert_close(found[:, :n_topics], wanted, real, scale=1000 * length**2)
            assert not found[:, n_topics:].any()
            if length == 1:
                assert_array_equal(found[:, :n_topics], x2)
            first = (moves, found.tobytes()) if first is None else first
            assert (moves, found.tobytes()) == first


@needs_threads
@reals
def test_leaps_over_many_rows_give_the_same_bits(real):
    rng = np.random.default_rng(3)
    n_rows = COLUMN_BLOCK * max(THREADS) + 101
    x0, x1, x2 = (padded(rng.uniform(size=(n_rows, 5)), real) for _ in range(3))
    weight = rng.uniform(size=n_rows).astype(real)
    found = set()
    for n_threads in THREADS:
        for level in LEVELS:
            _kernels.use_level(level)
            end = x0.copy()
            moves = _kernels.sum_moves(x0, x1, x2, weight, n_threads)
            _kernels.leap(end, x1, x2, 3.0, 0.1, n_threads)
            found.add((moves, end.tobytes()))
    assert len(found) == 1
    wanted, squares = reference.leap(x0, x1, x2, weight, 3.0, 0.1)
    assert_close(moves, squares, real)
    assert_close(end, wanted, real, scale=1000)


# --- sums over the words of documents, and over the documents of words ---------------------------


def random_rows(n_rows, n_topics, real, seed=0):
    """Numbers of either sign and of every size."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n_rows, n_topics)) * 10 ** rng.uniform(-3, 3, (n_rows, n_topics))).astype(real)


def sums(kernel, problem, rows, n_threads=1, level=None, n_parts=None):
    """`_kernels.document_sums` or `word_sums`; inputs are read-only, the output begins as NaN."""
    n_documents, n_words = problem.X.shape
    real, n_topics = problem.real, rows.shape[1]
    n_sums = n_documents if kernel is _kernels.document_sums else n_words
    found = np.full((n_sums, padded_width(n_topics, real)), np.nan, dtype=real)
    corpus = corpus_of(problem.X, problem.weight, n_parts or n_threads)
    if level is not None:
        _kernels.use_level(level)
    kernel(corpus, frozen(padded(rows, real)), found, n_threads)
    assert not found[:, n_topics:].any(), "padding must stay zero"
    return found[:, :n_topics]


def document_sums(problem, rows, **how):
    """(D, K): X @ rows."""
    return sums(_kernels.document_sums, problem, rows, **how)


def word_sums(problem, rows, **how):
    """(W, K): X.T @ (weight * rows)."""
    return sums(_kernels.word_sums, problem, rows, **how)


def assert_are_the_products(problem, of_words, of_documents, **how):
    """Both sums are dense NumPy's, but for rounding of their terms."""
    X = problem.X.toarray().astype(np.float64)
    relative = RELATIVE[np.dtype(problem.real)]
    wanted, size = X @ of_words.astype(np.float64), X @ np.abs(of_words).astype(np.float64)
    assert np.all(np.abs(document_sums(problem, of_words, **how) - wanted) <= relative * size)
    weight = np.ones(len(X)) if problem.weight is None else problem.weight.astype(np.float64)
    weighted = weight[:, np.newaxis] * of_documents.astype(np.float64)
    assert np.all(
        np.abs(word_sums(problem, of_documents, **how) - X.T @ weighted)
        <= relative * (X.T @ np.abs(weighted))
    )


@types
@given(data=st.data())
def test_sums_are_the_dense_products(real, index, data):
    """Empty documents and words, stored zeros, weights of zero; any threads and parts: the same bits."""
    problem = data.draw(drawing.problems(real, index))
    n_documents, n_words = problem.X.shape
    of_words = random_rows(n_words, problem.n_topics, real)
    of_documents = random_rows(n_documents, problem.n_topics, real, seed=1)
    assert_are_the_products(problem, of_words, of_documents)
    by_document, by_word = document_sums(problem, of_words), word_sums(problem, of_documents)
    for level in LEVELS:
        for n_threads, n_parts in ((1, 1), (1, 3), (2, 2), (3, 7)):
            how = {"n_threads": n_threads, "level": level, "n_parts": n_parts}
            assert document_sums(problem, of_words, **how).tobytes() == by_document.tobytes()
            assert word_sums(problem, of_documents, **how).tobytes() == by_word.tobytes()


@types
@pytest.mark.parametrize("level", LEVELS)
def test_sums_of_every_number_of_topics(real, index, level):
    """In registers and beyond."""
    for n_topics in range(1, 71):
        problem = drawing.random_problem([5, 0, 12, 3], 17, 1, real, index, seed=n_topics)
        assert_are_the_products(
            problem,
            random_rows(17, n_topics, real, n_topics),
            random_rows(4, n_topics, real, n_topics + 1),
            level=level,
        )


@needs_threads
@types
@pytest.mark.parametrize("units", [1, 5, 8, 9])
def test_sums_of_many_documents_have_the_same_bits(real, index, units):
    """For every instruction set, number of threads and of parts."""
    n_topics = units * drawing.padding_unit(real) - 1
    problem = large_problem(real, n_topics, index)
    n_documents, n_words = problem.X.shape
    of_words, of_documents = random_rows(n_words, n_topics, real), random_rows(n_documents, n_topics, real)
    assert_are_the_products(problem, of_words, of_documents)
    found = set()
    for level in LEVELS:
        for n_threads in THREADS:
            for n_parts in (n_threads, 2 * n_threads + 1):
                how = {"n_threads": n_threads, "level": level, "n_parts": n_parts}
                by_document = document_sums(problem, of_words, **how)
                by_word = word_sums(problem, of_documents, **how)
                found.add((by_document.tobytes(), by_word.tobytes()))
    assert len(found) == 1


@reals
def test_sums_have_the_value_worked_out_by_hand(real):
    X = sparse.csr_array(np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]], dtype=real))
    problem = drawing.random_problem([1], 3, 1, real).replace(X=X, weight=np.array([1, 5, 2], dtype=real))
    rows = np.array([[1, -1], [10, 0], [100, 2]], dtype=real)
    assert_array_equal(document_sums(problem, rows), [[102, 0], [0, 0], [30, 0]])
    assert_array_equal(word_sums(problem, rows), [[2, -2], [600, 12], [1, -1]])
    unweighted = problem.replace(weight=None)
    assert_array_equal(document_sums(unweighted, rows), [[102, 0], [0, 0], [30, 0]])
    assert_array_equal(word_sums(unweighted, rows), [[2, -2], [300, 6], [1, -1]])


@types
@pytest.mark.parametrize("shape", [(0, 5), (3, 5), (3, 0), (0, 0)])
def test_sums_over_nothing_are_zero(real, index, shape):
    """No documents, no words, or neither of them in the other."""
    X = sparse.csr_array(shape, dtype=real)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    problem = drawing.random_problem([1], 3, 1, real).replace(X=X, weight=np.ones(shape[0], dtype=real))
    for n_threads in (1, 2):
        found = document_sums(problem, random_rows(shape[1], 9, real), n_threads=n_threads)
        assert_array_equal(found, np.zeros((shape[0], 9)))
        found = word_sums(problem, random_rows(shape[0], 9, real), n_threads=n_threads)
        assert_array_equal(found, np.zeros((shape[1], 9)))


@reals
@pytest.mark.parametrize("kernel", [_kernels.document_sums, _kernels.word_sums])
def test_sums_refuse_wrong_arrays(real, kernel):
    problem = drawing.random_problem([3, 0, 5], 6, 9, real)
    corpus = corpus_of(problem.X, problem.weight, 2)
    by_document = kernel is _kernels.document_sums
    n_rows, n_sums = (6, 3) if by_document else (3, 6)
    rows, found = padded(random_rows(n_rows, 9, real), real), padded(random_rows(n_sums, 9, real), real)
    kernel(corpus, rows, found, 2)
    for how in ("short", "long", "flat", "deep", "Fortran order", "other real", "whole numbers", "a list"):
        with pytest.raises((TypeError, ValueError, BufferError)):
            kernel(corpus, changed(how)(rows), found, 2)
        with pytest.raises((TypeError, ValueError, BufferError)):
            kernel(corpus, rows, changed(how)(found), 2)
    width = padded_width(9, real)
    with pytest.raises(
        ValueError, match=f"rows has length {n_rows + 1} along axis 0, but must have {n_rows}"
    ):
        kernel(corpus, changed("long")(rows), found, 2)
    with pytest.raises(
        ValueError, match=f"sums has length {n_sums - 1} along axis 0, but must have {n_sums}"
    ):
        kernel(corpus, rows, changed("short")(found), 2)
    with pytest.raises(ValueError, match=f"sums has length {2 * width} along axis 1, but must have {width}"):
        kernel(corpus, rows, changed("wide")(found), 2)
    with pytest.raises(ValueError, match="rows of 9 topics are not padded to a multiple of 32 bytes"):
        kernel(corpus, np.ascontiguousarray(rows[:, :9]), found, 2)
    with pytest.raises((ValueError, BufferError)):
        kernel(corpus, rows, frozen(found), 2)


# --- rows side by side: what separating classes needs --------------------------------------------


@dataclass(frozen=True)
class Rows:
    """Rows of either sign, a number for every row and column, and a class for every row."""

    first: np.ndarray
    second: np.ndarray
    of_row: np.ndarray
    of_column: np.ndarray
    of_column_too: np.ndarray
    code: np.ndarray
    n_classes: int


def random_sides(n_rows, n_classes, real, seed=0):
    rng = np.random.default_rng(seed)
    first, second = (padded(rng.normal(size=(n_rows, n_classes)), real) for _ in range(2))
    of_row = rng.gamma(1.0, size=n_rows).astype(real)
    of_column, too = padded(rng.uniform(size=(2, n_classes)), real)
    code = rng.integers(0, n_classes, n_rows).astype(np.int32)
    return Rows(*map(frozen, (first, second, of_row, of_column, too, code)), n_classes)


def over_rows(rows, n_threads):
    """What each kernel writes, by name; what it writes to begins as NaN."""
    found = {}

    def room(name, *shape):
        found[name] = np.full(shape, np.nan, dtype=np.float64 if len(shape) == 1 else rows.first.dtype)
        return found[name]

    n, width = rows.first.shape
    _kernels.column_products(rows.first, rows.second, room("products", width), n_threads)
    found["combined"] = rows.first.copy()
    _kernels.combine(found["combined"], rows.of_column, rows.second, rows.of_column_too, n_threads)
    out = room("quotient", n, width), room("of quotients", width)
    _kernels.divide(rows.first, rows.of_row, rows.of_column, *out, n_threads)
    for name, values in (("slopes", None), ("curved", rows.second)):
        out = room(name, n, width), room(f"weight of {name}", width)
        _kernels.hinge_slopes(rows.first, values, rows.code, rows.of_row, rows.n_classes, *out, n_threads)
    given = rows.first, rows.second, rows.of_column, rows.code, rows.of_row, rows.n_classes
    _kernels.hinge_losses(*given, room("losses", width), n_threads)
    return found


def wanted_over_rows(rows):
    """The same in dense NumPy."""
    a, b = rows.first.astype(np.float64), rows.second.astype(np.float64)
    weight, length = rows.of_row.astype(np.float64)[:, np.newaxis], rows.of_column.astype(np.float64)
    is_class = np.arange(a.shape[1]) < rows.n_classes
    t = np.where(np.arange(a.shape[1]) == rows.code[:, np.newaxis], 1.0, -1.0)
    is_open = (t * a < 1) & is_class
    quotient = a / (1 + weight * length)
    short = np.maximum(0, 1 - t * (a + length * b)) * is_class
    return {
        "products": (a * b).sum(axis=0),
        "combined": length * a + rows.of_column_too.astype(np.float64) * b,
        "quotient": quotient,
        "of quotients": (a * quotient).sum(axis=0),
        "slopes": weight * (t - a) * is_open,
        "weight of slopes": (weight * is_open).sum(axis=0),
        "curved": weight * b * is_open,
        "weight of curved": (weight * is_open).sum(axis=0),
        "losses": (weight * short**2).sum(axis=0),
    }


@reals
@pytest.mark.parametrize("n_classes", [1, 2, 4, 5, 8, 9, 20])
@pytest.mark.parametrize("n_rows", [0, 1, 7, COLUMN_BLOCK, 2 * COLUMN_BLOCK + 3])
def test_rows_side_by_side_are_those_of_numpy(real, n_classes, n_rows):
    rows = random_sides(n_rows, n_classes, real)
    wanted, first = wanted_over_rows(rows), None
    for level in LEVELS:
        _kernels.use_level(level)
        for n_threads in (1, 2, 3):
            found = over_rows(rows, n_threads)
            bits = {name: each.tobytes() for name, each in found.items()}
            first = bits if first is None else first
            assert bits == first, (level, n_threads)
    for name, each in wanted.items():
        scale = 1000 * (1 + n_rows) if each.ndim == 1 else 1000  # of sums, of numbers
        assert_close(found[name], each, real, scale=scale, err_msg=name)
        assert not found[name][..., n_classes:].any(), f"padding of {name}"


@reals
def test_a_hinge_that_just_closes_is_closed(real):
    scores = padded(
        np.array([[1.0, -1.0], [np.nextafter(real(1), real(0)), np.nextafter(real(-1), real(0))]]), real
    )
    weight, code, total = np.ones(2, dtype=real), np.zeros(2, dtype=np.int32), np.empty(scores.shape[1])
    slopes = np.full_like(scores, np.nan)
    _kernels.hinge_slopes(scores, None, code, weight, 2, slopes, total, 1)
    assert_array_equal(total[:2], [1, 1])
    assert not slopes[0].any()
    assert slopes[1, 0] > 0 > slopes[1, 1]


@reals
@pytest.mark.parametrize("how", ["short", "long", "deep", "other real", "whole numbers", "a list"])
def test_rows_side_by_side_refuse_wrong_arrays(real, how):
    rows = random_sides(3, 4, real)
    width = rows.first.shape[1]
    matrix, total = np.zeros_like(rows.first), np.zeros(width)
    classes = rows.code, rows.of_row
    calls = {
        _kernels.column_products: [rows.first, rows.second, total],
        _kernels.combine: [matrix, rows.of_column, rows.second, rows.of_column_too],
        _kernels.divide: [rows.first, rows.of_row, rows.of_column, matrix, total],
        _kernels.hinge_slopes: [rows.first, rows.second, *classes, 4, matrix, total],
        _kernels.hinge_losses: [rows.first, rows.second, rows.of_column, *classes, 4, total],
    }
    for n_classes in (-1, width + 1):
        with pytest.raises(ValueError, match=f"{n_classes} classes do not fit in rows of {width}"):
            _kernels.hinge_slopes(rows.first, None, *classes, n_classes, matrix, total, 1)
    for kernel, taken in calls.items():
        kernel(*taken, 1)
        for place, each in enumerate(taken):
            if isinstance(each, np.ndarray):
                wrong = [changed(how)(each) if at == place else x for at, x in enumerate(taken)]
                with pytest.raises((TypeError, ValueError, BufferError)):
                    kernel(*wrong, 1)


# --- errors --------------------------------------------------------------------------------------


def changed(how):
    """(name, array) -> array: the array of that name made wrong."""
    return {
        "short": lambda x: x[:-1].copy(),
        "long": lambda x: np.concatenate([x, x[:1]]),
        "narrow": lambda x: np.ascontiguousarray(x[:, :-1]),
        "wide": lambda x: np.concatenate([x, x], axis=1),
        "flat": lambda x: x.ravel(),
        "deep": lambda x: x[np.newaxis],
        "whole numbers": lambda x: x.astype(np.int16),
        "other real": lambda x: x.astype(np.float64 if x.dtype == np.float32 else np.float32),
        "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
        "complex": lambda x: x.astype(np.complex64),
        "objects": lambda x: x.astype(object),
        "Fortran order": lambda x: np.asfortranarray(np.concatenate([x, x])[: len(x)]),
        "every second": lambda x: np.repeat(x, 2, axis=0)[::2],
        "at an odd byte": lambda x: np.frombuffer(b"-" + x.tobytes(), dtype=x.dtype, offset=1).reshape(
            x.shape
        ),
        "a list": lambda x: x.tolist(),
    }[how]


VECTORS = ("offset", "word", "count", "weight", "state", "ratio", "log_likelihood", "impossible")
MATRICES = ("gate", "prior", "doc_topic", "word_topic", "doc_count", "word_count", "state_count")
ANY = ("whole numbers", "other byte order", "complex", "objects", "deep", "every second", "a list")
WRONG = [
    *((name, how) for name in VECTORS for how in ("short", "long", "at an odd byte", *ANY)),
    *((name, how) for name in MATRICES for how in ("narrow", "wide", "flat", "Fortran order", *ANY)),
    *((name, "short") for name in MATRICES if name != "gate"),
    *((name, "other real") for name in MATRICES),
    *((name, "other real") for name in ("weight", "ratio", "log_likelihood", "log_prior")),
]


@pytest.mark.parametrize(("name", "how"), WRONG)
@reals
def test_wrong_arrays_are_refused(real, name, how):
    problem = drawing.random_problem([3, 0, 5], 6, 9, real)
    given, written = arguments(problem), outputs(problem)
    call_expect(given, written, 6)
    for arrays in (given, written):
        if name in arrays:
            arrays[name] = changed(how)(arrays[name])
    if name == "doc_topic" and how == "wide":
        name = "gate"  # the width of doc_topic is what the others are held against
    if name == "offset" and how in ("short", "long"):
        name = "words|weights|documents|axis"
    names_it = (TypeError, ValueError, BufferError)
    with pytest.raises(names_it) as error:
        call_expect(given, written, 6)
    if isinstance(error.value, TypeError) and "has items of type" in str(error.value):
        assert name in str(error.value)


def test_shapes_and_types_are_named_in_the_error():
    problem = drawing.random_problem([3, 0, 5], 6, 9, np.float32)
    given, written = arguments(problem), outputs(problem)
    with pytest.raises(ValueError, match=r"word_topic has length 5 along axis 0, but must have 6"):
        call_expect(given | {"word_topic": given["word_topic"][:5]}, written, 6)
    with pytest.raises(TypeError, match=r"word_topic has items of type 'd', but must have one of 'f'"):
        call_expect(given | {"word_topic": given["word_topic"].astype(float)}, written, 6)
    with pytest.raises(ValueError, match=r"gate has 1 axes, but must have 2"):
        call_expect(given | {"gate": given["gate"][0]}, written, 6)
    with pytest.raises(ValueError, match=r"rows of 9 topics are not padded to a multiple of 32 bytes"):
        call_expect(given | {"doc_topic": problem.doc_topic}, written, 6)
    with pytest.raises(ValueError, match=r"2 weights for 3 documents"):
        call_expect(given | {"weight": given["weight"][:2]}, written, 6)
    with pytest.raises(ValueError, match=r"offset ends at 8, but there are 7 words and 8 counts"):
        call_expect(given | {"word": given["word"][:7]}, written, 6)
    with pytest.raises(ValueError, match=r"offset is empty"):
        call_expect(given | {"offset": given["offset"][:0]}, written, 6)
    with pytest.raises(ValueError, match=r"prior and log_prior go together"):
        call_expect(given | {"prior": None}, written, 6)
    with pytest.raises(ValueError, match=r"prior and log_prior go together"):
        call_expect(given, written | {"log_prior": None}, 6)


@pytest.mark.parametrize("bounds", [[1, 6], [0, 5], [0, 4, 2, 6], [0, 7]])
def test_bounds_that_do_not_ascend_over_the_words_are_refused(bounds):
    X = drawing.random_problem([3, 0, 5], 6, 9, np.float32).X
    with pytest.raises(ValueError, match="do not ascend from 0 to 6"):
        _kernels.Corpus(X.indptr.astype(np.int64), X.indices, X.data, 6, None, bounds)


@pytest.mark.parametrize("name", ["ratio", "doc_count", "word_count", "state_count", "impossible"])
def test_outputs_must_be_writable(name):
    problem = drawing.random_problem([3, 0, 5], 6, 9, np.float32)
    written = outputs(problem)
    frozen(written[name])
    with pytest.raises((ValueError, BufferError)):
        call_expect(arguments(problem), written, 6)


def test_more_topics_than_fit_in_a_row_are_refused():
    rows = np.ones((3, 8), dtype=np.float32)
    with pytest.raises(ValueError, match="9 topics do not fit in rows of 8"):
        _kernels.normalize_columns(rows, rows.copy(), 0.0, 9, 1)


NONE_AS_AN_ARRAY = {
    "doc_topic": "_kernels.expect(corpus, None, row, None, None, row, *[None] * 7, 1)",
    "ratio": "_kernels.expect(corpus, None, row, None, row, row, None, row.copy(), row.copy(),"
    " np.ones((1, 8)), np.ones(1), None, np.ones(1, np.int32), 1)",
    "corpus": "_kernels.expect(None, None, row, None, row, row, *[None] * 7, 1)",
    "topic": "_kernels.fold(corpus, None, row, None, row, *[None] * 4, 1, 0.0, 1)",
    "rows": "_kernels.normalize_rows(None, None, row, None, 1)",
    "fallback": "_kernels.normalize_rows(row.copy(), None, None, None, 1)",
    "old": "_kernels.normalize_columns(row.copy(), None, 0.0, 8, 1)",
    "weight": "_kernels.sum_logs(row, None)",
    "offset": "_kernels.Corpus(None, None, None, 1)",
    "rows of words": "_kernels.document_sums(corpus, None, row.copy(), 1)",
    "sums of documents": "_kernels.document_sums(corpus, row, None, 1)",
    "rows of documents": "_kernels.word_sums(corpus, None, row.copy(), 1)",
    "sums of words": "_kernels.word_sums(corpus, row, None, 1)",
    "corpus of sums": "_kernels.word_sums(None, row, row.copy(), 1)",
}


def test_none_where_an_array_is_needed_is_refused():
    """In a process of its own: a null pointer would end it."""
    program = (
        "import numpy as np\nfrom plsa import _kernels\n"
        "row = np.ones((1, 8), np.float32)\n"
        "corpus = _kernels.Corpus(np.array([0, 1]), np.zeros(1, np.int32), row[0, :1], 1)\n"
    )
    for name, call in NONE_AS_AN_ARRAY.items():
        program += f"try:\n    {call}\n    print('{name} accepted', flush=True)\n"
        program += f"except (TypeError, ValueError):\n    print('{name} refused', flush=True)\n"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [f"{name} refused" for name in NONE_AS_AN_ARRAY]
    assert done.returncode == 0, done.stderr


# --- instruction sets ----------------------------------------------------------------------------


def test_baseline_always_runs_and_the_fastest_is_chosen():
    assert LEVELS[0] == "baseline"
    assert set(LEVELS) <= set(_kernels.LEVEL_NAMES)
    if not os.environ.get("PLSA_INSTRUCTION_SET"):
        assert _kernels.current_level() == LEVELS[-1]
    for level in LEVELS:
        _kernels.use_level(level)
        assert _kernels.current_level() == level


def test_an_unknown_instruction_set_is_refused():
    before = _kernels.current_level()
    for name in ("avx9000", "", None, 1, "AVX2"):
        with pytest.raises(ValueError, match="unknown instruction set"):
            _kernels.use_level(name)
    assert _kernels.current_level() == before


@pytest.mark.skipif(len(LEVELS) == len(_kernels.LEVEL_NAMES), reason="this processor runs them all")
def test_an_instruction_set_this_processor_lacks_is_refused():
    before = _kernels.current_level()
    for name in set(_kernels.LEVEL_NAMES) - set(LEVELS):
        with pytest.raises(ValueError, match=f"has no {name}"):
            _kernels.use_level(name)
    assert _kernels.current_level() == before


@pytest.mark.parametrize("name", ["baseline", "avx9000"])
def test_the_environment_chooses_the_instruction_set(name):
    program = "from plsa import _kernels; print(_kernels.current_level())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=os.environ | {"PLSA_INSTRUCTION_SET": name},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if name in LEVELS:
        assert done.stdout.strip() == name, done.stderr
    else:
        assert done.returncode == 1
        assert "PLSA_INSTRUCTION_SET in the environment: unknown instruction set 'avx9000'" in done.stderr


# --- threads and processes -----------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", [1, 2])
def test_other_threads_of_python_go_on_during_a_pass(n_threads):
    problem = drawing.random_problem([400] * 1500, 3000, 500, np.float64)
    given, written = arguments(problem), outputs(problem)
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    other = threading.Thread(target=tick)
    other.start()
    try:
        while not ticks:
            time.sleep(0.001)
        begin = time.perf_counter()
        call_expect(given, written, 3000, n_threads)
        end = time.perf_counter()
    finally:
        over.set()
        other.join()
    # In the middle of the pass, where nothing could happen with the GIL held.
    margin = (end - begin) / 5
    assert sum(begin + margin < tick < end - margin for tick in ticks) >= 3


def test_passes_in_several_threads_of_python_do_not_disturb_each_other():
    problem = large_problem(np.float32, 13)
    wanted = expect(problem, 2)
    found = []
    workers = [
        threading.Thread(target=lambda: found.extend(expect(problem, 2) for _ in range(5))) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 20
    for one in found:
        assert_same_bits(wanted, one)


def as_counts(X):
    return Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])


def steps_of(problem, n_threads):
    real = problem.real
    return GatedSteps(
        as_counts(problem.X),
        problem.n_topics,
        state=problem.state,
        prior=None,
        fallback=padded(problem.fallback, real),
        smoothing=0.0,
        weight=problem.weight,
        n_threads=n_threads,
    )


def pass_after_fork(problem, queue):
    """What a forked child does: a pass and a fold-in, asking for two threads."""
    word_topic = padded(problem.word_topic, problem.real)
    start = padded(problem.doc_topic, problem.real)
    folded = fold_in(as_counts(problem.X), word_topic, start, max_iter=3, tol=0.0, n_threads=2)
    queue.put((effective_threads(2), folded.log_likelihood.sum(), steps_of(problem, 2).n_threads))


@needs_threads
def test_tiny_work_is_done_by_one_thread_however_many_are_asked_for():
    """In a fresh interpreter: the tests themselves have it otherwise."""
    asked = "[effective_threads(n, work=work) for work in (10, 10**6) for n in (2, 3)]"
    code = f"from plsa.engine.threads import effective_threads; print({asked}, effective_threads(2))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[1, 1, 2, 3] 2"
    assert effective_threads(2, work=10) == 2, "the tests of threads on small corpora would test nothing"


@needs_threads
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_forked_after_threads_were_used_does_not_hang():
    problem = large_problem(np.float32, 13)
    problem = problem.replace(state=None, prior=None, gate=np.ones((1, 13), dtype=np.float32))
    expect(problem, 2)
    word_topic, start = padded(problem.word_topic, np.float32), padded(problem.doc_topic, np.float32)
    here = fold_in(as_counts(problem.X), word_topic, start, max_iter=3, tol=0.0, n_threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=pass_after_fork, args=(problem, queue))
    child.start()
    child.join(timeout=30)
    alive = child.is_alive()
    if alive:
        child.kill()
        child.join()
    assert not alive, "the child hangs"
    assert child.exitcode == 0
    n_threads, log_likelihood, of_steps = queue.get()
    assert n_threads == of_steps == 1
    assert log_likelihood == here.log_likelihood.sum()
    assert effective_threads(2) == 2, "the parent keeps its threads"


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_an_interrupt_during_a_pass_is_honored_when_it_ends():
    """The kernel finishes, and Python then sees the signal; nothing is lost."""
    problem = drawing.random_problem([300] * 600, 2000, 64, np.float64)
    given, written = arguments(problem), outputs(problem)
    wanted = {name: array.copy() for name, array in call_expect(given, written, 2000).items()}
    for array in written.values():
        array[:] = 0
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.perf_counter()))
    seen = []
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        call_expect(given, written, 2000, 1)
        deadline = time.perf_counter() + 10
        while not seen and time.perf_counter() < deadline:
            time.sleep(0.001)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen
    for name, array in wanted.items():
        assert array.tobytes() == written[name].tobytes(), name


@pytest.mark.parametrize("level", _kernels.runnable_levels())
@given(X=drawing.counts())
def test_rows_at_unit_length_are_scikit_learns(level, X):
    """To the last bit, on every instruction set; rows of nothing stay, and the values are not written to."""
    _kernels.use_level(level)
    for real in drawing.REALS:
        values = frozen(X.data.astype(real))
        scaled = np.full_like(X.data, np.nan, dtype=real)
        _kernels.unit_rows(X.indptr.astype(np.int64), values, scaled)
        wanted = normalize(sparse.csr_array((values.copy(), X.indices, X.indptr), shape=X.shape))
        assert_array_equal(scaled, wanted.data)


def test_rows_at_unit_length_need_offsets_that_fit():
    """What does not end where the values end is refused."""
    with pytest.raises(ValueError, match="offset must end at the number of values"):
        _kernels.unit_rows(np.array([0, 1]), np.ones(2), np.empty(2))


@pytest.mark.parametrize("real", drawing.REALS)
@given(X=drawing.counts(), data=st.data())
def test_documents_at_unit_length_whatever_their_scale(real, X, data):
    """The same bits for a document times a power of two, squares of which are no numbers any more."""
    counts = as_counts(sparse.csr_array(X.astype(real)))
    limits = np.finfo(real)
    powers = st.integers(int(limits.minexp) + 30, int(limits.maxexp) - 30)
    power = data.draw(st.lists(powers, min_size=X.shape[0], max_size=X.shape[0]))
    scaled = counts.with_counts(np.ldexp(counts.count, np.repeat(power, np.diff(counts.offset))))
    assert_array_equal(scaled.unit_rows().count, counts.unit_rows().count)
