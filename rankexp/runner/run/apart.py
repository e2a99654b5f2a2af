"""What a method does to its process is kept from the others; docs/methods.md has the list."""

import builtins
import contextlib
import decimal
import gc
import locale
import logging
import math
import os
import random
import resource
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import numpy as np
import sklearn

if TYPE_CHECKING:
    from threadpoolctl import LibController

T = TypeVar("T")
Options = dict[str, bool | int | float | str | None]
PANDAS, MATPLOTLIB = "pandas", "matplotlib"  # which are loaded by those who need them
leave = os._exit  # while a method runs the name in `os` is refused
LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
OWNERS: Sequence[ModuleType | logging.Logger | logging.Manager] = (
    *(builtins, logging, logging.root, logging.root.manager, math, os, random, sys, threading),
    *(time, np, np.linalg, np.random),
)
"""Of these, each name keeps what it stands for."""
LISTS: Sequence[list[Any]] = (
    *(sys.path, sys.meta_path, sys.path_hooks, logging.root.handlers, gc.callbacks),
)


@dataclass(frozen=True)
class SharedSetting(Generic[T]):
    """Something that all of a process share: how it is read, and how it is put back."""

    read: Callable[[], T]
    put: Callable[[T], object]


def _of_list(kept: list[T]) -> SharedSetting[list[T]]:
    return SharedSetting(kept.copy, partial(kept.__setitem__, slice(None)))


def _of_names(owner: ModuleType | logging.Logger | logging.Manager) -> SharedSetting[dict[str, T]]:
    """Return the names of a module or object; those that are added later may stay."""

    def put(names: dict[str, T]) -> None:
        for name, value in names.items():
            if vars(owner).get(name, names) is not value:
                setattr(owner, name, value)

    return SharedSetting(vars(owner).copy, put)


def _put_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)
    time.tzset()


def _umask() -> int:
    os.umask(mask := os.umask(0o77))
    return mask


@cache
def _signals() -> Sequence[signal.Signals]:
    """Return those that a program may handle; only a main thread can put them back."""
    usual = [n for n in signal.Signals if n < 32 and n not in (signal.SIGKILL, signal.SIGSTOP)]
    return usual if threading.current_thread() is threading.main_thread() else []


def _put_signals(handlers: Sequence[signal.Handlers]) -> None:
    for number, handler in zip(_signals(), handlers, strict=True):
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


def _put_timers(armed: Sequence[bool]) -> None:
    for timer, before in zip(TIMERS, armed, strict=True):
        if not before:
            signal.setitimer(timer, 0.0)


def _put_limits(limits: Sequence[tuple[int, int]]) -> None:
    for limit, own in zip(LIMITS, limits, strict=True):
        if resource.getrlimit(limit) != own:
            resource.setrlimit(limit, own)


@cache
def _pools() -> "Sequence[LibController]":
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().lib_controllers)


def _put_threads(counts: Sequence[int]) -> None:
    for pool, count in zip(_pools(), counts, strict=True):
        pool.set_num_threads(count)


@cache
def _streams() -> Mapping[int, int]:
    """Return copies of standard input, output and errors, as far as they are open."""
    made = {}
    for number in range(3):
        with contextlib.suppress(OSError):
            made[number] = os.dup(number)
    return made


def _files() -> list[tuple[int, int] | None]:
    """Tell what files the standard streams are."""
    made: list[tuple[int, int] | None] = []
    for number in _streams():
        try:
            found = os.fstat(number)
            made.append((found.st_dev, found.st_ino))
        except OSError:
            made.append(None)
    return made


def _pandas() -> Options | None:
    """Return the options of pandas, once it is loaded."""
    return _flat(module.options.d) if (module := sys.modules.get(PANDAS)) else None


def _flat(options: Options, above: str = "") -> Options:
    made: Options = {}
    for key, value in options.items():
        if isinstance(value, Mapping):
            made |= _flat(value, f"{above}{key}.")
        else:
            made[above + key] = value
    return made


def _put_pandas(before: Options | None) -> None:
    import pandas as pd

    with warnings.catch_warnings(action="ignore"):
        if before is None:
            pd.reset_option("all")
        for name, value in (before or {}).items():
            if pd.get_option(name) != value:
                pd.set_option(name, value)


def _matplotlib() -> Options | None:
    """Return the parameters of matplotlib, its backend among them, once it is loaded."""
    module = sys.modules.get(MATPLOTLIB)
    return dict(dict.items(module.rcParams)) if module else None


