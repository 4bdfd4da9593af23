"""The loop, with a model that is none: a hill that is climbed by numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plsa.engine import em

INFINITE = math.inf


@dataclass(eq=False)
class Place:
    """Parameters, to the loop; `used` once they were handed over."""

    at: float
    used: bool = False
    gate: None = None


@dataclass(eq=False)
class Seen:
    """Statistics, to the loop."""

    place: Place
    objective: float
    log_likelihood: float
    n_impossible: int
    first_impossible: int = 3
    used: bool = False
    doc: None = None
    word: None = None
    state: None = None


class Hill:
    """Steps along a line: what is used up is never used again, or the test fails.

    `height` gives the objective of a place, `step` where a step from it ends, `leap` where a leap
    of at most `longest` from three places ends, and how long it was.
    """

    def __init__(self, height, step=lambda at: at + 1, leap=None):
        self.height, self.step, self.leap_to = height, step, leap
        self.n_passes = 0
        self.n_maximized = 0
        self.longest = []

    def expect(self, place):
        assert not place.used
        self.n_passes += 1
        height = self.height(place.at)
        return Seen(place, height, log_likelihood=height - 1000, n_impossible=7)

    def maximize(self, place, seen):
        assert not place.used
        assert not seen.used
        assert seen.place is place
        place.used = seen.used = True
        self.n_maximized += 1
        return Place(self.step(place.at))

    def copied(self, place):
        assert not place.used
        return Place(place.at)

    def leap(self, first, second, third, longest):
        assert not any(place.used for place in (first, second, third))
        first.used = second.used = True
        self.longest.append(longest)
        at, length = self.leap_to(first.at, second.at, third.at, longest)
        return Place(at), length

    def release(self, place):
        if isinstance(place, Place):
            assert not place.used
            place.used = True


def along(heights):
    """The hill whose places 0, 1, 2, ... have these heights."""
    return Hill(lambda at: heights[int(at)])


def never():
    """A rule that stops after nothing but the number of passes."""
    return {"smallest_rise": -INFINITE, "noise": INFINITE}


# --- run -----------------------------------------------------------------------------------------


def test_it_stops_after_the_rounds():
    hill = along([0, 1, 2, 3, 4, 5, 6, 7])
    fit = em.run(hill, Place(0), em.Stop(5, 0.5, 0.0))
    assert fit.reason == "rounds"
    assert fit.trace == [0, 1, 2, 3, 4, 5]
    assert fit.parameters.at == 5
    assert fit.n_passes == hill.n_passes == 6
    assert hill.n_maximized == 5
    assert (fit.log_likelihood, fit.n_impossible, fit.first_impossible) == (5 - 1000, 7, 3)
    assert not fit.parameters.used


def test_no_rounds_is_one_look():
    hill = along([7])
    start = Place(0)
    fit = em.run(hill, start, em.Stop(0, 0.5, 0.0))
    assert (fit.reason, fit.trace, fit.n_passes) == ("rounds", [7], 1)
    assert fit.parameters is start
    assert hill.n_maximized == 0


@pytest.mark.parametrize("last_rise", [1.0, 0.5, 0.0])
def test_it_settles_when_the_rise_is_no_more_than_asked(last_rise):
    heights = [0, 10, 15, 15 + last_rise, 99]
    fit = em.run(along(heights), Place(0), em.Stop(100, 1.0, 0.0))
    assert fit.reason == "settled"
    assert fit.trace == heights[:4]
    assert fit.parameters.at == 3


def test_a_fall_is_never_hidden():
    fit = em.run(along([-100, -50, -60, -10]), Place(0), em.Stop(100, 1.0, 1e-6))
    assert fit.reason == "fell"
    assert fit.trace == [-100, -50, -60]
    assert fit.parameters.at == 2


def test_a_fall_that_rounding_explains_is_not_one():
    heights = [-100.0, -50.0, -50.0 - 50 * 1e-7, -10.0]
    assert em.run(along(heights), Place(0), em.Stop(9, 0.0, 1e-6)).reason == "settled"
    assert em.run(along(heights), Place(0), em.Stop(9, 0.0, 1e-8)).reason == "fell"


def test_rounding_is_measured_against_the_scale_where_the_objective_is_small():
    heights = [-1.0, 0.0, -1e-4, 1.0]
    assert em.run(along(heights), Place(0), em.Stop(9, 0.0, 1e-6)).reason == "fell"
    assert em.run(along(heights), Place(0), em.Stop(9, 0.0, 1e-6, scale=1e3)).reason == "settled"
    assert em.run(along(heights), Place(0), em.Stop(9, 0.0, 1e-6, scale=1e1)).reason == "fell"


def test_a_callback_sees_every_pass_and_may_stop():
    seen = []

    def watch(done):
        seen.append(done)
        return done.number == 3

    fit = em.run(along([0, 10, 20, 30, 40]), Place(0), em.Stop(100, 1.0, 0.0), watch)
    assert fit.reason == "callback"
    assert [done.number for done in seen] == [1, 2, 3]
    assert [done.objective for done in seen] == fit.trace == [0, 10, 20]
    assert [done.log_likelihood for done in seen] == [-1000, -990, -980]
    assert [done.statistics.place.at for done in seen] == [0, 1, 2]
    assert fit.parameters.at == 2


@pytest.mark.parametrize("answer", [None, False, 0, True, np.True_, np.False_])
def test_a_callback_stops_with_what_is_true(answer):
    fit = em.run(along([0, 10, 20, 30]), Place(0), em.Stop(3, 1.0, 0.0), lambda done: answer)
    assert fit.reason == ("callback" if answer else "rounds")


def test_the_objective_has_the_first_word():
    """What happened outranks that the rounds are over, and both what a callback wishes."""
    settled = em.run(along([0, 10, 10]), Place(0), em.Stop(2, 1.0, 0.0), lambda done: done.number > 2)
    assert settled.reason == "settled"
    over = em.run(along([0, 10, 20]), Place(0), em.Stop(2, 1.0, 0.0), lambda done: done.number > 2)
    assert over.reason == "rounds"


@pytest.mark.parametrize("where", ["expect", "maximize", "callback"])
@pytest.mark.parametrize("when", [1, 2, 4])
def test_an_interrupt_leaves_what_was_learned(where, when):
    hill = Hill(float)
    calls = 0

    def interrupted(function):
        def count(*arguments):
            nonlocal calls
            calls += 1
            if calls == when:
                raise KeyboardInterrupt
            return function(*arguments)

        return count

    def watch(done):
        return None

    if where == "callback":
        watch = interrupted(watch)
    else:
        setattr(hill, where, interrupted(getattr(hill, where)))
    fit = em.run(hill, Place(0), em.Stop(100, 0.1, 0.0), watch)
    assert fit.reason == "interrupted"
    assert not fit.parameters.used
    assert fit.parameters.at == when - 1
    # An expectation that was cut short leaves no objective; its parameters are the better ones.
    assert fit.trace == [float(at) for at in range(when - (where == "expect"))]
    if fit.trace:
        assert fit.log_likelihood == fit.trace[-1] - 1000
    else:
        assert math.isnan(fit.log_likelihood)


def test_other_exceptions_are_not_caught():
    def fail(done):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        em.run(along([0, 1]), Place(0), em.Stop(9, 0.0, 0.0), fail)


@given(
    heights=st.lists(st.integers(-9, 9), min_size=12, max_size=12),
    max_passes=st.integers(0, 10),
    smallest_rise=st.integers(0, 3),
    noise=st.sampled_from([0.0, 0.5]),
    wish=st.integers(1, 12),
)
def test_it_stops_at_the_first_reason(heights, max_passes, smallest_rise, noise, wish):
    fit = em.run(
        along(heights), Place(0), em.Stop(max_passes, smallest_rise, noise), lambda done: done.number == wish
    )

    def reasons(last):
        if last > 0 and heights[last] - heights[last - 1] < -noise * abs(heights[last - 1]):
            yield "fell"
        elif last > 0 and heights[last] - heights[last - 1] <= smallest_rise:
            yield "settled"
        if last == max_passes:
            yield "rounds"
        if last + 1 == wish:
            yield "callback"

    last = len(fit.trace) - 1
    assert fit.reason == next(reasons(last))
    assert not any(list(reasons(earlier)) for earlier in range(last))
    assert fit.trace == heights[: last + 1]
    assert heights[int(fit.parameters.at)] == fit.trace[-1]
    assert fit.n_passes == len(fit.trace)


def test_passes_are_counted_from_the_start_of_the_run():
    """Several starts share the steps of one corpus."""
    hill = along([0, 1, 2, 3])
    numbers = []
    for _ in range(2):
        fit = em.run(hill, Place(0), em.Stop(2, 0.5, 0.0), lambda done: numbers.append(done.number))
        assert fit.n_passes == 3
    assert numbers == [1, 2, 3, 1, 2, 3]


# --- accelerated ---------------------------------------------------------------------------------


def nearer(at):
    """A step that goes a tenth of the way to 100."""
    return at + (100 - at) / 10


def squarem(first, second, third, longest):
    """Where SQUAREM leaps to on a line."""
    r, v = second - first, (third - second) - (second - first)
    length = min(max(abs(r) / abs(v) if v else 1.0, 1.0), longest)
    return first + 2 * length * r + length**2 * v, length


def below(at):
    """The distance to 100, squared, downwards."""
    return -((100 - at) ** 2)


def test_leaps_reach_the_top_in_fewer_passes():
    stop = em.Stop(1000, 1e-9, 0.0)
    slow = Hill(below, nearer)
    fast = Hill(below, nearer, squarem)
    plain = em.run(slow, Place(0.0), stop)
    fit = em.run(em.Accelerated(fast), Place(0.0), stop)
    assert plain.reason == fit.reason == "settled"
    assert fit.trace[-1] >= plain.trace[-1]
    assert fit.n_passes == fast.n_passes < plain.n_passes / 2
    assert min(b - a for a, b in pairwise(fit.trace)) >= 0
    assert below(fit.parameters.at) == fit.trace[-1]


@pytest.mark.parametrize("landing", [-50.0, math.nan], ids=["lower", "nan"])
def test_leaps_that_fall_are_not_taken(landing):
    """The trace is then that of plain steps, and each failed leap costs a pass, and is counted."""
    hill = Hill(lambda at: landing if at < 0 else at, leap=lambda *places: (-1, 1.0))
    numbers = []
    fit = em.run(
        em.Accelerated(hill), Place(0), em.Stop(12, 0.5, 0.0), lambda done: numbers.append(done.number)
    )
    n_leaps = len(hill.longest)
    assert n_leaps > 2
    assert fit.trace == [float(at) for at in range(len(fit.trace))]
    assert fit.parameters.at == fit.trace[-1]
    assert fit.reason == "rounds"
    assert fit.n_passes == hill.n_passes == len(fit.trace) + n_leaps
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == fit.n_passes
    assert hill.longest == [4.0] + [2.0] * (n_leaps - 1)


def test_leaps_as_long_as_allowed_may_become_longer():
    hill = Hill(lambda at: at, leap=lambda x0, x1, x2, longest: (x2 + longest, longest))
    em.run(em.Accelerated(hill), Place(0), em.Stop(12, 0.5, 0.0))
    assert hill.longest[:4] == [4.0, 16.0, 64.0, 256.0]
    short = Hill(lambda at: at, leap=lambda x0, x1, x2, longest: (x2 + 1, 1.5))
    em.run(em.Accelerated(short), Place(0), em.Stop(12, 0.5, 0.0))
    assert set(short.longest) == {4.0}


@pytest.mark.parametrize("max_passes", range(8))
@pytest.mark.parametrize("falls", [False, True])
def test_leaps_keep_to_the_rounds(max_passes, falls):
    """A leap that fails may cost the one pass that is too many, never more."""
    hill = Hill(lambda at: at, leap=lambda x0, x1, x2, longest: (-1 if falls else x2 + 1, 1.0))
    fit = em.run(em.Accelerated(hill), Place(0), em.Stop(max_passes, 0.5, 0.0))
    assert fit.reason == "rounds"
    assert max_passes + 1 <= fit.n_passes <= max_passes + 1 + falls
    assert fit.trace[-1] == fit.parameters.at


@given(
    rises=st.lists(st.integers(0, 3), min_size=40, max_size=40),
    leaps=st.lists(st.tuples(st.integers(-40, 5), st.booleans()), min_size=20, max_size=20),
    max_passes=st.integers(0, 20),
)
def test_the_objective_never_falls_by_a_leap(rises, leaps, max_passes):
    """Leaps to anywhere on a hill whose steps never fall: what is recorded never falls either."""
    heights = [sum(rises[:at]) for at in range(41)]
    landings = iter(leaps)

    def anywhere(first, second, third, longest):
        by, far = next(landings)
        return min(max(third + by, 0), 40), longest if far else 1.0

    hill = Hill(lambda at: heights[int(at)], lambda at: min(at + 1, 40), anywhere)
    seen = []
    fit = em.run(em.Accelerated(hill), Place(0), em.Stop(max_passes, **never()), seen.append)
    assert all(b >= a for a, b in pairwise(fit.trace))
    assert heights[int(fit.parameters.at)] == fit.trace[-1]
    assert not fit.parameters.used
    assert fit.n_passes == hill.n_passes
    assert [done.objective for done in seen] == fit.trace
    assert all(factor >= 2 for factor in hill.longest)


@pytest.mark.parametrize("name", ["expect", "maximize", "copied", "leap", "release"])
@pytest.mark.parametrize("when", range(1, 8))
@pytest.mark.parametrize("falls", [False, True])
def test_an_interrupt_among_leaps_leaves_what_was_learned(name, when, falls):
    hill = Hill(below, nearer, (lambda *places: (-50.0, 1.0)) if falls else squarem)
    calls, function = 0, getattr(hill, name)

    def interrupted(*arguments):
        nonlocal calls
        calls += 1
        if calls == when:
            raise KeyboardInterrupt
        return function(*arguments)

    setattr(hill, name, interrupted)
    fit = em.run(em.Accelerated(hill), Place(0.0), em.Stop(60, **never()))
    assert fit.reason == "interrupted"
    if fit.trace:
        assert below(fit.parameters.at) >= fit.trace[-1]


def test_an_objective_that_is_no_number_is_a_fall():
    fit = em.run(along([0, 1, float("nan"), 5]), Place(0), em.Stop(9, 0.0, 0.0))
    assert fit.reason == "fell"
    assert len(fit.trace) == 3


# --- annealed ------------------------------------------------------------------------------------


class WarmHill(Hill):
    """A hill whose height depends on the power, which it notes with the place of every look."""

    power = 1.0

    def __init__(self, height=lambda at, power: at * power, **others):
        super().__init__(lambda at: height(at, self.power), **others)
        self.looks = []

    def expect(self, place):
        self.looks.append((place.at, self.power))
        return super().expect(place)


POWERS = [0.25, 0.5, 0.5, 0.75, 1.0]


def test_one_step_at_each_power_but_the_last():
    """An expectation at every power, of the place that the step before it led to; there it is left."""
    hill = WarmHill()
    fit = em.follow(hill, Place(0), POWERS, None)
    assert hill.looks == [(0, 0.25), (1, 0.5), (2, 0.5), (3, 0.75), (4, 1.0)]
    assert fit.trace == [0, 0.5, 1.0, 2.25, 4.0]
    assert (fit.parameters.at, fit.reason, fit.n_passes) == (4, "annealed", 5)
    assert hill.n_maximized == 4
    assert hill.power == 1.0
    assert not fit.parameters.used


def test_one_power_is_one_look():
    start = Place(3)
    hill = WarmHill()
    fit = em.follow(hill, start, [0.5], None)
    assert (fit.parameters, fit.trace, hill.n_maximized) == (start, [1.5], 0)
    assert hill.power == 0.5


@pytest.mark.parametrize("way", [-1e9, 0.0, 1e-30])
def test_falls_and_small_rises_are_no_reason_while_powers_change(way):
    hill = WarmHill(lambda at, power: at * way)
    fit = em.follow(hill, Place(0), POWERS, None)
    assert fit.reason == "annealed"
    assert len(fit.trace) == 5


def test_a_callback_may_stop_between_powers():
    hill = WarmHill()
    seen = []

    def watch(done):
        seen.append(done.number)
        return done.number == 3

    fit = em.follow(hill, Place(0), POWERS, watch)
    assert fit.reason == "callback"
    assert seen == [1, 2, 3]
    assert (fit.parameters.at, len(fit.trace)) == (2, 3)
    assert hill.power == 1.0


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("when", [1, 3])
def test_whatever_happens_the_steps_are_left_at_the_last_power(error, when):
    hill = WarmHill()

    def watch(done):
        if done.number == when:
            raise error

    if error is KeyboardInterrupt:
        fit = em.follow(hill, Place(0), POWERS, watch)
        assert fit.reason == "interrupted"
        assert fit.parameters.at == when - 1
        assert not fit.parameters.used
    else:
        with pytest.raises(error):
            em.follow(hill, Place(0), POWERS, watch)
    assert hill.power == 1.0


def test_steps_that_were_annealed_may_be_annealed_again():
    """Several starts share the steps of one corpus: powers and passes begin anew."""
    hill = WarmHill()
    first, second = (em.follow(hill, Place(0), POWERS, None) for _ in range(2))
    assert first.trace == second.trace
    assert second.n_passes == 5
    assert hill.n_passes == em.Annealed(hill, POWERS).n_passes == 10
