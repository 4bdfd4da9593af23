"""A file that remembers what happened, whatever happens to the program.

One JSON object per line. A line is on the disk before `append` returns, and a line that was cut off by a
crash counts as not written. Nothing is ever changed but the end.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

FORMAT = 2
_READ = (1, 2)  # formats that are read: in the first, options and first labels stand as digests, if at all
BY_HAND = "Was it edited by hand?"


class SessionLog:
    """The events of one session, in the order in which they happened."""

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file = file
        self._size = os.fstat(file).st_size

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], header: dict[str, Any], events: Sequence[dict[str, Any]] = ()
    ) -> Self:
        """A new file with a header and what has happened so far; there must not be one of that name."""
        place = Path(path)
        _refuse_folder(place)
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
    def read(cls, path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The header of an existing file and its events, up to its last whole line; nothing is changed."""
        place = Path(path)
        _refuse_folder(place)
        if not place.is_file():
            raise FileNotFoundError(f"no file {place} of a session to resume.")
        given = enumerate(_whole_lines(place.read_bytes()).splitlines(), 1)
        lines = [_object(line, f"{place}, line {number}") for number, line in given]
        if not lines:
            raise ValueError(f"{place} has no whole line, as nothing was asked: delete it and begin anew.")
        found = lines[0].get("format")
        if found is None:
            raise ValueError(f"{place} is not a session: its first line has no format.")
        if found not in _READ:
            raise ValueError(f"{place} is a session of format {found}; this version reads up to {FORMAT}.")
        return lines[0], lines[1:]

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> Self:
        """An existing file to go on with; half a line at its end is cut off."""
        text = Path(path).read_bytes()
        whole = len(_whole_lines(text))
        file = os.open(path, os.O_WRONLY | os.O_APPEND)
        if whole < len(text):
            os.ftruncate(file, whole)
            os.fsync(file)
        return cls(Path(path), file)

    def append(self, *events: dict[str, Any]) -> None:
        """Writes one line per event; they are on the disk afterwards."""
        lines = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events]
        line = "".join(lines).encode()
        before, written = self._unchanged(), 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except BaseException:  # half a line would take the next one with it
            os.ftruncate(self._file, before)
            raise
        self._size = before + written

    def _unchanged(self) -> int:
        """How long the file is; it must be there, and nobody else may have written to it."""
        found, gone = os.fstat(self._file), f"{self.path} was deleted or replaced, and this answer is lost"
        if not found.st_nlink:
            raise RuntimeError(f"{gone}: save the session to another file, and give it again.")
        if found.st_size != self._size:
            other = "was written to by somebody else since, perhaps in another window"
            raise RuntimeError(f"{self.path} {other}: resume it to go on with what is in it.")
        return found.st_size

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a session with a file, {self.path}, cannot be copied or pickled: resume it instead."
        )

    def close(self) -> None:
        """Lets go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.close()


def _refuse_folder(place: Path) -> None:
    if place.is_dir():
        named = place / "session.jsonl"
        raise IsADirectoryError(
            f"{place} is a folder, and a session is a file: name one in it, like {named}."
        )


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]


def _object(line: bytes, where: str) -> dict[str, Any]:
    """The JSON object of a whole line."""
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ValueError(f"{where}, is not valid JSON: {error}. {BY_HAND}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{where}, is not a JSON object. {BY_HAND}")
    return found
