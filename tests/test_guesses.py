"""Guesses of documents without a label: who has which say, and what a student is taught."""

import numpy as np
import pytest
from cases import corpus as planted
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone

from plsa import CountScaler, SoftMislabelingPLSA
from plsa.datasets import planted_corpus
from plsa.engine.products import Products
from plsa.estimators.validation import check_counts
from plsa.labels.corpus import Corpus
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning import semisupervised
from plsa.learning.guesses import Guesser, Guesses, label_trust
from plsa.learning.guesses import usual as usual_of
from plsa.learning.linear import Teaching, complement, damped, separate
from plsa.learning.student import DEFAULT_SHARPNESS, UNTOLD_OF_CLASSES, margins


def corpus(n_documents=60):
    """Documents of four classes, one in four with a label, each counting once, twice or three times."""
    X, code, _ = planted("float64")
    counts = check_counts(SoftMislabelingPLSA(), X[:n_documents], reset=True)
    labels = Labels(np.arange(4), code[:n_documents].astype(np.int32))
    return Corpus(counts, labels, 1.0 + np.arange(n_documents) % 3)


def opinions(n_documents):
    """What models might say of documents."""
    return np.random.default_rng(0).dirichlet(np.ones(4) / 2, n_documents)


def test_a_student_learns_from_labels_and_from_guesses_by_how_sure_they_are():
    """Models and the student before have their say; a guess weighs the square of its probability."""
    some = corpus()
    known, weights = some.labels.labeled, some.weights()
    guesser = Guesser.of(some, Teaching())
    first = guesser.first()
    said = opinions(int((~known).sum()))
    found = guesser.next(first, lambda documents: said)
    trust = label_trust(weights[known].sum(), 4)
    assert 0 < trust < 0.5
    assert guesser.trust == trust
    together = (1 - trust) * said + trust * softmax(DEFAULT_SHARPNESS * first.scores, axis=1)
    code, weight = some.labels.code.copy(), weights.copy()
    code[~known] = together.argmax(axis=1)
    weight[~known] *= together.max(axis=1) ** 2
    weight[known] *= np.clip(weights[~known].sum() / weights[known].sum(), 2, 10)
    wanted, scores = separate(guesser.lesson.products, code, 0.3 * damped(code, weight, 4, 1 / 3), 4)
    scores = scores[~known, :4]
    assert_allclose(found.weights, wanted, rtol=1e-9, atol=1e-12)
    assert_allclose(found.scores, scores, rtol=1e-9, atol=1e-12)
    assert_array_equal(found.code[~known], scores.argmax(axis=1))
    assert_array_equal(found.code[known], some.labels.code[known])
    assert_array_equal(found.taught[0], code)
    assert_allclose(found.taught[1], weight, rtol=1e-9)
    assert found.changed == 1, "there were no guesses before"
    again = guesser.next(found, lambda documents: said)
    changed = (again.code != found.code)[~known]
    assert_allclose(again.changed, np.average(changed, weights=weights[~known]))


