"""Why a document has its label: shares of words that add up to what decides, and how they are shown."""

import json
import re
from dataclasses import FrozenInstanceError
from functools import cache

import drawing
import numpy as np
import pandas
import pytest
import reference
from cases import CASES, corpus, new_documents
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC, LinearSVC

from plsa import (
    PLSA,
    LabeledKFold,
    MissingLabelPLSA,
    NaiveBayesEM,
    PLSAClassifier,
    SoftMislabelingPLSA,
    TopicSensitivePLSA,
    TransductiveSVM,
    explain,
    text_classifier,
)
from plsa.datasets import planted_corpus
from plsa.engine.counts import Counts
from plsa.learning import student
from plsa.learning.aspects import Aspects, Folding, Predictor
from plsa.show import rendering

NO_SUM = {"CoTraining", "CoEM", "CoBoost", "CPA", "MPCKMeans", "SelfTraining", "GraphClassifier", "MinCut"}
EXPLAINED = [case for case in CASES if case.model.__name__ not in NO_SUM | {"CountScaler"}]
SOFT = [str(case) for case in EXPLAINED].index("SoftMislabelingPLSA")
OTHERS = [case for case in CASES if case.model.__name__ in NO_SUM]

FOOD = ["tea and milk", "a cup of tea", "cup and milk", "milk tea cup saucer", "the tea of the cup"]
SPORT = ["goal and ball", "a ball team", "team goal", "goal ball coach", "the team of the coach"]
TEXTS = FOOD + SPORT
LABELS = ["food", "food", None, None, "food", "sport", "sport", None, None, "sport"]


@cache
def fitted(place, dtype):
    """A case, fitted once."""
    return EXPLAINED[place].fit(corpus(dtype)[0])


@cache
def texts_model(short=True):
    """A pipeline that reads texts; of short ones it counts pieces of words too."""
    vectorizer = None if short else CountVectorizer(ngram_range=(1, 2))
    return text_classifier(vectorizer=vectorizer, random_state=0).fit(TEXTS, LABELS)


@st.composite
def odd_documents(draw, n_words=100):
    """A row: words in any order, some twice, zeros that are stored, tiny and huge counts."""
    words = draw(st.lists(st.integers(0, n_words - 1), max_size=12))
    value = st.integers(0, 20) | st.sampled_from([0.5, 1e-6, 1e6])
    values = draw(st.lists(value, min_size=len(words), max_size=len(words)))
    index = draw(st.sampled_from([np.int32, np.int64]))
    parts = np.array(values, dtype=np.float64), np.array(words, dtype=index)
    return sparse.csr_array((*parts, np.array([0, len(words)], dtype=index)), shape=(1, n_words))


def decision(model, row):
    """What a model goes by, for each class of a document: probabilities, their logarithms, or else."""
    if not hasattr(model, "classes_"):
        return model.transform(row)[0].astype(np.float64), "P(class)"
    if hasattr(model, "threshold_") or not hasattr(model, "predict_proba"):
        said = np.asarray(model.decision_function(row))
        return (said if said.ndim == 2 else np.column_stack([-said, said]) / 2)[0], "decision value"
    if getattr(getattr(model, "model_", None), "student", False) is None:
        chance = model.predict_proba(row)[0] ** (1 / model.sharpness_)
        return chance / chance.sum(), "P(class)"
    return model.predict_log_proba(row)[0], "log P(class)"


def assert_adds_up(model, row, rtol):
    """The shares of words and the constants are what decides, to a share of the sizes that are added."""
    parts = model.decision_parts(row)
    with np.errstate(divide="ignore"):
        said, of = decision(model, row)
    total = np.sum([*parts.constants.values(), parts.share.sum(axis=0)], axis=0)
    assert_allclose(total, parts.scores, rtol=1e-12, atol=1e-12)
    size = 1 + max(np.abs(parts.share).sum(), np.abs(parts.constant).sum())
    assert parts.of == of
    if of == "log P(class)":
        assert_allclose(softmax(total), np.exp(said), rtol=0, atol=rtol * size if size > 1e4 else 1e-6)
        seen = said > np.log(1e-30)  # float32 has no logarithm of much less
        total, said = log_softmax(total)[seen], said[seen]
    assert_allclose(total, said, rtol=rtol, atol=rtol * size)
    assert np.all(np.diff(parts.word) > 0)
    assert len(parts.word) == len(parts.share)


