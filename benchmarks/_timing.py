"""Best times of several calls, measured in turns, so that a drifting machine hits all alike."""

import os
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec


def engines() -> Iterator[str]:
    """Yield "numba", if it is installed, and "numpy", while RANKEXP_NUMBA chooses it."""
    before = os.environ.get("RANKEXP_NUMBA")
    try:
        for how in ("numba", "numpy") if find_spec("numba") else ("numpy",):
            os.environ["RANKEXP_NUMBA"] = "1" if how == "numba" else "0"
            yield how
    finally:
        os.environ.pop("RANKEXP_NUMBA")
        if before is not None:
            os.environ["RANKEXP_NUMBA"] = before


def best_times(rounds: int, *calls: Callable[[], object]) -> list[float]:
    """Return the best time of each call in seconds."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for which, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[which] = min(best[which], time.perf_counter() - start)
    return best


def time_ratio(first: Callable[[], object], second: Callable[[], object], rounds: int) -> float:
    """Return the best time of the first over the best time of the second."""
    one, other = best_times(rounds, first, second)
    return one / other
