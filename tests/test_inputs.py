"""Rubbish in: an error that says what, where, what was found and what to do; nothing half-fitted."""

import re
import warnings
from collections import Counter

import numpy as np
import pandas
import pytest
from cases import CASES, corpus
from helpers import learned
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

from plsa import (
    PEBL,
    PLSA,
    ActiveLearner,
    ClassificationEM,
    CountScaler,
    EntropyMinimization,
    MinCut,
    MislabelingLogistic,
    MissingLabelPLSA,
    MPCKMeans,
    NaiveBayesEM,
    RocchioSVM,
    SelfTraining,
    SpyEM,
    TopicSensitivePLSA,
    TransductiveSVM,
    WeightedLogisticRegression,
    compare_pu,
    cross_val_predict,
    heterogeneity,
    select_topics,
    simulate,
)
from plsa.estimators.validation import read_positives

X = np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 4]])
Y = {"nothing": None, "classes": ["a", "b", "a"], "positives": [1, 0, 0]}
MODELS = {case.model: case for case in CASES}
of_classes = [model for model, case in MODELS.items() if case.takes == "classes"]
of_positives = [model for model, case in MODELS.items() if case.takes == "positives"]
weighted = [model for model, case in MODELS.items() if case.weighted]
everyone = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)


def named(models):
    """A test for each of these models."""
    return pytest.mark.parametrize("model", models, ids=lambda model: model.__name__)


def assert_refused(estimator, message, *data, **more):
    """An error with the message, after which the estimator is as unfitted as before."""
    with pytest.raises(ValueError, match=message):
        estimator.fit(*data, **more)
    assert not learned(estimator)


# --- counts, weights, labels ---------------------------------------------------------------------


def broken(name, at, value):
    """A CSR matrix of which one entry was spoilt behind scipy's back."""
    matrix = sparse.csr_array(X)
    getattr(matrix, name)[at] = value
    return matrix


BAD_COUNTS = [
    (np.where(X == 4, -2.0, X), r"negative count, -2.0 at \(2, 2\).*counts >= 0"),
    (sparse.csr_array(np.where(X == 4, -2.0, X)), r"negative count, -2.0 at \(2, 2\)"),
    (np.where(X == 4, np.nan, X), r"X holds NaN at \(2, 2\); put 0 there, or leave the document out"),
    (sparse.csr_array(np.where(X == 4, np.inf, X)), r"X holds inf at \(2, 2\)"),
    (np.array([["a", "b"], ["c", "d"], ["e", "f"]]), "strings in row 0.*numeric values"),
    (np.zeros((0, 3)), "0 sample"),
    (np.zeros((3, 0)), "0 feature"),
    (np.zeros(3), "1D array"),
    (np.zeros((2, 2, 2)), "dim 3"),
    (X.astype(complex), "Complex"),
    (broken("indices", 1, 7), "column index out of range: 7 at entry 1, but there are 3"),
    (broken("indices", 1, -1), "column index out of range: -1 at entry 1"),
    (broken("indptr", 1, 5), "broken indptr"),
    (broken("indptr", 0, 1), "broken indptr"),
    (broken("indptr", 3, 99), "broken indptr: it ends at 99"),
]


@pytest.mark.parametrize(("counts", "message"), BAD_COUNTS)
@everyone
def test_bad_counts(model, counts, message):
    """Refused by every estimator, with a message that helps."""
    y = Y[MODELS[model].takes]
    assert_refused(model(), message, counts, None if y is None else y[: counts.shape[0]])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia", "table", "list", "objects"]
)
def test_counts_that_are_no_numbers_are_found(form, value):
    """The first of them, in whatever form; a count of zero that is not stored is none."""
    spoilt = np.array([[1.0, 0, 2], [0, value, 0], [np.nan, 1, 1]])
    counts = {"table": pandas.DataFrame, "list": np.ndarray.tolist, "objects": lambda x: x.astype(object)}
    given = counts[form](spoilt) if form in counts else sparse.coo_array(spoilt).asformat(form)
    shown = "NaN" if np.isnan(value) else str(value)
    assert_refused(PLSA(1), rf"X holds {shown} at \(1, 1\); put 0 there", given)
    table = pandas.DataFrame({"a": [1, 2], "b": pandas.array([1, None], dtype="Float64")})
    assert_refused(PLSA(1), r"X holds NaN at \(1, 1\)", table)


@everyone
def test_counts_of_half_precision(model):
    """Are those of single precision."""
    y = Y[MODELS[model].takes]
    small = {"n_components": 2} if "n_components" in model().get_params() else {}
    small |= {"random_state": 0} if "random_state" in model().get_params() else {}
    small |= {"n_clusters": 2} if "n_clusters" in model().get_params() else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "y labels 1 document as positive")
        half = model(**small).fit(X.astype("float16"), y)
        single = model(**small).fit(X.astype("float32"), y)
    method = "predict" if hasattr(model, "predict") else "transform"
    answers = [getattr(each, method)(X[:2].astype("float16")) for each in (half, single)]
    answers = [each.toarray() if sparse.issparse(each) else each for each in answers]
    np.testing.assert_array_equal(*answers)


