"""text_classifier: from raw texts and some labels to predictions."""

import pickle
import warnings

import numpy as np
import pandas
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from plsa import (
    LabeledKFold,
    MissingLabelPLSA,
    NaiveBayesEM,
    PLSAClassifier,
    SoftMislabelingPLSA,
    text_classifier,
    top_words,
)

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


@pytest.mark.parametrize("missing", [None, float("nan"), -1, "?", "", " "])
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
    texts = ["the Tea2 of", "the cup of", "the tea2", "a ball"]
    pieces = ["-all", "-ball-", "-cup", "-ea2", "-tea2-", "bal-", "cup-", "tea-"]
    known = model[0].fit(texts).get_feature_names_out()
    assert_array_equal(np.sort(known), sorted(["ball", "cup", "of", "tea2", *pieces]))
    assert_array_equal(known[model[0].is_piece()], pieces)
    words = text_classifier(vectorizer=CountVectorizer(max_df=0.5))[0].fit(texts).get_feature_names_out()
    assert_array_equal(words, ["ball", "cup", "of", "tea2"])


def test_pieces_of_words_are_counted_where_texts_are_short():
    counter = text_classifier()[0]
    assert counter.fit(["teams go", "a tea"]).transform(["a tea"]).sum() == 2  # "tea" and "-tea"
    assert counter.short_
    names = ["-ams", "-eams-", "-tea", "-team-", "go", "tea", "tea-", "teams"]
    assert_array_equal(np.sort(counter.get_feature_names_out()), sorted(set(names) - {"tea-"}))  # in both
    long = ["word " * 14 + "tea of more", "word " * 14 + "cup of", "ball " * 15 + "team go"]
    assert text_classifier()[0].fit([text + " go" * 15 for text in long]).short_ is False
    assert text_classifier()[0].fit([text + " go" * 12 for text in long]).short_ is True
    assert text_classifier()[0].fit([*(text + " go" * 15 for text in long), "", " "]).short_ is False
    with pytest.raises(ValueError, match="no texts"):
        counter.fit([])
    assert counter.short_, "as it was"
    # Once short texts are forgotten, nothing of them is left.
    assert_array_equal(counter.fit(["tea " * 40, "cup " * 40]).get_feature_names_out(), ["cup", "tea"])
    assert not counter.is_piece().any()


@pytest.mark.parametrize(
    ("set_to", "known", "unknown"),
    [
        ({"token_pattern": r"\S+"}, ["a-b", "x", "-cup"], ["xy"]),
        ({"tokenizer": str.split, "token_pattern": None}, ["a-b", "-cup"], ["b"]),
        ({"stop_words": ["the", "cup"]}, ["tea", "-tea"], ["the", "the-", "cup", "-cup"]),
        ({"ngram_range": (1, 2)}, ["the tea", "tea", "-tea"], ["the- -the", "tea- -tea"]),
        ({"analyzer": "char"}, ["x", "-"], ["tea", "-tea"]),
        ({"analyzer": str.split, "max_df": 1.0}, ["a-b", "tea"], ["-tea"]),
        ({"lowercase": False}, ["Tea", "Tea-", "tea-"], ["the tea"]),
    ],
)
def test_pieces_leave_all_else_to_the_vectorizer(set_to, known, unknown):
    texts = ["the tea x a-b", "a cup the", "Tea", "ball", "goal"]
    counter = text_classifier()[0].set_params(**set_to).fit(texts)
    names = set(counter.get_feature_names_out())
    assert names >= set(known)
    assert not names & set(unknown)
    again = pickle.loads(pickle.dumps(counter)) if not callable(set_to.get("analyzer")) else counter
    assert_array_equal(again.transform(texts).toarray(), counter.fit_transform(texts).toarray())
    assert_array_equal(clone(counter).fit(texts).get_feature_names_out(), counter.get_feature_names_out())


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("to be", []),
        ("the", ["the-", "-the"]),
        ("team", ["tea-", "-team-", "-eam"]),
        ("Äpfel", ["äpf-", "-äpfe-", "-pfel-", "-fel"]),
        ("北京欢迎你", []),
        ("2024", ["202-", "-2024-", "-024"]),
    ],
)
def test_pieces(text, pieces):
    counter = text_classifier(vectorizer=None)[0].set_params(max_df=1.0).fit([text, "xy"])
    known = counter.get_feature_names_out()
    assert_array_equal(np.sort(known[counter.is_piece()]), sorted(pieces))


def test_words_of_topics_are_whole():
    model = text_classifier(random_state=0).fit(TEXTS, LABELS)
    assert model[0].is_piece().any()
    for named in (top_words(model, n=50), top_words(model[-1], model[0], n=50, by="probability")):
        assert all("-" not in word for topic in named for word in topic.words)
        assert {"milk", "team"} <= {word for topic in named for word in topic.words}
    chosen = Pipeline([("count", model[0]), ("best", SelectKBest(chi2, k=12)), ("model", PLSAClassifier())])
    named = top_words(chosen.fit(TEXTS, ["food"] * 6 + ["sport"] * 6), n=50)
    assert all("-" not in word for topic in named for word in topic.words)


