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
from numpy.polynomial.chebyshev import cheb2poly
from scipy.fft import irfft, next_fast_len, rfft

from rankexp.arrays import Complexes, Floats, Ints

WIDTH = 0.25  # of a panel. Tuned: narrower ones are more, wider ones need more polynomials
LONG = 32  # times the panels: a longer table is made anew, one for up to 16 panels never
DEGREES = 8  # polynomials: all but 1e-12 of the logistic loss, whose poles are at ±pi i
ANGLES = np.pi * (np.arange(DEGREES) + 0.5) / DEGREES
TO_COEFFICIENTS = np.cos(np.outer(np.arange(DEGREES), ANGLES)) * 2.0 / DEGREES
TO_COEFFICIENTS[0] /= 2.0
TO_POWERS = np.array([np.pad(c := cheb2poly(e), (0, DEGREES - c.size)) for e in np.eye(DEGREES)])
NEAR = 0.5 * WIDTH * (np.cos(ANGLES)[:, None] - np.cos(ANGLES))  # places within a panel


def coefficients(values: Floats) -> Floats:
    """Return those of the polynomials in two places, from values at the nodes, (..., m, m)."""
    return np.asarray(TO_COEFFICIENTS @ values @ TO_COEFFICIENTS.T)


class ScorePanels:
    """The places of finite scores (n,) in panels: a number, and where within it."""

    # `weight` (n,): a factor of each row in the moments. `count`: how many panels there are. `x`
    # (n,): in widths of a panel, from the lowest. `panel` (n,), int. `t` (n,): in [-1, 1].

    def __init__(self, s: Floats, weight: Floats | None = None) -> None:
        self.weight = weight
        self.x: Floats = s - s.min()
        self.x /= WIDTH
        self.count = int(self.x.max()) + 1

    @cached_property
    def panel(self) -> Ints:
        return self.x.astype(np.int64)

    @cached_property
    def t(self) -> Floats:
        return np.asarray(2.0 * (self.x - self.panel) - 1.0)

    def some(self, rows: Ints, weight: Floats | None = None) -> Self:
        """Return the places of some rows in the same panels, with weights of their own."""
        part = copy(self)
        for kept in ("panel", "t", "polynomials"):
            vars(part).pop(kept, None)
        part.x, part.weight = self.x[rows], weight
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
        """Return sums of the polynomials, (panels, m, cells), of all rows or some."""
        from rankexp.solvers.loops import moments

        taken = slice(None) if rows is None else rows
        w = np.empty(0) if self.weight is None else self.weight[taken]
        return moments(self.x[taken], w, cell[taken], (self.count, DEGREES, cells))

    def values(self, field: Floats, cell: Ints) -> Floats:
        """Return the polynomials with coefficients (panels, m, cells) at the scores, (n,)."""
        from rankexp.solvers.loops import values

        return values(self.x, cell, field)

    def steps(self, field: Floats, cell: Ints) -> tuple[Floats, Floats]:
        """Return what `values` does but for rounding, and its derivative by the scores, (n,)."""
        from rankexp.solvers.loops import steps

        powers = (field.transpose(0, 2, 1) @ TO_POWERS).reshape(-1, DEGREES)
        out, rise = steps(self.x, cell, field.shape[-1], np.ascontiguousarray(powers))
        rise *= 2.0 / WIDTH
        return out, rise


class Convolution:
    """A function of score differences, smooth except perhaps at 0, as a convolution of moments."""

    # `within` (m, m): its coefficients for two places in one panel, if it isn't smooth at 0.
    # `panels`: for how many it is tabulated at once; for more the table is made anew, which no
    # other thread may use meanwhile.

    def __init__(
        self, of: Callable[[Floats], Floats], within: Floats | None = None, panels: int = 0
    ) -> None:
        self.of, self.within, self.most = of, within, 0
        if panels:
            self._table(panels)

    def _table(self, panels: int) -> None:
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
        if not moments.shape[0] <= self.most <= LONG * moments.shape[0]:
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
    """Sums over pairs of cells (group, level), weighted by the costs of their levels."""

    def __init__(self, cell: Ints, groups: int, costs: Floats) -> None:
        self.cell, self.costs, self.count = cell, costs, groups * costs.shape[0]

    def moments(self, panels: ScorePanels, rows: Ints | None = None) -> Floats:
        """Return the moments of all rows or some, (panels, m, cells)."""
        return panels.moments(self.cell, self.count, rows)

    def seen_by_both(self, of: Convolution, moments: Floats) -> tuple[Floats, Floats]:
        """Return coefficients of sums over lower rows, by upper cell, and the other way round."""
        hats, panels = of.transform(moments), moments.shape[0]
        upper = of.seen_by_upper(self._paid(hats, self.costs), panels)
        return upper, of.seen_by_lower(self._paid(hats, self.costs.T), panels)

    def seen_by_each(self, of: Convolution, moments: Floats) -> Floats:
        """Return coefficients of the sums over lower, less those over upper rows, by cell."""
        hats, panels = of.transform(moments), moments.shape[0]
        turned = of.hat.conj().transpose(0, 2, 1)
        if self.costs.shape[0] == 2:  # the upper rows see the lower, and these see them
            seen = np.empty_like(hats)
            seen[..., 1::2] = of.hat @ (self.costs[0, 1] * hats[..., ::2])
            seen[..., ::2] = turned @ (-self.costs[0, 1] * hats[..., 1::2])
        else:
            seen = of.hat @ self._paid(hats, self.costs)
            seen -= turned @ self._paid(hats, self.costs.T)
        return np.asarray(irfft(seen, of.length, axis=0)[:panels])

    def total(self, of: Convolution, moments: Floats) -> float:
        lower = self._paid(of.transform(moments), self.costs)
        return float((moments * of.seen_by_upper(lower, moments.shape[0])).sum())

    def _paid(self, hats: Complexes, costs: Floats) -> Complexes:
        return (hats.reshape(*hats.shape[:-1], -1, costs.shape[0]) @ costs).reshape(hats.shape)
