"""Choosing the number of topics: the splitter, the scorer, the volumes and the search."""

import pickle

import drawing
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

from plsa import PLSA, CountScaler, NaiveBayesEM, PLSAClassifier, TopicSensitivePLSA
from plsa.datasets import planted_corpus
from plsa.evaluation.folds import LabeledKFold, labeled_scorer
from plsa.evaluation.topics import heterogeneity, select_topics

NAMES = np.array(["ant", "bee", "cat", "dog", "elk"], dtype=object)

# How labels may be written: code -> entry of y, and what marks a missing one for the splitter.
WRITTEN = {
    "numbers": (lambda code: np.where(code < 0, -1, code + 10), -1),
    "own mark": (lambda code: np.where(code < 0, 99, code), 99),
    "nan": (lambda code: np.where(code < 0, np.nan, code + 10.0), None),
    "numbers and None": (lambda code: [int(c) + 10 if c >= 0 else None for c in code], -1),
    "objects": (lambda code: np.array([NAMES[c] if c >= 0 else None for c in code], dtype=object), -1),
    "a list": (lambda code: [NAMES[c] if c >= 0 else -1 for c in code], -1),
    "strings": (lambda code: np.array([NAMES[c] if c >= 0 else "?" for c in code], dtype=str), "?"),
}


@pytest.fixture(scope="module")
def corpus():
    """Documents of two classes of two topics each."""
    return planted_corpus(300, 80, 4, n_classes=2, doc_concentration=0.05, random_state=0)


@pytest.fixture(scope="module")
def partly(corpus):
    """The classes of three in ten of them."""
    known = np.random.default_rng(0).random(300) < 0.3
    return np.where(known, corpus.target, -1)


@pytest.fixture(scope="module")
def halves():
    """A document of class a has words of one half of the vocabulary, one of class b words of both."""
    rng = np.random.default_rng(0)
    half = np.repeat([1.0, 0.0], 20) / 20
    of_document = [half, half[::-1]] * 30 + [np.full(40, 1 / 40)] * 60
    counts = np.array([rng.multinomial(30, p) for p in of_document])
    return sparse.csr_array(counts.astype(np.float64)), np.repeat(["a", "b"], 60)


def model(**parameters):
    """A classifier that is fast and lets EM work."""
    return PLSAClassifier(**{"scaling": None, "tol": 0.0, "random_state": 0, **parameters})


# --- the splitter


@given(
    st.lists(st.integers(-1, 4), min_size=1, max_size=30),
    st.sampled_from(sorted(WRITTEN)),
    st.integers(2, 6),
    st.booleans(),
)
def test_folds_are_a_partition_of_what_may_be_held_out(code, written, n_splits, shuffle):
    """Labeled documents with company, each once, stratified; all else is in every training part."""
    code = np.array(code)
    write, unlabeled = WRITTEN[written]
    folds = LabeledKFold(n_splits, shuffle=shuffle, random_state=0, unlabeled=unlabeled)
    count = np.bincount(code[code >= 0], minlength=5)
    held = np.flatnonzero((code >= 0) & (count[code] > 1))
    X = np.zeros((len(code), 1))
    if len(held) < n_splits:
        reason = "labels no document" if not count.any() else "can be held out"
        with pytest.raises(ValueError, match=reason):
            folds.split(X, write(code))
        return
    parts = list(folds.split(X, write(code)))
    assert len(parts) == n_splits == folds.get_n_splits(X, write(code))
    assert_array_equal(np.sort(np.concatenate([test for _, test in parts])), held)
    for train, test in parts:
        assert_array_equal(train, np.setdiff1d(np.arange(len(code)), test))
        assert np.isin(np.flatnonzero(code < 0), train).all()
        assert_array_equal(np.unique(code[train][code[train] >= 0]), np.flatnonzero(count))
    sizes = np.array([np.bincount(code[test], minlength=5) for _, test in parts])
    assert np.ptp(sizes.sum(axis=1)) <= 1
    assert np.ptp(sizes[:, count > 1], axis=0).max() <= 1


