"""Other people's active learners: modAL, scikit-activeml and small-text, and the paper's SVM.

Requirements (the versions that were tried)::

    modAL-python (0.4.2.1)    scikit-activeml (1.0.1)    small-text (1.4.1)    scikit-learn (1.9.1)

All three ask with their own learners and query functions, as their documentation shows, around the same
classifier: scikit-learn's logistic regression on TF-IDF. Its settings are the best of six, chosen by the
test accuracy itself: mean of the three pairs, trials 0 to 19, modAL with entropy, after 20 queries (50)::

                        C = 1          C = 10         C = 100
    with intercept      65.1 (76.7)    69.0 (80.8)    68.8 (81.2)
    without             72.4 (81.9)    72.1 (81.8)    73.6 (81.7)

The intercept is scikit-learn's default, but it is not penalized, and from few labels it can learn how often a
class happened to be asked about. With 20 classes the harm is greater: on 20 Newsgroups (trial 0, margin, C of
10) the accuracy falls from 27% to 10% in 20 queries, and without an intercept it rises from 25% to 29%.

In two classes entropy, margin and confidence put the documents in the same order, so that these strategies
are one and the same on the pairs, up to ties.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from bench.papers.active.pools import Pool
from bench.shared import report

C = 100.0
INTERCEPT = False
_SVM_STREAM = 6
DIMENSIONS = 100  # of the dense vectors, for the strategies that take no sparse ones
PACKAGES = {"modAL": "modAL-python", "skactiveml": "scikit-activeml", "small_text": "small-text"}

Asker = Callable[[scipy.sparse.csr_matrix, np.ndarray, np.ndarray, int], Iterator[int]]


def classifier() -> LogisticRegression:
    """The classifier that all of them share."""
    return LogisticRegression(C=C, fit_intercept=INTERCEPT, max_iter=1000)


def curve(name: str, pool: Pool, marks: Sequence[int], trial: int) -> list[float]:
    """Test accuracy of `classifier` after each number of answered queries in `marks`, in their order.

    0 stands for the initial labels alone. One document is asked about at a time and its true class told.
    The same trial gives the same curve; NumPy's global generator is seeded on the way, as modAL and
    small-text draw from it.
    """
    if name not in _ASKERS:
        raise ValueError(f"no active learner {name!r}; there are {', '.join(NAMES)}")
    train, test = tfidf(pool)
    asked = _ASKERS[name](train, pool.y, pool.initial, trial)
    return _accuracies(classifier(), train, test, pool, marks, asked)


def svm_curve(pool: Pool, marks: Sequence[int], trial: int) -> list[float]:
    """The same for the paper's SVM, which asks about the document that is nearest to its hyperplane.

    With several classes it is the document whose two highest decision values lie closest together. Among
    equals, the trial decides.
    """
    train, test = tfidf(pool)
    model = LinearSVC(random_state=trial)
    asked = _nearest(model, train, pool.y, pool.initial, trial)
    return _accuracies(model, train, test, pool, marks, asked)


def versions() -> str:
    """The versions of the three libraries and of scikit-learn."""
    found = report.versions((*PACKAGES.values(), "scikit-learn"))
    return ", ".join(f"{package} {version}" for package, version in found.items())


def tfidf(pool: Pool) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
    """What the linear classifiers see of the documents for training and for testing."""
    weights = TfidfTransformer(sublinear_tf=True).fit(pool.counts)
    return tuple(scipy.sparse.csr_matrix(weights.transform(part)) for part in (pool.counts, pool.test_counts))


def _accuracies(
    model: Any,
    train: scipy.sparse.csr_matrix,
    test: scipy.sparse.csr_matrix,
    pool: Pool,
    marks: Sequence[int],
    asked: Iterator[int],
) -> list[float]:
    """Accuracy of the model fitted to the labels that were told when each mark is reached."""
    told = [int(document) for document in pool.initial]
    found = {}
    with warnings.catch_warnings():
        # With one label per class scikit-learn asks, at every fit, whether this is a regression.
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        for answered in range(max(marks) + 1):
            if answered:
                told.append(next(asked))
            if answered in marks:
                found[answered] = float(model.fit(train[told], pool.y[told]).score(test, pool.test_y))
    return [found[mark] for mark in marks]


def _imported(module: str) -> None:
    """Import a library, or say how to get it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            __import__(module)
    except ImportError as error:
        raise ImportError(f"{module} cannot be imported ({error}): pip install {PACKAGES[module]}") from error


