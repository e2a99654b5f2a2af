"""Compute risks and regrets of a scorer if P(y = 1 | x) is known (kotlowski2011, section 2).

Masses (..., m, 2) describe finitely many points: P(y = -1, x) and P(y = 1, x) of each point, up
to a factor, some in each class. Axes in front are distributions, each with scores (..., m).
ValueError for other shapes, negative masses, and NaN. If `balanced`, classes weigh ½ each.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy.stats import sem

from rankexp.arrays import Floats
from rankexp.generators.classes import DiscreteModel
from rankexp.generators.generator import Model
from rankexp.losses.loss import Loss
from rankexp.losses.margin import ZeroOne
from rankexp.metrics.bipartite import rank_loss
from rankexp.theory.models import Approximation, KnownClasses, log_masses

BLOCKS = 20  # of a sample: the standard error is that of their mean
MOST = 64  # points whose pairs are listed


def rank_risk(masses: npt.ArrayLike, scores: npt.ArrayLike) -> Floats:
    """Return the chance that scores misorder a positive and a negative, a tie ½: (4)."""
    M, s = _checked(masses, scores)
    return _summed_pairs(M, s, regret=False)


def rank_regret(masses: npt.ArrayLike, scores: npt.ArrayLike) -> Floats:
    """Return the rank risk less the least of all scorers, that of eta: (6).

    Up to 64 points it is a sum of terms >= 0 over pairs, so that small regrets have all digits.

    >>> round(float(rank_regret([[0.3, 0.2], [0.2, 0.3]], [1.0, 0.0])), 3)
    0.2
    """
    M, s = _checked(masses, scores)
    return _summed_pairs(M, s, regret=True)


def loss_risk(
    masses: npt.ArrayLike, scores: npt.ArrayLike, loss: Loss, *, balanced: bool = True
) -> Floats:
    """Return the expected loss, (...); balanced, it is that of section 3.2."""
    M, s = _checked(masses, scores)
    return np.asarray(_point_risks(_weighed(M, balanced), s, loss).sum(axis=-1))


def loss_regret(
    masses: npt.ArrayLike, scores: npt.ArrayLike, loss: Loss, *, balanced: bool = True
) -> Floats:
    """Return the expected loss less the least of all functions of x, (...): (3).

    The loss is a proper one, the hinge or the 0/1 loss; ValueError for others.
    """
    M, s = _checked(masses, scores)
    M = _weighed(M, balanced)
    total = M.sum(axis=-1)
    eta = M[..., 1] / np.where(total > 0.0, total, 1.0)
    each = _point_risks(M, s, loss) - total * least_risk(loss, eta)
    return np.asarray(np.maximum(each, 0.0).sum(axis=-1))


def least_risk(loss: Loss, eta: Floats) -> Floats:
    """Return the least expected loss if P(y = 1 | x) is eta; ValueError if it is not known."""
    if loss.proper:
        return loss.bayes_risk(eta)
    if loss.hinge_power == 1 or isinstance(loss, ZeroOne):
        return np.asarray((2.0 if loss.hinge_power else 1.0) * np.minimum(eta, 1.0 - eta))
    raise ValueError(f"{loss!r}: its least risk is known for proper losses, hinge and zero_one")


def scorer_regrets(
    model: Model,
    scorer: Callable[[Floats], Floats],
    loss: Loss,
    *,
    rng: np.random.Generator | None = None,
    n: int = 100_000,
    balanced: bool = True,
) -> tuple[Approximation, Approximation]:
    """Return the rank regret and the regret of a loss of a scorer on a model with known eta.

    With finitely many points sums are exact; with one feature and known densities they are
    quadrature, whose error is the change on half of the nodes; else `rng` draws n rows, 40 or
    more, whose error is the standard error over 20 blocks. Labels are not drawn, because eta takes
    their place. ValueError for a model without eta, fewer rows, or no `rng` to draw them with.
    """

    def both(masses: Floats, s: Floats) -> Floats:
        surrogate = loss_regret(masses, s, loss, balanced=balanced)
        return np.array([rank_regret(masses, s), surrogate])

    if (nodes := getattr(model, "nodes", None)) is not None:
        X, masses = nodes()[0], np.exp(log_masses(cast("KnownClasses", model)))
        s, every = scorer(X), 1 if isinstance(model, DiscreteModel) else 2
        found = both(masses, s)
        return _estimates(found, np.abs(found - both(masses[::every], s[::every])))
    if not hasattr(model, "eta"):
        raise ValueError(f"{type(model).__name__} does not know P(y = 1 | x) of two classes")
    if rng is None or n < 2 * BLOCKS:
        raise ValueError(f"rows are drawn for {type(model).__name__}: give rng, and n >= 40")
    parts = []
    for _ in range(BLOCKS):
        X, _ = model.sample(n // BLOCKS, rng)
        eta = model.eta(X)
        parts.append(both(np.column_stack([1.0 - eta, eta]) / len(X), scorer(X)))
    return _estimates(np.mean(parts, axis=0), np.asarray(sem(parts)))


def _estimates(values: Floats, errors: Floats) -> tuple[Approximation, Approximation]:
    (a, b), (c, d) = values.tolist(), errors.tolist()
    return Approximation(a, c), Approximation(b, d)


def _checked(masses: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[Floats, Floats]:
    M, s = np.asarray(masses, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if M.ndim < 2 or M.shape[-1] != 2 or s.shape != M.shape[:-1]:
        raise ValueError(f"masses must be (..., m, 2), scores (..., m); got {M.shape}, {s.shape}")
    if not (np.isfinite(M) & (M >= 0.0)).all() or not (M.sum(axis=-2) > 0.0).all():
        raise ValueError("masses must be finite and >= 0, with some in each class")
    if np.isnan(s).any():
        raise ValueError("scores hold NaN")
    return M, s


def _weighed(M: Floats, balanced: bool) -> Floats:
    """Return masses that add up to 1, or to ½ in each class."""
    of, whole = ((-2,), 2.0) if balanced else ((-2, -1), 1.0)
    return np.asarray(M / (whole * M.sum(axis=of, keepdims=True)))


def _point_risks(M: Floats, s: Floats, loss: Loss) -> Floats:
    """Return what each point adds to the risk, (..., m); nothing if it has no mass."""
    with np.errstate(invalid="ignore", over="ignore"):
        parts = np.stack([loss.value(-1.0, s), loss.value(1.0, s)], axis=-1)
        return np.asarray(np.where(M > 0.0, M * parts, 0.0).sum(axis=-1))


def _summed_pairs(M: Floats, s: Floats, *, regret: bool) -> Floats:
    """Return the loss by the order of points, summed over pairs."""
    P = M / M.sum(axis=-2, keepdims=True)  # of x given y
    if s.shape[-1] > MOST:
        flat = zip(P.reshape(-1, *P.shape[-2:]), s.reshape(-1, s.shape[-1]), strict=True)
        return np.array([_merged(*one, regret) for one in flat]).reshape(s.shape[:-1])
    q, p = P[..., 0], P[..., 1]
    lost = p[..., :, None] * q[..., None, :]
    if regret:
        lost = np.maximum(lost - np.swapaxes(lost, -1, -2), 0.0)
    first, second = s[..., :, None], s[..., None, :]
    return np.asarray((lost * ((first < second) + 0.5 * (first == second))).sum(axis=(-2, -1)))


def _merged(P: Floats, s: Floats, regret: bool) -> float:
    """Return the same for one distribution with many points, from sorted scores."""
    y, weight = np.repeat([0, 1], len(s)), P.T.ravel()
    columns = [s]
    if regret:
        total = P.sum(axis=1)
        columns.append(P[:, 1] / np.where(total > 0.0, total, 1.0))
    scores = np.tile(np.column_stack(columns), (2, 1))
    risks = np.asarray(rank_loss(y, scores, sample_weight=weight))
    return float(risks[0] - risks[1]) if regret else float(risks[0])
