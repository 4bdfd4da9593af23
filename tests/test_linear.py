"""Linear classifiers of documents: squared hinges, complement naive Bayes, and blends of them."""

import drawing
import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import ComplementNB

from plsa.engine.counts import Counts
from plsa.engine.products import Products
from plsa.labels.corpus import Corpus
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning import linear
from plsa.learning.linear import blend, complement, damped, separate
from plsa.learning.scaling import TFIDF, fit_tfidf, unit_rows


def as_counts(X):
    return Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])


@pytest.fixture
def converged(monkeypatch):
    """Newton's steps may go all the way."""
    all_the_way(monkeypatch)


def all_the_way(patch):
    patch.setattr(linear, "_OUTER", 200)
    patch.setattr(linear, "_INNER", 200)
    patch.setattr(linear, "_CLOSE", 1e-9)
    patch.setattr(linear, "_INNER_CLOSE", 1e-3)


def drawn_lesson(data, real=np.float64):
    """Documents at unit length, a class and a weight for each, of which at least one is positive."""
    X = data.draw(drawing.counts(real, unusual=(0.0, 0.5, 1e4)))
    n_classes = data.draw(st.integers(1, 4))
    code = data.draw(drawing.labels(X.shape[0], n_classes, unlabeled=False)).astype(np.int32)
    weight = data.draw(drawing.weights(X.shape[0]))
    weight[0] = max(weight[0], 0.5)
    counts = as_counts(X)
    return unit_rows(TFIDF.fit(counts), counts), code, weight, n_classes


def topical(n=200, n_classes=3, seed=0):
    """Documents whose words tell the class, mostly."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, n_classes, n).astype(np.int32)
    rates = rng.gamma(0.5, size=(n_classes, 60))
    X = sparse.csr_array(rng.poisson(8 * rates[code] / rates[code].sum(axis=1, keepdims=True)).astype(float))
    counts = as_counts(X)
    return unit_rows(TFIDF.fit(counts), counts), code


# --- squared hinges ------------------------------------------------------------------------------


@given(data=st.data())
def test_squared_hinges_are_as_small_as_they_can_be(data):
    """The reference's loss is no smaller anywhere: its gradient vanishes at what is found."""
    rows, code, weight, n_classes = drawn_lesson(data)
    with pytest.MonkeyPatch.context() as patch:
        all_the_way(patch)
        found, scores = separate(Products(rows, n_classes, 1), code, weight, n_classes)
    dense = np.hstack([rows.matrix().toarray(), np.ones((len(code), 1))])
    assert_allclose(scores[:, :n_classes], dense @ found[:, :n_classes], rtol=1e-9, atol=1e-9)
    for c in range(n_classes):
        _, slope = reference.squared_hinge(dense, code == c, weight, found[:, c])
        _, first = reference.squared_hinge(dense, code == c, weight, np.zeros(dense.shape[1]))
        assert np.linalg.norm(slope) <= 1e-6 * (1 + np.linalg.norm(first))
    assert not found[:, n_classes:].any(), "what is padded stays zero"


def test_the_reference_knows_its_slope():
    rng = np.random.default_rng(0)
    X, own, weight, b = rng.normal(size=(8, 5)), rng.random(8) < 0.5, rng.random(8), rng.normal(size=5)
    _, slope = reference.squared_hinge(X, own, weight, b)
    for at in range(5):
        step = np.zeros(5)
        step[at] = 1e-6
        up, down = (reference.squared_hinge(X, own, weight, b + sign * step)[0] for sign in (1, -1))
        assert_allclose(slope[at], (up - down) / 2e-6, rtol=1e-5)


def test_a_few_steps_come_near(converged, monkeypatch):
    """As near as classes need it: hardly any document changes its class."""
    rows, code = topical(400, 5)
    products = Products(rows, 5, 1)
    _, wanted = separate(products, code, np.ones(400), 5)
    monkeypatch.undo()
    _, found = separate(products, code, np.ones(400), 5)
    assert np.mean(found.argmax(axis=1) == wanted.argmax(axis=1)) > 0.97
    assert np.abs(found - wanted).mean() < 0.15
    assert np.abs(found - wanted).max() > 1e-9, "else it went all the way"