# --- they add up ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("place", range(len(EXPLAINED)), ids=[str(case) for case in EXPLAINED])
@given(row=odd_documents())
@settings(max_examples=10)
def test_shares_add_up_to_the_decision(place, dtype, row):
    """Of every model that can be explained, for documents of all kinds."""
    model = fitted(place, dtype)
    # The shares of words bear the rounding of float32; topics in float32 do not quite sum to one.
    rounded = dtype == "float32" and not hasattr(model, "classes_")
    assert_adds_up(model, row.astype(dtype), 1e-6 if rounded else 1e-9)


@pytest.mark.parametrize("place", range(len(EXPLAINED)), ids=[str(case) for case in EXPLAINED])
def test_shares_add_up_for_documents_of_the_fit(place):
    """What the student has learned of them is left out, and that is a constant."""
    model, X = fitted(place, "float64"), corpus("float64")[0]
    for row in range(0, 150, 11):
        assert_adds_up(model, X[[row]], 1e-9)
    for row in range(10):
        assert_adds_up(model, new_documents("float64")[[row]], 1e-9)


@pytest.mark.filterwarnings("ignore")  # of classes without an example, and of all that little data does
@pytest.mark.parametrize("model", [SoftMislabelingPLSA, MissingLabelPLSA, PLSAClassifier, NaiveBayesEM])
@given(data=st.data())
@settings(max_examples=10)
def test_shares_add_up_whatever_was_learned(model, data):
    """Of fits to corpora of a few words, empty documents, one class, copies, and with declared classes."""
    X = data.draw(drawing.counts(np.float64, unusual=(0.0, 0.5), some_words=True))
    n_classes = data.draw(st.integers(1, 3))
    y = data.draw(drawing.labels(X.shape[0], n_classes, unlabeled=model is not PLSAClassifier))
    if X[y >= 0].sum() == 0:
        return
    declared = data.draw(st.sampled_from([None, [0, 1, 2, 3]]))
    learned = model(max_iter=4, random_state=0, classes=declared).fit(X, y)
    for row in range(X.shape[0]):
        parts = learned.decision_parts(X[[row]])
        chance = dict(zip(learned.classes_.tolist(), learned.predict_proba(X[[row]])[0], strict=True))
        scores = softmax(parts.scores) if parts.of == "log P(class)" else parts.scores**parts.power
        said = [chance[each] for each in parts.classes.tolist()]
        assert_allclose(scores / scores.sum(), said, atol=1e-9)
        assert set(parts.classes) == set(y[y >= 0])
        found = explain(learned, X[[row]])
        assert found.label == learned.predict(X[[row]])[0]
        json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(row=odd_documents())
@settings(max_examples=20)
def test_a_student_is_taken_apart_as_dense_formulas_have_it(dtype, row):
    """TF-IDF at unit length times weights, calibrated; of a document that it has not learned from."""
    model, row, rtol = fitted(SOFT, dtype), row.astype(dtype), 1e-9 if dtype == "float64" else 1e-4
    X = row.toarray()
    learned = model.model_
    features = reference.student_features(X, learned.student.scaler.idf)[0]
    share = features[:, np.newaxis] * learned.student.weights
    scores = share.sum(axis=0) + learned.student.intercept
    height = max(scores.max() - scores.mean(), 0.01)
    factor = learned.sharpness / height**learned.leveling
    parts = model.decision_parts(row)
    met = np.flatnonzero(features)
    if len(met):
        assert_array_equal(parts.word, met)
        small = 1e-3 * rtol * np.abs(factor * share).max()
        assert_allclose(parts.share, factor * share[met], rtol=rtol, atol=small)
        assert_allclose(parts.constants["intercepts"], factor * learned.student.intercept, rtol=rtol)
    else:
        assert_allclose(parts.constants["no known word"], np.log(model.class_prior_))


@given(data=st.data())
def test_topics_are_taken_apart_as_dense_formulas_have_it(data):
    """What words say by themselves is all that one round of folding in does; further ones are the rest."""
    n_words, n_topics = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    words = data.draw(drawing.distributions(n_topics, n_words, zeros=False)).T
    prior = data.draw(drawing.distributions(1, n_topics, zeros=False))[0]
    of_topics = data.draw(drawing.distributions(n_topics, 2, zeros=False)).T
    n = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n_words, max_size=n_words)), dtype=float)
    strength, rounds = data.draw(st.sampled_from([0.0, 1.5])), data.draw(st.integers(0, 5))
    counts = Counts(np.array([0, n_words]), np.arange(n_words, dtype=np.int32), n, n_words)
    aspects = Aspects(np.ascontiguousarray(words), prior, strength, None, of_topics)
    parts = Predictor(aspects, np.ones(2) / 2, sharpness=2.0).parts(counts, Folding(rounds, 0.0))
    share = reference.explained_by_topics(n, prior, strength, words, of_topics) * (rounds > 0)
    assert_allclose(parts.share, share, rtol=1e-9, atol=1e-12)
    assert_allclose(parts.constants["prior"], of_topics @ prior)
    if rounds < 2:
        assert_allclose(parts.constants["all words together"], 0, atol=1e-12)
    assert parts.power == 2.0
    assert_allclose(parts.scores, aspects.classes(counts, Folding(rounds, 0.0))[0], rtol=1e-9)


