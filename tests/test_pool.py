"""Pools of documents: quick models of ours, fitted ones of any kind, and what answers would change."""

import drawing
import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectFpr, SelectKBest, chi2
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from plsa import (
    ActiveLearner,
    CountScaler,
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    NaiveBayesEM,
    SoftMislabelingPLSA,
)
from plsa.active import choosing, queries
from plsa.active.choosing import expected_losses
from plsa.active.pool import FittedPool, Landscape, chances, counted, takes_unlabeled, vectors
from plsa.active.quick import QuickPool
from plsa.active.session import coded
from plsa.datasets import planted_corpus
from plsa.engine import starts
from plsa.engine.parameters import unpadded
from plsa.estimators.validation import check_counts
from plsa.learning.aspects import by_class

ALL = (MissingLabelPLSA, FakeLabelPLSA, HardMislabelingPLSA, SoftMislabelingPLSA)
models = pytest.mark.parametrize("model", ALL, ids=lambda model: model.__name__)
OPTIONS = [
    {},
    {"topics_per_class": 2, "extra_topics": 1},
    {"scaling": None, "dtype": "float64"},
    {"topics_per_class": [1, 3, 2], "scaling": CountScaler(tf="log", idf=True), "unlabeled_weight": 1.0},
    {"extra_topics": 2, "prior_strength": 0.0, "smoothing": 0.5, "accelerate": True, "init": "random"},
]
SOON_SETTLED = {"tol": 0.02}  # stops before the eighth pass

CORPUS = planted_corpus(
    80, 60, 6, n_classes=3, document_length=15, word_concentration=0.3, random_state=0, dtype="float32"
)
X, TRUTH = CORPUS.counts, CORPUS.target
FEW = [int(each) if place % 9 == 0 else None for place, each in enumerate(TRUTH)]
EVERYONE = np.arange(80)


def codes(labels):
    """The codes of numbered classes, -1 where there is none."""
    return np.array([-1 if label is None else label for label in labels])


def read(matrix, dtype=np.float64):
    """Counts in the form of the kernels."""
    return check_counts(MissingLabelPLSA(), matrix, reset=True, dtype=dtype)


# --- the quick model -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [*OPTIONS, SOON_SETTLED], ids=str)
@models
def test_a_quick_model_is_eight_passes_of_the_missing_label_model(model, options):
    """Of all four estimators, bit for bit: the same start, prior, weights, scaling, and nothing chosen."""
    quick = QuickPool(model(**{"tol": 0, **options}), X).learn(coded(FEW))
    weight = {"unlabeled_weight": 0.3 if quick.plan.later_gate else 0.1}
    alike = {"tol": 0, "evidence": False, "early_stopping": 0, "max_iter": 8, "random_state": 0}
    fitted = MissingLabelPLSA(**weight | alike | options).fit(X, codes(FEW))
    assert (fitted.n_iter_ < 8) == (options is SOON_SETTLED)
    assert_array_equal(quick.classes, [0, 1, 2])
    assert_array_equal(quick.topics(EVERYONE), fitted.doc_topic_)
    assert_array_equal(
        unpadded(quick.fit.parameters.word_topic, len(fitted.components_)).T, fitted.components_
    )
    assert_array_equal(quick.class_topic(), fitted.label_topic_)
    wanted = reference.by_class(fitted.doc_topic_.astype(np.float64), fitted.label_topic_)
    assert_array_equal(quick.of_aspects(EVERYONE), wanted)
    some = np.array([7, 3, 79])
    assert_array_equal(quick.topics(some), fitted.doc_topic_[some])
    assert_allclose(quick.of_aspects(some), wanted[some], rtol=1e-14)
    if not quick.plan.student:
        assert_array_equal(quick.chances(some), quick.of_aspects(some))


@pytest.mark.parametrize("model", [HardMislabelingPLSA, SoftMislabelingPLSA])
def test_a_student_of_the_labels_has_a_say_where_the_estimator_has_students(model):
    """Ridge regression on TF-IDF; the more labels a class has, the more say, up to half of it."""
    pool = QuickPool(model(), X)
    counts = read(X, np.float32)
    scaled = CountScaler(tf="log", idf=True, length=None).fit_transform(X).toarray()
    features = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    more = [int(each) if place % 3 else None for place, each in enumerate(TRUTH)]
    for labels in (FEW, more):
        quick = pool.learn(coded(labels))
        known = np.flatnonzero([label is not None for label in labels])
        code = np.array([labels[place] for place in known])
        share = np.bincount(code) * 3 / len(known)
        each = 10 / share[code] ** (1 / 3)
        F = features[known]
        target = np.where(code[:, np.newaxis] == np.arange(3), 1.0, -1.0)
        weights = np.linalg.solve(F.T * each @ F + np.eye(F.shape[1]), F.T @ (each[:, np.newaxis] * target))
        said = np.exp(4 * features @ weights)
        said /= said.sum(axis=1, keepdims=True)
        trust = min(0.5, len(known) / (len(known) + 30))
        mixed = (1 - trust) * quick.of_aspects(EVERYONE) + trust * said
        assert_allclose(quick.chances(EVERYONE), mixed, atol=0.02)  # few steps of conjugate gradients
        assert np.abs(quick.chances(EVERYONE) - quick.of_aspects(EVERYONE)).max() > 0.01
    assert pool.vectors.shape == (counts.n_documents, counts.n_words)


