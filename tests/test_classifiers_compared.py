"""compare: figures of documents held out, which differences are real, models of every kind."""

import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from cases import CASES
from helpers import assert_same_bits, partly_labeled
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, log_loss
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelPropagation, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from plsa import LabeledKFold, MissingLabelPLSA, NaiveBayesEM, compare, text_classifier
from plsa.datasets import planted_corpus
from plsa.evaluation.classes import _ALL, _USUAL
from plsa.evaluation.differences import differences, fewest, holm, resampled_error

# ---- differences


def test_the_corrected_test_by_hand():
    """Nadeau and Bengio: mean / sqrt((1 / J + n_test / n_train) s^2), J - 1 degrees of freedom."""
    one, other = np.array([0.9, 0.8, 0.7, 0.9, 0.6, 0.8]), np.array([0.7, 0.7, 0.7, 0.6, 0.7, 0.5])
    right = {"one": np.ones((2, 60), bool), "other": np.zeros((2, 60), bool)}
    found = differences({"one": one, "other": other}, right, 3, "other", True)["one"]
    gaps = [0.2, 0.1, 0.0, 0.3, -0.1, 0.3]
    mean = 0.8 / 6
    variance = sum((gap - mean) ** 2 for gap in gaps) / 5
    error = (variance * (1 / 6 + 20 / 40)) ** 0.5
    assert_allclose(found.mean, mean)
    assert_allclose(found.p, 2 * (1 - stats.t.cdf(mean / error, 5)))
    assert_allclose(found.half_width, stats.t.ppf(0.975, 5) * error)
    assert_allclose(resampled_error(one - other, 3), error)
    assert found.p_of_many == found.p  # one comparison
    assert found.p > stats.ttest_rel(one, other).pvalue  # which takes folds for independent


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_step_by_step(p):
    """What is rejected at a level: the lowest while p <= level / (m - rank), none after the first above."""
    p = np.array(p)
    corrected = holm(p)
    for level in (0.01, 0.05, 0.3):
        rejected = set()
        for rank, place in enumerate(np.argsort(p, kind="stable")):
            if p[place] * (len(p) - rank) > level:
                break
            rejected.add(int(place))
        assert {*np.flatnonzero(corrected <= level).tolist()} == rejected
    assert np.all(corrected >= p)


def test_holm_by_hand():
    """The smallest times three, the next times two; a later one is no smaller than those before."""
    assert_allclose(holm(np.array([0.02, 0.01, 0.015])), [0.03, 0.03, 0.03])
    assert_allclose(holm(np.array([0.5, 0.001])), [0.5, 0.002])


def judged(**shares):
    """Folds and documents of classifiers that are right in these shares of ten documents, in five folds."""
    rng = np.random.default_rng(0)
    right = {name: rng.random((2, 200)) < share for name, share in shares.items()}
    return {name: each.reshape(10, 40).mean(axis=1) for name, each in right.items()}, right


def test_every_comparison_counts():
    """Of all others with the reference; what is left to be seen is said at the level that is left."""
    shares, right = judged(a=0.9, b=0.8, c=0.5, d=0.88)
    found = differences(shares, right, 5, "a", True)
    assert [*found] == ["b", "c", "d"]
    p = np.array([each.p for each in found.values()])
    for name, each in found.items():
        alone = differences({"a": shares["a"], name: shares[name]}, right, 5, "a", True)[name]
        assert (each.mean, each.p) == (alone.mean, alone.p)
        assert each.mean < 0
    assert_allclose([each.p_of_many for each in found.values()], holm(p))
    left = [name for name, each in found.items() if not each.real]
    assert 0 < len(left) < 3
    for name, each in found.items():
        error = resampled_error(shares[name] - shares["a"], 5)
        assert_allclose(each.seen, stats.t.isf(0.05 / len(left) / 2, 9) * error)


def test_a_difference_as_large_as_said_would_have_been_seen():
    """Moved there, with the same spread, it is real; a little less is not."""
    shares, right = judged(a=0.7, b=0.66, c=0.68)
    found = differences(shares, right, 5, "a", True)
    assert not any(each.real for each in found.values())
    for factor, real in ((1.001, True), (0.999, False)):
        moved = {"a": shares["a"]}
        for name in "bc":
            moved[name] = shares[name] - found[name].mean - factor * found[name].seen
        again = differences(moved, right, 5, "a", True)
        # One by one: the first to be told makes it easier for the other.
        for name in "bc":
            one = differences(shares | {name: moved[name]}, right, 5, "a", True)[name]
            assert one.real is real
            assert_allclose(again[name].mean, -factor * found[name].seen)


