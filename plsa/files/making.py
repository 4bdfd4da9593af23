"""Values and estimators as the names of their classes and what they hold, and made of these again."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from inspect import Parameter
from reprlib import repr as shown  # in short
from typing import Any

from plsa.files.classes import class_of, is_known, names
from plsa.files.container import damaged
from plsa.files.parts import VALUES, VECTORIZERS, fitted_names, parameters_of
from plsa.inputs import warn

_DERIVED = {"_stop_words_id"}  # a place in memory: known anew when a file is loaded


def taken(value: Any, where: str) -> tuple[str, Mapping[str, Any]]:
    """The name of a value's class and what it holds; raises where a file cannot hold such."""
    name = type(value).__name__
    if not is_known(value):
        raise ValueError(_refusal(value, where))
    if name in VALUES:
        return name, {each.name: getattr(value, each.name) for each in fields(value)}
    held = {each: its for each, its in vars(value).items() if each not in _DERIVED}
    for each in held.keys() - parameters_of(type(value)) - fitted_names(type(value)):
        found = f"{where + '.' if where else ''}{each} is nothing that a {name} sets itself"
        raise ValueError(f"{found}, and cannot be saved: delete it first.")
    if held.get("callback") is not None:
        warn(f"the callback of {name} is code, and is not saved: it will be None when the model is loaded.")
        held["callback"] = None
    if held.get("memory") is not None and name == "Pipeline":
        raise ValueError(f"{name}.memory == {held['memory']!r} is a folder of pickles: set it to None first.")
    if held.get("input", "content") != "content":
        found = f"{name}.input == {held['input']!r}, so that texts are names of files"
        raise ValueError(f"{found}: a model file holds only vectorizers with input='content'.")
    return name, held


def _refusal(value: Any, where: str) -> str:
    """Why a value cannot be saved."""
    if callable(value) and not hasattr(value, "get_params"):
        name = getattr(value, "__name__", type(value).__name__)
        found = f"{where} is code ({name}), and a model file holds none"
        return f"{found}: apply it to texts before the pipeline, or take a word such as analyzer='char'."
    cls = type(value)
    found = f"{where or 'the model'} is a {cls.__module__}.{cls.__qualname__}, which cannot be saved"
    if hasattr(value, "best_estimator_"):
        return f"{found}: save its best_estimator_."
    if hasattr(value, "get_params"):
        return f"{found}. Estimators that can: {', '.join(_estimators())}."
    plain = "a number, a string, a list, a dict or an array"
    return f"{found}: put a plain value there, such as {plain} (for a parameter by set_params)."


def _estimators() -> list[str]:
    return [name for name in names() if name not in VALUES]


def made(name: str, held: dict[str, Any], where: str) -> Any:
    """A value or an estimator of a class that a file may hold, without more than its own attributes."""
    cls = class_of(name)
    if cls is None:
        raise damaged(f"{where or 'the model'} is of the class {shown(name)}, which no model is made of")
    if name in VALUES:
        known = {each.name: each.default is MISSING for each in fields(cls)}
        _check_names(held.keys() - known, where, name)
        lacking = {each for each, needed in known.items() if needed} - held.keys()
        if lacking:
            raise damaged(f"{where} is a {name} without {min(lacking)}")
        return cls(**held)
    parameters = parameters_of(cls)
    _check_names(held.keys() - parameters - fitted_names(cls), where, name)
    defaults = {each: its for each, its in parameters.items() if each not in held}
    if any(its is Parameter.empty for its in defaults.values()):
        raise damaged(f"{where} is a {name} without {min(defaults)}")
    if defaults and (name in VECTORIZERS or not cls.__module__.startswith("plsa.")):
        new = f"{', '.join(sorted(defaults))} of {name} is as this version of scikit-learn has it"
        warn(f"{new}: that which the model was saved with did not know it.")
    state = held | defaults
    if "vocabulary_" in state:
        state["_stop_words_id"] = id(state.get("stop_words"))  # they were looked at when it was fitted
    model: Any = object.__new__(cls)
    vars(model).update(state)
    return model


def _check_names(unknown: Any, where: str, name: str) -> None:
    if unknown:
        found = f"{where + '.' if where else ''}{min(unknown)[:60]} is nothing that a {name} has here"
        raise ValueError(f"{found}: the file is of other versions, or was made by hand.")
