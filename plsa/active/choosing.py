"""Which documents to ask for: the strategies by name, and what chooses by them.

A strategy is a function that gives every open document of a `Question` a score, and a line in `STRATEGIES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from plsa import inputs
from plsa.active import queries
from plsa.active.field import field_risks
from plsa.active.pool import Chances, Cover, Documents, FittedModel, FittedPool, Landscape, with_codes
from plsa.active.queries import Scores
from plsa.active.quick import QuickModel, QuickPool
from plsa.active.record import digest
from plsa.active.session import Session, coded
from plsa.active.wanted import likely_wanted
from plsa.engine.parameters import Array, Floats, Places
from plsa.labels.reading import UNLABELED, Labels

_MEMBERS = 4  # of a committee
_CANDIDATES = 30  # documents whose answers are supposed
_JUDGED = 200  # documents that supposed answers are judged by
_UNLIKELY = 0.01  # an answer that is not worth supposing
_WEIGHED = 5000  # documents of which it is asked what they stand for

_Guesses = tuple[list[Any], Places] | None  # classes, and the guessed one of each document
Strategy = str | Mapping[str, float] | Callable[[Array], ArrayLike]
PoolModel = FittedModel | QuickModel  # which answer the same questions


class RememberedPool:
    """A pool and the model that was learned last, which is not learned again."""

    def __init__(self, pool: FittedPool | QuickPool, name: str) -> None:
        self.pool = pool
        self.name = name  # of the estimator
        self._last: tuple[Labels, PoolModel | None] | None = None

    def learn(self, labels: Labels, *, keep: bool = True) -> PoolModel | None:
        """The model of labels; None where too little is known, such as fewer than two classes."""
        if self._last is not None:
            before, model = self._last
            if np.array_equal(labels.code, before.code) and np.array_equal(labels.classes, before.classes):
                return model
        model = self.pool.learn(labels) if self.pool.knows_enough(labels) else None
        if keep:
            self._last = labels, model
        return model


@dataclass(frozen=True, slots=True)
class Question:
    """What is known when documents are chosen."""

    model: PoolModel
    chance: Chances  # P(class|document) of those that may be asked for
    guesses: Places
    left: Documents  # those that may be asked for
    n: int
    rng: np.random.RandomState
    landscape: Landscape
    power: float  # of the density
    votes: Callable[[], Floats]  # (D, C): of all models so far
    seen: list[int]  # documents that are labeled, asked for or skipped

    @property
    def is_weighed(self) -> bool:
        """Whether the density has a say, and there is any."""
        return bool(self.power) and self.landscape.known

    def n_labels(self) -> Places:
        """How many labels each class has."""
        labels = self.model.labels
        number = dict(zip(labels.classes.tolist(), np.bincount(labels.code[labels.labeled]), strict=True))
        return np.array([number.get(name, 0) for name in self.model.classes.tolist()])

    def committee(self) -> Array:
        """(members, n, C): what models say that could as well have been learned from these labels."""
        return self.model.committee(self.left, _MEMBERS, self.rng)

    def of_views(self) -> list[Floats]:
        """What two views say of documents, whatever the model."""
        return self.landscape.said_by_views(self.model.labels, self.left)

    def weighed(self, scores: Scores) -> Scores:
        """Scores times a power of what a document stands for that none seen does, as far as it has a say.

        Of very many documents those are weighed that score highest; all others have minus infinity.
        """
        if not self.is_weighed:
            return scores
        scores = queries.from_zero(scores)
        some = highest(scores)
        found = np.full(len(scores), -np.inf)
        found[some] = scores[some] * self.landscape.cover(self.left[some], self.seen).news() ** self.power
        return found


@dataclass(frozen=True, slots=True)
class Rule:
    """How a strategy scores documents."""

    score: Callable[[Question], Scores]
    density: float = 0.0  # its power, where none is given
    weighed: bool = True  # whether scores are multiplied by it


def highest(scores: Scores) -> Places:
    """The places of the highest of very many scores."""
    return np.argsort(-scores, kind="stable")[:_WEIGHED]


@dataclass(slots=True)
class Auto:
    """What "auto" makes of a question: doubt, times need, times the root of what only a document stands for.

    That is what it stands for beyond those seen, to the power of the question, others counting by the square
    of their doubt. Of very many documents those are weighed that are worth most before that; all others have
    -1.
    """

    question: Question
    worth: Scores = field(init=False)  # the doubt, times the root of the need for labels of its class
    some: Places = field(init=False)
    cover: Cover | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        question = self.question
        doubt = queries.smallest_margin(question.chance)
        self.worth = doubt * np.sqrt(queries.need(question.chance, question.n_labels()))
        self.some = highest(self.worth)
        if question.is_weighed:
            of_all = np.zeros(question.landscape.n_documents)
            of_all[question.left] = doubt**2
            self.cover = question.landscape.cover(question.left[self.some], question.seen, of_all)

    def scores(self) -> Scores:
        """Of every open document."""
        if self.cover is None:
            return self.worth
        found = np.full(len(self.worth), -1.0)
        found[self.some] = self.worth[self.some] * self.cover.news() ** self.question.power
        return found

    def see(self, place: int) -> None:
        """One of the open documents is to be asked for."""
        where = np.flatnonzero(self.some == place)
        if self.cover is not None and len(where):
            self.cover.see(int(where[0]))


def _votes(members: Array) -> Floats:
    """(n, C): how many of (members, n, C) are for each class."""
    return np.asarray(np.eye(members.shape[2])[members.argmax(axis=2)].sum(axis=0))


def _expected(loss: str) -> Callable[[Question], Scores]:
    """What candidates are expected to save beside the worst of them; of all others minus infinity."""

    def score(question: Question) -> Scores:
        left, chosen = question.left, _candidates(question)
        judged = question.rng.permutation(left)[:_JUDGED]
        measure = partial(queries.expected_loss, loss=loss)
        losses = expected_losses(question.model, left[chosen], question.chance[chosen], judged, measure)
        return _saved(losses, chosen, len(left))

    return score


def _candidates(question: Question) -> Places:
    """The places of the open documents whose answers are supposed, the best of "auto"."""
    guesses = question.guesses if question.n > 1 else None  # a batch is of different classes
    return queries.select(Auto(question).scores(), max(_CANDIDATES, 3 * question.n), question.rng, guesses)


def _saved(losses: Floats, chosen: Places, number: int) -> Scores:
    """What the chosen of so many documents save beside the worst of them; of all others minus infinity."""
    scores = np.full(number, -np.inf)
    scores[chosen] = losses.max() - losses
    return scores


def _field_risk(question: Question) -> Scores:
    """What candidates are expected to save of the risk of the harmonic function beside the worst of them."""
    chosen = _candidates(question)
    risks = field_risks(question.landscape.graph, question.model.labels, question.left[chosen])
    return _saved(risks, chosen, len(question.left))


STRATEGIES = {
    "auto": Rule(lambda question: Auto(question).scores(), 0.5, weighed=False),
    "entropy": Rule(lambda question: queries.entropy(question.chance)),
    "least confidence": Rule(lambda question: queries.least_confidence(question.chance)),
    "margin": Rule(lambda question: queries.smallest_margin(question.chance)),
    "vote entropy": Rule(lambda question: queries.vote_entropy(question.votes()[question.left])),
    "topic entropy": Rule(lambda question: queries.entropy(question.model.topics(question.left))),
    "committee": Rule(lambda question: queries.disagreement(question.committee()), 1.0),
    "committee votes": Rule(lambda question: queries.vote_entropy(_votes(question.committee())), 1.0),
    "co-testing": Rule(lambda question: queries.contradiction(question.of_views())),
    "expected log loss": Rule(_expected("log"), 0.5, weighed=False),
    "expected error": Rule(_expected("zero-one"), 0.5, weighed=False),
    "field risk": Rule(_field_risk, 0.5, weighed=False),
    "random": Rule(lambda question: question.rng.uniform(size=len(question.left)), weighed=False),
}


def expected_losses(
    model: PoolModel, candidates: Documents, chance: Chances, judged: Documents, loss: Any
) -> Floats:
    """What the model expects to lose on the judged documents after the answer to each candidate.

    sum_y P(y|d) loss(P(.|judged) once d is of class y), over the classes that are not unlikely: the expected
    error of Roy and McCallum (2001).
    """
    supposed = model.suppose(judged)
    losses = np.empty(len(candidates))
    for place, document in enumerate(candidates.tolist()):
        likely = np.flatnonzero(chance[place] >= min(_UNLIKELY, chance[place].max()))
        share = chance[place][likely] / chance[place][likely].sum()
        after = (loss(supposed.after(document, int(of_class))) for of_class in likely)
        losses[place] = sum(part * lost for part, lost in zip(share, after, strict=True))
    return losses


def check_strategy(strategy: Any) -> dict[str, float]:
    """The strategies by name and their weights; none where it is a function."""
    if callable(strategy):
        return {}
    given = {strategy: 1.0} if isinstance(strategy, str) else strategy
    named = given if isinstance(given, Mapping) else {}
    wrong = [name for name in named if name not in STRATEGIES]
    if not named or wrong:
        raise ValueError(
            f"strategy == {wrong[0] if wrong else strategy!r}, but must be a function, one of "
            f"{list(STRATEGIES)}, or a dict of some of them and their weights."
        )
    check = partial(inputs.check_number, above=0.0)
    return {name: check(weight, f"the weight of {name!r}") for name, weight in named.items()}


def check_density(density: float | None, weights: Mapping[str, float]) -> float:
    """The power of the density, as given or as the strategies have it."""
    if density is not None:
        return inputs.check_number(density, "density")
    return max((STRATEGIES[name].density for name in weights), default=0.0)


def check_cost(cost: ArrayLike, n_documents: int) -> Floats:
    """A number above 0 for each document."""
    costs = np.asarray(cost)
    if costs.shape != (n_documents,) or costs.dtype.kind not in "biuf":
        found = f"shape {costs.shape} and type {costs.dtype}"
        raise ValueError(f"cost has {found}, but must be one number for each of the {n_documents} documents.")
    wrong = np.flatnonzero(~(costs > 0) | ~np.isfinite(costs))
    if len(wrong):
        raise ValueError(f"cost holds {costs[wrong[0]]} at {wrong[0]}; a cost must be finite and above 0.")
    return costs.astype(np.float64)


@dataclass(slots=True)
class Chooser:
    """Chooses the documents that a session asks for, some of them at random."""

    session: Session
    pool: RememberedPool
    landscape: Landscape
    strategy: Strategy
    density: float
    cost: Floats | None
    random_share: float
    random_state: int
    wanted: Any = None  # the class that "auto" looks for; None: it asks what teaches most
    weights: dict[str, float] = field(init=False)
    _reserved: list[int] = field(init=False)  # documents to be drawn, in their order
    _guessed: dict[str, _Guesses] = field(init=False)  # of models that chose, by what had happened before

    def __post_init__(self) -> None:
        self.weights = check_strategy(self.strategy)
        # A part of all documents that are open, whatever is asked later.
        left = self.session.open()
        shuffled = np.random.RandomState(self.random_state).permutation(left).tolist()
        if self.session.ids is not None and self.random_share:  # the same, wherever documents stand
            lot = {place: digest([self.random_state, self.session.ids[place]]) for place in shuffled}
            shuffled.sort(key=lot.__getitem__)
        self._reserved = shuffled[: int(np.ceil(self.random_share * len(left)))]
        self._guessed = {}

    def choose(self, n: int) -> tuple[list[int], list[int]]:
        """Documents to ask for, and those of them that are drawn at random, which come last."""
        session = self.session
        left = session.open()
        left = left[~np.isin(left, session.pending)]
        # The seed of a question depends on what was answered before, not on how often it was asked.
        rng = np.random.RandomState([self.random_state, len(session.history)])
        n = min(n, len(left))
        if [*self.weights] == ["random"]:
            drawn = rng.permutation(left)[:n].tolist()
            return drawn, drawn
        still = set(left.tolist()) if self._reserved else set()
        kept = [place for place in self._reserved if place in still]
        due = int(self.random_share * (session.n_asked + n)) - int(self.random_share * session.n_asked)
        others = left[~np.isin(left, kept)]
        chosen = self._chosen(others, n - len(kept[:due]), rng)
        drawn = kept[: n - len(chosen)]  # all of them where no others are left
        return chosen + drawn, drawn

    def _chosen(self, left: Documents, n: int, rng: np.random.RandomState) -> list[int]:
        """The documents that are most worth asking for."""
        if min(n, len(left)) == 0:
            return []
        labels, model, chance = self.shown(self.session.coded()), None, None
        seen = [place for place, label in enumerate(self.session.labels) if label is not None]
        seen += [*self.session.skipped, *self.session.pending]
        if self.wanted is not None and self.landscape.known and [*self.weights] == ["auto"]:
            if self.wanted not in labels.classes.tolist():
                return self._typical(left, seen, n, rng)
            scores = queries.from_zero(likely_wanted(self.landscape.vectors, labels, self.wanted))
            return left[queries.select(self._per_cost(scores[left], left), n, rng)].tolist()
        try:
            model = self.pool.learn(labels)
            chance = None if model is None else model.chances(left)
        except ValueError as error:  # some estimators say so where too little is known
            inputs.warn(
                f"{self.pool.name} cannot learn from {labels.labeled.sum()} labels yet ({error}); documents "
                "that stand for others are asked for instead."
            )
        if model is None or chance is None:
            return self._typical(left, seen, n, rng)
        guesses, votes = chance.argmax(axis=1), partial(self.votes, model)
        settings = rng, self.landscape, self.density, votes, seen
        question = Question(model, chance, guesses, left, n, *settings)
        if [*self.weights] == ["auto"]:
            return self._one_by_one(question)
        return left[queries.select(self._per_cost(self._scores(question), left), n, rng, guesses)].tolist()

    def _one_by_one(self, question: Question) -> list[int]:
        """The documents that "auto" asks for, each standing for what those before it do not.

        Every next one is of those whose guessed class the batch has least of.
        """
        auto, left, guesses = Auto(question), question.left, question.guesses
        free, taken = np.ones(len(left), dtype=bool), np.zeros(question.chance.shape[1], dtype=np.intp)
        chosen: list[int] = []
        while len(chosen) < min(question.n, len(left)):
            scores = self._per_cost(auto.scores(), left)
            rare = taken[guesses] == taken[guesses[free]].min()
            best = int(queries.select(np.where(free & rare, scores, -np.inf), 1, question.rng)[0])
            chosen.append(int(left[best]))
            free[best] = False
            taken[guesses[best]] += 1
            auto.see(best)
        return chosen

    def _typical(self, left: Documents, seen: list[int], n: int, rng: np.random.RandomState) -> list[int]:
        """Documents that stand for most others which none stands for yet; any where documents lie nowhere.

        Of very many documents some are tried.
        """
        shuffled = rng.permutation(left)
        if not self.landscape.known:
            return shuffled[:n].tolist()
        tried = shuffled[:_WEIGHED]
        cover = self.landscape.cover(tried, seen)
        chosen: list[int] = []
        for _ in range(min(n, len(tried))):
            scores = self._per_cost(cover.news(), tried)
            scores[chosen] = -1.0
            chosen.append(int(scores.argmax()))
            cover.see(chosen[-1])
        return [*tried[chosen].tolist(), *shuffled[_WEIGHED:][: n - len(chosen)].tolist()]

    def _per_cost(self, scores: Scores, documents: Documents) -> Scores:
        """Scores for a unit of cost, where labels have one."""
        return (
            scores if self.cost is None else queries.per_cost(queries.from_zero(scores), self.cost[documents])
        )

    def _scores(self, question: Question) -> Scores:
        """How much each document is worth asking for."""
        if callable(self.strategy):
            own = inputs.check_scores(self.strategy(question.chance))
            if len(own) != len(question.left):
                raise ValueError(f"strategy gave {len(own)} scores for {len(question.left)} documents.")
            return question.weighed(own)
        several = {name: STRATEGIES[name].score(question) for name in self.weights}
        for name, scores in several.items():
            if STRATEGIES[name].weighed:
                several[name] = question.weighed(scores)
        return queries.combined(several, self.weights) if len(several) > 1 else several.popitem()[1]

    def shown(self, labels: Labels) -> Labels:
        """What the model that asks may know: not the labels of drawn documents, but that there is a class."""
        code = labels.code.copy()
        code[list(self.session.drawn)] = UNLABELED
        met = set(np.unique(code).tolist())
        for place in self.session.told:
            if place in self.session.drawn and int(labels.code[place]) not in met:
                code[place] = labels.code[place]
                met.add(int(labels.code[place]))
        return with_codes(labels, code)

    def votes(self, model: PoolModel) -> Floats:
        """Of all models that have chosen a question and knew the present classes, and of the present one."""
        everyone = np.arange(self.session.n_documents)
        # What was taken back, amended or withdrawn gives another past, and so another model.
        labels, asked, past = list(self.session.initial), [], ""
        for event in self.session.history:
            if event.kind == "query":
                asked.append(past)
                if past not in self._guessed:
                    shown = self.pool.learn(self.shown(coded(labels)), keep=False)
                    self._guessed[past] = _guesses(shown, everyone)
            for index, label in zip(event.indices, event.labels, strict=False):
                labels[index] = label
            past = digest([past, event])
        asked.append(past)  # of the question that is being chosen
        self._guessed[past] = _guesses(model, everyone)
        votes = np.zeros((len(everyone), len(model.classes)))
        for guess in map(self._guessed.get, asked):
            if guess is not None and guess[0] == model.classes.tolist():
                votes[everyone, guess[1]] += 1
        return votes


def _guesses(model: PoolModel | None, documents: Documents) -> _Guesses:
    """The classes that a model knows, and which of them it takes documents for."""
    return None if model is None else (model.classes.tolist(), model.chances(documents).argmax(axis=1))
