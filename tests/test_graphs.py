"""Graphs of documents, labels that spread over them, and cuts: against dense algebra and brute force."""

import tracemalloc
import warnings
from itertools import product

import numpy as np
import pytest
from cases import corpus, new_documents
from helpers import assert_same_bits, assert_usable
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from plsa import ActiveLearner, GraphClassifier, MinCut
from plsa.active.field import _TIE, field_risks
from plsa.baselines import neighbors, propagation
from plsa.baselines.mincut import _UNIT, capacities, minimum_cut
from plsa.baselines.neighbors import Space, nearest
from plsa.datasets import planted_corpus
from plsa.labels.reading import Labels

pytestmark = pytest.mark.filterwarnings("ignore:y labels:UserWarning", "ignore:.*no word that the fit")
METHODS = ["spreading", "harmonic", "random walk", "linear neighborhoods", "sgt"]


def places(n, dimensions, seed=0):
    """Unit vectors of positive numbers."""
    found = np.random.default_rng(seed).dirichlet(np.full(dimensions, 0.5), n)
    return normalize(found).astype(np.float32)


@st.composite
def graphs(draw, n_classes=2):
    """A small weighted graph, maybe in pieces, and Y with a label of each class."""
    n = draw(st.integers(n_classes, 9))
    cells = draw(st.lists(st.sampled_from([0.0, 0.0, 0.2, 0.5, 1.0]), min_size=n * n, max_size=n * n))
    upper = np.triu(np.reshape(cells, (n, n)), 1)
    code = [*range(n_classes), *draw(st.lists(st.integers(-1, n_classes - 1), min_size=n, max_size=n))][:n]
    code = np.array(draw(st.permutations(code)))
    start = np.eye(n_classes)[code] * (code >= 0)[:, np.newaxis]
    return sparse.csr_array(upper + upper.T), start, code >= 0


# --- neighbors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(700, 5), (300, 40), (3, 2), (40, 1)])
def test_the_nearest_are_the_nearest(n, k, monkeypatch):
    """All pairs, tile by tile and block by block, are what a dense table of cosines says."""
    monkeypatch.setattr(neighbors, "_TILE", 128)
    monkeypatch.setattr(neighbors, "_QUERIES", 50)
    X, new = places(n, 6), places(33, 6, seed=1)
    cosine = X.astype(float) @ X.T.astype(float)
    np.fill_diagonal(cosine, -1)
    found = nearest(X, X, k, others=True)
    assert_allclose(found.cosine, -np.sort(-cosine, axis=1)[:, :k], atol=1e-8)
    assert_allclose(np.take_along_axis(cosine, found.document, axis=1), found.cosine, atol=1e-8)
    cosine = new.astype(float) @ X.T.astype(float)
    found = nearest(new, X, k)
    assert_allclose(found.cosine, -np.sort(-cosine, axis=1)[:, :k], atol=1e-8)
    assert_allclose(np.take_along_axis(cosine, found.document, axis=1), found.cosine, atol=1e-8)


def test_of_equals_the_first_is_nearer(monkeypatch):
    """Whatever tile and block they stand in; and a document is no neighbor of its own."""
    monkeypatch.setattr(neighbors, "_TILE", 32)
    X = np.tile(np.eye(3, dtype=np.float32), (7, 1))
    found = nearest(X, X, 3, others=True)
    assert_array_equal(found.document[:3], [[3, 6, 9], [4, 7, 10], [5, 8, 11]])
    assert_array_equal(found.document[3], [0, 6, 9])
    assert_array_equal(found.cosine, np.ones((21, 3)))


