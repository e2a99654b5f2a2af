"""Import a class by its path. The module runs as it is imported; nothing else of it is called."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import Any

from rankexp.errors import one_line
from rankexp.registry import did_you_mean


def import_class(path: str, *needed: str) -> type[Any]:
    """Return a class by its import path, such as ``sklearn.linear_model.LogisticRegression``.

    ValueError where there is none, it lacks a method `needed`, or importing its module fails.
    """
    module_name, _, attribute = path.rpartition(".")
    if not module_name:
        raise ValueError(f"'{path}' is not an import path such as package.module.Class")
    module = _module(module_name)
    try:
        found = getattr(module, attribute)
    except AttributeError:
        public = [known for known in dir(module) if not known.startswith("_")]
        hint = did_you_mean(attribute, public)
        raise ValueError(f"'{module_name}' has no '{attribute}'{hint}") from None
    except (Exception, SystemExit) as error:  # modules may import their attributes late
        raise ValueError(f"importing '{path}' failed: {one_line(error)}") from None
    if not inspect.isclass(found):
        raise ValueError(f"'{path}' is not a class")
    for method in needed:
        if not callable(getattr(found, method, None)):
            raise ValueError(f"'{path}' is not an estimator: it has no method '{method}'")
    return found


def _module(name: str) -> Any:
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
        hint = did_you_mean(last, _submodules(parent))
        raise ValueError(f"package '{parent}' has no module '{last}'{hint}") from None
    except (Exception, SystemExit) as error:  # whatever a foreign module does
        raise ValueError(f"importing '{name}' failed: {one_line(error)}") from None


def _submodules(package: str) -> Iterable[str]:
    paths = getattr(importlib.import_module(package), "__path__", [])
    return [module.name for module in pkgutil.iter_modules(paths) if module.name[0] != "_"]
