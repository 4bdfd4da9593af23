"""What a session's file knows, and whom it knows again; answers put right and questions taken back."""

import itertools
import json
import math
import shutil

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from plsa import MissingLabelPLSA, NaiveBayesEM, SoftMislabelingPLSA, text_classifier
from plsa.active import queries
from plsa.active.learner import ActiveLearner
from plsa.active.pool import FittedPool
from plsa.active.session import Session, coded
from plsa.datasets import planted_corpus

# Short documents of much the same words: models are wrong, and change their minds.
NOISY = planted_corpus(
    90, 40, 3, n_classes=3, doc_concentration=1.0, word_concentration=1.0, document_length=8, random_state=0
)
X, TRUTH = NOISY.counts, NOISY.target.tolist()
QUICK = MultinomialNB()
OURS = MissingLabelPLSA(evidence=False, random_state=0, max_iter=5)
IDS = [f"mail {number}" for number in range(90)]
FIRST = np.where(np.arange(90) < 12, NOISY.target, -1)
WRONG = [(label + row % 2) % 3 for row, label in enumerate(TRUTH)]  # every other
TEXTS = ["tea milk", "milk cup", "goal ball", "ball team"] * 5


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


def answered(learner, n, truth=TRUTH):
    """Answers so many questions and returns what was asked."""
    asked = []
    for _ in range(n):
        rows = learner.query()
        asked.append(rows.tolist())
        learner.tell(rows, [int(truth[row]) for row in rows])
    return asked


def resumed(path, *arguments, **options):
    """The learner of a copy of a file: there may be several at a time."""
    copies = len([*path.parent.iterdir()])
    return ActiveLearner.resume(shutil.copy(path, path.parent / f"{copies}.copy"), *arguments, **options)


# ---- options


def first_scores(chance):
    """A strategy of one's own."""
    return -chance[:, 0]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strategy": "vote entropy", "batch_size": 3},
        {"strategy": {"margin": 2, "committee": 1}, "random_share": 0.3},
        {"strategy": {"random": 2.0}, "random_state": 5},
        {"strategy": "entropy", "density": 2.0, "cost": 1 + np.arange(90) / 7},
        {"strategy": "least confidence", "quick": False, "unlabeled": None},
        {"y": FIRST, "strategy": "margin", "batch_size": 2},
        {"random_share": 0.5, "classes": [7, 1]},
        {"ids": IDS, "classes": np.array([3, 0])},
        {"y": [None if label < 0 else "abc"[label] for label in FIRST], "random_share": 0.2},
        {"y": ["?" if label < 0 else "abc"[label] for label in FIRST], "unlabeled": "?"},
        {"y": [None if label < 0 else bool(label) for label in FIRST], "ids": IDS, "random_share": 0.4},
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_a_session_goes_on_without_its_options(estimator, options, path):
    """All that decides what is asked, and what may be told, is in the file."""
    names = {str: list("abc"), bool: [False, True, True]}.get(
        next((type(label) for label in options.get("y", []) if label not in (None, "?")), int), [0, 1, 2]
    )
    truth = [names[label] for label in TRUTH]

    def played(learner, n):
        asked = []
        for _ in range(n):
            asked.append(learner.query().tolist())
            learner.tell(asked[-1], [truth[row] for row in asked[-1]])
        return asked

    unbroken = ActiveLearner(estimator, X, **options)
    played(ActiveLearner(estimator, X, path=path, **options), 3)
    named = {name: value for name, value in options.items() if name == "ids"}
    again = ActiveLearner.resume(path, estimator, X, **named)
    assert played(unbroken, 3) == [event.indices for event in again.history_ if event.kind == "query"]
    assert played(again, 4) == played(unbroken, 4)
    assert again.status() == unbroken.status()
    several = ("strategy", "batch_size", "density", "random_share", "quick", "random_state")
    for name in (*several, "unlabeled", "classes"):
        assert getattr(again, name) == getattr(unbroken, name)
    given = ActiveLearner.resume(path, estimator, X, **options)  # as it was is not otherwise
    assert given.history_ == again.history_


def test_a_function_is_given_again(path):
    """It cannot be in a file; what is there is its name."""
    answered(ActiveLearner(QUICK, X, FIRST, first_scores, path=path), 2)
    with pytest.raises(ValueError, match=r"a strategy of your own, first_scores, .* give strategy again"):
        ActiveLearner.resume(path, QUICK, X)
    for other in ("margin", queries.entropy):
        with pytest.raises(ValueError, match=r"began with (strategy 'own'|function 'first_scores'), but"):
            ActiveLearner.resume(path, QUICK, X, strategy=other)
    unbroken = ActiveLearner(QUICK, X, FIRST, first_scores)
    answered(unbroken, 2)
    again = ActiveLearner.resume(path, QUICK, X, strategy=first_scores)
    assert answered(again, 2) == answered(unbroken, 2)


