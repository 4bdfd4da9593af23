"""Fits as a person meets them: several starts of which the best is kept, progress, a callback, Ctrl-C."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np

from plsa.engine import em
from plsa.engine.parameters import Fit, Parameters, StopReason
from plsa.engine.progress import SILENT, Progress
from plsa.engine.steps import CorpusSteps

# How much of the objective rounding may take away in one pass without a model being wrong.
_NOISE = {np.dtype("float32"): 1e-6, np.dtype("float64"): 1e-11}
T = TypeVar("T")


def last_of(better: Iterable[T]) -> tuple[T, bool]:
    """The last of ever better values, and whether Ctrl-C came; where there is no value yet it goes on."""
    found: list[T] = []
    try:
        for value in better:
            found[:] = [value]
    except KeyboardInterrupt:
        if not found:
            raise
        return found[0], True
    return found[0], False


def finished(work: Callable[[], T]) -> tuple[T, bool]:
    """What a short work comes to, and whether Ctrl-C came meanwhile: then it is done anew."""
    try:
        return work(), False
    except KeyboardInterrupt:
        return work(), True


@dataclass(frozen=True, slots=True)
class Loop:
    """How often EM goes round, from how many starts, and who watches."""

    max_iter: int
    tol: float  # log-likelihood per word: an update that gains no more has settled
    n_init: int = 1
    accelerate: bool = False
    callback: em.Callback | None = None
    progress: Progress = SILENT
    what: str = ""  # is done, as progress shows it
    share: tuple[float, float] = (0.0, 1.0)  # of a step of progress that this is
    early: float = 0.0  # log-likelihood per word that a pass must gain to go on
    more_follows: bool = False  # where a callback wants to stop at the end of a run, it is then the reason

    def quiet(self) -> Self:
        """The same from one start and without a callback."""
        return replace(self, n_init=1, callback=None)

    def doing(self, what: str, more_follows: bool = True, *, part: int = 0, of: int = 1) -> Self:
        """The same for one of several parts of the work."""
        begin, end = self.share
        share = begin + (end - begin) * part / of, begin + (end - begin) * (part + 1) / of
        what = ", ".join(filter(None, (self.what, what)))
        return replace(self, what=what, share=share, more_follows=more_follows)

    def best(self, steps: Any, starts: Sequence[Callable[[], Parameters]]) -> Fit:
        """The run with the highest objective, one from each start."""
        best = self.best_of([partial(type(self).run, steps=steps, start=start) for start in starts])
        steps.free_buffers()
        return best

    def best_of(self, runs: Sequence[Callable[[Self], Fit]]) -> Fit:
        """The fit with the highest objective, of runs one after the other until a person stops them.

        Before a pass is finished there is none: Ctrl-C then goes on.
        """
        fit, cut = last_of(self._bests(runs))
        return fit.cut_short(cut)

    def _bests(self, runs: Sequence[Callable[[Self], Fit]]) -> Iterator[Fit]:
        best: Fit | None = None
        for place, run in enumerate(runs):
            of = f"start {place + 1} of {len(runs)}" if len(runs) > 1 else ""
            more = self.more_follows or place + 1 < len(runs)
            fit = run(self.doing(of, more, part=place, of=len(runs)))
            if not fit.trace:
                raise KeyboardInterrupt
            if best is None or fit.trace[-1] > best.trace[-1]:
                best = fit
            if fit.reason.by_person:
                yield replace(best, reason=fit.reason)
                return
            yield best

    def run(self, steps: Any, start: Callable[[], Parameters]) -> Fit:
        """One run from one start."""
        n_tokens = steps.counts.total(steps.weight)
        smallest = self.tol * n_tokens
        # A probability is off by a rounding error at most, so its logarithm is, so each word is.
        noise = _NOISE[steps.counts.dtype]
        stop = em.Stop(self.max_iter, smallest, noise, n_tokens, max(self.early * n_tokens, smallest))
        climbed = em.Accelerated(steps) if self.accelerate else steps
        fit = self.watched(lambda callback: em.run(climbed, start(), stop, callback), steps, self.max_iter)
        return fit if len(fit.trace) < 2 else replace(fit, gain=(fit.trace[-1] - fit.trace[-2]) / n_tokens)

    def watched(self, run: Callable[[em.Callback | None], Fit], steps: CorpusSteps, max_passes: int) -> Fit:
        """A run with progress shown and the user's callback called."""
        asked, (begin, end) = False, self.share
        n_tokens = steps.counts.total(steps.weight) if self.progress.shown else 1.0

        def called(state: em.Pass) -> bool:
            nonlocal asked
            if self.progress.shown:
                perplexity = np.exp(min(-state.log_likelihood / n_tokens, 700.0))
                doing = f"pass {state.number}, perplexity {perplexity:,.1f}"
                part = begin + (end - begin) * min(state.number / (max_passes + 1), 1.0)
                self.progress.within(part, ", ".join(filter(None, (self.what, doing))))
            asked = self.callback is not None and bool(self.callback(state))
            return asked

        fit = run(called if self.progress.shown or self.callback is not None else None)
        if asked and self.more_follows and not fit.reason.by_person:
            fit = replace(fit, reason=StopReason.CALLBACK)
        return fit
