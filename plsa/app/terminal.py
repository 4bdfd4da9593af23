"""A terminal: keys as they are pressed, and a screen that is written anew; or lines, for any other stream."""

import os
import re
import select
import shutil
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from plsa.show.tables import width_of

_SEQUENCES = {"[A": "up", "[B": "down", "[5~": "page up", "[6~": "page down", "[H": "home", "[F": "end"}
_SOON = 0.05  # seconds in which the rest of a key's sequence comes
_PLAIN = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\x04": "end of input"}


def is_terminal() -> bool:
    """Whether keys can be read one by one, and a screen written."""
    try:
        import termios  # noqa: F401
    except ImportError:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def keys_one_by_one() -> Generator[None]:
    """Keys come without Enter and are not shown; the terminal is as it was afterwards. Ctrl-C stays."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def read_key() -> str:
    """A letter, or the name of a key."""
    first = _read_letter()
    if first == "\x1b":
        rest = ""
        while _waits() and (not rest or not re.match(r"[A-Za-z~]", rest[-1]) or rest in ("[", "O")):
            rest += _read_letter()
        return _SEQUENCES.get(rest.replace("O", "[", 1), "escape" if not rest else "")
    return _PLAIN.get(first, first)


def _waits() -> bool:
    return bool(select.select([sys.stdin.fileno()], [], [], _SOON)[0])


def _read_letter() -> str:
    """A whole character, which may be several bytes."""
    raw = os.read(sys.stdin.fileno(), 1)
    if not raw:
        return "\x04"
    # Of UTF-8 the first byte says how many follow.
    more = 3 if raw[0] >= 0xF0 else 2 if raw[0] >= 0xE0 else 1 if raw[0] >= 0xC0 else 0
    whole = 1 + more
    while len(raw) < whole and (read := os.read(sys.stdin.fileno(), whole - len(raw))):
        raw += read
    return raw.decode("utf-8", "replace")


def size() -> tuple[int, int]:
    """Columns and rows."""
    found = shutil.get_terminal_size((80, 24))
    return max(found.columns, 20), max(found.lines, 10)


def show(lines: Sequence[str]) -> None:
    """The screen has these lines and nothing else."""
    sys.stdout.write("\x1b[H\x1b[2J" + encodable("\r\n".join(lines)))
    sys.stdout.flush()


def encodable(text: str) -> str:
    """The text, with what the terminal's encoding lacks as question marks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def say(text: str, end: str = "\n") -> None:
    """A text below what was said, with nothing in it that would move the cursor."""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    print(encodable(plain), end=end, flush=True)


def forget_keys() -> None:
    """Keys that were pressed and not read yet are lost."""
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)


def bold(text: str) -> str:
    """Stands out, also where there are no colors."""
    return f"\x1b[1m{text}\x1b[0m"


def marked(text: str) -> str:
    """A word in a text that matters."""
    return f"\x1b[1;4m{text}\x1b[0m"


def _cut(word: str, width: int) -> list[str]:
    """A word in pieces no wider than this; blanks at its end do not count."""
    if width_of(word.rstrip()) <= width:
        return [word]
    pieces, piece, used = [], "", 0
    for sign in word:
        more = width_of(sign)
        if used + more > width and piece and not (sign.isspace()):
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + sign, used + more
    return [*pieces, piece]


def wrapped(text: str, width: int) -> list[str]:
    """Lines no wider than this, on any script; control characters are blanks."""
    lines: list[str] = []
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in re.findall(r"\S+\s*|\s+", "".join(c if c.isprintable() else " " for c in paragraph)):
            if line and width_of(line) + width_of(word.rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            *whole, word = _cut(word, width)
            lines += whole
            line += word
        lines.append(line.rstrip())
    return lines
