"""Best times of several calls, measured in turns, so that a drifting machine hits all alike."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]


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


def cpu_times(rounds: int, *calls: Callable[[], object], rest: float = 0.0) -> list[float]:
    """Return the least CPU time of each call in seconds, of all threads; busy cores hardly tell.

    Threads spin for a while after a product. A `rest` of .1 seconds counts that, too.
    """
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for which, call in enumerate(calls):
            start = time.process_time()
            call()
            time.sleep(rest)
            best[which] = min(best[which], time.process_time() - start)
    return best


def command(*arguments: str) -> tuple[float, float]:
    """Return seconds of a processor and gigabytes that a command of rankexp takes."""
    typed = [sys.executable, "-m", "rankexp", *arguments]
    with subprocess.Popen(typed, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6
