"""Naive Bayes by EM: its steps against the reference, and NaiveBayesEM as an estimator."""

import pickle
from functools import cache

import drawing
import numpy as np
import pytest
import reference
from helpers import (
    Stopper,
    assert_same_bits,
    assert_usable,
    interrupting,
    learned,
    misleading,
    partly_labeled,
    read_only,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import logsumexp, softmax
from sklearn.naive_bayes import MultinomialNB

from plsa import CountScaler, NaiveBayesEM, _kernels, annealing_schedule, top_words
from plsa.datasets import planted_corpus
from plsa.engine import em
from plsa.engine.counts import Counts
from plsa.engine.mixture_steps import MixtureSteps, joint
from plsa.engine.parameters import padded
from plsa.engine.progress import Progress
from plsa.estimators.validation import check_counts
from plsa.labels.corpus import Corpus
from plsa.labels.gates import OneComponent
from plsa.labels.layout import Layout, lay_out
from plsa.labels.reading import Labels
from plsa.learning import mixtures
from plsa.learning.collapse import lost_classes
from plsa.learning.evidence import HeldOut, hold_out
from plsa.learning.mixtures import by_divergence, by_labels, dealt_out

types = pytest.mark.parametrize(("real", "index"), drawing.TYPE_PAIRS, ids=drawing.TYPE_NAMES)
reals = pytest.mark.parametrize("real", drawing.REALS, ids=lambda real: np.dtype(real).name)
components = pytest.mark.parametrize("n_components", [1, 3])

# What a logarithm of a probability may be off by, of its size.
RELATIVE = {np.dtype(np.float32): 2e-6, np.dtype(np.float64): 1e-14}
# A component with fewer documents than that is lost in rounding, and its words with it.
SMALLEST = {np.dtype(np.float32): 1e-20, np.dtype(np.float64): 1e-250}
SHORT_SCHEDULE = [0.1, 0.2, 0.5, 1.0]


def planted(seed=1, document_length=25):
    """Documents of four classes of two topics each, labels for one in six, and the truth."""
    options = {"document_length": document_length, "word_concentration": 1.0, "dtype": "float64"}
    return partly_labeled(240, 120, seed=seed, **options)


def even_em(*arguments, **parameters):
    """NaiveBayesEM whose documents all count alike unless said otherwise: nothing is held out for that."""
    weight = {} if len(arguments) > 1 else {"unlabeled_weight": 1.0}
    return NaiveBayesEM(*arguments, **weight | parameters)


def assert_same_parameters(found, wanted, rtol=1e-8):
    """P(w|z), P(z) and P(class), but for rounding."""
    for name in ("components_", "topic_prior_", "class_prior_"):
        assert_allclose(getattr(found, name), getattr(wanted, name), rtol=rtol, atol=1e-12, err_msg=name)


# --- the steps against the reference -------------------------------------------------------------


def steps_of(problem, n_threads=1):
    """The steps of a drawn problem, and its first gate."""
    layout = Layout(problem.layout.topic_class, problem.layout.n_classes)
    gate = OneComponent.even(layout, problem.class_alpha, problem.component_alpha)
    X = problem.X
    steps = MixtureSteps(
        Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1]),
        layout.n_topics,
        state=gate.states(problem.code, None),
        n_states=layout.n_classes + 1,
        alpha=np.broadcast_to(problem.alpha, X.shape[1]).astype(np.float64),
        weight=problem.weight,
        n_threads=n_threads,
    )
    return steps, gate


def told(problem):
    """X, weight, and pseudo-counts as the reference takes them."""
    X = problem.X.toarray()
    weight = np.ones(len(X)) if problem.weight is None else problem.weight.astype(np.float64)
    alpha = np.broadcast_to(problem.alpha, X.shape[1])
    return X, weight, reference.Pseudo(alpha, problem.class_alpha, problem.component_alpha)


def mixture_of(steps, parameters):
    """The parameters that the steps have come to, as the reference has them."""
    return reference.Mixture(
        parameters.word_topic[:, : steps.n_topics].astype(np.float64),
        parameters.gate.class_prior.copy(),
        parameters.gate.component_prior.copy(),
    )


@types
@given(data=st.data())
def test_steps_are_the_reference(real, index, data):
    """Priming, P(z|d) at any power, what documents add up to, the objective and the next parameters.

    Every step is held against the reference's from the same parameters: nothing adds up over steps.
    """
    problem = data.draw(drawing.mixture_problems(real, index, unusual=(0.0, 0.5, 40.0)))
    X, weight, pseudo = told(problem)
    code, topic_class, n_classes = problem.code, problem.layout.topic_class, problem.layout.n_classes
    n_topics = len(topic_class)
    steps, gate = steps_of(problem)
    parameters = steps.primed(problem.share, gate)
    share = problem.share
    old_words = reference.corpus_words(X, weight, n_topics)
    tolerance = 10 * RELATIVE[np.dtype(real)]
    for power in data.draw(st.lists(st.sampled_from([1.0, 0.6, 0.02]), min_size=1, max_size=3)):
        wanted = reference.mixture_maximize(X, weight, share, topic_class, n_classes, pseudo, old_words)
        mixture = mixture_of(steps, parameters)
        heard = (weight @ share > SMALLEST[np.dtype(real)]) | (pseudo.words.sum() > 0)
        assert_allclose(mixture.words[:, heard], wanted.words[:, heard], rtol=tolerance, atol=tolerance)
        assert_allclose(mixture.classes, wanted.classes, rtol=tolerance, atol=tolerance)
        assert_allclose(mixture.components, wanted.components, rtol=tolerance, atol=tolerance)
        table = reference.missing_label_gate(topic_class, n_classes)
        table = table * mixture.classes[topic_class] * mixture.components
        assert_allclose(parameters.gate.table(), table, rtol=tolerance)
        assert not parameters.word_topic[:, n_topics:].any(), "padding must stay zero"

        joint = reference.mixture_joint(X, code, topic_class, mixture)
        size = 1 + np.abs(joint[np.isfinite(joint)]).max(initial=0)
        tolerance = 10 * size * RELATIVE[np.dtype(real)]
        share, log_total = reference.mixture_posterior(joint, power, code, topic_class)
        steps.power = power
        found = steps.expect(parameters)
        assert_allclose(found.doc[:, :n_topics], share, rtol=tolerance, atol=tolerance)
        assert not found.doc[:, n_topics:].any(), "padding must stay zero"
        log_likelihood = weight @ np.where(weight > 0, log_total, 0)
        objective = reference.mixture_objective(log_total, weight, mixture, pseudo, real)
        scale = tolerance * (1 + weight.sum() / power + np.abs(objective))
        assert_allclose(found.log_likelihood, log_likelihood, rtol=0, atol=scale)
        assert_allclose(found.objective, objective, rtol=0, atol=scale)
        old_words = mixture.words
        parameters = steps.maximize(parameters, found)


@reals
@pytest.mark.parametrize("power", [1.0, 0.3])
def test_more_documents_than_are_worked_out_together(real, power):
    """Thousands of them, some of a class that has no chance, all the way through."""
    rng = np.random.default_rng(0)
    n_documents = 2500
    X = rng.poisson(1, (n_documents, 6)).astype(real)
    code = rng.integers(-1, 3, n_documents).astype(np.int32)
    layout = drawing.DrawnLayout(np.array([0, 1, 1, 2, 2], dtype=np.int32), 3)
    weight = np.where(code == 2, 0, rng.choice([0.5, 1, 2], n_documents)).astype(real)
    share = (code[:, np.newaxis] == layout.topic_class) * rng.uniform(0.5, 1, (n_documents, 5))
    share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-9)
    problem = drawing.MixtureProblem(sparse.csr_array(X), code, weight, layout, 0.5, 0.0, 0.0, share)
    steps, gate = steps_of(problem)
    parameters = steps.primed(share, gate)
    mixture = mixture_of(steps, parameters)
    assert mixture.classes[2] == 0
    steps.power = power
    found = steps.expect(parameters)
    joint = reference.mixture_joint(X, code, layout.topic_class, mixture)
    wanted, log_total = reference.mixture_posterior(joint, power, code, layout.topic_class)
    tolerance = 1e-4 if real == np.float32 else 1e-10
    assert_allclose(found.doc[:, :5], wanted, rtol=tolerance, atol=tolerance)
    assert_allclose(found.doc[code == 2, 3:5], 0.5)
    X, weight, pseudo = told(problem)
    objective = reference.mixture_objective(log_total, weight, mixture, pseudo, real)
    assert_allclose(found.objective, objective, rtol=tolerance)


@given(data=st.data())
def test_explained_is_the_posterior_at_power_one(data):
    """Whatever power the steps are at, and each document under its label; P(w|z) and the gate stay."""
    problem = data.draw(drawing.mixture_problems(unusual=(0.0, 0.5, 40.0)))
    X, _, _ = told(problem)
    topic_class = problem.layout.topic_class
    steps, gate = steps_of(problem)
    parameters = steps.primed(problem.share, gate)
    steps.power = 0.1
    found = steps.explained(parameters)
    joint = reference.mixture_joint(X, problem.code, topic_class, mixture_of(steps, parameters))
    wanted, _ = reference.mixture_posterior(joint, 1.0, problem.code, topic_class)
    assert_allclose(found.doc_topic[:, : len(topic_class)], wanted, rtol=1e-8, atol=1e-10)
    assert found.word_topic is parameters.word_topic
    assert found.gate is parameters.gate


