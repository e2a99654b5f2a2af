"""What weights of classes change in a linear scorer that is trained on single examples."""

from typing import Any

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats
from rankexp.estimators.linear import LinearRanker
from rankexp.losses.base import parse
from rankexp.metrics.bipartite import rank_loss
from rankexp.metrics.continuous import one_minus_discordance

REGISTER = {"class_weights": "class_weights"}

TOL = 1e-20, 1e-13, 1e-8  # of a risk without penalty, with one, and with a kink


def class_weights(
    rng: np.random.Generator,
    *,
    loss: str = "exponential",
    p: float = 0.9,
    lam: float = 0.0,
    ratio: float | None = None,
    generator: str = "linear",
    d: int = 5,
    n: int = 500,
) -> list[dict[str, Any]]:
    """Compare linear scorers with and without weights of classes, on one drawn training sample.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    loss : str
        The text of a loss that the classification risk takes.
    p : float
        Share of positives of the generator.
    lam : float
        The penalty of both; the intercept is free.
    ratio : float or None
        Weight of a positive over that of a negative example. None: balanced classes.
    generator : str
        One with parameters p and d, such as "linear" or "rules".
    d, n : int
        Its features, and the training sample; n * 10 test examples.

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
    model = registry.get("generators", generator)(p=p, d=d).draw_model(rng)
    X, y = model.sample(n, rng)
    Z, target = model.sample(10 * n, rng)
    positive = y == 1
    times = ratio if ratio is not None else (~positive).sum() / max(positive.sum(), 1)
    plain, weighted = (_fitted(loss, lam, X, y, up) for up in (1.0, float(times)))
    (a, shift), (b, other) = plain, weighted
    s, t = Z @ a, Z @ b
    if lam == 0.0 and (X @ a)[positive].min() > (X @ a)[~positive].max():
        raise ValueError("a scorer separates the classes of the sample: take more examples")
    unit, turned = a / np.linalg.norm(a), b / np.linalg.norm(b)
    values = {
        "coef": np.linalg.norm(b - a) / np.linalg.norm(a),
        "angle": 2 * np.arctan2(np.linalg.norm(unit - turned), np.linalg.norm(unit + turned)),
        "swapped": 1.0 - one_minus_discordance(s, t),
        "shift": other - shift,
        "rank_loss": rank_loss(target, s),
        "gain": np.subtract(rank_loss(target, s), rank_loss(target, t)),
    }
    return [{"quantity": name, "value": float(value)} for name, value in values.items()]


def _fitted(loss: str, lam: float, X: Floats, y: Any, up: float) -> tuple[Floats, float]:
    """Return coefficients and intercept where a positive example weighs `up`."""
    tol = TOL[int(lam > 0.0) if parse(loss).smooth else 2]
    model = LinearRanker(loss, lam=lam, tol=tol, class_weight={-1: 1.0, 1: up})
    model.fit(X, y)
    return model.coef_[0], float(model.intercept_[0])
