"""`plsa info`: what a saved model is."""

import argparse
import json
import sys
from typing import Any

from plsa.estimators.summary import learned
from plsa.files.models import load
from plsa.show.words import top_words

_WORDS = 8


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa info` can be told."""
    parser.add_argument("model", metavar="MODEL", help="a file that plsa fit, or plsa.save, has made")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: argparse.Namespace) -> int:
    """Prints what was learned, how, and with what."""
    model = load(args.model)
    last = model[-1] if hasattr(model, "steps") else model
    said: dict[str, Any] = {
        "file": args.model,
        "model": type(last).__name__,
        "settings": {
            name: str(value)
            for name, value in last.get_params(deep=False).items()
            if value != type(last)().get_params()[name]
        },
        **learned(last),
    }
    topics = top_words(model, n=_WORDS) if hasattr(last, "components_") else []
    if args.json:
        words = [{"topic": each.topic, "name": each.name, "words": each.words} for each in topics]
        json.dump(said | {"topics": words}, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
        return 0
    width = max(map(len, said)) + 2
    for about, text in said.items():
        if isinstance(text, dict):
            text = ", ".join(f"{name} {value}" for name, value in text.items()) or "as they come"
        print(f"{about:<{width}}{text}")
    for topic in topics:
        print(f"{'words':<{width}}{topic}")
    return 0