def test_a_word_that_all_topics_have_alike_says_nothing():
    """However often it stands there, as stop words do: P(class|word, document) would follow the others."""
    words = np.array([[0.3, 0.0], [0.2, 0.1], [0.0, 0.4], [0.5, 0.5]])
    aspects = Aspects(words, np.array([0.7, 0.3]), 1.0, None, np.eye(2))
    counts = Counts(np.array([0, 4]), np.arange(4, dtype=np.int32), np.array([1.0, 1, 1, 500]), 4)
    share = aspects.parts(counts, Folding(), np.eye(2)).share
    assert_allclose(share[3], 0, atol=1e-12)
    assert share[0][0] > share[1][0] > 0 > share[2][0]


@given(row=odd_documents())
def test_a_mixture_is_taken_apart_as_dense_formulas_have_it(row):
    """log P(d, class), words of components weighed by P(component|class, document)."""
    place = next(at for at, case in enumerate(EXPLAINED) if case.model is NaiveBayesEM)
    model = fitted(place, "float64")
    scaled = model.scaling_.transform(row).toarray()[0] if model.scaling_ is not None else row.toarray()[0]
    logs = np.log(model.components_.astype(np.float64))
    joint = logs @ scaled + np.log(model.topic_prior_)
    parts = model.decision_parts(row)
    for code in range(4):
        own = np.flatnonzero(model.topic_class_ == code)
        chance = softmax(joint[own])
        dense = scaled * (chance @ logs[own])
        assert_allclose(parts.share[:, code], dense[parts.word], rtol=1e-9, atol=1e-9)
        assert_allclose(parts.scores[code], logsumexp(joint[own]), rtol=1e-9)


def test_what_a_document_has_taught_is_a_constant():
    """It is there for documents of the fit alone, and without it the sum would be another."""
    model, X = (fitted(SOFT, "float64"), corpus("float64")[0])
    taught = [student.LEFT_OUT in model.decision_parts(X[[row]]).constants for row in range(12)]
    assert_array_equal(taught, corpus()[1][:12] < 0)
    row = taught.index(True)
    found = explain(model, X[[row]])
    assert "What that has taught about the document itself is left out" in " ".join(str(found).split())
    assert found.classes[0].constants[student.LEFT_OUT] < 0
    other = X[[row]].copy()
    other.data[0] += 1
    assert student.LEFT_OUT not in model.decision_parts(other).constants


@pytest.mark.parametrize("case", OTHERS, ids=str)
def test_what_is_no_sum_is_refused(case):
    model = case.fit()
    with pytest.raises(ValueError, match=rf"{case.model.__name__} cannot be explained: .*topics or coef_"):
        explain(model, new_documents()[[0]])


# --- what is said ---------------------------------------------------------------------------------


def total(found, place=0):
    """Constants and shares of all words for one class."""
    each = found.classes[place]
    return sum(each.constants.values()) + sum(word.shares[place] for word in found.words)


@pytest.mark.parametrize("place", range(len(EXPLAINED)), ids=[str(case) for case in EXPLAINED])
def test_an_explanation_is_of_what_predict_says(place):
    """The classes in the order of their scores, the predicted one first; sums, probabilities, plain data."""
    model, row = fitted(place, "float64"), new_documents("float64")[[0]]
    found = explain(model, row)
    said, of = decision(model, row)
    if hasattr(model, "predict"):
        assert found.label == model.predict(row)[0]
    assert found.label == found.classes[0].label
    assert found.n_classes == len(said)
    assert found.of == (of if hasattr(model, "classes_") else "P(topic)")
    names = (
        model.classes_.tolist() if hasattr(model, "classes_") else [f"topic {z}" for z in range(len(said))]
    )
    for at, each in enumerate(found.classes):
        own = said[names.index(each.label)]
        other = said.mean() if each.against is None else said[names.index(each.against)]
        assert_allclose(each.score, own - other, rtol=1e-7, atol=1e-9)
        assert_allclose(total(found, at), each.score, rtol=1e-9, atol=1e-9)
        if hasattr(model, "predict_proba"):
            place = model.classes_.tolist().index(each.label)
            assert each.probability == model.predict_proba(row)[0, place]
    if len(said) == 2:
        assert found.classes[0].against == found.classes[0].label ^ 1
    else:
        scores = [each.score for each in found.classes]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)
    shares = [abs(word.shares[0]) for word in found.words]
    assert shares == sorted(shares, reverse=True)
    counts = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
    assert all(counts[int(word.word)] == word.count for word in found.words)
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["words"][0]["shares"] == list(found.words[0].shares)
    with pytest.raises(FrozenInstanceError):
        found.label = 3


