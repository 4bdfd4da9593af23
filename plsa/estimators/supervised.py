"""Supervised PLSA: every class has its topics, and a document only those of its class."""

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar

from sklearn.utils import check_random_state

from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Floats, Rng
from plsa.estimators import scaling as scalings
from plsa.estimators.base import AspectEstimator, ClassEstimator, Fitted, check_size, kept
from plsa.estimators.parameters import Printed, estimator
from plsa.inputs import is_auto
from plsa.labels.corpus import Corpus
from plsa.labels.gates import LearnedLabel
from plsa.labels.layout import Layout, check_topics_per_class, lay_out
from plsa.learning.aspects import Method, Settings, label_topic_of
from plsa.learning.parts import Parts
from plsa.learning.scaling import Scaling
from plsa.learning.supervised import Alternative, Learned, Plan, learn_from_labels

_DEFAULT_STRENGTH = 5.0


@estimator
class AspectClassifier(Printed, ClassEstimator, AspectEstimator):
    """An aspect model with classes."""

    # Counts as they are, no prior, and a hundred passes from a random start.
    _printed: ClassVar[dict[str, Any]] = {
        "topics_per_class": 1,
        "scaling": None,
        "init": "all random",
        "smoothing": 0.0,
        "prior_strength": 0.0,
        "max_iter": 100,
        "tol": 0.0,
    }

    _attributes: ClassVar[str] = """
    prior_strength_, sharpness_, leveling_
    """

    has_to_settle: ClassVar[bool] = False

    topics_per_class: Any = 1
    extra_topics: int = 0
    _: KW_ONLY
    init: str = "labels"
    smoothing: float = 0.01
    max_iter: int = 30

    def _layout(self, topics_per_class: Any, classes: Array) -> Layout:
        number = 1 if is_auto(topics_per_class) else topics_per_class
        return lay_out(check_topics_per_class(number, classes, declared=self._declared()), self.extra_topics)

    def plan(self, classes: Array) -> Plan:
        """How the parameters want documents of these classes to be learned from."""
        others, strength = [], self.prior_strength
        if is_auto(self.topics_per_class):
            layouts = ((n, self._layout(n, classes)) for n in (2, 4))
            others += [Alternative(f"topics_per_class={n}", "layout", layout) for n, layout in layouts]
        if is_auto(strength):
            others += [Alternative(f"prior_strength={k:g}", "prior_strength", k) for k in (1.0, 20.0)]
            strength = _DEFAULT_STRENGTH
        return Plan(
            Method(self._loop(), self._folding(), self.init, float(self.smoothing), self.n_threads),
            Settings(self._layout(self.topics_per_class, classes), float(strength), 1.0),
            scalings.values(self.scaling),
            scalings.default(self.scaling),
            scalings.views(self.scaling),
            tuple(others),
        )

    def _learn_by(self, learn: Callable[[Corpus, Plan, Rng], Learned], corpus: Corpus) -> Fitted:
        """What a way to learn makes of a corpus."""
        classes, number, extra = corpus.labels.classes, self.topics_per_class, int(self.extra_topics)
        each = 1 if is_auto(number) else number
        n_topics = sum(check_topics_per_class(each, classes, declared=self._declared()).tolist()) + extra
        asked = f"topics_per_class == {number!r}" + (f" and extra_topics == {extra}" if extra else "")
        check_size(corpus.counts, n_topics, asked, len(classes))
        plan = self.plan(classes)
        with plan.method.loop.progress:
            learned = learn(corpus, plan, check_random_state(self.random_state))
            return self._finished(plan.method.loop, learned.fit, lambda: self._kept(learned, corpus))

    def default_scaling(self) -> Scaling | None:
        """What is done to counts where there is no evidence, as a value."""
        return scalings.values(self.scaling)[scalings.default(self.scaling)]

    def _kept(self, learned: Learned, corpus: Corpus) -> Fitted:
        """The attributes of what was learned."""
        predictor, aspects, choice = learned.predictor, learned.predictor.aspects, learned.choice
        scaling, settings = scalings.named(self.scaling)[choice.scaling], choice.settings
        return {
            "model_": predictor,
            "class_prior_": predictor.class_prior,
            "topic_class_": settings.layout.topic_class,
            "prior_strength_": settings.prior_strength,
            "label_topic_": label_topic_of(learned.fit, settings.layout),
            "sharpness_": predictor.sharpness,
            "leveling_": predictor.leveling,
            "scaling_": scalings.fitted_scaling(scaling, aspects.scaler, corpus.counts.n_words),
            **kept(learned.fit, aspects.word_topic, aspects.topic_prior),
        }

    def predict_proba(self, X: Any) -> Array:
        """P(class|document): rows sum to one, columns in the order of `classes_`.

        A document without words gets the frequency of the classes among the labeled ones (with extra topics:
        what the topics' prior says).
        """
        return super().predict_proba(X)

    def _class_scores(self, counts: Counts) -> Floats:
        return self.model_.probabilities(counts, self._folding())

    def _parts(self, counts: Counts) -> Parts:
        return self.model_.parts(counts, self._folding())


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
    extra_labels : {"open", "learned"}
        Whose extra topics are in the fit. "open": all classes', alike; they then take what classes have in
        common. "learned": P(y|z) is part of what EM climbs, so that each soon is the class's that uses it
        most (method 2 of Krithara 2008, section 6.5).
    student : None or "linear"
        "linear" lets a linear classifier on TF-IDF, taught by the labels, predict: with many labels it is the
        better judge. The topics, `transform` and the explanations stay those of the aspect model.
    """
    _printed: ClassVar[dict[str, Any]] = {"extra_labels": "learned"}
    _attributes: ClassVar[str] = """
    doc_topic_ : (n_labeled, n_topics) array
        P(z|d) of the labeled documents of the fit, in their order.
    """

    _: KW_ONLY
    prior_strength: float = 5.0
    extra_labels: str = "open"
    student: str | None = None

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        return self._learn_by(learn_from_labels, corpus)

    def plan(self, classes: Array) -> Plan:
        """How the parameters want documents of these classes to be learned from."""
        plan = replace(super().plan(classes), student=self.student is not None)
        return replace(plan, label_gate=LearnedLabel.even) if self.extra_labels == "learned" else plan

    def _kept(self, learned: Learned, corpus: Corpus) -> Fitted:
        return super()._kept(learned, corpus) | {"scaling_scores_": dict(learned.choice.scaling_scores)}
