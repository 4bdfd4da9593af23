"""Must-links and cannot-links: counts, penalties and steps against loops over pairs."""

import tracemalloc

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from plsa import PLSA
from plsa.engine import blocks
from plsa.engine.links import CannotLinks, LinkedSteps, MustLinks, PairLinks, satisfied
from plsa.engine.parameters import OpenGate, Parameters, padded, unpadded
from plsa.estimators.validation import check_counts
from plsa.labels.reading import Known
from plsa.learning.topic_sensitive import links_of


def pairs_inside(documents):
    """All pairs of these documents."""
    return [(i, j) for place, i in enumerate(documents) for j in documents[:place]]


def pairs_across(ours, theirs):
    """All pairs of one of these and one of those."""
    return [(i, j) for i in ours for j in theirs]


def as_pairs(pairs):
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


@st.composite
def thetas(draw):
    """Rows of topics, some of them sure of one, and how often each document counts."""
    n, k = draw(st.integers(2, 7)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    # Shares that float32 holds exactly: rows sum to one in both types.
    drawn = rng.dirichlet(np.full(k, draw(st.sampled_from([0.1, 1.0]))), n)
    theta = np.array([rng.multinomial(1024 - k, row) + 1 for row in drawn]) / 1024
    return theta, rng.choice([0.5, 1.0, 3.0], n), rng


@given(
    drawn=thetas(), at_once=st.sampled_from([1, 3, 1 << 20]), dtype=st.sampled_from(["float32", "float64"])
)
def test_links_are_what_a_loop_over_pairs_gives(drawn, at_once, dtype):
    """Counts and penalties of all kinds equal those of the pairs one by one, whatever the blocks."""
    theta, each, rng = drawn
    order = rng.permutation(len(theta))
    ours, theirs = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    inside, across = pairs_inside(ours), pairs_across(ours, theirs)
    of_inside, of_across = rng.uniform(0.1, 2, len(inside)), rng.uniform(0.1, 2, len(across))
    kinds = [
        (MustLinks(ours, 1.5), inside, [1.5] * len(inside), True),
        (CannotLinks(ours, theirs, 0.7), across, [0.7] * len(across), False),
        (PairLinks(as_pairs(across), of_across, together=True), across, of_across, True),
        (PairLinks(as_pairs(inside), of_inside, together=False), inside, of_inside, False),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "PAIRS", at_once)
        for links, pairs, weights, together in kinds:
            count = np.zeros(theta.shape, dtype=dtype)
            topics = theta.astype(dtype)
            penalty = links.add(topics, count, each)
            least = max(1e-12, float(np.finfo(dtype).eps))
            wanted, total = reference.linked(np.float64(topics), pairs, weights, together, each, least)
            near = 1e-8 if dtype == "float64" else 1e-5
            assert_allclose(count, wanted, rtol=near, atol=near)
            assert_allclose(penalty, total, rtol=1e-8, atol=1e-9)
            topic = theta.argmax(axis=1)
            held = [(topic[i] == topic[j]) == together for i, j in pairs]
            assert links.holding(topic) == (sum(held), len(held))


@given(drawn=thetas(), printed=st.booleans())
def test_a_step_is_that_of_the_reference(drawn, printed):
    """P(z|d), P(w|z) and the objective, with links of positives and of pairs, priors and weights."""
    theta, weight, rng = drawn
    n, k = theta.shape
    X = rng.poisson(1.0, (n, 5)) + 0.0
    X[0, 0] += 1
    phi = rng.dirichlet(np.ones(5), k).T
    phi = (phi + 1e-4) / (phi + 1e-4).sum(axis=0)
    positive = np.arange(n) < max(1, n // 2)
    known = Known(positive, ~positive & (np.arange(n) % 3 == 2))
    some = as_pairs([(0, n - 1)])
    length = None if printed else X.sum() / n
    links = links_of(known, (some, as_pairs([])), 2.0, 0.5, length)
    counts = check_counts(PLSA(), X, reset=True, dtype="float64")
    row = padded(np.full((1, k), 1 / k), "float64")
    steps = LinkedSteps(
        counts, k, links=links.all(), state=None, prior=row, fallback=row, smoothing=0.1, weight=weight
    )
    parameters = Parameters(padded(theta, "float64"), padded(phi, "float64"), OpenGate(k))
    statistics = steps.expect(parameters)
    ours = np.flatnonzero(positive)
    inside = pairs_inside(ours)
    scale = 1.0 if printed else length
    b1 = 2.0 * scale / (1 if printed else max(1, len(ours) - 1))
    cannot = []
    for theirs in map(np.flatnonzero, (known.unlabeled, known.negative)):
        b2 = 0.5 * scale / (1 if printed else max(len(ours), len(theirs)))
        cannot += [(pair, b2) for pair in pairs_across(ours, theirs)]
    must = [(pair, b1) for pair in inside] + [((0, n - 1), 2.0 * scale)]
    doc, word, objective = reference.linked_step(X, theta, phi, weight, 1 / k, 0.1, must, cannot)
    assert_allclose(statistics.objective, objective, rtol=1e-9)
    after = steps.maximize(parameters, statistics)
    assert_allclose(unpadded(after.doc_topic, k), doc, rtol=1e-7, atol=1e-10)
    assert_allclose(unpadded(after.word_topic, k), word, rtol=1e-7, atol=1e-10)


def test_a_link_shares_its_weight_with_the_others_of_its_document():
    """With a length, no document has links of a kind that weigh more than b times so many words."""
    known = Known(np.arange(7) < 3, np.arange(7) == 6)
    pairs = as_pairs([(3, 4), (3, 5), (5, 6)]), as_pairs([(4, 6)])
    must, cannot, must_pairs, cannot_pairs, negatives = links_of(known, pairs, 2.0, 0.5, 10.0).all()
    assert_allclose([must.weight, cannot.weight, negatives.weight], [20 / 2, 5 / 3, 5 / 3])
    assert_array_equal(cannot.others, [3, 4, 5])
    assert_array_equal(negatives.others, [6])
    assert_allclose(must_pairs.weight, [10, 10, 10])
    assert_allclose(cannot_pairs.weight, [5])
    plain = links_of(known, pairs, 2.0, 0.5, None).all()
    assert_allclose(np.concatenate([np.ravel(each.weight) for each in plain]), [2, 0.5, 2, 2, 2, 0.5, 0.5])
    few = links_of(Known.of(np.arange(5) < 4), (as_pairs([]), as_pairs([])), 2.0, 0.5, 10.0)
    assert_allclose(few.cannot[0].weight, 5 / 4)  # the unlabeled document has four links


def test_links_of_no_weight_do_nothing():
    """They are not even looked at."""
    positive = np.array([True, True, False])
    nothing = links_of(Known.of(positive), (as_pairs([(0, 2)]), as_pairs([])), 0.0, 0.0, 10.0)
    counts = check_counts(PLSA(), np.eye(3), reset=True, dtype="float64")
    row = padded(np.full((1, 2), 0.5), "float64")
    steps = LinkedSteps(counts, 2, links=nothing.all(), state=None, prior=None, fallback=row, smoothing=0.1)
    assert steps.links == []


def test_links_of_many_positives_are_looked_at_in_blocks():
    """Memory is some blocks, not all pairs: 72 MB a copy of them."""
    theta = np.full((3_000, 4), 0.25, dtype=np.float32)
    count = np.zeros_like(theta)
    tracemalloc.start()
    MustLinks(np.arange(3_000), 1.0).add(theta, count, np.ones(3_000))
    CannotLinks(np.arange(1_500), np.arange(1_500, 3_000), 1.0).add(theta, count, np.ones(3_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


def test_satisfied():
    """All links of a kind together; NaN where there are none."""
    topic = np.array([0, 0, 1, 1])
    links = [MustLinks(np.array([0, 1, 2]), 1.0), PairLinks(as_pairs([(2, 3)]), np.ones(1), True)]
    assert satisfied(links, topic) == 2 / 4
    assert np.isnan(satisfied([MustLinks(np.array([0]), 1.0)], topic))
    assert_array_equal(satisfied([CannotLinks(np.array([0, 1]), np.array([2, 3]), 1.0)], topic), 1.0)
