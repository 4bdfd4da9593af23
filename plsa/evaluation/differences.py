"""Whether one classifier is better than another, by documents that both were judged by.

In repeated folds the same few labeled documents are learned from and judged by again and again: figures of
folds are no independent draws, and an ordinary t-test would find differences where there are none.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from plsa.engine.parameters import Floats, Mask

LEVEL = 0.05  # of chance finds that are put up with


@dataclass(frozen=True, slots=True)
class Difference:
    """The accuracy of one classifier minus that of another."""

    mean: float
    half_width: float  # of its interval of 95%
    p: float  # of this comparison alone
    p_of_many: float  # corrected for all comparisons
    seen: float  # what it would have had to be, to be told from chance

    @property
    def real(self) -> bool:
        """Whether chance is ruled out."""
        return self.p_of_many < LEVEL


def resampled_error(values: Floats, n_splits: int) -> float:
    """The standard error of the mean of what all folds have given: sqrt((1 / J + 1 / (n_splits - 1)) s^2).

    J is the number of folds in all repeats and s^2 the variance among them; 1 / (n_splits - 1), the size of a
    test part over that of its training part, stands for what the parts share (Nadeau and Bengio, "Inference
    for the Generalization Error", Machine Learning 2003).
    """
    return float(np.sqrt((1 / len(values) + 1 / (n_splits - 1)) * np.var(values, ddof=1)))


def holm(p: Floats) -> Floats:
    """p-values of several tests, corrected so that the chance of any false find stays below the level.

    That of rank i among m, from the lowest, is the highest of (m - j + 1) p_j, j <= i (Holm 1979).

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.04, 0.01, 0.03])).round(3).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(corrected, 1.0)


def fewest(level: float) -> int:
    """On how many documents two classifiers must differ, before their difference can be told from chance.

    Were they alike, each of these documents would speak for either as a coin falls: that all speak for one,
    no matter which, has probability 2^(1 - number).
    """
    return 1 + int(np.ceil(np.log2(1 / level)))


def comparisons(n_models: int, by_name: bool) -> int:
    """How many pairs are compared: each with one that was named, or all, as any might have been the best."""
    return n_models - 1 if by_name else n_models * (n_models - 1) // 2


def differences(
    shares: Mapping[str, Floats], right: Mapping[str, Mask], n_splits: int, reference: str, by_name: bool
) -> dict[str, Difference]:
    """Of all other classifiers to `reference`, in accuracy.

    `shares` has the accuracy in every fold, `right` (repeats, documents) whether a classifier was right. A
    p-value is that of the paired t-test with the error of `resampled_error`, but no lower than the number of
    documents allows on which two classifiers differ (see `fewest`).

    Many comparisons find something by chance. Those with a reference that is known `by_name` beforehand are
    corrected by Holm's method. The best is found by the same figures, and is the best by chance among models
    that are alike: p is then the chance that any two of so many lie as far apart (Tukey's range).
    """
    others = [name for name in shares if name != reference]
    if not others:
        return {}
    means, errors, statistic, coins = (np.empty(len(others)) for _ in range(4))
    freedom = len(shares[reference]) - 1
    for place, name in enumerate(others):
        gaps = shares[name] - shares[reference]
        mean, error = gaps.mean(), resampled_error(gaps, n_splits)
        means[place], errors[place] = mean, error
        statistic[place] = abs(mean) / error if error > 0 else np.inf if mean else 0.0
        coins[place] = min(1.0, 2.0 ** (1 - int(np.any(right[name] != right[reference], axis=0).sum())))
    p = np.maximum(2 * stats.t.sf(statistic, freedom), coins)
    n_pairs = comparisons(len(shares), by_name)
    if by_name:
        corrected = holm(p)
        # What is left to be told has to be so at this level.
        level = LEVEL / max(1, int((corrected >= LEVEL).sum()))
        needed = stats.t.isf(level / 2, freedom)
    else:
        spread = stats.studentized_range(len(shares), freedom)
        corrected = np.maximum(spread.sf(np.sqrt(2) * statistic), np.minimum(1.0, coins * n_pairs))
        level, needed = LEVEL / n_pairs, spread.isf(LEVEL) / np.sqrt(2)
    seen = np.maximum(needed * errors, fewest(level) / right[reference].shape[1])
    half = stats.t.isf((1 - 0.95) / 2, freedom) * errors
    found = zip(means, half, p, corrected, seen, strict=True)
    return {name: Difference(*map(float, each)) for name, each in zip(others, found, strict=True)}
