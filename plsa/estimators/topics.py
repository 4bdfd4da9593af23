"""PLSA: topics without labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from plsa import inputs
from plsa.engine import em
from plsa.engine import starts as start
from plsa.engine.counts import Counts
from plsa.engine.parameters import Parameters, padded
from plsa.engine.steps import GatedSteps, fold_in
from plsa.estimators.aspect import AspectModel


class PLSA(AspectModel):
    """Probabilistic latent semantic analysis: every document a mixture of topics, every topic of words.

    P(w|d) = sum_z P(z|d) P(w|z), with the parameters that make the counts most probable: what EM climbs is
    sum over d, w of n(d, w) log P(w|d), plus smoothing * sum log P(w|z) plus prior_strength / n_components *
    sum log P(z|d). It never falls.

    Parameters
    ----------
    n_components : int, default=10
        The number of topics.
    init : "random", or an (n_components, n_features) array, or a pair of it and an (n_documents,
        n_components) array, default="random"
        Where to start: P(w|z), and if given P(z|d), rows summing to one. An edited `components_` is one.
    smoothing : float, default=0.0
        Pseudo-count of every word in every topic. 0 is plain PLSA: words that were never seen are impossible.
    prior_strength : float, default=0.0
        Pseudo-counts shared by the topics of every document, in the fit and in `transform`.
    max_iter : int, default=100
        Most passes over the corpus that update the parameters; a leap (see `accelerate`) may take one more.
    tol : float, default=1e-4
        The fit has settled when an update gains no more than this much log-likelihood a word of the corpus.
    n_init : int, default=1
        Random starts; the one with the highest objective is kept.
    accelerate : bool, default=False
        Leap ahead after every two passes (SQUAREM). Takes fewer passes to the same objective and twice the
        memory; a leap that would lower the objective is taken back.
    warm_start : bool, default=False
        Whether `fit` goes on from the last fit's topics; and from its P(z|d), if X is the same.
    fold_iter, fold_tol : int, default=100 and float, default=1e-4
        When a new document has settled; see `transform`.
    dtype : {None, "float32", "float64"}, default=None
        What is computed in. None: as X, and float32 for integers.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. The same seed gives the same bits with any number of threads.
    n_threads : int or None, default=None
        None uses all processors; see `plsa.threads`.
    verbose : int, default=0
        Whether to show progress.
    callback : callable or None, default=None
        Called with a `plsa.em.Pass` after every pass; the fit stops where it returns something true.

    Attributes
    ----------
    components_ : (n_components, n_features) array
        P(w|z): row z is topic z.
    doc_topic_ : (n_documents, n_components) array
        P(z|d) of the documents of the fit; a document without words has the prior.
    topic_prior_ : (n_components,) array
        P(z) that documents start from: uniform.
    objective_trace_ : array
        The objective before each update and at the end.
    log_likelihood_ : float
    n_iter_ : int
        Passes made, but for the first, which only finds where the start stands.
    stop_reason_ : {"settled", "rounds", "fell", "callback", "interrupted"}
        Only "settled" is convergence.
    n_impossible_ : int
        Nonzeros of X that have probability zero; 0 unless a given start rules words out.
    n_features_in_ : int
    feature_names_in_ : array, where X has column names

    Notes
    -----
    Time is O(nonzeros * topics) a pass; memory, beyond X, is two (documents, topics) and two (words, topics)
    matrices and one number a nonzero. Ctrl-C stops after the pass under way: the estimator is then fitted
    with what was learnt, and KeyboardInterrupt goes on.

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

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: Any = "random",
        smoothing: float = 0.0,
        prior_strength: float = 0.0,
        max_iter: int = 100,
        tol: float = 1e-4,
        n_init: int = 1,
        accelerate: bool = False,
        warm_start: bool = False,
        fold_iter: int = 100,
        fold_tol: float = 1e-4,
        dtype: Any = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: int = 0,
        callback: em.Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.smoothing = smoothing
        self.prior_strength = prior_strength
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.accelerate = accelerate
        self.warm_start = warm_start
        self.fold_iter = fold_iter
        self.fold_tol = fold_tol
        self.dtype = dtype
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the topics of X; y is not looked at, and a weight is a repetition."""
        with inputs.all_or_nothing(self):
            reason = self._learn(X, sample_weight)
        if reason == "interrupted":
            raise KeyboardInterrupt
        return self

    def _learn(self, X: Any, sample_weight: ArrayLike | None) -> str:
        n_topics = inputs.check_whole(self.n_components, "n_components", 1)
        self._check_loop_parameters()
        warm = self.warm_start and hasattr(self, "components_")
        counts = inputs.check_counts(self, X, reset=not warm, dtype=self.dtype)
        weight = inputs.check_weight(sample_weight, counts.n_documents, counts.dtype)
        inputs.check_some_words(counts, weight)
        prior = np.full(n_topics, 1 / n_topics)
        row = padded(prior[np.newaxis], counts.dtype)
        steps = GatedSteps(
            counts,
            n_topics,
            state=None,
            prior=row * counts.dtype.type(self.prior_strength) if self.prior_strength else None,
            fallback=row,
            smoothing=float(self.smoothing),
            weight=weight,
            n_threads=self.n_threads,
        )
        fit = self._best_run(steps, self._starts(counts, weight, row, warm))
        self._keep(fit, steps, prior)
        self._corpus_mark = counts.mark() if self.warm_start else None
        return fit.reason

    def _starts(self, counts: Counts, weight: Any, row: Any, warm: bool) -> list[Callable[[], Parameters]]:
        n_topics = self.n_components
        gate = padded(np.ones((1, n_topics)), counts.dtype)
        given: Any = None
        if warm:
            if self.components_.shape[0] != n_topics:
                raise ValueError(
                    f"n_components == {n_topics}, but warm_start goes on from a fit with "
                    f"{self.components_.shape[0]} topics; pass warm_start=False."
                )
            same = self._corpus_mark == counts.mark()
            given = (self.components_, self.doc_topic_ if same else None)
        elif not (isinstance(self.init, str) and self.init == "random"):
            if isinstance(self.init, str):
                inputs.check_choice(self.init, "init", ["random", "an array of P(w|z)"])
            given = self.init if isinstance(self.init, tuple) else (self.init, None)
            if len(given) != 2:
                raise ValueError(f"init has {len(given)} entries, but must be (components, doc_topic).")
            shape = (n_topics, counts.n_words)
            words = inputs.check_distributions(given[0], "init", shape, "topics x words")
            documents = given[1]
            if documents is not None:
                shape = (counts.n_documents, n_topics)
                documents = inputs.check_distributions(documents, "init[1]", shape, "documents x topics")
            given = (words, documents)
        if given is not None:
            words, documents = given
            if self.n_init > 1:
                warnings.warn(
                    f"n_init == {self.n_init}, but there is one start: it was given.",
                    UserWarning,
                    stacklevel=4,
                )
            return [lambda: start.assemble(counts, padded(words.T, counts.dtype), gate, row, None, documents)]
        rng = check_random_state(self.random_state)

        def drawn() -> Parameters:
            words = start.random_words(counts, n_topics, weight, rng)
            return start.assemble(counts, words, gate, row, None)

        return [drawn] * self.n_init

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of a word of X, its documents folded in: higher is better."""
        counts = self._new_counts(X)
        folded = self._fold(counts)
        return self._mean(counts, folded.log_likelihood.sum())

    def perplexity(self, X: Any, *, completion: bool = False) -> float:
        """exp(- mean log-likelihood of a word): as hard to guess as a die of so many sides; lower is better.

        `score` folds a document in by the very words that it is then judged by, which flatters models with
        many topics. With `completion=True` every document is cut in two, taking its distinct words in turn,
        and each half is judged by the topics that the other half gives.
        """
        if not completion:
            return float(np.exp(-self.score(X)))
        counts = self._new_counts(X)
        turn = (np.arange(len(counts.word)) - np.repeat(counts.offset[:-1], np.diff(counts.offset))) % 2
        words = padded(self.components_.T, counts.dtype)
        total = 0.0
        for half in (0, 1):
            topics = self._fold(counts.of_nonzeros(turn == half)).doc_topic
            judged = fold_in(
                counts.of_nonzeros(turn != half), words, topics, max_iter=0, tol=0.0, n_threads=self.n_threads
            )
            total += judged.log_likelihood.sum()
        return float(np.exp(min(-self._mean(counts, total), 700.0)))

    def _mean(self, counts: Counts, log_likelihood: float) -> float:
        """A word's share of a log-likelihood, words that no topic has left out.

        The kernels count what is impossible as the smallest normal number: for words without any topic that
        is taken back here; a word that only the topics of its document lack keeps it.
        """
        unknown = ~np.any(self.components_, axis=0)
        lost = np.flatnonzero(unknown[counts.word] & (counts.count > 0))
        tokens = counts.total()
        if len(lost):
            at = int(np.searchsorted(counts.offset, lost[0], side="right")) - 1
            mass = float(counts.count[lost].sum(dtype=np.float64))
            tokens -= mass
            log_likelihood -= mass * float(np.log(np.finfo(counts.dtype).smallest_normal))
            warnings.warn(
                f"{len(lost)} of {len(counts.word)} nonzeros of X are words that no topic has, the first "
                f"({counts.word[lost[0]]}) in document {at}; they are left out. smoothing > 0 gives every "
                "word a probability.",
                UserWarning,
                stacklevel=3,
            )
        if tokens <= 0:
            raise ValueError("X holds no word that the model knows: there is nothing to score.")
        return float(log_likelihood / tokens)
