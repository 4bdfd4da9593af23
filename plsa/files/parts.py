"""What a model may be made of: a closed table of classes, and what each of their attributes has to be.

A check of the table takes an attribute, where it is, and the sizes of the model: "W" words, "C" classes, "M"
classes that had an example, "K" topics, "D" documents, and others by any name. What a name has when it is
first met, it has to have everywhere. Everything that compiled code, NumPy or SciPy would use as an index is
among what is checked.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from plsa.engine.parameters import Array
from plsa.estimators.parameters import attributes_of, check_parameters
from plsa.files.container import damaged
from plsa.inputs import warn

_NEAR_ONE = 1e-3  # how far sums of probabilities may be from it

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


def estimators() -> list[str]:
    """The names of all estimators that a file may hold."""
    return sorted(name for name in _HOME if name not in _VALUES)


# --- checks --------------------------------------------------------------------------------------


class Sizes(dict[str, int]):
    """How many there are of everything, by name; and whether all numbers are looked at."""

    deep = True

    def check(self, found: tuple[int, ...], wanted: tuple[str | int, ...], where: str) -> None:
        """Raises where a shape is not the wanted one, names being bound where they are new."""
        for n, name in zip(found, wanted, strict=False):
            if isinstance(name, str):
                self.setdefault(name, n)
        shape = tuple(self[name] if isinstance(name, str) else name for name in wanted[: len(found)])
        if len(found) != len(wanted) or found != shape:
            wants = " x ".join(f"{self.get(n, n)} ({n})" if isinstance(n, str) else str(n) for n in wanted)
            raise damaged(f"{where} has the shape {found}, but the rest of the model is of {wants}")

    def inner(self, **known: int) -> "Sizes":
        """Those of another model, of which these are known."""
        sizes = Sizes(known)
        sizes.deep = self.deep
        return sizes


Check = Callable[[Any, str, Sizes], None]


def _array(value: Any, kinds: str, where: str) -> Array:
    if type(value) not in (np.ndarray, np.memmap) or value.dtype.kind not in kinds:
        found = f"{value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        raise damaged(f"{where} is of type {found}, but must be an array of {_KINDS[kinds]}")
    return value


_KINDS = {"f": "real numbers", "iu": "whole numbers", "b": "truth values", "u": "whole numbers >= 0"}


def real(*shape: str | int, low: float = -np.inf, sums: int | None = None, whole: bool = False) -> Check:
    """Finite numbers, none below `low`; `sums`: along this axis they sum to one, or are zeros."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "f", where)
        sizes.check(array.shape, shape, where)
        if not sizes.deep or not array.size:
            return
        least, most = float(array.min()), float(array.max())  # NaN if there is one
        if not (np.isfinite(least) and np.isfinite(most)):
            raise damaged(f"{where} holds {least if not np.isfinite(least) else most}, which is not finite")
        if least < low:
            raise damaged(f"{where} holds {least}, but must be >= {low:g}")
        if sums is not None:
            with np.errstate(over="ignore"):
                total = np.atleast_1d(array.sum(axis=sums, dtype=np.float64))
            off = (np.abs(total - 1) > _NEAR_ONE) & (total != 0)
            if off.any() or (whole and not total.all()):
                at = int(np.flatnonzero(off | (total == 0))[0])
                raise damaged(f"{where} has probabilities that sum to {total[at]:g} at {at}, not to 1")

    return check


def places(of: str, *shape: str | int, none: bool = False, rising: bool = False) -> Check:
    """Whole numbers, places among `of`; `none`: or -1."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "iu", where)
        sizes.check(array.shape, shape, where)
        if not array.size:
            return
        least, most = int(array.min()), int(array.max())
        number = sizes.setdefault(of, most + 1)
        if least < -int(none) or most >= number:
            wrong = least if least < -int(none) else most
            raise damaged(f"{where} holds the place {wrong}, but there are {number} ({of})")
        if rising and np.any(array[1:] <= array[:-1]):
            raise damaged(f"{where} holds places that do not ascend")

    return check


def numbers(*shape: str | int, low: int | None = None) -> Check:
    """Whole numbers."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "iu", where)
        sizes.check(array.shape, shape, where)
        if low is not None and array.size and array.min() < low:
            raise damaged(f"{where} holds {array.min()}, but must be >= {low}")

    return check


