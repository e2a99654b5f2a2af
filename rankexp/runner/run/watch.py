"""A step of a method as its parent sees it: which it is, until when it may take, where it hangs.

All stands in a file that both have open: a head, and behind it what `faulthandler` writes when
the time is over. Its timer needs no lock of the interpreter, and ends the process by itself.
"""

import contextlib
import faulthandler
import math
import os
import re
import resource
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankexp.runner.config.limits import UNLIMITED, Limits
from rankexp.runner.run.apart import leave
from rankexp.runner.run.progress import duration

_HEAD = struct.Struct("<64sddQ")
_NOTHING = _HEAD.pack(b"", math.inf, math.inf, 0)
LONGEST = 1e8  # seconds: more is no limit
GRACE = 2.0  # seconds after which the parent ends what has not ended by itself
FRAMES = 3  # of the innermost calls that a reason names
_file: int | None = None


class WatchedStep(NamedTuple):
    """What a process was about when it was looked at or ended."""

    key: str = ""  # of a cell; empty between steps
    seconds: float = math.inf  # that the step may take
    end: float = math.inf  # by `time.monotonic`
    trace: str = ""  # of the main thread, innermost call first, if the time was over

    @property
    def late(self) -> bool:
        """Whether it should have ended by itself."""
        return time.monotonic() > self.end + GRACE

    @property
    def reason(self) -> str:
        """Say that it took too long, and where it was."""
        calls = re.findall(r'File "((?!.*/rankexp/runner/).*)", line (\d+) in (.*)', self.trace)
        where = [
            f"line {n} of {'/'.join(Path(f).parts[-2:])} ({of})" for f, n, of in calls[:FRAMES]
        ]
        return ", ".join([f"took longer than {duration(self.seconds)}", *where])


def watched_in(file: int) -> None:
    """Let steps of this process be seen in an open file."""
    global _file  # noqa: PLW0603  (a process has one)
    _file = file


def prepare(file: int) -> None:
    """Make an open file ready for a process that will be watched in it."""
    os.lseek(file, _HEAD.size, os.SEEK_SET)
    os.pwrite(file, _NOTHING, 0)


def step_in(file: int) -> WatchedStep:
    """Return the step that stands in a file."""
    content = os.pread(file, 1 << 20, 0).ljust(_HEAD.size, b"\0")
    key, seconds, end, main = _HEAD.unpack_from(content)
    dumped = content[_HEAD.size :].decode(errors="replace")
    # Python 3.11 to 3.14 write threads in any order, the last one with or without its name.
    found = re.search(rf"^Thread 0x0*{main:x}\b.*\n((?: .*\n?)*)", dumped, re.M)
    return WatchedStep(key.rstrip(b"\0").decode(), seconds, end, found[1] if found else dumped)


@contextlib.contextmanager
def watched(key: str, limits: Limits = UNLIMITED, most: float = math.inf) -> Iterator[None]:
    """Let a step take no more than its limits, and no more than `most` seconds.

    There are no limits in a process that is not watched.
    """
    if _file is None:
        yield
        return
    here, seconds = os.getpid(), min(limits.seconds, most)
    end = time.monotonic() + seconds
    os.pwrite(_file, _HEAD.pack(key.encode(), seconds, end, threading.get_ident()), 0)
    try:
        if seconds < LONGEST:
            faulthandler.dump_traceback_later(seconds, exit=True, file=_file)
        with _room(limits.bytes):
            yield
    finally:
        if os.getpid() == here:
            if seconds < LONGEST:
                faulthandler.cancel_dump_traceback_later()
            try:
                os.pwrite(_file, _NOTHING, 0)
            except OSError:  # the method has closed what the parent needs to see
                leave(1)


@contextlib.contextmanager
def _room(size: int | None) -> Iterator[None]:
    """Let this process take so many bytes more of address space."""
    if size is None:
        yield
        return
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + size
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
