"""What a fitted model says of itself: its counts, the weight of its documents, its free parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats
from plsa.estimators.validation import check_counts
from plsa.labels.layout import Layout
from plsa.labels.reading import UNLABELED, Labels


def weight_in_fit(model: Any, counts: Counts, labels: Labels | None) -> Floats:
    """How often each document counts: once, and as the model has it if it is without a label."""
    weight = np.ones(counts.n_documents)
    if labels is not None:
        without = getattr(model, "unlabeled_weight_", getattr(model, "unlabeled_weight", 1.0))
        weight[~labels.labeled] = without
    return weight


def independent_draws(model: Any, counts: Counts, weight: Floats) -> float:
    """Words, each drawn for itself; documents, where a document has one topic."""
    return counts.total(weight) if model.topics_of_documents else float(weight.sum())


def free_parameters(model: Any, counts: Counts, labels: Labels | None, weight: Floats) -> float:
    """K (W - 1) + sum_d weight_d (topics that d may use - 1), or + K - 1 where documents have one topic.

    W counts the words that occur in these documents, and d the documents that have words: all else is not
    learned from them but fixed by smoothing and prior. A document that counts twice is two documents, each
    with topics of its own. The few parameters of labels, such as the chances of mislabeling, are left out.
    """
    n_topics = len(model.components_)
    n_words = int((counts.word_totals() > 0).sum())
    if not model.topics_of_documents:
        return n_topics * (n_words - 1) + n_topics - 1
    allowed = np.full(counts.n_documents, float(n_topics))
    if labels is not None:
        of_class = Layout(np.asarray(model.topic_class_), len(labels.classes)).allowed().sum(axis=1)
        allowed[labels.labeled] = of_class[labels.code[labels.labeled]]
    full = counts.lengths() > 0
    return n_topics * (n_words - 1) + float(weight[full] @ (allowed[full] - 1))


def last_step(model: Any) -> Any:
    """The model itself, or the last step of a Pipeline."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def without_steps(model: Any, X: Any) -> tuple[Any, Any]:
    """The model at the end of a fitted Pipeline, and what the other steps make of X."""
    if hasattr(model, "steps"):
        X = model[:-1].transform(X)
    return last_step(model), X


def scaled_counts(model: Any, X: Any) -> Counts:
    """The counts of X as the fitted model works with them."""
    if hasattr(model, "scaled_counts"):
        return model.scaled_counts(X)
    return check_counts(model, X, reset=False, dtype=getattr(model, "dtype", None))


def marker(model: Any) -> Any:
    """What marks a document without a label."""
    return getattr(model, "unlabeled", UNLABELED)
