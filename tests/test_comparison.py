"""compare_pu on data with and without the truth, and the share of positives by estimate_prior."""

import importlib.util
import sys
import warnings

import numpy as np
import pytest
from helpers import partly_shown
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import trapezoid
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from plsa import (
    PEBL,
    MPCKMeans,
    RocchioSVM,
    SpyEM,
    TopicSensitivePLSA,
    WeightedLogisticRegression,
    compare_pu,
    estimate_prior,
)
from plsa.evaluation.positives import _shares_above

QUICK = [SpyEM(), PEBL(), RocchioSVM()]


def planted(n_shown=12):
    """Documents of three classes, some of the first shown, and what they are in truth."""
    options = {"n_classes": 3, "document_length": 25, "word_concentration": 0.5, "dtype": "float64"}
    return partly_shown(240, 150, 6, n_shown, seed=4, **options)


class Failing(ClassifierMixin, BaseEstimator):
    """A model that cannot cope."""

    def fit(self, X, y):
        """Fails."""
        raise ValueError("there are not enough documents to learn anything from, whatever is tried\nat all")


# ---- with the truth


def test_figures_with_the_truth_are_scikit_learns():
    """Precision, recall, F1 and AUC of the unlabeled documents, after one fit to all."""
    X, shown, truth = planted()
    found = compare_pu(X, shown, QUICK, truth, random_state=3)
    asked = shown == 0
    for row, model in zip(found.rows, [SpyEM(random_state=3), PEBL(), RocchioSVM()], strict=True):
        model.fit(X, shown)
        taken, scores = model.predict(X)[asked], model.decision_function(X)[asked]
        assert row.name == type(model).__name__
        assert_allclose(row.precision, precision_score(truth[asked], taken))
        assert_allclose(row.recall, recall_score(truth[asked], taken))
        assert_allclose(row.f1, f1_score(truth[asked], taken))
        assert_allclose(row.area, roc_auc_score(truth[asked], scores))
        assert_array_equal(row.model.predict(X), model.predict(X))
        assert row.seconds > 0
        assert row.failure == ""
        assert_allclose(trapezoid(row.curve[1], row.curve[0]), row.area)


def test_the_truth_may_have_one_class_only():
    """Then there is no AUC, and no curve."""
    X, shown, _ = planted()
    found = compare_pu(X, shown, [PEBL()], shown)
    assert np.isnan(found["PEBL"].area)
    assert found["PEBL"].recall == 0
    assert found["PEBL"].curve is None
    assert "nan" in repr(found)


# ---- without the truth


def test_positives_are_hidden_in_turn():
    """Figures as by hand: every fold's positives are unlabeled documents of the fit."""
    X, shown, _ = planted()
    row = compare_pu(X, shown, [PEBL()], n_splits=4, random_state=7)["PEBL"]
    fold = np.full(240, -1)
    fold[shown == 1] = np.random.RandomState(7).permutation(np.arange(12) % 4)
    found, flagged, areas = [], [], []
    for part in range(4):
        held = fold == part
        model = PEBL().fit(X, np.where(held, 0, shown))
        scores = model.decision_function(X)
        found += (scores[held] > 0).tolist()
        flagged.append(np.mean(scores[held | (shown == 0)] > 0))
        for score in scores[held]:
            others = scores[shown == 0]
            areas.append(roc_auc_score([1] + [0] * len(others), np.concatenate([[score], others])))
    assert_allclose(row.recall, np.mean(found))
    assert_allclose(row.flagged, np.mean(flagged))
    assert_allclose(row.criterion, np.mean(found) ** 2 / np.mean(flagged))
    assert_allclose(row.area, np.mean(areas))
    assert_array_equal(row.model.predict(X), PEBL().fit(X, shown).predict(X))
    assert np.isnan([row.precision, row.f1]).all()


