"""The rivals of the papers, and two more, behind one interface: fit(counts, y), predict, maybe predict_proba.

y has -1 where a document has no label. Those that learn from labels alone use the other documents for their
idf only, as all of them share one vocabulary.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import plsa
from bench.shared.labels_only import LabelsOnly
from bench.shared.splits import UNLABELED


def naive_bayes() -> LabelsOnly:
    """Multinomial naive Bayes on the counts."""
    return LabelsOnly(MultinomialNB(alpha=0.1))


def logistic_regression() -> LabelsOnly:
    """Logistic regression on TF-IDF."""
    return LabelsOnly(LogisticRegression(C=10.0, max_iter=1000), tfidf=True)


def linear_svm() -> LabelsOnly:
    """Linear support vector machine on TF-IDF, one class against the rest."""
    return LabelsOnly(LinearSVC(), tfidf=True)


def naive_bayes_em() -> plsa.NaiveBayesEM:
    """Naive Bayes by EM over labeled and unlabeled documents, on the counts."""
    return plsa.NaiveBayesEM(unlabeled_weight=1.0, alpha=0.1, class_alpha=1.0, n_threads=1)


class TransductiveSVM(ClassifierMixin, BaseEstimator):
    """Linear transductive SVM (Joachims 1999; thesis algorithm 1), one class against the rest, on TF-IDF.

    For each class: an SVM of the labels alone ranks the unlabeled documents; as large a part of them as
    among the labeled ones is guessed positive. Their costs then grow tenfold from `first_cost` to `C`, those
    of positive and negative guesses being in proportion to their numbers. At each cost the guesses of a
    positive and a negative document are switched where the sum of their slacks exceeds two, which lowers the
    objective, and the SVM is learned anew until there is no such pair. Joachims switches one pair at a time;
    here the worst positive is paired with the worst negative, the second with the second and so on, and all
    pairs that satisfy the condition are switched at once: at fixed weights every slack is its own document's,
    so each pair lowers the objective as it would alone. `most_rounds` bounds the rounds at one cost.
    """

    def __init__(self, C: float = 1.0, first_cost: float = 1e-4, most_rounds: int = 20) -> None:
        self.C = C
        self.first_cost = first_cost
        self.most_rounds = most_rounds

    def fit(self, X: Any, y: np.ndarray) -> Self:
        """Learns one machine a class from all rows."""
        self.weighting_ = TfidfTransformer(sublinear_tf=True)
        features = self.weighting_.fit_transform(X)
        self.classes_ = np.unique(y[y != UNLABELED])
        self.machines_ = [self._one_against_rest(features, y, label) for label in self.classes_]
        return self

    def _one_against_rest(self, features: Any, y: np.ndarray, label: Any) -> LinearSVC:
        told = y != UNLABELED
        sign = np.where(y == label, 1, -1)
        cost = np.full(len(y), self.C)
        machine = LinearSVC(loss="hinge", C=1.0, max_iter=5000, random_state=0)
        machine.fit(features[told], sign[told], sample_weight=cost[told])
        untold = np.flatnonzero(~told)
        if not len(untold):
            return machine
        n_positive = int(np.clip(round(np.mean(sign[told] == 1) * len(untold)), 1, len(untold) - 1))
        ranked = untold[np.argsort(-machine.decision_function(features[untold]), kind="stable")]
        sign[ranked[:n_positive]] = 1
        balance = n_positive / (len(untold) - n_positive)
        now = self.first_cost
        while True:
            for _ in range(self.most_rounds):
                rising = np.where(sign[untold] == 1, now * balance, now)
                cost[untold] = np.minimum(rising, self.C)
                machine.fit(features, sign, sample_weight=cost)
                switched = self._switched(sign[untold], machine.decision_function(features[untold]))
                if not len(switched):
                    break
                sign[untold[switched]] *= -1
            if min(now, now * balance) >= self.C:
                return machine
            now *= 10

    @staticmethod
    def _switched(sign: np.ndarray, score: np.ndarray) -> np.ndarray:
        """The documents of all pairs, worst with worst, that lower the objective when they switch."""
        slack = np.maximum(0.0, 1.0 - sign * score)
        positive, negative = (
            side[np.argsort(-slack[side], kind="stable")]
            for side in (np.flatnonzero(sign == 1), np.flatnonzero(sign == -1))
        )
        n = min(len(positive), len(negative))
        positive, negative = positive[:n], negative[:n]
        both = (slack[positive] > 0) & (slack[negative] > 0) & (slack[positive] + slack[negative] > 2)
        return np.concatenate([positive[both], negative[both]])

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each class."""
        features = self.weighting_.transform(X)
        return np.column_stack([machine.decision_function(features) for machine in self.machines_])

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score."""
        return self.classes_[np.argmax(self.decision_function(X), axis=1)]
