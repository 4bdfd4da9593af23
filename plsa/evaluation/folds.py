"""Folds and scores of partly labeled documents, usable wherever scikit-learn takes a splitter or a scorer.

scikit-learn knows nothing of missing labels. What works in one line:

    cross_val_score(model, X, y, cv=LabeledKFold(3))          any `scoring`, any mark
    GridSearchCV(model, grid, cv=LabeledKFold(3)).fit(X, y)   the same
    plsa.cross_val_predict(model, X, y, cv=3)                 instead of scikit-learn's
    labeled_scorer("accuracy")                                as `scoring`, with a splitter of scikit-learn's

The notes of `LabeledKFold` say what goes wrong otherwise, and what is seen of it.
"""

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import BaseCrossValidator, check_cv
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.engine.parameters import Mask, Places
from plsa.estimators.validation import check_labels, read_labels, warn_of_doubts
from plsa.inputs.structure import check_structure
from plsa.labels.reading import UNLABELED, Labels, is_unlabeled

DEFAULT_FOLDS = 5

Splits = list[tuple[Places, Places]]  # the documents of the training part and of the test fold


class LabeledKFold(BaseCrossValidator):
    """Stratified folds of the labeled documents; the unlabeled ones are in every training part.

    Every labeled document is held out once, unless it is the only one of its class: those are never held
    out, so that every class is in every training part. No test fold has an unlabeled document. Folds differ
    by at most one document, in all and of each class; a class with fewer than `n_splits` documents is in as
    many folds as it has documents.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=True
        Whether the documents of a class are dealt to the folds at random. False keeps them together as they
        stand.
    random_state : int, RandomState or None, default=0
        Seed of the shuffling: two calls agree. None gives other folds at every call.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None, NaN and blank strings do so always. None:
        only they do.

    Notes
    -----
    The y that an estimator is given for a training part still has its marks: give it the same `unlabeled`.
    Scorers that need all classes in every fold, such as "neg_log_loss", need `n_splits` documents per class.

    With labels missing, `cv=LabeledKFold(3)` is what `cross_val_score`, `cross_validate` and `GridSearchCV`
    need, with any `scoring`. With an ordinary `cv=3`, which stratifies by y, marks and all, or with another
    splitter of scikit-learn's, they and `cross_val_predict` fail in its own code, or do not fail:

    - "'<' not supported between instances of 'NoneType' and 'str'" (or 'float' and 'str', or 'int' and 'str')
      and "Input y contains NaN.": `cv=3` sorts y to stratify by it (unless the first of several names is
      missing: then it does neither). Pass `cv=LabeledKFold(3)`.
    - Scores of nan, with "Scoring failed" in a warning: the metric was given None or NaN. Pass
      `cv=LabeledKFold(3)` or `scoring=labeled_scorer("accuracy")`. Without `scoring`, our classifiers score
      themselves, and leave out what has no label.
    - "cross_val_predict only works for partitions": it wants every document held out, and here those
      without a label never are. Use `plsa.cross_val_predict`.
    - Scores far too low, without a word: the mark is -1 (or a word of yours), and `scoring="accuracy"`, or
      any other metric by name, took it for a class that is never predicted. Nothing of this package is told
      which labels are compared. Pass `cv=LabeledKFold(3)` or `scoring=labeled_scorer("accuracy")`; None as
      the mark gives nan instead.
    - One column too many, without a word: `cross_val_predict(method="predict_proba")` of scikit-learn numbers
      the entries of y before the fit, which takes the mark for a class. Use `plsa.cross_val_predict`.

    Examples
    --------
    >>> from plsa import LabeledKFold
    >>> y = ["food", "food", None, "sport", "sport", None, "music"]
    >>> folds = LabeledKFold(n_splits=2, shuffle=False)
    >>> for train, test in folds.split(y, y):
    ...     print(train, test)
    [1 2 4 5 6] [0 3]
    [0 2 3 5 6] [1 4]
    """

    def __init__(
        self,
        n_splits: int = DEFAULT_FOLDS,
        *,
        shuffle: bool = True,
        random_state: Any = 0,
        unlabeled: Any = UNLABELED,
    ) -> None:
        self.n_splits = inputs.check_whole(n_splits, "n_splits", 2)
        self.shuffle = inputs.check_choice(shuffle, "shuffle", [True, False])
        self.random_state = random_state
        self.unlabeled = unlabeled

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """`n_splits`, whatever is given."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Places, Places]]:
        """The documents, ascending, of the training part and of the test fold, fold after fold."""
        if groups is not None:
            inputs.warn("The groups parameter is ignored by LabeledKFold")
        return self.of_labels(read_labels(y, _num_samples(X), self.unlabeled))

    def of_labels(self, labels: Labels) -> Iterator[tuple[Places, Places]]:
        """The same, of labels that were read already."""
        fold = self._fold_of(labels)
        return ((np.flatnonzero(fold != part), np.flatnonzero(fold == part)) for part in range(self.n_splits))

    def _fold_of(self, labels: Labels) -> Places:
        """The fold that each document is held out in; -1: it never is."""
        held = may_be_held_out(labels)
        n_held, n_labeled = int(held.sum()), int(labels.labeled.sum())
        if n_held == 0:
            raise ValueError(
                f"y labels {n_labeled} documents, each the only one of its class: none can be held out and "
                "leave its class in training. Label at least two documents of some class."
            )
        if n_held < self.n_splits:
            alone = f", of which {n_labeled - n_held} are the only one of their class"
            raise ValueError(
                f"n_splits == {self.n_splits}, but only {n_held} documents can be held out: {n_labeled} have "
                f"a label{alone if n_held < n_labeled else ''}. Pass n_splits <= {n_held}, or label more."
            )
        rng = check_random_state(self.random_state) if self.shuffle else None
        fold = np.full(len(held), -1)
        dealt = 0  # each class goes on where the last one ended: no fold gets all the remainders
        for code in np.unique(labels.code[held]):
            of_class = np.flatnonzero(labels.code == code)
            folds = np.sort((dealt + np.arange(len(of_class))) % self.n_splits)
            fold[of_class] = folds if rng is None else rng.permutation(folds)
            dealt += len(of_class)
        return fold


def may_be_held_out(labels: Labels) -> Mask:
    """Which documents have a label that another one has too."""
    count = np.bincount(labels.code[labels.labeled], minlength=len(labels.classes))
    held = labels.labeled.copy()
    held[held] = count[labels.code[held]] > 1
    return held


def splits_of(cv: Any, X: Any, y: Any, labels: Labels) -> Splits:
    """The folds that `cv` stands for: a number is that of a `LabeledKFold`.

    None is 5, or fewer where no more documents can be held out.
    """
    if cv is None:
        cv = max(2, min(DEFAULT_FOLDS, int(may_be_held_out(labels).sum())))
    if isinstance(cv, numbers.Integral):
        return list(LabeledKFold(int(cv)).of_labels(labels))
    return list(check_cv(cv).split(X, y))


def of_documents(params: dict[str, Any], documents: Places, n_documents: int) -> dict[str, Any]:
    """Weights and the like go with their documents; other parameters stay."""
    return {
        name: _safe_indexing(value, documents) if np.ndim(value) and len(value) == n_documents else value
        for name, value in params.items()
    }


class _LabeledScorer:
    """What `labeled_scorer` gives: a class, so that it can be pickled and shown."""

    def __init__(self, scorer: Any, unlabeled: Any) -> None:
        self.scorer = scorer
        self.unlabeled = unlabeled

    def __call__(self, estimator: Any, X: Any, y: Any, **params: Any) -> Any:
        check_structure(X)
        n_documents = _num_samples(X)
        y = check_labels(y, n_documents)
        missing = is_unlabeled(y, self.unlabeled)
        known = np.flatnonzero(~missing)
        if not len(known):
            nothing = f"none of the {n_documents} documents to score has a label: the score is nan."
            inputs.warn(f"{nothing} Split with LabeledKFold.")
            return float("nan")
        if missing.any():
            (X,) = indexable(X)
            X, params = _safe_indexing(X, known), of_documents(params, known, n_documents)
        # The type that labels share: scikit-learn does not know what to do with numbers among objects.
        y = np.array(y[known].tolist()) if y.dtype.kind == "O" else y[known]
        if self.unlabeled is not None:
            warn_of_doubts(Labels.of(y, missing))
        return self.scorer(estimator, X, y, **params)

    def get_metadata_routing(self) -> Any:
        """What the scorer inside asks for."""
        return get_routing_for_object(self.scorer)

    def __repr__(self) -> str:
        return f"labeled_scorer({self.scorer!r}, unlabeled={self.unlabeled!r})"


def labeled_scorer(scoring: Any = "accuracy", unlabeled: Any = -1) -> Any:
    """A scorer that leaves the documents without a label out of what is scored.

    For splitters that know nothing of missing labels and let such documents into test folds, where a metric
    by name, such as `scoring="accuracy"`, gives nan or counts each of them as an error. A fold without any
    label scores nan, with a warning. With `cv=LabeledKFold(3)` there is no need of it; with `cv=3` and None
    among names scikit-learn fails before anything is scored ("'<' not supported between instances of
    'NoneType' and 'str'"): pass `cv=LabeledKFold(3)` or `cv=KFold(3, shuffle=True)`.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        The name of a scikit-learn scorer, or a callable(estimator, X, y).
    unlabeled : default=-1
        The entry of y that marks a document without a label; None, NaN and blank strings do so always. None:
        only they do.

    Returns
    -------
    callable(estimator, X, y)
        For the `scoring` of GridSearchCV, cross_val_score and the like.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from plsa import labeled_scorer
    >>> X = np.ones((4, 1))
    >>> always = DummyClassifier(strategy="constant", constant=1).fit(X, [0, 1, 1, 1])
    >>> labeled_scorer("accuracy")(always, X, [1, 0, -1, -1])
    0.5
    """
    return _LabeledScorer(get_scorer(scoring), unlabeled)
