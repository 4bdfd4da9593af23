"""The documents of the experiments as word counts, and what is made of counts before a model sees them.

What is learned of documents without regard to their classes (which words are frequent enough, how rare each
is, how long documents are) is learned from the unlabeled ones of an experiment alone. They are the same in
all of its trials, so that the probabilities of the models compare, and no test document has a part in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import xlogy

import plsa
from bench.shared import corpora

MIN_DOCUMENT_FREQUENCY = 3
# Part of the name of kept counts: to be raised when the preparation below changes.
_PREPARATION = 1
_SUBJECT = re.compile(r"^Subject:([^\n]*(?:\n[ \t][^\n]*)*)", re.MULTILINE | re.IGNORECASE)
_DIGITS = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class Collection:
    """All documents of a corpus in the order of its file."""

    counts: scipy.sparse.csr_matrix  # documents x words, whole numbers
    vocabulary: np.ndarray
    ids: np.ndarray
    labels: np.ndarray  # strings; several of one document are joined by blanks
    split: np.ndarray  # "train", "test", or empty where the corpus says neither


@lru_cache(maxsize=1)
def newsgroups() -> Collection:
    """20 Newsgroups: subject and body, no e-mail addresses, no stop words, tokens of letters and digits."""
    return _collection("20newsgroups", _subject_and_body)


@lru_cache(maxsize=1)
def reuters() -> Collection:
    """Reuters-21578: title and body, tokens of letters, no stop words."""
    return _collection("reuters21578", _without_digits)


def _collection(name: str, clean: Callable[[str], str]) -> Collection:
    """Every word counted that is no stop word, however rare."""

    def make(stops: list[str]) -> dict[str, np.ndarray]:
        every = list(corpora.documents(name))
        labels = [each["label"] if "label" in each else " ".join(each["labels"]) for each in every]
        return {
            "ids": np.array([each["id"] for each in every]),
            "labels": np.array(labels),
            "split": np.array([each["split"] or "" for each in every]),
            **corpora.counted([clean(each["text"]) for each in every], stops, 1, np.int64),
        }

    arrays = corpora.kept(f"mixtures-{name}", name, make, (clean.__name__,), (_PREPARATION,))
    words = arrays["vocabulary"].astype(str)
    return Collection(corpora.counts_of(arrays), words, arrays["ids"], arrays["labels"], arrays["split"])


def _subject_and_body(post: str) -> str:
    """What the Subject line says, continued lines included, and all after the first blank line."""
    head, _, body = post.partition("\n\n")
    subject = _SUBJECT.search(head)
    return corpora.without_addresses(f"{subject[1] if subject else ''}\n{body}")


def _without_digits(text: str) -> str:
    """Blanks for digits: what `corpora.TOKEN_PATTERN` finds is letters only."""
    return _DIGITS.sub(" ", text)


# --- words ---------------------------------------------------------------------------------------


def frequent(counts: Any, least: int = MIN_DOCUMENT_FREQUENCY) -> np.ndarray:
    """The columns of the words that stand in at least so many of these documents."""
    return np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= least)


def mutual_information(counts: Any, y: np.ndarray) -> np.ndarray:
    """For each word, that of its presence in a document and the document's class, in nats."""
    present = scipy.sparse.csr_matrix(counts, copy=True)
    present.data = np.ones_like(present.data, dtype=np.float64)
    _, code = np.unique(y, return_inverse=True)
    share = np.bincount(code) / len(y)
    of_class = scipy.sparse.csr_matrix((np.full(len(y), 1 / len(y)), (code, np.arange(len(y)))))
    having = (of_class @ present).toarray()
    lacking = np.maximum(share[:, None] - having, 0.0)
    total = np.zeros(counts.shape[1])
    for joint in (having, lacking):
        expected = share[:, None] * joint.sum(axis=0)
        total += xlogy(joint, np.divide(joint, expected, out=np.ones_like(joint), where=expected > 0)).sum(0)
    return total


def scaled(counts: Any, unlabeled: np.ndarray, scaler: plsa.CountScaler) -> scipy.sparse.csr_matrix:
    """All documents as `scaler` has them, which learns from the unlabeled ones."""
    return scipy.sparse.csr_matrix(scaler.fit(counts[unlabeled]).transform(counts))


# --- draws ---------------------------------------------------------------------------------------


def consecutive(shuffled: np.ndarray, y: np.ndarray, wanted: dict[Any, int], trial: int) -> np.ndarray:
    """Trial number `trial`: of each class the next so many of the shuffled documents; no two trials overlap.

    ValueError where the documents do not reach so far.
    """
    chosen = []
    for label, n in wanted.items():
        of_class = shuffled[y[shuffled] == label]
        if len(of_class) < (trial + 1) * n:
            raise ValueError(f"{len(of_class)} documents of class {label} make no {trial + 1} sets of {n}")
        chosen.append(of_class[trial * n : (trial + 1) * n])
    return np.concatenate(chosen)
