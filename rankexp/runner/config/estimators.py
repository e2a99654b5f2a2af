"""Find the estimator that a method names: one of ours, or any by its import path or file."""

import hashlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from rankexp import registry
from rankexp.arrays import Ints
from rankexp.errors import ConfigError, one_line
from rankexp.imports import attribute_of, import_object, require
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Method
from rankexp.runner.files import here
from rankexp.runner.strict import Plain

_IN_FILE = re.compile(r"([^:]+\.py):\w+")
NO_FACTORIES = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "sklearn"}
"""Packages whose functions make no estimator of what YAML can say; none of them is called."""


class Factory(Protocol):
    """What is called with parameters by name: a class, a function, or an `EstimatorMaker`."""

    @property
    def __name__(self) -> str: ...

    def __call__(self, **params: Any) -> Any: ...  # noqa: D102


class EstimatorMaker:
    """Makes estimators by a function; what it does not name goes to `set_params` of its result."""

    def __init__(self, path: str, make: Factory) -> None:
        self.__name__ = path
        self._make = make
        signature = inspect.signature(make).parameters
        self._open = any(p.kind is p.VAR_KEYWORD for p in signature.values())
        variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        self._arguments = {k: p for k, p in signature.items() if p.kind not in variadic}

    def _own(self, params: Mapping[str, Plain]) -> dict[str, Plain]:
        known = self._arguments
        return {k: v for k, v in params.items() if k in known or (self._open and "__" not in k)}

    def __call__(self, **params: Plain) -> Any:
        """Return a new estimator; ValueError where what is made is none."""
        own = self._own(params)
        model = self._make(**own)
        require(self.__name__, model, "fit")
        _scoring(model, f"what '{self.__name__}' returns has")
        if rest := {k: v for k, v in params.items() if k not in own}:
            model.set_params(**rest)
        return model

    def values(self, given: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the parameters with their defaults, which may depend on arguments `given`."""
        model = self(**self._own(given))
        deep = model.get_params(deep=True) if hasattr(model, "get_params") else {}
        return {**deep, **{name: p.default for name, p in self._arguments.items()}}

    def names(self, given: Mapping[str, Plain]) -> list[str] | None:
        """Return the names of the parameters, sorted; None where they cannot be known."""
        try:
            return None if self._open else sorted(self.values(given))
        except (Exception, SystemExit):  # said where it is tried out
            return None


def _made(path: str, found: Factory) -> EstimatorMaker:
    from sklearn.base import clone

    if callable(getattr(found, "fit", None)) and hasattr(found, "get_params"):
        return EstimatorMaker(path, lambda **_: clone(found))
    if not inspect.isfunction(found):
        raise ValueError(f"'{path}' is neither an estimator nor a function that returns one")
    top = found.__module__.partition(".")[0]
    if top in NO_FACTORIES:
        raise ValueError(message("study.no_class", path=path, top=top))
    return EstimatorMaker(path, found)


PATHS = ("LinearRanker", "OrdinalSVM", "ProportionalOdds")  # they solve for many lambdas at once
WAYS = ("qid", "group_id", "group")
"""Arguments of `fit`, the first that it has: XGBRanker has `group`, too."""


class Fits(Protocol):
    """An estimator of any package."""

    @property
    def fit(self) -> Callable[..., object]: ...  # noqa: D102


def way_of(model: Fits) -> str | None:
    """Return the argument by which a fit takes groups in another way than ours, or None.

    Ours take `groups`, (n,). XGBRanker takes `qid`, which must not descend, LGBMRanker the size of
    each group in `group`, CatBoost's ranker `group_id` with the rows of a group side by side.
    """
    named = inspect.signature(model.fit).parameters
    return None if "groups" in named else next((way for way in WAYS if way in named), None)


def ordered(model: Fits, groups: Ints | None) -> tuple[Ints | None, dict[str, Ints]]:
    """Return the order of rows that a fit asks for, or None, and what tells it their groups."""
    way = way_of(model)
    if way is None:
        return None, {}
    if groups is None:
        name = type(model).__name__
        raise ValueError(f"{name} ranks within groups, but the rows have no groups")
    order = np.argsort(groups, kind="stable")
    sizes = np.unique(groups, return_counts=True)[1]
    return order, {way: sizes if way == "group" else groups[order]}


def resolve_estimator(name: str, folder: str = "", sha256: str = "") -> Factory:
    """Return what makes an estimator: a class, or an `EstimatorMaker`.

    It is named as registered, by its import path, or as ``models.py:name`` in a file of the
    folder, with this SHA-256 if one is given. ConfigError where there is none that can be fitted
    and score.
    """
    try:
        if file_of(name) is None:
            return _resolved(name)
        return _made_or_class(name, import_from_file(name, folder, sha256))
    except ValueError as error:
        raise ConfigError(str(error)) from None


def estimator_of(method: Method) -> Factory:
    """Return what makes the estimators of a study's method; errors as above."""
    return resolve_estimator(method.estimator, method.folder)


@cache
def _resolved(name: str) -> Factory:
    if "." in name:
        return _made_or_class(name, import_object(name))
    try:
        return _scoring(registry.get("estimators", name), f"'{name}' cannot score: it has")
    except registry.UnknownNameError as error:
        raise ValueError(message("study.by_path", error=error)) from None


def _made_or_class(name: str, found: Factory) -> Factory:
    if not inspect.isclass(found):
        return _made(name, found)
    require(name, found, "fit")
    return _scoring(found, f"'{name}' cannot score: it has")


def _scoring(found: Factory, has: str) -> Factory:
    if not any(hasattr(found, method) for method in ("decision_function", "predict")):
        raise ValueError(f"{has} neither 'decision_function' nor 'predict'")
    return found


def has_path(name: str) -> bool:
    """Tell whether an estimator solves for many lambdas at once; of rankexp's none is imported."""
    found = registry.target("estimators", name)
    if found is not None and found.package == "rankexp":
        return name in PATHS
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


def fit_takes(model: Fits) -> frozenset[str]:
    """Return which of ``groups`` and ``sample_weight`` the fit of an estimator takes.

    One of ours says itself what it takes with its parameters; others take what their `fit` names.
    XGBRanker's weights are of groups, not of rows.
    """
    if hasattr(model, "takes"):
        return frozenset(model.takes())
    named = frozenset(inspect.signature(model.fit).parameters) & {"groups", "sample_weight"}
    way = way_of(model)
    return (named | {"groups"} if way else named) - ({"sample_weight"} if way == "qid" else set())


def file_of(path: str) -> str | None:
    """Return the file that ``models.py:name`` names; None for an import path."""
    match = _IN_FILE.fullmatch(path)
    return None if match is None else match[1]


def file_hash(path: str, folder: str) -> str:
    """Return the SHA-256 of the file of ``models.py:name``; ValueError if there is none."""
    return hashlib.sha256(_content(path, folder)).hexdigest()


def import_from_file(path: str, folder: str, expected: str = "") -> Any:
    """Return what ``models.py:name`` names in a file of a folder.

    ValueError if there is no such thing, or the file has another SHA-256 than `expected`.
    """
    content, name = _content(path, folder), str(file_of(path))
    found = hashlib.sha256(content).hexdigest()
    if expected and found != expected:
        raise ValueError(f"the file '{name}' changed while the study ran; run it again")
    module = _executed(name, Path(folder, name).absolute(), content, found)
    return attribute_of(module, name, path.rpartition(":")[2])


def _content(path: str, folder: str) -> bytes:
    name = str(file_of(path))
    if Path(name).is_absolute():
        raise ValueError(f"'{name}': give the file's path relative to the study's own file")
    try:
        return here(Path(folder, name)).read_bytes()
    except OSError as error:
        where = f"'{folder}'" if folder else "the working folder"
        raise ValueError(f"the file '{name}' in {where}: {error.strerror or error}") from None


@cache
def _executed(name: str, file: Path, content: bytes, digest: str) -> ModuleType:
    """Run a file as a module of its own, which finds installed packages but no other files."""
    module = ModuleType(f"{file.stem}_{digest[:16]}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # where dataclasses and pickle look for it
    try:
        exec(compile(content, str(file), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:  # whatever a foreign file does
        del sys.modules[module.__name__]
        line, what = line_in(str(file), error), one_line(error)
        if isinstance(error, SyntaxError):
            line, what = error.lineno, f"{type(error).__name__}: {error.msg}"
        raise ValueError(f"importing '{name}' failed in line {line}: {what}") from None
    return module


def line_in(file: str, error: BaseException) -> int | None:
    """Return the last line of a file that an error came through; None if it came through none."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == file), None)
