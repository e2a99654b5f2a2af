"""Import what ``models.py:name`` names: a method in a file beside the study's own."""

import hashlib
import re
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from rankexp.errors import one_line
from rankexp.imports import attribute_of
from rankexp.runner.files import here

_IN_FILE = re.compile(r"([^:]+\.py):\w+")


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
