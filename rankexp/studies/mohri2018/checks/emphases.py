"""Try whether the bounds of section 10.6 hold for losses that emphasise some pairs."""

from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linprog

from rankexp.arrays import Bools, Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.preference import Partite, Top, degree_probabilities, order_probabilities, uniform
from rankexp.studies.mohri2018.checks.few import DEGREE, QUICKSORT, SAME, tournaments

REGISTER = {"emphasised_losses": "emphasised_losses"}

LABELS = {"any": "any, the worst of all", "uniform": "none"}

UNBOUNDED = 3  # status of a linear program


def emphasised_losses(rng: np.random.Generator, *, n: int = 3, emphasis: str = "uniform") -> Rows:
    """Find the largest ratio of an algorithm's expected loss to that of h under an emphasis.

    There are n items, 3 to 5, and all 0/1 preference functions h of them; one target order stands
    for all, since items may be renamed. The emphasis is "uniform", omega = 1; "distance", omega(i,
    j) = |i - j|; "top 1", "top 2", ..., below n; "two classes", of each way to divide the order,
    the largest is taken; "three classes" likewise; or "any": of all functions that meet the three
    axioms, the one with the largest ratio, by a linear program for each h and algorithm, whose
    variables are omega's values. ValueError for other numbers or names.

    Rows: `ratio of` "QuickSort", of "sort by degree", whose ties are random, and of "sort by
    degree with adverse ties"; `QuickSort apart`, how far its expected loss is from that of h, over
    the largest omega; not for "any". See mohri2018, (10.36), for (10.30), (10.33) and (10.35).
    """
    if not 3 <= n <= 5:
        raise ValueError(f"n={n}: expected 3 to 5")
    H, (first, second) = tournaments(n), np.triu_indices(n, 1)
    wrong = H[:, second, first]  # the target has the first of two items above the second
    answers = {
        QUICKSORT: order_probabilities(H),
        DEGREE: degree_probabilities(H),
        f"{DEGREE} with adverse ties": degree_probabilities(H, "adverse"),
    }
    shares = {name: P[:, second, first] for name, P in answers.items()}
    if emphasis == "any":
        limits = _axioms(n)
        worst = {name: _worst_of_all(own, wrong, limits) for name, own in shares.items()}
        return quantities({f"ratio of {name}": ratio for name, ratio in worst.items()})
    omegas = _emphases(n, emphasis, first + 1, second + 1)
    found = {
        f"ratio of {name}": max(_largest(own @ omega, wrong @ omega) for omega in omegas)
        for name, own in shares.items()
    }
    apart = [np.abs((shares[QUICKSORT] - wrong) @ omega).max() / omega.max() for omega in omegas]
    return quantities(found | {f"{QUICKSORT} apart": max(apart)})


def _emphases(n: int, emphasis: str, i: Ints, j: Ints) -> list[Floats]:
    """Return omega(i, j) of pairs of positions: of one function, or of all of a kind."""
    if emphasis in (known := {f"top {k}": Top(k) for k in range(1, n)}):
        return [known[emphasis](i, j)]
    if emphasis in ("two classes", "three classes"):
        cuts = combinations(range(1, n), 1 if emphasis == "two classes" else 2)
        return [Partite(tuple(np.diff([0, *own, n]).tolist()))(i, j) for own in cuts]
    if emphasis not in ("uniform", "distance"):
        raise ValueError(
            f"emphasis={emphasis!r}: expected uniform, distance, top 1 to top {n - 1}, two "
            "classes, three classes or any"
        )
    return [uniform(i, j) if emphasis == "uniform" else np.abs(i - j) * 1.0]


def _largest(loss: Floats, of_h: Floats) -> float:
    """Return the largest ratio; infinity if there is a loss where h has none."""
    none = of_h <= SAME
    if (loss[none] > SAME).any():
        return float(np.inf)
    return float((loss[~none] / of_h[~none]).max())


def _axioms(n: int) -> Floats:
    """Return rows A with ``A omega <= 0``: monotonicity and the triangle inequality.

    Omega has an entry for each pair of positions, in the order of `np.triu_indices`.
    """
    place = {pair: k for k, pair in enumerate(combinations(range(n), 2))}
    found = []
    for i, j, k in combinations(range(n), 3):
        sides = [place[i, j], place[j, k], place[i, k]]
        for one in sides:  # none is longer than the two others together
            row = np.zeros(len(place))
            row[sides] = -1.0
            row[one] = 1.0
            found.append(row)
        for short in sides[:2]:  # of pairs with a common end, the farther counts no less
            row = np.zeros(len(place))
            row[short], row[sides[2]] = 1.0, -1.0
            found.append(row)
    return np.array(found)


def _worst_of_all(shares: Floats, wrong: Bools | Floats, limits: Floats) -> float:
    """Return the largest ratio over all emphasis functions, scaled so that h loses 1."""
    largest = 0.0
    for own, of_h in zip(shares, wrong, strict=True):
        if not of_h.any():
            largest = max(largest, np.inf if (own > SAME).any() else 0.0)
            continue
        found = linprog(-own, A_ub=limits, b_ub=np.zeros(len(limits)), A_eq=of_h[None], b_eq=[1.0])
        if found.status not in (0, UNBOUNDED):
            raise ValueError(f"a linear program was not solved: {found.message}")
        value: Any = found.fun
        largest = max(largest, np.inf if found.status == UNBOUNDED else -float(value))
    return float(largest)
