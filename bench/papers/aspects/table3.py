"""Table 3: the number of aspects, with few labels and many

Table 3 of the paper (6.5 of the thesis): the three semi-supervised models with one aspect a class and with as
many as the papers chose. F-score in percent, mean and standard deviation over the splits; the papers' spread
is that over their runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.papers.aspects import curves, fits, printed, tables
from bench.papers.aspects.learners import learner
from bench.shared import cells, draw, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "table3"
CELLS = fits
FAMILIES = ("soft", "hard", "fake")
RATIOS = (0.01, 0.05, 0.2, 0.4)


def _name(corpus: str, family: str, aspects: int) -> str:
    return f"{family}-papers" + ("-1" if aspects == printed.CLASSES[corpus] else "")


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table."""
    learners = [f"{family}{setting}" for family in FAMILIES for setting in ("-papers-1", "-papers", "")]
    return fits.cells(options, printed.TABLE_3, RATIOS, learners)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts, compared = [], []
    for corpus, by_aspects in printed.TABLE_3.items():
        rows = [(aspects, family) for aspects in by_aspects for family in FAMILIES]
        names = [_name(corpus, family, aspects) for aspects, family in rows] + list(FAMILIES)
        titles = [f"{learner(family).title}, \\|A\\| = {aspects}" for aspects, family in rows]
        header, columns = [""], [titles + [f"{learner(family).title}, defaults" for family in FAMILIES]]
        for ratio in RATIOS:
            header += [numbers.percent(ratio), "printed"]
            columns.append(tables.column([tables.values(measured, corpus, ratio, name) for name in names]))
            figures = [by_aspects[aspects][family][ratio] for aspects, family in rows]
            columns.append([f"{mean:.1f} ±{spread:.1f}" for mean, spread in figures] + [""] * len(FAMILIES))
            compared += [
                (
                    f"{corpus} {numbers.percent(ratio)} {name}",
                    tables.mean(measured, corpus, ratio, name),
                    mean,
                )
                for name, (mean, _) in zip(names, figures, strict=False)
            ]
        parts += [f"## {splits.CORPORA[corpus]}", report.table(header, zip(*columns, strict=True))]
    _draw(measured, folder / f"{NAME}.png")
    return [*parts, tables.BOLD, tables.against_printed(compared), f"![The number of aspects]({NAME}.png)"]


def _draw(measured: Measured, path: Path) -> None:
    made, panels = draw.figure(13, 4.4, len(printed.TABLE_3))
    made.subplots_adjust(wspace=0.75)
    for axes, (corpus, by_aspects) in zip(panels, printed.TABLE_3.items(), strict=True):
        lines = []
        for aspects, style in zip(by_aspects, ("--", "-"), strict=True):
            for family in FAMILIES:
                name = _name(corpus, family, aspects)
                lines.append(curves.Line(name, f"{family}, |A| = {aspects}", style))
                figures = {ratio: mean for ratio, (mean, _) in by_aspects[aspects][family].items()}
                draw.hollow(axes, figures, curves.COLORS[family], "D" if style == "-" else "s")
        ends = curves.lines(axes, measured, corpus, lines)
        curves.ratio_axis(axes)
        axes.set_xlim(0.009, 0.44)
        axes.set_xticks(RATIOS, map(numbers.percent, RATIOS))
        axes.set_title(splits.CORPORA[corpus])
        axes.set_xlabel("labeled documents")
        draw.label_ends(axes, ends, 0.07)
        note = f"raw counts, {measured.trials()} splits; hollow: printed"
        place = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        axes.text(0.98, 0.03, note, fontsize=9, color=draw.MUTED, **place)
    panels[0].set_ylabel("F-score, %")
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
