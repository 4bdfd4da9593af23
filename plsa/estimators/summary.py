"""What a fitted estimator has learned, on one screen: lines for a terminal, a table for a notebook."""

import html
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plsa.inputs import counted
from plsa.labels.reading import UNLABELED

_WIDTH = 80
_NAMED = 8  # classes that are named
_LONGEST = 24  # characters of a name
_ENDED = {
    "settled": "settled",
    "early": "stopped early, as the next gained little",
    "rounds": "stopped at max_iter",
    "fell": "stopped, as the objective fell",
    "callback": "stopped by the callback",
    "interrupted": "interrupted",
}
# Entries of `choices_` that have a line of their own.
_TOLD = ("topics_per_class", "components_per_class", "unlabeled_used")


def learned(model: Any) -> dict[str, str]:
    """What there is to say of a fitted model, by what it is about; nothing where it is not fitted."""
    has = vars(model)
    if not {"classes_", "components_"} & has.keys():
        return {}
    said = {
        "fitted to": _documents(has),
        "classes": _classes(has),
        "topics": _topics(has),
        "chosen": _choices(has.get("choices_", {})),
        "held out": _evidence(has.get("evidence_", {})),
        "passes": _passes(has),
    }
    return {about: text for about, text in said.items() if text}


def as_text(shown: str, said: Mapping[str, str]) -> str:
    """The parameters as scikit-learn shows them, and below what was learned."""
    width = max(map(len, said), default=0) + 4
    # scikit-learn breaks lines of its own classes only, by a table of their __repr__.
    inside = " " * (shown.find("(") + 1)
    lines = [
        textwrap.fill(shown, _WIDTH, subsequent_indent=inside, break_long_words=False, break_on_hyphens=False)
    ]
    for about, text in said.items():
        first = f"  {about}".ljust(width)
        lines.append(textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=" " * width))
    return "\n".join(lines)


def as_html(said: Mapping[str, str]) -> str:
    """The same as a table."""
    cell = "padding:2px 12px 2px 0;text-align:left;vertical-align:top"
    rows = "".join(
        f'<tr><th scope="row" style="{cell};white-space:nowrap">{html.escape(about)}</th>'
        f'<td style="{cell}">{html.escape(text)}</td></tr>'
        for about, text in said.items()
    )
    return f'<table style="margin:0 0 6px 0;border-collapse:collapse"><tbody>{rows}</tbody></table>'


def _documents(has: Mapping[str, Any]) -> str:
    """How many documents and words there were."""
    of_documents = next((has[name] for name in ("guesses_", "doc_topic_") if name in has), None)
    parts = [] if of_documents is None else [counted_up(len(of_documents), "document")]
    if "class_count_" in has:
        alone = "" if has.get("unlabeled_used_", True) else " (these alone)"
        parts.append(f"{has['class_count_'].sum():,g} labels{alone}")
    return ", ".join([*parts, counted_up(has["n_features_in_"], "word")])


def counted_up(number: int, one: str) -> str:
    """A number of things, with its thousands apart."""
    return counted(number, one).replace(str(number), f"{number:,}", 1)


def _classes(has: Mapping[str, Any]) -> str:
    """The first classes, and how many labels each has."""
    names = has.get("classes_")
    if names is None:
        return ""
    shown = [_short(str(name)) for name in names[:_NAMED].tolist()]
    if "class_count_" in has:
        often = has["class_count_"][:_NAMED].tolist()
        shown = [f"{name} ({number:g})" for name, number in zip(shown, often, strict=True)]
    more = len(names) - len(shown)
    return f"{len(names)}: {', '.join(shown)}" + (f" and {counted(more, 'other')}" if more else "")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 3] + "..."


def _topics(has: Mapping[str, Any]) -> str:
    """How many topics there are, and whose."""
    if "components_" not in has:
        return ""
    number = len(has["components_"])
    if "topic_class_" not in has:
        return str(number)
    own = has["topic_class_"][has["topic_class_"] != UNLABELED]
    each = np.unique(np.bincount(own)[np.unique(own)]).tolist()
    of_class = "each class has " + (f"{each[0]}" if len(each) == 1 else f"{each[0]} to {each[-1]}")
    extra = number - len(own)
    return f"{number}; {of_class}" + (f", {extra} open to all" if extra else "")


def _choices(choices: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in choices.items() if name not in _TOLD)


def _value(value: Any) -> str:
    """A choice as it is read at a glance: numbers with three digits."""
    if isinstance(value, Mapping):
        return f"({', '.join(f'{name}={_value(each)}' for name, each in value.items())})"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _evidence(evidence: Mapping[str, float]) -> str:
    """What was right on held-out labels, the best first."""
    best_first = sorted(evidence.items(), key=lambda each: -each[1])
    return ", ".join(f"{_tried(name)} {accuracy:.1%} right" for name, accuracy in best_first)


def _tried(name: str) -> str:
    """What was tried; scalings are known by themselves alone."""
    return f"scaling={name}" if name == "None" or name.startswith("CountScaler") else name


def _passes(has: Mapping[str, Any]) -> str:
    if "stop_reason_" not in has:
        return ""
    return f"{has['n_iter_']}; {_ENDED.get(has['stop_reason_'], has['stop_reason_'])}"
