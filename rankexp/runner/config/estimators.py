"""Find the estimator that a method names: one of ours, or any by its import path or file."""

import inspect
from functools import cache
from typing import TYPE_CHECKING

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.imports import file_of, import_from_file, import_object, require
from rankexp.runner.config import queries
from rankexp.runner.config.made import EstimatorMaker, Factory, made

if TYPE_CHECKING:
    from rankexp.runner.config.schema import Method


def resolve_estimator(name: str, folder: str = "", sha256: str = "") -> Factory:
    """Return what makes an estimator: a class, or an `EstimatorMaker`.

    It is named as it is registered, by its import path, or as ``models.py:name`` in a file of the
    folder, which must have this SHA-256 if one is given. ConfigError where there is none, or what
    is made cannot be fitted and asked for scores.
    """
    try:
        if file_of(name) is None:
            return _resolved(name)
        return _made_or_class(name, import_from_file(name, folder, sha256))
    except ValueError as error:
        raise ConfigError(str(error)) from None


def estimator_of(method: "Method") -> Factory:
    """Return what makes the estimators of a study's method; errors as above."""
    return resolve_estimator(method.estimator, method.folder)


@cache
def _resolved(name: str) -> Factory:
    if "." in name:
        return _made_or_class(name, import_object(name))
    try:
        return _scoring(name, registry.get("estimators", name))
    except registry.UnknownNameError as error:
        hint = "; name others by import path, such as sklearn.linear_model.LogisticRegression"
        raise ValueError(f"{error}{hint}") from None


def _made_or_class(name: str, found: Factory) -> Factory:
    if not inspect.isclass(found):
        return made(name, found)
    require(name, found, "fit")
    return _scoring(name, found)


def _scoring(name: str, found: Factory) -> Factory:
    if not any(hasattr(found, method) for method in ("decision_function", "predict")):
        raise ValueError(
            f"'{name}' cannot score: it has neither 'decision_function' nor 'predict'"
        )
    return found


def has_path(name: str) -> bool:
    """Tell whether an estimator solves for many lambdas at once; False where there is none.

    Only ours do: what scikit-learn calls `path` is something else.
    """
    try:
        return "." not in name and hasattr(resolve_estimator(name), "path")
    except ConfigError:
        return False  # a fault that is found elsewhere


def parameters(function: Factory) -> dict[str, inspect.Parameter] | None:
    """Return the named parameters of a class or function; None where it takes any name."""
    if isinstance(function, EstimatorMaker):
        return None  # they depend on what it is called with, see `EstimatorMaker.names`
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):  # compiled, and does not tell
        return None
    if any(p.kind is p.VAR_KEYWORD for p in found.values()):
        return None
    return {name: p for name, p in found.items() if p.kind is not p.VAR_POSITIONAL}


def fit_takes(model: queries.Fits) -> frozenset[str]:
    """Return which of ``groups`` and ``sample_weight`` the fit of an estimator takes.

    One of ours says itself what it takes with its parameters; others take what their `fit` names.
    """
    return frozenset(model.takes()) if hasattr(model, "takes") else queries.takes(model)