@models
def test_a_quick_model_ignores_how_long_and_how_often_the_estimator_would_learn(model):
    """Passes, starts, progress and callbacks are those of a fit; the estimator is left as it was."""
    calls = []
    estimator = model(max_iter=1, n_init=3, verbose=1, callback=calls.append, random_state=5)
    told = QuickPool(estimator, X).learn(coded(FEW))
    assert_array_equal(told.topics(EVERYONE), QuickPool(model(), X).learn(coded(FEW)).topics(EVERYONE))
    assert calls == []
    assert estimator.n_init == 3
    assert not hasattr(estimator, "classes_")


def test_a_quick_model_is_that_of_its_labels_alone():
    """Whatever was learned in between, and whatever names the classes have."""
    pool = QuickPool(SoftMislabelingPLSA(extra_topics=1), X)
    first = pool.learn(coded(FEW))
    before = first.chances(EVERYONE)
    others = [None if label is None else (label + place) % 2 for place, label in enumerate(FEW)]
    assert pool.learn(coded(others)).chances(EVERYONE).shape == (80, 2)
    again = pool.learn(coded(FEW))
    assert_array_equal(again.chances(EVERYONE), before)
    assert_array_equal(first.chances(EVERYONE), before)
    named = pool.learn(coded([None if label is None else "abc"[label] for label in FEW]))
    assert named.classes.tolist() == ["a", "b", "c"]
    assert_array_equal(named.chances(EVERYONE), before)


def test_a_quick_pool_checks_the_estimator_first():
    """A parameter that a fit would complain of is complained of before anything is learned."""
    with pytest.raises(ValueError, match="smoothing == -1"):
        QuickPool(MissingLabelPLSA(smoothing=-1), X)


# --- draws around a model ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_drawn_words_have_the_mean_and_spread_of_their_dirichlet_distribution(dtype):
    """The more words are expected in a topic, the nearer draws are to their mean."""
    expected = np.array([[30.0, 3e6], [60.0, 6e6], [10.0, 1e6], [0.0, 0.0]])
    rng = np.random.RandomState(0)
    draws = np.array([starts.words_expected(expected, dtype, rng) for _ in range(3000)])
    assert draws.dtype == dtype
    assert np.all(draws[:, :, 2:] == 0), "padding"
    assert_allclose(draws.sum(axis=1)[:, :2], 1, rtol=1e-5)
    mean = expected / expected.sum(axis=0)
    spread = np.sqrt(mean * (1 - mean) / (expected.sum(axis=0) + 1))
    assert np.all(np.abs(draws.mean(axis=0)[:, :2] - mean) <= 5 * spread / np.sqrt(3000) + 1e-6)
    assert_allclose(draws.std(axis=0)[:3, 0], spread[:3, 0], rtol=0.1)
    assert_allclose(draws[0, :3, 1], mean[:3, 1], rtol=0.01)


def test_draws_of_hardly_any_words_are_numbers():
    """Also in single precision; of nothing at all nothing is drawn."""
    for seed in range(300):
        drawn = starts.words_expected(
            np.array([[1e-3, 0.0], [1e-3, 0.0]]), np.float32, np.random.RandomState(seed)
        )
        assert np.isfinite(drawn).all()
        assert np.all(drawn[:, 1] == 0)


# --- the quick committee -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"topics_per_class": 2, "extra_topics": 1, "dtype": "float64"}], ids=str
)
def test_a_quick_committee_goes_on_from_draws_around_the_model(options):
    """Two passes for each member, from words that the model expects and frequencies of the labels."""
    pool = QuickPool(MissingLabelPLSA(**options), X)
    model = pool.learn(coded(FEW))
    some = np.array([1, 5, 40])
    found = model.committee(some, 3, np.random.RandomState(7))
    assert found.shape == (3, 3, 3)
    assert_allclose(found.sum(axis=2), 1, rtol=1e-12)
    assert_array_equal(model.committee(some, 3, np.random.RandomState(7)), found)
    assert np.abs(found - found.mean(axis=0)).max() > 1e-3  # few labels leave room for other opinions
    assert len({member.tobytes() for member in found}) == 3
    rng = np.random.RandomState(7)
    n_labels = np.bincount(codes(FEW)[codes(FEW) >= 0])
    for member in found:
        words = starts.words_expected(model.expected_words(), pool.counts.dtype, rng)
        drawn = pool.learn(model.labels, (words, rng.dirichlet(n_labels + 1)), 2)
        assert drawn.fit.n_updates == 2
        assert_array_equal(member, drawn.of_aspects(some))
    assert_array_equal(pool.learn(coded(FEW)).chances(some), model.chances(some))


