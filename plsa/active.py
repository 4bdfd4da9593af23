"""Active learning: which documents to label next, one answer after the other."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from plsa import inputs, queries
from plsa.linked_means import means, unit
from plsa.session import SessionLog
from plsa.supervision import UNLABELLED, is_unlabelled

# Strategies by what they are scores of. Class chances come from the estimator, topics from its transform.
_OF_CHANCES: dict[str, Callable[[NDArray[Any]], queries.Scores]] = {
    "entropy": queries.entropy,
    "least confidence": queries.least_confidence,
    "margin": queries.smallest_margin,
}
STRATEGIES = (*_OF_CHANCES, "vote entropy", "topic entropy", "random")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a person or the learner did."""

    kind: str  # "query", "tell", "volunteer", "skip" or "undo"
    indices: list[int] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)

    def line(self) -> dict[str, Any]:
        """What stands in the file of a session."""
        return {"event": self.kind, "indices": self.indices, "labels": self.labels}


class ActiveLearner:
    """Asks for the labels of documents, the most telling ones first, and learns from the answers.

    It owns indices: documents are rows of X, which is never copied as a whole. `query` says which documents
    to look at, `tell` takes their labels. A document that was not asked for cannot be told by mistake:
    `volunteer` takes a label of one's own choice, `skip` leaves a document out, and `undo` takes the last of
    these back. The model is fitted when a query or a prediction needs it.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`. One that learns from unlabelled documents (it has a
        parameter `unlabeled`) gets all of them, any other the labelled ones. It is not changed.
    X : (n_documents, n_features) matrix, or a list of texts for a pipeline
    y : (n_documents,) array or None, default=None
        Labels that are known already; -1, None or NaN where there is none.
    strategy : str or callable, default="entropy"
        What makes a document worth asking for. "entropy" of its class (Krithara's margin method), "least
        confidence", "margin" between the two most probable classes, "vote entropy" over the models so far,
        "topic entropy" of P(topic|document), "random", or a function of (n, n_classes) probabilities that
        gives a score each. As long as fewer than two classes are labelled there is no model to ask:
        documents that are unlike each other come first.
    batch_size : int, default=1
        How many documents a query is for; those of a batch are taken for different classes.
    density : float, default=0.0
        Scores are multiplied by this power of how much a document stands for others: its mean cosine to all
        of them, as TF-IDF. Uncertain documents that are like no other teach little. X must be a matrix.
    cost : (n_documents,) array, default=None
        What a label costs, such as the length of a document: scores are divided by it.
    random_state : int, default=0
        Seed. The same answers give the same questions.
    path : str or path, default=None
        A new file that every event is written to, and on the disk, before the call returns. `resume` goes on
        with it.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None and NaN do so always.

    Attributes
    ----------
    labels_ : list
        The label of each document, None where there is none.
    pending_ : list of int
        Documents that were asked for and neither told nor skipped.
    skipped_ : set of int
    history_ : list of Event
    estimator_ : classifier, fitted to what is known; None before there is a model
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        strategy: str | Callable[[NDArray[Any]], ArrayLike] = "entropy",
        *,
        batch_size: int = 1,
        density: float = 0.0,
        cost: ArrayLike | None = None,
        random_state: int = 0,
        path: str | os.PathLike[str] | None = None,
        unlabeled: Any = UNLABELLED,
    ) -> None:
        self.estimator = inputs.check_answering(estimator)
        self.X = X
        self.n_documents = _num_samples(X)
        self.strategy = strategy if callable(strategy) else inputs.check_strategy(strategy, STRATEGIES)
        if strategy == "topic entropy":
            inputs.check_transforms(estimator)
        self.batch_size = inputs.check_whole(batch_size, "batch_size", 1)
        self.density = inputs.check_number(density, "density")
        self._dense: queries.Scores | None = None
        if self.density:
            inputs.check_matrix(X, "density")
            self._dense = queries.density(_vectors(X))
        self.cost = None if cost is None else inputs.check_cost(cost, self.n_documents)
        self.random_state = inputs.check_whole(random_state, "random_state", 0)
        self.unlabeled = unlabeled
        self.labels_: list[Any] = _read(y, self.n_documents, unlabeled)
        self._initial = list(self.labels_)
        self._forget()
        self._log: SessionLog | None = None
        if path is not None:
            self._log = SessionLog.create(path, self._header())

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], estimator: Any, X: Any, y: Any = None, **options: Any
    ) -> Self:
        """The learner of a session's file as it was after its last whole line.

        Everything but the file is given as it was when the session began; the file knows the labels that were
        known then, and an error says where they differ.
        """
        learner = cls(estimator, X, y, **options)
        log, header, events = SessionLog.resume(path)
        inputs.check_same_session(header, {"format": header["format"], **learner._header()}, str(path))
        for line in events:
            learner._do(Event(line["event"], line["indices"], line["labels"]))
        learner._log = log
        return learner

    def _header(self) -> dict[str, Any]:
        labels = repr([(type(label).__name__, label) for label in self._initial])
        return {
            "n_documents": self.n_documents,
            "labels": hashlib.sha256(labels.encode()).hexdigest()[:16],
            "strategy": self.strategy if isinstance(self.strategy, str) else "own",
            "batch_size": self.batch_size,
            "density": self.density,
            "random_state": self.random_state,
        }

    def _forget(self) -> None:
        """Back to the beginning."""
        self.labels_ = list(self._initial)
        self.pending_: list[int] = []
        self.skipped_: set[int] = set()
        self.history_: list[Event] = []
        self.estimator_: Any = None
        self._fitted_to: int | None = None  # number of labels
        self._votes: NDArray[np.float64] | None = None

    # --- what happens ----------------------------------------------------------------------------

    def _record(self, event: Event) -> None:
        """First on the disk, then in memory: what was done is never forgotten."""
        if self._log is not None:
            self._log.append(event.line())
        self._do(event)

    def _do(self, event: Event) -> None:
        """Changes the state as an event says."""
        if event.kind == "undo":
            past = self.history_
            last = max(place for place, each in enumerate(past) if each.kind != "query")
            self._forget()
            for each in past[:last]:
                self._do(each)
            return
        self.history_.append(event)
        if event.kind == "query":
            if self.strategy == "vote entropy":
                self._count_votes()
            self.pending_ = list(event.indices)
            return
        self.pending_ = [each for each in self.pending_ if each not in set(event.indices)]
        if event.kind == "skip":
            self.skipped_.update(event.indices)
            return
        for index, label in zip(event.indices, event.labels, strict=True):
            self.labels_[index] = label
            self.skipped_.discard(index)

    def query(self, n: int | None = None) -> NDArray[np.intp]:
        """The rows of n documents to label, those that are still to be answered first.

        Fewer where no more are left. Asking again without an answer gives the same documents.
        """
        n = self.batch_size if n is None else inputs.check_whole(n, "n", 1)
        if len(self.pending_) < n:
            left = self._open()
            left = left[~np.isin(left, self.pending_)]
            if len(left):
                chosen = self._choose(left, n - len(self.pending_))
                self._record(Event("query", [*self.pending_, *chosen.tolist()]))
        return np.array(self.pending_[:n], dtype=np.intp)

    def tell(self, indices: ArrayLike, labels: Any) -> None:
        """The labels of documents that were asked for."""
        places, names = inputs.check_answers(indices, labels, self.n_documents, self.labels_)
        inputs.check_asked(places, self.pending_)
        self._record(Event("tell", places, names))

    def volunteer(self, indices: ArrayLike, labels: Any) -> None:
        """Labels of documents of one's own choice, asked for or not."""
        places, names = inputs.check_answers(indices, labels, self.n_documents, self.labels_)
        self._record(Event("volunteer", places, names))

    def skip(self, indices: ArrayLike) -> None:
        """Documents that are not to be asked for again; they may be volunteered."""
        places, _ = inputs.check_answers(indices, None, self.n_documents, self.labels_)
        inputs.check_asked(places, self.pending_)
        self._record(Event("skip", places))

    def undo(self) -> Event:
        """Takes back the last answer, volunteered label or skip, and returns it: all is as it was before."""
        inputs.check_undo(self.history_)
        last = next(each for each in reversed(self.history_) if each.kind != "query")
        self._record(Event("undo"))
        return last

    # --- what is known ---------------------------------------------------------------------------

    def _open(self) -> NDArray[np.intp]:
        """Documents without a label that were not skipped."""
        unknown = [
            place for place, label in enumerate(self.labels_) if label is None and place not in self.skipped_
        ]
        return np.array(unknown, dtype=np.intp)

    def _labelled(self) -> NDArray[np.intp]:
        return np.array(
            [place for place, label in enumerate(self.labels_) if label is not None], dtype=np.intp
        )

    def _model(self) -> Any:
        """The estimator fitted to the labels of now; None where fewer than two classes are known."""
        known = self._labelled()
        names = [self.labels_[place] for place in known]
        if len(set(names)) < 2:
            return None
        if self._fitted_to != len(known):
            self.estimator_ = clone(self.estimator)
            if takes_unlabelled(self.estimator):
                self.estimator_.fit(self.X, _marked(self.labels_))
            else:
                self.estimator_.fit(_safe_indexing(self.X, known), np.array(names))
            self._fitted_to = len(known)
        return self.estimator_

    def predict(self, X: Any = None) -> NDArray[Any]:
        """The classes of X, or of the session's own documents."""
        return np.asarray(self._needed().predict(self.X if X is None else X))

    def predict_proba(self, X: Any = None) -> NDArray[Any]:
        """P(class|document) of X, or of the session's own documents."""
        return _chances(self._needed(), self.X if X is None else X)

    def _needed(self) -> Any:
        model = self._model()
        inputs.check_model_exists(model)
        return model

    # --- choosing --------------------------------------------------------------------------------

    def _choose(self, left: NDArray[np.intp], n: int) -> NDArray[np.intp]:
        # The seed of a question depends on what was answered before, not on how often was asked.
        rng = np.random.RandomState([self.random_state, len(self.history_)])
        model = self._model()
        if model is None:
            return self._unlike(left, n, rng)
        if self.strategy == "random":
            return left[queries.select(np.zeros(len(left)), n, rng)]
        documents = _safe_indexing(self.X, left)
        chance = _chances(model, documents)
        guesses = chance.argmax(axis=1)
        scores = self._scores(model, documents, chance, left)
        if self._dense is not None:
            scores = scores * self._dense[left] ** self.density
        if self.cost is not None:
            scores = queries.per_cost(scores, self.cost[left])
        return left[queries.select(scores, n, rng, guesses)]

    def _scores(
        self, model: Any, documents: Any, chance: NDArray[Any], left: NDArray[np.intp]
    ) -> queries.Scores:
        if callable(self.strategy):
            return inputs.check_own_scores(self.strategy(chance), len(left))
        if self.strategy == "topic entropy":
            return queries.entropy(model.transform(documents))
        if self.strategy == "vote entropy":
            return self._vote_entropy(chance, left)
        return _OF_CHANCES[self.strategy](chance)

    def _count_votes(self) -> None:
        """A model that has chosen a question votes on all documents; with other classes votes begin anew."""
        model = self._model()
        if model is None:
            return
        chance = _chances(model, self.X)
        if self._votes is None or self._votes.shape != chance.shape:
            self._votes = np.zeros(chance.shape)
        self._votes[np.arange(self.n_documents), chance.argmax(axis=1)] += 1

    def _vote_entropy(self, chance: NDArray[Any], left: NDArray[np.intp]) -> queries.Scores:
        """Of the votes of all models that have chosen a question, and of the present one."""
        votes = np.zeros(chance.shape)
        if self._votes is not None and self._votes.shape[1] == chance.shape[1]:
            votes = self._votes[left].copy()
        votes[np.arange(len(left)), chance.argmax(axis=1)] += 1
        return queries.vote_entropy(votes)

    def _unlike(self, left: NDArray[np.intp], n: int, rng: np.random.RandomState) -> NDArray[np.intp]:
        """Documents that stand for others and are unlike each other; at random where X is no matrix."""
        n = min(n, len(left))
        if not inputs.is_matrix(self.X):
            return rng.permutation(left)[:n]
        matrix = _vectors(self.X[left])
        number = min(max(2, 3 * n), len(left))
        cluster = means(matrix, number, np.empty(0, dtype=np.intp), rng)
        inside = [np.flatnonzero(cluster == each) for each in range(number)]
        inside = [each for each in inside if len(each)]
        centre = np.array([unit(np.asarray(matrix[each].sum(axis=0)).ravel()) for each in inside])
        size = np.array([len(each) for each in inside], dtype=np.float64)
        nearest = np.zeros(len(inside))  # cosine to a cluster that was chosen
        chosen: list[int] = []
        while len(chosen) < min(n, len(inside)):
            best = int(np.argmax(np.where(size > 0, size * (1 - nearest), -np.inf)))
            own = inside[best]
            chosen.append(int(own[np.argmax(matrix[own] @ centre[best])]))
            nearest = np.maximum(nearest, centre @ centre[best])
            size[best] = 0.0
        others = [place for place in rng.permutation(len(left)).tolist() if place not in set(chosen)]
        return left[(chosen + others)[:n]]


