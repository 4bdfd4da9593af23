"""Every check of what a user hands in: the only place that raises errors about it.

An error says what was wrong, where, what was found and what to do. Nothing that is given is ever written to.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from plsa.engine.counts import Counts
from plsa.engine.parameters import Real


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """What goes wrong inside, Ctrl-C among it, leaves the estimator as it was."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def forget(estimator: Any) -> None:
    """Lets go of what an earlier fit has set."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the evidence."""
    return isinstance(value, str) and value == "auto"


LEAST_POWER = 1e-6  # of annealing
MOST_STRENGTH = 1e12  # of links and weights
_BLOCK = 1 << 20  # nonzeros looked at together: room for temporary arrays stays small


def check_counts(estimator: Any, X: Any, *, reset: bool, dtype: Any = None) -> Counts:
    """The counts of X, a document a row, as the kernels want them.

    Afterwards every count is finite and not negative, words ascend in each document and none stands twice.
    X may be a sparse matrix or array of any format, or dense; float32 stays float32 and float64 float64,
    integers become float32 (`dtype` overrides). Sets `n_features_in_` where `reset`.
    """
    if sparse.issparse(X):
        _check_structure(X)
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype="numeric",
        accept_large_sparse=True,
        ensure_min_features=1,
        ensure_all_finite=True,
    )
    real = _real_type(X.dtype, dtype)
    if not sparse.issparse(X):
        X = sparse.csr_array(np.asarray(X))
    offset = np.ascontiguousarray(X.indptr, dtype=np.int64)
    index_type = np.int64 if X.indices.dtype.itemsize > 4 else np.int32
    word = np.require(X.indices, dtype=index_type, requirements=["C", "A"])
    count = np.require(X.data, dtype=real, requirements=["C", "A"])
    word, count = word[: offset[-1]], count[: offset[-1]]
    if not _ascending(offset, word):
        merged = sparse.csr_array((count.copy(), word.copy(), offset.copy()), shape=X.shape)
        merged.has_sorted_indices = False
        merged.has_canonical_format = False
        merged.sum_duplicates()
        offset, word, count = merged.indptr.astype(np.int64), merged.indices, merged.data
        word = np.require(word, dtype=index_type, requirements=["C", "A"])
    _check_not_negative(estimator, offset, word, count)
    return Counts(offset, word, count, X.shape[1])


def _real_type(found: np.dtype[Any], asked: Any) -> Any:
    if asked is None:
        return found if found in (np.dtype("float32"), np.dtype("float64")) else np.float32
    if np.dtype(asked) not in (np.dtype("float32"), np.dtype("float64")):
        raise ValueError(f"dtype is {asked!r}, but must be float32, float64 or None (as X has it).")
    return np.dtype(asked).type


def _check_structure(X: Any) -> None:
    """Raises where the indices of a sparse matrix point outside of it: compiled code would crash."""
    if X.ndim != 2:
        return  # scikit-learn says what is wrong with it
    if X.format in ("csr", "csc"):
        n_major, n_minor = X.shape if X.format == "csr" else X.shape[::-1]
        indptr, indices = X.indptr, X.indices
        if len(indptr) != n_major + 1 or indptr[0] != 0 or np.any(np.diff(indptr) < 0):
            raise ValueError(
                f"X has a broken indptr: it must have {n_major + 1} entries that rise from 0, but has "
                f"{len(indptr)} and begins {indptr[:4].tolist()}. Build X anew from its entries."
            )
        if indptr[-1] > len(indices) or len(indices) != len(X.data):
            raise ValueError(
                f"X has a broken indptr: it ends at {indptr[-1]}, but there are {len(indices)} indices "
                f"and {len(X.data)} values. Build X anew from its entries."
            )
        _check_range(indices, n_minor, "column" if X.format == "csr" else "row")
    elif X.format == "coo":
        for axis, name in enumerate(("row", "column")):
            _check_range(
                X.coords[axis] if hasattr(X, "coords") else (X.row, X.col)[axis], X.shape[axis], name
            )


