"""A file of named arrays and what is said of them, in the layout of safetensors.

Eight bytes with the length of a JSON header, the header, and the arrays one after the other, in the order and
at the places that the header tells: other tools can read them. What is said of them is text under
`__metadata__`, two checksums among it: of the arrays, and of the header with that one beside it.

Nothing that a file says is believed before it is compared with the size of the file, and no more is allocated
than that.
"""

import hashlib
import json
import math
import mmap
import os
import secrets
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from reprlib import repr as shown  # in short
from typing import Any, BinaryIO, NoReturn

import numpy as np

from plsa.engine.parameters import Array
from plsa.inputs import counted

FORMAT = 1  # of what is said of the arrays; a file of a later one is refused
_MOST_HEADER, _MOST_ARRAYS, _MOST_AXES, _MOST_NAME = 1 << 18, 4096, 8, 300
_ALIGNED = 64  # bytes that the arrays begin at a multiple of
_OF = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "F16": "<f2",
    "U32": "<u4",
    "I32": "<i4",
    "F32": "<f4",
    "U64": "<u8",
    "I64": "<i8",
    "F64": "<f8",
}
_NAMES = {np.dtype(kind): name for name, kind in _OF.items()}
_ABOUT, _FORMAT, _HEADER, _ARRAYS = "__metadata__", "plsa_format", "sha256_of_header", "sha256_of_arrays"
_NO_DIGEST = "0" * 64

Arrays = dict[str, Array]
About = dict[str, str]


class DamagedError(ValueError):
    """What a model holds, or a file tells of it, does not fit together."""

    def __init__(self, found: str) -> None:
        self.found = found
        anew = "copy it again, or save the model anew"
        super().__init__(f"{found}. The file is damaged or was made by hand: {anew}.")


def damaged(found: str) -> DamagedError:
    """What to raise where a file is not as it was written."""
    return DamagedError(found)


def can_hold(dtype: np.dtype[Any]) -> bool:
    """Whether a file can hold numbers of this type."""
    return dtype in _NAMES


# --- writing -------------------------------------------------------------------------------------


