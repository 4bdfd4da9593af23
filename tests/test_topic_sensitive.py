"""Topic-sensitive PLSA: links between documents, and what is found from positives alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import logit
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from plsa import PLSA, TopicSensitivePLSA
from plsa.datasets import planted_corpus
from plsa.estimators.validation import check_counts
from plsa.learning import committee, ranking, topic_sensitive
from plsa.learning.topic_sensitive import otsu


@pytest.fixture(scope="module")
def corpus():
    """Documents of four topics, of which the first is looked for."""
    return planted_corpus(240, 120, 4, n_classes=4, doc_concentration=0.05, random_state=0)


@pytest.fixture(scope="module")
def some(corpus):
    """Six of its documents are known."""
    y = np.full(240, -1)
    y[np.flatnonzero(corpus.target == 0)[:6]] = 1
    return y


# ---- what is climbed


@given(
    seed=st.integers(0, 200),
    must=st.floats(0, 30),
    cannot=st.floats(0, 30),
    printed=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_the_objective_never_falls(seed, must, cannot, printed, dtype):
    """With any links, weights, priors, known negatives and further pairs."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, (12, 9)) + 1e-3
    X[11] = 0
    y = np.where(np.arange(12) < rng.integers(5, 8), 1, -1)
    others = np.flatnonzero(y < 0)
    pairs = rng.choice(others, 4, replace=False).reshape(2, 2)
    y[others[: seed % 4]] = 0
    model = TopicSensitivePLSA(
        int(rng.integers(1, 5)),
        must,
        cannot,
        normalize="none" if printed else "documents",
        init=["positives", "random"][seed % 2],
        positive_weight=[0.5, 1.0, 10.0][seed % 3],
        dtype=dtype,
        scaling=None,
        tol=0,
        max_iter=15,
        random_state=seed,
    )
    model.fit(X, y, must_links=pairs[:1], cannot_links=pairs[1:])
    noise = 1e-9 if dtype == "float64" else 1e-5
    assert np.diff(model.objective_trace_).min() >= -noise * abs(model.objective_trace_[-1])
    assert model.stop_reason_ in ("settled", "rounds")
    assert_allclose(model.doc_topic_.sum(axis=1), 1, rtol=1e-5)


def test_without_links_it_is_plsa(corpus, some):
    """Bit for bit, where the positives have no other say either."""
    plain = {"smoothing": 0.01, "prior_strength": 1.0, "max_iter": 8, "random_state": 3}
    found = TopicSensitivePLSA(
        4, 0, 0, init="random", positive_weight=1, scaling=None, student=None, tol=0, **plain
    ).fit(corpus.counts, some)
    wanted = PLSA(4, tol=0, **plain).fit(corpus.counts)
    for name in ("components_", "doc_topic_", "objective_trace_"):
        assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert_array_equal(found.transform(corpus.counts), wanted.transform(corpus.counts))