def test_where_it_starts_makes_no_difference(converged):
    rows, code = topical()
    products = Products(rows, 3, 1)
    wanted, _ = separate(products, code, np.ones(200), 3)
    start = products.word_room()
    start[:, :3] = np.random.default_rng(0).normal(size=(len(start), 3))
    found, scores = separate(products, code, np.ones(200), 3, start)
    assert_allclose(found, wanted, atol=1e-6)
    assert_allclose(scores, products.of_documents(found), atol=1e-9)


def test_from_where_it_is_there_is_nowhere_to_go(monkeypatch):
    """A start that is near enough stays as it is."""
    rows, code = topical()
    products = Products(rows, 3, 1)
    start, _ = separate(products, code, np.ones(200), 3)
    again, _ = separate(products, code, np.ones(200), 3, start)
    assert_array_equal(again, start)


def test_a_weight_is_a_repetition(converged):
    rows, code = topical(60)
    weight = np.random.default_rng(1).integers(0, 4, 60).astype(float)
    again = np.repeat(np.arange(60), weight.astype(int))
    one, _ = separate(Products(rows, 3, 1), code, weight, 3)
    other, _ = separate(Products(rows.of_documents(again), 3, 1), code[again], np.ones(len(again)), 3)
    assert_allclose(one, other, atol=1e-7)
    some, all_of_them = (complement(Products(r, 3, 1), c, w, 3) for r, c, w in (
        (rows, code, weight), (rows.of_documents(again), code[again], np.ones(len(again)))
    ))  # fmt: skip
    assert_allclose(some, all_of_them, rtol=1e-12)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_the_same_bits_for_any_number_of_threads(real):
    rows, code = topical(300, 4)
    rows = rows.with_counts(rows.count.astype(real))
    found = [separate(Products(rows, 4, n), code, np.ones(300), 4)[0] for n in (1, 2, 3)]
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


def test_a_class_without_documents_has_minus_one(converged):
    rows, code = topical()
    _, scores = separate(Products(rows, 4, 1), code, np.ones(200), 4)
    assert_allclose(scores[:, 3], -1, atol=0.1)  # the ridge holds the intercept a little


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_frequent_classes_are_damped(power):
    """A class that has so many times the mean share has its documents' weights divided by a power of it."""
    code, weight = np.array([0, 0, 0, 1], dtype=np.int32), np.array([1.0, 2, 3, 2])
    assert_allclose(damped(code, weight, 2, power), weight / np.array([1.5, 1.5, 1.5, 0.5]) ** power)
    assert_allclose(damped(code, np.zeros(4), 3, power), 0)


# --- complement naive Bayes ----------------------------------------------------------------------


@given(data=st.data())
def test_complements_are_those_of_scikit_learn(data):
    """Its weights of words, but for what all classes have in common."""
    rows, code, weight, n_classes = drawn_lesson(data)
    met = np.unique(code)
    if len(met) < n_classes or n_classes < 2:
        return  # scikit-learn knows no classes without documents
    found = complement(Products(rows, n_classes, 1), code, weight, n_classes)
    theirs = ComplementNB(alpha=1.0).fit(rows.matrix(), code, sample_weight=weight)
    wanted = theirs.feature_log_prob_.T
    assert_allclose(found[:-1, :n_classes], wanted - wanted.mean(axis=1, keepdims=True), atol=1e-9)
    assert not found[-1].any(), "nothing is said of how frequent classes are"


# --- blends --------------------------------------------------------------------------------------


