"""Published results of a single run beside the spread of the reproduced ones over seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rankexp.analyse import compare, select
from rankexp.analyse.verdicts import Reproduction, counted, reproduction_in_spread
from rankexp.config.schema import Block
from rankexp.metrics.base import Metric, parse
from rankexp.report import figure
from rankexp.report.context import Context
from rankexp.report.model import Cell, Entry, Output, Table
from rankexp.report.options import Choosing, MetricOption, Rule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REGISTER = {"published_spread": "PublishedSpread"}

Key = tuple[str, str, str, str]
TAIL = 0.05
"""Share of the seeds below, and above, the interval shown."""


@dataclass(frozen=True)
class Spread:
    """A metric of a method on a problem, over seeds; NaN where nothing is published."""

    experiment: str
    problem: str
    method: str
    metric: str
    published: float
    mean: float
    low: float
    median: float
    high: float
    least: float
    greatest: float
    below: float
    seeds: int
    best: int
    worst: int
    verdict: Reproduction | None
    source: str
    note: str
    printed: int
    digits: int


@dataclass(frozen=True)
class Panel:
    """What one panel of the figure shows."""

    problem: str
    metric: Metric
    values: pd.DataFrame
    lines: Mapping[str, Spread]


class PublishedSpread(Choosing):
    """A row a metric and method: published, mean, 5, 50, 95 %, where the published value falls."""

    metrics: list[MetricOption] | None = None
    """Default: all of the experiment."""
    rule: Rule = select.ORACLE

    def output(self, context: Context, block: Block) -> Output:
        """Return the table and a figure of the spreads."""
        methods = self.shown(context, block)
        lines: list[Spread] = []
        panels: list[Panel] = []
        for experiment in block.experiments:
            for metric in self.metrics or map(parse, context.evaluate(experiment).metrics):
                values = self._values(context, experiment, metric, methods)
                for problem in context.evaluate(experiment).problems:
                    own = values[values["problem"] == problem]
                    found = self._lines(context, (experiment, problem), metric, own, methods)
                    lines += found
                    label = context.problem_label(problem)
                    panels.append(Panel(label, metric, own, {one.method: one for one in found}))
        return Output(
            numbers=pd.DataFrame([asdict(line) for line in lines]).drop(
                columns=["printed", "digits"]
            ),
            tables=[self._table(context, lines)],
            figure=draw(context, panels, methods),
            notes=_legend(lines),
        )

    def _values(
        self, context: Context, experiment: str, metric: Metric, methods: Sequence[str]
    ) -> pd.DataFrame:
        units = compare.unit_means(context.chosen(experiment, metric, self.rule, methods))
        return units.dropna(subset=["value"])

    def _lines(
        self,
        context: Context,
        where: tuple[str, str],
        metric: Metric,
        values: pd.DataFrame,
        methods: Sequence[str],
    ) -> list[Spread]:
        wide = values.pivot(index="unit", columns="method", values="value")
        wide = wide.reindex(columns=list(methods))
        higher = metric.direction == "higher"
        best, worst = _first(wide, higher), _first(wide, not higher)
        lines = []
        for method in methods:
            seeds = values.loc[values["method"] == method, "value"].to_numpy()
            counts = best[method], worst[method]
            lines.append(self._line(context, (*where, method, str(metric)), seeds, counts))
        return lines

    def _line(
        self, context: Context, key: Key, seeds: np.ndarray, counts: tuple[int, int]
    ) -> Spread:
        target = context.published.get(key)
        value = target.value if target else math.nan
        printed = max(0, -round(math.log10(target.last_digit))) if target else self.digits
        digits = max(self.digits, printed + 1 if target else 0)
        known = seeds if len(seeds) else np.array([math.nan])
        low, median, high = np.quantile(known, [TAIL, 0.5, 1 - TAIL]).tolist()
        least, greatest = float(known.min()), float(known.max())
        if not len(seeds):
            target, verdict = None, Reproduction.NOT_RUN
        elif target is None:
            verdict = None
        else:
            half, extremes = target.last_digit / 2, (least, greatest)
            verdict = reproduction_in_spread(value, half, (low, high), extremes)
        return Spread(
            *key,
            published=value,
            mean=float(known.mean()),
            low=low,
            median=median,
            high=high,
            least=least,
            greatest=greatest,
            below=float((seeds < value).mean()) if target else math.nan,
            seeds=len(seeds),
            best=counts[0],
            worst=counts[1],
            verdict=verdict,
            source=target.source if target else "",
            note=target.note if target and verdict != Reproduction.REPRODUCED else "",
            printed=printed,
            digits=digits,
        )

    def _table(self, context: Context, lines: Sequence[Spread]) -> Table:
        header = ["Metric", "Method", "Published", "Mean", "5 %", "50 %", "95 %"]
        header += ["Seeds below", "Verdict", "Best in", "Worst in", "Note"]
        several = len({(line.experiment, line.problem) for line in lines}) > 1
        rows: list[list[Entry]] = []
        for line in lines:
            what = f"{line.metric}, {context.problem_label(line.problem)}"
            known = not math.isnan(line.published)
            marks = (line.mean, line.low, line.median, line.high)
            rows.append(
                [
                    what if several else line.metric,
                    context.method_label(line.method),
                    Cell(line.published, digits=line.printed),
                    *(Cell(value, digits=line.digits) for value in marks),
                    Cell(f"{100 * line.below:.0f} %" if known and line.seeds else None),
                    Cell(line.verdict),
                    f"{line.best} of {line.seeds}",
                    f"{line.worst} of {line.seeds}",
                    Cell("", note=line.note),
                ]
            )
        return Table(header, rows, "Published, and reproduced over seeds")


def _first(wide: pd.DataFrame, higher: bool) -> Mapping[str, int]:
    """Count the seeds in which each method has the highest (lowest) value, alone or not."""
    first = wide.max(axis=1) if higher else wide.min(axis=1)
    return {str(name): int((wide[name] == first).sum()) for name in wide.columns}


def _legend(lines: Sequence[Spread]) -> list[str]:
    return [
        *counted(line.verdict for line in lines),
        "A published value is a single run, so it is compared with the spread of single runs: "
        "reproduced from the 5 % to the 95 % quantile over seeds, near within the extremes, each "
        "by half of the last printed digit more. Seeds below: the share with a smaller value than "
        "the published one. Best, worst in: seeds in which the method has the best, the worst "
        "value, alone or with others. Figure: boxes "
        "of quartiles with whiskers to the 5 % and 95 % quantiles; a diamond is published.",
    ]


def draw(context: Context, panels: Sequence[Panel], methods: Sequence[str]) -> "Figure":
    """Return a panel a metric: a box a method over seeds, a diamond at the published value."""
    made, axes = figure.panels(len(panels), 3, (2.5, 2.6))
    one = len({panel.problem for panel in panels}) == 1
    for own, panel in zip(axes, panels, strict=True):
        _boxes(own, panel, methods)
        figure.title(own, panel.metric if one else f"{panel.metric}, {panel.problem}")
        figure.name_places(own, [context.method_label(name) for name in methods])
    return made


def _boxes(axes: "Axes", panel: Panel, methods: Sequence[str]) -> None:
    values = [panel.values.loc[panel.values["method"] == m, "value"].to_numpy() for m in methods]
    figure.boxes(axes, values, (100 * TAIL, 100 * (1 - TAIL)))
    published = [panel.lines[method].published for method in methods]
    places = [place + 0.38 for place in range(len(methods))]
    axes.plot(places, published, "D", color="black", markersize=4)
    axes.set_xlim(-0.6, len(methods) - 0.35)
    every = panel.values["value"]
    if len(every) and every.min() > 0 and every.max() > 50 * every.min():
        axes.set_yscale("log")
