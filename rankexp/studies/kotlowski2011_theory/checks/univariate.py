"""Bounds on ranking by losses of points, tried on random discrete distributions.

Another check shows how badly the best classifiers by the 0/1 loss, plain or balanced, can rank.
"""

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.losses.loss import parse
from rankexp.losses.margin import ZeroOne
from rankexp.studies.kotlowski2011_theory.theory.regret import (
    loss_regret,
    loss_risk,
    rank_regret,
    rank_risk,
)
from rankexp.studies.kotlowski2011_theory.theory.univariate_bounds import (
    CONSTANTS,
    balanced_bound,
    error_rates_bound,
    proper_regret_bound,
    regret_bound,
    zero_one_bound,
)

REGISTER = {"univariate_bounds": "univariate_bounds", "zero_one_ranking": "zero_one_ranking"}

ROUNDING = 1e-12
LOSSES = ("exponential", "logistic", "squared", "hinge")
PROPER = ("exponential", "logistic", "squared", "p_classification")


def univariate_bounds(
    rng: np.random.Generator, *, draws: int = 10_000, points: int = 6, balanced: bool = True
) -> Rows:
    """Count random discrete distributions and scorers for which a bound does not hold.

    Each of the `draws` is a distribution on 2 to `points` (at most 64) points with a scorer; all
    sums are exact. With `balanced` each class weighs ½, as (10) to (13) and "convex" assume. If
    not, these are tried all the same, and "proper" with the prior.

    Rows of each bound (`group`: its number and loss): `cases`; `violations`; `largest_ratio` of
    what is bounded to the bound; `median_slack`, the bound less that. Without a group:
    `all_violations`. The bounds are (8) to (13) of kotlowski2011; "convex" is half of (11), which
    convex losses allow; "proper" has the best constant of a loss in place of those of (12), (13).
    """
    masses, scores = draw(rng, draws, points)
    risk, regret = rank_risk(masses, scores), rank_regret(masses, scores)
    p = masses[..., 1].sum(axis=-1)
    own = loss_risk(masses, scores, ZeroOne(), balanced=balanced)
    plain = _plain(masses, scores, risk) if balanced else {}
    pairs = plain | {"(10) zero_one": (risk, balanced_bound(own, ZeroOne()))}
    for name in LOSSES:
        loss = parse(name)
        own = loss_risk(masses, scores, loss, balanced=balanced)
        pairs[f"(11) {name}"] = (risk, balanced_bound(own, loss))
        pairs[f"convex {name}"] = (risk, balanced_bound(own, loss, convex=True))
    for number, name in zip(("(12)", "(13)"), CONSTANTS, strict=True):
        own = loss_regret(masses, scores, parse(name), balanced=balanced)
        pairs[f"{number} {name}"] = (regret, regret_bound(own, parse(name)))
    prior = 0.5 if balanced else p
    for loss in map(parse, PROPER):
        own = loss_regret(masses, scores, loss, balanced=balanced)
        pairs[f"proper {loss!r}"] = (regret, proper_regret_bound(own, loss, p=prior))
    rows = [row for group, pair in pairs.items() for row in bound_kept(group, *pair)]
    total = sum(float(row["value"]) for row in rows if row["quantity"] == "violations")
    return quantities({"all_violations": total}) + rows


def _plain(masses: Floats, scores: Floats, risk: Floats) -> dict[str, tuple[Floats, Floats]]:
    p = masses[..., 1].sum(axis=-1)
    alpha = (masses[..., 1] * (scores <= 0.0)).sum(axis=-1)
    beta = (masses[..., 0] * (scores >= 0.0)).sum(axis=-1)
    plain = loss_risk(masses, scores, ZeroOne(), balanced=False)
    rates = error_rates_bound(alpha, beta, p)
    return {"(8) error rates": (risk, rates), "(9) zero_one": (risk, zero_one_bound(plain, p))}


def bound_kept(group: str, found: Floats, bound: Floats) -> Rows:
    """Return the rows of what is bounded beside its bound, one of each distribution (draws,)."""
    values = {
        "cases": found.size,
        "violations": (found > bound + ROUNDING).sum(),
        "largest_ratio": (found / np.maximum(bound, ROUNDING)).max(),
        "median_slack": np.median(bound - found),
    }
    return quantities(values, group=group)


