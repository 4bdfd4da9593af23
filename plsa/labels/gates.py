"""What a document's label allows, as a gate: the only thing in which the labelled models differ.

A gate gives every document a state, every state a row of what it allows of each topic, and may learn that
table from the expected topic counts N[state, topic] of a pass. C classes, K topics; the states of labelled
documents are their classes and come first, those of unlabelled documents follow.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plsa.labels.supervision import UNLABELLED, Layout

Matrix = NDArray[np.float64]


class Gate(Protocol):
    """A table of states x topics and how it is learnt."""

    layout: Layout

    def states(self, code: NDArray[np.int32], guess: NDArray[np.int32]) -> NDArray[np.int32]:
        """The row of the table that each document uses; `guess` is a class for every document."""

    def table(self) -> Matrix:
        """(S, K): what each state allows of each topic, as believed now."""

    def open(self) -> Matrix:
        """(S, K): 1 where a state may use a topic at all, else 0."""

    def learn(self, count: Matrix) -> bool:
        """Takes the counts of a pass in; whether the table changes by it."""


def _labelled_or(
    layout: Layout, code: NDArray[np.int32], other: NDArray[np.int32] | int
) -> NDArray[np.int32]:
    """The class where there is one, else the state C + other."""
    return np.where(code == UNLABELLED, layout.n_classes + other, code).astype(np.int32)


class MissingLabel:
    """A labelled document has the topics of its class, one without a label all of them. Nothing is learnt.

    Where every document is labelled this is the gate of supervised PLSA.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def states(self, code: NDArray[np.int32], guess: NDArray[np.int32]) -> NDArray[np.int32]:
        """The class, or C."""
        return _labelled_or(self.layout, code, 0)

    def table(self) -> Matrix:
        """1 for the class's topics; a last row of ones."""
        return np.vstack([self.layout.allowed(), np.ones((1, self.layout.n_topics))])

    def open(self) -> Matrix:
        """The table itself."""
        return self.table()

    def learn(self, count: Matrix) -> bool:
        """Nothing."""
        return False


class OneComponent(MissingLabel):
    """The component is drawn once a document: the gate is P(z), zero for what is not of the document's class.

    P(z) = P(c) P(z|c), where c is the class of z, from the expected number of documents N[z] of a pass:
    P(c) ~ N[c] + `class_alpha` with N[c] = sum of N[z] over z in c, and P(z|c) ~ N[z] + `component_alpha`
    (Nigam, McCallum and Mitchell, eq. 3.10 and 3.11). Where there is nothing to go by, all have the same.
    """

    def __init__(self, layout: Layout, class_alpha: float, component_alpha: float) -> None:
        super().__init__(layout)
        self.class_alpha = class_alpha
        self.component_alpha = component_alpha
        self.class_prior = np.full(layout.n_classes, 1 / layout.n_classes)
        self.component_prior = 1 / np.bincount(layout.topic_class)[layout.topic_class]  # P(z|c)

    def topic_prior(self) -> Matrix:
        """P(z)."""
        prior: Matrix = self.class_prior[self.layout.topic_class] * self.component_prior
        return prior

    def table(self) -> Matrix:
        """P(z) where the state may use z."""
        return self.open() * self.topic_prior()

    def open(self) -> Matrix:
        """1 for the class's components; a last row of ones."""
        return super().table()

    def learn(self, count: Matrix) -> bool:
        """P(c) and P(z|c) from the expected numbers of documents of each state and component."""
        of_class = self.layout.topic_class
        documents = count.sum(axis=0)
        in_class = np.bincount(of_class, documents, self.layout.n_classes) + self.class_alpha
        total = in_class.sum()
        self.class_prior = in_class / total if total > 0 else np.full(len(in_class), 1 / len(in_class))
        self.component_prior = self._shares(documents + self.component_alpha)
        return True

    def take(self, prior: Matrix) -> None:
        """Lets P(z) be this."""
        of_class = self.layout.topic_class
        self.class_prior = np.bincount(of_class, prior, self.layout.n_classes)
        self.component_prior = self._shares(prior)

    def _shares(self, each: Matrix) -> Matrix:
        """Each component's share in its class; all have the same in a class that has nothing."""
        of_class = self.layout.topic_class
        total = np.bincount(of_class, each, self.layout.n_classes)[of_class]
        even = 1 / np.bincount(of_class)[of_class]
        return np.where(total > 0, each / np.where(total > 0, total, 1), even)

    def log_prior(self) -> float:
        """The logarithm of the Dirichlet densities of P(c) and P(z|c), but for a constant.

        A probability of zero, which only `take` can bring, counts as the smallest normal number.
        """
        total = 0.0
        for alpha, chance in (
            (self.class_alpha, self.class_prior),
            (self.component_alpha, self.component_prior),
        ):
            if alpha > 0:
                total += alpha * float(np.log(np.maximum(chance, np.finfo(float).smallest_normal)).sum())
        return total


