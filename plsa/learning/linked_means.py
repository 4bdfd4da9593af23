"""K-means on the sphere: plain, or with links between positive documents and all others and a learnt metric.

Documents and centres have unit length. Sums over the documents of a cluster stand for the links: memory,
beyond the documents, is a few (documents, clusters) and (clusters, words) matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

_START_DOCUMENTS = 20  # whose mean a cluster starts from: one document shares words with too few others
_ROUNDS = 10  # of clusters that are a start
_METRIC_PRIOR = 10.0  # times the mean spread of a word is added to the spread of each


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors, the last axis of an array, at unit length; those without any stay."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0))


def under_metric(matrix: sparse.csr_array, metric: NDArray[np.float64]) -> sparse.csr_array:
    """Words multiplied by the roots of their weights, documents at unit length again."""
    weighted = sparse.csr_array(
        (matrix.data * np.sqrt(metric)[matrix.indices], matrix.indices, matrix.indptr), shape=matrix.shape
    )
    return sparse.csr_array(normalize(weighted, copy=False))


def squares(matrix: sparse.csr_array) -> NDArray[np.float64]:
    """|x|^2 of each row: 1, or 0 where there is nothing."""
    return np.asarray((matrix * matrix).sum(axis=1), dtype=np.float64).ravel()


def distances(
    matrix: sparse.csr_array, length: NDArray[np.float64], centre: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(D, K): |x - centre|^2."""
    of_centre = np.einsum("kw,kw->k", centre, centre)
    return np.asarray(length[:, np.newaxis] - 2 * (matrix @ centre.T) + of_centre)


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """How many documents of a kind a cluster has, and the sums of |x|^2 and of x over them."""

    number: NDArray[np.float64]  # (K,)
    square: NDArray[np.float64]  # (K,)
    vector: NDArray[np.float64]  # (K, W)

    def distances(self, matrix: sparse.csr_array, length: NDArray[np.float64]) -> NDArray[np.float64]:
        """(D, K): the sum of |x - x_e|^2 over the documents e of a cluster."""
        crossed = matrix @ self.vector.T
        return np.asarray(length[:, np.newaxis] * self.number + self.square - 2 * crossed)

    def closeness(
        self, matrix: sparse.csr_array, length: NDArray[np.float64], farthest: float
    ) -> NDArray[np.float64]:
        """(D, K): the sum of F - |x - x_e|^2 over the documents e of a cluster."""
        return np.asarray(farthest * self.number - self.distances(matrix, length))

    def move(self, row: sparse.csr_array, length: float, old: int, new: int) -> None:
        """One document goes from one cluster to another."""
        for cluster, sign in ((old, -1), (new, 1)):
            self.number[cluster] += sign
            self.square[cluster] += sign * length
            self.vector[cluster, row.indices] += sign * row.data


@dataclass(frozen=True, slots=True)
class Clusters:
    """Where a descent begins or ended."""

    label: NDArray[np.intp]  # (D,) the cluster of each document
    centre: NDArray[np.float64]  # (K, W)
    trace: list[float]  # the objective after each round


