"""A user's own documents, from files and folders."""

import codecs
import contextlib
import csv
import gzip
import json
import os
import zlib
from collections.abc import Generator, Iterable
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from sklearn.utils import Bunch

from plsa.inputs import counted, warn
from plsa.labels.reading import doubtful, is_missing

_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".txt": "txt"}
_SEPARATORS = ",", "\t", ";", "|"
# Where no field is called "label", one that is called so may hold the labels.
_LIKE_LABEL = frozenset({"label", "labels", "class", "category", "target"})


_Record = tuple[str, Any, Any]  # place (a line number or a file's path), text and label, as they stand there


def read_corpus(
    path: str | os.PathLike[str],
    *,
    text: str = "text",
    label: str | None = "label",
    unlabeled: str | None = None,
    encoding: str = "utf-8",
) -> Bunch:
    """Every document at `path` is read, with its label where it has one, or nothing is.

    Parameters
    ----------
    path : str or path-like
        What is read follows from the name; each kind of file may be compressed (".gz"):

        * ".jsonl", ".ndjson": one JSON object per line. Blank lines are passed over.
        * ".csv", ".tsv": a header, then one document per row. Where commas (tabs) do not part a column
          `text` from the header, but one of , ; | and tabs does, that is the separator.
        * ".txt": one document per line, a blank line too, so that document i is line i + 1.
        * a folder: each ".txt" file in it is a document. The sub-folder it lies in, at the first
          level, is its label; files directly in the folder have none. Names that begin with a
          dot are passed over; other files are, too, with a warning.
    text : str
        The field or column that holds the text.
    label : str or None
        The field or column that holds the label. A corpus without a field "label" is one without
        labels, with a warning where there is one such as "Label" or "class"; any other name must occur.
        None: labels are not read.
    unlabeled : str, optional
        A label that also means "no label", for example "-1" or "unknown". Where none is given, a label
        such as "NA" or "nan" beside others is warned of.
    encoding : str
        Encoding of the files. A byte order mark is dropped.

    Returns
    -------
    Bunch
        ``data`` : list of str, the texts as they stand.
        ``target`` : object array, each document's label as a str, or None where it is absent, null
        or blank. Numbers become what JSON writes for them, so that 3 is "3" from every format; so is
        3.0 from JSON.
        ``target_names`` : array of str, the labels that occur, sorted.
        ``names`` : list of str, where each document stands: "line 7", or its file in the folder.

    Raises
    ------
    FileNotFoundError
        When there is nothing at `path`.
    TypeError
        When `path` is no path.
    ValueError
        When a line or file cannot be read as above; the message says which and why.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from plsa.datasets import read_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "reviews.csv")
    ...     _ = path.write_text("text,label\\ngood value,praise\\nit broke,\\n")
    ...     corpus = read_corpus(path)
    >>> corpus.data
    ['good value', 'it broke']
    >>> corpus.target.tolist()
    ['praise', None]
    """
    if not isinstance(path, str | os.PathLike):
        what = "but must be the name of a file or folder; documents in memory need no reading"
        raise TypeError(f"path is of type {type(path).__name__}, {what}.")
    path = Path(path)
    try:
        codec = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"encoding {encoding!r} is not known to Python; try 'utf-8'.") from None
    if codec == "utf-8":
        codec = "utf-8-sig"  # the same, less the byte order mark that spreadsheets write
    if path.is_dir():
        records = _read_folder(path, codec, label is not None)
    elif path.exists():
        records = _read_file(path, codec, text, label)
    else:
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}.")

    data: list[str] = []
    labels: list[str | None] = []
    names: list[str] = []
    with contextlib.closing(records):  # an error below closes the file, too
        for place, content, found in records:
            if not isinstance(content, str):
                raise ValueError(f"{path}, {place}: {text!r} must be a string; found {_shown(content)}.")
            data.append(content)
            labels.append(_plain(found, unlabeled, f"{path}, {place}: {label!r}"))
            names.append(place)
    if not data:
        empty = ": there is nothing in it" if path.is_file() and not path.stat().st_size else ""
        raise ValueError(f"{path} holds no document{empty}.")
    target_names = np.array(sorted({name for name in labels if name is not None}), dtype=str)
    for name in target_names[doubtful(target_names)].tolist() if unlabeled is None else ():
        first = names[labels.index(name)]
        has = "has" if labels.count(name) == 1 else "have"
        found = f"{path}: {counted(labels.count(name), 'document')} {has} the label {name!r}, first {first}"
        if_mark = f"if it marks documents without a label, pass unlabeled={name!r}"
        warn(f"{found}. It is kept as a class; {if_mark}.")
    return Bunch(data=data, target=np.array(labels, dtype=object), target_names=target_names, names=names)


