"""Supervised PLSA: every class has its topics, and a document only those of its class."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from sklearn.utils import check_random_state

from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Floats
from plsa.estimators import scaling as scalings
from plsa.estimators.base import AspectEstimator, ClassEstimator, Fitted, kept
from plsa.estimators.parameters import estimator
from plsa.inputs import is_auto
from plsa.labels.corpus import Corpus
from plsa.labels.layout import Layout, check_topics_per_class, lay_out
from plsa.learning.aspects import Method, Settings, label_topic_of
from plsa.learning.scaling import Scaling
from plsa.learning.supervised import Alternative, LabelPlan, Learned, learn_from_labels

_DEFAULT_STRENGTH = 5.0
_DEFAULT_WEIGHT = 0.1


@estimator
class AspectClassifier(ClassEstimator, AspectEstimator):
    """An aspect model with classes."""

    _attributes: ClassVar[str] = """
    prior_strength_, sharpness_
    """

    topics_per_class: Any = 1
    extra_topics: int = 0
    _: KW_ONLY
    init: str = "labels"
    smoothing: float = 0.01
    max_iter: int = 30

    def _method(self) -> Method:
        """How topics are learned, whatever the evidence chooses."""
        return Method(self._loop(), self._folding(), self.init, float(self.smoothing), self.n_threads)

    def _settings(self, classes: Array, unlabeled_weight: Any = 1.0) -> Settings:
        """What was set by hand, and the default where that is "auto"."""
        strength = _DEFAULT_STRENGTH if is_auto(self.prior_strength) else float(self.prior_strength)
        weight = _DEFAULT_WEIGHT if is_auto(unlabeled_weight) else float(unlabeled_weight)
        return Settings(self._layout(self.topics_per_class, classes), strength, weight)

    def _layout(self, topics_per_class: Any, classes: Array) -> Layout:
        number = 1 if is_auto(topics_per_class) else topics_per_class
        return lay_out(check_topics_per_class(number, classes), self.extra_topics)

    def _label_alternatives(self, classes: Array) -> tuple[Alternative, ...]:
        """What could be chosen instead where it is "auto", with the labels alone."""
        found = []
        if is_auto(self.topics_per_class):
            found += [
                Alternative(f"topics_per_class={n}", "layout", self._layout(n, classes)) for n in (2, 4)
            ]
        if is_auto(self.prior_strength):
            found += [Alternative(f"prior_strength={k:g}", "prior_strength", k) for k in (1.0, 20.0)]
        return tuple(found)

    def default_scaling(self) -> Scaling | None:
        """What is done to counts where there is no evidence, as a value."""
        scaling = scalings.CANDIDATES[scalings.DEFAULT] if is_auto(self.scaling) else self.scaling
        return None if scaling is None else scaling.as_value()

    def _plan(self, classes: Array) -> dict[str, Any]:
        """What a plan to learn from labels holds."""
        named = scalings.named(self.scaling)
        return {
            "method": self._method(),
            "settings": self._settings(classes, getattr(self, "unlabeled_weight", 1.0)),
            "scalings": scalings.values(named),
            "default_scaling": scalings.DEFAULT if is_auto(self.scaling) else str(self.scaling),
            "label_alternatives": self._label_alternatives(classes),
            "student": getattr(self, "student", None) is not None,
            "evidence": getattr(self, "evidence", True),
        }

    def _kept(self, learned: Learned, corpus: Corpus) -> Fitted:
        """The attributes of what was learned."""
        predictor, aspects = learned.predictor, learned.predictor.aspects
        scaling = scalings.named(self.scaling)[learned.scaling]
        return {
            "model_": predictor,
            "class_prior_": predictor.class_prior,
            "topic_class_": learned.settings.layout.topic_class,
            "prior_strength_": learned.settings.prior_strength,
            "label_topic_": label_topic_of(learned.fit, learned.settings.layout),
            "sharpness_": predictor.sharpness,
            "scaling_": scalings.fitted_scaling(scaling, aspects.scaler, corpus.counts.n_words),
            **kept(learned.fit, aspects.word_topic, aspects.topic_prior),
        }

    def predict_proba(self, X: Any) -> Array:
        """P(class|document): rows sum to one, columns in the order of `classes_`.

        A document without words gets the frequency of the classes among the labeled ones (with extra topics:
        what the topics' prior says).
        """
        return super().predict_proba(X)

    def _probabilities(self, counts: Counts) -> Floats:
        return self.model_.probabilities(counts, self._folding())


@estimator
class PLSAClassifier(AspectClassifier):
    """Supervised PLSA: P(w|d) = sum over the topics of d's class of P(z|d) P(w|z).

    A labeled document may use the topics of its class and the extra topics; what EM climbs is that of
    `PLSA` under this restriction. A new document is folded in with all topics open, and its class is
    P(y|d) = sum_z P(z|d) P(y|z). Documents without a label are left out (see the semi-supervised models for
    using them).

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

    _parameters: ClassVar[str] = """
    student : None or "linear"
        "linear" lets a linear classifier on TF-IDF, taught by the labels, predict: with many labels it is the
        better judge. The topics, `transform` and the explanations stay those of the aspect model.
    """
    _attributes: ClassVar[str] = """
    doc_topic_ : (n_labeled, n_topics) array
        P(z|d) of the labeled documents of the fit, in their order.
    """

    _: KW_ONLY
    prior_strength: float = 5.0
    student: str | None = None

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        plan = LabelPlan(**self._plan(corpus.labels.classes))
        learned = learn_from_labels(corpus, plan, check_random_state(self.random_state))
        return self._kept(learned, corpus) | {"scaling_scores_": dict(learned.scaling_scores)}
