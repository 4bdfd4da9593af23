"""What every estimator promises, once, over the table of them all."""

import inspect
import os
import pickle
import re
import signal
import sys
import threading
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path

import drawing
import numpy as np
import pytest
from cases import CASES, corpus, new_documents
from helpers import (
    METHODS,
    Screen,
    Stopper,
    assert_same_bits,
    assert_usable,
    bits,
    learned,
    needs_threads,
    partly_labeled,
)
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import plsa
from plsa import PLSA, CountScaler, FakeLabelPLSA, MPCKMeans, NaiveBayesEM, PLSAClassifier
from plsa.engine import progress
from plsa.engine.progress import Progress

# In a small corpus labels alone may win, and say so; a handful of positives is few: no matter here.
pytestmark = [
    pytest.mark.filterwarnings("ignore:documents without a label did not help"),
    pytest.mark.filterwarnings("ignore:y labels:UserWarning"),
]


def cases(condition=lambda case: True):
    """A test for each case that meets the condition."""
    return pytest.mark.parametrize("case", [case for case in CASES if condition(case)], ids=str)


def with_parameter(name):
    """A test for each case that has the parameter."""
    return cases(lambda case: case.has(name))


def has_numbers(case):
    """Whether a class has a number of topics, or of components."""
    return case.has("topics_per_class") or case.has("components_per_class")


def assert_near(found, wanted, rtol, name):
    """Two values that a fit has left are the same but for rounding."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), name
        for key, each in wanted.items():
            assert_near(found[key], each, rtol, f"{name}[{key}]")
    elif is_dataclass(wanted) and not hasattr(wanted, "get_params"):
        for each in fields(wanted):
            assert_near(getattr(found, each.name), getattr(wanted, each.name), rtol, f"{name}.{each.name}")
    elif isinstance(wanted, np.ndarray | float) and np.asarray(wanted).dtype.kind == "f":
        strict = 1e-10 if name == "objective_trace_" else rtol
        assert_allclose(found, wanted, rtol=min(rtol, strict), atol=rtol * 1e-4, err_msg=name)
    else:
        assert str(found) == str(wanted), name


def test_all_estimators_are_in_the_table():
    """What has a fit is here."""
    exported = {getattr(plsa, name) for name in plsa.__all__}
    fitted = {each for each in exported if inspect.isclass(each) and hasattr(each, "fit")}
    assert {case.model for case in CASES} == fitted


# --- the same bits -------------------------------------------------------------------------------


@needs_threads
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@with_parameter("n_threads")
def test_the_same_bits_on_any_number_of_threads(case, dtype):
    """All that is learned and all that is said, with one thread or many."""
    X = corpus(dtype)[0]
    one = case.fit(X, n_threads=1)
    for n_threads in (2, 3, 8):
        found = case.fit(X, n_threads=n_threads)
        assert_same_bits(found, one)
        assert_same_bits(case.answers(found, X), case.answers(one, X))


@cases()
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(case):
    """A fit may be made again; where something is drawn the seed says what."""
    first = case.fit()
    assert_same_bits(case.fit(), first)
    if case.has("random_state") and case.seeded:
        assert any(bits(learned(case.fit(random_state=seed))) != bits(learned(first)) for seed in (1, 2, 3))


@cases(lambda case: case.starts is not None)
def test_the_best_of_several_starts_is_kept(case):
    """n_init=4 is the best of four fits that share a generator, and all of it is that one's."""
    for seed in range(30):
        rng = np.random.RandomState(seed)
        each = [case.fit(**case.starts, n_init=1, random_state=rng) for _ in range(4)]
        reached = [model.objective_trace_[-1] for model in each]
        best = int(np.argmin(reached) if case.model is MPCKMeans else np.argmax(reached))
        if best in (1, 2) and len(set(reached)) == 4:
            break
    else:
        raise AssertionError("neither the first nor the last may be the best: nothing would be shown")
    found = case.fit(**case.starts, n_init=4, random_state=np.random.RandomState(seed))
    assert_same_bits(found, each[best])


def messy(X):
    """The same counts, the words of each document in falling order and all of them twice, by halves."""
    X = falling(X)
    found = sparse.csr_array(X.shape, dtype=X.dtype)
    found.data, found.indices = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2)
    found.indptr = X.indptr * 2
    return found


def falling(X):
    """The same counts, the words of each document in falling order, and scipy's flag says otherwise."""
    order = np.lexsort((-X.indices, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))))
    found = sparse.csr_array((X.data[order], X.indices[order], X.indptr.copy()), X.shape)
    found.has_sorted_indices = True
    return found


def large(X):
    """The same counts with indices of 64 bits."""
    found = X.copy()
    found.indices, found.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return found


def twice(X):
    """The same counts as a list of entries, each of them twice, by halves."""
    X = X.tocoo()
    return sparse.coo_array((np.tile(X.data / 2, 2), (np.tile(X.row, 2), np.tile(X.col, 2))), X.shape)


def with_zeros(X):
    """The same counts, some zeros stored among them."""
    dense = X.toarray()
    places = np.nonzero((dense > 0) | (np.arange(dense.size).reshape(dense.shape) % 7 == 0))
    return sparse.csr_array((dense[places], places), X.shape)


FORMS = {
    "csr_matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "lil": sparse.lil_array,
    "dense": lambda X: X.toarray(),
    "dense by columns": lambda X: np.asfortranarray(X.toarray()),
    "whole numbers": lambda X: X.astype(np.int64),
    "dense whole numbers": lambda X: X.astype(np.int32).toarray(),
    "bytes": lambda X: X.astype(np.uint8),
    "64-bit indices": large,
    "words fall": falling,
    "words twice": messy,
    "entries twice": twice,
    "stored zeros": with_zeros,
}


def parts_of(X):
    """The arrays that counts are made of; of a matrix by lists they are scipy's own affair."""
    if not sparse.issparse(X):
        return [X]
    names = {"coo": ("data", "row", "col"), "lil": ()}.get(X.format, ("data", "indices", "indptr"))
    return [getattr(X, name) for name in names]


def frozen(*arrays):
    """What the arrays hold; they can no longer be written to."""
    for array in arrays:
        array.flags.writeable = False
    return [array.tolist() for array in arrays]


