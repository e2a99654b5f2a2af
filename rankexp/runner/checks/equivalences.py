"""How far linear scorers part that are trained on examples or pairs, with or without weights."""

import numpy as np
from scipy.special import expit

from rankexp import registry
from rankexp.arrays import Floats, Labels
from rankexp.estimators.linear import LinearRanker
from rankexp.losses.base import parse
from rankexp.metrics.bipartite import rank_loss
from rankexp.metrics.continuous import one_minus_discordance
from rankexp.runner.checks.base import Rows, quantities

REGISTER = {"same_minimisers": "same_minimisers", "class_weights": "class_weights"}

LABELS = {
    "coef": "relative difference of coefficients",
    "angle": "angle between coefficients",
    "swapped": "share of pairs swapped",
    "shift": "shift of the intercept",
    "rank_loss": "rank loss without weights",
    "gain": "gain by weights",
}

FEATURES = 5
TOLS = 1e-20, 1e-13, 1e-8  # of a risk without penalty, with one, and with a kink


def same_minimisers(
    rng: np.random.Generator,
    *,
    example: str = "exponential",
    pair: str = "exponential",
    risk: str = "bipartite",
    lam: float = 0.0,
    intercept: bool = True,
) -> Rows:
    """Compare linear scorers of a classification risk and of a risk of pairs on a random sample.

    It has 100 rows of three Gaussian features, with labels by the logistic model, which overlap.

    Parameters
    ----------
    example, pair, risk : str
        The losses of the classification risk and of the risk of pairs, and the latter.
    lam : float
        The penalty of both.
    intercept : bool
        Whether the classification risk has a free one.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``
        ``coef``: the norm of the difference of the coefficients over that of those from pairs;
        ``angle``: that between both, in radians; ``swapped``: the share of pairs of rows that they
        order differently.

    Raises
    ------
    ValueError
        For what doesn't go together, or a sample whose classes a scorer separates.

    References
    ----------
    menon2014, "Practical equivalences of risks" and "The p-classification loss". As printed, for
    scorers <w, x>, they fail: the classification risk needs a free intercept beside w.
    """
    X, w = rng.standard_normal((100, 3)), rng.standard_normal(3)
    y = rng.random(100) < expit(X @ w)
    tol = TOLS[int(lam > 0.0)]  # its square root is that of coefficients
    one = LinearRanker(example, lam=lam, tol=tol, fit_intercept=intercept)
    a, b = (m.fit(X, y).coef_[0] for m in (one, LinearRanker(pair, risk, lam, tol=tol)))
    if any(s[y].min() > s[~y].max() for s in (X @ a, X @ b)):
        raise ValueError("a scorer separates the classes of the sample: take another seed")
    return [{"quantity": name, "value": value} for name, value in _apart(a, b, X).items()]


def _apart(a: Floats, b: Floats, X: Floats) -> dict[str, float]:
    """Return ``coef``, ``angle`` and ``swapped``, see `same_minimisers`, of coefficients on X."""
    unit, other = a / np.linalg.norm(a), b / np.linalg.norm(b)
    values = {
        "coef": np.linalg.norm(a - b) / np.linalg.norm(b),
        "angle": 2 * np.arctan2(np.linalg.norm(unit - other), np.linalg.norm(unit + other)),
        "swapped": 1 - one_minus_discordance(X @ a, X @ b),
    }
    return {name: float(value) for name, value in values.items()}


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

    Parameters
    ----------
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
        ``coef``, ``angle`` and ``swapped`` as of `same_minimisers`, relative to the unweighted
        scorer and on test examples; ``shift``, the weighted scorer's intercept less the other's;
        ``rank_loss``, on the test sample without weights, and ``gain``, that less the weighted.

    Raises
    ------
    ValueError, UnknownNameError
        As `same_minimisers`, which separation matters to without penalty only.

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
    values = _apart(weighted[0], plain[0], Z) | {
        "shift": weighted[1] - plain[1],
        "rank_loss": float(first),
        "gain": float(first - second),
    }
    return quantities(values)


def _fitted(loss: str, lam: float, X: Floats, y: Labels, up: float) -> tuple[Floats, float]:
    """Return coefficients and intercept where a positive example weighs `up`."""
    tol = TOLS[int(lam > 0.0) if parse(loss).smooth else 2]
    model = LinearRanker(loss, lam=lam, tol=tol, class_weight={-1: 1.0, 1: up})
    model.fit(X, y)
    return model.coef_[0], float(model.intercept_[0])
