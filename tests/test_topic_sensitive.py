"""Topic-sensitive PLSA: links between documents, and what is found from positives alone."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from plsa import PLSA, CountScaler, TopicSensitivePLSA, inputs
from plsa.datasets import planted_corpus
from plsa.links import CannotLinks, LinkedSteps, MustLinks, PairLinks
from plsa.parameters import Parameters, padded, unpadded
from plsa.topic_sensitive import otsu


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


@st.composite
def thetas(draw):
    """Rows of topics, no entry zero, and a number for each row of how often it counts."""
    n, k = draw(st.integers(2, 7)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    return rng.dirichlet(np.ones(k), n) + 1e-6, rng.choice([0.5, 1.0, 3.0], n), rng


@given(drawn=thetas())
def test_links_are_what_a_loop_over_pairs_gives(drawn):
    """Counts and penalties of all three kinds equal those of the pairs one by one."""
    theta, each, rng = drawn
    theta /= theta.sum(axis=1, keepdims=True)
    n = len(theta)
    order = rng.permutation(n)
    ours, theirs = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
    inside = [(i, j) for place, i in enumerate(ours) for j in ours[:place]]
    across = [(i, j) for i in ours for j in theirs]
    kinds = [
        (MustLinks(ours, 1.5), inside, True),
        (CannotLinks(ours, theirs, 0.7), across, False),
        (PairLinks(np.array(across).reshape(-1, 2), 0.3, together=True), across, True),
        (PairLinks(np.array(inside, dtype=np.intp).reshape(-1, 2), 0.9, together=False), inside, False),
    ]
    for links, pairs, together in kinds:
        count = np.zeros_like(theta)
        penalty = links.add(theta, count, each)
        wanted, total = reference.linked(theta, pairs, links.weight, together, each)
        assert_allclose(count, wanted, rtol=1e-9, atol=1e-9)
        assert_allclose(penalty, total, rtol=1e-9, atol=1e-9)
        topic = theta.argmax(axis=1)
        held = [(topic[i] == topic[j]) == together for i, j in pairs]
        assert_allclose(links.satisfied(topic), np.mean(held) if held else np.nan)


@given(seed=st.integers(0, 200), must=st.floats(0, 30), cannot=st.floats(0, 30), printed=st.booleans())
def test_the_objective_never_falls(seed, must, cannot, printed):
    """With any links, weights, priors and further pairs."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, (12, 9))
    y = np.where(np.arange(12) < rng.integers(5, 8), 1, -1)
    pairs = rng.choice(12, 4, replace=False).reshape(2, 2)
    model = TopicSensitivePLSA(
        int(rng.integers(1, 5)),
        must,
        cannot,
        normalize="none" if printed else "documents",
        init=["positives", "random"][seed % 2],
        positive_weight=[0.5, 1.0, 10.0][seed % 3],
        dtype="float64",
        scaling=None,
        tol=0,
        max_iter=15,
        random_state=seed,
    ).fit(X + 1e-3, y, must_links=pairs[:1], cannot_links=pairs[1:])
    assert np.diff(model.objective_trace_).min() >= -1e-9 * abs(model.objective_trace_[-1])
    assert model.stop_reason_ in ("settled", "rounds")


def test_without_links_it_is_plsa(corpus, some):
    """Bit for bit, where the positives have no other say either."""
    plain = {"smoothing": 0.01, "prior_strength": 1.0, "max_iter": 8, "random_state": 3}
    found = TopicSensitivePLSA(
        4, 0, 0, init="random", positive_weight=1, scaling=None, student=None, tol=0, **plain
    ).fit(corpus.counts, some)
    wanted = PLSA(4, tol=0, **plain).fit(corpus.counts)
    for name in ("components_", "doc_topic_", "objective_trace_"):
        assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)


