"""`save` and `load`: the same model, bit for bit, or a ValueError that says what is wrong."""

import copy
import errno
import json
import os
import random
import stat
import subprocess
import sys
import tracemalloc
import warnings
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path

import damage
import numpy as np
import old_files
import pandas as pd
import pytest
from cases import CASES, corpus, new_documents
from helpers import Stopper, answers, bits, learned
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

import plsa
from plsa.files import classes, container
from plsa.files.parts import VALUES

TESTS = Path(__file__).parent
TEXTS, LABELS = old_files.TEXTS, old_files.LABELS


@pytest.fixture(autouse=True)
def small_blocks():
    """Blocks are as they are: small ones are for what computes."""


@pytest.fixture
def path(tmp_path):
    """Where a model may be saved."""
    return tmp_path / "model.plsa"


def kept(model, path, **how):
    """The model, saved and loaded."""
    plsa.save(model, path)
    return plsa.load(path, **how)


def plain(value):
    """All that there is of a model, as something that can be compared; but for places in memory."""
    if hasattr(value, "get_params"):
        held = {name: each for name, each in vars(value).items() if name != "_stop_words_id"}
        return type(value), sorted((name, plain(each)) for name, each in held.items())
    if isinstance(value, dict):
        return [(plain(name), plain(each)) for name, each in value.items()]
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, list | tuple):
        return type(value), [plain(each) for each in value]
    if isinstance(value, np.random.RandomState):
        return plain(value.get_state(legacy=True))
    if isinstance(value, np.ndarray):
        order = np.argsort(value.strides) if min(value.shape, default=0) > 1 else []
        return [*order], bits(value)
    if sparse.issparse(value):
        return type(value), [plain(part) for part in (value.data, value.indices, value.indptr)]
    return type(value), bits(value)


def assert_same(found, wanted, X):
    """Two models hold the same and say the same of documents."""
    for name, value in vars(wanted).items():
        assert plain(vars(found)[name]) == plain(value), name
    assert vars(found).keys() == vars(wanted).keys()
    assert plain(answers(found, X)) == plain(answers(wanted, X))
    assert plain(clone(found)) == plain(clone(wanted))
    if not isinstance(vars(wanted).get("random_state"), np.random.RandomState):  # it shows a place in memory
        assert repr(found) == repr(wanted)


# --- every estimator, fitted in every way --------------------------------------------------------

NAMES = np.array(["äpfel \U0001f34e", "b", "c" * 90, "日本"], dtype=object)


def frame(X):
    """Counts with the names of words."""
    return pd.DataFrame(X.toarray(), columns=[f"wört {number}" for number in range(X.shape[1])])


def ways(case):
    """The ways to fit an estimator: what is fitted, to what, and documents that it is then asked about."""
    X, y, truth = corpus()
    new, own = new_documents(), case.y()
    yield case.make(), X, own, new
    yield case.make(**case.other), X.astype(np.float64), own, new
    if case.note and case.model is not plsa.GraphClassifier:
        return  # another of the same model is fitted in all ways
    generator = np.random.RandomState(3)
    yield case.make(random_state=generator, max_iter=np.int64(3)), frame(X), own, frame(new)
    if case.has("callback"):
        yield case.make(callback=Stopper(2, raises=True)), X.toarray(), own, new
    if case.has("warm_start"):
        yield case.make(warm_start=True, dtype=np.float64), X, own, new
    if case.takes != "classes":
        return
    numbers = {"topics_per_class": 1, "components_per_class": 1}
    yield case.make(**numbers, classes=[*NAMES, "zoo"]), X, np.where(y < 0, None, NAMES[y]), new
    yield case.make(**numbers), X, truth % 2 == 0, new  # all labeled
    yield case.make(**numbers), X, np.where(y == 0, 7, -1).astype(np.int8), new  # one class


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_loaded_model_is_the_same_to_the_last_bit(case, path):
    """Every estimator, fitted in every way: what it holds, and what it says; its arrays in memory or not."""
    for model, X, y, new in ways(case):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
        except KeyboardInterrupt:
            model.callback = None  # is not saved
            if not learned(model):
                continue  # it came too early for anything to be kept
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_same(kept(model, path), model, new)
            assert plain(answers(plsa.load(path, mmap=True), new)) == plain(answers(model, new))


def test_every_public_estimator_can_be_kept():
    """And the table that the contract is tested over has them all."""
    estimators = {name for name in plsa.__all__ if hasattr(getattr(plsa, name), "get_params")}
    assert estimators <= {*classes.names()}
    assert estimators == {case.model.__name__ for case in CASES}


