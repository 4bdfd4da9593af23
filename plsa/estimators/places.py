"""Where in a text the words stand that a vectorizer counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plsa.estimators.text import WordAndPieceCounter, WordCounter, pieces_of, spans_of

_BLANKS = re.compile(r"\s\s+")  # are one blank to n-grams of characters

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """A word where it stands in a text, and what a vectorizer counts for it: itself, and pieces of it."""

    start: int
    end: int
    word: str
    counted: tuple[str, ...]


def places_of(vectorizer: Any, text: str) -> list[Place] | None:
    """All that a vectorizer counts in a text, where it stands; None where that cannot be found.

    What is found is what the vectorizer's own analyzer makes of the text, no more and no less.
    """
    made = list(vectorizer.build_analyzer()(text))
    if not all(isinstance(each, str) for each in made):
        return None
    found = _searched(made, text) if callable(vectorizer.analyzer) else _found(vectorizer, text)
    if found is None or Counter(each for place in found for each in place.counted) != Counter(made):
        return None
    return found


def _searched(words: Sequence[str], text: str) -> list[Place] | None:
    """Words that follow one another in a text, as they are or but for capitals; None: one is not found."""
    for change in (str, str.lower):
        aligned = _preprocessed(change, text)
        if aligned is not None:
            spans = _following([change(word) for word in words], aligned[0])
            if spans is not None:
                found = zip(spans, words, strict=True)
                return [_place(aligned[1], span, word, (word,)) for span, word in found]
    return None


def _following(words: Sequence[str], text: str) -> list[Span] | None:
    spans, end = [], 0
    for word in words:
        start = text.find(word, end)
        if start < 0:
            return None
        end = start + len(word)
        spans.append((start, end))
    return spans


def _place(origin: Sequence[int], span: Span, word: str, counted: tuple[str, ...]) -> Place:
    """That of a part of a preprocessed text; of half a sign the whole."""
    start, end = span
    return Place(origin[start], max(origin[end], origin[max(end - 1, 0)] + (end > start)), word, counted)


def _found(vectorizer: Any, text: str) -> list[Place] | None:
    """What one of scikit-learn's vectorizers, or of ours, counts as its parameters have it."""
    aligned = _preprocessed(vectorizer.build_preprocessor(), text)
    if aligned is None:
        return None
    processed, origin = aligned
    if vectorizer.analyzer == "word":
        spans = _token_spans(vectorizer, processed)
        named = None if spans is None else _of_words(vectorizer, processed, spans)
    else:
        cut = _of_characters if vectorizer.analyzer == "char" else _inside_words
        named = cut(processed, *vectorizer.ngram_range)
    if named is None:
        return None
    return [_place(origin, span, word, counted) for span, word, counted in named]


def _preprocessed(preprocess: Any, text: str) -> tuple[str, list[int]] | None:
    """A text as it is before it is cut into words, and where in the text each sign of that comes from.

    The last entry is the end of the text. None where it is not made sign by sign.
    """
    whole = preprocess(text)
    try:
        sizes = [len(preprocess(sign)) for sign in text]
    except Exception:  # somebody's own function, which may want more than a sign
        sizes = [1] * len(text) if whole.lower() == text.lower() else []
    if sum(sizes) != len(whole):
        return None
    return whole, [at for at, size in enumerate(sizes) for _ in range(size)] + [len(text)]


def _token_spans(vectorizer: Any, text: str) -> list[Span] | None:
    """Where the tokens of a preprocessed text stand."""
    if isinstance(vectorizer, WordCounter) and vectorizer.reads_every_script:
        return spans_of(text)
    if vectorizer.tokenizer is None:
        pattern = re.compile(vectorizer.token_pattern)
        return [found.span(pattern.groups) for found in pattern.finditer(text)]
    return _following(list(vectorizer.tokenizer(text)), text)


Named = Iterator[tuple[Span, str, tuple[str, ...]]]


def _of_words(vectorizer: Any, text: str, spans: list[Span]) -> Named:
    """Words that are no stop words, several in a row where the vectorizer counts these, and pieces."""
    stopped = vectorizer.get_stop_words() or ()
    spans = [(start, end) for start, end in spans if text[start:end] not in stopped]
    least, most = vectorizer.ngram_range
    pieces = isinstance(vectorizer, WordAndPieceCounter) and vectorizer.short_
    for number in range(1, most + 1):
        for first in range(len(spans) - number + 1):
            run = spans[first : first + number]
            word = " ".join(text[start:end] for start, end in run)
            counted = (word,) if number >= least else ()
            if pieces and number == 1:
                counted = (*counted, *pieces_of(word))
            if counted:
                # Words of a script without blanks overlap, and do not come in their order.
                yield (min(start for start, _ in run), max(end for _, end in run)), word, counted


def _of_characters(text: str, least: int, most: int) -> Named:
    """So many characters side by side."""
    blanks = {found.start(): found.end() for found in _BLANKS.finditer(text)}
    signs, at = [], 0
    while at < len(text):
        end = blanks.get(at, at + 1)
        signs.append((at, end))
        at = end
    one = "".join(" " if end - start > 1 else text[start] for start, end in signs)
    for number in range(least, most + 1):
        for first in range(len(signs) - number + 1):
            part = one[first : first + number]
            yield (signs[first][0], signs[first + number - 1][1]), part, (part,)


def _inside_words(text: str, least: int, most: int) -> Named:
    """So many characters of a word with a blank before and after it."""
    for found in re.finditer(r"\S+", text):
        padded, begin = f" {found.group()} ", found.start() - 1
        for number in range(least, most + 1):
            for first in range(max(1, len(padded) - number + 1)):
                start = max(begin + first, found.start())
                part = padded[first : first + number]
                yield (start, min(begin + first + number, found.end())), part, (part,)
            if number >= len(padded):
                break
