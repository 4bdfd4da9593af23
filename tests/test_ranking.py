"""The order of documents: votes and positives, blended by positives that are hidden."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import beta
from sklearn.metrics import average_precision_score

from plsa import TopicSensitivePLSA
from plsa.datasets import planted_corpus
from plsa.estimators.positives import likeness
from plsa.labels.reading import Known
from plsa.learning import committee, ranking
from plsa.learning.ranking import agreement, hidden_ranks, ranked, share_to_take, word_odds


@pytest.fixture(scope="module")
def documents():
    """300 documents at unit length: words 0-9 are a topic's, 0-2 those of what is wanted of it, 10 of 100."""
    rng = np.random.default_rng(0)
    wanted, of_topic = np.arange(300) < 30, np.arange(300) < 100
    chance = np.full((300, 40), 0.1)
    chance[of_topic, :10] = 0.4
    chance[wanted, :3] = 0.9
    rows = (rng.random(chance.shape) < chance) + 1e-3
    matrix = sparse.csr_array(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return matrix, wanted, of_topic


def seats_for(taken, positive):
    """Two members that know who is of a topic, and change places as the committee's do."""
    known, topic = np.flatnonzero(positive), np.where(taken, 0, 1)
    member = committee.Member(3, taken, 1.0)
    halves = known[::2], known[1::2]
    return [committee.Seat(member, topic, *each) for each in (halves, halves[::-1])]


def test_a_hidden_positive_is_known_to_nobody(documents, monkeypatch):
    """Neither to the regression nor to the student, nor to a member whose vote counts."""
    matrix, wanted, of_topic = documents
    positive = wanted & (np.arange(300) < 8)
    seats, hidden, calls = seats_for(of_topic, positive), [], []

    def like(matrix, left):
        hidden.append(np.flatnonzero(positive & ~left.positive).tolist())
        return likeness(matrix, left)

    def without(seats, score, left, document, whole=committee.without):
        calls.append(document)
        assert_array_equal(score, matrix @ likeness(matrix, left))
        assert_array_equal(np.flatnonzero(positive & ~left.positive), [document])
        return whole(seats, score, left, document)

    def teach(matrix, code, weight, n_classes, whole=ranking.teach):
        assert weight[calls[-1]] <= 1
        assert np.sum(weight == 5) == 7
        return whole(matrix, code, weight, n_classes)

    monkeypatch.setattr(committee, "without", without)
    monkeypatch.setattr(ranking, "teach", teach)
    found = list(hidden_ranks(matrix, Known.of(positive), seats, like))
    assert [len(each) for each in found] == list(range(9))
    assert hidden == [[document] for document in range(8)]
    assert calls == list(range(8))
    assert found[-1].max() <= 0
    assert np.exp(found[-1].min()) >= 1 / 293


def test_a_hidden_positive_has_no_negatives_about(documents):
    """Neither to learn from nor to come before it."""
    matrix, wanted, of_topic = documents
    positive = wanted & (np.arange(300) < 8)
    known = Known(positive, of_topic & (np.arange(300) >= 60))
    heard = []

    def like(matrix, left):
        heard.append(left.negative.any())
        return likeness(matrix, left)

    *_, found = hidden_ranks(matrix, known, seats_for(of_topic, positive), like)
    assert heard == [False] * 8
    place = np.exp(found) * 253  # among 252 unlabeled documents and itself
    assert_allclose(place, np.rint(place))


@pytest.mark.parametrize(("n_known", "n_hidden"), [(1, 0), (4, 0), (5, 5), (12, 12), (30, 12)])
def test_no_more_than_twelve_are_hidden_and_few_say_nothing(documents, n_known, n_hidden):
    matrix, wanted, of_topic = documents
    positive = wanted & (np.arange(300) < n_known)
    *_, last = hidden_ranks(matrix, Known.of(positive), seats_for(of_topic, positive), likeness)
    assert last.shape == (n_hidden, 9)


def test_evidence_says_what_to_blend(documents):
    """Where the votes are for a wider topic likeness ranks; where they are for what is wanted they do."""
    matrix, wanted, of_topic = documents
    positive = wanted & (np.arange(300) < 8)
    known = Known.of(positive)
    like, share = likeness(matrix, known), []
    for taken in (of_topic, wanted):
        *_, ranks = hidden_ranks(matrix, known, seats_for(taken, positive), likeness)
        votes = np.where(taken, 0.7, 0.0)  # few agree
        alone, none = ranked(matrix, known, votes, like, ranks[:0])
        assert none == 0
        assert_array_equal(alone, ranking.taught(matrix, known, votes))
        weights, threshold = ranked(matrix, known, votes, like, ranks)
        score = (matrix @ (weights[:, 1] - weights[:, 0]) / 2)[~positive]
        before = (matrix @ (alone[:, 1] - alone[:, 0]) / 2)[~positive]
        gain = [average_precision_score(wanted[~positive], each) for each in (score, before)]
        assert gain[0] > gain[1] - 0.02
        share.append((gain[0] - gain[1], np.mean(score > threshold), np.mean(before > 0)))
        assert_allclose(score.std(), before.std(), rtol=0.3)
    wide, exact = share
    assert wide[0] > 0.05
    assert wide[1] < 0.95 * wide[2]
    assert_allclose(exact[1], exact[2], atol=0.05)


@given(st.lists(st.floats(1e-4, 1), min_size=5, max_size=12), st.floats(1e-4, 1), st.floats(0, 1))
def test_how_many_are_taken(ranks, share, doubt):
    """Between the student's share and the ranks of the lower half of the positives that were hidden."""
    rank = np.sort(ranks)
    n = len(rank)
    worth = [beta(k, n + 1 - k).ppf(0.1) ** 2 / rank[k - 1] if 2 * k >= n else 0 for k in range(1, n + 1)]
    k = int(np.sum(rank <= share))
    own = beta(k, n + 1 - k).ppf(0.1) ** 2 / share if k else 0
    moved = doubt * (1 - min(1, own / max(worth)))
    wanted = (1 - moved) * np.log(share) + moved * np.average(np.log(rank), weights=worth)
    assert_allclose(np.log(share_to_take(rank, share, doubt)), wanted, atol=1e-9)


def test_votes_that_agree_are_not_overruled():
    """Documents that most members are for, of those that some are for."""
    assert agreement(np.array([0, 0.2, 0.3, 0.6, 0.8, 1])) == 0.5
    assert agreement(np.zeros(3)) == 0
    rng = np.random.default_rng(0)
    matrix, positive = sparse.csr_array(rng.random((60, 8))), np.arange(60) < 6
    ranks = np.log(np.linspace(0.3, 0.2, 9)) * np.ones((6, 1))  # all for likeness
    like = rng.normal(size=8)
    found = []
    for sure in (0.6, 1.0):
        votes = np.where(np.arange(60) < 20, sure, 0.0)
        weights, _ = ranked(matrix, Known.of(positive), votes, like, ranks)
        found.append(np.corrcoef((matrix @ weights[:, 1])[6:], (matrix @ like)[6:])[0, 1])
    assert found[0] > 0.8
    assert found[1] < 0.6


def test_odds_of_words():
    """Of documents that most are for; what is known, five times; what a minority is for counts against."""
    matrix = sparse.csr_array(np.eye(4)[[0, 1, 2, 3, 3, 2]])
    known = Known(np.arange(6) == 0, np.arange(6) == 5)
    found = word_odds(matrix, known, np.array([0, 0.8, 0.4, 0, 0, 0.9]))
    voted = np.array([5, 0.8, 0, 0]) + 6.8 / 4
    other = np.array([0, 0.2, 6, 2]) + 9.2 / 4
    assert_allclose(found, np.log(voted / voted.sum()) - np.log(other / other.sum()))


def test_one_document_is_judged_as_among_others():
    """In any company, and by the same threshold; what is taken is what is above it."""
    corpus = planted_corpus(300, 150, 5, n_classes=5, random_state=0)
    y = np.where((corpus.target == 1) & (np.arange(300) < 120), 1, -1)
    model = TopicSensitivePLSA(random_state=0).fit(corpus.counts, y)
    score = model.decision_function(corpus.counts)
    assert (model.threshold_, model.model_.zero != 0) == (0, True)
    finder = model.model_
    raw = finder.student.scores(model.checked_counts(corpus.counts))
    assert_allclose(score, (raw[:, 1] - raw[:, 0]) / 2 - finder.zero)
    assert_array_equal(model.predict(corpus.counts), score > 0)
    for document in range(0, 300, 37):
        assert model.decision_function(corpus.counts[[document]])[0] == score[document]
    assert_array_equal(model.guesses_[y < 0], (score > 0)[y < 0])
    assert average_precision_score((corpus.target == 1)[y < 0], score[y < 0]) > 0.9
