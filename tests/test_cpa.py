"""The clustering-based probabilistic algorithm: a likelihood that EM climbs, and noise that it finds."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import assert_same_bits, partly_labeled
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.stats import norm

from plsa import CPA
from plsa.baselines.cpa import NoisyMixture, NoisyPoints, _clusters, _start, class_of_clusters


def mixture_of(rng, n_clusters, n_classes, n_dimensions):
    """Any mixture, each class having a cluster."""
    class_of = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_clusters - n_classes)])
    given_labels = rng.dirichlet(np.ones(n_classes) * 2, n_classes).T
    mean = rng.normal(0, 1, (n_clusters, n_dimensions))
    return NoisyMixture(
        rng.dirichlet(np.ones(n_clusters) * 3),
        mean,
        rng.random((n_clusters, n_dimensions)) + 0.2,
        class_of,
        given_labels,
    )


def points_of(rng, n_points, n_classes, n_dimensions, n_typical=2.0, n_right=1.5):
    """Any points with labels."""
    points = rng.normal(0, 1.5, (n_points, n_dimensions))
    code = rng.integers(0, n_classes, n_points)
    return NoisyPoints(points, code, n_classes, rng.random(n_dimensions) + 0.3, n_typical, n_right)


def naive_joint(mixture, points):
    """P(x, k) by scipy, point by point and cluster by cluster."""
    return np.array(
        [
            [
                mixture.share[k] * np.prod(norm.pdf(x, mixture.mean[k], np.sqrt(mixture.variance[k])))
                for k in range(len(mixture.share))
            ]
            for x in points
        ]
    )


def flipped(truth, given_labels, rng):
    """Labels that are given by the columns of a matrix."""
    return np.array([rng.choice(len(given_labels), p=given_labels[:, y]) for y in truth])


# ---- the model


@given(st.integers(0, 999), st.integers(1, 4), st.integers(0, 3))
def test_densities_and_chances(seed, n_classes, more):
    """As scipy has the normal distribution; chances add up clusters of a class."""
    rng = np.random.default_rng(seed)
    mixture = mixture_of(rng, n_classes + more, n_classes, 3)
    points = rng.normal(0, 1, (5, 3))
    joint = naive_joint(mixture, points)
    assert_allclose(np.exp(mixture.log_joint(points)), joint, rtol=1e-8)
    of_class = np.array([joint[:, mixture.class_of == y].sum(axis=1) for y in range(n_classes)]).T
    assert_allclose(mixture.chances(points), of_class / of_class.sum(axis=1, keepdims=True), rtol=1e-8)


@given(st.integers(0, 999))
def test_the_objective_is_that_of_the_docstring(seed):
    """sum log sum_k P(k) N(x; k) P(g | y(k)), and what is thought before."""
    rng = np.random.default_rng(seed)
    mixture, noisy = mixture_of(rng, 5, 3, 2), points_of(rng, 7, 3, 2)
    joint = naive_joint(mixture, noisy.points)
    total = 0.0
    for d, g in enumerate(noisy.code):
        total += np.log(sum(joint[d, k] * mixture.given[g, mixture.class_of[k]] for k in range(5)))
    total += np.log(mixture.share).sum() + 1.5 * np.log(np.diag(mixture.given)).sum()
    total -= 2.0 / 2 * (np.log(mixture.variance) + noisy.variance / mixture.variance).sum()
    _, trace = noisy.climb(mixture, 0, 0.0)
    assert_allclose(trace, [total], rtol=1e-9)


@given(st.integers(0, 999), st.sampled_from([0.1, 2.0, 50.0]), st.sampled_from([0.01, 1.0, 30.0]))
def test_the_objective_never_falls(seed, n_typical, n_right):
    """From any mixture, update by update."""
    rng = np.random.default_rng(seed)
    noisy = points_of(rng, int(rng.integers(3, 40)), 3, 2, n_typical, n_right)
    _, trace = noisy.climb(mixture_of(rng, int(rng.integers(3, 7)), 3, 2), 15, 0.0)
    slack = 1e-9 * max(1, np.abs(trace).max())
    assert np.diff(trace).min(initial=0) >= -slack


def test_what_an_update_asks_for_is_best():
    """The expected log-probability is flat at the parameters of an update, in every direction."""
    rng = np.random.default_rng(4)
    before, noisy = mixture_of(rng, 4, 3, 2), points_of(rng, 30, 3, 2)
    logs = before.log_joint(noisy.points) + before.log_given(noisy.code)
    chance = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, np.newaxis])
    best = noisy.maximized(chance, before.class_of)
    assert_allclose(best.given.sum(axis=0), 1)
    assert_allclose(best.share.sum(), 1)

    def expected(mixture):
        found = mixture.log_joint(noisy.points) + mixture.log_given(noisy.code)
        return float((chance * found).sum()) + noisy.log_prior(mixture)

    def free(at, of):
        """A mixture with other means, variances, or shares and labels that still sum to one."""
        if of == "mean":
            return replace(best, mean=best.mean + at.reshape(4, 2))
        if of == "variance":
            return replace(best, variance=best.variance * np.exp(at.reshape(4, 2)))
        if of == "share":
            share = best.share * np.exp(at)
            return replace(best, share=share / share.sum())
        labels = best.given * np.exp(at.reshape(3, 3))
        return replace(best, given=labels / labels.sum(axis=0))

    for of, size in (("mean", 8), ("variance", 8), ("share", 4), ("given", 9)):
        slope = approx_fprime(np.zeros(size), lambda at, of=of: expected(free(at, of)), 1e-6)
        assert_allclose(slope, 0, atol=2e-4, err_msg=of)
        elsewhere = rng.normal(0, 0.3, size)
        assert expected(free(elsewhere, of)) < expected(best), of


# ---- clusters and classes


def test_classes_of_clusters_by_hand():
    """The most labels; a class that would have none keeps the cluster of its own with most of them."""
    labels = np.array([[9.0, 1, 0], [2, 5, 0], [0, 3, 2], [4, 0, 1]])
    assert class_of_clusters(labels, np.array([0, 1, 2, 2])).tolist() == [0, 1, 2, 0]
    assert class_of_clusters(labels[:2, :2], np.array([1, 0])).tolist() == [0, 1]
    everything = np.array([[9.0, 1], [8, 2], [7, 3]])
    assert class_of_clusters(everything, np.array([0, 1, 1])).tolist() == [0, 0, 1]


@given(st.integers(0, 999), st.integers(1, 5), st.integers(0, 5))
def test_no_class_loses_its_last_cluster(seed, n_classes, more):
    """Whatever the labels."""
    rng = np.random.default_rng(seed)
    origin = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, more)])
    labels = rng.integers(0, 4, (n_classes + more, n_classes)).astype(float)
    found = class_of_clusters(labels.copy(), origin)
    assert set(found.tolist()) == set(range(n_classes))
    kept = (found == labels.argmax(axis=1)) | (found == origin)
    assert kept.all()


def test_so_many_clusters_as_there_are():
    """By BIC: two heaps are two, one is one, few points are one."""
    rng = np.random.RandomState(0)
    heap, other = rng.normal(0, 0.1, (80, 2)), rng.normal(3, 0.1, (80, 2))
    assert _clusters(heap, 3, 0.001, rng).shape == (80, 1)
    two = _clusters(np.vstack([heap, other]), 3, 0.001, rng)
    assert two.shape == (160, 2)
    assert len(set(two[:80].argmax(axis=1))) == 1
    assert two[0].argmax() != two[80].argmax()
    assert _clusters(heap[:3], 3, 0.001, rng).shape == (3, 1)
    assert _clusters(heap[:1], 3, 0.001, rng).shape == (1, 1)


def test_clusters_are_mapped_by_the_labels_of_their_points():
    """A cluster among points of another class becomes one of it; what labels are given follows."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 100)
    points = np.array([[0.0], [5.0]])[truth] + rng.normal(0, 0.3, (200, 1))
    code = np.where(np.arange(200) % 4 == 0, 1 - truth, truth)
    noisy = NoisyPoints(points, code, 2, np.ones(1), 1.0, 4.0)
    even, spread = np.full(4, 0.25), np.full((4, 1), 0.3**2)
    mean, origin = np.array([[0.0], [5.0], [5.0], [0.0]]), np.array([0, 0, 1, 1])
    wrong = NoisyMixture(even, mean, spread, origin, np.eye(2))
    found = noisy.mapped(wrong, origin)
    assert found.class_of.tolist() == [0, 1, 1, 0]
    assert_array_equal(found.mean, mean)
    assert_allclose(found.given, np.array([[79, 25], [25, 79]]) / 104, atol=1e-6)


