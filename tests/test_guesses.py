"""Guesses of documents without a label: who has which say, and what a student is taught."""

import numpy as np
import pytest
from cases import corpus as planted
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from plsa import SoftMislabelingPLSA
from plsa.estimators.validation import check_counts
from plsa.labels.corpus import Corpus
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning.guesses import Guesser, Guesses, label_trust
from plsa.learning.student import DEFAULT_SHARPNESS, teach


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
    guesser = Guesser.of(some, student=True)
    first = guesser.first()
    said = opinions(int((~known).sum()))
    found = guesser.next(first, lambda documents: said)
    trust = label_trust(weights[known].sum(), 4)
    assert 0 < trust < 0.5
    together = (1 - trust) * said + trust * softmax(DEFAULT_SHARPNESS * first.scores, axis=1)
    code, weight = some.labels.code.copy(), weights.copy()
    code[~known] = together.argmax(axis=1)
    weight[~known] *= together.max(axis=1) ** 2
    weight[known] *= np.clip(weights[~known].sum() / weights[known].sum(), 2, 10)
    wanted = teach(guesser.matrix, code, weight, 4)
    assert_allclose(found.student.weights, wanted, rtol=1e-9, atol=1e-12)
    scores = guesser.matrix[np.flatnonzero(~known)] @ wanted
    assert_allclose(found.scores, scores, rtol=1e-9, atol=1e-12)
    assert_array_equal(found.code[~known], scores.argmax(axis=1))
    assert_array_equal(found.code[known], some.labels.code[known])
    assert_array_equal(found.taught[0], code)
    assert_allclose(found.taught[1], weight, rtol=1e-9)
    student, margin = guesser.finished(found)
    without = student.lessons.left_out(scores, some.counts.fingerprints()[~known])
    ahead = np.sort(without, axis=1)[:, -1] - np.sort(without, axis=1)[:, -2]
    assert_allclose(margin, np.average(ahead, weights=weights[~known]), rtol=1e-9)
    assert found.changed == 1, "there were no guesses before"
    again = guesser.next(found, lambda documents: said)
    changed = (again.code != found.code)[~known]
    assert_allclose(again.changed, np.average(changed, weights=weights[~known]))


def test_the_first_student_learns_from_labels_alone():
    """Each beside a ridge of one, at most ten times."""
    some = corpus()
    known = np.flatnonzero(some.labels.labeled)
    guesser = Guesser.of(some, student=True)
    others = np.delete(some.weights(), known).sum() / some.weights()[known].sum()
    weight = np.clip(others, 2, 10) * some.weights()[known]
    wanted = teach(guesser.matrix[known], some.labels.code[known], weight, 4)
    assert_allclose(guesser.first().student.weights, wanted, rtol=1e-9, atol=1e-12)
    assert_array_equal(guesser.first().code, some.labels.code)


def test_without_a_student_the_models_guess():
    """The most probable class of each; labels stay, and are no change."""
    some = corpus()
    known = some.labels.labeled
    said = opinions(int((~known).sum()))
    guesser = Guesser.of(some, student=False)
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
    """Three at a margin of one, where nothing is held out; wider ones count by three quarters."""
    X, y, _ = planted()
    margins = []
    whole = Guesser.finished

    def listening(self, guesses):
        student, margin = whole(self, guesses)
        margins.append(margin)
        return student, margin

    monkeypatch.setattr(Guesser, "finished", listening)
    options = {"evidence": False, "scaling": None, "relabel": 1, "random_state": 0}
    found = SoftMislabelingPLSA(**options).fit(X, y).sharpness_
    (margin,) = margins
    assert abs(np.log(margin)) > 1e-2, "else there is nothing to be seen"
    assert_allclose(found, 3 * margin**-0.75)
