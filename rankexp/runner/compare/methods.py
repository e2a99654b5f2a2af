"""The methods that `compare` tries on each kind of target, and how their grids change.

A method on pairs stands beside its like on points: the same loss and the same form of score, so
that the pairs alone make the difference. Grids are wide; they become wider at the ends where
choices lie, and coarser where time is short.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.analyse.select import Edge
from rankexp.runner.compare.question import Kind
from rankexp.runner.config.asking import flag
from rankexp.runner.config.estimators import resolve_estimator

Grid = Mapping[str, Sequence[Any]]
LAMBDAS = {"lam": [10.0, 1.0, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6]}
"""Of linear scores on features in [0, 1]; largest first: of equals the simplest is chosen."""
NODES, ROUNDS = {"max_leaf_nodes": [4, 8, 16, 32]}, {"n_rounds": [30, 100, 300]}
LIMITS: dict[str, tuple[float, float]] = {
    "lam": (1e-10, 1e4),
    "C": (1e-5, 1e3),
    "alpha": (1e-6, 1e6),
    "min_samples_leaf": (1, 1000),
    **dict.fromkeys(("max_leaf_nodes", "num_leaves", "max_leaves"), (2, 512)),
    "n_rounds": (3, 3000),
    "depth": (1, 12),
}
"""How far a grid is made wider, by its parameter. Below and above, scores change no more or fits
take very long; a choice that still lies there is said to."""
GROWING = ("n_rounds", "max_leaf_nodes", "num_leaves", "max_leaves", "depth")
"""A fit's time grows with their values."""
STEPS = 2  # points added at an end each time


@dataclass(frozen=True)
class Candidate:
    """A method as in a study, but for its grid, in which `lam` is what a study calls lambdas."""

    given: Mapping[str, Any]
    grid: Grid

    @property
    def content(self) -> dict[str, Any]:
        """The method as in a study."""
        grid = dict(self.grid)
        rest = {"lambdas": grid.pop("lam", None), "grid": grid}
        return {**self.given, **{key: value for key, value in rest.items() if value}}


@dataclass(frozen=True)
class Offer:
    """Methods for one kind of target, and a remark on them."""

    contrasts: Mapping[str, str]  # by method on pairs: its like on points
    methods: Mapping[str, Candidate]
    remark: str = ""
    scorers: Mapping[str, str] = field(default_factory=dict)  # by method on pairs: its scores

    @property
    def points(self) -> list[str]:
        """The methods on points that no method on pairs stands beside; named ones are unknown."""
        known = ("points-", "balanced-", "ridge", "forest", "boosting")
        return [
            m for m in self.methods if m.startswith(known) and m not in self.contrasts.values()
        ]


def _method(
    label: str, estimator: str | None = None, grid: Grid = LAMBDAS, **params: Any
) -> Candidate:
    named = {"label": label, "estimator": estimator, "params": params}
    return Candidate({key: value for key, value in named.items() if value}, grid)


def _linear(risk: str, logistic: Candidate, hinge: Candidate) -> dict[str, Candidate]:
    """Return the linear scores: those on points, and beside each the same loss on pairs."""
    return {
        "points-logistic": logistic,
        "pairs-logistic": _method("logistic on pairs", loss="logistic", risk=risk),
        "points-hinge": hinge,
        "pairs-hinge": _method("hinge on pairs", loss="hinge", risk=risk),
    }


def _boosting(kind: str, label: str = "boosting") -> Candidate:
    estimator = f"sklearn.ensemble.HistGradientBoosting{kind}"
    return _method(label, estimator, NODES, max_iter=100, early_stopping=False)


def _forest(kind: str, label: str = "random forest", **params: Any) -> Candidate:
    grid = {"min_samples_leaf": [30, 10, 3, 1]}
    return _method(label, f"sklearn.ensemble.RandomForest{kind}", grid, **params)


def _ridge(label: str, estimator: str = "sklearn.linear_model.Ridge") -> Candidate:
    return _method(label, estimator, {"alpha": [10.0**k for k in range(3, -3, -1)]})


def _squares(estimator: str, leaves: str, **params: Any) -> Candidate:
    label, grid = "boosted trees, least squares on points", {leaves: [4, 8, 16, 32]}
    return _method(label, estimator, grid, n_estimators=100, **params, n_jobs=1)