def test_few_documents_prove_little():
    """One is right and one is wrong in all folds: p is that of as many coins that fall alike."""
    for n in (2, 4, 6, 10):
        right = {"one": np.ones((1, n), bool), "other": np.zeros((1, n), bool)}
        found = differences({"one": np.ones(2), "other": np.zeros(2)}, right, 2, "other", True)["one"]
        assert_allclose(found.p, stats.binomtest(n, n, 0.5).pvalue)
        assert found.real == (n >= fewest(0.05)) == (n >= 6)
        assert found.seen == fewest(0.05) / n
    same = differences(
        {"one": np.ones(4), "other": np.ones(4)}, dict.fromkeys(right, right["one"]), 2, "one", True
    )
    assert (same["other"].mean, same["other"].p) == (0, 1)


def test_the_best_is_judged_by_the_range_of_all():
    """Of two models that is the t-test; of more it takes more, and more than with a reference."""
    shares, right = judged(a=0.9, b=0.8, c=0.55)
    two = differences({name: shares[name] for name in "ab"}, right, 5, "a", False)["b"]
    assert_allclose(two.p_of_many, two.p, rtol=1e-6)
    found, named = (differences(shares, right, 5, "a", by_name) for by_name in (False, True))
    for name, each in found.items():
        error = resampled_error(shares[name] - shares["a"], 5)
        range_of_all = stats.studentized_range(3, 9)
        assert_allclose(each.p_of_many, range_of_all.sf(2**0.5 * abs(each.mean) / error), rtol=1e-6)
        assert_allclose(range_of_all.sf(2**0.5 * each.seen / error), 0.05, rtol=1e-4)
        assert each.p == named[name].p
        assert each.p_of_many > named[name].p_of_many
        assert each.seen > named[name].seen
    few = {name: each[:, :4] for name, each in right.items()}
    few["b"] = ~few["a"]
    found = differences({**shares, "a": np.ones(10), "b": np.zeros(10)}, few, 5, "a", False)
    assert_allclose(found["b"].p_of_many, min(1, 3 * 2**-3))  # three pairs, four coins


def test_false_finds_are_rare():
    """Of eight models that are alike, even the best is hardly ever better; plain t-tests find it often."""
    rng = np.random.default_rng(0)
    found = plain = 0
    for _ in range(60):
        # What a model makes of a document is the same in all repeats, and folds are others: the worst case.
        right = rng.random((8, 100)) < 0.7
        folds = np.array([rng.permutation(100).reshape(5, 20) for _ in range(3)]).reshape(15, 20)
        shares = {str(model): each[folds].mean(axis=1) for model, each in enumerate(right)}
        documents = {str(model): np.tile(each, (3, 1)) for model, each in enumerate(right)}
        best = max(shares, key=lambda name: shares[name].mean())
        others = [name for name in shares if name != best]
        found += any(each.real for each in differences(shares, documents, 5, best, False).values())
        p = np.array([stats.ttest_rel(shares[best], shares[name]).pvalue for name in others])
        plain += np.any(holm(p) < 0.05)
    assert found / 60 <= 0.05
    assert plain / 60 > 0.5


# ---- figures


