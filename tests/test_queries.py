"""Scores of documents to ask about against their formulas, and batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from plsa.active.queries import (
    combined,
    contradiction,
    disagreement,
    entropy,
    expected_loss,
    least_confidence,
    need,
    per_cost,
    select,
    smallest_margin,
    standing_for,
    vote_entropy,
)


@st.composite
def chances(draw, members=None):
    """Rows that sum to one, some of them sure."""
    n, k = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    shape = n if members is None else (members, n)
    chance = rng.dirichlet(np.full(k, draw(st.sampled_from([0.05, 1.0]))), shape)
    sure = rng.random(shape) < 0.3
    return np.where(sure[..., np.newaxis], np.eye(k)[0], chance)


def plain_entropy(row):
    return -sum(p * np.log(p) for p in row if p > 0)


@given(chances())
def test_scores_are_their_formulas(chance):
    """A document at a time."""
    assert_allclose(entropy(chance), [plain_entropy(row) for row in chance], atol=1e-12)
    assert_allclose(least_confidence(chance), [1 - max(row) for row in chance], atol=1e-12)
    wanted = []
    for row in chance:
        first, second = (*sorted(row, reverse=True), 1.0)[:2] if len(row) > 1 else (1.0, 0.0)
        wanted.append(1 - (first - second) if len(row) > 1 else 0.0)
    assert_allclose(smallest_margin(chance), wanted, atol=1e-12)
    assert_allclose(expected_loss(chance), np.mean([plain_entropy(row) for row in chance]), atol=1e-12)
    assert_allclose(expected_loss(chance, "zero-one"), np.mean([1 - max(row) for row in chance]), atol=1e-12)


@given(chances(members=4))
def test_disagreement_is_the_mean_divergence_to_the_mean(several):
    """Member by member."""
    mean = several.mean(axis=0)
    wanted = np.zeros(len(mean))
    for member in several:
        for d, row in enumerate(member):
            wanted[d] += sum(p * np.log(p / mean[d, y]) for y, p in enumerate(row) if p > 0) / len(several)
    assert_allclose(disagreement(several), wanted, atol=1e-9)
    assert_allclose(disagreement(np.repeat(several[:1], 3, axis=0)), 0, atol=1e-9)


def test_vote_entropy():
    """Of shares of votes; nobody's vote is all doubt."""
    votes = np.array([[3, 1, 0], [4, 0, 0], [0, 0, 0]])
    wanted = [-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)), 0, np.log(3)]
    assert_allclose(vote_entropy(votes), wanted)


def test_views_that_contradict_each_other():
    """-log(1 - P) of the less sure one, below 0 where both have one class; by hand."""
    one = np.array([[0.9, 0.1, 0.0], [0.9, 0.1, 0.0], [0.9, 0.05, 0.05], [0.6, 0.4, 0.0]])
    other = np.array([[0.2, 0.8, 0.0], [0.6, 0.3, 0.1], [0.0, 0.3, 0.7], [0.7, 0.0, 0.3]])
    with np.errstate(divide="ignore"):
        found = contradiction([np.log(one), np.log(other)])
    assert_allclose(found, [-np.log(0.2), np.log(0.4), -np.log(0.3), np.log(0.4)])
    # The surest contradiction first, then doubtful ones, then what both are sure of.
    sure = np.log([[1 - 1e-9, 1e-9]] * 2)
    assert contradiction([sure[:1], sure[:1]]) < found.min()
    assert contradiction([sure[:1], sure[:1, ::-1]]) > found.max()


def test_a_document_stands_for_others_by_the_square_of_the_cosine():
    """Pair by pair; for those on the other side not at all."""
    X = np.random.default_rng(0).normal(size=(7, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    wanted = [[max(0.0, row @ other) ** 2 for other in X[:3]] for row in X]
    assert_allclose(standing_for(X, X[:3]), wanted)


def test_labels_are_needed_of_classes_that_have_few():
    """sum_y P(y|d) / (n_y + 1)."""
    chance = np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75]])
    assert_allclose(need(chance, [3, 0]), [0.25, 1.0, 0.25 * 0.25 + 0.75])


def test_cost_and_combinations():
    """Gain for a unit of cost; ranks of different scales together."""
    assert_allclose(per_cost(np.array([1.0, 1.0, 3.0]), [1, 2, 3]), [1, 0.5, 1])
    several = {"one": np.array([1.0, 2.0, 3.0]), "other": np.array([500.0, 0.0, 0.0])}
    assert_allclose(combined(several, {"one": 1.0, "other": 3.0}), [0.75, 0.125 + 0.1875, 0.25 + 0.1875])


@given(
    scores=st.lists(st.integers(0, 3), max_size=12),
    n=st.integers(0, 14),
    seed=st.integers(0, 100),
    n_classes=st.integers(1, 4),
)
def test_a_batch_is_distinct_and_the_highest(scores, n, seed, n_classes):
    """With and without guesses; the same seed gives the same, and each class has its turn."""
    scores = np.array(scores, dtype=float)
    chosen = select(scores, n, np.random.RandomState(seed))
    assert_array_equal(chosen, select(scores, n, np.random.RandomState(seed)))
    assert len(chosen) == min(n, len(scores)) == len(set(chosen.tolist()))
    assert_array_equal(scores[chosen], np.sort(scores)[::-1][: len(chosen)])
    guesses = np.random.default_rng(seed).integers(0, n_classes, len(scores))
    spread = select(scores, n, np.random.RandomState(seed), guesses)
    assert len(spread) == len(set(spread.tolist())) == min(n, len(scores))
    left = set(range(len(scores)))
    had = np.zeros(n_classes, dtype=int)
    for each in spread.tolist():
        fewest = min(had[guesses[other]] for other in left)
        allowed = [other for other in left if had[guesses[other]] == fewest]
        assert each in allowed
        assert scores[each] == max(scores[other] for other in allowed)
        left.remove(each)
        had[guesses[each]] += 1


def test_equals_are_drawn():
    """Over seeds, every one of equal documents comes first."""
    first = {int(select(np.ones(5), 1, np.random.RandomState(seed))[0]) for seed in range(60)}
    assert first == set(range(5))


def test_an_unknown_loss():
    with pytest.raises(KeyError):
        expected_loss(np.ones((2, 1)), "hinge")
