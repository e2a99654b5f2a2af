"""The operations a process asks of a folder's files: each can be counted, recorded, or failed.

Python's own implementation of `open` takes the place of the one in C, so that everything goes by
the functions of `os`, on every system. Other folders, and other processes, are not touched.
"""

import _pyio
import builtins
import contextlib
import errno
import io
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

OPERATIONS = (
    *("open", "read", "write", "ftruncate", "fsync", "close"),
    *("mkdir", "rmdir", "rename", "replace", "unlink", "remove", "link", "listdir", "scandir"),
)
ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EDQUOT", "EINTR")}
Real = Callable[..., Any]


class Disk:
    """While it is entered, `asked` is called in place of each operation below a folder.

    It is given the name, the path, the function, and its arguments, and returns what that would.
    """

    def __init__(self, root: Path) -> None:
        self.root = os.path.abspath(root)
        self.files: dict[int, str] = {}
        self._patches = ExitStack()

    def asked(self, name: str, path: str, real: Real, *arguments: Any, **named: Any) -> Any:
        return real(*arguments, **named)

    def __enter__(self) -> "Disk":
        for name in OPERATIONS:
            self._patches.enter_context(mock.patch.object(os, name, self._call(name)))
        for module in (io, builtins):
            self._patches.enter_context(mock.patch.object(module, "open", _pyio.open))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()

    def _below(self, place: Any) -> str | None:
        if isinstance(place, int):
            return self.files.get(place)
        with contextlib.suppress(TypeError):
            path = os.path.abspath(os.fsdecode(place))
            return path if f"{path}/".startswith(f"{self.root}/") else None
        return None

    def _call(self, name: str) -> Real:
        real = getattr(os, name)

        def call(place: Any = ".", *arguments: Any, **named: Any) -> Any:
            path = self._below(place)
            if path is None:
                return real(place, *arguments, **named)
            try:
                result = self.asked(name, path, real, place, *arguments, **named)
            finally:
                if name == "close":
                    self.files.pop(place, None)
            if name == "open":
                self.files[result] = path
            return result

        return call


class Failing(Disk):
    """Fail with an error number, at one operation or at that and all after it."""

    def __init__(self, root: Path, number: int, first: int, *, ever: bool = False) -> None:
        super().__init__(root)
        self.number, self.first, self.ever = number, first, ever
        self.count = 0
        self.failed: list[tuple[str, str]] = []

    def asked(self, name: str, path: str, real: Real, *arguments: Any, **named: Any) -> Any:
        now, self.count = self.count, self.count + 1
        if now != self.first and not (self.ever and now > self.first):
            return real(*arguments, **named)
        self.failed.append((name, path))
        if name == "close":
            real(*arguments, **named)  # it is closed all the same
        raise OSError(self.number, os.strerror(self.number), path)