def test_frequencies_that_are_drawn_are_those_of_a_member():
    """A class that is drawn as frequent takes more documents."""
    pool = QuickPool(MissingLabelPLSA(), X)
    model = pool.learn(coded(FEW))
    words = model.fit.parameters.word_topic
    often = [
        pool.learn(model.labels, (words, frequencies), 2).of_aspects(EVERYONE)[:, 0].mean()
        for frequencies in (np.array([0.9, 0.05, 0.05]), np.array([0.05, 0.05, 0.9]))
    ]
    assert often[0] > often[1]


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_a_committee_of_naive_bayes_is_drawn_from_its_posterior(in_pipeline):
    """Members sum to one, differ, and say what dense EM says from the same draws."""
    alone = NaiveBayesEM(unlabeled_weight=0.5, alpha=0.5, class_alpha=1.0)
    estimator = make_pipeline(CountScaler(tf="raw", length=None), alone) if in_pipeline else alone
    model = FittedPool(estimator, X).learn(coded(FEW))
    found = model.committee(EVERYONE, 2, np.random.RandomState(3))
    assert_allclose(found.sum(axis=2), 1)
    assert np.abs(found[0] - found[1]).max() > 1e-3
    fitted = model.estimator[-1] if in_pipeline else model.estimator
    dense, code = X.toarray().astype(float), codes(FEW)
    weight = np.where(code >= 0, 1.0, 0.5)
    allowed = np.where(code[:, np.newaxis] >= 0, np.eye(3)[code], 1.0)

    def posterior(words, prior, mask):
        joint = dense @ np.log(words) + np.log(prior)
        chance = np.exp(joint - joint.max(axis=1, keepdims=True)) * mask
        return chance / chance.sum(axis=1, keepdims=True)

    rng = np.random.RandomState(3)
    n_labels = np.bincount(code[code >= 0])
    known = posterior(fitted.components_.T, fitted.class_prior_, allowed)
    expected = dense.T @ (known * weight[:, np.newaxis]) + 0.5
    for member in found:
        prior = rng.dirichlet(n_labels + 1)
        words = unpadded(starts.words_expected(expected, np.float64, rng), 3)
        for _ in range(2):
            share = posterior(words, prior, allowed) * weight[:, np.newaxis]
            words = dense.T @ share + 0.5
            words /= words.sum(axis=0)
            prior = (share.sum(axis=0) + 1) / (share.sum() + 3)
        assert_allclose(member, posterior(words, prior, 1.0), atol=1e-7)


def test_a_committee_of_many_words_agrees():
    """Where labels leave no doubt members say what the model says."""
    much = QuickPool(MissingLabelPLSA(scaling=None, dtype="float64"), X * 1e7).learn(coded(TRUTH.tolist()))
    found = much.committee(EVERYONE, 2, np.random.RandomState(0))
    assert_allclose(found[0], found[1], atol=1e-3)


# --- supposed answers ----------------------------------------------------------------------------


def compare_supposed(model, judged, documents, settings):
    """Compares all supposed answers of documents with the dense mathematics."""
    pool = model.pool
    layout = model.settings.layout
    supposed = model.suppose(judged)
    n_topics = layout.n_topics
    for document in documents:
        for of_class in range(layout.n_classes):
            wanted = reference.suppose_answer(
                pool.counts.matrix().toarray(),
                model.labels.code,
                layout.topic_class,
                layout.n_classes,
                unpadded(model.fit.parameters.doc_topic, n_topics),
                unpadded(model.fit.parameters.word_topic, n_topics),
                document=document,
                of_class=of_class,
                judged=judged,
                rounds=2,
                **settings,
            )
            assert_allclose(supposed.after(document, of_class), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({}, {"strength": 5.0, "unlabeled_weight": 0.3, "smoothing": 0.01}),
        (
            {"topics_per_class": 2, "extra_topics": 2, "unlabeled_weight": 0.4, "smoothing": 0.3},
            {"strength": 5.0, "unlabeled_weight": 0.4, "smoothing": 0.3},
        ),
        (
            {"topics_per_class": [1, 3, 2], "scaling": None, "prior_strength": 0.0, "unlabeled_weight": 1.0},
            {"strength": 0.0, "unlabeled_weight": 1.0, "smoothing": 0.01},
        ),
        (
            {"extra_topics": 1, "prior_strength": 20.0, "max_iter": 2},
            {"strength": 20.0, "unlabeled_weight": 0.3, "smoothing": 0.01},
        ),
    ],
    ids=str,
)
def test_a_supposed_answer_is_the_reference(options, settings):
    """Counts change by the document, words follow, others are folded in: dense NumPy gives the same."""
    pool = QuickPool(SoftMislabelingPLSA(dtype="float64", **options), X)
    judged = np.array([70, 1, 9, 33])  # one of them has a label; most words of others stand in none of them
    open_words = set(X[judged].nonzero()[1])
    assert any(set(X[[document]].nonzero()[1]) - open_words for document in (2, 1))
    compare_supposed(pool.learn(coded(FEW)), judged, (2, 1, 50), settings)


