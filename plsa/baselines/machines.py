"""Negatives found somehow, and more of them by support vector machines: PEBL and Rocchio-SVM."""

from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np
from sklearn.svm import LinearSVC

from plsa.baselines.vectors import LinearClassifier, Matrix, TfidfClassifier
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats, Mask
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import Rule, even_weights
from plsa.labels.reading import Known
from plsa.learning.clusters import unit


@estimator
class IteratedSVM(LinearClassifier, TfidfClassifier):
    """Negatives found somehow, and more and more of them by a linear SVM that is trained again and again.

    Negatives that are known are among them from the start.
    """

    _parameters: ClassVar[str] = """
    C : float > 0
        Inverse strength of regularization, of a positive document.
    balanced : bool
        Whether all negatives together count as much as all positives, each of which counts once. False: every
        document counts once.
    max_iter : int >= 1
        Most SVMs.
    """
    _attributes: ClassVar[str] = """
    n_negatives_ : list of int
        Negatives that each SVM learned from.
    n_iter_ : int
        SVMs trained.
    chosen_ : int
        The number of the SVM that is used.
    """

    C: float = 0.003
    balanced: bool = True
    _: KW_ONLY
    max_iter: int = 100

    def _first_negatives(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Mask, Fitted]:
        """Which unlabeled documents are negative to begin with, at least one; what else is to be told."""
        raise NotImplementedError

    def _chosen(self, rules: list[Rule], matrix: Matrix, positive: Mask) -> int:
        """Which of the classifiers, in the order of training, is the one."""
        return len(rules) - 1

    def _learn_rule(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Rule, Fitted]:
        first, found = self._first_negatives(counts, matrix, known)
        positive, negative = known.positive, known.negative | first
        n_negatives = []
        rules: list[Rule] = []
        while len(rules) < self.max_iter:
            n_negatives.append(int(negative.sum()))
            rules.append(self._machine(matrix, known, positive | negative))
            refused = ~positive & ~negative & (rules[-1].scores(matrix) <= 0)
            if not refused.any():
                break
            negative = negative | refused
        chosen = self._chosen(rules, matrix, positive)
        return rules[chosen], found | {"n_negatives_": n_negatives, "n_iter_": len(rules), "chosen_": chosen}

    def _machine(self, matrix: Matrix, known: Known, some: Mask) -> Rule:
        known = known.part(some)
        weights = even_weights(known) if self.balanced else None
        # The primal problem: its solver draws nothing at random.
        model = LinearSVC(C=self.C, dual=False, max_iter=10_000)
        return Rule.of(model.fit(matrix[some], known.positive, sample_weight=weights))


@estimator
class PEBL(IteratedSVM):
    """Positive example based learning: strong negatives by 1-DNF, then SVMs until no new negatives are found.

    A word is a positive feature if a larger share of the positives than of the unlabeled documents have it.
    Unlabeled documents with none of these words are strong negatives. An SVM learns to tell them from the
    positives; what else it takes for negative joins them, and the next SVM learns, until nothing joins.

    Notes
    -----
    Where every unlabeled document has a positive feature, those with the fewest are the strong negatives.
    As published, `C=1` and `balanced=False`, it takes next to nothing for positive with few positives: the
    SVMs can fit each of them by itself, and in the end all unlabeled documents are negatives to learn from.

    References
    ----------
    H. Yu, J. Han and K. C.-C. Chang, "PEBL: Positive Example Based Learning for Web Page Classification Using
    SVM", KDD 2002.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import PEBL
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = PEBL().fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    _attributes: ClassVar[str] = """
    positive_features_ : array of int
        The columns of words that are more frequent among the positives.
    """

    def _first_negatives(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Mask, Fitted]:
        present = counts.presence()
        features = positive_features(present, known.positive)
        n_features = present.matrix() @ features.astype(np.float64)
        negative = known.unlabeled & (n_features == n_features[known.unlabeled].min())
        return negative, {"positive_features_": np.flatnonzero(features)}


def positive_features(present: Counts, positive: Mask) -> Mask:
    """1-DNF: which words a larger share of the positives than of the other documents have."""
    of_positives = present.word_totals(positive.astype(np.float64)) / positive.sum()
    of_others = present.word_totals((~positive).astype(np.float64)) / (~positive).sum()
    return np.asarray(of_positives > of_others)


@estimator
class RocchioSVM(IteratedSVM):
    """Reliable negatives by Rocchio's classifier, then SVMs until no new ones are found.

    With means over the positives P and the unlabeled documents U, of documents at unit length,

        c+ = alpha mean(P) - beta mean(U),    c- = alpha mean(U) - beta mean(P),

    unlabeled documents no nearer to c+ than to c-, by cosine, are reliable negatives. An SVM learns to tell
    them from the positives; what else it takes for negative joins them, and the next SVM learns, until
    nothing joins. If the last one takes more than 8% of the positives for negative, it went wrong, and the
    first is used.

    Notes
    -----
    Where Rocchio's classifier finds no negative, the document farthest on that side is the one to begin
    with. Li and Liu have an SVM with `C=1` and `balanced=False`, which finds little where there are few
    positives; clustering the reliable negatives before the SVM, an option of theirs, is left out.

    References
    ----------
    X. Li and B. Liu, "Learning to Classify Texts Using Positive and Unlabeled Data", IJCAI 2003.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import RocchioSVM
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = RocchioSVM().fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    _parameters: ClassVar[str] = """
    alpha : float > 0
        Weight of the documents of a side.
    beta : float >= 0
        Weight of the documents of the other side.
    most_missed : float >= 0
        The share of positives that the last SVM may take for negative.
    """

    _: KW_ONLY
    alpha: float = 16.0
    beta: float = 4.0
    most_missed: float = 0.08

    def _first_negatives(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Mask, Fitted]:
        wanted, unwanted = rocchio_vectors(matrix, known.positive, float(self.alpha), float(self.beta))
        nearer = matrix @ (wanted - unwanted)
        return known.unlabeled & (nearer <= max(0.0, nearer[known.unlabeled].min())), {}

    def _chosen(self, rules: list[Rule], matrix: Matrix, positive: Mask) -> int:
        missed = np.mean(rules[-1].scores(matrix[positive]) <= 0)
        return 0 if missed > self.most_missed else len(rules) - 1


def rocchio_vectors(matrix: Matrix, positive: Mask, alpha: float, beta: float) -> tuple[Floats, Floats]:
    """c+ and c- of Rocchio's classifier, at unit length."""
    of_positives = np.asarray(matrix[positive].mean(axis=0)).ravel()
    of_others = np.asarray(matrix[~positive].mean(axis=0)).ravel()
    return (unit(alpha * of_positives - beta * of_others), unit(alpha * of_others - beta * of_positives))