def _plain(value: Any, unlabeled: str | None, where: str) -> str | None:
    """A label as a string, None where there is none."""
    if is_missing(value):
        return None
    if not isinstance(value, str | bool | int | float):
        found = f"{_shown(value)}. One label per document."
        raise ValueError(f"{where} must be a string, a number or null; found {found}")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a program that knows no whole numbers wrote it
    label = (value if isinstance(value, str) else json.dumps(value)).strip()
    return label if label != unlabeled else None


def _shown(value: Any) -> str:
    """A value as an error shows it: its JSON, cut short."""
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 60 else written[:57] + "..."


def _read_file(path: Path, codec: str, text: str, label: str | None) -> Generator[_Record]:
    """The documents of one file; whatever goes wrong in decoding names the file and the line."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    form = _FORMATS.get("".join(suffixes[-2:-1] if packed else suffixes[-1:]))
    if form is None:
        known = f"{', '.join(_FORMATS)}, each also with .gz, and folders of .txt files"
        raise ValueError(f"cannot tell what {path.name!r} holds from its name; read_corpus reads {known}.")
    try:
        with _opened(path, codec, packed) as file:
            if form == "jsonl":
                yield from _read_jsonl(path, file, text, label)
            elif form == "txt":
                for number, line in enumerate(file, 1):
                    yield (f"line {number}", line.rstrip("\r\n"), None)
            else:
                yield from _read_table(path, file, text, label, "," if form == "csv" else "\t")
    except UnicodeDecodeError as error:
        raise ValueError(_undecoded(path, codec, packed, error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a whole gzip file ({error}); make it again.") from error


def _opened(path: Path, codec: str, packed: bool, errors: str = "strict") -> TextIO:
    # newline="": a quoted field of a table keeps the line breaks it was written with.
    if packed:
        return gzip.open(path, "rt", encoding=codec, errors=errors, newline="")
    return open(path, encoding=codec, errors=errors, newline="")


def _undecoded(path: Path, codec: str, packed: bool, error: UnicodeDecodeError) -> str:
    """Which line has bytes that `codec` does not know.

    Files are decoded ahead of the line being read, so the line is found by reading again with
    the unknown bytes marked.
    """
    where = str(path)
    with _opened(path, codec, packed, "surrogateescape") as file:
        try:
            for number, line in enumerate(file, 1):
                if any("\udc80" <= character <= "\udcff" for character in line):
                    where += f", line {number}"
                    break
        except UnicodeError:
            pass  # a codec that cannot mark them: the file's name must do
    found = error.object[error.start : error.start + 1]
    wrong = f"not {codec.removesuffix('-sig')}, found byte {found!r} ({error.reason})"
    marked = error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    way = "it begins as UTF-16 does: pass" if marked else "give the file's encoding, e.g."
    return f"{where}: {wrong}; {way} encoding={'utf-16' if marked else 'latin-1'!r}."


def _read_jsonl(path: Path, file: TextIO, text: str, label: str | None) -> Generator[_Record]:
    labeled = False
    others: set[str] = set()  # fields of lines without a label
    number = 0
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            wanted = f'every line must be one whole object such as {{"{text}": "..."}}'
            raise ValueError(f"{path}, {place}: not JSON ({error}); {wanted}.") from error
        if not isinstance(value, dict):
            raise ValueError(f"{path}, {place}: not a JSON object; found {_shown(value)}.")
        if text not in value:
            found = f"found {_listed(value)}. Say which one holds the text with text=..."
            raise ValueError(f"{path}, {place}: no field {text!r}; {found}")
        labeled |= label in value
        others |= value.keys() if label not in value else set()
        yield (place, value[text], None if label is None else value.get(label))
    if label not in (None, "label") and number and not labeled:
        raise ValueError(f"{path}: no line has a field {label!r}; say which one with label=...")
    _warn_of_labels(path, sorted(others), text, label)


def _read_table(path: Path, file: TextIO, text: str, label: str | None, expected: str) -> Generator[_Record]:
    before = 0
    # The csv module refuses fields above 128 kB by default, and only has a global switch.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        first = file.readline()
        if not first:
            return
        separator = _separator(first, text, expected)
        # strict: a quote that is never closed would otherwise swallow the rest of the file.
        rows = csv.reader(chain([first], file), delimiter=separator, strict=True)
        header = next(rows, [])
        for column, needed in ((text, True), (label, label not in (None, "label"))):
            times = header.count(column) if column is not None else 0
            if times > 1 or (needed and not times):
                what = f"{times} columns are" if times else "no column is"
                parameter = "text" if column == text else "label"
                by = "" if separator == expected else f" (separated by {separator!r})"
                found = f"found {_listed(header)}{by}. Say which one to read with {parameter}=..."
                raise ValueError(f"{path}, line 1: {what} called {column!r}; {found}")
        _warn_of_labels(path, header if label not in header else [], text, label)
        text_at = header.index(text)
        label_at = header.index(label) if label in header else None
        before = rows.line_num
        for row in rows:
            place = f"line {before + 1}"
            before = rows.line_num
            if not row:
                continue  # a blank line
            if len(row) != len(header):
                found = f"{counted(len(row), 'field')} where the header has {len(header)}"
                raise ValueError(f"{path}, {place}: {found}; quote fields with a separator or a line break.")
            yield (place, row[text_at], None if label_at is None else row[label_at])
    except csv.Error as error:
        rule = 'a field with quotes in it must be quoted, and its own quotes doubled ("")'
        raise ValueError(f"{path}, line {before + 1}: {error}; {rule}.") from error
    finally:
        csv.field_size_limit(limit)


def _separator(header: str, text: str, expected: str) -> str:
    """What parts the text from other columns in the first line of a table; else what parts most."""
    found = {each: next(csv.reader([header], delimiter=each), []) for each in (expected, *_SEPARATORS)}
    return max(found, key=lambda each: (text in found[each], len(found[each])))


def _warn_of_labels(path: Path, names: Iterable[str], text: str, label: str | None) -> None:
    """Warns of fields that may hold labels, where none was asked for by its name."""
    like = [name for name in names if name.strip().lower() in _LIKE_LABEL and name != text]
    if label == "label" and like:
        found = f"documents without a field 'label', which have no label now, have {_listed(like)}"
        warn(f"{path}: {found}. If that is the label, pass label={like[0]!r}; if not, label=None.")


def _listed(names: Iterable[str]) -> str:
    found = [repr(name) for name in names]
    return ", ".join(found[:10]) + (", ..." if len(found) > 10 else "") or "none"


def _read_folder(folder: Path, codec: str, labeled: bool) -> Generator[_Record]:
    paths: list[str] = []
    others: list[str] = []
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                inside = Path(at, name).relative_to(folder)
                (paths if inside.suffix.lower() == ".txt" else others).append(inside.as_posix())
    if others:
        more = f"{len(others)} file(s) in {folder} are not .txt"
        if not paths:
            raise ValueError(f"{more} and none is, e.g. {min(others)!r}; give documents as .txt.")
        warn(f"{more} and were passed over, e.g. {min(others)!r}.")
    for name in sorted(paths):
        above = name.split("/")[:-1]
        try:
            content = Path(folder, name).read_text(encoding=codec)
        except UnicodeDecodeError as error:
            raise ValueError(_undecoded(Path(folder, name), codec, False, error)) from error
        yield (name, content, above[0] if above and labeled else None)
