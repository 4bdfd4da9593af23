"""The steps of the gated models in the loop: the reference, and what must never happen."""

import _thread
import gc
import inspect
import sys
import threading
import time
import tracemalloc
from dataclasses import dataclass
from functools import cache

import drawing
import numpy as np
import pytest
import reference
from drawing import FixedGate
from helpers import needs_threads
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from plsa import datasets
from plsa.engine import em
from plsa.engine.parameters import Parameters, padded, padded_width, padded_zeros
from plsa.engine.steps import Counts, GatedSteps, fold_in, word_bounds

reals = pytest.mark.parametrize("real", drawing.REALS, ids=lambda real: np.dtype(real).name)
types = pytest.mark.parametrize(("real", "index"), drawing.TYPE_PAIRS, ids=drawing.TYPE_NAMES)

# What rounding may take from a sum of n log p, for every count and for the sum itself.
NOISE = {np.dtype(np.float32): 2e-6, np.dtype(np.float64): 1e-13}


def as_counts(X):
    return Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])


def steps_of(problem, smoothing=0.0, n_threads=1):
    real = problem.real
    return GatedSteps(
        as_counts(problem.X),
        problem.n_topics,
        state=problem.state,
        prior=None if problem.prior is None else padded(problem.prior, real),
        fallback=padded(problem.fallback, real),
        smoothing=smoothing,
        weight=problem.weight,
        n_threads=n_threads,
    )


def start_of(problem, gate=None):
    real = problem.real
    gate = FixedGate(problem.gate) if gate is None else gate
    return Parameters(padded(problem.doc_topic, real), padded(problem.word_topic, real), gate)


def passes(number):
    """Stops after so many updates, whatever the objective does."""
    return em.Stop(number, -np.inf, np.inf)


@dataclass(frozen=True)
class FakeGate(FixedGate):
    """The gate of the fake-label model, after the reference."""

    def learn(self, count):
        assert count.shape == self.rows.shape
        return FakeGate(reference.learn_fake_label_gate(count, self.rows))


def with_fake_label(problem):
    """A problem with a first gate that the fake-label model fits, P(state | z), and that gate."""
    gate = np.maximum(problem.gate, 1e-3)
    problem = problem.replace(gate=(gate / gate.sum(axis=0)).astype(problem.real))
    return problem, FakeGate(problem.gate)


def rounding(problem, trace, smoothing=0.0):
    """How far the objective may fall for no reason but rounding."""
    weight = 1 if problem.weight is None else problem.weight.max()
    terms = weight * problem.X.sum(dtype=np.float64)
    if problem.prior is not None:
        terms += weight * problem.prior.sum(dtype=np.float64) * problem.X.shape[0]
    terms += smoothing * problem.word_topic.size
    return NOISE[np.dtype(problem.real)] * (1 + terms + np.abs(trace).max())


def assert_whole(parameters, problem):
    """Distributions on both sides, padding zero, nothing but numbers."""
    n_topics = problem.n_topics
    for array in (parameters.doc_topic, parameters.word_topic, parameters.gate.table()):
        assert np.isfinite(array).all()
        assert not array[:, n_topics:].any()
        assert (array >= 0).all()
    tolerance = 1e-5 if problem.real == np.float32 else 1e-12
    assert_allclose(parameters.doc_topic.sum(axis=1), 1, atol=tolerance)
    assert_allclose(parameters.word_topic[:, :n_topics].sum(axis=0), 1, atol=tolerance)


@cache
def planted(real=np.float32, n_topics=12, seed=0, **shape):
    """A corpus drawn from the model, and a start far from what it was drawn from."""
    corpus = datasets.planted_corpus(
        **{"n_documents": 400, "n_words": 600, "document_length": 120} | shape,
        n_components=n_topics,
        random_state=seed,
        dtype=real,
    )
    rng = np.random.default_rng(seed)
    n_documents, n_words = corpus.counts.shape
    return drawing.Problem(
        X=sparse.csr_array(corpus.counts),
        weight=None,
        state=None,
        gate=np.ones((1, n_topics), dtype=real),
        prior=None,
        fallback=np.full((1, n_topics), 1 / n_topics, dtype=real),
        doc_topic=np.full((n_documents, n_topics), 1 / n_topics, dtype=real),
        word_topic=np.ascontiguousarray(rng.dirichlet(np.ones(n_words), n_topics).T.astype(real)),
    )


