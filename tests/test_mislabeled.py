"""Labels that are probably wrong: the noise of labels, and what is found of documents."""

from collections import Counter

import numpy as np
import pytest
import reference
from helpers import bits
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from plsa import MissingLabelPLSA, PLSAClassifier, find_label_errors, text_classifier
from plsa.datasets import planted_corpus
from plsa.evaluation import mislabeled
from plsa.learning.noise import learn_noise

NAMES = np.array(["ant", "bee", "cat", "dog"])


def quick(**parameters):
    """A classifier that is fast and good at planted corpora."""
    return PLSAClassifier(**{"scaling": None, "max_iter": 5, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def planted():
    """400 documents of four classes, 300 of them labeled, 30 wrong; and which."""
    corpus = planted_corpus(400, 300, 8, n_classes=4, document_length=40, random_state=3)
    wrong = np.zeros(400, dtype=bool)
    wrong[np.random.default_rng(0).permutation(300)[:30]] = True
    given = np.where(wrong, (corpus.target + 1) % 4, corpus.target)
    return corpus.counts, np.where(np.arange(400) < 300, given, -1), wrong, corpus.target


@pytest.fixture(scope="module")
def found(planted):
    return find_label_errors(quick(), planted[0], planted[1], n_repeats=1)


# --- the noise -----------------------------------------------------------------------------------


@st.composite
def said(draw):
    """What was said of some documents, their labels and weights."""
    n_classes, n_documents = draw(st.integers(2, 4)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    p = rng.dirichlet(np.full(n_classes, draw(st.sampled_from([0.1, 1.0]))), n_documents)
    return (
        np.maximum(p, 1e-9) / np.maximum(p, 1e-9).sum(axis=1, keepdims=True),
        rng.integers(0, n_classes, n_documents),
        rng.integers(1, 4, n_documents).astype(float),
    )


@settings(max_examples=40, deadline=None)
@given(said(), st.sampled_from([20.0, 300.0]))
def test_one_round_is_the_reference(drawn, belief):
    """EM's step for the table, at the sharpness that it started from."""
    p, code, weights = drawn
    n_classes = p.shape[1]
    noise = learn_noise(p, code, weights, belief=belief, rounds=1)
    start = np.where(np.eye(n_classes) > 0, 0.9, 0.1 / (n_classes - 1))
    wanted = reference.learn_noise_table(p, code, weights, start, belief)
    assert_allclose(noise.given_of_true, wanted, rtol=1e-9)
    q = reference.sharpened(p, noise.sharpness)
    assert_allclose(noise.true, reference.true_classes(q, code, wanted), rtol=1e-7, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(said())
def test_it_ends_where_it_stays(drawn):
    """One more step of the reference changes nothing, and no other sharpness is better."""
    p, code, weights = drawn
    noise = learn_noise(p, code, weights, rounds=500)
    q = reference.sharpened(p, noise.sharpness)
    again = reference.learn_noise_table(q, code, weights, noise.given_of_true, 300.0)
    assert_allclose(again, noise.given_of_true, atol=2e-4)

    def value(power):
        q = reference.sharpened(p, power)
        return reference.noise_log_likelihood(q, code, weights, noise.given_of_true) - 3 * np.log(power) ** 2

    best = value(noise.sharpness)
    assert best >= value(noise.sharpness * 1.03) - 1e-3
    assert best >= value(noise.sharpness / 1.03) - 1e-3


@settings(max_examples=40, deadline=None)
@given(said(), st.randoms(use_true_random=False))
def test_noise_of_permuted_classes_and_repeated_documents(drawn, random):
    """Names of classes mean nothing, and a weight is a repetition."""
    p, code, weights = drawn
    noise = learn_noise(p, code, weights)
    order = list(range(p.shape[1]))
    random.shuffle(order)
    place = np.argsort(order)
    other = learn_noise(p[:, order], place[code], weights)
    assert_allclose(other.given_of_true, noise.given_of_true[np.ix_(order, order)], rtol=1e-5, atol=1e-8)
    times = weights.astype(int)
    repeated = learn_noise(np.repeat(p, times, axis=0), np.repeat(code, times))
    assert_allclose(repeated.given_of_true, noise.given_of_true, rtol=1e-5, atol=1e-8)
    assert_allclose(repeated.wrong(), noise.wrong(weights), rtol=1e-4, atol=1e-6)
    for table in (noise.given_of_true.T, noise.true):
        assert_allclose(table.sum(axis=1), 1)
        assert (table >= 0).all()


def drawn_labels(n_documents, table, seed=0):
    """Probabilities that are right, and labels that this noise has made."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(len(table), 0.15), n_documents)
    true = np.array([rng.choice(len(table), p=row) for row in p])
    return p, true, np.array([rng.choice(len(table), p=table[:, y]) for y in true])


def test_planted_noise_is_found():
    """Where probabilities are right, so is the number of errors, and the table goes the way of the truth."""
    table = np.array([[0.7, 0.02, 0.02], [0.28, 0.96, 0.02], [0.02, 0.02, 0.96]])
    p, true, code = drawn_labels(6000, table)
    noise = learn_noise(p, code, belief=20)
    assert_allclose(noise.given_of_true, table, atol=0.03)
    assert_allclose(noise.wrong(), np.sum(true != code), rtol=0.06)
    assert 0.9 < noise.sharpness < 1.15
    wrong = 1 - noise.right()
    for low, high in ((0.1, 0.4), (0.4, 0.7), (0.7, 1.0)):  # stated and met
        at = (wrong >= low) & (wrong < high)
        assert abs(wrong[at].mean() - (true != code)[at].mean()) < 0.07


def test_right_labels_are_hardly_doubted():
    p, true, _ = drawn_labels(3000, np.eye(4))
    assert learn_noise(p, true).wrong() < 0.01 * len(true)


def test_the_interval_holds_the_number():
    """Drawn again and again; it is not all that may be, and narrower where more is known."""
    table = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    held, widths = 0, []
    for seed in range(12):
        p, true, code = drawn_labels(400, table, seed)
        low, high = mislabeled._interval(p, code)
        held += low <= np.sum(true != code) <= high
        widths.append(high - low)
    assert held >= 10
    assert np.mean(widths) < 40  # all sharpnesses alike would have 50
    p, _, code = drawn_labels(400, np.eye(3))
    low, high = mislabeled._interval(p, code)
    assert low == 0
    assert high < np.min(widths)


# --- what is found -------------------------------------------------------------------------------


def test_planted_errors_come_first(planted, found):
    _, y, wrong, target = planted
    assert set(found.ranking.tolist()) == set(range(300))
    assert average_precision_score(wrong[found.ranking], found.p_wrong) > 0.95
    assert (np.diff(found.p_wrong) <= 0).all()
    assert_array_equal(found.indices, found.ranking[found.p_wrong > 0.5])
    assert wrong[found.indices].mean() > 0.9
    assert found.interval[0] <= wrong.sum() <= found.interval[1]
    assert found.interval[0] <= found.number <= found.interval[1]
    for row in found:
        assert row.given == y[row.index] != row.suggested
    right = [row.suggested == target[row.index] for row in found if wrong[row.index]]
    assert np.mean(right) > 0.95
    assert found.given_of_true.shape == (4, 4)
    # Each class was turned into the next one.
    assert (found.given_of_true[(np.arange(4) + 1) % 4, np.arange(4)] > 0.02).all()


def test_right_labels_are_left_alone(planted):
    counts, y, _, target = planted
    found = find_label_errors(quick(), counts, np.where(y >= 0, target, -1), n_repeats=1)
    assert found.number < 4
    assert found.interval[0] < 2
    assert len(found) <= 2


class Spy(ClassifierMixin, BaseEstimator):
    """Knows what it was fitted to: the first column of X is the number of the row."""

    seen = []  # noqa: RUF012

    def __init__(self, unlabeled=-1):
        self.unlabeled = unlabeled

    def fit(self, X, y):
        rows = X[:, 0].astype(int)
        known = np.array([each is not None for each in y])
        self.classes_ = np.unique([each for each in y if each is not None])
        self.learned_ = rows[known], rows[~known]
        return self

    def predict_proba(self, X):
        Spy.seen.append((*self.learned_, X[:, 0].astype(int)))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_no_model_has_learned_the_label_that_it_judges():
    """Unlabeled documents are in every fit, and all labels are judged once a repeat."""
    y = np.array([0, 1, 2, -1] * 6)
    Spy.seen.clear()
    find_label_errors(Spy(), np.arange(24.0)[:, np.newaxis], y, n_splits=3, n_repeats=2)
    assert len(Spy.seen) == 6
    labeled, others = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    for learned, unlabeled, judged in Spy.seen:
        assert_array_equal(unlabeled, others)
        assert_array_equal(np.sort(np.concatenate([learned, judged])), labeled)
    assert_array_equal(np.sort(np.concatenate([each[2] for each in Spy.seen])), np.repeat(labeled, 2))
    assert len({tuple(each[2]) for each in Spy.seen}) == 6  # other folds each time


def test_the_same_bits_in_processes_and_threads(planted, found):
    counts, y, *_ = planted
    parallel = find_label_errors(quick(n_threads=2), counts, y, n_repeats=1, n_jobs=2)
    assert bits(parallel) == bits(found)
    assert bits(find_label_errors(quick(), counts, y, n_repeats=1)) == bits(found)
    assert bits(find_label_errors(quick(), counts, y, n_repeats=1, random_state=1)) != bits(found)


@pytest.mark.parametrize(
    "model",
    [
        MissingLabelPLSA(evidence=False, random_state=0),
        make_pipeline(TfidfTransformer(), LogisticRegression(max_iter=300)),
        make_pipeline(TfidfTransformer(), LinearSVC()),
    ],
    ids=["ours, semi-supervised", "logistic regression", "decision values"],
)
def test_any_classifier_will_do(planted, model):
    """Names, None as a mark, and classifiers that cannot take documents without a label."""
    counts, y, wrong, _ = planted
    named = np.array([None if code < 0 else str(NAMES[code]) for code in y], dtype=object)
    before = repr(model)
    found = find_label_errors(model, counts, named, n_repeats=1)
    assert average_precision_score(wrong[found.ranking], found.p_wrong) > 0.85
    assert {row.given for row in found} <= set(NAMES)
    assert found.classes.tolist() == NAMES.tolist()
    assert repr(model) == before


def test_two_classes_and_decision_values():
    """One column for two classes."""
    corpus = planted_corpus(120, 100, 2, n_classes=2, random_state=0)
    y = corpus.target.copy()
    y[:6] = 1 - y[:6]
    model = make_pipeline(TfidfTransformer(), LinearSVC())
    found = find_label_errors(model, corpus.counts, y, n_repeats=1)
    assert average_precision_score(np.arange(120) < 6, found.p_wrong[np.argsort(found.ranking)]) > 0.8


def test_texts_and_their_words():
    food, sport = (
        ["tea and milk", "a cup of tea", "milk in the tea"],
        ["goal and ball", "the ball team", "team goal"],
    )
    texts, y = (food + sport) * 4, (["food"] * 3 + ["sport"] * 3) * 4
    y[0] = "sport"
    found = find_label_errors(text_classifier(random_state=0), texts, y, n_repeats=1)
    assert found.indices.tolist() == [0]
    (row,) = found
    assert (row.given, row.suggested) == ("sport", "food")
    assert {"tea", "milk"} <= set(row.words)
    assert not {"goal", "ball", "team"} & set(row.words)
    # Copies of it are labeled otherwise, which is certain.
    assert found.contradictions == ((0, 6, 12, 18),)


def test_names_of_columns(planted, found):
    pandas = pytest.importorskip("pandas")
    counts, y, *_ = planted
    frame = pandas.DataFrame(counts.toarray(), columns=[f"w{column}" for column in range(counts.shape[1])])
    named = find_label_errors(quick(), frame, y, n_repeats=1)
    assert_array_equal(named.indices, found.indices)
    assert [row.words for row in named] == [tuple(f"w{word}" for word in row.words) for row in found]
    given = find_label_errors(quick(), counts, y, n_repeats=1, vocabulary=list(frame.columns))
    assert given.rows == named.rows
    table = pandas.DataFrame(found.rows)
    assert table.columns.tolist() == ["index", "given", "suggested", "p_wrong", "words"]


def test_words_leave_the_document_out():
    """A word that stands in the suspect alone speaks for nothing, however often."""
    corpus = planted_corpus(80, 60, 2, n_classes=2, random_state=0)
    own = sparse.csr_array(([50.0], ([3], [0])), shape=(80, 1))
    X = sparse.hstack([corpus.counts, own]).tocsr()
    y = corpus.target.copy()
    y[3] = 1 - y[3]
    found = find_label_errors(PLSAClassifier(random_state=0), X, y, n_repeats=1)
    words = next(row.words for row in found if row.index == 3)
    assert words
    assert "60" not in words


def test_alike_and_labeled_otherwise(planted):
    """Documents are alike whatever order, duplicates and zeros their entries have; empty ones are not."""
    counts, y, *_ = planted
    X = counts.toarray()
    X[7], X[9], X[20], X[21] = X[5], X[5], 0, 0
    y = y.copy()
    y[[5, 7, 9]], y[[20, 21]] = [0, 0, 1], [0, 1]
    X = sparse.coo_array(X)
    column = int(np.flatnonzero(X.toarray()[9] == 0)[0])
    entries = np.append(X.data, 0), (np.append(X.row, 9), np.append(X.col, column))
    X = sparse.csr_array(entries, shape=X.shape)
    assert X.nnz > np.count_nonzero(X.toarray())
    found = find_label_errors(MultinomialNB(), X, y, n_repeats=1)
    assert found.contradictions == ((5, 7, 9),)
    assert "Rows 5, 7, 9 are alike and have different labels: not all can be right." in repr(found)


def test_the_only_label_of_a_class_is_not_judged(planted):
    counts, y, *_ = planted
    y = y.copy()
    y[11] = 9
    found = find_label_errors(quick(), counts, y, n_repeats=1)
    assert_array_equal(found.not_judged, [11])
    assert 11 not in found.ranking
    assert "1 label is the only one of the class and not judged." in repr(found)


def test_what_is_printed_fits_a_terminal(found, planted):
    text = repr(found)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"{len(found)} of 300 labels are probably wrong, about ")
    assert sum(line.strip()[:1].isdigit() for line in lines[1:]) == min(len(found), 20)
    assert ("... and" in text) is (len(found) > 20)
    pairs = Counter((row.given, row.suggested) for row in found)
    assert f"Most often: {max(pairs.values())} of " in text
    long = np.array([f"{'a very long name of a class ' * 3}{code}" for code in range(4)])
    y = np.where(planted[1] >= 0, long[planted[1]], "")
    text = repr(find_label_errors(quick(), planted[0], y, n_repeats=1))
    table = [line for line in text.splitlines() if "0." in line]
    assert table
    assert max(map(len, table)) <= 80


def test_more_repeats_are_their_mean(planted, monkeypatch):
    """Of two repeats with other folds, the mean of what they say is what is judged."""
    counts, y, *_ = planted
    seen = []
    monkeypatch.setattr(
        mislabeled, "_errors", lambda chance, *rest: seen.append(chance) or quickest(chance, *rest)
    )
    quickest = lambda chance, *rest: type("Found", (), {"title": staticmethod(lambda: "")})()  # noqa: E731
    for repeats, seed in ((1, 0), (1, 1), (2, 0)):
        find_label_errors(quick(), counts, y, n_repeats=repeats, random_state=seed)
    assert_allclose(seen[2], (seen[0] + seen[1]) / 2, atol=1e-12)


# --- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (quick(), [1] * 8, "y has one class, 1: no other label could be right"),
        (quick(), [0, 1, 2, 3, -1, -1, -1, -1], "each the only one of its class"),
        (quick(), [-1] * 8, "label"),
        (PLSAClassifier, [0, 1] * 4, "but must be a classifier with predict_proba or decision_function"),
        (TfidfTransformer(), [0, 1] * 4, "but must be a classifier with predict_proba or decision_function"),
        (quick(), [0, 1] * 3, "8"),
    ],
)
def test_what_cannot_be_judged(model, y, message):
    with pytest.raises(ValueError, match=message):
        find_label_errors(model, np.eye(8) + 1, y)


def test_few_labels_are_judged_with_a_warning(planted):
    y = np.where(np.arange(400) < 19, planted[1], -1)
    with pytest.warns(UserWarning, match="y labels 19 documents of 4 classes .* Label 5 of each at least"):
        found = find_label_errors(quick(), planted[0], y, n_repeats=1)
    assert len(found.ranking) == 19


@pytest.mark.parametrize("name", ["n_splits", "n_repeats", "random_state"])
def test_parameters_are_checked(planted, name):
    with pytest.raises(ValueError, match=f"{name} == 0.5"):
        find_label_errors(quick(), planted[0], planted[1], **{name: 0.5})


def test_ctrl_c_says_that_nothing_is_kept(planted):
    calls = []

    def stop(state):
        calls.append(state)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="find_label_errors was interrupted: nothing of it is kept"):
        find_label_errors(quick(callback=stop), planted[0], planted[1])
    assert len(calls) == 1


def test_progress_says_what_came_of_it(planted, capsys):
    found = find_label_errors(quick(), planted[0], planted[1], n_repeats=1, verbose=1)
    assert f"find_label_errors: {found.title()}" in capsys.readouterr().err
