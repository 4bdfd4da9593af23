"""`plsa label`: what a person does, in lines, on a screen and by single keys; nothing is lost."""

import csv
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plsa import ActiveLearner
from plsa.app import cli, reading, terminal
from plsa.app import label as labeling
from plsa.app.desk import Desk
from plsa.datasets import planted_corpus
from plsa.show.tables import width_of

COMMAND = [sys.executable, "-P", "-W", "error", "-m", "plsa.app.cli"]


def _made():
    """60 texts of three classes."""
    corpus = planted_corpus(
        60, 45, 3, n_classes=3, document_length=25, word_concentration=0.2, random_state=0
    )
    words = np.array([f"w{place}{'abc'[place % 3]}" for place in range(45)])
    texts = [" ".join(np.repeat(words, row)) for row in corpus.counts.toarray().astype(int)]
    return texts, np.array(["art", "food", "sport"])[corpus.target].tolist()


TEXTS, TRUTH = _made()


@pytest.fixture
def docs(tmp_path):
    path = tmp_path / "docs.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *((f"d{n}", text) for n, text in enumerate(TEXTS))])
    return str(path)


def arguments(docs, *more):
    """What `plsa label` makes of its options."""
    argv = ["label", docs, "--quiet", *more]
    args = cli._parser(argv).parse_args(argv)
    args.session, args.label_column = f"{docs}.session", "label"
    args.classes = [name for name in args.classes.split(",") if name]
    return args


@pytest.fixture
def desk(docs):
    args = arguments(docs)
    return Desk(args, reading.read(args)[0])


def truly(desk, n):
    """Answers n questions truly."""
    for _ in range(n):
        place = desk.next()
        name = TRUTH[place]
        assert desk.act(place, name if name in desk.classes() else f"+{name}")


def known(desk):
    return {n: label for n, label in enumerate(desk.learner.labels_) if label is not None}


# --- the desk ------------------------------------------------------------------------------------


def test_answers_are_on_the_disk_at_once_and_the_model_learns_along(desk, docs):
    assert desk.guess(desk.next()) is None
    assert desk.act(desk.next(), "")
    assert "no guess yet" in desk.said
    truly(desk, 12)
    assert ActiveLearner.labels_in(f"{docs}.session") == {f"d{n}": TRUTH[n] for n in known(desk)}
    place = desk.next()
    guess = desk.guess(place)
    assert sum(guess.chances) == pytest.approx(1)
    assert list(guess.chances) == sorted(guess.chances, reverse=True)
    assert set(guess.words) <= set(TEXTS[place].split())
    desk.act(place, "")
    assert known(desk)[place] == guess.classes[0]
    open_ones = [n for n in range(60) if n not in known(desk)]
    right = np.mean([desk.guess(n).classes[0] == TRUTH[n] for n in open_ones])
    assert right > 0.7


def test_words_that_speak_for_the_guess_are_those_of_its_class(desk):
    """By a dense computation: log of how much more frequent a word is where the class is believed to be."""
    truly(desk, 15)
    classes, chances = desk.learner.hint()
    place = desk.next()
    of_class = list(classes).index(desk.guess(place).classes[0])
    X = desk.X.toarray().astype(float)
    within, everywhere = X.T @ chances[:, of_class] + 0.5, X.sum(axis=0) + 1.0
    share = (X.sum(axis=1) @ chances[:, of_class] + 1) / (X.sum() + 2)
    score = np.log(within / everywhere / share)
    best = [n for n in np.argsort(-score, kind="stable") if X[place, n] and score[n] > 0.5]
    named = [desk.vocabulary[n] for n in best if "-" not in desk.vocabulary[n]]  # the others are pieces
    assert list(desk.guess(place).words) == named[:8]


def test_a_session_goes_on_after_it_was_closed(docs, desk):
    truly(desk, 7)
    before, asked = known(desk), desk.next()
    args = arguments(docs)
    again = Desk(args, reading.read(args)[0])
    assert known(again) == before
    assert again.next() == asked
    assert again.classes() == sorted(set(before.values()))


def test_undo_takes_back_and_asks_again(desk):
    truly(desk, 3)
    before = known(desk)
    place = desk.next()
    desk.act(place, "+wrong")
    desk.act(desk.next(), "-")
    assert known(desk) == before
    assert desk.next() == place
    for _ in range(3):
        desk.act(desk.next(), "-")
    assert known(desk) == {}
    desk.act(desk.next(), "-")
    assert desk.said == "nothing to take back"


def test_skipped_documents_are_not_asked_for_again(desk):
    place = desk.next()
    desk.act(place, ".")
    assert place in desk.learner.skipped_
    truly(desk, 59)
    assert desk.next() is None
    assert len(known(desk)) == 59


