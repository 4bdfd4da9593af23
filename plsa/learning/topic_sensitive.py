"""Looking for the documents of one topic: links, a committee of topic models, a student of their votes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from plsa.engine.counts import Counts
from plsa.engine.links import CannotLinks, Links, MustLinks, PairLinks, satisfied
from plsa.engine.parameters import Fit, Floats, Mask, Parameters, Places, Real, Rng, StopReason, unpadded
from plsa.engine.runs import finished, last_of
from plsa.engine.starts import random_words, words_from_clusters
from plsa.labels.reading import Known
from plsa.learning import committee, ranking
from plsa.learning.aspects import Aspects, Folding, Method, OpenModel
from plsa.learning.parts import DECISION, NOTHING_KNOWN, Parts
from plsa.learning.scaling import TFIDF, Scaling, scaled_by, vectors
from plsa.learning.student import DEFAULT_SHARPNESS, Student

_SURELY_NOT = -1.0  # a margin
THRESHOLD = "threshold"  # a constant

Pairs = Places  # (n, 2) documents


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How documents are looked for."""

    method: Method  # that starts at "positives" or "random"
    n_topics: int | None  # None: a committee chooses
    must_link: float
    cannot_link: float
    share_links: bool  # whether the links of a document weigh no more together than its words
    positive_weight: float
    scaling: Scaling | None
    student: bool
    threshold: float | None
    prior_strength: float
    by_topic: bool = False  # a document is taken where its most probable topic is the positives'


@dataclass(frozen=True, slots=True)
class Finder:
    """All that judging documents needs."""

    aspects: Aspects
    positive_topics: Places
    student: Student | None = None
    zero: float = 0.0  # what is taken from a student's margin
    threshold: float = 0.0
    by_topic: bool = False  # whether a score is how far the positive topic is ahead of all others

    def scores(self, counts: Counts, how: Folding) -> Floats:
        """How far each document is above the threshold."""
        return self._raw(counts, how) - self.threshold

    def parts(self, counts: Counts, how: Folding) -> Parts:
        """How far one document is above the threshold, taken apart."""
        if self.student is None:
            return self._topic_parts(counts, how).plus(THRESHOLD, np.array([-self.threshold]))
        parts = self.student.parts(counts)
        if not self.student.scores(counts).any():
            constant = np.array([_SURELY_NOT - self.threshold])
            return Parts.silent(DECISION, parts.by, NOTHING_KNOWN, constant)
        margin = parts.against(0).times(0.5)
        return replace(margin.plus(THRESHOLD, np.array([-self.zero - self.threshold])), of=DECISION)

    def _topic_parts(self, counts: Counts, how: Folding) -> Parts:
        """P(positive topics|document), less that of the most probable other one if that decides."""
        of_topics = np.zeros((1, self.aspects.n_topics))
        of_topics[0, self.positive_topics] = 1
        if self.by_topic and self.aspects.n_topics > len(self.positive_topics):
            topics = self.aspects.topics(counts, how)[0]
            topics[self.positive_topics] = -1
            of_topics[0, topics.argmax()] = -1
        return replace(self.aspects.parts(counts, how, of_topics), of=DECISION)

    def probability(self, counts: Counts, how: Folding) -> Floats:
        """P(positive topics|document), or what the student's margin says: one half at the threshold."""
        if self.student is None:
            return np.minimum(self._chance(self.aspects.topics(counts, how)), 1.0)
        return np.asarray(expit(2 * DEFAULT_SHARPNESS * self.scores(counts, how)))

    def _raw(self, counts: Counts, how: Folding) -> Floats:
        if self.student is None:
            topics = self.aspects.topics(counts, how)
            others = np.delete(topics, self.positive_topics, axis=1)
            ahead = others.max(axis=1, initial=0.0) if self.by_topic else 0.0
            return self._chance(topics) - ahead
        return self.margins(self.student.scores(counts))

    def _chance(self, topics: Real) -> Floats:
        """P(positive topics|document)."""
        return np.asarray(topics[:, self.positive_topics].sum(axis=1, dtype=np.float64))

    def margins(self, scores: Floats) -> Floats:
        """How far a student's scores are for positive; nothing speaks for a document without a known word."""
        margin = (scores[:, 1] - scores[:, 0]) / 2 - self.zero
        return np.where(scores.any(axis=1), margin, _SURELY_NOT)


