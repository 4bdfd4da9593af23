"""Where in a text the words stand that a vectorizer counts."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from plsa.estimators.places import places_of
from plsa.estimators.text import WordAndPieceCounter, WordCounter, spans_of


def short():
    """Counts pieces of words too."""
    counter = WordAndPieceCounter(stop_words=["tea"])
    counter.short_ = True
    return counter


VECTORIZERS = [
    CountVectorizer(),
    CountVectorizer(lowercase=False, ngram_range=(1, 3)),
    CountVectorizer(stop_words=["tea", "cup"], ngram_range=(2, 2)),
    CountVectorizer(strip_accents="unicode"),
    CountVectorizer(strip_accents="ascii", ngram_range=(1, 2)),
    CountVectorizer(token_pattern=r"(\w)\w*"),
    CountVectorizer(token_pattern=r"\S+"),
    CountVectorizer(tokenizer=str.split, token_pattern=None),
    CountVectorizer(analyzer="char", ngram_range=(1, 3)),
    CountVectorizer(analyzer="char_wb", ngram_range=(1, 5)),
    TfidfVectorizer(),
    WordCounter(),
    WordCounter(ngram_range=(1, 2)),
    short(),
]
PARTS = ["tea", "Cups", "TEA", "ball's", "new-york", "北京欢迎你", "カップ", "ชา", "İstanbul", "ΟΔΟΣ"]
PARTS += ["Ünïcode", "cafe\u0301", "ß", "한", "a"]
PARTS += [" ", "  ", "\n\n", "\t", ".", "<b>", "&amp;", "\x1b[0m", "\U0001f375", "12"]
texts = st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | st.lists(
    st.sampled_from(PARTS), max_size=8
).map(" ".join)


@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=lambda vectorizer: repr(vectorizer)[:60])
@given(text=texts)
@settings(max_examples=25)
def test_places_hold_what_is_counted(vectorizer, text):
    """All that the analyzer makes, no more; and each part of the text, read by itself, has its word."""
    places = places_of(vectorizer, text)
    assert places is not None
    counted = Counter(each for place in places for each in place.counted)
    assert counted == Counter(vectorizer.build_analyzer()(text))
    prepared = vectorizer.build_preprocessor()
    for place in places:
        assert 0 <= place.start <= place.end <= len(text)
        inside = " ".join(prepared(text[place.start : place.end]).split())
        word = " ".join(place.word.split())
        if vectorizer.analyzer == "word" and vectorizer.ngram_range[1] == 1:
            # Half of a sign stands for all of it; and a last letter may be another one than inside a word.
            assert word.casefold() in inside.casefold()
        elif "word" not in vectorizer.analyzer:
            assert len(inside) <= len(word) + 2


@given(text=texts)
def test_words_are_what_stands_in_their_spans(text):
    spans = spans_of(text)
    assert [text[start:end] for start, end in spans] == WordCounter().build_tokenizer()(text)


def test_several_words_and_pieces():
    """The places of some words, looked at one by one."""
    text = "A cup of  Tea, teams"
    two = places_of(CountVectorizer(ngram_range=(2, 2), stop_words=["of"]), text)
    assert [(text[at.start : at.end], at.word) for at in two] == [
        ("cup of  Tea", "cup tea"),
        ("Tea, teams", "tea teams"),
    ]
    found = {p.word: p for p in places_of(short(), text)}
    assert found["teams"].counted == ("teams", "tea-", "-team-", "-eams-", "-ams")
    assert text[found["teams"].start : found["teams"].end] == "teams"
    assert "tea" not in found
    signs = places_of(CountVectorizer(analyzer="char", ngram_range=(3, 3)), "a  b c")
    assert [("a  b c"[p.start : p.end], p.word) for p in signs] == [
        ("a  b", "a b"),
        ("  b ", " b "),
        ("b c", "b c"),
    ]
    inside = places_of(CountVectorizer(analyzer="char_wb", ngram_range=(3, 3)), "ab c")
    assert [(p.start, p.end, p.word) for p in inside] == [(0, 2, " ab"), (0, 2, "ab "), (3, 4, " c ")]
    twice = places_of(CountVectorizer(tokenizer=re.compile("ea|e").findall, token_pattern=None), "Tea e")
    assert [(p.start, p.end, p.word) for p in twice] == [(1, 3, "ea"), (4, 5, "e")]


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(analyzer=lambda text: text.split()[::-1]),
        CountVectorizer(analyzer=lambda text: [("tea", 1)]),
        CountVectorizer(tokenizer=lambda text: [word[::-1] for word in text.split()], token_pattern=None),
        CountVectorizer(preprocessor=lambda text: re.sub("<.*?>", "", text)),
        CountVectorizer(preprocessor=lambda text: np.array(text).item().lower() + " end"),
    ],
)
def test_what_cannot_be_found_is_not_guessed(vectorizer):
    assert places_of(vectorizer, "a <b>cup</b> of tea") is None


class Halving(CountVectorizer):
    """Counts every second word."""

    def build_analyzer(self):
        """What makes the words of a text."""
        usual = super().build_analyzer()
        return lambda text: usual(text)[::2]


def test_what_is_found_is_what_is_counted():
    """An analyzer of its own, which parameters say nothing of, is noticed."""
    assert places_of(Halving(), "a cup of tea") is None
    assert [place.word for place in places_of(Halving(), "cup")] == ["cup"]


def test_functions_of_the_users():
    """Words that a function finds in their order are found again, whatever their capitals."""
    text = "Tea, and a cup"
    found = places_of(CountVectorizer(analyzer=lambda each: re.findall(r"\w\w+", each.lower())), text)
    assert [text[p.start : p.end] for p in found] == ["Tea", "and", "cup"]
    found = places_of(CountVectorizer(preprocessor=str.upper, token_pattern=r"\w\w\w"), text)
    assert [(text[p.start : p.end], p.word) for p in found] == [
        ("Tea", "TEA"),
        ("and", "AND"),
        ("cup", "CUP"),
    ]
