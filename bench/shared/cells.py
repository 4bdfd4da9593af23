"""The cell engine: what is measured, what was measured, and the command line of every experiment.

A cell is one learner in one setting on one trial from one start. An experiment is a module, run as ``python
-m``, with

* `wanted(options)`, its cells in the order of measuring;
* `settings(cell)`, all that decides the result, as text;
* `measure(cell)`, what was found: the facts that the tables read, among them an accuracy, or what the module
  calls its `MEASURE`;
* `tell(measured, folder)`, the paragraphs of the report; it draws its pictures into the folder;
* `add_options(parser)` where it has options of its own, and `TRIALS_ARE` where the report is to count its
  trials, by that name.

Modules that share their cells name the module of `settings`, `measure` and the rest as `CELLS`; one whose
cells have a file of their own names that as `FILE`.

A report is made of the cells that are there. One is missing where there is none with the settings that the
module has now; ``--run`` measures what is missing, ``--run --again`` everything, which is needed when an
estimator changed and its settings did not. The results of a paper are one file, `FILE`. A run adds a line a
cell to a file of its own and packs it in at its end; one that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import warnings
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

import plsa
from bench.shared import report

FILE = "cells.jsonl.gz"
_UNFINISHED = ".unfinished.jsonl"


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured: its place in the file of results."""

    experiment: str  # whose cell it is: as a rule a module
    task: str
    setting: str
    learner: str
    labels: float  # labeled documents in all, their share, or what the experiment counts
    trial: int
    start: int = 0

    def __str__(self) -> str:
        return (
            f"{self.task} {self.setting} {self.learner} {self.labels:g} labels trial {self.trial} "
            f"start {self.start}"
        )


