"""What every aspect model with classes shares: reading labels, climbing under a gate, predicting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state

from plsa import inputs, start, student
from plsa.aspect import AspectModel
from plsa.counts import Counts
from plsa.gates import Gate, MissingLabel
from plsa.parameters import Fit, Parameters, Real, padded, unpadded
from plsa.scaling import CountScaler
from plsa.steps import GatedSteps
from plsa.student import LEAST_LABEL_WEIGHT, USUAL_SHARPNESS, Student
from plsa.supervision import Labels, Layout, class_frequencies, label_topic, lay_out, read_labels

# What scaling="auto" chooses from. No one of them is best on every corpus: constant length helps long
# documents on many classes and harms short ones on unbalanced classes.
SCALINGS: tuple[CountScaler | None, ...] = (
    None,
    CountScaler(tf="log", length=None),
    CountScaler(tf="log", length="constant"),
    CountScaler(tf="log", idf=True, length="constant"),
)
USUAL_SCALING = 2  # where there is no evidence
USUAL_STRENGTH = 5.0
USUAL_WEIGHT = 0.1
ENOUGH = 5  # held-out documents a class: from so many on they may overrule what is usual
_MOST_TRIED = 3000  # labelled documents that a choice is made on


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents, their labels and their weights, which go together."""

    counts: Counts
    labels: Labels
    weight: Real | None

    def part(self, documents: NDArray[Any]) -> Corpus:
        """These documents, in this order; the classes stay."""
        return Corpus(
            self.counts.of_documents(documents),
            Labels(self.labels.classes, self.labels.code[documents]),
            None if self.weight is None else self.weight[documents],
        )

    def labelled(self) -> Corpus:
        """The labelled documents only."""
        known = self.labels.labelled
        return self if known.all() else self.part(np.flatnonzero(known))

    def each(self) -> NDArray[np.float64]:
        """How often each document counts."""
        if self.weight is None:
            return np.ones(self.counts.n_documents)
        return self.weight.astype(np.float64)

    def scaled(self, scaling: CountScaler | None) -> tuple[CountScaler | None, Counts]:
        """A scaling fitted on these documents, and what it makes of them."""
        fitted = None if scaling is None else clone(scaling).fit(self.counts.matrix(), None, self.weight)
        return fitted, scaled_by(fitted, self.counts)


@dataclass(frozen=True, slots=True)
class Held:
    """Labelled documents held out of a fit, and what each candidate said of them."""

    code: NDArray[np.int32]
    each: NDArray[np.float64]
    probability: dict[str, NDArray[np.float64]]  # of each candidate: (held, C)

    def right(self, name: str) -> NDArray[np.float64]:
        """1 where the candidate has the class of a document right, else 0."""
        result: NDArray[np.float64] = (self.probability[name].argmax(axis=1) == self.code).astype(np.float64)
        return result

    def accuracy(self, name: str) -> float:
        """The share of documents that the candidate has right."""
        return float(np.average(self.right(name), weights=self.each))

    def log_probability(self, name: str) -> float:
        """The mean log-probability that the candidate gives the true class."""
        true = self.probability[name][np.arange(len(self.code)), self.code]
        return float(np.average(np.log(np.maximum(true, 1e-12)), weights=self.each))

    def best(self, scalings: Sequence[CountScaler | None]) -> CountScaler | None:
        """The scaling with the highest accuracy; of equals, with the higher log-probability."""
        return max(scalings, key=lambda s: (self.accuracy(str(s)), self.log_probability(str(s))))

    def better(self, name: str, than: str) -> bool:
        """Whether a candidate beats another by more than two standard errors of the difference."""
        gain = self.right(name) - self.right(than)
        mean = np.average(gain, weights=self.each)
        error = np.sqrt(np.average((gain - mean) ** 2, weights=self.each) / self.each.sum())
        return bool(mean > 2 * error and mean > 0)

    def sharpness(self, name: str, usual: float) -> float:
        """The power t that makes probabilities p^t / sum p^t most likely, drawn towards the usual one.

        The documents' log-probability is maximised with ten documents' worth of belief in `usual`.
        """
        log_p = np.log(np.maximum(self.probability[name], 1e-12))
        rows = np.arange(len(self.code))
        around = np.log(usual)

        def loss(log_t: float) -> float:
            sharp = log_softmax(np.exp(log_t) * log_p, axis=1)
            return float(10 * (log_t - around) ** 2 - np.sum(self.each * sharp[rows, self.code]))

        found = minimize_scalar(loss, bounds=(around - 3, around + 3), method="bounded")
        return float(np.exp(np.round(found.x, 2)))  # no more than that is known


