"""As printed: what is drawn at random, whose extra topics are, and a guess that is not sure

Three questions that the papers' own settings raise. **Starts**: why soft mislabeling is 8 to 18 points above
hard in print and nowhere else. `as_printed()` draws all that print draws: P(w|z), P(z|d), beta, P~(y|z);
"near the truth" leaves beta and P~ where this package starts them, "four fifths" is on the way there, and
"equations 9 and 10" and "thesis" learn beta and P~ as those print it, which is no step of EM. **Extra
topics**: method 2 of section 6.5 of the thesis, all documents labeled, with extra topics that stay open to
all classes and with such as are given to classes by a P(y|z) that is learned. **Doubt**: the fake label and
the mislabeling model in one, which section 5 of the paper proposes: a guess less probable than the doubt is a
fake label. Accuracy in percent, mean and standard deviation over the splits, each the mean of its starts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

import plsa
from bench.papers.aspects import printed
from bench.papers.aspects.learners import PAPERS
from bench.shared import cells, numbers, report, scores, splits
from bench.shared.cells import Cell, Measured
from plsa.engine.parameters import Floats, Rng
from plsa.labels.gates import Mislabeling
from plsa.learning.supervised import Plan

NAME = "as_printed"
FILE = "as_printed.jsonl.gz"
TRIALS_ARE = "splits"
STARTED = ("webkb", "20news")
FEW = (0.01, 0.05)
EXTRA = (5, 10, 20, 30, 40)
DOUBTED = ("20news", "webkb", "reuters7")
DOUBTS = (0.0, 0.5, 0.7)
VERY_FEW = (0.003, 0.01, 0.05)


# --- models that only print has ------------------------------------------------------------------


class Equations(Mislabeling):
    """beta and P~ by equations 9 and 10 of the paper.

    beta[g, y] ~ sum_z N[g, z], the same for every y, and P~[y, z] ~ sum_g N[g, z] beta[g, y].
    """

    __slots__ = ()

    def learn(self, count: Floats) -> Self:
        """Neither is a step of EM: the shares of the true classes in the counts are left out."""
        guessed = count[self.layout.n_classes :]
        beta = np.repeat(guessed.sum(axis=1, keepdims=True), self.layout.n_classes, axis=1)
        class_topic = self.beta.T @ guessed
        return replace(self, beta=_columns(beta), unlabeled_class_topic=_columns(class_topic))


class Thesis(Mislabeling):
    """beta by equation 4.11, the sum over the topics of the class, P~ by 4.14, which is a step of EM.

    P~ starts near P(y|z), and only beta is drawn.
    """

    __slots__ = ()

    def learn(self, count: Floats) -> Self:
        """4.11 is a step of EM where P(y|z) is fixed, which it is not here."""
        beta = _columns(count[self.layout.n_classes :] @ self.layout.allowed().T)
        return replace(super().learn(count), beta=beta)

    def drawn(self, rng: Rng) -> Self:
        """beta is drawn."""
        return replace(super().drawn(rng), unlabeled_class_topic=self.unlabeled_class_topic)


class NearTruth(Mislabeling):
    """Draws neither beta nor P~."""

    __slots__ = ()

    def drawn(self, rng: Rng) -> Self:
        """Itself."""
        return self


class PartlyDrawn(Mislabeling):
    """beta and P~ are four fifths of a draw and one of where this package starts them."""

    __slots__ = ()

    def drawn(self, rng: Rng) -> Self:
        """In the hard form P~ stays, whatever the shares."""
        other, near = super().drawn(rng), (self.beta, self.unlabeled_class_topic)
        beta, class_topic = (
            0.8 * mine + 0.2 * start
            for mine, start in zip((other.beta, other.unlabeled_class_topic), near, strict=True)
        )
        return replace(self, beta=beta, unlabeled_class_topic=class_topic)


def _columns(count: Floats) -> Floats:
    """Columns that sum to one, where they have anything."""
    return count / np.maximum(count.sum(axis=0), np.finfo(float).tiny)


class _Guessing(plsa.SoftMislabelingPLSA):
    """Mislabeling under another gate."""

    gate: type[Mislabeling]

    def plan(self, classes: Any) -> Plan:
        """With the gate."""
        return replace(
            super().plan(classes), later_gate=lambda layout: self.gate.near_truth(layout, soft=self.soft)
        )


class SoftByEquations(_Guessing):
    """Equations 9 and 10."""

    gate = Equations


class SoftByThesis(_Guessing):
    """Equations 4.11 and 4.14."""

    gate = Thesis


class SoftNearTruth(_Guessing):
    """All at random but for beta and P~."""

    gate = NearTruth


class HardNearTruth(_Guessing):
    """All at random but for beta."""

    gate = NearTruth
    soft = False


class SoftPartlyDrawn(_Guessing):
    """All at random, beta and P~ for the most part."""

    gate = PartlyDrawn


class HardPartlyDrawn(_Guessing):
    """All at random, beta for the most part."""

    gate = PartlyDrawn
    soft = False


STARTS: dict[str, tuple[str, Any]] = {
    "supervised": ("supervised PLSA, which makes the guesses", plsa.PLSAClassifier),
    "missing": ("missing labels", plsa.MissingLabelPLSA),
    "fake": ("fake label", plsa.FakeLabelPLSA),
    "hard": ("mislabeling, hard", plsa.HardMislabelingPLSA),
    "soft": ("mislabeling, soft, exact EM", plsa.SoftMislabelingPLSA),
    "equations": ("soft, equations 9 and 10", SoftByEquations),
    "thesis": ("soft, thesis", SoftByThesis),
    "hard partly": ("hard, beta drawn four fifths", HardPartlyDrawn),
    "soft partly": ("soft, beta and P~ drawn four fifths", SoftPartlyDrawn),
    "hard near": ("hard, beta near the truth", HardNearTruth),
    "soft near": ("soft, beta and P~ near the truth", SoftNearTruth),
}
GIVEN: dict[str, tuple[str, dict[str, Any] | None]] = {
    "open": ("open to all", PAPERS["supervised"]),
    "learned": ("given to classes", PAPERS["supervised"] | {"extra_labels": "learned"}),
    "as printed": ("given to classes, all at random", None),
}
DOUBTING: dict[str, dict[str, Any]] = {"defaults": {}, "no student": {"student": None, "evidence": False}}


# --- cells ---------------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much is measured."""
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="splits; 0 and 1")
    parser.add_argument("--starts", type=int, default=3, help="random starts of the first question; 3")


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """All cells."""
    for seed in options.seeds:
        for corpus in STARTED:
            for ratio in FEW:
                for name in STARTS:
                    for start in range(options.starts):
                        yield Cell(NAME, corpus, "starts", name, ratio, seed, start)
        for extra in EXTRA:
            for name in GIVEN:
                yield Cell(NAME, "20news", f"{extra} extra", name, 1.0, seed)
        for corpus in DOUBTED:
            for ratio in VERY_FEW:
                for name in DOUBTING:
                    for doubt in DOUBTS:
                        yield Cell(NAME, corpus, f"doubt {doubt:g}", name, ratio, seed)


