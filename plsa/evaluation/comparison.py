"""Classifiers that learn from positive and unlabelled documents, side by side on a user's own data.

What can be said without a single negative document, and what cannot; and how many positives there may be
among the unlabelled documents.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv
from sklearn.base import clone
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.baselines.positive_rivals import PEBL, MPCKMeans, RocchioSVM, SpyEM, WeightedLogisticRegression
from plsa.engine.progress import say
from plsa.estimators.positives import FEW_POSITIVES, recall_above, recall_criterion
from plsa.estimators.topic_sensitive import TopicSensitivePLSA
from plsa.labels.supervision import read_positives
from plsa.show import pictures
from plsa.show.tables import aligned

_WIDTH = 60  # characters of a reason that a table has room for


@dataclass(frozen=True, slots=True, repr=False)
class PriorEstimate:
    """What `estimate_prior` found; shows itself as a number and an interval."""

    share: float  # of the unlabelled documents, that are positive
    low: float
    high: float
    level: float  # of the interval from `low` to `high`
    n_positives: int
    n_unlabelled: int

    def __float__(self) -> float:
        return self.share

    def __repr__(self) -> str:
        return f"PriorEstimate({self.share:.3f}, {self.level:.0%} from {self.low:.3f} to {self.high:.3f})"


def estimate_prior(
    scores: ArrayLike,
    positive: ArrayLike,
    *,
    level: float = 0.9,
    n_resamples: int = 500,
    random_state: Any = 0,
) -> PriorEstimate:
    """The share of positives among the unlabelled documents, from what a classifier says of both.

    If the positives that are known are like those that are not, then for every threshold t

        P(score > t | unlabelled) >= share * P(score > t | positive),

    with equality where no negative scores above t. The estimate is the ratio of the two at the threshold that
    bounds the share best: the higher it is, the fewer negatives are above it, but the fewer positives there
    are to go by.

    Parameters
    ----------
    scores : (n_documents,) array
        The higher, the more positive. The scores of positives must be those of documents that the classifier
        did not know to be positive, such as `decision_function` in cross-validation (`compare_pu` does that):
        those that it learnt from score too high, and the share comes out too low.
    positive : (n_documents,) array
        1 or True for the positives that are known, 0, -1 or False for the unlabelled documents.
    level : float, default=0.9
        What the interval is meant to hold, see below.
    n_resamples : int, default=500
        Bootstrap samples of the positives.
    random_state : int, RandomState or None, default=0
        Seed of the samples.

    Returns
    -------
    PriorEstimate
        `share`, never above 1, `low` and `high`. Warns where there are fewer than 5 positives.

    Notes
    -----
    Where negatives score as high as positives, no threshold is without them: the estimate is then too high,
    `low` with it, and 1 where scores tell nothing. `high` remains what it is: an upper bound. No estimate
    from positives and unlabelled documents alone can do better without assumptions: negatives that look
    like positives in all respects cannot be told from them.

    The k-th highest of n positives has a share of all positives above it that is distributed as beta(k, n +
    1 - k), whatever the scores: k / (n + 1) on the average, which makes the ratio at any threshold without
    negatives right on the average, however few the positives. `high` is the lowest of the bounds that
    follow from the quantiles of it and of the unlabelled documents' share, each at a tenth of the error
    that `level` allows, and where it is the estimate is made. Thresholds that fewer than half of the
    positives reach are not looked at. `low` is a quantile of what the estimate would have been with other
    positives (Bayesian bootstrap), and approximate: on scores six standard deviations apart it was above the
    share in 5 to 12% of draws at the level 0.9. That the positives that are known may be unlike the others
    is in neither.

    References
    ----------
    C. Elkan and K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data", KDD 2008; S. Garg,
    Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, "Mixture Proportion Estimation and PU Learning: A Modern
    Approach", NeurIPS 2021, who choose the threshold by an upper bound as well.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import estimate_prior
    >>> known, hidden, negative = np.arange(1, 21) / 20, np.arange(1, 41) / 40, -np.ones(160)
    >>> scores = np.concatenate([known, hidden, negative])
    >>> estimate_prior(scores, np.arange(220) < 20)
    PriorEstimate(0.205, 90% from 0.195 to 0.338)
    """
    value = inputs.check_scores(scores)
    known = read_positives(positive, len(value), name="positive")
    inputs.check_some_unlabelled(known, "positive")
    level = inputs.check_share(level, "level")
    n_resamples = inputs.check_whole(n_resamples, "n_resamples", 1)
    n_known, n_others = int(known.sum()), int((~known).sum())
    if n_known < FEW_POSITIVES:
        warnings.warn(
            f"positive marks {n_known} documents: too few to say how many more there are among the others. "
            f"Show at least {FEW_POSITIVES}.",
            UserWarning,
            stacklevel=2,
        )
    found, others = np.sort(value[known])[::-1], np.sort(value[~known])
    above = n_others - np.searchsorted(others, found, side="left")
    number = np.arange(1, n_known + 1)
    usual = number / (n_known + 1)
    error = (1 - level) / 10
    least = recall_above(number, n_known, error)
    most = np.where(above < n_others, betaincinv(above + 1, np.maximum(n_others - above, 1), 1 - error), 1.0)
    allowed = number >= n_known / 2
    bound = np.where(allowed, most / least, np.inf)
    best = int(bound.argmin())
    share = min(1.0, float(above[best] / (n_others * usual[best])))
    gaps = check_random_state(random_state).dirichlet(np.ones(n_known + 1), n_resamples)
    ratio = above / (n_others * np.cumsum(gaps, axis=1)[:, :-1])
    chosen = np.where(allowed, ratio * usual / least, np.inf).argmin(axis=1)
    low = float(np.quantile(ratio[np.arange(n_resamples), chosen], (1 - level) / 2))
    return PriorEstimate(share, min(low, share), min(1.0, float(bound[best])), level, n_known, n_others)


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """What was found of one classifier; nan where it is not known, `failure` where there is nothing."""

    name: str
    model: Any  # fitted to all documents; None where it failed
    seconds: float  # of one fit
    precision: float = float("nan")
    recall: float = float("nan")
    f1: float = float("nan")
    area: float = float("nan")  # under `curve`
    flagged: float = float("nan")  # share of the unlabelled documents that are taken for positive
    criterion: float = float("nan")  # recall^2 / flagged
    prior: PriorEstimate | None = None
    curve: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None  # shares on the x and the y axis
    failure: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class PositiveComparison:
    """What `compare_pu` found; shows itself as a table."""

    rows: tuple[ModelComparison, ...]
    with_truth: bool
    n_positives: int
    n_unlabelled: int

    def __getitem__(self, name: str) -> ModelComparison:
        """The row of this name."""
        rows = {row.name: row for row in self.rows}
        if name not in rows:
            raise KeyError(f"no model {name!r} was compared; there are {', '.join(rows)}")
        return rows[name]

    def __repr__(self) -> str:
        known = "1 positive" if self.n_positives == 1 else f"{self.n_positives} positives"
        shown = f"{known}, {self.n_unlabelled} unlabelled documents"
        if self.with_truth:
            title = f"Classifiers of {shown}, judged by the truth about the unlabelled ones"
            header = ["", "precision", "recall", "F1", "AUC", "seconds"]
        else:
            title = f"Classifiers of {shown}, judged by positives that were held out"
            header = ["", "recall", "taken", "r^2/taken", "area", "share of positives", "seconds"]
        table = [header, *(self._cells(row) for row in self.rows)]
        return "\n".join([title, *aligned(table)])

    def _cells(self, row: ModelComparison) -> list[str]:
        if row.failure:
            return [row.name, f"failed: {_shortened(row.failure)}"]
        if self.with_truth:
            judged = (row.precision, row.recall, row.f1, row.area)
            return [row.name, *(f"{value:.3f}" for value in judged), f"{row.seconds:.2f}"]
        prior = row.prior
        share = "" if prior is None else f"{prior.share:.3f} ({prior.low:.3f} to {prior.high:.3f})"
        return [
            row.name,
            f"{row.recall:.3f}",
            f"{row.flagged:.3f}",
            f"{row.criterion:.2f}",
            f"{row.area:.3f}",
            share,
            f"{row.seconds:.2f}",
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draws the curves of all classifiers, the best first in the legend; needs matplotlib.

        With the truth, ROC curves: the share of positives found against the share of negatives taken for
        positive. Without, the share of held-out positives found against that of unlabelled documents taken.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            What to draw on. None: a figure of its own.

        Returns
        -------
        matplotlib axes
        """
        return pictures.positive_curves(self, ax)


