"""Show that the pairwise hinge loss of two Gaussians is least at a staircase, not at a line."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.generators.classes import Gaussian
from rankexp.losses.margin import Hinge
from rankexp.studies.uematsu2010.theory.ratios import log_ratio
from rankexp.studies.uematsu2010.theory.staircase import grid_masses
from rankexp.studies.uematsu2010.theory.three_points import hinge_program, hinge_regions
from rankexp.theory.population_hinge import (
    minimise_hinge,
    pair_weights,
    ranking_risk,
    surrogate_risk,
)

REGISTER = {"hinge_staircase": "hinge_staircase", "hinge_ties": "hinge_ties"}

LABELS = {
    "levels": "different scores",
    "integer": "largest distance of a step from a whole number",
    "risk": "hinge risk of the staircase",
    "risk_logistic": "hinge risk of the log ratio",
    "rank_risk": "rank risk of the staircase, ties ½",
    "rank_risk_logistic": "rank risk of the log ratio, the lowest",
    "agreement": "share of draws as the regions say",
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
    steps, level = np.diff(scores), np.round(scores, DIGITS)
    return {
        "levels": len(np.unique(level)),
        "integer": np.abs(steps - np.rint(steps)).max(),
        "risk": surrogate_risk(scores, weights, Hinge()),
        "rank_risk": ranking_risk(level, weights),
        "risk_logistic": surrogate_risk(logistic, weights, Hinge()),
        "rank_risk_logistic": ranking_risk(logistic, weights),
    }


def hinge_ties(rng: np.random.Generator, *, draws: int = 100) -> Rows:
    """Compare the regions of hinge ties on three points with what linear programs find.

    Each of the `draws` is a pair of probability mass functions p+ and p-, both uniform on the
    simplex, with the points in the order of p+ / p-, greatest first. Its rows (`group`, its
    number): `p_plus_1` to `p_minus_3`; `c12` and `c23`; `region_d12` and `region_d23`, the best
    differences of neighbours' scores by the regions, NaN if several are best; `lp_d12` and
    `lp_d23`, by linear programming; `agree`, 1 or 0; `degenerate`, 1 if several are best. Of all:
    `agreement`, the share that agrees of those that are not degenerate, and `degenerate`, the
    number of those that are (uematsu2010, "Toy example for possible ties under hinge loss").
    """
    if draws < 1:
        raise ValueError(f"draws={draws}: expected 1 or more")
    found = [_of_draw(rng) for _ in range(draws)]
    agreed, degenerate = (sum(one[name] for one in found) for name in ("agree", "degenerate"))
    share = agreed / (draws - degenerate) if degenerate < draws else float("nan")
    rows = [row for i, values in enumerate(found) for row in quantities(values, group=str(i))]
    return rows + quantities({"agreement": share, "degenerate": degenerate})


def _of_draw(rng: np.random.Generator) -> dict[str, float]:
    p, q = rng.dirichlet(np.ones(3), size=2)
    order = np.argsort(-p / q, kind="stable")
    p, q = p[order], q[order]
    found, (d12, d23) = hinge_regions(p, q), hinge_program(p, q)
    agree = not found.degenerate and abs(found.d12 - d12) + abs(found.d23 - d23) < 1e-6
    values = {f"p_plus_{i + 1}": p[i] for i in range(3)}
    values |= {f"p_minus_{i + 1}": q[i] for i in range(3)}
    values |= {"c12": found.c12, "c23": found.c23}
    values |= {"region_d12": found.d12, "region_d23": found.d23, "lp_d12": d12, "lp_d23": d23}
    values |= {"agree": agree, "degenerate": found.degenerate}
    return {name: float(value) for name, value in values.items()}
