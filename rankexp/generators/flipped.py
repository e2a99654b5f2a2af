"""Both models of kotlowski2011, section 5.1: a thresholded target, labels flipped at random."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, starmap
from math import sqrt
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.blas import threads_for
from rankexp.generators.generator import check_count

REGISTER = {"linear": "Linear", "rules": "Rules"}

Target = Callable[[Floats], Floats]

DRAWS = 200_000
_ROUNDING = 1e-12  # sums of the same weights in another order differ by less


def check_parameters(p: float, rank_risk: float, **counts: int) -> None:
    """Raise ValueError with the range allowed if a parameter is impossible."""
    if not 0 < p < 1:
        raise ValueError(f"p={p}: the share of positives must be between 0 and 1, exclusive")
    if not 0 <= rank_risk < 0.5:
        raise ValueError(f"rank_risk={rank_risk}: the Bayes rank risk must be in [0, 0.5)")
    for name, count in counts.items():
        check_count(name, count)


def solve_flips(p: float, rank_risk: float) -> tuple[float, float]:
    """Return the flip probability kappa and the clean prior q that give a Bayes rank risk."""
    # With q = (p - kappa) / (1 - 2 kappa) the formula of `bayes_rank_risk` is a quadratic equation
    # for kappa, real for every rank_risk in [0, ½); its smaller root is meant.
    u = p * (1 - p)
    b = 1 - 2 * u + 4 * rank_risk * u
    kappa = 4 * rank_risk * u / (b + sqrt(b * b - 8 * rank_risk * u))
    return kappa, (p - kappa) / (1 - 2 * kappa)


def bayes_rank_risk(q: float, kappa: float) -> float:
    """Return the Bayes rank risk for a clean prior and a flip probability."""
    # A pair from different sides of the threshold is lost if both labels flipped, half of a pair
    # from the same side because it ties.
    p = kappa + (1 - 2 * kappa) * q
    lost = q * (1 - q) * kappa**2 + 0.5 * kappa * (1 - kappa) * (q**2 + (1 - q) ** 2)
    return lost / (p * (1 - p))


@dataclass(frozen=True)
class FlippedModel:
    """Features uniform on the unit cube, labels of a thresholded target, flipped at random.

    The clean label is +1 where the `target`, a function X (n, d) -> (n,) of each row alone,
    reaches the `threshold` (minus the paper's a_0); `kappa` is the probability of a flip, `prior`
    P(y = 1) after noise, `bayes_rank_risk` the rank loss of ``eta``, the least of all scorers.
    """

    target: Target
    threshold: float
    d: int
    prior: float
    bayes_rank_risk: float
    kappa: float

    levels = (-1, 1)

    def clean(self, X: Floats) -> Bools:
        """Return which rows are positive before noise, (n,)."""
        return np.asarray(self.target(X) - self.threshold >= -_ROUNDING)

    def eta(self, X: Floats) -> Floats:
        """Return P(y = 1 | x), (n,): kappa or 1 - kappa."""
        return np.where(self.clean(X), 1 - self.kappa, self.kappa)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw X (n, d), float64 in C order, and y (n,) of -1 and 1."""
        X = rng.random((n, self.d))
        return X, 2 * (self.clean(X) ^ (rng.random(n) < self.kappa)).astype(np.int64) - 1


def flip_labels(
    target: Target, d: int, p: float, rank_risk: float, rng: np.random.Generator
) -> FlippedModel:
    """Return the model that thresholds and flips a target to have a prior and a Bayes rank risk.

    The threshold is the empirical (1-q) quantile of the target over 200,000 draws: the share of
    clean positives is q but for an SD of about .001. If atoms of the target (few rules) leave
    it further away, ``prior`` and ``bayes_rank_risk`` are those of the model, not those asked for.
    """
    kappa, q = solve_flips(p, rank_risk)
    # Feature by feature in memory, as a target that looks at single features likes it.
    sums = np.concatenate([target(rng.random((d, DRAWS // 20)).T) for _ in range(20)])
    threshold = float(np.quantile(sums, 1 - q))
    share = float(np.mean(sums - threshold >= -_ROUNDING))
    if abs(share - q) > 2 * sqrt(q * (1 - q) / DRAWS):
        p, rank_risk = kappa + (1 - 2 * kappa) * share, bayes_rank_risk(share, kappa)
    return FlippedModel(target, threshold, d, p, rank_risk, kappa)


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
                cover &= columns[feature] >= bound if upward else columns[feature] <= bound
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
