"""What every benchmark needs to tell its story: the machine, a table, a record that survives.

Results go into ``bench/results`` as ``<name>.md`` for people and ``<name>.json`` for programs. A run
under way keeps what it has measured in ``<name>.unfinished.json``, saved after every measurement,
so that a long run that was stopped goes on with ``--resume``.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
_BEGAN = perf_counter()


def say(message: str) -> None:
    """One line of progress on standard error, with the seconds since the start."""
    print(f"[{perf_counter() - _BEGAN:7.1f} s] {message}", file=sys.stderr, flush=True)


# --- where it ran --------------------------------------------------------------------------------


def machine() -> dict[str, str]:
    """What the figures depend on, as far as the system tells; nothing that names a person or place."""
    found = {"processor": _processor(), "cores": str(_cores())}
    if caches := _caches():
        found["caches"] = caches
    with contextlib.suppress(ValueError, OSError, AttributeError):
        held = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        found["memory"] = f"{held / 2**30:.0f} GiB"
    found["system"] = f"{platform.system()} {platform.release()} {platform.machine()}"
    found["compiler"] = compiler_version()
    return found


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        facts: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            facts.setdefault(name.strip(), value.strip())
        if "model name" in facts:
            return (
                f"{facts['model name']} (family {facts.get('cpu family', '?')}, "
                f"model {facts.get('model', '?')})"
            )
    return platform.processor() or platform.machine()


def _caches() -> str:
    sizes = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        with contextlib.suppress(OSError):
            kind = (folder / "type").read_text().strip()
            level = (folder / "level").read_text().strip()
            letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
            sizes[f"L{level}{letter}"] = (folder / "size").read_text().strip()
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


def compiler_version() -> str:
    """The first line of what `cc` says of itself."""
    try:
        said = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "no cc"
    return said.stdout.splitlines()[0]


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """The installed version of each distribution, or that it is missing."""
    found = {"python": platform.python_version()}
    for name in distributions:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def load() -> str:
    """How busy the machine has been in the last minute: 1.0 is this run alone."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (OSError, AttributeError):
        return "unknown"


# --- words and tables ----------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, padded so that it also reads well unrendered; the first column is text."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(header))]

    def shown(cells: Sequence[str]) -> str:
        sides = [str.ljust] + [str.rjust] * (len(cells) - 1)
        return (
            "| "
            + " | ".join(side(cell, width) for side, cell, width in zip(sides, cells, widths, strict=True))
            + " |"
        )

    rule = "|".join(
        "-" * (width + 2) if column == 0 else "-" * (width + 1) + ":" for column, width in enumerate(widths)
    )
    return "\n".join([shown(lines[0]), f"|{rule}|", *map(shown, lines[1:])])


def number(value: float, digits: int = 3) -> str:
    """A number to `digits` significant digits, never in powers of ten."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:,.{max(0, digits - whole)}f}"


def best_and_worst(values: Iterable[float], scale: float = 1.0, digits: int = 3) -> str:
    """ "41.2 (47.9)": the smallest and, in brackets, the largest."""
    values = [value * scale for value in values]
    return f"{number(min(values), digits)} ({number(max(values), digits)})"


def verdict(met: bool | None) -> str:
    """The last column of a table of targets."""
    return {True: "met", False: "NOT met", None: "not measured"}[met]


def heading(title: str, question: str, settings: dict[str, Any], facts: dict[str, Any]) -> str:
    """The top of a result: what was asked, where and with what it was answered."""
    lines = [f"# {title}", "", question, ""]
    lines.append(f"Date: {facts['date']}. Load when it began: {facts['load']}.")
    lines.append("")
    lines += [f"* {name}: {value}" for name, value in facts["machine"].items()]
    lines.append("* versions: " + ", ".join(f"{k} {v}" for k, v in facts["versions"].items()))
    lines.append("* settings: " + ", ".join(f"{k} {v}" for k, v in settings.items()))
    return "\n".join(lines)


# --- a record of what was measured ---------------------------------------------------------------


class Record:
    """Named measurements, saved one by one; the same settings, machine and versions go on with it."""

    def __init__(
        self,
        name: str,
        folder: Path,
        settings: dict[str, Any],
        distributions: Iterable[str],
        resume: bool,
    ) -> None:
        self.name = name
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._unfinished = folder / f"{name}.unfinished.json"
        fresh: dict[str, Any] = {
            "settings": settings,
            "machine": machine(),
            "versions": versions(distributions),
            "date": datetime.date.today().isoformat(),
            "load": load(),
            "measured": {},
        }
        self.facts = fresh
        if resume:
            if not self._unfinished.is_file():
                say(f"there is no unfinished run of {name} to go on with: a new one begins")
                return
            kept = json.loads(self._unfinished.read_text(encoding="utf-8"))
            # As JSON has it: tuples become lists, keys strings.
            asked = json.loads(json.dumps(fresh))
            for part in ("settings", "machine", "versions"):
                if kept[part] != asked[part]:
                    raise SystemExit(
                        f"the unfinished run of {name} has other {part} ({kept[part]}) than this one "
                        f"({asked[part]}); run without --resume to begin anew"
                    )
            self.facts = kept
            say(f"going on with {len(kept['measured'])} measurements of {kept['date']}")

    def measured(self, key: str, measure: Callable[[], Any]) -> Any:
        """The measurement of this name: that of the unfinished run, or a new one, then saved."""
        done = self.facts["measured"]
        if key not in done:
            done[key] = json.loads(json.dumps(measure()))
            _write(self._unfinished, json.dumps(self.facts, indent=1))
        return done[key]

    def finish(self, text: str) -> None:
        """Prints the report and keeps it: the Markdown, and the figures as JSON."""
        print(text, flush=True)
        _write(self.folder / f"{self.name}.md", text + "\n")
        _write(self.folder / f"{self.name}.json", json.dumps(self.facts, indent=1) + "\n")
        self._unfinished.unlink(missing_ok=True)
        say(f"written: {self.name}.md and {self.name}.json in {_shown(self.folder)}")


def _write(path: Path, text: str) -> None:
    """All of it or nothing: a run that is stopped leaves no half file."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)