def test_folds_are_shuffled_and_come_again():
    """The same seed gives the same folds, another one others; without shuffling neighbors stay together."""
    y = np.arange(40) % 2

    def tests(**parameters):
        return [test.tolist() for _, test in LabeledKFold(4, **parameters).split(y, y)]

    assert tests(random_state=0) == tests(random_state=0)
    assert tests(random_state=0) != tests(random_state=1)
    assert tests(shuffle=False) == [list(range(first, first + 10)) for first in range(0, 40, 10)]
    again = pickle.loads(pickle.dumps(LabeledKFold(3, random_state=2)))
    assert repr(again) == "LabeledKFold(n_splits=3, random_state=2, shuffle=True, unlabeled=-1)"


def test_folds_that_cannot_be_made():
    """Errors say how many documents there are and what to do."""
    X = np.zeros((6, 1))
    with pytest.raises(ValueError, match=r"n_splits == 1, but must be a whole number >= 2"):
        LabeledKFold(1)
    with pytest.raises(ValueError, match="shuffle == 3"):
        LabeledKFold(shuffle=3)
    with pytest.raises(ValueError, match=r"only 4 documents can be held out: 4 have a label\. Pass n_splits"):
        LabeledKFold(5).split(X, [0, 0, 2, 2, -1, -1])
    with pytest.raises(ValueError, match=r"only 2 documents.*of which 2 are the only one.*n_splits <= 2"):
        LabeledKFold(3).split(X, [0, 0, 2, 3, -1, -1])
    with pytest.raises(ValueError, match="labels 3 documents, each the only one of its class"):
        LabeledKFold(2).split(X, [0, 1, 2, -1, -1, -1])
    with pytest.raises(ValueError, match="y has 5 labels for 6 documents"):
        LabeledKFold(2).split(X, [0, 0, 1, 1, -1])
    with pytest.raises(ValueError, match="requires y"):
        LabeledKFold(2).split(X)
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        LabeledKFold(2).split(X, [0, 0, 2, 2, -1, -1], np.arange(6))


@pytest.mark.parametrize("written", ["numbers", "nan", "objects", "strings", "a list"])
def test_grid_search_over_topics_with_missing_labels(corpus, partly, written):
    """The scores are those of fits that saw the unlabeled documents and not the test fold."""
    write, unlabeled = WRITTEN[written]
    y = write(partly)
    folds = LabeledKFold(3, random_state=0, unlabeled=unlabeled)
    search = GridSearchCV(model(unlabeled=unlabeled), {"topics_per_class": [1, 2]}, cv=folds)
    search.fit(corpus.counts, y)
    assert search.best_score_ > 0.9
    train, test = next(folds.split(corpus.counts, y))
    some = train[partly[train] >= 0]
    by_hand = model().fit(corpus.counts[some], partly[some]).score(corpus.counts[test], partly[test])
    assert search.cv_results_["split0_test_score"][0] == by_hand
    scores = cross_val_score(model(unlabeled=unlabeled), corpus.counts, y, cv=folds)
    assert_array_equal(scores[0], by_hand)


# --- the scorer


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 2)), min_size=1, max_size=12),
    st.sampled_from(sorted(WRITTEN)),
)
def test_only_labeled_rows_are_scored(pairs, written):
    """Accuracy over the rows that have a label; nan and a warning where none has."""
    code, guess = np.array(pairs).T
    write, unlabeled = WRITTEN[written]
    scorer = labeled_scorer("accuracy", unlabeled=unlabeled)
    # A classifier that reads its answer from X.
    every = np.array(pickle.loads(pickle.dumps(write(np.arange(3)))))
    reader = LogisticRegression(C=1e6).fit(np.eye(3), every)
    X = np.eye(3)[guess]
    if (code < 0).all():
        with pytest.warns(UserWarning, match="has a label: the score is nan"):
            assert np.isnan(scorer(reader, X, write(code)))
        return
    known = code >= 0
    assert scorer(reader, X, write(code)) == np.mean(code[known] == guess[known])


