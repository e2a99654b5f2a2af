"""Quantities of a simulation along a parameter of its grid, and the exponents of their growth."""

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, product
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import number, short
from rankexp.runner.analyse import compare
from rankexp.runner.config.asking import message
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Simulate, Study
from rankexp.runner.grid import points
from rankexp.runner.labels import spoken, value_text
from rankexp.runner.report.blocks.figures.along import HEIGHT, WIDE, WIDTH
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import BlockKind
from rankexp.runner.sentences import paragraphs

REGISTER = {"simulation_along": "SimulationAlong"}

Titles = dict[tuple[str, str], str]
Words = dict[str, str]

PLACE = ["experiment", "problem"]
SECONDS, STEP, X = "seconds", "step", "x of the words"
AT = "at"  # the column of what lines are drawn against: x, or a quantity
LEAST = np.log(2.0)  # x that doesn't even double says nothing of an exponent
MANY = 6  # exponents, of which a sentence has only the ends


class Grown(NamedTuple):
    """The mean of a quantity where the parameter has one value, a row of the numbers."""

    experiment: str
    problem: str
    line: str  # the quantity, with other parameters of the grid
    quantity: str
    x: float
    mean: float
    se: float
    repetitions: int
    at: float  # where it is drawn: x, or the quantity in its place
    exponent: float
    exponent_se: float

    @property
    def whole(self) -> bool:
        """Whether it is printed without decimals: a count, or a large number."""
        return self.mean >= 100 or (self.mean % 1 == 0 and not self.se > 0)