@pytest.mark.parametrize(
    ("began", "now", "message"),
    [
        (QUICK, OURS, "estimator 'MultinomialNB', but is resumed with 'MissingLabelPLSA'"),
        (QUICK, MultinomialNB(alpha=0.5), "the estimator's alpha 1.0, but is resumed with 0.5"),
        (OURS, MissingLabelPLSA(evidence=False, random_state=1, max_iter=5), "random_state 0, .* with 1"),
        (OURS, MissingLabelPLSA(evidence=False, max_iter=5), "random_state 0, but is resumed with None"),
        (
            MultinomialNB(class_prior=np.full(3, 1 / 3)),
            MultinomialNB(class_prior=[0.25, 0.25, 0.5]),
            r"class_prior \[0.333.*\], but is resumed with \[0.25",
        ),
        (
            make_pipeline(TfidfTransformer(), QUICK),
            make_pipeline(TfidfTransformer(sublinear_tf=True), QUICK),
            "tfidftransformer__sublinear_tf False, but is resumed with True",
        ),
        (make_pipeline(TfidfTransformer(), QUICK), make_pipeline(QUICK), "the estimator's steps"),
    ],
    ids=str,
)
def test_another_model_is_refused(began, now, message, path):
    """What differs is named, with both values and what to do; the same one is let in, fitted or not."""
    answered(ActiveLearner(began, X, FIRST, path=path), 1)
    with pytest.raises(ValueError, match=message) as refused:
        ActiveLearner.resume(path, now, X)
    assert "give the model that it began with. To change it on purpose" in str(refused.value)
    began.fit(X, TRUTH)
    assert len(ActiveLearner.resume(path, began, X).history_) == 2


def test_what_changes_nothing_may_change(path):
    """Threads and what is shown; functions are known by their names, and long parameters by a digest."""
    words = [f"word{number:02d}" for number in range(90)]
    texts = [" ".join(words[number : number + 3]) for number in range(87)]

    def model(words, **parameters):
        counting = CountVectorizer(vocabulary=words, tokenizer=str.split, token_pattern=None)
        return make_pipeline(counting, MissingLabelPLSA(random_state=0, **parameters))

    ActiveLearner(model(words), texts, path=path)
    header = path.read_text().splitlines()[0]
    assert len(header) < 3000
    assert ActiveLearner.resume(path, model(words, n_threads=2, verbose=0, callback=print), texts)
    with pytest.raises(ValueError, match="countvectorizer__vocabulary"):
        ActiveLearner.resume(path, model([*words[1:], "other"]), texts)


def test_the_labels_of_a_file_begin_another_session(path):
    """As the error says; it needs neither the model nor the documents."""
    learner = ActiveLearner(QUICK, X, FIRST, path=path)
    answered(learner, 4)
    learner.amend(3, 2)
    learner.query()
    learner.volunteer(80, 1)
    learner.volunteer(81, 1)
    learner.undo()
    before = path.read_bytes()
    known = ActiveLearner.labels_in(path)
    assert path.read_bytes() == before
    assert known == {row: label for row, label in enumerate(learner.labels_) if label is not None}
    new = ActiveLearner(OURS, X)
    new.volunteer(new.rows(known), [*known.values()])
    assert new.labels_ == learner.labels_
    assert_array_equal(new.rows(iter(known)), [*known])
    with pytest.raises(ValueError, match="there is no document with the id 90"):
        new.rows([0, 90])


OLD_X = np.array(
    [[4, 0, 1], [3, 1, 0], [2, 1, 1], [0, 4, 1], [1, 3, 0], [0, 2, 2], [5, 1, 0], [1, 5, 1]], dtype=np.float64
)
OLD_Y = ["tea", None, None, "ball", None, None, None, None]
OLD = """\
{"format":1,"n_documents":8,"documents":280703200,"estimator":"MultinomialNB","labels":"fda0c8016bac6b9e",\
"strategy":{"margin":1.0},"batch_size":2,"density":0.0,"cost":"c6cab87453f7cff8","random_share":0.5,\
"quick":true,"random_state":3}
{"event":"query","indices":[2,5],"labels":[],"drawn":[5]}
{"event":"tell","indices":[2,5],"labels":["tea","ball"]}
{"event":"query","indices":[4,7],"labels":[],"drawn":[7]}
{"event":"skip","indices":[4],"labels":[]}
{"event":"undo","indices":[],"labels":[]}
{"event":"tell","indices":[7],"labels":["tea"]}
"""


