"""Every learner of the wide protocol, by name: ours and seven simple rivals, the same for all corpora."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import LinearSVC

import plsa
from bench.shared.labels_only import LabelsOnly


class Centroids(ClassifierMixin, BaseEstimator):
    """The class whose mean unit vector has the highest cosine with the document."""

    def fit(self, X: Any, y: np.ndarray) -> Self:
        """Learns from rows of unit length."""
        self.classes_ = np.unique(y)
        means = np.vstack([np.asarray(X[y == label].mean(axis=0)) for label in self.classes_])
        self.directions_ = Normalizer().transform(means)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self.classes_[np.argmax(X @ self.directions_.T, axis=1)]


class Spreading(ClassifierMixin, BaseEstimator):
    """Labels spread from neighbor to neighbor, by the cosine in a latent space of TF-IDF.

    Where no label reaches a document all classes are as probable.
    """

    def __init__(self, n_components: int = 100, n_neighbors: int = 20) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: np.ndarray) -> Self:
        """Learns from all rows; y is -1 where there is no label."""
        latent = TruncatedSVD(self.n_components, random_state=0)
        self.space_ = make_pipeline(TfidfTransformer(sublinear_tf=True), latent, Normalizer())
        self.spreading_ = LabelSpreading(kernel="knn", n_neighbors=self.n_neighbors)
        self.spreading_.fit(self.space_.fit_transform(X), y)
        self.classes_ = self.spreading_.classes_
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class in each row."""
        with np.errstate(divide="ignore", invalid="ignore"):
            given = self.spreading_.predict_proba(self.space_.transform(X))
        return np.where(np.isfinite(given), given, 1.0 / len(self.classes_))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class Learner(NamedTuple):
    """What is measured under a name."""

    title: str
    make: Callable[[], Any]
    on_texts: bool = False  # not on counts


def _on_counts(classifier: Any) -> Callable[[], LabelsOnly]:
    return lambda: LabelsOnly(classifier)


def _on_tfidf(classifier: Any) -> Callable[[], LabelsOnly]:
    return lambda: LabelsOnly(classifier, tfidf=True)


_BALANCED = {"class_weight": "balanced"}
RIVALS = {
    "nb": Learner("naive Bayes", _on_counts(MultinomialNB(alpha=0.1))),
    "cnb": Learner("complement naive Bayes", _on_counts(ComplementNB(alpha=0.1))),
    "lr": Learner(
        "logistic regression, balanced", _on_tfidf(LogisticRegression(C=10.0, max_iter=1000, **_BALANCED))
    ),
    "svm-balanced": Learner("linear SVM, balanced", _on_tfidf(LinearSVC(random_state=0, **_BALANCED))),
    "svm": Learner("linear SVM", _on_tfidf(LinearSVC(random_state=0))),
    "centroids": Learner("TF-IDF centroids", _on_tfidf(Centroids())),
    "spreading": Learner("label spreading, LSA", Spreading),
}
MAIN = "soft"
# Settings of ours that the report chooses from, as the differences from the defaults.
CANDIDATES: dict[str, dict[str, Any]] = {
    MAIN: {},
    "soft:light": {"unlabeled_weight": 0.1},
    "soft:heavy": {"unlabeled_weight": 1.0},
    "soft:firm": {"prior_strength": 20.0},
}


def _candidate(parameters: dict[str, Any]) -> Callable[[], plsa.SoftMislabelingPLSA]:
    return lambda: plsa.SoftMislabelingPLSA(random_state=0, n_threads=1, **parameters)


def _on_texts(vectorizer: Any = None) -> Callable[[], Any]:
    return lambda: plsa.text_classifier(vectorizer=vectorizer, random_state=0, n_threads=1)


# What `text_classifier` might count where texts are short, the first being what it does count.
TEXTS = {
    "text": Learner("words and pieces of four characters", _on_texts(), on_texts=True),
    "text-frequent": Learner(
        "words in two texts or more", _on_texts(CountVectorizer(max_df=0.5, min_df=2)), on_texts=True
    ),
    "text-pairs": Learner(
        "words and pairs of words", _on_texts(CountVectorizer(max_df=0.5, ngram_range=(1, 2))), on_texts=True
    ),
    "text-pieces": Learner(
        "pieces of four characters",
        _on_texts(CountVectorizer(max_df=0.5, analyzer="char_wb", ngram_range=(4, 4))),
        on_texts=True,
    ),
}
SHORT = ("20news-subjects", "stackoverflow", "banking77", "davidson", "germeval", "germeval-fine", "mr")
LEARNERS = {
    **{name: Learner(f"plsa, {name}", _candidate(parameters)) for name, parameters in CANDIDATES.items()},
    **TEXTS,
    **RIVALS,
}
