"""The commands that work on a user's files: what they read, write and say."""

import contextlib
import csv
import gzip
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plsa
from plsa.app import cli, reading, writing
from plsa.datasets import planted_corpus
from plsa.show import tables

COMMAND = [sys.executable, "-P", "-W", "error", "-m", "plsa.app.cli"]


def _made():
    """120 texts of three classes, every third of them labeled."""
    corpus = planted_corpus(
        120, 60, 3, n_classes=3, document_length=30, word_concentration=0.2, random_state=0
    )
    words = np.array([f"w{place}{'abc'[place % 3]}" for place in range(60)])
    texts = [" ".join(np.repeat(words, row)) for row in corpus.counts.toarray().astype(int)]
    names = np.array(["art", "food", "sport"])[corpus.target]
    labels = [name if place % 3 == 0 else "" for place, name in enumerate(names.tolist())]
    return texts, labels, names


TEXTS, LABELS, TRUTH = _made()


def as_csv(path, separator=",", header=("id", "text", "label", "year")):
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, delimiter=separator)
        rows.writerow(header)
        for place, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True)):
            rows.writerow([f"d{place}", text, label, 1990 + place])
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    as_csv(folder / "docs.csv")
    return folder


@pytest.fixture(scope="module")
def docs(folder):
    return str(folder / "docs.csv")


@pytest.fixture(scope="module")
def model(folder, docs):
    """A model that `plsa fit` has saved."""
    path = str(folder / "docs.plsa")
    assert cli.main(["fit", docs, "-o", path, "--quiet", "--no-check"]) == 0
    return path


