"""Import what a path names. The module runs when it is imported; nothing else of it is called."""

import hashlib
import importlib
import inspect
import pkgutil
import re
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from rankexp.errors import one_line
from rankexp.registry import did_you_mean


def import_class(path: str, *needed: str) -> type[Any]:
    """Return a class by its import path, such as ``sklearn.linear_model.LogisticRegression``.

    ValueError if there is none, it lacks a method `needed`, or importing its module fails.
    """
    found = import_object(path)
    if not inspect.isclass(found):
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
    return _attribute(_module(module_name), module_name, attribute)


def _attribute(module: ModuleType, name: str, attribute: str) -> Any:
    try:
        return getattr(module, attribute)
    except AttributeError:
        public = [known for known in dir(module) if not known.startswith("_")]
        hint = did_you_mean(attribute, public)
        raise ValueError(f"'{name}' has no '{attribute}'{hint}") from None
    except (Exception, SystemExit) as error:  # modules may import their attributes late
        path = f"{name}.{attribute}"
        raise ValueError(f"importing '{path}' failed: {one_line(error)}") from None


_IN_FILE = re.compile(r"(?P<file>[^:]+\.py):(?P<attribute>\w+)")


def file_of(path: str) -> str | None:
    """Return the file that ``models.py:name`` names; None for an import path."""
    match = _IN_FILE.fullmatch(path)
    return None if match is None else match["file"]


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
    return _attribute(module, name, path.rpartition(":")[2])


def _content(path: str, folder: str) -> bytes:
    name = str(file_of(path))
    if Path(name).is_absolute():
        raise ValueError(f"'{name}': give the file's path relative to the study's own file")
    try:
        return Path(folder, name).read_bytes()
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
