"""Semi-supervised PLSA: few labels, many documents without. Four models that differ in their gate."""

from dataclasses import KW_ONLY, asdict, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from plsa.engine.parameters import Array
from plsa.estimators import scaling as scalings
from plsa.estimators.base import Confident, Fitted, of_documents
from plsa.estimators.parameters import estimator
from plsa.estimators.supervised import AspectClassifier
from plsa.inputs import is_auto, warn
from plsa.labels.corpus import Corpus
from plsa.labels.gates import FakeLabel, Mislabeling
from plsa.labels.layout import Layout, unlabeled_share
from plsa.labels.reading import UNLABELED
from plsa.learning.collapse import lost_classes
from plsa.learning.doubts import Doubts
from plsa.learning.semisupervised import CLASSIFIERS, learn
from plsa.learning.supervised import Alternative, Learned, Plan

_DEFAULT_WEIGHT = 0.1  # of documents without a label
_GUESSED_WEIGHT = 0.3  # the same where they have guesses


@estimator
class SemiSupervised(Confident, AspectClassifier):
    """What the four models share: choosing by evidence, falling back, remembering the training documents."""

    _parameters: ClassVar[str] = """
    prior_strength : float >= 0 or "auto"
        Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes are.
        "auto" is 5, unless held-out labeled documents show that 1 or 20 is better; with a student it is 5.
    unlabeled_weight : float > 0 or "auto"
        How much a document without a label counts in what the topics learn. "auto" is 0.1, or 0.3 where
        documents have guesses, unless 1 is shown to be better; with a student that is not tried.
    evidence : bool
        Whether labeled documents are held out first, to choose what is "auto", to find out whether documents
        without a label help at all, and to calibrate the probabilities. It takes twice as many different
        labeled documents as classes, and two in at least two of them; where there are fewer, the defaults are
        taken. Ctrl-C before it is done leaves nothing.
    early_stopping : float >= 0
        A fit to documents without a label stops when a pass gains less log-likelihood per word than this:
        from there on the likelihood rises and the accuracy falls. 0: not before `tol` and `max_iter` say so.
    label_noise : None or "learn"
        "learn": given labels may be wrong. Each is judged by fits to the others first, and its document then
        counts p^2, p being the probability that it is right; a guess counts no more. With few labels, which
        judge each other badly, little of that is believed. It takes up to twice as long. None: all are right.
    """
    _attributes: ClassVar[str] = """
    transduction_, guesses_
    label_right_ : (n_documents,) array
        P(the given label is right). 1 where there is none, where nothing is known of it, such as of the only
        one of its class, and for all where `label_noise` is None.
    label_noise_ : (n_classes, n_classes) array
        P(given label g | true class y), columns sum to one. The identity where `label_noise` is None, or
        where too few documents are labeled to judge each other.
    unlabeled_weight_ : float
        What `unlabeled_weight` was, or was chosen to be.
    evidence_ : dict
        The accuracy on held-out labeled documents of everything that was tried; empty where nothing was.
    choices_ : dict
        What was chosen: scaling, scalings_of_guesses, topics_per_class, prior_strength, unlabeled_weight,
        unlabeled_used, sharpness, leveling; and student: how it is taught by labels (idf, cost of errors,
        damping of frequent classes) and what its classifiers are worth (labels, guesses, words, topics,
        classes; absent where that is as usual).
    unlabeled_used_ : bool
        False where all documents are labeled, or where the labels alone were better by more than two standard
        errors on at least five held-out documents per class: the model is then that of the labels alone, and
        a warning says so.
    stretches_ : array of int
        Where in `objective_trace_` each stretch of passes begins: the first fit, then one for every making of
        guesses. In a stretch the objective never falls.
    """

    _printed: ClassVar[dict[str, Any]] = {"unlabeled_weight": 1.0, "evidence": False, "early_stopping": 0.0}
    _default_weight: ClassVar[float] = _DEFAULT_WEIGHT

    topics_per_class: Any = "auto"
    _: KW_ONLY
    prior_strength: Any = "auto"
    unlabeled_weight: Any = "auto"
    evidence: bool = True
    early_stopping: float = 0.005
    label_noise: str | None = None

    def plan(self, classes: Array) -> Plan:
        """How the parameters want documents of these classes to be learned from."""
        plan, weight = super().plan(classes), self.unlabeled_weight
        others = plan.alternatives
        if is_auto(weight):
            weight = self._default_weight
            others += (Alternative("unlabeled_weight=1", "unlabeled_weight", 1.0),)
        return replace(
            plan,
            settings=replace(plan.settings, unlabeled_weight=float(weight)),
            alternatives=others,
            evidence=self.evidence,
            early_stopping=float(self.early_stopping),
            label_noise=self.label_noise is not None,
        )

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        return self._learn_by(learn, corpus)

    def _kept(self, learned: Learned, corpus: Corpus) -> Fitted:
        found = super()._kept(learned, corpus)
        named, choice, settings = scalings.named(self.scaling), learned.choice, learned.choice.settings
        own = settings.layout.topic_class[settings.layout.topic_class != UNLABELED]
        probability = learned.predictor.probabilities(corpus.counts, self._folding())
        known = corpus.labels.labeled
        lost = lost_classes(probability[known], probability[~known], corpus)
        if lost is not None:
            usual, names = type(self)(), ("prior_strength", "unlabeled_weight", "early_stopping")
            other = [name for name in names if getattr(self, name) != getattr(usual, name)]
            way = f"Leave {' and '.join(other)} as {'it is' if len(other) == 1 else 'they are'}, or label"
            warn(f"{lost}: the model has collapsed. {way if other else 'Label'} more documents.")
        doubts = learned.doubts or Doubts.none(corpus)
        found |= {
            "label_right_": doubts.right,
            "label_noise_": doubts.given_of_true,
            "evidence_": dict(choice.accuracy),
            "unlabeled_used_": choice.unlabeled_used,
            "unlabeled_weight_": settings.unlabeled_weight,
            "unlabeled_share_": np.zeros(settings.layout.n_topics),
            "stretches_": np.array(learned.stretches, dtype=np.intp),
            "choices_": {
                "scaling": found["scaling_"],
                "scalings_of_guesses": [named[name] for name in choice.voters],
                "topics_per_class": np.bincount(own).tolist(),
                "prior_strength": settings.prior_strength,
                "unlabeled_weight": settings.unlabeled_weight if choice.unlabeled_used else None,
                "unlabeled_used": choice.unlabeled_used,
                "sharpness": learned.predictor.sharpness,
                "leveling": learned.predictor.leveling,
            },
            **of_documents(probability, corpus.labels),
        }
        if not choice.unlabeled_used:
            return found | {"scaling_scores_": dict(choice.scaling_scores)}
        return found | {"unlabeled_share_": unlabeled_share(learned.fit.state, settings.layout)}


