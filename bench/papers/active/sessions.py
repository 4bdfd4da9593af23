"""Sessions of active learning on pools: who asks, who judges, and the curves that come of it.

A learner is a strategy of ours, another library's active learner, the paper's SVM, or the bound: all labels.
The questions of ours are chosen by quick models; what is known after some of them is judged by the estimators
of the pool's experiment, fitted anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import LinearSVC

import plsa
from bench.papers.active import peers
from bench.papers.active.pools import Pool
from bench.papers.aspects.learners import PAPERS

MODELS = {
    "soft": plsa.SoftMislabelingPLSA(random_state=0, n_threads=1),
    "hard": plsa.HardMislabelingPLSA(random_state=0, n_threads=1),
    "fake": plsa.FakeLabelPLSA(random_state=0, n_threads=1),
}
TITLES = {"soft": "mislabeling, soft", "hard": "mislabeling, hard", "fake": "fake label"}
# The paper's own model: raw counts, one component per class, a quarter of a percent of the fake label's
# probability to each class; the entropy of P(c|d), and a fit after every answer.
PRINTED = plsa.FakeLabelPLSA(
    topics_per_class=1, fake_weight=0.0025, random_state=0, n_threads=1, **PAPERS["fake"]
)
_PRINTED_STRATEGIES = {"printed, active": "topic entropy", "printed, random": "random"}


def settings(learner: str, judges: Sequence[str], marks: Sequence[int], batch: int) -> str:
    """What decides a curve, as text."""
    at = f"marks {list(marks)}, batch {batch}"
    if learner in peers.NAMES:
        return f"C={peers.C}, intercept={peers.INTERCEPT}, {at}"
    if learner == "SVM":
        return f"LinearSVC, {at}"
    if learner in _PRINTED_STRATEGIES:
        return " ".join(repr(PRINTED).split()) + f", {at}"
    return ", ".join(" ".join(repr(MODELS[judge]).split()) for judge in judges) + f", {at}"


def played(
    learner: str, pool: Pool, judges: Sequence[str], marks: Sequence[int], trial: int, batch: int = 1
) -> dict[str, Any]:
    """The accuracy at the end and the curve, of each judge where there are several."""
    if learner in peers.NAMES:
        curve = peers.curve(learner, pool, marks, trial)
        return {"accuracy": curve[-1], "curves": {"peer": curve}, "peers": peers.versions()}
    if learner == "SVM":
        curve = peers.svm_curve(pool, marks, trial)
        return {"accuracy": curve[-1], "curves": {"svm": curve}}
    if learner == "all labels":
        found = {judge: _score(clone(MODELS[judge]).fit(pool.counts, pool.y), pool) for judge in judges}
        found["svm"] = _score(LinearSVC(random_state=trial).fit(*_weighted(pool)), pool, weighted=True)
        return {"accuracy": found[judges[0]], "bounds": found}
    if learner in _PRINTED_STRATEGIES:
        return _session(
            _PRINTED_STRATEGIES[learner], pool, {"fake": PRINTED}, marks, trial, batch, quick=False
        )
    return _session(
        learner, pool, {judge: MODELS[judge] for judge in judges}, marks, trial, batch, quick=True
    )


def _session(
    strategy: str,
    pool: Pool,
    judges: dict[str, Any],
    marks: Sequence[int],
    trial: int,
    batch: int,
    *,
    quick: bool,
) -> dict[str, Any]:
    first = next(iter(judges.values()))
    known = np.full(len(pool.y), -1)
    known[pool.initial] = pool.y[pool.initial]
    learner = plsa.ActiveLearner(
        first, pool.counts, known, strategy, batch_size=batch, quick=quick, random_state=trial
    )
    curves: dict[str, list[float]] = {judge: [] for judge in judges}
    answered = 0
    while True:
        if answered in marks:
            now = np.array([-1 if label is None else label for label in learner.labels_])
            met = np.unique(now[now >= 0])
            for judge, model in judges.items():
                if len(met) < 2:  # all are taken for the one that is known
                    curves[judge].append(float(np.isin(pool.test_y, met).mean()))
                    continue
                fitted = (
                    learner.estimator_ if model is first and not quick else clone(model).fit(pool.counts, now)
                )
                curves[judge].append(_score(fitted, pool))
        if answered >= max(marks):
            break
        asked = learner.query()
        learner.tell(asked, pool.y[asked])
        answered += len(asked)
    return {"accuracy": next(iter(curves.values()))[-1], "curves": curves}


def _score(model: Any, pool: Pool, *, weighted: bool = False) -> float:
    counts = peers.tfidf(pool)[1] if weighted else pool.test_counts
    return float(np.mean(model.predict(counts) == pool.test_y))


def _weighted(pool: Pool) -> tuple[Any, Any]:
    return peers.tfidf(pool)[0], pool.y
