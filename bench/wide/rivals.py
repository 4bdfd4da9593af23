"""The wide protocol: the rivals, corpus by corpus

Mean accuracy in percent over three splits, a table a ratio of labels; the best rival of a corpus is bold.
What is measured, and how, is said in [protocol](protocol.md). The last row of a table is the mean over the
corpora that all of its rivals were measured on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.shared import cells, numbers, report
from bench.shared.cells import Cell, Measured
from bench.wide import fits
from bench.wide.documents import CORPORA, RATIOS
from bench.wide.gains import Means
from bench.wide.learners import RIVALS

CELLS = fits


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the tables."""
    return fits.cells(RIVALS)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    means = Means(measured.results)
    header = ["", *(learner.title for learner in RIVALS.values())]
    parts = []
    for ratio in RATIOS:
        rows = [
            [source.title, *_shown([means.mean(corpus, ratio, name) for name in RIVALS])]
            for corpus, source in CORPORA.items()
        ]
        overall, of = means.over_corpora(ratio, RIVALS)
        rows.append([f"mean of {of}", *(numbers.shown(overall.get(name)) for name in RIVALS)])
        parts += [f"## {numbers.percent(ratio)} labeled", report.table(header, rows)]
    return parts


def _shown(row: list[float | None]) -> list[str]:
    """Means, the highest in bold."""
    best = max((mean for mean in row if mean is not None), default=None)
    return [f"**{mean:.1f}**" if mean is not None and mean == best else numbers.shown(mean) for mean in row]


if __name__ == "__main__":
    cells.main(__spec__.name)
