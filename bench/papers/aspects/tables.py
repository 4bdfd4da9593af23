"""What the tables share: values by corpus, ratio and learner, columns, printed figures beside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.shared import numbers, splits
from bench.shared.cells import Measured

CLOSE = 2.0  # points from a printed figure
BOLD = "**Bold**: better than each other one of its column by a paired t-test over the splits at 5%."


def values(
    measured: Measured, corpus: str, ratio: float, learner: str, what: str = "accuracy", scale: float = 100.0
) -> dict[int, float]:
    """Split -> what was measured, in percent unless said otherwise; empty where nothing was."""
    return measured.values(what, scale, task=corpus, labels=ratio, learner=learner)


def mean(measured: Measured, corpus: str, ratio: float, learner: str) -> float | None:
    """The mean accuracy in percent; None where nothing was measured."""
    return numbers.mean(values(measured, corpus, ratio, learner))


def spread(each: dict[int, float], digits: int = 1) -> str:
    """Mean and standard deviation; fewer than all splits are counted in brackets."""
    return numbers.spread(each, digits, len(splits.SEEDS))


def column(group: Sequence[dict[int, float]], digits: int = 1, lower: bool = False) -> list[str]:
    """One column of a table, the one in bold that is better than all others of the group."""
    shown = [spread(each, digits) for each in group]
    present = [place for place, each in enumerate(group) if each]
    for place in present:
        others = [group[other] for other in present if other != place]
        if others and all(numbers.better(group[place], other, lower) for other in others):
            shown[place] = f"**{shown[place]}**"
    return shown


def across(
    measured: Measured,
    corpus: str,
    ratios: Iterable[float],
    learners: dict[str, str],
    what: str = "accuracy",
    scale: float = 100.0,
    digits: int = 1,
    lower: bool = False,
) -> list[list[str]]:
    """A row a learner, under its title, and a column a ratio."""
    columns = [
        column([values(measured, corpus, ratio, name, what, scale) for name in learners], digits, lower)
        for ratio in ratios
    ]
    return [[title, *row] for title, row in zip(learners.values(), zip(*columns, strict=True), strict=True)]


def against_printed(compared: Iterable[tuple[str, float | None, float]]) -> str:
    """How many means are within two points of the printed figure or above, and those that are not."""
    known = [(name, mean, figure) for name, mean, figure in compared if mean is not None]
    if not known:
        return ""
    short = [
        f"{name} {mean:.1f} ({mean - figure:+.1f})" for name, mean, figure in known if mean < figure - CLOSE
    ]
    above = sum(mean > figure + CLOSE for _, mean, figure in known)
    text = (
        f"Raw counts against the {len(known)} printed figures: {len(known) - above - len(short)} "
        f"within {CLOSE:g} points, {above} above, {len(short)} below"
    )
    return f"{text}: {'; '.join(short)}." if short else f"{text}."
