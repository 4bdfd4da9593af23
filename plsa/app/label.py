"""`plsa label`: a person labels one document after the other, and the model learns along."""

import argparse
import re
import sys
from pathlib import Path

from plsa.app import reading, terminal
from plsa.app.desk import Desk, Guess
from plsa.app.options import add_run_options, names
from plsa.app.page import say
from plsa.app.writing import check_output, in_one_line
from plsa.inputs import check_share
from plsa.show.tables import padded, width_of

_HELP = (
    "Enter accepts  1-9, letters a class  + new  . skip  - undo  / search  ? why  ! status  = export  q quit"
)
_ASKED = {"+": "name of the new class: ", "/": "search for: ", "=": "export to: "}
_SPACE = " "


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa label` can be told."""
    reading.add_file(parser, "texts: CSV, TSV, JSONL, Parquet, TXT or a folder")
    session = "where answers are kept, at once (default: FILE.session)"
    parser.add_argument("--session", metavar="FILE", help=session)
    names = "classes that you know of, by commas; new ones are welcome at any time"
    parser.add_argument("--classes", metavar="NAMES", default="", help=names)
    text = "the share of questions that are drawn at random, to tell the accuracy by (default 0.1)"
    parser.add_argument("--random", type=float, default=0.1, metavar="SHARE", help=text)
    export = "write FILE's rows with the labels of the session, and stop"
    parser.add_argument("--export", metavar="FILE", help=export)
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    plain = "lines instead of a screen: for screen readers, and where input is no terminal"
    parser.add_argument("--plain", action="store_true", help=plain)
    reading.add_input_options(parser)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Asks and listens until the person stops or no document is left."""
    if args.file == "-":
        raise ValueError("plsa label reads keys from standard input: give the documents as a file.")
    if args.random:
        check_share(args.random, "--random")
    check_output(args.export, args.force)
    documents, columns = reading.read(args)
    args.label_column = columns.label or "label"
    if columns.label is None and "label" in columns.every:
        raise ValueError(f"{args.file} has a column 'label', and others like it: name the one with --label.")
    args.classes = names(args.classes)
    args.session = args.session or f"{args.file.rstrip('/')}.session"
    goes_on = Path(args.session).exists()
    if args.export is not None and not goes_on:
        raise ValueError(f"there is no session {args.session!r} to export: label some documents first.")
    desk = Desk(args, documents)
    if args.export is not None:
        say(args, desk.export(args.export))
        return 0
    say(
        args, f"answers are kept in {args.session}" + (f" (it goes on: {desk.progress()})" if goes_on else "")
    )
    try:
        if args.plain or not terminal.is_terminal():
            _lines(desk)
        else:
            with terminal.keys_one_by_one():
                _screens(desk)
                sys.stdout.write("\x1b[H\x1b[2J")
    finally:
        say(args, f"{desk.progress()}; all is kept in {args.session}")
        say(args, f"next: plsa label {args.file} --export labeled.csv, then plsa fit labeled.csv -o MODEL")
    return 0


# --- lines ---------------------------------------------------------------------------------------


def _lines(desk: Desk) -> None:
    """A question is a few lines, an answer is one."""
    terminal.say(_HELP)
    while (place := desk.next()) is not None:
        guess = desk.guess(place)
        terminal.say(f"\n{desk.documents.ids[place]} ({desk.progress()})")
        terminal.say(desk.documents.texts[place])
        terminal.say(f"classes: {', '.join(_keys(desk, desk.classes())) or 'none yet'}")
        terminal.say(f"label{_guessed(guess)}: ", end="")
        answer = sys.stdin.readline()
        if not answer:
            terminal.say("")
            return
        if not desk.act(place, answer.strip()):
            return
        if desk.said:
            terminal.say(desk.said)
    terminal.say("no document is left to ask for")


def _keys(desk: Desk, classes: list[str]) -> list[str]:
    """Classes with their numbers, where they go by these."""
    known = desk.classes()
    return [f"{known.index(name) + 1} {name}" if desk.numbered() else name for name in classes]


def _guessed(guess: Guess | None) -> str:
    return "" if guess is None else f" (Enter: {guess.classes[0]}, {guess.chances[0]:.0%})"


# --- a screen ------------------------------------------------------------------------------------


def _screens(desk: Desk) -> None:
    """A document a screen, a key an answer."""
    typed, page = "", None
    place = desk.next()
    while place is not None:
        guess = desk.guess(place)
        lines, pages, page = _drawn(desk, place, guess, typed, page)
        terminal.show(lines)
        key = terminal.read_key()
        if key in ("page down", "down", _SPACE) and not typed:
            page = min(page + 1, pages - 1)
        elif key in ("page up", "up") and not typed:
            page = max(page - 1, 0)
        elif key == "backspace" and typed:
            typed = typed[:-1]
        elif key == "escape":
            typed = ""
        elif key == "end of input" or (key == "q" and not typed and not desk.beginning("q")):
            return
        elif key == "enter" or (len(key) == 1 and key.isprintable()):
            command, typed = _command(desk, key, typed)
            if command is None:
                continue
            if not desk.act(place, command):
                return
            following = desk.next()
            if following != place:
                page = None
                terminal.forget_keys()  # they were not about a document that nobody has seen yet
            place = following


def _command(desk: Desk, key: str, typed: str) -> tuple[str | None, str]:
    """What a key means after what was typed: a command, if that is whole now, and what is typed then."""
    if typed:
        if key == "enter":
            name = None if typed[0] in _ASKED else desk.named(typed)
            # A class is one whatever it is called; what is not clear is refused, with a reason.
            return (typed if name is None else f"+{name}"), ""
        typed += key
        found = [] if typed[0] in _ASKED or typed.isdecimal() else desk.beginning(typed)
        return (f"+{found[0]}", "") if len(found) == 1 else (None, typed)
    if key == "enter":
        return "", ""
    if key in _ASKED:
        return None, key
    if key in ".-?!":
        return key, ""
    if key.isdecimal() and desk.numbered() and len(desk.classes()) < 10:
        return key, ""
    found = [] if key.isdecimal() and desk.numbered() else desk.beginning(key)
    return (f"+{found[0]}", "") if len(found) == 1 else (None, key)


def _drawn(
    desk: Desk, place: int, guess: Guess | None, typed: str, page: int | None
) -> tuple[list[str], int, int]:
    """The lines of the screen, how many pages the text has, and which one this is."""
    width, height = terminal.size()
    rule = "-" * (width - 1)
    below = _below(desk, guess, typed, width)[-(height - 7) :]
    room = max(3, height - len(below) - 4)
    text = terminal.wrapped(desk.documents.texts[place], width - 1)
    pages = -(-len(text) // room)
    words = guess.words if guess is not None else ()
    # Whole words; of scripts without blanks, which are not ASCII, whatever they stand in.
    each = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in words]
    marks = re.compile("|".join(each) or r"(?!)", re.IGNORECASE)
    if page is None:  # where most of what speaks for the guess stands
        found = [len(marks.findall(" ".join(text[n * room : (n + 1) * room]))) for n in range(pages)]
        page = found.index(max(found))
    shown = text[page * room : (page + 1) * room]
    shown = [marks.sub(lambda found: terminal.marked(found[0]), line) for line in shown]
    where = f"  page {page + 1} of {pages} (space, arrows)" if pages > 1 else ""
    head = padded(in_one_line(f"{desk.progress()}   {desk.documents.ids[place]}{where}"), width - 1).rstrip()
    return [terminal.bold(head), rule, *shown, *[""] * (room - len(shown)), rule, *below], pages, page


def _below(desk: Desk, guess: Guess | None, typed: str, width: int) -> list[str]:
    """The guess, the classes with their keys, what came of the last key, and what can be done."""
    lines = []
    if guess is not None:
        others = ", ".join(
            f"{n} {c:.0%}" for n, c in zip(guess.classes[1:3], guess.chances[1:3], strict=True)
        )
        lines.append(
            f"Enter: {guess.classes[0]} {guess.chances[0]:.0%}" + (f"  (or {others})" if others else "")
        )
    classes = desk.classes()
    chosen = desk.matching(typed) if typed and typed[0] not in _ASKED else classes
    most = chosen if len(classes) < 10 else ([*guess.classes, *chosen] if guess and not typed else chosen)
    names = _keys(desk, [name for name in dict.fromkeys(most) if name in classes])
    row = ""
    for n, name in enumerate(names):
        if width_of(row) + width_of(name) + 3 > width - 12:
            row += f" ... {len(names) - n} more"
            break
        row += f"{name}   "
    lines.append(row.rstrip() or "no class is known yet: press + and type the name of one")
    if typed:
        lines.append(_ASKED.get(typed[0], "class: ") + (typed[1:] if typed[0] in _ASKED else typed) + "_")
    lines += [line for said in desk.said.splitlines()[:6] for line in terminal.wrapped(said, width - 1)[:3]]
    return [
        *(padded(in_one_line(line), width - 1).rstrip() for line in lines),
        *terminal.wrapped(_HELP, width - 1),
    ]
