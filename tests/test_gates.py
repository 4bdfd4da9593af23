"""The gates of the labeled models: tables, states, what they learn, and EM under them."""

from dataclasses import replace

import drawing
import numpy as np
import pytest
import reference
from drawing import FixedGate
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from plsa import PLSA
from plsa.engine import em, starts
from plsa.engine.parameters import OpenGate, Parameters, padded
from plsa.engine.runs import Loop
from plsa.engine.steps import Counts, GatedSteps
from plsa.estimators.validation import check_counts
from plsa.labels.corpus import Corpus
from plsa.labels.gates import FakeLabel, LearnedLabel, Mislabeling, MissingLabel, OneComponent
from plsa.labels.layout import Layout, label_topic, lay_out
from plsa.labels.reading import Labels
from plsa.learning.aspects import Folding, Method, Settings, fit_gated

KINDS = ("missing", "learned", "fake", "hard", "soft", "hard doubt", "soft doubt")
kinds = pytest.mark.parametrize("kind", KINDS)
reals = pytest.mark.parametrize("real", drawing.REALS, ids=lambda real: np.dtype(real).name)


class EvenLabel(LearnedLabel):
    """Begins as it is, without a draw."""

    __slots__ = ()
    begins_drawn = False


def gate_of(kind, layout):
    layout = Layout(layout.topic_class, layout.n_classes)
    if kind == "missing":
        return MissingLabel(layout)
    if kind == "fake":
        return FakeLabel.even(layout)
    if kind == "learned":
        return EvenLabel.even(layout)
    return Mislabeling.near_truth(layout, soft=kind.startswith("soft"), doubt=kind.endswith("doubt"))


def guesses_of(kind, layout):
    """The number of guesses: classes, and "not sure" where there is doubt; 0 where nothing is guessed."""
    return 0 if kind in ("missing", "learned", "fake") else layout.n_classes + kind.endswith("doubt")


def guesses(kind, n_documents, layout):
    """Any guess for every document."""
    n_guesses = guesses_of(kind, layout) or 1
    return drawing.labels(n_documents, n_guesses, unlabeled=False).map(lambda each: each.astype(np.int32))


def passes(number):
    """Stops after so many updates, whatever the objective does."""
    return em.Stop(number, -np.inf, np.inf)


class Endless(Loop):
    """A loop that stops after `max_iter` updates, whatever the objective does."""

    def best(self, steps, starts, **how):
        (start,) = starts
        return em.run(steps, start(), passes(self.max_iter))


def assert_columns_sum_to_one(table):
    assert np.isfinite(table).all()
    assert (table >= 0).all()
    assert_allclose(table.sum(axis=0), 1, rtol=1e-12)


# --- tables --------------------------------------------------------------------------------------


@kinds
@given(data=st.data())
def test_tables_and_what_is_learned_are_the_reference(kind, data):
    """Any layout, counts with empty rows and columns, huge or tiny ones, several times over."""
    layout = data.draw(drawing.layouts())
    gate = gate_of(kind, layout)
    wanted = reference.GateModel(kind, layout.topic_class, layout.n_classes)
    assert_array_equal(gate.open(), wanted.open())
    assert_allclose(gate.table(), wanted.table(), rtol=1e-14)
    for _ in range(data.draw(st.integers(1, 4))):
        table = gate.table()
        count = data.draw(drawing.state_counts(*table.shape))
        if kind == "fake":
            count *= gate.open()  # a shut topic has no counts
        else:
            count *= table > 0
        before = count.copy()
        learned = gate.learn(count)
        assert (learned is gate) is (kind == "missing")
        assert_array_equal(gate.table(), table)  # a gate is never changed
        gate = learned
        assert_array_equal(count, before)
        assert_allclose(gate.table(), wanted.learn(count), rtol=1e-10, atol=1e-15)
        if guesses_of(kind, layout):
            assert_allclose(gate.beta, wanted.beta, rtol=1e-10, atol=1e-15)
            assert_allclose(gate.unlabeled_class_topic, wanted.class_topic, rtol=1e-10, atol=1e-15)


