"""Aspect models (PLSA) learned from partially labeled text.

Try first: `text_classifier` makes a pipeline for texts of which some have labels.

Models, scikit-learn estimators of counts of words. `SoftMislabelingPLSA`, `HardMislabelingPLSA`,
`MissingLabelPLSA` and `FakeLabelPLSA` learn from labeled and unlabeled documents, and so does `NaiveBayesEM`,
a mixture of multinomials (with `annealing_schedule`); `PLSAClassifier` from labeled ones; `PLSA` without
labels. `CountScaler` prepares counts.

Positives. `TopicSensitivePLSA` finds documents like a few that are shown; `WeightedLogisticRegression`,
`SpyEM`, `PEBL`, `RocchioSVM` and `MPCKMeans` do so in other ways; `compare_pu` compares them, and
`estimate_prior` says how many there may be.

Rivals, other people's ways to learn classes from few labels: `GraphClassifier`, `MinCut`, `TransductiveSVM`,
`SelfTraining`, `EntropyMinimization`, `ClassificationEM`, `MislabelingLogistic`, `CoTraining`, `CoEM` and
`CoBoost`; and `CPA`, where some labels are wrong.

Questions. `ActiveLearner` asks for the labels that matter; `simulate` plays it where they are known.

Choosing and judging. `select_topics` and `heterogeneity` are about the number of topics; `LabeledKFold`,
`labeled_scorer` and `cross_val_predict` are for cross-validation where labels are missing, and `compare` says
which classifier is best for some documents, and whether that is more than chance.

Looking. `top_words` shows the words of what was learned.

Data. `datasets` has corpora that need no download, and reads files.

`__version__` is the version.
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
from plsa.baselines.classification_em import ClassificationEM, MislabelingLogistic
from plsa.baselines.cpa import CPA
from plsa.baselines.graphs import GraphClassifier
from plsa.baselines.kmeans import MPCKMeans
from plsa.baselines.logistic import EntropyMinimization
from plsa.baselines.machines import PEBL, RocchioSVM
from plsa.baselines.mincut import MinCut
from plsa.baselines.regression import WeightedLogisticRegression
from plsa.baselines.self_training import SelfTraining
from plsa.baselines.spies import SpyEM
from plsa.baselines.transductive import TransductiveSVM
from plsa.baselines.views import CoBoost, CoEM, CoTraining
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
from plsa.evaluation.classes import compare
from plsa.evaluation.folds import LabeledKFold, labeled_scorer
from plsa.evaluation.positives import compare_pu
from plsa.evaluation.predictions import cross_val_predict
from plsa.evaluation.prior import estimate_prior
from plsa.evaluation.topics import heterogeneity, select_topics
from plsa.show.words import top_words

__version__ = "0.1.0"

__all__ = [
    "CPA",
    "PEBL",
    "PLSA",
    "ActiveLearner",
    "ClassificationEM",
    "CoBoost",
    "CoEM",
    "CoTraining",
    "CountScaler",
    "EntropyMinimization",
    "FakeLabelPLSA",
    "GraphClassifier",
    "HardMislabelingPLSA",
    "LabeledKFold",
    "MPCKMeans",
    "MinCut",
    "MislabelingLogistic",
    "MissingLabelPLSA",
    "NaiveBayesEM",
    "PLSAClassifier",
    "RocchioSVM",
    "SelfTraining",
    "SoftMislabelingPLSA",
    "SpyEM",
    "TopicSensitivePLSA",
    "TransductiveSVM",
    "WeightedLogisticRegression",
    "__version__",
    "annealing_schedule",
    "compare",
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


def __dir__() -> list[str]:
    """What is public: rooms and modules do not show up among it."""
    return __all__