@pytest.mark.parametrize("form", FORMS)
@cases()
def test_counts_of_every_form(case, form):
    """All forms of the same counts, read-only: the same bits, and nothing is written to."""
    if form == "stored zeros" and case.by_marks:
        pytest.skip("documents are held out or dealt out by what is stored of them")
    X, y = FORMS[form](corpus()[0].copy()), case.y()
    arrays = parts_of(X) + ([] if y is None else [y])
    before = frozen(*arrays)
    wanted, found = case.fit(), case.fit(X, y)
    assert_same_bits(found, wanted)
    assert_same_bits(case.answers(found, X), case.answers(wanted, corpus()[0]))
    assert [array.tolist() for array in arrays] == before


@with_parameter("scaling")
def test_a_scaler_that_is_handed_in_stays_unfitted(case):
    """scaling_ is its fitted copy."""
    scaler = CountScaler(idf=True)
    model = case.fit(scaling=scaler)
    assert not learned(scaler)
    assert model.scaling_.idf_.shape == (100,)


@cases()
def test_memory_mapped_counts(case, tmp_path):
    """Counts that are read from files as they are needed."""
    X = corpus()[0]
    mapped = sparse.csr_array(X.shape, dtype=X.dtype)
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
        setattr(mapped, name, np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    found, wanted = case.fit(mapped), case.fit()
    assert_same_bits(found, wanted)
    assert_same_bits(case.answers(found, mapped), case.answers(wanted, X))


@cases()
def test_what_is_computed_in_follows_the_counts(case):
    """float32 stays, float64 too, whole numbers are computed in float32; both agree; dtype overrules."""
    fits = {}
    for dtype in ("float32", "float64", "int64"):
        X = corpus()[0].astype(dtype)
        model = fits[dtype] = case.fit(X)
        wanted = "float64" if "float64" in (case.real, dtype) else "float32"
        kept = [getattr(model, name) for name in ("components_", "doc_topic_") if hasattr(model, name)]
        kept += [model.transform(X)] if hasattr(model, "transform") else []
        assert {each.dtype for each in kept} <= {np.dtype(wanted)}
    if hasattr(fits["float32"], "components_"):
        assert_allclose(fits["float32"].components_, fits["float64"].components_, rtol=1e-2, atol=1e-4)
    if case.has("dtype"):
        assert case.fit(dtype="float64").components_.dtype == np.float64
        assert case.fit(corpus("float64")[0], dtype="float32").components_.dtype == np.float32


# --- weights and company -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "parameters", "rtol"),
    [(case, *each) for case in CASES for each in case.weighted],
    ids=lambda each: str(each),
)
def test_a_weight_is_a_repetition(case, parameters, rtol):
    """Weight two is the document twice, weight zero no document, in all that is learned and said."""
    X, labels, _ = corpus("float64")
    weight = np.random.default_rng(0).integers(0, 4, X.shape[0])
    again = np.repeat(np.arange(X.shape[0]), weight)
    weighted = case.fit(X, sample_weight=weight, **parameters)
    repeated = case.fit(X[again], case.y(labels[again]), **parameters)
    assert learned(weighted).keys() == learned(repeated).keys()
    for name, wanted in learned(repeated).items():
        found = getattr(weighted, name)
        if name == "_labels_":  # of the documents, one by one
            continue
        if name in ("doc_topic_", "transduction_", "guesses_", "label_right_"):
            found = np.repeat(found, weight[labels >= 0] if len(found) < X.shape[0] else weight, axis=0)
        assert_near(found, wanted, rtol, name)
    for name, wanted in case.answers(repeated, X).items():
        assert_near(case.answers(weighted, X)[name], wanted, rtol, name)
    equal = case.fit(X, sample_weight=np.ones(X.shape[0]), **parameters)
    for name, wanted in learned(case.fit(X, **parameters)).items():
        assert_near(getattr(equal, name), wanted, rtol, name)


@cases(lambda case: case.weighted)
def test_weights_are_not_written_to(case):
    """Of the type that is computed in, and read-only."""
    weight = np.linspace(0.5, 2, corpus()[0].shape[0]).astype(case.real if case.real != "X" else "float32")
    before = frozen(weight)
    case.fit(sample_weight=weight)
    assert weight.tolist() == before[0]


@cases()
def test_a_document_alone_and_in_company(case):
    """The answer is each one's own: by itself, in a batch, in another order; P(z|d) to the last bit."""
    model, new = case.fit(), new_documents()
    together = case.answers(model, new)
    order = np.random.default_rng(0).permutation(new.shape[0])
    shuffled = case.answers(model, new[order])
    for name, said in together.items():
        assert np.isfinite(said).all() or name == "predict_log_proba", name
        rtol = 0 if name in ("transform", "predict") else 1e-12
        assert_allclose(shuffled[name], said[order], rtol=rtol, atol=rtol, err_msg=name)
        for d in range(new.shape[0]):
            alone = case.answers(model, new[[d]])[name][0]
            assert_allclose(alone, said[d], rtol=rtol, atol=rtol, err_msg=name)


@cases(lambda case: hasattr(case.model, "transform"))
def test_fit_transform_is_fit_and_transform(case):
    """To the last bit, and columns have the names of the model."""
    X = corpus()[0]
    model = case.fit()
    assert_same_bits(case.make().fit_transform(X, case.y()), model.transform(X))
    names = model.get_feature_names_out(None if case.model is not CountScaler else list("ab" * 50))
    assert len(names) == model.transform(X).shape[1]
    if case.model is not CountScaler:
        assert names[-1] == f"{case.model.__name__.lower()}{len(names) - 1}"


def scores(said):
    """What there is for each class: probabilities, or scores where there are none."""
    return said.get("predict_proba", said.get("decision_function"))


