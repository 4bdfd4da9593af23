"""Fits as a person meets them: several starts of which the best is kept, progress, a callback, Ctrl-C."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from plsa.engine import em
from plsa.engine.parameters import Fit, Parameters, StopReason
from plsa.engine.progress import ProgressLine
from plsa.engine.steps import CorpusSteps

# How much of the objective rounding may take away in one pass without a model being wrong.
_NOISE = {np.dtype("float32"): 1e-6, np.dtype("float64"): 1e-11}


@dataclass(frozen=True, slots=True)
class Loop:
    """How often EM goes round, from how many starts, and who watches."""

    name: str  # of the model, as progress shows it
    max_iter: int
    tol: float  # log-likelihood per word: an update that gains no more has settled
    n_init: int = 1
    accelerate: bool = False
    verbose: int = 0
    callback: em.Callback | None = None
    early: float = 0.0  # log-likelihood per word that a pass must gain to go on
    more_follows: bool = False  # where a callback wants to stop at the end of a run, it is then the reason

    def quiet(self) -> Self:
        """The same from one start, with nobody watching."""
        return replace(self, n_init=1, verbose=0, callback=None)

    def doing(self, what: str, more_follows: bool = True) -> Self:
        """The same for a part of the work, as progress shows it."""
        return replace(self, name=", ".join(filter(None, (self.name, what))), more_follows=more_follows)

    def best(self, steps: Any, starts: Sequence[Callable[[], Parameters]]) -> Fit:
        """The run with the highest objective, one from each start."""
        best = self.best_of([partial(type(self).run, steps=steps, start=start) for start in starts])
        steps.free_buffers()
        return best

    def best_of(self, runs: Sequence[Callable[[Self], Fit]]) -> Fit:
        """The fit with the highest objective, of runs one after the other until a person stops them."""
        best: Fit | None = None
        for number, run in enumerate(runs, 1):
            of = f"start {number} of {len(runs)}" if len(runs) > 1 else ""
            fit = run(self.doing(of, self.more_follows or number < len(runs)))
            if best is None or (fit.trace and fit.trace[-1] > best.trace[-1]):
                best = fit
            if fit.reason.by_person:
                best = replace(best, reason=fit.reason)
                break
        assert best is not None
        return best

    def run(self, steps: Any, start: Callable[[], Parameters]) -> Fit:
        """One run from one start."""
        n_tokens = steps.counts.total(steps.weight)
        smallest = self.tol * n_tokens
        # A probability is off by a rounding error at most, so its logarithm is, so each word is.
        noise = _NOISE[steps.counts.dtype]
        stop = em.Stop(self.max_iter, smallest, noise, n_tokens, max(self.early * n_tokens, smallest))
        climbed = em.Accelerated(steps) if self.accelerate else steps
        return self.watched(lambda callback: em.run(climbed, start(), stop, callback), steps, self.max_iter)

    def watched(self, run: Callable[[em.Callback | None], Fit], steps: CorpusSteps, max_passes: int) -> Fit:
        """A run with progress shown and the user's callback called."""
        line, asked = None, False
        if self.verbose:
            line = ProgressLine(self.name, max_passes, steps.counts.total(steps.weight))

        def called(state: em.Pass) -> bool:
            nonlocal asked
            if line is not None:
                line(state)
            asked = self.callback is not None and bool(self.callback(state))
            return asked

        fit = run(None if line is None and self.callback is None else called)
        if line is not None:
            line.close(fit.reason, fit.n_passes)
        if asked and self.more_follows and not fit.reason.by_person:
            fit = replace(fit, reason=StopReason.CALLBACK)
        return fit
