"""Playing active learning on known labels: curves, what they say, and how they are made."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from plsa import MissingLabelPLSA
from plsa.active import simulation
from plsa.active.learner import ActiveLearner
from plsa.active.simulation import Simulation, simulate
from plsa.datasets import planted_corpus
from plsa.show.pictures import half_width

CORPUS = planted_corpus(
    100,
    40,
    3,
    n_classes=3,
    doc_concentration=0.4,
    word_concentration=0.8,
    document_length=9,
    random_state=0,
    dtype="float64",
)
X, TRUTH = CORPUS.counts, CORPUS.target
NB = MultinomialNB()
NAMES = np.array(["ant", "bee", "cat"])[TRUTH]


def made(**changed):
    """Two strategies, two repeats, three marks, made by hand."""
    values = {
        "marks": np.array([0, 10, 30]),
        "n_initial": 3.0,
        "accuracy": {
            "random": np.array([[0.2, 0.4, 0.6], [0.4, 0.6, 0.8]]),
            "margin": np.array([[0.2, 0.6, 0.8], [0.4, 0.8, 0.8]]),
        },
        "bound": np.array([0.9, 1.0]),
        "seconds": {"random": np.array([0.1, 0.3]), "margin": np.array([1.0, 1.5])},
    }
    return Simulation(**values | changed)


# ---- what curves say


def test_the_area_is_the_mean_height_of_a_curve():
    """By the trapezoidal rule, marks being as far apart as they are; of one mark the height there."""
    assert_allclose(made().area("random"), [13 / 30, 19 / 30])
    assert_allclose(made().area("margin"), [18 / 30, 22 / 30])
    later = made(marks=np.array([20, 30, 50]))
    assert_allclose(later.area("random"), [13 / 30, 19 / 30])
    one = made(marks=np.array([5]), accuracy={"auto": np.array([[0.3], [0.5]])})
    assert_array_equal(one.area("auto"), [0.3, 0.5])


def test_labels_for_an_accuracy_are_read_from_the_mean_curve():
    """Straight between two marks; the first time that it is reached; NaN where it is not."""
    played = made()
    assert_allclose(played.labels_for(0.5, "random"), 10)
    assert_allclose(played.labels_for(0.5, "margin"), 5)
    assert_allclose(played.labels_for(0.75, "margin"), 20)
    assert played.labels_for(0.1, "margin") == played.labels_for(0.3, "margin") == 0
    assert np.isnan(played.labels_for(0.9, "margin"))
    wavy = made(accuracy={"auto": np.array([[0.1, 0.7, 0.5]])})
    assert_allclose(wavy.labels_for(0.4, "auto"), 5)
    late = made(marks=np.array([4, 8, 16]))
    assert late.labels_for(0.2, "random") == 4


def test_what_a_strategy_saves_is_a_share_of_the_answers_of_the_other():
    """For the best accuracy of the other; NaN where that is not reached, or takes no answer."""
    played = made()
    assert_allclose(played.saved("margin"), 1 - 10 / 30)
    assert_allclose(played.saved("random", than="random"), 0)
    assert np.isnan(played.saved("random", than="margin"))
    curves = {"random": np.full((1, 3), 0.4), "margin": np.array([[0.3, 0.5, 0.6]])}
    assert np.isnan(made(accuracy=curves).saved("margin"))
    falling = {"random": np.array([[0.1, 0.5, 0.3]]), "margin": np.array([[0.1, 0.3, 0.5]])}
    assert_allclose(made(accuracy=falling).saved("margin"), 1 - 30 / 10)  # it needs more


def test_the_p_value_is_that_of_a_paired_t_test_of_the_areas():
    """Differences of 5/30 and 3/30: t is 4 with one degree of freedom."""
    wanted = 1 - 2 * np.arctan(4) / np.pi
    assert_allclose(made().p_value("margin"), wanted)
    assert_allclose(made().p_value("random", than="margin"), wanted)
    assert made().p_value("random") == 1.0
    one = made(accuracy={name: curves[:1] for name, curves in made().accuracy.items()})
    assert np.isnan(one.p_value("margin"))
    assert np.isnan(one.p_value("random"))
    always = made(accuracy={"random": np.zeros((3, 3)), "margin": np.full((3, 3), 0.5)})
    assert np.isnan(always.p_value("margin"))
    rng = np.random.default_rng(0)
    several = made(accuracy={"random": rng.random((6, 3)), "margin": rng.random((6, 3))})
    paired = stats.ttest_rel(several.area("margin"), several.area("random")).pvalue
    assert_allclose(several.p_value("margin"), paired)


@pytest.mark.parametrize("ask", ["area", "saved", "p_value"])
def test_a_strategy_that_was_not_played_is_named(ask):
    """With those that were."""
    with pytest.raises(ValueError, match="there is no strategy 'best'; there are 'random', 'margin'"):
        getattr(made(), ask)("best")
    with pytest.raises(ValueError, match="there is no strategy 'auto'"):
        made(accuracy={"margin": np.zeros((2, 3))}).labels_for(0.5, "auto")


def test_the_table_has_a_line_a_strategy():
    """The largest area first; what is saved stands against random, where that was played."""
    *lines, note = made().table().splitlines()
    assert repr(made()) == made().table()
    assert [line.split() for line in lines] == [
        ["strategy", "area", "after", "30", "saved", "p", "s/answer"],
        ["margin", "0.667", "±0.094", "0.800", "±0.000", "67%", "0.16", "1.25"],
        ["random", "0.533", "±0.141", "0.700", "±0.141", "0.20"],
    ]
    assert note == "2 repeats, 3 labels at the start; accuracy with all labels 0.950 ±0.071."
    assert len({len(line) for line in lines}) == 1  # columns are in line
    once = made(
        accuracy={"margin": np.array([[0.2, 0.6, 0.8]]), "random": np.array([[0.2, 0.8, 0.9]])},
        bound=np.array([0.9]),
        seconds={"margin": np.array([1.0]), "random": np.array([0.2])},
    )
    *lines, note = once.table().splitlines()
    assert [line.split() for line in lines] == [
        ["strategy", "area", "after", "30", "saved", "p", "s/answer"],
        ["random", "0.733", "0.900", "0.20"],
        ["margin", "0.600", "0.800", "-", "-", "1.00"],
    ]
    assert note == "1 repeat, 3 labels at the start; accuracy with all labels 0.900."
    alone = made(accuracy={"margin": made().accuracy["margin"]})
    assert alone.table().splitlines()[0].split() == ["strategy", "area", "after", "30", "s/answer"]


def test_the_plot_has_a_line_a_strategy_and_the_bound():
    """Over the number of labels, with the interval of the mean around it."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, given = pyplot.subplots()
    played = made()
    ax = played.plot(given)
    assert ax is given
    assert len(ax.lines) == 3
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["margin (0.667)", "random (0.533)", "all labels"]
    for line, name in zip(ax.lines, ("margin", "random"), strict=False):
        assert_array_equal(line.get_xdata(), [3, 13, 33])
        assert_allclose(line.get_ydata(), played.accuracy[name].mean(axis=0))
    assert_allclose(ax.lines[2].get_ydata(), [0.95, 0.95])
    half = 12.706 * 0.1  # of two values 0.2 apart: Student's t times their standard error
    extents = ax.collections[1].get_paths()[0].get_extents()
    assert_allclose([extents.ymin, extents.ymax], [0.3 - half, 0.7 + half], rtol=1e-3)
    pyplot.close(figure)
    own = made(accuracy={"margin": np.array([[0.2, 0.6, 0.8]])}).plot()
    assert len(own.lines) == 2
    assert own.get_xlabel() == "labels"
    extents = own.collections[0].get_paths()[0].get_extents()
    assert_allclose([extents.ymin, extents.ymax], [0.2, 0.8])
    pyplot.close(own.figure)


