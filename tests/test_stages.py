"""What a person sees of a fit, what Ctrl-C leaves of it, and what is said of fits that cannot be good."""

import pickle
import re
import sys
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from cases import CASES, corpus, new_documents
from helpers import Screen, assert_same_bits, assert_usable, learned, partly_labeled
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from plsa import (
    PLSA,
    ActiveLearner,
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    NaiveBayesEM,
    PLSAClassifier,
    SoftMislabelingPLSA,
    SpyEM,
    TopicSensitivePLSA,
    compare_pu,
    cross_val_predict,
    estimate_prior,
    heterogeneity,
    select_topics,
    simulate,
    text_classifier,
)
from plsa import _kernels as kernels
from plsa.datasets import planted_corpus
from plsa.engine import progress
from plsa.engine.progress import Progress
from plsa.engine.runs import finished, last_of
from plsa.estimators import base, topic_sensitive
from plsa.learning import committee, mixtures, ranking, student
from plsa.learning import topic_sensitive as search
from plsa.learning.scaling import Scaler, Scaling

pytestmark = [
    pytest.mark.filterwarnings("ignore:documents without a label did not help"),
    pytest.mark.filterwarnings("ignore:y labels:UserWarning"),
]


# --- Ctrl-C --------------------------------------------------------------------------------------

# Where the time of a fit is spent.
WORK = [
    (kernels, "expect"),
    (kernels, "fold"),
    (kernels, "document_sums"),
    (kernels, "word_sums"),
    (kernels, "normalize_columns"),
    (kernels, "normalize_rows"),
    (Scaling, "fit"),
    (Scaler, "scaled"),
    (student, "separate"),
    (student, "complement"),
    (ranking, "teach"),
    (search, "otsu"),
    (committee, "spherical_kmeans"),
    (topic_sensitive, "likeness"),
]


@contextmanager
def interrupted_at(moment):
    """Ctrl-C comes at the so-many-th time that work begins; yields the moments as they are met."""
    seen = []

    def wrapped(place, name, whole):
        def work(*arguments, **options):
            seen.append(name)
            if len(seen) == moment:
                raise KeyboardInterrupt
            return whole(*arguments, **options)

        patch.setattr(place, name, work)

    with pytest.MonkeyPatch.context() as patch:
        for place, name in WORK:
            wrapped(place, name, getattr(place, name))
        yield seen


CLIMBING = [case for case in CASES if case.has("callback")]
# What the cases of the table leave out: choosing by held-out labels, and a student after it.
MORE = [
    (SoftMislabelingPLSA, {"n_relabels": 1, "max_iter": 3}, "classes"),
    (HardMislabelingPLSA, {"n_relabels": 1, "max_iter": 3, "student": None, "scaling": None}, "classes"),
    (FakeLabelPLSA, {"max_iter": 3, "n_init": 2, "init": "random"}, "classes"),
    (PLSAClassifier, {"topics_per_class": "auto", "student": "linear", "max_iter": 3}, "classes"),
    (NaiveBayesEM, {"components_per_class": "auto", "max_iter": 2}, "classes"),
    (NaiveBayesEM, {"annealing": [0.3, 1.0], "correspondence": "labels", "max_iter": 2}, "classes"),
    (PLSA, {"n_components": 3, "n_init": 3, "max_iter": 3}, "nothing"),
    (PLSA, {"n_components": 3, "max_iter": 3, "warm_start": True}, "nothing"),
]
EVERY = [pytest.param(case.model, case.parameters, case.takes, id=str(case)) for case in CLIMBING]
EVERY += [pytest.param(*case, id=f"{case[0].__name__} {case[1]}") for case in MORE]


def labels_for(takes):
    y = corpus()[1]
    return {"classes": y, "positives": (y == 0).astype(int), "nothing": None}[takes]


