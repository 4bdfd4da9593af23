"""The splits that every learner is measured on, and the counts of their documents.

Those of 20 Newsgroups, WebKB and Reuters-7 are files, ``splits/<corpus>_seed<k>.npz`` in the folder of the
evaluation protocol: the one named by the environment variable ``PLSA_PROTOCOL``, which ``--protocol`` sets,
else ``../shared/protocol`` seen from the project's root. Those of Enron spam are drawn here by the same rules
from the seed, 20,000 documents for training, half of each class, as the papers' private set had it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.model_selection import train_test_split

from bench.shared import corpora

CORPORA = {"20news": "20 Newsgroups", "webkb": "WebKB", "reuters7": "Reuters-7", "enron": "Enron spam"}
RATIOS = (0.003, 0.005, 0.008, 0.01, 0.05, 0.2, 0.4, 1.0)
SEEDS = (0, 1, 2, 3, 4)
MIN_DOCUMENT_FREQUENCY = 5
UNLABELED = -1
_ENRON_TRAINING = 20_000
_TEST_SHARE = 0.2
# The labeled sets have a stream of their own, apart from that of the split.
_LABELS_STREAM = 1000


class MissingSplitError(FileNotFoundError):
    """A split of the evaluation protocol is not where it was looked for."""


@dataclass(frozen=True, slots=True)
class Split:
    """One division of a corpus; classes are numbered, and positions count the documents of the corpus."""

    counts: scipy.sparse.csr_matrix  # all documents, the words in enough training documents
    y: np.ndarray
    classes: np.ndarray
    train: np.ndarray
    test: np.ndarray
    labeled: dict[float, np.ndarray]  # ratio -> positions

    def training(self, ratio: float) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
        """Counts and classes of the training documents, `UNLABELED` where the class is not told."""
        told = np.isin(self.train, self.labeled[ratio], assume_unique=True)
        return self.counts[self.train], np.where(told, self.y[self.train], UNLABELED)

    def testing(self) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
        """Counts and classes of the test documents."""
        return self.counts[self.test], self.y[self.test]


@lru_cache(maxsize=2)
def load(corpus: str, seed: int) -> Split:
    """Split `seed` of a corpus. A word is kept that stands in five training documents or more."""
    whole = corpora.prepared(corpus)
    classes, y = np.unique(whole.labels, return_inverse=True)
    parts = _drawn(y, seed) if corpus == "enron" else _read(corpus, seed, whole.ids, y)
    frequency = np.bincount(whole.counts[parts["train"]].indices, minlength=whole.counts.shape[1])
    counts = whole.counts[:, frequency >= MIN_DOCUMENT_FREQUENCY].tocsr()
    labeled = {ratio: parts[f"lab_{ratio:g}"] for ratio in RATIOS}
    return Split(counts, y, classes, parts["train"], parts["test"], labeled)


def _read(corpus: str, seed: int, ids: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """The arrays of a split's file, which must speak of the same documents in the same order."""
    folder = Path(os.environ.get("PLSA_PROTOCOL") or corpora.ROOT.parent / "shared" / "protocol")
    path = folder / "splits" / f"{corpus}_seed{seed}.npz"
    if not path.is_file():
        raise MissingSplitError(
            f"no split {path}: set PLSA_PROTOCOL, or pass --protocol, the folder that holds splits/"
        )
    with np.load(path, allow_pickle=False) as stored:
        parts = dict(stored)
    if not (np.array_equal(parts["ids"], ids) and np.array_equal(parts["y"], y)):
        raise ValueError(f"{path} was drawn from other documents than those of the corpus {corpus}")
    return parts


def _drawn(y: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """A split of Enron spam: half of the training documents from each class, the rest for the test."""
    rng = np.random.default_rng(seed)
    train = np.sort(
        np.concatenate(
            [rng.permutation(np.flatnonzero(y == label))[: _ENRON_TRAINING // 2] for label in (0, 1)]
        )
    )
    test = np.setdiff1d(np.arange(len(y)), train)
    shuffled = np.random.default_rng(_LABELS_STREAM + seed).permutation(train)
    chosen = {f"lab_{ratio:g}": first_labels(shuffled, y, ratio) for ratio in RATIOS}
    return {"train": train, "test": test, **chosen}


def stratified(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A split drawn at random, a fifth of each class for the test: the training part, shuffled for
    `first_labels`, both parts in order.
    """
    train, test = train_test_split(np.arange(len(y)), test_size=_TEST_SHARE, stratify=y, random_state=seed)
    train, test = np.sort(train), np.sort(test)
    return train, test, np.random.default_rng(_LABELS_STREAM + seed).permutation(train)


def first_labels(shuffled: np.ndarray, y: np.ndarray, ratio: float) -> np.ndarray:
    """The first documents of a shuffled training part, with at least one of every class.

    A class that is not among them sends its first document, for which the last one leaves whose class
    has another. The sets of one split are nested but for these.
    """
    n_classes = y.max() + 1
    n = min(len(shuffled), max(round(ratio * len(shuffled)), n_classes))
    chosen = list(shuffled[:n])
    for label in np.setdiff1d(np.arange(n_classes), y[chosen]):
        held = np.bincount(y[chosen], minlength=n_classes)
        leaving = max(place for place in range(n) if held[y[chosen[place]]] > 1)
        del chosen[leaving]
        chosen.append(shuffled[y[shuffled] == label][0])
    return np.sort(chosen)