def test_clusters_are_mapped_once_more_in_the_end(monkeypatch):
    """What they are then is what counts."""
    X, y, _ = partly_labeled(300, 80, 4, document_length=25, word_concentration=0.3)
    plain = CPA(max_clusters=1, random_state=0).fit(X, y)
    seen = []

    def turned(labels, origin):
        seen.append(class_of_clusters(labels, origin))
        return seen[-1] if len(seen) == 1 else np.roll(seen[-1], 1)

    monkeypatch.setattr("plsa.baselines.cpa.class_of_clusters", turned)
    found = CPA(max_clusters=1, random_state=0).fit(X, y)
    assert len(seen) == 2
    assert_array_equal(found.model_.class_of, np.roll(plain.model_.class_of, 1))
    assert_array_equal(found.model_.mean, plain.model_.mean)
    assert found.mislabeling_.trace() < plain.mislabeling_.trace() / 2


# ---- noise


NOISE = np.array([[0.9, 0.3, 0.0], [0.1, 0.6, 0.1], [0.0, 0.1, 0.9]])


@pytest.mark.parametrize("most", [1, 3])
def test_planted_noise_is_found(most):
    """P(label|class) of points about three centers, to two digits; the points are told apart as in truth."""
    rng = np.random.RandomState(0)
    truth = rng.randint(0, 3, 3000)
    points = 2.0 * np.eye(3)[truth] + rng.normal(0, 0.5, (3000, 3))
    noisy = NoisyPoints(points, flipped(truth, NOISE, rng), 3, points.var(axis=0), 1.0, 1.0)
    start, _ = _start(noisy, most, rng)
    mixture, _ = noisy.climb(start, 200, 0.0)
    assert_allclose(mixture.given, NOISE, atol=0.04)
    assert np.mean(mixture.chances(points).argmax(axis=1) == truth) > 0.97


