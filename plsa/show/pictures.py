"""Pictures of results: of comparisons and of simulations."""

import textwrap
from typing import Any

import numpy as np
from scipy import stats

from plsa.engine.parameters import Floats
from plsa.show.drawing import COLORS, LINES, bare, check_axes, finished, kind

# How models of a comparison are drawn: color (Okabe and Ito), shape, filled or not.
_KINDS = {
    "compared with": ("#000000", "D", True),
    "really better": ("#009e73", "^", True),
    "not told apart": ("#0072b2", "o", True),
    "really worse": ("#d55e00", "s", False),
}


def _check_result(result: Any, has: str, maker: str) -> None:
    """Raises where a picture is given something else than what it is of."""
    if not hasattr(result, has):
        found = f"but was given something of type {type(result).__name__}"
        raise ValueError(f"this is a picture of what plsa.{maker} finds, {found}.")


def half_width(curves: Floats) -> Floats:
    """Half the 95% interval of the mean of (repeats, marks) curves, by Student's t; zero with one repeat."""
    n = len(curves)
    if n < 2:
        return np.zeros(curves.shape[1])
    return np.asarray(stats.t.ppf(0.975, n - 1) * curves.std(axis=0, ddof=1) / np.sqrt(n))


def learning_curves(simulation: Any, ax: Any = None) -> Any:
    """The mean curve of each strategy of a `Simulation`, and the 95% interval of the mean."""
    _check_result(simulation, "n_initial", "simulate")
    ax = check_axes(ax, 6.5, 4.5)
    labels = simulation.marks + simulation.n_initial
    others = [name for name in simulation.ranked() if name != "random"]
    for name in simulation.ranked():
        curves = simulation.accuracy[name]
        mean, half = curves.mean(axis=0), half_width(curves)
        style = {"linestyle": "--", "color": "black"} if name == "random" else kind(others.index(name))
        what = f"{name} ({simulation.area(name).mean():.3f})"
        (line,) = ax.plot(labels, mean, label=what, markersize=5, **style)
        ax.fill_between(labels, mean - half, mean + half, color=line.get_color(), alpha=0.15, linewidth=0)
    ax.axhline(simulation.bound.mean(), color="gray", linewidth=0.8, linestyle=":", label="all labels")
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, -0.02), min(high, 1.02))  # an interval may go beyond what an accuracy can be
    ax.set_xlabel("labels")
    ax.set_ylabel("accuracy on held-out documents")
    ax.legend(loc="lower right", title="area under the curve")
    bare(ax, grid="y")
    return finished(ax)


def session(statuses: Any, ax: Any = None) -> Any:
    """How good a session of `ActiveLearner` was known to be as answers came: accuracy, with its 95% interval.

    Parameters
    ----------
    statuses : list of what `ActiveLearner.status` said now and then, or one of these
        Those that knew no accuracy, as they had no random answers to judge by, are left out.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import ActiveLearner, MissingLabelPLSA, plots
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(100, 100, 4, n_classes=4, random_state=0)
    >>> learner = ActiveLearner(MissingLabelPLSA(evidence=False), corpus.counts, random_share=0.5)
    >>> said = []
    >>> for _ in range(3):
    ...     asked = learner.query(8)
    ...     learner.tell(asked, corpus.target[asked])
    ...     said.append(learner.status())
    >>> plots.session(said).lines[0].get_xdata().tolist()
    [8, 16, 24]
    """
    given = [*statuses] if isinstance(statuses, list | tuple) else [statuses]
    for each in given:
        if not hasattr(each, "n_drawn"):
            must = "must hold what learner.status() says, now and then"
            raise ValueError(f"statuses holds something of type {type(each).__name__}, but {must}.")
    known = [each for each in given if each.accuracy is not None]
    ax = check_axes(ax, 6.5, 4)
    labels = [each.n_labels for each in known]
    if known:
        low, high = [each.low for each in known], [each.high for each in known]
        (line,) = ax.plot(labels, [each.accuracy for each in known], **kind(0), label="accuracy")
        band = {"color": line.get_color(), "alpha": 0.15, "linewidth": 0}
        ax.fill_between(labels, low, high, **band, label="95% interval")
        ax.plot(labels, [each.macro_f1 for each in known], **kind(1), linestyle="--", label="macro-F1")
        ax.legend(loc="lower right")
    else:
        why = given[-1].unknown if given else "as there is no status"
        ax.text(0.5, 0.5, textwrap.fill(f"accuracy is not known, {why}", 50), ha="center", va="center")
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("labels")
    ax.set_ylabel("judged by random questions")
    bare(ax, grid="y")
    return finished(ax)


