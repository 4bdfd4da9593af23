"""`save` and `load`: a fitted model as one file, and back."""

import json
import os
import platform
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import plsa
from plsa.files.checks import Sizes
from plsa.files.classes import is_known
from plsa.files.container import DamagedError, damaged, parsed, read, write
from plsa.files.making import made, taken
from plsa.files.parts import KNOWN_PATTERNS, check_estimator
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
        If the model holds what a file cannot: code, such as a function given as `tokenizer=` or `analyzer=`,
        or an estimator of another package. A `callback` is left out, with a warning.

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
    if is_known(model):
        steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else []
        for each in (model, *steps):
            # What hashes words learns nothing, which not every version of scikit-learn knows.
            if isinstance(each, BaseEstimator) and not isinstance(each, HashingVectorizer):
                check_is_fitted(each)
    packing = Packing(taken)
    tree = json.dumps(packing.tree(model, ""), allow_nan=False, separators=(",", ":"))
    try:
        check_estimator(model, name, Sizes())
    except DamagedError as error:
        raise ValueError(f"{error.found}: was it changed after it was fitted? Fit it again.") from None
    write(path, packing.arrays, {_MODEL: tree, "class": name, **_versions()})


def _versions() -> dict[str, str]:
    """What a model was saved with."""
    modules = {"plsa": plsa, "numpy": np, "scipy": scipy, "scikit-learn": sklearn}
    return {name: each.__version__ for name, each in modules.items()} | {"python": platform.python_version()}


def load(path: str | os.PathLike[str], *, mmap: bool = False, trust_pattern: bool = False) -> Any:
    """A model that `save` has written; what it says of documents is the same, bit for bit.

    Nothing in a file is code or becomes code. All of it is checked, sizes first: arrays take as much memory
    as they take of the file, whatever it says. docs/files.md tells more, and what a file looks like.

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
    about: dict[str, str] = {}
    try:
        about, arrays = read(path, mapped=mmap)
        if _MODEL not in about:
            raise damaged(f"its header has no {_MODEL}")
        unpacking = Unpacking(arrays, made)
        model = unpacking.value(parsed(about[_MODEL], f"its {_MODEL}"), "")
        if not isinstance(model, BaseEstimator):
            raise damaged(f"what it holds is {type(model).__name__}, and no model")
        unpacking.check_all_used()
        sizes = Sizes()
        sizes.deep = not mmap
        check_estimator(model, type(model).__name__, sizes)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)!s} cannot be loaded: {error}{_others(about)}") from None
    if not trust_pattern:
        _check_patterns(model, path)
    return model


def _others(about: dict[str, str]) -> str:
    """Says where a file was saved with other versions than these."""
    here = _versions()
    names = [name for name in ("plsa", "scikit-learn") if about.get(name, here[name]) != here[name]]
    saved = " and ".join(f"{name} {about[name][:20]}" for name in names)
    return f" It was saved with {saved}; here is {' and '.join(here[n] for n in names)}." if names else ""


def _check_patterns(model: Any, path: str | os.PathLike[str]) -> None:
    """Raises where a vectorizer cuts texts by a pattern that may never come to an end."""
    for name, pattern in model.get_params().items():
        if name.rpartition("__")[2] == "token_pattern" and pattern not in (None, *KNOWN_PATTERNS):
            found = f"{os.fspath(path)!s} has {name} == {pattern[:80]!r}, which is no usual pattern"
            way = "If you trust who made the file, pass trust_pattern=True"
            raise ValueError(f"{found} and may need forever for a text. {way}.")
