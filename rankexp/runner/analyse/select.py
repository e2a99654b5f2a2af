"""Rules that choose a grid point from records; no refit, so all rules stand side by side.

Every rule takes slices made by :func:`rankexp.runner.analyse.frame.scores` and returns the chosen
rows, one a split: problem, method, model, rep, fold, unit, grid, value. What it rests on, and
whether experiments have it, is found before anything runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from rankexp.metrics.metric import Metric, parse
from rankexp.registry import did_you_mean
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.config.asking import message
from rankexp.runner.config.experiments import metric_of
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.grid import EQUAL, Point
from rankexp.runner.labels import spoken
from rankexp.runner.plan import method_spec

RULES = {"oracle": "best test mean", "nested": "nested cross-validation"}
RULES |= {"one_standard_error": "1 SE", "validation": "validation"}
"""What a study may call a rule, beside ``fixed``, and what tables call it."""

PARTS = {"nested": "inner", "validation": "validation"}
"""Rules that choose by other values than those shown, and the part of records that has these."""

PLACE = ["problem", "method", "model", "rep", "fold"]


def grid_means(scores: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return each grid point's mean, and its SE, over units, and its place in the grid.

    NaN (one class in a fold) is left out. A grid point with fewer values than another of its group
    is not comparable and gets NaN, so that a rule never gains by a failed fit.
    """
    keys = [*by, "grid"]
    unit = scores.groupby([*keys, "unit"], sort=False).value.agg(["mean", "count"])
    over = unit.groupby(keys, sort=False)
    means = over["mean"].agg(["mean", "std", "count"]).reset_index()
    means["se"] = means["std"] / np.sqrt(means["count"])
    count = over["count"].sum().to_numpy()
    most = pd.Series(count).groupby([means[name] for name in by]).transform("max").to_numpy()
    means.loc[count < most, "mean"] = np.nan
    means["place"] = means.groupby(list(by), sort=False).cumcount()
    return means[[*keys, "mean", "se", "place"]]


def _best(means: pd.DataFrame, by: Sequence[str], value: str, higher: bool) -> pd.DataFrame:
    """Return the best grid point of each group; of equals the simplest, then the first."""
    known = means.dropna(subset=[value])
    equal = known[_equals(known, by, value, higher)]
    order = sorted({point.simplicity for point in equal.grid.unique()}, reverse=True)
    ranked = equal.assign(simple=[order.index(point.simplicity) for point in equal.grid])
    return ranked.sort_values(["simple", "place"]).drop_duplicates(list(by))[[*by, "grid"]]


def _equals(known: pd.DataFrame, by: Sequence[str], value: str, higher: bool) -> pd.Series:
    """Return which rows are as good as the best of their group, but for rounding."""
    best = known.groupby(list(by), sort=False)[value].transform("max" if higher else "min")
    return (known[value] - best).abs() <= EQUAL


