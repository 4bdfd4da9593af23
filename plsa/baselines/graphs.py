"""Classifiers of documents as the nodes of a graph: those that are near to each other are of one class."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from plsa.baselines import propagation
from plsa.baselines.neighbors import Graph, Neighbors, Space, nearest
from plsa.baselines.vectors import Matrix, ProbableVectors
from plsa.engine.parameters import Floats, Mask, Real, row_shares
from plsa.estimators.base import Fitted, of_documents
from plsa.estimators.parameters import estimator
from plsa.inputs import check_share, is_auto
from plsa.labels.reading import Labels

_BALANCED = ("random walk", "sgt")  # methods that are worse off where classes get masses


@dataclass(frozen=True, slots=True)
class Nodes:
    """Documents, who is near to whom, and which have a label."""

    places: Real
    neighbors: Neighbors
    graph: Graph
    labels: Labels

    @property
    def labeled(self) -> Mask:
        """Which have a label."""
        return self.labels.labeled

    def start(self) -> Floats:
        """(D, C): 1 for the class of a labeled document."""
        found = np.zeros((len(self.places), len(self.labels.classes)))
        found[self.labeled] = self.labels.one_hot()
        return found


@estimator
class GraphVectors(ProbableVectors):
    """A classifier of documents by those that are near, and by those that are near to these."""

    _parameters: ClassVar[str] = """
    n_neighbors : int >= 1
        Nearest documents that a document is joined with; all others where there are fewer.
    n_dimensions : int >= 1
        Dimensions of the space that cosines are of, found by latent semantic analysis. Where documents or
        words are no more than these, cosines are those of the vectors themselves.
    n_threads : int or None
        Threads that look for neighbors and solve equations. None: as many as help, up to all processors; -1:
        all, -2: all but one. The bits are the same.
    """
    _attributes: ClassVar[str] = """
    class_prior_, transduction_, guesses_
    graph_ : (n_documents, n_documents) sparse array
        The weights of those that are joined: fourth powers of cosines.
    space_ : value
        How documents come to lie where they do.
    places_ : (n_documents, n_dimensions) array
        Where the documents of the fit lie, at unit length.
    """

    _: KW_ONLY
    n_neighbors: int = 20
    n_dimensions: int = 100
    n_threads: int | None = None

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        space = Space.of(matrix, int(self.n_dimensions))
        places = space.places(matrix)
        near = nearest(places, places, int(self.n_neighbors), self.n_threads, others=True)
        number = np.bincount(labels.code[labels.labeled], minlength=len(labels.classes)) + 1.0
        nodes, prior = Nodes(places, near, near.graph(), labels), number / number.sum()
        probability, more = self._probable(nodes, prior)
        found = {"class_prior_": prior, "graph_": nodes.graph, "space_": space, "places_": places}
        return found | more | of_documents(probability, labels)

    def _probable(self, nodes: Nodes, prior: Floats) -> tuple[Floats, Fitted]:
        """P(class|document) of all documents, and what else is to be told."""
        raise NotImplementedError

    def _vector_scores(self, matrix: Matrix) -> Floats:
        queries = self.space_.places(matrix)
        near = nearest(queries, self.places_, int(self.n_neighbors), self.n_threads)
        learned = slice(None) if self._met_ is None else self._met_
        return near.mean_of(self.transduction_[:, learned], self.class_prior_[learned])


@estimator
class GraphClassifier(GraphVectors):
    """Labels that spread over the graph of the nearest documents, by one of five methods.

    W_ij is the fourth power of the cosine of two documents of which one is among the `n_neighbors` nearest of
    the other, else 0: about the Gaussian exp(-|x_i - x_j|^2 / (2 s^2)) with s = 1/2 (Krithara 2008, eq. 2.4).
    D has the sums of its rows, and Y a 1 for the class of each labeled document.

    - "spreading": local and global consistency, F = (1 - a) (I - a D^-1/2 W D^-1/2)^-1 Y with a = `alpha`
      (Zhou et al. 2004). A label may give way to its neighbors; `transduction_` has it all the same;
    - "harmonic": every unlabeled document is the mean of its neighbors, f_u = -L_uu^-1 L_ul f_l with
      L = D - W. These are Gaussian fields and harmonic functions (Zhu, Ghahramani and Lafferty 2003), and
      where label propagation ends (Zhu and Ghahramani 2002; Krithara 2008, algorithms 3 and 4);
    - "random walk": P(y|j) = sum_i P(y|i) P_0|t(i|j), i being where a walk of t = `steps` steps that has come
      to j may have begun; P(y|i) by ten rounds of EM (Szummer and Jaakkola 2002; Krithara 2008, eq. 2.6);
    - "linear neighborhoods": as spreading, with the weights that rebuild each document best from its
      neighbors (Wang and Zhang 2008);
    - "sgt": the spectral graph transducer (Joachims 2003; Krithara 2008, eq. 2.8), a cut whose weight is in
      proportion to the sizes of its sides, among those of `n_eigenvectors` eigenvectors, one class against
      the rest.

    By `class_mass`, what a class has is then multiplied so that its part of all that unlabeled documents have
    is its part of the labels, `class_prior_` (class mass normalization, Zhu, Ghahramani and Lafferty 2003),
    and rows are divided by their sums. Documents that no label reaches, along edges, have the class
    frequencies; so has a new document that is like none. All other new documents have the mean of
    `transduction_` over their nearest documents of the fit, weighted by cosine.

    Notes
    -----
    With the cosines themselves for weights "harmonic" is often much worse, "spreading" a little. All pairs of
    documents are compared, some at a time: time grows with the square of their number (a fit to 100,000 takes
    a processor 50 seconds, and a GiB), memory does not. Eigenvectors are those of the normalized Laplacian,
    I - D^-1/2 W D^-1/2.

    References
    ----------
    X. Zhu, Z. Ghahramani and J. Lafferty, "Semi-Supervised Learning Using Gaussian Fields and Harmonic
    Functions", ICML 2003.
    D. Zhou, O. Bousquet, T. N. Lal, J. Weston and B. Schölkopf, "Learning with Local and Global Consistency",
    NIPS 2003.
    M. Szummer and T. Jaakkola, "Partially Labeled Classification with Markov Random Walks", NIPS 2001.
    F. Wang and C. Zhang, "Label Propagation through Linear Neighborhoods", IEEE TKDE 20(1), 2008.
    T. Joachims, "Transductive Learning via Spectral Graph Partitioning", ICML 2003.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import GraphClassifier
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> y = ["food", None, None, None, "sport", None, None]
    >>> model = GraphClassifier().fit(counts, y)
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    method : {"spreading", "harmonic", "random walk", "linear neighborhoods", "sgt"}
        How labels spread.
    alpha : float > 0
        How much of a document is its neighbors', below 1: of "spreading" and "linear neighborhoods".
    steps : int >= 1
        The length of a random walk.
    n_eigenvectors : int >= 1
        Of the spectral graph transducer; no more than there are documents but one.
    class_mass : bool or "auto"
        Whether classes are as frequent among the unlabeled documents as among the labeled ones. "auto": not
        for "random walk" and "sgt".
    """

    _checks: ClassVar[dict[str, Any]] = {"alpha": check_share}

    method: str = "spreading"
    _: KW_ONLY
    alpha: float = 0.9
    steps: int = 8
    n_eigenvectors: int = 80
    class_mass: bool | str = "auto"

    def _probable(self, nodes: Nodes, prior: Floats) -> tuple[Floats, Fitted]:
        mass = self._spread(nodes)
        mass[~propagation.reached(nodes.graph, nodes.labeled)] = 0.0
        if self.method not in _BALANCED if is_auto(self.class_mass) else self.class_mass:
            total = mass[~nodes.labeled].sum(axis=0)
            mass = mass * (prior / np.where(total > 0, total, 1.0))
        return row_shares(mass, prior), {}

    def _spread(self, nodes: Nodes) -> Floats:
        """(D, C): what each document has of each class."""
        graph, start, labeled = nodes.graph, nodes.start(), nodes.labeled
        match self.method:
            case "harmonic":
                return propagation.harmonic(graph, start, labeled, self.n_threads)
            case "spreading":
                return propagation.spreading(graph, start, float(self.alpha), self.n_threads)
            case "random walk":
                return propagation.random_walk(graph, start, labeled, int(self.steps))
            case "linear neighborhoods":
                weights = propagation.reconstruction(nodes.neighbors, nodes.places)
                return propagation.linear_neighborhoods(weights, start, float(self.alpha))
        vectors = propagation.smooth_vectors(nodes.neighbors.shared_graph(), int(self.n_eigenvectors))
        return propagation.spectral(vectors, start, labeled)
