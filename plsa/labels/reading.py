"""Which labels there are, and which documents have none: the only place that knows what marks those."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from plsa.engine.parameters import Array, Codes, Floats, Mask

UNLABELED = -1  # in codes: the class of a document that has none


@dataclass(frozen=True, slots=True)
class Labels:
    """The classes, sorted, and the class of each document as its place among them, or UNLABELED."""

    classes: Array
    code: Codes

    @property
    def labeled(self) -> Mask:
        """Which documents have a label."""
        return self.code != UNLABELED

    @classmethod
    def of(cls, known: Array, missing: Mask) -> Self:
        """The labels of documents, `known` being those of the documents that have one, in their order."""
        classes, code = np.unique(known, return_inverse=True)
        codes = np.full(len(missing), UNLABELED, dtype=np.int32)
        codes[~missing] = code
        return cls(classes, codes)

    def part(self, documents: Array) -> Self:
        """Those of these documents; the classes stay."""
        return replace(self, code=self.code[documents])

    def one_hot(self) -> Floats:
        """(labeled documents, C): 1 for the class of a document."""
        return np.eye(len(self.classes))[self.code[self.labeled]]


def is_unlabeled(y: Array, unlabeled: Any) -> Mask:
    """Which entries mark a document without a label: None, NaN, and what `unlabeled` says.

    Among strings, the marker counts in its written form too: numpy turns `["spam", -1]` into strings.
    `unlabeled=None` leaves only None and NaN.
    """
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind == "O":
        missing = np.array([_is_missing(v) for v in y], dtype=bool)
    else:
        missing = np.zeros(len(y), dtype=bool)
    if unlabeled is None:
        return missing
    if y.dtype.kind in "US":
        return missing | (y.astype(str) == str(unlabeled))
    if y.dtype.kind == "O":
        # Not `==` on the array: 0 == False and 1 == True, and a string compares with anything.
        kind = _kind(unlabeled)
        same = [not gone and _kind(v) is kind and v == unlabeled for v, gone in zip(y, missing, strict=True)]
        return missing | np.array(same, dtype=bool)
    if isinstance(unlabeled, str):
        return missing
    result: Mask = missing | (y == unlabeled)
    return result


def _is_missing(value: Any) -> bool:
    # None, NaN, and pandas' NA, which is neither equal nor unequal to itself.
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _kind(value: Any) -> type:
    for kind in (str, bool | np.bool_):
        if isinstance(value, kind):
            return str if kind is str else bool
    return float if isinstance(value, int | float | np.number) else type(value)


def of_one_type(labels: Array) -> Array:
    """Labels that are known, as an array of the type that they share, if they share one."""
    if labels.dtype.kind != "O" or not len(labels):
        return labels
    kinds = {_kind(label) for label in labels}
    return np.array(labels.tolist()) if len(kinds) == 1 and kinds <= {str, bool, float} else labels
