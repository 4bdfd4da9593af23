"""Active learning with the answers known: what strategies would have saved, before a person is asked."""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.integrate import trapezoid
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.active.choosing import STRATEGIES, Strategy, check_cost, check_strategy
from plsa.active.learner import ActiveLearner, check_estimator, check_seed
from plsa.active.pool import FittedPool
from plsa.active.session import coded
from plsa.engine.parameters import Array, Codes, Floats, Places
from plsa.engine.progress import Progress
from plsa.estimators.base import copies_are_lost
from plsa.estimators.documents import check_documents
from plsa.estimators.validation import check_labels, read_labels
from plsa.inputs.structure import check_structure
from plsa.labels.reading import doubtful, is_unlabeled
from plsa.show import pictures
from plsa.show.tables import aligned

_MARKS = 11  # places at which accuracy is measured, if not said otherwise
_OPTIONS = ("strategy", "batch_size", "density", "cost", "random_share", "quick", "random_state", "wanted")

Curves = Floats  # (repeats, marks)
Job = tuple[str | None, int, dict[str, Any]]  # strategy, None for all labels known; repeat; options
Played = tuple[str | None, int, Floats, float]  # strategy; repeat; curve; seconds for an answer
Draw = tuple[Array, Array, Array]  # learned from; held out; places of labels among the former


@dataclass(frozen=True, slots=True, repr=False)
class Simulation:
    """Learning curves of strategies, from `simulate`; shows itself as a table."""

    marks: Places  # answers after which accuracy was measured
    n_initial: float  # labels before the first answer, on average
    accuracy: dict[str, Curves]  # of each strategy, on held-out documents
    bound: Floats  # (repeats,): accuracy with all labels known
    seconds: dict[str, Floats]  # (repeats,): of query and tell for an answer, the median

    def area(self, name: str) -> Floats:
        """The mean height of each repeat's curve: its area by the trapezoidal rule, divided by its width."""
        curves, width = self._curves(name), self.marks[-1] - self.marks[0]
        return np.asarray(trapezoid(curves, self.marks, axis=1) / width) if width else curves[:, 0]

    def labels_for(self, accuracy: float, name: str) -> float:
        """After how many answers the mean curve first reaches an accuracy; NaN where it does not.

        The curve is taken as straight between two marks.
        """
        curve = self._curves(name).mean(axis=0)
        reached = np.flatnonzero(curve >= accuracy)
        if not len(reached):
            return float("nan")
        last = int(reached[0])
        first = max(last - 1, 0)
        part = (accuracy - curve[first]) / (curve[last] - curve[first]) if last else 0.0
        return float(self.marks[first] + part * (self.marks[last] - self.marks[first]))

    def saved(self, name: str, than: str = "random") -> float:
        """The share of answers that a strategy saves: 1 - its answers for the other's best accuracy / those.

        The best accuracy is that of the other's mean curve; NaN where it is not reached or takes no answer.
        """
        best = float(self._curves(than).mean(axis=0).max())
        needed, other = self.labels_for(best, name), self.labels_for(best, than)
        return 1 - needed / other if other > 0 else float("nan")

    def p_value(self, name: str, than: str = "random") -> float:
        """Of the difference of areas: paired t-test over the repeats, two-sided; NaN with one repeat."""
        difference = self.area(name) - self.area(than)
        if len(difference) < 2 or np.ptp(difference) == 0:
            return float("nan") if len(difference) < 2 or difference[0] else 1.0
        return float(stats.ttest_1samp(difference, 0.0).pvalue)

    def ranked(self) -> list[str]:
        """The strategies, that with the largest area first."""
        return sorted(self.accuracy, key=lambda name: -self.area(name).mean())

    def _curves(self, name: str) -> Curves:
        if name not in self.accuracy:
            raise ValueError(f"there is no strategy {name!r}; there are {str([*self.accuracy])[1:-1]}.")
        return self.accuracy[name]

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """A line per strategy: area under the curve, accuracy at the end, answers saved against "random"."""
        with_random = "random" in self.accuracy
        compared = ["saved", "p"] if with_random else []
        rows = [["strategy", "area", f"after {self.marks[-1]}", *compared, "s/answer"]]
        for name in self.ranked():
            row = [name, _spread(self.area(name)), _spread(self.accuracy[name][:, -1])]
            if name == "random":
                row += ["", ""]
            elif with_random:
                figures = (self.saved(name), ".0%"), (self.p_value(name), ".2g")
                row += ["-" if np.isnan(value) else format(value, form) for value, form in figures]
            rows.append([*row, f"{np.mean(self.seconds[name]):.2f}"])
        repeats = inputs.counted(len(self.bound), "repeat")
        known = f"{self.n_initial:g} labels at the start; accuracy with all labels {_spread(self.bound)}."
        return "\n".join([*aligned(rows), f"{repeats}, {known}"])

    def plot(self, ax: Any = None) -> Any:
        """Draws the mean curve of each strategy and the 95% interval of the mean; needs matplotlib.

        On the axes `ax`, or where it is None on those of a new figure; returns the axes.
        """
        return pictures.learning_curves(self, ax)


