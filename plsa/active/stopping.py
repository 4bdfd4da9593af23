"""How far a session has come: how good the guesses are, and whether answers still change them."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from plsa.active.choosing import RememberedPool
from plsa.active.pool import without
from plsa.active.session import Session
from plsa.engine.parameters import Array
from plsa.inputs import counted

_WINDOW = 20  # answers between two models whose guesses are compared
_WINDOWS = 3  # that have to agree
_STEADY = 0.98  # Cohen's kappa of guesses that hardly change any more
_FOLDS = 5
_LEVEL = 0.95  # of the interval of the accuracy


@dataclass(frozen=True, slots=True)
class Status:
    """How far a session has come; shows itself as a few lines to read."""

    n_labels: int
    n_open: int  # documents that could still be asked for
    n_drawn: int  # answered documents that were drawn at random
    accuracy: float | None  # on new documents like these; None where nothing is known of it
    low: float | None
    high: float | None
    agreement: list[float]  # kappa of the guesses of models 20 answers apart, the latest last
    stop: bool
    suggestion: str
    unknown: str = ""  # why the accuracy is not known

    def __str__(self) -> str:
        if self.accuracy is None:
            accuracy = f"accuracy: not known, {self.unknown}"
        else:
            accuracy = (
                f"accuracy: {self.accuracy:.0%}, {_LEVEL:.0%} from {self.low:.0%} to {self.high:.0%} "
                f"({counted(self.n_drawn, 'random document')})"
            )
        agreement = ", ".join(f"{kappa:.3f}" for kappa in self.agreement) or "not known yet"
        return (
            f"labels: {self.n_labels}, documents to ask for: {self.n_open}\n{accuracy}\n"
            f"agreement of guesses {_WINDOW} answers apart: {agreement}\n{self.suggestion}"
        )


def status(session: Session, pool: RememberedPool, seed: int, random_share: float) -> Status:
    """How far a session has come, by the models of a pool, such a share of its questions being drawn."""
    accuracy = low = high = None
    unknown = ""
    drawn = [place for place in session.told if place in session.drawn]
    if drawn and pool.learn(session.coded()) is not None:
        right = _right(session, pool, np.random.RandomState(seed).permutation(drawn))
        interval = binomtest(right, len(drawn)).proportion_ci(_LEVEL, method="wilson")
        accuracy, low, high = right / len(drawn), float(interval.low), float(interval.high)
    else:
        unknown = _why_unknown(session, len(drawn), random_share)
    agreement = _agreement(session, pool)
    steady = len(agreement) == _WINDOWS and min(agreement) >= _STEADY
    n_open = len(session.open())
    if not n_open:
        suggestion = "stop: no document is left to ask for"
    elif steady:
        suggestion = f"stop: guesses have hardly changed for {_WINDOW * _WINDOWS} answers"
    elif len(agreement) < _WINDOWS:
        suggestion = f"go on: there are no models {_WINDOW * _WINDOWS} answers apart to compare yet"
    else:
        suggestion = "go on: answers still change the guesses"
    n_labels = sum(label is not None for label in session.labels)
    stop = steady or not n_open
    return Status(n_labels, n_open, len(drawn), accuracy, low, high, agreement, stop, suggestion, unknown)


def _why_unknown(session: Session, n_drawn: int, random_share: float) -> str:
    """What is missing that the accuracy could be told."""
    if n_drawn:
        waiting = f"{counted(n_drawn, 'random document')} wait{'s' if n_drawn == 1 else ''}"
        return f"as fewer than two classes have a label; {waiting} to be judged by"
    if not random_share:
        return "as no question is drawn at random: a session that begins with random_share=0.1, say, tells it"
    first, were = math.ceil(1 / random_share), "was" if session.n_asked == 1 else "were"
    where = f"the first is question {first}, and {session.n_asked} {were} asked"
    if session.n_asked >= first:
        where = "none of those that were asked is answered"
    return f"as it takes answers to questions drawn at random: with random_share={random_share:g} {where}"


def _right(session: Session, pool: RememberedPool, drawn: Array) -> int:
    """How many of these documents models guess that do not know their labels."""
    right = 0
    for part in np.array_split(drawn, min(_FOLDS, len(drawn))):
        model = pool.learn(without(session.coded(), part), keep=False)
        if model is not None:
            guesses = model.guesses(part).tolist()
            right += sum(session.labels[place] == guess for place, guess in zip(part, guesses, strict=True))
    return right


def _agreement(session: Session, pool: RememberedPool) -> list[float]:
    """Kappa of the guesses of models some answers apart on the open documents, the latest last."""
    left, told = session.open(), session.told
    guesses = []
    for back in range(0, min(len(told), _WINDOW * _WINDOWS) + 1, _WINDOW):
        labels = without(session.coded(), told[len(told) - back :]) if back else session.coded()
        model = pool.learn(labels, keep=back == 0)
        if model is None or not len(left):
            break
        guesses.append(model.guesses(left).astype(str))
    return [_kappa(old, new) for new, old in pairwise(guesses)][::-1]


def _kappa(old: Array, new: Array) -> float:
    """Cohen's kappa; 1 where both are one and the same class throughout."""
    return 1.0 if np.array_equal(old, new) else float(cohen_kappa_score(old, new))
