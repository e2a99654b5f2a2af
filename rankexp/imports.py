"""Import what a path names. The module runs when it is imported; nothing else of it is called."""

import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import Any

from rankexp.errors import one_line
from rankexp.registry import did_you_mean


def import_class(path: str, *needed: str) -> type[Any]:
    """Return a class by its import path, such as ``sklearn.linear_model.LogisticRegression``.

    ValueError if there is none, it lacks a method `needed`, or importing its module fails.
    """
    if not inspect.isclass(found := import_object(path)):
        raise ValueError(f"'{path}' is not a class")
    require(path, found, *needed)
    return found


def require(path: str, found: Any, *needed: str) -> None:
    """Raise ValueError if what a path names lacks a method."""
    for method in needed:
        if not callable(getattr(found, method, None)):
            raise ValueError(f"'{path}' is not an estimator: it has no method '{method}'")


def import_object(path: str) -> Any:
    """Return what an import path names; ValueError if there is nothing, or importing fails."""
    module_name, _, attribute = path.rpartition(".")
    if not module_name:
        raise ValueError(f"'{path}' is not an import path such as package.module.Class")
    return attribute_of(_module(module_name), module_name, attribute)


def attribute_of(module: ModuleType, name: str, attribute: str) -> Any:
    """Return an attribute of an imported module; ValueError if there is none, or it fails."""
    try:
        return getattr(module, attribute)
    except AttributeError:
        hint = did_you_mean(attribute, [known for known in dir(module) if known[:1] != "_"])
        raise ValueError(f"'{name}' has no '{attribute}'{hint}") from None
    except (Exception, SystemExit) as error:  # modules may import their attributes late
        raise ValueError(f"importing '{name}.{attribute}' failed: {one_line(error)}") from None


def _module(name: str) -> ModuleType:
    """Import a module, or say which part of its path does not exist."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name != missing and not name.startswith(f"{missing}."):
            raise ValueError(f"importing '{name}' needs '{missing}', not installed") from None
        parent, _, last = missing.rpartition(".")
        if not parent:
            raise ValueError(f"there is no package '{missing}' in this environment") from None
        inside = pkgutil.iter_modules(getattr(importlib.import_module(parent), "__path__", []))
        hint = did_you_mean(last, [known.name for known in inside if known.name[0] != "_"])
        raise ValueError(f"package '{parent}' has no module '{last}'{hint}") from None
    except (Exception, SystemExit) as error:  # whatever a foreign module does
        raise ValueError(f"importing '{name}' failed: {one_line(error)}") from None