def test_every_field_of_a_value_has_a_check():
    """And all of them are frozen; what is new is to be in the table."""
    for name, checks in VALUES.items():
        cls = classes.class_of(name)
        assert {each.name for each in fields(cls)} == {*checks}, name
        assert cls.__dataclass_params__.frozen


def test_a_loaded_model_can_be_fitted_again(path):
    """With the same result, and with a generator that goes on where it was."""
    X = corpus()[0]
    model = plsa.PLSA(4, max_iter=3, tol=0, random_state=np.random.RandomState(5)).fit(X)
    loaded = kept(model, path)
    first, second = model.fit(X).components_, loaded.fit(X).components_
    assert bits(first) == bits(second)


def test_views_of_one_array_are_one_array_again(path):
    """Word-major in memory as it was, and in the file once."""
    model = plsa.PLSA(4, max_iter=3, tol=0).fit(corpus()[0])
    loaded = kept(model, path)
    assert loaded.components_.flags.f_contiguous
    assert np.shares_memory(loaded.components_, loaded.model_.word_topic)
    _, arrays = container.read(path)
    assert sum(array.shape == (100, 4) for array in arrays.values()) == 1


# --- pipelines -----------------------------------------------------------------------------------

MANY = [f"w{number}" for number in range(100)]
VECTORIZERS = {
    "ours": None,
    "words": CountVectorizer(min_df=2, binary=True, dtype=np.float32, strip_accents="unicode"),
    "stop words": CountVectorizer(stop_words=["tea", *MANY]),
    "english": CountVectorizer(stop_words="english", max_features=7),
    "characters": CountVectorizer(analyzer="char_wb", ngram_range=(1, 4)),
    "blanks": CountVectorizer(token_pattern=r"\S+"),
    "list": CountVectorizer(vocabulary=["tea", "goal", "cup", "team", *MANY]),
    "dict": CountVectorizer(vocabulary={"tea": 1, "goal": 0}),
    "set": CountVectorizer(vocabulary={"tea"}),
    "hashes": HashingVectorizer(n_features=64, alternate_sign=False, norm=None),
    "union": make_union(CountVectorizer(), CountVectorizer(analyzer="char")),
    "tf-idf": TfidfVectorizer(sublinear_tf=True),
    "tf": TfidfVectorizer(use_idf=False),
}


@pytest.mark.filterwarnings("ignore:TfidfVectorizer makes weights", "ignore:X looks like")
@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
@pytest.mark.parametrize("name", VECTORIZERS)
def test_a_loaded_pipeline_says_the_same_of_texts(name, path):
    model = plsa.text_classifier(plsa.NaiveBayesEM(evidence=False), vectorizer=VECTORIZERS[name])
    model.fit(TEXTS, LABELS)
    assert_same(kept(model, path), model, old_files.NEW)
    assert plain(answers(plsa.load(path, mmap=True), old_files.NEW)) == plain(answers(model, old_files.NEW))


LEARNERS = {
    "student": (plsa.SoftMislabelingPLSA(random_state=0), LABELS),
    "committee of two": (plsa.CoTraining(estimator=LogisticRegression(), random_state=0), LABELS),
    "self-training": (plsa.SelfTraining(LogisticRegression()), LABELS),
    "one class": (plsa.SelfTraining(), ["food", *[None] * 7]),
    "machine": (LinearSVC(), ["food"] * 4 + ["sport"] * 4),
    "regression": (LogisticRegression(), ["food", "sport"] * 4),
    "bayes": (MultinomialNB(), ["food", "sport"] * 4),
    "topics": (plsa.PLSA(2, random_state=0), None),
}


@pytest.mark.filterwarnings("ignore:y has one class")
@pytest.mark.parametrize("name", LEARNERS)
def test_what_learns_may_be_of_scikit_learn(name, path):
    """As the last step, or within one of ours."""
    learner, labels = LEARNERS[name]
    model = plsa.text_classifier(learner).fit(TEXTS, labels)
    assert_same(kept(model, path), model, old_files.NEW)


@pytest.mark.parametrize("letters", ["", "\n", "".join(map(chr, range(128))), "é日\U0001f34e", "x" * 300_000])
def test_strings_are_of_any_letters(letters, path):
    """Short or long, empty ones at either end; also where they have every letter there is to cut at."""
    model = plsa.PLSA(4, max_iter=1, tol=0).fit(corpus()[0])
    names = ["", *[f"{letters}{number}{letters}" for number in range(98)], ""]
    model.feature_names_in_ = np.array(names, dtype=object)
    assert kept(model, path).feature_names_in_.tolist() == names