@given(data=st.data())
def test_supposed_answers_of_odd_corpora_are_the_reference(data):
    """Empty documents, words that stand in one document alone, classes without words."""
    matrix = data.draw(drawing.counts(unusual=(0.5,), some_words=True))
    n_documents = matrix.shape[0]
    assume(n_documents >= 3)
    n_classes = data.draw(st.integers(2, min(3, n_documents - 1)))
    labels = list(range(n_classes)) + [None] * (n_documents - n_classes)
    labels = data.draw(st.permutations(labels))
    settings = {
        "strength": data.draw(st.sampled_from([0.5, 5.0])),
        "unlabeled_weight": data.draw(st.sampled_from([0.1, 1.0])),
        "smoothing": 0.01,
    }
    model = MissingLabelPLSA(
        scaling=None,
        dtype="float64",
        extra_topics=data.draw(st.integers(0, 2)),
        prior_strength=settings["strength"],
        unlabeled_weight=settings["unlabeled_weight"],
    )
    judged = np.array(data.draw(st.lists(st.integers(0, n_documents - 1), min_size=1, unique=True)))
    open_documents = [place for place, label in enumerate(labels) if label is None]
    compare_supposed(QuickPool(model, matrix).learn(coded(labels)), judged, open_documents[:2], settings)


def test_an_answer_that_the_model_had_ruled_out_is_supposed_all_the_same():
    """The document then has the topics of the class evenly; a word that no topic has says nothing."""
    model = QuickPool(MissingLabelPLSA(dtype="float64", topics_per_class=2), X).learn(coded(FEW))
    parameters = model.fit.parameters
    parameters.doc_topic[1] = 0
    parameters.doc_topic[1, 0] = 1  # surely of the first class
    parameters.word_topic[X[[1]].nonzero()[1][0]] = 0
    code = codes(FEW)
    model.fit.state[:, :6] = reference.expect(
        model.pool.counts.matrix().toarray(),
        np.where(code < 0, 0.1, 1),
        np.where(code < 0, 3, code),
        reference.missing_label_gate(np.repeat([0, 1, 2], 2), 3),
        None,
        unpadded(parameters.doc_topic, 6),
        unpadded(parameters.word_topic, 6),
    ).state
    settings = {"strength": 5.0, "unlabeled_weight": 0.1, "smoothing": 0.01}
    compare_supposed(model, np.array([3, 4, 1]), (1,), settings)


def test_supposing_changes_nothing():
    """The same question has the same answer after others, and the model says what it said."""
    model = QuickPool(MissingLabelPLSA(), X).learn(coded(FEW))
    before = model.chances(EVERYONE)
    supposed = model.suppose(np.array([3, 4]))
    first = supposed.after(1, 0)
    assert np.abs(first - supposed.after(1, 2)).max() > 1e-4
    supposed.after(2, 1)
    assert_array_equal(supposed.after(1, 0), first)
    assert_array_equal(model.chances(EVERYONE), before)


# --- any classifier ------------------------------------------------------------------------------