def test_no_links_to_all_links():
    """The stronger the links, the more of them hold."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (60, 30))
    y = np.where(np.arange(60) < 8, 1, -1)
    options = {"init": "random", "positive_weight": 1, "scaling": None, "student": None, "random_state": 0}
    must = [
        TopicSensitivePLSA(3, b, 0, **options).fit(X, y).must_link_satisfied_ for b in (0.0, 0.3, 1.0, 5.0)
    ]
    assert must == sorted(must)
    assert must[0] < 1
    assert must[-1] == 1
    cannot = [
        TopicSensitivePLSA(3, 1, b, **options).fit(X, y).cannot_link_satisfied_ for b in (0.0, 2.0, 30.0)
    ]
    assert cannot == sorted(cannot)
    assert cannot[-1] > cannot[0]


# ---- what is found


@pytest.mark.parametrize("student", [None, "linear"])
@pytest.mark.parametrize("n_components", [4, "auto"])
def test_the_topic_of_the_positives_is_found(corpus, some, student, n_components):
    """Among the documents of the fit and among new ones; scores, guesses and chances agree."""
    model = TopicSensitivePLSA(n_components, student=student, random_state=0).fit(corpus.counts, some)
    truth = (corpus.target == 0).astype(int)
    # The linked model of more topics than there are shares the positives' documents out.
    least = 0.85 if (student, n_components) == (None, "auto") else 0.95
    assert np.mean(model.guesses_ == truth) > least
    assert_array_equal(model.guesses_[some == 1], 1)
    score = model.decision_function(corpus.counts)
    assert_array_equal(model.predict(corpus.counts), (score > 0).astype(int))
    assert np.mean(model.predict(corpus.counts) == truth) > least
    chance = model.predict_proba(corpus.counts)
    assert_allclose(chance.sum(axis=1), 1)
    assert chance.min() >= 0
    assert chance.max() <= 1
    assert_array_equal(np.argsort(chance[:, 1], kind="stable"), np.argsort(score, kind="stable"))
    assert_allclose(model.class_prior_, model.guesses_[some < 0].mean())
    assert_allclose(model.class_prior_, truth[some < 0].mean(), atol=0.15)
    if student is None:
        topics = model.transform(corpus.counts)[:, model.positive_topics_].sum(axis=1)
        assert_allclose(chance[:, 1], topics, rtol=1e-6)
    assert model.must_link_satisfied_ == 1
    assert 0.5 < model.cannot_link_satisfied_ <= 1
    if n_components == "auto":
        assert len(model.committee_) == 4 * len(committee.NUMBERS)
        assert_allclose(model.votes_, committee.votes(model.committee_))
        assert model.n_components_ in committee.NUMBERS
    else:
        assert (model.committee_, model.votes_, model.n_components_) == ([], None, 4)
    assert model.components_.shape == (model.n_components_, 120)


@pytest.mark.parametrize(("student", "n_components"), [(None, 4), ("linear", 4), ("linear", "auto")])
def test_a_no_counts(student, n_components):
    """It is no guess, nobody votes for it, it is not among the unlabeled; what is like it scores lower."""
    options = {"n_classes": 6, "document_length": 20, "word_concentration": 1.0}
    corpus = planted_corpus(300, 150, 6, random_state=0, **options)
    y = np.where((corpus.target == 0) & (np.arange(300) < 80), 1, -1)
    model = TopicSensitivePLSA(n_components, student=student, random_state=0).fit(corpus.counts, y)
    before = model.decision_function(corpus.counts)
    no = np.flatnonzero(corpus.target == 1)[:20]
    y[no] = 0
    model.fit(corpus.counts, y)
    after = model.decision_function(corpus.counts)
    assert before[no].max() > 0
    assert not model.guesses_[no].any()
    assert_array_equal(model.guesses_[y < 0], after[y < 0] > 0)
    assert_allclose(model.class_prior_, np.mean(after[y < 0] > 0))
    alike, others = (corpus.target == 1) & (y < 0), (corpus.target > 1) & (y < 0)
    fall = before - after
    assert fall[alike].mean() > fall[others].mean()
    if n_components == "auto":
        assert not model.votes_[no].any()


def test_a_threshold_of_ones_own(corpus, some):
    """The higher, the fewer are taken; positives stay what they are."""
    models = [
        TopicSensitivePLSA(4, threshold=threshold, random_state=0).fit(corpus.counts, some)
        for threshold in (-2, 0.0, 2)
    ]
    taken = [model.class_prior_ for model in models]
    assert taken[0] == 1
    assert 0 < taken[1] < 1
    assert taken[2] == 0
    assert_array_equal(np.flatnonzero(models[2].guesses_), np.flatnonzero(some == 1))
    for model in models:
        chance = model.predict_proba(corpus.counts)[:, 1]
        assert_allclose(logit(chance), 8 * model.decision_function(corpus.counts), rtol=1e-6)


@pytest.mark.parametrize("links", [{}, {"cannot_link": 50.0}, {"cannot_link": 50.0, "normalize": "none"}])
@pytest.mark.parametrize("student", [None, "linear"])
def test_guesses_are_predictions(links, student):
    """Of unlabeled documents, however strong the links: what is said of one does not depend on the fit."""
    corpus = planted_corpus(400, 60, 4, n_classes=4, random_state=0)
    y = np.where((corpus.target == 0) & (np.arange(400) < 190), 1, -1)
    model = TopicSensitivePLSA(6, student=student, random_state=0, **links).fit(corpus.counts, y)
    unlabeled = y < 0
    assert_array_equal(model.guesses_[unlabeled], model.predict(corpus.counts)[unlabeled])
    assert_allclose(model.class_prior_, model.predict(corpus.counts)[unlabeled].mean())


@pytest.mark.parametrize("n_components", [6, "auto"])
@pytest.mark.parametrize("n_empty", [1, 40])
def test_documents_without_words_are_never_positive(n_components, n_empty):
    """And have no say in where the threshold is."""
    corpus = planted_corpus(600, 200, 6, n_classes=6, doc_concentration=0.3, random_state=1)
    X = corpus.counts.toarray().astype(float)
    y = np.where((corpus.target == 0) & (np.arange(600) < 60), 1, -1)
    empty = np.flatnonzero(corpus.target == 3)[:n_empty]
    X[empty] = 0
    model = TopicSensitivePLSA(n_components, random_state=0).fit(X, y)
    assert not model.guesses_[empty].any()
    assert not model.predict(X)[empty].any()
    assert model.predict_proba(X)[empty, 1].max() < 0.5
    assert abs(model.threshold_) < 0.3
    assert np.mean(model.guesses_ == (corpus.target == 0)) > 0.95


def seat(n_topics, documents, criterion):
    """A member of a committee that votes for these of 240 documents."""
    taken, nobody = np.isin(np.arange(240), documents), np.empty(0, dtype=int)
    member = committee.Member(n_topics, taken, criterion)
    return committee.Seat(member, (~taken).astype(int), nobody, nobody)


def test_the_committee_chooses_and_starts_the_linked_model(corpus, some, monkeypatch):
    """The number of topics whose votes weigh most; the words of what was voted for and of the positives."""
    seats = [seat(6, [0, 1], 1.0), seat(6, [0, 1], 1.0), seat(9, [0, 7], 5.0)]
    monkeypatch.setattr(committee, "ask", lambda *arguments: (seats, False))
    model = TopicSensitivePLSA(max_iter=0, scaling=None, random_state=0).fit(corpus.counts, some)
    assert model.n_components_ == 9
    assert_allclose(model.votes_[[0, 1, 7, 8]], [1, 2 / 7, 5 / 7, 0])
    dense = corpus.counts.toarray().astype(float)
    shown = (some == 1) | np.isin(np.arange(240), [0, 7])
    own, whole = dense[shown].sum(axis=0), dense.sum(axis=0)
    assert_allclose(model.components_[0], own / own.sum() / 2 + whole / whole.sum() / 2, rtol=1e-5)


@pytest.mark.parametrize("n_components", [4, "auto"])
def test_what_the_student_is_taught(corpus, some, n_components, monkeypatch):
    """Votes, or what the linked model makes of the unlabeled; what is known weighs five sure guesses."""
    heard, some = {}, some.copy()
    some[np.flatnonzero(corpus.target == 0)[6:9]] = 0

    def teach(matrix, code, weight, n_classes, whole=ranking.teach):
        heard.update(code=code, weight=weight)
        return whole(matrix, code, weight, n_classes)

    monkeypatch.setattr(ranking, "teach", teach)
    model = TopicSensitivePLSA(n_components, random_state=0).fit(corpus.counts, some)
    if n_components == 4:
        score = model.doc_topic_[:, model.positive_topics_[0]].astype(float)
        chance = np.clip(score - otsu(score[some != 1]) + 0.5, 0, 1)
    else:
        chance = model.votes_
    assert_array_equal(heard["code"], np.where(some < 0, chance > 0.5, some))
    wanted = np.where(some >= 0, 5.0, np.maximum(np.abs(2 * chance - 1), 1e-3))
    assert_allclose(heard["weight"], wanted, rtol=1e-6)


def test_one_positive_works_and_says_that_it_is_few(corpus):
    """From one document its topic is found."""
    y = np.full(240, -1)
    y[np.flatnonzero(corpus.target == 0)[0]] = 1
    with pytest.warns(UserWarning, match="y labels 1 document as positive: too few") as warned:
        model = TopicSensitivePLSA(random_state=0).fit(corpus.counts, y)
    assert warned[0].filename == __file__
    assert np.isnan(model.must_link_satisfied_)
    assert roc_auc_score(corpus.target == 0, model.decision_function(corpus.counts)) > 0.98


# ---- pairs


def test_pairs_cluster_documents(corpus):
    """Links of the user's own pull documents together and apart, with no positives at all."""
    pairs = [(10, other) for other in range(11, 30)]
    options = {"must_link": 30.0, "cannot_link": 30.0, "random_state": 0, "normalize": "none"}
    plain = TopicSensitivePLSA(4, **options).fit(corpus.counts, must_links=[(0, 200)])
    assert len(set(plain.doc_topic_[10:30].argmax(axis=1))) > 1
    together = TopicSensitivePLSA(4, **options).fit(corpus.counts, must_links=pairs)
    assert len(set(together.doc_topic_[10:30].argmax(axis=1))) == 1
    assert together.must_link_satisfied_ == 1
    assert len(together.positive_topics_) == 0
    apart = TopicSensitivePLSA(4, **options).fit(corpus.counts, cannot_links=pairs)
    topic = apart.doc_topic_.argmax(axis=1)
    assert topic[10] not in topic[11:30]
    assert apart.cannot_link_satisfied_ == 1
    assert apart.transform(corpus.counts).shape == (240, 4)
    for ask in (apart.predict, apart.decision_function, apart.predict_proba):
        with pytest.raises(ValueError, match="fitted without positives"):
            ask(corpus.counts)


