"""Semi-supervised PLSA: few labels, many documents without.

Four models that differ in their gate: what they say of a document without a label. All of them start from the
labels, take documents without a label in at a small weight, and stop early: more passes raise the likelihood
and lower the accuracy. The likelihood of left-out words does not show it (it rises along); that a pass gains
little does.
"""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from plsa import inputs
from plsa.engine import em
from plsa.engine.counts import Counts
from plsa.engine.parameters import Fit, Real, unpadded
from plsa.engine.steps import GatedSteps
from plsa.estimators.fitting import STOPPED
from plsa.estimators.labelled import (
    Alternative,
    AspectClassifier,
    Settings,
    by_class,
    class_topic,
    labelled_student,
)
from plsa.estimators.scaling import CountScaler
from plsa.labels.gates import FakeLabel, Gate, Mislabelling, MissingLabel
from plsa.labels.supervision import UNLABELLED, class_frequencies
from plsa.learning import student
from plsa.learning.evidence import SCALINGS, USUAL_SCALING, Corpus, Held, gather, scaled_by
from plsa.learning.student import LEAST_LABEL_WEIGHT, MOST_LABEL_WEIGHT, USUAL_SHARPNESS, Student

_CHEAP = 2e7  # nonzeros x topics x scalings: up to so many, evidence is heard three times instead of once
_STILL = 1e-3  # share of guesses that change: fewer are none
_HALF_TRUST = 10  # labelled documents a class at which a student of the labels alone has half the say
_MOST_TRUST = 0.5
_ROUNDS, _NEAR = 30, 1e-3  # of folding in: a guess needs no more
_LEAST_MARGIN = 1e-12


@dataclass(slots=True)
class _Member:
    """The model under one scaling of the counts, as far as it has come."""

    scaling: CountScaler | None  # fitted
    counts: Counts  # of the corpus, scaled
    gate: Gate
    steps: GatedSteps | None = None
    fit: Fit | None = None  # the last one
    class_topic: NDArray[np.float64] | None = None
    traces: list[list[float]] = field(default_factory=list)  # one for each stretch
    n_passes: int = 1

    @property
    def words(self) -> Real:
        """Padded P(w|z)."""
        assert self.fit is not None
        return self.fit.parameters.word_topic


@dataclass(frozen=True, slots=True)
class _Choice:
    """What the evidence supports."""

    settings: Settings
    scaling: CountScaler | None  # of the model that is kept
    voters: tuple[CountScaler | None, ...]  # scalings under which guesses are made, if any are
    unlabelled: bool  # whether documents without a label help
    sharpness: float
    accuracy: dict[str, float]  # of every candidate on held-out documents