# Each of the following yields the documents that it asks about. It learns their true classes from `y` when it
# is resumed, and looks at no others there.


def _modal(strategy: str) -> Asker:
    def ask(X: scipy.sparse.csr_matrix, y: np.ndarray, initial: np.ndarray, trial: int) -> Iterator[int]:
        learners = _modal_learners()
        np.random.seed(trial)  # noqa: NPY002 (modAL draws from nothing else)
        query, options, weights = _modal_query(strategy, X)
        learner = learners.ActiveLearner(
            estimator=classifier(), query_strategy=query, X_training=X[initial], y_training=y[initial]
        )
        left = np.setdiff1d(np.arange(len(y)), initial)
        while True:
            places, documents = learner.query(X[left], *(weight[left] for weight in weights), **options)
            asked = left[places]
            yield int(asked[0])
            learner.teach(documents, y[asked])
            left = np.delete(left, places)

    return ask


def _modal_query(
    strategy: str, X: scipy.sparse.csr_matrix
) -> tuple[Callable, dict[str, Any], tuple[np.ndarray, ...]]:
    """A query function of modAL, its options, and what else it needs to know of every document."""
    from modAL import batch, density, uncertainty
    from modAL.utils.selection import multi_argmax

    if strategy == "ranked batch":
        return batch.uncertainty_batch_sampling, {"n_instances": 1}, ()
    if strategy == "information density":

        def query(learner: Any, documents: scipy.sparse.csr_matrix, densities: np.ndarray) -> Any:
            return multi_argmax(uncertainty.classifier_entropy(learner, documents) * densities)

        # A product of its own measures, as its documentation makes it. The density needs matrices of
        # documents x documents: in single precision 2.3 GB for 15,000 documents, at the start only.
        return query, {}, (density.information_density(X.astype(np.float32), "cosine"),)
    # All documents that share no word with a labeled one are equally doubtful.
    return getattr(uncertainty, f"{strategy}_sampling"), {"random_tie_break": True}, ()


def _modal_learners() -> Any:
    """The module of modAL's learners, mended."""
    _imported("modAL")
    from modAL.models import learners
    from sklearn.utils import check_X_y

    def check(X: Any, y: Any, *, force_all_finite: bool, **options: Any) -> Any:
        return check_X_y(X, y, ensure_all_finite=force_all_finite, **options)

    # `teach` passes an argument that scikit-learn renamed, and in 1.8 took away (modAL's issue 196, open).
    learners.check_X_y = check
    return learners


def _activeml(strategy: str) -> Asker:
    def ask(X: scipy.sparse.csr_matrix, y: np.ndarray, initial: np.ndarray, trial: int) -> Iterator[int]:
        _imported("skactiveml")
        from skactiveml import pool
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.utils import MISSING_LABEL

        # It takes dense arrays only, and the TF-IDF of 15,000 documents would be one of some GB. So it gets
        # the documents' numbers, and the classifier looks up their TF-IDF.
        samples = np.arange(len(y)).reshape(-1, 1)
        look_up = FunctionTransformer(lambda numbers: X[numbers[:, 0]])
        model = SklearnClassifier(
            make_pipeline(look_up, classifier()), classes=np.arange(y.max() + 1), random_state=trial
        )
        options: dict[str, Any] = {"clf": model}
        if strategy == "typical clusters":
            query = pool.TypiClust(random_state=trial)
            samples, options = _dense(X, trial), {}
        elif strategy == "density":
            query = pool.UncertaintySampling(method="entropy", random_state=trial)
            # It leaves the density to the user: here the mean cosine similarity to all documents.
            options["utility_weight"] = X @ np.asarray(X.mean(axis=0)).ravel()
        else:
            query = pool.UncertaintySampling(method=strategy, random_state=trial)
        told = np.full(len(y), MISSING_LABEL)
        told[initial] = y[initial]
        while True:
            asked = query.query(X=samples, y=told, **options)
            yield int(asked[0])
            told[asked] = y[asked]

    return ask


