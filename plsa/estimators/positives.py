"""What every classifier shares that is shown positive documents and unlabelled ones, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import betaincinv
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from plsa import inputs
from plsa.engine.counts import Counts
from plsa.labels.supervision import UNLABELLED, read_positives

FEW_POSITIVES = 5  # with fewer, nothing that is estimated by them can be trusted
_DOUBT = 0.1  # that the recall of positives is lower than it is taken for


class PositiveClassifier(ClassifierMixin, BaseEstimator):
    """The part of a classifier that has to do with what a user shows it: documents they want, and others.

    In y, 1 is a positive document, and 0, -1, None and NaN are all the same: nothing is known of it. A
    classifier has `_learn_positives` and `_scores`, and `_check_parameters` where it has parameters.
    """

    classes_: NDArray[np.intp]
    n_features_in_: int

    def fit(self, X: Any, y: Any) -> Self:
        """Learns what the documents with y == 1 have and most others have not."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, **more: Any) -> Self:
        with inputs.all_or_nothing(self):
            reason = self._learn(X, y, **more)
        if reason == "interrupted":
            raise KeyboardInterrupt
        return self

    def _learn(self, X: Any, y: Any, **more: Any) -> str | None:
        inputs.forget(self)
        self._check_parameters()
        counts = inputs.check_counts(self, X, reset=True, dtype=self._real())
        inputs.check_two_documents(counts)
        positive = self._positives_of(y, counts, **more)
        self.classes_ = np.array([0, 1])
        return self._learn_positives(counts, positive, **more)

    def _positives_of(self, y: Any, counts: Counts, **more: Any) -> NDArray[np.bool_]:
        """Which documents are positive: some, but not all."""
        positive = read_positives(y, counts.n_documents, getattr(self, "unlabeled", UNLABELLED))
        inputs.check_some_unlabelled(positive)
        inputs.check_positive_words(counts, positive)
        return positive

    def _real(self) -> Any:
        """What is computed in; None: as X."""
        return None

    def _check_parameters(self) -> None:
        """Raises where a parameter that the data have no say in is not what it may be."""

    def _learn_positives(self, counts: Counts, positive: NDArray[np.bool_], **more: Any) -> str | None:
        """Learns from what was checked, and what else `_fit` was given; may say why it stopped."""
        raise NotImplementedError

    def _scores(self, counts: Counts) -> NDArray[np.float64]:
        """How positive documents of checked counts are; above 0 they are taken for positive."""
        raise NotImplementedError

    def _new_counts(self, X: Any) -> Counts:
        check_is_fitted(self, "classes_")
        return inputs.check_counts(self, X, reset=False, dtype=self._real())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How positive each document is: the higher, the surer; above 0 it is taken for positive."""
        return self._scores(self._new_counts(X))

    def predict(self, X: Any) -> NDArray[np.intp]:
        """1 for documents that are taken for positive, else 0."""
        above = self.decision_function(X) > 0
        return np.asarray(self.classes_[above.astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # As for naive Bayes: made for counts of words, not for the test suites' blobs in the plane.
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


@dataclass(frozen=True, slots=True)
class Rule:
    """A document is positive where its vector times `weights` is above -`intercept`."""

    weights: NDArray[np.float64]
    intercept: float

    @classmethod
    def of(cls, model: Any) -> Rule:
        """That of a linear model of scikit-learn with two classes."""
        return cls(model.coef_[0], float(model.intercept_[0]))

    def scores(self, matrix: sparse.csr_array) -> NDArray[np.float64]:
        """How far each document is above."""
        return np.asarray(matrix @ self.weights + self.intercept, dtype=np.float64)


def even_weights(positive: NDArray[np.bool_]) -> dict[bool, float]:
    """A positive document counts once, and all others together as much as all positives."""
    return {True: 1.0, False: float(positive.sum() / (~positive).sum())}


def balanced_regression(
    matrix: sparse.csr_array, positive: NDArray[np.bool_], strength: float, max_iter: int = 1000
) -> LogisticRegression:
    """Logistic regression of positives against all others, both weighing the same in all.

    `strength` is the inverse of that of the regularisation, of a positive document.
    """
    model = LogisticRegression(C=strength, class_weight=even_weights(positive), max_iter=max_iter, tol=1e-3)
    return model.fit(matrix, positive)


def recall_above(found: ArrayLike, number: int, doubt: float = _DOUBT) -> NDArray[np.float64]:
    """What the recall is above, but for a doubt of 10%, where `found` of a `number` of positives are found.

    Of the k-th highest of n positives it is distributed as beta(k, n + 1 - k).
    """
    k = np.asarray(found, dtype=np.float64)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), number + 1 - np.maximum(k, 1), doubt), 0.0)


def recall_criterion(recall: ArrayLike, flagged: ArrayLike) -> NDArray[np.float64]:
    """r^2 / P(f = 1), which is precision times recall divided by the share of positives, a constant.

    Of classifiers of the same documents, the one with the highest has the highest precision times recall,
    and neither of the two need be known: `recall` is that of positives held out, `flagged` the share of
    unlabelled documents that are taken for positive. 0 where nothing is found. W. S. Lee and B. Liu,
    "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression", ICML 2003.
    """
    found, taken = np.asarray(recall, dtype=np.float64), np.asarray(flagged, dtype=np.float64)
    value = np.zeros(np.broadcast_shapes(found.shape, taken.shape))
    with np.errstate(divide="ignore"):
        np.divide(found**2, taken, out=value, where=found > 0)
    return value
