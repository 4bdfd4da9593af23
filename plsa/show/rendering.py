"""How explanations and documents look: lines of a terminal, and HTML with inline styles.

Nothing that stands in a text, a word or a label is a command to a terminal, or HTML.
"""

import html
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from plsa.inputs import counted
from plsa.learning.parts import DECISION, LOG_CHANCE
from plsa.show.tables import cut, padded, width_of

WIDTH = 80
_NAME, _BAR, _LONE_BAR = 24, 12, 22  # columns that a word has at most, a bar at least, and at most
_OTHERS = 3  # classes beside the first one that are printed
_FOR, _AGAINST = "0, 114, 178", "213, 94, 0"  # blue and vermilion (Okabe and Ito): told apart by all eyes
_STRONGEST = 0.5  # opacity of the word that says most: letters on it are legible, black or white
_FAINT = 0.02  # less than this of the largest share is not shaded


_TIED = "\u00a0"  # a blank where no line is broken


class Row(NamedTuple):
    """A line of the table: what it is about, and what it adds to each score."""

    name: str
    shares: Sequence[float]
    is_word: bool


# --- what is said, in either way -----------------------------------------------------------------


def _headline(found: Any) -> str:
    """The first classes, and how probable they are."""
    shown, first = [(each.label, each.probability) for each in found.classes], found.classes[0]
    if first.against is not None:
        shown.append((first.against, first.against_probability))
    if first.probability is None:
        rival = "" if first.against is None else f", and not {first.against}"
        return f"{first.label}{rival}"
    named = [f"{label}{_TIED}{probability:.1%}" for label, probability in shown]
    left = max(0.0, 1 - sum(probability for _, probability in shown))
    if found.n_classes > len(shown):
        others = counted(found.n_classes - len(shown), "other").replace(" ", _TIED)
        named.append(f"{others}{_TIED}{left:.1%}")
    return ", ".join(named)


def _question(found: Any) -> str:
    """What the shares of words add up to."""
    first, several = found.classes[0], "topics" if found.of == "P(topic)" else "classes"
    if first.against is None:
        what = "the decision value" if found.of == DECISION else found.of
        what += f", beside the mean of all {found.n_classes} {several}"
    elif found.of == LOG_CHANCE:
        what = f"log P({first.label})/P({first.against})"
    elif found.of.startswith("P("):
        what = f"P({first.label}) - P({first.against})"
    else:
        what = f"how far {first.label} is ahead of {first.against}"
    return f"Decided by {found.by}; words add to {what}:"


def _rows(found: Any) -> list[Row]:
    """Words that are shown, those in favor first; what is left of them; constants; and the sum."""
    shown, rest = found.words[: found.n_words], found.words[found.n_words :]
    ordered = sorted(shown, key=lambda each: each.shares[0] < 0)
    rows = [Row(_times(each), each.shares, True) for each in ordered]
    places = range(len(found.classes))
    if rest:
        total = [math.fsum(each.shares[place] for each in rest) for place in places]
        rows.append(Row(counted(len(rest), "other word"), total, False))
    for name in found.classes[0].constants:
        rows.append(Row(name, [each.constants[name] for each in found.classes], False))
    if rows:
        rows.append(Row("sum", [each.score for each in found.classes], False))
    return rows


def _topic_name(each: Any) -> str:
    return f"topic {each.topic}" if each.label is None else f"{each.topic}: {each.label}"


def _times(each: Any) -> str:
    name = _named(each.word)
    return name if each.count == 1 else f"{name} x{each.count:g}"


def _named(word: str) -> str:
    """A word, or several, or a part of one; blanks at its ends are seen."""
    inside = readable(word)
    lead, trail = (len(word) - len(part) for part in (word.lstrip(" "), word.rstrip(" ")))
    return "\u2423" * lead + inside + "\u2423" * (trail if inside else 0) or repr(word)


def _writer(rows: Sequence[Row]) -> Callable[[float], str]:
    """How numbers are written: three digits of the largest share of a word for or against the first class."""
    largest = _largest(rows) or max((abs(share) for row in rows for share in row.shares), default=0.0)
    if not 1e-4 <= largest < 1e7:
        return lambda share: f"{share:+.2e}" if share else "0"
    digits = min(6, max(0, 2 - math.floor(math.log10(largest))))
    return lambda share: f"{share:+.{digits}f}" if round(share, digits) else f"{0:.{digits}f}"


