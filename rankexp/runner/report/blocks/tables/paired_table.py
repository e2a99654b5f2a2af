"""Means and quartiles of each method, and its paired difference to a reference."""

import math
from typing import NamedTuple

import pandas as pd

from rankexp.charts.numbers import span
from rankexp.metrics.metric import parse
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.frame import typed
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import METHOD, PROBLEM, Role, heads, measured
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import AtRule, MethodName
from rankexp.runner.report.verdict_words import leaders
from rankexp.runner.sentences import paragraphs

REGISTER = {"paired_table": "PairedTable"}

P = "p_random"
BY_QUERY = [*heads(Role.INTERVAL, "Bootstrap"), *heads(Role.P_VALUE, "p randomisation", "p Holm")]
COLUMNS = [
    PROBLEM,
    METHOD,
    *heads(Role.VALUE, "Mean", "q1", "Median", "q3"),
    *heads(Role.COUNT, "Units", "Undefined"),
]


class PairedRow(NamedTuple):
    """A method on a problem, with its differences to the reference; NaN for what there is not."""

    experiment: str
    problem: str
    method: str
    mean: float
    se: float
    q1: float
    median: float
    q3: float
    units: int
    nan: int
    difference: float
    difference_se: float
    low_all: float
    high_all: float
    boot_low: float
    boot_high: float
    p_random: float
    p_random_adjusted: float


class PairedTable(AtRule):
    """One row a problem and method, differences paired by split."""

    reference: MethodName | None = None  # method that the others are compared with

    def output(self, context: Context, block: Block) -> Output:
        methods = self.shown(context, block)
        names = block.experiments
        numbers = pd.concat([self.numbers(context, name, methods) for name in names])
        tables, notes = [self.grid(context, numbers)], self.notes(context, numbers)
        return Output(numbers, tables, notes=notes, gist=self.gist(context, numbers))

    def numbers(self, context: Context, experiment: str, methods: list[str]) -> pd.DataFrame:
        """Return means, quartiles and paired differences of one experiment."""
        metric, keys = context.metric(experiment, self.metric), ["problem", "method"]
        shown = methods + ([self.reference] if self.reference else [])
        splits = self.units(context, experiment, shown)
        means = compare.summary(splits)
        if self.reference:
            found = compare.paired(splits, self.reference)
            designs = context.designs(experiment, metric)
            paired = compare.correct(found, compare.summary(found), designs)
            columns = [*keys, "mean", "se", "low_all", "high_all", "units"]
            renamed = {"mean": "difference", "se": "difference_se", "units": "pairs"}
            own = paired[columns].rename(columns=renamed)
            means = means.merge(own, on=keys, how="left").astype({"pairs": "Int64"})
            resampled = compare.resampled(found, designs, context.study.seed)
            means = means.merge(resampled, on=keys, how="left") if len(resampled) else means
        order = {"problem": context.evaluate(experiment).problems, "method": methods}
        means = means[means.method.isin(methods)]
        means = means.sort_values(keys, key=lambda own: own.map(order[str(own.name)].index))
        means.insert(0, "experiment", experiment)
        means.insert(3, "metric", str(metric))
        return means.reset_index(drop=True)

    def gist(self, context: Context, numbers: pd.DataFrame) -> str:
        """Say which method has the best mean on how many problems, and how far others are."""
        text = leaders(context, numbers, "mean", {*map(parse, numbers.metric)})
        known = numbers.difference.dropna() if self.reference else ()
        if numbers.metric.nunique() == 1 and len(known):
            ends = span(min(known), max(known), self.digits)
            text += f" Mean differences to {context.method_label(self.reference or '')}: {ends}."
        return text

    def grid(self, context: Context, numbers: pd.DataFrame) -> Table:
        """Return the numbers as a table."""
        rows: list[list[Entry]] = []
        found = typed(numbers, PairedRow)
        labels = context.row_labels([(row.experiment, row.problem) for row in found])
        resampled = P in numbers
        for row, label in zip(found, labels, strict=True):
            cells: list[Entry] = [label, context.method_label(row.method)]
            cells.append(Cell(row.mean, row.se, digits=self.digits))
            cells += [Cell(own, digits=self.digits) for own in (row.q1, row.median, row.q3)]
            cells += [row.units, row.nan]
            more = self.digits + 1  # differences are far smaller than the means
            if self.reference:
                ends = None if math.isnan(row.low_all) else (row.low_all, row.high_all)
                own = Cell(row.difference, row.difference_se, ends, digits=more, sign=True)
                cells.append(Cell() if row.method == self.reference else own)
            if resampled:
                ends = (row.boot_low, row.boot_high)
                cells.append(Cell(interval=ends, digits=more, sign=True))
                for p in (row.p_random, row.p_random_adjusted):
                    cells.append(Cell(p, digits=3, least=0.001))
            rows.append(cells)
        header = list(COLUMNS)
        if self.reference:
            header += heads(Role.DIFFERENCE, f"− {context.method_label(self.reference)}")
        header += BY_QUERY if resampled else []
        name, better = measured(map(parse, numbers.metric.unique()))
        methods = list(numbers.method.unique())
        by = (self.rule.words(context.study, e, methods) for e in numbers.experiment.unique())
        caption = f"{name}{max(by, default='')}: mean ± SE, quartiles"
        return Table(header, rows, caption, of={Role.METRIC: name}, better=better)

    def notes(self, context: Context, numbers: pd.DataFrame) -> list[str]:
        """Say what the units and the differences are."""
        designs = {
            design.pairs
            for name in numbers.experiment.unique()
            for design in context.designs(name, context.metric(name, self.metric)).values()
        }
        return paragraphs(
            "paired",
            kinds=list(dict.fromkeys(numbers.se_of)),
            reference=context.method_label(self.reference) if self.reference else "",
            designs=sorted(designs),
            resampled=P in numbers,
        )
