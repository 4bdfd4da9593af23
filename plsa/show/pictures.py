"""Pictures of results: the only place that knows matplotlib."""

from typing import Any

import numpy as np
from scipy import stats

from plsa.engine.parameters import Floats


def check_matplotlib() -> Any:
    """matplotlib.pyplot, which only plots need."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'plsa-learn[plots]', or matplotlib.") from error
    return pyplot


def check_axes(ax: Any, width: float, height: float) -> Any:
    """The axes to draw on: those given, or those of a new figure of so many inches."""
    return check_matplotlib().subplots(figsize=(width, height))[1] if ax is None else ax


def half_width(curves: Floats) -> Floats:
    """Half the 95% interval of the mean of (repeats, marks) curves, by Student's t; zero with one repeat."""
    n = len(curves)
    if n < 2:
        return np.zeros(curves.shape[1])
    return np.asarray(stats.t.ppf(0.975, n - 1) * curves.std(axis=0, ddof=1) / np.sqrt(n))


def learning_curves(simulation: Any, ax: Any = None) -> Any:
    """The mean curve of each strategy of a `Simulation`, and the 95% interval of the mean."""
    ax = check_axes(ax, 6.5, 4.5)
    labels = simulation.marks + simulation.n_initial
    for name in simulation.ranked():
        curves = simulation.accuracy[name]
        mean, half = curves.mean(axis=0), half_width(curves)
        style = {"linestyle": "--", "color": "black"} if name == "random" else {}
        (line,) = ax.plot(labels, mean, label=f"{name} ({simulation.area(name).mean():.3f})", **style)
        ax.fill_between(labels, mean - half, mean + half, color=line.get_color(), alpha=0.15, linewidth=0)
    ax.axhline(simulation.bound.mean(), color="gray", linewidth=0.8, linestyle=":", label="all labels")
    ax.set_xlabel("labels")
    ax.set_ylabel("accuracy on held-out documents")
    ax.legend(loc="lower right", title="area under the curve")
    return ax


def positive_curves(comparison: Any, ax: Any = None) -> Any:
    """The curves of all classifiers of a `PositiveComparison`, the best first in the legend."""
    ax = check_axes(ax, 5.5, 5.5)
    drawn = [row for row in comparison.rows if row.curve is not None]
    for row in sorted(drawn, key=lambda row: -row.area):
        ax.plot(*row.curve, label=f"{row.name} ({row.area:.3f})", drawstyle="steps-post")
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
