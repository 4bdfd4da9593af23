"""Topic-sensitive PLSA: some positive documents, many unlabeled ones, and nothing else."""

from collections.abc import Iterable
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state

from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats, Places
from plsa.estimators import scaling as scalings
from plsa.estimators.base import AspectEstimator, Fitted, check_size, kept
from plsa.estimators.parameters import Printed, estimator
from plsa.estimators.positives import PositiveClassifier, likeness
from plsa.estimators.scaling import CountScaler
from plsa.inputs import is_auto, warn
from plsa.labels.corpus import check_some_words
from plsa.labels.reading import UNLABELED, Known
from plsa.learning.aspects import Method
from plsa.learning.parts import Parts
from plsa.learning.positives import FEW_POSITIVES
from plsa.learning.topic_sensitive import Found, SearchPlan, look_for

Pairs = ArrayLike  # two documents in a row
_DEFAULT_SCALING = CountScaler(tf="log", length=None)


@estimator
class TopicSensitivePLSA(Printed, PositiveClassifier, AspectEstimator):
    """PLSA that looks for the documents of one topic, given some that are of it and nothing else.

    Positive documents are linked: every two of them must be of one topic, and none may be of the topic of an
    unlabeled one, both softly. What is climbed is

        log-likelihood + b1 sum_{i < j in T} log S_ij + b2 sum_{i in T, j in U} log(1 - S_ij),

    S_ij = sum_z P(z|i) P(z|j), with T the positive and U the unlabeled documents; positives count
    `positive_weight` times in the likelihood, and there are the terms of smoothing and prior, as for `PLSA`.
    It never falls. Each step costs O(|T| (|T| + |U|) topics) beside that of PLSA. Where documents are known
    not to be wanted, they have a sum like that of U, few or many: a link with one of them says more.

    How many topics there are, and where they start, says more about which documents are found than the links
    do. By default that is left to a committee: 24 topic models of 4 to 30 topics, each of which starts one
    topic at half of the positives, names the topics that hold most of the other half and few of all
    documents, and votes for the documents of these. The votes start the linked model, and teach a linear
    student, which judges. With a number of topics there is no committee, and the student's teacher is the
    linked model.

    Where the topics of the votes are wider than what is wanted, the student would rank documents first that
    are of the topics and little like the positives. So what ranks is a blend: the student, the odds of words
    in the documents that were voted for, and a regression of the positives against all others. Up to twelve
    positives are hidden in turn among the unlabeled documents, and say by their ranks how much of the
    regression is in the blend, and whether the student takes too many or too few. With fewer than five
    positives, or after Ctrl-C, there is no such evidence, and the student judges alone.

    Notes
    -----
    With both links 0, a number of topics, `init="random"`, `positive_weight=1`, `scaling=None`,
    `student=None` and the smoothing, prior and passes of `PLSA` this is `PLSA`, bit for bit. As the authors
    have it: `TopicSensitivePLSA.as_printed(n_components=6)`. With thousands of unlabeled documents that finds
    next to nothing, as so many cannot-links of weight 0.5 drown the words.

    A document without words, or without a word of the fit's, is never taken for positive by a student.

    `fit(X, y, must_links=pairs, cannot_links=pairs)` takes pairs of documents of the user's own. Where these
    are all that is known, y may be left out: then topics are learned, as rows of `components_` and columns of
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

    _parameters: ClassVar[str] = """
    n_components : int >= 1 or "auto"
        The number of topics. "auto": a committee votes, and the linked model has as many topics as those of
        its members had whose votes weigh most.
    must_link : float >= 0
        b1, the strength of must-links.
    cannot_link : float >= 0
        b2, the strength of cannot-links.
    normalize : {"documents", "none"}
        "documents": a link counts b1 or b2 times the words of a mean document, divided by the largest number
        of links of its kind that one of its two documents has: links do not drown the words, however many
        there are. "none": every link counts b1 or b2, as the authors have it.
    init : {"positives", "random"}
        Where P(w|z) starts: one topic half at the words of the positives, or of the documents that the
        committee voted for, and half at the corpus's, the others at the corpus's times random draws; or all
        of them at random.
    positive_weight : float > 0
        How often a positive document counts. With 1 the words of many unlabeled documents drown theirs.
    scaling : "auto", None or CountScaler
        What is done to the counts first. "auto": log counts. None takes them as they are.
    student : None or "linear"
        "linear" lets a linear classifier on TF-IDF judge, taught by the positives and by what the committee,
        or the linked model, makes of the others; a committee's is blended as said above. None: P(positive
        topics|document) of the linked model.
    threshold : float >= -1e12, "topic" or "auto"
        From which score on a document is positive. "topic", without a student: it is positive where its most
        probable topic is the positives', as the authors have it; the score is then how far that topic is
        ahead of all others, and documents of the fit have the topics of the fit. "auto": 0 for a student of
        the committee, whose scores are 0 where the evidence says that enough is taken; else where the scores
        of all but the positives fall apart into two groups with the least variance (Otsu).
    prior_strength : float >= 0
        Pseudo-counts shared by the topics of every document, in the fit and in `transform`.
    unlabeled : any
        The entry of y that marks a document without a label; None and NaN do so always. Beside any of these,
        0 is a document that is not wanted; where y has only 1 and 0, nothing is known of those with 0.
    """
    _attributes: ClassVar[str] = """
    components_ : (n_components, n_features) array
        P(w|z) of the linked model.
    topic_prior_ : (n_components,) array
        P(z) that documents start from: uniform. How large the topics came out is `doc_topic_.mean(axis=0)`,
        the share that `top_words` shows.
    positive_topics_ : array of int
        The topic that most positives have, as a row of `components_`.
    threshold_ : float
        Of the score; `decision_function` is the score less it.
    class_prior_ : float
        The share of the unlabeled documents that is taken for positive. `plsa.compare_pu` and
        `plsa.estimate_prior` say how sure that is.
    guesses_ : (n_documents,) array of int
        1 or 0 for the documents of the fit; positives are 1, and 0 are those known not to be wanted.
    votes_ : (n_documents,) array or None
        The share of the committee that is for each document of the fit; None without a committee.
    committee_ : list
        The members: `n_topics`, `taken` (an entry per document) and `criterion`, which their votes weigh. It
        is r^2 / P(f = 1) (Lee and Liu) of the positives that the member did not start from. Empty without a
        committee; after Ctrl-C those that had voted, if any had.
    n_components_ : int
        The number of topics of the linked model.
    must_link_satisfied_ : float
        The share of must-linked pairs that have one most probable topic; NaN without any pair.
    cannot_link_satisfied_ : float
        The share of cannot-linked pairs that have two most probable topics; NaN without any pair.
    scaling_
    """

    _printed: ClassVar[dict[str, Any]] = {
        "n_components": 6,  # as many as their test sets have
        "normalize": "none",
        "init": "random",
        "positive_weight": 1.0,
        "scaling": None,
        "student": None,
        "threshold": "topic",
        "smoothing": 0.0,
        "prior_strength": 0.0,
        "max_iter": 120,
        "tol": 0.0,
    }
    has_to_settle: ClassVar[bool] = False

    n_components: Any = "auto"
    must_link: float = 2.0
    cannot_link: float = 0.5
    _: KW_ONLY
    normalize: str = "documents"
    init: str = "positives"
    positive_weight: float = 10.0
    scaling: Any = "auto"
    student: str | None = "linear"
    threshold: Any = "auto"
    smoothing: float = 0.01
    prior_strength: float = 1.0
    max_iter: int = 60
    unlabeled: Any = UNLABELED

    def fit(
        self, X: Any, y: Any = None, must_links: Pairs | None = None, cannot_links: Pairs | None = None
    ) -> Self:
        """Learns which documents are like the positives (1 in y), and unlike those known not to be.

        `must_links` and `cannot_links` are further pairs of documents, as rows of X, that belong together or
        do not.
        """
        return self._fit(X, y, must_links, cannot_links)

    def _read(self, y: Any, counts: Counts, *more: Any) -> Known:
        if y is not None or not any(map(_has_pairs, more)):
            return super()._read(y, counts)
        if is_auto(self.n_components):
            raise ValueError("n_components == 'auto', but positives have to choose it: pass y, or a number.")
        check_some_words(counts)
        return Known.of(np.zeros(counts.n_documents, dtype=bool))

    def _learn_positives(self, counts: Counts, known: Known, *more: Any) -> Fitted:
        must_links, cannot_links = more
        pairs, positive = _check_links(must_links, cannot_links, known), known.positive
        if 0 < positive.sum() < FEW_POSITIVES:
            shown = "1 document" if positive.sum() == 1 else f"{positive.sum()} documents"
            few = "too few to say how good the model is, or where the threshold should be"
            look = "Look at the documents with the highest scores."
            warn(f"y labels {shown} as positive: {few}. {look}")
        by_topic = isinstance(self.threshold, str) and self.threshold == "topic"
        if by_topic and self.student is not None:
            judge = f"threshold == 'topic', but student == {self.student!r} judges, which has no topics"
            raise ValueError(f"{judge}: pass student=None, or another threshold.")
        scaling = _DEFAULT_SCALING if is_auto(self.scaling) else self.scaling
        n_topics, loop = None if is_auto(self.n_components) else int(self.n_components), self._loop()
        if n_topics is not None:
            check_size(counts, n_topics, f"n_components == {n_topics}")
        plan = SearchPlan(
            method=Method(loop, self._folding(), self.init, float(self.smoothing), self.n_threads),
            n_topics=n_topics,
            must_link=float(self.must_link),
            cannot_link=float(self.cannot_link),
            share_links=self.normalize == "documents",
            positive_weight=float(self.positive_weight),
            scaling=None if scaling is None else scaling.as_value(),
            student=self.student is not None,
            threshold=None if isinstance(self.threshold, str) else float(self.threshold),
            by_topic=by_topic,
            prior_strength=float(self.prior_strength),
        )
        rng = check_random_state(self.random_state)
        with loop.progress:
            found = look_for(counts, known, pairs, plan, rng, likeness)
            return self._finished(loop, found.fit, lambda: self._kept(found, scaling, counts, known))

    def _kept(self, found: Found, scaling: CountScaler | None, counts: Counts, known: Known) -> Fitted:
        """The attributes of what was found."""
        finder, aspects = found.finder, found.finder.aspects
        learned = {
            "model_": finder,
            "scaling_": scalings.fitted_scaling(scaling, aspects.scaler, counts.n_words),
            "committee_": found.members,
            "votes_": found.votes,
            "n_components_": aspects.n_topics,
            "positive_topics_": finder.positive_topics,
            "must_link_satisfied_": found.must_link_satisfied,
            "cannot_link_satisfied_": found.cannot_link_satisfied,
            **kept(found.fit, aspects.word_topic, aspects.topic_prior),
        }
        if found.taken is None:
            return learned
        return learned | {
            "threshold_": finder.threshold,
            "class_prior_": float(found.taken[known.unlabeled].mean()),
            "guesses_": np.where(known.unlabeled, found.taken, known.positive).astype(np.intp),
        }

    def _scores(self, counts: Counts) -> Floats:
        self._check_looked_for()
        return self.model_.scores(counts, self._folding())

    def _parts(self, counts: Counts) -> Parts:
        self._check_looked_for()
        return self.model_.parts(counts, self._folding())

    def predict_proba(self, X: Any) -> Floats:
        """Columns P(0|document) and P(1|document), to rank by: without negatives they cannot be calibrated.

        Without a student P(1|document) is that of the positive topics; with one it follows from its margin
        and is one half at the threshold.
        """
        counts = self.checked_counts(X)
        self._check_looked_for()
        chance = self.model_.probability(counts, self._folding())
        return np.column_stack([1 - chance, chance])

    def _check_looked_for(self) -> None:
        if not len(self.positive_topics_):
            found = f"{type(self).__name__} was fitted without positives, so that nothing is looked for"
            raise ValueError(f"{found}: pass y to fit, or use transform for the topics of documents.")


def _check_links(must_links: Any, cannot_links: Any, known: Known) -> tuple[Places, Places]:
    """Pairs of documents that belong together and pairs that do not: each once, and none of them both."""
    positive = known.positive
    must = _check_pairs(must_links, "must_links", len(positive))
    cannot = _check_pairs(cannot_links, "cannot_links", len(positive))
    both = set(map(tuple, must.tolist())) & set(map(tuple, cannot.tolist()))
    if both:
        raise ValueError(f"documents {min(both)} are both in must_links and in cannot_links: keep one.")
    half = np.flatnonzero(positive[must].sum(axis=1) == 1)
    if len(half):
        pair = must[half[0]].tolist()
        one, other = pair if positive[pair[0]] else pair[::-1]
        kind = "unlabeled" if known.unlabeled[other] else "negative"
        found = f"must_links holds {tuple(pair)}, but y has {one} as positive and {other} as {kind}"
        way = f"mark {other} with 1 too, or drop the pair"
        raise ValueError(f"{found}, which links them the other way: {way}.")
    for pair in cannot[positive[cannot].all(axis=1)].tolist():
        found = f"cannot_links holds {tuple(pair)}, but y has both documents as positive"
        raise ValueError(f"{found}, which links them: drop the pair or a label.")
    return must, cannot


def _has_pairs(given: Any) -> bool:
    """Whether there are links to be checked."""
    empty = hasattr(given, "__len__") and not sparse.issparse(given) and len(given) == 0
    return given is not None and not empty


def _check_pairs(given: Any, name: str, n_documents: int) -> Places:
    """(n, 2) documents, the lower number first, pairs in ascending order."""
    if given is None:
        return np.empty((0, 2), dtype=np.intp)
    if sparse.issparse(given):
        raise ValueError(f"{name} is a sparse matrix, but must be pairs of documents, two in a row.")
    if isinstance(given, Iterable) and not isinstance(given, np.ndarray):
        given = list(given)
    try:
        pairs = np.asarray(given)
    except ValueError:  # lists of different lengths
        pairs = np.asarray(given, dtype=object)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        must = "pairs of documents: whole numbers, two in a row"
        raise ValueError(f"{name} has shape {pairs.shape} and type {pairs.dtype}, but must be {must}.")
    for row, side in np.argwhere((pairs < 0) | (pairs >= n_documents)):
        found = f"{name} holds document {pairs[row, side]} at {row}"
        raise ValueError(f"{found}; the rows of X are 0 to {n_documents - 1}.")
    for at in np.flatnonzero(pairs[:, 0] == pairs[:, 1]):
        found = f"{name} holds a pair of document {pairs[at, 0]} with itself at {at}"
        raise ValueError(f"{found}; a link is between two.")
    return np.unique(np.sort(pairs.astype(np.intp), axis=1), axis=0)
