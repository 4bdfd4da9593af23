"""A pool of documents, and what a model of its labels says of them.

Two kinds of pools answer the same questions. `FittedPool` is for every classifier, and for what is to be as
good as it can be: it fits the estimator itself. `QuickPool` is for our semi-supervised models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import normalize
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from plsa.engine.parameters import Array, Codes, Floats, Places
from plsa.estimators.scaling import CountScaler
from plsa.estimators.validation import check_counts
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning.scaling import TFIDF
from plsa.learning.scaling import vectors as vectors_of
from plsa.learning.student import probabilities

Documents = Places
Chances = Floats  # (n, C): P(class|document)


class Supposed(Protocol):
    """What would be said of some documents if one more were labeled."""

    def after(self, document: int, of_class: int) -> Chances:
        """P(class|document) of them, the document being of that class."""


class PoolModel(Protocol):
    """What some labels say of a pool."""

    @property
    def classes(self) -> Array:
        """The classes that have a label, sorted."""

    def chances(self, documents: Documents) -> Chances:
        """P(class|document) of documents of the pool."""

    def guesses(self, documents: Documents) -> Array:
        """The class that each of these documents is taken for."""

    def topics(self, documents: Documents) -> Floats:
        """P(topic|document) of documents of the pool."""

    def committee(self, documents: Documents, n_members: int, rng: np.random.RandomState) -> Array:
        """(members, n, C): what models say that could as well have been learned from these labels."""

    def suppose(self, judged: Documents) -> Supposed:
        """What would be said of documents of the pool after one more answer."""


class Pool(Protocol):
    """Documents that models are learned of."""

    def learn(self, labels: Labels) -> PoolModel:
        """The model of labels."""


class RememberedPool:
    """A pool and the model that was learned last, which is not learned again."""

    def __init__(self, pool: Pool, name: str) -> None:
        self.pool = pool
        self.name = name  # of the estimator
        self._labels: Labels | None = None
        self._model: PoolModel | None = None

    def learn(self, labels: Labels, *, keep: bool = True) -> PoolModel | None:
        """The model of labels; None where fewer than two classes are known."""
        before = self._labels
        if (
            before is not None
            and np.array_equal(labels.code, before.code)
            and np.array_equal(labels.classes, before.classes)
        ):
            return self._model
        model = self.pool.learn(labels) if len(labels.classes) > 1 else None
        if keep:
            self._labels, self._model = labels, model
        return model


def with_codes(labels: Labels, code: Codes) -> Labels:
    """Other codes of the same classes, but for those classes that have no label any more."""
    kept = np.unique(code[code != UNLABELED])
    place = np.full(len(labels.classes) + 1, UNLABELED, dtype=np.int32)  # the last is that of UNLABELED
    place[kept] = np.arange(len(kept))
    return Labels(labels.classes[kept], place[code])


def without(labels: Labels, documents: Any) -> Labels:
    """The labels but for those of some documents."""
    code = labels.code.copy()
    code[documents] = UNLABELED
    return with_codes(labels, code)


# --- any classifier ------------------------------------------------------------------------------


class FittedPool:
    """Documents that an estimator is fitted to: to all of them if it learns from unlabeled ones too."""

    def __init__(self, estimator: Any, X: Any, random_state: int = 0) -> None:
        self.estimator = clone(estimator)
        # What has no seed gets one: the same labels give the same model.
        unseeded = [name for name, value in estimator.get_params().items() if value is None]
        seeds = [name for name in unseeded if name.rpartition("__")[2] == "random_state"]
        self.estimator.set_params(**dict.fromkeys(seeds, random_state))
        self.X = X
        self.all_documents = takes_unlabeled(estimator)

    def learn(self, labels: Labels) -> FittedModel:
        """The estimator fitted to labels."""
        known = np.flatnonzero(labels.labeled)
        if not self.all_documents:
            return self.fitted_to(known, labels)
        model = clone(self.estimator)
        # Whatever marks the documents without a label, -1 may be a class here.
        model.set_params(**dict.fromkeys(_markers(model)))
        y = np.full(len(labels.code), None, dtype=object)
        y[known] = labels.classes[labels.code[known]].tolist()
        model.fit(self.X, y)
        return FittedModel(self, labels, model)

    def fitted_to(self, documents: Documents, labels: Labels) -> FittedModel:
        """The estimator fitted to some labeled documents alone, of which one may be there twice."""
        model = clone(self.estimator)
        model.fit(_safe_indexing(self.X, documents), labels.classes[labels.code[documents]])
        return FittedModel(self, labels, model)


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A fitted estimator."""

    pool: FittedPool
    labels: Labels
    estimator: Any

    @property
    def classes(self) -> Array:
        """The classes that have a label."""
        return np.asarray(self.estimator.classes_)

    def chances(self, documents: Documents) -> Chances:
        """What it says of documents; of those it was fitted to, what it knows of them."""
        known = self._transduction()
        if known is not None:
            return np.asarray(known[documents], dtype=np.float64)
        return chances(self.estimator, _safe_indexing(self.pool.X, documents))

    def guesses(self, documents: Documents) -> Array:
        """What it predicts; of documents that it was fitted to, what it has guessed."""
        known = self._transduction()
        if known is not None:
            return np.asarray(self.classes[known[documents].argmax(axis=1)])
        return np.asarray(self.estimator.predict(_safe_indexing(self.pool.X, documents)))

    def _transduction(self) -> Any:
        """P(class|document) of all documents, where the estimator has it."""
        known: Any = getattr(self.estimator, "transduction_", None)
        return known if np.shape(known) == (_num_samples(self.pool.X), len(self.classes)) else None

    def topics(self, documents: Documents) -> Floats:
        """What `transform` makes of documents."""
        return np.asarray(self.estimator.transform(_safe_indexing(self.pool.X, documents)), dtype=np.float64)

    def committee(self, documents: Documents, n_members: int, rng: np.random.RandomState) -> Floats:
        """What the estimator says after fits to other draws of the labeled documents, with replacement.

        One document of each class stays in every draw.
        """
        known, code = np.flatnonzero(self.labels.labeled), self.labels.code
        names = self.labels.classes.astype(str)
        members = []
        for _ in range(n_members):
            shuffled = rng.permutation(known)
            _, first = np.unique(names[code[shuffled]], return_index=True)
            drawn = rng.choice(known, size=len(known) - len(first))
            members.append(self._fitted_to(np.concatenate([shuffled[first], drawn])).chances(documents))
        return np.array(members)

    def _fitted_to(self, drawn: Documents) -> FittedModel:
        """The estimator fitted to a draw of labeled documents."""
        if self.pool.all_documents:  # a document cannot be labeled twice
            others = np.setdiff1d(np.arange(len(self.labels.code)), drawn)
            return self.pool.learn(without(self.labels, others))
        return self.pool.fitted_to(drawn, self.labels)

    def suppose(self, judged: Documents) -> FittedSupposed:
        """A fit after one more answer, for these documents."""
        return FittedSupposed(self, judged)


