"""How long does one iteration of topic-sensitive PLSA take beside one of plain PLSA on the same documents?

The first 6,000 documents of 20 Newsgroups, 50 of them positive: 50 x 49 / 2 must-links and 50 x 5,950
cannot-links. Ours (`LinkedSteps`: the counts of words and of links, the objective included) and the loop over
pairs that the printed formulas ask for, in NumPy with a positive's pairs at a time, in turns with the plain
pass (`GatedSteps`) that all of them contain, in one process on one thread. ``python bench/link_pass.py
--help``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import corpora
import numpy as np
import report
from threadpoolctl import threadpool_limits

from plsa.engine import starts as start
from plsa.engine.counts import Counts
from plsa.engine.links import LinkedSteps, links_of
from plsa.engine.parameters import Parameters, Statistics, padded, unpadded
from plsa.engine.steps import GatedSteps

NAME = "link_pass"
PLAIN, OURS, NAIVE = "plain PLSA", "with links", "with links, pair by pair"
N_DOCUMENTS, N_POSITIVES = 6_000, 50
TOPICS = (6, 10, 20, 40)
TARGET = 3.0  # times a plain pass
MUST, CANNOT = 2.0, 0.5


class PairSteps(GatedSteps):
    """The links as printed (eq. 22 to 26), all pairs of one positive at a time."""

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics with those of the links."""
        statistics = super().expect(parameters)
        theta = unpadded(parameters.doc_topic, self.n_topics).astype(np.float64)
        count = unpadded(statistics.doc, self.n_topics)
        known, others = theta[:N_POSITIVES], theta[N_POSITIVES:]
        objective = statistics.objective
        for place, own in enumerate(known):
            for other in range(place + 1, N_POSITIVES):
                both = own * known[other]
                objective += MUST * np.log(both.sum())
                count[place] += MUST * both / both.sum()
                count[other] += MUST * both / both.sum()
            apart = 1 - others @ own
            objective += CANNOT * np.log(apart).sum()
            count[place] += CANNOT * own * ((1 - others) / apart[:, np.newaxis]).sum(axis=0)
            count[N_POSITIVES:] += CANNOT * others * (1 - own) / apart[:, np.newaxis]
        return replace(statistics, objective=objective)


def begun(counts: Counts, n_topics: int) -> dict[str, tuple[Any, Parameters]]:
    """Every way's steps, and the same parameters for each."""
    dtype = counts.dtype
    positive = np.arange(counts.n_documents) < N_POSITIVES
    nothing = np.empty((0, 2), dtype=np.intp)
    row = padded(np.full((1, n_topics), 1 / n_topics), dtype)
    common: dict[str, Any] = {
        "state": None,
        "prior": row,
        "fallback": row,
        "smoothing": 0.01,
        "n_threads": 1,
    }
    links = links_of(positive, (nothing, nothing), MUST, CANNOT, None)
    steps = {
        PLAIN: GatedSteps(counts, n_topics, **common),
        OURS: LinkedSteps(counts, n_topics, links=links, **common),
        NAIVE: PairSteps(counts, n_topics, **common),
    }

    def first() -> Parameters:
        words = start.random_words(counts, n_topics, None, np.random.RandomState(0))
        return start.assemble(counts, words, padded(np.ones((1, n_topics)), dtype), row, None)

    return {name: (each, first()) for name, each in steps.items()}


def time_passes(counts: Counts, n_topics: int, turns: int, each: int) -> dict[str, list[float]]:
    """Seconds of the passes of every way, in turns; the two ways of links must agree."""
    state = begun(counts, n_topics)
    for name, (steps, now) in state.items():
        for _ in range(3):  # untimed: topics are no longer equal
            now = steps.maximise(now, steps.expect(now))
        state[name] = steps, now
    ours, naive = (unpadded(state[name][1].doc_topic, n_topics) for name in (OURS, NAIVE))
    apart = float(np.abs(ours - naive).max())
    if apart > 1e-4:
        raise SystemExit(f"link_pass.py: {NAIVE} finds other topics than {OURS}, by {apart:.1e}")
    seconds: dict[str, list[float]] = {name: [] for name in state}
    for _ in range(turns):
        for name, (steps, now) in state.items():
            for _ in range(1 if name == NAIVE else each):
                began = perf_counter()
                now = steps.maximise(now, steps.expect(now))
                seconds[name].append(perf_counter() - began)
            state[name] = steps, now
    return seconds


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


def main() -> None:
    """Runs all of it and writes the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    report.add_pass_options(parser)
    options = parser.parse_args()
    try:
        whole, _ = corpora.newsgroups_counts(options.data)
    except corpora.MissingCorpusError as error:
        raise SystemExit(f"link_pass.py: {error}") from None
    whole = whole[:N_DOCUMENTS]
    counts = Counts(whole.indptr.astype(np.int64), whole.indices, whole.data, whole.shape[1])
    turns = options.repeats or (2 if options.quick else 5)
    each = 3 if options.quick else 10
    settings = {
        "corpus": "20 Newsgroups",
        "documents": N_DOCUMENTS,
        "positives": N_POSITIVES,
        "nonzeros": whole.nnz,
        "turns": turns,
        "passes a turn": f"{each} (pair by pair: 1)",
    }
    record = report.Record(
        NAME, report.folder(options), settings, ("plsa-learn", "numpy", "scipy"), options.resume
    )
    with threadpool_limits(1):
        measured = {
            str(number): record.measured(f"{number}", partial(time_passes, counts, number, turns, each))
            for number in TOPICS
        }
    times, targets = told(measured)
    record.finish(
        "\n\n".join(
            [
                report.heading(
                    "One iteration with links",
                    "How long does one iteration of topic-sensitive PLSA take beside one of plain PLSA on "
                    "the same documents? One thread; the best pass of all turns, the worst in brackets.",
                    settings,
                    record.facts,
                ),
                report.table(["topics", "way", "ms a pass: best (worst)", "of a plain pass"], times),
                "## The target",
                report.table(["", "of a plain pass", "to reach", ""], targets),
            ]
        )
    )


if __name__ == "__main__":
    sys.exit(main())
