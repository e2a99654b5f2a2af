"""The compiled loop of :mod:`rankexp.metrics.dominance`."""

import numpy as np

from rankexp.arrays import Ints
from rankexp.compiled import njit

BITS = 6
WIDTH = 1 << BITS


@njit
def smaller_before(ranks: Ints) -> Ints:
    """Count, for each place of a permutation, the smaller values before it.

    Values are told apart six bits at a time from the highest on, within the segment of those that
    agree so far; ``above[d]`` is how many values seen there have a digit below ``d``.
    """
    n = ranks.size
    count = np.zeros(n, np.int32)
    here = ranks.astype(np.int32)
    there = np.empty(n, np.int32)
    above = np.empty(WIDTH, np.int32)
    place = np.empty(WIDTH, np.int32)
    low = 0
    while (n - 1) >> (low + BITS) > 0:
        low += BITS
    high = low + BITS
    while True:
        for start in range(0, n, 1 << high):
            for e in range(WIDTH):
                above[e] = 0
                place[e] = start + (e << low)
            for i in range(start, min(n, start + (1 << high))):
                v = here[i]
                d = (v - start) >> low
                count[v] += above[d]
                for e in range(WIDTH):
                    above[e] += e > d
                there[place[d]] = v
                place[d] += 1
        if low == 0:
            break
        here, there = there, here
        high = low
        low -= BITS
    return count[ranks].astype(np.int64)
