"""Co-training, co-EM and co-boosting: what they do, step by step, and what a view is."""

import numpy as np
import pytest
from helpers import assert_same_bits, learned, partly_labeled
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from plsa import CoBoost, CoEM, CoTraining
from plsa.baselines.views import best_stumps, given_labels, log_chances, split_views, surest
from plsa.labels.reading import Labels

ALL = [CoTraining(random_state=0), CoEM(random_state=0), CoBoost(random_state=0)]
models = pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)


def planted():
    """300 documents of four classes, every sixth labeled."""
    return partly_labeled(300, 80, 4, document_length=25, word_concentration=0.3, dtype="float64")


def hard():
    """800 short documents of four classes, of much the same words."""
    return partly_labeled(800, 800, 4, document_length=30, word_concentration=0.6, dtype="float64")


def naive_bayes(X, chance):
    """log P(w|y), log P(y) of documents that count so often as each class; prior counts are 1."""
    words = X.T @ chance + 1.0
    prior = chance.sum(axis=0) + 1
    return np.log(words / words.sum(axis=0)), np.log(prior / prior.sum())


def said(X, words, prior):
    """log P(y|d)."""
    joint = X @ words + prior
    return (
        joint
        - np.log(np.exp(joint - joint.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))
        - (joint.max(axis=1, keepdims=True))
    )


def product(first, second):
    """P(y|d) of two views together."""
    both = np.exp(first + second - (first + second).max(axis=1, keepdims=True))
    return both / both.sum(axis=1, keepdims=True)


# ---- what a view is


@given(st.integers(2, 50), st.integers(0, 99))
def test_halves_are_drawn_by_a_seed(n_columns, seed):
    """Each column is in one of them, in order, and their sizes differ by one at most."""
    first, second = split_views(None, n_columns, seed)
    assert_array_equal(np.sort(np.concatenate([first, second])), np.arange(n_columns))
    assert len(second) - len(first) in (0, 1)
    assert all(np.all(np.diff(each) > 0) for each in (first, second))
    for found in (
        split_views(seed, n_columns, 12345),
        split_views(None, n_columns, np.random.RandomState(seed)),
    ):
        assert_same_bits(found, (first, second))
    several = [tuple(split_views(seed, 20)[0]) for seed in range(5)]
    assert len(set(several)) > 1


@pytest.mark.parametrize(
    "views",
    [
        (slice(0, 3), slice(3, 7)),
        (slice(None, 3), slice(3, 7)),
        [[2, 0, 1], [6, 5, 4, 3]],
        (np.arange(7) < 3, np.arange(7) >= 3),
        (slice(2, None, -1), np.array([3, 4, 5, 6, 6])),
        (slice(-7, -4), [column > 2 for column in range(7)]),
    ],
    ids=str,
)
def test_ways_to_say_the_columns(views):
    """Slices, masks, indices: the columns ascend."""
    first, second = split_views(views, 7)
    assert first.tolist() == [0, 1, 2]
    assert second.tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("views", "says"),
    [
        ((slice(0, 4), slice(3, 7)), r"views share 1 column, the first is 3; a column may be of one view"),
        (([0, 1, 2], [2, 1]), "views share 2 columns, the first is 1"),
        ((slice(0, 0), slice(3, 7)), r"views\[0\] has no column"),
        (([1], []), r"views\[1\] has no column"),
        (([1], np.zeros(7, dtype=bool)), r"views\[1\] has no column"),
        ((slice(0, 3), slice(3, 8)), r"views\[1\] == slice\(3, 8, None\), but X has 7 columns"),
        ((slice(-8, 3), slice(3, 7)), r"views\[0\] == slice\(-8, 3, None\), but X has 7"),
        (([0], [7]), r"views\[1\] holds column 7, but those of X are 0 to 6"),
        (([-1], [2]), r"views\[0\] holds column -1"),
        (([True, False], [2]), r"views\[0\] is a mask of 2 columns, but X has 7"),
        (
            ([0.5], [2]),
            r"views\[0\] has shape \(1,\) and type float64, but must be a slice, a mask or indices",
        ),
        (([[0, 1]], [2]), r"views\[0\] has shape \(1, 2\)"),
        ((["a"], [2]), r"views\[0\] has shape \(1,\) and type <U1"),
        (3.5, "views == 3.5, but must be None, a seed, or two groups of columns"),
        (True, "views == True, but must be None, a seed"),
        (-1, "views == -1, but must be"),
        ("ab", r"views\[0\] has shape \(\)"),
        ([[0], [1], [2]], "but must be None, a seed, or two groups"),
    ],
    ids=str,
)
@models
def test_views_that_are_none(model, views, says):
    """What is wrong, where and what to do instead."""
    X = np.eye(7)
    with pytest.raises(ValueError, match=says):
        type(model)(views=views).fit(X, [0, 1, -1, -1, -1, -1, -1])