@dataclass(frozen=True, slots=True)
class FittedSupposed:
    """Fits the estimator anew for every answer that is supposed."""

    model: FittedModel
    judged: Documents

    def after(self, document: int, of_class: int) -> Chances:
        """P(class|document) of the judged documents, this one being of that class."""
        labels = self.model.labels
        code = labels.code.copy()
        code[document] = np.flatnonzero(labels.classes == self.model.classes[of_class])[0]
        return self.model.pool.learn(Labels(labels.classes, code)).chances(self.judged)


def takes_unlabeled(estimator: Any) -> bool:
    """Whether a classifier, or the last step of a pipeline, learns from documents without a label."""
    return bool(_markers(estimator))


def _markers(estimator: Any) -> list[str]:
    """The parameters that say what marks a document without a label."""
    return [name for name in estimator.get_params() if name.rpartition("__")[2] == "unlabeled"]


def chances(model: Any, X: Any) -> Chances:
    """P(class|document), or what stands for it: the softmax of decision values."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    decision = np.asarray(model.decision_function(X), dtype=np.float64)
    if decision.ndim == 1:
        decision = np.column_stack([-decision, decision]) / 2
    return probabilities(decision, 1.0)


# --- what may be made of documents without labels ------------------------------------------------


def counted(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of an estimator, and the matrix that it gets of the documents.

    The matrix is None where there is none before the labels are known: X is not one, and the steps before the
    last need labels, or there are none.
    """
    last, before = estimator, None
    if isinstance(estimator, Pipeline):
        last, before = estimator.steps[-1][1], estimator[:-1]
        if not len(before):
            before = None
    if before is None:
        return last, _matrix(X)
    try:
        return last, _matrix(clone(before).fit_transform(X))
    except (TypeError, ValueError):  # not every step that needs labels says so in its tags
        return last, None


def _matrix(X: Any) -> Any:
    """X as a matrix of numbers, None where it is not one."""
    plain = X.to_numpy() if hasattr(X, "to_numpy") else X
    dense = isinstance(plain, np.ndarray) and plain.ndim == 2 and plain.dtype.kind in "biuf"
    return plain if dense or sparse.issparse(plain) else None


def vectors(matrix: Any) -> sparse.csr_array:
    """Documents at unit length: log counts times idf; as they are where some are negative."""
    found = sparse.csr_array(matrix)
    if found.nnz and found.data.min() < 0:
        return sparse.csr_array(normalize(found.astype(np.float64)))
    counts = check_counts(CountScaler(), found, reset=True)
    return vectors_of(TFIDF.fit(counts), counts)
