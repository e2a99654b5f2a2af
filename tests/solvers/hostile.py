"""Badly scaled data, and objectives of a linear scorer in higher precision than the solvers'."""

from fractions import Fraction

import numpy as np
import pytest

LONG = np.longdouble
extended = pytest.mark.skipif(
    np.finfo(LONG).eps > 1e-18, reason="no extended precision on this processor"
)
KINDS = ("huge feature", "16 decades", "large means", "one cell", "mixed")


def hostile(seed, K):
    """Return a kind, rows (n, d) and levels 0 .. K-1 of a random problem with bad scales."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n, d = int(rng.integers(2 * K, 50)), int(rng.integers(1, 7))
    X = rng.standard_normal((n, d))
    s = X @ rng.standard_normal(d) + rng.uniform(0, 2) * rng.standard_normal(n)
    y = np.empty(n, dtype=np.int64)
    y[s.argsort()] = np.sort(np.concatenate([np.arange(K), rng.integers(0, K, n - K)]))
    if kind in ("huge feature", "mixed"):
        X[:, rng.integers(d)] *= 10.0 ** rng.uniform(2, 12)
    if kind in ("16 decades", "mixed"):
        X *= 10.0 ** rng.uniform(-8, 8, d)
    if kind in ("large means", "mixed"):
        X += np.abs(X).max(axis=0) * 10.0 ** rng.uniform(0, 8, d)
    if kind == "one cell":
        X[rng.integers(n), rng.integers(d)] = rng.choice([-1, 1]) * 10.0 ** rng.uniform(2, 38.5)
    return kind, X, y


def exact_scores(X, w):
    """Return ``X @ w`` less its mean, worked out in fractions and then rounded once, (n,)."""
    w = [Fraction(v) for v in w]
    s = [sum(Fraction(float(x)) * v for x, v in zip(row, w, strict=True)) for row in X]
    middle = sum(s) / len(s)
    return np.array([long(v - middle) for v in s])


def exact_differences(X, w, theta):
    """Return ``X @ w`` less each threshold, worked out in fractions and rounded once, (n, K-1)."""
    w, theta = [Fraction(v) for v in w], [Fraction(v) for v in theta]
    s = [sum(Fraction(float(x)) * v for x, v in zip(row, w, strict=True)) for row in X]
    return np.array([[long(v - cut) for cut in theta] for v in s])


def exact_ridge(w, lam):
    """Return ``lam/2 |w|²``, rounded once."""
    return long(Fraction(lam) / 2 * sum(Fraction(v) ** 2 for v in w))


def long(value):
    high = float(value)
    return np.longdouble(high) + np.longdouble(float(value - Fraction(high)))


def solve(H, g):
    """Return ``H^-1 g`` by a Cholesky factor of the matrix with a unit diagonal."""
    unit = np.sqrt(np.maximum(H.diagonal(), LONG(1e-4000)))
    H, x = H / np.outer(unit, unit), g / unit
    L = np.zeros_like(H)
    for j in range(len(x)):
        L[j:, j] = H[j:, j] - L[j:, :j] @ L[j, :j]
        L[j:, j] /= np.sqrt(max(L[j, j], LONG(1e-18)))
    for j in range(len(x)):
        x[j] = (x[j] - L[j, :j] @ x[:j]) / L[j, j]
    for j in reversed(range(len(x))):
        x[j] = (x[j] - L[j + 1 :, j] @ x[j + 1 :]) / L[j, j]
    return x / unit
