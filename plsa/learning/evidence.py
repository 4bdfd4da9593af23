"""What may be learned about a choice from the labeled documents: they are held out and judged by.

Parts of a corpus to learn from and to judge by, and what candidates say of the latter.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from plsa.engine.parameters import Array, Codes, Floats
from plsa.labels.corpus import Corpus

_MAX_TRIED = 3000  # labeled documents that a choice is made on
MANY_TRIED = 12_000  # the same where that is cheap
# Labeled documents, of classes that have several: with fewer than so many per class there are few. These are
# at least so many and so many per class, or all that more than few would be.
_TELLING, _FEW, _FEW_PER_CLASS = 2, 8, 0.4
_LEAST = 1e-12  # no probability counts as less
_BELIEF = 10.0  # in the usual sharpness: of log t it is off by 0.2
_BELIEF_TO_COMPARE = (
    1.0  # where sharpness only makes candidates comparable; from 0.1 to 3 all is much the same
)

Probabilities = dict[str, Floats]  # of each candidate: (documents, C)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Labeled documents held out of a fit, and what each candidate said of them."""

    code: Codes
    weights: Floats
    probability: Probabilities

    @classmethod
    def of(cls, found: Sequence[tuple[Corpus, Probabilities]]) -> Self:
        """What was said of several parts of a corpus, as one."""
        return cls(
            np.concatenate([judged.labels.code for judged, _ in found]),
            np.concatenate([judged.weights() for judged, _ in found]),
            {name: np.concatenate([said[name] for _, said in found]) for name in found[0][1]},
        )

    def mean(self, values: Floats) -> float:
        """The mean of something over the documents."""
        return float(np.average(values, weights=self.weights)) if self.weights.sum() > 0 else 0.0

    def right(self, name: str) -> Floats:
        """1 where the candidate has the class of a document right, else 0."""
        result: Floats = (self.probability[name].argmax(axis=1) == self.code).astype(np.float64)
        return result

    def accuracy(self, name: str) -> float:
        """The share of documents that the candidate has right."""
        return float(np.average(self.right(name), weights=self.weights))

    def log_probability(self, name: str) -> float:
        """The mean log-probability that the candidate gives the true class."""
        true = self.probability[name][np.arange(len(self.code)), self.code]
        return float(np.average(np.log(np.maximum(true, _LEAST)), weights=self.weights))

    def best(self, names: Iterable[str]) -> str:
        """The candidate with the highest accuracy; of equals, with the higher log-probability."""
        return max(names, key=lambda name: (self.accuracy(name), self.log_probability(name)))

    def better(self, name: str, than: str) -> bool:
        """Whether a candidate beats another by more than two standard errors of the difference."""
        gain = self.right(name) - self.right(than)
        mean = np.average(gain, weights=self.weights)
        error = np.sqrt(np.average((gain - mean) ** 2, weights=self.weights) / self.weights.sum())
        return bool(mean > 2 * error and mean > 0)

    def gain(self, name: str, over: str) -> tuple[float, float]:
        """How much log-probability of the true class a candidate gains over another; the standard error.

        The mean over the documents, both candidates being made as sharp as they should be first: naive Bayes
        is far too sure of itself for its log-probabilities to compare as they are.
        """
        gain = self._sharpened(name) - self._sharpened(over)
        mean = np.average(gain, weights=self.weights)
        error = np.sqrt(np.average((gain - mean) ** 2, weights=self.weights) / self.weights.sum())
        return float(mean), float(error)

    def _sharpened(self, name: str) -> Floats:
        """The log-probability of the true class of each document, at the sharpness that is most likely."""
        log_p = np.log(np.maximum(self.probability[name], _LEAST))
        sharp = log_softmax(self.sharpness(name, 1.0, _BELIEF_TO_COMPARE) * log_p, axis=1)
        true: Floats = sharp[np.arange(len(self.code)), self.code]
        return true

    def sharpness(self, name: str, default: float, belief: float = _BELIEF) -> float:
        """The power t that makes probabilities p^t / sum p^t most likely, drawn toward the default.

        The documents' log-probability, less belief * (log t - log default)^2, is maximized.
        """
        log_p = np.log(np.maximum(self.probability[name], _LEAST))
        rows = np.arange(len(self.code))
        around = np.log(default)

        def loss(log_t: float) -> float:
            sharp = log_softmax(np.exp(log_t) * log_p, axis=1)
            return float(belief * (log_t - around) ** 2 - np.sum(self.weights * sharp[rows, self.code]))

        found = minimize_scalar(loss, bounds=(around - 3, around + 3), method="bounded")
        return float(np.exp(np.round(found.x, 2)))  # no more than that is known


