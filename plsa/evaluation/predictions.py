"""What classifiers say of documents that were held out, where labels are missing."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.engine.parameters import Array, Places
from plsa.estimators.base import copies_are_lost
from plsa.estimators.documents import check_documents
from plsa.estimators.others import marks_of
from plsa.estimators.validation import check_labels, read_labels
from plsa.evaluation.folds import Splits, may_be_held_out, of_documents, splits_of
from plsa.labels.reading import UNLABELED, Labels, is_unlabeled

# What `cross_val_predict` can ask for, and what it says of a class that a fit does not know.
_UNKNOWN = {"predict": None, "predict_proba": 0.0, "predict_log_proba": -np.inf, "decision_function": -np.inf}


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    method: str = "predict",
    params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Array:
    """What a classifier says of each document when it has not seen the document's label.

    A labeled document is held out, and predicted by a fit to the others, unlabeled ones among them: in the
    folds of `cv`, or, the only one of its class, in one fit more, which knows no such class and cannot be
    right (a warning says so). A document without a label that no fold holds out is predicted by a fit to all
    documents, itself among them: it has no label to be seen. Unlike scikit-learn's function of this name, it
    neither fails where labels are missing nor takes their mark for a class.

    Parameters
    ----------
    estimator : classifier that takes y with its marks, or a Pipeline or search of one
        Is not changed. What marks a missing label is its `unlabeled`; -1 where it has no such parameter.
    X : documents: a matrix, or a list of texts for a pipeline
    y : labels, some of which may be missing
    cv : int, splitter or iterable, default=None
        A number is that of the folds of a `LabeledKFold`; None is 5, or fewer where no more documents can be
        held out. No document may be held out twice.
    method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}, default="predict"
        What is asked of the fitted classifier.
    params : dict, default=None
        Parameters of `fit`, such as {"sample_weight": weights}; what has an entry per document goes with the
        documents.
    n_jobs : int or None, default=None
        Fits that are made at a time, in processes of their own; -1: as many as there are processors.

    Returns
    -------
    array with an entry or a row for each document
        Columns are those of all classes, sorted. A class that a fit does not know has probability 0 there.

    Examples
    --------
    >>> from plsa import cross_val_predict, text_classifier
    >>> texts = ["tea and milk", "a cup of tea", "a cup of milk", "goal and ball", "a ball team", "team goal"]
    >>> labels = ["food", "food", "food", "sport", "sport", None]
    >>> cross_val_predict(text_classifier(random_state=0), texts, labels).tolist()
    ['food', 'food', 'food', 'sport', 'sport', 'sport']
    """
    inputs.check_choice(method, "method", [*_UNKNOWN])
    estimator, name = clone(estimator), type(estimator).__name__
    if not hasattr(estimator, method):
        raise ValueError(f"method == {method!r}, but {name} has no such method: pass another.")
    check_documents(estimator, X)
    (X,) = indexable(X)
    y = check_labels(y, _num_samples(X))
    marks = [*marks_of(estimator).values()]
    mark = marks[0] if marks else UNLABELED
    labels = read_labels(y, len(y), mark, doubts=False)  # the fits say so, where it is so for them
    splits = _of_all(splits_of(cv, X, y, labels), labels)
    work, given = delayed(_fit_and_answer), (X, y, method, params or {})
    with copies_are_lost("cross_val_predict"):
        found = Parallel(n_jobs=n_jobs)(work(clone(estimator), *given, *split) for split in splits)
    known = np.unique(np.concatenate([labels.classes, *(classes for _, classes in found)]))
    if not marks and is_unlabeled(known, mark).any():
        learned = f"{name} has learned {mark}, which marks a document without a label, as a class"
        raise ValueError(f"{learned}. Use a model that takes such documents, or pass the labeled ones alone.")
    together = np.concatenate([_in_columns(answer, classes, known, method) for answer, classes in found])
    in_order = np.empty_like(together)
    in_order[np.concatenate([test for _, test in splits])] = together
    return in_order


def _of_all(splits: Splits, labels: Labels) -> Splits:
    """These folds and what is left, so that every document is held out once; see `cross_val_predict`."""
    n_documents = len(labels.code)
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=n_documents)
    for wrong, found in ((times > 1, "more than once"), ((times == 0) & may_be_held_out(labels), "never")):
        if wrong.any():
            which = f"cv holds out document {int(np.flatnonzero(wrong)[0])} {found}"
            raise ValueError(
                f"{which}; labeled ones must be held out once, as by LabeledKFold, others at most."
            )
    everything, left = np.arange(n_documents), times == 0
    alone, unlabeled = np.flatnonzero(left & labels.labeled), np.flatnonzero(left & ~labels.labeled)
    if len(alone):
        splits = [*splits, (np.setdiff1d(everything, alone), alone)]
    if not all(labels.labeled[train].any() for train, _ in splits):
        found = f"all {labels.labeled.sum()} labeled documents are held out at once"
        what = "Label two of each class, and let LabeledKFold deal them out"
        raise ValueError(f"{found}, and none is left to learn from. {what}.")
    learned = [np.append(labels.code[train], UNLABELED) for train, _ in splits]
    unknown = [~np.isin(labels.code[test], codes) for codes, (_, test) in zip(learned, splits, strict=True)]
    lost = np.concatenate([test[where] for where, (_, test) in zip(unknown, splits, strict=True)])
    if len(lost):
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        label = labels.classes[labels.code[lost[:1]]].tolist()[0]
        which = f"document {lost[0]}, labeled {label!r}{more}, is predicted by a fit that knows no such class"
        inputs.warn(f"{which}: it cannot be right. Label another one, or leave it out of what you count.")
    return [*splits, (everything, unlabeled)] if len(unlabeled) else splits


def _fit_and_answer(
    estimator: Any, X: Any, y: Array, method: str, params: dict[str, Any], train: Places, test: Places
) -> tuple[Array, Array]:
    """What a fit to some documents says of others, and the classes that it knows."""
    estimator.fit(_safe_indexing(X, train), y[train], **of_documents(params, train, len(y)))
    return getattr(estimator, method)(_safe_indexing(X, test)), estimator.classes_


def _in_columns(answer: Array, own: Array, classes: Array, method: str) -> Array:
    """An answer with a column for every class, where it has one for each of its own."""
    if method == "predict" or len(own) == len(classes):
        return answer
    if answer.ndim == 1:
        found = f"a fit that knows {len(own)} of the {len(classes)} classes gives one {method} for both"
        raise ValueError(f"{found}: label more documents of each, or pass fewer folds.")
    full = np.full((len(answer), len(classes)), _UNKNOWN[method], dtype=answer.dtype)
    full[:, np.searchsorted(classes, own)] = answer
    return full