@dataclass(frozen=True, slots=True)
class LinkedDocuments:
    """Documents at unit length, which of them are positive, and what broken links cost."""

    matrix: sparse.csr_array
    positive: NDArray[np.bool_]
    must: float  # for each must-link
    cannot: float  # for each cannot-link
    length: NDArray[np.float64]  # |x|^2
    farthest: float  # F

    @classmethod
    def of(
        cls, matrix: sparse.csr_array, positive: NDArray[np.bool_], must: float, cannot: float
    ) -> LinkedDocuments:
        """Documents of which these are positive."""
        length = squares(matrix)
        return cls(matrix, positive, must, cannot, length, float(np.sort(length)[-2:].sum()))

    def sums(self, label: NDArray[np.intp], n_clusters: int, kind: NDArray[np.bool_]) -> ClusterSums:
        """The sums of each cluster over the documents of a kind."""
        member = _member(label, n_clusters, kind)
        number = np.asarray(member.sum(axis=1), dtype=np.float64).ravel()
        return ClusterSums(number, member @ self.length, (member @ self.matrix).toarray())

    def centred(self, label: NDArray[np.intp], n_clusters: int) -> Clusters:
        """Clusters with the centres that suit them best: means at unit length."""
        everything = np.ones(len(label), dtype=bool)
        return Clusters(label, unit(self.sums(label, n_clusters, everything).vector), [])

    def start(self, n_clusters: int, rng: np.random.RandomState) -> Clusters:
        """The positives' mean as the first centre, means of random unlabelled documents as the others."""
        others = np.flatnonzero(~self.positive)
        parts = [np.flatnonzero(self.positive)]
        for _ in range(n_clusters - 1):
            parts.append(rng.choice(others, min(_START_DOCUMENTS, len(others)), replace=False))
        centre = unit(np.array([np.asarray(self.matrix[part].sum(axis=0)).ravel() for part in parts]))
        label = distances(self.matrix, self.length, centre).argmin(axis=1)
        label[self.positive] = 0
        return Clusters(label, centre, [])

    def descend(self, start: Clusters, max_iter: int) -> Clusters:
        """Rounds of clusters given centres and centres given clusters, until no document moves."""
        label, centre = start.label.copy(), start.centre
        trace: list[float] = []
        n_clusters = len(centre)
        near = distances(self.matrix, self.length, centre)
        for _ in range(max_iter):
            before = label.copy()
            self._assign_unlabelled(label, near)
            self._assign_positives(label, near)
            positives = self.sums(label, n_clusters, self.positive)
            unlabelled = self.sums(label, n_clusters, ~self.positive)
            used = positives.number + unlabelled.number > 0
            mean = unit(positives.vector + unlabelled.vector)
            centre = np.where(used[:, np.newaxis], mean, centre)
            near = distances(self.matrix, self.length, centre)
            trace.append(self._total(label, near, positives, unlabelled))
            if np.array_equal(label, before):
                break
        return Clusters(label, centre, trace)

    def _assign_unlabelled(self, label: NDArray[np.intp], near: NDArray[np.float64]) -> None:
        """Given the positives', the cluster of every other document depends on no other one's."""
        others = np.flatnonzero(~self.positive)
        positives = self.sums(label, near.shape[1], self.positive)
        close = positives.closeness(self.matrix[others], self.length[others], self.farthest)
        label[others] = (near[others] + self.cannot * close).argmin(axis=1)

    def _assign_positives(self, label: NDArray[np.intp], near: NDArray[np.float64]) -> None:
        """One by one, those that might want to move, as a look at them all together says."""
        documents = np.flatnonzero(self.positive)
        matrix, length = self.matrix[documents], self.length[documents]
        unlabelled = self.sums(label, near.shape[1], ~self.positive)
        alone = near[documents] + self.cannot * unlabelled.closeness(matrix, length, self.farthest)
        positives = self.sums(label, near.shape[1], self.positive)
        # Must-links to all but those in the cluster are broken; the sum over all is the same everywhere.
        cost = alone - self.must * positives.distances(matrix, length)
        present = label[documents]
        for place in np.flatnonzero(cost.min(axis=1) < cost[np.arange(len(documents)), present]):
            row = matrix[[place]]
            now = alone[place] - self.must * positives.distances(row, length[[place]])[0]
            best = int(now.argmin())
            if now[best] < now[present[place]]:
                positives.move(row, float(length[place]), int(present[place]), best)
                label[documents[place]] = best

    def objective(self, label: NDArray[np.intp], centre: NDArray[np.float64]) -> float:
        """What is made small."""
        positives, unlabelled = (
            self.sums(label, len(centre), kind) for kind in (self.positive, ~self.positive)
        )
        return self._total(label, distances(self.matrix, self.length, centre), positives, unlabelled)

    def _total(
        self,
        label: NDArray[np.intp],
        near: NDArray[np.float64],
        positives: ClusterSums,
        unlabelled: ClusterSums,
    ) -> float:
        """The objective, from distances to centres and from sums."""
        matrix, length = self.matrix[self.positive], self.length[self.positive]
        own = np.arange(len(length)), label[self.positive]
        apart = positives.distances(matrix, length)
        broken_must = (apart.sum() - apart[own].sum()) / 2
        broken_cannot = unlabelled.closeness(matrix, length, self.farthest)[own].sum()
        within = near[np.arange(len(label)), label].sum()
        return float(within + self.must * broken_must + self.cannot * broken_cannot)

    def metric(self, label: NDArray[np.intp], n_clusters: int) -> NDArray[np.float64]:
        """A weight for each word, with mean 1: in inverse proportion to its spread, some of the mean added.

        The spread of a word is its part in the objective with centres at the means: within clusters, across
        broken must-links, and 2 x_d x_e for each broken cannot-link: summed over words, F - |x_d - x_e|^2.
        """
        squared = self.matrix * self.matrix
        total = self.sums(label, n_clusters, np.ones(len(label), dtype=bool))
        of_means = (total.vector**2 / np.maximum(total.number, 1)[:, np.newaxis]).sum(axis=0)
        within = np.asarray(squared.sum(axis=0)).ravel() - of_means
        positives = self.sums(label, n_clusters, self.positive)
        unlabelled = self.sums(label, n_clusters, ~self.positive)
        # Over the pairs of n numbers, the squared differences sum to n sum x^2 - (sum x)^2.
        square = (_member(label, n_clusters, self.positive) @ squared).toarray()
        every = positives.number.sum() * square.sum(axis=0) - positives.vector.sum(axis=0) ** 2
        inside = (positives.number[:, np.newaxis] * square - positives.vector**2).sum(axis=0)
        cannot = 2 * (positives.vector * unlabelled.vector).sum(axis=0)
        spread = np.maximum(within + self.must * (every - inside) + self.cannot * cannot, 0.0)
        weight = 1 / (spread + _METRIC_PRIOR * spread.mean()) if spread.any() else np.ones(len(spread))
        return np.asarray(weight / weight.mean())


