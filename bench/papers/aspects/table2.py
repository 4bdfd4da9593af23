"""Table 2: all documents labelled

Table 2 of the paper (6.2 of the thesis): naive Bayes, PLSA and the linear SVM with all labels. F-score in per
cent, mean and standard deviation over the splits. Enron spam stands for the papers' private set.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from bench import report
from bench.papers import draw, printed, run, splits, tables
from bench.papers.learners import learner

NAME = "table2"
ROWS = ("nb", "svm", "lr", "supervised-papers", "supervised", "soft")


def wanted(seeds: Iterable[int], starts: int) -> Iterable[run.Cell]:
    """The cells of the table."""
    return run.cells(splits.CORPORA, [1.0], ROWS, seeds, starts)


def _printed(corpus: str, row: str) -> float | None:
    family, _, papers = row.partition("-")
    if row in ("supervised", "soft"):
        return None  # the defaults stand for themselves
    return printed.TABLE_2.get(corpus, {}).get(family if papers else row)


def tell(measured: tables.Measured, folder: Path) -> list[str]:
    """The report."""
    header, columns = [""], [[learner(row).title for row in ROWS]]
    for corpus in splits.CORPORA:
        header.append(tables.CORPUS_TITLES[corpus])
        columns.append(tables.column([measured.values(corpus, 1.0, row) for row in ROWS]))
        if corpus in printed.TABLE_2:
            header.append("printed")
            columns.append([f"{_printed(corpus, row) or '':}" for row in ROWS])
    compared = [
        (tables.CORPUS_TITLES[corpus], measured.mean(corpus, 1.0, "supervised-papers"), figures["supervised"])
        for corpus, figures in printed.TABLE_2.items()
    ]
    _draw(measured, folder / f"{NAME}.png")
    return [
        report.table(header, zip(*columns, strict=True)),
        tables.BOLD,
        tables.against_printed(compared),
        f"The thesis prints {printed.TABLE_6_2_SVM_20NEWS} for the SVM on 20 Newsgroups.",
        f"![All documents labelled]({NAME}.png)",
    ]


def _draw(measured: tables.Measured, path: Path) -> None:
    made, panels = report.figure(13, 2.9, len(splits.CORPORA))
    for axes, corpus in zip(panels, splits.CORPORA, strict=True):
        for place, row in enumerate(reversed(ROWS)):
            colour = draw.COLOURS[row.partition("-")[0]]
            if (figure := _printed(corpus, row)) is not None:
                axes.plot(figure, place, "D", markerfacecolor="white", markeredgecolor=colour, markersize=7)
            each = list(measured.values(corpus, 1.0, row).values())
            axes.plot(each, [place] * len(each), "|", color=colour, markersize=7, alpha=0.6)
            if each:
                axes.plot(sum(each) / len(each), place, "o", color=colour, markersize=6)
        axes.set_title(tables.CORPUS_TITLES[corpus])
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
        f"discs: mean of {measured.splits()} splits, ticks: each of them; hollow: printed by the papers",
        ha="center",
        color=report.MUTED,
        fontsize=10,
    )
    report.save_figure(made, path)


if __name__ == "__main__":
    sys.exit(tables.main(NAME, __doc__, wanted, tell))
