"""What a document's label allows, as a gate: the only thing in which the labeled models differ.

A gate gives every document a state, every state a row of what it allows of each topic, and may learn the
next gate from the expected topic counts N[state, topic] of a pass; it is never changed itself. C classes, K
topics; the states of labeled documents are their classes and come first, those of unlabeled ones follow.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from plsa.engine.parameters import Codes, Floats, Rng
from plsa.labels.layout import Layout
from plsa.labels.reading import UNLABELED


@dataclass(frozen=True, slots=True)
class LabelGate:
    """A table of states x topics and how it is learned; here a last state allows all, and nothing is."""

    begins_drawn: ClassVar[bool] = False  # whether it has to be drawn, as topics would be alike without

    layout: Layout  # which class each topic belongs to

    def states(self, code: Codes, guess: Codes | None) -> Codes:
        """The row of the table that each document uses; `guess` is a class for every document."""
        return np.where(code == UNLABELED, self.layout.n_classes, code).astype(np.int32)

    def table(self) -> Floats:
        """(S, K): what each state allows of each topic, as believed now."""
        return self.open()

    def open(self) -> Floats:
        """(S, K): 1 where a state may use a topic at all, else 0."""
        return np.vstack([self.layout.allowed(), np.ones((1, self.layout.n_topics))])

    def learn(self, count: Floats) -> Self:
        """The gate that the counts of a pass ask for."""
        return self

    def drawn(self, rng: Rng) -> Self:
        """The gate with all that it learns drawn at random, each distribution as probable as any other."""
        return self

    def class_topic(self, label_topic: Floats) -> Floats:
        """(C, K): how much of each topic speaks for each class, given P(y|z) of labeled documents."""
        return label_topic


class MissingLabel(LabelGate):
    """A labeled document has the topics of its class, one without a label all of them. Nothing is learned.

    Where every document is labeled this is the gate of supervised PLSA.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class LearnedLabel(LabelGate):
    """A missing label, but extra topics are given to classes: the gate of a labeled document is P(y|z).

    P(y|z) = N[y, z] / sum over classes of N[., z] among labeled documents, zero for the classes that z is not
    of. A topic that is used by one class more than by others soon is that class's: where all extra topics
    begin as much of one class as of any other, one class gets them all.
    """

    begins_drawn: ClassVar[bool] = True

    probability: Floats

    @classmethod
    def even(cls, layout: Layout) -> Self:
        """An extra topic is as much of one class as of any other."""
        allowed = layout.allowed()
        return cls(layout, allowed / allowed.sum(axis=0))

    def table(self) -> Floats:
        """P(y|z), and 1 for documents without a label."""
        return np.vstack([self.probability, np.ones((1, self.layout.n_topics))])

    def learn(self, count: Floats) -> Self:
        """P(y|z) from the counts; a topic without any keeps what it had."""
        return replace(self, probability=_columns(count[:-1], self.probability))

    def drawn(self, rng: Rng) -> Self:
        """With P(y|z) of extra topics drawn at random."""
        return replace(self, probability=_drawn_columns(self.probability, rng))


@dataclass(frozen=True, slots=True)
class OneComponent(LabelGate):
    """One component per document: the gate is P(z), zero for what is not of the document's class.

    P(z) = P(c) P(z|c), where c is the class of z, from the expected number of documents N[z] of a pass:
    P(c) ~ N[c] + `class_alpha` with N[c] = sum of N[z] over z in c, and P(z|c) ~ N[z] + `component_alpha`
    (Nigam et al. 2006, eq. 3.10 and 3.11). Where there is nothing to go by, all have the same.
    """

    class_alpha: float
    component_alpha: float
    class_prior: Floats  # P(c)
    component_prior: Floats  # P(z|c)

    @classmethod
    def even(cls, layout: Layout, class_alpha: float, component_alpha: float) -> Self:
        """All classes, and all components of a class, as probable as each other."""
        component_prior = 1 / np.bincount(layout.topic_class)[layout.topic_class]
        class_prior = np.full(layout.n_classes, 1 / layout.n_classes)
        return cls(layout, class_alpha, component_alpha, class_prior, component_prior)

    def topic_prior(self) -> Floats:
        """P(z)."""
        prior: Floats = self.class_prior[self.layout.topic_class] * self.component_prior
        return prior

    def table(self) -> Floats:
        """P(z) where the state may use z."""
        return self.open() * self.topic_prior()

    def learn(self, count: Floats) -> Self:
        """P(c) and P(z|c) from the expected numbers of documents of each state and component."""
        documents = count.sum(axis=0)
        n_classes = self.layout.n_classes
        in_class = np.bincount(self.layout.topic_class, documents, n_classes) + self.class_alpha
        total = in_class.sum()
        class_prior = np.asarray(in_class / total if total > 0 else np.full(n_classes, 1 / n_classes))
        component_prior = self._shares(documents + self.component_alpha)
        return replace(self, class_prior=class_prior, component_prior=component_prior)

    def with_topic_prior(self, prior: Floats) -> Self:
        """The gate with this P(z)."""
        class_prior = np.asarray(np.bincount(self.layout.topic_class, prior, self.layout.n_classes), float)
        return replace(self, class_prior=class_prior, component_prior=self._shares(prior))

    def _shares(self, mass: Floats) -> Floats:
        """Each component's share in its class; all have the same in a class that has nothing."""
        of_class = self.layout.topic_class
        total = np.bincount(of_class, mass, self.layout.n_classes)[of_class]
        even = 1 / np.bincount(of_class)[of_class]
        return np.where(total > 0, mass / np.where(total > 0, total, 1), even)

    def log_prior(self) -> float:
        """The logarithm of the Dirichlet densities of P(c) and P(z|c), but for a constant.

        A probability of zero, which only `with_topic_prior` can bring, counts as the smallest normal number.
        """
        total = 0.0
        of_components = (self.component_alpha, self.component_prior)
        for alpha, chance in ((self.class_alpha, self.class_prior), of_components):
            if alpha > 0:
                total += alpha * float(np.log(np.maximum(chance, np.finfo(float).smallest_normal)).sum())
        return total