def means(
    matrix: sparse.csr_array, n_clusters: int, first: NDArray[np.intp], rng: np.random.RandomState
) -> NDArray[np.intp]:
    """The cluster of each document, without links: one starts at the documents `first`, if there are any.

    The nearest of the centres by cosine, after a few rounds of clusters and centres: meant to be a start.
    """
    n_documents = matrix.shape[0]
    # Few enough for the means to differ.
    some = int(np.clip(n_documents // (2 * n_clusters), 1, _START_DOCUMENTS))
    parts = [rng.choice(n_documents, some, replace=False) for _ in range(n_clusters)]
    if len(first):
        parts[0] = first
    centre = unit(np.array([np.asarray(matrix[part].sum(axis=0)).ravel() for part in parts]))
    label = np.full(n_documents, -1)
    for _ in range(_ROUNDS):
        before, label = label, np.asarray((matrix @ centre.T.astype(matrix.dtype)).argmax(axis=1))
        if np.array_equal(label, before):
            break
        mean = centres(matrix, label, n_clusters)
        centre = np.where(mean.any(axis=1, keepdims=True), mean, centre)
    return label


def centres(matrix: sparse.csr_array, label: NDArray[np.intp], n_clusters: int) -> NDArray[np.float64]:
    """(K, W): the mean of each cluster's documents at unit length, zeros where it has none."""
    everything = np.ones(len(label), dtype=bool)
    return unit((_member(label, n_clusters, everything) @ matrix).toarray())


def _member(label: NDArray[np.intp], n_clusters: int, kind: NDArray[np.bool_]) -> sparse.csr_array:
    """(K, D): 1 where a document of the kind is in the cluster."""
    documents = np.flatnonzero(kind)
    entries = (np.ones(len(documents)), (label[documents], documents))
    return sparse.csr_array(entries, shape=(n_clusters, len(label)))
