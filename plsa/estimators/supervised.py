"""Supervised PLSA: every class has its topics, and a document only those of its class."""

from __future__ import annotations

from typing import Any

from plsa.engine import em
from plsa.estimators.labelled import AspectClassifier
from plsa.labels.supervision import UNLABELLED
from plsa.learning.evidence import Corpus


class PLSAClassifier(AspectClassifier):
    """Supervised PLSA: P(w|d) = sum over the topics of d's class of P(z|d) P(w|z).

    A labelled document may use the topics of its class and the extra topics; what EM climbs is that of
    `PLSA` under this restriction. A new document is folded in with all topics open, and its class is
    P(y|d) = sum_z P(z|d) P(y|z). Documents without a label are left out (see the semi-supervised models for
    using them).

    Parameters
    ----------
    topics_per_class : int, list, dict or "auto", default=1
        Topics of each class: one number, one for each class in sorted order, or a mapping from class to
        number. "auto": 2 or 4 where labelled documents held out show that they are better than 1.
    extra_topics : int, default=0
        Topics open to every class. Whose they are is learnt: P(y|z) follows from the documents that use them.
    scaling : "auto", None or CountScaler, default="auto"
        What is done to the counts first. None takes them as they are. "auto" tries four ways by
        cross-validation on the labelled documents and keeps the best; with too few labels to hold any out
        it takes log counts at constant length.
    init : {"labels", "random"}, default="labels"
        Where P(w|z) starts: at the words of the class's documents and of the corpus, half and half, or at the
        corpus's words times random draws.
    smoothing : float, default=0.01
        Pseudo-count of every word in every topic.
    prior_strength : float, default=5.0
        Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes
        are, in the fit and in prediction. Without it a short document of a frequent class is too easily
        taken for one of a rare class.
    student : None or "linear", default=None
        "linear" lets a linear classifier on TF-IDF, taught by the labels, predict: with many labels it is the
        better judge. The topics, `transform` and the explanations stay those of the aspect model.
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
    sharpness_ : float
        The power that probabilities are raised to: what held-out documents ask for where scaling="auto" tried
        them or there is a student, else 1.
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
        init: str = "labels",
        smoothing: float = 0.01,
        prior_strength: float = 5.0,
        student: str | None = None,
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
        self.init = init
        self.smoothing = smoothing
        self.prior_strength = prior_strength
        self.student = student
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

    def _learn_corpus(self, corpus: Corpus) -> str:
        return self._supervise(corpus, self._settings())
