"""A corpus in the form of the kernels."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import plsa._kernels as _kernels
from plsa.engine import blocks
from plsa.engine.parameters import Array, Floats, Mask, Real

# What a count, and all of them with their weights, may be at most. The kernels divide counts by probabilities
# (loops.c has the largest ratio) and add them up: nothing that is taken may overflow on the way.
LARGEST_COUNT = {np.dtype("float32"): 2.0**110, np.dtype("float64"): 2.0**900}
LARGEST_TOTAL = {np.dtype("float32"): 2.0**120, np.dtype("float64"): 2.0**1000}


@dataclass(frozen=True, slots=True)
class Counts:
    """A corpus in the form of the kernels; `estimators.validation.check_counts` makes it."""

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

    def lengths(self) -> Floats:
        """The number of words in each document."""
        sums = np.zeros(self.n_documents)
        full = np.flatnonzero(np.diff(self.offset))
        if len(full):
            sums[full] = np.add.reduceat(self.count, self.offset[full], dtype=np.float64)
        return sums

    def word_totals(self, weight: Real | None = None) -> Floats:
        """How often each word stands in the corpus."""
        total = np.zeros(self.n_words)
        # bincount makes 64-bit copies and an array of all words: some documents at a time, but not too few.
        for begin, end in self.blocks(max(self.n_words, blocks.TOTALS)):
            block = self.between(begin, end)
            count = block.count.astype(np.float64)
            if weight is not None:
                count *= np.repeat(weight[begin:end], np.diff(block.offset))
            total += np.bincount(block.word, count, self.n_words)
        return total

    def blocks(self, size: int) -> Iterator[tuple[int, int]]:
        """Ranges of documents, one after the other, of about `size` nonzeros each."""
        begin = 0
        while begin < self.n_documents:
            end = int(np.searchsorted(self.offset, self.offset[begin] + size))
            end = min(max(end, begin + 1), self.n_documents)
            yield begin, end
            begin = end

    def between(self, begin: int, end: int) -> Self:
        """The corpus of the documents begin, ..., end - 1, its nonzeros not copied."""
        inside = slice(self.offset[begin], self.offset[end])
        offset = self.offset[begin : end + 1] - self.offset[begin]
        return replace(self, offset=offset, word=self.word[inside], count=self.count[inside])

    def checksum(self) -> int:
        """A number that another corpus hardly has."""
        return zlib.crc32(self.count, zlib.crc32(self.word, zlib.crc32(self.offset)))

    def checksums(self, documents: Array) -> NDArray[np.int64]:
        """For each of these documents a number that hardly any other words and counts have."""
        checksums = np.empty(len(documents), dtype=np.int64)
        for place, document in enumerate(documents):
            inside = slice(self.offset[document], self.offset[document + 1])
            words = self.word[inside].astype(np.int64, copy=False)
            counts = self.count[inside].astype(np.float64, copy=False)
            checksums[place] = zlib.crc32(counts, zlib.crc32(words))
        return checksums

    def fingerprints(self) -> NDArray[np.uint64]:
        """For each document 64 bits that other words and counts do not have, in whichever precision."""
        with np.errstate(over="ignore", under="ignore"):  # beyond float32 all counts are one
            bits = self.count.astype(np.float32).view(np.uint32).astype(np.uint64)
        # Products that wrap around spread each nonzero over all bits; a count of zero is no nonzero.
        mixed = (self.word.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= bits * np.uint64(0xD1B54A32D192ED03)
        mixed ^= mixed >> np.uint64(31)
        mixed *= np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(29)
        mixed[self.count == 0] = 0
        sums = np.zeros(self.n_documents, dtype=np.uint64)
        full = np.flatnonzero(np.diff(self.offset))
        if len(full):
            sums[full] = np.add.reduceat(mixed, self.offset[full])
        return sums

    def matrix(self) -> sparse.csr_array:
        """The same as a sparse array."""
        return sparse.csr_array((self.count, self.word, self.offset), shape=(self.n_documents, self.n_words))

    def unit_rows(self) -> Self:
        """The same documents at unit Euclidean length; those without words stay."""
        count = np.empty_like(self.count)
        _kernels.unit_rows(self.offset, self._squarable(), count)
        return self.with_counts(count)

    def _squarable(self) -> Real:
        """The counts, each document times a power of two if need be: so that squares are normal numbers."""
        size = np.diff(self.offset)
        peak = np.zeros(self.n_documents)
        peak[size > 0] = np.maximum.reduceat(self.count, self.offset[:-1][size > 0]) if size.any() else 0
        _, exponent = np.frexp(peak)
        if np.abs(exponent).max(initial=0) < np.finfo(self.dtype).maxexp // 4:
            return self.count
        return np.asarray(np.ldexp(self.count, -np.repeat(exponent, size)))

    def presence(self) -> Self:
        """The same with a count of one wherever there is any."""
        return self.with_counts((self.count > 0).astype(self.dtype))

    def with_counts(self, count: Real) -> Self:
        """The same nonzeros with other counts."""
        return replace(self, count=count)

    def of_documents(self, documents: Array) -> Self:
        """The corpus of these documents, in this order."""
        chosen = self.matrix()[documents]
        return replace(self, offset=chosen.indptr.astype(np.int64), word=chosen.indices, count=chosen.data)

    def of_words(self, words: Array) -> Self:
        """The corpus of these words alone, ascending, which are numbered anew in their order."""
        if len(words) == self.n_words:
            return self
        place = np.full(self.n_words, -1, dtype=self.word.dtype)
        place[words] = np.arange(len(words), dtype=self.word.dtype)
        renamed = place[self.word]
        kept = self.of_nonzeros(renamed >= 0)
        return replace(kept, word=renamed[renamed >= 0], n_words=len(words))

    def of_nonzeros(self, chosen: Mask) -> Self:
        """The corpus with only the chosen nonzeros."""
        before = np.concatenate([[0], np.cumsum(chosen)])
        return replace(self, offset=before[self.offset], word=self.word[chosen], count=self.count[chosen])
