"""Whether the arrays of a sparse matrix fit together: compiled code takes it for granted, and would crash."""

import numbers
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from plsa.engine.parameters import Array

# Types of arrays. Of fewer bits scipy would add up to too little; what objects are scikit-learn says.
_WHOLE = "int32", "int64", "uint32", "uint64"
_NUMBERS, _OR_OBJECTS, _LISTS = "biufc", "biufcO", "O"  # kinds


def check_structure(X: Any) -> None:
    """Raises where the arrays of a sparse X contradict each other or its shape; all else passes.

    To be asked before X is converted or cut: scipy's compiled code looks at nothing, and would crash.
    """
    if not sparse.issparse(X) or X.ndim != 2:
        return  # scikit-learn says what is wrong with it
    for size in X.shape:
        if isinstance(size, bool) or not isinstance(size, numbers.Integral) or size < 0:
            raise _broken("shape", f"{X.shape} are not two whole numbers >= 0")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format == "coo":
        coords = X.coords if hasattr(X, "coords") else (X.row, X.col)
        if len(coords) != 2:
            raise _broken("coords", f"{len(coords)} arrays are not rows and columns")
        _check_array(X.data, "data", 1, _NUMBERS)
        for name, indices, limit in zip(("row", "column"), coords, X.shape, strict=True):
            _check_range(indices, limit, name)
            if len(indices) != len(X.data):
                raise _broken("data", f"there are {len(indices)} {name} indices, {len(X.data)} values")
    elif X.format == "lil":
        _check_lists(X)
    elif X.format == "dok":
        keys = list(X.keys())
        for key in keys:
            if not isinstance(key, tuple) or len(key) != 2:
                raise _broken("entry", f"{key!r} is not a row and a column")
        for axis, name in enumerate(("row", "column")):
            _check_range(_as_array(key[axis] for key in keys), X.shape[axis], name)
        _check_array(_as_array(X.values()), "data", 1, _NUMBERS)
    elif X.format == "dia":
        _check_array(X.data, "data", 2, _NUMBERS)
        _check_array(X.offsets, "offsets", 1, _WHOLE[:2])
        if len(X.offsets) != len(X.data):
            raise _broken("offsets", f"{len(X.offsets)} of them do not go with {len(X.data)} diagonals")
        for offset in X.offsets.tolist():
            if abs(offset) > np.iinfo(np.int32).max:  # scipy would cut it to 32 bits
                raise _broken("offsets", f"a diagonal at {offset} is beyond every matrix")


def _check_compressed(X: Any) -> None:
    """Raises where rows (CSR), columns (CSC) or rows of blocks (BSR) are not what their arrays say."""
    (n_major, n_minor), name = X.shape, "column"
    blocks = X.format == "bsr"
    _check_array(X.data, "data", 3 if blocks else 1, _OR_OBJECTS if X.format == "csr" else _NUMBERS)
    if X.format == "csc":
        n_major, n_minor, name = n_minor, n_major, "row"
    elif blocks:
        height, width = X.data.shape[1:]
        if height < 1 or width < 1 or n_major % height or n_minor % width:
            raise _broken("data", f"blocks of {height} x {width} do not make up a shape of {X.shape}")
        n_major, n_minor = n_major // height, n_minor // width
    indptr = X.indptr
    _check_array(indptr, "indptr", 1, _WHOLE)
    _check_array(X.indices, f"{name} indices", 1, _WHOLE)
    if blocks and X.data.size > np.iinfo(indptr.dtype).max:
        raise _broken("indptr", f"{indptr.dtype} cannot count the {X.data.size} values of all blocks")
    n_indices, n_values = len(X.indices), len(X.data)
    if len(indptr) != n_major + 1 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        found = f"{len(indptr)} entries, {indptr[:4].tolist()} first, are not {n_major + 1} rising from 0"
        raise _broken("indptr", found)
    if indptr[-1] > n_indices or n_indices != n_values:
        found = f"it ends at {indptr[-1]}, but there are {n_indices} indices, {n_values} values"
        raise _broken("indptr", found)
    _check_range(X.indices, n_minor, name)


def _check_lists(X: Any) -> None:
    """Raises where the rows of a LIL matrix are not lists of columns and as many values."""
    for name in ("rows", "data"):
        lists = getattr(X, name)
        _check_array(lists, name, 1, _LISTS)
        if len(lists) != X.shape[0]:
            raise _broken(name, f"there are lists of {len(lists)} rows, and {X.shape[0]} rows")
    for row, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if not isinstance(columns, list) or not isinstance(values, list):
            found = f"a {type(columns).__name__} and a {type(values).__name__} are not two lists"
            raise _broken(f"row {row}", found)
        if len(columns) != len(values):
            raise _broken(f"row {row}", f"it has {len(columns)} columns and {len(values)} values")
    _check_range(_as_array(chain.from_iterable(X.rows)), X.shape[1], "column")
    _check_array(_as_array(chain.from_iterable(X.data)), "data", 1, _NUMBERS)


def _check_range(indices: Array, limit: int, name: str) -> None:
    """Raises where not all indices are whole numbers from 0 to limit - 1."""
    _check_array(indices, f"{name} indices", 1, _WHOLE)
    if len(indices) and (indices.min() < 0 or indices.max() >= limit):
        at = int(np.flatnonzero((indices < 0) | (indices >= limit))[0])
        found = f"{indices[at]} at entry {at}, but there are {limit}"
        raise ValueError(f"X has a {name} index out of range: {found}. Build X anew from its entries.")


def _check_array(values: Any, name: str, n_dimensions: int, types: Sequence[str]) -> None:
    """Raises where a part of a sparse matrix is not an array of so many dimensions and one of these types."""
    found = f"a {type(values).__name__}"
    if isinstance(values, np.ndarray):
        if values.ndim == n_dimensions and {values.dtype.kind, values.dtype.name} & {*types}:
            return
        found = f"{values.ndim}D of type {values.dtype}"
    what = "lists" if types == _LISTS else "numbers" if "f" in types else "whole numbers of 32 or 64 bits"
    raise _broken(name, f"it must be a {n_dimensions}D array of {what}, but is {found}")


def _as_array(values: Iterable[Any]) -> Array:
    """Values of whatever type as an array; of no values one of whole numbers."""
    several = list(values)
    try:
        return np.array(several) if several else np.empty(0, dtype=np.intp)
    except ValueError:  # lists of different lengths
        return np.array(several, dtype=object)


def _broken(part: str, found: str) -> ValueError:
    return ValueError(f"X has a broken {part}: {found}. Build X anew from its entries.")
