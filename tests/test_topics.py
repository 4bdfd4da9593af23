"""PLSA as a user meets it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from plsa import PLSA
from plsa.datasets import planted_corpus
from plsa.engine import em
from plsa.engine.parameters import StopReason


@pytest.fixture(scope="module")
def corpus():
    """A planted corpus whose topics are told apart easily."""
    return planted_corpus(
        600, 300, 6, document_length=200, doc_concentration=0.1, word_concentration=0.05, random_state=0
    )


def test_planted_topics_are_recovered(corpus):
    """Each true topic has one found topic near it, and so have the documents' mixtures."""
    model = PLSA(6, n_init=3, max_iter=300, tol=1e-6, random_state=0).fit(corpus.counts)
    distance = np.abs(model.components_[:, None, :] - corpus.word_topic.T[None]).sum(axis=2) / 2
    found, true = linear_sum_assignment(distance)
    assert distance[found, true].max() < 0.1
    topics = model.transform(corpus.counts)[:, found]
    assert np.abs(topics - corpus.doc_topic[:, true]).sum(axis=1).mean() / 2 < 0.1


def test_parameters_are_distributions_and_the_objective_never_falls(corpus):
    """Rows sum to one; what is recorded is the log-likelihood of what is kept."""
    model = PLSA(5, random_state=0, max_iter=50, dtype="float64").fit(corpus.counts)
    assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-9)
    assert_allclose(model.doc_topic_.sum(axis=1), 1, rtol=1e-9)
    assert np.diff(model.objective_trace_).min() > 0
    p = model.doc_topic_ @ model.components_
    counts = corpus.counts.toarray()
    expected = (counts[counts > 0] * np.log(p[counts > 0])).sum()
    assert_allclose(model.objective_trace_[-1], expected, rtol=1e-10)
    assert_allclose(model.log_likelihood_, expected, rtol=1e-10)
    assert model.n_iter_ == len(model.objective_trace_) - 1


def test_one_topic_is_the_corpus(corpus):
    """K = 1: P(w|z) is the frequency of each word, in one update."""
    model = PLSA(1, dtype="float64", random_state=0).fit(corpus.counts)
    frequency = np.asarray(corpus.counts.sum(axis=0), dtype=float)
    assert_allclose(model.components_[0], frequency / frequency.sum(), rtol=1e-9)
    assert model.stop_reason_ == "settled"


def test_kullback_leibler_nmf_climbs_to_no_higher_likelihood(corpus):
    """NMF with the Kullback-Leibler loss is the same model: from one start neither ends far above."""
    start = PLSA(4, random_state=0, max_iter=0).fit(corpus.counts)
    ours = PLSA(4, init=start.components_, max_iter=400, tol=0, dtype="float64").fit(corpus.counts)
    nmf = NMF(4, init="custom", beta_loss="kullback-leibler", solver="mu", max_iter=400, tol=0)
    counts = corpus.counts.toarray().astype(np.float64)
    # As PLSA starts: documents uniform, words as drawn.
    documents = nmf.fit_transform(
        counts,
        W=np.full((len(counts), 4), 0.25) * counts.sum(axis=1, keepdims=True),
        H=start.components_.astype(np.float64) + 1e-12,
    )
    p = documents @ nmf.components_
    p /= p.sum(axis=1, keepdims=True)
    theirs = (counts[counts > 0] * np.log(p[counts > 0])).sum()
    assert abs(theirs - ours.log_likelihood_) < 2e-3 * abs(theirs)


def test_acceleration_needs_fewer_passes(corpus):
    """The same objective in fewer passes, and never a fall."""
    plain = PLSA(6, random_state=0, max_iter=200, tol=0).fit(corpus.counts)
    fast = PLSA(6, random_state=0, max_iter=120, tol=0, accelerate=True).fit(corpus.counts)
    assert np.diff(fast.objective_trace_).min() >= -1e-6 * abs(fast.objective_trace_[0])
    assert fast.n_iter_ <= 121  # the last leap may take one pass more
    assert fast.objective_trace_[-1] >= plain.objective_trace_[-1] - 1e-5 * abs(plain.log_likelihood_)


