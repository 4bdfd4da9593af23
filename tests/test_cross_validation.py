"""scikit-learn's tools where labels are missing: what works, what speaks, and what is said about the rest."""

import re
import warnings

import numpy as np
import pytest
from cases import CASES, corpus
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context, model_selection
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier

from plsa import (
    LabeledKFold,
    MissingLabelPLSA,
    PLSAClassifier,
    TopicSensitivePLSA,
    cross_val_predict,
    labeled_scorer,
    text_classifier,
)

NAMES = np.array(["ant", "bee", "cat", "dog"])
NOTES = " ".join(LabeledKFold.__doc__.split())
CLASSIFIERS = [case for case in CASES if case.takes != "nothing"]


def named(missing, dtype=object):
    """Names of classes, the first document having one, with something where there is none."""
    return np.array([missing if code < 0 else str(NAMES[code]) for code in corpus()[1]], dtype=dtype)


LABELS = {
    "None in a list": named(None).tolist(),
    "None": named(None),
    "nan among names": named(np.nan),
    "nan": np.where(corpus()[1] < 0, np.nan, corpus()[1]),
    "-1": corpus()[1],
    "-1 in a list of names": named(-1).tolist(),
    "-1 among names": named(-1),
    '"-1"': named("-1", str),
}
SPLITTERS = {"3": 3, "KFold": KFold(3, shuffle=True, random_state=0), "LabeledKFold": LabeledKFold(3)}
SCORINGS = {"none": None, "accuracy": "accuracy", "labeled_scorer": labeled_scorer()}


def model(**parameters):
    """A classifier that is fast."""
    return PLSAClassifier(**{"scaling": None, "max_iter": 5, "random_state": 0, **parameters})


def right(splits):
    """Per fold, the share of the labeled documents that get their label from a fit to the training part."""
    X, y, _ = corpus()
    found = []
    for train, test in splits:
        known = test[y[test] >= 0]
        found.append(np.mean(model().fit(X[train], y[train]).predict(X[known]) == y[known]))
    return found


def scores(call, y, cv, scoring):
    """The mean score, by either of the two calls."""
    X = corpus()[0]
    if call == "cross_val_score":
        return cross_val_score(model(), X, y, cv=cv, scoring=scoring).mean()
    return GridSearchCV(model(), {"tol": [0.0]}, cv=cv, scoring=scoring).fit(X, y).best_score_


# --- scikit-learn's own


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("call", ["cross_val_score", "GridSearchCV"])
def test_labeled_folds_work_with_every_mark_and_scoring(call, labels, scoring):
    """The value is that of fits to the training parts, whatever marks a missing label."""
    X, y, _ = corpus()
    wanted = np.mean(right(LabeledKFold(3).split(X, y)))
    assert 0.5 < wanted < 1
    assert scores(call, LABELS[labels], LabeledKFold(3), SCORINGS[scoring]) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("labels", "cv", "scoring"),
    [
        ("None", "KFold", "none"),
        ("None", "KFold", "labeled_scorer"),
        ("nan", "KFold", "none"),
        ("nan", "KFold", "labeled_scorer"),
        ("-1", "KFold", "none"),
        ("-1", "KFold", "labeled_scorer"),
        ("-1", "3", "none"),
        ("-1", "3", "labeled_scorer"),
        ("-1 in a list of names", "3", "none"),
        ('"-1"', "3", "labeled_scorer"),
    ],
)
@pytest.mark.parametrize("call", ["cross_val_score", "GridSearchCV"])
def test_ordinary_folds_that_work(call, labels, cv, scoring):
    """Without `scoring` a classifier leaves out what has no label, and so does `labeled_scorer`."""
    X, y, _ = corpus()
    splitter = StratifiedKFold(3) if cv == "3" else SPLITTERS[cv]
    wanted = np.mean(right(splitter.split(X, y)))
    assert scores(call, LABELS[labels], SPLITTERS[cv], SCORINGS[scoring]) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ("None in a list", "'<' not supported between instances of 'NoneType' and 'str'"),
        ("None", "'<' not supported between instances of 'NoneType' and 'str'"),
        ("nan among names", "'<' not supported between instances of 'float' and 'str'"),
        ("-1 among names", "'<' not supported between instances of 'int' and 'str'"),
        ("nan", "Input y contains NaN."),
    ],
)
@pytest.mark.parametrize("call", ["cross_val_score", "GridSearchCV", "cross_val_predict"])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_what_fails_inside_of_scikit_learn_is_in_the_notes(call, labels, error):
    """With cv=3 it sorts y before anything of ours is called: its words can be found in ours."""
    X, y, theirs = corpus()[0], LABELS[labels], model_selection.cross_val_predict
    for scoring in SCORINGS.values():
        with pytest.raises((TypeError, ValueError)) as raised:
            theirs(model(), X, y, cv=3) if call == "cross_val_predict" else scores(call, y, 3, scoring)
        # Which of two types comes first is up to the order of sorting.
        assert sorted(str(raised.value).split("'")) == sorted(error.split("'"))
    assert error.removeprefix("'<' not supported between instances of ") in NOTES
    for public in (LabeledKFold, labeled_scorer, text_classifier):
        said = " ".join(public.__doc__.split())
        assert "'<' not supported between instances of 'NoneType' and 'str'" in said
        assert "cv=LabeledKFold(" in said.replace("plsa.", "")


