"""Boost stumps on two Gaussians by two rules that choose a stump, and compare the slopes."""

from collections.abc import Sequence

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities

REGISTER = {"stump_rules": "stump_rules"}

WINDOW = np.linspace(-1.0, 1.0, 41)


def stump_rules(
    rng: np.random.Generator,
    *,
    per_class: int = 200,
    cuts: int = 20,
    smoothing: float = 0.0025,
    rounds: Sequence[int] = (5, 10, 25, 100, 1000),
) -> Rows:
    """Run RankBoost on a sample of N(1, 1) and N(-1, 1), by the largest edge and by the least Z.

    Both rules choose a stump of e+ and e- over pairs, with the coefficient ½ log((e+ + d) / (e- +
    d)) for d = `smoothing`. One takes the largest edge, e+ less e- without its sign, the other the
    least Z, which is what its coefficient leaves of the loss. Rows of each number of `rounds`
    (`step`): the slopes of the scores for -1 <= x <= 1, where theory has 1 (uematsu2010,
    "Numerical example"; its slides print no rule).
    ValueError for sizes that are not positive.
    """
    if min(per_class, cuts, *rounds) < 1 or not smoothing > 0:
        raise ValueError("expected examples, cuts, rounds and a smoothing above 0")
    up, down = rng.normal(1, 1, per_class), rng.normal(-1, 1, per_class)
    at = np.quantile(np.r_[up, down], np.arange(1, cuts + 1) / (cuts + 1))
    found = {
        name: _slopes(up, down, at, smoothing, least, rounds)
        for name, least in (("slope_edge", False), ("slope_least_z", True))
    }
    return [
        row
        for k, count in enumerate(rounds)
        for row in quantities({name: own[k] for name, own in found.items()}, step=count)
    ]


def _slopes(
    up: Floats, down: Floats, at: Floats, d: float, least: bool, rounds: Sequence[int]
) -> list[float]:
    """Return the slopes after some numbers of rounds; the loss of pairs factorises by class."""
    H, G, inside = (1.0 * (x[:, None] > at) for x in (up, down, WINDOW))
    v, w = np.full(len(up), 1 / len(up)), np.full(len(down), 1 / len(down))
    heights, slopes = np.zeros(len(at)), {}
    for count in range(1, max(rounds) + 1):
        above, below = v @ H, w @ G
        right, wrong = above * (1 - below), (1 - above) * below
        step = 0.5 * np.log((right + d) / (wrong + d))
        left = right * np.exp(-step) + wrong * np.exp(step) + 1 - right - wrong
        best = int(left.argmin() if least else np.abs(right - wrong).argmax())
        heights[best] += step[best]
        v = v * np.exp(-step[best] * H[:, best])
        w = w * np.exp(step[best] * G[:, best])
        v, w = v / v.sum(), w / w.sum()
        if count in rounds:
            slopes[count] = float(np.polyfit(WINDOW, inside @ heights, 1)[0])
    return [slopes[count] for count in rounds]
