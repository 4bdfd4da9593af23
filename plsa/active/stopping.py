"""How far a session has come: how good the guesses are, and whether answers still change them."""

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

import numpy as np
from scipy.stats import binomtest, norm
from sklearn.metrics import cohen_kappa_score

from plsa.active.choosing import RememberedPool
from plsa.active.pool import without
from plsa.active.session import Session
from plsa.engine.parameters import Array, Codes, Floats
from plsa.inputs import counted
from plsa.labels.reading import UNLABELED

_WINDOW = 20  # answers between two models whose guesses are compared
_WINDOWS = 3  # that have to agree
_STEADY = 0.98  # Cohen's kappa of guesses that hardly change any more
_FOLDS = 5
_LEVEL = 0.95  # of the intervals of accuracy and macro-F1
_RESAMPLES = 2000  # of the documents that macro-F1 is judged by
_SHOWN = 8  # classes whose labels are counted one by one in what is to be read


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
    macro_f1: float | None = None  # of the documents that the accuracy is judged by; None where that is
    macro_f1_low: float | None = None
    macro_f1_high: float | None = None
    # Labels of each class, the most frequent first; 0 of one that is only declared.
    answers: dict[Any, int] = field(default_factory=dict)
    # The share of open documents whose class nobody has met; None before any answer.
    unmet: float | None = None
    unmet_low: float | None = None
    unmet_high: float | None = None

    def __str__(self) -> str:
        if self.accuracy is None:
            accuracy = f"accuracy: not known, {self.unknown}"
        else:
            accuracy = (
                f"accuracy: {self.accuracy:.0%}, {_LEVEL:.0%} from {self.low:.0%} to {self.high:.0%} "
                f"({counted(self.n_drawn, 'random document')})"
            )
        lines = [f"labels: {self.n_labels}, documents to ask for: {self.n_open}"]
        if self.answers:
            lines.append(f"labels by class: {_shown(self.answers)}")
        if self.unmet is not None:
            number, low, high = (
                round(share * self.n_open)
                for share in (self.unmet, self.unmet_low or 0.0, self.unmet_high or 0.0)
            )
            found = f"{counted(number, 'document')}, {_LEVEL:.0%} from {low} to {high}"
            chosen = "" if self.n_drawn else " (too many, as questions were chosen)"
            lines.append(f"of classes that nobody has met: about {found}{chosen}")
        lines.append(accuracy)
        if self.macro_f1 is not None:
            interval = f"{_LEVEL:.0%} from {self.macro_f1_low:.2f} to {self.macro_f1_high:.2f}"
            lines.append(f"macro-F1: {self.macro_f1:.2f}, {interval}")
        agreement = ", ".join(f"{kappa:.3f}" for kappa in self.agreement) or "not known yet"
        lines.append(f"agreement of guesses {_WINDOW} answers apart: {agreement}")
        return "\n".join([*lines, self.suggestion])


def _shown(answers: dict[Any, int]) -> str:
    """How many labels the first classes have, and all others together."""
    first = [f"{name}: {number}" for name, number in islice(answers.items(), _SHOWN)]
    others = [*answers.values()][_SHOWN:]
    if others:
        first.append(f"{counted(len(others), 'other class', 'other classes')}: {sum(others)}")
    return ", ".join(first)


def status(session: Session, pool: RememberedPool, seed: int, random_share: float) -> Status:
    """How far a session has come, by the models of a pool, such a share of its questions being drawn."""
    accuracy = low = high = None
    macro: tuple[float | None, float | None, float | None] = None, None, None
    unknown = ""
    drawn = [place for place in session.told if place in session.drawn]
    if drawn and pool.learn(session.coded()) is not None:
        true, guess = _judged(session, pool, np.random.RandomState(seed).permutation(drawn))
        right = int(np.count_nonzero(true == guess))
        accuracy, low, high = _share(right, len(drawn))
        macro = _macro_f1(true, guess, np.random.RandomState(seed))
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
    known = n_labels, n_open, len(drawn), accuracy, low, high, agreement, stop, suggestion, unknown
    return Status(*known, *macro, _answers(session), *_unmet(session, drawn))