# --- against the reference -----------------------------------------------------------------------


@types
@given(data=st.data())
def test_a_run_is_the_reference_step_by_step(real, index, data):
    problem = data.draw(drawing.problems(real, index, max_documents=6, max_words=7))
    smoothing = data.draw(st.sampled_from([0.0, 0.01, 1.0]))
    gate, wanted_learn = None, None
    if data.draw(st.booleans()):
        problem, gate = with_fake_label(problem)
        wanted_learn = reference.learn_fake_label_gate
    n_passes = 4
    wanted = reference.fit(
        *problem.for_reference(),
        fallback=problem.fallback,
        smoothing=smoothing,
        n_passes=n_passes,
        learn_gate=wanted_learn,
    )
    fit = em.run(steps_of(problem, smoothing), start_of(problem, gate), passes(n_passes))
    single = real == np.float32
    assert len(fit.trace) == n_passes + 1
    assert_allclose(
        fit.trace,
        wanted.trace,
        rtol=1e-4 if single else 1e-10,
        atol=20 * rounding(problem, fit.trace, smoothing),
    )
    assert_whole(fit.parameters, problem)
    tolerance = {"rtol": 2e-3, "atol": 1e-4} if single else {"rtol": 1e-9, "atol": 1e-11}
    n_topics = problem.n_topics
    assert_allclose(fit.parameters.doc_topic[:, :n_topics], wanted.doc_topic, **tolerance)
    assert_allclose(fit.parameters.word_topic[:, :n_topics], wanted.word_topic, **tolerance)
    assert_allclose(fit.parameters.gate.table(), wanted.gate, **tolerance)


def test_one_topic_is_the_word_frequencies():
    """With K = 1 the maximum is known: P(w) = (sum_d weight n + smoothing) / its sum."""
    problem = drawing.random_problem([4, 0, 6, 2], 8, 1, np.float64, n_states=1)
    fit = em.run(steps_of(problem, 0.5), start_of(problem), em.Stop(50, 1e-12, 1e-12))
    assert fit.reason == "settled"
    assert len(fit.trace) == 3
    total = problem.weight @ problem.X.toarray() + 0.5
    assert_allclose(fit.parameters.word_topic[:, 0], total / total.sum(), rtol=1e-12)


def test_with_every_label_and_a_topic_a_class_the_answer_is_known():
    """Each class's topic is then the word distribution of its documents, after one pass."""
    problem = drawing.random_problem([5, 3, 7, 4, 6, 2], 9, 2, np.float64, n_states=2)
    problem = problem.replace(
        gate=np.eye(2), prior=None, weight=None, state=np.array([0, 1, 0, 1, 1, 0], dtype=np.int32)
    )
    fit = em.run(steps_of(problem), start_of(problem), passes(1))
    X = problem.X.toarray()
    for c in range(2):
        total = X[problem.state == c].sum(axis=0)
        assert_allclose(fit.parameters.word_topic[:, c], total / total.sum(), rtol=1e-12)
    assert_allclose(fit.parameters.doc_topic[:, :2], np.eye(2)[problem.state], atol=1e-12)


