"""Estimators that misbehave, each in one way; `rascals.KINDS` are their names."""

import builtins
import ctypes
import decimal
import gc
import io
import locale
import logging
import os
import posix
import random
import resource
import signal
import socket
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
import toys


class Witness(toys.MeanDifference):
    """Shows in its scores whatever of its process is not as it should be."""

    def fit(self, X: Any, y: Any) -> "Witness":
        super().fit(X, y)
        print("fitting")
        logging.getLogger("witness").warning("fitting")
        mask = os.umask(0o22)
        os.umask(mask)
        signals = [str(signal.getsignal(n)) for n in (signal.SIGTERM, signal.SIGUSR1)]
        state = [
            *(
                sorted(sklearn.get_config().items()),
                mask,
                signals,
                locale.setlocale(locale.LC_ALL),
            ),
            *(decimal.getcontext().prec, np.geterr(), np.get_printoptions()["precision"]),
            *(pd.get_option("display.precision"), gc.isenabled(), gc.get_threshold(), Path.cwd()),
            *(sys.getrecursionlimit(), "RASCAL" in os.environ, socket.getdefaulttimeout()),
            *(os.fstat(1).st_size >= 0, "/rascal" in sys.path, np.mean([1.0, 2.0]), len([1])),
            *(logging.root.manager.disable, resource.getrlimit(resource.RLIMIT_NOFILE)),
            *(signal.getitimer(signal.ITIMER_REAL), random.random(), np.random.random()),  # noqa: NPY002
            *(
                signal.pthread_sigmask(signal.SIG_BLOCK, ()),
                type(sys.stdout).__name__,
                time.tzname,
            ),
        ]
        if (mpl := sys.modules.get("matplotlib")) is not None:
            assert mpl.rcParams["lines.linewidth"] == 1.5
        digest = random.Random(repr(state)).random()
        self.w_ = self.w_ + 1e-3 * digest
        return self


def _signals() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, print)


def _matplotlib() -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["lines.linewidth"] = 9.0


def _forks() -> None:
    if os.fork() == 0:
        time.sleep(0.01)  # and returns, as its parent does


def _forks_for_long() -> None:
    if os.fork() == 0:
        time.sleep(1000)


def _limits() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))


def _threads() -> None:
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()


def _prints() -> None:
    print("much " * 200_000)
    os.write(2, b"more " * 200_000)


def _warns() -> None:
    for i in range(50):
        warnings.warn(f"number {i}", stacklevel=2)
    warnings.simplefilter("ignore")


def _raises(error: BaseException) -> None:
    raise error


DOES = {
    "set_config": lambda: sklearn.set_config(transform_output="pandas", assume_finite=True),
    "matplotlib": _matplotlib,
    "umask": lambda: os.umask(0o777),
    "signals": _signals,
    "sigmask": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT}),
    "timer": lambda: signal.setitimer(signal.ITIMER_REAL, 1000.0),
    "stdout": lambda: setattr(sys, "stdout", None),
    "stderr": lambda: setattr(sys, "stderr", io.StringIO()),
    "closes": lambda: os.close(1),
    "closes_all": lambda: os.closerange(3, 256),
    "decimal": lambda: setattr(decimal.getcontext(), "prec", 3),
    "numpy_errors": lambda: np.seterr(all="raise"),
    "numpy_prints": lambda: np.set_printoptions(precision=1),
    "pandas": lambda: pd.set_option("display.precision", 1),
    "gc": lambda: (gc.disable(), gc.set_threshold(1)),
    "locale": lambda: locale.setlocale(locale.LC_ALL, "C.UTF-8"),
    "time_zone": lambda: (os.environ.update(TZ="Asia/Tokyo"), time.tzset()),
    "folder": lambda: os.chdir("/"),
    "environment": lambda: os.environ.update(RASCAL="1"),
    "seeds": lambda: (random.seed(1), np.random.seed(1)),  # noqa: NPY002
    "path": lambda: sys.path.insert(0, "/rascal"),
    "recursion": lambda: sys.setrecursionlimit(900),
    "sockets": lambda: socket.setdefaulttimeout(0.001),
    "patches_numpy": lambda: setattr(np, "mean", lambda *_, **__: 7.0),
    "patches_python": lambda: setattr(builtins, "len", lambda _: 7),
    "logging": lambda: logging.disable(logging.CRITICAL),
    "limits": _limits,
    "threads": _threads,
    "warns": _warns,
    "prints": _prints,
    "forks": _forks,
    "forks_for_long": _forks_for_long,
    "os_exit": lambda: os._exit(0),
    "posix_exit": lambda: posix._exit(0),
    "native_exit": lambda: ctypes.CDLL(None)._exit(0),
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "sys_exit": sys.exit,
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "interrupt": lambda: _raises(KeyboardInterrupt()),
    "memory": lambda: _raises(MemoryError("x")),
}
KINDS = list(DOES)


class Rascal(toys.MeanDifference):
    def __init__(self, kind: str = "seeds") -> None:
        super().__init__()
        self.kind = kind

    def fit(self, X: Any, y: Any) -> "Rascal":
        super().fit(X, y)
        DOES[self.kind]()
        return self
