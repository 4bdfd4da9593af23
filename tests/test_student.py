"""The linear student, and the evidence that labeled documents held out give."""

from dataclasses import replace

import drawing
import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from plsa.engine.counts import Counts
from plsa.labels.corpus import Corpus
from plsa.labels.reading import Labels
from plsa.learning import evidence, student
from plsa.learning.evidence import HeldOut, hold_out
from plsa.learning.linear import Teaching, damped
from plsa.learning.scaling import TFIDF, fit_tfidf, unit_rows, vectors


def as_counts(X):
    return Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])


@pytest.fixture
def converged(monkeypatch):
    """Conjugate gradients may go all the way."""
    monkeypatch.setattr(student, "_STEPS", 500)
    monkeypatch.setattr(student, "_CLOSE", 1e-13)


def drawn_lesson(data, real=np.float64, most_classes=4):
    """Counts, a class for every document and a weight, of which at least one is positive."""
    X = data.draw(drawing.counts(real, unusual=(0.0, 0.5, 1e4)))
    n_classes = data.draw(st.integers(1, most_classes))
    code = data.draw(drawing.labels(X.shape[0], n_classes, unlabeled=False)).astype(np.int32)
    weight = data.draw(drawing.weights(X.shape[0]))
    weight[0] = max(weight[0], 0.5)
    return X, code, weight, n_classes


# --- teaching ------------------------------------------------------------------------------------


@given(data=st.data())
def test_a_student_solves_the_ridge_equations(data):
    """(F'WF + I) B = F'WT, where conjugate gradients may converge; classes may be absent."""
    X, code, weight, n_classes = drawn_lesson(data)
    scaler = TFIDF.fit(as_counts(X), weight)
    features = vectors(scaler, as_counts(X))
    dense = reference.student_features(X.toarray(), reference.inverse_document_frequency(X.toarray(), weight))
    assert_allclose(features.toarray(), dense, rtol=1e-12, atol=1e-15)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(student, "_STEPS", 500)
        patch.setattr(student, "_CLOSE", 1e-13)
        found = student.teach(features, code, weight, n_classes)
    each = reference.damped_weights(code, weight, n_classes)
    assert_allclose(found, reference.ridge(dense, code, each, n_classes), rtol=1e-8, atol=1e-9)


@given(data=st.data())
def test_a_few_steps_come_near(data):
    """As set, the student stops early, but where its loss is near the least."""
    X, code, weight, n_classes = drawn_lesson(data)
    features = vectors(TFIDF.fit(as_counts(X), weight), as_counts(X))
    each = reference.damped_weights(code, weight, n_classes)
    target = np.where(code[:, np.newaxis] == np.arange(n_classes), 1.0, -1.0)

    def loss(weights):
        error = features @ weights - target
        return float((each[:, np.newaxis] * error**2).sum() + (weights**2).sum())

    best = loss(reference.ridge(features.toarray(), code, each, n_classes))
    assert loss(student.teach(features, code, weight, n_classes)) <= best + 1e-3 * (1 + each.sum())


def test_conjugate_gradients_need_a_step_a_word(monkeypatch):
    """Directions are conjugate: six words are done in six steps, however unlike their scales."""
    monkeypatch.setattr(student, "_STEPS", 6)
    monkeypatch.setattr(student, "_CLOSE", 0.0)
    rng = np.random.default_rng(0)
    features = sparse.csr_array(rng.uniform(size=(40, 6)) * np.array([1, 1, 2, 3, 4, 5]))
    code = rng.integers(0, 3, 40).astype(np.int32)
    each = reference.damped_weights(code, np.ones(40), 3)
    wanted = reference.ridge(features.toarray(), code, each, 3)
    assert_allclose(student.teach(features, code, np.ones(40), 3), wanted, rtol=1e-5, atol=1e-8)


