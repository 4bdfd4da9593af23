"""How labels go wrong: P(given label | true class), from what was said of documents without their labels."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from plsa.engine.parameters import Codes, Floats

# As if so many documents of every class were known to have gone wrong as labels do on the whole, to each
# other class alike: where a model takes one class for another, that is no proof that a label did. Found on
# four corpora with 10% of the labels turned, by kind and by chance: 20 takes too many confusions of models
# for errors, 1000 misses errors that go from one class to one other.
BELIEF = 300.0
FREE, ALIKE = 20.0, 1000.0  # the same, where as little or as much of it is believed as can be defended
_FIRST = 0.1  # the share of wrong labels to begin with
_MANY = 10.0  # documents: a share of wrong labels is believed to be about `_FIRST` as firmly as these say
_BELIEF_IN_STATED = 3.0  # that probabilities are as sharp as they are stated
_ROUNDS, _EVERY = 60, 4  # of EM, at most; and of them between two looks at the sharpness
_STILL = 1e-5  # no entry moves by more
_LEAST = 1e-12  # no probability counts as less


@dataclass(frozen=True, slots=True)
class LabelNoise:
    """What given labels have to do with true classes."""

    given_of_true: Floats  # (C, C): T[g, y] = P(given label g | true class y); columns sum to one
    sharpness: float  # the power t of what was said, that makes it P(true class | document)
    true: Floats  # (D, C): P(true class | document, its given label)
    code: Codes  # the given labels
    log_likelihood: float  # of these

    def right(self) -> Floats:
        """(D,): P(the given label is right)."""
        return self.true[np.arange(len(self.code)), self.code]

    def wrong(self, weights: Floats | None = None) -> float:
        """How many labels are wrong, as expected."""
        return float(np.sum(1 - self.right() if weights is None else weights * (1 - self.right())))


def learn_noise(
    probability: Floats,
    code: Codes,
    weights: Floats | None = None,
    *,
    belief: float = BELIEF,
    sharpness: float | None = None,
    rounds: int = _ROUNDS,
) -> LabelNoise:
    """The noise of labels, given what models said of documents whose labels they had not learned from.

    With p(y|d) as said and q(y|d) ~ p(y|d)^t, a label g is given with probability sum_y q(y|d) T[g, y], and

        P(true class y | d, g) ~ q(y|d) T[g, y].

    T and t make the given labels likely: T by EM, T[g, y] ~ N[g, y] + belief * S[g, y], where N[g, y] is the
    expected number of documents of class y with label g, and S has the share e of wrong labels in all classes
    alike, e / (C - 1) off the diagonal and 1 - e on it. t by a search every few rounds, drawn toward 1, but
    where it is given (`sharpness`).
    """
    n_classes = probability.shape[1]
    each = np.ones(len(code)) if weights is None else weights
    log_p = np.log(np.maximum(probability, _LEAST))
    same = np.eye(n_classes, dtype=bool)

    def alike(share: float) -> Floats:
        return np.where(same, 1 - share, share / max(n_classes - 1, 1))

    def likely(power: float) -> Floats:
        return _sharpened(log_p, power)

    table = alike(_FIRST if n_classes > 1 else 0.0)
    power = 1.0 if sharpness is None else sharpness
    said = likely(power)
    for turn in range(1, rounds + 1):
        true = said * table[code]
        true *= (each / true.sum(axis=1))[:, np.newaxis]
        number = np.zeros((n_classes, n_classes))
        np.add.at(number, code, true)
        total = number.sum()
        share = (total - np.trace(number) + _FIRST * _MANY) / (total + _MANY) if n_classes > 1 else 0.0
        before, table = table, (number + belief * alike(share)) / (number.sum(axis=0) + belief)
        still = np.abs(table - before).max() < _STILL
        if sharpness is None and (turn % _EVERY == 0 or still or turn == rounds):

            def loss(log_t: float) -> float:
                given = np.einsum("dy,dy->d", likely(float(np.exp(log_t))), table[code])  # noqa: B023
                return float(_BELIEF_IN_STATED * log_t**2 - np.sum(each * np.log(given)))

            sharper = float(np.exp(np.round(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x, 3)))
            still = still and sharper == power
            power, said = sharper, likely(sharper)
        if still:
            break
    true = said * table[code]
    total = true.sum(axis=1, keepdims=True)
    log_likelihood = float(np.sum(each * np.log(total[:, 0])))
    return LabelNoise(table, power, true / total, code, log_likelihood)


def _sharpened(log_p: Floats, power: float) -> Floats:
    """p^power / sum p^power, row by row."""
    raised = log_p * power
    raised -= raised.max(axis=1, keepdims=True)
    np.exp(raised, out=raised)
    raised /= raised.sum(axis=1, keepdims=True)
    return raised
