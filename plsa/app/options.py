"""Options that several commands have."""

import argparse
from collections.abc import Callable

from plsa import inputs


def whole(name: str, smallest: int, largest: int | None = None) -> Callable[[str], int]:
    """What reads an option's whole number."""

    def read(text: str) -> int:
        value = int(text) if text.lstrip("-").isdecimal() else text
        try:
            number = inputs.check_whole(value, name, smallest)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        if largest is not None and number > largest:
            raise argparse.ArgumentTypeError(f"{name} == {number}, but must be <= {largest}.")
        return number

    return read


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Options of all that computes."""
    group = parser.add_argument_group("how it is done")
    seed, threads = whole("seed", 0, 2**32 - 1), whole("threads", 1)
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of what is drawn (default 0)")
    text = "threads (default: as many as help); the results are the same"
    group.add_argument("--threads", type=threads, metavar="N", help=text)
    group.add_argument("--quiet", action="store_true", help="no remarks and no progress on standard error")


def names(text: str) -> list[str]:
    """What is listed by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
