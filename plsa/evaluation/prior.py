"""How many positives there may be among the unlabeled documents."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from sklearn.utils import check_random_state

from plsa import inputs
from plsa.estimators.validation import read_positives
from plsa.learning.positives import FEW_POSITIVES, recall_above


@dataclass(frozen=True, slots=True, repr=False)
class PriorEstimate:
    """What `estimate_prior` found; shows itself as a number and an interval."""

    share: float  # of the unlabeled documents, that are positive
    low: float
    high: float
    level: float  # of the interval from `low` to `high`
    n_positives: int
    n_unlabeled: int

    def __float__(self) -> float:
        return self.share

    def __repr__(self) -> str:
        return f"PriorEstimate({self.share:.3f}, {self.level:.0%} from {self.low:.3f} to {self.high:.3f})"


def estimate_prior(
    scores: ArrayLike,
    positive: ArrayLike,
    *,
    level: float = 0.9,
    n_resamples: int = 500,
    random_state: Any = 0,
) -> PriorEstimate:
    """The share of positives among the unlabeled documents, from what a classifier says of both.

    If the positives that are known are like those that are not, then for every threshold t

        P(score > t | unlabeled) >= share * P(score > t | positive),

    with equality where no negative scores above t. The estimate is the ratio of the two at the threshold that
    bounds the share best: the higher it is, the fewer negatives are above it, but the fewer positives there
    are to go by.

    Parameters
    ----------
    scores : (n_documents,) array
        The higher, the more positive. The scores of positives must be those of documents that the classifier
        did not know to be positive, such as `decision_function` in cross-validation (`compare_pu` does that):
        those that it learned from score too high, and the share comes out too low.
    positive : (n_documents,) array
        1 or True for the positives that are known, 0, -1 or False for the unlabeled documents. Where it has
        both 0 and -1, 0 is a known negative, which is left out.
    level : float, default=0.9
        What the interval is meant to hold, see below.
    n_resamples : int, default=500
        Bootstrap samples of the positives.
    random_state : int, RandomState or None, default=0
        Seed of the samples.

    Returns
    -------
    PriorEstimate
        `share`, never above 1, `low` and `high`. Warns where there are fewer than 5 positives, and where
        scores tell nothing, such as constant ones: then the interval is from 0 to 1.

    Notes
    -----
    Where negatives score as high as positives, no threshold is without them: the estimate is then too high,
    `low` with it, and 1 where scores tell nothing. `high` remains what it is: an upper bound. No estimate
    from positives and unlabeled documents alone can do better without assumptions: negatives that look
    like positives in all respects cannot be told from them.

    The k-th highest of n positives has a share of all positives above it that is distributed as beta(k, n +
    1 - k), whatever the scores: k / (n + 1) on average, which makes the ratio at any threshold without
    negatives right on average, however few the positives. `high` is the lowest of the bounds that
    follow from the quantiles of it and of the unlabeled documents' share, each at a tenth of the error
    that `level` allows, and where it is the estimate is made. Thresholds that fewer than half of the
    positives reach are not looked at. `low` is a quantile of what the estimate would have been with other
    positives (Bayesian bootstrap), and approximate: on scores six standard deviations apart it was above the
    share in 5 to 12% of draws at the level 0.9. That the positives that are known may be unlike the others
    is in neither.

    References
    ----------
    C. Elkan and K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data", KDD 2008; S. Garg,
    Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, "Mixture Proportion Estimation and PU Learning: A Modern
    Approach", NeurIPS 2021, who choose the threshold by an upper bound as well.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import estimate_prior
    >>> known, hidden, negative = np.arange(1, 21) / 20, np.arange(1, 41) / 40, -np.ones(160)
    >>> scores = np.concatenate([known, hidden, negative])
    >>> estimate_prior(scores, np.arange(220) < 20)
    PriorEstimate(0.205, 90% from 0.195 to 0.338)
    """
    value = inputs.check_scores(scores)
    inputs.check_entries(positive, "positive", len(value))
    read = read_positives(positive, len(value), name="positive")
    known, unlabeled = read.positive, read.unlabeled
    level = inputs.check_share(level, "level")
    n_resamples = inputs.check_whole(n_resamples, "n_resamples", 1)
    n_known, n_others = int(known.sum()), int(unlabeled.sum())
    if n_known < FEW_POSITIVES:
        few = (
            f"positive marks {inputs.counted(n_known, 'document')}: too few to tell how many more there are."
        )
        inputs.warn(f"{few} Show at least {FEW_POSITIVES}.")
    found, others = np.sort(value[known])[::-1], np.sort(value[unlabeled])
    above = n_others - np.searchsorted(others, found, side="left")
    number = np.arange(1, n_known + 1)
    mean_share = number / (n_known + 1)
    error = (1 - level) / 10
    lowest_recall = recall_above(number, n_known, error)
    below = n_others - above
    highest = np.where(below > 0, betaincinv(above + 1, np.maximum(below, 1), 1 - error), 1.0)
    allowed = number >= n_known / 2
    bound = np.where(allowed, highest / lowest_recall, np.inf)
    best = int(bound.argmin())
    share = min(1.0, float(above[best] / (n_others * mean_share[best])))
    if above[allowed].min() == n_others:
        same = "every unlabeled document scores as high as half of the positives or more"
        inputs.warn(f"scores tell nothing of the share: {same}. It may be anything; are the scores constant?")
        return PriorEstimate(share, 0.0, 1.0, level, n_known, n_others)
    gaps = check_random_state(random_state).dirichlet(np.ones(n_known + 1), n_resamples)
    ratio = above / (n_others * np.cumsum(gaps, axis=1)[:, :-1])
    chosen = np.where(allowed, ratio * mean_share / lowest_recall, np.inf).argmin(axis=1)
    low = float(np.quantile(ratio[np.arange(n_resamples), chosen], (1 - level) / 2))
    return PriorEstimate(share, min(low, share), min(1.0, float(bound[best])), level, n_known, n_others)
