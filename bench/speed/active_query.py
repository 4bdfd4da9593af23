"""How long does a person wait from an answer to the next question?

`ActiveLearner` with `SoftMislabelingPLSA` and one label per class at the start, as it comes: the median of
`tell` and `query` together over some answers, on one thread, and beside it a full fit of the same model to
the labels of then, which is what `predict` waits for. All of 20 Newsgroups; the same eleven times over, cut
at 200,000 documents; and 200,000 abstracts of arXiv, each of 100,000 twice, in 108 classes.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_limits

from bench.shared import corpora, report
from bench.speed import record
from plsa import ActiveLearner, SoftMislabelingPLSA

NAME = "active_query"
LARGE = 200_000
LEAST = 5  # documents that a word stands in
TARGETS = {"20 Newsgroups": 0.2, "20 Newsgroups, 200,000 documents": 2.0, "arXiv, 200,000 documents": 2.0}
SHARE = 0.1  # of a full fit
STRATEGIES = ("auto", "entropy", "vote entropy", "committee", "expected error")


def repeated(counts: Any, labels: np.ndarray) -> tuple[Any, np.ndarray]:
    """Documents again and again until there are enough."""
    rows = np.arange(LARGE) % counts.shape[0]
    return counts[rows], labels[rows]


def pool(name: str) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Counts and the number of each document's class."""
    whole = corpora.prepared("arxiv" if name.startswith("arXiv") else "20news")
    frequency = np.bincount(whole.counts.indices, minlength=whole.counts.shape[1])
    counts = whole.counts[:, frequency >= LEAST].tocsr()
    code = np.unique(whole.labels, return_inverse=True)[1]
    return repeated(counts, code) if "200,000" in name else (counts, code)


def waited(name: str, strategy: str, answers: int, *, fit: bool) -> dict[str, Any]:
    """Seconds of each answer, of the start, and of a full fit."""
    counts, code = pool(name)
    known = np.full(len(code), -1)
    rng = np.random.default_rng(0)
    for each in range(code.max() + 1):
        known[rng.choice(np.flatnonzero(code == each))] = each
    model = SoftMislabelingPLSA(random_state=0, n_threads=1)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        began = perf_counter()
        learner = ActiveLearner(model, counts, known, strategy)
        asked = learner.query()
        start = perf_counter() - began
        seconds = []
        for _ in range(answers):
            began = perf_counter()
            learner.tell(asked, code[asked])
            asked = learner.query()
            seconds.append(perf_counter() - began)
        began = perf_counter()
        if fit:
            learner.predict()
        full = perf_counter() - began if fit else None
    return {
        "documents": len(code),
        "nonzeros": int(counts.nnz),
        "classes": int(code.max()) + 1,
        "start": start,
        "seconds": seconds,
        "full": full,
    }


def told(measured: dict[str, dict[str, Any]]) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of the times and of the targets."""
    times, targets = [], []
    for key, found in measured.items():
        name, _, strategy = key.partition(": ")
        median, full = float(np.median(found["seconds"])), found["full"]
        times.append(
            [
                name,
                f"{found['documents']:,}",
                f"{found['nonzeros'] / 1e6:.1f} million",
                str(found["classes"]),
                strategy,
                f"{found['start']:.2f}",
                f"{median:.3f}",
                f"{min(found['seconds']):.3f} to {max(found['seconds']):.3f}",
                "" if full is None else f"{full:.1f}",
            ]
        )
        if strategy == "auto":
            limit = TARGETS[name]
            targets.append([name, f"{median:.2f} s", f"under {limit:g} s", report.verdict(median < limit)])
            if full is not None:
                share = median / full
                met = report.verdict(share < SHARE)
                targets.append([f"{name}, share of a full fit", f"{share:.3f}", f"under {SHARE:g}", met])
    return times, targets


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    answers = options.repeats or (3 if options.quick else 15)
    settings = {
        "answers": answers,
        "large": LARGE,
        "least": LEAST,
        "model": "SoftMislabelingPLSA, one thread",
    }
    kept = record.Record(NAME, options, settings)
    wanted = [("20 Newsgroups", strategy) for strategy in STRATEGIES]
    wanted += [(name, "auto") for name in list(TARGETS)[1:]]
    for name, strategy in wanted:
        few = answers if name == "20 Newsgroups" else max(3, answers // 3)
        fit = strategy == "auto" and name == "20 Newsgroups"
        kept.measured(f"{name}: {strategy}", partial(waited, name, strategy, few, fit=fit))
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    times, targets = told(facts["measured"])
    head = ["pool", "documents", "nonzeros", "classes", "strategy"]
    head += ["first question, s", "median, s", "range", "fit, s"]
    about = (__doc__ or "").split("\n\n")[1].replace("\n", " ").strip()
    return [
        record.heading("From an answer to the next question", about, facts),
        report.table(["", "measured", "to reach", ""], targets),
        report.table(head, times),
    ]


if __name__ == "__main__":
    record.main(NAME, record.parser_of(NAME, __doc__, "answers that are timed (15; quick: 3)"), measure, tell)
