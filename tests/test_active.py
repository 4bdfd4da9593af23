"""The handshake of asking and telling, and what a session remembers."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from plsa import MissingLabelPLSA, queries
from plsa.active import STRATEGIES, ActiveLearner, Event, takes_unlabelled
from plsa.datasets import planted_corpus

CORPUS = planted_corpus(60, 40, 3, n_classes=3, doc_concentration=0.05, random_state=0)
X, TRUTH = CORPUS.counts, CORPUS.target.tolist()
QUICK = MultinomialNB()
OURS = MissingLabelPLSA(evidence=False, random_state=0, max_iter=5)


def first_labels():
    """One document of each class is known."""
    y = np.full(60, -1)
    for each in range(3):
        y[TRUTH.index(each)] = each
    return y


def answered(learner, n):
    """Answers so many questions truly and returns what was asked."""
    asked = []
    for _ in range(n):
        rows = learner.query()
        asked.append(rows.tolist())
        learner.tell(rows, [TRUTH[row] for row in rows])
    return asked


# ---- asking and telling


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labelled", "all"])
def test_every_document_is_asked_for_once(estimator, strategy):
    """Chosen indices are unlabelled and distinct, until none is left."""
    if strategy == "topic entropy" and estimator is QUICK:
        with pytest.raises(ValueError, match="has no transform"):
            ActiveLearner(estimator, X, strategy=strategy)
        return
    learner = ActiveLearner(estimator, X, first_labels(), strategy, batch_size=9)
    asked = []
    while len(rows := learner.query()):
        assert all(learner.labels_[row] is None for row in rows)
        asked += rows.tolist()
        learner.tell(rows, [TRUTH[row] for row in rows])
    assert len(asked) == len(set(asked)) == 57
    assert learner.labels_ == TRUTH
    assert np.mean(learner.predict() == TRUTH) > 0.9


@settings(deadline=None, max_examples=30)
@given(
    moves=st.lists(st.sampled_from(["query", "tell", "volunteer", "skip", "undo"]), max_size=14),
    seed=st.integers(0, 50),
)
def test_any_sequence_of_moves_can_be_undone_and_repeated(tmp_path_factory, moves, seed):
    """The state is that of the moves that were not taken back; the file gives it again."""
    path = tmp_path_factory.mktemp("session") / "session.jsonl"
    rng = np.random.RandomState(seed)
    options = {"batch_size": 2, "random_state": seed}
    learner = ActiveLearner(QUICK, X, first_labels(), path=path, **options)
    states = []

    def state(of):
        return of.labels_, of.pending_, of.skipped_, of.history_

    for move in moves:
        before = [list(each) if isinstance(each, list) else set(each) for each in state(learner)]
        if move == "query":
            rows = learner.query(rng.randint(1, 4))
            assert len(set(rows.tolist())) == len(rows)
        elif move == "undo":
            if states:
                learner.undo()
                assert [list(x) if isinstance(x, list) else set(x) for x in state(learner)] == states.pop()
            else:
                with pytest.raises(ValueError, match="nothing to take back"):
                    learner.undo()
        elif move == "volunteer":
            free = [row for row, label in enumerate(learner.labels_) if label is None]
            learner.volunteer(free[0], TRUTH[free[0]])
            states.append(before)
        elif learner.pending_:
            row = learner.pending_[0]
            learner.skip(row) if move == "skip" else learner.tell(row, TRUTH[row])
            states.append(before)
    again = ActiveLearner.resume(path, QUICK, X, first_labels(), **options)
    assert state(again) == state(learner)
    assert_array_equal(again.query(3), learner.query(3))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_answers_give_the_same_questions(strategy, tmp_path):
    """Whatever was asked twice in between, and from a file as from memory."""
    first = ActiveLearner(OURS, X, first_labels(), strategy, batch_size=2)
    wanted = answered(first, 5)
    path = tmp_path / "session.jsonl"
    second = ActiveLearner(OURS, X, first_labels(), strategy, batch_size=2, path=path)
    assert answered(second, 3) == wanted[:3]
    assert second.query().tolist() == second.query().tolist() == wanted[3]
    third = ActiveLearner.resume(path, OURS, X, first_labels(), strategy=strategy, batch_size=2)
    assert third.pending_ == wanted[3]
    assert answered(third, 2) == wanted[3:]
    if strategy == "random":
        other = ActiveLearner(OURS, X, first_labels(), strategy, batch_size=2, random_state=1)
        assert answered(other, 5) != wanted


def test_strategies_are_their_formulas():
    """The document with the highest score of those without a label."""
    y = first_labels()
    model = MultinomialNB().fit(X[y >= 0], y[y >= 0])
    left = np.flatnonzero(y < 0)
    chance = model.predict_proba(X[left])
    for strategy, score in (
        ("entropy", queries.entropy),
        ("least confidence", queries.least_confidence),
        ("margin", queries.smallest_margin),
        (lambda p: -p[:, 0], lambda p: -p[:, 0]),
    ):
        chosen = ActiveLearner(QUICK, X, y, strategy).query()[0]
        assert score(chance)[left.tolist().index(chosen)] == score(chance).max()
    topics = MissingLabelPLSA(evidence=False, random_state=0, max_iter=5).fit(X, y).transform(X[left])
    chosen = ActiveLearner(OURS, X, y, "topic entropy").query()[0]
    assert_allclose(queries.entropy(topics)[left.tolist().index(chosen)], queries.entropy(topics).max())
    dense = queries.density(TfidfTransformer().fit_transform(X))[left]
    chosen = ActiveLearner(QUICK, X, y, "margin", density=2.0).query()[0]
    both = queries.smallest_margin(chance) * dense**2
    assert_allclose(both[left.tolist().index(chosen)], both.max())
    cost = np.linspace(1, 5, 60)
    chosen = ActiveLearner(QUICK, X, y, "entropy", cost=cost).query()[0]
    gain = queries.entropy(chance) / cost[left]
    assert gain[left.tolist().index(chosen)] == gain.max()


def test_vote_entropy_counts_all_models_so_far():
    """Those that have chosen a question, and the present one."""
    noisy = planted_corpus(
        60,
        40,
        3,
        n_classes=3,
        doc_concentration=2.0,
        word_concentration=1.0,
        document_length=8,
        random_state=0,
    )
    y = np.full(60, -1)
    for each in range(3):
        y[noisy.target.tolist().index(each)] = each
    learner = ActiveLearner(QUICK, noisy.counts, y, "vote entropy")
    votes = np.zeros((60, 3))
    best = []
    for _ in range(6):
        known = [row for row, label in enumerate(learner.labels_) if label is not None]
        model = MultinomialNB().fit(noisy.counts[known], [learner.labels_[row] for row in known])
        votes[np.arange(60), model.predict(noisy.counts)] += 1
        left = [row for row, label in enumerate(learner.labels_) if label is None]
        score = queries.vote_entropy(votes[left])
        row = int(learner.query()[0])
        assert_allclose(score[left.index(row)], score.max())
        best.append(score.max())
        learner.tell(row, noisy.target[row])
    assert best[0] == 0
    assert min(best[2:]) > 0.4


def test_a_batch_is_taken_for_different_classes():
    """As many as there are."""
    y = first_labels()
    model = MultinomialNB().fit(X[y >= 0], y[y >= 0])
    rows = ActiveLearner(QUICK, X, y, batch_size=3).query()
    assert len(set(model.predict(X[rows]).tolist())) == 3


def test_it_starts_from_nothing():
    """Documents unlike each other first: few questions find all classes."""
    for seed in range(10):
        rows = ActiveLearner(QUICK, X, batch_size=4, random_state=seed).query()
        assert {TRUTH[row] for row in rows} == {0, 1, 2}
    learner = ActiveLearner(QUICK, X, batch_size=4)
    rows = learner.query()
    with pytest.raises(ValueError, match="fewer than two classes"):
        learner.predict()
    learner.tell(rows, [TRUTH[row] for row in rows])
    assert learner.predict_proba().shape == (60, 3)


def test_texts_and_decision_functions():
    """A pipeline on texts, from nothing; a classifier that has no probabilities."""
    texts = ["tea milk", "milk cup", "goal ball", "ball team"] * 5
    truth = ["food", "food", "sport", "sport"] * 5
    learner = ActiveLearner(make_pipeline(CountVectorizer(), LogisticRegression()), texts)
    for _ in range(10):
        row = int(learner.query()[0])
        learner.tell(row, truth[row])
    assert learner.predict(["milk", "team"]).tolist() == ["food", "sport"]
    ridge = ActiveLearner(RidgeClassifier(), X, first_labels())
    assert len(answered(ridge, 3)) == 3
    two = ActiveLearner(RidgeClassifier(), X[:20], [label == 0 for label in TRUTH[:19]] + [None])
    assert two.query().tolist() == [19]
    assert_allclose(two.predict_proba().sum(axis=1), 1)
    assert_array_equal(two.predict_proba().argmax(axis=1) == 1, two.predict())


def test_who_learns_from_unlabelled_documents():
    """Our semi-supervised models, in a pipeline too."""
    assert takes_unlabelled(OURS)
    assert takes_unlabelled(make_pipeline(CountVectorizer(), OURS))
    assert not takes_unlabelled(QUICK)


def test_skipped_documents_do_not_come_back():
    """Unless they are volunteered."""
    learner = ActiveLearner(QUICK, X, first_labels())
    row = int(learner.query()[0])
    learner.skip(row)
    while len(rows := learner.query(20)):
        assert row not in rows
        learner.tell(rows, [TRUTH[each] for each in rows])
    assert [place for place, label in enumerate(learner.labels_) if label is None] == [row]
    learner.volunteer([row], [TRUTH[row]])
    assert learner.skipped_ == set()
    assert learner.history_[-1] == Event("volunteer", [row], [TRUTH[row]])
    assert learner.undo().kind == "volunteer"
    assert learner.skipped_ == {row}


# ---- what is refused


def test_wrong_answers():
    """Each an error that says what is wrong, and nothing is changed."""
    learner = ActiveLearner(QUICK, X, first_labels(), batch_size=2)
    known = TRUTH.index(0)
    asked = learner.query().tolist()
    other = next(row for row in range(60) if learner.labels_[row] is None and row not in asked)
    for indices, labels, message in (
        ([other], [0], f"document {other} was not asked for"),
        ([known], [0], f"document {known} has the label 0 already"),
        (asked, [0], "there are 1 labels for 2 documents"),
        ([asked[0], asked[0]], [0, 0], "is there twice"),
        ([60], [0], "there is no document 60"),
        ([-1], [0], "there is no document -1"),
        ([0.5], [0], "must be rows of X"),
        ([asked[0]], [None], "is no label: skip it"),
        ([asked[0]], [float("nan")], "is no label"),
        ([asked[0]], [[1]], "a label is a string or a number"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.tell(indices, labels)
    with pytest.raises(ValueError, match="was not asked for"):
        learner.skip([other])
    with pytest.raises(ValueError, match="has the label"):
        learner.volunteer([known], [1])
    assert learner.pending_ == asked
    assert [event.kind for event in learner.history_] == ["query"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimator": MultinomialNB}, "must be a classifier"),
        ({"estimator": CountVectorizer()}, "neither predict_proba nor decision_function"),
        ({"strategy": "best"}, "strategy == 'best'"),
        ({"batch_size": 0}, "batch_size == 0"),
        ({"cost": [1.0]}, "cost has shape"),
        ({"density": -1.0}, "density == -1.0"),
        ({"density": 1.0, "X": ["a", "b"]}, "density needs X as a matrix of counts, not list"),
        ({"cost": [0.0] * 60}, "cost holds 0.0 at 0"),
        ({"y": [1]}, "1 labels for 60 documents"),
        ({"random_state": None}, "random_state"),
    ],
    ids=str,
)
def test_bad_arguments(changed, message):
    """Before anything is asked."""
    with pytest.raises(ValueError, match=message):
        ActiveLearner(**{"estimator": QUICK, "X": X, **changed})


def test_a_strategy_of_ones_own_must_give_a_score_each():
    with pytest.raises(ValueError, match="strategy gave 2 scores for 57 documents"):
        ActiveLearner(QUICK, X, first_labels(), lambda chance: [1.0, 2.0]).query()


def test_another_session_is_not_resumed(tmp_path):
    """Other labels, documents or options than it began with."""
    path = tmp_path / "session.jsonl"
    ActiveLearner(QUICK, X, first_labels(), path=path)
    other = first_labels()
    other[TRUTH.index(1)] = -1
    for arguments, message in (
        ((QUICK, X, other), "began with labels"),
        ((QUICK, X[:50], first_labels()[:50]), "began with n_documents 60, but is resumed with 50"),
    ):
        with pytest.raises(ValueError, match=message):
            ActiveLearner.resume(path, *arguments)
    with pytest.raises(ValueError, match="began with strategy 'entropy', but is resumed with 'margin'"):
        ActiveLearner.resume(path, QUICK, X, first_labels(), strategy="margin")
    with pytest.raises(FileExistsError):
        ActiveLearner(QUICK, X, first_labels(), path=path)


# ---- kill -9

PERSON = """
import sys
import numpy as np
from sklearn.naive_bayes import MultinomialNB
from plsa.active import ActiveLearner
from plsa.datasets import planted_corpus
corpus = planted_corpus(60, 40, 3, n_classes=3, doc_concentration=0.05, random_state=0)
learner = ActiveLearner(MultinomialNB(), corpus.counts, path=sys.argv[1])
while len(rows := learner.query()):
    learner.tell(rows, corpus.target[rows])
    print(rows[0], flush=True)
