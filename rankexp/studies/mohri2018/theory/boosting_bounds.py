"""What the edges of RankBoost's base rankers say of its training pairs (mohri2018, 10.4)."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.theory.bounds.given import check_not_negative, table, vector


def round_shares(differences: npt.ArrayLike, alphas: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return e+ and e- of each round, (T,) each, under the weights that the rounds before leave.

    Parameters
    ----------
    differences : array-like of shape (T, m)
        ``y (h_t(first) - h_t(second))`` of base rankers with values in {0, 1}: -1, 0 or 1, or
        ValueError.
    alphas : array-like of shape (T,)
        Their coefficients; the last one changes nothing here.

    References
    ----------
    mohri2018, (10.11) and Figure 10.1, where all pairs weigh the same at first.
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

    Parameters
    ----------
    right, wrong : array-like of shape (T,)
        e+ and e- of each round; e0 is what is left to 1. ValueError for shares that are none.
    alphas : array-like of shape (T,), optional
        The coefficients, for ``e+ exp(-alpha) + e- exp(alpha) + e0``. None: those of Figure 10.1,
        ``log(e+ / e-) / 2``, with which it is ``e0 + 2 sqrt(e+ e-)``, the least; with others, as
        smoothing gives, the product of the latter is no bound.

    References
    ----------
    mohri2018, Theorem 10.3 and its proof.
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
    least edge gamma alone, ``exp(-2 gamma² T)``, (10.14), which is 1 where that is not positive.
    Both are at least the product of `normalisers`, whose parameters and errors they have; they are
    for the alphas of Figure 10.1.

    Examples
    --------
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

    Margins are those of `ensemble_margins`. The bound is ``exp(rho sum |alpha_t|) prod Z_t``;
    where all alphas are those of Figure 10.1 and none is negative that is ``prod (e+ / e-)^(rho /
    2) (e0 + 2 sqrt(e+ e-))``, at rho = 0 the product of `normalisers`, whose parameters and errors
    it has. Without alphas ValueError, too, where one would be infinite, as e- = 0, or negative.
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