@cases(lambda case: hasattr(case.model, "predict"))
def test_predictions_agree_with_each_other(case):
    """The class is the most probable one, or that of a score above zero; logarithms are those of P."""
    model, X = case.fit(), corpus()[0]
    said = case.answers(model, X)
    if case.takes == "classes":
        assert_array_equal(said["predict"], model.classes_[scores(said).argmax(axis=1)])
        if "predict_proba" in said:
            assert_allclose(np.exp(said["predict_log_proba"]), said["predict_proba"], rtol=1e-9, atol=1e-15)
    else:
        assert said["decision_function"].dtype == np.float64
        assert_array_equal(said["predict"], (said["decision_function"] > 0).astype(int))
        assert_array_equal(model.classes_, [0, 1])
    truth = case.y(corpus()[2])
    assert model.score(X, truth) == np.mean(said["predict"] == truth) > 0.6


# --- labels --------------------------------------------------------------------------------------


def written_classes(code):
    """The same labels of four classes in every way that a user may write them."""
    names = np.array(["ant", "bee", "cat", "dog", "-1"])
    yield from (drawing.written(code, kind) for kind in drawing.LABEL_KINDS[:-1])
    yield names[code]
    yield [str(name) if known else None for name, known in zip(names[code], code >= 0, strict=True)]
    yield code.tolist()
    pandas = pytest.importorskip("pandas")
    yield pandas.Series(np.where(code < 0, np.nan, code))
    yield pandas.Series([None if c < 0 else str(names[c]) for c in code])
    yield pandas.Series([pandas.NA if c < 0 else str(names[c]) for c in code], dtype="string")


def written_positives(code):
    """The same positives in every way that a user may write them."""
    yield code.tolist()
    yield np.where(code == 1, 1, -1)
    yield np.where(code == 1, 1.0, np.nan)
    yield [1 if each else None for each in code]
    yield code == 1
    yield [True if each else None for each in code]


@cases(lambda case: case.takes != "nothing")
def test_labels_of_every_kind(case):
    """What classes are called, and how a missing label is written, changes nothing; nor is y written to."""
    y = case.y()
    wanted = case.answers(case.fit())
    numbers = {name: said for name, said in wanted.items() if name != "predict"}
    for written in (written_classes if case.takes == "classes" else written_positives)(y):
        before = list(written)
        if isinstance(written, np.ndarray):
            written.flags.writeable = False
        model = case.fit(y=written)
        found = case.answers(model)
        assert_same_bits({name: found[name] for name in numbers}, numbers)
        assert_array_equal(np.searchsorted(model.classes_, found["predict"]), wanted["predict"])
        assert len(model.classes_) == (4 if case.takes == "classes" else 2)
        assert list(map(str, written)) == list(map(str, before))
    if case.has("unlabeled"):
        marked = np.where(y == -1, 9, y) if case.takes == "classes" else np.where(y == 1, 1, 9)
        assert_same_bits(case.answers(case.fit(y=marked, unlabeled=9)), wanted)


@cases(lambda case: case.takes == "classes")
def test_two_classes_of_every_kind(case):
    """Truths, numbers and names, some of them missing: the classes are what was written."""
    code = np.where(corpus()[1] > 1, 1, np.minimum(corpus()[1], 0))
    topics = "components_per_class" if case.has("components_per_class") else "topics_per_class"
    wanted = None
    for kinds in ([False, True], [0.0, 1.0], [0, 1], ["no", "yes"]):
        y = [None if c < 0 else kinds[c] for c in code]
        model = case.fit(y=y, **{topics: 2})
        assert_array_equal(model.classes_, kinds)
        wanted = scores(case.answers(model)) if wanted is None else wanted
        assert_array_equal(scores(case.answers(model)), wanted)
        assert set(model.predict(new_documents())) <= set(kinds)


@cases(lambda case: case.takes == "classes")
def test_what_marks_a_missing_label_is_no_class(case):
    """unlabeled="dog": such documents have no label, as None has none; what is absent marks nothing."""
    y = corpus()[1]
    names = np.array(["ant", "bee", "cat", "dog", None], dtype=object)[y]
    topics = {"components_per_class" if case.has("components_per_class") else "topics_per_class": 2}
    found = case.fit(y=names, unlabeled="dog", **topics)
    assert_array_equal(found.classes_, ["ant", "bee", "cat"])
    same = case.fit(y=np.where(y == 3, -1, y), **topics)
    assert_array_equal(scores(case.answers(found)), scores(case.answers(same)))
    absent = case.fit(y=names, unlabeled="owl", **topics)
    assert_array_equal(absent.classes_, ["ant", "bee", "cat", "dog"])
    assert_array_equal(scores(case.answers(absent)), scores(case.answers(case.fit(**topics))))
    truth = corpus()[2]
    assert same.score(corpus()[0][truth == 3], truth[truth == 3]) == 0, "what was not learned is never right"


@cases(lambda case: case.takes == "classes")
def test_minus_one_as_a_class(case):
    """y of 1 and -1 is one class and a warning; unlabeled=None makes it two."""
    X = np.array([[2.0, 1, 0], [0, 1, 3]])
    with pytest.warns(UserWarning, match="pass unlabeled=None"):
        one = case.model().fit(X, [1, -1])
    assert_array_equal(one.classes_, [1])
    assert_array_equal(one.predict(X), [1, 1])
    if hasattr(one, "predict_proba"):
        assert_allclose(one.predict_proba(X), [[1.0], [1.0]], rtol=1e-12)
    two = case.model(unlabeled=None).fit(X, [1, -1])
    assert_array_equal(two.classes_, [-1, 1])
    assert_array_equal(two.predict(X), [1, -1])


# What is 0 of a class without an example, and along which axes it has an entry for each class.
OF_CLASSES = {
    "class_count_": [0],
    "class_prior_": [0],
    "label_topic_": [0],
    "unlabeled_label_topic_": [0],
    "mislabeling_": [0, 1],
    "not_sure_": [0],
    "label_noise_": [0, 1],
    "transduction_": [1],
    "components_per_class_": [0],
    "components_per_class": [0],
    "topics_per_class": [0],
}
DECLARED = ["pig", "dog", "aardvark", "cat", "cow", "bee", "ant"]
MET = [1, 2, 3, 5]  # of the sorted ones: ant, bee, cat, dog