def test_searching_brings_documents_that_have_the_word(desk):
    truly(desk, 2)
    word = TEXTS[5].split()[0]
    wanted = [n for n, text in enumerate(TEXTS) if word in text and n not in known(desk)]
    desk.act(desk.next(), f"/{word.upper()}")
    assert desk.said.startswith(f"{len(wanted)} document")
    for place in wanted:
        assert desk.next() == place
        desk.act(place, TRUTH[place] if TRUTH[place] in desk.classes() else f"+{TRUTH[place]}")
    assert desk.next() not in wanted
    assert desk.found == []
    kinds = {event.kind for event in desk.learner.history_ if set(event.indices) & set(wanted)}
    assert "volunteer" in kinds
    assert kinds <= {"volunteer", "query", "tell"}, "told is what was asked for, too"
    desk.act(desk.next(), "/no such word")
    assert desk.said.startswith("0 documents")


def test_classes_go_by_number_name_and_beginning(docs):
    args = arguments(docs, "--classes", "sport,spoon,food")
    desk = Desk(args, reading.read(args)[0])
    assert desk.classes() == ["sport", "spoon", "food"]
    assert [desk.named(text) for text in ("1", "3", "food", "f", "spor", "sp", "x", "4", "0")] == [
        "sport", "food", "food", "food", "sport", None, None, None, None
    ]  # fmt: skip
    assert desk.matching("SP") == ["sport", "spoon"]
    assert desk.matching("oo") == ["spoon", "food"]
    desk.act(desk.next(), "sp")
    assert desk.said == "'sp' may be sport, spoon"
    desk.act(desk.next(), "zoo")
    assert desk.said == "no class 'zoo': +zoo makes it"
    assert known(desk) == {}
    desk.act(desk.next(), "+art")
    assert desk.classes() == ["sport", "spoon", "food", "art"], "numbers stay"


def test_export_has_all_rows_with_their_labels_and_how_these_came(desk, tmp_path):
    truly(desk, 5)
    desk.act(desk.next(), f"/{TEXTS[50].split()[0]}")
    chosen = desk.next()
    desk.act(chosen, f"+{TRUTH[chosen]}")
    desk.act(desk.next(), f"={tmp_path / 'out.csv'}")
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"d{n}" for n in range(60)]
    assert [row["text"] for row in rows] == TEXTS
    for n, row in enumerate(rows):
        assert row["label"] == known(desk).get(n, "")
        assert row["label_kind"] == ("chosen" if n == chosen else "asked" if n in known(desk) else "")


# --- lines ---------------------------------------------------------------------------------------