def test_what_a_student_is_a_blend_of():
    """The labels alone, labels and guesses, complement naive Bayes of both, and how frequent classes are."""
    some = corpus()
    known, weights = some.labels.labeled, some.weights()
    guesser = Guesser.of(some, Teaching(cost=0.3, damping=0.5))
    guesses = guesser.next(guesser.first(), lambda documents: opinions(len(documents)))
    topics = [
        np.random.default_rng(seed).dirichlet(np.full(some.counts.n_words, 0.1), 4).T for seed in (1, 2)
    ]
    each = guesser.classifiers(guesses, topics)
    rows = guesser.lesson.rows.of_documents(np.flatnonzero(known))
    code = some.labels.code[known]
    wanted, _ = separate(Products(rows, 4, 1), code, 0.3 * damped(code, weights[known], 4, 0.5), 4)
    assert_allclose(each[0], wanted, rtol=1e-9, atol=1e-12)
    assert each[1] is guesses.weights
    assert_array_equal(each[2], complement(guesser.lesson.products, *guesses.taught, 4))
    logs = [np.log(own + 0.1 / some.counts.n_words) for own in topics]
    wanted = np.mean([own - own.mean(axis=1, keepdims=True) for own in logs], axis=0)
    stands = some.counts.matrix().toarray() > 0
    alone = (weights @ stands == 1) & ~stands[known].any(axis=0)  # in one document, which has no label
    assert 0 < alone.sum() < len(alone)
    wanted[alone] = 0
    assert_allclose(each[3][:-1, :4], wanted[guesser.lesson.words], rtol=1e-9, atol=1e-12)
    assert not each[3][-1].any()
    shares = (0.5, 1.5, 0.25, 0.1, 2.0)
    student, margin = guesser.finished(guesses, topics, shares, some.counts.fingerprints())
    said = [guesser.lesson.scores(one).astype(float) for one in each]
    blended = sum(share * one for share, one in zip(shares, said, strict=False)) + 2 * some.log_frequencies()
    left = student.lessons.left_out(blended, some.counts.fingerprints())
    assert_allclose(student.scores(some.counts), left, rtol=1e-9, atol=1e-9)
    assert np.abs(left - blended)[~known].max() > 0.01, "else nothing was left out"
    assert_array_equal(left[known], blended[known])
    ahead = [np.average(margins(one[~known]), weights=weights[~known]) for one in [*said, blended, left]]
    assert_allclose(margin, ahead[-1], rtol=1e-9)
    assert_allclose(student.lessons.target, ahead[4] / ahead[1], rtol=1e-9)
    usual, _ = guesser.finished(guesses, topics, None, some.counts.fingerprints())
    told, untold = usual_of(some, told=True), usual_of(some, told=False)
    assert some.imbalance() > 0.1
    assert_allclose(np.subtract(untold, told), [some.imbalance(), 0, 0, 0], atol=1e-12)
    assert student.lessons.leverage.max() < 1
    around = [share / margin for share, margin in zip(untold, ahead, strict=False)]
    expected = UNTOLD_OF_CLASSES * some.log_frequencies()
    expected = expected + sum(share * one for share, one in zip(around, said, strict=True))
    expected /= np.average(margins(expected[~known]), weights=weights[~known])
    left = usual.lessons.left_out(expected, some.counts.fingerprints())
    assert_allclose(usual.scores(some.counts), left, rtol=1e-9, atol=1e-9)


def test_without_a_student_the_models_guess():
    """The most probable class of each; labels stay, and are no change."""
    some = corpus()
    known = some.labels.labeled
    said = opinions(int((~known).sum()))
    guesser = Guesser.of(some, None)
    found = guesser.next(guesser.first(), lambda documents: said)
    assert_array_equal(found.code[~known], said.argmax(axis=1))
    assert_array_equal(found.code[known], some.labels.code[known])
    assert found.changed == 1
    other = found.code.copy()
    other[np.flatnonzero(~known)[0]] = UNLABELED
    again = guesser.next(Guesses(other), lambda documents: said)
    assert_allclose(again.changed, some.weights()[~known][0] / some.weights()[~known].sum())


@pytest.mark.parametrize(("n_labels", "wanted"), [(0, 0.0), (10, 0.2), (40, 0.5), (400, 0.5)])
def test_trust_grows_with_labels(n_labels, wanted):
    """Half the say from ten labels of each of four classes on."""
    assert label_trust(n_labels, 4) == wanted


def test_sharpness_follows_how_far_apart_scores_are(monkeypatch):
    """Three at a margin of one, where nothing is held out; wider ones count by a part of that."""
    X, y, _ = planted()
    margins = []
    whole = Guesser.finished

    def listening(self, *given):
        student, margin = whole(self, *given)
        margins.append(margin)
        return student, margin

    monkeypatch.setattr(Guesser, "finished", listening)
    options = {"evidence": False, "scaling": None, "relabel": 1, "random_state": 0}
    found = SoftMislabelingPLSA(**options).fit(X, y).sharpness_
    (margin,) = margins
    assert abs(np.log(margin)) > 1e-2, "else there is nothing to be seen"
    assert_allclose(found, 3 * margin**-0.35)


# --- large corpora -------------------------------------------------------------------------------


def test_more_of_a_document_is_left_out_in_a_large_corpus(monkeypatch):
    """Words of classes and of topics know it again there, beside the guesses."""
    some = corpus()
    guesser = Guesser.of(some, Teaching())
    guesses = guesser.next(guesser.first(), lambda documents: opinions(len(documents)))
    topics = [np.random.default_rng(0).dirichlet(np.ones(some.counts.n_words), 4).T]
    given = guesses, topics, (0.5, 1.5, 0.25, 0.1, 2.0), some.counts.fingerprints()
    pull = []
    for large in (False, True):
        monkeypatch.setattr("plsa.learning.guesses.is_large", lambda corpus, large=large: large)
        leverage = guesser.finished(*given)[0].lessons.leverage
        pull.append(leverage / (1 - leverage))
    each = guesser.classifiers(guesses, topics)
    ahead = [guesser._mean(margins(guesser.lesson.scores(one)[~guesser.known])) for one in each]
    worth = np.array([0.5, 1.5, 0.25, 0.1]) * ahead
    assert_allclose(pull[0] / pull[1], (worth @ [0, 1, 0, 0.5]) / (worth @ [0, 1, 1, 2]), rtol=1e-9)


