"""The squared loss of pairs: sums over two cells (group, level) follow from means and variances.

The mean of ``(1 - (s_i - s_j))²`` over the pairs of two cells with means M and m and variances V
and v is ``(1 - (M - m))² + V + v``. So a value or a slope costs a term a row and a pair of cells.
"""

import numpy as np
from scipy.sparse import csr_array

from rankexp.arrays import Floats
from rankexp.solvers.pairs.risk import PairRisk
from rankexp.solvers.smooth.objective import gram


class SquaredPairs(PairRisk):
    """The squared loss: each pair counts ``(1 - (s_i - s_j))²``."""

    def _mass(self, s: Floats) -> Floats:
        """Return what rows count, (n,)."""
        return np.ones(s.size) if self.order.factor is None else self.order.factor

    def _sums(self, x: Floats) -> Floats:
        """Return the sums of x (n,) by cell."""
        return np.bincount(self.order.cell, x, self.sizes.size).astype(np.float64)

    def _moments(self, s: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return mass and mean of each cell, and of each row its mass and what it is off."""
        w, cell = self._mass(s), self.order.cell
        mass = self._sums(w)
        mean = self._sums(w * s) / np.where(mass > 0.0, mass, 1.0)
        return mass, mean, w, s - mean[cell]

    def value(self, s: Floats) -> float:
        """Return the risk."""
        (upper, lower, cost), (mass, mean, w, off) = self.cells, self._moments(s)
        variance = self._sums(w * off * off) / np.where(mass > 0.0, mass, 1.0)
        each = (1.0 - mean[upper] + mean[lower]) ** 2 + variance[upper] + variance[lower]
        return self.scale * float((cost * mass[upper] * mass[lower]) @ each)

    def _partners(self, mass: Floats) -> tuple[Floats, Floats, Floats]:
        """Return by pair of cells what lower rows count for an upper one, and the other way."""
        upper, lower, cost = self.cells
        a, b = cost * mass[lower], cost * mass[upper]
        size = self.sizes.size
        degree: Floats = np.bincount(upper, a, size).astype(np.float64)
        return a, b, degree + np.bincount(lower, b, size)

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        (upper, lower, _), (mass, mean, w, off) = self.cells, self._moments(s)
        a, b, degree = self._partners(mass)
        short, size = mean[upper] - mean[lower] - 1.0, self.sizes.size
        of_cell = np.bincount(upper, a * short, size) - np.bincount(lower, b * short, size)
        cell = self.order.cell
        return 2.0 * self.scale * w * (degree[cell] * off + of_cell[cell])

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, which is the same everywhere."""
        upper, lower, cost = self.cells
        w, cell = self._mass(s), self.order.cell
        degree = w * self._partners(self._sums(w))[2][cell]
        shape = (self.sizes.size, s.size)
        sums = np.asarray(csr_array((w, (cell, np.arange(s.size))), shape=shape) @ X)
        cross = (sums[upper].T * cost) @ sums[lower]
        H: Floats = 2.0 * self.scale * (gram(X, degree) - cross - cross.T)
        return H