@models
def test_a_column_is_no_two_views(model):
    """Of one word there are no halves."""
    with pytest.raises(ValueError, match="X has n_features=1, but two views need a column each"):
        type(model)().fit(np.ones((3, 1)), [0, 1, -1])


@models
def test_columns_of_no_view_are_not_looked_at(model):
    """They may hold anything."""
    X, y, _ = planted()
    views = [slice(0, 30), slice(30, 60)]
    one = type(model)(views=views, random_state=0).fit(X, y)
    other = X.toarray()
    other[:, 60:] = np.random.default_rng(0).poisson(3, (300, 20))
    two = type(model)(views=views, random_state=0).fit(other, y)
    for name in ("predict_proba", "predict"):
        assert_array_equal(getattr(one, name)(X), getattr(two, name)(other))
    assert_array_equal(one.transduction_, two.transduction_)


@models
def test_what_is_known_of_the_documents_of_the_fit(model):
    """Labels where there are some, else what the model predicts."""
    X, y, truth = planted()
    found = model.fit(X, y)
    known = y >= 0
    assert_array_equal(found.guesses_[known], y[known])
    assert_array_equal(found.transduction_[known], np.eye(4)[y[known]])
    assert_allclose(found.transduction_[~known], found.predict_proba(X[~known]), rtol=1e-9, atol=1e-12)
    assert np.mean(found.guesses_ == truth) > 0.75
    assert len(found.views_[0]) == len(found.views_[1]) == 40


# ---- how sure a classifier is


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), min_size=1, max_size=6))
def test_how_sure(rows):
    """-log(1 - P) of the most probable class."""
    chance = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    guess, sure = surest(np.log(chance))
    assert_array_equal(guess, np.log(chance).argmax(axis=1))
    assert_allclose(sure, -np.log(1 - chance.max(axis=1)), rtol=1e-6, atol=1e-9)


def test_how_sure_beyond_rounding():
    """1 - P = 1e-30 and 1e-40 are told apart; an only class is as sure as can be."""
    logs = np.log([[1.0, 1e-30], [1.0, 1e-40]])
    _, sure = surest(logs)
    assert_allclose(sure, [30 * np.log(10), 40 * np.log(10)])
    assert surest(np.zeros((2, 1)))[1].tolist() == [np.inf, np.inf]


def naive_given(log_chance, number):
    """Label by label: what views would give, the surer one first where they differ."""
    best = {}
    for logs in log_chance:
        guess, sure = surest(logs)
        for y, n in enumerate(number):
            mine = sorted((d for d in range(len(logs)) if guess[d] == y), key=lambda d: (-sure[d], d))
            for d in mine[:n]:
                if d not in best or sure[d] > best[d][0]:
                    best[d] = sure[d], y
    return [best[d][1] if d in best else -1 for d in range(len(log_chance[0]))]


