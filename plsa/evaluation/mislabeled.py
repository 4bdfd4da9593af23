"""Labels that are probably wrong, by models that have not learned from them."""

import math
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from plsa import inputs
from plsa.engine.parameters import Array, Floats, Mask, Places
from plsa.engine.progress import Progress
from plsa.estimators.base import copies_are_lost
from plsa.estimators.documents import check_documents, matrix_of, reads_texts, steps_of
from plsa.estimators.others import chances, fitted_to, named, seeded
from plsa.estimators.validation import read_labels
from plsa.evaluation.folds import DEFAULT_FOLDS, LabeledKFold, may_be_held_out
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning.noise import ALIKE, FREE, LabelNoise, learn_noise
from plsa.show.tables import aligned
from plsa.show.words import check_vocabulary

_WIDTH, _SHOWN = 80, 20  # of a table; rows of it
_LEVEL = 0.9  # of the interval
_WORDS, _ALPHA = 5, 1.0  # against a label; and the pseudo-count of each word
_LONGEST = 20  # letters of a class, in a table
_POWERS = np.geomspace(0.6, 2.4, 15)  # of the best sharpness: what else is tried for the interval
_ENOUGH = 5  # labels of each class, on average: fewer judge each other badly


@dataclass(frozen=True, slots=True)
class SuspectLabel:
    """A label that is probably wrong."""

    index: int  # the row of X
    given: Any
    suggested: Any  # the class that is most probable beside it
    p_wrong: float
    words: tuple[str, ...]  # that speak for the suggested class and against the given one, the first most


@dataclass(frozen=True, slots=True, repr=False)
class LabelErrors:
    """What `find_label_errors` found; shows itself as a table."""

    rows: tuple[SuspectLabel, ...]  # labels more probably wrong than right, most likely first
    ranking: Places  # rows of X: all labeled documents that could be judged, most suspect first
    p_wrong: Floats  # of these, in the same order
    number: float  # of wrong labels in all, as expected
    interval: tuple[float, float]  # of 90%, of that number
    classes: Array
    given_of_true: Floats  # (C, C): P(given label | true class), a column for each true class
    not_judged: Places  # rows of X whose label is the only one of its class
    contradictions: tuple[tuple[int, ...], ...]  # rows of X that are alike, with different labels

    @property
    def indices(self) -> Places:
        """The rows of X whose label is probably wrong, most likely first."""
        return np.array([row.index for row in self.rows], dtype=np.intp)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SuspectLabel]:
        return iter(self.rows)

    def __repr__(self) -> str:
        lines = _wrapped(self.title())
        if self.rows:
            lines += self._table()
        if len(self.rows) > _SHOWN:
            lines.append(f"... and {len(self.rows) - _SHOWN} more")
        return "\n".join([*lines, *(line for said in self.remarks() for line in _wrapped(said))])

    def title(self) -> str:
        """How many labels are probably wrong."""
        judged, (low, high) = len(self.ranking), self.interval
        found = f"{len(self)} of {inputs.counted(judged, 'label')} {'is' if len(self) == 1 else 'are'}"
        about = f"about {self.number:.0f} in all ({_LEVEL:.0%}: {math.floor(low)} to {math.ceil(high)})"
        return f"{found} probably wrong, {about}"

    def _table(self) -> list[str]:
        """The first rows, as wide as a terminal."""
        shown = self.rows[:_SHOWN]
        cells = [["row", "P(wrong)", "given", "suggested"]]
        cells += [
            [str(row.index), f"{row.p_wrong:.3f}", _short(row.given), _short(row.suggested)] for row in shown
        ]
        names = [max(len(line[column]) for line in cells) for column in (2, 3)]
        padded = [[*line[:2], *map(str.ljust, line[2:], names)] for line in cells]
        lines = aligned([[line[0].rjust(max(len(each[0]) for each in cells)), *line[1:]] for line in padded])
        start = max(map(len, lines)) + 2
        said = ["words against the label", *(", ".join(row.words) for row in shown)]
        room = _WIDTH - start
        return [
            f"{line:{start}}{textwrap.shorten(words, room, placeholder=' ...') if room > 8 else ''}".rstrip()
            for line, words in zip(lines, said, strict=True)
        ]

    def remarks(self) -> Iterator[str]:
        """What else there is to know."""
        pairs = Counter((row.given, row.suggested) for row in self.rows).most_common(3)
        several = [f"{n} of {given!r} look like {other!r}" for (given, other), n in pairs if n > 1]
        if several:
            yield f"Most often: {', '.join(several)}."
        if self.contradictions:
            first, more = ", ".join(map(str, self.contradictions[0])), len(self.contradictions) - 1
            others = f" (and so are {inputs.counted(more, 'other group')})" if more else ""
            yield f"Rows {first} are alike and have different labels: not all can be right{others}."
        if len(self.not_judged):
            alone = inputs.counted(len(self.not_judged), "label is", "labels are")
            yield f"{alone} the only one of the class and not judged."