@pytest.mark.parametrize(("model", "parameters", "takes"), EVERY)
def test_ctrl_c_leaves_what_was_learned_or_says_that_nothing_was(model, parameters, takes, monkeypatch):
    """Wherever the work is: something is kept from the first pass of the fit itself on, or the first vote."""
    for place, name, value in ((mixtures, "_NUMBERS", (1, 2)), (committee, "NUMBERS", (4, 6))):
        monkeypatch.setattr(place, name, value)  # there are enough of them
    X, y = corpus()[0], labels_for(takes)
    first, climbs = [], set()

    def met(state=None):
        first.append(len(seen))
        if state is not None and state.number == 1:
            climbs.add(len(seen))

    with interrupted_at(None) as seen, pytest.MonkeyPatch.context() as patch:
        whole = committee.opinion
        patch.setattr(committee, "opinion", lambda *given: (whole(*given), met())[0])
        model(**parameters, random_state=0, callback=met).fit(X, y)
    moments = {*range(1, len(seen) + 1, max(1, len(seen) // 20)), len(seen)}
    moments |= {*range(first[0] - 1, first[0] + 4), *climbs}
    before = model(**parameters, random_state=1).fit(X, y)
    others = pickle.dumps(before)
    for at in sorted(moments & {*range(1, len(seen) + 1)}):
        # One that was never fitted, or one that was.
        found = model(**parameters, random_state=0)
        if at % 2:
            found = pickle.loads(others).set_params(random_state=0)
        was = learned(found)
        with interrupted_at(at) as reached, pytest.raises(KeyboardInterrupt) as raised:
            found.fit(X, y)
        assert len(reached) >= at
        if at > first[0]:
            assert found.stop_reason_ == "interrupted", (at, reached[at - 1])
            assert str(raised.value).startswith(f"{model.__name__} keeps what it has learned so far")
            assert_usable(found, new_documents())
            assert len(found.objective_trace_) > 0
            assert np.isfinite(found.log_likelihood_)
        else:
            assert_same_bits(learned(found), was)
            assert raised.value.__notes__ == [
                f"{model.__name__} has learned nothing yet that could be kept: it is as it was before."
            ]
            assert bool(was) is hasattr(found, "components_")
    assert_same_bits(before, model(**parameters, random_state=1).fit(X, y))


def test_votes_that_were_cast_before_ctrl_c_are_counted(monkeypatch):
    """The members that have an opinion vote, the student learns from them, and it finds the positives."""
    counts, labels, truth = partly_labeled(300, 200, 4)
    wanted = (truth == 0).astype(int)
    whole, n_asked = committee.opinion, []

    def opinion(*given):
        n_asked.append(1)
        if len(n_asked) == 4:
            raise KeyboardInterrupt
        return whole(*given)

    monkeypatch.setattr(committee, "opinion", opinion)
    model = TopicSensitivePLSA(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts, (labels == 0).astype(int))
    assert len(model.committee_) == 3
    assert model.n_components_ == 4
    assert model.n_iter_ == 0
    assert model.stop_reason_ == "interrupted"
    assert np.mean(model.predict(counts) == wanted) > 0.9


def test_stopped_before_any_guess_the_topics_judge():
    """A student of the labels alone would know less than they: it judges once it was taught guesses."""
    X, y = corpus()[:2]
    for at, taught in ((2, False), (12, True)):
        seen = []

        def stop(state, at=at, seen=seen):
            seen.append(state)
            return len(seen) == at

        model = SoftMislabelingPLSA(scaling=None, evidence=False, random_state=0, callback=stop).fit(X, y)
        assert (model.model_.student is not None) is taught
        assert taught or model.sharpness_ == 1


def test_an_interrupted_pipeline_predicts():
    """The words are counted already, and the model keeps what it has."""
    texts = ["tea milk tea", "milk tea cup", "cup of milk", "goal ball goal", "ball team goal", "team goal"]

    def stop(state):
        raise KeyboardInterrupt

    model = text_classifier(random_state=0, callback=stop)
    with pytest.raises(KeyboardInterrupt, match="keeps what it has learned"):
        model.fit(texts, ["food", None, None, "sport", None, None])
    assert model.predict(["tea", "goal"]).tolist() == ["food", "sport"]


def test_ctrl_c_in_what_keeps_nothing_says_so():
    """Other people's methods are quick, and keep nothing."""
    X, y = corpus()[0], labels_for("positives")
    model = SpyEM()
    with interrupted_at(5), pytest.raises(KeyboardInterrupt) as raised:
        model.fit(X, y)
    assert raised.value.__notes__ == [
        "SpyEM has learned nothing yet that could be kept: it is as it was before."
    ]
    assert not learned(model)


@pytest.mark.parametrize(
    "use",
    [
        lambda model, X, y: compare_pu(X, y == 0, [model]),
        lambda model, X, y: compare_pu(X, y == 0, [SpyEM(), model], y_true=y == 0),
        lambda model, X, y: select_topics(model, X, y, candidates=[1], cv=2),
        lambda model, X, y: select_topics(model, X, y, candidates=[1], criterion="bic"),
        lambda model, X, y: simulate(model, X, y, n_queries=2, repeats=1),
        lambda model, X, y: cross_val_predict(model, X, y, cv=2),
    ],
)
def test_ctrl_c_in_what_works_on_copies_says_that_all_is_lost(use):
    """And nothing else: the model that was stopped is out of reach, and that of the user is as it was."""
    made = planted_corpus(80, 60, 3, n_classes=3, document_length=25, random_state=0)
    model = PLSAClassifier(random_state=0, callback=stopped_by_hand)
    with pytest.raises(KeyboardInterrupt, match=r"^[a-z_]+ was interrupted: nothing of it is kept") as raised:
        use(model, made.counts, made.target)
    assert raised.value.__suppress_context__
    assert not hasattr(raised.value, "__notes__")
    assert not learned(model)


def test_ctrl_c_in_a_search_does_not_promise_what_is_lost():
    """A search of scikit-learn's lets the word of a copy through."""
    made = planted_corpus(80, 60, 3, n_classes=3, document_length=25, random_state=0)
    search = GridSearchCV(
        PLSAClassifier(random_state=0, callback=stopped_by_hand), {"smoothing": [0.1]}, cv=2
    )
    with pytest.raises(
        KeyboardInterrupt, match=r"keeps what .* \(but not if a search .* made it, as a copy\)"
    ):
        search.fit(made.counts, made.target)


def stopped_by_hand(state):
    raise KeyboardInterrupt


def test_the_last_of_better_values():
    """All of them, or those before Ctrl-C; with none before, it goes on, and so does anything else."""

    def values(n, error=None):
        yield from range(n)
        if error is not None:
            raise error

    assert last_of(values(3)) == (2, False)
    assert last_of(values(3, KeyboardInterrupt())) == (2, True)
    with pytest.raises(KeyboardInterrupt):
        last_of(values(0, KeyboardInterrupt()))
    with pytest.raises(ValueError, match="other"):
        last_of(values(3, ValueError("other")))


def test_short_work_is_done_again_after_ctrl_c():
    """Once: who presses it twice means it."""
    calls = []

    def work(n):
        calls.append(n)
        if len(calls) <= n:
            raise KeyboardInterrupt
        return n

    assert finished(lambda: work(0)) == (0, False)
    calls.clear()
    assert finished(lambda: work(1)) == (1, True)
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        finished(lambda: work(2))


# --- progress ------------------------------------------------------------------------------------


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)


def test_a_file_has_a_line_for_each_stage_and_some_of_long_ones(monkeypatch):
    """Every five seconds; what is known of a stage stands at its end."""
    clock, screen = Clock(monkeypatch), Screen(terminal=False)
    shown = Progress("Task", stream=screen)
    shown.plan(2)
    shown.begin("first", 20)
    for _ in range(20):
        clock.now += 0.6
        shown.within(0.5, "halfway")
        shown.step()
    shown.close("well done")
    shown.begin("second", 1)
    clock.now += 1
    shown.end("ended")
    assert screen.getvalue().splitlines() == [
        "Task, stage 1 of 2 [####------]  42%, 5 s: first, halfway",
        "Task, stage 1 of 2 [########--]  87%, 11 s: first, halfway",
        "Task, stage 1 of 2: first: well done, 12.0 s",
        "Task, stage 2 of 2: second: done, 1.0 s",
        "Task: ended, 13.0 s",
    ]


def test_a_terminal_has_one_line_that_is_never_wider(monkeypatch):
    """It is written over ten times a second, cut where it would be wrapped, and ends with what came of it."""
    monkeypatch.setenv("COLUMNS", "60")
    clock, screen = Clock(monkeypatch), Screen(terminal=True)
    shown = Progress("Task", stream=screen)
    shown.plan(2)
    for what in ("first", "second"):
        shown.begin(what, 100)
        for _ in range(100):
            clock.now += 0.04
            shown.step("a very long story of what is being done just now")
    shown.end("ended")
    lines = screen.shown()
    assert len(lines) == 2 * 34 + 1
    assert max(map(len, lines)) == 59
    assert lines[1] == "Task, stage 1 of 2 [----------]   3%, 0 s: first, a very lo"
    assert screen.left() == ["Task: ended, 8.0 s"]
    assert screen.getvalue().count("\n") == 1


@pytest.mark.parametrize("terminal", [True, False])
def test_time_goes_by_in_a_step_that_takes_long(terminal, monkeypatch):
    """The line is shown again and again, as it was; and not after the end."""
    for name in ("_OFTEN", "_SELDOM", "_TICK"):
        monkeypatch.setattr(progress, name, 0.01)
    screen = Screen(terminal)
    with Progress("Task", stream=screen) as shown:
        shown.begin("first", 4)
        shown.step()
        shown.within(0.5, "slowly")
        deadline = time.perf_counter() + 30
        while screen.getvalue().count("slowly") < 5 and time.perf_counter() < deadline:
            time.sleep(0.01)
        shown.end("ended")
        ended = screen.getvalue()
        time.sleep(0.1)
    assert screen.getvalue() == ended
    again = [line for line in screen.shown() if "slowly" in line]
    assert len(again) >= 5
    assert set(again) == {"Task [###-------]  37%, 0 s: first, slowly"}


@pytest.mark.parametrize("terminal", [True, False])
def test_what_fails_ends_the_line(terminal):
    """So that the error stands in one of its own; stages that are planned on the way come after others."""
    screen = Screen(terminal)

    def fail():
        with Progress("Task", stream=screen) as shown:
            shown.plan(2)
            shown.begin("first")
            shown.plan(2)
            shown.begin("second", 0)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert screen.getvalue().endswith("\n")
    if terminal:
        assert screen.left() == ["Task, stage 2 of 3, 0 s: second"]
    else:
        assert [line[:20] for line in screen.left()] == ["Task, stage 1 of 3: "]


def test_silence(capfd):
    """Nothing where nothing is asked for."""
    with Progress("Task", shown=False) as shown:
        shown.plan(1)
        shown.begin("first")
        shown.step()
        shown.end("ended")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [0, 1])
def test_what_knows_how_it_was_fitted_can_be_pickled(verbose, capfd):
    """A session in the midst of its questions; its copy is silent."""
    X, y = corpus()[0], corpus()[2]
    learner = ActiveLearner(
        MissingLabelPLSA(random_state=0, verbose=verbose), X, np.where(np.arange(150) < 8, y, -1)
    )
    asked = learner.query()
    copy = pickle.loads(pickle.dumps(learner))
    learner.tell(asked, y[asked])
    copy.tell(asked, y[asked])
    assert_same_bits(copy.query(), learner.query())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("terminal", [True, False])
def test_a_comparison_shows_which_model_is_at_work(terminal, monkeypatch):
    """One after the other, a step for each fit."""
    X, y = corpus()[0], labels_for("positives")
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_OFTEN", 0.0)
    compare_pu(X, y, [SpyEM(), SpyEM(spies=0.3)], n_splits=3, verbose=1)
    assert re.fullmatch(r"compare_pu: 2 models compared, [\d.]+ s", screen.left()[-1])
    if terminal:
        shares = dict.fromkeys(re.findall(r"stage (\d) of 2 \[[#-]*\] +(\d+)%", screen.getvalue()))
        assert [*shares] == [(stage, str(share)) for stage in "12" for share in (0, 25, 50, 75, 100)]
        assert len(screen.left()) == 1
    else:
        begin = [line[:32] for line in screen.left()[:-1]]
        assert begin == ["compare_pu, stage 1 of 2: SpyEM:", "compare_pu, stage 2 of 2: SpyEM "]


# --- fits that ran out of passes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "takes", "leap"),
    [(PLSA(4, max_iter=3), "nothing", ", or accelerate=True"), (NaiveBayesEM(max_iter=1), "classes", "")],
    ids=["PLSA", "NaiveBayesEM"],
)
def test_a_fit_that_has_not_settled_warns(model, takes, leap):
    """As scikit-learn's do: how far it came, and what to do."""
    X, y = corpus()[0], labels_for(takes)
    with pytest.warns(ConvergenceWarning) as heard:
        model.set_params(random_state=0).fit(X, y)
    gained = np.diff(model.objective_trace_)[-1] / X.sum()
    asked = (
        f"max_iter == {model.max_iter} passes (the last gained {gained:.2g} per word, tol == {model.tol:g})"
    )
    assert str(heard[0].message) == (
        f"{type(model).__name__} did not settle in {asked}; raise max_iter or tol{leap}."
    )
    assert heard[0].filename == __file__
    assert model.stop_reason_ == "rounds"


