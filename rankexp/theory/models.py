"""What theorems need: a model's densities and sums over x."""

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
    if (X := np.asarray(X, dtype=np.float64)).ndim != 2:
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
        text = f"{type(model).__name__}: expectations over x are computed for one feature"
        raise ValueError(f"{text}, or finitely many points")
    X, weights = model.nodes()
    return np.asarray(log_joint(model, X) + np.log(weights)[:, None])


def _check_known(model: KnownClasses) -> None:
    if not hasattr(model, "log_densities"):
        text = f"{type(model).__name__} does not know the densities of its classes"
        raise ValueError(f"{text}; the models of the generators 'gaussian' and 'discrete' do")


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
