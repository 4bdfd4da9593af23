"""Learning from labels of which some are wrong: label_noise="learn" beside the default

Labels of which 0, 10, 20 or 30% are wrong, symmetric (any other class) or confusable (four in five go to the
class whose mean TF-IDF is nearest), 1, 5 or 20% of the documents being labeled; the test documents have their
true classes. Corpora and splits of the evaluation protocol, two of them; of 20 Newsgroups 3,000 training
documents, of Reuters-7 5,000. *default* is `SoftMislabelingPLSA()`, *learn* the same with
`label_noise="learn"`, *labels alone* logistic regression on TF-IDF, balanced.

The last table is about what was tried instead: to let the gate of a labeled document be P(given label | class
of z), learned by EM with pseudo-counts of 1,000 words a class toward 0.9 for what is right, as the gate
of guesses is. It is there for `MissingLabelPLSA`, whose topics predict.

Constants were chosen on another split. The figures to reach: a gain of *learn* in the mean of the cells with
wrong labels, and a loss of half a point at most in the mean of the cells without.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.linear_model import LogisticRegression

import plsa
from bench.shared import cells, draw, numbers, report, scores, splits
from bench.shared.cells import Cell, Measured
from bench.shared.labels_only import LabelsOnly
from bench.shared.wrong_labels import CONFUSABLE, KINDS, SYMMETRIC, nearest_class, with_errors
from plsa.labels.gates import LabelGate
from plsa.labels.layout import Layout

NAME = "wrong_labels"
FILE = "wrong_labels.jsonl.gz"
TRIALS_ARE = "splits"
TRIALS = (0, 1)
TASKS = ("webkb", "reuters7", "20news")
SHARES = (0.01, 0.05, 0.2)
WRONG = (0.0, 0.1, 0.2, 0.3)
MOST_DOCUMENTS = {"20news": 3_000}
OTHERS_MOST = 5_000
WITHOUT = "none"  # the kind where nothing is wrong
GATES_AT = (0.05, 0.2)  # labeled
GATES_WRONG = (0.0, 0.2)


@dataclass(frozen=True, slots=True)
class LearnedLabels(LabelGate):
    """A labeled document's gate is P(given label | class of z), learned, and drawn toward what is right."""

    beta: np.ndarray
    belief: np.ndarray

    @classmethod
    def near_truth(cls, layout: Layout, words: float) -> Self:
        """Where it starts, with pseudo-counts of so many words."""
        n_classes = layout.n_classes
        near = 0.9 * np.eye(n_classes) + 0.1 / n_classes
        return cls(layout, near, words * near)

    def table(self) -> np.ndarray:
        """P(given label|z), and 1 for documents without a label."""
        return np.vstack([self.beta[:, self.layout.topic_class], np.ones((1, self.layout.n_topics))])

    def open(self) -> np.ndarray:
        """No label forbids a topic."""
        return np.ones((self.layout.n_classes + 1, self.layout.n_topics))

    def learn(self, count: np.ndarray) -> Self:
        """P(given label|class) from the counts, with the pseudo-counts."""
        number = self.belief.copy()
        np.add.at(number.T, self.layout.topic_class, count[:-1].T)
        return replace(self, beta=number / number.sum(axis=0))


class GatedMissing(plsa.MissingLabelPLSA):
    """`MissingLabelPLSA` under that gate."""

    def plan(self, classes: Any) -> Any:
        """The plan with the other gate."""
        return replace(super().plan(classes), gate=partial(LearnedLabels.near_truth, words=1000.0))


class Learner(NamedTuple):
    """A way to learn, and what it is called."""

    title: str
    make: Callable[[], Any]


_SEEDED = {"random_state": 0, "n_threads": 1}
LEARNERS = {
    "default": Learner("default", lambda: plsa.SoftMislabelingPLSA(**_SEEDED)),
    "learn": Learner("learn", lambda: plsa.SoftMislabelingPLSA(label_noise="learn", **_SEEDED)),
    "lr": Learner(
        "labels alone",
        lambda: LabelsOnly(LogisticRegression(C=10.0, max_iter=1000, class_weight="balanced"), tfidf=True),
    ),
}
GATES = {
    "missing": Learner("default", lambda: plsa.MissingLabelPLSA(**_SEEDED)),
    "missing-gate": Learner("the gate learned", lambda: GatedMissing(**_SEEDED)),
    "missing-learn": Learner("learn", lambda: plsa.MissingLabelPLSA(label_noise="learn", **_SEEDED)),
}


def _settings_of(kind: str, wrong: float) -> str:
    return f"{kind} {wrong:g}"


