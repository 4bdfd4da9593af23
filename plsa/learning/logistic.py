"""Multinomial logistic regression, taught by documents with a label and by those without one.

P(c|x) = softmax(x B)_c, without intercepts. What is made small is |B|^2 / (2 C) and a loss of the scores X B,
by L-BFGS, whatever the loss: surprise at labels, entropy where there are none, surprise at guesses that may
be wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from plsa.engine.parameters import Codes, Floats
from plsa.labels.reading import Labels

Value = tuple[float, Floats]  # of a function, and its slope
Loss = Callable[[Floats], Value]  # of log-probabilities (D, C); the slope is in scores
_LOOKS = 50  # at most, in one step of L-BFGS
_CLOSE, _STEPS = 1e-7, 1000  # of EM for P(guess|class): no entry moves more; at most


def probability(matrix: sparse.csr_array, weights: Floats) -> Floats:
    """(D, C): P(class|document)."""
    return np.asarray(softmax(matrix @ weights, axis=1))


def objective(matrix: sparse.csr_array, loss: Loss, C: float) -> Callable[[Floats], Value]:
    """|B|^2 / (2 C) + loss, and its slope, as a function of the weights B in a row."""
    columns = matrix.T.tocsr()

    def of_weights(row: Floats) -> Value:
        weights = row.reshape(matrix.shape[1], -1)
        value, pull = loss(np.asarray(log_softmax(matrix @ weights, axis=1)))
        slope = columns @ pull + weights / C
        return value + float(row @ row) / (2 * C), slope.ravel()

    return of_weights


@dataclass(frozen=True, slots=True)
class Descent:
    """Where L-BFGS has led."""

    weights: Floats  # (W, C)
    value: float  # of the objective
    n_iter: int
    settled: bool


def descend(
    matrix: sparse.csr_array, loss: Loss, start: Floats, C: float, max_iter: int, tol: float
) -> Descent:
    """L-BFGS from weights (W, C): where it ends the objective is no higher than there.

    It has settled when a step lowers the objective by no more than `tol` times itself.
    """
    limits = {"maxiter": max_iter, "maxfun": _LOOKS * max_iter, "ftol": tol, "gtol": 0.0}
    found = minimize(objective(matrix, loss, C), start.ravel(), jac=True, method="L-BFGS-B", options=limits)
    settled = found.nit < max_iter
    return Descent(found.x.reshape(start.shape), float(found.fun), int(found.nit), settled)


def with_others(labels: Labels, others: Loss, weight: float = 1.0) -> Loss:
    """The surprise at labels, plus `weight` times a loss of the documents without one."""
    known = labels.labeled
    of_labels = partial(surprise, labels.code[known])

    def loss(log_p: Floats) -> Value:
        slope = np.empty_like(log_p)
        value, slope[known] = of_labels(log_p[known])
        other, slope[~known] = others(log_p[~known])
        slope[~known] *= weight
        return value + weight * other, slope

    return loss


def surprise(code: Codes, log_p: Floats) -> Value:
    """-sum_d log p[d, code[d]]."""
    rows = np.arange(len(code))
    slope = np.exp(log_p)
    slope[rows, code] -= 1
    return -float(log_p[rows, code].sum()), slope


def entropy(log_p: Floats) -> Value:
    """H = -sum_d sum_c p log p; the slope of a document is -p_c (log p_c + H)."""
    p = np.exp(log_p)
    terms = p * log_p
    of_documents = terms.sum(axis=1, keepdims=True)
    return -float(of_documents.sum()), p * of_documents - terms


def surprise_at_guesses(guess: Codes, mislabeling: Floats, log_p: Floats) -> Value:
    """-sum_d log sum_h P(guess[d]|h) p[d, h]; the slope is p less what p is once the guess is known."""
    p = np.exp(log_p)
    both = mislabeling[guess] * p
    total = np.maximum(both.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return -float(np.log(total).sum()), p - both / total


def learned_mislabeling(guess: Codes, p: Floats, start: Floats) -> Floats:
    """The P(guess|class), columns sum to one, that makes the guesses most likely: by EM from a start.

    They are ever more likely from step to step; what is 0 stays 0.
    """
    found = start
    for _ in range(_STEPS):
        both = found[guess] * p
        both /= np.maximum(both.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        expected = np.zeros_like(found)
        np.add.at(expected, guess, both)
        total = expected.sum(axis=0)
        before, found = found, np.where(total > 0, expected / np.where(total > 0, total, 1.0), found)
        if np.abs(found - before).max() <= _CLOSE:
            break
    return found
