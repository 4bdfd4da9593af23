"""The documents that active learners ask about: three pairs of newsgroups, and the four corpora.

The pairs are those of Krithara, Goutte, Amini and Renders, *Reducing the annotation burden in text
classification*: four fifths of the documents for training, one label per class at the start. The corpora are
divided as `splits` has it, with the same start. A trial's number alone decides what is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.sparse

from bench.shared import corpora, splits

PAIRS: dict[str, tuple[str, str]] = {
    "easy": ("rec.sport.baseball", "rec.sport.hockey"),
    "moderate": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    "hard": ("talk.religion.misc", "alt.atheism"),
}
TRAINING_SHARE = 0.8
# The split of a pair, and the order and first labels of any pool, have streams of their own.
_SPLIT_STREAM = 4
_START_STREAM = 5


@dataclass(frozen=True, slots=True)
class Pool:
    """Documents that can be asked about, their true classes, and a test set."""

    counts: scipy.sparse.csr_matrix  # of the training documents
    y: np.ndarray  # their classes, as places in `classes`
    test_counts: scipy.sparse.csr_matrix
    test_y: np.ndarray
    classes: np.ndarray  # names, sorted
    initial: np.ndarray  # training documents labeled from the start, one per class


@lru_cache(maxsize=2)
def drawn(name: str, trial: int) -> Pool:
    """The pool of a pair or corpus in one trial: a pair has a split a trial, a corpus five in turn.

    The words are those in five training documents or more. The training documents are shuffled, because the
    newsgroups stand in the corpus class by class, and a learner that takes the first of several equally
    doubtful documents would ask about one class only.
    """
    if name in PAIRS:
        counts, y, classes, train, test = _pair(name, trial)
    elif name in splits.CORPORA:
        split = splits.load(name, trial % len(splits.SEEDS))
        counts, y, classes, train, test = split.counts, split.y, split.classes, split.train, split.test
    else:
        raise ValueError(f"no pool {name!r}; there are {', '.join((*PAIRS, *splits.CORPORA))}")
    rng = np.random.default_rng((trial, _START_STREAM))
    train = rng.permutation(train)
    initial = np.array([rng.choice(np.flatnonzero(y[train] == code)) for code in range(len(classes))])
    return Pool(counts[train], y[train], counts[test], y[test], classes, initial)


@lru_cache(maxsize=1)
def _newsgroups() -> corpora.Prepared:
    return corpora.prepared("20news")


def _pair(name: str, trial: int) -> tuple[scipy.sparse.csr_matrix, *tuple[np.ndarray, ...]]:
    """Counts, classes, names of the classes, and the places of the training and of the test documents."""
    whole = _newsgroups()
    documents = np.flatnonzero(np.isin(whole.labels, PAIRS[name]))
    classes, y = np.unique(whole.labels[documents], return_inverse=True)
    rng = np.random.default_rng((trial, _SPLIT_STREAM))
    shuffled = [rng.permutation(np.flatnonzero(y == code)) for code in range(len(classes))]
    train = np.concatenate([places[: round(TRAINING_SHARE * len(places))] for places in shuffled])
    test = np.setdiff1d(np.arange(len(y)), train)
    counts = whole.counts[documents]
    frequency = np.bincount(counts[train].indices, minlength=counts.shape[1])
    kept = counts[:, frequency >= splits.MIN_DOCUMENT_FREQUENCY].tocsr()
    return kept, y, classes, train, test
