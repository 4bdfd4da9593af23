"""A corpus in the form of the kernels."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from plsa.parameters import Real


@dataclass(frozen=True, slots=True)
class Counts:
    """A corpus in the form of the kernels; `inputs.check_counts` makes it."""

    offset: NDArray[np.int64]  # (D + 1) where each document's nonzeros begin
    word: NDArray[np.signedinteger[Any]]  # (nnz) ascending in each document
    count: Real  # (nnz)
    n_words: int

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.offset) - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64: what everything is computed in."""
        return self.count.dtype

    def total(self, weight: Real | None = None) -> float:
        """The number of words in the corpus, each document counting `weight` times."""
        if weight is None:
            return float(self.count.sum(dtype=np.float64))
        return float(np.dot(self.lengths(), np.asarray(weight, dtype=np.float64)))

    def lengths(self) -> NDArray[np.float64]:
        """The number of words in each document."""
        sums = np.zeros(self.n_documents)
        full = np.flatnonzero(np.diff(self.offset))
        if len(full):
            sums[full] = np.add.reduceat(self.count, self.offset[full], dtype=np.float64)
        return sums

    def word_totals(self, weight: Real | None = None) -> NDArray[np.float64]:
        """How often each word stands in the corpus."""
        total = np.zeros(self.n_words)
        # bincount makes 64-bit copies and an array of all words: some documents at a time, but not too few.
        size = max(self.n_words, 1 << 18)
        ends = np.searchsorted(self.offset, np.arange(size, self.offset[-1] + size, size), side="left")
        begin = 0
        for end in np.minimum(ends, self.n_documents):
            inside = slice(self.offset[begin], self.offset[end])
            count = self.count[inside].astype(np.float64)
            if weight is not None:
                count *= np.repeat(weight[begin:end], np.diff(self.offset[begin : end + 1]))
            total += np.bincount(self.word[inside], count, self.n_words)
            begin = end
        return total

    def mark(self) -> int:
        """A number that another corpus hardly has."""
        return zlib.crc32(self.count, zlib.crc32(self.word, zlib.crc32(self.offset)))

    def matrix(self) -> sparse.csr_array:
        """The same as a sparse array."""
        return sparse.csr_array((self.count, self.word, self.offset), shape=(self.n_documents, self.n_words))

    def with_counts(self, count: Real) -> Counts:
        """The same nonzeros with other counts."""
        return Counts(self.offset, self.word, count, self.n_words)

    def of_documents(self, documents: NDArray[Any]) -> Counts:
        """The corpus of these documents, in this order."""
        chosen = self.matrix()[documents]
        return Counts(chosen.indptr.astype(np.int64), chosen.indices, chosen.data, self.n_words)

    def of_nonzeros(self, chosen: NDArray[np.bool_]) -> Counts:
        """The corpus with only the chosen nonzeros."""
        before = np.concatenate([[0], np.cumsum(chosen)])
        return Counts(before[self.offset], self.word[chosen], self.count[chosen], self.n_words)
