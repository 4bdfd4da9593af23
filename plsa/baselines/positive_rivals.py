"""Five known ways to learn from positive and unlabelled documents, which topic-sensitive PLSA is measured by.

They are the systems of section 4.3 of the paper on topic-sensitive PLSA, each a thin estimator: what is not
scikit-learn's is the way in which negatives are found, or done without. Where they do other than their
authors say, it is said why: most of it keeps them alive with ten positive documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.svm import LinearSVC
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa import inputs
from plsa.engine.counts import Counts
from plsa.engine.mixture_steps import MixtureSteps
from plsa.engine.parameters import unpadded
from plsa.estimators.positives import (
    PositiveClassifier,
    Rule,
    balanced_regression,
    even_weights,
    recall_above,
    recall_criterion,
)
from plsa.estimators.scaling import CountScaler
from plsa.labels.gates import OneComponent
from plsa.labels.supervision import UNLABELLED, lay_out
from plsa.learning import student
from plsa.learning.linked_means import LinkedDocuments, distances, squares, under_metric, unit


class _VectorClassifier(PositiveClassifier):
    """A classifier of documents as vectors: TF-IDF at unit length, or what the class makes of counts."""

    tfidf: bool
    scaler_: CountScaler

    def _real(self) -> Any:
        return "float64"

    def _check_parameters(self) -> None:
        inputs.check_choice(self.tfidf, "tfidf", [True, False])

    def _fit_vectors(self, counts: Counts) -> sparse.csr_array:
        """The vectors of the documents of the fit."""
        if self.tfidf:
            self.scaler_ = student.fit_scaler(counts, None)
        else:
            self.scaler_ = CountScaler(tf="raw", length=None).fit(counts.matrix())
        return self._vectors(counts)

    def _vectors(self, counts: Counts) -> sparse.csr_array:
        """(D, W): the vectors of new documents."""
        return _short_indices(student.features(self.scaler_, counts))


def _short_indices(matrix: sparse.csr_array) -> sparse.csr_array:
    """The same matrix with 32-bit indices where they do: liblinear takes no others."""
    kind = np.int32 if matrix.nnz <= np.iinfo(np.int32).max else np.int64
    parts = (matrix.data, matrix.indices.astype(kind), matrix.indptr.astype(kind))
    return sparse.csr_array(parts, shape=matrix.shape)


class _LinearClassifier(_VectorClassifier):
    """A classifier that is one rule in the end."""

    coef_: NDArray[np.float64]
    intercept_: float

    def _learn_positives(self, counts: Counts, positive: NDArray[np.bool_], **more: Any) -> None:
        # Products of vectors as long as a vocabulary: threads cost more than they bring, and change the bits.
        with threadpool_limits(1, user_api="blas"):
            rule = self._learn_rule(counts, self._fit_vectors(counts), positive)
        self.coef_, self.intercept_ = rule.weights, rule.intercept

    def _learn_rule(self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> Rule:
        """The rule, from the documents as counts and as vectors."""
        raise NotImplementedError

    def _scores(self, counts: Counts) -> NDArray[np.float64]:
        return Rule(self.coef_, self.intercept_).scores(self._vectors(counts))


class WeightedLogisticRegression(_LinearClassifier):
    """Logistic regression with the unlabelled documents as negatives, weighted by what is found.

    Both classes weigh the same in all, whatever their numbers. Regularisation, and the weight of positives
    beyond that, are those that are best at telling documents that are held out: the highest r^2 / P(f = 1),
    where r is the recall of held-out positives and P(f = 1) the share of held-out unlabelled documents that
    are taken for positive. It is in proportion to precision times recall, and needs no negatives.

    Parameters
    ----------
    C : float or sequence of float, default=(0.01, 0.1, 1.0)
        Inverse strength of regularisation, of a positive document; several are tried.
    n_splits : int, default=5
        Parts that documents are held out in, no more than there are positives.
    tfidf : bool, default=True
        Whether counts become TF-IDF. Documents have unit length in any case.
    max_iter : int, default=1000
        Most iterations of a regression.
    random_state : int, RandomState or None, default=None
        Seed of the parts.

    Attributes
    ----------
    classes_ : array of 0 and 1
    C_ : float
        What was chosen; the smallest where there is one positive document and nothing can be held out.
    threshold_ : float
        What is taken from the regression's own intercept.
    criterion_ : float
        r^2 / P(f = 1) of what was chosen, r being a lower bound; nan where nothing can be held out.
    n_iter_ : int
        Iterations of the last regression.
    coef_ : (n_features,) array
    intercept_ : float
        Scores are vectors times `coef_` plus this.
    scaler_ : CountScaler
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

    Notes
    -----
    In a logistic model a weight k of a class is log k on its intercept (and, with regularisation, little
    else): so one fit for each C and part serves all weights. Of them, only those that find at least half of
    the held-out positives are looked at, and r is a lower bound of the recall: with ten positives, three that
    are alike would otherwise decide.

    References
    ----------
    W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression",
    ICML 2003.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import WeightedLogisticRegression
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = WeightedLogisticRegression(random_state=0).fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    def __init__(
        self,
        C: Any = (0.01, 0.1, 1.0),
        *,
        n_splits: int = 5,
        tfidf: bool = True,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.n_splits = n_splits
        self.tfidf = tfidf
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        inputs.check_strengths(self.C, "C")
        inputs.check_whole(self.n_splits, "n_splits", 2)
        inputs.check_whole(self.max_iter, "max_iter", 1)

    def _learn_rule(self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> Rule:
        strengths = inputs.check_strengths(self.C, "C")
        n_splits = min(self.n_splits, int(positive.sum()), int((~positive).sum()))
        self.C_, self.threshold_, self.criterion_ = strengths[0], 0.0, float("nan")
        if n_splits > 1:
            fold = _dealt(positive, n_splits, check_random_state(self.random_state))
            tried = []
            for strength in strengths:
                scores = np.empty(len(positive))
                for part in range(n_splits):
                    held = fold == part
                    model = balanced_regression(matrix[~held], positive[~held], strength, self.max_iter)
                    scores[held] = Rule.of(model).scores(matrix[held])
                tried.append((*best_threshold(scores[positive], scores[~positive]), strength))
            # Of equals the most regularised, which comes first.
            self.criterion_, self.threshold_, self.C_ = max(tried, key=lambda each: each[0])
        model = balanced_regression(matrix, positive, self.C_, self.max_iter)
        self.n_iter_ = int(model.n_iter_[0])
        rule = Rule.of(model)
        return Rule(rule.weights, rule.intercept - self.threshold_)


def _dealt(positive: NDArray[np.bool_], n_splits: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """The part of each document: positives and others are dealt out evenly, at random."""
    fold = np.empty(len(positive), dtype=np.intp)
    for kind in (positive, ~positive):
        fold[kind] = rng.permutation(np.arange(kind.sum()) % n_splits)
    return fold


def best_threshold(positive: NDArray[np.float64], unlabelled: NDArray[np.float64]) -> tuple[float, float]:
    """The highest r^2 / P(f = 1) of these scores, and the threshold that has it.

    r is what the recall is above with 90% certainty. One more unlabelled document than is seen is counted
    above a threshold: there may always be one. The threshold is halfway between the lowest positive above it
    and what comes next, and at least half of the positives are above it.
    """
    found = np.sort(positive)[::-1]
    others = np.sort(unlabelled)
    number = np.arange(1, len(found) + 1)
    recall = recall_above(number, len(found))
    above = len(others) - np.searchsorted(others, found, side="left")
    criterion = recall_criterion(recall, (above + 1) / (len(others) + 1))
    best = int(np.where(number >= len(found) / 2, criterion, -1.0).argmax())
    everything = np.concatenate([positive, unlabelled])
    lower = everything[everything < found[best]]
    threshold = (found[best] + lower.max()) / 2 if len(lower) else found[best] - 1.0
    return float(criterion[best]), float(threshold)


class SpyEM(_LinearClassifier):
    """Naive Bayes by EM, with positive documents as spies among the unlabelled ones.

    First, some of the positives are hidden among the unlabelled documents, which all start as negative, and
    EM goes on from there; what scores below almost all of the spies is reliably negative. Then EM begins
    anew, at all positives and the reliable negatives, and changes its mind about all but the positives. It
    stops at the classifier after which the probability of error would rise:

        P(f != Y) = P(f = 1) - P(Y = 1) + 2 P(f = 0 | Y = 1) P(Y = 1),

    from the share of unlabelled documents that are taken for positive, the share of positives that are not,
    and P(Y = 1) as the classifier before has it.

    Parameters
    ----------
    spies : float, default=0.15
        Share of the positives to hide, at least one document. With one positive there is none: what naive
        Bayes takes for negative is.
    noise : float, default=0.05
        Share of the spies that may score below the threshold, as outliers. Liu et al. have 0.05 to 0.2; with
        few spies that is the lowest one or the next.
    alpha : float, default=0.1
        Pseudo-count of every word.
    constant_length : bool, default=True
        Whether documents are scaled to the same number of words: posteriors are less extreme.
    max_iter : int, default=50
        Most steps of EM, in both parts.
    tol : float, default=1e-5
        EM has settled when a step gains no more than this much log-probability a word of the corpus.
    random_state : int, RandomState or None, default=None
        Seed of the choice of spies.
    n_threads : int or None, default=None
        None uses all processors; see `plsa.threads`.

    Attributes
    ----------
    classes_ : array of 0 and 1
    spies_ : array of int
        The positives that were spies.
    threshold_ : float
        log P(1|d) / P(0|d) below which a document is a reliable negative.
    reliable_negatives_ : array of int
        None of the unlabelled documents where none scored below the threshold: then all start as negative.
    error_changes_ : array
        How the probability of error changed from step to step, up to where it rose.
    n_iter_ : int
        Classifiers looked at, one after each step of EM.
    chosen_ : int
        The number of the one that is used, which is the last or the last but one.
    coef_ : (n_features,) array
        log P(w|1) / P(w|0).
    intercept_ : float
        log P(1) / P(0); scores are log P(1|d) / P(0|d).
    scaler_ : CountScaler
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

    References
    ----------
    B. Liu, W. S. Lee, P. S. Yu and X. Li, "Partially Supervised Classification of Text Documents", ICML 2002.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import SpyEM
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = SpyEM(random_state=0).fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    def __init__(
        self,
        spies: float = 0.15,
        noise: float = 0.05,
        alpha: float = 0.1,
        *,
        constant_length: bool = True,
        max_iter: int = 50,
        tol: float = 1e-5,
        random_state: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.spies = spies
        self.noise = noise
        self.alpha = alpha
        self.constant_length = constant_length
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_threads = n_threads

    def _check_parameters(self) -> None:
        inputs.check_share(self.spies, "spies")
        inputs.check_share(self.noise, "noise")
        inputs.check_number(self.alpha, "alpha", above=0.0)
        inputs.check_choice(self.constant_length, "constant_length", [True, False])
        inputs.check_whole(self.max_iter, "max_iter", 0)
        inputs.check_number(self.tol, "tol")
        inputs.check_threads(self.n_threads)

    def _fit_vectors(self, counts: Counts) -> sparse.csr_array:
        length = "constant" if self.constant_length else None
        self.scaler_ = CountScaler(tf="raw", length=length).fit(counts.matrix())
        return self._vectors(counts)

    def _vectors(self, counts: Counts) -> sparse.csr_array:
        return self.scaler_.scaled(counts).matrix()

    def _learn_rule(self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> Rule:
        scaled = self.scaler_.scaled(counts)
        among = _chosen_spies(positive, self.spies, check_random_state(self.random_state))
        self.spies_ = np.flatnonzero(among)
        *_, settled = self._climb(scaled, positive & ~among, ~positive | among)
        scores = settled.scores(matrix)
        self.threshold_ = spy_threshold(scores[among], self.noise)
        reliable = ~positive & (scores < self.threshold_)
        self.reliable_negatives_ = np.flatnonzero(reliable)
        rules = self._climb(scaled, positive, reliable if reliable.any() else ~positive)
        return self._best(rules, matrix, positive)

    def _climb(
        self, counts: Counts, positive: NDArray[np.bool_], negative: NDArray[np.bool_]
    ) -> Iterator[Rule]:
        """The classifiers of EM, step by step: positives stay, negatives are so at the start only."""
        gate = OneComponent(lay_out(np.array([1, 1]), 0), class_alpha=1.0, component_alpha=0.0)
        code = np.where(positive, 1, UNLABELLED).astype(np.int32)
        steps = MixtureSteps(
            counts,
            gate,
            state=gate.states(code, np.zeros_like(code)),
            alpha=np.full(counts.n_words, float(self.alpha)),
            n_threads=self.n_threads,
        )
        parameters = steps.primed(np.column_stack([negative, positive]).astype(np.float64))
        before = -np.inf
        for _ in range(self.max_iter + 1):
            words = np.log(unpadded(parameters.word_topic, 2))
            chance = np.log(gate.topic_prior())
            yield Rule(words[:, 1] - words[:, 0], float(chance[1] - chance[0]))
            statistics = steps.expect(parameters)
            if statistics.objective - before <= self.tol * counts.total():
                return
            before = statistics.objective
            parameters = steps.maximise(parameters, statistics)

    def _best(self, rules: Iterator[Rule], matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> Rule:
        """The classifier before the first that makes the probability of error rise, or the last."""
        kept = next(rules)
        parts = ErrorParts.of(kept.scores(matrix), positive)
        changes: list[float] = []
        for rule in rules:
            now = ErrorParts.of(rule.scores(matrix), positive)
            changes.append(parts.change_to(now))
            if changes[-1] > 0:
                break
            kept, parts = rule, now
        self.error_changes_ = np.array(changes)
        self.n_iter_ = len(changes) + 1
        self.chosen_ = int((self.error_changes_ <= 0).sum())
        return kept


def _chosen_spies(positive: NDArray[np.bool_], share: float, rng: np.random.RandomState) -> NDArray[np.bool_]:
    """Which positives are to be spies: a share of them, at least one, but never all."""
    documents = np.flatnonzero(positive)
    n_spies = min(max(1, round(share * len(documents))), len(documents) - 1)
    among = np.zeros(len(positive), dtype=bool)
    among[rng.permutation(documents)[:n_spies]] = True
    return among


def spy_threshold(scores: NDArray[np.float64], noise: float) -> float:
    """The score that no more than a share `noise` of the spies are below; 0 where there is no spy."""
    if not len(scores):
        return 0.0
    return float(np.sort(scores)[int(noise * len(scores))])


@dataclass(frozen=True, slots=True)
class ErrorParts:
    """What the probability of error is made of, as far as positives and unlabelled documents tell."""

    flagged: float  # share of the unlabelled documents that are taken for positive
    missed: float  # share of the positives that are not
    prior: float  # mean probability that an unlabelled document is positive

    @classmethod
    def of(cls, scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> ErrorParts:
        """The parts of log-odds of these documents."""
        others = scores[~positive]
        missed = float(np.mean(scores[positive] <= 0))
        return cls(float(np.mean(others > 0)), missed, float(np.mean(expit(others))))

    def change_to(self, other: ErrorParts) -> float:
        """By how much the probability of error changes: P(Y = 1) is that of this one for both."""
        return other.flagged - self.flagged + 2 * self.prior * (other.missed - self.missed)


class _IteratedSVM(_LinearClassifier):
    """Negatives found somehow, and more and more of them by a linear SVM that is trained again and again."""

    C: float
    balanced: bool
    max_iter: int

    def _check_parameters(self) -> None:
        super()._check_parameters()
        inputs.check_number(self.C, "C", above=0.0)
        inputs.check_choice(self.balanced, "balanced", [True, False])
        inputs.check_whole(self.max_iter, "max_iter", 1)

    def _first_negatives(
        self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Which unlabelled documents are negative to begin with: at least one."""
        raise NotImplementedError

    def _chosen(self, rules: list[Rule], matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> int:
        """Which of the classifiers, in the order of training, is the one."""
        return len(rules) - 1

    def _learn_rule(self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> Rule:
        negative = self._first_negatives(counts, matrix, positive)
        self.n_negatives_ = [int(negative.sum())]
        rules: list[Rule] = []
        while len(rules) < self.max_iter:
            rules.append(self._machine(matrix, positive, negative))
            refused = ~positive & ~negative & (rules[-1].scores(matrix) <= 0)
            if not refused.any():
                break
            negative = negative | refused
            self.n_negatives_.append(int(negative.sum()))
        self.n_iter_ = len(rules)
        del self.n_negatives_[self.n_iter_ :]  # what no SVM has learnt from
        self.chosen_ = self._chosen(rules, matrix, positive)
        return rules[self.chosen_]

    def _machine(
        self, matrix: sparse.csr_array, positive: NDArray[np.bool_], negative: NDArray[np.bool_]
    ) -> Rule:
        some = positive | negative
        weights = even_weights(positive[some]) if self.balanced else None
        # The primal problem: its solver draws nothing at random.
        model = LinearSVC(C=self.C, class_weight=weights, dual=False, max_iter=10_000)
        return Rule.of(model.fit(matrix[some], positive[some]))


class PEBL(_IteratedSVM):
    """Positive example based learning: strong negatives by 1-DNF, then SVMs until no new negatives are found.

    A word is a positive feature if a larger share of the positives than of the unlabelled documents have it.
    Unlabelled documents with none of these words are strong negatives. An SVM learns to tell them from the
    positives; what else it takes for negative joins them, and the next SVM learns, until nothing joins.

    Parameters
    ----------
    C : float, default=0.003
        Inverse strength of regularisation, of a positive document.
    balanced : bool, default=True
        Whether all negatives together count as much as all positives, each of which counts once. False: every
        document counts once.
    tfidf : bool, default=True
        Whether counts become TF-IDF for the SVM. Documents have unit length in any case.
    max_iter : int, default=100
        Most SVMs.

    Attributes
    ----------
    classes_ : array of 0 and 1
    positive_features_ : array of int
        The columns of words that are more frequent among the positives.
    n_negatives_ : list of int
        Negatives that each SVM learnt from.
    n_iter_ : int
        SVMs trained.
    chosen_ : int
        The number of the SVM that is used, which is the last.
    coef_ : (n_features,) array
    intercept_ : float
        Scores are vectors times `coef_` plus this.
    scaler_ : CountScaler
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

    Notes
    -----
    Where every unlabelled document has a positive feature, those with the fewest are the strong negatives.
    As published, `C=1` and `balanced=False`, it takes next to nothing for positive with few positives: the
    SVMs can fit each of them by itself, and in the end all unlabelled documents are negatives to learn from.

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

    def __init__(
        self,
        C: float = 0.003,
        balanced: bool = True,
        *,
        tfidf: bool = True,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.balanced = balanced
        self.tfidf = tfidf
        self.max_iter = max_iter

    def _first_negatives(
        self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        present = counts.with_counts((counts.count > 0).astype(counts.dtype))
        features = positive_features(present, positive)
        self.positive_features_ = np.flatnonzero(features)
        n_features = present.matrix() @ features.astype(np.float64)
        return ~positive & (n_features == n_features[~positive].min())


def positive_features(present: Counts, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """1-DNF: which words a larger share of the positives than of the other documents have."""
    of_positives = present.word_totals(positive.astype(np.float64)) / positive.sum()
    of_others = present.word_totals((~positive).astype(np.float64)) / (~positive).sum()
    return np.asarray(of_positives > of_others)


class RocchioSVM(_IteratedSVM):
    """Reliable negatives by Rocchio's classifier, then SVMs until no new ones are found.

    With means over the positives P and the unlabelled documents U, of documents at unit length,

        c+ = alpha mean(P) - beta mean(U),    c- = alpha mean(U) - beta mean(P),

    unlabelled documents no nearer to c+ than to c-, by cosine, are reliable negatives. An SVM learns to tell
    them from the positives; what else it takes for negative joins them, and the next SVM learns, until
    nothing joins. If the last one takes more than 8% of the positives for negative, it went wrong, and the
    first is used.

    Parameters
    ----------
    C : float, default=0.003
        Inverse strength of regularisation, of a positive document.
    balanced : bool, default=True
        Whether all negatives together count as much as all positives, each of which counts once. False: every
        document counts once.
    alpha, beta : float, default=16.0 and 4.0
        Weights of the documents of a side and of those of the other.
    most_missed : float, default=0.08
        The share of positives that the last SVM may take for negative.
    tfidf : bool, default=True
        Whether counts become TF-IDF. Documents have unit length in any case.
    max_iter : int, default=100
        Most SVMs.

    Attributes
    ----------
    classes_ : array of 0 and 1
    n_negatives_ : list of int
        Negatives that each SVM learnt from.
    n_iter_ : int
        SVMs trained.
    chosen_ : int
        The number of the SVM that is used: 0 or `n_iter_` - 1.
    coef_ : (n_features,) array
    intercept_ : float
        Scores are vectors times `coef_` plus this.
    scaler_ : CountScaler
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

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

    def __init__(
        self,
        C: float = 0.003,
        balanced: bool = True,
        *,
        alpha: float = 16.0,
        beta: float = 4.0,
        most_missed: float = 0.08,
        tfidf: bool = True,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.balanced = balanced
        self.alpha = alpha
        self.beta = beta
        self.most_missed = most_missed
        self.tfidf = tfidf
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        inputs.check_number(self.alpha, "alpha", above=0.0)
        inputs.check_number(self.beta, "beta")
        inputs.check_number(self.most_missed, "most_missed")

    def _first_negatives(
        self, counts: Counts, matrix: sparse.csr_array, positive: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        wanted, unwanted = rocchio_vectors(matrix, positive, float(self.alpha), float(self.beta))
        nearer = matrix @ (wanted - unwanted)
        return ~positive & (nearer <= max(0.0, nearer[~positive].min()))

    def _chosen(self, rules: list[Rule], matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> int:
        missed = np.mean(rules[-1].scores(matrix[positive]) <= 0)
        return 0 if missed > self.most_missed else len(rules) - 1


def rocchio_vectors(
    matrix: sparse.csr_array, positive: NDArray[np.bool_], alpha: float, beta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """c+ and c- of Rocchio's classifier, at unit length."""
    of_positives = np.asarray(matrix[positive].mean(axis=0)).ravel()
    of_others = np.asarray(matrix[~positive].mean(axis=0)).ravel()
    return (
        unit(alpha * of_positives - beta * of_others),
        unit(alpha * of_others - beta * of_positives),
    )


class MPCKMeans(_VectorClassifier):
    """K-means with must-links, cannot-links and a learnt metric; one cluster is what is looked for.

    All pairs of positives must be in the same cluster, and no positive in the same as an unlabelled document:
    links that many documents will have to break, at a price. Documents x and the centres of clusters have
    unit length, and what is made small is

        sum_d |x_d - centre of its cluster|^2
        + must sum over must-links (d, e) that are broken of |x_d - x_e|^2
        + cannot sum over cannot-links (d, e) that are broken of (F - |x_d - x_e|^2),

    where F is the largest that two documents can have between them. Clusters of unlabelled documents are
    found given those of the positives, those of positives one by one, then the centres: under one metric the
    objective never rises. A metric gives every word a weight, the less the more it is spread within the
    clusters and across the links. The cluster with most positives is positive.

    Parameters
    ----------
    n_clusters : int, default=6
        Clusters, the positive one among them.
    must_link : float, default=1.0
        Weight of a positive's must-links, all together.
    cannot_link : float, default=0.2
        Weight of a positive's cannot-links, all together.
    average_links : bool, default=True
        False: the weights are those of every single link, as published.
    n_metrics : int, default=3
        How often the metric is learnt, each time followed by the clusters; 0: all words weigh the same.
    n_init : int, default=5
        Random starts; the one with the lowest objective, before any metric is learnt, is kept.
    max_iter : int, default=50
        Most rounds of clusters and centres, after a start and after each metric.
    tfidf : bool, default=True
        Whether counts become TF-IDF. Documents have unit length in any case.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    classes_ : array of 0 and 1
    labels_ : (n_documents,) array of int
        The cluster of each document of the fit.
    positive_cluster_ : int
    cluster_centers_ : (n_clusters, n_features) array
    metric_ : (n_features,) array
        The weight of each word; vectors are multiplied by its root and brought to unit length again.
    objective_trace_ : array
        The objective after each round under the last metric.
    n_iter_ : int
        Rounds under the last metric.
    scaler_ : CountScaler
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

    Notes
    -----
    A new document is one without a label: its score is what it would cost in the nearest other cluster
    less what it costs in the positive one, cannot-links to all positives included.

    As published, with a weight for every single link, ten positives and thousands of unlabelled documents
    have cannot-links that outweigh everything else, and no unlabelled document is left with the positives.
    Unit length of the centres, without which most documents flock to one cluster, is that of S. Basu, M.
    Bilenko and R. J. Mooney, "A Probabilistic Framework for Semi-Supervised Clustering", KDD 2004. F is the
    sum of the two largest squared lengths, as of two documents without a common word. One metric serves all
    clusters; one for each is left out.

    Sums over the documents of a cluster stand for the links: memory, beyond X, is a few (documents, clusters)
    and (clusters, words) matrices.

    References
    ----------
    M. Bilenko, S. Basu and R. J. Mooney, "Integrating Constraints and Metric Learning in Semi-Supervised
    Clustering", ICML 2004.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import MPCKMeans
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = MPCKMeans(2, random_state=0).fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    def __init__(
        self,
        n_clusters: int = 6,
        must_link: float = 1.0,
        cannot_link: float = 0.2,
        *,
        average_links: bool = True,
        n_metrics: int = 3,
        n_init: int = 5,
        max_iter: int = 50,
        tfidf: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.average_links = average_links
        self.n_metrics = n_metrics
        self.n_init = n_init
        self.max_iter = max_iter
        self.tfidf = tfidf
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        inputs.check_whole(self.n_clusters, "n_clusters", 2)
        inputs.check_number(self.must_link, "must_link")
        inputs.check_number(self.cannot_link, "cannot_link")
        inputs.check_choice(self.average_links, "average_links", [True, False])
        inputs.check_whole(self.n_metrics, "n_metrics", 0)
        inputs.check_whole(self.n_init, "n_init", 1)
        inputs.check_whole(self.max_iter, "max_iter", 1)

    def _learn_positives(self, counts: Counts, positive: NDArray[np.bool_], **more: Any) -> None:
        rng = check_random_state(self.random_state)
        plain = self._linked(self._fit_vectors(counts), positive)
        starts = [plain.start(self.n_clusters, rng) for _ in range(self.n_init)]
        descents = [plain.descend(start, self.max_iter) for start in starts]
        found = min(descents, key=lambda each: each.trace[-1])
        linked, self.metric_ = plain, np.ones(counts.n_words)
        for _ in range(self.n_metrics):
            self.metric_ = plain.metric(found.label, self.n_clusters)
            linked = self._linked(under_metric(plain.matrix, self.metric_), positive)
            before = found.label
            found = linked.descend(linked.centred(before, self.n_clusters), self.max_iter)
            if np.array_equal(found.label, before):
                break
        self.labels_, self.cluster_centers_ = found.label, found.centre
        self.objective_trace_ = np.array(found.trace)
        self.n_iter_ = len(found.trace)
        in_cluster = np.bincount(found.label[positive], minlength=self.n_clusters)
        self.positive_cluster_ = int(in_cluster.argmax())
        self._positives = linked.sums(found.label, self.n_clusters, positive)
        self._cannot, self._farthest = linked.cannot, linked.farthest

    def _linked(self, matrix: sparse.csr_array, positive: NDArray[np.bool_]) -> LinkedDocuments:
        must, cannot = float(self.must_link), float(self.cannot_link)
        if self.average_links:
            must /= max(1, int(positive.sum()) - 1)
            cannot /= int((~positive).sum())
        return LinkedDocuments.of(matrix, positive, must, cannot)

    def _scores(self, counts: Counts) -> NDArray[np.float64]:
        matrix = under_metric(self._vectors(counts), self.metric_)
        length = squares(matrix)
        cost = distances(matrix, length, self.cluster_centers_)
        cost += self._cannot * self._positives.closeness(matrix, length, self._farthest)
        others = np.delete(cost, self.positive_cluster_, axis=1).min(axis=1)
        return np.asarray(others - cost[:, self.positive_cluster_])
