"""Methods beside the best scorer of each distribution, on the same test sets."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.frame import typed
from rankexp.runner.config.schema import Block
from rankexp.runner.report import figure
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.numbers import span
from rankexp.runner.report.options import AtRule
from rankexp.runner.report.verdict_words import leaders

REGISTER = {"optimum": "Optimum"}

PLACE = ["problem", "model", "rep", "fold"]
MARKERS = "osD^vP*X"


class Apart(NamedTuple):
    """A method on a problem, the best scorer, and how far it is from that."""

    experiment: str
    problem: str
    method: str
    value: float
    best: float
    short: float
    best_se: float
    short_se: float


class Optimum(AtRule):
    """Rows of problems: the best scorer's value, each method's, and what it falls short by."""

    generators = True

    def output(self, context: Context, block: Block) -> Output:
        """Return the table and a figure of it."""
        methods = self.shown(context, block)
        table = pd.concat([self._table(context, name, methods) for name in block.experiments])
        places = zip(table.experiment, table.problem, strict=True)
        table.insert(2, "label", context.row_labels(list(places)))
        title = context.metric(block.experiments[0], self.metric)
        drawn = draw(context, table, methods, title) if len(table) else None
        note = (
            "The best scorer is E[y | x] on the same test sets (for two classes P(y = 1 | x), for "
            "three levels the ranking function with the least risk on pairs). Grid points are "
            f"those that '{self.rule.label}' selected. Distances from the best are paired, ± SE "
            "over models; the figure shows 2 SE."
        )
        gist = self._gist(context, table, title)
        return Output(table, self._grids(context, table, methods, title), drawn, [note], gist=gist)

    def _gist(self, context: Context, table: pd.DataFrame, metric: Metric) -> str:
        apart = table.short.dropna()
        if not len(apart):
            return ""
        ends = span(apart.min(), apart.max(), self.digits, sign=False)
        return f"{leaders(context, table, 'value', metric)} Distance from the best scorer: {ends}."

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
        apart: list[list[Entry]] = []
        values: list[list[Entry]] = []
        for label, own in table.groupby("label", sort=False):
            found = {row.method: row for row in typed(own, Apart)}
            first = next(iter(found.values()))
            best = Cell(first.best, first.best_se, digits=self.digits)
            head: list[Entry] = [str(label), best]
            each, digits = [found.get(name) for name in methods], self.digits
            apart.append(
                [*head, *(Cell(r.short, r.short_se, digits=digits) if r else Cell() for r in each)]
            )
            values.append([*head, *(Cell(r.value, digits=digits) if r else Cell() for r in each)])
        header = ["Problem", "Best ± SE", *map(context.method_label, methods)]
        return [
            Table(header, apart, f"{metric.label}: the best, and how far methods are from it"),
            Table(header, values, f"{metric.label}: means over models", detail=True),
        ]


def draw(
    context: Context, table: pd.DataFrame, methods: Sequence[str], metric: Metric
) -> figure.Figure:
    """Return a line a problem with a mark a method: how far it is from the best, with 2 SE."""
    labels = list(dict.fromkeys(table.label))
    made, (axes,) = figure.panels(1, 1, (6.8, 0.42 * len(labels)), below=1.13)
    axes.axvline(0.0, color="black", linewidth=2.0, label="the best scorer")
    step = 0.7 / max(len(methods) - 1, 1)
    for i, method in enumerate(methods):
        own = table[table.method == method]
        heights = [labels.index(name) - 0.35 + i * step for name in own.label]
        axes.errorbar(
            own.short,
            heights,
            xerr=2.0 * own["short_se"].fillna(0.0),
            fmt=MARKERS[i % len(MARKERS)],
            color=figure.colour(i),
            markersize=4,
            fillstyle="full" if i < len(MARKERS) else "none",  # the same marks again, hollow
            elinewidth=0.9,
            label=figure.literal(context.method_label(method)),
        )
    axes.set_yticks(range(len(labels)), list(map(figure.literal, labels)))
    axes.set(ylim=(len(labels) - 0.5, -0.5))
    axes.set_xlabel(figure.literal(f"{metric.label}: distance from the best scorer"))
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    figure.legend(made)
    return made
