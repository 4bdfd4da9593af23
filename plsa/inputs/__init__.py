"""Checks of plain values that several rooms share; what one module needs alone stands there.

An error says what was wrong, what was found and what to do.
"""

import inspect
import numbers
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from plsa.engine.parameters import Array, Floats, Mask

# Of weights and the like.
LARGEST_STRENGTH = 1e12
_SMALLEST_STRENGTH = 1e-30
_LARGEST_WHOLE = 1e100  # what follows from it is still a float


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that points at the first caller outside of the package and of scikit-learn."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("plsa.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def physical_memory() -> float:
    """Bytes of memory that this machine has; infinity where it does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things, in words that fit it."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def too_large(size: float, room: float) -> str:
    """Says that so many bytes are more than there are."""
    return f"need {size / 2**30:.4g} GiB, but this machine has {room / 2**30:.4g} GiB"


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the evidence."""
    return isinstance(value, str) and value == "auto"


def check_whole(value: Any, name: str, smallest: int) -> int:
    """A whole number that is not below `smallest`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < smallest:
        raise ValueError(f"{name} == {value!r}, but must be a whole number >= {smallest}.")
    if int(value) > _LARGEST_WHOLE:
        raise ValueError(
            f"{name} has {len(str(value))} digits, but must be no larger than {_LARGEST_WHOLE:g}."
        )
    return int(value)


def check_number(value: Any, name: str, smallest: float = 0.0, *, above: float | None = None) -> float:
    """A finite number that is not below `smallest`, or that is above `above`."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    number = np.nan if not real else np.inf if value > sys.float_info.max else float(value)
    inside = number >= smallest if above is None else number > above
    if not inside or number == np.inf:
        limit = f">= {smallest:g}" if above is None else f"> {above:g}"
        raise ValueError(f"{name} == {value!r}, but must be a finite number {limit}.")
    return number


def check_strength(value: Any, name: str, smallest: float = 0.0, *, above: float | None = None) -> float:
    """The same, and a number that may be multiplied by counts in float32, divided by and summed."""
    number = check_number(value, name, smallest, above=above)
    if number > LARGEST_STRENGTH:
        raise ValueError(f"{name} == {value!r}, but must be no larger than {LARGEST_STRENGTH:g}.")
    if above is not None and number < _SMALLEST_STRENGTH:
        raise ValueError(f"{name} == {value!r}, but must be no smaller than {_SMALLEST_STRENGTH:g}.")
    return number


def check_share(value: Any, name: str) -> float:
    """A number above 0 and below 1."""
    share = check_number(value, name, above=0.0)
    if share >= 1:
        raise ValueError(f"{name} == {value!r}, but must be a share: a number above 0 and below 1.")
    return share


def check_choice(value: Any, name: str, choices: Sequence[Any]) -> Any:
    """One of the choices."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise ValueError(f"{name} == {value!r}, but must be one of {list(choices)}.")
    return value


def check_each(values: Array, good: Mask, name: str, must: str) -> None:
    """Raises at the first entry of an array (or row, with one mark for each) that is not good."""
    bad = np.argwhere(~good)
    if len(bad):
        at = tuple(bad[0].tolist())
        raise ValueError(f"{name} holds {values[at]} at {at if len(at) > 1 else at[0]}; {must}.")


def check_entries(values: Any, name: str, n_documents: int) -> None:
    """Raises where an argument has not one entry for each document."""
    shape = getattr(values, "shape", None) or np.asarray(values, dtype=object).shape
    if shape not in ((n_documents,), (n_documents, 1)):
        found = f"{counted(shape[0], 'entry', 'entries')}" if len(shape) == 1 else f"shape {tuple(shape)}"
        of_documents = counted(n_documents, "document")
        raise ValueError(f"{name} has {found}, but must have one entry for each of {of_documents}.")


def check_distributions(given: Any, name: str, shape: tuple[int, int], what: str) -> Floats:
    """A matrix of this shape whose rows are distributions."""
    matrix = np.asarray(given)
    if matrix.dtype.kind not in "iufb":
        raise ValueError(f"{name} has type {matrix.dtype}, but must hold numbers.")
    if matrix.shape != shape:
        raise ValueError(f"{name} has shape {matrix.shape}, but must have {shape}: {what}.")
    matrix = matrix.astype(np.float64)
    check_each(matrix, np.isfinite(matrix) & (matrix >= 0), name, "probabilities must be >= 0")
    sums = matrix.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > 1e-3)
    if len(wrong):
        found = f"row {wrong[0]} sums to {sums[wrong[0]]:g}, not 1"
        raise ValueError(f"{name} is not a distribution: {found}. Divide each row by its sum.")
    return matrix / sums[:, np.newaxis]


def check_scores(scores: Any) -> Floats:
    """Scores of documents, all of them finite."""
    value = np.asarray(scores)
    if value.dtype.kind not in "iufb" or value.ndim != 1:
        raise ValueError(f"scores must be a 1D array of numbers, but is {value.ndim}D of type {value.dtype}.")
    check_each(value, np.isfinite(value), "scores", "scores must be finite")
    return value.astype(np.float64)
