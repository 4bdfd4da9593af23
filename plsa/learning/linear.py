"""Linear classifiers of documents at unit length, all of them weights of words and an intercept.

Three ways to have them: squared hinges, one class against the others (`separate`), complement naive Bayes
(`complement`), and what models of topics have learned about the words of classes (`topical`). They err in
different places, and a blend of their scores is better than each; how much each is worth is told by documents
that are held out (`blend`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from plsa.engine.hinges import Hinges, add_to, column_products, divided
from plsa.engine.parameters import Array, Codes, Floats, Real
from plsa.engine.products import Products

_OUTER, _INNER = 10, 10  # Newton's steps, and conjugate gradients in each, at most
_CLOSE = 0.03  # of the first gradient: near enough; a third of that changes accuracy by less than 0.1 points
_INNER_CLOSE = 0.1  # of the gradient of a step
_HALVINGS = 5  # of a step that does not help
_RARE = 0.1  # of the probability of a word if all were alike: no word of a class counts as rarer
_ALPHA = 1.0  # pseudo-count of every word, in documents at unit length
# How far the first class stands out says less of how sure it is than scores have it: they are divided by a
# power of it, as a rule this times 1 - 1 / C, so firmly believed. On ten of the corpora of bench/wide, other
# splits, 1 to 20% labels, the best power of the test documents was 0 to 0.8.
_MANY_LEVELED, _BELIEF_IN_LEVELING = 0.5, 6.0
_LOW = 0.01  # no class counts as standing out less
_COMMON = 0.3  # belief that all the usual weights of a blend are as they should be; 1 in each beside them


@dataclass(frozen=True, slots=True)
class Teaching:
    """What labels alone decide of a classifier: no one of these is best on every corpus."""

    idf: bool = True  # whether rare words count more
    cost: float = 1.0  # of a squared error beside the ridge
    damping: float = 1.0  # power of a class's share that its documents' weights are divided by

    def __str__(self) -> str:
        return f"{'idf' if self.idf else 'no idf'}, cost {self.cost:g}, damping {self.damping:g}"


# The first is taken where there is no evidence.
_WAYS = ((1.0, 1.0), (0.3, 0.5), (1.0, 0.5), (3.0, 0.5), (1.0, 0.0))
TEACHINGS = tuple(Teaching(idf, cost, damping) for idf in (True, False) for cost, damping in _WAYS)


def damped(code: Codes, weight: Floats, n_classes: int, power: float) -> Floats:
    """The weights of documents, those of frequent classes made less."""
    total = weight.sum()
    share = np.bincount(code, weight, n_classes) * n_classes / (total if total > 0 else 1.0)
    return np.asarray(weight / (np.where(share > 0, share, 1.0) ** power)[code])


def separate(
    products: Products, code: Codes, weight: Floats, n_classes: int, start: Real | None = None
) -> tuple[Real, Real]:
    """(W + 1, padded) and (D, padded): the B that makes, for every class by itself,

        |B|^2 / 2 + sum_d weight[d] max(0, 1 - t[d] s[d])^2,        s = X B

    small, and s. t is 1 for the documents of the class and -1 for the others; the last row of B is an
    intercept. B is where Newton's steps lead from an intercept alone, or from `start`, all classes side by
    side, each step by conjugate gradients on the documents whose hinge is open.
    """
    twice, threads = (2 * weight).astype(products.counts.dtype), products.n_threads
    hinges = Hinges(code, twice, n_classes, threads)
    weights, scores = products.word_room(), products.document_room()
    share = np.bincount(code, weight, n_classes) / max(weight.sum(), np.finfo(float).tiny)
    weights[-1, :n_classes] = 2 * share - 1
    scores[:] = weights[-1]
    mass, total = products.squares(twice), float(twice.sum(dtype=np.float64)) or 1.0
    room, moved = np.empty_like(scores), np.empty_like(scores)
    ahead, image, left = (np.empty_like(weights) for _ in range(3))

    def look() -> tuple[Floats, Floats]:
        """How far hinges are open; the square of the slope, which is in `left`, and, divided, in `ahead`."""
        # What the squares of each class would be if its open hinges were spread over all documents.
        spread = hinges.slopes(scores, room) / total
        products.of_words(room, left)
        np.subtract(left, weights, out=left)
        return spread, divided(left, mass, spread, ahead, threads)

    spread, first = look()
    square = first
    if start is not None:
        # How near is near enough does not depend on where it starts.
        np.copyto(weights, start)
        products.of_documents(weights, scores)
        spread, square = look()
    for _ in range(_OUTER):
        if _mean_ratio(square, first) <= _CLOSE**2:
            break
        step, way = np.zeros_like(weights), np.zeros_like(scores)
        before = square
        for _ in range(_INNER):
            products.of_documents(ahead, moved)
            hinges.curved(scores, moved, room)
            products.of_words(room, image)
            image += ahead
            length = before / np.maximum(column_products(ahead, image, threads), np.finfo(float).tiny)
            add_to(way, length, moved, threads)
            add_to(step, length, ahead, threads)
            add_to(left, -length, image, threads)
            now = divided(left, mass, spread, image, threads)
            if _mean_ratio(now, square) <= _INNER_CLOSE**2:
                break
            add_to(
                ahead, np.ones(len(now)), image, threads, keep=now / np.maximum(before, np.finfo(float).tiny)
            )
            before = now
        length = _step_length(weights, step, scores, way, hinges)
        add_to(weights, length, step, threads)
        add_to(scores, length, way, threads)
        spread, square = look()
    return weights, scores


def _step_length(weights: Real, step: Real, scores: Real, way: Real, hinges: Hinges) -> Floats:
    """How far to go, class by class: all of the step, or half, ... until it leads down."""
    pairs = ((weights, weights), (weights, step), (step, step))
    own, across, ahead = (column_products(a, b, hinges.n_threads) for a, b in pairs)

    def loss(length: Floats) -> Floats:
        of_documents = hinges.losses(scores, way, length)
        return np.asarray((own + 2 * length * across + length**2 * ahead + of_documents) / 2)

    length, least = np.ones(len(own)), loss(np.zeros(len(own)))
    for _ in range(_HALVINGS):
        worse = loss(length) > least * (1 + 1e-6)
        if not worse.any():
            break
        length[worse] /= 2
    return length


def complement(products: Products, code: Codes, weight: Floats, n_classes: int) -> Real:
    """(W + 1, padded): -log P(w | not the class) from the documents at unit length, less the mean of classes.

    Complement naive Bayes (Rennie et al. 2003). Nothing is said of how frequent classes are.
    """
    member = products.document_room()
    member[np.arange(len(code)), code] = weight
    of_class = products.of_words(member)
    of_others = of_class[:-1, :n_classes].astype(np.float64)
    of_others = of_others.sum(axis=1, keepdims=True) - of_others + _ALPHA
    of_class[:] = 0
    if not len(of_others):
        return of_class  # no word counts
    logs = np.log(of_others.sum(axis=0)) - np.log(of_others)
    of_class[:-1, :n_classes] = logs - logs.mean(axis=1, keepdims=True)
    return of_class


def topical(word_class: Sequence[Real], words: Array) -> Floats:
    """(some words, C): log P(w|class), less the mean of classes; of several models the mean.

    Where a topic stands for a class, this is naive Bayes with the words that documents without a label have
    taught the topic.
    """
    total = np.zeros((len(words), word_class[0].shape[1]))
    for each in word_class:
        logs = each[words].astype(np.float64)
        logs += _RARE / max(len(each), 1)
        np.log(logs, out=logs)
        logs -= logs.mean(axis=1, keepdims=True)
        total += logs
    total /= len(word_class)
    return total


@dataclass(frozen=True, slots=True)
class Blend:
    """How much the scores of each classifier count, and how likely that makes what was held out."""

    weights: tuple[float, ...]
    leveling: float  # the power of how far the first class stands out that scores are divided by
    log_probability: float  # of the documents held out, less what weights and leveling cost


def blend(scores: Sequence[Floats], code: Codes, weights: Floats, usual: Sequence[float]) -> Blend:
    """The w and the leveling q that make documents of these classes most likely, by the probabilities

        softmax(s / height(s)^q),        s = sum_e w[e] scores[e]

    Less |log w - log usual - g|^2, of the last one without g, less `_COMMON` g^2 and the like for q: what few
    documents say moves the weights little, but all of them together a little more. Where nothing tells the
    classes apart, what is left is the last score: how frequent classes are.
    """
    around, rows = np.log(np.asarray(usual, dtype=np.float64)), np.arange(len(code))
    moved = np.ones(len(scores))
    moved[-1] = 0.0

    def loss(at: Floats) -> tuple[float, Floats]:
        log_w, common, leveling = at[:-2], at[-2], at[-1]
        w = np.exp(log_w)
        total = sum(each * said for each, said in zip(w, scores, strict=True))
        height = heights(total)
        level = height**-leveling
        log_p = log_softmax(total * level, axis=1)
        excess = np.exp(log_p)
        excess[rows, code] -= 1
        excess *= weights[:, np.newaxis] * level
        stretch = np.sum(excess * total, axis=1)
        # By how much all is leveled depends on the first class and on the mean.
        pull = np.where(height[:, 0] > _LOW, leveling * stretch / height[:, 0], 0.0)
        excess += pull[:, np.newaxis] / total.shape[1]
        excess[rows, total.argmax(axis=1)] -= pull
        slope = np.array([each * np.sum(excess * said) for each, said in zip(w, scores, strict=True)])
        off, off_leveling = log_w - around - moved * common, leveling - usual_leveling(total.shape[1])
        value = np.sum(off**2) + _COMMON * common**2 + _BELIEF_IN_LEVELING * off_leveling**2
        slopes = [
            *(slope + 2 * off),
            2 * _COMMON * common - 2 * np.sum(moved * off),
            2 * _BELIEF_IN_LEVELING * off_leveling - np.sum(stretch * np.log(height[:, 0])),
        ]
        return float(value - np.sum(weights * log_p[rows, code])), np.array(slopes)

    bounds = [*((x - 6, x + 4) for x in around), (-4, 2), (0, 1)]
    start = np.array([*around, 0.0, usual_leveling(scores[0].shape[1])])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    known = np.round(found.x, 2)  # no more than that is known
    return Blend(tuple(np.exp(known[:-2]).tolist()), float(known[-1]), -loss(known)[0])


def usual_leveling(n_classes: int) -> float:
    """The power of heights that scores are divided by, before any evidence."""
    return _MANY_LEVELED * (1 - 1 / n_classes)


def heights(scores: Real) -> Real:
    """(D, 1): how far the first class of each document is above the mean of all."""
    height = scores.max(axis=1, keepdims=True) - scores.mean(axis=1, keepdims=True)
    return np.maximum(height, scores.dtype.type(_LOW))


def _mean_ratio(now: Floats, first: Floats) -> float:
    """The mean over classes of now / first: the large ones are not to stand for the small."""
    met = first > 0
    return float(np.mean(now[met] / first[met])) if met.any() else 0.0