def test_frequent_classes_are_damped(converged):
    """A class with nine times the other's weight: its documents weigh 1.8^(-1/3), the others' 0.2^(-1/3)."""
    rng = np.random.default_rng(0)
    features = sparse.csr_array(rng.uniform(size=(10, 4)))
    code = np.array([0] * 9 + [1], dtype=np.int32)
    each = np.where(code == 0, 1.8, 0.2) ** (-1 / 3)
    assert_allclose(reference.damped_weights(code, np.ones(10), 2), each)
    found = student.teach(features, code, np.ones(10), 2)
    assert_allclose(found, reference.ridge(features.toarray(), code, each, 2), rtol=1e-9)


def test_an_absent_class_is_minus_one_throughout(converged):
    """No document of it was seen: its scores are below all others', and finite."""
    X = sparse.csr_array(np.array([[3.0, 1, 0], [2, 0, 0], [0, 1, 4], [0, 0, 2]]))
    code = np.array([0, 0, 2, 2], dtype=np.int32)
    pupil = student.Student(TFIDF.fit(as_counts(X)), student.teach(X, code, np.full(4, 10.0), 3))
    scores = pupil.scores(as_counts(X))
    assert np.isfinite(scores).all()
    assert_array_equal(scores.argmax(axis=1), code)
    assert np.all(scores[:, 1] < 0)