def write(path: str | os.PathLike[str], arrays: Mapping[str, Array], about: Mapping[str, str]) -> None:
    """Writes a file: the old one or the whole new one is there at any moment, whatever happens.

    Arrays must be in C order and of types that a file can hold.
    """
    # Large entries first: all of them are then at multiples of their size.
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    begin, entries, digest = 0, {}, hashlib.sha256()
    for name in order:
        array = arrays[name]
        place = [begin, begin := begin + array.nbytes]
        entries[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": place}
        digest.update(_bytes_of(array))
    told = {_FORMAT: str(FORMAT), _HEADER: _NO_DIGEST, _ARRAYS: digest.hexdigest(), **about}
    header = json.dumps({_ABOUT: told, **entries}, allow_nan=False, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % _ALIGNED)
    if len(header) > _MOST_HEADER or len(arrays) > _MOST_ARRAYS:
        size = f"{counted(len(arrays), 'array')} and a header of {len(header):,} bytes"
        most = f"{_MOST_ARRAYS:,} and {_MOST_HEADER:,}"
        raise ValueError(f"the model takes {size}, but a file has at most {most}: its parameters are long.")
    length = len(header).to_bytes(8, "little")
    checksum = hashlib.sha256(length + header).hexdigest()
    header = header.replace(_NO_DIGEST.encode(), checksum.encode(), 1)
    with _replacing(Path(os.path.realpath(os.fsdecode(path)))) as file:
        file.write(length + header)
        for name in order:
            file.write(_bytes_of(arrays[name]))


def _bytes_of(array: Array) -> memoryview:
    """The memory of an array in C order."""
    return memoryview(array.reshape(-1).view(np.uint8))


@contextmanager
def _replacing(place: Path) -> Iterator[BinaryIO]:
    """A new file that takes a name when it is whole and on the disk, and else is gone."""
    if place.is_dir():
        named = place / "model.plsa"
        raise IsADirectoryError(f"{place} is a folder, and a model is a file: name one in it, like {named}.")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {place.parent} for the model: make it first.")
    before = place.stat() if place.exists() else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        raise OSError(f"{place} is no regular file, and would be replaced by one: name another.")
    # In the same folder: only there a file takes another's name at one stroke.
    new = place.parent / f".plsa-{secrets.token_hex(8)}.tmp"
    number = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(number, "wb") as file:
            if before is not None:  # what was for few to read stays so
                os.chmod(new, stat.S_IMODE(before.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, place)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # the name is in the folder, which has to be on the disk as well
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


# --- reading -------------------------------------------------------------------------------------


def read(path: str | os.PathLike[str], *, mapped: bool = False) -> tuple[About, Arrays]:
    """What a file says of its arrays, and the arrays, its checksums being right.

    `mapped`: arrays are parts of the file, which cannot be written to and come into memory when they are
    looked at. The checksum of the arrays is then not asked for: it would read them all.
    """
    with open(path, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{os.fspath(path)} is no regular file: a model is in one.")
        about, entries, start = _header(file, status.st_size)
        if mapped:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return about, {name: each.inside(whole, start) for name, each in entries.items()}
        digest, arrays = hashlib.sha256(), {}
        for name, each in entries.items():
            arrays[name] = array = np.empty(each.shape, dtype=each.dtype)
            _fill(file, _bytes_of(array))
            digest.update(_bytes_of(array))
    if digest.hexdigest() != about[_ARRAYS]:
        raise damaged("its arrays do not have the checksum that its header tells")
    return about, arrays


class _Entry:
    """Where an array is, and what it is."""

    def __init__(self, name: str, told: Any, most: int) -> None:
        if not isinstance(told, dict) or told.keys() != {"dtype", "shape", "data_offsets"}:
            raise damaged(f"its header has not dtype, shape and data_offsets of {name!r}")
        kind, shape, place = told["dtype"], told["shape"], told["data_offsets"]
        if not isinstance(kind, str) or kind not in _OF:
            raise damaged(f"its header has {name!r} of type {shown(kind)}, which is none of {', '.join(_OF)}")
        if not _are_sizes(shape, most) or len(shape) > _MOST_AXES:
            raise damaged(f"its header has {name!r} of shape {shown(shape)}, which no array in it can have")
        if not _are_sizes(place, most) or len(place) != 2:
            raise damaged(f"its header has {name!r} at {shown(place)}, which is no place in it")
        self.begin, self.end = place
        self.shape, self.dtype = tuple(shape), np.dtype(_OF[kind])
        needed = math.prod(shape) * self.dtype.itemsize
        if self.end - self.begin != needed:
            found = f"{name!r} of shape {shown(shape)} and type {kind} has {needed:,} bytes"
            raise damaged(f"{found}, but its header gives it those from {self.begin:,} to {self.end:,}")

    def inside(self, whole: mmap.mmap, start: int) -> Array:
        """The array as a part of a file in memory; it cannot be written to."""
        number = math.prod(self.shape)
        if not number:
            return np.empty(self.shape, dtype=self.dtype)
        return np.frombuffer(whole, self.dtype, number, start + self.begin).reshape(self.shape)


def _are_sizes(values: Any, most: int) -> bool:
    """Whether it is a list of whole numbers from 0 to the size of the file."""
    return isinstance(values, list) and all(type(each) is int and 0 <= each <= most for each in values)


def _header(file: Any, size: int) -> tuple[About, dict[str, _Entry], int]:
    """What is said of the arrays, where each is, in the order of the file, and where they begin."""
    if size < 8:
        raise damaged(f"it has {counted(size, 'byte')}, and a model at least 8")
    first = bytearray(8)
    _fill(file, memoryview(first))
    length = int.from_bytes(first, "little")
    if length > min(_MOST_HEADER, size - 8):
        said = f"its first 8 bytes say that its header has {length:,} bytes"
        room = f"a file of {size:,} has at most {min(_MOST_HEADER, size - 8):,}"
        raise ValueError(f"{said}, but {room}. It is no model, or is cut off: was it copied whole?")
    header = bytearray(length)
    _fill(file, memoryview(header))
    told = parsed(header, "its header")
    about = told.pop(_ABOUT, None) if isinstance(told, dict) else None
    if not isinstance(about, dict) or not all(isinstance(each, str) for each in about.values()):
        raise damaged(f"its header has no {_ABOUT} of texts")
    _check_format(about.get(_FORMAT))
    _check_digest(about, first, header)
    if len(told) > _MOST_ARRAYS:
        raise damaged(f"its header has {len(told):,} arrays, and a file at most {_MOST_ARRAYS:,}")
    entries, start, at = {}, 8 + length, 0
    for name, each in told.items():
        if len(name) > _MOST_NAME:
            raise damaged(f"its header has an array with a name of {len(name):,} characters")
        entries[name] = _Entry(name, each, size)
    # Of those that begin at one place, the empty ones come first.
    in_order = sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end))
    for name, entry in in_order:
        if entry.begin != at:
            raise damaged(f"{name!r} begins at {entry.begin:,}, but the arrays before it end at {at:,}")
        at = entry.end
    if start + at != size:
        raise damaged(f"its arrays end at byte {start + at:,}, but it has {size:,}")
    return about, dict(in_order), start


def _check_format(found: Any) -> None:
    """Raises where a file is no model, or one of a later version of this package."""
    if found is None:
        raise ValueError(f"it holds arrays, but no model of plsa: its header has no {_FORMAT}.")
    if not found.isascii() or not found.isdigit() or len(found) > 9 or int(found) < 1:
        raise damaged(f"its header has {_FORMAT} == {shown(found)}, which is no number from 1")
    if int(found) > FORMAT:
        newer = f"it has format {found}, and this version of plsa reads up to {FORMAT}"
        raise ValueError(f"{newer}: load it with a newer plsa (pip install -U plsa-learn).")


def _check_digest(about: About, length: bytearray, header: bytearray) -> None:
    """Raises where a header is not as it was written."""
    told = about.get(_HEADER, "")
    if len(told) != len(_NO_DIGEST) or len(about.get(_ARRAYS, "")) != len(_NO_DIGEST) or not told.isascii():
        raise damaged("its header has not both of its checksums")
    at, whole = header.find(told.encode()), memoryview(header)
    digest = hashlib.sha256(length)
    for part in (whole[:at], _NO_DIGEST.encode(), whole[at + len(told) :]):
        digest.update(part)
    if digest.hexdigest() != told:
        raise damaged("its header does not have the checksum that it tells")


def _fill(file: Any, memory: memoryview) -> None:
    """Reads as many bytes as there is room for."""
    at = 0
    while at < len(memory):
        number = file.readinto(memory[at:])
        if not number:
            raise damaged("it became shorter while it was read")
        at += number


def parsed(text: str | bytearray, what: str) -> Any:
    """JSON, strictly: no name twice in an object, no NaN, nothing infinite, nothing nested beyond measure."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
            raise damaged(f"{what} has {twice[:40]!r} twice")
        return found

    def refused(word: str) -> NoReturn:
        raise damaged(f"{what} has {word[:40]}, which is no number of JSON")

    def number(word: str) -> float:
        value = float(word)
        return value if math.isfinite(value) else refused(word)

    def whole(word: str) -> int:
        return int(word) if len(word) <= 400 else refused(word)

    try:
        if isinstance(text, bytearray):
            text = text.decode("utf-8")
        return json.loads(
            text, object_pairs_hook=once, parse_float=number, parse_int=whole, parse_constant=refused
        )
    except UnicodeDecodeError as error:
        raise damaged(f"{what} is no UTF-8 at byte {error.start:,}") from None
    except json.JSONDecodeError as error:
        raise damaged(f"{what} is not valid JSON at character {error.pos:,}: {error.msg}") from None
    except RecursionError:
        raise damaged(f"{what} is nested beyond measure") from None
