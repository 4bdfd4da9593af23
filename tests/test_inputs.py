"""Rubbish in: an error that says what, where, what was found and what to do; nothing half-fitted."""

import numpy as np
import pytest
from scipy import sparse

from plsa import PLSA, CountScaler, PLSAClassifier

X = np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 4]])
Y = ["a", "b", "a"]


def broken(change):
    """A CSR matrix spoilt behind scipy's back."""
    matrix = sparse.csr_array(X)
    change(matrix)
    return matrix


def put(name, at, value):
    """A change of one entry."""
    return lambda matrix: getattr(matrix, name).__setitem__(at, value)


BAD_COUNTS = [
    (np.where(X == 4, -2.0, X), r"negative count, -2.0 at \(2, 2\).*counts >= 0"),
    (sparse.csr_array(np.where(X == 4, -2.0, X)), r"negative count, -2.0 at \(2, 2\)"),
    (np.where(X == 4, np.nan, X), "NaN"),
    (sparse.csr_array(np.where(X == 4, np.inf, X)), "infinity"),
    (np.array([["a", "b"], ["c", "d"]]), "numeric values"),
    (np.zeros((0, 3)), "0 sample"),
    (np.zeros((3, 0)), "0 feature"),
    (np.zeros(3), "1D array"),
    (np.zeros((2, 2, 2)), "dim 3"),
    (X.astype(complex), "Complex"),
    (broken(put("indices", 1, 7)), "column index out of range: 7 at entry 1, but there are 3"),
    (broken(put("indices", 1, -1)), "column index out of range: -1 at entry 1"),
    (broken(put("indptr", 1, 5)), "broken indptr"),
    (broken(put("indptr", 0, 1)), "broken indptr"),
    (broken(put("indptr", 3, 99)), "broken indptr: it ends at 99"),
]


