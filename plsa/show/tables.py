"""Tables of figures as lines of text."""

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
