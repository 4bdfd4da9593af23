"""`plsa explain`: why a model gives a text its label."""

import argparse
import json
import sys

from plsa.app.options import whole
from plsa.files.models import load
from plsa.show.explain import explain


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa explain` can be told."""
    parser.add_argument("model", metavar="MODEL", help="a file that plsa fit, or plsa.save, has made")
    parser.add_argument("text", metavar="TEXT", help="the text itself, or - for standard input")
    parser.add_argument("--label", metavar="LABEL", help="why not this one?")
    words = "words that are shown (default 10)"
    parser.add_argument("--words", type=whole("words", 0), default=10, metavar="N", help=words)
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="for programs")
    shape.add_argument("--html", action="store_true", help="a page with the words shaded in their text")


def run(args: argparse.Namespace) -> int:
    """Prints the explanation."""
    model = load(args.model)
    text = sys.stdin.read() if args.text == "-" else args.text
    label = args.label
    if label is not None:
        known = {str(name): name for name in model.classes_.tolist()}
        if label not in known:
            raise ValueError(f"--label: {args.model} has no class {label!r}; there are {', '.join(known)}.")
        label = known[label]
    found = explain(model, text, label=label, n_words=args.words)
    if args.json:
        json.dump(found.to_dict(), sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")
    elif args.html:
        sys.stdout.write(f'<!doctype html><meta charset="utf-8">{found.to_html()}\n')
    else:
        sys.stdout.write(f"{found}\n")
    return 0
