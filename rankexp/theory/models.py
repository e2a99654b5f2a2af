"""What theorems need: a model's densities and sums over x, costs of pairs, minima."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats


class KnownClasses(Protocol):
    """A model whose classes have known densities; `nodes` is what sums over x need, if any."""

    @property
    def priors(self) -> tuple[float, ...]:
        """Shares of the classes, worst first, (K,)."""

    def log_densities(self, X: Floats) -> Floats:
        """Return the log densities of rows X (n, d) in each class, (n, K)."""


def log_densities(model: KnownClasses, X: npt.ArrayLike, classes: int | None = None) -> Floats:
    """Return the log densities of rows X (n, d) in each class of a model, (n, K), all checked."""
    _check_known(model)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X must be of shape (n, d), got {X.shape}")
    logs = np.asarray(model.log_densities(X))
    if classes is not None and logs.shape[1] != classes:
        raise ValueError(f"known for {classes} classes; the model has {logs.shape[1]}")
    return logs


def log_joint(model: KnownClasses, X: npt.ArrayLike, classes: int | None = None) -> Floats:
    """Return the logs of prior times density, (n, K), as `log_densities` does."""
    return np.asarray(log_densities(model, X, classes) + np.log(model.priors))


def log_masses(model: KnownClasses) -> Floats:
    """Return the logs of P(y = level, x) at points that stand for all x, perhaps by quadrature."""
    _check_known(model)
    if not hasattr(model, "nodes"):
        raise ValueError(
            f"{type(model).__name__}: expectations over x are computed for one feature, or "
            "finitely many points"
        )
    X, weights = model.nodes()
    return np.asarray(log_joint(model, X) + np.log(weights)[:, None])


def _check_known(model: KnownClasses) -> None:
    if not hasattr(model, "log_densities"):
        raise ValueError(
            f"{type(model).__name__} does not know the densities of its classes; the models of "
            "the generators 'gaussian' and 'discrete' do"
        )


CRITERIA = ("u_pairs", "u_ovo", "u_cons")


def costs_of(criterion: str, priors: npt.ArrayLike) -> Floats:
    """Return the costs (K, K) with which 1 minus a criterion is the expected ranking risk.

    Above the diagonal, up to a factor: 1; 1 / (P_j P_i) for the mean over pairs of levels; for
    the mean over cuts the sum of 1 / (P(y <= l) P(y > l)) over the cuts l between j and i
    (uematsu2010, "Multipartite version of AUC"). The priors may also be counts, worst level first.
    """
    p = np.asarray(priors, dtype=np.float64)
    if p.ndim != 1 or not (p > 0.0).all():
        raise ValueError(f"priors must be positive numbers of shape (K,), got {p.tolist()}")
    if criterion == "u_pairs":
        costs = np.ones((len(p), len(p)))
    elif criterion == "u_ovo":
        costs = 1.0 / np.outer(p, p)
    elif criterion == "u_cons":
        below = np.cumsum(p)[:-1]
        to = np.r_[0.0, np.cumsum(1.0 / (below * (p.sum() - below)))]
        costs = to - to[:, None]
    else:
        raise ValueError(f"unknown criterion '{criterion}'; known: {', '.join(CRITERIA)}")
    return np.triu(costs, 1)


Evaluate = Callable[[Floats], tuple[float, Floats, Floats] | None]

STEPS, TOLERANCE = 100, 1e-12
SMALL = 1e-6  # of a step: from here on they shrink fast, or not at all
REACH = 4.0  # a step's largest change of a difference: beyond, exponentials are no parabolas
DAMPINGS = (1e-14, 1e-9, 1e-4, 1.0)  # in units of the curvatures
NOISE = 1e-14  # error of a value, which is a sum whose terms are of size 1, or of its own size
FLAT = "no minimum found: levels overlap too little; bring them nearer to each other"


def minimise(evaluate: Evaluate, start: Floats) -> Floats:
    """Return the minimiser of a convex function of differences; ValueError if there is none."""
    # `evaluate` gives value, gradient and Hessian, or None where it is not defined. A step is cut
    # until the value falls enough. If a fall is too small to be seen, the slope at the step's end
    # decides: unless the step halves it, only rounding is left.
    x, found, before = start, evaluate(start), np.inf
    assert found is not None
    for _ in range(STEPS):
        value, gradient, hessian = found
        step = _step(gradient, hessian)
        far = float(np.ptp(step))
        stalled = before <= SMALL and far > before / 2  # only rounding is left of the gradient
        if stalled or far <= TOLERANCE * (1.0 + np.ptp(x)):
            return x
        before = far
        step *= min(1.0, REACH / far)
        slope = float(gradient @ step)
        if far <= REACH and -slope <= NOISE * (1.0 + abs(value)):
            trial = evaluate(x + step)
            if trial is None or abs(float(trial[1] @ step)) > -slope / 2:
                return x
            x, found = x + step, trial
        else:
            size, found = _shortened(evaluate, x, step, value, slope)
            x = x + size * step
    raise ValueError(FLAT)


def _shortened(
    evaluate: Evaluate, x: Floats, step: Floats, value: float, slope: float
) -> tuple[float, tuple[float, Floats, Floats]]:
    """Return the part of a step that lowers the value as its slope promises, and what is there."""
    size = 1.0
    while size >= SMALL:
        trial = evaluate(x + size * step)
        if trial and trial[0] <= value + 1e-4 * size * slope + NOISE * (1.0 + abs(value)):
            return size, trial
        size /= 2
    raise ValueError(FLAT)


def _step(gradient: Floats, hessian: Floats) -> Floats:
    """Solve in units in which all curvatures are 1, as they may differ by many powers of ten."""
    # Where rounding of nearly dependent curvatures turns the step uphill, they are damped.
    unit = np.sqrt(np.maximum(np.diag(hessian), 0.0))
    unit = np.maximum(unit, 1e-12 * unit.max()) + 1e-150
    scaled = hessian / unit[:, None] / unit
    scaled += np.outer(unit, unit) / (unit @ unit)  # of what adding a constant does not change
    for damping in DAMPINGS:
        with np.errstate(over="ignore", invalid="ignore"), suppress(np.linalg.LinAlgError):
            damped = scaled + damping * np.eye(len(unit))
            step = np.asarray(np.linalg.solve(damped, -gradient / unit) / unit)
            if np.isfinite(step).all() and gradient @ step <= 0.0:
                return step
    raise ValueError(FLAT)


class Approximation(NamedTuple):
    """A number and its standard error, 0 where it is exact."""

    value: float
    se: float


def check_positive(**values: float) -> None:
    """Raise ValueError unless all are finite numbers above 0."""
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise ValueError(f"{name}={value}: expected a finite number above 0")


def vector(name: str, value: npt.ArrayLike, axes: int = 1) -> Floats:
    """Return finite numbers with one axis, at least one; ValueError for others."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim != axes or array.size == 0 or not np.isfinite(array).all():
        words = "one axis" if axes == 1 else "two axes"
        raise ValueError(f"{name} must be finite, with {words}, got shape {array.shape}")
    return array
