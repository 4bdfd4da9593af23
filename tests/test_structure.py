"""Sparse matrices whose arrays contradict each other: compiled code would read and write where nothing is."""

import warnings
from functools import cache

import numpy as np
import pytest
from cases import CASES
from helpers import METHODS, learned
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from plsa import (
    PLSA,
    ActiveLearner,
    MissingLabelPLSA,
    PLSAClassifier,
    SpyEM,
    compare_pu,
    heterogeneity,
    labeled_scorer,
    select_topics,
    simulate,
)
from plsa.inputs.structure import check_structure

X = np.array([[2.0, 1, 0, 0, 1, 0], [0, 3, 1, 0, 0, 1], [1, 0, 4, 2, 0, 0], [0, 1, 0, 0, 2, 5]])
Y = {"nothing": None, "classes": ["a", "b", "a", "b"], "positives": [1, 0, 1, 0]}
MODELS = {case.model: case for case in CASES}
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
FAR = 10**8


def made(name, kind="array"):
    """The documents in a format, as an array or as a matrix."""
    given = {"blocksize": (2, 3)} if name == "bsr" else {}
    return getattr(sparse, f"{name}_{kind}")(X, **given)


def at(name, place, value):
    """One entry of an array of a matrix becomes another."""

    def spoil(matrix):
        getattr(matrix, name)[place] = value

    return spoil


def instead(name, change):
    """Another array, made of what was there, takes its place."""

    def spoil(matrix):
        setattr(matrix, name, change(getattr(matrix, name)))

    return spoil


def coordinates(change, axis=1):
    """Other coordinates of the entries of a COO matrix."""

    def spoil(matrix):
        coords = [matrix.row, matrix.col]
        coords[axis] = change(coords[axis])
        if hasattr(matrix, "coords"):
            matrix.coords = tuple(coords)
        else:
            matrix.row, matrix.col = coords

    return spoil


def keyed(*key, value=1.0):
    """One more entry of a DOK matrix, whatever its key."""

    def spoil(matrix):
        dict.update(getattr(matrix, "_dict", matrix), {key: value})

    return spoil


def shaped(*shape):
    """The matrix says that it is of another shape."""
    return instead("_shape", lambda _: shape)


def far(indices):
    """The second entry points beyond the matrix."""
    return np.where(np.arange(len(indices)) == 1, FAR, indices)


def with_nan(indices):
    """Places as floating numbers, one of them none."""
    return np.where(np.arange(len(indices)) == 1, np.nan, indices)


def as_objects(indices):
    """Places as objects, one of them none."""
    return np.array([*indices[:-1], None], dtype=object)


def falling(_):
    """An indptr that falls, of a type whose differences never do."""
    return np.array([0, 9, 3, 6, 12], dtype=np.uint32)


def many_values(matrix):
    """More values in the blocks than 32 bits can count: scipy would make room for some of them."""
    matrix._shape = (4, 3 * 2**31)
    matrix.data = np.broadcast_to(1.0, (len(matrix.data), 2, 3 * 2**30))