def test_scorer_of_every_kind(corpus, partly):
    """Names, callables and probabilities, with ordinary splitters, raw texts, and after pickling."""
    y = np.where(np.arange(300) % 2 == 0, corpus.target, -1)
    fitted = model().fit(corpus.counts, y)
    for scoring in ("accuracy", "f1_macro", "neg_log_loss", lambda m, X, y: len(y) * 1.0):
        scorer = labeled_scorer(scoring)
        plain = scoring if callable(scoring) else labeled_scorer(scoring).scorer
        assert scorer(fitted, corpus.counts, y) == plain(fitted, corpus.counts[::2], corpus.target[::2])
    scorer = pickle.loads(pickle.dumps(labeled_scorer("f1_macro")))
    assert repr(scorer).startswith("labeled_scorer(make_scorer(f1_score")
    scores = cross_val_score(model(), corpus.counts, partly, cv=KFold(3), scoring=scorer)
    assert np.all(scores > 0.9)
    texts = ["tea milk", "goal ball", "tea cup", "team goal", "cup", "ball"] * 2
    names = ["food", "sport", "food", "sport", None, None] * 2
    pipe = make_pipeline(CountVectorizer(), model())
    assert cross_validate(pipe, texts, names, cv=KFold(2), scoring=scorer)["test_score"].min() == 1
    with pytest.raises(ValueError, match="not a valid scoring"):
        labeled_scorer("no such")


def test_a_fold_without_labels_scores_nan():
    """A splitter that holds out unlabeled rows only."""
    X, y = np.eye(6), [0, 1, 0, 1, -1, -1]
    with pytest.warns(UserWarning, match="none of the 2 documents to score has a label"):
        scores = cross_val_score(model(), X, y, cv=KFold(3), scoring=labeled_scorer())
    assert_array_equal(np.isnan(scores), [False, False, True])


def test_metadata_goes_with_its_documents():
    """Under metadata routing weights reach the scorer inside, cut to the labeled rows."""
    X, y = np.ones((6, 1)), np.array([0, 1, -1, 0, 1, -1])
    weight = np.array([1.0, 3, 100, 1, 3, 100])
    with config_context(enable_metadata_routing=True):
        scorer = labeled_scorer(make_scorer(accuracy_score).set_score_request(sample_weight=True))
        always = DummyClassifier(strategy="constant", constant=1).set_fit_request(sample_weight=False)
        found = cross_validate(
            always, X, y, cv=LabeledKFold(2, shuffle=False), params={"sample_weight": weight}, scoring=scorer
        )
        assert_allclose(found["test_score"], 0.75)
        found = cross_validate(always, X, y, cv=LabeledKFold(2), scoring=labeled_scorer())
        assert_allclose(found["test_score"], 0.5)
    assert scorer(always.fit(X, y), X, y, sample_weight=weight) == 0.75


# --- volumes


def dense_volume(X, doc_topic, word_of_topic):
    """sum_d P(z|d) KL(P(w|d) || P(w|z)) / sum_d P(z|d), a topic and a document at a time."""
    X = np.asarray(X, dtype=np.float64)
    volume = np.zeros(len(word_of_topic))
    for z, words in enumerate(word_of_topic):
        above, below = 0.0, 0.0
        for n, theta in zip(X, doc_topic[:, z], strict=True):
            if n.sum() == 0 or theta == 0:
                continue
            p, q = n[n > 0] / n.sum(), words[n > 0]
            with np.errstate(divide="ignore"):
                above += theta * np.sum(p * np.log(p / q))
            below += theta
        volume[z] = above / below if below > 0 else 0.0
    return volume