@kinds
@given(data=st.data())
def test_what_is_learned_is_a_probability(kind, data):
    """Labels, guesses and classes sum to one over themselves; labeled documents keep to their topics."""
    layout = data.draw(drawing.layouts())
    gate = gate_of(kind, layout)
    n_classes = layout.n_classes
    for step in range(3):
        table = gate.table()
        assert table.shape == gate.open().shape
        assert np.all((table > 0) <= (gate.open() > 0))
        if kind == "fake":
            assert_columns_sum_to_one(table)
        elif kind == "learned":
            assert_columns_sum_to_one(table[:n_classes])
        else:
            labeled = reference.missing_label_gate(layout.topic_class, n_classes)[:n_classes]
            assert_array_equal(table[:n_classes], labeled)
        if kind in ("missing", "learned"):
            assert_array_equal(table[n_classes:], np.ones((1, layout.n_topics)))
        if guesses_of(kind, layout):
            assert_columns_sum_to_one(gate.beta)
            assert_columns_sum_to_one(gate.unlabeled_class_topic)
            assert_columns_sum_to_one(table[n_classes:])  # some guess or other
        if step == 0:
            # Nothing that is open starts at zero: EM would keep it there.
            assert_array_equal(table > 0, gate.open() > 0)
        gate = gate.learn(data.draw(drawing.state_counts(*table.shape)) * gate.open() * (table > 0))


@given(drawing.layouts(), st.data())
def test_what_is_open_is_what_labels_allow(layout, data):
    """A labeled document has its class's topics and those of no class, one without a label all of them."""
    for kind in KINDS:
        gate = gate_of(kind, layout)
        n_unlabeled = guesses_of(kind, layout) or 1
        opened = gate.open()
        assert opened.shape == (layout.n_classes + n_unlabeled, layout.n_topics)
        for c in range(layout.n_classes):
            assert_array_equal(opened[c] == 1, (layout.topic_class == c) | (layout.topic_class == -1))
        assert np.all(opened[layout.n_classes :] == 1)
        before = opened.copy()
        learned = gate.learn(data.draw(drawing.state_counts(*opened.shape)) * opened)
        assert_array_equal(learned.open(), before)


@kinds
@given(data=st.data())
def test_states_are_the_reference(kind, data):
    """The class of a labeled document, whatever its guess; else C, or C + the guess."""
    layout = data.draw(drawing.layouts())
    code = data.draw(drawing.labels(6, layout.n_classes)).astype(np.int32)
    guess = data.draw(guesses(kind, 6, layout))
    gate = gate_of(kind, layout)
    state = gate.states(code, guess)
    wanted = reference.GateModel(kind, layout.topic_class, layout.n_classes).states(code, guess)
    assert_array_equal(state, wanted)
    assert state.dtype == np.int32
    assert state.max() < len(gate.table())


@kinds
def test_a_column_without_counts_keeps_what_it_had(kind):
    layout = lay_out(np.array([2, 1]), 1)
    gate = gate_of(kind, layout)
    before = gate.table().copy()
    assert_array_equal(gate.learn(np.zeros_like(before)).table(), before)


def test_hard_classes_of_topics_are_never_learned():
    """beta is, and Q only in the soft form."""
    layout = lay_out(np.array([1, 2]), 1)
    count = np.random.default_rng(0).uniform(size=(4, 4))
    for soft in (False, True):
        gate = Mislabeling.near_truth(layout, soft=soft)
        learned = gate.learn(count)
        assert not np.allclose(learned.beta, gate.beta)
        assert np.allclose(learned.unlabeled_class_topic, gate.unlabeled_class_topic) is not soft
        if not soft:
            assert_array_equal(learned.unlabeled_class_topic, [[1, 0, 0, 0.5], [0, 1, 1, 0.5]])


# --- one component a document --------------------------------------------------------------------