@pytest.mark.parametrize("labels", ["None", "None in a list", "nan among names", "nan"])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_metrics_of_scikit_learn_refuse_none(labels):
    """Scores of nan and a warning, both in the notes."""
    X, cv = corpus()[0], SPLITTERS["KFold"]
    with pytest.warns(UserWarning, match="Scoring failed"):
        found = cross_val_score(model(), X, LABELS[labels], cv=cv, scoring="accuracy")
    assert np.isnan(found).all()
    assert 'nan, with "Scoring failed" in a warning' in NOTES


@pytest.mark.parametrize("cv", ["3", "KFold"])
@pytest.mark.parametrize("labels", ["-1", '"-1"', "-1 in a list of names"])
def test_what_stays_silent_is_in_the_notes(labels, cv):
    """A metric by name takes -1 for a class: the value is the share of all documents that were right."""
    found = scores("cross_val_score", LABELS[labels], SPLITTERS[cv], "accuracy")
    assert found <= np.mean(corpus()[1] >= 0)
    assert "Scores far too low, without a word: the mark is -1" in NOTES


def test_scikit_learns_cross_val_predict_is_in_the_notes():
    """It refuses labeled folds, and has a column for the mark where there are probabilities."""
    X, y, _ = corpus()
    with pytest.raises(ValueError, match="cross_val_predict only works for partitions") as raised:
        model_selection.cross_val_predict(model(), X, y, cv=LabeledKFold(3))
    assert f'"{raised.value}"' in NOTES
    wide = model_selection.cross_val_predict(model(), X, y, cv=3, method="predict_proba")
    assert wide.shape[1] == 5
    assert "One column too many, without a word" in NOTES
    assert cross_val_predict(model(), X, y, cv=3, method="predict_proba").shape[1] == 4


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("name", ["csc", "coo", "bsr", "dia", "lil", "dok"])
def test_scores_of_every_sparse_format(name):
    """Rows are taken, which not all formats have."""
    X, y, _ = corpus()
    fitted = model().fit(X, y)
    assert labeled_scorer()(fitted, X.asformat(name), y) == labeled_scorer()(fitted, X, y)


def test_a_fold_without_labels_says_so():
    """By the classifier's own score: nan in scikit-learn's tools, and the reason in its warning."""
    X, y = corpus()[0], np.where(np.arange(150) < 100, corpus()[1], -1)
    with pytest.warns(
        UserWarning, match="none of the 50 documents to score has a label: split with LabeledKFold"
    ):
        found = cross_val_score(model(), X, y, cv=KFold(3))
    assert_array_equal(np.isnan(found), [False, False, True])


@pytest.mark.parametrize("case", [case for case in CASES if case.takes == "positives"], ids=str)
def test_positives_are_scored_where_something_is_known(case):
    """0 is a label to compare with; -1, None and NaN are none."""
    X, shown = corpus()[0], case.y()
    found = case.fit()
    predicted = found.predict(X)
    recall, agreed = np.mean(predicted[shown == 1]), np.mean(predicted == shown)
    assert found.score(X, shown) == pytest.approx(agreed)
    for missing in (-1, None, np.nan):
        y = [1 if positive else missing for positive in shown]
        assert found.score(X, y) == pytest.approx(recall)
    assert found.score(X, np.where(shown == 1, 1, -1), sample_weight=np.ones(150)) == pytest.approx(recall)
    with pytest.raises(ValueError, match="none of the 150 documents to score has a label"):
        found.score(X, [-1] * 150)


# --- folds that come again


def test_folds_are_the_same_at_every_call():
    """Unless None is the seed."""
    y = np.arange(40) % 2

    def tests(**seed):
        return [test.tolist() for _, test in LabeledKFold(4, **seed).split(y, y)]

    assert tests() == tests() == tests(random_state=0)
    assert tests(random_state=None) != tests(random_state=None)


# --- ours


