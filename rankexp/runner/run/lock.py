"""Tell a second run in a folder of the first. Nothing depends on it."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from rankexp.errors import EnvironmentProblemError
from rankexp.runner.config.asking import message
from rankexp.runner.files import write_atomically


def _holder(file: Path) -> tuple[int, str] | None:
    """Return process and host of a run that holds a lock and may be alive; None for none."""
    with contextlib.suppress(ArithmeticError, OSError, RecursionError, ValueError, TypeError):
        match json.loads(file.read_text(encoding="utf-8")):
            case {"pid": int(pid), "host": str(host)} if host != socket.gethostname():
                return pid, host
            case {"pid": int(pid), "host": str(host)} if pid != os.getpid():
                with contextlib.suppress(PermissionError):  # it is another user's
                    os.kill(pid, 0)  # raises an OSError where there is none
                return pid, host
    return None


@contextlib.contextmanager
def advisory_lock(folder: Path) -> Iterator[str | None]:
    """Hold ``.lock`` in a folder; give a warning if another run seems to be writing there.

    Nothing depends on it.
    """
    file = folder / ".lock"
    if other := _holder(file):
        yield message("run.another", other=other, folder=folder, file=file)
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