def mask(*shape: str | int) -> Check:
    """True or false."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        sizes.check(_array(value, "b", where).shape, shape, where)

    return check


def keys(*shape: str | int) -> Check:
    """Whole numbers that ascend."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array = _array(value, "u", where)
        sizes.check(array.shape, shape, where)
        if np.any(array[1:] <= array[:-1]):
            raise damaged(f"{where} holds keys that do not ascend")

    return check


def names(size: str) -> Check:
    """Classes: each once."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        entries(size)(value, where, sizes)
        if len(set(value.tolist())) < len(value):
            raise damaged(f"{where} holds a class twice")

    return check


def entries(*shape: str) -> Check:
    """Classes, or what else may be one."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if type(value) not in (np.ndarray, np.memmap):
            raise damaged(f"{where} is of type {type(value).__name__}, but must be an array")
        sizes.check(value.shape, shape, where)
        if value.dtype.kind == "O" and not all(isinstance(each, _LABELS) for each in value.ravel().tolist()):
            raise damaged(f"{where} holds something that is no label")

    return check


_LABELS = str, bytes, int, float, np.generic


def words(value: Any, where: str, sizes: Sizes) -> None:
    """The names of all columns."""
    entries("W")(value, where, sizes)
    if value.dtype.kind != "O" or not all(isinstance(each, str) for each in value.tolist()):
        raise damaged(f"{where} holds names that are no strings")


def number(value: Any, where: str, sizes: Sizes, *, low: float = -np.inf, nan: bool = False) -> None:
    """A number; `nan`: or NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise damaged(f"{where} is {type(value).__name__}, but must be a number")
    if not (nan or (np.isfinite(float(value)) and value >= low)):
        raise damaged(f"{where} is {value}, but must be finite and >= {low:g}")


def chance(value: Any, where: str, sizes: Sizes) -> None:
    """A number >= 0."""
    number(value, where, sizes, low=0.0)


def any_number(value: Any, where: str, sizes: Sizes) -> None:
    """A number or NaN."""
    number(value, where, sizes, nan=True)


def whole(value: Any, where: str, sizes: Sizes) -> None:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise damaged(f"{where} is {type(value).__name__}, but must be a whole number")


def size(name: str) -> Check:
    """How many there are."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        whole(value, where, sizes)
        if value < 0 or int(value) != sizes.setdefault(name, int(value)):
            raise damaged(f"{where} is {value}, but the rest of the model is of {sizes[name]} ({name})")

    return check


def place(of: str) -> Check:
    """A place among `of`."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        whole(value, where, sizes)
        if not 0 <= value < sizes.get(of, 2**62):
            raise damaged(f"{where} is the place {value}, but there are {sizes[of]} ({of})")

    return check


def flag(value: Any, where: str, sizes: Sizes) -> None:
    """True or false."""
    if not isinstance(value, bool | np.bool_):
        raise damaged(f"{where} is {type(value).__name__}, but must be True or False")


def text(*among: str) -> Check:
    """A string, one of these if there are any."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, str) or (among and value not in among):
            raise damaged(f"{where} is {value!r}, but must be a string" + (f" of {among}" if among else ""))

    return check


def table(value: Any, where: str, sizes: Sizes) -> None:
    """Values by name."""
    if not isinstance(value, dict):
        raise damaged(f"{where} is {type(value).__name__}, but must be a dict")


def maybe(check: Check) -> Check:
    """None, or what a check allows."""
    return lambda value, where, sizes: None if value is None else check(value, where, sizes)