@everyone
def test_rows_that_are_dictionaries(model):
    """The error names what makes counts of them, and shows none."""
    rows = [{"tea": 2}, Counter("secret"), {}]
    for given in (rows, np.array(rows)):
        with pytest.raises(
            ValueError, match=rf"X holds a dict in row 0, but {model.__name__}.*DictVectorizer"
        ) as said:
            model().fit(given, Y[MODELS[model].takes])
        assert "tea" not in str(said.value)


SECRET = "a text that is nobody's business"
TEXTS = [
    [SECRET, "b", "c"],
    SECRET,
    np.array([SECRET, "b", "c"]),
    np.array([SECRET, None, "c"], dtype=object),
    [[SECRET, "b"], ["c"], ["d"]],
    [SECRET.encode(), b"b", b"c"],
    pandas.Series([SECRET, "b", "c"]),
    pandas.DataFrame({"length": [1, 2, 3], "text": [SECRET, "b", "c"]}),
]


@pytest.mark.parametrize("texts", TEXTS, ids=lambda texts: type(texts).__name__)
@everyone
def test_texts_where_counts_belong(model, texts):
    """The error names what takes texts, and shows none."""
    with pytest.raises(
        ValueError, match=rf"X holds .* in row 0.*text_classifier\({model.__name__}\(\)\)"
    ) as said:
        model().fit(texts, Y[MODELS[model].takes])
    assert SECRET not in str(said.value)


@everyone
def test_weights_where_counts_belong(model):
    """TF-IDF gets a hint, documents of one word, of unit length too, none; hashed signs another."""
    y = None if MODELS[model].takes == "nothing" else np.array([1, 0, 1, 0])
    hashed = HashingVectorizer(n_features=64).fit_transform(["tea and milk", "goal", "a ball", "milk tea"])
    assert_refused(model(), "alternate_sign=False", hashed, y)
    small = {"n_components": 2} if "n_components" in model().get_params() else {}
    small |= {"n_clusters": 2} if "n_clusters" in model().get_params() else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "y labels 2 documents as positive")
        model(**small).fit(np.eye(4), y)
        model(**small).fit(np.array([[2.0, 1], [1, 3], [4, 1], [1, 1]]), y)
        model(**small).fit(np.array([[2.0, 1], [1, 3], [4, 1], [1, 1]]) * 1e-200, y)
        with pytest.warns(UserWarning, match=rf"looks like TF-IDF.*{model.__name__} learns from counts"):
            model(**small).fit(np.array([[0.6, 0.8], [1, 0], [0.8, 0.6], [0, 1]]), y)
        with pytest.warns(UserWarning, match=rf"looks like frequencies.*{model.__name__} learns from counts"):
            model(**small).fit(np.array([[0.4, 0.6], [1, 0], [0.8, 0.2], [0, 1]]), y)


@pytest.mark.filterwarnings("error:.*no word that the fit has seen")
@everyone
def test_nothing_but_zeros(model):
    """One error, and no warning before it."""
    if model is CountScaler:
        return  # it knows no words
    assert_refused(model(), "not one word", 0 * X, Y[MODELS[model].takes])
    if hasattr(model, "perplexity"):
        fitted = model(1).fit(np.array([[1.0, 2, 0], [2, 1, 0], [1, 1, 0]]))
        for wordless in (0 * X, X * [0, 0, 1]):
            for completion in (False, True):
                with pytest.raises(ValueError, match="no word that the model knows"):
                    fitted.perplexity(wordless, completion=completion)


NO_WORDS = "no word that the fit has seen, the first in row"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_documents_of_unknown_words_are_counted(case):
    """In a fit, and wherever something is said of documents: those without words, or with new ones only."""
    documents = corpus()[0].toarray()
    documents[:, 7] = 0
    documents[[3, 8]] = 0
    knows = case.model is not CountScaler
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = case.fit(documents)
    said = [str(each.message) for each in caught if NO_WORDS in str(each.message)]
    assert [text[:44] for text in said] == ["2 of 150 documents have no word that the fit"] * knows
    new = documents[:5].copy()
    new[1] = 0
    new[1, 7] = 2.0  # a word that no document of the fit has
    for name in ("transform", "predict", "predict_proba", "decision_function", "perplexity"):
        if hasattr(model, name):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                getattr(model, name)(new)
                known = getattr(model, name)(new[[0, 2]])
            said = [str(each.message) for each in caught]
            assert [text[:6] for text in said if NO_WORDS in text] == ["2 of 5"] * knows, (name, known)


