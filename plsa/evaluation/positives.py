"""Classifiers that learn from positive and unlabeled documents, side by side on a user's own data.

What can be said without a single negative document, and what cannot.
"""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score, roc_curve
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from plsa import inputs
from plsa.baselines.kmeans import MPCKMeans
from plsa.baselines.machines import PEBL, RocchioSVM
from plsa.baselines.regression import WeightedLogisticRegression
from plsa.baselines.spies import SpyEM
from plsa.engine.parameters import Floats, Mask, Places
from plsa.engine.progress import Progress
from plsa.estimators.documents import check_documents
from plsa.estimators.others import last_of, seeded
from plsa.estimators.positives import PositiveClassifier
from plsa.estimators.topic_sensitive import TopicSensitivePLSA
from plsa.estimators.validation import check_labels, read_positives
from plsa.evaluation.models import Compared, Rows, check_models, one_by_one
from plsa.evaluation.prior import PriorEstimate, estimate_prior
from plsa.labels.reading import Known
from plsa.learning.positives import recall_criterion
from plsa.show import pictures
from plsa.show.tables import aligned

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class ModelComparison(Compared):
    """What was found of one classifier; nan where it is not known, `failure` where there is nothing.

    `model` is fitted to all documents; None where it failed.
    """

    precision: float = _NAN
    recall: float = _NAN
    f1: float = _NAN
    area: float = _NAN  # under `curve`
    flagged: float = _NAN  # share of the documents it was not told of that are taken for positive
    criterion: float = _NAN  # recall^2 / flagged
    prior: PriorEstimate | None = None
    curve: tuple[Floats, Floats] | None = None  # shares on the x and the y axis

    def said(self, with_truth: bool) -> str:
        """What was found, in a few words."""
        judged = f"F1 {self.f1:.3f}" if with_truth else f"recall {self.recall:.3f}, taken {self.flagged:.3f}"
        return f"{judged}, {self.seconds:.1f} s per fit"


