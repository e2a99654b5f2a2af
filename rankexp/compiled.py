"""Compile inner loops. numba takes long to import, so their modules are imported late."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from rankexp.errors import NumbaError

try:
    import numba

    _njit = numba.njit
except Exception as error:  # whatever a broken installation raises
    text = f"numba, which compiles the inner loops, cannot be imported ({error})"
    advice = "install a version that fits this Python and numpy"
    raise NumbaError(f"{text}; {advice}: pip install --upgrade rankexp numba") from error

P = ParamSpec("P")
R = TypeVar("R")


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function once a machine, or once a process if no cache can be written."""
    try:
        compiled: Callable[P, R] = _njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder for the cache
        compiled = _njit(function, nogil=True)
    return compiled