class Recording(MultinomialNB):
    """Naive Bayes that remembers what it was fitted to."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        """Fits and remembers."""
        Recording.seen.append((X.toarray(), np.asarray(y)))
        return super().fit(X, y)


def test_a_fitted_model_learns_from_labeled_documents_alone():
    """Unless the estimator takes others too."""
    model = FittedPool(MultinomialNB(), X).learn(coded(FEW))
    known = codes(FEW) >= 0
    by_hand = MultinomialNB().fit(X[known], TRUTH[known])
    assert_array_equal(model.classes, [0, 1, 2])
    some = np.array([5, 1])
    assert_array_equal(model.chances(some), by_hand.predict_proba(X[some]))
    ours = FittedPool(NaiveBayesEM(random_state=0), X).learn(coded(FEW))
    assert_array_equal(
        ours.estimator.transduction_, NaiveBayesEM(random_state=0).fit(X, codes(FEW)).transduction_
    )


@pytest.mark.parametrize(
    "estimator",
    [MissingLabelPLSA(evidence=False, max_iter=3), NaiveBayesEM()],
    ids=lambda e: type(e).__name__,
)
def test_what_is_known_of_documents_of_the_fit_is_said(estimator):
    """The transduction, in which labeled documents have their class, and not a prediction."""
    pool = FittedPool(estimator, X)
    assert takes_unlabeled(estimator)
    model = pool.learn(coded(FEW))
    some = np.array([0, 30, 9, 2])
    assert_array_equal(model.chances(some), model.estimator.transduction_[some])
    assert model.chances(np.array([0]))[0, FEW[0]] == 1
    assert_array_equal(model.topics(some), model.estimator.transform(X[some]))


def test_a_pipeline_says_what_it_predicts():
    """It has no transduction of its own."""
    pipeline = make_pipeline(TfidfTransformer(norm=None), MissingLabelPLSA(evidence=False, random_state=0))
    model = FittedPool(pipeline, X).learn(coded(FEW))
    some = np.array([0, 30, 9])
    assert_array_equal(model.chances(some), model.estimator.predict_proba(X[some]))
    assert_array_equal(model.topics(some), model.estimator.transform(X[some]))


def test_a_committee_of_fits_keeps_a_document_of_every_class():
    """As many labeled documents as there are, with replacement, each with its own label."""
    labels = [int(each) if place % 16 == 0 else None for place, each in enumerate(TRUTH)]
    labels[TRUTH.tolist().index(0)] = 0
    labels = [None if label == 2 else label for label in labels]
    labels[TRUTH.tolist().index(2)] = 2  # alone
    known = [place for place, label in enumerate(labels) if label is not None]
    model = FittedPool(Recording(), X).learn(coded(labels))
    Recording.seen.clear()
    some = np.array([1, 2])
    found = model.committee(some, 20, np.random.RandomState(0))
    assert found.shape == (20, 2, 3)
    assert len(Recording.seen) == 20
    rows = {X[[place]].toarray().tobytes(): labels[place] for place in known}
    draws = []
    for (matrix, names), member in zip(Recording.seen, found, strict=True):
        assert set(names.tolist()) == {0, 1, 2}
        assert len(names) == len(known)
        assert [rows[row.tobytes()] for row in matrix] == names.tolist()
        by_hand = MultinomialNB().fit(sparse.csr_array(matrix), names)
        assert_allclose(member, by_hand.predict_proba(X[some]))
        draws.append(sorted(row.tobytes() for row in matrix))
    assert len({tuple(draw) for draw in draws}) > 15
    assert any(len(set(draw)) < len(known) for draw in draws)
    assert_array_equal(model.committee(some, 20, np.random.RandomState(0)), found)


def test_a_committee_of_semi_supervised_fits_takes_labels_away():
    """A document cannot be labeled twice: each member knows some of the labels, and of every class one."""
    pool = FittedPool(MissingLabelPLSA(evidence=False, max_iter=2, random_state=0), X)
    model = pool.learn(coded(FEW))
    learn, seen = pool.learn, []

    def recorded(labels):
        seen.append(labels)
        return learn(labels)

    pool.learn = recorded
    found = model.committee(EVERYONE, 6, np.random.RandomState(0))
    assert len(seen) == 6
    for labels, member in zip(seen, found, strict=True):
        known = labels.code >= 0
        assert {*labels.classes[labels.code[known]].tolist()} == {0, 1, 2}
        assert_array_equal(labels.code[known], codes(FEW)[known])
        assert 3 <= known.sum() < sum(label is not None for label in FEW)
        assert_array_equal(member, learn(labels).chances(EVERYONE))


@pytest.mark.parametrize(
    "estimator",
    [MultinomialNB(), MissingLabelPLSA(evidence=False, max_iter=2, random_state=0)],
    ids=lambda e: type(e).__name__,
)
def test_a_supposed_answer_of_a_fitted_model_is_another_fit(estimator):
    """To the labels of now and the answer, by its class's name."""
    named = [None if label is None else "abc"[label] for label in FEW]
    pool = FittedPool(estimator, X)
    model = pool.learn(coded(named))
    judged = np.array([4, 1, 60])
    after = model.suppose(judged).after(1, 2)
    told = [*named]
    told[1] = "c"
    assert_array_equal(after, pool.learn(coded(told)).chances(judged))
    known = [place for place, label in enumerate(told) if label is not None]
    if isinstance(estimator, MultinomialNB):
        by_hand = MultinomialNB().fit(X[known], [told[place] for place in known])
        assert_array_equal(after, by_hand.predict_proba(X[judged]))
    assert_array_equal(model.labels.code, coded(named).code)


def test_decision_values_become_chances():
    """Softmax of several, the logistic function of one."""
    exact = X.astype(np.float64)
    ridge = RidgeClassifier().fit(exact, TRUTH)
    value = np.exp(ridge.decision_function(exact))
    assert_allclose(chances(ridge, exact), value / value.sum(axis=1, keepdims=True), rtol=1e-12)
    two = RidgeClassifier().fit(exact, TRUTH == 1)
    assert_allclose(chances(two, exact)[:, 1], 1 / (1 + np.exp(-two.decision_function(exact))), rtol=1e-12)
    assert_allclose(chances(two, exact).sum(axis=1), 1)


# --- expected losses -----------------------------------------------------------------------------


class Table:
    """A model whose supposed answers are written down."""

    def __init__(self, after):
        self.after_all, self.asked, self.judged = after, [], None

    def suppose(self, judged):
        """Remembers what is judged."""
        self.judged = judged
        return self

    def after(self, document, of_class):
        """What is written down."""
        self.asked.append((document, of_class))
        return self.after_all[document, of_class]


@pytest.mark.parametrize("loss", ["log", "zero-one"])
@given(seed=st.integers(0, 1000), n_classes=st.integers(1, 4), n_candidates=st.integers(1, 4))
def test_expected_losses_are_loops_over_candidates_and_classes(loss, seed, n_classes, n_candidates):
    """Classes below one in a hundred are left out, and the others have their shares of the rest."""
    rng = np.random.default_rng(seed)
    after = rng.dirichlet(np.ones(n_classes), (9, n_classes, 5))
    candidates = rng.permutation(9)[:n_candidates]
    chance = rng.dirichlet(np.full(n_classes, 0.2), n_candidates)
    model, judged = Table(after), np.array([3, 4, 5, 6, 7])
    found = expected_losses(model, candidates, chance, judged, lambda p: queries.expected_loss(p, loss))
    asked = []
    for place, document in enumerate(candidates):
        total, part = 0.0, 0.0
        for of_class in range(n_classes):
            if chance[place, of_class] >= 0.01:
                rows = after[document, of_class]
                each = [-sum(p * np.log(p) for p in row) if loss == "log" else 1 - max(row) for row in rows]
                total += chance[place, of_class] * np.mean(each)
                part += chance[place, of_class]
                asked.append((document, of_class))
        assert_allclose(found[place], total / part, rtol=1e-12)
    assert model.asked == asked
    assert model.judged is judged


