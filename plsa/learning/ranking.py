"""In which order documents come, and how many are taken: votes and positives, as evidence weighs them.

A student of the committee's votes knows the topics of the positives. Where these are wider than what is
wanted, it puts documents first that are of the topics and little like the positives; a regression of the
positives against all others knows how like they are, and nothing of topics. Documents are put in the order of
a blend of the two. How much of each, say positives that are hidden one by one among the unlabeled documents:
the higher they come, the better the blend. They are few, and among documents that all are wanted their ranks
say nothing: the more the votes agree, the more it takes to overrule them.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse
from scipy.special import softmax

from plsa.engine.parameters import Floats, Mask, Real
from plsa.labels.reading import Known
from plsa.learning import committee
from plsa.learning.positives import FEW_POSITIVES, recall_above, recall_criterion
from plsa.learning.student import teach

Likeness = Callable[[sparse.csr_array, Known], Floats]  # (W,): how much like the positives a word makes

_LABEL_WEIGHT = 5.0  # of what is known beside a sure guess
_SHARES = np.array([0, 0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.8, 0.9, 1])  # of likeness in a blend
_MOST_HIDDEN = 12
# Votes that agree more than this are not to be outvoted by the luck of twelve ranks. Found on eight corpora
# with one class wanted, and on six-topic mixtures of two.
_AGREED, _STEEPNESS = 0.4, 6


def taught(matrix: sparse.csr_array, known: Known, chance: Floats) -> Real:
    """(W, 2): the weights of a student, which learns from what is known and the chances of the others."""
    chance = np.where(known.unlabeled, chance, known.positive)
    weight = np.where(known.unlabeled, np.maximum(np.abs(2 * chance - 1), 1e-3), _LABEL_WEIGHT)
    return teach(matrix, (chance > 0.5).astype(np.int32), weight, 2)


def hidden_ranks(
    matrix: sparse.csr_array, known: Known, seats: list[committee.Seat], likeness: Likeness
) -> Iterator[Floats]:
    """(positives that were hidden, blends): log of the share of unlabeled documents that come before each.

    Begins with none, and goes on to twelve at most. Of a positive that is hidden, nothing knows that it is
    one: not the regression, not the student, and no member of the committee whose vote counts. Nor is any
    negative known then: people were asked of documents for being like that very positive, which would come
    out too low; and none is among those that come before. With few positives there is no evidence: those that
    are left would be too few to learn from.
    """
    ranks: list[Floats] = []
    yield np.empty((0, len(_SHARES)))
    positives, others = np.flatnonzero(known.positive), known.unlabeled
    if len(positives) < FEW_POSITIVES:
        return
    for hidden in positives[np.unique(np.linspace(0, len(positives) - 1, _MOST_HIDDEN).astype(np.intp))]:
        left = Known.of(known.positive & (np.arange(len(others)) != hidden))
        like = likeness(matrix, left)
        members = committee.without(seats, matrix @ like, left, hidden)
        if members:
            votes = committee.votes(members)
            student = _direction(taught(matrix, left, votes))
            sides = _sides(matrix, left, votes, student, like, others)
            score = matrix @ sides @ np.array([1 - _SHARES, _SHARES])
            above = (score[others] >= score[hidden]).sum(axis=0)
            ranks.append(np.log((above + 1) / (others.sum() + 1)))
            yield np.array(ranks)


def ranked(
    matrix: sparse.csr_array, known: Known, votes: Floats, like: Floats, ranks: Floats
) -> tuple[Real, float]:
    """(W, 2): the weights of a student whose margins are the blend, and from which margin on to take.

    A blend weighs the product of the inverse ranks of the positives that were hidden, and the less the more
    likeness it has where the votes agree. Without such positives it is the student of the votes alone.
    """
    weights = taught(matrix, known, votes)
    if not len(ranks):
        return weights, 0.0
    student, others = _direction(weights), known.unlabeled
    margin = (matrix @ student)[others]
    against = (agreement(votes[others]) / _AGREED) ** _STEEPNESS
    trust = softmax(-ranks.sum(axis=0) - against * _SHARES)
    share = float(trust @ _SHARES)
    sides = _sides(matrix, known, votes, student, like, others)
    blend = _spread(margin) * (sides @ np.array([1 - share, share]))
    weights = np.column_stack([-blend, blend]).astype(matrix.dtype)
    score = np.sort((matrix @ _direction(weights))[others])[::-1]
    own = max(float(np.mean(margin > 0)), 1 / len(score))
    to_take = share_to_take(np.exp(ranks @ trust), own, min(1.0, 2 * share))
    number = min(round(to_take * len(score)), len(score) - 1)
    return weights, float(score[max(number - 1, 0) : number + 1].mean(dtype=np.float64))


def agreement(votes: Floats) -> float:
    """Of the documents that more than a quarter is for, the share that more than three quarters is for."""
    return int(np.sum(votes > 0.75)) / max(1, int(np.sum(votes > 0.25)))


def share_to_take(rank: Floats, share: float, doubt: float) -> float:
    """The share of unlabeled documents that are to be taken, where the student would take this one.

    The ranks of positives that were hidden are candidates, from the middle one on, and weigh r^2 / P(f = 1).
    The more of that the student's own share has beside the best of them, and the less it is in doubt, the
    nearer to it is what is taken.
    """
    rank = np.sort(rank)
    number = np.arange(1, len(rank) + 1)
    criterion = recall_criterion(recall_above(number, len(rank)), rank)
    criterion = np.where(2 * number >= len(rank), criterion, 0.0)
    own = recall_criterion(recall_above(np.sum(rank <= share), len(rank)), share)
    moved = doubt * (1 - min(1.0, float(own / criterion.max())))
    return float(np.exp((1 - moved) * np.log(share) + moved * np.average(np.log(rank), weights=criterion)))


def word_odds(matrix: sparse.csr_array, known: Known, votes: Floats) -> Floats:
    """(W,): log P(w|voted for) / P(w|not), the votes of a minority being none."""
    voted, sides = np.where(votes > 0.5, votes, 0.0), []
    told = known.positive, known.negative
    for chance, (own, other) in ((voted, told), (1 - voted, told[::-1])):
        weight = np.select([own, other], [_LABEL_WEIGHT, 0.0], chance)
        total = matrix.T @ weight + (weight.sum() + 1) / matrix.shape[1]
        sides.append(np.log(total / total.sum()))
    return np.asarray(sides[0] - sides[1])


def _sides(
    matrix: sparse.csr_array, known: Known, votes: Floats, student: Floats, like: Floats, others: Mask
) -> Floats:
    """(W, 2): the words of votes and of likeness, either so that scores of the others are spread by one.

    Votes are those of the student and of the odds of words in documents that were voted for, half and half.
    """

    def even(words: Floats) -> Floats:
        return words / _spread((matrix @ words)[others])

    return np.column_stack([even(even(student) + even(word_odds(matrix, known, votes))), even(like)])


def _direction(weights: Real) -> Floats:
    """(W,): what makes the margin of a student with two classes."""
    return np.asarray((weights[:, 1] - weights[:, 0]) / 2, dtype=np.float64)


def _spread(score: Floats) -> float:
    """The standard deviation, or 1 where there is none."""
    return float(score.std()) or 1.0
