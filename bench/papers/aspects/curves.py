"""The pictures: accuracy against the ratio of labels, with the printed points as hollow marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bench import report
from bench.papers.splits import RATIOS
from bench.papers.tables import Measured

# One colour a family of learners, whatever its setting.
COLOURS = {
    "soft": report.OURS,
    "hard": "#d98a3d",
    "fake": "#8a5fa8",
    "missing": "#3a8f5c",
    "supervised": "#444444",
    "nb": "#7fa6e0",
    "nb_em": "#2f4b9c",
    "lr": "#a7a35a",
    "svm": "#9a9a9a",
    "tsvm": "#1ba39c",
}
_LABELLED_TICKS = (0.003, 0.01, 0.05, 0.2, 1.0)


class Line(NamedTuple):
    """A curve: the learner, its name in the picture, and the style of its line."""

    learner: str
    label: str
    style: str = "-"
    width: float = 1.5

    @property
    def colour(self) -> str:
        """The colour of its family."""
        return COLOURS[self.learner.partition("-")[0]]


def grid(width: float, height: float, rows: int, columns: int) -> tuple[Any, list[Any]]:
    """A figure of several rows of panels."""
    made, (only,) = report.figure(width, height)
    only.remove()
    axes = made.subplots(rows, columns, squeeze=False)
    return made, list(axes.ravel())


def ratio_axis(axes: Any) -> None:
    """Ratios of labels from left to right, each step as wide as its factor."""
    axes.set_xscale("log")
    axes.set_xlim(RATIOS[0] * 0.88, RATIOS[-1] * 1.12)
    axes.set_xticks(_LABELLED_TICKS, [f"{100 * ratio:g}%" for ratio in _LABELLED_TICKS])
    axes.set_xticks([ratio for ratio in RATIOS if ratio not in _LABELLED_TICKS], minor=True, labels=[])
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)


def curves(
    axes: Any,
    measured: Measured,
    corpus: str,
    lines: Sequence[Line],
    what: str = "accuracy",
    scale: float = 100.0,
) -> list[tuple[str, str, float, float]]:
    """Draws the means and, around wide lines, one standard deviation; returns the ends for labels."""
    ends = []
    for line in lines:
        found = [
            (ratio, list(values.values()))
            for ratio in RATIOS
            if (values := measured.values(corpus, ratio, line.learner, what, scale))
        ]
        if not found:
            continue
        x = np.array([ratio for ratio, _ in found])
        mean = np.array([np.mean(values) for _, values in found])
        deviation = np.array([np.std(values, ddof=1) if len(values) > 1 else 0.0 for _, values in found])
        axes.plot(x, mean, line.style, color=line.colour, linewidth=line.width, marker="o", markersize=3)
        if line.width > 2:
            axes.fill_between(x, mean - deviation, mean + deviation, color=line.colour, alpha=0.12, lw=0)
        ends.append((line.label, line.colour, float(x[-1]), float(mean[-1])))
    return ends


def hollow(axes: Any, points: dict[float, float], colour: str, marker: str = "D") -> None:
    """Figures from elsewhere: hollow marks without a line."""
    axes.plot(
        list(points),
        list(points.values()),
        linestyle="none",
        marker=marker,
        markersize=6.5,
        markerfacecolor="white",
        markeredgecolor=colour,
        markeredgewidth=1.4,
        zorder=4,
    )


def label_ends(axes: Any, ends: Sequence[tuple[str, str, float, float]], gap: float) -> None:
    """`report.label_ends` once everything is drawn: fixes the limits first."""
    axes.set_xlim(axes.get_xlim())
    axes.set_ylim(axes.get_ylim())
    report.label_ends(axes, ends, gap)


def note(axes: Any, text: str) -> None:
    """A remark in the lower right corner."""
    axes.text(
        0.98, 0.03, text, transform=axes.transAxes, ha="right", va="bottom", fontsize=9, color=report.MUTED
    )
