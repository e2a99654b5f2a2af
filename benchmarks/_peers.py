"""Rows beside packages that the project does not need: `make bench` installs them."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from benchmarks._timing import cpu_times

Row = tuple[str, float, float | None]
Call = Callable[[], object]


class MissingError(Exception):
    """A package that is not there."""


def package(name: str) -> ModuleType:
    """Return a module of a peer, or raise `MissingError`."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingError(str(error)) from error


def beside(what: str, rows: Callable[[], Iterator[Row]]) -> Iterator[Row]:
    """Yield the rows, or one that says how to get what they need."""
    try:
        yield from rows()
    except MissingError as error:
        yield f"{what}: {error}; `make bench` installs it", math.nan, None


def compared(
    what: str, ours: Call, theirs: Call, apart: float, most: float, rounds: int = 5
) -> Row:
    """Return the row of two calls whose results are so far `apart`, and at `most` may be.

    Where they are further apart, the times say nothing: the figure is infinite.
    """
    if not apart <= most:
        return f"{what} NOT EQUAL: {apart:.0e} apart", math.inf, 1.0
    one, other = cpu_times(rounds, ours, theirs)
    return f"{what} ({apart:.0e} apart)", one / other, 1.0


@contextmanager
def one_numba_thread() -> Iterator[None]:
    """Let numba's loops run in one thread, as all else does here."""
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)
