"""Topic-sensitive PLSA: some positive documents, many unlabelled ones, and nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import check_random_state

from plsa import inputs
from plsa.engine import em
from plsa.engine import starts as start
from plsa.engine.counts import Counts
from plsa.engine.links import LinkedSteps, links_of, satisfied
from plsa.engine.parameters import Parameters, Real, padded
from plsa.engine.progress import say
from plsa.estimators.aspect import AspectModel
from plsa.estimators.positives import FEW_POSITIVES, PositiveClassifier
from plsa.estimators.scaling import CountScaler
from plsa.labels.supervision import UNLABELLED
from plsa.learning import committee, student
from plsa.learning.evidence import scaled_by
from plsa.learning.student import USUAL_SHARPNESS, Student

_SURELY_NOT = -1.0  # a margin
_LABEL_WEIGHT = 5.0  # of a positive beside a sure guess, to the student


class TopicSensitivePLSA(PositiveClassifier, AspectModel):
    """PLSA that looks for the documents of one topic, given some that are of it and nothing else.

    Positive documents are linked: every two of them must be of one topic, and none may be of the topic of an
    unlabelled one, both softly. What is climbed is

        log-likelihood + b1 sum_{i < j in T} log S_ij + b2 sum_{i in T, j in U} log(1 - S_ij),

    S_ij = sum_z P(z|i) P(z|j), with T the positive and U the unlabelled documents; positives count
    `positive_weight` times in the likelihood, and there are the terms of smoothing and prior, as for `PLSA`.
    It never falls. Each step costs O(|T| (|T| + |U|) topics) beside that of PLSA.

    How many topics there are, and where they start, says more about who is found than the links do. By
    default that is left to a committee: 24 topic models of 4 to 30 topics, each of which starts one topic at
    half of the positives, names the topics that hold most of the other half and few of all documents, and
    votes for the documents of these. The votes start the linked model, and teach a linear student, who
    judges. With a number of topics there is no committee, and the student's teacher is the linked model.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The number of topics. "auto": a committee votes, and the linked model has as many topics as those of
        its members had whose votes weigh most.
    must_link, cannot_link : float, default=2.0 and 0.5
        b1 and b2, the strength of the links.
    normalize : {"documents", "none"}, default="documents"
        "documents": a link counts b1 or b2 times the words of a mean document, divided by the largest number
        of links of its kind that one of its two documents has: links do not drown the words, however many
        there are. "none": every link counts b1 or b2, as the authors have it.
    init : {"positives", "random"}, default="positives"
        Where P(w|z) starts: one topic half at the words of the positives, or of the documents that the
        committee voted for, and half at the corpus's, the others at the corpus's times random draws; or all
        of them at random.
    positive_weight : float, default=10.0
        How often a positive document counts. With 1 the words of many unlabelled documents drown theirs.
    scaling : "auto", None or CountScaler, default="auto"
        What is done to the counts first. "auto": log counts. None takes them as they are.
    student : None or "linear", default="linear"
        "linear" lets a linear classifier on TF-IDF judge, taught by the positives and by what the committee,
        or the linked model, makes of the others. None: P(positive topics|document) of the linked model.
    threshold : "auto" or float, default="auto"
        From which score on a document is positive. "auto": 0 for a student of the committee, else where the
        scores of the unlabelled documents fall apart into two groups with the least variance (Otsu).
    smoothing : float, default=0.01
    prior_strength : float, default=1.0
    max_iter : int, default=60
    tol, n_init, accelerate, fold_iter, fold_tol, dtype, random_state, n_threads, verbose, callback
        As for `PLSA`.
    unlabeled : default=-1
        The entry of y that marks a document without a label; 0, None and NaN do so always.

    Attributes
    ----------
    classes_ : array([0, 1])
    positive_topics_ : array of int
        The topic that most positives have, as a row of `components_`.
    threshold_ : float
        Of the score; `decision_function` is the score less it.
    class_prior_ : float
        The share of the unlabelled documents that is taken for positive. `plsa.compare_pu` and
        `plsa.estimate_prior` say how sure that is.
    guesses_ : (n_documents,) array of int
        1 or 0 for the documents of the fit; positives are 1.
    votes_ : (n_documents,) array or None
        The share of the committee that is for each document of the fit; None without a committee.
    committee_ : list
        The members: `n_topics`, `taken` (a document each) and `criterion`, which their votes weigh. It is
        r^2 / P(f = 1) (Lee and Liu) of the positives that the member did not start from. Empty without a
        committee.
    n_components_ : int
    must_link_satisfied_, cannot_link_satisfied_ : float
        The share of linked pairs that have one most probable topic, or two; NaN without any pair.
    components_, doc_topic_, topic_prior_, scaling_, objective_trace_, log_likelihood_, n_iter_, stop_reason_,
    n_impossible_, n_features_in_, feature_names_in_
        As for `PLSA`, of the linked model.

    Notes
    -----
    With both links 0, a number of topics, `init="random"`, `positive_weight=1`, `scaling=None`,
    `student=None` and the smoothing, prior and passes of `PLSA` this is `PLSA`, bit for bit. As the authors
    have it: `normalize="none"`, `init="random"`, `positive_weight=1`, `scaling=None`, `student=None`,
    `smoothing=0`, `prior_strength=0`, a number of topics, and documents taken whose most probable topic is
    the positives'. With thousands of unlabelled documents that finds next to nothing, as so many cannot-links
    of weight 0.5 drown the words.

    A document without words, or without a word of the fit's, is never taken for positive by a student.

    `fit(X, y, must_links=pairs, cannot_links=pairs)` takes pairs of documents of the user's own. Where these
    are all that is known, y may be left out: then topics are learnt, as rows of `components_` and columns of
    `transform`, but nothing is looked for, and a number of topics has to be given.

    References
    ----------
    K. Zhou, G.-R. Xue, Q. Yang and Y. Yu, "Learning with Positive and Unlabeled Examples Using
    Topic-Sensitive PLSA", IEEE Transactions on Knowledge and Data Engineering 22(1), 2010. W. S. Lee and B.
    Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression", ICML 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import TopicSensitivePLSA
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(300, 200, 4, n_classes=4, random_state=0)
    >>> wanted = corpus.target == 0
    >>> y = np.where(wanted & (np.arange(300) < 40), 1, -1)  # a few of them are shown
    >>> model = TopicSensitivePLSA(random_state=0).fit(corpus.counts, y)
    >>> int((y == 1).sum()), round(float(np.mean(model.guesses_ == wanted)), 2)
    (8, 1.0)
    """

    def __init__(
        self,
        n_components: Any = "auto",
        must_link: float = 2.0,
        cannot_link: float = 0.5,
        *,
        normalize: str = "documents",
        init: str = "positives",
        positive_weight: float = 10.0,
        scaling: Any = "auto",
        student: str | None = "linear",
        threshold: Any = "auto",
        smoothing: float = 0.01,
        prior_strength: float = 1.0,
        max_iter: int = 60,
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
        self.n_components = n_components
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.normalize = normalize
        self.init = init
        self.positive_weight = positive_weight
        self.scaling = scaling
        self.student = student
        self.threshold = threshold
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

    def fit(
        self,
        X: Any,
        y: Any = None,
        must_links: ArrayLike | None = None,
        cannot_links: ArrayLike | None = None,
    ) -> Self:
        """Learns which documents are like the positives (1 in y).

        `must_links` and `cannot_links` are further pairs of documents, as rows of X, that belong together or
        do not.
        """
        return self._fit(X, y, must_links=must_links, cannot_links=cannot_links)

    def _check_parameters(self) -> None:
        self._check_loop_parameters()
        if not inputs.is_auto(self.n_components):
            inputs.check_whole(self.n_components, 'n_components (if not "auto")', 1)
        inputs.check_strength(self.must_link, "must_link")
        inputs.check_strength(self.cannot_link, "cannot_link")
        inputs.check_strength(self.positive_weight, "positive_weight", above=0.0)
        inputs.check_choice(self.normalize, "normalize", ["documents", "none"])
        inputs.check_choice(self.init, "init", ["positives", "random"])
        inputs.check_choice(self.student, "student", [None, "linear"])
        inputs.check_scaling(self.scaling)
        if not inputs.is_auto(self.threshold):
            inputs.check_number(self.threshold, 'threshold (if not "auto")', -1e12)

    def _positives_of(self, y: Any, counts: Counts, **links: Any) -> NDArray[np.bool_]:
        if y is None and any(map(inputs.has_pairs, links.values())):
            inputs.check_set(self.n_components, "n_components", "where y is left out")
            inputs.check_some_words(counts, None)
            return np.zeros(counts.n_documents, dtype=bool)
        return super()._positives_of(y, counts, **links)

    def _learn_positives(
        self,
        counts: Counts,
        positive: NDArray[np.bool_],
        must_links: Any = None,
        cannot_links: Any = None,
        **more: Any,
    ) -> str:
        pairs = inputs.check_links(must_links, cannot_links, positive)
        if 0 < positive.sum() < FEW_POSITIVES:
            number = "1 document" if positive.sum() == 1 else f"{positive.sum()} documents"
            warnings.warn(
                f"y labels {number} as positive: too few to say how good the model is, or where the "
                "threshold should be. Look at the documents with the highest scores.",
                UserWarning,
                stacklevel=5,
            )
        scaling = CountScaler(tf="log", length=None) if inputs.is_auto(self.scaling) else self.scaling
        self.scaling_ = None if scaling is None else clone(scaling).fit(counts.matrix())
        scaled = scaled_by(self.scaling_, counts)
        rng = check_random_state(self.random_state)
        self.committee_: list[committee.Member] = []
        self.votes_: NDArray[np.float64] | None = None
        vectors = _Vectors(counts)
        if inputs.is_auto(self.n_components):
            self._ask(scaled, vectors.matrix, positive, rng)
        else:
            self.n_components_ = int(self.n_components)
        self._student: Student | None = None
        reason = self._climb(scaled, positive, pairs, rng)
        if positive.any():
            self._judge(counts, vectors, positive)
        return reason

    def _ask(
        self,
        scaled: Counts,
        matrix: sparse.csr_array,
        positive: NDArray[np.bool_],
        rng: np.random.RandomState,
    ) -> None:
        """Sets what the committee says."""

        def told(number: int, asked: list[committee.Member]) -> None:
            if self.verbose:
                shares = ", ".join(f"{member.taken.mean():.1%}" for member in asked)
                say(f"{type(self).__name__}: models of {number} topics take {shares} of the documents")

        topics = committee.Topics(scaled, float(self.smoothing), float(self.prior_strength), self.n_threads)
        self.committee_ = committee.ask(topics, matrix, positive, rng, told)
        self.votes_ = committee.votes(self.committee_)
        weight: dict[int, float] = {}
        for member in self.committee_:
            weight[member.n_topics] = weight.get(member.n_topics, 0.0) + member.criterion
        self.n_components_ = max(weight, key=lambda number: weight[number])

    def _climb(
        self,
        scaled: Counts,
        positive: NDArray[np.bool_],
        pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
        rng: np.random.RandomState,
    ) -> str:
        """Fits the linked model and says why it stopped; sets what follows from it."""
        n_topics, dtype = self.n_components_, scaled.dtype
        weight = None
        if self.positive_weight != 1:
            weight = np.where(positive, dtype.type(self.positive_weight), dtype.type(1))
        prior = np.full(n_topics, 1 / n_topics)
        row = padded(prior[np.newaxis], dtype)
        length = scaled.total() / scaled.n_documents if self.normalize == "documents" else None
        links = links_of(positive, pairs, float(self.must_link), float(self.cannot_link), length)
        steps = LinkedSteps(
            scaled,
            n_topics,
            links=links,
            state=None,
            prior=row * dtype.type(self.prior_strength) if self.prior_strength else None,
            fallback=row,
            smoothing=float(self.smoothing),
            weight=weight,
            n_threads=self.n_threads,
        )
        fit = self._best_run(steps, self._starts(scaled, positive, row, rng))
        self._keep(fit, steps, prior)
        most = self.doc_topic_.argmax(axis=1)
        self.positive_topics_ = np.empty(0, dtype=np.intp)
        if positive.any():
            self.positive_topics_ = np.array([np.bincount(most[positive], minlength=n_topics).argmax()])
        self.must_link_satisfied_ = satisfied(links[0::2], most)
        self.cannot_link_satisfied_ = satisfied(links[1::2], most)
        return fit.reason

    def _starts(
        self, scaled: Counts, positive: NDArray[np.bool_], row: Real, rng: np.random.RandomState
    ) -> list[Callable[[], Parameters]]:
        n_topics = self.n_components_
        gate = padded(np.ones((1, n_topics)), scaled.dtype)
        shown = positive if self.votes_ is None else positive | (self.votes_ > 0.5)

        def drawn() -> Parameters:
            words = start.random_words(scaled, n_topics, None, rng)
            if self.init == "positives" and shown.any():
                words[:, 0] = start.words_from_clusters(scaled, np.where(shown, 0, 1), 2)[:, 0]
            return start.assemble(scaled, words, gate, row, None)

        return [drawn] * self.n_init

    def _judge(self, counts: Counts, vectors: _Vectors, positive: NDArray[np.bool_]) -> None:
        """Sets the student, the threshold and what is said of the documents of the fit."""
        usual: float | None = None
        if self.student is not None:
            if self.votes_ is not None:
                chance, usual = self.votes_, 0.0
            else:
                score = self.doc_topic_[:, self.positive_topics_].sum(axis=1, dtype=np.float64)
                chance = np.clip(score - _parting(score, counts, positive) + 0.5, 0, 1)
            self._student = _taught(vectors, positive, chance)
            score = _margins(self._student.scores_of(vectors.matrix))
        else:
            score = self._raw_scores(counts)
        if usual is None:
            usual = _parting(score, counts, positive)
        self.threshold_ = usual if inputs.is_auto(self.threshold) else float(self.threshold)
        said = score > self.threshold_
        self.class_prior_ = float(said[~positive].mean())
        self.guesses_ = (said | positive).astype(np.intp)

    def _raw_scores(self, counts: Counts) -> NDArray[np.float64]:
        """What a document is judged by: the student's margin, or P(positive topics|document)."""
        if self._student is None:
            return self._topics(counts)[:, self.positive_topics_].sum(axis=1, dtype=np.float64)
        return _margins(self._student.scores(counts))

    def _scores(self, counts: Counts) -> NDArray[np.float64]:
        inputs.check_looked_for(self)
        return self._raw_scores(counts) - self.threshold_

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Columns P(0|document) and P(1|document), to rank by: without negatives they cannot be calibrated.

        Without a student P(1|document) is that of the positive topics; with one it follows from its margin
        and is one half at the threshold.
        """
        counts = self._new_counts(X)
        inputs.check_looked_for(self)
        if self._student is None:
            chance = np.minimum(self._raw_scores(counts), 1.0)
        else:
            chance = expit(2 * USUAL_SHARPNESS * self._scores(counts))
        return np.column_stack([1 - chance, chance])

    def _scaled(self, counts: Counts) -> Counts:
        return scaled_by(self.scaling_, counts)

    def _real(self) -> Any:
        return self.dtype


class _Vectors:
    """The documents of a fit as TF-IDF, made once and only where the committee or a student needs it."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    @cached_property
    def scaler(self) -> CountScaler:
        """What makes vectors of counts."""
        return student.fit_scaler(self.counts, None)

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """(D, W): at unit length."""
        return student.features(self.scaler, self.counts)


