"""The linear model of kotlowski2011, section 5.1."""

from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Floats
from rankexp.blas import threads_for
from rankexp.generators.noise import FlippedModel, check_parameters, flip_labels

REGISTER = {"linear": "Linear"}


@dataclass(frozen=True)
class LinearTarget:
    """The sum of a_i x_i, with the weights (d,)."""

    weights: Floats

    def __call__(self, X: Floats) -> Floats:
        """Return the sums, (n,)."""
        with threads_for(*X.shape):
            return X @ self.weights


@dataclass(frozen=True)
class Linear:
    """Thresholded sums of uniform features with Gaussian weights, labels flipped at random.

    It is the linear model of kotlowski2011, section 5.1.

    Parameters
    ----------
    p : float
        Share of positives, 0 < p < 1.
    d : int
        Number of features.
    rank_risk : float
        Bayes rank risk, in [0, 1/2).
    """

    p: float = 0.5
    d: int = 50
    rank_risk: float = 0.1

    levels = FlippedModel.levels

    def __post_init__(self) -> None:
        check_parameters(self.p, self.rank_risk, d=self.d)

    def draw_model(self, rng: np.random.Generator) -> FlippedModel:
        """Draw weights from N(0, 1) and the threshold that fits them."""
        target = LinearTarget(rng.standard_normal(self.d))
        return flip_labels(target, self.d, self.p, self.rank_risk, rng)
