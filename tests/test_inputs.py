"""Rubbish in: an error that says what, where, what was found and what to do; nothing half-fitted."""

import numpy as np
import pytest
from scipy import sparse

from plsa import PLSA, CountScaler, NaiveBayesEM, PLSAClassifier

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


@pytest.mark.parametrize("estimator", [PLSA(2), PLSAClassifier(), NaiveBayesEM(), CountScaler()])
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
@pytest.mark.parametrize("estimator", [PLSA(2), PLSAClassifier(), NaiveBayesEM(), CountScaler()])
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
    for estimator in (PLSAClassifier(), NaiveBayesEM()):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, y)


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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"components_per_class": 0}, "components_per_class == 0, but must be a whole number >= 1"),
        ({"components_per_class": -2}, "components_per_class == -2"),
        ({"components_per_class": 1.5}, 'components_per_class == 1.5, but must be "auto", a whole number'),
        ({"components_per_class": True}, "components_per_class == True"),
        ({"components_per_class": None}, "components_per_class == None"),
        ({"components_per_class": "many"}, "components_per_class == 'many'"),
        (
            {"components_per_class": [1, 2, 3]},
            r"components_per_class has 3 entries for 2 classes \['a', 'b'\]",
        ),
        ({"components_per_class": ["auto"]}, "components_per_class has 1 entries for 2 classes"),
        ({"components_per_class": []}, "components_per_class has 0 entries"),
        ({"components_per_class": [1, 0]}, "components_per_class == 0"),
        ({"components_per_class": ["auto", 0]}, "components_per_class == 0"),
        ({"components_per_class": ["auto", "many"]}, "components_per_class == 'many'"),
        (
            {"components_per_class": {"a": 1}},
            r"components_per_class does not fit.*unknown \[\], missing \['b'\]",
        ),
        ({"components_per_class": {"a": 1, "c": 2}}, r"unknown \['c'\], missing \['b'\]"),
        ({"components_per_class": {"a": "auto", "c": "auto"}}, r"unknown \['c'\], missing \['b'\]"),
        ({"components_per_class": {"a": 1, "b": "many"}}, "components_per_class == 'many'"),
        ({"unlabeled_weight": -1}, "unlabeled_weight == -1, but must be a finite number >= 0"),
        ({"unlabeled_weight": np.nan}, "unlabeled_weight == nan"),
        ({"unlabeled_weight": np.inf}, "unlabeled_weight == inf"),
        ({"unlabeled_weight": "auto"}, "unlabeled_weight == 'auto'"),
        ({"unlabeled_weight": None}, "unlabeled_weight == None"),
        ({"annealing": [0.1, 0.5]}, "annealing ends at 0.5, but must end at 1"),
        ({"annealing": [1.0, 0.5]}, "annealing ends at 0.5"),
        ({"annealing": []}, "annealing is empty, but must end at 1"),
        ({"annealing": [0.5, 0.0, 1.0]}, "annealing holds the power 0 at 1; powers must be above 0"),
        ({"annealing": [-0.5, 1.0]}, "annealing holds the power -0.5 at 0"),
        ({"annealing": [0.5, 1.5, 1.0]}, "annealing holds the power 1.5 at 1"),
        ({"annealing": [0.5, np.nan, 1.0]}, "annealing holds the power nan at 1"),
        ({"annealing": "slow"}, "annealing == 'slow', but must be None, True, or a sequence of powers"),
        ({"annealing": 0.5}, "annealing == 0.5"),
        ({"annealing": ["0.5", "1.0"]}, r"annealing == \['0.5', '1.0'\]"),
        ({"annealing": [[0.5, 1.0]]}, r"annealing == \[\[0.5, 1.0\]\]"),
        ({"annealing": [True, True]}, r"annealing == \[True, True\]"),
        (
            {"correspondence": "best"},
            r"correspondence == 'best', but must be one of \[None, 'labels', 'kl'\]",
        ),
        ({"correspondence": True}, "correspondence == True"),
        ({"alpha": -1}, "alpha == -1, but must be a finite number >= 0"),
        ({"alpha": np.nan}, "alpha == nan"),
        ({"alpha": np.inf}, "alpha == inf"),
        ({"alpha": "x"}, "alpha == 'x'"),
        ({"alpha": None}, "alpha == None"),
        ({"alpha": True}, "alpha == True"),
        ({"alpha": [1.0, 2.0]}, r"alpha has shape \(2,\).*one for each of the 3 words"),
        ({"alpha": np.ones((2, 3))}, r"alpha has shape \(2, 3\)"),
        ({"alpha": ["a", "b", "c"]}, "alpha has shape .* and type <U1"),
        ({"alpha": [1.0, -2.0, 0.0]}, "alpha holds -2.0 at 1; pseudo-counts must be >= 0"),
        ({"alpha": [1.0, 1.0, np.nan]}, "alpha holds nan at 2"),
        ({"alpha": [1.0, 1e30, 1.0], "dtype": "float32"}, "alpha holds 1e.30 at 1; .*no larger than"),
        ({"alpha": [[1.0], [1.0, 2.0]]}, "alpha has shape"),
        ({"alpha": [np.inf, 1.0, 1.0]}, "alpha holds inf at 0"),
        ({"class_alpha": -0.5}, "class_alpha == -0.5"),
        ({"class_alpha": [1.0, 1.0]}, r"class_alpha == \[1.0, 1.0\]"),
        ({"component_alpha": -0.5}, "component_alpha == -0.5"),
        ({"component_alpha": np.nan}, "component_alpha == nan"),
        ({"scaling": "log"}, "scaling == 'log'"),
        ({"max_iter": -1}, "max_iter == -1"),
        ({"tol": "x"}, "tol == 'x'"),
        ({"n_init": 0}, "n_init == 0"),
        ({"n_threads": 0}, "n_threads == 0"),
        ({"dtype": "int32"}, "dtype is 'int32'"),
        ({"callback": 3}, "callback == 3"),
    ],
)
def test_bad_mixture_parameters(parameters, message):
    """Each is named with what was found, with and without a missing label, and nothing is half-fitted."""
    for y in (Y, ["a", "b", None]):
        model = NaiveBayesEM(**parameters)
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)
        assert not [name for name in vars(model) if name.endswith("_")]


