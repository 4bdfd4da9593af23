"""What is peculiar to other people's ways to learn from labeled and unlabeled documents."""

from functools import partial
from itertools import combinations, pairwise

import drawing
import numpy as np
import pytest
from helpers import partly_labeled
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import check_grad
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC

from plsa import ClassificationEM, EntropyMinimization, MislabelingLogistic, SelfTraining, TransductiveSVM
from plsa.baselines.choices import best_setting
from plsa.baselines.transductive import switched
from plsa.labels.reading import Labels
from plsa.learning.logistic import (
    descend,
    entropy,
    learned_mislabeling,
    objective,
    surprise,
    surprise_at_guesses,
    with_others,
)

RIVALS = [TransductiveSVM, SelfTraining, EntropyMinimization, ClassificationEM, MislabelingLogistic]
LOGISTIC = [EntropyMinimization, ClassificationEM, MislabelingLogistic]


def few_labels():
    """800 documents of four classes, two labels of each."""
    X, _, truth = partly_labeled(800, 800, 4, seed=0, document_length=30, word_concentration=0.6)
    y = np.full(800, -1)
    for code in range(4):
        y[np.flatnonzero(truth == code)[:2]] = code
    return X, y, truth


def vectors_of(model, X):
    """The documents as a fitted model sees them."""
    return normalize(model.scaler_.transform(X.astype(np.float64)).toarray())


# ---- all of them


@pytest.mark.parametrize("kind", RIVALS)
@given(data=st.data())
def test_odd_documents_and_labels(kind, data):
    """Empty, tiny and huge documents, one class or several, all labeled or next to none: an answer each."""
    X, _ = data.draw(drawing.messy_counts(unusual=(0.0, 0.5, 1e-6, 1e6)))
    code, y = data.draw(drawing.partial_labels(X.shape[0]))
    if X.sum() == 0:
        with pytest.raises(ValueError, match="not one word"):
            kind().fit(X, y)
        return
    model = kind().fit(X, y)
    assert set(model.predict(X)) <= set(model.classes_)
    assert_array_equal(model.guesses_[code >= 0], model.classes_[code[code >= 0]])
    if hasattr(model, "transduction_"):
        assert_allclose(model.transduction_.sum(axis=1), 1)
        assert_allclose(model.transduction_[code < 0], model.predict_proba(X)[code < 0])
        assert_array_equal(model.guesses_, model.classes_[model.transduction_.argmax(axis=1)])
    else:
        assert_array_equal(model.guesses_[code < 0], model.predict(X)[code < 0])


@pytest.mark.parametrize("kind", RIVALS)
def test_one_document_without_a_label(kind):
    """It gets its class; of the transductive SVM what half a document rounds to."""
    X = np.array([[3.0, 1, 0, 0], [2, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 2], [0, 1, 0, 2]])
    model = kind().fit(X, ["a", "a", "b", "b", None])
    assert_array_equal(model.guesses_, ["a", "a", "b", "b", "a" if kind is TransductiveSVM else "b"])


# ---- the transductive SVM


@given(st.lists(st.tuples(st.booleans(), st.floats(-4, 4)), max_size=30), st.floats(0.01, 100))
def test_switching_lowers_the_objective(documents, balance):
    """As many of each sign; what slacks cost falls, whatever those of t = 1 cost; else no pair would do."""
    sign = np.array([1 if positive else -1 for positive, _ in documents], dtype=np.intp)
    score = np.array([score for _, score in documents])

    def slack(sign):
        return np.maximum(0, 1 - sign * score)

    def cost(sign):
        return np.sum(np.where(sign == 1, balance, 1.0) * slack(sign))

    chosen = switched(sign, score)
    after = sign.copy()
    after[chosen] *= -1
    assert after.sum() == sign.sum()
    if len(chosen):
        assert cost(after) < cost(sign)
    else:
        worst = [slack(sign)[sign == each].max(initial=0) for each in (1, -1)]
        assert min(worst) == 0 or sum(worst) <= 2


