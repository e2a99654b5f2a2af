"""Sums of a smooth function of score differences over all pairs, in time linear in the examples.

The score axis is cut into panels of width W. On two panels o apart a smooth f(s_i - s_j) is a
polynomial in either place within its panel, to an error that falls like (W/4)^m with its degree m
(for the derivative of the logistic loss: under 1e-12 here). So all that counts of the examples of
a panel are the sums of m Chebyshev polynomials, and pairs of panels form a convolution.
"""

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Self

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from rankexp.arrays import Complexes, Floats, Ints
from rankexp.compiled import choose
from rankexp.solvers.boosting.stumps import sums

COMPILED = "rankexp.solvers.pairs.convolution_numba"
WIDTH = 0.25
"""Of a panel. Tuned: narrower ones are more, wider ones need more polynomials."""
DEGREES = 8
"""Polynomials: for the logistic loss, whose poles are at ±pi i, all but 1e-12 at this width."""
ANGLES = np.pi * (np.arange(DEGREES) + 0.5) / DEGREES
TO_COEFFICIENTS = np.cos(np.outer(np.arange(DEGREES), ANGLES)) * 2.0 / DEGREES
TO_COEFFICIENTS[0] /= 2.0
NEAR = 0.5 * WIDTH * (np.cos(ANGLES)[:, None] - np.cos(ANGLES))
"""Differences of the places in one panel from which polynomials are taken."""


def coefficients(values: Floats) -> Floats:
    """Return those of the polynomials in two places, from values at the nodes, (..., m, m)."""
    return np.asarray(TO_COEFFICIENTS @ values @ TO_COEFFICIENTS.T)


class ScorePanels:
    """The places of scores in panels: a number, and where within it.

    `s` (n,): finite. `use_numba`: by default numba is used where it can be imported; the bits are
    the same. `weight` (n,): a factor of each row in the moments. `count`: the number of panels.
    `x` (n,): in widths of a panel, from the lowest. `panel` (n,), int. `t` (n,): in [-1, 1].
    """

    def __init__(
        self, s: Floats, use_numba: bool | None = None, weight: Floats | None = None
    ) -> None:
        self.weight = weight
        self.x: Floats = s - s.min()
        self.x /= WIDTH
        self.panel = self.x.astype(np.int64)
        self.count = int(self.panel.max()) + 1
        self.t: Floats = self.x - self.panel
        self.t *= 2.0
        self.t -= 1.0
        self.compiled = choose(COMPILED, use_numba)

    def some(self, rows: Ints, weight: Floats | None = None) -> Self:
        """Return the places of some rows in the same panels, with weights of their own."""
        part = copy(self)
        part.x, part.panel, part.t = self.x[rows], self.panel[rows], self.t[rows]
        part.weight = weight
        return part

    @cached_property
    def polynomials(self) -> Floats:
        """The Chebyshev polynomials at the scores, (m, n)."""
        T = np.empty((DEGREES, self.t.size))
        T[0], T[1] = 1.0, self.t
        for q in range(2, DEGREES):
            np.multiply(2.0 * self.t, T[q - 1], out=T[q])
            T[q] -= T[q - 2]
        return T

    def moments(self, cell: Ints, cells: int, rows: Ints | None = None) -> Floats:
        """Return the sums of the polynomials by panel and cell, of all rows or some.

        The shape is (panels, m, cells).
        """
        taken = slice(None) if rows is None else rows
        panel, cell = self.panel[taken], cell[taken]
        if self.compiled is not None:
            t, shape = self.t[taken], (self.count, DEGREES, cells)
            w = np.empty(0) if self.weight is None else self.weight[taken]
            return np.asarray(self.compiled.moments(t, w, panel, cell, shape))
        key = panel * cells + cell
        parts = self.polynomials[:, taken]
        if self.weight is not None:
            parts = parts * self.weight[taken]
        by_degree = [sums(key, one, cells * self.count) for one in parts]
        return np.stack(by_degree).reshape(DEGREES, -1, cells).transpose(1, 0, 2)

    def values(self, field: Floats, cell: Ints) -> Floats:
        """Return the polynomials with coefficients (panels, m, cells) at the scores, (n,)."""
        if self.compiled is not None:
            return np.asarray(self.compiled.values(self.t, self.panel, cell, field))
        key = self.panel * field.shape[-1] + cell
        out = np.zeros(key.size)
        for coefficients, one in zip(field.transpose(1, 0, 2), self.polynomials, strict=True):
            out += coefficients.ravel()[key] * one
        return out


