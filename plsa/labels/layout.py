"""Which class each topic belongs to."""

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plsa.engine.parameters import Array, Codes, Floats, Places
from plsa.inputs import check_whole
from plsa.labels.reading import UNLABELED


@dataclass(frozen=True, slots=True)
class Layout:
    """Which class each topic belongs to; UNLABELED: to none until it is learned."""

    topic_class: Codes
    n_classes: int

    @property
    def n_topics(self) -> int:
        """All topics."""
        return len(self.topic_class)

    def allowed(self) -> Floats:
        """(C, K): 1 where a document of the class may use the topic, else 0.

        The gate of supervised PLSA: a class has its own topics and those that belong to none.
        """
        of_class = self.topic_class[np.newaxis, :] == np.arange(self.n_classes)[:, np.newaxis]
        return (of_class | (self.topic_class == UNLABELED)).astype(np.float64)

    def topic_prior(self, class_prior: Floats) -> Floats:
        """P(z): a class's share divided among its topics; a topic of no class has 1 / K."""
        free = self.topic_class == UNLABELED
        topics_of_class = np.bincount(self.topic_class[~free], minlength=self.n_classes)
        prior = np.full(self.n_topics, 1 / self.n_topics)
        share = class_prior / topics_of_class
        prior[~free] = share[self.topic_class[~free]] * (~free).sum() / self.n_topics
        return prior


def lay_out(topics_per_class: Places, extra_topics: int) -> Layout:
    """Topics in the order of their classes, then those of no class."""
    own = np.repeat(np.arange(len(topics_per_class), dtype=np.int32), topics_per_class)
    free = np.full(extra_topics, UNLABELED, dtype=np.int32)
    return Layout(np.concatenate([own, free]), len(topics_per_class))


def label_topic(state_count: Floats, layout: Layout) -> Floats:
    """(C, K): P(class|topic) from the expected counts N[class, topic] = sum over its documents.

    A topic of one class is that class's; one of none is shared out as its words were, or evenly where it
    has none.
    """
    total = state_count.sum(axis=0)
    share = np.full(state_count.shape, 1 / layout.n_classes)
    np.divide(state_count, total, out=share, where=total > 0)
    own = layout.topic_class != UNLABELED
    share[:, own] = layout.allowed()[:, own]
    return share


def unlabeled_share(state_count: Floats | None, layout: Layout) -> Floats:
    """(K,): the share of the states without a label in the expected counts N[state, topic]; 1 of nothing."""
    if state_count is None:
        return np.ones(layout.n_topics)
    count = state_count[:, : layout.n_topics]
    total = count.sum(axis=0)
    unlabeled = count[layout.n_classes :].sum(axis=0)
    return np.divide(unlabeled, total, out=np.ones(layout.n_topics), where=total > 0)


def check_topics_per_class(
    given: Any, classes: Array, name: str = "topics_per_class", declared: Array | None = None
) -> Places:
    """How many topics each class has; where others are declared too, there is an entry for them, not read."""
    named = (classes if declared is None else declared).tolist()
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return np.full(len(classes), check_whole(given, name, 1))
    if isinstance(given, Mapping):
        unknown = [c for c in given if c not in named]
        missing = [c for c in classes.tolist() if c not in given]
        if unknown or missing:
            raise ValueError(f"{name} does not fit the classes of y: unknown {unknown}, missing {missing}.")
        given = [given.get(c) for c in named]
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        must = '"auto", a whole number >= 1, a list with one for each class, or a mapping from classes'
        raise ValueError(f"{name} == {given!r}, but must be {must}.")
    if len(given) != len(named):
        raise ValueError(f"{name} has {len(given)} entries for {len(named)} classes {named}.")
    numbers_of = dict(zip(named, given, strict=True))
    return np.array([check_whole(numbers_of[c], name, 1) for c in classes.tolist()])