@reals
@given(data=st.data())
def test_reordered_components_take_their_words_and_their_chances_along(real, data):
    """Column z is column order[z] of before; the classes have what their places now add up to."""
    problem = data.draw(drawing.mixture_problems(real))
    steps, gate = steps_of(problem)
    parameters = steps.primed(problem.share, gate)
    n_topics, n_classes = steps.n_topics, problem.layout.n_classes
    order = np.array(data.draw(st.permutations(range(n_topics))))
    prior = parameters.gate.topic_prior()[order]
    found = steps.reordered(parameters, order, parameters.gate.with_topic_prior(prior))
    assert_array_equal(found.word_topic[:, :n_topics], parameters.word_topic[:, order])
    assert_array_equal(found.doc_topic[:, :n_topics], parameters.doc_topic[:, order])
    assert_allclose(found.gate.table()[n_classes], prior, rtol=1e-6, atol=1e-30)
    of_class = np.bincount(problem.layout.topic_class, prior, n_classes)
    assert_allclose(found.gate.class_prior, of_class, rtol=1e-6, atol=1e-30)


@given(data=st.data())
def test_the_free_energy_of_a_power_never_falls(data):
    """Any labels, weights and pseudo-counts: steps at one power climb what is theirs."""
    problem = data.draw(drawing.mixture_problems())
    power = data.draw(st.sampled_from([1.0, 0.7, 0.3, 0.05]))
    steps, gate = steps_of(problem)
    fit = em.follow(steps, steps.primed(problem.share, gate), [power] * 7, None)
    assert len(fit.trace) == 7
    slack = 1e-11 * max(np.abs(fit.trace).max(), problem.X.sum() / power, 1)
    assert np.diff(fit.trace).min() >= -slack


# --- whole fits against the reference ------------------------------------------------------------


def overlapping(seed, n_classes):
    """Documents of classes that share words, one of them empty, and labels for a few."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(20, 0.7), 2 * n_classes)
    topic = np.concatenate([np.arange(2 * n_classes), rng.integers(0, 2 * n_classes, 40)])
    X = np.array([rng.multinomial(rng.poisson(9), words[z]) for z in topic], dtype=float)
    X[-1] = 0
    return X, np.where(np.arange(len(X)) < 2 * n_classes + 4, topic % n_classes, -1), rng


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("annealing", [None, SHORT_SCHEDULE], ids=["EM", "annealed"])
@pytest.mark.parametrize("n_components", [1, 2, 6])
def test_learning_is_the_reference(n_components, annealing, weighted, seed):
    """Dealing out, priming, annealing, EM and predictions: all of it in dense NumPy gives the same."""
    n_classes = 2 + seed % 3
    X, code, rng = overlapping(seed, n_classes)
    weight = rng.choice([0.5, 1.0, 2.0], len(X)) if weighted else None
    unlabeled_weight = [1.0, 0.4][seed % 2]
    pseudo = reference.Pseudo(
        rng.uniform(0.1, 2, 20) if weighted else np.full(20, 0.5), [0.0, 1.0][seed // 2], [1.0, 0.2][seed % 2]
    )
    found = even_em(
        n_components,
        unlabeled_weight,
        annealing,
        correspondence=None,
        alpha=pseudo.words if weighted else 0.5,
        class_alpha=pseudo.classes,
        component_alpha=pseudo.components,
        max_iter=4,
        tol=0,
        random_state=seed,
    ).fit(X, code, sample_weight=weight)

    each = (1 if weight is None else weight) * np.where(code < 0, unlabeled_weight, 1.0)
    layout = lay_out(np.full(n_classes, n_components), 0)
    counts = check_counts(NaiveBayesEM(), X, reset=True, dtype="float64")
    corpus = Corpus(counts, Labels(np.arange(n_classes), code.astype(np.int32)), each)
    share = dealt_out(corpus, layout, np.random.RandomState(seed))
    n_powers = 1 if annealing is None else len(annealing)
    powers = [*(annealing or [1.0])[:-1], *np.ones(len(found.objective_trace_))]
    wanted = reference.learn_mixture(X, each, code, layout.topic_class, n_classes, pseudo, share, powers)

    assert len(found.objective_trace_) == found.n_iter_ + 1 >= 3
    assert_allclose(found.objective_trace_, wanted.trace[n_powers - 1 :], rtol=1e-10)
    if annealing is None:
        assert found.annealing_trace_.shape == (0, 2)
    else:
        assert_array_equal(found.annealing_trace_[:, 0], annealing)
        assert_allclose(found.annealing_trace_[:, 1], wanted.trace[:n_powers], rtol=1e-10)
    mixture = wanted.mixture
    assert_allclose(found.components_.T, mixture.words, rtol=1e-7, atol=1e-12)
    assert_allclose(found.class_prior_, mixture.classes, rtol=1e-7)
    prior = mixture.classes[layout.topic_class] * mixture.components
    assert_allclose(found.topic_prior_, prior, rtol=1e-7, atol=1e-12)
    assert_allclose(found.doc_topic_, wanted.share, rtol=1e-6, atol=1e-9)
    assert_allclose(found.log_likelihood_, wanted.log_likelihood, rtol=1e-10)

    joint = reference.mixture_joint(X, np.full(len(X), -1), layout.topic_class, mixture)
    of_class = np.column_stack(
        [np.logaddexp.reduce(joint[:, layout.topic_class == c], axis=1) for c in range(n_classes)]
    )
    assert_allclose(found.joint_log_likelihood(X), of_class, rtol=1e-8, atol=1e-8)
    assert_allclose(found.transform(X), softmax(joint, axis=1), rtol=1e-6, atol=1e-9)
    assert_allclose(found.predict_proba(X), softmax(of_class, axis=1), rtol=1e-6, atol=1e-9)


def test_components_are_dealt_out_within_the_class():
    """Each labeled document has one of its class's; all get their share; a lack is made up at random."""
    X, y, _ = planted()
    counts = check_counts(NaiveBayesEM(), X, reset=True, dtype="float64")
    corpus = Corpus(counts, Labels(np.arange(4), y.astype(np.int32)), None)
    layout = lay_out(np.array([1, 2, 3, 30]), 0)
    share = dealt_out(corpus, layout, np.random.RandomState(0))
    known = y >= 0
    assert not share[~known].any()
    assert_allclose(share[known].sum(axis=1), 1, rtol=1e-12)
    assert not share[known][y[known][:, np.newaxis] != layout.topic_class].any()
    for c, n_components in enumerate([1, 2, 3]):
        own = share[y == c][:, layout.topic_class == c]
        assert set(own.ravel()) <= {0.0, 1.0}
        assert np.ptp(own.sum(axis=0)) <= 1
        assert own.shape[1] == n_components
    many = share[y == 3][:, layout.topic_class == 3]
    assert len(many) < 30
    assert (many.sum(axis=0) > 0).all()
    assert (np.count_nonzero(many, axis=0) > 1).any()
    other = dealt_out(corpus, layout, np.random.RandomState(1))
    assert (other != share).any()


def test_empty_documents_take_no_component_from_others():
    """They have all of their class's evenly, and the others are dealt out as if they were not there."""
    X, y, _ = planted()
    known = np.flatnonzero(y >= 0)
    emptied = X.toarray()
    emptied[known[::2]] = 0
    layout = lay_out(np.full(4, 3), 0)
    full = np.setdiff1d(np.arange(240), known[::2])
    shares = []
    for counts, code in ((emptied, y), (emptied[full], y[full])):
        checked = check_counts(NaiveBayesEM(), counts, reset=True, dtype="float64")
        corpus = Corpus(checked, Labels(np.arange(4), code.astype(np.int32)), None)
        shares.append(dealt_out(corpus, layout, np.random.RandomState(0)))
    assert_array_equal(shares[0][full], shares[1])
    own = y[known[::2], np.newaxis] == layout.topic_class
    assert_allclose(shares[0][known[::2]], own / 3, rtol=1e-12)


# --- the objective -------------------------------------------------------------------------------


@components
def test_it_settles_where_a_step_gains_little(n_components):
    """Each step but the last gains more than tol a word, documents counted as they weigh."""
    X, y, _ = planted()
    found = even_em(n_components, 0.3, tol=1e-4, random_state=0).fit(X, y)
    least = 1e-4 * X.sum(axis=1) @ np.where(y < 0, 0.3, 1)
    gains = np.diff(found.objective_trace_)
    assert found.stop_reason_ == "settled"
    assert (gains[:-1] > least).all()
    assert gains[-1] <= least
    assert found.n_iter_ == len(gains) > 2
    few = even_em(n_components, 0.3, tol=1e-4, max_iter=2, random_state=0).fit(X, y)
    assert few.stop_reason_ == "rounds"
    assert_array_equal(few.objective_trace_, found.objective_trace_[:3])


def test_where_nothing_is_hidden_nothing_is_annealed():
    """Every label and one component a class: naive Bayes, whatever schedule is asked for."""
    X, _, target = planted()
    wanted = even_em().fit(X, target)
    assert_same_bits(even_em(annealing=True).fit(X, target), wanted)
    assert len(even_em([1, 1, 1, 2], annealing=SHORT_SCHEDULE).fit(X, target).annealing_trace_) == 4


# --- naive Bayes ---------------------------------------------------------------------------------


@given(data=st.data())
def test_with_every_label_it_is_multinomial_naive_bayes(data):
    """One component a class, with and without weights, alpha a number or one for each word."""
    messy, clean = data.draw(drawing.messy_counts(some_words=True, unusual=(0.0, 0.5, 1e6)))
    n_documents, n_words = clean.shape
    y = data.draw(drawing.labels(n_documents, 3, unlabeled=False))
    alpha = data.draw(drawing.alphas(n_words))
    alpha = np.maximum(alpha, 0.01) if np.ndim(alpha) else max(alpha, 0.01)
    weight = data.draw(st.none() | drawing.weights(n_documents))
    if weight is not None:
        weight[np.unique(y, return_index=True)[1]] = 1.5  # every class counts
        assume(weight @ clean.sum(axis=1) > 0)
    wanted = MultinomialNB(alpha=alpha).fit(clean, y, sample_weight=weight)
    found = even_em(alpha=alpha).fit(messy, y, sample_weight=weight)
    assert_array_equal(found.classes_, wanted.classes_)
    assert_allclose(found.components_, np.exp(wanted.feature_log_prob_), rtol=1e-12)
    assert_allclose(found.class_prior_, np.exp(wanted.class_log_prior_), rtol=1e-12)
    expected = wanted.predict_joint_log_proba(clean)
    size = 1e-14 * (np.abs(expected).max() + clean.sum())
    assert_allclose(found.joint_log_likelihood(messy), expected, rtol=1e-12, atol=size)
    assert_allclose(
        found.predict_log_proba(messy), wanted.predict_log_proba(clean), rtol=1e-9, atol=10 * size
    )
    two_best = np.sort(expected, axis=1)[:, -2:]
    clear = np.ptp(two_best, axis=1) > 10 * size if expected.shape[1] > 1 else slice(None)
    assert_array_equal(found.predict(messy)[clear], wanted.predict(clean)[clear])
    assert found.stop_reason_ == "settled"


