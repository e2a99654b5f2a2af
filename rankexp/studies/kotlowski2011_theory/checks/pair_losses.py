"""The two steps from losses of points to losses of pairs in the proof of Theorem 4.1, tried."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.losses import Exponential, Logistic
from rankexp.studies.kotlowski2011_theory.checks.univariate import bound_kept, draw
from rankexp.studies.kotlowski2011_theory.theory.regret import loss_regret, loss_risk

REGISTER = {"pair_losses": "pair_losses"}


def pair_losses(rng: np.random.Generator, *, draws: int = 10_000, points: int = 6) -> Rows:
    """Count random discrete distributions and scorers for which a step of the proof fails.

    Classes weigh the same, and all sums are exact; distributions and scorers are those of
    `univariate_bounds`. A loss of pairs is that of ``c(x) - c(x')``, x a positive and x' a
    negative example (kotlowski2011, the proof of Theorem 4.1).

    Rows of each step (`group`): `cases`, `violations`, `largest_ratio` and `median_slack`, as in
    `univariate_bounds`. "exponential": the loss of pairs is at most the square of that of points;
    `best_apart` is how far both are from each other at the best scorer. "logistic": the regret of
    pairs is at most twice that of points, which the paper states without a proof. "logistic, near"
    are class probabilities near 1/2 and errors of mean 0, where the ratio tends to 2.
    """
    masses, scores = draw(rng, draws, points)
    classes = masses / masses.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        best = np.log(np.maximum(classes, 1e-300))
    best = (best[..., 1] - best[..., 0]) / 2.0
    found, bound = (
        (_exponential(classes, s), loss_risk(masses, s, Exponential()) ** 2)
        for s in (np.clip(scores, -30.0, 30.0), best)
    )
    rows = bound_kept("exponential", *found)
    apart = float((np.abs(bound[0] - bound[1]) / bound[1]).max())
    rows += quantities({"best_apart": apart}, group="exponential")
    for group, (M, s) in (("", (masses, scores)), (", near", _near(rng, draws, points))):
        own = 2.0 * loss_regret(M, s, Logistic())
        rows += bound_kept(f"logistic{group}", _logistic_regret(M, s), own)
    return rows


def _near(rng: np.random.Generator, draws: int, points: int) -> tuple[Floats, Floats]:
    """Draw class probabilities near 1/2, and scores whose errors have mean 0."""
    weight = rng.dirichlet(np.ones(points), size=draws)
    logit, error = 0.05 * rng.standard_normal((2, draws, points))
    eta = 1.0 / (1.0 + np.exp(-logit))
    masses = weight[..., None] * np.stack([1.0 - eta, eta], axis=-1)
    masses /= 2.0 * masses.sum(axis=1, keepdims=True)
    true = np.log(masses[..., 1]) - np.log(masses[..., 0])
    return masses, true + error - (weight * error).sum(axis=1, keepdims=True)


def _exponential(classes: Floats, scores: Floats) -> Floats:
    up = (classes[..., 1] * np.exp(-scores)).sum(axis=-1)
    return np.asarray(up * (classes[..., 0] * np.exp(scores)).sum(axis=-1))


def _logistic_regret(masses: Floats, scores: Floats) -> Floats:
    """Return the logistic regret of pairs; a pair and the pair turned round share a best score."""
    classes = masses / masses.sum(axis=1, keepdims=True)
    pair = classes[:, :, None, 1] * classes[:, None, :, 0]
    turned = np.swapaxes(pair, 1, 2)
    share = np.where(pair > 0.0, pair / np.maximum(pair + turned, 1e-300), 1.0)
    loss = np.logaddexp(0.0, scores[:, None, :] - scores[:, :, None])
    return np.asarray((pair * (loss + np.log(share))).sum(axis=(1, 2)))
