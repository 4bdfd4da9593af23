"""What positive documents tell of a classifier where there are no negatives."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from plsa.engine.parameters import Floats

FEW_POSITIVES = 5  # with fewer, nothing that is estimated by them can be trusted
_DOUBT = 0.1  # that the recall of positives is lower than it is taken for


def recall_above(found: ArrayLike, number: int, doubt: float = _DOUBT) -> Floats:
    """What the recall is above, but for a doubt of 10%, where `found` of a `number` of positives are found.

    Of the k-th highest of n positives it is distributed as beta(k, n + 1 - k).
    """
    k = np.asarray(found, dtype=np.float64)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), number + 1 - np.maximum(k, 1), doubt), 0.0)


def recall_criterion(recall: ArrayLike, flagged: ArrayLike) -> Floats:
    """r^2 / P(f = 1), which is precision times recall divided by the share of positives, a constant.

    Of classifiers of the same documents, the one with the highest has the highest precision times recall,
    and neither of the two need be known: `recall` is that of positives held out, `flagged` the share of
    unlabeled documents that are taken for positive. 0 where nothing is found. W. S. Lee and B. Liu,
    "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression", ICML 2003.
    """
    found, taken = np.asarray(recall, dtype=np.float64), np.asarray(flagged, dtype=np.float64)
    value = np.zeros(np.broadcast_shapes(found.shape, taken.shape))
    with np.errstate(divide="ignore"):
        np.divide(found**2, taken, out=value, where=found > 0)
    return value
