"""What the descent works on: a risk of scores, the rows, and how they are put together."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, Protocol
from weakref import proxy

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from rankexp.arrays import Bools, Floats, Ints
from rankexp.solvers.rows import constant_columns, dot, down, is_sparse, longest_sum, squared
from rankexp.solvers.smooth.inverse import PAIRS, Memory

SAMPLE_ABOVE = 50_000  # rows: with more, Hessians come from a sample and X isn't copied
SAMPLE_ROWS = 20_000  # of the sample: only the number of steps depends on it
BLOCK = 4096  # rows of a Hessian at once: 1.6 MB with 50 columns
SINGULAR = 1e-13  # of the diagonal: a smaller pivot is rounding, some hundred last digits
FIRST_RIDGE, RIDGE_GROWTH, MOST_RIDGES = 1e-12, 100.0, 10  # of the diagonal, for a singular one
TURNED = 1e-6  # of scores, what they are moved by: about as much is wrong, relatively
LEAST_SQUARE = 1e-12  # of the largest: a column that hardly varies
LEAST_RIDGE, RIDGE_FLOOR = 1e-290, 1e-14  # where the diagonal is 0: then a share of the largest
ROOM, FEWEST = 2, 5  # entries of sparse rows for each column and remembered step; steps at least
SOME, A_COLUMN = 1000, 10  # rows for scales of columns, which guide steps; for means. Tuned
CANCELLED = 1e-6  # of a sum: smaller differences have lost six digits and more
NOISE = 0.25 * float(np.finfo(np.float32).eps)  # grain of single precision. Measured
FAR_MEAN = 4.0  # times what the mean is by chance, for it to be worth a step. Tuned: 2 to 10


class Guess(Protocol):
    """A guess of an objective that does not need the rows."""

    @property
    def at_zero(self) -> float:
        """What the objective is, exactly, for coefficients of 0."""

    def solution(self, lam: float) -> Floats:
        """Return the coefficients (d,) with the least objective."""

    def inverse_at(self, w: Floats, lam: float) -> Floats:
        """Return the inverse Hessian there, (d, d), in Fortran order."""


class SmoothRisk(Protocol):
    """A smooth convex function of the n scores."""

    norms: Floats | None = None  # of the rows, if they are known
    intercept: bool = False  # it has a free one
    centred: bool = True  # the rows may be: there is an intercept, or only differences count
    noise: float = 0.0  # by how much the value may be off, beside rounding
    prompt: bool = False  # descents end as soon as the certificate allows, not where steps vanish
    kinked: bool = False  # it is rounded off narrowly at many kinks
    guesses: bool = False  # where it is least, and how it curves
    quick: bool = False  # slopes take less than products with the rows
    anew: float = SAMPLE_ABOVE  # rows up to which a Hessian is exact where one isn't taken first
    steepest: float = 1.0  # no curvature is above ``2 steepest (1 + value)``

    @abstractmethod
    def value(self, s: Floats) -> float:
        """Return the risk of scores."""

    @abstractmethod
    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score, shape (n,)."""

    @abstractmethod
    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in (w, b), or in w where there is no intercept."""

    def curved(self, s: Floats, r: Floats, u: Floats) -> Floats:
        """Return the second derivative in the scores times u (n,), where the slope is r."""
        if not 0.0 < (size := float(np.abs(u).max())) < np.inf:
            return 0.0 * u
        t = TURNED * (1.0 + float(np.abs(s).max())) / size
        return (self.slope(s + t * u) - r) / t

    def stiffness(self, s: Floats) -> Floats:
        """Return the second derivative in each score alone, (n,), or more than that."""
        raise TypeError(f"{type(self).__name__} does not tell")

    def bend(self, s: Floats) -> float:
        """Return the sum of the losses' curvatures at scores, or 1 where nothing tells it."""
        return 1.0

    def sampling(self, d: int) -> tuple[int, int]:
        """Return of how many rows at most the Hessian is exact, and how many are sampled else."""
        return SAMPLE_ABOVE, SAMPLE_ROWS

    def guess(self, X: Floats) -> "Guess | None":
        """Return a guess of where the objective is least, and how it curves, if there is one."""
        return None

    def sample(self, size: int) -> tuple[Ints, "SmoothRisk"]:
        """Return some of the rows, and an estimate of the risk from their scores alone."""
        raise TypeError(f"{type(self).__name__} draws no rows")

    def subset(self, rows: Ints) -> tuple["SmoothRisk", float]:
        """Return the risk on some of the rows, and what share of the whole one it makes up."""
        raise TypeError(f"{type(self).__name__} draws no rows")

    def exact(self) -> "SmoothRisk":
        """Return the same risk with less noise, if some cost makes that possible."""
        return self

    _last: tuple[Floats, Any] | None = None

    def _prepare(self, s: Floats) -> Any:
        """Return what value, slope and Hessian at the same scores share."""
        return ()

    def prepared(self, s: Floats) -> Any:
        """Return it, worked out once where scores stay the same."""
        if self._last is None or not np.array_equal(self._last[0], s):
            self._last = s.copy(), self._prepare(s)
        return self._last[1]


