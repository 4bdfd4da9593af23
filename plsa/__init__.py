"""Aspect models (PLSA) learnt from partially labelled text.

`text_classifier` makes a pipeline for texts of which some have labels. `SoftMislabelingPLSA` and its
relatives learn from labelled and unlabelled documents, and so does `NaiveBayesEM`, a mixture of multinomials;
`PLSAClassifier` learns from labelled ones, `PLSA` without labels; `CountScaler` prepares counts: all of them
are scikit-learn estimators. `select_topics`, `LabeledKFold` and `labeled_scorer` help to choose; `top_words`
shows what was learnt; `plsa.datasets` has corpora that need no download.
"""

from plsa import datasets
from plsa.active import ActiveLearner
from plsa.comparison import compare_pu, estimate_prior
from plsa.inspection import top_words
from plsa.mixtures import NaiveBayesEM, annealing_schedule
from plsa.positive_rivals import PEBL, MPCKMeans, RocchioSVM, SpyEM, WeightedLogisticRegression
from plsa.scaling import CountScaler
from plsa.selection import LabeledKFold, heterogeneity, labeled_scorer, select_topics
from plsa.semisupervised import (
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    SoftMislabelingPLSA,
)
from plsa.simulation import simulate
from plsa.supervised import PLSAClassifier
from plsa.text import text_classifier
from plsa.topic_sensitive import TopicSensitivePLSA
from plsa.topics import PLSA

__version__ = "0.1.0"

__all__ = [
    "PEBL",
    "PLSA",
    "ActiveLearner",
    "CountScaler",
    "FakeLabelPLSA",
    "HardMislabelingPLSA",
    "LabeledKFold",
    "MPCKMeans",
    "MissingLabelPLSA",
    "NaiveBayesEM",
    "PLSAClassifier",
    "RocchioSVM",
    "SoftMislabelingPLSA",
    "SpyEM",
    "TopicSensitivePLSA",
    "WeightedLogisticRegression",
    "__version__",
    "annealing_schedule",
    "compare_pu",
    "datasets",
    "estimate_prior",
    "heterogeneity",
    "labeled_scorer",
    "select_topics",
    "simulate",
    "text_classifier",
    "top_words",
]
