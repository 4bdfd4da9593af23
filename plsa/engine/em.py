"""The loop: expect, record, stop?, maximize. It knows no model, no matrix and no scikit-learn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from plsa.engine.parameters import Fit, Parameters, Statistics, StopReason


@dataclass(frozen=True, slots=True)
class Pass:
    """What is known after a pass; what a callback is given."""

    number: int  # passes done
    objective: float  # of the parameters that the pass began with
    log_likelihood: float
    statistics: Statistics  # valid during the call only


Callback = Callable[[Pass], Any]


class Steps(Protocol):
    """A model, to the loop."""

    @property
    def n_passes(self) -> int:
        """Expectations made so far."""

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics and the objective of these parameters, which are left as they were."""

    def maximize(self, parameters: Parameters, statistics: Statistics) -> Parameters:
        """Parameters of no lower objective; both arguments are used up."""


class LeapingSteps(Steps, Protocol):
    """A model that can leap ahead of its own steps."""

    def copied(self, parameters: Parameters) -> Parameters:
        """A copy that outlives `maximize`."""

    def leap(
        self, first: Parameters, second: Parameters, third: Parameters, longest: float
    ) -> tuple[Parameters, float]:
        """A point further along three successive parameters, and the length of that leap.

        The first two are used up; the third is left as it was.
        """

    def release(self, parameters: Parameters) -> None:
        """Takes back arrays that are no longer needed."""


@dataclass(frozen=True, slots=True)
class Stop:
    """When to stop: after `max_passes` updates, or when one gains no more than `smallest_rise`.

    A gain of no more than `early_rise` is a reason too, but not to call it settled. Rounding may take `noise`
    times the size of the objective, or of `scale` where that is larger, away: only a fall beyond it is one.
    """

    max_passes: int
    smallest_rise: float
    noise: float
    scale: float = 0.0
    early_rise: float = -float("inf")

    def reason(self, trace: list[float], n_passes: int) -> StopReason | None:
        """Why to stop now, or None."""
        if len(trace) > 1:
            rise = trace[-1] - trace[-2]
            if rise < -self.noise * max(abs(trace[-2]), self.scale) or rise != rise:  # NaN is a fall
                return StopReason.FELL
            if rise <= self.smallest_rise:
                return StopReason.SETTLED
            if rise <= self.early_rise:
                return StopReason.EARLY
        return StopReason.ROUNDS if n_passes > self.max_passes else None


def run(steps: Steps, parameters: Parameters, stop: Stop, callback: Callback | None = None) -> Fit:
    """Alternates expectation and maximization until there is a reason to stop.

    The trace holds the objective of the parameters of every round, and those returned are of its last
    entry. Ctrl-C is one more reason: it comes between two instructions of Python, where `parameters` is
    always whole; it may then be one update past the last entry.
    """
    trace: list[float] = []
    statistics: Statistics | None = None
    before = steps.n_passes
    reason: StopReason | None = None
    try:
        while True:
            statistics = steps.expect(parameters)
            trace.append(statistics.objective)
            n_passes = steps.n_passes - before
            done = Pass(n_passes, statistics.objective, statistics.log_likelihood, statistics)
            asked = callback and callback(done)
            reason = stop.reason(trace, n_passes) or (StopReason.CALLBACK if asked else None)
            if reason:
                break
            parameters = steps.maximize(parameters, statistics)
    except KeyboardInterrupt:
        reason = StopReason.INTERRUPTED
    n_passes, last = steps.n_passes - before, statistics
    if last is None:
        return Fit(parameters, trace, reason, n_passes, None, float("nan"))
    impossible = last.n_impossible, last.first_impossible
    return Fit(parameters, trace, reason, n_passes, last.state, last.log_likelihood, *impossible)


class Accelerated:
    """The steps of a model, every second of them a leap (SQUAREM) where that pays.

    After two plain steps a leap goes on along the way that they went, the further the straighter it was.
    Where the objective of its end is below that of the second step, the third plain step is taken instead
    and leaps become shorter: the objective never falls because of a leap. A failed leap costs one pass, and
    is counted.
    """

    def __init__(self, steps: LeapingSteps) -> None:
        self.steps = steps
        self.longest = 4.0
        self.first: Parameters | None = None
        self.landed: Statistics | None = None

    @property
    def n_passes(self) -> int:
        """Expectations made so far, failed leaps included."""
        return self.steps.n_passes

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics of these parameters; where a leap ended they are known already."""
        statistics, self.landed = self.landed, None
        return statistics if statistics is not None else self.steps.expect(parameters)

    def maximize(self, parameters: Parameters, statistics: Statistics) -> Parameters:
        """A plain step, or a leap from where the step before began."""
        if self.first is None:
            self.first = self.steps.copied(parameters)
            return self.steps.maximize(parameters, statistics)
        first, self.first = self.first, None
        second = self.steps.copied(parameters)
        third = self.steps.maximize(parameters, statistics)
        end, length = self.steps.leap(first, second, third, self.longest)
        landed = self.steps.expect(end)
        if landed.objective >= statistics.objective:
            self.steps.release(third)
            self.landed = landed
            self.longest *= 4 if length >= self.longest else 1
            return end
        self.steps.release(end)
        self.steps.release(Parameters(landed.doc, landed.word, end.gate))
        self.longest = max(2.0, self.longest / 4)
        return third


class AnnealedSteps(Steps, Protocol):
    """A model whose expectation can be made at a temperature."""

    power: float  # 1 / temperature; 1: the model itself


class Annealed:
    """The steps of a model, its expectations at one power of a schedule after the other.

    The objective of a power is not that of another: nothing is to be read from its rises and falls.
    """

    def __init__(self, steps: AnnealedSteps, powers: Sequence[float]) -> None:
        self.steps = steps
        self.powers = iter(powers)

    @property
    def n_passes(self) -> int:
        """Expectations made so far."""
        return self.steps.n_passes

    def expect(self, parameters: Parameters) -> Statistics:
        """The statistics of these parameters at the next power."""
        self.steps.power = next(self.powers)
        return self.steps.expect(parameters)

    def maximize(self, parameters: Parameters, statistics: Statistics) -> Parameters:
        """A plain step."""
        return self.steps.maximize(parameters, statistics)


def follow(
    steps: AnnealedSteps, parameters: Parameters, powers: Sequence[float], callback: Callback | None
) -> Fit:
    """One step at each power but the last, and an expectation there; that is where the steps are left."""
    stop = Stop(len(powers) - 1, -float("inf"), float("inf"), 1.0)
    try:
        fit = run(Annealed(steps, powers), parameters, stop, callback)
    finally:
        steps.power = float(powers[-1])
    return replace(fit, reason=StopReason.ANNEALED) if fit.reason is StopReason.ROUNDS else fit