@dataclass
class Objective:
    """``lam/2 ||w||² + risk`` of rows."""

    X: Floats  # (n, d): centred, or in as many columns as there are rows
    mean: Floats | None  # (d,): to be taken off X, if that isn't centred itself
    risk: SmoothRisk
    norms: Floats  # (n,): of the rows, or bounds of them
    given: Floats  # (n, D): the rows as they were given
    centre: Floats  # (D,): what is taken off them
    sampled: "Objective | None" = None  # on the rows ``rows``
    rows: Ints | None = None
    known: Floats | None = None  # the inverse Hessian where a descent begins
    guess: Guess | None = None  # what gives one for any penalty
    plain: bool = False  # its columns are hardly related
    basis: Floats | None = None  # (D, d) of the span of the rows: w = basis @ theta
    sharp: float | None = None  # how well directions are found in the scores; 0: not there yet
    grain: float = 0.0  # of all slopes times the radius, in a gradient: what its rounding is

    @cached_property
    def radius(self) -> float:
        return float(self.norms.max())

    @cached_property
    def shift(self) -> float:
        return float(np.sqrt(self.centre @ self.centre))

    @cached_property
    def middle(self) -> Floats:
        """The median of the rows, (D,), which no row far away moves; 0 if uncentred or sparse."""
        plain = not self.risk.centred or is_sparse(self.X)
        return 0.0 * self.centre if plain else np.median(self.given, axis=0)

    @cached_property
    def terms(self) -> int:
        """How many products a score is a sum of, at most."""
        terms = longest_sum(self.X)
        return terms if self.basis is None else terms + self.given.shape[1]

    @cached_property
    def squares(self) -> Floats:
        """The mean squares of the columns, (d,), and 1 for an intercept; none is 0."""
        X, mean = self.X, self.mean
        some = some_rows(X, SOME)
        squares = spread(some, mean)
        if some is not X and (still := constant_columns(some)).size:
            squares[still] = spread(X[:, still], mean if mean is None else mean[still])
        squares = np.maximum(squares, LEAST_SQUARE * max(float(squares.max()), LEAST_RIDGE))
        return np.append(squares, 1.0) if self.risk.intercept else squares

    @cached_property
    def memory(self) -> Memory:
        """What steps without a Hessian have told."""
        this = proxy(self)  # no cycle of references: what holds the rows is freed at once
        if not is_sparse(self.X):
            return Memory(lambda: this.squares)
        # Steps take no more room than a few arrays of the rows do.
        pairs = min(max(self.X.size // (ROOM * self.X.shape[1]), FEWEST), PAIRS)
        return Memory(lambda: this.squares, pairs, scales=False)

    def look_along_mean(self, at: "SmoothIterate", lam: float, few: "Objective") -> None:
        """Remember how losses curve along the rows' mean, in the parameters of steps, `few`."""
        share = np.full(self.X.shape[0], 1.0 / self.X.shape[0])
        mean, level = self.pull(share), self.risk.bend(at.s)
        size, chance = self.of_weights(mean, mean), float(self.norms**2 @ share**2)
        if size > FAR_MEAN * chance and level * size > lam:  # beside it this counts
            along = few.pulled(share, mean)
            few.memory.level = level
            few.memory.remember(along, few.curved(at, along, 0.0), always=True)

    def pulled(self, r: Floats, v: Floats) -> Floats:
        """Return the gradient of the risk where it has slope r, which is v in (w, b)."""
        return v

    def reduced(self, theta: Floats) -> Floats:
        """Return parameters of the rows' own columns in those of `basis`."""
        d = self.given.shape[1]
        return theta if self.basis is None else np.append(theta[:d] @ self.basis, theta[d:])

    @cached_property
    def single(self) -> "Objective":
        """The same with rows in single precision: products take half the time, for rough steps."""
        rough = replace(self, X=self.X.astype(np.float32), grain=NOISE)
        memory = vars(self).setdefault("memory", rough.memory)  # one for both
        vars(rough).update(memory=memory, squares=self.squares)
        return rough

    def product(self, p: Floats) -> Floats:
        """Return the scores of a direction, or of a point, shape (n,)."""
        d = self.X.shape[1]
        s: Floats = np.asarray(self.X @ p[:d].astype(self.X.dtype, copy=False), dtype=np.float64)
        if self.risk.intercept:
            s += p[d]
        if self.mean is not None:
            s -= dot(self.mean, p[:d], self.X)
        return s

    def pull(self, r: Floats) -> Floats:
        """Return the gradient of the risk in (w, b) where it has slope r."""
        d = self.X.shape[1]
        g = np.empty(d + self.risk.intercept)
        total = r.sum()
        if is_sparse(self.X) or self.X.dtype == np.float32:
            g[:d] = r.astype(self.X.dtype, copy=False) @ self.X
        else:
            np.dot(r, self.X, out=g[:d])
        if self.mean is not None:
            g[:d] -= total * self.mean
        if self.risk.intercept:
            g[d] = total
        return g

    def gradient(self, r: Floats, theta: Floats, lam: float) -> Floats:
        """Return the gradient in (w, b) where the risk has slope r."""
        g, d = self.pull(r), theta.size - self.risk.intercept
        g[:d] += lam * theta[:d]
        return g

    def inner(self, u: Floats, v: Floats) -> float:
        """Return the inner product of two points, or directions."""
        return float(u @ v)

    def length(self, v: Floats) -> float:
        """Return the norm of a direction; 0 where rounding makes its square negative."""
        return sqrt(max(self.inner(v, v), 0.0))

    def of_weights(self, u: Floats, v: Floats) -> float:
        """Return it without the intercepts."""
        d = self.X.shape[1]
        return float(u[:d] @ v[:d])

    def lifted(self, theta: Floats) -> Floats:
        """Return (w, b) of parameters."""
        return theta

    def curved(self, at: "SmoothIterate", p: Floats, lam: float) -> Floats:
        """Return the product of the Hessian at a point with a vector."""
        return self.gradient(self.risk.curved(at.s, at.r, self.product(p)), p, lam)

    def at(self, theta: Floats, lam: float) -> "SmoothIterate":
        s = self.product(theta) if theta.any() else np.zeros(self.X.shape[0])
        r = self.risk.slope(s)
        return SmoothIterate(theta, s, r, self.gradient(r, theta, lam))

    def inverse_hessian(self, at: "SmoothIterate", lam: float, again: bool = False) -> Floats:
        """Return the inverse Hessian: lower triangle, Fortran order; of a sample if many rows."""
        if self.known is not None:
            B, self.known = self.known, None
            return B
        if self.guess is not None and not again:
            return self.guess.inverse_at(at.theta, lam)
        H = self.hessian(at, again)
        if not H.any():  # all losses are straight: the slope stands for the curvature
            A = self.X if self.mean is None else self.X - self.mean
            if self.risk.intercept:
                A = np.column_stack((A, np.ones(A.shape[0])))
            H = (A.T * np.abs(at.r)) @ A
        return inverse(H, lam, self.X.shape[1])

    def hessian(self, at: "SmoothIterate", again: bool) -> Floats:
        """Return the Hessian of the risk: exact if few rows are there, or few count at all."""
        many = self.guess is not None and self.X.shape[0] > self.risk.sampling(self.X.shape[1])[0]
        if not many and (not self.sampled or (again and self.X.shape[0] <= self.risk.anew)):
            H = self.risk.hessian(self.X, at.s)
            if self.mean is None or not self.risk.intercept:
                return H
            T = np.eye(H.shape[0])  # the scores are those of X, with the mean off the intercept
            T[-1, :-1] = -self.mean
            return np.asarray(T.T @ H @ T)
        if self.sampled is None:
            rows, risk = self.risk.sample(self.risk.sampling(self.X.shape[1])[1])
            return risk.hessian(self.X[rows], at.s[rows])
        active = np.flatnonzero(at.r)
        if 0 < active.shape[0] <= self.risk.sampling(self.X.shape[1])[1]:
            risk, share = self.risk.subset(active)
            X = self.X[active] if self.mean is None else self.X[active] - self.mean
            return share * risk.hessian(X, at.s[active])
        return self.sampled.risk.hessian(self.sampled.X, at.s[self.rows])


@dataclass
class SmoothIterate:
    """A point of the descent: parameters, scores, slope of the risk, gradient."""

    theta: Floats
    s: Floats
    r: Floats
    g: Floats


def inverse(H: Floats, lam: float, d: int) -> Floats:
    """Invert a positive semidefinite matrix plus lam on its first d diagonal entries."""
    # A (nearly) singular one gets the smallest repairing multiple of its diagonal on top.
    diagonal = H.reshape(-1)[:: H.shape[0] + 1]
    diagonal[:d] += lam
    ridge, floor = FIRST_RIDGE, LEAST_RIDGE
    for _ in range(MOST_RIDGES):
        factor, failed = dpotrf(H, lower=1)
        if not failed and (factor.diagonal() ** 2 > SINGULAR * diagonal).all():
            B, failed = dpotri(factor, lower=1, overwrite_c=1)
            if not failed:
                return np.asarray(B)
        diagonal += ridge * diagonal + floor
        ridge, floor = RIDGE_GROWTH * ridge, RIDGE_FLOOR * float(diagonal.max())
    return np.asfortranarray(np.eye(H.shape[0]))


def gram(X: Floats, weight: Floats) -> Floats:
    """Return ``X' diag(weight) X`` for weights >= 0, in blocks of rows."""
    (n, d), root = X.shape, np.sqrt(weight)
    buffer, H = np.empty((min(n, BLOCK), d)), np.zeros((d, d))
    for i in range(0, n, BLOCK):
        part = root[i : i + BLOCK, None]
        A = np.multiply(X[i : i + BLOCK], part, out=buffer[: part.size])
        H += A.T @ A
    return H


def some_rows(X: Floats, most: int) -> Floats:
    """Return every k-th row, k odd, if far more than `most` are there; sparse ones all."""
    every = 1 if is_sparse(X) else max(X.shape[0] // most - 1, 0) | 1
    return X[::every] if every > 1 else X


def spread(X: Floats, mean: Floats | None) -> Floats:
    """Return the mean squares of the columns, (d,), once means are taken off."""
    n, share = X.shape[0], np.full(X.shape[0], 1.0 / X.shape[0])
    if is_sparse(X):  # their means, if any
        return np.maximum(down(X, share, squared) - (0.0 if mean is None else mean**2), 0.0)
    squares: Floats = np.einsum("ij,ij->j", X, X) / n
    if mean is None:
        return squares
    about = squares - mean * (2.0 * (share @ X) - mean)  # a third of a copy's time
    if (few := np.flatnonzero(~(about > CANCELLED * squares))).size:
        A = X[:, few] - mean[few]
        about[few] = np.einsum("ij,ij->j", A, A) / n
    return about


def stratified(positive: Bools, size: int) -> Ints:
    """Draw about `size` rows, half from each class, a small class as a whole; always the same."""
    rng = np.random.default_rng(positive.shape[0])
    half, classes = size // 2, (np.flatnonzero(positive), np.flatnonzero(~positive))
    drawn = [at[rng.integers(at.size, size=half)] if at.size > half else at for at in classes]
    return np.sort(np.concatenate(drawn))