def _noises() -> Iterator[tuple[str, float]]:
    """No errors, then each kind with ever more."""
    yield WITHOUT, 0.0
    yield from ((kind, wrong) for kind in KINDS for wrong in WRONG[1:])


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """All learners on all splits."""
    for trial in TRIALS:
        for task in TASKS:
            for share in SHARES:
                for kind, wrong in _noises():
                    for learner in LEARNERS:
                        yield Cell(NAME, task, _settings_of(kind, wrong), learner, share, trial)
                    for learner in GATES if _has_gates(trial, share, wrong) else ():
                        yield Cell(NAME, task, _settings_of(kind, wrong), learner, share, trial)


def _has_gates(trial: int, share: float, wrong: float) -> bool:
    """Whether the gate is tried, too."""
    return trial == TRIALS[0] and share in GATES_AT and wrong in GATES_WRONG


def _most(task: str) -> int:
    """Training documents."""
    return MOST_DOCUMENTS.get(task, OTHERS_MOST)


def settings(cell: Cell) -> str:
    """What decides the result."""
    model = (LEARNERS | GATES)[cell.learner].make()
    return " ".join(repr(model).split()) + f" documents={_most(cell.task)}"


class Drawn(NamedTuple):
    """A split: training documents, their classes, which are labeled first, and the test."""

    counts: Any
    y: np.ndarray
    nearest: np.ndarray
    shuffled: np.ndarray
    new: Any
    truth: np.ndarray


@lru_cache(maxsize=1)
def drawn(task: str, trial: int) -> Drawn:
    """The documents of a split, no more than so many of them to learn from."""
    split = splits.load(task, trial)
    shuffled = np.random.default_rng((trial, 17)).permutation(len(split.train))
    some = np.sort(shuffled[: _most(task)])
    counts, y = split.counts[split.train[some]].astype(np.float32), split.y[split.train[some]]
    order = np.random.default_rng((trial, 19)).permutation(len(y))
    new, truth = split.testing()
    return Drawn(counts, y, nearest_class(counts, y), order, new.astype(np.float32), truth)


def measure(cell: Cell) -> dict[str, Any]:
    """One learner on one split."""
    given = drawn(cell.task, cell.trial)
    kind, wrong = cell.setting.split()
    labeled = splits.first_labels(given.shuffled, given.y, cell.labels)
    y = given.y
    if kind != WITHOUT:
        y = with_errors(given.y, labeled, float(wrong), kind, given.nearest, cell.trial)
    y = np.where(np.isin(np.arange(len(y)), labeled), y, splits.UNLABELED)
    model = (LEARNERS | GATES)[cell.learner].make()
    facts = scores.fitted(model, given.counts, y, given.new, given.truth)
    if getattr(model, "label_noise", None) is not None:
        facts["doubted"] = float(np.sum(1 - model.label_right_))
    return facts | {"labeled": len(labeled), "wrong": int(np.sum(y[labeled] != given.y[labeled]))}


# --- telling -------------------------------------------------------------------------------------


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    told = ["## Figures to reach", report.table(["", "measured", "to reach", ""], _targets(measured))]
    told += ["## Gain of *learn* over the default, points, mean of the corpora", _gains(measured)]
    for task in TASKS:
        told += [f"## {splits.CORPORA[task]}: accuracy", _table(measured, task)]
    told += ["## Seconds of a fit", _seconds(measured)]
    told += ["## The gate instead, MissingLabelPLSA: accuracy", _gates(measured)]
    _draw(measured, folder / f"{NAME}.png")
    return [*told, f"![accuracy]({NAME}.png)"]


def _mean(measured: Measured, what: str = "accuracy", scale: float = 100.0, **which: Any) -> float | None:
    return numbers.mean(measured.values(what, scale, **which))


def _gain(measured: Measured, task: str, share: float, setting: str) -> float | None:
    found = [
        _mean(measured, task=task, labels=share, setting=setting, learner=each)
        for each in ("learn", "default")
    ]
    return None if None in found else found[0] - found[1]


def _targets(measured: Measured) -> Iterator[list[str]]:
    gains = {
        (task, share, kind, wrong): _gain(measured, task, share, _settings_of(kind, wrong))
        for task in TASKS
        for share in SHARES
        for kind, wrong in _noises()
    }
    whole = None not in gains.values()
    for title, clean, least in (
        ("mean gain with wrong labels, points", False, 0.0),
        ("mean gain where all are right", True, -0.5),
    ):
        some = [each for (*_, wrong), each in gains.items() if (wrong == 0) is clean and each is not None]
        if some:
            found = f"{np.mean(some):+.2f}, from {min(some):+.1f} to {max(some):+.1f}"
            met = bool(np.mean(some) >= least) if whole else None
            yield [title, found, f"{least:+.1f}" if clean else "above 0", report.verdict(met)]