@estimator
class MissingLabelPLSA(SemiSupervised):
    """PLSA with missing labels: a document without a label may use the topics of every class.

    A labeled document uses the topics of its class and the extra topics, one without a label all of them,
    and EM climbs the likelihood of all of them together. With every document labeled it is
    `PLSAClassifier`, with none it would be `PLSA`.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import MissingLabelPLSA
    >>> texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> model = MissingLabelPLSA(random_state=0).fit(X, ["food", None, None, "sport", None, None])
    >>> model.guesses_
    array(['food', 'food', 'food', 'sport', 'sport', 'sport'], dtype='<U5')
    """


@estimator
class FakeLabelPLSA(SemiSupervised):
    """PLSA with a fake label: to have no label is a label too, and its probability says how sure a topic is.

    Every topic has P(label|z), the fake label of the documents without one among them; for its class and the
    fake label it is learned, for the other classes it is zero. A topic that hardly any labeled document uses
    is mostly fake, and says little: P(y|d) ~ sum_z P(z|d) (P(y|z) + fake_weight * P(fake|z)). With that, a
    class of which a larger share is labeled wins over others: with few labels, or unevenly labeled classes,
    take one of the other models.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import FakeLabelPLSA
    >>> texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> model = FakeLabelPLSA(random_state=0).fit(X, ["food", None, None, "sport", None, None])
    >>> model.predict(X[1:5])
    array(['food', 'food', 'sport', 'sport'], dtype='<U5')
    >>> model.confidence(X).shape  # how far its topics are those of labeled documents
    (6,)
    """

    _parameters: ClassVar[str] = """
    fake_weight : float >= 0
        How much of the fake label's probability goes to every class; 1 / n_classes shares all of it evenly.
    """
    _attributes: ClassVar[str] = """
    label_topic_ : (n_classes, n_topics) array
        P(y|z) beside the fake label's: its columns sum to 1 - `fake_topic_`.
    fake_topic_ : (n_topics,) array
        P(fake|z), documents without a label counting `unlabeled_weight_`; zero where all were labeled. It is
        `unlabeled_share_`.
    """

    # lambda = 0.005, half of it for each of two classes (Krithara and others 2006).
    _printed: ClassVar[dict[str, Any]] = {"fake_weight": 0.0025}
    _: KW_ONLY
    fake_weight: float = 0.01

    def plan(self, classes: Array) -> Plan:
        """How the parameters want documents of these classes to be learned from."""
        gate = partial(FakeLabel.even, fake_weight=float(self.fake_weight))
        return replace(super().plan(classes), gate=gate)

    def _kept(self, learned: Learned, corpus: Corpus) -> Fitted:
        found = super()._kept(learned, corpus)
        if not learned.choice.unlabeled_used:
            return found | {"fake_topic_": np.zeros(learned.choice.settings.layout.n_topics)}
        table = learned.fit.parameters.gate.table()
        return found | {"label_topic_": table[:-1], "fake_topic_": table[-1], "unlabeled_share_": table[-1]}


