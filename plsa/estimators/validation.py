"""What a user hands in, checked and read: counts, weights, labels. All or nothing.

An error says what was wrong, where, what was found and what to do. Nothing that is given is ever written to.
"""

import warnings
from collections.abc import Iterator, Mapping, ValuesView
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from plsa.engine import blocks
from plsa.engine.counts import LARGEST_COUNT, Counts
from plsa.engine.parameters import Array, Real
from plsa.inputs import LARGEST_STRENGTH, check_each, counted, warn
from plsa.inputs.structure import check_structure
from plsa.labels.corpus import Corpus
from plsa.labels.reading import UNLABELED, Known, Labels, doubtful, is_unlabeled, look_alikes, of_one_type


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


def check_counts(estimator: Any, X: Any, *, reset: bool, dtype: Any = None) -> Counts:
    """The counts of X, a document per row, as the kernels want them.

    Afterwards every count is finite and not negative, words ascend in each document and none stands twice.
    X may be a sparse matrix or array of any format, or dense; float32 stays float32 and float64 float64,
    all other numbers become float32 (`dtype` overrides). Sets `n_features_in_` where `reset`.
    """
    check_structure(X)
    try:
        X = validate_data(estimator, X, reset=reset, accept_sparse="csr")
    except (ValueError, TypeError) as error:
        if str(error).startswith(("Input X contains NaN", "Input X contains infinity")):
            raise ValueError(_not_finite(X)) from None
        refuse_texts(X, type(estimator).__name__)
        raise
    if X.dtype == np.float16:  # scipy has no such matrices
        X = X.astype(np.float32)
    real = _real_type(X.dtype, dtype)
    if not sparse.issparse(X):
        X = sparse.csr_array(np.asarray(X))
    offset = np.ascontiguousarray(X.indptr, dtype=np.int64)
    index_type = np.int64 if X.indices.dtype.itemsize > 4 else np.int32
    word = np.require(X.indices, dtype=index_type, requirements=["C", "A"])
    with np.errstate(over="ignore"):  # what is infinite then is too large
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
    return Counts(offset, word, _without_subnormal(count), X.shape[1])


def _not_finite(X: Any) -> str:
    """Where the first count is that is no finite number, and what to do."""
    X = check_array(X, accept_sparse="csr", ensure_all_finite=False)
    entries = sparse.coo_array(X.astype(np.float64))
    at = int(np.flatnonzero(~np.isfinite(entries.data))[0])
    found = "NaN" if np.isnan(entries.data[at]) else str(entries.data[at])
    place = f"({entries.row[at]}, {entries.col[at]})"
    return f"X holds {found} at {place}; put 0 there, or leave the document out."


def refuse_texts(X: Any, name: str) -> None:
    """Raises where X holds texts, which the model of this name cannot read; shows none of them."""
    if sparse.issparse(X) or getattr(getattr(X, "dtype", None), "kind", "O") in "iufbc":
        return
    rows = [X] if isinstance(X, str | bytes) else X if isinstance(X, list | tuple) else np.atleast_1d(X)
    for row, found in enumerate(rows):
        if isinstance(found, Mapping) and found is not X:
            wants = (
                f"X holds a {type(found).__name__} in row {row}, but {name} learns from a matrix of counts"
            )
            raise ValueError(f"{wants}. Use scikit-learn's DictVectorizer, which makes one of such rows.")
        several = isinstance(found, list | tuple | np.ndarray)
        words = several and any(isinstance(each, str | bytes) for each in found)
        if words or isinstance(found, str | bytes):
            what = f"strings in row {row}" if words else f"texts (a string in row {row})"
            wants = f"X holds {what}, but {name} learns from counts of words, numeric values"
            raise ValueError(f"{wants}. Use plsa.text_classifier({name}()), or a CountVectorizer before it.")


def warn_of_weights(counts: Counts, name: str) -> None:
    """Warns where documents look like TF-IDF: not whole, and of unit length."""
    some = counts.between(0, min(counts.n_documents, 200))
    if np.all(some.count == np.floor(some.count)) or some.count.max() > 1:
        return
    total = some.lengths()
    length = some.with_counts(some.count * some.count).lengths()
    for rows, what in ((length, "TF-IDF (rows of unit length)"), (total, "frequencies (rows that sum to 1)")):
        if np.any(rows > 0) and np.all(np.abs(rows[total > 0] - 1) < 1e-4):
            found = f"X looks like {what}, but {name} learns from counts of words"
            warn(f"{found}. Pass those of a CountVectorizer.")
            return


