"""PLSAClassifier and the labels it is given."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import assert_same_bits
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

import plsa
from plsa import CountScaler, PLSAClassifier
from plsa.datasets import planted_corpus
from plsa.estimators.validation import read_labels
from plsa.labels.reading import is_unlabeled
from plsa.learning import evidence, supervised
from plsa.learning.aspects import Folding


@pytest.fixture(scope="module")
def corpus():
    """Documents of four classes of two topics each."""
    return planted_corpus(
        800, 400, 8, n_classes=4, document_length=60, word_concentration=0.05, random_state=1
    )


def closed_form(X, code, n_classes, smoothing):
    """One topic a class: P(w|z) is the class's word counts, smoothed."""
    counts = np.array([X[code == c].sum(axis=0) for c in range(n_classes)], dtype=float) + smoothing
    return counts / counts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("prior_strength", [0.0, 5.0])
def test_one_topic_a_class_is_the_closed_form(corpus, dtype, prior_strength):
    """All labels, one topic a class: EM ends where counting does."""
    model = PLSAClassifier(scaling=None, smoothing=0.5, prior_strength=prior_strength, dtype=dtype).fit(
        corpus.counts, corpus.target
    )
    expected = closed_form(corpus.counts.toarray(), corpus.target, 4, 0.5)
    assert_allclose(model.components_, expected, rtol=1e-4 if dtype == "float32" else 1e-12)
    assert model.stop_reason_ == "settled"
    assert_array_equal(model.label_topic_, np.eye(4))
    assert_allclose(model.doc_topic_, np.eye(4)[corpus.target], rtol=1e-6)


def test_planted_classes_are_learned(corpus):
    """New documents of the planted classes are told apart, with topics as planted."""
    model = PLSAClassifier(topics_per_class=2, random_state=0).fit(corpus.counts[:600], corpus.target[:600])
    assert model.score(corpus.counts[600:], corpus.target[600:]) > 0.95
    assert_array_equal(model.topic_class_, [0, 0, 1, 1, 2, 2, 3, 3])


def test_a_document_uses_the_topics_of_its_class_only(corpus):
    """And the extra topics, whose classes follow from the documents that use them."""
    model = PLSAClassifier(
        topics_per_class={0: 1, 1: 2, 2: 1, 3: 3}, extra_topics=2, scaling=None, random_state=0
    ).fit(corpus.counts, corpus.target)
    assert_array_equal(model.topic_class_, [0, 1, 1, 2, 3, 3, 3, -1, -1])
    foreign = (model.topic_class_[None] != corpus.target[:, None]) & (model.topic_class_ >= 0)[None]
    assert np.all(model.doc_topic_[foreign] == 0)
    assert model.doc_topic_[:, -2:].max() > 0.01
    assert_allclose(model.label_topic_.sum(axis=0), 1)
    usage = np.array([model.doc_topic_[corpus.target == c, -2:].sum(axis=0) for c in range(4)])
    assert_array_equal(usage.argmax(axis=0), model.label_topic_[:, -2:].argmax(axis=0))
    assert np.diff(model.objective_trace_).min() > -1e-6 * abs(model.objective_trace_[0])
    assert_allclose(model.predict_proba(corpus.counts).sum(axis=1), 1, rtol=1e-6)


def test_probabilities_follow_from_topics(corpus):
    """P(y|d) = sum_z P(z|d) P(y|z), rows sum to one, predict takes the largest."""
    model = PLSAClassifier(topics_per_class=2, extra_topics=1, scaling=CountScaler(), random_state=0).fit(
        corpus.counts, corpus.target
    )
    proba = model.predict_proba(corpus.counts)
    assert_allclose(proba, model.transform(corpus.counts) @ model.label_topic_.T, rtol=1e-5)
    assert_array_equal(model.predict(corpus.counts), model.classes_[proba.argmax(axis=1)])
    assert_allclose(np.exp(model.predict_log_proba(corpus.counts)), proba)


def test_prior_is_that_of_the_classes():
    """A document that says nothing gets the classes' frequencies, each counted once more."""
    X = np.array([[2.0, 1, 0], [2, 1, 0], [1, 1, 0], [0, 1, 3]])
    model = PLSAClassifier(scaling=None).fit(X, ["a", "a", "a", "b"])
    assert_allclose(model.class_prior_, [4 / 6, 2 / 6])
    assert_allclose(model.predict_proba([[0.0, 0, 0]]), [[4 / 6, 2 / 6]], rtol=1e-6)
    # The stronger the prior, the nearer a short document is to it, from whichever side.
    distance = [
        abs(
            PLSAClassifier(scaling=None, prior_strength=k)
            .fit(X, ["a", "a", "a", "b"])
            .predict_proba([[0.0, 1, 0]])[0, 0]
            - 4 / 6
        )
        for k in (0.1, 1, 20, 400)
    ]
    assert distance == sorted(distance, reverse=True)
    assert distance[-1] < 0.01 < distance[0]


