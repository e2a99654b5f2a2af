"""Published results of a single run beside the spread of the reproduced ones over seeds."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.charts.numbers import number
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import compare, select
from rankexp.runner.config.published import Published, PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import METHOD, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Table, Tally
from rankexp.runner.report.options import AtRule, MetricOption
from rankexp.runner.report.published import found_of, judged, left_out
from rankexp.statistics.verdicts import LEVEL, Reproduction, counted

REGISTER = {"published_spread": "PublishedSpread"}

LEGEND = (
    "A published value is that of a single run, so it is compared with the spread of single runs. "
    "Reproduced: it lies where {0:g} % of single runs do, given their number here and the "
    "rounding. Near: it is at most twice as far from their median. Seeds below: the share of "
    "seeds with a smaller value than the published one. Best in: the seeds in which the method "
    "has the best value, alone or with others. The figure shows the mean over seeds with the "
    "2.5 % and 97.5 % quantiles."
)
WIDE = 50.0  # values whose largest is so many times the smallest have a logarithmic axis
TAIL = (1 - LEVEL) / 2  # share of the seeds below, and above, the interval shown


class OverSeeds(NamedTuple):
    """What the values of a method over seeds say; NaN where there are none."""

    mean: float
    low: float
    median: float
    high: float
    least: float
    greatest: float
    seeds: int
    verdict: Reproduction | None  # None where nothing is published

    @classmethod
    def of(
        cls,
        context: Context,
        place: PublishedKey,
        rule: select.Rule,
        values: Floats,
        target: Published | None,
    ) -> Self:
        """Return the spread of values, (s,), and what it says of a published value."""
        known = values if len(values) else np.array([math.nan])
        low, median, high = np.quantile(known, [TAIL, 0.5, 1 - TAIL]).tolist()
        ends, mean = (float(known.min()), float(known.max())), float(known.mean())
        if target is not None:
            target = replace(target, units=target.units or 1)
        verdict = judged(context, place, rule, target).verdict
        verdict = verdict if len(values) else Reproduction.NOT_RUN
        return cls(mean, low, median, high, *ends, len(values), verdict)


def decimals(printed: Published) -> int:
    """Return how many decimals a published value has."""
    return max(0, -round(math.log10(printed.last_digit)))


@dataclass(frozen=True)
class SpreadLine:
    """A method on a problem, in one metric: its values over seeds and what is published."""

    place: tuple[str, str, str]  # experiment, problem, method
    metric: Metric
    values: Floats
    spread: OverSeeds
    target: Published | None
    best: int  # in how many seeds it is the best, alone or with others
    worst: int

    @property
    def published(self) -> float:
        """The published value; NaN where there is none."""
        return self.target.value if self.target else math.nan

    @property
    def judged(self) -> Published | None:
        """What is published, where there is anything to compare it with."""
        return self.target if self.spread.seeds else None

    @property
    def below(self) -> float:
        """The share of seeds with a smaller value than the published one."""
        return float((self.values < self.published).mean()) if self.judged else math.nan

    @property
    def note(self) -> str:
        """Why it isn't reproduced."""
        said = self.judged and self.spread.verdict != Reproduction.REPRODUCED
        return self.judged.note if self.judged and said else ""

    def numbers(self) -> dict[str, str | float | None]:
        """Return a row of the .csv."""
        given = dict(zip(("experiment", "problem", "method"), self.place, strict=True))
        own = self.spread._asdict()
        seeds, verdict = own.pop("seeds"), own.pop("verdict")
        return {
            **given,
            "metric": str(self.metric),
            "published": self.published,
            **own,
            "below": self.below,
            "seeds": seeds,
            "best": self.best,
            "worst": self.worst,
            "verdict": verdict,
            "source": self.judged.source if self.judged else "",
            "note": self.note,
        }


