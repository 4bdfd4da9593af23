"""Classifiers side by side on a user's own documents, of which some have labels."""

import pickle
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa import inputs
from plsa.baselines.classification_em import ClassificationEM, MislabelingLogistic
from plsa.baselines.cpa import CPA
from plsa.baselines.graphs import GraphClassifier
from plsa.baselines.logistic import EntropyMinimization
from plsa.baselines.mincut import MinCut
from plsa.baselines.self_training import SelfTraining
from plsa.baselines.transductive import TransductiveSVM
from plsa.baselines.views import CoBoost, CoEM, CoTraining
from plsa.engine.parameters import Array, Floats, Mask, Places
from plsa.engine.progress import Progress
from plsa.estimators.documents import check_documents, matrix_of
from plsa.estimators.mixtures import NaiveBayesEM
from plsa.estimators.others import chances, fitted_to, named, predicted, seeded
from plsa.estimators.semisupervised import (
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    SoftMislabelingPLSA,
)
from plsa.estimators.supervised import PLSAClassifier
from plsa.estimators.text import WordAndPieceCounter
from plsa.estimators.validation import read_labels
from plsa.evaluation.differences import LEVEL, Difference, comparisons, differences, fewest, resampled_error
from plsa.evaluation.folds import DEFAULT_FOLDS, LabeledKFold, Splits, may_be_held_out
from plsa.evaluation.models import Compared, Rows, check_models, one_by_one
from plsa.labels.reading import UNLABELED, Labels
from plsa.show import pictures
from plsa.show.tables import aligned

_NAN = float("nan")
_LEAST = float(np.finfo(np.float64).eps)  # no probability counts as less, as in scikit-learn's log_loss
_WIDTH = 110  # of what is said below a table
_NAMED = 4  # models there; where more are alike, it says how many


def _on_tfidf(classifier: Callable[..., Any], **parameters: Any) -> Callable[[], Any]:
    return lambda: make_pipeline(TfidfTransformer(sublinear_tf=True), classifier(**parameters))


# What is compared where nothing else is asked for: counts in, classes out.
_USUAL: dict[str, Callable[[], Any]] = {
    "SoftMislabelingPLSA": SoftMislabelingPLSA,
    "HardMislabelingPLSA": HardMislabelingPLSA,
    "MissingLabelPLSA": MissingLabelPLSA,
    "FakeLabelPLSA": FakeLabelPLSA,
    "NaiveBayesEM": NaiveBayesEM,
    "GraphClassifier": GraphClassifier,
    "TransductiveSVM": TransductiveSVM,
    # Of labels alone.
    "PLSAClassifier": partial(PLSAClassifier, student="linear"),
    "LogisticRegression": _on_tfidf(LogisticRegression, C=10.0, class_weight="balanced", max_iter=1000),
    "LinearSVC": _on_tfidf(LinearSVC, class_weight="balanced"),
    "MultinomialNB": partial(MultinomialNB, alpha=0.1),
}
# What else can be asked for by name, or all of it: other people's methods.
_ALL: dict[str, Callable[[], Any]] = _USUAL | {
    each.__name__: each
    for each in (
        MinCut,
        SelfTraining,
        EntropyMinimization,
        ClassificationEM,
        MislabelingLogistic,
        CoTraining,
        CoEM,
        CoBoost,
        CPA,
    )
}