def _real_type(found: np.dtype[Any], asked: Any) -> Any:
    if asked is None:
        return found if found in (np.dtype("float32"), np.dtype("float64")) else np.float32
    if np.dtype(asked) not in (np.dtype("float32"), np.dtype("float64")):
        raise ValueError(f"dtype is {asked!r}, but must be float32, float64 or None (as X has it).")
    return np.dtype(asked).type


def _ascending(offset: NDArray[np.int64], word: Array) -> bool:
    """Whether the words of every document ascend. scipy's own flag may be out of date."""
    starts = offset[1:-1]
    for begin in range(0, len(word) - 1, blocks.NONZEROS):
        end = min(begin + blocks.NONZEROS, len(word) - 1)
        falls = np.flatnonzero(word[begin + 1 : end + 1] <= word[begin:end]) + begin + 1
        if len(falls):
            at = np.searchsorted(starts, falls)
            if np.any(at == len(starts)) or np.any(starts[at] != falls):
                return False
    return True


def _check_not_negative(estimator: Any, offset: NDArray[np.int64], word: Array, count: Real) -> None:
    for begin in range(0, len(count), blocks.NONZEROS):
        block = count[begin : begin + blocks.NONZEROS]
        negative = block.min() < 0
        if not negative and block.max() <= LARGEST_COUNT[count.dtype]:
            continue
        at = begin + int(np.flatnonzero(block < 0 if negative else block > LARGEST_COUNT[count.dtype])[0])
        place = f"({int(np.searchsorted(offset, at, side='right')) - 1}, {word[at]})"
        if negative:
            needs = f"Negative values in data passed to {type(estimator).__name__}, which needs counts >= 0"
            hint = "HashingVectorizer has them with alternate_sign=False; centered or projected data has none"
            raise ValueError(f"X holds a negative count, {count[at]} at {place}; {needs}. {hint}.")
        found = f"X holds a count too large for {count.dtype} at {place}"
        other = " or pass dtype='float64'" if count.dtype == np.float32 else ""
        raise ValueError(f"{found}; scale the counts{other}.")


def _without_subnormal(values: Real) -> Real:
    """The same numbers, those below the smallest normal one being zero, as the kernels take them."""
    for begin in range(0, len(values), blocks.NONZEROS):
        block = values[begin : begin + blocks.NONZEROS]
        if np.any((block > 0) & (block < np.finfo(values.dtype).smallest_normal)):
            return np.where(values < np.finfo(values.dtype).smallest_normal, 0, values)
    return values