def _put_matplotlib(before: Options | None) -> None:
    import matplotlib as mpl

    dict.update(mpl.rcParams, mpl.rcParamsOrig if before is None else before)  # type: ignore[misc]


SETTINGS: Sequence[SharedSetting[Any]] = [
    SharedSetting(os.getcwd, os.chdir),
    SharedSetting(lambda: dict(os.environ), _put_environment),
    *map(_of_names, OWNERS),
    *(_of_list(kept) for kept in LISTS),
    SharedSetting(_umask, os.umask),
    SharedSetting(sklearn.get_config, lambda given: sklearn.set_config(**given)),
    SharedSetting(np.get_printoptions, lambda given: np.set_printoptions(**given)),
    SharedSetting(
        lambda: locale.setlocale(locale.LC_ALL), partial(locale.setlocale, locale.LC_ALL)
    ),
    SharedSetting(gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    SharedSetting(gc.get_threshold, lambda given: gc.set_threshold(*given)),
    SharedSetting(gc.get_debug, gc.set_debug),
    SharedSetting(sys.getrecursionlimit, sys.setrecursionlimit),
    SharedSetting(sys.getswitchinterval, sys.setswitchinterval),
    SharedSetting(sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    SharedSetting(sys.gettrace, sys.settrace),
    SharedSetting(sys.getprofile, sys.setprofile),
    SharedSetting(socket.getdefaulttimeout, socket.setdefaulttimeout),
    SharedSetting(lambda: [signal.getsignal(n) for n in _signals()], _put_signals),
    SharedSetting(
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        partial(signal.pthread_sigmask, signal.SIG_SETMASK),
    ),
    SharedSetting(lambda: [signal.getitimer(t) != (0.0, 0.0) for t in TIMERS], _put_timers),
    SharedSetting(lambda: [resource.getrlimit(n) for n in LIMITS], _put_limits),
    SharedSetting(lambda: [pool.num_threads for pool in _pools()], _put_threads),
    SharedSetting(
        _files, lambda _: [os.dup2(kept, number) for number, kept in _streams().items()]
    ),
    SharedSetting(_pandas, _put_pandas),
    SharedSetting(_matplotlib, _put_matplotlib),
]
COMMON = SETTINGS[:2]  # all that is worth a look after a method of ours

_loaded: dict[tuple[str, ...], list[tuple[SharedSetting[Any], Any]]] = {}
"""What methods have changed when they were loaded, which is for themselves."""
_damage: list[str] = []


def damaged() -> bool:
    """Tell whether a method left what cannot be put back: then the process must end."""
    return bool(_damage)


@contextlib.contextmanager
def apart(*, foreign: bool) -> Iterator[None]:
    """Keep what a step of a method does to its process from the others.

    `os._exit` ends only what a method has forked, and what has left this function's own process
    ends, too.
    """
    here, threads = os.getpid(), threading.active_count()
    settings = SETTINGS if foreign else COMMON
    before = [setting.read() for setting in settings]
    streams = random.getstate(), np.random.get_state()  # noqa: NPY002  (foreign methods use it)

    def refuse(status: int) -> NoReturn:
        if os.getpid() != here:
            leave(status)
        raise SystemExit(f"os._exit({status}) was called")

    os._exit = refuse
    try:
        with np.errstate(), decimal.localcontext():
            yield
    finally:
        if os.getpid() != here:
            leave(0)
        os._exit = leave
        random.setstate(streams[0])
        np.random.set_state(streams[1])  # noqa: NPY002
        for setting, value in zip(settings, before, strict=True):
            _put_back(setting, value)
        if foreign and threading.active_count() > threads:
            _damage.append("a thread is left")


def _put_back(setting: SharedSetting[T], value: T) -> None:
    try:
        if setting.read() != value:
            setting.put(value)
    except Exception as error:  # nothing of a method may stop a run
        _damage.append(str(error))


def begin(key: str, load: partial[T] | None) -> None:
    """Start a step: what its method changed when it was loaded is changed again, for itself.

    Global random numbers start from the cell's key. `load` is of a method from outside.
    """
    if load is not None and load.args not in _loaded:
        before = [setting.read() for setting in SETTINGS]
        load()
        after = [(setting, setting.read()) for setting in SETTINGS]
        changed = [own for own, was in zip(after, before, strict=True) if own[1] != was]
        _loaded[load.args] = changed
    elif load is not None:
        for setting, value in _loaded[load.args]:
            setting.put(value)
    random.seed(key)
    np.random.seed(random.getrandbits(32))  # noqa: NPY002
