"""The words that say most about a topic: ranked as promised, named as given, whatever the model."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import LatentDirichletAllocation, TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from plsa import PLSA, CountScaler, PLSAClassifier, top_words

TEXTS = [
    "the tea the milk tea",
    "the tea in the cup",
    "the goal the ball goal",
    "the ball of the team",
    "rain and the wind",
    "the wind the rain rain",
]
LABELS = ["food", "food", "sport", "sport", "weather", "weather"]


def random_topics(n_topics=4, n_words=30, seed=0, sparse=True):
    """P(w|z) and P(z), with words that a topic lacks and words that only one topic has."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.5), n_topics)
    if sparse:
        topics[rng.random(topics.shape) < 0.3] = 0
        topics[1:, 7] = 0
        topics[0, 7] = 0.2
        topics /= topics.sum(axis=1, keepdims=True)
    return SimpleNamespace(components_=topics, topic_prior_=rng.dirichlet(np.ones(n_topics)))


def reference_ratio(components, prior):
    """P(w|z) log(P(w|z) / P(w|other topics)), an entry at a time."""
    score = np.zeros(components.shape)
    for z in range(len(components)):
        other = [k for k in range(len(components)) if k != z]
        for w in range(components.shape[1]):
            p = components[z, w]
            q = sum(prior[k] * components[k, w] for k in other) / sum(prior[k] for k in other)
            if p > 0:
                score[z, w] = p * (min(np.log(p / q), np.log(1000)) if q > 0 else np.log(1000))
    return score


@pytest.fixture(scope="module")
def vectorizer():
    return CountVectorizer().fit(TEXTS)


@pytest.fixture(scope="module")
def counts(vectorizer):
    return vectorizer.transform(TEXTS)


@pytest.fixture(scope="module")
def classifier(counts):
    return PLSAClassifier(extra_topics=1, random_state=0).fit(counts, LABELS)


@pytest.mark.parametrize("by", ["ratio", "probability"])
@pytest.mark.parametrize("n", [1, 5, 100])
def test_words_descend_and_are_the_best(by, n):
    model = random_topics()
    score = model.components_
    if by == "ratio":
        score = reference_ratio(model.components_, model.topic_prior_)
    for topic, row in zip(top_words(model, n=n, by=by), score, strict=True):
        assert len(topic) == min(n, np.count_nonzero(row > 0))
        assert_allclose(topic.scores, np.sort(row)[::-1][: len(topic)], rtol=1e-9)
        assert_allclose([row[int(word)] for word in topic.words], topic.scores, rtol=1e-9)
        assert list(topic) == list(zip(topic.words, topic.scores, strict=True))


def test_topics_without_a_prior_count_alike():
    model = random_topics()
    wanted = reference_ratio(model.components_, np.ones(4))
    del model.topic_prior_
    for topic, row in zip(top_words(model), wanted, strict=True):
        assert_allclose(topic.scores, np.sort(row[row > 0])[::-1][:10], rtol=1e-9)


def test_scale_of_components_does_not_matter():
    model = random_topics()
    wanted = top_words(model, by="probability")
    model.components_ = model.components_ * np.array([[1e6], [1], [3], [1e-6]])
    for topic, same in zip(top_words(model, by="probability"), wanted, strict=True):
        assert topic.words == same.words
        assert_allclose(topic.scores, same.scores)


@pytest.mark.parametrize("by", ["ratio", "probability"])
def test_permuting_topics_permutes_their_words(by):
    model = random_topics()
    order = np.array([2, 0, 3, 1])
    permuted = SimpleNamespace(components_=model.components_[order], topic_prior_=model.topic_prior_[order])
    found = top_words(permuted, by=by)
    wanted = top_words(model, by=by)
    assert [topic.topic for topic in found] == [0, 1, 2, 3]
    for topic, place in zip(found, order, strict=True):
        assert topic.words == wanted[place].words
        assert_allclose(topic.scores, wanted[place].scores, rtol=1e-9)


def test_equal_scores_keep_the_order_of_columns():
    model = SimpleNamespace(components_=np.tile([1.0, 2.0, 3.0], (2, 100)))
    wanted = [*range(2, 300, 3), *range(1, 300, 3), *range(0, 300, 3)]
    assert top_words(model, n=300, by="probability")[1].words == tuple(map(str, wanted))
    assert [len(topic) for topic in top_words(model)] == [0, 0]


