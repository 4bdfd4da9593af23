"""What a command gives out: rows for a person, a spreadsheet or a program, written whole or not at all."""

import argparse
import csv
import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Any, TextIO

from plsa.show.tables import padded, width_of

FORMATS = ("table", "csv", "jsonl")
_NARROWEST = 8  # columns of characters that a column has at least


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Options that say where results go."""
    group = parser.add_argument_group("what is written")
    group.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: standard output)")
    shape = "table, csv or jsonl (default: by the name of the output; a table on a terminal, else csv)"
    group.add_argument("--format", choices=FORMATS, help=shape)
    group.add_argument("--force", action="store_true", help="write over a file that is there")


def check_output(path: str | None, force: bool) -> None:
    """Raises where a file would be lost, or could not be written; before the work, not after it."""
    if path is None:
        return
    if Path(path).is_dir():
        raise ValueError(f"{path} is a folder, but must be the name of the file to write.")
    if Path(path).is_file() and not force:
        raise ValueError(f"{path} is there already: --force writes over it, or name another file.")
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {str(folder)!r}.")


@contextmanager
def written_whole(path: str | None) -> Generator[TextIO]:
    """A file that takes its place when all of it is there; None: standard output."""
    if path is None:
        if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")  # whatever the texts are in
        yield sys.stdout
        return
    if Path(path).exists() and not Path(path).is_file():  # a pipe with a name, or a device
        with open(path, "w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    target = Path(path).resolve()
    # Beside it, so that it can take its place at one stroke.
    handle, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        # newline="": csv writes its own ends of lines.
        with open(handle, "w", encoding="utf-8", newline="") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # as a file has that is made without detours
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def format_of(args: argparse.Namespace) -> str:
    """How rows are written."""
    if args.format is not None:
        return str(args.format)
    if args.output is not None:
        return form_of(args.output)
    return "table" if sys.stdout.isatty() else "csv"


def form_of(path: str) -> str:
    """How rows are written to a file of this name."""
    ending = Path(path).suffix.lower()
    return "jsonl" if ending in (".jsonl", ".ndjson", ".json") else "tsv" if ending == ".tsv" else "csv"


class Share(float):
    """A number of ours, of which six digits are enough. Those of the user stay as they are."""


class Rows:
    """Writes rows of one shape, as they come."""

    def __init__(self, stream: TextIO, form: str, columns: Sequence[str]) -> None:
        self.stream, self.form, self.columns = stream, form, list(columns)
        self._csv = csv.writer(stream, delimiter="\t" if form == "tsv" else ",", lineterminator="\n")
        self._widths: list[int] | None = None
        if form in ("csv", "tsv"):
            self._csv.writerow(self.columns)

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Some more rows; the columns of a table are as wide as the first ones need."""
        rows = list(rows)
        if self.form in ("csv", "tsv"):
            self._csv.writerows([_plain(value) for value in row] for row in rows)
        elif self.form == "jsonl":
            for row in rows:
                named = dict(zip(self.columns, row, strict=True))
                self.stream.write(json.dumps(named, ensure_ascii=False, default=str))
                self.stream.write("\n")
        elif rows:
            self._table([[_shown(value) for value in row] for row in rows])

    def _table(self, rows: list[list[str]]) -> None:
        if self._widths is None:
            each = zip(self.columns, *rows, strict=True)
            self._widths = fitted([max(map(width_of, column)) for column in each], terminal_width())
            rows = [self.columns, *rows]
        for row in rows:
            cells = [padded(cell, width) for cell, width in zip(row, self._widths, strict=True)]
            self.stream.write("  ".join(cells).rstrip() + "\n")


def terminal_width() -> int:
    """Columns of characters of the terminal."""
    return shutil.get_terminal_size().columns


def fitted(widths: list[int], room: int) -> list[int]:
    """Widths that fit, the widest giving way first."""
    room -= 2 * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widest = widths.index(max(widths))
        others = sum(widths) - widths[widest]
        next_one = max((w for w in widths if w < widths[widest]), default=0)
        widths = [*widths]
        widths[widest] = max(_NARROWEST, min(widths[widest] - 1, max(next_one, room - others)))
    return widths


def shortened(text: str, longest: int = 60) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _plain(value: Any) -> Any:
    """A value as a table holds it; what is no plain value is JSON."""
    if isinstance(value, Share):
        return f"{value:.6g}"
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else value


def _shown(value: Any) -> str:
    """A value in one line, with nothing that would move the cursor."""
    return in_one_line(f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value))


def in_one_line(text: str) -> str:
    """The text, with blanks for what would move the cursor."""
    return "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
