"""Write files whole or not at all, never through a link, and say in one line why that failed."""

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TextIO

from rankexp.errors import EnvironmentProblemError

FULL = (errno.ENOSPC, errno.EDQUOT)  # error numbers of a disk, or a quota, that has no room
EXHAUSTED = (*FULL, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE)
"""Error numbers that say nothing about a method that meets them."""


Content = bytes | Callable[[BinaryIO], None]
_LASTING: set[Path] = set()  # folders whose names are on disk
SENT: list[Path] = []  # the folder in which this process finds files of another machine


def sent_as(path: Path) -> str:
    """Return how a file is called on machines that it is sent to: by its path as it is written."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()


def here(path: Path) -> Path:
    """Return where a file is on this machine, which another one may have sent."""
    copies = (folder / sent_as(path) for folder in SENT)
    return next((copy for copy in copies if copy.is_file()), path)


def write_atomically(
    file: Path, content: Content, option: str = "--results", *, lasting: bool = False
) -> None:
    """Write a file under a temporary name, bring it to disk (with its name, if `lasting`).

    A link in its place is replaced, not followed. A callable for `content` takes the open file.
    EnvironmentProblemError where that fails; `option` is what names another folder.
    """
    temporary = file.with_name(f".{file.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        _make(file.parent.absolute())
        with temporary.open("xb") as handle:
            if callable(content):
                content(handle)
            else:
                handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(file)
        if lasting:
            bring_to_disk(file.parent)
    except OSError as error:
        raise explained(file.parent, error, option) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()  # where it has not been moved


def _make(folder: Path) -> None:
    if not folder.is_dir():
        if folder != folder.parent:
            _make(folder.parent)
        folder.mkdir(exist_ok=True)
        _LASTING.discard(folder)


def bring_to_disk(folder: Path) -> None:
    """Make what was moved into a folder, and the folder, last, if its file system can."""
    folder = folder.absolute()
    new = [each for each in (folder, *folder.parents) if each not in _LASTING]
    try:
        for each in dict.fromkeys([folder, *(each.parent for each in new)]):
            _sync(each)
    except OSError as error:
        raise explained(folder, error) from error
    _LASTING.update(new)


def _sync(folder: Path) -> None:
    try:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise


def open_to_append(file: Path) -> TextIO:
    """Open a text file to add lines to it; raise OSError where it is a symbolic link."""

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags | os.O_NOFOLLOW, 0o666)

    return open(file, "a", encoding="utf-8", opener=opener)


def explained(folder: Path, error: OSError, option: str = "--results") -> EnvironmentProblemError:
    """Return the story of a failed write: what happened, and what to do."""
    if error.errno in FULL:
        advice = "make room and run again, what is done is kept"
        return EnvironmentProblemError(f"the disk is full: cannot write to '{folder}'; {advice}")
    reason = error.strerror or str(error)
    if error.errno == errno.ELOOP:
        reason = f"'{error.filename}' is a symbolic link, which is not followed"
    advice = f"make it writable or choose another folder with {option}"
    return EnvironmentProblemError(f"cannot write to '{folder}': {reason}; {advice}")
