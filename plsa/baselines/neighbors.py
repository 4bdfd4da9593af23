"""Which documents are near to which: the nearest by cosine in a space of few dimensions, and their graph."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, TypeVar

import joblib
import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from plsa.engine.parameters import Floats, Places, Real, row_shares
from plsa.engine.threads import effective_threads
from plsa.learning.clusters import unit

_MAX_PLACED = 20_000  # documents: more are not needed to find the dimensions
_QUERIES = 256  # documents whose neighbors are found together: their cosines with all others are kept
_TILE = 4096  # others that are compared at a time: as many cosines stay in cache
_GROUP = 32  # of these, of which only the highest cosine is looked at first
_SPARE = 12  # more than are wanted, of which exact cosines then decide
_DIGITS = 9  # of a cosine that make a difference
_NOTHING = 1e-6  # a dimension beside the largest one
_NOISE = 1e-6  # a cosine that may be rounding alone, as places are float32

T = TypeVar("T")
R = TypeVar("R")
Graph: TypeAlias = sparse.csr_array  # (D, D), symmetric, no loops, weights above 0


def latent_words(vectors: sparse.csr_array, n_dimensions: int) -> tuple[Floats, Floats]:
    """The singular values and (dimensions, W) right singular vectors of documents (LSA).

    Of very many documents some are enough. The draw is always the same.
    """
    some = np.random.RandomState(0).permutation(vectors.shape[0])[:_MAX_PLACED]
    values, words = randomized_svd(vectors[some], n_dimensions, n_iter=3, random_state=0)[1:]
    return values, words


@dataclass(frozen=True, slots=True)
class Space:
    """Where documents lie by the words that go together: latent semantic analysis, at unit length."""

    words: Real  # (W, dimensions)

    @classmethod
    def of(cls, vectors: sparse.csr_array, n_dimensions: int) -> Self:
        """The space of documents; with as many dimensions as documents or words, cosines stay as they are."""
        values, words = latent_words(vectors, min(n_dimensions, *vectors.shape))
        return cls(np.ascontiguousarray(words[values > _NOTHING * values[0]].T, dtype=np.float32))

    def places(self, vectors: sparse.csr_array) -> Real:
        """(D, dimensions), rows at unit length; zeros where a document has no word that is known."""
        return unit(np.asarray(vectors @ self.words, dtype=np.float64)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The nearest documents of each, the nearest first, and their cosines; 0 where there is none."""

    document: Places  # (D, k)
    cosine: Floats  # (D, k)

    def matrix(self, weight: Floats) -> sparse.csr_array:
        """(D, D): a weight for each document and neighbor, of which those that are 0 are left out."""
        n_documents, k = self.document.shape
        entries = (weight.ravel(), (np.repeat(np.arange(n_documents), k), self.document.ravel()))
        found = sparse.csr_array(entries, shape=(n_documents, n_documents))
        found.eliminate_zeros()
        return found

    def graph(self) -> Graph:
        """The symmetric graph: two documents are joined, by cosine^4, if one is a neighbor of the other.

        For unit vectors cosine is 1 - |x - y|^2 / 2: near 1 this is exp(-|x - y|^2 / (2 s^2)) with s = 1/2.
        """
        directed = self.matrix(np.square(np.square(self.cosine)))
        return _sorted(directed.maximum(directed.T))

    def shared_graph(self) -> Graph:
        """(W + W') / 2 with W_ij = cos_ij / sum_k cos_ik: no document has more neighbors than it can have."""
        directed = self.matrix(self.shares())
        return _sorted((directed + directed.T) / 2)

    def shares(self) -> Floats:
        """The cosines of each document as parts of their sum."""
        return row_shares(self.cosine)

    def mean_of(self, values: Floats, otherwise: Floats) -> Floats:
        """(D, C): the mean of the neighbors' values, by cosine; where there is none, what is given."""
        weight = self.shares()
        found = np.zeros((len(weight), values.shape[1]))
        for place in range(weight.shape[1]):  # the same sums for one document and for many
            found += weight[:, [place]] * values[self.document[:, place]]
        return np.where(weight.any(axis=1, keepdims=True), found, otherwise)


