"""What every aspect model with classes shares: climbing under a gate, choosing by evidence, predicting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from plsa import inputs
from plsa.engine import starts as start
from plsa.engine.counts import Counts
from plsa.engine.parameters import Fit, Parameters, Real, padded, unpadded
from plsa.engine.steps import GatedSteps
from plsa.estimators.aspect import AspectModel
from plsa.estimators.classifying import ClassModel
from plsa.estimators.scaling import CountScaler
from plsa.labels.gates import Gate, MissingLabel
from plsa.labels.supervision import Layout, class_frequencies, label_topic, lay_out
from plsa.learning import student
from plsa.learning.evidence import SCALINGS, USUAL_SCALING, Corpus, Held, Parts, gather, hold_out
from plsa.learning.student import LEAST_LABEL_WEIGHT, USUAL_SHARPNESS, Student

USUAL_STRENGTH = 5.0
USUAL_WEIGHT = 0.1
ENOUGH = 5  # held-out documents a class: from so many on they may overrule what is usual


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be chosen by the evidence, once it is chosen."""

    layout: Layout
    prior_strength: float
    unlabelled_weight: float


Alternative = tuple[str, str, Any]  # a name, a field of `Settings`, its value


class AspectClassifier(ClassModel, AspectModel):
    """The part of an aspect model with classes that every gate shares.

    Beyond what `ClassModel` and `AspectModel` ask for, a model has `topics_per_class`, `extra_topics`,
    `init`, `student` and `random_state` as parameters.
    """

    topics_per_class: Any
    extra_topics: int
    init: str
    student: str | None
    random_state: Any
    evidence: bool = True

    def _forget(self) -> None:
        super()._forget()
        self._tried: dict[str, float] = {}  # accuracies on held-out documents

    def _check_class_parameters(self) -> None:
        inputs.check_whole(self.extra_topics, "extra_topics", 0)
        inputs.check_choice(self.init, "init", ["labels", "random"])
        inputs.check_choice(self.student, "student", [None, "linear"])

    def _settings(self, unlabelled_weight: Any = 1.0) -> Settings:
        """What was set by hand, and what is usual where that is "auto"."""
        strength = USUAL_STRENGTH if inputs.is_auto(self.prior_strength) else float(self.prior_strength)
        weight = USUAL_WEIGHT if inputs.is_auto(unlabelled_weight) else float(unlabelled_weight)
        return Settings(self._layout(self.topics_per_class), strength, weight)

    def _layout(self, topics_per_class: Any) -> Layout:
        if inputs.is_auto(topics_per_class):
            topics_per_class = 1
        return lay_out(inputs.check_topics_per_class(topics_per_class, self.classes_), self.extra_topics)

    def _alternatives(self, *, labels_alone: bool) -> list[Alternative]:
        """What could be chosen instead where it is "auto"."""
        if not inputs.is_auto(self.topics_per_class):
            return []
        return [(f"topics_per_class={n}", "layout", self._layout(n)) for n in (2, 4)]

    def _chosen(
        self, settings: Settings, held: Held, usual: str, alternatives: list[Alternative]
    ) -> Settings:
        """The settings, with what beats the candidate `usual` by more than noise."""
        for changed in dict.fromkeys(field for _, field, _ in alternatives):
            rivals = {name: value for name, field, value in alternatives if field == changed}
            best = max(rivals, key=held.accuracy)
            if held.better(best, than=usual):
                settings = replace(settings, **{changed: rivals[best]})
        return settings

    def _supervise(self, corpus: Corpus, settings: Settings) -> str:
        """Learns from the labelled documents alone; says why it stopped."""
        corpus = corpus.labelled()
        inputs.check_some_words(corpus.counts, corpus.weight)
        scaling: Any = self.scaling
        self._student, self.sharpness_ = None, 1.0
        self.scaling_scores_: dict[str, float] = {}
        alternatives = self._alternatives(labels_alone=True)
        parts: Parts = []
        if inputs.is_auto(scaling) or alternatives or self.student is not None:
            parts = self._hold_out(corpus, sample=True)
        if inputs.is_auto(scaling):
            # Where too few documents could be held out, log counts at constant length.
            scaling = SCALINGS[USUAL_SCALING]
            found = self._cross_validate(corpus, parts, {str(s): (s, settings) for s in SCALINGS})
            if found is not None:
                scaling = found.best(SCALINGS)
                self.scaling_scores_ = {str(s): found.accuracy(str(s)) for s in SCALINGS}
                self._tried |= self.scaling_scores_
                self.sharpness_ = found.sharpness(str(scaling), 1.0)
        if alternatives:
            candidates = {"usual": (scaling, settings)}
            for name, changed, value in alternatives:
                candidates[name] = (scaling, replace(settings, **{changed: value}))
            found = self._cross_validate(corpus, parts, candidates)
            if found is not None:
                self._tried |= {name: found.accuracy(name) for name, _, _ in alternatives}
                if self._enough(found.each.sum()):
                    settings = self._chosen(settings, found, "usual", alternatives)
        reason = self._fit_labelled(corpus, settings, scaling)
        if self.student is not None and reason != "interrupted":
            self._student, self.sharpness_ = labelled_student(corpus), USUAL_SHARPNESS
            for inside, outside in parts[:1]:
                held = self._judge_student(corpus.part(inside), corpus.part(outside))
                self.sharpness_ = held.sharpness("labels", USUAL_SHARPNESS)
        return reason

    def _enough(self, weight: float) -> bool:
        """Whether held-out documents of this weight may overrule what is usual."""
        return bool(weight >= ENOUGH * len(self.classes_))

    def _judge_student(self, inside: Corpus, outside: Corpus) -> Held:
        """What a student of some labelled documents says of others."""
        scores = labelled_student(inside).scores(outside.counts)
        return Held(outside.labels.code, outside.each(), {"labels": student.probabilities(scores, 1.0)})

    def _fit_labelled(self, corpus: Corpus, settings: Settings, scaling: CountScaler | None) -> str:
        """Learns from a corpus that is labelled throughout; says why it stopped."""
        self.class_prior_ = class_frequencies(corpus.labels, corpus.weight)
        self.scaling_, scaled = corpus.scaled(scaling)
        gate = MissingLabel(settings.layout)
        rng = check_random_state(self.random_state)
        steps, drawn = self._climb(scaled, corpus, gate, settings, rng)
        fit = self._best_run(steps, [drawn] * self.n_init)
        self._keep_gated(fit, steps, gate, settings)
        return fit.reason

    def _climb(
        self,
        scaled: Counts,
        corpus: Corpus,
        gate: Gate,
        settings: Settings,
        rng: np.random.RandomState,
        *,
        guess: NDArray[np.int32] | None = None,
        words: Real | None = None,
    ) -> tuple[GatedSteps, Callable[[], Parameters]]:
        """The steps of these documents under a gate, and where to start: from `words` if given."""
        layout, dtype = settings.layout, scaled.dtype
        code = corpus.labels.code
        state = gate.states(code, np.zeros(len(code), dtype=np.int32) if guess is None else guess)
        rows = gate.open() * layout.topic_prior(self.class_prior_)
        doc_start = padded(rows / rows.sum(axis=1, keepdims=True), dtype)
        weight = corpus.with_unlabelled(settings.unlabelled_weight).weight

        def learn_gate(count: NDArray[np.float64], table: Real) -> Real:
            return padded(gate.table(), dtype) if gate.learn(count) else table

        steps = GatedSteps(
            scaled,
            layout.n_topics,
            state=state,
            prior=doc_start * dtype.type(settings.prior_strength) if settings.prior_strength else None,
            fallback=doc_start,
            smoothing=float(self.smoothing),
            weight=weight,
            learn_gate=learn_gate,
            n_threads=self.n_threads,
        )

        def drawn() -> Parameters:
            first = words
            if first is None and self.init == "random":
                first = start.random_words(scaled, layout.n_topics, weight, rng)
            elif first is None:
                first = start.words_from_labels(scaled, corpus.labels, layout, weight, rng)
            return start.assemble(scaled, first, padded(gate.table(), dtype), doc_start, state)

        return steps, drawn

    def _keep_gated(self, fit: Fit, steps: GatedSteps, gate: Gate, settings: Settings) -> None:
        """Sets what a fit has learnt."""
        layout = settings.layout
        self.topic_class_ = layout.topic_class
        self.prior_strength_ = settings.prior_strength
        self.label_topic_ = class_topic(fit, layout)
        self._keep(fit, steps, layout.topic_prior(self.class_prior_))

    def _cross_validate(
        self, corpus: Corpus, parts: Parts, candidates: dict[str, tuple[CountScaler | None, Settings]]
    ) -> Held | None:
        """What each candidate says of labelled documents held out in turn; None where there are too few."""
        held: list[Held] = []
        for inside, outside in parts:
            learnt, judged = corpus.part(inside), corpus.part(outside)
            probability = {
                name: self._trial()._judge_labels(learnt, judged, settings, scaling)
                for name, (scaling, settings) in candidates.items()
            }
            held.append(Held(judged.labels.code, judged.each(), probability))
        return gather(held) if held else None

    def _judge_labels(
        self, learnt: Corpus, judged: Corpus, settings: Settings, scaling: CountScaler | None
    ) -> NDArray[np.float64]:
        """What a fit to labelled documents says of others."""
        if self._fit_labelled(learnt, settings, scaling) == "interrupted":
            raise KeyboardInterrupt
        return self._folded_probabilities(judged.counts)

    def _hold_out(self, corpus: Corpus, *, sample: bool, folds: int = 3) -> Parts:
        """`hold_out`, or nothing where no evidence is asked for."""
        return hold_out(corpus, sample=sample, folds=folds) if self.evidence else []

    def _trial(self) -> Self:
        """A model like this one to try something with, which says nothing meanwhile."""
        trial: Self = clone(self).set_params(n_init=1, verbose=0, callback=None, random_state=0)
        trial.classes_ = self.classes_
        return trial

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """P(class|document): rows sum to one, columns in the order of `classes_`.

        A document without words gets the frequency of the classes among the labelled ones (with extra topics:
        what the topics' prior says).
        """
        return self._probabilities(self._new_counts(X))

    def _probabilities(self, counts: Counts) -> NDArray[np.float64]:
        if self._student is None:
            return sharpened(self._folded_probabilities(counts), self.sharpness_)
        probability = student.probabilities(self._student.scores(counts), self.sharpness_)
        probability[counts.lengths() == 0] = self.class_prior_
        return probability

    def _folded_probabilities(self, counts: Counts) -> NDArray[np.float64]:
        """P(y|d) ~ sum_z P(z|d) P(y|z), the document folded in with the gate off."""
        topics = unpadded(self._fold(counts).doc_topic, len(self.components_))
        return by_class(topics, self._class_topic())

    def _class_topic(self) -> NDArray[np.float64]:
        """(C, K): how much of each topic speaks for each class."""
        return self.label_topic_


