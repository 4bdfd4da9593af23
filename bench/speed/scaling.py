"""Does the cost of a nonzero stay the same as the corpus grows, and as topics are added?

Corpora are drawn from the model itself (`plsa.datasets.planted_corpus`), about 100 different words
a document as in 20 Newsgroups, word frequencies after Zipf's law. Seconds a pass and the peak of
memory are divided by the nonzeros. Two ways to grow:

* "fixed": 75,000 words whatever the size (the vocabulary of 20 Newsgroups);
* "growing": 75,000 words at 1.9 million nonzeros and as nonzeros ** 0.6 otherwise (Heaps' law; on
  samples of 20 Newsgroups, words in two documents or more, the exponent is 0.61 to 0.65), which is
  13,000 words at 10^5 nonzeros and 810,000 at 10^8.

Then 8 to 512 topics at two million nonzeros. Every size has a process of its own, so that the peak
of memory is its own.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.shared import draw, report
from bench.speed import passes, peers, record
from plsa import PLSA
from plsa.datasets import planted_corpus

NAME = "scaling"
DISTRIBUTIONS = ("plsa-learn", "numpy", "scipy", "scikit-learn")
SIZES = (1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8)
WAYS = ("fixed", "growing")
TOPICS = (8, 16, 32, 40, 64, 128, 256, 512)
TOPICS_OF_SIZES = 40
NONZEROS_OF_TOPICS = 2e6
WORDS, WORDS_AT = 75_000, 1.9e6  # 20 Newsgroups
HEAPS = 0.6
TOKENS_A_DOCUMENT = 138  # of which about 100 are different words
WORDS_A_DOCUMENT = 100
SPREAD_TARGET = 1.25  # dearest against cheapest nonzero, from 10^6 to 10^8
TARGET_FROM = 1e6


def vocabulary(nonzeros: float, way: str) -> int:
    """How many words a corpus of this size has."""
    return WORDS if way == "fixed" else round(WORDS * (nonzeros / WORDS_AT) ** HEAPS)


# --- one size, in a process of its own -----------------------------------------------------------


def measure_one(nonzeros: float, words: int, topics: int, seconds: float) -> dict[str, Any]:
    """Seconds of passes by number of threads, and the peak of memory of a fit."""
    began = perf_counter()
    planted = planted_corpus(
        max(1, round(nonzeros / WORDS_A_DOCUMENT)),
        words,
        40,
        document_length=TOKENS_A_DOCUMENT,
        length_distribution="lognormal",
        length_spread=0.8,
        dtype=np.float32,
        random_state=0,
    )
    matrix = planted.counts
    del planted
    report.say(f"{matrix.nnz:,} nonzeros drawn in {perf_counter() - began:.0f} s")
    fit = {"tol": 0.0, "n_threads": 1, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What is loaded at the first use is not what a fit needs.
        PLSA(2, max_iter=1, **fit).fit(matrix[:20])
        memory = peers.PeakMemory()
        PLSA(topics, max_iter=2, **fit).fit(matrix)
        peak = memory.peak()
    return {
        "documents": matrix.shape[0],
        "words": matrix.shape[1],
        "nonzeros": int(matrix.nnz),
        "topics": topics,
        "input_bytes": matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes,
        "peak_bytes": peak,
        "seconds": time_passes(passes.counts_of(matrix), topics, seconds),
    }


def time_passes(counts: passes.Counts, topics: int, budget: float) -> dict[str, list[float]]:
    """Seconds of the passes on one thread and on all, in turns, until the budget is spent.

    Three turns at least and thirty at most; a turn that is not timed goes before them.
    """
    running = {
        count: passes.plain_steps(counts, topics, count) for count in sorted({1, passes.available_threads()})
    }
    parameters = passes.cheap_start(counts, topics)
    seconds: dict[str, list[float]] = {str(count): [] for count in running}
    began = perf_counter()
    for turn in range(31):
        if turn > 3 and perf_counter() - began > budget:
            break
        for count, steps in running.items():
            before = perf_counter()
            parameters = steps.maximize(parameters, steps.expect(parameters))
            if turn > 0:
                seconds[str(count)].append(perf_counter() - before)
    return seconds


# --- the tables ----------------------------------------------------------------------------------


def cost(one: dict[str, Any], threads: str) -> float:
    """Nanoseconds of the best pass a nonzero."""
    return 1e9 * min(one["seconds"][threads]) / one["nonzeros"]


def all_threads(one: dict[str, Any]) -> str:
    """The larger number of threads that was measured."""
    return max(one["seconds"], key=int)


def size_table(found: list[dict[str, Any]]) -> str:
    """Cost a nonzero by size."""
    rows = []
    for one in found:
        many = all_threads(one)
        peak = one["peak_bytes"]
        each = 1e9 / one["nonzeros"]
        rows.append(
            [
                f"{one['nonzeros']:,}",
                f"{one['documents']:,}",
                f"{one['words']:,}",
                report.number(min(one["seconds"]["1"])),
                report.best_and_worst(one["seconds"]["1"], each),
                report.best_and_worst(one["seconds"][many], each),
                "unknown" if peak is None else f"{peak / 1e6:,.0f}",
                "unknown" if peak is None else report.number(peak / one["nonzeros"]),
                report.number(one["input_bytes"] / one["nonzeros"]),
            ]
        )
    many = all_threads(found[0])
    header = [
        "nonzeros",
        "documents",
        "words",
        "s per pass",
        "ns per nonzero, 1 thread: best (worst)",
        f"ns per nonzero, {many} threads: best (worst)",
        "peak of a fit above the input, MB",
        "bytes per nonzero",
        "the input's own",
    ]
    return report.table(header, rows)


def topic_table(found: list[dict[str, Any]]) -> str:
    """Cost a nonzero and a nonzero times topic by topics."""
    rows = []
    for one in found:
        many = all_threads(one)
        topics = one["topics"]
        rows.append(
            [
                str(topics),
                report.best_and_worst(one["seconds"]["1"], 1e3),
                report.number(cost(one, "1")),
                report.number(cost(one, "1") / topics),
                report.number(cost(one, many) / topics),
                "unknown" if one["peak_bytes"] is None else f"{one['peak_bytes'] / 1e6:,.0f}",
            ]
        )
    many = all_threads(found[0])
    header = [
        "topics",
        "ms per pass, 1 thread: best (worst)",
        "ns per nonzero",
        "ns per nonzero and topic, 1 thread",
        f"{many} threads",
        "peak of a fit above the input, MB",
    ]
    return report.table(header, rows)


def target_table(by_way: dict[str, list[dict[str, Any]]]) -> str:
    """The one target: the same cost a nonzero from 10^6 to 10^8."""
    rows = []
    for way, found in by_way.items():
        counted = [one for one in found if one["nonzeros"] >= 0.8 * TARGET_FROM]
        for threads in dict.fromkeys(["1", all_threads(found[0])]):
            costs = [cost(one, threads) for one in counted]
            complete = bool(counted) and counted[-1]["nonzeros"] >= 0.8e8
            spread = max(costs) / min(costs) if costs else math.nan
            rows.append(
                [
                    f"{way} vocabulary, {threads} thread{'s' if threads != '1' else ''}",
                    f"{min(costs):.1f} to {max(costs):.1f}" if costs else "",
                    f"{100 * (spread - 1):.0f}%" if costs else "",
                    f"within {100 * (SPREAD_TARGET - 1):.0f}%",
                    report.verdict(spread <= SPREAD_TARGET if complete else None),
                ]
            )
    header = ["10^6 to 10^8 nonzeros", "ns per nonzero", "dearest above cheapest", "target", ""]
    return report.table(header, rows)


# --- the figure ----------------------------------------------------------------------------------


def picture(by_way: dict[str, list[dict[str, Any]]], by_topics: list[dict[str, Any]], path: Path) -> None:
    """Three panels: time per nonzero, memory a nonzero, time per nonzero and topic."""
    from matplotlib.ticker import LogLocator

    made, (time_axes, memory_axes, topic_axes) = draw.figure(15, 4.6, 3)
    colors = {"fixed": draw.COLORS[0], "growing": draw.OURS}
    names = {"fixed": "75,000 words", "growing": "growing vocabulary"}
    time_lines, memory_lines = [], []
    for way, found in by_way.items():
        x = [one["nonzeros"] for one in found]
        for threads in dict.fromkeys(["1", all_threads(found[0])]):
            y = [cost(one, threads) for one in found]
            style = "-" if threads == "1" else (0, (4, 1.5))
            time_axes.plot(x, y, "o", ms=4, ls=style, lw=2, color=colors[way])
            label = f"{names[way]},\n{threads} thread{'s' if threads != '1' else ''}"
            time_lines.append((label, colors[way], x[-1], y[-1]))
        known = [one for one in found if one["peak_bytes"] is not None]
        if known:
            y = [one["peak_bytes"] / one["nonzeros"] for one in known]
            memory_axes.plot(x[: len(y)], y, "o-", ms=4, lw=2, color=colors[way])
            memory_lines.append((names[way], colors[way], x[-1], y[-1]))
    for axes in (time_axes, memory_axes):
        axes.set_xscale("log")
        axes.set_xlabel("nonzeros")
    time_axes.set_ylim(bottom=0)
    time_axes.set_title("Time of a pass:\nnanoseconds a nonzero")
    memory_axes.set_yscale("log")
    memory_axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    memory_axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    memory_axes.yaxis.set_minor_formatter("")
    memory_axes.set_title("Peak memory of a fit, above the input:\nbytes a nonzero")
    for axes, lines in ((time_axes, time_lines), (memory_axes, memory_lines)):
        draw.label_ends(axes, lines, 0.11 if axes is time_axes else 0.06)

    x = [one["topics"] for one in by_topics]
    topic_lines = []
    for threads in dict.fromkeys(["1", all_threads(by_topics[0])]):
        y = [cost(one, threads) / one["topics"] for one in by_topics]
        style = "-" if threads == "1" else (0, (4, 1.5))
        topic_axes.plot(x, y, "o", ms=4, ls=style, lw=2, color=draw.INK)
        label = f"{threads} thread{'s' if threads != '1' else ''}"
        topic_lines.append((label, draw.INK, x[-1], y[-1]))
    topic_axes.set_xscale("log", base=2)
    powers = [topics for topics in x if topics & (topics - 1) == 0]
    topic_axes.set_xticks(powers, [str(topics) for topics in powers])
    topic_axes.set_ylim(bottom=0)
    topic_axes.set_xlabel(f"topics (at {by_topics[0]['nonzeros'] / 1e6:.1f} million nonzeros)")
    topic_axes.set_title("Time of a pass:\nnanoseconds a nonzero and topic")
    draw.label_ends(topic_axes, topic_lines, 0.06)
    made.tight_layout(w_pad=2.5)
    draw.save_figure(made, path)


# --- the run -------------------------------------------------------------------------------------


def key(way: str, nonzeros: float, topics: int) -> str:
    """What a measurement is called."""
    return f"{way}, {nonzeros:g} nonzeros, {topics} topics"


def sizes_and_topics(settings: dict[str, Any]) -> tuple[list[float], list[int]]:
    """What is measured up to the largest sizes of the settings."""
    return (
        [size for size in SIZES if size <= settings["largest"]],
        [count for count in TOPICS if count <= settings["most topics"]],
    )


def apart(options: argparse.Namespace) -> dict[str, Any] | None:
    """What is measured in a process of its own."""
    return measure_one(**json.loads(options.one)) if options.one else None


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    settings = {
        "topics": TOPICS_OF_SIZES,
        "type": "float32",
        "words per document": f"about {WORDS_A_DOCUMENT} different of {TOKENS_A_DOCUMENT}",
        "fixed vocabulary": WORDS,
        "growing vocabulary": f"{WORDS} * (nonzeros / {WORDS_AT:g}) ** {HEAPS}",
        "largest": options.largest or (1e6 if options.quick else SIZES[-1]),
        "most topics": options.topics or (64 if options.quick else TOPICS[-1]),
        "seconds per size": options.seconds or (1.0 if options.quick else 10.0),
    }
    kept = record.Record(NAME, options, settings, DISTRIBUTIONS)
    sizes, topics = sizes_and_topics(settings)
    if not sizes or not topics:
        raise SystemExit(f"--largest must be at least {SIZES[0]:g} and --topics at least {TOPICS[0]}")
    wanted = [(way, size, TOPICS_OF_SIZES) for size in sizes for way in WAYS]
    for way, nonzeros, count in wanted + [("fixed", NONZEROS_OF_TOPICS, count) for count in topics]:
        report.say(key(way, nonzeros, count))
        asked = json.dumps(
            {
                "nonzeros": nonzeros,
                "words": vocabulary(nonzeros, way),
                "topics": count,
                "seconds": settings["seconds per size"],
            }
        )
        kept.measured(
            key(way, nonzeros, count),
            lambda asked=asked: record.measured_apart(f"bench.speed.{NAME}", "--one", asked),
        )
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    measured = facts["measured"]
    sizes, topics = sizes_and_topics(facts["settings"])
    by_way = {way: [measured[key(way, size, TOPICS_OF_SIZES)] for size in sizes] for way in WAYS}
    by_topics = [measured[key("fixed", NONZEROS_OF_TOPICS, count)] for count in topics]
    path = folder / f"{NAME}.png"
    picture(by_way, by_topics, path)
    return [
        record.heading(
            "How the cost grows",
            "Does the cost of a nonzero stay the same as the corpus grows, and as topics are added?",
            facts,
        ),
        "A pass is an expectation, with its likelihood, and a maximization; the cost is that of the "
        "best pass, the worst in brackets. The peak of memory is that of `PLSA.fit` with its random "
        "start, in a process of its own, above what the process held with the corpus in memory.",
        f"![Cost by size and by topics]({path.name})",
        "## The target",
        target_table(by_way),
        "## 75,000 words at every size",
        size_table(by_way["fixed"]),
        "## A vocabulary that grows with the corpus",
        size_table(by_way["growing"]),
        "## Topics",
        topic_table(by_topics),
    ]


if __name__ == "__main__":
    parser = record.parser_of(NAME, __doc__)
    parser.add_argument("--largest", type=float, help="the most nonzeros (1e8, which needs 3 GB; quick: 1e6)")
    parser.add_argument("--topics", type=int, help="the most topics (512; quick: 64)")
    parser.add_argument("--seconds", type=float, help="time for the passes of each size (10; quick: 1)")
    parser.add_argument("--one", metavar="JSON", help=argparse.SUPPRESS)
    record.main(NAME, parser, measure, tell, apart)
