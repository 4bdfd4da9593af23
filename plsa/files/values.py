"""What a model is made of, as text and arrays, and made of these again.

Plain values are those of JSON; all else is an object with one key that says what it is:

    {"array": name}            an array, with "axes" if its axes are in another order, "dates" or "text" if
                               its numbers stand for these
    {"strings": name, ...}     strings, as UTF-8 one after the other, and where each begins (name + ".begins")
    {"class": name, "has": {}} an estimator or a frozen value, of a closed table (`classes`)

and the like. Nothing here is ever looked up by a name that a file tells but in tables.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from reprlib import repr as shown  # in short
from typing import Any

import numpy as np
from scipy import sparse

from plsa.engine.parameters import Array
from plsa.files.container import can_hold, damaged
from plsa.inputs.structure import check_structure

_DEEP = 24  # values within values, at most
_LONG = 32  # entries of a list from which on they are an array
_SOME, _SHORT, _ASCII = 4096, 1 << 18, 128  # strings that are read at a time, and bytes of them
_WIDE = 1 << 14  # bytes of strings of one width, up to which they are written as UTF-8; longer as they are
_NUMBERS = "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"
_REALS = "float16", "float32", "float64"
_KINDS = {name: np.dtype(name) for name in (*_NUMBERS, *_REALS)}
_TYPES: dict[str, Any] = {"float": float, "int": int, "bool": bool, "object": object} | {
    f"numpy.{name}": kind.type for name, kind in _KINDS.items()
}
_TYPE_NAMES = {kind: name for name, kind in _TYPES.items()}
_SPARSE: dict[str, Any] = {"csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
_UNITS = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"}
_MERSENNE = 624  # words of the state of NumPy's RandomState

# Of an object its class by name and what it holds; and back, with where it is.
Taken = Callable[[Any, str], tuple[str, Mapping[str, Any]]]
Made = Callable[[str, dict[str, Any], str], Any]


class Packing:
    """Values as trees of JSON; their arrays are in `arrays`, each once, by where it was first met."""

    def __init__(self, taken: Taken) -> None:
        self.arrays: dict[str, Array] = {}
        self._taken = taken
        self._names: dict[Any, str] = {}
        self._met: list[Array] = []  # as long as these are there, no other has their memory

    def tree(self, value: Any, where: str, depth: int = 0) -> Any:
        """A value as a tree; one that cannot be kept is refused by name."""
        if depth > _DEEP:
            raise ValueError(f"{where} holds values within values, more than {_DEEP} deep: make it simpler.")
        kind, below = type(value), depth + 1
        if value is None or kind in (bool, str):
            return value
        if kind is int:
            return _short(value, where)
        if kind is float:
            return value if np.isfinite(value) else {"float": repr(value)}
        if kind is list:
            return self._list(value, where, below)
        if kind is tuple:
            if len(value) == 2 and type(value[0]) is str and hasattr(value[1], "get_params"):
                place = f"{where.rpartition('[')[0]}.{value[0]}"  # a step of a pipeline
                return {"tuple": [value[0], self.tree(value[1], place, below)]}
            return {"tuple": self._list(list(value), where, below)}
        if kind in (set, frozenset):
            return {kind.__name__: self._list(sorted(value, key=repr), where, below)}
        if kind is dict:
            keys = self._list(list(value), f"{where}.keys", below)
            return {"dict": [keys, self._list([*value.values()], f"{where}.values", below)]}
        if kind is np.ndarray or kind is np.memmap:
            return self._array(value, where, below)
        if isinstance(value, np.generic):
            return _scalar(value, where)
        if kind in (slice, range):
            ends = [value.start, value.stop, value.step]
            return {kind.__name__: [self.tree(each, where, below) for each in ends]}
        if kind is bytes:
            return {"bytes": value.decode("latin-1")}
        if isinstance(value, np.dtype) and value.name in _KINDS:
            return {"dtype": value.name}
        if isinstance(value, type) and value in _TYPE_NAMES:
            return {"type": _TYPE_NAMES[value]}
        if kind.__name__ in _SPARSE and kind is _SPARSE[kind.__name__]:
            names = "data", "indices", "indptr"
            trees = [self._array(getattr(value, name), f"{where}.{name}", below) for name in names]
            return {"sparse": kind.__name__, "shape": [int(n) for n in value.shape], "parts": trees}
        if kind is np.random.RandomState:
            return self._generator(value, where)
        name, held = self._taken(value, where)
        has = {each: self.tree(held[each], f"{where}.{each}" if where else each, below) for each in held}
        return {"class": name, "has": has}

    def _list(self, values: list[Any], where: str, depth: int) -> Any:
        """The entries; of many of one kind an array."""
        kinds = {type(each) for each in values} if len(values) > _LONG else set()
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind is str and _utf8(values) is not None:
            return {"many": "str", **self._strings(values, where)}
        if kind in _TYPE_NAMES and kind not in (object, bool):
            array = np.array(values)
            if array.dtype.name in _KINDS and array.dtype.kind in "iuf":
                return {"many": _TYPE_NAMES[kind], "array": self._kept(array, where)}
        return [self.tree(each, f"{where}[{place}]", depth) for place, each in enumerate(values)]

    def _strings(self, values: list[str], where: str) -> dict[str, Any]:
        """UTF-8 of strings that have it, and where each begins."""
        parts = _utf8(values) or []
        begins = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=begins[1:])
        if begins[-1] < 2**31:
            begins = begins.astype(np.int32)
        # A copy: Python has each byte by itself only once, and arrays of one memory have one name.
        name = self._kept(np.frombuffer(b"".join(parts), dtype=np.uint8).copy(), where)
        self.arrays[f"{name}.begins"] = begins
        return {"strings": name}

    def _array(self, value: Array, where: str, depth: int) -> Any:
        value = np.asarray(value)
        kind, shape = value.dtype.kind, list(value.shape)
        if kind == "O":
            flat = value.ravel().tolist()
            entries = self._list(flat, where, depth)
            return {"objects": entries, "shape": shape}
        if kind == "U":
            texts = value.ravel().tolist()
            if (
                value.nbytes <= _WIDE
                and _width(texts) * 4 == value.dtype.itemsize
                and _utf8(texts) is not None
            ):
                return {"texts": self._strings(texts, where)["strings"], "shape": shape}
            value = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("="))
            width = value.dtype.itemsize // 4
            return {"array": self._kept(_units(value, np.uint32, width), where), "text": "U"}
        if kind == "S":
            units = _units(np.ascontiguousarray(value), np.uint8, value.dtype.itemsize)
            return {"array": self._kept(units, where), "text": "S"}
        if (
            kind in "Mm"
            and np.datetime_data(value.dtype)[0] in _UNITS
            and np.datetime_data(value.dtype)[1] == 1
        ):
            unit = np.datetime_data(value.dtype)[0]
            plain: Array = np.ascontiguousarray(value).astype(f"{kind}8[{unit}]").view(np.int64)
            return {"array": self._kept(plain, where), "dates": kind + unit}
        if not can_hold(value.dtype.newbyteorder("<")):
            raise ValueError(f"{where} is an array of type {value.dtype}, which a file cannot hold.")
        value = value.astype(value.dtype.newbyteorder("="), copy=False)
        # As the memory goes: whether rows or columns are side by side may decide bits.
        order = sorted(range(value.ndim), key=lambda axis: -abs(value.strides[axis]))
        if value.flags.c_contiguous or order == sorted(order):
            return {"array": self._kept(value, where)}
        axes = [order.index(axis) for axis in range(value.ndim)]
        return {"array": self._kept(value.transpose(order), where), "axes": axes}

    def _kept(self, array: Array, where: str) -> str:
        """The name of an array, which is that of an earlier one if they share all of their memory."""
        memory = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
        if array.size and memory in self._names:
            return self._names[memory]
        name, number = where[:200] or "array", 1
        while name in self.arrays or f"{name}.begins" in self.arrays:
            number += 1
            name = f"{where[:200]}#{number}"
        self._met.append(array)
        self._names[memory] = name
        self.arrays[name] = np.ascontiguousarray(array).reshape(array.shape)
        return name

    def _generator(self, value: np.random.RandomState, where: str) -> Any:
        state: Any = value.get_state(legacy=True)
        kind, keys, place, has_normal, normal = state
        if kind != "MT19937":
            raise ValueError(f"{where} is a RandomState over {kind}, which cannot be saved: pass a seed.")
        told = [self._kept(keys, where), int(place), int(has_normal), float(normal)]
        return {"random_state": told}


def _units(array: Array, kind: Any, width: int) -> Array:
    """Strings of one width as the numbers of their characters, along a last axis."""
    if not array.size or not width:
        return np.zeros((*array.shape, width), dtype=kind)
    return np.asarray(array[..., np.newaxis].view(kind))


def _width(texts: list[str]) -> int:
    return max(map(len, texts), default=1) or 1


def _utf8(texts: list[str]) -> list[bytes] | None:
    """The strings as UTF-8; None where one holds half a character, which has none."""
    try:
        return [text.encode() for text in texts]
    except UnicodeEncodeError:
        return None


def _short(value: int, where: str) -> int:
    if abs(value) > 10**100:
        raise ValueError(f"{where} is a number of more than 100 digits, which cannot be saved.")
    return value


def _scalar(value: np.generic, where: str) -> Any:
    if type(value) is np.str_:
        return {"scalar": "str", "value": str(value)}
    if value.dtype.name not in _KINDS:
        raise ValueError(f"{where} is a {type(value).__name__}, which cannot be saved.")
    plain = value.item()
    told = repr(plain) if isinstance(plain, float) and not np.isfinite(plain) else plain
    return {"scalar": value.dtype.name, "value": told}


class Unpacking:
    """Trees as values again; what does not fit is a ValueError."""

    def __init__(self, arrays: Mapping[str, Array], made: Made) -> None:
        self._arrays = arrays
        self._made = made
        self._used: set[str] = set()
        self._taken: set[str] = set()
        # Strings of one width may take more memory than a file has of them.
        self._room = sum(each.nbytes for each in arrays.values()) + 4 * _WIDE

    def value(self, tree: Any, where: str, depth: int = 0) -> Any:
        """What a tree stands for."""
        if depth > 2 * _DEEP:  # tuples and the like have a list within
            raise damaged(f"{where} is nested more than {_DEEP} deep")
        if tree is None or type(tree) in (bool, int, float, str):
            return tree
        below = depth + 1
        if isinstance(tree, list):
            return [self.value(each, f"{where}[{place}]", below) for place, each in enumerate(tree)]
        for kind, known in _FORMS.items():
            if kind in tree and tree.keys() <= {kind, *known}:
                return getattr(self, f"_{kind}")(tree, where, below)
        raise damaged(f"{where} is an object with the keys {shown([*tree])}, which stands for nothing")

    def check_all_used(self) -> None:
        """Raises where there are arrays that nothing holds."""
        left = self._arrays.keys() - self._used
        if left:
            raise damaged(f"no part of the model holds its array {shown(min(left))}")

    def _many(self, tree: Any, where: str, depth: int) -> list[Any]:
        kind = tree["many"]
        if kind == "str":
            return self._read(tree.get("strings"), where)
        if not isinstance(kind, str) or kind not in _TYPES or kind in ("object", "bool"):
            raise damaged(f"{where} is a list of {shown(kind)}")
        array, numpy = self._once(tree.get("array"), where), kind.startswith("numpy.")
        wanted = "f" if "float" in kind else "iu"
        if (
            array.ndim != 1
            or array.dtype.kind not in wanted
            or (numpy and array.dtype.type is not _TYPES[kind])
        ):
            raise damaged(
                f"{where} is a list of {kind}, but its array is {array.ndim}D of type {array.dtype}"
            )
        return list(array) if numpy else array.tolist()

    def _float(self, tree: Any, where: str, depth: int) -> float:
        return _other_number(tree["float"], where)

    def _scalar(self, tree: Any, where: str, depth: int) -> Any:
        kind, value = tree["scalar"], tree.get("value")
        if kind == "str" and type(value) is str:
            return np.str_(value)
        dtype = _KINDS.get(kind) if isinstance(kind, str) else None
        if dtype is None:
            raise damaged(f"{where} is a number of type {shown(kind)}")
        if dtype.kind == "f":
            value = _other_number(value, where) if isinstance(value, str) else value
            if type(value) is float:
                with np.errstate(over="ignore"):
                    return dtype.type(value)
        elif dtype.kind == "b" and type(value) is bool:
            return np.bool_(value)
        elif (
            dtype.kind in "iu" and type(value) is int and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
        ):
            return dtype.type(value)
        raise damaged(f"{where} is {shown(value)}, which is no {kind}")

    def _tuple(self, tree: Any, where: str, depth: int) -> tuple[Any, ...]:
        return tuple(self._entries(tree["tuple"], where, depth))

    def _set(self, tree: Any, where: str, depth: int) -> set[Any]:
        entries = self._entries(tree["set"], where, depth)
        try:
            return set(entries)
        except TypeError:
            raise damaged(f"{where} is a set of what cannot be in one") from None

    def _frozenset(self, tree: Any, where: str, depth: int) -> frozenset[Any]:
        return frozenset(self._set({"set": tree["frozenset"]}, where, depth))

    def _dict(self, tree: Any, where: str, depth: int) -> dict[Any, Any]:
        if not isinstance(tree["dict"], list) or len(tree["dict"]) != 2:
            raise damaged(f"{where} has not keys and values")
        keys, values = (self._entries(each, where, depth) for each in tree["dict"])
        if len(keys) != len(values):
            raise damaged(f"{where} has {len(keys):,} keys for {len(values):,} values")
        try:
            found = dict(zip(keys, values, strict=True))
        except TypeError:
            raise damaged(f"{where} has keys that cannot be such") from None
        if len(found) < len(keys):
            raise damaged(f"{where} has a key twice")
        return found

    def _entries(self, tree: Any, where: str, depth: int) -> list[Any]:
        found = self.value(tree, where, depth)
        if not isinstance(found, list):
            raise damaged(f"{where} is no list")
        return found

    def _slice(self, tree: Any, where: str, depth: int) -> slice:
        return slice(*self._ends(tree["slice"], where, or_none=True))

    def _range(self, tree: Any, where: str, depth: int) -> range:
        begin, end, step = self._ends(tree["range"], where, or_none=False)
        if step == 0:
            raise damaged(f"{where} is a range without a step")
        return range(begin, end, step)

    def _ends(self, ends: Any, where: str, *, or_none: bool) -> list[Any]:
        good = isinstance(ends, list) and len(ends) == 3
        if not good or not all(type(each) is int or (or_none and each is None) for each in ends):
            raise damaged(f"{where} is a slice or range of {shown(ends)}")
        return list(ends)

    def _bytes(self, tree: Any, where: str, depth: int) -> bytes:
        try:
            return str(tree["bytes"]).encode("latin-1")
        except UnicodeEncodeError:
            raise damaged(f"{where} is bytes beyond 255") from None

    def _dtype(self, tree: Any, where: str, depth: int) -> Any:
        return _of_table(_KINDS, tree["dtype"], where)

    def _type(self, tree: Any, where: str, depth: int) -> Any:
        return _of_table(_TYPES, tree["type"], where)

    def _array(self, tree: Any, where: str, depth: int) -> Array:
        array = self._named(tree["array"], where)
        if "axes" in tree:
            axes = tree["axes"]
            if not isinstance(axes, list) or [*map(type, axes)] != [int] * array.ndim:
                raise damaged(f"{where} has axes {shown(axes)}")
            if sorted(axes) != [*range(array.ndim)]:
                raise damaged(f"{where} has axes {shown(axes)}, but its array has {array.ndim}")
            array = array.transpose(axes)
        if "dates" in tree:
            kind, unit = str(tree["dates"])[:1], str(tree["dates"])[1:]
            if kind not in ("M", "m") or unit not in _UNITS or array.dtype != np.int64:
                raise damaged(f"{where} is dates of {shown(tree['dates'])} and type {array.dtype}")
            array = array.view(f"{kind}8[{unit}]")
        if "text" in tree:
            array = _text(array, tree["text"], where)
        return array

    def _texts(self, tree: Any, where: str, depth: int) -> Array:
        values = self._read(tree["texts"], where)
        self._room -= 4 * _width(values) * len(values)
        if self._room < 0:
            raise damaged(f"{where} holds strings of one width that are larger than the file")
        return _shaped(np.array(values, dtype=f"<U{_width(values)}"), tree.get("shape"), where)

    def _objects(self, tree: Any, where: str, depth: int) -> Array:
        values = self._entries(tree["objects"], where, depth)
        array = np.fromiter(values, dtype=object, count=len(values))
        return _shaped(array, tree.get("shape"), where)

    def _sparse(self, tree: Any, where: str, depth: int) -> Any:
        made, shape = _of_table(_SPARSE, tree["sparse"], where), tree.get("shape")
        parts = self._entries(tree.get("parts"), where, depth)
        if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts) or len(parts) != 3:
            raise damaged(f"{where} has not data, indices and indptr")
        good = isinstance(shape, list) and len(shape) == 2
        if not good or not all(type(n) is int and 0 <= n < 2**63 for n in shape):
            raise damaged(f"{where} is a sparse array of shape {shown(shape)}")
        data, indices, indptr = parts
        if data.dtype.kind not in "biuf" or not {indices.dtype.name, indptr.dtype.name} <= {"int32", "int64"}:
            raise damaged(f"{where} has indices of type {indices.dtype} and {indptr.dtype}")
        if len(indptr) != shape[0] + 1:
            raise damaged(f"{where} has {shape[0]:,} rows, but {len(indptr):,} places where they begin")
        # As they are: SciPy's constructors would look at them, and might change their types.
        found = made(tuple(shape), dtype=data.dtype)
        found.data, found.indices, found.indptr = data, indices, indptr
        try:
            check_structure(found)
        except ValueError as error:
            raise damaged(f"{where}: {str(error).partition('. ')[0]}") from None
        return found

    def _random_state(self, tree: Any, where: str, depth: int) -> np.random.RandomState:
        told = tree["random_state"]
        if not isinstance(told, list) or [*map(type, told)] != [str, int, int, float]:
            raise damaged(f"{where} is no RandomState")
        name, place, has_normal, normal = told
        keys = self._once(name, where)
        if keys.dtype != np.uint32 or keys.shape != (_MERSENNE,) or not 0 <= place <= _MERSENNE:
            raise damaged(f"{where} is a RandomState at {place} of {keys.shape} {keys.dtype}")
        if has_normal not in (0, 1):
            raise damaged(f"{where} is a RandomState with {has_normal} numbers left")
        made = np.random.RandomState(0)
        made.set_state(("MT19937", keys, place, has_normal, normal))
        return made

    def _class(self, tree: Any, where: str, depth: int) -> Any:
        name, has = tree["class"], tree.get("has")
        if not isinstance(name, str) or not isinstance(has, dict):
            raise damaged(f"{where} is of a class without name or attributes")
        held = {
            each: self.value(has[each], f"{where}.{each[:80]}" if where else each[:80], depth) for each in has
        }
        return self._made(name, held, where)

    def _named(self, name: Any, where: str) -> Array:
        if not isinstance(name, str) or name not in self._arrays:
            raise damaged(f"{where} is an array {shown(name)}, which is not in it")
        self._used.add(name)
        array = self._arrays[name]
        if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
            raise damaged(f"{where} holds truth values that are neither true nor false")
        return array

    def _once(self, name: Any, where: str) -> Array:
        """The array of this name, of which something larger is made: so it can only be one thing's."""
        array = self._named(name, where)
        if name in self._taken:
            raise damaged(
                f"{where} is made of the array {shown(name)}, of which another part is made already"
            )
        self._taken.add(name)
        return array

    def _read(self, name: Any, where: str) -> list[str]:
        """The strings of this name."""
        letters = self._once(name, where)
        begins = self._named(f"{name}.begins", where)
        if letters.dtype != np.uint8 or letters.ndim != 1 or begins.ndim != 1 or begins.dtype.kind != "i":
            raise damaged(f"{where} is strings of type {letters.dtype} that begin at {begins.dtype}")
        rising = len(begins) > 0 and begins[0] == 0 and begins[-1] == len(letters)
        if not rising or np.any(begins[1:] < begins[:-1]):
            raise damaged(f"{where} is strings that do not begin one after the other")
        found: list[str] = []
        for first in range(0, len(begins) - 1, _SOME):
            found += _decoded(letters, begins[first : first + _SOME + 1], where)
        return found