def test_a_weight_is_a_repetition():
    """Twice a document and a document of weight two teach the same."""
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.poisson(1.0, (8, 6)).astype(float))
    code = np.array([0, 1, 2, 0, 1, 2, 0, 0], dtype=np.int32)
    weight = np.array([1.0, 2, 1, 3, 1, 1, 2, 0])
    again = np.repeat(np.arange(8), weight.astype(int))
    taught = [
        student.teach(vectors(TFIDF.fit(as_counts(of), each), as_counts(of)), codes, each, 3)
        for of, codes, each in ((X, code, weight), (X[again], code[again], np.ones(len(again))))
    ]
    assert_allclose(*taught, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("real", drawing.REALS, ids=lambda real: np.dtype(real).name)
@given(data=st.data())
def test_scores_are_each_documents_own(real, data):
    """Alone or in company, to the last bit; zero for an empty document; finite for any."""
    X, code, weight, n_classes = drawn_lesson(data, real)
    counts = as_counts(X)
    scaler = TFIDF.fit(counts, weight)
    pupil = student.Student(scaler, student.teach(vectors(scaler, counts), code, weight, n_classes))
    assert pupil.weights.dtype == real
    scores = pupil.scores(counts)
    assert np.isfinite(scores).all()
    assert not scores[counts.lengths() == 0].any()
    for d in range(X.shape[0]):
        assert_array_equal(pupil.scores(as_counts(X[[d]])), scores[[d]])
    probability = student.probabilities(scores)
    assert_allclose(probability.sum(axis=1), 1)
    assert_allclose(probability, np.exp(4 * scores) / np.exp(4 * scores).sum(axis=1, keepdims=True))


def test_documents_without_a_word_teach_nothing():
    """Nothing but empty documents: all scores are zero, and nothing is divided by zero."""
    X = sparse.csr_array((3, 4))
    scaler = TFIDF.fit(as_counts(X))
    weights = student.teach(vectors(scaler, as_counts(X)), np.array([0, 1, 1], dtype=np.int32), np.ones(3), 2)
    assert_array_equal(weights, np.zeros((4, 2)))


def test_counts_are_not_written_to():
    """The features are a copy, as the scaled counts are."""
    X = sparse.csr_array(np.array([[3.0, 1, 0], [0, 2, 5]]))
    X.data.flags.writeable = False
    counts = as_counts(X)
    vectors(TFIDF.fit(counts), counts)
    assert_array_equal(X.toarray(), [[3, 1, 0], [0, 2, 5]])


# --- lessons left out ----------------------------------------------------------------------------


def left_out_of(X, code, weight, guessed, n_classes):
    """A student with its lessons, and what it was taught from."""
    counts = as_counts(X)
    corpus = Corpus(counts, Labels(np.arange(n_classes), code), weight)
    scaler = fit_tfidf(corpus)
    matrix = vectors(scaler, counts)
    worth = damped(code, weight, n_classes, 1 / 3)
    lessons = student.lessons_of(unit_rows(scaler, counts), code, worth, guessed, counts.fingerprints())
    taught = student.teach(matrix, code, weight, n_classes)
    return student.Student(scaler, taught, lessons), matrix.toarray()


@given(data=st.data())
def test_a_lesson_is_left_out_exactly_where_words_know_nothing_of_each_other(data):
    """Documents of one word: a guessed one's scores are those of a student without it and its copies."""
    n = data.draw(st.integers(2, 8))
    word = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    count = data.draw(st.lists(st.sampled_from([1.0, 2.0]), min_size=n, max_size=n))
    X = sparse.csr_array((count, (np.arange(n), word)), shape=(n, 4))
    copy = np.array([word[d] + 10 * count[d] for d in range(n)])
    code, guessed = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=bool)
    for each in np.unique(copy):  # copies have one guess
        code[copy == each] = data.draw(st.integers(0, 2))
        guessed[copy == each] = data.draw(st.booleans())
    weight = np.array(data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(student, "_STEPS", 500)
        patch.setattr(student, "_CLOSE", 1e-13)
        pupil, features = left_out_of(X, code, weight, guessed, 3)
    each = reference.damped_weights(code, weight, 3)
    scores, plain = pupil.scores(as_counts(X)), features @ pupil.weights
    for d in range(n):
        others = copy != copy[d]
        wanted = plain[d]
        if guessed[d]:
            wanted = features[d] @ reference.ridge(features[others], code[others], each[others], 3)
        assert_allclose(scores[d], wanted, rtol=1e-7, atol=1e-9)


def test_scores_without_a_lesson_are_near_those_of_a_student_that_never_had_it():
    """By how much margins exceed those of students taught without the document: twenty times less."""
    rng = np.random.default_rng(0)
    rates = rng.gamma(0.5, size=(4, 1000))
    code = rng.integers(0, 4, 150).astype(np.int32)
    X = rng.poisson(30 * rates[code] / rates[code].sum(axis=1, keepdims=True)).astype(float)
    X = sparse.csr_array(np.hstack([X, np.kron(np.eye(150), np.ones((1, 10)))]))  # ten words of its own each
    guess = np.where(rng.random(150) < 0.25, rng.integers(0, 4, 150), code).astype(np.int32)
    pupil, features = left_out_of(X, guess, np.ones(150), np.ones(150, dtype=bool), 4)
    each = np.sqrt(reference.damped_weights(guess, np.ones(150), 4))[:, np.newaxis]
    target = np.where(guess[:, np.newaxis] == np.arange(4), 1.0, -1.0)
    # Of ridge regression the leverages are known exactly: the diagonal of its hat matrix.
    products = each * (features @ features.T) * each.T
    hat = products @ np.linalg.inv(products + np.eye(150))
    leverage = np.diag(hat)[:, np.newaxis]
    without = (hat @ (each * target) / each - leverage * target) / (1 - leverage)
    shared = features * (np.sum(features > 0, axis=0) > 1)
    wanted = without / np.linalg.norm(shared, axis=1, keepdims=True)
    plain, found = features @ pupil.weights, pupil.scores(as_counts(X))
    never = student.margins(wanted).mean()
    excess = student.margins(plain).mean() - never
    assert excess > 0.2 * never
    assert abs(student.margins(found).mean() - never) < excess / 20
    # The classes too are nearly always those that it would have found.
    assert np.mean(found.argmax(axis=1) == wanted.argmax(axis=1)) > 0.95
    assert np.mean(plain.argmax(axis=1) == wanted.argmax(axis=1)) < 0.9


def test_a_document_of_words_that_no_other_has_says_nothing():
    """Its lesson left out, nothing is left: zero, not noise blown up."""
    X = sparse.csr_array(np.array([[2.0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 3, 1]]))
    code = np.array([0, 0, 1], dtype=np.int32)
    pupil, _ = left_out_of(X, code, np.ones(3), np.array([False, True, True]), 2)
    scores = pupil.scores(as_counts(X))
    assert_array_equal(scores[2], [0, 0])
    assert scores[1, 0] > scores[1, 1]


def test_weights_of_lessons_are_repetitions():
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.poisson(0.7, (12, 9)).astype(float))
    code, guessed = (np.arange(12) % 3).astype(np.int32), np.arange(12) > 3
    weight = rng.integers(0, 4, 12).astype(float)
    assert 0 in weight
    again = np.repeat(np.arange(12), weight.astype(int))
    one, _ = left_out_of(X, code, weight, guessed, 3)
    other, _ = left_out_of(X[again], code[again], np.ones(len(again)), guessed[again], 3)
    assert_array_equal(one.lessons.key, other.lessons.key)
    assert_allclose(one.scores(as_counts(X)), other.scores(as_counts(X)), rtol=1e-9, atol=1e-12)