def _take(scores: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the chosen grid points in the order of `scores`."""
    return scores.merge(chosen, on=list(chosen.columns), how="inner")


def oracle(scores: pd.DataFrame, higher: bool) -> pd.DataFrame:
    """Choose the grid point with the best mean test metric.

    One for each problem, method and, if any, model. It looks at the test data (the rule of
    Kotłowski et al., 2011, sec. 5): its values are optimistic, show them beside nested ones.
    """
    by = ["problem", "method", "model"]
    return _take(scores, _best(grid_means(scores, by), by, "mean", higher))


def nested(scores: pd.DataFrame, inner: pd.DataFrame, higher: bool) -> pd.DataFrame:
    """Choose for each split the grid point with the best inner mean; give its test value.

    `inner` may be values of a validation part, too. A method with a single grid point needs none.
    For others, splits without them, or with NaN alone, are absent from the result.
    """
    places = inner.assign(place=inner.groupby(PLACE, sort=False).cumcount())
    best = _best(places, PLACE, "value", higher)
    points = scores.groupby(["problem", "method"], sort=False).grid.transform("nunique")
    only = scores.loc[points == 1, [*PLACE, "grid"]]
    return _take(scores, pd.concat([best, only]).drop_duplicates(PLACE))


def one_standard_error(scores: pd.DataFrame, higher: bool) -> pd.DataFrame:
    """Choose the simplest grid point within one SE (over units) of the best mean test metric.

    What is simpler is known of grids of a single parameter, see `Point`; others keep their best.
    """
    by = ["problem", "method"]
    sign = -1.0 if higher else 1.0
    means = grid_means(scores, by)
    means["loss"] = sign * means["mean"]
    best = means.loc[means.groupby(by, sort=False).loss.idxmin().dropna()]
    bound = best.assign(bound=best.loss + best.se.fillna(0.0))[[*by, "bound"]]
    near = means.merge(bound, on=by).query("loss <= bound")
    simple = [point.simplicity if len(point.values) == 1 else () for point in near.grid]
    near = near.assign(simple=[own[0] if own else 0.0 for own in simple])
    ranked = near.sort_values(["simple", "loss", "place"], ascending=[False, True, True])
    return _take(scores, ranked.drop_duplicates(by)[[*by, "grid"]])


def metrics_of(setup: Evaluate) -> list[Metric]:
    """Return an experiment's metrics, less those that are none, which is complained about."""
    return [metric for metric in map(metric_of, setup.metrics) if metric is not None]


def with_grids(study: Study, setup: Evaluate, methods: Sequence[str] = ()) -> list[str]:
    """Return those of an experiment's methods, or of some of them, that have several points."""
    named = [m for m in setup.methods if m in study.methods and (m in methods or not methods)]
    return [m for m in named if len(method_spec(study.methods[m], setup).points) > 1]


@dataclass(frozen=True)
class Rule:
    """A rule of choice: ``oracle``, ``fixed:lam=0.01``, ``validation:map`` in a study.

    >>> Rule.parse("validation:map").label
    'MAP in validation'
    """

    name: str = "oracle"  # of `RULES`
    point: Point | None = None  # the grid point that ``fixed`` takes
    by: Metric | None = None  # what a rule of `PARTS` chooses by; None: the metric shown

    @classmethod
    def parse(cls, text: str) -> "Rule":
        """Return the rule of this name; a ValueError lists the names where there is none."""
        name, colon, more = text.partition(":")
        if name == "fixed" and more:
            return cls(name, Point.parse(more))
        if name in PARTS and more:
            return cls(name, by=parse(more))
        if name in RULES and not colon:
            return cls(name)
        known = f"known: {', '.join(RULES)}, fixed:lam=1 for a grid point, and "
        known += " and ".join(f"{own}:map" for own in PARTS) + " to choose by another metric"
        raise ValueError(f"unknown rule '{text}'{did_you_mean(name, RULES)}; {known}")

    def __str__(self) -> str:
        more = self.point or self.by
        return self.name if more is None else f"{self.name}:{more}"

    @property
    def label(self) -> str:
        """What the rule is called in tables."""
        if self.point is not None:
            return self.point.label
        own = RULES[self.name]
        return f"{self.by.label} in {own}" if self.by else own

    def apply(
        self, scores: pd.DataFrame, values: Callable[[str], pd.DataFrame], higher: bool
    ) -> pd.DataFrame:
        """Return the rows of `scores` that the rule chooses.

        `values` gives the slice of a part that a rule of `PARTS` chooses by, of which `higher`
        says whether higher ones are better; for other rules it says so of `scores`.
        """
        if self.point is not None:
            return scores[scores.grid == self.point].reset_index(drop=True)
        if self.name in PARTS:
            return nested(scores, values(PARTS[self.name]), higher)
        choose = oracle if self.name == "oracle" else one_standard_error
        return choose(scores, higher)

    def ties(
        self, scores: pd.DataFrame, values: Callable[[str], pd.DataFrame], higher: bool
    ) -> tuple[int, int]:
        """Return how many choices were between equals, and how many there were in all.

        Arguments are those of `apply`. Grid points tie that are best alike, but for rounding.
        """
        if self.name in PARTS:
            table, by, name = values(PARTS[self.name]), PLACE, "value"
        elif self.name == "oracle":
            by, name = ["problem", "method", "model"], "mean"
            table = grid_means(scores, by)
        else:
            return 0, 0
        known = table.dropna(subset=[name])
        groups = known.groupby(by, sort=False)
        best = _equals(known, by, name, higher)
        found = best.groupby([known[key] for key in by], sort=False).sum()
        return int((found > 1).sum()), int((groups.size() > 1).sum())

    def words(self, study: Study, experiment: str, methods: Sequence[str] = ()) -> str:
        """Say which settings are taken; nothing where no method has points to choose from."""
        setup = study.experiments[experiment]
        chosen = isinstance(setup, Evaluate) and with_grids(study, setup, methods)
        return f", {'at' if self.point else 'settings chosen by'} {self.label}" if chosen else ""

    def without_inner(
        self, study: Study, experiment: str, methods: Sequence[str] = ()
    ) -> str | None:
        """Say that an experiment has no inner folds where the rule needs them; else None."""
        setup = study.experiments.get(experiment)
        if self.name != "nested" or not isinstance(setup, Evaluate) or setup.inner is not None:
            return None
        if not (grids := with_grids(study, setup, methods)):
            return None
        return message("report.no_inner", experiment=experiment, grid=grids[0])

    def unfounded(self, study: Study, experiments: Sequence[str]) -> str | None:
        """Say what it rests on that these experiments do not have; None where they have it."""
        named = {n: study.experiments[n] for n in experiments if n in study.experiments}
        setups = {name: one for name, one in named.items() if isinstance(one, Evaluate)}
        for name, setup in setups.items():
            if self.name == "validation" and not setup.protocol.validates:
                return message("report.no_validation", name=name)
            known = list(map(repr, metrics_of(setup)))
            if self.by is not None and (by := repr(self.by)) not in known:
                has = f"{did_you_mean(by, known)}; it has: {', '.join(known)}"
                return f"'{name}' has no metric {by} to choose by{has}"
        methods = [(setup, name) for setup in setups.values() for name in setup.methods]
        specs = [method_spec(study.methods[n], s) for s, n in methods if n in study.methods]
        points = {point.text for spec in specs for point in spec.points}
        if self.point is None or self.point.text in points:
            return None
        return f"no method has the grid point {self.point}{did_you_mean(self.point.text, points)}"


ORACLE = Rule("oracle")
BOTH = (ORACLE, Rule("nested"))


LEAST = {"min_samples_leaf": 1, "max_depth": 1, "depth": 1, "n_rounds": 1} | dict.fromkeys(
    ("max_leaf_nodes", "max_leaves", "num_leaves"), 2
)  # below these a parameter has no values: a grid that ends there could not be wider


@dataclass(frozen=True)
class Edge:
    """An end of the values that a grid has for a parameter."""

    end: Literal["lowest", "highest"]
    parameter: str

    @property
    def label(self) -> str:
        """What it is called on pages."""
        return f"{self.end} {spoken(self.parameter)}"

    def __str__(self) -> str:
        return f"{self.end} {self.parameter}"


def edge(point: Point, grid: Sequence[Point]) -> Edge | None:
    """Return which end of its method's grid a point is, of its first parameter that is at one."""
    for name, value in point.numbers.items():
        values = sorted({own.numbers[name] for own in grid if name in own.numbers})
        if len(values) < 2 or LEAST.get(name) == value:
            continue
        if value in (values[0], values[-1]):
            return Edge("lowest" if value == values[0] else "highest", name)
    return None


def chosen_counts(splits: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return how often each grid point was chosen: problem, method, grid, count, edge.

    The count is of models where there are models, else of splits; `scores`, of which the `splits`
    were chosen, have the whole grids. The most frequent stands first.
    """
    by = ["problem", "method"]
    own = splits.drop_duplicates([*by, "model", "grid"])
    points = splits.groupby([*by, "model"]).grid.nunique()  # 1: one for all its splits
    rows = own if (splits.model != NONE).any() and (points == 1).all() else splits
    counts = rows.groupby([*by, "grid"], sort=False).size().rename("count").reset_index()
    counts["group"] = counts.groupby(by, sort=False).ngroup()
    ranked = counts.sort_values(["group", "count"], ascending=[True, False], kind="stable")
    grids = scores.groupby(by, sort=False).grid.unique()
    keys = ranked[[*by, "grid"]].itertuples(index=False)
    edges = [edge(point, grids[problem, method]) for problem, method, point in keys]
    found = pd.Series(edges, index=ranked.index, dtype=object)
    return ranked.drop(columns="group").assign(edge=found).reset_index(drop=True)