@given(st.data(), st.sampled_from(drawing.REALS), st.integers(1, 4), st.booleans())
def test_volume_is_the_mean_divergence(data, real, n_topics, zeros):
    """Against the dense formula, with empty documents, words and topics without use, and zeros."""
    X = data.draw(drawing.messy_counts(real))[0]
    fitted = PLSA(n_topics, max_iter=0).fit(np.ones((1, X.shape[1])))
    fitted.components_ = data.draw(drawing.distributions(n_topics, X.shape[1], zeros=zeros))
    doc_topic = data.draw(drawing.distributions(X.shape[0], n_topics))
    found = heterogeneity(fitted, X, doc_topic=doc_topic)
    expected = dense_volume(X.toarray(), doc_topic, fitted.components_)
    assert_allclose(found, expected, rtol=1e-5 if real is np.float32 else 1e-8, atol=1e-6)
    assert (found >= 0).all()


def test_volume_of_fitted_models(corpus):
    """By transform unless told otherwise; counts scaled as the model does; Pipelines and others' models."""
    X = corpus.counts
    fitted = model().fit(X, corpus.target)
    assert_allclose(
        heterogeneity(fitted, X),
        dense_volume(X.toarray(), fitted.transform(X), fitted.components_),
        rtol=1e-5,
    )
    assert_allclose(
        heterogeneity(fitted, X, doc_topic=fitted.doc_topic_),
        dense_volume(X.toarray(), fitted.doc_topic_, fitted.components_),
        rtol=1e-5,
    )
    scaled = model(scaling=CountScaler(tf="log", idf=True)).fit(X, corpus.target)
    assert_allclose(
        heterogeneity(scaled, X),
        dense_volume(scaled.scaling_.transform(X).toarray(), scaled.transform(X), scaled.components_),
        rtol=1e-4,
    )
    texts = ["tea milk tea", "milk tea cup", "goal ball goal", "ball team goal"]
    pipe = make_pipeline(CountVectorizer(), model()).fit(texts, [0, 0, 1, 1])
    assert_array_equal(heterogeneity(pipe, texts), heterogeneity(pipe[-1], pipe[0].transform(texts)))
    lda = LatentDirichletAllocation(3, random_state=0, max_iter=2).fit(X)
    assert heterogeneity(lda, X).shape == (3,)


def test_volume_of_bad_input(corpus):
    """Not fitted, other words, topics of other documents."""
    with pytest.raises(NotFittedError):
        heterogeneity(model(), corpus.counts)
    fitted = model().fit(corpus.counts, corpus.target)
    with pytest.raises(ValueError, match="features"):
        heterogeneity(fitted, corpus.counts[:, :5])
    with pytest.raises(ValueError, match=r"doc_topic has shape \(300, 2\), but must have \(9, 2\)"):
        heterogeneity(fitted, corpus.counts[:9], doc_topic=fitted.doc_topic_)


# --- the search


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_information_criteria_find_the_planted_topics(corpus, partly, criterion):
    """Two a class, by a formula that is checked by hand."""
    found = select_topics(
        model(extra_topics=1), corpus.counts, partly, candidates=(1, 2, 4), criterion=criterion
    )
    assert found.best == 2 == found.best_estimator.topics_per_class
    assert found.criterion == criterion
    assert [row.n_topics for row in found.scores] == [3, 5, 9]
    known = partly >= 0
    used = corpus.counts[known]
    n_words = np.sum(used.sum(axis=0) > 0)
    for row in found.scores:
        fit = model(extra_topics=1, topics_per_class=row.topics).fit(corpus.counts, partly)
        p = row.n_topics * (n_words - 1) + known.sum() * row.topics
        each = 2 if criterion == "aic" else np.log(used.sum(dtype=np.float64))
        assert row.n_parameters == p
        assert_allclose(row.score, each * p - 2 * fit.log_likelihood_)
    assert min(found.scores, key=lambda row: row.score).topics == 2


class Fickle(PLSAClassifier):
    """Chooses another scaling for every number of topics."""

    def fit(self, X, y, sample_weight=None):
        """As the classifier would, but for how it chooses."""
        if self.scaling != "auto":
            return super().fit(X, y, sample_weight)
        chosen = None if self.topics_per_class == 1 else CountScaler(tf="log")
        fitted = PLSAClassifier(**{**self.get_params(), "scaling": chosen}).fit(X, y, sample_weight)
        vars(self).update(vars(fitted), scaling="auto")
        return self