def test_of_very_many_classes_the_most_probable_are_supposed():
    """Though none of them has one chance in a hundred."""
    chance = np.full((1, 200), 0.9 / 198)
    chance[0, [7, 150]] = 0.05 / 6 + np.array([0.0, 1e-9])
    chance /= chance.sum()
    after = np.ones((1, 200, 2, 2)) / 2
    after[0, 150] = [[0.9, 0.1], [0.7, 0.3]]
    model = Table(after)
    assert chance.max() < 0.01
    found = expected_losses(
        model, np.array([0]), chance, np.array([0, 1]), lambda p: queries.expected_loss(p, "zero-one")
    )
    assert_allclose(found, 0.2)
    assert model.asked == [(0, 150)]


# --- scikit-learn's semi-supervised classifiers --------------------------------------------------

MARKED = (
    LabelSpreading(kernel="knn", n_neighbors=5),
    LabelPropagation(gamma=0.01),
    SelfTrainingClassifier(MultinomialNB()),
    SelfTrainingClassifier(MultinomialNB(), criterion="k_best", k_best=3),
)
marked = pytest.mark.parametrize("estimator", MARKED, ids=str)
NEW = planted_corpus(
    20, 60, 6, n_classes=3, document_length=15, word_concentration=0.3, random_state=1, dtype="float32"
).counts


@pytest.mark.filterwarnings("ignore:y contains no unlabeled", "ignore:k_best is larger")  # of those alone
@pytest.mark.parametrize("names", [[0, 1, 2], [-1, 0, 7], ["ham", "jam", "spam"]], ids=str)
@pytest.mark.parametrize("wrapped", [False, True], ids=["plain", "pipeline"])
@marked
def test_semi_supervised_classifiers_of_scikit_learn_learn_from_all_documents(estimator, wrapped, names):
    """As they would by hand, sparse documents too; classes have the names that the labels have."""
    if wrapped:
        estimator = make_pipeline(TfidfTransformer(use_idf=False, norm=None), make_pipeline(estimator))
    assert takes_unlabeled(estimator)
    model = FittedPool(estimator, X).learn(coded([None if each is None else names[each] for each in FEW]))
    by_hand = clone(estimator).fit(X, codes(FEW))
    alone = clone(estimator).fit(X[codes(FEW) >= 0], codes(FEW)[codes(FEW) >= 0])
    assert model.classes.tolist() == names
    assert_array_equal(model.chances_of(NEW), by_hand.predict_proba(NEW))
    assert np.abs(model.chances_of(NEW) - alone.predict_proba(NEW)).max() > 0.01
    assert_array_equal(model.predict(NEW), np.array(names)[by_hand.predict(NEW)])
    some = np.array([3, 0, 70])
    last = by_hand[-1][-1] if wrapped else by_hand
    known = getattr(last, "label_distributions_", None)
    wanted = by_hand.predict_proba(X[some]) if known is None else known[some]
    assert_array_equal(model.chances(some), wanted)
    assert_array_equal(model.guesses(some), np.array(names)[wanted.argmax(axis=1)])


@marked
def test_committees_and_supposed_answers_of_these_classifiers_know_all_documents(estimator):
    """Members know fewer labels, and a supposed answer is one more."""
    names = np.array(["ham", "jam", "spam"])
    pool, labels = FittedPool(estimator, X), [None if each is None else str(names[each]) for each in FEW]
    model, some = pool.learn(coded(labels)), np.array([1, 5, 40])
    found = model.committee(some, 3, np.random.RandomState(7))
    assert found.shape == (3, 3, 3)
    assert_allclose(found.sum(axis=2), 1, rtol=1e-6)
    assert_array_equal(model.committee(some, 3, np.random.RandomState(7)), found)
    assert np.abs(found - found.mean(axis=0)).max() > 1e-3
    one_more = codes(FEW)
    one_more[4] = 2
    wanted = clone(estimator).fit(X, one_more)
    known = getattr(wanted, "label_distributions_", None)
    wanted = wanted.predict_proba(X[some]) if known is None else known[some]
    assert_array_equal(model.suppose(some).after(4, 2), wanted)


