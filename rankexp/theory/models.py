"""Ask a model for what theorems need: densities of its classes, and sums over x."""

from typing import Protocol

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
