"""Distributions on k points for which the bound by a proper loss is tight in the limit."""

import numpy as np

from rankexp.checks.check import Rows, quantities
from rankexp.losses.loss import parse
from rankexp.studies.kotlowski2011_theory.theory.regret import loss_regret, rank_regret

REGISTER = {"k_points": "k_points"}

LABELS = {"closed": "limit in closed form", "root": "root of the regret of the loss"}

APART = 1e-9  # of neighbouring scores: they count as the best score of p


def k_points(
    rng: np.random.Generator,
    *,
    loss: str = "logistic",
    points: int = 5,
    width: float = 0.01,
    p: float = 0.5,
) -> Rows:
    """Measure both regrets where k points have neighbouring scores in the wrong order.

    The k `points`, at least 2, have the same chance. Their class probabilities are evenly spaced
    from p - h to p + h, h being `width` times the smaller of p and 1 - p. All scores are near the
    best score of p, and the point with the largest class probability has the lowest. The loss is
    proper, and the regret is the plain one, which is balanced at p = 1/2. Nothing is drawn.

    Rows: `rank_regret`; `loss_regret`, its `root`, their `ratio`, and `closed`, to which the ratio
    tends as the width falls: ``sqrt(2 / (3 w(p))) / (p (1 - p)) * sqrt(1 - 1/k^2)``, w being the
    loss's weight.
    """
    made = parse(loss)
    if points < 2 or not 0.0 < width <= 1.0 or not 0.0 < p < 1.0:
        raise ValueError(f"points={points}, width={width}, p={p}: expected 2 or more, and shares")
    if not made.proper:
        raise ValueError(f"{made!r} is not proper: scores stand for no probabilities")
    steps = np.linspace(-1.0, 1.0, points)
    eta = p + width * min(p, 1.0 - p) * steps
    masses = np.stack([1.0 - eta, eta], axis=1) / points
    scores = float(made.link(np.asarray(p))) - APART * steps
    rank = float(rank_regret(masses, scores))
    own = float(loss_regret(masses, scores, made, balanced=False))
    weight = float(made.weight(np.asarray(p)))
    closed = np.sqrt(2.0 / (3.0 * weight)) / (p * (1.0 - p)) * np.sqrt(1.0 - points**-2.0)
    values = {"rank_regret": rank, "loss_regret": own, "root": np.sqrt(own)}
    return quantities(values | {"ratio": rank / np.sqrt(own), "closed": closed})
