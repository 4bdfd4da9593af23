"""Means, spreads and tests over trials, as the tables show them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from bench.shared import report

LEVEL = 0.05
_MIN_TRIALS = 3  # with fewer a t-test says nothing


def mean(values: dict[int, float]) -> float | None:
    """The mean over the trials; None where there are none."""
    return float(np.mean(list(values.values()))) if values else None


def shown(value: float | None, digits: int = 1) -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def percent(ratio: float) -> str:
    """0.003 as "0.3%"."""
    return f"{100 * ratio:g}%"


def spread(values: dict[int, float], digits: int = 1, whole: int | None = None) -> str:
    """ "66.2 ±0.9": mean and standard deviation over the trials; a lone trial has none.

    Where there are fewer than `whole` their number follows in brackets.
    """
    each = list(values.values())
    text = shown(mean(values), digits)
    if len(each) > 1:
        text += f" ±{np.std(each, ddof=1):.{digits}f}"
    return text if not each or whole in (None, len(each)) else f"{text} ({len(each)})"


def better(these: dict[int, float], those: dict[int, float], lower: bool = False) -> bool:
    """Whether these are better than those by a paired t-test over the trials that both have."""
    both = sorted(these.keys() & those.keys())
    if len(both) < _MIN_TRIALS:
        return False
    a, b = (np.array([each[trial] for trial in both]) for each in (these, those))
    if (a.mean() >= b.mean()) if lower else (a.mean() <= b.mean()):
        return False
    # Where every trial gains as much to the last bit there is no variance to test.
    return bool(np.ptp(a - b) == 0 or stats.ttest_rel(a, b).pvalue < LEVEL)


def p_value(ours: dict[int, float], theirs: dict[int, float]) -> float | None:
    """Of Wilcoxon's signed-rank test over the trials of both, two-sided; None with fewer than six."""
    difference = [ours[trial] - theirs[trial] for trial in sorted(ours.keys() & theirs.keys())]
    return None if len(difference) < 6 or not any(difference) else float(stats.wilcoxon(difference).pvalue)


def shown_p(p: float | None, none: str = "-") -> str:
    """A p-value to four digits."""
    return none if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def correlation(x: Sequence[float], y: Sequence[float]) -> str:
    """Pearson's r to four digits; a dash where there are fewer than three points."""
    return f"{np.corrcoef(x, y)[0, 1]:.4f}" if len(x) > 2 else "-"


def reached(what: str, mean: float | None, target: float) -> list[str]:
    """A row of a table of targets."""
    return [what, shown(mean), f"{target:g}", report.verdict(None if mean is None else mean >= target)]