def test_wrong_labels_of_documents():
    """How many of a class are wrong is found in words, too, where they go one way; none where none is."""
    X, _, truth = partly_labeled(1500, 300, 4, document_length=25, word_concentration=0.3, dtype="float64")
    noise = np.eye(4)
    noise[:, 0] = [0.55, 0.45, 0, 0]
    y = flipped(truth, noise, np.random.RandomState(1))
    train = np.arange(1500) < 1000
    model = CPA(random_state=0).fit(X[train], y[train])
    assert_allclose(model.mislabeling_, noise, atol=0.08)
    assert model.score(X[~train], truth[~train]) > 0.95
    clean = CPA(random_state=0).fit(X[train], truth[train])
    assert_allclose(clean.mislabeling_, np.eye(4), atol=0.03)


# ---- the estimator


def test_the_trace_rises_and_is_as_long_as_it_says():
    """And no update is no EM, but a classifier."""
    X, y, _ = partly_labeled(300, 80, 4, document_length=25, word_concentration=0.3)
    model = CPA(random_state=0).fit(X, y)
    assert len(model.objective_trace_) == model.n_iter_ + 1 > 2
    assert np.diff(model.objective_trace_).min() >= -1e-9 * np.abs(model.objective_trace_).max()
    start = CPA(max_iter=0, random_state=0).fit(X, y)
    assert (start.n_iter_, start.objective_trace_[0]) == (0, model.objective_trace_[0])
    assert start.score(X[y >= 0], y[y >= 0]) > 0.8


def test_documents_without_a_label_are_in_the_space_alone():
    """Those that lie in it as others do change nothing."""
    X, y, _ = partly_labeled(300, 80, 4, document_length=25, word_concentration=0.3)
    labeled = np.flatnonzero(y >= 0)
    model = CPA(random_state=0).fit(X, y)
    assert model.model_.share.shape[0] <= len(labeled)
    alone = CPA(random_state=0).fit(X[labeled], y[labeled])
    assert not np.allclose(alone.predict_proba(X), model.predict_proba(X)), "the space is another one"


def test_odd_documents():
    """One label a class, empty documents, one dimension, more of them than words: there is an answer."""
    X = np.array([[3.0, 0, 0], [0, 2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1], [1e9, 0, 0]])
    y = ["a", "b", None, None, None, None]
    for n_dimensions in (1, 2, 3, 500):
        model = CPA(n_dimensions, random_state=0).fit(X, y)
        chance = model.predict_proba(X)
        assert np.isfinite(chance).all()
        assert_allclose(chance.sum(axis=1), 1)
        if n_dimensions == 2:
            assert model.predict(X)[[0, 1, 3, 4, 5]].tolist() == ["a", "b", "a", "b", "a"]
    assert_same_bits(CPA(3, random_state=0).fit(X, y), CPA(500, random_state=0).fit(X, y))
    alike = CPA(random_state=0).fit(np.ones((4, 3)), [0, 0, 1, 1])
    assert_allclose(alike.predict_proba(np.ones((1, 3))), [[0.5, 0.5]])
    labels = CPA(random_state=0).fit(np.eye(4), [0, 1, 2, 3]).mislabeling_
    assert_array_equal(labels.argmax(axis=0), [0, 1, 2, 3])
