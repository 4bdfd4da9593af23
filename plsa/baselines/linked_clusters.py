"""K-means on the sphere with links between positive documents and all others, and a learned metric.

Documents and centers have unit length. Sums over the documents of a cluster stand for the links: memory,
beyond the documents, is a few (documents, clusters) and (clusters, words) matrices.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from plsa.engine.parameters import Floats, Mask, Places
from plsa.learning.clusters import START_DOCUMENTS, mean_vectors, members, unit

_METRIC_PRIOR = 10.0  # times the mean spread of a word is added to the spread of each


def under_metric(matrix: sparse.csr_array, metric: Floats) -> sparse.csr_array:
    """Words multiplied by the roots of their weights, documents at unit length again."""
    data = matrix.data * np.sqrt(metric)[matrix.indices]
    weighted = sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return sparse.csr_array(normalize(weighted, copy=False))


def squares(matrix: sparse.csr_array) -> Floats:
    """|x|^2 of each row: 1, or 0 where there is nothing."""
    return np.asarray((matrix * matrix).sum(axis=1), dtype=np.float64).ravel()


def distances(matrix: sparse.csr_array, length: Floats, center: Floats) -> Floats:
    """(D, K): |x - center|^2."""
    of_center = np.einsum("kw,kw->k", center, center)
    return np.asarray(length[:, np.newaxis] - 2 * (matrix @ center.T) + of_center)


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """How many documents of a kind a cluster has, and the sums of |x|^2 and of x over them."""

    number: Floats  # (K,)
    square: Floats  # (K,)
    vector: Floats  # (K, W)

    def distances(self, matrix: sparse.csr_array, length: Floats) -> Floats:
        """(D, K): the sum of |x - x_e|^2 over the documents e of a cluster."""
        crossed = matrix @ self.vector.T
        return np.asarray(length[:, np.newaxis] * self.number + self.square - 2 * crossed)

    def closeness(self, matrix: sparse.csr_array, length: Floats, farthest: float) -> Floats:
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

    label: Places  # (D,) the cluster of each document
    center: Floats  # (K, W)
    trace: list[float]  # the objective after each round


@dataclass(frozen=True, slots=True)
class LinkedDocuments:
    """Documents at unit length, which of them are positive, and what broken links cost."""

    matrix: sparse.csr_array
    positive: Mask
    must: float  # for each must-link
    cannot: float  # for each cannot-link
    length: Floats  # |x|^2
    farthest: float  # F

    @classmethod
    def of(cls, matrix: sparse.csr_array, positive: Mask, must: float, cannot: float) -> "LinkedDocuments":
        """Documents of which these are positive."""
        length = squares(matrix)
        return cls(matrix, positive, must, cannot, length, float(np.sort(length)[-2:].sum()))

    def sums(self, label: Places, n_clusters: int, kind: Mask) -> ClusterSums:
        """The sums of each cluster over the documents of a kind."""
        member = members(label, n_clusters, kind)
        number = np.asarray(member.sum(axis=1), dtype=np.float64).ravel()
        return ClusterSums(number, member @ self.length, (member @ self.matrix).toarray())

    def centered(self, label: Places, n_clusters: int) -> Clusters:
        """Clusters with the centers that suit them best: means at unit length."""
        everything = np.ones(len(label), dtype=bool)
        return Clusters(label, unit(self.sums(label, n_clusters, everything).vector), [])

    def start(self, n_clusters: int, rng: np.random.RandomState) -> Clusters:
        """The positives' mean as the first center, means of random unlabeled documents as the others."""
        others = np.flatnonzero(~self.positive)
        parts = [np.flatnonzero(self.positive)]
        for _ in range(n_clusters - 1):
            parts.append(rng.choice(others, min(START_DOCUMENTS, len(others)), replace=False))
        center = mean_vectors(self.matrix, parts)
        label = distances(self.matrix, self.length, center).argmin(axis=1)
        label[self.positive] = 0
        return Clusters(label, center, [])

    def descend(self, start: Clusters, max_iter: int) -> Clusters:
        """Rounds of clusters given centers and centers given clusters, until no document moves."""
        label, center = start.label.copy(), start.center
        trace: list[float] = []
        n_clusters = len(center)
        near = distances(self.matrix, self.length, center)
        for _ in range(max_iter):
            before = label.copy()
            self._assign_unlabeled(label, near)
            self._assign_positives(label, near)
            positives, unlabeled = self._both_sums(label, n_clusters)
            used = positives.number + unlabeled.number > 0
            mean = unit(positives.vector + unlabeled.vector)
            center = np.where(used[:, np.newaxis], mean, center)
            near = distances(self.matrix, self.length, center)
            trace.append(self._total(label, near, positives, unlabeled))
            if np.array_equal(label, before):
                break
        return Clusters(label, center, trace)

    def _assign_unlabeled(self, label: Places, near: Floats) -> None:
        """Given the positives', the cluster of every other document depends on no other one's."""
        others = np.flatnonzero(~self.positive)
        positives = self.sums(label, near.shape[1], self.positive)
        close = positives.closeness(self.matrix[others], self.length[others], self.farthest)
        label[others] = (near[others] + self.cannot * close).argmin(axis=1)

    def _assign_positives(self, label: Places, near: Floats) -> None:
        """One by one, those that might want to move, as a look at them all together says."""
        documents = np.flatnonzero(self.positive)
        matrix, length = self.matrix[documents], self.length[documents]
        positives, unlabeled = self._both_sums(label, near.shape[1])
        alone = near[documents] + self.cannot * unlabeled.closeness(matrix, length, self.farthest)
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

    def objective(self, label: Places, center: Floats) -> float:
        """What is made small."""
        near = distances(self.matrix, self.length, center)
        return self._total(label, near, *self._both_sums(label, len(center)))

    def _both_sums(self, label: Places, n_clusters: int) -> tuple[ClusterSums, ClusterSums]:
        """The sums over the positives, and those over the others."""
        return self.sums(label, n_clusters, self.positive), self.sums(label, n_clusters, ~self.positive)

    def _total(self, label: Places, near: Floats, positives: ClusterSums, unlabeled: ClusterSums) -> float:
        """The objective, from distances to centers and from sums."""
        matrix, length = self.matrix[self.positive], self.length[self.positive]
        own = np.arange(len(length)), label[self.positive]
        apart = positives.distances(matrix, length)
        broken_must = (apart.sum() - apart[own].sum()) / 2
        broken_cannot = unlabeled.closeness(matrix, length, self.farthest)[own].sum()
        within = near[np.arange(len(label)), label].sum()
        return float(within + self.must * broken_must + self.cannot * broken_cannot)

    def metric(self, label: Places, n_clusters: int) -> Floats:
        """A weight for each word, with mean 1: in inverse proportion to its spread, some of the mean added.

        The spread of a word is its part in the objective with centers at the means: within clusters, across
        broken must-links, and 2 x_d x_e for each broken cannot-link: summed over words, F - |x_d - x_e|^2.
        """
        squared = self.matrix * self.matrix
        total = self.sums(label, n_clusters, np.ones(len(label), dtype=bool))
        of_means = (total.vector**2 / np.maximum(total.number, 1)[:, np.newaxis]).sum(axis=0)
        within = np.asarray(squared.sum(axis=0)).ravel() - of_means
        positives, unlabeled = self._both_sums(label, n_clusters)
        # Over the pairs of n numbers, the squared differences sum to n sum x^2 - (sum x)^2.
        square = (members(label, n_clusters, self.positive) @ squared).toarray()
        every = positives.number.sum() * square.sum(axis=0) - positives.vector.sum(axis=0) ** 2
        inside = (positives.number[:, np.newaxis] * square - positives.vector**2).sum(axis=0)
        cannot = 2 * (positives.vector * unlabeled.vector).sum(axis=0)
        spread = np.maximum(within + self.must * (every - inside) + self.cannot * cannot, 0.0)
        weight = 1 / (spread + _METRIC_PRIOR * spread.mean()) if spread.any() else np.ones(len(spread))
        return np.asarray(weight / weight.mean())


@dataclass(frozen=True, slots=True)
class FoundClusters:
    """All that judging new documents by clusters needs."""

    center: Floats  # (K, W)
    metric: Floats  # (W,)
    positives: ClusterSums  # of the positive documents of each cluster
    chosen: int  # the positive cluster
    cannot: float  # what a broken cannot-link costs
    farthest: float

    def scores(self, matrix: sparse.csr_array) -> Floats:
        """What a document would cost in the nearest other cluster less what it costs in the positive one."""
        weighted = under_metric(matrix, self.metric)
        length = squares(weighted)
        cost = distances(weighted, length, self.center)
        cost += self.cannot * self.positives.closeness(weighted, length, self.farthest)
        others = np.delete(cost, self.chosen, axis=1).min(axis=1)
        return np.asarray(others - cost[:, self.chosen])
