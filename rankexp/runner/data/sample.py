"""A sample of a table's rows: the same each time, in the table's order."""

from collections.abc import Sequence

import numpy as np

from rankexp.arrays import Bools, Floats

SEED = 0


def sample(keys: Sequence[Floats], groups: Floats | None, most: int) -> Bools:
    """Return which rows are drawn, at most so many: of groups, whole ones, but at least one.

    In order of the first key, then the next, and at random, rows are taken at equal steps: values
    keep their shares.
    """
    rng, n = np.random.default_rng(SEED), len(keys[0])
    if groups is None:
        order = np.lexsort((rng.random(n), *keys[::-1]))
        drawn = np.zeros(n, dtype=bool)
        drawn[order[((np.arange(most) + 0.5) * n / most).astype(np.int64)]] = True
        return drawn
    _, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    mixed = rng.permutation(len(sizes))
    count = max(1, int((np.cumsum(sizes[mixed]) <= most).sum()))
    return np.isin(codes, mixed[:count])
