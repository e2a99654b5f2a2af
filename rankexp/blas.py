"""Use one BLAS thread for small products, because threads that wait for the next product spin.

Beside busy processes small products in several threads take many times the CPU, and longer.
The count belongs to the process, so users are counted: the first sets it, the last sets it back.
"""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, wraps
from inspect import isfunction, isgeneratorfunction
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import LibController

ENTRIES = 2**22  # of a matrix, 32 MB: by a vector it takes some milliseconds
PRODUCTS = 2**27  # of the same matrix by itself: some 10 ms in one thread

P = ParamSpec("P")
R = TypeVar("R")
E = TypeVar("E", bound="SparesThreads")


@cache
def _libraries() -> "list[LibController]":
    """Return the controllers of the BLAS libraries; finding them takes 1,000 times an entry."""
    # Libraries on OpenMP are left out: others share their count, and each thread has its own.
    import scipy.linalg  # noqa: F401 - its library is found once it is loaded
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [one for one in found if getattr(one, "threading_layer", "") != "openmp"]


def _set(library: "LibController", n: int) -> None:
    """Set a count even if threadpoolctl (such as 3.8) lets only one thread of Python set it."""
    # That is the first one, while it lives; the last user may be another.
    free = getattr(library, "clear_controlling_thread", lambda force: None)
    for _ in range(3):  # others may come in between
        free(force=True)
        library.set_num_threads(n)
        free(force=True)
        if library.num_threads == n:
            return


class _OneThread:
    """A context in which BLAS has one thread; it may be nested, and entered by several threads."""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = Lock(), 0, list[tuple[Any, int]]()
        if hasattr(os, "register_at_fork"):  # else a child could wait for a thread it has not
            take, free = self._lock.acquire, self._lock.release
            os.register_at_fork(before=take, after_in_parent=free, after_in_child=free)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:  # a library with one thread, as in a worker, is left alone
                counts = [(library, library.num_threads) for library in _libraries()]
                self._before = [(library, n) for library, n in counts if n and n > 1]
                for library, _ in self._before:
                    _set(library, 1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for library, n in self._before:
                    _set(library, n)


one_thread = _OneThread()  # for products with vectors, which are short however long these are


def threads_for(n: float, d: float) -> AbstractContextManager[None]:
    """Return the context for products with an n × d matrix and of it by itself."""
    return one_thread if n * d <= ENTRIES and n * d * min(n, d) <= PRODUCTS else nullcontext()


def sparing(method: Callable[Concatenate[E, P], R]) -> Callable[Concatenate[E, P], R]:
    """Return a method of an estimator that has one BLAS thread if its argument X is small."""
    place = method.__code__.co_varnames.index("X") - 1  # behind the estimator itself
    learns = method.__name__.startswith(("fit", "partial_fit", "path"))

    @wraps(method)
    def spared(self: E, /, *given: P.args, **named: P.kwargs) -> R:
        X = given[place] if place < len(given) else named.get("X")
        shape: Any = getattr(X, "shape", ())  # millions of numbers in a list are a rarity
        n, d = shape if len(shape) == 2 else (1, 1)
        with one_thread if hasattr(X, "nnz") else threads_for(n, self._columns(n, d, learns)):
            return method(self, *given, **named)

    return spared


class SparesThreads:
    """An estimator whose public methods with an argument X have one BLAS thread if X is small."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for name, method in list(vars(cls).items()):
            if name.startswith("_") or not isfunction(method) or isgeneratorfunction(method):
                continue  # a generator would leave the limit on between two items
            if "X" in method.__code__.co_varnames[: method.__code__.co_argcount]:
                setattr(cls, name, sparing(method))

    def _columns(self, n: int, d: int, learns: bool) -> int:
        """Return the width of the widest matrix that is multiplied for n rows, to learn or not."""
        return d
