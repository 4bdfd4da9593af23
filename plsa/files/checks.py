"""What an attribute of a model may be, one check for each kind.

A check takes an attribute, where it is, and the sizes of the model: "W" words, "C" classes, "M" classes that
had an example, "K" topics, "D" documents, and others by any name. What a name has when it is first met, it
has to have everywhere.
"""

from collections.abc import Callable
from reprlib import repr as shown  # in short
from typing import Any

import numpy as np

from plsa.engine.parameters import Array
from plsa.files.container import damaged

_NEAR_ONE = 1e-3  # how far sums of probabilities may be from it


class Sizes(dict[str, int]):
    """How many there are of everything, by name; and whether all numbers are looked at."""

    deep = True

    def check(self, found: tuple[int, ...], wanted: tuple[str | int, ...], where: str) -> None:
        """Raises where a shape is not the wanted one, names being bound where they are new."""
        for n, name in zip(found, wanted, strict=False):
            if isinstance(name, str):
                self.setdefault(name, n)
        shape = tuple(self[name] if isinstance(name, str) else name for name in wanted[: len(found)])
        if len(found) != len(wanted) or found != shape:
            wants = " x ".join(f"{self.get(n, n)} ({n})" if isinstance(n, str) else str(n) for n in wanted)
            raise damaged(f"{where} has the shape {found}, but the rest of the model is of {wants}")

    def inner(self, **known: int) -> "Sizes":
        """Those of another model, of which these are known."""
        sizes = Sizes(known)
        sizes.deep = self.deep
        return sizes


Check = Callable[[Any, str, Sizes], None]


def _array(value: Any, kinds: str, where: str) -> Array:
    if type(value) not in (np.ndarray, np.memmap) or value.dtype.kind not in kinds:
        found = f"{value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        raise damaged(f"{where} is of type {found}, but must be an array of {_KINDS[kinds]}")
    return value


_KINDS = {"f": "real numbers", "iu": "whole numbers", "b": "truth values", "u": "whole numbers >= 0"}


def real(*shape: str | int, low: float = -np.inf, sums: int | None = None) -> Check:
    """Finite numbers, none below `low`; `sums`: along this axis they sum to one, or are zeros."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "f", where)
        sizes.check(array.shape, shape, where)
        if not sizes.deep or not array.size:
            return
        least, most = float(array.min()), float(array.max())  # NaN if there is one
        if not (np.isfinite(least) and np.isfinite(most)):
            raise damaged(f"{where} holds {least if not np.isfinite(least) else most}, which is not finite")
        if least < low:
            raise damaged(f"{where} holds {least}, but must be >= {low:g}")
        if sums is not None:
            with np.errstate(over="ignore"):
                total = np.atleast_1d(array.sum(axis=sums, dtype=np.float64))
            off = (np.abs(total - 1) > _NEAR_ONE) & (total != 0)
            if off.any():
                at = int(np.flatnonzero(off)[0])
                raise damaged(f"{where} has probabilities that sum to {total[at]:g} at {at}, not to 1")

    return check


def places(of: str, *shape: str | int, none: bool = False, rising: bool = False) -> Check:
    """Whole numbers, places among `of`; `none`: or -1."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "iu", where)
        sizes.check(array.shape, shape, where)
        if not array.size:
            return
        least, most = int(array.min()), int(array.max())
        number = sizes.setdefault(of, most + 1)
        if least < -int(none) or most >= number:
            wrong = least if least < -int(none) else most
            raise damaged(f"{where} holds the place {wrong}, but there are {number} ({of})")
        if rising and np.any(array[1:] <= array[:-1]):
            raise damaged(f"{where} holds places that do not ascend")

    return check


def numbers(*shape: str | int, low: int | None = None) -> Check:
    """Whole numbers."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "iu", where)
        sizes.check(array.shape, shape, where)
        if low is not None and array.size and array.min() < low:
            raise damaged(f"{where} holds {array.min()}, but must be >= {low}")

    return check


def mask(*shape: str | int) -> Check:
    """True or false."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        sizes.check(_array(value, "b", where).shape, shape, where)

    return check