@reals
@given(data=st.data())
def test_fold_in_is_the_reference(real, data):
    problem = data.draw(drawing.problems(real, max_documents=4))
    X, _, state, gate, prior, start, word_topic = problem.for_reference()
    gated = data.draw(st.booleans())
    if not gated:
        state, gate, prior = None, np.ones((1, problem.n_topics)), None
    one_start = data.draw(st.booleans())
    if one_start:
        start = np.repeat(start[:1], len(X), axis=0)
    wanted = reference.fold(X, state, gate, prior, word_topic, start, 5, -1)
    found = fold_in(
        as_counts(problem.X),
        padded(word_topic, real),
        padded(start[:1] if one_start else start, real),
        prior=None if prior is None else padded(prior, real),
        gate=padded(gate, real) if gated else None,
        state=state,
        max_iter=5,
        tol=-1,
    )
    single = real == np.float32
    n_topics = problem.n_topics
    assert_array_equal(found.rounds, wanted.rounds)
    assert_array_equal(found.impossible, wanted.impossible)
    assert_allclose(
        found.doc_topic[:, :n_topics], wanted.doc_topic, rtol=1e-3, atol=1e-5 if single else 1e-12
    )
    assert_allclose(
        found.log_likelihood,
        wanted.log_likelihood,
        rtol=1e-5 if single else 1e-11,
        atol=20 * rounding(problem, wanted.log_likelihood),
    )


# --- the objective -------------------------------------------------------------------------------


@reals
@pytest.mark.parametrize("accelerated", [False, True], ids=["plain", "accelerated"])
@given(data=st.data())
def test_the_objective_never_falls(real, accelerated, data):
    """With priors, smoothing, weights, gates that are learned, or that make words impossible.

    The start has no zeros: a word that smoothing makes possible would bring its logarithm along.
    """
    problem = data.draw(drawing.problems(real, zeros=False))
    if problem.state is not None and data.draw(st.booleans()):
        gate = problem.gate.copy()
        gate[0] = 0
        problem = problem.replace(gate=gate)
    smoothing = data.draw(st.sampled_from([0.0, 0.01, 1.0]))
    gate = None
    if data.draw(st.booleans()):
        problem, gate = with_fake_label(problem)
    steps = steps_of(problem, smoothing)
    if accelerated:
        steps = em.Accelerated(steps)
    fit = em.run(steps, start_of(problem, gate), passes(12))
    assert np.isfinite(fit.trace).all()
    assert np.diff(fit.trace).min() >= -rounding(problem, fit.trace, smoothing)
    assert_whole(fit.parameters, problem)
    # The trace belongs to what is returned.
    again = steps_of(problem, smoothing).expect(fit.parameters)
    assert again.objective == fit.trace[-1]
    assert again.log_likelihood == fit.log_likelihood
    assert again.n_impossible == fit.n_impossible


@reals
def test_the_objective_rises_on_a_planted_corpus(real):
    problem = planted(real)
    fit = em.run(steps_of(problem, 0.01), start_of(problem), passes(40))
    rise = np.diff(fit.trace)
    assert rise.min() >= -rounding(problem, fit.trace)
    assert fit.trace[-1] - fit.trace[0] > 0.5 * problem.X.sum()


@reals
@pytest.mark.parametrize("smoothing", [0.0, 0.01])
@pytest.mark.parametrize("seed", [0, 1])
def test_acceleration_gets_further_in_as_many_passes(real, smoothing, seed):
    problem = planted(real, seed=seed)
    for n_passes in (30, 60):
        plain = em.run(steps_of(problem, smoothing), start_of(problem), passes(n_passes))
        fast = em.run(em.Accelerated(steps_of(problem, smoothing)), start_of(problem), passes(n_passes))
        assert np.diff(fast.trace).min() >= -rounding(problem, fast.trace)
        assert fast.n_passes <= plain.n_passes + 1
        assert fast.trace[-1] >= plain.trace[-1]
        assert_whole(fast.parameters, problem)


@reals
@given(data=st.data())
def test_weight_two_is_the_document_twice(real, data):
    """All through a run: objective, topics of words, topics of documents."""
    problem = data.draw(drawing.problems(real, zeros=False, unusual=(0.0, 0.5)))
    n_documents = problem.X.shape[0]
    times = np.array(data.draw(st.lists(st.integers(1, 2), min_size=n_documents, max_size=n_documents)))
    repeated = np.repeat(np.arange(n_documents), times)
    twice = problem.replace(
        X=sparse.csr_array(problem.X[repeated]),
        weight=None,
        state=None if problem.state is None else problem.state[repeated],
        doc_topic=problem.doc_topic[repeated],
    )
    weighted = problem.replace(weight=times.astype(real))
    one = em.run(steps_of(weighted, 0.1), start_of(weighted), passes(4))
    other = em.run(steps_of(twice, 0.1), start_of(twice), passes(4))
    relative = 1e-4 if real == np.float32 else 1e-11
    assert_allclose(one.trace, other.trace, rtol=relative, atol=relative)
    assert_allclose(one.parameters.doc_topic[repeated], other.parameters.doc_topic, rtol=1e-2, atol=relative)
    assert_allclose(one.parameters.word_topic, other.parameters.word_topic, rtol=1e-2, atol=relative)


