"""What every aspect model shares as an estimator: a document's topics are found by folding it in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plsa import inputs
from plsa.engine import em
from plsa.engine.counts import Counts
from plsa.engine.parameters import Real, padded, unpadded
from plsa.engine.steps import Folded, GatedSteps, fold_in
from plsa.estimators.fitting import ClimbingModel


class AspectModel(ClimbingModel):
    """The part of an aspect model that has nothing to do with its labels.

    Beyond what `ClimbingModel` asks for, a model has `accelerate`, `smoothing`, `prior_strength`, `fold_iter`
    and `fold_tol` as parameters.
    """

    accelerate: bool
    smoothing: float
    prior_strength: float
    fold_iter: int
    fold_tol: float

    def _check_loop_parameters(self) -> None:
        super()._check_loop_parameters()
        inputs.check_choice(self.accelerate, "accelerate", [True, False])
        inputs.check_number(self.smoothing, "smoothing")
        self._check_prior_strength()
        inputs.check_whole(self.fold_iter, "fold_iter", 0)
        inputs.check_number(self.fold_tol, "fold_tol")

    def _climbing(self, steps: GatedSteps) -> em.Steps:
        return em.Accelerated(steps) if self.accelerate else steps

    def _check_prior_strength(self) -> None:
        inputs.check_number(self.prior_strength, "prior_strength")

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

    def transform(self, X: Any) -> Real:
        """P(topic|document) of each document, by folding it in.

        P(w|z) stays as it is and a document's topics are updated until none moves by more than `fold_tol`,
        or `fold_iter` times. The answer for a document does not depend on the others given with it. One
        without words, or with none that a topic knows, gets the prior.
        """
        return self._topics(self._new_counts(X))

    def _topics(self, counts: Counts) -> Real:
        return np.ascontiguousarray(unpadded(self._fold(counts).doc_topic, len(self.components_)))