def test_parameters_are_the_models():
    model = text_classifier(topics_per_class=2, extra_topics=1, random_state=3, student=None)
    found = model[-1].get_params()
    assert (found["topics_per_class"], found["extra_topics"], found["random_state"], found["student"]) == (
        (2, 1, 3, None)
    )
    assert len(model.fit(TEXTS, LABELS)[-1].components_) == 5


def test_progress_of_both_steps(capsys):
    """verbose=1 tells of the counting of words too."""
    text_classifier(random_state=0).fit(TEXTS, LABELS)
    assert capsys.readouterr() == ("", "")
    text_classifier(random_state=0, verbose=1).fit(TEXTS, LABELS)
    out, err = capsys.readouterr()
    assert "Processing countvectorizer" in out
    assert "SoftMislabelingPLSA, stage" in err


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


# --- rubbish in -----------------------------------------------------------------------------------

NONE_LEFT = "no word is left of the 3 texts: "
BAD_TEXTS = [
    (["tea and milk", None, "a goal"], "row 1 of the texts holds None.*put '' there"),
    (["tea and milk", "a goal", float("nan")], "row 2 of the texts holds nan.*put '' there"),
    (pandas.Series(["tea", pandas.NA, "a goal"], dtype="string"), "row 1 of the texts holds <NA>.*put ''"),
    (["tea and milk", 3.5, "a goal"], r"row 1 of the texts holds 3.5 \(float\).*make it a string"),
    ([["tea", "milk"], ["goal"], []], r"row 0 of the texts holds a list of 2.*join it.*analyzer=list"),
    (pandas.DataFrame({"text": TEXTS[:3], "n": 1}), "table of 2 columns .'text', 'n'., .*pass that column"),
    (np.array([TEXTS[:2]] * 3), "table of 2 columns .no names."),
    (np.ones((3, 4)), "counts or other numbers .ndarray., but this pipeline counts the words of texts"),
    (
        CountVectorizer().fit_transform(TEXTS[:3]),
        "counts or other numbers .cs._.*to its model alone: pipeline.-1.",
    ),
    ({"tea": 1, "goal": 2, "cup": 3}, "X is a dict, but must be a list of texts"),
    (["\N{GRINNING FACE}", "\N{PARTY POPPER}!", ":-)"], NONE_LEFT + "none has two letters.*CountVectorizer"),
    (["a", "b", "c"], NONE_LEFT + "none has two letters or digits side by side"),
    (["", " ", ""], "all 3 texts are empty"),
    (["same words"] * 3, NONE_LEFT + "all stand in more than max_df == 0.5 .*CountVectorizer.max_df=1.0."),
    ([], "there are no texts to learn from"),
    ("tea and milk", "string object received"),
]


@pytest.mark.parametrize(("texts", "message"), BAD_TEXTS)
@pytest.mark.parametrize("vectorizer", [None, CountVectorizer(max_df=0.5)], ids=["as it comes", "given"])
def test_bad_texts(texts, message, vectorizer):
    """What is not a text is named, with its row; where no word is left, the reason is."""
    with pytest.raises(ValueError, match=message):
        text_classifier(vectorizer=vectorizer).fit(texts, ["food", "sport", None])
    if not message.startswith(("no word", "there are no", "all 3")):
        with pytest.raises(ValueError, match=message):
            text_classifier(vectorizer=vectorizer, random_state=0).fit(TEXTS, LABELS).predict(texts)


@pytest.mark.parametrize(
    ("text", "message"), [("a", "no word is left of the 1 text: "), ("", "the only text is empty: ")]
)
def test_one_bad_text(text, message):
    """Is one."""
    with pytest.raises(ValueError, match=message):
        text_classifier().fit([text], ["food"])


def test_counts_go_to_the_model_alone():
    """As the error for counts says, in a fit and in a prediction."""
    pipeline = text_classifier(random_state=0).fit(TEXTS, LABELS)
    counts = pipeline[:-1].transform(TEXTS)
    assert_array_equal(pipeline[-1].predict(counts), pipeline.predict(TEXTS))


