"""Newton's method for rounded risks of sparse rows: in the scores, where products take long.

A band that narrows makes the risk steep in some scores and leaves it flat in others. Conjugate
gradients in the weights then take hundreds of products. With ``K = X X'``, L the curvature of the
risk in the scores and ``X' r`` the gradient, the direction is ``X' (r - L u) / lam``, where u
solves ``(lam L + L K L) u = L K r``. That system can be scaled by each score's own curvature.
"""

from math import sqrt

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.smooth.conjugate import MOST_PRODUCTS, Conjugate, NewtonDescent

FEW_PRODUCTS = 30  # in the weights, before those in the scores are tried. Tuned
SHARPER, SHARPEST = 0.2, 1e-4  # of the goal in the weights, in the scores: of late, and at most
SLOW = 0.5  # of the gradient, what a step must not leave: else the next direction is better
FLAT = 1e-12  # of the largest curvature of a score, what counts as none
ENOUGH = 4  # products for each row: in exact numbers 1 would do, and more only rounds
SAFE = 0.5  # of the goal, where an estimate of the rest has fallen short


class InScores(Conjugate):
    """The inverse Hessian, found in the scores where a problem in its rows asks for it."""

    def times(self, g: Floats) -> Floats:
        problem = self.problem
        if not problem.sharp:
            self.most = MOST_PRODUCTS if problem.sharp is None else FEW_PRODUCTS
            q = super().times(g)
            if problem.sharp is None or self.left <= self.goal:
                return q
            problem.sharp = SHARPER
        return self._scaled(g, problem.sharp * self.goal)

    def _scaled(self, g: Floats, goal: float) -> Floats:
        problem, at, lam, n = self.problem, self.at, self.lam, self.problem.X.shape[0]
        out, trust, squares = g.copy(), 1.0, problem.norms**2
        steep = problem.risk.stiffness(at.s)
        some = steep > FLAT * float(steep.max())
        inverse = np.where(some, 1.0 / np.where(some, steep * (lam + steep * squares), 1.0), 0.0)
        rest = problem.risk.curved(at.s, at.r, g[n:])
        p = inverse * rest
        size = float(rest @ p)
        for _ in range(min(MOST_PRODUCTS, ENOUGH * n)):
            pulled = problem.pull(problem.risk.curved(at.s, at.r, p))  # L p, and K L p
            Ap = lam * pulled[:n] + problem.risk.curved(at.s, at.r, pulled[n:])
            bend = float(p @ Ap)
            if not bend > 0.0 or not size > 0.0:
                break
            out -= (size / bend) * pulled
            rest -= (size / bend) * Ap
            about = sqrt(float(squares @ rest**2)) / lam  # as if rows were orthogonal
            if about <= trust * goal:
                if (left := problem.length(problem.pull(rest)) / lam) <= goal:
                    break
                trust *= SAFE * goal / left
            z = inverse * rest
            new = float(rest @ z)
            p, size = z + (new / size) * p, new
        return out / lam


class RoundedDescent(NewtonDescent):
    """The descent for one penalty and one band."""

    solver = InScores
    before = np.inf  # the gradient of the last step

    def refresh(self) -> None:
        """Take the Hessian at this point; solve better with it where the last step was slow."""
        problem, size, sharp = self.problem, self.problem.length(self.at.g), self.problem.sharp
        if sharp is not None and self.n_iter > 1 and size > SLOW * self.before:
            problem.sharp = SHARPER * (sharp or 1.0)
            if problem.sharp < SHARPEST:  # steps may go to and fro between kinks
                problem.sharp = 0.0
        self.before = size
        super().refresh()
