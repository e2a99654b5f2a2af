"""The squared loss of pairs: sums over two cells (group, level) follow from means and variances.

The mean of ``(1 - (s_i - s_j))²`` over the pairs of two cells with means M and m and variances V
and v is ``(1 - (M - m))² + V + v``. So a value or a slope costs a term a row and a pair of cells.
"""

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from rankexp.arrays import Floats
from rankexp.solvers.pairs.risk import PairRisk
from rankexp.solvers.smooth.objective import gram


class SquaredPairs(PairRisk):
    """The squared loss: each pair counts ``(1 - (s_i - s_j))²``."""

    @cached_property
    def mass(self) -> tuple[Floats, Floats]:
        """The weights of rows, (n,), and of cells, (c,); an empty cell has almost none."""
        w, n = self.order.factor, self.order.cell.size
        rows = np.ones(n) if w is None else w
        return rows, np.maximum(self._sums(rows), np.finfo(np.float64).tiny)

    @cached_property
    def charges(self) -> tuple[Floats, Floats, Floats]:
        """What a pair of cells counts for a row of the upper, the lower one; sums by cell."""
        (upper, lower, cost), mass, size = self.cells, self.mass[1], self.sizes.size
        a, b = cost * mass[lower], cost * mass[upper]
        return a, b, np.asarray(np.bincount(upper, a, size) + np.bincount(lower, b, size))

    def _sums(self, x: Floats) -> Floats:
        return np.asarray(np.bincount(self.order.cell, x, self.sizes.size), dtype=np.float64)

    def _parts(self, s: Floats) -> tuple[Floats, Floats]:
        """Return what rows are off the means of their cells, and by what pairs of these miss 1."""
        upper, lower, _ = self.cells
        mean = self._sums(self.mass[0] * s) / self.mass[1]
        return s - mean[self.order.cell], mean[upper] - mean[lower] - 1.0

    def value(self, s: Floats) -> float:
        (off, short), (a, _, degree), mass = self._parts(s), self.charges, self.mass[1]
        within = self._sums(self.mass[0] * off * off) @ degree
        return self.scale * float(within + (a * mass[self.cells[0]]) @ short**2)

    def slope(self, s: Floats) -> Floats:
        (off, short), (a, b, degree), cell = self._parts(s), self.charges, self.order.cell
        between = np.bincount(self.cells[0], a * short, degree.size)
        between -= np.bincount(self.cells[1], b * short, degree.size)
        return 2.0 * self.scale * self.mass[0] * (degree[cell] * off + between[cell])

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, which is the same everywhere."""
        (upper, lower, cost), (w, mass), cell = self.cells, self.mass, self.order.cell
        rows = csr_array((w, (cell, np.arange(w.size))), shape=(mass.size, w.size))
        sums = np.asarray(rows @ X)
        cross = (sums[upper].T * cost) @ sums[lower]
        H: Floats = gram(X, w * self.charges[2][cell]) - cross - cross.T
        return 2.0 * self.scale * H