def run(capsys, *argv):
    """Standard output and standard error of a command that ends well."""
    capsys.readouterr()
    assert cli.main([*map(str, argv)]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def refused(capsys, *argv):
    """What a command says that cannot do it: one line."""
    capsys.readouterr()
    assert cli.main([*map(str, argv)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    last = captured.err.splitlines()[-1]
    assert last.startswith("plsa: ")
    return last


def rows_of(out):
    return list(csv.DictReader(io.StringIO(out)))


# --- help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_help_opens_with_two_worked_examples(command, capsys):
    """Which are calls that the command's own options allow."""
    with pytest.raises(SystemExit) as stopped:
        cli.main([command.name, "--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    before = out[: out.index("usage:")]
    assert before.startswith(command.summary[0].upper())
    examples = re.findall(rf"^  .*plsa {command.name}\b.*$", before, re.MULTILINE)
    assert len(examples) == 2
    for example in examples:
        call = re.split(r"\s{3,}| < ", example[example.index("plsa ") :].strip())[0]
        options = re.findall(r'"[^"]*"|\S+', call)[1:]
        assert cli._parser(options).parse_args([each.strip('"') for each in options]).run is not None
    assert max(map(len, before.splitlines())) <= 80


def test_help_of_all_commands_imports_nothing_heavy():
    code = (
        "import atexit, sys; from plsa.app.cli import main; heavy = {'numpy', 'scipy', 'sklearn', 'pandas'};"
        "atexit.register(lambda: print(heavy & {n.partition('.')[0] for n in sys.modules})); main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nset()\n")


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (["fitt", "x.csv"], "'fit'"),
        (["fit", "x.csv", "-o", "y", "--lable", "z"], "'--label'"),
        (["predict", "m", "x.csv", "--probabilites"], "'--probabilities'"),
    ],
)
def test_a_wrong_word_is_asked_about(argv, meant, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(argv)
    assert stopped.value.code == 2
    assert f"did you mean {meant}?" in capsys.readouterr().err


# --- fit -----------------------------------------------------------------------------------------


def test_fit_says_what_it_read_and_how_good_it_is(folder, docs, capsys):
    path = folder / "told.plsa"
    out, err = run(capsys, "fit", docs, "-o", path)
    assert out == ""
    assert "read text from 'text', labels from 'label', ids from 'id' (guessed)" in err
    assert "120 documents, 40 with a label" in err
    often = {name: LABELS.count(name) for name in ("art", "food", "sport")}
    assert "labels: " + ", ".join(f"{name} {number}" for name, number in often.items()) in err
    right, low, high = map(int, re.search(r"guessed: (\d+)% \((\d+)% to (\d+)%\)", err).groups())
    assert low <= right <= high
    assert right > 80
    assert "of 80 texts without a label" in err
    assert f"saved {path}; next: plsa predict {path} NEW_FILE" in err
    assert plsa.load(path).predict(TEXTS).tolist() == TRUTH.tolist()


def test_fit_gives_the_model_of_python(folder, model):
    labels = [label or None for label in LABELS]
    same = plsa.text_classifier(random_state=0).fit(TEXTS, labels)
    assert np.array_equal(plsa.load(model).predict_proba(TEXTS), same.predict_proba(TEXTS))


def test_fit_is_quiet_when_asked(folder, docs, capsys):
    assert run(capsys, "fit", docs, "-o", folder / "quiet.plsa", "--quiet", "--no-check") == ("", "")


def test_nothing_is_written_over_in_silence(folder, docs, model, capsys):
    before = Path(model).read_bytes()
    assert "is there already: --force" in refused(capsys, "fit", docs, "-o", model)
    assert "there is no folder" in refused(capsys, "fit", docs, "-o", folder / "no" / "m.plsa")
    assert "is a folder" in refused(capsys, "fit", docs, "-o", folder)
    out = folder / "out.csv"
    out.write_text("mine")
    assert "is there already" in refused(capsys, "predict", model, docs, "-o", out)
    assert out.read_text() == "mine"
    assert Path(model).read_bytes() == before
    run(capsys, "predict", model, docs, "-o", out, "--force")
    assert out.read_text().startswith("id,label,probability\n")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("text,label\na b,\nc d,\n", [], "no document has a label.*--label.*plsa topics"),
        ("text\na b\nc d\n", [], "no column holds labels"),
        ("one,two\na b,c d\n", [], "which column holds the text.*'one', 'two'.*--text"),
        ("text,label\na,b\n", ["--text", "txt"], "no column is called 'txt'; there are 'text', 'label'"),
        ("text,text\na,b\n", ["--text", "text"], "2 columns are called 'text'"),
        ('text,label\na,b\n"c,d\n', [], "line 3: unexpected end of data"),
        ("text,label\na,b\nc\n", [], "line 3: 1 field where the header has 2"),
        ("text,label\n", [], "holds no document"),
        ("", [], "holds no document"),
        ("text,label\na,b\n", ["--separator", "::"], "must be one character"),
        ("text,label\na,b\n", ["--encoding", "utf-9"], "encoding 'utf-9' is not known"),
        (b"text,label\ncaf\xe9,b\n", [], "line 2: not utf-8"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(tmp_path, capsys, content, options, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = refused(capsys, "fit", path, "-o", tmp_path / "m.plsa", *options)
    assert re.search(message, said), said
    assert "bad.csv" in said or options
    assert [each.name for each in tmp_path.iterdir()] == ["bad.csv"]


def test_columns_may_be_named_or_found_by_their_length(tmp_path, capsys):
    path = tmp_path / "odd.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(
            [("nr", "what", "kind"), *((n, t, k) for n, (t, k) in enumerate(zip(TEXTS, LABELS, strict=True)))]
        )
    args = ["fit", path, "-o", tmp_path / "m.plsa", "--no-check", "--label", "kind"]
    _, err = run(capsys, *args)
    assert "read text from 'what' (guessed)" in err
    assert "40 with a label" in err
    _, err = run(capsys, *args, "--text", "what", "--force", "--unlabeled", "art")
    assert "guessed" not in err
    assert f"{40 - LABELS.count('art')} with a label" in err


# --- predict -------------------------------------------------------------------------------------


def test_predict_has_a_row_for_every_document_in_order(model, docs, capsys, monkeypatch):
    """The same whatever is worked on at a time, and the same as in Python."""
    out, _ = run(capsys, "predict", model, docs, "--probabilities", "--top", 2, "--keep", "year")
    rows = rows_of(out)
    python = plsa.load(model).predict_proba(TEXTS)
    classes = plsa.load(model).classes_
    assert [row["id"] for row in rows] == [f"d{n}" for n in range(120)]
    assert [row["label"] for row in rows] == classes[python.argmax(axis=1)].tolist()
    assert [row["year"] for row in rows] == [str(1990 + n) for n in range(120)]
    for row, said in zip(rows, python, strict=True):
        shown = [float(row[f"P({name})"]) for name in classes]
        np.testing.assert_allclose(shown, said, rtol=1e-5)
        assert float(row["probability"]) == max(shown)
        assert float(row["probability_2"]) == sorted(shown)[-2]
    monkeypatch.setattr(reading, "_BATCH", 7)
    assert run(capsys, "predict", model, docs, "--probabilities", "--top", 2, "--keep", "year")[0] == out


def test_documents_without_a_known_word_are_counted_once(model, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_BATCH", 2)
    path = tmp_path / "odd.txt"
    path.write_text(f"nothing known\n{TEXTS[0]}\nor here\n{TEXTS[1]}\nmore of it\n")
    out, err = run(capsys, "predict", model, path)
    assert len(rows_of(out)) == 5
    assert err == "plsa: 3 documents without a word that the model knows: taken for what is usual\n"


def test_json_lines_and_tables_say_the_same(model, docs, capsys):
    rows = rows_of(run(capsys, "predict", model, docs)[0])
    lines = run(capsys, "predict", model, docs, "--format", "jsonl")[0].splitlines()
    for row, line in zip(rows, lines, strict=True):
        found = json.loads(line)
        assert (found["id"], found["label"]) == (row["id"], row["label"])
        assert f"{found['probability']:.6g}" == row["probability"]
    table = run(capsys, "predict", model, docs, "--format", "table")[0].splitlines()
    assert table[0].split() == ["id", "label", "probability"]
    assert [line.split()[:2] for line in table[1:]] == [[row["id"], row["label"]] for row in rows]


def test_all_kinds_of_files_give_the_same(model, docs, folder, capsys, tmp_path):
    wanted = [row["label"] for row in rows_of(run(capsys, "predict", model, docs)[0])]
    raw = Path(docs).read_bytes()
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(raw))
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + raw)
    (tmp_path / "cut.csv").write_bytes(raw.rstrip(b"\r\n"))
    as_csv(tmp_path / "tabs.tsv", "\t")
    as_csv(tmp_path / "semicolons.csv", ";")
    (tmp_path / "l.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in TEXTS))
    (tmp_path / "t.txt").write_text("\n".join(TEXTS))
    (tmp_path / "folder").mkdir()
    for n, text in enumerate(TEXTS):
        (tmp_path / "folder" / f"{n:03}.txt").write_text(text)
    for path in sorted(tmp_path.iterdir()):
        out, _ = run(capsys, "predict", model, path)
        assert [row["label"] for row in rows_of(out)] == wanted, path


@pytest.mark.parametrize("name", ["docs.csv", "docs.jsonl", "docs.txt", "docs.csv.gz"])
def test_a_pipe_says_what_a_file_says(name, model, docs, capsys, tmp_path):
    """What it holds is told by how it begins."""
    path = tmp_path / name
    if "csv" in name:
        raw = Path(docs).read_bytes()
        path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    elif name == "docs.jsonl":
        path.write_text("".join(json.dumps({"id": f"d{n}", "text": t}) + "\n" for n, t in enumerate(TEXTS)))
    else:
        path.write_text("\n".join(TEXTS))
    wanted, _ = run(capsys, "predict", model, path, "--quiet")
    with open(path, "rb") as file:
        done = subprocess.run(
            [*COMMAND, "predict", model, "-", "--quiet"], stdin=file, capture_output=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == wanted


def test_predict_wants_a_model_of_texts(folder, docs, capsys, tmp_path):
    assert "cannot be loaded" in refused(capsys, "predict", docs, docs)
    assert "No such file" in refused(capsys, "predict", tmp_path / "no.plsa", docs)
    counts = planted_corpus(20, 10, 2, n_classes=2, random_state=0)
    for estimator, y, message in (
        (plsa.PLSA(2, max_iter=2), None, "gives no labels"),
        (plsa.PLSAClassifier(scaling=None, max_iter=2), counts.target, "knows counts and no texts"),
    ):
        plsa.save(estimator.fit(counts.counts, y), tmp_path / "m.plsa")
        assert message in refused(capsys, "predict", tmp_path / "m.plsa", docs)


def test_a_column_to_keep_must_be_there(model, docs, capsys):
    assert "no column is called 'when'; there are 'id', 'text'" in refused(
        capsys, "predict", model, docs, "--keep", "when"
    )
    header = run(capsys, "predict", model, docs, "--keep", "all")[0].splitlines()[0]
    assert header == "id,label,probability,text,label_given,year"


def test_an_error_in_the_middle_leaves_no_output(model, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_BATCH", 5)
    lines = [json.dumps({"text": text}) for text in TEXTS[:50]]
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join([*lines, '{"txt": 1}', *lines]))
    said = refused(capsys, "predict", model, path, "-o", tmp_path / "out.csv")
    assert "docs.jsonl, line 51: no field 'text'; found 'txt'" in said
    assert [each.name for each in tmp_path.iterdir()] == ["docs.jsonl"]


def test_columns_of_the_file_stay_beside_what_is_said(model, capsys, tmp_path):
    """Of the same names, of later records, with numbers as they are."""
    path = tmp_path / "own.jsonl"
    rows = [{"id": 7, "text": TEXTS[0], "label": "mine", "at": 1700000000.25, "more": [1, {"a": True}]}]
    rows += [{"text": text, "b": 1} for text in TEXTS[1:3]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = [
        json.loads(line)
        for line in run(capsys, "predict", model, path, "--keep", "all", "--format", "jsonl")[0].splitlines()
    ]
    assert [row["id"] for row in out] == ["7", "line 2", "line 3"]
    assert [row["label"] for row in out] == plsa.load(model).predict(TEXTS[:3]).tolist()
    assert [row["label_given"] for row in out] == ["mine", None, None]
    table = rows_of(run(capsys, "predict", model, path, "--keep", "at, more")[0])
    assert table[0]["at"] == "1700000000.25"
    assert json.loads(table[0]["more"]) == [1, {"a": True}]


def test_a_pipe_of_lines_is_no_table(model):
    """A comma in the first line does not make it a header."""
    lines = f"{TEXTS[0]}, indeed\n{TEXTS[1]}\n"
    done = subprocess.run(
        [*COMMAND, "predict", model, "-"], input=lines, capture_output=True, text=True, check=False
    )
    assert (done.returncode, len(rows_of(done.stdout))) == (0, 2)
    assert "standard input as txt (guessed)" in done.stderr


def test_streams_that_are_closed_or_know_few_letters(model, tmp_path):
    """No traceback, and no row is lost."""
    path = tmp_path / "t.csv"
    path.write_text(f"text\n{TEXTS[0]} 文\n", encoding="utf-8")
    for streams in ("<&-", ">&-", "2>&-"):
        command = f"exec {' '.join(map(shlex.quote, COMMAND))} predict {model} - {streams}"
        done = subprocess.run(
            ["sh", "-c", command], input=TEXTS[0], capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), streams
        assert "Traceback" not in done.stderr
    done = subprocess.run(
        [*COMMAND, "predict", model, str(path), "--keep", "text", "--quiet"],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "文".encode() in done.stdout


def test_labels_in_doubt_are_not_read_in_silence(model, capsys, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("text,class,category\na b,x,y\n")
    assert "in doubt which of 'class', 'category'" in run_or_error(capsys, "compare", path)
    path.write_text("id,name,text,label,category\n77,bob,a b,x,y\n78,ann,c d,,y\n")
    assert "labels from 'label', ids from 'id' (guessed)" in run_or_error(
        capsys, "fit", path, "-o", tmp_path / "m"
    )


def run_or_error(capsys, *argv):
    """What is said, whatever comes of it."""
    cli.main([*map(str, argv)])
    return capsys.readouterr().err


cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=8),
    form=st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_no_row_is_lost(model, tmp_path_factory, rows, form):
    """Whatever texts hold: quotes, separators, line breaks, control characters."""
    path = tmp_path_factory.getbasetemp() / f"odd.{form}"
    with open(path, "w", newline="", encoding="utf-8") as file:
        if form == "jsonl":
            file.writelines(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows)
        else:
            writer = csv.writer(file, delimiter="," if form == "csv" else "\t")
            writer.writerows([("id", "text"), *rows])
    out = path.with_suffix(".out.csv")
    assert cli.main(["predict", model, str(path), "--quiet", "-o", str(out), "--force"]) == 0
    with open(out, newline="", encoding="utf-8") as file:
        found = [row["id"] for row in csv.DictReader(file)]
    assert len(found) == len(rows)
    for shown, (name, _) in zip(found, rows, strict=True):
        assert shown == name or (not name and shown.startswith("line ")), "its place, where it has no id"


@settings(deadline=None, max_examples=100)
@given(raw=st.binary(max_size=80), form=st.sampled_from(["csv", "tsv", "jsonl", "txt", "csv.gz", "parquet"]))
def test_rubbish_is_an_error_or_rows(model, tmp_path_factory, raw, form):
    path = tmp_path_factory.getbasetemp() / f"rubbish.{form}"
    path.write_bytes(raw)
    out = tmp_path_factory.getbasetemp() / "rubbish.out"
    assert cli.main(["predict", model, str(path), "--quiet", "-o", str(out), "--force"]) in (0, 1)


# --- the others ----------------------------------------------------------------------------------


def test_find_ranks_what_is_like_what_is_shown(docs, folder, capsys, tmp_path):
    sport = np.flatnonzero(TRUTH == "sport")
    shown = ",".join(f"d{n}" for n in sport[:6])
    out, err = run(capsys, "find", docs, "--ids", shown, "--top", 20)
    rows = rows_of(out)
    found = np.array([int(row["id"][1:]) for row in rows])
    assert len(rows) == 20
    assert not np.isin(found, sport[:6]).any()
    assert (TRUTH[found] == "sport").mean() > 0.9
    score = [float(row["score"]) for row in rows]
    assert score == sorted(score, reverse=True)
    assert re.search(r"about \d+ of the others may be wanted \(\d+ to \d+\)", err)
    like = tmp_path / "like.txt"
    like.write_text("\n".join(TEXTS[n] for n in sport[:6]))
    by_file = rows_of(run(capsys, "find", docs, "--like", like, "--top", 10, "--text", "text")[0])
    assert (TRUTH[[int(row["id"][1:]) for row in by_file]] == "sport").mean() > 0.9
    assert "has no document 'x9'" in refused(capsys, "find", docs, "--ids", "d1,x9")
    assert "no document has this label; there are ['art', 'food', 'sport']" in refused(
        capsys, "find", docs, "--label-is", "spot"
    )


def test_compare_and_simulate_print_their_tables(docs, capsys, tmp_path):
    out, err = run(
        capsys, "compare", docs, "--models", "PLSAClassifier,ClassificationEM", "--repeats", 1, "--quiet"
    )
    assert re.search(r"PLSAClassifier +\d", out)
    assert "ClassificationEM" in out
    assert err == ""
    labeled = tmp_path / "labeled.csv"
    with open(labeled, "w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *zip(TEXTS, TRUTH, strict=True)])
    out, err = run(
        capsys, "simulate", labeled, "-n", 6, "--repeats", 1, "--quiet", "--strategies", "margin,random"
    )
    assert re.search(r"^margin +\d", out, re.MULTILINE)
    assert "without a label left out" in run(capsys, "simulate", docs, "-n", 4, "--repeats", 1)[1]


def test_topics_of_texts_and_of_models(docs, model, capsys, tmp_path):
    """Data is on standard output, remarks are elsewhere."""
    out, err = run(capsys, "topics", docs, "-k", 3, "--typical", 1, "--words", 4, "-o", tmp_path / "t.plsa")
    assert out.startswith("topic  documents")
    assert re.findall(r"^topic (\d): \d+ documents", out, re.MULTILINE) == ["0", "1", "2"]
    assert out.count("typical") == 3
    assert f"saved {tmp_path / 't.plsa'}" in err
    again, _ = run(capsys, "topics", tmp_path / "t.plsa", "--words", 4)
    assert [line.split()[0] for line in again.splitlines()] == ["0", "1", "2"] or "0" in again
    words = run(capsys, "topics", model, "--words", 5)[0]
    assert all(name in words for name in ("art", "food", "sport"))
    python = plsa.load(tmp_path / "t.plsa")
    assert str(plsa.top_words(python, n=4)) in again
    (tmp_path / "one.txt").write_text("only one")
    assert "topics need several" in refused(capsys, "topics", tmp_path / "one.txt")


def test_review_lists_labels_that_were_planted_wrong(capsys, tmp_path):
    wrong = [7, 50, 101]
    given = TRUTH.copy()
    for n in wrong:
        given[n] = {"art": "food", "food": "sport", "sport": "art"}[TRUTH[n]]
    path = tmp_path / "labeled.csv"
    with open(path, "w", newline="") as file:
        rows = [
            ("id", "text", "label"),
            *((f"d{n}", t, y) for n, (t, y) in enumerate(zip(TEXTS, given, strict=True))),
        ]
        csv.writer(file).writerows(rows)
    out, err = run(capsys, "review", path, "--repeats", 1)
    found = rows_of(out)
    assert {row["id"] for row in found[:3]} == {f"d{n}" for n in wrong}
    for row in found[:3]:
        n = int(row["id"][1:])
        assert (row["given"], row["suggested"]) == (given[n], TRUTH[n])
        assert set(row["words"].split()) <= set(TEXTS[n].split())
    assert re.search(r"of 120 labels are probably wrong, about \d+ in all", err)
    assert len(rows_of(run(capsys, "review", path, "--repeats", 1, "--top", 2)[0])) == 2


def test_explain_says_what_python_says(model, capsys, monkeypatch):
    out, _ = run(capsys, "explain", model, TEXTS[0], "--words", 5)
    assert out == f"{plsa.explain(plsa.load(model), TEXTS[0], n_words=5)}\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(TEXTS[0]))
    assert run(capsys, "explain", model, "-", "--words", 5)[0] == out
    found = json.loads(run(capsys, "explain", model, TEXTS[0], "--json")[0])
    python = plsa.explain(plsa.load(model), TEXTS[0]).to_dict()
    assert found == json.loads(json.dumps(python))
    page = run(capsys, "explain", model, "<script>alert(1)</script>", "--html")[0]
    assert page.startswith('<!doctype html><meta charset="utf-8">')
    assert "<script>" not in page
    assert "has no class 'art.'; there are art, food, sport" in refused(
        capsys, "explain", model, "x", "--label", "art."
    )
    run(capsys, "explain", model, TEXTS[0], "--label", "food")


def test_info_says_what_a_model_is(model, capsys):
    out, _ = run(capsys, "info", model)
    assert re.search(r"^model +SoftMislabelingPLSA$", out, re.MULTILINE)
    assert re.search(r"^fitted to +120 documents, 40 labels", out, re.MULTILINE)
    found = json.loads(run(capsys, "info", model, "--json")[0])
    assert found["settings"] == {"random_state": "0"}
    assert [each["name"] for each in found["topics"]] == ["art", "food", "sport"]
    assert all(len(each["words"]) == 8 for each in found["topics"])


def test_pictures_are_saved(model, docs, capsys, tmp_path):
    """PNG, SVG or PDF, by the name; not over a file that is there."""
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for kind, (ending, first) in zip(("top_words", "class_sizes", "objective"), begins.items(), strict=True):
        path = tmp_path / f"{kind}.{ending}"
        _, err = run(capsys, "plot", model, kind, "-o", path)
        assert err == f"plsa: drawn: {path}\n"
        assert path.read_bytes().startswith(first)
        assert "is there already" in refused(capsys, "plot", model, kind, "-o", path)
    assert "must end in one of" in refused(capsys, "plot", model, "objective", "-o", tmp_path / "p.xyz")
    run(capsys, "topics", docs, "-k", 2, "--typical", 0, "--plot", tmp_path / "t.png", "--quiet")
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


# --- writing -------------------------------------------------------------------------------------


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with contextlib.suppress(KeyboardInterrupt), writing.written_whole(str(path)) as file:
        file.write("half")
        file.flush()
        assert path.read_text() == "old"
        raise KeyboardInterrupt
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]
    assert path.read_text() == "old"
    with writing.written_whole(str(path)) as file:
        file.write("new")
    assert path.read_text() == "new"
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


@settings(max_examples=200)
@given(widths=st.lists(st.integers(1, 200), min_size=1, max_size=8), room=st.integers(20, 200))
def test_columns_fit_the_terminal(widths, room):
    """Or are as narrow as columns get; what is narrow already stays."""
    found = writing.fitted(widths, room)
    assert sum(found) <= room - 2 * (len(widths) - 1) or max(found) <= max(8, min(widths))
    assert all(min(width, 8) <= one <= width for one, width in zip(found, widths, strict=True))


@given(text=st.text(max_size=30), width=st.integers(1, 20))
def test_what_is_filled_has_the_width(text, width):
    shown = writing._shown(text)
    assert tables.width_of(tables.padded(shown, width)) == width


def test_ctrl_c_ends_with_130_and_one_line(docs, folder):
    """Wherever it comes."""
    path = folder / "cut.plsa"
    with subprocess.Popen([*COMMAND, "fit", docs, "-o", str(path)], stderr=subprocess.PIPE) as done:
        begun = b""
        while b"documents" not in begun:
            begun += done.stderr.read1()
        time.sleep(0.05)
        os.kill(done.pid, signal.SIGINT)
        _, err = done.communicate(timeout=60)
    assert done.returncode == 130
    assert err.splitlines()[-1].startswith(b"plsa: stopped.")
    assert b"Traceback" not in err


# --- pages ---------------------------------------------------------------------------------------

ROOT = Path(__file__).parent.parent


def shown_commands():
    """Every command that a page shows."""
    for page in (ROOT / "README.md", ROOT / "docs" / "command-line.md"):
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S):
            yield from (line.partition("   #")[0].strip() for line in block.splitlines())


def test_commands_of_pages_run(tmp_path, monkeypatch, capsys):
    """One after the other, as they stand there."""
    monkeypatch.chdir(tmp_path)
    names = {"art": "work", "food": "private", "sport": "private", "": ""}
    for path in ("mails.csv", "new.csv"):
        with open(path, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["text", "label"])
            rows.writerows((text, names[label]) for text, label in zip(TEXTS, LABELS, strict=True))
    commands = [*shown_commands()]
    assert {command.split()[1] for command in commands} == {each.name for each in cli.COMMANDS} - {"demo"}
    for command in commands:
        given = "q\n" if command.startswith("plsa label") else ""
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        argv = shlex.split(command)[1:]
        more = ["--force"] if "-o" in argv and "--force" not in argv else []
        assert cli.main([*argv, *more]) == 0, command
    assert "Traceback" not in capsys.readouterr().err
