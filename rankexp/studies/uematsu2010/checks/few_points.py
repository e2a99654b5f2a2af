"""Try the slides' theorems and formulas on a few points with random distributions."""

from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.losses.loss import MarginLoss, parse
from rankexp.metrics.bipartite import auc
from rankexp.studies.uematsu2010.theory.ordinal import odds_root, orboost, orboost_thresholds
from rankexp.theory.population_hinge import pair_weights, ranking_risk, surrogate_risk

REGISTER = {
    "strict_order": "strict_order",
    "likeliest_level": "likeliest_level",
    "odds_formula": "odds_formula",
    "boosting_costs": "boosting_costs",
    "four_levels": "four_levels",
    "magnitude_pairs": "magnitude_pairs",
}

ROUNDING, STEPS = 1e-12, 60


def _off_auc(y: np.ndarray, scores: np.ndarray) -> float:
    """Return how far the empirical ranking risk is from 1 - AUC."""
    even = pair_weights(np.column_stack([y == 0, y == 1]).astype(float))
    return abs(ranking_risk(scores, even) + float(auc(y, scores)) - 1)


def strict_order(
    rng: np.random.Generator, *, loss: str = "logistic", points: int = 5, draws: int = 20
) -> Rows:
    """Minimise the expected pairwise loss on points of which two have equal ratios p+ / p-.

    Each of the `draws` is a pair of distributions on `points` points. `least_gap` is the least
    difference of the best scores of two points with different ratios, over that of their log
    ratios: Theorem 3.2 of uematsu2010 says that it is above 0. `apart` is the largest difference
    of scores of the two with equal ratios: Theorem 3.3 says that it is 0. `risk_and_auc` is the
    largest distance of the empirical ranking risk from 1 - AUC. The `loss` is smooth, of margins.
    """
    of = parse(loss)
    if not isinstance(of, MarginLoss) or not of.smooth or points < 3:
        raise ValueError(f"loss={loss!r}, points={points}: expected a smooth loss, and 3 or more")
    gaps, apart, off = [], [], []
    for _ in range(draws):
        p, q = rng.dirichlet(np.ones(points), size=2)
        q[1] = p[1] * q[0] / p[0]
        q /= q.sum()
        s, ratio = _least(pair_weights(np.column_stack([q, p])), of), np.log(p / q)
        pairs = [(i, j) for i, j in product(range(points), repeat=2) if ratio[i] > ratio[j] + 1e-9]
        gaps.append(min((s[i] - s[j]) / (ratio[i] - ratio[j]) for i, j in pairs))
        apart.append(abs(s[0] - s[1]))
        off.append(_off_auc(np.repeat([0, 1], 10), rng.integers(5, size=20)))
    return quantities({"least_gap": min(gaps), "apart": max(apart), "risk_and_auc": max(off)})


def _least(weights: Floats, loss: MarginLoss) -> Floats:
    """Return the scores, (m,), of the least expected loss of pairs, by Newton's method."""
    s = np.zeros(len(weights))
    for _ in range(STEPS):
        D = np.subtract.outer(s, s)
        slope, bend = weights * loss.margin_derivative(D), weights * loss.margin_curvature(D)
        # Only differences count: their mean is held at 0 by a constant of 1 in the Hessian.
        H = np.diag((bend + bend.T).sum(axis=1)) - bend - bend.T + 1.0
        step = np.linalg.solve(H, slope.sum(axis=0) - slope.sum(axis=1))
        length = 1.0
        while surrogate_risk(s + length * step, weights, loss) > surrogate_risk(s, weights, loss):
            length /= 2
            if length < ROUNDING:
                return s
        s = s + length * step
    return s


