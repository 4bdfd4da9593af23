"""How many topics a class should have, judged without touching what is unlabeled."""

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats
from plsa.engine.progress import Progress
from plsa.estimators.base import copies_are_lost
from plsa.estimators.documents import check_documents, last_step, scaled_counts, without_steps
from plsa.estimators.validation import among_declared, check_labels, read_labels
from plsa.evaluation.folds import labeled_scorer, splits_of
from plsa.inputs.structure import check_structure
from plsa.labels.layout import Layout, check_topics_per_class
from plsa.labels.reading import UNLABELED, Labels
from plsa.show import pictures
from plsa.show.tables import aligned
from plsa.show.words import check_topics

_WITH_TOPICS = "a classifier with topics_per_class such as SoftMislabelingPLSA() or PLSAClassifier()"


def heterogeneity(model: Any, X: Any, *, doc_topic: ArrayLike | None = None) -> Floats:
    """How far the documents of each topic are from it: the mean of KL(P(w|d) || P(w|z)) under P(z|d).

    volume(z) = sum_d P(z|d) KL(P(w|d) || P(w|z)) / sum_d P(z|d), where P(w|d) = n(w, d) / n(d) is what the
    document itself shows, its counts scaled as the model does it. Zero means that all documents of the topic
    use its words in its proportions; a topic with a large volume might well be two.

    Parameters
    ----------
    model : fitted estimator with `components_`, or a Pipeline that ends in one
    X : documents, as for the model's `transform`
    doc_topic : (n_documents, n_topics) array, default=None
        P(z|d), for example `doc_topic_` if X is what the model was fitted to. None: `model.transform(X)`.

    Returns
    -------
    (n_topics,) array
        Zero for a topic that no document uses; infinite where a document uses a topic that has probability
        zero for one of its words (smoothing > 0 rules that out). Documents without words are left out.

    Notes
    -----
    Time is O(nonzeros * topics); beyond X, memory is a (words, topics) and a (documents, topics) matrix.
    P(z|d) includes what a `prior_strength` adds to topics that the document does not use and is far from:
    with short documents that makes the topics of a class with several look wider than they are.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import PLSAClassifier
    >>> from plsa import heterogeneity
    >>> X = np.array([[4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 2, 2], [0, 0, 2, 2]])
    >>> model = PLSAClassifier(scaling=None, smoothing=1e-3).fit(X, ["mixed", "mixed", "pure", "pure"])
    >>> heterogeneity(model, X, doc_topic=model.doc_topic_).round(2).tolist()
    [0.69, 0.0]
    """
    check_structure(X)
    last, inside = without_steps(model, X)
    word_of_topic = check_topics(last)
    counts = scaled_counts(last, inside)
    shape = (counts.n_documents, len(word_of_topic))
    if doc_topic is None:
        doc_topic = last.transform(inside)
    topics = inputs.check_distributions(doc_topic, "doc_topic", shape, "documents x topics")
    return _volume(counts, topics, word_of_topic)


def _volume(counts: Counts, doc_topic: Floats, word_of_topic: Floats) -> Floats:
    """sum_d P(z|d) KL(P(w|d) || P(w|z)) / sum_d P(z|d) of each topic.

    With p = P(w|d), the sum above is sum_d P(z|d) sum_w p log p - sum_w log P(w|z) sum_d P(z|d) p: nothing in
    it is larger than documents x topics or words x topics.
    """
    length = counts.lengths()
    full = length > 0
    share = counts.count / np.repeat(np.where(full, length, 1), np.diff(counts.offset))
    logs = np.zeros_like(share)
    np.log(share, out=logs, where=share > 0)
    matrix = counts.with_counts(share).matrix()
    negentropy = counts.with_counts(share * logs).lengths()
    weight = np.where(full[:, np.newaxis], doc_topic, 0.0)
    used = matrix.T @ weight  # (W, K)
    with np.errstate(divide="ignore"):
        log_words = np.log(word_of_topic.T)
    crossed = np.zeros_like(used)
    np.multiply(used, log_words, out=crossed, where=used > 0)
    distance = np.maximum(negentropy @ weight - crossed.sum(axis=0), 0)
    total = weight.sum(axis=0)
    volume = np.zeros(len(total))
    np.divide(distance, total, out=volume, where=total > 0)
    return volume


