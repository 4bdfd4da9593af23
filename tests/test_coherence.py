"""How good topics are: coherence as dense NumPy and gensim have it, sizes, distances; what pyLDAvis gets."""

from types import SimpleNamespace

import drawing
import numpy as np
import pytest
from helpers import partly_labeled
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import make_pipeline

import plsa
from plsa import PLSA, SoftMislabelingPLSA, to_pyldavis, top_words, topic_coherence, topic_table
from plsa.engine import blocks

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


class Fixed(BaseEstimator):
    """Topics that are given, best words first by their probability."""

    def __init__(self, components=None):
        self.components = components

    def fit(self, X, y=None):
        """Only remembers."""
        self.components_ = np.asarray(self.components, dtype=float)
        self.n_features_in_ = self.components_.shape[1]
        return self

    def transform(self, X):
        """All topics alike."""
        return np.full((X.shape[0], len(self.components_)), 1 / len(self.components_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def reference(X, words, measure):
    """The coherence of some columns, a pair at a time; documents without words left out."""
    X = np.asarray(X)[np.asarray(X).sum(axis=1) > 0] > 0
    n, e = max(len(X), 1), 1e-12

    def npmi(v, w):
        both, p, q = (X[:, v] & X[:, w]).sum() / n, X[:, v].sum() / n, X[:, w].sum() / n
        return np.log((both + e) / (p * q)) / -np.log(both + e) if p * q > 0 and both < 1 else 0.0

    if len(words) < 2:
        return 0.0
    if measure == "npmi":
        return np.mean([npmi(v, w) for v in words for w in words if v != w])
    vectors = [np.array([npmi(v, w) for w in words]) for v in words]
    whole, found = sum(vectors), []
    for vector in vectors:
        length = np.linalg.norm(vector) * np.linalg.norm(whole)
        found.append(vector @ whole / length if length else 0.0)
    return np.mean(found)


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
@given(
    X=drawing.counts(max_documents=12, max_words=8, some_words=True),
    n=st.integers(2, 12),
    seed=st.integers(0, 9),
)
def test_coherence_is_that_of_dense_loops(measure, X, n, seed):
    """Empty documents, words that never stand or never meet, more words asked for than there are."""
    topics = np.random.default_rng(seed).dirichlet(np.full(X.shape[1], 0.5), 3)
    topics[topics < 0.05] = 0
    model = Fixed(topics).fit(X)
    found = topic_coherence(model, X, measure, n, by="probability")
    for value, row in zip(found, topics, strict=True):
        words = np.argsort(-row, kind="stable")[:n]
        assert_allclose(value, reference(X.toarray(), words[row[words] > 0], measure), atol=1e-9)
    assert np.isfinite(found).all()


# Two topics that go together and two that do not, of twelve short texts.
TEXTS = [
    "tea milk cup tea",
    "tea milk",
    "milk cup sugar",
    "goal ball team",
    "goal ball",
    "ball team tea",
    "rain wind",
    "wind rain cloud tea",
    "cloud rain",
    "cup sugar goal",
    "team wind milk",
    "sugar cloud",
]
TOPICS = ["tea milk cup sugar", "goal ball team tea", "rain wind cloud goal", "tea rain ball sugar"]
# gensim 4.4.0: CoherenceModel(topics=[t.split() for t in TOPICS], texts=[t.split() for t in TEXTS],
# dictionary=Dictionary(texts), coherence=c, window_size=w, processes=1).get_coherence_per_topic(), with c of
# "c_npmi" and "c_v" and w of 110, in which every text fits, and 2.
GENSIM = {
    ("npmi", 110): [0.041748365372, 0.050087668502, -0.248062627307, -0.601506372304],
    ("npmi", 2): [-0.179427450324, -0.279335329025, -0.444632342223, -0.884011366641],
    ("c_v", 110): [0.542027992354, 0.554288006997, 0.450556572737, 0.344707523199],
    ("c_v", 2): [0.361317901698, 0.253478335878, 0.329056579069, 0.451680658716],
}


def of_texts(vectorizer=None):
    """A pipeline with these topics."""
    counter = CountVectorizer().fit(TEXTS) if vectorizer is None else vectorizer
    place = {word: column for column, word in enumerate(CountVectorizer().fit(TEXTS).get_feature_names_out())}
    components = np.zeros((len(TOPICS), len(place)))
    for topic, words in enumerate(TOPICS):
        for rank, word in enumerate(words.split()):
            components[topic, place[word]] = 10 - rank
    return make_pipeline(counter, Fixed(components))


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_coherence_is_that_of_gensim(measure, monkeypatch):
    """In documents, in windows that hold whole documents, and in short ones; from counts and from texts."""
    model = of_texts().fit(TEXTS)
    X = model[0].transform(TEXTS)
    for found in (
        topic_coherence(model[-1], X, measure, by="probability"),
        topic_coherence(model, TEXTS, measure, by="probability"),
        topic_coherence(model, TEXTS, measure, by="probability", window=110),
        topic_coherence(model, [*TEXTS, ""], measure, by="probability", window=110),
    ):
        assert_allclose(found, GENSIM[measure, 110], atol=1e-9)
    for size in (1, 20, 10**6):  # of what is looked at together
        monkeypatch.setattr(blocks, "NONZEROS", size)
        found = topic_coherence(model, TEXTS, measure, by="probability", window=2)
        assert_allclose(found, GENSIM[measure, 2], atol=1e-9)


def test_pieces_of_words_are_no_words_of_a_text():
    """A stretch of two words holds two words, though the vectorizer counts pieces too."""
    texts = ["river bank money", "money river bank", "bank river", "tea milk cup", "milk cup tea", "cup tea"]
    model = plsa.text_classifier(PLSA(1, random_state=0, tol=0, max_iter=3)).fit(texts)
    model = make_pipeline(model[0], Fixed(model[-1].components_)).fit(texts)
    whole = top_words(model, n=20, by="probability")[0].words
    assert {"river", "money"} <= set(whole) <= {"river", "bank", "money", "tea", "milk", "cup"}
    plain = make_pipeline(CountVectorizer(vocabulary=whole), Fixed(np.ones((1, len(whole))))).fit(texts)
    asked = {"n_words": 20, "by": "probability", "window": 2}
    found, wanted = (topic_coherence(each, texts, **asked) for each in (model, plain))
    assert_allclose(found, wanted)


def test_words_of_the_table_are_judged():
    """By ratio, as `top_words` has them; topics that share words less are more coherent here."""
    X, _, _ = partly_labeled(200, 100, 4, every=2, document_length=30)
    model = PLSA(4, random_state=0, tol=0, max_iter=20).fit(X)
    for by in ("ratio", "probability"):
        found = topic_coherence(model, X, n_words=5, by=by)
        for value, topic in zip(found, top_words(model, n=5, by=by), strict=True):
            assert_allclose(value, reference(X.toarray(), [int(word) for word in topic.words], "npmi"))


def test_nothing_known_is_zero():
    """A lone word, no word, words that are everywhere or nowhere; no NaN, no warning."""
    X = np.array([[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 0, 0]])
    model = Fixed([[1, 0, 0, 0], [0, 0, 0, 0], [2, 1, 0, 0], [0, 0, 2, 1], [2, 0, 1, 0]]).fit(X)
    for measure in ("npmi", "c_v"):
        assert_array_equal(topic_coherence(model, X, measure, by="probability"), 0)
        assert_array_equal(topic_coherence(model, np.zeros((2, 4)), measure, by="probability"), 0)
    never = Fixed([[2, 1]]).fit(None)
    value = topic_coherence(never, np.eye(2), by="probability")
    assert_allclose(value, np.log(1e-12 / 0.25) / -np.log(1e-12))
    always = topic_coherence(never, np.array([[1, 1], [0, 0], [1, 1]]), by="probability")
    assert_array_equal(always, 0)
    together = Fixed([[2, 1, 0]]).fit(None)
    assert_allclose(topic_coherence(together, [[1, 1, 0], [0, 0, 1]], by="probability"), 1, atol=1e-9)


def test_many_topics_need_no_table_of_all_words():
    """Of 50,000 words and 200 topics only the words of each topic are compared."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 50_000), density=0.001, rng=rng, format="csr")
    topics = sparse.random_array((200, 50_000), density=0.001, rng=rng).toarray()
    found = topic_coherence(Fixed(topics).fit(X), X, "c_v", by="probability")
    assert found.shape == (200,)
    words = np.argsort(-topics[7], kind="stable")[:10]
    assert_allclose(found[7], reference(X.toarray(), words, "c_v"), atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "u_mass"}, r"measure == 'u_mass', but must be one of \['npmi', 'c_v'\]"),
        ({"n_words": 1}, "n_words == 1, but must be a whole number >= 2"),
        ({"by": "lift"}, "by == 'lift', but must be one of"),
        ({"window": 1}, "window == 1, but must be a whole number >= 2"),
        ({"window": 10}, "window == 10, but counts have no order of words, and Fixed is given counts"),
    ],
)
def test_refuses_bad_arguments(arguments, message):
    X = np.eye(3)
    with pytest.raises(ValueError, match=message):
        topic_coherence(Fixed(np.ones((2, 3))).fit(X), X, **arguments)


def test_windows_need_words_that_have_names():
    hashing = HashingVectorizer(n_features=9, alternate_sign=False, norm=None)
    model = make_pipeline(hashing, Fixed(np.ones((2, 9)))).fit(TEXTS)
    with pytest.raises(ValueError, match="HashingVectorizer does not know which words its columns are"):
        topic_coherence(model, TEXTS, window=5)
    assert topic_coherence(model, TEXTS).shape == (2,)


# ---- the table


def test_the_table():
    """Sizes that sum to one, distances, words of one topic alone; shows itself with a line a topic."""
    X, y, _ = partly_labeled(200, 100, 4, every=2, document_length=30)
    model = SoftMislabelingPLSA(max_iter=5, scaling=None, evidence=False, random_state=0).fit(X, y)
    found = topic_table(model, X, n_words=5)
    topics, length = model.transform(X), np.asarray(X.sum(axis=1)).ravel()
    assert len(found) == 4
    assert found.label == tuple(range(4))
    assert_allclose(found.share_of_documents, topics.mean(axis=0), rtol=1e-6)
    assert_allclose(found.share_of_words, length @ topics / length.sum(), rtol=1e-6)
    assert_array_equal(found.coherence, topic_coherence(model, X, n_words=5))
    words = [topic.words for topic in top_words(model, n=5)]
    assert found.words == tuple(words)
    everywhere = [word for own in words for word in own]
    assert found.diversity == len(set(everywhere)) / len(everywhere)
    own = [np.mean([everywhere.count(word) == 1 for word in each]) for each in words]
    assert_allclose(found.own_words, own)
    P = model.components_.astype(float)
    for topic in range(4):
        others = [
            np.sqrt(((np.sqrt(P[topic]) - np.sqrt(P[z])) ** 2).sum() / 2) for z in range(4) if z != topic
        ]
        assert_allclose(found.distance[topic], min(others), rtol=1e-4)
    head, *lines, mean, last = str(found).splitlines()
    assert head.split()[:7] == ["topic", "class", "documents", "words", "npmi", "distance", "own"]
    for topic, line in enumerate(lines):
        figures = [f"{found.share_of_documents[topic]:.1%}", f"{found.share_of_words[topic]:.1%}"]
        figures += [
            f"{found.coherence[topic]:.3f}",
            f"{found.distance[topic]:.3f}",
            f"{found.own_words[topic]:.0%}",
        ]
        assert line.split() == [str(topic), str(topic), *figures, *found.words[topic]]
        assert len(line) <= 100
    assert mean.split() == [
        "mean",
        f"{found.coherence.mean():.3f}",
        f"{found.distance.mean():.3f}",
        f"{np.mean(own):.0%}",
    ]
    assert last.startswith("own: words that are no other topic's; ")
    assert last.endswith(f"; {found.diversity:.0%} of the words of all topics are different.")


def test_sizes_are_of_words_as_they_are_given():
    """Though the model gives all documents one length."""
    X = np.array([[1, 3, 0, 1], [2, 2, 0, 1], [0, 1, 40, 1], [0, 2, 10, 1]])
    model = plsa.PLSAClassifier(scaling=plsa.CountScaler(), random_state=0).fit(X, [0, 0, 1, 1])
    table = topic_table(model, X)
    assert_allclose(table.share_of_words, X.sum(axis=1) @ model.transform(X) / X.sum(), rtol=1e-5)


def test_the_table_of_odd_topics():
    """One topic; one without words, which is no topic's neighbor; two that are the same."""
    X = np.array([[1, 2, 0, 0], [0, 1, 3, 0]])
    alone = topic_table(Fixed([[1, 2, 1, 0]]).fit(X), X)
    assert_array_equal(alone.distance, 1)
    assert_array_equal(alone.share_of_words, 1)
    odd = topic_table(Fixed([[1, 2, 1, 0], [0, 0, 0, 0], [1, 2, 1, 0]]).fit(X), X, by="probability")
    assert_allclose(odd.distance, [0, 1, 0], atol=1e-7)
    assert_array_equal(odd.own_words, [0, 1, 0])
    assert odd.words[1] == ()
    assert odd.diversity == 0.5
    assert "nan" not in str(odd)
    nothing = topic_table(Fixed([[0, 0, 0, 0]]).fit(X), np.zeros((2, 4)))
    assert "nan" not in str(nothing)


def test_the_table_of_a_pipeline_and_of_others():
    """Raw texts; topics of scikit-learn; words named."""
    model = of_texts().fit(TEXTS)
    found = topic_table(model, TEXTS, by="probability", measure="c_v", window=2)
    assert [" ".join(words) for words in found.words] == TOPICS
    assert_allclose(found.coherence, GENSIM["c_v", 2], atol=1e-9)
    assert str(found).splitlines()[0].split()[:4] == ["topic", "documents", "words", "c_v"]
    X = model[0].transform(TEXTS)
    other = topic_table(LatentDirichletAllocation(2, max_iter=2, random_state=0).fit(X), X, model[0])
    assert set(other.words[0]) <= {*model[0].get_feature_names_out()}
    assert_allclose(other.share_of_documents.sum(), 1)


# ---- for pyLDAvis


@pytest.mark.parametrize("scaling", [None, "auto"])
def test_what_pyldavis_takes(scaling):
    """Rows that sum to one, frequencies above zero, topics in their order."""
    X, y, _ = partly_labeled(120, 80, 4, every=2, document_length=20)
    model = SoftMislabelingPLSA(max_iter=3, scaling=scaling, random_state=0).fit(X, y)
    new = sparse.vstack([X[:30], sparse.csr_array((2, 80)), X[30:40]]).tocsr()
    with pytest.warns(UserWarning, match="2 of 42 documents have no word"):
        found = to_pyldavis(model, new, [f"word {n}" for n in range(80)])
    names = {"topic_term_dists", "doc_topic_dists", "doc_lengths", "vocab", "term_frequency", "sort_topics"}
    assert set(found) == names
    assert found["sort_topics"] is False
    counts = model.scaled_counts(X[:40]).matrix().toarray()
    known = np.flatnonzero((counts.sum(axis=0) > 0) & (model.components_.sum(axis=0) > 0))
    assert 0 < len(known) < 80
    assert found["vocab"] == [f"word {n}" for n in known]
    assert_allclose(found["term_frequency"], counts.sum(axis=0)[known], rtol=1e-6)
    assert_allclose(found["doc_lengths"], counts.sum(axis=1), rtol=1e-6)
    assert_allclose(found["doc_topic_dists"], model.transform(X[:40]), rtol=1e-5)
    P = model.components_.astype(float)[:, known]
    assert_allclose(found["topic_term_dists"], P / P.sum(axis=1, keepdims=True), rtol=1e-5)
    for name in ("topic_term_dists", "doc_topic_dists"):
        assert_allclose(found[name].sum(axis=1), 1, rtol=1e-12)


def test_what_pyldavis_takes_of_odd_topics():
    """Words without probability, topics without words or documents: no logarithm of zero. One is refused."""
    X = np.array([[1, 2, 0, 0], [0, 1, 3, 0]])
    topics = SimpleNamespace(
        components_=np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]),
        transform=lambda X: np.array([[1.0, 0, 0], [0.5, 0.5, 0]]),
        scaled_counts=PLSA(1, max_iter=1, tol=0).fit(X).scaled_counts,
    )
    found = to_pyldavis(topics, X)
    assert found["vocab"] == ["0", "1", "2"]
    assert found["topic_term_dists"].min() > 0
    assert found["doc_topic_dists"].sum(axis=0).min() > 0
    for name in ("topic_term_dists", "doc_topic_dists"):
        assert_allclose(found[name].sum(axis=1), 1, rtol=1e-12)
    assert_allclose(found["topic_term_dists"], [[0.5, 0.5, 0], [0, 0.5, 0.5], [1 / 3] * 3], atol=1e-12)
    with pytest.raises(ValueError, match="it needs two at least, and there is one"):
        to_pyldavis(PLSA(1, max_iter=1, tol=0).fit(X), X)
    topics.components_ = np.array([[0, 0, 0, 1.0], [0, 0, 0, 1]])
    with pytest.raises(ValueError, match="X holds no word that the model knows"):
        to_pyldavis(topics, X)


def test_pyldavis_takes_it():
    """Where it is installed; it is no dependency."""
    pyldavis = pytest.importorskip("pyLDAvis")
    X, _, _ = partly_labeled(120, 80, 4, every=2, document_length=20)
    found = to_pyldavis(PLSA(4, random_state=0, tol=0, max_iter=10).fit(X), X)
    made = pyldavis.prepare(**found, n_jobs=1, R=10, lambda_step=0.5)
    assert made.topic_order == [1, 2, 3, 4]
    assert not made.topic_info.isna().any().any()
