"""What every model that EM climbs shares as an estimator: running the loop, keeping what it found."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from plsa import inputs
from plsa.engine import em
from plsa.engine.counts import Counts
from plsa.engine.parameters import Fit, Parameters, Real, unpadded
from plsa.engine.progress import ProgressLine

# How much of the objective rounding may take away in one pass without a model being wrong.
_NOISE = {np.dtype("float32"): 1e-6, np.dtype("float64"): 1e-11}


STOPPED = ("interrupted", "callback")  # reasons of a person


class CorpusSteps(em.Steps, Protocol):
    """The steps of a model on one corpus."""

    counts: Counts
    n_topics: int
    weight: Real | None

    def give_back(self) -> None:
        """Lets go of the room: no expectation follows."""

    def impossible_documents(self) -> NDArray[np.intp]:
        """The documents with a nonzero of probability zero in the last expectation."""


class ClimbingModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The part of a model that has to do neither with its labels nor with what a topic is drawn for.

    A model has `max_iter`, `tol`, `n_init`, `n_threads`, `verbose` and `callback` as parameters, and
    `_topics`; after a fit it has `components_`, `topic_prior_` and the history of the loop.
    """

    max_iter: int
    tol: float
    n_init: int
    dtype: Any
    n_threads: int | None
    verbose: int
    callback: em.Callback | None
    topics_of_documents = True  # whether every document has a P(z|d) of its own to learn

    def _check_loop_parameters(self) -> None:
        inputs.check_whole(self.max_iter, "max_iter", 0)
        inputs.check_number(self.tol, "tol")
        inputs.check_whole(self.n_init, "n_init", 1)
        inputs.check_threads(self.n_threads)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback == {self.callback!r}, but must be None or callable.")

    def _best_run(
        self,
        steps: CorpusSteps,
        starts: list[Callable[[], Parameters]],
        max_iter: int | None = None,
        early: float = 0.0,
        doing: str = "",
        more_follows: bool = False,
    ) -> Fit:
        """The run with the highest objective, one from each start.

        `early` is the log-likelihood a word that a pass must gain to go on, `doing` is shown as progress.
        Where a callback wants to stop while the run has other reasons to, it says so if `more_follows`.
        """
        max_iter = self.max_iter if max_iter is None else max_iter
        n_tokens = steps.counts.total(steps.weight)
        # A probability is off by a rounding error at most, so its logarithm is, so each word is.
        noise = _NOISE[steps.counts.dtype]
        smallest = self.tol * n_tokens
        stop = em.Stop(max_iter, smallest, noise, n_tokens, max(early * n_tokens, smallest))
        best: Fit | None = None
        for number, begin in enumerate(starts, 1):
            of = f" (start {number} of {len(starts)})" if len(starts) > 1 else ""
            name = type(self).__name__ + (f", {doing}" if doing else "") + of
            fit, asked = self._watched(
                lambda callback, begin=begin: em.run(self._climbing(steps), begin(), stop, callback),  # type: ignore[misc]
                name,
                max_iter,
                n_tokens,
            )
            if best is None or (fit.trace and fit.trace[-1] > best.trace[-1]):
                best = fit
            if fit.reason in STOPPED or asked:
                # Where the last pass of a start was reason enough, the objective has the first word.
                if fit.reason in STOPPED or len(starts) > number or more_follows:
                    best = replace(best, reason=fit.reason if fit.reason in STOPPED else "callback")
                break
        assert best is not None
        return best

    def _watched(
        self, climb: Callable[[em.Callback | None], Fit], name: str, max_passes: int, n_tokens: float
    ) -> tuple[Fit, bool]:
        """A climb with progress shown and the user's callback called, and whether that asked to stop."""
        line = ProgressLine(name, max_passes, n_tokens) if self.verbose else None
        asked = _Asked(self.callback)
        fit = climb(_both(line, None if self.callback is None else asked))
        if line is not None:
            line.close(fit.reason, fit.n_passes)
        return fit, asked.to_stop

    def _climbing(self, steps: Any) -> em.Steps:
        """The steps as the loop is to take them."""
        return steps

    def _keep(self, fit: Fit, steps: CorpusSteps, prior: NDArray[Any]) -> None:
        """Sets what the fit has learnt; complains of what went wrong."""
        n_topics = steps.n_topics
        steps.give_back()
        word_topic = unpadded(fit.parameters.word_topic, n_topics)
        # Word-major in memory, as the kernels have it: folding in copies rows, not columns.
        self.components_ = np.ascontiguousarray(word_topic).T
        self.doc_topic_ = np.ascontiguousarray(unpadded(fit.parameters.doc_topic, n_topics))
        self.topic_prior_ = prior
        self.objective_trace_ = np.array(fit.trace)
        self.log_likelihood_ = fit.log_likelihood
        self.n_iter_ = max(fit.n_passes - 1, 0)
        self.stop_reason_ = fit.reason
        self.n_impossible_ = fit.n_impossible
        if fit.reason == "fell":
            warnings.warn(
                f"the objective fell from {fit.trace[-2]:.9g} to {fit.trace[-1]:.9g}: rounding has the "
                "upper hand. Pass dtype='float64'.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if fit.n_impossible:
            documents = steps.impossible_documents()
            first = f", the first in document {documents[0]}" if len(documents) else ""
            warnings.warn(
                f"{fit.n_impossible} nonzeros of X have probability zero under the model{first}, and took "
                "no part. A start with a zero for a word keeps it at zero; smoothing > 0 mends that.",
                UserWarning,
                stacklevel=3,
            )

    def _scaled(self, counts: Counts) -> Counts:
        """What the model makes of counts before it learns from them or folds them in: nothing."""
        return counts

    def _real(self) -> Any:
        """What is computed in; None: as X."""
        return self.dtype

    def _new_counts(self, X: Any) -> Counts:
        check_is_fitted(self, "components_")
        return inputs.check_counts(self, X, reset=False, dtype=self._real())

    def _topics(self, counts: Counts) -> Real:
        """P(topic|document) of checked counts."""
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Real:
        """`fit(X, y).transform(X)`: the same answer, by definition. `doc_topic_` is that of the fit."""
        return self.fit(X, y, **fit_params).transform(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class _Asked:
    """A callback that remembers whether it was told to stop."""

    def __init__(self, callback: em.Callback | None) -> None:
        self.callback = callback
        self.to_stop = False

    def __call__(self, state: em.Pass) -> bool:
        """What the callback says."""
        self.to_stop = bool(self.callback is not None and self.callback(state))
        return self.to_stop


def _both(line: ProgressLine | None, callback: em.Callback | None) -> em.Callback | None:
    if line is None or callback is None:
        return callback if line is None else line

    def called(state: em.Pass) -> Any:
        line(state)
        return callback(state)

    return called