def _margins(each: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far a student's scores are for positive; nothing speaks for a document without a known word."""
    return np.where(each.any(axis=1), (each[:, 1] - each[:, 0]) / 2, _SURELY_NOT)


def _taught(vectors: _Vectors, positive: NDArray[np.bool_], chance: NDArray[np.float64]) -> Student:
    """A student, which learns from the positives and from the chances of the others."""
    chance = np.where(positive, 1.0, chance)
    weight = np.maximum(np.abs(2 * chance - 1), 1e-3)
    weight[positive] = _LABEL_WEIGHT
    code = (chance > 0.5).astype(np.int32)
    return Student(vectors.scaler, student.teach(vectors.matrix, code, weight, 2))


def _parting(score: NDArray[np.float64], counts: Counts, positive: NDArray[np.bool_]) -> float:
    """Where the scores of unlabelled documents with words fall apart."""
    some = ~positive & (counts.lengths() > 0)
    return otsu(score[some if some.any() else ~positive])


def otsu(score: NDArray[np.float64]) -> float:
    """The threshold that parts scores into two groups with the least variance within them."""
    ascending = np.sort(score)
    if ascending[0] == ascending[-1]:
        return float(ascending[0])
    below = np.arange(1, len(ascending))
    sums = np.cumsum(ascending)
    apart = sums[:-1] / below - (sums[-1] - sums[:-1]) / (len(ascending) - below)
    best = int(np.argmax(below * (len(ascending) - below) * apart**2))
    return float((ascending[best] + ascending[best + 1]) / 2)