def one_component(layout, class_alpha=0.0, component_alpha=0.0):
    return OneComponent.even(Layout(layout.topic_class, layout.n_classes), class_alpha, component_alpha)


@given(drawing.layouts(max_extra=0), st.data())
def test_chances_of_components_are_the_reference(layout, data):
    """P(c) and P(z|c) from any counts and pseudo-counts; labeled states have their class's part of P(z)."""
    class_alpha, component_alpha = (data.draw(st.sampled_from([0.0, 1.0, 0.3])) for _ in range(2))
    gate = one_component(layout, class_alpha, component_alpha)
    shape = (layout.n_classes + 1, layout.n_topics)
    assert_array_equal(gate.open(), reference.missing_label_gate(layout.topic_class, layout.n_classes))
    for _ in range(data.draw(st.integers(1, 3))):
        count = data.draw(drawing.state_counts(*shape)) * gate.open()
        documents = count.sum(axis=0)
        assume(documents.sum() + class_alpha > 0)
        before = count.copy()
        gate = gate.learn(count)
        assert_array_equal(count, before)
        of_class = np.bincount(layout.topic_class, documents, layout.n_classes) + class_alpha
        assert_allclose(gate.class_prior, of_class / of_class.sum(), rtol=1e-12)
        share = reference.share_out(documents + component_alpha, layout.topic_class, layout.n_classes)
        assert_allclose(gate.component_prior, share, rtol=1e-12)
        prior = gate.class_prior[layout.topic_class] * share
        assert_allclose(gate.topic_prior(), prior, rtol=1e-12)
        assert_allclose(prior.sum(), 1, rtol=1e-12)
        assert_allclose(gate.table(), gate.open() * prior, rtol=1e-12)
        wanted = sum(
            alpha * np.log(chance).sum()
            for alpha, chance in ((class_alpha, gate.class_prior), (component_alpha, share))
            if alpha > 0
        )
        assert_allclose(gate.log_prior(), wanted, rtol=1e-12, atol=1e-12)


@given(drawing.layouts(max_extra=0), st.data())
def test_chances_that_are_taken_are_those_given(layout, data):
    """P(z) stays what it is handed, zeros among it; a class of no chance has its components evenly."""
    prior = data.draw(drawing.distributions(1, layout.n_topics))[0]
    gate = one_component(layout, 0.0, 0.0).with_topic_prior(prior)
    assert_allclose(gate.topic_prior(), prior, rtol=1e-12, atol=1e-300)
    assert_allclose(gate.class_prior.sum(), 1, rtol=1e-12)
    for c in range(layout.n_classes):
        own = layout.topic_class == c
        assert_allclose(gate.component_prior[own].sum(), 1, rtol=1e-12)
        if prior[own].sum() == 0:
            assert_allclose(gate.component_prior[own], 1 / own.sum(), rtol=1e-12)


@given(drawing.layouts(max_extra=0), st.data())
def test_the_density_of_chances_that_are_taken_is_finite(layout, data):
    """Components of no chance come from a class that none of the documents is of: any place will do."""
    prior = data.draw(drawing.distributions(1, layout.n_topics))[0]
    assert np.isfinite(one_component(layout, 0.0, 1.0).with_topic_prior(prior).log_prior())


@given(drawing.layouts(max_extra=0), st.data())
def test_one_component_begins_evenly_and_reads_labels_as_missing_ones(layout, data):
    gate = one_component(layout)
    n_classes = layout.n_classes
    assert_allclose(gate.class_prior, 1 / n_classes)
    sizes = np.bincount(layout.topic_class)[layout.topic_class]
    assert_allclose(gate.topic_prior(), 1 / (n_classes * sizes), rtol=1e-12)
    code = data.draw(drawing.labels(6, n_classes)).astype(np.int32)
    missing = MissingLabel(Layout(layout.topic_class, n_classes))
    assert_array_equal(gate.states(code, code), missing.states(code, code))


