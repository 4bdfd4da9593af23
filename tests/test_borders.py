"""Where a rule begins to hold: at least half, no fewer than so many, as much as."""

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from plsa import (
    ActiveLearner,
    MPCKMeans,
    PLSAClassifier,
    WeightedLogisticRegression,
    estimate_prior,
    select_topics,
)
from plsa.active import stopping
from plsa.baselines.regression import best_threshold
from plsa.evaluation import positives


@pytest.mark.filterwarnings("ignore:scores tell nothing")
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


def test_ranks_tell_the_same_as_scores():
    """The share of positives is that of the scores which the ranks are of, to the last document."""
    rng = np.random.default_rng(0)
    known, others = rng.normal(5, 1, 12), np.concatenate([rng.normal(5, 1, 20), rng.normal(0, 1, 40)])
    wanted = estimate_prior(np.concatenate([known, others]), np.arange(72) < 12)
    assert 0.1 < wanted.share < 0.9
    assert positives._prior_of_ranks(positives._shares_reaching(known, others), 60) == wanted


def test_of_topics_that_are_as_wide_the_most_used_is_split():
    """All documents of a topic are alike here."""
    X = np.array([[2, 2, 0, 0]] * 6 + [[0, 0, 2, 2]] * 3)
    model = PLSAClassifier(scaling=None, smoothing=0.0, prior_strength=0.0, dtype="float64", max_iter=3)
    for names, wanted in (("aaaaaabbb", [2, 1]), ("bbbbbbaaa", [1, 2])):
        found = select_topics(model, X, list(names), criterion="heterogeneity", max_splits=1, cv=3)
        assert [score.topics for score in found.scores] == [[1, 1], wanted]


def test_of_strengths_that_are_as_good_the_most_regularized_is_taken():
    """In whatever order they are given."""
    X = np.array([[4, 0, 1]] * 8 + [[0, 4, 1]] * 16)
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0] + [0] * 16)
    alone = {
        C: WeightedLogisticRegression(C=C, random_state=0).fit(X, y).criterion_ for C in (0.1, 1.0, 10.0)
    }
    assert len(set(alone.values())) == 1
    for several in ((0.1, 1.0, 10.0), (10.0, 0.1, 1.0)):
        assert WeightedLogisticRegression(C=several, random_state=0).fit(X, y).C_ == 0.1


def test_the_start_that_ends_lowest_is_kept():
    """Not the one that begins lowest: in one of these seeds they are not the same."""
    X = np.random.default_rng(0).poisson(0.7, (40, 12))
    y = (np.arange(40) < 6).astype(int)
    differ = 0
    for seed in range(6):
        rng = np.random.RandomState(seed)
        options = {"n_clusters": 5, "n_metrics": 0}
        alone = [
            MPCKMeans(**options, n_init=1, random_state=rng).fit(X, y).objective_trace_ for _ in range(5)
        ]
        found = MPCKMeans(**options, n_init=5, random_state=seed).fit(X, y).objective_trace_
        assert found[-1] == min(trace[-1] for trace in alone)
        differ += min(alone, key=lambda trace: trace[0])[-1] > found[-1]
    assert differ
