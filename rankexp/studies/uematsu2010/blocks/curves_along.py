"""Slopes of fitted scoring functions, and how far they are apart, along a parameter of a grid."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import number
from rankexp.runner.analyse import kept, select
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.labels import spoken, value_text
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, Head, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import Choosing, MethodName
from rankexp.studies.uematsu2010.theories import RMSE, SLOPE, Against, CurvePanel, distances

REGISTER = {"curves_along": "CurvesAlong"}

APART = "distance"


class CurvesAt(NamedTuple):
    """A quantity of a method's curves where the parameter has one value."""

    experiment: str
    at: float | str
    method: str
    quantity: str
    theory: float
    mean: float
    se: float
    median: float
    samples: int


class CurvesAlong(Choosing, Against):
    """A row an experiment and value of the parameter: slope, distance to theory and to a method.

    For methods whose grid is this one parameter, in experiments that keep scoring functions
    ``at`` fixed points.
    """

    keeps = "scoring_function"

    parameter: str
    reference: MethodName | None = None
    """Method that the others' curves are compared with, on the same sample. Default: none."""
    digits: int = 3

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find methods with another grid, beside the usual."""
        yield from super().faults(study, block)
        for name in {*(self.methods or []), *([self.reference] if self.reference else [])}:
            if name in study.methods and list(study.methods[name].grid) != [self.parameter]:
                text = f"the grid of '{name}' is not of '{self.parameter}' alone"
                yield Fault(("options", "parameter"), text)

    def output(self, context: Context, block: Block) -> Output:
        """Return a panel a quantity along the parameter, and the table."""
        methods = self.shown(context, block)
        found = [own for name in block.experiments for own in self._found(context, name, methods)]
        if not found:
            return Output(notes=["No scoring function is kept; see 'keep' of the experiment."])
        note = (
            "Mean ± SE over samples; the bars of the figure are two SE. RMSE: root mean squared "
            "distance to theory in the window."
        )
        if self.reference:
            note += f" Distance: the median distance to {context.method_label(self.reference)} "
            note += "on the same sample."
        return Output(
            pd.DataFrame(found).rename(columns={"at": self.parameter}),
            [self._table(context, found)],
            self._chart(context, found, methods),
            gist=self._gist(context, found),
            notes=[note],
        )

    def _gist(self, context: Context, found: Sequence[CurvesAt]) -> str:
        told: dict[str, list[str]] = {}
        lines: dict[tuple[str, str, str], list[CurvesAt]] = {}
        for one in found:
            lines.setdefault((one.experiment, one.method, one.quantity), []).append(one)
        for (experiment, method, quantity), own in lines.items():
            parts, label = told.setdefault(experiment, []), context.method_label(method)
            if quantity == SLOPE:
                means = [one.mean for one in own]
                low, high = number(min(means), 2), number(max(means), 2)
                parts.append(f"slope of {label} {low} to {high}")
            if quantity == APART:
                ends = (
                    f"{number(one.median, self.digits)} at {value_text(one.at)}"
                    for one in own[:: len(own) - 1 or 1]
                )
                other = context.method_label(self.reference or "")
                parts.append(f"distance of {label} to {other} {', '.join(ends)}")
        titles = {name: context.evaluate(name).title or name for name in told}
        return " ".join(f"{titles[name]}: {'; '.join(parts)}." for name, parts in told.items())

    def _found(
        self, context: Context, experiment: str, methods: Sequence[str]
    ) -> Iterator[CurvesAt]:
        grids = [context.study.methods[name].grid.get(self.parameter, []) for name in methods]
        for value in dict.fromkeys(value for grid in grids for value in grid):
            found = {
                name: panel
                for name in methods
                if (panel := self._at(context, experiment, name, value)) is not None
            }
            other = found.get(self.reference or "")
            for name, panel in found.items():
                shown = {key: panel.values[key][0] for key in (SLOPE, RMSE) if key in panel.values}
                slope = panel.values.get(SLOPE, (None, np.nan))[1]
                if other is not None and other is not panel:
                    low, high = self.window or (-np.inf, np.inf)
                    inside = np.asarray((panel.x >= low) & (panel.x <= high))
                    curves = panel.curves - other.curves
                    shown[APART] = distances(curves, 0 * panel.x, inside)
                for quantity, values in shown.items():
                    yield CurvesAt(
                        experiment,
                        value,
                        name,
                        quantity,
                        slope if quantity == SLOPE else 0.0,
                        float(values.mean()),
                        float(values.std(ddof=1) / np.sqrt(len(values))),
                        float(np.median(values)),
                        len(values),
                    )

    def _at(
        self, context: Context, experiment: str, method: str, value: float | str
    ) -> CurvePanel | None:
        metric = context.metric(experiment, self.metric)
        rule = select.Rule.parse(f"fixed:{self.parameter}={value}")
        chosen = context.chosen(experiment, metric, rule, [method])
        sources = kept.sources(context.cells, context.records, experiment, chosen)
        curves = kept.curves(sources, self.keeps)
        own = kept.by_method(curves, context.evaluate(experiment).problems[0]).get(method)
        return self.panel(context, experiment, own, chosen) if own else None

    def _table(self, context: Context, found: Sequence[CurvesAt]) -> Table:
        pairs = list(dict.fromkeys((one.method, one.quantity) for one in found))
        cells = {
            one[:4]: Cell(one.median, digits=self.digits + 1)
            if one.quantity == APART
            else Cell(one.mean, one.se, digits=self.digits)
            for one in found
        }
        rows: list[list[Entry]] = [
            [
                context.evaluate(experiment).title or experiment,
                str(value),
                *(cells.get((experiment, value, *column), Cell()) for column in pairs),
            ]
            for experiment, value in dict.fromkeys(one[:2] for one in found)
        ]
        labels = [f"{quantity}, {context.method_label(method)}" for method, quantity in pairs]
        header = [EXPERIMENT, Head(spoken(self.parameter), Role.SETTING)]
        header += heads(Role.VALUE, *labels)
        return Table(header, rows, f"Curves by {spoken(self.parameter)}")

    def _chart(self, context: Context, found: Sequence[CurvesAt], methods: Sequence[str]) -> Chart:
        shown = [one for one in found if one.quantity != RMSE]
        keys = list(dict.fromkeys((one.experiment, one.quantity) for one in shown))
        panels = []
        for experiment, quantity in keys:
            here = [o for o in shown if (o.experiment, o.quantity) == (experiment, quantity)]
            lines = [
                _line(context.method_label(name), place, [o for o in here if o.method == name])
                for place, name in enumerate(methods)
                if any(o.method == name for o in here)
            ]
            x = Axis(spoken(self.parameter), log=True)
            what = f"distance to {context.method_label(self.reference or '')}"
            y = Axis(what, low=0.0) if quantity == APART else Axis(quantity)
            known = [o for o in here if quantity == SLOPE and not np.isnan(o.theory)]
            ends = np.array([min(o.at for o in here), max(o.at for o in here)])
            for height in dict.fromkeys(o.theory for o in known):
                level = np.full(2, height)
                lines.append(Line("theory", ends, level, dashed=True, marked=False))
            panels.append(Lines(context.evaluate(experiment).title or experiment, lines, x, y))
        columns = len({quantity for _, quantity in keys})
        return Chart(panels, columns, (3.2, 2.4))


def _line(label: str, place: int, found: Sequence[CurvesAt]) -> Line:
    """Return a method's line: medians of distances, else means with two standard errors."""
    x, y = np.array([(o.at, o.median if o.quantity == APART else o.mean) for o in found]).T
    if found[0].quantity == APART:
        return Line(label, x, y, method=place)
    half = np.array([2 * o.se for o in found])
    return Line(label, x, y, y - half, y + half, "bars", place)
