"""Gap and objective of the proportional-odds model on bad scales, in extended precision."""

import numpy as np
from hostile import exact_ridge, exact_scores, hostile

from rankexp.solvers.ordinal.proportional_odds import ProportionalOddsRisk, thresholds
from rankexp.solvers.smooth.descent import descend

LONG = np.longdouble


def softplus(z):
    """Return log(1 + exp(z)), 0 at minus infinity."""
    size = np.where(np.isinf(z), LONG(0), np.abs(z))
    return np.where(np.isneginf(z), LONG(0), np.maximum(z, 0) + np.log1p(np.exp(-size)))


def likelihood(s, y, theta):
    """Return the mean negative log-likelihood."""
    ends = np.concatenate(([-LONG(np.inf)], theta, [LONG(np.inf)]))
    low, high = ends[y] - s, ends[y + 1] - s
    return (softplus(low) + softplus(-high) - np.log(-np.expm1(low - high))).mean()


def derivatives(s, y, theta):
    """Return gradient and Hessian in the thresholds."""
    K, n = theta.size + 1, len(s)
    g, H = np.zeros(K - 1, LONG), np.zeros((K - 1, K - 1), LONG)
    for k in range(K - 1):
        up, down = (np.exp(-softplus(z)) for z in (s[y == k + 1] - theta[k], theta[k] - s[y == k]))
        g[k] = (up.sum() - down.sum()) / n
        H[k, k] = ((up * (1 - up)).sum() + (down * (1 - down)).sum()) / n
    for k in range(K - 2):
        mass, gap = (y == k + 1).mean(), theta[k + 1] - theta[k]
        push, stiff = mass / np.expm1(gap), mass / (2 * np.sinh(gap / 2)) ** 2
        g[k : k + 2] += [push, -push]
        H[k : k + 2, k : k + 2] += np.array([[stiff, -stiff], [-stiff, stiff]])
    return g, H


def exact_objective(X, y, w, lam):
    """Return the objective of w with its best thresholds."""
    s = exact_scores(X, w)
    s -= np.median(s)
    theta = thresholds(s.astype(float), y).astype(LONG)
    value = likelihood(s, y, theta)
    for _ in range(20):
        g, H = derivatives(s, y, theta)
        p = np.linalg.lstsq(H.astype(float), g.astype(float))[0]
        new = theta - p
        if not (np.diff(new) > 0).all() or not likelihood(s, y, new) < value:
            break
        theta, value = new, likelihood(s, y, new)
    return value + exact_ridge(w, lam)


def test_on_bad_scales_the_gap_is_an_upper_bound_and_the_objective_right():
    """40 problems: huge features, 16 decades of scales, large means, one cell up to 1e4."""
    converged = 0
    for seed in range(40):
        kind, X, y = hostile(seed, K=2 + seed % 3)
        X = X if kind != "one cell" else np.clip(X, -1e4, 1e4)
        rng = np.random.default_rng(seed)
        lam, tol = 10.0 ** rng.uniform(-8, 1), 10.0 ** rng.uniform(-10, -3)
        found, best = (
            descend(X, ProportionalOddsRisk(y), np.array([lam]), tol=goal, max_iter=100)
            for goal in (tol, 1e-13)
        )
        value = exact_objective(X, y, found.coef[:, 0], lam)
        least = min(value, exact_objective(X, y, best.coef[:, 0], lam))
        assert (value - least) / value <= found.gap[0] + 1e-17, (seed, kind)
        if found.converged[0]:
            assert abs(value - found.objective[0]) <= 1e-9 * value, (seed, kind)
        converged += found.converged[0]
    assert converged >= 25  # the others have warned
