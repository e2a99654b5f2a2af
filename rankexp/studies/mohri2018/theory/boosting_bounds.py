"""What the edges of RankBoost's base rankers say of its training pairs (mohri2018, 10.4).

Base rankers have values in {0, 1}, so their differences on pairs are -1, 0 or 1. `right` and
`wrong` are e+ and e- of each round, (T,); e0 is what is left to 1. The coefficients of Figure
10.1 are ``log(e+ / e-) / 2``. Functions raise ValueError for other differences or shares.
"""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.studies.mohri2018.theory.rademacher import check_not_negative, table
from rankexp.theory.models import vector


def round_shares(differences: npt.ArrayLike, alphas: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return e+ and e- of each round, (T,) each, under the weights that the rounds before leave.

    `differences` (T, m) are ``y (h_t(first) - h_t(second))``: (10.11) and Figure 10.1, where all
    pairs weigh the same at first. The last of the coefficients `alphas` changes nothing.
    """
    D, a = table("differences", differences), vector("alphas", alphas)
    if len(a) != len(D) or not np.isin(D, (-1.0, 0.0, 1.0)).all():
        raise ValueError(f"differences must be -1, 0 or 1, of shape ({len(a)}, m)")
    before = np.vstack([np.zeros(D.shape[1]), -np.cumsum(a[:-1, None] * D[:-1], axis=0)])
    weights = np.exp(before - before.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return (weights * (D > 0.0)).sum(axis=1), (weights * (D < 0.0)).sum(axis=1)


def normalisers(
    right: npt.ArrayLike, wrong: npt.ArrayLike, alphas: npt.ArrayLike | None = None
) -> Floats:
    """Return Z_t, (T,): their product bounds the share of training pairs not in order, ties too.

    Z_t is ``e+ exp(-alpha) + e- exp(alpha) + e0``, and least, ``e0 + 2 sqrt(e+ e-)``, with the
    coefficients of Figure 10.1, which None stands for. With others, as smoothing gives, the
    product of the least is no bound (Theorem 10.3 and its proof).
    """
    e, f, a = _rounds(right, wrong, alphas)
    tied = np.maximum(1.0 - e - f, 0.0)
    least = tied + 2.0 * np.sqrt(e * f)
    return np.asarray(least if a is None else tied + e * np.exp(-a) + f * np.exp(a))


def training_error_bound(
    right: npt.ArrayLike, wrong: npt.ArrayLike, *, least_edge: bool = False
) -> float:
    """Return the bound of Theorem 10.3 on the share of training pairs not in order, ties too.

    It is ``exp(-2 sum gamma_t²)``, (10.13), with the edge ``gamma_t = (e+ - e-) / 2``; or, by the
    least edge gamma alone, ``exp(-2 gamma² T)``, (10.14), which is 1 if that is not positive. Both
    are at least the product of `normalisers` with the coefficients of Figure 10.1.

    >>> round(training_error_bound([0.6, 0.5], [0.2, 0.3]), 4)
    0.9048
    """
    e, f, _ = _rounds(right, wrong)
    edges = (e - f) / 2.0
    if least_edge:
        edges[:] = max(edges.min(), 0.0)
    return float(np.exp(-2.0 * edges @ edges))


def margin_fraction_bound(
    right: npt.ArrayLike, wrong: npt.ArrayLike, rho: float, alphas: npt.ArrayLike | None = None
) -> float:
    """Return the bound of exercise 10.3 on the share of training pairs with margins <= rho.

    It is ``exp(rho sum |alpha_t|) prod Z_t`` for the margins of `ensemble_margins`; if all alphas
    are those of Figure 10.1 and none is negative, ``prod (e+ / e-)^(rho / 2) (e0 + 2 sqrt(e+
    e-))``. Without alphas ValueError also if one would be infinite, because e- = 0, or negative.
    """
    check_not_negative(rho=rho)
    e, f, a = _rounds(right, wrong, alphas)
    if a is None:
        if (f == 0.0).any() or (e < f).any():
            raise ValueError("without alphas all e+ must be at least e-, and e- above 0")
        a = np.log(e / f) / 2.0
    return float(np.exp(rho * np.abs(a).sum()) * np.prod(normalisers(e, f, alphas)))


def _rounds(
    right: npt.ArrayLike, wrong: npt.ArrayLike, alphas: npt.ArrayLike | None = None
) -> tuple[Floats, Floats, Floats | None]:
    e, f = vector("right", right), vector("wrong", wrong)
    if e.shape != f.shape or (e < 0.0).any() or (f < 0.0).any() or (e + f > 1.0 + 1e-9).any():
        raise ValueError("right and wrong must be shares of all pairs, one of each a round")
    a = None if alphas is None else vector("alphas", alphas)
    if a is not None and a.shape != e.shape:
        raise ValueError(f"alphas must be of shape {e.shape}, got {a.shape}")
    return e, f, a
