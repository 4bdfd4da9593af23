"""Classes as the sides of a minimum cut through a graph of documents."""

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, maximum_flow
from sklearn.utils import check_random_state

from plsa.baselines.graphs import GraphVectors, Nodes
from plsa.baselines.neighbors import Graph
from plsa.engine.parameters import Floats, Mask, row_shares
from plsa.estimators.parameters import estimator

_UNIT = 10_000  # of the capacity of an edge whose weight is 1: flows are of whole numbers
_MOST = 2.0**30  # of all capacities together


@estimator
class MinCut(GraphVectors):
    """The minimum cut through the graph of the nearest documents that divides labeled ones by class.

    Documents are nodes, and two are joined if one is among the `n_neighbors` nearest of the other, with the
    fourth power of their cosine for a weight. Of two classes, what is left with the labeled documents of a
    class when the edges are cut whose sum is smallest is of that class (Blum and Chawla 2001; Krithara 2008,
    algorithm 2). A document that may be on either side, the cut being as small, or is joined with neither,
    has the class frequencies.

    With `n_repeats` cuts, at each of which every edge has gained up to `noise` times the mean weight, at
    random, P(class|document) is the share of votes (Blum, Lafferty, Rwebangira and Reddy 2004). Of more
    classes each is cut from the rest, and votes are divided by their sum.

    Notes
    -----
    With few labels the smallest cut is often one around the labeled documents of a class, and all others are
    then of the other: with 1% labeled it is hardly more often right than the most frequent class. Blum et al.
    (2004) discard cuts as one-sided as that; here all votes count. Weights become whole numbers of 1/10,000.
    New documents have the mean of `transduction_` over their nearest documents of the fit, by cosine; those
    that are like none have the class frequencies.

    References
    ----------
    A. Blum and S. Chawla, "Learning from Labeled and Unlabeled Data Using Graph Mincuts", ICML 2001.
    A. Blum, J. Lafferty, M. R. Rwebangira and R. Reddy, "Semi-Supervised Learning Using Randomized Mincuts",
    ICML 2004.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import MinCut
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> y = ["food", None, None, None, "sport", None, None]
    >>> model = MinCut().fit(counts, y)
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    n_repeats : int >= 1
        Cuts of a class from the rest; 1: of the graph as it is, without noise.
    noise : float > 0
        Most that an edge gains, as a multiple of the mean weight, where there are several cuts.
    random_state : int, RandomState or None
        Seed of the noise.
    """
    _attributes: ClassVar[str] = """
    cut_weights_ : (n_repeats, n) array
        The weight of each cut of a class from the rest, for the n classes that have an example; those of two
        classes are one cut.
    """

    n_repeats: int = 1
    _: KW_ONLY
    n_neighbors: int = 3
    noise: float = 1.0
    random_state: Any = None

    def _probable(self, nodes: Nodes, prior: Floats) -> tuple[Floats, dict[str, Any]]:
        rng, start = check_random_state(self.random_state), nodes.start()[nodes.labeled] > 0
        upper = sparse.csr_array(sparse.triu(nodes.graph))
        weights, votes = [], np.zeros((len(nodes.places), len(prior)))
        for _ in range(self.n_repeats):
            edges = upper.copy()
            if self.n_repeats > 1 and len(edges.data):
                edges.data += rng.uniform(0, float(self.noise) * edges.data.mean(), len(edges.data))
            (graph, unit), weight = capacities(edges), []
            for column in range(len(prior) if len(prior) > 2 else 1):
                positive = np.zeros(len(votes), dtype=bool)
                positive[nodes.labeled] = start[:, column]
                of_class, of_rest, cut = minimum_cut(graph, positive, nodes.labeled & ~positive)
                votes[:, column] += np.where(of_class, 1.0, np.where(of_rest, 0.0, prior[column]))
                weight.append(cut / unit)
            weights.append(weight if len(prior) > 2 else weight * 2)
        votes /= self.n_repeats
        if len(prior) == 2:
            votes[:, 1] = 1 - votes[:, 0]
        return row_shares(votes, prior), {"cut_weights_": np.array(weights)}


def capacities(upper: sparse.csr_array) -> tuple[Graph, float]:
    """The edges of a graph, each given once, both ways in whole numbers, at least 1; that of a weight of 1.

    All of them together stay below what flows of 32 bits can be.
    """
    edges = upper.copy()
    unit = min(_UNIT, _MOST / max(2 * edges.data.sum(), 1e-300))
    edges.data = np.maximum(np.round(unit * edges.data), 1).astype(np.int32)
    return sparse.csr_array(edges + edges.T), unit


def minimum_cut(graph: Graph, positive: Mask, negative: Mask) -> tuple[Mask, Mask, int]:
    """Which nodes are with the positive ones in every minimum cut, which with the negative ones; its weight.

    Those that the positive ones reach by edges, or against flows, that are not used up; and those that reach
    the negative ones so. The cut is as small wherever the others are, if it may be made there.
    """
    n = graph.shape[0]
    source, sink = n, n + 1
    # No more can flow from a node, or to it, than its edges take.
    room = np.asarray(graph.sum(axis=1)).ravel()
    some, others = np.flatnonzero(positive), np.flatnonzero(negative)
    coo = graph.tocoo()
    rows = np.concatenate([coo.row, np.full(len(some), source), others])
    columns = np.concatenate([coo.col, some, np.full(len(others), sink)])
    data = np.concatenate([coo.data, room[some] + 1, room[others] + 1]).astype(np.int32)
    network = sparse.csr_matrix((data, (rows, columns)), shape=(n + 2, n + 2))
    flow = maximum_flow(network, source, sink)
    left = network - flow.flow
    left.eliminate_zeros()
    of_positive, of_negative = np.zeros(n + 2, dtype=bool), np.zeros(n + 2, dtype=bool)
    of_positive[breadth_first_order(left, source, return_predecessors=False)] = True
    of_negative[breadth_first_order(left.T.tocsr(), sink, return_predecessors=False)] = True
    return of_positive[:n], of_negative[:n], int(flow.flow_value)
