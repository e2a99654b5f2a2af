"""The compiled loops of stumps and of their weights."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Unsigned
from rankexp.compiled import njit

Cells = npt.NDArray[np.int32]
BLOCK = 4096  # tuned: rows whose charges stay in the nearest cache over all features


@njit
def histograms(bins: Unsigned, charges: Floats, width: int) -> Floats:
    """Return the sum of charges in each bin of each feature."""
    d, n = bins.shape
    sums = np.zeros((d, width))
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        for f in range(d):
            for i in range(start, stop):
                sums[f, bins[f, i]] += charges[i]
    return sums


@njit
def split(
    bins: Unsigned, cut: int, cell: Cells, up: Floats, down: Floats, cells: int
) -> tuple[Floats, Floats]:
    """Return the sums of up and of down in each cell, below and above a cut, (2, cells) each."""
    ups, downs = np.zeros((2, cells)), np.zeros((2, cells))
    for i in range(bins.size):
        side = 1 if bins[i] > cut else 0
        ups[side, cell[i]] += up[i]
        downs[side, cell[i]] += down[i]
    return ups, downs


@njit
def advance(
    bins: Unsigned, cut: int, height: float, factor: float, s: Floats, up: Floats, down: Floats
) -> None:
    """Add the height to the scores above a cut; factor is its exponential."""
    for i in range(bins.size):
        if bins[i] > cut:
            s[i] += height
            up[i] /= factor
            down[i] *= factor


@njit
def charges(cell: Cells, up: Floats, down: Floats, of_up: Floats, of_down: Floats) -> Floats:
    """Return ``up · of_up - down · of_down``, the last of each by cell."""
    out = np.empty(cell.size)
    for i in range(cell.size):
        out[i] = up[i] * of_up[cell[i]] - down[i] * of_down[cell[i]]
    return out
