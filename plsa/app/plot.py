"""`plsa plot`: a picture of a saved model."""

import argparse

from plsa.app.page import say
from plsa.app.pictures import check_picture_file, save_picture
from plsa.files.models import load
from plsa.show import plots

# Those that need nothing but a model.
KINDS = ("top_words", "class_topics", "class_sizes", "mislabeling", "objective", "documents")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa plot` can be told."""
    parser.add_argument("model", metavar="MODEL", help="a file that plsa fit, or plsa.save, has made")
    parser.add_argument("kind", metavar="KIND", choices=KINDS, help=f"one of {', '.join(KINDS)}")
    picture = "the picture (PNG, SVG or PDF, by the name)"
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help=picture)
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument("--quiet", action="store_true", help="no remarks on standard error")


def run(args: argparse.Namespace) -> int:
    """Draws and saves it."""
    check_picture_file(args.output, args.force)
    save_picture(args.output, getattr(plots, args.kind)(load(args.model)))
    say(args, f"drawn: {args.output}")
    return 0
