"""Newton's method where a Hessian is never written out: its products with vectors are enough.

Each direction is found by conjugate gradients, which the steps of the descent by limited memory
precondition (Morales and Nocedal 2000). It takes over where that descent is slow: of sparse rows
with a small penalty, which nearly fit their labels.
"""

from math import inf, sqrt

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.smooth.inverse import Inverse, Memory
from rankexp.solvers.smooth.limited import LimitedDescent
from rankexp.solvers.smooth.objective import Objective, SmoothIterate
from rankexp.solvers.smooth.steps import Descent

FORCED = 0.1  # of the gradient, what a first direction leaves of it. Tuned; later ones leave less
LEFT = 0.3  # of the gradient that the certificate allows, what a direction need not go below
MOST_PRODUCTS = 500  # for a direction: one that is cut short goes down, too


class Conjugate(Inverse):
    """The inverse Hessian at a point, whose products leave a rest of no more than `goal`."""

    most, left = MOST_PRODUCTS, inf

    def __init__(
        self, problem: Objective, at: SmoothIterate, lam: float, memory: Memory, goal: float
    ) -> None:
        self.problem, self.at, self.lam, self.memory, self.goal = problem, at, lam, memory, goal

    @property
    def last(self) -> float:
        return self.memory.last

    def times(self, g: Floats) -> Floats:
        """Return about what the inverse Hessian makes of a vector."""
        q, rest, inner = np.zeros(g.size), g.copy(), self.problem.inner
        z = self.memory.times(rest)
        p, size = z, inner(rest, z)
        for _ in range(self.most):
            Hp = self.problem.curved(self.at, p, self.lam)
            bend = inner(p, Hp)
            if not bend > 0.0 or not size > 0.0:
                break
            q += (size / bend) * p
            rest -= (size / bend) * Hp
            self.left = self.problem.length(rest)
            if self.left <= self.goal:
                break
            z = self.memory.times(rest)
            new = inner(rest, z)
            p, size = z + (new / size) * p, new
        return q if q.any() else z

    def follow(self, q: Floats, moved: Floats, g: Floats, new: Floats) -> tuple[Floats, float]:
        """Remember a step; the Hessian is taken at the next point in any case."""
        return self.memory.follow(q, moved, g, new)


class NewtonDescent(LimitedDescent):
    """The descent for one penalty, by Newton's directions."""

    most_slow, solver = 0.0, Conjugate
    enough, vain = Descent.enough, Descent.vain

    def refresh(self) -> None:
        """Take the Hessian at this point."""
        size = self.problem.length(self.at.g)
        self.start = self.start if self.n_iter else size
        allowed = LEFT * sqrt(2.0 * self.lam * self.tol * max(self.objective, 0.0))
        goal = max(allowed, min(FORCED, size / self.start if self.start else 0.0) * size)
        self.inverse = self.solver(self.problem, self.at, self.lam, self._memory(), goal)
        self.begin()

    def near(self) -> bool:
        """Return whether the certificate may do; without a penalty, whether little is left."""
        return super().near() if self.lam else Descent.near(self)
