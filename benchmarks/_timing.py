"""Best times of several calls, measured in turns, so that a drifting machine hits all alike."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
# A process counts the memory of the one that starts it as its own. So a small one does.
STARTER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


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
    typed = [sys.executable, "-c", STARTER, sys.executable, "-m", "rankexp", *arguments]
    done = subprocess.run(typed, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{arguments} ended with {done.returncode}")
    seconds, kilobytes = map(float, done.stdout.split())
    return seconds, kilobytes / 1e6