def test_a_lone_topic_is_compared_with_equal_words():
    model = SimpleNamespace(components_=np.array([[0.5, 0.25, 0.25, 0.0]]), topic_prior_=np.ones(1))
    (topic,) = top_words(model)
    assert topic.words == ("0",)
    assert_allclose(topic.scores, 0.5 * np.log(2))


def test_frequent_words_say_little(classifier, vectorizer):
    by_probability = top_words(classifier, vectorizer, n=1, by="probability")
    by_ratio = top_words(classifier, vectorizer, n=3)
    assert "the" in {topic.words[0] for topic in by_probability}
    assert "the" not in {word for topic in by_ratio[:3] for word in topic.words}
    assert "tea" in by_ratio[0].words
    assert "rain" in by_ratio[2].words


def test_topics_of_a_classifier_have_their_class(classifier, vectorizer):
    found = top_words(classifier, vectorizer)
    assert [topic.label for topic in found] == ["food", "sport", "weather", None]
    assert [type(topic.label) for topic in found[:3]] == [str] * 3
    assert str(found[0]).startswith("food: tea ")
    assert str(found[3]).startswith("topic 3:")


def test_topics_of_plsa_have_no_class(counts):
    found = top_words(PLSA(2, random_state=0).fit(counts))
    assert [topic.label for topic in found] == [None, None]


@pytest.mark.parametrize(
    "given",
    [
        lambda v: v,
        lambda v: v.get_feature_names_out(),
        lambda v: v.get_feature_names_out().tolist(),
        lambda v: tuple(v.get_feature_names_out()),
        lambda v: v.vocabulary_,
        lambda v: dict(reversed(v.vocabulary_.items())),
    ],
    ids=["vectorizer", "array", "list", "tuple", "mapping", "mapping turned round"],
)
def test_columns_are_named_by_any_form_of_the_vocabulary(classifier, vectorizer, given):
    names = vectorizer.get_feature_names_out()
    numbered = top_words(classifier, n=4)
    for topic, plain in zip(top_words(classifier, given(vectorizer), n=4), numbered, strict=True):
        assert topic.words == tuple(names[int(word)] for word in plain.words)
        assert all(type(word) is str for word in topic.words)


def test_columns_are_named_by_a_frame(vectorizer, counts):
    pandas = pytest.importorskip("pandas")
    names = vectorizer.get_feature_names_out()
    frame = pandas.DataFrame(counts.toarray(), columns=names)
    named = PLSA(2, random_state=0).fit(frame)
    assert top_words(named) == top_words(PLSA(2, random_state=0).fit(counts.toarray()), names)


@pytest.mark.parametrize("between", [[], [CountScaler(tf="log", idf=True)]])
def test_a_pipeline_names_its_own_columns(vectorizer, between):
    model = make_pipeline(CountVectorizer(), *between, PLSAClassifier(random_state=0))
    model.fit(TEXTS, LABELS)
    assert top_words(model) == top_words(model[-1], vectorizer)
    names = [f"<{name}>" for name in vectorizer.get_feature_names_out()]
    assert top_words(model, names) == top_words(model[-1], names)


def test_a_pipeline_that_cannot_name_columns_numbers_them():
    vectorizer = HashingVectorizer(n_features=64, alternate_sign=False, norm=None)
    model = make_pipeline(vectorizer, PLSA(2, random_state=0)).fit(TEXTS)
    words = [word for topic in top_words(model) for word in topic.words]
    assert words
    assert all(0 <= int(word) < 64 for word in words)


def test_models_of_scikit_learn_do_as_well(counts, vectorizer):
    model = LatentDirichletAllocation(3, random_state=0).fit(counts)
    found = top_words(model, vectorizer, n=3, by="probability")
    names = vectorizer.get_feature_names_out()
    for topic, row in zip(found, model.components_, strict=True):
        assert topic.words == tuple(names[np.argsort(-row, kind="stable")[:3]])
        assert_allclose(topic.scores, np.sort(row)[::-1][:3] / row.sum())