@pytest.mark.parametrize("estimator", [LabelSpreading(), LabelPropagation()], ids=str)
def test_all_classes_are_as_probable_where_no_label_reaches(estimator):
    """The kernel of scikit-learn is 0 there, and its probabilities are 0 / 0; nothing is not a number."""
    lonely = np.array([[0.0, 1.0], [0.0, 1.1], [1.0, 0.0], [1.1, 0.0], [90.0, 90.0]])
    model = FittedPool(estimator, lonely).learn(coded(["a", None, "b", None, None]))
    assert_allclose(model.chances(np.arange(5)), [[1, 0], [1, 0], [0, 1], [0, 1], [0.5, 0.5]], atol=1e-3)
    new = np.array([[0.0, 1.2], [900.0, 0.0]])
    assert_allclose(model.chances_of(new), [[1, 0], [0.5, 0.5]], atol=1e-3)
    assert model.predict(new).tolist() == ["a", "a"]
    learner = ActiveLearner(estimator, lonely, ["a", None, "b", None, None])
    assert_array_equal(learner.predict_proba(new), model.chances_of(new))
    assert learner.query().tolist() == [4]
    with np.errstate(invalid="ignore"):
        assert np.isnan(model.estimator.predict_proba(new)[1]).all()


# --- what a pipeline makes of documents ----------------------------------------------------------

TEXTS = ["tea milk tea", "milk cup", "goal ball", "ball team goal"]


def test_a_matrix_is_the_matrix_of_a_plain_estimator():
    """Sparse or dense, and not copied; also in a pipeline of one step."""
    for matrix in (X, X.toarray()):
        for estimator in (MissingLabelPLSA(), make_pipeline(MissingLabelPLSA())):
            last, found = counted(estimator, matrix)
            assert isinstance(last, MissingLabelPLSA)
            assert found is matrix


def test_texts_are_counted_by_the_steps_before_the_last():
    """As a fit would, and the pipeline's own steps stay unfitted."""
    pipeline = make_pipeline(CountVectorizer(), TfidfTransformer(), MissingLabelPLSA())
    last, found = counted(pipeline, TEXTS)
    assert last is pipeline[-1]
    wanted = TfidfTransformer().fit_transform(CountVectorizer().fit_transform(TEXTS))
    assert_array_equal(found.toarray(), wanted.toarray())
    assert not hasattr(pipeline[0], "vocabulary_")
    skipping = Pipeline([("a", "passthrough"), ("b", CountVectorizer()), ("c", MultinomialNB())])
    assert_array_equal(
        counted(skipping, TEXTS)[1].toarray(), CountVectorizer().fit_transform(TEXTS).toarray()
    )


def test_there_is_no_matrix_before_the_labels_where_a_step_needs_them():
    """Nor of texts that nothing counts."""
    chosen = make_pipeline(CountVectorizer(), SelectFpr(chi2), MissingLabelPLSA())
    last, found = counted(chosen, TEXTS)
    assert isinstance(last, MissingLabelPLSA)
    assert found is None
    assert counted(MultinomialNB(), TEXTS)[1] is None
    assert counted(make_pipeline(MultinomialNB()), TEXTS)[1] is None
    upper = Pipeline([("same", "passthrough"), ("last", MultinomialNB())])
    assert counted(upper, TEXTS)[1] is None


# --- what once went wrong ------------------------------------------------------------------------


def test_a_class_may_be_called_minus_one():
    """What marks a document without a label is None here, whatever the estimator thinks."""
    names = np.where(TRUTH == 0, -1, 1)
    known = [int(each) if place % 4 == 0 else None for place, each in enumerate(names)]
    for pool in (FittedPool(MissingLabelPLSA(evidence=False), X), QuickPool(MissingLabelPLSA(), X)):
        model = pool.learn(coded(known))
        assert model.classes.tolist() == [-1, 1]
        assert np.mean(model.classes[model.chances(EVERYONE).argmax(axis=1)] == names) > 0.9


def test_a_transduction_of_another_form_is_not_taken_for_chances():
    """scikit-learn's own has one class a document."""
    dense = X.toarray()
    model = FittedPool(LabelSpreading(kernel="knn", n_neighbors=3), dense).learn(coded(TRUTH.tolist()))
    assert model.chances(np.arange(5)).shape == (5, 3)


def test_a_corpus_without_words_is_refused():
    """As a fit does."""
    with pytest.raises(ValueError, match="word"):
        QuickPool(MissingLabelPLSA(), sparse.csr_array((4, 5)))


def test_steps_that_need_labels_leave_no_matrix():
    """Whether or not they say so in their tags."""
    for step in (SelectKBest(chi2, k=2), SelectFpr(chi2, alpha=1.0)):
        steps = make_pipeline(CountVectorizer(), step, MultinomialNB())
        assert counted(steps, ["a tea", "the ball", "tea ball"])[1] is None


def test_numbers_with_names_are_a_matrix():
    """A data frame has the quick model too."""
    pandas = pytest.importorskip("pandas")
    _, matrix = counted(MissingLabelPLSA(), pandas.DataFrame(X.toarray()))
    assert_array_equal(matrix, X.toarray())


def test_documents_that_are_no_counts_have_vectors_too():
    """At unit length, as they are where some numbers are negative."""
    dense = np.array([[3.0, -4.0], [0.0, 2.0], [0.0, 0.0]])
    assert_allclose(vectors(dense).toarray(), [[0.6, -0.8], [0, 1], [0, 0]])