def _vectors(X: Any) -> sparse.csr_array:
    """Documents as TF-IDF at unit length."""
    return sparse.csr_array(TfidfTransformer().fit_transform(sparse.csr_array(X)))


def takes_unlabelled(estimator: Any) -> bool:
    """Whether a classifier, or the last step of a pipeline, learns from documents without a label."""
    return any(name.rpartition("__")[2] == "unlabeled" for name in estimator.get_params())


def _read(y: Any, n_documents: int, unlabeled: Any) -> list[Any]:
    """Labels as plain Python values, None where there is none."""
    if y is None:
        return [None] * n_documents
    labels = inputs.check_labels(y, n_documents)
    missing = is_unlabelled(labels, unlabeled)
    return [None if gone else label for label, gone in zip(labels.tolist(), missing.tolist(), strict=True)]


def _marked(labels: Sequence[Any]) -> NDArray[Any]:
    """Labels as an array that says None where there is none."""
    marked = np.empty(len(labels), dtype=object)
    marked[:] = labels
    return marked


def _chances(model: Any, X: Any) -> NDArray[np.float64]:
    """P(class|document), or what stands for it: the softmax of decision values."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    decision = np.asarray(model.decision_function(X), dtype=np.float64)
    if decision.ndim == 1:
        decision = np.column_stack([-decision, decision]) / 2
    return np.asarray(softmax(decision, axis=1))
