"""Worker processes, each with a pipe of its own: what a process was about when it died is known.

They are started as loky starts its own: by a fresh interpreter, which does not run the caller's
script again. A worker leads a group of processes, which ends with it, ignores Ctrl-C, and ends
with its parent. What is printed in it goes to a file, of which the parent gets the beginning.
"""

import atexit
import contextlib
import gc
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from rankexp.runner.run.apart import damaged, leave
from rankexp.runner.run.watch import WatchedStep, prepare, step_in, watched_in

T = TypeVar("T")
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in _LIBRARIES}
ONE_THREAD |= {"VECLIB_MAXIMUM_THREADS": "1", "ENABLE_IPC": "1"}
"""What numeric libraries read when they are loaded."""
TICK = 0.5  # seconds between looks at workers that do not answer
PATIENCE = 300.0  # seconds after which a worker that has nothing to do ends
PRINTED = 2000  # characters of what was printed during a call that are kept


@dataclass(frozen=True)
class Death:
    """How a worker ended in the middle of a call."""

    code: int | None  # as in `multiprocessing`; None where the parent has ended it
    step: WatchedStep

    @property
    def late(self) -> bool:
        """Whether a step took longer than it may."""
        return self.code is None or bool(self.step.trace)

    def __str__(self) -> str:
        if self.late:
            return self.step.reason
        if self.code is not None and self.code < 0:
            names = {int(known): known.name for known in signal.Signals}
            name = names.get(-self.code, f"signal {-self.code}")
            lack = ", perhaps for lack of memory" * (self.code == -signal.SIGKILL)
            return f"its process was ended by {name}{lack}"
        return f"its process ended itself (exit status {self.code})"


class Returned(NamedTuple, Generic[T]):
    """What came of a call, and the beginning of what was printed."""

    call: partial[T]
    result: T | Death
    printed: str


class Worker:
    """A process that takes one call after the other."""

    def __init__(self) -> None:
        from joblib.externals.loky.backend.process import LokyProcess

        self.files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        prepare(self.files[0].fileno())
        self.pipe, theirs = Pipe()
        self.seen: dict[str, str] = {}
        # A connection is what can be sent to a process with its file descriptor.
        ends = [Connection(os.dup(file.fileno())) for file in self.files]
        arguments = (theirs, *ends, os.getpid())
        self.process = LokyProcess(target=_serve, args=arguments, env=ONE_THREAD)
        self.process.start()
        _workers.add(self)
        for end in (theirs, *ends):
            end.close()

    def send(self, call: partial[T]) -> None:
        """Let the process begin with a call."""
        from joblib.externals.loky.backend.reduction import dumps

        self.call = call
        sent = dumps((str(Path.cwd()), sys.path, {**os.environ, **ONE_THREAD}, call))
        with contextlib.suppress(OSError):  # it is dead, which `answer` tells
            self.pipe.send_bytes(sent)

    def answer(self, *, ready: bool) -> Returned[Any] | None:
        """Return what came of the call; None where it goes on."""
        state, printed = (file.fileno() for file in self.files)
        code: int | None = None
        if ready:
            try:
                good, result, text, spent = pickle.loads(self.pipe.recv_bytes())
            except (EOFError, OSError):
                self.process.join(TICK)
                code = self.process.exitcode or 0  # None: it has closed the pipe itself
            else:
                if not good:
                    raise result
                if spent:
                    self.end()
                return Returned(self.call, result, text)
        # What a method has started may hold the pipe, and what is stopped cannot end itself.
        elif (code := self.process.exitcode) is None and not step_in(state).late:
            return None
        died = Death(code, step_in(state))
        text = os.pread(printed, PRINTED, 0).decode(errors="replace")
        self.end()
        return Returned(self.call, died, text)

    def end(self) -> None:
        """End the process with all that it has started."""
        _workers.discard(self)
        for kill in (os.killpg, os.kill):  # it may lead no group yet, or be dead
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        self.pipe.close()
        self.files.clear()


_idle: list[Worker] = []
_workers: set[Worker] = set()


@atexit.register  # before that of multiprocessing, which waits for them
def _end_all() -> None:
    for worker in list(_workers):
        worker.end()


def _free(code: Mapping[str, str]) -> Worker:
    """Return a worker that knows no other version of some code."""
    while _idle:
        worker = _idle.pop()
        good = not worker.pipe.closed and not worker.pipe.poll()
        if good and all(worker.seen.get(name, v) == v for name, v in code.items()):
            break
        if not worker.pipe.closed:
            worker.end()
    else:
        worker = Worker()
    worker.seen |= code
    return worker


def answers(
    more: Callable[[], partial[T] | None], workers: int, code: Mapping[str, str]
) -> Generator[Returned[T], None, None]:
    """Yield what comes of calls, as it comes; `more` is asked for the next one.

    Whatever closes this ends the workers that are busy; others are kept for the next time.
    """
    busy: dict[Connection, Worker] = {}
    came: list[Returned[T]] = []
    try:
        while True:
            while len(busy) < workers and (call := more()) is not None:
                worker = _free(code)
                busy[worker.pipe] = worker
                worker.send(call)
            if came:
                told, came = came, []
                yield from told
                continue  # after a death there may be more to do
            if not busy:
                return
            ready = wait(list(busy), TICK)
            for pipe, worker in list(busy.items()):
                if (answer := worker.answer(ready=pipe in ready)) is not None:
                    came.append(answer)
                    _idle.append(busy.pop(pipe))
    finally:
        for worker in busy.values():
            worker.end()


def _serve(pipe: Connection, state: Connection, printed: Connection, parent: int) -> None:
    """Take calls from a pipe until it is closed."""
    os.setpgid(0, 0)
    follow(parent)
    for number in (1, 2):
        os.dup2(printed.fileno(), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    watched_in(state.fileno())
    while pipe.poll(PATIENCE):
        try:
            call = pipe.recv_bytes()
        except (EOFError, OSError):
            break
        try:
            good, result = True, _made(call)
        except BaseException as error:
            good, result = False, error
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        text = os.pread(printed.fileno(), PRINTED, 0).decode(errors="replace")
        os.ftruncate(printed.fileno(), 0)
        os.lseek(printed.fileno(), 0, os.SEEK_SET)
        pipe.send_bytes(pickle.dumps((good, result, text, damaged())))
        _spare_collector()
    leave(0)


_told: set[str] = set()  # the names of the environment that the parent had, at any call


def _made(sent: bytes) -> object:
    from joblib import parallel_config

    folder, path, environment, call = pickle.loads(sent)
    os.chdir(folder)
    sys.path[:] = path
    for name in _told - environment.keys():  # what the parent no longer has
        os.environ.pop(name, None)
    _told.update(environment)
    os.environ.update(environment)
    with parallel_config("threading"):  # what a method does side by side needs no more processes
        return call()


@cache
def _spare_collector() -> None:
    """Take what the first call imported from the garbage collector, once."""
    gc.freeze()


@cache
def follow(parent: int) -> None:
    """Let this process leave Ctrl-C to its parent, and end with it; once.

    Nothing is done where the parent is another: the process is not ours to end, as with the
    workers of dask or ray, which may be on another machine.
    """
    if os.getppid() != parent:
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
