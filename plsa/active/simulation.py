"""Active learning with the answers known: what strategies would have saved, before a person is asked."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.active.learner import STRATEGIES, ActiveLearner, Strategy
from plsa.active.pool import FittedPool
from plsa.engine.progress import say
from plsa.show.inspection import aligned

_MARKS = 11  # places at which accuracy is measured, if not said otherwise
_SHOWN_EVERY = 5.0  # seconds between two lines of progress

Curves = NDArray[np.float64]  # (repeats, marks)


@dataclass(frozen=True, slots=True, repr=False)
class Simulation:
    """Learning curves of strategies, from `simulate`; shows itself as a table."""

    marks: NDArray[np.intp]  # answers after which accuracy was measured
    n_initial: float  # labels before the first answer, in the mean
    accuracy: dict[str, Curves]  # of each strategy, on held-out documents
    bound: NDArray[np.float64]  # (repeats,): accuracy with all labels known
    seconds: dict[str, NDArray[np.float64]]  # (repeats,): of query and tell for an answer, the median

    def area(self, name: str) -> NDArray[np.float64]:
        """The mean height of each repeat's curve: its area by the trapezoidal rule, divided by its width."""
        curves = self._curves(name)
        width = self.marks[-1] - self.marks[0]
        if width == 0:
            return curves[:, 0]
        return np.asarray(np.trapezoid(curves, self.marks, axis=1) / width)

    def labels_for(self, accuracy: float, name: str) -> float:
        """After how many answers the mean curve first reaches an accuracy; NaN where it does not.

        The curve is taken as straight between two marks.
        """
        curve = self._curves(name).mean(axis=0)
        reached = np.flatnonzero(curve >= accuracy)
        if not len(reached):
            return float("nan")
        first = int(reached[0])
        if first == 0:
            return float(self.marks[0])
        low, high = curve[first - 1], curve[first]
        part = (accuracy - low) / (high - low)
        return float(self.marks[first - 1] + part * (self.marks[first] - self.marks[first - 1]))

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

    def _curves(self, name: str) -> Curves:
        inputs.check_known(name, "strategy", list(self.accuracy))
        return self.accuracy[name]

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """A line a strategy: area under the curve, accuracy at the end, answers saved against "random"."""
        with_random = "random" in self.accuracy
        head = ["strategy", "area", f"after {self.marks[-1]}", "s/answer"]
        if with_random:
            head[3:3] = ["saved", "p"]
        rows = [head]
        for name in sorted(self.accuracy, key=lambda each: -self.area(each).mean()):
            row = [
                name,
                _spread(self.area(name)),
                _spread(self.accuracy[name][:, -1]),
                f"{np.mean(self.seconds[name]):.2f}",
            ]
            if with_random:
                other = name != "random"
                row[3:3] = [
                    _or_dash(self.saved(name), "{:.0%}") if other else "",
                    _or_dash(self.p_value(name), "{:.2g}") if other else "",
                ]
            rows.append(row)
        repeats = len(self.bound)
        note = (
            f"{repeats} repeat{'s' if repeats > 1 else ''}, {self.n_initial:g} labels at the start; accuracy "
            f"with all labels {_spread(self.bound)}."
        )
        return "\n".join([*aligned(rows), note])

    def plot(self, ax: Any = None) -> Any:
        """Draws the mean curve of each strategy and the 95% interval of the mean; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            What to draw on. None: a figure of its own.

        Returns
        -------
        matplotlib axes
        """
        ax = inputs.check_axes(ax, 6.5, 4.5)
        labels = self.marks + self.n_initial
        for name in sorted(self.accuracy, key=lambda each: -self.area(each).mean()):
            curves = self.accuracy[name]
            mean, half = curves.mean(axis=0), half_width(curves)
            (line,) = ax.plot(
                labels,
                mean,
                label=f"{name} ({self.area(name).mean():.3f})",
                linestyle="--" if name == "random" else "-",
                color="black" if name == "random" else None,
            )
            ax.fill_between(labels, mean - half, mean + half, color=line.get_color(), alpha=0.15, linewidth=0)
        ax.axhline(self.bound.mean(), color="grey", linewidth=0.8, linestyle=":", label="all labels")
        ax.set_xlabel("labels")
        ax.set_ylabel("accuracy on held-out documents")
        ax.legend(loc="lower right", title="area under the curve")
        return ax


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
    inputs.check_answering(estimator)
    n_documents = _num_samples(X)
    classes, code = inputs.check_all_labelled(y_true, n_documents)
    named = _named(strategies, n_documents)
    n_queries = inputs.check_whole(n_queries, "n_queries", 1)
    repeats = inputs.check_whole(repeats, "repeats", 1)
    initial = inputs.check_whole(initial, "initial", 0)
    batch_size = inputs.check_whole(batch_size, "batch_size", 1)
    inputs.check_seed(random_state)
    inputs.check_held_out(test)
    at = _marks(marks, n_queries)
    draws = [_draw(code, test, initial, (random_state, repeat)) for repeat in range(repeats)]
    for train, _, _ in draws:
        inputs.check_enough_to_ask(len(train) - initial * len(classes), n_queries)
    seeds = np.random.SeedSequence(random_state).generate_state(repeats).tolist()
    usual = {"batch_size": batch_size}
    jobs: list[tuple[str | None, int]] = [(None, repeat) for repeat in range(repeats)]
    jobs += [(name, repeat) for repeat in range(repeats) for name in named]
    pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    found = pool(
        joblib.delayed(_play)(
            estimator,
            X,
            classes[code],
            test,
            draws[repeat],
            name,
            None if name is None else {**usual, "random_state": seeds[repeat], **named[name]},
            at,
            repeat,
        )
        for name, repeat in jobs
    )
    bound = np.empty(repeats)
    accuracy = {name: np.empty((repeats, len(at))) for name in named}
    seconds = {name: np.empty(repeats) for name in named}
    began = shown = time.perf_counter()
    for done, (name, repeat, curve, each) in enumerate(found, 1):
        if name is None:
            bound[repeat] = curve[0]
        else:
            accuracy[name][repeat], seconds[name][repeat] = curve, each
        now = time.perf_counter()
        if verbose and (now - shown > _SHOWN_EVERY or done == len(jobs)):
            shown, passed = now, now - began
            left = passed / done * (len(jobs) - done)
            say(f"simulate: {done} of {len(jobs)} sessions, {passed:.0f} s, about {left:.0f} s left")
    n_initial = float(np.mean([len(known) for _, _, known in draws]))
    return Simulation(at, n_initial, accuracy, bound, seconds)


