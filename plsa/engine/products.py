"""Products of the nonzeros of a corpus with dense rows, by the kernels."""

import numpy as np

import plsa._kernels as _kernels
from plsa.engine.counts import Counts
from plsa.engine.parameters import Real, padded_zeros
from plsa.engine.steps import word_bounds
from plsa.engine.threads import effective_threads


class Products:
    """X B and X' R, X being the counts of documents and a last column of ones: an intercept.

    Rows are padded. Same bits for any number of threads.
    """

    def __init__(self, counts: Counts, n_columns: int, n_threads: int | None) -> None:
        self.counts = counts
        self.n_columns = n_columns
        self.n_threads = effective_threads(n_threads, work=len(counts.word) * n_columns)
        bounds = word_bounds(counts, self.n_threads)
        self._corpus = _kernels.Corpus(counts.offset, counts.word, counts.count, counts.n_words, None, bounds)

    def word_room(self) -> Real:
        """(W + 1, padded) zeros: a row for every word and one for the intercept."""
        return padded_zeros(self.counts.n_words + 1, self.n_columns, self.counts.dtype)

    def document_room(self) -> Real:
        """(D, padded) zeros."""
        return padded_zeros(self.counts.n_documents, self.n_columns, self.counts.dtype)

    def of_documents(self, rows: Real, room: Real | None = None) -> Real:
        """X B, (D, padded), in the room that is given."""
        sums = self.document_room() if room is None else room
        _kernels.document_sums(self._corpus, rows[:-1], sums, self.n_threads)
        sums += rows[-1]
        return sums

    def of_words(self, rows: Real, room: Real | None = None) -> Real:
        """X' R, (W + 1, padded), in the room that is given."""
        sums = self.word_room() if room is None else room
        _kernels.word_sums(self._corpus, rows, sums[:-1], self.n_threads)
        sums[-1] = rows.sum(axis=0, dtype=np.float64)
        return sums

    def squares(self, weight: Real) -> Real:
        """(W + 1,): X' squared, times the weights of documents."""
        squared = self.counts.with_counts(self.counts.count**2).word_totals(weight)
        return np.append(squared, weight.sum(dtype=np.float64)).astype(self.counts.dtype)
