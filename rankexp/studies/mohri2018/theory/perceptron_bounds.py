"""How many updates the perceptron on pairs makes at most (mohri2018, exercise 10.5)."""

import numpy as np
import numpy.typing as npt

from rankexp.studies.mohri2018.theory.rademacher import table
from rankexp.theory.models import vector


def perceptron_bound(differences: npt.ArrayLike, w: npt.ArrayLike) -> float:
    """Return ``max ||z||² / rho²``, a bound on the updates of the perceptron on pairs (Novikoff).

    It starts at 0 and adds z where ``<w, z> <= 0``, in any order and over any number of passes.
    The z, `differences` (m, d), are a pair's better row less its worse. `w` (d,) ranks all pairs
    rightly (else ValueError), and rho is its least ``<w, z> / ||w||``; the largest margin gives
    the least.

    >>> round(perceptron_bound([[2.0, 1.0], [1.0, 2.0]], [1.0, 1.0]), 4)
    1.1111
    """
    Z, v = table("differences", differences), vector("w", w)
    if v.shape != Z.shape[1:]:
        raise ValueError(f"w must be of shape ({Z.shape[1]},), got {v.shape}")
    Z = Z / (np.abs(Z).max() or 1.0)  # in another unit: squares shall not overflow, nor vanish
    v = v / (np.abs(v).max() or 1.0)
    size = float(np.linalg.norm(v))
    rho = float((Z @ v).min()) / size if size > 0.0 else 0.0
    if not rho > 0.0:
        raise ValueError("w does not rank all pairs rightly: there is no margin to bound by")
    return float((Z**2).sum(axis=1).max() / rho**2)
