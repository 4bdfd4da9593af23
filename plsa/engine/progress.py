"""What a person sees while something long is running."""

import shutil
import sys
import threading
import time
from typing import Any, Self, TextIO

_WIDTH = 10  # of the bar
_OFTEN, _SELDOM = 0.1, 5.0  # seconds between two lines: written over each other, and one below the other
_TICK = 1.0  # seconds after which the line is shown again, whatever is done


class Progress:
    """One line that says which of how many stages a task is at, with a bar, and at last what came of it.

    On a terminal the line is written over, and only the last one stays. Elsewhere every stage has a line at
    its end, and a long one another every few seconds. As a context it goes on while a step takes long, and
    ends the line where something fails.
    """

    def __init__(self, name: str, shown: bool = True, stream: TextIO | None = None) -> None:
        self.name = name
        self.shown = shown
        self.stream = stream if stream is not None else sys.stderr
        self.terminal = shown and self.stream.isatty()
        self.began = self.stage_began = time.perf_counter()
        self.last = -float("inf")
        self.n_stages = self.stage = self.n_steps = self.done = 0
        self.what = ""  # the stage under way; empty: none
        self.now = 0.0, ""  # how much of a step is done, and what is being done
        self._one_writes = threading.RLock()
        self._over = threading.Event()

    def plan(self, n_stages: int) -> None:
        """So many stages are to come."""
        self.n_stages = self.stage + n_stages

    def begin(self, what: str, n_steps: int = 1) -> None:
        """The next stage begins, and the one before is done; without steps it has no bar."""
        with self._one_writes:
            self.close()
            self.what, self.n_steps, self.done, self.stage = what, n_steps, 0, self.stage + 1
            self.stage_began = time.perf_counter()
            self.last = -float("inf") if self.terminal else self.stage_began
            self.within(0.0)

    def step(self, doing: str = "") -> None:
        """One more step of the stage is done."""
        with self._one_writes:
            self.done += 1
            self.within(0.0, doing)

    def within(self, part: float, doing: str = "") -> None:
        """So much of the step under way is done."""
        if self.shown:
            with self._one_writes:
                self.now = part, doing
                self._show(part, doing)

    def _show(self, part: float, doing: str) -> None:
        now = time.perf_counter()
        soon = now - self.last < (_OFTEN if self.terminal else _SELDOM)
        soon = soon or (not self.terminal and 0 < self.n_steps <= self.done)  # a line of its end follows
        if soon or not self.what:
            return
        self.last = now
        bar = ""
        if self.n_steps:
            share = min((self.done + part) / self.n_steps, 1.0)
            full = int(_WIDTH * share)
            bar = f" [{'#' * full}{'-' * (_WIDTH - full)}] {int(100 * share):3d}%"
        # What matters most comes first: a terminal may be narrow.
        line = f"{self._head()}{bar}, {now - self.began:.0f} s: {self.what}" + (f", {doing}" if doing else "")
        if self.terminal:
            # A line that is wrapped could not be written over.
            line = "\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1]
        self._write(line + ("" if self.terminal else "\n"))

    def close(self, found: str = "done") -> None:
        """The stage under way is done, and this is what came of it."""
        with self._one_writes:
            if self.what and not self.terminal:
                seconds = time.perf_counter() - self.stage_began
                self._write(f"{self._head()}: {self.what}: {found}, {seconds:.1f} s\n")
            self._break_off("\r\x1b[K")

    def end(self, found: str) -> None:
        """All is done, and this is what came of it."""
        self.close()
        self._write(f"{self.name}: {found}, {time.perf_counter() - self.began:.1f} s\n")

    def __enter__(self) -> Self:
        if self.shown:
            self._over = threading.Event()
            threading.Thread(target=self._tick, args=(self._over,), daemon=True).start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._over.set()
        self._break_off("\n")

    def _tick(self, over: threading.Event) -> None:
        """Shows that time goes by, until it is over."""
        while not over.wait(_TICK):
            with self._one_writes:
                self._show(*self.now)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is for nobody to see."""
        return type(self), (self.name, False)

    def _break_off(self, end: str) -> None:
        """No stage is under way any more; on a terminal, what ends its line."""
        with self._one_writes:
            if self.what and self.terminal:
                self._write(end)
            self.what = ""

    def _head(self) -> str:
        return self.name + (f", stage {self.stage} of {self.n_stages}" if self.n_stages > 1 else "")

    def _write(self, text: str) -> None:
        if self.shown:
            self.stream.write(text)
            self.stream.flush()


SILENT = Progress("", shown=False)
