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

Keeping. `save` writes a fitted model to a file, without pickle, and `load` makes it of the file again.

Looking. `top_words` shows the words of what was learned.

Data. `datasets` has corpora that need no download, and reads files.

`__version__` is the version; `show_versions` prints it, and those of all that the package runs with.
"""

from importlib import import_module
from importlib.util import find_spec
from sys import modules
from typing import TYPE_CHECKING, Any

if find_spec("plsa._kernels") is None:
    raise ImportError(
        f"{__path__[0]} holds the sources of plsa and no compiled code. Install it (pip install . in the "
        "folder above) and start Python elsewhere, or with -P; CONTRIBUTING.md says how to work on it."
    )

if TYPE_CHECKING:  # what tools see that read and do not run
    from plsa import datasets as datasets
    from plsa.active.learner import ActiveLearner as ActiveLearner
    from plsa.active.simulation import simulate as simulate
    from plsa.baselines.classification_em import ClassificationEM as ClassificationEM
    from plsa.baselines.classification_em import MislabelingLogistic as MislabelingLogistic
    from plsa.baselines.cpa import CPA as CPA
    from plsa.baselines.graphs import GraphClassifier as GraphClassifier
    from plsa.baselines.kmeans import MPCKMeans as MPCKMeans
    from plsa.baselines.logistic import EntropyMinimization as EntropyMinimization
    from plsa.baselines.machines import PEBL as PEBL
    from plsa.baselines.machines import RocchioSVM as RocchioSVM
    from plsa.baselines.mincut import MinCut as MinCut
    from plsa.baselines.regression import WeightedLogisticRegression as WeightedLogisticRegression
    from plsa.baselines.self_training import SelfTraining as SelfTraining
    from plsa.baselines.spies import SpyEM as SpyEM
    from plsa.baselines.transductive import TransductiveSVM as TransductiveSVM
    from plsa.baselines.views import CoBoost as CoBoost
    from plsa.baselines.views import CoEM as CoEM
    from plsa.baselines.views import CoTraining as CoTraining
    from plsa.estimators.mixtures import NaiveBayesEM as NaiveBayesEM
    from plsa.estimators.mixtures import annealing_schedule as annealing_schedule
    from plsa.estimators.scaling import CountScaler as CountScaler
    from plsa.estimators.semisupervised import FakeLabelPLSA as FakeLabelPLSA
    from plsa.estimators.semisupervised import HardMislabelingPLSA as HardMislabelingPLSA
    from plsa.estimators.semisupervised import MissingLabelPLSA as MissingLabelPLSA
    from plsa.estimators.semisupervised import SoftMislabelingPLSA as SoftMislabelingPLSA
    from plsa.estimators.supervised import PLSAClassifier as PLSAClassifier
    from plsa.estimators.text import text_classifier as text_classifier
    from plsa.estimators.topic_sensitive import TopicSensitivePLSA as TopicSensitivePLSA
    from plsa.estimators.topics import PLSA as PLSA
    from plsa.evaluation.classes import compare as compare
    from plsa.evaluation.folds import LabeledKFold as LabeledKFold
    from plsa.evaluation.folds import labeled_scorer as labeled_scorer
    from plsa.evaluation.positives import compare_pu as compare_pu
    from plsa.evaluation.predictions import cross_val_predict as cross_val_predict
    from plsa.evaluation.prior import estimate_prior as estimate_prior
    from plsa.evaluation.topics import heterogeneity as heterogeneity
    from plsa.evaluation.topics import select_topics as select_topics
    from plsa.files.models import load as load
    from plsa.files.models import save as save
    from plsa.show.versions import show_versions as show_versions
    from plsa.show.words import top_words as top_words

# Where each public name is. Nothing is imported before it is asked for: `plsa --help` is to come at once.
_HOMES = {
    "CPA": "plsa.baselines.cpa",
    "PEBL": "plsa.baselines.machines",
    "PLSA": "plsa.estimators.topics",
    "ActiveLearner": "plsa.active.learner",
    "ClassificationEM": "plsa.baselines.classification_em",
    "CoBoost": "plsa.baselines.views",
    "CoEM": "plsa.baselines.views",
    "CoTraining": "plsa.baselines.views",
    "CountScaler": "plsa.estimators.scaling",
    "EntropyMinimization": "plsa.baselines.logistic",
    "FakeLabelPLSA": "plsa.estimators.semisupervised",
    "GraphClassifier": "plsa.baselines.graphs",
    "HardMislabelingPLSA": "plsa.estimators.semisupervised",
    "LabeledKFold": "plsa.evaluation.folds",
    "MPCKMeans": "plsa.baselines.kmeans",
    "MinCut": "plsa.baselines.mincut",
    "MislabelingLogistic": "plsa.baselines.classification_em",
    "MissingLabelPLSA": "plsa.estimators.semisupervised",
    "NaiveBayesEM": "plsa.estimators.mixtures",
    "PLSAClassifier": "plsa.estimators.supervised",
    "RocchioSVM": "plsa.baselines.machines",
    "SelfTraining": "plsa.baselines.self_training",
    "SoftMislabelingPLSA": "plsa.estimators.semisupervised",
    "SpyEM": "plsa.baselines.spies",
    "TopicSensitivePLSA": "plsa.estimators.topic_sensitive",
    "TransductiveSVM": "plsa.baselines.transductive",
    "WeightedLogisticRegression": "plsa.baselines.regression",
    "annealing_schedule": "plsa.estimators.mixtures",
    "compare": "plsa.evaluation.classes",
    "compare_pu": "plsa.evaluation.positives",
    "cross_val_predict": "plsa.evaluation.predictions",
    "estimate_prior": "plsa.evaluation.prior",
    "heterogeneity": "plsa.evaluation.topics",
    "labeled_scorer": "plsa.evaluation.folds",
    "load": "plsa.files.models",
    "save": "plsa.files.models",
    "select_topics": "plsa.evaluation.topics",
    "show_versions": "plsa.show.versions",
    "simulate": "plsa.active.simulation",
    "text_classifier": "plsa.estimators.text",
    "top_words": "plsa.show.words",
}

__version__ = "0.1.0"

__all__ = sorted([*_HOMES, "__version__", "datasets"])


def __getattr__(name: str) -> Any:
    """A public name, or a room, imported when it is first asked for."""
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif not name.startswith("_") and name.isidentifier() and find_spec(f"plsa.{name}"):
        value = import_module(f"plsa.{name}")
    else:
        # With its name and module Python adds what may be meant.
        raise AttributeError(f"module 'plsa' has no attribute {name!r}", name=name, obj=modules[__name__])
    globals()[name] = value  # the next time it is simply there
    return value


def __dir__() -> list[str]:
    """What is public: rooms and modules do not show up among it."""
    return __all__