def opinions(seed=0, n=200, n_classes=3):
    """Scores of three classifiers: of which one is good, one knows a little and one nothing."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, n_classes, n).astype(np.int32)
    own = np.eye(n_classes)[code]
    return [size * own + rng.normal(size=own.shape) for size in (2.0, 0.5, 0.0)], code


@pytest.mark.parametrize("stretched", [False, True])
def test_blends_are_the_most_likely_weights(stretched):
    """None nearby is more likely; what is worth nothing has less than the usual weight.

    Scores that are stretched, document by document, whatever they are worth, are leveled.
    """
    scores, code = opinions()
    if stretched:
        by = np.exp(np.random.default_rng(1).normal(0, 1.5, (200, 1)))
        scores = [by * each for each in scores]
    usual = np.array([1.0, 1.0, 1.0])
    found = blend(scores, code, np.ones(200), usual)
    most = 0.5 * (1 - 1 / scores[0].shape[1])  # the usual leveling

    def likely(w, leveling=found.leveling):
        log_p = reference.log_softmax(sum(a * s for a, s in zip(w, scores, strict=True)), leveling)
        off = np.log(w / usual)
        # min over g of |off - g|^2 + 0.3 g^2 for all but the last, which stands by itself.
        common = off[:-1].sum() / (2 + 0.3)
        unlikely = np.sum((off[:-1] - common) ** 2) + 0.3 * common**2 + off[-1] ** 2
        unlikely += 6 * (leveling - most) ** 2
        return log_p[np.arange(200), code].sum() - unlikely

    best = likely(np.array(found.weights))
    assert_allclose(found.log_probability, best, rtol=1e-5)
    for at in range(3):
        for factor in (0.95, 1.05):
            other = np.array(found.weights)
            other[at] *= factor
            assert likely(other) < best + 1e-3
    assert found.leveling > most + 0.2 if stretched else found.leveling < most - 0.2
    for leveling in np.clip([found.leveling - 0.03, found.leveling + 0.03], 0, 1):
        assert likely(np.array(found.weights), leveling) < best + 1e-3
    assert found.weights[0] > found.weights[1] > found.weights[2]
    assert found.weights[2] < (0.5 * found.weights[0] if stretched else 0.5)


def test_few_documents_move_a_blend_little():
    """From what is usual; none leave it there."""
    scores, code = opinions()
    usual = [0.1, 1.4, 0.4]
    moved = []
    for n in (0, 5, 200):
        found = blend([each[:n] for each in scores], code[:n], np.ones(n), usual)
        moved.append(np.abs(np.log(np.array(found.weights) / usual)).max())
    assert moved[0] < 0.01
    assert moved[0] < moved[1] < moved[2]


def test_weights_of_documents_are_repetitions_in_a_blend():
    scores, code = opinions(n=30)
    weight = np.random.default_rng(0).integers(0, 3, 30)
    again = np.repeat(np.arange(30), weight)
    usual = [1.0, 1.0, 1.0]
    one = blend(scores, code, weight.astype(float), usual)
    other = blend([each[again] for each in scores], code[again], np.ones(len(again)), usual)
    assert_allclose(one.weights, other.weights, rtol=0.011)


# --- words and classes that count ------------------------------------------------------------------


@pytest.mark.parametrize(("n", "kept"), [(999, True), (1000, False)])
def test_words_of_one_document_without_a_label_count_for_nothing_where_there_are_many(n, kept):
    X = np.hstack([np.ones((n, 2)), np.zeros((n, 3))])
    X[0, 2] = X[1, 3] = 3
    code = np.full(n, UNLABELED, dtype=np.int32)
    code[1] = 0
    corpus = Corpus(as_counts(sparse.csr_array(X)), Labels(np.arange(2), code))
    for idf in (True, False):
        found = (fit_tfidf(corpus) if idf else fit_tfidf(corpus).without_rarity()).idf
        assert_array_equal(found > 0, [True, True, kept, True, False])


def frequencies(*counts):
    code = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    X = sparse.csr_array(np.ones((len(code), 1)))
    return Corpus(as_counts(X), Labels(np.arange(len(counts)), code)).log_frequencies()


def test_frequencies_of_classes_are_believed_as_far_as_chance_does_not_explain_them():
    assert_array_equal(frequencies(1, 1, 1, 1), np.zeros(4))
    assert_array_equal(frequencies(9, 11, 10, 10), np.zeros(4))
    found = frequencies(13, 5, 1, 1)
    share = 1 - 3 / 19.2  # sum of (13 - 5)^2 / 5, ... is 19.2
    wanted = np.log(share * np.array([14, 6, 2, 2]) / 24 + (1 - share) / 4)
    assert_allclose(found, wanted - wanted.mean())
