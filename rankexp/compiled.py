"""Whether compiled loops are used, and how they are made: numba is optional, and imported late."""

import importlib
import os
import re
import warnings
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

OLDEST = (0, 61, 2)
"""The oldest numba used: 0.60 may take an array in a tuple for one of another memory layout."""


def choose(module: str, wanted: bool | None = None) -> ModuleType | None:
    """Return a module of compiled loops, or None where numpy is to do the work.

    By default numba is used where it can be imported and the environment variable
    ``RANKEXP_NUMBA`` is not 0; ImportError where it is `wanted` and can't be imported.
    """
    if wanted is False or (wanted is None and os.environ.get("RANKEXP_NUMBA", "1") == "0"):
        return None
    found = _imported(module)
    if found is None and wanted:
        least = ".".join(map(str, OLDEST))
        raise ImportError(f"{module} needs numba {least} or newer: pip install 'rankexp[numba]'")
    return found


@cache
def _imported(module: str) -> ModuleType | None:
    try:
        import numba

        if tuple(map(int, re.findall(r"\d+", numba.__version__)[:3])) < OLDEST:
            text = f"numba {numba.__version__} makes mistakes and is not used, so all is slower: "
            warnings.warn(f"{text}pip install 'rankexp[numba]'", stacklevel=4)
            return None
        return importlib.import_module(module)
    except ImportError:
        return None


def njit(function: Callable[..., Any]) -> Any:
    """Compile a function once a machine, or once a process where no cache can be written."""
    import numba

    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder for the cache
        return numba.njit(function, nogil=True)
