"""What training on pairs gains on one problem, as numbers: standings of methods, and contrasts.

The block `pairs_or_points` shows them; `rankexp.runner.report.gain_words` says them.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rankexp.metrics.base import Metric
from rankexp.runner.analyse import delong, paired, select
from rankexp.runner.analyse.adjust import Contrast, Settings
from rankexp.runner.analyse.kept import sources
from rankexp.runner.grid import Point
from rankexp.runner.protocols.base import EXAMPLES, QUERIES
from rankexp.runner.report.context import Context

NAN = math.nan
UNKNOWN = paired.Estimate(NAN, NAN, 0)
SAME = 1e-9
"""Two ways to one number differ by less."""
FLAT = 0.1
"""Share of the margin: where the metric at a grid's edge differs from its neighbour by less, a
wider grid has little to give."""


@dataclass(frozen=True)
class Edges:
    """Choices at ends of a grid."""

    most: select.Edge  # where most are
    count: int
    choices: int  # in all
    flat: bool  # whether the metric hardly changes at any of them

    @property
    def label(self) -> str:
        """What it is called on pages."""
        return f"{self.count} of {self.choices} at the {self.most.label}"

    def __str__(self) -> str:
        return f"{self.count} of {self.choices} at the {self.most}"


@dataclass(frozen=True)
class MethodStanding:
    """A method on the splits of a problem.

    Attributes
    ----------
    method : str
    mean, se, low, high : float
        Of the metric; SE and interval allow for training parts that overlap.
    seconds : float
        A split took: the grid, and the choice within the training part.
    chosen : Point, optional
        The grid point chosen most often.
    edges : Edges, optional
        The choices at ends of the grid, if any are.
    """

    method: str
    mean: float
    se: float
    low: float
    high: float
    seconds: float
    chosen: Point | None
    edges: "Edges | None" = None

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.mean)


def standings(
    context: Context, experiment: str, metric: Metric, rule: select.Rule, settings: Settings
) -> list[MethodStanding]:
    """Return the methods of an experiment on one problem, the best first."""
    setup = context.evaluate(experiment)
    chosen = context.chosen(experiment, metric, rule, setup.methods)
    scores = context.scores(experiment, metric)
    design = context.designs(experiment, metric)[setup.problems[0]]
    units = context.spread(experiment, metric, chosen)
    kept = sources(context.cells, context.records, experiment, chosen)
    single = delong.alone(kept, metric, settings.level) if design.pairs == EXAMPLES else {}
    made = []
    for method in setup.methods:
        own = chosen[chosen.method == method]
        each = units[units.method == method].dropna(subset=["value"])
        values = each.value.to_numpy()
        found = paired.of_design(values, design, each.fold)[0] if len(values) else UNKNOWN
        low, high = paired.interval(found, settings.level) if len(values) > 1 else (NAN, NAN)
        share, se, *ends = single.get(method, (NAN, NAN, NAN, NAN))
        if abs(share - found.mean) < SAME:  # weights, or queries, make it another share
            found, (low, high) = found._replace(se=se), ends
        points = Counter(own.grid).most_common(1)
        margin = settings.margin or NAN
        edges = _edges(scores[scores.method == method], list(own.grid), margin)
        made.append(
            MethodStanding(
                method,
                float(found.mean),
                float(found.se),
                float(low),
                float(high),
                _seconds(context, experiment, method),
                points[0][0] if points else None,
                edges,
            )
        )
    sign = -1 if metric.direction == "higher" else 1
    return sorted(made, key=lambda one: (not one.known, sign * one.mean))


def _seconds(context: Context, experiment: str, method: str) -> float:
    own = (c for c in context.cells if c.experiment == experiment and c.method == method)
    records = [context.records[c.key] for c in own if c.key in context.records]
    times = [record.times["fit"] for record in records if "fit" in record.times]
    return sum(times) / len(times) if times else math.nan


def _edges(scores: pd.DataFrame, chosen: Sequence[Point], margin: float) -> Edges | None:
    means: dict[Any, float] = dict(scores.groupby("grid", sort=False).value.mean())
    found = Counter(edge for point in chosen if (edge := select.edge(point, list(means))))
    if not found:
        return None
    flat = all(from_neighbour(means, edge) < FLAT * margin for edge in found)
    return Edges(found.most_common(1)[0][0], sum(found.values()), len(chosen), flat)


def from_neighbour(means: Mapping[Point, float], edge: select.Edge) -> float:
    """Return how far the metric at an edge is from that beside it; infinite in larger grids."""
    values = {point.numbers.get(edge.parameter): mean for point, mean in means.items()}
    ordered = sorted(value for value in values if value is not None)
    if len(ordered) < max(2, len(means)):
        return math.inf
    end, beside = ordered[:2] if edge.end == "lowest" else ordered[:-3:-1]
    return abs(values[end] - values[beside])


def tested(context: Context, experiment: str) -> float:
    """Return the rows of the one test set that an experiment has; NaN where there is none."""
    setup = context.evaluate(experiment)
    known = context.manifest.get("data", {}).get(setup.problems[0], {}).get("reading", {})
    part = getattr(setup.protocol, "test", None)
    return float(dict(map(tuple, known.get("parts", ()))).get(part, NAN))


@dataclass(frozen=True)
class Gains:
    """All that is found on one problem.

    Attributes
    ----------
    metric : Metric
    margin, level : float
    rows, tested : float
        Of the data set, and of its one test set; NaN where unknown.
    standings : list of MethodStanding
        Best first.
    pairs : mapping of str to str
        Method on pairs -> its like on points.
    contrasts : mapping of str to Contrast
        By method on pairs: its difference from its like.
    behind : mapping of str to Contrast
        By method: the difference of the best from it.
    """

    metric: Metric
    margin: float
    level: float
    rows: float
    standings: list[MethodStanding]
    pairs: Mapping[str, str]
    contrasts: Mapping[str, Contrast]
    behind: Mapping[str, Contrast]
    tested: float = NAN

    @property
    def by_query(self) -> bool:
        """Whether differences are judged over queries."""
        return any(own.unit == QUERIES for own in self.contrasts.values())

    def numbers(self) -> pd.DataFrame:
        """Return a row a method in full precision: its standing, then both contrasts."""
        rows = []
        for one in self.standings:
            row = {"metric": str(self.metric), **vars(one)}
            edges = row.pop("edges")
            row["chosen"] = str(one.chosen or "")
            row |= {"edge": str(edges or ""), "flat": bool(edges and edges.flat)}
            row["on_points"] = self.pairs.get(one.method, "")
            row |= _columns("", self.contrasts.get(one.method))
            row |= _columns("best_minus_", self.behind.get(one.method))
            rows.append(row)
        return pd.DataFrame(rows)


def _columns(prefix: str, own: Contrast | None) -> dict[str, object]:
    own = own or Contrast("")
    names = ["difference", "low_all", "high_all", "p_adjusted", "p_equivalence_adjusted", "n"]
    names += ["margin_relative", "within_relative"]
    given = {prefix + name: getattr(own, name) for name in names}
    return given | {f"{prefix}difference_se": own.se, f"{prefix}verdict": str(own.verdict)}
