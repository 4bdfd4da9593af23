"""What the parameters and fitted attributes of the estimators mean, said once.

An estimator is a dataclass of its parameters. A table says of each parameter what it may be, how that is
checked, and what it is for; another what each fitted attribute is. `estimator` makes whole docstrings of them.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, dataclass_transform

from plsa.inputs import check_choice, check_number, check_threads, check_whole, is_auto

Check = Callable[[Any, str], Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a parameter may be, what it is for, and what raises where it is something else."""

    kind: str
    text: str
    check: Check | None = None  # None: only the data can tell


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a fitted attribute is."""

    kind: str
    text: str = ""


def whole(smallest: int) -> Check:
    """A whole number, no smaller than this."""
    return partial(check_whole, smallest=smallest)


def number(smallest: float = 0.0, *, above: float | None = None) -> Check:
    """A finite number, no smaller than this, or above that."""
    return partial(check_number, smallest=smallest, above=above)


def choice(*choices: Any) -> Check:
    """One of these."""
    return partial(check_choice, choices=list(choices))


def auto_or(check: Check, word: str = "auto") -> Check:
    """What the check allows, or a word."""

    def checked(value: Any, name: str) -> None:
        if not (isinstance(value, str) and value == word):
            check(value, f'{name} (if not "{word}")')

    return checked


def _check_callback(value: Any, name: str) -> None:
    if value is not None and not callable(value):
        raise ValueError(f"{name} == {value!r}, but must be None or callable.")


def _check_scaling(value: Any, name: str) -> None:
    if value is not None and not is_auto(value) and not hasattr(value, "as_value"):
        raise ValueError(f"{name} == {value!r}, but must be 'auto', None or a CountScaler.")


# Of several estimators; what one of them has for itself, or has otherwise, stands with its class.
PARAMETERS: dict[str, Parameter] = {
    "topics_per_class": Parameter(
        'int, list, dict or "auto"',
        "Topics of each class: one number, one for each class in sorted order, or a mapping from class to "
        'number. "auto": 2 or 4 where labeled documents held out show that they are better than 1.',
    ),
    "extra_topics": Parameter(
        "int",
        "Topics open to every class. Whose they are is learned: P(y|z) follows from the documents that use "
        "them.",
        whole(0),
    ),
    "scaling": Parameter(
        '"auto", None or CountScaler',
        'What is done to the counts first; None takes them as they are. "auto" takes the one of four under '
        "which labeled documents held out are classified best; with too few labels to hold any out it takes "
        "log counts at constant length.",
        _check_scaling,
    ),
    "init": Parameter(
        '{"labels", "random"}',
        "Where P(w|z) starts: at the words of the class's documents and of the corpus, half and half, or at "
        "the corpus's words times random draws, as the papers do.",
        choice("labels", "random"),
    ),
    "smoothing": Parameter(
        "float",
        "Pseudo-count of every word in every topic. 0 is plain maximum likelihood: words that were never "
        "seen are impossible.",
        number(),
    ),
    "prior_strength": Parameter(
        "float",
        "Pseudo-counts added to every document's topics, shared in proportion to how frequent the classes "
        "are, in the fit and in prediction. Without it a short document of a frequent class is too easily "
        "taken for one of a rare class.",
        number(),
    ),
    "max_iter": Parameter(
        "int",
        "Most passes over the corpus that update the parameters; a leap (see `accelerate`) may take one "
        "more. Where there are classes, more passes raise the likelihood and not the accuracy.",
        whole(0),
    ),
    "tol": Parameter(
        "float",
        "The fit has settled when an update gains no more than this much log-likelihood per word of the "
        "corpus.",
        number(),
    ),
    "n_init": Parameter("int", "Random starts; the one with the highest objective is kept.", whole(1)),
    "accelerate": Parameter(
        "bool",
        "Leap ahead after every two passes (SQUAREM). Takes fewer passes to the same objective and twice the "
        "memory; a leap that would lower the objective is taken back.",
        choice(True, False),
    ),
    "fold_iter": Parameter(
        "int", "Most rounds in which the topics of a new document are found; see `transform`.", whole(0)
    ),
    "fold_tol": Parameter(
        "float",
        "A new document has settled when none of its topics moves by more than this; see `transform`.",
        number(),
    ),
    "dtype": Parameter(
        '{None, "float32", "float64"}', "What is computed in. None: as X, and float32 for integers."
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed of all that is drawn. The same seed gives the same bits with any number of threads.",
    ),
    "n_threads": Parameter(
        "int or None",
        "Threads. None: as many as help, up to all processors; -1: all, -2: all but one.",
        lambda value, name: check_threads(value),
    ),
    "verbose": Parameter("int", "Whether to show progress."),
    "callback": Parameter(
        "callable or None",
        "Called with a `plsa.engine.em.Pass` after every pass; the fit stops where it returns something "
        "true.",
        _check_callback,
    ),
    "unlabeled": Parameter(
        "",
        "The entry of y that marks a document without a label; None and NaN do so always. None: only they "
        "do.",
    ),
    "tfidf": Parameter(
        "bool",
        "Whether counts become TF-IDF. Documents have unit length in any case.",
        choice(True, False),
    ),
}

ATTRIBUTES: dict[str, Attribute] = {
    "model_": Attribute("value", "All that predicting needs, as one frozen value."),
    "classes_": Attribute("array", "The classes, sorted."),
    "components_": Attribute(
        "(n_topics, n_features) array",
        "P(w|z), topics in the order of their classes, extra ones last.",
    ),
    "topic_class_": Attribute(
        "(n_topics,) array of int", "The place in `classes_` of each topic's class; -1 for extra topics."
    ),
    "label_topic_": Attribute("(n_classes, n_topics) array", "P(y|z)."),
    "topic_prior_": Attribute("(n_topics,) array", "P(z) that documents start from."),
    "class_prior_": Attribute(
        "(n_classes,) array",
        "How frequent the classes are among the labeled documents, each counted once more.",
    ),
    "prior_strength_": Attribute("float", "What `prior_strength` was, or was chosen to be."),
    "doc_topic_": Attribute(
        "(n_documents, n_topics) array",
        "P(z|d) of the documents of the fit; a document without words has the prior.",
    ),
    "scaling_": Attribute("CountScaler or None", "What is done to the counts, fitted."),
    "scaling_scores_": Attribute(
        "dict",
        'The cross-validated accuracy of each scaling that "auto" tried on the labels alone; empty where it '
        "tried none.",
    ),
    "sharpness_": Attribute(
        "float", "The power that probabilities are raised to, as held-out documents ask for; else 1."
    ),
    "objective_trace_": Attribute("array", "The objective before each update and at the end."),
    "log_likelihood_": Attribute("float", "The log-likelihood of the documents of the fit."),
    "n_iter_": Attribute("int", "Passes made, but for the first, which only finds where the start stands."),
    "stop_reason_": Attribute(
        '{"settled", "early", "rounds", "fell", "callback", "interrupted"}',
        'Only "settled" is convergence.',
    ),
    "n_impossible_": Attribute(
        "int", "Nonzeros of X that have probability zero; 0 unless a start rules words out."
    ),
    "n_features_in_": Attribute("int", "The number of columns of X."),
    "feature_names_in_": Attribute("array", "The names of the columns of X, where it has names."),
    "transduction_": Attribute(
        "(n_documents, n_classes) array",
        "P(class|document) of the documents of the fit; 1 for the class of a labeled one.",
    ),
    "guesses_": Attribute(
        "(n_documents,) array",
        "The most probable class of each document of the fit; its label where there is one.",
    ),
    "coef_": Attribute("(n_features,) array", "The weight of each word."),
    "intercept_": Attribute("float", "Scores are vectors times `coef_` plus this."),
    "scaler_": Attribute("CountScaler", "What makes vectors of counts."),
}


def shared(*names: str) -> dict[str, Attribute]:
    """These attributes, as they are described once for all."""
    return {name: ATTRIBUTES[name] for name in names}


def of_class(cls: type, table: str) -> dict[str, Any]:
    """What a class and its bases have in a table of theirs, the class having the last word."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found |= vars(base).get(table, {})
    return found


