"""Where documents lie among each other, before anything is known of their classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from plsa.active import queries
from plsa.active.pool import Documents, vectors
from plsa.engine.parameters import Floats
from plsa.learning.clusters import cluster_centers, spherical_kmeans

_CLUSTERS = 30  # for the first questions
_MAX_CLUSTERED = 20_000  # documents: more are not needed to find them


class Landscape:
    """The documents of a session as log counts times idf at unit length, as soon as somebody needs them."""

    def __init__(self, n_documents: int, matrix: Any, made: sparse.csr_array | None = None) -> None:
        self.n_documents = n_documents
        self._matrix = matrix  # None: documents are not rows of numbers
        self._vectors = made
        self._density: queries.Scores | None = None
        self._clusters: tuple[Floats, Floats] | None = None

    @property
    def known(self) -> bool:
        """Whether it is known at all where documents lie."""
        return self._matrix is not None

    @property
    def vectors(self) -> sparse.csr_array:
        """(D, W), rows at unit length."""
        if self._vectors is None:
            self._vectors = vectors(self._matrix)
        return self._vectors

    def density(self, doubt: Floats | None = None) -> queries.Scores:
        """How much each document stands for others, or for others that are in doubt."""
        if doubt is not None:
            return queries.density(self.vectors, doubt)
        if self._density is None:
            self._density = queries.density(self.vectors)
        return self._density

    def unlike(self, left: Documents, seen: Sequence[int], n: int, seed: int) -> list[int]:
        """Documents that stand for others and are unlike each other and those that were seen before.

        One of each cluster, the next being large and far from those that were met. At random where it is not
        known where documents lie.
        """
        rng = np.random.RandomState(seed)
        shuffled = rng.permutation(self.n_documents)
        shuffled = shuffled[np.isin(shuffled, left)]
        if not self.known:
            return shuffled[:n].tolist()
        if self._clusters is None or len(self._clusters[0]) < n:
            self._clusters = _cluster(self.vectors, max(n, _CLUSTERS), rng)
        size, center = self._clusters
        # Of a document whose words are met nothing is new: its cluster is that of its nearest center.
        met = np.unique((self.vectors[seen] @ center.T).argmax(axis=1)).tolist() if len(seen) else []
        nearest = (center @ center[met].T).max(axis=1) if met else np.zeros(len(size))
        free = ~np.isin(np.arange(len(size)), met)
        fit = self.vectors[left] @ center.T
        chosen: list[int] = []
        while len(chosen) < n and free.any():
            best = int(np.argmax(np.where(free, np.sqrt(size) * (1 - nearest), -np.inf)))
            place = int(np.argmax(fit[:, best]))
            if left[place] not in chosen:
                chosen.append(int(left[place]))
            nearest = np.maximum(nearest, center @ center[best])
            free[best] = False
        others = shuffled[~np.isin(shuffled, chosen)]
        return [*chosen, *others[: n - len(chosen)].tolist()]


def _cluster(matrix: sparse.csr_array, number: int, rng: np.random.RandomState) -> tuple[Floats, Floats]:
    """The sizes and the centers (clusters, words) of spherical k-means; of very many documents, of some."""
    some = rng.permutation(matrix.shape[0])[:_MAX_CLUSTERED]
    part = sparse.csr_array(matrix[some])
    number = min(number, len(some))
    cluster = spherical_kmeans(part, number, np.empty(0, dtype=np.intp), rng)
    size = np.bincount(cluster, minlength=number).astype(np.float64)
    return size[size > 0], cluster_centers(part, cluster, number)[size > 0]
