"""The handshake of asking and telling, what a session remembers, and how far it has come."""

import json
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectFpr, SelectKBest, chi2
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import cohen_kappa_score, f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC, LinearSVC

from plsa import CoTraining, MissingLabelPLSA, SoftMislabelingPLSA, TopicSensitivePLSA
from plsa.active import choosing, queries, stopping
from plsa.active.choosing import STRATEGIES, expected_losses
from plsa.active.learner import ActiveLearner
from plsa.active.pool import FittedPool, Landscape, takes_unlabeled, vectors
from plsa.active.quick import QuickPool
from plsa.active.session import Event, coded
from plsa.active.stopping import Status, macro_f1
from plsa.active.wanted import likely_wanted
from plsa.baselines.views import split_views
from plsa.datasets import planted_corpus

CORPUS = planted_corpus(60, 40, 3, n_classes=3, doc_concentration=0.05, random_state=0)
X, TRUTH = CORPUS.counts, CORPUS.target.tolist()
QUICK = MultinomialNB()
OURS = MissingLabelPLSA(evidence=False, random_state=0, max_iter=5)
SPREADING = LabelSpreading(kernel="knn", n_neighbors=5)
TRAINING = SelfTrainingClassifier(RandomForestClassifier(3), threshold=0.6, max_iter=1)
MIXED = (
    {"margin": 2, "committee": 1},
    {"vote entropy": 1, "random": 0.5},
    {"expected error": 1, "entropy": 1},
)
KINDS = (*STRATEGIES, *MIXED)
# Short documents of much the same words: models are wrong, and change their minds.
NOISY = planted_corpus(
    90, 40, 3, n_classes=3, doc_concentration=1.0, word_concentration=1.0, document_length=8, random_state=0
)


def first_labels():
    """One document of each class is known."""
    return one_of_each(CORPUS.target)


def one_of_each(target):
    """The first document of each class is known."""
    y = np.full(len(target), -1)
    for each in np.unique(target):
        y[target.tolist().index(each)] = each
    return y


def answered(learner, n, truth=TRUTH):
    """Answers so many questions truly and returns what was asked."""
    asked = []
    for _ in range(n):
        rows = learner.query()
        asked.append(rows.tolist())
        learner.tell(rows, [int(truth[row]) for row in rows])
    return asked


def pool_of(estimator, matrix):
    """What a learner asks by."""
    return QuickPool(estimator, matrix) if estimator is OURS else FittedPool(estimator, matrix)


def news(counts, seen):
    """What each document stands for that those seen do not, by all pairs."""
    space = Landscape(counts.shape[0], counts)._space
    stands = np.maximum(space @ space.T, 0) ** 2
    return np.maximum(stands - stands[seen].max(axis=0), 0).mean(axis=1)


def is_highest(scores, left, row):
    """Whether a document has the highest of the scores."""
    assert_allclose(scores[np.asarray(left).tolist().index(int(row))], np.max(scores), rtol=1e-9)


# ---- asking and telling


@pytest.mark.parametrize("strategy", KINDS, ids=str)
@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_every_document_is_asked_for_once(estimator, strategy):
    """Chosen indices are unlabeled and distinct, until none is left."""
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
    moves=st.lists(st.sampled_from(["query", "tell", "volunteer", "amend", "skip", "undo"]), max_size=14),
    seed=st.integers(0, 50),
)
def test_any_sequence_of_moves_can_be_undone_and_repeated(tmp_path_factory, moves, seed):
    """The state is that of the moves that were not taken back; the file gives it again."""
    path = tmp_path_factory.mktemp("session") / "session.jsonl"
    rng = np.random.RandomState(seed)
    learner = ActiveLearner(QUICK, X, first_labels(), batch_size=2, random_state=seed, path=path)
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
        elif move == "amend":
            row = rng.choice([row for row, label in enumerate(learner.labels_) if label is not None])
            learner.amend(row, rng.randint(3))
            states.append(before)
        elif learner.pending_:
            row = learner.pending_[0]
            learner.skip(row) if move == "skip" else learner.tell(row, TRUTH[row])
            states.append(before)
    asked = learner.query(3)
    again = ActiveLearner.resume(path, QUICK, X)
    assert state(again) == state(learner)
    assert_array_equal(again.query(3), asked)


@pytest.mark.parametrize("strategy", KINDS, ids=str)
def test_the_same_answers_give_the_same_questions(strategy, tmp_path):
    """Whatever was asked twice in between, and from a file as from memory."""
    first = ActiveLearner(OURS, X, first_labels(), strategy, batch_size=2)
    wanted = answered(first, 5)
    path = tmp_path / "session.jsonl"
    second = ActiveLearner(OURS, X, first_labels(), strategy, batch_size=2, path=path)
    assert answered(second, 3) == wanted[:3]
    assert second.query().tolist() == second.query().tolist() == wanted[3]
    third = ActiveLearner.resume(path, OURS, X)
    assert third.pending_ == wanted[3]
    assert answered(third, 2) == wanted[3:]
    if strategy == "random":
        other = ActiveLearner(OURS, X, first_labels(), strategy, batch_size=2, random_state=1)
        assert answered(other, 5) != wanted


def test_co_testing_asks_where_two_views_contradict_each_other():
    """Naive Bayes of the labeled documents by either half of the words, whatever the estimator."""
    documents, truth = NOISY.counts, NOISY.target
    y = np.where(np.arange(90) % 9 == 0, truth, -1)
    left, known = np.flatnonzero(y < 0), y >= 0
    for groups in (None, (slice(0, 10), slice(10, 40))):
        views = split_views(groups, 40, 0)
        each = [MultinomialNB().fit(documents[known][:, columns], y[known]) for columns in views]
        said = [model.predict_proba(documents[left][:, c]) for model, c in zip(each, views, strict=True)]
        classes, sure = np.argmax(said, axis=2), np.max(said, axis=2).min(axis=0)
        score = np.where(classes[0] != classes[1], sure, -sure)
        assert 0 < (score > 0).sum() < len(score)
        estimators = [CoTraining(views=groups, random_state=7)] + ([QUICK, OURS] if groups is None else [])
        for estimator in estimators:
            learner = ActiveLearner(estimator, documents, y, "co-testing")
            is_highest(score, left, learner.query()[0])
    without_drawn = ActiveLearner(QUICK, documents, y, "co-testing", random_share=0.5, random_state=3)
    assert len(answered(without_drawn, 4, truth)) == 4


def test_co_testing_needs_counts():
    """Not texts, numbers below zero or a lone column."""
    texts = make_pipeline(CountVectorizer(), SelectKBest(k=1), MultinomialNB())
    with pytest.raises(ValueError, match="'co-testing' needs documents as a matrix of counts"):
        ActiveLearner(texts, ["a tea", "a ball", "tea"], strategy="co-testing")
    with pytest.raises(ValueError, match="X holds a negative number, -1; views need counts >= 0"):
        ActiveLearner(SVC(), -np.eye(4), strategy="co-testing")
    with pytest.raises(ValueError, match="n_features=1, but two views need a column each"):
        ActiveLearner(QUICK, np.ones((4, 1)), strategy={"co-testing": 1, "margin": 1})
    pipe = make_pipeline(CountVectorizer(), QUICK)
    found = ActiveLearner(pipe, ["a tea", "a ball", "tea"], ["x", "y", -1], "co-testing")
    assert found.query().tolist() == [2]


def test_strategies_are_their_formulas():
    """The document with the highest score of those without a label."""
    y = first_labels()
    known = [None if label < 0 else int(label) for label in y]
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
    several = MissingLabelPLSA(extra_topics=2)
    topics = QuickPool(several, X).learn(coded(known)).topics(left)
    chosen = ActiveLearner(several, X, y, "topic entropy").query()[0]
    assert_allclose(queries.entropy(topics)[left.tolist().index(chosen)], queries.entropy(topics).max())
    dense = news(X, np.flatnonzero(y >= 0))[left]
    chosen = ActiveLearner(QUICK, X, y, "margin", density=2.0).query()[0]
    both = queries.smallest_margin(chance) * dense**2
    assert_allclose(both[left.tolist().index(chosen)], both.max())
    cost = np.linspace(1, 5, 60)
    chosen = ActiveLearner(QUICK, X, y, "entropy", cost=cost).query()[0]
    gain = queries.entropy(chance) / cost[left]
    assert gain[left.tolist().index(chosen)] == gain.max()


def test_vote_entropy_counts_all_models_so_far():
    """Those that have chosen a question, and the present one."""
    noisy, y = NOISY, one_of_each(NOISY.target)
    learner = ActiveLearner(QUICK, noisy.counts, y, "vote entropy")
    votes = np.zeros((90, 3))
    best = []
    for _ in range(6):
        known = [row for row, label in enumerate(learner.labels_) if label is not None]
        model = MultinomialNB().fit(noisy.counts[known], [learner.labels_[row] for row in known])
        votes[np.arange(90), model.predict(noisy.counts)] += 1
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


@pytest.mark.filterwarnings("ignore:y labels . documents? as positive")
def test_a_no_is_no_silence():
    """For who looks for documents that are wanted; a yes alone is a model, a no alone is none yet."""
    finder = TopicSensitivePLSA(4, max_iter=5, random_state=0)
    yes, no = (np.flatnonzero(np.asarray(TRUTH) == kind)[:4] for kind in (0, 1))
    learner = ActiveLearner(finder, X)
    learner.volunteer(no, [0] * 4)
    assert len(learner.query()) == 1
    with pytest.raises(ValueError, match="too little is known"):
        learner.predict()
    learner = ActiveLearner(finder, X)
    learner.volunteer(yes, [1] * 4)
    assert len(learner.query()) == 1
    alone = clone(finder).fit(X, [1 if row in yes else -1 for row in range(len(TRUTH))])
    assert_array_equal(learner.estimator_.decision_function(X), alone.decision_function(X))
    assert learner.classes_.tolist() == [0, 1]
    learner = ActiveLearner(finder, X)
    learner.volunteer(np.r_[yes, no], [1] * 4 + [0] * 4)
    assert len(learner.query()) == 1
    y = np.full(len(TRUTH), -1)
    y[yes] = 1
    silent = clone(finder).fit(X, y).decision_function(X)
    y[no] = 0
    found = learner.estimator_.decision_function(X)
    assert_array_equal(found, clone(finder).fit(X, y).decision_function(X))
    assert np.abs(found - silent).max() > 1e-3
    assert not learner.estimator_.guesses_[no].any()


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


