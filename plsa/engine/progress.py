"""What a person sees while a fit is running."""

import sys
import time
from typing import TextIO

import numpy as np

from plsa.engine.em import Pass


class ProgressLine:
    """A callback that shows passes, rate, perplexity and the most time that may be left.

    On a terminal the line is written over; elsewhere a new one is printed every few seconds.
    """

    def __init__(self, name: str, max_passes: int, n_tokens: float, stream: TextIO | None = None) -> None:
        self.name = name
        self.max_passes = max_passes
        self.n_tokens = n_tokens
        self.stream = stream if stream is not None else sys.stderr
        self.began = time.perf_counter()
        self.shown = -np.inf
        self.previous: float | None = None

    def __call__(self, state: Pass) -> None:
        """Shows one pass."""
        now = time.perf_counter()
        gained = None if self.previous is None else state.objective - self.previous
        self.previous = state.objective
        terminal = self.stream.isatty()
        if now - self.shown < (0.1 if terminal else 5.0) and state.number <= self.max_passes:
            return
        self.shown = now
        rate = state.number / max(now - self.began, 1e-9)
        left = max(0, self.max_passes + 1 - state.number) / rate
        perplexity = np.exp(min(-state.log_likelihood / self.n_tokens, 700.0))
        rise = "" if gained is None else f" ({gained:+,.1f})"
        line = f"{self.name}: pass {state.number}, perplexity {perplexity:,.1f}"
        line += f", objective {state.objective:,.1f}{rise}"
        line += f", {rate:.1f} passes/s, at most {left:.0f} s left"
        self.stream.write(f"\r\x1b[K{line}" if terminal else line + "\n")
        self.stream.flush()

    def close(self, reason: str, n_passes: int) -> None:
        """Says how it ended."""
        seconds = time.perf_counter() - self.began
        start = "\r\x1b[K" if self.stream.isatty() else ""
        ended = {"rounds": "not settled", "early": "stopped early"}.get(reason, reason)
        self.stream.write(f"{start}{self.name}: {ended} after {n_passes} passes, {seconds:.2f} s\n")
        self.stream.flush()


def say(line: str) -> None:
    """One line of progress."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
