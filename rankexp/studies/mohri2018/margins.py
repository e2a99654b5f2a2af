"""Margins ``s - s'`` of all pairs of rows of different levels, without a list of the pairs."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.categories import Order, in_order
from rankexp.metrics.continuous import checked

LARGE, SMALL = 2.0**900, 2.0**-100  # scores, and their unit, in which sums don't overflow


def margin_loss(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    rho: npt.ArrayLike,
    kind: Literal["ramp", "step"] = "ramp",
    levels: Order = None,
) -> Floats:
    """Return the empirical margin loss of scores (mohri2018, (10.3)), or its bound (10.4).

    Parameters
    ----------
    y : array-like of shape (n,)
        Numbers, or any labels in the order of `levels`.
    scores : array-like of shape (n,)
        Finite. For a boosted ranker the bounds are about those over ``np.abs(alphas_).sum()``.
    rho : float or array-like of shape (R,)
        Margins: > 0 for the ramp, >= 0 for the step.
    kind : {"ramp", "step"}
        What a pair with margin z counts: 1 at and below 0, 0 from rho on and linear in between; or
        1 at and below rho.
    levels : sequence, optional
        Labels, worst to best.

    Returns
    -------
    ndarray of the shape of rho
        In [0, 1]. It takes O(K n log n) for K levels. ValueError for other shapes, scores that are
        not finite, no pair, or an impossible rho or kind.

    Examples
    --------
    >>> margin_loss([0, 1, 1], [0.0, 0.25, 2.0], [0.5, 1.0]).tolist()
    [0.25, 0.375]
    >>> margin_loss([0, 1, 1], [0.0, 0.25, 2.0], 0.25, kind="step").tolist()
    0.5
    """
    at = np.asarray(rho, dtype=np.float64)
    if kind not in ("ramp", "step"):
        raise ValueError(f"kind={kind!r}: expected 'ramp' or 'step'")
    if not (np.isfinite(at) & (at >= 0.0)).all() or (kind == "ramp" and not (at > 0.0).all()):
        raise ValueError(f"rho must be finite and {'> 0' if kind == 'ramp' else '>= 0'}")
    total, pairs = np.zeros(at.size), 0
    for above, below in _levels(y, scores, levels):
        pairs += above.size * below.size
        unit = SMALL if np.abs([*above[[0, -1]], *below[[0, -1]]]).max() > LARGE else 1.0
        upper, lower = unit * above, unit * below
        for k, margin in enumerate((unit * at).ravel().tolist()):
            short = lower.searchsorted(upper - margin, side="left")
            total[k] += (lower.size - short).sum()
            if kind == "ramp":
                total[k] -= _spared(upper, lower, short, margin)
    return np.asarray(np.clip(total / pairs, 0.0, 1.0).reshape(at.shape))


def _spared(upper: Floats, lower: Floats, short: Ints, margin: float) -> float:
    under = lower.searchsorted(upper, side="left")
    middle = lower.mean()  # taken off: sums of small numbers are more precise
    before = np.concatenate(([0.0], np.cumsum(lower - middle)))
    each = (upper - middle) * (under - short) - (before[under] - before[short])
    return float(each.sum()) / (margin or 1.0)  # 0 in the unit of large scores: none is between


def least_margin(y: npt.ArrayLike, scores: npt.ArrayLike, levels: Order = None) -> float:
    """Return the least margin of all pairs; parameters and errors are those of `margin_loss`.

    >>> least_margin([0, 1, 1], [0.0, 0.25, 2.0])
    0.25
    """
    return min(float(upper[0] - lower[-1]) for upper, lower in _levels(y, scores, levels))


def _levels(
    y: npt.ArrayLike, scores: npt.ArrayLike, levels: Order
) -> Iterator[tuple[Floats, Floats]]:
    target, s = checked(in_order(y, levels), scores)
    if s.ndim != 1 or not np.isfinite(s).all():
        raise ValueError(f"scores must be finite and of shape (n,), got {s.shape}")
    values, codes = np.unique(target, return_inverse=True)
    if values.size < 2:
        raise ValueError("y has a single value: there is no pair, and no margin")
    for code in range(1, values.size):
        yield np.sort(s[codes == code]), np.sort(s[codes < code])