def test_information_criteria_compare_the_same_counts(corpus, partly):
    """What is left to "auto" is chosen once; the estimator that comes back chooses for itself."""
    fickle = Fickle(tol=0.0, random_state=0)
    for candidates, scaling in (((1, [1, 2], 2), None), ((2, 1), CountScaler(tf="log"))):
        found = select_topics(fickle, corpus.counts, partly, candidates=candidates, criterion="aic")
        for row in found.scores:
            fit = model(topics_per_class=row.topics, scaling=scaling).fit(corpus.counts, partly)
            assert row.log_likelihood == fit.log_likelihood_
    assert found.best_estimator.scaling == "auto"
    assert found.best == 2
    assert found.best_estimator.scaling_ is not None


def test_free_parameters_count_what_is_learned(corpus):
    """Empty documents and words that do not occur have none; without classes all topics are open to all."""
    X = sparse.csr_array(np.pad(corpus.counts.toarray(), ((0, 7), (0, 5))))
    found = select_topics(PLSA(random_state=0), X, candidates=range(2, 7, 2), criterion="bic")
    plain = select_topics(PLSA(random_state=0), corpus.counts, candidates=range(2, 7, 2), criterion="bic")
    assert [row.n_parameters for row in found.scores] == [row.n_parameters for row in plain.scores]
    assert found.best == 4 == found.best_estimator.n_components
    n_words = np.sum(corpus.counts.sum(axis=0) > 0)
    assert plain.scores[1].n_parameters == 4 * (n_words - 1) + 300 * 3


class UsesAll(PLSAClassifier):
    """Stands for a semi-supervised model: documents without a label count a quarter and use all topics."""

    unlabeled_weight = 0.25

    def fit(self, X, y, sample_weight=None):
        """Fits to the labeled ones and folds the others in."""
        super().fit(X, y, sample_weight)
        self.doc_topic_ = self.transform(X)
        return self


def test_components_of_a_mixture_are_chosen_too(corpus, partly):
    """By all criteria; a document of a mixture is one draw and has no parameters of its own."""
    model = NaiveBayesEM(unlabeled_weight=0.5, random_state=0)
    found = select_topics(model, corpus.counts, partly, candidates=(1, 2, 4), criterion="bic")
    assert found.parameter == "components_per_class"
    assert found.best == 2
    n_words = int((corpus.counts.sum(axis=0) > 0).sum())
    draws = np.where(partly < 0, 0.5, 1.0).sum()
    for number, row in zip((1, 2, 4), found.scores, strict=True):
        n_parameters = 2 * number * (n_words - 1) + 2 * number - 1
        assert row.n_parameters == n_parameters
        assert_allclose(row.score, n_parameters * np.log(draws) - 2 * row.log_likelihood)
    for criterion in ("cv", "heterogeneity"):
        found = select_topics(model, corpus.counts, partly, candidates=(1, 2), criterion=criterion)
        assert found.best_estimator.components_per_class in (1, 2, [1, 1], [2, 1], [1, 2], [2, 2])


def test_unlabeled_documents_of_the_fit_may_use_all_topics(corpus, partly):
    """A model whose doc_topic_ has all documents is counted over all of them, at their weight."""
    found = select_topics(
        UsesAll(scaling=None, tol=0.0), corpus.counts, partly, candidates=[2], criterion="bic"
    )
    n_words = np.sum(corpus.counts.sum(axis=0) > 0)
    labeled = np.sum(partly >= 0)
    p = 4 * (n_words - 1) + labeled + 0.25 * 3 * (300 - labeled)
    assert found.scores[0].n_parameters == p
    n = np.where(partly >= 0, 1, 0.25) @ corpus.document_length
    assert_allclose(found.scores[0].score, np.log(n) * p - 2 * found.scores[0].log_likelihood)


