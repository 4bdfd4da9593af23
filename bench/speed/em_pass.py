"""How long does one EM pass take, and how long the way to a likelihood, beside every rival?

In one run, on the word counts of 20 Newsgroups, in float32 and on one thread:

1. one pass of ours, of every peer (`peers.py`) and of the limit (`limit.py`), in turns;
2. our pass on each instruction set, in float32 and float64, and on two threads: the same bits;
3. the peak of memory that a fit takes above its input;
4. the seconds to the likelihood that each peer has after 100 of its passes, from the same start.

The table says which of the project's targets are met.
"""

from __future__ import annotations

import argparse
import functools
import math
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_limits

from bench.shared import corpora, draw, report
from bench.speed import limit, passes, peers, record
from bench.speed.passes import Advance, Start, flat
from plsa import PLSA

NAME = "em_pass"
OURS = "plsa (ours)"
LIMITS = {f"limit, {variant}": variant for variant in limit.VARIANTS}
DISTRIBUTIONS = (
    "plsa-learn",
    "numpy",
    "scipy",
    "scikit-learn",
    "enstop",
    "numba",
    "bigartm10",
    "tomotopy",
    "gensim",
)
# How many times ours a pass of each must take: the table "Figures to reach".
PASS_TARGETS = {
    "enstop PLSA": 15.0,
    "BigARTM offline": 35.0,
    "scikit-learn NMF-KL": 50.0,
    "scikit-learn NMF-KL, as it comes": 50.0,
}
LIMIT_TARGET = 0.60
THREADS_TARGET = 1.6
MEMORY_TARGET = 60e6
CLIMB_TARGET = 10.0
# The most passes of a climb (and no more than a tenth of the others'): one takes ten seconds.
SLOW_PEERS = {"gensim LDA": 10}
KINDS = ("plain", "accelerated")
TURNS_OF_CLIMBS = 3


# --- 1. one pass, in turns -----------------------------------------------------------------------


def time_passes(
    counts: scipy.sparse.csr_matrix, begin: Start, rivals: list[peers.Peer], turns: int, each: int
) -> dict[str, Any]:
    """Seconds of every pass, a list a turn, by contender; and why a contender could not be timed.

    All are set up first and each does one pass that is not timed.
    """
    contenders: dict[str, Advance] = {OURS: begin.running(counts).advance}
    failed: dict[str, str] = {}
    try:
        bare = limit.Limit(counts.indices, begin.parameters().word_topic)
        for name, variant in LIMITS.items():
            contenders[name] = functools.partial(bare.advance, variant)
    except limit.NoCompilerError as error:
        failed |= dict.fromkeys(LIMITS, str(error))
    sessions = []
    with threadpool_limits(limits=1):
        for rival in rivals:
            report.say(f"setting up {rival.name}")
            try:
                session = rival.start(counts, begin.doc_topic, begin.word_topic)
            except Exception as error:  # another's package: its failure is a result, not our end
                failed[rival.name] = f"failed: {type(error).__name__}: {error}"
                continue
            sessions.append(session)
            contenders[rival.name] = session.advance
        try:
            for advance in contenders.values():
                advance()
            few = tuple(rival.name for rival in rivals if not rival.same_model)
            seconds = passes.in_turns(contenders, turns, each, few)
        finally:
            for session in sessions:
                session.close()
    return {"seconds": seconds, "failed": failed}


def limit_name(seconds: dict[str, list[list[float]]]) -> str | None:
    """The faster variant of the limit: that is the limit."""
    found = [name for name in LIMITS if name in seconds]
    return min(found, key=lambda name: min(flat(seconds[name]))) if found else None


