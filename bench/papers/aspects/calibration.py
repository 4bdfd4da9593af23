"""Calibration: are the probabilities worth the name?

Log-loss (nats a document, no probability below 1e-15) and expected calibration error (percent; 15 bins of
equal width of the top probability) on the test part, mean and standard deviation over the splits; lower is
better. The SVMs give no probabilities.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.papers.aspects import curves, fits, tables
from bench.papers.aspects.learners import OURS, learner
from bench.shared import cells, draw, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "calibration"
CELLS = fits
RATIOS = (0.003, 0.01, 0.05, 0.2, 1.0)
LEARNERS = (*OURS, "soft-papers", "fake-papers", "nb", "nb_em", "lr")
MEASURES = {
    "log_loss": ("Log-loss", 1.0, 2),
    "calibration_error": ("Expected calibration error, %", 100.0, 1),
}
LINES = (
    curves.Line("nb", "naive Bayes", "--"),
    curves.Line("lr", "logistic regression", "--"),
    curves.Line("nb_em", "naive Bayes EM"),
    curves.Line("soft-papers", "soft, raw counts", "--"),
    curves.Line("fake", "fake label"),
    curves.Line("soft", "soft", "-", 2.5),
)


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table."""
    return fits.cells(options, splits.CORPORA, RATIOS, LEARNERS)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts = []
    for what, (title, scale, digits) in MEASURES.items():
        parts.append(f"## {title}")
        for corpus in splits.CORPORA:
            titles = {name: learner(name).title for name in LEARNERS}
            rows = tables.across(measured, corpus, RATIOS, titles, what, scale, digits, lower=True)
            parts.append(report.table([splits.CORPORA[corpus], *map(numbers.percent, RATIOS)], rows))
    _draw(measured, folder / f"{NAME}.png")
    return [*parts, tables.BOLD, f"![Calibration error against the ratio of labels]({NAME}.png)"]


def _draw(measured: Measured, path: Path) -> None:
    title, scale, _ = MEASURES["calibration_error"]
    made, panels = curves.four(measured, 14, 8, title, "labeled documents, mean of {} splits")
    made.subplots_adjust(wspace=0.5, hspace=0.28)
    for corpus, axes in panels.items():
        ends = curves.lines(axes, measured, corpus, LINES, "calibration_error", scale)
        curves.ratio_axis(axes)
        axes.set_ylim(bottom=0)
        draw.label_ends(axes, ends, 0.08)
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
