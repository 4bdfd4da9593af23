"""One wanted class, asked for: how much of it is found after some answers

The tasks of [wanted.md](wanted.md) in which less than 15% are wanted, 3,000 documents of each drawn anew in
every trial, one wanted document known at the start. Every answer is a yes or a no. Recall: the share of the
wanted documents that were asked for, in percent; nobody can have more than as many as there are answers ("at
most"). *plsa* is `ActiveLearner(TopicSensitivePLSA(), ...)` as it comes; *regression* is scikit-learn's
logistic regression on TF-IDF with balanced classes, the better of C = 1 and C = 100 in each task, which asks
for the document that it is surest of (certainty), and while nothing is known not to be wanted for the one
that is most like the first. How plsa asks was chosen on other draws of the tasks marked *.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

import plsa
from bench.shared import cells, draw, numbers, report
from bench.shared.cells import Cell, Measured
from bench.wide import wanted as tasks

NAME = "recall"
FILE = "recall.jsonl.gz"
MEASURE = "recall"
TRIALS_ARE = "draws"
TRIALS = 5
MARKS = (10, 25, 50, 100)
DOCUMENTS = 3_000
CHOSEN_ON = ("medicine", "oracle", "networking", "rsa", "projects", "crude oil")
_FREQUENT = ("ham", "praise", "clean tweets", "acquisitions", "offense")  # more than 15% are wanted
TASKS = tuple(name for name in tasks.TASKS if name not in _FREQUENT)
STRENGTHS = (1.0, 100.0)
LEARNERS = {"auto": "plsa", "random": "random", **{f"regression, C={c:g}": "regression" for c in STRENGTHS}}
_STREAM = 12


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """All learners on all draws of all tasks."""
    for trial in range(TRIALS):
        for task in TASKS:
            for learner in LEARNERS:
                yield Cell(NAME, task, "", learner, max(MARKS), trial)


def settings(cell: Cell) -> str:
    """What decides the result."""
    corpus, label, _ = tasks.TASKS[cell.task]
    return f"{cell.learner} {corpus} {label} documents={DOCUMENTS} marks {list(MARKS)}"


@lru_cache(maxsize=1)
def drawn(task: str, trial: int) -> tuple[scipy.sparse.csr_matrix, np.ndarray, int]:
    """Counts, which documents are wanted, and the one that is known."""
    whole = tasks.documents(task)
    rng = np.random.default_rng((trial, _STREAM))
    some = rng.permutation(len(whole.truth))[:DOCUMENTS]
    counts, truth = whole.counts[some], whole.truth[some].astype(int)
    counts = counts[:, np.bincount(counts.indices, minlength=counts.shape[1]) >= 2].tocsr()
    return counts, truth, int(rng.choice(np.flatnonzero(truth)))


def measure(cell: Cell) -> dict[str, Any]:
    """One session."""
    counts, truth, first = drawn(cell.task, cell.trial)
    asked = _asked(cell.learner, counts, truth, first, cell.trial)
    found = np.cumsum(truth[asked])
    n = int(truth.sum()) - 1
    curve = [float(found[mark - 1] / n) for mark in MARKS]
    return {"recall": curve[-1], "curve": curve, "most": [min(1.0, mark / n) for mark in MARKS]}


def _asked(learner: str, counts: Any, truth: np.ndarray, first: int, trial: int) -> list[int]:
    """The documents that a learner asks for, in their order."""
    if learner in ("auto", "random"):
        y = np.full(len(truth), -1)
        y[first] = 1
        model = plsa.TopicSensitivePLSA(random_state=0, n_threads=1)
        session = plsa.ActiveLearner(model, counts, y, learner, random_state=trial)
        asked: list[int] = []
        for _ in range(max(MARKS)):
            row = int(session.query()[0])
            session.tell(row, int(truth[row]))
            asked.append(row)
        return asked
    matrix = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    alike = (matrix @ matrix[[first]].T).toarray().ravel()
    known = [first]
    while len(known) <= max(MARKS):
        score = alike.copy()
        if not truth[known].all():
            strength = float(learner.rpartition("=")[2])
            model = LogisticRegression(C=strength, class_weight="balanced", max_iter=1000)
            score = model.fit(matrix[known], truth[known]).decision_function(matrix)
        score[known] = -np.inf
        known.append(int(score.argmax()))
    return known[1:]


# --- telling -------------------------------------------------------------------------------------


def _curves(measured: Measured, task: str, learner: str, what: str = "curve") -> np.ndarray:
    """(trials, marks): recall in percent."""
    found = measured.found(task=task, learner=learner)
    return 100 * np.array([each[what] for each in found]).reshape(-1, len(MARKS))


def _regression(measured: Measured, task: str) -> np.ndarray:
    """The better of the regressions after all answers."""
    several = [_curves(measured, task, f"regression, C={c:g}") for c in STRENGTHS]
    return max(several, key=lambda curves: curves[:, -1].mean() if len(curves) else -1.0)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    known = [task for task in TASKS if all(len(_curves(measured, task, each)) for each in LEARNERS)]
    if not known:
        return ["Nothing is measured yet."]
    rows, means = [], []
    for task in known:
        curves = [
            _curves(measured, task, "auto"),
            _regression(measured, task),
            _curves(measured, task, "random"),
        ]
        mean = np.array([each.mean(axis=0) for each in (*curves, _curves(measured, task, "auto", "most"))])
        means.append(mean)
        name = f"{tasks.TASKS[task].corpus}: {tasks.TASKS[task].wanted}{' *' if task in CHOSEN_ON else ''}"
        share = 100 * float(drawn_share(measured, task))
        spread = [numbers.spread(dict(enumerate(each[:, -1].tolist()))) for each in curves]
        early = [" / ".join(f"{each[place]:.0f}" for each in mean[:3]) for place in range(len(MARKS) - 1)]
        rows.append([name, f"{share:.1f}", *early, *spread, f"{mean[3, -1]:.0f}"])
    whole = np.mean(means, axis=0)
    early = [" / ".join(f"{each[place]:.0f}" for each in whole[:3]) for place in range(len(MARKS) - 1)]
    rows.append(
        ["**mean**", "", *early, *(f"**{each:.1f}**" for each in whole[:3, -1]), f"{whole[3, -1]:.0f}"]
    )
    _draw(whole, folder / "recall.png")
    last = np.array(means)[:, :, -1]
    twice = int((last[:, 0] >= 2 * last[:, 2]).sum())
    ahead = int((last[:, 0] > last[:, 1]).sum())
    targets = [
        [
            f"recall after {MARKS[-1]} answers, beside random",
            f"{whole[0, -1]:.1f} against {whole[2, -1]:.1f}; twice as much in {twice} of {len(known)} tasks",
            "twice random's",
            report.verdict(twice == len(known)),
        ],
        [
            "the same, beside logistic regression by certainty",
            f"{whole[0, -1]:.1f} against {whole[1, -1]:.1f}; ahead in {ahead} of {len(known)} tasks",
            "ahead",
            report.verdict(bool(whole[0, -1] > whole[1, -1])),
        ],
    ]
    head = ["", "% wanted", *(f"{mark}: plsa / regression / random" for mark in MARKS[:-1])]
    head += [f"{MARKS[-1]}: plsa", "regression", "random", "at most"]
    return [
        "## Figures to reach",
        report.table(["", "measured", "to reach", ""], targets),
        "## Recall, in percent",
        report.table(head, rows),
        "![Recall against answers](recall.png)",
    ]


def drawn_share(measured: Measured, task: str) -> float:
    """How frequent the wanted documents are, by what can be found at most."""
    most = measured.found(task=task, learner="auto")[0]["most"][0]
    return MARKS[0] / most / DOCUMENTS


def _draw(mean: np.ndarray, path: Path) -> None:
    """The mean over the tasks."""
    made, (panel,) = draw.figure(7, 4.6)
    looks = {
        "plsa": draw.OURS,
        "regression by certainty": draw.COLORS[0],
        "random": draw.INK,
        "at most": "gray",
    }
    for (name, color), curve in zip(looks.items(), mean, strict=True):
        style = ":" if name == "at most" else "--" if name == "random" else "-"
        panel.plot((0, *MARKS), (0, *curve), color=color, linestyle=style, label=name)
    panel.set_xlabel("answers")
    panel.set_ylabel("wanted documents found, %")
    panel.legend(loc="upper left")
    draw.save_figure(made, path)


if __name__ == "__main__":
    cells.main(__spec__.name)