def test_copies_of_labeled_documents_are_not_left_out():
    X = sparse.csr_array(np.array([[2.0, 1, 0], [2, 1, 0], [0, 1, 3], [0, 2, 3]]))
    code = np.array([0, 0, 1, 1], dtype=np.int32)
    pupil, features = left_out_of(X, code, np.ones(4), np.array([False, True, False, True]), 2)
    assert_array_equal(pupil.lessons.key, np.sort(as_counts(X[[3]]).fingerprints()))
    assert_allclose(pupil.scores(as_counts(X))[:3], (features @ pupil.weights)[:3])


def test_words_that_no_lesson_had_count_for_nothing():
    """As if a vectorizer did not know them: neither in the scores nor in the length."""
    X = sparse.csr_array(np.array([[2.0, 1, 0, 0], [0, 1, 3, 0]]))
    corpus = Corpus(as_counts(X), Labels(np.arange(2), np.array([0, 1], dtype=np.int32)))
    lesson = student.label_lessons(corpus, n_threads=1)[True]
    pupil = lesson.student(
        [lesson.labels_alone(np.arange(2), corpus.labels.code, np.ones(2), Teaching())], [1.0]
    )
    new = sparse.csr_array(np.array([[1.0, 2, 0, 0], [1, 2, 0, 50]]))
    scores = pupil.scores(as_counts(new))
    assert scores[0].any()
    assert_array_equal(scores[0], scores[1])
    assert_array_equal(pupil.scores(as_counts(sparse.csr_array(np.array([[0.0, 0, 0, 5]])))), [[0, 0]])


def test_a_document_beyond_its_target_has_taught_nothing():
    """Its hinge is shut: what is left out of others is not left out of it."""
    lessons = student.Lessons(
        np.array([3, 5], dtype=np.uint64),
        np.array([0, 0], dtype=np.int32),
        np.array([0.5, 0.5]),
        np.ones(2),
        2.0,
    )
    scores = np.array([[2.5, -1.0], [1.0, -3.0], [1.0, 1.0]])
    found = lessons.left_out(scores, np.array([3, 5, 4], dtype=np.uint64))
    assert_allclose(found, [[2.5, 0.0], [0.0, -3.0], [1.0, 1.0]])


@given(data=st.data())
def test_students_are_blends_of_classifiers(data):
    """Of a document alone and in company; of one without a word nothing is said."""
    X, code, weight, n_classes = drawn_lesson(data)
    corpus = Corpus(as_counts(X), Labels(np.arange(n_classes), code), weight)
    lesson = student.label_lessons(corpus, n_threads=1)[True]
    rows = np.arange(X.shape[0])
    each = [lesson.labels_alone(rows, code, weight, Teaching()), lesson.words_of_classes(code, weight)]
    each.append(lesson.frequencies(corpus.log_frequencies()))
    pupil = lesson.student(each, [0.5, 2.0, 0.25])
    said = [lesson.judged(one, corpus.counts) for one in each]
    wanted = 0.5 * said[0] + 2 * said[1] + 0.25 * said[2]
    wanted[np.asarray(vectors(lesson.scaler, corpus.counts).sum(axis=1)).ravel() == 0] = 0
    assert_allclose(pupil.scores(corpus.counts), wanted, rtol=1e-9, atol=1e-9)
    assert_allclose(lesson.scores(each[1]), said[1], rtol=1e-12)


