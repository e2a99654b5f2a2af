"""Grids made wider at the ends where choices lie, and coarser where time is short."""

from collections.abc import Iterable, Mapping
from typing import Any

from rankexp.runner.analyse.select import Edge

LIMITS: dict[str, tuple[float, float]] = {
    "lam": (1e-10, 1e4),
    "C": (1e-5, 1e3),
    "alpha": (1e-6, 1e6),
    "min_samples_leaf": (1, 1000),
    "max_leaf_nodes": (2, 512),
    "n_rounds": (3, 3000),
    "depth": (1, 12),
}
"""How far a grid is made wider, by its parameter. Below and above, scores change no more or fits
take very long; a choice that still lies there is said to."""
GROWING = ("n_rounds", "max_leaf_nodes", "depth")
"""Parameters whose values a fit's time grows with."""
STEPS = 2
"""Points added at an end each time."""


def widened(method: Mapping[str, Any], edges: Iterable[Edge]) -> dict[str, Any] | None:
    """Return a method with a wider grid; None where it is as wide as it gets.

    Parameters
    ----------
    method : mapping
        As in a study.
    edges : iterable of Edge
        Where choices lie.

    Examples
    --------
    >>> widened({"grid": {"C": [0.1, 1.0, 10.0]}}, [Edge("highest", "C")])["grid"]
    {'C': [0.1, 1.0, 10.0, 100.0, 1000.0]}
    """
    made = {**method, "grid": dict(method["grid"])} if "grid" in method else dict(method)
    changed = False
    for edge in sorted(set(edges), key=str):
        name = edge.parameter
        values = list(made["lambdas"] if name == "lam" else made.get("grid", {}).get(name, []))
        longer = _longer(values, edge.end == "highest", LIMITS.get(name))
        if longer is None:
            continue
        changed = True
        if name == "lam":
            made["lambdas"] = longer
        else:
            made["grid"][name] = longer
    return made if changed else None


def growth(method: Mapping[str, Any], wider: Mapping[str, Any]) -> float:
    """Return how many times the time of a method it takes with a wider grid.

    Examples
    --------
    >>> growth({"grid": {"n_rounds": [3, 10]}}, {"grid": {"n_rounds": [3, 10, 26]}})
    3.0
    """
    times = len(wider.get("lambdas", "1")) / len(method.get("lambdas", "1"))
    for name, values in wider.get("grid", {}).items():
        before = method["grid"][name]
        size = sum if name in GROWING else len
        times *= size(values) / size(before)
    return float(times)


def narrowed(method: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
    """Return a method with every second point of its grid, and which share of the points it has.

    Examples
    --------
    >>> narrowed({"grid": {"C": [0.1, 1.0, 10.0]}})
    ({'grid': {'C': [0.1, 10.0]}}, 0.6666666666666666)
    """
    made, share = dict(method), 1.0
    grid = {name: values[::2] for name, values in method.get("grid", {}).items()}
    for name, values in grid.items():
        share *= len(values) / len(method["grid"][name])
    if grid:
        made["grid"] = grid
    if "lambdas" in method:
        made["lambdas"] = method["lambdas"][::2]
        share *= len(made["lambdas"]) / len(method["lambdas"])
    return made, share


def _longer(
    values: list[float], upwards: bool, limits: tuple[float, float] | None
) -> list[float] | None:
    """Return values with some added beyond an end, in the order and steps that they have."""
    if limits is None or len(values) < 2:
        return None
    ordered = sorted(values)
    end, beside = (ordered[-1], ordered[-2]) if upwards else (ordered[0], ordered[1])
    whole = all(isinstance(value, int) for value in values)
    linear = whole and ordered[-1] - ordered[0] == (len(values) - 1) * (ordered[1] - ordered[0])
    added: list[float] = []
    for _ in range(STEPS):
        following = end + (end - beside) if linear else end * (end / beside)
        following = round(following) if whole else float(f"{following:.6g}")
        if not limits[0] <= following <= limits[1] or following == end:
            break
        added.append(following)
        end, beside = following, end
    if not added:
        return None
    at_the_end = (values[-1] == ordered[-1]) == upwards
    return values + added if at_the_end else added[::-1] + values
