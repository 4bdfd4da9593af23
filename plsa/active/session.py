"""A labeling session: what was asked and answered, and what follows from it.

It knows numbers of documents and their labels, and neither the documents nor a model: whoever asks the
questions, an `ActiveLearner` or a web page, stands on it.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from plsa.active.log import BY_HAND, SessionLog
from plsa.engine.parameters import Places
from plsa.estimators.validation import check_labels, read_labels
from plsa.labels.reading import UNLABELED, Labels, is_unlabeled

_KINDS = ("query", "tell", "volunteer", "skip", "undo")
_MAX_NUMBER = 2**63  # labels that are numbers are below it


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a person or the learner did."""

    kind: str  # "query", "tell", "volunteer", "skip" or "undo"
    indices: list[int] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)  # documents of a query that were drawn at random

    def line(self) -> dict[str, Any]:
        """What stands in the file of a session."""
        line = {"event": self.kind, "indices": self.indices, "labels": self.labels}
        return {**line, "drawn": self.drawn} if self.drawn else line

    @classmethod
    def of_line(cls, line: Mapping[str, Any], n_documents: int, where: str) -> Self:
        """The event of a line of a session's file about so many documents."""
        kind, indices, labels = (line.get(name) for name in ("event", "indices", "labels"))
        if (
            kind not in _KINDS
            or not isinstance(indices, list)
            or not isinstance(labels, list)
            or not all(isinstance(place, int) and 0 <= place < n_documents for place in indices)
            or (kind in ("tell", "volunteer") and len(labels) != len(indices))
        ):
            raise ValueError(f"{where}, is not an event of this session. {BY_HAND}")
        return cls(kind, indices, labels, line.get("drawn", []))


