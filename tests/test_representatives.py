"""Documents that stand for the classes of a model."""

import json

import numpy as np
import pytest
from cases import CASES, corpus
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from plsa import PLSA, NaiveBayesEM, PLSAClassifier, SoftMislabelingPLSA, representatives, text_classifier

TEXTS = [
    "tea milk",
    "tea and milk",
    "ball team",
    "ball and team",
    "tea ball milk",
    "ball tea team",
    "tea milk",
]
LABELS = ["food", None, "sport", None, None, None, "food"]


def ranked(model, X):
    """The chances of documents, or how far apart two sides are; and what is predicted, as places."""
    if not hasattr(model, "classes_"):
        chance = model.transform(X)
        return chance, chance.argmax(axis=1)
    taken = np.searchsorted(model.classes_, model.predict(X))
    if hasattr(model, "threshold_") or not hasattr(model, "predict_proba"):
        said = np.asarray(model.decision_function(X))
        return said if said.ndim == 2 else np.column_stack([-said, said]) / 2, taken
    return model.predict_proba(X), taken


@pytest.mark.parametrize("case", [case for case in CASES if case.model.__name__ != "CountScaler"], ids=str)
def test_typical_and_borderline_documents(case):
    """Of every classifier, and of topics: the surest, and those that the next class is nearest to."""
    X, model = corpus()[0], case.fit()
    scores, taken = ranked(model, X)
    found = representatives(model, X, n=4)
    assert len(found) == scores.shape[1]
    json.dumps(found.to_dict(), allow_nan=False)
    first, second = np.sort(scores, axis=1)[:, ::-1][:, :2].T
    own = scores[np.arange(len(scores)), taken]
    gap = np.where(own == first, first - second, own - first)
    assert sum(each.n_documents for each in found) == X.shape[0]
    for place, each in enumerate(found):
        mine = np.flatnonzero(taken == place)
        assert each.n_documents == len(mine)
        rows = [one.row for one in each.borderline]
        assert set(rows) <= set(mine)
        assert len(rows) == min(4, len(mine))
        assert_allclose([one.gap for one in each.borderline], np.sort(gap[mine])[:4], rtol=1e-6, atol=1e-12)
        measure = own if each.typical and each.typical[0].probability is not None else gap
        typical = measure[[one.row for one in each.typical]]
        assert_allclose(typical, np.sort(measure[mine])[::-1][:4], rtol=1e-6, atol=1e-12)
        for one in (*each.typical, *each.borderline):
            others = np.delete(scores[one.row], place)
            names = [other.label for other in found if other.label != each.label]
            assert one.other == names[others.argmax()]
            assert_allclose(one.gap, own[one.row] - others.max(), rtol=1e-6, atol=1e-12)
            assert one.text is None


@pytest.mark.filterwarnings("ignore")  # of few documents
@pytest.mark.parametrize(
    "model", [None, NaiveBayesEM(), PLSAClassifier(random_state=0), LogisticRegression(), LinearSVC()]
)
def test_texts_and_copies(model):
    """How texts begin; what stands in X twice is shown once, the first of them."""
    if isinstance(model, LogisticRegression | LinearSVC):
        pipeline = make_pipeline(CountVectorizer(), model)
        pipeline.fit(TEXTS, ["food", "food", "sport", "sport", "food", "sport", "food"])
    else:
        pipeline = text_classifier(model, vectorizer=CountVectorizer()).fit(TEXTS, LABELS)
    X = [*TEXTS, "tea milk " * 50, "", "xylophone"]
    found = representatives(pipeline, X, n=10)
    assert found["food"].n_documents + found["sport"].n_documents == len(X)
    shown = [one.row for each in found for one in each.typical]
    assert sorted(shown) == [0, 1, 2, 3, 4, 5, 7]
    assert all(one.text == X[one.row][:200] for each in found for one in (*each.typical, *each.borderline))
    with pytest.raises(KeyError, match="'tea' is none of"):
        found["tea"]


def test_what_is_equal_keeps_its_order():
    """Of equal probabilities the one further ahead; then the order of X."""
    X = np.array([[5, 0], [800, 0], [0, 7], [900, 0], [0, 3], [5, 0], [1, 1], [1, 1]])
    model = NaiveBayesEM(unlabeled_weight=1).fit(X, [0, 0, 1, 0, 1, 0, None, None])
    chance = model.predict_proba(X)[:, 0]
    assert chance[1] == chance[3] == 1
    typical = [one.row for one in representatives(model, X, n=8)[0].typical]
    assert typical[:3] == [3, 1, 0]
    assert 5 not in typical
    even = sparse.csr_array(np.eye(4))
    model = PLSAClassifier(random_state=0).fit(even, [0, 0, 1, 1])
    assert [one.row for one in representatives(model, even)[1].typical] == [2, 3]


@pytest.mark.filterwarnings("ignore")  # of one class, and of a class without an example
def test_lone_and_unmet_classes():
    X = np.array([[2, 1, 0], [1, 2, 0], [0, 0, 0]])
    alone = representatives(PLSAClassifier(random_state=0).fit(X, ["a", "a", "a"]), X)
    (only,) = alone
    assert [(one.row, one.other, one.gap) for one in only.typical] == [(0, None, None), (1, None, None)]
    assert "a: 3 documents" in str(alone)
    model = SoftMislabelingPLSA(random_state=0, classes=["a", "b", "c"]).fit(X, ["a", "b", None])
    found = representatives(model, X)
    assert found["c"].n_documents == len(found["c"].typical) == 0
    assert "c: no document is taken for it" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_how_they_look():
    """Lines of 80 columns, a table in a notebook; texts are texts."""
    texts = ["<b>tea</b> milk \x1b[2J", "tea milk 北京欢迎你 " * 9, "ball team", "ball coach", "ball tea"]
    labels = ["<i>food</i>", "<i>food</i>", "sport", "sport", None]
    model = text_classifier(random_state=0).fit(texts, labels)
    found = representatives(model, texts, n=2)
    lines = str(found).splitlines()
    assert all(sum(2 if ord(sign) > 0x2E80 else 1 for sign in line) <= 80 for line in lines)
    assert "\x1b" not in str(found)
    assert lines[0].startswith("<i>food</i>: ")
    assert any(line.startswith("  typical ") and "row 0: <b>tea</b> milk" in line for line in lines)
    page = found._repr_html_()
    assert "<b>tea" not in page
    assert "<i>" not in page
    assert "<b>&lt;i&gt;food&lt;/i&gt;</b>: 3 documents" in page
    assert "&lt;b&gt;tea&lt;/b&gt;" in page
    assert page.count("<tr") == sum(len(each.typical) + len(each.borderline) for each in found)


def test_bad_arguments():
    X = corpus()[0]
    model = PLSA(3, random_state=0, max_iter=2, tol=0).fit(X)
    assert [each.label for each in representatives(model, X)] == ["topic 0", "topic 1", "topic 2"]
    for n in (0, 1.5, "3"):
        with pytest.raises(ValueError, match="n == "):
            representatives(model, X, n=n)
    with pytest.raises(ValueError, match="not fitted"):
        representatives(PLSAClassifier(), X)
    with pytest.raises(ValueError, match="X has 99 features"):
        representatives(model, X[:, :99])