def simulate(
    estimator: Any,
    X: Any,
    y_true: Any,
    strategies: Sequence[Strategy] | Mapping[str, Any] = ("auto", "random"),
    n_queries: int = 100,
    repeats: int = 5,
    *,
    initial: int = 1,
    test: Any = 0.2,
    marks: ArrayLike | None = None,
    batch_size: int = 1,
    n_jobs: int | None = 1,
    random_state: int = 0,
    verbose: int = 0,
) -> Simulation:
    """Plays active learning on documents whose labels are all known, strategy by strategy.

    In every repeat some documents are held out, and a session begins with a few labels of the others; all
    strategies have the same documents and the same labels. The session's questions are answered truly, and
    after some of them the estimator is fitted to what is known and judged by the documents held out.

    Parameters
    ----------
    estimator : classifier
    X : (n_documents, n_features) matrix, or a list of texts for a pipeline
    y_true : (n_documents,) array
        The class of every document.
    strategies : sequence or dict, default=("auto", "random")
        Strategies of `ActiveLearner`; or names of your choice and for each a strategy or the options of an
        `ActiveLearner`, such as {"margin, dense": {"strategy": "margin", "density": 0.5}}.
    n_queries : int, default=100
        How many documents are asked for.
    repeats : int, default=5
    initial : int, default=1
        Labels of each class at the start, drawn at random; 0: none, the learner begins with documents that
        are unlike each other.
    test : float or (X, y), default=0.2
        The share of documents that is held out, class by class; or documents of their own to judge by.
    marks : sequence of int, default=None
        The numbers of answers after which accuracy is measured: each needs a fit. None: eleven, from 0 to
        n_queries.
    batch_size : int, default=1
        Documents asked for at a time.
    n_jobs : int or None, default=1
        Sessions that are played at a time, in processes of their own; -1: as many as there are processors.
    random_state : int, default=0
        The same seed gives the same curves, whatever `n_jobs` is.
    verbose : int, default=0
        Shows progress where not 0.

    Returns
    -------
    Simulation
        Has `accuracy`, `area`, `labels_for`, `saved`, `p_value`, `table` and `plot`.

    Examples
    --------
    >>> from plsa import MissingLabelPLSA, simulate
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(200, 300, 4, n_classes=4, random_state=0)
    >>> played = simulate(
    ...     MissingLabelPLSA(evidence=False), corpus.counts, corpus.target, n_queries=20, repeats=2
    ... )
    >>> played.accuracy["auto"].shape
    (2, 11)
    >>> sorted(played.accuracy)
    ['auto', 'random']
    """
    check_estimator(estimator)
    check_documents(estimator, X)
    (X,) = indexable(X)
    n_documents = _num_samples(X)
    classes, code = _check_truth(y_true, n_documents)
    named = _named(strategies, n_documents)
    n_queries = inputs.check_whole(n_queries, "n_queries", 1)
    repeats = inputs.check_whole(repeats, "repeats", 1)
    initial = inputs.check_whole(initial, "initial", 0)
    batch_size = inputs.check_whole(batch_size, "batch_size", 1)
    check_seed(random_state)
    if not isinstance(test, tuple):
        inputs.check_share(test, "test")
    elif len(test) != 2:
        raise ValueError(f"test holds {len(test)} things, but must be a share, or documents and classes.")
    else:
        check_structure(test[0])
        inputs.check_entries(test[1], "test[1]", _num_samples(test[0]))
        check_labels(test[1], _num_samples(test[0]))
    at = _marks(marks, n_queries)
    draws = [_draw(code, test, initial, (random_state, repeat)) for repeat in range(repeats)]
    n_open = len(draws[0][0]) - initial * len(classes)  # the same in every repeat
    if n_open < n_queries:
        some = f"there {'is' if n_open == 1 else 'are'} {inputs.counted(n_open, 'document')}"
        raise ValueError(f"n_queries == {n_queries}, but {some} to ask for.")
    seeds = np.random.SeedSequence(random_state).generate_state(repeats).tolist()
    jobs: list[Job] = [(None, repeat, {}) for repeat in range(repeats)]
    for repeat, seed in enumerate(seeds):
        defaults = {"batch_size": batch_size, "random_state": seed}
        jobs += [(name, repeat, {**defaults, **options}) for name, options in named.items()]
    play = partial(_play, estimator, X, classes[code], test, at)
    pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    found = pool(joblib.delayed(play)(draws[job[1]], job) for job in jobs)
    bound = np.empty(repeats)
    accuracy = {name: np.empty((repeats, len(at))) for name in named}
    seconds = {name: np.empty(repeats) for name in named}
    with copies_are_lost("simulate"), Progress("simulate", bool(verbose)) as progress:
        progress.begin(f"{len(jobs)} sessions", len(jobs))
        began = time.perf_counter()
        for done, (name, repeat, curve, per_answer) in enumerate(found, 1):
            if name is None:
                bound[repeat] = curve[0]
            else:
                accuracy[name][repeat], seconds[name][repeat] = curve, per_answer
            left = (time.perf_counter() - began) / done * (len(jobs) - done)
            progress.step(f"about {left:.0f} s left")
        progress.end(f"{len(jobs)} sessions played")
    return Simulation(at, float(initial * len(classes)), accuracy, bound, seconds)


