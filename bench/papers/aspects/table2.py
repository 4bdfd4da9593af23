"""Table 2: all documents labeled

Table 2 of the paper (6.2 of the thesis): naive Bayes, PLSA and the linear SVM with all labels. F-score in per
cent, mean and standard deviation over the splits. Enron spam stands for the papers' private set.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.papers.aspects import curves, fits, printed, tables
from bench.papers.aspects.learners import learner
from bench.shared import cells, draw, report, splits
from bench.shared.cells import Cell, Measured

NAME = "table2"
CELLS = fits
ROWS = ("nb", "svm", "lr", "supervised-papers", "supervised", "soft")


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table."""
    return fits.cells(options, splits.CORPORA, [1.0], ROWS)


def _printed(corpus: str, row: str) -> float | None:
    family, _, papers = row.partition("-")
    if row in ("supervised", "soft"):
        return None  # the defaults stand for themselves
    return printed.TABLE_2.get(corpus, {}).get(family if papers else row)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    header, columns = [""], [[learner(row).title for row in ROWS]]
    for corpus in splits.CORPORA:
        header.append(splits.CORPORA[corpus])
        columns.append(tables.column([tables.values(measured, corpus, 1.0, row) for row in ROWS]))
        if corpus in printed.TABLE_2:
            header.append("printed")
            columns.append([f"{_printed(corpus, row) or '':}" for row in ROWS])
    compared = [
        (
            splits.CORPORA[corpus],
            tables.mean(measured, corpus, 1.0, "supervised-papers"),
            figures["supervised"],
        )
        for corpus, figures in printed.TABLE_2.items()
    ]
    _draw(measured, folder / f"{NAME}.png")
    return [
        report.table(header, zip(*columns, strict=True)),
        tables.BOLD,
        tables.against_printed(compared),
        f"The thesis prints {printed.TABLE_6_2_SVM_20NEWS} for the SVM on 20 Newsgroups.",
        f"![All documents labeled]({NAME}.png)",
    ]


def _draw(measured: Measured, path: Path) -> None:
    made, panels = draw.figure(13, 2.9, len(splits.CORPORA))
    for axes, corpus in zip(panels, splits.CORPORA, strict=True):
        for place, row in enumerate(reversed(ROWS)):
            color = curves.COLORS[row.partition("-")[0]]
            if (figure := _printed(corpus, row)) is not None:
                axes.plot(figure, place, "D", markerfacecolor="white", markeredgecolor=color, markersize=7)
            each = list(tables.values(measured, corpus, 1.0, row).values())
            axes.plot(each, [place] * len(each), "|", color=color, markersize=7, alpha=0.6)
            if each:
                axes.plot(sum(each) / len(each), place, "o", color=color, markersize=6)
        axes.set_title(splits.CORPORA[corpus])
        axes.set_xlabel("F-score, %")
        axes.set_ylim(-0.6, len(ROWS) - 0.4)
        axes.set_yticks(range(len(ROWS)), [learner(row).title for row in reversed(ROWS)])
        axes.grid(axis="y", color="#eeeeee")
        axes.set_axisbelow(True)
        if axes is not panels[0]:
            axes.set_yticklabels([])
    made.text(
        0.5,
        -0.14,
        f"discs: mean of {measured.trials()} splits, ticks: each of them; hollow: printed by the papers",
        ha="center",
        color=draw.MUTED,
        fontsize=10,
    )
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
