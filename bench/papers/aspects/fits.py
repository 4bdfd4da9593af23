"""Measures cells: one learner on one split of one corpus at one ratio of labels from one start.

``python -m bench.papers.run --corpus webkb --ratio 0.01 --learner nb soft`` measures them and appends one
JSON object a cell to ``bench/results/papers/cells.jsonl``. A cell that is there, by a learner of the same
settings, is not measured again (``--again`` does): a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import f1_score
from threadpoolctl import threadpool_limits

import plsa
from bench import report
from bench.papers import splits
from bench.papers.learners import learner, names

CELLS = report.RESULTS / "papers" / "cells.jsonl"
STARTS = 1
BINS = 15
_LEAST_PROBABILITY = 1e-15


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What is measured: its place in the file of results."""

    corpus: str
    seed: int
    ratio: float
    learner: str
    start: int = 0


@dataclass(frozen=True, slots=True)
class Folders:
    """Where documents and splits are looked for; None: where the environment or the default says."""

    data: str | None = None
    protocol: str | None = None


# --- measuring -----------------------------------------------------------------------------------


def measure(cell: Cell, folders: Folders) -> dict[str, Any]:
    """A fit on the training part and what it makes of the test part, on one thread."""
    split = splits.load(cell.corpus, cell.seed, folders.data, folders.protocol)
    X, y = split.training(cell.ratio)
    new, true = split.testing()
    estimator = learner(cell.learner).make(cell.corpus, cell.start)
    settings = _settings(cell)
    with threadpool_limits(1), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        began = perf_counter()
        estimator.fit(X, y)
        fitted = perf_counter()
        found = np.asarray(estimator.predict(new))
        predicted = perf_counter()
        probabilities = estimator.predict_proba(new) if hasattr(estimator, "predict_proba") else None
    result = {
        **asdict(cell),
        "accuracy": float(np.mean(found == true)),
        "macro_f1": float(f1_score(true, found, average="macro", zero_division=0)),
        "log_loss": None,
        "calibration_error": None,
        "fit_seconds": round(fitted - began, 3),
        "predict_seconds": round(predicted - fitted, 3),
        "labelled": int(np.sum(y != splits.UNLABELLED)),
        "settings": settings,
        "version": plsa.__version__,
        "commit": _commit(),
    }
    if probabilities is not None:
        column = np.searchsorted(estimator.classes_, true)
        result["log_loss"] = log_loss(probabilities, column)
        result["calibration_error"] = calibration_error(probabilities, column)
    for fact in ("n_iter_", "stop_reason_", "unlabeled_used_"):
        if hasattr(estimator, fact):
            result[fact.rstrip("_")] = np.asarray(getattr(estimator, fact)).tolist()
    if warned:
        result["warnings"] = sorted({str(each.message).splitlines()[0] for each in warned})
    return result


def log_loss(probabilities: np.ndarray, true: np.ndarray) -> float:
    """Mean of -log P(true class), in nats; no probability counts as less than 1e-15."""
    given = probabilities[np.arange(len(true)), true]
    return float(-np.log(np.maximum(given, _LEAST_PROBABILITY)).mean())


def calibration_error(probabilities: np.ndarray, true: np.ndarray) -> float:
    """Expected calibration error: |accuracy - mean top probability| over 15 bins of equal width."""
    top = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == true
    place = np.clip(np.ceil(top * BINS).astype(int) - 1, 0, BINS - 1)
    gap = np.bincount(place, right, BINS) - np.bincount(place, top, BINS)
    return float(np.abs(gap).sum() / len(top))


@cache
def _commit() -> str | None:
    """The commit that is checked out, marked where files differ from it; None outside of a repository."""
    here = Path(__file__).resolve().parent
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()


def _settings(cell: Cell) -> str:
    """The learner as scikit-learn prints it: what differs from its constructor's defaults."""
    return " ".join(repr(learner(cell.learner).make(cell.corpus, cell.start)).split())


# --- the file of results -------------------------------------------------------------------------


def read(path: Path = CELLS) -> dict[Cell, dict[str, Any]]:
    """What was measured; the last line of a cell counts."""
    found = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            result = json.loads(line)
            found[Cell(*(result[name] for name in Cell.__slots__))] = result
    return found


def missing(cells: Iterable[Cell], results: dict[Cell, dict[str, Any]]) -> list[Cell]:
    """The cells that are not there, or were measured with other settings; in order, each once."""
    return [
        cell
        for cell in sorted(set(cells))
        if cell not in results or results[cell]["settings"] != _settings(cell)
    ]


