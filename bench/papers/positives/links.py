"""Tables 5, 6, 7 and 9, figures 3 and 4: what links, iterations and the number of topics do

Of "the paper", Zhou, Xue, Yang and Yu, *Learning with Positive and Unlabeled Examples Using Topic-Sensitive
PLSA*. The linked model alone, without a committee or a student, prepared as theirs: raw counts, six topics
and 120 iterations unless said otherwise, and a document is taken where its most probable topic is the one
that most positives have. The first ten test sets; 3% of the positives are known, which is where the printed
F1 of tables 7 and 9 is near that of tables 2 and 4 (the paper does not say).

Three ways: **pairs**, b1 or b2 for every pair and a random start, as printed; **documents**, where all
must-links of a positive document weigh b1 mean documents, and all its cannot-links b2; and **positives**, the
same with one topic that starts at the words of the positives, which is the default of this package.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.papers.positives import models, printed
from bench.papers.positives.documents import CORPORA, TOPICS, drawn
from bench.shared import cells, draw, numbers, report
from bench.shared.cells import Cell, Measured

NAME = "links"
MEASURE = "f1"
TRIALS = 10
PERCENT = 3
MUST = (0, 2, 4, 6, 8)
CANNOT = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DEFAULT_MUST, DEFAULT_CANNOT, DEFAULT_ROUNDS = 2, 0.5, 120
ROUNDS = (5, 10, 20, 40, 60, 80, 120, 160)
NUMBERS = tuple(range(4, 16))
WAYS = {
    "pairs": {"normalize": "none", "init": "random"},
    "documents": {"normalize": "documents", "init": "random"},
    "positives": {"normalize": "documents", "init": "positives"},
}
ALONG = {"documents": "--", "positives": "-"}  # ways of figures 3 and 4, and their lines


def _learner(must: float, cannot: float, number: int = TOPICS, rounds: int = DEFAULT_ROUNDS) -> str:
    return f"{must:g} {cannot:g} {number} {rounds}"


def _all() -> Iterator[tuple[str, str]]:
    """Way, and learner."""
    for setting in WAYS:
        for must in MUST:
            for cannot in CANNOT:
                yield setting, _learner(must, cannot)
        for must in printed.MUST_LINKS["20news"]:
            yield setting, _learner(must, DEFAULT_CANNOT)
    for setting in ALONG:
        for rounds in ROUNDS:
            yield setting, _learner(DEFAULT_MUST, DEFAULT_CANNOT, rounds=rounds)
        for number in NUMBERS:
            yield setting, _learner(DEFAULT_MUST, DEFAULT_CANNOT, number)


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """All settings on all sets."""
    for trial in range(TRIALS):
        for corpus in CORPORA:
            for setting, learner in _all():
                yield Cell(NAME, corpus, setting, learner, PERCENT, trial)


def _model(cell: Cell) -> models.Learner:
    must, cannot, number, rounds = cell.learner.split()
    changed = {
        "must_link": float(must),
        "cannot_link": float(cannot),
        "n_components": int(number),
        "max_iter": int(rounds),
        **WAYS[cell.setting],
    }
    return models.Learner(cell.learner, lambda: models.linked(models.PRINTED, **changed), True)


def settings(cell: Cell) -> str:
    """What decides the result."""
    return models.settings(_model(cell))


def measure(cell: Cell) -> dict[str, Any]:
    """One setting on one set."""
    facts = models.measured(_model(cell), drawn(cell.task, cell.trial, cell.labels))
    return {name: facts[name] for name in ("f1", "must_link_satisfied", "cannot_link_satisfied")}


# --- telling -------------------------------------------------------------------------------------


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    told = [
        "## Tables 5 and 6: links that hold",
        "The share of linked pairs whose documents have one most probable topic (must), or two (cannot).",
        report.table(["", "corpus", *map(str, printed.MUST_LINKS["20news"])], _held(measured, "must")),
        report.table(["", "corpus", *map(str, printed.CANNOT_LINKS["20news"])], _held(measured, "cannot")),
    ]
    for number, corpus in zip((7, 9), CORPORA, strict=True):
        told += [
            f"## Table {number}: F1 by b1 and b2, {CORPORA[corpus]}",
            report.table(["b1", "", *(f"b2 = {cannot:g}" for cannot in CANNOT)], _grid(measured, corpus)),
        ]
    _draw(measured, folder / "figures_3_4.png")
    return [
        *told,
        "As printed (pairs), a positive has thousands of cannot-links that outweigh its hundred words: "
        "unlabeled documents leave the positives' topic whatever they are about, and F1 falls to nearly "
        "nothing with b2. With weights shared out and a random start (documents), must-links bind the "
        "positives to whatever topic they are nearest to by chance, before the topics mean anything: F1 is "
        "lower than without. Where a topic starts at the positives, F1, the share of cannot-links that hold "
        "and the best number of topics are near what the paper prints, so that its authors may have done "
        "something like it; but then b1 and b2 hardly matter, and b1 = 0 is not the worse for it.",
        "## Figures 3 and 4: iterations and the number of topics",
        "The paper finds F1 nearly constant from 120 iterations on, and highest with a few more topics than "
        "there are.",
        report.table(["iterations", *map(str, ROUNDS)], _along(measured, ROUNDS, "rounds")),
        report.table(["topics", *map(str, NUMBERS)], _along(measured, NUMBERS, "number")),
        "![F1 against iterations and number of topics](figures_3_4.png)",
    ]


def _mean(measured: Measured, corpus: str, setting: str, learner: str, what: str = MEASURE) -> float | None:
    found = measured.found(task=corpus, setting=setting, learner=learner)
    known = [each[what] for each in found if what in each]
    return float(np.mean(known)) if known else None


_shown = partial(numbers.shown, digits=3)


def _held(measured: Measured, kind: str) -> Iterator[list[str]]:
    """Rows of table 5 or 6."""
    must = kind == "must"
    for corpus, title in CORPORA.items():
        told = (printed.MUST_LINKS if must else printed.CANNOT_LINKS)[corpus]
        for setting in WAYS:
            learners = [
                _learner(each, DEFAULT_CANNOT) if must else _learner(DEFAULT_MUST, each) for each in told
            ]
            values = [_mean(measured, corpus, setting, each, f"{kind}_link_satisfied") for each in learners]
            yield [f"{kind}-links, {setting}", title, *map(_shown, values)]
        yield ["printed", title, *(f"{value:.3f}" for value in told.values())]


def _grid(measured: Measured, corpus: str) -> Iterator[list[str]]:
    """Rows of table 7 or 9."""
    for must in MUST:
        for setting in WAYS:
            values = [_mean(measured, corpus, setting, _learner(must, cannot)) for cannot in CANNOT]
            yield [str(must), setting, *map(_shown, values)]
        yield [str(must), "printed", *(f"{value:.3f}" for value in printed.GRID[corpus][must])]


def _curve(
    measured: Measured, corpus: str, setting: str, values: tuple[int, ...], what: str
) -> list[float | None]:
    learners = [_learner(DEFAULT_MUST, DEFAULT_CANNOT, **{what: value}) for value in values]
    return [_mean(measured, corpus, setting, learner) for learner in learners]


def _along(measured: Measured, values: tuple[int, ...], what: str) -> Iterator[list[str]]:
    for corpus, title in CORPORA.items():
        for setting in ALONG:
            yield [f"{title}, {setting}", *map(_shown, _curve(measured, corpus, setting, values, what))]


def _draw(measured: Measured, path: Path) -> None:
    made, axes = draw.figure(10, 4, 2)
    for panel, values, what, label in zip(
        axes, (ROUNDS, NUMBERS), ("rounds", "number"), ("iterations", "topics"), strict=True
    ):
        for corpus, color in zip(CORPORA, (draw.OURS, draw.COLORS[0]), strict=True):
            for setting, style in ALONG.items():
                found = _curve(measured, corpus, setting, values, what)
                known = [(value, f1) for value, f1 in zip(values, found, strict=True) if f1 is not None]
                label_of = f"{CORPORA[corpus]}, {setting}"
                if known:
                    panel.plot(*zip(*known, strict=True), style, color=color, marker="o", label=label_of)
        panel.set_xlabel(label)
        panel.set_ylabel("F1 of the positive class")
        panel.set_ylim(0, 1)
    draw.legend_below(made, axes[0])
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
