"""Whatever numbers X holds: an answer that is one, or an error that says why not, and in time."""

import multiprocessing
import os
import traceback
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cases import CASES
from helpers import answers, learned

import plsa
from plsa import (
    ActiveLearner,
    MissingLabelPLSA,
    NaiveBayesEM,
    PLSAClassifier,
    RocchioSVM,
    SpyEM,
    compare_pu,
    estimate_prior,
    heterogeneity,
    select_topics,
    simulate,
    top_words,
)

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]
IN_TIME = 60  # seconds for what takes one
D, W = 16, 5
PLAIN = np.random.default_rng(0).poisson(1.0, (D, W)).astype(float)
PLAIN[PLAIN.sum(axis=1) == 0, 0] = 1
Y = {"nothing": None, "classes": np.array([0, 1, -1, -1] * 4), "positives": np.array([1, 0, 0] * 6)[:D]}


def mixed(lowest, highest, shape, dtype="float64"):
    """Documents, or single counts, of scales far apart."""
    return (PLAIN * 10.0 ** np.random.default_rng(1).uniform(lowest, highest, shape)).astype(dtype)


def with_one(value, document=slice(None), word=slice(None)):
    """One document or word is of another size than all others."""
    X = PLAIN.copy()
    X[document, word] = value
    return X


INPUTS = {
    **{f"{size:g}": PLAIN * size for size in (1e-323, 1e-300, 1e-160, 1e-20, 1e160, 1e270, 1e300)},
    **{f"{size:g}, float32": (PLAIN * size).astype("float32") for size in (1e-45, 1e-37, 1e-25)},
    **{f"{size:g}, float32": (PLAIN * size).astype("float32") for size in (1e25, 1e31, 6e37)},
    "the largest": np.full((D, W), np.finfo("float64").max),
    "the largest, float32": np.full((D, W), np.finfo("float32").max),
    "scales mixed": mixed(-300, 150, (D, W)),
    "scales mixed, float32": mixed(-37, 30, (D, W), "float32"),
    "scales of documents": mixed(-300, 250, (D, 1)),
    "scales of words": mixed(-300, 250, (1, W)),
    "one huge document": with_one(1e250, document=3),
    "one tiny document": with_one(1e-300, document=0),
    "one huge word": with_one(1e250, word=3),
    "empty documents": with_one(0, document=slice(2, None, 3)),
    "all the same": np.ones((D, W)),
    "few that differ": np.repeat(PLAIN[:3], D // 3, axis=0),
    "no word in common": np.eye(D),
    "one word": np.arange(1.0, D + 1)[:, np.newaxis],
    "one word for all": with_one(0, word=slice(1, None)) + with_one(1, word=0) * (np.arange(W) == 0),
    "three tiny documents": 1e-200 * np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 4]]),
    "two documents": PLAIN[:2],
    "one document": PLAIN[:1],
}
WEIGHTS = {
    **{f"{size:g}": np.full(D, size) for size in (1e-320, 1e-300, 1e-30, 1e30, 1e300)},
    "mixed": 10.0 ** np.random.default_rng(2).uniform(-30, 30, D),
    "one": (np.arange(D) == 0) * 1.0,
    "one huge": np.where(np.arange(D) == 0, 1e100, 1.0),
}
MAY_BE_NAN = {"criterion_", "must_link_satisfied_", "cannot_link_satisfied_"}  # where there is nothing to say


def in_time(work):
    """What `work` returns; it is done in a process of its own, which may hang in compiled code."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_done, args=(work, there))
    child.start()
    there.close()
    try:
        assert here.poll(IN_TIME), "this does not come back"
        done, found = here.recv()
    finally:
        child.kill()
        child.join()
    assert done, found
    return found


def _done(work, there):
    try:
        there.send((True, work()))
    except BaseException:
        there.send((False, traceback.format_exc()))


def finite(value, name):
    """Whether all numbers of a value are; logarithms of zero, and what is said to be unknown, left out."""
    if name in MAY_BE_NAN or not isinstance(value, np.ndarray | float | list):
        return True
    numbers = np.asarray(value)
    if numbers.dtype.kind != "f":
        return True
    good = np.isfinite(numbers)
    return bool((good | np.isneginf(numbers)).all() if "log" in name else good.all())


def shown(error):
    """An error, and the last line of the package before it."""
    ours = [each for each in traceback.extract_tb(error.__traceback__) if "plsa" in Path(each.filename).parts]
    return f"{type(error).__name__}: {error}, at {ours[-1].filename}:{ours[-1].lineno}"


def refused_by_us(error):
    """Whether the error was raised by a line of the package, and not by what that calls."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return Path(last.filename).is_relative_to(Path(plsa.__file__).parent)