def assert_as_if_met_alone(found, wanted):
    """What a fit has left has an entry for each declared class: that of a fit without them, or 0."""
    for name, value in wanted.items():
        if name == "choices_":
            assert_as_if_met_alone(found[name], value)
        elif name in OF_CLASSES:
            inside = np.asarray(found[name])
            for axis in OF_CLASSES[name]:
                assert inside.shape[axis] == len(DECLARED), name
                others = np.delete(inside, MET, axis)
                assert not others.any(), name
                inside = np.take(inside, MET, axis)
            assert type(found[name]) is type(value), name
            assert bits(np.ascontiguousarray(inside)) == bits(np.ascontiguousarray(value)), name
        elif name == "topic_class_":
            assert bits(found[name]) == bits(
                np.where(value < 0, value, np.array(MET)[value]).astype(np.int32)
            )
        elif name == "guesses_":
            assert_array_equal(found[name], value)
        elif name not in ("classes_", "_labels_"):
            assert bits(found[name]) == bits(value), name


@cases(lambda case: case.takes == "classes")
def test_classes_that_nobody_has_met(case):
    """They have a place in all that has one for each class, with 0 there; else nothing is different."""
    y = np.array(["ant", "bee", "cat", "dog", None], dtype=object)[case.y()]
    name = "components_per_class" if case.has("components_per_class") else "topics_per_class"
    wanted = case.fit(y=y, **{name: [2, 1, 3, 1]}, extra_topics=1)
    unmet = "the classes 'aardvark', 'cow', 'pig' have no example in y: predicted with probability 0"
    mapping = {"ant": 2, "bee": 1, "cat": 3, "dog": 1, "pig": 0}
    for given_topics in ([0, 2, 1, 3, 0, 1, 0], mapping):
        with pytest.warns(UserWarning, match=unmet):
            found = case.fit(y=y, classes=DECLARED, **{name: given_topics}, extra_topics=1)
        assert_array_equal(found.classes_, sorted(DECLARED))
        assert_as_if_met_alone(learned(found), learned(wanted))
    for model in (found, pickle.loads(pickle.dumps(found))):
        said = case.answers(model)
        for method, value in case.answers(wanted).items():
            if method in ("predict_proba", "predict_log_proba", "joint_log_likelihood", "decision_function"):
                assert_array_equal(said[method][:, MET], value)
                never = 0 if method == "predict_proba" else -np.inf
                assert (np.delete(said[method], MET, axis=1) == never).all()
                assert said[method].shape[1] == len(DECLARED)
            else:
                assert_array_equal(said[method], value)
    assert found.score(corpus()[0], y) == wanted.score(corpus()[0], y)
    if hasattr(found, "components_"):
        shown = [topic.label for topic in plsa.top_words(found, n=1)]
        assert shown == [topic.label for topic in plsa.top_words(wanted, n=1)]
    parameters = {"classes": None} | ({name: [2, 1, 3, 1]} if case.has(name) else {})
    assert_same_bits(found.set_params(**parameters).fit(corpus()[0], y), wanted)


@cases(lambda case: case.takes == "classes" and not case.note)
def test_classes_that_are_declared_and_have_examples(case):
    """Nothing is different, and nothing is said, in whatever form they are given."""
    wanted = case.fit()
    for classes in ([3, 1, 0, 2], np.arange(4.0), (0, 1, 2, 3), range(4)):
        assert_same_bits(case.fit(classes=classes), wanted)


@cases(lambda case: case.takes == "classes" and not case.note)
def test_one_class_of_those_that_are_declared(case):
    """Is warned of as a single one is, and is all that documents can get."""
    X = np.array([[2.0, 1, 0], [0, 1, 3]])
    unmet = pytest.warns(UserWarning, match="the class 2 has no example")
    with pytest.warns(UserWarning, match="y has one class, 1"), unmet:
        found = case.model(classes=[1, 2]).fit(X, [1, None])
    if hasattr(found, "predict_proba"):
        assert_allclose(found.predict_proba(X), [[1.0, 0.0]] * 2, rtol=1e-12)
    assert_array_equal(found.predict(X), [1, 1])


@cases(lambda case: case.takes == "classes" and case.model is not PLSAClassifier)  # has no other documents
def test_labeled_documents_that_say_nothing(case):
    """All of them are empty: nothing tells the classes apart, and there is no NaN."""
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    seed = {"random_state": 0} if case.has("random_state") else {}
    found = case.model(**seed).fit(X, ["a", "b", None, None, None])
    assert np.isfinite(scores(case.answers(found, X))).all()
    if hasattr(found, "predict_proba"):
        assert_allclose(found.predict_proba(X).sum(axis=1), 1)


# --- what is climbed -----------------------------------------------------------------------------

# What parameters may be, of those models that have them.
DRAWN = {
    "n_components": [1, 2, 5, 12],
    "topics_per_class": [1, 2, 3],
    "extra_topics": [0, 1, 2],
    "components_per_class": [1, 2, 3],
    "scaling": [None, CountScaler(), "auto"],
    "init": ["labels", "random", "all random"],
    "extra_labels": ["open", "learned"],
    "first_guesses": ["all", "labels"],
    "doubt": [0.0, 0.6, 2.0],
    "smoothing": [0.0, 0.01],
    "prior_strength": [0.0, 5.0],
    "unlabeled_weight": [1.0, 0.1],
    "evidence": [True, False],
    "early_stopping": [0, 0.005],
    "accelerate": [False, True],
    "relabel": ["never", 1, 3],
    "n_relabels": [1, 2, 3],
    "student": [None, "linear"],
    "annealing": [None, [0.1, 0.2, 0.5, 1.0]],
    "correspondence": [None, "labels", "kl"],
    "alpha": [1.0, 0.0, 0.01, 5.0],
    "class_alpha": [0.0, 1.0],
    "component_alpha": [1.0, 0.0],
    "n_init": [1, 2],
    "max_iter": range(7),
}
DRAWN_OF = {PLSA: {"init": ["random"]}, NaiveBayesEM: {"unlabeled_weight": [1.0, 0.1, 0.0, "auto"]}}
AUTO = {name: [*DRAWN[name], "auto"] for name in ("topics_per_class", "prior_strength", "unlabeled_weight")}


