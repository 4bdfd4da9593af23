"""The values that go round the loop.

Matrices with a topic axis are *padded*: rows of `padded_width(K, dtype)` reals, topics first, then zeros,
which the kernels keep at zero. `unpadded` gives back the (n, K) view.

Ownership: `maximize` turns the arrays of a `Statistics` into the next `Parameters` in place, and takes
those of the `Parameters` before it as room for the next `Statistics`. So two of each are ever alive, and
neither value may be used after it was handed to `maximize`.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

import plsa._kernels as _kernels

Real = NDArray[np.floating[Any]]  # float32 or float64
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]  # of classes, states, clusters
Places = NDArray[np.intp]  # rows or columns
Mask = NDArray[np.bool_]
Array = NDArray[Any]
Rng = np.random.RandomState


def padded_width(n_topics: int, dtype: Any) -> int:
    """Reals in a row of topics: the kernels work on whole vectors."""
    unit: int = _kernels.ROW_BYTES // np.dtype(dtype).itemsize
    return -(-n_topics // unit) * unit


def padded_zeros(n_rows: int, n_topics: int, dtype: Any) -> Real:
    """An (n_rows, padded) matrix of zeros whose rows share as few cache lines as can be."""
    width = padded_width(n_topics, dtype)
    itemsize = np.dtype(dtype).itemsize
    room = np.zeros(n_rows * width + 64 // itemsize, dtype=dtype)
    skip = -room.ctypes.data % 64 // itemsize
    return room[skip : skip + n_rows * width].reshape(n_rows, width)


def padded(matrix: Any, dtype: Any) -> Real:
    """A padded copy of an (n, K) matrix."""
    matrix = np.asarray(matrix)
    result = padded_zeros(matrix.shape[0], matrix.shape[1], dtype)
    result[:, : matrix.shape[1]] = matrix
    return result


def row_shares(values: Floats, otherwise: Floats | float = 0.0) -> Floats:
    """Each row divided by its sum; where that is zero, what is given."""
    total = values.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, values / np.where(total > 0, total, 1), otherwise))


def unpadded(matrix: Real, n_topics: int) -> Real:
    """The (n, K) view of a padded matrix."""
    return matrix[:, :n_topics]


class Gate(Protocol):
    """What each state of a document allows of each topic. A gate is never changed: it learns the next one."""

    def table(self) -> Floats:
        """(S, K): what each state allows of each topic."""

    def learn(self, count: Floats) -> Self:
        """The gate that the expected counts (S, K) of a pass ask for; itself where nothing is learned."""


@dataclass(frozen=True, slots=True)
class OpenGate:
    """One state, which allows every topic: a model without labels."""

    n_topics: int

    def table(self) -> Floats:
        """A row of ones."""
        return np.ones((1, self.n_topics))

    def learn(self, count: Floats) -> Self:
        """Nothing is learned."""
        return self


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a model believes: P(z|d), P(w|z) and what each state of a document allows."""

    doc_topic: Real  # (D, padded): rows sum to one
    word_topic: Real  # (W, padded): columns sum to one
    gate: Any  # a `Gate`, of whatever kind the model has


@dataclass(frozen=True, slots=True)
class Statistics:
    """What one expectation found: expected topic counts, and the objective of its parameters."""

    doc: Real  # (D, padded): of each document
    word: Real  # (W, padded): of each word
    state: Floats  # (S, padded): of each state
    log_likelihood: float  # sum over documents of weight * n log p
    objective: float  # the log-likelihood and the log terms of the priors: what must not fall
    n_impossible: int = 0  # nonzeros of probability zero: they give nothing, and count as the smallest one
    first_impossible: int | None = None  # the first document that has one


class StopReason(StrEnum):
    """Why a fit stopped. Only `SETTLED` is convergence."""

    SETTLED = "settled"
    EARLY = "early"
    ROUNDS = "rounds"
    ANNEALED = "annealed"
    FELL = "fell"
    CALLBACK = "callback"
    INTERRUPTED = "interrupted"

    @property
    def by_person(self) -> bool:
        """Whether a person wanted it: nothing that would have followed is to follow."""
        return self in (StopReason.CALLBACK, StopReason.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the loop ended: the parameters, the objective of each pass, and why it stopped."""

    parameters: Parameters
    trace: list[float]
    reason: StopReason
    n_passes: int
    state: Floats | None  # expected topic counts of each state, in the last whole pass
    log_likelihood: float
    n_impossible: int = 0
    first_impossible: int | None = None
    annealed: Floats | None = None  # (powers, 2): power and objective, of what annealing went through before
    gain: float = float("nan")  # in the last pass, of objective per word

    @property
    def n_updates(self) -> int:
        """Passes made, but for the first, which only finds where the start stands."""
        return max(self.n_passes - 1, 0)

    def cut_short(self, cut: bool = True) -> Self:
        """The same; where it was cut short after its last pass, Ctrl-C is why it stopped."""
        return replace(self, reason=StopReason.INTERRUPTED) if cut else self

    def unless_interrupted(self) -> Self:
        """The same, unless a person pressed Ctrl-C: then that goes on."""
        if self.reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        return self
