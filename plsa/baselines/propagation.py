"""Labels that spread along the edges of a graph of documents: what each method makes of weights and labels.

Functions of a symmetric graph W and of Y, (D, C) with a 1 for the class of each labeled document; all give
(D, C) numbers, not below 0, that are 0 throughout where no label reaches. Systems of equations are solved by
conjugate gradients, some right-hand sides at a time: nothing is as large as documents x documents.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from plsa.baselines.neighbors import Graph, Neighbors, in_threads
from plsa.engine.parameters import Floats, Mask, Real, row_shares

_COLUMNS = 16  # right-hand sides that are solved together: their vectors stay in cache
_PRECISION = 1e-7  # of a solution, relative
_MAX_STEPS = 1000  # of conjugate gradients
_ROUNDS = 10  # of EM for the labels at the start of random walks
_PATCHES = 4096  # documents whose neighborhoods are gathered together
_SOFTNESS = 1e-3  # of the diagonal: what keeps weights unique where neighbors are alike
_DENSE = 300  # documents whose eigenvectors are found exactly
_LABEL_COST = 3200.0  # of a labeled document that an eigenvector contradicts, as Joachims has it


def degrees(graph: Graph) -> Floats:
    """(D,): the sum of the weights of each document's edges."""
    return np.asarray(graph.sum(axis=1)).ravel()


def normalized(graph: Graph) -> Graph:
    """D^-1/2 W D^-1/2; documents without an edge stay without one."""
    degree = degrees(graph)
    root = sparse.diags_array(1 / np.sqrt(np.where(degree > 0, degree, 1.0)))
    return sparse.csr_array(root @ graph @ root)


def solve(
    apply: Callable[[Real], Real], right: Real, precision: float = _PRECISION, max_steps: int = _MAX_STEPS
) -> Real:
    """X with A X = B by conjugate gradients, all columns side by side; `apply` is A, positive definite.

    Columns whose residual is small enough, relative to B, stay as they are; so do those for which A is
    singular, as far as its digits tell.
    """
    found, residual = np.zeros_like(right), right.copy()
    direction, length = right.copy(), np.einsum("dc,dc->c", right, right)
    enough = precision**2 * length
    for _ in range(max_steps):
        going = length > enough
        if not going.any():
            break
        image = apply(direction)
        curve = np.einsum("dc,dc->c", direction, image)
        enough[curve <= 0] = np.inf  # settled, or singular
        going &= curve > 0
        step = np.where(going, length / np.where(going, curve, 1), 0).astype(right.dtype)
        found += direction * step
        residual -= image * step
        before, length = length, np.einsum("dc,dc->c", residual, residual)
        direction *= np.where(going, length / np.where(going, before, 1), 0).astype(right.dtype)
        direction += residual
    return found


def solve_in_parts(
    matrix: sparse.csr_array, right: Real, n_threads: int | None = None, precision: float = _PRECISION
) -> Real:
    """X with (I - M) X = B, some columns at a time."""
    blocks = range(0, right.shape[1], _COLUMNS)

    def part(begin: int) -> Real:
        columns = np.ascontiguousarray(right[:, begin : begin + _COLUMNS])
        return solve(lambda values: values - matrix @ values, columns, precision)

    found = in_threads(part, blocks, n_threads, matrix.nnz * right.shape[1])
    return np.concatenate(found, axis=1)


def reached(graph: Graph, labeled: Mask) -> Mask:
    """Which documents a path of edges joins to a labeled one; these themselves included."""
    _, component = connected_components(graph, directed=False)
    has = np.zeros(component.max() + 1, dtype=bool)
    has[component[labeled]] = True
    return has[component]


def harmonic(graph: Graph, start: Floats, labeled: Mask, n_threads: int | None = None) -> Floats:
    """f_u = -L_uu^-1 L_ul f_l, L = D - W: each unlabeled document is the mean of its neighbors.

    With g = D_uu^1/2 f_u it is (I - D_uu^-1/2 W_uu D_uu^-1/2) g = D_uu^-1/2 W_ul f_l, which has a diagonal of
    ones.
    """
    found = np.where(labeled[:, np.newaxis], start, 0.0)
    unknown = np.flatnonzero(reached(graph, labeled) & ~labeled)
    if len(unknown):
        inner, outer, root = unlabeled_part(graph, unknown, labeled)
        pull = np.asarray(outer @ start[labeled]) / root[:, np.newaxis]
        solved = solve_in_parts(inner, pull, n_threads) / root[:, np.newaxis]
        # A mean is never more than 1; where edges to all labels are next to nothing, rounding may be.
        found[unknown] = np.clip(solved, 0.0, 1.0)
    return found


