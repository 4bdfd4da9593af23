"""text_classifier: from raw texts and some labels to predictions."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from plsa import LabeledKFold, MissingLabelPLSA, SoftMislabelingPLSA, text_classifier

FOOD = ["tea and milk", "a cup of tea", "cup and milk", "milk in tea", "tea cup tea", "warm milk cup"]
SPORT = ["goal and ball", "a ball team", "team goal", "ball in goal", "goal goal team", "wide ball team"]
TEXTS = FOOD + SPORT
LABELS = ["food", None, None, None, None, None, "sport", None, None, None, None, None]


def test_three_lines_from_texts_to_predictions():
    model = text_classifier(random_state=0)
    model.fit(TEXTS, LABELS)
    assert_array_equal(model.predict(["milk for the cup", "the team"]), ["food", "sport"])
    assert_array_equal(model[-1].guesses_, ["food"] * 6 + ["sport"] * 6)
    assert model.predict_proba(["tea", ""]).shape == (2, 2)
    assert model.score(TEXTS, ["food"] * 6 + ["sport"] * 6) == 1


@pytest.mark.parametrize("missing", [None, float("nan"), -1, "?"])
def test_what_marks_a_missing_label(missing):
    labels = [missing if label is None else label for label in LABELS]
    parameters = {"unlabeled": "?"} if missing == "?" else {}
    model = text_classifier(random_state=0, **parameters).fit(TEXTS, labels)
    assert_array_equal(model.classes_, ["food", "sport"])
    assert_array_equal(model.predict(TEXTS), ["food"] * 6 + ["sport"] * 6)


def test_labels_may_be_numbers_and_texts_an_array():
    model = text_classifier(random_state=0)
    model.fit(np.array(TEXTS), np.array([0] + [-1] * 5 + [1] + [-1] * 5))
    assert_array_equal(model.predict(np.array(["milk", "team"])), [0, 1])


def test_steps_are_the_usual_ones():
    """A Pipeline of a vectorizer, which leaves out what most texts have, and the model to try first."""
    model = text_classifier()
    assert isinstance(model, Pipeline)
    assert list(model.named_steps) == ["countvectorizer", "softmislabelingplsa"]
    assert isinstance(model[-1], SoftMislabelingPLSA)
    assert model[-1].get_params() == SoftMislabelingPLSA().get_params()
    known = model[0].fit(["the Tea2 of", "the cup of", "the tea2", "a ball"]).get_feature_names_out()
    assert_array_equal(known, ["ball", "cup", "of", "tea2"])


def test_parameters_are_the_models():
    model = text_classifier(topics_per_class=2, extra_topics=1, random_state=3, student=None)
    found = model[-1].get_params()
    assert (found["topics_per_class"], found["extra_topics"], found["random_state"], found["student"]) == (
        (2, 1, 3, None)
    )
    assert len(model.fit(TEXTS, LABELS)[-1].components_) == 5


def test_unknown_parameters_are_named():
    with pytest.raises(TypeError, match=r"SoftMislabelingPLSA has no parameter 'topics'.*topics_per_class"):
        text_classifier(topics=2)
    with pytest.raises(TypeError, match="MissingLabelPLSA has no parameter 'relabel'"):
        text_classifier(MissingLabelPLSA(), relabel=2)
    with pytest.raises(TypeError, match="positional"):
        text_classifier(MissingLabelPLSA(), CountVectorizer())


def test_model_and_vectorizer_may_be_given():
    model = text_classifier(
        MissingLabelPLSA(topics_per_class=1),
        vectorizer=HashingVectorizer(n_features=256, alternate_sign=False, norm=None),
        random_state=0,
    )
    assert list(model.named_steps) == ["hashingvectorizer", "missinglabelplsa"]
    assert model[-1].topics_per_class == 1
    assert model[-1].random_state == 0
    model.fit(TEXTS, LABELS)
    assert_array_equal(model.predict(["milk and tea", "the team's goal"]), ["food", "sport"])


def test_pickle_clone_and_grid_search():
    model = text_classifier(random_state=0).fit(TEXTS, LABELS)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert_array_equal(clone(model).fit(TEXTS, LABELS).predict_proba(TEXTS), model.predict_proba(TEXTS))
    labels = np.array(LABELS, dtype=object)
    labels[[1, 2, 7, 8]] = ["food", "food", "sport", "sport"]
    search = GridSearchCV(
        text_classifier(random_state=0),
        {"softmislabelingplsa__topics_per_class": [1, 2]},
        cv=LabeledKFold(3, random_state=0),
    ).fit(TEXTS, labels)
    assert search.best_score_ > 0.6
    assert_array_equal(search.predict(["milk cup", "ball team"]), ["food", "sport"])


def test_texts_of_unknown_words_get_an_answer():
    """Nothing is known of them: a class all the same, and probabilities."""
    model = text_classifier(random_state=0).fit(TEXTS, LABELS)
    probability = model.predict_proba(["xylophone", ""])
    assert np.isfinite(probability).all()
    assert_array_equal(probability[0], probability[1])
    assert set(model.predict(["xylophone"])) <= {"food", "sport"}