@pytest.mark.parametrize(
    ("model", "takes"),
    [
        (PLSA(4), "nothing"),
        (PLSA(4, max_iter=3, tol=0), "nothing"),  # so many passes were asked for
        (PLSA(4, max_iter=0), "nothing"),
        (PLSA(4, max_iter=300, tol=1e-4), "nothing"),
        (NaiveBayesEM(), "classes"),
        (PLSAClassifier(max_iter=2), "classes"),  # more passes would raise the likelihood, not the accuracy
        (MissingLabelPLSA(max_iter=2), "classes"),
        (SoftMislabelingPLSA(max_iter=2, n_relabels=1), "classes"),
        (TopicSensitivePLSA(4, max_iter=2), "positives"),
    ],
    ids=str,
)
def test_what_ends_as_it_was_meant_to_does_not_warn(model, takes):
    """Settled, stopped early, or given a number of passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.set_params(random_state=0).fit(corpus()[0], labels_for(takes))


# --- more topics than there is anything for ------------------------------------------------------


@pytest.mark.parametrize("number", [10**6, 10**12, 10**30], ids=["10^6", "10^12", "10^30"])
@pytest.mark.parametrize(
    ("model", "parameter", "takes"),
    [
        (PLSA, "n_components", "nothing"),
        (TopicSensitivePLSA, "n_components", "positives"),
        (PLSAClassifier, "topics_per_class", "classes"),
        (PLSAClassifier, "extra_topics", "classes"),
        (SoftMislabelingPLSA, "topics_per_class", "classes"),
        (MissingLabelPLSA, "extra_topics", "classes"),
        (NaiveBayesEM, "components_per_class", "classes"),
    ],
)
def test_far_too_many_topics_fail_at_once(model, parameter, takes, number):
    """With the memory that they would need; none of it is taken first."""
    began = time.perf_counter()
    with pytest.raises(
        ValueError, match=rf"{parameter} == {number}.*topics of 150 documents and 100 words need"
    ):
        model(**{parameter: number}).fit(corpus()[0], labels_for(takes))
    assert time.perf_counter() - began < 5


def test_numbers_beyond_all_floats():
    """They are errors that do not write all their digits."""
    for parameters in ({"n_components": 10**400}, {"max_iter": 10**400}):
        with pytest.raises(ValueError, match=r"has 401 digits, but must be no larger than 1e\+100"):
            PLSA(**parameters).fit(corpus()[0])
    with pytest.raises(ValueError, match=r"tol == 10*, but must be a finite number"):
        PLSA(tol=10**400).fit(corpus()[0])


def test_the_memory_that_topics_would_need(monkeypatch):
    """Twice P(z|d) and P(w|z), beside what the machine has; as many as there is room for are let in."""
    X = corpus()[0]
    monkeypatch.setattr(base, "physical_memory", lambda: 2.0 * 250 * 4 * 90)
    with pytest.raises(ValueError, match="n_components") as raised:
        PLSA(91).fit(X)
    assert str(raised.value) == (
        "n_components == 91: 91 topics of 150 documents and 100 words need 0.0001695 GiB, "
        "but this machine has 0.0001676 GiB. Take at most 90."
    )
    with pytest.raises(ValueError, match=r"0\.000339 GiB"):
        PLSA(91, dtype="float64").fit(X)
    PLSA(90, max_iter=1, random_state=0).fit(X)
    monkeypatch.setattr(base, "physical_memory", lambda: float("inf"))
    with pytest.raises(ValueError, match=r"need 0\.06519 GiB, and outnumber both\. Take fewer\."):
        PLSA(35_000).fit(X)


def test_a_machine_that_does_not_tell_its_memory(monkeypatch):
    """Then only what nobody needs is refused."""
    assert 2**28 < base.physical_memory() < 2**60

    def sysconf(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr("os.sysconf", sysconf)
    assert base.physical_memory() == float("inf")


@pytest.mark.parametrize(
    ("model", "takes", "said"),
    [
        (
            PLSA(12, max_iter=2),
            "nothing",
            "n_components == 12: 12 topics of 10 documents and 100 words are more",
        ),
        (PLSAClassifier(3, max_iter=2), "classes", "topics_per_class == 3: 12 topics of 10 documents"),
        (
            PLSAClassifier(1, 9, max_iter=2),
            "classes",
            "topics_per_class == 1 and extra_topics == 9: 13 topics of 10",
        ),
        (NaiveBayesEM(3, max_iter=2), "classes", "components_per_class == 3: 12 topics of 10 documents"),
        (TopicSensitivePLSA(11, max_iter=2), "positives", "n_components == 11: 11 topics of 10 documents"),
    ],
    ids=str,
)
def test_more_topics_than_documents_or_words_warn(model, takes, said):
    """There is nothing for each to stand for; as many as there are is fine."""
    X, y = corpus()[0][:10], corpus()[2][:10]
    assert len(set(y)) == 4
    y = {"classes": y, "positives": (y == y[0]).astype(int), "nothing": None}[takes]
    with pytest.warns(UserWarning, match=re.escape(said)):
        model.fit(X, y)
    with pytest.warns(UserWarning, match=r"100 documents and 3 words are more topics than words"):
        PLSA(4, max_iter=1).fit(corpus()[0][:100, :3])


def test_as_many_topics_as_documents_do_not_warn():
    """And the topics of classes are not for the user to choose."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".* are more topics than")
        PLSA(10, max_iter=1).fit(corpus()[0][:10])
        PLSAClassifier().fit([[1, 2], [3, 0], [2, 1], [4, 4]], ["a", "b", "c", "d"])
        TopicSensitivePLSA().fit(corpus()[0][:10], np.arange(10) < 5)


