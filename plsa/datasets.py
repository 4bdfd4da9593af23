"""Corpora: docstrings of the installed packages, documents drawn from the model, a user's files.

Nothing here downloads anything, and nothing here knows the models: what comes out is what
`CountVectorizer` or an estimator takes in.
"""

import codecs
import contextlib
import csv
import gzip
import importlib
import inspect
import json
import math
import os
import pkgutil
import re
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TextIO

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import Bunch

from plsa.inputs import check_number, check_whole

__all__ = ["load_docstrings", "planted_corpus", "read_corpus"]


# --- docstrings ----------------------------------------------------------------------------------

# scikit-learn offers what is in these only after an import from sklearn.experimental, by whomever.
_ON_REQUEST = frozenset({"sklearn.impute._iterative", "sklearn.model_selection._search_successive_halving"})

# Modules that are no part of a package's subject, by the last part of their name: tests and tools
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
_VERSION = re.compile(
    r"^([ \t]*)\.\. (?:version\w+|deprecated)::.*\n(?:(?:\1[ \t]+\S.*|[ \t]*)\n)*", re.MULTILINE
)
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. [\w-]+::", re.MULTILINE)
_ROLE = re.compile(r":[\w:+-]+:`~?([^`<]*?)\s*(?:<[^`]*>)?`")
_ADDRESS = re.compile(r"https?://\S+|\bsphx_glr\w*")
_DOTTED = re.compile(r"\b[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_WORD = re.compile(r"[^\W\d_]{2,}")


class _Entry(NamedTuple):
    """A public object's place and what is written about it."""

    name: str
    label: str
    text: str


def load_docstrings(
    packages: str | Iterable[str] = ("numpy", "scipy", "sklearn"),
    *,
    min_words: int = 20,
    min_class: int = 20,
) -> Bunch:
    """The docstrings of installed packages are a labelled corpus: a document per public object.

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
            raise ValueError(
                f"packages must hold names of whole packages, such as 'scipy'; found {package!r}."
            )

    # dict.fromkeys: a package named twice is read once.
    modules = {name: _public_modules(name) for name in dict.fromkeys(wanted)}
    entries = [entry for name in modules for entry in _public_objects(name, modules[name])]
    own = _ALIASES.union(modules)
    own_names = re.compile(rf"\b(?:{'|'.join(sorted(own))})\b", re.IGNORECASE)
    parts = own.union(part for found in modules.values() for path in found for part in path.split("."))
    entries = [entry._replace(text=_without_leaks(entry.text, parts, own_names)) for entry in entries]
    entries = _without_form_letters(entries)
    entries = [entry for entry in entries if len(_WORD.findall(entry.text)) >= min_words]
    entries = _without_copies(entries)
    size = Counter(entry.label for entry in entries)
    kept = sorted(entry for entry in entries if size[entry.label] >= min_class)
    if not kept:
        largest = max(size.values(), default=0)
        raise ValueError(
            f"no document is left of {', '.join(modules)}: {len(entries)} docstrings have at least "
            f"{min_words} words, and the largest class holds {largest} of them where min_class "
            f"asks for {min_class}. Lower min_words or min_class; Python started with -OO has "
            "no docstrings at all."
        )
    labels = np.array([entry.label for entry in kept])
    target_names, target = np.unique(labels, return_inverse=True)
    versions = ", ".join(
        f"{name} {getattr(found[name], '__version__', '')}".strip() for name, found in modules.items()
    )
    return Bunch(
        data=[entry.text for entry in kept],
        target=target,
        target_names=target_names,
        names=[entry.name for entry in kept],
        DESCR=f"Docstrings of {versions}: {len(kept)} functions and classes from "
        f"{len(target_names)} sub-packages.",
    )


def _public_modules(package: str) -> dict[str, ModuleType]:
    """Every public module of `package` that can be imported, by its dotted name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            root = importlib.import_module(package)
        except ImportError as error:
            raise ImportError(
                f"load_docstrings cannot import {package!r} ({error}); install it, or leave it "
                "out of `packages`."
            ) from error
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
        home = str(getattr(value, "__module__", None)).split(".")

        def rank(place: tuple[str, str], home: list[str] = home) -> tuple[Any, ...]:
            path = place[0].split(".")
            return path[:2] != home[:2], len(path), place

        path, name = min(places[key], key=rank)
        label = ".".join(path.split(".")[:2])
        entries.append(_Entry(f"{path}.{name}", label, value.__doc__))
    return entries


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
        entry._replace(text="\n".join(ln for said, ln in own if said and documents[said] <= most))
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


# --- planted -------------------------------------------------------------------------------------

# A block of documents holds about this many tokens, and this many document x topic counts: its
# working memory is then some tens of megabytes whatever the size of the corpus. Changing either
# changes what a seed gives.
_BLOCK_TOKENS = 2**20
_BLOCK_TOPICS = 2**22

# Steps of the table that inverts a topic's cumulative probabilities; a power of two.
_GUIDE = 2**12

_LENGTHS = ("constant", "poisson", "lognormal")


def planted_corpus(
    n_documents: int = 1000,
    n_words: int = 2000,
    n_components: int = 10,
    *,
    n_classes: int | None = None,
    class_proportions: npt.ArrayLike | None = None,
    document_length: float = 100,
    length_distribution: str = "poisson",
    length_spread: float = 0.5,
    doc_concentration: float = 0.1,
    word_concentration: float = 0.1,
    zipf_exponent: float = 1.0,
    dtype: npt.DTypeLike = np.float32,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> Bunch:
    """The counts are drawn from a PLSA model whose parameters come with them.

    Each token of document d draws a topic z from P(z|d), then a word from P(w|z), so
    ``counts[d]`` is multinomial with probabilities ``doc_topic[d] @ word_topic.T``.

    Parameters
    ----------
    n_documents, n_words, n_components : int
        D, W and K: the sizes of the corpus, of the vocabulary and of the model.
    n_classes : int, optional
        Plant labels: each document has a class and each class its own ``n_components / n_classes``
        topics, outside which P(z|d) is zero. ``n_components`` must be a multiple of it.
    class_proportions : array-like of shape (n_classes,), optional
        How often each class is drawn, up to scale; equal by default.
    document_length : float
        Mean number of tokens in a document.
    length_distribution : {"constant", "poisson", "lognormal"}
        How lengths vary. "lognormal" is a Poisson whose rate is lognormal with that mean: long
        tails, as in real corpora. All but "constant" may draw an empty document.
    length_spread : float
        Standard deviation of the logarithm of the rate, at most 3; used by "lognormal" alone.
    doc_concentration : float
        P(z|d) is Dirichlet with this parameter for each topic the document may have: small means
        one topic a document, large means all alike.
    word_concentration : float
        P(w|z) is the word's overall frequency times gamma noise of this shape, normalised: small
        means topics that share few words. With ``zipf_exponent=0`` it is exactly Dirichlet.
    zipf_exponent : float
        The r-th most frequent word has overall frequency r ** -zipf_exponent before the noise.
        Ranks are dealt to columns at random, as an alphabetical vocabulary would have them.
    dtype : {float32, float64, int32, int64}
        Type of the counts. The parameters are float64.
    random_state : int, Generator, RandomState or None
        The same seed gives the same bits (with the same version of numpy).

    Returns
    -------
    Bunch
        ``counts`` : csr_array of shape (D, W), sorted and without duplicates; 32-bit indices
        where they fit.
        ``doc_topic`` : array of shape (D, K), P(z|d); rows sum to one.
        ``word_topic`` : array of shape (W, K), P(w|z); columns sum to one.
        ``document_length`` : int array of shape (D,), the row sums of ``counts``.
        ``target`` : int array of shape (D,), the class of each document; None without classes.
        ``topic_class`` : int array of shape (K,), the class of each topic; None without classes.
        ``DESCR`` : str, what was drawn.

    Notes
    -----
    Documents are drawn in blocks, each from its own child of the seed. Beyond what is returned, a
    block's tokens, one more (W, K) array and, at the end, a second copy of the indices are held;
    nothing has D x W or nonzeros x K entries.

    Examples
    --------
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(60, 500, 6, n_classes=3, random_state=0)
    >>> corpus.counts.shape, corpus.doc_topic.shape, corpus.word_topic.shape
    ((60, 500), (60, 6), (500, 6))
    >>> corpus.topic_class.tolist()
    [0, 0, 1, 1, 2, 2]
    >>> bool((corpus.counts.sum(axis=1) == corpus.document_length).all())
    True
    """
    n_documents = check_whole(n_documents, "n_documents", 1)
    n_words = check_whole(n_words, "n_words", 1)
    n_components = check_whole(n_components, "n_components", 1)
    proportions = _class_proportions(n_classes, class_proportions, n_components)
    mean_length = check_number(document_length, "document_length", above=0)
    if length_distribution not in _LENGTHS:
        raise ValueError(
            f"length_distribution must be one of {', '.join(_LENGTHS)}; found {length_distribution!r}."
        )
    if length_distribution == "constant" and mean_length != int(mean_length):
        raise ValueError(
            f"document_length must be a whole number of tokens when length_distribution is "
            f"'constant'; found {document_length!r}."
        )
    length_spread = check_number(length_spread, "length_spread", 0)
    if length_spread > 3:
        # One document in a thousand would be 400,000 times the median: memory, not a corpus.
        raise ValueError(f"length_spread must be at most 3; found {length_spread!r}.")
    doc_concentration = check_number(doc_concentration, "doc_concentration", 1e-100)
    word_concentration = check_number(word_concentration, "word_concentration", 1e-100)
    zipf_exponent = check_number(zipf_exponent, "zipf_exponent", 0)
    count_type = np.dtype(dtype)
    if count_type not in map(np.dtype, (np.float32, np.float64, np.int32, np.int64)):
        raise ValueError(f"dtype must be float32, float64, int32 or int64; found {count_type}.")

    # Without classes there is one that owns every topic: the same code draws both.
    topics_per_class = n_components // len(proportions)
    block = max(1, min(int(_BLOCK_TOKENS / max(mean_length, 1)), _BLOCK_TOPICS // topics_per_class))
    starts = range(0, n_documents, block)
    model_seed, *block_seeds = _seed_sequence(random_state).spawn(1 + len(starts))

    rng = np.random.default_rng(model_seed)
    rank = 1.0 + rng.permutation(n_words)
    topic_word = _dirichlet(rng, word_concentration, n_components, n_words, -zipf_exponent * np.log(rank))
    cumulative = np.cumsum(topic_word, axis=1)
    cumulative /= cumulative[:, -1:]  # ends in exactly 1, above every uniform number
    steps = np.arange(_GUIDE) / _GUIDE
    guide = np.stack([row.searchsorted(steps, side="right") for row in cumulative]).astype(
        _index_type(n_words)
    )
    word_topic = np.ascontiguousarray(topic_word.T)
    del topic_word

    doc_topic = np.zeros((n_documents, n_components))
    lengths = np.empty(n_documents, dtype=np.int64)
    target = np.empty(n_documents, dtype=np.int64)
    indptr = np.zeros(n_documents + 1, dtype=np.int64)
    indices, data = [], []
    for start, seed in zip(starts, block_seeds, strict=True):
        rng = np.random.default_rng(seed)
        rows = slice(start, min(start + block, n_documents))
        n_rows = rows.stop - rows.start
        target[rows] = rng.choice(len(proportions), size=n_rows, p=proportions)
        rate = np.full(n_rows, mean_length)
        if length_distribution == "lognormal":
            rate *= np.exp(rng.normal(-(length_spread**2) / 2, length_spread, size=n_rows))
        lengths[rows] = rate if length_distribution == "constant" else rng.poisson(rate)
        own_topic = _dirichlet(rng, doc_concentration, n_rows, topics_per_class)
        topics = target[rows, None] * topics_per_class + np.arange(topics_per_class)
        np.put_along_axis(doc_topic[rows], topics, own_topic, axis=1)
        # Only the class's own topics are drawn from: a multinomial gives what rounding leaves
        # over to its last category, even one of probability zero.
        tokens = rng.multinomial(lengths[rows], own_topic)
        documents, words = _draw_words(rng, tokens, topics, cumulative, guide)
        # Counted in whole numbers: in float32, ones stop adding up at 2 ** 24.
        ones = np.ones(len(words), dtype=np.int64)
        part = sparse.coo_array((ones, (documents, words)), shape=(n_rows, n_words)).tocsr()
        part.sum_duplicates()
        indptr[start + 1 : rows.stop + 1] = np.diff(part.indptr)
        indices.append(part.indices.astype(_index_type(n_words)))
        data.append(part.data.astype(count_type))

    np.cumsum(indptr, out=indptr)
    index_type = _index_type(max(n_words, int(indptr[-1])))
    all_data = np.concatenate(data)
    data.clear()
    all_indices = np.concatenate(indices).astype(index_type, copy=False)
    indices.clear()
    counts = sparse.csr_array(
        (all_data, all_indices, indptr.astype(index_type, copy=False)),
        shape=(n_documents, n_words),
    )
    counts.has_canonical_format = True  # true by construction; saves a pass over the nonzeros
    labelled = n_classes is not None
    return Bunch(
        counts=counts,
        doc_topic=doc_topic,
        word_topic=word_topic,
        document_length=lengths,
        target=target if labelled else None,
        topic_class=np.arange(n_components) // topics_per_class if labelled else None,
        DESCR=f"{n_documents} documents of {mean_length:g} tokens ({length_distribution}) drawn "
        f"from a PLSA model with {n_components} topics over {n_words} words"
        + (f", {topics_per_class} topics in each of {n_classes} classes." if labelled else "."),
    )


def _class_proportions(n_classes: Any, class_proportions: Any, n_components: int) -> npt.NDArray[np.float64]:
    """The probability of each class; a single class when none are asked for."""
    if n_classes is None:
        if class_proportions is not None:
            raise ValueError("class_proportions is given without n_classes; give n_classes too.")
        return np.ones(1)
    n_classes = check_whole(n_classes, "n_classes", 1)
    if n_components % n_classes:
        raise ValueError(
            f"n_components must be a multiple of n_classes, so that every class has as many "
            f"topics; found n_components={n_components}, n_classes={n_classes}."
        )
    if class_proportions is None:
        return np.full(n_classes, 1 / n_classes)
    proportions = np.asarray(class_proportions, dtype=np.float64)
    if proportions.shape != (n_classes,):
        raise ValueError(
            f"class_proportions must hold one number for each of the {n_classes} classes; found "
            f"shape {proportions.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(proportions) & (proportions >= 0)))
    if len(wrong):
        raise ValueError(
            f"class_proportions must be finite and not negative; found {proportions[wrong[0]]} "
            f"for class {wrong[0]}."
        )
    if not proportions.any():
        raise ValueError("class_proportions are all zero; at least one class must be possible.")
    scaled: npt.NDArray[np.float64] = (
        proportions / proportions.max()
    )  # first, so that the sum cannot overflow
    scaled /= scaled.sum()
    return scaled


def _seed_sequence(random_state: Any) -> np.random.SeedSequence:
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(2**31, size=4).tolist())
    try:
        return np.random.SeedSequence(check_whole(random_state, "random_state", 0))
    except ValueError as error:
        raise ValueError(
            f"random_state must be a whole number, at least 0, a numpy Generator, a RandomState "
            f"or None; found {random_state!r}."
        ) from error


def _dirichlet(
    rng: np.random.Generator,
    concentration: float,
    n_rows: int,
    n_columns: int,
    log_base: npt.NDArray[np.float64] | float = 0.0,
) -> npt.NDArray[np.float64]:
    """Rows of exp(log_base) * Gamma(concentration), each normalised to sum to one.

    In logarithms, by Gamma(a) = Gamma(a + 1) * U ** (1 / a): at small concentrations every gamma
    of a row would underflow to zero.
    """
    shape = (n_rows, n_columns)
    draw = rng.standard_gamma(concentration + 1, size=shape)
    np.log(draw, out=draw)
    draw -= rng.standard_exponential(size=shape) / concentration
    draw += log_base
    draw -= draw.max(axis=1, keepdims=True)
    np.exp(draw, out=draw)
    draw /= draw.sum(axis=1, keepdims=True)
    return draw


def _draw_words(
    rng: np.random.Generator,
    tokens: npt.NDArray[np.int64],
    topics: npt.NDArray[np.int64],
    cumulative: npt.NDArray[np.float64],
    guide: npt.NDArray[np.signedinteger[Any]],
) -> tuple[npt.NDArray[np.signedinteger[Any]], npt.NDArray[np.signedinteger[Any]]]:
    """The document and the word of each token.

    `tokens[d, j]` tokens of document d have topic `topics[d, j]`. A word inverts the topic's
    cumulative probabilities at a uniform number u: the first word whose cumulative exceeds u.
    Searching is the cost, so `guide` holds the answers for `_GUIDE` equal steps of u: the answer
    for u is never before that for the step it falls in, and mostly is that one.
    """
    row, column = np.nonzero(tokens)
    topic = topics[row, column]
    order = np.argsort(topic, kind="stable")  # one search per topic, over all its tokens
    row, column, topic = row[order], column[order], topic[order]
    repeats = tokens[row, column]
    documents = np.repeat(row.astype(np.int32), repeats)
    uniform = rng.random(len(documents))
    step = (uniform * _GUIDE).astype(np.int32)  # exact: _GUIDE is a power of two
    words = np.empty(len(documents), dtype=guide.dtype)
    ends = np.cumsum(np.bincount(topic, weights=repeats, minlength=len(guide))).astype(np.int64)
    first = 0
    for z, end in enumerate(ends):
        if first < end:
            u = uniform[first:end]
            word = guide[z].take(step[first:end])
            late = np.flatnonzero(cumulative[z].take(word) <= u)
            # side="right" steps over words of probability zero.
            word[late] = cumulative[z].searchsorted(u[late], side="right")
            words[first:end] = word
        first = end
    return documents, words


def _index_type(largest: int) -> type[np.signedinteger[Any]]:
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


# --- files ---------------------------------------------------------------------------------------

_FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "txt",
}


class _Record(NamedTuple):
    """A document as it stands in a file; `place` is a line number or a file's path."""

    place: str
    text: Any
    label: Any


def read_corpus(
    path: str | os.PathLike[str],
    *,
    text: str = "text",
    label: str | None = "label",
    unlabeled: str | None = None,
    encoding: str = "utf-8",
) -> Bunch:
    """Every document at `path` is read, with its label where it has one, or nothing is.

    Parameters
    ----------
    path : str or path-like
        What is read follows from the name; each kind of file may be compressed (".gz"):

        * ".jsonl", ".ndjson": one JSON object a line. Blank lines are passed over.
        * ".csv", ".tsv": a header, then one document a row.
        * ".txt": one document a line, a blank line too, so that document i is line i + 1.
        * a folder: each ".txt" file in it is a document. The sub-folder it lies in, at the first
          level, is its label; files directly in the folder have none. Names that begin with a
          dot are passed over; other files are, too, with a warning.
    text : str
        The field or column that holds the text.
    label : str or None
        The field or column that holds the label. A corpus without a field "label" is one without
        labels; any other name must occur. None: labels are not read.
    unlabeled : str, optional
        A label that also means "no label", for example "-1" or "unknown".
    encoding : str
        Encoding of the files. A byte order mark is dropped.

    Returns
    -------
    Bunch
        ``data`` : list of str, the texts as they stand.
        ``target`` : object array, each document's label as a str, or None where it is absent, null
        or blank. Numbers become what JSON writes for them, so that 3 is "3" from every format.
        ``target_names`` : array of str, the labels that occur, sorted.
        ``names`` : list of str, where each document stands: "line 7", or its file in the folder.

    Raises
    ------
    FileNotFoundError
        When there is nothing at `path`.
    ValueError
        When a line or file cannot be read as above; the message says which and why.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from plsa.datasets import read_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "reviews.csv")
    ...     _ = path.write_text("text,label\\ngood value,praise\\nit broke,\\n")
    ...     corpus = read_corpus(path)
    >>> corpus.data
    ['good value', 'it broke']
    >>> corpus.target.tolist()
    ['praise', None]
    """
    path = Path(path)
    try:
        codec = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"encoding {encoding!r} is not known to Python; try 'utf-8'.") from None
    if codec == "utf-8":
        codec = "utf-8-sig"  # the same, less the byte order mark that spreadsheets write
    if path.is_dir():
        records = _read_folder(path, codec, label is not None)
    elif path.exists():
        records = _read_file(path, codec, text, label)
    else:
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}.")

    data: list[str] = []
    labels: list[str | None] = []
    names: list[str] = []
    with contextlib.closing(records):  # an error below closes the file, too
        for record in records:
            if not isinstance(record.text, str):
                raise ValueError(
                    f"{path}, {record.place}: {text!r} must be a string; found {_shown(record.text)}."
                )
            data.append(record.text)
            labels.append(_label(path, record, label, unlabeled))
            names.append(record.place)
    if not data:
        raise ValueError(f"{path} holds no document.")
    target = np.empty(len(labels), dtype=object)
    target[:] = labels
    return Bunch(
        data=data,
        target=target,
        target_names=np.array(sorted({name for name in labels if name is not None}), dtype=str),
        names=names,
    )


def _label(path: Path, record: _Record, field: str | None, unlabeled: str | None) -> str | None:
    value = record.label
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, str):
        if not isinstance(value, bool | int | float):
            raise ValueError(
                f"{path}, {record.place}: {field!r} must be a string, a number or null; found "
                f"{_shown(value)}. One label a document."
            )
        value = json.dumps(value)
    value = value.strip()
    return value if value and value != unlabeled else None