def likeliest_level(rng: np.random.Generator, *, points: int = 5, draws: int = 50) -> Rows:
    """Take the likeliest of three levels as scores, as the ordinal 0-1 loss wants it.

    With thresholds and l(s) = 1 for s < 0 the loss is 1 unless a score lies between the thresholds
    of its level. `least_risk` is the share of `draws` in which no choice of levels for the points
    has a smaller expected loss than the likeliest ones (uematsu2010, "Relation to Ordinal
    regression"). `ranks_best` is the share in which these also rank best, ties counting half, and
    `loss_of_pairs` is by how much their U_pairs is below the best one, in the mean.
    """
    least, best, lost = [], [], []
    for _ in range(draws):
        joint = rng.dirichlet(np.ones(3 * points)).reshape(points, 3)
        chosen = joint.argmax(axis=1)
        risks = [1 - joint[range(points), list(c)].sum() for c in product(range(3), repeat=points)]
        least.append(1 - joint[range(points), chosen].sum() <= min(risks) + ROUNDING)
        weights = pair_weights(joint)
        known = _least_of_orders(weights)
        own = ranking_risk(chosen, weights)
        best.append(own <= known + ROUNDING)
        lost.append(own - known)
    values = {"least_risk": least, "ranks_best": best, "loss_of_pairs": lost}
    return quantities({name: float(np.mean(one)) for name, one in values.items()})


def _least_of_orders(weights: Floats) -> float:
    """Return the least expected risk of all orders of points; pairs at one point tie."""
    orders = np.array(list(permutations(range(len(weights)))))
    below = orders[:, :, None] < orders[:, None, :]
    return float((below * weights).sum(axis=(1, 2)).min() + weights.trace() / 2)


def odds_formula(rng: np.random.Generator, *, points: int = 200) -> Rows:
    """Compare the slides' formula of the best proportional-odds score with the likelihood's root.

    `formula` is the largest relative distance of e^r from (q - 1 + sqrt((q - 1)² + 4 q e^(theta1 -
    theta2))) / (2 e^(-theta2)), q = (P2 + P3) / (P1 + P2), at `points` random posteriors and for
    random thresholds; `in_order` is the share of pairs of points that r orders as q does
    (uematsu2010, "Relation to Proportional odds model").
    """
    P = rng.dirichlet(np.ones(3), size=points)
    low, high = np.sort(rng.normal(scale=2, size=2))
    r = odds_root(np.log(P), np.array([low, high]))
    q = (P[:, 1] + P[:, 2]) / (P[:, 0] + P[:, 1])
    root = np.sqrt((q - 1) ** 2 + 4 * np.exp(low - high) * q)
    formula = (q - 1 + root) / (2 * np.exp(-high))
    if_q_below = np.where(q < 1, 2 * np.exp(low) * q / (root + 1 - q), formula)  # no cancellation
    agree = np.sign(np.subtract.outer(r, r)) == np.sign(np.subtract.outer(q, q))
    off = np.abs(np.exp(r) / if_q_below - 1).max()
    return quantities({"formula": off, "in_order": agree[np.triu_indices(points, 1)].mean()})


class _Points:
    """A model of finitely many points, whose classes have known masses."""

    def __init__(self, joint: Floats) -> None:
        self.joint = joint  # (m, K)
        self.priors = tuple(joint.sum(axis=0).tolist())

    def log_densities(self, X: Floats) -> Floats:
        """Return the logs of the chances of points, (n, K)."""
        return np.asarray(np.log(self.joint / self.joint.sum(axis=0))[X[:, 0].astype(int)])

    def nodes(self) -> tuple[Floats, Floats]:
        """Return all points and weights of 1."""
        return np.arange(len(self.joint), dtype=float)[:, None], np.ones(len(self.joint))


