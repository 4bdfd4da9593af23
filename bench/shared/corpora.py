"""The real corpora that the benchmarks read, and the counts that are made of them.

`newsgroups_counts` is the matrix that the speed figures stand on; `prepared` gives the corpora of the
papers' experiments, as the papers prepared theirs.

The corpora are not part of the project. They are looked for in the folder given as ``data``, else
in the folder named by the environment variable ``PLSA_DATA``, else in ``../shared/data`` seen from
the repository's root. One folder a corpus, one JSON object a line in ``docs.jsonl.gz``. Where
something is not there, `MissingCorpusError` says what, where it was looked for, and how to point
elsewhere.
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

NAMES = ("20newsgroups", "webkb", "reuters21578", "enron-spam", "arxiv-100k")
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


def data_folder(data: str | os.PathLike | None = None) -> Path:
    """The folder that holds the corpora: `data`, else PLSA_DATA, else ../shared/data.

    Raises `MissingCorpusError` if that folder does not exist.
    """
    if data is not None:
        folder, said_by = Path(data), "given as an argument"
    elif os.environ.get("PLSA_DATA"):
        folder, said_by = Path(os.environ["PLSA_DATA"]), "named by PLSA_DATA"
    else:
        repository = Path(__file__).resolve().parents[1]
        folder, said_by = repository.parent / "shared" / "data", "the default"
    if not folder.is_dir():
        raise MissingCorpusError(
            f"no folder of corpora at {folder} ({said_by}): set PLSA_DATA, or pass the folder "
            "that holds one sub-folder a corpus, each with a docs.jsonl.gz"
        )
    return folder


def _file(data: str | os.PathLike | None, *parts: str | os.PathLike) -> Path:
    """The path of one file in the data folder, which exists: else `MissingCorpusError` names it."""
    folder = data_folder(data)
    path = folder.joinpath(*parts)
    if not path.is_file():
        present = sorted(child.name for child in folder.iterdir() if child.is_dir())
        raise MissingCorpusError(
            f"no file {path}; the folders in {folder} are: {', '.join(present) or 'none'}. "
            "Set PLSA_DATA, or pass the folder that holds the corpora"
        )
    return path


def read(name: str, data: str | os.PathLike | None = None) -> tuple[list[str], list[str] | list[list[str]]]:
    """The texts of a corpus and their labels, in the order of the file.

    A label is a string; in a corpus whose documents bear several (reuters21578) it is a list of
    strings, which may be empty. Nothing is dropped: duplicated texts stay in.
    """
    texts, labels = [], []
    for document in _documents(name, data):
        texts.append(document["text"])
        labels.append(document["label"] if "label" in document else document["labels"])
    return texts, labels


def _documents(name: str, data: str | os.PathLike | None) -> Iterable[dict[str, Any]]:
    with gzip.open(_file(data, name, "docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def stop_words(data: str | os.PathLike | None = None) -> list[str]:
    """The words of the ROUGE-SMART list that `TOKEN_PATTERN` can produce, sorted.

    The contractions of the list ("don't") are left out, because no token contains an apostrophe.
    """
    words = _file(data, STOP_WORDS).read_text(encoding="utf-8").lower().split()
    return sorted({word for word in words if word.isascii() and word.isalnum()})


def newsgroups_counts(
    data: str | os.PathLike | None = None, min_document_frequency: int = 2
) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """The word counts of 20 Newsgroups (documents x words, CSR, float32) and the vocabulary.

    Whole posts in lower case, headers included; tokens ``[A-Za-z0-9]+``; without the stop words;
    words in at least `min_document_frequency` posts. The default 2 gives 18,846 documents, 74,332
    words, 1,895,683 nonzeros and 2,983,402 tokens; no document is empty. (1 would give 1,989,239
    nonzeros, 5 gives 1,792,691.) Column indices are int32 and sorted in every row; the vocabulary
    is in alphabetical order.

    The matrix is kept in ``$XDG_CACHE_HOME/plsa-bench`` (``~/.cache`` where that is unset) under a
    name that changes with the corpus file, the stop list and every setting above.
    """
    source = _file(data, "20newsgroups", "docs.jsonl.gz")
    stops = stop_words(data)
    corpus = hashlib.sha256(source.read_bytes()).hexdigest()
    facts = repr((corpus, stops, TOKEN_PATTERN, min_document_frequency, "float32"))
    key = hashlib.sha256(facts.encode()).hexdigest()[:16]
    kept = _cache_folder() / f"20newsgroups-{key}.npz"

    def make() -> dict[str, np.ndarray]:
        texts, _ = read("20newsgroups", data)
        return _counted(texts, stops, min_document_frequency, np.float32)

    arrays = _kept(kept, make)
    return _counts(arrays), arrays["vocabulary"].astype(str)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A corpus of the papers' experiments: word counts of every document, and its one label."""

    counts: scipy.sparse.csr_matrix  # documents x words, whole numbers
    vocabulary: np.ndarray
    ids: np.ndarray
    labels: np.ndarray  # strings