def _gains(measured: Measured) -> str:
    rows = []
    for kind, wrong in _noises():
        row = [f"{100 * wrong:.0f}% wrong, {kind}" if wrong else "all right"]
        for share in SHARES:
            found = [_gain(measured, task, share, _settings_of(kind, wrong)) for task in TASKS]
            row.append("-" if None in found else f"{np.mean(found):+.1f}")
        rows.append(row)
    return report.table(["", *(f"{numbers.percent(share)} labeled" for share in SHARES)], rows)


def _table(measured: Measured, task: str) -> str:
    rows = []
    for share in SHARES:
        for kind, wrong in _noises():
            which = {"task": task, "labels": share, "setting": _settings_of(kind, wrong)}
            found = [_mean(measured, learner=each, **which) for each in LEARNERS]
            doubted, errors = (
                _mean(measured, what, 1.0, learner="learn", **which) for what in ("doubted", "wrong")
            )
            best = max((each for each in found if each is not None), default=None)
            shown = [numbers.shown(each) for each in found]
            cells_ = [
                f"**{each}**" if best is not None and each == numbers.shown(best) else each for each in shown
            ]
            name = f"{numbers.percent(share)}, " + (f"{100 * wrong:.0f}% {kind}" if wrong else "all right")
            rows.append([name, *cells_, numbers.shown(errors, 0), numbers.shown(doubted, 0)])
    titles = [each.title for each in LEARNERS.values()]
    return report.table(["labeled, wrong", *titles, "wrong labels", "sum of P(wrong)"], rows)


def _seconds(measured: Measured) -> str:
    rows = [
        [
            splits.CORPORA[task],
            *(
                numbers.shown(_mean(measured, "fit_seconds", 1.0, task=task, learner=each))
                for each in LEARNERS
            ),
        ]
        for task in TASKS
    ]
    return report.table(["", *(each.title for each in LEARNERS.values())], rows)


def _gates(measured: Measured) -> str:
    rows = []
    for task in TASKS:
        for share in GATES_AT:
            for kind, wrong in _noises():
                if wrong in GATES_WRONG:
                    which = {"task": task, "labels": share, "setting": _settings_of(kind, wrong)}
                    found = [_mean(measured, learner=each, **which) for each in GATES]
                    name = f"{100 * wrong:.0f}% wrong, {kind}" if wrong else "all right"
                    rows.append(
                        [
                            f"{splits.CORPORA[task]}, {numbers.percent(share)} labeled, {name}",
                            *(numbers.shown(each) for each in found),
                        ]
                    )
    return report.table(["", *(each.title for each in GATES.values())], rows)


def _draw(measured: Measured, path: Path) -> None:
    """Accuracy against the share of wrong labels: a column for each share of labels, a row a corpus."""
    made, panels = draw.figure(11, 9, len(TASKS) * len(SHARES), len(TASKS))
    lines = {"learn": (draw.OURS, "o"), "default": (draw.INK, "s"), "lr": (draw.COLORS[0], "D")}
    styles = {SYMMETRIC: "-", CONFUSABLE: ":"}
    places = ((task, share) for task in TASKS for share in SHARES)
    for axes, (task, share) in zip(panels, places, strict=True):
        draw.rules(axes)
        for learner, (color, marker) in lines.items():
            for kind, style in styles.items():
                values = [
                    _mean(
                        measured,
                        task=task,
                        labels=share,
                        learner=learner,
                        setting=_settings_of(kind if wrong else WITHOUT, wrong),
                    )
                    for wrong in WRONG
                ]
                known = [(100 * wrong, each) for wrong, each in zip(WRONG, values, strict=True) if each]
                if known:
                    label = f"{LEARNERS[learner].title}, {kind}"
                    xs, ys = zip(*known, strict=True)
                    axes.plot(xs, ys, style, color=color, marker=marker, markersize=4, label=label)
        axes.set_title(f"{splits.CORPORA[task]}, {numbers.percent(share)} labeled", fontsize=10)
        axes.set_xticks([100 * wrong for wrong in WRONG])
        if task == TASKS[-1]:
            axes.set_xlabel("% of the labels wrong")
        if share == SHARES[0]:
            axes.set_ylabel("accuracy")
    draw.legend_below(made, panels[0], 3)
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
