"""A user's documents for a command: which column is what, said where it is guessed; all at once or some."""

import argparse
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from plsa.app.page import say
from plsa.datasets.files import plain_label
from plsa.datasets.records import Record, Records, check_codec, listed, opened_records, shown
from plsa.inputs import counted

_TEXTS = ("text", "texts", "body", "content", "document", "message", "abstract", "review", "comment", "title")
_LABELS = ("label", "labels", "class", "category", "target")
_IDS = ("id", "ids", "key", "name", "file")
FILES = "texts: CSV, TSV, JSONL, Parquet, TXT, a folder, or - for a pipe"
_LOOKED_AT = 100  # records from which columns are guessed
_MUCH_LONGER = 3  # times as long as any other column: that is the text
_BATCH = 1000  # documents that are worked on at a time


@dataclass(frozen=True, slots=True)
class Columns:
    """What the fields of documents are."""

    text: str
    label: str | None
    id: str | None
    every: tuple[str, ...]  # the names of all, as far as they are known at the beginning
    source: str  # what errors call it


@dataclass(slots=True)
class Documents:
    """Documents as they stand in a file."""

    texts: list[str] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    fields: list[dict[str, Any]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)


def add_file(parser: argparse.ArgumentParser, what: str = FILES) -> None:
    """The file that is read."""
    parser.add_argument("file", metavar="FILE", help=what)


def add_input_options(parser: argparse.ArgumentParser, *, label: bool = True) -> None:
    """Options that say what is read, and how."""
    group = parser.add_argument_group("what is read")
    group.add_argument("--text", metavar="COLUMN", help="the column that holds the text")
    if label:
        group.add_argument("--label", metavar="COLUMN", help="the column that holds the label; empty: none")
        unlabeled = "a label that means that there is none, such as 'unknown'"
        group.add_argument("--unlabeled", metavar="VALUE", help=unlabeled)
    group.add_argument("--id", metavar="COLUMN", help="the column that names a document")
    group.add_argument(
        "--separator", metavar="CHARACTER", help="what parts the columns of a table; \\t: tabs"
    )
    forms = ("csv", "tsv", "jsonl", "txt")
    group.add_argument("--input", choices=forms, help="what FILE holds, where its name does not tell")
    group.add_argument("--encoding", default="utf-8", help="of the file (default utf-8)")


@contextmanager
def opened(args: argparse.Namespace, *, label: bool = True) -> Generator[tuple[Columns, Iterator[Record]]]:
    """The documents of a file, and what their columns are; what is guessed is said."""
    codec = check_codec(args.encoding)
    separator = args.separator and args.separator.replace("\\t", "\t")
    if separator is not None and len(separator) != 1:
        raise ValueError(f"--separator {args.separator!r} must be one character, such as ';' or '\\t'.")
    known = (*_TEXTS, *_LABELS, *_IDS)
    with opened_records(
        args.file, codec, text=args.text, separator=separator, form=args.input, header=known
    ) as records:
        first = list(islice(records.rows, _LOOKED_AT))
        if not first:
            raise ValueError(f"{records.name} holds no document.")
        yield _columns(records, first, args, label), chain(first, records.rows)


def read(args: argparse.Namespace) -> tuple[Documents, Columns]:
    """All documents of a file."""
    documents = Documents()
    with opened(args) as (columns, rows):
        for batch in _batches(args, columns, rows):
            for name in Documents.__slots__:
                getattr(documents, name).extend(getattr(batch, name))
    return documents, columns


def batches(args: argparse.Namespace) -> Generator[tuple[Columns, Documents]]:
    """The documents of a file, some at a time; labels are not read."""
    with opened(args, label=False) as (columns, rows):
        for batch in _batches(args, columns, rows):
            yield columns, batch


def _batches(args: argparse.Namespace, columns: Columns, rows: Iterator[Record]) -> Iterator[Documents]:
    number = 0
    while some := list(islice(rows, _BATCH)):
        batch = Documents()
        for place, fields in some:
            number += 1
            where = f"{columns.source}, {place}"
            if columns.text not in fields:
                found = f"no field {columns.text!r}; found {listed(fields)}"
                raise ValueError(f"{where}: {found}. Name the one that holds the text with --text.")
            text = fields[columns.text]
            if not isinstance(text, str):
                raise ValueError(f"{where}: {columns.text!r} must be a string; found {shown(text)}.")
            batch.texts.append(text)
            label = None
            if columns.label is not None:
                marks = getattr(args, "unlabeled", None)
                label = plain_label(fields.get(columns.label), marks, f"{where}: {columns.label!r}")
            batch.labels.append(label)
            batch.ids.append(_named(fields, columns, number, place, where))
            batch.fields.append(fields)
        yield batch