@given(st.integers(1, 12), st.integers(2, 4), st.integers(0, 999), st.integers(1, 4))
def test_labels_that_views_give(n_documents, n_classes, seed, most):
    """So many of each class, those that a view is surest of; of two labels the surer."""
    rng = np.random.default_rng(seed)
    # Coarse numbers: equals are frequent.
    logs = [np.log(rng.integers(1, 4, (n_documents, n_classes)) / 10) for _ in (0, 1)]
    number = rng.integers(1, most + 1, n_classes)
    assert given_labels(logs, number).tolist() == naive_given(logs, number)


# ---- co-training


@pytest.mark.parametrize(
    ("count", "per_class", "number"),
    [
        ([2, 8], 2, [1, 3]),  # Blum and Mitchell: 3 and 9 of 12
        ([5, 5, 5], 2, [2, 2, 2]),
        ([1, 97], 2, [1, 4]),
        ([5, 5], 1, [1, 1]),
        ([1, 9], 5, [1, 9]),
    ],
)
def test_how_many_of_each_class(count, per_class, number):
    """In proportion to their frequencies, each class at least once."""
    code = np.repeat([0, 1, 2][: len(count)], count)
    found = CoTraining(per_class=per_class)._number(Labels(np.arange(len(count)), code.astype(np.int32)))
    assert found.tolist() == number


@pytest.mark.parametrize("pool_size", [None, 20])
def test_co_training_round_by_round(pool_size):
    """Pools, labels and classifiers, in dense NumPy."""
    X, y, _ = planted()
    dense = X.toarray()
    settings = {"per_class": 1, "pool_size": pool_size, "max_iter": 4}
    model = CoTraining(estimator=MultinomialNB(), **settings, random_state=5).fit(X, y)
    rng = np.random.RandomState(5)
    views = split_views(None, 80, rng)
    assert_same_bits(model.views_, views)
    code, left = y.copy(), rng.permutation(np.flatnonzero(y < 0)).tolist()
    count = np.bincount(y[y >= 0])
    number = np.maximum(1, np.rint(4 * count / count.sum())).astype(int)
    size = 20 if pool_size else 20 * number.sum()
    pool = [left.pop(0) for _ in range(min(size, len(left)))]

    def logs(documents):
        known, found = code >= 0, []
        for columns in views:
            # scikit-learn's naive Bayes has P(y) without prior counts.
            words, _ = naive_bayes(dense[known][:, columns], np.eye(4)[code[known]])
            prior = np.log(np.bincount(code[known]) / known.sum())
            found.append(said(dense[documents][:, columns], words, prior))
        return found

    for _ in range(4):
        labels = naive_given(logs(pool), number)
        code[pool] = labels
        pool = [d for d, label in zip(pool, labels, strict=True) if label < 0]
        while len(pool) < size and left:
            pool.append(left.pop(0))
    assert model.n_taught_ == np.sum(code >= 0) - np.sum(y >= 0) > 15
    assert model.n_iter_ == 5
    assert_allclose(model.predict_proba(X), product(*logs(np.arange(300))), rtol=1e-6, atol=1e-9)


def test_co_training_ends_where_all_are_labeled():
    """There may be more rounds than documents."""
    X, y, _ = planted()
    model = CoTraining(per_class=3, max_iter=1000, random_state=0).fit(X, y)
    assert model.n_taught_ == np.sum(y < 0)
    assert model.n_iter_ < 200
    whole = CoTraining(random_state=0).fit(X, np.arange(300) % 4)
    assert (whole.n_taught_, whole.n_iter_) == (0, 1)