def with_own_words(n_documents=1000):
    """Documents of two classes, every second of which has a word of its own; 20 have a label."""
    corpus = planted_corpus(n_documents, 30, 2, n_classes=2, document_length=15, random_state=0)
    own = sparse.csr_array(np.eye(n_documents)[:, ::2] * 3)
    y = np.where(np.arange(n_documents) < 20, corpus.target, -1)
    return sparse.csr_array(sparse.hstack([own, corpus.counts])).astype(np.float32), y


@pytest.mark.parametrize("scaling", ["auto", None, CountScaler(tf="raw"), CountScaler(length=50)], ids=str)
@pytest.mark.parametrize("weight", [None, 0.5, 3.0])
def test_words_of_one_document_change_nothing_in_a_large_corpus(scaling, weight):
    """But those of a labeled one: all others might as well not be there, if each document counts once."""
    X, y = with_own_words(2000 if weight == 0.5 else 1000)
    shared = np.flatnonzero((X > 0).sum(axis=0) > 1)
    kept = np.concatenate([np.arange(10), shared])  # the first 20 documents are labeled
    kept = np.arange(X.shape[1]) if weight == 3 else kept  # three times a document
    model = SoftMislabelingPLSA(scaling=scaling, random_state=0)
    weights = None if weight is None else np.full(X.shape[0], weight)
    found, wanted = (clone(model).fit(each, y, sample_weight=weights) for each in (X, X[:, kept]))
    assert found.n_features_in_ == X.shape[1]
    assert_array_equal(found.components_[:, kept], wanted.components_)
    assert not np.delete(found.components_, kept, axis=1).any()
    assert_array_equal(found.transform(X), wanted.transform(X[:, kept]))
    assert_array_equal(found.guesses_, wanted.guesses_)
    # New documents are those that have no fingerprint of one of the fit.
    new = X[20:40] * 2
    assert_allclose(found.predict_proba(new), wanted.predict_proba(new[:, kept]), rtol=1e-6)


def test_documents_of_the_fit_are_known_by_all_their_words():
    """What one has taught a student is left out where it comes again, word for word, and nowhere else."""
    X, y = with_own_words()
    model = SoftMislabelingPLSA(random_state=0).fit(X, y)
    other = X[20:].tolil()
    other[:, 1000 // 2 - 1] = 1  # a word of the last document but one, which tells nothing
    assert np.abs(model.predict_proba(other.tocsr()) - model.transduction_[20:]).max() > 1e-3


def test_a_large_corpus_without_a_word_that_is_shared_is_learned_from_as_it_is():
    X = np.eye(1000)[:, 4:] * 2
    y = np.array([0, 0, 1, 1] + [-1] * 996)  # the labeled documents are empty
    model = SoftMislabelingPLSA(random_state=0).fit(X, y)
    assert_allclose(model.transduction_[4:], 0.5)


@pytest.mark.parametrize(
    ("words", "documents", "wanted"), [(1e9, 10, 1000), (10, 1e9, 1000), (10, 200, 200), (3000, 10, None)]
)
def test_evidence_is_found_with_some_of_many_documents(words, documents, wanted, monkeypatch):
    """As many as have so many words, or so many documents: chosen by nothing but their words."""
    X, y = with_own_words()
    monkeypatch.setattr(semisupervised, "_ENOUGH_WORDS", words)
    monkeypatch.setattr(semisupervised, "_ENOUGH_UNLABELED", documents)
    counts = check_counts(SoftMislabelingPLSA(), X, reset=True)
    whole = Corpus(counts, Labels(np.arange(2), y.astype(np.int32)))
    wanted = 3000 / (X[20:] > 0).sum(axis=1).mean() if wanted is None else wanted
    found = semisupervised._fewer(whole)
    n_unlabeled = (~found.labels.labeled).sum()
    assert found.labels.labeled.sum() == 20
    assert abs(n_unlabeled - min(wanted, 980)) <= (0 if wanted == 1000 else 50)
    turned = semisupervised._fewer(whole.part(np.arange(1000)[::-1]))
    assert_array_equal(np.sort(turned.counts.fingerprints()), np.sort(found.counts.fingerprints()))
