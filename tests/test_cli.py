"""The command: what it prints, its exit codes, and that it leaves without a traceback."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.utils import Bunch

import plsa
from plsa import _kernels, datasets
from plsa.app import cli
from plsa.app import demo as demonstration
from plsa.app.page import Page

COMMAND = [sys.executable, "-P", "-W", "error", "-m", "plsa.app.cli"]


@pytest.fixture(scope="module")
def corpus():
    return datasets.load_docstrings()


@pytest.fixture
def quick(monkeypatch, corpus):
    """A quarter of the corpus, which is not made again for every run of the demo; labels are drawn once."""
    some = np.concatenate([np.flatnonzero(corpus.target == code)[::4] for code in np.unique(corpus.target)])
    data, names = ([values[place] for place in some] for values in (corpus.data, corpus.names))
    small = Bunch(data=data, names=names, target=corpus.target[some], target_names=corpus.target_names)
    monkeypatch.setattr(datasets, "load_docstrings", lambda: small)
    monkeypatch.setattr(demonstration, "_N_DRAWS", 1)


@pytest.fixture(scope="module")
def demo(corpus):
    """What `plsa demo` prints."""
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(stream):
        patch.setattr(datasets, "load_docstrings", lambda: corpus)
        assert cli.main(["demo"]) == 0
    return stream.getvalue()


def masked(text):
    """The text with every time made the same."""
    return re.sub(r"\d+\.\d+ s\b", "? s", text)


def run(capsys, *argv):
    assert cli.main(argv) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def start(*argv, **environment):
    """The command as a program of its own, its output not read yet."""
    # An empty PYTHONUNBUFFERED is none: output stays in a buffer, as it does for most users.
    return subprocess.Popen(
        [*COMMAND, *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": ""} | environment,
    )


def accuracies(out):
    """The table of the comparison: {name: shares with ever more labels, all of them last}."""
    rows = re.findall(r"^  (\w.*?) {2,}(\d+\.\d(?: +\d+\.\d)+)$", out, re.MULTILINE)
    return {name: [float(share) for share in shares.split()] for name, shares in rows}


def test_demo_shows_what_the_package_is_for(demo, corpus):
    out = demo
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "\033" not in out
    subjects = {name.split(".")[-1] for name in corpus.target_names} - {"numpy", "lib", "ma", "utils"}
    assert len(subjects) > 15
    for name in subjects:
        assert re.search(rf"^  {re.escape(name)} +(\w+ ){{3}}", out, re.MULTILINE), name
    assert f"sub-package that it is from: {len(subjects)} classes" in out
    table = accuracies(out)
    (always,) = (row for name, row in table.items() if name.startswith("always saying"))
    ours = table["SoftMislabelingPLSA"]
    assert len(ours) == 4
    assert ours == sorted(ours)
    assert ours[-1] > 90
    rivals = [table[name] for name in ("PLSAClassifier", "logistic regression, TF-IDF", "naive Bayes")]
    for rival in rivals:
        assert min(ours[0] - rival[0], ours[1] - rival[1]) > 3, "what is said of few labels is to be seen"
        assert min(rival) > always[0] == always[-1]
    found = re.search(r"as one of ([\d,]+) equally .* of ([\d,]+) \(", out, re.DOTALL)
    topics, plain = (int(number.replace(",", "")) for number in found.groups())
    assert 1 < topics < 0.8 * plain


@pytest.mark.usefixtures("quick")
def test_options_make_a_difference(capsys, demo):
    out = run(capsys, "demo", "--seed", "1", "--labels", "3")
    assert "3 per class" in out
    assert len(accuracies(out)["PLSAClassifier"]) == 4
    assert examples(out) != examples(demo)


def examples(out):
    """The verdict, the true and the given class of each document that is shown."""
    return re.findall(r"^  (right|WRONG)  .{17} (\S+) +(\S+) +\d+%$", out, re.MULTILINE)


def test_examples_are_told_apart_as_right_and_wrong(demo):
    rows = examples(demo)
    assert [verdict for verdict, _, _ in rows] == ["right"] * 4 + ["WRONG"] * 3
    for verdict, true, given in rows:
        assert (verdict == "right") == (true == given)


@pytest.mark.usefixtures("quick")
def test_demo_is_the_same_twice(capsys):
    first, second = (masked(run(capsys, "demo", "--no-color", "--labels", "1")) for _ in range(2))
    assert first == second


def test_threads_reach_the_estimators():
    """That more of them give the same bits is tested where the kernels are."""
    argv = ["demo", "--threads", "2", "--seed", "3"]
    args = cli._parser(argv).parse_args(argv)
    model = demonstration._classifier(args)
    assert (model.n_threads, model.random_state) == (2, 3)


def test_the_code_that_the_demo_ends_with_runs(capsys, demo):
    code = demo[demo.index("  from plsa import") : demo.index("  plsa.datasets.read_corpus")]
    given = {
        "texts": ["tea milk tea", "milk tea cup", "goal ball goal", "ball team goal"],
        "labels": ["food", "food", "sport", "sport"],
        "new_texts": ["a cup of milk", "the team"],
    }
    exec("\n".join(line[2:] for line in code.splitlines()), given)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "['food' 'sport']"
    assert printed[1].startswith("food: ")
    assert "tea" in printed[1]


def test_headings_stand_out_only_on_a_terminal_that_wants_it(capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\033[1m" not in heading(capsys)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\033[1mTitle\033[0m" in heading(capsys)
    assert "\033" not in heading(capsys, color=False)
    monkeypatch.setenv("TERM", "dumb")
    assert "\033" not in heading(capsys)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in heading(capsys)


def heading(capsys, **options):
    Page(**options).heading("Title")
    return capsys.readouterr().out


def test_no_argument_shows_help(capsys):
    out = run(capsys)
    assert "usage: plsa" in out
    for command in cli.COMMANDS:
        assert f"\n    {command.name} " in out


def test_version_says_how_it_was_built(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"plsa {plsa.__version__} (instruction set {_kernels.current_level()}, ")
    assert ("no OpenMP" not in out) == bool(_kernels.OPENMP)
    assert re.search(r"\d+ threads?\)$", out)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["demo", "--labels", "0"], "labels == 0, but must be a whole number >= 1"),
        (["demo", "--labels", "many"], "labels == 'many', but must be a whole number >= 1"),
        (["demo", "--seed", "-1"], "seed == -1, but must be a whole number >= 0"),
        (["demo", "--seed", str(2**32)], f"seed == {2**32}, but must be <= {2**32 - 1}"),
        (["demo", "--threads", "1.5"], "threads == '1.5', but must be a whole number >= 1"),
        (["demon"], "invalid choice: 'demon'"),
        (["--verbose"], "unrecognized arguments|the following arguments are required"),
    ],
)
def test_wrong_options_end_with_2_and_a_reason(capsys, argv, message):
    with pytest.raises(SystemExit) as stopped:
        cli.main(argv)
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert re.search(message, captured.err)
    assert captured.out == ""


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "plsa: stopped.\n"),
        (ValueError("no document is left"), 1, "plsa: no document is left\n"),
        (ImportError("cannot import scipy"), 1, "plsa: cannot import scipy\n"),
        (OSError("no such file"), 1, "plsa: no such file\n"),
    ],
)
def test_what_goes_wrong_is_one_line(capsys, monkeypatch, raised, code, message):
    def fail():
        raise raised

    monkeypatch.setattr(datasets, "load_docstrings", fail)
    assert cli.main(["demo"]) == code
    assert capsys.readouterr().err == message


def test_a_bug_is_not_swallowed(monkeypatch):
    monkeypatch.setattr(datasets, "load_docstrings", lambda: [][0])
    with pytest.raises(IndexError):
        cli.main(["demo"])


def test_a_program_of_its_own_on_a_terminal_without_unicode(corpus):
    """Also: nothing on standard error, not even a warning, and the texts do need Unicode."""
    assert any(not text.isascii() for text in corpus.data)
    with start("demo", "--labels", "1", PYTHONIOENCODING="ascii", PYTHONUTF8="0") as done:
        out, err = done.communicate(timeout=120)
    assert (done.returncode, err) == (0, b"")
    assert b"PLSAClassifier" in out
    assert out.isascii()


def test_what_the_encoding_lacks_becomes_a_question_mark(capfd, monkeypatch):
    with open(1, "w", encoding="ascii", closefd=False) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        Page().words("topic", 6, ["schönhage", "fft"])
    assert capfd.readouterr().out == "  topic  sch?nhage fft\n"


def test_a_reader_that_goes_away_is_no_error():
    """As in `plsa demo | head -1`."""
    with start("demo") as done:
        assert done.stdout.readline().startswith(b"plsa learns")
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 141


def test_the_package_is_the_command():
    """`python -m plsa`."""
    command = [*COMMAND[:-1], "plsa", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"plsa {plsa.__version__} (")
    assert subprocess.run([*command[:-1], "--nonsense"], capture_output=True, check=False).returncode == 2


def test_help_may_be_cut_off_too():
    with start("--help") as done:
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 141


def test_ctrl_c_ends_with_one_line():
    with start("demo") as done:
        begun = b""
        while b"Reading the documentation" not in begun:
            begun += done.stdout.read1()
        time.sleep(0.2)
        os.kill(done.pid, signal.SIGINT)
        out, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (130, b"plsa: stopped.\n")
    assert out.endswith(b"\n")
