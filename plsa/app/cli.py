"""The command `plsa`: each sub-command is one function and one entry of `COMMANDS`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import plsa
from plsa import inputs
from plsa.app.demo import demo
from plsa.engine.threads import built_with

_INTERRUPTED = 128 + 2  # what a shell reports of a program that SIGINT ended
_CLOSED_PIPE = 128 + 13  # and SIGPIPE


def _whole(name: str, smallest: int, largest: int | None = None) -> Callable[[str], int]:
    """What reads an option's whole number."""

    def read(text: str) -> int:
        value = int(text) if text.lstrip("-").isdecimal() else text
        try:
            whole = inputs.check_whole(value, name, smallest)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        if largest is not None and whole > largest:
            raise argparse.ArgumentTypeError(f"{name} == {whole}, but must be <= {largest}.")
        return whole

    return read


def _demo_options(parser: argparse.ArgumentParser) -> None:
    few = "most labeled documents of each class in the comparison with few labels (default 5)"
    for name, smallest, largest, default, text in (
        ("seed", 0, 2**32 - 1, 0, "another seed, another choice of documents (default 0)"),
        ("labels", 1, None, 5, few),
        ("threads", 1, None, None, "threads (default: as many as help); the results are the same"),
    ):
        kind = _whole(name, smallest, largest)
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=text)
    parser.add_argument("--no-color", action="store_true", help="plain text; so does NO_COLOR=1")


class Command(NamedTuple):
    """A sub-command."""

    name: str
    summary: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


_DEMO = "see what plsa does, on texts that are here already: nothing is downloaded"
COMMANDS = (Command("demo", _DEMO, _demo_options, demo),)


def _parser() -> argparse.ArgumentParser:
    about = "Learns what texts are about: classes from labeled texts, topics from any. Begin with: plsa demo"
    parser = argparse.ArgumentParser(prog="plsa", description=about)
    parser.add_argument("--version", action="version", version=f"plsa {plsa.__version__} ({built_with()})")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="<command>")
    for command in COMMANDS:
        about = command.summary.capitalize() + "."
        of_command = commands.add_parser(command.name, help=command.summary, description=about)
        command.options(of_command)
        of_command.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code.

    0: done. 1: it could not be done; standard error says why. 130: stopped by Ctrl-C. 141: the
    reader of the output has gone. Wrong options end in SystemExit(2), as argparse has it.
    """
    try:
        try:
            parser = _parser()
            args = parser.parse_args(argv)
            if args.run is None:
                parser.print_help()
                return 0
            return int(args.run(args))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("plsa: stopped.", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # What is left in the buffer goes nowhere: Python would complain of it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except (ImportError, OSError, ValueError) as error:
        print(f"plsa: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