@needs_threads
@pytest.mark.parametrize("accelerated", [False, True], ids=["plain", "accelerated"])
@reals
def test_same_bits_for_any_number_of_threads(real, accelerated):
    problem = planted(real, n_documents=600)
    problem = problem.replace(weight=np.linspace(0, 2, 600).astype(real))
    found = []
    for n_threads in (1, 2, 3, 8):
        steps = steps_of(problem, 0.01, n_threads)
        assert steps.n_threads == steps.corpus.n_parts == n_threads
        assert problem.X.shape[0] > 64 * n_threads
        fit = em.run(em.Accelerated(steps) if accelerated else steps, start_of(problem), passes(12))
        found.append((fit.trace, fit.parameters.doc_topic.tobytes(), fit.parameters.word_topic.tobytes()))
    assert all(other == found[0] for other in found)


# --- what cannot be learned -----------------------------------------------------------------------


def test_impossible_words_are_counted_and_the_first_document_named():
    problem = drawing.random_problem([3, 0, 5], 6, 4, np.float64)
    problem = problem.replace(word_topic=np.where(np.arange(6)[:, np.newaxis] < 3, 1 / 3, 0.0))
    problem = problem.replace(word_topic=np.repeat(problem.word_topic, 4, axis=1))
    steps = steps_of(problem)
    found = steps.expect(start_of(problem))
    beyond = (problem.X.toarray()[:, 3:] > 0).sum(axis=1)
    assert found.n_impossible == beyond.sum() > 0
    assert found.first_impossible == np.flatnonzero(beyond)[0]
    assert np.isfinite(found.objective)


@reals
def test_documents_without_words_get_their_prior_or_the_fallback(real):
    problem = drawing.random_problem([0, 4, 0], 6, 3, real, n_states=2)
    problem = problem.replace(state=np.array([0, 1, 1], dtype=np.int32))
    fit = em.run(steps_of(problem.replace(prior=None)), start_of(problem), passes(2))
    assert_array_equal(fit.parameters.doc_topic[[0, 2], :3], problem.fallback)
    fit = em.run(steps_of(problem), start_of(problem), passes(2))
    prior = problem.prior / problem.prior.sum(axis=1, keepdims=True)
    assert_allclose(fit.parameters.doc_topic[[0, 2], :3], prior, rtol=1e-6)


@reals
def test_a_topic_without_words_keeps_what_it_had(real):
    problem = drawing.random_problem([4, 5], 6, 3, real, n_states=1)
    gate = np.ones((1, 3), dtype=real)
    gate[0, 1] = 0
    problem = problem.replace(gate=gate, prior=None)
    fit = em.run(steps_of(problem), start_of(problem), passes(3))
    assert_array_equal(fit.parameters.word_topic[:, 1], problem.word_topic[:, 1])
    assert_whole(fit.parameters, problem)


def test_counts_of_a_thousand_million_are_learned_from():
    for real in drawing.REALS:
        problem = drawing.random_problem([5, 6, 4, 6], 9, 3, real)
        problem = problem.replace(X=problem.X * real(1e9))
        fit = em.run(steps_of(problem), start_of(problem), passes(20))
        assert np.isfinite(fit.trace).all()
        assert np.diff(fit.trace).min() >= -rounding(problem, fit.trace)
        assert_whole(fit.parameters, problem)