def test_a_fit_forgets_the_one_before(corpus, some):
    """What only positives decide is gone where there are none."""
    model = TopicSensitivePLSA(4, random_state=0).fit(corpus.counts, some)
    assert hasattr(model, "threshold_")
    model.fit(corpus.counts, must_links=zip([0], [1], strict=True))
    for name in ("threshold_", "class_prior_", "guesses_"):
        assert not hasattr(model, name)


def test_pairs_may_be_told_twice_and_either_way(corpus, some):
    """A pair is a pair."""
    once = TopicSensitivePLSA(4, random_state=0).fit(corpus.counts, some, must_links=[(100, 101)])
    twice = TopicSensitivePLSA(4, random_state=0).fit(
        corpus.counts, some, must_links=np.array([(101, 100), (100, 101)])
    )
    assert_array_equal(once.doc_topic_, twice.doc_topic_)


# ---- what is refused


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ({"must_links": [(0, 0)]}, "a pair of document 0 with itself at 0"),
        ({"cannot_links": [(0, 1), (2, 8)]}, "cannot_links holds document 8 at 1; the rows of X are 0"),
        ({"must_links": [(-1, 2)]}, "must_links holds document -1 at 0"),
        ({"must_links": [(5, 6)], "cannot_links": [(6, 5)]}, r"documents \(5, 6\) are both"),
        ({"cannot_links": [(6, 5), (3, 1)]}, r"cannot_links holds \(1, 3\), but y has both"),
        ({"must_links": [(0, 1, 2)]}, r"must_links has shape \(1, 3\)"),
        ({"must_links": [(0, 1), (1,)]}, "must_links has shape"),
        ({"must_links": [(0.5, 1)]}, "type float64"),
        ({"must_links": 3}, "must_links has shape"),
        ({"must_links": [(1, 6)]}, r"must_links holds \(1, 6\), but y has 1 as positive and 6 as unl"),
        ({"must_links": [(1, 5)]}, r"must_links holds \(1, 5\), but y has 1 as positive and 5 as neg"),
        ({"must_links": sparse.csr_array(np.eye(8))}, "must_links is a sparse matrix"),
    ],
)
def test_bad_links(links, message):
    """An error says what and where."""
    with pytest.raises(ValueError, match=message):
        TopicSensitivePLSA(2).fit(np.ones((8, 4)), [1, 1, 1, 1, 1, 0, -1, None], **links)