def _check_range(indices: NDArray[Any], limit: int, name: str) -> None:
    if len(indices) and (indices.min() < 0 or indices.max() >= limit):
        at = int(np.flatnonzero((indices < 0) | (indices >= limit))[0])
        raise ValueError(
            f"X has a {name} index out of range: {indices[at]} at entry {at}, but there are {limit} "
            f"{name}s. Build X anew from its entries."
        )


def _ascending(offset: NDArray[np.int64], word: NDArray[Any]) -> bool:
    """Whether the words of every document ascend. scipy's own flag may be out of date."""
    starts = offset[1:-1]
    for begin in range(0, len(word) - 1, _BLOCK):
        end = min(begin + _BLOCK, len(word) - 1)
        falls = np.flatnonzero(word[begin + 1 : end + 1] <= word[begin:end]) + begin + 1
        if len(falls):
            at = np.searchsorted(starts, falls)
            if np.any(at == len(starts)) or np.any(starts[at] != falls):
                return False
    return True


def _check_not_negative(estimator: Any, offset: NDArray[np.int64], word: NDArray[Any], count: Real) -> None:
    for begin in range(0, len(count), _BLOCK):
        block = count[begin : begin + _BLOCK]
        if block.min() < 0:
            at = begin + int(np.flatnonzero(block < 0)[0])
            row = int(np.searchsorted(offset, at, side="right")) - 1
            raise ValueError(
                f"X holds a negative count, {count[at]} at ({row}, {word[at]}); "
                f"Negative values in data passed to {type(estimator).__name__}, which needs counts >= 0."
            )
        if not np.isfinite(block).all():  # an integer or float64 beyond float32
            at = begin + int(np.flatnonzero(~np.isfinite(block))[0])
            row = int(np.searchsorted(offset, at, side="right")) - 1
            raise ValueError(
                f"X holds a count too large for {count.dtype} at ({row}, {word[at]}); scale the counts "
                f"or pass dtype='float64'."
            )


def check_some_words(counts: Counts, weight: Real | None) -> None:
    """Raises where all documents that count are empty: there is nothing to learn from."""
    if not counts.total(weight) > 0:
        raise ValueError(
            f"X has {counts.n_documents} documents to learn from and not one word in them: all counts, or "
            "their weights, are zero. Check the vocabulary of the vectoriser."
        )


def check_weight(sample_weight: ArrayLike | None, n_documents: int, dtype: Any) -> Real | None:
    """How often each document counts, or None where all count once."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight)
    if weight.ndim == 0 and weight.dtype.kind in "iuf":
        weight = np.full(n_documents, weight)
    if weight.dtype.kind not in "iufb" or weight.ndim != 1:
        raise ValueError(
            f"sample_weight must be a 1D array of numbers, but is {weight.ndim}D of type {weight.dtype}."
        )
    if len(weight) != n_documents:
        raise ValueError(
            f"sample_weight has {len(weight)} entries for {n_documents} documents; give one for each."
        )
    weight = np.ascontiguousarray(weight, dtype=dtype)
    bad = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if len(bad):
        raise ValueError(
            f"sample_weight holds {weight[bad[0]]} at {bad[0]}; weights must be finite and >= 0."
        )
    if not np.any(weight > 0):
        raise ValueError("Sample weights are all zero: at least one must be larger than zero.")
    return weight


def check_whole(value: Any, name: str, smallest: int) -> int:
    """A whole number that is not below `smallest`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < smallest:
        raise ValueError(f"{name} == {value!r}, but must be a whole number >= {smallest}.")
    return int(value)


