"""The real corpora that the benchmarks read, and the counts that are made of them.

`newsgroups_counts` is the matrix that the speed figures stand on; `prepared` gives the corpora of the
papers' experiments, as the papers prepared theirs.

The corpora are not part of the project. They are looked for in the folder that the environment variable
``PLSA_DATA`` names, which ``--data`` sets, else in ``../shared/data`` seen from the project's root: one
folder per corpus, one JSON object per line in ``docs.jsonl.gz``. Where one is not there, `MissingCorpusError`
says what, where it was looked for, and how to point elsewhere. What is made of them is kept in
``$XDG_CACHE_HOME/plsa-bench`` (``~/.cache`` where that is unset) under a name that changes with the
corpus, the stop words and every setting.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer

ROOT = Path(__file__).resolve().parents[2]  # of the project
STOP_WORDS = Path("stopwords", "rouge155_smart_common_words_598.txt")
TOKEN_PATTERN = "[A-Za-z0-9]+"

# The corpora of the papers' experiments and the folders that they are made from.
PREPARED = {
    "20news": "20newsgroups",
    "webkb": "webkb",
    "reuters7": "reuters21578",
    "reuters10": "reuters21578",
    "enron": "enron-spam",
    "arxiv": "arxiv-100k",
}
REUTERS_CLASSES = {
    "reuters7": frozenset({"acq", "earn", "crude", "grain", "interest", "money-fx", "trade"}),
    # All that are the only topic of at least a hundred documents.
    "reuters10": frozenset(
        {"acq", "coffee", "crude", "earn", "interest", "money-fx", "money-supply", "ship", "sugar", "trade"}
    ),
}
# Part of the name of kept counts: to be raised when the preparation below changes.
_PREPARATION = 1


class MissingCorpusError(FileNotFoundError):
    """A corpus, or a file that belongs to it, is not where it was looked for."""


def _file(*parts: str | os.PathLike) -> Path:
    """The path of one file in the folder of the corpora, which exists: else `MissingCorpusError` names it."""
    folder = Path(os.environ.get("PLSA_DATA") or ROOT.parent / "shared" / "data")
    path = folder.joinpath(*parts)
    if not path.is_file():
        present = (
            sorted(child.name for child in folder.iterdir() if child.is_dir()) if folder.is_dir() else []
        )
        raise MissingCorpusError(
            f"no file {path}; the folders in {folder} are: {', '.join(present) or 'none'}. "
            "Set PLSA_DATA, or pass --data, the folder that holds the corpora"
        )
    return path


def documents(name: str) -> Iterable[dict[str, Any]]:
    """All documents of a corpus in the order of its file; duplicated texts stay in."""
    with gzip.open(_file(name, "docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def raw_texts(name: str) -> tuple[list[str], list[str]]:
    """The texts of a corpus and their labels; of Reuters those whose one topic is of the seven."""
    texts, labels = [], []
    for document in documents(name):
        topics = document.get("labels", [document.get("label")])
        if name == "reuters21578" and not (len(topics) == 1 and topics[0] in REUTERS_CLASSES["reuters7"]):
            continue
        texts.append(document["text"])
        labels.append(str(topics[0]))
    return texts, labels


def stop_words() -> list[str]:
    """The words of the ROUGE-SMART list that `TOKEN_PATTERN` can produce, sorted.

    The contractions of the list ("don't") are left out, because no token contains an apostrophe.
    """
    words = _file(STOP_WORDS).read_text(encoding="utf-8").lower().split()
    return sorted({word for word in words if word.isascii() and word.isalnum()})


def newsgroups_counts() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """The word counts of 20 Newsgroups (documents x words, CSR, float32) and the vocabulary.

    Whole posts in lower case, headers included; tokens ``[A-Za-z0-9]+``; without the stop words; words in at
    least two posts: 18,846 documents, 74,332 words, 1,895,683 nonzeros and 2,983,402 tokens; no document is
    empty. (All words would give 1,989,239 nonzeros, those in five posts 1,792,691.) Column indices are int32
    and sorted in every row; the vocabulary is in alphabetical order.
    """

    def make(stops: list[str]) -> dict[str, np.ndarray]:
        texts = [document["text"] for document in documents("20newsgroups")]
        return counted(texts, stops, 2, np.float32)

    arrays = kept("20newsgroups", "20newsgroups", make, after=(2, "float32"))
    return counts_of(arrays), arrays["vocabulary"].astype(str)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A corpus of the papers' experiments: word counts of every document, and its one label."""

    counts: scipy.sparse.csr_matrix  # documents x words, whole numbers
    vocabulary: np.ndarray
    ids: np.ndarray
    labels: np.ndarray  # strings