Results = dict[Cell, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The cells of an experiment that are there."""

    results: Results
    lacking: int

    def found(self, **which: Any) -> list[dict[str, Any]]:
        """The results of the cells whose fields are these."""
        return [
            result
            for cell, result in self.results.items()
            if all(getattr(cell, field) == value for field, value in which.items())
        ]

    def values(self, what: str = "accuracy", scale: float = 100.0, **which: Any) -> dict[int, float]:
        """Trial -> what was measured, in percent unless said otherwise, as the mean over the starts."""
        found: dict[int, list[float]] = {}
        for result in self.found(**which):
            if result.get(what) is not None:
                found.setdefault(result["trial"], []).append(scale * result[what])
        return {trial: float(np.mean(each)) for trial, each in sorted(found.items())}

    def trials(self) -> int:
        """How many trials there are."""
        return len({cell.trial for cell in self.results})

    def origin(self, trials_are: str | None) -> str:
        """How many cells these are, of which versions, and how many are missing."""
        used = self.results.values()
        versions = sorted({f"{each['version']} ({each['commit'] or 'no commit'})" for each in used})
        counted = f", {self.trials()} {trials_are}" if trials_are else ""
        alone = sum("fell_back" in each for each in used)
        return (
            f"{len(used)} cells{counted}; plsa {', '.join(versions) or plsa.__version__}; "
            f"{datetime.date.today().isoformat()}."
            + (f" In {alone} cells a model fell back to the labels alone." if alone else "")
            + (f" **{self.lacking} cells are still to be measured.**" if self.lacking else "")
        )


# --- measuring -----------------------------------------------------------------------------------


def _attempt(owner: str, cell: Cell) -> tuple[Cell, dict[str, Any] | Exception, str]:
    """A cell, its result by the module of this name on one thread or why there is none, and a remark."""
    module = import_module(owner)
    try:
        with threadpool_limits(1), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            began = perf_counter()
            facts = module.measure(cell)
            seconds = perf_counter() - began
    except (FileNotFoundError, KeyboardInterrupt):
        raise
    except Exception as error:
        return cell, error, ""
    origin = {"settings": module.settings(cell), "version": plsa.__version__, "commit": _commit()}
    known = {name: fact for name, fact in facts.items() if fact is not None}
    said = "; ".join(sorted({str(each.message).splitlines()[0] for each in warned}))
    return (
        cell,
        {**asdict(cell), **known, **origin},
        f"in {seconds:.1f} s" + (f", warned: {said}" if said else ""),
    )


def _measure(owner: Any, wanted: Sequence[Cell], processes: int, path: Path) -> None:
    """Measures cells and appends each as it is done. Those that fail are named at the end."""
    what = getattr(owner, "MEASURE", "accuracy")
    pool = joblib.Parallel(n_jobs=processes, return_as="generator_unordered", batch_size=1)
    attempts = pool(joblib.delayed(_attempt)(owner.__name__, cell) for cell in wanted)
    failed = []
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for done, (cell, result, remark) in enumerate(attempts, 1):
            if isinstance(result, Exception):
                failed.append(cell)
                said = f"FAILED: {type(result).__name__}: {result}"
            else:
                file.write(json.dumps(result) + "\n")
                file.flush()
                said = f"{100 * result[what]:.1f}% {remark}"
            report.say(f"{done}/{len(wanted)} {cell}: {said}")
    if failed:
        raise SystemExit(f"{len(failed)} cells failed: {'; '.join(map(str, failed[:10]))}")


@cache
def _commit() -> str | None:
    """The commit that is checked out, marked where files differ from it; None outside of a repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    here = Path(__file__).resolve().parent
    try:
        said = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()


# --- the file of results -------------------------------------------------------------------------


def read(path: Path) -> Results:
    """What was measured: what is packed and what runs left beside it; the last line of a cell counts."""
    lines = report.unpacked(path) if path.is_file() else []
    for left in sorted(path.parent.glob(f"*{_UNFINISHED}")):
        lines += map(json.loads, left.read_text(encoding="utf-8").splitlines())
    return {Cell(*(line[name] for name in Cell.__slots__)): line for line in lines}


def pack(path: Path, unfinished: Path) -> None:
    """Adds the lines of a run to the packed ones, each cell once, in order."""
    if unfinished.is_file():
        results = read(path)
        report.write(path, report.packed(results[cell] for cell in sorted(results, key=astuple)))
        unfinished.unlink()


def _valid(owner: Any, cells: Sequence[Cell], results: Results) -> Results:
    """The results of these cells that were measured with the settings of now."""
    return {
        cell: results[cell]
        for cell in cells
        if cell in results and results[cell]["settings"] == owner.settings(cell)
    }


# --- the command line ----------------------------------------------------------------------------


def main(name: str, arguments: list[str] | None = None) -> None:
    """The command line of an experiment, the module of this name; its docstring is the head of the report."""
    # Processes that are started anew read this before NumPy does.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    module = import_module(name)
    owner = getattr(module, "CELLS", module)
    _, *where, paper, experiment = name.split(".")
    folder = report.RESULTS.joinpath(*where, paper)
    parser = argparse.ArgumentParser(
        prog=f"python -m {name}", description=module.__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--run", action="store_true", help="measure the cells that are missing first")
    parser.add_argument("--again", action="store_true", help="with --run: also what was measured before")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="FIELD=VALUE",
        help=f"with --run: only cells with, say, task=webkb;\nfields: {', '.join(Cell.__slots__)}",
    )
    parser.add_argument("--processes", type=int, default=1, help="cells measured at a time; 1")
    file = getattr(owner, "FILE", FILE)
    parser.add_argument("--cells", type=Path, default=folder / file, help=f"file of results; {file}")
    parser.add_argument(
        "--results", type=Path, default=folder, help="folder for the report; that of the paper"
    )
    parser.add_argument("--data", help="folder of the corpora; PLSA_DATA, else ../shared/data")
    parser.add_argument("--protocol", help="folder with splits/; PLSA_PROTOCOL, else ../shared/protocol")
    if hasattr(owner, "add_options"):
        owner.add_options(parser)
    options = parser.parse_args(arguments)
    if any(each.partition("=")[0] not in Cell.__slots__ for each in options.only):
        parser.error(f"--only takes FIELD=VALUE; the fields are {', '.join(Cell.__slots__)}")
    for variable, given in (("PLSA_DATA", options.data), ("PLSA_PROTOCOL", options.protocol)):
        if given:
            os.environ[variable] = given
    wanted = list(dict.fromkeys(module.wanted(options)))
    results = _valid(owner, wanted, read(options.cells))
    missing = [cell for cell in wanted if cell not in results or (options.run and options.again)]
    if options.run:
        only = [each.split("=", 1) for each in options.only]
        chosen = [
            cell for cell in missing if all(str(getattr(cell, field)) == value for field, value in only)
        ]
        report.say(f"{len(chosen)} of {len(wanted)} cells are to be measured")
        unfinished = options.cells.with_name(experiment + _UNFINISHED)
        try:
            _measure(owner, chosen, options.processes, unfinished)
        except FileNotFoundError as error:
            raise SystemExit(f"{experiment}: {error}") from None
        finally:
            pack(options.cells, unfinished)
        results = _valid(owner, wanted, read(options.cells))
    elif missing:
        report.say(f"{len(missing)} of {len(wanted)} cells are missing; --run measures them")
    measured = Measured(results, len(wanted) - len(results))
    options.results.mkdir(parents=True, exist_ok=True)
    title, _, rest = module.__doc__.partition("\n")
    origin = measured.origin(getattr(owner, "TRIALS_ARE", None))
    paragraphs = [f"# {title}", rest.strip(), *module.tell(measured, options.results), origin]
    text = "\n\n".join(part for part in paragraphs if part)
    print(text)
    report.write(options.results / f"{experiment}.md", text + "\n")
    report.say(f"written: {experiment}.md")
