"""Find where the pairwise hinge loss ties three points whose likelihood ratios differ."""

import numpy as np

from rankexp.runner.checks.base import Rows, quantities
from rankexp.studies.uematsu2010.theory.three_points import hinge_program, hinge_regions

REGISTER = {"hinge_ties": "hinge_ties"}

LABELS = {"agreement": "share of draws as the regions say"}


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
    rows = [row for draw, own in enumerate(found) for row in quantities(own, group=str(draw))]
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