def unlabeled_part(
    graph: Graph, unknown: np.ndarray, labeled: Mask
) -> tuple[sparse.csr_array, sparse.csr_array, Floats]:
    """D_uu^-1/2 W_uu D_uu^-1/2, W_ul, and the diagonal of D_uu^1/2."""
    root = np.sqrt(degrees(graph)[unknown])
    rows, scale = sparse.csr_array(graph[unknown]), sparse.diags_array(1 / root)
    return sparse.csr_array(scale @ rows[:, unknown] @ scale), sparse.csr_array(rows[:, labeled]), root


def spreading(graph: Graph, start: Floats, alpha: float, n_threads: int | None = None) -> Floats:
    """F = (1 - alpha) (I - alpha D^-1/2 W D^-1/2)^-1 Y."""
    found = solve_in_parts(alpha * normalized(graph), (1 - alpha) * start, n_threads)
    return np.maximum(found, 0.0)


def random_walk(graph: Graph, start: Floats, labeled: Mask, steps: int) -> Floats:
    """P(y|j) = sum_i P(y|i) P_0|t(i|j): where a walk that has come to j after t steps may have begun.

    The graph has a loop of weight 1 at every document, A = D^-1 W has the probabilities of a step, and all
    documents are as probable to begin at: P_0|t(i|j) = [A^t]_ij / sum_k [A^t]_kj. P(y|i) is learned by EM,
    for the highest sum of log P(y_j|j) over the labeled documents; it is 0 for all y where no label is
    reached.
    """
    looped = graph + sparse.eye_array(graph.shape[0], format="csr")
    step = sparse.csr_array(sparse.diags_array(1 / degrees(looped)) @ looped)
    back = sparse.csr_array(step.T)

    def walked(matrix: sparse.csr_array, values: Floats) -> Floats:
        for _ in range(steps):
            values = np.asarray(matrix @ values)
        return values

    arrived = walked(back, np.ones((len(start), 1)))  # sum_k [A^t]_kj
    known = labeled[:, np.newaxis] * start / arrived
    begun = row_shares(walked(step, known))  # EM's first round, from P(y|i) that are alike
    for _ in range(_ROUNDS - 1):
        posterior = walked(back, begun) / arrived
        told = known / np.where(known > 0, np.maximum(posterior, np.finfo(float).tiny), 1.0)
        begun = row_shares(begun * walked(step, told))
    return walked(back, begun) / arrived


def reconstruction(neighbors: Neighbors, places: Real) -> sparse.csr_array:
    """(D, D): the weights, not below 0, that sum to one and make a document best of its neighbors.

    min |x_i - sum_j w_ij x_j|^2 = w' G w with G_jk = (x_i - x_j)'(x_i - x_k), to whose diagonal a thousandth
    of its mean is added. With G = R'R it is min |R v|^2 + (1 - sum v)^2 over v >= 0, which is least at a
    multiple of w: one problem of non-negative least squares a document.
    """
    n_documents, k = neighbors.document.shape
    weight = np.zeros((n_documents, k))
    for begin in range(0, n_documents, _PATCHES):
        document = neighbors.document[begin : begin + _PATCHES]
        near = neighbors.cosine[begin : begin + _PATCHES] > 0
        apart = (places[begin : begin + _PATCHES, np.newaxis] - places[document]).astype(np.float64)
        gram = apart @ apart.transpose(0, 2, 1)
        mean = np.trace(gram, axis1=1, axis2=2) / max(k, 1)
        gram += (_SOFTNESS * mean + np.finfo(np.float32).eps)[:, np.newaxis, np.newaxis] * np.eye(k)
        root = np.linalg.cholesky(gram).transpose(0, 2, 1)
        for place in np.flatnonzero(near.any(axis=1)).tolist():
            some = near[place]
            # A column that is left out is one of a document that is no neighbor.
            rows = np.vstack([root[place][:, some], np.ones(some.sum())])
            found = nnls(rows, np.append(np.zeros(k), 1.0))[0]
            weight[begin + place, some] = found / found.sum()
    return neighbors.matrix(weight)


