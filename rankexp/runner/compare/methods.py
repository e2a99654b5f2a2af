"""The methods that `compare` tries on each kind of target, as a study has them.

A method on pairs stands beside its like on points: the same loss and the same form of score, so
that the pairs alone make the difference. Grids are wide; `widening` makes them wider where it
matters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.compare.question import Kind
from rankexp.runner.config.estimators import resolve_estimator

LAMBDAS = [10.0, 1.0, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6]
"""Of linear scores on features in [0, 1]; largest first: of equals the simplest is chosen."""


@dataclass(frozen=True)
class Offer:
    """Methods for one kind of target as in a study, and the like of each of those on pairs.

    `remark` is what is to be said of the choice.
    """

    contrasts: Mapping[str, str]
    methods: Mapping[str, Mapping[str, Any]]
    remark: str = ""


def _linear(label: str, **params: Any) -> dict[str, Any]:
    return {"label": label, "params": params, "lambdas": LAMBDAS}


def _path(label: str, estimator: str) -> dict[str, Any]:
    return {"label": label, "estimator": estimator, "lambdas": LAMBDAS}


def _other(
    label: str, estimator: str, grid: dict[str, list[Any]], **params: Any
) -> dict[str, Any]:
    given = {"params": params} if params else {}
    return {"label": label, "estimator": estimator, **given, "grid": grid}


def _linear_ones(risk: str, logistic: Any, hinge: Any) -> dict[str, dict[str, Any]]:
    """Return the linear scores: those on points, and beside each the same loss on pairs."""
    made = {}
    for loss, points in (("logistic", logistic), ("hinge", hinge)):
        made[f"points-{loss}"] = points
        made[f"pairs-{loss}"] = _linear(f"{loss} on pairs", loss=loss, risk=risk)
    return made


def _boosting(kind: str) -> dict[str, Any]:
    estimator, grid = f"HistGradientBoosting{kind}", {"max_leaf_nodes": [4, 8, 16, 32]}
    params = {"max_iter": 100, "early_stopping": False}
    return _other("boosting", f"sklearn.ensemble.{estimator}", grid, **params)


def _forest(kind: str, label: str = "random forest", **params: Any) -> dict[str, Any]:
    grid = {"min_samples_leaf": [30, 10, 3, 1]}
    return _other(label, f"sklearn.ensemble.RandomForest{kind}", grid, **params)


def _boosted(**params: Any) -> dict[str, Any]:
    return _other("RankBoost", "RankBoost", {"n_rounds": [30, 100, 300]}, **params)


def _ridge(label: str) -> dict[str, Any]:
    return _other(
        label, "sklearn.linear_model.Ridge", {"alpha": [10.0**k for k in range(3, -3, -1)]}
    )


LIKES = {"pairs-logistic": "points-logistic", "pairs-hinge": "points-hinge"}
OFFERS: dict[Kind, Offer] = {
    "two": Offer(
        LIKES,
        {
            **_linear_ones(
                "bipartite",
                _linear("logistic on points", loss="logistic", risk="classification"),
                _other(
                    "hinge on points",
                    "sklearn.svm.LinearSVC",
                    {"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
                    loss="hinge",
                    max_iter=2000,
                ),
            ),
            "forest": _forest("Classifier", n_estimators=100),
            "boosting": _boosting("Classifier"),
            "rankboost": _boosted(),
        },
    ),
    "ordered": Offer(
        LIKES,
        {
            **_linear_ones(
                "multipartite",
                _path("proportional odds on points", "ProportionalOdds"),
                _path("threshold hinge on points", "OrdinalSVM"),
            ),
            "ridge": _ridge("least squares on points"),
            "forest": _forest("Regressor", n_estimators=100),
            "boosting": _boosting("Regressor"),
            "rankboost": _boosted(risk="multipartite"),
        },
    ),
    "continuous": Offer(
        {"pairs-tree": "points-tree", "pairs-forest": "points-forest"},
        {
            "points-tree": _other(
                "regression tree on points",
                "sklearn.tree.DecisionTreeRegressor",
                {"max_leaf_nodes": [4, 8, 16, 32, 64]},
                min_samples_leaf=5,
            ),
            "pairs-tree": _other(
                "Kendall tree on pairs",
                "KendallTree",
                {"depth": [2, 3, 4, 5, 6]},
                min_samples_leaf=5,
            ),
            "points-forest": _forest(
                "Regressor", "random forest on points", n_estimators=50, max_features=2 / 3
            ),
            "pairs-forest": _other(
                "forest of Kendall trees on pairs",
                "RankingForest",
                {"depth": [4, 6, 8, 10]},
                n_estimators=50,
            ),
            "ridge": _ridge("least squares, linear"),
            "boosting": _boosting("Regressor"),
        },
        "For a numeric target, trees and forests are compared, because rankexp has no linear "
        "scorer that is trained on pairs of numbers.",
    ),
}


def offer(kind: Kind, asked: list[str] | None) -> Offer:
    """Return the methods to compare: those of a kind of target, or those asked for.

    They are `asked` for by their names, and other estimators by import paths; ConfigError where
    there is no such method.
    """
    whole = OFFERS[kind]
    if asked is None:
        return whole
    chosen: dict[str, Mapping[str, Any]] = {}
    for name in asked:
        if name in whole.methods:
            chosen[name] = whole.methods[name]
        elif "." in name:
            resolve_estimator(name)
            short = name.rpartition(".")[2]
            chosen[short] = {"estimator": name}
        else:
            known = ", ".join(whole.methods)
            raise ConfigError(
                f"--methods: no method '{name}'{did_you_mean(name, whole.methods)}; for this "
                f"target there are {known}, and any estimator by its import path"
            )
    contrasts = {p: q for p, q in whole.contrasts.items() if p in chosen and q in chosen}
    if not contrasts:
        pairs = " or ".join(f"{p} with {q}" for p, q in whole.contrasts.items())
        raise ConfigError(f"--methods: to compare pairs with points, also name {pairs}")
    return Offer(contrasts, chosen, whole.remark)