@dataclass(frozen=True, slots=True)
class ClassifierComparison(Compared):
    """What was found of one classifier; `failure` where there is nothing.

    `model` is the one that was given, not fitted, and None where it failed. Figures are means over all folds,
    macro-F1 the mean over the repeats, of all documents that were held out in one.
    """

    accuracy: float = _NAN
    interval: tuple[float, float] = (_NAN, _NAN)  # of 95%
    macro_f1: float = _NAN  # of the classes that can be held out
    log_loss: float = _NAN  # nan where there are no probabilities
    stated: float = _NAN  # the mean of the highest probability: the accuracy that it lays claim to
    shares: Floats | None = None  # (n_repeats * n_splits,): accuracy in every fold
    predicted: Array | None = None  # (n_repeats, n_held): what it said of the documents held out
    warnings: tuple[str, ...] = ()  # that its fits have given, each once

    def said(self) -> str:
        """What was found, in a few words."""
        return f"accuracy {self.accuracy:.3f}, {self.seconds:.1f} s per fit"


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Rows[ClassifierComparison]):
    """What `compare` found; shows itself as a table."""

    reference: str  # the model that the others are compared with
    by_name: bool  # whether it was named; else it is the best
    differences: dict[str, Difference]  # of the others to it
    labels: Labels
    held: Places  # the documents that were held out, ascending
    n_splits: int
    n_repeats: int

    def ranked(self) -> list[str]:
        """The models, that with the highest accuracy first; those that failed come last."""
        return _ranked(self.rows)

    @property
    def largest(self) -> float:
        """The share of the largest class among the documents held out: what takes no words."""
        return float(np.bincount(self.labels.code[self.held]).max() / len(self.held))

    def __repr__(self) -> str:
        names = self.ranked()
        header = ["", "accuracy", "macro-F1", "log-loss", "stated", "seconds"]
        if self.differences:
            header[2:2] = ["difference", "p"]
        table = aligned([header, *(self._cells(self[name]) for name in names)])
        remarks = [self._verdict(), self._about_labels(), self._about_warnings()]
        said = [line for remark in remarks for line in _wrapped(remark)]
        return "\n".join([*_wrapped(self._title()), *table, *said])

    def _title(self) -> str:
        code = self.labels.code
        number = np.bincount(code[code != UNLABELED])
        each = f"{number.min()}" if np.ptp(number) == 0 else f"{number.min()} to {number.max()}"
        repeats = "" if self.n_repeats == 1 else f", {inputs.counted(self.n_repeats, 'repeat')}"
        known = inputs.counted(int(number.sum()), "labeled document")
        others = int((code == UNLABELED).sum())
        judged = f"judged by {len(self.held)} that were held out in {self.n_splits} folds{repeats}"
        return (
            f"Classifiers of {known} ({each} of each of {len(number)} classes) and {others} without a label, "
            f"{judged}; {self.largest:.3f} of these are of the largest class"
        )

    def _cells(self, row: ClassifierComparison) -> list[str]:
        if row.failure:
            return [row.name, row.failed()]
        cells = [row.name, "{:.3f} ({:.2f} to {:.2f})".format(row.accuracy, *row.interval)]
        if row.name in self.differences:
            gap = self.differences[row.name]
            star = "*" if gap.real else " "
            cells += [
                f"{round(gap.mean, 3) + 0.0:+.3f} ±{gap.half_width:.3f}",
                _p_value(gap.p_of_many) + star,
            ]
        elif self.differences:
            cells += ["", ""]
        figures = row.macro_f1, row.log_loss, row.stated
        return [*cells, *("" if np.isnan(each) else f"{each:.3f}" for each in figures), f"{row.seconds:.2f}"]

    def _verdict(self) -> str:
        """Which differences are real, and what could have been seen of the others."""
        if not self.differences:
            return ""
        than, compared = self.reference, len(self.differences)
        enough = fewest(LEVEL / comparisons(compared + 1, self.by_name))
        if len(self.held) < enough:
            return f"Too few labels to tell any models apart: {enough} documents that can be held out may do."
        gaps = {name: self.differences[name] for name in self.ranked() if name in self.differences}
        method = "Holm's correction" if self.by_name else "Tukey's range"
        many = f", {method} for {compared + 1} models" if compared > 1 else ""
        how = f"(p < {LEVEL}: t-test for folds that share documents{many})"
        parts = []
        for word, sign in (("better", -1), ("worse", 1)):
            names = [name for name, gap in gaps.items() if gap.real and sign * gap.mean > 0]
            if names:
                parts.append(f"{than} is really {word} than {_some(names, 'with a star')} {how}.")
                how = "(likewise)"
        left = {name: min(gap.seen, 1) for name, gap in gaps.items() if not gap.real}
        if left:
            least = sorted({f"{seen:.2f}" for seen in left.values()})
            between = " to ".join([least[0], least[-1]][: len(least)])
            not_told = f"Not to be told from {than}: {_some([*left], 'without a star')}"
            parts.append(f"{not_told}; a difference had to be {between} to be seen.")
        return " ".join(parts)

    def _about_labels(self) -> str:
        """The classes that nothing is known of."""
        judged = np.isin(np.arange(len(self.labels.classes)), self.labels.code[self.held])
        alone = [repr(name) for name in self.labels.classes[~judged].tolist()]
        if not alone:
            return ""
        if len(alone) == 1:
            return f"{alone[0]} has one label, which is never held out: nothing is said of this class."
        return f"{_listed(alone)} have one label each, never held out: nothing is said of these classes."

    def _about_warnings(self) -> str:
        """Whose fits have warned."""
        names = [row.name for row in self.rows if row.warnings]
        if not names:
            return ""
        return f"Fits of {_listed(names)} have warned: [{names[0]!r}].warnings tells, and so on."

    def plot(self, ax: Any = None) -> Any:
        """Draws the accuracy of every model with its interval of 95%, the best on top; needs matplotlib.

        On the axes `ax`, or where it is None on those of a new figure; returns the axes.
        """
        return pictures.accuracies(self, ax)


