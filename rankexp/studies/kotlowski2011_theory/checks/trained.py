"""Compare regrets of trained linear scorers, for distributions with known P(y = 1 | x)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankexp import registry
from rankexp.estimators.linear import LinearRanker
from rankexp.losses.base import Loss, parse
from rankexp.losses.margin import ZeroOne
from rankexp.runner.checks.base import Rows, quantities
from rankexp.studies.kotlowski2011_theory.theory.regret import scorer_regrets
from rankexp.studies.kotlowski2011_theory.theory.univariate_bounds import (
    CONSTANTS,
    proper_regret_bound,
    regret_bound,
)
from rankexp.theory.bounds import Approximation

REGISTER = {"surrogate_regrets": "surrogate_regrets"}

DRAWN = 20_000  # rows that regrets are estimated from, where there are no sums
TOL, LEAST = 1e-9, 1e-12  # of training; of a regret in a ratio


def surrogate_regrets(
    rng: np.random.Generator,
    *,
    loss: str = "logistic",
    n: int = 200,
    generator: str = "gaussian",
    params: Mapping[str, Any] | None = None,
    lam: float = 1e-3,
    balanced: bool = True,
) -> Rows:
    """Train a linear scorer with a loss of points; compare its rank regret with its loss regret.

    The loss is one that the classification risk takes, with the penalty `lam`; n is the number of
    training examples. The generator's model knows eta, else ValueError. By default it has a single
    Gaussian feature, so every linear scorer of the right sign ranks best. With `balanced` each
    class weighs ½ in training and in the regret of the loss.

    Rows: `rank_regret` and `loss_regret` with their errors; `zero_one_regret` of the same scorer;
    `ratio`, the rank regret over the root of the loss regret; if balanced, also `bound` of
    Theorem 4.1 where that is known, and `best_bound` for proper losses.
    """
    model = registry.get("generators", generator)(**(params or {})).draw_model(rng)
    X, y = model.sample(n, rng)
    weights, made = "balanced" if balanced else None, parse(loss)
    ranker = LinearRanker(made, lam=lam, tol=TOL, class_weight=weights).fit(X, y)
    w, b, seed = ranker.coef_[0], ranker.intercept_[0], rng.integers(2**32)

    def regrets(of: Loss) -> tuple[Approximation, Approximation]:
        same = np.random.default_rng(seed)
        return scorer_regrets(model, lambda Z: Z @ w + b, of, rng=same, n=DRAWN, balanced=balanced)

    rank, own = regrets(made)
    values = {"rank_regret": rank.value, "rank_regret_error": rank.se}
    values |= {"loss_regret": own.value, "loss_regret_error": own.se}
    values["zero_one_regret"] = regrets(ZeroOne())[1].value
    values["ratio"] = rank.value / np.sqrt(max(own.value, LEAST))
    if balanced and repr(made) in CONSTANTS:
        values["bound"] = float(regret_bound(own.value, made))
    if balanced and made.proper:
        values["best_bound"] = float(proper_regret_bound(own.value, made))
    return quantities(values)