def _share(part: int, number: int) -> tuple[float, float, float]:
    """A share and its interval."""
    interval = binomtest(part, number).proportion_ci(_LEVEL, method="wilson")
    return part / number, float(interval.low), float(interval.high)


def _unmet(session: Session, drawn: list[int]) -> tuple[float, float, float] | tuple[()]:
    """How probable it is that the class of a document has no label yet, and its interval.

    It is the share of answers to random questions whose class no other document is labeled with (Good, "The
    Population Frequencies of Species", Biometrika 1953). The interval is Wilson's, or that of Esty ("A Normal
    Limit Law for a Nonparametric Estimator of the Coverage of a Random Sample", Annals of Statistics 1983)
    where it is wider: est +- z sqrt((n_1 (1 - n_1 / n) + n_2) / n^2), n_k answers being of classes with k
    labels. Without random questions all answers are taken, which is too many: what is new is asked for first.
    """
    number = Counter(session.labels)
    labels = [number[session.labels[place]] for place in drawn or session.told]
    if not labels:
        return ()
    once, n = labels.count(1), len(labels)
    share, low, high = _share(once, n)
    half = norm.ppf((1 + _LEVEL) / 2) * math.sqrt(once * (1 - share) + labels.count(2)) / n
    return share, max(0.0, min(low, share - half)), min(1.0, max(high, share + half))


def _answers(session: Session) -> dict[Any, int]:
    """How many labels each class has, the most frequent first, equals in the order of classes."""
    number = Counter(session.labels)
    return {name: number[name] for name in sorted(session.classes().tolist(), key=lambda name: -number[name])}


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


def _judged(session: Session, pool: RememberedPool, drawn: Array) -> tuple[Codes, Codes]:
    """The classes of these documents, and what models guess that do not know them: UNLABELED if no class."""
    labels = session.coded()
    code_of = {name: code for code, name in enumerate(labels.classes.tolist())}
    guesses = np.full(len(labels.code), UNLABELED, dtype=np.int32)
    for part in np.array_split(drawn, min(_FOLDS, len(drawn))):
        model = pool.learn(without(labels, part), keep=False)
        if model is not None:
            guesses[part] = [code_of.get(name, UNLABELED) for name in model.guesses(part).tolist()]
    return labels.code[drawn], guesses[drawn]


def _macro_f1(true: Codes, guess: Codes, rng: np.random.RandomState) -> tuple[float, float, float]:
    """Macro-F1 of guesses, and its interval: the percentiles of what documents drawn from these ones have.

    Where all are right, so is all that is drawn: its lower end is then that of the accuracy.
    """
    if np.array_equal(true, guess):
        return _share(len(true), len(true))
    # Documents of one class and guess are the same here, whatever their order.
    (true, guess), number = np.unique([true, guess], axis=1, return_counts=True)
    drawn = rng.multinomial(number.sum(), number / number.sum(), size=_RESAMPLES)
    ends = np.quantile(macro_f1(true, guess, drawn), [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(macro_f1(true, guess, number)), float(ends[0]), float(ends[1])


def macro_f1(true: Codes, guess: Codes, number: Array) -> Floats:
    """Macro-F1 where so many documents of a class have a guess; (..., n) numbers give as many of it.

    F1 = 2 TP / (2 TP + FP + FN) of a class: TP + FN are its documents, TP + FP those that are taken for it.
    It is the mean over the classes that have a document; others are left out, though some are guessed.
    """
    classes = np.unique(true)
    of_class, taken = ((each[:, np.newaxis] == classes).astype(np.float64) for each in (true, guess))
    size = number @ of_class
    f1 = 2 * (number @ (of_class * taken)) / np.maximum(size + number @ taken, 1)
    return np.asarray(f1.sum(axis=-1) / (size > 0).sum(axis=-1))


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
