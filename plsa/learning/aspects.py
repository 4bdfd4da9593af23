"""Aspect models as values: what a fit leaves, what predicts, what a model file holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from plsa.engine import starts
from plsa.engine.counts import Counts
from plsa.engine.links import LinkedSteps, Links
from plsa.engine.parameters import (
    Array,
    Codes,
    Fit,
    Floats,
    OpenGate,
    Parameters,
    Real,
    Rng,
    padded,
    unpadded,
)
from plsa.engine.runs import Loop, finished
from plsa.engine.steps import Folded, GatedSteps, fold_in
from plsa.labels.corpus import Corpus
from plsa.labels.gates import LabelGate
from plsa.labels.layout import Layout, label_topic
from plsa.learning.parts import CHANCE, LOG_CHANCE, NOTHING_KNOWN, Parts
from plsa.learning.scaling import Scaler, scaled_by, spread
from plsa.learning.student import Student, levels, probabilities

PRIOR, TOGETHER = "prior", "all words together"  # constants
_GUESS_ROUNDS, _GUESS_TOL = 10, 1e-2  # of folding in: a guess needs no more


@dataclass(frozen=True, slots=True)
class Folding:
    """When a document that is folded in has settled."""

    max_iter: int = 100
    tol: float = 1e-4
    n_threads: int | None = None

    def roughly(self) -> Self:
        """As near as a guess needs it."""
        return replace(self, max_iter=min(self.max_iter, _GUESS_ROUNDS), tol=max(self.tol, _GUESS_TOL))


@dataclass(frozen=True, slots=True)
class Aspects:
    """Topics, and what folding documents in needs."""

    word_topic: Real  # (W, K): P(w|z), columns sum to one
    topic_prior: Real  # (K,): P(z)
    prior_strength: float = 0.0  # pseudo-counts that the prior adds to a document's topics
    scaler: Scaler | None = None  # what is done to counts first
    class_topic: Floats | None = None  # (C, K): how much of each topic speaks for each class

    @property
    def n_topics(self) -> int:
        """All topics."""
        return self.word_topic.shape[1]

    def fold(self, counts: Counts, how: Folding, start: Real | None = None) -> Folded:
        """The topics of documents, P(w|z) being fixed; a document's depend on nothing but its own words.

        `start`: padded P(z|d) of every document to begin with; None: the prior.
        """
        scaled = scaled_by(self.scaler, counts)
        topics = padded(self.topic_prior[np.newaxis], scaled.dtype)
        words, prior = padded(self.word_topic, scaled.dtype), _pseudo_counts(topics, self.prior_strength)
        rounds, tol, n_threads = how.max_iter, how.tol, how.n_threads
        begin = topics if start is None else start
        return fold_in(scaled, words, begin, prior=prior, max_iter=rounds, tol=tol, n_threads=n_threads)

    def spread(self, words: Array, n_words: int) -> Self:
        """The same for documents of more words, these among them; no topic has the others."""
        scaler = None if self.scaler is None else self.scaler.spread(words, n_words)
        return replace(self, word_topic=spread(self.word_topic, words, n_words), scaler=scaler)

    def topics(self, counts: Counts, how: Folding) -> Real:
        """(D, K): P(z|d)."""
        return np.ascontiguousarray(unpadded(self.fold(counts, how).doc_topic, self.n_topics))

    def words_of_classes(self) -> Real:
        """(W, C): P(w|y) = sum_z P(w|z) P(z|y), all topics that speak for a class being as frequent in it."""
        assert self.class_topic is not None
        total = self.class_topic.sum(axis=1)
        share = self.class_topic.T / np.where(total > 0, total, 1)
        one = np.array_equal(share, np.eye(*share.shape))  # one topic per class, in their order
        return self.word_topic if one else np.asarray(self.word_topic @ share)

    def parts(self, counts: Counts, how: Folding, of_topics: Floats) -> Parts:
        """of_topics P(.|d) of one document, (C, K) times (K,), taken apart.

        It begins at q[y], that of the prior. N words, pseudo-counts among them, move it by

            sum_w n(w) / N (sum_z of_topics[y, z] P(z|w) - q[y]),        P(z|w) ~ P(z) P(w|z)

        in the first round of folding in: what each says by itself; one that all topics have alike says
        nothing. What the other rounds add is said by all words together, as each has a say in what the others
        stand for.
        """
        folded, scaled = self.fold(counts, how), scaled_by(self.scaler, counts)
        topic = self.topic_prior.astype(scaled.dtype).astype(np.float64)
        words = self.word_topic[scaled.word].astype(np.float64)
        p, first = words @ topic, of_topics @ topic
        takes_part = (p >= np.finfo(scaled.dtype).smallest_normal) & (folded.rounds[0] > 0)
        number = np.where(takes_part, scaled.count, 0.0)
        total = number.sum() + max(self.prior_strength, 0.0) * topic.sum()
        said = (words * topic) @ of_topics.T / np.where(takes_part, p, 1.0)[:, np.newaxis]
        share = (said - first) * (number / (total if total > 0 else 1.0))[:, np.newaxis]
        last = of_topics @ unpadded(folded.doc_topic, self.n_topics)[0].astype(np.float64)
        constants = {PRIOR: first, TOGETHER: last - first - share.sum(axis=0)}
        return Parts(CHANCE, "the topics of its words", scaled.word.astype(np.intp), share, constants)

    def classes(
        self, counts: Counts, how: Folding, start: Real | None = None, dtype: Any = np.float64
    ) -> Floats:
        """(D, C): P(y|d) ~ sum_z P(z|d) class_topic[y, z]."""
        assert self.class_topic is not None
        topics = unpadded(self.fold(counts, how, start).doc_topic, self.n_topics)
        return by_class(topics, self.class_topic, dtype)


def _pseudo_counts(prior: Real, strength: float) -> Real | None:
    """So many in the proportions of a prior; None: none."""
    return prior * prior.dtype.type(strength) if strength > 0 else None


@dataclass(frozen=True, slots=True)
class Predictor:
    """All that classifying documents needs: the topics, or a student of theirs, and how sure it is."""

    aspects: Aspects
    class_prior: Floats  # (C,): of documents that say nothing to a student
    student: Student | None = None
    sharpness: float = 1.0  # the power that probabilities are raised to, or scores are multiplied by
    leveling: float = 0.0  # of the student's scores

    def probabilities(self, counts: Counts, how: Folding) -> Floats:
        """(D, C): P(class|document)."""
        if self.student is None:
            return sharpened(self.aspects.classes(counts, how), self.sharpness)
        scores = self.student.scores(counts)
        probability = probabilities(scores, self.sharpness, self.leveling)
        probability[~scores.any(axis=1)] = self.class_prior  # no word that the student knows
        return probability

    def parts(self, counts: Counts, how: Folding) -> Parts:
        """What `probabilities` are made of, for one document, taken apart.

        Of a student log P(class|document), but for what all classes share. Of topics P(class|document),
        before it is raised to a power.
        """
        if self.student is None:
            assert self.aspects.class_topic is not None
            parts = self.aspects.parts(counts, how, self.aspects.class_topic)
            total = parts.scores.sum()
            if not total > 0:  # a fake label that has taken all
                even = np.full(len(parts.scores), 1 / len(parts.scores))
                return Parts.silent(CHANCE, parts.by, PRIOR, even)
            return replace(parts.times(1 / total), power=self.sharpness)
        parts, scores = self.student.parts(counts), self.student.scores(counts)
        if not scores.any():
            return Parts.silent(LOG_CHANCE, parts.by, NOTHING_KNOWN, np.log(self.class_prior))
        return parts.times(self.sharpness / float(levels(scores, self.leveling)[0, 0]))

    def spread(self, words: Array, n_words: int) -> Self:
        """The same for documents of more words, these among them; the others tell nothing."""
        student = None if self.student is None else self.student.spread(words, n_words)
        return replace(self, aspects=self.aspects.spread(words, n_words), student=student)


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be chosen by the evidence, once it is chosen."""

    layout: Layout
    prior_strength: float
    unlabeled_weight: float


