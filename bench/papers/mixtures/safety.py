"""Does it harm to learn from documents without a label? What `unlabeled_weight="auto"` makes of it

Accuracy in percent of naive Bayes on the labels alone (NB, weight 0), of EM with unlabeled documents that
count as much as labeled ones (EM, weight 1), and of `NaiveBayesEM` as it is ("auto"), which asks labeled
documents that it holds out. *Set* marks the tasks on which its rule and constants were chosen; the others
had no part in that, though their figures under an earlier version of the rule were seen before the last.

The ten binary tasks are those of tables 3.2 and 3.3: 10 positive and 40 negative documents, 7,000
unlabeled ones, the words that the chapter selects or all of them at one length, one pseudo-count. Of the
other corpora at most 7,000 documents are taken, words as they stand in at least two of them and in no more
than half; 70% are for learning, 0.3 to 20% of these with a label, at least one of each class, and 30% are
judged. With one pseudo-count a word, the default, and the words of raw texts EM collapses nearly everywhere;
with a tenth it helps where classes are topics.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from bench.papers.mixtures import models, reuters
from bench.shared import cells, corpora, numbers, report, splits
from bench.shared.cells import Cell, Measured
from plsa.estimators.text import WordCounter

NAME = "safety"
LEARNERS = {"nb": 0.0, "em": 1.0, "auto": "auto"}
CORPORA = {
    "20newsgroups": "20 Newsgroups",
    "webkb": "WebKB",
    "banking77": "bank customers' questions",
    "germeval2018": "tweets, German",
    "reuters21578": "Reuters-7",
    "stackoverflow-titles": "Stack Overflow titles",
    "mr-sentences": "film reviews, sentences",
    "davidson-tweets": "tweets, abusive or not",
    "reddit-posts": "Reddit posts",
}
SET_ON = (*reuters.CATEGORIES[:5], "20newsgroups", "webkb", "banking77", "germeval2018")
WORDS = {"chapter": "the chapter's words", "one-length": "all words, one length"}
ALPHAS = {"1": 1.0, "0.1": 0.1}
RATIOS = (0.003, 0.01, 0.05, 0.2)
TRIALS = 2
CLEARLY = 2.0  # points
_DOCUMENTS = 7_000
_TEST_SHARE = 0.3
_LABELS_STREAM = 1000


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much is measured."""
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"labeled sets of each task; {TRIALS}")


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the tables."""
    for trial in range(options.trials):
        for learner in LEARNERS:
            for setting in WORDS:
                for category in reuters.CATEGORIES:
                    yield Cell(NAME, category, setting, learner, reuters.LABELS, trial)
    for corpus in CORPORA:
        for alpha in ALPHAS:
            for trial in range(options.trials):
                for ratio in RATIOS:
                    for learner in LEARNERS:
                        yield Cell(NAME, corpus, alpha, learner, ratio, trial)


def settings(cell: Cell) -> str:
    """What decides the result."""
    text = f"unlabeled_weight={LEARNERS[cell.learner]}"
    if cell.task in CORPORA:
        return f"{text} alpha={ALPHAS[cell.setting]} documents={_DOCUMENTS} test={_TEST_SHARE}"
    return f"{text} {reuters.settings(cell)}"


# --- measuring -----------------------------------------------------------------------------------


def measure(cell: Cell) -> dict[str, Any]:
    """Learns from one labeled set."""
    weight = LEARNERS[cell.learner]
    if cell.task in CORPORA:
        X, y = _read(cell.task)
        labeled, unlabeled, test = _division(y, cell.labels, cell.trial)
        model = models.estimator(weight, alpha=ALPHAS[cell.setting])
    else:
        X, y, labeled, unlabeled, test = reuters.read(cell.setting, cell.task, cell.trial)
        model = models.estimator(weight)
    model = models.fitted(model, X[labeled], y[labeled], X[unlabeled])
    return {"accuracy": model.score(X[test], y[test]), "weight": model.unlabeled_weight_}


@lru_cache(maxsize=1)
def _read(corpus: str) -> tuple[Any, np.ndarray]:
    """Counts of some documents of a corpus and their classes, numbered."""
    texts, labels = corpora.raw_texts(corpus)
    some = np.sort(np.random.default_rng(0).permutation(len(texts))[:_DOCUMENTS])
    counts = WordCounter(max_df=0.5, min_df=2).fit_transform([texts[place] for place in some])
    return counts.tocsr(), np.unique(np.array(labels)[some], return_inverse=True)[1]


def _division(y: np.ndarray, ratio: float, trial: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The documents that are labeled in a trial, unlabeled, and for the test."""
    train, test = train_test_split(np.arange(len(y)), test_size=_TEST_SHARE, stratify=y, random_state=trial)
    shuffled = np.random.default_rng(_LABELS_STREAM + trial).permutation(np.sort(train))
    labeled = splits.first_labels(shuffled, y, ratio)
    return labeled, np.setdiff1d(train, labeled), test