def positive_curves(comparison: Any, ax: Any = None) -> Any:
    """The curves of all classifiers of a `PositiveComparison`, the best first in the legend."""
    _check_result(comparison, "with_truth", "compare_pu")
    ax = check_axes(ax, 5.5, 5.5)
    drawn = [row for row in comparison.rows if row.curve is not None]
    for place, row in enumerate(sorted(drawn, key=lambda row: -row.area)):
        style = {"color": COLORS[place % len(COLORS)], "linestyle": LINES[place % len(LINES)]}
        ax.plot(*row.curve, label=f"{row.name} ({row.area:.3f})", drawstyle="steps-post", **style)
    ax.plot([0, 1], [0, 1], color="gray", linewidth=0.8, linestyle=":")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.01)
    taken, found = "unlabeled documents", "held-out positives"
    if comparison.with_truth:
        taken, found = "negatives", "positives"
    ax.set_xlabel(f"{taken} taken for positive, share")
    ax.set_ylabel(f"{found} found, share")
    if drawn:
        ax.legend(loc="lower right", title="area under the curve")
    else:
        ax.text(0.5, 0.5, "no curve: nothing was held out", ha="center", va="center")
    return ax


def accuracies(comparison: Any, ax: Any = None) -> Any:
    """The accuracy of every model of a `Comparison` with its interval of 95%, the best on top.

    Colors and shapes say which differences are real: blue, orange and gray are told apart by all eyes.
    """
    _check_result(comparison, "differences", "compare")
    names = [name for name in comparison.ranked() if not comparison[name].failure]
    failed = [name for name in comparison.ranked() if comparison[name].failure]
    ax = check_axes(ax, 6.5, 1.2 + 0.28 * len(comparison.rows))
    kinds: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for name in names:
        kind = "compared with"
        if name != comparison.reference:
            gap = comparison.differences[name]
            kind = "not told apart" if not gap.real else "really worse" if gap.mean < 0 else "really better"
        kinds[kind].append(name)
    place = {name: -row for row, name in enumerate([*names, *failed])}
    for kind, (color, marker, filled) in _KINDS.items():
        rows = [comparison[name] for name in kinds[kind]]
        if rows:
            ax.errorbar(
                [row.accuracy for row in rows],
                [place[row.name] for row in rows],
                xerr=np.abs([np.subtract(row.interval, row.accuracy) for row in rows]).T,
                fmt=marker,
                color=color,
                markerfacecolor=color if filled else "white",
                capsize=2,
                linewidth=1.2,
                label=f"{kind}: {rows[0].name}" if kind == "compared with" else kind,
            )
    ax.axvline(comparison[comparison.reference].accuracy, color="gray", linewidth=0.8)
    ax.axvline(comparison.largest, color="gray", linewidth=0.8, linestyle=":", label="the largest class")
    for name in failed:
        ax.text(0.02, place[name], "failed", transform=ax.get_yaxis_transform(), va="center", color="gray")
    ax.set_yticks([*place.values()], [*place])
    ax.set_ylim(0.6 - len(place), 0.6)
    ax.set_xlabel("accuracy on held-out documents, with 95% intervals")
    ax.grid(axis="x", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    ax.legend(loc="upper left", bbox_to_anchor=(0, 0), borderaxespad=5, fontsize="small", ncols=2)
    return ax


def topic_scores(selection: Any, ax: Any = None) -> Any:
    """The score of every number of topics of a `TopicSelection`, the best one marked.

    Scores of folds have a bar of one standard deviation to either side. Numbers that differ by class stand as
    the number of all topics.
    """
    _check_result(selection, "best_estimator", "select_topics")
    scores = selection.scores
    ax = check_axes(ax, 6, 3.8)
    at = np.arange(len(scores))
    value = np.array([score.score for score in scores])
    spread = None if scores[0].spread is None else [score.spread for score in scores]
    ax.errorbar(at, value, yerr=spread, color=COLORS[0], marker="o", capsize=2, linewidth=1.2)
    best = next(place for place, score in enumerate(scores) if score.topics == selection.best)
    ax.plot(
        at[best],
        value[best],
        "D",
        color=COLORS[1],
        markersize=9,
        label=f"best: {selection.best!r:.40}",
        zorder=3,
    )
    plain = all(isinstance(score.topics, int) for score in scores)
    ax.set_xticks(at, [str(score.topics if plain else score.n_topics) for score in scores])
    ax.set_xlabel(selection.parameter.rpartition("__")[2] if plain else "topics in all")
    folds = selection.criterion in ("cv", "heterogeneity")
    ax.set_ylabel(
        "score on held-out documents" if folds else f"{selection.criterion.upper()}, lower is better"
    )
    ax.legend()
    bare(ax, grid="both")
    return finished(ax)
