"""Which labels there are, and which documents have none: the only place that knows what marks those."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from plsa.engine.parameters import Array, Codes, Floats, Mask, Places

UNLABELED = -1  # in codes: the class of a document that has none

# What programs write where there is nothing; it may have become a label on the way.
_WORDS_FOR_NOTHING = frozenset(
    {"nan", "none", "na", "n/a", "#n/a", "n.a.", "<na>", "null", "nil", "nat", "?", "-", "--", ".", "tbd"}
    | {"unknown", "undefined", "missing", "no label", "unlabeled", "unlabelled", "not labeled"}
)
_CODES_FOR_NOTHING = frozenset({99, 999, 9999, 255, *(2**bits - 1 for bits in (16, 31, 32, 63, 64))})


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


def among_all(values: Array, met: Places, number: int, axis: int = -1, other: float = 0) -> Array:
    """Values of some classes along an axis as values of all `number`, the others having `other`."""
    shape = list(values.shape)
    shape[axis] = number
    found = np.full(shape, other, dtype=values.dtype)
    np.moveaxis(found, axis, 0)[met] = np.moveaxis(values, axis, 0)
    return found


@dataclass(frozen=True, slots=True)
class Known:
    """Which documents are known to be wanted, and which are known not to be; nothing is of all others."""

    positive: Mask
    negative: Mask

    @classmethod
    def of(cls, positive: Mask) -> Self:
        """Positives, and nothing else."""
        return cls(positive, np.zeros_like(positive))

    @property
    def unlabeled(self) -> Mask:
        """Which documents nothing is known of."""
        return ~(self.positive | self.negative)

    @property
    def code(self) -> Codes:
        """1 where a document is positive, 0 where it is negative, else UNLABELED."""
        return np.select([self.positive, self.negative], [1, 0], UNLABELED).astype(np.int32)

    def part(self, documents: Array) -> Self:
        """What is known of these documents."""
        return replace(self, positive=self.positive[documents], negative=self.negative[documents])


def is_unlabeled(y: Array, unlabeled: Any) -> Mask:
    """Which entries mark a document without a label: None, NaN, blank strings, and what `unlabeled` says.

    Among strings, the marker counts in its written form too: numpy turns `["spam", -1]` into strings.
    `unlabeled=None` leaves only None, NaN and blank strings.
    """
    if y.dtype.kind in "fmM":
        missing = np.isnan(y) if y.dtype.kind == "f" else np.isnat(y)
    elif y.dtype.kind == "O":
        missing = np.array([is_missing(v) for v in y], dtype=bool)
    elif y.dtype.kind in "US":
        missing = np.char.str_len(np.char.strip(y)) == 0
    else:
        missing = np.zeros(len(y), dtype=bool)
    if unlabeled is None:
        return missing
    if y.dtype.kind in "US":
        return missing | np.isin(y.astype(str), _written(unlabeled))
    if y.dtype.kind == "O":
        # Not `==` on the array: 0 == False and 1 == True, and a string compares with anything.
        kind = _kind(unlabeled)
        same = [not gone and _kind(v) is kind and v == unlabeled for v, gone in zip(y, missing, strict=True)]
        return missing | np.array(same, dtype=bool)
    if isinstance(unlabeled, str):
        return missing
    result: Mask = missing | (y == unlabeled)
    return result


def _written(mark: Any) -> list[str]:
    """How a mark may stand among strings."""
    number = isinstance(mark, int | float | np.number) and not isinstance(mark, bool)
    return [str(mark), str(float(mark))] if number else [str(mark)]


def is_missing(value: Any) -> bool:
    """Whether a value is none at all: None, NaN, pandas' NA, a blank string."""
    if isinstance(value, str):
        return not value.strip()
    # None, NaN, and what pandas has, which is neither equal nor unequal to itself.
    nothing = value is None or type(value).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(value, float | np.floating) and value != value)


def doubtful(classes: Array) -> list[int]:
    """The places of classes that look like a mark of no label, beside others that do not.

    Such are "nan", "None", "NA" and their like, a number below 0 beside numbers that are not, and 255, 999
    and their like far above all others.
    """
    if classes.dtype.kind in "USO" and all(isinstance(each, str | bytes) for each in classes):
        found = [place for place, name in enumerate(classes) if _word(name) in _WORDS_FOR_NOTHING]
    elif classes.dtype.kind in "iuf":
        found = np.flatnonzero(classes < 0).tolist()
        if len(classes) > 1 and classes[-1] in _CODES_FOR_NOTHING and 2 * float(classes[-2]) < classes[-1]:
            found.append(len(classes) - 1)
    else:
        found = []
    return found if len(found) < len(classes) else []


def look_alikes(classes: Array) -> list[tuple[int, int]]:
    """The places of names that differ in blanks or capitals only, each with the first like it."""
    first: dict[str, int] = {}
    found = []
    for place, name in enumerate(classes.tolist() if classes.dtype.kind in "USO" else []):
        if isinstance(name, str | bytes) and first.setdefault(_word(name), place) != place:
            found.append((first[_word(name)], place))
    return found


def _word(name: Any) -> str:
    return (name.decode(errors="replace") if isinstance(name, bytes) else str(name)).strip().lower()


def _kind(value: Any) -> type:
    for kind in (str, bool | np.bool_):
        if isinstance(value, kind):
            return str if kind is str else bool
    return float if isinstance(value, int | float | np.number) else type(value)


def of_one_type(labels: Array) -> tuple[Array, int | None]:
    """Labels that are known, as an array of the type that they share; else where the first other type is."""
    if labels.dtype.kind != "O" or not len(labels):
        return labels, None
    kinds = [_kind(label) for label in labels]
    other = next((place for place, kind in enumerate(kinds) if kind is not kinds[0]), None)
    shared = other is None and kinds[0] in (str, bool, float)
    return np.array(labels.tolist()) if shared else labels, other
