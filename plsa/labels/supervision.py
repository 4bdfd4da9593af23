"""Labels to states and gates, topics to classes and back: the only place that knows what -1 means."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plsa import inputs

UNLABELLED = -1  # in codes: the class of a document that has none


@dataclass(frozen=True, slots=True)
class Labels:
    """The classes, sorted, and the class of each document as its place among them, or UNLABELLED."""

    classes: NDArray[Any]
    code: NDArray[np.int32]

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which documents have a label."""
        return self.code != UNLABELLED


def is_unlabelled(y: NDArray[Any], unlabeled: Any) -> NDArray[np.bool_]:
    """Which entries mark a document without a label: None, NaN, and what `unlabeled` says.

    Among strings, the marker counts in its written form too: numpy turns `["spam", -1]` into strings.
    `unlabeled=None` leaves only None and NaN.
    """
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind == "O":
        missing = np.array([_is_missing(v) for v in y], dtype=bool)
    else:
        missing = np.zeros(len(y), dtype=bool)
    if unlabeled is None:
        return missing
    if y.dtype.kind in "US":
        return missing | (y.astype(str) == str(unlabeled))
    if y.dtype.kind == "O":
        # Not `==` on the array: 0 == False and 1 == True, and a string compares with anything.
        kind = _kind(unlabeled)
        same = [not gone and _kind(v) is kind and v == unlabeled for v, gone in zip(y, missing, strict=True)]
        return missing | np.array(same, dtype=bool)
    if isinstance(unlabeled, str):
        return missing
    result: NDArray[np.bool_] = missing | (y == unlabeled)
    return result


def _is_missing(value: Any) -> bool:
    # None, NaN, and pandas' NA, which is neither equal nor unequal to itself.
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _kind(value: Any) -> type:
    for kind in (str, bool | np.bool_):
        if isinstance(value, kind):
            return str if kind is str else bool
    return float if isinstance(value, int | float | np.number) else type(value)


def read_labels(y: Any, n_documents: int, unlabeled: Any = UNLABELLED) -> Labels:
    """The classes and codes of y, of which at least one is labelled."""
    y = inputs.check_labels(y, n_documents)
    missing = is_unlabelled(y, unlabeled)
    known = y[~missing]
    if y.dtype.kind == "O" and len(known) and len(kinds := {_kind(v) for v in known}) == 1:
        plain = np.array(known.tolist())  # of the type that they share
        known = plain if kinds <= {str, bool, float} else known
    inputs.check_classes(known)
    classes, code = np.unique(known, return_inverse=True)
    if len(classes) == 1 and y.dtype.kind in "if" and {*np.unique(y).tolist()} == {-1, 1} and unlabeled == -1:
        warnings.warn(
            "y holds only 1 and -1, and -1 marks a document without a label: there is one class. "
            "If -1 is a class of yours, pass unlabeled=None.",
            UserWarning,
            stacklevel=4,
        )
    codes = np.full(n_documents, UNLABELLED, dtype=np.int32)
    codes[~missing] = code
    return Labels(classes, codes)


def read_positives(
    y: Any, n_documents: int, unlabeled: Any = UNLABELLED, name: str = "y"
) -> NDArray[np.bool_]:
    """Which documents are positive: those with 1 (or True); 0 and what marks no label are unlabelled."""
    y = inputs.check_labels(y, n_documents)
    unknown = is_unlabelled(y, unlabeled)
    inputs.check_positives(y[~unknown], np.flatnonzero(~unknown), name)
    positive = np.zeros(n_documents, dtype=bool)
    positive[~unknown] = (y[~unknown] == 1).astype(bool)
    return positive


@dataclass(frozen=True, slots=True)
class Layout:
    """Which class each topic belongs to; UNLABELLED: to none until it is learnt."""

    topic_class: NDArray[np.int32]
    n_classes: int

    @property
    def n_topics(self) -> int:
        """All topics."""
        return len(self.topic_class)

    def allowed(self) -> NDArray[np.float64]:
        """(C, K): 1 where a document of the class may use the topic, else 0.

        The gate of supervised PLSA: a class has its own topics and those that belong to none.
        """
        of_class = self.topic_class[np.newaxis, :] == np.arange(self.n_classes)[:, np.newaxis]
        return (of_class | (self.topic_class == UNLABELLED)).astype(np.float64)

    def topic_prior(self, class_prior: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(z): a class's share divided among its topics; a topic of no class has 1 / K."""
        free = self.topic_class == UNLABELLED
        topics_of_class = np.bincount(self.topic_class[~free], minlength=self.n_classes)
        prior = np.full(self.n_topics, 1 / self.n_topics)
        share = class_prior / topics_of_class
        prior[~free] = share[self.topic_class[~free]] * (~free).sum() / self.n_topics
        return prior


def lay_out(topics_per_class: NDArray[np.intp], extra_topics: int) -> Layout:
    """Topics in the order of their classes, then those of no class."""
    own = np.repeat(np.arange(len(topics_per_class), dtype=np.int32), topics_per_class)
    free = np.full(extra_topics, UNLABELLED, dtype=np.int32)
    return Layout(np.concatenate([own, free]), len(topics_per_class))


def class_frequencies(labels: Labels, weight: NDArray[Any] | None) -> NDArray[np.float64]:
    """P(class): how often each class is labelled, and once more."""
    known = labels.labelled
    counted = None if weight is None else np.asarray(weight, dtype=np.float64)[known]
    count = np.bincount(labels.code[known], counted, len(labels.classes)) + 1
    return count / count.sum()


def label_topic(state_count: NDArray[np.float64], layout: Layout) -> NDArray[np.float64]:
    """(C, K): P(class|topic) from the expected counts N[class, topic] = sum over its documents.

    A topic of one class is that class's; one of none is shared out as its words were, or evenly where it
    has none.
    """
    total = state_count.sum(axis=0)
    share = np.full(state_count.shape, 1 / layout.n_classes)
    np.divide(state_count, total, out=share, where=total > 0)
    own = layout.topic_class != UNLABELLED
    share[:, own] = layout.allowed()[:, own]
    return share
