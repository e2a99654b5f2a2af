"""Quantities of a simulation along a parameter of its grid, and the exponents of their growth."""

import math
from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.analyse import compare
from rankexp.config.fault import Fault
from rankexp.config.schema import Block, Simulate, Study
from rankexp.grid import points
from rankexp.report import figure
from rankexp.report.blocks.figures.along import HEIGHT, WIDE, WIDTH
from rankexp.report.context import Context
from rankexp.report.model import Cell, Entry, Fact, Output, Table
from rankexp.report.numbers import number
from rankexp.report.options import BlockKind

REGISTER = {"simulation_along": "SimulationAlong"}

SECONDS, STEP = "seconds", "step"


class SimulationAlong(BlockKind):
    """A panel an experiment and group of quantities of a check: lines along a number of its grid.

    ``seconds`` is a quantity, too: what a repetition took.
    """

    shows = (Simulate,)

    parameter: str
    """The only one of the experiments' grids, of numbers; or ``step``, of a check by steps."""
    panels: Annotated[dict[str, list[str]], Field(min_length=1)]
    """What the axis of y is called -> quantities."""
    theory: list[str] = Field(default_factory=list)
    """Quantities that are dashed."""
    exponents: list[str] = Field(default_factory=list)
    """Quantities whose exponent is fitted, on logarithms: they grow as the parameter to it."""
    label: str | None = None
    """What the axis of x is called. Default: the parameter's name."""
    columns: Annotated[int, Field(ge=1)] = 3
    digits: Annotated[int, Field(ge=0, le=12)] = 4

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find experiments with another grid, beside the usual."""
        yield from super().faults(study, block)
        setups = [study.experiments.get(name) for name in block.experiments]
        for setup in (one for one in setups if isinstance(one, Simulate)):
            values = setup.grid.get(self.parameter, [""])
            if self.parameter == STEP and not setup.grid:
                continue
            if list(setup.grid) != [self.parameter] or not all(map(_is_number, values)):
                text = f"the grid of '{block.experiments[setups.index(setup)]}' is not of numbers "
                yield Fault(("options", "parameter"), f"{text}'{self.parameter}' alone")

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, the numbers, and a table of them with the exponents."""
        wanted = {*chain(*self.panels.values(), self.exponents)}
        rows = pd.concat([self._rows(context, name) for name in block.experiments])
        rows = rows[rows["quantity"].isin(wanted)]
        if not len(rows):
            return Output(notes=["The simulations have none of these quantities."])
        titles = {
            name: context.study.experiments[name].title or name for name in block.experiments
        }
        over = rows.groupby(["experiment", "quantity", "x"], sort=False)["value"]
        found = over.agg(mean="mean", se="sem", repetitions="count").reset_index()
        fits = {
            key: _exponent(own)
            for key, own in rows.groupby(["experiment", "quantity"], sort=False)
            if own["quantity"].iloc[0] in self.exponents
        }
        keys = zip(found["experiment"], found["quantity"], strict=True)
        found[["exponent", "exponent_se"]] = [fits.get(key, (math.nan, math.nan)) for key in keys]
        notes = ["Mean ± SE over repetitions."]
        if fits:
            notes.append("Exponents: least squares on logarithms, one fit a repetition.")
        if SECONDS in wanted:
            notes.append("Seconds are of whole repetitions, on the machine of the run.")
        x = self.label or self.parameter
        told = [(str(q), titles[str(e)], number(fit, 2)) for (e, q), (fit, _) in fits.items()]
        single = len(block.experiments) == 1
        facts = {f"exponent of {q}": Fact("", fit) for q, _, fit in told if single}
        each = "; ".join(f"{q}{f' ({t})' * (not single)} as {x}^{fit}" for q, t, fit in told)
        gist = f"These grow along {x}: {each}." if told else ""
        numbers = found.rename(columns={"x": self.parameter})
        tables, drawn = [self._table(found, titles, bool(fits))], self._draw(found, titles)
        return Output(numbers, tables, drawn, notes, gist=gist, facts=facts)

    def _rows(self, context: Context, experiment: str) -> pd.DataFrame:
        """Return experiment, x, rep, quantity and value of an experiment's repetitions."""
        setup = context.study.experiments[experiment]
        assert isinstance(setup, Simulate)  # see `shows`
        if self.parameter == STEP:
            found = compare.as_found(context.frame, experiment, STEP).drop(columns="setting")
            rows = found.melt(["rep", STEP], var_name="quantity").dropna(subset=["value"])
            return rows.rename(columns={STEP: "x"}).assign(experiment=experiment)
        known = [dict(point.values)[self.parameter] for point in points(setup.grid)]
        rows = compare.simulated_rows(context.frame, experiment)
        rows = rows[rows["group"] == ""]
        cells = [cell for cell in context.cells if cell.experiment == experiment]
        taken = [
            (cell.place.setting or 0, cell.place.rep or 0, SECONDS, record.times["fit"])
            for cell in cells
            if (record := context.records.get(cell.key)) is not None and "fit" in record.times
        ]
        names = ["setting", "rep", "quantity", "value"]
        rows = pd.concat([rows[names], pd.DataFrame(taken, columns=names)])
        x = [float(known[int(setting)]) for setting in rows["setting"]]
        return rows.assign(experiment=experiment, x=x).sort_values("x", kind="stable")

    def _table(self, found: pd.DataFrame, titles: dict[str, str], fitted: bool) -> Table:
        values = sorted(set(found["x"]))
        rows: list[list[Entry]] = []
        for (name, quantity), own in found.groupby(["experiment", "quantity"], sort=False):
            row: list[Entry] = [titles[str(name)], str(quantity)]
            at = own.set_index("x").reindex(values)
            for mean, se in zip(at["mean"], at["se"], strict=True):
                row.append(Cell(mean, se, digits=0 if mean >= 100 else self.digits))
            fit = Cell(own["exponent"].iloc[0], own["exponent_se"].iloc[0], digits=3)
            rows.append([*row, fit] if fitted else row)
        header = ["Experiment", "Quantity", *(f"{x:g}" for x in values)]
        header += ["exponent"] if fitted else []
        return Table(header, rows, f"Along {self.label or self.parameter}", detail=True)

    def _draw(self, found: pd.DataFrame, titles: dict[str, str]) -> figure.Figure:
        drawn = [
            (titles[str(name)], label, here)
            for name, own in found.groupby("experiment", sort=False)
            for label, names in self.panels.items()
            if len(here := own[own["quantity"].isin(names)])
        ]
        made, axes = figure.panels(len(drawn), self.columns, (WIDTH, HEIGHT), below=0.4)
        for (title, label, here), own in zip(drawn, axes, strict=True):
            solid = [name for name in self.panels[label] if name not in self.theory]
            for name, line in here.groupby("quantity", sort=False):
                style: dict[str, Any] = {"linewidth": 0.9, "color": "black", "linestyle": "--"}
                if name in solid:
                    colour = figure.colour(solid.index(str(name)))
                    style = {"linewidth": 1.3, "color": colour, "marker": "."}
                style["label"] = figure.literal(name)
                own.errorbar(line["x"], line["mean"], 2 * line["se"].fillna(0.0), **style)
            if here["x"].max() >= WIDE * here["x"].min() > 0:
                own.set_xscale("log")
            if here["mean"].max() >= WIDE * here["mean"].min() > 0:
                own.set_yscale("log")
            figure.title(own, title, bold=True)
            own.set_xlabel(figure.literal(self.label or self.parameter))
            own.set_ylabel(figure.wrapped(label, 0.8 * HEIGHT))
        figure.legend(made)
        return made


def _exponent(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the slope of logarithms with its standard error, over fits of each repetition."""
    slopes = []
    for _, own in rows[rows["value"] > 0].groupby("rep"):
        x, y = np.log(own["x"].to_numpy(float)), np.log(own["value"].to_numpy(float))
        if len(set(x)) > 1:
            slopes.append(((x - x.mean()) @ (y - y.mean())) / ((x - x.mean()) ** 2).sum())
    if not slopes:
        return math.nan, math.nan
    se = np.std(slopes, ddof=1) / np.sqrt(len(slopes)) if len(slopes) > 1 else math.nan
    return float(np.mean(slopes)), float(se)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