def test_figures_are_those_of_a_loop_by_hand():
    """Folds of LabeledKFold, seed after seed; metrics of scikit-learn; unlabeled documents in every fit."""
    X, y, _ = partly_labeled(240, 150, document_length=25, word_concentration=0.5)
    models = {"ours": MissingLabelPLSA(evidence=False), "labels": MultinomialNB(), "margins": LinearSVC()}
    models["drawn"] = DummyClassifier(strategy="stratified")
    found = compare(X, y, models, n_splits=4, n_repeats=2, random_state=3)
    held = np.flatnonzero(y != -1)
    assert_array_equal(found.held, held)
    for name, model in models.items():
        shares, losses, stated, f1 = [], [], [], []
        for seed in (3, 4):
            said = np.full(len(y), -1)
            for train, test in LabeledKFold(4, random_state=seed).split(X, y):
                fresh = type(model)(**model.get_params())
                if "random_state" in fresh.get_params():
                    fresh.set_params(random_state=seed)
                known = train if name == "ours" else train[y[train] != -1]
                fresh.fit(X[known], y[known])
                said[test] = fresh.predict(X[test])
                shares.append(accuracy_score(y[test], said[test]))
                if name != "margins":
                    chance = fresh.predict_proba(X[test])
                    losses.append(log_loss(y[test], chance, labels=fresh.classes_))
                    stated.append(chance.max(axis=1).mean())
            f1.append(f1_score(y[held], said[held], average="macro"))
            assert_array_equal(found[name].predicted[seed - 3], said[held])
        row = found[name]
        assert_array_equal(row.shares, shares)
        assert_allclose([row.accuracy, row.macro_f1], [np.mean(shares), np.mean(f1)])
        assert row.seconds > 0
        if name == "margins":
            assert np.isnan([row.log_loss, row.stated]).all()
        else:
            assert_allclose([row.log_loss, row.stated], [np.mean(losses), np.mean(stated)], rtol=1e-5)
        assert not hasattr(row.model, "classes_")  # the user's own are left alone
    best = found[found.ranked()[0]]
    assert found.reference == best.name
    for name, gap in found.differences.items():
        assert_allclose(gap.mean, found[name].accuracy - best.accuracy)
        assert_allclose(
            gap.half_width, stats.t.isf(0.025, 7) * resampled_error(found[name].shares - best.shares, 4)
        )


def without_seconds(found):
    """All that was found but for what a clock has said."""
    rows = [replace(row, seconds=0.0, model=None) for row in found.rows]
    return [rows, [*found.differences], [*found.differences.values()]]


def test_the_same_seed_gives_the_same_figures():
    """Whatever the number of processes; another seed gives others."""
    X, y, _ = partly_labeled(120, 100)
    drawing = MissingLabelPLSA(evidence=False, n_init=2)
    models = [drawing, LogisticRegression(), failing(), SelfTrainingClassifier(LogisticRegression())]
    options = {"n_splits": 2, "n_repeats": 2}
    first, second = (compare(X, y, models, **options, n_jobs=jobs) for jobs in (None, 2))
    assert_same_bits(without_seconds(first), without_seconds(second))
    other = compare(X, y, models, **options, random_state=5)
    assert any(
        np.any(one.shares != two.shares)
        for one, two in zip(first.rows, other.rows, strict=True)
        if not one.failure
    )


def test_threads_of_blas_change_nothing():
    """Dense products have other last bits with other threads, of which processes have fewer."""
    corpus = planted_corpus(300, 600, 8, n_classes=4, document_length=60, random_state=0)
    model = make_pipeline(TruncatedSVD(50), LogisticRegression(max_iter=50))
    options = {"n_splits": 2, "n_repeats": 1}
    one, two = (compare(corpus.counts, corpus.target, [model], n_jobs=jobs, **options) for jobs in (None, 2))
    assert_same_bits(without_seconds(one), without_seconds(two))


@pytest.mark.parametrize("marked", ["None", "-1", "word", "NaN"])
def test_marks_and_names(marked):
    """However a missing label is written, and where -1 is a class: the same figures."""
    X, y, _ = partly_labeled(120, 100)
    names = np.array(["ant", "bee", "cat", "dog"])
    models = [MissingLabelPLSA(evidence=False), MultinomialNB(), LabelPropagation("knn", n_neighbors=3)]
    wanted = compare(X, y, models, n_repeats=1)
    more = {}
    if marked == "None":
        given = [None if code < 0 else str(names[code]) for code in y]
    elif marked == "-1":  # a class
        given, more = [None if code < 0 else int(code) - 1 for code in y], {"unlabeled": None}
    elif marked == "word":
        given, more = ["?" if code < 0 else str(names[code]) for code in y], {"unlabeled": "?"}
    else:
        given = np.where(y < 0, np.nan, y)
    found = compare(X, given, models, n_repeats=1, **more)
    for one, two in zip(found.rows, wanted.rows, strict=True):
        assert one.failure == two.failure == ""
        assert_array_equal(one.shares, two.shares)
        assert_allclose(one.log_loss, two.log_loss)


