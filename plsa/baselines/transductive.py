"""The transductive support vector machine of Joachims (1999)."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from plsa.baselines.choices import best_setting
from plsa.baselines.vectors import DecidingVectors, Matrix
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats, Mask, Places
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import LINEAR
from plsa.inputs import is_auto, warn
from plsa.labels.reading import Labels
from plsa.learning.parts import DECISION, Parts, linear_parts

_USUAL = 1.0
_COSTS = (_USUAL, 0.3, 3.0)  # that "auto" chooses from, of equals the first
_FASTER = 10.0  # by which the costs of guesses grow; Joachims has 2
_PASSES = 5000  # of liblinear, at most


@estimator
class TransductiveSVM(DecidingVectors):
    """Transductive support vector machine: guesses of the labels that are missing, by the widest margin.

    For each class a linear machine s(x) = w x + b against the rest, and signs t of the documents without a
    label, so that

        |w|^2 / 2 + C sum_labeled max(0, 1 - t s(x)) + C* sum_unlabeled max(0, 1 - t s(x))

    is small. A machine of the labels alone ranks the unlabeled documents, and as large a share of them as of
    the labeled ones has t = 1: that share stays. What their slacks cost grows from `first_cost` to C* =
    unlabeled_weight * C, those with t = 1 and with t = -1 in proportion to their numbers until then. At each
    cost a document with t = 1 and one with t = -1 switch where their slacks add up to more than 2, which
    lowers the objective, and the machine is learned anew until there is no such pair. The class of a document
    is that of the highest score.

    Notes
    -----
    Joachims switches one pair, and learns anew. Here the worst document with t = 1 is paired with the worst
    with t = -1, the second with the second and so on, and all such pairs switch at once: under one machine
    every slack is its own document's, so that each pair lowers the objective as it would alone. Costs grow
    tenfold instead of twofold. As in liblinear, b^2 is part of |w|^2. Of two classes there is one machine.

    References
    ----------
    T. Joachims, "Transductive Inference for Text Classification using Support Vector Machines", ICML 1999.
    Algorithm 1 of Krithara's thesis (2008).

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import TransductiveSVM
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = TransductiveSVM().fit(counts, ["food", None, None, None, "sport", None, None])
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    C : float > 0 or "auto"
        What a slack costs beside the margin. "auto": 1, 0.3 or 3, whichever has most labels right that are
        held out, and without a label meanwhile; 1 where labels are too few.
    unlabeled_weight : float > 0
        How much a slack of an unlabeled document costs in the end, beside one of a labeled document: C* / C.
    first_cost : float > 0
        What a slack of a document with t = -1 and no label costs at first.
    most_rounds : int >= 1
        Most times that documents switch at one cost.
    """
    _attributes: ClassVar[str] = """
    coef_ : (n_machines, n_features) array
        The weights of words, of a machine in a row: one for each class that has an example, in the order of
        `classes_`. Of two classes there is one machine, above 0 for the second; of one there is none.
    intercept_ : (n_machines,) array
        What is added to the products.
    C_ : float
        What C was, or was chosen to be.
    n_iter_ : int
        Machines trained, of all classes, once C was known.
    guesses_
    """

    C: Any = 1.0
    _: KW_ONLY
    unlabeled_weight: float = 1.0
    first_cost: float = 1e-4
    most_rounds: int = 20

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        def scores(matrix: Matrix, shown: Labels, cost: float) -> Floats:
            return self._machines(matrix, shown, cost).scores(matrix)

        cost = best_setting(matrix, labels, _COSTS, _USUAL, scores) if is_auto(self.C) else float(self.C)
        found = self._machines(matrix, labels, cost)
        if not found.settled:
            name = f"{type(self).__name__} with C == {cost:g} has a machine that did not settle"
            warn(f"{name} in {_PASSES} passes of liblinear: pass a smaller C.", ConvergenceWarning)
        guess = np.where(labels.labeled, labels.code, found.scores(matrix).argmax(axis=1))
        return {
            "coef_": found.weights,
            "intercept_": found.intercepts,
            "C_": cost,
            "n_iter_": found.n_trained,
            "guesses_": labels.classes[guess],
        }

    def _machines(self, matrix: Matrix, labels: Labels, cost: float) -> "Machines":
        n_classes = len(labels.classes)
        others = Switching(
            cost, float(self.unlabeled_weight) * cost, float(self.first_cost), self.most_rounds
        )
        against = range(n_classes) if n_classes > 2 else range(1, n_classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of the last machines it is told
            found = [others.machine(matrix, labels.code == code, labels.labeled) for code in against]
        weights = np.vstack([np.empty((0, matrix.shape[1])), *(machine.coef_ for machine, _ in found)])
        intercepts = np.concatenate([np.empty(0), *(machine.intercept_ for machine, _ in found)])
        settled = all(machine.n_iter_ < _PASSES for machine, _ in found)
        return Machines(weights, intercepts, sum(n_trained for _, n_trained in found), settled)

    def _vector_scores(self, matrix: Matrix) -> Floats:
        return Machines(self.coef_, self.intercept_).scores(matrix)

    def _parts(self, counts: Counts) -> Parts:
        return Machines(self.coef_, self.intercept_).parts(self._vectors(counts))


@dataclass(frozen=True, slots=True)
class Machines:
    """A machine for each class against the rest; of two classes one, of one class none."""

    weights: Floats  # (machines, W)
    intercepts: Floats
    n_trained: int = 0  # of all classes
    settled: bool = True

    def scores(self, matrix: Matrix) -> Floats:
        """(D, C): the first of two classes, or the only one, has 0."""
        scores = matrix @ self.weights.T + self.intercepts
        return scores if scores.shape[1] > 1 else np.pad(scores, ((0, 0), (1, 0)))

    def parts(self, matrix: Matrix) -> Parts:
        """The same of one document, taken apart."""
        room = 0 if len(self.weights) > 1 else 1
        weights, intercepts = np.pad(self.weights.T, ((0, 0), (room, 0))), np.pad(self.intercepts, (room, 0))
        return linear_parts(DECISION, LINEAR, matrix, weights, intercepts)


@dataclass(frozen=True, slots=True)
class Switching:
    """How the labels of one class against the rest are guessed."""

    cost: float  # of a slack where there is a label
    last_cost: float  # of a slack where there is none, in the end
    first_cost: float
    most_rounds: int

    def machine(self, matrix: Matrix, positive: Mask, told: Mask) -> tuple[LinearSVC, int]:
        """The machine, and how many were trained; whether a document is positive is known if it is told."""
        sign = np.where(positive, 1, -1)
        cost = np.full(len(sign), self.cost)
        machine = LinearSVC(loss="hinge", C=1.0, max_iter=_PASSES, random_state=0)
        machine.fit(matrix[told], sign[told], sample_weight=cost[told])
        untold, n_trained = np.flatnonzero(~told), 1
        if not len(untold):
            return machine, n_trained
        least = min(1, len(untold) - 1)  # of each sign, where there are two documents
        n_positive = int(np.clip(round(np.mean(positive[told]) * len(untold)), least, len(untold) - least))
        ranked = untold[np.argsort(-machine.decision_function(matrix[untold]), kind="stable")]
        sign[ranked[:n_positive]] = 1
        balance, now = max(1, n_positive) / max(1, len(untold) - n_positive), self.first_cost
        while True:
            for _ in range(self.most_rounds):
                cost[untold] = np.minimum(np.where(sign[untold] == 1, now * balance, now), self.last_cost)
                machine.fit(matrix, sign, sample_weight=cost)
                n_trained += 1
                switching = untold[switched(sign[untold], machine.decision_function(matrix[untold]))]
                if not len(switching):
                    break
                sign[switching] *= -1
            if min(now, now * balance) >= self.last_cost:
                return machine, n_trained
            now *= _FASTER


def switched(sign: Places, score: Floats) -> Places:
    """The documents of all pairs, the worst of one sign with the worst of the other, with slacks above 2."""
    slack = np.maximum(0.0, 1.0 - sign * score)
    positive, negative = (side[np.argsort(-slack[side], kind="stable")] for side in _sides(sign))
    n_pairs = min(len(positive), len(negative))
    positive, negative = positive[:n_pairs], negative[:n_pairs]
    both = (slack[positive] > 0) & (slack[negative] > 0) & (slack[positive] + slack[negative] > 2)
    return np.concatenate([positive[both], negative[both]])


def _sides(sign: Places) -> tuple[Places, Places]:
    return np.flatnonzero(sign == 1), np.flatnonzero(sign == -1)