def test_nothing_at_all_is_refused():
    """Neither positives nor links; or links, and nothing that says how many topics."""
    X = np.ones((8, 4))
    for links in (None, []):
        with pytest.raises(ValueError, match=r"y is None|labels for"):
            TopicSensitivePLSA(2).fit(X, must_links=links)
    with pytest.raises(ValueError, match="n_components == 'auto', but positives have to choose it"):
        TopicSensitivePLSA().fit(X, must_links=[(0, 1)])


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_otsu_leaves_the_least_variance(scores):
    """No other threshold leaves less squared distance within the two groups."""
    scores = np.array(scores)

    def within(threshold):
        groups = scores[scores > threshold], scores[scores <= threshold]
        return sum(((group - group.mean()) ** 2).sum() for group in groups if len(group))

    best = min(within(each) for each in scores)
    assert within(otsu(scores)) <= best + 1e-9


def test_only_unlabeled_documents_with_words_say_where_scores_part():
    """Neither positives nor empty documents do, unless there are no others."""
    X = np.array([[1.0], [1], [1], [1], [0], [1]])
    counts = check_counts(PLSA(), X, reset=True, dtype="float64")
    positive = np.array([False, False, False, False, False, True])
    score = np.array([0.0, 0.1, 0.5, 0.6, 9.0, -9.0])
    assert_allclose(topic_sensitive._parting(score, counts, positive), 0.3)
    empty = check_counts(PLSA(), np.array([[0.0], [0], [1]]), reset=True, dtype="float64")
    assert_allclose(topic_sensitive._parting(score[1:4], empty, np.array([False, False, True])), 0.3)


