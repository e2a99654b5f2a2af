"""Smooth losses of single examples: logistic regression and its relatives."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.losses.loss import Loss
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import as_rows
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.objective import BLOCK, SAMPLE_ABOVE, SmoothRisk, stratified

FEW_ROWS, A_COLUMN = 5000, 25  # of a sample: at least, and for each column. Tuned, d = 10 to 400
BENT = 5000  # rows, of about which the curvature is taken that only guides steps
MANY = 3  # samples: of fewer rows all are taken, and of as many as others take exactly


class ExampleRisk(SmoothRisk):
    """The weighted mean of ``l(y, s)`` over examples."""

    anew, quick = np.inf, True

    def __init__(self, loss: Loss, y: Floats, weight: Floats | None, intercept: bool) -> None:
        self.loss, self.y, self.steepest = loss, y, loss.steepest
        self.intercept = self.centred = intercept
        self.weight = None if weight is None else weight / weight.sum()
        self.scale = 1.0 / len(y)
        self.share = self.scale if self.weight is None else self.weight  # of each row
        self._buffer = np.empty((0, 0))

    def value(self, s: Floats) -> float:
        losses = self.loss.value(self.y, s)
        if self.weight is None:
            return self.scale * float(losses.sum())
        return float(losses @ self.weight)

    def slope(self, s: Floats) -> Floats:
        r = self.loss.derivative(self.y, s)
        r *= self.share  # in place: one more array of many rows takes longer
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        root = np.sqrt(self.loss.curvature(self.y, s) * self.share)
        (n, d), size = X.shape, min(X.shape[0], BLOCK)
        if self._buffer.shape != (size, d):
            self._buffer = np.empty((size, d))
        H = np.zeros((d + 1, d + 1))
        for i in range(0, n, size):
            part = root[i : i + size]
            A = self._buffer[: part.shape[0]]
            np.multiply(X[i : i + size], part[:, None], out=A)
            H[:d, :d] += A.T @ A
            H[d, :d] += part @ A
        if not self.intercept:
            return np.ascontiguousarray(H[:d, :d])
        H[:d, d] = H[d, :d]
        H[d, d] = root @ root
        return H

    def curved(self, s: Floats, r: Floats, u: Floats) -> Floats:
        each = self.loss.curvature(self.y, s)
        each *= self.share
        return each * u

    def bend(self, s: Floats) -> float:
        some = slice(None, None, s.size // BENT | 1)  # odd: classes may take turns
        each = self.loss.curvature(self.y[some], s[some])
        if self.weight is None:
            return float(each.sum()) / each.size
        total = float(self.weight[some].sum())
        return float(each @ self.weight[some]) / total if total else 1.0

    def sampling(self, d: int) -> tuple[int, int]:
        few = max(FEW_ROWS, A_COLUMN * d)
        return max(SAMPLE_ABOVE, MANY * few), few

    def sample(self, size: int) -> tuple[Ints, SmoothRisk]:
        self.prompt, positive = True, self.y > 0  # each step of many rows takes long
        rows = stratified(positive, size)
        drawn = positive[rows]
        weight = np.ones(rows.shape[0]) if self.weight is None else self.weight[rows]
        for cls in (True, False):
            weight[drawn == cls] *= (positive == cls).sum() / max((drawn == cls).sum(), 1)
        return rows, ExampleRisk(self.loss, self.y[rows], weight, self.intercept)

    def subset(self, rows: Ints) -> tuple[SmoothRisk, float]:
        weight = np.full(rows.shape[0], self.scale) if self.weight is None else self.weight[rows]
        return ExampleRisk(self.loss, self.y[rows], weight, self.intercept), float(weight.sum())


def signs(y: npt.ArrayLike) -> Floats:
    """Return labels as -1.0 and +1.0, from booleans or from numbers with that meaning."""
    return np.asarray(2.0 * (np.asarray(y) > 0) - 1.0, dtype=np.float64)


def smooth_path(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    loss: Loss,
    lams: npt.ArrayLike,
    *,
    fit_intercept: bool = True,
    sample_weight: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int = 500,
    norms: Floats | None = None,
) -> PathResult:
    """Minimise ``lam/2 ||w||² + mean of l(y, w·x + b)`` for penalties >= 0, in any order.

    `y`: booleans, or numbers of which the positive ones are the positive class. The intercept is
    never penalised, and only the ratios of weights matter. `tol`: relative suboptimality to reach,
    certified for ``lam > 0``; for ``lam = 0`` ``gap`` is half the squared Newton decrement, an
    estimate. `norms` (n,) of the rows save time if they are known. ValueError for a loss that
    isn't smooth and convex, or a penalty below 0.
    """
    check_smooth(loss)
    X = as_rows(X)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    risk = ExampleRisk(loss, signs(y), weight, fit_intercept)
    risk.norms = norms
    return descend(X, risk, penalties(lams), tol=tol, max_iter=max_iter)


def check_smooth(loss: Loss) -> None:
    """Raise ValueError unless a loss is convex with a continuous derivative."""
    if not (loss.smooth and loss.convex):
        raise ValueError(f"{loss!r} isn't smooth and convex; this solver needs both")


def penalties(lams: npt.ArrayLike) -> Floats:
    """Return penalties as floats, or raise ValueError where one is negative or not finite."""
    values = np.atleast_1d(np.asarray(lams, dtype=np.float64))
    if values.ndim != 1 or not values.size or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"penalties must be a list of finite numbers >= 0, got {lams!r}")
    return values
