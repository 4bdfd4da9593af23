"""Supervised PLSA: every class has its topics, and a document only those of its class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from plsa import em, inputs, start
from plsa.aspect import AspectModel
from plsa.counts import Counts
from plsa.parameters import Parameters, Real, padded, unpadded
from plsa.scaling import CountScaler
from plsa.steps import GatedSteps
from plsa.supervision import (
    UNLABELLED,
    Labels,
    class_frequencies,
    label_topic,
    lay_out,
    read_labels,
)

# What scaling="auto" chooses from. No one of them is best on every corpus: constant length helps long
# documents on many classes and harms short ones on unbalanced classes.
_SCALINGS: tuple[CountScaler | None, ...] = (
    None,
    CountScaler(tf="log", length=None),
    CountScaler(tf="log", length="constant"),
    CountScaler(tf="log", idf=True, length="constant"),
)
_MOST_TRIED = 3000  # labelled documents that the choice is made on


class PLSAClassifier(ClassifierMixin, AspectModel):
    """Supervised PLSA: P(w|d) = sum over the topics of d's class of P(z|d) P(w|z).

    A labelled document may use the topics of its class and the extra topics; what EM climbs is that of
    `PLSA` under this restriction. A new document is folded in with all topics open, and its class is
    P(y|d) = sum_z P(z|d) P(y|z). Documents without a label are left out (see the semi-supervised models for
    using them).

    Parameters
    ----------
    topics_per_class : int, list or dict, default=1
        Topics of each class: one number, one for each class in sorted order, or a mapping from class to
        number.
    extra_topics : int, default=0
        Topics open to every class. Whose they are is learnt: P(y|z) follows from the documents that use them.
    scaling : "auto", None or CountScaler, default="auto"
        What is done to the counts first. None takes them as they are. "auto" tries four ways by
        cross-validation on the labelled documents and keeps the best; with too few labels to hold any out
        it takes log counts at constant length.
    smoothing : float, default=0.01
        Pseudo-count of every word in every topic.
    prior_strength : float, default=5.0
        Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes
        are, in the fit and in prediction. Without it a short document of a frequent class is too easily
        taken for one of a rare class.
    max_iter, tol, n_init, accelerate, fold_iter, fold_tol, dtype, random_state, n_threads, verbose, callback
        As for `PLSA`; max_iter is 30 here: more passes raise the likelihood and not the accuracy.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None and NaN do so always. None: only they do.

    Attributes
    ----------
    classes_ : array
    components_ : (n_topics, n_features) array
        P(w|z), topics in the order of their classes, extra ones last.
    topic_class_ : (n_topics,) array of int
        The place in `classes_` of each topic's class; -1 for extra topics.
    label_topic_ : (n_classes, n_topics) array
        P(y|z).
    class_prior_ : (n_classes,) array
        How frequent the classes are among the labelled documents, each counted once more.
    scaling_ : CountScaler or None
        What is done to the counts, fitted.
    scaling_scores_ : dict
        The cross-validated accuracy of each scaling that "auto" tried; empty where it tried none.
    topic_prior_, doc_topic_, objective_trace_, log_likelihood_, n_iter_, stop_reason_, n_impossible_,
    n_features_in_, feature_names_in_
        As for `PLSA`; `doc_topic_` has the labelled documents only, in their order.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from plsa import PLSAClassifier
    >>> texts = ["tea milk tea", "milk tea cup", "goal ball goal", "ball team goal"]
    >>> model = make_pipeline(CountVectorizer(), PLSAClassifier(random_state=0))
    >>> model.fit(texts, ["food", "food", "sport", "sport"]).predict(["a cup of milk", "the team"])
    array(['food', 'sport'], dtype='<U5')
    """

    def __init__(
        self,
        topics_per_class: Any = 1,
        extra_topics: int = 0,
        *,
        scaling: Any = "auto",
        smoothing: float = 0.01,
        prior_strength: float = 5.0,
        max_iter: int = 30,
        tol: float = 1e-4,
        n_init: int = 1,
        accelerate: bool = False,
        fold_iter: int = 100,
        fold_tol: float = 1e-4,
        dtype: Any = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: int = 0,
        callback: em.Callback | None = None,
        unlabeled: Any = UNLABELLED,
    ) -> None:
        self.topics_per_class = topics_per_class
        self.extra_topics = extra_topics
        self.scaling = scaling
        self.smoothing = smoothing
        self.prior_strength = prior_strength
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.accelerate = accelerate
        self.fold_iter = fold_iter
        self.fold_tol = fold_tol
        self.dtype = dtype
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback
        self.unlabeled = unlabeled

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the topics of every class from the labelled documents; a weight is a repetition."""
        self._check_loop_parameters()
        extra = inputs.check_whole(self.extra_topics, "extra_topics", 0)
        if self.scaling is not None and not isinstance(self.scaling, CountScaler):
            inputs.check_choice(self.scaling, "scaling", ["auto", None, "a CountScaler"])
        counts = inputs.check_counts(self, X, reset=True, dtype=self.dtype)
        labels = read_labels(y, counts.n_documents, self.unlabeled)
        weight = inputs.check_weight(sample_weight, counts.n_documents, counts.dtype)
        layout = lay_out(inputs.check_topics_per_class(self.topics_per_class, labels.classes), extra)
        known = np.flatnonzero(labels.labelled)
        if len(known) < counts.n_documents:
            counts = counts.of_documents(known)
            labels = Labels(labels.classes, labels.code[known])
            weight = None if weight is None else weight[known]
        inputs.check_some_words(counts)
        class_prior = class_frequencies(labels, weight)
        chosen: Any = self.scaling
        scores: dict[str, float] = {}
        if isinstance(chosen, str):
            chosen, scores = self._choose_scaling(counts, labels, weight)
        scaling = None if chosen is None else clone(chosen).fit(counts.matrix(), None, weight)
        scaled = counts if scaling is None else scaling.scaled(counts)

        prior = layout.topic_prior(class_prior)
        of_class = layout.allowed() * prior
        doc_start = padded(of_class / of_class.sum(axis=1, keepdims=True), counts.dtype)
        gate = padded(layout.allowed(), counts.dtype)
        steps = GatedSteps(
            scaled,
            layout.n_topics,
            state=labels.code,
            prior=doc_start * counts.dtype.type(self.prior_strength) if self.prior_strength else None,
            fallback=doc_start,
            smoothing=float(self.smoothing),
            weight=weight,
            n_threads=self.n_threads,
        )
        rng = check_random_state(self.random_state)

        def drawn() -> Parameters:
            words = start.words_from_labels(scaled, labels, layout, weight, rng)
            return start.assemble(scaled, words, gate, doc_start, labels.code)

        fit = self._best_run(steps, [drawn] * self.n_init)
        state_count = steps.expect(fit.parameters).state[:, : layout.n_topics]
        # Only now: a fit that failed leaves nothing behind.
        self.classes_ = labels.classes
        self.class_prior_ = class_prior
        self.topic_class_ = layout.topic_class
        self.label_topic_ = label_topic(state_count, layout)
        self.scaling_ = scaling
        self.scaling_scores_ = scores
        self._keep(fit, steps, prior)
        if fit.reason == "interrupted":
            raise KeyboardInterrupt
        return self

    def _choose_scaling(
        self, counts: Counts, labels: Labels, weight: Real | None
    ) -> tuple[CountScaler | None, dict[str, float]]:
        """The scaling with the highest cross-validated accuracy on the labelled documents, and the scores.

        Classes with one document cannot be held out and stay in every training part. Of equals the one with
        the higher mean log-probability of the true class is kept.
        """
        default = _SCALINGS[2]
        size = np.bincount(labels.code)
        several = np.flatnonzero(size[labels.code] >= 2)
        if len(size) < 2 or len(several) < 2 * len(size):
            return default, {}
        rng = np.random.RandomState(0)  # a choice, not a draw: it does not move with random_state
        if len(several) > _MOST_TRIED:
            several = np.sort(rng.choice(several, _MOST_TRIED, replace=False))
        n_splits = int(min(3, np.bincount(labels.code[several])[np.unique(labels.code[several])].min()))
        if n_splits < 2:
            return default, {}
        alone = np.flatnonzero(size[labels.code] < 2)
        folds = list(
            StratifiedKFold(n_splits, shuffle=True, random_state=0).split(
                several, labels.code[several]
            )
        )
        best: tuple[float, float] = (-np.inf, -np.inf)
        chosen = default
        scores = {}
        for scaling in _SCALINGS:
            right, log_probability = [], []
            for train, test in folds:
                inside = np.concatenate([several[train], alone])
                outside = several[test]
                trial = clone(self).set_params(
                    scaling=scaling, n_init=1, verbose=0, callback=None, random_state=0
                )
                trial.fit(
                    counts.of_documents(inside).matrix(),
                    labels.code[inside],
                    None if weight is None else weight[inside],
                )
                probability = trial.predict_proba(counts.of_documents(outside).matrix())
                place = np.searchsorted(trial.classes_, labels.code[outside])
                true = probability[np.arange(len(outside)), place]
                each = np.ones(len(outside)) if weight is None else weight[outside]
                right.append(np.average(probability.argmax(axis=1) == place, weights=each + 1e-12))
                log_probability.append(
                    np.average(np.log(np.maximum(true, 1e-12)), weights=each + 1e-12)
                )
            score = (float(np.mean(right)), float(np.mean(log_probability)))
            scores[str(scaling)] = score[0]
            if score > best:
                best, chosen = score, scaling
        return chosen, scores

    def _new_counts(self, X: Any) -> Counts:
        counts = super()._new_counts(X)
        return counts if self.scaling_ is None else self.scaling_.scaled(counts)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """P(class|document): rows sum to one, columns in the order of `classes_`.

        A document without a word that the model knows gets the classes' prior.
        """
        counts = self._new_counts(X)
        topics = unpadded(self._fold(counts).doc_topic, len(self.components_)).astype(np.float64)
        probability: NDArray[Any] = topics @ self.label_topic_.T
        return probability / probability.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """log P(class|document)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each document."""
        probability = self.predict_proba(X)
        return np.asarray(self.classes_[probability.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # As for naive Bayes: made for counts of words, not for the test suites' blobs in the plane.
        tags.classifier_tags.poor_score = True
        return tags