def _play(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    test: Any,
    draw: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    name: str | None,
    options: dict[str, Any] | None,
    marks: NDArray[np.intp],
    repeat: int,
) -> tuple[str | None, int, NDArray[np.float64], float]:
    """The curve of one session; or, without a strategy, the accuracy with all labels known."""
    train, held, known = draw
    pool, truth = _safe_indexing(X, train), y[train]
    new, true = test if isinstance(test, tuple) else (_safe_indexing(X, held), y[held])
    true = np.asarray(true)
    with warnings.catch_warnings():
        # With few labels they come by the hundred, and there is nobody to act on them.
        warnings.simplefilter("ignore", UserWarning)
        if options is None:
            model = FittedPool(estimator, pool).learn(truth.tolist()).estimator
            return name, repeat, np.array([np.mean(model.predict(new) == true)]), 0.0
        if options.get("cost") is not None:
            options = {**options, "cost": options["cost"][train]}
        labels = np.full(len(train), None, dtype=object)
        labels[known] = truth[known]
        learner = ActiveLearner(estimator, pool, labels, unlabeled=None, **options)
        curve, times, answered = [], [], 0
        while True:
            if answered in marks:
                curve.append(_accuracy(learner, new, true))
            if answered >= marks[-1]:
                break
            until = int(marks[marks > answered][0]) - answered
            began = time.perf_counter()
            asked = learner.query(min(learner.batch_size, until))
            learner.tell(asked, truth[asked])
            times.append((time.perf_counter() - began) / len(asked))
            answered += len(asked)
    return name, repeat, np.array(curve), float(np.median(times)) if times else 0.0