def test_who_learns_from_unlabeled_documents():
    """Our semi-supervised models, in a pipeline too."""
    assert takes_unlabeled(OURS)
    assert takes_unlabeled(make_pipeline(CountVectorizer(), OURS))
    assert takes_unlabeled(make_pipeline(CountVectorizer(), SPREADING))
    assert not takes_unlabeled(QUICK)
    assert not takes_unlabeled(make_pipeline(CountVectorizer(), QUICK))


@pytest.mark.parametrize("strategy", ["auto", "vote entropy", "committee", "expected error"])
@pytest.mark.parametrize("estimator", [SPREADING, TRAINING], ids=["spreading", "training"])
def test_semi_supervised_classifiers_of_scikit_learn_ask_from_nothing_on(estimator, strategy, tmp_path):
    """The same answers give the same questions, also after resuming; classes keep their names."""
    names = np.array(["ham", "jam", "spam"])[NOISY.target]
    path, options = tmp_path / "session.jsonl", {"strategy": strategy, "random_share": 0.3}
    learner = ActiveLearner(estimator, NOISY.counts, path=path, **options)
    other = ActiveLearner(estimator, NOISY.counts, **options)
    with pytest.raises(ValueError, match="fewer than two classes"):
        learner.predict()
    for number in range(1, 9):
        row = int(learner.query()[0])
        assert other.query().tolist() == [row]
        for each in (learner, other):
            each.tell(row, str(names[row]))
        if number == 5:
            learner = ActiveLearner.resume(path, estimator, NOISY.counts)
    assert learner.classes_.tolist() == sorted({label for label in learner.labels_ if label is not None})
    assert_allclose(learner.predict_proba(NOISY.counts).sum(axis=1), 1)
    with np.errstate(invalid="ignore"):  # 0 / 0 where no label reaches a document
        said = learner.classes_[learner.estimator_.predict(NOISY.counts)]
    assert_array_equal(learner.predict(NOISY.counts), said)
    assert learner.status() == other.status()
    assert learner.status().n_drawn == 2


def test_who_trains_itself_needs_probabilities():
    """It is said at the start, and not after the first answers."""
    for estimator in (
        SelfTrainingClassifier(LinearSVC()),
        make_pipeline(SelfTrainingClassifier(LinearSVC())),
    ):
        with pytest.raises(ValueError, match="has no predict_proba, which it trains itself by"):
            ActiveLearner(estimator, X)


def test_another_classifier_that_trains_itself_is_another_session(tmp_path):
    """The file holds its class, and the parameters of what it trains."""
    path = tmp_path / "session.jsonl"
    learner = ActiveLearner(SelfTrainingClassifier(LogisticRegression(C=2.0)), X, path=path)
    learner.tell(learner.query(2), ["a", "b"])
    for other in (SelfTrainingClassifier(LogisticRegression(C=3.0)), SPREADING, TRAINING):
        with pytest.raises(ValueError, match="give the model that it began with"):
            ActiveLearner.resume(path, other, X)
    again = ActiveLearner.resume(path, SelfTrainingClassifier(LogisticRegression(C=2.0)), X)
    assert again.labels_ == learner.labels_


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


# ---- what makes a document worth asking for


def test_each_kind_of_doubt_asks_for_its_own_document():
    """Where entropy, confidence and margin point to three of them."""
    y = np.full(90, -1)
    for each in range(3):
        y[np.flatnonzero(NOISY.target == each)[4]] = each
    left = np.flatnonzero(y < 0)
    chance = MultinomialNB().fit(NOISY.counts[y >= 0], y[y >= 0]).predict_proba(NOISY.counts[left])
    asked = []
    for strategy, score in (
        ("entropy", queries.entropy),
        ("least confidence", queries.least_confidence),
        ("margin", queries.smallest_margin),
    ):
        asked.append(int(ActiveLearner(QUICK, NOISY.counts, y, strategy).query()[0]))
        is_highest(score(chance), left, asked[-1])
    assert len(set(asked)) == 3


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
@pytest.mark.parametrize("power", [None, 0.0, 3.0])
def test_auto_asks_where_there_is_doubt_among_documents_in_doubt(estimator, power):
    """Times need, times what a document stands for that no labeled one does, compared with all pairs."""
    y = one_of_each(NOISY.target)
    y[np.flatnonzero((NOISY.target == 1) & (y < 0))[:5]] = 1  # so that others need labels more
    known, left = [None if label < 0 else int(label) for label in y], np.flatnonzero(y < 0)
    chance = pool_of(estimator, NOISY.counts).learn(coded(known)).chances(left)
    doubt = np.zeros(len(y))
    doubt[left] = queries.smallest_margin(chance)
    space = Landscape(len(y), NOISY.counts)._space
    stands = np.maximum(space @ space.T, 0) ** 2
    news = np.maximum(stands[left] - stands[y >= 0].max(axis=0), 0) @ doubt**2 / (doubt**2).sum()
    need = chance @ (1 / (np.bincount(y[y >= 0]) + 1))
    row = ActiveLearner(estimator, NOISY.counts, y, density=power).query()[0]
    wanted = doubt[left] * np.sqrt(need) * news ** (0.5 if power is None else power)
    is_highest(wanted, left, row)
    model = pool_of(estimator, NOISY.counts).learn(coded(known))
    settings = None, Landscape(len(y), NOISY.counts), 0.5 if power is None else power, None
    question = choosing.Question(
        model, chance, chance.argmax(axis=1), left, 1, *settings, [*np.flatnonzero(y >= 0)]
    )
    assert_allclose(choosing.Auto(question).scores(), wanted, rtol=1e-3, atol=1e-7)


def test_a_batch_of_auto_stands_for_different_documents():
    """Each next one is chosen as if those before it were labeled, among the guesses that have had fewest."""
    y = one_of_each(NOISY.target)
    learner = ActiveLearner(OURS, NOISY.counts, y)
    rows = learner.query(7)
    model = pool_of(OURS, NOISY.counts).learn(coded([None if label < 0 else int(label) for label in y]))
    guesses = model.chances(rows).argmax(axis=1)
    assert np.bincount(guesses, minlength=3).min() >= 2, "all guesses by turns"
    space = Landscape(len(y), NOISY.counts)._space
    alike = np.maximum(space[rows] @ space[rows].T, 0) ** 2
    alone = ActiveLearner(OURS, NOISY.counts, y, "margin").query(7)
    alike_alone = np.maximum(space[alone] @ space[alone].T, 0) ** 2
    assert alike.mean() < alike_alone.mean()
    assert len(set(rows.tolist())) == 7


def test_a_batch_goes_on_where_no_document_was_scored(monkeypatch):
    """Of very many documents some are scored; all the same none is asked for twice."""
    monkeypatch.setattr(choosing, "_WEIGHED", 2)
    learner = ActiveLearner(OURS, NOISY.counts, one_of_each(NOISY.target))
    assert len(set(learner.query(20).tolist())) == 20
    nothing = ActiveLearner(OURS, NOISY.counts)
    assert len(set(nothing.query(20).tolist())) == 20


def test_the_committee_asks_where_its_members_disagree_most():
    """Times how much a document stands for others, to the power that is asked for: one, if none is."""
    y = one_of_each(NOISY.target)
    known, left = [None if label < 0 else int(label) for label in y], np.flatnonzero(y < 0)
    dense = news(NOISY.counts, np.flatnonzero(y >= 0))[left]
    different = []
    for estimator in (QUICK, OURS):
        model = pool_of(estimator, NOISY.counts).learn(coded(known))
        asked = []
        for options, power in (({}, 1.0), ({"density": 0.0}, 0.0), ({"density": 20.0}, 20.0)):
            said = model.committee(left, 4, np.random.RandomState([0, 0]))
            asked.append(ActiveLearner(estimator, NOISY.counts, y, "committee", **options).query()[0])
            is_highest(queries.disagreement(said) * dense**power, left, asked[-1])
            voted = ActiveLearner(estimator, NOISY.counts, y, "committee votes", **options).query()[0]
            votes = np.array([np.bincount(column, minlength=3) for column in said.argmax(axis=2).T])
            is_highest(queries.vote_entropy(votes) * dense**power, left, voted)
        different.append(len(set(asked)) > 1)
    assert any(different)


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
@pytest.mark.parametrize(("strategy", "loss"), [("expected log loss", "log"), ("expected error", "zero-one")])
def test_the_answer_after_which_least_is_lost_is_asked_for(strategy, loss, estimator):
    """Of thirty documents and fewer every one is a candidate, and all are judged by."""
    y = np.where(np.arange(90) < 65, NOISY.target, -1)
    known, left = [None if label < 0 else int(label) for label in y], np.flatnonzero(y < 0)
    model = pool_of(estimator, NOISY.counts).learn(coded(known))
    lost = expected_losses(
        model, left, model.chances(left), left, lambda chance: queries.expected_loss(chance, loss)
    )
    assert np.ptp(lost) > 1e-4
    is_highest(-lost, left, ActiveLearner(estimator, NOISY.counts, y, strategy).query()[0])


def test_of_many_documents_thirty_are_tried_on_two_hundred(monkeypatch):
    """Candidates are the most uncertain ones, and those that are judged are drawn from all that are open."""
    many = planted_corpus(260, 40, 3, n_classes=3, doc_concentration=0.5, random_state=0)
    y = one_of_each(many.target)
    given_to = []

    def recorded(model, candidates, chance, judged, loss):
        given_to.append((candidates, chance, judged))
        return np.arange(len(candidates), dtype=float)

    monkeypatch.setattr(choosing, "expected_losses", recorded)
    row = ActiveLearner(OURS, many.counts, y, "expected error", density=0.0).query()[0]
    ((candidates, chance, judged),) = given_to
    assert len(set(candidates.tolist())) == 30
    assert len(set(judged.tolist())) == 200
    assert np.all(y[candidates] < 0)
    assert np.all(y[judged] < 0)
    model = QuickPool(OURS, many.counts).learn(coded([None if label < 0 else int(label) for label in y]))
    assert_allclose(chance, model.chances(candidates))
    left = np.flatnonzero(y < 0)
    margin = queries.smallest_margin(model.chances(left))
    assert_allclose(np.sort(margin)[-30:], np.sort(queries.smallest_margin(chance)))
    assert row == candidates[0]
    assert set(judged.tolist()) != set(left[:200].tolist())


