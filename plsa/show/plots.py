"""Pictures of models and of results. Each takes what it is of, and `ax`, the axes of matplotlib to draw on.

With `ax=None` a figure is made for it; either way the axes are returned, and no screen is needed. Where there
is more than fits, the largest are drawn, and the picture says so. Colors are told apart by all eyes, and what
colors say, shapes, hatches or figures say too.

Of a model: `top_words`, `class_topics`, `class_sizes`, `mislabeling`, `objective`. Of a model and documents:
`documents`, `confusion`, `calibration`. Of a result: `learning_curves` of `simulate`, `accuracies` of
`compare`, `positive_curves` of `compare_pu`, `topic_scores` of `select_topics`, `session` of what an
`ActiveLearner` said of itself.

Examples
--------
>>> import plsa
>>> texts = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
>>> labels = ["food", None, None, "sport", None, None]
>>> model = plsa.text_classifier(random_state=0).fit(texts, labels)
>>> ax = plsa.plots.class_sizes(model, y=labels)
>>> [label.get_text() for label in ax.get_yticklabels()]
['food', 'sport']
>>> ax.figure.savefig("sizes.png")  # doctest: +SKIP
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats
from sklearn.utils.validation import _num_samples, check_is_fitted

from plsa import inputs
from plsa.engine.parameters import Floats, Places
from plsa.estimators.documents import last_step, without_steps
from plsa.estimators.validation import read_labels
from plsa.labels.reading import UNLABELED, Labels
from plsa.show import words
from plsa.show.drawing import (
    COLORS,
    MUTED,
    PALE,
    bare,
    check_axes,
    finished,
    fitting,
    kind,
    largest,
    legend,
    note,
    shares,
    tall,
)
from plsa.show.maps import NAMES, check_places, placed, some
from plsa.show.pictures import accuracies, learning_curves, positive_curves, session, topic_scores

__all__ = [
    "accuracies",
    "calibration",
    "class_sizes",
    "class_topics",
    "confusion",
    "documents",
    "learning_curves",
    "mislabeling",
    "objective",
    "positive_curves",
    "session",
    "top_words",
    "topic_scores",
]

_COLUMNS = 3  # of panels side by side


def __dir__() -> list[str]:
    """What is public."""
    return __all__


def top_words(
    model: Any, vocabulary: Any = None, n: int = 8, *, by: str = "ratio", limit: int = 12, ax: Any = None
) -> Any:
    """The words that say most about each topic, as bars as long as their scores: see `plsa.top_words`.

    A panel is a topic, with its class if it has one, and its share of the documents of the fit; bars of
    different panels are not on one scale. The panels are `child_axes` of the axes that are returned.

    Parameters
    ----------
    model, vocabulary, n, by
        As for `plsa.top_words`.
    limit : int, default=12
        At most so many topics are drawn, the largest, in their order.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import PLSA, plots
    >>> from plsa.datasets import planted_corpus
    >>> model = PLSA(3, random_state=0).fit(planted_corpus(50, 30, 3, random_state=0).counts)
    >>> [len(panel.patches) for panel in plots.top_words(model, n=4).child_axes]
    [4, 4, 4]
    """
    limit = inputs.check_whole(limit, "limit", 1)
    found = words.top_words(model, vocabulary, n, by=by)
    sizes = [topic.share or 0.0 for topic in found]
    drawn = [found[place] for place in largest(sizes, limit)]
    several = len({topic.label for topic in found}) < len(found)  # topics of a class
    n_columns = min(_COLUMNS, len(drawn))
    n_rows = -(-len(drawn) // n_columns)
    ax = check_axes(ax, 2.9 * n_columns if n_columns > 1 else 4, n_rows * (0.6 + 0.17 * n))
    ax.set_axis_off()
    if len(drawn) < len(found):
        which = "largest" if any(sizes) else "first"
        note(ax, f"the {which} {len(drawn)} of {len(found)} topics")
    names = iter(fitting([word for topic in drawn for word in topic.words], 18))
    titles = fitting([topic.name for topic in drawn], 12 if several else 22)
    head, foot = 0.3 / (0.6 + 0.17 * n), 0.1 / (0.6 + 0.17 * n)  # of a panel's height
    for place, (topic, title) in enumerate(zip(drawn, titles, strict=True)):
        row, column = divmod(place, n_columns)
        corner = (column + 0.42) / n_columns, 1 - (row + 1 - foot) / n_rows
        panel = ax.inset_axes((*corner, 0.55 / n_columns, (1 - head - foot) / n_rows))
        rows = range(len(topic))
        panel.barh(rows, topic.scores, height=0.75, color=COLORS[0])
        panel.set_yticks(rows, [next(names) for _ in rows], fontsize="small")
        panel.set_ylim(n - 0.5, -0.5)
        panel.set_xlim(left=0)
        panel.set_xticks([])
        panel.tick_params(length=0)
        panel.spines[["top", "right", "bottom"]].set_visible(False)
        if topic.label is not None and several:
            title += f", topic {topic.topic}"
        if topic.share is not None:
            title += f" ({topic.share:.0%})"
        # Over the words too, which stand to the left of the bars.
        panel.set_title(title, fontsize="medium", loc="left", x=-0.7)
        if not len(topic):
            panel.text(0, n / 2, "no word speaks for it", fontsize="small", color=MUTED)
    return finished(ax)


def class_topics(model: Any, X: Any = None, y: Any = None, *, limit: int = 20, ax: Any = None) -> Any:
    """Which class each topic is of: P(y|z), classes by topics; columns sum to one.

    Without y it is the model's own, `label_topic_`, with a row "no label" where that is a label too
    (`FakeLabelPLSA`). With labels y it is what they say of the topics of any model: the sum of P(z|d) over
    the documents of a class, divided by that over all that are labeled.

    Parameters
    ----------
    model : fitted estimator with topics, or a Pipeline that ends in one
    X : documents, default=None
        None: those of the fit, whose P(z|d) the model keeps.
    y : their labels, some of which may be missing, default=None
        Needed where the model has no classes, such as `PLSA`.
    limit : int, default=20
        At most so many classes are drawn, the largest, and those topics that are theirs most of all.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import PLSAClassifier, plots
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(80, 30, 4, n_classes=2, random_state=0)
    >>> model = PLSAClassifier(topics_per_class=2, random_state=0).fit(corpus.counts, corpus.target)
    >>> plots.class_topics(model).images[0].get_array().shape
    (2, 4)
    """
    limit = inputs.check_whole(limit, "limit", 1)
    last = _fitted(model, "class_topics")
    if y is not None:
        doc_topic, labels = _topics_and_labels(model, X, y, "class_topics")
        assert labels is not None
        used = labels.one_hot().T @ doc_topic[labels.labeled]
        total, size = used.sum(axis=0), used.sum(axis=1)
        table = np.divide(used, total, out=np.zeros_like(used), where=total > 0)
        classes = labels.classes.tolist()
    elif hasattr(last, "label_topic_"):
        table, classes = np.asarray(last.label_topic_, dtype=np.float64), _classes(last, "class_topics")
        size = table @ np.asarray(last.doc_topic_, dtype=np.float64).mean(axis=0)
    else:
        found = f"{type(last).__name__} has no P(y|z), label_topic_"
        raise ValueError(f"class_topics needs to know whose topics are: {found}. Pass y.")
    chosen = largest(size, limit)
    topics = np.flatnonzero(np.isin(table.argmax(axis=0), chosen))
    rows, shown = [classes[place] for place in chosen], table[np.ix_(chosen, topics)]
    if y is None and np.any(getattr(last, "fake_topic_", 0)):
        rows, shown = [*rows, "no label"], np.vstack([shown, last.fake_topic_[topics]])
    said = []
    if len(chosen) < len(classes):
        theirs = f"their {len(topics)} of {table.shape[1]} topics"
        said = [f"the largest {len(chosen)} of {len(classes)} classes and {theirs}"]
    ax = check_axes(ax, min(max(4.5, 3 + 0.28 * len(topics)), 9), tall(1.6, len(rows)))
    shares(ax, shown, fitting(rows), [str(topic) for topic in topics], "P(class | topic)", said)
    ax.set_xlabel("topic")
    return finished(ax)


def class_sizes(model: Any, X: Any = None, y: Any = None, *, limit: int = 25, ax: Any = None) -> Any:
    """How many documents each class has: those with a label, and those that the model takes for it.

    Parameters
    ----------
    model : fitted classifier, or a Pipeline that ends in one
    X : documents, default=None
        None: those of the fit, of which the model keeps its guesses.
    y : their labels, some of which may be missing, default=None
        None: it is not told which documents had a label.
    limit : int, default=25
        At most so many classes are drawn, the largest.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import SoftMislabelingPLSA, plots
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(80, 30, 4, n_classes=2, random_state=0)
    >>> y = np.where(np.arange(80) < 20, corpus.target, -1)
    >>> model = SoftMislabelingPLSA(random_state=0).fit(corpus.counts, y)
    >>> ax = plots.class_sizes(model, y=y)
    >>> sum(int(bar.get_width()) for bar in ax.patches), [each.get_label() for each in ax.containers]
    (80, ['labeled', 'guessed'])
    """
    limit = inputs.check_whole(limit, "limit", 1)
    classes = _classes(_fitted(model, "class_sizes"), "class_sizes")
    labels = None if y is None else _read(last_step(model), y, _num_samples(y if X is None else X))
    labeled, guessed = _guesses(model, X, labels)
    names = sorted({*classes, *labeled, *guessed})
    counted = [Counter(labeled), Counter(guessed)]
    given, other = (np.array([each[name] for name in names]) for each in counted)
    order = np.argsort(-(given + other), kind="stable")
    rows, rest = order[:limit], order[limit:]
    shown, sizes = fitting([names[row] for row in rows]), np.array([given[rows], other[rows]])
    parts = [("labeled", COLORS[0], ""), ("guessed", PALE, "///")]
    if labels is None:
        parts = [parts[1]] if X is not None else [("labeled or guessed", COLORS[0], "")]
        sizes = sizes[1:]
    elif not other.any():
        parts, sizes = parts[:1], sizes[:1]
    ax = check_axes(ax, 7, 1.3 + 0.25 * len(shown))
    left = np.zeros(len(shown))
    for width, (what, color, hatch) in zip(sizes, parts, strict=True):
        bars = ax.barh(range(len(shown)), width, left=left, label=what, color=color, hatch=hatch, height=0.75)
        for bar in bars:
            bar.set_edgecolor(COLORS[0])
        left = left + width
    for row, (whole, each) in enumerate(zip(left, sizes.T, strict=True)):
        said = " + ".join(f"{int(part):,}" for part in each)
        ax.annotate(said, (whole, row), (4, 0), textcoords="offset points", va="center", fontsize="small")
    ax.set_yticks(range(len(shown)), shown)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, 1.15 * max(left.max(), 1))
    ax.tick_params(axis="y", length=0)
    bare(ax, grid="x")
    # Below the axis, where no bar is.
    where = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 2.0}
    ax.legend(**where, ncols=2, frameon=False, title="documents")
    if len(rest):
        others = int((given + other)[rest].sum())
        note(ax, f"the largest {len(rows)} of {len(names)} classes; the others have {others:,} documents")
    return finished(ax)


def mislabeling(model: Any, *, limit: int = 20, ax: Any = None) -> Any:
    """How often guesses are wrong, as the model believes: P(guess | true class), a row per true class.

    Parameters
    ----------
    model : fitted `SoftMislabelingPLSA` or `HardMislabelingPLSA`, or a Pipeline that ends in one
    limit : int, default=20
        At most so many classes are drawn, the largest; guesses of all others are one column.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from plsa import SoftMislabelingPLSA, plots
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(80, 30, 4, n_classes=2, random_state=0)
    >>> y = np.where(np.arange(80) < 20, corpus.target, -1)
    >>> model = SoftMislabelingPLSA(random_state=0).fit(corpus.counts, y)
    >>> plots.mislabeling(model).get_ylabel()
    'true class'
    """
    limit = inputs.check_whole(limit, "limit", 1)
    last = _fitted(model, "mislabeling")
    if not hasattr(last, "mislabeling_"):
        found = f"{type(last).__name__} has no mislabeling_"
        raise ValueError(f"mislabeling needs a fitted SoftMislabelingPLSA or HardMislabelingPLSA; {found}.")
    classes = _classes(last, "mislabeling")
    table = np.asarray(last.mislabeling_, dtype=np.float64).T
    columns = list(classes)
    if np.any(last.not_sure_):
        table, columns = np.column_stack([table, last.not_sure_]), [*columns, "not sure"]
    sizes = last.transduction_.sum(axis=0)
    return _crossed(ax, table, classes, columns, sizes, limit, "guess", "P(guess | true class)")


def confusion(model: Any, X: Any, y: Any, *, limit: int = 20, ax: Any = None) -> Any:
    """What documents of each class are taken for, in percent of the class; rows sum to one.

    Parameters
    ----------
    model : fitted classifier, or a Pipeline that ends in one
    X : documents that the model has not learned from
    y : their labels, some of which may be missing
    limit : int, default=20
        At most so many classes are drawn, those with most documents; what is taken for others is one column.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import PLSAClassifier, plots
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(80, 30, 4, n_classes=2, random_state=0)
    >>> X, y = corpus.counts, corpus.target
    >>> ax = plots.confusion(PLSAClassifier(random_state=0).fit(X[:40], y[:40]), X[40:], y[40:])
    >>> ax.images[0].get_array().sum(axis=1).tolist()
    [1.0, 1.0]
    """
    limit = inputs.check_whole(limit, "limit", 1)
    last = _fitted(model, "confusion")
    known = _classes(last, "confusion")
    labels = _read(last, y, _num_samples(X))
    guess = np.asarray(model.predict(X))[labels.labeled].tolist()
    truth = labels.classes[labels.code[labels.labeled]].tolist()
    classes = sorted({*known, *truth})
    place = {name: row for row, name in enumerate(classes)}
    counts = np.zeros((len(classes), len(classes)))
    np.add.at(counts, ([place[name] for name in truth], [place[name] for name in guess]), 1)
    sizes = counts.sum(axis=1)
    table = np.divide(counts, sizes[:, np.newaxis], out=np.zeros_like(counts), where=sizes[:, np.newaxis] > 0)
    said = [f"{np.trace(counts) / sizes.sum():.1%} of {int(sizes.sum()):,} documents are right"]
    return _crossed(ax, table, classes, classes, sizes, limit, "predicted class", "P(predicted | true)", said)


def _crossed(
    ax: Any,
    table: Floats,
    rows: list[Any],
    columns: list[Any],
    sizes: Any,
    limit: int,
    across: str,
    what: str,
    said: Sequence[str] = (),
) -> Any:
    """True classes by what they are taken for: the largest, and one column for all others."""
    chosen = largest(sizes, limit)
    kept = [*chosen.tolist(), *range(len(rows), len(columns))]
    shown, names = table[np.ix_(chosen, kept)], fitting([columns[place] for place in kept])
    n_others = len(rows) - len(chosen)
    if n_others:
        rest = table[chosen].sum(axis=1) - shown.sum(axis=1)
        shown, names = np.column_stack([shown, np.maximum(rest, 0)]), [*names, "others"]
        said = [*said, f"the largest {len(chosen)} of {len(rows)} classes"]
    side = len(names)
    ax = check_axes(ax, max(min(4 + 0.28 * side, 8.5), 0.145 * side), tall(2.6, side))
    shares(ax, shown, fitting([rows[place] for place in chosen]), names, what, said)
    ax.set_xlabel(across)
    ax.set_ylabel("true class")
    return finished(ax)


def calibration(model: Any, X: Any, y: Any, *, n_bins: int = 10, ax: Any = None) -> Any:
    """Whether probabilities are what they say: of documents said to be right with 80%, are 80% right?

    Documents are put in bins by the probability of the class that they are taken for. A point is a bin: the
    mean of what is stated, the share that is right, and its 95% interval (Wilson's). Above is how many
    documents each bin has. What is stated is off by so much on average: the mean over the documents of the
    distance of their bin's point from the diagonal.

    Parameters
    ----------
    model : fitted classifier with predict_proba, or a Pipeline that ends in one
    X : documents that the model has not learned from
    y : their labels, some of which may be missing
    n_bins : int, default=10
        Bins of equal width from 0 to 1.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import PLSAClassifier, plots
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(80, 30, 4, n_classes=2, random_state=0)
    >>> X, y = corpus.counts, corpus.target
    >>> ax = plots.calibration(PLSAClassifier(random_state=0).fit(X[:40], y[:40]), X[40:], y[40:])
    >>> sum(int(bar.get_height()) for bar in ax.child_axes[0].patches)
    40
    """
    n_bins = inputs.check_whole(n_bins, "n_bins", 1)
    last = _fitted(model, "calibration")
    classes = _classes(last, "calibration")
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"calibration needs predict_proba; {type(last).__name__} has none.")
    labels = _read(last, y, _num_samples(X))
    chance = np.asarray(model.predict_proba(X), dtype=np.float64)[labels.labeled]
    truth = labels.classes[labels.code[labels.labeled]].tolist()
    stated = chance.max(axis=1)
    guess = [classes[place] for place in chance.argmax(axis=1)]
    right = np.array([a == b for a, b in zip(guess, truth, strict=True)])
    edges = np.linspace(0, 1, n_bins + 1)
    bin_of = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, n_bins - 1)
    size = np.bincount(bin_of, minlength=n_bins)
    full = np.flatnonzero(size)
    mean = np.bincount(bin_of, stated, n_bins)[full] / size[full]
    share = np.bincount(bin_of, right, n_bins)[full] / size[full]
    off = float(np.abs(mean - share) @ size[full] / size.sum())
    intervals = [
        stats.binomtest(round(r * n), int(n)).proportion_ci(method="wilson")
        for r, n in zip(share, size[full], strict=True)
    ]
    # Wilson's interval of a share of 0 or 1 ends there, up to rounding.
    low, high = (np.array([each[end] for each in intervals]) for end in (0, 1))
    error = np.maximum([share - low, high - share], 0)
    ax = check_axes(ax, 5, 5.2)
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle="--")
    ax.errorbar(mean, share, yerr=error, **kind(0), capsize=2, linewidth=1.2)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("probability that is stated")
    ax.set_ylabel("share that is right")
    bare(ax, grid="both")
    found = f"stated {stated.mean():.1%}, right {right.mean():.1%};\noff by {off:.1%} on average"
    ax.text(0.03, 0.97, found, transform=ax.transAxes, va="top")
    above = ax.inset_axes((0, 1.03, 1, 0.2), sharex=ax)
    above.bar(edges[:-1], size, width=np.diff(edges), align="edge", color=COLORS[5], edgecolor="white")
    above.tick_params(labelbottom=False)
    above.set_ylabel("documents")
    bare(above)
    return finished(ax)


def objective(model: Any, *, ax: Any = None) -> Any:
    """What EM climbed, pass by pass: `objective_trace_`, per stretch of passes where there are several.

    Stretches (`stretches_` of the semi-supervised models: the first fit, then one for every making of
    guesses) climb different objectives: each is drawn as what it gained since it began, and in none does that
    fall. What it has gained in the end stands in the legend.

    Parameters
    ----------
    model : fitted estimator with `objective_trace_`, or a Pipeline that ends in one
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import PLSA, plots
    >>> from plsa.datasets import planted_corpus
    >>> model = PLSA(3, max_iter=20, tol=0, random_state=0)
    >>> ax = plots.objective(model.fit(planted_corpus(50, 30, 3, random_state=0).counts))
    >>> len(ax.lines[0].get_xdata()) == len(model.objective_trace_) == 21
    True
    """
    last = _fitted(model, "objective")
    if not hasattr(last, "objective_trace_"):
        found = f"{type(last).__name__} has no objective_trace_"
        raise ValueError(f"objective needs a model that EM has fitted; {found}.")
    trace = np.asarray(last.objective_trace_, dtype=np.float64)
    begins = [*np.asarray(getattr(last, "stretches_", [0])).tolist()] or [0]
    ends = [*begins[1:], len(trace)]
    ax = check_axes(ax, 6.5, 3.8)
    several = len(begins) > 1
    for place, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        part = trace[begin:end]
        if not len(part):
            continue
        gained = part - part[0] if several else part
        rise = part[-1] - part[0]
        what = f"{f'guesses {place}' if place else 'first fit'}: +{rise:,.{0 if rise >= 100 else 2}f}"
        ax.plot(np.arange(begin, end), gained, **kind(place), markersize=4, linewidth=1.4, label=what)
        if place:
            ax.axvline(begin - 0.5, color=MUTED, linewidth=0.8, linestyle=":")
    ax.set_xlabel("pass")
    ax.set_ylabel("objective, gained in its stretch" if several else "objective")
    ax.yaxis.set_major_formatter("{x:,.0f}" if np.ptp(trace) > 10 else "{x:,.6g}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    bare(ax, grid="both")
    if several:
        ax.legend(fontsize="small")
    reason = getattr(last, "stop_reason_", None)
    note(ax, f"{type(last).__name__}: stopped after {last.n_iter_} passes ({reason})" if reason else "")
    return finished(ax)


def documents(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    method: Any = "tsne",
    limit: int = 10,
    random_state: int = 0,
    ax: Any = None,
) -> Any:
    """A map of documents: two dimensions of P(z|d), so that documents of the same topics lie side by side.

    Documents with a label are edged in black, those that the model takes for a class are lighter and smaller.
    Of a model without classes, a document is of its most probable topic, unless y says more.

    Parameters
    ----------
    model : fitted estimator with topics, or a Pipeline that ends in one
    X : documents, default=None
        None: those of the fit, as it has left them: their labels and guesses then have a say in where they
        are. Given, they are placed by their words alone.
    y : their labels, some of which may be missing, default=None
    method : {"tsne", "pca", "umap"} or (n_documents, 2) array, default="tsne"
        t-SNE keeps neighbors, and distances between groups mean little; "pca" is quick, and shows the two
        largest differences only; "umap" needs the package umap-learn. All of them work on the square roots of
        P(z|d), whose distance is Hellinger's. Or the places of documents, made elsewhere.
    limit : int, default=10
        At most so many classes, or topics, have a color, the largest; all others are gray.
    random_state : int, default=0
        Seed. Of more than 1000 documents so many are drawn at random, at most half of them labeled if
        others fill the rest, and the picture says so; places that are given are drawn all.
    ax : axes of matplotlib, default=None

    Examples
    --------
    >>> from plsa import PLSA, plots
    >>> from plsa.datasets import planted_corpus
    >>> model = PLSA(3, random_state=0).fit(planted_corpus(50, 30, 3, random_state=0).counts)
    >>> ax = plots.documents(model, method="pca")
    >>> sum(len(group.get_offsets()) for group in ax.collections)
    50
    """
    limit = inputs.check_whole(limit, "limit", 1)
    seed = inputs.check_whole(random_state, "random_state", 0)
    last = _fitted(model, "documents")
    topics, labels = _topics_and_labels(model, X, y, "documents")
    places = check_places(method, len(topics))
    given = np.zeros(len(topics), dtype=bool) if labels is None else labels.labeled
    names, group = _groups(model, X, topics, labels)
    drawn = np.arange(len(topics))
    if places is None:
        drawn = some(given, seed)
        places = placed(np.sqrt(topics[drawn]), method, seed)
    group, given = group[drawn], given[drawn]
    sizes = np.bincount(group[group >= 0], minlength=len(names))
    colored = largest(sizes, min(limit, np.count_nonzero(sizes)))
    gray, pale = {"color": "#bbbbbb", "marker": "o"}, 0.4 if given.any() else 0.75
    other = ~np.isin(group, colored)
    layers = [(other & ~given, gray, 0.6, "", 7), (other & given, gray, 1.0, "black", 22)]
    for place, at in enumerate(colored):
        layers.append(((group == at) & ~given, kind(place), pale, "", 14))
    for place, at in enumerate(colored):
        layers.append(((group == at) & given, kind(place), 1.0, "black", 34))
    ax = check_axes(ax, 8, 5.2)
    for mask, style, alpha, edge, size in layers:
        if mask.any():
            edges = {"edgecolors": edge, "linewidths": 0.7} if edge else {"linewidths": 0}
            ax.scatter(*places[mask].T, s=size, alpha=alpha, **style, **edges)
    keys = [
        (kind(place), 1.0 if given.any() else pale, "none", title)
        for place, title in enumerate(fitting(names[at] for at in colored))
    ]
    n_others = np.count_nonzero(sizes) - len(colored)
    if n_others:
        keys.append((gray, 1.0, "none", f"{n_others} others"))
    if (group < 0).any():
        keys.append((gray, 0.6, "none", "no label"))
    if given.any() and not given.all():
        plain = {"color": MUTED, "marker": "o"}
        keys += [(plain, 1.0, "black", "labeled"), (plain, pale, "none", "guessed")][: 1 + _has_classes(last)]
    legend(ax, keys, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"P(topic | document) {NAMES[method]}" if isinstance(method, str) else "")
    if len(drawn) < len(topics):
        note(ax, f"{len(drawn):,} of {len(topics):,} documents, drawn at random")
    return finished(ax)


# ---- what pictures ask of a model


def _fitted(model: Any, picture: str) -> Any:
    """The model itself, at the end of pipelines, which has been fitted."""
    last = last_step(model)
    if isinstance(last, type) or not hasattr(last, "fit"):
        raise ValueError(f"{picture} needs a fitted model, but was given {model!r:.80}.")
    check_is_fitted(last)
    return last


def _has_classes(last: Any) -> bool:
    return hasattr(last, "classes_")


def _classes(last: Any, picture: str) -> list[Any]:
    """The classes of a model, in order."""
    if not _has_classes(last):
        raise ValueError(f"{picture} needs a fitted classifier; {type(last).__name__} has no classes.")
    return np.asarray(last.classes_).tolist()


def _read(last: Any, y: Any, n_documents: int) -> Labels:
    """The labels of documents; what marks that there is none is as the model has it."""
    inputs.check_entries(y, "y", n_documents)
    labels = read_labels(y, n_documents, getattr(last, "unlabeled", UNLABELED), doubts=False)
    one = labels.classes.tolist()[0]
    for other in np.asarray(last.classes_).tolist()[:1] if _has_classes(last) else ():
        if isinstance(one, str) != isinstance(other, str):
            found = f"y holds {one!r}, but a class of the model is {other!r}"
            raise ValueError(f"{found}: make labels strings or numbers, as they were in the fit.")
    return labels


def _topics_and_labels(model: Any, X: Any, y: Any, picture: str) -> tuple[Floats, Labels | None]:
    """P(z|d) of documents and what labels they have.

    The documents of the fit are the labeled ones where the model has learned from these alone.
    """
    last = last_step(model)
    if not hasattr(last, "components_"):
        raise ValueError(f"{picture} needs a model with topics; {type(last).__name__} has none.")
    if X is not None:
        last, inside = without_steps(model, X)
        topics = last.transform(inside)
    elif hasattr(last, "doc_topic_"):
        topics = last.doc_topic_
    else:
        kept = f"{type(last).__name__} does not keep the topics of the documents of its fit"
        raise ValueError(f"{picture} needs X: {kept}.")
    topics = np.asarray(topics, dtype=np.float64)
    if y is None:
        return topics, None
    labels = _read(last, y, _num_samples(y))
    if X is None and len(labels.code) != len(topics) == np.count_nonzero(labels.labeled):
        return topics, labels.part(np.flatnonzero(labels.labeled))
    inputs.check_entries(y, "y", len(topics))
    return topics, labels


def _groups(model: Any, X: Any, topics: Floats, labels: Labels | None) -> tuple[list[Any], Places]:
    """The classes, or where there are none the topics, and which of them each document is of; -1: of none."""
    last = last_step(model)
    if _has_classes(last):
        classes = _classes(last, "")
        if X is not None:
            guesses = model.predict(X)
        elif len(getattr(last, "guesses_", ())) == len(topics):
            guesses = last.guesses_
        else:
            guesses = np.asarray(last.classes_)[(topics @ last.label_topic_.T).argmax(axis=1)]
        found = np.asarray(guesses).tolist()
    elif labels is None:
        return [f"topic {topic}" for topic in range(topics.shape[1])], topics.argmax(axis=1)
    else:
        classes, found = [], [None] * len(topics)
    if labels is not None:
        given = labels.classes.tolist()
        for at in np.flatnonzero(labels.labeled):
            found[at] = given[labels.code[at]]
    names = sorted({*classes, *found} - {None})
    place = {name: row for row, name in enumerate(names)} | {None: -1}
    return names, np.array([place[name] for name in found], dtype=np.intp)


def _guesses(model: Any, X: Any, labels: Labels | None) -> tuple[list[Any], list[Any]]:
    """The labels of documents that have one, and what the model says of the others."""
    last = last_step(model)
    if X is not None:
        said = np.asarray(model.predict(X))
    elif hasattr(last, "guesses_"):
        said = np.asarray(last.guesses_)
    elif labels is not None:
        said = np.empty(0)  # it has learned from labeled documents alone
    else:
        kept = f"{type(last).__name__} keeps no guesses of the documents of its fit"
        raise ValueError(f"class_sizes needs X or y: {kept}.")
    if labels is None:
        return [], said.tolist()
    if len(said):
        inputs.check_entries(labels.code, "y", len(said))
        said = said[~labels.labeled]
    return labels.classes[labels.code[labels.labeled]].tolist(), said.tolist()