def test_a_file_of_the_first_format_is_resumed(path):
    """It has the options too, but a digest only of the labels at the start and of the cost."""
    path.write_text(OLD)
    cost = np.arange(1.0, 9)
    learner = ActiveLearner.resume(path, QUICK, OLD_X, OLD_Y, cost=cost)
    assert learner.labels_ == ["tea", None, "tea", "ball", None, "ball", None, "tea"]
    assert (learner.pending_, learner.strategy, learner.batch_size) == ([4], "margin", 2)
    assert learner.query(3).tolist() == [4, 1, 6], "what the version that wrote it asked next"
    learner.amend(7, "ball")
    again = ActiveLearner.resume(path, QUICK, OLD_X, OLD_Y, cost=cost)
    assert again.labels_ == learner.labels_
    assert ActiveLearner.labels_in(path) == {2: "tea", 5: "ball", 7: "ball"}, "as far as they are there"
    for arguments, options, message in (
        ((QUICK, OLD_X, OLD_Y), {}, "holds a digest of its cost only: give the cost"),
        ((QUICK, OLD_X, OLD_Y), {"cost": cost + 1}, "began with other cost"),
        ((QUICK, OLD_X), {"cost": cost}, "began with other labels: give the y"),
        ((QUICK, OLD_X, OLD_Y), {"cost": cost, "batch_size": 1}, "batch_size 2, but is resumed with 1"),
        ((QUICK, OLD_X, OLD_Y), {"cost": cost, "classes": ["tea"]}, r"classes None, but .* \['tea'\]: leave"),
        ((QUICK, OLD_X[::-1], OLD_Y), {"cost": cost}, "began with other documents"),
        ((QUICK, OLD_X.astype(np.float32), OLD_Y), {"cost": cost}, "began with other documents"),
        ((OURS, OLD_X, OLD_Y), {"cost": cost}, "began with estimator 'MultinomialNB'"),
        ((QUICK, OLD_X, OLD_Y), {"cost": cost, "ids": range(8)}, "began without ids: leave them out"),
    ):
        with pytest.raises(ValueError, match=message):
            ActiveLearner.resume(path, *arguments, **options)
    own = OLD.replace('{"margin":1.0}', '"own"').replace('"c6cab87453f7cff8"', "null")
    path.write_text(own)
    with pytest.raises(ValueError, match="a function, which a file cannot hold"):
        ActiveLearner.resume(path, QUICK, OLD_X, OLD_Y)
    assert ActiveLearner.resume(path, QUICK, OLD_X, OLD_Y, strategy=first_scores).pending_ == [4]


def stored_otherwise(X):
    """The same counts in other types, formats and orders."""
    whole = X.tocsr()
    unsorted = whole.copy()
    for begin, end in itertools.pairwise(whole.indptr):
        unsorted.indices[begin:end] = whole.indices[begin:end][::-1]
        unsorted.data[begin:end] = whole.data[begin:end][::-1]
    halves = sparse.hstack([whole, sparse.csr_array((whole.shape[0], 1))]).tocsr()[:, :-1]
    formats = [whole.asformat(name) for name in ("csc", "coo", "bsr", "dia", "lil", "dok")]
    dense = np.asfortranarray(whole.toarray().astype(np.int64))
    return [whole.astype(np.float32), *formats, unsorted, halves, whole.toarray(), dense]


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("ids", [None, IDS])
def test_documents_are_known_however_they_are_stored(ids, path):
    answered(ActiveLearner(QUICK, X, path=path, ids=ids), 4)
    for again in stored_otherwise(X):
        learner = resumed(path, QUICK, again, ids=ids)
        assert learner.status().n_labels == 4
        assert len(learner.query()) == 1
    other = X.tocsr().copy()
    other.data[7] += 1
    for again in (other, X.tocsr()[::-1], sparse.csr_array(X.tocsr()[:, ::-1])):
        with pytest.raises(ValueError, match="began with other documents"):
            resumed(path, QUICK, again, ids=ids)


@pytest.mark.parametrize("ids", [None, range(20)])
def test_texts_are_known_however_they_are_stored(ids, path):
    pandas = pytest.importorskip("pandas")
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    answered(ActiveLearner(model, TEXTS, path=path, ids=ids), 2, [0, 0, 1, 1] * 5)
    for again in (np.array(TEXTS), [np.str_(text) for text in TEXTS], pandas.Series(TEXTS), tuple(TEXTS)):
        assert resumed(path, model, again, ids=ids).status().n_labels == 2
    with pytest.raises(ValueError, match="began with other documents"):
        resumed(path, model, [*TEXTS[:-1], "ball teas"], ids=ids)


# ---- documents by their ids


def test_documents_that_moved_are_met_again(path):
    """Labels, questions and what is set aside follow the ids; rows are those of the new X."""
    learner = ActiveLearner(QUICK, X, FIRST, "margin", random_share=0.3, batch_size=2, ids=IDS, path=path)
    answered(learner, 5)
    learner.skip(learner.query()[0])
    learner.amend(3, 2)
    order = np.random.RandomState(1).permutation(90)
    moved = resumed(path, QUICK, X[order], ids=np.array(IDS)[order])
    assert [moved.labels_[row] for row in np.argsort(order)] == learner.labels_
    assert moved.ids[moved.pending_].tolist() == learner.ids[learner.pending_].tolist()
    assert {*moved.ids[[*moved.skipped_]]} == {*learner.ids[[*learner.skipped_]]}
    assert_array_equal(moved.rows(IDS), np.argsort(order))
    assert moved.ids[moved._chooser._reserved].tolist() == learner.ids[learner._chooser._reserved].tolist()
    for some, truth in ((learner, TRUTH), (moved, [TRUTH[row] for row in order])):
        answered(some, 4, truth)
    drawn = [[str(some.ids[row]) for row in sorted(some._session.drawn)] for some in (learner, moved)]
    assert sorted(drawn[0]) == sorted(drawn[1])
    assert ActiveLearner.labels_in(path) == {
        name: label for name, label in zip(IDS, learner.labels_, strict=True) if label is not None
    }


