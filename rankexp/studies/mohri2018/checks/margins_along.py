"""Compare margin bounds for a trained linear scorer with its test error."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.estimators.linear import LinearRanker
from rankexp.runner.checks.base import Rows, quantities
from rankexp.studies.mohri2018.theory.margin_bounds import (
    empirical_margin_loss,
    kernel_margin_bound,
    margin_bound,
    pair_margins,
    uniform_margin_bound,
)
from rankexp.studies.mohri2018.theory.rademacher import empirical_rademacher, linear_ball

REGISTER = {"margin_bounds": "margin_bounds"}

DELTA = 0.05
SIGNS = 200  # drawn for a Rademacher complexity
RHOS = 2.0 * 0.7 ** np.arange(16)  # among which the uniform bound takes the best


def margin_bounds(
    rng: np.random.Generator,
    *,
    m: int = 300,
    d: int = 5,
    noise: float = 0.1,
    rho: float = 0.5,
    lam: float = 0.01,
    test: int = 20_000,
) -> Rows:
    """Train a linear scorer on independent labelled pairs, and compare its error with its bounds.

    m training pairs of rows with d features are uniform on the unit sphere; `test` pairs estimate
    the error. `noise`, below 1/2, is the chance that a label is turned round, `rho` the margin of
    the bounds for one margin, `lam` the penalty of the hinge.

    Rows of the scorer, scaled to norm 1: `test error`; `training error`; `margin loss` (10.3) at
    rho; at delta = .05 `bound` (10.6), `kernel bound` (10.7) and `uniform bound` (exercise 10.1),
    at its best margin; `slack`, the bound less the test error.
    """
    if min(m, d, test) < 2 or not 0.0 <= noise < 0.5 or rho <= 0.0:
        raise ValueError(
            f"expected m={m}, d={d}, test={test} >= 2, noise={noise} < 1/2, {rho=} > 0"
        )
    X, pairs, labels = _drawn(rng, m + test, d, noise)
    scorer = LinearRanker("hinge", lam=lam).fit_pairs(X[: 2 * m], pairs[:m], labels[:m])
    margins = pair_margins(X @ scorer.coef_[0] / np.linalg.norm(scorer.coef_), pairs, labels)
    train, loss = margins[:m], empirical_margin_loss(margins[:m], rho)
    balls = [linear_ball(X[side], 1.0) for side in pairs[:m].T]
    complexity = sum(empirical_rademacher(ball, m, rng, SIGNS).value for ball in balls)
    error, bound = (margins[m:] <= 0.0).mean(), margin_bound(loss, complexity, rho, m, DELTA)
    values = {
        "test error": error,
        "training error": (train <= 0.0).mean(),
        "margin loss": loss,
        "bound": bound,
        "kernel bound": kernel_margin_bound(loss, radius=1, norm=1, rho=rho, m=m, delta=DELTA),
        "uniform bound": min(_uniform(train, complexity, at) for at in RHOS.tolist()),
        "slack": bound - error,
    }
    return quantities(values)


def _uniform(train: Floats, complexity: float, at: float) -> float:
    loss = empirical_margin_loss(train, at)
    return uniform_margin_bound(loss, complexity, at, len(train), DELTA, largest=2.0)


def _drawn(rng: np.random.Generator, m: int, d: int, noise: float) -> tuple[Floats, Ints, Ints]:
    """Return rows, m independent pairs of them, and labels by the first feature, with noise."""
    X = rng.standard_normal((2 * m, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    pairs = np.arange(2 * m).reshape(m, 2)
    right = np.where(X[pairs[:, 0], 0] > X[pairs[:, 1], 0], 1, -1)
    return X, pairs, np.where(rng.random(m) < noise, -right, right)