@pytest.mark.parametrize("judged", ["hidden", "truth"])
def test_known_negatives_are_learned_from_and_not_judged_by(judged):
    """In every fit; figures are those of unlabeled documents alone, and the title counts them."""
    X, shown, truth = planted()
    no = np.flatnonzero(truth == 0)[:9]
    y = np.where(shown == 1, 1, -1)
    y[no] = 0
    found = compare_pu(X, y, [PEBL()], truth if judged == "truth" else None, n_splits=4, random_state=7)
    assert "12 positives, 9 negatives, 219 unlabeled documents" in repr(found)
    row = found["PEBL"]
    assert_array_equal(row.model.predict(X), PEBL().fit(X, y).predict(X))
    if judged == "truth":
        assert_allclose(row.flagged, row.model.predict(X)[y == -1].mean())
        assert_allclose(row.f1, f1_score(truth[y == -1], row.model.predict(X)[y == -1]))
        return
    fold = np.full(240, -1)
    fold[y == 1] = np.random.RandomState(7).permutation(np.arange(12) % 4)
    flagged = []
    for part in range(4):
        left = np.where(fold == part, -1, y)
        flagged.append(np.mean(PEBL().fit(X, left).predict(X)[left == -1]))
    assert_allclose(row.flagged, np.mean(flagged))
    assert row.prior.n_unlabeled == 219


def test_known_negatives_have_no_part_in_the_share():
    """However high they score."""
    scores = np.r_[np.linspace(1, 2, 20), np.linspace(0, 2, 50), np.full(30, 9.0)]
    without = estimate_prior(scores[:70], np.arange(70) < 20)
    assert estimate_prior(scores, np.r_[np.ones(20), np.full(50, -1), np.zeros(30)]) == without


def test_what_is_said_without_the_truth_is_true():
    """The better classifier is seen to be better; the share of positives is about what it is."""
    X, shown, truth = planted()
    worse = PEBL(1.0, balanced=False)  # as published
    found = compare_pu(X, shown, {"good": PEBL(), "bad": worse}, n_splits=6)
    judged = compare_pu(X, shown, {"good": PEBL(), "bad": worse}, truth)
    assert judged["good"].f1 > judged["bad"].f1
    assert found["good"].criterion > found["bad"].criterion
    prior = found["good"].prior
    share = truth[shown == 0].mean()
    assert prior.low <= share <= prior.high
    assert abs(prior.share - share) < 0.15


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=8), st.lists(st.integers(-5, 5), min_size=1, max_size=8)
)
def test_the_area_is_an_auc(positive, others):
    """The mean share of others that are not above a positive, equals counting half."""
    above = _shares_above(np.array(positive, dtype=float), np.array(others, dtype=float))
    truth = [1] * len(positive) + [0] * len(others)
    assert_allclose(1 - above.mean(), roc_auc_score(truth, positive + others))


@given(
    st.lists(st.floats(-3, 5), min_size=2, max_size=20), st.lists(st.floats(-5, 3), min_size=2, max_size=20)
)
def test_the_area_bounds_the_auc(positive, negative):
    """Where the unlabeled documents have the same positives: AUC = (area - share / 2) / (1 - share)."""
    positive, negative = np.array(positive), np.array(negative)
    unlabeled = np.concatenate([positive, negative])
    area = 1 - _shares_above(positive, unlabeled).mean()
    truth = np.arange(len(unlabeled)) < len(positive)
    auc = roc_auc_score(truth, unlabeled)
    assert_allclose((area - truth.mean() / 2) / (1 - truth.mean()), auc, atol=1e-12)
    assert auc >= area - 1e-12 or area < 0.5


def test_one_positive_cannot_be_held_out():
    """What remains is the share of documents that are taken for positive."""
    X, shown, _ = planted(1)
    row = compare_pu(X, shown, [PEBL()]).rows[0]
    assert np.isnan([row.recall, row.area, row.criterion]).all()
    assert 0 <= row.flagged <= 1
    assert row.prior is None
    lines = repr(compare_pu(X, shown, [PEBL()])).splitlines()
    assert lines[0].endswith(
        "1 positive, 239 unlabeled documents, not judged: one positive cannot be held out"
    )
    assert [lines[1].split(), lines[2].split()[:2]] == [["taken", "seconds"], ["PEBL", f"{row.flagged:.3f}"]]


class Finder(DummyClassifier):
    """A classifier that takes one document, which was shown, and nothing else."""

    def predict(self, X):
        return np.arange(X.shape[0]) == 3

    def decision_function(self, X):
        return (np.arange(X.shape[0]) == 3).astype(float)