# --- EM ------------------------------------------------------------------------------------------


@kinds
@reals
@given(data=st.data())
def test_em_is_the_reference_step_by_step(kind, real, data):
    """Topics, words, gate and objective of up to four passes, from the same start.

    Words in any order and twice, empty documents, weights, any guesses, any strength of the priors.
    """
    messy, clean = data.draw(
        drawing.messy_counts(real, max_documents=7, max_words=7, unusual=(0.0, 0.5, 200.0), some_words=True)
    )
    n_documents = messy.shape[0]
    layout = data.draw(drawing.layouts(max_classes=3, max_topics=2))
    code = data.draw(drawing.labels(n_documents, layout.n_classes)).astype(np.int32)
    guess = data.draw(guesses(kind, n_documents, layout))
    weight = data.draw(st.none() | drawing.weights(n_documents, real))
    smoothing = data.draw(st.sampled_from([0.0, 0.01, 1.0]))
    settings = Settings(
        Layout(layout.topic_class, layout.n_classes),
        data.draw(st.sampled_from([0.0, 1.0, 5.0])),
        data.draw(st.sampled_from([1.0, 0.1, 2.5])),
    )
    X = clean.toarray()
    assume(weight is None or (weight.astype(float) @ X).sum() > 0)

    counts = check_counts(PLSA(), messy, reset=True)
    corpus = Corpus(counts, Labels(np.arange(layout.n_classes), code), weight)
    class_prior = corpus.class_frequencies()
    assert_allclose(class_prior, reference.class_frequencies(code, weight, layout.n_classes), rtol=1e-6)
    gate = gate_of(kind, layout)
    words = data.draw(drawing.distributions(layout.n_topics, X.shape[1], real, zeros=False)).T
    n_passes = data.draw(st.integers(1, 4))
    wanted_gate = reference.GateModel(kind, layout.topic_class, layout.n_classes)
    wanted = reference.climb(
        wanted_gate,
        X,
        weight,
        code,
        guess,
        words,
        class_prior,
        strength=settings.prior_strength,
        unlabeled_weight=settings.unlabeled_weight,
        smoothing=smoothing,
        n_passes=n_passes,
    )
    fit = fit_gated(
        counts,
        corpus,
        gate,
        settings,
        Method(Endless(n_passes, 0.0), Folding(), smoothing=smoothing, n_threads=1),
        np.random.RandomState(0),
        guess=guess,
        words=padded(np.ascontiguousarray(words), real),
    )

    single = real == np.float32
    tolerance = {"rtol": 2e-3, "atol": 1e-4} if single else {"rtol": 1e-9, "atol": 1e-11}
    n_topics = layout.n_topics
    size = 1 + np.abs(wanted.trace).max() + X.sum(dtype=np.float64)
    assert_allclose(fit.trace, wanted.trace, rtol=0, atol=size * (1e-4 if single else 1e-11))
    assert_allclose(fit.parameters.doc_topic[:, :n_topics], wanted.doc_topic, **tolerance)
    assert_allclose(fit.parameters.word_topic[:, :n_topics], wanted.word_topic, **tolerance)
    assert_allclose(fit.parameters.gate.table(), wanted.gate, **tolerance)


@given(data=st.data())
def test_the_start_from_labels_is_the_reference(data):
    """One topic a class needs no noise: half the words of the class, half of the corpus."""
    X = data.draw(drawing.counts(some_words=True))
    layout = data.draw(drawing.layouts(max_topics=1, max_extra=0))
    code = data.draw(drawing.labels(X.shape[0], layout.n_classes)).astype(np.int32)
    weight = data.draw(st.none() | drawing.weights(X.shape[0]))
    assume(weight is None or (weight @ X.toarray()).sum() > 0)
    words = starts.words_from_groups(
        Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1]),
        code,
        layout.topic_class,
        weight,
        np.random.RandomState(0),
    )
    wanted = reference.first_words(X.toarray(), weight, code, layout.topic_class)
    assert_allclose(words[:, : layout.n_topics], wanted, rtol=1e-10, atol=1e-300)


