"""What a descent takes for the inverse of the Hessian: a matrix, or the steps of late."""

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg.blas import daxpy, dsymv, dsyr2

from rankexp.arrays import Floats

LEAST_CURVATURE = 1e-300  # below it a division overflows: the inverse stays as it is
PAIRS = 20  # steps that are remembered. Tuned: 10 to 30 differ little
CURVATURE = 0.25  # of the losses, before a step was taken: the first one is searched for


class Inverse(Protocol):
    """What stands for the inverse Hessian."""

    @property
    def last(self) -> float:
        """What it has for the intercept alone."""

    def times(self, g: Floats) -> Floats:
        """Return the product with a vector."""

    def follow(self, q: Floats, moved: Floats, g: Floats, new: Floats) -> tuple[Floats, float]:
        """Learn from a step to the gradient `new`; return B new and new·B new. ``q = B g``."""


class Dense(Inverse):
    """A matrix, changed by each step (BFGS)."""

    def __init__(self, B: Floats) -> None:
        self.B = B  # lower triangle, Fortran order

    @property
    def last(self) -> float:
        return float(self.B[-1, -1])

    def times(self, g: Floats) -> Floats:
        p: Floats = dsymv(1.0, self.B, g, lower=1)
        return p

    def follow(self, q: Floats, moved: Floats, g: Floats, new: Floats) -> tuple[Floats, float]:
        p = self.times(new)
        y = new - g
        By = p - q
        if not (sy := float(moved @ y)) > LEAST_CURVATURE:
            return p, float(new @ p)
        v = (0.5 * (1.0 + float(y @ By) / sy)) * moved - By
        p = p + moved * (float(v @ new) / sy) + v * (float(moved @ new) / sy)
        self.B = dsyr2(1.0 / sy, moved, v, a=self.B, lower=1, overwrite_a=1)
        return p, float(new @ p)


Step = tuple[Floats, Floats, float | None]
"""A step, what it changed the gradient by, and how much losses curved; None has the penalty in."""


class Memory:
    """The last steps, and what they changed the gradient of the risk by, for any penalty.

    Where classes come apart, scores grow and all losses become straighter, about alike. So a step
    is taken to change the gradient by as much less as losses curve less now (`level`) than then,
    if it `scales`: with many columns of sparse rows that takes longer than it saves.
    """

    def __init__(
        self,
        squares: Callable[[], Floats],
        pairs: int = PAIRS,
        scales: bool = True,
        inner: Callable[[Floats, Floats], float] = np.dot,
    ) -> None:
        self._squares, self.curvature = squares, CURVATURE
        self.pairs, self.scales, self.fixed, self.inner = pairs, scales, 0, inner
        self.steps: list[Step] = []
        self.ridge: Floats | float = 0.0
        self.last = self.level = 1.0

    @cached_property
    def squares(self) -> Floats:
        """The means of columns' squares, (k,), worked out when they are asked for."""
        return self._squares()

    def penalise(self, ridge: Floats) -> None:
        """Go on with another penalty, (k,)."""
        for moved, changed, level in self.steps:
            if level is None:  # then the penalty is in it
                np.add(changed, (ridge - self.ridge) * moved, out=changed)
        self.ridge = ridge

    def times(self, g: Floats) -> Floats:
        """Return about what the inverse Hessian makes of a vector (Nocedal 1980: two loops)."""
        q, kept = g.copy(), []
        for moved, changed, level in reversed(self.steps):
            y = changed if level is None else (self.level / level) * changed + self.ridge * moved
            share = 1.0 / float(self.inner(y, moved))
            a = share * float(self.inner(moved, q))
            q = daxpy(y, q, a=-a)
            kept.append((moved, y, share, a))
        q /= self.curvature * self.squares + self.ridge
        for moved, y, share, a in reversed(kept):
            q = daxpy(moved, q, a=a - share * float(self.inner(y, q)))
        return q

    def remember(self, moved: Floats, changed: Floats, always: bool = False) -> None:
        """Remember a step and what it changes the risk's gradient by, if that curves upwards."""
        sy = float(self.inner(moved, changed))
        if not (sy > 0.0 and self.pairs):
            return
        if not always:
            y, bend = changed, sy  # beside the directions that are always remembered
            for m, Hm, _ in self.steps[: self.fixed]:
                share = float(self.inner(m, changed)) / float(self.inner(m, Hm))
                y, bend = y - share * Hm, bend - share * float(self.inner(moved, Hm))
            if bend > 0.0:
                self.curvature = float(self.inner(y, y / self.squares)) / bend
        step: Step = (moved, changed, self.level)
        if not (self.scales or always):
            step = (moved, changed + self.ridge * moved, None)
        late = self.steps[self.fixed :][1 - self.pairs :]
        self.steps = [*self.steps[: self.fixed], *late, step]
        self.fixed += always

    def follow(self, q: Floats, moved: Floats, g: Floats, new: Floats) -> tuple[Floats, float]:
        """Remember a step."""
        self.remember(moved, new - g - self.ridge * moved)
        p = self.times(new)
        return p, float(self.inner(new, p))