def part(*wanted: str) -> Check:
    """A value or an estimator of one of these classes."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        name = type(value).__name__
        if name not in wanted or not is_known(value):
            raise damaged(f"{where} is {name}, but must be {' or '.join(wanted)}")
        if name in _VALUES:
            for each, of_each in _VALUES[name].items():
                of_each(getattr(value, each), f"{where}.{each}", sizes)
        else:
            known = {"W": sizes["W"]} if "W" in sizes else {}
            check_estimator(value, where, sizes.inner(**known), fitted=True)

    return check


def several(check: Check, *, kind: type = list, number: int | None = None) -> Check:
    """A list or tuple of what a check allows; `{}` in names of sizes is the place in it."""

    def checked(value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, kind) or len(value) != (len(value) if number is None else number):
            raise damaged(f"{where} is no {kind.__name__} of {number or 'such'}")
        for at, each in enumerate(value):
            check(each, f"{where}[{at}]", sizes)

    return checked


def _graph(value: Any, where: str, sizes: Sizes) -> None:
    if not sparse.issparse(value):
        raise damaged(f"{where} is {type(value).__name__}, but must be sparse")
    sizes.check(value.shape, ("D", "D"), where)


def _views(value: Any, where: str, sizes: Sizes) -> None:
    several(places_of_any, kind=tuple, number=2)(value, where, sizes)
    sizes["V0"], sizes["V1"] = (len(each) for each in value)


def places_of_any(value: Any, where: str, sizes: Sizes) -> None:
    """Columns, each once."""
    places("W", f"columns of {where}", rising=True)(value, where, sizes)


def _stumps(value: Any, where: str, sizes: Sizes) -> None:
    several(lambda each, at, these: None, kind=tuple, number=2)(value, where, sizes)
    for at, each in enumerate(value):
        real("M", f"V{at}")(each, f"{where}[{at}]", sizes)


def _of_views(value: Any, where: str, sizes: Sizes) -> None:
    several(lambda each, at, these: None, kind=tuple, number=2)(value, where, sizes)
    for at, each in enumerate(value):
        _codes(each, f"{where}[{at}]", sizes.inner(W=sizes[f"V{at}"], C=sizes["M"]))


def _codes(value: Any, where: str, sizes: Sizes) -> None:
    """A fitted classifier of scikit-learn whose classes are places."""
    if not is_known(value) or not hasattr(value, "predict_proba"):
        raise damaged(f"{where} is {type(value).__name__}, but must be a classifier with probabilities")
    check_estimator(value, where, sizes, fitted=True)


def _machine(value: Any, where: str, sizes: Sizes) -> None:
    _codes(value, where, sizes.inner(W=sizes["W"], C=sizes["M"]))


def _open(value: Any, where: str, sizes: Sizes) -> None:
    """Anything."""


# --- frozen values -------------------------------------------------------------------------------

_VALUES: dict[str, dict[str, Check]] = {
    "Aspects": {
        "word_topic": real("W", "K", low=0, sums=0),
        "topic_prior": real("K", low=0, sums=0),
        "prior_strength": chance,
        "scaler": maybe(part("Scaler")),
        "class_topic": maybe(real("M", "K", low=0)),
    },
    "ClusterSums": {"number": real("K", low=0), "square": real("K"), "vector": real("K", "W")},
    "Finder": {
        "aspects": part("Aspects"),
        "positive_topics": places("K", "positive topics"),
        "student": maybe(part("Student")),
        "zero": number,
        "threshold": number,
        "by_topic": flag,
    },
    "FoundClusters": {
        "center": real("K", "W"),
        "metric": real("W", low=0),
        "positives": part("ClusterSums"),
        "chosen": place("K"),
        "cannot": number,
        "farthest": number,
    },
    "Labels": {"classes": names("C"), "code": places("C", "D", none=True)},
    "Layout": {"topic_class": places("M", "K"), "n_classes": size("M")},
    "Lessons": {
        "key": keys("lessons"),
        "code": places("M", "lessons"),
        "leverage": real("lessons"),
        "filling": real("lessons", low=0),
        "target": number,
    },
    "Member": {"n_topics": whole, "taken": mask("D"), "criterion": any_number},
    "Mixture": {
        "word_topic": real("W", "K", low=0, sums=0),
        "topic_prior": real("K", low=0, sums=0),
        "layout": part("Layout"),
        "scaler": maybe(part("Scaler")),
    },
    "NoisyMixture": {
        "share": real("clusters", low=0, sums=0),
        "mean": real("clusters", "dimensions"),
        "variance": real("clusters", "dimensions", low=0),
        "class_of": places("M", "clusters"),
        "given": real("M", "M", low=0, sums=0),
    },
    "Predictor": {
        "aspects": part("Aspects"),
        "class_prior": real("M", low=0, sums=0),
        "student": maybe(part("Student")),
        "sharpness": number,
        "leveling": number,
    },
    "Scaler": {"tf": text("raw", "log", "binary"), "idf": maybe(real("W", low=0)), "length": maybe(chance)},
    "Space": {"words": real("W", "dimensions")},
    "Student": {
        "scaler": part("Scaler"),
        "weights": real("W", "M"),
        "lessons": maybe(part("Lessons")),
        "intercept": maybe(real("M")),
    },
    "Way": {
        "weight": chance,
        "scaling": text(),
        "numbers": numbers("M", low=1),
        "scaling_scores": table,
        "component_scores": table,
    },
}

# --- estimators ----------------------------------------------------------------------------------

# What has no entry may be anything: nothing but people look at it.
_ATTRIBUTES: dict[str, Check] = {
    # First what others are compared with.
    "n_features_in_": size("W"),
    "classes_": names("C"),
    "_met_": places("C", "M", rising=True),
    "views_": _views,
    "model_": part("Predictor"),
    "feature_names_in_": words,
    "_seen": mask("W"),
    "_labels_": part("Labels"),
    "_way_": part("Way"),
    "_checksum_": maybe(whole),
    "annealing_trace_": real("powers", 2),
    "axes_": real("W", "dimensions"),
    "choices_": table,
    "class_prior_": real("C", low=0, sums=0),
    "cluster_centers_": real("K", "W"),
    "coef_": real("machines", "W"),
    "committee_": several(part("Member")),
    "component_scores_": table,
    "components_": real("K", "W", low=0, sums=1),
    "doc_topic_": real("documents that were fitted", "K", low=0, sums=1),
    "estimators_": _of_views,
    "evidence_": table,
    "fake_topic_": real("K", low=0),
    "graph_": _graph,
    "guesses_": entries("D"),
    "idf_": maybe(real("W", low=0)),
    "intercept_": real("machines"),
    "label_topic_": real("C", "K", low=0),
    "labels_": places("K", "D"),
    "length_": maybe(chance),
    "metric_": real("W", low=0),
    "mislabeling_": real("C", "C", low=0),
    "not_sure_": real("C", low=0),
    "places_": real("D", "dimensions"),
    "positive_cluster_": place("K"),
    "positive_features_": places("W", "positive features"),
    "positive_topics_": places("K", "positive topics"),
    "scaler_": part("CountScaler"),
    "scaling_": maybe(part("CountScaler")),
    "scaling_scores_": table,
    "space_": part("Space"),
    "stumps_": _stumps,
    "topic_class_": places("C", "K", none=True),
    "topic_prior_": real("K", low=0, sums=0),
    "transduction_": real("D", "C", low=0, sums=1),
    "unlabeled_label_topic_": real("C", "K", low=0),
    "unlabeled_share_": real("K", low=0),
}
_LINEAR = {"coef_": real("W"), "intercept_": number}
_OF_CLASS: dict[str, dict[str, Check]] = {
    "CPA": {"model_": part("NoisyMixture")},
    "MPCKMeans": {"model_": part("FoundClusters")},
    "NaiveBayesEM": {"model_": part("Mixture")},
    "PEBL": _LINEAR,
    "PLSA": {"model_": part("Aspects")},
    "RocchioSVM": _LINEAR,
    "SelfTraining": {"model_": _machine},
    "SpyEM": _LINEAR,
    "TopicSensitivePLSA": {"model_": part("Finder"), "class_prior_": number, "n_components_": size("K")},
    "WeightedLogisticRegression": _LINEAR,
}
# What a fit may leave out, and what it sets that is not told in the documentation.
_MAY_LACK = {
    "feature_names_in_": None,
    "_met_": None,
    "_seen": {"CountScaler"},
    "scaling_scores_": None,
    "threshold_": {"TopicSensitivePLSA"},
    "class_prior_": {"TopicSensitivePLSA"},
    "guesses_": {"TopicSensitivePLSA"},
}
_PRIVATE: dict[str, set[str]] = {"PLSA": {"_checksum_"}, "NaiveBayesEM": {"_labels_", "_way_"}}

# Of scikit-learn's: attributes that a fit sets, all of them but those with names.
_OF_WORDS = real("C", "W")
_BAYES: dict[str, Check] = {
    "n_features_in_": size("W"),
    "classes_": names("C"),
    "class_count_": real("C"),
    "feature_count_": _OF_WORDS,
    "feature_log_prob_": _OF_WORDS,
    "class_log_prior_": real("C"),
}
_MACHINE: dict[str, Check] = {
    "n_features_in_": size("W"),
    "classes_": names("C"),
    "coef_": real("machines", "W"),
    "intercept_": _open,
    "n_iter_": _open,
}
_LEARNED: dict[str, dict[str, Check]] = {
    "ComplementNB": _BAYES | {"feature_all_": real("W")},
    "MultinomialNB": _BAYES,
    "LinearSVC": _MACHINE,
    "LogisticRegression": _MACHINE,
    "DummyClassifier": {
        "n_features_in_": size("W"),
        "classes_": names("C"),
        "class_prior_": real("C"),
        "n_classes_": size("C"),
        "n_outputs_": whole,
        "sparse_output_": flag,
        "_strategy": text(),
    },
    "SelfTrainingClassifier": {
        "n_features_in_": size("W"),
        "classes_": names("C"),
        "estimator_": lambda value, where, sizes: _codes(
            value, where, sizes.inner(W=sizes["W"], C=sizes["C"])
        ),
        "transduction_": entries("D"),
        "labeled_iter_": numbers("D"),
        "n_iter_": whole,
        "termination_condition_": text(),
    },
    "TfidfTransformer": {"n_features_in_": size("W"), "idf_": real("W")},
}

# --- vectorizers and pipelines -------------------------------------------------------------------

# Patterns that take as long as a text is; of others nobody knows.
KNOWN_PATTERNS = {r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\b\w\w+\b", r"\b\w+\b", r"\w+", r"\S+"}


def _nothing(value: Any, where: str, sizes: Sizes) -> None:
    if value is not None:
        raise damaged(f"{where} is {type(value).__name__}, but must be None")


def _stop_words(value: Any, where: str, sizes: Sizes) -> None:
    if value != "english" and not (isinstance(value, list) and all(isinstance(w, str) for w in value)):
        raise damaged(f"{where} is {type(value).__name__}, but must be 'english' or a list of words")


def _ngrams(value: Any, where: str, sizes: Sizes) -> None:
    several(whole, kind=tuple, number=2)(value, where, sizes)
    if not 1 <= value[0] <= value[1]:
        raise damaged(f"{where} is {value}, but must be the least and the most words of a phrase")


def _number_type(value: Any, where: str, sizes: Sizes) -> None:
    if not isinstance(value, type | np.dtype) or np.dtype(value).kind not in "iuf":
        raise damaged(f"{where} is {value!r}, but must be a type of numbers")


def _vocabulary(value: Any, where: str, sizes: Sizes) -> None:
    """Words, each with a column of its own: columns become indices of sparse arrays as they are."""
    table(value, where, sizes)
    if {*map(type, value)} - {str} or {*map(type, value.values())} - {int, np.int32, np.int64}:
        raise damaged(f"{where} has words that are no strings, or columns that are no whole numbers")
    number = sizes.setdefault("W", len(value))
    found, met = sorted(value.values()), len(value)
    if met != number or found != [*range(number)]:
        raise damaged(f"{where} has {met:,} words, and not each a column of its own of {number:,}")


_COUNTER: dict[str, Check] = {
    "input": text("content"),
    "encoding": text(),
    "decode_error": text("strict", "ignore", "replace"),
    "strip_accents": maybe(text("ascii", "unicode")),
    "preprocessor": _nothing,
    "tokenizer": _nothing,
    "analyzer": text("word", "char", "char_wb"),
    "lowercase": flag,
    "token_pattern": maybe(text()),
    "stop_words": maybe(_stop_words),
    "ngram_range": _ngrams,
    "binary": flag,
    "dtype": _number_type,
}
_COUNTED: dict[str, Check] = _COUNTER | {"vocabulary_": _vocabulary, "fixed_vocabulary_": flag}
_NORM = maybe(text("l1", "l2"))
_IDF: dict[str, Check] = {"norm": _NORM, "use_idf": flag, "smooth_idf": flag, "sublinear_tf": flag}
_VECTORIZERS: dict[str, dict[str, Check]] = {
    "CountVectorizer": _COUNTED,
    "WordCounter": _COUNTED,
    "WordAndPieceCounter": _COUNTED | {"short_": flag},
    "TfidfVectorizer": _COUNTED | _IDF | {"_tfidf": part("TfidfTransformer")},
    "HashingVectorizer": _COUNTER | {"n_features": size("W"), "norm": _NORM, "alternate_sign": flag},
}
_LEARNED["TfidfTransformer"] |= _IDF
_MADE_OF = {"Pipeline": "steps", "FeatureUnion": "transformer_list"}
_DERIVED = {"_stop_words_id"}  # a place in memory: known anew when a file is loaded


def _check_steps(model: Any, where: str, sizes: Sizes) -> None:
    """Raises where the steps of a pipeline are none, or do not take what those before them give."""
    name = _MADE_OF[type(model).__name__]
    steps = vars(model)[name]
    pairs = isinstance(steps, list) and all(isinstance(each, tuple) and len(each) == 2 for each in steps)
    if not pairs or not steps or not all(isinstance(each, str) for each, _ in steps):
        raise damaged(f"{where}.{name} is no list of names and estimators")
    if vars(model).get("memory") is not None:
        raise damaged(f"{where}.memory is a folder that fits are kept in, which a file may not name")
    parts, width = [], 0
    for at, (_, step) in enumerate(steps):
        if step is None or isinstance(step, str):
            continue
        here = f"{where}.{name}[{at}]"
        known = sizes.inner(**({"W": width} if width and name == "steps" else {}))
        if not isinstance(step, BaseEstimator) or not is_known(step):
            raise damaged(f"{here} is {type(step).__name__}, which is no estimator that a file holds")
        check_estimator(step, here, known, fitted=True)
        width = known.get("W", 0)
        parts.append(width)
    if name == "transformer_list" and sum(parts):
        sizes.setdefault("W", sum(parts))
        if sizes["W"] != sum(parts):
            raise damaged(f"{where} makes {sum(parts):,} columns, but {sizes['W']:,} are wanted")


def check_estimator(model: Any, where: str, sizes: Sizes, *, fitted: bool = False) -> None:
    """Raises where what an estimator holds does not fit together; `fitted`: or where it was not fitted."""
    name, held = type(model).__name__, vars(model)
    if name in _MADE_OF:
        _check_steps(model, where, sizes)
        return
    of_fit = held.keys() - _parameters(type(model))
    if not of_fit and not fitted and name not in _VECTORIZERS:
        return
    checks = _VECTORIZERS.get(name) or _LEARNED.get(name) or (_ATTRIBUTES | _OF_CLASS.get(name, {}))
    needed = checks.keys() - _MAY_LACK.keys()
    if checks.keys() >= _ATTRIBUTES.keys():
        may_lack = {each for each, of in _MAY_LACK.items() if of is None or name in of}
        needed = (_of_ours(type(model)) - may_lack) | ({"_seen"} - may_lack)
        _check_parameters(model, where)
    elif held.get("use_idf") is False:
        needed -= {"idf_"}
    lacking = needed - held.keys()
    if lacking:
        raise damaged(f"{where} is a {name} without {min(lacking)}, so that it was not fitted")
    for each, check in checks.items():
        if each in held:
            check(held[each], f"{where}.{each}", sizes)
        if each == "_met_" and "C" in sizes:
            sizes.setdefault("M", sizes["C"])


def _check_parameters(model: Any, where: str) -> None:
    try:
        check_parameters(model)
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{where} has a parameter that it cannot have: {error}") from None


# --- classes by name, and back -------------------------------------------------------------------


def _parameters(cls: type) -> dict[str, Any]:
    """The parameters of an estimator, and what they are if nobody says anything."""
    return {name: each.default for name, each in signature(cls).parameters.items()}


def _of_ours(cls: type) -> set[str]:
    """What a fit of an estimator of this package sets."""
    return attributes_of(cls) | _PRIVATE.get(cls.__name__, set())


def _attributes(cls: type) -> set[str]:
    """What an estimator may hold that is no parameter."""
    if cls.__name__ in _MADE_OF:
        return set()
    checks = _VECTORIZERS.get(cls.__name__) or _LEARNED.get(cls.__name__)
    return {"feature_names_in_"} | (_of_ours(cls) | {"_seen", "_met_"} if checks is None else checks.keys())


def taken(value: Any, where: str) -> tuple[str, Mapping[str, Any]]:
    """The name of a value's class and what it holds; raises where a file cannot hold such."""
    name = type(value).__name__
    if not is_known(value):
        raise ValueError(_refusal(value, where))
    if name in _VALUES:
        return name, {each.name: getattr(value, each.name) for each in fields(value)}
    held = {each: its for each, its in vars(value).items() if each not in _DERIVED}
    for each in held.keys() - _parameters(type(value)) - _attributes(type(value)):
        found = f"{where + '.' if where else ''}{each} is nothing that a {name} sets itself"
        raise ValueError(f"{found}, and cannot be saved: delete it first.")
    if held.get("callback") is not None:
        warn(f"the callback of {name} is code, and is not saved: it will be None when the model is loaded.")
        held["callback"] = None
    if held.get("memory") is not None and name == "Pipeline":
        raise ValueError(f"{name}.memory == {held['memory']!r} is a folder of pickles: set it to None first.")
    if held.get("input", "content") != "content":
        found = f"{name}.input == {held['input']!r}, so that texts are names of files"
        raise ValueError(f"{found}: a model file holds only vectorizers with input='content'.")
    return name, held