def hinge_objective(matrix, sign, cost):
    """|w|^2 / 2 + sum cost slack at its least, the intercept among w."""
    machine = LinearSVC(loss="hinge", C=1.0, tol=1e-8, max_iter=10**6).fit(matrix, sign, sample_weight=cost)
    slack = np.maximum(0, 1 - sign * machine.decision_function(matrix))
    return np.sum(machine.coef_**2) / 2 + machine.intercept_[0] ** 2 / 2 + cost @ slack


def test_the_guesses_are_the_best_of_all():
    """Of all ways to guess with the share of the labels, theirs has the least objective."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.poisson([3, 2, 0.5, 0.5], (6, 4)), rng.poisson([0.5, 0.5, 2, 3], (6, 4))]) + 0.0
    X[X.sum(axis=1) == 0, 0] = 1
    y = np.full(12, -1)
    y[[0, 1, 6, 7]] = 0, 0, 1, 1
    model = TransductiveSVM(first_cost=0.01).fit(X, y)
    matrix, untold = vectors_of(model, X), np.flatnonzero(y < 0)
    cost = np.ones(12)
    tried = {}
    for chosen in combinations(range(len(untold)), len(untold) // 2):
        sign = np.where(y == 1, 1, -1)
        sign[untold[list(chosen)]] = 1
        tried[chosen] = hinge_objective(matrix, sign, cost)
    found = tuple(np.flatnonzero(model.guesses_[untold] == 1).tolist())
    assert tried[found] == min(tried.values())
    assert sorted(tried.values())[1] > min(tried.values()) * 1.01, "there is something to choose from"


def test_all_labeled_is_a_linear_svm():
    """One against the rest, with hinges; of two classes one machine."""
    X, _, truth = partly_labeled(200, 100, document_length=30)
    model = TransductiveSVM(0.5).fit(X, truth)
    machine = LinearSVC(C=0.5, loss="hinge", max_iter=5000, random_state=0)
    for code in range(4):
        machine.fit(vectors_of(model, X), truth == code)
        assert_allclose(model.coef_[code], machine.coef_[0], rtol=1e-6, atol=1e-9)
    assert model.n_iter_ == 4
    two = TransductiveSVM(0.5).fit(X, truth > 1)
    machine.fit(vectors_of(two, X), truth > 1)
    assert two.coef_.shape == (1, 100)
    assert_allclose(two.decision_function(X), machine.decision_function(vectors_of(two, X)), atol=1e-9)
    one = TransductiveSVM().fit(X, np.where(truth == 0, "only", None))
    assert one.coef_.shape == (0, 100)


def test_the_documents_without_a_label_teach():
    """Two labels a class of 200: more than ten points better than the machine of the labels."""
    X, y, truth = few_labels()
    right = TransductiveSVM().fit(X, y).score(X[y < 0], truth[y < 0])
    labels_only = TransductiveSVM().fit(X[y >= 0], y[y >= 0]).score(X[y < 0], truth[y < 0])
    assert right > labels_only + 0.1
    # Where what is guessed costs next to nothing, there is next to nothing to learn from it.
    weak = TransductiveSVM(unlabeled_weight=1e-9, first_cost=1e-10).fit(X, y).score(X[y < 0], truth[y < 0])
    assert abs(weak - labels_only) < 0.05


def test_a_setting_is_chosen_by_labels_that_it_was_not_shown():
    """The one that has most of them right, the first of equals; the usual one where labels are few."""
    X, y, truth = few_labels()
    y[:60] = truth[:60]
    matrix, labels = sparse.csr_array(normalize(X.astype(float))), Labels.of(y[y >= 0], y < 0)
    seen = np.zeros(len(y), dtype=int)

    def scores(matrix, shown, setting):
        held = labels.labeled & ~shown.labeled
        assert_array_equal(shown.code[~held], labels.code[~held])
        seen[held] += setting == 0
        n_right = {0: 10, 1: 12, 2: 12, 3: 11}[setting]
        said = np.where(np.cumsum(held) <= n_right, truth, 3 - truth)
        return np.eye(4)[said]

    assert best_setting(matrix, labels, [0, 1, 2, 3], 7, scores) == 1
    assert_array_equal(seen, labels.labeled)
    few = labels.part(np.arange(2))
    assert best_setting(matrix[:2], few, [0, 1, 2, 3], 7, scores) == 7


def test_a_cost_of_its_own():
    """C="auto" is one of three, and a fit with it is the same."""
    X, y, _ = partly_labeled(150, 100, every=4, document_length=30, word_concentration=0.3)
    model = TransductiveSVM("auto").fit(X, y)
    assert model.C_ in (0.3, 1.0, 3.0)
    assert_array_equal(TransductiveSVM(model.C_).fit(X, y).coef_, model.coef_)


def test_a_machine_that_does_not_settle_is_told(monkeypatch):
    """In the end, once; those on the way are of no account."""
    X, y, _ = partly_labeled(150, 100, every=4, document_length=30, word_concentration=0.3)
    monkeypatch.setattr("plsa.baselines.transductive._PASSES", 2)
    with pytest.warns(UserWarning, match="C == 1 has a machine that did not settle in 2 passes") as told:
        TransductiveSVM().fit(X, y)
    assert len(told) == 1


# ---- self-training


@pytest.mark.parametrize(
    ("parameters", "theirs"),
    [
        ({}, {}),
        ({"threshold": 0.9, "max_iter": 2}, {"threshold": 0.9, "max_iter": 2}),
        ({"k_best": 7, "max_iter": 4}, {"criterion": "k_best", "k_best": 7, "max_iter": 4}),
        ({"classifier": LogisticRegression(C=1e4)}, {}),
    ],
)
def test_self_training_is_that_of_scikit_learn(parameters, theirs):
    """On the same vectors; the classifier that is handed in stays as it is."""
    X, y, _ = few_labels()
    model = SelfTraining(**parameters).fit(X, y)
    classifier = parameters.get("classifier", MultinomialNB(alpha=0.01, fit_prior=False))
    assert not hasattr(classifier, "classes_")
    wanted = SelfTrainingClassifier(clone(classifier), **{"max_iter": None} | theirs)
    wanted.fit(vectors_of(model, X), y)
    assert_allclose(model.predict_proba(X), wanted.predict_proba(vectors_of(model, X)), rtol=1e-9, atol=1e-12)
    assert_array_equal(model.labeled_iter_, wanted.labeled_iter_)
    assert_array_equal(model.labeled_iter_ == 0, y >= 0)
    assert model.n_iter_ == wanted.n_iter_ >= model.labeled_iter_.max() > 0


# ---- logistic regression, whatever the loss


def a_problem(seed=0, n_documents=12, n_words=5, n_classes=3):
    """Vectors, labels of half of them, guesses for the others, P(guess|class), weights."""
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_array(normalize(rng.poisson(1.0, (n_documents, n_words)) + 0.0))
    code = rng.integers(0, n_classes, n_documents).astype(np.int32)
    known = np.arange(n_documents) % 2 == 0
    code[:n_classes] = np.arange(n_classes)
    labels = Labels(np.arange(n_classes), np.where(known, code, -1).astype(np.int32))
    mislabeling = rng.dirichlet(np.ones(n_classes), n_classes).T
    return matrix, labels, code[~known], mislabeling, rng.normal(0, 3, (n_words, n_classes))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["labels", "entropy", "guesses", "certain guesses"])
def test_slopes_are_those_of_finite_differences(kind, seed):
    """Of all losses, with the regularization, at random weights."""
    matrix, labels, guess, mislabeling, weights = a_problem(seed)
    losses = {
        "labels": partial(surprise, np.maximum(labels.code, 0)),
        "entropy": with_others(labels, entropy, 0.7),
        "guesses": with_others(labels, partial(surprise_at_guesses, guess, mislabeling), 0.7),
        "certain guesses": with_others(labels, partial(surprise_at_guesses, guess, np.eye(3))),
    }
    of_weights = objective(matrix, losses[kind], 2.0)
    at = weights.ravel()
    error = check_grad(lambda row: of_weights(row)[0], lambda row: of_weights(row)[1], at)
    assert error < 1e-5 * np.linalg.norm(of_weights(at)[1])


def test_losses_term_by_term():
    """As their formulas have them, document by document."""
    matrix, labels, guess, mislabeling, weights = a_problem()
    dense, known = matrix.toarray(), labels.labeled
    p = softmax(dense @ weights, axis=1)
    of_labels = -sum(np.log(p[d, labels.code[d]]) for d in np.flatnonzero(known))
    of_entropy = -sum(p[d, c] * np.log(p[d, c]) for d in np.flatnonzero(~known) for c in range(3))
    of_guesses = -sum(
        np.log(sum(mislabeling[z, h] * p[d, h] for h in range(3)))
        for d, z in zip(np.flatnonzero(~known), guess, strict=True)
    )
    log_p = log_softmax(dense @ weights, axis=1)
    assert_allclose(with_others(labels, entropy, 0.3)(log_p)[0], of_labels + 0.3 * of_entropy)
    guessed = with_others(labels, partial(surprise_at_guesses, guess, mislabeling))
    assert_allclose(guessed(log_p)[0], of_labels + of_guesses)
    assert_allclose(
        objective(matrix, guessed, 4.0)(weights.ravel())[0], np.sum(weights**2) / 8 + of_labels + of_guesses
    )


def test_extreme_scores():
    """Where one class is certain there is no surprise, no entropy, and no NaN."""
    log_p = log_softmax(np.array([[0.0, 2000.0, -2000.0], [800.0, 0.0, 0.0]]), axis=1)
    for loss in (
        entropy,
        partial(surprise, np.array([1, 0])),
        partial(surprise_at_guesses, [1, 0], np.eye(3)),
    ):
        value, slope = loss(log_p)
        assert value == 0
        assert_array_equal(slope, np.zeros((2, 3)))
    assert np.isfinite(surprise_at_guesses(np.array([2, 1]), np.eye(3), log_p)[0])


def test_a_descent_ends_where_scikit_learns_does():
    """Of labels alone it is LogisticRegression without an intercept."""
    X, _, truth = partly_labeled(200, 100, document_length=30)
    matrix = sparse.csr_array(normalize(X.astype(float)))
    found = descend(matrix, partial(surprise, truth), np.zeros((100, 4)), 5.0, 10_000, 1e-14)
    wanted = LogisticRegression(C=5.0, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(matrix, truth)
    # Softmax does not change where all classes have the same added: the least |B| has none.
    assert_allclose(found.weights.T, wanted.coef_ - wanted.coef_.mean(axis=0), atol=1e-4)
    assert found.settled
    assert not descend(matrix, partial(surprise, truth), np.zeros((100, 4)), 5.0, 2, 0.0).settled


@given(st.integers(0, 1000), st.integers(2, 5), st.booleans())
def test_mistakes_are_learned(seed, n_classes, diagonal):
    """Columns are distributions, what is 0 stays so, and no other a makes the guesses more likely."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.3), 40)
    guess = np.array([rng.choice(n_classes, p=row) for row in p])
    start = np.eye(n_classes) if diagonal else rng.dirichlet(np.ones(n_classes), n_classes).T

    def likelihood(a):
        return np.log(np.maximum((a[guess] * p).sum(axis=1), 1e-300)).sum()

    found = learned_mislabeling(guess, p, start)
    assert_allclose(found.sum(axis=0), 1)
    assert_array_equal(found[start == 0], 0)
    assert likelihood(found) >= likelihood(start) - 1e-9
    if diagonal:
        assert_array_equal(found, start)
        return
    for _ in range(20):
        other = rng.dirichlet(np.full(n_classes, 0.5), n_classes).T
        for step in (1e-3, 0.1, 1.0):
            assert likelihood((1 - step) * found + step * other) <= likelihood(found) + 1e-3


