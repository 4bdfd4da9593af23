"""The number of aspects, all documents labeled

Tables 6.3 and 6.4 of the thesis: supervised PLSA on 20 Newsgroups with as many aspects in each class (method
1), with one per class and more that are open to all (method 2), and with the most heterogeneous aspect split
again and again. F-score in percent, mean and standard deviation over the splits, raw counts; more than 60
aspects on the first split alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.papers.aspects import fits, printed, tables
from bench.shared import cells, draw, report
from bench.shared.cells import Cell, Measured

NAME = "components"
CELLS = fits
CORPUS = "20news"
ONE_EACH = printed.CLASSES[CORPUS]
# Title, what the thesis prints, color.
METHODS = {
    "method 1: a class": (printed.TABLE_6_3_PER_CLASS, draw.OURS),
    "method 2: open to all": (printed.TABLE_6_3_EXTRA, draw.COLORS[0]),
    "splitting": (printed.TABLE_6_4, draw.COLORS[1]),
}
MOST = 60  # aspects that are measured on all splits


def _name(method: str, topics: int) -> str:
    """The learner with so many topics; both methods begin at one per class."""
    if topics == ONE_EACH:
        return "supervised-papers-1"
    if method == "splitting":
        return f"supervised-split-{topics}"
    if method.startswith("method 1"):
        return f"supervised-papers-{topics // ONE_EACH}"
    return f"supervised-papers+{topics - ONE_EACH}"


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table."""
    every = sorted(
        {(topics, _name(method, topics)) for method, (figures, _) in METHODS.items() for topics in figures}
    )
    some = argparse.Namespace(**vars(options) | {"seeds": options.seeds[:1]})
    yield from fits.cells(options, [CORPUS], [1.0], [name for topics, name in every if topics <= MOST])
    yield from fits.cells(some, [CORPUS], [1.0], [name for topics, name in every if topics > MOST])


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    every = sorted(set().union(*(figures for figures, _ in METHODS.values())))
    rows = [[str(topics)] for topics in every]
    header = ["\\|A\\|"]
    compared = []
    for method, (figures, _) in METHODS.items():
        header += [method, "printed"]
        group = [
            tables.values(measured, CORPUS, 1.0, _name(method, topics)) if topics in figures else {}
            for topics in every
        ]
        for row, topics, shown in zip(rows, every, tables.column(group), strict=True):
            row += [shown, _shown(figures, topics)] if topics in figures else ["", ""]
        compared += [
            (f"{method}, {topics}", tables.mean(measured, CORPUS, 1.0, _name(method, topics)), figure)
            for topics, (figure, _) in figures.items()
        ]
    _draw(measured, folder / f"{NAME}.png")
    return [
        report.table(header, rows),
        tables.BOLD,
        tables.against_printed(compared),
        f"![F-score against the number of aspects]({NAME}.png)",
    ]


def _shown(figures: dict[int, tuple[float, float]], topics: int) -> str:
    return f"{figures[topics][0]:.1f} ±{figures[topics][1]:.1f}" if topics in figures else ""


def _draw(measured: Measured, path: Path) -> None:
    made, (axes,) = draw.figure(8, 4.2)
    for method, (figures, color) in METHODS.items():
        found = {
            topics: list(values.values())
            for topics in figures
            if (values := tables.values(measured, CORPUS, 1.0, _name(method, topics)))
        }
        means = [sum(values) / len(values) for values in found.values()]
        axes.plot(list(found), means, "o-", color=color, markersize=4, label=method)
        points = {topics: mean for topics, (mean, _) in figures.items()}
        draw.hollow(axes, points, color, label=f"{method} (printed)")
    axes.set_title("20 Newsgroups, all labels, supervised PLSA")
    axes.set_xlabel(f"aspects; mean of {measured.trials()} splits")
    axes.set_ylabel("F-score, %")
    draw.rules(axes, "y")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