@pytest.mark.parametrize(
    "classifier",
    [MultinomialNB(), LogisticRegression(), DecisionTreeClassifier(random_state=0)],
    ids=lambda each: type(each).__name__,
)
def test_any_classifier_of_a_view(classifier):
    """Those that are sure to the last bit, too: their product is a number."""
    X, y, truth = planted()
    model = CoTraining(estimator=classifier, max_iter=5, random_state=0).fit(X, y)
    assert {type(each) for each in model.estimators_} == {type(classifier)}
    chance = model.predict_proba(X)
    assert np.isfinite(chance).all()
    assert_allclose(chance.sum(axis=1), 1)
    assert model.score(X, truth) > 0.5
    assert not learned(classifier), "what was given stays unfitted"


@pytest.mark.parametrize("classifier", [SVC(), LogisticRegression, "bayes"], ids=str)
def test_what_is_no_classifier(classifier):
    """It needs probabilities, and an instance."""
    with pytest.raises(ValueError, match="but must be None or a classifier with predict_proba"):
        CoTraining(estimator=classifier).fit(np.eye(3), [0, 1, -1])


def test_without_predict_log_proba():
    """The logarithm of what there is, an impossible class being less than any other."""

    class Certain:
        def predict_proba(self, X):
            return np.array([[1.0, 0.0], [0.25, 0.75]])

    found = log_chances(Certain(), None)
    assert_allclose(found[1], np.log([0.25, 0.75]))
    assert found[0, 0] == 0
    assert -np.inf < found[0, 1] < -1e5


# ---- co-EM


@pytest.mark.parametrize("n_rounds", [0, 1, 4])
def test_co_em_step_by_step(n_rounds):
    """Each view learns from what the other one says, in dense NumPy."""
    X, y, _ = planted()
    dense, other = X.toarray(), y < 0
    views = slice(0, 35), slice(35, 80)
    model = CoEM(views, 1.0, max_iter=n_rounds, tol=0.0).fit(X, y)
    chance = np.where(other[:, np.newaxis], 0.0, np.eye(4)[y])
    first, second = (naive_bayes(dense[:, columns], chance) for columns in views)
    for _ in range(n_rounds):
        chance[other] = np.exp(said(dense[:, views[0]], *first)[other])
        second = naive_bayes(dense[:, views[1]], chance)
        chance[other] = np.exp(said(dense[:, views[1]], *second)[other])
        first = naive_bayes(dense[:, views[0]], chance)
    wanted = product(said(dense[:, views[0]], *first), said(dense[:, views[1]], *second))
    assert_allclose(model.predict_proba(X), wanted, rtol=1e-6, atol=1e-9)
    assert model.n_iter_ == n_rounds + 1
    assert_allclose(model.estimators_[0].feature_log_prob_, first[0].T, rtol=1e-8)
    assert_allclose(model.estimators_[1].class_log_prior_, second[1], rtol=1e-8)


def test_co_em_settles_where_nothing_moves():
    """By the mean of the changes: a larger tol ends it sooner, and one of 1 after a round."""
    X, y, _ = planted()
    number = [CoEM(random_state=0, tol=tol).fit(X, y).n_iter_ for tol in (1.0, 0.05, 1e-3)]
    assert number == sorted(number)
    assert number[0] == 2
    assert 2 < number[-1] < 31
    assert CoEM(random_state=0).fit(X, np.arange(300) % 4).n_iter_ == 1


def test_unlabeled_documents_help_co_em():
    """With few labels: better than the same views by the labels alone."""
    X, _, truth = hard()
    y = np.full(800, -1)
    for c in range(4):
        y[np.flatnonzero(truth == c)[:2]] = c
    alone, taught = (CoEM(alpha=0.1, max_iter=n, random_state=0).fit(X, y).score(X, truth) for n in (0, 30))
    assert taught > alone + 0.05


# ---- co-boosting


@st.composite
def boosting(draw):
    """Documents with words, sides, scores and weights of a problem or several."""
    n_documents, n_words, n_problems = (
        draw(st.integers(2, 9)),
        draw(st.integers(1, 6)),
        draw(st.integers(1, 3)),
    )
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    present = (rng.random((n_documents, n_words)) < 0.5).astype(float)
    side = rng.integers(-1, 2, (n_documents, n_problems)).astype(float)
    scores = rng.normal(0, draw(st.sampled_from([0.0, 1.0, 20.0])), (n_documents, n_problems))
    return present, side, scores, rng.random(n_documents) + 0.1