@pytest.mark.parametrize(
    "given",
    [
        lambda row: row,
        lambda row: row.tocoo(),
        lambda row: row.toarray(),
        lambda row: row.toarray()[0],
        lambda row: row.toarray()[0].tolist(),
        lambda row: row.toarray().astype(np.int64),
        lambda row: sparse.csr_matrix(row),
        lambda row: sparse.coo_array(row.toarray()[0]),
        lambda row: pandas.DataFrame(row.toarray()),
        lambda row: pandas.DataFrame(row.toarray()).iloc[0],
    ],
)
def test_one_row_in_any_form(given):
    model, row = fitted(2, "float64"), new_documents("float64")[[0]]
    found, wanted = explain(model, given(row)), explain(model, row)
    assert [word.word for word in found.words] == [word.word for word in wanted.words]
    assert_allclose([word.shares for word in found.words], [word.shares for word in wanted.words], rtol=1e-4)


def test_why_not_that_class():
    """The first class and another one, or the second where the first is asked for."""
    model, row = fitted(SOFT, "float64"), new_documents("float64")[[0]]
    said, order = model.predict_log_proba(row)[0], np.argsort(-model.predict_proba(row)[0])
    for label in range(4):
        (only,) = explain(model, row, label=np.int64(label), n_classes=4).classes
        rival = order[1] if label == order[0] else label
        assert (only.label, only.against) == (order[0], rival)
        assert_allclose(only.score, said[order[0]] - said[rival])
        assert_allclose(only.against_probability, np.exp(said[rival]))
    beside = explain(model, row, n_classes=4).classes
    assert_array_equal([each.label for each in beside], order)
    assert_allclose(sum(each.score for each in beside), 0, atol=1e-9)
    for label in (7, "tea", None.__class__):
        with pytest.raises(ValueError, match=r"label == .*, but must be one of \[0, 1, 2, 3\]"):
            explain(model, row, label=label)


def test_topics_stand_for_classes_where_there_are_none():
    X = corpus("float64")[0]
    model = PLSA(4, random_state=0, max_iter=10, tol=0).fit(X)
    found = explain(model, X[[3]], n_topics=2)
    topics = model.transform(X[[3]])[0]
    assert found.label == f"topic {topics.argmax()}"
    assert found.of == "P(topic)"
    assert [each.topic for each in found.topics] == np.argsort(-topics)[:2].tolist()
    assert_allclose([each.share for each in found.topics], np.sort(topics)[::-1][:2])
    assert all(each.label is None and len(each.words) == 7 for each in found.topics)
    (only,) = explain(model, X[[3]], label=int(topics.argmin())).classes
    assert only.against == f"topic {topics.argmin()}"
    assert re.search(r"words add to P\(topic \d\) - P\(topic \d\):", str(explain(model, X[[3]], label=0)))
    assert "mean of all 4 topics" in " ".join(str(found).split())


def test_one_class_nothing_known_and_classes_without_an_example():
    """Each has a result that says so."""
    X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 0]])
    alone = explain(PLSAClassifier(random_state=0).fit(X[:2], ["a", "a"]), X[0])
    assert (alone.label, alone.words, alone.classes[0].score) == ("a", (), 0.0)
    assert "There is one class: nothing has to be decided." in str(alone)
    y = ["a", "a", "b", None]
    for model in (SoftMislabelingPLSA(random_state=0), MissingLabelPLSA(random_state=0), NaiveBayesEM()):
        model.fit(X, y)
        for nothing in (np.zeros(4), np.zeros((1, 4))):
            found = explain(model, nothing)
            assert found.words == ()
            assert_allclose(found.classes[0].probability, model.predict_proba(np.zeros((1, 4)))[0].max())
            assert_allclose(found.classes[0].score, total(found))
            assert "The model knows no word of the document" in str(found)
    model = SoftMislabelingPLSA(random_state=0, classes=["a", "b", "c"])
    with pytest.warns(UserWarning, match="'c'"):
        model.fit(X, y)
    assert explain(model, X[0]).n_classes == 2
    with pytest.raises(ValueError, match="label == 'c' has no example"):
        explain(model, X[0], label="c")