def test_a_positive_that_is_found_is_taken():
    """By P(f = 1) of all that is judged, hidden positives among them: the criterion is never infinite."""
    X = np.ones((40, 2))
    row = compare_pu(X, np.arange(40) < 10, [Finder()]).rows[0]
    assert_allclose([row.recall, row.flagged], [1 / 10, 1 / 32 / 5])  # in one of five folds of 2 beside 30
    assert_allclose(row.criterion, 0.01 / (1 / 160))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([*range(12)], "y_true says 0 of 12 documents that y marks as positive, the first in row {}"),
        ([4, 6], "y_true says 0 of 2 of the 12 documents that y marks as positive, the first in row {}"),
    ],
)
def test_a_truth_that_contradicts_the_labels_is_told(wrong, said):
    """With the first row; nothing is said where it does not."""
    X, shown, truth = planted()
    truth = np.array(truth)
    rows = np.flatnonzero(shown == 1)[wrong]
    compare_pu(X, shown, [PEBL()], truth)
    truth[rows] = 0
    with pytest.warns(UserWarning, match=said.format(rows[0])):
        compare_pu(X, shown, [PEBL()], truth)


def test_few_positives_are_no_reason_to_warn():
    """The title of the table says how many there are."""
    X, shown, _ = planted(3)
    assert compare_pu(X, shown, [PEBL()])["PEBL"].prior.n_positives == 3


# ---- models


def test_a_model_that_fails_is_a_row():
    """It says why; the others are judged as if it were not there."""
    X, shown, truth = planted()
    for y_true in (None, truth):
        found = compare_pu(X, shown, [Failing(), PEBL()], y_true)
        failed, good = found.rows
        assert failed.failure.startswith("ValueError: there are not enough documents")
        assert failed.model is None
        assert np.isnan(failed.seconds)
        assert good.recall == compare_pu(X, shown, [PEBL()], y_true)["PEBL"].recall
        lines = repr(found).splitlines()
        assert lines[2].startswith("Failing  failed: ValueError: there are not enough")
        assert lines[2].endswith("...")
        assert lines[3].startswith("PEBL ")
    for models in ([Failing()], [Failing(), Failing()]):
        with pytest.raises(ValueError, match="there are not enough documents"):  # nothing peculiar to a model
            compare_pu(X, shown, models)


def test_a_failure_in_one_fold_is_a_failure():
    """Figures of some folds only would not be those of the others."""

    class Fickle(PEBL):
        def fit(self, X, y):
            if np.sum(y) < 12:
                raise RuntimeError("not with so few")
            return super().fit(X, y)

    X, shown, truth = planted()
    assert compare_pu(X, shown, [Fickle(), PEBL()]).rows[0].failure == "RuntimeError: not with so few"
    assert compare_pu(X, shown, [Fickle()], truth).rows[0].failure == ""


def test_the_usual_models():
    """Those of the paper's section 4.3, and topic-sensitive PLSA first."""
    X, shown, truth = planted()
    found = compare_pu(X, shown, y_true=truth)
    names = [row.name for row in found.rows]
    rivals = ["WeightedLogisticRegression", "SpyEM", "PEBL", "RocchioSVM", "MPCKMeans"]
    ours = ["TopicSensitivePLSA"] if importlib.util.find_spec("plsa.estimators.topic_sensitive") else []
    assert names == ours + rivals
    assert all(row.failure == "" for row in found.rows)
    assert min(row.area for row in found.rows) > 0.8


def test_names_of_models():
    """Those of a mapping, or of the classes, counted where there are several."""
    X, shown, truth = planted()
    several = compare_pu(X, shown, [PEBL(), RocchioSVM(), PEBL(0.1), PEBL(1.0)], truth)
    assert [row.name for row in several.rows] == ["PEBL", "RocchioSVM", "PEBL 2", "PEBL 3"]
    assert several["PEBL 3"].model.C == 1.0
    pipelines = [make_pipeline(FunctionTransformer(), model) for model in (PEBL(), RocchioSVM(), PEBL())]
    named = compare_pu(X, shown, pipelines, truth)
    assert [row.name for row in named.rows] == ["PEBL", "RocchioSVM", "PEBL 2"]
    with pytest.raises(KeyError):
        several["SpyEM"]


def test_texts_and_other_models():
    """Pipelines of texts, and models with probabilities in place of scores."""
    texts = [
        "tea milk",
        "milk cup",
        "cup tea",
        "tea cup",
        "goal ball",
        "ball team",
        "team goal",
        "a goal",
    ] * 3
    y = [1, 1, 1, None, None, None, None, None] * 3
    truth = [1, 1, 1, 1, 0, 0, 0, 0] * 3
    models = {
        "spies": make_pipeline(CountVectorizer(), SpyEM()),
        "bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
    }
    found = compare_pu(texts, y, models, truth)
    assert found["spies"].f1 == 1
    assert found["bayes"].area == 1
    held = compare_pu(texts, y, models, n_splits=3)
    assert held["spies"].recall == 1
    assert models["spies"][1].random_state is None  # the user's own are left alone
    assert held["spies"].model[1].random_state == 0


