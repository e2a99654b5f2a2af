"""Slopes of fitted scoring functions, and how far they are apart, along a parameter of a grid."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rankexp.runner.analyse import bands, kept, select
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report import figure
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.numbers import number
from rankexp.runner.report.options import Choosing, MethodName
from rankexp.studies.uematsu2010.theories import RMSE, SLOPE, Against, Panel

REGISTER = {"curves_along": "CurvesAlong"}

APART = "distance"


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
        rows = [row for name in block.experiments for row in self._rows(context, name, methods)]
        if not rows:
            return Output(notes=["No scoring function is kept: see 'keep' of the experiment."])
        numbers = pd.DataFrame(rows)
        return Output(
            numbers,
            [self._table(context, numbers)],
            self._draw(context, numbers, methods),
            gist=self._gist(context, numbers),
            notes=[
                "Mean ± SE over samples; in the figure, bars of two SE. RMSE: root mean squared "
                "distance to theory in the window; distance: to "
                f"{context.method_label(self.reference or '')} on the same sample, the median."
            ],
        )

    def _gist(self, context: Context, numbers: pd.DataFrame) -> str:
        """Say between what the slopes and the distances of each experiment lie."""
        told = []
        for name, here in numbers.groupby("experiment", sort=False):
            parts = []
            for key, own in here.groupby(["method", "quantity"], sort=False):
                method, quantity = map(str, key)
                label = context.method_label(method)
                if quantity == SLOPE:
                    low, high = (number(v, 2) for v in own["mean"].agg(["min", "max"]))
                    parts.append(f"slope of {label} {low} to {high}")
                if quantity == APART:
                    first, last = own.iloc[0], own.iloc[-1]
                    ends = (
                        f"{number(one['median'], self.digits)} at {one[self.parameter]}"
                        for one in (first, last)
                    )
                    other = context.method_label(self.reference or "")
                    parts.append(f"distance of {label} to {other} {', '.join(ends)}")
            told.append(f"{context.evaluate(str(name)).title or str(name)}: {'; '.join(parts)}.")
        return " ".join(told)

    def _rows(
        self, context: Context, experiment: str, methods: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """Yield a row a value of the parameter, method and quantity."""
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
                    shown[APART] = bands.distances(
                        panel.curves - other.curves, 0 * panel.x, inside
                    )
                for quantity, values in shown.items():
                    yield {
                        "experiment": experiment,
                        self.parameter: value,
                        "method": name,
                        "quantity": quantity,
                        "theory": slope if quantity == SLOPE else 0.0,
                        "mean": float(values.mean()),
                        "se": float(values.std(ddof=1) / np.sqrt(len(values))),
                        "median": float(np.median(values)),
                        "samples": len(values),
                    }

    def _at(self, context: Context, experiment: str, method: str, value: Any) -> Panel | None:
        """Return the curves of a method at a value of the parameter."""
        metric = context.metric(experiment, self.metric)
        rule = select.Rule.parse(f"fixed:{self.parameter}={value}")
        chosen = context.chosen(experiment, metric, rule, [method])
        sources = kept.sources(context.cells, context.records, experiment, chosen)
        curves = kept.curves(sources, self.keeps)
        own = kept.by_method(curves, context.evaluate(experiment).problems[0]).get(method)
        return self.panel(context, experiment, own, chosen) if own else None

    def _table(self, context: Context, numbers: pd.DataFrame) -> Table:
        rows: dict[tuple[str, Any], list[Entry]] = {}
        columns = list(dict.fromkeys(zip(numbers["method"], numbers["quantity"], strict=True)))
        places = ["experiment", self.parameter, "method", "quantity"]
        cells = {tuple(row[name] for name in places): row for row in numbers.to_dict("records")}
        for experiment, value in dict.fromkeys(
            zip(numbers["experiment"], numbers[self.parameter], strict=True)
        ):
            title = context.evaluate(experiment).title or experiment
            row = rows.setdefault((experiment, value), [title, str(value)])
            for method, quantity in columns:
                own = cells.get((experiment, value, method, quantity))
                row.append(Cell() if own is None else self._cell(own, quantity))
        header = ["Experiment", self.parameter]
        header += [f"{quantity}, {context.method_label(method)}" for method, quantity in columns]
        return Table(header, list(rows.values()), f"Curves along {self.parameter}")

    def _cell(self, own: Any, quantity: str) -> Cell:
        if quantity == APART:
            return Cell(own["median"], digits=self.digits + 1)
        return Cell(own["mean"], own["se"], digits=self.digits)

    def _draw(
        self, context: Context, numbers: pd.DataFrame, methods: Sequence[str]
    ) -> figure.Figure:
        shown = numbers[numbers["quantity"] != RMSE]
        keys = list(dict.fromkeys(zip(shown["experiment"], shown["quantity"], strict=True)))
        made, axes = figure.panels(len(keys), len(set(shown["quantity"])), (3.2, 2.4), below=0.3)
        for (experiment, quantity), panel in zip(keys, axes, strict=True):
            here = shown[(shown["experiment"] == experiment) & (shown["quantity"] == quantity)]
            for place, name in enumerate(methods):
                own = here[here["method"] == name]
                bars = None if quantity == APART else 2 * own["se"]
                y = own["median" if quantity == APART else "mean"]
                style: dict[str, Any] = {"marker": ".", "linewidth": 1.3}
                label = figure.literal(context.method_label(name))
                style |= {"color": figure.colour(place), "label": label}
                panel.errorbar(own[self.parameter], y, bars, **style)
            if quantity == SLOPE:
                theory = dict.fromkeys(here["theory"].dropna())
                for height in theory:
                    panel.axhline(
                        height, color="black", linewidth=0.9, linestyle="--", label="theory"
                    )
            else:
                panel.set_ylim(bottom=0.0)
            panel.set_xscale("log")
            panel.set_xlabel(figure.literal(self.parameter))
            other = context.method_label(self.reference or "")
            panel.set_ylabel(f"distance to {other}" if quantity == APART else quantity)
            figure.title(panel, context.evaluate(experiment).title or experiment)
        figure.legend(made)
        return made
