"""Logistic classification EM, with a model of its mistakes and without, after Amini and Gallinari."""

from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from plsa.baselines.logistic import LogisticVectors
from plsa.baselines.vectors import Matrix
from plsa.engine.parameters import Floats
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.inputs import warn
from plsa.labels.reading import Labels
from plsa.learning.logistic import (
    learned_mislabeling,
    objective,
    probability,
    surprise_at_guesses,
    with_others,
)


@estimator
class ClassificationEM(LogisticVectors):
    """Logistic regression that takes its own guesses for labels, guesses anew and so on.

    From the regression of the labels on, in turn: every document without a label gets its most probable
    class, z, as a guess; the regression learns from labels and guesses, from where it stands. Either raises

        sum_labeled log P(y|x) + sum_unlabeled log P(z|x) - |B|^2 / (2 C),

    until a round gains next to nothing.

    References
    ----------
    M.-R. Amini and P. Gallinari, "The Use of Unlabeled Data to Improve Supervised Learning for Text
    Summarization", SIGIR 2002. J.-N. Vittaut, M.-R. Amini and P. Gallinari, "Learning Classification with
    Both Labeled and Unlabeled Data", ECML 2002. Section 2.3.1 of Krithara's thesis (2008).

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import ClassificationEM
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = ClassificationEM().fit(counts, ["food", None, None, None, "sport", None, None])
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    tol : float >= 0
        It has settled when a round gains no more than this share of the objective, and L-BFGS, in a round,
        when a step does so.
    most_rounds : int >= 1
        Most times that it guesses and learns.
    """
    _attributes: ClassVar[str] = """
    objective_trace_ : array
        The objective before each round's learning, and at the end.
    n_iter_ : int
        Rounds.
    """

    _: KW_ONLY
    most_rounds: int = 100

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        # A guess that is certainly right: what is learned of guesses keeps it so.
        return self._climb(matrix, labels, np.eye(len(labels.classes)))[0]

    def _climb(self, matrix: Matrix, labels: Labels, mislabeling: Floats) -> tuple[Fitted, Floats]:
        """What there is to tell in the end, P(guess|class) beside it; that is `mislabeling` to begin with."""
        others, weights = matrix[~labels.labeled], self._of_labels(matrix, labels).weights
        trace: list[float] = []
        while True:
            guess = (probability(others, weights) @ mislabeling.T).argmax(axis=1).astype(np.int32)
            loss = with_others(labels, partial(surprise_at_guesses, guess, mislabeling))
            trace.append(-objective(matrix, loss, float(self.C))(weights.ravel())[0])
            settled = len(trace) > 1 and trace[-1] - trace[-2] <= self.tol * max(1.0, abs(trace[-1]))
            if settled or len(trace) > self.most_rounds:
                break
            weights = self._descend(matrix, loss, weights).weights
            mislabeling = learned_mislabeling(guess, probability(others, weights), mislabeling)
        if not settled:
            name = f"{type(self).__name__} did not settle in most_rounds == {self.most_rounds} rounds"
            warn(f"{name}; raise most_rounds or tol.", ConvergenceWarning)
        found = {"objective_trace_": np.array(trace), "n_iter_": len(trace) - 1}
        return found | self._found(weights, matrix, labels), mislabeling


@estimator
class MislabelingLogistic(ClassificationEM):
    """Logistic regression that learns from its own guesses, and how often they are wrong.

    A document of class h gets the guess z with probability a[z, h] = P(z|h), whatever its words. From the
    regression of the labels on, in turn: every document without a label gets the z that maximizes
    sum_h a[z, h] P(h|x); the regression learns from labels and guesses, from where it stands; a is learned,
    by EM. Each of these raises

        sum_labeled log P(y|x) + sum_unlabeled log sum_h a[z, h] P(h|x) - |B|^2 / (2 C),

    until a round gains next to nothing. Documents are classified by P(h|x).

    Notes
    -----
    The thesis starts a at random, which `init="random"` does, each column evenly among all distributions.
    Guesses then need not have to do with the classes that they are called by, and all of them may be one:
    with a[z, h] = 1 for every h such guesses cost nothing, and teach nothing. That is worse by 4 to 31 points
    than `init="diagonal"`: half the identity, half even (WebKB and Reuters-7, 1% and 5% labels, two splits of
    each). From there a soon is all but the identity, and what is learned is next to that of
    `ClassificationEM`. The thesis has no regularization, and P(guess = h|x) for P(h|x) in its formulas.

    References
    ----------
    M.-R. Amini and P. Gallinari, "Semi-Supervised Learning with Explicit Misclassification Modeling", IJCAI
    2003. Algorithm 10 of Krithara's thesis (2008).

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import MislabelingLogistic
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = MislabelingLogistic().fit(counts, ["food", None, None, None, "sport", None, None])
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    init : {"diagonal", "random"}
        Where P(guess|class) starts: half at right guesses and half even, or at random.
    random_state : int, RandomState or None
        Seed of a random start.
    """
    _attributes: ClassVar[str] = """
    mislabeling_ : (n_classes, n_classes) array
        P(guess|class): a row for each guess; columns sum to one.
    """

    _: KW_ONLY
    init: str = "diagonal"
    random_state: Any = None

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        n_classes = len(labels.classes)
        if self.init == "random":
            rng = check_random_state(self.random_state)
            start = rng.dirichlet(np.ones(n_classes), n_classes).T
        else:
            start = (np.eye(n_classes) + 1 / n_classes) / 2
        found, mislabeling = self._climb(matrix, labels, start)
        return found | {"mislabeling_": mislabeling}