def test_naive_bayes_of_a_corpus():
    """The same on documents as they are, new ones among them, with the score."""
    X, _, target = planted()
    new, _, new_target = planted(seed=2)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], 240)
    for sample_weight in (None, weight):
        wanted = MultinomialNB(alpha=0.3).fit(X, target, sample_weight)
        found = even_em(alpha=0.3).fit(X, target, sample_weight)
        assert_allclose(found.predict_log_proba(new), wanted.predict_log_proba(new), rtol=1e-9, atol=1e-9)
        assert_array_equal(found.predict(new), wanted.predict(new))
        assert found.score(new, new_target, weight) == wanted.score(new, new_target, weight)


# --- annealing -----------------------------------------------------------------------------------


@components
@pytest.mark.parametrize("correspondence", [None, "labels", "kl"])
def test_one_power_of_one_is_no_annealing(n_components, correspondence):
    """[1.0], False and None are the same fit, bit for bit in everything."""
    X, y, _ = planted()
    wanted = even_em(n_components, max_iter=5, random_state=0).fit(X, y)
    for annealing in ([1.0], np.array([1]), (1.0,), False, np.bool_(False)):
        found = even_em(
            n_components, annealing=annealing, correspondence=correspondence, max_iter=5, random_state=0
        ).fit(X, y)
        assert_same_bits(found, wanted)
        assert found.annealing_trace_.shape == (0, 2)


@components
def test_powers_of_one_are_steps_of_plain_em(n_components):
    """[1.0] * n makes the first n - 1 steps; from there on all is as it was, to the same end."""
    X, y, _ = planted()
    wanted = even_em(n_components, tol=0, max_iter=12, random_state=0).fit(X, y)
    found = even_em(n_components, annealing=[1.0] * 5, tol=0, max_iter=8, random_state=0).fit(X, y)
    assert_allclose(found.annealing_trace_[:, 1], wanted.objective_trace_[:5], rtol=1e-12)
    assert_allclose(found.objective_trace_, wanted.objective_trace_[4:], rtol=1e-12)
    assert_same_parameters(found, wanted)


@components
def test_the_way_of_annealing_is_told(n_components):
    """The powers in order; the free energy, which rises at a power that repeats; then the objective."""
    X, y, _ = planted()
    powers = [0.05] * 4 + [0.3] * 4 + [0.8, 1.0]
    found = even_em(
        n_components, annealing=powers, correspondence=None, max_iter=3, tol=0, random_state=0
    ).fit(X, y)
    assert_array_equal(found.annealing_trace_[:, 0], powers)
    energy = found.annealing_trace_[:, 1]
    assert np.diff(energy[:4]).min() > 0
    assert np.diff(energy[4:8]).min() > 0
    assert energy[4] < energy[3], "between two powers it may fall"
    assert_allclose(found.objective_trace_[0], energy[-1], rtol=1e-12)
    assert np.diff(found.objective_trace_).min() > 0
    assert found.n_iter_ == 3
    assert found.stop_reason_ == "rounds"


def test_true_is_the_usual_schedule():
    X, y, _ = planted()
    wanted = even_em(annealing=annealing_schedule(), max_iter=2).fit(X, y)
    for annealing in (True, np.bool_(True), annealing_schedule().tolist()):
        assert_same_bits(even_em(annealing=annealing, max_iter=2).fit(X, y), wanted)
    assert len(wanted.annealing_trace_) == 395


