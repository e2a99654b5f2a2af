"""QuickSort and sort by degree on many items, by preference functions with planted cycles."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.preference import preference_loss, quicksort_rank, ranking_loss, sort_by_degree

REGISTER = {"second_stage": "second_stage"}

Row = dict[str, Any]

MOST = 3000  # items whose degrees are summed, where all algorithms are asked for
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
    top: int = 10,
    algorithm: str = "all",
) -> list[Row]:
    """Rank n items of known quality by a preference function that is not transitive.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    n : int
        Items, 6 or more; their qualities are 1/n, 2/n, ..., 1.
    target : str
        "general": the quality, with Gumbel noise; or "bipartite": whether quality with logistic
        noise is in the best third.
    cycles : str
        "anywhere": h prefers the better item but for a share of the pairs; "thirds": the middle
        third is preferred to the last, this to the best, and the best to the middle but for a
        share of the pairs; within thirds h is tossed. It is Theorem 10.5's example, enlarged.
    share : float
        0 to 1.
    noise : float
        0 or more; the scale of the noise of the target.
    top : int
        For QuickSort of the first so many.
    algorithm : str
        "all", of which sort by degree stops at 3,000 items; or "quicksort", "top" or "degree".

    Returns
    -------
    list of dict with keys ``group``, ``quantity`` and ``value``
        Of each algorithm: ``calls`` to h; ``loss``; ``regret``, the loss less that of the order by
        quality, the best there is in expectation; ``ratio``, the loss over that of h. Of the
        preference function: ``loss`` (above 1,000 items by 500,000 pairs), ``regret`` and
        ``cyclic``, the share of triples that are cycles (of 20,000). Of QuickSort
        ``calls_expected``: 2(n + 1) H_n - 4n, the mean where h is transitive.

    Raises
    ------
    ValueError
        For other numbers or names.

    References
    ----------
    mohri2018, 10.6.2 and 10.6.3.
    """
    _refuse(n, share, noise, {"target": target, "cycles": cycles, "algorithm": algorithm})
    streams = rng.spawn(4)
    s = (1.0 + rng.permutation(n)) / n
    y = s + noise * rng.gumbel(size=n)
    if target == "bipartite":
        y = np.where(s + noise * rng.logistic(size=n) > 2.0 / 3.0, 1.0, 0.0)
    rates: Floats = np.full((3, 3), share)
    if cycles == "thirds":
        rates = np.array([[0.5, share, 1.0], [share, 0.5, 0.0], [1.0, 0.0, 0.5]])
    h = Planted(s, rates, rng.integers(2**63, dtype=np.uint64))
    least = ranking_loss(np.argsort(-s), y)
    draws = None if n <= EXACT else DRAWS
    loss = preference_loss(h, np.arange(n), y, draws=draws, rng=streams[0], check=False)
    found = [("preference function", _preference(h, loss, least, streams[1]))]
    for group, calls, order in _rankings(h, n, algorithm, top, streams[2:]):
        found.append((group, calls))
        if order is not None:
            own = ranking_loss(order, y)
            found.append((group, {"loss": own, "regret": own - least}))
            found.append((group, {"ratio": own / loss} if loss > 0.0 else {}))
    return [
        {"group": group, "quantity": name, "value": float(value)}
        for group, values in found
        for name, value in values.items()
    ]


def _preference(
    h: Planted, loss: float, least: float, rng: np.random.Generator
) -> dict[str, float]:
    """Return what is known of the preference function."""
    triples = rng.integers(len(h.s), size=(3, TRIPLES))
    u, v, w = triples[:, (np.diff(np.sort(triples, axis=0), axis=0) > 0).all(axis=0)]
    first, second, third = h(u, v), h(v, w), h(w, u)
    cyclic = float(((first == second) & (second == third)).mean())
    return {"loss": loss, "regret": loss - least, "cyclic": cyclic}


def _rankings(
    h: Planted, n: int, algorithm: str, top: int, streams: list[np.random.Generator]
) -> Iterator[tuple[str, dict[str, float], Ints | None]]:
    """Yield each algorithm, its calls, and its order where that is of all items."""
    items, (sorts, ties) = np.arange(n), streams
    if algorithm in ("all", "quicksort"):
        order, calls = quicksort_rank(h, items, sorts, check=False)
        mean = 2.0 * (n + 1) * (1.0 / np.arange(1, n + 1)).sum() - 4.0 * n
        yield "QuickSort", {"calls": calls, "calls_expected": mean}, order
    if algorithm in ("all", "top"):
        calls = quicksort_rank(h, items, sorts, min(top, n), check=False).calls
        yield "QuickSort, top", {"calls": calls}, None
    if algorithm == "degree" or (algorithm == "all" and n <= MOST):
        order, calls = sort_by_degree(h, items, ties="random", rng=ties, check=False)
        yield "sort by degree", {"calls": calls}, order


def _refuse(n: int, share: float, noise: float, words: dict[str, str]) -> None:
    """Raise ValueError for parameters that are impossible."""
    known = {
        "target": ("bipartite", "general"),
        "cycles": ("anywhere", "thirds"),
        "algorithm": ("all", "quicksort", "top", "degree"),
    }
    for name, given in words.items():
        if given not in known[name]:
            raise ValueError(f"{name}={given!r}: expected {', '.join(known[name])}")
    if n < 6 or not 0.0 <= share <= 1.0 or not noise >= 0.0:
        raise ValueError(
            f"n={n}, share={share}, noise={noise}: expected 6 items or more, a share from 0 to 1, "
            "and noise of 0 or more"
        )