"""


@pytest.mark.parametrize("answers", [1, 7, 23])
def test_kill_9_loses_no_answer(tmp_path, answers):
    """All answers that were acknowledged are there, and the next question is that of an unbroken session."""
    path = tmp_path / "session.jsonl"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", PERSON, str(path)], stdout=subprocess.PIPE, text=True
    ) as person:
        acknowledged = [int(person.stdout.readline()) for _ in range(answers)]
        person.kill()
        acknowledged += [int(line) for line in person.stdout.read().splitlines(True) if line.endswith("\n")]
    learner = ActiveLearner.resume(path, QUICK, X)
    told = [row for event in learner.history_ if event.kind == "tell" for row in event.indices]
    assert told[: len(acknowledged)] == acknowledged
    assert all(learner.labels_[row] == TRUTH[row] for row in told)
    unbroken = ActiveLearner(QUICK, X)
    assert [row for rows in answered(unbroken, len(told)) for row in rows] == told
    assert_array_equal(learner.query(), unbroken.query())


def test_the_file_is_readable(tmp_path):
    """A header and a line an event."""
    path = tmp_path / "session.jsonl"
    learner = ActiveLearner(QUICK, X, first_labels(), path=path)
    row = int(learner.query()[0])
    learner.tell(row, TRUTH[row])
    learner.undo()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("event") for line in lines] == [None, "query", "tell", "undo"]
    assert lines[2] == {"event": "tell", "indices": [row], "labels": [TRUTH[row]]}