class PublishedSpread(AtRule):
    """A row a metric and method: published, mean, 5, 50, 95 %, where the published value falls."""

    metrics: list[MetricOption] | None = None
    """Default: all of the experiment."""

    def _places(self, context: Context, block: Block) -> Iterator[tuple[str, Metric, str]]:
        """Yield an experiment, metric and problem for each panel."""
        for experiment in block.experiments:
            setup = context.evaluate(experiment)
            yield from product(
                [experiment], self.metrics or map(parse, setup.metrics), setup.problems
            )

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield a value of each method in each panel."""
        for (experiment, metric, problem), method in product(
            self._places(context, block), self.shown(context, block)
        ):
            yield PublishedKey(experiment, problem, method, str(metric))

    def output(self, context: Context, block: Block) -> Output:
        """Return the table and a figure of the spreads."""
        methods = self.shown(context, block)
        panels = [
            self._lines(
                context, PublishedKey(experiment, problem, "", str(metric)), metric, methods
            )
            for experiment, metric, problem in self._places(context, block)
        ]
        lines = [line for panel in panels for line in panel]
        numbers = pd.DataFrame([line.numbers() for line in lines])
        notes = [*counted(line.spread.verdict for line in lines), LEGEND.format(100 * LEVEL)]
        tables, tally = [self._table(context, lines)], self._tally(context, lines)
        gist = tally.gist if tally else ""
        return Output(numbers, tables, chart(context, panels), notes, gist=gist, tally=tally)

    def _decimals(self, line: SpreadLine) -> int:
        """Return the decimals of a mean: one more than the published value has."""
        return max(self.digits, decimals(line.judged) + 1 if line.judged else 0)

    def _published(self, line: SpreadLine) -> int:
        return decimals(line.target) if line.target else self.digits

    def _tally(self, context: Context, lines: Sequence[SpreadLine]) -> Tally | None:
        told = [line for line in lines if line.judged]
        idle = [line.place[1] for line in lines if line.target and not line.spread.seeds]
        left, verdicts = left_out(context, idle), [str(line.spread.verdict) for line in told]
        if not told:
            return Tally(left=left) if left else None
        seeds = min(line.spread.seeds for line in told)
        found = found_of(
            [line.spread.verdict for line in told],
            "published values",
            f"are consistent with {seeds} seeds ({100 * LEVEL:g} %)",
        )
        apart = [line for line in told if line.spread.verdict is Reproduction.APART]
        if not apart:
            return Tally(found, left=left, verdicts=verdicts)
        worst = max(apart, key=lambda one: abs(one.spread.mean / one.published - 1))
        label, metric = context.method_label(worst.place[2]), worst.metric.label
        own = number(worst.spread.mean, self._decimals(worst))
        printed = number(worst.published, self._published(worst))
        where = f"furthest {label} in {metric} ({own} here, {printed} published)"
        return Tally(found, f"{len(apart)} of {len(told)} values, {where}", left, verdicts)

    def _lines(
        self, context: Context, where: PublishedKey, metric: Metric, methods: Sequence[str]
    ) -> list[SpreadLine]:
        splits = context.chosen(where.experiment, metric, self.rule, methods)
        units = compare.unit_means(splits[splits.problem == where.problem]).dropna(
            subset=["value"]
        )
        wide = units.pivot(index="unit", columns="method", values="value")
        # The seeds in which each method has the highest, or the lowest, value, alone or not.
        ends = [wide.eq(end, axis=0).sum() for end in (wide.max(axis=1), wide.min(axis=1))]
        best, worst = ends if metric.direction == "higher" else ends[::-1]
        made = []
        for name, values in compare.by_method(units, methods).items():
            target = context.published.get(key := where._replace(method=name))
            counts = int(best.get(name, 0)), int(worst.get(name, 0))
            spread = OverSeeds.of(context, key, self.rule, values, target)
            made.append(SpreadLine(key[:3], metric, values, spread, target, *counts))
        return made

    def _table(self, context: Context, lines: Sequence[SpreadLine]) -> Table:
        header = [*heads(Role.METRIC, "Metric"), METHOD, *heads(Role.PUBLISHED, "Published")]
        header += heads(Role.REPRODUCED, "Mean (2.5 to 97.5 %)")
        header += heads(Role.LABEL, "Seeds below") + heads(Role.VERDICT, "Verdict")
        header += heads(Role.LABEL, "Best in")
        several = len({line.place[:2] for line in lines}) > 1
        rows: list[list[Entry]] = []
        for line in lines:
            (_, problem, method), own, label = line.place, line.spread, line.metric.label
            ends = None if math.isnan(own.low) else (own.low, own.high)
            rows.append(
                [
                    f"{label}, {context.problem_label(problem)}" if several else label,
                    context.method_label(method),
                    Cell(line.published, digits=self._published(line)),
                    Cell(own.mean, interval=ends, digits=self._decimals(line)),
                    Cell(f"{100 * line.below:.0f} %" if line.judged else None),
                    Cell(own.verdict, note=line.note),
                    f"{line.best} of {own.seeds}",
                ]
            )
        return Table(header, rows, "Published, and reproduced over seeds")


def chart(context: Context, panels: Sequence[Sequence[SpreadLine]]) -> Chart:
    """Return a panel a metric: a row a method, its mean over seeds beside what is published."""
    several = len({lines[0].place[1] for lines in panels}) > 1
    made = []
    for lines in panels:
        label, found = lines[0].metric.label, []
        for line in lines:
            name, own = context.method_label(line.place[2]), line.spread
            found.append(Interval(name, own.mean, own.low, own.high))
            if line.target:
                found.append(Interval(name, line.published, method=1))
        known = [row.value for row in found if row.value > 0]
        wide = len(known) == len(found) and max(known, default=1.0) > WIDE * min(
            known, default=1.0
        )
        title = f"{label}, {context.problem_label(lines[0].place[1])}" if several else ""
        named = [
            "here: mean, 95 % of seeds",
            *(["published"] if any(o.target for o in lines) else []),
        ]
        axis = Axis(label, log=wide, better=lines[0].metric.direction)
        made.append(Intervals(title, found, axis, methods=named))
    rows = max(len(lines) for lines in panels)
    return Chart(made, 1, (6.8, 0.9 + 0.3 * rows))
