"""A classifier that learns from the labeled documents alone, where others are there too."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfTransformer

from bench.shared.splits import UNLABELED


class LabelsOnly(ClassifierMixin, BaseEstimator):
    """Any classifier, taught by the labeled documents; `tfidf`: on sublinear TF-IDF of unit length."""

    def __init__(self, classifier: Any, tfidf: bool = False) -> None:
        self.classifier = classifier
        self.tfidf = tfidf

    def fit(self, X: Any, y: np.ndarray) -> Self:
        """Learns from the rows whose y is not -1."""
        told = y != UNLABELED
        if self.tfidf:
            self.weighting_ = TfidfTransformer(sublinear_tf=True).fit(X)
        self.classifier.fit(self._weighted(X[told]), y[told])
        self.classes_ = self.classifier.classes_
        if hasattr(self.classifier, "predict_proba"):
            self.predict_proba = lambda new: self.classifier.predict_proba(self._weighted(new))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self.classifier.predict(self._weighted(X))

    def _weighted(self, X: Any) -> Any:
        return self.weighting_.transform(X) if self.tfidf else X
