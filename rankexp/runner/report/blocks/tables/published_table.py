"""Published values beside the reproduced ones, with standard errors and a verdict."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.charts.numbers import number
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import select
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.grid import Point
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import METHOD, Head, Role, heads, measured
from rankexp.runner.report.model import Beside, Cell, Cells, Entry, Output, Table
from rankexp.runner.report.options import Choosing, MethodName, MetricOption, Ruled, Rules
from rankexp.runner.report.published import MARKS, PublishedLine, judged, legend, tally
from rankexp.runner.report.verdict_words import leaders
from rankexp.runner.run.opened import Count
from rankexp.statistics.contrast import NAN
from rankexp.statistics.verdicts import Reproduction

DATA_SET = Head("Data set", Role.PROBLEM)
REGISTER = {"published_table": "PublishedTable"}

Chosen = tuple[Point, str]  # a grid point, and the end of its grid that it is at
UNTOLD = (Reproduction.REPRODUCED, Reproduction.UNDECIDED)  # verdicts that need no explanation


class PublishedTable(Choosing, Ruled):
    """Rows of problems, columns of methods: published / reproduced ± SE / other rules."""

    beside: dict[MethodName, MethodName] = Field(default_factory=dict)
    """Extra method -> the method whose published value it stands beside."""
    metrics: list[MetricOption] = Field(default_factory=list)
    """Several in place of `metric`: a table a problem, of rows of methods and columns of these."""
    rules: Rules = select.BOTH  # the first is compared with the published values
    details: bool = True
    """Whether a second table has a row for each problem and method; the .csv always has."""

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods shown, those beside others last."""
        shown = self.shown(context, block)
        return [m for m in shown if self.methods or m not in self.beside] + list(self.beside)

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield a value of each metric, problem and method, or of the one that it is beside."""
        for experiment, metric in self._columns(context, block):
            setup = context.evaluate(experiment)
            for problem, method in product(setup.problems, self.needed(context, block)):
                if method in setup.methods:
                    own = self.beside.get(method, method)
                    yield PublishedKey(experiment, problem, own, str(metric))

    def _columns(self, context: Context, block: Block) -> list[tuple[str, Metric]]:
        return [
            (experiment, metric)
            for experiment in block.experiments
            for metric in self.metrics or [context.metric(experiment, self.metric)]
        ]

    def output(self, context: Context, block: Block) -> Output:
        methods = dict.fromkeys(self.needed(context, block), "") | self.beside
        columns = self._columns(context, block)
        lines = [line for own in columns for line in self._lines(context, *own, methods)]
        for i, line in enumerate(lines):
            if not line.known and line.state != "complete":
                value = context.referred(block.name, "reproduced", line[:3])
                lines[i] = line._replace(referred=value)
        wide = [] if self.metrics else [self._wide(context, lines, methods)]
        tables = wide or self._by_metric(context, lines)
        tables += [self._details(context, lines)] if self.details else []
        numbers = pd.DataFrame(lines).drop(columns=["others", "referred"], errors="ignore")
        for place, rule in enumerate(self.rules[1:] if lines else ()):
            after = PublishedLine._fields.index("others") + place
            numbers.insert(after, f"by {rule}", [line.others[place] for line in lines])
        told, metrics = tally(context, lines, self.digits), {parse(line.metric) for line in lines}
        gist = told.gist if told else leaders(context, numbers, "reproduced", metrics)
        notes = legend(lines)
        return Output(numbers, tables, notes=notes, gist=gist, tally=told)

    def _lines(
        self, context: Context, experiment: str, metric: Metric, methods: Mapping[str, str]
    ) -> list[PublishedLine]:
        setup = context.evaluate(experiment)
        chosen = context.chosen(experiment, metric, self.rules[0], list(methods))
        counts = select.chosen_counts(chosen, context.scores(experiment, metric))
        points: dict[tuple[str, str], Chosen] = {}  # those chosen most often
        for problem, method, grid, _, edge in counts.itertuples(index=False, name=None):
            points.setdefault((problem, method), (grid, str(edge or "")))
        others = [context.means(experiment, metric, rule) for rule in self.rules[1:]]
        found = [{one[:2]: one.mean for one in own} for own in others]
        lines, shown = [], [method for method in methods if method in setup.methods]
        for place in product(setup.problems, shown):
            key = PublishedKey(experiment, *place, str(metric))
            values = [means.get(place, NAN) for means in found]
            point = points.get(place, (Point(()), ""))
            lines.append(self._line(context, key, methods[key.method], values, point))
        return lines

    def _line(
        self, context: Context, key: PublishedKey, beside: str, others: Sequence[float], at: Chosen
    ) -> PublishedLine:
        experiment, problem, method, quantity = key
        target = context.published.get(key._replace(method=beside or method))
        count = context.counts.get((experiment, problem, method), Count())
        state = "complete" if count.complete else "incomplete"
        found = judged(context, key, self.rules[0], target)
        main, loss = found.row, target.value if target else NAN
        loss = 1 - loss if parse(quantity).direction == "higher" else loss
        note = target.note if target and not beside and found.verdict not in UNTOLD else ""
        note = "Its data was not available." if context.missing_data(problem) else note
        relative = found.difference / loss if loss > 0 else NAN
        return PublishedLine(
            *(experiment, problem, method, beside, quantity, target.value if target else NAN),
            *(main.mean, main.se, main.se_of, tuple(others), found.difference, relative),
            *found[2:],
            *at,
            *(main.splits, main.nan, count.expected),
            state=state if count.expected else "not run",
            source=target.source if target else "",
            verified=target.verified if target else None,
            note=note,
        )

    def _wide(
        self, context: Context, lines: Sequence[PublishedLine], methods: Mapping[str, str]
    ) -> Table:
        known = any(not math.isnan(line.published) for line in lines)
        found: dict[tuple[str, str], dict[str, Cells]] = {}
        for line in lines:
            own = found.setdefault((line.experiment, line.problem), {})
            own[line.method] = self._cell(line, known)
        labels = context.row_labels(list(found))
        rows: list[list[Entry]] = [
            [label, *(cells.get(method, Cell()) for method in methods)]
            for label, cells in zip(labels, found.values(), strict=True)
        ]
        if known:
            means = [self._mean_difference(lines, method) for method in methods]
            rows.append([Cell("mean difference", pooled=True), *means])
        name, better = measured(parse(line.metric) for line in lines)
        names = map(context.method_label, methods)
        header = [DATA_SET, *heads(Role.VALUE, *names, names=Role.METHOD)]
        caption = f"{name}: {self._what(known)}"
        return Table(header, rows, caption, of={Role.METRIC: name}, better=better)

    def _what(self, known: bool) -> str:
        what = ["published", "reproduced ± SE"] if known else ["mean ± SE"]
        return " / ".join([*what, *(rule.label for rule in self.rules[1:])])

    def _by_metric(self, context: Context, lines: Sequence[PublishedLine]) -> list[Table]:
        known = any(not math.isnan(line.published) for line in lines)
        found: dict[tuple[str, str], dict[str, list[Entry]]] = {}
        for line in lines:
            rows = found.setdefault((line.experiment, line.problem), {})
            name = line.method
            rows.setdefault(name, [context.method_label(name)]).append(self._cell(line, known))
        names = [metric.label for metric in self.metrics]
        header = [METHOD, *heads(Role.VALUE, *names, names=Role.METRIC)]
        better, tables = measured(self.metrics)[1], []
        for label, rows in zip(context.row_labels(list(found)), found.values(), strict=True):
            caption, of = f"{label}: {self._what(known)}", {Role.PROBLEM: label}
            tables.append(Table(header, list(rows.values()), caption, of=of, better=better))
        return tables

    def _cell(self, line: PublishedLine, known: bool) -> Cells:
        printed = Cell(line.published, digits=self.digits)
        first = [printed] if known and not line.compared_with else []
        beside = _beside(line)
        if not line.known:
            why = "undefined" if line.state == "complete" else "not run"
            if not math.isnan(line.referred):
                why = f"not run here (reference {number(line.referred, self.digits)})"
            return Cells([*first, Cell(why, beside=beside)])
        mark = MARKS.get(line.verdict) if line.verdict else None
        value = Cell(line.reproduced, line.se, mark=mark, digits=self.digits, beside=beside)
        return Cells([*first, value, *(Cell(own, digits=self.digits) for own in line.others)])

    def _mean_difference(self, lines: Sequence[PublishedLine], method: str) -> Cell:
        own = [line.difference for line in lines if line.method == method]
        known = [value for value in own if not math.isnan(value)]
        if not known:
            return Cell()
        remark = f"over {len(known)}"
        return Cell(float(np.mean(known)), remark=remark, digits=self.digits, sign=True)

    def _details(self, context: Context, lines: Sequence[PublishedLine]) -> Table:
        cell = partial(Cell, digits=self.digits)
        columns: list[tuple[Role, str, Callable[[PublishedLine], Entry]]] = [
            (Role.METHOD, "Method", lambda own: context.method_label(own.method)),
            *[(Role.METRIC, "Metric", lambda own: parse(own.metric).label)] * bool(self.metrics),
            (Role.PUBLISHED, "Published", lambda own: cell(own.published)),
            (Role.REPRODUCED, "Reproduced", lambda own: cell(own.reproduced, own.se)),
            *(
                (Role.VALUE, rule.label.capitalize(), lambda own, i=i: cell(own.others[i]))
                for i, rule in enumerate(self.rules[1:])
            ),
            (Role.DIFFERENCE, "Difference", lambda own: cell(own.difference, sign=True)),
            (Role.DIFFERENCE, "Of the loss", lambda own: Cell(percent(own.relative))),
            (Role.VALUE, "z", lambda own: Cell(own.z, digits=1, sign=True)),
            (Role.VALUE, "Passes", lambda own: cell(own.tolerance)),
            (Role.VERDICT, "Verdict", lambda own: Cell(own.verdict)),
            (
                Role.LABEL,
                "Chosen",
                lambda own: Cell(own.chosen.label or None, remark=own.edge and "edge"),
            ),
            (Role.LABEL, "Splits", lambda own: f"{own.splits}/{own.expected}"),
            (Role.COUNT, "Undefined", lambda own: own.nan),
            (Role.LABEL, "Note", lambda own: Cell("", note=own.note)),
        ]
        header = [DATA_SET, *(Head(label, role) for role, label, _ in columns)]
        places = context.row_labels([(line.experiment, line.problem) for line in lines])
        rows = [
            [place, *(entry(line) for *_, entry in columns)]
            for place, line in zip(places, lines, strict=True)
        ]
        name, better = measured(parse(line.metric) for line in lines)
        return Table(header, rows, "Details", True, {Role.METRIC: name}, better)


def _beside(line: PublishedLine) -> Beside | None:
    if line.verdict is None:
        return None
    chosen = line.chosen.label + ", at the edge of its grid" * bool(line.edge)
    splits = f"{line.splits} of {line.expected}"
    compared = (line.published, line.tolerance, line.verdict, line.z)
    return Beside(*compared, splits, chosen, line.note)


def percent(share: float) -> str | None:
    """Return a share as ``+13 %``; None where there is none."""
    if math.isnan(share):
        return None
    return f"{number(100 * share, 1 if abs(share) < 0.01 else 0, sign=True)} %"