@dataclass(frozen=True, slots=True, repr=False)
class PositiveComparison(Rows[ModelComparison]):
    """What `compare_pu` found; shows itself as a table."""

    with_truth: bool
    n_positives: int
    n_unlabeled: int
    n_negatives: int = 0  # known ones, which are learned from and not judged by

    def __repr__(self) -> str:
        known = inputs.counted(self.n_positives, "positive")
        if self.n_negatives:
            known += f", {inputs.counted(self.n_negatives, 'negative')}"
        header = ["", "recall", "taken", "r^2/taken", "area", "share of positives", "seconds"]
        judged = "judged by positives that were held out"
        if self.with_truth:
            header = ["", "precision", "recall", "F1", "AUC", "seconds"]
            judged = "judged by the truth about the unlabeled ones"
        elif self.n_positives == 1:
            header = ["", "taken", "seconds"]
            judged = "not judged: one positive cannot be held out"
        others = inputs.counted(self.n_unlabeled, "unlabeled document")
        title = f"Classifiers of {known}, {others}, {judged}"
        return "\n".join([title, *aligned([header, *(self._cells(row) for row in self.rows)])])

    def _cells(self, row: ModelComparison) -> list[str]:
        if row.failure:
            return [row.name, row.failed()]
        if self.with_truth:
            figures = [f"{value:.3f}" for value in (row.precision, row.recall, row.f1, row.area)]
        elif self.n_positives == 1:
            figures = [f"{row.flagged:.3f}"]
        else:
            prior = row.prior
            share = "" if prior is None else f"{prior.share:.3f} ({prior.low:.3f} to {prior.high:.3f})"
            figures = [f"{row.recall:.3f}", f"{row.flagged:.3f}", f"{row.criterion:.2f}"]
            figures += [f"{row.area:.3f}", share]
        return [row.name, *figures, f"{row.seconds:.2f}"]

    def plot(self, ax: Any = None) -> Any:
        """Draws the curves of all classifiers, the best first in the legend; needs matplotlib.

        With the truth, ROC curves: the share of positives found against the share of negatives taken for
        positive. Without, the share of held-out positives found against that of unlabeled documents taken.

        On the axes `ax`, or where it is None on those of a new figure; returns the axes.
        """
        return pictures.positive_curves(self, ax)


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
    """Fits classifiers of positive and unlabeled documents to the same data and says how good they are.

    Without `y_true` nothing but positives and unlabeled documents is needed. Positives are hidden in turn, a
    fold at a time, among the unlabeled documents, where every classifier meets them as it meets the
    positives that are to be found. Of each classifier, the table says

    - *recall*, the share of hidden positives that it found;
    - *taken*, the share of documents that it takes for positive, of all that it was not told of, hidden
      positives among them: some of them rightly, and how many cannot be known;
    - *r^2/taken*, recall^2 / taken (Lee and Liu 2003): precision times recall, divided by the share of
      positives among these documents, which is the same for all classifiers. The highest is the best
      compromise;
    - *area*, that under the curve of hidden positives found against unlabeled documents taken: the chance
      that a hidden positive scores higher than an unlabeled document. The AUC of positives against negatives
      is (area - share / 2) / (1 - share), where share is that of positives among the unlabeled documents: no
      lower than the area, if that is above one half;
    - *share of positives* among the unlabeled documents, by `estimate_prior`, with an interval of 90%. It is
      too high where a classifier's scores mix positives and negatives: the lowest is the best guess.

    What cannot be known without negatives: precision, F1 and the AUC themselves. And all of it holds only if
    the positives that were shown are like those that are to be found.

    Parameters
    ----------
    X : counts of words, one document per row; or whatever the models take, such as texts for pipelines
    y : 1 for positive documents, -1, None or NaN for unlabeled ones
        0 is unlabeled as well where y has no such mark. Beside one it is a known negative: models learn from
        these in every fit, as 0 beside -1, and are judged by all others. Hidden positives that are like one
        of them come out low then, for all models alike. A classifier that is not one of ours takes them for
        unlabeled.
    models : list of estimators or mapping from name to estimator, default=None
        None: TopicSensitivePLSA and its five rivals. Pipelines may be among them. They are not changed.
    y_true : (n_documents,) array of 0 and 1, default=None
        What the documents are in truth, for benchmarks: then precision, recall, F1 and AUC of the unlabeled
        documents are found, after one fit to all of them, and nothing is held out. Warns where it says 0 of
        a document that y marks as positive.
    n_splits : int, default=5
        Folds, no more than there are positives. One positive cannot be held out: then only *taken* is found.
    random_state : int, RandomState or None, default=0
        Seed of the folds. Models that draw at random and have `random_state=None` get it as well, where it is
        a number.
    verbose : int, default=0
        Whether to show which of the models is at work, and what each has come to.

    Returns
    -------
    PositiveComparison
        Prints as a table; `rows` have the figures and the fitted models, `result["SpyEM"]` is the row of a
        name, and `plot()` draws the curves. A model that fails is a row that says why; where all fail in the
        same way, that is raised.

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
    if models is None:
        rivals = (WeightedLogisticRegression, SpyEM, PEBL, RocchioSVM, MPCKMeans)
        models = [TopicSensitivePLSA(), *(rival() for rival in rivals)]
    named = check_models(models, "SpyEM()")
    for model in named.values():
        check_documents(model, X)
    n_splits = inputs.check_whole(n_splits, "n_splits", 2)
    known = read_positives(y, _num_samples(X))
    positive = known.positive
    truth = None if y_true is None else _check_truth(y_true, positive)
    n_splits = min(n_splits, int(positive.sum()))
    fold = np.full(len(positive), -1)
    if n_splits > 1:
        dealt = np.arange(positive.sum()) % n_splits
        fold[positive] = check_random_state(random_state).permutation(dealt)
    judge = _Judge(X, known, truth, fold, n_splits, random_state)
    with_truth = truth is not None
    # A fit to all documents, and one for each fold.
    n_fits = 1 + n_splits * (not with_truth and n_splits > 1)
    said = partial(ModelComparison.said, with_truth=with_truth)
    rows = one_by_one("compare_pu", named, judge.row, ModelComparison, said, n_fits, verbose)
    numbers = (int(kind.sum()) for kind in (positive, known.unlabeled, known.negative))
    return PositiveComparison(rows, with_truth, *numbers)


def _check_truth(y_true: Any, positive: Mask) -> Mask:
    """Which documents are positive in truth, told for every one of them: 1 or True, else 0 or False.

    Warns where it contradicts what is known; labels may be wrong, and some look at just that.
    """
    inputs.check_entries(y_true, "y_true", len(positive))
    truth = check_labels(y_true, len(positive))
    for place, value in enumerate(truth.tolist()):
        if value not in (0, 1):
            raise ValueError(f"y_true holds {value!r} at {place}; it must hold 1 or 0 for every document.")
    truth = truth.astype(bool)
    against = np.flatnonzero(positive & ~truth)
    if len(against):
        shown = inputs.counted(int(positive.sum()), "document")
        some = f"{len(against)} of the {shown}" if len(against) < positive.sum() else shown
        found = f"y_true says 0 of {some} that y marks as positive, the first in row {against[0]}"
        to_do = "Unless those labels are meant to be wrong: is y_true in another order, or upside down?"
        inputs.warn(f"{found}. {to_do}")
    return truth


@dataclass(frozen=True, slots=True)
class _Judge:
    """The data that classifiers are compared on."""

    X: Any
    known: Known
    truth: Mask | None
    fold: Places  # of the positives; -1 elsewhere
    n_splits: int
    random_state: Any

    def row(self, name: str, model: Any, progress: Progress) -> ModelComparison:
        """What is found of a model."""
        fitted, seconds = self._fitted(model, self.known)
        unlabeled = self.known.unlabeled
        progress.step()
        if self.truth is not None:
            figures = self._by_truth(fitted, self.truth[unlabeled])
        elif self.n_splits > 1:
            figures = self._by_hidden(model, progress)
        else:
            figures = {"flagged": float(_taken(fitted, self.X)[unlabeled].mean())}
        return ModelComparison(name, fitted, seconds, **figures)

    def _fitted(self, model: Any, known: Known) -> tuple[Any, float]:
        """The model fitted with what is known, and the seconds that it took."""
        drawn = isinstance(self.random_state, int | np.integer)
        fresh = seeded(model, int(self.random_state)) if drawn else clone(model)
        began = time.perf_counter()
        with warnings.catch_warnings():
            # With a fold held out there are fewer positives than the user has shown.
            warnings.filterwarnings("ignore", "y labels .* too few", UserWarning)
            # Other classifiers of two classes know of no third kind.
            takes = known.negative.any() and isinstance(last_of(fresh), PositiveClassifier)
            fresh.fit(self.X, known.code if takes else known.positive.astype(np.intp))
        return fresh, time.perf_counter() - began

    def _by_truth(self, fitted: Any, truth: Mask) -> dict[str, Any]:
        """The figures of a model, from the truth about the unlabeled documents."""
        unlabeled = self.known.unlabeled
        scores, taken = _scores(fitted, self.X)[unlabeled], _taken(fitted, self.X)[unlabeled]
        found = {"flagged": float(taken.mean())}
        for name, measure in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
            found[name] = float(measure(truth, taken, zero_division=0.0))
        if not 0 < truth.sum() < len(truth):
            return found
        return {**found, "area": float(roc_auc_score(truth, scores)), "curve": roc_curve(truth, scores)[:2]}

    def _by_hidden(self, model: Any, progress: Progress) -> dict[str, Any]:
        """The figures of a model, from positives that are hidden a fold at a time."""
        unlabeled = self.known.unlabeled
        ranks, reached, found, flagged = [], [], [], []
        for part in range(self.n_splits):
            held = self.fold == part
            trial, _ = self._fitted(model, replace(self.known, positive=self.known.positive & ~held))
            scores, taken = _scores(trial, self.X), _taken(trial, self.X)
            ranks.append(_shares_above(scores[held], scores[unlabeled]))
            reached.append(_shares_reaching(scores[held], scores[unlabeled]))
            found.append(taken[held])
            # As the criterion has it: P(f = 1) of all that it judges.
            flagged.append(taken[unlabeled | held].mean())
            progress.step()
        above = np.sort(np.concatenate(ranks))
        recall, share = float(np.concatenate(found).mean()), float(np.mean(flagged))
        # The share of held-out positives that are found where this share of unlabeled documents is taken.
        curve = np.r_[0.0, above, 1.0], np.r_[0.0, np.arange(1, len(above) + 1) / len(above), 1.0]
        return {
            "recall": recall,
            "area": float(1 - above.mean()),
            "flagged": share,
            "criterion": float(recall_criterion(recall, share)),
            "prior": _prior_of_ranks(np.concatenate(reached), int(unlabeled.sum())),
            "curve": curve,
        }


def _scores(model: Any, X: Any) -> Floats:
    """How positive the model finds documents: its decision function, or its probability of 1."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    column = int(np.flatnonzero(np.asarray(model.classes_) == 1)[0])
    return np.asarray(model.predict_proba(X)[:, column], dtype=np.float64)


def _taken(model: Any, X: Any) -> Mask:
    return np.asarray(model.predict(X)) == 1


def _shares_above(scores: Floats, others: Floats) -> Floats:
    """For each score, the share of the others that are higher, equals counting half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left") + np.searchsorted(ordered, scores, side="right")
    return np.asarray(1 - below / (2 * len(others)))


def _shares_reaching(scores: Floats, others: Floats) -> Floats:
    """For each score, the share of the others that are as high: all of them may be positive."""
    return np.asarray(1 - np.searchsorted(np.sort(others), scores, side="left") / len(others))


def _prior_of_ranks(reaching: Floats, n_unlabeled: int) -> PriorEstimate:
    """The share of positives, from the shares of unlabeled documents that reach held-out positives.

    Models of different folds have scores of different scales: only ranks can be put together.
    """
    number = np.rint(reaching * n_unlabeled)  # of unlabeled documents that rank as high
    scores = np.concatenate([-number, -np.arange(1, n_unlabeled + 1)])
    known = np.arange(len(scores)) < len(reaching)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few positives: the title says how many
        return estimate_prior(scores, known)
