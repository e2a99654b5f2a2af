"""What boosted rankers come to, round by round, and what bounds say of it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.estimators.or_boost import ORBoost
from rankexp.estimators.rank_boost import RankBoost
from rankexp.estimators.smooth_margin import SmoothMarginRanker
from rankexp.generators.linear import Linear
from rankexp.metrics.bipartite import rank_loss
from rankexp.studies.mohri2018.theory.boosting_bounds import training_error_bound

REGISTER = {"boosting_rounds": "boosting_rounds"}

BOOSTERS = {"RankBoost": RankBoost, "AdaBoost": ORBoost, "smooth margin": SmoothMarginRanker}
MARGIN = "least margin"
SMOOTHING = 1e-9  # of coefficients: none, but for infinite ones
STEPS = 20  # rounds that are told, in equal ratios


def boosting_rounds(
    rng: np.random.Generator,
    *,
    rounds: int = 100,
    n: int = 100,
    d: int = 5,
    noise: float = 0.1,
    n_cuts: int = 255,
    test: int = 1000,
) -> list[dict[str, Any]]:
    """Boost on one sample by RankBoost, by AdaBoost and for a smooth margin.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws a model with d features, n examples of it and a test set.
    rounds, n, d, n_cuts, test : int
        Two or more of each, 20 examples or more; `n_cuts` are thresholds a feature.
    noise : float
        The model's Bayes rank risk; 0 leaves classes that can be told apart.

    Returns
    -------
    list of dict with keys ``quantity``, ``value`` and ``step``, the round
        Of "RankBoost", "AdaBoost" (on the same stumps) and "smooth margin": ``training error of``
        it, the share of pairs not in order, ties too; ``pair loss of``, the mean of exp(-(s - s'))
        over these, which RankBoost lowers and which is AdaBoost's loss, squared, at its best
        threshold, so that both have the same minimiser; ``least margin of``, over the largest
        possible; and ``test error of``, ties ½. Of RankBoost ``bound by edges``, too: (10.13). The
        ``gain of smooth margin`` is in the least margin, over RankBoost.

    Raises
    ------
    ValueError
        For other numbers.

    References
    ----------
    mohri2018, Theorem 10.3, 10.5.1 and 10.8.
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
            if name == "smooth margin" and (step, f"{MARGIN} of RankBoost") in found:
                gain = values[f"{MARGIN} of {name}"] - found[step, f"{MARGIN} of RankBoost"]
                found[step, "gain of smooth margin"] = gain
    return [{"quantity": q, "value": value, "step": step} for (step, q), value in found.items()]


def _rounds(
    booster: Any, name: str, samples: tuple[Any, Any], told: Ints
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield the rounds that are told, and what is known after them."""
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
    """Return what is known of differences of scores, positives less negatives."""
    return {
        "training error": float((D <= 0.0).mean()),
        "pair loss": float(np.exp(-D).mean()),
        MARGIN: float(D.min() / size),
    }