@pytest.mark.filterwarnings("ignore:documents without a label did not help")
@pytest.mark.parametrize("case", CLASSIFIERS, ids=str)
def test_held_out_predictions_of_every_classifier(case):
    """A labeled document is predicted by a fit to others; one without a label by a fit to all."""
    X, labels, _ = corpus()
    y = case.y().astype(object)
    y[labels < 0] = None
    for method in ("predict", "predict_proba", "decision_function"):
        if not hasattr(case.make(), method):
            continue
        found = cross_val_predict(case.make(), X, y, cv=2, method=method)
        assert len(found) == 150
        everything = getattr(case.make().fit(X, y), method)(X)
        assert found.shape == everything.shape
        assert_array_equal(found[labels < 0], everything[labels < 0])
        train, test = next(LabeledKFold(2).split(X, y))
        assert_array_equal(found[test], getattr(case.make().fit(X[train], y[train]), method)(X[test]))
        held_out = np.concatenate([test for _, test in LabeledKFold(2).split(X, y)])
        assert_array_equal(np.sort(held_out), np.flatnonzero(labels >= 0))


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_held_out_predictions_with_every_mark(labels, method):
    """The same whatever marks a missing label, and however X is stored."""
    X, y, _ = corpus()
    wanted = cross_val_predict(model(), X, y, cv=3, method=method)
    if method == "predict" and labels not in ("nan", "-1"):
        wanted = NAMES[wanted]
    found = cross_val_predict(model(), sparse.coo_array(X), LABELS[labels], cv=3, method=method)
    assert_array_equal(found, wanted)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_where_nothing_is_missing_it_is_scikit_learns(method):
    """The same folds, the same fits, the same columns."""
    X, _, truth = corpus()
    found = cross_val_predict(model(), X, NAMES[truth], cv=3, method=method)
    theirs = model_selection.cross_val_predict(model(), X, NAMES[truth], cv=LabeledKFold(3), method=method)
    assert_array_equal(found, theirs)
    assert_array_equal(cross_val_predict(model(), X, truth), cross_val_predict(model(), X, truth, cv=5))


def test_held_out_predictions_of_texts():
    """From raw texts, in a search, and with a mark of one's own."""
    texts = ["tea and milk", "a cup of tea", "a cup of milk", "goal and ball", "a ball team", "team goal"] * 3
    y = ["food", "food", "food", "sport", "sport", None] * 3
    pipe = text_classifier(MissingLabelPLSA(scaling=None, evidence=False, random_state=0))
    found = cross_val_predict(pipe, texts, y)
    assert found.tolist() == ["food", "food", "food", "sport", "sport", "sport"] * 3
    proba = cross_val_predict(pipe, texts, y, method="predict_proba")
    assert_array_equal(np.array(["food", "sport"])[proba.argmax(axis=1)], found)
    search = GridSearchCV(pipe, {"missinglabelplsa__tol": [0.0]}, cv=LabeledKFold(2))
    assert_array_equal(cross_val_predict(search, texts, y, cv=3), found)
    own = make_pipeline(CountVectorizer(), MissingLabelPLSA(scaling=None, unlabeled="?"))
    marked = ["?" if label is None else label for label in y]
    assert cross_val_predict(own, texts, marked, cv=3, method="predict_proba").shape == (18, 2)
    search = GridSearchCV(own, {"missinglabelplsa__tol": [0.0]}, cv=LabeledKFold(2, unlabeled="?"))
    assert cross_val_predict(search, texts, marked, cv=3, method="predict_proba").shape == (18, 2)


def test_positives_marked_as_the_readme_does_it():
    """1 and -1: no warning of a class that might be meant; in two processes the same."""
    X = corpus()[0]
    y = np.where(corpus()[1] == 0, 1, -1)
    found = TopicSensitivePLSA(4, max_iter=4, random_state=0)
    scores = cross_val_predict(found, X, y, cv=2, method="decision_function")
    assert scores[y == 1].mean() > scores[y == -1].mean()
    assert_array_equal(cross_val_predict(found, X, y, cv=2, method="decision_function", n_jobs=2), scores)


def test_parameters_of_fit_go_with_their_documents():
    """A weight of zero for all labeled documents of a class but those of one fold, routed or not."""
    X, y, _ = corpus()
    weight = np.random.default_rng(0).integers(1, 5, 150).astype(float)
    found = cross_val_predict(model(), X, y, cv=3, params={"sample_weight": weight}, method="predict_proba")
    train, test = next(LabeledKFold(3).split(X, y))
    by_hand = model().fit(X[train], y[train], sample_weight=weight[train]).predict_proba(X[test])
    assert_array_equal(found[test], by_hand)
    assert np.abs(found - cross_val_predict(model(), X, y, cv=3, method="predict_proba")).max() > 1e-3
    pipe = make_pipeline(model())
    named = {"plsaclassifier__sample_weight": weight}
    assert_array_equal(cross_val_predict(pipe, X, y, cv=3, params=named, method="predict_proba"), found)
    with config_context(enable_metadata_routing=True):
        pipe = make_pipeline(model().set_fit_request(sample_weight=True))
        routed = cross_val_predict(pipe, X, y, cv=3, params={"sample_weight": weight}, method="predict_proba")
    assert_array_equal(routed, found)