class Session:
    """The labels of documents as they come in, and how they came: what was asked, and what was answered.

    Documents are numbers from 0. `asked` notes which of them a person is asked for; `tell` takes labels of
    these only, `volunteer` those of any, `skip` leaves documents out, and `undo` takes the last of these
    back. The state is that of the events that were not taken back, one after the other. With a file behind it
    (see `save` and `resume`) every event is on the disk before the call returns.

    Parameters
    ----------
    n_documents : int
    y : (n_documents,) array or None, default=None
        Labels that are known already; -1, None or NaN where there is none.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None and NaN always do so. It cannot be told.

    Attributes
    ----------
    labels : list
        The label of each document, None where there is none.
    pending : list of int
        Documents that were asked for and neither told nor skipped.
    skipped : set of int
    history : list of Event
        All that happened and was not taken back.
    told : list of int
        Documents in the order in which their labels came.
    drawn : set of int
        Documents that were asked for because they were drawn at random.
    n_asked : int
        Documents in all queries so far, each once.
    initial : list
        The labels at the start.

    Examples
    --------
    >>> from plsa.active.session import Session
    >>> session = Session(4, ["tea", None, None, None])
    >>> session.asked([2, 3])
    >>> session.tell(3, "ball")
    >>> session.labels, session.pending, session.open().tolist()
    (['tea', None, None, 'ball'], [2], [1, 2])
    >>> session.skip(2)
    >>> session.undo().kind, session.pending
    ('skip', [2])
    >>> session.tell(1, "tea")
    Traceback (most recent call last):
        ...
    ValueError: document 1 was not asked for; those that are to be answered: 2. For a label of your own \
choice use volunteer.
    """

    def __init__(self, n_documents: int, y: Any = None, *, unlabeled: Any = UNLABELED) -> None:
        self.n_documents = n_documents
        self.unlabeled = unlabeled
        self.initial = _plain(y, n_documents, unlabeled)
        self._log: SessionLog | None = None
        self._begin()

    def _begin(self) -> None:
        """Back to the beginning."""
        self.labels = list(self.initial)
        self.pending: list[int] = []
        self.skipped: set[int] = set()
        self.history: list[Event] = []
        self.told: list[int] = []
        self.drawn: set[int] = set()
        self.n_asked = 0
        self._coded: Labels | None = None

    # --- the file --------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
        """Writes all that happened to a new file, which every event goes to from now on.

        What `about` says of the documents, or of who asks, has to be the same when the session is resumed.
        """
        self._log = SessionLog.create(path, self._header(about), [event.line() for event in self.history])

    def resume(self, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
        """Goes on with a file as it was after its last whole line; what began otherwise is an error."""
        log, header, lines = SessionLog.resume(path)
        for name, value in self._header(about).items():
            if header.get(name) != value:
                other = f"{name} {header.get(name)!r}, but is resumed with {value!r}"
                if name in ("documents", "labels", "cost"):  # of which the file has a digest only
                    other = f"other {name}"
                raise ValueError(f"{path} began with {other}: give the X, y and options that it began with.")
        self._begin()
        for number, line in enumerate(lines, 2):
            self._apply(Event.of_line(line, self.n_documents, f"{path}, line {number}"))
        self._log = log

    def _header(self, about: Mapping[str, Any] | None) -> dict[str, Any]:
        """What the session began with; where `about` has the same names, in its order."""
        labels = digest([(type(label).__name__, label) for label in self.initial])
        return {**(about or {}), "n_documents": self.n_documents, "labels": labels}

    # --- what happens ----------------------------------------------------------------------------

    def asked(self, indices: ArrayLike, drawn: Sequence[int] = ()) -> None:
        """A person is asked for these documents too; some of them may be drawn at random."""
        places = self._without_label(indices)
        new = [place for place in places if place not in self.pending]
        self._record(Event("query", [*self.pending, *new], drawn=list(drawn)))

    def tell(self, indices: ArrayLike, labels: Any) -> None:
        """The labels of documents that were asked for."""
        places, names = self._answers(indices, labels)
        self._check_asked(places)
        self._record(Event("tell", places, names))

    def volunteer(self, indices: ArrayLike, labels: Any) -> None:
        """Labels of documents of one's own choice, asked for or not."""
        self._record(Event("volunteer", *self._answers(indices, labels)))

    def skip(self, indices: ArrayLike) -> None:
        """Documents that are not to be asked for again; they may be volunteered."""
        places = self._without_label(indices)
        self._check_asked(places)
        self._record(Event("skip", places))

    def undo(self) -> Event:
        """Takes back the last answer, volunteered label or skip, and returns it: all is as it was before."""
        last = self.history[self._last_move()]
        self._record(Event("undo"))
        return last

    def _last_move(self) -> int:
        """The place of the last event that can be taken back."""
        moves = [place for place, event in enumerate(self.history) if event.kind != "query"]
        if not moves:
            raise ValueError("nothing was told, volunteered or skipped yet: there is nothing to take back.")
        return moves[-1]

    def _record(self, event: Event) -> None:
        """First on the disk, then in memory: what was done is never forgotten."""
        if self._log is not None:
            self._log.append(event.line())
        self._apply(event)

    def _apply(self, event: Event) -> None:
        """Changes the state as an event says."""
        if event.kind == "undo":
            past = self.history[: self._last_move()]
            self._begin()
            for before in past:
                self._apply(before)
            return
        self._coded = None
        self.history.append(event)
        if event.kind == "query":
            self.n_asked += len(set(event.indices) - set(self.pending))
            self.drawn.update(event.drawn)
            self.pending = list(event.indices)
            return
        self.pending = [place for place in self.pending if place not in set(event.indices)]
        if event.kind == "skip":
            self.skipped.update(event.indices)
            return
        self.told += event.indices
        for index, label in zip(event.indices, event.labels, strict=True):
            self.labels[index] = label
            self.skipped.discard(index)

    # --- what is known ---------------------------------------------------------------------------

    def open(self) -> Places:
        """Documents without a label that were not skipped."""
        unknown = {place for place, label in enumerate(self.labels) if label is None}
        return np.array(sorted(unknown - self.skipped), dtype=np.intp)

    def coded(self) -> Labels:
        """The labels as classes and codes, read once after each event."""
        if self._coded is None:
            self._coded = coded(self.labels)
        return self._coded

    # --- what may be told ------------------------------------------------------------------------

    def _without_label(self, indices: Any) -> list[int]:
        """Documents without a label, each once."""
        places = np.atleast_1d(np.asarray(indices))
        if places.ndim != 1 or places.dtype.kind not in "iu":
            raise ValueError(f"indices has {places.ndim} axes of {places.dtype}, but must be rows of X.")
        result: list[int] = places.tolist()
        for place in result:
            if not 0 <= place < self.n_documents:
                raise ValueError(f"there is no document {place}: rows of X are 0 to {self.n_documents - 1}.")
            if self.labels[place] is not None:
                label = self.labels[place]
                raise ValueError(f"document {place} has the label {label!r} already: undo to change it.")
        twice = [place for place, number in Counter(result).items() if number > 1]
        if twice:
            raise ValueError(f"document {twice[0]} is given twice: give each document once.")
        return result

    def _answers(self, indices: Any, labels: Any) -> tuple[list[int], list[Any]]:
        """Documents without a label, each once, and their labels, of one kind with those that are known."""
        places = self._without_label(indices)
        if isinstance(labels, set | frozenset | Mapping):
            raise ValueError(f"labels == {labels!r} has no order: give a list, one label for each document.")
        one = isinstance(labels, str) or not hasattr(labels, "__len__") or np.ndim(labels) == 0
        names = [_plain_label(label) for label in ([labels] if one else labels)]
        if len(names) != len(places):
            raise ValueError(f"there are {len(names)} labels for {len(places)} documents: give one for each.")
        other = next((label for label in self.labels if label is not None), None)
        for place, name in zip(places, names, strict=True):
            self._check_label(name, other, f"document {place} is told as {name!r}")
            other = name if other is None else other
        return places, names

    def _check_label(self, name: Any, other: Any, told: str) -> None:
        """Raises where a name is not a label, or one of another kind than some label that is known."""
        kind, wrong = _kind(name), ""
        if name is None or (isinstance(name, float) and name != name):
            wrong = "which is not a label: skip it instead"
        elif kind is None:
            wrong = "but a label is a string or a whole number"
        elif self.unlabeled is not None and kind == _kind(self.unlabeled) and name == self.unlabeled:
            wrong = "which marks a document without a label: skip it, or begin with unlabeled=None"
        elif other is not None and kind != _kind(other):
            wrong = f"a {kind}, but other labels are a {_kind(other)}, such as {other!r}"
        if wrong:
            raise ValueError(f"{told}, {wrong}.")

    def _check_asked(self, places: Sequence[int]) -> None:
        """Raises where a document was not asked for."""
        for place in places:
            if place not in self.pending:
                asked = ", ".join(map(str, self.pending[:10])) or "none"
                raise ValueError(
                    f"document {place} was not asked for; those that are to be answered: {asked}. For a "
                    "label of your own choice use volunteer."
                )


def coded(labels: Sequence[Any]) -> Labels:
    """Plain labels, None where there is none, as classes and codes."""
    known = [place for place, label in enumerate(labels) if label is not None]
    classes, code = np.empty(0), np.full(len(labels), UNLABELED, dtype=np.int32)
    if known:
        read = read_labels(np.array([labels[place] for place in known]), len(known), None)
        classes, code[known] = read.classes, read.code
    return Labels(classes, code)


def digest(values: list[Any]) -> str:
    """A few letters that other values hardly have."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def _plain(y: Any, n_documents: int, unlabeled: Any) -> list[Any]:
    """Labels as plain Python values, None where there is none."""
    if y is None:
        return [None] * n_documents
    labels = check_labels(y, n_documents)
    missing = is_unlabeled(labels, unlabeled)
    given = zip(labels.tolist(), missing.tolist(), strict=True)
    return [None if gone else _plain_label(label) for label, gone in given]


def _plain_label(label: Any) -> Any:
    """A label as a plain Python value."""
    return label.item() if isinstance(label, np.generic | np.ndarray) and np.ndim(label) == 0 else label


def _kind(label: Any) -> str | None:
    """Labels of one kind can be told apart and sorted; None: not a label."""
    if isinstance(label, str | bool):
        return "string" if isinstance(label, str) else "truth value"
    if isinstance(label, int | float) and abs(label) < _MAX_NUMBER and label == int(label):
        return "number"
    return None
