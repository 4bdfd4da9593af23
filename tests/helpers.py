"""What several test files need: planted corpora, all that a fit has left, callbacks that stop."""

import re
from dataclasses import fields, is_dataclass
from functools import cache
from io import StringIO

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from plsa import _kernels
from plsa.datasets import planted_corpus

needs_threads = pytest.mark.skipif(not _kernels.OPENMP, reason="built without OpenMP")


METHODS = (
    "transform",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "joint_log_likelihood",
    "decision_function",
    "confidence",
)


def read_only(*arrays):
    """The arrays: what tests share, none of them can write to."""
    for array in arrays:
        parts = (array.data, array.indices, array.indptr) if sparse.issparse(array) else (array,)
        for part in parts:
            part.flags.writeable = False
    return arrays


@cache
def partly_labeled(n_documents, n_words, n_topics=8, *, every=6, seed=1, **options):
    """Documents of four classes, labels for one in `every` (-1 for the others), and the truth."""
    corpus = planted_corpus(n_documents, n_words, n_topics, n_classes=4, random_state=seed, **options)
    labels = np.where(np.arange(n_documents) % every == 0, corpus.target, -1)
    return read_only(corpus.counts, labels, corpus.target)


@cache
def partly_shown(n_documents, n_words, n_topics, n_shown, *, seed, **options):
    """Documents, 1 for some of the first class and 0 for all others, and which are of it in truth."""
    corpus = planted_corpus(n_documents, n_words, n_topics, random_state=seed, **options)
    truth = (corpus.target == 0).astype(int)
    shown = np.zeros(n_documents, dtype=int)
    shown[np.flatnonzero(truth)[:n_shown]] = 1
    return read_only(corpus.counts, shown, truth)


def learned(model):
    """All that a fit has left, by name."""
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def bits(value):
    """A value as something plain, which is equal to another where types, shapes and all bits are."""
    if isinstance(value, np.ndarray):
        plain = value.tolist() if value.dtype.kind == "O" else value.tobytes()
        return value.dtype.str, value.shape, plain
    if sparse.issparse(value):
        return bits(value.toarray())
    if isinstance(value, dict):
        return [(name, bits(each)) for name, each in value.items()]
    if isinstance(value, list | tuple):
        return [bits(each) for each in value]
    if isinstance(value, float):
        return bits(np.array(value))
    if hasattr(value, "get_params"):
        return type(value).__name__, bits(vars(value))
    if is_dataclass(value):
        return [bits(getattr(value, each.name)) for each in fields(value)]
    return value


def assert_same_bits(found, wanted):
    """All that two fits have left, or two values, are the same to the last bit."""
    if hasattr(found, "fit"):
        found, wanted = learned(found), learned(wanted)
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            assert bits(found[name]) == bits(value), name
    else:
        assert bits(found) == bits(wanted)


def answers(model, X):
    """What a fitted estimator says of documents, by method."""
    said = {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}
    return {name: each.toarray() if sparse.issparse(each) else each for name, each in said.items()}


def assert_usable(model, X, rtol=1e-4):
    """A fitted model: distributions are distributions, and documents get answers that are numbers."""
    said = answers(model, X)
    sums = {name: rows.sum(axis=1) for name, rows in said.items() if name in ("transform", "predict_proba")}
    for name, axis in (("components_", 1), ("doc_topic_", 1), ("transduction_", 1), ("mislabeling_", 0)):
        if hasattr(model, name):
            sums[name] = getattr(model, name).sum(axis=axis)
    if hasattr(model, "not_sure_"):
        sums["mislabeling_"] = sums["mislabeling_"] + model.not_sure_
    for name in ("topic_prior_", "class_prior_"):
        if np.ndim(getattr(model, name, 0)):
            sums[name] = getattr(model, name).sum()
    if not hasattr(model, "components_"):
        sums.pop("transform", None)  # of a scaler
    for name, each in sums.items():
        assert_allclose(each, 1, rtol=rtol, err_msg=name)
    assert not any(np.isnan(each).any() for each in said.values() if each.dtype.kind == "f")
    assert set(said.get("predict", ())) <= set(getattr(model, "classes_", ()))
    if hasattr(model, "transduction_"):
        assert len(model.guesses_) == len(model.transduction_)


def interrupting(whole, at):
    """A function that does what another one does, and raises KeyboardInterrupt after call `at`."""

    def interrupted(*arguments):
        interrupted.calls += 1
        result = whole(*arguments)
        if interrupted.calls == at:
            raise KeyboardInterrupt
        return result

    interrupted.calls = 0
    return interrupted


class Stopper:
    """A callback that at the n-th pass raises KeyboardInterrupt, or returns True; it remembers all passes."""

    def __init__(self, at=None, *, raises=False):
        self.at, self.raises, self.seen = at, raises, []

    @property
    def n(self):
        """Passes seen."""
        return len(self.seen)

    def __call__(self, state):
        self.seen.append((state.number, state.objective))
        if self.n == self.at and self.raises:
            raise KeyboardInterrupt
        return self.at is not None and self.n >= self.at


class Screen(StringIO):
    """What progress is shown on: a terminal, or a file."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        """Whether it is a terminal."""
        return self.terminal

    def shown(self):
        """All that could be read on it, one after the other."""
        return [line for line in re.split(r"[\r\n]", self.getvalue().replace("\x1b[K", "")) if line]

    def left(self):
        """The lines that could be read on it in the end."""
        assert self.terminal or "\r" not in self.getvalue()
        lines = self.getvalue().split("\n")
        return [line.rpartition("\r\x1b[K")[2] for line in lines if line.rpartition("\r\x1b[K")[2]]


@cache
def misleading():
    """One word tells the class; unlabeled documents pair it with the other words that labeled ones have.

    Topics of the unlabeled documents are those of their many other words, which for labeled documents go
    with the class in two cases of three only.
    """
    rng = np.random.default_rng(1)
    n_labeled, n_documents, n_others = 60, 1560, 8
    target = rng.integers(0, 2, n_documents)
    labeled = np.arange(n_documents) < n_labeled
    as_usual = labeled & (rng.random(n_documents) < 0.65)
    X = np.zeros((n_documents, 6 + 2 * n_others))
    for d, c in enumerate(target):
        X[d, 3 * c + rng.integers(0, 3)] += 1
        group = c if as_usual[d] else 1 - c
        others = rng.integers(0, n_others, 6 if labeled[d] else 60)
        X[d, 6 + n_others * group : 6 + n_others * (group + 1)] += np.bincount(others, minlength=n_others)
    return read_only(sparse.csr_array(X), np.where(labeled, target, -1))