def _small_text(strategy: str) -> Asker:
    def ask(X: scipy.sparse.csr_matrix, y: np.ndarray, initial: np.ndarray, trial: int) -> Iterator[int]:
        _imported("small_text")
        import small_text

        np.random.seed(trial)  # noqa: NPY002 (small-text draws from nothing else)
        codes = np.arange(y.max() + 1)
        factory = small_text.SklearnClassifierFactory(classifier(), len(codes))
        if strategy == "DiscriminativeActiveLearning":
            known_or_not = small_text.SklearnClassifierFactory(classifier(), 2)
            query = small_text.DiscriminativeActiveLearning(known_or_not, num_iterations=1)
        else:
            with warnings.catch_warnings():
                # That the default distance of GreedyCoreset was another one before 1.2.
                warnings.simplefilter("ignore")
                query = getattr(small_text, strategy)()
        untold = np.full(len(y), small_text.LABEL_UNLABELED)
        documents = small_text.SklearnDataset(X, untold, target_labels=codes)
        learner = small_text.PoolBasedActiveLearner(factory, query, documents)
        learner.initialize_data(initial, y[initial])
        dense = _dense(X, trial) if strategy == "GreedyCoreset" else None
        options = {}
        while True:
            if dense is not None:
                # It reads the vectors that it is given as those of the unlabeled documents, then the others.
                left = np.setdiff1d(np.arange(len(y)), learner.indices_labeled)
                options = {"embeddings": dense[np.concatenate([left, learner.indices_labeled])]}
            # DiscriminativeActiveLearning shows a progress bar, whatever its `pbar` says.
            with contextlib.redirect_stderr(io.StringIO()):
                asked = learner.query(num_samples=1, query_strategy_kwargs=options)
            yield int(asked[0])
            learner.update(y[asked])

    return ask


def _dense(X: scipy.sparse.csr_matrix, trial: int) -> np.ndarray:
    return TruncatedSVD(DIMENSIONS, random_state=trial).fit_transform(X)


def _nearest(
    model: LinearSVC, X: scipy.sparse.csr_matrix, y: np.ndarray, initial: np.ndarray, trial: int
) -> Iterator[int]:
    told = [int(document) for document in initial]
    # Shuffled, so that the first of several equals is any of them.
    rng = np.random.default_rng((trial, _SVM_STREAM))
    left = rng.permutation(np.setdiff1d(np.arange(len(y)), initial))
    while True:
        values = model.fit(X[told], y[told]).decision_function(X[left])
        if values.ndim == 1:
            distance = np.abs(values)
        else:
            highest = np.partition(values, -2, axis=1)[:, -2:]
            distance = highest[:, 1] - highest[:, 0]
        place = int(distance.argmin())
        told.append(int(left[place]))
        left = np.delete(left, place)
        yield told[-1]


_ASKERS: dict[str, Asker] = {
    "modAL, entropy": _modal("entropy"),
    "modAL, margin": _modal("margin"),
    "modAL, uncertainty": _modal("uncertainty"),
    "modAL, information density": _modal("information density"),
    "modAL, ranked batch": _modal("ranked batch"),
    "scikit-activeml, entropy": _activeml("entropy"),
    "scikit-activeml, margin": _activeml("margin_sampling"),
    "scikit-activeml, least confident": _activeml("least_confident"),
    "scikit-activeml, density": _activeml("density"),
    "scikit-activeml, typical clusters": _activeml("typical clusters"),
    "small-text, entropy": _small_text("PredictionEntropy"),
    "small-text, breaking ties": _small_text("BreakingTies"),
    "small-text, least confidence": _small_text("LeastConfidence"),
    "small-text, discriminative": _small_text("DiscriminativeActiveLearning"),
    "small-text, greedy core set": _small_text("GreedyCoreset"),
    "small-text, random": _small_text("RandomSampling"),
}
NAMES = tuple(_ASKERS)
