"""Rubbish in: an error that says what, where, what was found and what to do; nothing half-fitted."""

import re

import numpy as np
import pytest
from cases import CASES
from helpers import learned
from scipy import sparse

from plsa import (
    PEBL,
    PLSA,
    CountScaler,
    MPCKMeans,
    NaiveBayesEM,
    RocchioSVM,
    SpyEM,
    TopicSensitivePLSA,
    WeightedLogisticRegression,
)

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
    (np.where(X == 4, np.nan, X), "NaN"),
    (sparse.csr_array(np.where(X == 4, np.inf, X)), "infinity"),
    (np.array([["a", "b"], ["c", "d"], ["e", "f"]]), "numeric values"),
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
        ([0.5, 1.5, 2.2], "Unknown label type"),
        ([0.5, 1.5, np.nan], "Unknown label type"),
        ([-1, -1, -1], "y labels no document.*use PLSA"),
        ([None, None, None], "y labels no document.*use PLSA"),
        ([np.nan, np.nan, np.nan], "y labels no document.*use PLSA"),
        (None, "requires y to be passed, but the target y is None"),
    ],
)
@named(of_classes)
def test_bad_labels(model, y, message):
    """Too few, continuous, none at all."""
    assert_refused(model(), message, X, y)


@pytest.mark.parametrize(
    ("counts", "y", "message"),
    [
        (X, [0, 0, -1], "labels no document as positive"),
        (X, [1, 1, 1], "labels all 3 documents as positive"),
        (X, [1, 0, 2], "y holds 2 at 2; a document is positive"),
        (X, ["yes", "no", "no"], "y holds 'yes' at 0"),
        (X, [1, "sport", None], "y holds 'sport' at 1"),
        (X, [1, 0], "y has 2 labels for 3 documents"),
        (X, None, "requires y to be passed, but the target y is None"),
        (np.array([[0.0, 0], [1, 1], [2, 1]]), [1, 0, 0], "the 1 positive documents of X have not one word"),
        (X[:1], [1], "X has 1 sample"),
    ],
)
@named(of_positives)
def test_bad_positives(model, counts, y, message):
    """None, all, others than 1 and 0, or without a word."""
    assert_refused(model(), message, counts, y)


def test_weight_only_where_there_is_nothing():
    """Empty or unlabeled documents that alone count: said, never NaN."""
    empty = np.vstack([X, np.zeros((1, 3))])
    assert_refused(PLSA(2), "not one word", empty, sample_weight=[0, 0, 0, 1])
    for model in of_classes:
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
    "C": [0, "1", -1.0, (1e-300, "C == 1e-300, but must be no smaller than 1e-30"), 1e300],
    "balanced": [None, 1],
    "n_splits": [1, 2.5],
    "spies": [0, (1.0, "spies == 1.0, but must be a share")],
    "noise": [-0.1, 1.0],
    "constant_length": [1],
    "beta": [-4, 1e300],
    "most_missed": [nan, -1],
    "n_clusters": [1, 2.5],
    "average_links": ["no"],
    "n_metrics": [-1],
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
        "unlabeled_weight": [(-1, "unlabeled_weight == -1, but must be a finite number >= 0"), "auto"],
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
    TopicSensitivePLSA: {"must_link": [(1e39, "must_link == 1e.39, but must be no larger")]},
    WeightedLogisticRegression: {
        "C": [(0, "C == 0, but must be a finite number > 0"), ([], "C is empty"), ([1.0, -1.0], "C == -1.0")],
        "max_iter": [0],
    },
    SpyEM: {"alpha": [0]},
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
    pandas = pytest.importorskip("pandas")
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