@pytest.mark.parametrize("estimator", [PLSA(2), PLSAClassifier(), CountScaler()])
@pytest.mark.parametrize(("counts", "message"), BAD_COUNTS)
def test_bad_counts(estimator, counts, message):
    """Refused by every estimator, with a message that helps; the estimator stays unfitted."""
    before = dict(vars(estimator))
    with pytest.raises(ValueError, match=message):
        estimator.fit(counts, Y[: counts.shape[0]])
    assert vars(estimator) == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components == 0, but must be a whole number >= 1"),
        ({"n_components": -3}, "n_components == -3"),
        ({"n_components": 2.5}, "n_components == 2.5"),
        ({"n_components": "3"}, "n_components == '3'"),
        ({"n_components": True}, "n_components == True"),
        ({"n_components": None}, "n_components == None"),
        ({"max_iter": -1}, "max_iter == -1"),
        ({"tol": -1e-3}, "tol == -0.001"),
        ({"tol": np.nan}, "tol == nan"),
        ({"smoothing": -1}, "smoothing == -1"),
        ({"prior_strength": np.inf}, "prior_strength == inf"),
        ({"n_init": 0}, "n_init == 0"),
        ({"n_threads": 0}, "n_threads == 0"),
        ({"n_threads": 1.5}, "n_threads == 1.5"),
        ({"accelerate": "yes"}, "accelerate == 'yes'"),
        ({"dtype": "int32"}, "dtype is 'int32'"),
        ({"callback": 3}, "callback == 3"),
        ({"init": "kmeans"}, "init == 'kmeans'"),
        ({"init": np.ones((2, 4)) / 4}, r"init has shape \(2, 4\), but must have \(2, 3\)"),
        ({"init": np.ones((3, 3)) / 3}, r"init has shape \(3, 3\)"),
        ({"init": np.ones((2, 3))}, "init is not a distribution: row 0 sums to 3"),
        ({"init": np.array([[1, 0, 0], [2, -1, 0]])}, r"init holds -1.0 at \(1, 1\)"),
        ({"init": np.array([[1, 0, 0], [np.nan, 1, 0]])}, r"init holds nan at \(1, 0\)"),
        ({"init": (np.ones((2, 3)) / 3, np.ones((2, 2)) / 2)}, r"init\[1\] has shape \(2, 2\)"),
        ({"init": (np.ones((2, 3)) / 3,)}, "init has 1 entries"),
        ({"init": np.array([["a"] * 3] * 2)}, "must hold numbers"),
    ],
)
def test_bad_parameters(parameters, message):
    """Each is named with what was found."""
    with pytest.raises(ValueError, match=message):
        PLSA(**{"n_components": 2, **parameters}).fit(X)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], "2 entries for 3 documents"),
        ([1, -1, 1], "holds -1.0 at 1"),
        ([1, np.nan, 1], "holds nan at 1"),
        ([0, 0, 0], "all zero"),
        ([[1], [1], [1]], "1D"),
        (["a", "b", "c"], "1D array of numbers"),
    ],
)
@pytest.mark.parametrize("estimator", [PLSA(2), PLSAClassifier(), CountScaler()])
def test_bad_weights(estimator, weight, message):
    """Of the wrong length, negative, not numbers."""
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"], "y has 2 labels for 3 documents"),
        ([0.5, 1.5, 2.2], "Unknown label type"),
        ([-1, -1, -1], "y labels no document.*use PLSA"),
        ([None, None, None], "y labels no document"),
        (None, "requires y to be passed"),
    ],
)
def test_bad_labels(y, message):
    """Too few, continuous, none at all."""
    with pytest.raises(ValueError, match=message):
        PLSAClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"topics_per_class": 0}, "topics_per_class == 0"),
        ({"topics_per_class": 1.5}, "topics_per_class == 1.5"),
        ({"topics_per_class": "many"}, "topics_per_class == 'many'"),
        ({"topics_per_class": [1, 2, 3]}, "3 entries for 2 classes"),
        ({"topics_per_class": [1, 0]}, "topics_per_class == 0"),
        ({"topics_per_class": {"a": 1, "c": 2}}, r"unknown \['c'\], missing \['b'\]"),
        ({"extra_topics": -1}, "extra_topics == -1"),
        ({"scaling": "log"}, "scaling == 'log'"),
        ({"scaling": CountScaler(tf="sqrt")}, "tf == 'sqrt'"),
    ],
)
def test_bad_classifier_parameters(parameters, message):
    """Each is named with what was found, and nothing is half-fitted."""
    model = PLSAClassifier(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
    assert not [name for name in vars(model) if name.endswith("_")]


@pytest.mark.parametrize("estimator", [PLSA(2, random_state=0), PLSAClassifier(), CountScaler()])
def test_a_failed_refit_leaves_the_fit_before(estimator):
    """The model goes on answering as it did."""
    estimator.fit(X, Y)
    answer = estimator.transform(X)
    with pytest.raises(ValueError, match=r"negative|words|word"):
        estimator.fit(np.full((3, 7), -1.0), Y)
    assert estimator.n_features_in_ == 3
    assert abs(estimator.transform(X) - answer).max() == 0


def test_weight_only_where_there_is_nothing():
    """Empty or unlabelled documents that alone count: said, never NaN."""
    empty = np.vstack([X, np.zeros((1, 3))])
    with pytest.raises(ValueError, match="not one word"):
        PLSA(2).fit(empty, sample_weight=[0, 0, 0, 1])
    with pytest.raises(ValueError, match="zero for all 2 labelled documents"):
        PLSAClassifier().fit(X, ["a", "b", None], sample_weight=[0, 0, 1])


def test_counts_beyond_float32_are_refused_and_float64_takes_them():
    """1e39 is no float32."""
    big = sparse.csr_array(np.array([[10**12, 1], [1, 10**12]]))
    assert np.isfinite(PLSA(1).fit(big).components_).all()
    huge = np.array([[1e39, 1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"too large for float32 at \(0, 0\)"), np.errstate(over="ignore"):
        PLSA(1, dtype="float32").fit(huge)
    assert np.isfinite(PLSA(1).fit(huge).components_).all()
