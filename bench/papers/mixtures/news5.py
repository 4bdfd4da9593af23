"""Figures 3.4 and 3.5, table 3.4: deterministic annealing on News5

Of "the chapter", Nigam, McCallum and Mitchell, *Semi-supervised text classification using EM*. The five
comp.* groups of 20 Newsgroups, subject and body: the 4,000 words with the most mutual information with the
group over all posts, as the chapter chose them, counts scaled to one length, one pseudo-count a word. 600
posts a group are unlabeled, the same in all trials, so that the probabilities of the models compare; 1 to
50 a group are labeled, ten random draws of each number; the others are for the test. Accuracy in percent,
mean and standard deviation over the draws.

Annealing raises beta from 0.02 by factors of 1.01 to 1, one step each; then EM goes on until it has settled,
where the chapter stops. Which component is whose after annealing: as it began; as the labeled posts fall;
as the components of EM that are nearest by KL divergence, which the chapter proposes and does not measure;
or as is best on the test posts, in place of a person who sees the words ("perfect").
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from scipy.optimize import linear_sum_assignment

import plsa
from bench.papers.mixtures import documents, models, printed
from bench.shared import cells, draw, numbers, report
from bench.shared.cells import Cell, Measured

NAME = "news5"
TASK = "news5"
CLASSES = tuple(printed.TABLE_3_4)
EACH = (1, 2, 5, 10, 20, 50)  # labeled documents per class
TRIALS = 10
UNLABELED = 600  # a class
VOCABULARY = 4_000
ALPHA = 1.0
TOP_WORDS = 10
SHOWN_LABELS = 2 * len(CLASSES)  # of table 3.4, and where the chapter's text names figures
_SEED = 0
SETTING = "chapter"

# Curve -> the cells that it is of, what is read from them, its name and its color.
CURVES = {
    "em": ("em", "accuracy", "EM", draw.COLORS[0]),
    "annealing": ("annealing", "accuracy", "annealing, as it began", draw.MUTED),
    "labels": ("labels", "accuracy", "annealing, by the labeled", draw.COLORS[3]),
    "kl": ("kl", "accuracy", "annealing, by KL to EM", draw.COLORS[1]),
    "perfect": ("annealing", "perfect", "annealing, perfect", draw.OURS),
}
_OPTIONS: dict[str, dict[str, Any]] = {
    "em": {},
    "annealing": {"annealing": True, "correspondence": None},
    "labels": {"annealing": True, "correspondence": "labels"},
    "kl": {"annealing": True, "correspondence": "kl"},
}


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the figures and the table."""
    for each in EACH:
        for trial in range(TRIALS):
            for learner in _OPTIONS:
                yield Cell(NAME, TASK, SETTING, learner, each * len(CLASSES), trial)


def settings(cell: Cell) -> str:
    """What decides the result."""
    return f"{_OPTIONS[cell.learner]} alpha={ALPHA} words={VOCABULARY} unlabeled={UNLABELED} seed={_SEED}"


# --- measuring -----------------------------------------------------------------------------------