def test_neighbors_where_there_are_few():
    """No more than there are; none that has nothing in common, or is empty."""
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 0]], dtype=np.float32)
    found = nearest(X, X, 10, others=True)
    assert found.document.shape == (4, 3)
    assert_array_equal(found.graph().toarray(), [[0, 1, 0, 0], [1, 0, 0, 0], [0] * 4, [0] * 4])
    assert_array_equal(nearest(X, X, 10).cosine, [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0], [0] * 4])
    row = normalize(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0.9], [0, 0, 1]])).astype(np.float32)
    near = nearest(row, row, 1, others=True)  # 0 -> 1 -> 0, 2 -> 3 -> 2, and with two neighbors 1 - 2
    assert_allclose(near.graph().toarray()[0], [0, 0.25, 0, 0], atol=1e-6)
    near = nearest(row[:3], row[:3], 1, others=True)  # 0 -> 1, 1 -> 0, 2 -> 1
    assert_allclose(near.graph().toarray()[1], [0.25, 0, 0.5**2 / 1.81**2, 0][:3], atol=1e-6)
    assert_allclose(near.shared_graph().toarray()[1], [1, 0, 0.5], atol=1e-6)
    alone = nearest(X[:1], X[:1], 5, others=True)
    assert alone.document.shape == (1, 0)
    assert alone.graph().nnz == 0
    assert nearest(X[:0], X, 2).document.shape == (0, 2)


def test_the_space_of_all_dimensions_keeps_cosines():
    """With as many dimensions as words there is nothing but TF-IDF; with fewer, the nearest space."""
    X = sparse.csr_array(normalize(corpus()[0].astype(float)))
    everything = Space.of(X, 1000).places(X)
    assert_allclose(everything @ everything.T, (X @ X.T).toarray(), atol=1e-6)
    few = Space.of(X, 5)
    assert few.words.shape == (100, 5)
    singular = np.linalg.svd(X.toarray())[2][:5]
    assert_allclose(few.words @ few.words.T, singular.T @ singular, atol=0.01)


def test_memory_is_not_of_all_pairs():
    """Far below an array of documents x documents."""
    data = planted_corpus(6000, 100, 2, n_classes=2, document_length=10, random_state=0)
    y = np.where(np.arange(6000) % 50 == 0, data.target, -1)
    tracemalloc.start()
    GraphClassifier(n_neighbors=5, n_dimensions=10, n_threads=1).fit(data.counts, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6000 * 6000 * 4 / 4


# --- the methods against dense algebra -----------------------------------------------------------


@given(graphs(n_classes=3))
def test_the_harmonic_function_is_that_of_linear_algebra(drawn):
    """f_u = -L_uu^-1 L_ul f_l where a label is reached, else 0; and every value is the mean around it."""
    graph, start, labeled = drawn
    W = graph.toarray()
    L = np.diag(W.sum(axis=1)) - W
    reached = propagation.reached(graph, labeled)
    path = np.linalg.matrix_power(W + np.eye(len(W)), len(W))
    assert_array_equal(reached, (path[:, labeled] > 0).any(axis=1))
    found, u = propagation.harmonic(graph, start, labeled), reached & ~labeled
    wanted = -np.linalg.solve(L[np.ix_(u, u)], L[np.ix_(u, labeled)] @ start[labeled])
    assert_allclose(found[u], wanted, atol=1e-5)
    assert_allclose(found[u].sum(axis=1), 1, atol=1e-5)
    assert_array_equal(found[labeled], start[labeled])
    assert not found[~reached].any()


def test_the_harmonic_function_is_finite_where_edges_are_next_to_nothing():
    """1 and 2 are joined with 0, which has a label, by an edge that is lost beside the one between them."""
    edges = [1.0, 1e-30], ([1, 0], [2, 1])
    graph = sparse.csr_array(edges, shape=(3, 3))
    graph = sparse.csr_array(graph + graph.T)
    found = propagation.harmonic(graph, np.eye(3, 2), np.array([True, False, False]))
    assert np.all((found >= 0) & (found <= 1))


def test_what_is_rounding_joins_no_documents():
    """A cosine of 1e-8 is that of documents without a word in common."""
    places = np.array([[1, 0, 0], [1, 1e-8, 0], [0, 1, 0], [1e-4, 0, 1]], dtype=np.float32)
    near = nearest(places, places, 3, others=True)
    assert_allclose(
        near.matrix(near.cosine).toarray()[:, :3], [[0, 1, 0], [1, 0, 0], [0, 0, 0], [1e-4] * 2 + [0]]
    )


@given(graphs(n_classes=3), st.sampled_from([0.1, 0.9, 0.99]))
def test_spreading_is_that_of_linear_algebra(drawn, alpha):
    """(1 - a) (I - a S)^-1 Y."""
    graph, start, _ = drawn
    W = graph.toarray()
    degree = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1)
    S = W / np.sqrt(np.outer(degree, degree))
    wanted = (1 - alpha) * np.linalg.solve(np.eye(len(W)) - alpha * S, start)
    assert_allclose(propagation.spreading(graph, start, alpha), wanted, atol=1e-5)


