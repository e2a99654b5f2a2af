"""What weights of classes change in a linear scorer that is trained on single examples."""

from typing import Any

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats
from rankexp.checks.equivalences import apart
from rankexp.estimators.linear import LinearRanker
from rankexp.losses.base import parse
from rankexp.metrics.bipartite import rank_loss

REGISTER = {"class_weights": "class_weights"}

FEATURES = 5
TOL = 1e-20, 1e-13, 1e-8  # of a risk without penalty, with one, and with a kink


def class_weights(
    rng: np.random.Generator,
    *,
    loss: str = "exponential",
    p: float = 0.9,
    lam: float = 0.0,
    ratio: float | None = None,
    generator: str = "linear",
    n: int = 500,
) -> list[dict[str, Any]]:
    """Compare linear scorers with and without weights of classes, on one drawn training sample.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    loss, lam : str, float
        The text of a loss that the classification risk takes, and the penalty of both scorers.
    ratio : float or None
        Weight of a positive over that of a negative example. None: balanced classes.
    generator, p : str, float
        One with parameters p, its share of positives, and d, here 5, such as "linear" or "rules".
    n : int
        Training examples; test examples are ten times as many.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``
        ``coef``, the norm of the difference of the coefficients over that of the unweighted;
        ``angle`` between both, in radians; ``swapped``, the share of pairs of test examples that
        they order differently; ``shift``, the weighted scorer's intercept less the other's;
        ``rank_loss``, on the test sample without weights, and ``gain``, that less the weighted.

    Raises
    ------
    ValueError, UnknownNameError
        For what doesn't go together, or a sample that a scorer separates, without penalty.

    References
    ----------
    kotlowski2011, section 4.2: without penalty weights change nothing of the exponential loss but
    the intercept, by ``log(ratio) / 2``; of the logistic loss it is conjectured, approximately.
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
    return [{"quantity": name, "value": value} for name, value in values.items()]


def _fitted(loss: str, lam: float, X: Floats, y: Any, up: float) -> tuple[Floats, float]:
    """Return coefficients and intercept where a positive example weighs `up`."""
    tol = TOL[int(lam > 0.0) if parse(loss).smooth else 2]
    model = LinearRanker(loss, lam=lam, tol=tol, class_weight={-1: 1.0, 1: up})
    model.fit(X, y)
    return model.coef_[0], float(model.intercept_[0])