def test_classes_that_are_alike_keep_their_order():
    X = np.eye(6)
    model = NaiveBayesEM(unlabeled_weight=1).fit(X, [5, 4, 3, 2, 1, 0])
    even = explain(model, np.ones(6), n_classes=6)
    assert [each.label for each in even.classes] == list(range(6))


def test_the_first_class_is_the_predicted_one(monkeypatch):
    """Scores that differ by rounding alone may have another order than what predict makes of them."""
    model, row = fitted(SOFT, "float64"), new_documents("float64")[[0]]
    second = explain(model, row).classes[1].label
    monkeypatch.setattr(SoftMislabelingPLSA, "predict", lambda self, X: np.array([second]))
    found = explain(model, row)
    assert found.label == found.classes[0].label == second


def test_components_that_were_reassigned():
    """A class without components is none of those that decide."""
    X = np.array([[3, 0, 1], [0, 3, 1], [1, 1, 3]])
    model = NaiveBayesEM().fit(X, ["a", "b", "c"]).reassign(["a", "a", "c"])
    found = explain(model, X[1])
    assert {each.label for each in found.classes} | {found.classes[0].against} == {"a", "c"}
    chance = model.predict_proba(X[[1]])[0].max()
    assert_allclose(softmax([found.classes[0].score, 0])[0], chance, atol=1e-9)
    with pytest.raises(ValueError, match="label == 'b' has no example"):
        explain(model, X[1], label="b")


# --- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", [True, False], ids=["with pieces", "pairs of words"])
@pytest.mark.parametrize("text", [*TEXTS[:3], "The TEAM drinks Tea-time milk, teams; a goalie!", "Tea" * 40])
def test_words_where_they_stand(text, short):
    """Places point at the words, and what words add there is what they add in all."""
    model = texts_model(short)
    found = explain(model, text)
    assert found.text == text
    for place in found.places:
        shown = " ".join(re.findall(r"\w\w+", text[place.start : place.end].lower()))
        assert shown == place.word
    assert found.places == tuple(sorted(found.places, key=lambda place: (place.start, place.end)))
    of_word = {word.word: 0.0 for word in found.words}
    for place in found.places:
        of_word[place.word] += place.share
    for word in found.words:
        assert_allclose(of_word[word.word], word.shares[0], atol=1e-9)
        assert word.count == sum(place.word == word.word for place in found.places)
    (first,) = found.classes
    assert_allclose(total(found), first.score, atol=1e-9)
    chance = dict(zip(model.classes_.tolist(), model.predict_proba([text])[0], strict=True))
    assert_allclose(first.score, np.log(chance[first.label] / chance[first.against]), atol=1e-6)
    assert not any("-" in word.word for word in found.words)


def test_a_word_that_is_not_known_by_its_pieces():
    """It has what they say."""
    model = texts_model()
    found = explain(model, "teams")
    assert "teams" not in model[0].vocabulary_
    (only,) = found.words
    assert (only.word, only.count, found.label) == ("teams", 1, "sport")
    assert_allclose(total(found), found.classes[0].score)


@pytest.mark.parametrize(
    ("vectorizer", "some_places"),
    [
        (CountVectorizer(), True),
        (CountVectorizer(analyzer="char", ngram_range=(1, 3)), True),
        (CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)), True),
        (CountVectorizer(tokenizer=str.split, token_pattern=None), True),
        (CountVectorizer(analyzer=str.split), True),
        (
            CountVectorizer(tokenizer=lambda text: [word[::-1] for word in text.split()], token_pattern=None),
            False,
        ),
        (CountVectorizer(preprocessor=lambda text: text.lower() + " and so on"), False),
        (HashingVectorizer(n_features=64, alternate_sign=False, norm=None), False),
    ],
)
def test_other_vectorizers(vectorizer, some_places):
    """Where places cannot be found it goes without, and says so."""
    model = text_classifier(vectorizer=vectorizer, random_state=0).fit(TEXTS, LABELS)
    found = explain(model, "Tea and a ball")
    assert bool(found.places) is some_places
    assert (
        any("Where the words stand in the text is not known" in note for note in found.notes)
        is not some_places
    )
    assert_allclose(total(found), found.classes[0].score, atol=1e-9)
    json.dumps(found.to_dict())