class UsesAllOfOne(UsesAll):
    """Leaves documents without a label out, but for one topic a class."""

    def fit(self, X, y, sample_weight=None):
        """As either of its parents."""
        parent = UsesAll if self.topics_per_class == 1 else PLSAClassifier
        return parent.fit(self, X, y, sample_weight)


def test_likelihoods_of_other_documents_are_not_compared(corpus, partly):
    """A model that leaves documents out for some candidates: these have no score."""
    wavering = UsesAllOfOne(scaling=None, tol=0.0, random_state=0)
    with pytest.warns(UserWarning, match=r"topics_per_class=2 was fitted to \d+ documents and not to 300"):
        found = select_topics(wavering, corpus.counts, partly, candidates=(1, 2), criterion="bic")
    assert np.isnan(found.scores[1].score)
    assert found.scores[1].n_parameters > 0
    assert found.best == 1


def test_cross_validation_keeps_the_best(halves):
    """The scores are those of cross_val_score on the same folds; the best has the highest."""
    X, y = halves
    y = np.where(np.arange(120) % 3 == 0, None, y)
    folds = LabeledKFold(4, random_state=3)
    found = select_topics(model(), X, y, candidates=(1, 2, [2, 1]), cv=folds)
    for row in found.scores:
        expected = cross_val_score(model(topics_per_class=row.topics), X, y, cv=folds)
        assert_allclose([row.score, row.spread], [expected.mean(), expected.std()])
    assert found.best != 1
    assert found.scores[0].score + 0.1 < max(row.score for row in found.scores)
    assert_array_equal(
        found.best_estimator.predict(X), model(topics_per_class=found.best).fit(X, y).predict(X)
    )


def test_of_equals_the_fewest_topics_are_kept(corpus, partly):
    """All candidates score one."""
    found = select_topics(model(), corpus.counts, partly, candidates=np.array([3, 1, 2]), cv=2)
    assert [row.score for row in found.scores] == [1, 1, 1]
    assert found.best == 1
    assert type(found.best) is int


def test_the_folds_do_not_differ_between_candidates(halves):
    """Even if the splitter draws other ones at every call."""
    X, y = halves
    found = select_topics(model(), X, y, candidates=(2, 2, 2), cv=LabeledKFold(3))
    assert len({row.score for row in found.scores}) == 1


def test_few_labels_and_other_splitters(corpus):
    """By default there are no more folds than documents to hold out; unlabeled rows are never scored."""
    y = np.full(300, -1)
    y[[np.flatnonzero(corpus.target == 0)[0], *np.flatnonzero(corpus.target == 1)[:2]]] = 0, 1, 1
    found = select_topics(model(), corpus.counts, y, candidates=[1, 2])
    assert 0 <= found.scores[0].score <= 1
    named = np.where(np.arange(300) % 3 < 2, NAMES[corpus.target], "?").astype(str)
    marked = model(unlabeled="?")
    for cv in (2, KFold(3)):
        found = select_topics(marked, corpus.counts, named, candidates=[1], cv=cv)
        assert found.scores[0].score > 0.9
    scored = []
    select_topics(
        marked,
        corpus.counts,
        named,
        candidates=[1],
        cv=2,
        scoring=lambda m, X, y: scored.append(X.sum()) or 1.0,
    )
    folds = LabeledKFold(2, random_state=0, unlabeled="?").split(named, named)
    assert scored == [corpus.counts[test].sum() for _, test in folds]
    some = np.where(np.arange(300) % 5 < 3, corpus.target, -1)
    found = select_topics(model(), corpus.counts, some, candidates=[1], cv=KFold(3))
    assert found.scores[0].score > 0.9
    splits = [(np.arange(10, 300), np.arange(3)), (np.arange(10, 300), np.arange(3, 5))]
    with pytest.warns(UserWarning, match="none of the 2 documents to score"):
        found = select_topics(model(), corpus.counts, some, candidates=[1], cv=splits)
    assert found.scores[0].score == 1
    with (
        pytest.warns(UserWarning, match="none of the 2 documents to score"),
        pytest.raises(ValueError, match="no fold of cv gave a score"),
    ):
        select_topics(model(), corpus.counts, some, candidates=[1], cv=splits[1:])


