"""What known ways to learn from few labels share: documents as vectors.

Those that learn from positive and unlabeled documents are the systems that topic-sensitive PLSA is measured
by in Zhou et al. (2010, section 4.3); those that learn classes are numbered algorithms of Krithara's thesis
(2008). Each is a thin estimator. Where they do other than their authors say, it is said why: most of it keeps
them alive with ten labeled documents.
"""

from dataclasses import KW_ONLY
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats
from plsa.estimators.base import CountEstimator, Fitted, LabelClassifier, ProbableClasses
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import PositiveClassifier, Rule
from plsa.estimators.scaling import CountScaler
from plsa.labels.corpus import Corpus, check_some_words
from plsa.labels.reading import Known, Labels
from plsa.learning.parts import Parts
from plsa.learning.scaling import Scaler

Matrix: TypeAlias = sparse.csr_array


class VectorEstimator(CountEstimator):
    """An estimator of documents as vectors; `_scaling` says what is made of counts, at unit length or not."""

    _attributes: ClassVar[str] = """
    scaler_
    """
    unit_length: ClassVar[bool] = True

    def _real(self) -> Any:
        return "float64"

    def _scaling(self) -> CountScaler:
        """What makes vectors of counts."""
        raise NotImplementedError

    def _fit_vectors(self, counts: Counts) -> tuple[Fitted, Matrix]:
        """What makes vectors of counts, fitted, as an attribute; and what it makes of these."""
        scaler = self._scaling().as_value().fit(counts)
        fitted = self._scaling().fitted(scaler, counts.n_words)
        return {"scaler_": fitted}, self._vectors(counts, scaler)

    def _vectors(self, counts: Counts, scaler: Scaler | None = None) -> Matrix:
        """(D, W): the vectors of documents."""
        scaled = (scaler or self.scaler_.fitted_value()).scaled(counts)
        return short_indices(scaled.unit_rows().matrix()) if self.unit_length else scaled.matrix()


def short_indices(matrix: Matrix) -> Matrix:
    """The same matrix with 32-bit indices where they do: liblinear and trees take no others."""
    kind = np.int32 if matrix.nnz <= np.iinfo(np.int32).max else np.int64
    parts = (matrix.data, matrix.indices.astype(kind), matrix.indptr.astype(kind))
    return sparse.csr_array(parts, shape=matrix.shape)


@estimator
class TfidfEstimator(VectorEstimator):
    """An estimator of documents as TF-IDF at unit length, or as counts at unit length."""

    _: KW_ONLY
    tfidf: bool = True

    def _scaling(self) -> CountScaler:
        return CountScaler("log" if self.tfidf else "raw", idf=self.tfidf, length=None)


class VectorClassifier(VectorEstimator, PositiveClassifier):
    """A classifier that is shown positive documents, as vectors."""

    def _learn_positives(self, counts: Counts, known: Known, *more: Any) -> Fitted:
        found, matrix = self._fit_vectors(counts)
        return found | self._learn_vectors(counts, matrix, known)

    def _learn_vectors(self, counts: Counts, matrix: Matrix, known: Known) -> Fitted:
        """What is learned from the documents, as counts and as vectors."""
        raise NotImplementedError


@estimator
class TfidfClassifier(TfidfEstimator, VectorClassifier):
    """A classifier that is shown positive documents, as TF-IDF."""


@estimator
class LabeledVectors(TfidfEstimator, LabelClassifier):
    """A classifier of documents as vectors, some of which have a label."""

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        check_some_words(corpus.counts)
        found, matrix = self._fit_vectors(corpus.counts)
        # Products of vectors as long as a vocabulary: threads cost more than they bring, and change the bits.
        with threadpool_limits(1, user_api="blas"):
            return found | self._learn_vectors(matrix, corpus.labels)

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        """What is learned from documents at unit length and the labels of some."""
        raise NotImplementedError

    def _class_scores(self, counts: Counts) -> Floats:
        with threadpool_limits(1, user_api="blas"):
            return self._vector_scores(self._vectors(counts))

    def _vector_scores(self, matrix: Matrix) -> Floats:
        """(D, C): what documents as vectors have for each class that was learned; the highest wins."""
        raise NotImplementedError


class DecidingVectors(LabeledVectors):
    """A classifier of vectors whose scores are no probabilities."""

    def decision_function(self, X: Any) -> Floats:
        """How much each document is of each class, columns in the order of `classes_`; the highest wins.

        Of two classes it is one number a document, above 0 where it is of the second.
        """
        scores = self._of_all(self._class_scores(self.checked_counts(X)), -np.inf)
        return scores if len(self.classes_) != 2 else np.asarray(scores[:, 1] - scores[:, 0])


class ProbableVectors(LabeledVectors, ProbableClasses):
    """A classifier of vectors whose scores are P(class|document)."""


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

    def _parts(self, counts: Counts) -> Parts:
        return Rule(self.coef_, self.intercept_).parts(self._vectors(counts))
