"""Where a rule begins to hold: at least half, no fewer than so many, as much as."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from plsa import ActiveLearner, estimate_prior
from plsa.active import stopping
from plsa.active.pool import Landscape
from plsa.baselines.regression import best_threshold


@pytest.mark.parametrize(("n_high", "share", "threshold"), [(5, 0.0, 4.5), (4, 1.0, -3.0)])
def test_half_of_the_positives_may_choose_the_threshold(n_high, share, threshold):
    """Five of ten that score above all others may, four of ten may not."""
    scores = np.where(np.arange(10) < n_high, 9.0, -1.0)
    scores[-1] = -2.0
    others = np.zeros(1000)
    assert estimate_prior(np.concatenate([scores, others]), np.arange(1010) < 10).share == share
    assert best_threshold(scores, others)[1] == threshold


@pytest.mark.parametrize(("share", "wanted"), [(0.0, 0), (0.05, 1), (0.2, 2), (0.25, 3), (1.0, 10)])
def test_a_part_of_all_documents_is_drawn_in_the_end(share, wanted):
    """Rounded up: whoever asks for a share has at least one."""
    X = np.random.default_rng(0).poisson(2.0, (10, 4))
    learner = ActiveLearner(MultinomialNB(), X, random_share=share)
    for _ in range(10):
        asked = learner.query()
        learner.tell(asked, asked % 2)
    assert learner.status().n_drawn == wanted


@pytest.mark.parametrize(
    ("agreement", "stop"),
    [([0.98] * 3, True), ([0.98, 0.98, 0.9799], False), ([0.9799, 1, 1], False), ([1, 1], False)],
)
def test_guesses_are_steady_from_a_kappa_of_98_percent_on(agreement, stop, monkeypatch):
    """Three times in a row."""
    monkeypatch.setattr(stopping, "_agreement", lambda *given: agreement)
    X = np.random.default_rng(0).poisson(2.0, (10, 4))
    learner = ActiveLearner(MultinomialNB(), X, [0, 1] + [-1] * 8)
    assert learner.status().stop is stop


def test_the_next_of_unlike_documents_is_of_a_large_cluster_that_is_far():
    """The root of the size times the distance: a hundred that are near tell less than nine that are far."""
    centers = np.array([[1, 0, 0], [0.8, 0.6, 0], [0.1, 0, np.sqrt(0.99)]])
    landscape = Landscape(3, centers, sparse.csr_array(centers))
    landscape._clusters = np.array([144.0, 100.0, 9.0]), centers
    everyone = np.arange(3)
    assert landscape.unlike(everyone, [], 3, 0) == [0, 2, 1]
    assert landscape.unlike(everyone[1:], [0], 1, 0) == [2], "what was seen counts as chosen"
    landscape._clusters = np.array([144.0, 410.0, 9.0]), centers
    assert landscape.unlike(everyone[[0, 2, 1]], [0], 1, 0) == [1], "but for very many"