def _play(estimator: Any, X: Any, y: Array, test: Any, marks: Places, draw: Draw, job: Job) -> Played:
    """The curve of one session; or, without a strategy, the accuracy with all labels known."""
    (train, held, known), (name, repeat, options) = draw, job
    pool, truth = _safe_indexing(X, train), y[train]
    new, true = test if isinstance(test, tuple) else (_safe_indexing(X, held), y[held])
    true = np.asarray(true)
    with warnings.catch_warnings():
        # With few labels they come by the hundred, and there is nobody to act on them.
        warnings.simplefilter("ignore", UserWarning)
        if name is None:
            model = FittedPool(estimator, pool).learn(coded(truth.tolist()))
            return name, repeat, np.array([np.mean(model.predict(new) == true)]), 0.0
        if options.get("cost") is not None:
            options = {**options, "cost": options["cost"][train]}
        labels = np.full(len(train), None, dtype=object)
        labels[known] = truth[known]
        learner = ActiveLearner(estimator, pool, labels, unlabeled=None, **options)
        curve, times, answered = [], [], 0
        for mark in marks.tolist():
            while answered < mark:
                began = time.perf_counter()
                asked = learner.query(min(learner.batch_size, mark - answered))
                learner.tell(asked, truth[asked])
                times.append((time.perf_counter() - began) / len(asked))
                answered += len(asked)
            curve.append(_accuracy(learner, new, true))
    return name, repeat, np.array(curve), float(np.median(times)) if times else 0.0


def _accuracy(learner: ActiveLearner, new: Any, true: Array) -> float:
    """On new documents; with fewer than two classes known, that of the one that is, or none."""
    names = list({str(label): label for label in learner.labels_ if label is not None}.values())
    if len(names) < 2:
        return float(np.mean(true == names[0])) if names else 0.0
    return float(np.mean(learner.predict(new) == true))