def is_telling(weight: float, n_classes: int) -> bool:
    """Whether held-out documents of this weight are more than few."""
    return bool(weight >= _TELLING * n_classes)


Splits = list[tuple[Array, Array]]  # documents to learn from, and documents to judge by


def hold_out(
    corpus: Corpus,
    *,
    sample: bool,
    folds: int = 3,
    parts: int = 3,
    alone: int = 0,
    most: int | None = None,
    few: bool = False,
) -> Splits:
    """Parts to learn from and labeled documents to judge by, class by class; none where there are too few.

    Unlabeled documents, the only document of a class, and copies of a document that have different labels
    stay in every part to learn from. At most `most` labeled documents (`_MAX_TRIED`) are held out in turn;
    with `sample` the others are left out altogether.
    Documents are dealt out in an order that their words alone make: copies are held out together, so that a
    weight is a repetition here too. Of each class one of `parts` parts is held out at a time, `folds` times;
    of no more than `alone` different documents each one by itself. `few`: that few tell something is enough,
    where what they say is weighed against what is usual.
    """
    told = corpus.labels.labeled & (corpus.counts.lengths() > 0)
    if corpus.weight is not None:
        told &= corpus.weight > 0
    documents = np.flatnonzero(told)
    checksum = corpus.counts.checksums(documents)
    code = corpus.labels.code[documents]
    # In no order that means anything.
    different = [np.unique(checksum[code == place]) for place in np.unique(code)]
    if not different:
        return []
    met, n_classes_of = np.unique(np.concatenate(different), return_counts=True)
    contested = met[n_classes_of > 1]  # the same words under two labels judge nothing
    different = [np.setdiff1d(some, contested) for some in different]
    share = min(1.0, (most or _MAX_TRIED) / max(sum(map(len, different)), 1))
    tried = [some[: max(2, round(share * len(some)))] for some in different]
    several = [some for some in tried if len(some) > 1]
    enough = _TELLING * corpus.n_classes
    least = min(enough, max(_FEW, _FEW_PER_CLASS * corpus.n_classes)) if few else enough
    if len(several) < 2 or sum(map(len, several)) < least:
        return []
    inside = np.ones(corpus.counts.n_documents, dtype=bool)
    if sample:
        inside[documents] = np.isin(checksum, np.concatenate([*tried, contested]))
    together = np.concatenate(several)
    if len(together) <= alone:
        turns = list(together[:, np.newaxis])
    else:
        turns = [np.concatenate([some[fold::parts] for some in several]) for fold in range(folds)]
    found = []
    for turn in turns:
        held = documents[np.isin(checksum, turn)]
        if len(held):
            others = inside.copy()
            others[held] = False
            found.append((np.flatnonzero(others), held))
    return found


def parts(corpus: Corpus, splits: Splits) -> Iterator[tuple[Corpus, Corpus]]:
    """What to learn from and what to judge by, split after split."""
    for inside, outside in splits:
        yield corpus.part(inside), corpus.part(outside)


def judge(
    pairs: Iterable[tuple[Corpus, Corpus]], candidates: Callable[[Corpus, Corpus], Probabilities]
) -> HeldOut | None:
    """What candidates say of documents held out in turn, as one; None where none were.

    `candidates` learns from the first corpus of a pair and says, by name, P(class|document) of the second.
    """
    found = [(judged, candidates(learned, judged)) for learned, judged in pairs]
    return HeldOut.of(found) if found else None