def loss_after(present, side, scores, weight, problem, word, step):
    """sum_i u_i exp(-y_i g(x_i)) of a problem, once a stump has joined; as a logarithm."""
    new = scores[:, problem] + step * present[:, word]
    terms = np.log(weight) - side[:, problem] * new
    return np.logaddexp.reduce(terms)


@given(boosting())
def test_the_best_stump_of_all(drawn):
    """No word, side and weight make Z smaller: all words are tried, each with its best weight."""
    present, side, scores, weight = drawn
    by_words = sparse.csr_array(present.T)
    words, steps = best_stumps(by_words, side, scores, weight, 1e-9)
    for problem, (word, step) in enumerate(zip(words, steps, strict=True)):
        found = loss_after(present, side, scores, weight, problem, word, step)
        for other in range(present.shape[1]):
            best = minimize_scalar(
                lambda at, word=other, problem=problem: loss_after(
                    present, side, scores, weight, problem, word, at
                ),
                bounds=(-8, 8),
                method="bounded",
            ).fun
            assert found <= best + 1e-6


@given(boosting(), st.sampled_from([1e-6, 0.01, 1.0]))
def test_a_stump_never_raises_the_loss(drawn, epsilon):
    """Whatever epsilon: it makes a step shorter, not longer than the best."""
    present, side, scores, weight = drawn
    words, steps = best_stumps(sparse.csr_array(present.T), side, scores, weight, epsilon)
    for problem, (word, step) in enumerate(zip(words, steps, strict=True)):
        before, after = (loss_after(present, side, scores, weight, problem, word, at) for at in (0.0, step))
        assert after <= before + 1e-12


def test_the_weight_of_a_stump_by_hand():
    """W+ = 2/4 and W- = 1/4 of four documents that weigh the same."""
    present = sparse.csr_array(np.array([[1.0, 1, 1, 0]]))
    side = np.array([[1.0], [1], [-1], [-1]])
    word, step = best_stumps(present, side, np.zeros((4, 1)), np.ones(4), 0.1)
    assert word.tolist() == [0]
    assert_allclose(step, np.log(0.6 / 0.35) / 2)


def test_documents_that_weigh_nothing_do_not_count_however_large_their_loss():
    """The last one, of which the views say opposite things, has a loss of 800, labeled ones of -800."""
    present = sparse.csr_array(np.array([[1.0, 1, 1, 0, 0], [0, 0, 0, 1, 1]]))
    side, scores = np.array([[1.0], [1], [-1], [-1], [-1]]), np.array([[800.0], [800], [-800], [-800], [800]])
    word, step = best_stumps(present, side, scores, np.array([1.0, 1, 1, 1, 0]), 0.1)
    assert word.tolist() == [1]
    assert_allclose(step, np.log(0.1 / 0.35) / 2)


