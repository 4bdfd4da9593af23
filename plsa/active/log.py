"""A file that remembers what happened, whatever happens to the program.

One JSON object per line. A line is on the disk before `append` returns, and a line that was cut off by a
crash counts as not written. Nothing is ever changed but the end.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

FORMAT = 1
BY_HAND = "Was it edited by hand?"


class SessionLog:
    """The events of one session, in the order in which they happened."""

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file = file

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], header: dict[str, Any], events: Sequence[dict[str, Any]] = ()
    ) -> Self:
        """A new file with a header and what has happened so far; there must not be one of that name."""
        place = Path(path)
        if place.exists():
            raise FileExistsError(f"there is a file {place} already: resume that session, or name another.")
        if not place.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {place.parent} for the session: make it first.")
        log = cls(place, os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666))
        log.append({"format": FORMAT, **header}, *events)
        # The name of a new file is in its folder, which has to be on the disk as well.
        if os.name == "posix":
            folder = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return log

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> tuple[Self, dict[str, Any], list[dict[str, Any]]]:
        """An existing file to go on with, its header and its events; half a line at its end is cut off."""
        place = Path(path)
        if not place.is_file():
            raise FileNotFoundError(f"no file {place} of a session to resume.")
        text = place.read_bytes()
        whole = text.rfind(b"\n") + 1
        given = enumerate(text[:whole].splitlines(), 1)
        lines = [_object(line, f"{place}, line {number}") for number, line in given]
        if not lines:
            raise ValueError(f"{place} has no whole line, as nothing was asked: delete it and begin anew.")
        found = lines[0].get("format")
        if found is None:
            raise ValueError(f"{place} is not a session: its first line has no format.")
        if found != FORMAT:
            raise ValueError(f"{place} is a session of format {found}; this version reads {FORMAT}.")
        file = os.open(place, os.O_WRONLY | os.O_APPEND)
        if whole < len(text):
            os.ftruncate(file, whole)
            os.fsync(file)
        return cls(place, file), lines[0], lines[1:]

    def append(self, *events: dict[str, Any]) -> None:
        """Writes one line per event; they are on the disk afterwards."""
        lines = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events]
        line = "".join(lines).encode()
        before, written = os.fstat(self._file).st_size, 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except BaseException:  # half a line would take the next one with it
            os.ftruncate(self._file, before)
            raise

    def close(self) -> None:
        """Lets go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.close()


def _object(line: bytes, where: str) -> dict[str, Any]:
    """The JSON object of a whole line."""
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ValueError(f"{where}, is not valid JSON: {error}. {BY_HAND}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{where}, is not a JSON object. {BY_HAND}")
    return found