def keys(*shape: str | int) -> Check:
    """Whole numbers that ascend."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "u", where)
        sizes.check(array.shape, shape, where)
        if np.any(array[1:] <= array[:-1]):
            raise damaged(f"{where} holds keys that do not ascend")

    return check


def names(size: str) -> Check:
    """Classes: each once."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        entries(size)(value, where, sizes)
        if len(set(value.tolist())) < len(value):
            raise damaged(f"{where} holds a class twice")

    return check


def entries(*shape: str) -> Check:
    """Classes, or what else may be one."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if type(value) not in (np.ndarray, np.memmap):
            raise damaged(f"{where} is of type {type(value).__name__}, but must be an array")
        sizes.check(value.shape, shape, where)
        if value.dtype.kind == "O" and not all(isinstance(each, _LABELS) for each in value.ravel().tolist()):
            raise damaged(f"{where} holds something that is no label")

    return check


_LABELS = str, bytes, int, float, np.generic


def words(value: Any, where: str, sizes: Sizes) -> None:
    """The names of all columns."""
    entries("W")(value, where, sizes)
    if value.dtype.kind != "O" or not all(isinstance(each, str) for each in value.tolist()):
        raise damaged(f"{where} holds names that are no strings")


def number(value: Any, where: str, sizes: Sizes, *, low: float = -np.inf, nan: bool = False) -> None:
    """A number; `nan`: or NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise damaged(f"{where} is {type(value).__name__}, but must be a number")
    if not (nan or (np.isfinite(float(value)) and value >= low)):
        raise damaged(f"{where} is {value}, but must be finite and >= {low:g}")


def chance(value: Any, where: str, sizes: Sizes) -> None:
    """A number >= 0."""
    number(value, where, sizes, low=0.0)


def any_number(value: Any, where: str, sizes: Sizes) -> None:
    """A number or NaN."""
    number(value, where, sizes, nan=True)


def whole(value: Any, where: str, sizes: Sizes) -> None:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise damaged(f"{where} is {type(value).__name__}, but must be a whole number")


def size(name: str) -> Check:
    """How many there are."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        whole(value, where, sizes)
        wanted = sizes.setdefault(name, max(0, int(value)))
        if int(value) != wanted:
            raise damaged(f"{where} is {value}, but the rest of the model is of {wanted} ({name})")

    return check


def place(of: str) -> Check:
    """A place among `of`."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        whole(value, where, sizes)
        if not 0 <= value < sizes.get(of, 1):
            raise damaged(f"{where} is the place {value}, but there are {sizes.get(of, 1)} ({of})")

    return check


def flag(value: Any, where: str, sizes: Sizes) -> None:
    """True or false."""
    if not isinstance(value, bool | np.bool_):
        raise damaged(f"{where} is {type(value).__name__}, but must be True or False")


def text(*among: str) -> Check:
    """A string, one of these if there are any."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, str) or (among and value not in among):
            raise damaged(
                f"{where} is {shown(value)}, but must be a string" + (f" of {among}" if among else "")
            )

    return check


def table(value: Any, where: str, sizes: Sizes) -> None:
    """Values by name."""
    if not isinstance(value, dict):
        raise damaged(f"{where} is {type(value).__name__}, but must be a dict")


def maybe(check: Check) -> Check:
    """None, or what a check allows."""
    return lambda value, where, sizes: None if value is None else check(value, where, sizes)


def several(check: Check, *, kind: Any = list, number: int | None = None) -> Check:
    """A list or tuple of what a check allows, perhaps of a certain length."""

    def checked(value: Any, where: str, sizes: Sizes) -> None:
        if type(value) is not kind or number not in (None, len(value)):
            raise damaged(f"{where} is no {kind.__name__} of {number or 'such'}")
        for at, each in enumerate(value):
            check(each, f"{where}[{at}]", sizes)

    return checked