def test_strings_of_one_letter(path):
    """Python has each of them once, and a file as often as they are somewhere."""
    model = plsa.text_classifier(plsa.NaiveBayesEM(evidence=False))
    with pytest.warns(UserWarning, match="y has one class"):
        model.fit(TEXTS, ["a", *[None] * 7])
    model[-1].classes = ["a", ""] * 20
    assert_same(kept(model, path), model, old_files.NEW)


def test_what_was_said_of_stop_words_is_not_said_again(path):
    """scikit-learn says of some that they do not fit how texts are cut, once."""
    model = plsa.text_classifier(plsa.PLSA(2), vectorizer=CountVectorizer(stop_words=["don't", "tea"]))
    with pytest.warns(UserWarning, match="Your stop_words may be inconsistent"):
        model.fit(TEXTS)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        kept(model, path)[0].transform(TEXTS)
    assert said == []


def test_texts_may_be_short(path):
    """Then pieces of words are counted too, and a loaded model knows it."""
    model = plsa.text_classifier(random_state=0).fit(TEXTS, LABELS)
    loaded = kept(model, path)
    assert loaded[0].short_
    assert plain(loaded[0].transform(["teams"])) == plain(model[0].transform(["teams"]))
    assert plsa.top_words(loaded) == plsa.top_words(model)


# --- what is refused when it is saved ------------------------------------------------------------


@pytest.mark.parametrize(
    ("vectorizer", "named"),
    [
        (
            CountVectorizer(tokenizer=str.split, token_pattern=None),
            r"countvectorizer\.tokenizer is code \(split\)",
        ),
        (CountVectorizer(preprocessor=str.lower), r"countvectorizer\.preprocessor is code \(lower\)"),
        (CountVectorizer(analyzer=str.split), r"countvectorizer\.analyzer is code \(split\)"),
    ],
    ids=["tokenizer", "preprocessor", "analyzer"],
)
def test_code_is_refused_by_name(vectorizer, named, path):
    model = plsa.text_classifier(plsa.NaiveBayesEM(evidence=False), vectorizer=vectorizer).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=named):
        plsa.save(model, path)
    assert not path.exists()


def test_what_cannot_be_saved_is_named(path):
    """Foreign estimators, wherever they are, and what is no estimator."""
    X, y, _ = corpus()
    forest = RandomForestClassifier(2, random_state=0).fit(X, corpus()[2])
    with pytest.raises(ValueError, match=r"RandomForestClassifier, which cannot be saved\. .* CPA, .*PLSA"):
        plsa.save(forest, path)
    forest_of_views = RandomForestClassifier(2, random_state=0)
    within = plsa.CoTraining(estimator=forest_of_views, max_iter=0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"^estimator is a .*RandomForestClassifier, which cannot"):
        plsa.save(within, path)
    with pytest.raises(ValueError, match=r"randomforestclassifier is a .*RandomForestClassifier"):
        plsa.save(make_pipeline(CountVectorizer(), clone(forest)).fit(TEXTS, range(8)), path)
    search = GridSearchCV(plsa.PLSA(2, max_iter=1, tol=0), {"smoothing": [0.1, 0.2]}, cv=2).fit(X)
    with pytest.raises(ValueError, match=r"GridSearchCV, which cannot be saved: save its best_estimator_"):
        plsa.save(search, path)
    for nothing in (plsa.PLSA, 3, "model", None):
        with pytest.raises(ValueError, match="is no fitted estimator"):
            plsa.save(nothing, path)

    class Own(plsa.PLSA):
        pass

    with pytest.raises(ValueError, match=r"Own, which cannot be saved"):
        plsa.save(Own(2).fit(X), path)
    assert not path.exists()


def test_what_was_not_fitted_is_not_saved(path):
    for model in (plsa.PLSA(), plsa.CountScaler(), plsa.text_classifier()):
        with pytest.raises(NotFittedError):
            plsa.save(model, path)
    half = plsa.text_classifier(plsa.PLSA(2))
    half[-1].fit(corpus()[0])
    with pytest.raises(NotFittedError):
        plsa.save(half, path)


