"""A metric, or its difference to a reference, along a parameter: lambda, examples, seconds."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field, PositiveFloat

from rankexp.charts.model import Axis, Chart, Line, Lines, Share
from rankexp.charts.numbers import number, printed, short
from rankexp.errors import ConfigError
from rankexp.metrics.metric import parse
from rankexp.runner.analyse import compare
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Block
from rankexp.runner.labels import spoken
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, PROBLEM, Head, Role, heads
from rankexp.runner.report.model import Cell, Cells, Entry, Output, Table
from rankexp.runner.report.options import AtRule, MethodName
from rankexp.runner.run.progress import duration
from rankexp.runner.sentences import paragraphs

REGISTER = {"along": "Along"}

SECONDS = "seconds"
MANY = 4  # methods, beyond which a sentence is no summary
WIDTH, HEIGHT = 3.5, 2.7  # of a panel, inches
WIDE = 20.0  # a parameter whose largest value is so many times its smallest has a log axis


class Spot(NamedTuple):
    """A method on a problem where the parameter has one value."""

    experiment: str
    problem: str
    method: str
    reference: str
    metric: str
    panel: str
    parameter: str
    x: float
    value: float
    se: float
    low: float
    high: float
    units: int
    share: float  # of the choices that are this grid point; NaN if x is not of a grid


class Along(AtRule):
    """A panel a problem: a line a method along a parameter; differences in bands.

    The parameter is one of the methods' grids (``lam``), of the protocols of several experiments
    (``n_train``), of generators (``p``; problems that differ in it alone share a panel), or
    ``seconds``, which a fit of a method's whole grid took.
    """

    parameter: str
    reference: MethodName | None = None
    """Method that the others' values are taken from, paired by split. Default: none."""
    label: str | None = None  # what the axis is called. Default: the parameter's name
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    margin: PositiveFloat | None = None  # half the height of a grey band about no difference
    columns: Annotated[int, Field(ge=1)] = 2

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods shown and the reference."""
        shown = self.shown(context, block)
        return list(dict.fromkeys([*shown, *([self.reference] if self.reference else [])]))

    def output(self, context: Context, block: Block) -> Output:
        methods = [name for name in self.shown(context, block) if name != self.reference]
        found = [spot for e in block.experiments for spot in self._spots(context, e, methods)]
        if not found:
            return Output(notes=["There is no value to show."])
        if self.parameter != SECONDS:
            found.sort(key=lambda spot: spot.x)
        numbers, notes = pd.DataFrame(found), self._notes(context, found, block)
        drawn = self._chart(context, found, methods)
        if _of_grid(found):
            return Output(numbers, [], drawn, notes)
        tables, gist = [self._table(context, found)], self._gist(context, found)
        return Output(numbers, tables, drawn, notes, gist=gist)

    def _spots(self, context: Context, experiment: str, methods: Sequence[str]) -> Iterator[Spot]:
        metric = context.metric(experiment, self.metric)
        wanted = [*methods, *([self.reference] if self.reference else [])]
        chosen = self.chosen(context, experiment, wanted)
        scores = context.scores(experiment, metric)
        points = {point: point.value(self.parameter) for point in scores.grid.unique()}
        along = any(value is not None for value in points.values())
        rows = scores[scores.method.isin(wanted)] if along else chosen
        x = rows.grid.map(points if along else dict.fromkeys(points, 0))
        for value, given in rows.groupby(x, sort=False):
            if given.duplicated([*compare.SPLIT, "method"]).any():
                raise ConfigError(f"experiment '{experiment}': its grid has other parameters, too")
            for one in context.estimates(
                experiment, metric, given, methods, reference=self.reference, level=self.level
            ):
                problem, method = one.problem, one.method
                own = chosen[(chosen.problem == problem) & (chosen.method == method)]
                share = float((own.grid.map(points) == value).mean()) if along else math.nan
                of = experiment, problem, method, self.reference or "", str(metric)
                panel = self._panel(context, problem), self.parameter
                at = value if along else self._x(context, experiment, problem, method)
                if one.units:
                    yield Spot(*of, *panel, at, *one[2:6], one.units, share)

    def _x(self, context: Context, experiment: str, problem: str, method: str) -> float:
        """Return where an experiment or a generator stands, or a method's median time."""
        if self.parameter == SECONDS:
            took = pd.Series(context.seconds(experiment, method, problem), dtype=float)
            return float(took.median())  # a machine's other work leaves it as it is
        known = context.evaluate(experiment).protocol.model_dump()
        if problem in context.study.generators:
            known |= context.study.generators[problem].params
        if not isinstance(known.get(self.parameter), int | float):
            of = {"experiment": experiment, "problem": problem, "parameter": self.parameter}
            raise ConfigError(message("report.no_number", **of))
        return float(known[self.parameter])

    def _panel(self, context: Context, problem: str) -> str:
        """Return a panel's title: problems that differ in the parameter alone share one."""
        entry = context.study.generators.get(problem)
        if entry is None or self.parameter not in entry.params:
            return context.problem_label(problem)
        others = [o for o in context.study.generators.values() if o.generator == entry.generator]
        rest = [{**one.params, self.parameter: 0} for one in (entry, *others)]
        alike = rest[1:].count(rest[0])  # itself among them
        return entry.generator if alike > 1 else context.problem_label(problem)

    @property
    def _name(self) -> str:
        return self.label or spoken(self.parameter)

    def _what(self, context: Context, found: Sequence[Spot]) -> str:
        what = parse(found[0].metric).label
        return f"{what} minus {context.method_label(self.reference)}" if self.reference else what

    def _table(self, context: Context, found: Sequence[Spot]) -> Table:
        timed, name, metric = self.parameter == SECONDS, self._name, parse(found[0].metric)
        role = Role.DIFFERENCE if self.reference else Role.VALUE
        rows: dict[tuple[str, str | float], dict[str, Entry]] = {}
        for spot in found:
            digits = self.digits + bool(self.reference)
            value = Cell(spot.value, spot.se, digits=digits, sign=bool(self.reference))
            cell: Entry = Cells([_seconds(spot.x), value], ": ") if timed else value
            place = spot.panel, context.title(spot.experiment) if timed else spot.x
            rows.setdefault(place, {})[spot.method] = cell
        methods, panels = ({s.method: 0 for s in found}, [s.panel for s in found])
        ordered = sorted(rows.items(), key=lambda one: panels.index(one[0][0]))
        body: list[list[Entry]] = [
            [panel, x if isinstance(x, str) else short(x), *(own.get(m, Cell()) for m in methods)]
            for (panel, x), own in ordered
        ]
        header = [PROBLEM, EXPERIMENT if timed else Head(name, Role.SETTING)]
        header += heads(role, *map(context.method_label, methods), names=Role.METHOD)
        title, of = f"{self._what(context, found)} by {name}, ± SE", {Role.METRIC: metric.label}
        # the figure shows it
        return Table(header, body, title, detail=True, of=of, better=metric.direction)

    def _gist(self, context: Context, found: Sequence[Spot]) -> str:
        name, timed = self._name, self.parameter == SECONDS
        minus = f" minus {context.method_label(self.reference)}" if self.reference else ""
        least, most = (end(spot.x for spot in found) for end in (min, max))
        parts = []
        for method in dict.fromkeys(spot.method for spot in found):
            own = [spot for spot in found if spot.method == method]
            end = max(spot.x for spot in own)
            last = [
                s for s in own if (s.experiment == found[-1].experiment if timed else s.x == end)
            ]
            at = _range(last, self.digits, minus)
            said = f"{_range(own, self.digits, minus)}, and {at} at {name} = {short(end)}"
            if timed:
                times = [spot.x for spot in last] or [math.nan]
                ends = dict.fromkeys(map(_seconds, (min(times), max(times))))
                said = f"{' to '.join(ends)} for {at}"
            parts.append(f"{context.method_label(method)}{minus} {said}")
        what = parse(found[0].metric).label
        if len(parts) > MANY:
            took = f" take {_seconds(least)} to {_seconds(most)} and" * timed
            reach = f"{what}{minus} of {_range(found, self.digits, minus)}"
            return f"{len(parts)} methods{took} have {reach}; the table has each."
        if timed:
            return f"{context.title(found[-1].experiment)}: {'; '.join(parts)}."
        return f"The {what} by {name} from {short(least)} to {short(most)}: {'; '.join(parts)}."

    def _notes(self, context: Context, found: Sequence[Spot], block: Block) -> list[str]:
        timed = self.parameter == SECONDS
        places = block.experiments if timed else ()
        gaps = [context.scores(name, "gap", "train").value for name in places]
        largest = max((float(own.max()) for own in gaps if len(own)), default=math.nan)
        return paragraphs(
            "along",
            own=self,
            timed=timed,
            of_grid=_of_grid(found),
            chosen=any(self.rule.words(context.study, name) for name in block.experiments),
            gap=None if math.isnan(largest) else largest,
        )

    def _chart(self, context: Context, found: Sequence[Spot], methods: Sequence[str]) -> Chart:
        x = [spot.x for spot in found]
        along = Axis(self._name, log=max(x) >= WIDE * min(x) > 0)
        of = Axis(self._what(context, found), better=parse(found[0].metric).direction)
        margin, reference = self.margin or math.nan, 0.0 if self.reference else math.nan
        panels = []
        for title in dict.fromkeys(spot.panel for spot in found):
            lines = [
                _line(context.method_label(name), place, own, banded=bool(self.reference))
                for place, name in enumerate(methods)
                if (own := [s for s in found if (s.panel, s.method) == (title, name)])
            ]
            panels.append(Lines(title, lines, along, of, margin=margin, reference=reference))
        share: Share = "all" if self.reference else "span"
        return Chart(panels, self.columns, (WIDTH, HEIGHT), share)


def _line(label: str, place: int, found: Sequence[Spot], *, banded: bool) -> Line:
    """Return a method's line; bands of levels say nothing of differences, which are paired."""
    x, y, low, high, sizes = np.array([(s.x, s.value, s.low, s.high, s.share) for s in found]).T
    chosen = None if np.isnan(sizes).all() else np.nan_to_num(sizes)
    made = Line(label, x, y, method=place, sizes=chosen)
    return replace(made, low=low, high=high) if banded else made


def _seconds(x: float) -> str:
    return f"{printed(f'{x:.2g}')} s" if x < 0.01 else duration(x)


def _of_grid(found: Sequence[Spot]) -> bool:
    return not all(math.isnan(spot.share) for spot in found)


def _range(found: Sequence[Spot], digits: int, sign: str) -> str:
    values = [spot.value for spot in found] or [math.nan]
    low, high = (number(end, digits, sign=bool(sign)) for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