@given(data=st.data())
def test_fingerprints_tell_documents_apart(data):
    """The same for the same words and counts, in any company and precision; zeros are nothing."""
    X = data.draw(drawing.counts(np.float64, unusual=(0.0, 0.5, 1e4)))
    counts = as_counts(X)
    found = counts.fingerprints()
    rows = [tuple(row) for row in X.toarray()]
    for d, row in enumerate(rows):
        assert_array_equal(as_counts(X[[d]]).fingerprints(), found[[d]])
        assert [key == found[d] for key in found] == [other == row for other in rows]
    assert_array_equal(as_counts(X.astype(np.float32)).fingerprints(), found)
    assert_array_equal(replace(counts, word=counts.word.astype(np.int64)).fingerprints(), found)
    dense = sparse.csr_array(
        (
            X.toarray().ravel(),
            np.tile(np.arange(X.shape[1]), X.shape[0]),
            np.arange(X.shape[0] + 1) * X.shape[1],
        ),
        shape=X.shape,
    )
    assert_array_equal(as_counts(dense).fingerprints(), found)
    huge = as_counts(X * 1e300).fingerprints()  # a warning would be an error
    assert_array_equal(huge == 0, counts.lengths() == 0)


# --- holding out ---------------------------------------------------------------------------------


# Eight different documents, the first of them empty.
DIFFERENT = np.array(
    [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 3], [3, 2, 1], [0, 5, 0]], dtype=float
)


@st.composite
def corpora(draw, *, contradictions):
    """Labeled and unlabeled documents, many of them copies; copies may or may not have other labels."""
    n_classes = draw(st.integers(1, 3))
    n = draw(st.integers(6, 20))
    copies = draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))
    code = draw(drawing.labels(8, n_classes, unlabeled=False))[copies]
    if contradictions:
        code = np.where(draw(drawing.labels(n, 1)) < 0, code, draw(drawing.labels(n, n_classes)))
    missing = draw(st.lists(st.sampled_from([False, False, True]), min_size=n, max_size=n))
    weight = draw(st.none() | drawing.weights(n))
    X = sparse.csr_array(DIFFERENT[copies])
    labels = Labels(np.arange(n_classes), np.where(missing, -1, code).astype(np.int32))
    return Corpus(as_counts(X), labels, weight)


def promises(corpus, parts, *, sample, folds):
    """What `hold_out` promises of its parts."""
    rows = [tuple(row) for row in corpus.counts.matrix().toarray()]
    code = corpus.labels.code
    known = np.flatnonzero(code >= 0)
    told = known[(corpus.counts.lengths()[known] > 0) & (corpus.weights()[known] > 0)]
    n_documents = len(rows)
    assert len(parts) <= min(folds, 3)
    for inside, outside in parts:
        assert len(outside) > 0
        assert len(np.intersect1d(inside, outside)) == 0
        assert np.all(code[outside] >= 0), "only labeled documents are held out"
        assert np.isin(np.flatnonzero(code < 0), inside).all(), "unlabeled ones always stay"
        assert np.all(corpus.counts.lengths()[outside] > 0)
        assert np.all(corpus.weights()[outside] > 0)
        held = {rows[d] for d in outside}
        for d in known:
            if rows[d] in held and corpus.weights()[d] > 0:
                assert d in outside, "copies are held out together"
        assert set(code[told]) == set(code[np.intersect1d(inside, told)]), "every class is learned"
        if not sample:
            assert len(inside) + len(outside) == n_documents


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("sample", [False, True])
@given(corpus=corpora(contradictions=False), folds=st.integers(1, 3))
def test_what_is_held_out(sample, few, corpus, folds):
    """Labeled documents, copies together, never the only one of a class, each at most once."""
    parts = hold_out(corpus, sample=sample, folds=folds, few=few)
    promises(corpus, parts, sample=sample, folds=folds)
    outside = np.concatenate([held for _, held in parts]) if parts else np.array([], dtype=int)
    assert len(np.unique(outside)) == len(outside)
    code, each = corpus.labels.code, corpus.weights()
    told = (code >= 0) & (corpus.counts.lengths() > 0) & (each > 0)
    different = {
        c: len({tuple(row) for row in corpus.counts.matrix().toarray()[told & (code == c)]})
        for c in range(len(corpus.labels.classes))
    }
    several = [n for n in different.values() if n > 1]
    least = min(2 * len(different), max(8, 0.4 * len(different))) if few else 2 * len(different)
    assert bool(parts) == (len(several) > 1 and sum(several) >= least)
    if len(parts) == 3:
        wanted = np.flatnonzero(told & np.isin(code, [c for c, n in different.items() if n > 1]))
        assert_array_equal(np.sort(outside), wanted)


