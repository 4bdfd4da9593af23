"""A session without any model, and its file: what was appended is there, whatever became of the program."""

import copy
import json
import os
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plsa.active.log import FORMAT, SessionLog
from plsa.active.session import Session


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


def test_what_was_appended_is_read_again(path):
    """Header and events, in their order, and the file goes on."""
    log = SessionLog.create(path, {"n": 3})
    log.append({"tell": [1], "labels": ["äpfel\n"]})
    log.close()
    header, events = SessionLog.read(path)
    assert header == {"format": FORMAT, "n": 3}
    assert events == [{"tell": [1], "labels": ["äpfel\n"]}]
    again = SessionLog.resume(path)
    again.append({"tell": [2]})
    again.close()
    assert SessionLog.read(path)[1] == [{"tell": [1], "labels": ["äpfel\n"]}, {"tell": [2]}]


@given(cut=st.integers(0, 200))
def test_a_cut_loses_no_whole_line(tmp_path_factory, cut):
    """Wherever the file ends, all whole lines are read, and what is written next is a line of its own."""
    path = tmp_path_factory.mktemp("cut") / "session.jsonl"
    log = SessionLog.create(path, {})
    for number in range(6):
        log.append({"event": number, "text": "x" * number})
    log.close()
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    kept = whole[: max(first, len(whole) - cut)]
    path.write_bytes(kept)
    _, events = SessionLog.read(path)
    assert path.read_bytes() == kept, "reading changes nothing"
    n_lines = kept.count(b"\n") - 1
    assert [event["event"] for event in events] == list(range(n_lines))
    again = SessionLog.resume(path)
    again.append({"event": "next"})
    again.close()
    assert [event["event"] for event in SessionLog.read(path)[1]] == [*range(n_lines), "next"]


WRITER = """
import sys
from plsa.active.log import SessionLog
log = SessionLog.create(sys.argv[1], {})
number = 0
while True:
    log.append({"event": number})
    print(number, flush=True)
    number += 1
"""