def test_several_strategies_are_the_weighted_mean_of_their_ranks():
    """Each is weighed by the density first, and a rank has no scale."""
    y = one_of_each(NOISY.target)
    known, left = [None if label < 0 else int(label) for label in y], np.flatnonzero(y < 0)
    dense = news(NOISY.counts, np.flatnonzero(y >= 0))[left]
    model = QuickPool(OURS, NOISY.counts).learn(coded(known))
    chance = model.chances(left)
    asked = set()
    for margin, confidence, committee in ((9.0, 0.5, 0.1), (1.0, 9.0, 0.5), (0.1, 0.1, 3.0)):
        weights = {"margin": margin, "least confidence": confidence, "committee": committee}
        said = model.committee(left, 4, np.random.RandomState([0, 0]))
        parts = {
            "margin": queries.smallest_margin(chance) * dense**0.7,
            "least confidence": queries.least_confidence(chance) * dense**0.7,
            "committee": queries.disagreement(said) * dense**0.7,
        }
        row = int(ActiveLearner(OURS, NOISY.counts, y, weights, density=0.7).query()[0])
        ranks = {
            name: np.argsort(np.argsort(scores)) for name, scores in parts.items()
        }  # there are no equals
        mean = sum(weights[name] * ranks[name] for name in parts)
        is_highest(mean, left, row)
        asked.add(row)
    assert len(asked) > 1


def test_the_density_of_several_strategies_is_the_largest_of_theirs():
    """None for those that have none, one for the committee; what is given overrules all."""
    for strategy, power in (
        ("margin", 0.0),
        ("committee", 1.0),
        ("auto", 0.5),
        ("expected error", 0.5),
        (queries.entropy, 0.0),
        ({"margin": 1, "committee": 0.1}, 1.0),
        ({"margin": 1, "entropy": 1}, 0.0),
    ):
        assert ActiveLearner(QUICK, X, strategy=strategy).density == power
        assert ActiveLearner(QUICK, X, strategy=strategy, density=0.3).density == 0.3


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
@pytest.mark.parametrize("strategy", ["vote entropy", {"vote entropy": 3, "margin": 1}], ids=str)
def test_votes_that_were_taken_back_do_not_count(strategy, estimator, tmp_path):
    """After undoing and resuming the questions are those of a session that never erred."""
    y = one_of_each(NOISY.target)
    straight = ActiveLearner(estimator, NOISY.counts, y, strategy)
    wanted = answered(straight, 9, NOISY.target)
    path = tmp_path / "session.jsonl"
    erring = ActiveLearner(estimator, NOISY.counts, y, strategy, path=path)
    found = []
    for number in range(9):
        row = int(erring.query()[0])
        found.append([row])
        if number in (2, 5):
            erring.tell(row, (int(NOISY.target[row]) + 1) % 3)
            other = int(erring.query()[0])
            erring.tell(other, (int(NOISY.target[other]) + 1) % 3)
            erring.query()
            erring.undo()
            erring.undo()
        if number == 6:
            erring.skip(row)
            erring.query()
            erring.undo()
        if number in (4, 5):
            erring = ActiveLearner.resume(path, estimator, NOISY.counts)
        assert erring.query().tolist() == [row]
        erring.tell(row, int(NOISY.target[row]))
    assert found == wanted
    assert erring.history_ == straight.history_


def test_votes_that_were_taken_back_are_not_remembered_for_a_drawn_question():
    """Nothing is scored for it, so that its model's votes are counted when the next one is chosen."""
    y = one_of_each(NOISY.target)
    options = {"strategy": "vote entropy", "random_share": 0.5}
    straight, erring = (ActiveLearner(QUICK, NOISY.counts, y, **options) for _ in range(2))
    for _ in range(3):
        asked = answered(straight, 2, NOISY.target)
        (first,) = erring.query().tolist()
        erring.tell(first, (int(NOISY.target[first]) + 1) % 3)
        erring.query(2)  # one of these is chosen, by a model that was told something wrong
        erring.undo()
        erring.tell(first, int(NOISY.target[first]))
        assert [[first], *answered(erring, 1, NOISY.target)] == asked
    assert erring.history_ == straight.history_
    labels = [None if label < 0 else int(label) for label in y]
    votes = np.zeros((90, 3))
    for event in straight.history_:
        if event.kind == "query":
            model = FittedPool(QUICK, NOISY.counts).learn(coded(labels))
            votes[np.arange(90), model.chances(np.arange(90)).argmax(axis=1)] += 1
        for row, label in zip(event.indices, event.labels, strict=False):
            labels[row] = None if row in erring._session.drawn else label
    model = FittedPool(QUICK, NOISY.counts).learn(coded(labels))
    votes[np.arange(90), model.chances(np.arange(90)).argmax(axis=1)] += 1
    assert_array_equal(erring._chooser.votes(model), votes)


def test_votes_of_models_that_knew_other_classes_do_not_count():
    """A class that appears begins the count anew."""
    y = one_of_each(NOISY.target)
    last = int(np.flatnonzero(y == 2)[0])
    y[last] = -1
    learner = ActiveLearner(QUICK, NOISY.counts, y, "vote entropy")
    for _ in range(2):
        row = int(learner.query()[0])
        learner.tell(row, int(NOISY.target[row] == 1))
    learner.volunteer(last, 2)
    answered(learner, 1, NOISY.target)
    told = learner.history_[-1].indices[0]
    votes = np.zeros((90, 3))
    for without in ([told], []):
        known = [row for row, label in enumerate(learner.labels_) if label is not None and row not in without]
        model = MultinomialNB().fit(NOISY.counts[known], [learner.labels_[row] for row in known])
        votes[np.arange(90), model.predict(NOISY.counts)] += 1
    left = [row for row, label in enumerate(learner.labels_) if label is None]
    is_highest(queries.vote_entropy(votes[left]), left, learner.query()[0])


# ---- classes that turn up, and classes that are declared

DECLARING = MissingLabelPLSA(evidence=False, random_state=0, max_iter=5, classes=[1, 0])
KNOWING = MissingLabelPLSA(
    {0: 1, 1: 2, 2: 1, 3: 0, 7: 0}, evidence=False, random_state=0, max_iter=5, classes=[7, 3, 2, 1, 0]
)


@pytest.mark.filterwarnings("ignore:the class")
@pytest.mark.parametrize("strategy", KINDS, ids=str)
@pytest.mark.parametrize(
    ("estimator", "quick"),
    [(QUICK, True), (SPREADING, True), (OURS, True), (OURS, False), (DECLARING, True), (DECLARING, False)],
    ids=["labeled", "by codes", "all", "all, slow", "declaring", "declaring, slow"],
)
def test_a_class_that_turns_up_late_is_welcome(estimator, quick, strategy):
    """Told, volunteered or amended, whatever was declared: it is asked by, judged by and predicted."""
    if strategy == "topic entropy" and not hasattr(estimator, "transform"):
        return
    y = np.where(NOISY.target == 2, -1, one_of_each(NOISY.target))
    options = {"random_share": 0.5, "quick": quick, "classes": [0, 1]}
    learner = ActiveLearner(estimator, NOISY.counts, y, strategy, **options)
    row = int(learner.query()[0])
    learner.tell(row, 0)
    assert learner.classes_.tolist() == [0, 1]
    row = int(learner.query()[0])
    learner.tell(row, 5)
    learner.volunteer(learner.query(), [4])
    learner.amend(row, 2)
    assert learner.classes_.tolist() == [0, 1, 2, 4]
    assert answered(learner, 2, NOISY.target)
    assert learner.predict_proba().shape == (90, 4)
    assert learner.predict()[row] == 2
    status = learner.status()
    assert (status.answers[4], sum(status.answers.values())) == (1, 7)
    assert status.accuracy is not None


def test_a_class_that_turns_up_late_can_be_predicted():
    """Of documents that are like those that had it."""
    learner = ActiveLearner(DECLARING, X, classes=[0])
    answered(learner, 12)
    assert learner.predict().tolist() == TRUTH
    assert learner.predict(X).tolist() == TRUTH


@pytest.mark.filterwarnings("ignore:the class")
@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
@pytest.mark.parametrize("estimator", [QUICK, OURS, SPREADING, KNOWING], ids=str)
def test_declared_classes_are_known_before_they_are_met(estimator, quick):
    """They are counted, and have probability 0; what is asked is what would be asked without them."""
    learner = ActiveLearner(estimator, X, classes=[7, 1, 3], quick=quick, strategy="vote entropy")
    declared = [0, 1, 2, 3, 7] if estimator is KNOWING else [1, 3, 7]
    assert learner.classes_.tolist() == declared
    assert learner.status().answers == dict.fromkeys(declared, 0)
    asked = answered(learner, 8)
    assert learner.classes_.tolist() == [0, 1, 2, 3, 7]
    assert [*learner.status().answers.values()][-2:] == [0, 0]
    topics = {"topics_per_class": [1, 2, 1], "classes": None} if estimator is KNOWING else {}
    usual = estimator.__class__(**estimator.get_params() | topics)
    if estimator is not KNOWING:  # it needs all classes at first
        plain = ActiveLearner(usual, X, quick=quick, strategy="vote entropy")
        assert answered(plain, 8) == asked
    else:
        plain = ActiveLearner(usual, X, learner.labels_, quick=quick)
    assert plain.classes_.tolist() == [0, 1, 2]
    for documents in (None, X[:7]):
        found, wanted = learner.predict_proba(documents), plain.predict_proba(documents)
        assert_array_equal(found[:, :3], wanted)
        assert not found[:, 3:].any()
        assert found.shape == (len(wanted), 5)
        assert_array_equal(learner.predict(documents), plain.predict(documents))


@pytest.mark.filterwarnings("ignore:the class")
def test_questions_are_about_classes_that_have_a_label():
    """Whatever the estimator declares; where it has no number for one that turns up, it is waited for."""
    labels = coded(TRUTH[:20] + [None] * 40)
    model = FittedPool(KNOWING, X).learn(labels)
    assert model.classes.tolist() == [0, 1, 2]
    assert model.chances(np.arange(9)).shape == model.chances_of(X[:9]).shape == (9, 3)
    each = MissingLabelPLSA([1, 2], classes=[0, 1])
    learner = ActiveLearner(each, X, [label if label < 2 else None for label in TRUTH[:20]] + [None] * 40)
    learner.tell(learner.query(), [2])
    with pytest.warns(UserWarning, match=r"cannot learn .*has 2 entries for 3 classes \[0, 1, 2\]"):
        assert len(learner.query()) == 1