@given(start=st.floats(1e-4, 1), factor=st.floats(1.01, 10), steps=st.integers(1, 3))
def test_a_schedule_ascends_to_one(start, factor, steps):
    """From the start by the factor, each power `steps` times, the last below 1 and then 1."""
    powers = annealing_schedule(start, factor, steps)
    assert powers[-1] == 1
    below = powers[:-1]
    assert len(below) % steps == 0
    assert_array_equal(below, np.repeat(below[::steps], steps))
    assert_allclose(below[::steps], start * factor ** np.arange(len(below) // steps), rtol=1e-9)
    assert (below < 1).all()
    if len(below):
        assert below[0] == start
        assert below[-1] * factor >= 1 - 1e-9
    else:
        assert start > 1 - 1e-9
    even_em(annealing=powers, max_iter=0).fit(np.eye(2), [0, 1])


def test_schedules_with_known_values():
    """The paper's, one that meets 1 exactly, and one that begins there."""
    assert len(annealing_schedule()) == 395
    assert_allclose(annealing_schedule()[:3], [0.02, 0.0202, 0.020402])
    assert_array_equal(annealing_schedule(0.25, 2), [0.25, 0.5, 1])
    assert_array_equal(annealing_schedule(0.25, 2, steps=2), [0.25, 0.25, 0.5, 0.5, 1])
    assert_array_equal(annealing_schedule(1.0), [1.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": 0}, "start == 0, but must be a finite number >= 1e-06"),
        ({"start": -0.5}, "start == -0.5"),
        ({"start": 1.5}, "start == 1.5, but must be at most 1"),
        ({"start": np.nan}, "start == nan"),
        ({"start": "low"}, "start == 'low'"),
        ({"factor": 1}, "factor == 1, but must be a finite number > 1"),
        ({"factor": 0.9}, "factor == 0.9"),
        ({"factor": np.inf}, "factor == inf"),
        ({"steps": 0}, "steps == 0, but must be a whole number >= 1"),
        ({"steps": 1.5}, "steps == 1.5"),
    ],
)
def test_schedules_that_are_none(arguments, message):
    with pytest.raises(ValueError, match=message):
        annealing_schedule(**arguments)


# --- weights -------------------------------------------------------------------------------------


@components
@pytest.mark.parametrize("annealing", [None, SHORT_SCHEDULE], ids=["EM", "annealed"])
def test_unlabeled_documents_of_no_weight_are_absent(n_components, annealing):
    """unlabeled_weight=0: the parameters of the labels alone; the others still get topics and guesses."""
    X, y, _ = planted()
    known = y >= 0
    parameters = {"annealing": annealing, "max_iter": 5, "tol": 0, "random_state": 0}
    found = even_em(n_components, 0, **parameters).fit(X, y)
    alone = even_em(n_components, **parameters).fit(X[known], y[known])
    assert_same_parameters(found, alone)
    assert_allclose(found.log_likelihood_, alone.log_likelihood_, rtol=1e-12)
    assert_allclose(found.doc_topic_[known], alone.doc_topic_, rtol=1e-6, atol=1e-9)
    assert_allclose(found.transduction_[~known], alone.predict_proba(X[~known]), rtol=1e-6, atol=1e-9)


@components
def test_unlabeled_documents_of_weight_two_are_there_twice(n_components):
    X, y, _ = planted()
    parameters = {"max_iter": 5, "tol": 0, "random_state": 0}
    found = even_em(n_components, 2, **parameters).fit(X, y)
    again = np.concatenate([np.arange(240), np.flatnonzero(y < 0)])
    twice = even_em(n_components, **parameters).fit(X[again], y[again])
    assert_same_parameters(found, twice)
    assert_allclose(found.objective_trace_, twice.objective_trace_, rtol=1e-11)


# --- components of classes -----------------------------------------------------------------------


def test_a_labeled_document_has_components_of_its_class_only():
    """P(z|d) of the fit is zero elsewhere; P(class|d) is the sum over the class's components (eq. 3.13)."""
    X, y, _ = planted()
    found = even_em([3, 1, 2, 4], random_state=0).fit(X, y)
    known = y >= 0
    foreign = y[:, np.newaxis] != found.topic_class_
    assert not found.doc_topic_[known][foreign[known]].any()
    assert found.doc_topic_[~known][foreign[~known]].any()
    topics = found.transform(X)
    assert_allclose(found.predict_proba(X), topics @ found.label_topic_.T, rtol=1e-9, atol=1e-15)
    assert_allclose(np.exp(found.predict_log_proba(X)), found.predict_proba(X), rtol=1e-9, atol=1e-15)
    assert_allclose(found.doc_topic_[~known], topics[~known], rtol=1e-9, atol=1e-15)
    assert_allclose(found.transduction_[~known], found.predict_proba(X)[~known], rtol=1e-9, atol=1e-15)
    assert_array_equal(found.transduction_[known], np.eye(4)[y[known]])
    assert_array_equal(found.guesses_, found.transduction_.argmax(axis=1))
    assert_array_equal(found.predict(X), found.predict_proba(X).argmax(axis=1))
    alone = logsumexp(found.joint_log_likelihood(X), axis=1)
    assert_allclose(alone[~known].sum(), found.log_likelihood_ - _labeled_likelihood(found, X, y), rtol=1e-10)


def _labeled_likelihood(model, X, y):
    """sum over labeled documents of log P(d, their class)."""
    known = np.flatnonzero(y >= 0)
    return model.joint_log_likelihood(X[known])[np.arange(len(known)), y[known]].sum()


def test_chances_of_classes_and_components():
    """Eq. 3.10 and 3.11: of classes where all have a label, of components by the documents that they have."""
    X, _, target = planted()
    found = even_em(
        [3, 1, 2, 1], class_alpha=1, component_alpha=1, max_iter=500, tol=1e-13, random_state=0
    ).fit(X, target)
    of_class = np.bincount(target)
    assert_allclose(found.class_prior_, (1 + of_class) / (4 + 240), rtol=1e-12)
    of_component = found.doc_topic_.sum(axis=0)
    number = np.array([3, 1, 2, 1])
    share = found.topic_prior_ / found.class_prior_[found.topic_class_]
    wanted = (1 + of_component) / (number + of_class)[found.topic_class_]
    assert_allclose(share, wanted, rtol=1e-5)
    assert_allclose(found.topic_prior_.sum(), 1, rtol=1e-12)
    plain = even_em([3, 1, 2, 1], random_state=0).fit(X, target)
    assert_allclose(plain.class_prior_, of_class / 240, rtol=1e-12)


@pytest.mark.parametrize("component_alpha", [0.0, 1.0])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_more_components_than_labeled_documents(alpha, component_alpha):
    """A label a class, seven components each: unlabeled documents shape them, and they differ."""
    X, _, target = planted()
    y = np.full(240, -1)
    first = np.unique(target, return_index=True)[1]
    y[first] = target[first]
    found = even_em(7, alpha=alpha, component_alpha=component_alpha, random_state=0).fit(X, y)
    assert_usable(found, X, rtol=1e-9)
    assert len(np.unique(found.components_.round(6), axis=0)) > 14
    assert np.diff(found.objective_trace_).min() > -1e-9 * abs(found.objective_trace_[0])


@cache
def crossed():
    """Class 0 talks of A and B or of C and D, class 1 of A and C or of B and D: on average of the same."""
    rng = np.random.default_rng(0)
    groups = {0: ((0, 1), (2, 3)), 1: ((0, 2), (1, 3))}
    target = np.arange(120) % 2
    X = np.zeros((120, 24))
    for d, c in enumerate(target):
        for group in groups[c][d // 2 % 2]:
            X[d, 6 * group : 6 * group + 6] += rng.multinomial(8, np.ones(6) / 6)
    return read_only(X, np.where(np.arange(120) < 40, target, -1), target)


def test_several_components_tell_apart_what_one_cannot():
    """And "auto" finds that out from the labeled documents alone."""
    X, y, target = crossed()
    new = y < 0
    one = even_em().fit(X, y)
    several = even_em(3, random_state=0).fit(X, y)
    chosen = even_em("auto", random_state=0).fit(X, y)
    assert one.score(X[new], target[new]) < 0.75
    assert several.score(X[new], target[new]) > 0.95
    assert min(chosen.components_per_class_) > 1
    assert chosen.score(X[new], target[new]) > 0.95
    assert chosen.component_scores_[1] < max(chosen.component_scores_.values())


def cross_validated(X, y, number, parts):
    """The share of labeled documents that a fit without them and without their label has right."""
    right = []
    for held in parts:
        hidden, weight = y.copy(), np.ones(len(y))
        hidden[held], weight[held] = -1, 0
        model = even_em(number, random_state=0).fit(X, hidden, sample_weight=weight)
        right += (model.predict(X[held]) == y[held]).tolist()
    return np.mean(right)


@pytest.mark.parametrize("n_labeled", [40, 60], ids=["one at a time", "a tenth at a time"])
def test_the_number_of_components_is_cross_validated(n_labeled):
    """Its scores are those of fits by hand; of equals the fewest; it stops after two that are no better."""
    X, _, target = crossed()
    y = np.where(np.arange(120) < n_labeled, target, -1)
    found = even_em("auto", random_state=3).fit(X, y)
    scores = found.component_scores_
    tried = list(scores)
    assert tried == [1, 2, 3, 5, 10, 20, 40][: len(tried)]
    parts = [[d] for d in range(n_labeled)]
    if n_labeled > 50:
        counts = check_counts(NaiveBayesEM(), X, reset=True, dtype="float64")
        corpus = Corpus(counts, Labels(np.arange(2), y.astype(np.int32)), None)
        parts = [held for _, held in hold_out(corpus, sample=False, folds=10, parts=10)]
        assert [len(held) for held in parts] == [6] * 10
    for number in tried[:2]:
        assert_allclose(scores[number], cross_validated(X, y, number, parts), rtol=1e-12)
    best = max(scores, key=lambda number: (scores[number], -number))
    assert found.components_per_class_ == [best, best]
    assert tried.index(best) == len(tried) - 3
    again = even_em(best, random_state=3).fit(X, y)
    assert_array_equal(found.components_, again.components_)


@pytest.mark.parametrize("n_labeled", [40, 60], ids=["one at a time", "a tenth at a time"])
def test_the_number_of_components_is_that_of_repeated_documents_in_any_order(n_labeled):
    """Copies are held out together, and which with which depends on their words alone."""
    X, _, target = crossed()
    y = np.where(np.arange(120) < n_labeled, target, -1)
    weight = np.random.default_rng(1).integers(0, 3, 120)
    again = np.random.default_rng(0).permutation(np.repeat(np.arange(120), weight))
    weighted = even_em("auto", random_state=0).fit(X, y, sample_weight=weight)
    repeated = even_em("auto", random_state=0).fit(X[again], y[again])
    assert list(weighted.component_scores_) == list(repeated.component_scores_)
    assert_allclose(
        list(weighted.component_scores_.values()), list(repeated.component_scores_.values()), rtol=1e-12
    )
    assert weighted.components_per_class_ == repeated.components_per_class_


def test_the_number_of_components_of_some_classes_may_be_open():
    """A mapping or a list with "auto": the others keep theirs."""
    X, y, _ = crossed()
    names = np.array(["no", "yes", None], dtype=object)[y]
    for given_components in ({"no": "auto", "yes": 4}, ["auto", 4]):
        found = even_em(given_components, random_state=0).fit(X, names)
        assert len(found.component_scores_) >= 3
        best = max(found.component_scores_, key=lambda number: (found.component_scores_[number], -number))
        assert best != 4
        assert found.components_per_class_ == [best, 4]


def test_without_labels_to_hold_out_an_open_number_is_one():
    """A label a class: no evidence, one each."""
    X, _, target = planted()
    few = np.full(240, -1)
    first = np.unique(target, return_index=True)[1]
    few[first] = target[first]
    found = even_em("auto").fit(X, few)
    assert found.component_scores_ == {}
    assert found.components_per_class_ == [1, 1, 1, 1]


def test_labels_of_no_weight_are_no_evidence():
    """All labeled documents but one weigh nothing: without that one there is no class, and no NaN either."""
    X, y, _ = planted()
    weight = np.where(y >= 0, 0.0, 1.0)
    weight[np.flatnonzero(y >= 0)[0]] = 1
    assert_usable(even_em("auto").fit(X, y, sample_weight=weight), X, rtol=1e-9)


def test_scaling_is_applied_to_new_documents_too():
    """As if the counts had been scaled by hand."""
    X, y, _ = planted()
    found = even_em(scaling=CountScaler(idf=True)).fit(X, y)
    by_hand = CountScaler(idf=True).fit(X)
    wanted = even_em().fit(by_hand.transform(X), y)
    assert_allclose(found.components_, wanted.components_, rtol=1e-9)
    assert_allclose(found.predict_proba(X[:9]), wanted.predict_proba(by_hand.transform(X[:9])), rtol=1e-6)


# --- which component is whose --------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "document_length"), [(12, 40), (17, 60)])
def test_correspondence_brings_lost_classes_back(seed, document_length):
    """A label a class, words in common: annealing swaps two classes, labels and plain EM know better."""
    corpus = planted_corpus(
        300,
        100,
        4,
        n_classes=4,
        document_length=document_length,
        word_concentration=3.0,
        random_state=seed,
        dtype="float64",
    )
    y = np.full(300, -1)
    first = np.unique(corpus.target, return_index=True)[1]
    y[first] = corpus.target[first]
    new = y < 0
    schedule = annealing_schedule(0.02, 1.1)
    lost, labels, kl = (
        even_em(annealing=schedule, correspondence=correspondence).fit(corpus.counts, y)
        for correspondence in (None, "labels", "kl")
    )
    assert lost.score(corpus.counts[new], corpus.target[new]) < 0.6
    for mended in (labels, kl):
        assert mended.score(corpus.counts[new], corpus.target[new]) > 0.9
        assert_array_equal(mended.topic_class_, np.arange(4))
        assert_array_equal(mended.annealing_trace_, lost.annealing_trace_)
        assert mended.objective_trace_[-1] > lost.objective_trace_[-1]
    # A person who knows which component is whose gets there as well.
    guessed = lost.predict(corpus.counts)
    told = [np.bincount(corpus.target[guessed == c]).argmax() for c in range(4)]
    assert sorted(told) == [0, 1, 2, 3]
    assert lost.reassign(told).score(corpus.counts[new], corpus.target[new]) > 0.9


def test_the_order_of_plain_em_is_taken(monkeypatch):
    """Plain EM's words come first, those of annealing second; the last climb begins in the order found."""
    X, y, _ = planted()
    seen = []

    def turned(from_words, to_words):
        seen.append((from_words.copy(), to_words.copy()))
        return np.array([2, 0, 3, 1])

    monkeypatch.setattr(mixtures, "by_divergence", turned)
    how = {"annealing": SHORT_SCHEDULE, "max_iter": 0}
    found = even_em(**how, correspondence="kl").fit(X, y)
    annealed = even_em(**how, correspondence=None).fit(X, y)
    assert_array_equal(seen[0][0].T, even_em(max_iter=0).fit(X, y).components_)
    assert_array_equal(seen[0][1].T, annealed.components_)
    assert_array_equal(found.components_, annealed.components_[[2, 0, 3, 1]])
    assert_allclose(found.topic_prior_, annealed.topic_prior_[[2, 0, 3, 1]], rtol=1e-12)
    assert_array_equal(found.topic_class_, np.arange(4))


@given(data=st.data())
def test_by_labels_is_the_best_of_all_orders(data):
    """Each component once, and no other order agrees with more labeled documents."""
    layout = data.draw(drawing.layouts(max_classes=3, max_topics=2, max_extra=0))
    n_documents = data.draw(st.integers(1, 6))
    topics = data.draw(drawing.distributions(n_documents, layout.n_topics))
    code = data.draw(drawing.labels(n_documents, layout.n_classes, unlabeled=False)).astype(np.int32)
    each = data.draw(drawing.weights(n_documents))
    order = by_labels(topics, code, each, Layout(layout.topic_class, layout.n_classes))
    assert sorted(order) == list(range(layout.n_topics))
    agreed = np.array([(each * (code == c)) @ topics for c in layout.topic_class])
    reached = agreed[np.arange(layout.n_topics), order].sum()
    assert_allclose(reached, reference.best_order(agreed), rtol=1e-12, atol=1e-12)


def test_by_labels_leaves_components_in_their_order_within_a_class():
    """All orders within a class agree with as many documents: rounding must not decide among them."""
    rng = np.random.default_rng(0)
    layout = lay_out(np.array([3, 1, 4]), 0)
    for _ in range(20):
        topics = rng.dirichlet(np.ones(8), 30)
        order = by_labels(topics, rng.integers(0, 3, 30).astype(np.int32), np.ones(30), layout)
        assert order[:3].tolist() == sorted(order[:3])
        assert order[4:].tolist() == sorted(order[4:])


@reals
@given(data=st.data())
def test_by_divergence_is_the_best_of_all_orders(real, data):
    """Each column once, and no other order has less KL divergence in all."""
    n_topics, n_words = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    p, q = (data.draw(drawing.distributions(n_topics, n_words, real, zeros=False)).T for _ in range(2))
    order = by_divergence(p, q)
    assert sorted(order) == list(range(n_topics))
    divergence = reference.divergences(p.astype(np.float64), q.astype(np.float64))
    reached = divergence[np.arange(n_topics), order].sum()
    assert_allclose(reached, -reference.best_order(-divergence), rtol=1e-6, atol=1e-6)


def test_divergence_takes_words_of_probability_zero():
    """A column without a word is far from one that has it, and nearest to itself."""
    words = np.array([[1.0, 0, 0.5], [0, 1, 0], [0, 0, 0.5]])
    assert_array_equal(by_divergence(words, words), [0, 1, 2])
    assert_array_equal(by_divergence(words, words[:, [2, 0, 1]]), [1, 2, 0])


def test_components_of_no_chance_may_change_places():
    """A class whose documents weigh nothing: its component may end in another class; all is finite."""
    X = np.array([[1.0, 1, 1], [0, 1, 1], [0, 0, 1]])
    for correspondence in ("labels", "kl"):
        for n_components in (1, 2, 3):
            found = even_em(
                n_components, annealing=[0.2, 0.4, 0.7, 1.0], correspondence=correspondence, random_state=0
            ).fit(X, [0, 1, 2], sample_weight=[1, 0, 2])
            assert np.isfinite(found.objective_trace_).all()
            assert_usable(found, X, rtol=1e-9)


def test_reassigned_components():
    """By list and by mapping: P(w|z) and P(z) stay, and all that speaks of classes follows."""
    X, y, _ = planted()
    names = np.array(["ant", "bee", "cat", "dog", None], dtype=object)[y]
    found = even_em([2, 1, 1, 1], random_state=0).fit(X, names)
    before = pickle.loads(pickle.dumps(found))
    topics = found.transform(X)
    order = ["dog", "ant", "cat", "bee", "dog"]
    assert found.reassign(order) is found
    whose = np.array([3, 0, 2, 1, 3])
    for name in ("components_", "topic_prior_", "doc_topic_"):
        assert_array_equal(getattr(found, name), getattr(before, name), err_msg=name)
    assert_array_equal(found.transform(X), topics)
    assert_array_equal(found.topic_class_, whose)
    assert_array_equal(found.label_topic_, whose == np.arange(4)[:, np.newaxis])
    assert_allclose(found.class_prior_, np.bincount(whose, found.topic_prior_), rtol=1e-12)
    wanted = topics @ found.label_topic_.T
    assert_allclose(found.predict_proba(X), wanted, rtol=1e-12)
    assert_allclose(np.exp(found.predict_log_proba(X)), wanted, rtol=1e-9, atol=1e-15)
    assert_array_equal(found.predict(X), found.classes_[wanted.argmax(axis=1)])
    unlabeled = y < 0
    by_class = found.doc_topic_ @ found.label_topic_.T
    assert_array_equal(found.guesses_[unlabeled], found.classes_[by_class[unlabeled].argmax(axis=1)])
    assert_array_equal(found.guesses_[~unlabeled], names[~unlabeled])
    # A mapping changes what it names; arrays and numpy's numbers do as well; and back again.
    found.reassign({np.int64(0): "ant", 4: "dog"})
    assert_array_equal(found.topic_class_, [0, 0, 2, 1, 3])
    found.reassign(np.array(["ant", "ant", "bee", "cat", "dog"]))
    assert_same_bits(found, before)
    assert_array_equal(found.predict_proba(X), before.predict_proba(X))


def test_components_of_a_class_that_had_no_example():
    """A person who has seen their words may give some to it; then it is a class like others."""
    X, y, _ = planted()
    usual = even_em(2, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="the class 9 has no example"):
        found = even_em(2, random_state=0, classes=[9, 0, 1, 2, 3]).fit(X, y)
    assert found.components_per_class_ == [2, 2, 2, 2, 0]
    found.reassign({0: 9})
    assert found.components_per_class_ == [1, 2, 2, 2, 1]
    assert_array_equal(found.label_topic_[4], [1, 0, 0, 0, 0, 0, 0, 0])
    assert_allclose(found.predict_proba(X)[:, 4], usual.transform(X)[:, 0], rtol=1e-9)
    assert_allclose(np.exp(found.predict_log_proba(X)), found.predict_proba(X), rtol=1e-9, atol=1e-12)
    assert found.class_prior_[4] == usual.topic_prior_[0] > 0
    assert set(found.guesses_[y < 0]) >= {9}
    assert_array_equal(found.guesses_[y >= 0], y[y >= 0])


def test_the_numbers_of_components_follow_where_they_are_reassigned():
    X, y, _ = planted()
    found = even_em([2, 1, 1, 1], max_iter=1, random_state=0).fit(X, y)
    assert found.components_per_class_ == [2, 1, 1, 1]
    assert found.reassign([3, 0, 0, 1, 3]).components_per_class_ == [2, 1, 0, 2]


def test_a_class_without_components_has_no_chance():
    X, y, _ = planted()
    found = even_em().fit(X, y).reassign([0, 0, 2, 3])
    assert_array_equal(found.class_prior_[1], 0)
    assert_array_equal(found.predict_proba(X)[:, 1], 0)
    assert np.isneginf(found.predict_log_proba(X)[:, 1]).all()
    assert np.isfinite(found.predict_log_proba(X)[:, [0, 2, 3]]).all()
    assert 1 not in found.predict(X)
    assert_usable(found, X, rtol=1e-9)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["ant", "bee"], "classes has 2 entries for 4 components"),
        (["dog", "bee", "ant", "owl"], r"component 3 cannot be of 'owl': the classes are \['ant', 'bee'"),
        (["ant", "bee", "cat", None], "component 3 cannot be of None"),
        ([0, 1, 2, 3], "component 0 cannot be of 0"),
        ({4: "ant"}, "there is no component 4; they are 0 to 3"),
        ({-1: "ant"}, "there is no component -1"),
        ({"ant": 0}, "there is no component 'ant'"),
        ({True: "ant"}, "there is no component True"),
        ({1.0: "ant"}, "there is no component 1.0"),
        ({1: "dog", 0: "owl"}, "component 0 cannot be of 'owl'"),
        ("ant", "classes == 'ant', but must be a list"),
        (3, "classes == 3, but must be a list with the class of each of the 4 components"),
    ],
)
def test_bad_assignments(classes, message):
    """Named with what was found; the model stays as it was."""
    X, y, _ = planted()
    names = np.array(["ant", "bee", "cat", "dog", None], dtype=object)[y]
    found = even_em(max_iter=2).fit(X, names)
    before = pickle.loads(pickle.dumps(found))
    with pytest.raises(ValueError, match=message):
        found.reassign(classes)
    assert_same_bits(found, before)