def check_number(value: Any, name: str, smallest: float = 0.0, *, above: float | None = None) -> float:
    """A finite number that is not below `smallest`, or that is above `above`."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    number = float(value) if real else np.nan
    inside = number >= smallest if above is None else number > above
    if not inside or number == np.inf:
        limit = f">= {smallest:g}" if above is None else f"> {above:g}"
        raise ValueError(f"{name} == {value!r}, but must be a finite number {limit}.")
    return number


def check_strength(value: Any, name: str, *, above: float | None = None) -> float:
    """A number that may be multiplied by counts in float32 and summed."""
    number = check_number(value, name, above=above)
    if number > MOST_STRENGTH:
        raise ValueError(f"{name} == {value!r}, but must be no larger than {MOST_STRENGTH:g}.")
    return number


def check_scaling(scaling: Any) -> None:
    """Raises where it is neither "auto" nor None nor something that scales counts."""
    if scaling is not None and not is_auto(scaling) and not hasattr(scaling, "scaled"):
        raise ValueError(f"scaling == {scaling!r}, but must be 'auto', None or a CountScaler.")


def check_choice(value: Any, name: str, choices: Sequence[Any]) -> Any:
    """One of the choices."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise ValueError(f"{name} == {value!r}, but must be one of {list(choices)}.")
    return value


def check_threads(n_threads: Any) -> int | None:
    """None, or a number of threads as joblib counts them."""
    if n_threads is None:
        return None
    if isinstance(n_threads, bool) or not isinstance(n_threads, numbers.Integral) or n_threads == 0:
        raise ValueError(
            f"n_threads == {n_threads!r}, but must be None (all processors), a number >= 1, or negative "
            "(-1: all, -2: all but one)."
        )
    return int(n_threads)


def check_distributions(given: Any, name: str, shape: tuple[int, int], what: str) -> NDArray[np.float64]:
    """A matrix of this shape whose rows are distributions."""
    matrix = np.asarray(given)
    if matrix.dtype.kind not in "iufb":
        raise ValueError(f"{name} has type {matrix.dtype}, but must hold numbers.")
    if matrix.shape != shape:
        raise ValueError(f"{name} has shape {matrix.shape}, but must have {shape}: {what}.")
    matrix = matrix.astype(np.float64)
    bad = np.argwhere(~np.isfinite(matrix) | (matrix < 0))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"{name} holds {matrix[row, column]} at ({row}, {column}); probabilities must be >= 0."
        )
    sums = matrix.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > 1e-3)
    if len(wrong):
        raise ValueError(
            f"{name} is not a distribution: row {wrong[0]} sums to {sums[wrong[0]]:g}, not 1. "
            "Divide each row by its sum."
        )
    return matrix / sums[:, np.newaxis]


