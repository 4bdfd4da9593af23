"""Learning from labels some of which are wrong, by mixtures of Gaussians, after Li et al. (2007)."""

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd

from plsa.baselines.vectors import Matrix, ProbableVectors
from plsa.engine.parameters import Codes, Floats, Places, Rng
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.labels.reading import Labels
from plsa.learning.clusters import unit

_FLOOR = 0.1  # of variances, while the clusters of a class are counted, as a share of those of all documents


@dataclass(frozen=True, slots=True)
class NoisyMixture:
    """Gaussian clusters, each of one class, and which labels documents of a class are given."""

    share: Floats  # (K,): P(k)
    mean: Floats  # (K, d)
    variance: Floats  # (K, d)
    class_of: Places  # (K,)
    given: Floats  # (C, C): P(label|class), columns sum to one

    def log_joint(self, points: Floats) -> Floats:
        """(n, K): log P(x, k)."""
        # (x - m)^2 / v summed, without an array of points x clusters x dimensions.
        precision = 1 / self.variance
        square = points**2 @ precision.T - 2 * points @ (self.mean * precision).T
        square += (self.mean**2 * precision).sum(axis=1)
        return np.asarray(np.log(self.share) - (square + np.log(2 * np.pi * self.variance).sum(axis=1)) / 2)

    def log_given(self, code: Codes) -> Floats:
        """(n, K): log P(label|k) of points with these labels."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.given)[code][:, self.class_of])

    def chances(self, points: Floats) -> Floats:
        """(n, C): P(class|x)."""
        of_clusters = softmax(self.log_joint(points), axis=1)
        return np.asarray(of_clusters @ np.eye(len(self.given))[self.class_of])


@dataclass(frozen=True, slots=True)
class NoisyPoints:
    """Points, labels that may be wrong, and what is thought of a mixture before they are seen."""

    points: Floats  # (n, d)
    code: Codes  # (n,)
    n_classes: int
    variance: Floats  # (d,): what variances are like
    n_typical: float  # how many points say so
    n_right: float  # right labels of every class

    def climb(self, mixture: NoisyMixture, max_iter: int, tol: float) -> tuple[NoisyMixture, list[float]]:
        """EM from a mixture on: the last one, and the objective before each update and at the end."""
        trace: list[float] = []
        while True:
            logs = mixture.log_joint(self.points) + mixture.log_given(self.code)
            trace.append(float(logsumexp(logs, axis=1).sum()) + self.log_prior(mixture))
            settled = len(trace) > 1 and trace[-1] - trace[-2] <= tol * len(self.points)
            if settled or len(trace) > max_iter:
                return mixture, trace
            mixture = self.maximized(softmax(logs, axis=1), mixture.class_of)

    def log_prior(self, mixture: NoisyMixture) -> float:
        """The log-density of what is thought of the parameters, but for a constant."""
        spread = np.log(mixture.variance) + self.variance / mixture.variance
        found = np.log(mixture.share).sum() - self.n_typical / 2 * spread.sum()
        return float(found + self.n_right * np.log(np.diag(mixture.given)).sum())

    def maximized(self, chance: Floats, class_of: Places) -> NoisyMixture:
        """The mixture that these P(k|x, label) ask for, each cluster being of this class."""
        size = chance.sum(axis=0)[:, np.newaxis]
        # A cluster that has lost its points may be anywhere.
        mean = chance.T @ self.points / np.maximum(size, np.finfo(float).tiny)
        second = chance.T @ self.points**2 - size * mean**2
        variance = (np.maximum(second, 0) + self.n_typical * self.variance) / (size + self.n_typical)
        share = (size[:, 0] + 1) / (size.sum() + len(size))
        labels = self.labels_of(chance).T @ np.eye(self.n_classes)[class_of]
        labels += self.n_right * np.eye(self.n_classes)
        return NoisyMixture(share, mean, variance, class_of, labels / labels.sum(axis=0))

    def mapped(self, mixture: NoisyMixture, origin: Places) -> NoisyMixture:
        """The same clusters, each of the class that most labels of its points are of; and P(label|class)."""
        chance = softmax(mixture.log_joint(self.points), axis=1)
        class_of = class_of_clusters(self.labels_of(chance), origin)
        return replace(mixture, class_of=class_of, given=self.maximized(chance, class_of).given)

    def labels_of(self, chance: Floats) -> Floats:
        """(K, C): how many labels of each class the points of every cluster have."""
        return np.asarray(chance.T @ np.eye(self.n_classes)[self.code])


def class_of_clusters(labels: Floats, origin: Places) -> Places:
    """The class that most labels of each of (K, C) clusters are of.

    A class that would have none keeps the cluster with most of its labels, of those that it began with: of
    `origin` it is.
    """
    found = labels.argmax(axis=1)
    while len(lost := np.setdiff1d(origin, found)):
        own = np.flatnonzero(origin == lost[0])
        found[own[labels[own, lost[0]].argmax()]] = lost[0]
    return found


@estimator
class CPA(ProbableVectors):
    """The clustering-based probabilistic algorithm: Gaussian clusters, and labels that may be wrong.

    Documents are points x of few dimensions (LSA: the largest singular vectors of all of them, labeled or
    not, at unit length). A document is of a cluster k, its class is that of the cluster, and its label is
    given at random: it is g with probability P(g|y), y being the class. All of

        P(x, g) = sum_k P(k) N(x; m_k, v_k) P(g | y(k))

    is learned by EM, v_k being a variance for each dimension, from the labeled documents. Of new ones
    P(y|x) is in proportion to the sum of P(k) N(x; m_k, v_k) over the clusters of y.

    Notes
    -----
    The steps are those of Krithara (2008): count clusters (1), begin with a mixture (2), map clusters to
    classes (3), EM with wrong labels in each (4), map once more (5), Bayes' rule (6). She does not say which
    space documents are in, which shape clusters have, how they are mapped and what EM does with several of
    them; here it is the simplest thing that is a likelihood. Clusters are first those of the documents with
    one and the same label, as many as have the lowest BIC, where the thesis has the number with the highest
    likelihood of the test documents. A cluster is mapped to the class that most labels of its documents are
    of, and a class never loses its last one. EM maximizes the likelihood times what is thought before: that
    variances are as those of all documents, as `n_typical` documents say, and that `n_right` labels of each
    class are right. Without these a class with a handful of labels is anything. Where a cluster changes its
    class in the end, P(label|class) is counted anew, after what `objective_trace_` tells of.

    Documents without a label have their part in the space alone. Where labels are right, what EM makes of the
    first clusters tends to be worse than these (`max_iter=0`): so it was on 20 Newsgroups, WebKB and
    Reuters-7.

    References
    ----------
    Y. Li, L. F. A. Wessels, D. de Ridder and M. J. T. Reinders, "Classification in the Presence of Class
    Noise Using a Probabilistic Kernel Fisher Method", Pattern Recognition 2007 (Krithara 2008, algorithm 9).
    N. D. Lawrence and B. Schoelkopf, "Estimating a Kernel Fisher Discriminant in the Presence of Label
    Noise", ICML 2001.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import CPA
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = CPA(n_dimensions=2, random_state=0).fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    _parameters: ClassVar[str] = """
    n_dimensions : int >= 1
        Of the space that documents are points of.
    max_clusters : int >= 1
        Most clusters that a class begins with.
    n_right : float > 0
        Labels of each class that are thought to be right before any is seen.
    n_typical : float > 0
        Documents that are thought to lie about each cluster as all documents lie about their mean.
    max_iter : int >= 0
        Most updates.
    tol : float >= 0
        EM has settled when an update gains no more than this much log-probability per document.
    random_state : int, RandomState or None
        Seed of singular vectors and of the first clusters.
    """
    _attributes: ClassVar[str] = """
    mislabeling_ : (n_classes, n_classes) array
        P(label|class): in row g and column y how often a document of class y is labeled g.
    objective_trace_, n_iter_, model_
    axes_ : (n_features, n_dimensions) array
        What makes points of vectors: singular vectors of the documents of the fit.
    """

    n_dimensions: int = 30
    max_clusters: int = 3
    _: KW_ONLY
    n_right: float = 10.0
    n_typical: float = 10.0
    max_iter: int = 100
    tol: float = 1e-4
    random_state: Any = None

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        rng = check_random_state(self.random_state)
        number = min(self.n_dimensions, *matrix.shape)
        axes = randomized_svd(matrix, number, random_state=rng)[2].T
        points, known = unit(np.asarray(matrix @ axes)), labels.labeled
        variance = np.maximum(points.var(axis=0), np.finfo(float).eps)
        told, n_classes = points[known], len(labels.classes)
        noisy = NoisyPoints(told, labels.code[known], n_classes, variance, self.n_typical, self.n_right)
        mixture, origin = _start(noisy, self.max_clusters, rng)
        mixture, trace = noisy.climb(mixture, self.max_iter, self.tol)
        again = noisy.mapped(mixture, origin)
        if np.any(again.class_of != mixture.class_of):
            mixture = again
        return {
            "axes_": axes,
            "model_": mixture,
            "mislabeling_": mixture.given,
            "objective_trace_": np.array(trace),
            "n_iter_": len(trace) - 1,
        }

    def _vector_scores(self, matrix: Matrix) -> Floats:
        return self.model_.chances(unit(np.asarray(matrix @ self.axes_)))


def _start(noisy: NoisyPoints, most: int, rng: Rng) -> tuple[NoisyMixture, Places]:
    """The clusters of each label's documents, mapped to classes; and the labels that they began with."""
    parts, origin = [], []
    for label in range(noisy.n_classes):
        inside = np.flatnonzero(noisy.code == label)
        chance = _clusters(noisy.points[inside], most, _FLOOR * float(noisy.variance.mean()), rng)
        part = np.zeros((len(noisy.points), chance.shape[1]))
        part[inside] = chance
        parts.append(part)
        origin += [label] * chance.shape[1]
    first = np.array(origin)
    return noisy.mapped(noisy.maximized(np.hstack(parts), first), first), first


def _clusters(points: Floats, most: int, floor: float, rng: Rng) -> Floats:
    """(n, K): of which of K clusters points are, K having the lowest BIC."""
    best, lowest = np.ones((len(points), 1)), np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for number in range(1, min(most, len(points) // 2) + 1):
            model = GaussianMixture(
                number, covariance_type="diag", reg_covar=floor, init_params="k-means++", random_state=rng
            ).fit(points)
            if (found := model.bic(points)) < lowest:
                best, lowest = model.predict_proba(points), found
    return best