def class_topic(fit: Fit, layout: Layout) -> NDArray[np.float64]:
    """(C, K): P(y|z) from the counts of the labelled states in the last pass of a fit."""
    count = np.zeros((layout.n_classes, layout.n_topics))
    if fit.state is not None:
        count = fit.state[: layout.n_classes, : layout.n_topics]
    return label_topic(count, layout)


def by_class(topics: NDArray[Any], class_topic: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows P(y|d) ~ sum_z P(z|d) class_topic[y, z]."""
    probability: NDArray[np.float64] = topics.astype(np.float64)
    if not np.array_equal(class_topic, np.eye(*class_topic.shape)):  # one topic a class, in their order
        probability = probability @ class_topic.T
    total = probability.sum(axis=1, keepdims=True)
    probability /= np.where(total > 0, total, 1)
    # A fake label that has taken all leaves nothing to tell the classes apart by.
    probability[total[:, 0] <= 0] = 1 / len(class_topic)
    return probability


def sharpened(probability: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """p^power / sum p^power, row by row."""
    if power == 1:
        return probability
    raised: NDArray[np.float64] = (probability / probability.max(axis=1, keepdims=True)) ** power
    return raised / raised.sum(axis=1, keepdims=True)


def labelled_student(corpus: Corpus) -> Student:
    """A student of a corpus that is labelled throughout."""
    scaler = student.fit_scaler(corpus.counts, corpus.weight)
    weight = LEAST_LABEL_WEIGHT * corpus.each()
    matrix = student.features(scaler, corpus.counts)
    return Student(scaler, student.teach(matrix, corpus.labels.code, weight, len(corpus.labels.classes)))