class SimulationAlong(BlockKind):
    """A panel an experiment, data set and group of quantities: lines along a number of its grid.

    ``seconds`` is a quantity, too: what a repetition took. With other parameters in the grid each
    of their settings has lines of its own, as ``ratio, logistic``.
    """

    shows = (Simulate,)

    parameter: str  # a number of the grids; or ``step``, of a check by steps without a grid
    quantities: Annotated[dict[str, list[str]], Field(min_length=1)]
    """A panel each: what its axis of y is called -> quantities."""
    dashed: list[str] = Field(default_factory=list)  # drawn dashed, such as what theory says
    exponents: list[str] = Field(default_factory=list)
    """Quantities whose exponent is fitted, on logarithms: they grow as the parameter to it."""
    against: str | None = None  # a quantity in the parameter's place, in figure and exponents
    label: str | None = None  # what the axis of x is called. Default: the parameter's name
    columns: Annotated[int, Field(ge=1)] = 3
    digits: Annotated[int, Field(ge=0, le=12)] = 4

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find experiments whose grids lack the parameter, beside the usual."""
        yield from super().faults(study, block)
        setups = [study.experiments.get(name) for name in block.experiments]
        for setup in (one for one in setups if isinstance(one, Simulate)):
            values = setup.grid.get(self.parameter, [""])
            if self.parameter == STEP and self.against:
                yield Fault(("options", "against"), message("report.not_for_steps"))
            if self.parameter == STEP and not setup.grid:
                continue
            if not all(type(value) in (int, float) for value in values):
                text = f"the grid of '{block.experiments[setups.index(setup)]}' has no numbers "
                yield Fault(("options", "parameter"), f"{text}'{self.parameter}'")

    def output(self, context: Context, block: Block) -> Output:
        wanted = {*chain(*self.quantities.values(), self.exponents), *filter(None, [self.against])}
        places = [place for name in block.experiments for place in _places(context, name)]
        rows = pd.concat([self._rows(context, *place) for place in places])
        rows = rows[rows.quantity.isin(wanted)]
        if not len(rows):
            return Output(notes=["The simulations have none of these quantities."])
        titles = _titles(context, places)
        over = rows.groupby([*PLACE, "line", "quantity", "x"], sort=False)
        found = over.value.agg(mean="mean", se="sem", repetitions="count").reset_index()
        found[AT] = over[AT].mean().to_numpy()
        fits = {
            (str(key[0]), str(key[1]), str(key[2])): _exponent(own)
            for key, own in rows.groupby([*PLACE, "line"], sort=False)
            if own.quantity.iloc[0] in self.exponents
        }
        keys = zip(found.experiment, found.problem, found.line, strict=True)
        found[["exponent", "exponent_se"]] = [fits.get(key, (math.nan, math.nan)) for key in keys]
        notes = paragraphs("simulation_along", fitted=bool(fits), timed=SECONDS in wanted)
        out = ["quantity", *([] if self.against else [AT])]
        out += [] if found.problem.any() else ["problem"]
        numbers = found.drop(columns=out).rename(columns={"line": "quantity", "x": self.parameter})
        words = self._words(context, [name for name, _ in places], wanted)
        gist, facts = self._told(fits, titles, words)
        lines = list(map(Grown._make, found.itertuples(index=False, name=None)))
        tables = [self._table(lines, titles, words, bool(fits))]
        drawn = self._chart(lines, titles, words)
        return Output(numbers, tables, drawn, notes, gist=gist, facts=facts)

    def _words(self, context: Context, experiments: list[str], wanted: Collection[str]) -> Words:
        words: dict[str, str] = {}
        for name in experiments:
            setup, own = context.study.experiments[name], context.labels(name)
            assert isinstance(setup, Simulate)  # see `shows`
            for line, values in product(wanted, _others(setup, self.parameter)):
                said = [spoken(line, own), *(value_text(value, own) for value in values)]
                words[_line(line, values)] = ", ".join(said)
                words.setdefault(line, said[0])
            words[X] = self.label or spoken(self.parameter, own)
            words[X] = spoken(self.against, own) if self.against else words[X]
        return words

    def _told(
        self, fits: dict[tuple[str, str, str], tuple[float, float]], titles: Titles, words: Words
    ) -> tuple[str, dict[str, Fact]]:
        known = {key: fit for key, fit in fits.items() if not math.isnan(fit[0])}
        facts, said, several = {}, [], len(titles) > 1
        for (name, problem, line), (fit, se) in known.items():
            title, text = titles[name, problem], number(fit, 2)
            text += f" ± {number(2 * se, 2)}" if self.against and se >= 0 else ""
            facts[f"exponent of {line}" + f" in {title}" * several] = Fact("", text)
            said.append((fit, words[line], title))
        known_as = {"x": words[X], "several": several, "most": MANY}
        return message("found.exponents", fits=said, **known_as), facts

    def _rows(self, context: Context, experiment: str, problem: str) -> pd.DataFrame:
        """Return place, line, x, at, rep, quantity and value of each repetition on a problem."""
        setup = context.study.experiments[experiment]
        assert isinstance(setup, Simulate)  # see `shows`
        own, place = problem or setup.check, {"experiment": experiment, "problem": problem}
        if self.parameter == STEP:
            found = compare.as_found(context.frame, experiment, STEP, own).drop(columns="setting")
            rows = found.melt(["rep", STEP], var_name="quantity").dropna(subset=["value"])
            rows = rows.rename(columns={STEP: "x"})
            return rows.assign(**place, line=rows.quantity, at=rows.x)
        known = [{k: dict(point.values)[k] for k in setup.grid} for point in points(setup.grid)]
        rows = compare.simulated_rows(context.frame, experiment)
        rows = rows[(rows.group == "") & (rows.problem == own)]
        taken = [
            (cell.place.setting or 0, cell.place.rep or 0, SECONDS, record.times["fit"])
            for cell in context.cells
            if (cell.experiment, cell.problem) == (experiment, own)
            and (record := context.records.get(cell.key)) is not None
            and "fit" in record.times
        ]
        names = ["setting", "rep", "quantity", "value"]
        rows = pd.concat([rows[names], pd.DataFrame(taken, columns=names)], ignore_index=True)
        x = [float(own[self.parameter]) for own in known]
        others = [_line("", values) for values in _others(setup, self.parameter)]
        settings = rows.setting.astype(int)
        line = rows.quantity + settings.map(dict(enumerate(others)))
        rows = rows.assign(**place, x=settings.map(dict(enumerate(x))), line=line)
        rows[AT] = rows.x
        if self.against:
            at = rows[rows.quantity == self.against].set_index(["setting", "rep"]).value
            rows[AT] = at.reindex(pd.MultiIndex.from_frame(rows[["setting", "rep"]])).to_numpy()
        return rows.sort_values("x", kind="stable")

    def _table(self, found: Sequence[Grown], titles: Titles, words: Words, fitted: bool) -> Table:
        values = sorted({one.x for one in found})
        lines: dict[tuple[str, str, str], dict[float, Grown]] = {}
        for one in found:
            lines.setdefault(one[:3], {})[one.x] = one
        rows: list[list[Entry]] = []
        for (name, problem, line), own in lines.items():
            cells = [
                Cell(at.mean, at.se, digits=0 if at.whole else self.digits) if at else Cell()
                for at in map(own.get, values)
            ]
            first = next(iter(own.values()))
            cells += [Cell(first.exponent, first.exponent_se, digits=3)] if fitted else []
            rows.append([titles[name, problem], words[line], *cells])
        header = [EXPERIMENT, *heads(Role.METRIC, "Quantity")]
        header += heads(Role.VALUE, *map(short, values), names=Role.SETTING)
        header += heads(Role.VALUE, "exponent") * fitted
        title = f"By {self.label or spoken(self.parameter)}"
        return Table(header, rows, title, detail=True)

    def _chart(self, found: Sequence[Grown], titles: Titles, words: Words) -> Chart:
        panels = [
            self._panel(titles[place], label, here, words, self._places(found, names))
            for place in dict.fromkeys(one[:2] for one in found)
            for label, names in self.quantities.items()
            if (here := [one for one in found if one[:2] == place and one.quantity in names])
        ]
        return Chart(panels, self.columns, (WIDTH, HEIGHT), below=0.4)

    def _places(self, found: Sequence[Grown], names: Sequence[str]) -> dict[str, int]:
        """Return the place of each line that has a colour; what is dashed has none."""
        solid = [name for name in names if name not in self.dashed]
        lines = dict.fromkeys(one.line for name in solid for one in found if one.quantity == name)
        return {line: place for place, line in enumerate(lines)}

    def _panel(
        self, title: str, label: str, here: Sequence[Grown], words: Words, places: dict[str, int]
    ) -> Lines:
        lines, drawn = [], {one.line: one.quantity for one in here}
        single = len({quantity for name, quantity in drawn.items() if name in places}) == 1
        of_values = {name[len(drawn[name]) :]: place for name, place in places.items()}
        for name, quantity in drawn.items():
            own = [(one.at, one.mean, one.se) for one in here if one.line == name]
            x, y, se = np.array(own, dtype=np.float64).T
            half, solid, values = 2 * np.nan_to_num(se), name in places, name[len(quantity) :]
            place = places.get(name, of_values.get(values) if values else None)
            said = words[name].removeprefix(f"{label} of ")
            said = said.removeprefix(f"{words[quantity]}, ") if single and solid else said
            if len(drawn) == 1:  # the axis says what it is
                said, place = "", None
            own_ends = y - half, y + half
            lines.append(Line(said, x, y, *own_ends, "bars", place, not solid, solid))
        at, means = [one.at for one in here], [one.mean for one in here]
        wide = 1.0 if self.against else WIDE  # a power is a line in all panels, or in none
        x_axis = Axis(words[X], log=max(at) >= wide * min(at) > 0)
        y_axis = Axis(label, log=max(means) >= wide * min(means) > 0)
        return Lines(title, lines, x_axis, y_axis)


def _places(context: Context, experiment: str) -> list[tuple[str, str]]:
    """Return an experiment with each of its data sets that are there, or with an empty one."""
    setup = context.study.experiments[experiment]
    there = (name for name in setup.problems if context.missing_data(name) is None)
    return [(experiment, name) for name in there] if setup.problems else [(experiment, "")]


def _titles(context: Context, places: list[tuple[str, str]]) -> Titles:
    """Return what each place is called: its experiment, its data set, or both."""
    names = {name: context.title(name) for name, _ in places}
    return {
        (name, problem): ": ".join(
            [names[name]] * (not problem or len(names) > 1)
            + [context.problem_label(problem)] * bool(problem)
        )
        for name, problem in places
    }


def _others(setup: Simulate, parameter: str) -> list[list[object]]:
    """Return the values of the other parameters of each setting; without a grid nothing, once."""
    return [
        [dict(point.values)[name] for name in setup.grid if name != parameter]
        for point in points(setup.grid)
    ]


def _line(quantity: str, values: Sequence[object]) -> str:
    return quantity + "".join(f", {value}" for value in values)


def _exponent(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the slope of logarithms with its standard error, over fits of each repetition."""
    slopes = []
    for _, own in rows[(rows.value > 0) & (rows[AT] > 0)].groupby("rep"):
        x, y = np.log(own[AT].to_numpy(float)), np.log(own.value.to_numpy(float))
        if np.ptp(x) > LEAST:
            slopes.append(((x - x.mean()) @ (y - y.mean())) / ((x - x.mean()) ** 2).sum())
    if not slopes:
        return math.nan, math.nan
    se = np.std(slopes, ddof=1) / np.sqrt(len(slopes)) if len(slopes) > 1 else math.nan
    return float(np.mean(slopes)), float(se)
