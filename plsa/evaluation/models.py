"""Models that are compared: by name, one after another; one that fails is a row that says why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from plsa import inputs
from plsa.engine.progress import Progress
from plsa.estimators.base import copies_are_lost
from plsa.estimators.others import last_of


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found of one model; `failure` where there is nothing."""

    name: str
    model: Any
    seconds: float  # of one fit
    failure: str = field(default="", kw_only=True)

    def failed(self) -> str:
        """Why, as far as a table has room for it."""
        first = self.failure.splitlines()[0]
        return "failed: " + (first if len(first) <= 60 else first[:57] + "...")


Row = TypeVar("Row", bound=Compared)


@dataclass(frozen=True, slots=True, repr=False)
class Rows(Generic[Row]):
    """What was found of models, by name."""

    rows: tuple[Row, ...]

    def __getitem__(self, name: str) -> Row:
        """The row of this name."""
        rows = {row.name: row for row in self.rows}
        if name not in rows:
            raise KeyError(f"no model {name!r} was compared; there are {', '.join(rows)}")
        return rows[name]


def check_models(models: Any, such_as: str) -> dict[str, Any]:
    """Estimators by name: a mapping, or a list, whose names are those of the classes, counted where equal.

    A pipeline is called after its last step.
    """
    if isinstance(models, str) or not isinstance(models, Mapping | Sequence):
        raise ValueError(f"models == {models!r}, but must be a list of estimators or a mapping to them.")
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        named = {}
        for model in models:
            name = type(last_of(model)).__name__
            again = sum(other == name or other.startswith(name + " ") for other in named)
            named[f"{name} {again + 1}" if again else name] = model
    if not named:
        raise ValueError("models is empty: give at least one estimator.")
    for name, model in named.items():
        if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
            raise ValueError(f"models has {model!r} as {name!r}, but must hold estimators such as {such_as}.")
    return named


def one_by_one(
    caller: str,
    models: Mapping[str, Any],
    found: Callable[[str, Any, Progress], Row],
    nothing: Callable[..., Row],
    said: Callable[[Row], str],
    n_steps: int,
    verbose: int,
) -> tuple[Row, ...]:
    """What is found of each model, in so many steps, or `nothing(name, model, seconds, failure=why)`.

    Where all fail in the same way, that is raised.
    """
    rows: list[Row] = []
    errors: dict[str, Exception] = {}
    with copies_are_lost(caller), Progress(caller, bool(verbose)) as progress:
        progress.plan(len(models))
        for name, model in models.items():
            progress.begin(name, n_steps)
            try:
                rows.append(found(name, model, progress))
            except Exception as error:  # a model that cannot cope says something too
                rows.append(nothing(name, None, float("nan"), failure=f"{type(error).__name__}: {error}"))
                errors[rows[-1].failure] = error
            progress.close(rows[-1].failed() if rows[-1].failure else said(rows[-1]))
        failures = {row.failure for row in rows}
        if failures == {*errors} and len(errors) == 1:  # nothing that is peculiar to a model
            raise errors[rows[0].failure]
        failed = sum(bool(row.failure) for row in rows)
        progress.end(
            f"{inputs.counted(len(rows), 'model')} compared" + (f", {failed} failed" if failed else "")
        )
    return tuple(rows)
