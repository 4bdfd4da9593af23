"""Fits as a person meets them: several starts of which the best is kept, progress, a callback, Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from plsa.engine import em
from plsa.engine.parameters import Fit, Parameters, StopReason
from plsa.engine.progress import ProgressLine
from plsa.engine.steps import CorpusSteps

F = TypeVar("F", bound=Fit)

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

    def quiet(self) -> Loop:
        """The same from one start, with nobody watching."""
        return replace(self, n_init=1, verbose=0, callback=None)

    def best(
        self,
        steps: Any,
        starts: Sequence[Callable[[], Parameters]],
        *,
        max_iter: int | None = None,
        early: float = 0.0,
        doing: str = "",
        more_follows: bool = False,
    ) -> Fit:
        """The run with the highest objective, one from each start.

        `early` is the log-likelihood per word that a pass must gain to go on, `doing` is shown as progress.
        """
        runs = [
            lambda of, follows, start=start: self.run(
                steps, start, max_iter=max_iter, early=early, doing=listed(doing, of), more_follows=follows
            )
            for start in starts
        ]
        return best_of(runs, more_follows)

    def run(
        self,
        steps: Any,
        start: Callable[[], Parameters],
        *,
        max_iter: int | None = None,
        early: float = 0.0,
        doing: str = "",
        more_follows: bool = False,
    ) -> Fit:
        """One run from one start."""
        max_iter = self.max_iter if max_iter is None else max_iter
        n_tokens = steps.counts.total(steps.weight)
        smallest = self.tol * n_tokens
        # A probability is off by a rounding error at most, so its logarithm is, so each word is.
        noise = _NOISE[steps.counts.dtype]
        stop = em.Stop(max_iter, smallest, noise, n_tokens, max(early * n_tokens, smallest))
        climbed = em.Accelerated(steps) if self.accelerate else steps
        return self.watched(
            lambda callback: em.run(climbed, start(), stop, callback), steps, max_iter, doing, more_follows
        )

    def watched(
        self,
        run: Callable[[em.Callback | None], Fit],
        steps: CorpusSteps,
        max_passes: int,
        doing: str,
        more_follows: bool,
    ) -> Fit:
        """A run with progress shown and the user's callback called.

        Where that wants to stop while the run has other reasons to, it is the reason if `more_follows`.
        """
        line = None
        if self.verbose:
            line = ProgressLine(listed(self.name, doing), max_passes, steps.counts.total(steps.weight))
        asked = _Asked(self.callback)
        fit = run(_both(line, None if self.callback is None else asked))
        if line is not None:
            line.close(fit.reason, fit.n_passes)
        if asked.to_stop and more_follows and not fit.reason.by_person:
            fit = replace(fit, reason=StopReason.CALLBACK)
        return fit


def best_of(runs: Sequence[Callable[[str, bool], F]], more_follows: bool = False) -> F:
    """The fit with the highest objective, of runs one after the other until a person stops them.

    A run is called with its number in words, "" where it is the only one, and whether anything follows.
    """
    best: F | None = None
    for number, run in enumerate(runs, 1):
        of = f"start {number} of {len(runs)}" if len(runs) > 1 else ""
        fit = run(of, more_follows or number < len(runs))
        if best is None or (fit.trace and fit.trace[-1] > best.trace[-1]):
            best = fit
        if fit.reason.by_person:
            best = replace(best, reason=fit.reason)
            break
    assert best is not None
    return best


def listed(*parts: str) -> str:
    """What is not empty, with commas between."""
    return ", ".join(part for part in parts if part)


class _Asked:
    """A callback that remembers whether it asked to stop."""

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