def test_what_was_changed_after_the_fit_is_not_saved(path):
    model = plsa.PLSA(4, max_iter=2, tol=0).fit(corpus()[0])
    for name, value, said in (
        ("note", "mine", "note is nothing that a PLSA sets itself"),
        ("components_", model.components_[:, :5], r"components_ has the shape \(4, 5\).*Fit it again"),
        ("components_", model.components_ * np.nan, r"components_ holds nan, which is not finite"),
        ("components_", model.components_ * 2, r"components_ has probabilities that sum to 2 at 0"),
        ("n_threads", 0, "n_threads == 0, but must be"),
        ("init", np.ones(3, dtype=np.longdouble), "init is an array of type float128|longdouble"),
        ("tol", 1j, r"tol is a builtins.complex, which cannot be saved: put a plain value there"),
    ):
        changed = clone(model)
        vars(changed).update(vars(model) | {name: value})
        with pytest.raises(ValueError, match=said):
            plsa.save(changed, path)


def with_part(model, place, change):
    """A copy of a fitted model with one part of it changed, an attribute or a field of a value."""
    name, _, rest = place.partition(".")
    held = vars(model)[name] if not is_dataclass(model) or hasattr(model, "fit") else getattr(model, name)
    changed = with_part(held, rest, change) if rest else change(held)
    if is_dataclass(model) and not hasattr(model, "fit"):
        return replace(model, **{name: changed})
    copied = copy.copy(model)
    vars(copied)[name] = changed
    return copied


def first_two(values):
    """Rows that are left of an array."""
    return values[:2]