def draw(rng: np.random.Generator, draws: int, points: int) -> tuple[Floats, Floats]:
    """Draw masses (draws, m, 2) of distributions, and scores (draws, m), near the best and far.

    The prior is 1e-3 to 1 - 1e-3. Scores are links of eta with noise, or in any order with ties,
    of sizes from 1e-3 to 10; about half of them have one sign.
    """
    if draws < 1 or not 2 <= points <= 64:
        raise ValueError(f"draws={draws}, points={points}: expected 1 or more, and 2 to 64")
    shape = (draws, points)
    alpha = 10.0 ** rng.uniform(-1.0, 1.5, size=(draws, 1, 1))
    masses = rng.gamma(np.broadcast_to(alpha, (*shape, 2))) + 1e-12
    kept = np.arange(points) < rng.integers(2, points + 1, size=(draws, 1))
    masses *= kept[..., None]
    masses /= masses.sum(axis=1, keepdims=True)
    odds = np.exp(rng.uniform(-np.log(999.0), np.log(999.0), size=draws))
    masses *= (np.stack([np.ones(draws), odds], axis=1) / (1.0 + odds)[:, None])[:, None, :]
    by_class = masses / masses.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        logit = np.where(kept, np.log(by_class[..., 1]) - np.log(by_class[..., 0]), 0.0)
    size = 10.0 ** rng.uniform(-3.0, 1.0, size=(draws, 1))
    levels = rng.integers(points, size=shape) / points - rng.choice([0.0, 0.5], size=(draws, 1))
    near = rng.choice([0.5, 1.0], size=(draws, 1)) * logit + size * rng.standard_normal(shape)
    which = rng.random((draws, 1))
    reversed_ = -size * logit / (1.0 + np.abs(logit).max(axis=1, keepdims=True))
    scores = np.where(which < 0.4, near, np.where(which < 0.7, size * levels, reversed_))
    return masses, np.asarray(scores)


def zero_one_ranking(
    rng: np.random.Generator, *, p: float = 0.9, draws: int = 2000, points: int = 6
) -> Rows:
    """Measure how functions of the least 0/1 risk, plain or balanced, rank where P(y = 1) is p.

    Distributions are drawn as in `univariate_bounds`. Each `group` has means over them: both risks
    `zero_one` and `balanced`, `zero_one_regret`, `balanced_regret`, `rank_risk`, `rank_regret`;
    and `largest_rank_regret`. The groups are "majority", the majority classifier; "reversed",
    which predicts the majority for both of two points and ranks each negative above each
    positive; "best, plain" and "best, balanced", the signs of the least 0/1 risk; "worst, plain"
    and "worst, balanced", of all functions with these signs the one that ranks worst; "eta", which
    ranks best (kotlowski2011, section 3).
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"p={p}: expected a number between 0 and 1, exclusive")
    masses, _ = draw(rng, draws, points)
    masses = masses / masses.sum(axis=1, keepdims=True) * [1.0 - p, p]
    apart, sign = np.diag([1.0 - p, p])[None], 1.0 if p >= 0.5 else -1.0
    eta = masses[..., 1] / np.maximum(masses.sum(axis=-1), 1e-300)
    tried = {
        "majority": (masses, np.full(eta.shape, sign)),
        "reversed": (apart, np.array([[sign + 0.5, sign - 0.5]])),
        "eta": (masses, eta - 0.5),
    }
    for name, cut in (("plain", 0.5), ("balanced", p)):  # eta > p is balanced eta > ½
        signs = np.where(eta > cut, 1.0, -1.0)
        tried[f"best, {name}"] = (masses, signs)
        tried[f"worst, {name}"] = (masses, 2.0 * signs - eta)
    return [row for group, pair in tried.items() for row in _means(group, *pair)]


def _means(group: str, masses: Floats, scores: Floats) -> Rows:
    loss, found = ZeroOne(), {"rank_risk": rank_risk(masses, scores)}
    for name, balanced in (("zero_one", False), ("balanced", True)):
        found[name] = loss_risk(masses, scores, loss, balanced=balanced)
        found[f"{name}_regret"] = loss_regret(masses, scores, loss, balanced=balanced)
    regret = rank_regret(masses, scores)
    means = {name: each.mean() for name, each in found.items()}
    means |= {"rank_regret": regret.mean(), "largest_rank_regret": regret.max()}
    return quantities(means, group=group)
