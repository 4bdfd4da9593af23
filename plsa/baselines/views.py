"""Two views of documents that teach each other: co-training, co-EM and co-boosting.

A view is some of the words, and a classifier of a view sees these alone. Each view labels documents for the
other, after the idea that both are enough to tell the class and err at different documents (Krithara 2008,
section 2.2.2.2).
"""

import numbers
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa.baselines.vectors import Matrix, short_indices
from plsa.engine.counts import Counts
from plsa.engine.parameters import Array, Codes, Floats, Places, Rng
from plsa.estimators.base import Fitted, ProbableClasses, of_documents
from plsa.estimators.others import check_classifier
from plsa.estimators.parameters import estimator
from plsa.inputs import check_whole, counted
from plsa.labels.corpus import Corpus, check_some_words
from plsa.labels.reading import UNLABELED, Labels

_NEVER = -1e6  # log P of what a classifier takes for impossible: another may know better
_POOL = 10  # rounds that documents to choose from are enough for
_MOST = 1e12  # of a count

Matrices = tuple[Matrix, Matrix]


# --- what a view is ------------------------------------------------------------------------------


def split_views(views: Any, n_columns: int, random_state: Any = None) -> tuple[Places, Places]:
    """The columns of two views, ascending: as given, or halves drawn by a seed."""
    if n_columns < 2:
        raise ValueError(f"X has n_features={n_columns}, but two views need a column each: add some.")
    if views is None or isinstance(views, numbers.Integral):
        seed = random_state if views is None else int(views)
        shuffled = check_random_state(seed).permutation(n_columns)
        return np.sort(shuffled[: n_columns // 2]), np.sort(shuffled[n_columns // 2 :])
    first, second = (_columns(view, f"views[{place}]", n_columns) for place, view in enumerate(views))
    shared = np.intersect1d(first, second)
    if len(shared):
        found = f"views share {counted(len(shared), 'column')}, the first is {shared[0]}"
        raise ValueError(f"{found}; a column may be of one view only.")
    return first, second


def _columns(view: Any, name: str, n_columns: int) -> Places:
    """The columns that a slice, a mask or indices stand for, ascending."""
    if isinstance(view, slice):
        ends = [end for end in (view.start, view.stop) if end is not None]
        if any(abs(end) > n_columns for end in ends):
            raise ValueError(f"{name} == {view!r}, but X has {n_columns} columns.")
        found = np.sort(np.arange(n_columns)[view])
    else:
        given = np.asarray(view)
        if given.ndim != 1 or (len(given) and given.dtype.kind not in "biu"):
            found_kind = f"shape {given.shape} and type {given.dtype}"
            raise ValueError(f"{name} has {found_kind}, but must be a slice, a mask or indices of columns.")
        if given.dtype.kind == "b":
            if len(given) != n_columns:
                raise ValueError(f"{name} is a mask of {len(given)} columns, but X has {n_columns}.")
            given = np.flatnonzero(given)
        found = np.unique(given.astype(np.intp))
        wrong = found[(found < 0) | (found >= n_columns)]
        if len(wrong):
            raise ValueError(f"{name} holds column {wrong[0]}, but those of X are 0 to {n_columns - 1}.")
    if not len(found):
        raise ValueError(f"{name} has no column; a view needs one at least.")
    return found


def check_views(value: Any, name: str) -> None:
    """Raises where it is neither None, a seed nor two groups of columns."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        check_whole(value, name, 0)
    elif value is not None and not (isinstance(value, Sequence | np.ndarray) and len(value) == 2):
        must = "None, a seed, or two groups of columns: slices, masks or indices"
        raise ValueError(f"{name} == {value!r}, but must be {must}.")


@estimator
class TwoViews(ProbableClasses):
    """A classifier that learns from two views of labeled and unlabeled documents."""

    _parameters: ClassVar[str] = """
    views : None, int or a pair of column groups
        The words of each view: a slice, a mask or indices of columns, twice; columns of none are not looked
        at. None: half of the words each, drawn by `random_state`; an int is the seed of that draw alone. For
        texts in two columns, `ColumnTransformer.output_indices_` has the slices; see the example of
        `CoTraining`.
    random_state : int, RandomState or None
        Seed of all that is drawn.
    """
    _attributes: ClassVar[str] = """
    views_ : tuple of two arrays of int
        The columns of each view.
    transduction_, guesses_
    """
    _checks: ClassVar[dict[str, Any]] = {"views": check_views}

    views: Any = None
    _: KW_ONLY
    random_state: Any = None

    def _real(self) -> Any:
        return "float64"

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        check_some_words(corpus.counts)
        rng = check_random_state(self.random_state)
        columns = split_views(self.views, corpus.counts.n_words, rng)
        matrices = self._seen_by(corpus.counts, columns)
        # Threads change the bits.
        with threadpool_limits(1, user_api="blas"):
            found = self._learn_views(matrices, corpus.labels, rng)
            chance = self._chances(matrices, found)
        return {"views_": columns} | found | of_documents(chance, corpus.labels)

    def _seen_by(self, counts: Counts, columns: tuple[Places, Places]) -> Matrices:
        """What each view has of documents."""
        first, second = (short_indices(counts.of_words(words).matrix()) for words in columns)
        return first, second

    def _learn_views(self, matrices: Matrices, labels: Labels, rng: Rng) -> Fitted:
        """What is learned from both views and the labels of some documents."""
        raise NotImplementedError

    def _chances(self, matrices: Matrices, found: Fitted) -> Floats:
        """(D, C): P(class|document) by what was learned."""
        raise NotImplementedError

    def _class_scores(self, counts: Counts) -> Floats:
        with threadpool_limits(1, user_api="blas"):
            return self._chances(self._seen_by(counts, self.views_), dict(vars(self)))


class ClassifierOfEach(TwoViews):
    """A classifier of each view; what both say is multiplied.

    P(y|d) is in proportion to P(y|first view) P(y|second view).
    """

    _attributes: ClassVar[str] = """
    estimators_ : tuple of two classifiers
        That of each view. Their classes are places among the classes that have an example.
    n_iter_ : int
        How often both have learned: once from the labels, and once in each round.
    """

    def _chances(self, matrices: Matrices, found: Fitted) -> Floats:
        each = zip(found["estimators_"], matrices, strict=True)
        return np.asarray(softmax(sum(log_chances(model, matrix) for model, matrix in each), axis=1))


def log_chances(model: Any, matrix: Matrix) -> Floats:
    """(D, C): log P(class|document) as a classifier of scikit-learn has it, never minus infinity."""
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            found = model.predict_log_proba(matrix)
        else:
            found = np.log(model.predict_proba(matrix))
    return np.maximum(found, _NEVER)


def surest(log_chance: Floats) -> tuple[Places, Floats]:
    """The most probable class y of each document, and how sure it is: -log(1 - P(y|d)).

    Found from the probabilities of the others: those of naive Bayes are soon too near to one to tell apart.
    """
    everyone, guess = np.arange(len(log_chance)), log_chance.argmax(axis=1)
    others = log_chance.copy()
    others[everyone, guess] = -np.inf
    # In a third of the time of scipy's logsumexp: a person may be waiting for the next question.
    second = np.maximum(others.max(axis=1), np.finfo(float).min)
    with np.errstate(divide="ignore"):
        return guess, -(second + np.log(np.exp(others - second[:, np.newaxis]).sum(axis=1)))


# --- co-training ---------------------------------------------------------------------------------


@estimator
class CoTraining(ClassifierOfEach):
    """Two classifiers, one of each view, that label documents for each other.

    Both learn from the labeled documents. Each then labels some documents of a pool, those that it is surest
    of; they are labeled documents from now on, for both, and the pool is filled up at random. Where both
    choose a document and differ, the surer one is believed. Both learn anew, and so on. In the end what they
    say is multiplied: P(y|d) is in proportion to P(y|first view) P(y|second view).

    In a round a view labels n_y = max(1, round(per_class C P(y))) documents as class y, C being the number of
    classes and P(y) the share of y among the labels; fewer, where it takes fewer of the pool for y. Two a
    class are the one positive and three negatives of Blum and Mitchell where every fourth label is positive.

    Notes
    -----
    Blum and Mitchell choose from 75 documents, 9.4 times as many as a round labels; here it is 10 times.
    Their classifiers are multinomial naive Bayes, `estimator=MultinomialNB()`. `ComplementNB` takes better to
    many or unequal classes.

    References
    ----------
    A. Blum and T. Mitchell, "Combining Labeled and Unlabeled Data with Co-Training", COLT 1998 (Krithara
    2008, algorithm 7).

    Examples
    --------
    Of mails, the subject is a view and the body the other one.

    >>> from sklearn.compose import ColumnTransformer
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import CoTraining
    >>> mails = [["tea", "milk and tea"], ["goal", "the ball"], ["a cup", "milk"]]
    >>> mails += [["the team", "ball and goal"], ["cup of tea", "some milk"], ["team goal", "a ball"]]
    >>> columns = ColumnTransformer([("subject", CountVectorizer(), 0), ("body", CountVectorizer(), 1)])
    >>> counts = columns.fit_transform(mails)
    >>> views = [columns.output_indices_[name] for name in ("subject", "body")]
    >>> model = CoTraining(views, random_state=0).fit(counts, ["food", "sport", None, None, None, None])
    >>> model.guesses_.tolist()
    ['food', 'sport', 'food', 'sport', 'food', 'sport']
    """

    _parameters: ClassVar[str] = """
    estimator : None or classifier
        That of a view, with `predict_proba`; it gets counts. None: scikit-learn's `ComplementNB`.
    per_class : int >= 1
        Documents that a view labels in a round, times the number of classes.
    pool_size : None or int >= 1
        Documents that are chosen from. None: ten times as many as both views label in a round.
    max_iter : int >= 0
        Most rounds; there are fewer where all documents are labeled.
    """
    _attributes: ClassVar[str] = """
    n_taught_ : int
        Documents that a view has labeled.
    """
    _checks: ClassVar[dict[str, Any]] = {"estimator": check_classifier}

    estimator: Any = None
    per_class: int = 2
    _: KW_ONLY
    pool_size: int | None = None
    max_iter: int = 30

    def _learn_views(self, matrices: Matrices, labels: Labels, rng: Rng) -> Fitted:
        code, n_iter = labels.code.copy(), 0
        number = self._number(labels)
        size = 2 * _POOL * int(number.sum()) if self.pool_size is None else self.pool_size
        left = rng.permutation(np.flatnonzero(~labels.labeled))
        models = self._taught(matrices, code)
        while n_iter < self.max_iter and len(left):
            pool = left[:size]
            given = given_labels([log_chances(*each) for each in _at(models, matrices, pool)], number)
            code[pool] = given
            # Those that stay in the pool come first.
            left = np.concatenate([pool[given == UNLABELED], left[size:]])
            models = self._taught(matrices, code)
            n_iter += 1
        n_taught = int(np.count_nonzero(code != UNLABELED) - np.count_nonzero(labels.labeled))
        return {"estimators_": models, "n_iter_": n_iter + 1, "n_taught_": n_taught}

    def _number(self, labels: Labels) -> Places:
        """(C,): how many documents a view labels in a round as each class."""
        n_classes = len(labels.classes)
        count = np.bincount(labels.code[labels.labeled], minlength=n_classes)
        return np.maximum(1, np.rint(self.per_class * n_classes * count / count.sum())).astype(np.intp)

    def _taught(self, matrices: Matrices, code: Codes) -> tuple[Any, Any]:
        """Classifiers of the documents that have a label."""
        known = np.flatnonzero(code != UNLABELED)
        new = ComplementNB() if self.estimator is None else self.estimator
        first, second = (clone(new).fit(_bounded(matrix[known]), code[known]) for matrix in matrices)
        return first, second


def _bounded(counts: Matrix) -> Matrix:
    """Counts of which naive Bayes can take one from the sum of all without losing its pseudo-counts."""
    bounded = counts.copy()
    bounded.data = np.minimum(counts.data, _MOST)
    return bounded


def _at(models: Sequence[Any], matrices: Matrices, documents: Places) -> list[tuple[Any, Matrix]]:
    """Each classifier and what it sees of these documents."""
    return [(model, matrix[documents]) for model, matrix in zip(models, matrices, strict=True)]


def given_labels(log_chance: Sequence[Floats], number: Places) -> Codes:
    """The labels that views give to documents, each `number` of a class, those that it is surest of.

    Of two labels for a document the surer one is taken, of equals the first view's.
    """
    given = np.full(len(log_chance[0]), UNLABELED, dtype=np.int32)
    trust = np.full(len(given), -np.inf)
    for logs in log_chance:
        guess, sure = surest(logs)
        order = np.argsort(-sure, kind="stable")
        chosen = np.concatenate([order[guess[order] == y][:n] for y, n in enumerate(number.tolist())])
        better = chosen[sure[chosen] > trust[chosen]]
        given[better], trust[better] = guess[better], sure[better]
    return given


# --- co-EM ---------------------------------------------------------------------------------------


@estimator
class CoEM(ClassifierOfEach):
    """Naive Bayes of each view, that learn from what the other one says of unlabeled documents.

    The first view's learns from the labeled documents. In a round it says P(y|d) of all others; the second
    view's learns from the labels and from these, each document counting P(y|d) times as one of class y; it
    says P(y|d) in turn, and the first view's learns from that. It ends where what the second view says
    changes no more. With q(y|d) = 1 for the label of a document, else what the other view says, a view has

        P(w|y) ~ alpha + sum_d q(y|d) n(d, w),    P(y) ~ 1 + sum_d q(y|d).

    What both say is multiplied: P(y|d) is in proportion to P(y|first view) P(y|second view).

    Notes
    -----
    There is no objective that it climbs: it may never settle, and then ends after `max_iter` rounds. Nigam
    and Ghani have alpha = 1, under which short documents of many classes become documents of a few.

    References
    ----------
    K. Nigam and R. Ghani, "Analyzing the Effectiveness and Applicability of Co-training", CIKM 2000.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import CoEM
    >>> texts = ["tea milk", "milk cup", "cup tea milk", "tea cup", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = CoEM(views=0).fit(counts, ["food", None, None, None, "sport", None, None])
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    alpha : float > 0
        Pseudo-count of every word.
    max_iter : int >= 0
        Most rounds. 0: both views learn from the labeled documents alone.
    tol : float >= 0
        It has settled where the probabilities of a document move by no more than this, on average: half the
        sum of the changes.
    """

    alpha: float = 0.1
    _: KW_ONLY
    max_iter: int = 30
    tol: float = 1e-3

    def _learn_views(self, matrices: Matrices, labels: Labels, rng: Rng) -> Fitted:
        other = np.flatnonzero(~labels.labeled)
        chance = np.zeros((len(labels.code), len(labels.classes)))
        chance[labels.labeled] = labels.one_hot()
        models, n_iter = [self._learned(matrix, chance) for matrix in matrices], 0
        while n_iter < self.max_iter and len(other):
            before = chance[other]
            for teacher, pupil in ((0, 1), (1, 0)):
                chance[other] = np.exp(log_chances(models[teacher], matrices[teacher][other]))
                models[pupil] = self._learned(matrices[pupil], chance)
            n_iter += 1
            if np.abs(chance[other] - before).sum() / 2 <= self.tol * len(other):
                break
        return {"estimators_": tuple(models), "n_iter_": n_iter + 1}

    def _learned(self, matrix: Matrix, chance: Floats) -> MultinomialNB:
        """Naive Bayes of documents that count `chance` times as each class."""
        n_classes = chance.shape[1]
        prior = (chance.sum(axis=0) + 1) / (chance.sum() + n_classes)
        # All that it asks of the documents of a class is their words, added up.
        model = MultinomialNB(alpha=self.alpha, class_prior=prior)
        return model.fit(np.asarray(chance.T @ matrix), np.arange(n_classes))


# --- co-boosting ---------------------------------------------------------------------------------


@estimator
class CoBoost(TwoViews):
    """Two sums of stumps, one of each view, boosted so that they agree on unlabeled documents.

    A stump is a word: it says one and the same thing of all documents that have it, and nothing of others. In
    a round, view j gets the stump and weight that make

        Z_j = sum_i u_i exp(-y_i g_j(x_i))

    smallest, y_i = +1 or -1 being the label of a labeled document, and of any other the sign of what the
    other view had after the round before, g_3-j; 0 as long as it has nothing. With W+ and W- the shares of
    Z_j of documents that have the word and y_i = +1, or -1, the word is that with the lowest
    1 - W+ - W- + 2 sqrt(W+ W-), and its weight is log((W+ + epsilon) / (W- + epsilon)) / 2. Such a step never
    raises Z_j. The sum over both views is an upper bound on the errors at labeled documents and the
    disagreements at others. u_i, the weight of a document, is 1 for a labeled one.

    One class is told from all others, class by class; of two classes it is one from the other. The scores are
    f = g_1 + g_2, and P(y|d) is in proportion to exp(f_y), as f estimates half the log-odds in boosting.

    Notes
    -----
    As published, `unlabeled_total=None`, u_i is 1 for all. Then a few labels are next to nothing beside many
    documents, and the views come to agree on one class for all or most. With halves of the words as views
    labels alone, `unlabeled_total=0`, were better than both that and the default on 20 Newsgroups, WebKB and
    Reuters-7 (1% and 5% labeled): halves of a text are not independent.

    Krithara (2008) leaves open which weak classifiers there are and how one is chosen: both are as Collins
    and Singer have them. P(y|d), which neither has, is that of Friedman, Hastie and Tibshirani (2000). A
    document without a word that was chosen has even odds.

    References
    ----------
    M. Collins and Y. Singer, "Unsupervised Models for Named Entity Classification", EMNLP 1999 (Krithara
    2008, algorithm 8). J. Friedman, T. Hastie and R. Tibshirani, "Additive Logistic Regression: A Statistical
    View of Boosting", Annals of Statistics 2000.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import CoBoost
    >>> texts = ["tea milk", "milk cup tea", "cup tea", "goal ball", "ball team goal", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = CoBoost(views=0).fit(counts, ["food", None, None, "sport", None, None])
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'sport', 'sport', 'sport']
    """

    _parameters: ClassVar[str] = """
    max_iter : int >= 0
        Rounds: stumps of each view.
    unlabeled_total : None or float >= 0
        What all unlabeled documents together weigh, the labeled ones being 1. None: every document is 1.
    epsilon : None or float > 0
        What keeps weights from extremes, where a word is in few documents. None: 1 / (2 n), of n labels.
    """
    _attributes: ClassVar[str] = """
    stumps_ : tuple of two (n_classes, words of the view) arrays
        What a document that has the word gets for each class that has an example; 0 of words not chosen.
    n_iter_ : int
        Rounds made.
    """

    max_iter: int = 100
    unlabeled_total: float | None = 0.3
    _: KW_ONLY
    epsilon: float | None = None

    def _seen_by(self, counts: Counts, columns: tuple[Places, Places]) -> Matrices:
        return super()._seen_by(counts.presence(), columns)

    def _learn_views(self, matrices: Matrices, labels: Labels, rng: Rng) -> Fitted:
        known, n_classes = labels.labeled, len(labels.classes)
        sides = np.zeros((len(labels.code), n_classes))
        sides[known] = 2 * labels.one_hot() - 1
        if n_classes == 2:
            sides = sides[:, 1:]
        epsilon = 1 / (2 * known.sum()) if self.epsilon is None else float(self.epsilon)
        weight = np.ones(len(sides))
        if self.unlabeled_total is not None and not known.all():
            weight[~known] = self.unlabeled_total * known.sum() / (~known).sum()
        scores = [np.zeros(sides.shape) for _ in matrices]
        weights = [np.zeros((matrix.shape[1], sides.shape[1])) for matrix in matrices]
        by_words = [matrix.T.tocsr() for matrix in matrices]
        problem = np.arange(sides.shape[1])
        for _ in range(self.max_iter):
            before = [each.copy() for each in scores]
            for view in (0, 1):
                side = np.where(known[:, np.newaxis], sides, np.sign(before[1 - view]))
                word, step = best_stumps(by_words[view], side, scores[view], weight, epsilon)
                weights[view][word, problem] += step
                scores[view] += by_words[view][word].T.toarray() * step
        if n_classes == 2:
            weights = [np.hstack([-each, each]) for each in weights]
        return {"stumps_": (weights[0].T, weights[1].T), "n_iter_": self.max_iter}

    def _chances(self, matrices: Matrices, found: Fitted) -> Floats:
        each = zip(matrices, found["stumps_"], strict=True)
        return np.asarray(softmax(sum(matrix @ weights.T for matrix, weights in each), axis=1))


def best_stumps(
    by_words: sparse.csr_array, side: Floats, scores: Floats, weight: Floats, epsilon: float
) -> tuple[Places, Array]:
    """The word that makes Z smallest, the first of equals, and its weight, for each of several problems.

    `by_words` is 1 where a word is in a document, words in rows; sides are +1, -1, or 0 where there is none.
    """
    # A document that weighs nothing may have the largest loss by far.
    loss = np.where(weight[:, np.newaxis] > 0, -side * scores, -np.inf)
    share = weight[:, np.newaxis] * np.exp(loss - loss.max(axis=0))
    share /= share.sum(axis=0)
    both = by_words @ np.hstack([share * (side > 0), share * (side < 0)])
    plus, minus = np.hsplit(both, 2)
    word = ((np.sqrt(plus) - np.sqrt(minus)) ** 2).argmax(axis=0)  # 1 - Z
    problem = np.arange(side.shape[1])
    step = np.log((plus[word, problem] + epsilon) / (minus[word, problem] + epsilon)) / 2
    return word, step