def test_texts_in_other_forms():
    model = texts_model()
    plain = explain(model, "a ball of tea").to_dict()
    assert all(
        explain(model, each).to_dict() == plain
        for each in (["a ball of tea"], b"a ball of tea", pandas.Series(["a ball of tea"], index=[4]))
    )
    lists = make_pipeline(CountVectorizer(analyzer=list), PLSAClassifier(random_state=0))
    lists.fit([["tea", "milk"], ["ball"]], ["food", "sport"])
    found = explain(lists, ["milk", "cup"])
    assert (found.label, found.text, [word.word for word in found.words]) == ("food", None, ["milk"])
    chosen = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=8), PLSAClassifier(random_state=0))
    found = explain(chosen.fit(TEXTS, ["food"] * 5 + ["sport"] * 5), "the tea, a goal, a ball and milk")
    assert {"tea"} < {found.text[place.start : place.end] for place in found.places}


def test_texts_that_are_changed_first():
    """The words are there, and where they stand is not known."""
    steps = FunctionTransformer(lambda texts: [text[::-1] for text in texts]), CountVectorizer()
    model = make_pipeline(*steps, PLSAClassifier(random_state=0)).fit(TEXTS, ["food"] * 5 + ["sport"] * 5)
    found = explain(model, "milk and tea", X=TEXTS, y=LABELS, vocabulary=model[1])
    assert (found.label, found.text, found.places) == ("food", "milk and tea", ())
    assert {"klim", "aet"} <= {word.word for word in found.words}
    assert found.similar[0].text == "tea and milk"
    assert "Where the words stand in the text is not known" in str(found)


def test_a_search_is_explained_by_its_best():
    search = GridSearchCV(
        text_classifier(MissingLabelPLSA(), random_state=0),
        {"missinglabelplsa__smoothing": [0.1]},
        cv=LabeledKFold(2),
    ).fit(TEXTS, np.array(LABELS, dtype=object))
    assert explain(search, TEXTS[0]).to_dict() == explain(search.best_estimator_, TEXTS[0]).to_dict()


# --- documents that are like it -------------------------------------------------------------------


def test_labeled_documents_most_like_it():
    """By cosine of TF-IDF; unlabeled ones are passed over, and copies are shown once."""
    model = texts_model(short=False)
    X, y = [*TEXTS, TEXTS[0], "tea and milk"], [*LABELS, "food", "sport"]
    found = explain(model, "tea and milk", X=X, y=y, n_documents=5)
    counts = model[0].transform(X).toarray().astype(float)
    features = reference.student_features(
        counts, reference.inverse_document_frequency(counts, np.ones(len(X)))
    )
    cosine = features @ features[0]
    rows = [one.row for one in found.similar]
    assert rows[:2] == [0, 11]  # 10 is a copy with the same label
    assert_allclose([one.similarity for one in found.similar], cosine[rows], atol=1e-5)
    labeled = [row for row in range(10) if LABELS[row] and row not in rows]
    assert max(cosine[labeled], default=0) <= min(cosine[rows]) + 1e-6
    assert all(one.label == y[one.row] and one.text == X[one.row] for one in found.similar)
    assert explain(model, "tea", X=X, y=y, n_documents=0).similar == ()
    assert explain(model, "", X=X, y=y).similar == ()
    assert "row 0: tea and milk" in str(found)


def test_like_documents_of_counts():
    X, y, _ = corpus()
    model = fitted(2, "float32")
    found = explain(model, X[[0]], X=X, y=y, n_documents=2)
    assert (found.similar[0].row, found.similar[0].text) == (0, None)
    assert_allclose(found.similar[0].similarity, 1, atol=1e-6)
    assert all(y[one.row] == one.label >= 0 for one in found.similar)


# --- classifiers of others ------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC(), LinearSVC(fit_intercept=False)])
def test_linear_classifiers_of_scikit_learn(model, labels):
    pipeline = make_pipeline(CountVectorizer(), TfidfTransformer(), model)
    y = np.array(["food", "sport", "rest"])[np.arange(10) % 5 % labels]
    pipeline.fit(TEXTS, y)
    for text in ("milk and a ball", "team", ""):
        found = explain(pipeline, text, X=TEXTS, y=y)
        said = np.ravel(pipeline.decision_function([text]))
        assert found.label == pipeline.predict([text])[0]
        assert found.of == "decision value"
        wanted = abs(said[0]) if labels == 2 else said.max() - said.mean()
        assert_allclose([found.classes[0].score, total(found)], wanted, atol=1e-9)
        assert (len(found.similar) > 0) is (text != "")