def measure(cell: Cell) -> dict[str, Any]:
    """Learns from one draw of labeled documents."""
    X, y, words, unlabeled, others = _documents()
    shuffled = np.random.default_rng((_SEED, cell.trial)).permutation(others)
    each = dict.fromkeys(range(len(CLASSES)), cell.labels // len(CLASSES))
    chosen = documents.consecutive(shuffled, y, each, 0)
    test = np.setdiff1d(others, chosen)
    model = models.estimator(alpha=ALPHA, **_OPTIONS[cell.learner])
    model = models.fitted(model, X[chosen], y[chosen], X[unlabeled])
    result = {
        "accuracy": float(np.mean(model.predict(X[test]) == y[test])),
        "probability": models.probability(model, X[unlabeled], ALPHA),
    }
    if cell.learner == "annealing":
        together = np.zeros((len(CLASSES), len(CLASSES)))
        np.add.at(together, (np.argmax(model.transform(X[test]), axis=1), y[test]), 1)
        model.reassign(linear_sum_assignment(-together)[1].tolist())
        result["perfect"] = float(np.mean(model.predict(X[test]) == y[test]))
        if (cell.labels, cell.trial) == (SHOWN_LABELS, 0):
            result["words"] = {
                CLASSES[topic.label]: list(topic.words) for topic in plsa.top_words(model, words, TOP_WORDS)
            }
    return result


@lru_cache(maxsize=1)
def _documents() -> tuple[scipy.sparse.csr_matrix, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scaled counts, classes, words, the unlabeled posts and all others."""
    whole = documents.newsgroups()
    posts = np.flatnonzero(np.isin(whole.labels, CLASSES))
    y = np.searchsorted(CLASSES, whole.labels[posts])
    counts = whole.counts[posts]
    best = np.sort(np.argsort(-documents.mutual_information(counts, y), kind="stable")[:VOCABULARY])
    shuffled = np.random.default_rng(_SEED).permutation(len(posts))
    unlabeled = documents.consecutive(shuffled, y, dict.fromkeys(range(len(CLASSES)), UNLABELED), 0)
    X = documents.scaled(counts[:, best], unlabeled, plsa.CountScaler("raw", False, "constant"))
    return X, y, whole.vocabulary[best], unlabeled, np.setdiff1d(np.arange(len(posts)), unlabeled)


# --- telling -------------------------------------------------------------------------------------


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    header = ["labels", *(title for _, _, title, _ in CURVES.values())]
    rows = []
    for each in EACH:
        labels = each * len(CLASSES)
        group = [_accuracies(measured, curve, labels) for curve in CURVES]
        rows.append([str(labels), *map(numbers.spread, group)])
        if labels == SHOWN_LABELS:
            shown = (printed.FIGURE_3_4.get(curve, "") for curve in CURVES)
            rows.append([f"{labels}, printed", *map(str, shown)])
    _draw_accuracy(measured, folder / "figure_3_4.png")
    _draw_probability(measured, folder / "figure_3_5.png")
    return [
        "## Figure 3.4",
        report.table(header, rows),
        _compared(measured),
        "![Accuracy against the number of labeled documents](figure_3_4.png)",
        "## Figure 3.5: model probability and accuracy",
        "Every trial of figure 3.4, of EM and of annealing with perfect correspondence. The probability is "
        "that of the model and the unlabeled posts, a post. The chapter prints no coefficient. Annealed "
        "models are all about as probable; where many labels bind them they are a little less so and a "
        "little more accurate, so that their own coefficient is negative.",
        report.table(
            ["models", "r", "log-probability, mean", f"with {SHOWN_LABELS} labels"], _facts(measured)
        ),
        "![Accuracy against model probability](figure_3_5.png)",
        "## Table 3.4: the top words of each component",
        *_words(measured),
    ]


def _accuracies(measured: Measured, curve: str, labels: int) -> dict[int, float]:
    learner, what, _, _ = CURVES[curve]
    return measured.values(what, learner=learner, labels=labels)


def _compared(measured: Measured) -> str:
    """Which curves are above EM where labels are few, by a paired t-test."""
    em = _accuracies(measured, "em", SHOWN_LABELS)
    said = []
    for curve, (_, _, title, _) in CURVES.items():
        found = _accuracies(measured, curve, SHOWN_LABELS)
        if curve != "em" and numbers.better(found, em):
            said.append(f"{title} is better")
        elif curve != "em" and numbers.better(em, found):
            said.append(f"{title} is worse")
    told = "; ".join(said) or "none is better or worse"
    return f"Against EM with {SHOWN_LABELS} labels, by paired t-tests over the draws at 5%: {told}."


def _points(measured: Measured, curve: str, **which: Any) -> tuple[list[float], list[float]]:
    """Probability and accuracy of all models of a curve."""
    learner, what, _, _ = CURVES[curve]
    lines = measured.found(learner=learner, **which)
    return [line["probability"] for line in lines], [100 * line[what] for line in lines]


def _facts(measured: Measured) -> Iterable[list[str]]:
    both: tuple[list[float], list[float]] = ([], [])
    for curve in ("em", "perfect"):
        x, y = _points(measured, curve)
        both[0].extend(x)
        both[1].extend(y)
        few = _points(measured, curve, labels=SHOWN_LABELS)[0]
        means = [f"{np.mean(each):.2f}" if each else "-" for each in (x, few)]
        yield [CURVES[curve][2], numbers.correlation(x, y), *means]
    yield ["both", numbers.correlation(*both), "", ""]


def _words(measured: Measured) -> list[str]:
    """The words of one annealed model, those that the chapter has too in bold."""
    lines = measured.found(learner="annealing", labels=SHOWN_LABELS, trial=0)
    if not lines:
        return []
    listed, shared = [], 0
    for name in CLASSES:
        theirs, ours = printed.TABLE_3_4[name].split(), lines[0]["words"].get(name, [])
        shared += len(set(theirs) & set(ours))
        marked = " ".join(f"**{word}**" if word in theirs else word for word in ours)
        listed.append(f"* {name}: {marked}\n  (printed: {' '.join(theirs)})")
    told = (
        f"An annealed model of {SHOWN_LABELS} labeled posts (the first draw), its components assigned "
        f"perfectly; {shared} of the {TOP_WORDS * len(CLASSES)} printed words are among ours, in bold."
    )
    return [told, "\n".join(listed)]


def _draw_accuracy(measured: Measured, path: Path) -> None:
    made, (axes,) = draw.figure(8, 5)
    ends = []
    for curve, (_, _, title, color) in CURVES.items():
        found = {
            labels: list(values.values())
            for labels in (each * len(CLASSES) for each in EACH)
            if (values := _accuracies(measured, curve, labels))
        }
        if found:
            x, mean = list(found), [float(np.mean(values)) for values in found.values()]
            # Dashed over what it often coincides with; it has seen the test labels.
            style = "--" if curve == "perfect" else "-"
            axes.plot(x, mean, style, color=color, linewidth=1.8, marker="o", markersize=4)
            ends.append((title, color, float(x[-1]), mean[-1]))
        if curve in printed.FIGURE_3_4:
            draw.hollow(axes, {SHOWN_LABELS: printed.FIGURE_3_4[curve]}, color)
    ticks = [each * len(CLASSES) for each in EACH]
    draw.log_labels(axes, ticks, ticks[0] * 0.85, ticks[-1] * 1.15)
    axes.set_title("News5: EM and deterministic annealing")
    axes.set_xlabel("labeled posts (log scale; hollow: printed by the chapter)")
    axes.set_ylabel("accuracy, mean of the draws, %")
    draw.label_ends(axes, ends, 0.06)
    draw.save_figure(made, path)


def _draw_probability(measured: Measured, path: Path) -> None:
    made, (axes,) = draw.figure(8, 4.8)
    for curve, marker in (("em", "o"), ("perfect", "D")):
        x, y = _points(measured, curve)
        _, _, title, color = CURVES[curve]
        label = f"{title}: r = {numbers.correlation(x, y)}"
        style = {"color": color, "alpha": 0.7, "edgecolors": "white", "lw": 0.6}
        axes.scatter(x, y, s=30, marker=marker, label=label, **style)
    axes.set_title("News5: model probability and accuracy")
    axes.set_xlabel("log-probability of the model, a post")
    axes.set_ylabel("accuracy, %")
    draw.rules(axes)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