def _shortened(reason: str) -> str:
    first = reason.splitlines()[0]
    return first if len(first) <= _WIDTH else first[: _WIDTH - 3] + "..."


def compare_pu(
    X: Any,
    y: Any,
    models: Mapping[str, Any] | Sequence[Any] | None = None,
    y_true: Any = None,
    *,
    n_splits: int = 5,
    random_state: Any = 0,
    verbose: int = 0,
) -> PositiveComparison:
    """Fits classifiers of positive and unlabelled documents to the same data and says how good they are.

    Without `y_true` nothing but positives and unlabelled documents is needed. Positives are hidden in turn, a
    fold at a time, among the unlabelled documents, where every classifier meets them as it meets the
    positives that are to be found. Of each classifier, the table says

    - *recall*, the share of hidden positives that it found;
    - *taken*, the share of unlabelled documents that it takes for positive: some of them rightly, and how
      many cannot be known;
    - *r^2/taken*, recall^2 / taken (Lee and Liu): precision times recall, divided by the share of positives
      among the unlabelled documents, which is the same for all classifiers. The highest is the best
      compromise;
    - *area*, that under the curve of hidden positives found against unlabelled documents taken: the chance
      that a hidden positive scores higher than an unlabelled document. The AUC of positives against negatives
      is (area - share / 2) / (1 - share), where share is that of positives among the unlabelled documents: no
      lower than the area, if that is above one half;
    - *share of positives* among the unlabelled documents, by `estimate_prior`, with an interval of 90%. It is
      too high where a classifier's scores mix positives and negatives: the lowest is the best guess.

    What cannot be known without negatives: precision, F1 and the AUC themselves. And all of it holds only if
    the positives that were shown are like those that are to be found.

    Parameters
    ----------
    X : counts of words, a document a row; or whatever the models take
    y : 1 for positive documents, 0, -1, None or NaN for unlabelled ones
    models : list of estimators or mapping from name to estimator, default=None
        None: TopicSensitivePLSA and its five rivals. Pipelines may be among them. They are not changed.
    y_true : (n_documents,) array of 0 and 1, default=None
        What the documents are in truth, for benchmarks: then precision, recall, F1 and AUC of the unlabelled
        documents are found, after one fit to all of them, and nothing is held out.
    n_splits : int, default=5
        Folds, no more than there are positives. One positive cannot be held out: then only *taken* is found.
    random_state : int, RandomState or None, default=0
        Seed of the folds. Models that draw at random and have `random_state=None` get it as well, where it is
        a number.
    verbose : int, default=0
        Whether to say what each model has come to.

    Returns
    -------
    PositiveComparison
        Prints as a table; `rows` have the figures and the fitted models, `result["SpyEM"]` is the row of a
        name, and `plot()` draws the curves. A model that fails is a row that says why.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import RocchioSVM, SpyEM, compare_pu
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(300, 200, 4, n_classes=4, random_state=0)
    >>> wanted = corpus.target == 0
    >>> y = np.where(wanted & (np.arange(300) < 100), 1, 0)
    >>> found = compare_pu(corpus.counts, y, [SpyEM(), RocchioSVM()])
    >>> [row.name for row in found.rows], bool(found["SpyEM"].recall > 0.9)
    (['SpyEM', 'RocchioSVM'], True)
    """
    named = _usual_models() if models is None else inputs.check_models(models)
    n_splits = inputs.check_whole(n_splits, "n_splits", 2)
    positive = read_positives(y, _num_samples(X))
    inputs.check_some_unlabelled(positive)
    truth = None if y_true is None else inputs.check_truth(y_true, len(positive))
    n_splits = min(n_splits, int(positive.sum()))
    fold = np.full(len(positive), -1)
    if n_splits > 1:
        dealt = np.arange(positive.sum()) % n_splits
        fold[positive] = check_random_state(random_state).permutation(dealt)
    judge = _Judge(X, positive, truth, fold, n_splits, random_state)
    rows = []
    for place, (name, model) in enumerate(named.items(), 1):
        rows.append(judge.row(name, model))
        if verbose:
            say(f"compare_pu: {name} ({place} of {len(named)}): {_said(rows[-1], truth is not None)}")
    shown = int(positive.sum())
    return PositiveComparison(tuple(rows), truth is not None, shown, len(positive) - shown)


