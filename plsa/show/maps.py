"""Places of documents in the plane."""

from typing import Any

import numpy as np
from sklearn.utils.extmath import svd_flip

from plsa.engine.parameters import Floats, Mask, Places
from plsa.inputs import check_choice

NAMES = {"tsne": "by t-SNE", "pca": "by PCA", "umap": "by UMAP"}
_MOST = 1000  # documents that are placed: seconds, not minutes
_FEWEST = 8  # documents, no two alike, that t-SNE makes sense of
_PERPLEXITY = 30.0
_ROUNDS = 500


def check_places(method: Any, n_documents: int) -> Floats | None:
    """The places of documents, if a user has them; None for a way to find them."""
    if isinstance(method, str):
        check_choice(method, "method", [*NAMES])
        return None
    places = np.asarray(method, dtype=np.float64)
    if places.shape != (n_documents, 2) or not np.isfinite(places).all():
        must = f"of shape ({n_documents}, 2) and finite: a place for each document"
        raise ValueError(f"method is an array of shape {places.shape}, but must be {must}.")
    return places


def some(given: Mask, seed: int) -> Places:
    """The documents to place: all, or if they are too many as many as can be, up to half of them labeled.

    Fewer of one kind make room for more of the other.
    """
    if len(given) <= _MOST:
        return np.arange(len(given))
    order = np.random.default_rng(seed).permutation(len(given))
    labeled, other = order[given[order]], order[~given[order]]
    n_labeled = max(min(len(labeled), _MOST // 2), _MOST - len(other))
    return np.sort(np.concatenate([labeled[:n_labeled], other[: _MOST - n_labeled]]))


def placed(rows: Floats, method: str, seed: int) -> Floats:
    """Two dimensions of rows; few that differ are placed by PCA."""
    if method == "umap":
        try:
            from umap import UMAP
        except ImportError as error:
            raise ImportError("method == 'umap' needs umap-learn: pip install umap-learn.") from error
        return np.asarray(UMAP(random_state=seed).fit_transform(rows), dtype=np.float64)
    n_different = len(np.unique(rows, axis=0))
    if method == "pca" or n_different < _FEWEST:
        left, size, right = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
        found = svd_flip(left, right, u_based_decision=False)[0] * size
        return np.column_stack([found, np.zeros((len(rows), 2))])[:, :2]
    from sklearn.manifold import TSNE  # takes its time to import, and few maps are drawn

    perplexity = min(_PERPLEXITY, (n_different - 1) / 3)
    placer = TSNE(perplexity=perplexity, max_iter=_ROUNDS, random_state=seed)
    return np.asarray(placer.fit_transform(rows), dtype=np.float64)
