"""Whether documents are what an estimator learns from: checked at the start of what takes long."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_non_negative

from plsa.engine.counts import Counts
from plsa.estimators.base import CountEstimator
from plsa.estimators.text import read_texts
from plsa.estimators.validation import check_counts, refuse_texts
from plsa.inputs.structure import check_structure


def steps_of(estimator: Any) -> list[Any]:
    """What documents go through."""
    if not isinstance(estimator, Pipeline):
        return [estimator]
    return [step for _, step in estimator.steps if step is not None and step != "passthrough"]


def reads_texts(step: Any) -> bool:
    """Whether it counts the words of texts."""
    return hasattr(step, "build_analyzer")


def matrix_of(X: Any) -> Any:
    """X as a matrix of numbers, None where it is not one."""
    plain = X.to_numpy() if hasattr(X, "to_numpy") else X
    dense = isinstance(plain, np.ndarray) and plain.ndim == 2 and plain.dtype.kind in "biuf"
    return plain if dense or sparse.issparse(plain) else None


def check_documents(estimator: Any, X: Any) -> None:
    """Raises where documents are not what an estimator learns from, as far as it can be told without labels.

    Texts for counts and the other way round, negative counts, NaN; parameters of ours. Of estimators that are
    neither ours nor scikit-learn's, or that hold others, nothing is known.
    """
    check_structure(X)
    first, last = steps_of(estimator)[0], steps_of(estimator)[-1]
    if reads_texts(first):
        if not callable(first.analyzer) and first.preprocessor is None and first.input == "content":
            read_texts(X)
        return
    if isinstance(first, CountEstimator):
        clone(first).read_counts(X)
        return
    holds = any(hasattr(value, "get_params") for value in first.get_params().values())
    if holds or type(first).__module__.split(".")[0] not in ("sklearn", "plsa"):
        return
    tags, matrix = get_tags(first), matrix_of(X)
    if tags.no_validation or tags.input_tags.string:
        return
    if getattr(X, "ndim", 1) == 1:
        refuse_texts(X, type(last).__name__)
    if matrix is not None and tags.input_tags.two_d_array:
        finite = not tags.input_tags.allow_nan
        formats = tags.input_tags.sparse
        check_array(matrix, accept_sparse=formats, ensure_all_finite=finite, estimator=first, input_name="X")
        if tags.input_tags.positive_only:
            check_non_negative(matrix, type(first).__name__)


def last_step(model: Any) -> Any:
    """The model itself, or the last step of a Pipeline."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def without_steps(model: Any, X: Any) -> tuple[Any, Any]:
    """The model at the end of a fitted Pipeline, and what the other steps make of X."""
    return last_step(model), model[:-1].transform(X) if len(getattr(model, "steps", ())) > 1 else X


def plain_counts(model: Any, X: Any) -> Counts:
    """The counts of X, which has the columns that the model was fitted to."""
    return check_counts(model, X, reset=False, dtype=getattr(model, "dtype", None))


def scaled_counts(model: Any, X: Any) -> Counts:
    """The counts of X as the fitted model works with them."""
    return model.scaled_counts(X) if hasattr(model, "scaled_counts") else plain_counts(model, X)
