"""Our default against all other methods of the package, cell by cell

The methods of chapter 2 of Krithara's thesis and those that learn from the labels alone, as
`plsa.compare(X, y, ["all"])` has them, each with its defaults, on the splits of the evaluation protocol.
Accuracy in percent, mean and standard deviation over the splits; those that no other table has over three
splits of the small corpora and one of the large ones, where a fit may take minutes (in brackets). Methods of
two views have no natural ones here: they split the words at random, which is hard on them. The last rows have
the best of the others in each cell, chosen afterwards on the test documents, which is hard on ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.papers.aspects import fits, protocol, tables
from bench.papers.aspects.learners import BASELINES, RIVALS, learner
from bench.papers.aspects.protocol import MAIN, RATIOS
from bench.shared import cells, draw, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "baselines"
CELLS = fits
OTHERS = (*RIVALS, *BASELINES)
CLOSE = 1.0  # points
# How many splits the other methods have.
SPLITS = {"20news": 1, "webkb": 3, "reuters7": 3, "enron": 1}


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table; the splits that `protocol` has of its own rivals are shown, too."""
    yield from protocol.wanted(options)
    for place, seed in enumerate(options.seeds):
        corpora = [corpus for corpus in splits.CORPORA if place < SPLITS[corpus]]
        some = argparse.Namespace(**vars(options) | {"seeds": [seed]})
        yield from fits.cells(some, corpora, RATIOS, BASELINES)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts, differences = [], {}
    titles = {MAIN: f"plsa: {learner(MAIN).title}"} | {name: learner(name).title for name in OTHERS}
    for corpus in splits.CORPORA:
        rows = tables.across(measured, corpus, RATIOS, titles)
        named, gained = ["best of the others"], ["ours beside it"]
        for ratio in RATIOS:
            ours = tables.values(measured, corpus, ratio, MAIN)
            best = _best(measured, corpus, ratio)
            if not ours or best is None:
                named.append("-")
                gained.append("-")
                continue
            theirs = tables.values(measured, corpus, ratio, best)
            both = sorted(ours.keys() & theirs.keys())
            gain = float(np.mean([ours[split] - theirs[split] for split in both]))
            apart = numbers.better(ours, theirs) or numbers.better(theirs, ours)
            differences[corpus, ratio] = gain
            named.append(titles[best])
            gained.append(f"{gain:+.1f}" + ("\\*" if apart else ""))
        parts += [
            f"## {splits.CORPORA[corpus]}",
            report.table(["", *map(numbers.percent, RATIOS)], [*rows, named, gained]),
        ]
    _draw(measured, titles, folder / f"{NAME}.png")
    note = (
        "*Ours beside it*: over the splits that both have; \\* where a paired t-test at 5% tells them apart."
    )
    return [_said(differences), *parts, tables.BOLD, note, f"![Accuracy of all methods]({NAME}.png)"]


def _best(measured: Measured, corpus: str, ratio: float) -> str | None:
    """The other method with the best mean."""
    means = {name: tables.mean(measured, corpus, ratio, name) for name in OTHERS}
    known = {name: mean for name, mean in means.items() if mean is not None}
    return max(known, key=known.__getitem__, default=None)


def _said(differences: dict[tuple[str, float], float]) -> str:
    """In how many cells ours is ahead, and where it is behind."""
    if not differences:
        return ""
    behind = [
        f"{splits.CORPORA[corpus]} {numbers.percent(ratio)} ({gain:+.1f})"
        for (corpus, ratio), gain in differences.items()
        if gain < 0
    ]
    each = np.array(list(differences.values()))
    text = (
        f"Ours is ahead of the best of {len(OTHERS)} others in {np.sum(each >= 0)} of {len(each)} cells, and "
        f"within {CLOSE:g} point or ahead in {np.sum(each >= -CLOSE)}; on average {each.mean():+.1f}"
    )
    return f"{text}. Behind: {', '.join(behind)}." if behind else f"{text}."


def _draw(measured: Measured, titles: dict[str, str], path: Path) -> None:
    """How far every method is from ours, a panel a corpus, a row a method, a mark a ratio."""
    made, panels = draw.figure(14, 6.5, len(splits.CORPORA))
    made.subplots_adjust(wspace=0.08)
    colors = dict(zip(RATIOS, draw.COLORS, strict=False))
    for axes, corpus in zip(panels, splits.CORPORA, strict=True):
        for ratio, color in colors.items():
            base = tables.mean(measured, corpus, ratio, MAIN)
            means = [tables.mean(measured, corpus, ratio, name) for name in OTHERS]
            known = [
                (place, mean - base)
                for place, mean in enumerate(means)
                if mean is not None and base is not None
            ]
            if known:
                places, less = zip(*known, strict=True)
                axes.plot(less, places, "o", color=color, markersize=6, label=numbers.percent(ratio))
        axes.axvline(0, color=draw.OURS, linewidth=2)
        axes.set_yticks(range(len(OTHERS)), [titles[name] for name in OTHERS] if axes is panels[0] else [])
        axes.set_ylim(len(OTHERS) - 0.5, -0.5)
        axes.set_title(splits.CORPORA[corpus])
        axes.set_xlabel("points beside plsa (the line)")
        draw.rules(axes, "x")
    panels[-1].legend(frameon=False, title="labels", loc="center left", bbox_to_anchor=(1.0, 0.5))
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