def test_lines_are_enough(docs, tmp_path):
    """For screen readers and scripts: questions on standard output, answers by standard input."""
    given = "\n".join(["+art", "+food", "art", "", "?", "!", "-", "q"]) + "\n"
    done = subprocess.run([*COMMAND, "label", docs], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert f"answers are kept in {docs}.session" in done.stderr
    assert done.stdout.count("label") >= 7
    assert len(ActiveLearner.labels_in(f"{docs}.session")) == 3
    out = tmp_path / "labeled.csv"
    done = subprocess.run(
        [*COMMAND, "label", docs, "--export", str(out)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    with open(out, newline="") as file:
        assert sum(row["label"] != "" for row in csv.DictReader(file)) == 3


def test_without_a_session_there_is_nothing_to_export(docs, tmp_path, capsys):
    assert cli.main(["label", docs, "--export", str(tmp_path / "x.csv")]) == 1
    assert "there is no session" in capsys.readouterr().err
    assert cli.main(["label", "-"]) == 1
    assert "give the documents as a file" in capsys.readouterr().err


# --- keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "keys", "command"),
    [
        ("art,food,sport", ["enter"], ""),
        ("art,food,sport", ["2"], "2"),
        ("art,food,sport", ["s"], "+sport"),
        ("sport,spoon,food", ["s", "p", "o", "r"], "+sport"),
        ("sport,spoon,food", ["s", "p", "enter"], "sp"),  # which is refused
        ("food,sports,sport", ["s", "p", "o", "r", "t", "enter"], "+sport"),
        ("sport,unique", ["q"], None),  # inside a name is not its beginning
        ("0,1,2", ["1"], "+1"),  # such classes do not go by numbers
        ("q,-", ["q"], "+q"),
        ("art,food,sport", ["+", "n", "e", "w", "enter"], "+new"),
        ("art,food,sport", ["/", "2", "enter"], "/2"),
        ("art,food,sport", ["=", *"a.csv", "enter"], "=a.csv"),
        ("art,food,sport", ["."], "."),
        (",".join(f"c{n}" for n in range(12)), ["1", "2", "enter"], "+c11"),  # the twelfth
        (",".join(f"c{n}" for n in range(12)), ["c", "1", "1"], "+c11"),
    ],
)
def test_one_key_is_an_answer_where_that_is_clear(docs, classes, keys, command):
    args = arguments(docs, "--classes", classes)
    desk = Desk(args, reading.read(args)[0])
    typed = ""
    for place, key in enumerate(keys):
        found, typed = labeling._command(desk, key, typed)
        assert (found is not None) == (place == len(keys) - 1 and command is not None)
    assert found == command
    assert typed == ("" if command is not None else keys[-1])


@given(text=st.text(max_size=80), width=st.integers(2, 40))
def test_lines_fit_and_nothing_is_lost(text, width):
    lines = terminal.wrapped(text, width)
    assert all(width_of(line) <= width for line in lines)
    shown = "".join("".join(lines).split())
    assert shown == "".join("".join(c if c.isprintable() else " " for c in text).split())


@pytest.mark.parametrize("n_classes", [0, 3, 100])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_screen_holds_what_it_has_to(docs, monkeypatch, n_classes, width):
    args = arguments(docs, "--classes", ",".join(f"class {n}" for n in range(n_classes)))
    documents = reading.read(args)[0]
    documents.texts[:] = [text + " lorem ipsum" * 400 for text in documents.texts]
    desk = Desk(args, documents)
    truly(desk, 4)
    monkeypatch.setattr(terminal, "size", lambda: (width, 24))
    place = desk.next()
    lines, pages, page = labeling._drawn(desk, place, desk.guess(place), "", None)
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    assert len(lines) <= 24
    assert max(map(width_of, plain)) < width
    assert pages > 1
    assert page == 0, "where the words are that speak for the guess"
    assert any(line.startswith("Enter: ") for line in plain)


# --- a terminal ----------------------------------------------------------------------------------

pty = pytest.importorskip("pty")


class Person:
    """Types at `plsa label` in a terminal of its own."""

    def __init__(self, docs):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(sys.executable, [*COMMAND, "label", docs])
        self.seen = b""

    def until(self, what, seconds=60):
        """Waits for something on the screen."""
        end = time.monotonic() + seconds
        while what not in self.seen:
            assert time.monotonic() < end, self.seen[-2000:]
            if not select.select([self.fd], [], [], 0.5)[0]:
                continue
            try:
                self.seen += os.read(self.fd, 1 << 16)
            except OSError:  # the program has ended
                break
        assert what in self.seen, self.seen[-2000:]
        self.seen = self.seen[self.seen.index(what) + len(what) :]

    def types(self, keys):
        os.write(self.fd, keys)

    def ends(self):
        """How the program has ended."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if select.select([self.fd], [], [], 0.5)[0] and not os.read(self.fd, 1 << 16):
                    break
            except OSError:
                break
        else:
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        return os.waitpid(self.pid, 0)[1]


def test_a_person_labels_in_a_terminal(docs):
    """Each key is an answer and on the disk; accents, undo, and a clean end."""
    person = Person(docs)
    person.until(b"no class is known yet")
    person.types("+café\r".encode())
    person.until("1 café".encode())
    person.types(b"+food\r")
    person.until(b"Enter: ")
    assert len(ActiveLearner.labels_in(f"{docs}.session")) == 2
    person.types(b"f")
    person.until(b"3 labels")
    person.types(b"\r")
    person.until(b"4 labels")
    person.types(b"-")
    person.until(b"taken back")
    person.types(b"q")
    person.until(b"all is kept in")
    assert person.ends() == 0
    labels = ActiveLearner.labels_in(f"{docs}.session")
    assert sorted(labels.values()) == ["café", "food", "food"]


def test_no_answer_is_lost_when_the_program_is_killed(docs):
    person = Person(docs)
    person.until(b"no class is known yet")
    person.types(b"+art\r")
    person.until(b"1 label")
    person.types(b"+food\r")
    person.until(b"2 labels")
    os.kill(person.pid, signal.SIGKILL)
    assert os.WIFSIGNALED(person.ends())
    assert sorted(ActiveLearner.labels_in(f"{docs}.session").values()) == ["art", "food"]
    again = Person(docs)
    again.until(b"it goes on: 2 labels")
    again.until(b"Enter: ")
    again.types(b"q")
    assert again.ends() == 0


def test_ctrl_c_leaves_the_terminal_as_it_was(docs):
    person = Person(docs)
    person.until(b"no class is known yet")
    person.types(b"\x03")
    person.until(b"plsa: stopped.")
    assert os.WEXITSTATUS(person.ends()) == 130
    assert Path(f"{docs}.session").exists()