def check_parameters(model: Any) -> None:
    """Raises where a parameter of an estimator is not what it may be."""
    table = PARAMETERS | of_class(type(model), "_parameters")
    for name, value in model.get_params(deep=False).items():
        check = table[name].check
        if check is not None:
            check(value, name)


@dataclass_transform(eq_default=False)
def estimator(cls: type[T]) -> type[T]:
    """A dataclass of parameters, its docstring filled with what they and the fitted attributes mean.

    The class has its own entries, beside those of PARAMETERS, in `_parameters`, and all fitted attributes, its
    bases' included, in `_attributes`.
    """
    made = dataclass(eq=False, repr=False)(cls)
    if cls.__doc__ is not None:
        made.__doc__ = _described(made, inspect.cleandoc(cls.__doc__))
    return made


def _described(cls: type, text: str) -> str:
    """A docstring with sections for parameters and attributes, before its Notes, References and Examples."""
    table = PARAMETERS | of_class(cls, "_parameters")
    signature = inspect.signature(cls).parameters
    parameters = [
        (name, _with_default(table[name].kind, signature[name].default), table[name].text)
        for name in sorted(signature, key=lambda name: _distance(cls, signature[name]))
    ]
    attributes = [(name, each.kind, each.text) for name, each in of_class(cls, "_attributes").items()]
    filled = ""
    for title, entries in (("Parameters", parameters), ("Attributes", attributes)):
        if entries:
            filled += f"\n{title}\n{'-' * len(title)}\n" + "".join(_entry(*entry) for entry in entries)
    at = re.search(r"^(Notes|References|Examples)\n---", text, flags=re.MULTILINE)
    end = at.start() if at else len(text)
    return text[:end].rstrip("\n") + "\n" + filled + ("\n" + text[end:] if at else "")


def _distance(cls: type, parameter: inspect.Parameter) -> int:
    """How far from the class the base is that introduced a parameter: what is its own comes first."""
    if parameter.kind is not parameter.KEYWORD_ONLY:
        return -1
    return max(
        place
        for place, base in enumerate(cls.__mro__)
        if parameter.name in vars(base).get("__annotations__", ())
    )


def _with_default(kind: str, default: Any) -> str:
    return ", ".join(part for part in (kind, f"default={default!r}") if part)


def _entry(name: str, kind: str, text: str) -> str:
    lines = textwrap.wrap(text, 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"{name} : {kind}", *lines]) + "\n"


Table = Mapping[str, Parameter]
Attributes = Mapping[str, Attribute]
