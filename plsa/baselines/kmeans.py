"""K-means under links, after Bilenko, Basu and Mooney (2004)."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from plsa.baselines.linked_clusters import FoundClusters, LinkedDocuments, under_metric
from plsa.baselines.vectors import Matrix, TfidfClassifier
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats, Mask
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.labels.reading import Known


@estimator
class MPCKMeans(TfidfClassifier):
    """K-means with must-links, cannot-links and a learned metric; one cluster is what is looked for.

    All pairs of positives must be in the same cluster, and no positive in the same as an unlabeled document:
    links that many documents will have to break, at a price. Documents x and the centers of clusters have
    unit length, and what is made small is

        sum_d |x_d - center of its cluster|^2
        + must sum over must-links (d, e) that are broken of |x_d - x_e|^2
        + cannot sum over cannot-links (d, e) that are broken of (F - |x_d - x_e|^2),

    where F is the largest that two documents can have between them. Clusters of unlabeled documents are
    found given those of the positives, those of positives one by one, then the centers: under one metric the
    objective never rises. A metric gives every word a weight, the less the more it is spread within the
    clusters and across the links. The cluster with most positives is positive.

    Notes
    -----
    A new document is one without a label: its score is what it would cost in the nearest other cluster
    less what it costs in the positive one, cannot-links to all positives included. One that is known not to
    be wanted has the links of all others and nothing more: heavier ones lowered average precision on three
    of four corpora.

    As published, with a weight for every single link, ten positives and thousands of unlabeled documents
    have cannot-links that outweigh everything else, and no unlabeled document is left with the positives.
    Unit length of the centers, without which most documents flock to one cluster, is that of S. Basu, M.
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

    _parameters: ClassVar[str] = """
    n_clusters : int >= 2
        Clusters, the positive one among them.
    must_link : float >= 0
        Weight of a positive's must-links, all together.
    cannot_link : float >= 0
        Weight of a positive's cannot-links, all together.
    average_links : bool
        False: the weights are those of every single link, as published.
    n_metrics : int >= 0
        How often the metric is learned, each time followed by the clusters; 0: all words weigh the same.
    n_init : int >= 1
        Random starts; the one with the lowest objective, before any metric is learned, is kept.
    max_iter : int >= 1
        Most rounds of clusters and centers, after a start and after each metric.
    random_state : int, RandomState or None
        Seed of the starts.
    """
    _attributes: ClassVar[str] = """
    model_
    labels_ : (n_documents,) array of int
        The cluster of each document of the fit.
    positive_cluster_ : int
        The cluster with most positives.
    cluster_centers_ : (n_clusters, n_features) array
        The centers, at unit length.
    metric_ : (n_features,) array
        The weight of each word; vectors are multiplied by its root and brought to unit length again.
    objective_trace_ : array
        The objective after each round under the last metric.
    n_iter_ : int
        Rounds under the last metric.
    """

    n_clusters: int = 6
    must_link: float = 1.0
    cannot_link: float = 0.2
    _: KW_ONLY
    average_links: bool = True
    n_metrics: int = 3
    n_init: int = 5
    max_iter: int = 50
    random_state: Any = None

    def _learn_vectors(self, counts: Counts, matrix: Matrix, known: Known) -> Fitted:
        rng, positive = check_random_state(self.random_state), known.positive
        plain = self._linked(matrix, positive)
        starts = [plain.start(self.n_clusters, rng) for _ in range(self.n_init)]
        descents = [plain.descend(start, self.max_iter) for start in starts]
        found = min(descents, key=lambda descent: descent.trace[-1])
        linked, metric = plain, np.ones(counts.n_words)
        for _ in range(self.n_metrics):
            metric = plain.metric(found.label, self.n_clusters)
            linked = self._linked(under_metric(plain.matrix, metric), positive)
            before = found.label
            found = linked.descend(linked.centered(before, self.n_clusters), self.max_iter)
            if np.array_equal(found.label, before):
                break
        in_cluster = np.bincount(found.label[positive], minlength=self.n_clusters)
        chosen = int(in_cluster.argmax())
        sums = linked.sums(found.label, self.n_clusters, positive)
        return {
            "model_": FoundClusters(found.center, metric, sums, chosen, linked.cannot, linked.farthest),
            "labels_": found.label,
            "cluster_centers_": found.center,
            "metric_": metric,
            "objective_trace_": np.array(found.trace),
            "n_iter_": len(found.trace),
            "positive_cluster_": chosen,
        }

    def _linked(self, matrix: Matrix, positive: Mask) -> LinkedDocuments:
        must, cannot = float(self.must_link), float(self.cannot_link)
        if self.average_links:
            must /= max(1, int(positive.sum()) - 1)
            cannot /= int((~positive).sum())
        return LinkedDocuments.of(matrix, positive, must, cannot)

    def _scores(self, counts: Counts) -> Floats:
        return self.model_.scores(self._vectors(counts))