def test_a_mark_is_one_value():
    """A list of them would be compared entry by entry."""
    assert_refused(NaiveBayesEM(unlabeled=[1]), r"unlabeled == \[1\], but must be one value", X, [0, 1, 2])


@pytest.mark.parametrize(
    ("counts", "weight"), [(X, [1, 1, 0]), (np.vstack([X[:2], np.zeros((1, X.shape[1]))]), None)]
)
@named([model for model in of_classes if model in weighted])
def test_classes_without_words_or_weight(model, counts, weight):
    """There is nothing to learn about them, and that is said."""
    with pytest.warns(UserWarning, match="nothing to learn about the class 'c': no document with this label"):
        model().fit(counts, ["a", "b", "c"], sample_weight=weight)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], "2 entries for 3 documents"),
        ([1, -1, 1], "holds -1.0 at 1"),
        ([1, 1e300, 1], r"at 1; weights must be finite, >= 0 and no larger than 1e\+12"),
        ([1, np.nan, 1], "holds nan at 1"),
        ([0, 0, 0], "all zero"),
        ([[1], [1], [1]], "1D"),
        (["a", "b", "c"], "1D array of numbers"),
    ],
)
@named(weighted)
def test_bad_weights(model, weight, message):
    """Of the wrong length, negative, not numbers."""
    assert_refused(model(), message, X, Y[MODELS[model].takes], sample_weight=weight)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"], "y has 2 labels for 3 documents"),
        (["a"], "y has 1 label for 3 documents"),
        ({0: "a", 1: "b", 2: "a"}, r"y is of type dict, but .*: pass list\(y.values\(\)\)\."),
        ({0: "a", 1: "b", 2: "a"}.values(), r"y is of type dict_values, .*: pass list\(y\)\."),
        (iter("aba"), r"y is of type str_.*iterator, .*: pass list\(y\)\."),
        ({"a", "b", "c"}, "y is of type set, .*: pass a list with one label for each document"),
        ("aba", "y is of type str, .*: pass a list with one label for each document"),
        (np.array(1), "y is of type ndarray, .*: pass a list with one label for each document"),
        ([0.5, 1.5, 2.2], "Unknown label type"),
        ([0.5, 1.5, np.nan], "Unknown label type"),
        ([0, np.inf, np.nan], "y holds inf in row 1: labels are whole numbers or strings"),
        ([-1, -1, -1], "y labels no document.*use PLSA"),
        ([None, None, None], "y labels no document.*use PLSA"),
        ([np.nan, np.nan, np.nan], "y labels no document.*use PLSA"),
        (None, "requires y to be passed, but the target y is None"),
        (["", " ", "\t"], "y labels no document.*use PLSA"),
        (["a", 3, None], "y mixes types of labels: 'a' in row 0 and 3 in row 1"),
        ([None, 3, "a"], "y mixes types of labels: 3 in row 1 and 'a' in row 2"),
        (["a", True, "b"], "y mixes types of labels: 'a' in row 0 and True in row 1"),
        (["a", ["a", "b"], "b"], r"a list of 2 in row 1. A document has one label; several .*\(yet\)"),
        ([["a", "b"], ["a"], ["b"]], "y holds a list of 2 in row 0"),
        ([{"a"}, {"b"}, {"a"}], "y holds a set of 1 in row 0"),
        ([{"a": 1}, {}, {}], "y holds a dict of 1 in row 0"),
        ([("a",), ("b",), None], "y holds a tuple of 1 in row 0"),
        (np.array(["NaT", "NaT", "NaT"], dtype="datetime64[D]"), "y labels no document"),
        (np.eye(3), r"1d array, got an array of shape \(3, 3\) instead.*several are not supported"),
        (pandas.Series([("a", "b"), ("a",), ()]), "y holds a tuple of 2 in row 0"),
    ],
)
@named(of_classes)
def test_bad_labels(model, y, message):
    """Too few, continuous, none at all, of several types, several of one document."""
    assert_refused(model(), message, X, y)


@named([*of_classes, *of_positives])
def test_labels_that_were_forgotten(model):
    """Are asked for by name, in a fit and in a score, and nobody hears of classes that are not theirs."""
    wanted = "requires y to be passed, but the target y is None: give one label for each document"
    assert_refused(model(), wanted, X)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "y labels 1 document as positive")
        fitted = model().fit(X, Y[MODELS[model].takes])
    with pytest.raises(ValueError, match=wanted):
        fitted.score(X)