@pytest.mark.parametrize(
    "model",
    dict.fromkeys(case.model for case in CASES if case.weighted and case.has("tol")),
    ids=lambda m: m.__name__,
)
@pytest.mark.filterwarnings("ignore:X looks like TF-IDF")  # a count of 1 beside one of 1e-6
@given(data=st.data())
def test_the_objective_never_falls(model, data):
    """Odd counts, labels and weights, any parameters: it climbs in every stretch, and there is an answer."""
    X, _ = data.draw(drawing.messy_counts(unusual=(0.0, 0.5, 1e-6, 1e6)))
    code, y = data.draw(drawing.partial_labels(X.shape[0]))
    weight = data.draw(st.none() | drawing.weights(X.shape[0]))
    if weight is not None:
        weight[np.flatnonzero(code >= 0)[0]] = 1
    known = model().get_params()
    table = DRAWN | (AUTO if "evidence" in known else {}) | DRAWN_OF.get(model, {})
    parameters = {
        name: data.draw(st.sampled_from(table[name]), label=name) for name in table if name in known
    }
    exact = model is not PLSA or data.draw(st.booleans(), label="exact")
    if not exact:  # a pseudo-count beside next to no counts is more than float32 can add up
        parameters["smoothing"] = 0.0
    estimator = model(**parameters, dtype="float64" if exact else "float32", tol=0, random_state=0)
    of_labels_alone = model is PLSAClassifier or (code >= 0).all()
    counted = np.ones(X.shape[0]) if weight is None else weight
    if model is not PLSA:
        counted = counted * np.where(
            code >= 0, 1, not of_labels_alone and parameters.get("unlabeled_weight") != 0
        )
    if counted @ X.sum(axis=1) == 0:
        with pytest.raises(ValueError, match="not one word"):
            estimator.fit(X, y, sample_weight=weight)
        return
    estimator.fit(X, y, sample_weight=weight)
    trace = estimator.objective_trace_
    assert np.isfinite(trace).all()
    slack = (1e-11 if exact else 1e-6) * max(np.abs(trace).max(), 5 * counted @ X.sum(axis=1), 1)
    for stretch in np.split(trace, getattr(estimator, "stretches_", [0])[1:]):
        assert np.diff(stretch).min(initial=0) >= -slack
    assert estimator.stop_reason_ in ("settled", "rounds", "early")
    rows = [estimator.components_, estimator.doc_topic_, estimator.transform(X)]
    if model is not PLSA:
        rows += [estimator.predict_proba(X), estimator.label_topic_.T]
        assert not np.isnan(estimator.predict_log_proba(X)).any()
    if model is FakeLabelPLSA:  # before the first update it is but a start
        rows[-1:] = [np.column_stack([rows[-1], estimator.fake_topic_])] if estimator.n_iter_ else []
    if hasattr(estimator, "mislabeling_"):
        beta = np.vstack([estimator.mislabeling_, estimator.not_sure_])
        rows += [beta.T, estimator.unlabeled_label_topic_.T]
    if hasattr(estimator, "unlabeled_share_"):
        share, sure = estimator.unlabeled_share_, estimator.confidence(X)
        assert share.min() >= 0
        assert share.max() <= 1 + 1e-12
        assert_allclose(sure, 1 - estimator.transform(X) @ share, atol=1e-6)
        assert np.all((sure > -1e-6) & (sure < 1 + 1e-6))
    if hasattr(estimator, "transduction_"):
        rows.append(estimator.transduction_)
        assert_array_equal(estimator.guesses_[code >= 0], estimator.classes_[code[code >= 0]])
        foreign = (code[:, np.newaxis] != estimator.topic_class_) & (code[:, np.newaxis] >= 0)
        if len(estimator.doc_topic_) == len(code):
            assert not estimator.doc_topic_[foreign & (estimator.topic_class_ >= 0)].any()
    for each in rows:
        assert np.isfinite(each).all()
        assert each.min() >= 0
        assert_allclose(each.sum(axis=1), 1, rtol=1e-9 if exact else 1e-4)


@cases(lambda case: has_numbers(case) and not case.note)
def test_topics_of_classes(case):
    """A number, a list, an array, a mapping by name: so many topics, in the classes' order."""
    y = corpus()[1]
    name = "components_per_class" if case.has("components_per_class") else "topics_per_class"
    names = np.array(["ant", "bee", "cat", "dog", None], dtype=object)[y]
    mapping = {"dog": 1, "ant": 2, "bee": 1, "cat": 3}
    for given_topics, wanted in (
        (1, [1, 1, 1, 1]),
        (np.int64(2), [2, 2, 2, 2]),
        ([2, 1, 3, 1], [2, 1, 3, 1]),
        ((1, 2, 1, 1), [1, 2, 1, 1]),
        (np.array([1, 1, 2, 1]), [1, 1, 2, 1]),
        (mapping, [2, 1, 3, 1]),
    ):
        found = case.fit(y=names, **{name: given_topics}, extra_topics=2, evidence=False)
        extra = 2 if case.has("extra_topics") else 0
        assert_array_equal(found.topic_class_, [*np.repeat(np.arange(4), wanted), *[-1] * extra])
        assert found.components_.shape == (sum(wanted) + extra, 100)
        assert_usable(found, new_documents())


@cases(lambda case: case.has("unlabeled_weight") and case.has("random_state") and not case.note)
def test_unlabeled_documents_help_where_labels_are_few(case):
    """Two labels a class of 200: better by more than five points than the labels alone."""
    supervised = (
        NaiveBayesEM(unlabeled_weight=0) if case.model is NaiveBayesEM else PLSAClassifier(random_state=0)
    )
    for seed in range(2):
        X, _, target = partly_labeled(800, 800, 4, seed=seed, document_length=30, word_concentration=0.6)
        y = np.full(800, -1)
        for c in range(4):
            y[np.flatnonzero(target == c)[:2]] = c
        new = y < 0
        right = case.model(random_state=0).fit(X, y).score(X[new], target[new])
        assert right > 0.95
        assert right > supervised.fit(X, y).score(X[new], target[new]) + 0.05


