"""What stands in the file of a session: its events, and what it began with."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from plsa.active.log import BY_HAND, SessionLog

_ANSWERS = ("tell", "volunteer", "amend")  # events that give documents their labels
_KINDS = ("query", *_ANSWERS, "skip", "withdraw", "undo")
EACH = ("documents", "cost")  # what a file with ids says of each document
ANEW = (
    "To change it on purpose, begin a session of its own with the labels of this one: "
    "known = ActiveLearner.labels_in(path); new.volunteer(new.rows(known), [*known.values()])"
)
_SAME_X = "give the X that it began with, rows in their order (with ids, documents may move)"
_SAME_MODEL = f"give the model that it began with. {ANEW}"
_ABSENT: dict[str, Any] = {
    "classes": None,
    "wanted": None,
}  # what files began with that were written before they could say so
_TO_DO = {
    "n_documents": _SAME_X,
    "documents": _SAME_X,
    "contents": _SAME_X,
    "estimator": _SAME_MODEL,
    "parameters": _SAME_MODEL,
    "function": f"give the function that it began with. {ANEW}",
}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a person or the learner did."""

    kind: str  # "query", "tell", "volunteer", "amend", "skip", "withdraw" or "undo"
    indices: list[int] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)  # documents of a query that were drawn at random

    def line(self, ids: Sequence[Any] | None = None) -> dict[str, Any]:
        """What stands in the file of a session; documents by their ids, where there are any."""
        key = "indices" if ids is None else "ids"
        line = {"event": self.kind, key: named_by(self.indices, ids), "labels": self.labels}
        return {**line, "drawn": named_by(self.drawn, ids)} if self.drawn else line

    def without(self, documents: set[int]) -> Self:
        """The same of other documents."""
        indices, drawn = (
            [place for place in some if place not in documents] for some in (self.indices, self.drawn)
        )
        return replace(self, indices=indices, drawn=drawn)


@dataclass(frozen=True, slots=True)
class Record:
    """What stands in the file of a session; documents are rows there, or ids where the session has them."""

    path: str | os.PathLike[str]
    header: dict[str, Any]
    lines: list[dict[str, Any]]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """That of a file, which is not changed."""
        header, lines = SessionLog.read(path)
        record = cls(path, header, lines)
        n_documents, ids = header.get("n_documents"), header.get("ids", [])
        if not isinstance(n_documents, int) or not isinstance(ids, list):
            raise ValueError(f"{path} is not a session: its first line names no documents. {BY_HAND}")
        return record

    @property
    def ids(self) -> list[Any] | None:
        """Those of all documents that the session has met, or None where it has no ids."""
        return self.each("ids") if "ids" in self.header else None

    def each(self, name: str) -> list[Any]:
        """What it says of each document that it has met: those at the start, and those that came later."""
        later = (line for line in self.lines if line.get("event") == "documents")
        return [value for part in (self.header, *later) for value in part.get(name) or ()]

    @property
    def labels(self) -> dict[Any, Any] | None:
        """The labels at the start, by row or id; None where there are some and the file has a digest only."""
        found = self.header.get("labels")
        if isinstance(found, list):
            return dict(zip(*found, strict=True))
        return {} if found == digest_of_labels([None] * self.header["n_documents"]) else None

    def events(self, place_of: Mapping[Any, int] | None, n_documents: int) -> Iterator[Event]:
        """What happened, documents being rows: places by id, or so many as they are."""
        for number, line in enumerate(self.lines, 2):
            if line.get("event") != "documents":
                yield self._event(line, place_of, n_documents, f"{self.path}, line {number}")

    def _event(
        self, line: Mapping[str, Any], place_of: Mapping[Any, int] | None, n_documents: int, where: str
    ) -> Event:
        kind, labels, drawn = line.get("event"), line.get("labels"), line.get("drawn", [])
        given = line.get("indices" if place_of is None else "ids")
        if (
            kind not in _KINDS
            or not isinstance(labels, list)
            or not isinstance(drawn, list)
            or not isinstance(given, list)
            or not all(isinstance(each, int if place_of is None else int | str) for each in [*given, *drawn])
            or (place_of is None and not all(0 <= place < n_documents for place in [*given, *drawn]))
            or (kind in _ANSWERS and len(labels) != len(given))
        ):
            raise ValueError(f"{where}, is not an event of this session. {BY_HAND}")
        if place_of is None:
            return Event(kind, given, labels, drawn)
        for each in [*given, *drawn]:
            if each not in place_of:
                raise ValueError(
                    f"{where}, is about the document with the id {each!r}, which X has no more: give X and "
                    "ids with all documents that were asked for or answered."
                )
        return Event(kind, [place_of[each] for each in given], labels, [place_of[each] for each in drawn])

    def check(self, about: Mapping[str, Any]) -> None:
        """Raises where the session began with something else; what the file does not hold is not checked."""
        for name, value in about.items():
            began, todo = self.header.get(name, _ABSENT.get(name, value)), _TO_DO.get(name, "")
            if name == "parameters":
                for each in began:
                    if each in value and _text(began[each]) != _text(value[each]):
                        self._refuse(f"the estimator's {each}", began[each], value[each], todo)
            elif isinstance(began, str) and isinstance(value, list) and began == digest(value):
                continue  # the first format
            elif _text(began) != _text(value):
                self._refuse(name, began, value, todo or f"leave {name} out, as the file knows it. {ANEW}")

    def _refuse(self, name: str, began: Any, now: Any, todo: str) -> None:
        found = f"{name} {_shown(began)}, but is resumed with {_shown(now)}"
        if name in (*EACH, "contents"):  # too long to show, or a digest only
            found = f"other {'documents' if name == 'contents' else name}"
        raise ValueError(f"{self.path} began with {found}: {todo}.")

    def check_names(self, ids: Sequence[Any] | None) -> None:
        """Raises where documents have ids now and had none, or the other way round."""
        if self.ids is not None and ids is None:
            found = f"{self.path} knows documents by ids, such as {self.ids[0]!r}"
            raise ValueError(f"{found}: give ids, one for each row of X.")
        if self.ids is None and ids is not None:
            raise ValueError(f"{self.path} began without ids: leave them out, and {_SAME_X}. {ANEW}.")


def digest(values: list[Any]) -> str:
    """A few letters that other values hardly have."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def named_by(places: Sequence[int], ids: Sequence[Any] | None) -> list[Any]:
    """Documents as a file names them."""
    return [*places] if ids is None else [ids[place] for place in places]


def digest_of_labels(labels: Sequence[Any]) -> str:
    """What the first format holds of the labels at the start."""
    return digest([(type(label).__name__, label) for label in labels])


def _text(value: Any) -> str:
    """A value as it stands in a file."""
    return json.dumps(value, sort_keys=True)


def _shown(value: Any) -> str:
    """A value as errors show it."""
    text = repr(value)
    return text if len(text) < 100 else f"{text[:90]}..."
