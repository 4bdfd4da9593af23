"""Whether a model has lost classes: documents without a label are all in a few, whatever the labels say."""

import numpy as np

from plsa.engine.parameters import Floats
from plsa.labels.corpus import Corpus

_FEW = 1 / 5  # of what the labels promise: a class with a smaller share of the guesses may be lost
_MOST = 1 / 2  # of its labeled documents: where so many would be classified right, it is only rare
_MUCH = 1 / 10  # of the labels: lost classes that have less are no collapse
_ENOUGH = 5  # labeled documents of lost classes, and others that should be in them: fewer are chance


def lost_classes(of_labeled: Floats, of_unlabeled: Floats, corpus: Corpus) -> str | None:
    """What has become of the classes, in words, where many are lost; None where not.

    `of_labeled` and `of_unlabeled` are P(class|document), the labels not being known to the model. A class is
    lost where hardly any document is guessed to be of it, and not even its labeled documents would be: that
    tells it from a class that is labeled more often than it is met.
    """
    known, weights = corpus.labels.labeled, corpus.weights()
    code, labeled, others = corpus.labels.code[known], weights[known], weights[~known]
    if not labeled.sum() > 0 or not others.sum() > 0:
        return None
    right = np.bincount(code, labeled * (of_labeled.argmax(axis=1) == code), corpus.n_classes)
    of_class = np.bincount(code, labeled, corpus.n_classes)
    promised = of_class / of_class.sum()
    guessed = np.bincount(of_unlabeled.argmax(axis=1), others, corpus.n_classes) / others.sum()
    lost = (guessed < _FEW * promised) & (right < _MOST * of_class)
    missing = promised[lost].sum()
    counted = int(np.sum(others > 0))
    if missing < _MUCH or of_class[lost].sum() < _ENOUGH or missing * counted < _ENOUGH:
        return None
    went = f"{guessed[~lost].sum():.0%} of the {counted:,} documents without a label went to {(~lost).sum()}"
    had = f"of {corpus.n_classes} classes, which have {1 - missing:.0%} of the labels"
    found = f"{right[lost].sum() / of_class[lost].sum():.0%} of the labeled documents of the others"
    return f"{went} {had}, and only {found} would be classified right without their label"