def test_answers_are_of_the_kind_of_declared_classes():
    """Else they could not be sorted; one that looks like no label is a class where it is declared."""
    learner = ActiveLearner(QUICK, X, classes=["unknown", "b"])
    with pytest.raises(ValueError, match="document 1 is told as 3, a number, but other labels are a string"):
        learner.volunteer(1, 3)
    learner.volunteer([0, 1], ["b", "unknown"])
    with pytest.raises(ValueError, match="y holds 1 at 0, a number, but other labels are a string, such as"):
        ActiveLearner(QUICK, X, [1] * 60, classes=["a", "b"])
    for classes, message in (
        ([1.5], "classes holds 1.5, but a label is a string or a whole number"),
        ([0, -1], "classes holds -1 at 1, which marks a document without a label"),
        ("ab", "classes == 'ab', but must be None or a list"),
    ):
        with pytest.raises(ValueError, match=message):
            ActiveLearner(QUICK, X, classes=classes)
    with pytest.raises(ValueError, match="classes mixes types: 'a' at 0 and 0 at 1"):
        ActiveLearner(KNOWING, X, classes=["a"])


# ---- questions that are drawn


def drawn_of(learner):
    """The documents that were drawn in each question."""
    return [event.drawn for event in learner.history_ if event.kind == "query"]


@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_share_of_the_questions_is_drawn(batch_size, tmp_path):
    """Of the first n exactly int(share n), as the last of a batch, and the file remembers which."""
    path = tmp_path / "session.jsonl"
    options = {"strategy": "margin", "random_share": 0.3, "batch_size": batch_size}
    learner = ActiveLearner(QUICK, X, first_labels(), path=path, **options)
    for number in range(1, 40 // batch_size + 1):
        rows = learner.query()
        learner.query()  # asking again draws no more
        learner.tell(rows, [TRUTH[row] for row in rows])
        drawn = drawn_of(learner)
        assert sum(map(len, drawn)) == int(0.3 * number * batch_size)
        assert rows.tolist()[batch_size - len(drawn[-1]) :] == drawn[-1]
    shutil.copy(path, path.with_name("again.jsonl"))
    again = ActiveLearner.resume(path.with_name("again.jsonl"), QUICK, X)
    assert again.history_ == learner.history_
    assert again.status() == learner.status()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["drawn"] for line in lines if "drawn" in line] == [
        each for each in drawn_of(learner) if each
    ]
    assert answered(again, 3) == answered(learner, 3)


def test_none_or_all_of_the_questions_are_drawn():
    """None without a share, all with a share of one and of the strategy that only draws."""
    for options, wanted in (
        ({"strategy": "margin"}, 0),
        ({"strategy": "margin", "random_share": 1.0}, 2),
        ({"strategy": "random"}, 2),
    ):
        learner = ActiveLearner(QUICK, X, first_labels(), batch_size=2, **options)
        asked = answered(learner, 5)
        assert [len(each) for each in drawn_of(learner)] == [wanted] * 5
        assert not wanted or drawn_of(learner) == asked


def test_what_is_drawn_is_left_to_chance():
    """Another seed draws other documents, where the strategy would ask for one and the same."""
    y = one_of_each(NOISY.target)
    chosen, drawn = (
        {
            int(ActiveLearner(QUICK, NOISY.counts, y, "margin", random_state=seed, **share).query()[0])
            for seed in range(9)
        }
        for share in ({}, {"random_share": 1.0})
    )
    assert len(chosen) == 1
    assert len(drawn) > 5


def test_questions_that_were_taken_back_are_drawn_again():
    """The share is that of the questions that count."""
    learner = ActiveLearner(QUICK, X, first_labels(), "margin", random_share=0.5)
    straight = ActiveLearner(QUICK, X, first_labels(), "margin", random_share=0.5)
    answered(straight, 6)
    for _ in range(6):
        row = int(learner.query()[0])
        learner.tell(row, (TRUTH[row] + 1) % 3)
        learner.query()
        learner.undo()
        learner.tell(row, TRUTH[row])
    assert learner.history_ == straight.history_
    assert sum(map(len, drawn_of(learner))) == 3


def test_documents_that_stay_unanswered_are_counted_once():
    """However often a question is made longer, the share is that of the documents."""
    learner = ActiveLearner(QUICK, X, first_labels(), "margin", random_share=0.3)
    for n in (2, 3, 4, 7, 10):
        assert len(learner.query(n)) == n
        assert sum(map(len, drawn_of(learner))) == int(0.3 * n)


def test_a_document_is_not_drawn_any_more_where_the_question_was_taken_back():
    """A label that is volunteered for it tells nothing of the others."""
    learner = ActiveLearner(QUICK, X, first_labels(), "margin", random_share=0.5)
    answered(learner, 1)
    (row,) = learner.query().tolist()
    assert drawn_of(learner)[-1] == [row]
    learner.undo()
    learner.volunteer(row, TRUTH[row])
    assert learner.status().n_drawn == 0
    assert learner.status().accuracy is None


# ---- how far a session has come


def right_by_hand(pool, labels, drawn, parts):
    """How many of the drawn documents models guess that were learned without the part that has them."""
    right = 0
    for part in parts:
        model = pool.learn(coded([None if row in part else label for row, label in enumerate(labels)]))
        for row in part:
            right += int(model.classes[model.chances(np.array([row]))[0].argmax()] == labels[row])
    assert sorted(row for part in parts for row in part) == sorted(drawn)
    return right


@pytest.mark.parametrize("n_drawn", [4, 24])
def test_the_accuracy_is_that_of_models_that_did_not_know_the_document(n_drawn):
    """Held out in five parts, or each by itself; of the quick models, or thoroughly of the estimator."""
    y = np.where(np.arange(90) % 6 == 0, NOISY.target, -1)
    soft = SoftMislabelingPLSA(evidence=False, random_state=0)
    found = []
    for estimator in (QUICK, soft):
        learner = ActiveLearner(estimator, NOISY.counts, y, "random")
        drawn = [row for rows in answered(learner, n_drawn, NOISY.target) for row in rows]
        order = np.random.RandomState(0).permutation(drawn)
        parts = (
            [part.tolist() for part in np.array_split(order, 5)] if n_drawn > 5 else [[row] for row in drawn]
        )
        for thorough in (False, True):
            status = learner.status(thorough=thorough)
            fitted = thorough or estimator is QUICK
            pool = FittedPool(estimator, NOISY.counts) if fitted else QuickPool(estimator, NOISY.counts)
            right = right_by_hand(pool, learner.labels_, drawn, parts)
            assert status.accuracy == right / n_drawn
            assert (status.n_drawn, status.n_labels, status.n_open) == (n_drawn, 15 + n_drawn, 75 - n_drawn)
            z, p = 1.959963984540054, right / n_drawn
            half = z * np.sqrt(p * (1 - p) / n_drawn + z**2 / (4 * n_drawn**2)) / (1 + z**2 / n_drawn)
            middle = (p + z**2 / (2 * n_drawn)) / (1 + z**2 / n_drawn)
            assert_allclose(
                [status.low, status.high], [max(middle - half, 0), min(middle + half, 1)], atol=1e-9
            )
            found.append(status.accuracy)
    assert found[0] == found[1]
    assert n_drawn == 4 or found[2] != found[3]


def each_once(documents):
    """Numbers of documents that stand for themselves."""
    return np.ones(len(documents), dtype=int)


def macro_by_scikit_learn(true, guess):
    """Over the classes that a document has."""
    return f1_score(true, guess, labels=np.unique(true), average="macro", zero_division=0)


@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 5)), min_size=1, max_size=20), data=st.data()
)
def test_macro_f1_is_that_of_scikit_learn_over_classes_that_a_document_has(pairs, data):
    """Of documents one by one, of numbers of them, and of several numbers at once; -1 is no guess."""
    true, guess = np.array(pairs).T
    assert_allclose(macro_f1(true, guess, each_once(true)), macro_by_scikit_learn(true, guess), rtol=1e-12)
    number = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(true), max_size=len(true))))
    number[0] += 1
    several = macro_f1(true, guess, np.array([number, each_once(true)]))
    repeated = macro_by_scikit_learn(np.repeat(true, number), np.repeat(guess, number))
    assert_allclose(several, [repeated, macro_by_scikit_learn(true, guess)], rtol=1e-12)
    if set(guess.tolist()) <= set(
        true.tolist()
    ):  # else scikit-learn has a 0 for classes that are guessed only
        assert_allclose(several[1], f1_score(true, guess, average="macro"), rtol=1e-12)


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_macro_f1_is_that_of_the_documents_that_the_accuracy_is_judged_by(estimator):
    """And its interval that of draws from these documents, each time the same."""
    names = np.array(["ham", "jam", "spam"])
    y = np.where(np.arange(90) % 6 == 0, names[NOISY.target], "")
    learner = ActiveLearner(estimator, NOISY.counts, y, "random")
    rows = learner.query(24)
    learner.tell(rows, names[NOISY.target][rows])
    pool, true, guess = pool_of(estimator, NOISY.counts), [], []
    for part in np.array_split(np.random.RandomState(0).permutation(rows), 5):
        held = [None if row in part else label for row, label in enumerate(learner.labels_)]
        guess += pool.learn(coded(held)).guesses(part).tolist()
        true += names[NOISY.target][part].tolist()
    true, guess, status = np.array(true), np.array(guess), learner.status()
    assert_allclose(status.macro_f1, f1_score(true, guess, average="macro"), rtol=1e-12)
    assert status.accuracy == np.mean(true == guess) < 1
    rng = np.random.default_rng(5)
    draws = [rng.integers(0, 24, 24) for _ in range(1000)]
    ends = np.quantile([macro_by_scikit_learn(true[some], guess[some]) for some in draws], [0.025, 0.975])
    assert_allclose([status.macro_f1_low, status.macro_f1_high], ends, atol=0.02)
    assert learner.status() == status


class Refusing(MultinomialNB):
    """Guesses what is no class."""

    def predict(self, matrix):
        """The same of all."""
        return np.full(matrix.shape[0], "neither")


