"""What every estimator shares: one way to fit, to keep what was learned, and to read new documents."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from plsa.engine.counts import Counts
from plsa.engine.em import Callback
from plsa.engine.parameters import Array, Fit, Floats, Mask, Places, Real, StopReason, unpadded
from plsa.engine.progress import Progress
from plsa.engine.runs import Loop, finished
from plsa.estimators import summary, validation
from plsa.estimators.parameters import check_parameters, estimator
from plsa.inputs import physical_memory, too_large, warn
from plsa.labels.corpus import Corpus
from plsa.labels.reading import UNLABELED, Labels, among_all, is_unlabeled
from plsa.learning.aspects import Folding
from plsa.learning.parts import Parts
from plsa.learning.scaling import scaled_by

Fitted = dict[str, Any]  # the attributes that a fit sets, by name
# How a fit ended, as progress says it; to have stopped early, or to have made all passes, is to be done.
_ENDED = {
    StopReason.SETTLED: "settled",
    StopReason.FELL: "stopped, as the objective fell,",
    StopReason.CALLBACK: "stopped by the callback",
    StopReason.INTERRUPTED: "interrupted",
}
# The axes along which fitted attributes, and entries of `choices_`, have an entry for each class.
_OF_CLASSES = {
    "class_count_": (0,),
    "class_prior_": (0,),
    "label_topic_": (0,),
    "unlabeled_label_topic_": (0,),
    "mislabeling_": (0, 1),
    "not_sure_": (0,),
    "label_noise_": (0, 1),
    "transduction_": (1,),
    "components_per_class_": (0,),
    "components_per_class": (0,),
    "topics_per_class": (0,),
}
NO_SUM = "what decides is no sum over the words of a document"  # of models that cannot be explained
_NEEDLESS = 1 << 26  # bytes that topics may take of which there are more than documents and words


@contextmanager
def copies_are_lost(name: str) -> Iterator[None]:
    """Ctrl-C inside says so: what it has stopped was not the user's estimator, but a copy."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "nothing of it is kept, and the estimators that it was given are as they were"
        raise KeyboardInterrupt(f"{name} was interrupted: {kept}.") from None