def boosting_costs(rng: np.random.Generator, *, points: int = 5, draws: int = 30) -> Rows:
    """Rank few points by the population's ORBoost (left-right), and by the costs of the slides.

    `best` is the share of `draws` in which no order has smaller expected costs for c12 = c23 = 1
    and c13 = exp(theta2 - theta1); `best_without_costs` is the same if all costs are 1. `dearer`
    is the share with theta2 > theta1 (uematsu2010, "Relation to Ordinal Regression Boosting").
    """
    found: list[list[float]] = []
    for _ in range(draws):
        joint = rng.dirichlet(np.ones(3 * points)).reshape(points, 3)
        model = _Points(joint)
        low, high = orboost_thresholds(model, "lr")
        s = orboost(model, np.arange(points, dtype=float)[:, None], variant="lr")
        own = []
        for outer in (float(np.exp(high - low)), 1.0):
            costs = np.array([[0, 1, outer], [0, 0, 1], [0, 0, 0]], dtype=float)
            weights = pair_weights(joint, costs)
            least = _least_of_orders(weights)
            own.append(float(ranking_risk(s, weights) <= least + ROUNDING))
        found.append([*own, float(high > low)])
    return quantities(
        dict(zip(("best", "best_without_costs", "dearer"), np.mean(found, axis=0), strict=True))
    )


def four_levels(rng: np.random.Generator, *, points: int = 5, draws: int = 100) -> Rows:
    """Rank few points of four levels by (sum over k of c1k Pk) / (sum over k of ck4 Pk).

    For three levels it is Theorem 4's ratio. It is best for four if c12 c34 - c13 c24 + c14 c23 =
    0, because the preference of x over x' is then a difference of two products, of the ratio's
    numerator and denominator. `best_on_condition` is the share of `draws` in which no order has
    smaller expected costs where c13 is set so; `best_in_general` where all costs are random;
    `circles` where random costs make three points that beat each other in a circle, so that no
    scores put all pairs in the better order (uematsu2010, Theorem 4, note).
    """
    shares = []
    for _ in range(draws):
        joint = rng.dirichlet(np.full(4 * points, 0.5)).reshape(points, 4)
        costs = np.triu(rng.uniform(0.05, 1, (4, 4)), 1)
        general, circles = _ranked(joint, costs), _circle(joint, costs)
        costs[0, 2] = (costs[0, 1] * costs[2, 3] + costs[0, 3] * costs[1, 2]) / costs[1, 3]
        shares.append([_ranked(joint, costs), general, circles])
    names = ("best_on_condition", "best_in_general", "circles")
    return quantities(dict(zip(names, np.mean(shares, axis=0), strict=True)))


def _ranked(joint: Floats, costs: Floats) -> bool:
    """Tell whether the ratio ranks points best."""
    ratio = (joint @ costs[0]) / (joint @ costs[:, -1])
    weights = pair_weights(joint, costs)
    return ranking_risk(ratio, weights) <= _least_of_orders(weights) + ROUNDING


def _circle(joint: Floats, costs: Floats) -> bool:
    weights = pair_weights(joint, costs)
    beats = weights > weights.T
    return any(
        (beats[i, j] and beats[j, k] and beats[k, i])
        or (beats[j, i] and beats[k, j] and beats[i, k])
        for i, j, k in combinations(range(len(joint)), 3)
    )


def magnitude_pairs(
    rng: np.random.Generator, *, n: int = 40, d: int = 3, lam: float = 0.1
) -> Rows:
    """Minimise the magnitude-preserving squared loss of all pairs, and compare with ridge.

    Over all pairs of rows it is the mean of ((s - s') - (y - y'))², + `lam` ||w||², of linear
    scores (Cortes, Mohri and Rastogi, 2007). `from_ridge` is the relative distance of its
    coefficients from those of ridge regression on single rows, with half the penalty: the mean
    over pairs is twice the variance of the residuals.
    """
    from sklearn.linear_model import Ridge

    X, y = rng.normal(size=(n, d)), rng.integers(4, size=n).astype(float)
    D = (X[:, None] - X[None]).reshape(-1, d)
    gaps = np.subtract.outer(y, y).ravel()
    A: Any = D.T @ D / n**2 + lam * np.eye(d)
    w = np.linalg.solve(A, D.T @ gaps / n**2)
    ridge = Ridge(alpha=n * lam / 2).fit(X, y).coef_
    return quantities({"from_ridge": np.linalg.norm(w - ridge) / np.linalg.norm(ridge)})