@pytest.mark.parametrize("model", [MultinomialNB(), RandomForestClassifier(5), SVC(kernel="linear"), SVC()])
def test_other_classifiers_are_refused(model):
    X, y = np.eye(6), [0, 1, 2, 0, 1, 2]
    with pytest.raises(
        ValueError, match=f"{type(model).__name__} cannot be explained: what decides is no sum"
    ):
        explain(model.fit(X, y), X[0])


# --- how it looks ---------------------------------------------------------------------------------


def lines_of(found):
    """The lines that are printed, none of which is too wide."""
    lines = str(found).splitlines()
    assert all(sum(2 if ord(sign) > 0x2E80 else 1 for sign in line) <= 80 for line in lines)
    assert all(line == line.rstrip() for line in lines)
    return lines


def test_what_is_printed():
    """Words in favor, words against, those that are left, constants, and the sum."""
    found = explain(texts_model(short=False), "The team drank tea with milk of a cup", n_words=3)
    lines = lines_of(found)
    first, at = found.classes[0], lines.index("")
    assert (
        lines[0] == f"{first.label} {first.probability:.1%}, {first.against} {first.against_probability:.1%}"
    )
    assert f"words add to log P({first.label})/P({first.against}):" in lines[at + 1]
    table = lines[at + 2 : lines.index("", at + 2)]
    in_favor = [word for word in found.words[:3] if word.shares[0] >= 0]
    against = [word for word in found.words[:3] if word.shares[0] < 0]
    ordered = in_favor + against
    assert [line.split("  ")[0] for line in table[:3]] == [word.word for word in ordered]
    for line, word in zip(table, ordered, strict=False):
        sign = "+" if word.shares[0] > 0 else "-"
        assert re.search(rf"\{sign}[\d.]+ \{sign}+$", line)
    assert table[3].startswith(f"{len(found.words) - 3} other words")
    assert [line.split()[0] for line in table[4:]] == [*first.constants, "sum"]
    numbers = [float(re.search(r"[-+]?\d+\.\d+", line).group()) for line in table]
    assert_allclose(sum(numbers[:-1]), numbers[-1], atol=0.006 * len(table))


def test_long_names_and_many_classes_keep_to_the_width():
    corpus = planted_corpus(300, 300, 30, n_classes=30, document_length=30, random_state=0)
    names = np.array([f"class {c}, with a name that is long {'漢字' * 9}" for c in range(30)])
    model = MissingLabelPLSA(random_state=0, evidence=False).fit(corpus.counts, names[corpus.target])
    vocabulary = [f"{'word' * 20}{w}" if w % 2 else f"漢字漢字漢字漢字漢字漢字漢字{w}" for w in range(300)]
    for n_classes in (1, 2, 3, 7):
        found = explain(
            model,
            corpus.counts[[3]],
            n_classes=n_classes,
            vocabulary=vocabulary,
            X=corpus.counts,
            y=names[corpus.target],
        )
        assert len(found.classes) == n_classes
        lines_of(found)
    lines_of(explain(model, corpus.counts[[3]], label=names[4], vocabulary=vocabulary))
    assert f"{30 - 7} others" in " ".join(str(found).split())


SCRIPT = "<script>alert('tea & milk')</script> \x1b[31mcup\x1b[0m <b>ball</b>\n\n  team\r\x07"


def test_texts_are_texts():
    """Neither HTML nor what a terminal takes for a command, wherever they stand."""
    labels = [None if label is None else f"<i>{label}\x1b[2J" for label in LABELS]
    texts = [*TEXTS[:-1], SCRIPT]
    model = text_classifier(vectorizer=CountVectorizer(token_pattern=r"\S+"), random_state=0).fit(
        texts, labels
    )
    for label in (None, labels[5]):
        found = explain(model, SCRIPT, X=texts, y=labels, label=label)
        shown, page = str(found), found._repr_html_()
        assert found.text == SCRIPT
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert not re.search(r"<(script|b>ball|i>food|i>sport)", page)
        assert "&lt;script&gt;alert" in page
        assert "&lt;i&gt;" in page
        plain = re.sub(r"<[^>]*>", "", page.split("max-height")[1].split("</div>")[0].partition(">")[2])
        assert plain == rendering.escaped(SCRIPT)


