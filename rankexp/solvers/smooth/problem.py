"""What the descent works on: a risk of scores, the rows, and how they are put together."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from rankexp.arrays import Bools, Floats, Ints

SAMPLE_ABOVE = 50_000
SAMPLE_ROWS = 20_000
SINGULAR = 1e-13


class Risk(Protocol):
    """A smooth convex function of the n scores.

    ``intercept``: it has a free intercept. ``centred``: the rows may be centred, because there
    is an intercept or because only differences of scores count.
    """

    intercept: bool
    centred: bool

    def value(self, s: Floats) -> float:
        """Return the risk of scores."""

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score, shape (n,)."""

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in (w, b), or in w where there is no intercept."""

    def sample(self, size: int) -> tuple[Ints, "Risk"]:
        """Return some of the rows, and an estimate of the risk from their scores alone."""

    def subset(self, rows: Ints) -> tuple["Risk", float]:
        """Return the risk on some of the rows, and what share of the whole one it makes up."""


@dataclass
class Problem:
    """Ints, the mean to be taken off them, and the risk of their scores."""

    X: Floats
    mean: Floats | None
    risk: Risk
    radius: float = 0.0
    sampled: "Problem | None" = None
    rows: Ints | None = None
    basis: Floats | None = None

    def product(self, p: Floats) -> Floats:
        """Return the scores of a direction, or of a point, shape (n,)."""
        d = self.X.shape[1]
        s: Floats = self.X @ p[:d]
        if self.risk.intercept:
            s += p[d]
        if self.mean is not None:
            s -= self.mean @ p[:d]
        return s

    def gradient(self, r: Floats, theta: Floats, lam: float) -> Floats:
        """Return the gradient in (w, b) where the risk has slope r."""
        d = self.X.shape[1]
        g = np.empty(theta.shape[0])
        total = r.sum()
        np.dot(r, self.X, out=g[:d])
        if self.mean is not None:
            g[:d] -= total * self.mean
        g[:d] += lam * theta[:d]
        if self.risk.intercept:
            g[d] = total
        return g

    def inverse_hessian(self, at: "Point", lam: float) -> Floats:
        """Return the inverse Hessian: lower triangle, Fortran order; of a sample if many rows."""
        H = self.hessian(at)
        return inverse(H if H.any() else self.steepness(at), lam, self.X.shape[1])

    def steepness(self, at: "Point") -> Floats:
        """Return what stands for the Hessian where all losses are straight: slope as curvature."""
        A = self.X if self.mean is None else self.X - self.mean
        if self.risk.intercept:
            A = np.column_stack((A, np.ones(A.shape[0])))
        H: Floats = (A.T * np.abs(at.r)) @ A
        return H

    def hessian(self, at: "Point") -> Floats:
        """Return the Hessian of the risk: exact if few rows are there, or few count at all."""
        if self.sampled is None:
            return self.risk.hessian(self.X, at.s)
        active = np.flatnonzero(at.r)
        if 0 < active.shape[0] <= SAMPLE_ROWS:
            risk, share = self.risk.subset(active)
            X = self.X[active] if self.mean is None else self.X[active] - self.mean
            return share * risk.hessian(X, at.s[active])
        return self.sampled.risk.hessian(self.sampled.X, at.s[self.rows])


def inverse(H: Floats, lam: float, d: int) -> Floats:
    """Invert a positive semidefinite matrix plus lam on its first d diagonal entries.

    A (nearly) singular one gets the smallest multiple of its diagonal on top that repairs it.
    """
    diagonal = H.reshape(-1)[:: H.shape[0] + 1]
    diagonal[:d] += lam
    ridge, floor = 1e-12, 1e-290
    for _ in range(10):
        factor, failed = dpotrf(H, lower=1)
        if not failed and (factor.diagonal() ** 2 > SINGULAR * diagonal).all():
            B: Floats
            B, failed = dpotri(factor, lower=1, overwrite_c=1)
            if not failed:
                return B
        diagonal += ridge * diagonal + floor
        ridge, floor = 100.0 * ridge, 1e-14 * float(diagonal.max())
    return np.asfortranarray(np.eye(H.shape[0]))


@dataclass
class Point:
    """Where the descent stands: parameters, scores, slope of the risk, gradient."""

    theta: Floats
    s: Floats
    r: Floats
    g: Floats


def objective(problem: Problem, s: Floats, theta: Floats, lam: float) -> float:
    """Return ``lam/2 ||w||² + risk``."""
    w = theta[: problem.X.shape[1]]
    return problem.risk.value(s) + 0.5 * lam * float(w @ w)


def point(problem: Problem, theta: Floats, lam: float, s: Floats | None = None) -> Point:
    """Evaluate a point; its scores may be known already."""
    s = problem.product(theta) if s is None else s
    r = problem.risk.slope(s)
    return Point(theta, s, r, problem.gradient(r, theta, lam))


def largest_norm(X: Floats) -> float:
    """Return the largest Euclidean norm of a row."""
    return float(np.sqrt(np.einsum("ij,ij->i", X, X).max()))


def stratified(positive: Bools, size: int) -> Ints:
    """Draw about `size` rows, half from each class, a small class as a whole; always the same."""
    rng = np.random.default_rng(positive.shape[0])
    drawn = []
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        many = rows.shape[0] > size // 2
        drawn.append(rows[rng.integers(rows.shape[0], size=size // 2)] if many else rows)
    return np.sort(np.concatenate(drawn))


def prepare(X: Floats, risk: Risk) -> tuple[Problem, Floats]:
    """Centre the rows: in a copy, or with many rows implicitly, with a centred sample beside.

    With more columns than rows the solution lies in the span of the rows, so the problem is
    turned into one with as many columns as rows.
    """
    n, d = X.shape
    mean = X.mean(axis=0) if risk.centred else np.zeros(d)
    if n <= SAMPLE_ABOVE:
        X, basis = X - mean, None
        if d > n:
            basis, right = np.linalg.qr(X.T)
            X = np.ascontiguousarray(right.T)
        return Problem(X, None, risk, largest_norm(X), basis=basis), mean
    rows, estimate = risk.sample(SAMPLE_ROWS)
    centred = X[rows] - mean
    sampled = Problem(centred, None, estimate, largest_norm(centred))
    radius = largest_norm(X) + float(np.sqrt(mean @ mean))
    return Problem(X, mean if risk.centred else None, risk, radius, sampled, rows), mean
