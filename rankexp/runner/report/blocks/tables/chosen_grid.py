"""Which grid points were chosen, with a warning where they lie at the edge of their grid."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import pandas as pd

from rankexp.metrics.metric import Metric
from rankexp.runner.analyse import select
from rankexp.runner.config.schema import Block
from rankexp.runner.grid import Point
from rankexp.runner.report.context import Context
from rankexp.runner.report.gains import FLAT, from_neighbour
from rankexp.runner.report.heads import EXPERIMENT, METHOD, PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Cells, Entry, Mark, Output, Table
from rankexp.runner.report.options import Choosing, Ruled, Rules
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.verdicts import Kind, Note

REGISTER = {"chosen_grid": "ChosenGrid"}


class ChosenPoint(NamedTuple):
    """A grid point that a rule chose, and how often."""

    experiment: str
    rule: str
    problem: str
    method: str
    grid: Point
    times: int
    edge: select.Edge | None


class ChosenGrid(Choosing, Ruled):
    """One row a problem, method and rule: the grid points chosen and how often."""

    rules: Rules = select.BOTH

    def output(self, context: Context, block: Block) -> Output:
        methods = self.shown(context, block)
        places = product(block.experiments, self.rules)
        numbers = pd.concat(self._counts(context, *place, methods) for place in places)
        rows = list(map(ChosenPoint._make, numbers.itertuples(index=False, name=None)))
        edges = sum(row.times for row in rows if row.edge)
        total = sum(row.times for row in rows)
        tied, ties = self._ties(context, block.experiments, methods)
        notes: list[Note | str] = [*paragraphs("chosen_grid", tied=tied, ties=ties)]
        if edges:
            flat = self._flat(context, rows)
            counts = {"edges": edges, "choices": total, "flat": flat}
            (text,) = paragraphs("edges", **counts, flatness=FLAT, mark=Mark.EDGE.value)
            notes.append(Note(Kind.CAVEAT if flat == edges else Kind.WARNING, text, counts))
        return Output(numbers, [self._grid(context, rows)], notes=notes)

    def _ties(
        self, context: Context, experiments: Sequence[str], methods: list[str]
    ) -> tuple[int, int]:
        counts = []
        for name, rule in product(experiments, self.rules):
            by = rule.by or context.metric(name, self.metric)

            def own(part: str, by: Metric = by, name: str = name) -> pd.DataFrame:
                found = context.scores(name, by, part)
                return found[found.method.isin(methods)]

            counts.append(rule.ties(own("test"), own, by.direction == "higher"))
        return sum(tied for tied, _ in counts), sum(total for _, total in counts)

    def _flat(self, context: Context, rows: Sequence[ChosenPoint]) -> int:
        """Count the choices at an edge where the metric has all but stopped to change."""
        found = 0
        for row in rows:
            if row.edge is None:
                continue
            metric = context.metric(row.experiment, self.metric)
            scores = context.scores(row.experiment, metric)
            place = (scores.problem == row.problem) & (scores.method == row.method)
            over = scores[place].groupby("grid").value.mean()
            means = dict(zip(over.index, over.tolist(), strict=True))
            least = FLAT * (metric.reading.margin or 0.0)
            found += row.times * (from_neighbour(means, row.edge) < least)
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

    def _grid(self, context: Context, found: Sequence[ChosenPoint]) -> Table:
        points: dict[tuple[str, str, str], dict[str, list[Cell]]] = {}
        for row in found:
            rules = points.setdefault((row.experiment, row.problem, row.method), {})
            mark = Mark.EDGE if row.edge else None
            cell = Cell(row.grid.label, mark=mark, remark=str(row.times))
            rules.setdefault(row.rule, []).append(cell)
        rows: list[list[Entry]] = []
        for (experiment, problem, method), rules in points.items():
            place = experiment, context.problem_label(problem), context.method_label(method)
            chosen = (rules.get(str(rule), [Cell()]) for rule in self.rules)
            rows.append([*place, *(Cells(own, ", ") for own in chosen)])
        labels = [rule.label for rule in self.rules]
        header = [EXPERIMENT, PROBLEM, METHOD, *heads(Role.LABEL, *labels)]
        caption = f"Grid points chosen (how often; {Mark.EDGE.value} at the edge of the grid)"
        return Table(header, rows, caption, detail=True)
