"""CountScaler: what to do with raw counts before a model sees them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from plsa import inputs
from plsa.engine.counts import Counts


class CountScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Counts, damped, weighted by rarity and brought to one length, and still counts >= 0.

    In this order: n becomes tf(n); times idf(w) = log((1 + D) / (1 + D_w)) + 1, where D_w of the D training
    documents have word w; times what makes the document's total the given length. Empty documents stay empty.

    Parameters
    ----------
    tf : {"raw", "log", "binary"}, default="log"
        n as it is, log(1 + n), or 1.
    idf : bool, default=False
        Whether rare words count more. What was learnt in `fit` is used for new documents.
    length : None, "constant" or a number, default="constant"
        The total of every document: None leaves them as they are, "constant" gives all the mean total of the
        training documents. A long document then says no more about its topics than a short one, which keeps
        fold-in from being over-confident.

    Attributes
    ----------
    idf_ : (n_features,) array, or None where idf=False
    length_ : float or None

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import CountScaler
    >>> X = np.array([[3, 1, 0], [1, 0, 1]])
    >>> CountScaler(tf="binary", length="constant").fit_transform(X).toarray()
    array([[1., 1., 0.],
           [1., 0., 1.]], dtype=float32)
    >>> CountScaler(tf="raw", length=10).fit_transform(X).toarray()
    array([[7.5, 2.5, 0. ],
           [5. , 0. , 5. ]], dtype=float32)
    """

    def __init__(self, tf: str = "log", idf: bool = False, length: Any = "constant") -> None:
        self.tf = tf
        self.idf = idf
        self.length = length

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns how rare each word is and how long documents are; a weight is a repetition."""
        inputs.check_choice(self.tf, "tf", ["raw", "log", "binary"])
        inputs.check_choice(self.idf, "idf", [True, False])
        if self.length is not None and self.length != "constant":
            inputs.check_number(self.length, "length", above=0)
        with inputs.all_or_nothing(self):
            self._learn(X, sample_weight)
        return self

    def _learn(self, X: Any, sample_weight: ArrayLike | None) -> None:
        counts = inputs.check_counts(self, X, reset=True)
        weight = inputs.check_weight(sample_weight, counts.n_documents, np.float64)
        self.idf_ = None
        if self.idf:
            present = counts.with_counts((counts.count > 0).astype(counts.dtype))
            n = counts.n_documents if weight is None else weight.sum()
            self.idf_ = np.log((1 + n) / (1 + present.word_totals(weight))) + 1
        if self.length is None:
            self.length_ = None
        elif self.length == "constant":
            # Empty documents have no length to share in the mean.
            totals = self._damped(counts).lengths()
            full = totals > 0
            share = full.astype(np.float64) if weight is None else weight * full
            self.length_ = float((totals * share).sum() / share.sum()) if share.sum() > 0 else 1.0
        else:
            self.length_ = float(self.length)

    def transform(self, X: Any) -> sparse.csr_array:
        """The scaled counts, sparse."""
        check_is_fitted(self)
        return self.scaled(inputs.check_counts(self, X, reset=False)).matrix()

    def scaled(self, counts: Counts) -> Counts:
        """The same for counts that are checked already."""
        damped = self._damped(counts)
        if self.length_ is None:
            return damped
        totals = damped.lengths()
        factor = np.divide(self.length_, totals, out=np.zeros_like(totals), where=totals > 0)
        each = np.repeat(factor.astype(counts.dtype), np.diff(counts.offset))
        return damped.with_counts(damped.count * each)

    def _damped(self, counts: Counts) -> Counts:
        value = counts.count
        if self.tf == "log":
            value = np.log1p(value)
        elif self.tf == "binary":
            value = (value > 0).astype(counts.dtype)
        if self.idf_ is not None:
            value = value * self.idf_.astype(counts.dtype)[counts.word]
        return counts.with_counts(value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