@pytest.mark.parametrize("kind", ["sparse", "dense", "texts"])
def test_more_documents_may_come(kind, path):
    """Also twice, in any order; from then on they are known like the others."""
    words = np.array([f"w{number:02d}" for number in range(40)])
    texts = [" ".join(np.repeat(words, row.astype(int))) for row in X.toarray()]
    documents, model = {
        "sparse": (sparse.coo_array(X), QUICK),
        "dense": (X.toarray(), QUICK),
        "texts": (np.array(texts), make_pipeline(CountVectorizer(vocabulary=words), QUICK)),
    }[kind]

    def part(rows):
        found = documents.tocsr()[rows] if kind == "sparse" else documents[rows]
        return {"X": found, "ids": [7 * int(row) for row in rows]}

    cost = 1 + np.arange(90) / 9
    began = part(np.arange(60))
    learner = ActiveLearner(
        model, y=FIRST[:60], ids=began["ids"], X=began["X"], cost=cost[:60], random_share=0.5, path=path
    )
    answered(learner, 4)
    rows = np.random.RandomState(0).permutation(90)
    with pytest.raises(ValueError, match="knows no cost of 30 new documents, such as that with the id"):
        ActiveLearner.resume(path, model, **part(rows))
    before = learner.labels_
    more = ActiveLearner.resume(path, model, **part(rows), cost=cost[rows])
    assert [more.labels_[more.rows([7 * row])[0]] for row in range(60)] == before
    assert sum(label is not None for label in more.labels_) == sum(label is not None for label in before)
    new = int(np.flatnonzero(rows >= 60)[0])
    more.volunteer(new, TRUTH[rows[new]])
    again = ActiveLearner.resume(path, model, **part(np.arange(90)))
    assert_array_equal(again.cost, cost)
    assert again.labels_[rows[new]] == TRUTH[rows[new]]
    assert {*again.ids[again._chooser._reserved]} == {*more.ids[more._chooser._reserved]}
    changed = part(np.arange(90))
    changed["X"] = documents.tocsr()[np.r_[:80, 81, 81:90]] if kind == "sparse" else documents.copy()
    changed["X"][80] = changed["X"][81] if kind != "sparse" else changed["X"][[81]]
    with pytest.raises(ValueError, match="began with other documents, of the id 560 for one"):
        ActiveLearner.resume(path, model, **changed)


def test_documents_that_nobody_asked_for_may_go(path):
    """Those that were labeled, asked for or answered may not: the id is named."""
    learner = ActiveLearner(QUICK, X, FIRST, ids=IDS, path=path)
    answered(learner, 2)
    (pending,) = learner.query().tolist()
    told = learner.history_[1].indices[0]
    seen = {*range(12), pending, *(row for event in learner.history_ for row in event.indices)}
    free = next(row for row in range(90) if row not in seen)
    for row, message in (
        (3, "labeled at the start, which X has no more"),
        (told, "line 2, is about the document"),
        (pending, "line 6, is about the document"),
    ):
        left = [each for each in range(90) if each != row]
        with pytest.raises(ValueError, match=f"{message}.*: give X and ids with") as refused:
            resumed(path, QUICK, X[left], ids=[IDS[each] for each in left])
        assert f"the document with the id {IDS[row]!r}" in str(refused.value)
    left = [each for each in range(90) if each != free]
    fewer = resumed(path, QUICK, X[left], ids=[IDS[each] for each in left])
    assert fewer.ids[fewer.pending_].tolist() == [IDS[pending]]


def test_what_is_refused_of_ids(path):
    """Too few, two the same, none or others in a file, and other contents under an id."""
    ActiveLearner(QUICK, X, FIRST, ids=IDS, path=path)
    twice = [*IDS[:89], IDS[4]]
    for ids, message in (
        (IDS[:80], "there are 80 ids for 90 documents"),
        (twice, "the id 'mail 4' stands at 4 and at 89: every document needs an id of its own"),
        ([*IDS[:89], None], "ids holds None at 89, but all of them must be strings"),
        ([*IDS[:89], 7], "ids holds 7 at 89"),
        (np.linspace(0, 1, 90), "ids holds 0.0 at 0"),
        ([True, False] * 45, "ids holds True at 0"),
        ("m" * 90, "ids is a str, but must be a list"),
        ({*IDS}, "ids is a set, but must be a list"),
    ):
        with pytest.raises(ValueError, match=message):
            ActiveLearner(QUICK, X, ids=ids)
        with pytest.raises(ValueError, match=message):
            ActiveLearner.resume(path, QUICK, X, ids=ids)
    with pytest.raises(ValueError, match="knows documents by ids, such as 'mail 0': give ids"):
        ActiveLearner.resume(path, QUICK, X)
    with pytest.raises(ValueError, match="other documents, of the id 'mail 0' for one"):
        ActiveLearner.resume(path, QUICK, X[::-1], ids=IDS)
    y = FIRST.copy()
    y[50] = 1
    with pytest.raises(ValueError, match=r"None for document 50 \(id 'mail 50'\), but is resumed with 1"):
        ActiveLearner.resume(path, QUICK, X, y, ids=IDS)
    with pytest.raises(ValueError, match=r"document 0 \(id 'mail 0'\) has the label"):
        ActiveLearner.resume(path, QUICK, X, ids=IDS).volunteer(0, 1)
    with pytest.raises(ValueError, match=r"must be rows of X; rows\(ids\) gives those of ids"):
        ActiveLearner.resume(path, QUICK, X, ids=IDS).volunteer("mail 20", 1)