def _shown(value: Any) -> str:
    """A value as an error shows it: its JSON, cut short."""
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 60 else written[:57] + "..."


def _read_file(path: Path, codec: str, text: str, label: str | None) -> Generator[_Record, None, None]:
    """The documents of one file; whatever goes wrong in decoding names the file and the line."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    form = _FORMATS.get("".join(suffixes[-2:-1] if packed else suffixes[-1:]))
    if form is None:
        raise ValueError(
            f"cannot tell what {path.name!r} holds from its name; read_corpus reads "
            f"{', '.join(_FORMATS)}, each also with .gz, and folders of .txt files."
        )
    try:
        with _opened(path, codec, packed) as file:
            if form == "jsonl":
                yield from _read_jsonl(path, file, text, label)
            elif form == "txt":
                for number, line in enumerate(file, 1):
                    yield _Record(f"line {number}", line.rstrip("\r\n"), None)
            else:
                yield from _read_table(path, file, text, label, "," if form == "csv" else "\t")
    except UnicodeDecodeError as error:
        raise ValueError(_undecoded(path, codec, packed, error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a whole gzip file ({error}); make it again.") from error


def _opened(path: Path, codec: str, packed: bool, errors: str = "strict") -> TextIO:
    # newline="": a quoted field of a table keeps the line breaks it was written with.
    if packed:
        return gzip.open(path, "rt", encoding=codec, errors=errors, newline="")
    return open(path, encoding=codec, errors=errors, newline="")


def _undecoded(path: Path, codec: str, packed: bool, error: UnicodeDecodeError) -> str:
    """Which line has bytes that `codec` does not know.

    Files are decoded ahead of the line being read, so the line is found by reading again with
    the unknown bytes marked.
    """
    where = str(path)
    with _opened(path, codec, packed, "surrogateescape") as file:
        try:
            for number, line in enumerate(file, 1):
                if any("\udc80" <= character <= "\udcff" for character in line):
                    where += f", line {number}"
                    break
        except UnicodeError:
            pass  # a codec that cannot mark them: the file's name must do
    found = error.object[error.start : error.start + 1]
    return (
        f"{where}: not {codec.removesuffix('-sig')}, found byte {found!r} ({error.reason}); "
        "give the file's encoding, e.g. encoding='latin-1'."
    )


def _read_jsonl(path: Path, file: TextIO, text: str, label: str | None) -> Generator[_Record, None, None]:
    labelled = False
    number = 0
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{path}, {place}: not JSON ({error}); every line must be one whole object such "
                f'as {{"{text}": "..."}}.'
            ) from error
        if not isinstance(value, dict):
            raise ValueError(f"{path}, {place}: not a JSON object; found {_shown(value)}.")
        if text not in value:
            raise ValueError(
                f"{path}, {place}: no field {text!r}; found {_listed(value)}. Say which one holds "
                "the text with text=..."
            )
        labelled |= label in value
        yield _Record(place, value[text], None if label is None else value.get(label))
    if label not in (None, "label") and number and not labelled:
        raise ValueError(f"{path}: no line has a field {label!r}; say which one with label=...")


def _read_table(
    path: Path, file: TextIO, text: str, label: str | None, delimiter: str
) -> Generator[_Record, None, None]:
    before = 0
    # The csv module refuses fields above 128 kB by default, and only has a global switch.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        # strict: a quote that is never closed would otherwise swallow the rest of the file.
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        header = next(rows, [])
        for column, needed in ((text, True), (label, label not in (None, "label"))):
            times = header.count(column) if column is not None else 0
            if times > 1 or (needed and not times):
                what = f"{times} columns are" if times else "no column is"
                parameter = "text" if column == text else "label"
                raise ValueError(
                    f"{path}, line 1: {what} called {column!r}; found {_listed(header)}. Say which "
                    f"one to read with {parameter}=..."
                )
        text_at = header.index(text)
        label_at = header.index(label) if label in header else None
        before = rows.line_num
        for row in rows:
            place = f"line {before + 1}"
            before = rows.line_num
            if not row:
                continue  # a blank line
            if len(row) != len(header):
                raise ValueError(
                    f"{path}, {place}: {len(row)} fields where the header has {len(header)}; put "
                    "quotes around a field that holds the separator or a line break."
                )
            yield _Record(place, row[text_at], None if label_at is None else row[label_at])
    except csv.Error as error:
        raise ValueError(
            f"{path}, line {before + 1}: {error}; a field with quotes in it must be quoted, and "
            'its own quotes doubled ("").'
        ) from error
    finally:
        csv.field_size_limit(limit)


def _listed(names: Iterable[str]) -> str:
    found = [repr(name) for name in names]
    return ", ".join(found[:10]) + (", ..." if len(found) > 10 else "") or "none"


def _read_folder(folder: Path, codec: str, labelled: bool) -> Generator[_Record, None, None]:
    paths: list[str] = []
    others: list[str] = []
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                inside = Path(at, name).relative_to(folder)
                (paths if inside.suffix.lower() == ".txt" else others).append(inside.as_posix())
    if others:
        more = f"{len(others)} file(s) in {folder} are not .txt"
        if not paths:
            raise ValueError(f"{more} and none is, e.g. {min(others)!r}; give documents as .txt.")
        warnings.warn(f"{more} and were passed over, e.g. {min(others)!r}.", stacklevel=3)
    for name in sorted(paths):
        above = name.split("/")[:-1]
        try:
            content = Path(folder, name).read_text(encoding=codec)
        except UnicodeDecodeError as error:
            raise ValueError(_undecoded(Path(folder, name), codec, False, error)) from error
        yield _Record(name, content, above[0] if above and labelled else None)