@pytest.mark.parametrize(
    "estimator", [PLSAClassifier(2, random_state=0), NaiveBayesEM(2, scaling="auto", random_state=0)]
)
def test_auto_scaling_takes_what_scores_best(estimator):
    """It is one of the four tried, and a fit with it is the same; with too few labels it is the usual one."""
    X, y, _ = corpus()
    model = clone(estimator).fit(X, y)
    assert len(model.scaling_scores_) == 4
    assert model.scaling_scores_[str(model.scaling_)] == max(model.scaling_scores_.values())
    again = clone(estimator).set_params(scaling=model.scaling_).fit(X, y)
    assert_same_bits(again.components_, model.components_)
    few = clone(estimator).fit(X[:8], [0, 1, 2, 3, 3, 3, 3, 3])
    assert few.scaling_scores_ == {}
    assert few.scaling_.length == "constant"


# --- a life in scikit-learn ----------------------------------------------------------------------

TEXTS = ["tea milk tea", "milk tea cup", "goal ball goal", "ball team goal", "tea cup", "team ball"]
TEXTS += ["milk", "team"]
OF_TEXTS = {
    "nothing": None,
    "classes": ["food", "food", "sport", "sport", "food", "sport", None, None],
    "positives": [1, 1, 0, 0, 1, 0, 0, 0],
}


@cases()
def test_from_texts_in_a_pipeline(case):
    """After a vectorizer, with classes that are names, pickled, cloned and in a grid search."""
    seed = {"random_state": 0} if case.has("random_state") else {}
    few = {name: 2 for name in ("n_components", "n_clusters") if case.has(name)}
    y = OF_TEXTS[case.takes]
    pipe = make_pipeline(CountVectorizer(), case.model(**seed | few)).fit(TEXTS, y)
    again, copy = pickle.loads(pickle.dumps(pipe)), clone(pipe).fit(TEXTS, y)
    for other in (again, copy):
        assert_same_bits(case.answers(other, TEXTS), case.answers(pipe, TEXTS))
    if case.takes != "nothing":
        new = ["milk and tea", "a goal of the team"]
        assert_array_equal(pipe.predict(new), ["food", "sport"] if case.takes == "classes" else [1, 0])
    tried = next((name for name in ("smoothing", "alpha") if case.has(name)), None)
    if tried and case.takes != "positives":
        grid = {f"{case.model.__name__.lower()}__{tried}": [0.01, 0.1]}
        cv = 2 if y is None else plsa.LabeledKFold(3, random_state=0)
        search = GridSearchCV(pipe, grid, cv=cv).fit(TEXTS, y)
        assert search.best_score_ > (-5 if y is None else 0.6)


@cases()
def test_pickle_clone_and_parameters(case):
    """A pickle has all bits and answers the same; a clone has parameters alone, and learns the same."""
    found = case.fit()
    again = pickle.loads(pickle.dumps(found))
    assert_same_bits(again, found)
    assert_same_bits(case.answers(again), case.answers(found))
    copy = clone(found)
    assert not learned(copy)
    assert bits(copy.get_params()) == bits(found.get_params()) == bits(case.make().get_params())
    assert_same_bits(copy.fit(corpus()[0], case.y()), found)
    parameters = found.get_params(deep=False)
    for other in (case.model(**parameters), case.model().set_params(**parameters)):
        assert bits(other.get_params()) == bits(found.get_params())
        assert_same_bits(other.fit(corpus()[0], case.y()), found)


@cases()
def test_a_second_fit_forgets_the_first(case):
    """Other words, other classes, other parameters, all labeled after some: the same as a new estimator."""
    X, labels, truth = corpus()
    found = case.fit()
    if hasattr(found, "reassign"):
        found.reassign([3] * len(found.components_))
    number = {"components_per_class": 2} if case.has("components_per_class") else {}  # whatever the classes
    for parameters in (case.other, {name: case.make().get_params()[name] for name in case.other} | number):
        for new_X, new_labels in ((X[:, :80], truth), (X[:90], np.where(labels == 3, -1, labels)[:90])):
            y = case.y(new_labels)
            found.set_params(**parameters).fit(new_X, y)
            fresh = clone(found).fit(new_X, y)
            assert vars(found).keys() == vars(fresh).keys()
            assert_same_bits(found, fresh)
            assert_same_bits(case.answers(found, new_X), case.answers(fresh, new_X))


@cases()
def test_an_error_leaves_the_estimator_as_it_was(case):
    """Bad counts, labels or parameters: an unfitted one stays unfitted, a fitted one what it was."""
    X, y = corpus()[0], case.y()
    bad = [(-X, y, {}), (X[:, :50] * np.nan, y, {}), (X * 0, y, {})]
    if case.takes != "nothing":
        bad += [(X[:, :50], np.full(X.shape[0], -1), {}), (X[:, :50], y[:-1], {})]
    if case.has("max_iter"):
        bad += [(X[:, :50], y, {"max_iter": -1})]
    for model in (case.make(), case.fit()):
        before, parameters = learned(model), model.get_params(deep=False)
        for bad_X, bad_y, changes in bad:
            if case.model is CountScaler and bad_X.nnz and not bad_X.data.any():
                continue  # nothing is wrong with empty documents there
            model.set_params(**changes)
            with pytest.raises(ValueError, match=r"."):
                model.fit(bad_X, bad_y)
            model.set_params(**parameters)
            assert learned(model).keys() == before.keys()
            assert all(learned(model)[name] is value for name, value in before.items())
    assert_same_bits(case.answers(model), case.answers(case.fit()))


@cases()
def test_use_before_fit_and_another_vocabulary(case):
    """Both are said plainly, by every method."""
    X = corpus()[0]
    model = case.fit()
    for name in METHODS:
        if hasattr(case.model, name):
            with pytest.raises(NotFittedError):
                getattr(case.make(), name)(X)
            with pytest.raises(ValueError, match=f"99 features, but {case.model.__name__} is expecting 100"):
                getattr(model, name)(X[:, :99])
    if hasattr(model, "reassign"):
        with pytest.raises(NotFittedError):
            case.make().reassign([0])


@cases()
def test_tables_with_names(case):
    """pandas' tables are taken, names are kept, and other names refused."""
    pandas = pytest.importorskip("pandas")
    words = [f"word{w}" for w in range(100)]
    table = pandas.DataFrame(corpus()[0].toarray(), columns=words)
    y = None if case.takes == "nothing" else pandas.Series(case.y())
    found = case.make().fit(table, y)
    assert_array_equal(found.feature_names_in_, words)
    assert_same_bits(case.answers(found, table), case.answers(case.fit(), corpus()[0]))
    method = "transform" if hasattr(found, "transform") else "predict"
    with pytest.raises(ValueError, match="feature names should match"):
        getattr(found, method)(table[words[::-1]])


