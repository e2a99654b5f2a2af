"""Keep how each test example is placed among others: it gives the variances of rank measures."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.metrics.level_counts import coded, won, won_by_level
from rankexp.runner.keep import KeptName
from rankexp.runner.keep.curves import Curve

REGISTER = {
    "placements": "placements",
    "placements_ovo": "placements_ovo",
    "placements_cons": "placements_cons",
}
PLACEMENTS = frozenset(REGISTER)
ROWS = str(KeptName("rows"))  # places of test rows in the data set, and levels: of all grid points


def is_placements(key: str) -> bool:
    """Tell whether a record's key is of a curve with a value a test row."""
    return KeptName.parse(key).name in PLACEMENTS


def placements(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the level of each test example and how many pairs it wins, a tie counting 1/2.

    Pairs are of examples of different levels, as in the AUC and U_pairs.
    """
    return _curve(y, won(coded(y, None).codes, scores))


def placements_ovo(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return each test example's level, and its placement in U_ovo.

    The mean placements of all levels add up to twice the value, as in the next two curves.
    """
    levels, wins, sizes = _by_level(y, scores)
    share = wins / sizes[:, None]
    share[levels, np.arange(len(levels))] = 0.0
    K = len(sizes)
    return _curve(y, share.sum(axis=0) * 2.0 / (K * (K - 1)))


def placements_cons(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return each test example's level, and its placement in U_cons."""
    levels, wins, sizes = _by_level(y, scores)
    found, K = np.zeros(len(levels)), len(sizes)
    for cut in range(1, K):
        below, low = levels < cut, sizes[:cut].sum()
        others = np.where(below, wins[cut:].sum(axis=0), wins[:cut].sum(axis=0))
        found += others / (low * (sizes.sum() - low)) / (K - 1)
    return _curve(y, found * sizes[levels])


def _curve(levels: Floats, values: Floats) -> Curve:
    return {"x": levels.astype(np.int64).tolist(), "y": values.tolist()}


def _by_level(y: Floats, scores: Floats) -> tuple[Ints, Floats, Ints]:
    """Return levels, the wins of each row against each level, (K, n), and the levels' sizes."""
    known = coded(y, None)
    return known.codes, won_by_level(known.codes, scores), np.asarray(known.sizes, dtype=np.int64)
