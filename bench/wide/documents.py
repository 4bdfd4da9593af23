"""Sixteen corpora of many kinds: their texts, classes, word counts and splits.

Every document has one label. Texts are as they come, but for e-mail addresses in 20 Newsgroups and the
markup of WebKB. Of equal texts the first is kept; none where they have different labels. A sample is drawn
once, from a fixed seed, and classes with too few documents are left out last. Words are what
`text_classifier` counts unless told otherwise; the vocabulary is that of all documents, less the words in no
training document of a split.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse

from bench.shared import corpora, splits
from plsa.estimators.text import WordCounter

RATIOS = (0.003, 0.01, 0.05, 0.2, 1.0)
SEEDS = (0, 1, 2)
# Part of the name of kept counts: to be raised when the preparation below changes.
_PREPARATION = 1
_SAMPLE_SEED = 0


def _only_label(document: dict[str, Any]) -> str | None:
    """The label; of several ones None, as of none."""
    labels = document.get("labels", [document.get("label")])
    return str(labels[0]) if len(labels) == 1 else None


def _one_of_seven(document: dict[str, Any]) -> str | None:
    label = _only_label(document)
    return label if label in corpora.REUTERS_CLASSES["reuters7"] else None


def _fine(document: dict[str, Any]) -> str:
    return document["fine"]


def _subject(post: str) -> str:
    """The subject of a news post."""
    found = re.search(r"^Subject:(.*)$", post, re.MULTILINE)
    return found[1].strip() if found else ""


@dataclass(frozen=True, slots=True)
class Source:
    """How a corpus is made of the documents in a folder."""

    title: str
    folder: str
    label: Callable[[dict[str, Any]], str | None] = _only_label  # None: the document is left out
    clean: Callable[[str], str] = str
    sample: int | None = None  # documents
    least: int = 1  # documents of a class


# From short texts to long ones.
CORPORA = {
    "20news-subjects": Source("20 Newsgroups, subjects", "20newsgroups", clean=_subject),
    "stackoverflow": Source("Stack Overflow titles", "stackoverflow-titles"),
    "banking77": Source("bank customers' questions", "banking77"),
    "davidson": Source("tweets, abusive or not", "davidson-tweets"),
    "germeval": Source("German tweets", "germeval2018"),
    "germeval-fine": Source("German tweets, finer", "germeval2018", label=_fine),
    "mr": Source("film reviews, sentences", "mr-sentences"),
    "thucnews": Source("Chinese news titles", "thucnews-titles"),
    "reuters7": Source("Reuters-7", "reuters21578", label=_one_of_seven),
    "reuters-all": Source("Reuters, all topics", "reuters21578", least=10),
    "crypto": Source("cryptography questions", "crypto-tags", least=15),
    "arxiv": Source("arXiv abstracts", "arxiv-100k", sample=20_000, least=10),
    "reddit": Source("Reddit posts", "reddit-posts"),
    "enron": Source("Enron spam", "enron-spam", sample=15_000),
    "20news": Source("20 Newsgroups", "20newsgroups", clean=corpora.without_addresses),
    "webkb": Source("WebKB", "webkb", clean=corpora.without_html),
}


@dataclass(frozen=True, slots=True)
class Documents:
    """A corpus: a row of `counts`, a text and a class for every document."""

    counts: scipy.sparse.csr_matrix  # whole numbers
    texts: list[str]
    y: np.ndarray  # places in `classes`
    classes: np.ndarray


@lru_cache(maxsize=2)
def read(corpus: str) -> Documents:
    """One of `CORPORA`, made once and then read from its file."""
    source = CORPORA[corpus]
    vectorizer = WordCounter(max_df=0.5)

    def make(stops: list[str]) -> dict[str, np.ndarray]:
        texts, labels = zip(*_selected(source), strict=True)
        counts = vectorizer.fit_transform(texts)
        counts.sort_indices()
        return {
            **corpora.arrays_of(counts),
            # As bytes: an array of strings has room for the longest one in every place.
            "texts": np.frombuffer(json.dumps(texts).encode(), np.uint8),
            "labels": np.array(labels),
        }

    facts = (_PREPARATION, repr(vectorizer), source.sample, source.least)
    arrays = corpora.kept(f"wide-{corpus}", source.folder, make, (corpus,), facts)
    classes, y = np.unique(arrays["labels"], return_inverse=True)
    return Documents(corpora.counts_of(arrays), json.loads(arrays["texts"].tobytes()), y, classes)


def _selected(source: Source) -> Iterator[tuple[str, str]]:
    """Text and label of the documents that belong to a corpus."""
    labels: dict[str, set[str]] = {}
    for document in corpora.documents(source.folder):
        label = source.label(document)
        if label is not None:
            labels.setdefault(source.clean(document["text"]), set()).add(label)
    pairs = [(text, *which) for text, which in labels.items() if len(which) == 1]
    if source.sample is not None:
        drawn = np.random.default_rng(_SAMPLE_SEED).choice(len(pairs), source.sample, replace=False)
        pairs = [pairs[place] for place in np.sort(drawn)]
    sizes = Counter(label for _, label in pairs)
    return ((text, label) for text, label in pairs if sizes[label] >= source.least)


@lru_cache(maxsize=2)
def split(corpus: str, seed: int) -> splits.Split:
    """Split `seed` of a corpus: four fifths of each class for training, and a labeled set a ratio."""
    whole = read(corpus)
    train, test, shuffled = splits.stratified(whole.y, seed)
    labeled = {ratio: splits.first_labels(shuffled, whole.y, ratio) for ratio in RATIOS}
    known = np.bincount(whole.counts[train].indices, minlength=whole.counts.shape[1]) > 0
    return splits.Split(whole.counts[:, known].tocsr(), whole.y, whole.classes, train, test, labeled)