@given(drawing.layouts(), st.data())
def test_the_prior_of_topics_is_the_reference(layout, data):
    prior = data.draw(drawing.distributions(1, layout.n_classes))[0]
    found = Layout(layout.topic_class, layout.n_classes).topic_prior(prior)
    assert_allclose(found, reference.topic_prior(layout.topic_class, prior), rtol=1e-12)
    assert_allclose(found.sum(), 1, rtol=1e-12)


def test_classes_of_topics_follow_from_counts():
    """A topic of a class is that class's; one of none as its words were, evenly where it has none."""
    layout = lay_out(np.array([1, 2]), 2)
    count = np.array([[0.0, 0, 0, 3, 0], [5, 1, 0, 1, 0]])
    assert_array_equal(label_topic(count, layout), [[1, 0, 0, 0.75, 0.5], [0, 1, 1, 0.25, 0.5]])


# --- identities, to the last bit -----------------------------------------------------------------


def run_under(gate, state, problem, n_passes=5, prior=None):
    """EM from the problem's start under a gate."""
    real, n_topics = problem.real, problem.n_topics
    n_states = len(gate.table())
    fallback = np.full((n_states, n_topics), 1 / n_topics)
    X = problem.X
    steps = GatedSteps(
        Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1]),
        n_topics,
        state=state,
        prior=None if prior is None else padded(np.tile(prior, (n_states, 1)), real),
        fallback=padded(fallback, real),
        smoothing=0.01,
        weight=problem.weight,
        n_threads=1,
    )
    begin = Parameters(padded(problem.doc_topic, real), padded(problem.word_topic, real), gate)
    return em.run(steps, begin, passes(n_passes))


def assert_same_bits(first, second):
    assert_array_equal(first.parameters.doc_topic, second.parameters.doc_topic)
    assert_array_equal(first.parameters.word_topic, second.parameters.word_topic)
    assert_array_equal(first.trace, second.trace)


@pytest.fixture(params=drawing.REALS, ids=lambda real: np.dtype(real).name)
def problem(request):
    """Twelve documents, five topics, weights."""
    return drawing.random_problem([5, 3, 0, 7, 4, 6, 2, 8, 5, 1, 9, 3], 11, 5, request.param, n_states=1)


CODE = np.array([0, -1, 1, 2, -1, -1, 0, -1, 2, -1, -1, 1], dtype=np.int32)
GUESS = np.array([0, 1, 2, 0, 1, 2, 0, 2, 2, 1, 0, 0], dtype=np.int32)
LAYOUT = lay_out(np.array([2, 1, 2]), 0)
PRIOR = np.array([0.5, 1.0, 2.0, 0.25, 1.5])


def test_without_labels_missing_labels_are_plain_plsa(problem):
    """The row of the unlabeled is all ones: no label, no difference."""
    gate = MissingLabel(LAYOUT)
    unlabeled = np.full(12, -1, dtype=np.int32)
    missing = run_under(gate, gate.states(unlabeled, GUESS), problem, prior=PRIOR)
    plain = run_under(OpenGate(5), None, problem, prior=PRIOR)
    assert_same_bits(missing, plain)


def test_with_every_label_all_but_the_fake_label_are_supervised(problem):
    """The guess of a labeled document is not looked at, and what is learned of guesses changes nothing."""
    code = np.where(CODE < 0, GUESS, CODE).astype(np.int32)
    supervised = run_under(FixedGate(LAYOUT.allowed()), code, problem, prior=PRIOR)
    for kind in KINDS:
        if kind == "fake":
            continue
        gate = gate_of(kind, LAYOUT)
        state = gate.states(code, GUESS[::-1])
        assert_same_bits(supervised, run_under(gate, state, problem, prior=PRIOR))


