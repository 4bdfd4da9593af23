"""The main table: our defaults on the evaluation protocol

One setting for all corpora, beside the labels alone, the semi-supervised rivals, the best of all that was
measured on the same splits (sentence embeddings included) and the figures to reach. Accuracy in percent,
mean and standard deviation over the splits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.papers.aspects import curves, fits, printed, tables
from bench.papers.aspects.learners import LABELS_ONLY, OURS, RIVALS, learner
from bench.shared import cells, draw, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "protocol"
CELLS = fits
MAIN = "soft"
RATIOS = (0.003, 0.01, 0.05, 0.2, 1.0)
LINES = (
    curves.Line("nb", "naive Bayes, labels only", "--"),
    curves.Line("svm", "linear SVM, labels only", "--"),
    curves.Line("nb_em", "naive Bayes EM"),
    curves.Line("tsvm", "transductive SVM"),
    curves.Line(MAIN, "plsa", "-", 2.8),
)


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the table."""
    return fits.cells(options, splits.CORPORA, RATIOS, (*OURS, *RIVALS))


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts = []
    for corpus in splits.CORPORA:
        titles = {name: f"plsa: {learner(name).title}" for name in OURS}
        titles |= {name: learner(name).title for name in RIVALS}
        rows = tables.across(measured, corpus, RATIOS, titles)
        alone = [tables.spread(_best_of_labels(measured, corpus, ratio)) for ratio in RATIOS]
        rows.append(["best of the labels alone", *alone])
        if corpus in printed.ANCHORS:
            rows.append(["best known rival"] + [_best(corpus, ratio) for ratio in RATIOS])
        if corpus in printed.TARGETS:
            rows.append(["target"] + [f"{printed.TARGETS[corpus][ratio]:.0f}" for ratio in RATIOS])
        rows.append([f"{learner(MAIN).title}: verdict"] + [_verdict(measured, corpus, r) for r in RATIOS])
        rows.append(["seconds of its fit"] + [_seconds(measured, corpus, ratio) for ratio in RATIOS])
        parts += [f"## {splits.CORPORA[corpus]}", report.table(["", *map(numbers.percent, RATIOS)], rows)]
    _draw(measured, folder / f"{NAME}.png")
    explained = (
        "*Best of the labels alone*: naive Bayes, logistic regression or linear SVM, whichever has the best "
        "mean. *Best known rival*: the best mean of the evaluation protocol's anchors (other runs on the "
        "same splits). *Verdict*: the target met, or how many points are lacking; then the difference to the "
        "labels alone, with \\* where the t-test tells the two apart, and UNSAFE where it is negative up to "
        f"{numbers.percent(printed.SAFE_RATIO)} labels or below -{printed.SAFE_MARGIN:g} with more."
    )
    return [*parts, tables.BOLD, explained, f"![Accuracy against the ratio of labels]({NAME}.png)"]


def _best_of_labels(measured: Measured, corpus: str, ratio: float) -> dict[int, float]:
    """What the labels-only learner with the best mean reached on each split."""
    rows = [tables.values(measured, corpus, ratio, name) for name in LABELS_ONLY]
    rows = [values for values in rows if values]
    return max(rows, key=lambda values: np.mean(list(values.values())), default={})


def _seconds(measured: Measured, corpus: str, ratio: float) -> str:
    """The mean time of a fit."""
    return numbers.shown(numbers.mean(tables.values(measured, corpus, ratio, MAIN, "fit_seconds", 1.0)))


def _best(corpus: str, ratio: float) -> str:
    found = printed.best_anchor(corpus, ratio)
    return f"{found[1].mean:.1f} ±{found[1].deviation:.1f} {found[0]}" if found else "-"


def _verdict(measured: Measured, corpus: str, ratio: float) -> str:
    """Against the target, and against the labels alone."""
    mean = tables.mean(measured, corpus, ratio, MAIN)
    if mean is None:
        return "-"
    said = []
    if corpus in printed.TARGETS:
        short = printed.TARGETS[corpus][ratio] - mean
        said.append("met" if short <= 0 else f"{short:.1f} SHORT")
    alone = _best_of_labels(measured, corpus, ratio)
    if alone:
        ours = tables.values(measured, corpus, ratio, MAIN)
        apart = numbers.better(ours, alone) or numbers.better(alone, ours)
        gain = mean - np.mean(list(alone.values()))
        safe = gain >= (0 if ratio <= printed.SAFE_RATIO else -printed.SAFE_MARGIN)
        said.append(f"{gain:+.1f}{'*' if apart else ''}{'' if safe else ' UNSAFE'}".replace("*", "\\*"))
    return ", ".join(said)


def _draw(measured: Measured, path: Path) -> None:
    made, panels = curves.four(measured, 14, 9, "accuracy, %", "labeled documents")
    made.subplots_adjust(wspace=0.52, hspace=0.27)
    for corpus, axes in panels.items():
        ends = curves.lines(axes, measured, corpus, LINES)
        if corpus in printed.ANCHORS:
            best = {ratio: printed.best_anchor(corpus, ratio)[1].mean for ratio in RATIOS}
            axes.plot(list(best), list(best.values()), ":", color=draw.INK, linewidth=1.6)
            ends.append(("best known rival", draw.INK, 1.0, best[1.0]))
        if corpus != "enron":
            draw.hollow(axes, printed.points(corpus, MAIN), curves.COLORS[MAIN])
        if corpus in printed.TARGETS:
            targets = printed.TARGETS[corpus]
            axes.plot(list(targets), list(targets.values()), "_", color=draw.MUTED, markersize=16, mew=2)
        curves.ratio_axis(axes)
        axes.set_ylim(top=100)
        draw.label_ends(axes, ends, 0.075)
    made.text(
        0.125,
        0.03,
        f"means of {measured.trials()} splits, band: one standard deviation; hollow: printed by the papers, "
        "other splits; bars: target",
        color=draw.MUTED,
        fontsize=10,
    )
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