# --- collapse ------------------------------------------------------------------------------------


def rarely_shared(seed):
    """Documents of eight classes that share words, and twenty words each that no other document has."""
    corpus = planted_corpus(
        800, 400, 8, n_classes=8, document_length=30, word_concentration=1.0, random_state=seed
    )
    own = np.kron(np.eye(800), np.ones((1, 20)))
    X = sparse.csr_array(sparse.hstack([corpus.counts, own]))
    return X, np.where(np.arange(800) < 80, corpus.target, -1), corpus.target


@pytest.mark.parametrize("seed", range(3))
def test_collapse_is_said_with_its_figures(seed):
    """Pseudo-counts of 16,400 words drown what labels say: nearly all documents go to a few classes."""
    X, y, target = rarely_shared(seed)
    with pytest.warns(UserWarning, match="EM has collapsed") as warned:
        found = even_em().fit(X, y)
    others = y < 0
    guesses = np.bincount(found.guesses_[others], minlength=8)
    assert np.mean(found.guesses_[others] == target[others]) < 0.5
    kept = guesses > 0
    labels = np.bincount(y[~others], minlength=8)
    said = str(warned[0].message)
    assert f"100% of the 720 documents without a label went to {kept.sum()} of 8 classes" in said
    assert f"which have {labels[kept].sum() / labels.sum():.0%} of the labels" in said
    assert "alpha" in said
    assert warned[0].filename == __file__


