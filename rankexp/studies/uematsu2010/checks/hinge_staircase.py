"""Show that the pairwise hinge loss of two Gaussians is least at a staircase, not at a line."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.generators.classes import Gaussian
from rankexp.losses.margin import Hinge
from rankexp.runner.checks.base import Rows, quantities
from rankexp.theory.bayes import log_ratio
from rankexp.theory.population_hinge import (
    grid_masses,
    minimise_hinge,
    pair_weights,
    ranking_risk,
    surrogate_risk,
)

REGISTER = {"hinge_staircase": "hinge_staircase"}

LABELS = {
    "levels": "different scores",
    "integer": "largest distance of a step from a whole number",
    "risk": "hinge risk of the staircase",
    "risk_logistic": "hinge risk of the log ratio",
    "rank_risk": "rank risk of the staircase (a tie counts 1/2)",
    "rank_risk_logistic": "rank risk of the log ratio (the lowest possible)",
}

DIGITS = 6  # of scores that are equal: linear programs are solved to about 1e-9


def hinge_staircase(
    rng: np.random.Generator,
    *,
    points: int = 41,
    low: float = -3.0,
    high: float = 3.0,
    mean: float = 1.0,
) -> Rows:
    """Minimise the expected pairwise hinge loss of N(mean, 1) against N(-mean, 1) on a grid.

    The grid has `points` points from `low` to `high`; ValueError for a bad one. Rows of each point
    (`step`, its number): `x`; `r`, its score, where the middle of the range is 0; `p_plus` and
    `p_minus`, its probabilities. Rows of all: `levels`, the number of different scores; `integer`,
    the largest distance of a difference of scores from a whole number; `risk` and `rank_risk`, the
    scores' expected hinge loss and ranking risk (ties count half); `risk_logistic` and
    `rank_risk_logistic`, those of the scores of the least logistic loss, the log of the likelihood
    ratio: no scores have a smaller ranking risk (uematsu2010, Theorem 3, "Numerical example").
    """
    model = Gaussian((-mean, mean)).draw_model(rng)
    x, masses = grid_masses(model, low, high, points)
    weights = pair_weights(masses)
    scores, logistic = minimise_hinge(weights), log_ratio(model, x[:, None])
    own = zip(x, scores, masses[:, 1], masses[:, 0], strict=True)
    each = [dict(zip(("x", "r", "p_plus", "p_minus"), one, strict=True)) for one in own]
    rows = [row for step, values in enumerate(each) for row in quantities(values, step=step)]
    return rows + quantities(_summary(scores, logistic, weights))


def _summary(scores: Floats, logistic: Floats, weights: Floats) -> dict[str, float]:
    """Return the shape of the staircase, and the risks of both scores."""
    steps, level = np.diff(scores), np.round(scores, DIGITS)
    return {
        "levels": len(np.unique(level)),
        "integer": np.abs(steps - np.rint(steps)).max(),
        "risk": surrogate_risk(scores, weights, Hinge()),
        "rank_risk": ranking_risk(level, weights),
        "risk_logistic": surrogate_risk(logistic, weights, Hinge()),
        "rank_risk_logistic": ranking_risk(logistic, weights),
    }
