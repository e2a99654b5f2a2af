"""Test proper losses: the link is the best score, and the weight gives the loss."""

from typing import Any

import numpy as np
from scipy.integrate import quad

from rankexp.arrays import Floats
from rankexp.losses.base import Loss, parse
from rankexp.runner.checks.base import Rows, quantities

REGISTER = {"propriety": "propriety"}

LABELS = {
    "argmin": "distance of the best score from the link",
    "weight": "relative error of the weight",
}

HALVINGS, WIDEST = 70, 64.0
NODES, MASSES = np.polynomial.legendre.leggauss(20)


def propriety(rng: np.random.Generator, *, loss: str = "logistic") -> Rows:
    """Compare a proper convex smooth loss with its link and with the integrals of its weight.

    Both rows are the largest for probabilities .01, .02, ..., .99 of the positive class. `argmin`
    is the distance of the link from the score v of the least eta l(1, v) + (1 - eta) l(-1, v), the
    root of its derivative. `weight` is the relative distance of l(1, link(q)) from the integral of
    (1 - c) w(c) over [q, 1], or of l(-1, link(q)) from that of c w(c) over [0, q].

    See menon2014, "Bayes-optimal scorers: proper composite" and "Weight function for proper
    losses". As printed, four fail: the weights of the exponential loss (½ is missing, a bracket is
    misplaced), of p-classification (1/(p+1) is missing) and of both asymmetric losses (constants).
    """
    proper = proper_loss(loss)
    eta = np.linspace(0.01, 0.99, 99)
    argmin = np.abs(least_score(proper, eta) - proper.link(eta)).max()
    weight = max(_from_weight(proper, y, eta) for y in (1.0, -1.0))
    return quantities({"argmin": argmin, "weight": weight})


def proper_loss(text: str) -> Loss:
    """Return the loss of a text; ValueError unless it is proper, convex and smooth."""
    loss = parse(text)
    if not (loss.proper and loss.convex and loss.smooth):
        raise ValueError(f"loss={text}: expected a proper convex smooth one")
    return loss


def least_score(loss: Loss, eta: Floats) -> Floats:
    """Return the scores of the least conditional risks of a convex loss, by bisection."""
    low, high = np.full(eta.shape, -WIDEST), np.full(eta.shape, WIDEST)
    for _ in range(HALVINGS):
        v = (low + high) / 2
        rises = eta * loss.derivative(1.0, v) + (1 - eta) * loss.derivative(-1.0, v) > 0.0
        low, high = np.where(rises, low, v), np.where(rises, v, high)
    return np.asarray((low + high) / 2)


def _from_weight(loss: Loss, y: float, q: Floats) -> float:
    """Return the largest relative distance of a partial loss from the integral of the weight."""

    def integrand(c: Floats) -> Floats:
        return (1.0 - c if y > 0 else c) * loss.weight(np.asarray(c))

    half = np.diff(q)[:, None] / 2
    panels = (half * MASSES * integrand(q[:-1, None] + half * (1.0 + NODES))).sum(axis=1)
    ends = (q[-1], 1.0) if y > 0 else (0.0, q[0])
    tail: Any = quad(integrand, *ends, epsabs=0.0)  # type: ignore[call-overload]
    integrals = np.cumsum(np.r_[tail[0], panels[::-1] if y > 0 else panels])
    values = loss.value(y, loss.link(q[::-1] if y > 0 else q))
    return float(np.abs(values / integrals - 1.0).max())
