"""How much tau the scorer loses that maximises it on a sample (Theorem 2)."""

from math import log, sqrt

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities

REGISTER = {"tau_maximiser": "tau_maximiser"}

LABELS = {"lost": "tau lost", "of_bound": "share of the bound"}
DELTA = 0.05


def tau_maximiser(rng: np.random.Generator, *, n: int = 100, correlation: float = 0.5) -> Rows:
    """Maximise tau over all linear scorers of the plane, exactly, and return what that loses.

    X is standard normal in the plane, and y is a linear function of it with normal noise, so that
    scores at an angle a from the best have tau = 1/2 + arcsin(r cos a) / pi, where r is the
    `correlation` of the best scores with y. `lost` is the largest tau less the maximiser's.
    `of_bound` is it as a share of the second term of (11) for delta = .05, whose first term has a
    constant that is not printed. ValueError for fewer than 2 examples or a correlation that is not
    between 0 and 1.
    """
    if n < 2 or not 0 < correlation < 1:
        raise ValueError(
            f"n={n}, correlation={correlation}: expected n >= 2, and it within (0, 1)"
        )
    X = rng.standard_normal((n, 2))
    y = correlation * X[:, 0] + sqrt(1 - correlation**2) * rng.standard_normal(n)
    angle = best_angle(X, y)
    lost = float((np.arcsin(correlation) - np.arcsin(correlation * np.cos(angle))) / np.pi)
    return quantities({"lost": lost, "of_bound": lost / (4 * sqrt(log(1 / DELTA) / (n - 1)))})


def best_angle(X: Floats, y: Floats) -> float:
    """Return an angle whose scores put the most pairs in order: the middle of the best interval.

    A pair is in order on an open half of the circle; all 2 n (n - 1) / 2 ends are sorted.
    """
    one, two = np.triu_indices(len(y), 1)
    sign = np.sign(y[one] - y[two])
    apart = (X[one] - X[two]) * sign[:, None]
    middle = np.arctan2(apart[:, 1], apart[:, 0])[sign != 0]
    starts, ends = (np.mod(middle + side * np.pi / 2, 2 * np.pi) for side in (-1, 1))
    times = np.concatenate([starts, ends])
    order = np.argsort(times)
    steps = np.where(order < len(starts), 1, -1).cumsum()
    best = int(steps.argmax())
    after = times[order[(best + 1) % len(order)]] + (2 * np.pi if best + 1 == len(order) else 0)
    return float((times[order[best]] + after) / 2)