# ---- what the estimators make of it


@pytest.mark.parametrize("kind", LOGISTIC)
def test_all_labeled_is_logistic_regression(kind):
    """There is nothing to be sure of, and nothing to guess."""
    X, _, truth = partly_labeled(200, 100, document_length=30)
    model = kind(5.0, tol=1e-13, max_iter=10_000).fit(X, truth)
    wanted = LogisticRegression(C=5.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    wanted.fit(vectors_of(model, X), truth)
    assert_allclose(model.predict_proba(X), wanted.predict_proba(vectors_of(model, X)), atol=1e-4)


def mean_entropy(p):
    return -np.mean(np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1))


def test_the_more_entropy_counts_the_less_there_is():
    """And what was made small is the formula."""
    X, y, _ = few_labels()
    before = None
    for weight in (0.0, 0.1, 1.0, 10.0):
        model = EntropyMinimization(10.0, entropy_weight=weight).fit(X, y)
        p = model.predict_proba(X)
        known = y >= 0
        of_labels = -np.log(p[known, y[known]]).sum()
        of_others = weight * known.sum() * mean_entropy(p[~known])
        assert_allclose(model.objective_, np.sum(model.coef_**2) / 20 + of_labels + of_others, rtol=1e-9)
        assert model.entropy_weight_ == weight
        assert before is None or mean_entropy(p[~known]) < before
        before = mean_entropy(p[~known])


