"""The compiled loops of stumps and their weights, of sums over panels and of pairs."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints, Unsigned
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


@njit
def moments(x: Floats, weight: Floats, cell: Ints, shape: tuple[int, int, int]) -> Floats:
    """Return the sums of the polynomials times weights, if any, of shape (panels, m, cells)."""
    out = np.zeros(shape)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        into, w = out[panel], weight[i] if weight.size else 1.0
        before, now, twice = 1.0, t, 2.0 * t
        into[0, cell[i]] += w * before
        into[1, cell[i]] += w * now
        for q in range(2, shape[1]):
            before, now = now, twice * now - before
            into[q, cell[i]] += w * now
    return out


@njit
def values(x: Floats, cell: Ints, field: Floats) -> Floats:
    """Return the polynomials with coefficients (panels, m, cells) at the scores, (n,)."""
    out = np.empty(x.size)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        row = field[panel]
        before, now, twice = 1.0, t, 2.0 * t
        total = row[0, cell[i]] * before + row[1, cell[i]] * now
        for q in range(2, field.shape[1]):
            before, now = now, twice * now - before
            total += row[q, cell[i]] * now
        out[i] = total
    return out


@njit
def steps(x: Floats, cell: Ints, cells: int, powers: Floats) -> tuple[Floats, Floats]:
    """Return sums of powers of places with coefficients (panels · cells, m), and derivatives."""
    out, rise = np.empty(x.size), np.empty(x.size)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        row = powers[panel * cells + cell[i]]
        total, slope = row[-1], 0.0
        for q in range(row.size - 2, -1, -1):
            slope = slope * t + total
            total = total * t + row[q]
        out[i], rise[i] = total, slope
    return out, rise


@njit
def rows_over(X: Floats, lower: Ints, mass: Floats, above: Ints, ends: Ints) -> Floats:
    """Return the sum of ``mass X`` over the lower rows above each upper row, in its group."""
    out, total = np.empty((above.size, X.shape[1])), np.zeros(X.shape[1])
    at = end = lower.size
    for a in range(above.size - 1, -1, -1):
        here = ends[a] if ends.size > 1 else ends[0]
        if here != end:
            at = end = here
            total[:] = 0.0
        while at > above[a]:
            at -= 1
            weight = mass[at] if mass.size > 1 else mass[0]
            for c in range(X.shape[1]):
                total[c] += weight * X[lower[at], c]
        out[a] = total
    return out