def check_weight(sample_weight: ArrayLike | None, n_documents: int, dtype: Any) -> Real | None:
    """How often each document counts, or None where all count once."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight)
    if weight.ndim == 0 and weight.dtype.kind in "iuf":
        weight = np.full(n_documents, weight)
    if weight.dtype.kind not in "iufb" or weight.ndim != 1:
        found = f"{weight.ndim}D of type {weight.dtype}"
        raise ValueError(f"sample_weight must be a 1D array of numbers, but is {found}.")
    if len(weight) != n_documents:
        raise ValueError(f"sample_weight has {len(weight)} entries for {n_documents} documents: one each.")
    with np.errstate(over="ignore"):
        weight = np.ascontiguousarray(weight, dtype=dtype)
    must = f"weights must be finite, >= 0 and no larger than {LARGEST_STRENGTH:g}"
    check_each(weight, (weight >= 0) & (weight <= LARGEST_STRENGTH), "sample_weight", must)
    weight = _without_subnormal(weight)
    if not np.any(weight > 0):
        raise ValueError("Sample weights are all zero: at least one must be larger than zero.")
    return weight


def check_labels(y: Any, n_documents: int) -> Array:
    """Labels as a 1D array of one entry per document; which of them are missing is not looked at."""
    if y is None:
        needs = (
            "what learns from labels, or scores by them, requires y to be passed, but the target y is None"
        )
        raise ValueError(f"{needs}: give one label for each document, -1 where there is none.")
    _check_one_each(y)
    if not isinstance(y, list | tuple) and np.asarray(y).ndim == 0:
        values = "list(y.values())" if isinstance(y, Mapping) else "list(y)"
        each = isinstance(y, Mapping | Iterator | ValuesView)
        way = values if each else "a list with one label for each document, in their order"
        raise ValueError(f"y is of type {type(y).__name__}, but should be a 1d array or a list: pass {way}.")
    if isinstance(y, list | tuple):
        # A list of strings and None, or of strings and -1: numpy would make strings of them all.
        mixed = any(isinstance(v, str) for v in y) and not all(isinstance(v, str) for v in y)
        y = np.array(y, dtype=object) if mixed else np.asarray(y)
    elif hasattr(getattr(y, "dtype", None), "na_value"):
        y = np.asarray(y, dtype=object)  # of pandas: whole numbers beside NA would become floats
    y = column_or_1d(y, warn=True)
    if len(y) != n_documents:
        labels, documents = counted(len(y), "label"), counted(n_documents, "document")
        found = f"y has {labels} for {documents}: inconsistent numbers of samples"
        raise ValueError(f"{found}; give one for each, -1 where there is none.")
    return np.asarray(y)


def _check_one_each(y: Any) -> None:
    """Raises where a document has several labels."""
    found = ""
    if getattr(y, "ndim", 1) > 1:
        if y.shape[1] != 1:
            found = f"y should be a 1d array, got an array of shape {y.shape} instead"
    elif isinstance(y, list | tuple) or getattr(getattr(y, "dtype", None), "kind", "") == "O":
        for row, label in enumerate(y):
            if isinstance(label, list | tuple | set | frozenset | dict | np.ndarray):
                found = f"y holds a {type(label).__name__} of {len(label)} in row {row}"
                break
    if found:
        several = "A document has one label; several are not supported (yet)"
        raise ValueError(f"{found}. {several}: fit a model for each of them, with y == that label.")


def read_labels(y: Any, n_documents: int, unlabeled: Any = UNLABELED, *, doubts: bool = True) -> Labels:
    """The classes and codes of y, of which at least one is labeled.

    Warns of what may not be a class, unless somebody else does.
    """
    y = check_labels(y, n_documents)
    missing = is_unlabeled(y, unlabeled)
    rows = np.flatnonzero(~missing)
    known, other = of_one_type(y[rows])
    if len(known) == 0:
        raise ValueError("y labels no document: all are unlabeled. Label one of each class, or use PLSA.")
    if other is not None:
        found = f"{known[0]!r} in row {rows[0]} and {known[other]!r} in row {rows[other]}"
        raise ValueError(f"y mixes types of labels: {found}. Make all of them strings, or all numbers.")
    if known.dtype.kind == "f" and np.isinf(known).any():
        at = int(np.isinf(known).argmax())
        found = f"{known[at]} in row {rows[at]}"
        raise ValueError(f"y holds {found}: labels are whole numbers or strings, not infinity.")
    with warnings.catch_warnings():
        # One or two labels per class are what these models are for, no sign of a regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(known)
    labels = Labels.of(known, missing)
    if doubts and unlabeled is not None:
        warn_of_doubts(labels)
    return labels


def warn_of_doubts(labels: Labels) -> None:
    """Warns of every class that looks like a mark of no label."""
    names = labels.classes.tolist()
    for place in doubtful(labels.classes):
        label, rows = names[place], np.flatnonzero(labels.code == place)
        often = f"{counted(len(rows), 'row')}, first in row {rows[0]}"
        found = f"y has {label!r} in {often}, and it was taken for a class"
        if_mark = f"If it marks documents without a label, put None there or pass unlabeled={label!r}"
        if_class = "if it is a class, unlabeled=None says so: then only None, NaN and '' are marks"
        warn(f"{found}. {if_mark}; {if_class}.")
    for place, other in look_alikes(labels.classes):
        first = [int((labels.code == each).argmax()) for each in (place, other)]
        found = f"{names[place]!r} (first in row {first[0]}) and {names[other]!r} (first in row {first[1]})"
        warn(f"y has {found}, two classes that differ in blanks or capitals only. Write them the same way.")


def read_corpus(counts: Counts, y: Any, sample_weight: ArrayLike | None, unlabeled: Any) -> Corpus:
    """Counts with their labels and weights; some labeled document counts."""
    labels = read_labels(y, counts.n_documents, unlabeled)
    weight = check_weight(sample_weight, counts.n_documents, counts.dtype)
    if weight is not None and not np.any(weight[labels.labeled] > 0):
        found = f"sample_weight is zero for all {labels.labeled.sum()} labeled documents"
        raise ValueError(f"{found}: there is no class to learn. Give one of them a weight > 0.")
    _warn_of_nothing_to_learn(counts, labels, weight)
    if len(labels.classes) == 1:
        row = int(labels.labeled.argmax())
        one = (
            f"y has one class, {labels.classes.tolist()[0]!r}, first in row {row}: documents can get no other"
        )
        marks = check_labels(y, counts.n_documents)[~labels.labeled]
        if not is_unlabeled(marks, None).all():
            one += f". If {unlabeled} is a class of yours, pass unlabeled=None"
        warn(f"{one}. To find documents like some that you have, use TopicSensitivePLSA.")
    return Corpus(counts, labels, weight)


def _warn_of_nothing_to_learn(counts: Counts, labels: Labels, weight: Real | None) -> None:
    """Warns of classes whose documents have no word, or no weight."""
    words = counts.lengths() * (1 if weight is None else weight)
    known = labels.labeled
    nothing = np.bincount(labels.code[known], words[known], len(labels.classes)) == 0
    if nothing.any() and not nothing.all():
        some = ", ".join(map(repr, labels.classes[nothing][:5].tolist()))
        found = "there is nothing to learn about " + (f"the class {some}" if nothing.sum() == 1 else some)
        warn(f"{found}: no document with this label has a word, or a weight > 0. Label one that has.")


def check_classes(given: Any, unlabeled: Any = UNLABELED) -> Array:
    """Declared classes, sorted: of one type, each once, none of them a mark of no label."""
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__len__") or not len(given):
        raise ValueError(f"classes == {given!r}, but must be None or a list of the classes that there are.")
    plain = np.fromiter(given, dtype=object, count=len(given))
    names, other = of_one_type(plain)
    for place in np.flatnonzero(is_unlabeled(plain, unlabeled) | is_unlabeled(names, unlabeled)):
        found = f"classes holds {plain[place]!r} at {place}, which marks a document without a label"
        raise ValueError(f"{found}: leave it out, or pass unlabeled=None if it is a class of yours.")
    if other is not None:
        found = f"{plain[0]!r} at 0 and {plain[other]!r} at {other}"
        raise ValueError(f"classes mixes types: {found}. Make all of them strings, or all numbers.")
    classes, number = np.unique(names, return_counts=True)
    if len(classes) < len(names):
        twice = classes[number > 1].tolist()[0]
        raise ValueError(f"classes holds {twice!r} {number.max()} times: give each class once.")
    return classes


def among_declared(labels: Labels, given: Any, unlabeled: Any = UNLABELED) -> Labels:
    """The same labels among all classes that are declared; warns of those that have no example.

    Where none are declared, or each has an example, it is the labels themselves.
    """
    if given is None:
        return labels
    declared = check_classes(given, unlabeled).tolist()
    names = labels.classes.tolist()
    both, other = of_one_type(np.fromiter([*declared, *names], dtype=object))
    for code, name in enumerate(names):
        if other is None and name in declared:
            continue
        row = int((labels.code == code).argmax())
        found = f"y has {name!r}, first in row {row}, which is not among classes == {declared}"
        if other is not None:
            found += f" (of type {type(name).__name__}, and they are {type(declared[0]).__name__})"
        raise ValueError(f"{found}. Declare it too, or put None there if it is not a label.")
    unmet = [name for name in declared if name not in names]
    if not unmet:
        return labels
    some = ", ".join(map(repr, unmet[:5])) + (f" and {len(unmet) - 5} more" if len(unmet) > 5 else "")
    which = f"the class {some} has" if len(unmet) == 1 else f"the classes {some} have"
    warn(f"{which} no example in y: predicted with probability 0. Label a document of each, if there is one.")
    classes = np.unique(np.array(both.tolist()))
    place = np.append(np.searchsorted(classes, labels.classes), UNLABELED)  # the last is that of UNLABELED
    return Labels(classes, place[labels.code].astype(labels.code.dtype))


def read_positives(y: Any, n_documents: int, unlabeled: Any = UNLABELED, name: str = "y") -> Known:
    """Which documents are positive: those with 1 (or True), some but not all.

    Marks are unlabeled. 0 (or False) is negative where there are such marks, and unlabeled where there are
    none: some document is always unlabeled.
    """
    y = check_labels(y, n_documents)
    known = np.flatnonzero(~is_unlabeled(y, unlabeled))
    for place, value in zip(known.tolist(), y[known].tolist(), strict=True):
        if isinstance(value, str) or value not in (0, 1):
            one_class = f"pass np.array({name}) == {value!r}, if that is what you look for"
            must = f"a document is positive (1), negative (0) or unlabeled (-1 or None): {one_class}"
            raise ValueError(f"{name} holds {value!r} at {place}; {must}. Unknown label type: not binary.")
    positive = np.zeros(n_documents, dtype=bool)
    positive[known] = (y[known] == 1).astype(bool)
    if not positive.any():
        raise ValueError(f"{name} labels no document as positive: mark one with 1, or use PLSA.")
    if positive.all():
        everything = f"all {len(positive)} documents" if len(positive) > 1 else "the only document"
        found = f"{name} labels {everything} as positive: there is one class"
        raise ValueError(f"{found}, and nothing to tell it from. Add unknown documents, with 0 or -1.")
    negative = np.zeros_like(positive)
    if len(known) < n_documents:
        negative[known] = ~positive[known]
    return Known(positive, negative)
