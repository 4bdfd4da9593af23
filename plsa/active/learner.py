"""Active learning: which documents to label next, one answer after the other."""

from __future__ import annotations

import hashlib
import os
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.active import queries
from plsa.active.pool import (
    FittedPool,
    Pool,
    PoolModel,
    QuickPool,
    chances,
    counted,
    expected_losses,
    labelled,
    vectors,
)
from plsa.active.session import SessionLog
from plsa.labels.supervision import UNLABELLED, is_unlabelled
from plsa.learning.linked_means import centres, means

_MEMBERS = 4  # of a committee
_CANDIDATES = 30  # documents whose answers are supposed
_JUDGED = 200  # documents that supposed answers are judged by
_CLUSTERS = 30  # for the first questions
_CLUSTERED = 20_000  # documents: more are not needed to find them
_WINDOW = 20  # answers between two models whose guesses are compared
_WINDOWS = 3  # that have to agree
_STEADY = 0.98  # Cohen's kappa of guesses that hardly change any more
_FOLDS = 5
_LEVEL = 0.95  # of the interval of the accuracy

STRATEGIES = (
    "auto",
    "entropy",
    "least confidence",
    "margin",
    "vote entropy",
    "topic entropy",
    "committee",
    "expected log loss",
    "expected error",
    "random",
)
# Of the density, where none is given.
_DENSITY = {"auto": 0.5, "expected log loss": 0.5, "expected error": 0.5, "committee": 1.0}

