"""Raw texts: are the probabilities right of what users have?

`text_classifier()` as it is, on texts as they are: whole posts with their headers, pages with their markup,
titles, tweets and sentences. 80% of the documents are for learning, 1 to 20% of these with a label; the
others, *documents of the fit*, are judged by `transduction_`, and the 20% that are left, *new documents*, by
`predict_proba`. *Stated* is the mean of the highest probability, *right* the share of documents whose class
has it, both in percent; a calibrated model has them equal. Constants were set on the first five
corpora; the scores of the others were seen meanwhile, so that they are a check and no blind test.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import plsa
from bench.shared import cells, corpora, numbers, report, splits
from bench.shared.cells import Cell, Measured

NAME = "raw_texts"
TRIALS_ARE = "splits"
RATIOS = (0.01, 0.02, 0.05, 0.2)
SEEDS = (0, 1, 2)
CORPORA = {
    "20newsgroups": "20 Newsgroups",
    "webkb": "WebKB",
    "reuters21578": "Reuters-7",
    "stackoverflow-titles": "Stack Overflow titles",
    "mr-sentences": "film reviews, sentences",
    "davidson-tweets": "tweets, abusive or not",
    "germeval2018": "tweets, German",
    "banking77": "bank customers' questions",
    "reddit-posts": "Reddit posts",
}
KINDS = {"new": "new documents", "fit": "documents of the fit"}
SHOWN = ("20newsgroups", 0.02)  # whose reliability is shown bin by bin
BINS = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much is measured."""
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS), help="splits; three")


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the tables."""
    for corpus in CORPORA:
        for seed in options.seeds:
            for ratio in RATIOS:
                yield Cell(NAME, corpus, "", "text_classifier", ratio, seed)


def settings(cell: Cell) -> str:
    """The pipeline as scikit-learn prints it."""
    return " ".join(repr(_made()).split())


def _made() -> Any:
    return plsa.text_classifier(random_state=0, n_threads=1)


def measure(cell: Cell) -> dict[str, Any]:
    """A fit, and what is stated and right of both kinds of documents."""
    texts, y = _read(cell.task)
    train, test, shuffled = splits.stratified(y, cell.trial)
    labeled = splits.first_labels(shuffled, y, cell.labels)
    others = np.setdiff1d(train, labeled)
    documents = np.concatenate([labeled, others])
    told = np.where(np.isin(documents, labeled), y[documents], splits.UNLABELED)
    model = _made()
    began = perf_counter()
    model.fit([texts[d] for d in documents], told)
    seconds = perf_counter() - began
    new = _reliability(model.predict_proba([texts[d] for d in test]), y[test])
    fit = _reliability(model[-1].transduction_[len(labeled) :], y[others])
    result = {
        "fit_seconds": round(seconds, 3),
        "accuracy": sum(new["right"]) / len(test),
        "sharpness": float(model[-1].sharpness_),
        "new": new,
        "fit": fit,
    }
    if not model[-1].unlabeled_used_:
        result["fell_back"] = True
    return result


@lru_cache(maxsize=1)
def _read(corpus: str) -> tuple[list[str], np.ndarray]:
    """The texts of a corpus and their classes, numbered."""
    texts, labels = corpora.raw_texts(corpus)
    return texts, np.unique(labels, return_inverse=True)[1]


def _reliability(probabilities: np.ndarray, true: np.ndarray) -> dict[str, list[float]]:
    """Of ten bins of the highest probability: documents, the sum of what is stated, how many are right."""
    top, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == true
    place = np.clip((top * BINS).astype(int), 0, BINS - 1)
    return {
        "documents": np.bincount(place, minlength=BINS).tolist(),
        "stated": np.bincount(place, top, BINS).round(6).tolist(),
        "right": np.bincount(place, right, BINS).tolist(),
    }


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts = []
    for kind, title in KINDS.items():
        rows = [
            [name, *(_overall(measured.found(task=corpus, labels=ratio), kind) for ratio in RATIOS)]
            for corpus, name in CORPORA.items()
        ]
        heading = f"## {title.capitalize()}: stated / right (difference)"
        parts += [heading, report.table(["", *map(numbers.percent, RATIOS)], rows)]
    corpus, ratio = SHOWN
    parts.append(f"## {CORPORA[corpus]}, {numbers.percent(ratio)} labeled: what is stated, bin by bin")
    for kind, title in KINDS.items():
        bins = _bins(measured.found(task=corpus, labels=ratio), kind)
        parts.append(report.table([title, "documents", "stated", "right", "difference"], bins))
    return parts


def _overall(found: list[dict[str, Any]], kind: str) -> str:
    """Stated and right in percent, as means over the splits."""
    if not found:
        return "-"
    shares = [
        [sum(each[kind][of]) / sum(each[kind]["documents"]) for of in ("stated", "right")] for each in found
    ]
    stated, right = 100 * np.mean(shares, axis=0)
    return f"{stated:.1f} / {right:.1f} ({stated - right:+.1f})"


def _bins(found: list[dict[str, Any]], kind: str) -> list[list[str]]:
    """A row a bin, all splits together."""
    documents, stated, right = (
        np.sum([each[kind][of] for each in found], axis=0) if found else np.zeros(BINS)
        for of in ("documents", "stated", "right")
    )
    return [
        [
            f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}",
            f"{documents[place]:.0f}",
            f"{100 * stated[place] / documents[place]:.1f}",
            f"{100 * right[place] / documents[place]:.1f}",
            f"{100 * (stated[place] - right[place]) / documents[place]:+.1f}",
        ]
        for place in np.flatnonzero(documents)
    ]


if __name__ == "__main__":
    cells.main(__spec__.name)