def test_warm_start_goes_on(corpus):
    """Ten updates and ten more are twenty."""
    twenty = PLSA(4, random_state=0, max_iter=20, tol=0).fit(corpus.counts)
    ten = PLSA(4, random_state=0, max_iter=10, tol=0, warm_start=True).fit(corpus.counts)
    ten.fit(corpus.counts)
    assert_array_equal(ten.components_, twenty.components_)
    other = corpus.counts[::-1]
    theirs = clone(ten).set_params(max_iter=0)
    theirs.fit(corpus.counts)
    theirs.fit(other)  # as many documents, but others: P(z|d) begins anew
    assert_allclose(theirs.doc_topic_, 0.25)
    with pytest.raises(ValueError, match="warm_start goes on from a fit with 4 topics"):
        ten.set_params(n_components=5).fit(corpus.counts)


def test_given_start_is_used_and_can_be_edited(corpus):
    """init=components_ continues from edited topics; a word ruled out stays out."""
    model = PLSA(4, random_state=0, max_iter=5).fit(corpus.counts)
    edited = model.components_.copy()
    edited[0, :50] = 0
    edited /= edited.sum(axis=1, keepdims=True)
    again = PLSA(4, init=edited, max_iter=5).fit(corpus.counts)
    assert np.all(again.components_[0, :50] == 0)
    both = PLSA(4, init=(model.components_, model.doc_topic_), max_iter=0).fit(corpus.counts)
    assert_allclose(both.doc_topic_, model.doc_topic_, rtol=1e-5, atol=1e-9)
    with pytest.warns(UserWarning, match="one start"):
        PLSA(4, init=edited, n_init=2, max_iter=1).fit(corpus.counts)


def test_not_errors():
    """Empty documents, unseen words, one document, more topics than words, huge counts."""
    X = np.array([[2, 1, 0, 0], [0, 0, 0, 0], [0, 3, 1, 0]], dtype=float)
    model = PLSA(2, random_state=0).fit(X)
    assert_array_equal(model.doc_topic_[1], [0.5, 0.5])
    assert np.all(model.components_[:, 3] == 0)
    assert_array_equal(model.transform([[0.0, 0, 0, 5]])[0], [0.5, 0.5])
    assert np.isfinite(PLSA(1).fit(X[:1]).components_).all()
    many = PLSA(9, random_state=0).fit(X)
    assert_allclose(many.components_.sum(axis=1), 1)
    for dtype in ("float32", "float64"):
        huge = PLSA(2, random_state=0, dtype=dtype).fit(X * 1e9)
        assert np.isfinite(huge.components_).all()
        assert np.isfinite(huge.objective_trace_).all()


def test_perplexity_is_that_of_the_words(corpus):
    """One uniform topic has the perplexity of the vocabulary; completion is the harder test."""
    uniform = PLSA(1, init=np.full((1, 300), 1 / 300), max_iter=0).fit(corpus.counts)
    assert_allclose(uniform.perplexity(corpus.counts), 300, rtol=1e-4)
    assert_allclose(uniform.perplexity(corpus.counts, completion=True), 300, rtol=1e-4)
    model = PLSA(6, smoothing=0.01, random_state=0).fit(corpus.counts[:500])
    assert model.perplexity(corpus.counts[500:]) < model.perplexity(corpus.counts[500:], completion=True)
    assert_allclose(model.score(corpus.counts), -np.log(model.perplexity(corpus.counts)))


