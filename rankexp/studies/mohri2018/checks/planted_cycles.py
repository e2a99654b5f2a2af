"""Rank many items with QuickSort and sort by degree, by preferences with planted cycles."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.estimators.parameters import one_of
from rankexp.preference import preference_loss, quicksort_rank, ranking_loss, sort_by_degree

REGISTER = {"second_stage": "second_stage"}

MOST = 3000  # items whose degrees are summed
EXACT = 1000  # items of which h is asked for every pair to take its loss
DRAWS, TRIPLES = 500_000, 20_000


@dataclass(frozen=True)
class Planted:
    """Preferences 0/1 by qualities s, each pair turned round for good, or not, by its number.

    `rates` are of pairs between thirds of the items, the best third first.
    """

    s: Floats
    rates: Floats
    seed: np.uint64

    def __call__(self, u: Ints, v: Ints) -> Bools:
        """Return whether u is preferred to v."""
        third = np.minimum(3.0 * (1.0 - self.s), 2.0).astype(np.int64)
        low, high = np.minimum(u, v).astype(np.uint64), np.maximum(u, v).astype(np.uint64)
        z = low * np.uint64(len(self.s)) + high + self.seed  # splitmix64 of the pair's number
        z *= np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
        drawn = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
        turned = drawn < self.rates[third[u], third[v]]
        return np.asarray((self.s[u] > self.s[v]) ^ turned)


def second_stage(
    rng: np.random.Generator,
    *,
    n: int = 200,
    target: str = "bipartite",
    cycles: str = "anywhere",
    share: float = 0.1,
    noise: float = 0.0,
    top: int = 0,
) -> Rows:
    """Rank n items of known quality by a preference function with cycles (mohri2018, 10.6).

    There are 6 items or more with qualities 1/n, 2/n, ..., 1. The target is "general", the quality
    with Gumbel noise, or "bipartite", whether quality with logistic noise is in the best third;
    `noise` is the scale. Cycles are "anywhere": h prefers the better item but for a `share` of the
    pairs; or "thirds", Theorem 10.5's example, enlarged: the middle third is preferred to the
    last, this to the best, and the best to the middle but for a share of the pairs, while h is
    tossed within thirds. With `top` QuickSort ranks so many items; with 0, all, as sort by degree
    does up to 3,000 items. ValueError for other numbers or names.

    Rows of "QuickSort" and "sort by degree": `calls of`, `loss of` and `regret of`, the loss less
    that of the order by quality, the best in expectation; `calls of QuickSort in theory`, the mean
    for transitive h, and `over theory`. With a top of 0 also `ratio of`, the loss over that of h;
    `loss of h` (above 1,000 items of 500,000 pairs), `regret of h`, and `cyclic triples`, the
    share (of 20,000).
    """
    _check(n, share, noise, top)
    streams = rng.spawn(4)
    h, y = _drawn(rng, n, target, noise, (cycles, share))
    least = ranking_loss(np.argsort(-h.s), y)
    found = _of_preference(h, y, least, streams[:2]) if top == 0 else {}
    for name, order, calls in _rankings(h, top, streams[2:]):
        found[f"calls of {name}"] = calls
        if order.size == n:
            own = found[f"loss of {name}"] = ranking_loss(order, y)
            found[f"regret of {name}"] = own - least
            if found.get("loss of h", 0.0) > 0.0:
                found[f"ratio of {name}"] = own / found["loss of h"]
    mean = _mean_calls(n, min(top or n, n))
    found["calls of QuickSort in theory"] = mean
    found["calls of QuickSort over theory"] = found["calls of QuickSort"] / mean
    return quantities(found)


def _mean_calls(n: int, k: int) -> float:
    """Return the mean calls for the top k where h is transitive; 2(n + 1) H_n - 4n for all.

    Martínez, Partial quicksort, ANALCO 2004.
    """
    harmonic, rest = (float((1.0 / np.arange(1, m + 1)).sum()) for m in (n, n + 1 - k))
    return 2.0 * n + 2.0 * (n + 1) * harmonic - 2.0 * (n + 3 - k) * rest - 6.0 * k + 6.0


def _drawn(
    rng: np.random.Generator, n: int, target: str, noise: float, planted: tuple[str, float]
) -> tuple[Planted, Floats]:
    cycles, share = planted
    one_of("target", target, ("bipartite", "general"))
    one_of("cycles", cycles, ("anywhere", "thirds"))
    s = (1.0 + rng.permutation(n)) / n
    y = s + noise * rng.gumbel(size=n)
    if target == "bipartite":
        y = np.where(s + noise * rng.logistic(size=n) > 2.0 / 3.0, 1.0, 0.0)
    rates: Floats = np.full((3, 3), share, dtype=np.float64)
    if cycles == "thirds":
        rates = np.array([[0.5, share, 1.0], [share, 0.5, 0.0], [1.0, 0.0, 0.5]])
    return Planted(s, rates, rng.integers(2**63, dtype=np.uint64)), y


def _of_preference(
    h: Planted, y: Floats, least: float, streams: list[np.random.Generator]
) -> dict[str, float]:
    n = y.size
    draws = None if n <= EXACT else DRAWS
    loss = preference_loss(h, np.arange(n), y, draws=draws, rng=streams[0], check=False)
    triples = streams[1].integers(n, size=(3, TRIPLES))
    u, v, w = triples[:, (np.diff(np.sort(triples, axis=0), axis=0) > 0).all(axis=0)]
    first, second, third = h(u, v), h(v, w), h(w, u)
    cyclic = float(((first == second) & (second == third)).mean())
    return {"loss of h": loss, "regret of h": loss - least, "cyclic triples": cyclic}


def _rankings(
    h: Planted, top: int, streams: list[np.random.Generator]
) -> Iterator[tuple[str, Ints, int]]:
    items, (sorts, ties) = np.arange(len(h.s)), streams
    first = min(top or len(items), len(items))
    yield "QuickSort", *quicksort_rank(h, items, sorts, first, check=False)
    if top == 0 and len(items) <= MOST:
        found = sort_by_degree(h, items, ties="random", rng=ties, check=False)
        yield "sort by degree", *found


def _check(n: int, share: float, noise: float, top: int) -> None:
    if n < 6 or not 0.0 <= share <= 1.0 or not noise >= 0.0 or top < 0:
        raise ValueError(
            f"n={n}, share={share}, noise={noise}, top={top}: expected 6 items or more, a share "
            "from 0 to 1, noise of 0 or more, and a top of 0 or more"
        )