def check_labels(y: Any, n_documents: int) -> NDArray[Any]:
    """Labels as a 1D array of one entry a document; which of them are missing is not looked at."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, list | tuple):
        # A list of strings and None, or of strings and -1: numpy would make strings of them all.
        mixed = any(isinstance(v, str) for v in y) and not all(isinstance(v, str) for v in y)
        y = np.array(y, dtype=object) if mixed else np.asarray(y)
    y = column_or_1d(y, warn=True)
    if len(y) != n_documents:
        raise ValueError(
            f"y has {len(y)} labels for {n_documents} documents: inconsistent numbers of samples; "
            "give one for each, -1 where there is none."
        )
    return np.asarray(y)


def check_classes(labelled: NDArray[Any]) -> None:
    """Raises where what is labelled is not a choice among classes."""
    if len(labelled) == 0:
        raise ValueError(
            "y labels no document: all are marked as unlabelled. Label at least one document of each "
            "class, or use PLSA, which needs no labels."
        )
    with warnings.catch_warnings():
        # One or two labels a class are what these models are for, no sign of a regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(labelled)


def check_positives(known: NDArray[Any], where: NDArray[np.intp], name: str = "y") -> None:
    """Raises where what is not marked as unlabelled is something else than 1 (positive) or 0 (unlabelled)."""
    for place, value in zip(where.tolist(), known.tolist(), strict=True):
        if isinstance(value, str) or value not in (0, 1):
            raise ValueError(
                f"{name} holds {value!r} at {place}; a document is positive (1) or unlabelled (-1, 0 or "
                "None): pass y == your_class for a class of your own. Unknown label type: not binary."
            )
    if not any(value == 1 for value in known.tolist()):
        raise ValueError(
            f"{name} labels no document as positive: there is nothing to look for. Mark at least one with 1; "
            "PLSA needs no labels at all."
        )


def check_links(
    must_links: Any, cannot_links: Any, positive: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of documents that belong together and pairs that do not: each once, and none of them both."""
    must = _check_pairs(must_links, "must_links", len(positive))
    cannot = _check_pairs(cannot_links, "cannot_links", len(positive))
    both = set(map(tuple, must.tolist())) & set(map(tuple, cannot.tolist()))
    if both:
        raise ValueError(f"documents {min(both)} are both in must_links and in cannot_links: keep one.")
    half = np.flatnonzero(positive[must].sum(axis=1) == 1)
    if len(half):
        pair = must[half[0]].tolist()
        one, other = pair if positive[pair[0]] else pair[::-1]
        raise ValueError(
            f"must_links holds {tuple(pair)}, but y has {one} as positive and {other} as unlabelled, which "
            f"links them the other way: mark {other} with 1 too, or drop the pair."
        )
    of_positives = np.flatnonzero(positive[cannot].all(axis=1))
    if len(of_positives):
        raise ValueError(
            f"cannot_links holds {tuple(cannot[of_positives[0]].tolist())}, but y has both documents as "
            "positive, which links them: drop the pair or a label."
        )
    return must, cannot


def has_pairs(given: Any) -> bool:
    """Whether there are links to be checked."""
    return given is not None and not (
        hasattr(given, "__len__") and not sparse.issparse(given) and len(given) == 0
    )


def _check_pairs(given: Any, name: str, n_documents: int) -> NDArray[np.intp]:
    """(n, 2) documents, the lower number first, pairs in ascending order."""
    if given is None:
        return np.empty((0, 2), dtype=np.intp)
    if sparse.issparse(given):
        raise ValueError(f"{name} is a sparse matrix, but must be pairs of documents, two in a row.")
    if isinstance(given, Iterable) and not isinstance(given, np.ndarray):
        given = list(given)
    try:
        pairs = np.asarray(given)
    except ValueError:  # lists of different lengths
        pairs = np.asarray(given, dtype=object)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {pairs.shape} and type {pairs.dtype}, but must be pairs of documents: whole "
            "numbers, two in a row."
        )
    outside = np.argwhere((pairs < 0) | (pairs >= n_documents))
    if len(outside):
        row, side = outside[0]
        raise ValueError(
            f"{name} holds document {pairs[row, side]} at {row}; the rows of X are 0 to {n_documents - 1}."
        )
    alone = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(alone):
        raise ValueError(
            f"{name} holds a pair of document {pairs[alone[0], 0]} with itself at {alone[0]}; a link is "
            "between two."
        )
    return np.unique(np.sort(pairs.astype(np.intp), axis=1), axis=0)


def check_labelled_weight(labelled: NDArray[np.bool_], weight: Real | None) -> None:
    """Raises where no labelled document counts."""
    if weight is not None and not np.any(weight[labelled] > 0):
        raise ValueError(
            f"sample_weight is zero for all {labelled.sum()} labelled documents: there is no class to learn. "
            "Give at least one of them a weight > 0."
        )


