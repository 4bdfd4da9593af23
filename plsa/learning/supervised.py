"""Learning from labeled documents: topics of every class, chosen by labeled documents that are held out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from plsa.engine.parameters import Fit, Floats, Rng, StopReason
from plsa.engine.runs import last_of
from plsa.labels.corpus import Corpus, check_some_words
from plsa.labels.gates import LabelGate, MissingLabel
from plsa.labels.layout import Layout
from plsa.learning.aspects import Aspects, Method, Predictor, Settings, fit_gated, with_aspects
from plsa.learning.doubts import Doubts
from plsa.learning.evidence import (
    MANY_TRIED,
    HeldOut,
    Probabilities,
    Splits,
    hold_out,
    is_telling,
    judge,
    parts,
)
from plsa.learning.linear import TEACHINGS, Teaching, blend, usual_leveling
from plsa.learning.scaling import Scaling, fit_scaling
from plsa.learning.student import (
    USUAL_OF_GUESSES,
    USUAL_OF_WORDS,
    label_lessons,
    margins,
    probabilities,
    usual_blend,
    usual_sharpness,
)

CHOOSING = "held-out labels"  # a stage, as progress shows it
_ENOUGH = 5  # held-out documents per class: from so many on they may overrule the default
_MANY = 3000  # labeled documents: of more, one fold tells enough of students
USUAL = (USUAL_OF_GUESSES, USUAL_OF_WORDS)  # of squared hinges and complement naive Bayes, in margins
OF_LABELS = _LABELS, _WORDS = "labels", "words"  # what scores of held-out documents are called
FREQUENCIES = "classes"  # the scores that tell how frequent classes are
_SMALL = 1e-3  # no margin counts as less
_FIRST = 2.0  # log-probability that another teaching must gain on the first


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
    views: tuple[str, ...] = ()  # scalings under which guesses are made; the last one is the default of these
    alternatives: tuple[Alternative, ...] = ()
    student: bool = False
    evidence: bool = True  # whether labeled documents may be held out
    # What tells the models of documents without a label apart is their gates:
    gate: Callable[[Layout], LabelGate] = MissingLabel  # of the first fit
    label_gate: Callable[[Layout], LabelGate] = MissingLabel  # of a fit to the labels alone
    later_gate: Callable[[Layout], LabelGate] | None = None  # once all have a guess; None: nothing is guessed
    early_stopping: float = 0.005  # log-likelihood per word that a pass must gain to go on
    relabel: int | None = 5  # passes between two makings of guesses; None: they are made once
    n_relabels: int = 3
    guessed_by_labels: bool = False  # whether the first guesses are made by a fit to the labels alone
    doubt: float = 0.0  # a guess less probable than this is "not sure"
    label_noise: bool = False  # whether given labels may be wrong

    def quiet(self) -> Self:
        """The same from one start and without a callback."""
        return replace(self, method=replace(self.method, loop=self.method.loop.quiet()))

    def splits(self, corpus: Corpus, *, sample: bool, folds: int = 3) -> Splits:
        """Documents to learn from and to judge by; none where no evidence is asked for."""
        return hold_out(corpus, sample=sample, folds=folds, few=self.student) if self.evidence else []

    def student_splits(self, corpus: Corpus) -> Splits:
        """The same for students, which are quickly taught: how best depends on how many labels there are."""
        if not self.evidence:
            return []
        folds = 1 if corpus.labels.labeled.sum() > _MANY else 3
        return hold_out(corpus, sample=True, folds=folds, most=MANY_TRIED, few=True)


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
    teaching: Teaching = TEACHINGS[0]  # of the labels, where there is a student
    blend: tuple[float, ...] | None = None  # of the student's classifiers, at a mean margin of one
    leveling: float = 0.0  # of its scores


@dataclass(frozen=True, slots=True)
class Learned:
    """A fit, all that predicting needs, and how it was chosen."""

    predictor: Predictor
    fit: Fit
    choice: Choice
    stretches: tuple[int, ...] = (0,)  # where in the trace each stretch of passes begins
    doubts: Doubts | None = None  # of given labels; None: they are right


def learn_from_labels(corpus: Corpus, plan: Plan, rng: Rng) -> Learned:
    """Learns from the labeled documents of a corpus, the others being left out."""
    corpus = corpus.labeled()
    check_some_words(corpus.counts, corpus.weight)
    settings, chosen, sharpness = plan.settings, plan.default_scaling, 1.0
    scores: dict[str, float] = {}
    tried: dict[str, float] = {}
    # Where a student predicts, the topics are there to be looked at: only their scaling is chosen.
    others = tuple(
        each for each in plan.alternatives if each.setting != "unlabeled_weight" and not plan.student
    )
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
    teaching = TEACHINGS[0]
    if plan.student and fit.reason is not StopReason.INTERRUPTED:
        (predictor, teaching), cut = last_of(_students(predictor, corpus, plan))
        fit = fit.cut_short(cut)
        progress.step()
    sharpness, leveling = predictor.sharpness, predictor.leveling
    choice = Choice(settings, chosen, sharpness, scores | tried, scores, teaching=teaching, leveling=leveling)
    return Learned(predictor, fit, choice)


def _students(predictor: Predictor, corpus: Corpus, plan: Plan) -> Iterator[tuple[Predictor, Teaching]]:
    """A predictor without a student, and with one that held-out documents have chosen and calibrated."""
    yield predictor, TEACHINGS[0]
    n_threads = plan.method.n_threads
    teaching, held = choose_teaching(corpus, plan.student_splits(corpus), n_threads)
    lesson = label_lessons(corpus, n_threads, [teaching.idf])[teaching.idf]
    code, weights, every = corpus.labels.code, corpus.weights(), np.arange(corpus.counts.n_documents)
    classifiers = [
        lesson.labels_alone(every, code, weights, teaching),
        lesson.words_of_classes(code, weights),
    ]
    if held is None:
        said = [lesson.scores(each).astype(np.float64) for each in classifiers]
        shares = usual_blend(
            USUAL, [float(np.average(margins(each), weights=weights)) for each in said], told=False
        )
        n_classes = corpus.n_classes
        sharpness, leveling = usual_sharpness(sum(USUAL), n_classes), usual_leveling(n_classes)
    else:
        found = blend_of(held, (_LABELS, _WORDS), USUAL)
        shares, sharpness, leveling = found.shares, found.sharpness, found.leveling
    student = lesson.student([*classifiers, lesson.frequencies(corpus.log_frequencies())], shares)
    yield replace(predictor, student=student, sharpness=sharpness, leveling=leveling), teaching


@dataclass(frozen=True, slots=True)
class Blended:
    """What held-out documents make of the scores of several classifiers."""

    shares: tuple[float, ...]  # of scores, at a mean margin of one
    sharpness: float
    leveling: float
    scores: Floats  # of the held-out documents

    def probabilities(self) -> Floats:
        """What the scores of the held-out documents come to."""
        return probabilities(self.scores, self.sharpness, self.leveling)


def blend_of(held: HeldOut, names: Sequence[str], usual: Sequence[float]) -> Blended:
    """The blend of these candidates, whose `probability` are scores, that held-out documents support.

    How frequent classes are ("classes") goes in last.
    """
    scores = [held.probability[name] for name in names]
    told = is_telling(held.weights.sum(), held.probability[FREQUENCIES].shape[1])
    around = usual_blend(usual, [held.mean(margins(each)) for each in scores], told=told)
    scores.append(held.probability[FREQUENCIES])
    found = blend(scores, held.code, held.weights, around)
    together = np.sum([w * each for w, each in zip(found.weights, scores, strict=True)], axis=0)
    unit = max(held.mean(margins(together)), _SMALL)
    shares, sharpness = tuple(w / unit for w in found.weights), unit ** (1 - found.leveling)
    return Blended(shares, sharpness, found.leveling, together / unit)


def frequency_scores(learned: Corpus, judged: Corpus) -> Floats:
    """(D, C): the logarithm of how frequent the classes of one corpus are, for the documents of another."""
    return np.tile(learned.log_frequencies(), (judged.counts.n_documents, 1))


def taught_by_labels(
    learned: Corpus, judged: Corpus, teaching: Teaching, n_threads: int | None
) -> Probabilities:
    """The scores that classifiers of the labels of one corpus alone, taught so, give documents of another."""
    lesson = label_lessons(learned, n_threads, [teaching.idf])[teaching.idf]
    labeled = learned.labeled()
    code, weights = labeled.labels.code, labeled.weights()
    taught = (
        lesson.labels_alone(np.arange(len(code)), code, weights, teaching),
        lesson.words_of_classes(code, weights),
    )
    said = {name: lesson.judged(own, judged.counts) for name, own in zip(OF_LABELS, taught, strict=True)}
    return said | {FREQUENCIES: frequency_scores(learned, judged)}


def choose_teaching(corpus: Corpus, splits: Splits, n_threads: int | None) -> tuple[Teaching, HeldOut | None]:
    """How labels are best taught, as held-out labeled documents have it; and scores of those.

    First whether rare words are to count more, then what errors cost and how far frequent classes are damped.
    The scores are those of squared hinges taught so, "labels", and of complement naive Bayes, "words".
    """
    best, rival = TEACHINGS[0], replace(TEACHINGS[0], idf=False)
    turns = [
        (learned.labeled(), judged, label_lessons(learned, n_threads))
        for learned, judged in parts(corpus, splits)
    ]
    if not turns:
        return best, None

    def scores(idf: bool, tried: Sequence[Teaching], *, words: bool = False) -> HeldOut:
        found = []
        for learned, judged, lessons in turns:
            lesson, code, weights = lessons[idf], learned.labels.code, learned.weights()
            every = np.arange(len(code))
            taught = {str(each): lesson.labels_alone(every, code, weights, each) for each in tried}
            if words:
                taught[_WORDS] = lesson.words_of_classes(code, weights)
            said = {name: lesson.judged(own, judged.counts) for name, own in taught.items()}
            found.append((judged, said | {FREQUENCIES: frequency_scores(learned, judged)}))
        return HeldOut.of(found)

    def likely(held: HeldOut, each: Teaching) -> float:
        said = held.probability[str(each)]
        usual = USUAL_OF_GUESSES / max(held.mean(margins(said)), _SMALL)
        found = blend([said], held.code, held.weights, [usual]).log_probability
        return found + (_FIRST if each == TEACHINGS[0] else 0.0)

    held, other = scores(True, [best]), scores(False, [rival])
    if likely(other, rival) > likely(held, best):
        best, held = rival, other
    ways = [each for each in TEACHINGS if each.idf == best.idf and each != best]
    more = scores(best.idf, ways, words=True)
    held = replace(held, probability=held.probability | more.probability)
    best = max((best, *ways), key=lambda each: likely(held, each))
    kept = {_LABELS: held.probability[str(best)]}
    return best, replace(held, probability=kept | {n: held.probability[n] for n in (_WORDS, FREQUENCIES)})


def fit_labels(corpus: Corpus, scaling: str, settings: Settings, plan: Plan, rng: Rng) -> tuple[Fit, Aspects]:
    """One fit to a corpus that is labeled throughout."""
    scaler, scaled = fit_scaling(plan.scalings[scaling], corpus)
    fit = fit_gated(scaled, corpus, plan.label_gate(settings.layout), settings, plan.method, rng)
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
