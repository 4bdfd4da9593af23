"""Words, tables and files: what every benchmark tells its story with."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results"
_BEGAN = perf_counter()


def say(message: str) -> None:
    """One line of progress on standard error, with the seconds since the start."""
    print(f"[{perf_counter() - _BEGAN:7.1f} s] {message}", file=sys.stderr, flush=True)


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """The installed version of each distribution, or that it is missing."""
    found = {}
    for name in distributions:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, padded so that it also reads well unrendered; the first column is text."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(header))]

    def shown(cells: Sequence[str]) -> str:
        sides = [str.ljust] + [str.rjust] * (len(cells) - 1)
        return (
            "| "
            + " | ".join(side(cell, width) for side, cell, width in zip(sides, cells, widths, strict=True))
            + " |"
        )

    rule = "|".join(
        "-" * (width + 2) if column == 0 else "-" * (width + 1) + ":" for column, width in enumerate(widths)
    )
    return "\n".join([shown(lines[0]), f"|{rule}|", *map(shown, lines[1:])])


def number(value: float, digits: int = 3) -> str:
    """A number to `digits` significant digits, never in powers of ten."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:,.{max(0, digits - whole)}f}"


def best_and_worst(values: Iterable[float], scale: float = 1.0, digits: int = 3) -> str:
    """ "41.2 (47.9)": the smallest and, in brackets, the largest."""
    values = [value * scale for value in values]
    return f"{number(min(values), digits)} ({number(max(values), digits)})"


def verdict(met: bool | None) -> str:
    """The last column of a table of targets."""
    return {True: "met", False: "NOT met", None: "not measured"}[met]


# --- files ---------------------------------------------------------------------------------------


def write(path: Path, content: str | bytes) -> None:
    """All of it or nothing: a run that is stopped leaves no half file."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.replace(unfinished, path)


def packed(values: Iterable[Any]) -> bytes:
    """JSON, one value a line, compressed: the same values give the same bytes."""
    lines = (json.dumps(value, separators=(",", ":")) + "\n" for value in values)
    return gzip.compress("".join(lines).encode(), 9, mtime=0)


def unpacked(path: Path) -> list[Any]:
    """The values of a file that holds what `packed` gave."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