def test_the_weight_of_entropy_is_chosen():
    """One of four, with which a fit is the same; 0 where nothing can be held out."""
    X, y, _ = partly_labeled(150, 100, every=4, document_length=30, word_concentration=0.3)
    model = EntropyMinimization().fit(X, y)
    assert model.entropy_weight_ in (0.0, 0.1, 0.3, 1.0)
    same = EntropyMinimization(entropy_weight=model.entropy_weight_).fit(X, y)
    assert_array_equal(same.coef_, model.coef_)
    assert EntropyMinimization().fit(X[:5], [0, 1, -1, -1, -1]).entropy_weight_ == 0


def test_too_few_steps_are_told():
    """Of L-BFGS, and of rounds."""
    X, y, _ = few_labels()
    with pytest.warns(UserWarning, match="EntropyMinimization did not settle in max_iter == 2 steps"):
        EntropyMinimization(entropy_weight=1.0, max_iter=2).fit(X, y)
    with pytest.warns(UserWarning, match="ClassificationEM did not settle in most_rounds == 1 rounds"):
        model = ClassificationEM(most_rounds=1, tol=0.0).fit(X, y)
    assert model.n_iter_ == 1
    assert len(model.objective_trace_) == 2


@pytest.mark.filterwarnings("ignore:.* did not settle")
@pytest.mark.parametrize("kind", [ClassificationEM, partial(MislabelingLogistic, init="random")])
@given(data=st.data())
def test_the_objective_never_falls(kind, data):
    """From round to round, whatever the documents, the labels, and how often guesses are wrong at first."""
    X, _ = data.draw(drawing.messy_counts(unusual=(0.0, 0.5, 1e-6, 1e6)))
    _, y = data.draw(drawing.partial_labels(X.shape[0]))
    if X.sum() == 0:
        return
    C, max_iter = data.draw(st.sampled_from([0.1, 1.0, 100.0])), data.draw(st.sampled_from([1, 3, 100]))
    seed = {} if kind is ClassificationEM else {"random_state": data.draw(st.integers(0, 9))}
    model = kind(C, max_iter=max_iter, most_rounds=8, tol=0.0, **seed).fit(X, y)
    for before, after in pairwise(model.objective_trace_):
        assert after >= before - 1e-9 * max(1, abs(before))


