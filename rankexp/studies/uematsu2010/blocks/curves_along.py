"""Slopes of fitted scoring functions, and how far they are apart, along a parameter of a grid."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankexp.charts import frame as figure
from rankexp.charts.letters import literal
from rankexp.charts.model import Drawing
from rankexp.charts.numbers import number
from rankexp.runner.analyse import kept, select
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.labels import spoken, value_text
from rankexp.runner.report.context import Context
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
            Drawing(self._draw(context, found, methods)),
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
        columns = list(dict.fromkeys((one.method, one.quantity) for one in found))
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
                *(cells.get((experiment, value, *column), Cell()) for column in columns),
            ]
            for experiment, value in dict.fromkeys(one[:2] for one in found)
        ]
        header = ["Experiment", spoken(self.parameter)]
        header += [f"{quantity}, {context.method_label(method)}" for method, quantity in columns]
        return Table(header, rows, f"Curves by {spoken(self.parameter)}")

    def _draw(
        self, context: Context, found: Sequence[CurvesAt], methods: Sequence[str]
    ) -> figure.Figure:
        shown = [one for one in found if one.quantity != RMSE]
        keys = list(dict.fromkeys((one.experiment, one.quantity) for one in shown))
        columns = len({quantity for _, quantity in keys})
        made, axes = figure.panels(len(keys), columns, (3.2, 2.4), below=0.3)
        for (experiment, quantity), panel in zip(keys, axes, strict=True):
            here = [
                one for one in shown if (one.experiment, one.quantity) == (experiment, quantity)
            ]
            apart = quantity == APART
            for place, name in enumerate(methods):
                own = [one for one in here if one.method == name]
                panel.errorbar(
                    [one.at for one in own],
                    [one.median if apart else one.mean for one in own],
                    None if apart else [2 * one.se for one in own],
                    marker=".",
                    linewidth=1.3,
                    color=figure.colour(place),
                    label=literal(context.method_label(name)),
                )
            known = dict.fromkeys(one.theory for one in here if not np.isnan(one.theory))
            for height in known if quantity == SLOPE else ():
                panel.axhline(height, color="black", linewidth=0.9, linestyle="--", label="theory")
            if quantity != SLOPE:
                panel.set_ylim(bottom=0.0)
            panel.set_xscale("log")
            panel.set_xlabel(literal(spoken(self.parameter)))
            other = context.method_label(self.reference or "")
            panel.set_ylabel(f"distance to {other}" if apart else quantity)
            figure.title(panel, context.evaluate(experiment).title or experiment)
        figure.legend(made)
        return made