def trouble(work):
    """What is wrong with what comes of it; nothing where that is an answer, or an error of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=UserWarning)  # of ours: there is much to be said
        try:
            found = work()
        except Exception as error:
            return None if isinstance(error, ValueError) and refused_by_us(error) else shown(error)
    wrong = [name for name, value in found.items() if not finite(value, name)]
    return f"not finite: {wrong}" if wrong else None


def troubles(several):
    """The first that is wrong with each of several works, by name."""
    found = {name: trouble(work) for name, work in several.items()}
    return {name: each for name, each in found.items() if each}


def said(model, X):
    """All that a fitted estimator has to say, rows of probabilities summing to one."""
    found = answers(model, X)
    for name in ("predict_proba", "transform"):
        if name in found and (name != "transform" or hasattr(model, "components_")):
            np.testing.assert_allclose(found[name].sum(axis=1), 1, rtol=1e-4, err_msg=name)
    return found | learned(model)


def fitted(case, X, weight=None):
    """What a fit to documents says of these, and of ordinary ones."""
    y = Y[case.takes]
    fewer = {"components_per_class": 2} if "components_per_class" in case.parameters else {}
    given = {} if weight is None else {"sample_weight": weight}
    model = case.make(**fewer).fit(X, None if y is None else y[: len(X)], **given)
    said(model, np.tile(PLAIN, D)[:, : X.shape[1]])
    return said(model, X)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fits_to_extremes(case):
    """Every estimator, with documents and counts of every kind."""
    works = {name: partial(fitted, case, X) for name, X in INPUTS.items()}
    assert in_time(partial(troubles, works)) == {}


@pytest.mark.parametrize("case", [case for case in CASES if case.weighted], ids=str)
def test_weights_of_extremes(case):
    """Every estimator that takes weights, with weights of every size, in both types of numbers."""
    works = {
        f"{name}, {dtype}": partial(fitted, case, PLAIN.astype(dtype), weight)
        for name, weight in WEIGHTS.items()
        for dtype in ("float32", "float64")
    }
    assert in_time(partial(troubles, works)) == {}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_extremes_after_an_ordinary_fit(case):
    """What was learned from ordinary documents is asked about others."""

    def asked():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ordinary(case)
        few = {name: X for name, X in INPUTS.items() if X.shape[1] == W}
        return troubles({name: partial(said, model, X) for name, X in few.items()})

    assert in_time(asked) == {}


def ordinary(case, dtype="float64", **changes):
    """A fit to ordinary documents."""
    fewer = {"components_per_class": 2} if "components_per_class" in case.parameters else {}
    return case.make(**fewer | changes).fit(PLAIN.astype(dtype), Y[case.takes])


@pytest.mark.parametrize("model", {case.model: case for case in CASES}, ids=lambda model: model.__name__)
def test_parameters_at_their_limits(model):
    """The largest and the smallest numbers that a parameter may be, in both types of numbers."""
    case = next(each for each in CASES if each.model is model)
    others = ("C", "length", "prior_strength", "unlabeled_weight")  # which may be other than numbers, too
    found = model().get_params(deep=False)
    names = [name for name, value in found.items() if isinstance(value, float) or name in others]
    limits = [(name, value) for name in names for value in (0.0, 1e-30, 1e12)]

    def fits(name, value, dtype):
        return said(ordinary(case, dtype, **{name: value}), PLAIN)

    works = {
        f"{name}={value}, {dtype}": partial(fits, name, value, dtype)
        for name, value in limits
        for dtype in ("float32", "float64")
    }
    assert in_time(partial(troubles, works)) == {}


def shown_as_text(result):
    """A table or the like, which is made of all that was found."""
    return {"text": str(result)}


def asked_about(X):
    """A session with one answer of each class."""
    learner = ActiveLearner(MissingLabelPLSA(max_iter=2, random_state=0), X, [0, 1] + [-1] * (len(X) - 2))
    asked = learner.query(2)
    learner.tell(asked, [0, 1])
    return {"predict_proba": learner.predict_proba(), "asked": learner.query()}


FUNCTIONS = {
    "ActiveLearner": asked_about,
    "compare_pu": lambda X: shown_as_text(compare_pu(X, Y["positives"], [SpyEM(), RocchioSVM()], n_splits=2)),
    "heterogeneity": lambda X: {"volume": heterogeneity(PLSAClassifier(max_iter=2).fit(X, Y["classes"]), X)},
    "select_topics": lambda X: shown_as_text(
        select_topics(PLSAClassifier(max_iter=2), X, Y["classes"] % 2, candidates=(1, 2), cv=2)
    ),
    "simulate": lambda X: shown_as_text(
        simulate(NaiveBayesEM(max_iter=2), X, np.arange(len(X)) % 2, n_queries=2, repeats=1, initial=2)
    ),
    "top_words": lambda X: shown_as_text(top_words(PLSAClassifier(max_iter=2).fit(X, Y["classes"]))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_at_extremes(name):
    """Whatever else takes documents."""
    several = {kind: X for kind, X in INPUTS.items() if len(X) == D}
    works = {kind: partial(FUNCTIONS[name], X) for kind, X in several.items()}
    assert in_time(partial(troubles, works)) == {}


def test_scores_of_every_size():
    """The share of positives depends on the order of scores alone."""
    known = np.arange(60) < 20
    plain = np.random.default_rng(0).normal(size=60) + known
    wanted = estimate_prior(plain, known)
    for size in (1e-300, 1e-20, 1e20, 1e300):
        assert estimate_prior(plain * size, known) == wanted
    with pytest.warns(UserWarning, match="scores tell nothing"):
        assert np.isfinite(float(estimate_prior(np.zeros(60), known)))
    assert np.isfinite(float(estimate_prior(np.where(known, 1e308, -1e308), known)))
