"""What the modules of the tables share: reading cells, means, tests, the command line, the file."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from bench import report
from bench.papers import run, splits
from bench.papers.run import Cell

CORPUS_TITLES = {
    "20news": "20 Newsgroups",
    "webkb": "WebKB",
    "reuters7": "Reuters-7",
    "enron": "Enron spam",
}
LEVEL = 0.05
# With fewer splits a t-test says nothing.
_LEAST_SPLITS = 3
CLOSE = 2.0  # points from a printed figure
BOLD = "**Bold**: better than each other one of its column by a paired t-test over the splits at 5%."


@dataclass(frozen=True, slots=True)
class Measured:
    """The cells of a table; what is asked of them is the mean over the starts of each split."""

    results: dict[Cell, dict[str, Any]]
    lacking: int
    _used: set[Cell] = field(default_factory=set)

    def values(
        self, corpus: str, ratio: float, learner: str, what: str = "accuracy", scale: float = 100.0
    ) -> dict[int, float]:
        """Split -> what was measured, in per cent unless said otherwise; empty where nothing was."""
        found: dict[int, list[float]] = {}
        for cell, result in self.results.items():
            if (cell.corpus, cell.ratio, cell.learner) == (corpus, ratio, learner):
                self._used.add(cell)
                if result[what] is not None:
                    found.setdefault(cell.seed, []).append(scale * result[what])
        return {seed: float(np.mean(each)) for seed, each in sorted(found.items())}

    def mean(self, corpus: str, ratio: float, learner: str) -> float | None:
        """The mean accuracy in per cent; None where nothing was measured."""
        values = self.values(corpus, ratio, learner)
        return float(np.mean(list(values.values()))) if values else None

    def seconds(self, corpus: str, ratio: float, learner: str) -> str:
        """The mean time of a fit."""
        values = list(self.values(corpus, ratio, learner, "fit_seconds", 1.0).values())
        return f"{np.mean(values):.1f}" if values else "-"

    def splits(self) -> int:
        """How many splits there are."""
        return len({cell.seed for cell in self.results})

    def origin(self) -> str:
        """Which version and splits the cells that were asked for come from."""
        used = [self.results[cell] for cell in self._used]
        versions = sorted({f"{each['version']} ({each['commit'] or 'no commit'})" for each in used})
        seeds = sorted({each["seed"] for each in used})
        starts = max((each["start"] for each in used), default=0) + 1
        alone = [each for each in used if each["ratio"] < 1 and each.get("unlabeled_used") is False]
        fallen = f" In {len(alone)} cells a model fell back to the labels alone." if alone else ""
        lacking = f" **{self.lacking} cells are still to be measured.**" if self.lacking else ""
        begun = f", {starts} starts of what begins at random" if starts > 1 else ""
        return (
            f"{len(used)} cells, {len(seeds)} splits{begun}; "
            f"plsa {', '.join(versions)}; {datetime.date.today().isoformat()}.{fallen}{lacking}"
        )


# --- numbers -------------------------------------------------------------------------------------


def spread(values: dict[int, float], digits: int = 1) -> str:
    """ "66.2 ±0.9": mean and standard deviation over the splits; fewer than all are counted in brackets."""
    if not values:
        return "-"
    each = list(values.values())
    shown = f"{np.mean(each):.{digits}f}"
    if len(each) > 1:
        shown += f" ±{np.std(each, ddof=1):.{digits}f}"
    return shown if len(each) == len(splits.SEEDS) else f"{shown} ({len(each)})"


def better(these: dict[int, float], those: dict[int, float], lower: bool = False) -> bool:
    """Whether these are better than those by a paired t-test over the splits that both have."""
    both = sorted(these.keys() & those.keys())
    if len(both) < _LEAST_SPLITS:
        return False
    a, b = (np.array([each[seed] for seed in both]) for each in (these, those))
    if (a.mean() >= b.mean()) if lower else (a.mean() <= b.mean()):
        return False
    # Where every split gains as much to the last bit there is no variance to test.
    return bool(np.ptp(a - b) == 0 or stats.ttest_rel(a, b).pvalue < LEVEL)


def column(group: Sequence[dict[int, float]], digits: int = 1, lower: bool = False) -> list[str]:
    """One column of a table, the one in bold that is better than all others of the group."""
    shown = [spread(values, digits) for values in group]
    present = [place for place, values in enumerate(group) if values]
    for place in present:
        others = [group[other] for other in present if other != place]
        if others and all(better(group[place], other, lower) for other in others):
            shown[place] = f"**{shown[place]}**"
    return shown


def percent(ratio: float) -> str:
    """0.003 as "0.3%"."""
    return f"{100 * ratio:g}%"


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


# --- the command line ----------------------------------------------------------------------------


def main(
    name: str,
    description: str | None,
    wanted: Callable[[Iterable[int], int], Iterable[Cell]],
    tell: Callable[[Measured, Path], list[str]],
    arguments: list[str] | None = None,
) -> None:
    """The command line of one table.

    `wanted(seeds, starts)` are its cells; `tell(measured, folder)` are the paragraphs of its report, and
    draws its pictures into the folder.
    """
    title, _, rest = (description or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog=f"python -m bench.papers.{name}",
        description=description,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--run", action="store_true", help="measure the cells that are missing first")
    parser.add_argument(
        "--results", type=Path, default=run.CELLS.parent, help="folder for table and picture; results/papers"
    )
    run.add_options(parser)
    options = parser.parse_args(arguments)
    cells = list(wanted(options.seeds, options.starts))
    results = run.read(options.cells)
    lacking = run.missing(cells, results)
    if options.run and lacking:
        report.say(f"{len(lacking)} of {len(cells)} cells are to be measured")
        run.run(lacking, run.folders(options), options.processes, options.cells)
        results, lacking = run.read(options.cells), []
    elif lacking:
        report.say(f"{len(lacking)} of {len(cells)} cells are missing; --run measures them")
    absent = set(lacking)
    measured = Measured({cell: results[cell] for cell in cells if cell not in absent}, len(absent))
    options.results.mkdir(parents=True, exist_ok=True)
    paragraphs = tell(measured, options.results)
    text = "\n\n".join(part for part in [f"# {title}", rest.strip(), *paragraphs, measured.origin()] if part)
    print(text)
    (options.results / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    report.say(f"written: {name}.md")