class Convolution:
    """A function of score differences as a convolution of moments.

    `of`: smooth, on arrays, except perhaps at 0: then `within` (m, m) are its coefficients for
    two places in one panel.
    """

    def __init__(self, of: Callable[[Floats], Floats], within: Floats | None = None) -> None:
        self.of, self.within, self.most = of, within, 0

    def _table(self, panels: int) -> None:
        """Tabulate the function for all distances of so many panels."""
        self.most = 2 * panels
        self.length = next_fast_len(2 * self.most, real=True)
        offset = np.arange(-self.most + 1, self.most)
        kernel = np.zeros((self.length, DEGREES, DEGREES))
        kernel[offset] = coefficients(self.of(WIDTH * offset[:, None, None] + NEAR))
        if self.within is not None:
            kernel[0] = self.within
        self.hat = rfft(kernel, axis=0)

    def transform(self, moments: Floats) -> Complexes:
        """Return the Fourier transform of moments, (panels, m, cells), along the panels."""
        if moments.shape[0] > self.most:
            self._table(moments.shape[0])
        return np.asarray(rfft(moments, self.length, axis=0))

    def seen_by_upper(self, lower: Complexes, panels: int) -> Floats:
        """Return the coefficients of ``x -> sum_j f(x - s_j)``, (panels, m, cells)."""
        return np.asarray(irfft(self.hat @ lower, self.length, axis=0)[:panels])

    def seen_by_lower(self, upper: Complexes, panels: int) -> Floats:
        """Return the coefficients of ``x -> sum_i f(s_i - x)``, (panels, m, cells)."""
        turned = self.hat.conj().transpose(0, 2, 1)
        return np.asarray(irfft(turned @ upper, self.length, axis=0)[:panels])


class CellSums:
    """Sums over the pairs of all cells (group, level), weighted by the costs of their levels.

    `cell` (n,), int: ``group K + level``. `costs` (K, K).
    """

    def __init__(self, cell: Ints, groups: int, costs: Floats) -> None:
        self.cell, self.costs, self.count = cell, costs, groups * costs.shape[0]

    def moments(self, panels: ScorePanels, rows: Ints | None = None) -> Floats:
        """Return the moments of all rows or some, (panels, m, cells)."""
        return panels.moments(self.cell, self.count, rows)

    def seen_by_upper(self, of: Convolution, moments: Floats) -> Floats:
        """Return coefficients of the sums over lower rows, by upper cell, (panels, m, cells)."""
        hats = self._paid(of.transform(moments), self.costs)
        return of.seen_by_upper(hats, moments.shape[0])

    def seen_by_both(self, of: Convolution, moments: Floats) -> tuple[Floats, Floats]:
        """Return coefficients of sums over lower rows, by upper cell, and the other way round."""
        hats, panels = of.transform(moments), moments.shape[0]
        upper = of.seen_by_upper(self._paid(hats, self.costs), panels)
        return upper, of.seen_by_lower(self._paid(hats, self.costs.T), panels)

    def total(self, of: Convolution, moments: Floats) -> float:
        """Return the sum over all pairs."""
        return float((moments * self.seen_by_upper(of, moments)).sum())

    def _paid(self, hats: Complexes, costs: Floats) -> Complexes:
        """Return, for each level of a group, the sum of transforms over levels, with costs."""
        by_group = hats.reshape(*hats.shape[:-1], -1, costs.shape[0])
        return (by_group @ costs).reshape(hats.shape)
