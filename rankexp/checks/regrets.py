"""Bounds on the ranking regret by the regret of a loss, and the hinge loss, which has none."""

from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import Loss, parse
from rankexp.solvers.pairs.risk import PairLoss
from rankexp.theory.pairs import minimise_hinge, minimise_push, ranking_risk, surrogate_risk

REGISTER = {"hinge_regret": "hinge_regret", "regret_bound": "regret_bound"}

Row = dict[str, Any]

ROUNDING = 1e-12
SIZES = -3.0, 1.0  # powers of ten: differences of scores near 0 come near to the bound
APART = 1e-6  # scores by linear programming are whole numbers apart, or equal


def regret_bound(
    rng: np.random.Generator,
    *,
    loss: str = "logistic",
    points: int = 4,
    draws: int = 20,
    scorers: int = 200,
) -> list[Row]:
    """Count the scorers whose ranking regret is larger than their regret of a loss allows.

    The bound is F(ranking regret) <= regret, F(t) being H(½) - H(½ + t/2), averaged with the same
    of -t, and H the loss's least conditional risk. Each draw is a distribution of a point and a
    class, uniform on the simplex; scores are random, with ties, of sizes from .001 to 10.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    loss : str
        The text of a proper convex smooth loss.
    points, draws, scorers : int
        2 to 100 points; 1 or more draws, and scorers of each.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``
        ``violations``: the number of scorers for which F is above the regret against the best
        scorer; ``violations_of_pairs``: the same against the best pair-scorer, whose regret is
        never smaller; ``tightest``: the largest ratio of F to the former regret; ``scorers``: the
        number of all.

    Raises
    ------
    ValueError
        For another loss or other numbers.

    References
    ----------
    menon2014, "Surrogate regret bound": F exists where the inverse link is a scaled sigmoid, and
    is that of classification. The slides don't print it.
    """
    proper = parse(loss)
    if not (proper.proper and proper.convex and proper.smooth):
        raise ValueError(f"loss={loss}: expected a proper convex smooth one")
    if not 2 <= points <= 100 or min(draws, scorers) < 1:
        raise ValueError(f"expected 2 to 100 points (got {points}), a draw and a scorer or more")
    pair, ratios, of_pairs = PairLoss(proper), [], []
    for _ in range(draws):
        P, Q = _classes(rng, points)
        W = np.outer(P, Q)
        size = 10.0 ** rng.uniform(*SIZES, size=(scorers, 1))
        S = size * rng.integers(points, size=(scorers, points)) / points
        D = S[:, :, None] - S[:, None, :]
        best = ranking_risk(P / Q, W)
        wrong = (W * ((D < 0.0) + 0.5 * (D == 0.0))).sum(axis=(1, 2)) - best
        risk = (W * pair.of_margin(D)).sum(axis=(1, 2))
        bound = _bound(proper, np.maximum(wrong, 0.0))
        both = (W + W.T) / 2
        least = (both * proper.bayes_risk(W / (W + W.T))).sum()
        ratios.append((bound - ROUNDING) / (risk - surrogate_risk(minimise_push(P, Q, pair), W, pair)))
        of_pairs.append(bound > risk - least + ROUNDING)
    values = {
        "violations": (np.array(ratios) > 1.0).sum(),
        "violations_of_pairs": np.array(of_pairs).sum(),
        "tightest": np.array(ratios).max(),
        "scorers": draws * scorers,
    }
    return [{"quantity": name, "value": float(value)} for name, value in values.items()]


def _classes(rng: np.random.Generator, points: int) -> Floats:
    """Return the probabilities of points in the positive and in the negative class, (2, m)."""
    joint = rng.dirichlet(np.ones(2 * points)).reshape(2, points)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def _bound(loss: Loss, regret: Floats) -> Floats:
    """Return F of ranking regrets: convex, 0 at 0."""
    half = regret / 2
    sides = loss.bayes_risk(0.5 + half) + loss.bayes_risk(0.5 - half)
    return np.asarray(loss.bayes_risk(np.array(0.5)) - sides / 2)


def hinge_regret(rng: np.random.Generator, *, points: int = 5, draws: int = 20) -> list[Row]:
    """Rank points by the least expected pairwise hinge loss, a linear program's solution.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here: the draws, as in `regret_bound`.
    points, draws : int
        2 to 100 points, and 1 or more draws.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``, of points also ``step``
        ``inconsistent``: the share of draws in which the ranking regret is not 0; ``tied`` and
        ``reversed``: the shares of pairs of points that get equal scores, or scores in the other
        order than that of eta, which is never equal; ``regret``: the largest ranking regret. Of
        the draw that has it, ``step`` being a point's number: ``p_plus``, ``p_minus``, ``score``.

    Raises
    ------
    ValueError
        For other numbers.

    References
    ----------
    menon2014, "Comments": the hinge loss is inconsistent.
    """
    if not 2 <= points <= 100 or draws < 1:
        raise ValueError(f"points={points}, draws={draws}: expected 2 to 100, and 1 or more")
    found, worst = [], (-1.0, np.empty((3, 0)))
    for _ in range(draws):
        P, Q = _classes(rng, points)
        W, order = np.outer(P, Q), np.argsort(-P / Q)
        s = np.round(minimise_hinge(W) / APART) * APART
        steps = -np.subtract.outer(s[order], s[order])[np.tril_indices(points, -1)]
        regret = ranking_risk(s, W) - ranking_risk(P / Q, W)
        found.append((regret > ROUNDING, (steps == 0).mean(), (steps < 0).mean()))
        worst = max(worst, (regret, np.array((P, Q, s))[:, order]), key=lambda one: one[0])
    names = ("inconsistent", "tied", "reversed")
    values = dict(zip(names, np.mean(found, axis=0), strict=True)) | {"regret": worst[0]}
    rows: list[Row] = [{"quantity": q, "value": float(value)} for q, value in values.items()]
    return rows + [
        {"quantity": q, "value": float(value), "step": i}
        for q, each in zip(("p_plus", "p_minus", "score"), worst[1], strict=True)
        for i, value in enumerate(each)
    ]
