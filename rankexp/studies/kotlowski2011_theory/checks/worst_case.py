"""Search the discrete distribution and scorer with the largest rank regret for a loss regret."""

from typing import Any

import numpy as np
from scipy.optimize import differential_evolution
from scipy.special import expit

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.losses.loss import Loss, parse
from rankexp.studies.kotlowski2011_theory.theory.regret import loss_regret, rank_regret
from rankexp.studies.kotlowski2011_theory.theory.univariate_bounds import (
    CONSTANTS,
    proper_regret_bound,
)

REGISTER = {"worst_regret": "worst_regret"}

LEAST = 1e-8  # of a regret of a loss: below, rounding has its say
POPULATION = 15  # candidates of a round, times the number of unknowns
SIZES, PRIOR = (-7.0, 2.5), (-7.0, 7.0)  # logs of scales, log odds of the prior


def worst_regret(
    rng: np.random.Generator,
    *,
    loss: str = "logistic",
    points: int = 5,
    rounds: int = 150,
    balanced: bool = True,
) -> Rows:
    """Search for the largest ratio of the rank regret to the root of the regret of a loss.

    Differential evolution chooses the chances of 2 to 64 points in both classes and their scores
    in one or more `rounds` of 15 candidates for each unknown. The least risk of the loss must be
    known: a proper one, "hinge" or "zero_one". With `balanced` each class weighs ½; if not, the
    search includes the prior.

    Rows: `ratio`, which is attained; `constant` of Theorem 4.1 (kotlowski2011) for its two losses;
    `best_constant` of `proper_regret_bound` for proper ones; `rank_regret`; `loss_regret`, which
    counts as 1e-8 at least; `prior`. Each point, with its place in the order of scores as `step`,
    has `score` and its chances `p_plus` and `p_minus` in both classes.
    """
    if not 2 <= points <= 64 or rounds < 1:
        raise ValueError(f"points={points}, rounds={rounds}: expected 2 to 64, and 1 or more")
    made = parse(loss)
    found = _search(rng, made, points, rounds, balanced)
    masses, scores = _candidates(found[None], balanced)
    rank = float(rank_regret(masses, scores)[0])
    own = float(loss_regret(masses, scores, made, balanced=balanced)[0])
    ratio, prior = rank / np.sqrt(max(own, LEAST)), masses[0, :, 1].sum()
    values = {"ratio": ratio, "rank_regret": rank, "loss_regret": own, "prior": prior}
    if balanced and repr(made) in CONSTANTS:
        values["constant"] = CONSTANTS[repr(made)]
    if balanced and made.proper:
        values["best_constant"] = float(proper_regret_bound(1.0, made))
    return quantities(values) + _points(masses[0], scores[0])


def _points(masses: Floats, scores: Floats) -> Rows:
    table = np.column_stack([scores, masses / masses.sum(axis=0)])[np.argsort(scores)]
    points = [dict(zip(("score", "p_minus", "p_plus"), own, strict=True)) for own in table]
    return [row for step, values in enumerate(points) for row in quantities(values, step=step)]


def _search(
    rng: np.random.Generator, loss: Loss, points: int, rounds: int, balanced: bool
) -> Floats:
    def objective(vectors: Floats) -> Floats:
        masses, scores = _candidates(vectors.T, balanced)
        own = np.maximum(loss_regret(masses, scores, loss, balanced=balanced), LEAST)
        return np.asarray(-rank_regret(masses, scores) / np.sqrt(own))

    limits: Any = [(-6.0, 0.0)] * points + [(-1.0, 1.0)] * 2 * points + [PRIOR, SIZES, SIZES]
    found = differential_evolution(
        objective,  # type: ignore[arg-type]  # the stubs know no vectorized one
        limits,
        maxiter=rounds,
        popsize=POPULATION,
        tol=0.0,
        polish=False,
        vectorized=True,
        updating="deferred",
        rng=rng,
    )
    return np.asarray(found.x)


def _candidates(vectors: Floats, balanced: bool) -> tuple[Floats, Floats]:
    """Return masses (B, m, 2) and scores (B, m) of vectors (B, 3m + 3).

    A vector has the logs of points' masses, their log odds and their scores, both in [-1, 1], the
    log odds of the prior, and the logs of what log odds and scores are multiplied by.
    """
    m = vectors.shape[1] // 3 - 1
    log_mass, odds, scores = (vectors[:, k * m : (k + 1) * m] for k in range(3))
    prior, *sizes = vectors[:, 3 * m :].T
    half = odds * np.exp(sizes[0])[:, None] / 2.0
    masses = np.exp(np.stack([log_mass - half, log_mass + half], axis=-1))
    masses /= masses.sum(axis=1, keepdims=True)
    p = np.full(len(vectors), 0.5) if balanced else expit(prior)
    masses *= np.stack([1.0 - p, p], axis=1)[:, None]
    return masses, scores * np.exp(sizes[1])[:, None]