@pytest.mark.parametrize("seed", range(3))
def test_what_the_warning_advises_helps(seed):
    X, y, target = rarely_shared(seed)
    found = even_em(alpha=0.01).fit(X, y)  # a warning would be an error
    assert np.mean(found.guesses_[y < 0] == target[y < 0]) > 0.8


@pytest.mark.parametrize("labels", ["as they come", "as many of each class"])
@pytest.mark.parametrize("seed", range(4))
def test_rare_classes_are_no_collapse(seed, labels):
    """One class has nine in ten documents, whatever the labels say: no warning, which would be an error."""
    shares = [0.9, 0.05, 0.05]
    corpus = planted_corpus(
        1000, 300, 3, n_classes=3, class_proportions=shares, word_concentration=2.0, random_state=seed
    )
    first = [np.flatnonzero(corpus.target == c)[:15] for c in range(3)]
    told = np.arange(150) if labels == "as they come" else np.concatenate(first)
    y = np.full(1000, -1)
    y[told] = corpus.target[told]
    found = even_em().fit(corpus.counts, y)
    assert np.mean(found.guesses_ == corpus.target) > 0.95


def corpus_of(code, weight=None):
    """Documents without words under labels: codes, -1 for none."""
    code = np.array(code, dtype=np.int32)
    counts = Counts(np.zeros(len(code) + 1, dtype=np.int64), np.zeros(0, np.int32), np.zeros(0), 1)
    labels = Labels(np.arange(code.max() + 1), code)
    return Corpus(counts, labels, weight)


def test_what_is_a_collapse():
    """Few guesses where the labels promise many, and labeled documents that are not recognized: both."""
    code = [0] * 10 + [1] * 10 + [-1] * 100
    first, second = np.array([0.9, 0.1]), np.array([0.1, 0.9])
    truth = np.array([first] * 10 + [second] * 10)
    blind, all_first = np.array([first] * 20), np.array([first] * 100)
    said = lost_classes(blind, all_first, corpus_of(code))
    assert said is not None
    assert "100% of the 100 documents without a label went to 1 of 2 classes, which have 50%" in said
    assert "only 0% of the labeled documents of the others" in said
    # Recognized: it is rare, and labeled more often than met.
    assert lost_classes(truth, all_first, corpus_of(code)) is None
    # A fifth of half of the guesses is enough.
    some = np.array([second] * 10 + [first] * 90)
    assert lost_classes(blind, some, corpus_of(code)) is None
    assert lost_classes(blind, some[1:], corpus_of(code[:-1])) is not None
    # A class of less than a tenth of the labels is none that is missed.
    many = np.array([first] * 60)
    assert lost_classes(many, all_first, corpus_of([0] * 55 + [1] * 5 + [-1] * 100)) is None
    assert lost_classes(many, all_first, corpus_of([0] * 54 + [1] * 6 + [-1] * 100)) is not None
    # Nor can four labeled documents tell, or four others.
    assert lost_classes(blind[:8], all_first, corpus_of([0] * 4 + [1] * 4 + [-1] * 100)) is None
    assert lost_classes(blind, all_first[:8], corpus_of([0] * 10 + [1] * 10 + [-1] * 8)) is None
    # None without a label, or none that counts.
    assert lost_classes(blind, all_first[:0], corpus_of(code[:20])) is None
    assert lost_classes(blind, all_first, corpus_of(code, np.array([1.0] * 20 + [0.0] * 100))) is None


# --- whether documents without a label help ------------------------------------------------------


def alone(found):
    """Whether the labels alone were taken."""
    return not found.unlabeled_used_ and found.unlabeled_weight_ == 0


def but_evidence(found):
    """All that a fit has left, but for how its weight was chosen."""
    return {name: value for name, value in learned(found).items() if name != "evidence_"}


def few_labels(n_each, seed=0):
    """Topical documents of four classes, so many labels of each, and the truth."""
    X, _, target = partly_labeled(800, 800, 4, seed=seed, document_length=30, word_concentration=0.6)
    first = np.concatenate([np.flatnonzero(target == c)[:n_each] for c in range(4)])
    return X, np.where(np.isin(np.arange(800), first), target, -1), target


def test_where_unlabeled_documents_mislead_the_labels_alone_are_used():
    """It is said with figures, and the model is, bit for bit, the one with a weight of 0."""
    X, y = misleading()
    with pytest.warns(UserWarning, match="did not help to classify labeled ones") as warned:
        found = NaiveBayesEM().fit(X, y)
    assert alone(found)
    assert found.choices_["unlabeled_weight"] is None
    assert not found.choices_["unlabeled_used"]
    evidence = found.evidence_
    assert list(evidence) == ["labels alone", *(f"unlabeled_weight={w}" for w in (0.01, 0.1, 1))]
    assert evidence["labels alone"] > evidence["unlabeled_weight=1"] + 0.1
    said = str(warned[0].message)
    assert f"{evidence['labels alone']:.1%} right with the labels alone" in said
    assert f"{evidence['unlabeled_weight=1']:.1%} with all documents" in said
    assert warned[0].filename == __file__
    assert_same_bits(but_evidence(found), but_evidence(NaiveBayesEM(unlabeled_weight=0).fit(X, y)))


@pytest.mark.parametrize("n_each", [1, 2, 10])
def test_where_unlabeled_documents_help_they_are_used(n_each):
    """Also of one label a class, where none can be held out; a warning would be an error."""
    X, y, target = few_labels(n_each)
    found = NaiveBayesEM().fit(X, y)
    assert found.unlabeled_used_
    assert found.choices_["unlabeled_weight"] == found.unlabeled_weight_ > 0
    assert (found.evidence_ == {}) == (n_each == 1)
    new = y < 0
    right = found.score(X[new], target[new])
    assert right > 0.9
    assert right > NaiveBayesEM(unlabeled_weight=0).fit(X, y).score(X[new], target[new]) + 0.02


@pytest.mark.parametrize("seed", range(3))
def test_without_labels_to_hold_out_em_must_keep_to_the_labels(seed):
    """It collapses, and takes labeled documents for another class: the labels alone are better."""
    X, _, target = rarely_shared(seed)
    first = np.unique(target, return_index=True)[1]
    y = np.where(np.isin(np.arange(800), first), target, -1)
    with pytest.warns(UserWarning, match="too few labels to hold any out; EM would take") as warned:
        found = NaiveBayesEM().fit(X, y)
    assert alone(found)
    assert found.evidence_ == {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixtures, "_KEPT", 0.0)
        with pytest.warns(UserWarning, match="EM has collapsed"):
            unsafe = NaiveBayesEM().fit(X, y)
    assert unsafe.unlabeled_weight_ == 1
    wrong = np.mean(unsafe.predict(X[first]) != target[first])
    assert f"EM would take {wrong:.0%} of the labeled documents" in str(warned[0].message)
    assert wrong > 0.2


@pytest.mark.filterwarnings("ignore:documents without a label did not help")
@pytest.mark.parametrize(
    "parameters",
    [{}, {"components_per_class": "auto", "max_iter": 5}, {"scaling": "auto"}, {"annealing": SHORT_SCHEDULE}],
    ids=str,
)
def test_a_chosen_weight_is_as_if_it_were_given(parameters):
    """To the last bit, whatever else is chosen."""
    for X, y, _ in (planted(), few_labels(5)):
        found = NaiveBayesEM(**parameters, random_state=0).fit(X, y)
        assert len(found.evidence_) == 4
        given_weight = NaiveBayesEM(unlabeled_weight=found.unlabeled_weight_, **parameters, random_state=0)
        wanted = given_weight.fit(X, y)
        assert wanted.evidence_ == {}
        assert_same_bits(but_evidence(found), but_evidence(wanted))
        assert found.component_scores_ == wanted.component_scores_
        assert found.scaling_scores_ == wanted.scaling_scores_


@pytest.mark.parametrize(
    ("right", "kept", "wanted"),
    [
        ({0.01: 90, 0.1: 50, 1: 30}, 1.0, 0.01),
        ({0.01: 60, 0.1: 95, 1: 90}, 0.0, 0.1),
        ({0.01: 60, 0.1: 70, 1: 80}, 0.0, 1),  # shown to gain: the labels are not asked again
        ({0.01: 40, 0.1: 30, 1: 60}, 0.8, 1),  # nothing is shown
        ({0.01: 40, 0.1: 30, 1: 60}, 0.79, 0),
        ({0.01: 40, 0.1: 30, 1: 40}, 1.0, 0),  # shown to lose
    ],
)
def test_which_weight_is_taken(right, kept, wanted, monkeypatch):
    """Of a hundred documents the labels alone have sixty right: what gains most, what may stand, or 0."""

    def said(n_right):
        return np.where(np.arange(100)[:, np.newaxis] < n_right, [[0.8, 0.2]], [[0.2, 0.8]])

    given_said = {"labels alone": said(60)} | {f"unlabeled_weight={w:g}": said(n) for w, n in right.items()}
    held = HeldOut(np.zeros(100, dtype=np.int32), np.ones(100), given_said)
    monkeypatch.setattr(mixtures, "_judge_weights", lambda *given: held)
    monkeypatch.setattr(mixtures, "_kept_labels", lambda *given: kept)
    X, y, _ = planted()
    if wanted == 0:
        with pytest.warns(UserWarning, match=f"60.0% right with the labels alone, {right[1]}.0% with all"):
            found = NaiveBayesEM().fit(X, y)
    else:
        found = NaiveBayesEM().fit(X, y)
    assert found.unlabeled_weight_ == wanted


@pytest.mark.filterwarnings("ignore:documents without a label did not help")
def test_every_weight_has_choices_of_its_own(monkeypatch):
    """Scalings and numbers of components are tried with documents of that weight."""
    X, y, _ = planted()
    seen = {"_choose_scaling": [], "_choose_numbers": []}
    for name, weights in seen.items():
        whole = getattr(mixtures, name)

        def choose(corpus, *given, whole=whole, weights=weights):
            weights.append(float(corpus.weights()[y < 0].mean()))
            return whole(corpus, *given)

        monkeypatch.setattr(mixtures, name, choose)
    NaiveBayesEM(max_iter=3).fit(X, y)
    for weights in seen.values():
        assert_allclose(weights, [0, 0.01, 0.1, 1])