NOT_WHOLE = [
    (lambda indices: indices.astype(float), "1D of type float64"),
    (with_nan, "1D of type float64"),
    (as_objects, "1D of type object"),
    (lambda indices: indices.astype(bool), "1D of type bool"),
    (lambda indices: indices[np.newaxis], "2D of type int32"),
    (lambda indices: indices.tolist(), "but is a list"),
    (lambda indices: indices.astype("int8"), "1D of type int8"),
]
RANGE = "index out of range: 100000000"
COMPRESSED = ("csr", "csc", "bsr")
# A format, what is done to a matrix of it, and what is said.
BROKEN = [
    *((name, at("indices", 1, FAR), RANGE) for name in COMPRESSED),
    *((name, at("indices", 1, -1), "index out of range: -1 at entry 1") for name in COMPRESSED),
    *((name, instead("indices", change), found) for name in COMPRESSED for change, found in NOT_WHOLE),
    *((name, instead("indices", lambda each: each[:2]), "there are 2 indices") for name in COMPRESSED),
    *((name, instead("indptr", change), found) for name in COMPRESSED for change, found in NOT_WHOLE),
    *((name, at("indptr", 1, 10**6), "broken indptr") for name in COMPRESSED),
    *((name, at("indptr", 1, -1), "broken indptr") for name in COMPRESSED),
    *((name, at("indptr", 0, 1), "broken indptr") for name in COMPRESSED),
    *((name, at("indptr", -1, 10**6), "broken indptr: it ends at 1000000") for name in COMPRESSED),
    *((name, instead("indptr", lambda each: each[:-1]), "broken indptr") for name in COMPRESSED),
    *((name, instead("indptr", lambda each: each[:0]), "broken indptr: 0 entries") for name in COMPRESSED),
    ("csr", instead("indptr", falling), "broken indptr"),
    *((name, instead("data", lambda data: data[:2]), "2 values") for name in (*COMPRESSED, "coo")),
    *((name, instead("data", lambda data: np.tile(data, 2)), "24 values") for name in ("csr", "csc", "coo")),
    *((name, instead("data", lambda data: data[np.newaxis]), "2D") for name in ("csr", "csc", "coo")),
    *((name, instead("data", lambda data: data.tolist()), "a list") for name in (*COMPRESSED, "coo", "dia")),
    *((name, instead("data", lambda data: data.astype(object)), "object") for name in FORMATS[1:4]),
    ("bsr", instead("data", lambda data: data[0]), "data: .* is 2D"),
    ("bsr", instead("data", lambda data: data[:, :0]), "blocks of 0 x 3"),
    ("bsr", instead("data", lambda data: np.ones((len(data), 3, 3))), "blocks of 3 x 3"),
    ("bsr", instead("data", lambda data: np.ones((len(data), 2, 5))), "blocks of 2 x 5"),
    ("bsr", instead("data", lambda data: np.broadcast_to(1.0, (len(data), 2, 2**31))), "blocks of 2 x"),
    ("bsr", many_values, "int32 cannot count the 25769803776 values"),
    ("coo", coordinates(far), f"column {RANGE} at entry 1, but there are 6"),
    ("coo", coordinates(far, 0), f"row {RANGE} at entry 1, but there are 4"),
    ("coo", coordinates(lambda indices: indices - 1), "column index out of range: -1 at entry 0"),
    ("coo", coordinates(lambda indices: indices[:3], 0), "3 row indices, 12 values"),
    *(("coo", coordinates(change, axis), found) for axis in (0, 1) for change, found in NOT_WHOLE),
    ("lil", at("rows", 0, [0, FAR, 4]), f"column {RANGE} at entry 1, but there are 6"),
    ("lil", at("rows", 0, [0, -1, 4]), "column index out of range: -1"),
    ("lil", at("rows", 0, [0, 10**30, 4]), "column indices: .*object"),
    ("lil", at("rows", 0, [0, 1.5, 4]), "column indices: .*float64"),
    ("lil", at("rows", 0, [0, np.nan, 4]), "column indices: .*float64"),
    ("lil", at("rows", 0, [0, "1", 4]), "column indices: .*<U"),
    ("lil", at("rows", 0, [0, None, 4]), "column indices: .*object"),
    ("lil", at("rows", 0, [0, [1], 4]), "column indices: .*object"),
    ("lil", at("rows", 0, 7), "row 0: a int and a list"),
    ("lil", at("data", 1, None), "row 1: a list and a NoneType"),
    ("lil", at("rows", 0, [0, 1]), "row 0: it has 2 columns and 3 values"),
    ("lil", at("data", 3, [1.0] * 1000), "row 3: it has 3 columns and 1000 values"),
    ("lil", at("data", 0, [1.0, "many", 2.0]), "data: .* numbers, but is 1D of type <U"),
    ("lil", instead("rows", lambda rows: np.concatenate([rows] * 9)), "lists of 36 rows, and 4 rows"),
    ("lil", instead("rows", lambda rows: rows[:2]), "lists of 2 rows, and 4 rows"),
    ("lil", instead("data", lambda data: data[:2]), "lists of 2 rows, and 4 rows"),
    ("lil", instead("rows", lambda rows: rows[np.newaxis]), "rows: .* but is 2D"),
    ("lil", instead("rows", list), "rows: .* but is a list"),
    ("dok", keyed(0, FAR), f"column {RANGE}"),
    ("dok", keyed(FAR, 0), f"row {RANGE}"),
    ("dok", keyed(0, -1), "column index out of range: -1"),
    ("dok", keyed(0, 1.5), "column indices: .*float64"),
    ("dok", keyed(0, np.nan), "column indices: .*float64"),
    ("dok", keyed(None, 0), "row indices: .*object"),
    ("dok", keyed(0, "1"), "column indices: .*<U"),
    ("dok", keyed(0, 1, 2), r"\(0, 1, 2\) is not a row and a column"),
    ("dok", keyed(0, 3, value="many"), "data: .*<U"),
    ("dia", instead("offsets", lambda offsets: offsets + np.int64(2**32)), "a diagonal at 4294967294"),
    ("dia", instead("offsets", lambda offsets: offsets[:1]), "1 of them do not go with 5 diagonals"),
    ("dia", instead("offsets", lambda offsets: np.tile(offsets, 99)), "495 of them do not go with 5"),
    ("dia", instead("offsets", lambda offsets: offsets.astype("uint32")), "1D of type uint32"),
    ("dia", instead("data", lambda data: data[:1]), "5 of them do not go with 1 diagonals"),
    ("dia", instead("data", lambda data: data[0]), "data: .* is 1D"),
    *(("dia", instead("offsets", change), found) for change, found in NOT_WHOLE),
    *((name, shaped(40, 6), "broken") for name in ("csr", "bsr", "lil")),
    ("csc", shaped(4, 60), "broken indptr"),
    *((name, shaped(4, 3), "index out of range|broken") for name in FORMATS if name != "dia"),
    *((name, shaped(2, 6), "index out of range|broken") for name in FORMATS if name != "dia"),
    *((name, shaped(*lie), "shape") for name in FORMATS for lie in ((4.0, 6), (4, -6), (4, None), (True, 6))),
]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize(("name", "spoil", "message"), BROKEN)
def test_broken_matrices(name, spoil, message, kind):
    """Each is refused before compiled code sees it; this fails, and does not crash, where it is not."""
    broken = made(name, kind)
    spoil(broken)
    with pytest.raises(ValueError, match=message):
        check_structure(broken)
    model = PLSA(2, max_iter=2)
    with pytest.raises(ValueError, match=message):
        model.fit(broken)
    assert not learned(model)


