"""Where a benchmark of speed ran, what it measured, and its command line.

Such a benchmark is a module with `measure(options)`, which returns a full `Record`, and with `tell(facts,
folder)`, the paragraphs of the report, which draws pictures into the folder. ``--run`` measures; without it
the report is made again of what was stored. Results are ``<name>.md`` for people and ``<name>.json.gz`` for
programs. A run under way keeps what it has measured in ``<name>.unfinished.json``, saved after every
measurement, so that a long run that was stopped goes on with ``--resume``.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.shared import corpora
from bench.shared.report import RESULTS, packed, say, unpacked, versions, write

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


def load() -> str:
    """How busy the machine has been in the last minute: 1.0 is this run alone."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (OSError, AttributeError):
        return "unknown"


def heading(title: str, question: str, facts: dict[str, Any]) -> str:
    """The top of a result: what was asked, where and with what it was answered."""
    lines = [f"# {title}", "", question, ""]
    lines.append(f"Date: {facts['date']}. Load when it began: {facts['load']}.")
    lines.append("")
    lines += [f"* {name}: {value}" for name, value in facts["machine"].items()]
    lines.append("* versions: " + ", ".join(f"{k} {v}" for k, v in facts["versions"].items()))
    lines.append("* settings: " + ", ".join(f"{k} {v}" for k, v in facts["settings"].items()))
    return "\n".join(lines)


# --- a record of what was measured ---------------------------------------------------------------


class Record:
    """Named measurements, saved one by one; the same settings, machine and versions go on with it."""

    def __init__(
        self,
        name: str,
        options: argparse.Namespace,
        settings: dict[str, Any],
        distributions: Iterable[str] = ("plsa-learn", "numpy", "scipy"),
    ) -> None:
        self._unfinished = _folder(options) / f"{name}.unfinished.json"
        self.facts: dict[str, Any] = {
            "settings": settings,
            "machine": machine(),
            "versions": {"python": platform.python_version(), **versions(distributions)},
            "date": datetime.date.today().isoformat(),
            "load": load(),
            "measured": {},
        }
        if options.resume:
            if not self._unfinished.is_file():
                say(f"there is no unfinished run of {name} to go on with: a new one begins")
                return
            kept = json.loads(self._unfinished.read_text(encoding="utf-8"))
            # As JSON has it: tuples become lists, keys strings.
            asked = json.loads(json.dumps(self.facts))
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
            self._unfinished.parent.mkdir(parents=True, exist_ok=True)
            write(self._unfinished, json.dumps(self.facts))
        return done[key]

    def finished(self, path: Path) -> None:
        """Keeps what was measured."""
        write(path, packed([self.facts]))
        self._unfinished.unlink(missing_ok=True)


def measured_apart(module: str, *arguments: str) -> dict[str, Any]:
    """What a run of a benchmark in a process of its own prints, which is one JSON object.

    In a process of its own the peak of memory is that of the measurement, whatever ran before.
    """
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        why = {-9: ": the machine ran out of memory, or someone ended it", -11: ": it crashed"}
        raise RuntimeError(
            f"{module} {' '.join(arguments)} ended with {done.returncode}"
            + why.get(done.returncode, "")
            + ". What was measured before is kept: --resume goes on with it"
        )
    return json.loads(done.stdout.splitlines()[-1])


# --- the command line ----------------------------------------------------------------------------


def parser_of(name: str, description: str | None, repeats: str | None = None) -> argparse.ArgumentParser:
    """A command line with the options that every benchmark has, and `--repeats` where that is explained."""
    parser = argparse.ArgumentParser(
        prog=f"python -m bench.speed.{name}", description=(description or "").split("\n\n")[0]
    )
    parser.add_argument(
        "--run", action="store_true", help="measure; else the report is made of what is stored"
    )
    parser.add_argument("--quick", action="store_true", help="a trial run of minutes, not a measurement")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument(
        "--results",
        type=Path,
        help="folder for the results; bench/results/speed, or its quick/ for a --quick run",
    )
    parser.add_argument("--data", help="folder of the corpora; else PLSA_DATA, else ../shared/data")
    if repeats:
        parser.add_argument("--repeats", type=int, help=repeats)
    return parser


def _folder(options: argparse.Namespace) -> Path:
    """Where results go: a quick run never overwrites a full one."""
    if options.results is not None:
        return options.results
    return RESULTS / "speed" / "quick" if options.quick else RESULTS / "speed"


def main(
    name: str,
    parser: argparse.ArgumentParser,
    measure: Callable[[argparse.Namespace], Record],
    tell: Callable[[dict[str, Any], Path], list[str]],
    apart: Callable[[argparse.Namespace], dict[str, Any] | None] | None = None,
) -> dict[str, Any] | None:
    """Measures where it is asked for, makes the report, and returns what it is made of.

    `apart` does what a run asks of itself in another process, and says None where nothing was asked.
    """
    options = parser.parse_args()
    if options.data:
        os.environ["PLSA_DATA"] = options.data
    folder = _folder(options)
    path = folder / f"{name}.json.gz"
    try:
        if apart is not None and (found := apart(options)) is not None:
            print(json.dumps(found))
            return None
        if options.run or options.quick or options.resume:
            measure(options).finished(path)
    except corpora.MissingCorpusError as error:
        raise SystemExit(f"{name}: {error}") from None
    if not path.is_file():
        raise SystemExit(f"{name}: nothing is stored at {path}; --run measures")
    facts = unpacked(path)[0]
    text = "\n\n".join(part for part in tell(facts, folder) if part)
    print(text, flush=True)
    write(folder / f"{name}.md", text + "\n")
    say(f"written: {name}.md")
    return facts