UNFIT = {
    "machines": (plsa.TransductiveSVM, "coef_", first_two, "has 2 rows, but 4 classes need 4"),
    "classes": (plsa.SoftMislabelingPLSA, "classes_", first_two, r"but the rest of the model is of 2 \(M\)"),
    "no classes": (plsa.FakeLabelPLSA, "model_.aspects.class_topic", lambda _: None, "of type NoneType"),
    "a topic": (plsa.PLSAClassifier, "model_.aspects.topic_prior", first_two, "topic_prior has the shape"),
    "lessons": (plsa.HardMislabelingPLSA, "model_.student.lessons.key", np.flip, "keys that do not ascend"),
    "a class": (plsa.HardMislabelingPLSA, "model_.student.lessons.code", lambda c: c + 3, r"place \d, but"),
    "clusters": (plsa.CPA, "model_.class_of", lambda place: place + 3, r"class_of holds the place \d"),
    "a cluster": (plsa.MPCKMeans, "model_.chosen", lambda place: place + 9, "chosen is the place"),
    "positives": (plsa.SpyEM, "classes_", lambda _: np.array([0, 1, 2]), r"classes_ has the shape \(3,\)"),
    "bayes": (plsa.CoTraining, "estimators_", lambda pair: (pair[0], 1), "is int, but must be a classifier"),
    "twice": (plsa.ClassificationEM, "classes_", lambda names: names * 0, "classes_ holds a class twice"),
    "labels": (plsa.NaiveBayesEM, "_labels_.code", lambda code: code + 9, r"_labels_\.code holds the place"),
    "numbers": (plsa.NaiveBayesEM, "_way_.numbers", lambda n: n * 0, r"numbers holds 0, but must be >= 1"),
    "nothing left": (plsa.GraphClassifier, "places_", first_two, "places_ has the shape|D"),
    "a scaler": (plsa.RocchioSVM, "scaler_", lambda _: plsa.CountScaler(), "without .*, so that it was not"),
    "a length": (plsa.CountScaler, "length_", lambda _: float("inf"), "length_ is inf, but must be finite"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_parts_have_to_fit_each_other(name, path):
    """Else it is neither saved nor loaded: both look at the same."""
    kind, place, change, said = UNFIT[name]
    case = next(case for case in CASES if case.model is kind)
    model = with_part(case.fit(), place, change)
    with pytest.raises(ValueError, match=said):
        plsa.save(model, path)


@pytest.mark.parametrize("learner", [LinearSVC(), LogisticRegression(), MultinomialNB()], ids=repr)
def test_a_machine_for_every_class(learner, path):
    model = plsa.text_classifier(learner).fit(TEXTS, [0, 1, 2, 3] * 2)
    name = "feature_log_prob_" if hasattr(model[-1], "feature_log_prob_") else "coef_"
    vars(model[-1])[name] = vars(model[-1])[name][:3]
    with pytest.raises(ValueError, match=r"rows, but 4 classes need 4|has the shape \(3, "):
        plsa.save(model, path)


def test_a_callback_is_left_out_and_said_so(path):
    model = plsa.PLSA(4, max_iter=2, tol=0, callback=lambda state: False).fit(corpus()[0])
    with pytest.warns(UserWarning, match="the callback of PLSA is code"):
        plsa.save(model, path)
    assert plsa.load(path).callback is None
    assert model.callback is not None


# --- patterns ------------------------------------------------------------------------------------


def test_a_foreign_pattern_is_taken_if_it_is_trusted(path):
    vectorizer = CountVectorizer(token_pattern=r"[a-z]+")
    model = plsa.text_classifier(plsa.NaiveBayesEM(evidence=False), vectorizer=vectorizer).fit(TEXTS, LABELS)
    plsa.save(model, path)
    with pytest.raises(
        ValueError, match=r"countvectorizer__token_pattern == '\[a-z\]\+'.*trust_pattern=True"
    ):
        plsa.load(path)
    assert_same(plsa.load(path, trust_pattern=True), model, old_files.NEW)


# --- files ---------------------------------------------------------------------------------------


@pytest.fixture
def model():
    """Any model."""
    return plsa.PLSA(4, max_iter=2, tol=0, random_state=0).fit(corpus()[0])


def test_places_that_are_none(model, tmp_path):
    """An OSError stays one, and says what to do."""
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere for the model: make it first"):
        plsa.save(model, tmp_path / "nowhere" / "model")
    with pytest.raises(IsADirectoryError, match="is a folder, and a model is a file: name one in it"):
        plsa.save(model, tmp_path)
    with pytest.raises(IsADirectoryError):
        plsa.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        plsa.load(tmp_path / "nothing")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError, match="is no regular file"):
            plsa.save(model, tmp_path / "pipe")
    assert [each.name for each in tmp_path.iterdir() if each.name != "pipe"] == []


def test_names_are_of_any_kind(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("plain", tmp_path / "path", str(tmp_path / "mit Umlaut ä"), os.fsencode(tmp_path / "bytes")):
        assert_same(kept(model, name), model, new_documents())
    (tmp_path / "link").symlink_to("plain")
    plsa.save(clone(model).set_params(n_components=3).fit(corpus()[0]), "link")
    assert (tmp_path / "link").is_symlink()
    assert plsa.load("plain").n_components == 3


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_who_may_read_a_file(model, path):
    """What the umask says of a new one; one that is replaced stays as private as it was."""
    before = os.umask(0o027)
    try:
        plsa.save(model, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o600)
    plsa.save(model, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_an_error_while_saving_leaves_the_old_file(model, path, call, error, monkeypatch):
    """Ctrl-C is one; and nothing beside it."""
    plsa.save(model, path)
    before = path.read_bytes()

    def fails(*_):
        raise error

    other = clone(model).set_params(n_components=3).fit(corpus()[0])
    with monkeypatch.context() as patched:
        patched.setattr(os, call, fails)
        with pytest.raises(type(error)):
            plsa.save(other, path)
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]


def test_a_file_is_on_the_disk_before_it_takes_its_name(model, path, monkeypatch):
    """Then its folder is."""
    calls = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *these, name=name, real=real: (calls.append(name), real(*these)))
    plsa.save(model, path)
    assert calls == ["fsync", "replace", "fsync"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="programs are forked")
def test_a_program_that_is_killed_leaves_a_whole_file():
    """`python tests/killed.py` kills more of them."""
    command = [sys.executable, "-P", TESTS / "killed.py", "--number", "20", "--words", "5000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "20 killed" in done.stdout


def test_arrays_may_stay_in_the_file(model, path):
    """They cannot be written to; the file may be replaced meanwhile."""
    mapped = kept(model, path, mmap=True)
    assert not mapped.components_.flags.writeable
    plsa.save(clone(model).set_params(n_components=3).fit(corpus()[0]), path)
    assert_same(mapped, model, new_documents())
    plsa.save(mapped, path)
    assert_same(plsa.load(path), model, new_documents())
    assert plsa.load(path).components_.flags.writeable


# --- files of others -----------------------------------------------------------------------------


def test_ten_lines_read_the_arrays(model, path):
    """The layout is that of safetensors."""
    plsa.save(model, path)
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    entry = header["model_.word_topic"]
    begin, end = entry["data_offsets"]
    found = np.frombuffer(whole[8 + size + begin : 8 + size + end], "<f4").reshape(entry["shape"])
    assert entry["dtype"] == "F32"
    assert (found == model.components_.T).all()
    about = header["__metadata__"]
    assert all(isinstance(each, str) for each in about.values())
    assert (about["class"], about["plsa"]) == ("PLSA", plsa.__version__)
    assert json.loads(about["plsa_model"])["has"]["random_state"] == 0
    assert (8 + size) % 64 == 0


def test_arrays_begin_where_processors_want_them():
    """At multiples of the size of an entry."""
    sizes = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "BOOL": 1, "U8": 1}
    entries = [each for name, each in damage.broken()["texts"].header.items() if name != "__metadata__"]
    assert {"F64", "F32", "U8"} < {each["dtype"] for each in entries}
    assert all(each["data_offsets"][0] % sizes[each["dtype"]] == 0 for each in entries)


def test_arrays_do_not_share_bytes(path):
    """One that begins where another does leaves a hole where it should be."""
    file = damage.broken()["texts"]
    header = json.loads(json.dumps(file.header))
    entries = [each for name, each in header.items() if name != "__metadata__"]
    first, second = next(
        (a, b) for a, b in pairwise(entries) if (a["dtype"], a["shape"]) == (b["dtype"], b["shape"])
    )
    second["data_offsets"] = first["data_offsets"]
    refused(path, file.sealed(header), "begins at .*, but the arrays before it end at")


def test_a_file_is_hardly_larger_than_its_arrays(path):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.05, (50, 20_000)).astype(np.float32))
    model = plsa.PLSA(10, max_iter=1, tol=0).fit(X)
    plsa.save(model, path)
    arrays = model.components_.nbytes + model.doc_topic_.nbytes
    assert path.stat().st_size < 1.1 * arrays