def harmless(name):
    """A matrix with floating numbers for indices, which scipy would take for other ones and not crash."""
    broken = made(name)
    spoils = {
        "coo": coordinates(lambda indices: indices + 0.5),
        "lil": at("rows", 0, [0, 1.5, 4]),
        "dok": keyed(0, 1.5),
        "dia": instead("offsets", lambda offsets: offsets + 0.5),
    }
    spoils.get(name, instead("indices", lambda indices: indices + 0.5))(broken)
    return broken


FLOATING = r"type float64\. Build X anew"
every_format = pytest.mark.parametrize("name", FORMATS)


@cache
def fitted(model):
    """An estimator that has seen whole documents, if not much of them."""
    small = {"n_components": 2, "n_clusters": 2, "max_iter": 2, "components_per_class": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = model().get_params()
        return model(**{name: small[name] for name in small if name in known}).fit(X, Y[MODELS[model].takes])


@every_format
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_method_of_every_estimator_looks(model, name):
    """Fit, and whatever a fitted estimator is asked of documents."""
    y, broken = Y[MODELS[model].takes], harmless(name)
    with pytest.raises(ValueError, match=FLOATING):
        model().fit(broken, y)
    for method in (*METHODS, "score", "perplexity"):
        if hasattr(model, method):
            more = () if method in METHODS or y is None else (y,)
            with pytest.raises(ValueError, match=FLOATING):
                getattr(fitted(model), method)(broken, *more)


def pipeline(last):
    """A pipeline whose first step is not ours."""
    return make_pipeline(TfidfTransformer(), last)


FUNCTIONS = {
    "ActiveLearner": lambda X: ActiveLearner(LogisticRegression(), X),
    "ActiveLearner, quick": lambda X: ActiveLearner(MissingLabelPLSA(), X),
    "ActiveLearner.predict": lambda Z: ActiveLearner(LogisticRegression(), X, Y["classes"]).predict(Z),
    "ActiveLearner.predict_proba": lambda Z: ActiveLearner(
        LogisticRegression(), X, Y["classes"]
    ).predict_proba(Z),
    "simulate": lambda X: simulate(LogisticRegression(), X, Y["classes"], n_queries=1),
    "simulate, test": lambda Z: simulate(
        LogisticRegression(), X, Y["classes"], n_queries=1, test=(Z, Y["classes"])
    ),
    "compare_pu": lambda X: compare_pu(X, Y["positives"]),
    "compare_pu, pipeline": lambda X: compare_pu(X, Y["positives"], [pipeline(SpyEM())]),
    "select_topics, cv": lambda X: select_topics(pipeline(PLSAClassifier()), X, Y["classes"], cv=2),
    "select_topics, aic": lambda X: select_topics(pipeline(PLSA()), X, criterion="aic"),
    "labeled_scorer": lambda Z: labeled_scorer()(
        LogisticRegression().fit(X, Y["classes"]), Z, ["a", None, "b", None]
    ),
    "heterogeneity": lambda Z: heterogeneity(pipeline(PLSA(2)).fit(X), Z),
}


@pytest.mark.filterwarnings("ignore:X looks like TF-IDF")
@every_format
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_looks_before_it_cuts(function, name):
    """Whatever estimator is to get the documents, ours or not."""
    with pytest.raises(ValueError, match=FLOATING):
        FUNCTIONS[function](harmless(name))


def narrow(matrix):
    """Indices of other types, or the wrong way round in memory."""
    types = [">i4", ">i8", "<u4", "<u8"]
    for name in ("indices", "indptr"):
        if hasattr(matrix, name):
            for kind in types:
                other = matrix.copy()
                setattr(other, name, getattr(matrix, name).astype(kind))
                yield other


@pytest.mark.parametrize("kind", ["array", "matrix"])
@every_format
def test_whole_matrices_pass(name, kind):
    """Of every format, with indices of every whole type, frozen, or with room at their end."""
    wanted = PLSA(2, max_iter=3, random_state=0).fit(X).components_
    matrix = made(name, kind)
    several = [matrix, *narrow(matrix)]
    if name in COMPRESSED:
        roomy = matrix.copy()
        roomy.indices = np.concatenate([roomy.indices, roomy.indices[:1]])
        roomy.data = np.concatenate([roomy.data, roomy.data[:1]])
        frozen = matrix.copy()
        for part in (frozen.data, frozen.indices, frozen.indptr):
            part.flags.writeable = False
        several += [roomy, frozen]
    for each in several:
        found = PLSA(2, max_iter=3, random_state=0).fit(each).components_
        np.testing.assert_array_equal(found, wanted)


@every_format
def test_empty_matrices_pass(name):
    """A matrix without an entry has nothing that could point outside."""
    check_structure(getattr(sparse, f"{name}_array")((4, 6)))
