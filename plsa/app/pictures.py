"""Pictures that commands save."""

import argparse
from collections.abc import Callable
from typing import Any

from plsa.app.page import say
from plsa.app.writing import check_output
from plsa.show.drawing import check_matplotlib, check_picture


def add_plot_option(parser: argparse.ArgumentParser) -> None:
    """--plot FILE, and --force to write over it."""
    parser.add_argument("--plot", metavar="FILE", help="save a picture too (PNG, SVG or PDF, by the name)")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def check_picture_file(path: str | None, force: bool) -> None:
    """Raises before the work where the picture could not be saved after it."""
    check_output(path, force)
    if path is not None:
        check_picture(path)


def save_plot(args: argparse.Namespace, draw: Callable[[], Any]) -> None:
    """Draws on axes, and saves the figure that they are of."""
    if args.plot is not None:
        save_picture(args.plot, draw())
        say(args, f"drawn: {args.plot}")


def save_picture(path: str, axes: Any) -> None:
    """The figure of these axes, in a file."""
    axes.figure.savefig(path, bbox_inches="tight", dpi=150)
    check_matplotlib().close(axes.figure)