@dataclass(frozen=True, slots=True)
class Found:
    """A fit, all that judging documents needs, and what was found of the documents of the fit."""

    finder: Finder
    fit: Fit
    members: list[committee.Member]
    votes: Floats | None  # the share of the committee that is for each document
    must_link_satisfied: float
    cannot_link_satisfied: float
    taken: Mask | None  # None where nothing was looked for


@dataclass(frozen=True, slots=True)
class LinkSet:
    """All links between documents."""

    must: tuple[Links, Links]  # of the positives, and of pairs
    cannot: tuple[Links, Links, Links]  # the last with known negatives

    def all(self) -> list[Links]:
        """Both kinds, those of the positives first."""
        return [self.must[0], self.cannot[0], self.must[1], *self.cannot[1:]]


def links_of(
    known: Known, pairs: tuple[Places, Places], must: float, cannot: float, length: float | None
) -> LinkSet:
    """The links of positive documents among each other and with all others, and those of pairs.

    With a `length`, a link counts `must` or `cannot` times that many words, divided by the largest number of
    links of its kind that one of its two documents has: the must-links of positives, their cannot-links with
    unlabeled documents, those with known negatives, and either kind of pair outweigh so many words for no
    document. With None, every link counts `must` or `cannot`.
    """
    positives = np.flatnonzero(known.positive)

    def weighed(strength: float, most: Any) -> Any:
        return strength if length is None else strength * length / np.maximum(1, most)

    def of_pairs(some: Places, strength: float) -> Floats:
        number = np.bincount(some.ravel(), minlength=len(known.positive))
        return np.broadcast_to(weighed(strength, number[some].max(axis=1)), len(some)).astype(np.float64)

    def apart(others: Places) -> CannotLinks:
        weight = weighed(cannot, max(len(positives), len(others)))
        return CannotLinks(positives, others, float(weight if len(others) else 0))

    together = MustLinks(positives, float(weighed(must, len(positives) - 1)))
    own = PairLinks(pairs[1], of_pairs(pairs[1], cannot), together=False)
    return LinkSet(
        (together, PairLinks(pairs[0], of_pairs(pairs[0], must), together=True)),
        (apart(np.flatnonzero(known.unlabeled)), own, apart(np.flatnonzero(known.negative))),
    )