# ---- while it runs


def test_progress(corpus, some, capsys):
    """A line for the committee, one for the linked model, and how it ended."""
    TopicSensitivePLSA(random_state=0, verbose=1, max_iter=3).fit(corpus.counts, some)
    committee_line, linked, ended = capsys.readouterr().err.splitlines()
    assert committee_line.startswith("TopicSensitivePLSA, stage 1 of 2: committee of 24 models: done, ")
    assert linked.startswith("TopicSensitivePLSA, stage 2 of 2: linked model: done, ")
    assert ended.startswith("TopicSensitivePLSA: done after 3 passes, ")


def test_as_printed_documents_of_the_positives_topic_are_taken(corpus, some):
    """By the most probable topic: that of the fit for its documents, that of folding in for new ones."""
    model = TopicSensitivePLSA.as_printed(n_components=4, cannot_link=0.0, random_state=0)
    found = model.fit(corpus.counts, some)
    (topic,) = found.positive_topics_
    of_fit = found.doc_topic_.argmax(axis=1) == topic
    known = some == 1
    assert_array_equal(found.guesses_[~known], of_fit[~known])
    folded = found.transform(corpus.counts)
    assert_array_equal(found.predict(corpus.counts), folded.argmax(axis=1) == topic)
    ahead = folded[:, topic] - np.delete(folded, topic, axis=1).max(axis=1)
    assert_allclose(found.decision_function(corpus.counts), ahead, atol=1e-6)
    assert_allclose(found.predict_proba(corpus.counts)[:, 1], folded[:, topic], atol=1e-6)
    assert found.threshold_ == 0
    other = clone(found).set_params(threshold="auto").fit(corpus.counts, some)
    assert_array_equal(other.components_, found.components_)


def test_one_topic_is_everybodys(corpus, some):
    """Nothing is ahead of it."""
    found = TopicSensitivePLSA.as_printed(n_components=1, random_state=0).fit(corpus.counts, some)
    assert found.guesses_.all()
    assert found.predict(corpus.counts).all()