def test_pseudo_counts_of_every_form():
    """A number or one for each word, as a list, an array of any numbers, a column of a table."""
    wanted = NaiveBayesEM(alpha=2.0).fit(X, Y).components_
    for alpha in (2, np.float32(2), [2, 2, 2], (2.0, 2.0, 2.0), np.full(3, 2, dtype=np.uint8)):
        np.testing.assert_array_equal(NaiveBayesEM(alpha=alpha).fit(X, Y).components_, wanted)
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([2.0, 2.0, 2.0], index=[7, 8, 9])
    np.testing.assert_array_equal(NaiveBayesEM(alpha=series).fit(X, Y).components_, wanted)


@pytest.mark.parametrize(
    "estimator", [PLSA(2, random_state=0), PLSAClassifier(), NaiveBayesEM(), CountScaler()]
)
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
    for estimator in (PLSAClassifier(), NaiveBayesEM()):
        with pytest.raises(ValueError, match="zero for all 2 labelled documents"):
            estimator.fit(X, ["a", "b", None], sample_weight=[0, 0, 1])


def test_counts_beyond_float32_are_refused_and_float64_takes_them():
    """1e39 is no float32."""
    big = sparse.csr_array(np.array([[10**12, 1], [1, 10**12]]))
    assert np.isfinite(PLSA(1).fit(big).components_).all()
    huge = np.array([[1e39, 1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"too large for float32 at \(0, 0\)"), np.errstate(over="ignore"):
        PLSA(1, dtype="float32").fit(huge)
    assert np.isfinite(PLSA(1).fit(huge).components_).all()
