"""The classes that a file may hold: a closed table. No other name is looked for anywhere."""

from importlib import import_module
from typing import Any

# Estimators and frozen values of this package, and parts of scikit-learn that models hold.
_HOMES = {
    "plsa.baselines.classification_em": "ClassificationEM MislabelingLogistic",
    "plsa.baselines.cpa": "CPA NoisyMixture",
    "plsa.baselines.graphs": "GraphClassifier",
    "plsa.baselines.kmeans": "MPCKMeans",
    "plsa.baselines.linked_clusters": "ClusterSums FoundClusters",
    "plsa.baselines.logistic": "EntropyMinimization",
    "plsa.baselines.machines": "PEBL RocchioSVM",
    "plsa.baselines.mincut": "MinCut",
    "plsa.baselines.neighbors": "Space",
    "plsa.baselines.regression": "WeightedLogisticRegression",
    "plsa.baselines.self_training": "SelfTraining",
    "plsa.baselines.spies": "SpyEM",
    "plsa.baselines.transductive": "TransductiveSVM",
    "plsa.baselines.views": "CoBoost CoEM CoTraining",
    "plsa.estimators.mixtures": "NaiveBayesEM",
    "plsa.estimators.scaling": "CountScaler",
    "plsa.estimators.semisupervised": "FakeLabelPLSA HardMislabelingPLSA MissingLabelPLSA "
    "SoftMislabelingPLSA",
    "plsa.estimators.supervised": "PLSAClassifier",
    "plsa.estimators.text": "WordAndPieceCounter WordCounter",
    "plsa.estimators.topic_sensitive": "TopicSensitivePLSA",
    "plsa.estimators.topics": "PLSA",
    "plsa.labels.layout": "Layout",
    "plsa.labels.reading": "Labels",
    "plsa.learning.aspects": "Aspects Predictor",
    "plsa.learning.committee": "Member",
    "plsa.learning.mixtures": "Mixture Way",
    "plsa.learning.scaling": "Scaler",
    "plsa.learning.student": "Lessons Student",
    "plsa.learning.topic_sensitive": "Finder",
    "sklearn.dummy": "DummyClassifier",
    "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer TfidfTransformer TfidfVectorizer",
    "sklearn.linear_model": "LogisticRegression",
    "sklearn.naive_bayes": "ComplementNB MultinomialNB",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.semi_supervised": "SelfTrainingClassifier",
    "sklearn.svm": "LinearSVC",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def class_of(name: str) -> type | None:
    """The class of this name, if a file may hold such; no other name is looked for anywhere."""
    return getattr(import_module(_HOME[name]), name) if name in _HOME else None


def is_known(value: Any) -> bool:
    """Whether a value is of a class that a file may hold, and of no class that was made of such a one."""
    cls = type(value)
    home = _HOME.get(cls.__name__)
    # scikit-learn's classes live deeper than where they are imported from.
    return (
        home is not None
        and cls.__module__.startswith(home.rpartition(".")[0])
        and cls is class_of(cls.__name__)
    )


def names() -> list[str]:
    """The names of all of them."""
    return sorted(_HOME)
