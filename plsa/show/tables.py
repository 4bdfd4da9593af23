"""Lines of text for a terminal: tables of figures, texts that fit."""

import unicodedata
from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], *, names_left: bool = True) -> list[str]:
    """The lines of a table, figures to the right; a row of two cells where others have more is a remark.

    A remark takes the room of all figures: it does not widen their columns.
    """
    longest = max(map(len, rows))
    figures = [row[1:] for row in rows if len(row) == longest]
    widths = [max(len(row[0]) for row in rows)]
    widths += [max(map(len, column)) for column in zip(*figures, strict=True)]
    justify = str.ljust if names_left else str.rjust
    lines = []
    for first, *others in rows:
        cells = others if len(others) < longest - 1 else map(str.rjust, others, widths[1:])
        lines.append("  ".join([justify(first, widths[0]), *cells]).rstrip())
    return lines


def width_of(text: str) -> int:
    """How many columns a text takes in a terminal."""
    if text.isascii():
        return len(text)
    signs = ((unicodedata.combining(sign), unicodedata.east_asian_width(sign)) for sign in text)
    return sum(0 if combining else 2 if width in "WF" else 1 for combining, width in signs)


def cut(text: str, width: int) -> str:
    """As much of a text as so many columns hold."""
    if width_of(text) <= width:
        return text
    kept, used = 0, 0
    while kept < len(text) and used + width_of(text[kept]) < width:
        used += width_of(text[kept])
        kept += 1
    return f"{text[:kept].rstrip()}\u2026"


def padded(text: str, width: int) -> str:
    """A text in so many columns."""
    text = cut(text, width)
    return text + " " * (width - width_of(text))