def test_a_class_with_one_label_is_never_held_out():
    """It is in every fit, and the table says that nothing is said of it."""
    X, y, _ = partly_labeled(120, 100)
    y = np.where((y == 3) & (np.cumsum(y == 3) > 1), -1, y)
    found = compare(X, y, [MultinomialNB(), DummyClassifier(strategy="uniform", random_state=0)], n_repeats=1)
    assert (y[found.held] != 3).all()
    row = found["DummyClassifier"]
    assert (row.predicted == 3).any()
    judged = {"labels": [0, 1, 2], "average": "macro"}  # of the other class there is nothing to find
    assert_allclose(row.macro_f1, f1_score(y[found.held], row.predicted[0], **judged))
    assert len(found.held) == (y != -1).sum() - 1
    assert "3 has one label, which is never held out: nothing is said of this class." in repr(found)
    names = np.array(["ant", "bee", "cat", "dog", ""])[y]
    names[0] = "emu"
    said = " ".join(repr(compare(X, names, [MultinomialNB()], n_repeats=1)).split())
    assert "'dog' and 'emu' have one label each, never held out: nothing is said of these classes." in said


@pytest.mark.parametrize("n_splits", [2, 5])
def test_intervals_of_accuracies(n_splits):
    """By the corrected variance of folds, but no narrower than a share of so many documents has it."""
    X, y, _ = partly_labeled(240, 150, document_length=25, word_concentration=0.5)
    guess = compare(X, y, [MultinomialNB()], n_splits=n_splits).rows[0]
    half = stats.t.isf(0.025, 3 * n_splits - 1) * resampled_error(guess.shares, n_splits)
    n = (y != -1).sum()
    share = (guess.accuracy * n + 2) / (n + 4)
    half = max(half, stats.norm.isf(0.025) * np.sqrt(share * (1 - share) / n))
    assert_allclose(guess.interval, np.clip([guess.accuracy - half, guess.accuracy + half], 0, 1))
    parity = np.cumsum(y != -1) % 2
    told = np.where(y == -1, -1, parity)
    perfect = compare(np.eye(2)[parity], told, [MultinomialNB()], n_splits=n_splits).rows[0]
    assert perfect.accuracy == perfect.interval[1] == 1
    assert 0.8 < perfect.interval[0] < 0.97


# ---- what is said


