"""The risk of a Gaussian field after each possible answer, on the graph of the nearest documents."""

import numpy as np
from scipy import sparse

from plsa.active.pool import Documents
from plsa.baselines.neighbors import Graph
from plsa.baselines.propagation import degrees, solve_in_parts
from plsa.engine.parameters import Floats, Real
from plsa.labels.reading import Labels

_TIE = 0.05  # of a document to the class frequencies, beside its edges
_PRECISION = 0.003  # of the solutions, relative
_LEAST = 0.01  # of an answer that is worth supposing


def field_risks(
    graph: Graph, labels: Labels, candidates: Documents, *, precision: float = _PRECISION
) -> Floats:
    """The risk that is expected after the answer to each candidate, which have no label.

    f is the harmonic function of the labels, the mean of a document's neighbors and, of a weight of 1/20 of
    its edges, the class frequencies (a node of its own beside each document, as Zhu, Ghahramani and Lafferty
    2003 have it for what else is known): so there is one where no label is reached. With M the matrix of the
    unlabeled documents, L_uu + D_uu / 20, and f the solution of M f = W_ul f_l + D_uu p / 20, the answer y to
    document k makes

        f + (e_y - f_k) (M^-1)_.k / (M^-1)_kk

    of it, in closed form, and the risk is what is expected to be wrong then: the sum over the unlabeled
    documents of 1 - max_c f_ic. It is weighted by f_ky (Zhu, Lafferty and Ghahramani, "Combining Active
    Learning and Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions", ICML 2003 workshop;
    Krithara 2008, algorithm 13), over the answers that are not unlikely. Only the columns of M^-1 of the
    candidates are worked out, by conjugate gradients, in float32.
    """
    n_classes, labeled = len(labels.classes), labels.labeled
    number = np.bincount(labels.code[labeled], minlength=n_classes) + 1.0
    unknown = np.flatnonzero(~labeled)
    whole = degrees(graph)
    degree = np.where(whole > 0, whole, 1.0)[unknown]
    root = np.sqrt((1 + _TIE) * degree).astype(np.float32)[:, np.newaxis]
    rows = sparse.csr_array(graph[unknown])
    scale = sparse.diags_array(1 / root[:, 0])
    inner = sparse.csr_array(scale @ rows[:, unknown] @ scale).astype(np.float32)
    pull = (
        np.asarray(rows[:, labeled] @ labels.one_hot()) + _TIE * degree[:, np.newaxis] * number / number.sum()
    )
    place = np.searchsorted(unknown, candidates)
    asked = np.zeros((len(unknown), len(place)), dtype=np.float32)
    asked[place, np.arange(len(place))] = 1.0
    right = np.concatenate([pull.astype(np.float32), asked], axis=1) / root
    found = solve_in_parts(inner, right, 1, precision) / root
    field, columns = np.ascontiguousarray(found[:, :n_classes].T), found[:, n_classes:]
    return np.array([_risk(field, int(k), columns[:, at]) for at, k in enumerate(place)], dtype=np.float64)


def _risk(field: Real, k: int, column: Real) -> float:
    """The risk expected after the answer to one document; (C, unlabeled) values of the field."""
    before, change = field[:, k].astype(np.float64), column / column[k]
    likely = np.flatnonzero(before >= min(_LEAST, before.max()))
    share = before[likely] / before[likely].sum()
    left = field - before[:, np.newaxis].astype(field.dtype) * change  # where an answer is of no class
    highest, risk = left.max(axis=0), 0.0
    for part, of_class in zip(share, likely, strict=True):  # no change is below 0
        risk += part * float(np.sum(1 - np.maximum(left[of_class] + change, highest), dtype=np.float64))
    return risk