def test_the_most_heterogeneous_class_is_split(halves):
    """Class a, whose documents are of two kinds, gets its second topic first, and that is the best."""
    X, y = halves
    found = select_topics(model(extra_topics=0), X, y, criterion="heterogeneity")
    assert [row.topics for row in found.scores][:2] == [[1, 1], [2, 1]]
    assert len(found.scores) == 3
    assert found.best == [2, 1] == found.best_estimator.topics_per_class
    assert found.scores[1].score > found.scores[0].score + 0.1
    none = select_topics(model(), X, y, criterion="heterogeneity", max_splits=0, cv=2)
    assert none.best == [1, 1]


def test_splits_go_where_topics_were_merged():
    """Three planted classes under one name are taken apart, with labels missing and a topic of no class."""
    corpus = planted_corpus(240, 60, 4, n_classes=4, doc_concentration=0.05, random_state=0)
    y = np.array(["all", "one", "all", "all"])[corpus.target]
    y[::4] = "?"
    found = select_topics(
        model(unlabeled="?", scaling="auto", max_iter=15),
        corpus.counts,
        y,
        criterion="heterogeneity",
        max_splits=2,
        cv=2,
    )
    assert [row.topics for row in found.scores] == [[1, 1], [2, 1], [3, 1]]
    extra = select_topics(
        model(unlabeled="?", extra_topics=1), corpus.counts, y, criterion="heterogeneity", max_splits=1, cv=2
    )
    assert [row.n_topics for row in extra.scores] == [3, 4]


@pytest.mark.filterwarnings("ignore:the class")
@pytest.mark.parametrize("criterion", ["cv", "bic", "heterogeneity"])
def test_classes_that_nobody_has_met_have_no_topics(corpus, partly, criterion):
    """Candidates have an entry for them, which is not read: the scores are those without them."""
    lists = ([1, 1], [2, 2], [1, 2]), ([1, 0, 1], [2, 5, 2], [1, 1, 2])
    y, found = np.where(partly == 1, 2, partly), []
    for classes, candidates in zip((None, [0, 1, 2]), lists, strict=True):
        options = {"criterion": criterion, "candidates": candidates, "max_splits": 1}
        found.append(select_topics(model(classes=classes), corpus.counts, y, **options))
    usual, wide = found
    for name in ("score", "n_topics", "n_parameters"):
        assert [getattr(each, name) for each in wide.scores] == [getattr(each, name) for each in usual.scores]
    assert [wide.best[0], wide.best[2]] == usual.best
    assert wide.best_estimator.topic_class_.max() == 2


def test_a_pipeline_from_texts():
    """The parameter is found in the last step, whatever the criterion."""
    texts = ["tea milk tea", "milk cup", "goal ball goal", "ball team goal", "tea cup", "team ball", "cup"]
    names = ["food", "food", "sport", "sport", "food", "sport", None]
    pipe = make_pipeline(CountVectorizer(), model())
    for criterion in ("cv", "aic", "bic", "heterogeneity"):
        found = select_topics(pipe, texts, names, candidates=(1, 2), criterion=criterion, max_splits=1)
        assert found.parameter == "plsaclassifier__topics_per_class"
        assert_array_equal(found.best_estimator.predict(["milk", "team"]), ["food", "sport"])
    assert not hasattr(pipe[-1], "components_")


def test_the_result_is_shown_as_a_table(corpus, partly):
    """And survives pickling, and pandas takes it."""
    pandas = pytest.importorskip("pandas")
    found = select_topics(model(), corpus.counts, partly, candidates=(1, 2), criterion="bic")
    lines = str(found).splitlines()
    assert lines[0] == "TopicSelection by bic: topics_per_class=2"
    assert lines[1].split() == ["topics_per_class", "topics", "log-likelihood", "parameters", "BIC"]
    assert lines[3].endswith("best")
    assert not lines[2].endswith("best")
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    table = pandas.DataFrame(found.scores)
    assert table["n_topics"].tolist() == [2, 4]
    by_folds = select_topics(model(), corpus.counts, partly, candidates=(1, 2), cv=2)
    assert str(by_folds).splitlines()[2].split() == ["1", "2", "1.0000", "±", "0.0000", "best"]


