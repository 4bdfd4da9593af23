"""The learners of the experiments, and what is measured of one."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

import plsa
from bench.papers.positives.documents import LEAST, TOPICS, PositiveSet

# The paper's own: raw counts, as many topics as the set has, every pair a link, a random start.
PRINTED = {
    "normalize": "none",
    "init": "random",
    "positive_weight": 1.0,
    "scaling": None,
    "student": None,
    "smoothing": 0.0,
    "prior_strength": 0.0,
    "max_iter": 120,
    "tol": 0.0,
}
# The linked model alone, as this package has it.
LINKED: dict[str, Any] = {"student": None}
SHARES = np.concatenate([np.arange(0, 0.1, 0.005), np.arange(0.1, 0.501, 0.02)])  # of a ROC curve


class Learner(NamedTuple):
    """A way to find positives, and what it is called."""

    title: str
    make: Callable[[], Any]
    by_topic: bool = False  # a document is taken where its most probable topic is the positives'


def linked(options: dict[str, Any], **changed: Any) -> Any:
    """Topic-sensitive PLSA with a number of topics."""
    return plsa.TopicSensitivePLSA(
        **{"n_components": TOPICS, "random_state": 0, "n_threads": 1, **options, **changed}
    )


LEARNERS = {
    "ts": Learner("topic-sensitive PLSA", lambda: plsa.TopicSensitivePLSA(random_state=0, n_threads=1)),
    "linked": Learner("linked model alone, 6 topics", lambda: linked(LINKED), True),
    "printed": Learner("as printed, 6 topics", lambda: linked(PRINTED), True),
    "wlr": Learner("weighted logistic regression", lambda: plsa.WeightedLogisticRegression(random_state=0)),
    "spy": Learner("Spy-EM", lambda: plsa.SpyEM(random_state=0, n_threads=1)),
    "pebl": Learner("PEBL", plsa.PEBL),
    "roc": Learner("Roc-SVM", plsa.RocchioSVM),
    "mpc": Learner("MPC-KMeans, 6 clusters", lambda: plsa.MPCKMeans(TOPICS, random_state=0)),
    "pebl-published": Learner("PEBL as published", lambda: plsa.PEBL(1.0, False)),
    "roc-published": Learner("Roc-SVM as published", lambda: plsa.RocchioSVM(1.0, False)),
    "mpc-published": Learner(
        "MPC-KMeans as published", lambda: plsa.MPCKMeans(TOPICS, average_links=False, random_state=0)
    ),
}
RIVALS = ("wlr", "spy", "pebl", "roc", "mpc")


def settings(learner: Learner) -> str:
    """What decides the result."""
    return " ".join(f"{learner.make()!r} topics={TOPICS} least={LEAST}".split())


def measured(learner: Learner, documents: PositiveSet) -> dict[str, Any]:
    """F1, seconds, area under the ROC curve, the curve and the links that hold, of a learner on a set."""
    began = perf_counter()
    model = learner.make().fit(documents.counts, documents.y)
    scores = model.decision_function(documents.counts)
    seconds = round(perf_counter() - began, 3)
    taken = scores > 0
    if learner.by_topic:
        taken = np.isin(model.doc_topic_.argmax(axis=1), model.positive_topics_)
    truth, asked = documents.truth[~documents.known], scores[~documents.known]
    false, true, _ = roc_curve(truth, asked)
    facts: dict[str, Any] = {
        "f1": documents.f1(taken),
        "seconds": seconds,
        "area": float(roc_auc_score(truth, asked)),
        "curve": np.interp(SHARES, false, true).round(4).tolist(),
    }
    for share in ("must_link_satisfied_", "cannot_link_satisfied_"):
        value = getattr(model, share, float("nan"))
        facts[share.removesuffix("_")] = None if np.isnan(value) else value
    return facts
