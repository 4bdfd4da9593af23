"""Mixtures of multinomials: naive Bayes, by EM where labels are missing, with several components a class.

A document has one component, from which all its words are. Labelled documents are of their class's
components, unlabelled ones of any; EM goes on from where the labelled documents alone lead, or along a
temperature that falls slowly (deterministic annealing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from plsa import inputs
from plsa.engine import em
from plsa.engine.counts import Counts
from plsa.engine.mixture_steps import MixtureSteps, joint, log_words
from plsa.engine.parameters import Fit, Parameters, Real, padded, unpadded
from plsa.engine.progress import say
from plsa.estimators.classifying import ClassModel
from plsa.estimators.fitting import STOPPED
from plsa.estimators.scaling import CountScaler
from plsa.labels.gates import OneComponent
from plsa.labels.supervision import UNLABELLED, Labels, Layout, lay_out
from plsa.learning.evidence import SCALINGS, USUAL_SCALING, Corpus, Held, gather, hold_out

_NUMBERS = (1, 2, 3, 5, 10, 20, 40)  # of components a class that "auto" tries
_PATIENCE = 2  # numbers in a row that are no better, after which larger ones are not tried
_MOST_ALONE = 50  # labelled documents up to which each is held out by itself
_FOLDS = 10  # where there are more


def annealing_schedule(start: float = 0.02, factor: float = 1.01, steps: int = 1) -> NDArray[np.float64]:
    """The powers beta of deterministic annealing: `start`, times `factor` each time, and at last 1.

    Parameters
    ----------
    start : float, default=0.02
        The first power, from 1e-6 to 1: the lower, the flatter the surface that EM begins on.
    factor : float, default=1.01
        By how much a power exceeds the one before, above 1.
    steps : int, default=1
        Steps of EM at each power.

    Returns
    -------
    array
        Ascending, the last entry 1. The defaults are those of Nigam, McCallum and Mitchell: 395 powers.

    Examples
    --------
    >>> from plsa import annealing_schedule
    >>> annealing_schedule(0.1, 2)
    array([0.1, 0.2, 0.4, 0.8, 1. ])
    >>> len(annealing_schedule())
    395
    """
    start = inputs.check_number(start, "start", inputs.LEAST_POWER)
    factor = inputs.check_number(factor, "factor", above=1.0)
    steps = inputs.check_whole(steps, "steps", 1)
    if start > 1:
        raise ValueError(f"start == {start!r}, but must be at most 1, where annealing ends.")
    n_powers = int(np.ceil(-np.log(start) / np.log(factor) - 1e-9))
    powers = np.repeat(start * factor ** np.arange(n_powers), steps)
    return np.append(powers, 1.0)


class NaiveBayesEM(ClassModel):
    """Naive Bayes that also learns from documents without a label: a mixture of multinomials, by EM.

    P(d) = sum_z P(z) prod_w P(w|z)^n(d, w). Every class has its components z (one by default); a labelled
    document is of one of its class's, an unlabelled one of any. What EM climbs is

        sum_d weight_d log sum over the z that d may have of P(z) prod_w P(w|z)^n(d, w)
        + alpha sum log P(w|z) + class_alpha sum log P(c) + component_alpha sum log P(z|c),

    where P(z) = P(c) P(z|c) for z of class c: the posterior probability of the parameters. It never falls. EM
    begins at the estimates of the labelled documents alone. With one component a class, and all documents
    labelled, this is `sklearn.naive_bayes.MultinomialNB`.

    Parameters
    ----------
    components_per_class : int, list, dict or "auto", default=1
        Components of each class: one number, one for each class in sorted order, or a mapping from class to
        number. There may be more components than labelled documents of a class: unlabelled ones shape them.
        "auto", for all classes or as a class's entry: of 1, 2, 3, 5, 10, 20 and 40 the number, the same for
        all classes that leave it open, with which plain EM classifies labelled documents best that were held
        out: one at a time where there are 50 or fewer, a tenth of them where there are more. Of equals it is
        the fewest; after two in a row that are no better larger ones are not tried; with too few documents
        to hold any out it is 1. That is up to 350 fits: on 10,000 documents minutes.
    unlabeled_weight : float, default=1.0
        How often a document without a label counts. Less than 1 keeps many of them from drowning few labels.
    annealing : None, bool or sequence of float, default=None
        Deterministic annealing: EM with posteriors raised to a power and normalised again, one step at each
        power of a sequence that ends at 1, and from there as without. True: `annealing_schedule()`, some 400
        steps. It finds more probable parameters than EM where labels are few, whose components may have lost
        their classes (see `correspondence`); with many labels plain EM was the more accurate.
    correspondence : {"kl", "labels", None}, default="kl"
        Which component is whose after annealing. "kl": as those of plain EM, which is fitted for that, that
        are nearest by KL divergence. "labels": as the labelled documents fall. Both by linear assignment.
        None: as it began. See `reassign` for correspondence by a person who has seen the words.
    alpha : float or (n_features,) array, default=1.0
        Pseudo-count of every word in every component. 0 is maximum likelihood: a word that no document of a
        component has is then as improbable there as a number can be.
    class_alpha : float, default=0.0
        Pseudo-count of documents of every class. Nigam, McCallum and Mitchell have 1, scikit-learn 0.
    component_alpha : float, default=1.0
        Pseudo-count of documents of every component within its class.
    scaling : None, "auto" or CountScaler, default=None
        What is done to the counts first. None takes them as they are. "auto" tries four ways by
        cross-validation on the labelled documents. Constant length makes posteriors less extreme and helps
        more often than not: `CountScaler(tf="raw")` is what the paper does.
    max_iter : int, default=100
        Most steps of EM, those of annealing not counted.
    tol : float, default=1e-5
        EM has settled when a step gains no more than this much log-probability a word of the corpus.
    n_init : int, default=1
        Random starts, which differ only in how labelled documents are dealt out to several components; the
        one with the highest objective is kept.
    dtype : {None, "float32", "float64"}, default=None
        What is computed in. None: float64.
    random_state : int, RandomState or None, default=None
        Seed of the dealing out. The same seed gives the same bits with any number of threads.
    n_threads : int or None, default=None
        None uses all processors; see `plsa.threads`.
    verbose : int, default=0
        Whether to show progress.
    callback : callable or None, default=None
        Called with a `plsa.em.Pass` after every step, but not while "auto" chooses; the fit stops where it
        returns something true.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None and NaN do so always. None: only they do.

    Attributes
    ----------
    classes_ : array
    components_ : (n_components, n_features) array
        P(w|z), components in the order of their classes.
    topic_class_ : (n_components,) array of int
        The place in `classes_` of each component's class.
    topic_prior_ : (n_components,) array
        P(z).
    class_prior_ : (n_classes,) array
        P(c), the sum of P(z) over the components of c.
    label_topic_ : (n_classes, n_components) array
        1 where a component is of a class, else 0.
    components_per_class_ : list of int
    component_scores_ : dict
        The cross-validated accuracy of each number that "auto" tried; empty where it tried none.
    scaling_ : CountScaler or None
        What is done to the counts, fitted.
    scaling_scores_ : dict
        The cross-validated accuracy of each scaling that "auto" tried; empty where it tried none.
    doc_topic_ : (n_documents, n_components) array
        P(z|d) of the documents of the fit, those with a label under it; `reassign` leaves it as it was.
    transduction_ : (n_documents, n_classes) array
        P(class|d) of the documents of the fit; 1 for the label of those that have one.
    guesses_ : (n_documents,) array
        The most probable class of each.
    objective_trace_ : array
        The objective before each step and at the end, from where annealing ended.
    annealing_trace_ : (n_powers, 2) array
        The powers, and sum_d (1 / power) log sum_z P(d, z)^power + log prior before the step there; it may
        fall between two powers. Without rows where nothing was annealed.
    log_likelihood_ : float
        sum_d weight_d log P(d), for a document with a label log P(d, label).
    n_iter_ : int
        Steps made, those of annealing not counted.
    n_impossible_ : int
        0: nothing is impossible here.
    stop_reason_ : {"settled", "rounds", "fell", "callback", "interrupted"}
        Only "settled" is convergence.
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

    Notes
    -----
    Several components of a class start from the class's labelled documents dealt out to them at random; a
    component that none is left for starts from a random mixture of them all.

    Time is O(nonzeros * components) a step; memory, beyond X, is up to five (documents, components) and
    (words, components) matrices. Posteriors are found in log space: documents of millions of words do no
    harm. As always with naive Bayes, probabilities of long documents are too sure of themselves.

    As in the chapter below: `class_alpha=1, scaling=CountScaler(tf="raw")`, and `annealing=True`.

    References
    ----------
    K. Nigam, A. McCallum and T. Mitchell, "Semi-Supervised Text Classification Using EM", in Semi-Supervised
    Learning, MIT Press, 2006.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from plsa import NaiveBayesEM
    >>> texts = ["tea milk", "milk cup", "cup saucer", "goal ball", "ball team", "team coach"]
    >>> labels = ["food", None, None, "sport", None, None]
    >>> model = make_pipeline(CountVectorizer(), NaiveBayesEM(alpha=0.1)).fit(texts, labels)
    >>> model.predict(["the saucer", "the coach"])
    array(['food', 'sport'], dtype='<U5')
    """

    topics_of_documents = False

    def __init__(
        self,
        components_per_class: Any = 1,
        unlabeled_weight: float = 1.0,
        annealing: Any = None,
        *,
        correspondence: str | None = "kl",
        alpha: Any = 1.0,
        class_alpha: float = 0.0,
        component_alpha: float = 1.0,
        scaling: Any = None,
        max_iter: int = 100,
        tol: float = 1e-5,
        n_init: int = 1,
        dtype: Any = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: int = 0,
        callback: em.Callback | None = None,
        unlabeled: Any = -1,
    ) -> None:
        self.components_per_class = components_per_class
        self.unlabeled_weight = unlabeled_weight
        self.annealing = annealing
        self.correspondence = correspondence
        self.alpha = alpha
        self.class_alpha = class_alpha
        self.component_alpha = component_alpha
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.dtype = dtype
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback
        self.unlabeled = unlabeled

    def _real(self) -> Any:
        # A sum of a million logarithms in float32 would be off by whole units.
        return "float64" if self.dtype is None else self.dtype

    def _check_class_parameters(self) -> None:
        inputs.check_number(self.unlabeled_weight, "unlabeled_weight")
        inputs.check_number(self.class_alpha, "class_alpha")
        inputs.check_number(self.component_alpha, "component_alpha")
        inputs.check_choice(self.correspondence, "correspondence", [None, "labels", "kl"])
        inputs.check_annealing(self.annealing)

    def _learn_corpus(self, corpus: Corpus) -> str:
        corpus = corpus.with_unlabelled(float(self.unlabeled_weight))
        inputs.check_some_words(corpus.counts, corpus.weight)
        alpha = inputs.check_alpha(self.alpha, corpus.counts.n_words, corpus.counts.dtype)
        numbers, are_open = inputs.check_components_per_class(self.components_per_class, self.classes_)
        scaling = self._chosen_scaling(corpus, alpha, numbers)
        self.scaling_, scaled = corpus.scaled(scaling)
        corpus = Corpus(scaled, corpus.labels, corpus.weight)
        numbers = self._chosen_numbers(corpus, alpha, numbers, are_open)
        rng = check_random_state(self.random_state)
        fit, steps, annealed = self._climb(corpus, alpha, numbers, rng, self.n_init)
        self._keep_mixture(fit, steps, annealed, corpus.labels)
        return fit.reason

    def _chosen_scaling(
        self, corpus: Corpus, alpha: NDArray[np.float64], numbers: NDArray[np.intp]
    ) -> CountScaler | None:
        """The scaling that was set, or that labelled documents held out in turn speak for."""
        self.scaling_scores_: dict[str, float] = {}
        if not inputs.is_auto(self.scaling):
            chosen: CountScaler | None = self.scaling
            return chosen
        parts = hold_out(corpus, sample=False)
        if not parts:
            return SCALINGS[USUAL_SCALING]
        judged = []
        for scaling in SCALINGS:
            scaled = Corpus(corpus.scaled(scaling)[1], corpus.labels, corpus.weight)
            judged.append([self._judged(scaled, held, alpha, numbers, str(scaling)) for _, held in parts])
        found = gather([_together(candidates) for candidates in zip(*judged, strict=True)])
        self.scaling_scores_ = {str(scaling): found.accuracy(str(scaling)) for scaling in SCALINGS}
        return found.best(SCALINGS)

    def _chosen_numbers(
        self,
        corpus: Corpus,
        alpha: NDArray[np.float64],
        numbers: NDArray[np.intp],
        are_open: NDArray[np.bool_],
    ) -> NDArray[np.intp]:
        """Components of each class; where that is open, as many as classify held-out documents best."""
        self.component_scores_: dict[int, float] = {}
        if not are_open.any():
            return numbers
        parts = hold_out(corpus, sample=False, folds=_FOLDS, parts=_FOLDS, alone=_MOST_ALONE)
        best, since = 1, 0
        for number in _NUMBERS if parts else ():
            tried = np.where(are_open, number, numbers)
            found = gather([self._judged(corpus, held, alpha, tried, "auto") for _, held in parts])
            score = found.accuracy("auto")
            self.component_scores_[number] = score
            if self.verbose:
                right = f"{100 * score:.1f}% of the held-out documents are right"
                say(f"{type(self).__name__}, components_per_class={number}: {right}")
            # Of equals the fewest.
            since = 0 if score > self.component_scores_[best] else since + (number > 1)
            best = number if score > self.component_scores_[best] else best
            if since >= _PATIENCE:
                break
        return np.where(are_open, best, numbers)

    def _judged(
        self,
        corpus: Corpus,
        held: NDArray[np.intp],
        alpha: NDArray[np.float64],
        numbers: NDArray[np.intp],
        name: str,
    ) -> Held:
        """What plain EM says of labelled documents that it neither knows the label of nor learns from."""
        code, each = corpus.labels.code.copy(), corpus.each()
        true, its_weight = code[held], each[held]
        code[held], each[held] = UNLABELLED, 0.0
        without = Corpus(corpus.counts, Labels(corpus.labels.classes, code), each.astype(corpus.counts.dtype))
        # Not a clone, which copies: a callback may be something that cannot be.
        quiet = {"verbose": 0, "callback": None, "annealing": None}
        trial = type(self)(**(self.get_params(deep=False) | quiet))
        fit, steps, _ = trial._climb(without, alpha, numbers, check_random_state(0), 1)
        if fit.reason == "interrupted":
            raise KeyboardInterrupt
        layout, learnt = steps.gate.layout, fit.parameters
        prior = learnt.gate[layout.n_classes, : layout.n_topics].astype(np.float64)
        rows = joint(corpus.counts.of_documents(held), learnt.word_topic, prior, self.n_threads)
        probability = softmax(rows, axis=1) @ layout.allowed().T
        return Held(true, its_weight, {name: probability})

    def _climb(
        self,
        corpus: Corpus,
        alpha: NDArray[np.float64],
        numbers: NDArray[np.intp],
        rng: np.random.RandomState,
        n_init: int,
    ) -> tuple[Fit, MixtureSteps, NDArray[np.float64]]:
        """The best of `n_init` climbs: where it ended, its steps, and what annealing went through."""
        layout = lay_out(numbers, 0)
        gate = OneComponent(layout, float(self.class_alpha), float(self.component_alpha))
        code = corpus.labels.code
        steps = MixtureSteps(
            corpus.counts,
            gate,
            state=gate.states(code, np.zeros_like(code)),
            alpha=alpha,
            weight=corpus.weight,
            n_threads=self.n_threads,
        )
        best: tuple[Fit, NDArray[np.float64]] | None = None
        if layout.n_topics == layout.n_classes:
            n_init = 1  # nothing is dealt out at random
        for number in range(n_init):
            of = f"start {number + 1} of {n_init}" if n_init > 1 else ""
            found = self._climb_once(steps, corpus, _dealt(corpus, layout, rng), of, number + 1 < n_init)
            if best is None or (found[0].trace and found[0].trace[-1] > best[0].trace[-1]):
                best = found
            if found[0].reason in STOPPED:
                best = replace(best[0], reason=found[0].reason), best[1]
                break
        assert best is not None
        return best[0], steps, best[1]

    def _climb_once(
        self,
        steps: MixtureSteps,
        corpus: Corpus,
        share: NDArray[np.float64],
        of: str,
        more_follows: bool,
    ) -> tuple[Fit, NDArray[np.float64]]:
        """One climb from where labelled documents with these components lead, annealed if asked for."""
        nothing = np.empty((0, 2))
        powers = _powers(self.annealing)
        certain = corpus.labels.labelled.all() and steps.n_topics == len(corpus.labels.classes)
        if len(powers) == 1 or certain:
            begin = [lambda: steps.primed(share)]
            return self._best_run(steps, begin, doing=of, more_follows=more_follows), nothing
        plain: Fit | None = None
        if self.correspondence == "kl":
            begin = [lambda: steps.primed(share)]
            plain = self._best_run(steps, begin, doing=_listed(of, "plain EM"), more_follows=True)
            if plain.reason in STOPPED:
                return plain, nothing
        annealed, to_stop = self._watched(
            lambda callback: em.follow(steps, steps.primed(share), powers.tolist(), callback),
            _listed(type(self).__name__, of, "annealing"),
            len(powers) - 1,
            corpus.counts.total(corpus.weight),
        )
        parameters = annealed.parameters
        trace = np.column_stack([powers[: len(annealed.trace)], annealed.trace])
        if annealed.reason in STOPPED or to_stop:
            # Where that stands at power 1; nobody is asked again.
            ended = em.run(steps, steps.cut_short(parameters), em.Stop(0, 0.0, 0.0))
            return replace(ended, reason=annealed.reason if annealed.reason in STOPPED else "callback"), trace
        order = self._order(steps, corpus, parameters, plain)
        begin = [lambda: steps.reordered(parameters, order)]
        return self._best_run(steps, begin, doing=of, more_follows=more_follows), trace

    def _order(
        self, steps: MixtureSteps, corpus: Corpus, parameters: Parameters, plain: Fit | None
    ) -> NDArray[np.intp]:
        """The component of annealing that is to stand in each place."""
        layout, n_topics = steps.gate.layout, steps.n_topics
        if plain is not None:
            return by_divergence(
                unpadded(plain.parameters.word_topic, n_topics), unpadded(parameters.word_topic, n_topics)
            )
        if self.correspondence is None:
            return np.arange(n_topics)
        known = np.flatnonzero(corpus.labels.labelled)
        prior = parameters.gate[layout.n_classes, :n_topics].astype(np.float64)
        rows = joint(corpus.counts.of_documents(known), parameters.word_topic, prior, self.n_threads)
        each = corpus.each()[known]
        return by_labels(softmax(rows, axis=1), corpus.labels.code[known], each, layout)

    def _keep_mixture(
        self, fit: Fit, steps: MixtureSteps, annealed: NDArray[np.float64], labels: Labels
    ) -> None:
        """Sets what the fit has learnt."""
        layout = steps.gate.layout
        explained = steps.explained(fit.parameters)
        prior = explained.gate[layout.n_classes, : layout.n_topics].astype(np.float64)
        self._keep(replace(fit, parameters=explained), steps, prior)
        self.annealing_trace_ = annealed
        self._code = labels.code
        self._assign(layout)

    def _assign(self, layout: Layout) -> None:
        """Sets what follows from which component is whose."""
        self.topic_class_ = layout.topic_class
        self.components_per_class_ = np.bincount(layout.topic_class, minlength=layout.n_classes).tolist()
        self.label_topic_ = layout.allowed()
        self.class_prior_ = self.label_topic_ @ self.topic_prior_
        self.transduction_ = self.doc_topic_.astype(np.float64) @ self.label_topic_.T
        known = self._code != UNLABELLED
        self.transduction_[known] = np.eye(len(self.classes_))[self._code[known]]
        self.guesses_ = self.classes_[self.transduction_.argmax(axis=1)]

    def reassign(self, classes: Sequence[Any] | Mapping[int, Any]) -> Self:
        """Says whose the components are, for example after a look at their words.

        Parameters
        ----------
        classes : list with the class of each component, or mapping from component to class
            Components, counted as the rows of `components_`, that a mapping leaves out stay whose they are. A
            class may get no component: nothing is then taken for it.

        Returns
        -------
        self
            P(w|z) and P(z) stay, and EM does not go on; classes, predictions and `guesses_` follow.

        Examples
        --------
        >>> from sklearn.feature_extraction.text import CountVectorizer
        >>> from plsa import NaiveBayesEM
        >>> counts = CountVectorizer().fit_transform(["tea milk", "goal ball", "ball", "milk"])
        >>> model = NaiveBayesEM(annealing=True).fit(counts, ["food", "sport", None, None])
        >>> model.reassign(["sport", "food"]).predict(counts)
        array(['sport', 'food', 'food', 'sport'], dtype='<U5')
        """
        check_is_fitted(self, "components_")
        codes = inputs.check_assignment(classes, self.topic_class_, self.classes_)
        self._assign(Layout(codes, len(self.classes_)))
        return self

    def _joint(self, counts: Counts) -> NDArray[np.float64]:
        """(D, K): log P(d, z) of checked counts."""
        words = padded(self.components_.T, counts.dtype)
        return joint(self._scaled(counts), words, self.topic_prior_.astype(np.float64), self.n_threads)

    def joint_log_likelihood(self, X: Any) -> NDArray[np.float64]:
        """log P(d, class), columns in the order of `classes_`: what predictions are made of.

        log sum over the components z of the class of P(z) prod_w P(w|z)^n(d, w); the multinomial coefficient,
        which is the same for all classes, is left out.
        """
        rows = self._joint(self._new_counts(X))
        joined = np.full((len(rows), len(self.classes_)), -np.inf)
        for place in np.unique(self.topic_class_):
            joined[:, place] = logsumexp(rows[:, self.topic_class_ == place], axis=1)
        return joined

    def _probabilities(self, counts: Counts) -> NDArray[np.float64]:
        return self._topics(counts) @ self.label_topic_.T

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """log P(class|document), found in log space: no probability is too small for it."""
        return log_softmax(self.joint_log_likelihood(X), axis=1)

    def transform(self, X: Any) -> Real:
        """P(component|document) of each document, its label not known."""
        return self._topics(self._new_counts(X))

    def _topics(self, counts: Counts) -> Real:
        return softmax(self._joint(counts), axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def by_divergence(from_words: Real, to_words: Real) -> NDArray[np.intp]:
    """The column of `to_words` for each of `from_words`, each once, with the least KL divergence in all.

    KL(p || q) = sum_w p(w) log(p(w) / q(w)), p being a column of `from_words`, q of `to_words`.
    """
    n_topics = from_words.shape[1]
    p, log_q = from_words.astype(np.float64), log_words(to_words, n_topics).astype(np.float64)
    own = np.einsum("wz,wz->z", p, log_words(from_words, n_topics))
    return np.asarray(linear_sum_assignment(own[:, np.newaxis] - p.T @ log_q)[1])


def by_labels(
    topics: NDArray[np.float64], code: NDArray[np.int32], each: NDArray[np.float64], layout: Layout
) -> NDArray[np.intp]:
    """The component for each place of the layout, each once, that most labelled documents agree with.

    `topics` are P(z|d) of labelled documents, found without their labels.
    """
    of_class = np.zeros((layout.n_classes, layout.n_topics))
    np.add.at(of_class, code, each[:, np.newaxis] * topics)
    order = np.asarray(linear_sum_assignment(-of_class[layout.topic_class])[1])
    for place in range(layout.n_classes):  # within a class all orders are as good: they stay as they were
        own = layout.topic_class == place
        order[own] = np.sort(order[own])
    return order


def _dealt(corpus: Corpus, layout: Layout, rng: np.random.RandomState) -> NDArray[np.float64]:
    """(D, K): components for the labelled documents, dealt out at random within the class; others have none.

    Copies of a document go together, so that a weight is a repetition.
    """
    share = np.zeros((corpus.counts.n_documents, layout.n_topics))
    counted, length = corpus.each() > 0, corpus.counts.lengths()
    for place in range(layout.n_classes):
        own = np.flatnonzero(layout.topic_class == place)
        documents = np.flatnonzero((corpus.labels.code == place) & counted)
        share[np.ix_(documents, own)] = 1 / len(own)
        documents = documents[length[documents] > 0]  # empty ones have nothing to tell components apart by
        if len(own) == 1 or not len(documents):
            continue
        different, which = np.unique(corpus.counts.marks(documents), return_inverse=True)
        order = rng.permutation(len(different))
        rows = np.zeros((len(different), len(own)))
        rows[order, np.arange(len(different)) % len(own)] = 1
        left = len(own) - len(different)
        if left > 0:
            rows[:, len(different) :] = rng.standard_exponential((len(different), left))
            rows /= rows.sum(axis=1, keepdims=True)
        share[np.ix_(documents, own)] = rows[which]
    return share


def _powers(annealing: Any) -> NDArray[np.float64]:
    """The powers of a schedule that was checked; 1 alone where nothing is to be annealed."""
    if annealing is None or isinstance(annealing, bool | np.bool_):
        return annealing_schedule() if annealing else np.ones(1)
    return np.asarray(annealing, dtype=np.float64)


def _together(candidates: Sequence[Held]) -> Held:
    """What several candidates said of the same documents, as one."""
    probability = {name: each.probability[name] for each in candidates for name in each.probability}
    return replace(candidates[0], probability=probability)


def _listed(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
