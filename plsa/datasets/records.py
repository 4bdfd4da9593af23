"""Documents of a file, a folder or a pipe, one after the other, with all of their fields."""

import codecs
import contextlib
import csv
import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Collection, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from plsa.inputs import counted, warn

FORMS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "txt",
    ".parquet": "parquet",
}
_SEPARATORS = ",", "\t", ";", "|"
_PIPE = "standard input"


class Record(NamedTuple):
    """A document as it stands somewhere."""

    place: str  # a line's number, a row's, or a file's path in its folder
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """What a source holds, to be read once."""

    name: str  # the file or folder, as errors call it
    form: str  # of `FORMS`, or "folder"
    columns: tuple[str, ...] | None  # where all records have the same fields
    separator: str | None  # of a table, where it is not the one that its name promises
    rows: Iterator[Record]


def check_codec(encoding: str) -> str:
    """What Python calls an encoding; of UTF-8 the one that drops a byte order mark, as spreadsheets write."""
    try:
        codec = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"encoding {encoding!r} is not known to Python; try 'utf-8'.") from None
    return "utf-8-sig" if codec == "utf-8" else codec


@contextlib.contextmanager
def opened_records(
    path: str | os.PathLike[str],
    codec: str,
    *,
    text: str | None = None,
    separator: str | None = None,
    form: str | None = None,
    header: Collection[str] = (),
) -> Generator[Records]:
    """The documents at `path`, or of standard input where it is "-".

    Whatever is wrong in a file is a ValueError with its name and line. `text` is a column that a table is
    expected to have: of the separators that its header may mean, that is taken which parts it from others;
    `separator` is one that is given. `form` is what the file holds, where its name does not tell; of standard
    input its beginning tells, a table's by one of the names in `header` or `text`.
    """
    name, file = str(path), Path(path)
    if name == "-":
        with _standard_input(codec) as (stream, packed):
            found = form or _form_of(stream, {name.lower() for name in (text, *header) if name})
            with (
                _errors_are_of(_PIPE, None, codec, packed),
                _records(_PIPE, stream, found, text, separator) as records,
            ):
                yield records
        return
    if file.is_dir():
        yield Records(name, "folder", None, None, _folder(file, codec))
        return
    if not file.exists():
        raise FileNotFoundError(f"there is no file or folder {name!r}.")
    suffixes = [suffix.lower() for suffix in file.suffixes]
    packed = suffixes[-1:] == [".gz"]
    form = form or FORMS.get("".join(suffixes[-2:-1] if packed else suffixes[-1:]))
    if form is None:
        known = f"{', '.join(FORMS)}, each also with .gz, and folders of .txt files"
        raise ValueError(f"cannot tell what {file.name!r} holds from its name; read_corpus reads {known}.")
    if form == "parquet":
        yield _parquet(file, packed)
        return
    with (
        _errors_are_of(name, file, codec, packed),
        open_text(file, codec, packed) as stream,
        _records(name, stream, form, text, separator) as records,
    ):
        yield records


def open_text(path: Path, codec: str, packed: bool, errors: str = "strict") -> TextIO:
    """A file of text, which may be compressed."""
    # newline="": a quoted field of a table keeps the line breaks it was written with.
    if packed:
        return gzip.open(path, "rt", encoding=codec, errors=errors, newline="")
    return open(path, encoding=codec, errors=errors, newline="")


@contextlib.contextmanager
def _standard_input(codec: str) -> Generator[tuple[TextIO, bool]]:
    """Standard input as text, and whether it is compressed. It is not closed: it is not ours."""
    raw: BinaryIO = sys.stdin.buffer
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    packed = buffered.peek(2)[:2] == b"\x1f\x8b"
    source: Any = gzip.GzipFile(fileobj=buffered) if packed else buffered
    stream = io.TextIOWrapper(source, encoding=codec, newline="")
    try:
        yield stream, packed
    finally:
        stream.detach()


def _form_of(stream: TextIO, expected: Collection[str]) -> str:
    """What standard input holds: objects begin with a brace, a table has one of these names in its header."""
    # TextIOWrapper cannot be peeked into; its buffer can.
    head = stream.buffer.peek(1 << 12)[: 1 << 12].lstrip(b"\xef\xbb\xbf \t\r\n")  # type: ignore[attr-defined]
    if head[:1] == b"{":
        return "jsonl"
    first = head.split(b"\n", 1)[0].decode("latin-1")
    cells = {cell.strip(' \r"').lower() for each in _SEPARATORS for cell in first.split(each)}
    return "csv" if cells & {*expected} else "txt"


