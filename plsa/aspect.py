"""What every aspect model shares as an estimator: checking, running the loop, folding in."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from plsa import em, inputs
from plsa.counts import Counts
from plsa.parameters import Fit, Parameters, Real, padded, unpadded
from plsa.progress import ProgressLine
from plsa.steps import Folded, GatedSteps, fold_in

# How much of the objective rounding may take away in one pass without a model being wrong.
_NOISE = {np.dtype("float32"): 1e-6, np.dtype("float64"): 1e-11}


STOPPED = ("interrupted", "callback")  # reasons of a person


class AspectModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The part of an aspect model that has nothing to do with its labels.

    A model has `max_iter`, `tol`, `accelerate`, `n_init`, `fold_iter`, `fold_tol`, `n_threads`, `verbose`
    and `callback` as parameters; after a fit it has `components_`, `topic_prior_` and the history of the
    loop.
    """

    max_iter: int
    tol: float
    accelerate: bool
    n_init: int
    smoothing: float
    prior_strength: float
    fold_iter: int
    fold_tol: float
    dtype: Any
    n_threads: int | None
    verbose: int
    callback: em.Callback | None

    def _check_loop_parameters(self) -> None:
        inputs.check_whole(self.max_iter, "max_iter", 0)
        inputs.check_number(self.tol, "tol")
        inputs.check_choice(self.accelerate, "accelerate", [True, False])
        inputs.check_whole(self.n_init, "n_init", 1)
        inputs.check_number(self.smoothing, "smoothing")
        self._check_prior_strength()
        inputs.check_whole(self.fold_iter, "fold_iter", 0)
        inputs.check_number(self.fold_tol, "fold_tol")
        inputs.check_threads(self.n_threads)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback == {self.callback!r}, but must be None or callable.")

    def _check_prior_strength(self) -> None:
        inputs.check_number(self.prior_strength, "prior_strength")

    def _best_run(
        self,
        steps: GatedSteps,
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
            line = ProgressLine(name, max_iter, n_tokens) if self.verbose else None
            climbing: em.Steps = em.Accelerated(steps) if self.accelerate else steps
            asked = _Asked(self.callback)
            fit = em.run(climbing, begin(), stop, _both(line, None if self.callback is None else asked))
            if line is not None:
                line.close(fit.reason, fit.n_passes)
            if best is None or (fit.trace and fit.trace[-1] > best.trace[-1]):
                best = fit
            if fit.reason in STOPPED or asked.to_stop:
                # Where the last pass of a start was reason enough, the objective has the first word.
                if fit.reason in STOPPED or len(starts) > number or more_follows:
                    best = replace(best, reason=fit.reason if fit.reason in STOPPED else "callback")
                break
        assert best is not None
        return best

    def _keep(self, fit: Fit, steps: GatedSteps, prior: NDArray[Any]) -> None:
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

    def _fold(self, counts: Counts) -> Folded:
        """The topics of checked counts, scaled as in the fit, under the fitted model, its gate off."""
        counts = self._scaled(counts)
        strength = float(getattr(self, "prior_strength_", self.prior_strength))
        return self._fold_by(counts, padded(self.components_.T, counts.dtype), self.topic_prior_, strength)

    def _fold_by(
        self,
        counts: Counts,
        word_topic: Real,
        prior: NDArray[Any],
        strength: float,
        most_rounds: int | None = None,
        near: float = 0.0,
    ) -> Folded:
        """The topics of scaled counts under padded P(w|z) and this prior, where need be in fewer rounds."""
        dtype = counts.dtype
        start = padded(prior[np.newaxis], dtype)
        return fold_in(
            counts,
            word_topic,
            start,
            prior=start * dtype.type(strength) if strength > 0 else None,
            max_iter=self.fold_iter if most_rounds is None else min(self.fold_iter, most_rounds),
            tol=max(self.fold_tol, near),
            n_threads=self.n_threads,
        )

    def _scaled(self, counts: Counts) -> Counts:
        """What the model makes of counts before it learns from them or folds them in: nothing."""
        return counts

    def _new_counts(self, X: Any) -> Counts:
        check_is_fitted(self, "components_")
        return inputs.check_counts(self, X, reset=False, dtype=self.dtype)

    def transform(self, X: Any) -> Real:
        """P(topic|document) of each document, by folding it in.

        P(w|z) stays as it is and a document's topics are updated until none moves by more than `fold_tol`,
        or `fold_iter` times. The answer for a document does not depend on the others given with it. One
        without words, or with none that a topic knows, gets the prior.
        """
        counts = self._new_counts(X)
        topics = unpadded(self._fold(counts).doc_topic, len(self.components_))
        return np.ascontiguousarray(topics)

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