@pytest.mark.parametrize("folder", sorted(old_files.DATA.glob("format-*")), ids=lambda folder: folder.name)
def test_files_of_earlier_versions_are_loaded(folder):
    """And what is in them says what it said."""
    told = json.loads((folder / "answers.json").read_text())
    assert told["models"].keys() == {each.stem for each in folder.glob("*.plsa")}
    for name, said in told["models"].items():
        model = plsa.load(folder / f"{name}.plsa")
        assert repr(model) == said["repr"]
        assert model.predict(told["documents"]).tolist() == said["predict"]
        for method in ("predict_proba", "transform"):
            found = getattr(model, method)(told["documents"])
            np.testing.assert_allclose(found, said[method], rtol=0, atol=1e-6)


def test_the_format_of_this_version_has_its_files():
    assert (old_files.DATA / f"format-{container.FORMAT}").is_dir()


def tree_of(file, name="softmislabelingplsa"):
    """The model in a file, as a tree that can be changed, and a step of it."""
    tree = json.loads(json.dumps(file.tree))
    steps = tree["has"]["steps"]
    return tree, next(step["tuple"][1] for step in steps if step["tuple"][0] == name)


def test_a_file_of_another_scikit_learn(path):
    """It is loaded if its parts are as they are here; what it does not know is as it is here, and said so."""
    file = damage.broken()["texts"]
    tree, counter = tree_of(file, "countvectorizer")
    del counter["has"]["binary"]
    path.write_bytes(file.sealed(tree=tree))
    with pytest.warns(UserWarning, match="binary of WordAndPieceCounter is as this version"):
        assert file.answers(plsa.load(path)) == file.said
    counter["has"]["novelty"] = 3
    path.write_bytes(file.sealed(tree=tree))
    refused(path, path.read_bytes(), "novelty is nothing that a WordAndPieceCounter has here: .* by hand.$")
    header = json.loads(json.dumps(file.header))
    header["__metadata__"]["scikit-learn"] = "1.99.0"
    refused(path, file.sealed(header, tree), "It was saved with scikit-learn 1.99.0; here is")


def test_a_parameter_that_is_new_has_its_default(path):
    """A file of an earlier version does not know it."""
    file = damage.broken()["topics"]
    tree = json.loads(json.dumps(file.tree))
    del tree["has"]["fold_iter"]
    path.write_bytes(file.sealed(tree=tree))
    assert plsa.load(path).fold_iter == plsa.PLSA().fold_iter


# --- damaged files -------------------------------------------------------------------------------


def refused(path, content, match):
    """Content is refused; what is said is returned."""
    path.write_bytes(content)
    with pytest.raises(ValueError, match=match) as raised:
        plsa.load(path)
    assert str(path) in str(raised.value)
    return str(raised.value)


def test_a_newer_format_says_so(path):
    file = damage.broken()["topics"]
    header = json.loads(json.dumps(file.header))
    header["__metadata__"]["plsa_format"] = "2"
    refused(
        path,
        file.sealed(header),
        "it has format 2, and this version of plsa reads up to 1: load it with a newer",
    )