@dataclass(frozen=True, slots=True)
class TopicScore:
    """What one number of topics was found to be worth."""

    topics: Any  # the value of the parameter
    n_topics: int  # topics in all, those of no class included
    score: float  # the mean over the folds; or AIC; or BIC
    spread: float | None = None  # standard deviation over the folds; None where there are none
    log_likelihood: float | None = None  # None where the criterion does not look at it
    n_parameters: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TopicSelection:
    """What `select_topics` found; shows itself as a table."""

    parameter: str  # what was searched over, as `set_params` knows it
    criterion: str
    best: Any  # the value of the parameter to use
    scores: tuple[TopicScore, ...]  # in the order they were tried
    best_estimator: Any  # with the best value, fitted to all documents

    def __repr__(self) -> str:
        named = self.parameter.rpartition("__")[2]
        folds = self.criterion in ("cv", "heterogeneity")
        figures = ["score"] if folds else ["log-likelihood", "parameters", self.criterion.upper()]
        rows = [[named, "topics", *figures, ""]]
        for score in self.scores:
            row = [str(score.topics), str(score.n_topics)]
            if folds:
                row.append(f"{score.score:.4f} ± {score.spread:.4f}")
            else:
                row += [f"{score.log_likelihood:,.1f}", f"{score.n_parameters:,.0f}", f"{score.score:,.1f}"]
            rows.append([*row, "best" if score.topics == self.best else ""])
        title = f"TopicSelection by {self.criterion}: {named}={self.best!r}"
        return "\n".join([title, *aligned(rows, names_left=False)])

    def plot(self, ax: Any = None) -> Any:
        """Draws the scores, the best one marked; needs matplotlib.

        On the axes `ax`, or where it is None on those of a new figure; returns the axes.
        """
        return pictures.topic_scores(self, ax)