def test_documents_without_a_guess_are_errors_of_their_class():
    """Where a class has the document alone, no model of two classes is left to judge it; or one refuses."""
    learner = ActiveLearner(QUICK, X, None, "random")
    rows = learner.query(2)
    learner.tell(rows, ["a", "b"])
    status = learner.status()
    assert (status.accuracy, status.macro_f1, status.macro_f1_low, status.macro_f1_high) == (0, 0, 0, 0)
    refusing = ActiveLearner(Refusing(), X, ["a", "b"] + [None] * 58, "random")
    refusing.tell(refusing.query(2), ["a", "b"])
    assert (refusing.status().accuracy, refusing.status().macro_f1) == (0, 0)


def test_the_interval_of_macro_f1_holds_the_truth_mostly(monkeypatch):
    """Of sixty documents with known errors, nine in ten times at least."""
    monkeypatch.setattr(stopping, "_RESAMPLES", 300)
    rng = np.random.default_rng(0)
    for n_classes in (2, 10):
        chance = np.full((n_classes, n_classes), 0.2 / (n_classes - 1))
        np.fill_diagonal(chance, 0.8)
        true, guess = (each.ravel() for each in np.indices(chance.shape))
        held = 0
        for _ in range(200):
            number = rng.multinomial(60, chance.ravel() / n_classes)
            found = stopping._macro_f1(
                np.repeat(true, number), np.repeat(guess, number), np.random.RandomState(0)
            )
            assert found[1] <= found[0] <= found[2]
            held += found[1] <= 0.8 <= found[2]
        assert held > 180


@pytest.mark.parametrize("number", [1, 6, 60])
def test_a_few_right_guesses_do_not_make_macro_f1_certain(number):
    """Where all are right, macro-F1 may be as low as the accuracy may be (Wilson)."""
    true = np.arange(number) % 3
    found = stopping._macro_f1(true, true, np.random.RandomState(0))
    assert_allclose(found, (1, number / (number + norm.ppf(0.975) ** 2), 1), rtol=1e-12)


def test_labels_are_counted_by_class():
    """Those at the start too, the most frequent class first; amended ones as they are now."""
    learner = ActiveLearner(QUICK, X, ["b", "c", "b"] + [None] * 57)
    assert [*ActiveLearner(QUICK, X).status().answers.items()] == []
    learner.volunteer([3, 4, 5], ["a", "c", "c"])
    assert [*learner.status().answers.items()] == [("c", 3), ("b", 2), ("a", 1)]
    learner.amend([1, 0], [None, "a"])
    assert [*learner.status().answers.items()] == [("a", 2), ("c", 2), ("b", 1)]
    learner.amend(2, None)
    assert [*learner.status().answers.items()] == [("a", 2), ("c", 2)]
    numbered = ActiveLearner(QUICK, X, first_labels()).status().answers
    assert {type(each) for pair in numbered.items() for each in pair} == {int}
    assert sum(numbered.values()) == 3


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_the_status_is_the_same_after_undoing_and_redoing_and_resuming(estimator, tmp_path):
    """It follows from what is known alone."""
    path = tmp_path / "session.jsonl"
    y = one_of_each(NOISY.target)
    learner = ActiveLearner(estimator, NOISY.counts, y, "margin", random_share=0.5, path=path)
    seen = []
    for _ in range(12):
        answered(learner, 1, NOISY.target)
        seen.append(learner.status())
    assert len({status.macro_f1 for status in seen}) > 3
    for was in (None, *seen[8:11][::-1]):
        assert was is None or learner.status() == was
        learner.undo()
    for was in seen[8:]:
        row = learner.pending_ or learner.query().tolist()
        learner.tell(row, NOISY.target[row])
        assert learner.status() == was
        assert [*learner.status().answers.items()] == [*was.answers.items()]
    assert ActiveLearner.resume(path, estimator, NOISY.counts).status() == seen[-1]


def test_a_status_of_many_classes_can_be_read():
    """The first classes one by one, all others in one number; without answers there is nothing to count."""
    old = Status(
        n_labels=3, n_open=5, n_drawn=0, accuracy=None, low=None, high=None, agreement=[], stop=False,
        suggestion="go on", unknown="as it is",
    )  # fmt: skip
    assert str(old).splitlines()[:2] == [
        "labels: 3, documents to ask for: 5",
        "accuracy: not known, as it is",
    ]
    some = replace(old, answers={"a": 7, "b": 1}, accuracy=0.5, low=0.25, high=0.75)
    some = replace(some, macro_f1=0.456, macro_f1_low=0.2, macro_f1_high=0.9)
    assert "\nlabels by class: a: 7, b: 1\naccuracy: 50%" in str(some)
    assert "\nmacro-F1: 0.46, 95% from 0.20 to 0.90\nagreement" in str(some)
    many = replace(old, answers={f"class {place}": 200 - place for place in range(100)})
    line = str(many).splitlines()[1]
    assert line.startswith("labels by class: class 0: 200, class 1: 199, ")
    assert line.endswith(f", class 7: 193, 92 other classes: {sum(range(101, 193))}")
    nine = replace(old, answers=dict.fromkeys(range(9), 2))
    assert str(nine).splitlines()[1].endswith("7: 2, 1 other class: 2")


def test_documents_of_classes_that_nobody_has_met_are_those_of_classes_met_once():
    """By random answers where there are some: the share of them whose class no other document has."""
    names = np.array(["a", "b", "c", "d"])[np.arange(60) % 4]
    learner = ActiveLearner(QUICK, X, strategy="random")
    assert (learner.status().unmet, learner.status().unmet_high) == (None, None)
    for row, name in zip(learner.query(5).tolist(), ["a", "a", "b", "c", "a"], strict=True):
        learner.tell(row, name)
    status = learner.status()
    assert status.unmet == 0.4
    # Wilson's is from 0.12 to 0.77; Esty's has sqrt(2 (1 - 2 / 5)) / 5 as its standard error.
    assert_allclose([status.unmet_low, status.unmet_high], [0, 0.4 + 1.959964 * 0.219089], atol=1e-5)
    assert "of classes that nobody has met: about 22 documents, 95% from 0 to 46\n" in str(status)
    free = next(place for place in range(60) if learner.labels_[place] is None)
    learner.volunteer(free, "b")
    assert learner.status().unmet == 0.2, "a label of one's own choice is one that was met"
    chosen = ActiveLearner(QUICK, X)
    rows = chosen.query(2)
    chosen.tell(rows, names[:2])
    assert chosen.status().unmet == 1.0
    assert "(too many, as questions were chosen)" in str(chosen.status())


def test_the_share_of_classes_that_nobody_has_met_is_in_its_interval():
    """Forty classes, the last of them rare, and thirty random answers."""
    rng = np.random.default_rng(0)
    often = 0.85 ** np.arange(40)
    target = rng.choice(40, size=400, p=often / often.sum())
    counts = rng.poisson(1.0, (400, 5))
    inside, errors = 0, []
    for seed in range(40):
        learner = ActiveLearner(QUICK, counts, strategy="random", random_state=seed)
        rows = learner.query(30)
        learner.tell(rows, target[rows])
        left = np.setdiff1d(np.arange(400), rows)
        truth = np.mean(~np.isin(target[left], target[rows]))
        found = stopping._unmet(learner._session, rows.tolist())
        inside += found[1] <= truth <= found[2]
        errors.append(found[0] - truth)
    assert inside >= 36
    assert abs(np.mean(errors)) < 0.04


def test_the_interval_stays_between_nothing_and_everything():
    """Though every held-out document is right, or none."""
    learner = ActiveLearner(QUICK, X, first_labels(), "random")
    answered(learner, 8)
    status = learner.status()
    assert status.accuracy == 1.0
    assert 0.6 < status.low < status.high <= 1.0
    assert (status.macro_f1, status.macro_f1_low, status.macro_f1_high) == (1.0, status.low, 1.0)
    wrong = ActiveLearner(QUICK, X, first_labels(), "random")
    for _ in range(8):
        row = int(wrong.query()[0])
        wrong.tell(row, (TRUTH[row] + 1) % 3)
    status = wrong.status()
    assert 0.0 <= status.low <= status.accuracy < status.high < 1.0


def test_without_drawn_documents_the_accuracy_is_not_known():
    """Chosen documents are not like the others; nor is anything known before there is a model."""
    learner = ActiveLearner(QUICK, X, first_labels(), "margin")
    answered(learner, 5)
    status = learner.status()
    assert (status.accuracy, status.low, status.high, status.n_drawn) == (None, None, None, 0)
    assert (status.macro_f1, status.macro_f1_low, status.macro_f1_high) == (None, None, None)
    assert "macro-F1" not in str(status)
    assert "accuracy: not known, as no question is drawn at random" in str(status)
    assert "begins with random_share=0.1" in str(status)
    nothing = ActiveLearner(QUICK, X).status()
    assert (nothing.n_labels, nothing.n_open, nothing.accuracy, nothing.agreement) == (0, 60, None, [])
    assert not nothing.stop
    share = ActiveLearner(QUICK, X, first_labels(), "margin", random_share=0.5)
    answered(share, 5)
    share.query()  # drawn and not answered
    assert share.status().n_drawn == 2


