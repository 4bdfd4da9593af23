"""What every model with classes shares as an estimator: reading labels, predicting, scoring."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from plsa import inputs
from plsa.engine.counts import Counts
from plsa.estimators.fitting import ClimbingModel
from plsa.labels.supervision import read_labels
from plsa.learning.evidence import Corpus, scaled_by


class ClassModel(ClassifierMixin, ClimbingModel):
    """The part of a model that has to do with classes, whatever it learns of them.

    Beyond what `ClimbingModel` asks for, a model has `scaling` and `unlabeled` as parameters, and
    `_learn_corpus` and `_probabilities`.
    """

    scaling: Any
    unlabeled: Any

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the topics of every class; a weight is a repetition."""
        with inputs.all_or_nothing(self):
            reason = self._learn(X, y, sample_weight)
        if reason == "interrupted":
            raise KeyboardInterrupt
        return self

    def _learn(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> str:
        self._forget()
        self._check_parameters()
        counts = inputs.check_counts(self, X, reset=True, dtype=self._real())
        labels = read_labels(y, counts.n_documents, self.unlabeled)
        weight = inputs.check_weight(sample_weight, counts.n_documents, counts.dtype)
        inputs.check_labelled_weight(labels.labelled, weight)
        self.classes_ = labels.classes
        return self._learn_corpus(Corpus(counts, labels, weight))

    def _forget(self) -> None:
        """Lets go of what an earlier fit has set."""
        inputs.forget(self)

    def _scaled(self, counts: Counts) -> Counts:
        return scaled_by(self.scaling_, counts)

    def _check_parameters(self) -> None:
        """Raises where a parameter is not what it may be."""
        self._check_loop_parameters()
        inputs.check_scaling(self.scaling)
        self._check_class_parameters()

    def _check_class_parameters(self) -> None:
        """Raises where a parameter that the data have no say in is not what it may be."""

    def _learn_corpus(self, corpus: Corpus) -> str:
        """Learns from what was checked; says why it stopped."""
        raise NotImplementedError

    def _probabilities(self, counts: Counts) -> NDArray[np.float64]:
        """P(class|document) of checked counts."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """P(class|document): rows sum to one, columns in the order of `classes_`."""
        return self._probabilities(self._new_counts(X))

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """log P(class|document)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """The share of documents that get their label; those that have none are left out."""
        counts = self._new_counts(X)
        labels = read_labels(y, counts.n_documents, self.unlabeled)
        known = np.flatnonzero(labels.labelled)
        weight = inputs.check_weight(sample_weight, counts.n_documents, np.float64)
        predicted = self.classes_[self._probabilities(counts.of_documents(known)).argmax(axis=1)]
        right = predicted == labels.classes[labels.code[known]]
        return float(np.average(right, weights=None if weight is None else weight[known]))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each document."""
        probability = self.predict_proba(X)
        return np.asarray(self.classes_[probability.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # As for naive Bayes: made for counts of words, not for the test suites' blobs in the plane.
        tags.classifier_tags.poor_score = True
        return tags
