"""Calibration: are the probabilities worth the name?

Log-loss (nats a document, no probability below 1e-15) and expected calibration error (per cent; 15 bins of
equal width of the top probability) on the test part, mean and standard deviation over the splits; lower is
better. The SVMs give no probabilities.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from bench import report
from bench.papers import draw, run, splits, tables
from bench.papers.learners import OURS, learner

NAME = "calibration"
RATIOS = (0.003, 0.01, 0.05, 0.2, 1.0)
LEARNERS = (*OURS, "soft-papers", "fake-papers", "nb", "nb_em", "lr")
MEASURES = {
    "log_loss": ("Log-loss", 1.0, 2),
    "calibration_error": ("Expected calibration error, %", 100.0, 1),
}
LINES = (
    draw.Line("nb", "naive Bayes", "--"),
    draw.Line("lr", "logistic regression", "--"),
    draw.Line("nb_em", "naive Bayes EM"),
    draw.Line("soft-papers", "soft, raw counts", "--"),
    draw.Line("fake", "fake label"),
    draw.Line("soft", "soft", "-", 2.5),
)


def wanted(seeds: Iterable[int], starts: int) -> Iterable[run.Cell]:
    """The cells of the table."""
    return run.cells(splits.CORPORA, RATIOS, LEARNERS, seeds, starts)


def tell(measured: tables.Measured, folder: Path) -> list[str]:
    """The report."""
    parts = []
    for what, (title, scale, digits) in MEASURES.items():
        parts.append(f"## {title}")
        for corpus in splits.CORPORA:
            rows = [[learner(name).title] for name in LEARNERS]
            for ratio in RATIOS:
                group = [measured.values(corpus, ratio, name, what, scale) for name in LEARNERS]
                for row, cell in zip(rows, tables.column(group, digits, lower=True), strict=True):
                    row.append(cell)
            parts.append(report.table([tables.CORPUS_TITLES[corpus], *map(tables.percent, RATIOS)], rows))
    _draw(measured, folder / f"{NAME}.png")
    return [*parts, tables.BOLD, f"![Calibration error against the ratio of labels]({NAME}.png)"]


def _draw(measured: tables.Measured, path: Path) -> None:
    title, scale, _ = MEASURES["calibration_error"]
    made, panels = draw.grid(14, 8, 2, 2)
    made.subplots_adjust(wspace=0.5, hspace=0.28)
    for axes, corpus in zip(panels, splits.CORPORA, strict=True):
        ends = draw.curves(axes, measured, corpus, LINES, "calibration_error", scale)
        draw.ratio_axis(axes)
        axes.set_ylim(bottom=0)
        axes.set_title(tables.CORPUS_TITLES[corpus])
        draw.label_ends(axes, ends, 0.08)
    panels[0].set_ylabel(title)
    panels[2].set_ylabel(title)
    for axes in panels[2:]:
        axes.set_xlabel(f"labelled documents, mean of {measured.splits()} splits")
    report.save_figure(made, path)


if __name__ == "__main__":
    sys.exit(tables.main(NAME, __doc__, wanted, tell))
