"""Cells, what was measured of them, and the command line that the experiments share.

A cell is one learner in one setting on one trial from one start. Each is one line of ``cells.jsonl`` in the
folder of its paper's results, appended as it is measured: a run that was stopped goes on where it was. A cell
counts as missing where it was measured with other settings than the module has now; ``--again`` measures all
of them anew, which is needed when the estimator changed and the settings did not.

An experiment is a module in the package of its paper, with `wanted(options)`, its cells in the order of
measuring; `settings(cell)`, what the module decides of the result, as text; `measure(cell, data)`, what was
found, with at least an accuracy, or what the module calls its `MEASURE`; `tell(measured, folder)`, the
paragraphs of the report, which draws pictures into the folder; and `add_options(parser)` where it has options
of its own.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
from scipy.stats import wilcoxon
from threadpoolctl import threadpool_limits

import plsa
from bench import report
from bench.papers import run

FILE = "cells.jsonl"


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured: its place in the file of results."""

    experiment: str  # the module
    task: str
    setting: str
    learner: str
    labels: int  # labelled documents in all, or what the experiment counts
    trial: int
    start: int = 0

    def __str__(self) -> str:
        return (
            f"{self.task} {self.setting} {self.learner} {self.labels} labels trial {self.trial} "
            f"start {self.start}"
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """The cells of an experiment that are there."""

    results: dict[Cell, dict[str, Any]]
    lacking: int

    def found(self, **which: Any) -> list[dict[str, Any]]:
        """The lines of the cells whose fields are these."""
        return [
            result
            for cell, result in self.results.items()
            if all(getattr(cell, field) == value for field, value in which.items())
        ]

    def values(self, what: str = "accuracy", scale: float = 100.0, **which: Any) -> dict[int, float]:
        """Trial -> what was measured, in per cent unless said otherwise, as the mean over the starts."""
        found: dict[int, list[float]] = {}
        for result in self.found(**which):
            found.setdefault(result["trial"], []).append(scale * result[what])
        return {trial: float(np.mean(each)) for trial, each in sorted(found.items())}

    def origin(self) -> str:
        """Which versions the cells come from, and how many are missing."""
        used = self.results.values()
        versions = sorted({f"{each['version']} ({each['commit'] or 'no commit'})" for each in used})
        lacking = f" **{self.lacking} cells are still to be measured.**" if self.lacking else ""
        return (
            f"{len(used)} cells; plsa {', '.join(versions) or plsa.__version__}; "
            f"{datetime.date.today().isoformat()}.{lacking}"
        )


# --- measuring -----------------------------------------------------------------------------------


def _attempt(name: str, cell: Cell, data: str | None) -> tuple[Cell, dict[str, Any] | Exception]:
    """The line of a cell, measured on one thread by the module of this name; or why there is none."""
    module = import_module(name)
    try:
        with threadpool_limits(1), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            began = perf_counter()
            facts = module.measure(cell, data)
            seconds = round(perf_counter() - began, 3)
    except (FileNotFoundError, KeyboardInterrupt):
        raise
    except Exception as error:
        return cell, error
    result = {
        **asdict(cell),
        **facts,
        "seconds": seconds,
        "settings": module.settings(cell),
        "version": plsa.__version__,
        "commit": run._commit(),
    }
    if warned:
        result["warnings"] = sorted({str(each.message).splitlines()[0] for each in warned})
    return cell, result


def measure(module: Any, wanted: Sequence[Cell], data: str | None, processes: int, path: Path) -> None:
    """Measures cells and appends each as it is done. Those that fail are named at the end."""
    pool = joblib.Parallel(n_jobs=processes, return_as="generator_unordered", batch_size=1)
    attempts = pool(joblib.delayed(_attempt)(module.__name__, cell, data) for cell in wanted)
    what = getattr(module, "MEASURE", "accuracy")
    run.append(
        attempts,
        len(wanted),
        path,
        lambda result: f"{100 * result[what]:.1f}% in {result['seconds']:.1f} s",
    )


# --- the file of results -------------------------------------------------------------------------


def read(path: Path) -> dict[Cell, dict[str, Any]]:
    """What was measured; the last line of a cell counts."""
    return {Cell(*(line[name] for name in Cell.__slots__)): line for line in _lines(path)}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _valid(
    module: Any, cells: Iterable[Cell], results: dict[Cell, dict[str, Any]]
) -> dict[Cell, dict[str, Any]]:
    """The results of these cells that were measured with the settings of now."""
    return {
        cell: results[cell]
        for cell in cells
        if cell in results and results[cell]["settings"] == module.settings(cell)
    }


# --- numbers -------------------------------------------------------------------------------------


def spread(values: dict[int, float]) -> str:
    """ "66.2 ±0.9": mean and standard deviation over the trials; a lone trial has none."""
    if not values:
        return "-"
    each = list(values.values())
    return f"{np.mean(each):.1f}" + (f" ±{np.std(each, ddof=1):.1f}" if len(each) > 1 else "")


def p_value(ours: dict[int, float], theirs: dict[int, float]) -> float | None:
    """Of Wilcoxon's signed-rank test over the trials of both, two-sided; None with fewer than six."""
    difference = [ours[trial] - theirs[trial] for trial in sorted(ours.keys() & theirs.keys())]
    return None if len(difference) < 6 or not any(difference) else float(wilcoxon(difference).pvalue)


def shown_p(p: float | None, none: str = "-") -> str:
    """A p-value to four digits."""
    return none if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def correlation(x: Sequence[float], y: Sequence[float]) -> str:
    """Pearson's r to four digits; a dash where there are fewer than three points."""
    return f"{np.corrcoef(x, y)[0, 1]:.4f}" if len(x) > 2 else "-"


def reached(what: str, mean: float | None, target: float) -> list[str]:
    """A row of a table of targets."""
    met = None if mean is None else mean >= target
    return [what, "-" if mean is None else f"{mean:.1f}", f"{target:g}", report.verdict(met)]


# --- the command line ----------------------------------------------------------------------------


def main(paper: str, experiment: str, arguments: list[str] | None = None) -> None:
    """The command line of one experiment, whose module's docstring is the head of its report.

    `paper` is the package of the module and the folder of its results.
    """
    # Processes that are started anew read this before NumPy does.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    module = import_module(f"{__package__}.{paper}.{experiment}")
    folder = report.RESULTS / "papers" / paper
    title, _, rest = module.__doc__.partition("\n")
    parser = argparse.ArgumentParser(
        prog=f"python -m {module.__name__}",
        description=module.__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--run", action="store_true", help="measure the cells that are missing first")
    parser.add_argument("--again", action="store_true", help="with --run: also what was measured before")
    parser.add_argument("--processes", type=int, default=1, help="cells measured at a time; 1")
    parser.add_argument("--cells", type=Path, default=folder / FILE, help=f"file of results; {FILE}")
    parser.add_argument(
        "--results", type=Path, default=folder, help=f"folder for the report; results/papers/{paper}"
    )
    parser.add_argument("--data", help="folder of the corpora; PLSA_DATA, else ../shared/data")
    if hasattr(module, "add_options"):
        module.add_options(parser)
    options = parser.parse_args(arguments)
    wanted = list(dict.fromkeys(module.wanted(options)))
    results = _valid(module, wanted, read(options.cells))
    missing = [cell for cell in wanted if cell not in results or (options.run and options.again)]
    if options.run and missing:
        report.say(f"{len(missing)} of {len(wanted)} cells are to be measured")
        measure(module, missing, options.data, options.processes, options.cells)
        results = _valid(module, wanted, read(options.cells))
    elif missing:
        report.say(f"{len(missing)} of {len(wanted)} cells are missing; --run measures them")
    measured = Measured(results, len(wanted) - len(results))
    options.results.mkdir(parents=True, exist_ok=True)
    paragraphs = [f"# {title}", rest.strip(), *module.tell(measured, options.results), measured.origin()]
    text = "\n\n".join(part for part in paragraphs if part)
    print(text)
    (options.results / f"{experiment}.md").write_text(text + "\n", encoding="utf-8")
    report.say(f"written: {experiment}.md")