def test_guesses_are_labels_in_the_end():
    """A regression of labels and guesses has the same weights, and guesses the same."""
    X, y, _ = few_labels()
    model = ClassificationEM(1.0, tol=1e-13, max_iter=10_000).fit(X, y)
    wanted = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    wanted.fit(vectors_of(model, X), model.guesses_)
    assert_allclose(model.coef_, wanted.coef_ - wanted.coef_.mean(axis=0), atol=1e-4)
    p = model.predict_proba(X)
    total = np.log(p[np.arange(len(y)), model.guesses_]).sum()
    assert_allclose(model.objective_trace_[-1], total - np.sum(model.coef_**2) / 2, rtol=1e-9)
    labels_only = EntropyMinimization(1.0, entropy_weight=0.0).fit(X, y)
    assert np.mean(labels_only.guesses_ != model.guesses_) > 0.01, "guesses have changed on the way"


@pytest.mark.parametrize("init", ["diagonal", "random"])
def test_what_a_model_of_mistakes_climbs(init):
    """Its formula: a guess is the z with the highest sum_h a[z, h] P(h|x), and is surprising as that says."""
    X, y, _ = few_labels()
    model = MislabelingLogistic(10.0, init=init, random_state=1).fit(X, y)
    p, known = model.predict_proba(X), y >= 0
    assert_allclose(model.mislabeling_.sum(axis=0), 1)
    of_guesses = (p[~known] @ model.mislabeling_.T).max(axis=1)
    total = np.log(p[known, y[known]]).sum() + np.log(of_guesses).sum() - np.sum(model.coef_**2) / 20
    assert_allclose(model.objective_trace_[-1], total, rtol=1e-9)
    assert model.n_iter_ == len(model.objective_trace_) - 1


