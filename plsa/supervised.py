"""Supervised PLSA: every class has its topics, and a document only those of its class."""

from __future__ import annotations

from dataclasses import dataclass
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
    Layout,
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


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Documents, their labels and their weights, which go together."""

    counts: Counts
    labels: Labels
    weight: Real | None

    def part(self, documents: NDArray[Any]) -> _Labelled:
        """These documents, in this order; the classes stay."""
        return _Labelled(
            self.counts.of_documents(documents),
            Labels(self.labels.classes, self.labels.code[documents]),
            None if self.weight is None else self.weight[documents],
        )


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
        with inputs.all_or_nothing(self):
            self._learn(X, y, sample_weight)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        self._check_loop_parameters()
        extra = inputs.check_whole(self.extra_topics, "extra_topics", 0)
        if self.scaling is not None and not isinstance(self.scaling, CountScaler):
            inputs.check_choice(self.scaling, "scaling", ["auto", None, "a CountScaler"])
        counts = inputs.check_counts(self, X, reset=True, dtype=self.dtype)
        labels = read_labels(y, counts.n_documents, self.unlabeled)
        weight = inputs.check_weight(sample_weight, counts.n_documents, counts.dtype)
        layout = lay_out(inputs.check_topics_per_class(self.topics_per_class, labels.classes), extra)
        corpus = _Labelled(counts, labels, weight)
        if not labels.labelled.all():
            corpus = corpus.part(np.flatnonzero(labels.labelled))
        inputs.check_some_words(corpus.counts, corpus.weight)
        scaling: Any = self.scaling
        scores: dict[str, float] = {}
        if isinstance(scaling, str):
            scaling, scores = self._choose_scaling(corpus, layout)
        reason = self._fit_corpus(corpus, layout, scaling)
        self.scaling_scores_ = scores
        if reason == "interrupted":
            raise KeyboardInterrupt

    def _fit_corpus(self, corpus: _Labelled, layout: Layout, scaling: CountScaler | None) -> str:
        """Learns from a corpus that was checked and is labelled throughout; says why it stopped."""
        counts, labels, weight = corpus.counts, corpus.labels, corpus.weight
        self.classes_ = labels.classes
        self.class_prior_ = class_frequencies(labels, weight)
        self.topic_class_ = layout.topic_class
        self.scaling_ = None if scaling is None else clone(scaling).fit(counts.matrix(), None, weight)
        scaled = self._scaled(counts)

        prior = layout.topic_prior(self.class_prior_)
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
        state_count = np.zeros(gate.shape) if fit.state is None else fit.state
        self.label_topic_ = label_topic(state_count[:, : layout.n_topics], layout)
        self._keep(fit, steps, prior)
        return fit.reason

    def _choose_scaling(
        self, corpus: _Labelled, layout: Layout
    ) -> tuple[CountScaler | None, dict[str, float]]:
        """The scaling with the highest cross-validated accuracy on the labelled documents, and the scores.

        Documents of a class that has no other stay in every training part; of large corpora a sample is
        taken, class by class. Of equals the one with the higher mean log-probability of the true class is
        kept. Where too few documents could be held out, it is log counts at constant length.
        """
        default = _SCALINGS[2]
        told = corpus.counts.lengths() > 0
        if corpus.weight is not None:
            told &= corpus.weight > 0
        code = corpus.labels.code
        rng = np.random.RandomState(0)  # a choice, not a draw: it does not move with random_state
        share = min(1.0, _MOST_TRIED / max(told.sum(), 1))
        held: list[NDArray[Any]] = []
        alone: list[NDArray[Any]] = []
        for each in np.unique(code[told]):
            of_class = rng.permutation(np.flatnonzero(told & (code == each)))
            of_class = of_class[: max(2, round(share * len(of_class)))]
            (held if len(of_class) > 1 else alone).append(of_class)
        if len(held) < 2 or sum(len(part) for part in held) < 2 * layout.n_classes:
            return default, {}
        several = np.sort(np.concatenate(held))
        single = np.concatenate(alone) if alone else np.zeros(0, dtype=np.intp)
        folds = StratifiedKFold(min(3, *(len(part) for part in held)), shuffle=True, random_state=0)
        best: tuple[float, float] = (-np.inf, -np.inf)
        chosen = default
        scores = {}
        for scaling in _SCALINGS:
            right, log_probability, size = 0.0, 0.0, 0.0
            for train, test in folds.split(several, code[several]):
                inside = corpus.part(np.concatenate([several[train], single]))
                outside = corpus.part(several[test])
                trial = clone(self).set_params(n_init=1, verbose=0, callback=None, random_state=0)
                if trial._fit_corpus(inside, layout, scaling) == "interrupted":
                    raise KeyboardInterrupt
                probability = trial._probabilities(outside.counts)
                each = np.ones(len(test)) if outside.weight is None else outside.weight.astype(np.float64)
                true = probability[np.arange(len(test)), outside.labels.code]
                right += each[probability.argmax(axis=1) == outside.labels.code].sum()
                log_probability += (each * np.log(np.maximum(true, 1e-12))).sum()
                size += each.sum()
            score = (float(right / size), float(log_probability / size))
            scores[str(scaling)] = score[0]
            if score > best:
                best, chosen = score, scaling
        return chosen, scores

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """P(class|document): rows sum to one, columns in the order of `classes_`.

        A document without a word that the model knows gets what the topics' prior says: the frequency of the
        classes, where there are no extra topics.
        """
        return self._probabilities(self._new_counts(X))

    def _probabilities(self, counts: Counts) -> NDArray[Any]:
        topics = unpadded(self._fold(counts).doc_topic, len(self.components_))
        probability: NDArray[Any] = topics.astype(np.float64) @ self.label_topic_.T
        return probability / probability.sum(axis=1, keepdims=True)

    def _scaled(self, counts: Counts) -> Counts:
        return counts if self.scaling_ is None else self.scaling_.scaled(counts)

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
