"""CountScaler: what to do with raw counts before a model sees them."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from plsa.engine.counts import Counts
from plsa.estimators.base import CountEstimator, Fitted
from plsa.estimators.parameters import estimator
from plsa.estimators.validation import check_weight
from plsa.inputs import is_auto
from plsa.learning.scaling import Scaler, Scaling


@estimator
class CountScaler(OneToOneFeatureMixin, TransformerMixin, CountEstimator):
    """Counts, damped, weighted by rarity and brought to one length, and still counts >= 0.

    In this order: n becomes tf(n); times idf(w) = log((1 + D) / (1 + D_w)) + 1, where D_w of the D training
    documents have word w; times what makes the document's total the given length. Empty documents stay empty.

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

    _parameters: ClassVar[str] = """
    tf : {"raw", "log", "binary"}
        n as it is, log(1 + n), or 1.
    idf : bool
        Whether rare words count more. What was learned in `fit` is used for new documents.
    length : None, "constant" or float > 0
        The total of every document: None leaves them as they are, "constant" gives all the mean total of the
        training documents. A long document then says no more about its topics than a short one, which keeps
        fold-in from being over-confident.
    """
    _attributes: ClassVar[str] = """
    idf_ : (n_features,) array or None
        What words are multiplied by; None where idf=False.
    length_ : float or None
        The total of every document; None where they keep theirs.
    """

    _knows_words: ClassVar[bool] = False

    tf: str = "log"
    idf: bool = False
    length: Any = "constant"

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns how rare each word is and how long documents are; a weight is a repetition."""
        return self._fit(X, sample_weight)

    def _learn(self, counts: Counts, *given: Any) -> Fitted:
        scaler = self.as_value().fit(counts, check_weight(given[0], counts.n_documents, np.float64))
        return {"idf_": scaler.idf, "length_": scaler.length}

    def as_value(self) -> Scaling:
        """The parameters as a value."""
        return Scaling(self.tf, self.idf, self.length)

    def fitted(self, scaler: Scaler, n_features: int) -> Self:
        """A scaler with the same parameters, fitted as the value was."""
        copy = type(self)(self.tf, self.idf, self.length)
        copy.idf_, copy.length_, copy.n_features_in_ = scaler.idf, scaler.length, n_features
        return copy

    def transform(self, X: Any) -> sparse.csr_array:
        """The scaled counts, sparse."""
        counts = self.checked_counts(X)
        return self.fitted_value().scaled(counts).matrix()

    def fitted_value(self) -> Scaler:
        """What was fitted, as a value."""
        return Scaler(self.tf, self.idf_, self.length_)


# What scaling="auto" chooses from, by the name that evidence has it under. No one of them is best on every
# corpus: constant length helps long documents on many classes and harms short ones on unbalanced classes.
_TRIED = (None, CountScaler(length=None), CountScaler(), CountScaler(idf=True))
CANDIDATES: dict[str, CountScaler | None] = {str(scaling): scaling for scaling in _TRIED}
DEFAULT = str(CountScaler())  # where there is no evidence
# Two that see documents differently guess as well together as all four do.
VIEWS = (str(None), str(CountScaler(idf=True)))


def named(scaling: Any) -> dict[str, CountScaler | None]:
    """What a parameter `scaling` stands for, by name: the candidates, or the one that was set."""
    return CANDIDATES if is_auto(scaling) else {str(scaling): scaling}


def default(scaling: Any) -> str:
    """The name of the one that is taken where there is no evidence."""
    return DEFAULT if is_auto(scaling) else str(scaling)


def views(scaling: Any) -> tuple[str, ...]:
    """The names of those under which guesses are made; the last is taken where there is no evidence."""
    return VIEWS if is_auto(scaling) else (str(scaling),)


def values(scaling: Any) -> dict[str, Scaling | None]:
    """The same as values."""
    return {name: None if each is None else each.as_value() for name, each in named(scaling).items()}


def fitted_scaling(scaling: CountScaler | None, scaler: Scaler | None, n_features: int) -> CountScaler | None:
    """A scaling that was set or chosen, fitted as the value was."""
    return None if scaling is None or scaler is None else scaling.fitted(scaler, n_features)
