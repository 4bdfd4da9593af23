"""Mixtures of multinomials: naive Bayes, by EM where labels are missing, with several components per class.

A document has one component, from which all its words are. Labeled documents are of their class's
components, unlabeled ones of any; EM goes on from where the labeled documents alone lead, or along a
temperature that falls slowly (deterministic annealing).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Codes, Floats, Mask, Places, Real, Rng
from plsa.estimators import scaling as scalings
from plsa.estimators.base import ClassEstimator, Confident, Fitted, check_size, kept, of_documents
from plsa.estimators.parameters import Printed, estimator
from plsa.estimators.scaling import CountScaler
from plsa.inputs import check_each, check_number, check_whole, is_auto
from plsa.labels.corpus import Corpus
from plsa.labels.layout import Layout, check_topics_per_class, unlabeled_share
from plsa.labels.reading import Labels
from plsa.learning.mixtures import LearnedMixture, Mixture, MixturePlan, learn, members
from plsa.learning.parts import Parts

_MIN_POWER = 1e-6  # of annealing
_WEIGHTS = (0.0, 0.01, 0.1, 1.0)  # of documents without a label that "auto" tries: the labels alone first


def annealing_schedule(start: float = 0.02, factor: float = 1.01, steps: int = 1) -> Floats:
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
    start = check_number(start, "start", _MIN_POWER)
    factor = check_number(factor, "factor", above=1.0)
    steps = check_whole(steps, "steps", 1)
    if start > 1:
        raise ValueError(f"start == {start!r}, but must be at most 1, where annealing ends.")
    n_powers = int(np.ceil(-np.log(start) / np.log(factor) - 1e-9))
    powers = np.repeat(start * factor ** np.arange(n_powers), steps)
    return np.append(powers, 1.0)


def _check_components_per_class(given: Any, classes: Array, declared: Array | None) -> tuple[Places, Mask]:
    """How many components each class has, and for which classes that is left open (and 1 for now)."""
    declared = classes if declared is None else declared
    each: Any = given.tolist() if hasattr(given, "tolist") else given
    if is_auto(each):
        each = ["auto"] * len(declared)
    if isinstance(each, Sequence) and not isinstance(each, str) and len(each) == len(declared):
        each = dict(zip(declared.tolist(), each, strict=True))
    are_open = np.zeros(len(classes), dtype=bool)
    if isinstance(each, Mapping):
        are_open[:] = [is_auto(each.get(c)) for c in classes.tolist()]
        each = {c: 1 if is_auto(n) else n for c, n in each.items()}
    return check_topics_per_class(each, classes, "components_per_class", declared), are_open


def _check_alpha(given: Any, n_words: int, dtype: Any) -> Floats:
    """The pseudo-count of every word, none of them beyond what is computed in."""
    try:
        alpha = np.asarray(given)
    except ValueError:  # lists of different lengths
        alpha = np.asarray(given, dtype=object)
    if alpha.ndim == 0:
        alpha = np.full(n_words, check_number(alpha.item(), "alpha"))
    if alpha.dtype.kind not in "iuf" or alpha.shape != (n_words,):
        must = f"a number or an array with one for each of the {n_words} words"
        raise ValueError(f"alpha has shape {alpha.shape} and type {alpha.dtype}, but must be {must}.")
    largest = np.sqrt(np.finfo(dtype).max)
    must = f"pseudo-counts must be >= 0 and no larger than {largest:.0e}"
    check_each(alpha, (alpha >= 0) & (alpha <= largest), "alpha", must)
    return alpha.astype(np.float64)


def _check_annealing(given: Any, name: str) -> None:
    """Raises where annealing is not a schedule of powers: numbers above 0 and up to 1, the last of them 1."""
    if given is None or isinstance(given, bool | np.bool_):
        return
    if isinstance(given, str) or np.ndim(given) != 1 or np.asarray(given).dtype.kind not in "iuf":
        must = "None, True, or a sequence of powers such as annealing_schedule(0.02, 1.01)"
        raise ValueError(f"annealing == {given!r}, but must be {must}.")
    powers = np.asarray(given, dtype=np.float64)
    for good, must in (
        ((powers > 0) & (powers <= 1), "powers must be above 0 and at most 1"),
        (powers >= _MIN_POWER, f"below {_MIN_POWER:g} nothing is left of what documents say"),
    ):
        for at in np.flatnonzero(~good):
            raise ValueError(f"annealing holds the power {powers[at]:g} at {at}; {must}.")
    if not len(powers) or powers[-1] != 1:
        end = f"ends at {powers[-1]:g}" if len(powers) else "is empty"
        raise ValueError(f"annealing {end}, but must end at 1, where the model is the one to be learned.")


def _check_assignment(given: Any, topic_class: Codes, classes: Array) -> Codes:
    """The place among the classes of each component's class, as a list or a mapping gives it."""
    n_components = len(topic_class)
    if hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
        must = f"a list with the class of each of the {n_components} components, or a mapping to classes"
        raise ValueError(f"classes == {given!r}, but must be {must}.")
    if not isinstance(given, Mapping) and len(given) != n_components:
        raise ValueError(f"classes has {len(given)} entries for {n_components} components.")
    pairs = given.items() if isinstance(given, Mapping) else enumerate(given)
    codes, names = topic_class.copy(), classes.tolist()
    for component, its_class in pairs:
        whole = isinstance(component, int | np.integer) and not isinstance(component, bool)
        if not whole or not 0 <= component < n_components:
            raise ValueError(f"there is no component {component!r}; they are 0 to {n_components - 1}.")
        if its_class not in names:
            raise ValueError(f"component {component} cannot be of {its_class!r}: the classes are {names}.")
        codes[component] = names.index(its_class)
    return codes


