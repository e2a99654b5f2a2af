"""A file that says who is writing to a folder of results. It warns; nothing depends on it."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankexp.errors import EnvironmentProblemError
from rankexp.runner.files import write_atomically


class Holder(NamedTuple):
    """Who writes."""

    pid: int
    host: str


def holder(file: Path) -> Holder | None:
    """Return pid and host of a run that holds the lock and may be alive; None for none."""
    try:
        known = Holder(**json.loads(file.read_text(encoding="utf-8")))
        ours = known.host == socket.gethostname()
        gone = ours and (known.pid == os.getpid() or not _alive(known.pid))
    except (ArithmeticError, OSError, RecursionError, ValueError, KeyError, TypeError):
        return None
    return None if gone else known


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextlib.contextmanager
def advisory_lock(folder: Path) -> Iterator[str | None]:
    """Hold ``.lock`` in a folder; give a warning if another run seems to be writing there."""
    file = folder / ".lock"
    other = holder(file)
    if other is not None:
        yield (
            f"another run (process {other.pid} on {other.host}) seems to be writing to "
            f"'{folder}'. Both go on, so some work may be done twice. If that run is no longer "
            f"there, remove {file}"
        )
        return
    text = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
    with contextlib.suppress(EnvironmentProblemError):  # the first record will say so
        write_atomically(file, f"{text}\n".encode())
    try:
        yield None
    finally:
        with contextlib.suppress(OSError):
            if file.read_text(encoding="utf-8").strip() == text:
                file.unlink()