@pytest.mark.parametrize("init", ["diagonal", "random"])
def test_where_a_model_of_mistakes_begins(init):
    """At the regression of the labels, with the best guesses under the a that it starts with."""
    X, y, _ = few_labels()
    model = MislabelingLogistic(10.0, init=init, random_state=3).fit(X, y)
    first = EntropyMinimization(10.0, entropy_weight=0.0).fit(X, y)
    p, known = first.predict_proba(X), y >= 0
    start = np.full((4, 4), 0.125) + np.eye(4) / 2
    if init == "random":
        start = np.random.RandomState(3).dirichlet(np.ones(4), 4)  # P(guess|class) of a class in a row
    of_guesses = [max(sum(start[h, z] * row[h] for h in range(4)) for z in range(4)) for row in p[~known]]
    total = np.log(p[known, y[known]]).sum() + np.log(of_guesses).sum() - np.sum(first.coef_**2) / 20
    assert_allclose(model.objective_trace_[0], total, rtol=1e-9)


def test_a_round_begins_where_the_last_one_ended():
    """Many rounds of few steps lead as high as few rounds of many."""
    X, y, _ = few_labels()
    steps = ClassificationEM(10.0, max_iter=2, most_rounds=1000).fit(X, y)
    assert steps.n_iter_ > 5
    reached = ClassificationEM(10.0).fit(X, y).objective_trace_[-1]
    assert steps.objective_trace_[-1] > 1.05 * reached
    assert steps.objective_trace_[1] < 1.2 * reached < 0


def test_where_mistakes_start():
    """The seed has a say in a random start, and in no other."""
    X, y, _ = few_labels()
    fits = {
        (init, seed): MislabelingLogistic(init=init, random_state=seed).fit(X, y)
        for init in ("diagonal", "random")
        for seed in (0, 1, 2)
    }
    for seed in (1, 2):
        assert_array_equal(fits["diagonal", 0].coef_, fits["diagonal", seed].coef_)
        assert np.abs(fits["random", 0].coef_ - fits["random", seed].coef_).max() > 0.01