def test_guesses_that_are_never_wrong_are_labels(problem):
    """beta = identity, hard, nothing learned: supervised PLSA on labels and guesses."""
    gate = replace(Mislabeling.near_truth(LAYOUT, soft=False), beta=np.eye(3))
    guessed = run_under(FixedGate(gate.table()), gate.states(CODE, GUESS), problem, prior=PRIOR)
    code = np.where(CODE < 0, GUESS, CODE).astype(np.int32)
    assert_same_bits(guessed, run_under(FixedGate(LAYOUT.allowed()), code, problem, prior=PRIOR))


@pytest.mark.parametrize("soft", [False, True])
def test_guesses_that_say_nothing_are_missing_labels(problem, soft):
    """beta uniform: the gate is 1 / C for every topic, the posterior that of missing labels."""
    gate = replace(Mislabeling.near_truth(LAYOUT, soft=soft), beta=np.full((3, 3), 1 / 3))
    assert_allclose(gate.table()[3:], 1 / 3)
    guessed = run_under(FixedGate(gate.table()), gate.states(CODE, GUESS), problem, prior=PRIOR)
    missing = MissingLabel(LAYOUT)
    wanted = run_under(missing, missing.states(CODE, GUESS), problem, prior=PRIOR)
    tolerance = {"rtol": 1e-4, "atol": 1e-6} if problem.real == np.float32 else {"rtol": 1e-10}
    assert_allclose(guessed.parameters.doc_topic, wanted.parameters.doc_topic, **tolerance)
    assert_allclose(guessed.parameters.word_topic, wanted.parameters.word_topic, **tolerance)
    length = np.asarray(problem.X.sum(axis=1), dtype=np.float64).ravel()
    factor = np.log(1 / 3) * (problem.weight * length)[CODE < 0].sum()
    assert_allclose(np.array(guessed.trace) - factor, wanted.trace, rtol=1e-5)


@pytest.mark.parametrize("soft", [False, True])
def test_where_nothing_is_sure_labels_are_missing(problem, soft):
    """ "Not sure" is then the only guess, P(not sure | true class) is one, and a fake label says nothing."""
    gate = Mislabeling.near_truth(LAYOUT, soft=soft, doubt=True)
    unsure = run_under(gate, gate.states(CODE, np.full(12, 3, dtype=np.int32)), problem, prior=PRIOR)
    missing = MissingLabel(LAYOUT)
    wanted = run_under(missing, missing.states(CODE, GUESS), problem, prior=PRIOR)
    assert_allclose(unsure.parameters.gate.beta, [[0] * 3] * 3 + [[1] * 3], rtol=1e-9)
    tolerance = {"rtol": 1e-3, "atol": 1e-5} if problem.real == np.float32 else {"rtol": 1e-9}
    assert_allclose(unsure.parameters.doc_topic, wanted.parameters.doc_topic, **tolerance)
    assert_allclose(unsure.parameters.word_topic, wanted.parameters.word_topic, **tolerance)


@pytest.mark.parametrize("soft", [False, True])
def test_doubt_that_never_comes_changes_nothing(problem, soft):
    """Guesses that are all sure: from the first update on the gate is that without doubt."""
    guess = np.where(np.arange(12) % 3 == 0, GUESS, (GUESS + 1) % 3).astype(np.int32)
    plain, doubting = (Mislabeling.near_truth(LAYOUT, soft=soft, doubt=doubt) for doubt in (False, True))
    doubting = replace(doubting, beta=np.vstack([plain.beta, np.zeros((1, 3))]))
    runs = [run_under(gate, gate.states(CODE, guess), problem, prior=PRIOR) for gate in (plain, doubting)]
    assert_same_bits(*runs)
    assert_array_equal(runs[1].parameters.gate.beta[:3], runs[0].parameters.gate.beta)


