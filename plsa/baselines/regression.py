"""Weighted logistic regression, after Lee and Liu (2003)."""

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from plsa.baselines.vectors import LinearClassifier, Matrix, TfidfClassifier
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats, Places
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import Rule, balanced_regression
from plsa.inputs import check_strength
from plsa.labels.reading import Known
from plsa.learning.positives import recall_above, recall_criterion


def _check_strengths(given: Any, name: str) -> list[float]:
    """One number above 0, or several, as a list that ascends."""
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        return [check_strength(given, name, above=0.0)]
    several = sorted(check_strength(each, name, above=0.0) for each in given)
    if not several:
        raise ValueError(f"{name} is empty: give a number above 0, or several to choose from.")
    return several


@estimator
class WeightedLogisticRegression(LinearClassifier, TfidfClassifier):
    """Logistic regression with the unlabeled documents as negatives, weighted by what is found.

    Both classes weigh the same in all, whatever their numbers; a known negative weighs more than an unlabeled
    document, and at most a tenth of a positive one. Regularization, and the weight of positives beyond that,
    are those that are best at telling documents that are held out: the highest r^2 / P(f = 1), where r is the
    recall of held-out positives and P(f = 1) the share of held-out unlabeled documents that are taken for
    positive. It is in proportion to precision times recall, and needs no negatives.

    Notes
    -----
    In a logistic model a weight k of a class is log k on its intercept (and, with regularization, little
    else): so one fit for each C and part serves all weights. Of them, only those that find at least half of
    the held-out positives are looked at, and r is a lower bound of the recall: with ten positives, three that
    are alike would otherwise decide. Known negatives are left out meanwhile: they tend to be like one of the
    positives, which would come out too low while it is held out.

    References
    ----------
    W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression",
    ICML 2003.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import WeightedLogisticRegression
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = WeightedLogisticRegression(random_state=0).fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    _parameters: ClassVar[str] = """
    C : float or sequence of float
        Inverse strength of regularization, of a positive document; several are tried.
    n_splits : int >= 2
        Parts that documents are held out in, no more than there are positives.
    max_iter : int >= 1
        Most iterations of a regression.
    random_state : int, RandomState or None
        Seed of the parts.
    """
    _attributes: ClassVar[str] = """
    C_ : float
        What was chosen; the smallest where there is one positive document and nothing can be held out.
    threshold_ : float
        What is taken from the regression's own intercept.
    criterion_ : float
        r^2 / P(f = 1) of what was chosen, r being a lower bound; nan where nothing can be held out.
    n_iter_ : int
        Iterations of the last regression.
    """

    _checks: ClassVar[dict[str, Any]] = {"C": _check_strengths}

    C: Any = (0.01, 0.1, 1.0)
    _: KW_ONLY
    n_splits: int = 5
    max_iter: int = 1000
    random_state: Any = None

    def _learn_rule(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Rule, Fitted]:
        positive, unlabeled = known.positive, known.unlabeled
        strengths = _check_strengths(self.C, "C")
        n_splits = min(self.n_splits, int(positive.sum()), int(unlabeled.sum()))
        criterion, threshold, chosen = float("nan"), 0.0, strengths[0]
        if n_splits > 1:
            fold = _dealt(known, n_splits, check_random_state(self.random_state))
            tried = []
            for strength in strengths:
                scores = np.empty(len(positive))
                for part in range(n_splits):
                    held, left = fold == part, (fold != part) & ~known.negative
                    model = balanced_regression(matrix[left], known.part(left), strength, self.max_iter)
                    scores[held] = Rule.of(model).scores(matrix[held])
                tried.append((*best_threshold(scores[positive], scores[unlabeled]), strength))
            # Of equals the most regularized, which comes first.
            criterion, threshold, chosen = max(tried, key=lambda found: found[0])
        model = balanced_regression(matrix, known, chosen, self.max_iter)
        rule = Rule.of(model)
        return Rule(rule.weights, rule.intercept - threshold), {
            "C_": chosen,
            "threshold_": threshold,
            "criterion_": criterion,
            "n_iter_": int(model.n_iter_[0]),
        }


def _dealt(known: Known, n_splits: int, rng: np.random.RandomState) -> Places:
    """The part of each document: positives and unlabeled ones are dealt out evenly, at random; else -1."""
    fold = np.full(len(known.positive), -1)
    for kind in (known.positive, known.unlabeled):
        fold[kind] = rng.permutation(np.arange(kind.sum()) % n_splits)
    return fold


def best_threshold(positive: Floats, unlabeled: Floats) -> tuple[float, float]:
    """The highest r^2 / P(f = 1) of these scores, and the threshold that has it.

    r is what the recall is above with 90% certainty. One more unlabeled document than is seen is counted
    above a threshold: there may always be one. The threshold is halfway between the lowest positive above it
    and what comes next, and at least half of the positives are above it.
    """
    found = np.sort(positive)[::-1]
    others = np.sort(unlabeled)
    number = np.arange(1, len(found) + 1)
    recall = recall_above(number, len(found))
    above = len(others) - np.searchsorted(others, found, side="left")
    criterion = recall_criterion(recall, (above + 1) / (len(others) + 1))
    best = int(np.where(number >= len(found) / 2, criterion, -1.0).argmax())
    everything = np.concatenate([positive, unlabeled])
    lower = everything[everything < found[best]]
    threshold = (found[best] + lower.max()) / 2 if len(lower) else found[best] - 1.0
    return float(criterion[best]), float(threshold)
