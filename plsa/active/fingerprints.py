"""What a file keeps of a model and of documents, so that they are known again: names, values, checksums."""

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from plsa.active.record import digest

_CHANGES_NOTHING = ("verbose", "callback", "n_jobs", "n_threads", "memory")  # parameters of estimators
_SHORT = 200  # characters of a parameter that stand in a file as they are


def about_model(estimator: Any) -> dict[str, Any]:
    """The class of an estimator and the parameters that decide what it learns, as a file holds them."""
    given = estimator.get_params().items()
    named = {name: _plain(value) for name, value in given if name.rpartition("__")[2] not in _CHANGES_NOTHING}
    long = [name for name, value in named.items() if len(repr(value)) > _SHORT]
    return {
        "estimator": type(estimator).__name__,
        "parameters": named | {name: f"{repr(named[name])[:40]}... {digest([named[name]])}" for name in long},
    }


def _plain(value: Any) -> Any:
    """A parameter as a value of JSON: estimators by their class, as their own parameters have other names."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value), key=repr)
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value if isinstance(value, str | int | float | None) else name_of(value)


def name_of(thing: Any) -> str:
    """A function or an object as it shows itself, wherever it is in memory."""
    name = getattr(thing, "__name__", None)
    return name if isinstance(name, str) else re.sub(r" at 0x\w+", "", repr(thing))


def checksum(X: Any) -> int:
    """A number that other documents, or the same in another order, hardly have; however they are stored."""
    whole = 0
    for part in _contents(X):
        whole = zlib.crc32(part, zlib.crc32(len(part).to_bytes(8, "little"), whole))
    return whole


def checksums(X: Any) -> list[int]:
    """A number for each document that another hardly has; the same wherever it stands."""
    return [zlib.crc32(part) for part in _contents(X)]


def _contents(X: Any) -> Iterator[bytes]:
    """What each document holds: its words and their counts, or its text."""
    plain = np.asarray(X) if hasattr(X, "to_numpy") or isinstance(X, np.ndarray) else X
    if sparse.issparse(X) or (isinstance(plain, np.ndarray) and plain.dtype.kind in "biuf"):
        rows = sparse.csr_array(plain, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        word = rows.indices.astype(np.int64)
        for begin, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
            yield word[begin:end].tobytes() + rows.data[begin:end].tobytes()
        return
    if isinstance(plain, np.ndarray):
        plain = (plain[:, 0] if plain.ndim == 2 and plain.shape[1] == 1 else plain).tolist()
    yield from (repr(str(row) if isinstance(row, str) else row).encode() for row in plain)


def checksum_as_stored(X: Any) -> int:
    """What files held before in the place of `checksum`; the same documents stored otherwise have another."""
    if sparse.issparse(X):
        rows = X.tocsr()
        parts = [rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]
    else:
        plain = np.asarray(X) if hasattr(X, "to_numpy") or isinstance(X, np.ndarray) else None
        if plain is None or plain.dtype.kind not in "biuf":
            return zlib.crc32(repr(list(X) if plain is None else plain.tolist()).encode())
        parts = [plain]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(np.ascontiguousarray(part), checksum)
    return checksum