@pytest.mark.parametrize("terminal", [False, True], ids=["file", "terminal"])
@with_parameter("verbose")
def test_verbose_speaks(case, terminal, monkeypatch, capsys):
    """On stderr: the stages from the first to the last, a bar that rises to the end, and how it ended.

    On a terminal in one line, of which the last word stays; elsewhere in one for each stage. Nothing that was
    meant to end as it did reads like a failure.
    """
    closed, whole = [], Progress.close

    def close(shown, *found):
        if shown.what:
            closed.append((shown.what, shown.done, shown.n_steps))
        whole(shown, *found)

    monkeypatch.setattr(Progress, "close", close)
    monkeypatch.setattr(progress, "_OFTEN", 0.0)
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    model = case.fit(verbose=1)
    assert capsys.readouterr().out == ""
    assert screen.left()[-1].startswith(f"{case.model.__name__}: ")
    assert f" after {model.n_iter_} passes, " in screen.left()[-1]
    for what, done, n_steps in closed:  # one step may be made of passes alone; guesses may stand still
        assert done == n_steps or n_steps == 1 or (what == "guesses made anew" and done < n_steps)
    assert "not settled" not in screen.getvalue()
    assert len(screen.left()) == (1 if terminal else len(closed) + 1)
    shown = screen.shown()
    assert all(line.startswith(case.model.__name__) for line in shown)
    stages = [re.search(r", stage (\d+) of (\d+)[ :]", line) for line in shown[:-1]]
    if len(closed) > 1:
        assert list(dict.fromkeys(stage[1] for stage in stages)) == [str(n + 1) for n in range(len(closed))]
        # That labels alone are learned from turns out on the way.
        assert {len(closed)} <= {int(stage[2]) for stage in stages} <= {len(closed), len(closed) - 1}
        assert stages[-1][1] == stages[-1][2]
    for what, _, _ in closed if terminal else ():
        bar = [
            re.search(r"\[(#*)(-*)\] +(\d+)%, \d+ s: ", line) for line in shown[:-1] if f" s: {what}" in line
        ]
        shares = [int(found[3]) for found in bar]
        assert shares == sorted(shares)
        assert shares[0] == 0
        assert shares[-1] > 20
        assert [(len(found[1]), len(found[2])) for found in bar] == [(n // 10, 10 - n // 10) for n in shares]


@cases()
def test_silence_is_the_default(case, capfd):
    """Nothing is printed unless asked for."""
    case.answers(case.fit())
    assert capfd.readouterr() == ("", "")


# --- stopping ------------------------------------------------------------------------------------


@with_parameter("callback")
def test_a_callback_sees_every_pass_of_the_fit(case):
    """Once each, with the objective of the trace, and none of what is tried."""
    stopper = Stopper()
    model = case.fit(callback=stopper)
    numbers, objectives = zip(*stopper.seen, strict=True)
    if case.members == 1:  # else what is kept is of one of them
        assert_array_equal(objectives[case.earlier :], model.objective_trace_)
    assert numbers[0] == 1
    for before, after in pairwise(numbers):  # a failed leap is a pass of its own
        assert after in (1, before + 1, before + 1 + case.parameters.get("accelerate", False))
    assert_same_bits(model, case.fit())


@pytest.mark.parametrize("raises", [False, True], ids=["True", "Ctrl-C"])
@with_parameter("callback")
def test_a_callback_stops_the_fit_at_any_pass(case, raises):
    """No pass follows, the reason is told, Ctrl-C goes on, and the estimator has what was learned."""
    every = Stopper()
    case.fit(callback=every)
    for at in range(1, every.n + 1):
        stopper = Stopper(at, raises=raises)
        model = case.make(callback=stopper)
        if raises:
            with pytest.raises(KeyboardInterrupt):
                model.fit(corpus()[0], case.y())
            assert model.stop_reason_ == "interrupted"
        else:
            model.fit(corpus()[0], case.y())
            last_of_a_climb = at == every.n or every.seen[at][0] == 1
            assert model.stop_reason_ == "callback" or last_of_a_climb
        assert stopper.n == at
        assert_array_equal(stopper.seen, every.seen[:at])
        assert len(model.objective_trace_) <= at
        assert_usable(model, new_documents())


@pytest.mark.parametrize("raises", [False, True], ids=["True", "Ctrl-C"])
@with_parameter("callback")
def test_a_callback_stops_all_starts(case, raises):
    """In the first, second or third of them: no pass follows, and what was learned is kept."""
    several = (case.starts or {}) | {"n_init": 3} | ({"init": "random"} if case.has("init") else {})
    every = Stopper()
    case.fit(**several, callback=every)
    for at in (2, every.n // 3 + 2, 2 * every.n // 3 + 2, every.n):
        stopper = Stopper(at, raises=raises)
        model = case.make(**several, callback=stopper)
        if raises:
            with pytest.raises(KeyboardInterrupt):
                model.fit(corpus()[0], case.y())
        else:
            model.fit(corpus()[0], case.y())
        assert stopper.n == at
        # The last pass of all would have been the last without anyone asking.
        assert model.stop_reason_ == ("interrupted" if raises else "callback") or at == every.n
        assert_usable(model, new_documents())


class Moments:
    """Raises KeyboardInterrupt at the n-th call of a function of the package, whatever it is."""

    folder = str(Path(plsa.__file__).parent)

    def __init__(self, at=None):
        self.at, self.n, self.first, self.last = at, 0, {}, {}

    def __call__(self, frame, event, argument):
        code = frame.f_code
        # A generator may be called by the garbage collector, where nobody hears of it.
        if code.co_filename.startswith(self.folder) and not code.co_flags & inspect.CO_GENERATOR:
            self.n += 1
            self.first.setdefault(code, self.n)
            self.last[code] = self.n
            if self.n == self.at:
                raise KeyboardInterrupt

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *error):
        sys.settrace(self.before)


@cases()
def test_ctrl_c_at_any_moment(case):
    """In the first and last calls of functions: heard, and the estimator is as it was, or interrupted."""
    X, y = corpus()[0], case.y()
    quick = {"scaling": None} if case.has("evidence") else {}  # one scaling is tried, not four
    before, whole = case.fit(X[:, :80], **quick), case.make(**quick)
    with Moments() as every:
        whole.fit(X, y)
    moments = sorted({*every.first.values(), *every.last.values()})
    n_kept = 0
    for turn, at in enumerate(moments[:: max(1, len(moments) // 30)]):
        model = pickle.loads(pickle.dumps(before)) if turn % 2 else case.make(**quick)
        was = learned(model)
        with pytest.raises(KeyboardInterrupt), Moments(at):
            model.fit(X, y)
        now = learned(model)
        if now.keys() != was.keys() or any(now[name] is not value for name, value in was.items()):
            n_kept += 1
            assert model.stop_reason_ == "interrupted"
            assert_usable(model, new_documents())
        elif was:
            assert_same_bits(case.answers(model, X[:, :80]), case.answers(before, X[:, :80]))
    assert (n_kept > 0) == case.has("callback"), "what climbs keeps what it has learned, and nothing else"


@cases(lambda case: case.has("callback") and not case.note)
def test_ctrl_c_from_the_keyboard(case):
    """A signal in the midst of a long fit, wherever it comes: heard, and what was learned is kept."""
    X, labels, _ = partly_labeled(1500, 800, dtype="float64")
    endless = {"max_iter": 10**7, "tol": 0, "early_stopping": 0, "evidence": False, "relabel": "never"}
    endless |= {"scaling": None, "topics_per_class": 6, "n_components": 12}
    if case.has("annealing"):  # a mixture settles soon
        endless["annealing"] = plsa.annealing_schedule(0.02, 1.0001)
    running, heard = True, False

    def begin(state):
        if state.number >= 20 and timer.ident is None:  # a mixture's start has fewer passes
            timer.start()

    def hear(number, frame):
        if running:
            raise KeyboardInterrupt

    model = case.make(**endless, callback=begin)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, hear)
    try:
        model.fit(X, case.y(labels))
    except KeyboardInterrupt:
        heard = True
    running = False
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert heard
    assert model.stop_reason_ == "interrupted"
    assert model.n_iter_ > 1 or len(model.annealing_trace_) > 1
    assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-9)
    assert np.isfinite(model.transform(X[:5])).all()


# --- scikit-learn's own suite --------------------------------------------------------------------


def expected_failures(estimator):
    """Checks that ask for what an estimator is not there for."""
    failures = {}
    if getattr(estimator, "unlabeled", None) == -1:
        failures["check_classifiers_classes"] = "its classes are -1 and 1, and -1 marks unlabeled documents"
    if type(estimator) in [case.model for case in CASES if case.takes == "positives"]:
        other = "it has classes other than 1 (positive) and 0 (nothing known)"
        names = ("estimators_dtypes", "classifier_data_not_an_array", "classifiers_classes")
        failures |= {f"check_{name}": other for name in names}
        failures["check_classifier_not_supporting_multiclass"] = "the error says it in other words"
    if isinstance(estimator, plsa.TopicSensitivePLSA):
        failures["check_decision_proba_consistency"] = "its data hold negative counts"
        if estimator.student is None:
            failures["check_classifiers_train"] = "P(positive topics|document) has a threshold of its own"
    if isinstance(estimator, MPCKMeans):
        one = "it sets n_clusters=1, where there is nothing to tell the positive cluster from"
        names = ("dont_overwrite_parameters", "methods_subset_invariance", "fit2d_1sample", "fit2d_1feature")
        failures |= {f"check_{name}": one for name in (*names, "fit2d_predict1d")}
    return failures


@parametrize_with_checks(
    [
        PLSA(n_components=3, max_iter=20),
        PLSA(n_components=3, max_iter=20, smoothing=0.1, prior_strength=1.0, accelerate=True),
        PLSAClassifier(),
        PLSAClassifier(scaling=None),
        PLSAClassifier(unlabeled=None),
        PLSAClassifier(topics_per_class=2, extra_topics=1, scaling=CountScaler()),
        PLSAClassifier(student="linear", unlabeled=None),
        plsa.MissingLabelPLSA(),
        FakeLabelPLSA(topics_per_class=2, scaling=None),
        plsa.HardMislabelingPLSA(unlabeled=None),
        plsa.SoftMislabelingPLSA(),
        plsa.SoftMislabelingPLSA(student=None, relabel="never", unlabeled=None),
        NaiveBayesEM(),
        NaiveBayesEM(unlabeled=None),
        NaiveBayesEM(2, alpha=0.1, n_init=2, random_state=0),
        NaiveBayesEM(annealing=[0.2, 0.5, 1.0], correspondence="kl", scaling=CountScaler()),
        plsa.TopicSensitivePLSA(3, scaling=CountScaler()),
        plsa.TopicSensitivePLSA(2, student=None),
        plsa.TopicSensitivePLSA(max_iter=5),
        plsa.CoTraining(),
        plsa.CoTraining(unlabeled=None),
        plsa.CoEM(unlabeled=None),
        plsa.CoBoost(unlabeled=None),
        plsa.CPA(),
        plsa.CPA(unlabeled=None),
        plsa.WeightedLogisticRegression(),
        plsa.SpyEM(),
        plsa.SpyEM(constant_length=False),
        plsa.PEBL(),
        plsa.PEBL(1.0, False, tfidf=False),
        plsa.RocchioSVM(),
        MPCKMeans(2),
        plsa.TransductiveSVM(),
        plsa.TransductiveSVM("auto", unlabeled=None),
        plsa.SelfTraining(),
        plsa.SelfTraining(k_best=5, unlabeled=None),
        plsa.EntropyMinimization(),
        plsa.EntropyMinimization(entropy_weight=0.5, unlabeled=None),
        plsa.ClassificationEM(),
        plsa.MislabelingLogistic(),
        plsa.MislabelingLogistic(init="random", unlabeled=None),
        CountScaler(),
        CountScaler(tf="binary", idf=True, length=None),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts(estimator, check):
    """Every check of scikit-learn's own suite, but those that ask for something else."""
    check(estimator)
