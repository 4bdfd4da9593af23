"""What known ways to learn from positive and unlabeled documents share: vectors, and a rule in the end.

They are the systems that topic-sensitive PLSA is measured by in Zhou et al. (2010, section 4.3), each a thin
estimator: what is not scikit-learn's is the way in which negatives are found, or done without. Where they do
other than their authors say, it is said why: most of it keeps them alive with ten positive documents.
"""

from dataclasses import KW_ONLY
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import PositiveClassifier, Rule
from plsa.estimators.scaling import CountScaler
from plsa.labels.reading import Known
from plsa.learning.scaling import Scaler

Matrix: TypeAlias = sparse.csr_array


class VectorClassifier(PositiveClassifier):
    """A classifier of documents as vectors; `_scaling` says what is made of counts, at unit length or not."""

    _attributes: ClassVar[str] = """
    scaler_
    """
    unit_length: ClassVar[bool] = True

    def _real(self) -> Any:
        return "float64"

    def _scaling(self) -> CountScaler:
        """What makes vectors of counts."""
        raise NotImplementedError

    def _learn_positives(self, counts: Counts, known: Known, *more: Any) -> Fitted:
        scaler = self._scaling().as_value().fit(counts)
        fitted = self._scaling().fitted(scaler, counts.n_words)
        return {"scaler_": fitted} | self._learn_vectors(counts, self._vectors(counts, scaler), known)

    def _learn_vectors(self, counts: Counts, matrix: Matrix, known: Known) -> Fitted:
        """What is learned from the documents, as counts and as vectors."""
        raise NotImplementedError

    def _vectors(self, counts: Counts, scaler: Scaler | None = None) -> Matrix:
        """(D, W): the vectors of documents."""
        scaled = (scaler or self.scaler_.fitted_value()).scaled(counts)
        return _short_indices(scaled.unit_rows().matrix()) if self.unit_length else scaled.matrix()


def _short_indices(matrix: Matrix) -> Matrix:
    """The same matrix with 32-bit indices where they do: liblinear takes no others."""
    kind = np.int32 if matrix.nnz <= np.iinfo(np.int32).max else np.int64
    parts = (matrix.data, matrix.indices.astype(kind), matrix.indptr.astype(kind))
    return sparse.csr_array(parts, shape=matrix.shape)


@estimator
class TfidfClassifier(VectorClassifier):
    """A classifier of documents as TF-IDF at unit length, or as counts at unit length."""

    _: KW_ONLY
    tfidf: bool = True

    def _scaling(self) -> CountScaler:
        return CountScaler("log" if self.tfidf else "raw", idf=self.tfidf, length=None)


class LinearClassifier(VectorClassifier):
    """A classifier that is one rule in the end."""

    _attributes: ClassVar[str] = """
    coef_, intercept_
    """

    def _learn_vectors(self, counts: Counts, matrix: Matrix, known: Known) -> Fitted:
        # Products of vectors as long as a vocabulary: threads cost more than they bring, and change the bits.
        with threadpool_limits(1, user_api="blas"):
            rule, found = self._learn_rule(counts, matrix, known)
        return found | {"coef_": rule.weights, "intercept_": rule.intercept}

    def _learn_rule(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Rule, Fitted]:
        """The rule, and what else is to be told of it."""
        raise NotImplementedError

    def _scores(self, counts: Counts) -> Floats:
        return Rule(self.coef_, self.intercept_).scores(self._vectors(counts))