def linear_neighborhoods(weights: sparse.csr_array, start: Floats, alpha: float) -> Floats:
    """F = (1 - alpha) (I - alpha W)^-1 Y, by F <- alpha W F + (1 - alpha) Y: W is not symmetric."""
    found = start
    for _ in range(_MAX_STEPS):
        before, found = found, alpha * np.asarray(weights @ found) + (1 - alpha) * start
        if np.abs(found - before).max() <= _PRECISION * (1 - alpha):
            break
    return found


def smooth_vectors(graph: Graph, n_vectors: int) -> Floats:
    """(D, n): the eigenvectors of L = I - D^-1/2 W D^-1/2 with the smallest eigenvalues but for the first."""
    n_documents = graph.shape[0]
    matrix, number = normalized(graph), min(n_vectors + 1, n_documents)
    if n_documents <= max(_DENSE, 2 * number):
        values, vectors = np.linalg.eigh(np.eye(n_documents) - matrix.toarray())
        order = np.argsort(values, kind="stable")[:number]
        return vectors[:, order[1:]]
    begin = np.random.RandomState(0).uniform(0.5, 1.0, n_documents)
    values, vectors = eigsh(matrix, number, which="LA", v0=begin, tol=1e-4)
    return vectors[:, np.argsort(-values, kind="stable")[1:]]


def spectral(vectors: Floats, start: Floats, labeled: Mask) -> Floats:
    """The spectral graph transducer, one class against the rest, from 0 (rest) to 1 (class).

    z = V s for the s with s's = D, the number of documents, that makes

        s' diag(1, 4, 9, ...) s + c (V s - g)' C (V s - g)

    smallest. g is sqrt(l- / l+) where a document is of the class, -sqrt(l+ / l-) where it is of another, and
    stands for 1 and 0 in what is given back. C weighs both sides of the l labeled documents alike,
    l / (2 l+) and l / (2 l-), and is 0 for all others.
    """
    if start.shape[1] == 1:  # there is no rest
        return np.ones_like(start)
    found = np.zeros_like(start)
    rows = vectors[labeled]
    for column in range(start.shape[1]):
        positive = start[labeled, column] > 0
        n_positive, n_negative = positive.sum(), (~positive).sum()
        high, low = np.sqrt(n_negative / n_positive), -np.sqrt(n_positive / n_negative)
        cost = _LABEL_COST * len(rows) / (2 * np.where(positive, n_positive, n_negative))
        matrix = rows.T @ (cost[:, np.newaxis] * rows) + np.diag(np.arange(1.0, rows.shape[1] + 1) ** 2)
        wanted = rows.T @ (cost * np.where(positive, high, low))
        z = vectors @ _on_sphere(matrix, wanted, len(start))
        found[:, column] = np.clip((z - low) / (high - low), 0.0, 1.0)
    return found


def _on_sphere(matrix: Floats, wanted: Floats, square: float) -> Floats:
    """The s with s's = square and smallest s' M s - 2 b' s: (M - l I)^-1 b for the smallest such l.

    l is the smallest eigenvalue of [[M, -I], [-b b' / square, M]] (Gander, Golub and von Matt 1989). It is
    found as the root of sum_i (q_i'b)^2 / (m_i - l)^2 = square below the smallest eigenvalue m_1 of M.
    """
    values, basis = np.linalg.eigh(matrix)
    part = basis.T @ wanted
    size = np.linalg.norm(part)
    if size == 0:
        return np.zeros_like(wanted)
    # Between these the sum falls from more than the square to less.
    low = values[0] - size / np.sqrt(square)
    high = values[0] - abs(part[0]) / np.sqrt(square)
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < values[0]:
            break
        if np.sum((part / (values - middle)) ** 2) > square:
            high = middle
        else:
            low = middle
    return basis @ (part / np.maximum(values - low, np.finfo(float).tiny))
