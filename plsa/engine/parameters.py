"""The values that go round the loop.

Matrices with a topic axis are *padded*: rows of `padded_width(K, dtype)` reals, topics first, then zeros,
which the kernels keep at zero. `unpadded` gives back the (n, K) view.

Ownership: `maximise` turns the arrays of a `Statistics` into the next `Parameters` in place, and takes
those of the `Parameters` before it as room for the next `Statistics`. So two of each are ever alive, and
neither value may be used after it was handed to `maximise`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plsa._kernels as _kernels

Real = NDArray[np.floating[Any]]


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


def unpadded(matrix: Real, n_topics: int) -> Real:
    """The (n, K) view of a padded matrix."""
    return matrix[:, :n_topics]


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a model believes: P(z|d), P(w|z) and what each state of a document allows."""

    doc_topic: Real  # (D, padded): rows sum to one
    word_topic: Real  # (W, padded): columns sum to one
    gate: Real  # (S, padded)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What one expectation found: expected topic counts, and the objective of its parameters."""

    doc: Real  # (D, padded): of each document
    word: Real  # (W, padded): of each word
    state: NDArray[np.float64]  # (S, padded): of each state
    log_likelihood: float  # sum over documents of weight * n log p
    objective: float  # the log-likelihood and the log terms of the priors: what must not fall
    n_impossible: int  # nonzeros of probability zero: they give nothing, and count as the smallest one


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the loop ended: the parameters, the objective of each pass, and why it stopped."""

    parameters: Parameters
    trace: list[float]
    reason: str  # "settled", "early", "rounds", "annealed", "fell"; of a person: "callback", "interrupted"
    n_passes: int
    state: NDArray[np.float64] | None  # expected topic counts of each state, in the last whole pass
    n_impossible: int
    log_likelihood: float
