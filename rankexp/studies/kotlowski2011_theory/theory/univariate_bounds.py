"""What losses of points say of the rank risk (kotlowski2011, sections 3 and 4).

All functions raise ValueError for chances, regrets or losses that a bound says nothing of.
"""

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, rel_entr
from scipy.stats import binom

from rankexp.arrays import Floats
from rankexp.losses.loss import Loss
from rankexp.theory.models import check_positive, vector

CONSTANTS = {"exponential": 1.5 * np.sqrt(2.0), "logistic": 2.0}
"""Of Theorem 4.1, by loss."""


def error_rates_bound(alpha: npt.ArrayLike, beta: npt.ArrayLike, p: npt.ArrayLike) -> Floats:
    """Return ``a + b - a b``, a = alpha / p and b = beta / (1 - p): a bound on the rank risk.

    `alpha` and `beta` are the chances of a false negative, ``P(c(x) <= 0, y = 1)``, and of a false
    positive, ``P(c(x) >= 0, y = -1)``; arrays broadcast (Lemma 3.1, (8)).

    >>> round(float(error_rates_bound(0.1, 0.1, 0.5)), 3)
    0.36
    """
    p = _prior(p)
    a, b = np.asarray(alpha) / p, np.asarray(beta) / (1.0 - p)
    if ((a < 0.0) | (a > 1.0 + 1e-9) | (b < 0.0) | (b > 1.0 + 1e-9)).any():
        raise ValueError("expected 0 <= alpha <= p and 0 <= beta <= 1 - p")
    return np.asarray(a + b - a * b)


def zero_one_bound(risk: npt.ArrayLike, p: npt.ArrayLike) -> Floats:
    """Return ``risk / min(p, 1 - p)``, a bound on the rank risk by the 0/1 risk: Theorem 3.1, (9).

    A score of 0 is an error.
    """
    p = _prior(p)
    return np.asarray(risk) / np.minimum(p, 1.0 - p)


def balanced_bound(risk: npt.ArrayLike, loss: Loss, *, convex: bool = False) -> Floats:
    """Return ``2 risk / l(0)``, a bound on the rank risk by the balanced risk of a loss.

    The loss bounds the 0/1 loss. For the balanced 0/1 loss this is (10), for others (11), whose
    losses are scaled to l(0) = 1. For a `convex` loss of margins half of it is a bound,
    ``risk / l(0)``: if a positive's score c is not above a negative's, c',
    ``[l(c) + l(-c')] / 2 >= l((c - c') / 2) >= l(0)``.
    """
    if not loss.bounds_zero_one:
        raise ValueError(f"{loss!r} is below the 0/1 loss somewhere: it bounds nothing")
    if convex and not loss.convex:
        raise ValueError(f"{loss!r} is not convex")
    return np.asarray((1.0 if convex else 2.0) * np.asarray(risk) / loss.at_zero)


def regret_bound(regret: npt.ArrayLike, loss: Loss) -> Floats:
    """Return the bound of Theorem 4.1 on the rank regret, by the balanced regret of a loss.

    It is ``3 / sqrt(2) · sqrt(regret)`` for the exponential loss, (12), ``2 sqrt(regret)`` for the
    logistic one with natural logarithms, (13).

    >>> from rankexp.losses import Logistic
    >>> regret_bound([0.0, 0.01], Logistic())
    array([0. , 0.2])
    """
    if repr(loss) not in CONSTANTS:
        raise ValueError(f"{loss!r}: Theorem 4.1 is about {' and '.join(CONSTANTS)}")
    return np.asarray(CONSTANTS[repr(loss)] * np.sqrt(_regret(regret)))


def proper_regret_bound(regret: npt.ArrayLike, loss: Loss, *, p: npt.ArrayLike = 0.5) -> Floats:
    """Return a bound on the rank regret with the best constant, by the regret of a proper loss.

    It is ``sqrt(2 regret / (3 w)) / (p (1 - p))``, w being the least weight of the loss over cost
    ratios and p = P(y = 1), or ½ if the regret is balanced: then ``sqrt(8/3 · regret)`` for the
    exponential and the logistic loss, where Theorem 4.1 has 2.12 and 2, and ``sqrt(4/3 · regret)``
    for the squared loss.

    Proof: let t be the probability that the score of x stands for, and e = eta - t. The regret is
    at least ``w/2 E e²``. The rank regret, times p (1 - p), is the sum of ``max(eta - eta', 0)``
    over pairs of x, x' with x below x' (ties ½). There t <= t', so it is at most half of
    ``E|e - e'|``, which, Gini's mean difference, is at most 2 / sqrt(3) standard deviations.
    If w is least at p it is tight: in the limit where eta is uniform on a short interval around p,
    and scores near the link of p have the wrong order.

    >>> from rankexp.losses import Logistic, Squared
    >>> [float(proper_regret_bound(0.01, loss).round(4)) for loss in (Logistic(), Squared())]
    [0.1633, 0.1155]
    """
    if not loss.proper:
        raise ValueError(f"{loss!r} is not proper: scores stand for no probabilities")
    given, p = _regret(regret), _prior(p)
    return np.asarray(np.sqrt(2.0 * given / (3.0 * _least_weight(loss))) / (p * (1.0 - p)))