# ---- how they are made


@pytest.mark.parametrize(
    "estimator", [NB, MissingLabelPLSA(evidence=False, max_iter=3)], ids=["labeled", "all"]
)
def test_the_same_seed_gives_the_same_curves_in_any_number_of_processes(estimator):
    """And another seed others."""
    options = {"strategies": ["margin", "random"], "n_queries": 6, "repeats": 2, "marks": [0, 3, 6]}
    one = simulate(estimator, X, TRUTH, **options)
    again = simulate(estimator, X, TRUTH, **options, n_jobs=2)
    other = simulate(estimator, X, TRUTH, **options, random_state=1)
    for name in ("margin", "random"):
        assert one.accuracy[name].shape == (2, 3)
        assert_array_equal(one.accuracy[name], again.accuracy[name])
        assert one.seconds[name].shape == (2,)
        assert np.all(one.seconds[name] > 0)
    assert_array_equal(one.bound, again.bound)
    assert any(np.any(one.accuracy[name] != other.accuracy[name]) for name in one.accuracy)
    assert one.n_initial == 3


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("name", ["coo", "bsr", "dia"])
def test_documents_in_formats_that_have_no_rows(name):
    """It is the same as with rows."""
    played = [simulate(NB, of, TRUTH, n_queries=4, repeats=1) for of in (X, X.asformat(name))]
    assert_array_equal(*(each.accuracy["auto"] for each in played))


