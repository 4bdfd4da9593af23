"""A setting of a learner of labeled and unlabeled documents, chosen by labels that are held out."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from plsa.baselines.vectors import Matrix
from plsa.engine.counts import Counts
from plsa.engine.parameters import Floats
from plsa.labels.corpus import Corpus
from plsa.labels.reading import UNLABELED, Labels
from plsa.learning.evidence import hold_out

Scores = Callable[[Matrix, Labels, float], Floats]  # (D, C): of all documents, learned under a setting


def best_setting(
    matrix: Matrix, labels: Labels, settings: Sequence[float], default: float, scores: Scores
) -> float:
    """The setting under which most labels are right that it was not shown, the first of equals.

    A document whose label is held out stays, as one of those without a label. `default` where labels are too
    few to hold any out.
    """
    marks = matrix.copy()  # by which documents are dealt out
    marks.eliminate_zeros()
    counts = Counts(marks.indptr.astype(np.int64), marks.indices, marks.data, marks.shape[1])
    splits = hold_out(Corpus(counts, labels), sample=False)
    if not splits:
        return default
    right = np.zeros(len(settings), dtype=int)
    for _, held in splits:
        code = labels.code.copy()
        code[held] = UNLABELED
        shown = replace(labels, code=code)
        for place, setting in enumerate(settings):
            right[place] += np.sum(scores(matrix, shown, setting)[held].argmax(axis=1) == labels.code[held])
    return settings[int(right.argmax())]
