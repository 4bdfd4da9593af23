"""The command `plsa`: a sub-command is a module and an entry of `COMMANDS`, imported when it is called."""

import argparse
import difflib
import os
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import plsa

_INTERRUPTED = 128 + 2  # what a shell reports of a program that SIGINT ended
_CLOSED_PIPE = 128 + 13  # and SIGPIPE


class Command(NamedTuple):
    """A sub-command: `add_options(parser)` and `run(args)` of a module of this room."""

    name: str
    summary: str
    examples: str  # two, worked
    module: str = ""  # its name, where it is another

    def loaded(self) -> Any:
        """The module that does it."""
        return import_module(f"plsa.app.{self.module or self.name}")


COMMANDS = (
    Command(
        "demo",
        "see what plsa does, on texts that are here already: nothing is downloaded",
        """
        plsa demo
        plsa demo --seed 1 --labels 3   other documents, three labels a class
        """,
    ),
    Command(
        "fit",
        "learn classes from a file of texts of which some have labels, and save the model",
        """
        plsa fit mails.csv -o mails.plsa   the columns text and label; some are empty
        plsa fit notes.jsonl -o notes.plsa --text body --label topic
        """,
    ),
    Command(
        "predict",
        "label documents with a model that was saved",
        """
        plsa predict mails.plsa new.csv -o labeled.csv --top 3
        cat new.txt | plsa predict mails.plsa - --format jsonl
        """,
    ),
    Command(
        "topics",
        "find what a file of texts is about, without labels; or show the words of a model",
        """
        plsa topics mails.csv -k 12    twelve topics: words, sizes, typical documents
        plsa topics mails.plsa         the words of each class of a model
        """,
    ),
    Command(
        "find",
        "find the documents that are like some that you show, best first",
        """
        plsa find papers.csv --like mine.txt --top 50
        plsa find papers.csv --ids 17,204,311 -o found.csv
        """,
    ),
    Command(
        "label",
        "label the documents that teach most, one key each, while the model learns along",
        """
        plsa label mails.csv                     answers are kept in mails.csv.session
        plsa label mails.csv --export labeled.csv
        """,
    ),
    Command(
        "compare",
        "find out which method is best for your documents, and whether that is more than chance",
        """
        plsa compare mails.csv   ours, naive Bayes, classifiers of the labels alone
        plsa compare mails.csv --all --repeats 5 --plot methods.png
        """,
    ),
    Command(
        "simulate",
        "see what chosen questions would have saved, on documents that are labeled already",
        """
        plsa simulate labeled.csv -n 100
        plsa simulate labeled.csv --strategies auto,margin,random --plot curves.png
        """,
    ),
    Command(
        "review",
        "list labels that are probably wrong, most likely first",
        """
        plsa review labeled.csv --top 20
        plsa review labeled.csv -o suspects.csv
        """,
    ),
    Command(
        "explain",
        "say why a model gives a text its label",
        """
        plsa explain mails.plsa "the meeting is moved to Friday"
        plsa explain mails.plsa - < mail.txt
        """,
    ),
    Command(
        "info",
        "say what a saved model is: settings, versions, classes, words",
        """
        plsa info mails.plsa
        plsa info mails.plsa --json
        """,
    ),
    Command(
        "plot",
        "draw a picture of a saved model",
        """
        plsa plot mails.plsa top_words -o words.png
        plsa plot mails.plsa class_sizes -o sizes.svg
        """,
    ),
)


class _Parser(argparse.ArgumentParser):
    """argparse's parser, which asks what may have been meant, and shows examples before the syntax."""

    options: Sequence[str] = ()  # of the command that is called

    def named(self) -> list[str]:
        """The names of its options."""
        return [name for action in self._actions for name in action.option_strings]

    def format_help(self) -> str:
        before, self.description = self.description, None
        try:
            return f"{before}\n\n{super().format_help()}"
        finally:
            self.description = before

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '([^']*)'", message)
        known = re.findall(r"'([^']*)'|(?<=[ (])(\w+)(?=[,)])", message.partition("choose from")[2])
        known = [quoted or bare for quoted, bare in known]
        if wrong is None:
            wrong = re.search(r"unrecognized arguments: (--?[\w-]+)", message)
            known = [*self.options]
        if wrong is not None:
            near = difflib.get_close_matches(wrong[1], known, 1)
            message += f" - did you mean {near[0]!r}?" if near else ""
        super().error(message)


class _Version(argparse.Action):
    """Says the version, and how the package was built."""

    def __call__(self, parser: argparse.ArgumentParser, *unused: Any, **unused_too: Any) -> NoReturn:
        from plsa.engine.threads import built_with

        print(f"plsa {plsa.__version__} ({built_with()})")
        parser.exit()


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    about = "Learns what texts are about: classes from labeled texts, topics from any. Begin with: plsa demo"
    parser = _Parser(prog="plsa", description=about)
    parser.add_argument("--version", action=_Version, nargs=0, help="the version, and how it was built")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="<command>")
    for command in COMMANDS:
        of_command = commands.add_parser(command.name, help=command.summary, description=_described(command))
        if command.name in argv:  # the others' modules, and what these import, are not needed
            module = command.loaded()
            module.add_options(of_command)
            of_command.set_defaults(run=module.run)
            parser.options = of_command.named()
    return parser


def _described(command: Command) -> str:
    """What a command does, and first how it is called."""
    examples = textwrap.indent(textwrap.dedent(command.examples).strip(), "  ")
    summary = textwrap.fill(f"{command.summary[0].upper()}{command.summary[1:]}.", 78)
    return f"{summary}\n\n{examples}"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code.

    0: done. 1: it could not be done; standard error says why. 130: stopped by Ctrl-C. 141: the
    reader of the output has gone. Wrong options end in SystemExit(2), as argparse has it.
    """
    argv = sys.argv[1:] if argv is None else argv
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who called: nothing comes, and nothing is to be seen
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    try:
        try:
            parser = _parser(argv)
            args = parser.parse_args(argv)
            if args.run is None:
                parser.print_help()
                return 0
            with warnings.catch_warnings():
                if not sys.warnoptions:
                    warnings.showwarning = _once(set())
                    if getattr(args, "quiet", False):
                        warnings.simplefilter("ignore")
                return int(args.run(args))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        print(f"plsa: stopped.{f' {interrupt}' if str(interrupt) else ''}", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # What is left in the buffer goes nowhere: Python would complain of it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        print(f"plsa: {error}", file=sys.stderr)
        return 1


def _once(said: set[str]) -> Callable[..., None]:
    """What shows a warning as a remark for the person, in one line; the same one only once."""

    def show(message: Warning | str, *unused: Any, **unused_too: Any) -> None:
        text = str(message).splitlines()[0]
        if text not in said:
            said.add(text)
            print(f"plsa: {text}", file=sys.stderr)

    return show


if __name__ == "__main__":
    sys.exit(main())