def test_the_same_seed_gives_the_same_figures():
    """Folds and models; a generator does for folds alone."""
    X, shown, _ = planted()
    models = [SpyEM(), MPCKMeans(3, n_init=1), WeightedLogisticRegression()]
    first, second = (compare_pu(X, shown, models, n_splits=2, random_state=1) for _ in range(2))
    for one, other in zip(first.rows, second.rows, strict=True):
        assert (one.recall, one.flagged, one.area, one.prior) == (
            other.recall, other.flagged, other.area, other.prior,
        )  # fmt: skip
    drawn = compare_pu(X, shown, [PEBL()], random_state=np.random.RandomState(0))
    assert 0 <= drawn["PEBL"].recall <= 1


def test_progress_is_said(capsys):
    """A line a model, where it is asked for, and one at the end."""
    X, shown, truth = planted()
    compare_pu(X, shown, [PEBL(), Failing()], n_splits=2, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("compare_pu, stage 1 of 2: PEBL: recall ")
    assert lines[1].startswith("compare_pu, stage 2 of 2: Failing: failed: ValueError")
    assert lines[2].startswith("compare_pu: 2 models compared, 1 failed, ")
    assert len(lines) == 3
    compare_pu(X, shown, [PEBL()], truth, verbose=1)
    said = capsys.readouterr().err
    assert "F1 " in said
    assert "compare_pu: 1 model compared, " in said
    compare_pu(X, shown, [PEBL()], truth)
    assert capsys.readouterr().err == ""


def test_the_table():
    """A title, a header and a row a model, in columns."""
    X, shown, truth = planted()
    lines = repr(compare_pu(X, shown, QUICK, truth)).splitlines()
    assert lines[0].startswith("Classifiers of 12 positives, 228 unlabeled documents, judged by the truth")
    assert lines[1].split() == ["precision", "recall", "F1", "AUC", "seconds"]
    assert [line.split()[0] for line in lines[2:]] == ["SpyEM", "PEBL", "RocchioSVM"]
    assert len({len(line) for line in lines[1:]}) == 1
    lines = repr(compare_pu(X, shown, QUICK, n_splits=2)).splitlines()
    assert lines[0].endswith("judged by positives that were held out")
    assert lines[1].split() == ["recall", "taken", "r^2/taken", "area", "share", "of", "positives", "seconds"]


@pytest.mark.parametrize("with_truth", [True, False])
def test_curves_are_drawn(with_truth):
    """One a model that did not fail, on axes of one's own or on those given."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, shown, truth = planted()
    found = compare_pu(X, shown, [*QUICK, Failing()], truth if with_truth else None, n_splits=2)
    ax = found.plot()
    assert len(ax.get_legend().get_texts()) == 3
    areas = [float(text.get_text().split("(")[1][:-1]) for text in ax.get_legend().get_texts()]
    assert areas == sorted(areas, reverse=True)
    assert ("negatives" in ax.get_xlabel()) == with_truth
    other = pyplot.figure().subplots()
    assert found.plot(other) is other
    pyplot.close("all")


def test_without_matplotlib(monkeypatch):
    """The error says what to install."""
    X, shown, truth = planted()
    found = compare_pu(X, shown, [PEBL()], truth)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install"):
        found.plot()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"models": "SpyEM"}, "models == 'SpyEM'"),
        ({"models": []}, "models is empty"),
        ({"models": [SpyEM]}, "must hold estimators"),
        ({"models": {"one": 1}}, "models has 1 as 'one'"),
        ({"n_splits": 1}, "n_splits == 1"),
        ({"y": [0] * 240}, "labels no document as positive"),
        ({"y": [1] * 240}, "labels all 240 documents"),
        ({"y": [1, 0]}, "2 labels for 240 documents"),
        ({"y_true": [1, 0]}, "^y_true has 2 entries, but must have one entry for each of 240 documents"),
        ({"y_true": [1]}, "^y_true has 1 entry, but"),
        ({"y_true": np.ones((240, 2))}, r"^y_true has shape \(240, 2\), but"),
        ({"y_true": [2] + [0] * 239}, "y_true holds .*2.* at 0"),
        ({"y_true": [None] + [0] * 239}, "y_true holds None at 0"),
    ],
    ids=str,
)
def test_bad_input(changed, message):
    """An error, before any model is fitted."""
    X, shown, _ = planted()
    with pytest.raises(ValueError, match=message):
        compare_pu(**{"X": X, "y": shown, "models": QUICK, **changed})


class Silent(DummyClassifier):
    """A classifier whose scores tell nothing."""

    def decision_function(self, X):
        return np.zeros(X.shape[0])


def test_scores_that_are_all_equal_tell_nothing_of_the_share():
    """Equals may all be positive: the share may be anything up to 1."""
    X, shown, _ = planted()
    found = compare_pu(X, shown, {"silent": Silent(strategy="prior")})["silent"]
    assert found.prior.share == 1
    assert (found.prior.low, found.prior.high) == (0, 1)
    assert_allclose(found.area, 0.5)


def test_a_fold_held_out_is_no_reason_to_warn():
    """Where the user has shown enough positives, as the classifier itself says."""
    X, shown, _ = planted()
    few = np.where(np.cumsum(shown) <= 5, shown, 0)
    found = compare_pu(X, few, [TopicSensitivePLSA(4, max_iter=3)])
    assert found.rows[0].failure == ""


def test_an_unknown_name_is_told():
    """With those that there are."""
    X, shown, _ = planted()
    with pytest.raises(KeyError, match="no model 'SVM' was compared; there are PEBL"):
        compare_pu(X, shown, [PEBL()])["SVM"]


def test_a_picture_of_nothing_says_so():
    """One positive cannot be held out."""
    pytest.importorskip("matplotlib").use("Agg")
    X, shown, _ = planted()
    one = np.where(np.cumsum(shown) <= 1, shown, 0)
    found = compare_pu(X, one, [PEBL()])
    assert "1 positive, " in repr(found)
    ax = found.plot()
    assert [text.get_text() for text in ax.texts] == ["no curve: nothing was held out"]
    assert ax.get_legend() is None


# ---- the share of positives


def simulated(rng, n_known, share, distance, n_unlabeled=2000):
    """Scores of known positives, and of unlabeled documents with this share of others like them."""
    n_hidden = round(share * n_unlabeled)
    hidden, negative = rng.normal(distance, 1, n_hidden), rng.normal(0, 1, n_unlabeled - n_hidden)
    scores = np.concatenate([rng.normal(distance, 1, n_known), hidden, negative])
    return scores, np.arange(len(scores)) < n_known


@pytest.mark.parametrize("n_known", [8, 20, 100])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
def test_the_share_is_right_on_the_average(share, n_known):
    """Where scores tell positives from negatives well; the upper end holds the truth nearly always."""
    rng = np.random.default_rng(0)
    found = [estimate_prior(*simulated(rng, n_known, share, 6.0), n_resamples=100) for _ in range(200)]
    shares = np.array([each.share for each in found])
    error = shares.std() / np.sqrt(len(shares))
    assert abs(shares.mean() - share) < 0.08 * share + 3 * error
    assert np.mean([each.high >= share for each in found]) > 0.85
    assert np.mean([each.low <= share for each in found]) > 0.85


def test_more_positives_say_more():
    """Intervals shrink, and estimates gather around the truth."""
    rng = np.random.default_rng(1)
    spread, width = [], []
    for n_known in (10, 40, 160):
        found = [estimate_prior(*simulated(rng, n_known, 0.3, 5.0), n_resamples=100) for _ in range(60)]
        spread.append(np.std([each.share for each in found]))
        width.append(np.mean([each.high - each.low for each in found]))
    assert spread == sorted(spread, reverse=True)
    assert width == sorted(width, reverse=True)


def test_scores_that_mix_give_an_upper_bound():
    """The estimate is too high, never too low by much; scores that tell nothing give about 1."""
    rng = np.random.default_rng(2)
    found = [float(estimate_prior(*simulated(rng, 50, 0.1, 1.5), n_resamples=20)) for _ in range(40)]
    assert np.mean(found) > 0.1
    nothing = [float(estimate_prior(*simulated(rng, 50, 0.1, 0.0), n_resamples=20)) for _ in range(40)]
    assert np.mean(nothing) > 0.7


@pytest.mark.parametrize("n_higher", [0, 40])
def test_scores_that_tell_nothing_say_so(n_higher):
    """Constant ones, or no unlabeled document below the positives: the interval is from 0 to 1."""
    scores = (np.arange(50) >= 50 - n_higher).astype(float)
    with pytest.warns(UserWarning, match="scores tell nothing of the share: every unlabeled document"):
        found = estimate_prior(scores, np.arange(50) < 10)
    assert (found.share, found.low, found.high) == (1, 0, 1)


@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=12),
    st.lists(st.integers(-4, 4), min_size=1, max_size=30),
    st.floats(0.05, 0.99),
)
def test_the_share_is_a_share(positive, unlabeled, level):
    """Whatever the scores: between 0 and 1, inside its interval; only their order counts."""
    scores = np.array(positive + unlabeled, dtype=float)
    known = np.arange(len(scores)) < len(positive)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = estimate_prior(scores, known, level=level, n_resamples=30)
        again = estimate_prior(np.exp(scores), known.astype(int), level=level, n_resamples=30)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found == again


def test_the_share_by_hand():
    """All positives above all negatives: (10 + 1) / 10 times the 20 of 100 that are as high as the lowest."""
    scores = np.concatenate([np.full(10, 5.0), np.full(20, 6.0), np.zeros(80)])
    found = estimate_prior(scores, np.arange(110) < 10)
    assert_allclose(found.share, 0.2 * 11 / 10)
    assert (found.n_positives, found.n_unlabeled, found.level) == (10, 100, 0.9)
    assert repr(found).startswith("PriorEstimate(0.220, 90% from ")


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_the_interval_by_hand(level):
    """`high` is the lowest of the bounds of all thresholds, `low` a quantile of what might have been."""
    rng = np.random.default_rng(5)
    scores, known = simulated(rng, 12, 0.2, 2.0, 150)
    found = estimate_prior(scores, known, level=level, n_resamples=50, random_state=3)
    error = (1 - level) / 10
    positives = np.sort(scores[known])[::-1]
    bounds, ratios, least = [], [], []
    for k, score in enumerate(positives, 1):
        above = int((scores[~known] >= score).sum())
        least.append(beta(k, 13 - k).ppf(error))
        most = beta(above + 1, 150 - above).ppf(1 - error)
        bounds.append(most / least[-1] if k >= 6 else np.inf)
        ratios.append(above / 150)
    assert_allclose(found.high, min(1, min(bounds)))
    best = int(np.argmin(bounds))
    assert_allclose(found.share, min(1, ratios[best] * 13 / (best + 1)))
    drawn = np.random.RandomState(3).dirichlet(np.ones(13), 50)
    might = []
    for gaps in drawn:
        recall = np.cumsum(gaps)[:-1]
        each = np.array(ratios) / recall
        bound = [each[k] * (k + 1) / 13 / least[k] if k >= 5 else np.inf for k in range(12)]
        might.append(each[int(np.argmin(bound))])
    assert_allclose(found.low, min(found.share, np.quantile(might, (1 - level) / 2)))


def test_too_few_positives_to_say():
    """A warning says so, up to four."""
    scores = np.arange(50.0)
    with pytest.warns(UserWarning, match="positive marks 4 documents: too few"):
        estimate_prior(scores, scores > 45)
    with pytest.warns(UserWarning, match="positive marks 1 document: too few"):
        estimate_prior(scores, scores > 48)
    estimate_prior(scores, scores > 44)


@pytest.mark.parametrize(
    ("scores", "positive", "more", "message"),
    [
        ([[1.0, 2.0]], [1, 0], {}, "scores must be a 1D array"),
        (["a", "b"], [1, 0], {}, "scores must be a 1D array"),
        ([1.0, np.nan], [1, 0], {}, "scores holds nan at 1"),
        ([1.0, 2.0], [1], {}, "^positive has 1 entry, but must have one entry for each of 2 documents"),
        ([1.0, 2.0], [1, 5], {}, r"positive holds 5 at 1; a document is .*: pass np.array\(positive\) == 5,"),
        ([1.0, 2.0], [1, 1], {}, "positive labels all 2 documents"),
        ([1.0], [1], {}, "positive labels the only document as positive"),
        ([1.0, 2.0], [0, -1], {}, "positive labels no document"),
        ([1.0, 2.0], [0, 1], {"level": 1.0}, "level == 1.0"),
        ([1.0, 2.0], [0, 1], {"n_resamples": 0}, "n_resamples == 0"),
    ],
)
def test_bad_scores(scores, positive, more, message):
    """An error says what is wrong with them."""
    with pytest.raises(ValueError, match=message):
        estimate_prior(scores, positive, **more)