@pytest.mark.parametrize("n_labeled", [100, 200], ids=["tenths", "thirds"])
def test_the_evidence_is_that_of_fits_by_hand(n_labeled):
    """Of each weight: held-out documents right, none of which is learned from."""
    X, _, target = planted()
    y = np.where(np.arange(240) < n_labeled, target, -1)
    found = NaiveBayesEM().fit(X, y)
    counts = check_counts(NaiveBayesEM(), X, reset=True, dtype="float64")
    corpus = Corpus(counts, Labels(np.arange(4), y.astype(np.int32)), None)
    parts = {"folds": 10, "parts": 10} if n_labeled == 100 else {}
    splits = hold_out(corpus, sample=False, **parts)
    assert len(splits) == (10 if n_labeled == 100 else 3)
    for weight, name in ((0, "labels alone"), (0.1, "unlabeled_weight=0.1"), (1, "unlabeled_weight=1")):
        right = []
        for inside, outside in splits:
            model = NaiveBayesEM(unlabeled_weight=weight).fit(X[inside], y[inside])
            right += (model.predict(X[outside]) == y[outside]).tolist()
        assert_allclose(found.evidence_[name], np.mean(right), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:documents without a label did not help")
@pytest.mark.parametrize("seed", range(4))
def test_the_weight_is_that_of_repeated_documents_in_any_order(seed):
    """Also where labeled documents weigh nothing."""
    rng = np.random.default_rng(seed)
    X, y, _ = planted(seed)
    weight = rng.integers(0, 3, len(y))
    again = rng.permutation(np.repeat(np.arange(len(y)), weight))
    weighted = NaiveBayesEM().fit(X, y, sample_weight=weight)
    repeated = NaiveBayesEM().fit(X[again], y[again])
    assert weighted.unlabeled_weight_ == repeated.unlabeled_weight_
    assert list(weighted.evidence_) == list(repeated.evidence_)
    assert_allclose(list(weighted.evidence_.values()), list(repeated.evidence_.values()), rtol=1e-12)
    assert_same_parameters(weighted, repeated)


def test_where_there_is_nothing_to_choose_nothing_is_tried():
    """All documents are labeled, or count, or say, nothing else; or no evidence is wanted."""
    X, y, target = planted()
    known = y >= 0
    empty = X * known[:, np.newaxis].astype(float)
    for documents, labels, weight in ((X, target, None), (X, y, known.astype(float)), (empty, y, None)):
        found = NaiveBayesEM().fit(documents, labels, sample_weight=weight)
        assert found.evidence_ == {}
        assert found.unlabeled_weight_ == 1
        assert found.unlabeled_used_ == (weight is None and labels is y)
    found = NaiveBayesEM(evidence=False).fit(X, y)
    assert found.evidence_ == {}
    assert_same_bits(learned(found), learned(even_em().fit(X, y)))
    assert NaiveBayesEM("auto", scaling="auto", evidence=False).fit(X, y).component_scores_ == {}


@pytest.mark.parametrize("weighted", [False, True])
def test_a_gain_is_one_of_sharpened_log_probabilities(weighted):
    """A power of what a candidate says is no gain; a weight is a repetition; the truth gains."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 3, 200).astype(np.int32)
    scores = rng.normal(size=(200, 3)) + np.eye(3)[code]
    said = {"a": softmax(scores, axis=1), "sure": softmax(3 * scores, axis=1), "no": np.full((200, 3), 1 / 3)}
    weights = rng.integers(1, 4, 200).astype(float) if weighted else np.ones(200)
    held = HeldOut(code, weights, said)
    again = np.repeat(np.arange(200), weights.astype(int))
    repeated = HeldOut(code[again], np.ones(len(again)), {name: p[again] for name, p in said.items()})
    mean, error = held.gain("a", over="no")
    assert mean > 2 * error > 0
    assert_allclose(held.gain("a", over="no"), repeated.gain("a", over="no"), rtol=1e-9)
    assert held.gain("a", over="a") == (0, 0)
    assert abs(held.gain("sure", over="a")[0]) < 0.05 * mean
    sharp = held.sharpness("a", 1.0, 1.0)
    true = np.log(softmax(sharp * np.log(said["a"]), axis=1)[np.arange(200), code])
    assert_allclose(mean, np.average(true + np.log(3), weights=weights), rtol=1e-6)


# --- numbers of every size -----------------------------------------------------------------------


@components
@pytest.mark.parametrize("annealing", [None, SHORT_SCHEDULE], ids=["EM", "annealed"])
def test_documents_of_a_million_words(n_components, annealing):
    """No overflow, no NaN; what is certain has a logarithm nevertheless."""
    X, y, _ = planted()
    rng = np.random.default_rng(0)
    long = np.array([rng.multinomial(10**6, row / row.sum()) for row in X[:60].toarray()], dtype=float)
    found = even_em(n_components, annealing=annealing, random_state=0).fit(long, y[:60])
    assert_usable(found, long, rtol=1e-9)
    assert np.isfinite(found.predict_log_proba(long)).all()
    assert found.predict_log_proba(long).min() < -10000
    assert np.isfinite(found.objective_trace_).all()
    short = even_em(n_components, annealing=annealing, random_state=0).fit(X, y)
    assert np.isfinite(short.predict_log_proba(long)).all()
    assert_array_equal(short.predict(long), short.classes_[short.predict_log_proba(long).argmax(axis=1)])


@pytest.mark.filterwarnings("ignore:.*EM has collapsed")  # so it has, into the classes of the huge ones
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1e-30, 1e30])
@pytest.mark.parametrize("annealing", [None, SHORT_SCHEDULE], ids=["EM", "annealed"])
def test_counts_of_every_size(size, dtype, annealing):
    X, y, _ = planted()
    huge = X.copy()
    huge[::7] *= size
    found = even_em(2, annealing=annealing, dtype=dtype, random_state=0).fit(huge, y)
    for values in (found.components_, found.predict_proba(huge), found.predict_log_proba(huge)):
        assert np.isfinite(values).all()
    assert_allclose(found.predict_proba(huge).sum(axis=1), 1, rtol=1e-5)
    assert np.isfinite(found.objective_trace_).all()


def test_counts_that_no_component_can_have_made_leave_the_prior():
    """n log P(w|z) is beyond all numbers: no NaN, and no component is preferred for it; a user is told."""
    X, y, _ = planted()
    found = even_em([2, 1, 1, 1], max_iter=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"too large for float64 at \(0, 0\)"):
        found.predict_proba(np.full((1, 120), 1e308))
    for dtype in ("float32", "float64"):
        count = np.full(120, np.finfo(dtype).max)
        beyond = Counts(np.array([0, 120]), np.arange(120, dtype=np.int32), count, 120)
        rows = joint(beyond, padded(found.components_.T, dtype), found.topic_prior_, None)
        assert_array_equal(rows, [np.log(found.topic_prior_)])


@components
def test_without_pseudo_counts_it_is_maximum_likelihood(n_components):
    """alpha=0: words that a class lacks have probability zero there, and no warning or NaN comes of it."""
    X, y, target = planted()
    found = even_em(alpha=0, component_alpha=0).fit(X, target)
    counts = np.array([X[target == c].sum(axis=0) for c in range(4)])
    assert_allclose(found.components_, counts / counts.sum(axis=1, keepdims=True), rtol=1e-12)
    assert (found.components_ == 0).any()
    some = even_em(n_components, alpha=0, component_alpha=0, random_state=0).fit(X, y)
    assert_usable(some, X, rtol=1e-9)
    assert np.isfinite(some.objective_trace_).all()
    assert np.isfinite(some.predict_log_proba(X)).all()
    # A class without a word has those of all documents.
    full = np.array([[2.0, 1, 0], [0, 1, 3], [0, 0, 0]])
    found = even_em(alpha=0).fit(full, ["a", "a", "b"], sample_weight=[3, 1, 1])
    assert_allclose(found.components_, [[6 / 13, 4 / 13, 3 / 13]] * 2, rtol=1e-12)
    # A document of words that no class has is as probable in all classes: the prior decides.
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]])
    apart = even_em(alpha=0).fit(X, ["a", "b", "b"])
    assert_allclose(apart.predict_proba([[0.0, 0, 5]]), [[1 / 3, 2 / 3]], rtol=1e-9)


def test_a_document_without_words_gets_the_prior():
    X, y, _ = planted()
    found = even_em([2, 1, 1, 3], random_state=0).fit(X, y)
    empty = sparse.csr_array((2, 120))
    assert_allclose(found.predict_proba(empty), [found.class_prior_] * 2, rtol=1e-12)
    assert_allclose(found.transform(empty), [found.topic_prior_] * 2, rtol=1e-12)


def test_labeled_documents_that_say_nothing():
    """They are empty: nothing tells the classes apart, and that is what is said."""
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    y = ["a", "b", None, None, None]
    found = even_em().fit(X, y)
    assert_allclose(found.predict_proba(X), 0.5, rtol=1e-9)
    assert_usable(found, X, rtol=1e-9)


def test_where_only_empty_documents_count_there_is_nothing_to_learn():
    """As for the labeled documents by themselves, with and without progress."""
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0]])
    for verbose in (0, 1):
        with pytest.raises(ValueError, match="not one word"):
            even_em(unlabeled_weight=0, verbose=verbose).fit(X, ["a", "b", None])


def test_one_class_is_certain():
    X, y, _ = planted()
    alone = even_em(2, annealing=SHORT_SCHEDULE, correspondence="kl", random_state=0).fit(
        X, np.where(y == 1, 7, -1)
    )
    assert_array_equal(alone.classes_, [7])
    assert_allclose(alone.predict_proba(X), 1, rtol=1e-12)
    assert_usable(alone, X, rtol=1e-9)


# --- what does not matter ------------------------------------------------------------------------

EVERYTHING = {
    "components_per_class": [2, 1, 3, 2],
    "annealing": SHORT_SCHEDULE,
    "correspondence": "kl",
    "max_iter": 6,
    "tol": 0,
    "random_state": 0,
}


@components
def test_the_order_of_documents_does_not_matter(n_components):
    X, y, _ = planted()
    order = np.random.default_rng(0).permutation(240)
    parameters = EVERYTHING | {"components_per_class": n_components}
    found = even_em(**parameters).fit(X[order], y[order])
    wanted = even_em(**parameters).fit(X, y)
    assert_same_parameters(found, wanted, rtol=1e-6)
    assert_allclose(found.doc_topic_, wanted.doc_topic_[order], rtol=1e-6, atol=1e-9)
    assert_array_equal(found.guesses_, wanted.guesses_[order])


# --- living with scikit-learn and pandas ---------------------------------------------------------


@pytest.mark.parametrize("by", ["ratio", "probability"])
def test_top_words_of_components(by):
    """Each component with its class's name, which follows where it is reassigned."""
    X, y, _ = crossed()
    names = np.array(["cold", "warm", None], dtype=object)[y]
    found = even_em([2, 3], random_state=0).fit(X, names)
    vocabulary = [f"{'ABCD'[w // 6]}{w % 6}" for w in range(24)]
    topics = top_words(found, vocabulary, n=4, by=by)
    assert [topic.label for topic in topics] == ["cold", "cold", "warm", "warm", "warm"]
    assert [topic.topic for topic in topics] == [0, 1, 2, 3, 4]
    for topic in topics:
        assert len(topic.words) == 4
        assert list(topic.scores) == sorted(topic.scores, reverse=True)
        if by == "probability":
            row = found.components_[topic.topic]
            assert_allclose(topic.scores, np.sort(row)[::-1][:4], rtol=1e-12)
    groups = {frozenset(word[0] for word in topic.words) for topic in topics[:2]}
    assert all(group <= {"A", "B"} or group <= {"C", "D"} for group in groups)
    assert len(groups) == 2
    found.reassign({0: "warm"})
    assert top_words(found, n=1, by=by)[0].label == "warm"


def test_verbose_tells_the_stages(capsys, monkeypatch):
    """Choosing, and of EM plain EM, annealing and the last climb of every start."""
    X, y, _ = planted()
    seen = []
    monkeypatch.setattr(Progress, "within", lambda progress, part, doing="": seen.append((part, doing)))
    even_em(**EVERYTHING | {"n_init": 2}, verbose=1).fit(X, y)
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith("NaiveBayesEM: EM: done, ")
    shown = [(part, doing.rpartition("pass ")[0]) for part, doing in seen if "pass" in doing]
    assert [part for part, _ in shown] == sorted(part for part, _ in shown)
    stages = [f"start {start} of 2, {what}" for start in (1, 2) for what in ("plain EM, ", "annealing, ", "")]
    assert list(dict.fromkeys(doing for _, doing in shown)) == stages
    assert shown[-1][0] == 1
    crossed_X, crossed_y, _ = crossed()
    even_em("auto", max_iter=2, scaling="auto", random_state=0, verbose=1).fit(crossed_X, crossed_y)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("NaiveBayesEM, stage 1 of 3: scalings on held-out labels: done")
    assert lines[1].startswith("NaiveBayesEM, stage 2 of 3: numbers of components: done")
    assert lines[2].startswith("NaiveBayesEM, stage 3 of 3: EM: done")
    assert lines[3].startswith("NaiveBayesEM: not settled after 2 passes")
    assert len(lines) == 4
    # Of one document of each class none can be held out.
    even_em("auto", scaling="auto", verbose=1).fit(np.eye(4), [0, 1, -1, -1])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("NaiveBayesEM, stage 1 of 2: numbers of components: done")
    assert lines[1].startswith("NaiveBayesEM, stage 2 of 2: EM: done")
    assert len(lines) == 3


# --- stopping ------------------------------------------------------------------------------------


# Plain EM for the correspondence, annealing and the last climb have four passes each.
STAGES = {
    "annealing": [0.1, 0.2, 0.5, 1.0],
    "correspondence": "kl",
    "max_iter": 3,
    "tol": 0,
    "random_state": 0,
}


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("at", range(1, 13))
def test_traces_end_where_the_fit_was_stopped(at, raises):
    """At any pass of plain EM, of annealing, of the last climb, by Ctrl-C or by True."""
    X, y, _ = planted()
    found = even_em([2, 1, 3, 2], **STAGES, n_init=2, callback=Stopper(at, raises=raises))
    if raises:
        with pytest.raises(KeyboardInterrupt):
            found.fit(X, y)
    else:
        found.fit(X, y)
    stage, done = divmod(at - 1, 4)
    assert found.stop_reason_ == ("interrupted" if raises else "callback")
    assert len(found.annealing_trace_) == (0 if stage == 0 else done + 1 if stage == 1 else 4)
    assert len(found.objective_trace_) == (1 if stage == 1 else done + 1)
    assert_usable(found, X, rtol=1e-9)


@pytest.mark.parametrize("raises", [False, True])
def test_annealing_cut_short_leaves_the_parameters_that_it_had_come_to(raises):
    """With the objective that is theirs at power 1, as if the powers that follow had not been asked for."""
    X, y, _ = planted()
    for done in range(4):
        model = even_em(**STAGES, callback=Stopper(5 + done, raises=raises))
        if raises:
            with pytest.raises(KeyboardInterrupt):
                model.fit(X, y)
        else:
            model.fit(X, y)
        wanted = even_em(annealing=[*SHORT_SCHEDULE[:done], 1.0], max_iter=0).fit(X, y)
        assert_same_parameters(model, wanted, rtol=1e-12)
        assert_allclose(model.objective_trace_, wanted.objective_trace_, rtol=1e-12)
        assert_allclose(model.log_likelihood_, wanted.log_likelihood_, rtol=1e-12)
        assert_array_equal(model.annealing_trace_[:, 0], SHORT_SCHEDULE[: done + 1])


def test_a_callback_sees_every_pass_of_every_stage():
    X, y, _ = planted()
    seen = []
    found = even_em(**STAGES, callback=seen.append).fit(X, y)
    assert [state.number for state in seen] == [1, 2, 3, 4] * 3
    plain = even_em(max_iter=3, tol=0).fit(X, y)
    assert_array_equal([state.objective for state in seen[:4]], plain.objective_trace_)
    assert_array_equal([state.objective for state in seen[4:8]], found.annealing_trace_[:, 1])
    assert_array_equal([state.objective for state in seen[8:]], found.objective_trace_)
    assert seen[-1].log_likelihood == found.log_likelihood_


def objective_of(model, X, y):
    """What the parameters of a fitted model with one pseudo-count of each word and component reach."""
    mixture = reference.Mixture(
        model.components_.T, model.class_prior_, model.topic_prior_ / model.class_prior_[model.topic_class_]
    )
    joint = reference.mixture_joint(X.toarray(), y, model.topic_class_, mixture)
    _, log_total = reference.mixture_posterior(joint, 1.0, y, model.topic_class_)
    pseudo = reference.Pseudo(np.ones(X.shape[1]), 0.0, 1.0)
    return reference.mixture_objective(log_total, np.ones(len(y)), mixture, pseudo, X.dtype)


@pytest.mark.parametrize("correspondence", [None, "kl"])
@pytest.mark.parametrize(
    ("place", "name"),
    [
        (_kernels, "document_sums"),
        (_kernels, "word_sums"),
        (_kernels, "normalize_columns"),
        (OneComponent, "learn"),
        (OneComponent, "table"),
        (MixtureSteps, "expect"),
        (MixtureSteps, "maximize"),  # when the arrays of the old parameters are spare ones already
    ],
    ids=lambda each: str(getattr(each, "__name__", each)).rpartition(".")[2],
)
def test_an_interrupted_fit_is_whole(place, name, correspondence):
    """Ctrl-C inside of a step of any stage: distributions, whatever was being written, or no fit."""
    X, y, _ = planted()
    n_fitted = 0
    for at in range(1, 13):
        model = even_em([2, 1, 3, 2], **STAGES | {"correspondence": correspondence})
        interrupted = interrupting(getattr(place, name), at)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(place, name, interrupted)
            try:
                model.fit(X, y)
            except KeyboardInterrupt:
                heard = True
            else:
                heard = False
        assert heard is (interrupted.calls >= at), f"Ctrl-C at call {at} was swallowed"
        if heard and learned(model):
            n_fitted += 1
            assert model.stop_reason_ == "interrupted"
            assert_usable(model, X, rtol=1e-9)
            if 0 < len(model.annealing_trace_) < 4:
                assert_allclose(model.objective_trace_, [objective_of(model, X, y)], rtol=1e-12)
    assert n_fitted >= 5


def test_as_printed_is_the_chapters():
    """A pseudo-count for every word, class and component, counts at one length, nothing chosen."""
    corpus = planted_corpus(90, 60, 3, n_classes=3, random_state=0)
    printed = NaiveBayesEM.as_printed()
    assert (
        printed.get_params()
        == NaiveBayesEM(
            unlabeled_weight=1.0, class_alpha=1.0, scaling=printed.scaling, evidence=False
        ).get_params()
    )
    found = printed.fit(corpus.counts, corpus.target)
    X = corpus.counts.toarray()
    X = X * (X.sum(axis=1).mean() / X.sum(axis=1, keepdims=True))
    counts = np.array([X[corpus.target == c].sum(axis=0) for c in range(3)]) + 1
    assert_allclose(found.components_, counts / counts.sum(axis=1, keepdims=True), rtol=1e-5)
    documents = np.bincount(corpus.target) + 1
    assert_allclose(found.class_prior_, documents / documents.sum(), rtol=1e-9)
