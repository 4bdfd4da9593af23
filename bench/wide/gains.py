"""What the tables of the wide protocol share: means over splits, the best rival of a cell, gains over it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from bench.shared import numbers
from bench.shared.cells import Results
from bench.wide.documents import CORPORA, RATIOS
from bench.wide.learners import RIVALS

ENOUGH = 3  # labels a class from which on a cell is judged by itself


class Gain(NamedTuple):
    """A learner beside the best rival of a cell: means over the splits, and how many labels a class has."""

    ours: float
    rival: float
    labels_per_class: float

    @property
    def gain(self) -> float:
        """Points above the rival."""
        return self.ours - self.rival


Gains = dict[tuple[str, float], Gain]  # by corpus and ratio


class Means:
    """Means over the splits of what was measured, each cell looked at once."""

    def __init__(self, results: Results) -> None:
        self._found: dict[tuple[str, float, str], dict[int, dict[str, Any]]] = {}
        for cell, result in results.items():
            self._found.setdefault((cell.task, cell.labels, cell.learner), {})[cell.trial] = result

    def values(
        self, corpus: str, ratio: float, learner: str, what: str = "accuracy", scale: float = 100.0
    ) -> dict[int, float]:
        """Split -> what was measured, in percent unless said otherwise; empty where nothing was."""
        found = self._found.get((corpus, ratio, learner), {})
        return {trial: scale * result[what] for trial, result in found.items() if what in result}

    def mean(self, corpus: str, ratio: float, learner: str) -> float | None:
        """The mean accuracy in percent; None where nothing was measured."""
        return numbers.mean(self.values(corpus, ratio, learner))

    def over_corpora(self, ratio: float, learners: Iterable[str]) -> tuple[dict[str, float], int]:
        """The mean accuracy of learners over the corpora that each was measured on, and how many these are.

        Learners that were not measured at this ratio are left out.
        """
        means = {name: [self.mean(corpus, ratio, name) for corpus in CORPORA] for name in learners}
        means = {name: row for name, row in means.items() if any(mean is not None for mean in row)}
        whole = [column for column in zip(*means.values(), strict=True) if None not in column]
        if not whole:
            return {}, 0
        return dict(zip(means, np.mean(whole, axis=0).tolist(), strict=True)), len(whole)

    def size(self, corpus: str) -> dict[str, Any] | None:
        """Documents, classes and words a document of a corpus; None where nothing was measured."""
        of_corpus = (found for key, found in self._found.items() if key[0] == corpus)
        return next((result for found in of_corpus for result in found.values()), None)

    def gains(self, learner: str, what: str = "accuracy", scale: float = 100.0, lower: bool = False) -> Gains:
        """A learner beside the best rival in every cell that it and a rival were measured in.

        The best rival is the one with the best mean over the splits, those of the learner where it has
        not been measured on all of them. `lower`: the lowest value is the best.
        """
        gains = {}
        for corpus in CORPORA:
            for ratio in RATIOS:
                ours = self.values(corpus, ratio, learner, what, scale)
                rivals = [self.values(corpus, ratio, name, what, scale) for name in RIVALS]
                means = [
                    float(np.mean([rival[trial] for trial in ours]))
                    for rival in rivals
                    if ours and ours.keys() <= rival.keys()
                ]
                if means:
                    one = next(iter(self._found[corpus, ratio, learner].values()))
                    best = min(means) if lower else max(means)
                    own = float(np.mean(list(ours.values())))
                    gains[corpus, ratio] = Gain(own, best, one["labeled"] / one["classes"])
        return gains


def left_out(candidates: dict[str, Gains]) -> dict[str, str]:
    """Corpus -> the candidate with the highest mean gain on all other corpora.

    Only candidates that were measured wherever any of them was take part.
    """
    cells = {cell for gains in candidates.values() for cell in gains}
    whole = {name: gains for name, gains in candidates.items() if gains.keys() == cells}
    chosen = {}
    for corpus in {corpus for corpus, _ in cells}:
        others = [cell for cell in cells if cell[0] != corpus]
        if whole and others:
            chosen[corpus] = max(whole, key=lambda name: np.mean([whole[name][cell].gain for cell in others]))
    return chosen