def test_a_model_is_not_written_to():
    model = random_topics()
    model.components_ *= 5
    before = model.components_.copy()
    top_words(model)
    assert np.array_equal(model.components_, before)


@pytest.mark.parametrize("model", [PLSA(), make_pipeline(CountVectorizer(), PLSA())])
def test_refuses_a_model_that_is_not_fitted(model):
    with pytest.raises(NotFittedError, match="PLSA instance is not fitted"):
        top_words(model)


def test_refuses_a_vectorizer_that_is_not_fitted(classifier):
    with pytest.raises(NotFittedError, match="Vocabulary not fitted"):
        top_words(classifier, CountVectorizer())


def test_refuses_models_without_topics(counts):
    with pytest.raises(ValueError, match=r"LogisticRegression\(\) has no topics.*components_"):
        top_words(LogisticRegression().fit(counts, LABELS))
    with pytest.raises(ValueError, match=r"TruncatedSVD\(\) are not word distributions"):
        top_words(TruncatedSVD().fit(counts))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n == 0, but must be a whole number >= 1"),
        ({"n": 2.5}, "n == 2.5, but must be a whole number >= 1"),
        ({"by": "lift"}, "by == 'lift', but must be one of"),
        ({"vocabulary": ["tea", "milk"]}, "has 2 words, but the model was fitted on 12 columns"),
        ({"vocabulary": "tea"}, "vocabulary == 'tea', but must be a list of words"),
        ({"vocabulary": 12}, "vocabulary == 12, but must be a list of words"),
        ({"vocabulary": {"tea": 0, "milk": 2}}, "not from each word to its column.*0 to 1"),
    ],
)
def test_refuses_bad_arguments(classifier, arguments, message):
    assert classifier.components_.shape[1] == 12
    with pytest.raises(ValueError, match=message):
        top_words(classifier, **arguments)


def test_topics_show_themselves_as_a_table(classifier, vectorizer):
    """Class, share, words and scores, rounded, in lines that are not too long; a list all the same."""
    found = top_words(classifier, vectorizer, n=4)
    assert isinstance(found, list)
    assert_allclose([topic.share for topic in found], classifier.doc_topic_.mean(axis=0), rtol=1e-6)
    header, *lines = str(found).splitlines()
    assert header.split() == ["topic", "class", "share", "words", "and", "scores"]
    assert len(lines) == 4
    for line, topic in zip(lines, found, strict=True):
        shown = [str(topic.topic), *([topic.label] if topic.label else []), f"{topic.share:.3f}"]
        for word, score in topic:
            shown += [word, f"{score:.3g}"]
        assert line.replace(",", " ").split() == shown
    assert len({line.index(topic.words[0]) for line, topic in zip(lines, found, strict=True)}) == 1
    assert repr(found[0]) == f"food: {found[0].scored()}"
    assert repr(found[:1]) == f"[food: {found[0].scored()}]"


def test_long_lines_of_the_table_are_broken_between_words():
    """A word stays with its score, whatever it is made of; columns that nobody has are left out."""
    model = SimpleNamespace(components_=np.full((2, 30), 1.0))
    names = [f"new-york {number}" for number in range(30)]
    header, *lines = repr(top_words(model, names, n=30, by="probability")).splitlines()
    assert header == "topic  words and scores"
    assert max(map(len, lines)) <= 100
    assert len(lines) > 8
    together = " ".join(line.strip() for line in lines)
    assert all(f"{name} 0.0333" in together for name in names)
    assert all(re.fullmatch(r"( {4}[01]|     )  (new-york \d+ 0.0333(, |,?$))+", line) for line in lines)
    empty = repr(top_words(model, n=2)).splitlines()
    assert empty == ["topic  words and scores", "    0", "    1"]


def test_topics_in_a_notebook(classifier, vectorizer):
    """A table of HTML, what is special in it escaped."""
    names = [f"<{name}>" for name in vectorizer.get_feature_names_out()]
    found = top_words(classifier, names, n=2)
    shown = found._repr_html_()
    assert shown.count("<tr>") == 5
    assert "<tea>" not in shown
    assert f"&lt;tea&gt; {found[0].scores[0]:.3g}" in shown