def test_a_document_of_which_nothing_is_said_may_be_of_any_class():
    """With one topic a class, and with others."""
    some = np.array([[0.0, 0.0], [0.25, 0.25], [0.5, 0.0]])
    assert_array_equal(by_class(some, np.eye(2)), [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])
    assert_allclose(
        by_class(some, np.array([[0.5, 1.0], [0.5, 0.0]])), [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5]]
    )


@pytest.mark.parametrize(("n", "n_tried"), [(1, 30), (10, 30), (12, 36)])
def test_answers_are_supposed_of_three_times_a_batch(n, n_tried, monkeypatch):
    """And of thirty at least."""
    tried = []

    def listening(model, candidates, *given):
        tried.append(len(candidates))
        return np.zeros(len(candidates))

    monkeypatch.setattr(choosing, "expected_losses", listening)
    X = np.random.default_rng(0).poisson(1.0, (80, 5))
    ActiveLearner(MultinomialNB(), X, [0, 1] + [-1] * 78, strategy="expected error").query(n)
    assert tried == [n_tried]


def test_what_is_to_be_answered_counts_as_seen(monkeypatch):
    """Nobody is asked twice about the same kind of document before there is a model."""
    seen, whole = [], Landscape.cover

    def listening(self, documents, met, *given):
        seen.append(sorted(met))
        return whole(self, documents, met, *given)

    monkeypatch.setattr(Landscape, "cover", listening)
    X = np.random.default_rng(0).poisson(1.0, (20, 5))
    learner = ActiveLearner(MultinomialNB(), X, [1] + [-1] * 19)
    first = learner.query(1)
    learner.query(3)
    learner.skip(first)
    second = [*learner.pending_]
    learner.query(4)
    assert seen == [[0], sorted([0, *first]), sorted([0, *first, *second])]


def test_documents_that_are_asked_for_together_count_as_seen():
    """Each is chosen as if those before it in the batch had been asked for alone."""
    X = np.random.default_rng(1).poisson(0.7, (30, 9)) + np.eye(30, 9)
    landscape = Landscape(30, X)
    batch = ActiveLearner(MultinomialNB(), X).query(6).tolist()
    for place, row in enumerate(batch):
        news = landscape.cover(np.arange(30), batch[:place]).news()
        assert_allclose(news[row], news.max(), atol=2e-7)
    assert len(set(batch)) == 6


# --- what stands for others ----------------------------------------------------------------------


@given(data=st.data())
def test_news_is_what_a_document_stands_for_beyond_those_seen(data):
    """max(0, cosine)^2 beyond the largest of the seen ones, its mean over others by their doubt."""
    n = data.draw(st.integers(1, 12))
    rows = np.array(data.draw(st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=n, max_size=n)), float)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(length > 0, length, 1)
    landscape = Landscape(n, np.eye(n), sparse.csr_array(np.eye(n)))
    vars(landscape)["_space"] = rows
    seen = sorted(data.draw(st.sets(st.integers(0, n - 1))))
    some = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    doubt = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.2, 1.0]), min_size=n, max_size=n)))
    stands = np.maximum(rows @ rows.T, 0) ** 2
    news = np.maximum(stands - stands[seen].max(axis=0, initial=0), 0)
    assert_allclose(landscape.cover(some, seen).news(), news[some].mean(axis=1), atol=1e-6)
    weight = doubt / max(doubt.sum(), 1e-300)
    assert_allclose(landscape.cover(some, seen, doubt).news(), news[some] @ weight, atol=1e-6)


def test_news_is_judged_by_some_of_very_many(monkeypatch):
    """A thousand, that is; here seven of sixty."""
    monkeypatch.setattr("plsa.active.pool._STOOD_FOR", 7)
    X = np.random.default_rng(0).poisson(1.0, (60, 5)) + 1
    landscape = Landscape(60, X)
    space, some = landscape._space, np.random.RandomState(0).permutation(60)[:7]
    stands = np.maximum(space @ space[some].T, 0) ** 2
    assert_allclose(landscape.cover(np.arange(60), []).news(), stands.mean(axis=1), atol=1e-6)


def test_documents_lie_by_the_words_that_go_together(monkeypatch):
    """Two that share no word are near where their words stand together elsewhere."""
    monkeypatch.setattr("plsa.active.pool._DIMENSIONS", 2)
    X = np.array([[2, 0, 0, 0], [0, 2, 0, 0], *[[1, 1, 0, 0]] * 6, *[[0, 0, 1, 1]] * 6, [0, 0, 0, 3]])
    space = Landscape(len(X), X)._space
    assert space.shape == (15, 2)
    assert space[0] @ space[1] > 0.5 > abs(space[0] @ space[-1])
    assert_allclose(np.linalg.norm(space, axis=1), 1, rtol=1e-6)
    for few in (X[:1], X[:, :1], X[:2]):  # too few for any space: as they are, but for words that none has
        dense = vectors(few).toarray()
        assert_allclose(Landscape(len(few), few)._space, dense[:, dense.any(axis=0)], rtol=1e-6)
