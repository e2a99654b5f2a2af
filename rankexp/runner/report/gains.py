"""What training on pairs gains on one problem, as numbers: standings of methods, and contrasts.

The block `pairs_or_points` shows them; `rankexp.runner.report.gain_words` says them.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pandas as pd

from rankexp.metrics.metric import Metric
from rankexp.runner.analyse import delong, select
from rankexp.runner.analyse.kept import sources
from rankexp.runner.grid import Point
from rankexp.runner.report.context import Context, Estimated
from rankexp.statistics.contrast import Contrast, Settings

NAN = math.nan
SAME = 1e-9  # two ways to one number differ by less
LIKELY = 0.75  # of a gain: where its interval reaches less far below 0, it is worth a second look
FLAT = 0.1
"""Share of the margin: where the metric at a grid's edge differs from its neighbour by less, a
wider grid has little to give. Where both of two methods are as near to the best value, neither
has."""

BLIND = 0.5  # intervals that reach as far to both sides say nothing of shares of pairs


class Effect(StrEnum):
    """What training on pairs does beside the same loss on points."""

    GAIN = "better by what matters"
    LOSS = "worse by what matters"
    NONE = "no gain that matters"  # shown, or outside the interval
    PERFECT = "both rank perfectly"
    RANDOM = "neither is shown to rank better than chance"
    OPEN = "a gain is not excluded"
    UNKNOWN = "not compared"


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
    """A method on a problem; SE and interval allow for training parts that overlap."""

    method: str
    mean: float
    se: float
    low: float
    high: float
    seconds: float  # a split took: the grid, and the choice within the training part
    chosen: Point | None  # most often
    edges: Edges | None = None  # choices at ends of the grid

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
    kept = sources(context.cells, context.records, experiment, chosen)
    placed = context.by_rows(experiment, setup.problems[0], design)
    single = delong.alone(kept, metric, settings.level, design) if placed else {}
    level, margin, made = settings.level, settings.margin or NAN, []
    found = context.estimates(experiment, metric, chosen, setup.methods, level=level)
    estimated = {one.method: one for one in found}
    for method in setup.methods:
        own = chosen[chosen.method == method]
        one = estimated.get(method, Estimated(setup.problems[0], method))
        share, se, low, high = single.get(method, (NAN, NAN, NAN, NAN))
        if abs(share - one.mean) < SAME:  # weights, or queries, make it another share
            one = one._replace(se=se, low=low, high=high)
        points = Counter(own.grid).most_common(1)
        at = points[0][0] if points else None
        edges = edges_of(scores[scores.method == method], list(own.grid), margin)
        took = context.seconds(experiment, method)
        seconds = sum(took) / len(took) if took else NAN
        made.append(MethodStanding(method, *one[2:6], seconds, at, edges))
    sign = -1 if metric.direction == "higher" else 1
    return sorted(made, key=lambda one: (not one.known, sign * one.mean))


def edges_of(scores: pd.DataFrame, chosen: Sequence[Point], margin: float) -> Edges | None:
    """Return the ends of a method's grid that are chosen; None where none is."""
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
    """All that is found on one problem."""

    metric: Metric
    margin: float
    level: float
    rows: float  # of the data set; NaN where unknown
    standings: list[MethodStanding]  # best first
    pairs: Mapping[str, str]  # method on pairs -> its like on points
    contrasts: Mapping[str, Contrast]  # by method on pairs: its difference from its like
    behind: Mapping[str, Contrast]  # by method: the difference of the best from it
    tested: float = NAN  # rows of the one test set
    scorers: Mapping[str, str] = field(default_factory=dict)  # by method on pairs: its scores
    repeats: int = 0  # of random splits; 0 where there are none
    rarest: tuple[str, int] | None = None  # level and its rows
    within: bool = False  # whether only pairs within queries count
    trained: float = NAN  # rows of each training part
    random: frozenset[str] = frozenset()  # methods not shown to rank better than chance
    conditions: Sequence[str] = ()  # what speaks against the table, and is to be settled first
    points: Sequence[str] = ()  # other methods that are trained on points
    stopped: frozenset[str] = frozenset()  # methods whose fits mostly stopped before convergence

    def effect(self, method: str) -> Effect:
        """Return what training on pairs does with one method."""
        own, verdict = self.contrasts[method], self.contrasts[method].verdict
        if not verdict.compared:
            return Effect.UNKNOWN
        if {method, self.pairs[method]} <= self.random:
            return Effect.RANDOM
        losses = self._loss(method), self._loss(self.pairs[method])
        if max(losses) <= FLAT * self.margin and (verdict.equivalent or not verdict.shown):
            return Effect.PERFECT
        if verdict.equivalent:
            return Effect.NONE
        if verdict.shown:
            return Effect.GAIN if verdict.shown == "better" else Effect.LOSS
        most = own.high_all if self.metric.direction == "higher" else -own.low_all
        return Effect.NONE if min(most, self.room(method)) < self.margin else Effect.OPEN

    def room(self, method: str) -> float:
        """Return what is left to gain on a method's like on points, its error allowed for."""
        se = {one.method: one.se for one in self.standings}.get(self.pairs[method], NAN)
        return self._loss(self.pairs[method]) + (2 * se if se > 0 else math.inf)

    @property
    def blind(self) -> bool:
        """Whether intervals are so wide that no difference between methods can be told."""
        known = [own for own in self.contrasts.values() if math.isfinite(own.low_all)]
        wide = [min(-own.low_all, own.high_all) >= BLIND for own in known]
        return self.metric.reading.most == 1.0 and bool(wide) and all(wide)

    @property
    def chance(self) -> bool:
        """Whether no method is shown to rank better than chance."""
        known = [one.method for one in self.standings if one.known]
        return bool(known) and self.random.issuperset(known)

    def _loss(self, method: str) -> float:
        """Return how far a method is from the best value; infinite where that is not known."""
        mean = next((one.mean for one in self.standings if one.method == method), NAN)
        loss = 1.0 - mean if self.metric.direction == "higher" else mean
        return loss if self.metric.reading.most == 1.0 and not math.isnan(mean) else math.inf

    @property
    def best_on_points(self) -> MethodStanding | None:
        """The best of all methods on points, whatever its loss."""
        return self._best({*self.pairs.values(), *self.points})

    @property
    def advised_on_points(self) -> MethodStanding | None:
        """The best counterpart of one on pairs, unless it is worse, or another far ahead."""
        likes, best = {*self.pairs.values()}, self.best_on_points
        if best is None:
            return best
        near = [s for s in self.standings if abs(best.mean - s.mean) < self.margin]
        sound = {s.method for s in near if s.method not in self.stopped}
        best = self._best(sound & {*likes, *self.points}) or best
        like = self._best(sound & likes) or self._best(likes)
        if like is None:
            return best
        gap = self.behind.get(like.method)
        worse = gap is not None and gap.verdict.shown is not None
        return best if worse or abs(best.mean - like.mean) >= self.margin else like

    def _best(self, methods: Collection[str]) -> MethodStanding | None:
        return next((o for o in self.standings if o.known and o.method in methods), None)

    def _above_points(self, method: str) -> float:
        """Return by how much a method on pairs looks better than the best on points."""
        mean = next((one.mean for one in self.standings if one.method == method), NAN)
        sign, best = 1 if self.metric.direction == "higher" else -1, self.best_on_points
        return sign * (mean - best.mean) if best else NAN

    @property
    def gaining(self) -> list[str]:
        """The methods on pairs that gain what matters on the same loss on points."""
        return [method for method in self.contrasts if self.effect(method) is Effect.GAIN]

    @property
    def as_high(self) -> tuple[str, str]:
        """How high the best method on points ranks beside all of these, and ``than`` or ``as``."""
        best, shown = self.best_on_points, {m for m, o in self.behind.items() if o.verdict.shown}
        if best is not None and best.method in shown:
            return "nearly as high", "as"
        first = best is not None and best.method == self.standings[0].method
        above = first and shown.issuperset(self.gaining)
        return ("higher", "than") if above else ("as high", "as")

    @property
    def ahead(self) -> list[str]:
        """Those that gain, and look better by what matters than any method on points."""
        return [one for one in self.gaining if self._above_points(one) >= self.margin]

    @property
    def promising(self) -> str | None:
        """The method on pairs that looks better by what matters, and more likely is than not.

        Nothing is shown of it; its interval reaches less far below 0 than it is above.
        """
        sign = 1 if self.metric.direction == "higher" else -1
        gains = {
            method: sign * own.difference
            for method, own in self.contrasts.items()
            if min(sign * own.low_all, sign * own.high_all) > -LIKELY * sign * own.difference
            and sign * own.difference >= self.margin
            and self._above_points(method) >= self.margin
        }
        return max(gains, key=lambda method: gains[method], default=None)

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