@given(corpus=corpora(contradictions=True), folds=st.integers(1, 3))
def test_copies_with_other_labels_keep_the_promises(corpus, folds):
    """The same words under two labels, as annotators give them: no class is left without a document."""
    assume(corpus.labels.labeled.any())
    promises(corpus, hold_out(corpus, sample=False, folds=folds), sample=False, folds=folds)


@given(corpus=corpora(contradictions=False), data=st.data())
def test_what_is_held_out_does_not_depend_on_the_order(corpus, data):
    """Nor on other documents' rows: shuffled documents give the same parts."""
    order = np.array(data.draw(st.permutations(range(corpus.counts.n_documents))), dtype=int)
    parts = hold_out(corpus, sample=False)
    shuffled = hold_out(corpus.part(order), sample=False)
    assert [sorted(order[outside]) for _, outside in shuffled] == [sorted(held) for _, held in parts]


def test_few_labels_are_held_out_where_few_are_asked_for():
    """Eight documents of four classes that have two, beside two classes of one: two per class are not few."""
    code = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, -1], dtype=np.int32)
    X = sparse.csr_array(np.eye(11) + 1)
    for last, found in ((8, True), (7, False)):
        told = np.where((np.arange(11) < last) | (code > 3), code, -1).astype(np.int32)
        corpus = Corpus(as_counts(X), Labels(np.arange(6), told), None)
        assert bool(hold_out(corpus, sample=False, few=True)) is found
        assert hold_out(corpus, sample=False) == []


def test_at_most_so_many_are_tried(monkeypatch):
    """Of many labeled documents a part of each class is held out; with `sample` others are left out."""
    monkeypatch.setattr(evidence, "_MAX_TRIED", 30)
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(1.0, (200, 30)).astype(float) + np.eye(30)[rng.integers(0, 30, 200)])
    code = rng.choice([-1, 0, 1], 200, p=[0.2, 0.6, 0.2]).astype(np.int32)
    corpus = Corpus(as_counts(X), Labels(np.arange(2), code), None)
    for sample in (False, True):
        parts = hold_out(corpus, sample=sample)
        promises(corpus, parts, sample=sample, folds=3)
        outside = np.concatenate([held for _, held in parts])
        assert 28 <= len(outside) <= 32
        assert_allclose(np.mean(code[outside] == 0), 0.75, atol=0.05)
        left_out = 200 - len(parts[0][0]) - len(parts[0][1])
        assert left_out == (np.sum(code >= 0) - len(outside) if sample else 0)


def test_too_few_labels_hold_nothing_out():
    """One class, or classes of one document each."""
    X = sparse.csr_array(np.arange(1.0, 13).reshape(4, 3))
    for code in ([0, 0, 0, 0], [0, 1, -1, -1], [0, 1, 2, 2], [-1, -1, -1, 0]):
        corpus = Corpus(as_counts(X), Labels(np.arange(max(code) + 1), np.array(code, dtype=np.int32)), None)
        assert hold_out(corpus, sample=False) == []


# --- judging -------------------------------------------------------------------------------------


def held_of(*right, each=None):
    """Candidates "a", "b", ... of which each has these documents of class 0 right."""
    probability = {
        name: np.column_stack([np.where(of, 0.8, 0.3), np.where(of, 0.2, 0.7)])
        for name, of in zip("abc", right, strict=False)
    }
    n = len(right[0])
    return HeldOut(np.zeros(n, dtype=np.int32), np.ones(n) if each is None else np.array(each), probability)


