"""Estimators that a function makes, or that stand ready in a module, in place of a class."""

import inspect
import sys
from collections.abc import Mapping
from typing import Any, Protocol

from rankexp.imports import require
from rankexp.runner.strict import Plain

NO_FACTORIES = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "sklearn"}
"""Packages whose functions make no estimator of what YAML can say; none of them is called."""


class Factory(Protocol):
    """What is called with parameters by name: a class, a function, or an `EstimatorMaker`."""

    @property
    def __name__(self) -> str: ...

    def __call__(self, **params: Any) -> Any: ...  # noqa: D102


class EstimatorMaker:
    """Makes estimators: called with parameters, as a class is.

    Those that the function names are its arguments, the others go to `set_params` of what it
    returns, ``logisticregression__C``. An estimator that stands ready is copied.
    """

    def __init__(self, path: str, make: Factory) -> None:
        self.__name__ = path
        self._make = make
        signature = inspect.signature(make).parameters
        self._open = any(p.kind is p.VAR_KEYWORD for p in signature.values())
        variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        self._arguments = {k: p for k, p in signature.items() if p.kind not in variadic}

    def _own(self, params: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return those that are arguments of the function."""
        known = self._arguments
        return {k: v for k, v in params.items() if k in known or (self._open and "__" not in k)}

    def __call__(self, **params: Plain) -> Any:
        """Return a new estimator; ValueError where what is made is none."""
        own = self._own(params)
        model = self._make(**own)
        require(self.__name__, model, "fit")
        if not any(hasattr(model, method) for method in ("decision_function", "predict")):
            raise ValueError(
                f"what '{self.__name__}' returns has neither 'decision_function' nor 'predict'"
            )
        if rest := {k: v for k, v in params.items() if k not in own}:
            model.set_params(**rest)
        return model

    def values(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the parameters that can be set, with the values that they have by default.

        They may depend on arguments among those `given`.
        """
        model = self(**self._own(given))
        deep = model.get_params(deep=True) if hasattr(model, "get_params") else {}
        return {**deep, **{name: p.default for name, p in self._arguments.items()}}

    def names(self, given: Mapping[str, Plain]) -> list[str] | None:
        """Return the names of these parameters, sorted; None where they cannot be known."""
        try:
            return None if self._open else sorted(self.values(given))
        except (Exception, SystemExit):  # said where it is tried out
            return None


def made(path: str, found: Any) -> EstimatorMaker:
    """Return what makes estimators by a function or an estimator; ValueError for anything else."""
    from sklearn.base import clone

    if callable(getattr(found, "fit", None)) and hasattr(found, "get_params"):
        return EstimatorMaker(path, lambda **_: clone(found))
    if not inspect.isfunction(found):
        raise ValueError(f"'{path}' is neither an estimator nor a function that returns one")
    top = found.__module__.partition(".")[0]
    if top in NO_FACTORIES:
        hint = "write a function that returns the estimator, as in 'models.py:my_pipeline'"
        raise ValueError(f"'{path}' is not a class, but a function of '{top}'; {hint}")
    return EstimatorMaker(path, found)
