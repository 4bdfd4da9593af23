"""A pool of documents: what a fitted estimator says of them, and where they lie among each other.

Two kinds of pools answer the same questions. `FittedPool` is for every classifier, and for what is to be as
good as it can be: it fits the estimator itself. `QuickPool` is for our semi-supervised models.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.active import queries
from plsa.baselines.neighbors import Graph, latent_words, nearest
from plsa.baselines.views import log_chances, split_views
from plsa.engine import blocks
from plsa.engine.parameters import Array, Codes, Floats, Places, Real
from plsa.estimators.documents import matrix_of, reads_texts, steps_of
from plsa.estimators.mixtures import NaiveBayesEM
from plsa.estimators.others import (
    chances,
    fitted_to,
    last_of,
    learns_by_codes,
    named,
    or_even,
    predicted,
    seeded,
    takes_unlabeled,
)
from plsa.estimators.positives import PositiveClassifier
from plsa.estimators.scaling import CountScaler
from plsa.estimators.validation import check_counts
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning.clusters import unit
from plsa.learning.scaling import TFIDF
from plsa.learning.scaling import vectors as vectors_of

_DIMENSIONS = 100  # of the space that documents lie in
_NEIGHBORS = 10  # of a document in the graph
_STOOD_FOR = 1000  # documents that others are to stand for

Documents = Places
Chances = Floats  # (n, C): P(class|document)


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
        self.estimator = seeded(estimator, random_state)  # the same labels give the same model
        self.X = X
        self.all_documents = takes_unlabeled(estimator)
        self.by_codes = learns_by_codes(estimator)
        self.of_positives = isinstance(last_of(estimator), PositiveClassifier)

    def knows_enough(self, labels: Labels) -> bool:
        """Whether there is something to learn: two classes, or a document that is wanted."""
        return len(labels.classes) > 1 or (self.of_positives and 1 in labels.classes.tolist())

    def learn(self, labels: Labels) -> "FittedModel":
        """The estimator fitted to labels."""
        return FittedModel(self, labels, _fitted(knowing(self.estimator, labels), self.X, labels))

    def fitted_to(self, documents: Documents, labels: Labels) -> "FittedModel":
        """The estimator fitted to some labeled documents alone, of which one may be there twice."""
        model = knowing(self.estimator, labels)
        model = _fitted(model, _safe_indexing(self.X, documents), labels.part(documents))
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
        return named(self.estimator, self.labels, self.estimator.classes_[self._met])

    @property
    def _met(self) -> Any:
        """Where the classes that have a label are among those of the estimator, which may declare others."""
        if self.pool.by_codes or not declared_by(self.estimator):
            return slice(None)
        return np.flatnonzero(np.isin(self.estimator.classes_, self.labels.classes))

    def chances(self, documents: Documents) -> Chances:
        """What it says of documents; of those it was fitted to, what it knows of them."""
        known = self._known
        if known is not None:
            return np.asarray(known[documents], dtype=np.float64)
        return self.chances_of(_safe_indexing(self.pool.X, documents))

    def guesses(self, documents: Documents) -> Array:
        """What it predicts; of documents that it was fitted to, what it has guessed."""
        known = self._known
        if known is not None:
            return np.asarray(self.classes[known[documents].argmax(axis=1)])
        return self.predict(_safe_indexing(self.pool.X, documents))

    def chances_of(self, X: Any) -> Chances:
        """What it says of any documents; all classes are as probable where no label reaches one."""
        return chances(self.estimator, X)[:, self._met]

    def predict(self, X: Any) -> Array:
        """The classes of any documents; the first where no label reaches one."""
        return predicted(self.estimator, self.labels, X)

    @property
    def _known(self) -> Chances | None:
        """P(class|document) of all documents, where the estimator has it."""
        if self.pool.by_codes:
            found = getattr(last_of(self.estimator), "label_distributions_", None)
            return None if found is None else or_even(found)
        found = getattr(self.estimator, "transduction_", None)
        shape = (_num_samples(self.pool.X), len(self.estimator.classes_))
        return np.asarray(found)[:, self._met] if getattr(found, "shape", None) == shape else None

    def topics(self, documents: Documents) -> Floats:
        """What `transform` makes of documents: P(topic|document)."""
        return np.asarray(self.estimator.transform(_safe_indexing(self.pool.X, documents)), dtype=np.float64)

    def committee(self, documents: Documents, n_members: int, rng: np.random.RandomState) -> Floats:
        """What the estimator says after fits to other draws of the labeled documents, with replacement.

        One document of each class stays in every draw. Naive Bayes has a posterior distribution to draw from.
        """
        if isinstance(last_of(self.estimator), NaiveBayesEM):
            last, X = _before_last(self.estimator, self.pool.X)
            return last.members(X, self.labels, n_members, rng)[:, documents]
        known, code = np.flatnonzero(self.labels.labeled), self.labels.code
        names = self.labels.classes.astype(str)
        members = []
        for _ in range(n_members):
            shuffled = rng.permutation(known)
            _, first = np.unique(names[code[shuffled]], return_index=True)
            drawn = rng.choice(known, size=len(known) - len(first))
            some = np.concatenate([shuffled[first], drawn])
            if self.pool.all_documents:  # a document cannot be labeled twice
                model = self.pool.learn(without(self.labels, np.setdiff1d(np.arange(len(code)), some)))
            else:
                model = self.pool.fitted_to(some, self.labels)
            members.append(model.chances(documents))
        return np.array(members)

    def suppose(self, judged: Documents) -> "FittedSupposed":
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


def _fitted(model: Any, X: Any, labels: Labels) -> Any:
    """The model, fitted; that a class has no example yet is no news in a session."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* no example in y", UserWarning)
        return fitted_to(model, X, labels)


