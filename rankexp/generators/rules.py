"""The nonlinear model of kotlowski2011, section 5.1: a weighted sum of decision rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, starmap
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats
from rankexp.generators.noise import FlippedModel, check_parameters, flip_labels

REGISTER = {"rules": "Rules"}


class Condition(NamedTuple):
    """A feature reaches a bound, or (not upward) stays at or below it."""

    feature: int
    upward: bool
    bound: float


@dataclass(frozen=True)
class RuleTarget:
    """The sum of a_i r_i(x), each rule a conjunction of conditions on single features."""

    weights: tuple[float, ...]
    rules: tuple[tuple[Condition, ...], ...]

    def covered(self, X: Floats) -> Iterator[Bools]:
        """Yield, rule by rule, which rows it covers, (n,)."""
        columns = np.ascontiguousarray(X.T)
        for conditions in self.rules:
            cover = np.ones(len(X), dtype=np.bool_)
            for feature, upward, bound in conditions:
                compare = np.greater_equal if upward else np.less_equal
                cover &= compare(columns[feature], bound)
            yield cover

    def __call__(self, X: Floats) -> Floats:
        """Return the sums, (n,), added up rule by rule: a row's bits depend on it alone."""
        total = np.zeros(len(X))
        for weight, cover in zip(self.weights, self.covered(X), strict=True):
            total += weight * cover
        return total


@dataclass(frozen=True)
class Rules:
    """Thresholded sums of random decision rules with Gaussian weights, labels flipped at random.

    A rule has a number of conditions from the geometric law of rate 1/2 on {1, 2, ...}; a
    condition has a uniform feature, a uniform bound, and either direction. On average a rule
    covers a third of the cube. It is the nonlinear model of kotlowski2011, section 5.1.

    Parameters
    ----------
    p, d, rank_risk
        As for `Linear`.
    n_rules : int
        Number of rules.
    """

    p: float = 0.5
    d: int = 50
    n_rules: int = 50
    rank_risk: float = 0.1

    levels = FlippedModel.levels

    def __post_init__(self) -> None:
        check_parameters(self.p, self.rank_risk, d=self.d, n_rules=self.n_rules)

    def draw_target(self, rng: np.random.Generator) -> RuleTarget:
        """Draw the rules and their weights."""
        lengths = rng.geometric(0.5, self.n_rules)
        m = int(lengths.sum())
        features, upward = rng.integers(self.d, size=m), rng.random(m) < 0.5
        drawn = zip(features.tolist(), upward.tolist(), rng.random(m).tolist(), strict=True)
        conditions = starmap(Condition, drawn)
        rules = tuple(tuple(islice(conditions, int(length))) for length in lengths)
        return RuleTarget(tuple(rng.standard_normal(self.n_rules).tolist()), rules)

    def draw_model(self, rng: np.random.Generator) -> FlippedModel:
        """Draw rules, weights, and the threshold that fits them."""
        return flip_labels(self.draw_target(rng), self.d, self.p, self.rank_risk, rng)
