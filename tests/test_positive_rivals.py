"""The five systems that learn from positive and unlabeled documents, and what they share."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from helpers import partly_shown
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit
from scipy.stats import beta, rankdata
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.preprocessing import normalize

from plsa import PEBL, CountScaler, MPCKMeans, RocchioSVM, SpyEM, WeightedLogisticRegression
from plsa.baselines.linked_clusters import Clusters, ClusterSums, LinkedDocuments
from plsa.baselines.machines import positive_features, rocchio_vectors
from plsa.baselines.regression import _dealt, best_threshold
from plsa.baselines.spies import ErrorParts, _chosen_spies, spy_threshold
from plsa.datasets import planted_corpus
from plsa.estimators.positives import PositiveClassifier, Rule, even_weights
from plsa.estimators.validation import check_counts
from plsa.labels.reading import Known
from plsa.learning.positives import recall_criterion

RIVALS = [
    WeightedLogisticRegression(random_state=0),
    SpyEM(random_state=0),
    PEBL(),
    RocchioSVM(),
    MPCKMeans(4, random_state=0),
]
rivals = pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: type(rival).__name__)


def planted():
    """Documents of four classes, fifteen of the first shown, and what they are in truth."""
    options = {"n_classes": 4, "document_length": 60, "word_concentration": 0.1, "dtype": "float64"}
    return partly_shown(500, 300, 4, 15, seed=3, **options)


def counts_of(X):
    return check_counts(PEBL(), X, reset=True, dtype="float64")


def test_what_tests_share_cannot_be_written_to():
    """Else what a test finds depends on those before it."""
    X, shown, truth = planted()
    for shared in (X.data, X.indices, X.indptr, shown, truth):
        with pytest.raises(ValueError, match="read-only"):
            shared[0] = 7


# ---- what all five do


@rivals
def test_it_finds_the_positives(rival):
    """Among the documents of the fit and among new ones."""
    X, shown, truth = planted()
    model = clone(rival).fit(X, shown)
    others = shown == 0
    assert f1_score(truth[others], model.predict(X)[others]) > 0.9
    assert roc_auc_score(truth[others], model.decision_function(X)[others]) > 0.98
    half = np.arange(500) < 250
    model.fit(X[half], shown[half])
    assert f1_score(truth[~half], model.predict(X[~half])) > 0.85
    assert model.score(X[~half], truth[~half]) > 0.9


@rivals
def test_one_positive_is_enough(rival):
    """It is found, and so are documents like it."""
    X, shown, truth = planted()
    lone = np.zeros_like(shown)
    lone[np.flatnonzero(shown)[3]] = 1
    model = clone(rival).fit(X, lone)
    assert roc_auc_score(truth[lone == 0], model.decision_function(X)[lone == 0]) > 0.75
    assert model.predict(X)[lone == 1].all()


@rivals
def test_an_empty_document_is_not_positive(rival):
    """There is nothing in it that was looked for."""
    X, shown, _ = planted()
    with_empty = sparse.vstack([X, sparse.csr_array((3, X.shape[1]))]).tocsr()
    model = clone(rival).fit(with_empty, np.concatenate([shown, [0, 0, 0]]))
    assert_array_equal(model.predict(sparse.csr_array((2, X.shape[1]))), [0, 0])


@rivals
def test_a_no_counts(rival):
    """Documents that are known not to be wanted fall behind others; k-means links all others the same way."""
    corpus = planted_corpus(
        400, 150, 6, n_classes=6, document_length=20, word_concentration=1.0, dtype="float64", random_state=0
    )
    y = np.where((corpus.target == 0) & (np.arange(400) < 80), 1, -1)
    before = clone(rival).fit(corpus.counts, y).decision_function(corpus.counts)
    no = np.argsort(np.where(corpus.target == 0, -np.inf, before))[
        -30:
    ]  # those that it takes for wanted first
    y[no] = 0
    after = clone(rival).fit(corpus.counts, y).decision_function(corpus.counts)
    if isinstance(rival, MPCKMeans):
        assert_array_equal(after, before)
        return
    fall = rankdata(before)[no] - rankdata(after)[no]
    assert fall.mean() > 5


def test_known_negatives_are_negative_from_the_start():
    """No spies, learned from by each machine, and never held out."""
    X, shown, truth = planted()
    no = np.flatnonzero(truth == 1)[-4:]  # in truth they are wanted, so that nobody would take them for less
    assert not shown[no].any()
    y = np.where(shown == 1, 1, -1)
    first = [kind(max_iter=1).fit(X, y).n_negatives_[0] for kind in (PEBL, RocchioSVM)]
    y[no] = 0
    assert [kind(max_iter=1).fit(X, y).n_negatives_[0] for kind in (PEBL, RocchioSVM)] == [
        each + 4 for each in first
    ]
    model = SpyEM(random_state=0).fit(X, y)
    assert not np.isin(no, np.concatenate([model.spies_, model.reliable_negatives_])).any()
    fold = _dealt(Known(y == 1, y == 0), 3, np.random.RandomState(0))
    assert_array_equal(np.flatnonzero(fold < 0), no)


def test_what_is_known_weighs():
    """A positive once, all others together as much as the positives, a negative a tenth in that."""
    known = Known(np.arange(9) < 2, np.arange(9) >= 6)
    weight = even_weights(known)
    assert_allclose(weight[:2], 1)
    assert_allclose(weight[2:].sum(), 2)
    assert_allclose(weight[6:] / weight[2:6].sum(), 0.1 / 2)
    assert_allclose(even_weights(Known.of(known.positive)), [1, 1] + [2 / 7] * 7)


def test_what_is_not_tfidf():
    """tfidf=False: the counts themselves at unit length."""
    X, shown, _ = planted()
    before = X.data.copy()
    model = PEBL(tfidf=False).fit(X, shown)
    assert_array_equal(X.data, before)  # what is brought to unit length is a copy
    assert_allclose(
        model.decision_function(X), normalize(X) @ model.coef_ + model.intercept_, rtol=1e-10, atol=1e-12
    )
    weighted = PEBL().fit(X, shown)
    scaled = normalize(CountScaler(tf="log", idf=True, length=None).fit_transform(X))
    assert_allclose(
        weighted.decision_function(X), scaled @ weighted.coef_ + weighted.intercept_, rtol=1e-10, atol=1e-12
    )


def test_an_interrupted_fit_keeps_what_it_learned_and_says_so():
    """A classifier that says so was interrupted; one that fails leaves what was."""

    class Interrupted(PositiveClassifier):
        def _learn_positives(self, counts, known):
            return {"n_positives_": int(known.positive.sum()), "stop_reason_": "interrupted"}

    X, shown, _ = planted()
    model = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, shown)
    assert model.n_positives_ == 15


# ---- weighted logistic regression


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_the_criterion_is_precision_times_recall(pairs):
    """Divided by the share of positives, whatever the classifier."""
    truth, taken = np.array(pairs).T
    if not truth.any() or not (truth & taken).any():
        return
    recall, precision = taken[truth].mean(), truth[taken].mean()
    assert_allclose(recall_criterion(recall, taken.mean()), precision * recall / truth.mean())


def test_the_criterion_at_its_ends():
    """Nothing found is worth nothing; everything found among nothing taken is infinitely good."""
    assert_array_equal(recall_criterion([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.0]), [0, 0, 0.5, np.inf])


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=9),
    st.lists(st.integers(-9, 9), min_size=1, max_size=30),
)
def test_the_best_threshold_is_that_of_all(positive, unlabeled):
    """No other threshold that finds half of the positives has a higher criterion."""
    positive, unlabeled = np.array(positive, dtype=float), np.array(unlabeled, dtype=float)
    best, threshold = best_threshold(positive, unlabeled)

    def worth(t):
        number, above = np.sum(positive > t), (np.sum(unlabeled > t) + 1) / (len(unlabeled) + 1)
        if number < len(positive) / 2:
            return 0.0
        return beta(number, len(positive) + 1 - number).ppf(0.1) ** 2 / above

    assert_allclose(best, worth(threshold))
    assert best >= max(worth(t) for t in np.arange(-10, 10) + 0.5) - 1e-12
    assert not np.isin(threshold, positive).any()


def test_weighted_regression_is_scikit_learns():
    """With classes of equal weight; the threshold that held-out documents ask for is taken off."""
    X, shown, _ = planted()
    model = WeightedLogisticRegression(C=0.3, random_state=0).fit(X, shown)
    vectors = normalize(model.scaler_.transform(X))
    weight = np.where(shown == 1, 1.0, shown.sum() / (shown == 0).sum())
    plain = LogisticRegression(C=0.3, tol=1e-3, max_iter=1000).fit(vectors, shown, sample_weight=weight)
    assert_allclose(
        model.decision_function(X), plain.decision_function(vectors) - model.threshold_, rtol=1e-3, atol=1e-3
    )
    assert model.C_ == 0.3
    assert model.threshold_ != 0


def test_what_is_held_out_chooses():
    """The strength with the best criterion, over folds of positives and others; nothing with one positive."""
    X, shown, _ = planted()
    each = {
        C: WeightedLogisticRegression(C, random_state=5).fit(X, shown).criterion_ for C in (0.001, 0.1, 10.0)
    }
    model = WeightedLogisticRegression(list(each), random_state=5).fit(X, shown)
    assert model.criterion_ == max(each.values())
    assert each[model.C_] == max(each.values())
    lone = np.where(np.arange(500) == np.flatnonzero(shown)[0], 1, 0)
    model = WeightedLogisticRegression((1.0, 0.1)).fit(X, lone)
    assert (model.C_, model.threshold_) == (0.1, 0.0)
    assert np.isnan(model.criterion_)


def test_known_negatives_have_no_say_in_what_is_chosen():
    """They are learned from in the end alone: else positives that they are like would be held out in vain."""
    X, shown, truth = planted()
    y = np.where(shown == 1, 1, -1)
    y[np.flatnonzero(truth == 0)[:40]] = 0
    model, other = (WeightedLogisticRegression(0.1, tfidf=False, random_state=0) for _ in range(2))
    model.fit(X, y)
    other.fit(X[y != 0], y[y != 0])
    assert (model.threshold_, model.criterion_) == (other.threshold_, other.criterion_)
    assert np.abs(model.coef_ - other.coef_).max() > 1e-3


# ---- spies


def test_the_spies_threshold():
    """No more than a share of the spies are below it."""
    scores = np.array([3.0, -1, 5, 0, 2, 9, 4, 8, 7, 6])
    assert spy_threshold(scores, 0.05) == -1
    assert spy_threshold(scores, 0.1) == 0
    assert spy_threshold(scores, 0.25) == 2
    assert spy_threshold(np.array([1.5]), 0.9) == 1.5
    assert spy_threshold(np.array([]), 0.1) == 0


@given(st.integers(1, 40), st.floats(0.01, 0.99), st.integers(0, 99))
def test_spies_are_some_of_the_positives(n_positives, share, seed):
    """At least one where there are two positives, never all."""
    positive = np.arange(50) < n_positives
    spies = _chosen_spies(positive, share, np.random.RandomState(seed))
    assert not np.any(spies & ~positive)
    assert spies.sum() == min(max(1, round(share * n_positives)), n_positives - 1)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.booleans()), min_size=2, max_size=30))
def test_the_change_of_the_error(rows):
    """P(f = 1) - P(Y = 1) + 2 P(f = 0|Y = 1) P(Y = 1), P(Y = 1) as before, after less before."""
    before, after, positive = (np.array(column) for column in zip(*rows, strict=True))
    if positive.all() or not positive.any():
        return
    prior = expit(before[~positive]).mean()

    def error(scores):
        missed = np.mean(scores[positive] <= 0)
        return np.mean(scores[~positive] > 0) - prior + 2 * missed * prior

    change = ErrorParts.of(before, positive).change_to(ErrorParts.of(after, positive))
    assert_allclose(change, error(after) - error(before), atol=1e-12)


def naive_bayes_steps(X, positive, negative, alpha, n_steps, no):
    """The classifiers of EM in dense NumPy: positives and `no` stay, negatives are so at the start only."""
    chance = np.column_stack([negative, positive]).astype(float)
    rules = []
    for _ in range(n_steps + 1):
        words = X.T @ chance + alpha
        words /= words.sum(axis=0)
        prior = (chance.sum(axis=0) + 1) / (chance.sum() + 2)
        weights, intercept = np.log(words[:, 1] / words[:, 0]), np.log(prior[1] / prior[0])
        rules.append((weights, intercept))
        share = np.where(positive, 1.0, np.where(no, 0.0, expit(X @ weights + intercept)))
        chance = np.column_stack([1 - share, share])
    return rules


@pytest.mark.filterwarnings("ignore:X looks like TF-IDF")
@pytest.mark.parametrize("n_negatives", [0, 10])
def test_spy_em_step_by_step(n_negatives):
    """Spies, threshold, reliable negatives and the classifier: as by hand."""
    X, shown, _ = planted()
    X = sparse.csr_array(normalize(X))  # so short that EM takes its time
    dense, positive = X.toarray(), shown == 1
    no = (~positive & (np.arange(500) % 50 == 0)) if n_negatives else np.zeros(500, dtype=bool)
    told = ~no
    model = SpyEM(0.2, 0.4, alpha=0.5, constant_length=False, max_iter=6, tol=0.0, random_state=1)
    model.fit(X, np.where(no, 0, np.where(positive, 1, -1)))
    spies = np.isin(np.arange(500), model.spies_)
    assert spies.sum() == 3
    assert np.all(positive[spies])
    weights, intercept = naive_bayes_steps(dense, positive & ~spies, ~positive | spies, 0.5, 6, no)[-1]
    scores = dense @ weights + intercept
    assert_allclose(model.threshold_, np.sort(scores[spies])[1], rtol=1e-8)
    reliable = np.flatnonzero(~positive & ~no & (scores < model.threshold_))
    assert_array_equal(model.reliable_negatives_, reliable)
    rules = naive_bayes_steps(dense, positive, np.isin(np.arange(500), reliable) | no, 0.5, 6, no)
    parts = [ErrorParts.of((dense @ w + b)[told], positive[told]) for w, b in rules]
    changes = [first.change_to(second) for first, second in pairwise(parts)]
    rises = [place for place, change in enumerate(changes) if change > 0]
    chosen = rises[0] if rises else 6
    assert model.chosen_ == chosen
    assert model.n_iter_ == (chosen + 2 if rises else 7)
    assert_allclose(model.error_changes_, changes[: chosen + 1], atol=1e-9)
    assert_allclose(model.coef_, rules[chosen][0], rtol=1e-6, atol=1e-8)
    assert_allclose(model.intercept_, rules[chosen][1], rtol=1e-6)


def test_where_no_document_is_below_the_spies():
    """All unlabeled documents start as negative."""
    X = np.array([[9.0, 0], [1, 1], [9, 0], [9, 0], [0, 9]])
    model = SpyEM(constant_length=False, random_state=0).fit(X[:4], [1, 1, 0, 0])
    if not len(model.reliable_negatives_):
        assert np.isfinite(model.decision_function(X)).all()
    alike = SpyEM(random_state=0).fit(np.ones((4, 2)), [1, 1, 0, 0])
    assert len(alike.reliable_negatives_) == 0
    assert np.isfinite(alike.decision_function(np.ones((1, 2)))).all()


# ---- 1-DNF and Rocchio


def test_positive_features_by_hand():
    """Words of a larger share of the positives than of the others; how often they stand there is nothing."""
    X = np.array(
        [[5, 1, 0, 0, 1], [1, 0, 0, 0, 1], [0, 1, 1, 0, 1], [0, 9, 1, 1, 1], [0, 0, 0, 1, 1], [1, 0, 1, 0, 1]]
    )
    positive = np.array([True, True, False, False, False, False])
    present = counts_of((X > 0).astype(float))
    # Shares: 2/2 and 1/4; 1/2 and 2/4; 0 and 3/4; 0 and 2/4; 1 and 1.
    assert_array_equal(positive_features(present, positive), [True, False, False, False, False])
    model = PEBL().fit(X, positive)
    assert_array_equal(model.positive_features_, [0])
    assert model.n_negatives_[0] == 3  # all but the last have no such word


def test_where_all_have_a_positive_feature():
    """Those with the fewest are the first negatives."""
    X = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 9], [0, 1, 0, 9], [1, 1, 0, 9], [1, 0, 0, 5]])
    model = PEBL().fit(X, [1, 1, 0, 0, 0, 0])
    assert model.n_negatives_[0] == 3


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("kind", [PEBL, RocchioSVM])
def test_machines_go_on_until_nothing_joins(kind, balanced):
    """Negatives only grow; what was not among them at the end scores above 0 by the last machine."""
    X, shown, _ = planted()
    model = kind(1.0, balanced).fit(X, shown)
    assert model.n_negatives_ == sorted(set(model.n_negatives_))
    assert len(model.n_negatives_) == model.n_iter_
    if model.chosen_ == model.n_iter_ - 1:
        assert np.sum(model.predict(X)[shown == 0] == 0) <= model.n_negatives_[-1]
    once = kind(1.0, balanced, max_iter=1).fit(X, shown)
    assert once.n_iter_ == 1
    assert once.n_negatives_[0] == model.n_negatives_[0]


def test_rocchio_vectors_by_hand():
    """16 times the mean of a side less 4 times that of the other, at unit length."""
    matrix = sparse.csr_array(np.array([[1.0, 0], [0.6, 0.8], [0, 1], [0, 1]]))
    wanted, unwanted = rocchio_vectors(matrix, np.array([True, True, False, False]), 16.0, 4.0)
    assert_allclose(wanted, np.array([12.8, 2.4]) / np.hypot(12.8, 2.4))
    assert_allclose(unwanted, np.array([-3.2, 14.4]) / np.hypot(3.2, 14.4))


def test_reliable_negatives_are_nearer_to_the_other_side():
    """By cosine, equals included; where there are none, the farthest one."""
    X, shown, _ = planted()
    model = RocchioSVM().fit(X, shown)
    vectors = normalize(model.scaler_.transform(X))
    wanted, unwanted = rocchio_vectors(vectors, shown == 1, 16.0, 4.0)
    nearer = (vectors @ wanted <= vectors @ unwanted) & (shown == 0)
    assert model.n_negatives_[0] == nearer.sum() > 100
    alike = RocchioSVM(beta=0.0).fit(np.array([[1.0, 0], [1, 1], [1, 0.9]]), [1, 0, 0])
    assert alike.n_negatives_[0] >= 1


@pytest.mark.parametrize(("n_missed", "chosen"), [(0, 1), (8, 1), (9, 0), (100, 0)])
def test_the_first_or_the_last_machine(n_missed, chosen):
    """The last one may miss 8% of the positives, and no more."""
    matrix = sparse.csr_array(np.where(np.arange(100) < n_missed, -1.0, 1.0)[:, np.newaxis])
    rules = [Rule(np.array([-1.0]), 0.0), Rule(np.array([1.0]), 0.0)]
    assert RocchioSVM()._chosen(rules, matrix, np.ones(100, dtype=bool)) == chosen


# ---- clusters with links


@st.composite
def linked_documents(draw):
    """A few documents at unit length, empty ones among them, of which some are positive, and clusters."""
    n_documents, n_words = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    cells = draw(st.lists(st.integers(0, 5), min_size=n_documents * n_words, max_size=n_documents * n_words))
    n_positives = draw(st.integers(1, n_documents - 1))
    n_clusters = draw(st.integers(2, 4))
    label = draw(st.lists(st.integers(0, n_clusters - 1), min_size=n_documents, max_size=n_documents))
    must, cannot = draw(st.sampled_from([0.0, 0.2, 1.0, 5.0])), draw(st.sampled_from([0.0, 0.05, 0.2, 1.0]))
    matrix = sparse.csr_array(normalize(np.reshape(cells, (n_documents, n_words)).astype(float)))
    linked = LinkedDocuments.of(matrix, np.arange(n_documents) < n_positives, must, cannot)
    return linked, np.array(label), n_clusters


def naive_objective(linked, label, center):
    """Pair by pair."""
    X, positive = linked.matrix.toarray(), linked.positive
    total = sum(np.sum((X[d] - center[label[d]]) ** 2) for d in range(len(X)))
    farthest = np.sort(np.sum(X**2, axis=1))[-2:].sum()
    for d in range(len(X)):
        for e in range(d):
            apart = np.sum((X[d] - X[e]) ** 2)
            if positive[d] and positive[e] and label[d] != label[e]:
                total += linked.must * apart
            if positive[d] != positive[e] and label[d] == label[e]:
                total += linked.cannot * (farthest - apart)
    return total


def start_of(linked, label, n_clusters):
    return Clusters(label, linked.centered(label, n_clusters).center, [])


@given(linked_documents())
def test_the_objective_is_that_of_all_pairs(drawn):
    """Sums over clusters stand for the links."""
    linked, label, n_clusters = drawn
    center = start_of(linked, label, n_clusters).center
    assert_allclose(linked.objective(label, center), naive_objective(linked, label, center), atol=1e-9)


@given(linked_documents())
def test_the_objective_never_rises(drawn):
    """From any start, round by round; and the trace tells it."""
    linked, label, n_clusters = drawn
    start = start_of(linked, label, n_clusters)
    trace = [linked.objective(label, start.center)]
    for n_rounds in range(1, 5):
        found = linked.descend(start, n_rounds)
        assert_allclose(found.trace[-1], naive_objective(linked, found.label, found.center), atol=1e-9)
        trace += found.trace[len(trace) - 1 :]
    assert np.diff(trace).max(initial=0) <= 1e-9


@given(linked_documents())
def test_where_nothing_moves_no_document_would_rather_be_elsewhere(drawn):
    """A descent ends where no single document can make the objective smaller."""
    linked, label, n_clusters = drawn
    found = linked.descend(start_of(linked, label, n_clusters), 100)
    lowest = naive_objective(linked, found.label, found.center)
    for document in range(len(label)):
        for cluster in range(n_clusters):
            moved = found.label.copy()
            moved[document] = cluster
            assert naive_objective(linked, moved, found.center) >= lowest - 1e-9


@given(linked_documents())
def test_sums_follow_a_move(drawn):
    """Moving a document is what the sums of the moved are."""
    linked, label, n_clusters = drawn
    sums = linked.sums(label, n_clusters, linked.positive)
    new = (label[0] + 1) % n_clusters
    sums.move(linked.matrix[[0]], linked.length[0], label[0], new)
    moved = label.copy()
    moved[0] = new
    wanted = linked.sums(moved, n_clusters, linked.positive)
    for name in ClusterSums.__slots__:
        assert_allclose(getattr(sums, name), getattr(wanted, name), atol=1e-12)


@given(linked_documents())
def test_the_metric_is_that_of_all_pairs(drawn):
    """The spread of a word, pair by pair; weights are in inverse proportion, some of the mean added."""
    linked, label, n_clusters = drawn
    X, positive = linked.matrix.toarray(), linked.positive
    spread = np.zeros(X.shape[1])
    for cluster in range(n_clusters):
        inside = X[label == cluster]
        if len(inside):
            spread += ((inside - inside.mean(axis=0)) ** 2).sum(axis=0)
    for d in range(len(X)):
        for e in range(d):
            if positive[d] and positive[e] and label[d] != label[e]:
                spread += linked.must * (X[d] - X[e]) ** 2
            if positive[d] != positive[e] and label[d] == label[e]:
                spread += linked.cannot * 2 * X[d] * X[e]
    if spread.sum() < 1e-9:
        return
    wanted = 1 / (spread + 10 * spread.mean())
    assert_allclose(linked.metric(label, n_clusters), wanted / wanted.mean(), rtol=1e-6)


def test_clusters_of_the_fit():
    """Unlabeled documents are scored as they were clustered; the positive cluster has most positives."""
    X, shown, _ = planted()
    model = MPCKMeans(4, random_state=0).fit(X, shown)
    others = shown == 0
    assert_array_equal(model.predict(X)[others], (model.labels_ == model.positive_cluster_)[others])
    assert np.bincount(model.labels_[shown == 1]).argmax() == model.positive_cluster_
    assert np.diff(model.objective_trace_).max(initial=0) <= 1e-9
    assert len(model.objective_trace_) == model.n_iter_ < 50
    assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1)
    assert_allclose(model.metric_.mean(), 1)
    plain = MPCKMeans(4, n_metrics=0, random_state=0).fit(X, shown)
    assert_array_equal(plain.metric_, np.ones(300))


def test_the_weight_of_links():
    """Single links that weigh as published leave nothing with the positives; many starts are no worse."""
    X, shown, _ = planted()
    published = MPCKMeans(4, average_links=False, random_state=0).fit(X, shown)
    assert published.predict(X)[shown == 0].sum() < 5
    one, several = (
        MPCKMeans(4, n_metrics=0, n_init=n, random_state=0).fit(X, shown).objective_trace_[-1] for n in (1, 8)
    )
    assert several <= one


def test_memory_is_not_of_all_pairs():
    """Far below an array of documents x documents, though all of them are linked."""
    corpus = planted_corpus(4000, 100, 2, n_classes=2, document_length=10, random_state=0)
    shown = (corpus.target == 0) & (np.arange(4000) < 3000)
    tracemalloc.start()
    MPCKMeans(2, n_init=1, n_metrics=1, max_iter=3, random_state=0).fit(corpus.counts, shown)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000 * 8 / 8


# ---- scikit-learn
