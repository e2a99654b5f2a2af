"""Try the slides' statements and open questions on finitely many points, by enumeration."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm

from rankexp.arrays import Bools, Floats
from rankexp.checks.check import Rows, quantities
from rankexp.studies.menon2014.checks.decomposable import (
    CONCENTRATION,
    _draws,
    least_score,
    proper_loss,
)
from rankexp.theory.population_hinge import pair_weights, ranking_risk

REGISTER = {
    "signs_of_scores": "signs_of_scores",
    "rankings_of_points": "rankings_of_points",
    "reversed_link": "reversed_link",
    "strict_utility": "strict_utility",
    "ptop_regret": "ptop_regret",
}

MOST = 6  # points, of which all weak orders are gone through
ROUNDING = 1e-12
TIED = 0.5  # share of the draws in which two points have the same class probability


def signs_of_scores(rng: np.random.Generator, *, loss: str = "logistic", draws: int = 200) -> Rows:
    """Compare the best scores of a proper convex smooth loss with those of the 0/1 loss.

    Scores of the least conditional risk are found numerically, of probabilities .01 to .99 and of
    five points of each of the `draws`. Rows: `wrong signs`, the share of probabilities but ½ whose
    score has another sign than 2 eta - 1; `0/1 regret`, the largest regret of these scores in 0/1
    loss, 0 counting ½ (menon2014, "Bayes-optimal scorers": S_Class,l is in S_Class,01).
    """
    proper, eta = proper_loss(loss), np.delete(np.linspace(0.01, 0.99, 99), 49)
    wrong = np.sign(least_score(proper, eta)) != np.sign(2.0 * eta - 1.0)
    joint = _draws(rng, 5, draws)
    s = least_score(proper, joint[:, 0] / joint.sum(axis=1))
    error = np.where(
        s == 0.0, joint.sum(axis=1) / 2.0, np.where(s > 0.0, joint[:, 1], joint[:, 0])
    )
    regret = error.sum(axis=1) - joint.min(axis=1).sum(axis=1)
    return quantities({"wrong signs": wrong.mean(), "0/1 regret": regret.max()})


def weak_orders(points: int) -> Floats:
    """Return all orders of points with ties, as scores (orders, points) without gaps."""
    found = np.array(list(product(range(points), repeat=points)))
    top = found.max(axis=1)
    return np.asarray(
        found[[len(set(row)) == most + 1 for row, most in zip(found, top, strict=True)]] * 1.0
    )


def rankings_of_points(rng: np.random.Generator, *, points: int = 4, draws: int = 50) -> Rows:
    """Compare all orders of 2 to 6 points, with ties, with the order of the class probability.

    In half of the `draws` two points have the same class probability eta. Rows: `best orders
    apart`, how many orders have the least ranking risk although eta is no increasing function of
    them, or the other way round, in all draws; `above the curve`, how far the ROC curve of an
    order is above that of eta at most (menon2014, "Bayes-optimal bipartite scorers").
    """
    orders, apart, above = weak_orders(_few(points)), 0, 0.0
    for joint in _draws(rng, points, draws):
        if rng.random() < TIED:
            joint[:, 1] = joint[:, 0] * joint[:, 1].sum() / joint[:, 0].sum()
        W, eta = pair_weights(joint[::-1].T), joint[0] / joint.sum(axis=0)
        eta = np.round(eta, 12)
        risks = np.array([ranking_risk(s, W) for s in orders])
        least = ranking_risk(eta, W)
        higher = eta[:, None] > eta
        kept = (orders[:, :, None] > orders[:, None, :])[:, higher].all(axis=1)
        apart += int(((risks <= least + ROUNDING) != kept).sum())
        P, Q = joint / joint.sum(axis=1)[:, None]
        best = _roc(eta, P, Q)
        for s in orders:
            false, true = _roc(s, P, Q)
            above = max(above, float((true - np.interp(false, *best)).max()))
    return quantities({"best orders apart": apart, "above the curve": above})


def _few(points: int) -> int:
    if not 2 <= points <= MOST:
        raise ValueError(f"points={points}: expected 2 to {MOST}")
    return points


def _roc(s: Floats, P: Floats, Q: Floats) -> tuple[Floats, Floats]:
    """Return the corners of a ROC curve, ties in between being along a segment."""
    levels = np.unique(s)[::-1]
    inside: Bools = s[None] == levels[:, None]
    corners = [np.concatenate(([0.0], np.cumsum(inside @ own))) for own in (Q, P)]
    return corners[0], corners[1]


def reversed_link(rng: np.random.Generator, *, points: int = 5, draws: int = 20) -> Rows:
    """Minimise the risk on pairs of log(1 + exp(y v)), whose inverse link is sigma(-v).

    It is strictly proper composite, and its link, -logit, is the inverse of a scaled sigmoid with
    a = -1, which the slides' class Sigma allows. Rows, the largest over draws, as of
    `best_scorers`: `additivity` of the best pair-scores; `from_link`, the distance of the best
    scores, found numerically, from -logit(eta) + b; `rank_regret`; and `reversed`, the share of
    draws in which the best scores order all points by falling eta (menon2014, "Bayes-optimal
    scorers").
    """
    found = []
    for joint in _draws(rng, points, draws):
        W, logit = pair_weights(joint[::-1].T), np.log(joint[0] / joint[1])
        S = -(logit[:, None] - logit)  # of the least eta l(1, v) + (1 - eta) l(-1, v), by pair
        s = _best_reversed(W)
        steps = np.diff(s[np.argsort(logit)])
        additivity = np.abs(S[:, :, None] + S - S[:, None, :]).max()
        regret = ranking_risk(s, W) - ranking_risk(logit, W)
        found.append((additivity, np.ptp(s + logit) / 2.0, regret, (steps < 0.0).all()))
    sums, links, regrets, falls = np.array(found, dtype=np.float64).T
    largest = {"additivity": sums.max(), "from_link": links.max(), "rank_regret": regrets.max()}
    return quantities(largest | {"reversed": falls.mean()})


def _best_reversed(W: Floats) -> Floats:
    """Return scores of the least sum of W log(1 + exp(D)); the first is 0."""

    def risk(free: Floats) -> tuple[float, Floats]:
        s = np.concatenate(([0.0], free))
        D = s[:, None] - s
        slopes = W * expit(D)
        return float((W * np.logaddexp(0.0, D)).sum()), (slopes.sum(1) - slopes.sum(0))[1:]

    limits: Any = {"maxiter": 2000, "gtol": 1e-13, "ftol": 1e-16}
    found = minimize(risk, np.zeros(len(W) - 1), jac=True, method="L-BFGS-B", options=limits)
    return np.concatenate(([0.0], found.x))


def strict_utility(rng: np.random.Generator, *, points: int = 5, draws: int = 50) -> Rows:
    """Try whether the probability of a pair has a strict utility, and which links give one.

    Rows, the largest over draws: `utility`, the distance of eta_Pair, by Bayes' rule, from u / (u
    + u') with the utility u = eta / (1 - eta); `product rule`, how far the probabilities of a
    cycle of three points and of the reverse cycle are apart; and the same of F(s - s') for scores
    s by logit(eta), where F is a "scaled sigmoid", or the "normal" distribution function
    (menon2014, "Comments").
    """
    names = ("utility", "product rule", "product rule, scaled sigmoid", "product rule, normal")
    largest = np.zeros(len(names))
    for joint in _draws(rng, points, draws):
        W, odds = pair_weights(joint[::-1].T), joint[0] / joint[1]
        pair, D = W / (W + W.T), np.log(odds)[:, None] - np.log(odds)
        given = [np.abs(pair - odds[:, None] / (odds[:, None] + odds)).max()]
        given += [_cycles(F) for F in (pair, expit(0.5 * D), norm.cdf(0.5 * D))]
        largest = np.maximum(largest, given)
    return quantities(dict(zip(names, largest, strict=True)))


def _cycles(P: Floats) -> float:
    """Return the largest distance of P(x, x') P(x', x'') P(x'', x) from the reverse product."""
    around = P[:, :, None] * P[None] * P.T[:, None, :]
    return float(np.abs(around - around.transpose(0, 2, 1)).max())


def _areas(curves: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the areas below ROC curves."""
    return np.array([np.trapezoid(true, false) for false, true in curves])


def ptop_regret(
    rng: np.random.Generator, *, negatives: int = 10, points: int = 4, draws: int = 50
) -> Rows:
    """Bound the regret in the share of positives above all negatives by that in the AUC.

    A sample has so many `negatives`; equal scores are in random order. The expected share is then
    the integral of (1 - f)^n over the ROC curve's rises, where f is the rate of false positives,
    so the order of eta is best, and the regret is the integral of n (1 - f)^(n - 1) times the
    curves' distance: at most n times the regret in AUC. All orders of 2 to 6 points are tried.

    Rows: `violations` of this bound; `largest share of the bound`; `better than eta`, how far an
    order's share is above that of eta at most (menon2014, "PTop regret bounds?").
    """
    if negatives < 1:
        raise ValueError(f"negatives={negatives}: expected 1 or more")
    orders, broken, share, better = weak_orders(_few(points)), 0, 0.0, 0.0
    for joint in _draws(rng, points, draws, CONCENTRATION):
        P, Q = joint / joint.sum(axis=1)[:, None]
        curves = [_roc(s, P, Q) for s in (joint[0] / joint.sum(axis=0), *orders)]
        areas, tops = _areas(curves), np.array([_ptop(*curve, negatives) for curve in curves])
        lost, bound = tops[0] - tops[1:], negatives * (areas[0] - areas[1:])
        broken += int((lost > bound + ROUNDING).sum())
        better, known = max(better, float(-lost.min())), bound > 1e-9
        share = max(share, float((lost[known] / bound[known]).max()))
    found = {"violations": broken, "largest share of the bound": share}
    return quantities(found | {"better than eta": better})


def _ptop(false: Floats, true: Floats, n: int) -> float:
    """Return the expected share of positives above all of n negatives."""
    across, up, left = np.diff(false), np.diff(true), 1.0 - false[:-1]
    wide = (across > 0.0) & (left > 0.0)
    share = np.where(wide, across / np.where(wide, left, 1.0), 1.0)
    with np.errstate(divide="ignore"):  # of a step to the end
        fall = -np.expm1((n + 1) * np.log1p(-np.minimum(share, 1.0))) / (n + 1)
    return float((left**n * np.where(wide, fall / share, 1.0) * up).sum())