def prepared(name: str, data: str | os.PathLike | None = None) -> Prepared:
    """One of `PREPARED`, every word counted that is no stop word, however rare.

    As the papers have it: e-mail addresses out of the news posts, HTTP headers and HTML out of WebKB,
    tokens ``[A-Za-z0-9]+`` in lower case, no stop words, no stemming. Reuters keeps the documents whose
    only topic is one of the seven, or ten; Enron spam loses texts that stood before. Words that are too rare
    go when a split is known (`papers/splits.py`). Kept on disk like `newsgroups_counts`.
    """
    if name not in PREPARED:
        raise ValueError(f"no prepared corpus {name!r}; there are {', '.join(PREPARED)}")
    source = _file(data, PREPARED[name], "docs.jsonl.gz")
    stops = stop_words(data)
    corpus = hashlib.sha256(source.read_bytes()).hexdigest()
    facts = repr((name, corpus, stops, TOKEN_PATTERN, _PREPARATION))
    key = hashlib.sha256(facts.encode()).hexdigest()[:16]

    def make() -> dict[str, np.ndarray]:
        documents = list(_selected(name, _documents(PREPARED[name], data)))
        clean = {"20news": _without_addresses, "webkb": _without_html}.get(name, str)
        return {
            "ids": np.array([identity for identity, _, _ in documents]),
            "labels": np.array([label for _, label, _ in documents]),
            **_counted([clean(text) for _, _, text in documents], stops, 1, np.int64),
        }

    arrays = _kept(_cache_folder() / f"{name}-{key}.npz", make)
    return Prepared(_counts(arrays), arrays["vocabulary"].astype(str), arrays["ids"], arrays["labels"])


def _selected(name: str, documents: Iterable[dict[str, Any]]) -> Iterable[tuple[str, str, str]]:
    """Identity, label and text of the documents that belong to a prepared corpus."""
    seen: set[str] = set()
    for document in documents:
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


def _without_addresses(text: str) -> str:
    return _ADDRESS.sub(" ", text)


def _without_html(page: str) -> str:
    """The words of a page: no HTTP header (a few pages have none), comments, scripts or tags."""
    page = page.replace("\r\n", "\n").replace("\r", "\n")
    header, blank, body = page.partition("\n\n")
    if blank and _HEADER_LINE.match(header) and "<" not in header.partition("\n")[0]:
        page = body
    for markup in _MARKUP:
        page = markup.sub(" ", page)
    return html.unescape(page)


def _counted(texts: list[str], stops: list[str], min_document_frequency: int, dtype: Any) -> dict[str, Any]:
    """The counts of texts and their vocabulary, as the arrays that are kept."""
    vectoriser = CountVectorizer(
        lowercase=True,
        token_pattern=TOKEN_PATTERN,
        stop_words=stops,
        min_df=min_document_frequency,
        dtype=dtype,
    )
    counts = scipy.sparse.csr_matrix(vectoriser.fit_transform(texts))
    counts.sort_indices()
    return {
        "data": counts.data,
        "indices": counts.indices,
        "indptr": counts.indptr,
        "shape": np.array(counts.shape),
        # As bytes, a quarter of the size: `TOKEN_PATTERN` lets no other than ASCII through.
        "vocabulary": vectoriser.get_feature_names_out().astype(bytes),
    }


def _counts(arrays: dict[str, np.ndarray]) -> scipy.sparse.csr_matrix:
    return scipy.sparse.csr_matrix(
        (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"])
    )


def _kept(path: Path, make: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The arrays in a file, which are made and written where it is not there."""
    if not path.is_file():
        arrays = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written under another name and then renamed: a run that is interrupted, or a second one at
        # the same time, never leaves half a file under the name that is trusted above.
        unfinished = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(unfinished, **arrays)
        os.replace(unfinished, path)
    with np.load(path, allow_pickle=False) as stored:
        return dict(stored)


def _cache_folder() -> Path:
    """Where made matrices are kept; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "plsa-bench"
