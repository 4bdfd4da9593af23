"""Table 3: the number of aspects, with few labels and many

Table 3 of the paper (6.5 of the thesis): the three semi-supervised models with one aspect a class and with as
many as the papers chose. F-score in per cent, mean and standard deviation over the splits; the papers' spread
is that over their runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from bench import report
from bench.papers import draw, printed, run, tables
from bench.papers.learners import learner

NAME = "table3"
FAMILIES = ("soft", "hard", "fake")
RATIOS = (0.01, 0.05, 0.2, 0.4)


def _name(corpus: str, family: str, aspects: int) -> str:
    return f"{family}-papers" + ("-1" if aspects == printed.CLASSES[corpus] else "")


def wanted(seeds: Iterable[int], starts: int) -> Iterable[run.Cell]:
    """The cells of the table."""
    learners = [f"{family}{setting}" for family in FAMILIES for setting in ("-papers-1", "-papers", "")]
    return run.cells(printed.TABLE_3, RATIOS, learners, seeds, starts)


def tell(measured: tables.Measured, folder: Path) -> list[str]:
    """The report."""
    parts, compared = [], []
    for corpus, by_aspects in printed.TABLE_3.items():
        rows = [(aspects, family) for aspects in by_aspects for family in FAMILIES]
        names = [_name(corpus, family, aspects) for aspects, family in rows] + list(FAMILIES)
        titles = [f"{learner(family).title}, \\|A\\| = {aspects}" for aspects, family in rows]
        header, columns = [""], [titles + [f"{learner(family).title}, defaults" for family in FAMILIES]]
        for ratio in RATIOS:
            header += [tables.percent(ratio), "printed"]
            columns.append(tables.column([measured.values(corpus, ratio, name) for name in names]))
            figures = [by_aspects[aspects][family][ratio] for aspects, family in rows]
            columns.append([f"{mean:.1f} ±{spread:.1f}" for mean, spread in figures] + [""] * len(FAMILIES))
            compared += [
                (f"{corpus} {tables.percent(ratio)} {name}", measured.mean(corpus, ratio, name), mean)
                for name, (mean, _) in zip(names, figures, strict=False)
            ]
        parts += [
            f"## {tables.CORPUS_TITLES[corpus]}",
            report.table(header, zip(*columns, strict=True)),
        ]
    _draw(measured, folder / f"{NAME}.png")
    return [*parts, tables.BOLD, tables.against_printed(compared), f"![The number of aspects]({NAME}.png)"]


def _draw(measured: tables.Measured, path: Path) -> None:
    made, panels = report.figure(13, 4.4, len(printed.TABLE_3))
    made.subplots_adjust(wspace=0.75)
    for axes, (corpus, by_aspects) in zip(panels, printed.TABLE_3.items(), strict=True):
        lines = []
        for aspects, style in zip(by_aspects, ("--", "-"), strict=True):
            for family in FAMILIES:
                name = _name(corpus, family, aspects)
                lines.append(draw.Line(name, f"{family}, |A| = {aspects}", style))
                figures = {ratio: mean for ratio, (mean, _) in by_aspects[aspects][family].items()}
                draw.hollow(axes, figures, draw.COLOURS[family], "D" if style == "-" else "s")
        ends = draw.curves(axes, measured, corpus, lines)
        draw.ratio_axis(axes)
        axes.set_xlim(0.009, 0.44)
        axes.set_xticks(RATIOS, map(tables.percent, RATIOS))
        axes.set_title(tables.CORPUS_TITLES[corpus])
        axes.set_xlabel("labelled documents")
        draw.label_ends(axes, ends, 0.07)
        draw.note(axes, f"raw counts, {measured.splits()} splits; hollow: printed")
    panels[0].set_ylabel("F-score, %")
    report.save_figure(made, path)


if __name__ == "__main__":
    sys.exit(tables.main(NAME, __doc__, wanted, tell))
