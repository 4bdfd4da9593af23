"""What a model may be made of: of each class that a file may hold, what its attributes have to be.

Everything that compiled code, NumPy or SciPy would use as an index is among what is checked.
"""

from collections.abc import Callable
from inspect import signature
from reprlib import repr as shown  # in short
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from plsa.estimators.parameters import attributes_of, check_parameters
from plsa.files.checks import (
    Check,
    Sizes,
    any_number,
    chance,
    entries,
    flag,
    keys,
    mask,
    maybe,
    names,
    number,
    numbers,
    place,
    places,
    real,
    several,
    size,
    table,
    text,
    whole,
    words,
)
from plsa.files.classes import is_known
from plsa.files.container import damaged


def part(*wanted: str) -> Check:
    """A value or an estimator of one of these classes."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        name = type(value).__name__
        if name not in wanted or not is_known(value):
            raise damaged(f"{where} is {name}, but must be {' or '.join(wanted)}")
        if name in VALUES:
            for each, of_each in VALUES[name].items():
                of_each(getattr(value, each), f"{where}.{each}", sizes)
        else:
            known = {"W": sizes["W"]} if "W" in sizes else {}
            check_estimator(value, where, sizes.inner(**known))

    return check


def _graph(value: Any, where: str, sizes: Sizes) -> None:
    if not sparse.issparse(value):
        raise damaged(f"{where} is {type(value).__name__}, but must be sparse")
    sizes.check(value.shape, ("D", "D"), where)


def _views(value: Any, where: str, sizes: Sizes) -> None:
    several(_columns, kind=tuple, number=2)(value, where, sizes)
    sizes["V0"], sizes["V1"] = (len(each) for each in value)


def _columns(value: Any, where: str, sizes: Sizes) -> None:
    """Columns, each once."""
    places("W", f"columns of {where}", rising=True)(value, where, sizes)


def _of_views(of_each: Callable[[str], Check]) -> Check:
    """A pair, of the columns of each view."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        several(_anything, kind=tuple, number=2)(value, where, sizes)
        for at, each in enumerate(value):
            of_each(f"V{at}")(each, f"{where}[{at}]", sizes)

    return check


def _anything(value: Any, where: str, sizes: Sizes) -> None:
    pass


def _classifier(value: Any, where: str, sizes: Sizes) -> None:
    if not is_known(value) or not hasattr(value, "predict_proba"):
        raise damaged(f"{where} is {type(value).__name__}, but must be a classifier with probabilities")


def _fitted(words: str, classes: str) -> Check:
    """A classifier of scikit-learn that was fitted to so many words and classes."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        _classifier(value, where, sizes)
        check_estimator(value, where, sizes.inner(W=sizes[words], C=sizes[classes]))

    return check


def _machines(of: str) -> Check:
    """Weights of words of a machine for each class against the rest; of two classes there is one."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        real("machines", "W")(value, where, sizes)
        wanted = 1 if sizes[of] == 2 else sizes[of]
        # Of a single class some have a machine and some have none.
        if len(value) != wanted and not (sizes[of] == 1 and len(value) == 0):
            raise damaged(f"{where} has {len(value)} rows, but {sizes[of]} classes need {wanted}")

    return check


def _intercept(value: Any, where: str, sizes: Sizes) -> None:
    (real("machines") if isinstance(value, np.ndarray) else number)(value, where, sizes)


def _of_classes(value: Any, where: str, sizes: Sizes) -> None:
    """Topics that speak for classes."""
    part("Aspects")(value, where, sizes)
    real("M", "K", low=0)(value.class_topic, f"{where}.class_topic", sizes)


def _two(value: Any, where: str, sizes: Sizes) -> None:
    """Not positive, and positive."""
    names("C")(value, where, sizes)
    sizes.check(value.shape, (2,), where)


def _one(value: Any, where: str, sizes: Sizes) -> None:
    whole(value, where, sizes)
    if value != 1:
        raise damaged(f"{where} is {value}, but must be 1")


def _false(value: Any, where: str, sizes: Sizes) -> None:
    if value is not False:
        raise damaged(f"{where} is {shown(value)}, but must be False")


def _iterations(value: Any, where: str, sizes: Sizes) -> None:
    (numbers("machines that were counted") if isinstance(value, np.ndarray) else whole)(value, where, sizes)


# --- frozen values -------------------------------------------------------------------------------

