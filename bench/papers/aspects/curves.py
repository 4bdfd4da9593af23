"""The pictures: accuracy against the ratio of labels, with the printed points as hollow marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bench.papers.aspects import tables
from bench.shared import draw, numbers
from bench.shared.cells import Measured
from bench.shared.splits import CORPORA, RATIOS

# One color a family of learners, whatever its setting.
COLORS = {
    "soft": draw.OURS,
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
_NAMED_TICKS = (0.003, 0.01, 0.05, 0.2, 1.0)


class Line(NamedTuple):
    """A curve: the learner, its name in the picture, and the style of its line."""

    learner: str
    label: str
    style: str = "-"
    width: float = 1.5

    @property
    def color(self) -> str:
        """The color of its family."""
        return COLORS[self.learner.partition("-")[0]]


def four(measured: Measured, width: float, height: float, y: str, x: str) -> tuple[Any, dict[str, Any]]:
    """A figure with a panel a corpus in two rows, axes named at the left and below."""
    made, panels = draw.figure(width, height, len(CORPORA), rows=2)
    for axes, title in zip(panels, CORPORA.values(), strict=True):
        axes.set_title(title)
    for axes in panels[::2]:
        axes.set_ylabel(y)
    for axes in panels[2:]:
        axes.set_xlabel(x.format(measured.trials()))
    return made, dict(zip(CORPORA, panels, strict=True))


def ratio_axis(axes: Any) -> None:
    """Ratios of labels from left to right, each step as wide as its factor."""
    axes.set_xscale("log")
    axes.set_xlim(RATIOS[0] * 0.88, RATIOS[-1] * 1.12)
    axes.set_xticks(_NAMED_TICKS, map(numbers.percent, _NAMED_TICKS))
    axes.set_xticks([ratio for ratio in RATIOS if ratio not in _NAMED_TICKS], minor=True, labels=[])
    draw.rules(axes, "y")


def lines(
    axes: Any,
    measured: Measured,
    corpus: str,
    drawn: Sequence[Line],
    what: str = "accuracy",
    scale: float = 100.0,
) -> list[tuple[str, str, float, float]]:
    """Draws the means and, around wide lines, one standard deviation; returns the ends for labels."""
    ends = []
    for line in drawn:
        found = {
            ratio: list(values.values())
            for ratio in RATIOS
            if (values := tables.values(measured, corpus, ratio, line.learner, what, scale))
        }
        if not found:
            continue
        x = np.array(list(found))
        mean = np.array([np.mean(values) for values in found.values()])
        deviation = np.array([np.std(each, ddof=1) if len(each) > 1 else 0.0 for each in found.values()])
        axes.plot(x, mean, line.style, color=line.color, linewidth=line.width, marker="o", markersize=3)
        if line.width > 2:
            axes.fill_between(x, mean - deviation, mean + deviation, color=line.color, alpha=0.12, lw=0)
        ends.append((line.label, line.color, float(x[-1]), float(mean[-1])))
    return ends