def find_label_errors(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = DEFAULT_FOLDS,
    n_repeats: int = 3,
    unlabeled: Any = UNLABELED,
    vocabulary: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LabelErrors:
    """Labels that are probably wrong, most likely first, by models that have not learned from them.

    Labeled documents are held out in turn, a fold at a time, and a fit to all others, unlabeled ones among
    them, says how probable each class p(y|d) is; then again with other folds, and the mean is taken. What
    labels have to do with classes, T[g, y] = P(given label g | true class y), is learned from these by EM,
    with the power t of p that makes the given labels likely, and

        P(true class y | d, given g) ~ p(y|d)^t T[g, y],        P(wrong) = 1 - P(true class g | d, given g).

    Parameters
    ----------
    model : classifier, or a Pipeline that ends in one
        One of ours, one of scikit-learn's, or any with `predict_proba` or `decision_function`. What does not
        learn from unlabeled documents gets the labeled ones alone. It is not changed.
    X : counts of words, one document per row; or whatever the model takes, such as texts for a pipeline
    y : labels, some of which may be missing
    n_splits : int, default=5
        Folds of a `LabeledKFold`, or as many as there are documents that can be held out.
    n_repeats : int, default=3
        How often all of them are held out, in folds of other seeds. One takes a third of the time and finds
        a little less.
    unlabeled : default=-1
        The entry of y that marks a document without a label; None, NaN and blank strings do so always. None:
        only they do.
    vocabulary : list of words, mapping from word to column, or fitted vectorizer, default=None
        What the columns of X are called. None: as the Pipeline's vectorizer or a DataFrame has it, else the
        number of the column.
    random_state : int, default=0
        Seed of the folds of the first repeat; of the second it is one more, and so on. Models that draw at
        random and have `random_state=None` get it as well.
    n_jobs : int or None, default=None
        Fits that are made at a time, in processes of their own; -1: as many as there are processors. What is
        found is the same.
    verbose : int, default=0
        Whether to show how far it is.

    Returns
    -------
    LabelErrors
        Prints as a table. `indices` are the rows of X whose label is more probably wrong than right, most
        likely first; `rows` says of each the given label, the suggested class, P(wrong), and the words that
        speak against the label (`pandas.DataFrame(found.rows)`). `ranking` has all labeled documents that
        were judged, the most suspect first, and `p_wrong` their P(wrong), for who wants to look further down.
        `number` is how many labels are wrong in all, `interval` where that is believed to be, and
        `given_of_true` is T. `contradictions` are documents that are alike and have different labels, which
        is certain without any model; `not_judged` labels that are the only one of their class.

    Notes
    -----
    A model takes one class for another where documents are hard, and so do people who label them: from labels
    alone the two cannot be told apart. So T is drawn toward errors of the same share e in all classes, to
    each other class alike, by as many pseudo-counts as 300 documents of each class; e is learned too. And
    where all documents are about as probably of their class, labels may be wrong or classes be chance. The
    interval reaches from what 1000 documents say to what 20 say, over all t that are nearly as likely (a test
    of the ratio of likelihoods), and allows for the luck of the draw. All the same, read the number as a
    size. With a tenth of the labels wrong the interval held it in 14 of 20 draws where all documents were
    labeled and in 10 of 10 where one in twenty was; of two classes the number came out at less than half.
    Where nothing was made wrong it was 0 to 1.3% of the labels (bench/wide/label_errors.py).

    The words are those of naive Bayes: of the words of a document, the ones that are more probable in the
    suggested class than in the given one, by all other documents with the classes that they are believed to
    have. They say why the label is in doubt, not how the model came to it.

    One class, or no two labels of any, is an error: no other label could be right. Fewer than five labels of
    each class, on average, are judged with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import SoftMislabelingPLSA, find_label_errors
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(300, 400, 4, n_classes=4, random_state=0)
    >>> y = np.where(np.arange(300) < 100, corpus.target, -1)
    >>> y[[7, 70]] = (y[[7, 70]] + 1) % 4  # two labels go wrong
    >>> find_label_errors(SoftMislabelingPLSA(random_state=0), corpus.counts, y, n_repeats=1)
    2 of 100 labels are probably wrong, about 2 in all (90%: 1 to 3)
    row  P(wrong)  given  suggested  words against the label
     70     0.997  0      3          310, 168, 153, 335, 209
      7     0.995  3      2          37, 186, 272, 100, 267
    """
    asked = any(hasattr(model, method) for method in ("predict_proba", "decision_function"))
    if isinstance(model, type) or not (hasattr(model, "fit") and asked):
        must = "a classifier with predict_proba or decision_function, such as SoftMislabelingPLSA()"
        raise ValueError(f"model == {model!r}, but must be {must}.")
    n_splits = inputs.check_whole(n_splits, "n_splits", 2)
    n_repeats = inputs.check_whole(n_repeats, "n_repeats", 1)
    seed = inputs.check_whole(random_state, "random_state", 0)
    (X,) = indexable(X)
    check_documents(model, X)
    labels = read_labels(y, _num_samples(X), unlabeled)
    if len(labels.classes) == 1:
        only = f"y has one class, {labels.classes.tolist()[0]!r}: no other label could be right"
        raise ValueError(f"{only}. Label documents of two at least.")
    held = np.flatnonzero(may_be_held_out(labels))
    if 0 < len(held) < _ENOUGH * len(labels.classes):
        few = f"y labels {inputs.counted(len(held), 'document')} of {len(labels.classes)} classes that can be"
        inputs.warn(f"{few} held out: so few judge each other badly. Label {_ENOUGH} of each at least.")
    splits = [
        (seed + repeat, train, test)
        for repeat in range(n_repeats)
        for train, test in LabeledKFold(
            max(2, min(n_splits, len(held))), random_state=seed + repeat
        ).of_labels(labels)
    ]
    with copies_are_lost("find_label_errors"), Progress("find_label_errors", bool(verbose)) as progress:
        progress.plan(2)
        progress.begin("fits to the other labels", len(splits))
        chance = np.zeros((len(labels.code), len(labels.classes)))
        work = delayed(_judged)
        fits = (work(seeded(model, each), X, labels, train, test) for each, train, test in splits)
        for (_, _, test), said in zip(
            splits, Parallel(n_jobs=n_jobs, return_as="generator")(fits), strict=True
        ):
            chance[test] += said / n_repeats
            progress.step()
        progress.begin("what goes wrong")
        found = _errors(chance, X, labels, held, _Words.of(model, X, vocabulary))
        progress.end(found.title())
    return found


def _judged(model: Any, X: Any, labels: Labels, train: Places, test: Places) -> Floats:
    """(held out, C): what a fit to some documents says of others."""
    # Threads of BLAS change the last bits, and how many there are depends on who else is at work.
    with threadpool_limits(1, user_api="blas"):
        fitted_to(model, _safe_indexing(X, train), labels.part(train))
        said = chances(model, _safe_indexing(X, test))
    place = {label: column for column, label in enumerate(labels.classes.tolist())}
    chance = np.zeros((len(test), len(place)))
    chance[:, [place[label] for label in named(model, labels, model.classes_).tolist()]] = said
    return chance


def _errors(chance: Floats, X: Any, labels: Labels, held: Places, words: "_Words | None") -> LabelErrors:
    """What the probabilities of documents that were held out say of their labels."""
    code, classes, names = labels.code[held], labels.classes, labels.classes.tolist()
    noise = learn_noise(chance[held], code)
    wrong = 1 - noise.right()
    order = np.argsort(-wrong, kind="stable")
    others = noise.true.copy()
    others[np.arange(len(code)), code] = -1.0
    suggested = others.argmax(axis=1)
    suspect = order[wrong[order] > 0.5]
    against = [()] * len(suspect) if words is None else words.against(noise, held, suspect, suggested)
    rows = tuple(
        SuspectLabel(int(held[each]), names[code[each]], names[suggested[each]], float(wrong[each]), told)
        for each, told in zip(suspect, against, strict=True)
    )
    low, high = _interval(chance[held], code)
    number = noise.wrong()
    return LabelErrors(
        rows,
        held[order],
        wrong[order],
        number,
        (min(low, number), max(high, number)),
        classes,
        noise.given_of_true,
        np.setdiff1d(np.flatnonzero(labels.labeled), held),
        _contradictions(X, labels),
    )


def _interval(chance: Floats, code: Array) -> tuple[float, float]:
    """Where the number of wrong labels is believed to be.

    From errors that are alike to errors that are free, at every sharpness under which the labels are hardly
    less likely than under the best (by a test of their ratio), and with the luck of the draw.
    """
    lows, highs = [], []
    for belief in (ALIKE, FREE):
        best = learn_noise(chance, code, belief=belief)
        tried = [learn_noise(chance, code, belief=belief, sharpness=best.sharpness * by) for by in _POWERS]
        least = max(each.log_likelihood for each in (best, *tried)) - stats.chi2.ppf(_LEVEL, 1) / 2
        for noise in (best, *(each for each in tried if each.log_likelihood >= least)):
            right = noise.right()
            luck = stats.norm.ppf((1 + _LEVEL) / 2) * np.sqrt(np.sum(right * (1 - right)))
            lows.append(noise.wrong() - luck)
            highs.append(noise.wrong() + luck)
    return float(max(min(lows), 0.0)), float(min(max(highs), len(code)))


def _contradictions(X: Any, labels: Labels) -> tuple[tuple[int, ...], ...]:
    """Labeled documents that are alike and have different labels."""
    known = np.flatnonzero(labels.labeled)
    matrix = matrix_of(X)
    alike: dict[Any, list[int]] = {}
    if matrix is None:
        for row in known.tolist():
            text = _safe_indexing(X, row)
            if isinstance(text, str) and text.strip():
                alike.setdefault(text, []).append(row)
    else:
        counts = sparse.csr_array(matrix)[known]
        counts.sum_duplicates()
        counts.eliminate_zeros()
        for row, begin, end in zip(known.tolist(), counts.indptr, counts.indptr[1:], strict=False):
            if begin < end:
                key = counts.indices[begin:end].tobytes(), counts.data[begin:end].tobytes()
                alike.setdefault(key, []).append(row)
    return tuple(tuple(rows) for rows in alike.values() if len(set(labels.code[rows].tolist())) > 1)


@dataclass(frozen=True, slots=True)
class _Words:
    """The counts of the documents, to say which words are against a label."""

    counts: sparse.csr_array
    names: Array
    whole: Mask  # which columns are words, and not pieces of them

    @classmethod
    def of(cls, model: Any, X: Any, vocabulary: Any) -> Self | None:
        """The counts of documents, as a pipeline or they themselves have them; None where there are none."""
        counter, matrix = steps_of(model)[0], matrix_of(X)
        if matrix is None and reads_texts(counter):
            counter = clone(counter)
            matrix = counter.fit_transform(X)
            vocabulary = counter if vocabulary is None else vocabulary
        if matrix is None:
            return None
        if vocabulary is None and hasattr(X, "columns"):
            vocabulary = [str(name) for name in X.columns]
        elif not hasattr(vocabulary, "get_feature_names_out") and vocabulary is counter:
            vocabulary = None  # a vectorizer that knows no words
        counts = sparse.csr_array(matrix)
        names = np.array(check_vocabulary(vocabulary, None, counts.shape[1]), dtype=object)
        whole = ~counter.is_piece() if hasattr(counter, "is_piece") else np.ones(len(names), dtype=bool)
        return cls(counts, names, whole)

    def against(
        self, noise: LabelNoise, documents: Places, suspect: Places, suggested: Places
    ) -> list[tuple[str, ...]]:
        """The words that speak against each suspect label: for the suggested class, and not the given one.

        Those with the largest log(1 + n) (log P(w|suggested) - log P(w|given)), the document left out.
        """
        n_words = self.counts.shape[1]
        member = sparse.csr_array(np.eye(noise.true.shape[1])[noise.true.argmax(axis=1)])
        of_class = sparse.csr_array(member.T @ self.counts[documents])
        total = of_class.sum(axis=1)
        found = []
        for each in suspect:
            own = self.counts[[documents[each]]]
            word, count = own.indices, own.data.astype(np.float64)
            logs = []
            for place in (suggested[each], noise.code[each]):
                mine = noise.true[each].argmax() == place  # what it has told the class itself
                said = of_class[[place]][:, word].toarray().ravel() - mine * count + _ALPHA
                logs.append(np.log(said) - np.log(total[place] - mine * count.sum() + _ALPHA * n_words))
            score = np.where(self.whole[word], np.log1p(count) * (logs[0] - logs[1]), 0.0)
            best = np.argsort(-score, kind="stable")[:_WORDS]
            found.append(tuple(self.names[word[best[score[best] > 0]]].tolist()))
        return found


def _short(name: Any) -> str:
    """A class as far as a table has room for it."""
    text = str(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_on_hyphens=False, break_long_words=False)