def _least_weight(loss: Loss) -> float:
    c = np.linspace(0.0, 1.0, 1001)[1:-1]
    near = c[int(np.argmin(loss.weight(c)))]
    found = minimize_scalar(
        lambda at: float(loss.weight(np.asarray(at))),
        bounds=np.clip([near - 1e-3, near + 1e-3], 1e-6, 1.0 - 1e-6),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(found.fun)


def plug_in_deviation(epsilon: float, n: int, p: float) -> float:
    """Return the chance that a class weight from frequencies is wrong by a share epsilon or more.

    With ``w = 1 / (2p)`` for a class of share p, and the frequency among n examples in place of
    p, ``|w - w'| / w >= epsilon`` is ``p' >= p / (1 - epsilon)`` or ``p' <= p / (1 + epsilon)``,
    whose binomial chances are added up (section 3.2). A class without an example has an infinite
    weight.
    """
    low, high = _ends(epsilon, n, p)
    below = binom.cdf(np.floor(n * low * (1.0 + 1e-12)), n, p)
    above = binom.sf(np.ceil(n * high * (1.0 - 1e-12)) - 1.0, n, p) if high <= 1.0 else 0.0
    return float(below + above)


def plug_in_bound(epsilon: float, n: int, p: float) -> float:
    """Return Chernoff's bound on `plug_in_deviation`.

    It adds up ``exp(-n kl(a, p))`` over the ends a = p / (1 + epsilon) and p / (1 - epsilon), kl
    being the divergence of two coins. The printed one, ``2 exp(-2 p n epsilon / (1 - epsilon))``,
    is no bound: it takes the farther of both ends, and the exponent lacks the square.
    """
    ends = _ends(epsilon, n, p)
    coins = (rel_entr(a, p) + rel_entr(1.0 - a, 1.0 - p) for a in ends if a <= 1.0)
    return float(min(1.0, sum(np.exp(-n * divergence) for divergence in coins)))


def profiled_exponential(
    scores: npt.ArrayLike, y: npt.ArrayLike, weights: tuple[float, float] = (1.0, 1.0)
) -> tuple[float, float]:
    """Return the weighted sum of exponential losses at the best shift of scores, and that shift.

    The sum is ``2 sqrt(w- w+ · A · B)``, A the sum of exp(-c) over positives and B that of exp(c)
    over negatives, and the shift ``log(w+ A / (w- B)) / 2``. `weights` are those of a negative and
    of a positive example; they change all functions c alike, so they do not matter. As printed in
    section 4.2, the formula lacks the root of A B.

    >>> least, shift = profiled_exponential([1.0, 0.0], [1, -1], (1.0, 4.0))
    >>> round(least, 4), round(shift, 4)
    (2.4261, 0.1931)
    """
    c, labels = vector("scores", scores), np.asarray(y)
    check_positive(**{"a weight": min(weights), "the other weight": max(weights)})
    if labels.shape != c.shape or set(labels.tolist()) != {-1, 1}:
        raise ValueError(f"y must be -1 and 1, both of them, of shape {c.shape}")
    up = logsumexp(-c[labels == 1]) + np.log(weights[1])
    down = logsumexp(c[labels == -1]) + np.log(weights[0])
    with np.errstate(over="ignore"):
        return float(2.0 * np.exp((up + down) / 2.0)), float((up - down) / 2.0)


def _regret(regret: npt.ArrayLike) -> Floats:
    given = np.asarray(regret, dtype=np.float64)
    if not (given >= 0.0).all():
        raise ValueError("a regret is below 0, or NaN")
    return given


def _prior(p: npt.ArrayLike) -> Floats:
    share = np.asarray(p, dtype=np.float64)
    if not ((share > 0.0) & (share < 1.0)).all():
        raise ValueError("p must be between 0 and 1, exclusive")
    return share


def _ends(epsilon: float, n: int, p: float) -> tuple[float, float]:
    """Return the frequencies from which on, below and above, the weight is wrong."""
    check_positive(epsilon=epsilon, n=n)
    _prior(p)
    return p / (1.0 + epsilon), p / (1.0 - epsilon) if epsilon < 1.0 else np.inf