LIKES = {"pairs-logistic": "points-logistic", "pairs-hinge": "points-hinge"}
TWO = {
    **_linear(
        "bipartite",
        _method("logistic on points", loss="logistic", risk="classification"),
        _method(
            "hinge on points",
            "sklearn.svm.LinearSVC",
            {"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
            loss="hinge",
            max_iter=2000,
        ),
    ),
    "forest": _forest("Classifier", n_estimators=100),
    "boosting": _boosting("Classifier"),
    "rankboost": _method("RankBoost on pairs", "RankBoost", ROUNDS),
}
ORDERED = {
    **_linear(
        "multipartite",
        _method("proportional odds on points", "ProportionalOdds"),
        _method("threshold hinge on points", "OrdinalSVM"),
    ),
    "ridge": _ridge("least squares on points"),
    "forest": _forest("Regressor", n_estimators=100),
    "boosting": _boosting("Regressor"),
    "rankboost": _method("RankBoost on pairs", "RankBoost", ROUNDS, risk="multipartite"),
}
RISKS: dict[Kind, str] = {"two": "bipartite", "ordered": "multipartite"}
ALL_PAIRS = {
    kind: _method("logistic on pairs of all rows", loss="logistic", risk=risk, queries="across")
    for kind, risk in RISKS.items()
}
"""Those of different queries, too."""
LEAVES = {"max_leaf_nodes": [4, 8, 16, 32, 64]}
DEPTHS, DEEPER = {"depth": [2, 3, 4, 5, 6]}, {"depth": [4, 6, 8, 10]}
ON_RANKS = "rankexp.runner.compare.on_ranks"
CART = "sklearn.tree.DecisionTreeRegressor"
CONTINUOUS = {
    "points-tree": _method("regression tree on points", CART, LEAVES, min_samples_leaf=5),
    "pairs-tree": _method(
        "Kendall tree on pairs", "KendallTree", DEPTHS, min_samples_leaf=5, count_ties=False
    ),
    "points-forest": _forest(
        "Regressor", "random forest on points", n_estimators=50, max_features=2 / 3
    ),
    "pairs-forest": _method(
        "forest of Kendall trees on pairs",
        "RankingForest",
        DEEPER,
        n_estimators=50,
        count_ties=False,
    ),
    "ridge": _ridge("least squares, linear"),
    "ridge-ranks": _ridge("least squares on ranks, linear", f"{ON_RANKS}.ridge"),
    "boosting": _boosting("Regressor", "least squares, boosted trees"),
    "boosting-ranks": _method(
        "least squares on ranks, boosted trees", f"{ON_RANKS}.boosting", NODES
    ),
}
TREES = """For a numeric target only trees and forests are trained on pairs, because rankexp has \
no linear scorer that is trained on pairs of numbers. Least squares on the numbers and on their \
ranks stands beside them."""
LINEAR = dict.fromkeys(LIKES, "linear scorers")
OFFERS: dict[Kind, Offer] = {
    "two": Offer(LIKES, TWO, scorers=LINEAR),
    "ordered": Offer(LIKES, ORDERED, scorers=LINEAR),
    "continuous": Offer(
        {"pairs-tree": "points-tree", "pairs-forest": "points-forest"},
        CONTINUOUS,
        TREES,
        {"pairs-tree": "single trees", "pairs-forest": "forests"},
    ),
}
ENGINES = ("lightgbm", "xgboost")
LEAST_SQUARES = {
    "lightgbm": _squares("lightgbm.LGBMRegressor", "num_leaves", verbosity=-1),
    "xgboost": _squares("xgboost.XGBRegressor", "max_leaves", learning_rate=0.1, max_depth=0),
}
"""Each engine's trees of least squares, and what makes them like those of `BoostedRanker`."""


def boosted(kind: Kind, engine: str) -> Offer:
    """Return trees that an engine grows on pairs and, with the same settings, on points."""

    def trees(what: str, risk: str) -> Candidate:
        label = f"boosted trees on {what}"
        return _method(label, "BoostedRanker", NODES, engine=engine, risk=risk)

    made = {"pairs-boosted": trees("pairs", RISKS[kind])}
    if kind == "two":
        like = "balanced-boosted"  # in the first round what pairs are
        made[like] = trees("balanced points", "balanced")
        made |= {"points-boosted": trees("points", "classification")}
    else:
        like = "points-boosted"
        made[like] = LEAST_SQUARES[engine]
    return Offer({"pairs-boosted": like}, made, scorers={"pairs-boosted": "boosted trees"})


def _whole(kind: Kind, *, within: bool) -> Offer:
    """Return all methods for a kind of target; where an engine is there, its trees boost."""
    whole = OFFERS[kind]
    methods = {**whole.methods, **({"all-pairs-logistic": ALL_PAIRS[kind]} if within else {})}
    engine = next((name for name in ENGINES if find_spec(name)), None)
    if kind == "continuous" or engine is None:
        return replace(whole, methods=methods)
    trees = boosted(kind, engine)
    methods.pop("boosting")
    contrasts = {**whole.contrasts, **trees.contrasts}
    scorers = {**whole.scorers, **trees.scorers}
    return Offer(contrasts, {**methods, **trees.methods}, whole.remark, scorers)


def offer(kind: Kind, asked: list[str] | None, *, within: bool = False) -> Offer:
    """Return the methods for a kind of target, or those `asked` for by name or import path.

    `within` is for rows that are ranked within queries.
    """
    if within and kind == "continuous":
        raise ConfigError(
            f"{flag('queries')}: rankexp cannot train on pairs of numbers within queries; put the "
            f"numbers into levels, or say {flag('groups')} to count pairs of rows of different "
            "queries"
        )
    whole = _whole(kind, within=within)
    if asked is None:
        return whole
    chosen: dict[str, Candidate] = {}
    for name in asked:
        if name in whole.methods:
            chosen[name] = whole.methods[name]
        elif "." in name:
            resolve_estimator(name)
            chosen[name.rpartition(".")[2]] = Candidate({"estimator": name}, {})
        else:
            hint, known = did_you_mean(name, whole.methods), ", ".join(whole.methods)
            raise ConfigError(
                f"{flag('methods')}: no method '{name}'{hint}; for this target there are {known}, "
                "and any estimator by its import path"
            )
    contrasts = {p: q for p, q in whole.contrasts.items() if p in chosen and q in chosen}
    if not contrasts:
        pairs = " or ".join(f"{p} with {q}" for p, q in whole.contrasts.items())
        raise ConfigError(f"{flag('methods')}: to compare pairs with points, also name {pairs}")
    return Offer(contrasts, chosen, whole.remark, whole.scorers)


def widened(method: Candidate, edges: Iterable[Edge]) -> Candidate | None:
    """Return a method with a wider grid where choices lie at `edges`; None if it cannot grow.

    >>> widened(Candidate({}, {"C": [0.1, 1.0, 10.0]}), [Edge("highest", "C")]).grid
    {'C': [0.1, 1.0, 10.0, 100.0, 1000.0]}
    """
    grid = dict(method.grid)
    for edge in sorted(set(edges), key=str):
        name = edge.parameter
        if name in grid and name in LIMITS:
            grid[name] = _longer(grid[name], edge.end == "highest", *LIMITS[name])
    return None if grid == method.grid else replace(method, grid=grid)


def growth(method: Candidate, wider: Candidate) -> float:
    """Return how many times the time of a method it takes with a wider grid."""
    times = 1.0
    for name, values in wider.grid.items():
        size = sum if name in GROWING else len
        times *= size(values) / size(method.grid[name])
    return times


def narrowed(method: Candidate) -> tuple[Candidate, float]:
    """Return a method with every second point of its grid, and the share of points it keeps."""
    grid = {name: values[::2] for name, values in method.grid.items()}
    share = math.prod(len(values) / len(method.grid[name]) for name, values in grid.items())
    return replace(method, grid=grid), share


def _longer(values: Sequence[float], upwards: bool, least: float, most: float) -> list[float]:
    """Return values with some added beyond an end, in the order and steps that they have."""
    ordered = sorted(values)
    if len(ordered) < 2:
        return ordered
    end, beside = (ordered[-1], ordered[-2]) if upwards else (ordered[0], ordered[1])
    whole = all(isinstance(value, int) for value in values)
    linear = whole and ordered[-1] - ordered[0] == (len(values) - 1) * (ordered[1] - ordered[0])
    added: list[float] = []
    for _ in range(STEPS):
        following = end + (end - beside) if linear else end * (end / beside)
        following = round(following) if whole else float(f"{following:.6g}")
        if not least <= following <= most or following == end:
            break
        added.append(following)
        end, beside = following, end
    at_the_end = (values[-1] == ordered[-1]) == upwards
    return [*values, *added] if at_the_end else [*added[::-1], *values]