def test_better_is_by_more_than_two_standard_errors():
    """Of 16 documents, 5 more right and none less: gain 5/16, error sqrt(5/16 * 11/16 / 16)."""
    worse = np.arange(16) >= 5
    held = held_of(np.ones(16, dtype=bool), worse)
    mean, error = 5 / 16, np.sqrt(5 / 16 * 11 / 16 / 16)
    assert mean > 2 * error
    assert held.better("a", than="b")
    assert not held.better("b", than="a")
    three = held_of(np.ones(16, dtype=bool), np.arange(16) >= 3)
    assert 2 * np.sqrt(3 / 16 * 13 / 16 / 16) > 3 / 16
    assert not three.better("a", than="b")
    assert not held.better("a", than="a")
    assert_allclose([held.accuracy("a"), held.accuracy("b")], [1, 11 / 16])
    assert_allclose(held.log_probability("b"), (11 * np.log(0.8) + 5 * np.log(0.3)) / 16)


@given(data=st.data())
def test_weights_are_repetitions_in_judging(data):
    """A held-out document of weight three is three documents."""
    n = data.draw(st.integers(1, 8))
    each = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    table = data.draw(drawing.distributions(2 * n, 3, zeros=False))
    code = data.draw(drawing.labels(n, 3, unlabeled=False)).astype(np.int32)
    weighted = HeldOut(code, each.astype(float), {"a": table[:n], "b": table[n:]})
    again = np.repeat(np.arange(n), each)
    repeated = HeldOut(
        code[again], np.ones(len(again)), {name: p[again] for name, p in weighted.probability.items()}
    )
    assert_allclose(weighted.accuracy("a"), repeated.accuracy("a"))
    assert_allclose(weighted.log_probability("b"), repeated.log_probability("b"))
    assert weighted.better("a", than="b") == repeated.better("a", than="b")
    assert_allclose(weighted.sharpness("a", 1.0), repeated.sharpness("a", 1.0), rtol=0.011)


def belief(held, name, log_t, usual, strength=10):
    """What `sharpness` maximizes: log-probabilities of p^t / sum p^t, and the belief in the usual power."""
    raised = held.probability[name] ** np.exp(log_t)
    probability = raised / raised.sum(axis=1, keepdims=True)
    told = np.log(probability[np.arange(len(held.code)), held.code])
    return held.weights @ told - strength * (log_t - np.log(usual)) ** 2


@given(data=st.data(), usual=st.sampled_from([1.0, 4.0]))
def test_sharpness_is_the_most_believed_power(data, usual):
    """No power on a fine grid is believed more, to the two digits that are given."""
    n = data.draw(st.integers(1, 12))
    table = data.draw(drawing.distributions(n, 3, zeros=False))
    code = data.draw(drawing.labels(n, 3, unlabeled=False)).astype(np.int32)
    held = HeldOut(code, data.draw(drawing.weights(n)), {"a": table})
    found = held.sharpness("a", usual)
    grid = np.log(usual) + np.linspace(-3, 3, 601)
    most = max(belief(held, "a", log_t, usual) for log_t in grid)
    assert belief(held, "a", np.log(found), usual) >= most - 1e-2


def test_sharpness_tempers_the_over_confident():
    """Sure and half wrong: the power is far below one; unsure and always right: above."""
    held = held_of(np.arange(40) % 2 == 0, np.ones(40, dtype=bool))
    held.probability["a"][:] = np.where(held.probability["a"] > 0.5, 0.999, 0.001)
    assert held.sharpness("a", 1.0) < 0.5
    assert held.sharpness("b", 1.0) > 1.5


def test_sharpness_without_evidence_is_the_usual_one():
    """Nothing held out that counts: the belief alone decides."""
    held = HeldOut(np.zeros(3, dtype=np.int32), np.zeros(3), {"a": np.full((3, 2), 0.5)})
    assert_allclose(held.sharpness("a", 4.0), 4.0, rtol=0.01)


def test_certain_and_wrong_is_still_a_number():
    """A probability of exactly zero for the true class: finite, and less sharp."""
    held = HeldOut(np.zeros(30, dtype=np.int32), np.ones(30), {"a": np.tile([0.0, 1.0], (30, 1))})
    assert np.isfinite(held.log_probability("a"))
    assert 0 < held.sharpness("a", 1.0) < 1