class FakeLabel(MissingLabel):
    """Not to be labelled is a label too, the fake one: the gate is P(label|z), learnt.

    P(label|z) = N[label, z] / sum over labels of N[., z], zero for the classes that z is not of. A topic that
    hardly any labelled document uses then says little of its class. It starts at one half for the fake label.
    """

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        allowed = layout.allowed()
        self.probability = np.vstack([allowed / allowed.sum(axis=0), np.ones((1, layout.n_topics))]) / 2

    def table(self) -> Matrix:
        """P(label|z), the fake label last."""
        return self.probability

    def open(self) -> Matrix:
        """As for missing labels."""
        return super().table()

    def learn(self, count: Matrix) -> bool:
        """P(label|z) from the counts; a topic without any keeps what it had."""
        self.probability = _columns(count, self.probability)
        return True


class Mislabelling:
    """A document without a label has a guess that may be wrong: the gate is P(guess|z), learnt.

    P(guess g|z) = D[g, z] = sum_y beta[g, y] Q[y, z], where beta[g, y] = P(guess g | true class y) and
    Q[y, z] = P(y|z) among the unlabelled documents. With the share of y in it, r[y] = beta[g, y] Q[y, z] /
    D[g, z], one exact EM step is

        beta[g, y] ~ sum_z N[g, z] r[y]  (columns sum to one)      Q[y, z] ~ sum_g N[g, z] r[y]  (likewise)

    In the hard form Q stays at the topics' own classes, in the soft one it is learnt too. beta starts with
    nine tenths on its diagonal, and Q, where it is learnt, with nine tenths on the topic's class.
    """

    def __init__(self, layout: Layout, *, soft: bool) -> None:
        self.layout = layout
        self.soft = soft
        n_classes = layout.n_classes
        near = 0.9 if n_classes > 1 else 1.0
        self.beta = near * np.eye(n_classes) + (1 - near) / n_classes
        allowed = layout.allowed()
        self.class_topic = allowed / allowed.sum(axis=0)
        if soft:
            self.class_topic = near * self.class_topic + (1 - near) / n_classes

    def states(self, code: NDArray[np.int32], guess: NDArray[np.int32]) -> NDArray[np.int32]:
        """The class, or C + the guess."""
        return _labelled_or(self.layout, code, guess)

    def table(self) -> Matrix:
        """1 for the topics of a labelled document's class; D below."""
        return np.vstack([self.layout.allowed(), self.beta @ self.class_topic])

    def open(self) -> Matrix:
        """A guess forbids no topic."""
        n_classes, n_topics = self.layout.n_classes, self.layout.n_topics
        return np.vstack([self.layout.allowed(), np.ones((n_classes, n_topics))])

    def learn(self, count: Matrix) -> bool:
        """beta, and in the soft form Q, from the counts; a column without any keeps what it had."""
        guessed = count[self.layout.n_classes :]
        given = self.beta @ self.class_topic
        ratio = np.divide(guessed, given, out=np.zeros_like(given), where=given > 0)
        beta = self.beta * (ratio @ self.class_topic.T)
        class_topic = self.class_topic * (self.beta.T @ ratio)
        self.beta = _columns(beta, self.beta)
        if self.soft:
            self.class_topic = _columns(class_topic, self.class_topic)
        return True


def _columns(count: Matrix, old: Matrix) -> Matrix:
    """Columns that sum to one; the old column where the sum is zero."""
    total = count.sum(axis=0)
    return np.where(total > 0, count / np.where(total > 0, total, 1), old)
