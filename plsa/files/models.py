"""`save` and `load`: a fitted model as one file, and back."""

import json
import os
import platform
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import plsa
from plsa.files import parts
from plsa.files.container import damaged, parsed, read, write
from plsa.files.values import Packing, Unpacking

_MODEL = "plsa_model"


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Writes a fitted model to one file, without pickle; `load` makes the same model of it.

    A file that was there is replaced at one stroke, when the new one is whole and on the disk: whatever
    happens on the way, the old file or the new one is there. What is written has been checked as `load`
    checks it.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package, or a pipeline as `text_classifier` makes it.
    path : str or PathLike
        The file. Its folder must be there.

    Raises
    ------
    NotFittedError
        If the model was not fitted.
    ValueError
        If the model holds what a file cannot: code, such as `tokenizer=` or `analyzer=` that is a function, or
        an estimator of another package. A `callback` is left out, with a warning.

    Examples
    --------
    >>> import plsa, tempfile
    >>> texts = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
    >>> labels = ["food", None, None, "sport", None, None]
    >>> model = plsa.text_classifier(random_state=0).fit(texts, labels)
    >>> folder = tempfile.TemporaryDirectory()
    >>> plsa.save(model, folder.name + "/model.plsa")
    >>> plsa.load(folder.name + "/model.plsa").predict(["milk in a cup", "the team"])
    array(['food', 'sport'], dtype='<U5')
    >>> folder.cleanup()
    """
    name = type(model).__name__
    if not isinstance(model, BaseEstimator) or isinstance(model, type):
        shown = model.__name__ if isinstance(model, type) else repr(model)[:60]
        raise ValueError(f"{shown} is no fitted estimator: pass what fit returned.")
    packing = Packing(parts.taken)
    parts.taken(model, "")  # what is refused in any case is refused first
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else []
    for each in (model, *steps):
        if isinstance(each, BaseEstimator):
            check_is_fitted(each)
    parts.check_estimator(model, name, parts.Sizes(), fitted=True)
    tree = json.dumps(packing.tree(model, ""), allow_nan=False, separators=(",", ":"))
    write(path, packing.arrays, {_MODEL: tree, "class": name, **_versions()})


def _versions() -> dict[str, str]:
    """What a model was saved with."""
    modules = {"plsa": plsa, "numpy": np, "scipy": scipy, "scikit-learn": sklearn}
    return {name: each.__version__ for name, each in modules.items()} | {"python": platform.python_version()}


def load(path: str | os.PathLike[str], *, mmap: bool = False, trust_pattern: bool = False) -> Any:
    """A model that `save` has written; what it says of documents is the same, bit for bit.

    Nothing in a file is code or becomes code. All of it is checked, and no more memory is taken than the file
    is large before that is done (Python's own strings take more than their letters).

    Parameters
    ----------
    path : str or PathLike
        The file.
    mmap : bool, default=False
        Whether arrays stay in the file, to be read when they are needed; they cannot be written to. The
        checksum of the header and all that is an index are looked at then, but not the checksum of the
        arrays, nor whether probabilities are such: for files that nobody else can have changed. A file may be
        replaced by `save` meanwhile, but must not be cut off.
    trust_pattern : bool, default=False
        Whether a `token_pattern` that is not one of the usual ones is taken. A pattern of another person's
        making may need forever for a text.

    Returns
    -------
    estimator
        Fitted, as it was saved.

    Raises
    ------
    ValueError
        If the file is no model, was damaged or cut off, or was written by a later version with another
        format: it says what is wrong, and where.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import plsa, tempfile
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> X = CountVectorizer().fit_transform(["tea milk", "milk tea tea", "goal ball", "ball team goal"])
    >>> model = plsa.PLSA(2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plsa.save(model, folder + "/topics.plsa")
    ...     same = plsa.load(folder + "/topics.plsa")
    >>> bool((same.transform(X) == model.transform(X)).all())
    True
    """
    try:
        about, arrays = read(path, mapped=mmap)
        if _MODEL not in about:
            raise damaged(f"its header has no {_MODEL}")
        unpacking = Unpacking(arrays, parts.made)
        model = unpacking.value(parsed(about[_MODEL], f"its {_MODEL}"), "")
        if not isinstance(model, BaseEstimator):
            raise damaged(f"what it holds is {type(model).__name__}, and no model")
        unpacking.check_all_used()
        sizes = parts.Sizes()
        sizes.deep = not mmap
        parts.check_estimator(model, type(model).__name__, sizes, fitted=True)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)!s} cannot be loaded: {error}") from None
    if not trust_pattern:
        _check_patterns(model, path)
    return model


def _check_patterns(model: Any, path: str | os.PathLike[str]) -> None:
    """Raises where a vectorizer cuts texts by a pattern that may never come to an end."""
    for name, pattern in model.get_params().items():
        if name.rpartition("__")[2] == "token_pattern" and pattern not in (None, *parts.KNOWN_PATTERNS):
            found = (
                f"{os.fspath(path)!s} has {name} == {pattern[:80]!r}, which is not one of the usual patterns"
            )
            raise ValueError(
                f"{found}, and may need forever for a text. If you trust who made the file, "
                "pass trust_pattern=True."
            )
