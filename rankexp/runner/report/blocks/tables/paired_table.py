"""Means and quartiles of each method, and its paired difference to a reference."""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from rankexp.metrics.base import parse
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block
from rankexp.runner.protocols.base import EXAMPLES, QUERIES
from rankexp.runner.report.context import Context
from rankexp.runner.report.leaders import leaders
from rankexp.runner.report.model import Cell, Output, Table
from rankexp.runner.report.numbers import span
from rankexp.runner.report.options import AtRule, MethodName

REGISTER = {"paired_table": "PairedTable"}

P = "p_random"
BY_QUERY = ["Bootstrap", "p randomisation", "p Holm"]
COLUMNS = ["Problem", "Method", "Mean", "q1", "Median", "q3", "Units", "NaN"]
OVER = {
    compare.OF_MODELS: "models",
    compare.OF_REPEATS: "repeats of the split (the noise of the partition alone)",
    compare.OF_QUERIES: "queries, stratified by fold",
    compare.OF_NOTHING: "a single unit (no SE)",
}
ERRORS = {"models": "over the same units", QUERIES: "over queries, stratified by fold"}
ERRORS |= {EXAMPLES: "of nothing: one test set, see a comparison"}
CORRECTED = (
    "over {}, corrected for training parts that overlap (Nadeau and Bengio, 2003), and not below "
    "what the test examples allow, as in a comparison: of the sample, not of its partition alone"
)


class PairedTable(AtRule):
    """One row a problem and method, differences paired by split."""

    reference: MethodName | None = None
    """Method that the others are compared with."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the table."""
        methods = self.shown(context, block)
        names = block.experiments
        numbers = pd.concat([self.numbers(context, name, methods) for name in names])
        tables, notes = [self.grid(context, numbers)], self.notes(context, numbers)
        return Output(numbers, tables, notes=notes, gist=self.gist(context, numbers))

    def numbers(self, context: Context, experiment: str, methods: list[str]) -> pd.DataFrame:
        """Return means, quartiles and paired differences of one experiment."""
        shown = methods + ([self.reference] if self.reference else [])
        splits = self.units(context, experiment, shown)
        keys = ["problem", "method"]
        means = compare.summary(splits)
        if self.reference:
            found = compare.paired(splits, self.reference)
            designs = context.designs(experiment, context.metric(experiment, self.metric))
            paired = compare.correct(found, compare.summary(found), designs)
            renamed = paired.rename(
                columns={"mean": "difference", "se": "difference_se", "units": "pairs"}
            )
            columns = [*keys, "difference", "difference_se", "low_all", "high_all", "pairs"]
            means = means.merge(renamed[columns], on=keys, how="left")
            means["pairs"] = means["pairs"].astype("Int64")
            resampled = compare.resampled(found, designs, context.study.seed)
            means = means.merge(resampled, on=keys, how="left") if len(resampled) else means
        means = means[means["method"].isin(methods)]
        ranks = {name: place for place, name in enumerate(methods)}
        places = {name: i for i, name in enumerate(context.evaluate(experiment).problems)}
        order = means["problem"].map(places) * len(ranks) + means["method"].map(ranks)
        means = means.iloc[order.argsort(kind="stable").to_numpy()]
        means.insert(0, "experiment", experiment)
        means.insert(3, "metric", str(context.metric(experiment, self.metric)))
        return means.reset_index(drop=True)

    def gist(self, context: Context, numbers: pd.DataFrame) -> str:
        """Say which method has the best mean on how many problems, and how far others are."""
        metrics = {parse(name) for name in numbers["metric"]}
        if len(metrics) != 1:
            return ""
        (metric,) = metrics
        text = leaders(context, numbers, "mean", metric)
        known = numbers.get("difference", pd.Series(dtype=float)).dropna()
        if self.reference and len(known):
            ends = span(known.min(), known.max(), self.digits)
            text += f" Mean differences to {context.method_label(self.reference)}: {ends}."
        return text

    def grid(self, context: Context, numbers: pd.DataFrame) -> Table:
        """Return the numbers as a table."""
        rows = []
        found = numbers.to_dict("records")
        labels = context.row_labels([(row["experiment"], row["problem"]) for row in found])
        for row, label in zip(found, labels, strict=True):
            cells = [
                label,
                context.method_label(str(row["method"])),
                Cell(row["mean"], row["se"], digits=self.digits),
                *(Cell(row[name], digits=self.digits) for name in ("q1", "median", "q3")),
                row["units"],
                row["nan"],
            ]
            cells += [self._difference(row)] if self.reference else []
            if P in numbers:
                ends = (float(row["boot_low"]), float(row["boot_high"]))
                cells.append(Cell(interval=ends, digits=self.digits + 1, sign=True))
                cells += [Cell(row[n], digits=3, least=0.001) for n in (P, f"{P}_adjusted")]
            rows.append(cells)
        header = list(COLUMNS)
        if self.reference:
            header.append(f"− {context.method_label(self.reference)}")
        header += BY_QUERY if P in numbers else []
        metrics = ", ".join(dict.fromkeys(parse(name).label for name in numbers["metric"]))
        return Table(header, rows, f"{metrics} by {self.rule.label}: mean ± SE, quartiles")

    def _difference(self, row: Mapping[Hashable, Any]) -> Cell:
        if row["method"] == self.reference:
            return Cell()
        # Paired differences are far smaller than the means: one more digit.
        digits = self.digits + 1
        known = not math.isnan(row["low_all"])
        ends = (float(row["low_all"]), float(row["high_all"])) if known else None
        return Cell(row["difference"], row["difference_se"], ends, digits=digits, sign=True)

    def notes(self, context: Context, numbers: pd.DataFrame) -> list[str]:
        """Say what the units and the differences are."""
        kinds = [OVER[kind] for kind in dict.fromkeys(numbers["se_of"])]
        notes = [f"Quartiles and SE over {' and '.join(kinds)}."] if kinds else []
        if self.reference:
            label = context.method_label(self.reference)
            of = {
                found.pairs
                for name in numbers["experiment"].unique()
                for found in context.designs(name, context.metric(name, self.metric)).values()
            }
            said = "; ".join(ERRORS.get(name, CORRECTED.format(name)) for name in sorted(of))
            notes.append(
                f"Differences are to {label} on the same splits, ± SE {said}; 95 % intervals "
                "for all problems of a method at once (Bonferroni)."
            )
        if P in numbers:
            notes.append(
                "Bootstrap: percentile intervals (95 %), each for itself, the queries of a fold "
                "drawn anew. p: paired randomisation test; Holm: over all methods and problems."
            )
        return notes
