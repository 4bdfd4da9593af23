"""How long does one iteration of topic-sensitive PLSA take beside one of plain PLSA on the same documents?

The first 6,000 documents of 20 Newsgroups, 50 of them positive: 50 x 49 / 2 must-links and 50 x 5,950
cannot-links. Ours (`LinkedSteps`: the counts of words and of links, the objective included) and the loop over
pairs that the printed formulas ask for, in NumPy with a positive's pairs at a time, in turns with the plain
pass (`GatedSteps`) that all of them contain, in one process on one thread.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.shared import corpora, report
from bench.speed import passes, record

NAME = "link_pass"
PLAIN, OURS, NAIVE = "plain PLSA", "with links", "with links, pair by pair"
N_DOCUMENTS, N_POSITIVES = 6_000, 50
TOPICS = (6, 10, 20, 40)
TARGET = 3.0  # times a plain pass
MUST, CANNOT = 2.0, 0.5


def time_passes(counts: passes.Counts, n_topics: int, turns: int, each: int) -> dict[str, list[float]]:
    """Seconds of the passes of every way, in turns; the two ways of links must agree."""
    ways = (PLAIN, OURS, NAIVE)
    running = dict(zip(ways, passes.linked(counts, n_topics, N_POSITIVES, MUST, CANNOT), strict=True))
    for way in running.values():
        passes.timed(way.advance, 3)  # not counted: topics are no longer equal
    apart = float(np.abs(running[OURS].topics(n_topics) - running[NAIVE].topics(n_topics)).max())
    if apart > 1e-4:
        raise SystemExit(f"{NAME}: {NAIVE} finds other topics than {OURS}, by {apart:.1e}")
    found = passes.in_turns({name: way.advance for name, way in running.items()}, turns, each, (NAIVE,))
    return {name: passes.flat(seconds) for name, seconds in found.items()}


def told(measured: dict[str, dict[str, list[float]]]) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of the times and of the target."""
    times, targets = [], []
    for n_topics, seconds in measured.items():
        plain = min(seconds[PLAIN])
        for name, all_of_them in seconds.items():
            ratio = min(all_of_them) / plain
            times.append([n_topics, name, report.best_and_worst(all_of_them, 1e3), f"{ratio:.2f}"])
            if name == OURS:
                met = report.verdict(ratio < TARGET)
                targets.append([f"{n_topics} topics", f"{ratio:.2f}", f"under {TARGET:g}", met])
    return times, targets


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    whole = corpora.newsgroups_counts()[0][:N_DOCUMENTS]
    turns = options.repeats or (2 if options.quick else 5)
    each = 3 if options.quick else 10
    settings = {
        "corpus": "20 Newsgroups",
        "documents": N_DOCUMENTS,
        "positives": N_POSITIVES,
        "nonzeros": whole.nnz,
        "turns": turns,
        "passes per turn": f"{each} (pair by pair: 1)",
    }
    kept = record.Record(NAME, options, settings)
    with threadpool_limits(1):
        for number in TOPICS:
            kept.measured(f"{number}", partial(time_passes, passes.counts_of(whole), number, turns, each))
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    times, targets = told(facts["measured"])
    return [
        record.heading(
            "One iteration with links",
            "How long does one iteration of topic-sensitive PLSA take beside one of plain PLSA on "
            "the same documents? One thread; the best pass of all turns, the worst in brackets.",
            facts,
        ),
        report.table(["topics", "way", "ms per pass: best (worst)", "of a plain pass"], times),
        "## The target",
        report.table(["", "of a plain pass", "to reach", ""], targets),
    ]


if __name__ == "__main__":
    record.main(
        NAME, record.parser_of(NAME, __doc__, "turns that each way takes (5; quick: 2)"), measure, tell
    )
