"""Classifiers of every kind where labels are missing: what each is fitted to, and what it says.

Ours, scikit-learn's that learn from unlabeled documents, all others, and pipelines of these.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.utils import _safe_indexing

from plsa.engine.parameters import Array, Floats
from plsa.estimators.base import NO_SUM
from plsa.estimators.documents import steps_of
from plsa.estimators.positives import LINEAR
from plsa.labels.reading import Labels
from plsa.learning.parts import DECISION, Parts, linear_parts
from plsa.learning.student import probabilities

# scikit-learn's own that learn from unlabeled documents: -1 marks these, and not all take strings beside it.
_BY_CODES = (LabelPropagation, LabelSpreading, SelfTrainingClassifier)


def check_classifier(value: Any, name: str) -> None:
    """Raises where it is neither None nor a classifier, not a class, that has probabilities."""
    is_one = not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict_proba")
    if value is not None and not is_one:
        must = "None or a classifier with predict_proba, such as LogisticRegression()"
        raise ValueError(f"{name} == {value!r}, but must be {must}.")


def last_of(estimator: Any) -> Any:
    """What is left of pipelines at their end."""
    last = steps_of(estimator)[-1]
    return last if last is estimator else last_of(last)


def takes_unlabeled(estimator: Any) -> bool:
    """Whether a classifier, or the last step of a pipeline, learns from documents without a label."""
    return bool(marks_of(estimator)) or learns_by_codes(estimator)


def learns_by_codes(estimator: Any) -> bool:
    """Whether it is one of scikit-learn's semi-supervised classifiers, or a pipeline that ends in one."""
    return isinstance(last_of(estimator), _BY_CODES)


def marks_of(estimator: Any) -> dict[str, Any]:
    """The parameters that say what marks a document without a label, with what they say."""
    given = estimator.get_params().items()
    return {name: value for name, value in given if name.rpartition("__")[2] == "unlabeled"}


def seeded(estimator: Any, seed: int) -> Any:
    """A copy in which all that draws at random, and has no seed, has this one."""
    copy = clone(estimator)
    unset = [name for name, value in copy.get_params().items() if value is None]
    seeds = [name for name in unset if name.rpartition("__")[2] == "random_state"]
    return copy.set_params(**dict.fromkeys(seeds, seed))


def fitted_to(estimator: Any, X: Any, labels: Labels) -> Any:
    """The estimator, fitted: to all documents if it learns from unlabeled ones too, else to the others."""
    known = np.flatnonzero(labels.labeled)
    names = labels.classes[labels.code[known]]
    if learns_by_codes(estimator):
        return estimator.fit(X, labels.code)
    if not takes_unlabeled(estimator):
        return estimator.fit(_safe_indexing(X, known), names)
    # Whatever marks the documents without a label, -1 may be a class here.
    y = np.full(len(labels.code), None, dtype=object)
    y[known] = names.tolist()
    return estimator.set_params(**dict.fromkeys(marks_of(estimator))).fit(X, y)


def named(model: Any, labels: Labels, found: Array) -> Array:
    """What a fitted model calls classes, as the labels have them."""
    return np.asarray(labels.classes[found] if learns_by_codes(model) else found)


def predicted(model: Any, labels: Labels, X: Any) -> Array:
    """The classes of documents, as the labels have them; the first where no label reaches one."""
    with np.errstate(invalid="ignore" if learns_by_codes(model) else None):
        return named(model, labels, model.predict(X))


def chances(model: Any, X: Any) -> Floats:
    """P(class|document), or what stands for it: the softmax of decision values.

    All classes are as probable where no label reaches a document.
    """
    if hasattr(model, "predict_proba"):
        by_codes = learns_by_codes(model)
        with np.errstate(invalid="ignore" if by_codes else None):  # 0 / 0 where no label reaches a document
            found = np.asarray(model.predict_proba(X), dtype=np.float64)
        return or_even(found) if by_codes else found
    decision = np.asarray(model.decision_function(X), dtype=np.float64)
    if decision.ndim == 1:
        decision = np.column_stack([-decision, decision]) / 2
    return probabilities(decision, 1.0)


def decision_parts(model: Any, X: Any) -> Parts:
    """What decides about one document of counts, as a sum over its words, of ours and of linear classifiers.

    Of these the score is the decision value, if it is the sum that `coef_` and `intercept_` make.
    """
    if hasattr(model, "decision_parts"):
        return model.decision_parts(X)
    if all(hasattr(model, name) for name in ("coef_", "classes_", "decision_function")):
        row, said = sparse.csr_array(X), np.ravel(model.decision_function(X))
        weights = np.asarray(model.coef_, dtype=np.float64)
        weights = weights.reshape(-1, weights.shape[-1]).T
        intercepts = np.broadcast_to(np.ravel(model.intercept_), weights.shape[1:])
        parts = linear_parts(DECISION, LINEAR, row, weights, intercepts)
        if len(parts.scores) == len(said) and np.allclose(parts.scores, said, rtol=1e-6, atol=1e-9):
            parts = parts.two_sided() if len(said) == 1 else parts
            return replace(parts, classes=np.asarray(model.classes_))
    can = "all models of plsa that have topics or coef_ can be, and linear classifiers of scikit-learn"
    raise ValueError(f"{type(model).__name__} cannot be explained: {NO_SUM}, as far as is known; {can}.")


def or_even(chance: Floats) -> Floats:
    """All classes are as probable where nothing is said: in rows of zeros, or of NaN."""
    return np.where(chance.sum(axis=1, keepdims=True) > 0, chance, 1 / chance.shape[1])