def test_the_only_document_of_a_class():
    """It is held out by itself, and a warning says that nothing could be right there."""
    X, y, _ = corpus()
    names = named(None)
    names[1] = "elk"
    names[2] = "ace"
    with pytest.warns(UserWarning, match=r"document 1, labeled 'elk' \(and 1 more\), .*: it cannot be right"):
        proba = cross_val_predict(model(), X, names, cv=3, method="predict_proba")
    assert proba.shape == (150, 6)  # ace, ant, bee, cat, dog, elk
    assert_allclose(proba.sum(axis=1), 1, atol=1e-6)
    assert_array_equal(proba[1:3, [0, 5]], 0)
    assert proba[3, 0] > 0
    others = np.delete(np.arange(150), [1, 2])
    assert_array_equal(proba[1:3, 1:5], model().fit(X[others], y[others]).predict_proba(X[1:3]))
    with pytest.warns(UserWarning, match="cannot be right"):
        log_proba = cross_val_predict(model(), X, names, cv=3, method="predict_log_proba")
    assert_array_equal(log_proba[1:3, [0, 5]], -np.inf)


@pytest.mark.filterwarnings("ignore:the class")
def test_a_class_that_nobody_has_met_has_a_column():
    """Of zeros; the others are as without it."""
    X, y, _ = corpus()
    usual = cross_val_predict(model(), X, y, method="predict_proba")
    found = cross_val_predict(model(classes=[0, 1, 2, 3, 4]), X, y, method="predict_proba")
    assert_array_equal(found, np.column_stack([usual, np.zeros(len(usual))]))


def test_other_folds_and_other_classifiers():
    """Splitters that hold out unlabeled documents too, and semi-supervised classifiers of scikit-learn."""
    X, y, _ = corpus()
    theirs = model_selection.cross_val_predict(model(), X, y, cv=StratifiedKFold(3))
    assert_array_equal(cross_val_predict(model(), X, y, cv=StratifiedKFold(3)), theirs)
    splits = list(LabeledKFold(3).split(X, y))
    assert_array_equal(
        cross_val_predict(model(), X, y, cv=iter(splits)), cross_val_predict(model(), X, y, cv=3)
    )
    taught = cross_val_predict(SelfTrainingClassifier(MultinomialNB()), X, y, cv=3, method="predict_proba")
    assert taught.shape == (150, 4)
    zeros = np.where(corpus()[1] == 0, 1, 0)
    found = cross_val_predict(TopicSensitivePLSA(4, unlabeled=0, max_iter=4, random_state=0), X, zeros, cv=3)
    assert set(found) == {0, 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "transform"}, "method == 'transform', but must be one of"),
        ({"method": "decision_function"}, "PLSAClassifier has no such method"),
        ({"y": [0, 1]}, "y has 2 labels for 150 documents"),
        ({"y": [-1] * 150}, "y labels no document"),
        ({"cv": 1}, "n_splits == 1"),
        ({"cv": 50}, "n_splits == 50, but only 38 documents can be held out"),
        (
            {"cv": model_selection.ShuffleSplit(3, random_state=0)},
            r"cv holds out document \d+ more than once",
        ),
        ({"cv": [(np.arange(75), np.arange(75, 150))]}, "cv holds out document 0 never; labeled ones must"),
        (
            {"y": np.where(np.arange(150) < 40, [0, 1] * 75, -1), "cv": model_selection.KFold(3)},
            "all 40 labeled documents are held out at once, and none is left to learn from",
        ),
        ({"estimator": MultinomialNB()}, "MultinomialNB has learned -1, which marks"),
    ],
)
def test_held_out_predictions_that_cannot_be_made(given, message):
    """Errors say what was found and what to do."""
    X, y, _ = corpus()
    with pytest.raises(ValueError, match=message):
        cross_val_predict(**{"estimator": model(), "X": X, "y": y} | given)


def test_folds_and_scores_doubt_labels():
    """A mark that the estimator knows, and they do not, would be held out and scored as a class."""
    y = np.array([0, 1, 255, 0, 1, 255, 0, 1])
    always = DummyClassifier(strategy="constant", constant=1).fit(y[:, np.newaxis], y)
    for unlabeled, mark in ((-1, "y has 255 in 2 rows, first in row 2.*pass unlabeled=255"), (255, None)):
        for use in (
            lambda unlabeled=unlabeled: [*LabeledKFold(2, unlabeled=unlabeled).split(y, y)],
            lambda unlabeled=unlabeled: labeled_scorer(unlabeled=unlabeled)(always, y[:, np.newaxis], y),
        ):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                use()
            assert len(said) == (mark is not None)
            assert all(re.search(mark, str(each.message)) for each in said)
