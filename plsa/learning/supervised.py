"""Learning from labeled documents: topics of every class, chosen by labeled documents that are held out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from plsa.engine.parameters import Fit, Floats, Rng, StopReason
from plsa.engine.runs import last_of
from plsa.labels.corpus import Corpus, check_some_words
from plsa.labels.gates import LabelGate, MissingLabel
from plsa.labels.layout import Layout
from plsa.learning.aspects import Aspects, Method, Predictor, Settings, fit_gated, with_aspects
from plsa.learning.evidence import HeldOut, Probabilities, Splits, hold_out, judge, parts
from plsa.learning.scaling import Scaling, fit_scaling
from plsa.learning.student import DEFAULT_SHARPNESS, probabilities, student_of_labels

CHOOSING = "held-out labels"  # a stage, as progress shows it
_ENOUGH = 5  # held-out documents per class: from so many on they may overrule the default


@dataclass(frozen=True, slots=True)
class Alternative:
    """A value of a setting that may be chosen instead of the default."""

    name: str
    setting: str  # a field of `Settings`
    value: Any

    def of(self, settings: Settings) -> Settings:
        """The settings with it."""
        return replace(settings, **{self.setting: self.value})


@dataclass(frozen=True, slots=True)
class Plan:
    """What a user has set, and what is left to the evidence of the documents."""

    method: Method
    settings: Settings  # as set, and the defaults where that is "auto"
    scalings: Mapping[str, Scaling | None]  # by name: to choose from, or the one that was set
    default_scaling: str
    alternatives: tuple[Alternative, ...] = ()
    student: bool = False
    evidence: bool = True  # whether labeled documents may be held out
    # What tells the models of documents without a label apart is their gates:
    gate: Callable[[Layout], LabelGate] = MissingLabel  # of the first fit
    later_gate: Callable[[Layout], LabelGate] | None = None  # once all have a guess; None: nothing is guessed
    early_stopping: float = 0.005  # log-likelihood per word that a pass must gain to go on
    relabel: int | None = 5  # passes between two makings of guesses; None: they are made once
    n_relabels: int = 3

    def quiet(self) -> Self:
        """The same from one start and without a callback."""
        return replace(self, method=replace(self.method, loop=self.method.loop.quiet()))

    def splits(self, corpus: Corpus, *, sample: bool, folds: int = 3) -> Splits:
        """Documents to learn from and to judge by; none where no evidence is asked for."""
        return hold_out(corpus, sample=sample, folds=folds) if self.evidence else []


@dataclass(frozen=True, slots=True)
class Choice:
    """What the evidence supports."""

    settings: Settings
    scaling: str  # the name of the one that is taken
    sharpness: float
    accuracy: dict[str, float]  # of every candidate on held-out documents
    scaling_scores: dict[str, float] = field(default_factory=dict)  # on the labels alone
    voters: tuple[str, ...] = ()  # scalings under which guesses are made
    unlabeled_used: bool = False  # whether documents without a label help
    margin: float = 1.0  # the mean margin of the student whose sharpness it is


@dataclass(frozen=True, slots=True)
class Learned:
    """A fit, all that predicting needs, and how it was chosen."""

    predictor: Predictor
    fit: Fit
    choice: Choice
    stretches: tuple[int, ...] = (0,)  # where in the trace each stretch of passes begins


def learn_from_labels(corpus: Corpus, plan: Plan, rng: Rng) -> Learned:
    """Learns from the labeled documents of a corpus, the others being left out."""
    corpus = corpus.labeled()
    check_some_words(corpus.counts, corpus.weight)
    settings, chosen, sharpness = plan.settings, plan.default_scaling, 1.0
    scores: dict[str, float] = {}
    tried: dict[str, float] = {}
    others = tuple(other for other in plan.alternatives if other.setting != "unlabeled_weight")
    several = len(plan.scalings) > 1
    splits = plan.splits(corpus, sample=True) if several or others or plan.student else []
    n_candidates = several * len(plan.scalings) + bool(others) * (1 + len(others))
    choosing, progress = bool(splits) and n_candidates > 0, plan.method.loop.progress
    progress.plan(choosing + 1)
    if choosing:
        progress.begin(CHOOSING, len(splits) * n_candidates)
    if several:
        found = _cross_validate(corpus, splits, plan, {s: (s, settings) for s in plan.scalings})
        if found is not None:
            chosen = found.best(plan.scalings)
            scores = {name: found.accuracy(name) for name in plan.scalings}
            sharpness = found.sharpness(chosen, 1.0)
    if others:
        candidates = {other.name: (chosen, other.of(settings)) for other in others}
        found = _cross_validate(corpus, splits, plan, {"default": (chosen, settings)} | candidates)
        if found is not None:
            tried = {other.name: found.accuracy(other.name) for other in others}
            if is_enough(found.weights.sum(), corpus):
                settings, nearest = better_settings(settings, found, "default", others)
                sharpness = found.sharpness(nearest, 1.0)
    progress.begin("fit to the labels", 1 + plan.student)
    fit, aspects = fit_labels(corpus, chosen, settings, plan, rng)
    progress.step()
    predictor = Predictor(aspects, corpus.class_frequencies(), None, sharpness)
    if plan.student and fit.reason is not StopReason.INTERRUPTED:
        predictor, cut = last_of(_students(predictor, corpus, splits))
        fit = fit.cut_short(cut)
        progress.step()
    choice = Choice(settings, chosen, predictor.sharpness, scores | tried, scores)
    return Learned(predictor, fit, choice)


def _students(predictor: Predictor, corpus: Corpus, splits: Splits) -> Iterator[Predictor]:
    """A predictor without a student, with one, and with one that held-out documents have calibrated."""
    yield predictor
    predictor = replace(predictor, student=student_of_labels(corpus), sharpness=DEFAULT_SHARPNESS)
    yield predictor
    held = judge(parts(corpus, splits[:1]), _judge_student)
    if held is not None:
        yield replace(predictor, sharpness=held.student_sharpness("labels"))


def fit_labels(corpus: Corpus, scaling: str, settings: Settings, plan: Plan, rng: Rng) -> tuple[Fit, Aspects]:
    """One fit to a corpus that is labeled throughout."""
    scaler, scaled = fit_scaling(plan.scalings[scaling], corpus)
    fit = fit_gated(scaled, corpus, MissingLabel(settings.layout), settings, plan.method, rng)
    return with_aspects(fit, corpus, settings, scaler)


def judge_labels(learned: Corpus, judged: Corpus, scaling: str, settings: Settings, plan: Plan) -> Floats:
    """What a fit to the labeled documents of a corpus says of others."""
    fit, aspects = fit_labels(learned.labeled(), scaling, settings, plan.quiet(), np.random.RandomState(0))
    fit.unless_interrupted()
    said = aspects.classes(judged.counts, plan.method.folding)
    plan.method.loop.progress.step()
    return said


def is_enough(weight: float, corpus: Corpus) -> bool:
    """Whether held-out documents of this weight may overrule the default."""
    return bool(weight >= _ENOUGH * corpus.n_classes)


def better_settings(
    settings: Settings, held: HeldOut, default: str, alternatives: tuple[Alternative, ...]
) -> tuple[Settings, str]:
    """The settings, with what beats the candidate `default` by more than noise.

    And the candidate that is most like them: the best of those taken, or the default.
    """
    taken = []
    for changed in dict.fromkeys(other.setting for other in alternatives):
        rivals = {other.name: other for other in alternatives if other.setting == changed}
        best = max(rivals, key=held.accuracy)
        if held.better(best, than=default):
            settings = rivals[best].of(settings)
            taken.append(best)
    return settings, held.best(taken) if taken else default


def _cross_validate(
    corpus: Corpus, splits: Splits, plan: Plan, candidates: Mapping[str, tuple[str, Settings]]
) -> HeldOut | None:
    """What a fit under each scaling and settings says of labeled documents held out in turn."""

    def said(learned: Corpus, judged: Corpus) -> Probabilities:
        return {
            name: judge_labels(learned, judged, scaling, settings, plan)
            for name, (scaling, settings) in candidates.items()
        }

    return judge(parts(corpus, splits), said)


def _judge_student(learned: Corpus, judged: Corpus) -> Probabilities:
    """What a student of some labeled documents says of others."""
    return {"labels": probabilities(student_of_labels(learned).scores(judged.counts), 1.0)}
