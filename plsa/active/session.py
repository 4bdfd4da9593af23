"""A labeling session: what was asked and answered, and what follows from it.

It knows numbers of documents, perhaps their ids, and their labels, and neither the documents nor a model:
whoever asks the questions, an `ActiveLearner` or a web page, stands on it.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from plsa.active.log import SessionLog
from plsa.active.record import ANEW, EACH, Event, Record, digest_of_labels, named_by
from plsa.engine.parameters import Array, Places
from plsa.estimators.validation import check_classes, check_labels, read_labels, warn_of_doubts
from plsa.inputs import counted, warn
from plsa.labels.reading import UNLABELED, Labels, doubtful, is_missing, is_unlabeled

_MAX_NUMBER = 2**63  # labels that are numbers are below it


class Session:
    """The labels of documents as they come in, and how they came: what was asked, and what was answered.

    Documents are numbers from 0. `asked` notes which of them a person is asked for, and `withdraw` takes that
    back; `tell` takes labels of these only, `volunteer` those of any, `skip` leaves documents out, and `undo`
    takes the last of these back; `amend` replaces a label, or by None takes it away, however long ago it was
    given. The state is that of the events that were not taken back, one after the other. With a file behind
    it (see `save` and `resume`) every event is on the disk before the call returns.

    Parameters
    ----------
    n_documents : int
    y : (n_documents,) array or None, default=None
        Labels that are known already; -1, None or NaN where there is none.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None, NaN and '' always do so. It cannot
        be told.
    ids : sequence of str or int, default=None
        A name of each document, by which a file knows it.
    classes : list, default=None
        Classes that there are, whether a label has been met or not; labels may be of others too.

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
        Documents in the order in which their labels came, as far as these were not taken away.
    drawn : set of int
        Documents that were asked for because they were drawn at random.
    n_asked : int
        Questions so far: documents in all queries, each once until it is answered or skipped.
    initial : list
        The labels at the start.
    declared : list
        The classes that are known to be there.

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
    >>> session.amend(0, "milk")
    >>> session.labels
    ['milk', None, None, 'ball']
    >>> session.tell(1, "tea")
    Traceback (most recent call last):
        ...
    ValueError: document 1 was not asked for; those that are to be answered: 2. For a label of your own \