def test_no_word_is_left_by_a_vectorizer_of_ones_own():
    """Stop words and patterns that the user has set are named as such."""
    with pytest.raises(ValueError, match=r"two letters.*that is not among the stop words"):
        text_classifier(vectorizer=CountVectorizer(stop_words="english")).fit(["and the", "of"], ["a", "b"])
    with pytest.raises(ValueError, match="the vectorizer finds none in any of them"):
        text_classifier(vectorizer=CountVectorizer(token_pattern="xyz")).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="or in fewer than min_df == 9"):
        text_classifier(vectorizer=CountVectorizer(min_df=9)).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="'min_df' parameter"):
        text_classifier(vectorizer=CountVectorizer(min_df=-1)).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": CountVectorizer()}, "counts words and learns nothing: pass it as vectorizer="),
        ({"model": HashingVectorizer()}, "counts words and learns nothing"),
        ({"model": NaiveBayesEM}, r"model is the class NaiveBayesEM, but .* an instance: NaiveBayesEM\(\)"),
        ({"model": text_classifier()}, "model is a Pipeline: pass what learns from counts"),
        ({"analyzer": "char"}, r"'analyzer' is a parameter of the vectorizer: pass .*\(analyzer='char'\)"),
        ({"model": 3}, r"model == 3, but must be an estimator such as SoftMislabelingPLSA\(\)"),
        ({"model": "nb"}, "model == 'nb', but must be an estimator"),
        ({"vectorizer": CountVectorizer}, "vectorizer is the class CountVectorizer, but must be an instance"),
        ({"vectorizer": NaiveBayesEM()}, r"vectorizer == NaiveBayesEM\(\), but must make counts of texts"),
        (
            {"vectorizer": "word"},
            r"vectorizer == 'word', but must be an estimator such as CountVectorizer\(\)",
        ),
    ],
)
def test_models_and_vectorizers_in_each_others_place(given, message):
    with pytest.raises(TypeError, match=message):
        text_classifier(**given)


def test_weights_instead_of_counts():
    """TF-IDF is named when the pipeline is made."""
    with pytest.warns(
        UserWarning, match="TfidfVectorizer makes weights, but SoftMislabelingPLSA learns from"
    ):
        text_classifier(vectorizer=TfidfVectorizer())


def test_tables_of_one_column_and_tokens():
    """There is no doubt what the texts are; lists of tokens are read where the vectorizer is told so."""
    wanted = text_classifier(random_state=0).fit(TEXTS, LABELS).predict_proba(TEXTS)
    for texts in (pandas.DataFrame({"text": TEXTS}), np.array(TEXTS)[:, np.newaxis], iter(TEXTS)):
        found = text_classifier(random_state=0).fit(texts, LABELS)
        assert_array_equal(found.predict_proba(TEXTS), wanted)
    tokens = [text.split() for text in TEXTS]
    model = text_classifier(vectorizer=CountVectorizer(analyzer=list), random_state=0).fit(tokens, LABELS)
    assert_array_equal(model.predict([["milk"], ["team"]]), ["food", "sport"])


SCRIPTS = {
    "Chinese": (
        ["我喜欢喝热茶和牛奶", "一杯热茶", "牛奶和茶杯", "足球队赢了比赛", "球队进球了", "比赛和足球"],
        "喝热茶",
    ),
    "Japanese": (
        [
            "熱いお茶を飲む",
            "お茶と牛乳",
            "牛乳のカップ",
            "サッカーの試合",
            "試合のゴール",
            "ゴールとサッカー",
        ],
        "お茶",
    ),
    "Thai": (["ดื่มชาร้อน", "ชาร้อนและนม", "นมหนึ่งถ้วย", "ทีมฟุตบอลชนะ", "ทีมทำประตู", "ฟุตบอลทำประตู"], "ชาร้อน"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_without_blanks(script):
    """Every two neighbors count, so that sentences share something; words in other scripts stay words."""
    texts, new = SCRIPTS[script]
    for vectorizer in (None, CountVectorizer()):
        model = text_classifier(vectorizer=vectorizer, random_state=0)
        model.fit(texts, ["food", None, None, "sport", None, None])
        assert_array_equal(model[-1].guesses_, ["food"] * 3 + ["sport"] * 3)
        assert model.predict([new]) == ["food"]
    tokens = text_classifier()[0].build_tokenizer()
    assert tokens("The 茶 of 東京都, 2nd") == ["The", "茶", "of", "東京", "京都", "東", "京", "都", "2nd"]
    assert tokens("นมชา ア カップ") == ["นม", "มช", "ชา", "ア", "カッ", "ップ"]
    assert tokens("차 한 잔을 a C마당") == ["차", "한", "잔을", "C마당"], "a syllable may be a word"
    cut = text_classifier(vectorizer=CountVectorizer(tokenizer=str.split, token_pattern=None))
    assert cut[0].build_tokenizer()("牛奶 茶杯") == ["牛奶", "茶杯"], "a tokenizer of one's own has its way"


def test_signs_above_and_below_letters_belong_to_their_word():
    """Python's own words end at the vowel signs of Hindi, and at accents that stand by themselves."""
    tokens = text_classifier()[0].build_tokenizer()
    assert tokens("हिन्दी किताब cafe\u0301s, don't 2nd a") == ["हिन्दी", "किताब", "cafe\u0301s", "don", "2nd"]


def test_texts_of_unknown_words_are_counted():
    model = text_classifier(random_state=0).fit(TEXTS, LABELS)
    with pytest.warns(
        UserWarning, match="2 of 3 documents have no word that the fit has seen.*row 1"
    ) as said:
        model.predict(["milk", "xylophone", ""])
    assert said[0].filename == __file__, "the warning points at the caller, not at scikit-learn"
    with warnings.catch_warnings(record=True) as nothing:
        warnings.simplefilter("always")
        model.predict(["milk", "a goal"])
    assert not nothing
