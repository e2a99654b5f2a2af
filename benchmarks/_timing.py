"""Best times of several calls, measured in turns, so that a drifting machine hits all alike."""

import time
from collections.abc import Callable


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
