"""Quantities of a simulation along a parameter of its grid, and the exponents of their growth."""

import math
from collections.abc import Iterator
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

SECONDS = "seconds"


class SimulationAlong(BlockKind):
    """A panel an experiment and group of quantities of a check: lines along a number of its grid.

    ``seconds`` is a quantity, too: what a repetition took.
    """

    shows = (Simulate,)

    parameter: str
    """The only one of the experiments' grids, of numbers."""
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
            if list(setup.grid) != [self.parameter] or not all(map(_is_number, values)):
                text = f"the grid of '{block.experiments[setups.index(setup)]}' is not of numbers "
                yield Fault(("options", "parameter"), f"{text}'{self.parameter}' alone")

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, the numbers, and a table of them with the exponents."""
        wanted = [name for names in self.panels.values() for name in names]
        rows = pd.concat([self._rows(context, name) for name in block.experiments])
        rows = rows[rows["quantity"].isin([*wanted, *self.exponents])]
        if not len(rows):
            return Output(notes=["The simulations have none of these quantities."])
        keys = ["experiment", "quantity", "x"]
        over = rows.groupby(keys, sort=False)["value"]
        found = over.agg(mean="mean", se="sem", repetitions="count").reset_index()
        grown = {
            (str(name), str(quantity)): _exponent(own)
            for (name, quantity), own in rows.groupby(keys[:2], sort=False)
            if quantity in self.exponents
        }
        told = {key: number(value, 2) for key, (value, _) in grown.items()}
        notes = ["Mean ± SE over repetitions."]
        if grown:
            notes.append("Exponents: least squares on logarithms, one fit a repetition.")
        if SECONDS in wanted:
            notes.append("Seconds are of whole repetitions, on the machine of the run.")
        single = len(block.experiments) == 1
        facts = {f"exponent of {key[1]}": Fact("", text) for key, text in told.items() if single}
        gist = "; ".join(
            f"{quantity}{'' if single else f' ({self._title(context, name)})'} as "
            f"{self.label or self.parameter}^{text}"
            for (name, quantity), text in told.items()
        )
        gist = f"These grow along {self.label or self.parameter}: {gist}." if gist else ""
        numbers = found.rename(columns={"x": self.parameter})
        numbers["exponent"] = [
            grown.get(key, (math.nan,))[0]
            for key in zip(found["experiment"], found["quantity"], strict=True)
        ]
        tables, drawn = [self._table(context, found, grown)], self._draw(context, found)
        return Output(numbers, tables, drawn, notes, gist=gist, facts=facts)

    def _rows(self, context: Context, experiment: str) -> pd.DataFrame:
        """Return experiment, x, rep, quantity and value of an experiment's repetitions."""
        setup = context.study.experiments[experiment]
        assert isinstance(setup, Simulate)  # see `shows`
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

    def _title(self, context: Context, experiment: str) -> str:
        return context.study.experiments[experiment].title or experiment

    def _table(
        self,
        context: Context,
        found: pd.DataFrame,
        grown: dict[tuple[str, str], tuple[float, float]],
    ) -> Table:
        values = sorted(set(found["x"]))
        rows: list[list[Entry]] = []
        for key, own in found.groupby(["experiment", "quantity"], sort=False):
            experiment, quantity = map(str, key)
            at = own.set_index("x")
            row: list[Entry] = [self._title(context, experiment), quantity]
            for x in values:
                mean, se = at.loc[x, ["mean", "se"]] if x in at.index else (math.nan, math.nan)
                row.append(Cell(mean, se, digits=0 if mean >= 100 else self.digits))
            value, error = grown.get((experiment, quantity), (math.nan, math.nan))
            rows.append([*row, Cell(value, error, digits=3)])
        header = ["Experiment", "Quantity", *(f"{x:g}" for x in values), "exponent"]
        caption = f"Along {self.label or self.parameter}"
        if not grown:
            header, rows = header[:-1], [row[:-1] for row in rows]
        return Table(header, rows, caption, detail=True)

    def _draw(self, context: Context, found: pd.DataFrame) -> figure.Figure:
        names = list(dict.fromkeys(found["experiment"]))
        keys = [(name, label) for name in names for label in self.panels]
        keys = [key for key in keys if len(_of(found, key[0], self.panels[key[1]]))]
        made, axes = figure.panels(len(keys), self.columns, (WIDTH, HEIGHT), below=0.4)
        for (experiment, label), own in zip(keys, axes, strict=True):
            here = _of(found, experiment, self.panels[label])
            solid = [name for name in self.panels[label] if name not in self.theory]
            for name, line in here.groupby("quantity", sort=False):
                quantity = str(name)
                style: dict[str, Any] = {"linewidth": 0.9, "color": "black", "linestyle": "--"}
                if quantity not in self.theory:
                    colour = figure.colour(solid.index(quantity))
                    style = {"linewidth": 1.3, "color": colour, "marker": "."}
                bars = 2 * line["se"].fillna(0.0)
                label_of = figure.literal(quantity)
                own.errorbar(line["x"], line["mean"], bars, label=label_of, **style)
            if here["x"].max() >= WIDE * here["x"].min() > 0:
                own.set_xscale("log")
            if here["mean"].max() >= WIDE * here["mean"].min() > 0:
                own.set_yscale("log")
            figure.title(own, self._title(context, experiment), bold=True)
            own.set_xlabel(figure.literal(self.label or self.parameter))
            own.set_ylabel(figure.wrapped(label, 0.8 * HEIGHT))
        figure.legend(made)
        return made


def _of(found: pd.DataFrame, experiment: str, quantities: list[str]) -> pd.DataFrame:
    return found[(found["experiment"] == experiment) & found["quantity"].isin(quantities)]


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