def look_for(
    counts: Counts,
    known: Known,
    pairs: tuple[Pairs, Pairs],
    plan: SearchPlan,
    rng: Rng,
    likeness: ranking.Likeness,
) -> Found:
    """Learns topics under links, and which of them, or which student of a committee, tells the positives.

    `likeness` says how like the positives among documents as vectors each word makes one. Ctrl-C while the
    committee votes leaves the votes that it has: they teach the student, and the linked model stays where it
    starts.
    """
    positive = known.positive
    method, scaler = plan.method, None if plan.scaling is None else plan.scaling.fit(counts)
    loop, progress = method.loop, method.loop.progress
    progress.plan(1 if plan.n_topics else 2)
    scaled = scaled_by(scaler, counts)
    length = scaled.total() / scaled.n_documents if plan.share_links else None
    links = links_of(known, pairs, plan.must_link, plan.cannot_link, length)
    weight = None
    if plan.positive_weight != 1:
        weight = np.where(positive, plan.positive_weight, 1).astype(scaled.dtype)
    of_words, matrix = None, None
    if positive.any() and (plan.n_topics is None or plan.student):
        of_words = TFIDF.fit(counts)
        matrix = vectors(of_words, counts)
    numbers = plan.n_topics or 1, method.smoothing, plan.prior_strength
    free = OpenModel(scaled, *numbers, n_threads=method.n_threads)
    seats: list[committee.Seat] = []
    members: list[committee.Member] = []
    votes, n_topics, cut = None, plan.n_topics, False
    if n_topics is None:
        n_members = committee.MODELS * len(committee.numbers_for(scaled.n_documents))
        progress.begin(f"committee of {n_members} models", n_members)
        assert matrix is not None
        like = likeness(matrix, known)
        seats, cut = committee.ask(
            lambda number: replace(free, n_topics=number), matrix, matrix @ like, known, rng, progress
        )
        members = [seat.member for seat in seats]
        votes, n_topics = committee.votes(members), committee.best_number(members)
    model = replace(free, n_topics=n_topics, weight=weight, links=links.all())
    shown = positive if votes is None else positive | (votes > 0.5)

    def drawn() -> Parameters:
        words = random_words(scaled, n_topics, None, rng)
        if method.init == "positives" and shown.any():
            words[:, 0] = words_from_clusters(scaled, np.where(shown, 0, 1), 2)[:, 0]
        return model.start(words)

    progress.begin("linked model", 2)
    if not cut:
        try:
            fit = model.fit([drawn] * loop.n_init, loop)
        except KeyboardInterrupt:  # before a pass was finished
            if votes is None:
                raise
            cut = True
    if cut:
        fit = model.fit([drawn], replace(loop.quiet(), max_iter=0)).cut_short()
    progress.step()
    cut, ranks = fit.reason is StopReason.INTERRUPTED, np.empty((0, 0))
    if votes is not None and plan.student and not cut:
        ranks, cut = last_of(ranking.hidden_ranks(matrix, known, seats, likeness))

    def judged() -> Found:
        doc_topic = unpadded(fit.parameters.doc_topic, n_topics)
        most = doc_topic.argmax(axis=1)
        finder = Finder(model.aspects(fit, scaler), np.empty(0, dtype=np.intp))
        taken = None
        if positive.any():
            topics = np.array([np.bincount(most[positive], minlength=n_topics).argmax()])
            finder = replace(finder, positive_topics=topics, by_topic=plan.by_topic)
            threshold, zero = plan.threshold, 0.0
            if plan.student:
                assert of_words is not None
                if votes is None:
                    score = doc_topic[:, topics].sum(axis=1, dtype=np.float64)
                    chance = np.clip(score - _parting(score, counts, positive) + 0.5, 0, 1)
                    weights = ranking.taught(matrix, known, chance)
                else:
                    weights, zero = ranking.ranked(matrix, known, votes, like, ranks)
                    threshold = 0.0 if threshold is None else threshold
                student = Student(of_words, weights)
                finder = replace(finder, student=student, zero=zero)
                score = finder.margins(student.scores_of(matrix))
            elif plan.by_topic:
                score, threshold = np.where(np.isin(most, topics), 1.0, -1.0), 0.0  # as the links have them
            else:
                score = finder.scores(counts, method.folding)
            if threshold is None:
                threshold = _parting(score, counts, positive)
            finder, taken = replace(finder, threshold=threshold), score > threshold
        must, cannot = satisfied(links.must, most), satisfied(links.cannot, most)
        return Found(finder, fit, members, votes, must, cannot, taken)

    found, late = finished(judged)
    progress.step()
    return replace(found, fit=found.fit.cut_short(cut or late))


def _parting(score: Floats, counts: Counts, positive: Mask) -> float:
    """Where the scores of documents with words fall apart, but for positives."""
    # Known negatives are among them: without these F1 was lower on three corpora, and the same on a fourth.
    some = ~positive & (counts.lengths() > 0)
    return otsu(score[some if some.any() else ~positive])


def otsu(score: Floats) -> float:
    """The threshold that parts scores into two groups with the least variance within them."""
    ascending = np.sort(score)
    if ascending[0] == ascending[-1]:
        return float(ascending[0])
    below = np.arange(1, len(ascending))
    sums = np.cumsum(ascending)
    apart = sums[:-1] / below - (sums[-1] - sums[:-1]) / (len(ascending) - below)
    best = int(np.argmax(below * (len(ascending) - below) * apart**2))
    return float((ascending[best] + ascending[best + 1]) / 2)