@kinds
@given(data=st.data())
def test_what_is_drawn_may_be_anything_that_is_open(kind, data):
    """Probabilities, none of what is open is zero, what is fixed stays; the same seed draws the same."""
    layout = data.draw(drawing.layouts())
    gate, seed = gate_of(kind, layout), data.draw(st.integers(0, 99))
    first, second = (gate.drawn(np.random.RandomState(seed)) for _ in range(2))
    table = first.table()
    assert_array_equal(table, second.table())
    assert_array_equal(table > 0, gate.table() > 0)
    assert_array_equal(first.open(), gate.open())
    n_classes = layout.n_classes
    if kind == "missing":
        assert first is gate
    elif kind == "fake":
        assert_columns_sum_to_one(table)
    elif kind == "learned":
        assert_columns_sum_to_one(table[:n_classes])
        assert_array_equal(table[:, layout.topic_class >= 0], gate.table()[:, layout.topic_class >= 0])
    else:
        assert_columns_sum_to_one(first.beta)
        assert_columns_sum_to_one(first.unlabeled_class_topic)
        fixed = np.array_equal(first.unlabeled_class_topic, gate.unlabeled_class_topic)
        assert fixed == (not first.soft or n_classes == 1)
        if n_classes > 1:
            assert not np.allclose(first.beta, gate.beta)


def test_what_is_drawn_is_drawn_evenly():
    """Every distribution over the classes is as probable as any other: columns are Dirichlet(1, ..., 1)."""
    layout = lay_out(np.ones(3, dtype=int), 4000)
    gate = LearnedLabel.even(layout).drawn(np.random.RandomState(0))
    drawn = gate.probability[:, 3:]
    assert_allclose(drawn.mean(axis=1), 1 / 3, atol=0.01)
    assert_allclose(drawn.var(axis=1), 1 / 18, atol=0.005)


def test_topics_of_documents_are_drawn_among_those_that_they_may_use():
    """Evenly, each document by itself, in the arrays that are given; zeros stay."""
    rows = padded(np.repeat([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]], 3000, axis=0), np.float64)
    begin = Parameters(rows, np.zeros((1, rows.shape[1])), OpenGate(3))
    drawn = starts.with_random_topics(begin, np.random.RandomState(0))
    assert drawn is begin
    assert_allclose(rows.sum(axis=1), 1, rtol=1e-12)
    assert not rows[:3000, 2:].any()
    assert not rows[:, 3:].any()
    assert_allclose(rows[:3000].var(axis=0)[:2], 1 / 12, atol=0.005)
    assert_allclose(rows[3000:].var(axis=0)[:3], 1 / 18, atol=0.005)
    assert len(np.unique(rows[:, 0])) == 6000


def test_soft_is_hard_where_the_classes_of_topics_are_certain(problem):
    """Q at one for a topic's class stays there, and beta is learned as in the hard form."""
    hard = Mislabeling.near_truth(LAYOUT, soft=False)
    runs = [
        run_under(gate, gate.states(CODE, GUESS), problem, prior=PRIOR)
        for gate in (hard, replace(hard, soft=True))
    ]
    assert_same_bits(*runs)
    first, second = (run.parameters.gate for run in runs)
    assert_array_equal(first.beta, second.beta)
    assert_array_equal(first.unlabeled_class_topic, second.unlabeled_class_topic)


def test_one_topic_a_class_leaves_a_labeled_document_no_choice(problem):
    """Whatever the gate, its topics are its class's alone, and what it says of words does not change."""
    layout = lay_out(np.ones(3, dtype=int), 0)
    problem = problem.replace(doc_topic=problem.doc_topic[:, :3], word_topic=problem.word_topic[:, :3])
    problem = problem.replace(doc_topic=problem.doc_topic / problem.doc_topic.sum(axis=1, keepdims=True))
    full = np.diff(problem.X.indptr) > 0
    for kind in KINDS:
        gate = gate_of(kind, layout)

        fit = run_under(gate, gate.states(CODE, GUESS), problem)
        known = (CODE >= 0) & full
        assert_array_equal(fit.parameters.doc_topic[known, :3], np.eye(3)[CODE[known]])