# --- a terminal ----------------------------------------------------------------------------------


def readable(text: Any) -> str:
    """A text in one line, without what a terminal would take for a command."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in str(text)).split())


def wrapped(text: str, head: str = "") -> list[str]:
    """The lines of a text after a head, below which all stand. Tied words stay in one line."""
    lines, begins = [head], True
    for word in map(readable, text.split(" ")):
        longer = lines[-1] + ("" if begins else " ") + word
        if width_of(longer) > WIDTH and not begins:
            lines.append("")
            longer = " " * width_of(head) + word
        lines[-1], begins = cut(longer, WIDTH), False
    return lines


def explanation_lines(found: Any) -> str:
    """An explanation in lines of 80 columns."""
    parts = [wrapped(_headline(found)), _table(found)]
    if found.topics:
        lines = ["topics of the document"]
        for each in found.topics:
            head = f"{each.share:7.1%}  {padded(readable(_topic_name(each)), 20)}  "
            lines += wrapped(" ".join(each.words), head)
        parts.append(lines)
    if found.similar:
        lines = ["labeled documents most like it, by cosine"]
        for one in found.similar:
            head = f"{one.similarity:7.2f}  {padded(readable(one.label), 20)}  row {one.row}"
            lines.append(cut(head + ("" if one.text is None else f": {readable(one.text)}"), WIDTH))
        parts.append(lines)
    parts += [wrapped(note) for note in found.notes]
    return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in parts if lines)


def _table(found: Any) -> list[str]:
    """Words by classes; bars for the first of them."""
    rows = _rows(found)
    if not rows:
        return []
    written, largest = _writer(rows), _largest(rows)
    names = min(_NAME, max(width_of(row.name) for row in rows))
    figures = [[written(share) for share in row.shares] for row in rows]
    number = max(len(line[0]) for line in figures)
    heads = [readable(each.label) for each in found.classes]
    free = WIDTH - names - number - 3  # for bars and the other classes
    least = 2 + max((len(figure) for line in figures for figure in line[1:]), default=0)
    n_others = min(_OTHERS, len(heads) - 1, (free - _BAR) // least)
    bar = _LONE_BAR
    if n_others:
        bar = min(bar, max(_BAR, width_of(heads[0]) - number - 1), free - n_others * least)
    room = (free - bar) // max(1, n_others) - 2
    widths = [min(room, max(least - 2, width_of(each))) for each in heads[1 : 1 + n_others]]
    head = [" " * names, padded(heads[0], number + 1 + bar)]
    head += [_right(heads[place], width) for place, width in enumerate(widths, start=1)]
    lines = [*wrapped(_question(found)), *(["  ".join(head)] if n_others else [])]
    for row, line in zip(rows, figures, strict=True):
        length = round(bar * abs(row.shares[0]) / largest) if row.is_word and largest else 0
        sign = "+" if row.shares[0] > 0 else "-"
        cells = [padded(row.name, names), f"{line[0]:>{number}} {sign * length:{bar}}"]
        cells += [f"{line[place]:>{width}}" for place, width in enumerate(widths, start=1)]
        lines.append("  ".join(cells))
    return lines


def _largest(rows: Sequence[Row]) -> float:
    """The largest share of a word for or against the first class."""
    return max((abs(row.shares[0]) for row in rows if row.is_word), default=0.0)


def _right(text: str, width: int) -> str:
    text = cut(text, width)
    return " " * (width - width_of(text)) + text


# --- a notebook ----------------------------------------------------------------------------------


def explanation_html(found: Any) -> str:
    """An explanation as HTML: words are shaded where they stand."""
    parts = [f"<div><b>{escaped(_headline(found))}</b></div>"]
    if found.text is not None and found.places:
        box = "white-space: pre-wrap; overflow: auto; max-height: 24em; line-height: 1.8; margin: 8px 0"
        parts.append(f"<div style='{box}'>{_shaded(found.text, found.places)}</div>")
    parts.append(_html_table(found))
    if found.topics:
        topics = [(f"{each.share:.1%}", _topic_name(each), " ".join(each.words)) for each in found.topics]
        parts.append(html_table(["share", "topic", "words that say most about it"], topics))
    if found.similar:
        like = [(f"{each.similarity:.2f}", each.label, each.row, each.text or "") for each in found.similar]
        parts.append(html_table(["cosine", "label", "row", "labeled documents most like it"], like))
    parts += [f"<div><i>{escaped(note)}</i></div>" for note in found.notes]
    return f"<div style='max-width: 60em'>{''.join(parts)}</div>"


def escaped(text: Any) -> str:
    """A text as HTML."""
    return html.escape(str(text))


def html_table(head: Sequence[Any], rows: Iterable[Iterable[Any]]) -> str:
    """A table of texts, with headings or without."""
    headings = [_cells(map(escaped, head), "th")] if head else []
    return _html_lines([*headings, *(_cells(map(escaped, row)) for row in rows)])


def _html_lines(lines: Iterable[str]) -> str:
    inside = "".join(f"<tr style='background: none'>{line}</tr>" for line in lines)
    return f"<table style='border-collapse: collapse; margin: 8px 0; text-align: left'>{inside}</table>"


def _cells(cells: Iterable[str], kind: str = "td", side: str = "left") -> str:
    style = f"padding: 1px 10px 1px 0; text-align: {side}; vertical-align: baseline; border: none"
    return "".join(f"<{kind} style='{style}'>{cell}</{kind}>" for cell in cells)


def _html_table(found: Any) -> str:
    """The table of words by classes."""
    rows = _rows(found)
    if not rows:
        return ""
    written, largest = _writer(rows), _largest(rows)
    heads = [escaped(each.label) for each in found.classes]
    lines = [_cells(["", heads[0], ""], "th") + _cells(heads[1:], "th", "right")]
    for row in rows:
        name, first = escaped(row.name), escaped(written(row.shares[0]))
        name = name if row.is_word else f"<i>{name}</i>"
        drawn = _html_bar(row.shares[0] / largest) if row.is_word and largest else ""
        rest = _cells((written(share) for share in row.shares[1:]), side="right")
        lines.append(_cells([name]) + _cells([first], side="right") + _cells([drawn]) + rest)
    return f"<div>{escaped(_question(found))}</div>{_html_lines(lines)}"


def _html_bar(share: float) -> str:
    """A bar of up to 120 pixels; those against have a border of dashes too."""
    color, kind = (_FOR, "solid") if share > 0 else (_AGAINST, "dashed")
    width = round(120 * abs(share))
    style = f"width: {width}px; height: 0.9em; background: rgba({color}, {_STRONGEST})"
    return f"<div style='{style}; border-right: 2px {kind} rgb({color})'></div>" if width else ""


def _shaded(text: str, places: Sequence[Any]) -> str:
    """A text whose words have the color of the side that they speak for, the stronger the more they say.

    Where words overlap, as several in a row or neighbors side by side do, each sign has its part of all.
    """
    strength = [0.0] * len(text)
    for place in places:
        for at in range(place.start, place.end):
            strength[at] += place.share / (place.end - place.start)
    whole = [0.0] * len(text)  # what words say in all, for those that do not overlap
    for start, end in _runs(strength):
        for at in range(start, end):
            whole[at] = math.fsum(strength[start:end])
    largest = max(map(abs, whole), default=0.0)
    parts = []
    for start, end in _runs(whole):
        share = whole[start] / largest if largest else 0.0
        part = escaped(text[start:end])
        if abs(share) >= _FAINT:
            color, kind = (_FOR, "solid") if share > 0 else (_AGAINST, "dashed")
            strong = abs(share)
            style = f"background: rgba({color}, {_STRONGEST * strong:.2f})"
            line = f"border-bottom: 2px {kind} rgba({color}, {min(1.0, 2 * strong):.2f})"
            part = f"<span style='{style}; {line}'>{part}</span>"
        parts.append(part)
    return "".join(parts)


def _runs(values: Sequence[float]) -> list[tuple[int, int]]:
    """Where one value stands, from where to where."""
    bounds = [at for at in range(1, len(values)) if values[at] != values[at - 1]]
    return list(zip([0, *bounds], [*bounds, len(values)], strict=True)) if values else []