@dataclass(frozen=True, slots=True)
class Method:
    """How aspects are learned, whatever the evidence chooses."""

    loop: Loop
    folding: Folding
    init: str = "labels"  # or "random", or "all random"
    smoothing: float = 0.01
    n_threads: int | None = None


def fit_gated(
    scaled: Counts,
    corpus: Corpus,
    gate: LabelGate,
    settings: Settings,
    method: Method,
    rng: Rng,
    *,
    guess: Codes | None = None,
    words: Real | None = None,
    frequencies: Floats | None = None,
) -> Fit:
    """Learns topics under a gate, from the scaled counts of a corpus.

    The best of the starts is kept; there is one where padded P(w|z), `words`, is given. `guess` is a class
    for every document, for gates that ask for it; `frequencies` are P(class), if not those of the labels.
    """
    layout, dtype = settings.layout, scaled.dtype
    state = gate.states(corpus.labels.code, guess)
    rows = gate.open() * layout.topic_prior(
        corpus.class_frequencies() if frequencies is None else frequencies
    )
    doc_start = padded(rows / rows.sum(axis=1, keepdims=True), dtype)
    weight = corpus.with_unlabeled(settings.unlabeled_weight).weight
    steps = GatedSteps(
        scaled,
        layout.n_topics,
        state=state,
        prior=_pseudo_counts(doc_start, settings.prior_strength),
        fallback=doc_start,
        smoothing=method.smoothing,
        weight=weight,
        n_threads=method.n_threads,
    )

    all_random = words is None and method.init == "all random"

    def drawn() -> Parameters:
        first = words
        if first is None and method.init != "labels":
            first = starts.random_words(scaled, layout.n_topics, weight, rng)
        elif first is None:
            first = starts.words_from_groups(scaled, corpus.labels.code, layout.topic_class, weight, rng)
        begun = gate.drawn(rng) if all_random or gate.begins_drawn else gate
        begin = starts.assemble(scaled, first, begun, doc_start, state)
        return starts.with_random_topics(begin, rng) if all_random else begin

    return method.loop.best(steps, [drawn] * (method.loop.n_init if words is None else 1))


