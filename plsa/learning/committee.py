"""Topic models of several sizes, and which of their topics are those of the positive documents.

How many topics a corpus has decides how well its positives are found, and few positives do not tell it. So
many models are asked. Each starts one of its topics at half of the positives and is judged by the others,
which it has met as it meets all documents: without knowing that they are positive. It names the topics that
hold many of these and few of all documents, and votes for the documents of those topics.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from plsa.engine.parameters import Floats, Mask, Places, Rng, unpadded
from plsa.engine.progress import Progress
from plsa.engine.runs import Loop, last_of
from plsa.engine.starts import words_from_clusters
from plsa.labels.reading import Known
from plsa.learning.aspects import OpenModel
from plsa.learning.clusters import spherical_kmeans
from plsa.learning.positives import recall_above, recall_criterion

# Six-topic mixtures of two corpora were best found with 6 and with 20 to 30.
NUMBERS = (4, 6, 9, 13, 20, 30)
MODELS = 4  # of each number
_PASSES = 8


@dataclass(frozen=True, slots=True)
class Member:
    """One model's opinion."""

    n_topics: int
    taken: Mask  # documents of the topics that it takes for the positives', but for known negatives
    criterion: float  # r^2 / P(f = 1) of it: what its vote weighs


@dataclass(frozen=True, slots=True)
class Seat:
    """A member, and what its opinion was made of."""

    member: Member
    topic: Places  # of each document
    first: Places  # positives that its model started from
    judges: Places  # the others


def ask(
    model: Callable[[int], OpenModel],
    matrix: sparse.csr_array,
    likeness: Floats,
    known: Known,
    rng: Rng,
    progress: Progress,
) -> tuple[list[Seat], bool]:
    """The members and their opinions, and whether Ctrl-C has kept others from having one.

    `model` makes a topic model of a number of topics, `matrix` has the documents as TF-IDF at unit length,
    and `likeness` says how like the positives each is.
    """
    numbers = numbers_for(len(known.positive))

    def asked() -> Iterator[list[Seat]]:
        seats: list[Seat] = []
        for number in numbers:
            for first, judges in _halves(np.flatnonzero(known.positive), rng):
                cluster = spherical_kmeans(matrix, number, first, rng)
                topic = most_probable_topics(model(number), cluster)
                member = opinion(topic, number, likeness, known, judges)
                seats = [*seats, Seat(member, topic.astype(np.int16), first, judges)]
                progress.step(f"models of {number} topics")
                yield seats

    return last_of(asked())


def numbers_for(n_documents: int) -> list[int]:
    """Numbers of topics: no more than one for two documents, but some."""
    return [number for number in NUMBERS if 2 * number <= n_documents or number == NUMBERS[0]]


def most_probable_topics(model: OpenModel, cluster: Places) -> Places:
    """The most probable topic of each document, by PLSA that starts at these clusters."""
    words = words_from_clusters(model.counts, cluster, model.n_topics)
    fit = model.fit([lambda: model.start(words)], Loop(_PASSES, 0.0)).unless_interrupted()
    return np.asarray(unpadded(fit.parameters.doc_topic, model.n_topics).argmax(axis=1))


def _halves(known: Places, rng: Rng) -> Iterator[tuple[Places, Places]]:
    """Documents to start from and documents to judge by, which change places; one alone only judges."""
    for _ in range(MODELS // 2):
        dealt = rng.permutation(known)
        half = (len(dealt) + 1) // 2
        first, second = dealt[:half], dealt[half:]
        for begin, judges in ((first, second), (second, first)):
            yield (begin, judges) if len(judges) else (judges, begin)


def opinion(topic: Places, n_topics: int, likeness: Floats, known: Known, judges: Places) -> Member:
    """Which topics are the positives', where every document has one.

    Topics are put in the order of how like the positives their other documents are on average. As many
    of the first are taken as make r^2 / P(f = 1) the highest, but never all: f is 1 for documents of these
    topics, and r a lower bound of the recall of the judges.
    """
    others = topic[~known.positive]
    size = np.bincount(others, minlength=n_topics)
    total = np.bincount(others, likeness[~known.positive], n_topics)
    mean = np.where(size > 0, total / np.maximum(size, 1), -np.inf)
    order = np.argsort(-mean, kind="stable")
    found = np.cumsum(np.bincount(topic[judges], minlength=n_topics)[order])[:-1]
    flagged = (np.cumsum(size[order])[:-1] + 1) / (len(others) + 1)
    criterion = recall_criterion(recall_above(found, len(judges)), flagged)
    best = int(criterion.argmax())
    taken = np.isin(topic, order[: best + 1]) & ~known.negative
    return Member(n_topics, taken, float(criterion[best]))


def without(seats: list[Seat], likeness: Floats, known: Known, hidden: int) -> list[Member]:
    """The opinions that members would have if they did not know that this document is positive.

    Those whose models started from it have none. `likeness` and `known` are to know nothing of it either.
    """
    return [
        opinion(seat.topic, seat.member.n_topics, likeness, known, seat.judges[seat.judges != hidden])
        for seat in seats
        if hidden not in seat.first
    ]


def votes(members: list[Member]) -> Floats:
    """The share of the weight of all members that is for each document."""
    weight = np.array([member.criterion for member in members])
    if not weight.any():
        weight = np.ones(len(members))
    return np.average([member.taken for member in members], axis=0, weights=weight)


def best_number(members: list[Member]) -> int:
    """The number of topics of those members whose votes weigh most together."""
    weight: dict[int, float] = {}
    for member in members:
        weight[member.n_topics] = weight.get(member.n_topics, 0.0) + member.criterion
    return max(weight, key=lambda number: weight[number])