class _SemiSupervised(AspectClassifier):
    """What the four models share: choosing by evidence, falling back, remembering the training documents."""

    student: str | None = None
    _most_passes = 30  # of an early stop

    def __init__(
        self,
        topics_per_class: Any = "auto",
        extra_topics: int = 0,
        *,
        scaling: Any = "auto",
        init: str = "labels",
        smoothing: float = 0.01,
        prior_strength: Any = "auto",
        unlabeled_weight: Any = "auto",
        evidence: bool = True,
        early_stopping: float = 0.005,
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
        self.unlabeled_weight = unlabeled_weight
        self.evidence = evidence
        self.early_stopping = early_stopping
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

    def _check_class_parameters(self) -> None:
        super()._check_class_parameters()
        if not inputs.is_auto(self.unlabeled_weight):
            inputs.check_number(self.unlabeled_weight, 'unlabeled_weight (if not "auto")', above=0.0)
        inputs.check_choice(self.evidence, "evidence", [True, False])
        inputs.check_number(self.early_stopping, "early_stopping")

    def _learn_corpus(self, corpus: Corpus) -> str:
        settings = self._settings(self.unlabeled_weight)
        known = corpus.labels.labelled
        if known.all():
            reason = self._supervise(corpus, settings)
            choice = _Choice(settings, self.scaling_, (), False, self.sharpness_, {})
        else:
            inputs.check_some_words(corpus.counts, corpus.weight)
            self.class_prior_ = class_frequencies(corpus.labels, corpus.weight)
            choice = self._weigh_evidence(corpus, settings)
            if choice.unlabelled:
                self._student, self.sharpness_ = None, choice.sharpness
                reason = self._learn_from_all(corpus, choice)
            else:
                warnings.warn(
                    "documents without a label did not help to classify held-out labelled ones "
                    f"({choice.accuracy}); the model was learnt from the labels alone. See evidence_.",
                    UserWarning,
                    stacklevel=4,
                )
                reason = self._supervise(corpus, settings)
        self.evidence_ = choice.accuracy if choice.unlabelled else choice.accuracy | self._tried
        self.unlabeled_used_ = choice.unlabelled
        self.unlabeled_weight_ = choice.settings.unlabelled_weight
        own = self.topic_class_[self.topic_class_ != UNLABELLED]
        self.choices_ = {
            "scaling": self.scaling_,
            "scalings_of_guesses": list(choice.voters),
            "topics_per_class": np.bincount(own).tolist(),
            "prior_strength": self.prior_strength_,
            "unlabeled_weight": self.unlabeled_weight_ if choice.unlabelled else None,
            "unlabeled_used": choice.unlabelled,
            "sharpness": self.sharpness_,
        }
        self.transduction_ = self._probabilities(corpus.counts)
        self.transduction_[known] = np.eye(len(self.classes_))[corpus.labels.code[known]]
        self.guesses_ = self.classes_[self.transduction_.argmax(axis=1)]
        return reason

    def _check_prior_strength(self) -> None:
        if not inputs.is_auto(self.prior_strength):
            inputs.check_number(self.prior_strength, 'prior_strength (if not "auto")')

    def _alternatives(self, *, labels_alone: bool) -> list[Alternative]:
        others = super()._alternatives(labels_alone=labels_alone)
        if inputs.is_auto(self.prior_strength):
            others += [(f"prior_strength={k:g}", "prior_strength", k) for k in (1.0, 20.0)]
        if inputs.is_auto(self.unlabeled_weight) and not labels_alone:
            others += [("unlabeled_weight=1", "unlabelled_weight", 1.0)]
        return others

    def _learn_from_all(self, corpus: Corpus, choice: _Choice) -> str:
        """Learns from labelled and unlabelled documents as chosen; says why it stopped."""
        raise NotImplementedError

    def _candidates(self, learnt: Corpus, judged: Corpus, settings: Settings) -> Held:
        """What each way to learn from a part of the corpus says of documents held out of it."""
        raise NotImplementedError

    def _decide(self, held: Held | None, settings: Settings) -> _Choice:
        """What the evidence supports; what is usual where there is none."""
        raise NotImplementedError

    def _weigh_evidence(self, corpus: Corpus, settings: Settings) -> _Choice:
        work = len(corpus.counts.word) * settings.layout.n_topics * len(self._scalings())
        parts = self._hold_out(corpus, sample=False, folds=3 if work < _CHEAP else 1)
        enough = self._enough(sum(corpus.each()[outside].sum() for _, outside in parts))
        trial = self._trial()
        held = []
        for inside, outside in parts:
            learnt, judged = corpus.part(inside), corpus.part(outside)
            trial.class_prior_ = class_frequencies(learnt.labels, learnt.weight)
            found = trial._candidates(learnt, judged, settings)
            for name, changed, value in self._alternatives(labels_alone=False) if enough else []:
                other = replace(settings, **{changed: value})
                found.probability[name] = trial._judge(self._usual_scaling(), learnt, judged, other)[1]
            held.append(found)
        return self._decide(gather(held) if held else None, settings)

    def _settle(self, settings: Settings, held: Held) -> Settings:
        """What the evidence makes of the settings."""
        if not self._enough(held.each.sum()):
            return settings
        return self._chosen(
            settings, held, str(self._usual_scaling()), self._alternatives(labels_alone=False)
        )

    def _sketch(self, corpus: Corpus, passes: int, words: Real | None) -> tuple[Fit, Settings]:
        """A few passes from the labels, or from `words`, under what is usual.

        The counts are scaled already. What a fit would choose by evidence is not chosen, guesses are not made
        anew, and nothing is kept.
        """
        self.classes_ = corpus.labels.classes
        self.class_prior_ = class_frequencies(corpus.labels, corpus.weight)
        settings = self._settings(self.unlabeled_weight)
        rng = check_random_state(0)
        steps, begin = self._climb(
            corpus.counts, corpus, MissingLabel(settings.layout), settings, rng, words=words
        )
        return self._best_run(steps, [begin], passes), settings

    def _scalings(self) -> tuple[CountScaler | None, ...]:
        return SCALINGS if inputs.is_auto(self.scaling) else (self.scaling,)

    def _usual_scaling(self) -> CountScaler | None:
        return SCALINGS[USUAL_SCALING] if inputs.is_auto(self.scaling) else self.scaling

    def _judge(
        self, scaling: CountScaler | None, learnt: Corpus, judged: Corpus, settings: Settings
    ) -> tuple[_Member, NDArray[np.float64]]:
        """A first fit to a part of the corpus, and what it says of documents held out of it."""
        member = self._member(learnt, scaling, self._first_gate(settings))
        if self._advance(member, learnt, settings, check_random_state(0)) == "interrupted":
            raise KeyboardInterrupt
        return member, self._ask(member, scaled_by(member.scaling, judged.counts), settings)

    def _first_gate(self, settings: Settings) -> Gate:
        """The gate of the first climb."""
        return MissingLabel(settings.layout)

    def _member(self, corpus: Corpus, scaling: CountScaler | None, gate: Gate) -> _Member:
        return _Member(*corpus.scaled(scaling), gate)

    def _advance(
        self,
        member: _Member,
        corpus: Corpus,
        settings: Settings,
        rng: np.random.RandomState,
        *,
        guess: NDArray[np.int32] | None = None,
        words: Real | None = None,
        max_iter: int | None = None,
    ) -> str:
        """One more stretch of a member's climb, under its gate; says why it stopped."""
        if guess is None and self.early_stopping:
            max_iter = min(self.max_iter, self._most_passes)
        untaught = member.gate
        fit: Fit | None = None
        for _ in range(self.n_init if words is None else 1):
            gate = copy(untaught)  # each start learns its own
            steps, begin = self._climb(member.counts, corpus, gate, settings, rng, guess=guess, words=words)
            doing = f"{'first guesses' if guess is None else 'guesses made anew'}, scaling {member.scaling}"
            found = self._best_run(steps, [begin], max_iter, self.early_stopping, doing, more_follows=True)
            if found.reason == "rounds" and max_iter is not None and max_iter < self.max_iter:
                found = replace(found, reason="early")
            if fit is None or (found.trace and found.trace[-1] > fit.trace[-1]):
                fit, member.gate, member.steps = found, gate, steps
            if found.reason in STOPPED:
                fit = replace(fit, reason=found.reason)
                break
        assert fit is not None
        assert member.steps is not None
        member.steps.give_back()
        member.fit = fit
        member.traces.append(fit.trace)
        member.n_passes += max(fit.n_passes - 1, 0)
        member.class_topic = self._class_topic_of(class_topic(fit, settings.layout), member.gate)
        return fit.reason

    def _class_topic_of(self, own: NDArray[np.float64], gate: Gate) -> NDArray[np.float64]:
        """How much of each topic speaks for each class, given P(y|z)."""
        return own

    def _class_topic(self) -> NDArray[np.float64]:
        return self._spoken

    def _ask(self, member: _Member, scaled: Counts, settings: Settings) -> NDArray[np.float64]:
        """A member's P(class|document) of scaled counts, the gate off."""
        assert member.class_topic is not None
        prior = settings.layout.topic_prior(self.class_prior_)
        folded = self._fold_by(scaled, member.words, prior, settings.prior_strength, _ROUNDS, _NEAR)
        return by_class(unpadded(folded.doc_topic, settings.layout.n_topics), member.class_topic)

    def _keep_member(self, member: _Member, settings: Settings) -> str:
        """Sets what a member has learnt in all its stretches; says why the last one stopped."""
        assert member.steps is not None
        assert member.fit is not None
        assert member.class_topic is not None
        self.scaling_ = member.scaling
        self.stretches_ = np.cumsum([0, *(len(trace) for trace in member.traces[:-1])])
        trace = [value for stretch in member.traces for value in stretch]
        whole = replace(member.fit, trace=trace, n_passes=member.n_passes)
        self._keep_gated(whole, member.steps, member.gate, settings)
        self._spoken = member.class_topic
        return whole.reason

    def _supervise(self, corpus: Corpus, settings: Settings) -> str:
        reason = super()._supervise(corpus, settings)
        self.stretches_ = np.zeros(1, dtype=np.intp)
        return reason

    def _fit_labelled(self, corpus: Corpus, settings: Settings, scaling: CountScaler | None) -> str:
        reason = super()._fit_labelled(corpus, settings, scaling)
        self._spoken = self.label_topic_
        return reason


class _SingleFit(_SemiSupervised):
    """One gate, one climb: what a document without a label says is learnt along with everything else."""

    def _learn_from_all(self, corpus: Corpus, choice: _Choice) -> str:
        member = self._member(corpus, choice.scaling, self._first_gate(choice.settings))
        self._advance(member, corpus, choice.settings, check_random_state(self.random_state))
        return self._keep_member(member, choice.settings)

    def _candidates(self, learnt: Corpus, judged: Corpus, settings: Settings) -> Held:
        probability = {}
        for scaling in self._scalings():
            _, probability[str(scaling)] = self._judge(scaling, learnt, judged, settings)
            probability[f"labels alone, {scaling}"] = self._judge_labels(
                learnt.labelled(), judged, settings, scaling
            )
        return Held(judged.labels.code, judged.each(), probability)

    def _decide(self, held: Held | None, settings: Settings) -> _Choice:
        if held is None:
            return _Choice(settings, self._usual_scaling(), (), True, 1.0, {})
        accuracy = {name: held.accuracy(name) for name in held.probability}
        best = held.best(self._scalings())
        alone = max(self._scalings(), key=lambda s: accuracy[f"labels alone, {s}"])
        helps = not (self._enough(held.each.sum()) and held.better(f"labels alone, {alone}", than=str(best)))
        settings = self._settle(settings, held)
        return _Choice(settings, best, (), helps, held.sharpness(str(best), 1.0), accuracy)


class MissingLabelPLSA(_SingleFit):
    """PLSA with missing labels: a document without a label may use the topics of every class.

    A labelled document uses the topics of its class and the extra topics, one without a label all of them,
    and EM climbs the likelihood of all of them together. With every document labelled it is
    `PLSAClassifier`, with none it would be `PLSA`.

    Parameters
    ----------
    topics_per_class : int, list, dict or "auto", default="auto"
    extra_topics : int, default=0
        As for `PLSAClassifier`.
    scaling : "auto", None or CountScaler, default="auto"
        What is done to the counts first; None takes them as they are. "auto" takes the one of four under
        which held-out labelled documents are classified best.
    init : {"labels", "random"}, default="labels"
        Where P(w|z) starts: at the words of the class's documents and of the corpus, half and half, or at the
        corpus's words times random draws, as the papers do.
    smoothing : float, default=0.01
        Pseudo-count of every word in every topic.
    prior_strength : float or "auto", default="auto"
        Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes are.
        "auto" is 5, unless held-out labelled documents show that 1 or 20 is better.
    unlabeled_weight : float or "auto", default="auto"
        How much a document without a label counts in what the topics learn. "auto" is 0.1, unless 1 is shown
        to be better.
    evidence : bool, default=True
        Whether labelled documents are held out first, to choose what is "auto", to find out whether documents
        without a label help at all, and to calibrate the probabilities. It takes twice as many different
        labelled documents as classes, and two in at least two of them; where there are fewer, what is usual
        is taken.
    early_stopping : float, default=0.005
        A fit to documents without a label stops when a pass gains less log-likelihood a word than this: from
        there on the likelihood rises and the accuracy falls. 0: not before `tol` and `max_iter` say so.
    max_iter : int, default=30
        Most passes.
    tol, n_init, accelerate, fold_iter, fold_tol, dtype, random_state, n_threads, verbose, callback, unlabeled
        As for `PLSAClassifier`.

    Attributes
    ----------
    classes_, components_, topic_class_, label_topic_, class_prior_, scaling_, topic_prior_, doc_topic_,
    objective_trace_, log_likelihood_, n_iter_, stop_reason_, n_impossible_, n_features_in_
        As for `PLSAClassifier`; `doc_topic_` has all documents of the fit, and `stop_reason_` may be "early".
    transduction_ : (n_documents, n_classes) array
        P(class|document) of the documents of the fit; 1 for the class of a labelled one.
    guesses_ : (n_documents,) array
        The most probable class of each; its label where there is one.
    unlabeled_weight_ : float
        What `unlabeled_weight` was, or was chosen to be.
    evidence_ : dict
        The accuracy on held-out labelled documents of everything that was tried; empty where nothing was.
    choices_ : dict
        What was chosen: scaling, scalings_of_guesses, topics_per_class, prior_strength, unlabeled_weight,
        unlabeled_used, sharpness.
    unlabeled_used_ : bool
        False where all documents are labelled, or where the labels alone were better by more than two
        standard errors on at least five held-out documents a class: the model is then that of the labels
        alone, and a warning says so.
    sharpness_ : float
        The power that probabilities are raised to, as held-out documents ask for.

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


class FakeLabelPLSA(_SingleFit):
    """PLSA with a fake label: to have no label is a label too, and its probability says how sure a topic is.

    Every topic has P(label|z), the fake label of the documents without one among them; for its class and the
    fake label it is learnt, for the other classes it is zero. A topic that hardly any labelled document uses
    is mostly fake, and says little: P(y|d) ~ sum_z P(z|d) (P(y|z) + fake_weight * P(fake|z)). With that, a
    class of which a larger share is labelled wins over others: with few labels, or unevenly labelled classes,
    take one of the other models.

    Parameters
    ----------
    topics_per_class : int, list, dict or "auto", default="auto"
    extra_topics : int, default=0
        As for `PLSAClassifier`.
    fake_weight : float, default=0.01
        How much of the fake label's probability goes to every class; 1 / n_classes shares all of it evenly.
    scaling, init, smoothing, prior_strength, unlabeled_weight, evidence, early_stopping, max_iter, tol,
    n_init, accelerate, fold_iter, fold_tol, dtype, random_state, n_threads, verbose, callback, unlabeled
        As for `MissingLabelPLSA`.

    Attributes
    ----------
    classes_, components_, ...
        As for `MissingLabelPLSA`; `label_topic_` is P(y|z) beside the fake label's: its columns sum to 1 -
        `fake_topic_`.
    fake_topic_ : (n_topics,) array
        P(fake|z), documents without a label counting `unlabeled_weight_`; zero where all were labelled.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import FakeLabelPLSA
    >>> texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> model = FakeLabelPLSA(random_state=0).fit(X, ["food", None, None, "sport", None, None])
    >>> model.predict(X[1:5])
    array(['food', 'food', 'sport', 'sport'], dtype='<U5')
    >>> model.confidence(X).shape  # how far its topics are those of labelled documents
    (6,)
    """

    def __init__(
        self,
        topics_per_class: Any = "auto",
        extra_topics: int = 0,
        *,
        fake_weight: float = 0.01,
        scaling: Any = "auto",
        init: str = "labels",
        smoothing: float = 0.01,
        prior_strength: Any = "auto",
        unlabeled_weight: Any = "auto",
        evidence: bool = True,
        early_stopping: float = 0.005,
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
        super().__init__(
            topics_per_class,
            extra_topics,
            scaling=scaling,
            init=init,
            smoothing=smoothing,
            prior_strength=prior_strength,
            unlabeled_weight=unlabeled_weight,
            evidence=evidence,
            early_stopping=early_stopping,
            max_iter=max_iter,
            tol=tol,
            n_init=n_init,
            accelerate=accelerate,
            fold_iter=fold_iter,
            fold_tol=fold_tol,
            dtype=dtype,
            random_state=random_state,
            n_threads=n_threads,
            verbose=verbose,
            callback=callback,
            unlabeled=unlabeled,
        )
        self.fake_weight = fake_weight

    def _check_class_parameters(self) -> None:
        super()._check_class_parameters()
        inputs.check_number(self.fake_weight, "fake_weight")

    def _first_gate(self, settings: Settings) -> Gate:
        return FakeLabel(settings.layout)

    def _class_topic_of(self, own: NDArray[np.float64], gate: Gate) -> NDArray[np.float64]:
        table = gate.table()
        return table[:-1] + float(self.fake_weight) * table[-1:]

    def _keep_member(self, member: _Member, settings: Settings) -> str:
        reason = super()._keep_member(member, settings)
        table = member.gate.table()
        self.label_topic_, self.fake_topic_ = table[:-1], table[-1]
        return reason

    def _supervise(self, corpus: Corpus, settings: Settings) -> str:
        reason = super()._supervise(corpus, settings)
        self.fake_topic_ = np.zeros(len(self.components_))
        return reason

    def confidence(self, X: Any) -> NDArray[np.float64]:
        """1 - sum_z P(z|d) P(fake|z): how far a document's topics are those that labelled documents use.

        It ranks documents by how much the labels have to say of them; as most documents have no label, its
        size says little.
        """
        return np.asarray(1 - self.transform(X).astype(np.float64) @ self.fake_topic_)


class _Guessed(_SemiSupervised):
    """Every document without a label has a guess, which may be wrong; the guesses are made anew now and then.

    First each scaling of the counts has a missing-label fit, and the guesses are those that these make
    together; then a stretch of passes under the mislabelling gate follows, new guesses, and so on.
    """

    _most_passes = 10  # the first guesses are made anew soon
    _soft: bool

    def __init__(
        self,
        topics_per_class: Any = "auto",
        extra_topics: int = 0,
        *,
        relabel: Any = 5,
        n_relabels: int = 3,
        student: str | None = "linear",
        scaling: Any = "auto",
        init: str = "labels",
        smoothing: float = 0.01,
        prior_strength: Any = "auto",
        unlabeled_weight: Any = "auto",
        evidence: bool = True,
        early_stopping: float = 0.005,
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
        super().__init__(
            topics_per_class,
            extra_topics,
            scaling=scaling,
            init=init,
            smoothing=smoothing,
            prior_strength=prior_strength,
            unlabeled_weight=unlabeled_weight,
            evidence=evidence,
            early_stopping=early_stopping,
            max_iter=max_iter,
            tol=tol,
            n_init=n_init,
            accelerate=accelerate,
            fold_iter=fold_iter,
            fold_tol=fold_tol,
            dtype=dtype,
            random_state=random_state,
            n_threads=n_threads,
            verbose=verbose,
            callback=callback,
            unlabeled=unlabeled,
        )
        self.relabel = relabel
        self.n_relabels = n_relabels
        self.student = student

    def _check_class_parameters(self) -> None:
        super()._check_class_parameters()
        if self.relabel != "never":
            inputs.check_whole(self.relabel, 'relabel (if not "never")', 1)
        inputs.check_whole(self.n_relabels, "n_relabels", 1)

    def _supervise(self, corpus: Corpus, settings: Settings) -> str:
        reason = super()._supervise(corpus, settings)
        self.mislabeling_ = np.eye(len(self.classes_))
        self.unlabeled_label_topic_ = self.label_topic_
        return reason

    def _learn_from_all(self, corpus: Corpus, choice: _Choice) -> str:
        settings = choice.settings
        rng = check_random_state(self.random_state)
        # The one that is kept goes first: Ctrl-C then finds something to keep.
        order = sorted(choice.voters, key=lambda s: s is not choice.scaling)
        guesser = _Guesser(self, corpus, settings)
        reason = ""
        for scaling in order:
            if reason not in STOPPED:
                guesser.members.append(self._member(corpus, scaling, self._first_gate(settings)))
                reason = self._advance(guesser.members[-1], corpus, settings, rng)
        try:
            if reason not in STOPPED:
                reason = self._relabel(guesser, corpus, settings, rng)
        except KeyboardInterrupt:  # while guesses were made: what the members have learnt stands
            reason = "interrupted"
        kept = guesser.members[0]
        self._student = guesser.student
        if guesser.margins:
            # Held-out documents were judged by a first student. The scores of the last one, who has been
            # taught what he said himself, are further apart, half of that for good reason.
            self.sharpness_ *= float(np.sqrt(guesser.margins[0] / guesser.margins[-1]))
        gate = kept.gate
        if not isinstance(gate, Mislabelling):
            gate = Mislabelling(settings.layout, soft=self._soft)
        self.mislabeling_, self.unlabeled_label_topic_ = gate.beta, gate.class_topic
        self._keep_member(kept, settings)
        if reason in STOPPED:
            self.stop_reason_ = reason
        return self.stop_reason_

    def _relabel(
        self, guesser: _Guesser, corpus: Corpus, settings: Settings, rng: np.random.RandomState
    ) -> str:
        """Makes guesses and lets every member go on under them, again and again; says why it stopped."""
        reason = ""
        for _ in range(1 if self.relabel == "never" else self.n_relabels):
            guess, changed = guesser.guess()
            if changed < _STILL:
                return reason
            for member in guesser.members:
                member.gate = Mislabelling(settings.layout, soft=self._soft)
                # The printed algorithm draws its parameters again.
                words = None if self.init == "random" else member.words
                passes = None if self.relabel == "never" else self.relabel
                reason = self._advance(
                    member, corpus, settings, rng, guess=guess, words=words, max_iter=passes
                )
                if reason in STOPPED:
                    return reason
        guesser.guess()  # for the student
        return reason

    def _candidates(self, learnt: Corpus, judged: Corpus, settings: Settings) -> Held:
        guesser = _Guesser(self, learnt, settings)
        probability = {}
        together = np.zeros((judged.counts.n_documents, len(self.classes_)))
        for scaling in self._scalings():
            member, probability[str(scaling)] = self._judge(scaling, learnt, judged, settings)
            guesser.members.append(member)
            together += probability[str(scaling)]
        if self.student is None:
            probability["labels alone"] = self._judge_labels(
                learnt.labelled(), judged, settings, self._usual_scaling()
            )
            probability["all documents"] = together / together.sum(axis=1, keepdims=True)
        else:
            alone = labelled_student(learnt.labelled()).scores(judged.counts)
            guesser.guess()
            assert guesser.student is not None
            probability["labels alone"] = student.probabilities(alone, 1.0)
            probability["all documents"] = student.probabilities(guesser.student.scores(judged.counts), 1.0)
        return Held(judged.labels.code, judged.each(), probability)

    def _decide(self, held: Held | None, settings: Settings) -> _Choice:
        usual = 1.0 if self.student is None else USUAL_SHARPNESS
        if held is None:
            return _Choice(settings, self._usual_scaling(), self._scalings(), True, usual, {})
        accuracy = {name: held.accuracy(name) for name in held.probability}
        best = held.best(self._scalings())
        helps = not (self._enough(held.each.sum()) and held.better("labels alone", than="all documents"))
        settings = self._settle(settings, held)
        voters = self._scalings()
        if self._enough(held.each.sum()):
            voters = tuple(s for s in voters if not held.better(str(best), than=str(s)))
        return _Choice(settings, best, voters, helps, held.sharpness("all documents", usual), accuracy)


def label_trust(n_labels: float, n_classes: int) -> float:
    """The say of a student of the labels alone in what is guessed."""
    return float(min(_MOST_TRUST, n_labels / (n_labels + _HALF_TRUST * n_classes)))


class _Guesser:
    """Guesses of the documents without a label, by the members together and their student."""

    def __init__(self, model: _Guessed, corpus: Corpus, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        self.members: list[_Member] = []
        self.known = corpus.labels.labelled
        self.code = corpus.labels.code.copy()  # with guesses where there is no label
        self.n_classes = len(corpus.labels.classes)
        self.each = corpus.each()
        self.student: Student | None = None
        self.margins: list[float] = []
        if model.student is not None:
            labelled, others = self.each[self.known].sum(), self.each[~self.known].sum()
            self.label_weight = float(np.clip(others / labelled, LEAST_LABEL_WEIGHT, MOST_LABEL_WEIGHT))
            self.trust = label_trust(labelled, self.n_classes)
            self.scaler = student.fit_scaler(corpus.counts, corpus.weight)
            self.matrix = student.features(self.scaler, corpus.counts)
            known = np.flatnonzero(self.known)
            self._teach(self.matrix[known], known, self.label_weight * self.each[known])

    def guess(self) -> tuple[NDArray[np.int32], float]:
        """A class for every document, labels among them; and the share of guesses that are new."""
        unknown = ~self.known
        probability = np.zeros((int(unknown.sum()), self.n_classes))
        for member in self.members:
            asked = member.counts.of_documents(np.flatnonzero(unknown))
            probability += self.model._ask(member, asked, self.settings)
        probability /= len(self.members)
        before = self.code[unknown]
        if self.student is None:
            self.code[unknown] = probability.argmax(axis=1)
        else:
            said = student.probabilities(self.scores.astype(np.float64))
            probability = (1 - self.trust) * probability + self.trust * said
            self.code[unknown] = probability.argmax(axis=1)
            weight = np.full(len(self.code), self.label_weight)
            weight[unknown] = probability.max(axis=1) ** 2
            self._teach(self.matrix, np.arange(len(self.code)), weight * self.each)
            self.code[unknown] = self.scores.argmax(axis=1)
            self.margins.append(max(self._mean(_margins(self.scores)), _LEAST_MARGIN))
        return self.code, self._mean(self.code[unknown] != before)

    def _mean(self, values: NDArray[Any]) -> float:
        """The mean over the documents without a label."""
        weight = self.each[~self.known]
        # A plain sum: BLAS might add in another order with another number of threads.
        return float(np.sum(weight * values) / weight.sum()) if weight.sum() > 0 else 0.0

    def _teach(self, matrix: sparse.csr_array, documents: NDArray[Any], weight: NDArray[Any]) -> None:
        """A student of these documents, and what he says of those without a label."""
        weights = student.teach(matrix, self.code[documents], weight, self.n_classes)
        self.student = Student(self.scaler, weights)
        self.scores = (self.matrix @ weights)[~self.known]


def _margins(scores: Real) -> NDArray[np.float64]:
    """By how much the best class of each document is ahead of the second."""
    if scores.shape[1] == 1:
        return np.ones(len(scores))
    two = np.partition(scores, -2, axis=1)[:, -2:].astype(np.float64)
    return np.asarray(two[:, 1] - two[:, 0])


class HardMislabelingPLSA(_Guessed):
    """PLSA with a mislabelling model: documents without a label have guesses, and the guesses may be wrong.

    P(guess g | true class y) is learnt along with the topics, so that a guess that is often wrong counts
    less. Each topic is its class's, for all documents.

    Parameters
    ----------
    topics_per_class, extra_topics, relabel, n_relabels, student, scaling, init, smoothing, prior_strength,
    unlabeled_weight, evidence, early_stopping, max_iter, tol, n_init, accelerate, fold_iter, fold_tol, dtype,
    random_state, n_threads, verbose, callback, unlabeled
        As for `SoftMislabelingPLSA`.

    Attributes
    ----------
    classes_, components_, ...
        As for `SoftMislabelingPLSA`; `unlabeled_label_topic_` is `label_topic_`.

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

    _soft = False


class SoftMislabelingPLSA(_Guessed):
    """PLSA with a mislabelling model, soft: the model to try first.

    Documents without a label have guesses, and P(guess g | true class y) is learnt along with the topics.
    What a guess allows is softened by a P(y|z) that is learnt from them; labelled documents keep to the
    topics of their class, and so do predictions. It differs from `HardMislabelingPLSA` by fractions of a
    point.

    Parameters
    ----------
    topics_per_class : int, list, dict or "auto", default="auto"
    extra_topics : int, default=0
        As for `PLSAClassifier`.
    relabel : int or "never", default=5
        Passes between two makings of the guesses. "never": guesses are made once, and `max_iter` passes
        follow, as the papers print it; a student is taught once more at the end.
    n_relabels : int, default=3
        How often guesses are made anew, at most; fewer where they stand still.
    student : "linear" or None, default="linear"
        A linear classifier on TF-IDF, taught by the labels and the guesses. It has a say in the next guesses,
        and it predicts. None: guesses and predictions are those of the topics, by folding in.
    scaling : "auto", None or CountScaler, default="auto"
        What is done to the counts first; None takes them as they are. "auto" lets fits under four scalings
        make the guesses together, but for those that are shown to be worse, and keeps the model under the
        best of them.
    init : {"labels", "random"}, default="labels"
        Where P(w|z) starts: at the words of the class's documents and of the corpus, half and half, or at the
        corpus's words times random draws, as the papers do.
    smoothing : float, default=0.01
        Pseudo-count of every word in every topic.
    prior_strength : float or "auto", default="auto"
        Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes are.
        "auto" is 5, unless held-out labelled documents show that 1 or 20 is better.
    unlabeled_weight : float or "auto", default="auto"
        How much a document without a label counts in what the topics learn. "auto" is 0.1, unless 1 is shown
        to be better.
    evidence : bool, default=True
        Whether labelled documents are held out first, to choose what is "auto", to find out whether documents
        without a label help at all, and to calibrate the probabilities. It takes twice as many different
        labelled documents as classes, and two in at least two of them; where there are fewer, what is usual
        is taken.
    early_stopping : float, default=0.005
        A stretch of passes stops when one of them gains less log-likelihood a word than this, and the first
        after ten: from there on the likelihood rises and the accuracy falls. 0: not before `tol` and
        `max_iter` say so.
    max_iter : int, default=30
        Most passes of the missing-label fits that make the first guesses.
    tol, n_init, accelerate, fold_iter, fold_tol, dtype, random_state, n_threads, verbose, callback, unlabeled
        As for `PLSAClassifier`.

    Attributes
    ----------
    classes_, components_, topic_class_, label_topic_, class_prior_, scaling_, topic_prior_, doc_topic_,
    objective_trace_, log_likelihood_, n_iter_, stop_reason_, n_impossible_, n_features_in_
        As for `PLSAClassifier`; `doc_topic_` has all documents of the fit, and `stop_reason_` may be "early".
    transduction_ : (n_documents, n_classes) array
        P(class|document) of the documents of the fit; 1 for the class of a labelled one.
    guesses_ : (n_documents,) array
        The most probable class of each; its label where there is one.
    unlabeled_weight_ : float
        What `unlabeled_weight` was, or was chosen to be.
    evidence_ : dict
        The accuracy on held-out labelled documents of everything that was tried; empty where nothing was.
    choices_ : dict
        What was chosen: scaling, scalings_of_guesses, topics_per_class, prior_strength, unlabeled_weight,
        unlabeled_used, sharpness.
    unlabeled_used_ : bool
        False where all documents are labelled, or where the labels alone were better by more than two
        standard errors on at least five held-out documents a class: the model is then that of the labels
        alone, and a warning says so.
    sharpness_ : float
        The power that probabilities are raised to, as held-out documents ask for.
    mislabeling_ : (n_classes, n_classes) array
        beta: P(guess g | true class y), columns sum to one, as the model believes.
    unlabeled_label_topic_ : (n_classes, n_topics) array
        P(y|z) among the documents without a label.
    stretches_ : array of int
        Where in `objective_trace_` each stretch begins: the first fit, then one for every making of guesses.
        In a stretch the objective never falls.

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

    _soft = True
