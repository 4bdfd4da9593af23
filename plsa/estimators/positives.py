"""What every classifier shares that is shown positive documents and unlabeled ones, and nothing else."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats, Places
from plsa.estimators.base import CountEstimator, Fitted, to_score
from plsa.estimators.validation import check_labels, check_weight, read_positives
from plsa.inputs import counted
from plsa.labels.reading import UNLABELED, Known, of_one_type
from plsa.learning.parts import DECISION, Parts, linear_parts

# People say no to what is much like what they want. As heavy as positives, such documents drown what tells
# positives from all others: measured on four corpora, average precision fell, where a tenth lets it rise.
_NEGATIVE_WEIGHT = 0.1
LINEAR = "a linear classifier"


class PositiveClassifier(ClassifierMixin, CountEstimator):
    """A classifier that is shown documents that a user wants, and others.

    In y, 1 is a positive document, and -1, None and NaN say that nothing is known of it. Beside such marks 0
    is a document that is known not to be wanted, and teaches as such; in a y of 1 and 0 alone, 0 is a mark
    too. A classifier has `_learn_positives` and `_scores`.
    """

    _attributes: ClassVar[str] = """
    classes_ : array([0, 1])
        1 is positive.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns what the documents with y == 1 have and most others have not."""
        return self._fit(X, y)

    def _learn(self, counts: Counts, *given: Any) -> Fitted:
        if counts.n_documents < 2:
            raise ValueError("X has 1 sample, but a positive and an unlabeled document are two: add more.")
        y, *more = given
        known = self._read(y, counts, *more)
        return {"classes_": np.array([0, 1])} | self._learn_positives(counts, known, *more)

    def _read(self, y: Any, counts: Counts, *more: Any) -> Known:
        """What is known of documents: some are positive, but not all, and not all of these are empty."""
        known = read_positives(y, counts.n_documents, getattr(self, "unlabeled", UNLABELED))
        positive = known.positive
        if not counts.of_documents(np.flatnonzero(positive)).total() > 0:
            found = f"X has not one word in {counted(int(positive.sum()), 'positive document')}"
            raise ValueError(f"{found} to look for. Check the vocabulary of the vectorizer.")
        return known

    def _learn_positives(self, counts: Counts, known: Known, *more: Any) -> Fitted:
        """What is learned from checked counts, and what else `fit` was given."""
        raise NotImplementedError

    def _scores(self, counts: Counts) -> Floats:
        """How positive documents of checked counts are; above 0 they are taken for positive."""
        raise NotImplementedError

    def decision_parts(self, X: Any) -> Parts:
        """What decides about one document, as a sum over its words; `plsa.explain` shows it.

        The scores of 0 and 1 are as far apart as `decision_function` is from 0.
        """
        return replace(super().decision_parts(X).two_sided(), classes=self.classes_)

    def decision_function(self, X: Any) -> Floats:
        """How positive each document is: the higher, the surer; above 0 it is taken for positive."""
        return self._scores(self.checked_counts(X))

    def predict(self, X: Any) -> Places:
        """1 for documents that are taken for positive, else 0."""
        return (self.decision_function(X) > 0).astype(np.intp)

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The share of documents that get their label, 0 being one here; -1, None and NaN are left out."""
        predicted = self.predict(X)
        known = to_score(y, len(predicted), getattr(self, "unlabeled", UNLABELED))
        weight = check_weight(sample_weight, len(predicted), np.float64)
        truth, _ = of_one_type(check_labels(y, len(predicted))[known])
        return float(
            accuracy_score(truth, predicted[known], sample_weight=None if weight is None else weight[known])
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # As for naive Bayes: made for counts of words, not for the test suites' blobs in the plane.
        tags.classifier_tags.poor_score = True
        return tags


@dataclass(frozen=True, slots=True)
class Rule:
    """A document is positive where its vector times `weights` is above -`intercept`."""

    weights: Floats
    intercept: float

    @classmethod
    def of(cls, model: Any) -> Self:
        """That of a linear model of scikit-learn with two classes."""
        return cls(model.coef_[0], float(model.intercept_[0]))

    def scores(self, matrix: sparse.csr_array) -> Floats:
        """How far each document is above."""
        return np.asarray(matrix @ self.weights + self.intercept, dtype=np.float64)

    def parts(self, matrix: sparse.csr_array) -> Parts:
        """The same of one document, taken apart."""
        return linear_parts(DECISION, LINEAR, matrix, self.weights[:, np.newaxis], [self.intercept])


def even_weights(known: Known) -> Floats:
    """A positive document counts once, and all others together as much as all positives.

    Among these, known negatives would count a tenth each where the unlabeled together count as the positives.
    """
    positives, negatives = known.positive.sum(), _NEGATIVE_WEIGHT * known.negative.sum()
    others = np.where(known.negative, _NEGATIVE_WEIGHT, positives / known.unlabeled.sum())
    return np.where(known.positive, 1.0, others * (positives / (positives + negatives)))


def balanced_regression(
    matrix: sparse.csr_array, known: Known, strength: float, max_iter: int = 1000
) -> LogisticRegression:
    """Logistic regression of positives against all others, with `even_weights`.

    `strength` is the inverse of that of the regularization, of a positive document.
    """
    model = LogisticRegression(C=strength, max_iter=max_iter, tol=1e-3)
    return model.fit(matrix, known.positive, sample_weight=even_weights(known))


def likeness(matrix: sparse.csr_array, known: Known) -> Floats:
    """(W,): how much like the positives each word makes a document, by a strongly regularized regression."""
    # Products of vectors as long as a vocabulary: threads cost more than they bring, and change the bits.
    with threadpool_limits(1, user_api="blas"):
        return Rule.of(balanced_regression(matrix, known, 0.1)).weights
