"""Guesses of documents without a label: by models together, and by a student that these teach."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import sparse

from plsa.engine.parameters import Array, Codes, Floats, Mask, Places, Real
from plsa.labels.corpus import Corpus
from plsa.learning.scaling import Scaler, fit_tfidf, vectors
from plsa.learning.student import (
    MAX_LABEL_WEIGHT,
    MIN_LABEL_WEIGHT,
    Student,
    lessons_of,
    margins,
    probabilities,
    teach,
)

_HALF_TRUST = 10  # labeled documents per class at which a student of the labels alone has half the say
_MAX_TRUST = 0.5


def label_trust(n_labels: float, n_classes: int) -> float:
    """The say of a student of the labels alone in what is guessed."""
    return float(min(_MAX_TRUST, n_labels / (n_labels + _HALF_TRUST * n_classes)))


@dataclass(frozen=True, slots=True)
class Guesses:
    """A class for every document: its label where it has one. And the student that has a say in the next."""

    code: Codes
    changed: float = 1.0  # the share of guesses that are new
    student: Student | None = None
    scores: Real | None = None  # what the student says of the documents without a label
    taught: tuple[Codes, Floats] | None = None  # the classes and weights of all documents that taught it


@dataclass(frozen=True, slots=True)
class Guesser:
    """The documents of a corpus, and what teaching a student needs of them."""

    corpus: Corpus
    known: Mask
    weights: Floats
    scaler: Scaler | None = None  # None: there is no student
    matrix: sparse.csr_array | None = None  # the documents as vectors
    label_weight: float = 1.0  # of a labeled document beside a sure guess
    trust: float = 0.0  # the student's say

    @classmethod
    def of(cls, corpus: Corpus, *, student: bool) -> Self:
        """Guesses with a student, or without."""
        known, weights = corpus.labels.labeled, corpus.weights()
        if not student:
            return cls(corpus, known, weights)
        labeled, others = weights[known].sum(), weights[~known].sum()
        scaler = fit_tfidf(corpus)
        label_weight = float(np.clip(others / labeled, MIN_LABEL_WEIGHT, MAX_LABEL_WEIGHT))
        trust = label_trust(labeled, corpus.n_classes)
        return cls(corpus, known, weights, scaler, vectors(scaler, corpus.counts), label_weight, trust)

    def first(self) -> Guesses:
        """No guesses yet; the student has the labels alone to learn from."""
        code = self.corpus.labels.code
        if self.matrix is None:
            return Guesses(code)
        known = np.flatnonzero(self.known)
        weight = self.label_weight * self.weights[known]
        student, scores = self._taught(self.matrix[known], code[known], weight)
        return Guesses(code, student=student, scores=scores)

    def next(self, before: Guesses, said: Callable[[Places], Floats]) -> Guesses:
        """New guesses, by what models say of documents, and by the student before and after it is taught."""
        unknown = ~self.known
        probability = said(np.flatnonzero(unknown))
        code = before.code.copy()
        if self.matrix is None or before.scores is None:
            code[unknown] = probability.argmax(axis=1)
            return Guesses(code, self._changed(before.code, code))
        of_student = probabilities(before.scores.astype(np.float64))
        probability = (1 - self.trust) * probability + self.trust * of_student
        code[unknown] = probability.argmax(axis=1)
        weight = np.full(len(code), self.label_weight)
        weight[unknown] = probability.max(axis=1) ** 2
        taught = code.copy(), weight * self.weights
        student, scores = self._taught(self.matrix, *taught)
        code[unknown] = scores.argmax(axis=1)
        return Guesses(code, self._changed(before.code, code), student, scores, taught)

    def finished(self, guesses: Guesses) -> tuple[Student | None, float]:
        """The student, as it is to judge documents, those among its lessons too; and its mean margin.

        That is how far, on documents without a label, its first class is ahead of the second.
        """
        student, scores = guesses.student, guesses.scores
        if student is None or scores is None or self.matrix is None:
            return None, 1.0
        said = scores.astype(np.float64)
        if guesses.taught is not None:
            key = self.corpus.counts.fingerprints()
            lessons = lessons_of(self.matrix, *guesses.taught, self.corpus.n_classes, ~self.known, key)
            student, said = replace(student, lessons=lessons), lessons.left_out(said, key[~self.known])
        return student, self._mean(margins(said))

    def _taught(self, matrix: sparse.csr_array, code: Codes, weight: Array) -> tuple[Student, Real]:
        """A student of some documents, and what it says of those without a label."""
        assert self.scaler is not None
        assert self.matrix is not None
        weights = teach(matrix, code, weight, self.corpus.n_classes)
        return Student(self.scaler, weights), (self.matrix @ weights)[~self.known]

    def _changed(self, before: Codes, code: Codes) -> float:
        return self._mean((code != before)[~self.known])

    def _mean(self, values: Array) -> float:
        """The mean over the documents without a label."""
        weight = self.weights[~self.known]
        # A plain sum: BLAS might add in another order with another number of threads.
        return float(np.sum(weight * values) / weight.sum()) if weight.sum() > 0 else 0.0