def test_progress_jobs_and_interruption(corpus, partly, capsys):
    """A line a score; jobs change nothing; Ctrl-C in any fit goes through."""
    plain = select_topics(model(), corpus.counts, partly, candidates=(1, 2), cv=2)
    assert capsys.readouterr().err == ""
    with parallel_config("threading"):
        found = select_topics(model(), corpus.counts, partly, candidates=(1, 2), cv=2, n_jobs=2, verbose=1)
    assert found.scores == plain.scores
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith("select_topics, stage 1 of 3: topics_per_class=1: score 1.0000 ± 0.0000, ")
    assert shown[2].startswith("select_topics, stage 3 of 3: fit with topics_per_class=1: done, ")
    assert shown[3].startswith("select_topics: topics_per_class=1 is best, ")
    assert len(shown) == 4
    for criterion, n_stages in (("heterogeneity", 4), ("aic", 3)):
        known = {"criterion": criterion, "candidates": (1, 2), "max_splits": 1, "cv": 2}
        select_topics(model(), corpus.counts, partly, **known, verbose=1)
        shown = capsys.readouterr().err.splitlines()
        assert [f"stage {n} of {n_stages}" in shown[n - 1] for n in range(1, n_stages + 1)] == [
            True
        ] * n_stages
        assert len(shown) == n_stages + 1

    def interrupt(_):
        raise KeyboardInterrupt

    for criterion in ("cv", "aic", "heterogeneity"):
        with pytest.raises(KeyboardInterrupt):
            select_topics(model(callback=interrupt), corpus.counts, partly, criterion=criterion)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "dic"}, "criterion == 'dic', but must be one of"),
        ({"candidates": []}, "candidates is empty"),
        ({"candidates": 3}, "candidates == 3, but must be a list"),
        ({"candidates": "auto"}, "candidates == 'auto', but must be a list"),
        ({"candidates": [0]}, "candidates == 0"),
        ({"candidates": [1.5], "criterion": "aic"}, "candidates == 1.5"),
        ({"candidates": [[1, 2, 3]]}, "topics_per_class has 3 entries for 2 classes"),
        ({"candidates": [[1, 2, 3]], "criterion": "aic"}, "topics_per_class has 3 entries for 2 classes"),
        ({"max_splits": -1, "criterion": "heterogeneity"}, "max_splits == -1"),
        ({"cv": 1}, "n_splits == 1"),
        ({"cv": 200}, "n_splits == 200, but only"),
        ({"scoring": "no such"}, "not a valid scoring"),
        (
            {"estimator": PLSA()},
            "'cv' needs classes with topics of their own, and the topics of PLSA are of none",
        ),
        (
            {"estimator": TopicSensitivePLSA()},
            "topics of TopicSensitivePLSA are of none: pass 'aic' or 'bic', or",
        ),
        ({"estimator": PLSA(), "criterion": "heterogeneity"}, "needs classes"),
        (
            {"estimator": LogisticRegression()},
            r"no number of topics to choose: give PLSA\(\), NaiveBayesEM\(\), a",
        ),
        ({"estimator": PLSAClassifier}, "has no number of topics to choose"),
        ({"y": None}, "requires y"),
        ({"y": [0, 1]}, "y has 2 labels for 300 documents"),
        ({"y": np.full(300, -1)}, "labels no document"),
        ({"y": [0, 1] + [-1] * 298}, "labels 2 documents, each the only one of its class"),
    ],
)
def test_bad_input(corpus, partly, parameters, message):
    """Said before any long work."""
    given = {"estimator": model(), "y": partly, **parameters}
    with pytest.raises(ValueError, match=message):
        select_topics(given.pop("estimator"), corpus.counts, given.pop("y"), **given)
