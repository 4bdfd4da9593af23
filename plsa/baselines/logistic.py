"""Logistic regressions of documents with a label and without one; that of Grandvalet and Bengio (2005)."""

from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from plsa.baselines.choices import best_setting
from plsa.baselines.vectors import Matrix, ProbableVectors
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats
from plsa.estimators.base import Fitted, of_documents
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import LINEAR
from plsa.inputs import is_auto, warn
from plsa.labels.reading import Labels
from plsa.learning.logistic import Descent, Loss, descend, entropy, probability, surprise, with_others
from plsa.learning.parts import LOG_CHANCE, Parts, linear_parts

_WEIGHTS = (0.0, 0.1, 0.3, 1.0)  # of entropy, that "auto" chooses from


@estimator
class LogisticVectors(ProbableVectors):
    """A multinomial logistic regression of documents as vectors at unit length, without intercepts.

    Where labels are few, and documents have next to no word in common, intercepts learn most of what there is
    to learn, and all documents go to the most frequent class.
    """

    _parameters: ClassVar[str] = """
    C : float > 0
        Inverse strength of regularization, of a labeled document.
    max_iter : int >= 1
        Most steps of L-BFGS, each time that it is called.
    tol : float >= 0
        L-BFGS has settled when a step gains no more than this share of the objective.
    """
    _attributes: ClassVar[str] = """
    coef_ : (n_classes, n_features) array
        The weights of words, a row for each class that has an example, in the order of `classes_`.
    transduction_, guesses_
    """

    C: float = 100.0
    _: KW_ONLY
    max_iter: int = 1000
    tol: float = 1e-6

    def _descend(self, matrix: Matrix, loss: Loss, start: Floats) -> Descent:
        return descend(matrix, loss, start, float(self.C), int(self.max_iter), float(self.tol))

    def _of_labels(self, matrix: Matrix, labels: Labels) -> Descent:
        """What the labels alone teach."""
        known = labels.labeled
        start = np.zeros((matrix.shape[1], len(labels.classes)))
        return self._descend(matrix[known], partial(surprise, labels.code[known]), start)

    def _found(self, weights: Floats, matrix: Matrix, labels: Labels) -> Fitted:
        """What there is to tell of the regression in the end."""
        return {"coef_": weights.T.copy()} | of_documents(probability(matrix, weights), labels)

    def _warn_unsettled(self, descent: Descent) -> None:
        if not descent.settled:
            name = f"{type(self).__name__} did not settle in max_iter == {self.max_iter} steps of L-BFGS"
            warn(f"{name}; raise max_iter or tol.", ConvergenceWarning)

    def _vector_scores(self, matrix: Matrix) -> Floats:
        return probability(matrix, self.coef_.T)

    def _parts(self, counts: Counts) -> Parts:
        return linear_parts(LOG_CHANCE, LINEAR, self._vectors(counts), self.coef_.T)


@estimator
class EntropyMinimization(LogisticVectors):
    """Logistic regression that is to be sure of documents without a label, whatever their class.

    With H(x) = -sum_c P(c|x) log P(c|x), and n and m documents with and without a label, it makes

        |B|^2 / (2 C) - sum_labeled log P(y|x) + entropy_weight * n / m * sum_unlabeled H(x)

    small, by L-BFGS from where the labels alone lead: classes are told apart where there are few documents.

    Notes
    -----
    Grandvalet and Bengio weigh the entropy of each document, and choose that weight and C by
    cross-validation; here the weight is that of all documents together, beside the labels. Starting with a
    small one that grows in five steps has led to the same accuracy, within 0.1 points, in 27 of 32 fits
    (WebKB and Reuters-7, 1% and 5% labels). Nothing keeps documents from going to one class all together:
    with few labels a weight of 1 leads there, and one of 0.1 has done harm more often than good.

    References
    ----------
    Y. Grandvalet and Y. Bengio, "Semi-supervised Learning by Entropy Minimization", NIPS 2004.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import EntropyMinimization
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = EntropyMinimization(entropy_weight=1.0)
    >>> model.fit(counts, ["food", None, None, None, "sport", None, None]).guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    entropy_weight : float >= 0 or "auto"
        What the mean entropy of unlabeled documents counts, beside the mean surprise at labels. "auto": 0,
        0.1, 0.3 or 1, whichever has most labels right that are held out, and without a label meanwhile; 0
        where labels are too few.
    """
    _attributes: ClassVar[str] = """
    entropy_weight_ : float
        What the weight was, or was chosen to be.
    objective_ : float
        What was made small.
    n_iter_ : int
        Steps of L-BFGS from the labels on, and those before with the labels alone.
    """

    _: KW_ONLY
    entropy_weight: Any = "auto"

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        def scores(matrix: Matrix, shown: Labels, weight: float) -> Floats:
            return probability(matrix, self._sure(matrix, shown, weight)[-1].weights)

        weight = self.entropy_weight
        weight = best_setting(matrix, labels, _WEIGHTS, 0.0, scores) if is_auto(weight) else float(weight)
        taught = self._sure(matrix, labels, weight)
        self._warn_unsettled(taught[-1])
        return self._found(taught[-1].weights, matrix, labels) | {
            "entropy_weight_": weight,
            "objective_": taught[-1].value,
            "n_iter_": sum(descent.n_iter for descent in taught),
        }

    def _sure(self, matrix: Matrix, labels: Labels, weight: float) -> list[Descent]:
        """The labels' regression, and what follows where it is to be sure of the other documents."""
        first = self._of_labels(matrix, labels)
        n, m = int(labels.labeled.sum()), int((~labels.labeled).sum())
        if weight == 0 or m == 0:
            return [first]
        loss = with_others(labels, entropy, weight * n / m)
        return [first, self._descend(matrix, loss, first.weights)]