DOUBT = (
    "y has {!r} in {} rows?, first in row {}, and it was taken for a class.*unlabeled={!r};.*unlabeled=None"
)
ONE = "y has one class, {!r}, first in row {}"
# What may mark a document without a label: the classes that are found, and what is said.
MARKS = [
    (["a", "", "b", " \t"], {}, ["a", "b"], []),
    (np.array(["a", "", "b", "  "]), {}, ["a", "b"], []),
    (["a", "", "b", " "], {"unlabeled": None}, ["a", "b"], []),
    (pandas.Series(["a", "", "b", None]), {}, ["a", "b"], []),
    (pandas.Series(["a", pandas.NA, "b", ""], dtype="string"), {}, ["a", "b"], []),
    ([pandas.NaT, "a", "b", np.float32("nan")], {}, ["a", "b"], []),
    (["a", "?", "b", "-"], {}, ["-", "?", "a", "b"], ["y has '-' in 1 row,", r"y has '\?' in 1 row,"]),
    (["-1.0", "0.0", "1.0", "0.0"], {}, ["0.0", "1.0"], []),
    (pandas.Series([2**53, 2**53 + 1, pandas.NA, 2**53], dtype="Int64"), {}, [2**53, 2**53 + 1], []),
    (
        ["tea", "Tea ", "b", "b"],
        {},
        ["Tea ", "b", "tea"],
        [r"y has 'Tea ' \(first in row 1\) and 'tea' \(first in row 0\), two classes that differ in blanks"],
    ),
    (["a", "unknown", "b", "a"], {}, ["a", "b", "unknown"], ["y has 'unknown' in 1 row, .*'unknown'"]),
    (np.array(["a", np.nan, "b", np.nan]), {}, ["a", "b", "nan"], [DOUBT.format("nan", 2, 1, "nan")]),
    (
        np.array(["a", None, "b", "a"]).astype(str),
        {},
        ["None", "a", "b"],
        [DOUBT.format("None", 1, 1, "None")],
    ),
    (
        ["a", "NA", "<NA>", "b"],
        {},
        ["<NA>", "NA", "a", "b"],
        ["y has '<NA>' in 1 row,", "y has 'NA' in 1 row,"],
    ),
    (["a", "n/a", "null", "b"], {}, ["a", "b", "n/a", "null"], ["y has 'n/a'", "y has 'null'"]),
    (["a", "nan", "b", "nan"], {"unlabeled": "nan"}, ["a", "b"], []),
    (["a", "nan", "b", "nan"], {"unlabeled": None}, ["a", "b", "nan"], []),
    (["a", "banana", "b", "anna"], {}, ["a", "anna", "b", "banana"], []),
    ([0, 1, -2, -1], {}, [-2, 0, 1], [DOUBT.format(-2, 1, 2, -2)]),
    ([0, 1, -2, -1], {"unlabeled": -2}, [-1, 0, 1], [DOUBT.format(-1, 1, 3, -1)]),
    ([0, 1, -2, -1], {"unlabeled": None}, [-2, -1, 0, 1], []),
    ([0, 1, 255, 255], {}, [0, 1, 255], [DOUBT.format(255, 2, 2, 255)]),
    (np.array([0, 1, -1, 1]).astype(np.uint8), {}, [0, 1, 255], [DOUBT.format(255, 1, 2, 255)]),
    ([0, 1, 999, 1], {}, [0, 1, 999], [DOUBT.format(999, 1, 2, 999)]),
    ([0.0, 1.0, np.nan, 99.0], {}, [0.0, 1.0, 99.0], [DOUBT.format(99.0, 1, 3, 99.0)]),
    ([0, 1, 255, 254], {}, [0, 1, 254, 255], []),
    ([1995, 2003, 1999, 1995], {}, [1995, 1999, 2003], []),
    (["a", None, None, ""], {}, ["a"], [ONE.format("a", 0)]),
    ([-1, 1, -1, 1], {}, [1], [ONE.format(1, 1) + ".*If -1 is a class of yours, pass unlabeled=None"]),
    ([7, 7, 7, 7], {}, [7], [ONE.format(7, 0)]),
]


