"""The committee: clusters to start from, topics that are taken for the positives', votes."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

from plsa import PLSA
from plsa.datasets import planted_corpus
from plsa.engine import em
from plsa.engine.parameters import Fit, StopReason
from plsa.engine.progress import Progress
from plsa.engine.starts import words_from_clusters
from plsa.estimators.positives import likeness
from plsa.estimators.validation import check_counts
from plsa.labels.reading import Known
from plsa.learning import clusters, committee
from plsa.learning.aspects import OpenModel
from plsa.learning.clusters import spherical_kmeans
from plsa.learning.committee import Member, Seat, most_probable_topics, opinion, votes
from plsa.learning.positives import recall_above
from plsa.learning.scaling import TFIDF, vectors


@pytest.fixture(scope="module")
def planted():
    """Documents of four topics as counts, as vectors, and what they are."""
    corpus = planted_corpus(240, 120, 4, n_classes=4, doc_concentration=0.05, random_state=0)
    counts = check_counts(PLSA(), corpus.counts, reset=True, dtype="float64")
    return counts, vectors(TFIDF.fit(counts), counts), corpus.target


@pytest.mark.parametrize(("found", "number"), [(1, 1), (3, 5), (5, 5), (40, 100)])
def test_recall_above(found, number):
    """The recall is below it with a probability of one tenth."""
    assert_allclose(beta(found, number + 1 - found).cdf(recall_above(found, number)), 0.1)


def test_none_found_is_no_recall():
    assert recall_above(0, 7) == 0


@given(
    topic=st.lists(st.integers(0, 4), min_size=4, max_size=25),
    seed=st.integers(0, 1000),
    n_judges=st.integers(1, 3),
)
def test_an_opinion_is_the_best_of_all_prefixes(topic, seed, n_judges):
    """The topics most like the positives, as many as make the criterion highest; no known negative."""
    topic = np.array(topic)
    rng = np.random.default_rng(seed)
    likeness = rng.normal(size=len(topic))
    positive = np.arange(len(topic)) < 3
    judges = np.arange(n_judges)
    negative = ~positive & (rng.random(len(topic)) < 0.3)
    found = opinion(topic, 5, likeness, Known(positive, negative), judges)
    taken, criterion = reference.opinion(
        topic, 5, likeness, positive, judges, lambda k, n: beta(k, n + 1 - k).ppf(0.1) if k else 0.0
    )
    assert_allclose(found.criterion, criterion)
    assert_array_equal(found.taken, taken & ~negative)
    assert found.n_topics == 5


def test_an_opinion_without_a_document_that_is_hidden():
    """Members that started from it have none; the others are judged by the other judges alone."""
    topic = np.array([0, 0, 1, 2, 2, 0, 1, 2, 2])
    positive = np.arange(9) < 4
    like = -np.arange(9.0)
    judged = [np.array([2, 3]), np.array([0, 1])]
    member = opinion(topic, 3, like, Known.of(positive), judged[0])
    seats = [Seat(member, topic, first, judges) for first, judges in (judged[::-1], judged)]
    left = Known.of(positive & (np.arange(9) != 3))
    (found,) = committee.without(seats, like, left, 3)
    wanted = opinion(topic, 3, like, left, np.array([2]))
    assert_array_equal(found.taken, wanted.taken)
    assert found.criterion == wanted.criterion != member.criterion


def test_votes_weigh_what_the_members_are_worth():
    """And count the same where none has found a judge."""
    first, second = np.array([True, True, False]), np.array([True, False, False])
    assert_allclose(votes([Member(4, first, 3.0), Member(6, second, 1.0)]), [1, 0.75, 0])
    assert_allclose(votes([Member(4, first, 0.0), Member(6, second, 0.0)]), [1, 0.5, 0])


def test_start_words_are_half_a_cluster_and_half_the_corpus(planted):
    """An empty cluster starts at the corpus."""
    counts, _, target = planted
    words = words_from_clusters(counts, target, 5)[:, :5]
    dense = counts.matrix().toarray()
    corpus = dense.sum(axis=0) / dense.sum()
    own = dense[target == 2].sum(axis=0)
    assert_allclose(words[:, 2], own / own.sum() / 2 + corpus / 2)
    assert_allclose(words[:, 4], corpus)


@pytest.mark.parametrize("first", [[], [0, 1, 2]])
def test_means_find_planted_topics(planted, first):
    """Without any label; where a start is given, its cluster is the first."""
    _, matrix, target = planted
    found = []
    for seed in range(5):
        label = spherical_kmeans(matrix, 6, np.array(first, dtype=np.intp), np.random.RandomState(seed))
        assert label.min() >= 0
        assert label.max() < 6
        pure = [np.bincount(target[label == each]).max() for each in range(6) if np.any(label == each)]
        found.append(sum(pure) / len(target))
        if first:
            assert np.mean(label[first] == 0) > 0.5
    assert np.mean(found) > 0.9


@pytest.mark.parametrize("first", [[], [5, 9, 11]])
def test_means_are_spherical_k_means(first):
    """Nearest center by cosine, then centers at the mean direction; an empty cluster keeps its own."""
    noisy = np.random.default_rng(0).poisson(20 / np.arange(1, 101), (80, 100))
    counts = check_counts(PLSA(), noisy, reset=True, dtype="float64")
    matrix = vectors(TFIDF.fit(counts), counts)
    found = spherical_kmeans(matrix, 7, np.array(first, dtype=np.intp), np.random.RandomState(3))
    rng, dense = np.random.RandomState(3), matrix.toarray()
    parts = [rng.choice(80, 5, replace=False) for _ in range(7)]
    if first:
        parts[0] = first
    center = [dense[part].sum(axis=0) / np.linalg.norm(dense[part].sum(axis=0)) for part in parts]
    for _ in range(clusters._ROUNDS):
        wanted = np.array([np.argmax([row @ each for each in center]) for row in dense])
        for each in range(7):
            if np.any(wanted == each):
                mean = dense[wanted == each].sum(axis=0)
                center[each] = mean / np.linalg.norm(mean)
    assert_array_equal(found, wanted)


def test_topics_of_documents_are_those_of_plsa(planted):
    """Some steps from the clusters, then the most probable topic: as PLSA from the same start."""
    counts, _, target = planted
    found = most_probable_topics(OpenModel(counts, 4, 0.01, 1.0), target)
    dense = counts.matrix().toarray()
    theta, phi = np.full((240, 4), 0.25), words_from_clusters(counts, target, 4)[:, :4]
    for _ in range(committee._PASSES):
        theta, phi, _ = reference.linked_step(dense, theta, phi, np.ones(240), 0.25, 0.01, [], [])
    assert_array_equal(found, theta.argmax(axis=1))


@pytest.mark.parametrize("n_known", [1, 2, 7])
def test_the_committee_finds_the_positives(planted, n_known):
    """Members are judged by positives that they did not start from; with one positive too."""
    counts, matrix, target = planted
    positive = np.zeros(240, dtype=bool)
    positive[np.flatnonzero(target == 1)[:n_known]] = True
    progress = Progress("", shown=False)
    seats, cut = committee.ask(
        lambda number: OpenModel(counts, number, 0.01, 1.0),
        matrix,
        matrix @ likeness(matrix, Known.of(positive)),
        Known.of(positive),
        np.random.RandomState(0),
        progress,
    )
    assert not cut
    members = [seat.member for seat in seats]
    assert progress.done == len(members) == 24
    assert [member.n_topics for member in members] == [n for n in committee.NUMBERS for _ in range(4)]
    taken = votes(members) > 0.5
    assert np.mean(taken == (target == 1)) > (0.9 if n_known == 1 else 0.95)


def test_ctrl_c_inside_a_model_is_no_opinion(planted, monkeypatch):
    """The loop notes it and returns; the committee must not go on."""
    counts, _, target = planted

    def interrupted(steps, parameters, stop, callback):
        return Fit(parameters, [0.0], StopReason.INTERRUPTED, 1, None, 0.0)

    monkeypatch.setattr(em, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        most_probable_topics(OpenModel(counts, 4), target)


def test_halves_change_places():
    """What one model starts from, the next is judged by."""
    known = np.arange(7)
    parts = list(committee._halves(known, np.random.RandomState(0)))
    assert len(parts) == 4
    for first, judges in parts:
        assert_array_equal(np.sort(np.concatenate([first, judges])), known)
        assert 3 <= len(first) <= 4
    assert_array_equal(parts[0][0], parts[1][1])
    assert not np.array_equal(np.sort(parts[0][0]), np.sort(parts[2][0]))
    for first, judges in committee._halves(np.array([5]), np.random.RandomState(0)):
        assert_array_equal(first, [])
        assert_array_equal(judges, [5])


def test_few_documents_have_few_topics(planted):
    """No more than one for two documents, but some."""
    counts, matrix, target = planted
    some = np.arange(12)
    known = Known.of(target[some] == target[0])
    seats, _ = committee.ask(
        lambda number: OpenModel(counts.of_documents(some), number, 0.01, 1.0),
        matrix[some],
        matrix[some] @ likeness(matrix[some], known),
        known,
        np.random.RandomState(0),
        Progress("", shown=False),
    )
    assert {seat.member.n_topics for seat in seats} == {4, 6}