def _sorted(graph: sparse.csr_array) -> Graph:
    graph.sort_indices()
    return graph


def nearest(
    queries: Real, places: Real, k: int, n_threads: int | None = None, *, others: bool = False
) -> Neighbors:
    """The k nearest places of each query by cosine, all of them where there are fewer; rows at unit length.

    `others`: the queries are the places, and none is a neighbor of itself. No cosine below a millionth
    counts: documents without a word in common have such. Of equals the first is nearer. There are never more
    than a few hundred rows of cosines; the bits are the same for any number of threads, if that of the BLAS
    is one.

    All pairs are looked at. The highest cosine of each of many groups is found while they are in cache; the k
    highest are in the k groups whose highest they are, so that most others are read only once.
    """
    n_places = len(places)
    k = min(k, n_places - others)
    tile = min(_TILE, -(-n_places // _GROUP) * _GROUP)
    table = np.zeros((-(-n_places // tile) * tile, places.shape[1]), dtype=np.float32)
    table[:n_places] = places

    def found(begin: int) -> tuple[Places, Floats]:
        some = queries[begin : begin + _QUERIES]
        own = np.arange(begin, begin + len(some)) if others else None
        return _nearest(some, table, n_places, k, tile, own)

    blocks = range(0, len(queries), _QUERIES)
    parts = in_threads(found, blocks, n_threads, len(queries) * table.size)
    if not parts:
        return Neighbors(np.zeros((0, k), dtype=np.intp), np.zeros((0, k)))
    return Neighbors(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))


def _nearest(
    queries: Real, table: Real, n_places: int, k: int, tile: int, own: Places | None
) -> tuple[Places, Floats]:
    """The nearest of a block of queries; `own`: the places that are the queries themselves."""
    n, groups = len(queries), tile // _GROUP
    cosine = np.empty((n, len(table)), dtype=np.float32)
    highest = np.empty((n, len(table) // _GROUP), dtype=np.float32)
    for number, begin in enumerate(range(0, len(table), tile)):
        part = cosine[:, begin : begin + tile]
        np.matmul(queries, table[begin : begin + tile].T, out=part)
        part.reshape(n, _GROUP, groups).max(axis=1, out=highest[:, number * groups : (number + 1) * groups])
    wanted = min(k + _SPARE, n_places)
    chosen = np.sort(_top(highest, min(wanted, highest.shape[1])), axis=1)
    first = chosen // groups * tile + chosen % groups
    inside = (first[:, :, np.newaxis] + groups * np.arange(_GROUP)).reshape(n, -1)
    best = _top(np.take_along_axis(cosine, inside, axis=1), wanted)
    document = np.sort(np.take_along_axis(inside, best, axis=1), axis=1)
    exact = np.einsum("nd,nkd->nk", queries.astype(np.float64), table[document].astype(np.float64))
    # The queries themselves are among those to spare; rows of zeros at the end are near to none.
    if own is not None:
        exact[document == own[:, np.newaxis]] = -2.0
    exact[document >= n_places] = -2.0
    exact = np.round(exact, _DIGITS)
    order = np.argsort(-exact, axis=1, kind="stable")[:, :k]
    document, exact = np.take_along_axis(document, order, axis=1), np.take_along_axis(exact, order, axis=1)
    return np.minimum(document, n_places - 1), np.where(exact >= _NOISE, exact, 0.0)


def _top(values: Real, k: int) -> Places:
    """The columns of the k highest of each row, in any order."""
    at = values.shape[1] - k
    return np.argpartition(values, at, axis=1)[:, at:] if at else np.argsort(values, axis=1)


def in_threads(function: Callable[[T], R], tasks: Iterable[T], n_threads: int | None, work: int) -> list[R]:
    """What a function makes of each task, in their order; `work`: the multiplications of all of them."""
    number = effective_threads(n_threads, work)
    if number == 1:
        return [function(task) for task in tasks]
    several: Any = joblib.Parallel(number, prefer="threads")
    return list(several(joblib.delayed(function)(task) for task in tasks))
