"""Margin bounds for scoring functions that are trained on labelled pairs (mohri2018, 10.2).

With probability 1 - delta over m independent pairs they hold for all functions of a class at once.
A pair's label is 1 where its first row is to rank above its second, -1 where below.
"""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.studies.mohri2018.theory.rademacher import check_confidence, check_not_negative, table
from rankexp.theory.models import check_positive, vector


def pair_margins(scores: npt.ArrayLike, pairs: npt.ArrayLike, labels: npt.ArrayLike) -> Floats:
    """Return ``y (h(first) - h(second))`` of labelled pairs, (m,), by the scores h (n,) of rows.

    The chapter's (x, x') is (second, first) here. ValueError for labels other than 1 and -1, and
    for numbers of no rows.

    >>> pair_margins([0.2, 0.9, 0.4], [[1, 0], [2, 1]], [1, 1])
    array([ 0.7, -0.5])
    """
    s, P, y = vector("scores", scores), np.asarray(pairs), vector("labels", labels)
    if P.shape != (len(y), 2) or P.dtype.kind not in "iu":
        raise ValueError(f"pairs must be integers of shape ({len(y)}, 2), got {P.dtype} {P.shape}")
    if P.min() < 0 or P.max() >= len(s):
        raise ValueError(f"pairs must be rows of the scores, 0 .. {len(s) - 1}")
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError("labels must be 1 or -1: leave pairs without an order out")
    return np.asarray(y * (s[P[:, 0]] - s[P[:, 1]]))


def ensemble_margins(margins: npt.ArrayLike, alphas: npt.ArrayLike) -> Floats:
    """Return margins (m,) of ``sum alpha_t h_t`` over ``sum |alpha_t|``: of a convex combination.

    The bounds hold for these with the complexity of the base rankers, however many rounds there
    were (Corollary 10.4, (10.19)). A negative alpha asks for a class that has -h_t, too.
    """
    size = float(np.abs(vector("alphas", alphas)).sum())
    check_positive(**{"the sum of |alphas|": size})
    return vector("margins", margins) / size


def empirical_margin_loss(margins: npt.ArrayLike, rho: float) -> float:
    """Return the mean of ``min(1, max(0, 1 - margin / rho))``, in [0, 1]: (10.3)."""
    check_positive(rho=rho)
    return float(np.clip(1.0 - vector("margins", margins) / rho, 0.0, 1.0).mean())


def margin_bound(
    loss: float, complexity: float, rho: float, m: int, delta: float, *, empirical: bool = True
) -> float:
    """Return the bound of Theorem 10.1 on the share of pairs that h misranks, a tie included.

    It is ``loss + 2 complexity / rho + c``; with the empirical complexity, (10.6), ``c = 3
    sqrt(log(2 / delta) / (2m))``, with the expected one, (10.5), ``sqrt(log(1 / delta) / (2m))``.
    For ensembles these are (10.17) and (10.18). `loss` is the `empirical_margin_loss` of h at rho,
    which is chosen before the pairs are seen. `complexity` is the sum of the class's Rademacher
    complexities on the first and on the second rows.

    >>> round(margin_bound(0.1, 0.02, rho=0.5, m=1000, delta=0.05), 4)
    0.3088
    """
    check_not_negative(loss=loss, complexity=complexity)
    check_positive(rho=rho, m=m)
    check_confidence(delta)
    return float(loss + 2.0 * complexity / rho + _deviation(m, delta, empirical))


def _deviation(m: int, delta: float, empirical: bool, more: float = 0.0) -> float:
    """Return ``c (sqrt(log(k / delta) / (2m)) + more)``."""
    c, k = (3.0, 2.0) if empirical else (1.0, 1.0)
    return float(c * (np.sqrt(np.log(k / delta) / (2.0 * m)) + more))


def uniform_margin_bound(
    loss: float,
    complexity: float,
    rho: float,
    m: int,
    delta: float,
    *,
    largest: float = 1.0,
    empirical: bool = True,
) -> float:
    """Return the bound that holds for all margins rho in (0, `largest`] at once: exercise 10.1.

    It is ``loss + 4 complexity / rho + c sqrt(log log2(2 largest / rho) / m) + c sqrt(log(2k /
    delta) / (2m))``, with c = 3 and k = 2 for the empirical complexity, and 1 for the expected.

    Proof: apply Theorem 10.1 at ``largest / 2^i``, i = 1, 2, ..., each with deviation
    ``sqrt(log(2k / delta) / (2m)) + sqrt(log(i) / m)``; the chances of failing add up to less than
    delta. A rho is between two of these, at most twice the smaller. The chapter prints the double
    logarithm without the factor 3 that (10.6) gives it in this proof.
    """
    check_not_negative(loss=loss, complexity=complexity)
    check_positive(rho=rho, m=m, largest=largest)
    check_confidence(delta)
    if rho > largest:
        raise ValueError(f"rho={rho}: the bound holds for margins up to largest={largest}")
    price = np.sqrt(np.log(np.log2(2.0 * largest / rho)) / m)
    return float(loss + 4.0 * complexity / rho + _deviation(m, delta / 2.0, empirical, price))


def kernel_margin_bound(
    loss: float, *, radius: float, norm: float, rho: float, m: int, delta: float
) -> float:
    """Return the bound of Corollary 10.2, (10.7): ``loss + 4 r norm / (rho sqrt(m)) + c``.

    `norm` bounds that of the scoring function in the kernel's space, and like `rho` is chosen
    before the pairs are seen: it is not the norm of what is trained on them.
    ``radius² = sup K(x, x)`` (where (10.7) prints r = sup K(x, x)). The rest is that of
    `margin_bound` with the expected complexity, at most ``r norm / sqrt(m)`` on either row of a
    pair. With rho = 1 and the mean hinge loss as `loss` it is (10.8).
    """
    check_positive(radius=radius, norm=norm)
    complexity = 2.0 * radius * norm / np.sqrt(m)
    return margin_bound(loss, complexity, rho, m, delta, empirical=False)


def perceptron_bound(differences: npt.ArrayLike, w: npt.ArrayLike) -> float:
    """Return ``max ||z||² / rho²``, a bound on the updates of the perceptron on pairs (Novikoff).

    It starts at 0 and adds z where ``<w, z> <= 0``, in any order and over any number of passes.
    The z, `differences` (m, d), are a pair's better row less its worse. `w` (d,) ranks all pairs
    rightly (else ValueError), and rho is its least ``<w, z> / ||w||``; the largest margin gives
    the least.

    >>> round(perceptron_bound([[2.0, 1.0], [1.0, 2.0]], [1.0, 1.0]), 4)
    1.1111
    """
    Z, v = table("differences", differences), vector("w", w)
    if v.shape != Z.shape[1:]:
        raise ValueError(f"w must be of shape ({Z.shape[1]},), got {v.shape}")
    Z = Z / (np.abs(Z).max() or 1.0)  # in another unit: squares shall not overflow, nor vanish
    v = v / (np.abs(v).max() or 1.0)
    size = float(np.linalg.norm(v))
    rho = float((Z @ v).min()) / size if size > 0.0 else 0.0
    if not rho > 0.0:
        raise ValueError("w does not rank all pairs rightly: there is no margin to bound by")
    return float((Z**2).sum(axis=1).max() / rho**2)