@pytest.mark.parametrize("moment", [0.0, 0.003, 0.02])
def test_kill_9_loses_nothing_that_was_acknowledged(path, moment):
    """Every number that was printed after its append is in the file."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        first = writer.stdout.readline()
        time.sleep(moment)
        writer.kill()
        acknowledged = [
            int(line) for line in [first, *writer.stdout.read().splitlines(True)] if line.endswith("\n")
        ]
    _, events = SessionLog.read(path)
    numbers = [event["event"] for event in events]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= len(acknowledged) > 0


def test_what_is_refused(path, tmp_path):
    """A file that exists, a folder, none for it, no file, no session, another format, a broken line."""
    SessionLog.create(path, {}).close()
    with pytest.raises(FileExistsError, match="resume that session"):
        SessionLog.create(path, {})
    with pytest.raises(FileNotFoundError, match="no folder"):
        SessionLog.create(tmp_path / "none" / "session.jsonl", {})
    with pytest.raises(FileNotFoundError, match="no file"):
        SessionLog.read(tmp_path / "none.jsonl")
    for use in (lambda: SessionLog.create(tmp_path, {}), lambda: SessionLog.read(tmp_path)):
        with pytest.raises(IsADirectoryError, match=r"is a folder, .*: name one in it, like .*session.jsonl"):
            use()
    other = tmp_path / "other.jsonl"
    for text, message in (
        ("", "has no whole line"),
        ('{"form', "has no whole line"),
        ('{"a": 1}\n', "is not a session"),
        ("[]\n", "line 1, is not a JSON object"),
        (json.dumps({"format": 99}) + "\n", "of format 99; this version reads"),
        (json.dumps({"format": FORMAT}) + "\nrubbish\n", "line 2, is not valid JSON"),
    ):
        other.write_text(text)
        with pytest.raises(ValueError, match=message):
            SessionLog.read(other)


def test_lines_are_synced(path, monkeypatch):
    """Each append ends with a sync, after the line is written."""
    synced = []
    real = os.fsync

    def fsync(file):
        synced.append(path.read_bytes().count(b"\n"))
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    log = SessionLog.create(path, {})
    log.append({"event": 0})
    log.close()
    assert synced[0] == 1
    assert synced[-1] == 2


def test_a_write_that_fails_halfway_leaves_no_trace(tmp_path, monkeypatch):
    """A full disk takes one answer, not those after it."""
    path = tmp_path / "session.jsonl"
    log = SessionLog.create(path, {"a": 1})
    before = path.read_bytes()
    write = os.write

    def full(file, text):
        if len(text) > 10:
            return write(file, text[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        log.append({"event": "tell", "indices": [1], "labels": [2]})
    assert path.read_bytes() == before
    monkeypatch.undo()
    log.append({"event": "skip"})
    assert SessionLog.read(path)[1] == [{"event": "skip"}]


def test_two_writers_are_one_too_many(path):
    """What the other has written is not talked over, and a file that is gone takes no answer with it."""
    first = SessionLog.create(path, {})
    second = SessionLog.resume(path)
    second.append({"event": 1})
    whole = path.read_bytes()
    with pytest.raises(RuntimeError, match=r"written to by somebody else.*: resume it"):
        first.append({"event": 2})
    assert path.read_bytes() == whole
    second.append({"event": 3})
    with pytest.raises(TypeError, match="cannot be copied or pickled: resume it"):
        copy.deepcopy(second)
    path.unlink()
    with pytest.raises(RuntimeError, match="was deleted or replaced"):
        second.append({"event": 4})


# ---- the session itself


def state(session):
    """All that a session says of itself."""
    names = ("labels", "pending", "skipped", "history", "told", "drawn", "n_asked")
    return {name: getattr(session, name) for name in names}


MOVES = ("asked", "tell", "volunteer", "amend", "skip", "withdraw", "undo")
FIRST = [None, "a", *[None] * 6]


def made(session, move, document, label):
    """Makes a move about a document; one that is asked for is drawn, too, and N takes a label away."""
    label = None if label == "N" and move == "amend" else label
    arguments = {"asked": ([document], [document]), "undo": ()}
    if move in ("skip", "withdraw"):
        arguments[move] = (document,)
    getattr(session, move)(*arguments.get(move, (document, label)))


def taken_back(done):
    """The moves up to the last one that can be taken back."""
    return done[: max(place for place, move in enumerate(done) if move[0] != "asked")]


@given(
    moves=st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 2), st.sampled_from("abN")), max_size=20),
    ids=st.sampled_from([None, [*"hgfedcba"], [7, 1, 5, 3, 2, 0, 4, 6]]),
)
def test_a_session_is_its_events_and_its_file(tmp_path_factory, moves, ids):
    """Every move does what it says, undoing gives the state before, a refusal changes nothing."""
    path = tmp_path_factory.mktemp("session") / "session.jsonl"
    about = {"documents": 3 if ids is None else [*range(8)]}
    session = Session(8, FIRST, ids=ids)
    session.save(path, about)
    done = []  # what was not taken back
    for move, document, label in moves:
        was = copy.deepcopy(state(session))
        pending, told, has_label = [*session.pending], [*session.told], session.labels[document] is not None
        allowed = {
            "undo": any(each[0] != "asked" for each in done),
            "amend": has_label,
            "asked": not has_label,
            "volunteer": not has_label,
        }.get(move, document in pending)
        if not allowed:
            with pytest.raises(ValueError, match=r"document|nothing"):
                made(session, move, document, label)
            assert state(session) == was
            continue
        made(session, move, document, label)
        if move == "undo":
            done = taken_back(done)
        elif move == "withdraw":
            about_it = [
                place for place, each in enumerate(done) if each[1] == document and each[0] != "asked"
            ]
            since = max(about_it, default=-1)  # an earlier question was answered or skipped
            kept = [place <= since or each[:2] != ("asked", document) for place, each in enumerate(done)]
            done = [each for each, stays in zip(done, kept, strict=True) if stays]
        elif move != "asked" or document not in pending:
            done.append((move, document, label))
        if move == "asked":
            assert session.pending == [*pending, *[document] * (document not in pending)]
            assert session.n_asked == was["n_asked"] + (document not in pending)
            assert session.drawn == {*was["drawn"], document}
            assert len(session.history) == len(was["history"]) + (document not in pending)
        elif move == "withdraw":
            assert session.n_asked == was["n_asked"] - 1
            assert session.drawn == {each[1] for each in done if each[0] == "asked"}
        elif move != "undo":
            assert (document in session.skipped) == (move == "skip")
            gone = move == "amend" and label == "N"
            assert session.labels[document] == (None if move == "skip" or gone else label)
            assert session.told == [place for place in told if not gone or place != document] + [document] * (
                move in ("tell", "volunteer")
            )
        if move != "asked" and move != "undo":
            assert session.pending == [place for place in pending if place != document]
        straight = Session(8, FIRST, ids=ids)
        for each in done:
            made(straight, *each)
        assert state(straight) == state(session), "as if what was taken back had not been"
    assert session.open().tolist() == [
        place for place in range(8) if session.labels[place] is None and place not in session.skipped
    ]
    known = session.coded()
    assert [None if code < 0 else known.classes[code] for code in known.code] == session.labels
    again, later = (Session(8, session.initial, ids=ids) for _ in range(2))
    again.resume(path, about)
    again.save(path.with_name("later.jsonl"), about)
    later.resume(path.with_name("later.jsonl"), about)
    assert state(session) == state(again) == state(later) == state(Session.of_file(path))


def test_a_session_is_resumed_as_it_began(path):
    """Other labels, another number of documents, or something else about it."""
    Session(3, ["a", None, None]).save(path, {"documents": 3})
    for session, about, message in (
        (Session(3, ["b", None, None]), {"documents": 3}, "began with other labels"),
        (Session(3, ["a", None, "a"]), {"documents": 3}, "other labels: None for document 2, but .* 'a'"),
        (Session(4, ["a", None, None, None]), {"documents": 3}, "n_documents 3, but is resumed with 4"),
        (Session(3, ["a", None, None]), {"documents": 4}, "began with other documents"),
    ):
        with pytest.raises(ValueError, match=message):
            session.resume(path, about)
    path.write_text(path.read_text() + '{"event":"undo","indices":[],"labels":[]}\n')
    with pytest.raises(ValueError, match="nothing to take back"):
        Session(3, ["a", None, None]).resume(path, {"documents": 3})


def test_what_could_not_be_written_did_not_happen(tmp_path, monkeypatch):
    """A full disk: the session stays as it was, and as its file is."""
    session = Session(3)
    session.save(tmp_path / "session.jsonl")
    session.asked([0, 1])
    was = copy.deepcopy(state(session))

    def full(log, line):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SessionLog, "append", full)
    for move in (lambda: session.tell(0, "a"), lambda: session.skip(1), lambda: session.volunteer(2, "a")):
        with pytest.raises(OSError, match="No space left"):
            move()
        assert state(session) == was


def test_an_earlier_question_stays_asked_where_a_later_one_is_withdrawn():
    """About a document that was skipped, or whose label was taken away."""
    for answered in (lambda session: session.skip(1), lambda session: session.tell(1, "b")):
        session = Session(4, ["a", None, None, None])
        session.asked([1], drawn=[1])
        answered(session)
        if session.labels[1] is not None:
            session.amend(1, None)
        was = copy.deepcopy(state(session))
        session.asked([1, 2])
        session.withdraw([1, 2])
        assert state(session) == was


def test_undoing_takes_back_questions_and_labels_that_were_read():
    """Questions after the move, what was drawn for them, and the codes of labels."""
    session = Session(4, ["a", None, None, None])
    session.asked([1])
    was = copy.deepcopy(state(session))
    assert session.coded().code.tolist() == [0, -1, -1, -1]
    session.tell(1, "b")
    assert session.coded().code.tolist() == [0, 1, -1, -1]
    session.asked([2], drawn=[2])
    session.undo()
    assert state(session) == was
    assert session.coded().code.tolist() == [0, -1, -1, -1]


def test_labels_that_look_like_none_are_named():
    """At the start and in answers, once; unlabeled=None says that they are classes."""
    with pytest.warns(
        UserWarning, match="y has 'nan' in 1 row, first in row 1, and it was taken for a class"
    ):
        Session(4, ["a", "nan", "", None])
    session = Session(4, ["a", " ", "", None])
    assert session.labels == ["a", None, None, None]
    with pytest.warns(UserWarning, match="document 2 is told as 'NA', taken for a class.*skip is for that"):
        session.volunteer(2, "NA")
    session.volunteer(3, "b")  # nothing is said again
    sure = Session(3, ["a", "nan", None], unlabeled=None)
    sure.volunteer(2, "None")
    assert sure.labels == ["a", "nan", "None"]
    numbers = Session(3, [0, 1, None])
    with pytest.warns(UserWarning, match="told as -2, taken for a class"):
        numbers.volunteer(2, -2)
