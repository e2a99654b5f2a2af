"""Which grid points were chosen, with a warning where they lie at the edge of their grid."""

from collections.abc import Sequence
from typing import Annotated

import pandas as pd
from pydantic import Field

from rankexp.metrics.base import Metric
from rankexp.runner.analyse import select
from rankexp.runner.analyse.notes import Kind, Note
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import FLAT, from_neighbour
from rankexp.runner.report.model import Cell, Cells, Entry, Mark, Output, Table
from rankexp.runner.report.options import Choosing, Rule, Ruled

REGISTER = {"chosen_grid": "ChosenGrid"}


class ChosenGrid(Choosing, Ruled):
    """One row a problem, method and rule: the grid points chosen and how often."""

    rules: Annotated[
        tuple[Rule, ...], Field(min_length=1, strict=False, validate_default=True)
    ] = select.BOTH

    def output(self, context: Context, block: Block) -> Output:
        """Return the table of counts."""
        methods = self.shown(context, block)
        numbers = pd.concat(
            self._counts(context, name, rule, methods)
            for name in block.experiments
            for rule in self.rules
        )
        edges = int(numbers.loc[numbers["edge"].notna(), "count"].sum())
        total = int(numbers["count"].sum())
        notes: list[Note | str] = ["Counts are of models where there are models, else of splits."]
        notes.append(self._ties(context, block.experiments, methods))
        if edges:
            flat, other = self._flat(context, numbers), "a wider grid may do better"
            if flat == edges:
                other = "a wider grid would hardly do better"
            text = (
                f"Warning: {edges} of {total} choices lie at the edge of their grid "
                f"({Mark.EDGE.value}); {other}. In {flat} of these cases the mean at the edge and "
                f"beside it differ by less than {FLAT:g} of the margin."
            )
            counts = {"edges": edges, "choices": total, "flat": flat}
            notes.append(Note(Kind.WARNING, text, counts))
        return Output(numbers, [self._grid(context, numbers)], notes=notes)

    def _ties(self, context: Context, experiments: Sequence[str], methods: list[str]) -> str:
        """Say which of equally good points is chosen, and how often there were several."""
        tied, total = 0, 0
        for name in experiments:
            metric = context.metric(name, self.metric)
            for rule in self.rules:
                by = rule.by or metric

                def own(part: str, by: Metric = by, name: str = name) -> pd.DataFrame:
                    found = context.scores(name, by, part)
                    return found[found["method"].isin(methods)]

                counts = rule.ties(own("test"), own, by.direction == "higher")
                tied, total = tied + counts[0], total + counts[1]
        often = f"that decided {tied:,} of {total:,} choices (one for all splits is one)"
        return f"Of points that are equally good the first of the grid is taken: {often}."

    def _flat(self, context: Context, numbers: pd.DataFrame) -> int:
        """Count the choices at an edge where the metric has all but stopped to change."""
        found = 0
        for row in numbers[numbers["edge"].notna()].to_dict("records"):
            metric = context.metric(row["experiment"], self.metric)
            scores = context.scores(row["experiment"], metric)
            place = (scores["problem"] == row["problem"]) & (scores["method"] == row["method"])
            means = scores[place].groupby("grid")["value"].mean().to_dict()
            least = FLAT * (metric.reading.margin or 0.0)
            found += int(row["count"]) * (from_neighbour(means, row["edge"]) < least)
        return found

    def _counts(
        self, context: Context, experiment: str, rule: select.Rule, methods: list[str]
    ) -> pd.DataFrame:
        metric = context.metric(experiment, self.metric)
        chosen = context.chosen(experiment, metric, rule, methods)
        counts = select.chosen_counts(chosen, context.scores(experiment, metric))
        counts.insert(0, "rule", str(rule))
        counts.insert(0, "experiment", experiment)
        return counts

    def _grid(self, context: Context, numbers: pd.DataFrame) -> Table:
        points: dict[tuple[str, str, str], dict[str, list[Cell]]] = {}
        for row in numbers.to_dict("records"):
            rules = points.setdefault((row["experiment"], row["problem"], row["method"]), {})
            mark = Mark.EDGE if row["edge"] else None
            point = Cell(row["grid"].text, mark=mark, remark=str(row["count"]))
            rules.setdefault(row["rule"], []).append(point)
        rows: list[list[Entry]] = [
            [
                experiment,
                context.problem_label(problem),
                context.method_label(method),
                *(Cells(rules.get(str(rule), [Cell()]), ", ") for rule in self.rules),
            ]
            for (experiment, problem, method), rules in points.items()
        ]
        header = ["Experiment", "Problem", "Method", *(rule.label for rule in self.rules)]
        caption = f"Grid points chosen (how often; {Mark.EDGE.value} at the edge of the grid)"
        return Table(header, rows, caption, detail=True)
