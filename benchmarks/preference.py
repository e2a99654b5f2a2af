"""QuickSort by a linear preference function: seconds, and beside what its calls to it take."""

import time
from collections.abc import Iterator

import numpy as np

from benchmarks._timing import best_times
from rankexp.preference import quicksort_rank, sort_by_degree

Row = tuple[str, float, float | None]


class Timed:
    """A linear preference function of rows, which knows how long it was busy."""

    def __init__(self, w: np.ndarray) -> None:
        self.w, self.busy = w, 0.0

    def __call__(self, U: np.ndarray, V: np.ndarray) -> np.ndarray:
        start = time.perf_counter()
        above = (U - V) @ self.w > 0.0
        self.busy += time.perf_counter() - start
        return above


def rows() -> Iterator[Row]:
    """Yield (name, measured, target); lower is better."""
    rng = np.random.default_rng(0)
    X, h = rng.normal(size=(100_000, 10)), Timed(rng.normal(size=10))
    for check in (True, False):
        found = []
        for seed in range(5):
            h.busy = 0.0
            (seconds,) = best_times(1, lambda s=seed, c=check: quicksort_rank(h, X, s, check=c))
            found.append((seconds, seconds / h.busy))
        seconds, ratio = np.min(found, axis=0)
        how = "each pair both ways round" if check else "each pair once"
        yield f"seconds, QuickSort of 1e5 rows × 10, {how}", seconds, 3.0
        yield f"QuickSort of 1e5 rows × 10 / its calls alone, {how}", ratio, 5.0
    (seconds,) = best_times(3, lambda: quicksort_rank(h, X, 0, top_k=100))
    yield "seconds, QuickSort of 1e5 rows × 10, top 100", seconds, None
    (seconds,) = best_times(1, lambda: sort_by_degree(h, X[:2000]))
    yield "seconds, sort by degree of 2,000 rows × 10", seconds, None