def test_numpy_and_pandas_ids(path):
    """They are plain in the file, and the same again."""
    pandas = pytest.importorskip("pandas")
    ActiveLearner(QUICK, X, ids=pandas.Index(range(100, 190)), path=path).query()
    assert json.loads(path.read_text().splitlines()[0])["ids"][:2] == [100, 101]
    again = ActiveLearner.resume(path, QUICK, X, ids=np.arange(100, 190, dtype=np.int32))
    assert again.ids[again.pending_].tolist() == [100 + row for row in again.pending_]


# ---- answers that are put right


@pytest.mark.parametrize("estimator", [QUICK, OURS], ids=["labeled", "all"])
def test_an_amended_answer_is_as_good_as_one_that_was_right(estimator, path):
    """In labels, predictions, the accuracy and its interval, and the agreement."""
    options = {"strategy": "random", "random_state": 2}
    right, erring = ActiveLearner(estimator, X, **options), ActiveLearner(estimator, X, path=path, **options)
    asked = answered(right, 45)
    assert answered(erring, 25, WRONG) == asked[:25]
    early = [rows[0] for rows in asked[:25]]
    wrong = erring.status()
    erring.amend(early[:10], [TRUTH[row] for row in early[:10]])
    erring.amend(early[10], TRUTH[early[10]])
    for row in early[11:]:
        erring.amend(row, TRUTH[row])
    for row in [rows[0] for rows in asked[25:]]:
        erring.volunteer(row, TRUTH[row])
    assert erring.status().n_drawn == 25
    assert erring.labels_ == right.labels_
    assert erring._session.told == right._session.told
    assert_array_equal(erring.predict_proba(), right.predict_proba())
    assert erring.status().agreement == right.status().agreement
    alone = ActiveLearner(estimator, X, **options)
    answered(alone, 25)
    halfway = ActiveLearner(estimator, X, **options)
    answered(halfway, 25, WRONG)
    halfway.amend(early, [TRUTH[row] for row in early])
    assert halfway.status() == alone.status()
    assert halfway.status() != wrong
    again = ActiveLearner.resume(path, estimator, X)
    assert (again.labels_, again.history_) == (erring.labels_, erring.history_)
    assert again.status() == erring.status()
    last = early[-1]
    assert again.undo().kind == "volunteer"
    for _ in asked[26:]:
        again.undo()
    assert again.undo().kind == "amend"
    assert again.labels_[last] == WRONG[last] != TRUTH[last]
    with pytest.raises(ValueError, match=f"document {asked[40][0]} has no label yet.*none to amend: tell"):
        again.amend(asked[40], [1])


@pytest.mark.parametrize("ids", [None, [f"d{row}" for row in range(90)]])
def test_a_label_that_is_taken_away_was_never_given(ids, path):
    """In labels, the accuracy and its interval; the document is asked for again, and the file knows it."""
    options = {"strategy": "random", "random_state": 2, "ids": ids}
    learner, straight = ActiveLearner(QUICK, X, path=path, **options), ActiveLearner(QUICK, X, **options)
    asked = [rows[0] for rows in answered(learner, 12)]
    answered(straight, 12)
    was = learner.status()
    learner.amend([asked[3], asked[11]], [None, TRUTH[asked[11]]])
    assert learner.labels_[asked[3]] is None
    assert (learner.status().n_labels, learner.status().n_drawn, learner.status().n_open) == (11, 11, 79)
    assert json.loads(path.read_text().splitlines()[-1])["labels"] == [None, TRUTH[asked[11]]]
    again = ActiveLearner.resume(path, QUICK, X, ids=ids)
    assert (again.labels_, again.history_) == (learner.labels_, learner.history_)
    assert again.status() == learner.status()
    assert len(ActiveLearner.labels_in(path)) == 11
    with pytest.raises(ValueError, match="has no label yet"):
        learner.amend(asked[3], None)
    learner.volunteer(asked[3], TRUTH[asked[3]])
    assert learner.labels_ == straight.labels_
    assert (learner.status().n_drawn, learner.status().low) == (12, was.low)
    learner.undo()
    assert asked[3] in learner.query(79), "it may be asked for again"
    learner.undo()
    assert learner.status() == was