def test_unlabeled_documents_are_left_out(corpus):
    """The fit is that of the labeled documents, bit for bit."""
    some = np.arange(800) % 3 == 0
    expected = PLSAClassifier(random_state=0).fit(corpus.counts[some], corpus.target[some])
    assert_same_bits(
        PLSAClassifier(random_state=0).fit(corpus.counts, np.where(some, corpus.target, -1)), expected
    )


def test_what_marks_a_missing_label():
    """True is not 1, "1" is not 1, and NaN is found among objects."""
    assert_array_equal(is_unlabeled(np.array([0, -1, 2]), -1), [False, True, False])
    assert_array_equal(is_unlabeled(np.array([0, -1, 2]), None), [False, False, False])
    mixed = np.array(["a", None, float("nan"), -1, "-1"], dtype=object)
    assert_array_equal(is_unlabeled(mixed, -1), [False, True, True, True, False])
    assert_array_equal(is_unlabeled(np.array(["a", "-1"]), -1), [False, True])
    truths = np.array([True, 1, 0, False, None], dtype=object)
    assert_array_equal(is_unlabeled(truths, 1), [False, True, False, False, True])
    assert_array_equal(is_unlabeled(truths, False), [False, False, False, True, True])
    assert_array_equal(is_unlabeled(np.array([1.0, np.nan, -1]), "x"), [False, True, False])
    labels = read_labels(["b", None, "a", "b"], 4)
    assert_array_equal(labels.classes, ["a", "b"])
    assert_array_equal(labels.code, [1, -1, 0, 1])


def test_auto_scaling_does_not_depend_on_what_classes_are_called(corpus):
    """Names, a mapping from them, and a marker that is also a code: the same choice and the same model."""
    names = np.array(["ant", "bee", "cat", "dog"])[corpus.target]
    plain = PLSAClassifier(topics_per_class=[1, 2, 1, 1], random_state=0).fit(corpus.counts, corpus.target)
    for y, parameters in (
        (names, {"topics_per_class": {"ant": 1, "bee": 2, "cat": 1, "dog": 1}}),
        (corpus.target + 1, {"topics_per_class": [1, 2, 1, 1], "unlabeled": 0}),
    ):
        model = PLSAClassifier(**parameters, random_state=0).fit(corpus.counts, y)
        assert model.scaling_scores_ == plain.scaling_scores_
        assert_array_equal(model.components_, plain.components_)


@pytest.mark.parametrize("model", [plsa.PLSAClassifier, plsa.SoftMislabelingPLSA])
def test_what_a_student_says(model):
    """softmax(sharpness_ * scores / heights^leveling_); without words it is how frequent classes are."""
    corpus = planted_corpus(120, 60, 3, n_classes=3, document_length=15, random_state=0)
    y = np.where(np.arange(120) < 60, corpus.target, -1)
    y[(y == 0) & (np.arange(120) > 20)] = -1
    found = model(student="linear", random_state=0).fit(corpus.counts, y)
    empty = np.zeros((2, 60), dtype=np.float32)
    assert_allclose(found.predict_proba(empty), [found.class_prior_] * 2, rtol=1e-6)
    assert np.ptp(found.class_prior_) > 0.1
    scores = found.model_.student.scores(found.checked_counts(corpus.counts))
    assert abs(found.sharpness_ - 4) > 1e-3, "or nothing would be shown"
    height = scores.max(axis=1, keepdims=True) - scores.mean(axis=1, keepdims=True)
    assert 0 < found.leveling_ < 1
    wanted = softmax(found.sharpness_ * scores / np.maximum(height, 0.01) ** found.leveling_, axis=1)
    assert_allclose(found.predict_proba(corpus.counts), wanted, rtol=1e-6)


def test_sharpness_is_that_of_the_number_of_topics_that_is_taken(monkeypatch):
    """Held-out documents are judged with each; those of the one that is taken say how sharp to be."""
    judged = []

    def judge(pairs, candidates):
        held = evidence.judge(pairs, candidates)
        truth = np.eye(3)[held.code]
        for name, probability in held.probability.items():
            probability[:] = 0.05 + 0.85 * truth
            if name != "topics_per_class=2":  # wrong of every other one
                probability[::2] = np.roll(probability[::2], 1, axis=1)
        judged.append(held)
        return held

    monkeypatch.setattr(supervised, "judge", judge)
    corpus = planted_corpus(90, 60, 3, n_classes=3, document_length=15, random_state=0)
    model = plsa.PLSAClassifier(topics_per_class="auto", random_state=0)
    found = model.fit(corpus.counts, corpus.target)
    assert found.topic_class_.tolist() == [0, 0, 1, 1, 2, 2]
    assert_allclose(found.sharpness_, judged[-1].sharpness("topics_per_class=2", 1.0))
    assert found.sharpness_ > 1.2 * judged[0].sharpness("None", 1.0)