choice use volunteer.
    """

    def __init__(
        self,
        n_documents: int,
        y: Any = None,
        *,
        unlabeled: Any = UNLABELED,
        ids: Sequence[Any] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.n_documents = n_documents
        self.unlabeled = check_mark(unlabeled)
        self.ids = None if ids is None else check_ids(ids, n_documents)
        self.declared = [] if classes is None else check_classes(classes, self.unlabeled).tolist()
        for name in self.declared:
            check_label(name, None, None, f"classes holds {name!r}")
        self.initial = _plain(y, n_documents, unlabeled, self.declared)
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

        What `about` says of the documents, or of who asks, has to be the same when the session is resumed;
        with ids, "documents" and "cost" are lists of an entry for each document.
        """
        known = [place for place, label in enumerate(self.initial) if label is not None]
        labels = [named_by(known, self.ids), [self.initial[place] for place in known]]
        header = {"n_documents": self.n_documents, **(about or {}), "labels": labels}
        if self.ids is not None:
            header["ids"] = self.ids
        self._log = SessionLog.create(path, header, [event.line(self.ids) for event in self.history])

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Self:
        """What a file says, without going on with it; labels at the start as far as it holds them."""
        record = Record.read(path)
        session = cls(record.header["n_documents"] if record.ids is None else len(record.ids), ids=record.ids)
        place_of = session.place_of()
        for document, label in (record.labels or {}).items():
            session.initial[document if place_of is None else place_of[document]] = label
        session.replay([*record.events(place_of, session.n_documents)])
        return session

    def resume(self, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
        """Goes on with a file as it was after its last whole line; what began otherwise is an error.

        With ids, documents may have moved, and there may be others than before.
        """
        record = Record.read(path)
        new = self._new_documents(record, {**(about or {}), "n_documents": self.n_documents})
        self._check_initial(record)
        self.replay([*record.events(self.place_of(), self.n_documents)])
        self._log = SessionLog.resume(path)
        if new:
            self._log.append(new)

    def place_of(self) -> dict[Any, int] | None:
        """The row of each id."""
        return None if self.ids is None else {each: place for place, each in enumerate(self.ids)}

    def _new_documents(self, record: Record, about: Mapping[str, Any]) -> dict[str, Any]:
        """What is to be noted of documents that a file has not met; raises where it began otherwise."""
        record.check_names(self.ids)
        if self.ids is None or record.ids is None:
            record.check(about)
            return {}
        record.check({name: value for name, value in about.items() if name not in ("n_documents", *EACH)})
        met = set(record.ids)
        new = [place for place, each in enumerate(self.ids) if each not in met]
        line: dict[str, Any] = {"event": "documents", "ids": [self.ids[place] for place in new]}
        for name in EACH:
            values, began = about.get(name), dict(zip(record.ids, record.each(name), strict=False))
            if (values is None) != (not began):
                record.check({name: values})
            if values is None:
                continue
            for each, value in zip(self.ids, values, strict=True):
                if began.get(each, value) != value:
                    raise ValueError(
                        f"{record.path} began with other {name}, of the id {each!r} for one: an id stands "
                        f"for one document, whose contents, columns of X and cost stay. {ANEW}."
                    )
            line[name] = [values[place] for place in new]
        return line if new else {}

    def _check_initial(self, record: Record) -> None:
        """Raises where the labels at the start are not those of a file."""
        known, give = record.labels, "leave y out, as the file knows it, and volunteer what is new"
        if known is None:
            if record.header.get("labels") != digest_of_labels(self.initial):
                raise ValueError(f"{record.path} began with other labels: give the y that it began with.")
            return
        place_of = self.place_of()
        gone = None if place_of is None else next((each for each in known if each not in place_of), None)
        if gone is not None:
            lost = f"the document with the id {gone!r}, labeled at the start, which X has no more"
            raise ValueError(f"{record.path} began with {lost}: give X and ids with it.")
        for place, label in enumerate(self.initial):
            began = known.get(place if self.ids is None else self.ids[place])
            if (_kind(began), began) != (_kind(label), label):
                found = f"{began!r} for {self._named(place)}, but is resumed with {label!r}"
                raise ValueError(f"{record.path} began with other labels: {found}: {give}.")

    # --- what happens ----------------------------------------------------------------------------

    def asked(self, indices: ArrayLike, drawn: Sequence[int] = ()) -> None:
        """A person is asked for these documents too; some of those that are new may be drawn at random."""
        new = [place for place in self._without_label(indices) if place not in self.pending]
        if new:
            drawn = [place for place in drawn if place in new]
            self._record(Event("query", [*self.pending, *new], drawn=drawn))

    def tell(self, indices: ArrayLike, labels: Any) -> None:
        """The labels of documents that were asked for."""
        places = self._without_label(indices)
        names = self._answers(places, labels)
        self._check_asked(places, "For a label of your own choice use volunteer")
        self._record(Event("tell", places, names))

    def volunteer(self, indices: ArrayLike, labels: Any) -> None:
        """Labels of documents of one's own choice, asked for or not."""
        places = self._without_label(indices)
        self._record(Event("volunteer", places, self._answers(places, labels)))

    def amend(self, indices: ArrayLike, labels: Any) -> None:
        """Other labels of documents that have one; None takes it away."""
        places = self._rows(indices)
        for place in places:
            if self.labels[place] is None:
                never = f"{self._named(place)} has no label yet, so that there is none to amend"
                raise ValueError(f"{never}: tell it if it was asked for, or volunteer it.")
        self._record(Event("amend", places, self._answers(places, labels, or_none=True)))

    def skip(self, indices: ArrayLike) -> None:
        """Documents that were asked for, and are not to be asked for again; they may be volunteered."""
        places = self._without_label(indices)
        self._check_asked(places, "One that is not to be answered can be skipped when it is asked for")
        self._record(Event("skip", places))

    def withdraw(self, indices: ArrayLike | None = None) -> None:
        """Documents that are not to be answered now, or all of those: as if they had not been asked for."""
        if not self.pending:
            raise ValueError("no document is to be answered: there is no question to withdraw.")
        places = list(self.pending) if indices is None else self._without_label(indices)
        self._check_asked(places, "There is no question about it to withdraw")
        self._record(Event("withdraw", places))

    def undo(self) -> Event:
        """Takes back the last answer, volunteered or amended label or skip, and returns it.

        All is as it was before, but for questions that were withdrawn.
        """
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
        """First on the disk, then in memory: what was done is never forgotten. Of no document, nothing."""
        if not event.indices and event.kind != "undo":
            return
        if self._log is not None:
            self._log.append(event.line(self.ids))
        self._apply(event)

    def replay(self, events: Sequence[Event]) -> None:
        """All that happened, from the beginning on."""
        self._begin()
        for event in events:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        """Changes the state as an event says."""
        if event.kind == "undo":
            self.replay(self.history[: self._last_move()])
            return
        if event.kind == "withdraw":
            past = self.history
            # An earlier question about the same document, which was answered or skipped, stays asked.
            moved = {
                place: at for at, each in enumerate(past) if each.kind != "query" for place in each.indices
            }
            self._begin()
            for at, each in enumerate(past):
                gone = {place for place in event.indices if at > moved.get(place, -1)}
                left = each.without(gone) if each.kind == "query" else each
                if left == each or not set(left.indices) <= set(self.pending):  # it still asks for something
                    self._apply(left)
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
        if event.kind != "amend":  # which is the same answer, put right
            self.told += event.indices
        for index, label in zip(event.indices, event.labels, strict=True):
            self.labels[index] = label
            self.skipped.discard(index)
            if label is None and index in self.told:
                self.told.remove(index)

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

    def classes(self) -> Array:
        """The classes that are declared or have a label, sorted."""
        return np.unique([*self.declared, *self.coded().classes.tolist()])

    # --- what may be told ------------------------------------------------------------------------

    def _named(self, place: int) -> str:
        """A document as errors call it."""
        return f"document {place}" if self.ids is None else f"document {place} (id {self.ids[place]!r})"

    def _rows(self, indices: Any) -> list[int]:
        """Documents, each once."""
        places = np.atleast_1d(np.asarray(indices))
        if places.ndim != 1 or (places.dtype.kind not in "iu" and len(places)):
            how = "" if self.ids is None else "; rows(ids) gives those of ids"
            how = "; np.flatnonzero(mask) gives those of a mask" if places.dtype.kind == "b" else how
            found = f"indices is {places.ndim}D of type {places.dtype}"
            raise ValueError(f"{found}, but must be rows of X{how}.")
        result: list[int] = places.astype(int).tolist()
        for place in result:
            if not 0 <= place < self.n_documents:
                raise ValueError(f"there is no document {place}: rows of X are 0 to {self.n_documents - 1}.")
        twice = [place for place, number in Counter(result).items() if number > 1]
        if twice:
            raise ValueError(f"{self._named(twice[0])} is given twice: give each document once.")
        return result

    def _without_label(self, indices: Any) -> list[int]:
        """Documents without a label, each once."""
        places = self._rows(indices)
        for place in places:
            if self.labels[place] is not None:
                found = f"{self._named(place)} has the label {self.labels[place]!r} already"
                raise ValueError(f"{found}: amend changes it, or takes it away where it is given None.")
        return places

    def _answers(self, places: Sequence[int], labels: Any, *, or_none: bool = False) -> list[Any]:
        """The labels that documents are given, of one kind with those of others; or none, if that may be."""
        if isinstance(labels, set | frozenset | Mapping):
            raise ValueError(f"labels == {labels!r} has no order: give a list, one label for each document.")
        array = isinstance(labels, np.ndarray | np.generic) and not labels.ndim
        one = array or isinstance(labels, str | bytes) or not hasattr(labels, "__len__")
        names = [_plain_label(label) for label in ([labels] if one else labels)]
        if len(names) != len(places):
            found = f"{counted(len(names), 'label')} for {counted(len(places), 'document')}"
            raise ValueError(f"labels has {found}: give one for each. Several for one are not supported.")
        given = set(places)
        known = (place for place, label in enumerate(self.labels) if label is not None)
        others = [*self.declared, *(self.labels[place] for place in known if place not in given)]
        other = next(iter(others), None)
        for place, name in zip(places, names, strict=True):
            if name is None and or_none:
                continue
            check_label(name, other, self.unlabeled, f"{self._named(place)} is told as {name!r}")
            other = name if other is None else other
        if self.unlabeled is not None:
            classes = np.unique([label for label in {*self.labels, *names} if label is not None])
            for doubt in classes[doubtful(classes)].tolist():
                if doubt in names and doubt not in (*self.labels, *self.declared):
                    told = (
                        f"{self._named(places[names.index(doubt)])} is told as {doubt!r}, taken for a class"
                    )
                    warn(f"{told}. If it says that there is no label, undo this, and skip is for that.")
        return names

    def _check_asked(self, places: Sequence[int], advice: str) -> None:
        """Raises where a document was not asked for."""
        for place in places:
            if place not in self.pending:
                asked = ", ".join(map(str, self.pending[:10])) or "none"
                found = f"{self._named(place)} was not asked for; those that are to be answered: {asked}"
                raise ValueError(f"{found}. {advice}.")


def check_label(name: Any, other: Any, unlabeled: Any, told: str) -> None:
    """Raises where a name is not a label, or one of another kind than some label that is known.

    All labels of a session pass here: those at the start, answers, volunteered and amended ones.
    """
    kind, wrong = _kind(name), ""
    if isinstance(name, list | tuple | set | frozenset | Mapping | np.ndarray):
        wrong = "but one label for each document is what is supported"
    elif is_missing(name):
        wrong = "which is not a label: skip is for documents that nobody can tell, and amend takes None"
    elif kind is None:
        wrong = "but a label is a string or a whole number"
    elif unlabeled is not None and kind == _kind(unlabeled) and name == unlabeled:
        wrong = "which marks a document without a label: skip it, amend it by None or pass unlabeled=None"
    elif other is not None and kind != _kind(other):
        wrong = f"a {kind}, but other labels are a {_kind(other)}, such as {other!r}"
    if wrong:
        raise ValueError(f"{told}, {wrong}.")


def check_mark(unlabeled: Any) -> Any:
    """What marks a document without a label, as a plain value; None where it does so anyway."""
    mark = _plain_label(unlabeled)
    if is_missing(mark):
        return None
    if not isinstance(mark, str | int | float):
        raise ValueError(f"unlabeled == {unlabeled!r}, but must be a string, a number or None.")
    return mark


def check_ids(ids: Any, n_documents: int) -> list[Any]:
    """A name of each document, no two of them the same."""
    if isinstance(ids, str | bytes | set | frozenset | Mapping) or not hasattr(ids, "__len__"):
        raise ValueError(f"ids is a {type(ids).__name__}, but must be a list of one id for each document.")
    names = [_plain_label(each) for each in ids]
    if len(names) != n_documents:
        raise ValueError(f"there are {len(names)} ids for {n_documents} documents: give one for each.")
    first: dict[Any, int] = {}
    for place, name in enumerate(names):
        if isinstance(name, bool) or not isinstance(name, str | int) or type(name) is not type(names[0]):
            must = "strings, or all of them whole numbers"
            raise ValueError(f"ids holds {name!r} at {place}, but all of them must be {must}.")
        if first.setdefault(name, place) != place:
            twice = f"the id {name!r} stands at {first[name]} and at {place}"
            raise ValueError(f"{twice}: every document needs an id of its own.")
    return names


def coded(labels: Sequence[Any]) -> Labels:
    """Plain labels, None where there is none, as classes and codes."""
    known = [place for place, label in enumerate(labels) if label is not None]
    classes, code = np.empty(0), np.full(len(labels), UNLABELED, dtype=np.int32)
    if known:
        read = read_labels(np.array([labels[place] for place in known]), len(known), None)
        classes, code[known] = read.classes, read.code
    return Labels(classes, code)


def _plain(y: Any, n_documents: int, unlabeled: Any, declared: Sequence[Any]) -> list[Any]:
    """Labels as plain Python values, None where there is none; of one kind with declared classes."""
    if y is None:
        return [None] * n_documents
    labels = check_labels(y, n_documents)
    missing = is_unlabeled(labels, unlabeled)
    given = zip(labels.tolist(), missing.tolist(), strict=True)
    plain = [None if gone else _plain_label(label) for label, gone in given]
    other = next((label for label in (*declared, *plain) if label is not None), None)
    for place, label in enumerate(plain):
        if label is not None:
            check_label(label, other, None, f"y holds {label!r} at {place}")
    if unlabeled is not None:
        warn_of_doubts(coded(plain))
    return plain


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
