"""Documents that stand for the classes, or topics, of a model."""

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from plsa.engine.parameters import Floats, Mask, Places
from plsa.estimators.base import CountEstimator
from plsa.estimators.documents import reads_texts, steps_of
from plsa.estimators.positives import PositiveClassifier
from plsa.inputs import check_whole, counted
from plsa.show import rendering
from plsa.show.tables import cut

_EXCERPT = 200  # signs of a text


@dataclass(frozen=True, slots=True)
class Representative:
    """A document that stands for a class, or is near to another."""

    row: int  # of X
    probability: float | None  # P(class|document); None where the model says none
    other: Any  # the class that comes next; None where there is one class
    gap: float | None  # how far that is behind: in probability, or in decision values
    text: str | None  # how it begins, where documents are texts


@dataclass(frozen=True, slots=True)
class ClassDocuments:
    """The documents that stand for one class, or topic."""

    label: Any
    n_documents: int  # that are taken for it
    typical: tuple[Representative, ...]  # those that the model is surest of, first
    borderline: tuple[Representative, ...]  # those that the next class is nearest to, first


@dataclass(frozen=True, slots=True, repr=False)
class Representatives:
    """What `representatives` has found: a `ClassDocuments` for each class, in their order."""

    classes: tuple[ClassDocuments, ...]

    def __iter__(self) -> Iterator[ClassDocuments]:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)

    def __getitem__(self, label: Any) -> ClassDocuments:
        """The documents of one class."""
        for each in self.classes:
            if each.label == label:
                return each
        raise KeyError(f"{label!r} is none of {[each.label for each in self.classes]}.")

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries, lists, strings and numbers."""
        return asdict(self)

    def __repr__(self) -> str:
        lines = []
        for each in self.classes:
            lines += rendering.wrapped(f"{rendering.readable(each.label)}: {_said(each)}")
            for kind, some in (("typical", each.typical), ("borderline", each.borderline)):
                for one in some:
                    what = f"  {kind:10}  {rendering.readable(_measured(kind, one))}  row {one.row}"
                    text = "" if one.text is None else f": {rendering.readable(one.text)}"
                    lines.append(cut(what + text, rendering.WIDTH))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = []
        for each in self.classes:
            kinds = (("typical", each.typical), ("borderline", each.borderline))
            rows = [
                (f"{kind},\u00a0row\u00a0{one.row}", _measured(kind, one), one.text or "")
                for kind, some in kinds
                for one in some
            ]
            heading = f"<b>{rendering.escaped(each.label)}</b>: {_said(each)}"
            parts.append(f"<div>{heading}</div>{rendering.html_table([], rows)}")
        return "".join(parts)


def _said(each: ClassDocuments) -> str:
    return counted(each.n_documents, "document") if each.n_documents else "no document is taken for it"


def _measured(kind: str, one: Representative) -> str:
    """How typical a document is, or how near to which other class."""
    if one.probability is None:
        return "" if one.gap is None else f"ahead of {one.other} by {one.gap:.3g}"
    if one.gap is None or kind == "typical":
        return f"{one.probability:.1%}"
    return f"{one.probability:.1%}, {one.other} {max(0.0, one.probability - one.gap):.1%}"


def representatives(model: Any, X: Any, n: int = 3) -> Representatives:
    """For each class of a fitted model the documents that are typical of it, and those near to another.

    Parameters
    ----------
    model : fitted classifier, model of topics, or a Pipeline that ends in one
        Any classifier of this package, and others that have `predict_proba` or `decision_function`. Without
        classes, as `PLSA` is, a document is of its largest topic.
    X : documents as the model takes them
        Such as those of the fit: texts where the model is a pipeline that reads texts, else counts.
    n : int, default=3
        How many of either kind, at most. A document that stands in X several times is shown once.

    Returns
    -------
    Representatives
        For each class the documents that `predict` takes for it. Typical are those with the highest P(class|
        document), of equals those furthest ahead of the next class; borderline those where the next class is
        nearest, and which it is. What is still equal keeps the order of X. Models without probabilities, and
        those that are shown positives only, are asked how far the class is ahead by `decision_function`.
        Documents without a word that the fit has seen are none of them. Iterates over `ClassDocuments`;
        `found[label]` is that of a class, `to_dict()` gives plain data, and printing it shows lines of 80
        columns.

    Examples
    --------
    >>> from plsa import representatives, text_classifier
    >>> texts = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
    >>> labels = ["food", "food", None, "sport", "sport", None]
    >>> model = text_classifier(random_state=0).fit(texts, labels)
    >>> found = representatives(model, texts, n=1)
    >>> [(each.label, each.n_documents, each.typical[0].text) for each in found]
    [('food', 3, 'a cup of tea'), ('sport', 3, 'a ball team')]
    """
    n = check_whole(n, "n", 1)
    model = getattr(model, "best_estimator_", model)
    steps = steps_of(model)
    last = steps[-1]
    check_is_fitted(last)
    texts = list(X) if any(map(reads_texts, steps)) else None
    rows = model[:-1].transform(X) if len(steps) > 1 else X
    with warnings.catch_warnings():
        # They are none of those that are shown.
        warnings.filterwarnings("ignore", r"\d+ of \d+ documents? ha(s|ve) no word")
        judged = _Judged.by(last, rows)
        known, matrix = _known(last, rows)

    def shown(order: Places) -> tuple[Representative, ...]:
        return tuple(judged.representative(at, texts) for at in _different(matrix, order, n))

    classes = []
    for place, name in enumerate(judged.names):
        mine = judged.taken == place
        some = np.flatnonzero(mine & known)
        surest = np.lexsort((some, -judged.ahead[some], -judged.own[some]))
        nearest = np.lexsort((some, judged.gap[some]))
        found = shown(some[surest]), shown(some[nearest])
        classes.append(ClassDocuments(name, int(mine.sum()), *found))
    return Representatives(tuple(classes))


@dataclass(frozen=True, slots=True)
class _Judged:
    """What a model says of documents."""

    names: list[Any]  # of the classes
    taken: Places  # the class of each document
    following: Places  # the class that comes next
    own: Floats  # P(class|document), or how far the class is ahead of the next
    gap: Floats  # how far the next class is behind
    ahead: Floats  # the same as logarithms, which tell more where the gap is all but one
    are_chances: bool

    @classmethod
    def by(cls, last: Any, rows: Any) -> Self:
        """What the last step says of documents as it takes them."""
        if not hasattr(last, "classes_"):
            chance = np.asarray(last.transform(rows), dtype=np.float64)
            names = [f"topic {number}" for number in range(chance.shape[1])]
            return cls._of(names, chance.argmax(axis=1), chance, _logs(chance), are_chances=True)
        names = np.asarray(last.classes_).tolist()
        place = {name: at for at, name in enumerate(names)}
        taken = np.array([place[name] for name in np.asarray(last.predict(rows)).tolist()], dtype=np.intp)
        if hasattr(last, "predict_proba") and not isinstance(last, PositiveClassifier):
            chance = np.asarray(last.predict_proba(rows), dtype=np.float64)
            finer = hasattr(last, "joint_log_likelihood")
            logs = last.predict_log_proba(rows) if finer else _logs(chance)
            return cls._of(names, taken, chance, logs, are_chances=True)
        value = np.asarray(last.decision_function(rows), dtype=np.float64)
        value = value if value.ndim == 2 else np.column_stack([-value, value]) / 2
        return cls._of(names, taken, value, value, are_chances=False)

    @classmethod
    def _of(cls, names: list[Any], taken: Places, scores: Floats, logs: Floats, *, are_chances: bool) -> Self:
        mine = np.arange(len(names)) == taken[:, np.newaxis]
        following = np.where(mine, -np.inf, scores).argmax(axis=1)
        own = scores[mine]
        gap, ahead = (each[mine] - _rest(each, mine) for each in (scores, logs))
        return cls(names, taken, following, own if are_chances else gap, gap, ahead, are_chances)

    def representative(self, at: int, texts: list[Any] | None) -> Representative:
        """A document as what it stands for."""
        alone = not np.isfinite(self.gap[at])
        return Representative(
            at,
            float(self.own[at]) if self.are_chances else None,
            None if alone else self.names[self.following[at]],
            None if alone else float(self.gap[at]),
            None if texts is None else str(texts[at])[:_EXCERPT],
        )


def _logs(chance: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(chance))


def _rest(scores: Floats, mine: Mask) -> Floats:
    """The highest score of the other classes; none is so low that it is not finite, if there is one."""
    return np.where(mine, -np.inf, scores).max(axis=1, initial=-np.inf)


def _known(last: Any, rows: Any) -> tuple[Mask, sparse.csr_array]:
    """Which documents say something to a model; and all of them as rows that can be compared."""
    matrix = sparse.csr_array(np.asarray(rows) if hasattr(rows, "iloc") else rows, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    known = np.diff(matrix.indptr) > 0
    return (known & last.knows_words(rows) if isinstance(last, CountEstimator) else known), matrix


def _different(matrix: sparse.csr_array, order: Places, number: int) -> list[int]:
    """The first documents of an order, the first of those that are the same."""
    found: list[int] = []
    seen = set()
    for at in order.tolist():
        inside = slice(matrix.indptr[at], matrix.indptr[at + 1])
        mark = matrix.indices[inside].tobytes(), matrix.data[inside].tobytes()
        if mark not in seen:
            seen.add(mark)
            found.append(at)
            if len(found) == number:
                break
    return found