def _made(cell: Cell) -> Any:
    """The estimator of a cell."""
    what, number = cell.setting.split()[0], cell.setting.split()[-1]
    common = {"random_state": cell.start, "n_threads": 1}
    if what == "starts":
        return STARTS[cell.learner][1].as_printed(**common)
    if what == "doubt":
        return plsa.SoftMislabelingPLSA(doubt=float(number), **DOUBTING[cell.learner], **common)
    given = GIVEN[cell.learner][1]
    if given is None:
        return plsa.PLSAClassifier.as_printed(extra_topics=int(what), **common)
    return plsa.PLSAClassifier(extra_topics=int(what), **given, **common)


def settings(cell: Cell) -> str:
    """The estimator as scikit-learn prints it."""
    return " ".join(repr(_made(cell)).split())


def measure(cell: Cell) -> dict[str, Any]:
    """A fit on the training part and what it makes of the test part."""
    split = splits.load(cell.task, cell.trial)
    estimator = _made(cell)
    result = scores.fitted(estimator, *split.training(cell.labels), *split.testing())
    if cell.setting.startswith("doubt"):
        result["not_sure"] = float(estimator.not_sure_.mean())
    return result


# --- the report ----------------------------------------------------------------------------------


def _values(measured: Measured, setting: str, **which: Any) -> dict[int, float]:
    return measured.values("accuracy", 100.0, setting=setting, **which)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    whole = measured.trials()
    columns = [(corpus, ratio) for corpus in STARTED for ratio in FEW]
    rows = []
    for name, (title, _) in STARTS.items():
        found = [_values(measured, "starts", task=c, labels=r, learner=name) for c, r in columns]
        rows.append([title, *(numbers.spread(each, 1, whole) for each in found)])
    for name in ("hard", "soft"):
        figures = [printed.TABLE_3[c][printed.CLASSES[c]][name][r][0] for c, r in columns]
        rows.append([f"{name}, printed", *(f"{figure:.1f}" for figure in figures)])
    header = ["", *(f"{splits.CORPORA[c]}, {numbers.percent(r)}" for c, r in columns)]
    parts = ["## Starts", "One aspect a class.", report.table(header, rows)]

    rows = []
    for extra in EXTRA:
        found = [_values(measured, f"{extra} extra", learner=name) for name in GIVEN]
        figure, spread = printed.TABLE_6_3_EXTRA[20 + extra]
        rows.append(
            [
                str(20 + extra),
                *(numbers.spread(each, 1, whole) for each in found),
                f"{figure:.1f} ±{spread:.1f}",
            ]
        )
    header = ["\\|A\\|", *(title for title, _ in GIVEN.values()), "printed"]
    parts += ["## Extra topics", "20 Newsgroups, all labels, raw counts.", report.table(header, rows)]

    rows = []
    for corpus in DOUBTED:
        for ratio in VERY_FEW:
            for name in DOUBTING:
                which = {"task": corpus, "labels": ratio, "learner": name}
                none = _values(measured, "doubt 0", **which)
                row = [splits.CORPORA[corpus], numbers.percent(ratio), name, numbers.spread(none, 1, whole)]
                for doubt in DOUBTS[1:]:
                    found = _values(measured, f"doubt {doubt:g}", **which)
                    gains = {trial: found[trial] - none[trial] for trial in found.keys() & none.keys()}
                    row.append(" ".join(f"{gains[trial]:+.1f}" for trial in sorted(gains)) or "-")
                rows.append(row)
    header = ["", "labels", "", "no doubt", *(f"doubt {doubt:g}" for doubt in DOUBTS[1:])]
    return [
        *parts,
        "## Doubt",
        "Soft mislabeling as it is by default, and where its topics predict. Beside a doubt stands what\n"
        "each split gains by it, in points.",
        report.table(header, rows),
    ]


if __name__ == "__main__":
    cells.main(__spec__.name)