# --- texts, and what else can be said at the start -----------------------------------------------

TEXTS = ["tea milk tea", "milk tea cup", "goal ball goal", "ball team goal"] * 3
CLASSES = ["food", "food", "sport", "sport"] * 3


@pytest.mark.parametrize(
    "use",
    [
        lambda: compare_pu(TEXTS, [1, 1, 0, 0] * 3),
        lambda: compare_pu(np.array(TEXTS), [1, 1, 0, 0] * 3, [MultinomialNB(), SpyEM()]),
        lambda: select_topics(PLSAClassifier(), TEXTS, CLASSES),
        lambda: select_topics(PLSA(), TEXTS, criterion="bic"),
        lambda: simulate(MissingLabelPLSA(), TEXTS, CLASSES, n_queries=2, repeats=1),
        lambda: heterogeneity(PLSA(2, random_state=0).fit(CountVectorizer().fit_transform(TEXTS)), TEXTS),
    ],
    ids=[
        "compare_pu",
        "compare_pu, an array",
        "select_topics",
        "select_topics by bic",
        "simulate",
        "heterogeneity",
    ],
)
def test_texts_for_a_model_of_counts_are_refused_at_once(use, monkeypatch):
    """By name of what takes texts, before any fit, and without a word of them."""
    fitted = []
    monkeypatch.setattr(MultinomialNB, "fit", lambda *_: fitted.append(1))
    with pytest.raises(ValueError, match="X holds texts") as raised:
        use()
    assert "text_classifier" in str(raised.value)
    assert "CountVectorizer" in str(raised.value)
    assert "milk" not in str(raised.value)
    assert not fitted