def pass_table(timings: dict[str, Any], named: list[str], missing: dict[str, str]) -> str:
    """The table of passes: peers, limit, ours."""
    seconds = timings["seconds"]
    ours = min(flat(seconds[OURS]))
    ours_by_turn = [min(turn) for turn in seconds[OURS]]
    rows = []
    for name in [*named, *LIMITS, OURS]:
        if name not in seconds:
            why = missing.get(name) or timings["failed"].get(name, "missing")
            rows.append([name, f"missing: {why}", "", "", "", ""])
            continue
        ratio = min(flat(seconds[name])) / ours
        by_turn = [min(turn) / mine for turn, mine in zip(seconds[name], ours_by_turn, strict=True)]
        target, met = "", ""
        if name in PASS_TARGETS:
            target = f"{PASS_TARGETS[name]:.0f}x"
            met = report.verdict(ratio >= PASS_TARGETS[name])
        elif name == limit_name(seconds):
            target = f"{LIMIT_TARGET:.0%}"
            met = report.verdict(ratio >= LIMIT_TARGET)
        is_limit = name in LIMITS
        rows.append(
            [
                name,
                report.best_and_worst(flat(seconds[name]), 1e3),
                f"{ratio:.0%}" if is_limit else f"{ratio:.1f}x",
                ""
                if name == OURS
                else f"{min(by_turn):.0%} to {max(by_turn):.0%}"
                if is_limit
                else f"{min(by_turn):.1f} to {max(by_turn):.1f}",
                target,
                met,
            ]
        )
    header = ["one pass of", "ms: best (worst)", "against ours", "turn by turn", "target", ""]
    return report.table(header, rows)


# --- 2. instruction sets and threads -------------------------------------------------------------


def time_levels(counts: scipy.sparse.csr_matrix, begin: Start, turns: int, each: int) -> dict[str, Any]:
    """Our pass on every instruction set that this machine runs; each must give the same bits."""
    found: dict[str, Any] = {}
    with passes.levels() as levels:
        for dtype in ("float32", "float64"):
            running = {level: begin.running(counts, dtype=np.dtype(dtype)) for level in levels}

            def advance(level: str, running: dict[str, Any] = running) -> None:
                levels[level]()
                running[level].advance()

            ways = {level: functools.partial(advance, level) for level in levels}
            seconds = passes.in_turns(ways, turns, each)
            first = next(iter(running.values())).bits()
            for level in levels:
                found[f"{level}, {dtype}"] = {
                    "seconds": flat(seconds[level]),
                    "expect_seconds": running[level].expect_seconds,
                    "same_bits": running[level].bits() == first,
                }
            report.say(f"instruction sets in {dtype}: done")
    return found


def time_threads(counts: scipy.sparse.csr_matrix, begin: Start, turns: int, each: int) -> dict[str, Any]:
    """Our pass on one and on two threads in turns; as many passes must give the same bits."""
    running = {str(threads): begin.running(counts, threads) for threads in (1, 2)}
    ways = {threads: ours.advance for threads, ours in running.items()}
    return {
        "seconds": {name: flat(each) for name, each in passes.in_turns(ways, turns, each).items()},
        "same_bits": running["1"].bits() == running["2"].bits(),
        "processors": passes.available_threads(),
    }


# --- 3. memory -----------------------------------------------------------------------------------

MEMORY_KINDS = {
    "fit": "PLSA.fit, plain",
    "accelerated": "PLSA.fit, accelerate=True",
    "loop": "the EM loop alone, its parameters included",
}