def _draw(code: Codes, test: Any, initial: int, seed: tuple[int, int]) -> Draw:
    """The documents of one repeat, drawn class by class."""
    rng = np.random.default_rng(seed)
    classes = range(int(code.max()) + 1)
    held: list[int] = []
    if not isinstance(test, tuple):
        for own in [np.flatnonzero(code == of_class) for of_class in classes]:
            held += rng.permutation(own)[: round(test * len(own))].tolist()
        if not held:
            raise ValueError(f"test == {test!r} holds no document out: give a larger share.")
    train = np.setdiff1d(np.arange(len(code)), held)
    known: list[int] = []
    for own in [np.flatnonzero(code[train] == of_class) for of_class in classes]:
        if len(own) < initial:
            some = inputs.counted(len(own), "document")
            raise ValueError(f"initial == {initial}, but a class has {some} to learn from.")
        known += rng.permutation(own)[:initial].tolist()
    return train, np.sort(np.array(held, dtype=np.intp)), np.array(sorted(known), dtype=np.intp)


def _named(strategies: Any, n_documents: int) -> dict[str, dict[str, Any]]:
    """The options of each strategy."""
    if isinstance(strategies, Mapping):
        pairs = [(str(name), _options(given, str(name))) for name, given in strategies.items()]
    else:
        several = [strategies] if isinstance(strategies, str) or callable(strategies) else list(strategies)
        pairs = [(getattr(one, "__name__", str(one)), {"strategy": one}) for one in several]
    if not pairs:
        raise ValueError("strategies is empty: give at least one.")
    names = [name for name, _ in pairs]
    for name, options in pairs:
        if names.count(name) > 1:
            raise ValueError(f"two strategies are called {name!r}: give a dict of names and strategies.")
        check_strategy(options.get("strategy", "auto"))
        if options.get("cost") is not None:
            options["cost"] = check_cost(options["cost"], n_documents)
    return dict(pairs)


def _options(given: Any, name: str) -> dict[str, Any]:
    """Options of an `ActiveLearner`, or a strategy as one of them."""
    if not isinstance(given, Mapping) or any(option in STRATEGIES for option in given):
        return {"strategy": given}
    for option in given:
        if option not in _OPTIONS:
            raise ValueError(f"{name!r} has the option {option!r}, but may have {', '.join(_OPTIONS)}.")
    return dict(given)


def _marks(marks: ArrayLike | None, n_queries: int) -> Places:
    """Numbers of answers, ascending, from 0 to n_queries."""
    if marks is None:
        return np.unique(np.linspace(0, n_queries, _MARKS).round().astype(np.intp))
    places = np.asarray(marks)
    if places.ndim != 1 or not len(places) or places.dtype.kind not in "iu":
        raise ValueError(f"marks == {marks!r}, but must be whole numbers.")
    if places.min() < 0 or places.max() > n_queries:
        raise ValueError(f"marks == {marks!r}, but must be from 0 to n_queries, {n_queries}.")
    return np.unique(places).astype(np.intp)


def _check_truth(y: Any, n_documents: int) -> tuple[Array, Codes]:
    """At least two classes, and the place of each document's class among them."""
    inputs.check_entries(y, "y_true", n_documents)
    labels = check_labels(y, n_documents)
    for place in np.flatnonzero(is_unlabeled(labels, None)):
        label = labels.tolist()[place]
        raise ValueError(f"y_true holds {label!r} at {place}, but every document needs its class.")
    known = read_labels(labels, n_documents, None)
    classes, code = known.classes, known.code
    if len(classes) < 2:
        raise ValueError(f"y_true holds one class, {classes.tolist()[0]!r}, but at least two are needed.")
    for doubt in doubtful(classes) if classes.tolist() != [-1, 1] else ():
        found = f"y_true holds {classes.tolist()[doubt]!r} at {np.flatnonzero(code == doubt)[0]}"
        raise ValueError(f"{found}, which marks no label: leave it out, or rename the class.")
    return classes, code


def _spread(values: Floats) -> str:
    """Mean and standard deviation; of one value none."""
    return f"{values.mean():.3f}" + (f" ±{values.std(ddof=1):.3f}" if len(values) > 1 else "")