def test_agreement_is_the_kappa_of_models_twenty_answers_apart():
    """On the documents that are open now, the latest last, at most three."""
    y = one_of_each(NOISY.target)
    learner = ActiveLearner(QUICK, NOISY.counts, y, "margin")
    told = []
    for number in range(1, 71):
        told += [row for rows in answered(learner, 1, NOISY.target) for row in rows]
        if number in (19, 20, 45, 70):
            left = np.array([row for row, label in enumerate(learner.labels_) if label is None])
            guesses = []
            for back in range(0, min(number, 60) + 1, 20):
                gone = told[len(told) - back :]
                known = [
                    row for row, label in enumerate(learner.labels_) if label is not None and row not in gone
                ]
                model = MultinomialNB().fit(NOISY.counts[known], NOISY.target[known])
                guesses.append(model.predict(NOISY.counts[left]))
            wanted = [cohen_kappa_score(guesses[k + 1], guesses[k]) for k in range(len(guesses) - 1)][::-1]
            status = learner.status()
            assert_allclose(status.agreement, wanted, rtol=1e-12)
            assert len(wanted) == min(number // 20, 3)
            assert not status.stop
            assert status.suggestion.startswith(
                "go on: answers" if number == 70 else "go on: there are no models 60 answers apart"
            )
    assert min(wanted) < 0.9


def test_guesses_that_no_answer_changes_agree_and_are_reason_to_stop():
    """Three times in a row."""
    many = planted_corpus(150, 40, 3, n_classes=3, doc_concentration=0.02, document_length=60, random_state=0)
    y = np.where(np.arange(150) % 5 == 0, many.target, -1)
    learner = ActiveLearner(OURS, many.counts, y, "random")
    for number in (19, 40, 60):
        answered(learner, number - len(drawn_of(learner)), many.target)
        status = learner.status()
        assert status.agreement == [1.0] * (number // 20)
        assert status.stop == (number == 60)
    assert status.suggestion == "stop: guesses have hardly changed for 60 answers"
    text = str(status)
    assert re.search(r"^labels: 90, documents to ask for: 60$", text, re.MULTILINE)
    assert re.search(r"^accuracy: \d+%, 95% from \d+% to \d+% \(60 random documents\)$", text, re.MULTILINE)
    assert re.search(r"^agreement of guesses 20 answers apart: 1.000, 1.000, 1.000$", text, re.MULTILINE)
    assert text.endswith(status.suggestion)


def test_guesses_of_one_and_the_same_class_agree():
    """Chance alone would have them agree, and yet nothing has changed."""
    many = planted_corpus(150, 40, 3, n_classes=3, doc_concentration=0.02, document_length=60, random_state=0)
    learner = ActiveLearner(QUICK, many.counts)
    order = np.concatenate([np.flatnonzero(many.target > 0), np.flatnonzero(many.target == 0)[:25]])
    learner.volunteer(order, many.target[order])
    assert set(many.target[learner._session.open()].tolist()) == {0}
    assert learner.status().agreement[-1] == 1.0


def test_there_is_nothing_to_go_on_with_where_no_document_is_left():
    """All are answered or skipped."""
    learner = ActiveLearner(QUICK, X, first_labels(), "random", batch_size=10)
    skipped = learner.query(1)
    learner.skip(skipped)
    while len(rows := learner.query()):
        assert not learner.status().stop
        learner.tell(rows, [TRUTH[row] for row in rows])
    status = learner.status()
    assert status.stop
    assert (status.n_open, status.n_labels) == (0, 59)
    assert status.suggestion == "stop: no document is left to ask for"
    assert "agreement of guesses 20 answers apart: not known yet" in str(status)


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_asking_for_the_status_changes_nothing(estimator, tmp_path):
    """Neither what is known, nor the file, nor the next question."""
    path = tmp_path / "session.jsonl"
    options = {"strategy": "vote entropy", "random_share": 0.3}
    quiet = ActiveLearner(estimator, NOISY.counts, one_of_each(NOISY.target), **options)
    asking = ActiveLearner(estimator, NOISY.counts, one_of_each(NOISY.target), path=path, **options)
    for _ in range(4):
        asked = answered(quiet, 6, NOISY.target)
        assert answered(asking, 6, NOISY.target) == asked
        quiet.query()
        asking.query()
        before = path.read_bytes(), [*asking.labels_], [*asking.history_], [*asking.pending_]
        first = asking.status()
        assert asking.status(thorough=True).n_labels == first.n_labels
        assert asking.status() == first
        assert (path.read_bytes(), asking.labels_, asking.history_, asking.pending_) == before


# ---- by what is asked


def test_our_models_ask_by_a_quick_one():
    """Also at the end of a pipeline, unless it may not be quick, or nothing can be counted before labels."""
    texts = ["tea milk", "milk cup", "goal ball", "ball team"] * 3
    counting = make_pipeline(CountVectorizer(), OURS)
    choosing = make_pipeline(CountVectorizer(), SelectFpr(chi2, alpha=1.0), OURS)
    for learner, kind in (
        (ActiveLearner(OURS, X), QuickPool),
        (ActiveLearner(SoftMislabelingPLSA(), X), QuickPool),
        (ActiveLearner(counting, texts), QuickPool),
        (ActiveLearner(OURS, X, quick=False), FittedPool),
        (ActiveLearner(counting, texts, quick=False), FittedPool),
        (ActiveLearner(choosing, texts), FittedPool),
        (ActiveLearner(QUICK, X), FittedPool),
    ):
        assert type(learner._asking.pool) is kind
        assert type(learner._thorough.pool) is FittedPool


@pytest.mark.parametrize("strategy", ["auto", "committee", "expected error", "topic entropy", "vote entropy"])
def test_texts_are_asked_for_as_their_counts_are(strategy):
    """By a pipeline that counts them, from nothing on."""
    words = np.array([f"w{number:02d}" for number in range(40)])
    texts = [" ".join(np.repeat(words, row.astype(int))) for row in X.toarray()]
    vectorizer = CountVectorizer(vocabulary=words)
    assert_array_equal(vectorizer.fit_transform(texts).toarray(), X.toarray())
    by_text = ActiveLearner(make_pipeline(vectorizer, OURS), texts, strategy=strategy, batch_size=3)
    by_count = ActiveLearner(OURS, X, strategy=strategy, batch_size=3)
    assert answered(by_text, 5) == answered(by_count, 5)
    assert_array_equal(by_text.predict(), by_count.predict())


def test_a_slow_learner_asks_by_the_estimator_itself():
    """What a fit to the labels of now says of each document."""
    y = one_of_each(NOISY.target)
    learner = ActiveLearner(OURS, NOISY.counts, y, "entropy", quick=False)
    for _ in range(3):
        left = np.array([row for row, label in enumerate(learner.labels_) if label is None])
        code = [-1 if label is None else label for label in learner.labels_]
        fitted = MissingLabelPLSA(evidence=False, random_state=0, max_iter=5).fit(NOISY.counts, code)
        row = int(learner.query()[0])
        is_highest(queries.entropy(fitted.transduction_[left]), left, row)
        learner.tell(row, int(NOISY.target[row]))


def test_a_pipeline_that_chooses_words_by_labels_asks_at_random_until_there_are_some():
    """There is nothing to compare documents by before; afterwards it is fitted like any other."""
    texts = ["tea milk", "milk cup", "goal ball", "ball team"] * 5
    truth = ["food", "food", "sport", "sport"] * 5
    pipeline = make_pipeline(CountVectorizer(), SelectFpr(chi2, alpha=1.0), MultinomialNB())
    firsts = {int(ActiveLearner(pipeline, texts, random_state=seed).query()[0]) for seed in range(8)}
    assert len(firsts) > 2
    learner = ActiveLearner(pipeline, texts)
    for _ in range(8):
        row = int(learner.query()[0])
        learner.tell(row, truth[row])
    assert learner.predict(["milk", "team"]).tolist() == ["food", "sport"]
    with pytest.raises(ValueError, match="density needs documents as a matrix of counts"):
        ActiveLearner(pipeline, texts, density=0.7)


# ---- what is said of documents


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_own_documents_have_their_labels_whatever_the_model_says(estimator):
    """Others what the estimator says that is fitted to all that is known."""
    learner = ActiveLearner(estimator, X, first_labels(), "margin")
    answered(learner, 4)
    row = int(learner.query()[0])
    lie = (TRUTH[row] + 1) % 3
    learner.tell(row, lie)
    own = learner.predict()
    assert own.shape == (60,)
    assert own[row] == lie
    for place, label in enumerate(learner.labels_):
        assert label is None or own[place] == label
    fitted = FittedPool(estimator, X).learn(coded(learner.labels_))
    chance = fitted.chances(np.arange(60))
    unknown = [place for place, label in enumerate(learner.labels_) if label is None]
    assert_array_equal(own[unknown], chance.argmax(axis=1)[unknown])
    assert_array_equal(learner.predict_proba(), chance)
    new = NOISY.counts[:7]
    assert learner.predict(new).shape == (7,)
    assert_array_equal(learner.predict(new), fitted.estimator.predict(new))
    assert_array_equal(learner.predict_proba(new), fitted.estimator.predict_proba(new))
    assert_array_equal(learner.classes_, [0, 1, 2])
    assert type(learner.estimator_) is type(estimator)
    assert learner.estimator_ is learner.estimator_
    assert learner.estimator_ is not estimator
    assert not hasattr(estimator, "classes_")


def test_classes_keep_their_names():
    """Strings stay strings, and columns are in their order."""
    names = ["cat", "ant", "bee"]
    y = [None if label < 0 else names[label] for label in first_labels()]
    learner = ActiveLearner(OURS, X, y, "margin")
    for _ in range(3):
        row = int(learner.query()[0])
        learner.tell(row, names[TRUTH[row]])
    assert learner.classes_.tolist() == ["ant", "bee", "cat"]
    assert learner.predict().tolist() == [names[each] for each in TRUTH]
    assert_array_equal(learner.classes_[learner.predict_proba().argmax(axis=1)], learner.predict())


def test_a_learner_shows_how_far_it_is():
    """The estimator, documents, labels and what is to be answered."""
    learner = ActiveLearner(QUICK, X, first_labels(), batch_size=2)
    learner.query()
    assert repr(learner) == "ActiveLearner(MultinomialNB, 60 documents, 3 labels, 2 to answer)"


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
        (asked, [0], "labels has 1 label for 2 documents"),
        (
            np.arange(60) < 2,
            [0, 0],
            r"indices is 1D of type bool, .*; np.flatnonzero\(mask\) gives those of a mask",
        ),
        ([asked[0], asked[0]], [0, 0], "is given twice"),
        ([60], [0], "there is no document 60"),
        ([-1], [0], "there is no document -1"),
        ([0.5], [0], "indices is 1D of type float64, but must be rows of X"),
        ([asked[0]], [None], "told as None, which is not a label: skip is for"),
        ([asked[0]], [" "], "told as ' ', which is not a label: skip is for"),
        ([asked[0]], [float("nan")], "is not a label"),
        ([asked[0]], [[1]], "one label for each document is what is supported"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.tell(indices, labels)
    with pytest.raises(ValueError, match=r"was not asked for; .* can be skipped when it is asked for.$"):
        learner.skip([other])
    with pytest.raises(ValueError, match=r"was not asked for; .* no question about it to withdraw.$"):
        learner.withdraw([other])
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
        ({"cost": [0.0] * 60}, "cost holds 0.0 at 0"),
        ({"y": [1]}, "1 label for 60 documents"),
        ({"random_state": None}, "random_state"),
        ({"random_share": 1.5}, "random_share == 1.5, but must be a number from 0 to 1"),
        ({"random_share": -0.1}, "random_share == -0.1"),
        ({"quick": "yes"}, "quick == 'yes', but must be one of .True, False."),
        ({"strategy": {}}, "strategy == {}, but must be a function, one of .* or a dict"),
        ({"strategy": ["margin"]}, "strategy == .'margin'., but must be a function"),
        ({"strategy": {"margin": 0}}, "the weight of 'margin' == 0"),
        ({"strategy": {"nonsense": 1}}, "strategy == 'nonsense'"),
        ({"strategy": {"margin": 1, "topic entropy": 1}}, "'topic entropy' needs an estimator with topics"),
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
    ActiveLearner(QUICK, X, first_labels(), "entropy", path=path)
    other = first_labels()
    other[TRUTH.index(1)] = -1
    for arguments, message in (
        ((QUICK, X, other), "began with other labels"),
        ((QUICK, X[:50], first_labels()[:50]), "began with n_documents 60, but is resumed with 50"),
    ):
        with pytest.raises(ValueError, match=message):
            ActiveLearner.resume(path, *arguments, strategy="entropy")
    for options, message in (
        ({"strategy": "margin"}, "strategy {'entropy': 1.0}, but is resumed with {'margin': 1.0}"),
        ({"strategy": {"entropy": 1, "margin": 1}}, "strategy {'entropy': 1.0}, but is resumed with"),
        ({"batch_size": 2}, "batch_size 1, but is resumed with 2"),
        ({"density": 1.0}, "density 0.0, but is resumed with 1.0"),
        ({"random_share": 0.1}, "random_share 0.0, but is resumed with 0.1"),
        ({"quick": False}, "quick True, but is resumed with False"),
        ({"random_state": 1}, "random_state 0, but is resumed with 1"),
        ({"unlabeled": None}, "unlabeled -1, but is resumed with None"),
        ({"cost": np.ones(60)}, "other cost"),
    ):
        with pytest.raises(ValueError, match=f"began with {message}.*: leave {next(iter(options))} out"):
            ActiveLearner.resume(path, QUICK, X, **options)
    with pytest.raises(FileExistsError):
        ActiveLearner(QUICK, X, first_labels(), path=path)


# ---- kill -9

PERSON = """
import sys
import numpy as np
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from plsa.active.learner import ActiveLearner
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


def test_another_cost_is_another_session(tmp_path):
    """What a label costs decides what is asked."""
    path = tmp_path / "session.jsonl"
    ActiveLearner(QUICK, X, first_labels(), cost=np.arange(1, 61), path=path)
    ActiveLearner.resume(path, QUICK, X, first_labels(), cost=np.arange(1, 61))
    with pytest.raises(ValueError, match="began with other cost"):
        ActiveLearner.resume(path, QUICK, X, first_labels(), cost=np.arange(2, 62))


def test_random_alone_is_random_however_it_is_written():
    """All its documents are drawn."""
    learner = ActiveLearner(QUICK, X, first_labels(), {"random": 2.0}, batch_size=3)
    assert learner.query().tolist() == learner.history_[-1].drawn


def test_a_session_may_be_saved_later(tmp_path):
    """All that happened and was not taken back is in the file, and what happens from then on."""
    learner = ActiveLearner(OURS, X, first_labels(), "vote entropy", batch_size=2, random_share=0.3)
    answered(learner, 3)
    learner.skip(learner.query()[0])
    learner.undo()
    path = tmp_path / "session.jsonl"
    learner.save(path)
    with pytest.raises(FileExistsError, match="there is a file"):
        learner.save(path)
    for more in (0, 2):
        answered(learner, more)
        copied = shutil.copy(path, tmp_path / f"{more}.jsonl")
        again = ActiveLearner.resume(copied, OURS, X)
        assert again.history_ == learner.history_
        assert again.labels_ == learner.labels_
        assert_array_equal(again.query(), learner.query())


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_documents_drawn_at_random_have_no_say_in_what_is_asked(estimator):
    """Whatever they are told as; what is predicted follows from them too."""
    several = []
    for shift in (0, 1):
        learner = ActiveLearner(estimator, NOISY.counts, one_of_each(NOISY.target), random_share=0.5)
        asked = []
        for _ in range(12):
            row = int(learner.query()[0])
            asked.append(row)
            drawn = row in learner.history_[-1].drawn
            learner.tell(row, (int(NOISY.target[row]) + shift * drawn) % 3)
        several.append((asked, learner.predict_proba()))
    assert several[0][0] == several[1][0]
    assert np.abs(several[0][1] - several[1][1]).max() > 0.05


def test_answers_that_cannot_be_read_again_are_never_written(tmp_path):
    """They are refused first: a session's file holds what was taken."""
    path = tmp_path / "session.jsonl"
    learner = ActiveLearner(QUICK, X, first_labels(), batch_size=2, path=path)
    rows = learner.query()
    before = path.read_bytes()
    for labels, message in (
        (None, "labels has 1 label for 2 documents"),
        ([None, 1], "which is not a label"),
        ([1, -1], "which marks a document without a label"),
        ([1, "1"], "told as '1', a string, but other labels are a number"),
        ([1, True], "a truth value, but other labels are a number"),
        ([1, 1.5], "a string or a whole number"),
        ([1, float("inf")], "a string or a whole number"),
        ([1, 2**70], "a string or a whole number"),
        ({0, 1}, "has no order"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.tell(rows, labels)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="told as None, which is not a label"):
        learner.volunteer(rows[0], None)
    learner.tell(rows[0], np.array(2))
    learner.tell(rows[1], 1.0)
    assert ActiveLearner.resume(path, QUICK, X, first_labels(), batch_size=2).labels_ == learner.labels_


def test_a_file_that_was_changed_is_refused(tmp_path):
    """The line is named."""
    path = tmp_path / "session.jsonl"
    ActiveLearner(QUICK, X, first_labels(), path=path).query()
    whole = path.read_text()
    for line in (
        {"event": "tell", "indices": [500], "labels": [1]},
        {"event": "tell", "indices": [5], "labels": []},
        {"event": "guess", "indices": [5], "labels": []},
        {"indices": [5]},
    ):
        path.write_text(whole + json.dumps(line) + "\n")
        with pytest.raises(ValueError, match="line 3, is not an event of this session"):
            ActiveLearner.resume(path, QUICK, X, first_labels())


def test_other_documents_or_another_classifier_are_another_session(tmp_path):
    """Else labels would stand beside the wrong documents."""
    path = tmp_path / "session.jsonl"
    ActiveLearner(QUICK, X, first_labels(), path=path)
    objects = np.array([None if label < 0 else np.int64(label) for label in first_labels()], dtype=object)
    ActiveLearner.resume(path, QUICK, X, objects)
    with pytest.raises(ValueError, match="began with other documents"):
        ActiveLearner.resume(path, QUICK, X[::-1], first_labels())
    with pytest.raises(ValueError, match="began with estimator 'MultinomialNB'"):
        ActiveLearner.resume(path, OURS, X, first_labels())
    texts = ["a tea", "the ball", "tea ball"]
    other = tmp_path / "texts.jsonl"
    steps = make_pipeline(CountVectorizer(), MultinomialNB())
    ActiveLearner(steps, texts, path=other)
    ActiveLearner.resume(other, steps, list(texts))
    with pytest.raises(ValueError, match="began with other documents"):
        ActiveLearner.resume(other, steps, texts[::-1])


@pytest.mark.parametrize(
    "strategy", ["margin", "expected log loss", "expected error", lambda p: -p.max(axis=1)]
)
def test_what_costs_less_is_asked_for_first(strategy):
    """Also where scores are below 0, and a dense document before a lone one."""
    y = one_of_each(NOISY.target)
    cost = np.where(np.arange(90) % 2, 1.0, 1e6)
    asked = ActiveLearner(QUICK, NOISY.counts, y, strategy, cost=cost, batch_size=5).query()
    assert np.all(asked % 2 == 1)
    if callable(strategy):
        dense = news(NOISY.counts, np.flatnonzero(y >= 0))
        asked = ActiveLearner(QUICK, NOISY.counts, y, strategy, density=50.0).query()
        assert dense[asked[0]] > np.quantile(dense, 0.9)


def test_the_random_slice_is_a_sample_of_all_documents():
    """It is set aside at the start: what was asked for before does not make it easier."""
    y = one_of_each(NOISY.target)
    slices = []
    for strategy in ("margin", "least confidence"):
        learner = ActiveLearner(QUICK, NOISY.counts, y, strategy, random_share=0.25, random_state=3)
        answered(learner, 40, NOISY.target)
        slices.append([place for place in learner._session.told if place in learner._session.drawn])
    assert len(slices[0]) == 10
    assert slices[0] == slices[1]
    assert slices[0] == np.random.RandomState(3).permutation(np.flatnonzero(y < 0))[:10].tolist()


def test_a_class_that_only_the_random_slice_has_met_is_known_to_who_asks():
    """By one of its documents."""
    y = one_of_each(NOISY.target)
    y[NOISY.target == 2] = -1
    learner = ActiveLearner(QUICK, NOISY.counts, y, random_share=0.5)
    for _ in range(20):
        row = int(learner.query()[0])
        drawn = row in learner.history_[-1].drawn
        learner.tell(row, int(NOISY.target[row]) if drawn else int(NOISY.target[row]) % 2)
    shown = learner._chooser.shown(learner._session.coded())
    assert shown.classes[shown.code[shown.code >= 0]].tolist().count(2) == 1
    assert 2 in learner._asking.learn(shown).classes


def test_the_first_questions_are_unlike_each_other():
    """One at a time as in a batch, whatever the classes' sizes; copies are asked for once."""
    corpus = planted_corpus(110, 60, 2, n_classes=2, doc_concentration=0.02, random_state=1)
    large, small = (np.flatnonzero(corpus.target == each) for each in (0, 1))
    rows = np.concatenate([np.repeat(large[0], 40), large, small[:8]])
    counts, truth = corpus.counts[rows], corpus.target[rows]
    together = ActiveLearner(QUICK, counts, batch_size=6).query().tolist()
    learner = ActiveLearner(QUICK, counts)
    asked = []
    while len({truth[row] for row in asked}) < 2:
        (row,) = learner.query().tolist()
        learner.skip(row) if len(asked) == 1 else learner.tell(row, int(truth[row]))
        asked.append(row)
    assert len(asked) < 12
    assert asked[: len(together)] == together[: len(asked)]
    assert sum(row < 41 for row in together) <= 1
    skipping = ActiveLearner(QUICK, counts)
    skipped = []
    for _ in together:
        skipped += skipping.query().tolist()
        skipping.skip(skipped[-1])
    assert skipped == together


def test_an_estimator_that_needs_more_labels_is_waited_for():
    """Documents that are unlike each other come first, and a warning says why."""
    learner = ActiveLearner(KNeighborsClassifier(n_neighbors=5), NOISY.counts, one_of_each(NOISY.target))
    with pytest.warns(UserWarning, match="cannot learn from 3 labels yet"):
        rows = learner.query(3)
    learner.tell(rows, NOISY.target[rows])
    assert len(learner.query(1)) == 1


def test_an_estimator_without_a_seed_gets_one():
    """The same answers give the same questions."""
    forest = RandomForestClassifier(5)
    first, second = (ActiveLearner(forest, NOISY.counts, one_of_each(NOISY.target)) for _ in range(2))
    assert answered(first, 4, NOISY.target) == answered(second, 4, NOISY.target)
    assert forest.random_state is None


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_a_learner_can_be_pickled(estimator):
    """It goes on as it would have gone on."""
    learner = ActiveLearner(estimator, NOISY.counts, one_of_each(NOISY.target), "vote entropy")
    answered(learner, 3, NOISY.target)
    again = pickle.loads(pickle.dumps(learner))
    assert answered(again, 3, NOISY.target) == answered(learner, 3, NOISY.target)


def test_one_against_one_is_refused():
    """Its decision values are of pairs of classes."""
    with pytest.raises(ValueError, match="decision_function_shape == 'ovo'"):
        ActiveLearner(SVC(decision_function_shape="ovo"), X)


def test_own_documents_are_predicted_as_new_ones():
    """By the estimator itself, where it was not fitted to them."""
    y = one_of_each(NOISY.target)
    learner = ActiveLearner(SVC(kernel="linear"), NOISY.counts, y)
    left = y < 0
    assert_array_equal(learner.predict()[left], learner.predict(NOISY.counts)[left])


@pytest.mark.parametrize("batch_size", [12, 45])
def test_a_batch_of_expected_errors_is_of_candidates_only(batch_size, monkeypatch):
    """Also where it is large and there are several classes, one of them rarely guessed."""
    corpus = planted_corpus(300, 80, 6, n_classes=6, doc_concentration=0.3, random_state=0)
    y = np.where((corpus.target == 0) & (np.arange(300) < 150), 0, one_of_each(corpus.target))
    learner = ActiveLearner(QUICK, corpus.counts, y, "expected error", batch_size=batch_size)
    tried = []
    rule = STRATEGIES["expected error"]

    def remembered(question):
        scores = rule.score(question)
        tried.extend(question.left[np.isfinite(scores)].tolist())
        return scores

    monkeypatch.setitem(STRATEGIES, "expected error", replace(rule, score=remembered))
    # The first candidates are all of one class.
    monkeypatch.setattr(choosing.Auto, "scores", lambda self: self.question.chance[:, 0])
    assert set(learner.query().tolist()) <= set(tried)


def test_the_accuracy_that_is_told_is_that_of_new_documents():
    """Though the hard documents of a small pool are nearly all asked for; the interval holds it."""
    told, true, inside = [], [], []
    for seed in range(12):
        rng = np.random.RandomState(seed)
        classes = rng.randint(0, 2, 2200)
        points = rng.normal(size=(2200, 2)) + 1.7 * classes[:, np.newaxis]
        options = {"random_share": 0.25, "random_state": seed, "batch_size": 4}
        learner = ActiveLearner(LogisticRegression(), points[:200], strategy="margin", **options)
        answered(learner, 35, classes)
        status = learner.status()
        told.append(status.accuracy)
        true.append(np.mean(learner.predict(points[200:]) == classes[200:]))
        inside.append(status.low <= true[-1] <= status.high)
    assert abs(np.mean(told) - np.mean(true)) < 0.035
    assert np.mean(inside) > 0.8


def test_documents_that_were_set_aside_are_asked_for_in_the_end():
    """When no others are left, and the other way round."""
    for share in (0.1, 0.5, 0.9):
        learner = ActiveLearner(QUICK, X, first_labels(), random_share=share, batch_size=4)
        while len(rows := learner.query()):
            learner.tell(rows, [TRUTH[row] for row in rows])
        assert learner.labels_ == TRUTH


@pytest.mark.parametrize(
    ("strategy", "score"),
    [
        ("entropy", queries.entropy),
        ("least confidence", queries.least_confidence),
        ("margin", queries.smallest_margin),
    ],
)
def test_every_kind_of_doubt_is_weighed_by_the_density(strategy, score):
    """So that documents unlike all others are not asked for, however much in doubt."""
    corpus = planted_corpus(60, 40, 3, n_classes=3, document_length=8, random_state=0)
    y = np.where(np.arange(60) < 12, corpus.target, -1)
    left = np.flatnonzero(y < 0)
    chance = MultinomialNB().fit(corpus.counts[y >= 0], y[y >= 0]).predict_proba(corpus.counts[left])
    weighed = score(chance) * news(corpus.counts, np.flatnonzero(y >= 0))[left] ** 20
    assert score(chance).argmax() != weighed.argmax(), "nothing would be shown"
    asked = ActiveLearner(MultinomialNB(), corpus.counts, y, strategy, density=20.0).query()[0]
    assert_allclose(weighed[left.tolist().index(asked)], weighed.max())


# ---- one wanted class


def rare_corpus():
    """Documents of which a tenth are wanted."""
    corpus = planted_corpus(400, 200, 10, n_classes=10, document_length=20, random_state=0)
    return corpus.counts, (corpus.target == 3).astype(int)


def test_the_wanted_documents_are_found_by_likeness():
    """Two regressions in their own scale, compared with scikit-learn's on documents that are repeated."""
    counts, truth = rare_corpus()
    labels = coded(
        [int(truth[row]) if row in (*np.flatnonzero(truth)[:3], 0, 1, 2, 5) else None for row in range(400)]
    )
    known, positive = labels.labeled, labels.code == 1
    unit = vectors(counts)
    wanted = 0.0
    for weight in (
        np.where(known, np.where(positive, 1, 3 / 4), 3 / 393),
        np.where(known, np.where(positive, 1, 3 / 4), 0),
    ):
        model = LogisticRegression(C=10, max_iter=1000).fit(unit, positive, sample_weight=weight)
        said = model.decision_function(unit)
        wanted = wanted + (said - said.mean()) / said.std()
    assert_allclose(likely_wanted(unit, labels, 1), wanted, atol=0.02)
    only = coded([1 if row in np.flatnonzero(truth)[:3] else None for row in range(400)])
    alone = likely_wanted(unit, only, 1)
    assert_allclose(alone.std(), 1)
    assert truth[np.argsort(-alone)[3:13]].mean() > 0.8, "before anything is known not to be wanted"


@pytest.mark.parametrize(
    ("estimator", "options"),
    [(TopicSensitivePLSA(4, student=None, max_iter=5), {}), (OURS, {"wanted": 1}), (QUICK, {"wanted": 1})],
    ids=["positives", "all", "labeled"],
)
def test_a_session_about_one_class_finds_it(estimator, options, tmp_path):
    """Far more of it than random questions would; the same after resuming, and from nothing on."""
    counts, truth = rare_corpus()
    path = tmp_path / "session.jsonl"
    learner = ActiveLearner(estimator, counts, path=path, **options)
    found = 0
    for number in range(60):
        row = int(learner.query()[0])
        found += int(truth[row])
        learner.tell(row, int(truth[row]))
        if number == 30:
            learner = ActiveLearner.resume(path, estimator, counts)
    assert found > 0.7 * truth.sum()
    with pytest.raises(ValueError, match=r"began with|1 for what is wanted"):
        ActiveLearner.resume(path, estimator, counts, wanted=0)
    batch = learner.query(5).tolist()
    assert len(set(batch)) == 5


def test_other_strategies_do_not_look_for_the_wanted_class():
    """They ask what they ask."""
    y = one_of_each(NOISY.target)
    for strategy in ("margin", "random"):
        alone = ActiveLearner(QUICK, NOISY.counts, y, strategy).query()
        assert_array_equal(alone, ActiveLearner(QUICK, NOISY.counts, y, strategy, wanted=1).query())
    assert (
        ActiveLearner(QUICK, NOISY.counts, y).query()
        != ActiveLearner(QUICK, NOISY.counts, y, wanted=1).query()
    )


def test_what_is_wanted_is_a_label():
    """Of the kind that labels and answers have, and documents lie somewhere."""
    for wanted, found in (
        ("spam", "but other labels are a string, such as 'spam'"),
        (-1, "which marks a document without a label"),
    ):
        with pytest.raises(ValueError, match=found):
            ActiveLearner(QUICK, X, first_labels(), wanted=wanted)
    learner = ActiveLearner(QUICK, X, wanted=1)
    with pytest.raises(ValueError, match="a string, but other labels are a number"):
        learner.tell(learner.query(), ["yes"])
    texts = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=2), MultinomialNB())
    with pytest.raises(ValueError, match="wanted == 'a' needs documents as a matrix"):
        ActiveLearner(texts, ["tea milk", "ball goal", "tea"], ["a", "b", None], wanted="a")


def test_a_positive_unlabeled_model_has_its_own_labels():
    """1 and 0, or True and False, as it takes them itself."""
    finder = TopicSensitivePLSA(4, student=None, max_iter=3)
    for y, wanted in ((["a", "b"], None), ([1, 2], None), ([1, 0], 0)):
        with pytest.raises(ValueError, match="has 1 for what is wanted, and 0 for what is not"):
            ActiveLearner(finder, X, y + [None] * (X.shape[0] - 2), wanted=wanted)
    truths = ActiveLearner(finder, X, [True, False] + [None] * (X.shape[0] - 2))
    numbers = ActiveLearner(finder, X, [1, 0] + [-1] * (X.shape[0] - 2))
    assert_array_equal(truths.query(3), numbers.query(3))


def test_a_session_of_texts_that_are_no_matrix_is_resumed(tmp_path):
    """What no density can be had of has none, whatever its strategy would have."""
    texts = ["tea milk", "milk cup", "goal ball", "ball team"] * 5
    pipeline = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=3), MultinomialNB())
    learner = ActiveLearner(pipeline, texts, path=tmp_path / "session.jsonl")
    learner.tell(learner.query(), ["food"])
    asked = learner.query().tolist()
    again = ActiveLearner.resume(tmp_path / "session.jsonl", pipeline, texts)
    assert again.pending_ == asked
