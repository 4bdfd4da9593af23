"""The wide protocol: the defaults on corpora of many kinds, beside simple rivals

One setting for all: `SoftMislabelingPLSA()` as it is, on sixteen corpora that range from titles of five words
to web pages, from 2 to 108 classes, from equal classes to very unequal ones, in English, German and Chinese.
It is no blind test: constants of the defaults were set on other splits of these corpora, and scores on these
splits were seen meanwhile.

* **Documents.** Texts are as they come, but for e-mail addresses in 20 Newsgroups and the markup of WebKB.
  Each has one label: of Reuters and of the questions about cryptography only documents with a single topic
  are taken, and only topics that 10, or 15, of these have. Of equal texts the first is kept, none where they
  have different labels. Enron spam and arXiv are samples of 15,000 and 20,000. Words are counted as
  `text_classifier` counts them: two or more letters or digits in lower case, of Chinese single signs and
  pairs; none that stands in more than half of the documents; no stop words, no stemming.
* **Splits.** Three, drawn at random: four fifths of each class for training, the rest for the test. The
  labeled documents are the first of the training part in random order, as many as the ratio says, but at
  least one for each class; all others are given without their label.
* **Rivals.** On the same counts: naive Bayes and complement naive Bayes (both with alpha = 0.1); on sublinear
  TF-IDF of unit length, with the idf of the whole training part: logistic regression (C = 10) with balanced
  classes, linear SVM (C = 1) with and without balanced classes, the nearest centroid by the cosine, and label
  spreading over the 20 nearest neighbors by the cosine in 100 dimensions of LSA, which takes the unlabeled
  documents too and has no sense where all are labeled.
* **Best rival of a cell**: the one of the seven with the highest mean over the three splits on the test
  documents of this corpus at this ratio. Nobody could have known it beforehand: to equal it everywhere is
  more than any one of them does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.shared import cells, draw, numbers, report
from bench.shared.cells import Cell, Measured
from bench.wide import fits
from bench.wide.documents import CORPORA, RATIOS
from bench.wide.gains import ENOUGH, Gain, Gains, Means, left_out
from bench.wide.learners import CANDIDATES, LEARNERS, MAIN, RIVALS, SHORT, TEXTS

NAME = "protocol"
CELLS = fits
_PERCENTS = tuple(map(numbers.percent, RATIOS))
_TICKS = (1, 3, 10, 30, 100, 300, 1000, 3000)  # labels a class


def wanted(options: argparse.Namespace) -> Iterator[Cell]:
    """The cells of the tables; of long texts `text_classifier` counts words alone, as the model does here."""
    return (each for each in fits.cells(LEARNERS) if each.learner not in TEXTS or each.task in SHORT)


def tell(measured: Measured, folder: Path) -> list[str]:
    """The report."""
    means = Means(measured.results)
    candidates = {name: gains for name in CANDIDATES if (gains := means.gains(name))}
    ours = candidates.get(MAIN, {})
    _draw(ours, folder / f"{NAME}.png")
    return [
        "## Accuracy in percent (and points above the best rival of the cell)",
        _accuracies(means, ours),
        f"*Words*: the mean of a document. *Italics*: fewer than {ENOUGH} labels a class. "
        "*Of*: how many corpora. *From texts*: with `text_classifier()`, which counts pieces of words too, "
        "where texts are short; the rivals have words. " + _summary(ours),
        f"![Gain over the best rival against the labels a class has]({NAME}.png)",
        "Thin: a corpus. Bold: the mean of these lines, at every tick that at least half of them pass over.",
        *_texts(means),
        *_left_out(means, candidates),
        "## All learners: mean accuracy over the corpora",
        _learners(means),
        "## Log-loss: ours / best rival with probabilities",
        _probabilities(means, "log_loss", 1.0, 2),
        "## Expected calibration error, %: ours / best rival with probabilities",
        _probabilities(means, "calibration_error", 100.0, 1),
        "The best rival is chosen for each table, corpus and ratio by the measure of the table: a rival may "
        "be calibrated well that knows little.",
    ]


def _row(gains: Gains, corpus: str) -> list[str]:
    """A corpus: accuracy and gain by ratio, in italics where there are not enough labels for a class."""
    row = []
    for ratio in RATIOS:
        found = gains.get((corpus, ratio))
        text = f"{found.ours:.1f} ({found.gain:+.1f})" if found else "-"
        row.append(f"*{text}*" if found and found.labels_per_class < ENOUGH else text)
    return row


def _accuracies(means: Means, gains: Gains) -> str:
    """A row a corpus, and what they come to."""
    rows = []
    for corpus, source in CORPORA.items():
        size = means.size(corpus)
        facts = (
            [f"{size['documents']:,}", f"{size['classes']}", f"{size['words']:.0f}"] if size else ["-"] * 3
        )
        rows.append([source.title, *facts, *_row(gains, corpus)])
    rows += [[title, "", "", "", *row] for title, row in _bottom(gains)]
    from_texts = _bottom(gains | means.gains("text"))
    rows.append(["**mean gain from texts**", "", "", "", *from_texts[0][1]])
    return report.table(["", "documents", "classes", "words", *_PERCENTS], rows)


def _bottom(gains: Gains) -> list[tuple[str, list[str]]]:
    """The mean and worst gain of every ratio."""
    by_ratio = [{key: each for key, each in gains.items() if key[1] == ratio} for ratio in RATIOS]
    return [
        ("**mean gain**", [_mean(found.values()) for found in by_ratio]),
        (
            f"**mean gain, {ENOUGH} labels a class or more**",
            [_mean(_enough(found).values()) for found in by_ratio],
        ),
        ("**worst of these**", [_worst(_enough(found)) for found in by_ratio]),
    ]


def _enough(gains: Gains) -> Gains:
    """Those of cells where there are enough labels for a class."""
    return {key: each for key, each in gains.items() if each.labels_per_class >= ENOUGH}


def _mean(gains: Sequence[Gain]) -> str:
    """The mean gain, and of how many."""
    each = [found.gain for found in gains]
    return f"{np.mean(each):+.1f} of {len(each)}" if each else "-"


def _worst(gains: Gains) -> str:
    """The least gain and where it is."""
    if not gains:
        return "-"
    corpus, ratio = min(gains, key=lambda key: gains[key].gain)
    return f"{gains[corpus, ratio].gain:+.1f} {corpus}"


def _summary(gains: Gains) -> str:
    """All ratios in one sentence."""
    enough = _enough(gains)
    if not enough:
        return ""
    worst = min(enough, key=lambda key: enough[key].gain)
    below = sum(each.gain < 0 for each in enough.values())
    return (
        f"Mean gain over all cells: {_mean(gains.values())}. With {ENOUGH} labels a class or more: "
        f"{_mean(enough.values())}, {below} of them below zero; the worst is {CORPORA[worst[0]].title} at "
        f"{numbers.percent(worst[1])}, {enough[worst].gain:+.1f}."
    )


def _texts(means: Means) -> list[str]:
    """What pipelines from texts have where these are short, beside the same model on counts of words."""
    short = [corpus for corpus in SHORT if means.mean(corpus, RATIOS[1], "text") is not None]
    own = [_short_row(CORPORA[each].title, means, [each], "text") for each in short]
    if not own:
        return []
    others = [_short_row(f"**{learner.title}**: mean", means, short, name) for name, learner in TEXTS.items()]
    return [
        "## Short texts: accuracy of `text_classifier()` (and points above the model on counts of words)",
        report.table(["", *_PERCENTS], [*own, *others]),
        "Where texts are short, it counts pieces of words too, four characters each. The last rows have what "
        "it might count instead: the mean over the corpora above.",
    ]


def _short_row(title: str, means: Means, corpora: Sequence[str], name: str) -> list[str]:
    """The mean accuracy of a learner and its gain over the main one; what was not measured is left out."""
    row = [title]
    for ratio in RATIOS:
        pairs = [(means.mean(each, ratio, name), means.mean(each, ratio, MAIN)) for each in corpora]
        whole = [(text, words) for text, words in pairs if text is not None and words is not None]
        text, words = np.mean(whole, axis=0) if len(whole) == len(pairs) else (None, None)
        row.append("-" if text is None else f"{text:.1f} ({text - words:+.1f})")
    return row


def _left_out(means: Means, candidates: dict[str, Gains]) -> list[str]:
    """What the settings reach that are chosen for each corpus on all others, where there is a choice."""
    if len(candidates) < 2:
        return []
    chosen = left_out(candidates)
    gains = {
        (corpus, ratio): each
        for corpus, name in chosen.items()
        for (of, ratio), each in candidates[name].items()
        if of == corpus
    }
    rows = [[CORPORA[each].title, chosen[each], *_row(gains, each)] for each in CORPORA if each in chosen]
    rows += [[title, "", *row] for title, row in _bottom(gains)]
    rows += [[f"always {name}, mean gain", "", *_bottom(of)[0][1]] for name, of in candidates.items()]
    return [
        "## One corpus left out: its setting is the one with the highest mean gain on all others",
        report.table(["", "chosen", *_PERCENTS], rows),
        _summary(gains),
    ]


def _learners(means: Means) -> str:
    """A row a learner: the mean over the corpora that all were measured on, and how often a rival is best."""
    columns = [_over_corpora(means, ratio) for ratio in RATIOS]
    best = [_best_rivals(means, ratio) for ratio in RATIOS]
    rows = [
        [learner.title]
        + [
            numbers.shown(column.get(name))
            + (f" ({of.count(name)})" if name in RIVALS and name in column else "")
            for (column, _), of in zip(columns, best, strict=True)
        ]
        for name, learner in LEARNERS.items()
        if name not in TEXTS
    ]
    rows.append(["corpora", *(str(n) for _, n in columns)])
    return report.table(["(how often the best rival)", *_PERCENTS], rows)


def _over_corpora(means: Means, ratio: float) -> tuple[dict[str, float], int]:
    """Mean accuracies over the corpora of the main setting and the rivals, and how many these are.

    Another learner is left out that was measured on fewer.
    """
    column, n = means.over_corpora(ratio, (MAIN, *RIVALS))
    for name in LEARNERS:
        more, m = means.over_corpora(ratio, {MAIN, *RIVALS, name})
        if m == n and name in more:
            column[name] = more[name]
    return column, n


def _best_rivals(means: Means, ratio: float) -> list[str]:
    """The best rival of every corpus."""
    found = []
    for corpus in CORPORA:
        of = {name: mean for name in RIVALS if (mean := means.mean(corpus, ratio, name)) is not None}
        found += [max(of, key=of.__getitem__)] if of else []
    return found


def _probabilities(means: Means, what: str, scale: float, digits: int) -> str:
    """A row a corpus: ours and the best rival by ratio."""
    gains = means.gains(MAIN, what, scale, lower=True)

    def shown(found: Sequence[Gain | None]) -> list[str]:
        return [
            "-" if each is None else f"{each.ours:.{digits}f} / {each.rival:.{digits}f}" for each in found
        ]

    rows = [
        [source.title, *shown([gains.get((corpus, ratio)) for ratio in RATIOS])]
        for corpus, source in CORPORA.items()
    ]
    whole = [[each for key, each in gains.items() if key[1] == ratio] for ratio in RATIOS]
    mean = [Gain(*np.mean(found, axis=0)) if found else None for found in whole]
    return report.table(["", *_PERCENTS], [*rows, ["**mean**", *shown(mean)]])


def _draw(gains: Gains, path: Path) -> None:
    """Gain against labels a class: a thin line a corpus, the mean bold."""
    made, (axes,) = draw.figure(11, 7)
    lines = {
        corpus: np.array(
            [(each.labels_per_class, each.gain) for key, each in gains.items() if key[0] == corpus]
        )
        for corpus in CORPORA
    }
    lines = {corpus: points for corpus, points in lines.items() if len(points)}
    axes.axhline(0, color=draw.INK, linewidth=1.2)
    ends = []
    for place, (corpus, points) in enumerate(lines.items()):
        color = draw.COLORS[place % len(draw.COLORS)]
        axes.plot(*points.T, color=color, linewidth=0.9, marker="o", markersize=2.5, alpha=0.8)
        ends.append((CORPORA[corpus].title, color, *points[-1]))
    middle = _middle(list(lines.values()))
    if len(middle):
        axes.plot(*middle.T, color=draw.OURS, linewidth=3, zorder=5)
        axes.annotate(
            "mean", middle[len(middle) // 2], xytext=(0, 8), textcoords="offset points", color=draw.OURS
        )
    draw.log_labels(axes, _TICKS, 0.9, 8000)
    axes.set_xlabel("labels a class")
    axes.set_ylabel("points of accuracy above the best of seven rivals")
    draw.label_ends(axes, ends, 0.045)
    draw.save_figure(made, path)


def _middle(lines: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of lines at every tick that at least half of them pass over."""
    places = np.array(_TICKS)
    heights = np.array(
        [
            np.interp(np.log(places), np.log(points[:, 0]), points[:, 1], left=np.nan, right=np.nan)
            for points in lines
        ]
    ).reshape(len(lines), len(places))
    there = np.isfinite(heights).sum(axis=0) >= max(1, len(lines) / 2)
    return np.column_stack([places[there], np.nanmean(heights[:, there], axis=0)])


if __name__ == "__main__":
    cells.main(__spec__.name)