def cells(
    corpora: Iterable[str],
    ratios: Iterable[float],
    learners: Iterable[str],
    seeds: Iterable[int] = splits.SEEDS,
    starts: int = STARTS,
) -> Iterator[Cell]:
    """Every cell of these. Learners that do not begin at random have one start."""
    for corpus, seed, ratio, name in product(corpora, seeds, ratios, learners):
        for start in range(starts if learner(name).random else 1):
            yield Cell(corpus, seed, ratio, name, start)


def run(wanted: Iterable[Cell], folders: Folders, processes: int = 1, path: Path = CELLS) -> None:
    """Measures cells and appends each as it is done. Those that fail are named at the end."""
    wanted = list(wanted)

    def told(result: dict[str, Any]) -> str:
        seconds = result["fit_seconds"] + result["predict_seconds"]
        return f"{100 * result['accuracy']:.1f}% in {seconds:.1f} s"

    append(_measured(wanted, folders, processes), len(wanted), path, told, _shown)


def append(
    attempts: Iterable[tuple[Any, dict[str, Any] | Exception]],
    number: int,
    path: Path,
    told: Callable[[dict[str, Any]], str],
    shown: Callable[[Any], str] = str,
) -> None:
    """Appends the line of each cell as it comes, and says so. Those that fail are named at the end."""
    failed = []
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for done, (cell, result) in enumerate(attempts, 1):
            if isinstance(result, Exception):
                failed.append(cell)
                said = f"FAILED: {type(result).__name__}: {result}"
            else:
                file.write(json.dumps(result) + "\n")
                file.flush()
                said = told(result)
            report.say(f"{done}/{number} {shown(cell)}: {said}")
    if failed:
        raise SystemExit(f"{len(failed)} cells failed: {'; '.join(map(shown, failed[:10]))}")


def _measured(
    wanted: list[Cell], folders: Folders, processes: int
) -> Iterator[tuple[Cell, dict[str, Any] | Exception]]:
    if processes == 1:
        for cell in wanted:
            yield cell, _attempt(cell, folders)
        return
    # Not forked: OpenMP does not survive that.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        futures = {pool.submit(_attempt, cell, folders): cell for cell in wanted}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _attempt(cell: Cell, folders: Folders) -> dict[str, Any] | Exception:
    try:
        return measure(cell, folders)
    except (FileNotFoundError, KeyboardInterrupt):
        raise
    except Exception as error:
        return error


def _shown(cell: Cell) -> str:
    return f"{cell.corpus} split {cell.seed} {100 * cell.ratio:g}% {cell.learner} start {cell.start}"


# --- the command line ----------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of everything that measures cells."""
    parser.add_argument("--seeds", type=int, nargs="+", default=list(splits.SEEDS), help="splits; all five")
    parser.add_argument(
        "--starts", type=int, default=STARTS, help=f"random starts of the papers' settings; {STARTS}"
    )
    parser.add_argument("--processes", type=int, default=1, help="cells measured at a time; 1")
    parser.add_argument("--cells", type=Path, default=CELLS, help="file of results; cells.jsonl")
    parser.add_argument("--data", help="folder of the corpora; PLSA_DATA, else ../shared/data")
    parser.add_argument("--protocol", help="folder with splits/; PLSA_PROTOCOL, else ../shared/protocol")


def folders(options: argparse.Namespace) -> Folders:
    """Where the options say that things are."""
    return Folders(options.data, options.protocol)


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers.run", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpus", nargs="+", choices=splits.CORPORA, default=list(splits.CORPORA))
    parser.add_argument(
        "--ratio", type=float, nargs="+", choices=splits.RATIOS, default=list(splits.RATIOS), metavar="RATIO"
    )
    parser.add_argument(
        "--learner", nargs="+", default=names(), metavar="NAME", help=f"of {', '.join(names())}; all"
    )
    parser.add_argument("--again", action="store_true", help="measure also what was measured before")
    add_options(parser)
    options = parser.parse_args(arguments)
    for name in options.learner:
        learner(name)
    wanted = sorted(cells(options.corpus, options.ratio, options.learner, options.seeds, options.starts))
    if not options.again:
        there = len(wanted)
        wanted = missing(wanted, read(options.cells))
        report.say(f"{len(wanted)} of {there} cells are to be measured")
    run(wanted, folders(options), options.processes, options.cells)


if __name__ == "__main__":
    # Processes that are started anew read this before NumPy does.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