def with_aspects(fit: Fit, corpus: Corpus, settings: Settings, scaler: Scaler | None) -> tuple[Fit, Aspects]:
    """A fit under a gate, and what it has learned from a corpus; Ctrl-C meanwhile is noted in the fit.

    The fit no longer has P(w|z): the aspects have.
    """
    aspects, cut = finished(lambda: _aspects_of(fit, corpus, settings, scaler))
    parameters = replace(fit.parameters, word_topic=fit.parameters.word_topic[:0].copy())
    return replace(fit, parameters=parameters).cut_short(cut), aspects


def _aspects_of(fit: Fit, corpus: Corpus, settings: Settings, scaler: Scaler | None) -> Aspects:
    layout = settings.layout
    words = _copied(fit.parameters.word_topic, layout.n_topics)
    prior = layout.topic_prior(corpus.class_frequencies())
    class_topic = fit.parameters.gate.class_topic(label_topic_of(fit, layout))
    return Aspects(words, prior, settings.prior_strength, scaler, class_topic)


def _copied(word_topic: Real, n_topics: int) -> Real:
    """(W, K) of a padded array that another fit may write to."""
    return np.array(unpadded(word_topic, n_topics), order="C")


def label_topic_of(fit: Fit, layout: Layout) -> Floats:
    """(C, K): P(y|z) from the counts of the labeled states in the last pass of a fit."""
    count = np.zeros((layout.n_classes, layout.n_topics))
    if fit.state is not None:
        count = fit.state[: layout.n_classes, : layout.n_topics]
    return label_topic(count, layout)


@dataclass(frozen=True, slots=True)
class OpenModel:
    """PLSA without labels: every document may use every topic; there may be links between documents."""

    counts: Counts  # scaled
    n_topics: int
    smoothing: float = 0.0
    prior_strength: float = 0.0
    weight: Real | None = None
    links: Sequence[Links] = ()
    n_threads: int | None = None

    @property
    def prior(self) -> Floats:
        """P(z): uniform."""
        return np.full(self.n_topics, 1 / self.n_topics)

    def start(self, words: Real, doc_topic: Real | None = None) -> Parameters:
        """Parameters with padded P(w|z), and P(z|d) as given or else uniform."""
        row = padded(self.prior[np.newaxis], self.counts.dtype)
        begin = starts.assemble(self.counts, words, OpenGate(self.n_topics), row, None)
        return begin if doc_topic is None else replace(begin, doc_topic=padded(doc_topic, self.counts.dtype))

    def fit(self, begins: Sequence[Callable[[], Parameters]], loop: Loop) -> Fit:
        """The best of the fits that begin at each of these."""
        row = padded(self.prior[np.newaxis], self.counts.dtype)
        steps = LinkedSteps(
            self.counts,
            self.n_topics,
            state=None,
            prior=_pseudo_counts(row, self.prior_strength),
            fallback=row,
            smoothing=self.smoothing,
            weight=self.weight,
            links=self.links,
            n_threads=self.n_threads,
        )
        return loop.best(steps, begins)

    def aspects(self, fit: Fit, scaler: Scaler | None = None) -> Aspects:
        """What a fit has learned."""
        words = _copied(fit.parameters.word_topic, self.n_topics)
        return Aspects(words, self.prior, self.prior_strength, scaler)


def by_class(topics: Real, class_topic: Floats, dtype: Any = np.float64) -> Floats:
    """Rows P(y|d) ~ sum_z P(z|d) class_topic[y, z]."""
    probability: Floats = topics.astype(dtype)
    if not np.array_equal(class_topic, np.eye(*class_topic.shape)):  # one topic per class, in their order
        probability = probability @ class_topic.T.astype(dtype)
    total = probability.sum(axis=1, keepdims=True)
    probability /= np.where(total > 0, total, 1)
    # A fake label that has taken all leaves nothing to tell the classes apart by.
    probability[total[:, 0] <= 0] = 1 / len(class_topic)
    return probability


def sharpened(probability: Floats, power: float) -> Floats:
    """p^power / sum p^power, row by row."""
    if power == 1:
        return probability
    raised: Floats = (probability / probability.max(axis=1, keepdims=True)) ** power
    return raised / raised.sum(axis=1, keepdims=True)
