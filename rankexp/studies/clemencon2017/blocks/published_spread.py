"""Published results of a single run beside the spread of the reproduced ones over seeds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.metrics.base import Metric, parse
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.verdicts import Reproduction, counted, reproduction_in_spread
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.report import figure
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Output, Table, Tally
from rankexp.runner.report.numbers import number
from rankexp.runner.report.options import AtRule, MetricOption
from rankexp.runner.report.published_words import left_out

REGISTER = {"published_spread": "PublishedSpread"}

Line = dict[str, Any]
"""A metric of a method on a problem, over seeds, by column; NaN where nothing is published."""
TAIL = 0.05  # share of the seeds below, and above, the interval shown
LEGEND = (
    "A published value is a single run, so it is compared with the spread of single runs: "
    "reproduced from the 5 % to the 95 % quantile over seeds, near within the extremes, each by "
    "half of the last printed digit more. Seeds below: the share with a smaller value than the "
    "published one. Best in: seeds in which the method has the best value, alone or with "
    "others. Figure: boxes of quartiles with whiskers to the 5 % and 95 % "
    "quantiles; a diamond is published."
)


class Panel(NamedTuple):
    """What one panel of the figure shows: values over seeds, and lines, by method."""

    problem: str
    metric: Metric
    values: Mapping[str, Floats]
    lines: list[Line]


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
            self._panel(context, (experiment, problem), metric, methods)
            for experiment, metric, problem in self._places(context, block)
        ]
        lines = [line for panel in panels for line in panel.lines]
        numbers = pd.DataFrame(lines).drop(columns=["printed", "digits"])
        notes = [*counted(line["verdict"] for line in lines), LEGEND]
        drawn = draw(context, panels, methods)
        tables, tally = [self._table(context, lines)], self._tally(context, lines)
        gist = tally.gist if tally else ""
        return Output(numbers, tables, drawn, notes, gist=gist, tally=tally)

    def _tally(self, context: Context, lines: Sequence[Line]) -> Tally | None:
        """Count the published values that lie in the spread, and name the furthest from it."""
        told = [line for line in lines if line["verdict"] not in (None, Reproduction.NOT_RUN)]
        idle = [line for line in lines if line["verdict"] == Reproduction.NOT_RUN]
        printed_too = [line["problem"] for line in idle if not math.isnan(line["published"])]
        left = left_out(context, printed_too)
        if not told:
            return Tally(left=left) if left else None
        apart = [line for line in told if line["verdict"] != Reproduction.REPRODUCED]
        seeds = min(line["seeds"] for line in told)
        found = f"{len(told) - len(apart)} of {len(told)} published values lie where nine in ten "
        found += f"of {seeds} seeds do"
        if not apart:
            return Tally(found, left=left)
        worst = max(apart, key=lambda one: abs(one["mean"] / one["published"] - 1))
        label, metric = context.method_label(worst["method"]), parse(worst["metric"]).label
        own = number(worst["mean"], worst["digits"])
        printed = number(worst["published"], worst["printed"])
        where = f"furthest {label} in {metric} ({own} here, {printed} printed)"
        return Tally(found, f"{len(apart)} of {len(told)} values, {where}", left)

    def _panel(
        self, context: Context, where: tuple[str, str], metric: Metric, methods: Sequence[str]
    ) -> Panel:
        experiment, problem = where
        splits = context.chosen(experiment, metric, self.rule, methods)
        units = compare.unit_means(splits[splits["problem"] == problem]).dropna(subset=["value"])
        wide = units.pivot(index="unit", columns="method", values="value")
        # The seeds in which each method has the highest, or the lowest, value, alone or not.
        highest, lowest = (
            wide.eq(end, axis=0).sum() for end in (wide.max(axis=1), wide.min(axis=1))
        )
        best, worst = (highest, lowest) if metric.direction == "higher" else (lowest, highest)
        values = compare.by_method(units, methods)
        lines = []
        for name in methods:
            places = {"best": int(best.get(name, 0)), "worst": int(worst.get(name, 0))}
            key = PublishedKey(experiment, problem, name, str(metric))
            lines.append(self._line(context, key, values[name], places))
        return Panel(context.problem_label(problem), metric, values, lines)

    def _line(
        self, context: Context, key: PublishedKey, seeds: Floats, places: Mapping[str, int]
    ) -> Line:
        target = context.published.get(key)
        value = target.value if target else math.nan
        printed = max(0, -round(math.log10(target.last_digit))) if target else self.digits
        known = seeds if len(seeds) else np.array([math.nan])
        low, median, high = np.quantile(known, [TAIL, 0.5, 1 - TAIL]).tolist()
        least, greatest = float(known.min()), float(known.max())
        digits = max(self.digits, printed + 1 if target else 0)
        verdict = None
        if not len(seeds):
            target, verdict = None, Reproduction.NOT_RUN
        elif target is not None:
            half, extremes = target.last_digit / 2, (least, greatest)
            verdict = reproduction_in_spread(value, half, (low, high), extremes)
        return {
            **dict(zip(("experiment", "problem", "method", "metric"), key, strict=True)),
            "published": value,
            "mean": float(known.mean()),
            "low": low,
            "median": median,
            "high": high,
            "least": least,
            "greatest": greatest,
            "below": float((seeds < value).mean()) if target else math.nan,
            "seeds": len(seeds),
            **places,
            "verdict": verdict,
            "source": target.source if target else "",
            "note": target.note if target and verdict != Reproduction.REPRODUCED else "",
            "printed": printed,
            "digits": digits,
        }

    def _table(self, context: Context, lines: Sequence[Line]) -> Table:
        header = ["Metric", "Method", "Published", "Mean (5 to 95 %)"]
        header += ["Seeds below", "Verdict", "Best in"]
        several = len({(line["experiment"], line["problem"]) for line in lines}) > 1
        rows: list[list[Entry]] = []
        for line in lines:
            problem, seeds = context.problem_label(line["problem"]), line["seeds"]
            label = parse(line["metric"]).label
            known = seeds and not math.isnan(line["published"])
            ends = None if math.isnan(line["low"]) else (line["low"], line["high"])
            rows.append(
                [
                    f"{label}, {problem}" if several else label,
                    context.method_label(line["method"]),
                    Cell(line["published"], digits=line["printed"]),
                    Cell(line["mean"], interval=ends, digits=line["digits"]),
                    Cell(f"{100 * line['below']:.0f} %" if known else None),
                    Cell(line["verdict"], note=line["note"]),
                    f"{line['best']} of {seeds}",
                ]
            )
        return Table(header, rows, "Published, and reproduced over seeds")


def draw(context: Context, panels: Sequence[Panel], methods: Sequence[str]) -> figure.Figure:
    """Return a panel a metric: a box a method over seeds, a diamond at the published value."""
    made, axes = figure.panels(len(panels), 3, (2.5, 2.6))
    one = len({panel.problem for panel in panels}) == 1
    for own, panel in zip(axes, panels, strict=True):
        _boxes(own, panel)
        label = panel.metric.label
        figure.title(own, label if one else f"{label}, {panel.problem}")
        figure.name_places(own, [context.method_label(name) for name in methods])
    return made


def _boxes(axes: figure.Axes, panel: Panel) -> None:
    figure.boxes(axes, list(panel.values.values()), (100 * TAIL, 100 * (1 - TAIL)))
    places = [place + 0.38 for place in range(len(panel.lines))]
    axes.plot(
        places, [line["published"] for line in panel.lines], "D", color="black", markersize=4
    )
    axes.set_xlim(-0.6, len(panel.lines) - 0.35)
    every = np.concatenate([*panel.values.values(), []])
    if len(every) and every.min() > 0 and every.max() > 50 * every.min():
        axes.set_yscale("log")