VALUES: dict[str, dict[str, Check]] = {
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
        "aspects": _of_classes,
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
    "coef_": real("M", "W"),
    "committee_": several(part("Member")),
    "component_scores_": table,
    "components_": real("K", "W", low=0, sums=1),
    "doc_topic_": real("documents that were fitted", "K", low=0, sums=1),
    "estimators_": _of_views(lambda words: _fitted(words, "M")),
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
    "stumps_": _of_views(lambda words: real("M", words)),
    "topic_class_": places("C", "K", none=True),
    "topic_prior_": real("K", low=0, sums=0),
    "transduction_": real("D", "C", low=0, sums=1),
    "unlabeled_label_topic_": real("C", "K", low=0),
    "unlabeled_share_": real("K", low=0),
}
_LINEAR = {"classes_": _two, "coef_": real("W"), "intercept_": number}
_OF_CLASS: dict[str, dict[str, Check]] = {
    "CPA": {"model_": part("NoisyMixture")},
    "MPCKMeans": {"classes_": _two, "model_": part("FoundClusters")},
    "NaiveBayesEM": {"model_": part("Mixture")},
    "PEBL": _LINEAR,
    "PLSA": {"model_": part("Aspects")},
    "RocchioSVM": _LINEAR,
    "SelfTraining": {"model_": _fitted("W", "M")},
    "SpyEM": _LINEAR,
    "TopicSensitivePLSA": {
        "classes_": _two,
        "model_": part("Finder"),
        "class_prior_": number,
        "n_components_": size("K"),
    },
    "TransductiveSVM": {"coef_": _machines("M")},
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
    "coef_": _machines("C"),
    "intercept_": _intercept,
    "n_iter_": _iterations,
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
        "n_outputs_": _one,
        "sparse_output_": _false,
        "_strategy": text(),
    },
    "SelfTrainingClassifier": {
        "n_features_in_": size("W"),
        "classes_": names("C"),
        "estimator": _classifier,
        "estimator_": _fitted("W", "C"),
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
        raise damaged(f"{where} is {shown(value)}, but must be a type of numbers")


def _vocabulary(value: Any, where: str, sizes: Sizes) -> None:
    """Words, each with a column of its own: columns become indices of sparse arrays as they are."""
    table(value, where, sizes)
    if {*map(type, value)} - {str} or {*map(type, value.values())} - {int, np.int32, np.int64}:
        raise damaged(f"{where} has words that are no strings, or columns that are no whole numbers")
    met = len(value)
    number = sizes.setdefault("W", met)
    try:
        columns = np.fromiter(value.values(), dtype=np.int64, count=met)
    except OverflowError:
        raise damaged(f"{where} has words whose columns are no numbers of 64 bits") from None
    inside = columns[(columns >= 0) & (columns < number)]
    if met != number or len(inside) < number or np.any(np.bincount(inside, minlength=number) != 1):
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
VECTORIZERS: dict[str, dict[str, Check]] = {
    "CountVectorizer": _COUNTED,
    "WordCounter": _COUNTED,
    "WordAndPieceCounter": _COUNTED | {"short_": flag},
    "TfidfVectorizer": _COUNTED | _IDF | {"_tfidf": part("TfidfTransformer")},
    "HashingVectorizer": _COUNTER | {"n_features": size("W"), "norm": _NORM, "alternate_sign": flag},
}
_LEARNED["TfidfTransformer"] |= _IDF
_MADE_OF = {"Pipeline": "steps", "FeatureUnion": "transformer_list"}


def _check_steps(model: Any, where: str, sizes: Sizes) -> None:
    """Raises where the steps of a pipeline are none, or do not take what those before them give."""
    name = _MADE_OF[type(model).__name__]
    steps = vars(model)[name]
    pairs = isinstance(steps, list) and all(isinstance(each, tuple) and len(each) == 2 for each in steps)
    if not pairs or not steps or not all(isinstance(each, str) for each, _ in steps):
        raise damaged(f"{where}.{name} is no list of names and estimators")
    if vars(model).get("memory") is not None:
        raise damaged(f"{where}.memory is a folder that fits are kept in, which a file may not name")
    widths: list[int] = []
    width: int = 0
    for at, (_, step) in enumerate(steps):
        if step is None or isinstance(step, str):
            continue
        here = f"{where}.{name}[{at}]"
        known = sizes.inner(**({"W": width} if width and name == "steps" else {}))
        if not isinstance(step, BaseEstimator) or not is_known(step):
            raise damaged(f"{here} is {type(step).__name__}, which is no estimator that a file holds")
        check_estimator(step, here, known)
        width = known.get("W", 0)
        widths.append(width)
    if name == "transformer_list" and any(widths):
        size("W")(sum(widths), where, sizes)


def check_estimator(model: Any, where: str, sizes: Sizes) -> None:
    """Raises where what an estimator holds does not fit together, or where it was not fitted."""
    name, held = type(model).__name__, vars(model)
    if name in _MADE_OF:
        _check_steps(model, where, sizes)
        return
    checks = VECTORIZERS.get(name) or _LEARNED.get(name) or (_ATTRIBUTES | _OF_CLASS.get(name, {}))
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
        if getattr(model, "fold_iter", 0) >= 2**63:  # which passes, but is no number to compiled code
            raise ValueError(f"fold_iter == {model.fold_iter}, but must be below 2**63.")
        kind = getattr(model, "dtype", None)
        if kind is not None and np.dtype(kind) not in (np.float32, np.float64):
            raise ValueError(f"dtype == {kind!r}, but must be None, float32 or float64.")
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{where} has a parameter that it cannot have: {error}") from None


def parameters_of(cls: type) -> dict[str, Any]:
    """The parameters of an estimator, and what they are if nobody says anything."""
    return {name: each.default for name, each in signature(cls).parameters.items()}


def _of_ours(cls: type) -> set[str]:
    """What a fit of an estimator of this package sets."""
    return attributes_of(cls) | _PRIVATE.get(cls.__name__, set())


def fitted_names(cls: type) -> set[str]:
    """What an estimator may hold that is no parameter."""
    if cls.__name__ in _MADE_OF:
        return set()
    checks = VECTORIZERS.get(cls.__name__) or _LEARNED.get(cls.__name__)
    return {"feature_names_in_"} | (_of_ours(cls) | {"_seen", "_met_"} if checks is None else checks.keys())
