"""What to do with raw counts before a model sees them, as values."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Floats, Mask
from plsa.labels.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Scaler:
    """A scaling that was fitted to documents."""

    tf: str
    idf: Floats | None  # (W,)
    length: float | None

    def scaled(self, counts: Counts) -> Counts:
        """What it makes of counts."""
        value = counts.count
        if self.tf == "log":
            value = np.log1p(value)
        elif self.tf == "binary":
            value = (value > 0).astype(counts.dtype)
        if self.idf is not None:
            value = value * self.idf.astype(counts.dtype)[counts.word]
        damped = counts.with_counts(value)
        if self.length is None:
            return damped
        totals = damped.lengths()
        # Shares first: the length divided by the total of a tiny document may be beyond all numbers.
        inverse = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        share = damped.count * np.repeat(inverse.astype(counts.dtype), np.diff(counts.offset))
        return damped.with_counts(share * counts.dtype.type(self.length))

    def without_rarity(self) -> Self:
        """The same where all words that count, count alike."""
        return self if self.idf is None else replace(self, idf=np.sign(self.idf))

    def spread(self, words: Array, n_words: int) -> Self:
        """The same for documents of more words, these among them; the others count for nothing."""
        if self.idf is None and self.length is None:
            return self  # a word more or less changes no other
        idf = np.ones(len(words)) if self.idf is None else self.idf
        return replace(self, idf=spread(idf, words, n_words))


@dataclass(frozen=True, slots=True)
class Scaling:
    """How counts are to be scaled: tf(n), times idf(w), times what makes a document's total the length."""

    tf: str = "log"  # "raw", "log" or "binary"
    idf: bool = False
    length: Any = "constant"  # None, "constant" or a number

    def fit(self, counts: Counts, weight: Array | None = None) -> Scaler:
        """The scaling, with the rarity of words and the length of documents as these documents have them."""
        weight = None if weight is None else np.asarray(weight, dtype=np.float64)
        idf = None
        if self.idf:
            n = counts.n_documents if weight is None else weight.sum()
            idf = np.log((1 + n) / (1 + counts.presence().word_totals(weight))) + 1
        if self.length != "constant":
            return Scaler(self.tf, idf, None if self.length is None else float(self.length))
        # Empty documents have no length to share in the mean.
        totals = Scaler(self.tf, idf, None).scaled(counts).lengths()
        full = totals > 0
        share = full.astype(np.float64) if weight is None else weight * full
        length = float((totals * share).sum() / share.sum()) if share.sum() > 0 else 1.0
        return Scaler(self.tf, idf, length)


def spread(rows: Array, words: Array, n_words: int) -> Array:
    """Rows of some words among those of all words; the others have zeros."""
    result = np.zeros((n_words, *rows.shape[1:]), dtype=rows.dtype)
    result[words] = rows
    return result


TFIDF = Scaling(tf="log", idf=True, length=None)  # of linear classifiers, at unit length
_MANY = 1000  # documents: of so many a word of one without a label is noise, of fewer it may be half of them


def fit_tfidf(corpus: Corpus) -> Scaler:
    """TF-IDF of a corpus. Words that stand in none of its documents count for nothing.

    A vectorizer that was fitted to the corpus does not know them at all. One that was fitted to more, as it
    is when documents are held out, does: they would make the vector longer and what is known of it less. In a
    large corpus words of a single document, if that has no label, count for nothing either.
    """
    scaler = TFIDF.fit(corpus.counts, corpus.weight)
    assert scaler.idf is not None
    if is_large(corpus):
        met = shared_words(corpus)
    else:
        met = corpus.counts.presence().word_totals(corpus.weight) > 0
    return replace(scaler, idf=np.where(met, scaler.idf, 0.0))


def is_large(corpus: Corpus) -> bool:
    """Whether words of a single document without a label are noise."""
    return bool(corpus.weights().sum() >= _MANY)


def shared_words(corpus: Corpus) -> Mask:
    """(W,): words that stand in a labeled document or in several; a weight of two is two of them."""
    weights = corpus.weights()
    times = np.where(corpus.labels.labeled, 2.0, np.maximum(weights, 1.0)) * (weights > 0)
    return np.asarray(corpus.counts.presence().word_totals(times) > 1.5)


def fit_scaling(scaling: Scaling | None, corpus: Corpus) -> tuple[Scaler | None, Counts]:
    """A scaling fitted to a corpus, and what it makes of it; None leaves counts as they are."""
    scaler = None if scaling is None else scaling.fit(corpus.counts, corpus.weight)
    return scaler, scaled_by(scaler, corpus.counts)


def scaled_by(scaler: Scaler | None, counts: Counts) -> Counts:
    """What a fitted scaling makes of counts; None leaves them as they are."""
    return counts if scaler is None else scaler.scaled(counts)


def unit_rows(scaler: Scaler, counts: Counts) -> Counts:
    """The scaled counts of each document at unit Euclidean length."""
    return scaler.scaled(counts).unit_rows()


def vectors(scaler: Scaler, counts: Counts) -> sparse.csr_array:
    """(D, W): the same as a sparse array."""
    return unit_rows(scaler, counts).matrix()
