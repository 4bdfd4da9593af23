"""Pictures: one style, colors, axes of labels, names at the ends of lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.shared.report import say

INK = "#222222"
MUTED = "#767676"
OURS = "#c8321e"
COLORS = ("#2b6ca3", "#3a8f5c", "#8a5fa8", "#b07d1a", "#4f9fb0", "#777777")


def figure(width: float, height: float, panels: int = 1, rows: int = 1) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, in rows, drawn without a screen and without clutter."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "font.size": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": MUTED,
            "axes.labelcolor": INK,
            "axes.titlecolor": INK,
            "axes.titlelocation": "left",
            "axes.titlesize": 12,
            "xtick.color": MUTED,
            "ytick.color": MUTED,
            "text.color": INK,
        }
    )
    made, axes = pyplot.subplots(rows, panels // rows, figsize=(width, height), squeeze=False)
    return made, list(axes.ravel())


def rules(axes: Any, axis: str = "both") -> None:
    """Faint lines behind all that is drawn."""
    axes.grid(axis=axis, color="#eeeeee" if axis == "both" else "#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)


def log_labels(axes: Any, ticks: Iterable[int], low: float, high: float) -> None:
    """Numbers of labels from left to right, each step as wide as its factor; ticks at these only."""
    ticks = list(ticks)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, map(str, ticks))
    axes.set_xticks([], minor=True)
    rules(axes, "y")


def hollow(axes: Any, points: dict[Any, float], color: str, marker: str = "D", **style: Any) -> None:
    """Figures from elsewhere: hollow marks without a line."""
    axes.plot(
        list(points),
        list(points.values()),
        **{
            "linestyle": "none",
            "marker": marker,
            "markersize": 6.5,
            "markerfacecolor": "white",
            "markeredgecolor": color,
            "markeredgewidth": 1.4,
            "zorder": 4,
            **style,
        },
    )


def legend_below(made: Any, axes: Any, columns: int = 4) -> None:
    """One legend for all panels, under them, from what one of them shows."""
    handles, labels = axes.get_legend_handles_labels()
    made.legend(handles, labels, loc="lower center", ncols=columns, fontsize=9, frameon=False)
    made.tight_layout(rect=(0, 0.1, 1, 1))


def save_figure(made: Any, path: Path) -> None:
    """Writes a PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made.savefig(path, dpi=150, bbox_inches="tight", facecolor="white")
    say(f"drawn: {path.name}")


def label_ends(axes: Any, lines: Sequence[tuple[str, str, float, float]], gap: float) -> None:
    """Names at the right edge, each joined to the end of its line, none over another.

    A line is its label, its color and the point where it ends; `gap` is the least distance of two
    labels, as a part of the height. To be called when all is drawn: the limits of the axes stay.
    """
    axes.set_xlim(axes.get_xlim())
    axes.set_ylim(axes.get_ylim())
    to_axes = axes.transAxes.inverted()
    heights = [to_axes.transform(axes.transData.transform((x, y)))[1] for _, _, x, y in lines]
    for (label, color, x, y), height in zip(lines, apart(heights, gap, 0.0, 1.0), strict=True):
        joint = {"arrowstyle": "-", "color": color, "lw": 0.6, "alpha": 0.5}
        axes.annotate(
            label,
            xy=(x, y),
            xytext=(1.03, height),
            textcoords="axes fraction",
            color=color,
            va="center",
            fontsize=9.5,
            linespacing=0.95,
            annotation_clip=False,
            arrowprops={**joint, "relpos": (0, 0.5), "shrinkB": 4},
        )


def apart(wanted: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Positions for labels near the wanted ones, at least `gap` apart, from `low` up and to `high`.

    Their order is kept. Where there is no room for all of them they go beyond `high`.
    """
    order = sorted(range(len(wanted)), key=lambda each: wanted[each])
    # Labels that touch become one block, which sits at the mean of what its members want.
    blocks: list[list[int]] = []
    for each in order:
        blocks.append([each])
        while len(blocks) > 1 and _bottom(blocks[-1], wanted, gap) < _top(blocks[-2], wanted, gap):
            above = blocks.pop()
            blocks[-1] += above
    placed = [0.0] * len(wanted)
    for block in blocks:
        for rank, each in enumerate(block):
            placed[each] = _bottom(block, wanted, gap) + gap * (rank + 0.5)
    for each in reversed(order):
        placed[each] = high = min(placed[each], high - gap / 2)
        high -= gap / 2
    for each in order:
        placed[each] = low = max(placed[each], low + gap / 2)
        low += gap / 2
    return placed


def _bottom(block: list[int], wanted: Sequence[float], gap: float) -> float:
    return sum(wanted[each] for each in block) / len(block) - gap * len(block) / 2


def _top(block: list[int], wanted: Sequence[float], gap: float) -> float:
    return _bottom(block, wanted, gap) + gap * len(block)
