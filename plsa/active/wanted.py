"""Sessions about one wanted class: how probably documents are of it, quickly."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.engine.parameters import Floats, Mask
from plsa.labels.reading import Labels

_STRENGTH = 10.0  # the inverse of that of the regularization
_OTHERS = 20_000  # documents without a label, at most


def likely_wanted(vectors: sparse.csr_array, labels: Labels, wanted: Any) -> Floats:
    """(D,): the higher, the more probably a document is wanted; some label is.

    The sum of what two regressions say, each at standard deviation 1. One is of the labeled documents alone,
    if one is known not to be wanted; both sides weigh the same. The other takes unlabeled documents for not
    wanted: all of them together weigh as much as the wanted ones, and so do those that are known not to be.
    """
    known = labels.labeled
    positive = labels.code == labels.classes.tolist().index(wanted)
    negative = known & ~positive
    even = np.where(positive, 1.0, positive.sum() / max(1, negative.sum()))
    # Of very many documents some are enough.
    others = np.random.RandomState(0).permutation(np.flatnonzero(~known))[:_OTHERS]
    weight = np.where(known, even, 0.0)
    weight[others] = positive.sum() / max(1, len(others))
    score = _said(vectors, positive, weight)
    if negative.any():
        score = score + _said(vectors, positive, np.where(known, even, 0.0))
    return score


def _said(vectors: sparse.csr_array, positive: Mask, weight: Floats) -> Floats:
    """What a regression of the documents that have a weight says of all, at standard deviation 1."""
    some, model = np.flatnonzero(weight), LogisticRegression(C=_STRENGTH, max_iter=1000)
    # Threads cost more than they bring for products this small, and change the bits.
    with threadpool_limits(1, user_api="blas"):
        model.fit(vectors[some], positive[some], sample_weight=weight[some])
        score = np.asarray(model.decision_function(vectors), dtype=np.float64)
    return np.asarray((score - score.mean()) / max(float(score.std()), np.finfo(float).tiny))