def test_what_is_no_model_says_so(path):
    refused(path, b"", "it has 0 bytes")
    refused(path, b"PK\x03\x04" * 20, "its first 8 bytes say .* It is no model, or is cut off")
    header = b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{"format":"pt"}}'
    refused(
        path, len(header).to_bytes(8, "little") + header + bytes(4), "it holds arrays, but no model of plsa"
    )


HEADERS = {
    "twice": ('"__metadata__"', '"n": 1, "n": 1, "__metadata__"', "has 'n' twice"),
    "nan": ('"shape": [', '"shape": [NaN, ', "has NaN, which is no number of JSON"),
    "infinite": ('"shape": [', '"shape": [1e999, ', "has 1e999, which is no number"),
    "digits": ('"shape": [', f'"shape": [{"9" * 5000}, ', "has 9{40}, which is no number"),
    "negative": ('"shape": [', '"shape": [-1, ', r"of shape \[-1, .*, which no array in it can have"),
    "huge": ('"shape": [', f'"shape": [{2**62}, ', "which no array in it can have"),
    "product": ('"shape": [', '"shape": [9, ', "has .* bytes, but its header gives it"),
    "axes": ('"shape": [', f'"shape": [{"1, " * 9}', "which no array in it can have"),
    "type": ('"dtype": "F32"', '"dtype": "BF16"', "of type 'BF16', which is none of BOOL"),
    "deep": (
        '"__metadata__"',
        f'"n": {"[" * 90_000}, "__metadata__"',
        "nested beyond measure|not valid JSON",
    ),
    "hole": ('"data_offsets": [0, ', '"data_offsets": [1, ', "bytes, but its header gives it|begins at"),
    "text": ('"class": "PLSA"', '"class": 3', "has no __metadata__ of texts"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_are_none(name, path):
    """Even with checksums that are right."""
    file = damage.broken()["topics"]
    old, new, said = HEADERS[name]
    text = json.dumps(file.header).replace(file.header["__metadata__"]["sha256_of_header"], damage.ZEROS)
    assert old in text
    refused(path, file.sealed(text=text.replace(old, new, 1)), said)


def model_with(file, changes):
    """A file in which attributes of the model are other trees."""
    tree = json.loads(json.dumps(file.tree))
    for place, value in changes.items():
        *way, last = place.split("/")
        at = tree
        for key in way:
            at = at[int(key) if isinstance(at, list) else key]
        at[int(last) if isinstance(at, list) else last] = value
    return file.sealed(tree=tree)


WORDS = "steps.countvectorizer.vocabulary_"
MODELS = {
    "class": ("topics", {"class": "os.system"}, "of the class 'os.system', which no model is made of"),
    "attribute": ("topics", {"has/predict": 1}, "predict is nothing that a PLSA has here"),
    "private": ("topics", {"has/__class__": "x"}, "__class__ is nothing that a PLSA has here"),
    "depth": ("topics", {"has/init": json.loads("[" * 60 + "]" * 60)}, "nested more than"),
    "parameter": ("topics", {"has/max_iter": -1}, "max_iter == -1, but must be"),
    "passes": ("topics", {"has/fold_iter": 2**64}, r"fold_iter == \d+, but must be below 2\*\*63"),
    "size": ("topics", {"has/n_features_in_": 3}, r"has the shape .*, but the rest of the model is of"),
    "missing": ("topics", {"has/model_": None}, "PLSA.model_ is NoneType, but must be Aspects"),
    "other": (
        "topics",
        {"has/components_": {"array": "_seen"}},
        "type bool, but must be an array of real numbers",
    ),
    "no array": ("topics", {"has/components_": {"array": "x"}}, "an array 'x', which is not in it"),
    "unused": ("topics", {"has/doc_topic_": {"array": "model_.word_topic"}}, "no part of the model holds"),
    "stands": (
        "topics",
        {"has/tol": {"exec": "1"}},
        r"an object with the keys \['exec'\], which stands for nothing",
    ),
    "type": ("topics", {"has/dtype": {"type": "builtins.eval"}}, "is 'builtins.eval', which is none of"),
    "again": ("texts", {"has/verbose": {"many": "str", "strings": f"{WORDS}.keys"}}, "another part is made"),
    "memory": ("texts", {"has/memory": "/tmp"}, "memory is a folder"),
    "file": ("texts", {"has/steps/0/tuple/1/has/input": "filename"}, "input is 'filename', but must be"),
    "step": ("texts", {"has/steps/1/tuple/1": None}, "no part of the model holds"),
    "words": (
        "texts",
        {"has/steps/0/tuple/1/has/ngram_range": {"tuple": [1, "x"]}},
        "must be a whole number",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_that_are_none(name, path):
    """Even with checksums that are right; names are only ever looked up in a table."""
    kind, changes, said = MODELS[name]
    refused(path, model_with(damage.broken()[kind], changes), said)


def with_numbers(file, name, values):
    """A file in which an array begins with other numbers."""
    entry = file.header[name]
    begin, end = entry["data_offsets"]
    kind = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "u1", "BOOL": "u1"}[entry["dtype"]]
    array = np.frombuffer(file.data[begin:end], kind).copy()
    array[: len(values)] = values
    return file.sealed(data=file.data[:begin] + array.tobytes() + file.data[end:])


NUMBERS = {
    "nan": ("topics", "model_.word_topic", [np.nan], "word_topic holds nan, which is not finite"),
    "negative": ("topics", "model_.word_topic", [-0.1], r"word_topic holds -0\.1.*, but must be >= 0"),
    "sums": ("topics", "model_.word_topic", [0.9], "has probabilities that sum to"),
    "truth": ("topics", "_seen", [2], "truth values that are neither true nor false"),
    "class": ("mixture", "topic_class_", [3], r"topic_class_ holds the place 3, but there are 3 \(C\)"),
    "before": ("mixture", "_met_", [-1], r"_met_ holds the place -1, but there are 3"),
    "column": ("views", "views_[0]", [10**6], r"views_\[0\] holds the place 1000000, but there are"),
    "node": ("graph", "graph_.indices", [99], "graph_: .* index out of range: 99"),
    "row": ("graph", "graph_.indptr", [1], "graph_: X has a broken indptr"),
    "letters": ("texts", f"{WORDS}.keys", [255], "is strings that are no UTF-8"),
    "half a letter": ("texts", f"{WORDS}.keys", [0xC3], "is strings that are no UTF-8"),
    "begins": ("texts", f"{WORDS}.keys.begins", [0, 99], "strings that do not begin one after the other"),
    "twice": ("texts", f"{WORDS}.values", [3, 3], "not each a column of its own"),
    "far": ("texts", f"{WORDS}.values", [-1], "not each a column of its own"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_arrays_that_cannot_be(name, path):
    """All that would be an index is looked at, and all that is a probability; here checksums are right."""
    kind, array, values, said = NUMBERS[name]
    content = with_numbers(damage.broken()[kind], array, values)
    refused(path, content, said)
    if name not in ("nan", "negative", "sums"):  # what is no index may stay unread
        with pytest.raises(ValueError, match=said):
            plsa.load(path, mmap=True)


@pytest.mark.parametrize("name", ["topics", "mixture"])
def test_no_byte_of_a_file_can_be_another(name, path):
    """Here every fifth, in `python tests/damage.py` all of them."""
    file = damage.broken()[name]
    for at in range(0, len(file.whole), 5):
        path.write_bytes(damage.changed(file.whole, at, 1 << at % 8))
        with pytest.raises(ValueError, match="cannot be loaded"):
            plsa.load(path)


@settings(max_examples=150)
@given(st.sampled_from(damage.SMALL), st.sampled_from(damage.PLAIN), st.integers(0, 2**32))
def test_no_damage_goes_unseen(tmp_path_factory, name, hurt, seed):
    """Whatever happens to a file, if nobody made its checksums anew."""
    file = damage.broken()[name]
    content = hurt(file, random.Random(seed))
    if content != file.whole:
        result, _ = damage.outcome(file, content, tmp_path_factory.getbasetemp() / "plain")
        assert result == "refused"


@settings(max_examples=250)
@given(st.sampled_from(damage.SMALL), st.sampled_from(damage.SEALED), st.integers(0, 2**32))
def test_no_file_of_an_enemy_is_more_than_another_model(tmp_path_factory, name, hurt, seed):
    """It is refused, or is a model that answers."""
    file = damage.broken()[name]
    content = hurt(file, random.Random(seed))
    result, _ = damage.outcome(file, content, tmp_path_factory.getbasetemp() / "sealed")
    assert result in ("refused", "same", "others")


def test_no_more_memory_is_taken_than_twice_the_file(path):
    """Not even where a header asks for it, or arrays are read."""
    file = damage.large()
    rng = random.Random(0)
    contents = [file.whole, file.whole[:-1], *(damage.other_entries(file, rng) for _ in range(20))]
    plsa.load(path.write_bytes(file.whole) and path)  # what is imported then is no part of it
    for content in contents:
        path.write_bytes(content)
        tracemalloc.start()
        try:
            plsa.load(path)
        except ValueError:
            pass
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 2 * len(content)