def _usual_models() -> dict[str, Any]:
    """Topic-sensitive PLSA and what it is measured by."""
    models = [
        TopicSensitivePLSA(),
        WeightedLogisticRegression(),
        SpyEM(),
        PEBL(),
        RocchioSVM(),
        MPCKMeans(),
    ]
    return {type(model).__name__: model for model in models}


def _said(row: ModelComparison, with_truth: bool) -> str:
    if row.failure:
        return f"failed: {_shortened(row.failure)}"
    figures = f"F1 {row.f1:.3f}" if with_truth else f"recall {row.recall:.3f}, taken {row.flagged:.3f}"
    return f"{figures}, {row.seconds:.1f} s a fit"


@dataclass(frozen=True, slots=True)
class _Judge:
    """The data that classifiers are compared on."""

    X: Any
    positive: NDArray[np.bool_]
    truth: NDArray[np.bool_] | None
    fold: NDArray[np.intp]  # of the positives; -1 elsewhere
    n_splits: int
    random_state: Any

    def row(self, name: str, model: Any) -> ModelComparison:
        """What is found of a model, or why nothing is."""
        try:
            return self._judged_by_truth(name, model) if self.truth is not None else self._judged(name, model)
        except Exception as error:  # a rival that cannot cope says something too
            nothing = float("nan")
            return ModelComparison(name, None, nothing, failure=f"{type(error).__name__}: {error}")

    def _fitted(self, model: Any, positive: NDArray[np.bool_]) -> tuple[Any, float]:
        """The model fitted with these positives, and the seconds that it took."""
        fresh = clone(model)
        seedless = {k: v for k, v in fresh.get_params().items() if k.rpartition("__")[2] == "random_state"}
        if isinstance(self.random_state, int | np.integer):
            fresh.set_params(**{k: int(self.random_state) for k, v in seedless.items() if v is None})
        began = time.perf_counter()
        with warnings.catch_warnings():
            # With a fold held out there are fewer positives than the user has shown.
            warnings.filterwarnings("ignore", "y labels .* too few", UserWarning)
            fresh.fit(self.X, positive.astype(np.intp))
        return fresh, time.perf_counter() - began

    def _judged_by_truth(self, name: str, model: Any) -> ModelComparison:
        assert self.truth is not None
        fitted, seconds = self._fitted(model, self.positive)
        asked = ~self.positive
        truth = self.truth[asked]
        scores, taken = _scores(fitted, self.X)[asked], _taken(fitted, self.X)[asked]
        right = int((taken & truth).sum())
        curve, area = None, float("nan")
        if 0 < truth.sum() < len(truth):
            false_share, true_share, _ = roc_curve(truth, scores)
            curve, area = (false_share, true_share), float(roc_auc_score(truth, scores))
        return ModelComparison(
            name,
            fitted,
            seconds,
            precision=_ratio(right, int(taken.sum())),
            recall=_ratio(right, int(truth.sum())),
            f1=_ratio(2 * right, int(taken.sum() + truth.sum())),
            area=area,
            flagged=float(taken.mean()),
            curve=curve,
        )

    def _judged(self, name: str, model: Any) -> ModelComparison:
        fitted, seconds = self._fitted(model, self.positive)
        unlabelled = ~self.positive
        if self.n_splits < 2:
            return ModelComparison(
                name, fitted, seconds, flagged=float(_taken(fitted, self.X)[unlabelled].mean())
            )
        ranks, reached, found, flagged = [], [], [], []
        for part in range(self.n_splits):
            held = self.fold == part
            trial, _ = self._fitted(model, self.positive & ~held)
            scores, taken = _scores(trial, self.X), _taken(trial, self.X)
            ranks.append(_shares_above(scores[held], scores[unlabelled]))
            reached.append(_shares_reaching(scores[held], scores[unlabelled]))
            found.append(taken[held])
            flagged.append(taken[unlabelled].mean())
        above = np.sort(np.concatenate(ranks))
        recall, share = float(np.concatenate(found).mean()), float(np.mean(flagged))
        return ModelComparison(
            name,
            fitted,
            seconds,
            recall=recall,
            area=float(1 - above.mean()),
            flagged=share,
            criterion=float(recall_criterion(recall, share)),
            prior=_prior_of_ranks(np.concatenate(reached), int(unlabelled.sum())),
            curve=_curve(above),
        )


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    """How positive the model finds documents: its decision function, or its probability of 1."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    column = int(np.flatnonzero(np.asarray(model.classes_) == 1)[0])
    return np.asarray(model.predict_proba(X)[:, column], dtype=np.float64)


def _taken(model: Any, X: Any) -> NDArray[np.bool_]:
    return np.asarray(model.predict(X)) == 1


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _shares_above(scores: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each score, the share of the others that are higher, equals counting half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left") + np.searchsorted(ordered, scores, side="right")
    return np.asarray(1 - below / (2 * len(others)))


def _shares_reaching(scores: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each score, the share of the others that are as high: all of them may be positive."""
    return np.asarray(1 - np.searchsorted(np.sort(others), scores, side="left") / len(others))


def _curve(above: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The share of held-out positives that are found where this share of unlabelled documents is taken."""
    found = np.arange(1, len(above) + 1) / len(above)
    return np.concatenate([[0.0], above, [1.0]]), np.concatenate([[0.0], found, [1.0]])


def _prior_of_ranks(reaching: NDArray[np.float64], n_unlabelled: int) -> PriorEstimate:
    """The share of positives, from the shares of unlabelled documents that reach held-out positives.

    Models of different folds have scores of different scales: only ranks can be put together.
    """
    number = np.rint(reaching * n_unlabelled)  # of unlabelled documents that rank as high
    scores = np.concatenate([-number, -np.arange(1, n_unlabelled + 1)])
    known = np.arange(len(scores)) < len(reaching)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few positives: the title says how many
        return estimate_prior(scores, known)
