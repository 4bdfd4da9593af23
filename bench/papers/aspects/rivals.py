"""Rivals behind one interface: fit(counts, y), predict, maybe predict_proba; others are in the package.

y has -1 where a document has no label. Those that learn from labels alone use the other documents for their
idf only, as all of them share one vocabulary.
"""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import plsa
from bench.shared.labels_only import LabelsOnly


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