@estimator
class Guessing(SemiSupervised):
    """Every document without a label has a guess, which may be wrong; guesses are made anew now and then.

    First the counts as they are, and log counts with idf at constant length, have a missing-label fit each,
    and the guesses are those that these make together; then a stretch of passes under the mislabeling gate
    follows, new guesses, and so on. With a student and 1000 documents or more, words that stand in a single
    document, which has no label, take no part: no topic has them.
    """

    _parameters: ClassVar[str] = """
    relabel : int >= 1 or "never"
        Passes between two makings of the guesses. "never": guesses are made once, and `max_iter` passes
        follow, as the papers print it; a student is taught once more at the end.
    n_relabels : int >= 1
        How often guesses are made anew, at most; fewer where they stand still.
    first_guesses : {"all", "labels"}
        Who makes the first guesses: fits to all documents, or, as the papers have it, fits to the labeled
        ones alone (if these have any words), after which the topics begin anew.
    doubt : float >= 0
        A guess that is less probable than this is "not sure" to the gate, a fake label beside the guesses,
        and P(not sure | true class) is learned with the others. That is right where a wrong guess costs 1 and
        none costs 1 - `doubt` (Chow 1970). 0: every guess is a class.
    student : "linear" or None
        A blend of linear classifiers on TF-IDF: squared hinges taught by the labels alone, the same taught
        by labels and guesses, complement naive Bayes of both, the words of the topics, and how frequent
        classes are. How they are taught, and what each is worth, is decided by held-out labeled documents. It
        has a say in the next guesses, and it predicts; a document that was guessed as if it had not been
        taught by it, as of that it would be surer than it is right. None: guesses and predictions are those
        of the topics, by folding in.
    scaling : "auto", None or CountScaler
        What is done to the counts first; None takes them as they are. "auto" lets fits under two scalings
        make the guesses together, but for one that is shown to be worse, and keeps the model under the better
        one.
    early_stopping : float >= 0
        A stretch of passes stops when one of them gains less log-likelihood per word than this, and the first
        after ten: from there on the likelihood rises and the accuracy falls. 0: not before `tol` and
        `max_iter` say so.
    max_iter : int >= 0
        Most passes of the missing-label fits that make the first guesses.
    """
    _attributes: ClassVar[str] = """
    mislabeling_ : (n_classes, n_classes) array
        beta: P(guess g | true class y) as the model believes; columns sum to one, with `not_sure_`.
    not_sure_ : (n_classes,) array
        P(not sure | true class); zeros where `doubt` is 0.
    unlabeled_label_topic_ : (n_classes, n_topics) array
        P(y|z) among the documents without a label.
    """

    # Guesses of supervised PLSA, which stay.
    _printed: ClassVar[dict[str, Any]] = {"first_guesses": "labels", "relabel": "never", "student": None}
    soft: ClassVar[bool]
    _default_weight: ClassVar[float] = _GUESSED_WEIGHT
    _: KW_ONLY
    relabel: Any = 5
    n_relabels: int = 2
    first_guesses: str = "all"
    doubt: float = 0.0
    student: str | None = "linear"

    def plan(self, classes: Array) -> Plan:
        """How the parameters want documents of these classes to be learned from."""
        return replace(
            super().plan(classes),
            later_gate=self._gate,
            student=self.student is not None,
            relabel=None if self.relabel == "never" else int(self.relabel),
            n_relabels=int(self.n_relabels),
            guessed_by_labels=self.first_guesses == "labels",
            doubt=float(self.doubt),
        )

    def _gate(self, layout: Layout) -> Mislabeling:
        """Where the gate of guesses starts."""
        return Mislabeling.near_truth(layout, soft=self.soft, doubt=self.doubt > 0)

    def _kept(self, learned: Learned, corpus: Corpus) -> Fitted:
        found, choice = super()._kept(learned, corpus), learned.choice
        if learned.predictor.student is not None:
            worth = zip((*CLASSIFIERS, "classes"), choice.blend or (), strict=False)
            found["choices_"]["student"] = asdict(choice.teaching) | dict(worth)
        n_classes = corpus.n_classes
        if not choice.unlabeled_used:
            beta, class_topic = np.eye(n_classes), found["label_topic_"]
        else:
            gate = learned.fit.parameters.gate
            if not isinstance(gate, Mislabeling):  # stopped before any guess
                gate = self._gate(learned.choice.settings.layout)
            beta, class_topic = gate.beta, gate.unlabeled_class_topic
        return found | {
            "mislabeling_": beta[:n_classes],
            "not_sure_": beta[n_classes:].sum(axis=0),
            "unlabeled_label_topic_": class_topic,
        }


