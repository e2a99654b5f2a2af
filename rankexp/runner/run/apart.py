"""What a method does to its process is kept from the others; docs/methods.md has the list."""

import contextlib
import decimal
import gc
import locale
import os
import random
import resource
import signal
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

if TYPE_CHECKING:
    from threadpoolctl import LibController

K = TypeVar("K")
T = TypeVar("T")
leave = os._exit  # while a method runs the name in `os` is refused
_told = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
OWNERS, LISTS, SETTINGS = _told.values()  # in the order of the file
LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
_locale, _blocked = partial(locale.setlocale, locale.LC_ALL), signal.pthread_sigmask
TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
SIGNALS = [n for n in signal.Signals if n < 32 and n not in (signal.SIGKILL, signal.SIGSTOP)]


class SharedSetting(NamedTuple, Generic[T]):
    """Something that all of a process share: how it is read, and how it is put back."""

    read: Callable[[], T]
    put: Callable[[T], object]


Shared = SharedSetting[Any]


def _each(
    keys: Callable[[], Iterable[K]], read: Callable[[K], T], put: Callable[[K, T], object]
) -> SharedSetting[dict[K, T]]:
    """Return several of a kind, of which those are put back that have changed."""
    return SharedSetting(
        lambda: {key: read(key) for key in keys()},
        lambda before: [put(key, v) for key, v in before.items() if read(key) != v],
    )


def _of_names(owner: str) -> SharedSetting[dict[str, T]]:
    """Return the names of a module or logger; those that are added later may stay."""
    named = vars(found := resolve_name(owner))

    def put(before: dict[str, T]) -> None:
        for name, value in before.items():
            if named.get(name, before) is not value:
                setattr(found, name, value)

    return SharedSetting(named.copy, put)


def _of_list(name: str) -> SharedSetting[list[T]]:
    kept: list[T] = resolve_name(name)
    return SharedSetting(kept.copy, partial(kept.__setitem__, slice(None)))


def _put_environment(before: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)
    time.tzset()


def _handled() -> Sequence[signal.Signals]:
    """Return the signals that can be put back, which a main thread can do alone."""
    return SIGNALS if threading.current_thread() is threading.main_thread() else []


@cache
def _streams() -> Mapping[int, int]:
    """Return copies of standard input, output and errors, as far as they are open."""
    made = {}
    for number in range(3):
        with contextlib.suppress(OSError):
            made[number] = os.dup(number)
    return made


def _file(number: int) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        found = os.fstat(number)
        return found.st_dev, found.st_ino
    return None


@cache
def _pools() -> dict[str, "LibController"]:
    from threadpoolctl import ThreadpoolController

    return {pool.filepath: pool for pool in ThreadpoolController().lib_controllers}


COMMON: Sequence[Shared] = [
    SharedSetting(os.getcwd, os.chdir),
    SharedSetting(lambda: dict(os.environ), _put_environment),
]
"""All that is worth a look after a method of ours."""
ALL: list[Shared] = [
    *COMMON,
    *map(_of_names, OWNERS),
    *map(_of_list, LISTS),
    *(SharedSetting(*map(resolve_name, pair)) for pair in SETTINGS.items()),
    SharedSetting(lambda: [mask := os.umask(0o77), os.umask(mask)][0], os.umask),
    SharedSetting(_locale, _locale),
    SharedSetting(np.get_printoptions, lambda given: np.set_printoptions(**given)),
    SharedSetting(gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    SharedSetting(gc.get_threshold, lambda given: gc.set_threshold(*given)),
    SharedSetting(lambda: _blocked(signal.SIG_BLOCK, ()), partial(_blocked, signal.SIG_SETMASK)),
    _each(_handled, signal.getsignal, lambda n, own: signal.signal(n, own or signal.SIG_DFL)),
    _each(lambda: TIMERS, lambda n: any(signal.getitimer(n)), lambda n, _: signal.setitimer(n, 0)),
    _each(lambda: LIMITS, resource.getrlimit, resource.setrlimit),
    _each(_pools, lambda n: _pools()[n].num_threads, lambda n, k: _pools()[n].set_num_threads(k)),
    _each(_streams, _file, lambda number, _: os.dup2(_streams()[number], number)),
]
_loaded: dict[tuple[str, ...], list[tuple[Shared, Any]]] = {}
"""What methods have changed when they were loaded, which is for themselves."""
_damage: list[str] = []


def damaged() -> bool:
    """Tell whether a method left what cannot be put back: then the process must end."""
    return bool(_damage)


@contextlib.contextmanager
def apart(*, foreign: bool) -> Iterator[None]:
    """Keep what a step of a method does to its process from the others.

    `os._exit` ends only what a method has forked, and such a process goes no further than this.
    """
    here, threads, settings = os.getpid(), threading.active_count(), ALL if foreign else COMMON
    before = [setting.read() for setting in settings]
    streams = random.getstate(), np.random.get_state()  # noqa: NPY002  (foreign methods use it)
    os._exit = partial(_refuse, here)
    try:
        with np.errstate(), decimal.localcontext():
            yield
    finally:
        os._exit = leave
        if os.getpid() != here:
            leave(0)
        random.setstate(streams[0])
        np.random.set_state(streams[1])  # noqa: NPY002
        for setting, value in zip(settings, before, strict=True):
            _put_back(setting, value)
        if foreign and threading.active_count() > threads:
            _damage.append("a thread is left")


def _refuse(here: int, status: int) -> NoReturn:
    if os.getpid() != here:
        leave(status)
    raise SystemExit(f"os._exit({status}) was called")


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
        before = [(setting, setting.read()) for setting in ALL]
        load()
        after = [(setting, setting.read()) for setting in ALL]
        _loaded[load.args] = [now for now, was in zip(after, before, strict=True) if now != was]
    elif load is not None:
        for setting, value in _loaded[load.args]:
            setting.put(value)
    random.seed(key)
    np.random.seed(random.getrandbits(32))  # noqa: NPY002
