"""Figures 3 to 6: F-score against the ratio of labels

Figures 3 to 6 of the paper (6.4 to 6.7 of the thesis), all learners on all corpora, the raw counts and
our defaults. F-score in percent, mean and standard deviation over the splits. Of the points of their figures
the papers print those of tables 2 to 4 and those that the text names (naive Bayes EM: by subtraction). With
all labels the printed point of every PLSA is that of the supervised one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.papers.aspects import curves, fits, printed, tables
from bench.papers.aspects.learners import OURS, RIVALS, learner
from bench.shared import cells, draw, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "figures"
CELLS = fits
LEARNERS = (*OURS, *(f"{family}-papers" for family in OURS), *RIVALS)
PAPERS_PANEL = (
    curves.Line("nb_em", "naive Bayes EM"),
    curves.Line("tsvm", "transductive SVM"),
    curves.Line("supervised-papers", "supervised PLSA"),
    curves.Line("missing-papers", "missing labels"),
    curves.Line("fake-papers", "fake label"),
    curves.Line("hard-papers", "hard"),
    curves.Line("soft-papers", "soft", "-", 2.5),
)
DEFAULTS_PANEL = (
    curves.Line("nb", "naive Bayes", "--"),
    curves.Line("lr", "logistic regression", "--"),
    curves.Line("svm", "linear SVM", "--"),
    curves.Line("tsvm", "transductive SVM"),
    curves.Line("nb_em", "naive Bayes EM"),
    curves.Line("supervised", "supervised PLSA", "--"),
    curves.Line("fake", "fake label"),
    curves.Line("soft", "soft", "-", 2.5),
)


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the figures."""
    return fits.cells(options, splits.CORPORA, splits.RATIOS, LEARNERS)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts: list[str] = []
    compared = []
    for number, corpus in enumerate(splits.CORPORA, 3):
        title = splits.CORPORA[corpus]
        titles = {name: learner(name).title for name in LEARNERS}
        rows = tables.across(measured, corpus, splits.RATIOS, titles)
        for family in (*OURS, "nb_em", "tsvm", "nb", "svm"):
            points = printed.points(corpus, family)
            # Below 100% only what the papers give for that very learner is shown as theirs.
            if any(ratio < 1 for ratio in points):
                row = [f"{points[ratio]:.1f}" if ratio in points else "" for ratio in splits.RATIOS]
                rows.append([f"printed: {learner(family).title}", *row])
                if corpus != "enron" and family in OURS:
                    compared += [
                        (
                            f"{corpus} {numbers.percent(ratio)} {family}",
                            tables.mean(measured, corpus, ratio, f"{family}-papers"),
                            figure,
                        )
                        for ratio, figure in points.items()
                        if ratio < 1  # table 2 has those
                    ]
        path = folder / f"{NAME}_{corpus}.png"
        _draw(measured, corpus, path)
        parts += [
            f"## Figure {number}: {title}",
            report.table(["", *map(numbers.percent, splits.RATIOS)], rows),
            f"![{title}]({path.name})",
        ]
    remarks = "\n".join(f"* {remark}" for remark in printed.REMARKS)
    return [*parts, tables.BOLD, tables.against_printed(compared), f"What the papers say:\n\n{remarks}"]


def _draw(measured: Measured, corpus: str, path: Path) -> None:
    made, panels = draw.figure(14, 5, 2)
    made.subplots_adjust(wspace=0.62)
    papers, defaults = panels
    ends = [
        curves.lines(papers, measured, corpus, PAPERS_PANEL),
        curves.lines(defaults, measured, corpus, DEFAULTS_PANEL) + _best_anchors(defaults, corpus),
    ]
    for line in PAPERS_PANEL:
        draw.hollow(papers, printed.points(corpus, line.learner.partition("-")[0]), line.color)
    titles = ("raw counts; hollow: printed by the papers", "defaults; dashed: labels only")
    low = min(axes.get_ylim()[0] for axes in panels)
    for axes, title, labels in zip(panels, titles, ends, strict=True):
        curves.ratio_axis(axes)
        axes.set_ylim(low, 100)
        axes.set_title(f"{splits.CORPORA[corpus]}: {title}", fontsize=11)
        axes.set_xlabel(f"labeled documents, mean of {measured.trials()} splits")
        draw.label_ends(axes, labels, 0.06)
    papers.set_ylabel("F-score, %")
    draw.save_figure(made, path)


def _best_anchors(axes: Any, corpus: str) -> list[tuple[str, str, float, float]]:
    """The best of all rivals at each ratio, embeddings included."""
    best = {ratio: found[1].mean for ratio in splits.RATIOS if (found := printed.best_anchor(corpus, ratio))}
    if not best:
        return []
    axes.plot(list(best), list(best.values()), ":", color=draw.INK, linewidth=1.5)
    return [("best known rival", draw.INK, 1.0, best[1.0])]


if __name__ == "__main__":
    cells.main(__spec__.name)
