"""How long do classifiers by graphs of documents take, how much memory, and how often are they right?

arXiv, 100,000 abstracts of 108 classes, 1% labeled: seconds of a fit to counts and the most memory that its
process had, counts included; seconds of all its threads are less a matter of what else ran. Beside it
scikit-learn's `LabelSpreading(kernel="knn")` with as many neighbors on 100 dimensions of its `TruncatedSVD`,
which do not count. Every fit is a process of its own, and the best of some turns counts. Then accuracy x 100
on the test documents of the protocol's splits, mean and standard deviation, beside scikit-learn's on the same
ones as the protocol has it (100 dimensions, 7 and 20 neighbors, alpha = 0.2); (3): of three splits. What
is empty was not measured.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import warnings
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import LabelSpreading
from threadpoolctl import threadpool_limits

from bench.shared import corpora, numbers, report, splits
from bench.speed import record
from plsa import GraphClassifier, MinCut

NAME = "graphs"
SIZES = (20_000, 100_000)
SHARE = 0.01  # of documents that keep their label
SECONDS, GIBIBYTES = 60.0, 4.0  # of a fit to all
RATIOS = (0.01, 0.05)
CORPORA = ("webkb", "reuters7", "20news")
MODELS = {
    "spreading": GraphClassifier(),
    "harmonic": GraphClassifier("harmonic"),
    "random walk": GraphClassifier("random walk"),
    "linear neighborhoods": GraphClassifier("linear neighborhoods"),
    "sgt": GraphClassifier("sgt"),
    "harmonic, 10 neighbors": GraphClassifier("harmonic", n_neighbors=10),
    "spreading, 300 dimensions": GraphClassifier(n_dimensions=300),
    "one cut": MinCut(),
    "20 cuts": MinCut(20, random_state=0),
}
MANY = ("spreading", "harmonic")  # on all splits; others on three
FOR_LARGE = (*MANY, "random walk", "harmonic, 10 neighbors")  # on 20 Newsgroups, too
SPEED = [(model, size, 2) for model in (*MANY, "scikit-learn") for size in SIZES]
# What the protocol has of LabelSpreading with 7 neighbors and with 20, at the ratios.
PRINTED = {
    "20news": ((53.8, 60.1), (68.5, 70.2)),
    "webkb": ((49.5, 60.4), (67.1, 72.4)),
    "reuters7": ((85.2, 90.5), (93.0, 94.9)),
}


def fitted(model: str, size: int, n_threads: int) -> dict[str, Any]:
    """Seconds and the most memory, in this process."""
    whole = corpora.prepared("arxiv")
    truth = np.unique(whole.labels, return_inverse=True)[1][:size]
    shuffled = np.random.default_rng(0).permutation(size)
    known, y = splits.first_labels(shuffled, truth, SHARE), np.full(size, -1)
    y[known] = truth[known]
    counts = whole.counts[:size]
    del whole
    with threadpool_limits(n_threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if model == "scikit-learn":
            vectors = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
            space = normalize(TruncatedSVD(100, random_state=0).fit_transform(vectors))
            began, cpu = perf_counter(), process_time()
            rival = LabelSpreading(kernel="knn", n_neighbors=20, n_jobs=n_threads).fit(space, y)
            guesses = rival.transduction_
        else:
            began, cpu = perf_counter(), process_time()
            guesses = GraphClassifier(model, n_threads=n_threads).fit(counts, y).guesses_
        seconds, of_all = perf_counter() - began, process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    right = float(np.mean(guesses[y < 0] == truth[y < 0]))
    return {"seconds": seconds, "cpu": of_all, "gibibytes": peak, "right": right, "words": counts.shape[1]}


def best_of(turns: int, *asked: str) -> dict[str, Any]:
    """The quickest of some turns."""
    found = [record.measured_apart("bench.speed.graphs", "--one", *asked) for _ in range(turns)]
    return min(found, key=lambda each: each["seconds"])


def accuracies(corpus: str, ratio: float, name: str, seeds: tuple[int, ...]) -> list[float]:
    """The share of test documents that are right, on each split."""
    found = []
    for seed in seeds:
        split = splits.load(corpus, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = MODELS[name].fit(*split.training(ratio))
            found.append(float(np.mean(model.predict(split.testing()[0]) == split.testing()[1])))
    return found


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    turns = options.repeats or 1
    settings = {"turns": turns, "labels": SHARE, "neighbors": 20}
    kept = record.Record(NAME, options, settings, ("plsa-learn", "numpy", "scipy", "scikit-learn"))
    for corpus in CORPORA[:-1] if options.quick else CORPORA:
        for ratio in RATIOS:
            for name in MODELS:
                if corpus == "20news" and name not in FOR_LARGE:
                    continue
                seeds = splits.SEEDS if name in MANY else splits.SEEDS[:3]
                kept.measured(f"{corpus} {ratio} {name}", partial(accuracies, corpus, ratio, name, seeds))
    for model, size, n_threads in SPEED:
        if size == SIZES[0] or not options.quick:
            key = f"{model} {size} {n_threads}"
            kept.measured(key, partial(best_of, turns, model, str(size), str(n_threads)))
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    measured, rows, targets = facts["measured"], [], []
    for model, size, n_threads in SPEED:
        found = measured.get(f"{model} {size} {n_threads}")
        if found is None:
            continue
        times = [f"{found['seconds']:.1f}", f"{found['cpu']:.1f}", f"{found['gibibytes']:.2f} GiB"]
        rows.append([model, f"{size:,}", str(n_threads), *times, f"{100 * found['right']:.1f}"])
        if model in MANY and size == SIZES[-1] and n_threads == 2:
            met = report.verdict(found["seconds"] <= SECONDS)
            targets.append([model, f"{found['seconds']:.1f} s", f"{SECONDS:g} s", met])
            met = report.verdict(found["gibibytes"] <= GIBIBYTES)
            targets.append([model, times[-1], f"{GIBIBYTES:g} GiB", met])
    table = []
    for name in MODELS:
        values = [measured.get(f"{corpus} {ratio} {name}") for corpus in CORPORA for ratio in RATIOS]
        table.append([name, *map(_shown, values)])
    for place, n_neighbors in enumerate((7, 20)):
        printed = [f"{PRINTED[corpus][at][place]:.1f}" for corpus in CORPORA for at in range(len(RATIOS))]
        table.append([f"scikit-learn, {n_neighbors} neighbors", *printed])
    titles = [f"{splits.CORPORA[each]}, {numbers.percent(ratio)}" for each in CORPORA for ratio in RATIOS]
    head = ["arXiv", "documents", "threads", "fit, s", "of all threads, s", "memory", "guesses right, %"]
    about = " ".join((__doc__ or "").split("\n\n")[1].split())
    return [
        record.heading("Classifiers by graphs of documents", about, facts),
        report.table(["100,000 documents, 2 threads", "measured", "to reach", ""], targets),
        report.table(head, rows),
        report.table(["accuracy", *titles], table),
    ]


def _shown(values: list[float] | None) -> str:
    """Mean and standard deviation in percent, and of how many if of three."""
    if values is None:
        return ""
    spread = f"{100 * np.mean(values):.1f} ±{100 * np.std(values, ddof=1):.1f}"
    return spread if len(values) == len(splits.SEEDS) else f"{spread} ({len(values)})"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(fitted(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        record.main(NAME, record.parser_of(NAME, __doc__, "turns (1)"), measure, tell)
