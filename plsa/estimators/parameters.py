"""What the parameters and fitted attributes of the estimators mean, said once.

An estimator is a dataclass of its parameters. Tables say of each parameter what it may be and what it is for,
and of each fitted attribute what it is: those below for all estimators, `_parameters` and `_attributes` of a
class for what it has alone or otherwise. Both the checks and the docstrings are made of them.
"""

import ast
import inspect
import numbers
import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from plsa.inputs import check_choice, check_strength, check_whole, is_auto

Check = Callable[[Any, str], Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a parameter may be, or what a fitted attribute is, and what it is for."""

    kind: str
    text: str


def parse(table: str) -> dict[str, Entry]:
    """The entries of a table, by name.

    An entry is a line "name : kind" and the lines of its text, indented. A line of names alone stands for the
    entries that ATTRIBUTES has of them.
    """
    found: dict[str, Entry] = {}
    for block in re.split(r"\n(?=\S)", textwrap.dedent(table).strip()):
        first, _, text = block.partition("\n")
        names, colon, kind = first.partition(" : ")
        if colon:
            found[names] = Entry(kind, " ".join(text.split()))
        elif names:
            found |= {name: ATTRIBUTES[name] for name in names.split(", ")}
    return found


PARAMETERS = parse("""
topics_per_class : int, list, dict or "auto"
    Topics of each class: one number, one for each class in sorted order, or a mapping from class to number;
    where `classes` declares classes without an example, these have an entry, which is not read. "auto": 2 or
    4 where labeled documents held out show that they are better than 1.
extra_topics : int >= 0
    Topics open to every class. Whose they are is learned: P(y|z) follows from the documents that use them.
scaling : "auto", None or CountScaler
    What is done to the counts first; None takes them as they are. "auto" takes the one of four under which
    labeled documents held out are classified best; with too few labels to hold any out it takes log counts at
    constant length.
init : {"labels", "random", "all random"}
    Where P(w|z) starts: at the words of the class's documents and of the corpus, half and half, or at the
    corpus's words times random draws. "all random" draws P(z|d) and what the gate learns too, each
    distribution as probable as any other, as the papers do; what is said of a document of the fit then
    depends on its row.
smoothing : float >= 0
    Pseudo-count of every word in every topic. 0 is plain maximum likelihood: words that were never seen are
    impossible.
prior_strength : float >= 0
    Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes are, in
    the fit and in prediction. Without it a short document of a frequent class is too easily taken for one of
    a rare class.
max_iter : int >= 0
    Most passes over the corpus that update the parameters; a leap (see `accelerate`) may take one more. Where
    there are classes, more passes raise the likelihood and not the accuracy.
tol : float >= 0
    The fit has settled when an update gains no more than this much log-likelihood per word of the corpus.
n_init : int >= 1
    Random starts; the one with the highest objective is kept.
accelerate : bool
    Leap ahead after every two passes (SQUAREM). Takes fewer passes to the same objective and twice the
    memory; a leap that would lower the objective is taken back.
fold_iter : int >= 0
    Most rounds in which the topics of a new document are found; see `transform`.
fold_tol : float >= 0
    A new document has settled when none of its topics moves by more than this; see `transform`.
dtype : {None, "float32", "float64"}
    What is computed in. None: as X, and float32 for integers.
random_state : int, RandomState or None
    Seed of all that is drawn. The same seed gives the same bits with any number of threads.
n_threads : int or None
    Threads. None: as many as help, up to all processors; -1: all, -2: all but one. Passes of less than about
    a millisecond are made by one, however many are asked for: the bits are the same.
verbose : int
    Whether to show on stderr which of how many stages the fit is at, with a bar, and how it ended.
callback : callable or None
    Called with a `plsa.engine.em.Pass` after every pass; the fit stops where it returns something true.
unlabeled : any
    The entry of y that marks a document without a label; None, NaN and blank strings do so always. None: only
    they do.
classes : None or list
    The classes that there are, if y may lack some: `classes_` has all of them, and so have probabilities and
    what else has an entry per class. One without an example teaches nothing: it has 0 everywhere, is never
    predicted, and a warning names it. A label that is not among them is an error. None: those that y has.
tfidf : bool
    Whether counts become TF-IDF. Documents have unit length in any case.
""")

ATTRIBUTES = parse("""
model_ : value
    All that was learned and that predicting needs, as one frozen value.
classes_ : array
    The classes, sorted.
class_count_ : (n_classes,) array
    How often each class is labeled; a weight is a repetition.
components_ : (n_topics, n_features) array
    P(w|z), topics in the order of their classes, extra ones last.
topic_class_ : (n_topics,) array of int
    The place in `classes_` of each topic's class; -1 for extra topics.
label_topic_ : (n_classes, n_topics) array
    P(y|z).
topic_prior_ : (n_topics,) array
    P(z) that documents start from; not how large the topics came out: that is `doc_topic_.mean(axis=0)`, the
    share that `top_words` shows.
class_prior_ : (n_classes,) array
    How frequent the classes are among the labeled documents, each counted once more.
prior_strength_ : float
    What `prior_strength` was, or was chosen to be.
doc_topic_ : (n_documents, n_topics) array
    P(z|d) of the documents of the fit; a document without words has the prior.
scaling_ : CountScaler or None
    What is done to the counts, fitted.
scaling_scores_ : dict
    The cross-validated accuracy of each scaling that "auto" tried on the labels alone; empty where it tried
    none.
sharpness_ : float
    The power that probabilities are raised to, as held-out documents ask for; else 1. Of a linear student:
    what its scores are multiplied by.
leveling_ : float
    Of a linear student: its probabilities are softmax(sharpness_ * scores / h ** leveling_), h being how far
    the most probable class of a document is above the mean of all (at least 0.01). 0 where there is none.
objective_trace_ : array
    The objective before each update and at the end.
log_likelihood_ : float
    The log-likelihood of the documents of the fit.
n_iter_ : int
    Passes made, but for the first, which only finds where the start stands.
stop_reason_ : {"settled", "early", "rounds", "fell", "callback", "interrupted"}
    Only "settled" is convergence. "interrupted": Ctrl-C came, and what was learned by then was kept.
n_impossible_ : int
    Nonzeros of X that have probability zero; 0 unless a start rules words out.
n_features_in_ : int
    The number of columns of X.
feature_names_in_ : array
    The names of the columns of X, where it has names.
transduction_ : (n_documents, n_classes) array
    P(class|document) of the documents of the fit; 1 for the class of a labeled one.
guesses_ : (n_documents,) array
    The most probable class of each document of the fit; its label where there is one.
coef_ : (n_features,) array
    The weight of each word.
intercept_ : float
    Scores are vectors times `coef_` plus this.
scaler_ : CountScaler
    What makes vectors of counts.
""")


def check_of(kind: str) -> Check | None:
    """What raises where a parameter is not of its kind; None where only the data can tell.

    Kinds are "bool", "int >= 1", "float >= 0", "float > 0", words, None, sets of these in braces, and several
    of them with commas or "or" between.
    """
    words: list[Any] = []
    check: Check | None = None
    for each in re.split(r", (?:or )?| or ", kind.strip("{}")):
        bound = re.fullmatch(r"(int|float) (>=|>) (\S+)", each)
        if bound is not None:
            limit = float(bound[3])
            above = limit if bound[2] == ">" else None
            number = partial(check_strength, smallest=limit, above=above)
            check = partial(check_whole, smallest=int(limit)) if bound[1] == "int" else number
        elif each == "bool":
            words += [True, False]
        elif each == "None" or each.startswith('"'):
            words.append(ast.literal_eval(each))
        else:
            return None
    return _words_or(words, check)


def _words_or(words: list[Any], check: Check | None) -> Check:
    """One of these words, or what a check allows."""
    if check is None or not words:
        return check or partial(check_choice, choices=words)
    shown = " or ".join("None" if word is None else f'"{word}"' for word in words)

    def checked(value: Any, name: str) -> None:
        if not any(value is word or (isinstance(value, str) and value == word) for word in words):
            check(value, f"{name} (if not {shown})")

    return checked


def _check_callback(value: Any, name: str) -> None:
    if value is not None and not callable(value):
        raise ValueError(f"{name} == {value!r}, but must be None or callable.")


def _check_threads(value: Any, name: str) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if value is not None and (not whole or value == 0):
        must = "None (as many as help), a number >= 1, or negative (-1: all, -2: all but one)"
        raise ValueError(f"{name} == {value!r}, but must be {must}.")


def _check_scaling(value: Any, name: str) -> None:
    if value is None or is_auto(value):
        return
    if isinstance(value, type) or not hasattr(value, "as_value"):
        raise ValueError(f"{name} == {value!r}, but must be 'auto', None or a CountScaler.")
    check_parameters(value)


def _check_mark(value: Any, name: str) -> None:
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        raise ValueError(f"{name} == {value!r}, but must be one value: a string, a number or None.")


# Of what its kind alone does not tell; a class has its own in `_checks`.
CHECKS: dict[str, Check | None] = {
    "callback": _check_callback,
    "dtype": None,  # NumPy's types, too
    "n_threads": _check_threads,
    "scaling": _check_scaling,
    "unlabeled": _check_mark,
}


def check_parameters(model: Any) -> None:
    """Raises where a parameter of an estimator is not what it may be."""
    table, checks = _parameters(type(model)), dict(CHECKS)
    for base in reversed(type(model).__mro__):
        checks |= vars(base).get("_checks", {})
    for name, value in model.get_params(deep=False).items():
        check = checks[name] if name in checks else check_of(table[name].kind)
        if check is not None:
            check(value, name)


def attributes_of(cls: type) -> set[str]:
    """The names of the attributes that a fit of such an estimator sets, as far as they are public."""
    return {*_of_class(cls, "_attributes")}


def _parameters(cls: type) -> dict[str, Entry]:
    return PARAMETERS | _of_class(cls, "_parameters")


def _of_class(cls: type, table: str) -> dict[str, Entry]:
    """What a class and its bases have in a table of theirs, the class having the last word."""
    found: dict[str, Entry] = {}
    for base in reversed(cls.__mro__):
        found |= parse(vars(base).get(table, ""))
    return found


class Printed:
    """An estimator that its authors have printed: `as_printed` is theirs, as far as they say what it is."""

    _printed: ClassVar[dict[str, Any]] = {}

    @classmethod
    def as_printed(cls, **changes: Any) -> Self:
        """The estimator as its authors print it, but for `changes` of its parameters.

        It is there to be compared with, and to find what they found: the defaults are better.
        """
        printed: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            printed |= vars(base).get("_printed", {})
        return cls(**(printed | changes))


@dataclass_transform(eq_default=False)
def estimator(cls: type[T]) -> type[T]:
    """A dataclass of parameters, its docstring filled with what they and the fitted attributes mean."""
    made = dataclass(eq=False, repr=False)(cls)
    if cls.__doc__ is not None:
        made.__doc__ = _described(made, inspect.cleandoc(cls.__doc__))
    return made


def _described(cls: type, text: str) -> str:
    """A docstring with sections for parameters and attributes, before its Notes, References and Examples."""
    table, signature = _parameters(cls), inspect.signature(cls).parameters
    names = sorted(signature, key=lambda name: _distance(cls, signature[name]))
    kinds = {name: f"{table[name].kind}, default={signature[name].default!r}" for name in names}
    parameters = {name: Entry(kind, table[name].text) for name, kind in kinds.items()}
    filled = ""
    for title, entries in (("Parameters", parameters), ("Attributes", _of_class(cls, "_attributes"))):
        if entries:
            filled += f"\n{title}\n{'-' * len(title)}\n"
        for name, entry in entries.items():
            lines = textwrap.wrap(entry.text, 100, initial_indent="    ", subsequent_indent="    ")
            filled += "\n".join([f"{name} : {entry.kind}", *lines, ""])
    at = re.search(r"^(Notes|References|Examples)\n---", text, flags=re.MULTILINE)
    end = at.start() if at else len(text)
    return text[:end].rstrip("\n") + "\n" + filled + ("\n" + text[end:] if at else "")


def _distance(cls: type, parameter: inspect.Parameter) -> int:
    """How far from the class the base is that introduced a parameter: what is its own comes first."""
    if parameter.kind is not parameter.KEYWORD_ONLY:
        return -1
    places = enumerate(cls.__mro__)
    return max(n for n, base in places if parameter.name in inspect.get_annotations(base))