def check_topics_per_class(
    given: Any, classes: NDArray[Any], name: str = "topics_per_class"
) -> NDArray[np.intp]:
    """How many topics each class has."""
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return np.full(len(classes), check_whole(given, name, 1))
    if isinstance(given, Mapping):
        unknown = [c for c in given if c not in classes.tolist()]
        missing = [c for c in classes.tolist() if c not in given]
        if unknown or missing:
            raise ValueError(f"{name} does not fit the classes of y: unknown {unknown}, missing {missing}.")
        given = [given[c] for c in classes.tolist()]
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise ValueError(
            f'{name} == {given!r}, but must be "auto", a whole number >= 1, a list with one for '
            "each class, or a mapping from class to number."
        )
    if len(given) != len(classes):
        raise ValueError(f"{name} has {len(given)} entries for {len(classes)} classes {classes.tolist()}.")
    return np.array([check_whole(n, name, 1) for n in given])


def check_components_per_class(
    given: Any, classes: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """How many components each class has, and for which classes that is left open (and 1 for now)."""
    each: Any = given.tolist() if hasattr(given, "tolist") else given
    if is_auto(each):
        each = ["auto"] * len(classes)
    are_open = np.zeros(len(classes), dtype=bool)
    if isinstance(each, Mapping):
        are_open[:] = [is_auto(each.get(c)) for c in classes.tolist()]
        each = {c: 1 if is_auto(n) else n for c, n in each.items()}
    elif isinstance(each, Sequence) and not isinstance(each, str) and len(each) == len(classes):
        are_open[:] = [is_auto(n) for n in each]
        each = [1 if is_auto(n) else n for n in each]
    return check_topics_per_class(each, classes, "components_per_class"), are_open


def check_alpha(given: Any, n_words: int, dtype: Any) -> NDArray[np.float64]:
    """The pseudo-count of every word, none of them beyond what is computed in."""
    try:
        alpha = np.asarray(given)
    except ValueError:  # lists of different lengths
        alpha = np.asarray(given, dtype=object)
    if alpha.ndim == 0:
        alpha = np.full(n_words, check_number(alpha.item(), "alpha"))
    if alpha.dtype.kind not in "iuf" or alpha.shape != (n_words,):
        raise ValueError(
            f"alpha has shape {alpha.shape} and type {alpha.dtype}, but must be a number or an array with "
            f"one for each of the {n_words} words."
        )
    bad = np.flatnonzero(~((alpha >= 0) & (alpha <= np.sqrt(np.finfo(dtype).max))))
    if len(bad):
        raise ValueError(
            f"alpha holds {alpha[bad[0]]} at {bad[0]}; pseudo-counts must be >= 0 and no larger than "
            f"{np.sqrt(np.finfo(dtype).max):.0e}."
        )
    return alpha.astype(np.float64)


def check_annealing(given: Any) -> None:
    """Raises where a schedule of powers is none: numbers above 0 and up to 1, the last of them 1."""
    if given is None or isinstance(given, bool | np.bool_):
        return
    if isinstance(given, str) or np.ndim(given) != 1 or np.asarray(given).dtype.kind not in "iuf":
        raise ValueError(
            f"annealing == {given!r}, but must be None, True, or a sequence of powers such as "
            "annealing_schedule(0.02, 1.01)."
        )
    powers = np.asarray(given, dtype=np.float64)
    bad = np.flatnonzero(~((powers > 0) & (powers <= 1)))
    if len(bad):
        raise ValueError(
            f"annealing holds the power {powers[bad[0]]:g} at {bad[0]}; powers must be above 0 and at most 1."
        )
    low = np.flatnonzero(powers < LEAST_POWER)
    if len(low):
        raise ValueError(
            f"annealing holds the power {powers[low[0]]:g} at {low[0]}; below {LEAST_POWER:g} nothing is "
            "left of what documents say."
        )
    if not len(powers) or powers[-1] != 1:
        end = f"ends at {powers[-1]:g}" if len(powers) else "is empty"
        raise ValueError(f"annealing {end}, but must end at 1, where the model is the one to be learnt.")


def check_assignment(given: Any, topic_class: NDArray[np.int32], classes: NDArray[Any]) -> NDArray[np.int32]:
    """The place among the classes of each component's class, as a list or a mapping gives it."""
    n_components = len(topic_class)
    if hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
        raise ValueError(
            f"classes == {given!r}, but must be a list with the class of each of the {n_components} "
            "components, or a mapping from component to class."
        )
    if not isinstance(given, Mapping) and len(given) != n_components:
        raise ValueError(f"classes has {len(given)} entries for {n_components} components.")
    pairs = given.items() if isinstance(given, Mapping) else enumerate(given)
    codes, names = topic_class.copy(), classes.tolist()
    for component, its_class in pairs:
        whole = isinstance(component, int | np.integer) and not isinstance(component, bool)
        if not whole or not 0 <= component < n_components:
            raise ValueError(f"there is no component {component!r}; they are 0 to {n_components - 1}.")
        if its_class not in names:
            raise ValueError(f"component {component} cannot be of {its_class!r}: the classes are {names}.")
        codes[component] = names.index(its_class)
    return codes


def check_parameters(model: Any, parameters: Mapping[str, Any]) -> None:
    """Raises where a model does not have one of these parameters, or is none."""
    if not hasattr(model, "get_params"):
        raise TypeError(f"model == {model!r}, but must be an estimator such as SoftMislabelingPLSA().")
    known = model.get_params(deep=False)
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise TypeError(
            f"{type(model).__name__} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}."
        )


def check_two_documents(counts: Counts) -> None:
    """Raises where there is one document only."""
    if counts.n_documents < 2:
        raise ValueError(
            "X has 1 sample, but a positive document and an unlabelled one, to tell apart, are two: add more."
        )


def check_some_unlabelled(positive: NDArray[np.bool_], name: str = "y") -> None:
    """Raises where all documents are positive."""
    if positive.all():
        raise ValueError(
            f"{name} labels all {len(positive)} documents as positive: there is one class, and nothing to "
            "tell it from. Add documents that nothing is known of, with 0 or -1."
        )


def check_set(value: Any, name: str, where: str) -> None:
    """Raises where a parameter is left to evidence that there is none of."""
    if is_auto(value):
        raise ValueError(f"{name} == 'auto', but positives have to choose it: give a number {where}.")


def check_looked_for(model: Any) -> None:
    """Raises where a model was fitted to links alone."""
    if not len(model.positive_topics_):
        raise ValueError(
            f"{type(model).__name__} was fitted without positives, so that nothing is looked for: pass y to "
            "fit, or use transform for the topics of documents."
        )


def check_positive_words(counts: Counts, positive: NDArray[np.bool_]) -> None:
    """Raises where the positive documents are all empty."""
    if not counts.of_documents(np.flatnonzero(positive)).total() > 0:
        raise ValueError(
            f"the {positive.sum()} positive documents of X have not one word: there is nothing to look for. "
            "Check the vocabulary of the vectoriser."
        )


def check_share(value: Any, name: str) -> float:
    """A number above 0 and below 1."""
    share = check_number(value, name, above=0.0)
    if share >= 1:
        raise ValueError(f"{name} == {value!r}, but must be a share: a number above 0 and below 1.")
    return share


def check_strengths(given: Any, name: str) -> list[float]:
    """One number above 0, or several, as a list that ascends."""
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        return [check_number(given, name, above=0.0)]
    several = sorted(check_number(each, name, above=0.0) for each in given)
    if not several:
        raise ValueError(f"{name} is empty: give a number above 0, or several to choose from.")
    return several


def check_scores(scores: Any) -> NDArray[np.float64]:
    """Scores of documents, all of them finite."""
    value = np.asarray(scores)
    if value.dtype.kind not in "iufb" or value.ndim != 1:
        raise ValueError(f"scores must be a 1D array of numbers, but is {value.ndim}D of type {value.dtype}.")
    bad = np.flatnonzero(~np.isfinite(value))
    if len(bad):
        raise ValueError(f"scores holds {value[bad[0]]} at {bad[0]}; scores must be finite.")
    return value.astype(np.float64)