def peak_memory(counts: scipy.sparse.csr_matrix, topics: int, kind: str) -> int | None:
    """Bytes above the input at the peak of ten passes; to be called in a fresh process."""
    common = {"tol": 0.0, "n_threads": 1, "random_state": 0, "accelerate": kind == "accelerated"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What is loaded at the first use is not what a fit needs.
        PLSA(2, max_iter=2, **common).fit(counts[:20])
        memory = peers.PeakMemory()
        if kind == "loop":
            passes.loop(passes.counts_of(counts), topics, 10)
        else:
            PLSA(topics, max_iter=10, **common).fit(counts)
    return memory.peak()


# --- 4. the time to a likelihood -----------------------------------------------------------------


def looked_at(most: int) -> list[int]:
    """The passes after which a likelihood is taken: every early one, then ever fewer, and the last."""
    steps = {round(1.2**power) for power in range(60)}
    return sorted({step for step in steps if step <= most} | {most})


def climb_of_peer(
    peer: peers.Peer, counts: scipy.sparse.csr_matrix, begin: Start, most: int
) -> dict[str, Any]:
    """Likelihood against seconds of one peer, and what memory it took; in a fresh process.

    There its peak of memory is its own, and if its compiled code crashes the others go on.
    """
    if peer.name in SLOW_PEERS:
        most = min(SLOW_PEERS[peer.name], max(2, most // 10))
    chosen = looked_at(most)
    likelihoods: dict[int, float] = {}

    def look(done: int, doc_topic: np.ndarray, word_topic: np.ndarray) -> None:
        if done in chosen:
            likelihoods[done] = peers.log_likelihood(counts, doc_topic, word_topic)
            if done in (1, 10, most):
                report.say(f"{peer.name}: pass {done} of {most}")

    # To look at a slow peer takes it as long as a pass: every other one will do.
    every = 2 if peer.name in SLOW_PEERS and most > 2 else 1
    if most % every:
        most -= 1
    run = peer.fit(counts, begin.doc_topic, begin.word_topic, most, look, every)
    total = np.cumsum(run.seconds)
    done = sorted(likelihoods)
    return {
        "passes": done,
        "seconds": [float(total[each - 1]) for each in done],
        "log_likelihood": [likelihoods[each] for each in done],
        "pass_seconds": list(run.seconds),
        "set_up_seconds": run.set_up_seconds,
        "peak_bytes": run.peak_bytes,
    }


def climb_of_ours(
    counts: scipy.sparse.csr_matrix,
    begin: Start,
    accelerated: bool,
    until: float,
    at_least: int,
    at_most: int,
) -> dict[str, Any]:
    """Our likelihood against seconds, pass by pass, until it is high enough.

    The seconds of a likelihood include the expectation that found it out, which is already half
    of the next pass: a peer's do not.
    """
    points: list[tuple[int, float, float]] = []
    began = perf_counter()

    def note(number: int, log_likelihood: float) -> bool:
        points.append((number, perf_counter() - began, log_likelihood))
        return log_likelihood >= until and number >= at_least

    *ends, reason = passes.climb(counts, begin, accelerated, at_most, note)
    # The peers' yardstick must find the same as our own count.
    found = peers.log_likelihood(counts, *ends)
    numbers, seconds, likelihoods = (list(column) for column in zip(*points, strict=True))
    return {
        "passes": numbers,
        "seconds": seconds,
        "log_likelihood": likelihoods,
        "yardstick": found,
        "reason": reason,
    }


def seconds_to(climb: dict[str, Any], likelihood: float) -> tuple[float, int] | None:
    """The seconds and the passes after which a climb had this likelihood; None: it never had."""
    for done, seconds, reached in zip(
        climb["passes"], climb["seconds"], climb["log_likelihood"], strict=True
    ):
        if reached >= likelihood:
            return seconds, done
    return None


def best_to(climbs: list[dict[str, Any]], likelihood: float) -> tuple[float, float, int] | None:
    """Best and worst seconds, and the passes, of several climbs to a likelihood."""
    found = [seconds_to(climb, likelihood) for climb in climbs]
    if not found or None in found:
        return None
    times = [each[0] for each in found]
    return min(times), max(times), found[0][1]


def best_peer(climbs: dict[str, dict[str, Any]], same_model: list[str]) -> str | None:
    """The peer of our model with the highest likelihood at its last pass.

    Of those that are as good to five digits (they do the same in other types) the fastest.
    """
    ends = {
        name: climbs[name]["log_likelihood"][-1]
        for name in same_model
        if "log_likelihood" in climbs.get(name, {})
    }
    if not ends:
        return None
    highest = max(ends.values())
    equal = [name for name, end in ends.items() if end >= highest - 1e-5 * abs(highest)]
    return min(equal, key=lambda name: climbs[name]["seconds"][-1])


def climb_table(
    climbs: dict[str, dict[str, Any]],
    same_model: list[str],
    plain: list[dict[str, Any]],
    accelerated: list[dict[str, Any]],
    tokens: float,
) -> str:
    """For each peer of our model: its likelihood, its seconds, and ours to the same likelihood."""
    rows = []
    best = best_peer(climbs, same_model)
    for name in same_model:
        climb = climbs.get(name, {})
        if "failed" in climb:
            rows.append([name, f"missing: {climb['failed']}", *[""] * 7])
            continue
        target = climb["log_likelihood"][-1]
        theirs = climb["seconds"][-1]
        cells = []
        for ours in (plain, accelerated):
            reached = best_to(ours, target)
            if reached is None:
                cells += [f"not in {ours[0]['passes'][-1]} passes", ""]
            else:
                cells += [
                    f"{reached[0]:.2f} ({reached[1]:.2f}), {reached[2]} passes",
                    f"{theirs / reached[0]:.1f}x",
                ]
        each = climb["pass_seconds"]
        rows.append(
            [
                f"**{name}** (the best)" if name == best else name,
                f"{target / tokens:.5f}",
                f"{theirs:.1f}",
                f"{climb['set_up_seconds']:.1f}",
                f"{1e3 * np.median(each[:10]):.0f} / {1e3 * np.median(each[-10:]):.0f}",
                *cells,
            ]
        )
    most = max((climbs[name]["passes"][-1] for name in same_model if name in climbs), default=0)
    header = [
        f"after {most} passes of",
        "log-likelihood per word",
        "its seconds",
        "set-up, left out",
        "ms per pass, first / last ten",
        "ours, plain: s best (worst)",
        "sooner",
        "ours, accelerated: s best (worst)",
        "sooner",
    ]
    return report.table(header, rows)


# --- the figure ----------------------------------------------------------------------------------

SHORT = {
    "enstop PLSA": "enstop",
    "scikit-learn NMF-KL": "scikit-learn NMF, at its best",
    "scikit-learn NMF-KL, as it comes": "scikit-learn NMF, as it comes",
    "BigARTM offline": "BigARTM",
    "tomotopy LDA": "tomotopy (LDA)",
    "gensim LDA": "gensim (LDA)",
}


def picture(
    climbs: dict[str, dict[str, Any]],
    same_model: list[str],
    plain: dict[str, Any],
    accelerated: dict[str, Any],
    tokens: float,
    topics: int,
    path: Path,
) -> None:
    """Likelihood against seconds: the further left a curve rises, the better."""
    made, (axes,) = draw.figure(9.5, 5.6)
    lines = []
    heights = [value / tokens for value in plain["log_likelihood"][1:]]
    for (name, climb), color in zip(climbs.items(), draw.COLORS, strict=False):
        if "log_likelihood" not in climb:
            continue
        x, y = climb["seconds"], [value / tokens for value in climb["log_likelihood"]]
        heights += y
        style = "-" if name in same_model else (0, (1.5, 1.5))
        axes.plot(x, y, color=color, lw=1.7, ls=style)
        axes.plot(x[-1:], y[-1:], "o", ms=4.5, color=color)
        lines.append((SHORT.get(name, name), color, x[-1], y[-1]))
    for climb, style in ((plain, "-"), (accelerated, (0, (5, 1)))):
        # From the first pass on: the likelihood of the start belongs to nobody.
        x, y = climb["seconds"][1:], [value / tokens for value in climb["log_likelihood"][1:]]
        axes.plot(x, y, color=draw.OURS, lw=2.8, ls=style)
        axes.plot(x[-1:], y[-1:], "o", ms=5.5, color=draw.OURS)
    low, high = min(heights), max(heights)
    room = high - low
    axes.set_xscale("log")
    axes.set_ylim(low - 0.09 * room, high + 0.14 * room)
    axes.set_xlim(left=plain["seconds"][1] / 3)
    draw.label_ends(axes, lines, 0.062)
    _name_ours(axes, [plain, accelerated], low + 0.55 * room, tokens)
    if best := best_peer(climbs, same_model):
        _mark_gain(axes, climbs[best], [plain, accelerated], tokens, room)
    axes.set_xlabel("seconds of passes, set-up left out")
    axes.set_ylabel("log-likelihood per word: higher explains the texts better")
    axes.set_title(
        f"Learning {topics} topics from 20 Newsgroups on one core:\n"
        "the further left a curve rises, the sooner the program is there",
        pad=12,
    )
    note = "PLSA from the same start; dotted: LDA, another model, from its own"
    axes.text(0.01, 0.01, note, transform=axes.transAxes, fontsize=8.5, color=draw.MUTED)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(axis="x", color="#ececec", lw=0.8)
    axes.set_axisbelow(True)
    draw.save_figure(made, path)


def _name_ours(axes: Any, climbs: list[dict[str, Any]], height: float, tokens: float) -> None:
    """Our name beside our two curves, on the left, where there is nothing else."""
    found = [found for climb in climbs if (found := seconds_to(climb, height * tokens)) is not None]
    if found:
        axes.annotate(
            "plsa\n(dashed: accelerated)",
            xy=(min(found)[0], height),
            xytext=(-10, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=draw.OURS,
            fontweight="bold",
        )


def _mark_gain(
    axes: Any, theirs: dict[str, Any], ours: list[dict[str, Any]], tokens: float, room: float
) -> None:
    """An arrow, at the height that the best peer ends at, from its seconds to ours."""
    target = theirs["log_likelihood"][-1]
    found = [found for climb in ours if (found := seconds_to(climb, target)) is not None]
    if not found:
        return
    reached = min(found)
    end, height = theirs["seconds"][-1], target / tokens
    lifted = height + 0.055 * room
    for x in (reached[0], end):
        axes.plot([x, x], [height, lifted], color=draw.INK, lw=0.8)
    axes.annotate(
        "",
        xy=(reached[0], lifted),
        xytext=(end, lifted),
        arrowprops={"arrowstyle": "-|>", "color": draw.INK, "lw": 1.1, "shrinkA": 0, "shrinkB": 0},
    )
    axes.text(
        math.sqrt(reached[0] * end),
        lifted + 0.012 * room,
        f"the same likelihood {end / reached[0]:.0f} times sooner",
        ha="center",
        va="bottom",
        fontweight="bold",
    )


# --- the run -------------------------------------------------------------------------------------


def targets_table(
    measured: dict[str, Any], same_model: list[str], climbs: dict[str, Any], ours: dict[str, Any]
) -> str:
    """Every target of the project that is measured here, in one table."""
    rows = []
    seconds = measured["passes"]["seconds"]
    mine = min(flat(seconds[OURS]))
    for name, target in PASS_TARGETS.items():
        ratio = min(flat(seconds[name])) / mine if name in seconds else None
        rows.append(
            [
                f"a pass of {name} against ours",
                "missing" if ratio is None else f"{ratio:.1f}x",
                f"{target:.0f}x",
                report.verdict(None if ratio is None else ratio >= target),
            ]
        )
    bare = limit_name(seconds)
    share = min(flat(seconds[bare])) / mine if bare else None
    rows.append(
        [
            "share of the limit (the faster variant) that our pass reaches",
            "missing" if share is None else f"{share:.0%}",
            f"{LIMIT_TARGET:.0%}",
            report.verdict(None if share is None else share >= LIMIT_TARGET),
        ]
    )
    best = best_peer(climbs, same_model)
    for kind, label in (("plain", "plain"), ("accelerated", "accelerated")):
        reached = best and best_to(ours[kind], climbs[best]["log_likelihood"][-1])
        sooner = climbs[best]["seconds"][-1] / reached[0] if reached else None
        rows.append(
            [
                f"time to the likelihood of {best}, {label}",
                "not reached" if sooner is None else f"{sooner:.1f}x sooner",
                f"{CLIMB_TARGET:.0f}x",
                report.verdict((sooner or 0) >= CLIMB_TARGET if best else None),
            ]
        )
    threads = measured["threads"]
    gain = min(threads["seconds"]["1"]) / min(threads["seconds"]["2"])
    enough = threads["processors"] > 1
    same = "the same bits" if threads["same_bits"] else "OTHER BITS"
    rows.append(
        [
            "two threads against one",
            f"{gain:.2f}x, {same}",
            f"{THREADS_TARGET}x, the same bits",
            report.verdict(gain >= THREADS_TARGET and threads["same_bits"] if enough else None),
        ]
    )
    peak = measured["memory, fit"]["peak_bytes"]
    rows.append(
        [
            "peak memory above the input, PLSA.fit, 10 passes",
            "unknown here" if peak is None else f"{peak / 1e6:.0f} MB",
            f"{MEMORY_TARGET / 1e6:.0f} MB",
            report.verdict(None if peak is None else peak <= MEMORY_TARGET),
        ]
    )
    return report.table(["target", "seen", "to reach", ""], rows)


def levels_table(levels: dict[str, Any]) -> str:
    """Our pass by instruction set."""
    rows = [
        [
            name,
            report.best_and_worst(level["seconds"], 1e3),
            report.number(1e3 * min(level["expect_seconds"])),
            "yes" if level["same_bits"] else "NO",
        ]
        for name, level in levels.items()
    ]
    header = ["instruction set", "ms per pass: best (worst)", "of it expect", "same bits"]
    return report.table(header, rows)


def memory_table(measured: dict[str, Any], climbs: dict[str, Any]) -> str:
    """Peaks of memory, each in a process of its own."""
    found = {f"ours: {words}": measured[f"memory, {kind}"] for kind, words in MEMORY_KINDS.items()}
    found |= {name: climb for name, climb in climbs.items() if "peak_bytes" in climb}
    rows = [
        [name, "unknown" if one["peak_bytes"] is None else f"{one['peak_bytes'] / 1e6:.0f}"]
        for name, one in found.items()
    ]
    return report.table(["peak above the input", "MB"], rows)


def _slowing(plain: list[dict[str, Any]], accelerated: list[dict[str, Any]]) -> str:
    """Whether our passes become slower on the way, and whether both yardsticks agree."""
    each = np.diff(plain[0]["seconds"])
    apart = max(abs(climb["yardstick"] / climb["log_likelihood"][-1] - 1) for climb in plain + accelerated)
    return (
        f"Our plain passes took {1e3 * np.median(each[:10]):.1f} ms at first (median of ten) and "
        f"{1e3 * np.median(each[-10:]):.1f} ms at the end ({len(each)} passes). Our likelihood and that "
        f"of the peers' yardstick differ by {apart:.1e} of it at most."
    )


def apart(options: argparse.Namespace) -> dict[str, Any] | None:
    """What is measured in a process of its own."""
    if not (options.memory or options.climb):
        return None
    counts, _ = corpora.newsgroups_counts()
    if options.memory:
        return {"peak_bytes": peak_memory(counts, options.topics, options.memory)}
    (peer,) = peers.available([options.climb])
    return climb_of_peer(peer, counts, Start(counts, options.topics), options.passes)


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    counts, _ = corpora.newsgroups_counts()
    named = list(options.peers or peers.NAMES)
    rivals = peers.available(named)
    missing = dict(peers.missing(named))
    for name, why in missing.items():
        report.say(f"{name} is missing: {why}")
    turns = options.repeats or (2 if options.quick else 6)
    most = options.passes or (8 if options.quick else 100)
    each = 2 if options.quick else 4
    settings = {
        "corpus": "20 Newsgroups",
        "documents": counts.shape[0],
        "words": counts.shape[1],
        "nonzeros": counts.nnz,
        "topics": options.topics,
        "turns": turns,
        "passes per turn": each,
        "passes of the climb": most,
        "peers": named,
        "missing": missing,
    }
    kept = record.Record(NAME, options, settings, DISTRIBUTIONS)
    begin = Start(counts, options.topics)
    kept.measured("tokens", lambda: float(counts.sum(dtype=np.float64)))
    kept.measured("passes", lambda: time_passes(counts, begin, rivals, turns, each))
    kept.measured("levels", lambda: time_levels(counts, begin, turns, each))
    kept.measured("threads", lambda: time_threads(counts, begin, turns, each))
    by_itself = functools.partial(
        record.measured_apart, f"bench.speed.{NAME}", "--topics", str(options.topics)
    )
    for kind, words in MEMORY_KINDS.items():
        kept.measured(f"memory, {kind}", functools.partial(by_itself, "--memory", kind))
        report.say(f"memory of {words}: done")
    ends, failed = [-math.inf], {}
    for rival in rivals:
        climb = functools.partial(by_itself, "--passes", str(most), "--climb", rival.name)
        try:
            found = kept.measured(f"climb, {rival.name}", climb)
        except RuntimeError as error:  # not measured: --resume tries again
            report.say(str(error))
            failed[rival.name] = str(error)
        else:
            ends += [found["log_likelihood"][-1]] if rival.same_model else []
    kept.facts["failed"] = failed
    for turn in range(1, TURNS_OF_CLIMBS + 1):
        for kind in KINDS:
            bounds = (kind == "accelerated", max(ends), most, 20 * most)
            kept.measured(f"climb, ours, {kind}, {turn}", lambda b=bounds: climb_of_ours(counts, begin, *b))
        report.say(f"our climb {turn}: done")
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    measured, settings = facts["measured"], facts["settings"]
    missing, tokens = settings["missing"], measured["tokens"]
    rivals = [peers.CANDIDATES[name] for name in settings["peers"] if name not in missing]
    same_model = [rival.name for rival in rivals if rival.same_model]
    climbs = {
        rival.name: measured.get(f"climb, {rival.name}") or {"failed": facts["failed"][rival.name]}
        for rival in rivals
    }
    ours = {
        kind: [measured[f"climb, ours, {kind}, {turn}"] for turn in range(1, TURNS_OF_CLIMBS + 1)]
        for kind in KINDS
    }
    levels, threads = measured["levels"], measured["threads"]
    path = folder / f"{NAME}.png"
    if climbs:
        first = (each[0] for each in ours.values())
        picture(climbs, same_model, *first, tokens, settings["topics"], path)
    return [
        record.heading(
            "One EM pass, and the time to a likelihood",
            "How long does one pass take, and how long the way to a likelihood, beside every rival? "
            "float32 and one thread unless said otherwise; all from the same start.",
            facts,
        ),
        "## One pass\n\nAll took turns in one process; the best pass of all turns, the worst in "
        "brackets. Ours includes the likelihood, the peers' do not. 'Turn by turn' is the range of "
        "the ratio of best passes within a turn. The limit only moves the rows that a pass must "
        "read and write; its faster variant is the limit.",
        pass_table(measured["passes"], settings["peers"], missing),
        "\n".join(f"* {rival.name}: {rival.update}; {rival.note}." for rival in rivals),
        "## The targets",
        targets_table(measured, same_model, climbs, ours),
        "## The time to a likelihood\n\nSeconds in which each peer of our model did its passes, and "
        "ours until the likelihood was the same or higher, which include the expectation that found "
        "it out.",
        climb_table(climbs, same_model, ours["plain"], ours["accelerated"], tokens),
        _slowing(ours["plain"], ours["accelerated"]),
        f"![Likelihood against seconds]({path.name})" if climbs else "",
        "## Instruction sets\n\nEach ran as many passes from the same start.",
        levels_table(levels),
        "## Threads\n\n"
        + report.table(
            ["threads", "ms per pass: best (worst)"],
            [[count, report.best_and_worst(each, 1e3)] for count, each in threads["seconds"].items()],
        ),
        "## Memory",
        memory_table(measured, climbs),
    ]


def same_bits(measured: dict[str, Any]) -> bool:
    """Whether all threads and instruction sets gave the same."""
    return all(each["same_bits"] for each in (measured["threads"], *measured["levels"].values()))


def at_least_one(text: str) -> int:
    """A number of an option; ValueError where it is less than one."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


if __name__ == "__main__":
    parser = record.parser_of(NAME, __doc__)
    parser.add_argument("--topics", type=at_least_one, default=40)
    parser.add_argument("--repeats", type=at_least_one, help="turns that each program takes (6; quick: 2)")
    parser.add_argument(
        "--passes", type=at_least_one, help="passes of each peer in the climb (100; quick: 8)"
    )
    parser.add_argument(
        "--peers", nargs="+", choices=peers.NAMES, metavar="NAME", help=f"of: {'; '.join(peers.NAMES)}"
    )
    parser.add_argument("--memory", choices=MEMORY_KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--climb", choices=peers.NAMES, help=argparse.SUPPRESS)
    facts = record.main(NAME, parser, measure, tell, apart)
    # Speed may be missed; these may not.
    if facts and not same_bits(facts["measured"]):
        raise SystemExit(f"{NAME}: other bits with other threads or another instruction set")