Strategy = str | Mapping[str, float] | Callable[[NDArray[Any]], ArrayLike]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a person or the learner did."""

    kind: str  # "query", "tell", "volunteer", "skip" or "undo"
    indices: list[int] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)  # documents of a query that were drawn at random

    def line(self) -> dict[str, Any]:
        """What stands in the file of a session."""
        line = {"event": self.kind, "indices": self.indices, "labels": self.labels}
        return {**line, "drawn": self.drawn} if self.drawn else line


@dataclass(frozen=True, slots=True)
class Status:
    """How far a session has come; shows itself as a few lines to read."""

    n_labels: int
    n_open: int  # documents that could still be asked for
    n_drawn: int  # answered documents that were drawn at random
    accuracy: float | None  # on new documents like these; None where nothing is known of it
    low: float | None
    high: float | None
    agreement: list[float]  # kappa of the guesses of models 20 answers apart, the latest last
    stop: bool
    suggestion: str

    def __str__(self) -> str:
        if self.accuracy is None:
            accuracy = "accuracy: not known, no answered document was drawn at random"
        else:
            accuracy = (
                f"accuracy: {self.accuracy:.0%}, {_LEVEL:.0%} from {self.low:.0%} to {self.high:.0%} "
                f"({self.n_drawn} random documents)"
            )
        agreement = ", ".join(f"{each:.3f}" for each in self.agreement) or "not known yet"
        return (
            f"labels: {self.n_labels}, documents to ask for: {self.n_open}\n{accuracy}\n"
            f"agreement of guesses {_WINDOW} answers apart: {agreement}\n{self.suggestion}"
        )


class ActiveLearner:
    """Asks for the labels of documents, the most telling ones first, and learns from the answers.

    It owns indices: documents are rows of X, which is never copied; what a quick model makes of it is kept,
    counts scaled in two ways. `query` says which documents to look at, `tell` takes their labels. A document
    that was not asked for cannot be told by mistake: `volunteer` takes a label of one's own choice, `skip`
    leaves a document out, and `undo` takes the last of these back. `predict` fits the estimator to all that
    is known; questions are chosen by a quick model of it, in the time in which a person reads a document.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`. One that learns from unlabelled documents (it has a
        parameter `unlabeled`) gets all of them, any other the labelled ones. It is not changed.
    X : (n_documents, n_features) matrix, or a list of texts for a pipeline
    y : (n_documents,) array or None, default=None
        Labels that are known already; -1, None or NaN where there is none.
    strategy : str, dict or callable, default="auto"
        What makes a document worth asking for. As long as fewer than two classes are labelled there is no
        model to ask, and documents that are unlike each other come first (but for "random"). Then

        - "auto": the margin between the two most probable classes, times how much the document stands for
          others that are in doubt;
        - "entropy" of its class (Krithara's margin method), "least confidence" or "margin" alone;
        - "vote entropy" over the models so far, one for each question (Krithara's entropy method; the first
          question is one at random, as all votes are one);
        - "topic entropy" of P(topic|document), for estimators with topics;
        - "committee": disagreement of several models, times density (McCallum and Nigam). The members of our
          semi-supervised models start at draws from Dirichlet distributions, those of others learn from
          draws of the labelled documents;
        - "expected log loss", "expected error": how sure the model would be of others after the answer (Roy
          and McCallum). 30 candidates, the best of "auto", are tried on 200 documents; an estimator that is
          not one of ours is fitted for each candidate and class;
        - "random";
        - a dict such as {"margin": 2, "committee": 1} of strategies and weights: the weighted mean of ranks;
        - a function of (n, n_classes) probabilities that gives a score each.
    batch_size : int, default=1
        How many documents a query is for; those of a batch are taken for different classes.
    density : float, default=None
        Scores are multiplied by this power of how much a document stands for others: its mean cosine to all
        of them, for "auto" to those in doubt. Uncertain documents that are like no other teach little. None:
        0.5 for "auto" and what chooses candidates by it, 1 for "committee", 0 for all others, and for several
        strategies the largest of theirs.
    cost : (n_documents,) array, default=None
        What a label costs, such as the length of a document: scores are divided by it.
    random_share : float, default=0.0
        How many of the questions are drawn at random, such as 0.1: every tenth. From their answers `status`
        tells the accuracy; without any it cannot, as documents that were chosen are not like the others.
        They have no say in what is asked: else nobody would be asked about documents like them, and those
        would look harder than they are. `predict` learns from them too.
    quick : bool, default=True
        Whether a semi-supervised model of ours chooses questions after a few passes from the labels. If not,
        and for all other estimators, the estimator itself is fitted before every question.
    random_state : int, default=0
        Seed. The same answers give the same questions: an estimator without a seed gets this one.
    path : str or path, default=None
        A new file that every event is written to, and on the disk, before the call returns. `resume` goes on
        with it. `save` makes one later.
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
        All that happened and was not taken back.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import ActiveLearner, SoftMislabelingPLSA
    >>> texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team"]
    >>> truth = ["food", "food", "food", "sport", "sport", "sport"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> learner = ActiveLearner(SoftMislabelingPLSA(random_state=0), X)
    >>> for _ in range(3):
    ...     asked = learner.query()
    ...     learner.tell(asked, [truth[document] for document in asked])
    >>> (learner.predict() == truth).all()
    np.True_
    >>> learner.undo().kind, sum(label is not None for label in learner.labels_)
    ('tell', 2)
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        strategy: Strategy = "auto",
        *,
        batch_size: int = 1,
        density: float | None = None,
        cost: ArrayLike | None = None,
        random_share: float = 0.0,
        quick: bool = True,
        random_state: int = 0,
        path: str | os.PathLike[str] | None = None,
        unlabeled: Any = UNLABELLED,
    ) -> None:
        self.estimator = inputs.check_answering(estimator)
        self.X = X
        self.n_documents = _num_samples(X)
        self.strategy = strategy
        self._weights = inputs.check_strategy(strategy, STRATEGIES)
        if "topic entropy" in self._weights:
            inputs.check_transforms(estimator)
        self.batch_size = inputs.check_whole(batch_size, "batch_size", 1)
        self.density = self._power(density)
        self.cost = None if cost is None else inputs.check_cost(cost, self.n_documents)
        self.random_share = inputs.check_between(random_share, "random_share", 0.0, 1.0)
        self.quick = inputs.check_choice(quick, "quick", [True, False])
        self.random_state = inputs.check_seed(random_state)
        self.unlabeled = unlabeled
        self.labels_: list[Any] = _read(y, self.n_documents, unlabeled)
        self._initial = list(self.labels_)
        last, self._matrix = counted(estimator, X)
        if density:
            inputs.check_matrix(self._matrix, "density")
        self._vectors: sparse.csr_array | None = None
        self._densities: queries.Scores | None = None
        self._planned: _Clusters | None = None
        self._thorough = _Remembered(FittedPool(estimator, X, self.random_state))
        self._asked = self._thorough
        if quick and self._matrix is not None and QuickPool.serves(last):
            self._asked = _Remembered(QuickPool(last, self._matrix))
        self._guessed: dict[int, _Guesses] = {}
        self._forget()
        self._reserved = self._reserve()
        self._log: SessionLog | None = None
        if path is not None:
            self._log = SessionLog.create(path, self._header())

    def _power(self, density: float | None) -> float:
        """Of the density, as given or as the strategies have it."""
        if density is not None:
            return inputs.check_number(density, "density")
        return max((_DENSITY.get(name, 0.0) for name in self._weights), default=0.0)

    def _reserve(self) -> list[int]:
        """Documents to be drawn, in their order: a part of all that are open, whatever is asked later."""
        left = self._open()
        shuffled = np.random.RandomState(self.random_state).permutation(left)
        return shuffled[: int(np.ceil(self.random_share * len(left)))].astype(int).tolist()

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], estimator: Any, X: Any, y: Any = None, **options: Any
    ) -> Self:
        """The learner of a session's file as it was after its last whole line.

        Estimator, X, y and options are given as they were when the session began; what differs is an error.
        """
        learner = cls(estimator, X, y, **options)
        log, header, events = SessionLog.resume(path)
        inputs.check_same_session(header, {"format": header["format"], **learner._header()}, str(path))
        for number, line in enumerate(events, 2):
            inputs.check_event(line, learner.n_documents, str(path), number)
            learner._do(Event(line["event"], line["indices"], line["labels"], line.get("drawn", [])))
        learner._log = log
        return learner

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all that happened to a new file, which every event goes to from now on; see `resume`."""
        self._log = SessionLog.create(path, self._header(), [event.line() for event in self.history_])

    def __repr__(self) -> str:
        known = len(labelled(self.labels_))
        return (
            f"ActiveLearner({type(self.estimator).__name__}, {self.n_documents} documents, {known} labels, "
            f"{len(self.pending_)} to answer)"
        )

    def _header(self) -> dict[str, Any]:
        return {
            "n_documents": self.n_documents,
            "documents": _mark(self.X),
            "estimator": type(self.estimator).__name__,
            "labels": _digest([(type(label).__name__, label) for label in self._initial]),
            "strategy": "own" if callable(self.strategy) else self._weights,
            "batch_size": self.batch_size,
            "density": self.density,
            "cost": None if self.cost is None else _digest(self.cost.tolist()),
            "random_share": self.random_share,
            "quick": self.quick,
            "random_state": self.random_state,
        }

    def _forget(self) -> None:
        """Back to the beginning."""
        self.labels_ = list(self._initial)
        self.pending_: list[int] = []
        self.skipped_: set[int] = set()
        self.history_: list[Event] = []
        self._n_asked = 0  # documents in all queries so far, each once
        self._told: list[int] = []  # documents in the order of their labels
        self._drawn: set[int] = set()

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
            self._guessed = {place: guess for place, guess in self._guessed.items() if place < last}
            return
        self.history_.append(event)
        if event.kind == "query":
            self._n_asked += len(set(event.indices) - set(self.pending_))
            self._drawn.update(event.drawn)
            self.pending_ = list(event.indices)
            return
        self.pending_ = [each for each in self.pending_ if each not in set(event.indices)]
        if event.kind == "skip":
            self.skipped_.update(event.indices)
            return
        self._told += event.indices
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
                chosen, drawn = self._choose(left, n - len(self.pending_))
                self._record(Event("query", [*self.pending_, *chosen], drawn=drawn))
        return np.array(self.pending_[:n], dtype=np.intp)

    def tell(self, indices: ArrayLike, labels: Any) -> None:
        """The labels of documents that were asked for."""
        places, names = inputs.check_answers(indices, labels, self.n_documents, self.labels_, self.unlabeled)
        inputs.check_asked(places, self.pending_)
        self._record(Event("tell", places, names))

    def volunteer(self, indices: ArrayLike, labels: Any) -> None:
        """Labels of documents of one's own choice, asked for or not."""
        places, names = inputs.check_answers(indices, labels, self.n_documents, self.labels_, self.unlabeled)
        self._record(Event("volunteer", places, names))

    def skip(self, indices: ArrayLike) -> None:
        """Documents that are not to be asked for again; they may be volunteered."""
        places = inputs.check_open(indices, self.n_documents, self.labels_)
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

    def _without(self, documents: list[int]) -> list[Any]:
        """The labels of now but for those of some documents."""
        labels = list(self.labels_)
        for document in documents:
            labels[document] = None
        return labels

    def _shown(self, labels: list[Any]) -> list[Any]:
        """What the model that asks may know: not the labels of drawn documents, but that there is a class."""
        shown = [None if place in self._drawn else label for place, label in enumerate(labels)]
        met = {label for label in shown if label is not None}
        for place in self._told:
            if place in self._drawn and labels[place] is not None and labels[place] not in met:
                shown[place] = labels[place]
                met.add(labels[place])
        return shown

    def predict(self, X: Any = None) -> NDArray[Any]:
        """The classes of X, or of the session's own documents: their labels where there are any.

        The estimator is fitted to all that is known, unless it was already.
        """
        model = self._needed()
        if X is not None:
            return np.asarray(model.estimator.predict(X))
        return self._own_guesses(model)

    def predict_proba(self, X: Any = None) -> NDArray[Any]:
        """P(class|document) of X, or of the session's own documents; columns in the order of `classes_`."""
        model = self._needed()
        if X is not None:
            return chances(model.estimator, X)
        return np.asarray(model.chances(np.arange(self.n_documents)))

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes that have a label, sorted."""
        return np.asarray(self._needed().classes)

    @property
    def estimator_(self) -> Any:
        """The estimator fitted to all that is known."""
        return self._needed().estimator

    def _needed(self) -> Any:
        model = self._thorough.learn(self.labels_)
        inputs.check_model_exists(model)
        return model

    def _own_guesses(self, model: PoolModel) -> NDArray[Any]:
        """The most probable class of each document; its label where there is one."""
        guesses = model.guesses(np.arange(self.n_documents)).astype(object)
        for place, label in enumerate(self.labels_):
            if label is not None:
                guesses[place] = label
        return np.array(guesses.tolist())

    # --- when to stop ----------------------------------------------------------------------------

    def status(self, *, thorough: bool = False) -> Status:
        """How good the guesses are, whether they still change, and whether to stop.

        The accuracy is that of models which did not know the document: the answered documents that were drawn
        at random (see `random_share`) are held out in five parts, and the interval is Wilson's. It holds for
        new documents; of the open ones more are right, as those in doubt have been asked for. `thorough`
        takes the estimator itself, which is fitted five times and more; without it the quick models are
        judged, which are usually a little worse than what `predict` says.
        On two pairs of newsgroups, 24 of 80 answers being random, the interval held the accuracy on test
        documents in 57 of 60 sessions, and the estimate was one to two points low.
        Guesses have settled when models that are 20 answers apart agree, three times in a row, by Cohen's
        kappa of at least 0.98 (after Bloodgood and Vijay-Shanker, "A Method for Stopping Active Learning
        Based on Stabilizing Predictions", CoNLL 2009).
        """
        pool = self._thorough if thorough else self._asked
        accuracy = low = high = None
        drawn = [place for place in self._told if place in self._drawn]
        if drawn and pool.learn(self.labels_) is not None:
            right = self._right(pool, drawn)
            interval = binomtest(right, len(drawn)).proportion_ci(_LEVEL, method="wilson")
            accuracy, low, high = right / len(drawn), float(interval.low), float(interval.high)
        agreement = self._agreement(pool)
        steady = len(agreement) == _WINDOWS and min(agreement) >= _STEADY
        n_open = len(self._open())
        if not n_open:
            suggestion = "stop: no document is left to ask for"
        elif steady:
            suggestion = f"stop: guesses have hardly changed for {_WINDOW * _WINDOWS} answers"
        elif len(agreement) < _WINDOWS:
            suggestion = f"go on: there are no models {_WINDOW * _WINDOWS} answers apart to compare yet"
        else:
            suggestion = "go on: answers still change the guesses"
        return Status(
            len(labelled(self.labels_)),
            n_open,
            len(drawn),
            accuracy,
            low,
            high,
            agreement,
            steady or not n_open,
            suggestion,
        )

    def _right(self, pool: _Remembered, drawn: list[int]) -> int:
        """How many of these documents models guess that do not know their labels."""
        order = np.random.RandomState(self.random_state).permutation(drawn)
        right = 0
        for part in np.array_split(order, min(_FOLDS, len(order))):
            model = pool.learn(self._without(part.tolist()), keep=False)
            if model is not None:
                guess = model.guesses(part).tolist()
                right += sum(self.labels_[place] == each for place, each in zip(part, guess, strict=True))
        return right

    def _agreement(self, pool: _Remembered) -> list[float]:
        """Kappa of the guesses of models some answers apart on the open documents, the latest last."""
        left = self._open()
        guesses = []
        for back in range(0, min(len(self._told), _WINDOW * _WINDOWS) + 1, _WINDOW):
            labels = self._without(self._told[len(self._told) - back :] if back else [])
            model = pool.learn(labels, keep=back == 0)
            if model is None or not len(left):
                break
            guesses.append(model.guesses(left).astype(str))
        return [_kappa(old, new) for new, old in pairwise(guesses)][::-1]

    # --- choosing --------------------------------------------------------------------------------

    def _choose(self, left: NDArray[np.intp], n: int) -> tuple[list[int], list[int]]:
        """Documents to ask for, and those of them that are drawn at random, which come last."""
        # The seed of a question depends on what was answered before, not on how often was asked.
        rng = np.random.RandomState([self.random_state, len(self.history_)])
        n = min(n, len(left))
        if [*self._weights] == ["random"]:
            drawn = rng.permutation(left)[:n].tolist()
            return drawn, drawn
        still = set(left.tolist()) if self._reserved else set()
        kept = [place for place in self._reserved if place in still]
        due = int(self.random_share * (self._n_asked + n)) - int(self.random_share * self._n_asked)
        others = left[~np.isin(left, kept)]
        chosen = self._chosen(others, n - len(kept[:due]), rng)
        drawn = kept[: n - len(chosen)]  # all of them where no others are left
        return chosen + drawn, drawn

    def _chosen(self, left: NDArray[np.intp], n: int, rng: np.random.RandomState) -> list[int]:
        """The documents that are most worth asking for."""
        if min(n, len(left)) == 0:
            return []
        model, chance = self._said(left)
        if model is None or chance is None:
            return self._unlike(left, n).tolist()
        guesses = chance.argmax(axis=1)
        scores = self._scores(_Question(model, chance, guesses, left, n, rng))
        if self.cost is not None:
            scores = queries.per_cost(queries.from_zero(scores), self.cost[left])
        return left[queries.select(scores, n, rng, guesses)].tolist()

    def _said(self, left: NDArray[np.intp]) -> tuple[PoolModel | None, NDArray[np.float64] | None]:
        """The model that asks and what it says of documents; None where too little is known for any.

        Some estimators say so by an error.
        """
        labels = self._shown(self.labels_)
        try:
            model = self._asked.learn(labels)
            return model, None if model is None else model.chances(left)
        except ValueError as error:
            known = len(labelled(labels))
            warnings.warn(
                f"{type(self.estimator).__name__} cannot learn from {known} labels yet ({error}); documents "
                "that are unlike each other are asked for instead.",
                UserWarning,
                stacklevel=5,
            )
            return None, None

    def _scores(self, question: _Question) -> queries.Scores:
        """How much each document is worth asking for."""
        if callable(self.strategy):
            own = inputs.check_own_scores(self.strategy(question.chance), len(question.left))
            return self._weighed(own, question.left)
        each = {name: self._score(name, question) for name in self._weights}
        if len(each) == 1:
            return next(iter(each.values()))
        return queries.combined(each, self._weights)

    def _score(self, name: str, question: _Question) -> queries.Scores:
        model, chance, left = question.model, question.chance, question.left
        if name in ("expected log loss", "expected error"):
            return self._expected(name, question)
        if name == "random":
            return question.rng.uniform(size=len(left))
        if name == "auto":
            return self._auto(chance, left)
        if name == "entropy":
            scores = queries.entropy(chance)
        elif name == "least confidence":
            scores = queries.least_confidence(chance)
        elif name == "vote entropy":
            scores = queries.vote_entropy(self._votes(model)[left])
        elif name == "topic entropy":
            scores = queries.entropy(model.topics(left))
        elif name == "committee":
            scores = queries.disagreement(model.committee(left, _MEMBERS, question.rng))
        else:
            scores = queries.smallest_margin(chance)
        return self._weighed(scores, left)

    def _weighed(self, scores: queries.Scores, left: NDArray[np.intp]) -> queries.Scores:
        """Scores times the density of documents, as far as it is asked for and there is any."""
        if not self.density or self._matrix is None:
            return scores
        if self._densities is None:
            self._densities = queries.density(self._tfidf())
        return np.asarray(queries.from_zero(scores) * self._densities[left] ** self.density)

    def _auto(self, chance: NDArray[Any], left: NDArray[np.intp]) -> queries.Scores:
        """The margin, times a power of the density among documents by their margins."""
        margin = queries.smallest_margin(chance)
        if not self.density or self._matrix is None:
            return margin
        doubt = np.zeros(self.n_documents)
        doubt[left] = margin
        return np.asarray(margin * queries.density(self._tfidf(), doubt)[left] ** self.density)

    def _expected(self, name: str, question: _Question) -> queries.Scores:
        """What candidates are expected to save beside the worst of them; of all others minus infinity."""
        left, chance, rng = question.left, question.chance, question.rng
        number = max(_CANDIDATES, 3 * question.n)
        guesses = question.guesses if question.n > 1 else None  # a batch is of different classes
        candidates = queries.select(self._auto(chance, left), number, rng, guesses)
        judged = rng.permutation(left)[:_JUDGED]
        loss = "log" if name == "expected log loss" else "zero-one"
        losses = expected_losses(
            question.model,
            left[candidates],
            chance[candidates],
            judged,
            lambda found: queries.expected_loss(found, loss),
        )
        scores = np.full(len(left), -np.inf)
        scores[candidates] = losses.max() - losses
        return scores

    def _votes(self, model: PoolModel) -> NDArray[np.float64]:
        """Of all models that have chosen a question and had the classes of now, and of the present one."""
        votes = np.zeros((self.n_documents, len(model.classes)))
        everyone = np.arange(self.n_documents)
        labels = list(self._initial)
        for place, event in enumerate(self.history_):
            if event.kind == "query" and place not in self._guessed:
                shown = self._asked.learn(self._shown(labels), keep=False)
                self._guessed[place] = _guesses(shown, everyone)
            for index, label in zip(event.indices, event.labels, strict=False):
                labels[index] = label
        here = len(self.history_)  # where the question stands that is being chosen
        self._guessed[here] = _guesses(model, everyone)
        asked = [place for place, event in enumerate(self.history_) if event.kind == "query"]
        for guess in (self._guessed[place] for place in [*asked, here]):
            if guess is not None and guess[0] == model.classes.tolist():
                votes[everyone, guess[1]] += 1
        return votes

    def _tfidf(self) -> sparse.csr_array:
        """Documents as log counts times idf at unit length."""
        if self._vectors is None:
            pool = self._asked.pool
            self._vectors = pool.vectors if isinstance(pool, QuickPool) else vectors(self._matrix)
        return self._vectors

    def _unlike(self, left: NDArray[np.intp], n: int) -> NDArray[np.intp]:
        """Documents that stand for others and are unlike each other and those that were asked for before.

        One of each cluster, the next being large and far from those that were met. At random where there is
        no matrix.
        """
        rng = np.random.RandomState(self.random_state)
        shuffled = rng.permutation(self.n_documents)
        shuffled = shuffled[np.isin(shuffled, left)]
        if self._matrix is None:
            return shuffled[:n]
        if self._planned is None or len(self._planned.size) < n:
            self._planned = _cluster(self._tfidf(), max(n, _CLUSTERS), rng)
        plan, matrix = self._planned, self._tfidf()
        seen = [*self.skipped_, *self.pending_, *labelled(self.labels_)]
        # Of a document whose words are met nothing is new: its cluster is that of its nearest centre.
        met = np.unique((matrix[seen] @ plan.centre.T).argmax(axis=1)).tolist() if seen else []
        nearest = (plan.centre @ plan.centre[met].T).max(axis=1) if met else np.zeros(len(plan.size))
        free = ~np.isin(np.arange(len(plan.size)), met)
        fit = matrix[left] @ plan.centre.T
        chosen: list[int] = []
        while len(chosen) < n and free.any():
            best = int(np.argmax(np.where(free, np.sqrt(plan.size) * (1 - nearest), -np.inf)))
            place = int(np.argmax(fit[:, best]))
            if left[place] not in chosen:
                chosen.append(int(left[place]))
            nearest = np.maximum(nearest, plan.centre @ plan.centre[best])
            free[best] = False
        others = shuffled[~np.isin(shuffled, chosen)]
        return np.array([*chosen, *others[: n - len(chosen)]], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is known when documents are chosen."""

    model: PoolModel
    chance: NDArray[np.float64]  # P(class|document) of those that may be asked for
    guesses: NDArray[np.intp]
    left: NDArray[np.intp]
    n: int
    rng: np.random.RandomState


@dataclass(frozen=True, slots=True)
class _Clusters:
    """Groups of documents that are alike."""

    centre: NDArray[np.float64]  # (clusters, words), unit length
    size: NDArray[np.float64]


def _cluster(matrix: sparse.csr_array, number: int, rng: np.random.RandomState) -> _Clusters:
    """Clusters of documents, or of some of very many."""
    some = rng.permutation(matrix.shape[0])[:_CLUSTERED]
    part = sparse.csr_array(matrix[some])
    number = min(number, len(some))
    cluster = means(part, number, np.empty(0, dtype=np.intp), rng)
    size = np.bincount(cluster, minlength=number).astype(np.float64)
    return _Clusters(centres(part, cluster, number)[size > 0], size[size > 0])


_Guesses = tuple[list[Any], NDArray[np.intp]] | None  # classes, and the guessed one of each document


def _guesses(model: PoolModel | None, documents: NDArray[np.intp]) -> _Guesses:
    if model is None:
        return None
    return model.classes.tolist(), model.chances(documents).argmax(axis=1)


class _Remembered:
    """A pool and the model that was learnt last, which is not learnt again."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.labels: list[Any] | None = None
        self.model: PoolModel | None = None

    def learn(self, labels: list[Any], *, keep: bool = True) -> PoolModel | None:
        """The model of labels; None where fewer than two classes are known."""
        if labels == self.labels:
            return self.model
        model = None
        if len({label for label in labels if label is not None}) > 1:
            model = self.pool.learn(labels)
        if keep:
            self.labels, self.model = list(labels), model
        return model


def _mark(X: Any) -> int:
    """A number that other documents hardly have."""
    if sparse.issparse(X):
        rows = X.tocsr()
        parts = [rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]
    elif hasattr(X, "to_numpy") or isinstance(X, np.ndarray):
        plain = np.asarray(X)
        parts = [plain if plain.dtype.kind in "biuf" else repr(plain.tolist()).encode()]
    else:
        parts = [repr(list(X)).encode()]
    mark = 0
    for part in parts:
        mark = zlib.crc32(part if isinstance(part, bytes) else np.ascontiguousarray(part), mark)
    return mark


def _digest(values: list[Any]) -> str:
    """A few letters that other values hardly have."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def _kappa(old: NDArray[Any], new: NDArray[Any]) -> float:
    """Cohen's kappa; 1 where both are one and the same class throughout."""
    return 1.0 if np.array_equal(old, new) else float(cohen_kappa_score(old, new))


def _read(y: Any, n_documents: int, unlabeled: Any) -> list[Any]:
    """Labels as plain Python values, None where there is none."""
    if y is None:
        return [None] * n_documents
    labels = inputs.check_labels(y, n_documents)
    missing = is_unlabelled(labels, unlabeled)
    return [
        None if gone else inputs.plain_label(label)
        for label, gone in zip(labels.tolist(), missing.tolist(), strict=True)
    ]
