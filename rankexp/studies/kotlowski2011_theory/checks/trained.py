"""Train linear scorers: compare their regrets, and those with and without weights of classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats, Labels
from rankexp.checks.check import APART, Rows, apart, quantities
from rankexp.estimators.linear import LinearRanker
from rankexp.losses.loss import Loss, parse
from rankexp.losses.margin import ZeroOne
from rankexp.metrics.bipartite import rank_loss
from rankexp.studies.kotlowski2011_theory.theory.regret import scorer_regrets
from rankexp.studies.kotlowski2011_theory.theory.univariate_bounds import (
    CONSTANTS,
    proper_regret_bound,
    regret_bound,
)
from rankexp.theory.models import Approximation

REGISTER = {"surrogate_regrets": "surrogate_regrets", "class_weights": "class_weights"}

LABELS = {
    **APART,
    "shift": "shift of the intercept",
    "rank_loss": "rank loss without weights",
    "gain": "gain by weights",
    "loss_regret": "regret of the loss",
}

DRAWN = 20_000  # rows that regrets are estimated from, where there are no sums
TOL, LEAST = 1e-9, 1e-12  # of training; of a regret in a ratio
FEATURES = 5
TOLS = 1e-20, 1e-13, 1e-8  # of a risk without penalty, with one, and with a kink


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
    ranker = LinearRanker(loss=made, lam=lam, tol=TOL, class_weight=weights).fit(X, y)
    w, b, seed = ranker.coef_[0], ranker.intercept_[0], rng.integers(2**32)

    def regrets(of: Loss) -> tuple[Approximation, Approximation]:
        same = np.random.default_rng(seed)
        return scorer_regrets(model, lambda Z: Z @ w + b, of, rng=same, n=DRAWN, balanced=balanced)

    rank, own = regrets(made)
    zero_one, ratio = regrets(ZeroOne())[1].value, rank.value / np.sqrt(max(own.value, LEAST))
    values = {"rank_regret": rank.value, "rank_regret_error": rank.se}
    values |= {"loss_regret": own.value, "loss_regret_error": own.se}
    values |= {"zero_one_regret": zero_one, "ratio": ratio}
    if balanced and repr(made) in CONSTANTS:
        values["bound"] = float(regret_bound(own.value, made))
    if balanced and made.proper:
        values["best_bound"] = float(proper_regret_bound(own.value, made))
    return quantities(values)


def class_weights(
    rng: np.random.Generator,
    *,
    loss: str = "exponential",
    p: float = 0.9,
    lam: float = 0.0,
    ratio: float | None = None,
    generator: str = "linear",
    n: int = 500,
) -> Rows:
    """Compare linear scorers with and without weights of classes, on one drawn training sample.

    The loss is one that the classification risk takes, with the penalty `lam`; `ratio` is the
    weight of a positive over that of a negative example, None for balanced classes. The generator
    has parameters `p`, its share of positives, and d, here 5, such as "linear" or "rules". There
    are `n` training examples, and ten times as many test examples.

    Rows: `coef`, `angle` and `swapped` on test examples, see `apart`, relative to the unweighted
    scorer; `shift`, the weighted scorer's intercept less the other's; `rank_loss`, on the test
    sample without weights, and `gain`, that less the weighted. Without penalty, ValueError for a
    sample whose classes a scorer separates.

    See kotlowski2011, section 4.2: without penalty, weights change nothing of the exponential loss
    but the intercept, by ``log(ratio) / 2``; for the logistic loss this is conjectured to hold
    approximately.
    """
    model = registry.get("generators", generator)(p=p, d=FEATURES).draw_model(rng)
    X, y = model.sample(n, rng)
    Z, target = model.sample(10 * n, rng)
    positive = y == 1
    times = ratio if ratio is not None else (~positive).sum() / max(positive.sum(), 1)
    plain, weighted = (_fitted(loss, lam, X, y, up) for up in (1.0, float(times)))
    if lam == 0.0 and (X @ plain[0])[positive].min() > (X @ plain[0])[~positive].max():
        raise ValueError("a scorer separates the classes of the sample: take more examples")
    first, second = (np.asarray(rank_loss(target, Z @ w)) for w, _ in (plain, weighted))
    values = apart(weighted[0], plain[0], Z) | {
        "shift": weighted[1] - plain[1],
        "rank_loss": float(first),
        "gain": float(first - second),
    }
    return quantities(values)


def _fitted(loss: str, lam: float, X: Floats, y: Labels, up: float) -> tuple[Floats, float]:
    """Return coefficients and intercept where a positive example weighs `up`."""
    tol = TOLS[int(lam > 0.0) if parse(loss).smooth else 2]
    model = LinearRanker(loss=loss, lam=lam, tol=tol, class_weight={-1: 1.0, 1: up})
    model.fit(X, y)
    return model.coef_[0], float(model.intercept_[0])
