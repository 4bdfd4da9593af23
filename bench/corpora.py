"""The real corpora that the benchmarks read, and the count matrix that the speed figures stand on.

The corpora are not part of the project. They are looked for in the folder given as ``data``, else
in the folder named by the environment variable ``PLSA_DATA``, else in ``../shared/data`` seen from
the repository's root. One folder a corpus, one JSON object a line in ``docs.jsonl.gz``. Where
something is not there, `MissingCorpusError` says what, where it was looked for, and how to point
elsewhere.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer

NAMES = ("20newsgroups", "webkb", "reuters21578", "enron-spam", "arxiv-100k")
STOP_WORDS = Path("stopwords", "rouge155_smart_common_words_598.txt")
TOKEN_PATTERN = "[A-Za-z0-9]+"


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
    with gzip.open(_file(data, name, "docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            texts.append(document["text"])
            labels.append(document["label"] if "label" in document else document["labels"])
    return texts, labels


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
    if kept.is_file():
        with np.load(kept, allow_pickle=False) as arrays:
            counts = scipy.sparse.csr_matrix(
                (arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"]
            )
            return counts, arrays["vocabulary"].astype(str)

    vectoriser = CountVectorizer(
        lowercase=True,
        token_pattern=TOKEN_PATTERN,
        stop_words=stops,
        min_df=min_document_frequency,
        dtype=np.float32,
    )
    texts, _ = read("20newsgroups", data)
    counts = scipy.sparse.csr_matrix(vectoriser.fit_transform(texts))
    counts.sort_indices()
    vocabulary = vectoriser.get_feature_names_out().astype(str)

    kept.parent.mkdir(parents=True, exist_ok=True)
    # Written under another name and then renamed: a run that is interrupted, or a second one at
    # the same time, never leaves half a file under the name that is trusted above.
    unfinished = kept.with_suffix(f".{os.getpid()}.npz")
    np.savez(
        unfinished,
        data=counts.data,
        indices=counts.indices,
        indptr=counts.indptr,
        shape=np.array(counts.shape),
        # As bytes, a quarter of the size: `TOKEN_PATTERN` lets no other than ASCII through.
        vocabulary=vocabulary.astype(bytes),
    )
    os.replace(unfinished, kept)
    return counts, vocabulary


def _cache_folder() -> Path:
    """Where made matrices are kept; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "plsa-bench"