def _shown(folder: Path) -> str:
    with contextlib.suppress(ValueError):
        return str(folder.relative_to(Path.cwd()))
    return str(folder)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every benchmark has."""
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument(
        "--results",
        type=Path,
        help="folder for the results; bench/results, or bench/results/quick for a --quick run",
    )


def add_pass_options(parser: argparse.ArgumentParser) -> None:
    """Those of a benchmark of passes, which reads a corpus and lets all ways take turns."""
    parser.add_argument("--data", help="folder of the corpora; else PLSA_DATA, else ../shared/data")
    parser.add_argument("--repeats", type=int, help="turns that each way takes (5; quick: 2)")
    parser.add_argument("--quick", action="store_true", help="a trial, not a measurement")
    add_options(parser)


def folder(options: argparse.Namespace) -> Path:
    """Where results go: a quick run never overwrites a full one."""
    if options.results is not None:
        return options.results
    return RESULTS / "quick" if options.quick else RESULTS


def measured_apart(script: str, *arguments: str) -> dict[str, Any]:
    """What a run of a benchmark in a process of its own prints, which is one JSON object.

    In a process of its own the peak of memory is that of the measurement, whatever ran before.
    """
    command = [sys.executable, script, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        why = {-9: ": the machine ran out of memory, or someone ended it", -11: ": it crashed"}
        raise RuntimeError(
            f"{Path(script).name} {' '.join(arguments)} ended with {done.returncode}"
            + why.get(done.returncode, "")
            + ". What was measured before is kept: --resume goes on with it"
        )
    return json.loads(done.stdout.splitlines()[-1])


# --- figures -------------------------------------------------------------------------------------

INK = "#222222"
MUTED = "#767676"
OURS = "#c8321e"
COLOURS = ("#2b6ca3", "#3a8f5c", "#8a5fa8", "#b07d1a", "#4f9fb0", "#777777")


def figure(width: float, height: float, panels: int = 1) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, drawn without a screen and without clutter."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "font.size": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": MUTED,
            "axes.labelcolor": INK,
            "axes.titlecolor": INK,
            "axes.titlelocation": "left",
            "axes.titlesize": 12,
            "xtick.color": MUTED,
            "ytick.color": MUTED,
            "text.color": INK,
        }
    )
    made, axes = pyplot.subplots(1, panels, figsize=(width, height), squeeze=False)
    return made, list(axes[0])


def legend_below(made: Any, axes: Any, columns: int = 4) -> None:
    """One legend for all panels, under them, from what one of them shows."""
    handles, labels = axes.get_legend_handles_labels()
    made.legend(handles, labels, loc="lower center", ncols=columns, fontsize=9, frameon=False)
    made.tight_layout(rect=(0, 0.1, 1, 1))


def save_figure(made: Any, path: Path) -> None:
    """Writes a PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made.savefig(path, dpi=150, bbox_inches="tight", facecolor="white")
    say(f"drawn: {path.name}")


def label_ends(axes: Any, lines: Sequence[tuple[str, str, float, float]], gap: float) -> None:
    """Names at the right edge, each joined to the end of its line, none over another.

    A line is its label, its colour and the point where it ends; `gap` is the least distance of two
    labels, as a part of the height. To be called when the limits of the axes are final.
    """
    to_axes = axes.transAxes.inverted()
    heights = [to_axes.transform(axes.transData.transform((x, y)))[1] for _, _, x, y in lines]
    for (label, colour, x, y), height in zip(lines, apart(heights, gap, 0.0, 1.0), strict=True):
        joint = {"arrowstyle": "-", "color": colour, "lw": 0.6, "alpha": 0.5}
        axes.annotate(
            label,
            xy=(x, y),
            xytext=(1.03, height),
            textcoords="axes fraction",
            color=colour,
            va="center",
            fontsize=9.5,
            linespacing=0.95,
            annotation_clip=False,
            arrowprops={**joint, "relpos": (0, 0.5), "shrinkB": 4},
        )


def apart(wanted: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Positions for labels near the wanted ones, at least `gap` apart, from `low` up and to `high`.

    Their order is kept. Where there is no room for all of them they go beyond `high`.
    """
    order = sorted(range(len(wanted)), key=lambda each: wanted[each])
    # Labels that touch become one block, which sits at the mean of what its members want.
    blocks: list[list[int]] = []
    for each in order:
        blocks.append([each])
        while len(blocks) > 1 and _bottom(blocks[-1], wanted, gap) < _top(blocks[-2], wanted, gap):
            above = blocks.pop()
            blocks[-1] += above
    placed = [0.0] * len(wanted)
    for block in blocks:
        for rank, each in enumerate(block):
            placed[each] = _bottom(block, wanted, gap) + gap * (rank + 0.5)
    for each in reversed(order):
        placed[each] = high = min(placed[each], high - gap / 2)
        high -= gap / 2
    for each in order:
        placed[each] = low = max(placed[each], low + gap / 2)
        low += gap / 2
    return placed


def _bottom(block: list[int], wanted: Sequence[float], gap: float) -> float:
    return sum(wanted[each] for each in block) / len(block) - gap * len(block) / 2


def _top(block: list[int], wanted: Sequence[float], gap: float) -> float:
    return _bottom(block, wanted, gap) + gap * len(block)