@given(graphs(), st.integers(1, 4))
def test_random_walks_are_those_of_matrix_powers(drawn, steps):
    """P(y|j) = sum_i P(y|i) P_0|t(i|j), P(y|i) by EM, whose likelihood never falls."""
    graph, start, labeled = drawn
    A = graph.toarray() + np.eye(graph.shape[0])
    A /= A.sum(axis=1, keepdims=True)
    power = np.linalg.matrix_power(A, steps)
    begun_at = power / power.sum(axis=0)  # [i, j]: P_0|t(i|j)
    chance = np.full(start.shape, 0.5)
    likelihood = []
    for _ in range(propagation._ROUNDS):
        posterior = begun_at.T @ chance
        likelihood.append((start * np.log(np.where(start > 0, posterior, 1))).sum())
        joint = chance * (begun_at @ (start / np.where(posterior > 0, posterior, 1)))
        total = joint.sum(axis=1, keepdims=True)
        chance = np.where(total > 0, joint / np.where(total > 0, total, 1), 0)
    assert np.diff(likelihood[1:]).min(initial=0) >= -1e-9
    assert_allclose(propagation.random_walk(graph, start, labeled, steps), begun_at.T @ chance, atol=1e-9)


def test_linear_neighborhoods_are_least_squares():
    """No other weights rebuild a document better; and labels spread by them as linear algebra says."""
    X = places(40, 4)
    near = nearest(X, X, 6, others=True)
    weights = propagation.reconstruction(near, X)
    assert_allclose(weights.sum(axis=1), 1)
    assert weights.data.min() > 0
    rng = np.random.default_rng(0)
    for document in range(40):
        apart = X[document] - X[near.document[document]]
        gram = apart @ apart.T
        gram += propagation._SOFTNESS * np.trace(gram) / 6 * np.eye(6)
        own = weights.toarray()[document, near.document[document]]
        others = np.vstack([rng.dirichlet(np.full(6, 0.5), 300), np.eye(6)])
        others = np.vstack([others, 0.99 * own + 0.01 * others])
        assert own @ gram @ own <= np.einsum("nj,jk,nk->n", others, gram, others).min() + 1e-6
    start = np.zeros((40, 2))
    start[[0, 1], [0, 1]] = 1
    wanted = 0.1 * np.linalg.solve(np.eye(40) - 0.9 * weights.toarray(), start)
    assert_allclose(propagation.linear_neighborhoods(weights, start, 0.9), wanted, atol=1e-5)


def test_the_eigenvectors_are_those_of_the_dense_laplacian(monkeypatch):
    """By Lanczos as by dense algebra: the same space, the trivial vector left out."""
    X = places(400, 5)
    graph = nearest(X, X, 15, others=True).shared_graph()
    found = propagation.smooth_vectors(graph, 8)
    monkeypatch.setattr(propagation, "_DENSE", 1000)
    wanted = propagation.smooth_vectors(graph, 8)
    assert found.shape == wanted.shape == (400, 8)
    assert_allclose(np.abs(np.einsum("dn,dn->n", found, wanted)), 1, atol=1e-3)
    degree = np.sqrt(propagation.degrees(graph))
    assert_allclose(degree @ wanted, 0, atol=1e-8)