def _before_last(estimator: Any, X: Any) -> tuple[Any, Any]:
    """What is left of fitted pipelines at their end, and what they make of documents for it."""
    *before, last = steps_of(estimator)
    if last is estimator:
        return last, X
    for step in before:
        X = step.transform(X)
    return _before_last(last, X)


def declared_by(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator, or of its steps, that declare classes, with what they declare."""
    given = estimator.get_params().items()
    return {name: each for name, each in given if name.rpartition("__")[2] == "classes" and each is not None}


def knowing(estimator: Any, labels: Labels) -> Any:
    """A copy that declares the classes of labels too, if it declares any: a new one is welcome."""
    wider: dict[str, Any] = {
        name: [*declared, *(each for each in labels.classes.tolist() if each not in list(declared))]
        for name, declared in declared_by(estimator).items()
    }
    if learns_by_codes(estimator):  # which are no classes of the user's
        wider = dict.fromkeys(wider)
    return clone(estimator).set_params(**wider)


# --- documents without labels --------------------------------------------------------------------


def counted(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of an estimator, and the matrix that it gets of the documents.

    The matrix is None where there is none before the labels are known: X is not one, and the steps before the
    last need labels, or there are none.
    """
    *before, last = steps_of(estimator)
    if before and reads_texts(before[0]):  # which needs no labels: what is wrong is the texts
        X = clone(before[0]).fit_transform(X)
        del before[0]
    try:
        for step in before:
            X = clone(step).fit_transform(X)
    except (TypeError, ValueError):  # not every step that needs labels says so in its tags
        return last, None
    return last, matrix_of(X)


def vectors(matrix: Any) -> sparse.csr_array:
    """Documents at unit length: log counts times idf; as they are where some are negative."""
    found = sparse.csr_array(matrix)
    if found.nnz and found.data.min() < 0:
        return sparse.csr_array(normalize(found.astype(np.float64)))
    counts = check_counts(CountScaler(), found, reset=True)
    return vectors_of(TFIDF.fit(counts), counts)


class Landscape:
    """The documents of a session, as soon as somebody needs them.

    As log counts times idf at unit length; and as counts, in two views.
    """

    def __init__(
        self, n_documents: int, matrix: Any, made: sparse.csr_array | None = None, groups: Any = None
    ) -> None:
        self.n_documents = n_documents
        self.groups = groups  # of columns, for two views; None: halves
        self.known = matrix is not None  # whether documents are rows of numbers, which lie somewhere
        self._matrix, self._made = matrix, made

    @cached_property
    def vectors(self) -> sparse.csr_array:
        """(D, W), rows at unit length."""
        return vectors(self._matrix) if self._made is None else self._made

    @cached_property
    def views(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """The counts of documents as two views have them; halves are always the same."""
        found = sparse.csr_array(self._matrix)
        if found.nnz and found.data.min() < 0:
            raise ValueError(f"X holds a negative number, {found.data.min():g}; views need counts >= 0.")
        first, second = (found[:, columns] for columns in split_views(self.groups, found.shape[1], 0))
        return first, second

    def said_by_views(self, labels: Labels, documents: Documents) -> list[Floats]:
        """(n, C) log P(class|document) by naive Bayes of either view, which has learned from labels alone."""
        known = np.flatnonzero(labels.labeled)
        models = [MultinomialNB().fit(view[known], labels.code[known]) for view in self.views]
        each = zip(models, self.views, strict=True)
        return [log_chances(model, view[documents]) for model, view in each]

    @cached_property
    def _space(self) -> Real:
        """(D, dimensions): where documents lie by the words that go together (LSA), rows at unit length.

        As they are, but for words that none has, where documents or words are few.
        """
        if min(self.vectors.shape) <= _DIMENSIONS:
            return self.vectors[:, np.unique(self.vectors.indices)].toarray().astype(np.float32)
        words = latent_words(self.vectors, _DIMENSIONS)[1]
        return unit(np.asarray(self.vectors @ words.T, dtype=np.float64)).astype(np.float32)

    @cached_property
    def graph(self) -> Graph:
        """The graph of the nearest documents in that space."""
        with threadpool_limits(1, user_api="blas"):  # the same bits, whatever else runs
            return nearest(self._space, self._space, _NEIGHBORS, others=True).graph()

    @cached_property
    def _others(self) -> Documents:
        """Documents that are to be stood for."""
        return np.random.RandomState(0).permutation(self.n_documents)[:_STOOD_FOR]

    @cached_property
    def _other_places(self) -> Real:
        return self._space[self._others]

    def _stands(self, documents: Any) -> Real:
        """(n, others): how far documents stand for the others."""
        return queries.standing_for(self._space[documents], self._other_places)

    def cover(self, documents: Documents, seen: Sequence[int], doubt: Floats | None = None) -> "Cover":
        """What documents stand for that those seen before do not; others count by their doubt, if given."""
        weight = np.ones(len(self._others)) if doubt is None else doubt[self._others]
        weight = weight / max(weight.sum(), np.finfo(float).tiny)
        covered = np.zeros(len(self._others), dtype=np.float32)
        for begin in range(0, len(seen), blocks.DOCUMENTS):
            part = self._stands(list(seen[begin : begin + blocks.DOCUMENTS]))
            np.maximum(covered, part.max(axis=0), out=covered)
        return Cover(self._stands(documents), covered, weight.astype(np.float32))


@dataclass(slots=True)
class Cover:
    """What documents stand for, and what those that were seen stand for.

    A document stands for another by max(0, cosine)^2, seen ones together by the largest of theirs.
    """

    stands: Real  # (n, others)
    covered: Real  # (others,)
    weight: Real  # of the others; they sum to one

    def news(self) -> queries.Scores:
        """(n,): the weighted mean of what each stands for beyond those seen."""
        added = self.stands - self.covered
        # Sums of other orders are other in their last digits: few of these decide.
        return np.round(np.maximum(added, 0, out=added) @ self.weight, 7).astype(np.float64)

    def see(self, place: int) -> None:
        """One of the documents is seen."""
        self.covered = np.maximum(self.covered, self.stands[place])