def failing(sometimes=False):
    """Models that cannot cope, or not with every fold; classes of a function, which processes can be sent."""

    class PeculiarError(Exception):
        """An error that does not survive the way from one process to another."""

        def __init__(self, what, number):
            super().__init__(what)

    class Failing(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            raise PeculiarError("there are not enough documents to learn anything from, whatever is tried", 3)

    class Sometimes(MultinomialNB):
        def fit(self, X, y):
            if y[0] != 0:
                raise RuntimeError("not with these")
            return super().fit(X, y)

    return Sometimes() if sometimes else Failing()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_model_that_fails_is_a_row(n_jobs):
    """It says why, last in the table; others are as without it, and compared among themselves."""
    X, y, _ = partly_labeled(120, 100)
    good = [MultinomialNB(), LogisticRegression()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare(X, y, [failing(), *good, failing(sometimes=True)], n_repeats=1, n_jobs=n_jobs)
    assert found["Failing"].failure.endswith(
        "there are not enough documents to learn anything from, whatever is tried"
    )
    assert "PeculiarError" in found["Failing"].failure
    assert found["Sometimes"].failure == "RuntimeError: not with these"
    assert found["Failing"].model is None
    assert np.isnan(found["Failing"].accuracy)
    assert found.ranked()[2:] == ["Failing", "Sometimes"]
    assert found.differences == compare(X, y, good, n_repeats=1).differences
    lines = repr(found).splitlines()
    assert any(line.startswith("Failing ") and "failed: " in line for line in lines)
    assert "Failing" not in found.differences
    with pytest.raises(RuntimeError, match="PeculiarError: there are not enough"):
        compare(X, y, [failing(), failing()], n_jobs=n_jobs)
    alone = compare(X, y, [failing(), MultinomialNB()], reference="Failing", n_repeats=1)
    assert alone.reference == "MultinomialNB"
    assert "difference" not in repr(alone)


def test_nothing_is_tried_again_after_a_failure():
    """The first fold that fails is the last one."""
    fits = []

    class Late(MultinomialNB):
        def fit(self, X, y):
            fits.append(len(y))
            if len(fits) == 3:
                raise ValueError("enough")
            return super().fit(X, y)

    X, y, _ = partly_labeled(120, 100)
    assert compare(X, y, {"late": Late(), "good": MultinomialNB()})["late"].failure == "ValueError: enough"
    assert len(fits) == 3


def test_the_table():
    """A title, a header, a row for each, the best first; then what is real."""
    X, y, _ = partly_labeled(600, 200, every=3)
    found = compare(X, y, {"guess": DummyClassifier(), "words": MultinomialNB()}, n_repeats=2)
    lines = repr(found).splitlines()
    assert lines[0].startswith("Classifiers of 200 labeled documents (")
    said = " ".join(lines)
    assert "of each of 4 classes) and 400 without a label, judged by 200 that were held out in 5 fo" in said
    assert "folds, 2 repeats; 0." in said
    at = next(place for place, line in enumerate(lines) if "accuracy" in line)
    assert lines[at].split() == ["accuracy", "difference", "p", "macro-F1", "log-loss", "stated", "seconds"]
    assert lines[at + 1].split()[:2] == ["words", f"{found['words'].accuracy:.3f}"]
    assert lines[at + 2].split()[0] == "guess"
    assert "<0.001*" in lines[at + 2]
    assert "words is really better than guess (p < 0.05: t-test for folds that share documents)." in said
    assert "Not to be told" not in said
    seen = compare(X, y, {"guess": DummyClassifier(), "words": MultinomialNB()}, reference="guess")
    assert "guess is really worse than words" in repr(seen)
    assert seen.ranked() == ["words", "guess"]
    alike = repr(compare(X, y, {"one": MultinomialNB(), "two": MultinomialNB(alpha=1.0)}))
    assert "Not to be told from one: two; a difference had to be 0." in alike
    assert "nan" not in alike
    only = repr(compare(X, y, [MultinomialNB()], n_repeats=1))
    assert "difference" not in only


def test_too_few_labels_to_tell():
    """A warning before anything is fitted, and the table says so."""
    X, y, _ = partly_labeled(120, 100)
    few = np.where(np.cumsum(y >= 0) <= 6, y, -1)
    models = {"one": MultinomialNB(), "two": MultinomialNB(alpha=3.0), "three": DummyClassifier()}
    with pytest.warns(UserWarning, match="that can be held out: too few to tell 3 models apart"):
        found = compare(X, few, models)
    assert "Too few labels to tell any models apart: 7 documents that can be held out may do." in repr(found)
    assert not any(each.real for each in found.differences.values())
    assert found.n_splits <= 6
    with pytest.raises(ValueError, match="each the only one of its class"):
        compare(X, np.where(np.arange(120) < 2, np.arange(120), -1), models)


def test_warnings_are_kept():
    """Not shown for every fold, and not lost."""

    class Loud(MultinomialNB):
        def fit(self, X, y):
            warnings.warn("look here", UserWarning, stacklevel=1)
            return super().fit(X, y)

    X, y, _ = partly_labeled(120, 100)
    found = compare(X, y, {"loud": Loud(), "quiet": MultinomialNB()}, n_repeats=1)
    assert found["loud"].warnings == ("look here",)
    assert found["quiet"].warnings == ()
    assert "Fits of loud have warned" in repr(found)


def test_progress_is_said(capsys):
    """A line a model, where it is asked for, and one at the end."""
    X, y, _ = partly_labeled(120, 100)
    compare(X, y, [MultinomialNB(), failing()], n_repeats=1, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("compare, stage 1 of 2: MultinomialNB: accuracy 0.")
    assert lines[1].startswith("compare, stage 2 of 2: Failing: failed: ")
    assert lines[2].startswith("compare: 2 models compared, 1 failed, ")
    compare(X, y, [MultinomialNB()], n_repeats=1)
    assert capsys.readouterr().err == ""


class Interrupted(MultinomialNB):
    """A model that somebody gets tired of."""

    def fit(self, X, y):
        """Ctrl-C."""
        raise KeyboardInterrupt


def test_ctrl_c_says_what_it_leaves():
    """Nothing, and the estimators as they were."""
    X, y, _ = partly_labeled(120, 100)
    with pytest.raises(KeyboardInterrupt, match="compare was interrupted: nothing of it is kept"):
        compare(X, y, [MultinomialNB(), Interrupted()])


# ---- models


def test_the_usual_models():
    """All of them cope, are called after their last step, and can be had by name beside others."""
    X, y, _ = partly_labeled(120, 100)
    found = compare(X, y, n_splits=2, n_repeats=1)
    assert [row.name for row in found.rows] == [*_USUAL]
    assert [row.failure for row in found.rows] == [""] * len(_USUAL)
    mixed = compare(X, y, ["LinearSVC", NaiveBayesEM(alpha=0.5), "NaiveBayesEM"], n_splits=2, n_repeats=1)
    assert [row.name for row in mixed.rows] == ["LinearSVC", "NaiveBayesEM", "NaiveBayesEM 2"]
    assert_array_equal(mixed["NaiveBayesEM 2"].shares, found["NaiveBayesEM"].shares)
    both = compare(X, y, ["usual", DummyClassifier()], n_splits=2, n_repeats=1)
    assert [row.name for row in both.rows] == [*_USUAL, "DummyClassifier"]


def test_all_that_learn_classes_from_few_labels_can_be_had_by_name():
    """Ours and every rival; none of them fails."""
    assert {case.model.__name__ for case in CASES if case.takes == "classes"} <= {*_ALL}
    X, y, _ = partly_labeled(120, 100)
    found = compare(X, y, ["all"], n_splits=2, n_repeats=1)
    assert [(row.name, row.failure) for row in found.rows] == [(name, "") for name in _ALL]


def test_texts():
    """The usual models get counts of their words, pipelines the texts."""
    food = ["tea milk", "milk cup", "cup tea", "tea cup", "a cup of milk", "green tea"] * 4
    sport = ["goal ball", "ball team", "team goal", "a goal", "the team ball", "ball game"] * 4
    texts, y = food + sport, (["food", "food", None] * 8) + (["sport", "sport", None] * 8)
    pipelines = {
        "ours": text_classifier(MissingLabelPLSA(evidence=False)),
        "labels": make_pipeline(CountVectorizer(), MultinomialNB()),
    }
    assert all(row.accuracy == 1 for row in compare(texts, y, pipelines, n_repeats=1).rows)
    found = compare(texts, y, ["MultinomialNB", *pipelines.values()], n_repeats=1)
    assert [row.failure for row in found.rows] == ["", "", ""]
    assert found["MultinomialNB"].accuracy == 1
    with pytest.raises(ValueError, match="text_classifier"):
        compare(texts, y, [MissingLabelPLSA()])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"models": "NaiveBayesEM"}, "models == 'NaiveBayesEM'"),
        ({"models": []}, "models is empty"),
        ({"models": [NaiveBayesEM]}, "must hold estimators such as NaiveBayesEM"),
        ({"models": ["SVM"]}, "a name in models == 'SVM', but must be one of"),
        ({"reference": "SVM"}, "reference == 'SVM', but must be one of"),
        ({"n_splits": 1}, "n_splits == 1"),
        ({"n_repeats": 0}, "n_repeats == 0"),
        ({"random_state": None}, "random_state == None"),
        ({"y": [-1] * 120}, "y labels no document"),
        ({"y": ["yes"] * 60 + [None] * 60}, "y has one class, 'yes': .* use compare_pu"),
        ({"y": [1, 0]}, "2 labels for 120 documents"),
    ],
    ids=str,
)
def test_bad_input(changed, message):
    """An error, before any model is fitted."""
    X, y, _ = partly_labeled(120, 100)
    with pytest.raises(ValueError, match=message):
        compare(**{"X": X, "y": y, "models": [MultinomialNB(), Interrupted()], **changed})


# ---- the picture


def test_accuracies_are_drawn():
    """A row a model in the order of the table, with its interval; on axes of one's own or on those given."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y, _ = partly_labeled(600, 200, every=3)
    models = {
        "words": MultinomialNB(),
        "guess": DummyClassifier(),
        "no": failing(),
        "more": MultinomialNB(alpha=0.9),
    }
    found = compare(X, y, models, reference="words")
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == found.ranked()
    legend = {text.get_text() for text in ax.get_legend().get_texts()}
    assert legend == {"compared with: words", "not told apart", "really worse", "the largest class"}
    drawn = {each.get_label(): each for each in ax.containers}
    low, high = drawn["really worse"].lines[2][0].get_segments()[0][:, 0]
    row = found["guess"]
    assert_allclose([low, high], row.interval)
    assert [text.get_text() for text in ax.texts] == ["failed"]
    other = pyplot.figure().subplots()
    assert found.plot(other) is other
    pyplot.close("all")


def test_without_matplotlib(monkeypatch):
    """The error says what to install."""
    X, y, _ = partly_labeled(120, 100)
    found = compare(X, y, [MultinomialNB()], n_repeats=1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install"):
        found.plot()