def test_words_are_shaded_where_they_stand():
    """Blue for and orange against, the strongest most; so is the line below, dashed against."""
    found = explain(texts_model(short=False), "team and milk, milk and tea")
    page = found._repr_html_()
    spans = re.findall(r"rgba\((\d+), [^)]*, ([\d.]+)\); border-bottom: 2px (\w+) [^>]*>(\w+)</span>", page)
    assert {(word, color, kind) for color, _, kind, word in spans} >= {
        ("milk", "0", "solid"),
        ("team", "213", "dashed"),
    }
    strengths = {word: float(strength) for _, strength, _, word in spans}
    assert max(strengths.values()) == 0.5
    assert "http" not in page
    assert page.count("<table") == page.count("</table>") == 2
    rows = re.findall(r"width: (\d+)px", page)
    assert max(map(int, rows)) == 120


def test_numbers_have_three_digits():
    """Of the largest share, whatever its size; none is written as minus zero."""
    row = rendering.Row
    for largest, small, wanted in (
        (123.4, 0.04, ["+123", "0"]),
        (1.234, -0.001, ["+1.23", "0.00"]),
        (0.01234, -0.001, ["+0.0123", "-0.0010"]),
        (1.234e-9, 0.0, ["+1.23e-09", "0"]),
        (1.234e30, -1.0, ["+1.23e+30", "-1.00e+00"]),
    ):
        written = rendering._writer([row("tea", [small], True), row("cup", [largest], True)])
        assert [written(largest), written(small)] == wanted


def test_huge_counts_are_explained():
    X = np.diag([1e30] * 4)
    names = [f"a word of quite some length {word}" for word in range(4)]
    model = TransductiveSVM(tfidf=False).fit(X, ["class a", "class b", "class c", "class d"])
    for scale, offset in ((1e30, 0.0), (1e-33, 1e7), (1.0, -1e5)):
        model.coef_, model.intercept_ = model.coef_ * scale, offset * np.arange(4)
        assert max(map(len, lines_of(explain(model, X[0], vocabulary=names, n_classes=4)))) > 60
    X = sparse.csr_array([[1e30, 1.0, 0.0], [0.0, 1.0, 1e30]])
    for model in (NaiveBayesEM(), PLSAClassifier(random_state=0), TransductiveSVM(), SoftMislabelingPLSA()):
        found = explain(model.fit(X, [0, 1]), X[[0]])
        assert found.label == 0
        lines_of(found)
        json.dumps(found.to_dict(), allow_nan=False)


# --- rubbish in -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (TEXTS[:2], "document holds 2 documents, but one is explained at a time"),
        ([], "document holds 0 documents"),
        ([3], "row 0 of the texts holds 3"),
        (None, "row 0 of the texts holds None"),
        (np.ones((1, 5)), "counts or other numbers"),
    ],
)
def test_bad_texts(document, message):
    with pytest.raises(ValueError, match=message):
        explain(texts_model(), document)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (np.ones((2, 100)), "document holds 2 documents, but one is explained"),
        (np.ones(99), "X has 99 features, but .* is expecting 100"),
        (-np.ones(100), "negative"),
        ("tea and milk", "holds texts.*text_classifier"),
        (["tea and milk"], "holds texts.*text_classifier"),
        (np.full(100, np.nan), "NaN"),
    ],
)
def test_bad_rows(document, message):
    with pytest.raises(ValueError, match=message):
        explain(fitted(2, "float32"), document)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_words": -1}, "n_words == -1"),
        ({"n_classes": 0}, "n_classes == 0"),
        ({"n_topics": 1.5}, "n_topics == 1.5"),
        ({"n_documents": "3"}, "n_documents == '3'"),
        ({"X": TEXTS}, "X is given without y"),
        ({"y": LABELS}, "y is given without X"),
        ({"X": TEXTS, "y": LABELS[:3]}, "y has 3 labels for 10 documents"),
        ({"vocabulary": ["tea"]}, "vocabulary has 1 words"),
        ({"label": "tea"}, "label == 'tea', but must be one of"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        explain(texts_model(), "tea", **arguments)


def test_what_is_not_fitted_is_refused():
    for model in (PLSAClassifier(), text_classifier(), TopicSensitivePLSA()):
        with pytest.raises(ValueError, match="not fitted"):
            explain(model, "tea" if hasattr(model, "steps") else np.ones(3))
    X = corpus()[0]
    linked = TopicSensitivePLSA(3, random_state=0, max_iter=2).fit(X, must_links=[[0, 1]])
    with pytest.raises(ValueError, match="fitted without positives"):
        explain(linked, X[[0]])
    with pytest.raises(ValueError, match="one is taken apart at a time"):
        fitted(2, "float32").decision_parts(X[:2])
