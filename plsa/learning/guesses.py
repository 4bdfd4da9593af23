"""Guesses of documents without a label: by models together, and by a student that these teach."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from plsa.engine.parameters import Array, Codes, Floats, Mask, Places, Real
from plsa.labels.corpus import Corpus
from plsa.learning.linear import Teaching
from plsa.learning.scaling import fit_tfidf, is_large, shared_words
from plsa.learning.student import (
    MAX_LABEL_WEIGHT,
    MIN_LABEL_WEIGHT,
    USUAL_OF_GUESSES,
    USUAL_OF_LABELS,
    USUAL_OF_TOPICS,
    USUAL_OF_WORDS,
    Lesson,
    Student,
    guess_worth,
    lessons_of,
    margins,
    probabilities,
    usual_blend,
)

_HALF_TRUST = 10  # labeled documents per class at which a student of the labels alone has half the say
_MAX_TRUST = 0.5
# Models of topics take classes for parts of about the same size. Where labels say that they are not, and few
# or none can be held out to judge guesses by, labels alone are worth so many margins more.
_MORE_OF_LABELS = 1.0
# Classifiers that know guessed documents again, and how far beside that of guesses, whose leverage is known.
# In a large corpus complement naive Bayes as much, topics twice as much: found on two corpora at 2% labels,
# where documents of the fit were then stated to be right as often as new ones. In a small one there is little
# else than what a document knows of itself.
_TAUGHT, _TAUGHT_MANY = ((1, 1.0), (3, 0.5)), ((1, 1.0), (2, 1.0), (3, 2.0))


def label_trust(n_labels: float, n_classes: int) -> float:
    """The say of a student of the labels alone in what is guessed."""
    return float(min(_MAX_TRUST, n_labels / (n_labels + _HALF_TRUST * n_classes)))


def usual(corpus: Corpus, *, told: bool) -> tuple[float, ...]:
    """What the classifiers of a student are worth before any evidence, in margins.

    `told`: whether there are more than few held-out documents to tell more.
    """
    more = 0.0 if told else _MORE_OF_LABELS * corpus.imbalance()
    return USUAL_OF_LABELS + more, USUAL_OF_GUESSES, USUAL_OF_WORDS, USUAL_OF_TOPICS


@dataclass(frozen=True, slots=True)
class Guesses:
    """A class for every document: its label where it has one. And the student that has a say in the next."""

    code: Codes
    changed: float = 1.0  # the share of guesses that are new
    weights: Real | None = None  # the student's, (W + 1, padded)
    scores: Real | None = None  # what the student says of the documents without a label
    taught: tuple[Codes, Floats] | None = None  # the classes and weights of all documents that taught it
    chance: Real | None = None  # of each guess, by models and student together

    def or_doubt(self, least: float, n_classes: int) -> Codes:
        """The guesses, and `n_classes` ("not sure") for those that are less probable than `least`.

        That is right where a wrong guess costs 1 and none costs 1 - `least` (Chow 1970). Of documents with a
        label nothing is said.
        """
        if least <= 0 or self.chance is None:
            return self.code
        return np.where(self.chance < least, n_classes, self.code).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Guesser:
    """The documents of a corpus, and what teaching a student needs of them."""

    corpus: Corpus
    known: Mask
    weights: Floats
    lesson: Lesson | None = None  # None: there is no student
    of_labels: Real | None = None  # (W + 1, padded): what the labels alone have taught
    label_weight: float = 1.0  # of a labeled document beside a sure guess
    trust: float = 0.0  # the student's say

    @classmethod
    def of(cls, corpus: Corpus, teaching: Teaching | None, n_threads: int | None = None) -> Self:
        """Guesses with a student, or without (None)."""
        known, weights = corpus.labels.labeled, corpus.weights()
        if teaching is None:
            return cls(corpus, known, weights)
        labeled, others = weights[known].sum(), weights[~known].sum()
        scaler = fit_tfidf(corpus) if teaching.idf else fit_tfidf(corpus).without_rarity()
        lesson = Lesson(scaler, corpus.counts, corpus.n_classes, n_threads)
        rows, code = np.flatnonzero(known), corpus.labels.code[known]
        of_labels = lesson.labels_alone(rows, code, weights[known], teaching)
        label_weight = float(np.clip(others / labeled, MIN_LABEL_WEIGHT, MAX_LABEL_WEIGHT))
        trust = label_trust(labeled, corpus.n_classes)
        return cls(corpus, known, weights, lesson, of_labels, label_weight, trust)

    def first(self) -> Guesses:
        """No guesses yet; the student has the labels alone to learn from."""
        if self.lesson is None or self.of_labels is None:
            return Guesses(self.corpus.labels.code)
        return Guesses(self.corpus.labels.code, scores=self.lesson.scores(self.of_labels)[~self.known])

    def next(self, before: Guesses, said: Callable[[Places], Real]) -> Guesses:
        """New guesses, by what models say of documents, and by the student before and after it is taught."""
        unknown = ~self.known
        code, weight = before.code.copy(), np.full(len(before.code), self.label_weight)
        probability = self._together(before.scores, said)
        chance = np.ones(len(code), dtype=probability.dtype)
        code[unknown], chance[unknown] = probability.argmax(axis=1), probability.max(axis=1)
        if self.lesson is None or before.scores is None:
            return Guesses(code, self._changed(before.code, code), chance=chance)
        weight[unknown] = chance[unknown] ** 2
        taught = code.copy(), weight * self.weights
        weights, scores = self.lesson.guesses(*taught, start=before.weights)
        scores = scores[unknown, : self.corpus.n_classes]
        code[unknown] = scores.argmax(axis=1)
        # Where the student has another guess than its teachers, it is as probable as they held it.
        chance[unknown] = probability[np.arange(len(probability)), code[unknown]]
        return Guesses(code, self._changed(before.code, code), weights, scores, taught, chance)

    def _together(self, scores: Real | None, said: Callable[[Places], Real]) -> Real:
        """What models and the student with these scores say of the documents without a label."""
        probability = said(np.flatnonzero(~self.known))
        if scores is not None:
            probability = (1 - self.trust) * probability
            of_student = probabilities(scores)
            of_student *= self.trust
            probability += of_student
        return probability

    def classifiers(self, guesses: Guesses, topics: Sequence[Real]) -> list[Real]:
        """What a student is a blend of: that of labels, that of guesses, the words of both, those of topics.

        `topics`: P(w|class), (W, C), as each model has it.
        """
        assert self.lesson is not None
        assert self.of_labels is not None
        assert guesses.weights is not None
        assert guesses.taught is not None
        words = self.lesson.words_of_classes(*guesses.taught)
        return [
            self.of_labels,
            guesses.weights,
            words,
            self.lesson.words_of_topics(topics, shared_words(self.corpus)),
        ]

    def finished(
        self, guesses: Guesses, topics: Sequence[Real], blend: Sequence[float] | None, key: NDArray[np.uint64]
    ) -> tuple[Student, float]:
        """The student, as it is to judge documents, those among its lessons too; and its mean margin.

        That is how far, on documents without a label, its first class is ahead of the second. Without a
        blend, the usual one, at a mean margin of one. `key`: the fingerprints that documents are known by.
        """
        assert self.lesson is not None
        assert guesses.taught is not None
        classifiers, (code, weight) = self.classifiers(guesses, topics), guesses.taught
        ahead = [self._mean(margins(self.lesson.scores(each)[~self.known])) for each in classifiers]
        classifiers.append(self.lesson.frequencies(self.corpus.log_frequencies()))
        untold = blend is None
        blend = usual_blend(usual(self.corpus, told=False), ahead, told=False) if blend is None else blend
        together = np.zeros_like(classifiers[0])
        for share, each in zip(blend, classifiers, strict=True):
            together += together.dtype.type(share) * each
        scores = self.lesson.scores(together)[~self.known].astype(np.float64)
        if untold:
            unit = max(self._mean(margins(scores)), 1e-3)
            blend, scores = [share / unit for share in blend], scores / unit
        student = self.lesson.student(classifiers, blend)
        total = sum(share * margin for share, margin in zip(blend, ahead, strict=False))
        taught = _TAUGHT_MANY if is_large(self.corpus) else _TAUGHT
        part = sum(own * blend[place] * ahead[place] for place, own in taught) / total if total > 0 else 1.0
        worth = 2 * guess_worth(code, weight, self.corpus.n_classes)
        lessons = lessons_of(self.lesson.rows, code, worth, ~self.known, key, part)
        # A score of one of the student of guesses is this in a blend.
        unit = self._mean(margins(scores)) / ahead[1] if ahead[1] > 0 else 1.0
        lessons = replace(lessons, target=unit)
        left = lessons.left_out(scores, key[~self.known])
        return replace(student, lessons=lessons), self._mean(margins(left))

    def _changed(self, before: Codes, code: Codes) -> float:
        return self._mean((code != before)[~self.known])

    def _mean(self, values: Array) -> float:
        """The mean over the documents without a label."""
        weight = self.weights[~self.known]
        # A plain sum: BLAS might add in another order with another number of threads.
        return float(np.sum(weight * values) / weight.sum()) if weight.sum() > 0 else 0.0
