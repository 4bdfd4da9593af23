"""Squared hinges of classes side by side, by the kernels: of documents, and of rows of words and documents.

Rows are padded; sums are in double. Same bits for any number of threads.
"""

from dataclasses import dataclass

import numpy as np

import plsa._kernels as _kernels
from plsa.engine.parameters import Codes, Floats, Real


@dataclass(frozen=True, slots=True)
class Hinges:
    """sum_d weight[d] max(0, 1 - t[d] s[d])^2 / 2 of every class: t is 1 for its documents, else -1."""

    code: Codes  # (D,)
    weight: Real  # (D,)
    n_classes: int
    n_threads: int

    def slopes(self, scores: Real, room: Real) -> Floats:
        """weight (t - s) of the documents whose hinge is open, t s < 1, in the room; their weight."""
        return self._open(scores, None, room)

    def curved(self, scores: Real, moved: Real, room: Real) -> None:
        """The same with `moved` for t - s."""
        self._open(scores, moved, room)

    def losses(self, scores: Real, way: Real, length: Floats) -> Floats:
        """Twice the sum, length * way further on."""
        total = np.empty(scores.shape[1])
        given = self.code, self.weight, self.n_classes, total, self.n_threads
        _kernels.hinge_losses(scores, way, length.astype(scores.dtype), *given)
        return total

    def _open(self, scores: Real, values: Real | None, room: Real) -> Floats:
        total = np.empty(scores.shape[1])
        given = self.code, self.weight, self.n_classes, room, total, self.n_threads
        _kernels.hinge_slopes(scores, values, *given)
        return total


def column_products(a: Real, b: Real, n_threads: int) -> Floats:
    """Sums of a * b over rows."""
    total = np.empty(a.shape[1])
    _kernels.column_products(a, b, total, n_threads)
    return total


def add_to(rows: Real, add: Floats, others: Real, n_threads: int, keep: Floats | None = None) -> None:
    """Rows, times `keep`, plus others, times `add`: a number for every column."""
    kept = np.ones(rows.shape[1]) if keep is None else keep
    _kernels.combine(rows, kept.astype(rows.dtype), others, add.astype(rows.dtype), n_threads)


def divided(rows: Real, mass: Real, spread: Floats, quotient: Real, n_threads: int) -> Floats:
    """rows / (1 + mass spread), in the room for it; sums of rows * quotient over rows."""
    total = np.empty(rows.shape[1])
    _kernels.divide(rows, mass, spread.astype(rows.dtype), quotient, total, n_threads)
    return total