@dataclass(frozen=True, slots=True)
class FakeLabel(LabelGate):
    """Not to be labeled is a label too, the fake one: the gate is P(label|z), learned.

    P(label|z) = N[label, z] / sum over labels of N[., z], zero for the classes that z is not of. A topic that
    hardly any labeled document uses then says little of its class. It starts at one half for the fake label,
    of which `fake_weight` goes to every class in what topics say of classes.
    """

    fake_weight: float
    probability: Floats

    @classmethod
    def even(cls, layout: Layout, fake_weight: float = 0.0) -> Self:
        """Where it starts."""
        allowed = layout.allowed()
        half = np.vstack([allowed / allowed.sum(axis=0), np.ones((1, layout.n_topics))]) / 2
        return cls(layout, fake_weight, half)

    def table(self) -> Floats:
        """P(label|z), the fake label last."""
        return self.probability

    def learn(self, count: Floats) -> Self:
        """P(label|z) from the counts; a topic without any keeps what it had."""
        return replace(self, probability=_columns(count, self.probability))

    def drawn(self, rng: Rng) -> Self:
        """With P(label|z) drawn at random."""
        return replace(self, probability=_drawn_columns(self.probability, rng))

    def class_topic(self, label_topic: Floats) -> Floats:
        """P(y|z) + fake_weight P(fake|z)."""
        return self.probability[:-1] + self.fake_weight * self.probability[-1:]


@dataclass(frozen=True, slots=True)
class Mislabeling(LabelGate):
    """A document without a label has a guess that may be wrong: the gate is P(guess|z), learned.

    P(guess g|z) = D[g, z] = sum_y beta[g, y] Q[y, z], where beta[g, y] = P(guess g | true class y) and
    Q[y, z] = P(y|z) among the unlabeled documents. With the share of y in it, r[y] = beta[g, y] Q[y, z] /
    D[g, z], one exact EM step is

        beta[g, y] ~ sum_z N[g, z] r[y]  (columns sum to one)      Q[y, z] ~ sum_g N[g, z] r[y]  (likewise)

    In the hard form Q stays at the topics' own classes, in the soft one it is learned too. A guess is a
    class, or, where a document may be left in doubt, C: "not sure", which is a fake label beside the C
    guesses and has the last row of beta. beta starts with nine tenths where the guess is right, and a row of
    "not sure" that allows all topics alike; Q, where it is learned, with nine tenths on the topic's class.
    """

    soft: bool
    beta: Floats  # (C, C), or (C + 1, C) with "not sure"
    unlabeled_class_topic: Floats  # Q

    @classmethod
    def near_truth(cls, layout: Layout, *, soft: bool, doubt: bool = False) -> Self:
        """Where it starts; `doubt`: whether a guess may be "not sure"."""
        n_classes = layout.n_classes
        n_guesses = n_classes + doubt
        near = 0.9 if n_guesses > 1 else 1.0
        beta = near * np.eye(n_guesses, n_classes) + (1 - near) / n_guesses
        allowed = layout.allowed()
        class_topic = allowed / allowed.sum(axis=0)
        if soft:
            near = 0.9 if n_classes > 1 else 1.0
            class_topic = near * class_topic + (1 - near) / n_classes
        return cls(layout, soft, beta, class_topic)

    def states(self, code: Codes, guess: Codes | None) -> Codes:
        """The class, or C + the guess."""
        assert guess is not None
        return np.where(code == UNLABELED, self.layout.n_classes + guess, code).astype(np.int32)

    def table(self) -> Floats:
        """1 for the topics of a labeled document's class; D below."""
        return np.vstack([self.layout.allowed(), self.beta @ self.unlabeled_class_topic])

    def open(self) -> Floats:
        """A guess forbids no topic."""
        return np.vstack([self.layout.allowed(), np.ones((len(self.beta), self.layout.n_topics))])

    def learn(self, count: Floats) -> Self:
        """beta, and in the soft form Q, from the counts; a column without any keeps what it had."""
        guessed, class_topic = count[self.layout.n_classes :], self.unlabeled_class_topic
        given = self.beta @ class_topic
        ratio = np.divide(guessed, given, out=np.zeros_like(given), where=given > 0)
        beta = _columns(self.beta * (ratio @ class_topic.T), self.beta)
        if self.soft:
            class_topic = _columns(class_topic * (self.beta.T @ ratio), class_topic)
        return replace(self, beta=beta, unlabeled_class_topic=class_topic)

    def drawn(self, rng: Rng) -> Self:
        """With beta, and in the soft form Q, drawn at random."""
        beta, class_topic = _drawn_columns(self.beta, rng), self.unlabeled_class_topic
        if self.soft:
            class_topic = _drawn_columns(class_topic, rng)
        return replace(self, beta=beta, unlabeled_class_topic=class_topic)


def _columns(count: Floats, old: Floats) -> Floats:
    """Columns that sum to one; the old column where the sum is zero."""
    total = count.sum(axis=0)
    return np.where(total > 0, count / np.where(total > 0, total, 1), old)


def _drawn_columns(open_to: Floats, rng: Rng) -> Floats:
    """Columns drawn evenly from all distributions over the rows that are not zero."""
    return _columns((open_to > 0) * rng.standard_exponential(open_to.shape), open_to)
