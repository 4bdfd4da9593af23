"""Figures 3 to 6: F-score against the ratio of labels

Figures 3 to 6 of the paper (6.4 to 6.7 of the thesis), all learners on all corpora, the raw counts and
our defaults. F-score in per cent, mean and standard deviation over the splits. Of the points of their figures
the papers print those of tables 2 to 4 and those that the text names (naive Bayes EM: by subtraction). With
all labels the printed point of every PLSA is that of the supervised one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench import report
from bench.papers import draw, printed, run, splits, tables
from bench.papers.learners import OURS, RIVALS, learner

NAME = "figures"
LEARNERS = (*OURS, *(f"{family}-papers" for family in OURS), *RIVALS)
PAPERS_PANEL = (
    draw.Line("nb_em", "naive Bayes EM"),
    draw.Line("tsvm", "transductive SVM"),
    draw.Line("supervised-papers", "supervised PLSA"),
    draw.Line("missing-papers", "missing labels"),
    draw.Line("fake-papers", "fake label"),
    draw.Line("hard-papers", "hard"),
    draw.Line("soft-papers", "soft", "-", 2.5),
)
DEFAULTS_PANEL = (
    draw.Line("nb", "naive Bayes", "--"),
    draw.Line("lr", "logistic regression", "--"),
    draw.Line("svm", "linear SVM", "--"),
    draw.Line("tsvm", "transductive SVM"),
    draw.Line("nb_em", "naive Bayes EM"),
    draw.Line("supervised", "supervised PLSA", "--"),
    draw.Line("fake", "fake label"),
    draw.Line("soft", "soft", "-", 2.5),
)


def wanted(seeds: Iterable[int], starts: int) -> Iterable[run.Cell]:
    """The cells of the figures."""
    return run.cells(splits.CORPORA, splits.RATIOS, LEARNERS, seeds, starts)


def tell(measured: tables.Measured, folder: Path) -> list[str]:
    """The report."""
    parts: list[str] = []
    compared = []
    for number, corpus in enumerate(splits.CORPORA, 3):
        title = tables.CORPUS_TITLES[corpus]
        rows = [[learner(name).title] for name in LEARNERS]
        for ratio in splits.RATIOS:
            shown = tables.column([measured.values(corpus, ratio, name) for name in LEARNERS])
            for row, cell in zip(rows, shown, strict=True):
                row.append(cell)
        for family in (*OURS, "nb_em", "tsvm", "nb", "svm"):
            points = printed.points(corpus, family)
            # Below 100% only what the papers give for that very learner is shown as theirs.
            if any(ratio < 1 for ratio in points):
                cells = [f"{points[ratio]:.1f}" if ratio in points else "" for ratio in splits.RATIOS]
                rows.append([f"printed: {learner(family).title}", *cells])
                if corpus != "enron" and family in OURS:
                    compared += [
                        (
                            f"{corpus} {tables.percent(ratio)} {family}",
                            measured.mean(corpus, ratio, f"{family}-papers"),
                            figure,
                        )
                        for ratio, figure in points.items()
                        if ratio < 1  # table 2 has those
                    ]
        path = folder / f"{NAME}_{corpus}.png"
        _draw(measured, corpus, path)
        parts += [
            f"## Figure {number}: {title}",
            report.table(["", *map(tables.percent, splits.RATIOS)], rows),
            f"![{title}]({path.name})",
        ]
    remarks = "\n".join(f"* {remark}" for remark in printed.REMARKS)
    return [*parts, tables.BOLD, tables.against_printed(compared), f"What the papers say:\n\n{remarks}"]


def _draw(measured: tables.Measured, corpus: str, path: Path) -> None:
    made, panels = report.figure(14, 5, 2)
    made.subplots_adjust(wspace=0.62)
    papers, defaults = panels
    ends = [
        draw.curves(papers, measured, corpus, PAPERS_PANEL),
        draw.curves(defaults, measured, corpus, DEFAULTS_PANEL) + _best_anchors(defaults, corpus),
    ]
    for line in PAPERS_PANEL:
        draw.hollow(papers, printed.points(corpus, line.learner.partition("-")[0]), line.colour)
    titles = ("raw counts; hollow: printed by the papers", "defaults; dashed: labels only")
    low = min(axes.get_ylim()[0] for axes in panels)
    for axes, title, labels in zip(panels, titles, ends, strict=True):
        draw.ratio_axis(axes)
        axes.set_ylim(low, 100)
        axes.set_title(f"{tables.CORPUS_TITLES[corpus]}: {title}", fontsize=11)
        axes.set_xlabel(f"labelled documents, mean of {measured.splits()} splits")
        draw.label_ends(axes, labels, 0.06)
    papers.set_ylabel("F-score, %")
    report.save_figure(made, path)


def _best_anchors(axes: Any, corpus: str) -> list[tuple[str, str, float, float]]:
    """The best of all rivals at each ratio, embeddings included."""
    best = {ratio: found[1].mean for ratio in splits.RATIOS if (found := printed.best_anchor(corpus, ratio))}
    if not best:
        return []
    axes.plot(list(best), list(best.values()), ":", color=report.INK, linewidth=1.5)
    return [("best known rival", report.INK, 1.0, best[1.0])]


if __name__ == "__main__":
    sys.exit(tables.main(NAME, __doc__, wanted, tell))