@pytest.mark.parametrize("model", [plsa.PLSAClassifier, plsa.NaiveBayesEM])
def test_scores_leave_out_what_has_no_label_and_take_weights(model):
    """The weighted share of labeled documents that are right; the marker is the user's own."""
    corpus = planted_corpus(80, 30, 4, n_classes=4, document_length=3, word_concentration=0.5, random_state=0)
    found = model(random_state=0, unlabeled=9).fit(corpus.counts[:40], corpus.target[:40])
    y, weight = corpus.target[40:].copy(), np.arange(40.0)
    right = found.predict(corpus.counts[40:]) == y
    y[::3] = 9
    known = y != 9
    assert 0 < right[known].mean() < 1
    assert_allclose(found.score(corpus.counts[40:], y), right[known].mean())
    wanted = np.average(right[known], weights=weight[known])
    assert abs(wanted - right[known].mean()) > 1e-3, "or nothing would be shown"
    assert_allclose(found.score(corpus.counts[40:], y, weight), wanted)


@pytest.mark.parametrize("model", [plsa.PLSAClassifier, plsa.MissingLabelPLSA])
def test_new_documents_are_scaled_before_they_are_folded_in(model):
    """As if they had been scaled first; folding raw counts in gives other topics."""
    corpus = planted_corpus(60, 40, 4, n_classes=2, document_length=20, random_state=0)
    y = np.where(np.arange(60) < 30, corpus.target, -1)
    found = model(2, scaling=plsa.CountScaler(length=5), random_state=0).fit(corpus.counts, y)
    raw = replace(found.model_.aspects, scaler=None)
    counts, how = found.checked_counts(corpus.counts), Folding()
    wanted = raw.topics(found.scaled_counts(corpus.counts), how)
    assert_allclose(found.transform(corpus.counts), wanted, rtol=1e-6)
    assert not np.allclose(raw.topics(counts, how), wanted, atol=1e-2)


def test_extra_topics_are_given_to_the_classes_that_use_them():
    """P(y|z) of the fit is then a class's alone; left open, extra topics are of all classes."""
    corpus = planted_corpus(300, 200, 8, n_classes=4, document_length=60, random_state=0)
    X, y = corpus.counts, corpus.target
    options = {"extra_topics": 4, "scaling": None, "prior_strength": 0.0, "max_iter": 100, "random_state": 0}
    learned = PLSAClassifier(**options, extra_labels="learned").fit(X, y)
    left = PLSAClassifier(**options).fit(X, y)
    assert learned.label_topic_[:, 4:].max(axis=0).min() > 0.95
    assert left.label_topic_[:, 4:].max(axis=0).min() < 0.9
    assert len(set(learned.label_topic_[:, 4:].argmax(axis=0))) > 1
    assert_array_equal(learned.topic_class_[4:], -1)
    assert np.diff(learned.objective_trace_).min() > -1e-6 * abs(learned.objective_trace_[0])


def test_as_printed_with_one_topic_a_class_is_the_closed_form():
    """P(w|z) is how often the class has the word, with nothing added; a document is all of its class."""
    corpus = planted_corpus(120, 60, 4, n_classes=4, random_state=0)
    X, y = corpus.counts, corpus.target
    found = PLSAClassifier.as_printed(random_state=0, dtype="float64").fit(X, y)
    counts = np.array([X[y == c].sum(axis=0) for c in range(4)], dtype=float)
    assert_allclose(found.components_, counts / counts.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-300)
    assert_allclose(found.doc_topic_, np.eye(4)[y], atol=1e-12)
    assert found.scaling_ is None


def test_extra_topics_begin_as_classes_that_are_drawn():
    """Whatever the start of P(w|z): before any update a topic is more of one class than of others."""
    corpus = planted_corpus(300, 200, 4, n_classes=4, random_state=0)
    model = PLSAClassifier(extra_topics=8, extra_labels="learned", scaling=None, max_iter=0, random_state=0)
    drawn = model.fit(corpus.counts, corpus.target).label_topic_[:, 4:]
    assert np.ptp(drawn, axis=0).mean() > 0.3
    assert len(set(drawn.argmax(axis=0))) > 2
    other = model.set_params(random_state=1).fit(corpus.counts, corpus.target).label_topic_[:, 4:]
    assert not np.allclose(drawn, other, atol=0.1)


def test_without_extra_topics_there_is_nothing_to_give_to_classes():
    """Bit for bit, but for what is drawn: here nothing is drawn before."""
    corpus = planted_corpus(120, 100, 4, n_classes=4, random_state=0)
    found = [
        PLSAClassifier(scaling=None, extra_labels=way, random_state=0).fit(corpus.counts, corpus.target)
        for way in ("open", "learned")
    ]
    assert_array_equal(found[0].components_, found[1].components_)
    assert_array_equal(found[0].objective_trace_, found[1].objective_trace_)