Parts = list[tuple[NDArray[Any], NDArray[Any]]]  # documents to learn from, and documents to judge by


def hold_out(corpus: Corpus, *, sample: bool, folds: int = 3) -> Parts:
    """Parts to learn from and labelled documents to judge by, class by class; none where there are too few.

    Unlabelled documents, the only document of a class, and copies of a document that have different labels
    stay in every part to learn from. At most `_MOST_TRIED` labelled documents are held out in turn; with
    `sample` the others are left out altogether.
    Documents are dealt out in an order that their words alone make: copies are held out together, so that a
    weight is a repetition here too. A third of a class is held out at a time.
    """
    told = corpus.labels.labelled & (corpus.counts.lengths() > 0)
    if corpus.weight is not None:
        told &= corpus.weight > 0
    documents = np.flatnonzero(told)
    mark = corpus.counts.marks(documents)
    code = corpus.labels.code[documents]
    different = [np.unique(mark[code == each]) for each in np.unique(code)]  # in no order that means anything
    if not different:
        return []
    found, n_classes_of = np.unique(np.concatenate(different), return_counts=True)
    contested = found[n_classes_of > 1]  # the same words under two labels judge nothing
    different = [np.setdiff1d(marks, contested) for marks in different]
    share = min(1.0, _MOST_TRIED / max(sum(len(marks) for marks in different), 1))
    tried = [marks[: max(2, round(share * len(marks)))] for marks in different]
    several = [marks for marks in tried if len(marks) > 1]
    n_classes = len(corpus.labels.classes)
    if len(several) < 2 or sum(len(marks) for marks in several) < 2 * n_classes:
        return []
    inside = np.ones(corpus.counts.n_documents, dtype=bool)
    if sample:
        inside[documents] = np.isin(mark, np.concatenate([*tried, contested]))
    parts = []
    for fold in range(folds):
        held = documents[np.isin(mark, np.concatenate([marks[fold::3] for marks in several]))]
        if not len(held):
            continue
        others = inside.copy()
        others[held] = False
        parts.append((np.flatnonzero(others), held))
    return parts


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be chosen by the evidence, once it is chosen."""

    layout: Layout
    prior_strength: float
    unlabelled_weight: float


Alternative = tuple[str, str, Any]  # a name, a field of `Settings`, its value


class AspectClassifier(ClassifierMixin, AspectModel):
    """The part of a model with classes that every gate shares.

    Beyond what `AspectModel` asks for, a model has `topics_per_class`, `extra_topics`, `scaling`, `init`,
    `student`, `random_state` and `unlabeled` as parameters, and `_learn_corpus`.
    """

    topics_per_class: Any
    extra_topics: int
    scaling: Any
    init: str
    student: str | None
    random_state: Any
    unlabeled: Any
    evidence: bool = True

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the topics of every class; a weight is a repetition."""
        with inputs.all_or_nothing(self):
            reason = self._learn(X, y, sample_weight)
        if reason == "interrupted":
            raise KeyboardInterrupt
        return self

    def _learn(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> str:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # of an earlier fit
        self._tried: dict[str, float] = {}  # accuracies on held-out documents
        self._check_loop_parameters()
        inputs.check_whole(self.extra_topics, "extra_topics", 0)
        if self.scaling is not None and not isinstance(self.scaling, CountScaler):
            inputs.check_choice(self.scaling, "scaling", ["auto", None, "a CountScaler"])
        inputs.check_choice(self.init, "init", ["labels", "random"])
        inputs.check_choice(self.student, "student", [None, "linear"])
        counts = inputs.check_counts(self, X, reset=True, dtype=self.dtype)
        labels = read_labels(y, counts.n_documents, self.unlabeled)
        weight = inputs.check_weight(sample_weight, counts.n_documents, counts.dtype)
        inputs.check_labelled_weight(labels.labelled, weight)
        self.classes_ = labels.classes
        return self._learn_corpus(Corpus(counts, labels, weight))

    def _learn_corpus(self, corpus: Corpus) -> str:
        """Learns from what was checked; says why it stopped."""
        raise NotImplementedError

    def _settings(self, unlabelled_weight: Any = 1.0) -> Settings:
        """What was set by hand, and what is usual where that is "auto"."""
        strength = USUAL_STRENGTH if is_auto(self.prior_strength) else float(self.prior_strength)
        weight = USUAL_WEIGHT if is_auto(unlabelled_weight) else float(unlabelled_weight)
        return Settings(self._layout(self.topics_per_class), strength, weight)

    def _layout(self, topics_per_class: Any) -> Layout:
        if is_auto(topics_per_class):
            topics_per_class = 1
        return lay_out(inputs.check_topics_per_class(topics_per_class, self.classes_), self.extra_topics)

    def _alternatives(self, *, labels_alone: bool) -> list[Alternative]:
        """What could be chosen instead where it is "auto"."""
        if not is_auto(self.topics_per_class):
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
        if is_auto(scaling) or alternatives or self.student is not None:
            parts = self._hold_out(corpus, sample=True)
        if is_auto(scaling):
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
        weight = corpus.weight
        if settings.unlabelled_weight != 1 and not corpus.labels.labelled.all():
            each = np.where(corpus.labels.labelled, 1.0, settings.unlabelled_weight) * corpus.each()
            weight = each.astype(dtype)

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

    def _scaled(self, counts: Counts) -> Counts:
        return scaled_by(self.scaling_, counts)

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """log P(class|document)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """The share of documents that get their label; those that have none are left out."""
        counts = self._new_counts(X)
        labels = read_labels(y, counts.n_documents, self.unlabeled)
        known = np.flatnonzero(labels.labelled)
        weight = inputs.check_weight(sample_weight, counts.n_documents, np.float64)
        predicted = self.classes_[self._probabilities(counts.of_documents(known)).argmax(axis=1)]
        right = predicted == labels.classes[labels.code[known]]
        return float(np.average(right, weights=None if weight is None else weight[known]))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each document."""
        probability = self.predict_proba(X)
        return np.asarray(self.classes_[probability.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # As for naive Bayes: made for counts of words, not for the test suites' blobs in the plane.
        tags.classifier_tags.poor_score = True
        return tags


def scaled_by(fitted: CountScaler | None, counts: Counts) -> Counts:
    """What a fitted scaling makes of counts; None leaves them as they are."""
    return counts if fitted is None else fitted.scaled(counts)


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the evidence."""
    return isinstance(value, str) and value == "auto"


def class_topic(fit: Fit, layout: Layout) -> NDArray[np.float64]:
    """(C, K): P(y|z) from the counts of the labelled states in the last pass of a fit."""
    count = np.zeros((layout.n_classes, layout.n_topics))
    if fit.state is not None:
        count = fit.state[: layout.n_classes, : layout.n_topics]
    return label_topic(count, layout)


def by_class(topics: NDArray[Any], class_topic: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows P(y|d) ~ sum_z P(z|d) class_topic[y, z]."""
    probability: NDArray[np.float64] = topics.astype(np.float64) @ class_topic.T
    total = probability.sum(axis=1, keepdims=True)
    # A fake label that has taken all leaves nothing to tell the classes apart by.
    return np.where(total > 0, probability / np.where(total > 0, total, 1), 1 / len(class_topic))


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


def gather(parts: list[Held]) -> Held:
    """What was held out in turn, as one."""
    return Held(
        np.concatenate([part.code for part in parts]),
        np.concatenate([part.each for part in parts]),
        {name: np.concatenate([part.probability[name] for part in parts]) for name in parts[0].probability},
    )