def prepared(name: str) -> Prepared:
    """One of `PREPARED`, every word counted that is no stop word, however rare.

    As the papers have it: e-mail addresses out of the news posts, HTTP headers and HTML out of WebKB,
    tokens ``[A-Za-z0-9]+`` in lower case, no stop words, no stemming. Reuters keeps the documents whose
    only topic is one of the seven, or ten; Enron spam loses texts that stood before. Words that are too rare
    go when a split is known (`splits`).
    """
    if name not in PREPARED:
        raise ValueError(f"no prepared corpus {name!r}; there are {', '.join(PREPARED)}")

    def make(stops: list[str]) -> dict[str, np.ndarray]:
        chosen = list(_selected(name, documents(PREPARED[name])))
        clean = {"20news": without_addresses, "webkb": without_html}.get(name, str)
        return {
            "ids": np.array([identity for identity, _, _ in chosen]),
            "labels": np.array([label for _, label, _ in chosen]),
            **counted([clean(text) for _, _, text in chosen], stops, 1, np.int64),
        }

    arrays = kept(name, PREPARED[name], make, (name,), (_PREPARATION,))
    return Prepared(counts_of(arrays), arrays["vocabulary"].astype(str), arrays["ids"], arrays["labels"])


def _selected(name: str, every: Iterable[dict[str, Any]]) -> Iterable[tuple[str, str, str]]:
    """Identity, label and text of the documents that belong to a prepared corpus."""
    seen: set[str] = set()
    for document in every:
        label = document.get("label")
        if name in REUTERS_CLASSES:
            if len(document["labels"]) != 1 or document["labels"][0] not in REUTERS_CLASSES[name]:
                continue
            label = document["labels"][0]
        elif name == "enron":
            if document["text"] in seen:
                continue
            seen.add(document["text"])
        yield document["id"], str(label), document["text"]


_ADDRESS = re.compile(r"\S+@\S+")
_HEADER_LINE = re.compile(r"[A-Za-z][A-Za-z0-9-]*:[ \t]|HTTP/")
_MARKUP = tuple(
    re.compile(pattern, re.DOTALL | re.IGNORECASE)
    for pattern in (r"<!--.*?-->", r"<(script|style)\b.*?</\1\s*>", r"<[^>]*>")
)


def without_addresses(text: str) -> str:
    """The text without its e-mail addresses."""
    return _ADDRESS.sub(" ", text)


def without_html(page: str) -> str:
    """The words of a page: no HTTP header (a few pages have none), comments, scripts or tags."""
    page = page.replace("\r\n", "\n").replace("\r", "\n")
    header, blank, body = page.partition("\n\n")
    if blank and _HEADER_LINE.match(header) and "<" not in header.partition("\n")[0]:
        page = body
    for markup in _MARKUP:
        page = markup.sub(" ", page)
    return html.unescape(page)


def counted(texts: list[str], stops: list[str], min_document_frequency: int, dtype: Any) -> dict[str, Any]:
    """The counts of texts and their vocabulary, as the arrays that are kept."""
    vectorizer = CountVectorizer(
        lowercase=True,
        token_pattern=TOKEN_PATTERN,
        stop_words=stops,
        min_df=min_document_frequency,
        dtype=dtype,
    )
    counts = scipy.sparse.csr_matrix(vectorizer.fit_transform(texts))
    counts.sort_indices()
    return {
        **arrays_of(counts),
        # As bytes, a quarter of the size: `TOKEN_PATTERN` lets no other than ASCII through.
        "vocabulary": vectorizer.get_feature_names_out().astype(bytes),
    }


def arrays_of(counts: scipy.sparse.csr_matrix) -> dict[str, np.ndarray]:
    """A matrix of counts as the arrays that are kept."""
    return {
        "data": counts.data,
        "indices": counts.indices,
        "indptr": counts.indptr,
        "shape": np.array(counts.shape),
    }


def counts_of(arrays: dict[str, np.ndarray]) -> scipy.sparse.csr_matrix:
    """The matrix of such arrays."""
    return scipy.sparse.csr_matrix(
        (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"])
    )


def kept(
    prefix: str,
    corpus: str,
    make: Callable[[list[str]], dict[str, np.ndarray]],
    before: tuple[Any, ...] = (),
    after: tuple[Any, ...] = (),
) -> dict[str, np.ndarray]:
    """What `make` makes of a corpus and the stop words, made once and then read from its file.

    `before` and `after` are the settings that decide it besides.
    """
    source = hashlib.sha256(_file(corpus, "docs.jsonl.gz").read_bytes()).hexdigest()
    stops = stop_words()
    facts = repr((*before, source, stops, TOKEN_PATTERN, *after))
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "plsa-bench"
    path = folder / f"{prefix}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}.npz"
    if not path.is_file():
        arrays = make(stops)
        folder.mkdir(parents=True, exist_ok=True)
        # Written under another name and then renamed: a run that is interrupted, or a second one at
        # the same time, never leaves half a file under the name that is trusted above.
        unfinished = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(unfinished, **arrays)
        os.replace(unfinished, path)
    with np.load(path, allow_pickle=False) as stored:
        return dict(stored)