def test_a_label_of_the_start_is_taken_away(path):
    """And skipped: nobody can tell it after all."""
    learner = ActiveLearner(QUICK, X[:12], FIRST[:12], path=path)
    known = [row for row, label in enumerate(learner.labels_) if label is not None]
    with pytest.raises(ValueError, match=r"label .* already: amend changes it, or takes it away .* None"):
        learner.skip(known[0])
    learner.amend(known, [None] * len(known))
    assert learner.labels_ == [None] * 12
    learner.query(12)
    learner.skip(known[0])
    again = ActiveLearner.resume(path, QUICK, X[:12])
    assert (again.labels_, again.skipped_) == ([None] * 12, {known[0]})


def test_models_that_have_voted_have_voted(path):
    """An answer that is put right changes the votes of models from then on, from memory as from the file."""
    learner = ActiveLearner(QUICK, X, FIRST, "vote entropy", path=path)
    answered(learner, 3, [(label + 1) % 3 for label in TRUTH])
    first = learner.history_[1].indices[0]
    learner.amend(first, TRUTH[first])
    answered(learner, 2)
    again = resumed(path, QUICK, X)
    labels, votes, everyone = (
        [None if label < 0 else int(label) for label in FIRST],
        np.zeros((90, 3)),
        range(90),
    )
    for event in learner.history_:
        if event.kind == "query":
            model = FittedPool(QUICK, X).learn(coded(labels))
            votes[everyone, model.chances(np.arange(90)).argmax(axis=1)] += 1
        for row, label in zip(event.indices, event.labels, strict=False):
            labels[row] = label
    model = FittedPool(QUICK, X).learn(coded(labels))
    votes[everyone, model.chances(np.arange(90)).argmax(axis=1)] += 1
    for some in (learner, again):
        assert_array_equal(some._chooser.votes(model), votes)


# ---- questions that are taken back


@pytest.mark.parametrize("strategy", ["margin", "vote entropy", "random"])
def test_a_withdrawn_question_was_never_asked(strategy, path):
    """What comes next, and is drawn at random, is what would have come without it; the file knows."""
    options = {"strategy": strategy, "random_share": 0.3}
    straight, erring = (
        ActiveLearner(QUICK, X, FIRST, **options),
        ActiveLearner(QUICK, X, FIRST, path=path, **options),
    )
    for number in range(8):
        answered(straight, 1)
        rows = erring.query(1 + number)
        if number % 3 == 1:
            erring.withdraw(rows[1:])
            assert erring.pending_ == rows[:1].tolist()
            erring.query(3)
        if number % 3 == 2:
            erring.withdraw(rows[-1])
            assert erring.pending_ == rows[:-1].tolist()
        erring.withdraw()
        if number == 5:
            erring = ActiveLearner.resume(path, QUICK, X)
        answered(erring, 1)
        assert erring.history_ == straight.history_
        assert erring._session.n_asked == number + 1
    assert erring.status() == straight.status()
    (row,) = erring.query().tolist()
    erring.withdraw()
    with pytest.raises(ValueError, match="no question to withdraw"):
        erring.withdraw()
    with pytest.raises(ValueError, match=f"document {row} was not asked for"):
        erring.tell(row, 1)
    assert erring.undo().kind == "tell"
    assert len(erring.pending_) == 1
    with pytest.raises(ValueError, match=f"document {row} was not asked for"):
        erring.withdraw(row)


def test_nothing_is_written_of_no_documents(path):
    """At the end of a session there is nothing to answer, and nothing to undo."""
    learner = ActiveLearner(QUICK, X[:12], FIRST[:12], path=path)
    rows = learner.query()
    learner.tell(rows, [])
    learner.volunteer([], [])
    learner.skip(rows)
    assert learner.history_ == []
    assert path.read_text().count("\n") == 1


# ---- the accuracy