def _named(fields: dict[str, Any], columns: Columns, number: int, place: str, where: str) -> str:
    """The name of a document: its id; its place where there are no ids, or where it has none."""
    if columns.id is None:
        return str(number)
    name = fields.get(columns.id)
    if name in (None, ""):
        return place
    if not isinstance(name, str | int | float):
        raise ValueError(f"{where}: {columns.id!r} must name the document; found {shown(name)}.")
    return str(name)


# --- which column is what ------------------------------------------------------------------------


def _columns(records: Records, first: list[Record], args: argparse.Namespace, label: bool) -> Columns:
    """The columns that are named, or about which there is no doubt."""
    has = list(records.columns or dict.fromkeys(name for _, fields in first for name in fields))
    for option in ("text", "label", "id"):
        name = getattr(args, option, None)
        if name is not None and has.count(name) != 1:
            found = f"{has.count(name)} columns are" if name in has else "no column is"
            by = f" (separated by {records.separator!r})" if records.separator else ""
            raise ValueError(f"{records.name}: {found} called {name!r}; there are {listed(has)}{by}.")
    free = [name for name in has if name not in (args.text, getattr(args, "label", None), args.id)]
    found_label = getattr(args, "label", None)
    if label and found_label is None:
        found_label = _only(free, _LABELS[:1]) or _only(free, _LABELS)
    free = [name for name in free if name != found_label]
    found_id = args.id or _only(free, _IDS[:1]) or _only(free, _IDS)
    free = [name for name in free if name != found_id]
    text = args.text or _only(free, _TEXTS[:1]) or _only(free, _TEXTS) or _longest(first, free)
    if text is None:
        raise ValueError(
            f"{records.name}: which column holds the text? There are {listed(has)}: name it with --text."
        )
    guessed = [
        f"{what} from {name!r}"
        for what, name, given in (
            ("text", text, args.text),
            ("labels", found_label, getattr(args, "label", None)),
            ("ids", found_id, args.id),
        )
        if name is not None and name != given and records.form not in ("txt", "folder")
    ]
    if label and found_label is None and (doubt := [n for n in has if n.strip().lower() in _LABELS]):
        say(args, f"no labels are read: it is in doubt which of {listed(doubt)} has them; see --label")
    if args.file == "-" and args.input is None:
        guessed.append(f"standard input as {records.form}")
    if records.separator is not None and args.separator is None:
        guessed.append(f"columns parted by {records.separator!r}")
    if guessed:
        say(args, f"read {', '.join(guessed)} (guessed)")
    return Columns(text, found_label, found_id, tuple(has), records.name)


def _only(names: list[str], known: tuple[str, ...]) -> str | None:
    """The one name that is a known one, however it is capitalized."""
    found = [name for name in names if name.strip().lower() in known]
    return found[0] if len(found) == 1 else None


def _longest(first: list[Record], names: list[str]) -> str | None:
    """The column with by far the longest texts."""
    lengths = {}
    for name in names:
        values = [fields.get(name) for _, fields in first]
        if all(isinstance(value, str) for value in values):
            lengths[name] = sum(map(len, values))  # type: ignore[arg-type]
    best = max(lengths, key=lengths.__getitem__, default=None)
    others = [length for name, length in lengths.items() if name != best]
    return best if best is not None and lengths[best] >= _MUCH_LONGER * max(others, default=0) else None


def tell_what_was_read(args: argparse.Namespace, documents: Documents) -> None:
    """Documents, labels of each class, duplicates and empty texts."""
    empty = sum(not text.strip() for text in documents.texts)
    twice = len(documents) - len(set(documents.texts))
    known = [label for label in documents.labels if label is not None]
    parts = [counted(len(documents), "document")]
    if known:
        parts.append(f"{len(known)} with a label")
    if empty:
        parts.append(f"{empty} empty")
    if twice:
        parts.append(f"{twice} the same as another")
    say(args, ", ".join(parts))
    if known:
        often = Counter(known)
        say(args, "labels: " + ", ".join(f"{name} {often[name]}" for name in sorted(often)))


def is_model(path: str) -> bool:
    """Whether a file is one that `plsa.save` has made, as far as its first bytes tell."""
    if path == "-" or not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        first = file.read(9)
    # The length of a header, and the brace that it begins with: no text of that size begins so.
    return first[8:] == b"{" and int.from_bytes(first[:8], "little") < Path(path).stat().st_size