@estimator
class HardMislabelingPLSA(Guessing):
    """PLSA with a mislabeling model: documents without a label have guesses, and the guesses may be wrong.

    P(guess g | true class y) is learned along with the topics, so that a guess that is often wrong counts
    less. Each topic is its class's, for all documents.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import HardMislabelingPLSA
    >>> texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> model = HardMislabelingPLSA(random_state=0).fit(X, ["food", None, None, "sport", None, None])
    >>> model.guesses_
    array(['food', 'food', 'food', 'sport', 'sport', 'sport'], dtype='<U5')
    >>> model.mislabeling_.shape
    (2, 2)
    """

    soft: ClassVar[bool] = False


@estimator
class SoftMislabelingPLSA(Guessing):
    """PLSA with a mislabeling model, soft: the model to try first.

    Documents without a label have guesses, and P(guess g | true class y) is learned along with the topics.
    What a guess allows is softened by a P(y|z) that is learned from them; labeled documents keep to the
    topics of their class, and so do predictions. It differs from `HardMislabelingPLSA` by fractions of a
    point.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import SoftMislabelingPLSA
    >>> texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> model = SoftMislabelingPLSA(random_state=0).fit(X, ["food", None, None, "sport", None, None])
    >>> model.guesses_
    array(['food', 'food', 'food', 'sport', 'sport', 'sport'], dtype='<U5')
    >>> model.predict(X[2:4]), model.unlabeled_used_
    (array(['food', 'sport'], dtype='<U5'), True)
    """

    soft: ClassVar[bool] = True
