"""Lines for a terminal."""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Generator, Iterable

_WIDTH = 80


def say(args: argparse.Namespace, text: str) -> None:
    """A remark for the person: on standard error, where no data goes; --quiet is obeyed."""
    if not getattr(args, "quiet", False):
        stream = sys.stderr
        encoding = getattr(stream, "encoding", None) or "utf-8"
        print(f"plsa: {text}".encode(encoding, "replace").decode(encoding), file=stream)


class Page:
    """Lines for a terminal: headings stand out where it has colors, stages say how long they took.

    What the stream's encoding lacks is written as "?".
    """

    def __init__(self, color: bool = True) -> None:
        self._stream = sys.stdout
        self._encoding = getattr(self._stream, "encoding", None) or "utf-8"
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._color = color and not plain and self._stream.isatty()

    def write(self, text: str) -> None:
        """Writes at once, so that a reader sees what is under way."""
        self._stream.write(text.encode(self._encoding, "replace").decode(self._encoding))
        self._stream.flush()

    def lines(self, *texts: str) -> None:
        """Writes lines, indented."""
        self.write("".join(f"  {text}\n" if text else "\n" for text in texts))

    def heading(self, text: str) -> None:
        """Begins a part."""
        self.write(f"\n\033[1m{text}\033[0m\n" if self._color else f"\n{text}\n")

    def words(self, name: str, width: int, words: Iterable[str]) -> None:
        """Writes a name and as many words as the line has room for."""
        text = name.ljust(width)
        for word in words:
            if len(text) + 3 + len(word) > _WIDTH:
                break
            text += f" {word}"
        self.lines(text)

    @contextlib.contextmanager
    def stage(self, doing: str) -> Generator[None]:
        """Says what is under way and, when it is done, how long it took."""
        self.write(f"  {doing} ... ")
        begin = time.perf_counter()
        try:
            yield
        except KeyboardInterrupt:
            self.write("\n")
            raise
        taken = time.perf_counter() - begin
        self.write(f"{taken:.{1 if taken >= 1 else 2}f} s\n")