def _accuracy(learner: ActiveLearner, new: Any, true: NDArray[Any]) -> float:
    """On new documents; with fewer than two classes known, that of the one that is, or none."""
    names = list({str(label): label for label in learner.labels_ if label is not None}.values())
    if len(names) < 2:
        return float(np.mean(true == names[0])) if names else 0.0
    return float(np.mean(learner.predict(new) == true))


def _draw(
    code: NDArray[np.intp], test: Any, initial: int, seed: tuple[int, int]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Documents to learn from, documents held out, and places among the former that are labelled."""
    rng = np.random.default_rng(seed)
    held: list[int] = []
    if not isinstance(test, tuple):
        for each in range(int(code.max()) + 1):
            own = rng.permutation(np.flatnonzero(code == each))
            held += own[: round(test * len(own))].tolist()
        inputs.check_some_held_out(len(held), test)
    train = np.setdiff1d(np.arange(len(code)), held)
    known: list[int] = []
    for each in range(int(code.max()) + 1):
        own = np.flatnonzero(code[train] == each)
        inputs.check_enough_of_class(len(own), initial)
        known += rng.permutation(own)[:initial].tolist()
    return train, np.sort(np.array(held, dtype=np.intp)), np.array(sorted(known), dtype=np.intp)


def _named(strategies: Any, n_documents: int) -> dict[str, dict[str, Any]]:
    """The options of each strategy."""
    if isinstance(strategies, Mapping):
        pairs = [(str(name), _options(given, str(name))) for name, given in strategies.items()]
    else:
        several = [strategies] if isinstance(strategies, str) or callable(strategies) else list(strategies)
        pairs = [(getattr(each, "__name__", str(each)), {"strategy": each}) for each in several]
    inputs.check_names([name for name, _ in pairs])
    for _, options in pairs:
        inputs.check_strategy(options.get("strategy", "auto"), STRATEGIES)
        if options.get("cost") is not None:
            options["cost"] = inputs.check_cost(options["cost"], n_documents)
    return dict(pairs)


def _options(given: Any, name: str) -> dict[str, Any]:
    """Options of an `ActiveLearner`, or a strategy as one of them."""
    if isinstance(given, Mapping) and not any(each in STRATEGIES for each in given):
        return inputs.check_options(given, _OPTIONS, name)
    return {"strategy": given}


_OPTIONS = ("strategy", "batch_size", "density", "cost", "random_share", "quick", "random_state")


def _marks(marks: ArrayLike | None, n_queries: int) -> NDArray[np.intp]:
    if marks is None:
        return np.unique(np.linspace(0, n_queries, _MARKS).round().astype(np.intp))
    return inputs.check_marks(marks, n_queries)


def _spread(values: NDArray[np.float64]) -> str:
    """Mean and standard deviation; of one value none."""
    return f"{values.mean():.3f}" + (f" ±{values.std(ddof=1):.3f}" if len(values) > 1 else "")


def _or_dash(value: float, form: str) -> str:
    return "-" if np.isnan(value) else form.format(value)


def half_width(curves: Curves) -> NDArray[np.float64]:
    """Half the 95% interval of the mean at each mark, by Student's t; zero with one repeat."""
    n = len(curves)
    if n < 2:
        return np.zeros(curves.shape[1])
    return np.asarray(stats.t.ppf(0.975, n - 1) * curves.std(axis=0, ddof=1) / np.sqrt(n))