def test_the_fake_label_is_the_share_of_unlabeled_words():
    """Without priors P(fake|z) is the unlabeled documents' share of the topic's words, exactly."""
    problem = drawing.random_problem([5, 3, 4, 7, 4, 6], 11, 5, np.float64, n_states=1)
    code = np.array([0, -1, 1, 2, -1, -1], dtype=np.int32)
    gate = FakeLabel.even(LAYOUT)
    fit = run_under(gate, gate.states(code, code), problem)
    length = np.asarray(problem.X.sum(axis=1)).ravel()
    words = (problem.weight * length)[:, np.newaxis] * fit.parameters.doc_topic[:, :5]
    assert_allclose(
        fit.parameters.gate.table()[-1], words[code < 0].sum(axis=0) / words.sum(axis=0), rtol=1e-10
    )


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("accelerated", [False, True])
def test_the_gate_goes_with_the_parameters(kind, accelerated):
    """Leaps that land and leaps that do not: the objective of the last entry is that of what is returned."""
    rng = np.random.default_rng(3)
    X = sparse.csr_array(rng.poisson(0.7, (30, 11)).astype(float))
    problem = drawing.random_problem([1] * 30, 11, 5, np.float64, n_states=1).replace(X=X, weight=None)
    code = np.where(np.arange(30) % 3 == 0, np.arange(30) // 3 % 3, -1).astype(np.int32)
    gate = gate_of(kind, LAYOUT)
    steps = GatedSteps(
        Counts(X.indptr.astype(np.int64), X.indices, X.data, 11),
        5,
        state=gate.states(code, np.arange(30, dtype=np.int32) % 3),
        prior=None,
        fallback=padded(np.full((len(gate.table()), 5), 0.2), np.float64),
        smoothing=0.01,
        n_threads=1,
    )
    begin = Parameters(padded(problem.doc_topic, np.float64), padded(problem.word_topic, np.float64), gate)
    fit = em.run(em.Accelerated(steps) if accelerated else steps, begin, passes(60))
    assert np.diff(fit.trace).min() > -1e-9
    assert steps.expect(fit.parameters).objective == fit.trace[-1]


@pytest.mark.parametrize(
    "gate_of",
    [
        MissingLabel,
        FakeLabel.even,
        lambda layout: LearnedLabel.even(replace(layout, topic_class=np.array([0, 1, -1]))),
        lambda layout: Mislabeling.near_truth(layout, soft=True),
        lambda layout: OneComponent.even(layout, 1.0, 1.0),
    ],
    ids=["missing", "fake", "learned", "soft", "one component"],
)
def test_what_is_learned_is_another_gate(gate_of):
    """The gate before is left as it was: another start, or a fit that is kept, may still have it."""
    gate = gate_of(lay_out(np.array([1, 2]), 0))
    before = gate.table().copy()
    learned = gate.learn(np.random.default_rng(0).uniform(size=before.shape))
    assert_array_equal(gate.table(), before)
    assert (learned is gate) == isinstance(gate, MissingLabel) == np.allclose(learned.table(), before)


@pytest.mark.parametrize(
    ("topic_group", "noise"),
    [([0, 1], False), ([1, 0], False), ([0, 0, 1], True), ([0, 1, 1], True), ([0, 1, -1], True)],
)
def test_topics_of_one_group_start_apart(topic_group, noise):
    """And without noise where there is nothing to be told apart."""
    X = sparse.csr_array(np.array([[3.0, 1, 0], [0, 1, 4]]))
    counts = Counts(X.indptr.astype(np.int64), X.indices, X.data, 3)
    drawn = [
        starts.words_from_groups(
            counts, np.array([0, 1]), np.array(topic_group), None, np.random.RandomState(seed)
        )
        for seed in (0, 1)
    ]
    assert np.array_equal(*drawn) is not noise
    columns = drawn[0][:, : len(topic_group)]
    assert_allclose(columns.sum(axis=0), 1)
    assert len(np.unique(columns.T, axis=0)) == len(topic_group)