# --- interrupts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("accelerated", [False, True], ids=["plain", "accelerated"])
def test_an_interrupt_at_any_line_leaves_whole_parameters(accelerated):
    """Every line of `em` and `steps` that a run goes through is the one where Ctrl-C arrives."""
    problem = drawing.random_problem([4, 0, 6, 2], 8, 3, np.float64)
    files = (em.__file__, sys.modules[GatedSteps.__module__].__file__)
    source, above = inspect.getsourcelines(em.run)
    source = [line.strip() for line in source]
    guarded = range(above + source.index("try:") + 1, above + source.index("except KeyboardInterrupt:"))

    def frame_of_run(frame):
        while frame.f_code is not em.run.__code__:
            frame = frame.f_back
        return frame

    def interrupted_at(number):
        """The fit when the line of that number raises; None where there are fewer lines."""
        steps, start = steps_of(problem, 0.1), start_of(problem)
        if accelerated:
            steps = em.Accelerated(steps)
        lines = 0

        def trace(frame, event, _):
            nonlocal lines
            if frame.f_code.co_filename not in files:
                return None
            # Before and after its loop `run` has nothing to lose, and Ctrl-C is the caller's.
            if event == "line" and frame_of_run(frame).f_lineno in guarded:
                lines += 1
                if lines == number:
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            fit = em.run(steps, start, passes(7))
        finally:
            sys.settrace(before)
        return fit if lines >= number else None

    number = 1
    while (fit := interrupted_at(number)) is not None:
        assert fit.reason == "interrupted"
        assert_whole(fit.parameters, problem)
        objective = steps_of(problem, 0.1).expect(fit.parameters).objective
        if fit.trace:
            assert objective >= fit.trace[-1] - 1e-9
        number += 1
    assert number > 100


def test_an_interrupt_from_the_keyboard_ends_the_run():
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread alone")
    problem = planted()
    interrupt = threading.Timer(0.2, _thread.interrupt_main)
    begin = time.perf_counter()
    try:
        interrupt.start()
        fit = em.run(steps_of(problem), start_of(problem), passes(10**9))
    finally:
        interrupt.cancel()
        interrupt.join()
    assert time.perf_counter() - begin < 30
    assert fit.reason == "interrupted"
    assert len(fit.trace) > 1
    assert_whole(fit.parameters, problem)


def test_a_leap_is_as_long_as_the_way_was_straight():
    """|r| / |v| over all words and documents, each as often as it counts, up to what is allowed."""
    problem = planted(np.float64, 3, n_documents=20, n_words=30, document_length=15)
    rng = np.random.default_rng(1)
    third = rng.dirichlet(np.ones(3), 20), rng.dirichlet(np.ones(30), 3).T
    away = [rng.normal(size=x.shape) for x in third]
    # Heavy documents turn more than all else.
    heavy = np.arange(20) < 3
    steps_back = [np.where(heavy, 0.022, 0.0205)[:, np.newaxis], 0.0205]
    second = [x - 0.01 * way for x, way in zip(third, away, strict=True)]
    first = [x - back * way for x, back, way in zip(third, steps_back, away, strict=True)]
    length = {}
    for name, weight in (("weighted", np.where(heavy, 50.0, 0.01)), ("plain", None)):
        steps = steps_of(problem.replace(weight=weight))
        moves = [
            reference.leap(*(x[side] for x in (first, second, third)), counted, 1.0, 0.1)[1]
            for side, counted in ((0, weight), (1, None))
        ]
        for longest in (1000.0, 5.0):
            points = [[padded(x, np.float64) for x in point] for point in (first, second, third)]
            length[name, longest] = steps.leap(*(Parameters(*point, None) for point in points), longest)[1]
        r_square, v_square = np.sum(moves, axis=0)
        assert_allclose(length[name, 1000.0], np.sqrt(r_square / v_square), rtol=1e-9)
        assert length[name, 5.0] == 5
    assert length["plain", 1000.0] > 1.5 * length["weighted", 1000.0] > 5


# --- memory --------------------------------------------------------------------------------------