# --- telling -------------------------------------------------------------------------------------


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    parts = ["## In short", _summary(measured), "## Ten binary tasks of Reuters", _binary(measured)]
    for alpha, value in ALPHAS.items():
        parts += [
            f"## Corpora by the share of labels, pseudo-count of a word {value:g}",
            _corpora(measured, alpha),
        ]
    return parts


def _summary(measured: Measured) -> str:
    """Means over the tasks of each kind, and how far "auto" falls behind on any of them."""
    header = ["", "sets of labels", "NB", "EM", "auto", "better of NB, EM", "auto - NB, worst"]
    header += [f"auto below NB by > {CLEARLY:g}", f"below the better by > {CLEARLY:g}"]
    rows = []
    for title, names in (("binary Reuters", WORDS), ("corpora", ALPHAS)):
        for chosen in (True, False):
            found = {
                learner: np.array([100 * result["accuracy"] for result in each])
                for learner, each in _paired(measured, names, chosen).items()
            }
            if not len(found["auto"]):
                continue
            nb, em, auto = (found[learner] for learner in LEARNERS)
            better = np.maximum(nb, em)
            counted = [(auto < those - CLEARLY).sum() for those in (nb, better)]
            means = [nb.mean(), em.mean(), auto.mean(), better.mean(), (auto - nb).min()]
            head = f"{title}, {'set' if chosen else 'others'}"
            rows.append([head, str(len(nb)), *map(numbers.shown, means), *map(str, counted)])
    return report.table(header, rows)


def _paired(measured: Measured, names: Any, chosen: bool) -> dict[str, list[dict[str, Any]]]:
    """Results by learner of the labeled sets that all of them were measured on."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for cell, result in measured.results.items():
        if cell.setting in names and (cell.task in SET_ON) == chosen:
            place = (cell.task, cell.setting, cell.labels, cell.trial)
            found.setdefault(place, {})[cell.learner] = result
    whole = [each for each in found.values() if len(each) == len(LEARNERS)]
    return {learner: [each[learner] for each in whole] for learner in LEARNERS}


def _shown(measured: Measured, **which: Any) -> list[str]:
    """The mean accuracy of each learner over the labeled sets."""
    return [numbers.shown(numbers.mean(measured.values(learner=learner, **which))) for learner in LEARNERS]


def _binary(measured: Measured) -> str:
    header = [
        "category",
        *(f"{learner}, {title}" for title in WORDS.values() for learner in ("NB", "EM", "auto")),
    ]
    rows = [
        [
            _marked(category),
            *(text for setting in WORDS for text in _shown(measured, task=category, setting=setting)),
        ]
        for category in reuters.CATEGORIES
    ]
    return report.table(header, rows)


def _corpora(measured: Measured, alpha: str) -> str:
    header = ["NB / EM / auto", *(f"{100 * ratio:g}%" for ratio in RATIOS)]
    rows = [
        [
            _marked(corpus, name),
            *(" / ".join(_shown(measured, task=corpus, setting=alpha, labels=ratio)) for ratio in RATIOS),
        ]
        for corpus, name in CORPORA.items()
    ]
    return report.table(header, rows)


def _marked(task: str, name: str | None = None) -> str:
    return (name or task) + (" (set)" if task in SET_ON else "")


if __name__ == "__main__":
    cells.main(__spec__.name)
