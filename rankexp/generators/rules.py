"""The nonlinear model of kotlowski2011, section 5.1: a weighted sum of decision rules."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankexp.generators.noise import FlippedModel, check_parameters, flip_labels

REGISTER = {"rules": "Rules"}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RuleTarget:
    """The sum of a_i r_i(x), each rule a conjunction of conditions on single features.

    Attributes
    ----------
    weights : ndarray of shape (n_rules,)
    features, bounds, upward : ndarrays of shape (m,)
        Of all rules' conditions in a row: the feature, its bound, and whether the condition
        holds from the bound upwards (else up to it).
    starts : ndarray of shape (n_rules,)
        Where each rule's conditions begin.
    """

    weights: Floats
    features: npt.NDArray[np.int64]
    bounds: Floats
    upward: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.int64]

    def rules(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Return which rules cover which rows, (n_rules, n)."""
        columns = np.ascontiguousarray(X.T)
        holds = np.empty((len(self.features), len(X)), dtype=np.bool_)
        for row, k, bound, up in zip(holds, self.features, self.bounds, self.upward, strict=True):
            (np.greater_equal if up else np.less_equal)(columns[k], bound, out=row)
        return np.logical_and.reduceat(holds, self.starts, axis=0)

    def __call__(self, X: Floats) -> Floats:
        """Return the sums, (n,)."""
        return self.weights @ self.rules(X).astype(np.float64)


@dataclass(frozen=True)
class Rules:
    """Thresholded sums of random decision rules with Gaussian weights, labels flipped at random.

    A rule has a number of conditions from the geometric law of rate 1/2 on {1, 2, ...}; a
    condition has a uniform feature, a uniform bound, and either direction. On average a rule
    covers a third of the cube.

    Parameters
    ----------
    p : float
        Share of positives, 0 < p < 1.
    d : int
        Number of features.
    n_rules : int
        Number of rules.
    rank_risk : float
        Bayes rank risk, in [0, 1/2).

    References
    ----------
    kotlowski2011, section 5.1.
    """

    p: float = 0.5
    d: int = 50
    n_rules: int = 50
    rank_risk: float = 0.1

    def __post_init__(self) -> None:
        check_parameters(self.p, self.rank_risk, d=self.d, n_rules=self.n_rules)

    def draw_target(self, rng: np.random.Generator) -> RuleTarget:
        """Draw the rules and their weights."""
        lengths = rng.geometric(0.5, self.n_rules)
        m = int(lengths.sum())
        return RuleTarget(
            weights=rng.standard_normal(self.n_rules),
            features=rng.integers(self.d, size=m),
            bounds=rng.random(m),
            upward=rng.random(m) < 0.5,
            starts=np.cumsum(lengths) - lengths,
        )

    def draw_model(self, rng: np.random.Generator) -> FlippedModel:
        """Draw rules, weights, and the threshold that fits them."""
        return flip_labels(self.draw_target(rng), self.d, self.p, self.rank_risk, rng)
