"""Active learning: strategies of ours, other libraries, random questions

To be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.papers import cells
from bench.papers.active import peers, sessions
from bench.papers.active.pools import CORPORA, PAIRS, drawn
from bench.papers.cells import Cell, Measured

NAME = "comparison"
OURS = ("auto", "random", "entropy", "vote entropy")
PRINTED = ("printed, active", "printed, random")
MARKS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(PAIRS, (0, 10, 20, 30, 40, 50)),
    "webkb": (0, 10, 20, 30, 50, 75, 100),
    "reuters7": (0, 10, 20, 30, 50, 75, 100),
    "20news": (0, 15, 30, 60, 100, 150),
    "enron": (0, 10, 20, 50, 100, 200),
}
FURTHER = (0, 30, 80, 130, 180, 230, 280, 330, 380, 430, 480)  # for the labels that 20 Newsgroups needs
TRIALS = {**dict.fromkeys(PAIRS, 20), "webkb": 3, "reuters7": 3, "20news": 3, "enron": 2}
PEER_TRIALS = {**dict.fromkeys(PAIRS, 10), "webkb": 3, "reuters7": 3, "20news": 2, "enron": 1}
FURTHER_TRIALS = 5
# As the thesis asked: two a round, of different classes.
BATCH = {"enron": 2}
# One call of SciPy a document; it asks for the documents that the other two libraries' entropy asks for.
_SLOW = "small-text, entropy"
# Matrices of documents x documents.
_LARGE = "modAL, information density"


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """All learners on all pools, what the figures to reach need first."""
    for trial in range(FURTHER_TRIALS):
        for learner in ("auto", "random"):
            yield Cell(NAME, "20news", "further", learner, max(FURTHER), trial)
    for trial in range(max(TRIALS.values())):
        for task in PAIRS:
            yield from _cells(task, trial)
    for trial in range(max(TRIALS[task] for task in CORPORA)):
        for task in ("webkb", "reuters7", "20news", "enron"):
            yield from _cells(task, trial)


def _cells(task: str, trial: int) -> Iterator[Cell]:
    learners: list[str] = []
    if trial < TRIALS[task]:
        learners += [*OURS, "all labels", "SVM"]
        learners += ["committee", "expected error", *PRINTED] if task in PAIRS else []
    if trial < PEER_TRIALS[task]:
        learners += [name for name in peers.NAMES if name != _SLOW and (task, name) != ("enron", _LARGE)]
    for learner in learners:
        yield Cell(NAME, task, "", learner, max(MARKS[task]), trial)


def _marks(cell: Cell) -> tuple[int, ...]:
    return FURTHER if cell.setting else MARKS[cell.task]


def _judges(cell: Cell) -> tuple[str, ...]:
    """The paper's three models where its two strategies are compared; else the one that is best."""
    papers = cell.learner in ("entropy", "vote entropy", "random") and cell.task in CORPORA
    return ("soft", "hard", "fake") if papers and not cell.setting else ("soft",)


def settings(cell: Cell) -> str:
    """What decides the result."""
    return sessions.settings(cell.learner, _judges(cell), _marks(cell), BATCH.get(cell.task, 1))


def measure(cell: Cell, data: str | None) -> dict[str, Any]:
    """One session."""
    pool = drawn(cell.task, cell.trial, data)
    return sessions.played(
        cell.learner, pool, _judges(cell), _marks(cell), cell.trial, BATCH.get(cell.task, 1)
    )


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    return []


if __name__ == "__main__":
    sys.exit(cells.main("active", NAME))
