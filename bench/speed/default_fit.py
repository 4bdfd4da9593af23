"""How long does a default fit to raw texts take, on one thread and on two, and how much memory?

`text_classifier()` as it comes, with 1% of the labels, at least one a class: the seconds that counting words
and fitting take, and the most memory that the process had, texts and counts included. Every fit is a process
of its own; of some turns the best counts, as other work on the machine only slows them. Beside it, to tell
how fast the machine was: scikit-learn's `LinearSVC` on TF-IDF of the same words, taught by all labels.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.shared import corpora, report
from bench.speed import record
from plsa import text_classifier

NAME = "default_fit"
TITLES = {"20newsgroups": "20 Newsgroups", "arxiv-100k": "arXiv, 100,000 abstracts"}
SHARE = 0.01  # of documents that keep their label
SECONDS = {("20newsgroups", 1): 4.0, ("arxiv-100k", 1): 45.0, ("arxiv-100k", 2): 27.0}
GIBIBYTES = {"arxiv-100k": 1.2}


def fitted(corpus: str, n_threads: int, *, rival: bool) -> dict[str, Any]:
    """Seconds and the most memory, in this process."""
    texts, labels = corpora.raw_texts(corpus)
    truth = np.array(labels)
    known = np.random.default_rng(0).permutation(len(truth))[: round(SHARE * len(truth))]
    first = [np.flatnonzero(truth == each)[0] for each in np.setdiff1d(truth, truth[known])]
    y = np.full(len(truth), None, dtype=object)
    told = np.concatenate([known, np.array(first, dtype=known.dtype)])
    y[told] = truth[told]
    pipeline = text_classifier(random_state=0, n_threads=n_threads)
    with threadpool_limits(n_threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        began = perf_counter()
        counts = pipeline[0].fit_transform(texts)
        counted = perf_counter() - began
        del texts
        began = perf_counter()
        if rival:
            LinearSVC(random_state=0).fit(TfidfTransformer(sublinear_tf=True).fit_transform(counts), truth)
        else:
            pipeline[-1].fit(counts, y)
        fit = perf_counter() - began
    right = None
    if not rival:
        unknown = np.setdiff1d(np.arange(len(truth)), told)
        right = float(np.mean(pipeline[-1].guesses_[unknown] == truth[unknown]))
    facts = {"documents": counts.shape[0], "words": counts.shape[1], "nonzeros": int(counts.nnz)}
    facts |= {"classes": len(set(labels)), "right": right}
    return facts | {"counted": counted, "fit": fit, "gibibytes": _peak() / 2**30}


def _peak() -> int:
    """The most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def alone(corpus: str, n_threads: int, turns: int, *, rival: bool = False) -> dict[str, Any]:
    """The best of some turns, each in a process of its own."""
    found = []
    for _ in range(turns):
        asked = [sys.executable, "-m", "bench.speed.default_fit", "--one", corpus, str(n_threads)]
        said = subprocess.run([*asked, str(int(rival))], check=True, capture_output=True, text=True)
        found.append(json.loads(said.stdout.splitlines()[-1]))
    best = min(found, key=lambda each: each["fit"])
    return best | {"all": [each["fit"] for each in found]}


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    turns = options.repeats or (1 if options.quick else 3)
    kept = record.Record(NAME, options, {"turns": turns, "labels": SHARE})
    for corpus in TITLES:
        kept.measured(f"{corpus} rival", partial(alone, corpus, 1, max(1, turns - 1), rival=True))
        for n_threads in (1, 2):
            kept.measured(f"{corpus} {n_threads}", partial(alone, corpus, n_threads, turns))
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    measured, rows, targets = facts["measured"], [], []
    for corpus, title in TITLES.items():
        rival = measured[f"{corpus} rival"]["fit"]
        for n_threads in (1, 2):
            found = measured[f"{corpus} {n_threads}"]
            spread = f"{found['fit']:.1f} ({max(found['all']):.1f})"
            size = f"{found['documents']:,} x {found['words']:,}, {found['classes']}"
            memory = f"{found['gibibytes']:.2f} GiB"
            row = [title, size, str(n_threads), f"{found['counted']:.1f}", spread, memory]
            rows.append([*row, f"{rival:.1f}", f"{found['fit'] / rival:.2f}", f"{100 * found['right']:.1f}"])
            goal = SECONDS.get((corpus, n_threads))
            name = f"{title}, {n_threads} thread{'s' if n_threads > 1 else ''}"
            if goal is not None:
                met = report.verdict(found["fit"] <= goal)
                targets.append([name, f"{found['fit']:.1f} s", f"{goal:g} s", met])
            if corpus in GIBIBYTES and n_threads == 2:
                most = GIBIBYTES[corpus]
                targets.append([title, memory, f"{most:g} GiB", report.verdict(found["gibibytes"] <= most)])
    head = ["", "documents x words, classes", "threads", "count words, s", "fit, s (worst turn)", "memory"]
    about = " ".join((__doc__ or "").split("\n\n")[1].split())
    return [
        record.heading("A default fit to raw texts", about, facts),
        report.table(["", "measured", "to reach", ""], targets),
        report.table([*head, "LinearSVC, all labels, s", "fit / LinearSVC", "guesses right, %"], rows),
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(fitted(sys.argv[2], int(sys.argv[3]), rival=sys.argv[4] == "1")))
    else:
        record.main(NAME, record.parser_of(NAME, __doc__, "turns (3; quick: 1)"), measure, tell)