def test_only_answers_that_stand_are_judged_by():
    """Neither those that were undone, nor questions that are pending, skipped or withdrawn."""
    options = {"strategy": "margin", "random_share": 0.5}
    straight, erring = (ActiveLearner(QUICK, X, FIRST, **options) for _ in range(2))
    for number in range(24):
        rows = straight.query()
        straight.tell(rows, [TRUTH[row] for row in rows])
        rows = erring.query()
        for _ in range(2):
            erring.tell(rows, [(TRUTH[row] + 1) % 3 for row in rows])
            erring.query(3)
            erring.undo()
        if number % 5 == 0:
            erring.query(4)
            erring.withdraw(erring.pending_[1:])
        erring.tell(rows, [TRUTH[row] for row in rows])
    assert erring.status() == straight.status()
    n_drawn = straight.status().n_drawn
    assert n_drawn == 12

    def judged(number):
        """So many documents count, in the accuracy and in its interval."""
        status = erring.status()
        told = [row for row in erring._session.told if row in erring._session.drawn]
        assert status.n_drawn == len(told) == number
        assert status.accuracy * number == pytest.approx(round(status.accuracy * number))
        z, p = 1.959963984540054, status.accuracy
        half = z * np.sqrt(p * (1 - p) / number + z**2 / (4 * number**2)) / (1 + z**2 / number)
        middle = (p + z**2 / (2 * number)) / (1 + z**2 / number)
        wanted = [max(middle - half, 0), min(middle + half, 1)]
        assert_allclose([status.low, status.high], wanted, atol=1e-9)

    judged(n_drawn)
    for number in range(1, 7):  # every other of them was drawn, and is asked for again
        erring.undo()
        judged(n_drawn - (number + 1) // 2)
    answered(erring, 6)
    judged(n_drawn)
    for _ in range(4):  # two of them drawn
        erring.skip(erring.query())
    erring.query(6)  # three of them drawn
    assert len({row for event in erring.history_ for row in event.drawn}) == n_drawn + 5
    judged(n_drawn)


def test_it_says_what_the_accuracy_needs():
    """A share of random questions; or answers to them; or two classes."""
    plain = ActiveLearner(QUICK, X, FIRST, "margin")
    answered(plain, 3)
    assert "not known, as no question is drawn at random: a session that begins with random_share" in str(
        plain.status()
    )
    for share in (0.3, 1 / 49, 0.25):
        learner = ActiveLearner(QUICK, X, FIRST, "margin", random_share=share)
        for asked in range(60):
            status = learner.status()
            if any(event.drawn for event in learner.history_):
                break
            said = (
                f"with random_share={share:g} the first is question {math.floor(1 / share) + (share != 0.25)}"
            )
            assert f"{said}, and {asked} {'was' if asked == 1 else 'were'} asked" in str(status)
            learner.query(asked + 1)
        assert asked == math.floor(1 / share) + (share != 0.25)
        assert "none of those that were asked is answered" in str(status)
        (row,) = next(event.drawn for event in learner.history_ if event.drawn)
        learner.tell(row, TRUTH[row])
        status = learner.status()
        assert status.accuracy is not None
        assert status.unknown == ""
    nothing = ActiveLearner(QUICK, X, strategy="random")
    assert "with random_share=1 the first is question 1, and 0 were asked" in str(nothing.status())
    answered(nothing, 1)
    assert "fewer than two classes have a label; 1 random document waits to be" in str(nothing.status())


# ---- what is refused at the start


class Wrapped(ClassifierMixin, BaseEstimator):
    """A classifier of texts that nobody knows."""

    def fit(self, texts, y):
        self.model_ = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, texts):
        return self.model_.predict_proba(texts)

    def predict(self, texts):
        return self.model_.predict(texts)


COUNTING = make_pipeline(CountVectorizer(), QUICK)
SPOILED = X.toarray().astype(np.float64)
NEGATIVE, NAN = SPOILED.copy(), SPOILED.copy()
NEGATIVE[3, 17], NAN[3, 17] = -2, np.nan


