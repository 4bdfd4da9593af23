"""A linear student: what the labels and the guesses of a model teach a discriminative classifier.

An aspect model explains words; a linear model only separates classes, and with the aspect model's guesses as
labels it does that better than its teacher. A student is a blend of linear classifiers on TF-IDF: one of the
labels alone, one of labels and guesses, complement naive Bayes of both, and the words of the topics.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from plsa.engine import blocks
from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Codes, Floats, Mask, Places, Real
from plsa.engine.products import Products
from plsa.labels.corpus import Corpus
from plsa.learning.linear import Teaching, complement, damped, heights, separate, topical, usual_leveling
from plsa.learning.parts import LOG_CHANCE, Parts, linear_parts
from plsa.learning.scaling import Scaler, fit_tfidf, spread, unit_rows, vectors

# Of least squares, found on three corpora together, at 0.3 to 100% labels.
_STEPS = 15  # of conjugate gradients, at most
_CLOSE = 3e-3  # of the first gradient: near enough
_DAMPING = 1 / 3  # power of a class's share that its documents' weights are divided by
DEFAULT_SHARPNESS = 4.0  # softmax(4 * score): scores are about -1 and 1
# Of probabilities that are to be believed, before any evidence. On ten corpora the best sharpness was 0.2 to
# 10, and times the mean margin 3 on the average, 1 to 8 where classes are topics, less than 1 for sentiment.
# That was without leveling; with it 3 is as good where nothing is held out (five corpora, 0.3 and 1% labels).
UNIT_SHARPNESS = 3.0  # at a mean margin of one
_MIN_MARGIN = 0.01
_GUESS_COST = 0.3  # of an error, beside the ridge, of a sure guess: labels are to have more say than guesses
MIN_LABEL_WEIGHT = 2.0  # of a labeled document beside a sure guess
MAX_LABEL_WEIGHT = 10.0
# What the student of labels, that of guesses, complement naive Bayes and the words of topics have to say
# before any evidence, in margins: the second most. On eight corpora, at 1 to 20% labels, each was worth 0.1
# to 5.
USUAL_OF_LABELS, USUAL_OF_GUESSES, USUAL_OF_WORDS, USUAL_OF_TOPICS = 0.1, 1.4, 0.3, 0.4
# The same of how frequent classes are, in logarithms of that: in the sum of naive Bayes it is one, but scores
# know something of it themselves.
USUAL_OF_CLASSES, UNTOLD_OF_CLASSES = 0.3, 1.0  # where documents are held out, and where few or none are
LEFT_OUT = "own lesson, left out"  # a constant
_OWN = 1e-6  # of what all documents have of a word: less is left where one has it for itself


@dataclass(frozen=True, slots=True)
class Lessons:
    """What documents that were guessed have taught a student about themselves, so that it can be left out.

    A student fits its lessons: of documents that it was taught by under a guess it is surer than of new ones,
    and no more often right. Without document d, whose target is t, its score of d would be (score - h t) /
    (1 - h), where h is the leverage of d, unless the score is beyond the target: such a document teaches
    nothing. It is that of ridge regression on words that know nothing of each other (the diagonal of its
    normal equations), which is near the truth for documents of many rare words and costs one pass over them.
    Words that stand in d alone would then tell nothing: a vectorizer that had not seen d would not know them,
    and the others would fill the vector.
    """

    key: NDArray[np.uint64]  # whose lessons: fingerprints, ascending
    code: Codes  # what was guessed
    leverage: Floats
    filling: Floats  # by how much the words that others have too would grow; 0: there are none
    target: float = 1.0  # t of the class, and -t of the others

    def left_out(self, scores: Floats, key: NDArray[np.uint64]) -> Floats:
        """Scores of documents with these fingerprints, as if none of them had been among the lessons."""
        met, place = self._known(key)
        if not len(met):
            return scores
        result = scores.copy()
        for begin in range(0, len(met), blocks.DOCUMENTS):  # some at a time: there may be very many
            some = slice(begin, begin + blocks.DOCUMENTS)
            result[met[some]] = self._rest(scores[met[some]], place[some])
        return result

    def left_out_parts(self, parts: Parts, key: NDArray[np.uint64]) -> Parts:
        """The same of the score of one document, taken apart."""
        met, place = self._known(key)
        if not len(met):
            return parts
        taught, leverage = self._taught(parts.scores[np.newaxis], place)
        rest = parts.plus(LEFT_OUT, -(leverage * taught)[0]).times(1 / (1 - leverage[0]))
        return rest.times(self.filling[place])

    def _known(self, key: NDArray[np.uint64]) -> tuple[Places, Places]:
        """Which of the documents with these fingerprints were lessons, and where they stand here."""
        if not len(self.key):
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        place = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        met = np.flatnonzero(self.key[place] == key)
        return met, place[met]

    def _taught(self, scores: Floats, place: Places) -> tuple[Floats, Floats]:
        """What the documents at these places have taught: t, and how much of it is in each score."""
        own = np.full(scores.shape, -self.target)
        own[np.arange(len(place)), self.code[place]] = self.target
        return own, np.where(own * scores < self.target**2, self.leverage[place, np.newaxis], 0.0)

    def _rest(self, scores: Floats, place: Places) -> Floats:
        """Scores of the documents at these places, without what they have taught."""
        own, leverage = self._taught(scores, place)
        rest = (scores - leverage * own) / (1 - leverage)
        return np.asarray(rest * self.filling[place, np.newaxis])


@dataclass(frozen=True, slots=True)
class Student:
    """A linear classifier of counts: scores are log counts times idf, at unit length, times `weights`."""

    scaler: Scaler
    weights: Real  # (W, C)
    lessons: Lessons | None = None  # of documents that were guessed; None: it has had none
    intercept: Floats | None = None  # (C,); None: there is none

    def scores(self, counts: Counts) -> Floats:
        """(D, C): the higher, the more a class is that of a document; zeros where it knows no word of it.

        Of a document that it was taught by under a guess: what it would say without that.
        """
        scores = self.scores_of(vectors(self.scaler, counts))
        return scores if self.lessons is None else self.lessons.left_out(scores, counts.fingerprints())

    def parts(self, counts: Counts) -> Parts:
        """The scores of one document, taken apart."""
        row = vectors(self.scaler, counts)
        intercept = self.intercept if row.data.any() else None
        parts = linear_parts(LOG_CHANCE, "a linear student on TF-IDF", row, self.weights, intercept)
        # In float32 a sum is off by so much that leaving out a lesson would make it seen.
        parts = parts.rounded_to(self.scores_of(row)[0])
        return parts if self.lessons is None else self.lessons.left_out_parts(parts, counts.fingerprints())

    def spread(self, words: Array, n_words: int) -> Self:
        """The same for documents of more words, these among them; the others tell nothing."""
        weights = spread(self.weights, words, n_words)
        return replace(self, scaler=self.scaler.spread(words, n_words), weights=weights)

    def scores_of(self, matrix: sparse.csr_array) -> Floats:
        """The same of documents as `vectors` has them, whoever was taught by them."""
        scores = np.asarray(matrix @ self.weights, dtype=np.float64)
        if self.intercept is not None:
            known = np.asarray(abs(matrix).sum(axis=1)).ravel() > 0
            scores[known] += self.intercept
        return scores


class Lesson:
    """Documents that classifiers are taught by: at unit length, of the words that count."""

    def __init__(self, scaler: Scaler, counts: Counts, n_classes: int, n_threads: int | None) -> None:
        assert scaler.idf is not None
        self.scaler, self.n_classes, self.n_threads = scaler, n_classes, n_threads
        self.words = np.flatnonzero(scaler.idf)
        self.rows = unit_rows(scaler, counts).of_words(self.words)
        self.products = Products(self.rows, n_classes, n_threads)

    def labels_alone(self, labeled: Array, code: Codes, weight: Floats, teaching: Teaching) -> Real:
        """(W + 1, padded): what squared hinges make of these documents, as a teaching wants it."""
        some = self.rows.of_documents(labeled)
        met = np.unique(some.word)  # others have no weight
        products = Products(some.of_words(met), self.n_classes, self.n_threads)
        worth = teaching.cost * damped(code, _worded(some, weight), self.n_classes, teaching.damping)
        own, _ = separate(products, code, worth, self.n_classes)
        weights = self.products.word_room()
        weights[met], weights[-1] = own[:-1], own[-1]
        return weights

    def guesses(self, code: Codes, weight: Floats, start: Real | None = None) -> tuple[Real, Real]:
        """(W + 1, padded) and (D, padded): the same of all documents under guesses, and their scores."""
        worth = guess_worth(code, _worded(self.rows, weight), self.n_classes)
        return separate(self.products, code, worth, self.n_classes, start)

    def words_of_classes(self, code: Codes, weight: Floats) -> Real:
        """(W + 1, padded): complement naive Bayes of all documents."""
        return complement(self.products, code, weight, self.n_classes)

    def words_of_topics(self, word_class: Sequence[Real], shared: Mask) -> Real:
        """(W + 1, padded): what models of topics have learned about the words of classes, (W, C) each.

        Words that are not `shared` with others tell nothing: in them a topic knows a document again.
        """
        weights, told = self.products.word_room(), np.flatnonzero(shared[self.words])
        weights[told, : self.n_classes] = topical(word_class, self.words[told])
        return weights

    def frequencies(self, log_frequencies: Floats) -> Real:
        """(W + 1, padded): how frequent classes are, whatever the words."""
        weights = self.products.word_room()
        weights[-1, : self.n_classes] = log_frequencies
        return weights

    def scores(self, weights: Real) -> Real:
        """(D, C): of all documents."""
        return self.products.of_documents(weights)[:, : self.n_classes]

    def judged(self, weights: Real, counts: Counts) -> Floats:
        """(D, C): of other documents, by one classifier."""
        others = Products(unit_rows(self.scaler, counts).of_words(self.words), self.n_classes, self.n_threads)
        return others.of_documents(weights)[:, : self.n_classes].astype(np.float64)

    def student(self, classifiers: Sequence[Real], blend: Sequence[float]) -> Student:
        """The student whose scores are those of classifiers, blended."""
        weights = np.zeros((len(self.scaler.idf), self.n_classes), dtype=self.rows.dtype)  # type: ignore[arg-type]
        intercept = np.zeros(self.n_classes)
        for each, share in zip(classifiers, blend, strict=True):
            weights[self.words] += weights.dtype.type(share) * each[:-1, : self.n_classes]
            intercept += share * each[-1, : self.n_classes]
        return Student(self.scaler, weights, None, intercept)


def guess_worth(code: Codes, weight: Floats, n_classes: int) -> Floats:
    """What errors cost where documents have guesses."""
    return _GUESS_COST * damped(code, weight, n_classes, _DAMPING)


def _worded(rows: Counts, weight: Floats) -> Floats:
    """The weights of documents that have a word; those of nothing but an intercept teach nothing."""
    return np.where(rows.lengths() > 0, weight, 0.0)


def label_lessons(
    corpus: Corpus, n_threads: int | None, rarities: Sequence[bool] = (True, False)
) -> dict[bool, Lesson]:
    """The labeled documents of a corpus; True: with the rarity that words have in all of it."""
    scaler, counts = fit_tfidf(corpus), corpus.labeled().counts
    scalers = {idf: scaler if idf else scaler.without_rarity() for idf in rarities}
    return {idf: Lesson(each, counts, corpus.n_classes, n_threads) for idf, each in scalers.items()}


def probabilities(scores: Real, sharpness: float = DEFAULT_SHARPNESS, leveling: float = 0.0) -> Array:
    """Scores as probabilities: softmax(sharpness * score / height^leveling), in the precision of the scores.

    The height is that of the first class above the mean of all (`heights`).
    """
    if leveling:
        scores = scores / levels(scores, leveling)
    # SciPy's softmax in place: of very many documents and classes it is a good part of a quick model.
    result = scores * scores.dtype.type(sharpness)
    result -= result.max(axis=1, keepdims=True)
    np.exp(result, out=result)
    result /= result.sum(axis=1, keepdims=True)
    return result


def levels(scores: Real, leveling: float) -> Real:
    """(D, 1): what the scores of each document are divided by, height^leveling."""
    return np.asarray(heights(scores) ** scores.dtype.type(leveling))


def usual_sharpness(margin: float, n_classes: int) -> float:
    """What sharpness a student of classes has as a rule whose mean margin is this."""
    return UNIT_SHARPNESS / margin ** (1 - usual_leveling(n_classes))


def usual_blend(usual: Sequence[float], ahead: Sequence[float], *, told: bool) -> tuple[float, ...]:
    """The weights of classifiers before any evidence, by their mean margins, and of frequencies, last.

    `told`: whether there are more than few held-out documents to tell more.
    """
    last = USUAL_OF_CLASSES if told else UNTOLD_OF_CLASSES
    return (*(w / max(m, _MIN_MARGIN) for w, m in zip(usual, ahead, strict=True)), last)


def margins(scores: Real) -> Floats:
    """By how much the best class of each document is ahead of the second."""
    if scores.shape[1] == 1:
        return np.ones(len(scores))
    two = np.partition(scores, -2, axis=1)[:, -2:].astype(np.float64)
    return np.asarray(two[:, 1] - two[:, 0])


def teach(matrix: sparse.csr_array, code: Codes, weight: Floats, n_classes: int) -> Real:
    """(W, C): the B that makes sum_d weight[d] |F[d] B - t(code[d])|^2 + |B|^2 small.

    t is 1 for the class and -1 for the others. Frequent classes are damped: a document's weight is divided
    by the cube root of its class's share of the weight. B is where conjugate gradients lead in a few steps
    from zero, all classes side by side.
    """
    column = damped(code, weight, n_classes, _DAMPING).astype(matrix.dtype)[:, np.newaxis]
    target = np.full((len(code), n_classes), -1, dtype=matrix.dtype)
    target[np.arange(len(code)), code] = 1
    transposed = matrix.T.tocsr()
    weights = np.zeros((matrix.shape[1], n_classes), dtype=matrix.dtype)
    residual = transposed @ (column * target)
    direction = residual.copy()
    square = _squares(residual)
    enough = _CLOSE**2 * square
    for _ in range(_STEPS):
        curved = transposed @ (column * (matrix @ direction)) + direction
        length = square / np.maximum(_squares(direction, curved), np.finfo(float).tiny)
        weights += length.astype(matrix.dtype) * direction
        residual -= length.astype(matrix.dtype) * curved
        before, square = square, _squares(residual)
        if np.all(square <= enough):
            break
        turn = square / np.maximum(before, np.finfo(float).tiny)
        direction = residual + turn.astype(matrix.dtype) * direction
    return weights


def lessons_of(
    rows: Counts, code: Codes, weight: Floats, guessed: Mask, key: NDArray[np.uint64], share: float = 1.0
) -> Lessons:
    """What the guessed among documents, whose fingerprints are `key`, have taught.

    `weight` is that of their squares beside the ridge, `share` how much the student's score knows them again
    beside what squares would. Copies are left out together, so that a weight is a repetition; those of a
    labeled document not at all.
    """
    some = np.flatnonzero(weight > 0)
    key, first, which = np.unique(key[some], return_index=True, return_inverse=True)
    doubted = np.bincount(which, ~guessed[some]) == 0
    key, own = key[doubted], some[first[doubted]]
    copies = np.bincount(which, weight[some])[doubted]
    squared = rows.with_counts(rows.count**2)
    # Of each word, in all documents; in one order, whatever zeros are stored.
    mass = np.asarray(squared.matrix().T @ weight)
    leverage, filling = np.empty((2, len(own)))
    for begin in range(0, len(own), blocks.DOCUMENTS):  # some at a time: there may be very many
        part = slice(begin, begin + blocks.DOCUMENTS)
        leverage[part], filling[part] = _own_part(squared.of_documents(own[part]), copies[part], mass, share)
    return Lessons(key, code[own], leverage, filling)


def _own_part(squared: Counts, weight: Floats, mass: Floats, share: float) -> tuple[Floats, Floats]:
    """The leverage of documents with these weights, and by how much the words that others have would grow."""
    square, of_word = squared.count.astype(np.float64), mass[squared.word]
    taught = np.repeat(weight, np.diff(squared.offset)) * square
    others = np.maximum(of_word - taught, 0.0)

    def total(values: Floats) -> Floats:
        # One after the other, so that zeros that are stored change nothing; scipy's own sum goes by pairs.
        return np.asarray(squared.with_counts(values).matrix() @ np.ones(squared.n_words))

    pull, length = total(taught / (1 + others)), total(square)
    shared = total(np.where(others > _OWN * of_word, square, 0.0))
    filling = np.sqrt(np.divide(length, shared, out=np.zeros(len(length)), where=shared > 0))
    return share * pull / (1 + share * pull), filling


def _squares(a: Real, b: Real | None = None) -> Floats:
    """Sums of a * b (or a * a) over rows, in double, in one order whatever the number of threads."""
    product: Floats = np.einsum("wc,wc->c", a, a if b is None else b, dtype=np.float64)
    return product
