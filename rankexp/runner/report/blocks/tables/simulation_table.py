"""Means of what a check found, one row a setting of its parameters."""

import math
from functools import partial
from typing import Annotated, NamedTuple, Self

import pandas as pd
from pydantic import Field, model_validator

from rankexp.charts.numbers import amount, number
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.frame import typed
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.grid import points
from rankexp.runner.labels import spoken, value_text
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import BlockKind

REGISTER = {"simulation_table": "SimulationTable"}

FAR = 3.0  # standard errors
ROUNDING = 1e-9  # means that are closer differ by the rounding of computers alone
DATA_SET = "data set"


class Simulated(NamedTuple):
    """The mean of a quantity of a check, and what it should be; NaN where nothing is said."""

    experiment: str
    problem: str
    setting: int
    group: str
    quantity: str
    mean: float
    se: float
    repetitions: int
    nan: int
    expected: float
    difference: float
    difference_se: float


class SimulationTable(BlockKind):
    """Quantities of `simulate` experiments, mean ± SE over repetitions, by data set if any."""

    shows = (Simulate,)

    quantities: list[str] | None = None  # default: all, in the order found
    expected: dict[str, float | str] = Field(default_factory=dict)
    """Quantity -> the number, or the other quantity, that it should be."""
    digits: Annotated[int, Field(ge=0, le=12)] = 4
    wide: bool = False
    """Whether each setting is a row and quantities are columns; whole numbers have no decimals."""

    @model_validator(mode="after")
    def _wide(self) -> Self:
        if self.wide and self.expected:
            raise ValueError("'wide' tables have no room for 'expected': leave one out")
        return self

    def output(self, context: Context, block: Block) -> Output:
        tables = [self._table(context, name) for name in block.experiments]
        grids = [self._grid(context, *own) for own in zip(block.experiments, tables, strict=True)]
        z = " z is a mean difference divided by its SE." if self.expected else ""
        numbers = pd.concat(tables)
        single = numbers.drop_duplicates("quantity", keep=False).set_index("quantity")["mean"]
        facts = self._facts(context, numbers)
        facts |= {str(k): Fact("", number(v, self.digits, tiny=True)) for k, v in single.items()}
        notes = [f"The SE is over repetitions.{z}"]
        return Output(numbers, grids, notes=notes, gist=_gist(numbers), facts=facts)

    def _facts(self, context: Context, numbers: pd.DataFrame) -> dict[str, Fact]:
        """Return means with two SE: ``gain of a group at p=0.9`` of each that only one row has.

        Of a check of data sets ``gain on <label> at p=0.9``.
        """
        found: dict[str, list[str]] = {}
        for row in typed(numbers, Simulated):
            setup = context.study.experiments[row.experiment]
            assert isinstance(setup, Simulate)  # see `shows`
            point = points(setup.grid)[row.setting].text
            name = row.quantity + f" of {row.group}" * bool(row.group)
            if setup.problems:
                name += f" on {context.problem_label(row.problem)}"
            text = number(row.mean, self.digits, tiny=True)
            if row.se > 0:
                text += f" ± {number(2 * row.se, self.digits, tiny=True)}"
            found.setdefault(f"{name} at {point}" if point else name, []).append(text)
        return {name: Fact("", texts[0]) for name, texts in found.items() if len(texts) == 1}

    def _table(self, context: Context, experiment: str) -> pd.DataFrame:
        setup = context.study.experiments[experiment]
        assert isinstance(setup, Simulate)  # see `shows`
        table = compare.simulated(context.frame, experiment)
        if self.quantities is not None:
            table = table[table.quantity.isin(self.quantities)]
        expected = compare.simulated_differences(context.frame, experiment, self.expected)
        table = table.merge(expected, on=[*compare.CASE, "quantity"], how="left")
        problems = table.pop("problem")
        settings = [setup.params | dict(point.values) for point in points(setup.grid)]
        for place, name in enumerate(setup.grid):
            table.insert(place, name, [settings[setting][name] for setting in table.setting])
        if setup.problems:
            table.insert(0, "problem", problems)
        table.insert(0, "experiment", experiment)
        return table

    def _grid(self, context: Context, experiment: str, table: pd.DataFrame) -> Table:
        labels = context.labels(experiment)
        names = list(table.columns[1 : table.columns.get_loc("setting")])
        value = partial(value_text, own=labels)
        shown = {spoken(n, labels): table[n].map(value) for n in names if n != "problem"}
        if "problem" in names:
            shown = {DATA_SET: table.problem.map(context.problem_label)} | shown
        if (table.group != "").any():
            shown["group"] = table.group.map(partial(spoken, own=labels))
        places = pd.DataFrame(shown, index=table.index)
        if self.wide:
            return self._across(context, experiment, table, places)
        digits = self._digits(table)
        header = heads(Role.SETTING, *places) + heads(Role.METRIC, "quantity")
        header += heads(Role.VALUE, "mean ± SE")
        header += heads(Role.COUNT, "repetitions", "undefined")
        if self.expected:
            header += heads(Role.VALUE, "should be") + heads(Role.DIFFERENCE, "difference")
            header += heads(Role.VALUE, "z")
        targets = {target for target in self.expected.values() if isinstance(target, str)}
        left_out = targets - self.expected.keys()
        rows: list[list[Entry]] = []
        for place, row in zip(places.to_numpy(), typed(table, Simulated), strict=True):
            if row.quantity not in left_out:
                mean = Cell(row.mean, row.se, digits=digits[row.quantity], tiny=True)
                own = [*place, spoken(row.quantity, labels), mean, row.repetitions, row.nan]
                rows.append(own + (self._comparison(row) if self.expected else []))
        return Table(header, rows, context.title(experiment), of={Role.EXPERIMENT: experiment})

    def _digits(self, table: pd.DataFrame) -> dict[str, int]:
        """Return the decimals of each quantity: none if all of its numbers are whole."""
        parts = table.fillna({"se": 0.0}).groupby("quantity", sort=False)[["mean", "se"]]
        return {str(q): self.digits * bool((own % 1 != 0).any(axis=None)) for q, own in parts}

    def _across(
        self, context: Context, experiment: str, table: pd.DataFrame, places: pd.DataFrame
    ) -> Table:
        digits, labels = self._digits(table), context.labels(experiment)
        found: dict[tuple[int | str, ...], tuple[list[str], dict[str, Cell]]] = {}
        for place, row in zip(places.to_numpy(), typed(table, Simulated), strict=True):
            own = found.setdefault((row.setting, *place), (list(place), {}))
            own[1][row.quantity] = Cell(row.mean, row.se, digits=digits[row.quantity])
        rows: list[list[Entry]] = [
            [*place, *(cells.get(quantity, Cell()) for quantity in digits)]
            for place, cells in found.values()
        ]
        header = heads(Role.SETTING, *places)
        header += heads(Role.VALUE, *(spoken(q, labels) for q in digits), names=Role.METRIC)
        return Table(header, rows, context.title(experiment), of={Role.EXPERIMENT: experiment})

    def _comparison(self, row: Simulated) -> list[Cell]:
        if math.isnan(row.difference):
            return [Cell()] * 3
        z = row.difference / row.difference_se if row.difference_se > 0 else math.nan
        return [
            Cell(row.expected, digits=self.digits),
            Cell(row.difference, row.difference_se, digits=self.digits, sign=True, tiny=True),
            Cell(z, digits=1, sign=True),
        ]


def _gist(numbers: pd.DataFrame) -> str:
    known = numbers.dropna(subset=["difference"])
    if known.empty:
        return ""
    apart, errors = known.difference.abs(), known.difference_se
    beyond = int((apart / errors > FAR).sum())
    most = float(apart.max())
    if most < ROUNDING:
        return f"{len(known)} means are what they should be, but for rounding."
    means = {"means": len(known), "most": amount(most, 4)}
    return message("report.apart", beyond=beyond, far=f"{FAR:g}", **means)