def _decoded(letters: Array, begins: Array, where: str) -> list[str]:
    """The strings between these places of UTF-8."""
    some, lengths = letters[begins[0] : begins[-1]], np.diff(begins)
    met = np.bincount(some[:_SHORT], minlength=_ASCII)[:_ASCII] > 0
    free = np.flatnonzero(~met)
    try:
        if not len(free) or len(some) > _SHORT:
            return [some[a:b].tobytes().decode() for a, b in pairwise((begins - begins[0]).tolist())]
        # With a byte between them that none has, they are cut at once: a third of the time.
        joined = np.full(len(some) + len(lengths) - 1, free[0], dtype=np.uint8)
        joined[np.arange(len(some)) + np.repeat(np.arange(len(lengths)), lengths)] = some
        return joined.tobytes().decode().split(chr(free[0]))
    except UnicodeDecodeError:
        raise damaged(f"{where} is strings that are no UTF-8") from None


# The keys of objects, the first saying what it is.
_FORMS: dict[str, tuple[str, ...]] = {
    "class": ("has",),
    "many": ("strings", "array"),
    "array": ("axes", "dates", "text"),
    "texts": ("shape",),
    "objects": ("shape",),
    "sparse": ("shape", "parts"),
    "scalar": ("value",),
    **dict.fromkeys(("float", "tuple", "set", "frozenset", "dict", "slice", "range", "bytes"), ()),
    **dict.fromkeys(("dtype", "type", "random_state"), ()),
}


