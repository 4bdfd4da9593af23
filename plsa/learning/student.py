"""A linear student: what the labels and the guesses of a model teach a discriminative classifier.

An aspect model explains words; a linear model only separates classes, and with the aspect model's guesses as
labels it does that better than its teacher. It is least squares on TF-IDF, in a few steps of conjugate
gradients.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Codes, Floats, Real
from plsa.labels.corpus import Corpus
from plsa.learning.scaling import TFIDF, Scaler, vectors

# Found on three corpora together, at 0.3 to 100% labels.
_STEPS = 15  # of conjugate gradients, at most
_CLOSE = 3e-3  # of the first gradient: near enough
_DAMPING = 1 / 3  # power of a class's share that its documents' weights are divided by
DEFAULT_SHARPNESS = 4.0  # softmax(4 * score): scores are about -1 and 1
MIN_LABEL_WEIGHT = 2.0  # of a labeled document beside the ridge, and beside a sure guess
MAX_LABEL_WEIGHT = 10.0


@dataclass(frozen=True, slots=True)
class Student:
    """A linear classifier of counts: scores are log counts times idf, at unit length, times `weights`."""

    scaler: Scaler
    weights: Real  # (W, C)

    def scores(self, counts: Counts) -> Floats:
        """(D, C): about 1 for the class of a document and -1 for the others."""
        return self.scores_of(vectors(self.scaler, counts))

    def scores_of(self, matrix: sparse.csr_array) -> Floats:
        """The same of documents as `vectors` has them."""
        return np.asarray(matrix @ self.weights, dtype=np.float64)


def student_of_labels(corpus: Corpus) -> Student:
    """A student of a corpus that is labeled throughout."""
    scaler = TFIDF.fit(corpus.counts, corpus.weight)
    weight = MIN_LABEL_WEIGHT * corpus.weights()
    matrix = vectors(scaler, corpus.counts)
    return Student(scaler, teach(matrix, corpus.labels.code, weight, corpus.n_classes))


def probabilities(scores: Real, sharpness: float = DEFAULT_SHARPNESS) -> Array:
    """Scores as probabilities: softmax(sharpness * score), in the precision of the scores."""
    # SciPy's softmax in place: of very many documents and classes it is a good part of a quick model.
    result = scores * scores.dtype.type(sharpness)
    result -= result.max(axis=1, keepdims=True)
    np.exp(result, out=result)
    result /= result.sum(axis=1, keepdims=True)
    return result


def teach(matrix: sparse.csr_array, code: Codes, weight: Floats, n_classes: int) -> Real:
    """(W, C): the B that makes sum_d weight[d] |F[d] B - t(code[d])|^2 + |B|^2 small.

    t is 1 for the class and -1 for the others. Frequent classes are damped: a document's weight is divided
    by the cube root of its class's share of the weight. B is where conjugate gradients lead in a few steps
    from zero, all classes side by side.
    """
    share = np.bincount(code, weight, n_classes) * n_classes / weight.sum()
    weight = weight / (np.where(share > 0, share, 1) ** _DAMPING)[code]
    column = weight.astype(matrix.dtype)[:, np.newaxis]
    target = np.full((len(code), n_classes), -1, dtype=matrix.dtype)
    target[np.arange(len(code)), code] = 1
    transposed = matrix.T.tocsr()
    weights = np.zeros((matrix.shape[1], n_classes), dtype=matrix.dtype)
    residual = transposed @ (column * target)
    direction = residual.copy()
    square = _squares(residual)
    enough = _CLOSE**2 * square
    for _ in range(_STEPS):
        curved = transposed @ (column * (matrix @ direction)) + direction
        length = square / np.maximum(_squares(direction, curved), np.finfo(float).tiny)
        weights += length.astype(matrix.dtype) * direction
        residual -= length.astype(matrix.dtype) * curved
        before, square = square, _squares(residual)
        if np.all(square <= enough):
            break
        turn = square / np.maximum(before, np.finfo(float).tiny)
        direction = residual + turn.astype(matrix.dtype) * direction
    return weights


def _squares(a: Real, b: Real | None = None) -> Floats:
    """Sums of a * b (or a * a) over rows, in double, in one order whatever the number of threads."""
    product: Floats = np.einsum("wc,wc->c", a, a if b is None else b, dtype=np.float64)
    return product
