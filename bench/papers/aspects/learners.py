"""Every learner that is measured, by name.

Ours come in three settings. ``soft``, ``hard``, ``fake``, ``missing`` and ``supervised`` are the defaults:
the plain constructor. ``soft-papers`` and its like are the papers' models on raw counts: no prior, no
student, all documents at full weight, guesses that stay, and as many aspects as the papers chose, but
started from the labels and stopped early; ``soft-papers-1`` has one aspect a class, ``supervised-papers-3``
three, ``supervised-papers+20`` one per class and 20 open to all, ``supervised-split-40`` 40 by splitting.
``soft-random`` and its like are the same with the random start and the 100 passes that the papers print.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import plsa
from bench.papers.aspects import printed, rivals
from bench.papers.aspects.splitting import SplitAspects

# On the word of the papers: counts as they are. All passes are made.
_PAPERS = {"scaling": None, "prior_strength": 0.0, "smoothing": 0.01, "max_iter": 100, "tol": 0.0}
_PAPERS_UNLABELED = {
    **_PAPERS,
    "max_iter": 10,
    "unlabeled_weight": 1.0,
    "evidence": False,
    "early_stopping": 0.0,
}
_PAPERS_GUESSED = {**_PAPERS_UNLABELED, "relabel": "never", "student": None}
RANDOM = {"init": "random", "max_iter": 100}
PAPERS: dict[str, dict[str, Any]] = {
    "soft": _PAPERS_GUESSED,
    "hard": _PAPERS_GUESSED,
    "fake": _PAPERS_UNLABELED,
    "missing": _PAPERS_UNLABELED,
    "supervised": _PAPERS,
}
_CLASSES = {
    "soft": plsa.SoftMislabelingPLSA,
    "hard": plsa.HardMislabelingPLSA,
    "fake": plsa.FakeLabelPLSA,
    "missing": plsa.MissingLabelPLSA,
    "supervised": plsa.PLSAClassifier,
}
OURS = tuple(PAPERS)
_TITLES = {
    "soft": "mislabeling, soft",
    "hard": "mislabeling, hard",
    "fake": "fake label",
    "missing": "missing labels",
    "supervised": "supervised PLSA",
}


@dataclass(frozen=True, slots=True)
class Learner:
    """What is measured under a name: how it is made, and whether its starts are to be averaged."""

    name: str
    title: str
    make: Callable[[str, int], Any]  # corpus, number of the start -> estimator
    random: bool


def learner(name: str) -> Learner:
    """The learner of a name; ValueError where there is none."""
    if name in _RIVALS or name in _BASELINES:
        title, make = (_RIVALS | _BASELINES)[name]
        return Learner(name, title, lambda corpus, start: make(), random=False)
    if split := re.fullmatch(r"supervised-split-(\d+)", name):
        n_topics = int(split[1])

        def make_split(corpus: str, start: int) -> Any:
            return SplitAspects(n_topics, random_state=start, n_threads=1, **PAPERS["supervised"])

        return Learner(name, "supervised PLSA, aspects split, raw counts", make_split, random=True)
    parts = re.fullmatch(rf"({'|'.join(OURS)})(?:-(papers|random)(?:-(\d+)|\+(\d+))?)?", name)
    if parts is None:
        raise ValueError(f"no learner {name!r}: there are {', '.join(names())}")
    family, papers, per_class, extra = parts.groups()
    if papers is None:

        def make_defaults(corpus: str, start: int) -> Any:
            return _CLASSES[family](random_state=start, n_threads=1)

        return Learner(name, _TITLES[family], make_defaults, random=False)

    def make_papers(corpus: str, start: int) -> Any:
        topics = printed.ASPECTS[corpus] // printed.CLASSES[corpus]
        if per_class or extra:
            topics = int(per_class or 1)
        options = PAPERS[family] | (RANDOM if papers == "random" else {})
        return _CLASSES[family](
            topics_per_class=topics, extra_topics=int(extra or 0), random_state=start, n_threads=1, **options
        )

    setting = "raw counts" if papers == "papers" else "raw counts, random start"
    return Learner(name, f"{_TITLES[family]}, {setting}", make_papers, random=True)


def names() -> list[str]:
    """The rivals, and ours in the three settings; other numbers of aspects go without saying."""
    return [
        *_RIVALS,
        *_BASELINES,
        *OURS,
        *(f"{family}-{setting}" for setting in ("papers", "random") for family in OURS),
    ]


# Other people's methods of the thesis, as this package has them, none with a choice of its user.
_BASELINES: dict[str, tuple[str, Callable[[], Any]]] = {
    "self_training": ("self-training", plsa.SelfTraining),
    "cotraining": ("co-training, words split at random", partial(plsa.CoTraining, random_state=0)),
    "coem": ("co-EM, words split at random", partial(plsa.CoEM, random_state=0)),
    "coboost": ("co-boosting, words split at random", partial(plsa.CoBoost, random_state=0)),
    "cem": ("classification EM, logistic", plsa.ClassificationEM),
    "mislabeling_lr": ("mislabeling, logistic", partial(plsa.MislabelingLogistic, random_state=0)),
    "entropy": ("entropy minimization", plsa.EntropyMinimization),
    "spreading": ("graph, local and global consistency", partial(plsa.GraphClassifier, n_threads=1)),
    "harmonic": ("graph, harmonic", partial(plsa.GraphClassifier, "harmonic", n_threads=1)),
    "walk": ("graph, random walk", partial(plsa.GraphClassifier, "random walk", n_threads=1)),
    "linear_graph": (
        "graph, linear neighborhoods",
        partial(plsa.GraphClassifier, "linear neighborhoods", n_threads=1),
    ),
    "sgt": ("graph, spectral transducer", partial(plsa.GraphClassifier, "sgt", n_threads=1)),
    "mincut": ("minimum cut", plsa.MinCut),
    "cpa": ("CPA", partial(plsa.CPA, random_state=0)),
}
BASELINES = tuple(_BASELINES)
_RIVALS: dict[str, tuple[str, Callable[[], Any]]] = {
    "nb": ("naive Bayes, labels only", rivals.naive_bayes),
    "lr": ("logistic regression, labels only", rivals.logistic_regression),
    "svm": ("linear SVM, labels only", rivals.linear_svm),
    "nb_em": ("naive Bayes EM", rivals.naive_bayes_em),
    "tsvm": ("transductive SVM", plsa.TransductiveSVM),
}
RIVALS = tuple(_RIVALS)
LABELS_ONLY = ("nb", "lr", "svm")
