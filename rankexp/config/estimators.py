"""Find the estimator that a method names: one of ours, or any class by its import path."""

import inspect
from functools import cache
from typing import Any

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.imports import import_class


@cache
def resolve_estimator(name: str) -> type[Any]:
    """Return the class of an estimator, by its registered name or its import path.

    ConfigError where there is no such class, or it cannot be fitted and asked for scores.
    """
    try:
        found = import_class(name, "fit") if "." in name else registry.get("estimators", name)
    except registry.UnknownNameError as error:
        hint = "; others by import path, such as sklearn.linear_model.LogisticRegression"
        raise ConfigError(f"{error}{hint}") from None
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if not any(hasattr(found, method) for method in ("decision_function", "predict")):
        raise ConfigError(f"'{name}' gives no scores: neither 'decision_function' nor 'predict'")
    return found


def has_path(name: str) -> bool:
    """Tell whether an estimator solves for many lambdas at once.

    Only ours do: what scikit-learn calls `path` is something else.
    """
    return "." not in name and hasattr(resolve_estimator(name), "path")


def parameters(function: Any) -> dict[str, inspect.Parameter] | None:
    """Return the named parameters of a class or function; None where it takes any name."""
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):  # compiled, and does not tell
        return None
    if any(p.kind is p.VAR_KEYWORD for p in found.values()):
        return None
    return {name: p for name, p in found.items() if p.kind is not p.VAR_POSITIONAL}


def fit_takes(model: Any) -> frozenset[str]:
    """Return which of ``groups`` and ``sample_weight`` the fit of an estimator takes.

    One of ours says itself what it takes with its parameters; others take what their `fit` names.
    """
    if hasattr(model, "takes"):
        return frozenset(model.takes())
    named = frozenset(inspect.signature(model.fit).parameters)
    return named & {"groups", "sample_weight"}
