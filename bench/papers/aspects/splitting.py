"""Supervised PLSA whose most heterogeneous aspects are split, as section 6.5 of the thesis does it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import plsa

AT_ONCE = 5  # aspects split between two fits


class SplitAspects:
    """Starts with one aspect a class, and gives the classes of the widest aspects one more again and again.

    The five widest are split between two fits; one at a time would take five times as long.
    """

    def __init__(self, n_topics: int, **options: Any) -> None:
        self.n_topics = n_topics
        self.options = options

    def __repr__(self) -> str:
        return f"SplitAspects({self.n_topics}, {self.options})"

    def fit(self, X: Any, y: Any) -> Self:
        """Fits, measures the volume of every aspect, splits, and fits again."""
        topics = np.ones(len(np.unique(y)), dtype=int)
        while True:
            self.model = plsa.PLSAClassifier(topics.tolist(), **self.options).fit(X, y)
            missing = self.n_topics - topics.sum()
            if missing <= 0:
                self.classes_ = self.model.classes_
                return self
            volume = plsa.heterogeneity(self.model, X, doc_topic=self.model.doc_topic_)
            widest = np.argsort(-volume)[: min(missing, AT_ONCE)]
            np.add.at(topics, self.model.topic_class_[widest], 1)

    def predict(self, X: Any) -> Any:
        """The class of each document."""
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """P(class|document)."""
        return self.model.predict_proba(X)
