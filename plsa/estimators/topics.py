"""PLSA: topics without labels."""

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from plsa.engine.counts import Counts
from plsa.engine.parameters import Parameters, padded
from plsa.engine.starts import random_words
from plsa.engine.steps import fold_in
from plsa.estimators.base import AspectEstimator, Fitted, check_size, kept
from plsa.estimators.parameters import estimator
from plsa.estimators.validation import check_weight
from plsa.inputs import check_choice, check_distributions, warn
from plsa.labels.corpus import check_some_words
from plsa.learning.aspects import OpenModel
from plsa.learning.parts import Parts


@estimator
class PLSA(AspectEstimator):
    """Probabilistic latent semantic analysis: every document a mixture of topics, every topic of words.

    P(w|d) = sum_z P(z|d) P(w|z), with the parameters that make the counts most probable: what EM climbs is
    sum over d, w of n(d, w) log P(w|d), plus smoothing * sum log P(w|z) plus prior_strength / n_components *
    sum log P(z|d). It never falls.

    Notes
    -----
    Time is O(nonzeros * topics) per pass; memory, beyond X, is two (documents, topics) and two (words,
    topics) matrices and one number per nonzero. Ctrl-C stops after the pass under way: the estimator is then
    fitted with what was learned, and KeyboardInterrupt goes on. Before the first pass it stays as it was.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import PLSA
    >>> texts = ["tea milk tea", "milk tea cup", "goal ball goal", "ball team goal"]
    >>> X = CountVectorizer().fit_transform(texts)
    >>> model = PLSA(n_components=2, random_state=0).fit(X)
    >>> topics = model.transform(X).argmax(axis=1)
    >>> bool(topics[0] == topics[1] != topics[2] == topics[3])
    True
    """

    _parameters: ClassVar[str] = """
    n_components : int >= 1
        The number of topics.
    init : "random", (n_components, n_features) array, or it and an (n_documents, n_components) array
        Where to start: P(w|z), and if given P(z|d), rows summing to one; such as a changed copy of
        `components_`.
    prior_strength : float >= 0
        Pseudo-counts shared by the topics of every document, in the fit and in `transform`.
    warm_start : bool
        Whether `fit` goes on from the last fit's topics; and from its P(z|d), if X is the same.
    """
    _attributes: ClassVar[str] = """
    components_ : (n_components, n_features) array
        P(w|z): row z is topic z.
    topic_prior_ : (n_components,) array
        P(z) that documents start from: uniform. How large the topics came out is `doc_topic_.mean(axis=0)`,
        the share that `top_words` shows.
    """

    n_components: int = 10
    _: KW_ONLY
    tol: float = 1e-3  # 1e-4 takes 100 to 250 passes of real texts, for at most 3% of perplexity
    init: Any = "random"
    warm_start: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the topics of X; y is not looked at, and a weight is a repetition."""
        return self._fit(X, sample_weight)

    def _begin(self) -> bool:
        # A warm start reads what it goes on from.
        return not (self.warm_start and hasattr(self, "components_")) and super()._begin()

    def _learn(self, counts: Counts, *given: Any) -> Fitted:
        weight = check_weight(given[0], counts.n_documents, counts.dtype)
        check_some_words(counts, weight)
        check_size(counts, int(self.n_components), f"n_components == {self.n_components}")
        numbers = int(self.n_components), float(self.smoothing), float(self.prior_strength)
        model = OpenModel(counts, *numbers, weight, n_threads=self.n_threads)
        loop = self._loop()

        def of_fit() -> Fitted:
            aspects = model.aspects(fit)
            checksum = counts.checksum() if self.warm_start else None
            found = kept(fit, aspects.word_topic, aspects.topic_prior)
            return {"model_": aspects, "_checksum_": checksum, **found}

        with loop.progress:
            loop.progress.begin("EM")
            fit = model.fit(self._starts(model), loop)
            return self._finished(loop, fit, of_fit)

    def _starts(self, model: OpenModel) -> list[Callable[[], Parameters]]:
        """Where to begin: at what was given, at the last fit, or at random."""
        counts, n_topics = model.counts, model.n_topics
        if self.warm_start and hasattr(self, "components_"):
            if len(self.components_) != n_topics:
                found = f"warm_start goes on from a fit with {len(self.components_)} topics"
                raise ValueError(f"n_components == {n_topics}, but {found}; pass warm_start=False.")
            same = self._checksum_ == counts.checksum()
            words, documents = self.components_, self.doc_topic_ if same else None
        elif isinstance(self.init, str):
            check_choice(self.init, "init", ["random", "an array of P(w|z)"])
            rng = check_random_state(self.random_state)
            return [lambda: model.start(random_words(counts, n_topics, model.weight, rng))] * self.n_init
        else:
            given = self.init if isinstance(self.init, tuple) else (self.init, None)
            if len(given) != 2:
                raise ValueError(f"init has {len(given)} entries, but must be (components, doc_topic).")
            words, documents = given
            words = check_distributions(words, "init", (n_topics, counts.n_words), "topics x words")
            if documents is not None:
                shape = (counts.n_documents, n_topics)
                documents = check_distributions(documents, "init[1]", shape, "documents x topics")
        if self.n_init > 1:
            warn(f"n_init == {self.n_init}, but there is one start: it was given.")
        return [lambda: model.start(padded(words.T, counts.dtype), documents)]

    def decision_parts(self, X: Any) -> Parts:
        """What decides about the topics of one document, as a sum over its words: log P(topic|document)."""
        return replace(super().decision_parts(X), classes=np.arange(len(self.components_)))

    def _parts(self, counts: Counts) -> Parts:
        return self.model_.parts(counts, self._folding(), np.eye(self.model_.n_topics))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per word of X, its documents folded in: higher is better."""
        counts = self._new_counts(X)
        folded = self.model_.fold(counts, self._folding())
        return self._mean(counts, folded.log_likelihood.sum())

    def perplexity(self, X: Any, *, completion: bool = False) -> float:
        """exp(- mean log-likelihood per word): as hard to guess as a die of so many sides; lower is better.

        `score` folds a document in by the very words that it is then judged by, which flatters models with
        many topics. With `completion=True` every document is cut in two, taking its distinct words in turn,
        and each half is judged by the topics that the other half gives.
        """
        if not completion:
            return float(np.exp(-self.score(X)))
        counts = self._new_counts(X)
        turn = (np.arange(len(counts.word)) - np.repeat(counts.offset[:-1], np.diff(counts.offset))) % 2
        words, n_threads = padded(self.model_.word_topic, counts.dtype), self.n_threads
        total = 0.0
        for half in (0, 1):
            seen, judged = counts.of_nonzeros(turn == half), counts.of_nonzeros(turn != half)
            topics = self.model_.fold(seen, self._folding()).doc_topic
            folded = fold_in(judged, words, topics, max_iter=0, tol=0.0, n_threads=n_threads)
            total += folded.log_likelihood.sum()
        return float(np.exp(min(-self._mean(counts, total), 700.0)))

    def _mean(self, counts: Counts, log_likelihood: float) -> float:
        """A word's share of a log-likelihood, words that no topic has left out; warns of them.

        The kernels count what is impossible as the smallest normal number: for words without any topic that
        is taken back here; a word that only the topics of its document lack keeps it.
        """
        unknown = ~np.any(self.model_.word_topic, axis=1)
        lost = np.flatnonzero(unknown[counts.word] & (counts.count > 0))
        mass = float(counts.count[lost].sum(dtype=np.float64))
        tokens = counts.total() - mass
        if tokens <= 0:
            raise ValueError("X holds no word that the model knows: there is nothing to score.")
        self._warn_of_unknown(counts)
        if len(lost):
            at = int(np.searchsorted(counts.offset, lost[0], side="right")) - 1
            log_likelihood -= mass * float(np.log(np.finfo(counts.dtype).smallest_normal))
            found = f"{len(lost)} of {len(counts.word)} nonzeros of X are words that no topic has"
            first = f"the first ({counts.word[lost[0]]}) in document {at}"
            way = "smoothing > 0 gives every word a probability"
            warn(f"{found}, {first}; they are left out. {way}.")
        return float(log_likelihood / tokens)
