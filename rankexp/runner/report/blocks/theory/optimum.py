"""Methods beside the best scorer of each distribution, on the same test sets."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import chain

import pandas as pd

from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.charts.numbers import span
from rankexp.metrics.metric import Metric
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import AtRule
from rankexp.runner.report.verdict_words import leaders
from rankexp.runner.sentences import paragraphs

REGISTER = {"optimum": "Optimum"}

PLACE = ["problem", "model", "rep", "fold"]
MANY = 6  # methods that are told apart in a row


class Optimum(AtRule):
    """Rows of problems: the best scorer's value, each method's, and what it falls short by."""

    generators = True

    def output(self, context: Context, block: Block) -> Output:
        methods = self.shown(context, block)
        table = pd.concat([self._table(context, name, methods) for name in block.experiments])
        places = zip(table.experiment, table.problem, strict=True)
        table.insert(2, "label", context.row_labels(list(places)))
        title = context.metric(block.experiments[0], self.metric)
        drawn = chart(context, table, methods, title) if len(table) else None
        notes = paragraphs("optimum", rule=self.rule.label)
        gist = self._gist(context, table, title)
        return Output(table, self._grids(context, table, methods, title), drawn, notes, gist=gist)

    def _gist(self, context: Context, table: pd.DataFrame, metric: Metric) -> str:
        apart = table.short.dropna()
        if not len(apart):
            return ""
        ends = span(apart.min(), apart.max(), self.digits, sign=False)
        return (
            f"{leaders(context, table, 'value', {metric})} Distance from the best scorer: {ends}."
        )

    def _table(self, context: Context, experiment: str, methods: Sequence[str]) -> pd.DataFrame:
        splits = self.chosen(context, experiment, methods)
        metric = context.metric(experiment, self.metric)
        best = context.scores(experiment, metric.of_bayes).drop_duplicates(PLACE)
        both = splits.merge(best[[*PLACE, "value"]], on=PLACE, suffixes=("", "_best"))
        both["short"] = (both["value_best"] - both.value).abs()
        units = both.groupby(["problem", "method", "unit"], sort=False)
        values = units[["value", "value_best", "short"]].mean().reset_index()
        over = values.groupby(["problem", "method"], sort=False)
        result = over.agg(
            value=("value", "mean"),
            best=("value_best", "mean"),
            short=("short", "mean"),
            value_se=("value", "sem"),
            best_se=("value_best", "sem"),
            short_se=("short", "sem"),
            units=("unit", "size"),
        ).reset_index()
        result.insert(0, "experiment", experiment)
        return result

    def _grids(
        self, context: Context, table: pd.DataFrame, methods: Sequence[str], metric: Metric
    ) -> list[Table]:
        cell, columns = partial(Cell, digits=self.digits), ["label", "method", "value"]
        columns += ["best", "best_se", "short", "short_se"]
        apart: dict[str, list[Entry]] = {}
        values: dict[str, list[Entry]] = {}
        for label, method, value, *ends in table[columns].itertuples(index=False, name=None):
            for rows, shown in ((values, cell(value)), (apart, cell(*ends[2:]))):
                head = [label, cell(*ends[:2])]
                row = rows.setdefault(label, [*head, *(Cell() for _ in methods)])
                row[len(head) + methods.index(method)] = shown
        labels = list(map(context.method_label, methods))
        header = [PROBLEM, *heads(Role.VALUE, "Best ± SE")]
        short = header + heads(Role.DIFFERENCE, *labels, names=Role.METHOD)
        full = header + heads(Role.VALUE, *labels, names=Role.METHOD)
        of, means = {Role.METRIC: metric.label}, f"{metric.label}: means over models"
        caption = f"{metric.label}: the best, and how far methods are from it"
        return [
            Table(short, [*apart.values()], caption, of=of),
            Table(full, [*values.values()], means, True, of, metric.direction),
        ]


def chart(context: Context, table: pd.DataFrame, methods: Sequence[str], metric: Metric) -> Chart:
    """Return how far methods are from the best, with 2 SE: a row a problem with a mark a method.

    Many methods have rows of their own, a panel a problem, and so have those of one problem.
    """
    own = table[table.method.isin(list(methods))].fillna({"short_se": 0.0})
    places = {name: place for place, name in enumerate(methods)}
    names = list(map(context.method_label, methods))
    apart = len(methods) > MANY or own.label.nunique() == 1
    columns = own[["label", "method", "short", "short_se"]].itertuples(index=False, name=None)
    panels: dict[str, list[Interval]] = {}
    for label, method, short, se in columns:
        place = places[method]
        title, row, colour = (label, names[place], 0) if apart else ("", label, place)
        ends = short - 2 * se, short + 2 * se
        panels.setdefault(title, []).append(Interval(row, short, *ends, method=colour))
    label = f"{metric.label}: distance from the best scorer"
    reach = [one for row in chain(*panels.values()) for one in (row.low, row.high, 0.0)]
    view = (min(reach), max(reach)) if apart else (math.nan, math.nan)  # the same in all panels
    axis = Axis(label, False, "lower", *view, sides=("", ""))
    shown, said = [] if apart else names, "the best scorer"
    alike = (axis, math.nan, 0.0, None, shown, said)
    made = [Intervals(title, rows, *alike) for title, rows in panels.items()]
    most = max(len(panel.labels) for panel in made)
    height = max((0.22 if apart else 0.42) * most, 1.2)
    return Chart(
        made, size=(6.8, height), share="all" if apart else "none", below=0.3 if apart else 1.13
    )