def select_topics(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    candidates: Any = (1, 2, 3, 4, 6, 8),
    criterion: str = "cv",
    cv: Any = None,
    scoring: Any = "accuracy",
    max_splits: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> TopicSelection:
    """The number of topics that a criterion finds best, and the estimator fitted with it.

    Parameters
    ----------
    estimator : a classifier of this package, or PLSA, or a Pipeline that ends in one
        Is not changed. The parameter is `topics_per_class`, or `components_per_class` for NaiveBayesEM.
        The topics of PLSA and TopicSensitivePLSA (`n_components`) are of no class: "aic" and "bic" only.
    X : documents
    y : labels, some of which may be missing, as the estimator takes them
    candidates : sequence, default=(1, 2, 3, 4, 6, 8)
        Values to try: numbers, or whatever else the parameter may be. "heterogeneity" finds its own.
    criterion : {"cv", "aic", "bic", "heterogeneity"}, default="cv"
        "cv": the cross-validated score; the highest is best.
        "aic": 2 p - 2 L, and "bic": p log n - 2 L; the lowest is best. L is the log-likelihood of the
        documents of the fit, p the number of free parameters, K (W - 1) + sum_d (topics that d may use - 1),
        over words and documents that occur, and n the number of words (tokens): given the parameters every
        word is one independent draw, while documents are not draws, having parameters of their own. Where
        they have none (NaiveBayesEM), a document is one draw: p is K (W - 1) + K - 1 and n the number of
        documents. A model that gives unlabeled documents a weight does so in all three.
        "heterogeneity": one topic per class to begin with; then, `max_splits` times, the class of the most
        heterogeneous topic (see `heterogeneity`) gets one topic more. Of all these the one with the highest
        cross-validated score is best.
        Of equals the one with the fewest topics is kept.
    cv : int, splitter or iterable, default=None
        The folds of "cv" and "heterogeneity", the same for all candidates. A number is that of a
        `LabeledKFold`, with which unlabeled documents stay in training; None is 5, or fewer where no more
        documents can be held out. Test documents without a label are not scored, whatever the splitter.
    scoring : str or callable, default="accuracy"
        What is measured on a fold; higher is better.
    max_splits : int or None, default=None
        Splits that "heterogeneity" tries. None: as many as there are classes.
    n_jobs : int or None, default=None
        Folds that are worked on at a time. The fits of "aic" and "bic" come one after the other; each uses
        the `n_threads` of the estimator.
    verbose : int, default=0
        Whether to show which number is tried, and each score as it comes.

    Returns
    -------
    TopicSelection
        With `best`, a value for the parameter (a list with one number for each class, in sorted order, by
        "heterogeneity"); `scores`, a row for each value tried, which pandas.DataFrame takes as it is;
        `best_estimator`; `criterion`. Printing it shows the table, `plot()` draws it.

    Notes
    -----
    Cross-validation costs as many fits as folds for each candidate and looks at what counts, the labels; with
    very few of them its differences are noise: see the spread. AIC and BIC cost one fit per candidate and
    know nothing of how well classes are told apart. They compare likelihoods of the same counts: what the
    estimator leaves at "auto", such as `scaling`, is for all candidates what the first one's fit chose, and L
    and n are those of scaled counts. A candidate whose fit left the unlabeled documents out, where the
    first one's did not, is not compared (nan, and a warning). L is that of where EM stopped.

    Examples
    --------
    >>> from plsa import PLSAClassifier
    >>> from plsa.datasets import planted_corpus
    >>> from plsa import select_topics
    >>> corpus = planted_corpus(200, 60, 4, n_classes=2, doc_concentration=0.05, random_state=0)
    >>> model = PLSAClassifier(scaling=None, random_state=0)
    >>> found = select_topics(model, corpus.counts, corpus.target, candidates=(1, 2, 4), criterion="bic")
    >>> found.best, found.best_estimator.topics_per_class
    (2, 2)
    """
    inputs.check_choice(criterion, "criterion", ("cv", "aic", "bic", "heterogeneity"))
    name = _topic_parameter(estimator, criterion)
    if criterion != "heterogeneity":
        candidates = _check_candidates(candidates)
    check_documents(estimator, X)
    mark = getattr(last_step(estimator), "unlabeled", UNLABELED)
    labels = None
    if name.endswith("_per_class"):
        y = check_labels(y, _num_samples(X))
        declared = getattr(last_step(estimator), "classes", None)
        labels = among_declared(read_labels(y, len(y), mark), declared, mark)
    search = _Search(estimator, name, X, y, labels, Progress("select_topics", bool(verbose)))
    with copies_are_lost("select_topics"):
        if criterion in ("aic", "bic"):
            scores = search.by_information(candidates, criterion)
        else:
            assert labels is not None
            # A choice, not a draw: the folds do not move with the estimator's random_state.
            scorer, splits = labeled_scorer(scoring, mark), splits_of(cv, X, y, labels)
            settings = {"cv": splits, "scoring": scorer, "n_jobs": n_jobs, "error_score": "raise"}
            if criterion == "cv":
                scores = search.by_folds(candidates, settings)
            else:
                scores = search.by_splits(len(labels.classes), max_splits, settings)
            if np.isnan([score.score for score in scores]).all():
                raise ValueError(
                    "no fold of cv gave a score: their test documents have no label, or scoring gives nan. "
                    "Pass cv=None or a LabeledKFold, which hold out labeled documents only."
                )
        sign = -1 if criterion in ("aic", "bic") else 1
        known = [score for score in scores if not np.isnan(score.score)]
        best = max(known, key=lambda found: (sign * found.score, -found.n_topics))
        return TopicSelection(name, criterion, best.topics, tuple(scores), search.best(best.topics))


def _topic_parameter(estimator: Any, criterion: str) -> str:
    """What `set_params` calls the number of topics of an estimator, or of the last step of a Pipeline."""
    prefix = f"{estimator.steps[-1][0]}__" if len(getattr(estimator, "steps", ())) else ""
    last = last_step(estimator) if prefix else estimator
    names = last.get_params(deep=False) if hasattr(last, "get_params") and not isinstance(last, type) else ()
    for name in ("topics_per_class", "components_per_class"):
        if name in names:
            return prefix + name
    if "n_components" not in names:
        ours = f"PLSA(), NaiveBayesEM(), {_WITH_TOPICS}, or a Pipeline that ends in one of them"
        raise ValueError(f"estimator == {estimator!r} has no number of topics to choose: give {ours}.")
    if criterion not in ("aic", "bic"):
        lacks = f"needs classes with topics of their own, and the topics of {type(last).__name__} are of none"
        others = f"NaiveBayesEM() or {_WITH_TOPICS}"
        raise ValueError(f"criterion == {criterion!r} {lacks}: pass 'aic' or 'bic', or {others}.")
    return prefix + "n_components"


def _check_candidates(candidates: Any) -> list[Any]:
    """Numbers of topics to try, at least one; whether each fits the classes is not looked at."""
    if isinstance(candidates, str | Mapping) or not hasattr(candidates, "__iter__"):
        raise ValueError(f"candidates == {candidates!r}, but must be a list of numbers of topics to try.")
    given = [value.tolist() if isinstance(value, np.ndarray) else value for value in candidates]
    given = [inputs.check_whole(n, "candidates", 1) if isinstance(n, numbers.Number) else n for n in given]
    for value in given:
        if isinstance(value, str):
            raise ValueError(f"candidates holds {value!r}, but must hold numbers, or lists or dicts of them.")
    if not given:
        raise ValueError("candidates is empty: give at least one number of topics to try.")
    return given


@dataclass(slots=True)
class _Search:
    """An estimator and what it is to learn, with the number of topics left open."""

    estimator: Any
    name: str  # of the parameter
    X: Any
    y: Any
    labels: Labels | None  # None where there are no classes
    progress: Progress

    def with_topics(self, value: Any, **others: Any) -> Any:
        """The estimator with this number of topics, not fitted."""
        return clone(self.estimator).set_params(**{self.name: value}, **others)

    def fitted(self, value: Any, **others: Any) -> Any:
        """The same, fitted to everything."""
        return self.with_topics(value, **others).fit(self.X, self.y)

    def n_topics(self, value: Any) -> int:
        """The number of topics in all."""
        if self.labels is None:
            return int(value)
        classes, name = self.labels.classes, self.name.rpartition("__")[2]
        met = classes[np.unique(self.labels.code[self.labels.labeled])]
        of_class = check_topics_per_class(value, met, name, classes)
        return int(of_class.sum()) + int(getattr(last_step(self.estimator), "extra_topics", 0))

    def best(self, value: Any) -> Any:
        """The same for the value that was chosen."""
        with self.progress:
            self.progress.begin(f"fit with {self.name}={value}", 0)
            found = self.fitted(value)
            self.progress.end(f"{self.name}={value} is best")
        return found

    def by_information(self, candidates: list[Any], criterion: str) -> list[TopicScore]:
        """AIC or BIC of each candidate."""
        scores: list[TopicScore] = []
        settled: dict[str, Any] = {}
        n_first = 0  # documents that the first one learns from
        self.progress.plan(len(candidates) + 1)
        for value in candidates:
            n_topics = self.n_topics(value)
            with self.progress:
                self.progress.begin(f"{self.name}={value}", 0)
                model = self.fitted(value, **settled)
                self.progress.close(f"log-likelihood {last_step(model).log_likelihood_:,.1f}")
            if not scores:
                settled = self._settled(last_step(model))
            last, counts, labels = self._of_the_fit(model)
            weight = np.ones(counts.n_documents)  # how often each document counts
            if labels is not None:
                other = getattr(last, "unlabeled_weight_", getattr(last, "unlabeled_weight", 1.0))
                weight[~labels.labeled] = other
            n_parameters = _free_parameters(last, counts, labels, weight)
            n_draws = counts.total(weight) if last.topics_of_documents else float(weight.sum())
            penalty = 2.0 if criterion == "aic" else float(np.log(max(n_draws, 1.0)))
            score = penalty * n_parameters - 2 * last.log_likelihood_
            n_first = n_first or counts.n_documents
            if counts.n_documents != n_first:
                score = float("nan")
                fitted = (
                    f"{self.name}={value} was fitted to {counts.n_documents} documents and not to {n_first}"
                )
                other = f"as the first candidate: it has no {criterion.upper()} that could be compared"
                inputs.warn(f"{fitted}, {other}.")
            scores.append(TopicScore(value, n_topics, score, None, last.log_likelihood_, n_parameters))
        return scores

    def _settled(self, last: Any) -> dict[str, Any]:
        """What a fit made of the parameters that were left at "auto"."""
        prefix = self.name.removesuffix(self.name.rpartition("__")[2])
        return {
            prefix + name: getattr(last, name + "_")
            for name, value in last.get_params(deep=False).items()
            if inputs.is_auto(value) and hasattr(last, name + "_")
        }

    def _of_the_fit(self, model: Any) -> tuple[Any, Counts, Labels | None]:
        """The last step, and the documents that `doc_topic_` has rows for, all or the labeled ones."""
        last, inside = without_steps(model, self.X)
        counts, labels = scaled_counts(last, inside), self.labels
        if labels is not None and len(last.doc_topic_) != counts.n_documents:
            some = np.flatnonzero(labels.labeled)
            counts, labels = counts.of_documents(some), labels.part(some)
        return last, counts, labels

    def by_folds(self, candidates: list[Any], settings: dict[str, Any]) -> list[TopicScore]:
        """The cross-validated score of each candidate, over the folds that have something to score."""
        self.progress.plan(len(candidates) + 1)
        return [self._by_folds(value, settings) for value in candidates]

    def _by_folds(self, value: Any, settings: dict[str, Any]) -> TopicScore:
        n_topics = self.n_topics(value)  # says what is wrong with it before any fit
        with self.progress:
            self.progress.begin(f"{self.name}={value}", 0)
            found = cross_validate(self.with_topics(value), self.X, self.y, **settings)["test_score"]
            found = found[~np.isnan(found)]
            mean, spread = (float(found.mean()), float(found.std())) if len(found) else (np.nan, np.nan)
            self.progress.close(f"score {mean:.4f} ± {spread:.4f}")
        return TopicScore(value, n_topics, mean, spread)

    def by_splits(self, n_classes: int, max_splits: int | None, settings: dict[str, Any]) -> list[TopicScore]:
        """The score of one topic per class, and after each split of the most heterogeneous topic."""
        n_splits = n_classes if max_splits is None else inputs.check_whole(max_splits, "max_splits", 0)
        topics = [1] * n_classes
        self.progress.plan(2 * n_splits + 2)
        scores = [self._by_folds(topics, settings)]
        for _ in range(n_splits):
            with self.progress:
                self.progress.begin("the most heterogeneous topic", 0)
                widest = self._most_heterogeneous(topics)
                self.progress.close()
            topics = [number + (place == widest) for place, number in enumerate(topics)]
            scores.append(self._by_folds(topics, settings))
        return scores

    def _most_heterogeneous(self, value: Any) -> int:
        """The class of the topic with the largest volume; of equals that of the most used."""
        last, counts, _ = self._of_the_fit(self.fitted(value))
        topics = np.asarray(last.doc_topic_, dtype=np.float64)
        volume, used = _volume(counts, topics, check_topics(last)), topics.sum(axis=0)
        own = np.flatnonzero(last.topic_class_ != UNLABELED)
        widest = max(own.tolist(), key=lambda topic: (volume[topic], used[topic]))
        return int(last.topic_class_[widest])


def _free_parameters(model: Any, counts: Counts, labels: Labels | None, weight: Floats) -> float:
    """K (W - 1) + sum_d weight_d (topics that d may use - 1), or + K - 1 where documents have one topic.

    W counts the words that occur in these documents, and d the documents that have words: all else is not
    learned from them but fixed by smoothing and prior. A document that counts twice is two documents, each
    with topics of its own. The few parameters of labels, such as the chances of mislabeling, are left out.
    """
    n_topics = len(model.components_)
    n_words = int((counts.word_totals() > 0).sum())
    if not model.topics_of_documents:
        return n_topics * (n_words - 1) + n_topics - 1
    allowed = np.full(counts.n_documents, float(n_topics))
    if labels is not None:
        of_class = Layout(np.asarray(model.topic_class_), len(labels.classes)).allowed().sum(axis=1)
        allowed[labels.labeled] = of_class[labels.code[labels.labeled]]
    full = counts.lengths() > 0
    return n_topics * (n_words - 1) + float(weight[full] @ (allowed[full] - 1))
