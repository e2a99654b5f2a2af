"""Compare boosters' errors by round, and how fast they reach the least pair loss."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rankexp.arrays import Bools, Floats, Ints
from rankexp.checks.check import Problem, Rows, of_data, quantities
from rankexp.estimators.or_boost import ORBoost
from rankexp.estimators.rank_boost import RankBoost
from rankexp.estimators.smooth_margin import SmoothMarginRanker
from rankexp.generators.flipped import Linear
from rankexp.metrics.bipartite import rank_loss
from rankexp.solvers.boosting.stumps import cuts_of
from rankexp.studies.mohri2018.theory.boosting_bounds import training_error_bound

REGISTER = {"boosting_rounds": "boosting_rounds", "boosters_on_data": "boosters_on_data"}

BOOSTERS = {"RankBoost": RankBoost, "AdaBoost": ORBoost, "smooth margin": SmoothMarginRanker}
MARGIN = "least margin"
Sample = tuple[Floats, Floats | Ints]
SMOOTHING = 1e-9  # of coefficients: none, but for infinite ones
STEPS = 20  # rounds that are told, in equal ratios
COMPARED = ("RankBoost", "AdaBoost")
NEAR = 0.01  # of the way from 1, the loss of no round, to the least
RESOLUTION = 1e-9  # of what is known of the least


def boosting_rounds(
    rng: np.random.Generator,
    *,
    rounds: int = 100,
    n: int = 100,
    d: int = 5,
    noise: float = 0.1,
    n_cuts: int = 255,
    test: int = 1000,
) -> Rows:
    """Boost on one sample by RankBoost, by AdaBoost and for a smooth margin.

    A model with d features (two or more) and the Bayes rank risk `noise` (0 leaves classes that
    can be told apart) gives n examples, 20 or more, and a test set; `n_cuts` counts the thresholds
    of a feature. ValueError for other numbers.

    Rows by `step`, the round, of "RankBoost", "AdaBoost" (on the same stumps) and "smooth margin":
    `training error of`, the share of pairs not in order, ties too; `pair loss of`, the mean of
    exp(-(s - s')) over these, which RankBoost lowers and which is the square of AdaBoost's loss at
    its best threshold, so both have the same minimiser; `least margin of`, over the largest
    possible; `test error of`, where a tie counts ½. `bound by edges` is (10.13) of RankBoost, and
    `gain of smooth margin` is in the least margin, over RankBoost (mohri2018, Theorem 10.3, 10.5.1
    and 10.8).
    """
    if min(rounds, d, n_cuts, test) < 2 or n < 20 or not 0.0 <= noise < 0.5:
        raise ValueError(
            f"rounds={rounds}, n={n}, d={d}, n_cuts={n_cuts}, test={test}, noise={noise}: "
            "expected 2 or more, 20 examples or more, and a rank risk below 1/2"
        )
    model = Linear(d=d, rank_risk=noise).draw_model(rng)
    samples = model.sample(n, rng), model.sample(test, rng)
    given: dict[str, Any] = {"n_rounds": rounds, "n_cuts": n_cuts, "smoothing": SMOOTHING}
    told = np.unique(np.geomspace(1, rounds, STEPS).round().astype(int))
    found: dict[tuple[int, str], float] = {}
    for name, booster in BOOSTERS.items():
        for step, values in _rounds(booster(**given), name, samples, told):
            found |= {(step, quantity): value for quantity, value in values.items()}
            before = found.get((step, f"{MARGIN} of RankBoost"))
            if name == "smooth margin" and before is not None:
                found[step, "gain of smooth margin"] = values[f"{MARGIN} of {name}"] - before
    return [{"quantity": q, "value": value, "step": step} for (step, q), value in found.items()]


def _rounds(
    booster: RankBoost | ORBoost, name: str, samples: tuple[Sample, Sample], told: Ints
) -> Iterator[tuple[int, dict[str, float]]]:
    (X, y), (Z, truth) = samples
    booster.fit(X, y)
    stages = [list(booster.staged_decision_function(rows)) for rows in (X, Z)]
    sizes = np.cumsum(np.abs(booster.alphas_))
    for step in told[told <= len(sizes)].tolist():
        s, on_test = (part[step - 1] for part in stages)
        reach = sizes[step - 1] * (2.0 if name == "AdaBoost" else 1.0)  # of a difference
        values = _of_pairs(s[y > 0][:, None] - s[y < 0], float(reach))
        values["test error"] = float(rank_loss(truth, on_test))
        values = {f"{what} of {name}": value for what, value in values.items()}
        if name == "RankBoost":
            shares = booster.right_[:step], booster.wrong_[:step]
            values["bound by edges"] = training_error_bound(*shares)
        yield step, values


def _of_pairs(D: Floats, size: float) -> dict[str, float]:
    """Return quantities of differences of scores, positives less negatives."""
    return {
        "training error": float((D <= 0.0).mean()),
        "pair loss": float(np.exp(-D).mean()),
        MARGIN: float(D.min() / size),
    }


@of_data("binary")
def boosters_on_data(
    rng: np.random.Generator, *, problem: Problem, rounds: int = 300, n_cuts: int = 3
) -> Rows:
    """Boost on all rows of a data set by RankBoost and by AdaBoost, on the same stumps.

    There are two `rounds` or more, and `n_cuts` thresholds a feature; with many, classes can be
    told apart, and nothing is least. ValueError for other numbers, or if no stump has an edge.

    `least pair loss` is the least mean of exp(-(s - s')) over the pairs of all sums of the stumps,
    which a solver of its own finds; 0 if classes can be told apart. Of "RankBoost" and "AdaBoost":
    `excess of`, by `step` (the round) and at the end, is the pair loss (of AdaBoost the square of
    its own at its best threshold) less the least, 1e-9 or more, to which that is known; `rounds
    of` is after how many rounds it is below 1 % of that of no round, if ever, with `rounds of
    AdaBoost over RankBoost`. `pairs ordered otherwise` is the share of the pairs that the two
    order differently in the end (mohri2018, 10.5.1).
    """
    if rounds < 2 or n_cuts < 1:
        raise ValueError(f"rounds={rounds}, n_cuts={n_cuts}: expected 2 or more, and 1 or more")
    X, up = problem.X, problem.y > 0
    losses, signs, needed = {}, [], {}
    for name in COMPARED:
        made = BOOSTERS[name](n_rounds=rounds, n_cuts=n_cuts, smoothing=SMOOTHING).fit(X, up)
        losses[name], last = _losses(made.staged_decision_function(X), up, problem.name)
        signs.append(np.sign((last[up][:, None] - last[~up]).round(6)))
    least = min(_least(X, up, n_cuts), *(float(own.min()) for own in losses.values()))
    least = least if least > RESOLUTION else 0.0
    rows = quantities({"least pair loss": least})
    told = np.unique(np.geomspace(1, rounds, STEPS).round().astype(int))
    for name, own in losses.items():
        excess = np.maximum(own - least, RESOLUTION)
        rows += _steps(f"excess of {name}", excess, told)
        if (close := np.flatnonzero(excess <= NEAR * (1.0 - least))).size:
            needed[name] = close[0] + 1.0
    ends = {f"rounds of {name}": count for name, count in needed.items()}
    if len(needed) == len(COMPARED):
        ends["rounds of AdaBoost over RankBoost"] = needed["AdaBoost"] / needed["RankBoost"]
    return rows + quantities(ends | {"pairs ordered otherwise": (signs[0] != signs[1]).mean()})


def _losses(stages: Iterable[Floats], up: Bools, name: str) -> tuple[Floats, Floats]:
    scores = list(stages)
    if not scores:
        raise ValueError(f"no threshold in a feature of '{name}' tells its classes apart")
    found = [np.exp(-s[up]).mean() * np.exp(s[~up]).mean() for s in scores]
    return np.array(found), scores[-1]


def _steps(name: str, values: Floats, told: Ints) -> Rows:
    """Return a quantity at the end, and after the rounds that are told."""
    steps = [int(step) for step in told if step <= len(values)]
    by_step = [row for t in steps for row in quantities({name: values[t - 1]}, step=t)]
    return quantities({name: values[-1]}) + by_step


def _least(X: Floats, up: Bools, n_cuts: int) -> float:
    """Return the least pair loss of sums of stumps, which is convex."""
    cuts = [(j, c) for j in range(X.shape[1]) for c in cuts_of(X[:, j], "quantile", n_cuts)]
    stumps = np.array([X[:, j] > c for j, c in cuts], dtype=np.float64).T
    sides = -stumps[up], stumps[~up]

    def loss(alphas: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros(len(cuts))
        for side in sides:
            s = side @ alphas
            weights = np.exp(s - s.max())
            value += float(s.max() + np.log(weights.mean()))
            slope += weights @ side / weights.sum()
        return float(np.exp(value)), np.exp(value) * slope

    limits: Any = {"maxiter": 5000, "maxfun": 10000, "gtol": 1e-10, "ftol": 1e-14}
    found = minimize(loss, np.zeros(len(cuts)), jac=True, method="L-BFGS-B", options=limits)
    return float(found.fun)