@pytest.mark.parametrize(("y", "more", "classes", "messages"), MARKS)
@named(of_classes)
def test_what_may_mark_a_missing_label(model, y, more, classes, messages):
    """Blanks do; what only looks like it is a class, and that is said; so is a single class."""
    counts = np.vstack([X, X[:1]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = model(**more).fit(counts, y)
    said = [str(each.message) for each in caught if str(each.message).startswith("y has")]
    assert len(said) == len(messages)
    for message, text in zip(messages, said, strict=True):
        assert re.search(message, text), text
    assert fitted.classes_.tolist() == classes
    if model is NaiveBayesEM:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted.score(counts, y)
        doubts = [text for text in said if "one class" not in text]
        assert [str(each.message) for each in caught] == doubts, "a score says the same"


@pytest.mark.parametrize(
    ("counts", "y", "message"),
    [
        (X, [0, 0, -1], "labels no document as positive"),
        (X, [1, 1, 1], "labels all 3 documents as positive"),
        (X, [1, 0, 2], "y holds 2 at 2; a document is positive"),
        (X, ["yes", "no", "no"], r"y holds 'yes' at 0;.*: pass np.array\(y\) == 'yes'"),
        (X, [1, "sport", None], "y holds 'sport' at 1"),
        (X, [1, 0], "y has 2 labels for 3 documents"),
        (X, None, "requires y to be passed, but the target y is None"),
        (
            np.array([[0.0, 0], [1, 1], [2, 1]]),
            [1, 0, 0],
            "X has not one word in 1 positive document to look",
        ),
        (X[:1], [1], "X has 1 sample"),
    ],
)
@named(of_positives)
def test_bad_positives(model, counts, y, message):
    """None, all, others than 1 and 0, or without a word."""
    assert_refused(model(), message, counts, y)


@pytest.mark.parametrize(
    ("y", "unlabeled", "negative"),
    [
        ([1, 0, 0], -1, []),
        ([1, -1, -1], -1, []),
        ([True, False, False], -1, []),
        ([1, 0, -1], -1, [1]),
        ([1, 0, None], -1, [1]),
        ([True, False, None], -1, [1]),
        ([1.0, np.nan, 0.0], -1, [2]),
        ([1, 0, 9], 9, [1]),
        ([1, 0, None], 0, []),
        ([1, 0, None], None, [1]),
    ],
)
def test_a_no_is_one_beside_documents_without_an_answer(y, unlabeled, negative):
    """Where all others have 0, nothing is known of them."""
    known = read_positives(y, 3, unlabeled)
    assert_array_equal(np.flatnonzero(known.positive), [0])
    assert_array_equal(np.flatnonzero(known.negative), negative)
    assert_array_equal(known.unlabeled, ~known.positive & ~known.negative)


def test_weight_only_where_there_is_nothing():
    """Empty or unlabeled documents that alone count: said, never NaN."""
    empty = np.vstack([X, np.zeros((1, 3))])
    assert_refused(PLSA(2), "not one word", empty, sample_weight=[0, 0, 0, 1])
    for model in of_classes:
        if model in weighted:
            zero = "zero for all 2 labeled documents"
            assert_refused(model(), zero, X, ["a", "b", None], sample_weight=[0, 0, 1])
        assert_refused(model(), "not one word", 0 * X, ["a", "b", None])


def test_counts_beyond_float32_are_refused_and_float64_takes_them():
    """1e39 is no float32."""
    big = sparse.csr_array(np.array([[10**12, 1], [1, 10**12]]))
    assert np.isfinite(PLSA(1).fit(big).components_).all()
    huge = np.array([[1e39, 1.0], [1.0, 2.0]])
    assert_refused(PLSA(1, dtype="float32"), r"too large for float32 at \(0, 0\).*or pass dtype=", huge)
    assert np.isfinite(PLSA(1).fit(huge).components_).all()


def test_counts_that_add_up_to_too_much():
    """Each is a number, and all of them times their weights are none."""
    many = np.full((3, 3), 1e33, dtype="float32")
    assert_refused(PLSA(1), "add up to 3e.45, too much for float32; scale", many, sample_weight=[1e12, 1, 1])
    assert_refused(PLSA(1), r"too large for float64 at \(0, 0\); scale the counts\.$", np.full((3, 3), 1e300))
    assert np.isfinite(PLSA(1).fit(many.astype("float64"), sample_weight=[1e12, 1, 1]).components_).all()


def test_counts_below_the_normal_numbers_are_none():
    """As the kernels take them: what says nothing is not half there."""
    small = np.where(X == 3, 1e-310, X)
    found = PLSA(2, max_iter=3, random_state=0).fit(small)
    np.testing.assert_array_equal(
        found.components_, PLSA(2, max_iter=3, random_state=0).fit(np.where(X == 3, 0, X)).components_
    )
    assert small[1, 1] == 1e-310, "nothing that is given is written to"
    assert_refused(PLSA(1), "not one word", np.full((3, 3), 1e-310))
    assert_refused(PLSA(1), "all zero", X, sample_weight=np.full(3, 1e-310))


# --- functions that take documents and labels -----------------------------------------------------

QUICK = MissingLabelPLSA(max_iter=2, evidence=False, scaling=None)
LABELS = [0, 1, 0, 1, 0, 1]
FUNCTIONS = {
    "select_topics": lambda X, y: select_topics(QUICK, X, y, candidates=[1, 2], cv=2),
    "heterogeneity": lambda X, y: heterogeneity(QUICK.fit(np.ones((6, 3)) + np.eye(6, 3), LABELS), X),
    "compare_pu": lambda X, y: compare_pu(X, y, n_splits=2),
    "simulate": lambda X, y: simulate(QUICK, X, y, n_queries=1, repeats=1),
    "ActiveLearner": lambda X, y: ActiveLearner(QUICK, X, y),
    "cross_val_predict": lambda X, y: cross_val_predict(QUICK, X, y, cv=2),
}


@pytest.mark.parametrize(("counts", "message"), BAD_COUNTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_refuse_bad_counts(function, counts, message):
    """At once, with the words of the estimators, and not as one failure of six."""
    n_documents = len(counts) if isinstance(counts, np.ndarray) else counts.shape[0]
    if n_documents == 0 and function == "ActiveLearner":
        message = "X holds no documents"
    with pytest.raises((ValueError, TypeError), match=message):
        FUNCTIONS[function](counts, LABELS[:n_documents])


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("texts", TEXTS, ids=lambda texts: type(texts).__name__)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_refuse_texts(function, texts):
    """They name what takes texts, and show none."""
    with pytest.raises((ValueError, TypeError), match=r"text_classifier|list of texts") as said:
        FUNCTIONS[function](texts, LABELS[:3])
    assert SECRET not in str(said.value)


# Of labels: what each says. None: it is taken, as documents may have no label.
WRONG_LABELS = {
    "mixed": (["a", 3, "a", "b", "a", "b"], "mixes types|at 0|holds 3 at 1"),
    "several": ([["a", "b"], ["a"], ["b"], ["a"], ["b"], ["a"]], "list of 2 in row 0"),
    "a set": ([{"a"}, {"b"}, {"a"}, {"b"}, {"a"}, {"b"}], "set of 1 in row 0"),
    "a table": (np.eye(6), r"1d array, got an array of shape \(6, 6\)|^y_true has shape \(6, 6\)"),
    "too few": ([0, 1, 0], "y has 3 labels for 6 documents|^y_true has 3 entries, but"),
    "numbers that are none": ([0.5, 1.5, 2.5, 0.5, 1.5, 2.5], "Unknown label type|0.5 at 0"),
}


@pytest.mark.parametrize("wrong", WRONG_LABELS)
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "heterogeneity"])
def test_functions_refuse_bad_labels(function, wrong):
    """With the words of the estimators."""
    y, message = WRONG_LABELS[wrong]
    with pytest.raises(ValueError, match=message):
        FUNCTIONS[function](np.vstack([X, X + 1]), y)


# --- parameters ----------------------------------------------------------------------------------

nan, inf = float("nan"), float("inf")
# Of every model that has the parameter. Where nothing else is said, the message is "name == value".
BAD = {
    "n_components": [0, -3, 2.5, "3", True, None],
    "max_iter": [-1, 2.5, "x", None],
    "tol": [-1e-3, nan, "x", None, 1e300],
    "n_init": [0, 1.5],
    "n_threads": [0, 1.5],
    "callback": [3],
    "dtype": [("int32", "dtype is 'int32'")],
    "smoothing": [-1, "x", (1e300, "smoothing == 1e.300, but must be no larger than 1e.12")],
    "prior_strength": [-1.0, inf, "x", 1e300],
    "accelerate": ["yes", None],
    "fold_iter": [-1, 1.5],
    "fold_tol": [-1, nan, "x"],
    "init": ["kmeans"],
    "scaling": ["log", 3, (CountScaler(tf="sqrt"), "tf == 'sqrt'")],
    "extra_topics": [-1, 1.5],
    "extra_labels": ["own", None],
    "first_guesses": ["none", True],
    "label_noise": ["learned", 0.1, True],
    "doubt": [-0.1, nan, "x"],
    "student": ["tree", True],
    "topics_per_class": [
        (0, "topics_per_class == 0, but must be a whole number >= 1"),
        1.5,
        "many",
        ([1, 2, 3], r"topics_per_class has 3 entries for 2 classes \['a', 'b'\]"),
        ([1, 0], "topics_per_class == 0"),
        ({"a": 1, "c": 2}, r"topics_per_class does not fit.*unknown \['c'\], missing \['b'\]"),
        ({"a": 1}, r"topics_per_class does not fit.*unknown \[\], missing \['b'\]"),
    ],
    "classes": [
        *("ab", 3, [], {"a": 1, "b": 2}),
        (["a", "b", "c", "b"], "classes holds 'b' 2 times: give each class once"),
        (["a", 3, "b"], "classes mixes types: 'a' at 0 and 3 at 1. Make all of them strings, or all numbers"),
        (["a", "b", None], "classes holds None at 2, which marks a document without a label: leave it out"),
        (["a", " ", "b"], "classes holds ' ' at 1, which marks"),
        (["a", "b", "-1"], "classes holds '-1' at 2, which marks .* pass unlabeled=None if it is a class"),
        ([0, -1, 1], "classes holds -1 at 1, which marks"),
        (
            ["a", "c"],
            r"y has 'b', first in row 1, which is not among classes == \['a', 'c'\]. Declare it too",
        ),
        (
            [1, 2],
            r"y has 'a', first in row 0, .* not among classes == \[1, 2\] \(of type str, and they are int\)",
        ),
    ],
    "unlabeled_weight": [-1, nan, inf, "x", None, 1e300],
    "evidence": ["x", None],
    "early_stopping": [-1, "x"],
    "relabel": [0, "x", 2.5, None],
    "n_relabels": [0, "x"],
    "fake_weight": [-1, "x", nan, 1e300],
    "components_per_class": [
        (0, "components_per_class == 0, but must be a whole number >= 1"),
        -2,
        (1.5, 'components_per_class == 1.5, but must be "auto", a whole number'),
        True,
        None,
        "many",
        ([1, 2, 3], r"components_per_class has 3 entries for 2 classes \['a', 'b'\]"),
        (["auto"], "components_per_class has 1 entries for 2 classes"),
        ([], "components_per_class has 0 entries"),
        ([1, 0], "components_per_class == 0"),
        (["auto", 0], "components_per_class == 0"),
        (["auto", "many"], "components_per_class == 'many'"),
        ({"a": 1}, r"components_per_class does not fit.*unknown \[\], missing \['b'\]"),
        ({"a": 1, "c": 2}, r"unknown \['c'\], missing \['b'\]"),
        ({"a": "auto", "c": "auto"}, r"unknown \['c'\], missing \['b'\]"),
        ({"a": 1, "b": "many"}, "components_per_class == 'many'"),
    ],
    "annealing": [
        ([0.1, 0.5], "annealing ends at 0.5, but must end at 1"),
        ([1.0, 0.5], "annealing ends at 0.5"),
        ([], "annealing is empty, but must end at 1"),
        ([0.5, 0.0, 1.0], "annealing holds the power 0 at 1; powers must be above 0"),
        ([-0.5, 1.0], "annealing holds the power -0.5 at 0"),
        ([0.5, 1.5, 1.0], "annealing holds the power 1.5 at 1"),
        ([0.5, nan, 1.0], "annealing holds the power nan at 1"),
        ([1e-50, 1.0], "annealing holds the power 1e-50 at 0; below 1e-06"),
        ("slow", "annealing == 'slow', but must be None, True, or a sequence of powers"),
        0.5,
        ["0.5", "1.0"],
        [[0.5, 1.0]],
        [True, True],
    ],
    "correspondence": [
        ("best", r"correspondence == 'best', but must be one of \['kl', 'labels', None\]"),
        True,
    ],
    "alpha": [-1, nan, inf, "x", None, True],
    "class_alpha": [-0.5, [1.0, 1.0]],
    "component_alpha": [-0.5, nan],
    "must_link": [-1, nan],
    "cannot_link": [-1, nan, inf],
    "normalize": ["pairs"],
    "positive_weight": [0, (1e300, "positive_weight == 1e.300, but must be no larger")],
    "threshold": ["high", nan],
    "tfidf": ["yes", None],
    "C": [0, "1", -1.0, (1e-300, "C.* == 1e-300, but must be no smaller than 1e-30"), 1e300],
    "balanced": [None, 1],
    "first_cost": [0, nan, "x"],
    "most_rounds": [0, 2.5],
    "classifier": [3, MultinomialNB, KMeans()],
    "k_best": [0, 2.5, "all"],
    "entropy_weight": [-1, nan, "x", None, 1e300],
    "n_splits": [1, 2.5],
    "spies": [0, (1.0, "spies == 1.0, but must be a share")],
    "noise": [-0.1, nan],
    "constant_length": [1],
    "beta": [-4, 1e300],
    "most_missed": [nan, -1],
    "n_clusters": [1, 2.5],
    "average_links": ["no"],
    "n_metrics": [-1],
    "views": [-1, True, 2.5, [[0]], "both"],
    "estimator": ["bayes", dict, 3],
    "per_class": [0, 1.5],
    "pool_size": [0, "all"],
    "unlabeled_total": [-0.1, nan],
    "epsilon": [0, -1.0, inf],
    "n_dimensions": [0, 2.5],
    "n_neighbors": [0, 2.5, None],
    "method": ["nearest", None, True],
    "steps": [0, 1.5],
    "n_eigenvectors": [0, "auto"],
    "class_mass": [None, "yes"],
    "n_repeats": [0, 1.5],
    "max_clusters": [0, None],
    "n_right": [0, nan],
    "n_typical": [0, -1.0],
    "tf": ["sqrt", None],
    "idf": ["yes", None],
    "length": [0, -1.0, "long", nan],
}
# Of one model alone: what others may have, or forms that others do not know.
BAD_OF = {
    PLSA: {
        "n_components": [(0, "n_components == 0, but must be a whole number >= 1")],
        "init": [
            (np.ones((2, 4)) / 4, r"init has shape \(2, 4\), but must have \(2, 3\)"),
            (np.ones((3, 3)) / 3, r"init has shape \(3, 3\)"),
            (np.ones((2, 3)), "init is not a distribution: row 0 sums to 3"),
            (np.array([[1, 0, 0], [2, -1, 0]]), r"init holds -1.0 at \(1, 1\)"),
            (np.array([[1, 0, 0], [nan, 1, 0]]), r"init holds nan at \(1, 0\)"),
            ((np.ones((2, 3)) / 3, np.ones((2, 2)) / 2), r"init\[1\] has shape \(2, 2\)"),
            ((np.ones((2, 3)) / 3,), "init has 1 entries"),
            (np.array([["a"] * 3] * 2), "must hold numbers"),
        ],
    },
    NaiveBayesEM: {
        "unlabeled_weight": [(-1, r"unlabeled_weight .* == -1, but must be a finite number >= 0")],
        "alpha": [
            ([1.0, 2.0], r"alpha has shape \(2,\).*one for each of the 3 words"),
            (np.ones((2, 3)), r"alpha has shape \(2, 3\)"),
            (["a", "b", "c"], "alpha has shape .* and type <U1"),
            ([1.0, -2.0, 0.0], "alpha holds -2.0 at 1; pseudo-counts must be >= 0"),
            ([1.0, 1.0, nan], "alpha holds nan at 2"),
            ([inf, 1.0, 1.0], "alpha holds inf at 0"),
            ([[1.0], [1.0, 2.0]], "alpha has shape"),
        ],
    },
    TopicSensitivePLSA: {
        "must_link": [(1e39, "must_link == 1e.39, but must be no larger")],
        "threshold": [("topic", "threshold == 'topic', but student == 'linear' judges, .* student=None")],
    },
    WeightedLogisticRegression: {
        "C": [(0, "C == 0, but must be a finite number > 0"), ([], "C is empty"), ([1.0, -1.0], "C == -1.0")],
        "max_iter": [0],
    },
    SpyEM: {"alpha": [0], "noise": [1.0]},
    MinCut: {"noise": [0]},
    TransductiveSVM: {"unlabeled_weight": [0]},
    SelfTraining: {"max_iter": [0], "threshold": [None, (1.0, "threshold == 1.0, but must be a share")]},
    EntropyMinimization: {"max_iter": [0]},
    ClassificationEM: {"max_iter": [0]},
    MislabelingLogistic: {"max_iter": [0]},
    PEBL: {"max_iter": [0]},
    RocchioSVM: {"max_iter": [0], "alpha": [0]},
    MPCKMeans: {"max_iter": [0]},
} | {model: {"unlabeled_weight": [0]} for model in of_classes if MODELS[model].has("early_stopping")}
# What scikit-learn or Python has the say in, and what may be anything.
UNCHECKED = {"random_state", "verbose", "unlabeled", "warm_start"}


def bad_parameters(model):
    """Name, value and message of each bad parameter of a model."""
    for table in (BAD, BAD_OF.get(model, {})):
        for name, entries in table.items():
            for each in entries if name in model().get_params(deep=False) else []:
                pair = isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], str)
                value, message = each if pair else (each, rf"^{name}\b.*== {re.escape(repr(each))}")
                yield name, value, message