def test_all_strategies_begin_with_the_same_documents():
    """Before the first answer no curve differs from another, though repeats do."""
    strategies = ["margin", "random", "committee", {"entropy": 1, "random": 1}]
    played = simulate(NB, X, TRUTH, strategies, n_queries=4, repeats=4, marks=[0, 4])
    curves = list(played.accuracy.values())
    for other in curves[1:]:
        assert_array_equal(other[:, 0], curves[0][:, 0])
    assert any(np.any(other[:, 1] != curves[0][:, 1]) for other in curves[1:])
    assert len(set(curves[0][:, 0].tolist())) > 1


class Spy(ClassifierMixin, BaseEstimator):
    """Naive Bayes of all columns but the first, which says which document it is; remembers its calls."""

    calls: list = []  # noqa: RUF012

    def fit(self, X, y):
        """Fits and remembers."""
        Spy.calls.append(("fit", X[:, 0].astype(int).tolist(), np.asarray(y).tolist()))
        self.model_ = MultinomialNB().fit(X[:, 1:], y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        """What naive Bayes says."""
        return self.model_.predict_proba(X[:, 1:])

    def predict(self, X):
        """What naive Bayes says, remembered."""
        Spy.calls.append(("predict", X[:, 0].astype(int).tolist(), None))
        return self.model_.predict(X[:, 1:])


NUMBERED = np.hstack([np.arange(100)[:, np.newaxis], X.toarray()])


def sessions(n_marks):
    """The remembered calls, split into those for the bound and those of each session."""
    ends = [place for place, (kind, _, _) in enumerate(Spy.calls) if kind == "predict"]
    judged = [(Spy.calls[end - 1], Spy.calls[end][1]) for end in ends]
    n_bounds = len(judged) - (len(judged) // (n_marks * 2 + 1)) * n_marks * 2
    bounds, rest = judged[:n_bounds], judged[n_bounds:]
    return bounds, [rest[begin : begin + n_marks] for begin in range(0, len(rest), n_marks)]


@pytest.mark.parametrize(("batch_size", "initial"), [(1, 1), (5, 2)])
def test_sessions_learn_and_are_judged_as_they_should(batch_size, initial):
    """A fifth of every class is held out; marks are met exactly; answers are true; the bound knows all."""
    Spy.calls.clear()
    marks = [0, 3, 7]
    options = {"n_queries": 7, "repeats": 3, "marks": marks, "batch_size": batch_size, "initial": initial}
    played = simulate(Spy(), NUMBERED, NAMES, ["margin", "random"], **options)
    bounds, several = sessions(3)
    assert len(bounds) == 3
    assert len(several) == 6
    helds = []
    for repeat, (fit, held) in enumerate(bounds):
        assert sorted(fit[1] + held) == list(range(100))
        assert fit[2] == NAMES[fit[1]].tolist()
        for name in np.unique(NAMES):
            assert np.sum(NAMES[held] == name) == round(0.2 * NAMES.tolist().count(name))
        assert_allclose(played.bound[repeat], accuracy_by_hand(fit, held))
        helds.append(tuple(held))
    assert len(set(helds)) == 3
    assert len(set(played.bound.tolist())) > 1
    firsts = []
    for number, session in enumerate(several):
        repeat, name = number // 2, ("margin", "random")[number % 2]
        for place, (fit, held) in enumerate(session):
            assert tuple(held) == helds[repeat]
            assert not set(fit[1]) & set(held)
            assert len(set(fit[1])) == len(fit[1]) == 3 * initial + marks[place]
            assert fit[2] == NAMES[fit[1]].tolist()
            assert_allclose(played.accuracy[name][repeat, place], accuracy_by_hand(fit, held))
        assert sorted(session[0][0][2]) == sorted(["ant", "bee", "cat"] * initial)
        assert set(session[0][0][1]) < set(session[1][0][1]) < set(session[2][0][1])
        firsts.append(tuple(session[0][0][1]))
    assert firsts[0::2] == firsts[1::2]
    assert len(set(firsts)) == 3
    assert played.n_initial == 3 * initial
    assert_array_equal(played.marks, marks)


def accuracy_by_hand(fit, held):
    """Of naive Bayes fitted to the same documents."""
    model = MultinomialNB().fit(NUMBERED[fit[1], 1:], fit[2])
    return np.mean(model.predict(NUMBERED[held, 1:]) == NAMES[held])


def test_documents_to_judge_by_may_be_given():
    """Then all others are learned from."""
    Spy.calls.clear()
    test = (NUMBERED[80:], NAMES[80:])
    played = simulate(Spy(), NUMBERED[:80], NAMES[:80], ["margin", "random"], 4, 2, test=test, marks=[0, 4])
    bounds, several = sessions(2)
    assert [sorted(fit[1]) for fit, _ in bounds] == [list(range(80))] * 2
    assert all(held == list(range(80, 100)) for _, held in bounds)
    assert all(held == list(range(80, 100)) for session in several for _, held in session)
    assert played.bound[0] == played.bound[1]
    assert_allclose(played.accuracy["margin"][0, 0], accuracy_by_hand(*several[0][0]))
    firsts = [tuple(session[0][0][1]) for session in several]
    assert firsts[0] == firsts[1] != firsts[2] == firsts[3]  # drawn anew in every repeat


def test_a_session_may_begin_with_nothing():
    """Nothing known is nothing right; one class known is its share of the documents that are judged."""
    test = (X[80:], NAMES[80:])
    played = simulate(
        NB, X[:80], NAMES[:80], ["margin", "random"], 12, 3, initial=0, test=test, marks=[0, 1, 12]
    )
    shares = {float(np.mean(NAMES[80:] == name)) for name in np.unique(NAMES)}
    assert len(shares) > 1
    for curves in played.accuracy.values():
        assert np.all(curves[:, 0] == 0)
        assert {float(value) for value in curves[:, 1]} <= shares
        assert curves[:, 2].mean() > max(shares)
    assert played.n_initial == 0


def test_eleven_marks_unless_said_otherwise():
    """From nothing to all questions, fewer of few questions; those that are given stand in order."""
    assert_array_equal(simulate(NB, X, TRUTH, "random", 20, 1).marks, np.arange(0, 21, 2))
    assert_array_equal(simulate(NB, X, TRUTH, "random", 3, 1).marks, [0, 1, 2, 3])
    assert_array_equal(simulate(NB, X, TRUTH, "random", 9, 1, marks=(8, 2, 2)).marks, [2, 8])


def own_score(chance):
    """A strategy of one's own."""
    return -chance[:, 0]


class Watched(ActiveLearner):
    """Remembers how it was made."""

    made: list = []  # noqa: RUF012

    def __init__(self, *arguments, **options):
        Watched.made.append(options)
        super().__init__(*arguments, **options)


def test_strategies_have_names_and_options(monkeypatch):
    """Of a list their own, of a dict those that are given, with a strategy or the options of a learner."""
    monkeypatch.setattr(simulation, "ActiveLearner", Watched)
    mixed = {"margin": 1, "entropy": 2}
    for strategies, wanted in (
        ("margin", {"margin": {"strategy": "margin"}}),
        (own_score, {"own_score": {"strategy": own_score}}),
        (
            ["random", own_score, mixed],
            {
                "random": {"strategy": "random"},
                "own_score": {"strategy": own_score},
                str(mixed): {"strategy": mixed},
            },
        ),
        (
            {
                "a": "entropy",
                "b": mixed,
                "c": {"strategy": "margin", "density": 2.0, "batch_size": 1},
                "d": own_score,
            },
            {
                "a": {"strategy": "entropy"},
                "b": {"strategy": mixed},
                "c": {"strategy": "margin", "density": 2.0, "batch_size": 1},
                "d": {"strategy": own_score},
            },
        ),
    ):
        Watched.made.clear()
        played = simulate(NB, X, TRUTH, strategies, 2, 2, marks=[2], batch_size=2)
        assert list(played.accuracy) == list(wanted)
        assert Watched.made == [
            {"batch_size": 2, "random_state": seed, "unlabeled": None, **options}
            for seed in np.random.SeedSequence(0).generate_state(2).tolist()
            for options in wanted.values()
        ]


def test_a_pipeline_plays_on_texts():
    """Texts are held out as rows are."""
    words = np.array([f"w{number:02d}" for number in range(40)])
    texts = [" ".join(np.repeat(words, row.astype(int))) for row in X.toarray()]
    vectorizer = CountVectorizer(vocabulary=words)
    by_text = simulate(make_pipeline(vectorizer, NB), texts, NAMES, ["margin"], 3, 2, marks=[0, 3])
    by_count = simulate(NB, X, NAMES, ["margin"], 3, 2, marks=[0, 3])
    assert_array_equal(by_text.accuracy["margin"], by_count.accuracy["margin"])


class Complaining(MultinomialNB):
    """Naive Bayes that is never content."""

    def fit(self, X, y):
        """Fits and complains."""
        warnings.warn("there are few labels", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_a_session_does_not_repeat_what_an_estimator_complains_of():
    """With few labels it would every time; outside a session it is heard."""
    played = simulate(Complaining(), X, TRUTH, ["margin"], 2, 1, marks=[0, 2])
    assert played.accuracy["margin"].shape == (1, 2)
    with pytest.warns(UserWarning, match="few labels"):
        Complaining().fit(X, TRUTH)


def test_progress_is_shown_where_it_is_asked_for(capsys):
    """At the end at least, on standard error."""
    simulate(NB, X, TRUTH, ["random"], 2, 2, marks=[2])
    assert capsys.readouterr() == ("", "")
    simulate(NB, X, TRUTH, ["random"], 2, 2, marks=[2], verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(r"^simulate: 4 sessions played, [\d.]+ s$", err, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimator": MultinomialNB}, "must be a classifier"),
        ({"estimator": CountVectorizer()}, "neither predict_proba nor decision_function"),
        ({"y_true": TRUTH[:50]}, "^y_true has 50 entries, but must have one entry for each of 100 documents"),
        ({"y_true": np.zeros(100, dtype=int)}, "y_true holds one class, 0, but at least two"),
        (
            {"y_true": [None, *NAMES[1:].tolist()]},
            "y_true holds None at 0, but every document needs its class",
        ),
        ({"y_true": np.array([*TRUTH[:-1].tolist(), float("nan")], dtype=object)}, "y_true holds nan at 99"),
        ({"n_queries": 0}, "n_queries == 0"),
        ({"n_queries": 78}, "n_queries == 78, but there are 77 documents to ask for"),
        ({"repeats": 0}, "repeats == 0"),
        ({"initial": -1}, "initial == -1"),
        ({"initial": 40}, "initial == 40, but a class has .. documents to learn from"),
        ({"test": 1.0}, "test == 1.0, but must be a share"),
        ({"test": 0}, "test == 0"),
        ({"batch_size": 0}, "batch_size == 0"),
        ({"marks": [0, 6]}, "marks == .0, 6., but must be from 0 to n_queries, 5"),
        ({"marks": [-1]}, "marks == .-1., but must be from 0"),
        ({"marks": [0.5]}, "marks == .0.5., but must be whole numbers"),
        ({"marks": []}, "marks == .., but must be whole numbers"),
        ({"strategies": ["best"]}, "strategy == 'best'"),
        ({"strategies": {"mine": {"margin": 1, "densty": 2}}}, "strategy == 'densty'"),
        ({"y_true": np.where(TRUTH == 0, np.nan, TRUTH.astype(float))}, "y_true holds nan at"),
        ({"y_true": np.where(np.arange(100) < 3, -1, TRUTH)}, "y_true holds -1 at 0, which marks"),
        ({"test": (X,)}, "test holds 1 things"),
        ({"test": (X, TRUTH[:5])}, r"^test\[1\] has 5 entries, but must have one entry for each of 100"),
        ({"test": 1e-6}, "holds no document out"),
        ({"random_state": None}, "random_state"),
        ({"random_state": -1}, "random_state"),
        ({"strategies": []}, "strategies is empty"),
        ({"strategies": ["margin", "margin"]}, "two strategies are called 'margin'"),
    ],
    ids=str,
)
def test_bad_arguments(changed, message):
    """Each an error that says what is wrong."""
    with pytest.raises(ValueError, match=message):
        simulate(**{"estimator": NB, "X": X, "y_true": TRUTH, "n_queries": 5, "repeats": 1, **changed})


@pytest.mark.parametrize("classes", [["bee", "ant"], ["ant", "bee", "cat", "dog"]], ids=len)
def test_classes_turn_up_whatever_an_estimator_declares(classes):
    """From nothing on: the curves are those of one that declares none."""
    options = {"n_queries": 12, "repeats": 2, "initial": 0, "strategies": ["margin", "vote entropy"]}
    usual, declaring = MissingLabelPLSA(evidence=False), MissingLabelPLSA(evidence=False, classes=classes)
    one, other = (simulate(each, X, NAMES, **options) for each in (usual, declaring))
    assert_array_equal(one.bound, other.bound)
    for name in one.accuracy:
        assert_array_equal(one.accuracy[name], other.accuracy[name])


def test_a_class_may_be_called_minus_one():
    """Of two classes: as in scikit-learn, not as a mark of no label."""
    names = np.where(TRUTH == 0, -1, 1)
    options = {"n_queries": 4, "repeats": 1, "marks": [0, 4]}
    one = simulate(MissingLabelPLSA(evidence=False), X, names, **options)
    other = simulate(MissingLabelPLSA(evidence=False), X, (names + 1) // 2, **options)
    assert_array_equal(one.bound, other.bound)
    for name in one.accuracy:
        assert_array_equal(one.accuracy[name], other.accuracy[name])


@pytest.mark.parametrize(
    "estimator",
    [LabelSpreading(kernel="knn", n_neighbors=5), SelfTrainingClassifier(MultinomialNB())],
    ids=lambda estimator: type(estimator).__name__,
)
def test_semi_supervised_classifiers_of_scikit_learn_play_whatever_classes_are_called(estimator):
    """They are judged by the names of the classes."""
    options = {"n_queries": 4, "repeats": 1, "marks": [0, 4]}
    places = (TRUTH == 0).astype(int)
    played = [
        simulate(estimator, X, np.array(names)[places], **options) for names in ([0, 1], [-1, 1], ["a", "b"])
    ]
    assert played[0].bound[0] > 0.7
    for other in played[1:]:
        assert_array_equal(other.bound, played[0].bound)
        for name in other.accuracy:
            assert_array_equal(other.accuracy[name], played[0].accuracy[name])


def test_what_is_judged_by_may_be_a_list():
    """Also while there is one class."""
    options = {"n_queries": 1, "repeats": 1, "marks": [0, 1], "initial": 0, "strategies": "random"}
    plain = simulate(NB, X, NAMES, test=(X, NAMES.tolist()), **options)
    assert_array_equal(
        plain.accuracy["random"], simulate(NB, X, NAMES, test=(X, NAMES), **options).accuracy["random"]
    )
    assert plain.accuracy["random"][0, 1] > 0.1


def test_functions_without_names_are_told_apart_by_names_of_ones_own():
    """A list of them is refused, as one curve would hide the other."""
    several = [lambda chance: chance[:, 0], lambda chance: chance[:, 1]]
    options = {"n_queries": 2, "repeats": 1, "marks": [2]}
    with pytest.raises(ValueError, match="two strategies are called '<lambda>'"):
        simulate(NB, X, TRUTH, several, **options)
    played = simulate(NB, X, TRUTH, dict(zip(("first", "second"), several, strict=True)), **options)
    assert sorted(played.accuracy) == ["first", "second"]


def test_costs_go_with_their_documents(monkeypatch):
    """One for each document of X, whichever are held out."""
    cost = np.asarray(X.sum(axis=1)).ravel() + X.toarray()[:, 0] / 7

    class Costly(ActiveLearner):
        def tell(self, indices, labels):
            assert_allclose(self.cost, np.asarray(self.X.sum(axis=1)).ravel() + self.X.toarray()[:, 0] / 7)
            super().tell(indices, labels)

    monkeypatch.setattr(simulation, "ActiveLearner", Costly)
    assert len(np.unique(cost)) > 2
    simulate(NB, X, TRUTH, {"cheap": {"strategy": "margin", "cost": cost}}, 6, 2, marks=[6])
    with pytest.raises(ValueError, match="cost has shape"):
        simulate(NB, X, TRUTH, {"cheap": {"strategy": "margin", "cost": cost[:50]}}, 6, 2)
    with pytest.raises(ValueError, match="'a' has the option 'densty', but may have strategy"):
        simulate(NB, X, TRUTH, {"a": {"strategy": "margin", "densty": 1.0}}, 6, 2)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_interval_of_the_mean_is_students(n):
    """Of n repeats, with n - 1 degrees of freedom; of one there is none."""
    curves = np.random.default_rng(0).normal(size=(n, 3))
    half = half_width(curves)
    for mark, values in enumerate(curves.T):
        wanted = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert_allclose([values.mean() - half[mark], values.mean() + half[mark]], wanted)
    assert_array_equal(half_width(curves[:1]), [0, 0, 0])
