"""K-means on the sphere: documents and centers have unit length."""

import numpy as np
from scipy import sparse

from plsa.engine.parameters import Floats, Mask, Places, Rng

START_DOCUMENTS = 20  # whose mean a cluster starts from: one document shares words with too few others
_ROUNDS = 10  # of clusters that are a start


def unit(vectors: Floats) -> Floats:
    """Vectors, the last axis of an array, at unit length; those without any stay."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0))


def spherical_kmeans(matrix: sparse.csr_array, n_clusters: int, first: Places, rng: Rng) -> Places:
    """The cluster of each document: one starts at the documents `first`, if there are any.

    The nearest of the centers by cosine, after a few rounds of clusters and centers: meant to be a start.
    """
    n_documents = matrix.shape[0]
    # Few enough for the means to differ.
    some = int(np.clip(n_documents // (2 * n_clusters), 1, START_DOCUMENTS))
    parts = [rng.choice(n_documents, some, replace=False) for _ in range(n_clusters)]
    if len(first):
        parts[0] = first
    center = mean_vectors(matrix, parts)
    label = np.full(n_documents, -1)
    for _ in range(_ROUNDS):
        before, label = label, np.asarray((matrix @ center.T.astype(matrix.dtype)).argmax(axis=1))
        if np.array_equal(label, before):
            break
        mean = cluster_centers(matrix, label, n_clusters)
        center = np.where(mean.any(axis=1, keepdims=True), mean, center)
    return label


def mean_vectors(matrix: sparse.csr_array, parts: list[Places]) -> Floats:
    """(parts, W): the mean of each part's documents at unit length."""
    return unit(np.array([np.asarray(matrix[part].sum(axis=0)).ravel() for part in parts]))


def cluster_centers(matrix: sparse.csr_array, label: Places, n_clusters: int) -> Floats:
    """(K, W): the mean of each cluster's documents at unit length, zeros where it has none."""
    everything = np.ones(len(label), dtype=bool)
    return unit((members(label, n_clusters, everything) @ matrix).toarray())


def members(label: Places, n_clusters: int, kind: Mask) -> sparse.csr_array:
    """(K, D): 1 where a document of the kind is in the cluster."""
    documents = np.flatnonzero(kind)
    entries = (np.ones(len(documents)), (label[documents], documents))
    return sparse.csr_array(entries, shape=(n_clusters, len(label)))