def compare(
    X: Any,
    y: Any,
    models: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    reference: str | None = None,
    n_splits: int = DEFAULT_FOLDS,
    n_repeats: int = 3,
    unlabeled: Any = UNLABELED,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Comparison:
    """Fits classifiers to the same documents and says which is better, and whether that is more than chance.

    Labeled documents are held out in turn, a fold at a time, and predicted by a fit to all others, unlabeled
    ones among them; then again with other folds. Of each classifier, the table says

    - *accuracy*, the share of documents held out that got their label, with its interval of 95%. It is that
      of a fit to (n_splits - 1) / n_splits of the labels: with all of them it is higher, as a rule;
    - *difference*, its accuracy minus that of the best (or of `reference`), with an interval of 95%, and *p*,
      corrected for all comparisons; a star where chance is ruled out (p < 0.05);
    - *macro-F1*, the mean F1 of the classes that can be held out: each counts the same, however rare;
    - *log-loss*, the mean of -log P(label|document), and *stated*, the mean of the highest probability, where
      there are probabilities. What is stated should be the accuracy;
    - *seconds* of a fit.

    Below it says which differences are real, which could not be told from chance, and how large these would
    have had to be. With few labels that is a lot: it is no proof that two models are alike.

    Parameters
    ----------
    X : counts of words, one document per row; or a list of texts
        Of texts, the usual models get the counts that `text_classifier` makes; others are pipelines.
    y : labels, some of which may be missing
    models : list of estimators or mapping from name to estimator, default=None
        None: the usual ones, which are our semi-supervised models, `GraphClassifier` and `TransductiveSVM`,
        and of the labels alone `PLSAClassifier` and scikit-learn's logistic regression, linear SVM (both on
        TF-IDF) and naive Bayes. "usual" in a list stands for these, "all" for these and all other rivals that
        the package has, and a name such as "CoEM" for that one. What does not learn from unlabeled documents
        gets the labeled ones alone. They are not changed.
    reference : str, default=None
        The name of the model that the others are compared with. None: the best, which takes more evidence, as
        it is found by the same figures.
    n_splits : int, default=5
        Folds of a `LabeledKFold`, or as many as there are documents that can be held out.
    n_repeats : int, default=3
        How often all of them are held out, in folds of other seeds.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None, NaN and blank strings do so always. None:
        only they do.
    random_state : int, default=0
        Seed of the folds of the first repeat; of the second it is one more, and so on. Models that draw at
        random and have `random_state=None` get it as well.
    n_jobs : int or None, default=None
        Fits that are made at a time, in processes of their own; -1: as many as there are processors. The
        figures are the same, but for the seconds.
    verbose : int, default=0
        Whether to show which of the models is at work, and what each has come to.

    Returns
    -------
    Comparison
        Prints as a table; `rows` have the figures, `result["LinearSVC"]` is the row of a name, `ranked()`
        gives the names, `differences` those to the best or to `reference`, `plot()` draws accuracies. A model
        that fails is a row that says why; where all fail in the same way, that is raised. Warnings of fits
        are in the `warnings` of a row.

    Notes
    -----
    A difference is judged by a paired t-test over all folds, whose variance is corrected for what training
    parts share (Nadeau and Bengio 2003): without that, repeats would make anything significant. A p-value is
    never below 2^(1 - n), where n is the number of documents on which two models differ. p-values are
    corrected for the number of models: those of `reference` by Holm's method; of the best, which may be the
    best by chance, they are the chance that any two of so many models lie as far apart (Tukey's range).

    A document that is the only one of its class is never held out, and nothing is said of such a class. What
    is judged here is how new documents are predicted: a document that is held out is no part of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import NaiveBayesEM, compare
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(300, 400, 4, n_classes=4, random_state=0)
    >>> y = np.where(np.arange(300) < 60, corpus.target, -1)
    >>> found = compare(corpus.counts, y, [NaiveBayesEM(), "MultinomialNB"], n_repeats=1)
    >>> found.ranked(), len(found.held), found["NaiveBayesEM"].accuracy > 0.9
    (['NaiveBayesEM', 'MultinomialNB'], 60, True)
    """
    candidates, usual = _named(models)
    n_splits = inputs.check_whole(n_splits, "n_splits", 2)
    n_repeats = inputs.check_whole(n_repeats, "n_repeats", 1)
    seed = inputs.check_whole(random_state, "random_state", 0)
    if reference is not None:
        inputs.check_choice(reference, "reference", [*candidates])
    (X,) = indexable(X)
    counts = _counted(X) if usual else X
    documents = {name: counts if name in usual else X for name in candidates}
    for name, model in candidates.items():
        check_documents(model, documents[name])
    labels = read_labels(y, _num_samples(X), unlabeled)
    if len(labels.classes) == 1:
        only = f"y has one class, {labels.classes.tolist()[0]!r}: all models are right"
        raise ValueError(f"{only}. Label documents of two at least; if it is all you want, use compare_pu.")
    held = np.flatnonzero(may_be_held_out(labels))
    n_splits = max(2, min(n_splits, len(held)))
    seeds = [seed + repeat for repeat in range(n_repeats)]
    splits = [[*LabeledKFold(n_splits, random_state=each).of_labels(labels)] for each in seeds]
    enough = fewest(LEVEL / max(1, comparisons(len(candidates), reference is not None)))
    if len(held) < enough and len(candidates) > 1:
        few = f"y labels {inputs.counted(len(held), 'document')} that can be held out: too few to tell"
        inputs.warn(f"{few} {len(candidates)} models apart, whatever comes out. Label {enough} at least.")
    judge = _Judge(documents, labels, held, splits, seeds, n_jobs)
    said = ClassifierComparison.said
    rows = one_by_one(
        "compare", candidates, judge.row, ClassifierComparison, said, n_splits * n_repeats, verbose
    )
    shares = {row.name: row.shares for row in rows if row.shares is not None}
    right = {row.name: np.asarray(row.predicted == judge.truth) for row in rows if row.shares is not None}
    is_named = reference in shares
    than = reference if reference in shares else _ranked(rows)[0]
    found = differences(shares, right, n_splits, than, is_named)
    return Comparison(rows, than, is_named, found, labels, held, n_splits, n_repeats)


def _ranked(rows: Sequence[ClassifierComparison]) -> list[str]:
    return [row.name for row in sorted(rows, key=lambda row: (bool(row.failure), -row.accuracy))]


def _named(models: Any) -> tuple[dict[str, Any], list[str]]:
    """Estimators by name, and which of them are the usual ones."""
    given = ["usual"] if models is None else models
    made: list[Any] = []
    if isinstance(given, Sequence) and not isinstance(given, str):
        wanted, given = given, []
        for model in wanted:
            if isinstance(model, str):
                inputs.check_choice(model, "a name in models", ["usual", "all", *_ALL])
                named = _USUAL if model == "usual" else _ALL
                some = [make() for name, make in named.items() if model in ("usual", "all", name)]
                made += some
                given += some
            else:
                given.append(model)
    by_name = check_models(given, "NaiveBayesEM()")
    return by_name, [name for name, model in by_name.items() if any(model is each for each in made)]


def _counted(X: Any) -> Any:
    """X, or the counts of words where it holds texts."""
    texts = matrix_of(X) is None and isinstance(next(iter(X), None), str)
    return WordAndPieceCounter(max_df=0.5).fit_transform(X) if texts else X


@dataclass(frozen=True, slots=True)
class _Fold:
    """What a fit to the others says of the documents of a fold."""

    predicted: Array
    right: Mask
    log_loss: float  # the mean
    stated: float
    seconds: float
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class _Judge:
    """The data that classifiers are compared on."""

    documents: dict[str, Any]  # that each of them gets
    labels: Labels
    held: Places
    splits: list[Splits]  # of every repeat
    seeds: list[int]
    n_jobs: int | None

    @property
    def truth(self) -> Array:
        """The labels of the documents held out."""
        return np.asarray(self.labels.classes[self.labels.code[self.held]])

    def row(self, name: str, model: Any, progress: Progress) -> ClassifierComparison:
        """What is found of a model."""
        folds: list[_Fold] = []
        failures: list[Exception] = []
        for found in Parallel(n_jobs=self.n_jobs, return_as="generator")(self._fits(name, model, failures)):
            if isinstance(found, Exception):
                failures.append(found)
            else:
                folds.append(found)
            progress.step()
        if failures:
            raise failures[0]
        said = []
        for repeat, splits in enumerate(self.splits):
            own = folds[repeat * len(splits) : (repeat + 1) * len(splits)]
            order = np.argsort(np.concatenate([test for _, test in splits]))
            said.append(np.concatenate([fold.predicted for fold in own])[order])
        shares = np.array([fold.right.mean() for fold in folds])
        truth, judged = self.truth, np.unique(self.truth)
        f1 = partial(f1_score, truth, labels=judged, average="macro", zero_division=0.0)
        return ClassifierComparison(
            name,
            model,
            float(np.mean([fold.seconds for fold in folds])),
            float(shares.mean()),
            _interval(shares, len(self.splits[0]), len(truth)),
            float(np.mean([f1(each) for each in said])),
            float(np.mean([fold.log_loss for fold in folds])),
            float(np.mean([fold.stated for fold in folds])),
            shares,
            np.array(said),
            tuple(dict.fromkeys(each for fold in folds for each in fold.warnings)),
        )

    def _fits(self, name: str, model: Any, failures: list[Exception]) -> Iterator[Any]:
        """One for each fold of each repeat; none more after a failure."""
        for seed, splits in zip(self.seeds, self.splits, strict=True):
            for split in splits:
                if not failures:
                    yield delayed(_attempt)(seeded(model, seed), self.documents[name], self.labels, *split)


def _attempt(model: Any, X: Any, labels: Labels, train: Places, test: Places) -> _Fold | Exception:
    """What a fit to some documents says of others; or why there is none, as something that can be sent."""
    try:
        return _fold(model, X, labels, train, test)
    except Exception as error:
        try:
            found = pickle.loads(pickle.dumps(error))
        except Exception:  # it could not leave the process that it arose in
            found = RuntimeError(f"{type(error).__name__}: {error}")
        return found if isinstance(found, Exception) else RuntimeError(str(error))


def _fold(model: Any, X: Any, labels: Labels, train: Places, test: Places) -> _Fold:
    truth = labels.classes[labels.code[test]]
    # Threads of BLAS change the last bits, and how many there are depends on who else is at work.
    with warnings.catch_warnings(record=True) as given, threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("always")
        began = time.perf_counter()
        fitted_to(model, _safe_indexing(X, train), labels.part(train))
        seconds = time.perf_counter() - began
        new = _safe_indexing(X, test)
        found = predicted(model, labels, new)
        loss = stated = _NAN
        if hasattr(model, "predict_proba"):
            chance = chances(model, new)
            place = {
                label: column for column, label in enumerate(named(model, labels, model.classes_).tolist())
            }
            columns = np.array([place.get(label, -1) for label in truth.tolist()])
            of_truth = np.where(columns < 0, 0.0, chance[np.arange(len(test)), columns])
            loss = float(-np.log(np.maximum(of_truth, _LEAST)).mean())
            stated = float(chance.max(axis=1).mean())
    return _Fold(found, found == truth, loss, stated, seconds, [str(each.message) for each in given])


def _interval(shares: Floats, n_splits: int, n_held: int) -> tuple[float, float]:
    """Of 95%, of an accuracy: by the variance of folds, and no narrower than that of a share.

    Folds that are all alike say little: of 5 right among 5 nobody knows that all are right.
    """
    share = (shares.mean() * n_held + 2) / (n_held + 4)  # Agresti and Coull 1998
    error = np.sqrt(share * (1 - share) / n_held)
    of_folds = stats.t.isf(0.025, len(shares) - 1) * resampled_error(shares, n_splits)
    half = max(of_folds, stats.norm.isf(0.025) * error)
    return float(max(0.0, shares.mean() - half)), float(min(1.0, shares.mean() + half))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_on_hyphens=False, break_long_words=False)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _some(names: list[str], which: str) -> str:
    """These models, or how many there are of this kind."""
    return _listed(names) if len(names) <= _NAMED else f"{len(names)} others ({which})"


def _p_value(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
