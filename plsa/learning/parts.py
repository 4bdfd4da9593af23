"""What decides about one document, taken apart: a sum over its words, and what does not depend on them.

Each model takes its own score apart, beside the lines that decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from plsa.engine.parameters import Array, Floats, Places

# What scores may be: P(class|document); its logarithm, but for what all classes share; or anything else.
CHANCE, LOG_CHANCE, DECISION = "P(class)", "log P(class)", "decision value"
INTERCEPTS = "intercepts"  # what the constants of several models are called
NOTHING_KNOWN = "no known word"
_SIDES = np.array([-0.5, 0.5])


@dataclass(frozen=True, slots=True)
class Parts:
    """The score of every class for one document: the constants plus the shares of its words."""

    of: str  # what the scores are: one of the three
    by: str  # what decides
    word: Places  # (n,): columns of the document's words
    share: Floats  # (n, C)
    constants: Mapping[str, Floats]  # (C,) each, by name
    classes: Array | None = None  # (C,): what they are called; None: by their places
    power: float = 1.0  # that P(class|document) is raised to in the end

    @classmethod
    def silent(cls, of: str, by: str, name: str, constant: Floats) -> Self:
        """Where no word of a document says anything."""
        return cls(of, by, np.empty(0, dtype=np.intp), np.empty((0, len(constant))), {name: constant})

    @property
    def constant(self) -> Floats:
        """(C,): all of them together."""
        return np.asarray(sum(self.constants.values()))

    @property
    def scores(self) -> Floats:
        """(C,): the highest wins."""
        return np.asarray(self.constant + self.share.sum(axis=0))

    def rounded_to(self, scores: Floats) -> Self:
        """The same, adding up to these scores, which were rounded otherwise: words bear it by their size."""
        size = np.abs(self.share)
        total = size.sum(axis=0)
        off = np.divide(scores - self.scores, total, out=np.zeros(len(total)), where=total > 0)
        return replace(self, share=self.share + off * size)

    def times(self, factor: Any) -> Self:
        """The parts of scores that are multiplied by a number, or each by its own."""
        constants = {name: factor * each for name, each in self.constants.items()}
        return replace(self, share=factor * self.share, constants=constants)

    def plus(self, name: str, constant: Floats) -> Self:
        """The parts of scores to which something is added."""
        return replace(self, constants={**self.constants, name: constant})

    def against(self, place: int) -> Self:
        """How far the other classes are ahead of one."""
        constants = {name: np.delete(each - each[place], place) for name, each in self.constants.items()}
        others = None if self.classes is None else np.delete(self.classes, place)
        share = np.delete(self.share - self.share[:, [place]], place, axis=1)
        return replace(self, share=share, constants=constants, classes=others)

    def two_sided(self) -> Self:
        """One score, above 0 where the second of two classes wins, as scores that are so far apart."""
        return replace(
            self,
            share=self.share * _SIDES,
            constants={name: each * _SIDES for name, each in self.constants.items()},
        )


def linear_parts(of: str, by: str, row: sparse.csr_array, weights: Array, intercepts: Any = None) -> Parts:
    """Those of a document as a row, (1, W), times weights, (W, C), plus intercepts."""
    said = np.flatnonzero(row.data)
    word = row.indices[said].astype(np.intp)
    share = row.data[said, np.newaxis].astype(np.float64) * weights[word]
    constants = {} if intercepts is None else {INTERCEPTS: np.asarray(intercepts, dtype=np.float64)}
    return Parts(of, by, word, share, constants or {INTERCEPTS: np.zeros(weights.shape[1])})