def _other_number(told: Any, where: str) -> float:
    if told not in ("nan", "inf", "-inf"):
        raise damaged(f"{where} is {shown(told)}, which is no number")
    return float(told)


def _of_table(table: Mapping[str, Any], name: Any, where: str) -> Any:
    if not isinstance(name, str) or name not in table:
        raise damaged(f"{where} is {shown(name)}, which is none of {', '.join(table)}")
    return table[name]


def _shaped(array: Array, shape: Any, where: str) -> Array:
    """An array in a shape that it can have."""
    good = isinstance(shape, list) and len(shape) <= 8
    if not good or not all(type(n) is int and 0 <= n <= max(1, array.size) for n in shape):
        raise damaged(f"{where} has the shape {shown(shape)}")
    number = 1
    for n in shape:
        number *= n
    if number != array.size:
        raise damaged(f"{where} has the shape {shown(shape)}, but {array.size:,} entries")
    return array.reshape(shape)


def _text(array: Array, kind: Any, where: str) -> Array:
    """Strings of one width, of the numbers of their characters."""
    wanted = {"U": np.uint32, "S": np.uint8}.get(kind) if isinstance(kind, str) else None
    if wanted is None or array.dtype != wanted or not array.ndim or not array.shape[-1]:
        raise damaged(f"{where} is text of {shown(kind)}, but of shape {array.shape} and type {array.dtype}")
    if not array.flags.c_contiguous:
        raise damaged(f"{where} is text whose axes are not in order")
    width = array.shape[-1]
    if kind == "U" and array.size and array.max() > 0x10FFFF:
        raise damaged(f"{where} is text with a character that there is none of")
    if not array.size:
        return np.empty(array.shape[:-1], dtype=f"{kind}{width}")
    return array.view(f"{kind}{width}")[..., 0]
