"""Which documents to ask about: what makes one worth a label, and which of them make a batch.

Functions of what a model says, the higher the better to ask. They know neither models nor documents: a model
says P(class|document), votes, P(topic|document) or what several of its like say, one row per document.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import xlogy
from scipy.stats import rankdata

from plsa.baselines.views import surest
from plsa.engine.parameters import Array, Floats, Places, Real

Scores = Floats


def entropy(chance: Array) -> Scores:
    """H(d) = -sum_y P(y|d) log P(y|d): of classes (the margin method; Krithara 2008, eq. 5.1), or of topics.

    NumPy: ``-np.sum(p * np.log(p), axis=1)`` where 0 log 0 is 0.
    """
    p = np.asarray(chance, dtype=np.float64)
    return np.asarray(-xlogy(p, p).sum(axis=1))


def vote_entropy(votes: Array) -> Scores:
    """The entropy of the shares of (n_documents, n_classes) numbers of votes (Krithara 2008, eq. 5.2).

    A document that nobody has voted on is as uncertain as can be: log n_classes.
    """
    number = np.asarray(votes, dtype=np.float64)
    total = number.sum(axis=1, keepdims=True)
    return entropy(np.where(total > 0, number / np.where(total > 0, total, 1), 1 / number.shape[1]))


def least_confidence(chance: Array) -> Scores:
    """1 - max_y P(y|d)."""
    return np.asarray(1 - np.asarray(chance, dtype=np.float64).max(axis=1))


def smallest_margin(chance: Array) -> Scores:
    """1 - (P(y1|d) - P(y2|d)) of the two most probable classes; 0 with one class, which leaves no doubt."""
    p = np.asarray(chance, dtype=np.float64)
    if p.shape[1] < 2:
        return np.zeros(len(p))
    second, first = np.partition(p, -2, axis=1)[:, -2:].T
    return np.asarray(1 - (first - second))


def disagreement(chances: Array) -> Scores:
    """The mean KL divergence of (n_members, n_documents, n_classes) chances to their mean over the members.

    McCallum and Nigam, "Employing EM and Pool-Based Active Learning for Text Classification", ICML 1998. It
    is the entropy of the mean less the mean entropy, and 0 where all members say the same.
    """
    members = np.asarray(chances, dtype=np.float64)
    within = np.mean([entropy(member) for member in members], axis=0)
    return np.maximum(entropy(members.mean(axis=0)) - within, 0.0)


def contradiction(log_chances: Sequence[Array]) -> Scores:
    """How surely two views contradict each other, from the (n, n_classes) log P(class|document) of either.

    -log(1 - P(y|d)) of the view that is less sure of its class y, where these are two classes; where it is
    one, the negative of that. Muslea, Minton and Knoblock, "Selective Sampling with Redundant Views", AAAI
    2000: the strategy that they call aggressive.
    """
    (guess, sure), (other, as_sure) = map(surest, log_chances)
    least = np.minimum(sure, as_sure)
    return np.where(guess != other, least, -least)


def expected_loss(chance: Array, loss: str = "log") -> float:
    """What a model expects to lose on documents, on average: their entropy ("log") or 1 - max ("zero-one").

    Roy and McCallum, "Toward Optimal Active Learning through Sampling Estimation of Error Reduction", ICML
    2001 (Krithara 2008, eq. 3.1 with its sign turned, and eq. 3.2).
    """
    measure = {"log": entropy, "zero-one": least_confidence}[loss]
    return float(measure(chance).mean())


def standing_for(documents: Real, others: Real) -> Real:
    """(documents, others): how far a document stands for another, max(0, cosine)^2; rows have unit length."""
    cosine = documents @ others.T
    np.maximum(cosine, 0, out=cosine)
    return np.square(cosine, out=cosine)


def need(chance: Array, n_labels: Array) -> Scores:
    """sum_y P(y|d) / (n_y + 1): how much a document promises a label of a class that has few."""
    return np.asarray(np.asarray(chance, dtype=np.float64) @ (1 / (np.asarray(n_labels) + 1)))


def from_zero(scores: Scores) -> Scores:
    """The same order, none of them below 0, so that it may be multiplied and divided; -inf stays."""
    finite = scores[np.isfinite(scores)]
    lowest = min(0.0, float(finite.min())) if len(finite) else 0.0
    return np.asarray(scores - lowest)


def per_cost(scores: Scores, cost: Array) -> Scores:
    """How much there is to gain for a unit of cost, such as a word to be read."""
    return np.asarray(scores / np.asarray(cost, dtype=np.float64))


def combined(several: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """The weighted mean of ranks between 0 and 1, equals sharing theirs: scores of any scale go together."""
    total = sum(weights.values())
    ranks = {name: (rankdata(scores) - 1) / max(1, len(scores) - 1) for name, scores in several.items()}
    return np.asarray(sum(weights[name] / total * ranks[name] for name in several), dtype=np.float64)


def select(scores: Scores, n: int, rng: np.random.RandomState, guesses: Array | None = None) -> Places:
    """The places of n of the highest scores, the highest first, equals in an order that `rng` draws.

    With `guesses`, the class that each document is taken for: every next document is the highest of those
    whose class the batch has least of, as several of one class tell little more than one (Krithara
    2008, section 5.2).
    """
    shuffled = rng.permutation(len(scores))
    order = shuffled[np.argsort(-np.asarray(scores)[shuffled], kind="stable")]
    n = min(n, len(order))
    if guesses is None:
        return np.asarray(order[:n])
    _, code = np.unique(np.asarray(guesses)[order], return_inverse=True)
    # The k-th highest of its class is in the k-th round, and rounds are in the order of scores.
    turn = np.empty(len(order), dtype=np.intp)
    for place in range(int(code.max()) + 1 if len(code) else 0):
        turn[code == place] = np.arange(np.count_nonzero(code == place))
    return np.asarray(order[np.argsort(turn, kind="stable")[:n]])
