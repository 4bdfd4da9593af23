"""Aspect models (PLSA) learned from partially labeled text.

`text_classifier` makes a pipeline for texts of which some have labels. `SoftMislabelingPLSA` and its
relatives learn from labeled and unlabeled documents, and so does `NaiveBayesEM`, a mixture of multinomials;
`PLSAClassifier` learns from labeled ones, `PLSA` without labels; `CountScaler` prepares counts: all of them
are scikit-learn estimators. `select_topics`, `LabeledKFold` and `labeled_scorer` help to choose; `top_words`
shows what was learned; `plsa.datasets` has corpora that need no download.
"""

from importlib.util import find_spec

if find_spec("plsa._kernels") is None:
    raise ImportError(
        f"{__path__[0]} holds the sources of plsa and no compiled code. Install it (pip install . in the "
        "folder above) and start Python elsewhere, or with -P; CONTRIBUTING.md says how to work on it."
    )

from plsa import datasets
from plsa.active.learner import ActiveLearner
from plsa.active.simulation import simulate
from plsa.baselines.kmeans import MPCKMeans
from plsa.baselines.machines import PEBL, RocchioSVM
from plsa.baselines.regression import WeightedLogisticRegression
from plsa.baselines.spies import SpyEM
from plsa.estimators.mixtures import NaiveBayesEM, annealing_schedule
from plsa.estimators.scaling import CountScaler
from plsa.estimators.semisupervised import (
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    SoftMislabelingPLSA,
)
from plsa.estimators.supervised import PLSAClassifier
from plsa.estimators.text import text_classifier
from plsa.estimators.topic_sensitive import TopicSensitivePLSA
from plsa.estimators.topics import PLSA
from plsa.evaluation.folds import LabeledKFold, labeled_scorer
from plsa.evaluation.positives import compare_pu
from plsa.evaluation.predictions import cross_val_predict
from plsa.evaluation.prior import estimate_prior
from plsa.evaluation.topics import heterogeneity, select_topics
from plsa.show.words import top_words

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
    "cross_val_predict",
    "datasets",
    "estimate_prior",
    "heterogeneity",
    "labeled_scorer",
    "select_topics",
    "simulate",
    "text_classifier",
    "top_words",
]