def test_words_no_topic_has_are_left_out_and_said():
    """Scoring unseen words warns; with smoothing it need not."""
    X = np.array([[2.0, 1, 0], [1, 3, 0]])
    new = np.array([[1.0, 1, 4]])
    model = PLSA(1, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="1 of 3 nonzeros"):
        score = model.score(new)
    assert_allclose(score, np.log(3 / 7 * 4 / 7) / 2, rtol=1e-5)
    smooth = PLSA(1, smoothing=1.0).fit(X)
    assert np.isfinite(smooth.score(new))
    assert_allclose(smooth.components_, [[0.4, 0.5, 0.1]], rtol=1e-6)
    with pytest.raises(ValueError, match="nothing to score"):
        model.score(np.array([[0.0, 0, 1]]))


def test_completion_does_not_reward_what_it_cannot_explain():
    """Two topics without a word in common, a document with one word of each: as bad as can be."""
    model = PLSA(2, init=np.eye(2), max_iter=0).fit(np.eye(2))
    assert model.perplexity(np.ones((1, 2)), completion=True) > 1e30
    assert_allclose(model.perplexity(np.ones((1, 2))), 2, rtol=1e-3)


def test_impossible_start_is_reported():
    """A start that rules out a word of X is used, counted and said."""
    X = np.array([[2.0, 1], [1, 3]])
    with pytest.warns(UserWarning, match="2 nonzeros of X have probability zero"):
        model = PLSA(1, init=np.array([[1.0, 0.0]]), max_iter=2).fit(X)
    assert model.n_impossible_ == 2
    assert np.isfinite(model.components_).all()


@pytest.mark.parametrize("accelerate", [False, True])
def test_smoothing_mends_a_start_that_rules_words_out(accelerate):
    """An impossible word counts as the smallest number: making it possible is a rise, and the fit goes on."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 9, (20, 6)) * 20.0
    words = rng.dirichlet(np.ones(6), 3)
    words[:, 2] = 0
    words /= words.sum(axis=1, keepdims=True)
    model = PLSA(3, smoothing=0.01, init=words, accelerate=accelerate, max_iter=500, tol=1e-4).fit(X)
    assert model.n_impossible_ == 0
    assert model.stop_reason_ == "settled"
    free = PLSA(3, smoothing=0.01, random_state=0, max_iter=500, tol=1e-4).fit(X)
    assert_allclose(model.log_likelihood_, free.log_likelihood_, rtol=1e-2)


@pytest.mark.parametrize("weight", [1e-3, 7.0, 1e3])
def test_what_has_settled_does_not_depend_on_the_size_of_weights(corpus, weight):
    """A gain is measured by the word, and a word counts as often as its document does."""
    plain = PLSA(3, tol=1e-3, dtype="float64", random_state=0).fit(corpus.counts)
    assert plain.stop_reason_ == "settled"
    found = PLSA(3, tol=1e-3, dtype="float64", random_state=0).fit(corpus.counts, sample_weight=weight)
    assert found.n_iter_ == plain.n_iter_
    assert found.stop_reason_ == "settled"


@pytest.mark.parametrize(
    ("dtype", "way"), [("float32", "Pass dtype='float64'"), ("float64", "Scale the counts")]
)
def test_an_objective_that_fell_is_said_with_what_to_do(corpus, dtype, way, monkeypatch):
    """What helps in float32 was done in float64."""
    monkeypatch.setattr(em.Stop, "reason", lambda self, trace, n: StopReason.FELL if n > 2 else None)
    with pytest.warns(ConvergenceWarning, match=f"rounding wins. {way}"):
        PLSA(2, dtype=dtype, random_state=0).fit(corpus.counts)


def test_a_document_that_does_not_count_may_be_impossible():
    """Nothing is said of it, and of others it is."""
    X = np.array([[1.0, 1, 0], [2, 1, 0], [0, 0, 3]])
    start = np.array([[0.5, 0.5, 0]])
    found = PLSA(1, init=start, max_iter=1).fit(X, sample_weight=[1, 1, 0])
    assert found.n_impossible_ == 0
    with pytest.warns(UserWarning, match="1 nonzeros of X have probability zero, the first in document 2"):
        found = PLSA(1, init=start, max_iter=1).fit(X, sample_weight=[1, 1, 0.1])
    assert found.n_impossible_ == 1