@estimator
class NaiveBayesEM(Printed, Confident, ClassEstimator):
    """Naive Bayes that also learns from documents without a label: a mixture of multinomials, by EM.

    P(d) = sum_z P(z) prod_w P(w|z)^n(d, w). Every class has its components z (one by default); a labeled
    document is of one of its class's, an unlabeled one of any. What EM climbs is

        sum_d weight_d log sum over the z that d may have of P(z) prod_w P(w|z)^n(d, w)
        + alpha sum log P(w|z) + class_alpha sum log P(c) + component_alpha sum log P(z|c),

    where P(z) = P(c) P(z|c) for z of class c: the posterior probability of the parameters. It never falls. EM
    begins at the estimates of the labeled documents alone. With one component per class, and all documents
    labeled, this is `sklearn.naive_bayes.MultinomialNB`. Where documents without a label do not help, that is
    what it falls back to, and says so.

    Notes
    -----
    Several components of a class start from the class's labeled documents dealt out to them at random; a
    component that none is left for starts from a random mixture of them all.

    Time is O(nonzeros * components) per step; memory, beyond X, is up to five (documents, components) and
    (words, components) matrices. Posteriors are found in log space: documents of millions of words do no
    harm. As always with naive Bayes, probabilities of long documents are too sure of themselves.

    As in the chapter below: `NaiveBayesEM.as_printed()`, which is `unlabeled_weight=1, class_alpha=1,
    scaling=CountScaler(tf="raw"), evidence=False`, and `NaiveBayesEM.as_printed(annealing=True)`. On raw
    texts with few labels take `alpha=0.1`: with 1 documents without a label seldom help.

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

    _parameters: ClassVar[str] = """
    components_per_class : int, list, dict or "auto"
        Components of each class: one number, one for each class in sorted order, or a mapping from class to
        number; where `classes` declares classes without an example, these have an entry, which is not read.
        There may be more components than labeled documents of a class: unlabeled ones shape them.
        "auto", for all classes or as a class's entry: of 1, 2, 3, 5, 10, 20 and 40 the number, the same for
        all classes that leave it open, with which plain EM classifies labeled documents best that were held
        out: one at a time where there are 50 or fewer, a tenth of them where there are more. Of equals it is
        the fewest; after two in a row that are no better larger ones are not tried; with too few documents to
        hold any out it is 1. That is up to 350 fits: on 10,000 documents minutes.
    unlabeled_weight : float >= 0 or "auto"
        How often a document without a label counts. Less than 1 keeps many of them from drowning few labels.
        "auto" tries the labels alone, 0.01, 0.1 and 1, each as if it were given, on labeled documents held
        out: ten times a tenth of them, three times a third where there are more than 150. It takes the weight
        that gains most log-probability of the true class over the labels alone, if more than half a standard
        error. Where none does, or labels are too few to hold any out, it is 1, unless that loses more than a
        standard error, or takes more than a fifth of the labeled documents for another class than theirs:
        then it is 0, and a warning says so. That is 12 to 40 fits and one more.
    evidence : bool
        Whether labeled documents are held out first, to choose what is "auto". It takes twice as many
        different labeled documents as classes, and two in at least two of them. False: `unlabeled_weight` 1,
        one component per class and the usual scaling are taken for "auto", and nothing is tried. Ctrl-C
        before it is done leaves nothing.
    annealing : None, bool or sequence of float
        Deterministic annealing: EM with posteriors raised to a power and normalized again, one step at each
        power of a sequence that ends at 1, and from there as without. True: `annealing_schedule()`, some 400
        steps. It finds more probable parameters than EM where labels are few, whose components may have lost
        their classes (see `correspondence`); with many labels plain EM was the more accurate.
    correspondence : {"kl", "labels", None}
        Which component is whose after annealing. "kl": as those of plain EM, which is fitted for that, that
        are nearest by KL divergence. "labels": as the labeled documents fall. Both by linear assignment.
        None: as it began. See `reassign` for correspondence by a person who has seen the words.
    alpha : float or (n_features,) array
        Pseudo-count of every word in every component. 0 is maximum likelihood: a word that no document of a
        component has is then as improbable there as a number can be. With few labels and the very many words
        of raw texts 1 drowns what the labels say, and documents all go to a few classes, of which a warning
        tells: 0.01 does not.
    class_alpha : float >= 0
        Pseudo-count of documents of every class. Nigam, McCallum and Mitchell have 1, scikit-learn 0.
    component_alpha : float >= 0
        Pseudo-count of documents of every component within its class.
    scaling : None, "auto" or CountScaler
        What is done to the counts first. None takes them as they are. "auto" tries four ways by
        cross-validation on the labeled documents. Constant length makes posteriors less extreme and helps
        more often than not: `CountScaler(tf="raw")` is what the paper does.
    max_iter : int >= 0
        Most steps of EM, those of annealing not counted.
    tol : float >= 0
        EM has settled when a step gains no more than this much log-probability per word of the corpus.
    n_init : int >= 1
        Random starts, which differ only in how labeled documents are dealt out to several components; the one
        with the highest objective is kept.
    dtype : {None, "float32", "float64"}
        What is computed in. None: float64.
    callback : callable or None
        Called with a `plsa.engine.em.Pass` after every step, but not while "auto" chooses; the fit stops
        where it returns something true.
    """
    _attributes: ClassVar[str] = """
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
        The number of components of each class.
    component_scores_ : dict
        The cross-validated accuracy of each number that "auto" tried; empty where it tried none.
    unlabeled_weight_ : float
        What `unlabeled_weight` was, or was chosen to be; 0 where the labels alone were chosen.
    unlabeled_used_ : bool
        False where all documents that count are labeled, or where `unlabeled_weight_` is 0.
    evidence_ : dict
        The accuracy on held-out labeled documents of the labels alone and of each weight that "auto" tried;
        empty where it tried none, or labels were too few.
    choices_ : dict
        What was chosen: scaling, components_per_class, unlabeled_weight (None: not used), unlabeled_used.
    doc_topic_ : (n_documents, n_components) array
        P(z|d) of the documents of the fit, those with a label under it; `reassign` leaves it as it was.
    transduction_, guesses_
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
    """
    _checks: ClassVar[dict[str, Any]] = {"alpha": None, "annealing": _check_annealing}
    _printed: ClassVar[dict[str, Any]] = {
        "unlabeled_weight": 1.0,
        "class_alpha": 1.0,
        "scaling": CountScaler(tf="raw"),
        "evidence": False,
    }
    topics_of_documents: ClassVar[bool] = False

    components_per_class: Any = 1
    unlabeled_weight: Any = "auto"
    annealing: Any = None
    _: KW_ONLY
    evidence: bool = True
    correspondence: str | None = "kl"
    alpha: Any = 1.0
    class_alpha: float = 0.0
    component_alpha: float = 1.0
    scaling: Any = None
    tol: float = 1e-5

    def _real(self) -> Any:
        # A sum of a million logarithms in float32 would be off by whole units.
        return "float64" if self.dtype is None else self.dtype

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        labels, counts = corpus.labels, corpus.counts
        numbers = _check_components_per_class(self.components_per_class, labels.classes, self._declared())
        asked = f"components_per_class == {self.components_per_class!r}"
        check_size(counts, sum(numbers[0].tolist()), asked, corpus.n_classes)
        plan = self._plan(counts)
        loop = plan.loop
        with loop.progress:
            learned = learn(corpus, *numbers, plan, check_random_state(self.random_state))
            return self._finished(loop, learned.fit, lambda: self._kept(learned, corpus))

    def _plan(self, counts: Counts) -> MixturePlan:
        """How the parameters want counts to be learned from."""
        return MixturePlan(
            self._loop(),
            _check_alpha(self.alpha, counts.n_words, counts.dtype),
            float(self.class_alpha),
            float(self.component_alpha),
            _powers(self.annealing),
            self.correspondence,
            self.n_threads,
            scalings.values(self.scaling),
            scalings.default(self.scaling),
            _WEIGHTS if is_auto(self.unlabeled_weight) else (float(self.unlabeled_weight),),
            self.evidence,
        )

    def members(self, X: Any, labels: Labels, n_members: int, rng: Rng) -> Floats:
        """(members, D, C): P(class|document) of the documents of the fit, by draws from the posterior.

        A committee as McCallum and Nigam (1998) have it; each draw goes on by two steps of EM.
        """
        corpus = Corpus(self.checked_counts(X), labels)
        plan = self._plan(corpus.counts)
        return np.array([*members(corpus, self.model_, self._way_, plan, n_members, rng)])

    def _kept(self, learned: LearnedMixture, corpus: Corpus) -> Fitted:
        """The attributes of what was learned."""
        fit, mixture, labels = learned.fit, learned.mixture, corpus.labels
        found = kept(fit, mixture.word_topic, mixture.topic_prior)
        way, share = learned.way, unlabeled_share(fit.state, mixture.layout)
        scaling = scalings.named(self.scaling)[way.scaling]
        scaling = scalings.fitted_scaling(scaling, mixture.scaler, corpus.counts.n_words)
        return {
            **found,
            "scaling_": scaling,
            "scaling_scores_": way.scaling_scores,
            "component_scores_": way.component_scores,
            "unlabeled_weight_": way.weight,
            "unlabeled_used_": learned.unlabeled_used,
            "unlabeled_share_": share if learned.unlabeled_used else np.zeros_like(share),
            "evidence_": learned.accuracy,
            "choices_": {
                "scaling": scaling,
                "components_per_class": way.numbers.tolist(),
                "unlabeled_weight": way.weight if learned.unlabeled_used else None,
                "unlabeled_used": learned.unlabeled_used,
            },
            "annealing_trace_": np.empty((0, 2)) if fit.annealed is None else fit.annealed,
            "_labels_": labels,
            "_way_": way,
            **_of_classes(mixture, found["doc_topic_"], labels),
        }

    def reassign(self, classes: Sequence[Any] | Mapping[int, Any]) -> Self:
        """Says whose the components are, for example after a look at their words.

        Parameters
        ----------
        classes : list with the class of each component, or mapping from component to class
            Components, counted as the rows of `components_`, that a mapping leaves out stay whose they are. A
            class may get no component: nothing is then taken for it. One that was declared and had no example
            may get some: it is then a class like others.

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
        codes = _check_assignment(classes, self.topic_class_, self.classes_)
        mixture = replace(self.model_, layout=Layout(codes, len(self.classes_)))
        self._keep(_of_classes(mixture, self.doc_topic_, self._labels_))
        self.__dict__.pop("_met_", None)  # the mixture knows all classes now
        return self

    def _with_unmet(self, found: Fitted, labels: Labels) -> Fitted:
        return super()._with_unmet(found, labels) | {"_labels_": labels}

    def joint_log_likelihood(self, X: Any) -> Floats:
        """log P(d, class), columns in the order of `classes_`: what predictions are made of.

        log sum over the components z of the class of P(z) prod_w P(w|z)^n(d, w); the multinomial coefficient,
        which is the same for all classes, is left out.
        """
        counts = self.checked_counts(X)
        return self._of_all(self.model_.joint_classes(counts, self.n_threads), -np.inf)

    def _class_scores(self, counts: Counts) -> Floats:
        return self.model_.probabilities(counts, self.n_threads)

    def _parts(self, counts: Counts) -> Parts:
        return self.model_.parts(counts, self.n_threads)

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class|document), found in log space: no probability is too small for it."""
        counts = self.checked_counts(X)
        return self._of_all(self.model_.log_probabilities(counts, self.n_threads), -np.inf)

    def transform(self, X: Any) -> Real:
        """P(component|document) of each document, its label not known."""
        return super().transform(X)

    def _topics(self, counts: Counts) -> Real:
        return self.model_.topics(counts, self.n_threads)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def _of_classes(mixture: Mixture, doc_topic: Real, labels: Labels) -> Fitted:
    """What follows from which component is whose."""
    layout = mixture.layout
    label_topic = layout.allowed()
    return {
        "model_": mixture,
        "topic_class_": layout.topic_class,
        "components_per_class_": np.bincount(layout.topic_class, minlength=layout.n_classes).tolist(),
        "label_topic_": label_topic,
        "class_prior_": label_topic @ mixture.topic_prior,
        **of_documents(doc_topic.astype(np.float64) @ label_topic.T, labels),
    }


def _powers(annealing: Any) -> Floats | None:
    """The powers of a schedule that was checked; None where nothing is to be annealed."""
    if annealing is None or isinstance(annealing, bool | np.bool_):
        return annealing_schedule() if annealing else None
    return np.asarray(annealing, dtype=np.float64)
