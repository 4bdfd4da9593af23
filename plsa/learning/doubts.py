"""Labels in doubt: each counts as far as it is probably right, by models that have not learned from it.

That is all that is done about them. To let the gate of a labeled document be P(given label | class of z), as
that of a guess is, changes nothing: every word of a document votes for its label again, and with more than a
few words no label is ever given up (bench/wide/wrong_labels.py has both).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from plsa.engine.parameters import Floats
from plsa.labels.corpus import Corpus
from plsa.learning.evidence import HeldOut, Probabilities, Splits, hold_out, judge, parts
from plsa.learning.noise import FREE, learn_noise

_PARTS = 5  # of the labeled documents, each of them held out in turn
# Labeled documents per class at which what is found has half of its say: fewer judge each other badly.
_HALF_BELIEVED = 10.0


@dataclass(frozen=True, slots=True)
class Doubts:
    """What is believed of the labels of a corpus."""

    right: Floats  # (D,): P(the label is right); 1 where nothing could be found, or where there is none
    given_of_true: Floats  # (C, C): P(given label | true class); columns sum to one

    @classmethod
    def none(cls, corpus: Corpus) -> Self:
        """All labels are right."""
        return cls(np.ones(corpus.counts.n_documents), np.eye(corpus.n_classes))

    def weighted(self, corpus: Corpus) -> Corpus:
        """The corpus with every label worth what a guess would be that is as probable: the square of that."""
        weight = corpus.weights() * self.right**2
        return replace(corpus, weight=weight.astype(corpus.counts.dtype))


def turns(corpus: Corpus) -> Splits:
    """What to learn from and which labels to judge, each of them once; none where there are too few."""
    everyone = len(corpus.labels.code)
    return hold_out(corpus, sample=False, folds=_PARTS, parts=_PARTS, most=everyone, few=True)


def doubt(
    corpus: Corpus,
    splits: Splits,
    said: Callable[[Corpus, Corpus], Probabilities],
    chosen: Callable[[HeldOut], Floats],
) -> Doubts:
    """What held-out labeled documents say of their labels.

    `said` learns from the first of two corpora and says what candidates make of the second, `chosen` makes
    P(class|document) of that. With few labels that is believed in part: P(wrong) is multiplied by n / (n + 10
    C), n labels of C classes.
    """
    held = judge(parts(corpus, splits), said)
    if held is None:
        return Doubts.none(corpus)
    noise = learn_noise(chosen(held).astype(np.float64), held.code, held.weights, belief=FREE)
    right = np.ones(len(corpus.labels.code))
    n_labeled = corpus.weights()[corpus.labels.labeled].sum()
    believed = n_labeled / (n_labeled + _HALF_BELIEVED * corpus.n_classes)
    right[np.concatenate([outside for _, outside in splits])] = 1 - believed * (1 - noise.right())
    return Doubts(right, noise.given_of_true)