def test_steps_are_those_of_plsa_with_counts_of_links():
    """P(z|d) after a step is proportional to the counts of words, prior and links."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (6, 5)) + 0.0
    counts = inputs.check_counts(PLSA(), X, reset=True, dtype="float64")
    row = padded(np.full((1, 3), 1 / 3), "float64")
    links = [MustLinks(np.array([0, 1]), 2.0), CannotLinks(np.array([0, 1]), np.arange(2, 6), 0.5)]
    weight = np.array([10.0, 10, 1, 1, 1, 1])
    steps = LinkedSteps(
        counts, 3, links=links, state=None, prior=row, fallback=row, smoothing=0.1, weight=weight
    )
    theta, phi = rng.dirichlet(np.ones(3), 6), rng.dirichlet(np.ones(5), 3).T
    gate = padded(np.ones((1, 3)), "float64")
    parameters = Parameters(padded(theta, "float64"), padded(phi, "float64"), gate)
    after = unpadded(steps.maximise(parameters, steps.expect(parameters)).doc_topic, 3)
    posterior = theta[:, np.newaxis] * phi / (theta @ phi.T)[:, :, np.newaxis]
    wanted = (X[:, :, np.newaxis] * posterior).sum(axis=1) + 1 / 3
    wanted += reference.linked(theta, [(0, 1)], 2.0, True, weight)[0]
    across = [(i, j) for i in (0, 1) for j in range(2, 6)]
    wanted += reference.linked(theta, across, 0.5, False, weight)[0]
    assert_allclose(after, wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-9)


@pytest.mark.parametrize("student", [None, "linear"])
@pytest.mark.parametrize("n_components", [4, "auto"])
def test_the_topic_of_the_positives_is_found(corpus, some, student, n_components):
    """Among the documents of the fit and among new ones; scores, guesses and chances agree."""
    model = TopicSensitivePLSA(n_components, student=student, random_state=0).fit(corpus.counts, some)
    truth = (corpus.target == 0).astype(int)
    assert np.mean(model.guesses_ == truth) > 0.95
    assert_array_equal(model.guesses_[some == 1], 1)
    score = model.decision_function(corpus.counts)
    assert_array_equal(model.predict(corpus.counts), (score > 0).astype(int))
    assert np.mean(model.predict(corpus.counts) == truth) > 0.95
    chance = model.predict_proba(corpus.counts)
    assert_allclose(chance.sum(axis=1), 1)
    assert (chance >= 0).all()
    assert_array_equal(np.argsort(chance[:, 1], kind="stable"), np.argsort(score, kind="stable"))
    assert_allclose(model.class_prior_, truth[some < 0].mean(), atol=0.05)
    if student is None:
        topics = model.transform(corpus.counts)[:, model.positive_topics_].sum(axis=1)
        assert_allclose(chance[:, 1], topics, rtol=1e-6)
    assert model.must_link_satisfied_ == 1
    assert 0.5 < model.cannot_link_satisfied_ <= 1
    assert (model.component_scores_ == {}) is (n_components == 4)


def test_pairs_cluster_documents(corpus):
    """Links of the user's own pull documents together and apart."""
    y = np.full(240, -1)
    y[:5] = 1
    pairs = [(10, other) for other in range(11, 30)]
    options = {
        "must_link": 30.0,
        "cannot_link": 30.0,
        "init": "random",
        "random_state": 0,
        "positive_weight": 1,
    }
    together = TopicSensitivePLSA(4, **options).fit(corpus.counts, y, must_links=pairs)
    assert len(set(together.doc_topic_[10:30].argmax(axis=1))) == 1
    apart = TopicSensitivePLSA(4, **options).fit(corpus.counts, y, cannot_links=pairs)
    topic = apart.doc_topic_.argmax(axis=1)
    assert topic[10] not in topic[11:30]


def test_one_positive_works_and_says_that_it_is_few(corpus):
    y = np.full(240, -1)
    y[np.flatnonzero(corpus.target == 0)[0]] = 1
    with pytest.warns(UserWarning, match="y labels 1 documents as positive: too few"):
        model = TopicSensitivePLSA(random_state=0).fit(corpus.counts, y)
    assert model.n_components_ == 18
    assert np.isnan(model.must_link_satisfied_)


@pytest.mark.parametrize(
    ("y", "links", "message"),
    [
        ([-1] * 8, {}, "y labels no document as positive"),
        ([1] * 8, {}, "y labels all 8 documents as positive"),
        ([1, 2, -1, -1, -1, -1, -1, -1], {}, "y holds 2 at 1; a document is positive"),
        (["a"] * 8, {}, "y holds 'a' at 0"),
        (None, {"must_links": [(0, 0)]}, "a pair of document 0 with itself at 0"),
        (None, {"cannot_links": [(0, 1), (2, 8)]}, "cannot_links holds document 8 at 1; there are 0 to 7"),
        (None, {"must_links": [(0, 1)], "cannot_links": [(1, 0)]}, r"documents \(0, 1\) are both"),
        (None, {"must_links": [(0, 1, 2)]}, r"must_links has shape \(1, 3\)"),
    ],
)
def test_bad_labels_and_links(y, links, message):
    X = np.ones((8, 4))
    y = [1, 1, 1, 1, 1, -1, -1, None] if y is None else y
    with pytest.raises(ValueError, match=message):
        TopicSensitivePLSA(2).fit(X, y, **links)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": "many"}, "n_components"),
        ({"must_link": -1}, "must_link == -1"),
        ({"cannot_link": np.nan}, "cannot_link"),
        ({"normalize": "pairs"}, "normalize == 'pairs'"),
        ({"positive_weight": 0}, "positive_weight == 0"),
        ({"threshold": "high"}, "threshold"),
        ({"student": "tree"}, "student == 'tree'"),
    ],
)
def test_bad_parameters(corpus, some, parameters, message):
    with pytest.raises(ValueError, match=message):
        TopicSensitivePLSA(**parameters).fit(corpus.counts, some)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_otsu_leaves_the_least_variance(scores):
    """No other threshold leaves less squared distance within the two groups."""
    scores = np.array(scores)

    def within(threshold):
        groups = scores[scores > threshold], scores[scores <= threshold]
        return sum(((group - group.mean()) ** 2).sum() for group in groups if len(group))

    best = min(within(each) for each in scores)
    assert within(otsu(scores)) <= best + 1e-9


def test_ctrl_c_leaves_what_was_learnt(corpus, some):
    def stop(state):
        if state.number == 3:
            raise KeyboardInterrupt

    model = TopicSensitivePLSA(4, callback=stop, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(corpus.counts, some)
    assert model.stop_reason_ == "interrupted"
    assert len(model.predict(corpus.counts)) == 240


def _expected_failures(estimator):
    return {
        "check_classifiers_classes": "its classes are 1 for positive and 0, not names of the user's",
        "check_classifiers_one_label": "all positive is an error, none as well",
        "check_classifiers_one_label_sample_weights": "it takes no weights",
    }


@parametrize_with_checks(
    [TopicSensitivePLSA(3, scaling=CountScaler()), TopicSensitivePLSA(2, student=None)],
    expected_failed_checks=_expected_failures,
)
@pytest.mark.filterwarnings("ignore:y labels:UserWarning")
def test_scikit_learn_accepts(estimator, check):
    """Every check of scikit-learn's own suite."""
    check(estimator)