@pytest.mark.parametrize("total", [None, 0.5, 0.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_co_boosting_round_by_round(n_classes, total):
    """Pseudo-labels from the other view a round ago, distributions and stumps, problem by problem."""
    X, y, _ = planted()
    y = np.where(y < 0, -1, y % n_classes)
    present, known = (X.toarray() > 0).astype(float), y >= 0
    views = slice(0, 35), slice(35, 80)
    model = CoBoost(views, 6, total, epsilon=0.01).fit(X, y)
    weight = np.ones(300)
    if total is not None:
        weight[~known] = total * known.sum() / (~known).sum()
    for y_of in range(n_classes):
        truth = np.where(y == y_of, 1, -1)
        g = np.zeros((2, 300))
        for _ in range(6):
            old = g.copy()
            for j in (0, 1):
                label = np.where(known, truth, np.sign(old[1 - j]))
                share = weight * np.exp(-label * g[j])
                share /= share.sum()
                lowest = np.inf
                for column in range(*views[j].indices(80)):
                    has = present[:, column] == 1
                    plus, minus = share[has & (label > 0)].sum(), share[has & (label < 0)].sum()
                    z = 1 - plus - minus + 2 * np.sqrt(plus * minus)
                    if z < lowest - 1e-12:
                        lowest, word, step = z, column, np.log((plus + 0.01) / (minus + 0.01)) / 2
                g[j] += step * present[:, word]
        scores = sum(
            present[:, columns] @ stumps[y_of] for columns, stumps in zip(views, model.stumps_, strict=True)
        )
        assert_allclose(scores, g.sum(axis=0), rtol=1e-8, atol=1e-10)
    if n_classes == 2:
        assert_array_equal(model.stumps_[0][0], -model.stumps_[0][1])


def test_half_the_log_odds():
    """P = 1 / (1 + exp(-2f)) of two classes."""
    X, y, _ = planted()
    y = np.where(y < 0, -1, y % 2)
    model = CoBoost(random_state=0).fit(X, y)
    present = (X.toarray() > 0).astype(float)
    f = sum(present[:, c] @ stumps[1] for c, stumps in zip(model.views_, model.stumps_, strict=True))
    assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * f)), rtol=1e-9)


def test_boosting_learns_the_labels():
    """All documents labeled: errors at them become few, and counts beyond presence change nothing."""
    X, _, truth = hard()
    few, many = (CoBoost(max_iter=n, random_state=0).fit(X, truth) for n in (3, 100))
    assert few.score(X, truth) < 0.9
    assert many.score(X, truth) > 0.98
    assert_same_bits(CoBoost(max_iter=100, random_state=0).fit(X.multiply(X).tocsr(), truth), many)


def test_unlabeled_documents_that_drown_the_labels():
    """As published all of them count as much as labels, and the views agree on what is nearly one class."""
    X, _, truth = hard()
    y = np.where(np.arange(800) % 25 == 0, truth, -1)
    published, ours = (CoBoost(unlabeled_total=each, random_state=0).fit(X, y) for each in (None, 0.3))
    assert ours.score(X, truth) > published.score(X, truth) + 0.1


# ---- odd documents


@models
@pytest.mark.filterwarnings("ignore:.*no word")
def test_odd_documents(model):
    """Empty ones, a view without a word, one label a class, huge and tiny counts: there is an answer."""
    X = np.zeros((6, 8))
    X[0, 0], X[1, 1], X[2, :2], X[3, 0] = 1, 1, 1, 1e12
    X[4, 1] = 1e-12
    found = type(model)(views=[slice(0, 4), slice(4, 8)], random_state=0).fit(
        X, ["a", "b", None, None, None, None]
    )
    chance = found.predict_proba(X)
    assert np.isfinite(chance).all()
    assert_allclose(chance.sum(axis=1), 1)
    assert found.predict(X)[[0, 1, 3]].tolist() == ["a", "b", "a"]


@models
def test_nothing_of_naive_bayes_is_computed_in_float32(model):
    """Counts in float32 have the same answer as in float64."""
    X, y, _ = planted()
    assert_same_bits(model.fit(X.astype(np.float32), y).predict_proba(X), model.fit(X, y).predict_proba(X))


def test_naive_bayes_of_labels_alone():
    """Without rounds it is scikit-learn's, multiplied."""
    X, y, _ = planted()
    model = CoTraining(estimator=MultinomialNB(), max_iter=0, random_state=0).fit(X, y)
    known = y >= 0
    logs = [MultinomialNB().fit(X[known][:, c], y[known]).predict_log_proba(X[:, c]) for c in model.views_]
    assert_allclose(model.predict_proba(X), product(*logs), rtol=1e-9, atol=1e-12)
