"""Pictures: what is drawn is what was learned, names fit, and what cannot be drawn is said."""

import subprocess
import sys
import warnings
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import partly_labeled
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import MultinomialNB

import plsa
from plsa import (
    PLSA,
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    NaiveBayesEM,
    PLSAClassifier,
    SoftMislabelingPLSA,
    TopicSensitivePLSA,
    plots,
    select_topics,
    top_words,
)
from plsa.show import drawing, maps

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.text import Text  # noqa: E402

NAMES = np.array(["ant", "bee", "cat", "dog"])
TEXTS = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
LABELS = ["food", None, None, "sport", None, None]


@pytest.fixture(autouse=True)
def no_figure_stays():
    """Each test begins without figures, and leaves none."""
    pyplot.close("all")
    yield
    pyplot.close("all")


@cache
def corpus():
    """Counts; labels as strings, None where there is none; the truth."""
    X, labels, truth = partly_labeled(120, 80, 4, every=4, document_length=20)
    y = np.where(labels < 0, None, NAMES[labels])
    return X, y, NAMES[truth]


@cache
def fitted(model=SoftMislabelingPLSA, **options):
    """A model of the corpus, with few passes."""
    X, y, _ = corpus()
    return model(max_iter=5, random_state=0, **options).fit(X, y)


