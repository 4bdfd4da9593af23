"""Table 4: very few labels, hard against soft

Table 4 of the paper (6.6 of the thesis): the two mislabeling models with 0.3 to 1% labels. F-score in per
cent, mean and standard deviation over the splits. "Raw counts" starts from the labels and makes 10 passes;
"random start" is what the papers print, 100 passes from random parameters. Enron spam stands for the papers'
private set, an easier one, so that its printed figures do not compare.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.papers.aspects import curves, fits, printed, tables
from bench.shared import cells, draw, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "table4"
CELLS = fits
FAMILIES = ("hard", "soft")
RATIOS = (0.003, 0.005, 0.008, 0.01)
SETTINGS = {"raw counts": "-papers", "random start": "-random", "defaults": ""}


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table."""
    learners = [f"{family}{setting}" for family in FAMILIES for setting in SETTINGS.values()]
    return fits.cells(options, splits.CORPORA, RATIOS, learners)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts, compared = [], []
    for title, setting in SETTINGS.items():
        header = ["labels", "model"]
        lines = [[numbers.percent(ratio), family] for ratio in RATIOS for family in FAMILIES]
        for corpus in splits.CORPORA:
            header += [splits.CORPORA[corpus], "printed"]
            for place, ratio in enumerate(RATIOS):
                pair = tables.column(
                    [tables.values(measured, corpus, ratio, f"{family}{setting}") for family in FAMILIES]
                )
                for line, family, shown in zip(lines[2 * place :], FAMILIES, pair, strict=False):
                    line += [shown, f"{printed.TABLE_4[corpus][family][ratio]:.1f}"]
        parts += [f"## {title[0].upper()}{title[1:]}", report.table(header, lines)]
    for corpus in printed.TABLE_2:
        for family in FAMILIES:
            for ratio, figure in printed.TABLE_4[corpus][family].items():
                mean = tables.mean(measured, corpus, ratio, f"{family}-papers")
                compared.append((f"{corpus} {numbers.percent(ratio)} {family}", mean, figure))
    _draw(measured, folder / f"{NAME}.png")
    bold = "**Bold**: better than the other one of the two by a paired t-test over the splits at 5%."
    return [*parts, bold, tables.against_printed(compared), f"![Hard against soft]({NAME}.png)"]


def _draw(measured: Measured, path: Path) -> None:
    x = "labeled documents ({} splits; hollow: printed by the papers)"
    made, panels = curves.four(measured, 13, 8, "F-score, %", x)
    made.subplots_adjust(wspace=0.55, hspace=0.3)
    for corpus, axes in panels.items():
        lines = [
            curves.Line(f"{family}{setting}", f"{family}, {title}", "--" if setting else "-")
            for title, setting in SETTINGS.items()
            for family in FAMILIES
        ]
        for family in FAMILIES:
            draw.hollow(axes, printed.TABLE_4[corpus][family], curves.COLORS[family])
        ends = curves.lines(axes, measured, corpus, lines)
        curves.ratio_axis(axes)
        axes.set_xlim(0.0028, 0.0107)
        axes.set_xticks(RATIOS, map(numbers.percent, RATIOS))
        draw.label_ends(axes, ends, 0.08)
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
