"""Find the estimator that a method names: one of ours, or any class by its import path."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from functools import cache
from typing import Any

from rankexp import registry
from rankexp.errors import ConfigError


@cache
def resolve_estimator(name: str) -> type[Any]:
    """Return the class of an estimator.

    Parameters
    ----------
    name : str
        A registered name such as ``LinearRanker``, or an import path such as
        ``sklearn.linear_model.LogisticRegression``.

    Raises
    ------
    ConfigError
        Where there is no such class, or it cannot be fitted and asked for scores.
    """
    if "." not in name:
        try:
            found = registry.get("estimators", name)
        except registry.UnknownNameError as error:
            hint = "; others by import path, such as sklearn.linear_model.LogisticRegression"
            raise ConfigError(f"{error}{hint}") from None
    else:
        found = _imported(name)
    if not inspect.isclass(found):
        raise ConfigError(f"'{name}' is not a class")
    if not callable(getattr(found, "fit", None)):
        raise ConfigError(f"'{name}' is not an estimator: it has no method 'fit'")
    if not any(hasattr(found, method) for method in ("decision_function", "predict")):
        raise ConfigError(f"'{name}' gives no scores: neither 'decision_function' nor 'predict'")
    return found


def parameters(function: Any) -> dict[str, inspect.Parameter] | None:
    """Return the named parameters of a class or function; None where it takes any name."""
    found = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in found.values()):
        return None
    return {name: p for name, p in found.items() if p.kind is not p.VAR_POSITIONAL}


def _imported(name: str) -> Any:
    module_name, _, attribute = name.rpartition(".")
    module = _module(module_name)
    if not hasattr(module, attribute):
        public = [known for known in dir(module) if not known.startswith("_")]
        hint = registry.did_you_mean(attribute, public)
        raise ConfigError(f"'{module_name}' has no '{attribute}'{hint}")
    return getattr(module, attribute)


def _module(name: str) -> Any:
    """Import a module, or say which part of its path does not exist."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name != missing and not name.startswith(f"{missing}."):
            raise ConfigError(f"importing '{name}' needs '{missing}', not installed") from None
        parent, _, last = missing.rpartition(".")
        if not parent:
            raise ConfigError(f"there is no package '{missing}' in this environment") from None
        hint = registry.did_you_mean(last, _submodules(parent))
        raise ConfigError(f"package '{parent}' has no module '{last}'{hint}") from None
    except Exception as error:  # whatever a foreign module does while it is imported
        raise ConfigError(f"importing '{name}' failed: {type(error).__name__}: {error}") from None


def _submodules(package: str) -> Iterable[str]:
    paths = getattr(importlib.import_module(package), "__path__", [])
    return [module.name for module in pkgutil.iter_modules(paths) if module.name[0] != "_"]