@given(st.integers(2, 8), st.integers(0, 50), st.booleans())
def test_the_least_quadratic_form_on_a_sphere(n, seed, hard):
    """As by the eigenvalues of Gander, Golub and von Matt; no point of the sphere has less."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    matrix, wanted, square = root @ root.T, rng.normal(size=n), 3.0
    if hard:  # b has no part in the direction of the smallest eigenvalue, and is large
        vector = np.linalg.eigh(matrix)[1][:, 0]
        wanted = 1e3 * (wanted - vector * (vector @ wanted))
    found = propagation._on_sphere(matrix, wanted, square)
    assert_allclose(found @ found, square, rtol=1e-6)
    both = np.block([[matrix, -np.eye(n)], [-np.outer(wanted, wanted) / square, matrix]])
    least = np.linalg.eigvals(both)
    least = least.real[np.abs(least.imag) < 1e-6 * np.abs(least).max()].min()
    assert_allclose(found, np.linalg.solve(matrix - least * np.eye(n), wanted), rtol=1e-4, atol=1e-5)
    others = rng.normal(size=(500, n))
    others *= np.sqrt(square) / np.linalg.norm(others, axis=1, keepdims=True)
    value = np.einsum("ni,ij,nj->n", others, matrix, others) - 2 * others @ wanted
    assert found @ matrix @ found - 2 * found @ wanted <= value.min() + 1e-9


def test_conjugate_gradients_leave_settled_columns_alone():
    """Columns of zeros stay zeros, others are solved, float32 stays float32."""
    root = np.random.default_rng(0).normal(size=(30, 30))
    matrix = root @ root.T + 5 * np.eye(30)
    right = np.column_stack([np.zeros(30), np.ones(30), np.linalg.eigh(matrix)[1][:, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = propagation.solve(lambda values: matrix @ values, right)
    assert_allclose(found, np.linalg.solve(matrix, right), atol=1e-6)
    assert_array_equal(found[:, 0], 0)
    few = propagation.solve(lambda values: matrix @ values, right, 1e-12, max_steps=30)
    assert_allclose(few, np.linalg.solve(matrix, right), atol=1e-9)  # as many steps as unknowns are enough
    small = propagation.solve(lambda v: matrix.astype(np.float32) @ v, right.astype(np.float32), 1e-3)
    assert small.dtype == np.float32
    assert_allclose(small, found, atol=1e-3)


def test_parts_of_columns_are_all_columns(monkeypatch):
    """However many right-hand sides there are, and threads: the same bits."""
    X = places(300, 5)
    matrix = 0.9 * propagation.normalized(nearest(X, X, 5, others=True).graph())
    right = np.eye(300)[:, :21]
    wanted = np.linalg.solve(np.eye(300) - matrix.toarray(), right)
    one = propagation.solve_in_parts(matrix, right, 1)
    assert_allclose(one, wanted, atol=1e-5)
    monkeypatch.setattr("plsa.engine.threads.SMALL_WORK", 0)
    assert_same_bits(propagation.solve_in_parts(matrix, right, 3), one)


# --- cuts ----------------------------------------------------------------------------------------


@given(graphs())
def test_the_cut_is_the_smallest_of_all(drawn):
    """All cuts of a small graph are looked at: which nodes are on one side in every smallest one."""
    graph, start, labeled = drawn
    positive, negative = labeled & (start[:, 0] > 0), labeled & (start[:, 1] > 0)
    whole, _ = capacities(sparse.csr_array(sparse.triu(graph)))
    W = whole.toarray()
    sides = np.array(list(product([False, True], repeat=len(W))))
    sides = sides[(sides[:, positive]).all(axis=1) & ~(sides[:, negative]).any(axis=1)]
    weight = np.einsum("si,ij,sj->s", sides, W, ~sides)
    best = sides[weight == weight.min()]
    of_positive, of_negative, cut = minimum_cut(whole, positive, negative)
    assert cut == weight.min()
    assert_array_equal(of_positive, best.all(axis=0))
    assert_array_equal(of_negative, ~best.any(axis=0))


def test_votes_of_cuts():
    """A bridge is cut where it is thinnest; with noise, P(class|document) is the share of votes."""
    model = MinCut(n_neighbors=2).fit(*bridge())
    assert_array_equal(model.guesses_, ["a"] * 3 + ["b"] * 3)
    assert_array_equal(model.transduction_, np.repeat(np.eye(2), 3, axis=0))
    between = model.graph_.toarray()[:3, 3:].sum()
    assert_allclose(model.cut_weights_, [[between, between]], atol=3 / _UNIT)
    votes = MinCut(20, n_neighbors=5, noise=5.0, random_state=0).fit(*bridge()).transduction_
    assert_allclose(votes * 20, np.round(votes * 20), atol=1e-9)
    assert_allclose(votes.sum(axis=1), 1)
    assert ((votes > 0) & (votes < 1)).any()


def bridge():
    """Two groups of three documents, joined by a word that two have."""
    X = np.array(
        [[3, 3, 0, 0, 0], [3, 2, 0, 0, 0], [2, 3, 1, 0, 0], [0, 0, 1, 3, 2], [0, 0, 0, 3, 3], [0, 0, 0, 2, 3]]
    )
    return sparse.csr_array(X.astype(float)), ["a", None, None, None, None, "b"]


# --- the classifiers -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_two_groups_and_a_document_by_itself(method):
    """A label in each group tells the others; what no label reaches has the class frequencies."""
    X, y = bridge()
    X, y = sparse.block_diag([X, [[4.0]], [[0.0]]], format="csr"), [*y, None, None]
    model = GraphClassifier(method).fit(X, y)
    assert_array_equal(model.guesses_[:6], ["a"] * 3 + ["b"] * 3)
    assert_allclose(model.transduction_[6:], 0.5)
    assert_allclose(model.transduction_.sum(axis=1), 1)
    assert_array_equal(model.transduction_[[0, 5]], np.eye(2))
    model = GraphClassifier(method).fit(X, ["a", "a", *y[2:]])
    assert_allclose(model.transduction_[6:], [[0.6, 0.4]] * 2)
    assert_usable(model, X)


@pytest.mark.parametrize("kind", [*METHODS, "cut"])
def test_documents_that_nothing_is_known_of(kind):
    """Labeled documents that are empty, all documents empty but one, a single class, more neighbors than
    documents: rows sum to one, and what is not known is as frequent as the labels."""
    model = MinCut(n_neighbors=50) if kind == "cut" else GraphClassifier(kind, n_neighbors=50)
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    found = model.fit(X, ["a", "b", None, None, None])
    assert_array_equal(found.transduction_, [[1, 0], [0, 1], *[[0.5, 0.5]] * 3])
    found = model.fit(X, ["a", "a", "b", None, None])
    assert_allclose(found.predict_proba(np.zeros((1, 3))), [[0.6, 0.4]])
    assert_usable(found, X)
    one = model.fit(X, ["a", None, "a", None, None])
    assert_allclose(one.predict_proba(X), np.ones((5, 1)), rtol=1e-12)
    found = model.fit(X[:2] + np.eye(2, 3), [0, 1])
    assert_array_equal(found.transduction_, np.eye(2))


@pytest.mark.parametrize("kind", [GraphClassifier, MinCut])
def test_new_documents_have_the_mean_of_their_neighbors(kind):
    """sum_j cos_ij P(.|j) / sum_j cos_ij over the nearest j of the fit."""
    X, y, _ = corpus()
    model, new = kind(n_neighbors=7, n_dimensions=1000).fit(X, y), new_documents()
    vectors = [normalize(model.scaler_.transform(each)).toarray() for each in (new, X)]
    cosine = 1 - cdist(vectors[0][:-1], vectors[1], "cosine")
    for document, row in enumerate(cosine):
        near = np.argsort(-row, kind="stable")[:7]
        wanted = row[near] @ model.transduction_[near] / row[near].sum()
        assert_allclose(model.predict_proba(new)[document], wanted, atol=1e-5)
    assert_array_equal(model.predict_proba(new)[-1], model.class_prior_)


def test_class_mass():
    """Unlabeled documents have as much of each class as labels are frequent, before rows are divided."""
    X, y, _ = corpus()
    plain = GraphClassifier(class_mass=False).fit(X, y)
    model = GraphClassifier().fit(X, y)
    mass = propagation.spreading(model.graph_, np.eye(4)[y] * (y >= 0)[:, np.newaxis], 0.9)
    others = y < 0
    assert_allclose(plain.transduction_[others], (mass / mass.sum(axis=1, keepdims=True))[others], atol=1e-6)
    count = np.bincount(y[y >= 0], minlength=4) + 1
    mass *= count / count.sum() / mass[others].sum(axis=0)
    assert_allclose(model.transduction_[others], (mass / mass.sum(axis=1, keepdims=True))[others], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_few_labels_go_a_long_way(method):
    """Three labels a class of four, and most of a thousand documents are right."""
    data = planted_corpus(1000, 300, 8, n_classes=4, document_length=40, random_state=0)
    known = np.concatenate([np.flatnonzero(data.target == each)[:3] for each in range(4)])
    y = np.full(1000, -1)
    y[known] = data.target[known]
    model = GraphClassifier(method).fit(data.counts, y)
    assert np.mean(model.guesses_ == data.target) > 0.8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "walk"}, "method == 'walk'"),
        ({"alpha": 1.0}, "alpha == 1.0, but must be a share"),
        ({"n_neighbors": 0}, "n_neighbors == 0"),
        ({"class_mass": "yes"}, "class_mass == 'yes'"),
    ],
)
def test_what_is_refused(changes, message):
    """What, and what may be instead."""
    with pytest.raises(ValueError, match=message):
        GraphClassifier(**changes).fit(*bridge())


# --- the risk of a field -------------------------------------------------------------------------


@given(graphs(n_classes=3))
def test_the_risk_after_an_answer_is_that_of_a_field_with_one_label_more(drawn):
    """The closed form, column by column, is what solving anew for every answer says."""
    graph, start, labeled = drawn
    code = np.where(labeled, start.argmax(axis=1), -1).astype(np.int32)
    labels, open_ones = Labels(np.arange(3), code), np.flatnonzero(~labeled)
    if not len(open_ones):
        return
    W, frequency = graph.toarray(), (start.sum(axis=0) + 1) / (start.sum() + 3)
    degree = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1)

    def field(Y, known):
        u = ~known
        M = (1 + _TIE) * np.diag(degree) - W
        right = W[np.ix_(u, known)] @ Y[known] + _TIE * degree[u, np.newaxis] * frequency
        values = Y.copy()
        values[u] = np.linalg.solve(M[np.ix_(u, u)], right)
        return values

    wanted = []
    before = field(start, labeled)
    for k in open_ones:
        chance, risk = before[k], 0.0
        likely = np.flatnonzero(chance >= 0.01)
        for of_class in likely:
            Y, known = start.copy(), labeled.copy()
            Y[k], known[k] = np.eye(3)[of_class], True
            wrong = 1 - field(Y, known)[open_ones].max(axis=1)
            risk += chance[of_class] / chance[likely].sum() * wrong.sum()
        wanted.append(risk)
    assert_allclose(field_risks(graph, labels, open_ones, precision=1e-6), wanted, atol=1e-3)


def test_field_risk_asks_for_the_middle_of_what_nobody_knows():
    """Of two groups one has a label; and the question that is asked is the one with the smallest risk."""
    data = planted_corpus(300, 80, 4, n_classes=4, document_length=30, random_state=0)
    y = np.full(300, -1)
    for each in (0, 1):
        y[np.flatnonzero(data.target == each)[:2]] = each
    learner = ActiveLearner(MultinomialNB(), data.counts, y, "field risk", density=0.0)
    asked = learner.query()[0]
    assert data.target[asked] in (2, 3)
    assert ActiveLearner(MultinomialNB(), data.counts, y, "field risk", density=0.0).query() == [asked]


def test_field_risk_needs_places():
    """Documents that become numbers with the labels only lie nowhere."""
    steps = make_pipeline(CountVectorizer(), SelectKBest(k=2), MultinomialNB())
    with pytest.raises(ValueError, match="'field risk' needs documents as a matrix"):
        ActiveLearner(steps, ["tea milk", "goal ball", "tea cup"], strategy="field risk")