def _refusal(value: Any, where: str) -> str:
    """Why a value cannot be saved."""
    if callable(value) and not hasattr(value, "get_params"):
        name = getattr(value, "__name__", type(value).__name__)
        found = f"{where} is code ({name}), and a model file holds none"
        return f"{found}: fit with what has a name, such as analyzer='word', or keep the model otherwise."
    cls = type(value)
    found = f"{where or 'the model'} is a {cls.__module__}.{cls.__qualname__}, which cannot be saved"
    if hasattr(value, "get_params"):
        return f"{found}. Estimators that can: {', '.join(estimators())}."
    return f"{found}: pass a plain value, such as a number, a string, a list or an array."


def made(name: str, held: dict[str, Any], where: str) -> Any:
    """A value or an estimator of a class that a file may hold, without more than its own attributes."""
    cls = class_of(name)
    if cls is None:
        raise damaged(f"{where or 'the model'} is of the class {name!r}, which no model is made of")
    if name in _VALUES:
        known = {each.name: each.default is MISSING for each in fields(cls)}
        _check_names(held.keys() - known, where, name)
        lacking = {each for each, needed in known.items() if needed} - held.keys()
        if lacking:
            raise damaged(f"{where} is a {name} without {min(lacking)}")
        return cls(**held)
    parameters = _parameters(cls)
    _check_names(held.keys() - parameters - _attributes(cls), where, name)
    defaults = {each: its for each, its in parameters.items() if each not in held}
    if any(its is Parameter.empty for its in defaults.values()):
        raise damaged(f"{where} is a {name} without {min(defaults)}")
    if defaults and not cls.__module__.startswith("plsa."):
        new = f"{', '.join(sorted(defaults))} of {name} is as this version of scikit-learn has it"
        warn(f"{new}: that which the model was saved with did not know it.")
    state = held | defaults
    if isinstance(state.get("stop_words"), list):
        state["_stop_words_id"] = id(state["stop_words"])  # they were looked at when it was fitted
    model = cls.__new__(cls)
    vars(model).update(state)
    return model


def _check_names(unknown: Any, where: str, name: str) -> None:
    if unknown:
        found = (
            f"{where + '.' if where else ''}{min(unknown)[:60]} is nothing that a {name} of this version has"
        )
        raise damaged(f"{found}, nor of the installed scikit-learn")
