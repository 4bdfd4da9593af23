"""Docstrings of the installed packages: a labeled corpus that needs no download."""

import importlib
import inspect
import pkgutil
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from plsa.inputs import check_whole

# scikit-learn offers what is in these only after an import from sklearn.experimental, by whomever.
_ON_REQUEST = frozenset({"sklearn.impute._iterative", "sklearn.model_selection._search_successive_halving"})

# Modules that are not part of a package's subject, by the last part of their name: tests and tools
# for tests, build machinery, and those kept only for old callers, whose import warns or whose
# contents repeat another module (scipy.fftpack is scipy.fft of long ago).
# fmt: off
_PASSED_OVER = frozenset({
    "tests", "testing", "testutils", "estimator_checks", "conftest", "setup",
    "distutils", "f2py", "typing", "externals", "experimental", "compat",
    "core", "matlib", "misc", "odr", "fftpack", "cython_special",
})
# fmt: on

# What the packages are called in running text and in code.
_ALIASES = frozenset({"numpy", "np", "scipy", "sklearn", "scikit-learn"})

_SIGNATURE = re.compile(r"[\w.]+\(.*\)(\s*->.*)?\s*\Z", re.DOTALL)
_DOCTEST = re.compile(r"^[ \t]*>>>.*\n(?:[ \t]*\S.*\n?)*", re.MULTILINE)
# With the lines below it that are indented further. (They are not about the subject, and some are
# not the same twice: scipy writes the set of arguments that it deprecates in the order of hashes.)
_VERSION = re.compile(r"(?m)^([ \t]*)\.\. (?:version\w+|deprecated)::.*\n(?:(?:\1[ \t]+\S.*|[ \t]*)\n)*")
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. [\w-]+::", re.MULTILINE)
_ROLE = re.compile(r":[\w:+-]+:`~?([^`<]*?)\s*(?:<[^`]*>)?`")
_ADDRESS = re.compile(r"https?://\S+|\bsphx_glr\w*")
_DOTTED = re.compile(r"\b[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, order=True)
class _Entry:
    """A public object's place and what is written about it."""

    name: str
    label: str
    text: str


def load_docstrings(
    packages: str | Iterable[str] = ("numpy", "scipy", "sklearn"), *, min_words: int = 20, min_class: int = 20
) -> Bunch:
    """The docstrings of installed packages are a labeled corpus: a document per public object.

    A document is the docstring of one public function or class; its label is the sub-package it
    lives in, two names deep ("scipy.stats" also holds scipy.stats.qmc), or the package itself for
    what lives at the top. Nothing is downloaded; the corpus follows the versions installed.

    Parameters
    ----------
    packages : str or iterable of str
        Installed packages, by the name they are imported under.
    min_words : int
        Documents with fewer words than this, after cleaning, are left out.
    min_class : int
        Labels with fewer documents than this are left out, and their documents with them.

    Returns
    -------
    Bunch
        ``data`` : list of str, the texts, in the order of their dotted names.
        ``target`` : int array, the place of each document's label in ``target_names``.
        ``target_names`` : array of str, the labels, sorted.
        ``names`` : list of str, the dotted name each object can be imported under.
        ``DESCR`` : str, what the corpus is made of.

    Raises
    ------
    ImportError
        When a package asked for is not installed or cannot be imported. A *sub-module* that cannot
        be imported (an optional dependency is missing) is passed over.
    ValueError
        When a parameter is out of range or no document is left.

    Notes
    -----
    Guessing the label should take reading, so what gives it away without being about anything is
    taken out: call signatures that open a docstring, doctests with their output and imports,
    addresses, version notes, the packages' own names, and the modules in dotted names
    ("scipy.stats.norm" and "stats.norm" become "norm"; "See Also" keeps the names alone).
    A line that stands in more than one document of 200 (and in more than ten) is a form
    letter, and goes too: headings, "out : ndarray, optional", notes on array backends.

    An object counts once however often it is re-exported, under the label its ``__module__``
    agrees with best and then the shortest name. A text counts once: of those that share four
    fifths of their lines (numpy.ma repeats much of numpy) the one with the shortest path stays.

    Examples
    --------
    >>> from plsa.datasets import load_docstrings
    >>> corpus = load_docstrings("numpy")
    >>> print(corpus.target_names[corpus.target[corpus.names.index("numpy.linalg.svd")]])
    numpy.linalg
    """
    wanted = (packages,) if isinstance(packages, str) else tuple(packages)
    min_words = check_whole(min_words, "min_words", 0)
    min_class = check_whole(min_class, "min_class", 1)
    if not wanted:
        raise ValueError("packages is empty; name at least one installed package.")
    for package in wanted:
        if not isinstance(package, str) or not package.isidentifier():
            raise ValueError(f"packages must hold names of whole packages, as 'scipy'; found {package!r}.")

    # dict.fromkeys: a package named twice is read once.
    modules = {name: _public_modules(name) for name in dict.fromkeys(wanted)}
    entries = [entry for name in modules for entry in _public_objects(name, modules[name])]
    own = _ALIASES.union(modules)
    own_names = re.compile(rf"\b(?:{'|'.join(sorted(own))})\b", re.IGNORECASE)
    parts = own.union(part for found in modules.values() for path in found for part in path.split("."))
    entries = [replace(entry, text=_without_leaks(entry.text, parts, own_names)) for entry in entries]
    entries = _without_form_letters(entries)
    entries = [entry for entry in entries if len(_WORD.findall(entry.text)) >= min_words]
    entries = _without_copies(entries)
    size = Counter(entry.label for entry in entries)
    kept = sorted(entry for entry in entries if size[entry.label] >= min_class)
    if not kept:
        largest = max(size.values(), default=0)
        raise ValueError(
            f"no document is left of {', '.join(modules)}: {len(entries)} docstrings have {min_words} words "
            f"or more, and the largest class holds {largest} of them where min_class asks for {min_class}. "
            "Lower min_words or min_class; Python started with -OO has no docstrings at all."
        )
    target_names, target = np.unique([entry.label for entry in kept], return_inverse=True)
    versions = [f"{name} {getattr(found[name], '__version__', '')}" for name, found in modules.items()]
    return Bunch(
        data=[entry.text for entry in kept],
        target=target,
        target_names=target_names,
        names=[entry.name for entry in kept],
        DESCR=f"Docstrings of {', '.join(map(str.strip, versions))}: {len(kept)} functions and classes from "
        f"{len(target_names)} sub-packages.",
    )


def _public_modules(package: str) -> dict[str, ModuleType]:
    """Every public module of `package` that can be imported, by its dotted name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            root = importlib.import_module(package)
        except ImportError as error:
            text = f"load_docstrings cannot import {package!r} ({error}); install it, or leave it out."
            raise ImportError(text) from error
        modules = {package: root}
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            for found in pkgutil.iter_modules(getattr(parent, "__path__", ())):
                if found.name.startswith("_") or found.name in _PASSED_OVER:
                    continue
                path = f"{parent.__name__}.{found.name}"
                try:
                    module = importlib.import_module(path)
                except Exception:  # whatever an optional dependency does when it is missing
                    continue
                modules[path] = module
                if found.ispkg:
                    waiting.append(module)
    return modules


def _public_objects(package: str, modules: dict[str, ModuleType]) -> list[_Entry]:
    """Each documented function or class of `package` once, under its best public name."""
    objects: dict[int, Any] = {}
    places: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for path, module in modules.items():
        # vars() rather than getattr: names that a module only makes on request are those of
        # old callers (scipy.stats.stats), and asking for them warns.
        inside = vars(module)
        offered = inside.get("__all__")
        for name in list(inside if offered is None else offered):
            value = inside.get(name)
            # An instance (scipy.stats.norm) has no __name__; ufuncs and dispatchers have.
            if name.startswith("_") or not (callable(value) and hasattr(value, "__name__")):
                continue
            home = getattr(value, "__module__", None)
            if offered is None and not f"{home}.".startswith(f"{path}."):
                continue  # merely imported there
            if home is not None and str(home).split(".")[0] != package:
                continue  # another package's object, re-exported
            if home in _ON_REQUEST:
                continue  # there or not, by what else was imported
            if isinstance(getattr(value, "__doc__", None), str):
                objects[id(value)] = value
                places[id(value)].append((path, name))

    entries = []
    for key, value in objects.items():
        home = _label(str(getattr(value, "__module__", None)))
        ranks = [(_label(path) != home, path.count("."), path, name) for path, name in places[key]]
        _, _, path, name = min(ranks)
        entries.append(_Entry(f"{path}.{name}", _label(path), value.__doc__))
    return entries


def _label(path: str) -> str:
    """The sub-package that a module is in, two names deep."""
    return ".".join(path.split(".")[:2])


def _without_leaks(docstring: str, parts: frozenset[str], own_names: re.Pattern[str]) -> str:
    """The prose of a docstring, without what names its package or module.

    `parts` are what dotted names of modules are made of.
    """
    paragraphs = re.split(r"\n[ \t]*\n", inspect.cleandoc(docstring))
    while len(paragraphs) > 1 and _SIGNATURE.match(paragraphs[0]):
        paragraphs.pop(0)
    text = "\n\n".join(paragraphs) + "\n"
    text = _ROLE.sub(r"\1", _DIRECTIVE.sub(r"\1", _VERSION.sub("", _DOCTEST.sub("", text))))
    text = _ADDRESS.sub("", text)

    def object_only(match: re.Match[str]) -> str:
        path = match.group().split(".")
        known = path[0] in parts
        while path and (path[0] in parts or (known and path[0].startswith("_"))):
            path.pop(0)
        return ".".join(path)

    return own_names.sub("", _DOTTED.sub(object_only, text))


def _without_form_letters(entries: list[_Entry]) -> list[_Entry]:
    """The same documents without the lines that many of them share, and without empty lines."""
    lines = [[(_said(line), line.rstrip()) for line in entry.text.splitlines()] for entry in entries]
    documents = Counter(said for own in lines for said in {said for said, _ in own})
    most = max(10, len(entries) // 200)
    return [
        replace(entry, text="\n".join(ln for said, ln in own if said and documents[said] <= most))
        for entry, own in zip(entries, lines, strict=True)
    ]


def _without_copies(entries: list[_Entry]) -> list[_Entry]:
    """The documents of which no other, with a shorter path, shares four fifths of the lines."""
    kept: list[_Entry] = []
    sizes: list[int] = []
    holders: dict[str, list[int]] = defaultdict(list)  # line -> places in `kept`
    for entry in sorted(entries, key=lambda entry: (entry.name.count("."), entry.name)):
        own = {_said(line) for line in entry.text.splitlines()}
        shared = Counter(place for line in own for place in holders[line])
        if any(5 * both >= 4 * (len(own) + sizes[p] - both) for p, both in shared.items()):
            continue
        for line in own:
            holders[line].append(len(kept))
        kept.append(entry)
        sizes.append(len(own))
    return kept


def _said(line: str) -> str:
    """The words of a line, without its numbers, punctuation and spacing."""
    return " ".join(_WORD.findall(line))