@contextlib.contextmanager
def _errors_are_of(name: str, path: Path | None, codec: str, packed: bool) -> Generator[None]:
    """What goes wrong in decoding names the file and the line."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(_undecoded(name, path, codec, packed, error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{name} is not a whole gzip file ({error}); make it again.") from error


def _undecoded(name: str, path: Path | None, codec: str, packed: bool, error: UnicodeDecodeError) -> str:
    """Which line has bytes that `codec` does not know.

    Files are decoded ahead of the line being read, so the line is found by reading again with
    the unknown bytes marked.
    """
    where = name
    if path is not None:
        with open_text(path, codec, packed, "surrogateescape") as file:
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


@contextlib.contextmanager
def _records(name: str, file: TextIO, form: str, text: str | None, given: str | None) -> Generator[Records]:
    """The documents of an open file."""
    if form == "jsonl":
        yield Records(name, form, None, None, _objects(name, file))
    elif form == "txt":
        yield Records(name, form, ("text",), None, _lines(file))
    else:
        expected = given or ("," if form == "csv" else "\t")
        first = file.readline()
        separator = given or _separator(first, text, expected)
        # Closed at once where reading stops: it holds a switch of the csv module.
        with contextlib.closing(_rows(name, chain([first] if first else [], file), separator)) as rows:
            header = tuple(next(rows, (1, []))[1])
            guessed = None if separator == expected else separator
            yield Records(name, form, header if first else None, guessed, _of_table(name, rows, header))


def _lines(file: TextIO) -> Iterator[Record]:
    for number, line in enumerate(file, 1):
        yield Record(f"line {number}", {"text": line.rstrip("\r\n")})


def _objects(name: str, file: TextIO) -> Iterator[Record]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            wanted = 'every line must be one whole object such as {"text": "..."}'
            raise ValueError(f"{name}, {place}: not JSON ({error}); {wanted}.") from error
        if not isinstance(value, dict):
            raise ValueError(f"{name}, {place}: not a JSON object; found {shown(value)}.")
        yield Record(place, value)


def _rows(name: str, file: Iterator[str], separator: str) -> Generator[tuple[int, list[str]]]:
    """The rows of a table that are not blank, each with the line where it begins."""
    before = 0
    # The csv module refuses fields above 128 kB by default, and only has a global switch.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        # strict: a quote that is never closed would otherwise swallow the rest of the file.
        rows = csv.reader(file, delimiter=separator, strict=True)
        for row in rows:
            if row or not before:
                yield before + 1, row
            before = rows.line_num
    except csv.Error as error:
        rule = 'a field with quotes in it must be quoted, and its own quotes doubled ("")'
        raise ValueError(f"{name}, line {before + 1}: {error}; {rule}.") from error
    finally:
        csv.field_size_limit(limit)


def _of_table(name: str, rows: Iterable[tuple[int, list[str]]], header: tuple[str, ...]) -> Iterator[Record]:
    for line, row in rows:
        if len(row) != len(header):
            found = f"{counted(len(row), 'field')} where the header has {len(header)}"
            raise ValueError(f"{name}, line {line}: {found}; quote fields with a separator or a line break.")
        yield Record(f"line {line}", dict(zip(header, row, strict=True)))


def _separator(header: str, text: str | None, expected: str) -> str:
    """What parts the text from other columns in the first line of a table; else what parts most."""
    found = {each: next(csv.reader([header], delimiter=each), []) for each in (expected, *_SEPARATORS)}
    return max(found, key=lambda each: (text in found[each], len(found[each])))


def _folder(folder: Path, codec: str) -> Iterator[Record]:
    """Each .txt file is a document; the sub-folder it lies in, at the first level, is its label."""
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
        file = Path(folder, name)
        with _errors_are_of(str(file), file, codec, False):
            content = file.read_text(encoding=codec)
        yield Record(name, {"file": name, "text": content, "label": above[0] if above else None})


def _parquet(path: Path, packed: bool) -> Records:
    """A table of columns; it needs pyarrow."""
    if packed:
        raise ValueError(f"{path} is compressed as a whole, but Parquet compresses inside: unpack it first.")
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise ImportError(f"reading {path} needs pyarrow: pip install pyarrow, or save it as CSV.") from None
    try:
        table = parquet.ParquetFile(path)
    except ArrowException as error:
        raise ValueError(f"{path} is no Parquet file ({error}).") from error

    def rows() -> Iterator[Record]:
        number = 0
        for batch in table.iter_batches(1 << 12):
            for fields in batch.to_pylist():
                number += 1
                yield Record(f"row {number}", fields)

    return Records(str(path), "parquet", tuple(table.schema_arrow.names), None, rows())


def shown(value: Any) -> str:
    """A value as an error shows it: its JSON, cut short."""
    written = json.dumps(value, ensure_ascii=False, default=str)
    return written if len(written) <= 60 else written[:57] + "..."


def listed(names: Iterable[str]) -> str:
    """Names as an error lists them."""
    found = [repr(name) for name in names]
    return ", ".join(found[:10]) + (", ..." if len(found) > 10 else "") or "none"