class CountEstimator(BaseEstimator):
    """An estimator of counts of words, a document per row.

    A fit is a function from counts, and what else a user gives, to the attributes that it sets: `_learn`. It
    is all or nothing. Ctrl-C goes on in any case, and says whether it has left something: what was learned,
    where a `stop_reason_` tells of it, else the estimator as it was.
    """

    _parameters: ClassVar[str] = ""
    _attributes: ClassVar[str] = """
    n_features_in_, feature_names_in_
    """
    _knows_words: ClassVar[bool] = True  # whether a document without a word that is known is a matter for it

    def _fit(self, X: Any, *given: Any) -> Self:
        name = type(self).__name__
        try:
            with validation.all_or_nothing(self):
                counts = self.read_counts(X, reset=self._begin())
                validation.warn_of_weights(counts, name)
                self._seen = counts.word_totals() > 0
                if self._seen.any():  # else there is nothing to learn from, which is an error
                    self._warn_of_unknown(counts)
                self._keep(self._learn(counts, *given))
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(f"{name} has learned nothing yet that could be kept: it is as it was before.")
            raise
        if getattr(self, "stop_reason_", None) == StopReason.INTERRUPTED:
            kept = f"{name} keeps what it has learned so far, and can be used as it is"
            raise KeyboardInterrupt(f"{kept} (but not if a search or the like has made it, as a copy).")
        return self

    def _keep(self, found: Fitted) -> None:
        """Sets what a fit has found."""
        self.__dict__.update(found)

    def _begin(self) -> bool:
        """Lets go of what an earlier fit has set; whether the columns of X may be others than then."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        return True

    def _learn(self, counts: Counts, *given: Any) -> Fitted:
        """What is learned from checked counts."""
        raise NotImplementedError

    def _real(self) -> Any:
        """What is computed in; None: as X."""
        return getattr(self, "dtype", None)

    def read_counts(self, X: Any, *, reset: bool = True) -> Counts:
        """The counts of documents to learn from, the parameters being what they may be."""
        check_parameters(self)
        return validation.check_counts(self, X, reset=reset, dtype=self._real())

    def checked_counts(self, X: Any) -> Counts:
        """The counts of new documents, which must have the columns of the fit; warns of unknown words."""
        counts = self._new_counts(X)
        self._warn_of_unknown(counts)
        return counts

    def decision_parts(self, X: Any) -> Parts:
        """What decides about one document, as a sum over its words; `plsa.explain` shows it."""
        counts = self._new_counts(X)
        if counts.n_documents != 1:
            raise ValueError(f"X has {counts.n_documents} documents, but one is taken apart at a time.")
        return self._parts(counts)

    def _parts(self, counts: Counts) -> Parts:
        """The score of every class for one document of checked counts, taken apart."""
        can = "models of plsa that have topics or coef_ can be"
        raise ValueError(f"{type(self).__name__} cannot be explained: {NO_SUM}; {can}.")

    def _new_counts(self, X: Any) -> Counts:
        check_is_fitted(self)
        return validation.check_counts(self, X, reset=False, dtype=self._real())

    def knows_words(self, X: Any) -> Mask:
        """Which documents have a word that the fit has seen: of others nothing is known."""
        return self._knows(self._new_counts(X))

    def _knows(self, counts: Counts) -> Mask:
        known = counts if self._seen.all() else counts.of_nonzeros(self._seen[counts.word])
        return np.asarray(known.lengths() > 0)

    def _warn_of_unknown(self, counts: Counts) -> None:
        """Warns of documents without a word that was seen in the fit: nothing is known of them."""
        if not self._knows_words:
            return
        unknown = np.flatnonzero(~self._knows(counts))
        if len(unknown):
            some = (
                f"{len(unknown)} of {counts.n_documents} documents {'has' if len(unknown) == 1 else 'have'}"
            )
            found = f"{some} no word that the fit has seen, the first in row {unknown[0]}"
            warn(f"{found}: what is said of them is not about their words.")

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return summary.as_text(super().__repr__(N_CHAR_MAX), summary.learned(self))

    def _html_repr(self) -> str:
        """What scikit-learn shows in a notebook, and above it what was learned."""
        said = summary.learned(self)
        return (summary.as_html(said) if said else "") + super()._html_repr()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@estimator
class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CountEstimator):
    """An estimator whose topics, or components, EM learns."""

    _attributes: ClassVar[str] = """
    model_, components_, topic_prior_, doc_topic_, objective_trace_, log_likelihood_, n_iter_, stop_reason_
    n_impossible_
    """
    topics_of_documents: ClassVar[bool] = True  # whether every document has a P(z|d) of its own to learn
    # Whether to have run out of passes is something to warn of: more might be no better.
    has_to_settle: ClassVar[bool] = True

    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-4
    n_init: int = 1
    dtype: Any = None
    random_state: Any = None
    n_threads: int | None = None
    verbose: int = 0
    callback: Callback | None = None

    def _loop(self) -> Loop:
        """How EM is run, and who watches."""
        often = int(self.max_iter), float(self.tol), int(self.n_init)
        progress = Progress(type(self).__name__, bool(self.verbose))
        return Loop(*often, getattr(self, "accelerate", False), self.callback, progress)

    def _finished(self, loop: Loop, fit: Fit, kept: Callable[[], Fitted]) -> Fitted:
        """What is kept of a fit; how it ended is said. Ctrl-C is heard when that is done."""
        found, cut = finished(kept)
        reason = StopReason.INTERRUPTED if cut else fit.reason
        # With tol=0, or none, so many passes were asked for.
        unsettled = reason is StopReason.ROUNDS and self.has_to_settle and loop.tol > 0 and loop.max_iter > 0
        ended = "not settled" if unsettled else _ENDED.get(reason, "done")
        loop.progress.end(f"{ended} after {found['n_iter_']} passes")
        if unsettled:
            gained = f"the last gained {fit.gain:.2g} per word, tol == {loop.tol:g}"
            leap = ", or accelerate=True" if getattr(self, "accelerate", True) is False else ""
            name = f"{type(self).__name__} did not settle in max_iter == {loop.max_iter} passes"
            warn(f"{name} ({gained}); raise max_iter or tol{leap}.", ConvergenceWarning)
        return found | {"stop_reason_": str(reason)}

    def scaled_counts(self, X: Any) -> Counts:
        """The counts of documents as the fitted model works with them."""
        return scaled_by(self._topic_model().scaler, self.checked_counts(X))

    def _topic_model(self) -> Any:
        """The topics, as a value."""
        return getattr(self.model_, "aspects", self.model_)

    def _topics(self, counts: Counts) -> Real:
        """P(topic|document) of checked counts."""
        raise NotImplementedError

    def transform(self, X: Any) -> Real:
        """P(topic|document) of each document."""
        return self._topics(self.checked_counts(X))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Real:
        """`fit(X, y).transform(X)`: the same answer, by definition. `doc_topic_` is that of the fit."""
        return self.fit(X, y, **fit_params).transform(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def check_size(counts: Counts, n_topics: int, asked: str, n_classes: int = 1) -> None:
    """Raises where so many topics would not fit; warns where they outnumber documents or words.

    A class has a topic in any case; `asked` is what a user has set.
    """
    n_documents, n_words = counts.n_documents, counts.n_words
    found = f"{asked}: {n_topics:,} topics of {n_documents:,} documents and {n_words:,} words"
    # P(z|d), P(w|z), and what a pass makes of them.
    size, room = 2 * (n_documents + n_words) * n_topics * counts.dtype.itemsize, physical_memory()
    if size > room:
        most = max(1, min(int(room * n_topics / size), n_documents, n_words) // n_classes)
        raise ValueError(f"{found} {too_large(size, room)}. Take at most {most:,}.")
    if n_topics > max(n_documents, n_words) and size > _NEEDLESS:
        raise ValueError(f"{found} need {size / 2**30:.4g} GiB, and outnumber both. Take fewer.")
    if n_topics > max(n_classes, min(n_documents, n_words)):
        which = "documents" if n_documents <= n_words else "words"
        warn(f"{found} are more topics than {which}: there is nothing for each to stand for. Take fewer.")


def kept(fit: Fit, word_topic: Real, topic_prior: Array) -> Fitted:
    """The attributes that every fit by EM sets; warns of what went wrong."""
    if fit.reason is StopReason.FELL:
        fell = f"the objective fell from {fit.trace[-2]:.9g} to {fit.trace[-1]:.9g}: rounding wins"
        way = "Pass dtype='float64'" if word_topic.dtype == np.float32 else "Scale the counts down"
        warn(f"{fell}. {way}.", ConvergenceWarning)
    if fit.n_impossible:
        first = f"the first in document {fit.first_impossible}, and took no part"
        why = "A start with a zero for a word keeps it at zero; smoothing > 0 mends that."
        warn(f"{fit.n_impossible} nonzeros of X have probability zero, {first}. {why}")
    return {
        # Word-major in memory, as the kernels have it: folding in copies rows, not columns.
        "components_": word_topic.T,
        "doc_topic_": np.ascontiguousarray(unpadded(fit.parameters.doc_topic, word_topic.shape[1])),
        "topic_prior_": topic_prior,
        "objective_trace_": np.array(fit.trace),
        "log_likelihood_": fit.log_likelihood,
        "n_iter_": fit.n_updates,
        "stop_reason_": str(fit.reason),
        "n_impossible_": fit.n_impossible,
    }


@estimator
class AspectEstimator(TopicEstimator):
    """An estimator of aspect models: the topics of a document are found by folding it in."""

    _: KW_ONLY
    smoothing: float = 0.0
    prior_strength: Any = 0.0
    accelerate: bool = False
    fold_iter: int = 100
    fold_tol: float = 1e-4

    def _folding(self) -> Folding:
        """How documents are folded in."""
        return Folding(int(self.fold_iter), float(self.fold_tol), self.n_threads)

    def transform(self, X: Any) -> Real:
        """P(topic|document) of each document, by folding it in.

        P(w|z) stays as it is and a document's topics are updated until none moves by more than `fold_tol`,
        or `fold_iter` times. The answer for a document does not depend on the others given with it. One
        without words, or with none that a topic knows, gets the prior.
        """
        return super().transform(X)

    def _topics(self, counts: Counts) -> Real:
        return self._topic_model().topics(counts, self._folding())


@estimator
class LabelClassifier(ClassifierMixin, CountEstimator):
    """A classifier some of whose documents may have no label.

    It has `_learn_corpus` and `_class_scores`.
    """

    _attributes: ClassVar[str] = """
    classes_, class_count_
    """

    _: KW_ONLY
    unlabeled: Any = -1
    classes: Any = None

    # The places in `classes_` of those that were learned; None: of all, as all have an example.
    _met_: ClassVar[Places | None] = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from labeled documents, and from those without a label."""
        return self._fit(X, y, None)

    def _learn(self, counts: Counts, *given: Any) -> Fitted:
        y, sample_weight = given
        corpus = validation.read_corpus(counts, y, sample_weight, self.unlabeled)
        labels = validation.among_declared(corpus.labels, self.classes, self.unlabeled)
        found = {"classes_": corpus.labels.classes, "class_count_": corpus.class_counts()}
        found |= self._learn_corpus(corpus)
        return found if labels is corpus.labels else self._with_unmet(found, labels)

    def _with_unmet(self, found: Fitted, labels: Labels) -> Fitted:
        """What was learned, with 0 for the classes that have no example; labels are those among all."""
        met = np.unique(labels.code[labels.labeled]).astype(np.intp)
        found = _widened(found, met, len(labels.classes))
        return found | {"classes_": labels.classes, "_met_": met}

    def _declared(self) -> Array | None:
        """The classes that are declared, sorted. Whether one is a mark is a matter of y."""
        return None if self.classes is None else validation.check_classes(self.classes, None)

    def _learn_corpus(self, corpus: Corpus) -> Fitted:
        """What is learned from documents and their labels."""
        raise NotImplementedError

    def _class_scores(self, counts: Counts) -> Floats:
        """(D, C): what documents of checked counts have for each class that was learned; the highest wins."""
        raise NotImplementedError

    def decision_parts(self, X: Any) -> Parts:
        """What decides about one document, as a sum over its words; `plsa.explain` shows it.

        Classes without an example are not among those of the sum.
        """
        parts = super().decision_parts(X)
        names = self._learned_classes()
        return replace(parts, classes=names if parts.classes is None else names[parts.classes])

    def _learned_classes(self) -> Array:
        return np.asarray(self.classes_ if self._met_ is None else self.classes_[self._met_])

    def _of_all(self, values: Floats, other: float = 0.0) -> Floats:
        """Columns for all classes, of columns for those that were learned."""
        return values if self._met_ is None else among_all(values, self._met_, len(self.classes_), 1, other)

    def predict(self, X: Any) -> Array:
        """The most probable class of each document."""
        return self._predicted(self.checked_counts(X))

    def _predicted(self, counts: Counts) -> Array:
        return np.asarray(self._learned_classes()[self._class_scores(counts).argmax(axis=1)])

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The share of documents that get their label; those that have none are left out."""
        counts = self.checked_counts(X)
        known = to_score(y, counts.n_documents, self.unlabeled)
        labels = validation.read_labels(y, counts.n_documents, self.unlabeled)
        weight = validation.check_weight(sample_weight, counts.n_documents, np.float64)
        right = self._predicted(counts.of_documents(known)) == labels.classes[labels.code[known]]
        return float(np.average(right, weights=None if weight is None else weight[known]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # As for naive Bayes: made for counts of words, not for the test suites' blobs in the plane.
        tags.classifier_tags.poor_score = True
        return tags


class ProbableClasses(LabelClassifier):
    """A classifier whose scores are P(class|document)."""

    def predict_proba(self, X: Any) -> Array:
        """P(class|document): rows sum to one, columns in the order of `classes_`."""
        return self._of_all(self._class_scores(self.checked_counts(X)))

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class|document)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class Confident:
    """An estimator with topics that learns from documents without a label, too."""

    _attributes: ClassVar[str] = """
    unlabeled_share_ : (n_topics,) array
        The share of documents without a label, as they count, in what is expected of each topic: see
        `confidence`. 0 where the labels alone were learned from.
    """

    transform: Callable[[Any], Real]
    unlabeled_share_: Floats

    def confidence(self, X: Any) -> Floats:
        """How far a document's topics are those that labeled documents use: 1 - sum_z P(z|d) u[z].

        u[z], `unlabeled_share_`, is the share of documents without a label in the words (of a mixture: the
        documents) that topic z is expected to have, at the weight that these documents count with. It ranks
        documents by how much the labels have to say of them; as most documents have no label, its size says
        little.
        """
        return np.asarray(1 - self.transform(X).astype(np.float64) @ self.unlabeled_share_)


@estimator
class ClassEstimator(ProbableClasses, TopicEstimator):
    """An estimator with topics of classes, some of whose documents may have no label."""

    _attributes: ClassVar[str] = """
    classes_, class_count_, topic_class_, label_topic_, class_prior_, scaling_, scaling_scores_
    """

    _: KW_ONLY
    scaling: Any = "auto"

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns the topics of every class; a weight is a repetition."""
        return self._fit(X, y, sample_weight)

    def _with_unmet(self, found: Fitted, labels: Labels) -> Fitted:
        found, code = super()._with_unmet(found, labels), found["topic_class_"]
        found["topic_class_"] = np.where(code == UNLABELED, code, found["_met_"][code]).astype(code.dtype)
        return found


def _widened(found: Fitted, met: Places, number: int) -> Fitted:
    """Attributes with an entry for each of `number` classes, where they have one for those that were met."""
    wide = dict(found)
    for name in found.keys() & _OF_CLASSES.keys():
        value = np.asarray(found[name])
        for axis in _OF_CLASSES[name]:
            value = among_all(value, met, number, axis)
        wide[name] = value.tolist() if isinstance(found[name], list) else value
    if "choices_" in found:
        wide["choices_"] = _widened(found["choices_"], met, number)
    return wide


def to_score(y: Any, n_documents: int, unlabeled: Any) -> Places:
    """The documents that have a label to compare with, at least one."""
    known = np.flatnonzero(~is_unlabeled(validation.check_labels(y, n_documents), unlabeled))
    if not len(known):
        nothing = f"none of the {n_documents} documents to score has a label"
        raise ValueError(f"{nothing}: split with LabeledKFold, which holds out labeled ones only.")
    return known


def of_documents(probability: Floats, labels: Labels) -> Fitted:
    """What is known of the documents of the fit: their labels, else what the model says."""
    probability[labels.labeled] = labels.one_hot()
    return {"transduction_": probability, "guesses_": labels.classes[probability.argmax(axis=1)]}
