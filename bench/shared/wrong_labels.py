"""Labels that are made wrong on purpose, and known to be."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

SYMMETRIC, CONFUSABLE = "symmetric", "confusable"
KINDS = (SYMMETRIC, CONFUSABLE)
_TO_NEIGHBOR = 0.8  # of the errors that are confusable


def nearest_class(counts: Any, y: np.ndarray) -> np.ndarray:
    """For each class the one whose mean TF-IDF, less the mean of all classes, has the highest cosine."""
    rows = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    means = np.vstack([np.asarray(rows[y == each].mean(axis=0)) for each in range(y.max() + 1)])
    means -= means.mean(axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    likeness = means @ means.T
    np.fill_diagonal(likeness, -np.inf)
    return likeness.argmax(axis=1)


def with_errors(
    y: np.ndarray, labeled: np.ndarray, share: float, kind: str, nearest: np.ndarray, seed: int
) -> np.ndarray:
    """The classes, those of a share of the labeled documents being wrong.

    Symmetric: any other class is as probable. Confusable: four in five go to the nearest class.
    """
    rng = np.random.default_rng((seed, 77))
    given, n_classes = y.copy(), y.max() + 1
    turned = rng.permutation(labeled)[: round(share * len(labeled))]
    given[turned] = (y[turned] + rng.integers(1, n_classes, len(turned))) % n_classes
    if kind == CONFUSABLE:
        near = turned[rng.random(len(turned)) < _TO_NEIGHBOR]
        given[near] = nearest[y[near]]
    return given