def test_scores_that_are_texts():
    """Numbers are asked for."""
    with pytest.raises(ValueError, match="scores must be a 1D array of numbers"):
        estimate_prior(TEXTS, [1, 0, 0, 0] * 3)
    with pytest.raises(ValueError, match="positive holds 'food' at 0"):
        estimate_prior(np.arange(12.0), CLASSES)


def test_pipelines_take_texts():
    """What they read, only they know."""
    pipeline = make_pipeline(CountVectorizer(), SpyEM())
    assert compare_pu(TEXTS, [1, 0, 0, 0] * 3, [pipeline], n_splits=2)["SpyEM"].model is not None
    pipeline = make_pipeline(CountVectorizer(), PLSAClassifier())
    assert select_topics(pipeline, TEXTS, CLASSES, candidates=(1, 2), cv=2).best == 1


@pytest.mark.parametrize(
    ("X", "y", "models", "message"),
    [
        ([[1, -2], [3, 4]], [1, 0], None, "negative count"),
        ([[1.0, np.nan], [3, 4]], [1, 0], None, "NaN"),
        ([[1, 2], [3, 4]], [1, 2], None, "y holds 2 at 1"),
        ([[1, 2], [3, 4]], [1, 0, 0], None, "y has 3 labels for 2 documents"),
        ([[1, 2], [3, 4]], [1, 0], [MultinomialNB(), SpyEM(spies=2.0)], "spies == 2.0"),
        ([[0, 0], [3, 4], [1, 0]], [1, 0, 0], None, "has not one word in 1 positive document"),
    ],
    ids=["negative", "NaN", "labels", "length", "parameter", "empty"],
)
def test_what_no_model_could_learn_from_is_raised(X, y, models, message):
    """And not told in rows of failures."""
    with pytest.raises(ValueError, match=message):
        compare_pu(np.array(X, dtype=float), y, models)


def test_failures_of_different_kinds_are_rows():
    """Each says what is peculiar to it."""

    class Other(SpyEM):
        def _scaling(self):
            raise RuntimeError("another way to fail")

    class One(SpyEM):
        def _scaling(self):
            raise RuntimeError("one way to fail")

    X, y = corpus()[0], labels_for("positives")
    rows = compare_pu(X, y, [One(), Other()]).rows
    assert [row.failure for row in rows] == [
        "RuntimeError: one way to fail",
        "RuntimeError: another way to fail",
    ]
