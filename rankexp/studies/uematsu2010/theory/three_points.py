"""Find where the population minimiser of the hinge loss ties three points that differ."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.theory.population_hinge import minimise_hinge, pair_weights

CLOSE = 1e-9  # relative: nearer to a border of the regions, either side is as good


class HingeDifferences(NamedTuple):
    """The best differences of scores of neighbouring points, and how they were found.

    `d12` and `d23` are r*(x1) - r*(x2) and r*(x2) - r*(x3), 0 or 1, NaN if several are best;
    `c12` and `c23` decide it.
    """

    d12: float
    d23: float
    c12: float
    c23: float

    @property
    def degenerate(self) -> bool:
        """Whether several differences are best."""
        return bool(np.isnan(self.d12))


def hinge_regions(p_plus: npt.ArrayLike, p_minus: npt.ArrayLike) -> HingeDifferences:
    """Return the differences of scores of the least expected pairwise hinge loss, by cases.

    They are (1, 1) if c12 > 0 and c23 > 0; (1, 0) if c23 < 0 and p-(x2) > p+(x2); (0, 1) if
    c12 < 0 and p-(x2) < p+(x2). On the borders of these cases a whole segment is best:
    c12 = 0 < c23, c23 = 0 < c12, and p+(x2) = p-(x2) with c12, c23 < 0 (uematsu2010, "Toy
    example for possible ties under hinge loss").

    The chances of three points among positives and among negatives, (3,) each, are positive and
    in the order of p_plus / p_minus, greatest first; ValueError for others.
    """
    p, q = _checked(p_plus, p_minus)
    c12, sign12 = _compared(p[0] / q[0], (p[1] + p[2]) / q[1])
    c23, sign23 = _compared(q[2] / p[2], (q[1] + q[0]) / p[1])
    _, sign2 = _compared(q[1], p[1])
    if sign12 > 0 and sign23 > 0:
        return HingeDifferences(1.0, 1.0, c12, c23)
    if sign23 < 0 and sign2 > 0:
        return HingeDifferences(1.0, 0.0, c12, c23)
    if sign12 < 0 and sign2 < 0:
        return HingeDifferences(0.0, 1.0, c12, c23)
    return HingeDifferences(np.nan, np.nan, c12, c23)


def _compared(first: float, second: float) -> tuple[float, int]:
    """Return a difference and its sign, 0 if it is as small as rounding."""
    difference = float(first - second)
    close = abs(difference) <= CLOSE * max(first, second)
    return difference, 0 if close else int(np.sign(difference))


def hinge_program(p_plus: npt.ArrayLike, p_minus: npt.ArrayLike) -> tuple[float, float]:
    """Return the same two differences as `hinge_regions` does, by linear programming."""
    p, q = _checked(p_plus, p_minus)
    r = minimise_hinge(pair_weights(np.column_stack([q, p])))
    return float(r[0] - r[1]), float(r[1] - r[2])


def _checked(p_plus: npt.ArrayLike, p_minus: npt.ArrayLike) -> tuple[Floats, Floats]:
    both = []
    for name, given in (("p_plus", p_plus), ("p_minus", p_minus)):
        p = np.asarray(given, dtype=np.float64)
        if p.shape != (3,) or not (p > 0.0).all() or abs(p.sum() - 1.0) > 1e-6:
            raise ValueError(f"{name} is {p}: expected three numbers > 0 that add up to 1")
        both.append(p / p.sum())
    p, q = both
    if (np.diff(p / q) > 0.0).any():
        raise ValueError("expected points in the order of p_plus / p_minus, greatest first")
    return p, q