@pytest.mark.parametrize(
    ("estimator", "documents", "message"),
    [
        (SoftMislabelingPLSA(), TEXTS, r"X holds texts .*text_classifier\(SoftMislabelingPLSA\(\)\)"),
        (SoftMislabelingPLSA(), np.array(TEXTS), "X holds texts .*text_classifier"),
        (SoftMislabelingPLSA(), np.array(TEXTS, dtype=object), "X holds texts .*text_classifier"),
        (NaiveBayesEM(), TEXTS, r"X holds texts .*text_classifier\(NaiveBayesEM\(\)\)"),
        (QUICK, TEXTS, r"X holds texts .*text_classifier\(MultinomialNB\(\)\)"),
        (LogisticRegression(), tuple(TEXTS), "X holds texts .*text_classifier"),
        (make_pipeline(TfidfTransformer(), QUICK), TEXTS, r"text_classifier\(MultinomialNB\(\)\)"),
        (
            text_classifier(),
            X,
            "X holds counts or other numbers .*words of texts. Pass texts, or the counts to its model",
        ),
        (text_classifier(), X.toarray(), "X holds counts or other numbers"),
        (make_pipeline(HashingVectorizer(), QUICK), X, "X holds counts or other numbers"),
        (COUNTING, ["tea", None], "row 1 of the texts holds None, but must hold a text"),
        (COUNTING, ["tea", ["a", "b"]], "row 1 of the texts holds a list of 2"),
        (COUNTING, ["", ""], "empty vocabulary"),
        (COUNTING, "tea", "X is a str, but must be a list of texts"),
        (COUNTING, [], "X holds no documents"),
        (QUICK, X[:0], "X holds no documents"),
        (OURS, np.empty((0, 3)), "X holds no documents"),
        (OURS, NEGATIVE, r"a negative count, -2.0 at \(3, 17\)"),
        (NaiveBayesEM(), NEGATIVE, r"a negative count, -2.0 at \(3, 17\)"),
        (QUICK, NEGATIVE, "Negative values in data passed to MultinomialNB"),
        (QUICK, sparse.csr_array(NEGATIVE), "Negative values in data passed to MultinomialNB"),
        (OURS, NAN, "X holds NaN at"),
        (LogisticRegression(), NAN, "X contains NaN"),
        (GaussianNB(), X, "dense data is required"),
        (MissingLabelPLSA(max_iter=-1), X, "max_iter"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("quick", [True, False])
def test_documents_that_a_model_cannot_read(estimator, documents, message, quick):
    """Before anything is asked, and no document is shown."""
    with pytest.raises((ValueError, TypeError), match=message) as refused:
        ActiveLearner(estimator, documents, quick=quick)
    assert "milk" not in str(refused.value)


def test_who_reads_texts_gets_them():
    """A pipeline, what holds one, and those of which nothing is known."""
    lengths = FunctionTransformer(lambda texts: np.array([[len(text), text.count("l")] for text in texts]))
    truth = ["food", "food", "sport", "sport"] * 5
    for estimator in (
        COUNTING,
        Wrapped(),
        GridSearchCV(COUNTING, {"multinomialnb__alpha": [1.0]}, cv=2),
        make_pipeline(lengths, GaussianNB()),
    ):
        learner = ActiveLearner(estimator, TEXTS, truth[:8] + [None] * 12)
        (row,) = learner.query().tolist()
        learner.tell(row, truth[row])
        assert len(learner.predict()) == 20
    numbers = ActiveLearner(LogisticRegression(), NEGATIVE, FIRST)
    assert len(answered(numbers, 2)) == 2


def test_a_table_whose_columns_would_be_read_is_refused():
    """CountVectorizer goes over the columns of a table, not its rows."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": TEXTS})
    with pytest.raises(ValueError, match="MultinomialNB makes 1 rows of 20 documents"):
        ActiveLearner(COUNTING, table)


# ---- what is no answer


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("", "told as '', which is not a label: skip is for"),
        (" \t", "which is not a label: skip is for"),
        (float("nan"), "told as nan, which is not a label: skip is for"),
        (np.float64("nan"), "which is not a label: skip is for"),
        (np.str_(""), "which is not a label: skip is for"),
        (["a", "b"], "one label for each document is what is supported"),
        (("a", "b"), "one label for each document is what is supported"),
        ({"a"}, "one label for each document is what is supported"),
        ({"a": 1}, "one label for each document is what is supported"),
        (np.array(["a", "b"]), "one label for each document is what is supported"),
        (b"a", "a label is a string or a whole number"),
        (3, "a number, but other labels are a string"),
    ],
    ids=repr,
)
def test_what_is_no_answer(label, message, path):
    """Told, volunteered or amended: refused, and nothing is written."""
    learner = ActiveLearner(QUICK, X, [None if label < 0 else "abc"[label] for label in FIRST], path=path)
    row = int(learner.query()[0])
    other = next(each for each in range(90) if learner.labels_[each] is None and each != row)
    before = path.read_bytes()
    for move, document in ((learner.tell, row), (learner.volunteer, other), (learner.amend, 0)):
        with pytest.raises(ValueError, match=message):
            move([document], [label])
    assert path.read_bytes() == before
    assert len(learner.history_) == 1


def test_a_missing_value_of_pandas_is_no_answer():
    pandas = pytest.importorskip("pandas")
    learner = ActiveLearner(QUICK, X, FIRST)
    with pytest.raises(ValueError, match="which is not a label"):
        learner.tell(learner.query(), [pandas.NA])


def test_several_answers_for_one_document():
    """A list is one label for each document."""
    learner = ActiveLearner(QUICK, X, FIRST)
    (row,) = learner.query().tolist()
    with pytest.raises(ValueError, match=r"labels has 2 labels for 1 document: .*not supported"):
        learner.tell(row, ["a", "b"])
    with pytest.raises(ValueError, match="has no order"):
        learner.tell(row, {"a"})
    with pytest.raises(ValueError, match="one label for each document"):
        learner.volunteer([20, 21], [["a", "b"], ["c"]])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", 1], "y holds 1 at 1, a number, but other labels are a string, such as 'a'"),
        ([1, True], "y holds True at 1, a truth value, but other labels are a number"),
        ([0.5, 1.0], "y holds 0.5 at 0, but a label is a string or a whole number"),
    ],
)
def test_labels_at_the_start_are_labels(y, message):
    """Of one kind, as answers are."""
    labels = np.full(90, None, dtype=object)
    labels[:2] = y
    with pytest.raises(ValueError, match=message):
        ActiveLearner(QUICK, X, labels)


def test_one_label_may_become_another_kind():
    """Where no other stands against it."""
    session = Session(3)
    session.volunteer(0, 1)
    session.amend(0, "one")
    session.volunteer(1, "two")
    with pytest.raises(ValueError, match="a number, but other labels are a string, such as 'two'"):
        session.amend(0, 1)
    session.amend([0, 1], [1, 2])
    assert session.labels == [1, 2, None]


def test_what_marks_no_label_is_a_value():
    """The file holds it."""
    assert Session(2, unlabeled=float("nan")).unlabeled is None
    assert Session(2, [0, 1], unlabeled=np.int64(0)).initial == [None, 1]
    with pytest.raises(ValueError, match=r"unlabeled == .*, but must be a string, a number or None"):
        Session(2, unlabeled=object())