@cache
def many_classes(n=100):
    """Counts and labels of so many classes with long names, three documents or four of each."""
    rng = np.random.default_rng(0)
    code = np.concatenate([np.arange(n), np.repeat(np.arange(n), 2), np.arange(n // 2)])
    X = rng.poisson(0.05, (len(code), 200))
    X[np.arange(len(code)), code] += 5
    return X, np.array([f"a very long name of class number {c:03d} of many" for c in code])


def draw(ax):
    """Draws for real, as a file; nothing is warned of, and nothing is cut off."""
    figure = ax.figure
    figure.canvas.draw()
    width, height = figure.canvas.get_width_height()
    for text in figure.findobj(Text):
        if text.get_text() and text.get_visible() and text.axes is not None:
            box = text.get_window_extent()
            if text.axes.axison or text in text.axes.texts:
                assert box.x0 >= -1, text
                assert box.x1 <= width + 1, text
                assert box.y0 >= -1, text
                assert box.y1 <= height + 1, text
    return ax


def ticks(ax, axis="y"):
    """What stands at the ticks."""
    return [label.get_text() for label in getattr(ax, f"get_{axis}ticklabels")()]


def said(ax):
    """What stands above the picture."""
    return ax.get_title(loc="left")


def keys(ax):
    """The names in the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


ALL = {
    "top_words": lambda m, X, y: plots.top_words(m),
    "class_topics": lambda m, X, y: plots.class_topics(m, X, y),
    "class_sizes": lambda m, X, y: plots.class_sizes(m, X, y),
    "confusion": lambda m, X, y: plots.confusion(m, X, y),
    "calibration": lambda m, X, y: plots.calibration(m, X, y),
    "objective": lambda m, X, y: plots.objective(m),
    "documents": lambda m, X, y: plots.documents(m, X, y, method="pca"),
    "mislabeling": lambda m, X, y: plots.mislabeling(m),
}
OF_CLASSES = {"class_sizes", "confusion", "calibration", "mislabeling"}


# ---- every picture, of models of every kind


def integers():
    X, labels, _ = partly_labeled(120, 80, 4, every=4, document_length=20)
    return SoftMislabelingPLSA(max_iter=3, random_state=0).fit(X, labels), X, labels


def one_class():
    X, _, _ = corpus()
    y = np.full(120, "only")
    return SoftMislabelingPLSA(max_iter=3, random_state=0).fit(X, y), X, y


def all_labeled():
    X, _, truth = corpus()
    return HardMislabelingPLSA(max_iter=3, random_state=0).fit(X, truth), X, truth


def of_texts():
    return plsa.text_classifier(random_state=0).fit(TEXTS, LABELS), TEXTS, LABELS


def odd_names():
    """Signs that matplotlib reads as formulas, or as names to leave out."""
    X, y, _ = corpus()
    odd = {"ant": "$a_1", "bee": "_b", "cat": "100% $x$ \\alpha", "dog": "a\nb\tc", None: None}
    y = np.array([odd[label] for label in y], dtype=object)
    return SoftMislabelingPLSA(max_iter=3, random_state=0).fit(X, y), X, y


MADE = [integers, one_class, all_labeled, of_texts, odd_names]


@pytest.mark.parametrize("picture", ALL)
@pytest.mark.parametrize("made", MADE, ids=lambda made: made.__name__)
def test_classifiers_of_every_kind(made, picture):
    """Integers, strings, one class, no unlabeled document, raw texts, odd names: all can be drawn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what fits have to say
        model, X, y = cache(made)()
    ax = draw(ALL[picture](model, X, y))
    if (made, picture) == (odd_names, "documents"):
        # matplotlib of old leaves a name out that begins with an underscore.
        assert keys(ax)[:4] == [r"\$a_1", r"100% \$x\$ \alpha", " _b", "a b c"]


@pytest.mark.parametrize("model", [MissingLabelPLSA, FakeLabelPLSA, NaiveBayesEM, PLSAClassifier])
def test_other_models_with_classes(model):
    """All pictures but that of mislabeling."""
    X, y, _ = corpus()
    found = fitted(model)
    for picture in ALL.keys() - {"mislabeling"}:
        draw(ALL[picture](found, X, y))
        pyplot.close("all")
    with pytest.raises(ValueError, match=f"mislabeling needs .*; {model.__name__} has no mislabeling_"):
        plots.mislabeling(found)


def test_models_without_classes():
    """Topics alone, one of them too; what needs classes says so, and leaves no figure."""
    X, y, _ = corpus()
    for model in (PLSA(3, max_iter=3, tol=0, random_state=0), PLSA(1, max_iter=3, tol=0)):
        model.fit(X)
        for picture in ALL.keys() - OF_CLASSES:
            draw(ALL[picture](model, X, y))
        draw(plots.documents(model, method="pca"))
        pyplot.close("all")
        for picture in OF_CLASSES - {"mislabeling"}:
            with pytest.raises(ValueError, match=f"{picture} needs a fitted classifier; PLSA has no classes"):
                ALL[picture](model, X, y)
        with pytest.raises(ValueError, match=r"class_topics needs .*: PLSA has no P.* Pass y"):
            plots.class_topics(model)
        assert pyplot.get_fignums() == []


def test_models_of_others():
    """Topics of scikit-learn; classifiers without topics."""
    X, _, truth = corpus()
    topics = LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(X)
    draw(plots.top_words(topics))
    draw(plots.class_topics(topics, X, truth))
    draw(plots.documents(topics, X, method="pca"))
    with pytest.raises(ValueError, match="documents needs X: LatentDirichletAllocation does not keep"):
        plots.documents(topics)
    other = MultinomialNB().fit(X, truth)
    for picture in OF_CLASSES - {"mislabeling"}:
        draw(ALL[picture](other, X, truth))
    pyplot.close("all")
    with pytest.raises(ValueError, match="documents needs a model with topics; MultinomialNB has none"):
        plots.documents(other, X)
    with pytest.raises(ValueError, match="objective needs a model that EM has fitted; MultinomialNB"):
        plots.objective(other)
    with pytest.raises(ValueError, match="class_sizes needs X or y: MultinomialNB keeps no guesses"):
        plots.class_sizes(other)
    assert pyplot.get_fignums() == []


def test_positives():
    """One and zero are classes like others."""
    X, _, truth = corpus()
    y = np.where((truth == "ant") & (np.arange(120) < 60), 1, -1)
    model = TopicSensitivePLSA(3, max_iter=3, random_state=0).fit(X, y)
    ax = draw(plots.class_sizes(model, y=y))
    assert set(ticks(ax)) == {"0", "1"}
    assert sum(bar.get_width() for bar in ax.patches) == 120
    draw(plots.documents(model, X, y, method="pca"))


@pytest.mark.parametrize("picture", ALL)
def test_axes_that_are_given_are_drawn_on(picture):
    """And no figure is made beside them; what is no axes is refused."""
    X, y, _ = corpus()
    figure, axes = pyplot.subplots(1, 2)
    model = fitted()
    calls = {
        "top_words": lambda ax: plots.top_words(model, ax=ax),
        "class_topics": lambda ax: plots.class_topics(model, ax=ax),
        "class_sizes": lambda ax: plots.class_sizes(model, ax=ax),
        "mislabeling": lambda ax: plots.mislabeling(model, ax=ax),
        "objective": lambda ax: plots.objective(model, ax=ax),
        "confusion": lambda ax: plots.confusion(model, X, y, ax=ax),
        "calibration": lambda ax: plots.calibration(model, X, y, ax=ax),
        "documents": lambda ax: plots.documents(model, method="pca", ax=ax),
    }
    assert calls[picture](axes[1]) is axes[1]
    assert pyplot.get_fignums() == [figure.number]
    with pytest.raises(ValueError, match="ax is of type ndarray, but must be axes"):
        calls[picture](axes)


@pytest.mark.parametrize("picture", ALL)
def test_refuses_what_is_not_fitted(picture):
    X, y, _ = corpus()
    with pytest.raises(NotFittedError):
        ALL[picture](SoftMislabelingPLSA(), X, y)
    with pytest.raises((ValueError, AttributeError, TypeError)):
        ALL[picture]("model", X, y)
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("picture", ["class_topics", "class_sizes", "confusion", "calibration", "documents"])
def test_labels_are_those_of_the_documents(picture):
    X, y, _ = corpus()
    with pytest.raises(ValueError, match="y has 119 entries, but must have one entry for each of 120"):
        ALL[picture](fitted(), X, y[1:])
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("picture", ["class_sizes", "confusion", "calibration", "documents"])
def test_labels_are_of_the_kind_of_the_fit(picture):
    """Numbers that have become strings would all be wrong."""
    X, _, _ = corpus()
    with pytest.raises(ValueError, match="y holds 3, but a class of the model is 'ant': make"):
        ALL[picture](fitted(), X, np.full(120, 3))
    assert pyplot.get_fignums() == []


def test_results_are_asked_for_by_name():
    makers = {"accuracies": "compare", "positive_curves": "compare_pu", "topic_scores": "select_topics"}
    for picture, maker in {**makers, "learning_curves": "simulate"}.items():
        with pytest.raises(ValueError, match=rf"picture of what plsa.{maker} finds, but was given .* Soft"):
            getattr(plots, picture)(fitted())
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("picture", sorted(ALL.keys() - {"calibration", "objective"}))
def test_limit_is_a_number(picture):
    X, y, _ = corpus()
    model = fitted()
    given = {"confusion": (model, X, y), "documents": (model, X)}.get(picture, (model,))
    with pytest.raises(ValueError, match="limit == 0, but must be a whole number >= 1"):
        getattr(plots, picture)(*given, limit=0)


# ---- what is drawn is what was learned


def test_words_are_bars():
    """A panel a topic, bars as long as scores, the best on top."""
    model = fitted()
    found = top_words(model, n=5)
    ax = draw(plots.top_words(model, n=5))
    assert len(ax.child_axes) == len(found)
    for panel, topic in zip(ax.child_axes, found, strict=True):
        assert_allclose([bar.get_width() for bar in panel.patches], topic.scores)
        assert ticks(panel) == [*topic.words]
        assert panel.get_ylim()[0] > panel.get_ylim()[1]
        assert panel.get_title(loc="left") == f"{topic.label} ({topic.share:.0%})"
    assert said(ax) == ""


def test_the_largest_topics_are_drawn():
    model = fitted()
    shares = [topic.share for topic in top_words(model)]
    ax = draw(plots.top_words(model, limit=2))
    assert said(ax) == "the largest 2 of 4 topics"
    best = sorted(np.argsort(shares)[-2:])
    assert [panel.get_title(loc="left").split()[0] for panel in ax.child_axes] == [NAMES[b] for b in best]


def test_topics_of_one_class_have_numbers_and_empty_ones_say_so():
    words = np.array([[0.5, 0.5, 0], [0, 0, 1], [0, 0, 0]])
    model = SimpleNamespace(components_=words, topic_class_=np.array([0, 0, 1]), classes_=["a", "b"])
    ax = plots.top_words(model)
    assert [panel.get_title(loc="left") for panel in ax.child_axes] == [
        "a, topic 0",
        "a, topic 1",
        "b, topic 2",
    ]
    assert [text.get_text() for text in ax.child_axes[2].texts] == ["no word speaks for it"]


def test_classes_by_topics():
    """P(y|z) of the model; by labels, of any model; the fake label has a row."""
    X, y, _ = corpus()
    model = fitted(MissingLabelPLSA, topics_per_class=2)
    ax = draw(plots.class_topics(model))
    assert_allclose(ax.images[0].get_array(), model.label_topic_)
    assert (ticks(ax), ticks(ax, "x")) == ([*NAMES], [str(z) for z in range(8)])
    fake = fitted(FakeLabelPLSA, evidence=False)
    ax = draw(plots.class_topics(fake))
    assert ticks(ax) == [*NAMES, "no label"]
    assert_allclose(ax.images[0].get_array().sum(axis=0), 1)
    topics = PLSA(3, max_iter=5, tol=0, random_state=0).fit(X)
    ax = draw(plots.class_topics(topics, y=y))
    known = np.array([label is not None for label in y])
    used = np.array([topics.doc_topic_[known & (y == name)].sum(axis=0) for name in NAMES])
    assert_allclose(ax.images[0].get_array(), used / used.sum(axis=0), rtol=1e-5)
    alone = PLSAClassifier(max_iter=3).fit(X, y)  # keeps the topics of labeled documents alone
    assert_allclose(plots.class_topics(alone, y=y).images[0].get_array(), np.eye(4), atol=1e-6)


def test_sizes_of_classes():
    """Labeled and guessed documents, the largest class first; of new documents, too."""
    X, y, _ = corpus()
    model = fitted()
    ax = draw(plots.class_sizes(model, y=y))
    given, guessed = ([bar.get_width() for bar in part] for part in ax.containers)
    known = np.array([label is not None for label in y])
    for name, labeled, other in zip(ticks(ax), given, guessed, strict=True):
        assert labeled == (y == name).sum()
        assert other == (model.guesses_[~known] == name).sum()
    assert_array_equal([bar.get_x() for bar in ax.containers[1]], given)
    assert given[0] + guessed[0] == max(np.add(given, guessed))
    assert ax.texts[0].get_text() == f"{given[0]:.0f} + {guessed[0]:.0f}"
    assert keys(ax) == ["labeled", "guessed"]
    assert ax.patches[-1].get_hatch()
    together = plots.class_sizes(model)
    assert sum(bar.get_width() for bar in together.patches) == 120
    assert keys(together) == ["labeled or guessed"]
    new = plots.class_sizes(model, X[:50])
    assert sum(bar.get_width() for bar in new.patches) == 50
    assert keys(new) == ["guessed"]
    assert keys(plots.class_sizes(PLSAClassifier(max_iter=2).fit(X, y), y=y)) == ["labeled"]


def test_wrong_guesses():
    """Rows are true classes; what is left to doubt has a column."""
    model = fitted(scaling=None, evidence=False, doubt=0.9)
    ax = draw(plots.mislabeling(model))
    table = ax.images[0].get_array()
    assert_allclose(table[:, :4], model.mislabeling_.T, atol=1e-12)
    assert_allclose(table.sum(axis=1), 1)
    assert np.any(model.not_sure_)
    assert ticks(ax, "x") == [*NAMES, "not sure"]
    figures = [text.get_text() for text in ax.texts]
    small = pyplot.figure(figsize=(1.6, 2)).subplots()
    assert len(plots.mislabeling(model, ax=small).texts) == 0  # there is no room for any
    assert len(small.figure.axes) == 2  # but for a scale
    assert figures == [f"{100 * share:.0f}" for share in table.ravel() if share >= 0.005]


def test_confusion_counts_what_is_labeled():
    """Documents without a label are left out; a class that the model does not know has a row."""
    X, _, truth = corpus()
    model = fitted()
    other = np.where(truth == "dog", "elk", truth)
    other[100:] = ""
    ax = draw(plots.confusion(model, X, other))
    guess = model.predict(X)[:100]
    classes = [*NAMES, "elk"]
    assert ticks(ax) == ticks(ax, "x") == classes
    for row, true in zip(ax.images[0].get_array(), classes, strict=True):
        wanted = [np.mean(guess[other[:100] == true] == name) if true in other else 0 for name in classes]
        assert_allclose(row, wanted)
    assert said(ax).split("\n")[1] == f"{np.mean(guess == other[:100]):.1%} of 100 documents are right"


def test_what_is_taken_for_others_has_a_column():
    """Where not all classes are drawn: rows sum to one all the same."""
    X, _, truth = corpus()
    wrong = np.roll(truth, 1)
    whole = plots.confusion(fitted(), X, wrong).images[0].get_array()
    ax = draw(plots.confusion(fitted(), X, wrong, limit=2))
    *chosen, others = ticks(ax, "x")
    assert (ticks(ax), others) == (chosen, "others")
    at = [NAMES.tolist().index(name) for name in chosen]
    assert_allclose(ax.images[0].get_array()[:, :2], whole[np.ix_(at, at)])
    assert_allclose(ax.images[0].get_array()[:, 2], 1 - whole[np.ix_(at, at)].sum(axis=1))
    assert ax.images[0].get_array()[:, 2].min() > 0.1


def test_calibration():
    """Bins by what is stated, the share of each that is right, and how far that is off."""

    class Stating(BaseEstimator):
        classes_ = np.array(["no", "yes"])

        def fit(self):
            return self

        def predict_proba(self, X):
            return np.array(X)

    stated = np.array([0.65, 0.61, 0.69, 0.65, 0.95, 1.0])
    y = np.array(["yes", "yes", "yes", "no", "yes", "no"])
    model = Stating()
    model.fitted_ = True
    ax = draw(plots.calibration(model, np.column_stack([1 - stated, stated]), y))
    points = ax.containers[0].lines[0]
    assert_allclose(points.get_xdata(), [0.65, 0.975])
    assert_allclose(points.get_ydata(), [0.75, 0.5])
    assert [bar.get_height() for bar in ax.child_axes[0].patches] == [0, 0, 0, 0, 0, 0, 4, 0, 0, 2]
    off = (4 * 0.1 + 2 * 0.475) / 6
    assert ax.texts[0].get_text() == f"stated {stated.mean():.1%}, right 66.7%;\noff by {off:.1%} on average"
    low, high = ax.containers[0].lines[2][0].get_segments()[0][:, 1]
    assert_allclose([low, high], [0.3006, 0.9544], atol=1e-4)  # Wilson's of 3 among 4


def test_objective_is_drawn_by_stretches():
    """Each as what it gained, which never falls; alone as it is."""
    model = fitted(scaling=None, evidence=False)
    ax = draw(plots.objective(model))
    drawn = [line for line in ax.lines if len(line.get_xdata()) > 2 or line.get_marker() != "None"]
    assert len(drawn) == len(model.stretches_) > 1
    assert_array_equal(
        np.concatenate([line.get_xdata() for line in drawn]), np.arange(len(model.objective_trace_))
    )
    for line, begin in zip(drawn, model.stretches_, strict=True):
        gained = line.get_ydata()
        assert gained[0] == 0
        assert_allclose(gained, model.objective_trace_[begin:][: len(gained)] - model.objective_trace_[begin])
        assert np.all(np.diff(gained) >= 0)
    assert said(ax).startswith("SoftMislabelingPLSA: stopped after ")
    X, _, _ = corpus()
    plain = PLSA(2, max_iter=0, tol=0, random_state=0).fit(X)
    ax = draw(plots.objective(plain))
    assert_array_equal(ax.lines[0].get_ydata(), plain.objective_trace_)
    assert ax.get_legend() is None


def test_a_map_has_every_document():
    """Labeled ones edged; classes in colors and shapes; what has no label is gray."""
    X, y, _ = corpus()
    ax = draw(plots.documents(fitted(), X, y, method="pca"))
    given = sum(label is not None for label in y)
    edged = [group for group in ax.collections if group.get_linewidths()[0] > 0]
    assert sum(len(group.get_offsets()) for group in edged) == given
    assert sum(len(group.get_offsets()) for group in ax.collections) == 120
    assert keys(ax) == [*NAMES, "labeled", "guessed"]
    ax = draw(plots.documents(fitted(), X, y, method="pca", limit=2))
    assert keys(ax)[2:] == ["2 others", "labeled", "guessed"]
    topics = PLSA(3, max_iter=5, tol=0, random_state=0).fit(X)
    assert keys(plots.documents(topics, method="pca")) == ["topic 0", "topic 1", "topic 2"]
    assert keys(plots.documents(topics, y=y, method="pca")) == [*NAMES, "no label", "labeled"]
    alone = PLSAClassifier(max_iter=3).fit(X, y)
    assert (
        sum(len(group.get_offsets()) for group in plots.documents(alone, y=y, method="pca").collections)
        == given
    )


def test_places_of_documents():
    """By PCA: distances in two dimensions where there are no more; given ones as they are."""
    rows = np.random.default_rng(0).normal(size=(30, 2))
    found = maps.placed(rows, "pca", 0)
    apart = np.linalg.norm(rows[:, np.newaxis] - rows, axis=2)
    assert_allclose(np.linalg.norm(found[:, np.newaxis] - found, axis=2), apart)
    places = np.arange(240.0).reshape(120, 2)
    ax = plots.documents(fitted(), method=places)
    drawn = np.concatenate([group.get_offsets() for group in ax.collections])
    assert_array_equal(np.sort(drawn[:, 0]), places[:, 0])
    for wrong in (places[1:], np.full((120, 2), np.nan)):
        with pytest.raises(ValueError, match=r"method is an array of shape .*, but must be of shape"):
            plots.documents(fitted(), method=wrong)
    with pytest.raises(ValueError, match="method == 'mds', but must be one of"):
        plots.documents(fitted(), method="mds")


def test_neighbors_keep_together_and_the_seed_is_obeyed(monkeypatch):
    """By t-SNE; documents that are all alike, or very few, have places too."""
    monkeypatch.setattr(maps, "_ROUNDS", 300)
    rows = np.repeat(np.eye(3), 12, axis=0) + np.random.default_rng(0).normal(0, 0.01, (36, 3))
    found = maps.placed(rows, "tsne", 1)
    assert_array_equal(found, maps.placed(rows, "tsne", 1))
    apart = np.linalg.norm(found[:, np.newaxis] - found, axis=2)
    same = np.repeat(np.eye(3), 12, axis=0) @ np.repeat(np.eye(3), 12, axis=0).T > 0
    assert apart[same].max() < apart[~same].min()
    for few in (np.ones((1, 3)), np.ones((20, 1)), np.eye(3)):
        assert np.isfinite(maps.placed(few, "tsne", 0)).all()


def test_some_of_many_documents(monkeypatch):
    """At most half of them labeled, unless there are not so many others; the picture says so."""
    monkeypatch.setattr(maps, "_MOST", 20)
    few, many = np.arange(100) < 5, np.arange(100) < 90
    assert np.count_nonzero(few[maps.some(few, 0)]) == 5
    assert np.count_nonzero(many[maps.some(many, 0)]) == 10
    nearly = np.arange(100) < 97
    assert np.count_nonzero(nearly[maps.some(nearly, 0)]) == 17
    assert [len(maps.some(each, 0)) for each in (few, many, nearly)] == [20, 20, 20]
    ax = draw(plots.documents(fitted(), method="pca"))
    assert said(ax) == "20 of 120 documents, drawn at random"


def test_umap_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ImportError, match="pip install umap-learn"):
        plots.documents(fitted(), method="umap")


def test_scores_of_numbers_of_topics():
    """Every number that was tried, and the best; with a spread where there are folds."""
    X, _, truth = corpus()
    model = PLSAClassifier(scaling=None, max_iter=3, random_state=0)
    found = select_topics(model, X, truth, candidates=(1, 2), cv=2)
    ax = draw(found.plot())
    assert ticks(ax, "x") == ["1", "2"]
    assert_allclose(ax.lines[0].get_ydata(), [score.score for score in found.scores])
    assert keys(ax) == [f"best: {found.best}"]
    assert ax.containers[0].has_yerr
    ax = draw(
        plots.topic_scores(
            select_topics(
                model, X, truth, criterion="bic", candidates=(1, {"ant": 2, "bee": 1, "cat": 1, "dog": 1})
            )
        )
    )
    assert ticks(ax, "x") == ["4", "5"]
    assert ax.get_ylabel() == "BIC, lower is better"


def test_a_session_so_far():
    """What was known after so many labels; where nothing was, why."""

    def said(n, accuracy, low, high, f1, unknown=""):
        return SimpleNamespace(
            n_labels=n, n_drawn=n, accuracy=accuracy, low=low, high=high, macro_f1=f1, unknown=unknown
        )

    unknown = said(5, None, None, None, None, "as nobody has asked")
    known = [said(10, 0.5, 0.3, 0.7, 0.4), said(20, 0.8, 0.7, 0.9, 0.75)]
    ax = draw(plots.session([unknown, *known]))
    assert_array_equal(ax.lines[0].get_xydata(), [[10, 0.5], [20, 0.8]])
    assert_array_equal(ax.lines[1].get_ydata(), [0.4, 0.75])
    extents = ax.collections[0].get_paths()[0].get_extents()
    assert (extents.ymin, extents.ymax) == (0.3, 0.9)
    assert len(draw(plots.session(known[0])).lines[0].get_xdata()) == 1
    assert draw(plots.session(unknown)).texts[0].get_text() == "accuracy is not known, as nobody has asked"
    draw(plots.session([]))
    with pytest.raises(ValueError, match="statuses holds something of type SoftMislabelingPLSA"):
        plots.session(fitted())


# ---- a hundred classes


@pytest.mark.parametrize("picture", ["class_topics", "class_sizes", "confusion", "documents", "top_words"])
def test_a_hundred_classes(picture):
    """The largest are drawn, the picture says so, names are cut, none lies over another."""
    X, y = many_classes()
    model = cache(lambda: PLSAClassifier(max_iter=1, scaling=None, random_state=0).fit(X, y))()
    ax = draw(ALL[picture](model, X, y))
    wanted = {
        "class_topics": "the largest 20 of 100 classes",
        "class_sizes": "the largest 25 of 100 classes; the others have 250 documents",
        "confusion": "the largest 20 of 100 classes",
        "documents": "",
        "top_words": "the largest 12 of 100 topics",
    }
    assert wanted[picture] in said(ax)
    renderer = ax.figure.canvas.get_renderer()
    for axis in ("x", "y"):
        boxes = [label.get_window_extent(renderer) for label in getattr(ax, f"get_{axis}ticklabels")()]
        for one, other in pairwise(boxes):
            assert not one.overlaps(other)
    if picture == "documents":
        assert keys(ax)[10] == "90 others"
    if picture == "confusion":
        table = ax.images[0].get_array()
        assert table.shape == (20, 21)
        assert_allclose(table.sum(axis=1), 1)
        assert ticks(ax, "x")[-1] == "others"
        assert all(len(name) <= 24 for name in ticks(ax))


# ---- names


def test_names_are_cut_in_the_middle_and_stay_different():
    assert drawing.fitting(["short", 12, None]) == ["short", "12", "None"]
    long = ["sklearn.feature_extraction.text", "sklearn.feature_extraction.image"]
    cut = drawing.fitting(long, 16)
    assert [len(name) for name in cut] == [16, 16]
    assert cut[0].startswith("sklearn")
    assert cut[0].endswith("text")
    same = drawing.fitting(["aaaaaaaa1bbbbbbbb", "aaaaaaaa2bbbbbbbb"], 8)
    assert len(set(same)) == 2
    assert drawing.fitting(["a\nb\t c"]) == ["a b c"]
    assert drawing.fitting(["$x$"]) == [r"\$x\$"]


def test_wide_signs_count_twice(monkeypatch):
    monkeypatch.setattr(drawing, "_drawn_by", lambda signs: ((), signs))
    assert drawing.fitting(["\u4e2d" * 12], 24) == ["\u4e2d" * 12]
    assert drawing.fitting(["\u4e2d" * 13], 24) == ["\u4e2d" * 6 + "\u2026" + "\u4e2d" * 5]


def test_signs_that_no_font_has(monkeypatch):
    """Boxes stand for them, of which one warning tells; matplotlib says nothing."""
    from matplotlib import font_manager

    usual = [entry for entry in font_manager.fontManager.ttflist if entry.name == "DejaVu Sans"]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", usual)
    drawing._families.cache_clear()
    X, y, _ = corpus()
    y = np.array([None if label is None else f"{label}\U000f0001\U000f0002" for label in y], dtype=object)
    model = SoftMislabelingPLSA(max_iter=2, random_state=0).fit(X, y)
    with pytest.warns(
        UserWarning, match="no font that is installed has .*: boxes stand for them. Install one"
    ):
        ax = plots.class_sizes(model)
    draw(ax)
    assert set(ticks(ax)) == {f"{name}\u25a1\u25a1" for name in NAMES}
    drawing._families.cache_clear()


def test_another_font_is_found_for_what_the_usual_one_lacks():
    """And everything that is written in the picture may use it."""
    from matplotlib import font_manager

    usual = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    stix = [e for e in font_manager.fontManager.ttflist if "STIX" in e.name]  # matplotlib brings them along
    regular = [e.fname for e in stix if e.style == "normal" and e.weight in (400, "normal")]
    fonts = [font_manager.get_font(path) for path in regular]
    rare = next(chr(n) for font in fonts for n in font.get_charmap() if not usual.get_char_index(n))
    ax = pyplot.figure().subplots()
    ax.set_title(rare)
    drawing.finished(ax)
    assert ax.title.get_fontfamily()[0] in ("sans-serif", "DejaVu Sans")
    assert len(ax.title.get_fontfamily()) == 2
    draw(ax)


# ---- what is imported


def test_matplotlib_is_imported_when_a_picture_is_drawn():
    code = "import sys, plsa; plsa.plots.top_words, plsa.top_words; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_without_matplotlib(monkeypatch):
    """The error says what to install."""
    model = fitted()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for picture in (plots.top_words, plots.class_topics, plots.class_sizes, plots.objective):
        with pytest.raises(ImportError, match=r"pip install 'plsa-learn\[plots\]'"):
            picture(model)


def test_pictures_have_public_names():
    """One place has them all; a result's `plot` draws the same."""
    assert plsa.plots is plots
    assert dir(plots) == sorted(plots.__all__)
    assert all(callable(getattr(plots, name)) and getattr(plots, name).__doc__ for name in plots.__all__)


def test_the_gallery_has_every_picture():
    """Its page shows each, and its script draws each; none is large."""
    docs = Path(__file__).parent.parent / "docs"
    page, script = (docs / "gallery.md").read_text(), (docs / "gallery.py").read_text()
    for name in plots.__all__:
        assert f"`plots.{name}(" in page
        assert f"](gallery/{name}.png)" in page
        assert f'yield "{name}", plots.{name}(' in script
        assert (docs / "gallery" / f"{name}.png").stat().st_size < 60_000
    assert {path.stem for path in (docs / "gallery").iterdir()} == {*plots.__all__}