def peak_of(run):
    """Bytes that Python and NumPy had at most during a call, beyond what they had before."""
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("accelerated", "copies"), [(False, 2), (True, 4)], ids=["plain", "accelerated"])
@reals
def test_memory_is_two_of_each_side_and_one_number_a_nonzero(real, accelerated, copies):
    n_topics = 64
    problem = planted(real, n_topics, n_documents=150, n_words=700, document_length=1000)
    n_documents, n_words = problem.X.shape
    itemsize = np.dtype(real).itemsize
    one_copy = (n_documents + n_words) * padded_width(n_topics, real) * itemsize
    counts = as_counts(problem.X)
    nonzeros = problem.X.nnz * itemsize
    assert problem.X.nnz * n_topics * itemsize > 5 * (copies * one_copy + 2 * nonzeros)

    def run(n_passes):
        steps = GatedSteps(
            counts,
            n_topics,
            state=None,
            prior=None,
            fallback=padded(problem.fallback, real),
            smoothing=0.1,
            n_threads=2,
        )
        em.run(em.Accelerated(steps) if accelerated else steps, start_of(problem), passes(n_passes))

    run(1)
    short, long = peak_of(lambda: run(9)), peak_of(lambda: run(27))
    room = copies * one_copy + 1.5 * nonzeros + 100_000
    assert long <= room
    assert long - short < 0.05 * one_copy, "memory must not grow with the passes"


@pytest.mark.parametrize(("accelerated", "rooms"), [(False, 1), (True, 3)], ids=["plain", "accelerated"])
@reals
def test_arrays_go_round_and_none_is_made_anew(real, accelerated, rooms, monkeypatch):
    """Beside those of the start there are the arrays of the statistics, and two more for leaps."""
    made = []

    def counted(*shape):
        made.append(shape)
        return padded_zeros(*shape)

    problem = planted(real)
    steps, start = steps_of(problem), start_of(problem)
    monkeypatch.setattr(sys.modules[GatedSteps.__module__], "padded_zeros", counted)
    em.run(em.Accelerated(steps) if accelerated else steps, start, passes(60))
    assert len(made) == 2 * rooms


# --- counts --------------------------------------------------------------------------------------


@types
@given(data=st.data())
def test_counts_know_their_sums(real, index, data):
    X = data.draw(drawing.counts(real, index))
    counts = as_counts(X)
    dense = X.toarray().astype(np.float64)
    weight = data.draw(drawing.weights(X.shape[0], real))
    assert counts.dtype == real
    assert counts.n_documents == X.shape[0]
    assert_allclose(counts.lengths(), dense.sum(axis=1), rtol=1e-12)
    assert_allclose(counts.total(), dense.sum(), rtol=1e-12)
    assert_allclose(counts.total(weight), weight.astype(float) @ dense.sum(axis=1), rtol=1e-12)
    assert_allclose(counts.word_totals(), dense.sum(axis=0), rtol=1e-12)
    assert_allclose(counts.word_totals(weight), weight.astype(float) @ dense, rtol=1e-12)


def test_word_totals_of_many_documents():
    """More documents than are added up at a time."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.5, size=(20_000, 6)).astype(np.float32))
    weight = rng.choice([0.0, 1.0, 2.0], 20_000).astype(np.float32)
    counts = as_counts(X)
    assert_array_equal(counts.word_totals(), X.sum(axis=0))
    assert_array_equal(counts.word_totals(weight), weight @ X)


@given(data=st.data())
def test_word_ranges_cover_every_word_once(data):
    X = data.draw(drawing.counts())
    n_parts = data.draw(st.integers(1, 12))
    bounds = word_bounds(as_counts(X), n_parts)
    assert bounds[0] == 0
    assert bounds[-1] == X.shape[1]
    assert bounds == sorted(bounds)
    assert len(bounds) == (n_parts + 1 if X.nnz else 2)


def test_word_ranges_hold_about_as_many_nonzeros():
    X = planted(n_documents=600).X
    for n_parts in (2, 3, 8):
        bounds = word_bounds(as_counts(X), n_parts)
        inside = np.histogram(X.indices, bins=bounds)[0]
        assert inside.max() < 1.3 * X.nnz / n_parts
