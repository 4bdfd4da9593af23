"""The main table: our defaults on the evaluation protocol

One setting for all corpora, beside the labels alone, the semi-supervised rivals, the best of all that was
measured on the same splits (sentence embeddings included) and the figures to reach. Accuracy in per cent,
mean and standard deviation over the splits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bench import report
from bench.papers import draw, printed, run, splits, tables
from bench.papers.learners import LABELS_ONLY, OURS, RIVALS, learner

NAME = "protocol"
MAIN = "soft"
RATIOS = (0.003, 0.01, 0.05, 0.2, 1.0)
LINES = (
    draw.Line("nb", "naive Bayes, labels only", "--"),
    draw.Line("svm", "linear SVM, labels only", "--"),
    draw.Line("nb_em", "naive Bayes EM"),
    draw.Line("tsvm", "transductive SVM"),
    draw.Line(MAIN, "plsa", "-", 2.8),
)


def wanted(seeds: Iterable[int], starts: int) -> Iterable[run.Cell]:
    """The cells of the table."""
    return run.cells(splits.CORPORA, RATIOS, (*OURS, *RIVALS), seeds, starts)


def tell(measured: tables.Measured, folder: Path) -> list[str]:
    """The report."""
    parts = []
    for corpus in splits.CORPORA:
        rows = [[f"plsa: {learner(name).title}"] for name in OURS] + [
            [learner(name).title] for name in RIVALS
        ]
        for ratio in RATIOS:
            shown = tables.column([measured.values(corpus, ratio, name) for name in (*OURS, *RIVALS)])
            for row, cell in zip(rows, shown, strict=True):
                row.append(cell)
        alone = [tables.spread(_best_of_labels(measured, corpus, ratio)) for ratio in RATIOS]
        rows.append(["best of the labels alone", *alone])
        if corpus in printed.ANCHORS:
            rows.append(["best known rival"] + [_best(corpus, ratio) for ratio in RATIOS])
        if corpus in printed.TARGETS:
            rows.append(["target"] + [f"{printed.TARGETS[corpus][ratio]:.0f}" for ratio in RATIOS])
        rows.append([f"{learner(MAIN).title}: verdict"] + [_verdict(measured, corpus, r) for r in RATIOS])
        rows.append(["seconds of its fit"] + [measured.seconds(corpus, ratio, MAIN) for ratio in RATIOS])
        parts += [
            f"## {tables.CORPUS_TITLES[corpus]}",
            report.table(["", *map(tables.percent, RATIOS)], rows),
        ]
    _draw(measured, folder / f"{NAME}.png")
    explained = (
        "*Best of the labels alone*: naive Bayes, logistic regression or linear SVM, whichever has the best "
        "mean. *Best known rival*: the best mean of the evaluation protocol's anchors (other runs on the "
        "same splits). *Verdict*: the target met, or how many points are lacking; then the difference to the "
        "labels alone, with \\* where the t-test tells the two apart, and UNSAFE where it is negative up to "
        f"{tables.percent(printed.SAFE_RATIO)} labels or below -{printed.SAFE_MARGIN:g} with more."
    )
    return [*parts, tables.BOLD, explained, f"![Accuracy against the ratio of labels]({NAME}.png)"]


def _best_of_labels(measured: tables.Measured, corpus: str, ratio: float) -> dict[int, float]:
    """What the labels-only learner with the best mean reached on each split."""
    rows = [measured.values(corpus, ratio, name) for name in LABELS_ONLY]
    rows = [values for values in rows if values]
    return max(rows, key=lambda values: np.mean(list(values.values())), default={})


def _best(corpus: str, ratio: float) -> str:
    found = printed.best_anchor(corpus, ratio)
    return f"{found[1].mean:.1f} ±{found[1].deviation:.1f} {found[0]}" if found else "-"


def _verdict(measured: tables.Measured, corpus: str, ratio: float) -> str:
    """Against the target, and against the labels alone."""
    mean = measured.mean(corpus, ratio, MAIN)
    if mean is None:
        return "-"
    said = []
    if corpus in printed.TARGETS:
        short = printed.TARGETS[corpus][ratio] - mean
        said.append("met" if short <= 0 else f"{short:.1f} SHORT")
    alone = _best_of_labels(measured, corpus, ratio)
    if alone:
        ours = measured.values(corpus, ratio, MAIN)
        apart = tables.better(ours, alone) or tables.better(alone, ours)
        gain = mean - np.mean(list(alone.values()))
        safe = gain >= (0 if ratio <= printed.SAFE_RATIO else -printed.SAFE_MARGIN)
        said.append(f"{gain:+.1f}{'*' if apart else ''}{'' if safe else ' UNSAFE'}".replace("*", "\\*"))
    return ", ".join(said)


def _draw(measured: tables.Measured, path: Path) -> None:
    made, panels = draw.grid(14, 9, 2, 2)
    made.subplots_adjust(wspace=0.52, hspace=0.27)
    for axes, corpus in zip(panels, splits.CORPORA, strict=True):
        ends = draw.curves(axes, measured, corpus, LINES)
        if corpus in printed.ANCHORS:
            best = {ratio: printed.best_anchor(corpus, ratio)[1].mean for ratio in RATIOS}
            axes.plot(list(best), list(best.values()), ":", color=report.INK, linewidth=1.6)
            ends.append(("best known rival", report.INK, 1.0, best[1.0]))
        if corpus != "enron":
            draw.hollow(axes, printed.points(corpus, MAIN), draw.COLOURS[MAIN])
        if corpus in printed.TARGETS:
            targets = printed.TARGETS[corpus]
            axes.plot(list(targets), list(targets.values()), "_", color=report.MUTED, markersize=16, mew=2)
        draw.ratio_axis(axes)
        axes.set_ylim(top=100)
        axes.set_title(tables.CORPUS_TITLES[corpus])
        draw.label_ends(axes, ends, 0.075)
    panels[0].set_ylabel("accuracy, %")
    panels[2].set_ylabel("accuracy, %")
    for axes in panels[2:]:
        axes.set_xlabel("labelled documents")
    made.text(
        0.125,
        0.03,
        f"means of {measured.splits()} splits, band: one standard deviation; hollow: printed by the papers, "
        "other splits; bars: target",
        color=report.MUTED,
        fontsize=10,
    )
    report.save_figure(made, path)


if __name__ == "__main__":
    sys.exit(tables.main(NAME, __doc__, wanted, tell))