@pytest.mark.filterwarnings("ignore:y labels 1 document as positive")
@everyone
def test_bad_parameters(model):
    """Each is named with what was found, whether or not it would be used, and nothing is half-fitted."""
    told = set()
    for name, value, message in bad_parameters(model):
        told.add(name)
        y = Y[MODELS[model].takes]
        for labels in (y, ["a", "b", None]) if model in of_classes else (y,):
            small = {"n_components": 2} if model is PLSA else {}
            assert_refused(model(**small | {name: value}), message, X, labels)
    assert told == {*model().get_params(deep=False)} - UNCHECKED, "every parameter has bad values here"


def test_pseudo_counts_beyond_what_is_computed_in():
    """float32 takes fewer."""
    model = NaiveBayesEM(alpha=[1.0, 1e30, 1.0], dtype="float32")
    assert_refused(model, "alpha holds 1e.30 at 1; .*no larger than", X, Y["classes"])


def test_pseudo_counts_of_every_form():
    """A number or one for each word, as a list, an array of any numbers, a column of a table."""
    wanted = NaiveBayesEM(alpha=2.0).fit(X, Y["classes"]).components_
    series = pandas.Series([2.0, 2.0, 2.0], index=[7, 8, 9])
    frozen = np.full(3, 2.0)
    frozen.flags.writeable = False
    for alpha in (
        2,
        np.float32(2),
        [2, 2, 2],
        (2.0, 2.0, 2.0),
        np.full(3, 2, dtype=np.uint8),
        series,
        frozen,
    ):
        found = NaiveBayesEM(alpha=alpha).fit(X, Y["classes"])
        np.testing.assert_array_equal(found.components_, wanted)
