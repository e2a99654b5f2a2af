"""A metric, or its difference to a reference, along a parameter: lambda, examples, seconds."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field, PositiveFloat

from rankexp.errors import ConfigError
from rankexp.metrics.base import parse
from rankexp.runner.analyse import compare, paired
from rankexp.runner.config.schema import Block
from rankexp.runner.report import figure
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Cells, Entry, Output, Table
from rankexp.runner.report.numbers import number
from rankexp.runner.report.options import AtRule, MethodName

REGISTER = {"along": "Along"}

SECONDS = "seconds"
WIDTH, HEIGHT = 3.5, 2.7  # of a panel, inches
WIDE = 20.0  # a parameter whose largest value is so many times its smallest has a log axis


class Along(AtRule):
    """A panel a problem: a line a method along a parameter; differences in bands.

    The parameter is one of the methods' grids (``lam``), of the protocols of several experiments
    (``n_train``), of generators (``p``; problems that differ in it alone share a panel), or
    ``seconds``, which a fit of a method's whole grid took.
    """

    parameter: str
    reference: MethodName | None = None
    """Method that the others' values are taken from, paired by split. Default: none."""
    label: str | None = None
    """What the axis is called. Default: the parameter's name."""
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    margin: PositiveFloat | None = None
    """Half the height of a grey band about no difference."""
    columns: Annotated[int, Field(ge=1)] = 2

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods shown and the reference."""
        shown = self.shown(context, block)
        return list(dict.fromkeys([*shown, *([self.reference] if self.reference else [])]))

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, its numbers and a table of them."""
        methods = [name for name in self.shown(context, block) if name != self.reference]
        found = pd.DataFrame(
            line for name in block.experiments for line in self._lines(context, name, methods)
        )
        if found.empty:
            return Output(notes=["There is no value to show."])
        if self.parameter != SECONDS:
            found = found.sort_values("x", kind="stable")
        notes, drawn = self._notes(context, found, block), self._draw(context, found, methods)
        if found["share"].notna().any():
            return Output(found, [], drawn, notes)
        tables, gist = [self._table(context, found)], self._gist(context, found)
        return Output(found, tables, drawn, notes, gist=gist)

    def _lines(
        self, context: Context, experiment: str, methods: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """Yield a line a problem, method and value of the parameter."""
        metric = context.metric(experiment, self.metric)
        wanted = [*methods, *([self.reference] if self.reference else [])]
        chosen = self.chosen(context, experiment, wanted)
        scores = context.scores(experiment, metric)
        points = {point: point.value(self.parameter) for point in scores["grid"].unique()}
        along = any(value is not None for value in points.values())
        designs = context.designs(experiment, metric)
        rows = scores[scores["method"].isin(wanted)] if along else chosen
        rows = context.spread(experiment, metric, rows)
        x = rows["grid"].map(points if along else dict.fromkeys(points, 0))
        for (where, value), given in rows.groupby(["problem", x], sort=False):
            problem = str(where)
            if given.duplicated([*compare.SPLIT, "method"]).any():
                raise ConfigError(f"experiment '{experiment}': its grid has other parameters, too")
            own = compare.paired(given, self.reference) if self.reference else given
            for method in [name for name in methods if name in set(own["method"])]:
                here = own[own["method"] == method]
                each = compare.unit_means(here) if designs[problem].pairs == "models" else here
                each = each.dropna(subset=["value"])
                values = each["value"].to_numpy()
                if not len(values):
                    continue
                folds = each.get("fold")
                mean, se, df = paired.of_design(values, designs[problem], folds)[0]
                low, high = paired.interval(paired.Estimate(mean, se, df), self.level)
                mine = chosen[(chosen["problem"] == problem) & (chosen["method"] == method)]
                yield {
                    "experiment": experiment,
                    "problem": problem,
                    "method": method,
                    "reference": self.reference or "",
                    "metric": str(metric),
                    "panel": self._panel(context, problem),
                    "parameter": self.parameter,
                    "x": value if along else self._x(context, experiment, problem, method),
                    "value": float(mean),
                    "se": float(se),
                    "low": float(low),
                    "high": float(high),
                    "units": len(values),
                    "share": float((mine["grid"].map(points) == value).mean()) if along else None,
                }

    def _x(self, context: Context, experiment: str, problem: str, method: str) -> float:
        """Return where an experiment or a generator stands, or a method's median time."""
        if self.parameter == SECONDS:
            place, records = (experiment, problem, method), context.records
            cells = (c for c in context.cells if (c.experiment, c.problem, c.method) == place)
            found = [records[c.key].times.get("fit", math.nan) for c in cells if c.key in records]
            return float(pd.Series(found).median())  # a machine's other work leaves it as it is
        known = context.evaluate(experiment).protocol.model_dump()
        if problem in context.study.generators:
            known |= context.study.generators[problem].params
        if not isinstance(known.get(self.parameter), int | float):
            raise ConfigError(
                f"experiment '{experiment}', problem '{problem}': no number '{self.parameter}' in "
                "a method's grid, the protocol or the generator"
            )
        return float(known[self.parameter])

    def _panel(self, context: Context, problem: str) -> str:
        """Return a panel's title: problems that differ in the parameter alone share one."""
        entry = context.study.generators.get(problem)
        if entry is None or self.parameter not in entry.params:
            return context.problem_label(problem)
        alike = [
            other
            for other in context.study.generators.values()
            if other.generator == entry.generator
            and {**other.params, self.parameter: 0} == {**entry.params, self.parameter: 0}
        ]
        return entry.generator if len(alike) > 1 else context.problem_label(problem)

    def _table(self, context: Context, found: pd.DataFrame) -> Table:
        """Return a row a panel and value of the parameter, or experiment, a column a method."""
        timed = self.parameter == SECONDS
        rows: dict[tuple[str, Any], dict[str, Entry]] = {}
        for line in found.to_dict("records"):
            title = context.evaluate(line["experiment"]).title or line["experiment"]
            place = line["panel"], title if timed else line["x"]
            digits = self.digits + bool(self.reference)
            value = Cell(line["value"], line["se"], digits=digits, sign=bool(self.reference))
            cell: Entry = Cells([f"{line['x']:.2g} s", value], ": ") if timed else value
            rows.setdefault(place, {})[line["method"]] = cell
        methods = list(dict.fromkeys(found["method"]))
        ordered = sorted(rows.items(), key=lambda one: list(found["panel"]).index(one[0][0]))
        header = ["Problem", "Experiment" if timed else self.label or self.parameter]
        what = parse(found["metric"].iloc[0]).label
        if self.reference:
            what += f" minus that of {context.method_label(self.reference)}"
        return Table(
            [*header, *map(context.method_label, methods)],
            [
                [panel, x if timed else f"{x:g}", *(cells.get(m, Cell()) for m in methods)]
                for (panel, x), cells in ordered
            ],
            f"{what} along {self.label or self.parameter}, ± SE",
            detail=True,  # the figure shows it
        )

    def _gist(self, context: Context, found: pd.DataFrame) -> str:
        """Say between what the values lie, and between what where the parameter is largest."""
        name, timed = self.label or self.parameter, self.parameter == SECONDS
        minus = f" minus {context.method_label(self.reference)}" if self.reference else ""
        last = found["experiment"] == found["experiment"].iloc[-1]
        last = last if timed else found["x"] == found["x"].max()
        parts = []
        for method in dict.fromkeys(found["method"]):
            own, end = (part[part["method"] == method] for part in (found, found[last]))
            at = _range(end["value"], self.digits, minus)
            said = f"{_range(own['value'], self.digits, minus)}, where it is largest {at}"
            if timed:
                said = f"{end['x'].min():.2g} to {end['x'].max():.2g} s for {at}"
            parts.append(f"{context.method_label(method)}{minus} {said}")
        what = parse(found["metric"].iloc[0]).label
        if timed:
            title = context.evaluate(found["experiment"].iloc[-1]).title
            return f"{title or found['experiment'].iloc[-1]}: {'; '.join(parts)}."
        ends = f"{found['x'].min():g} to {found['x'].max():g}"
        return f"The {what} along {name} from {ends}: {'; '.join(parts)}."

    def _notes(self, context: Context, found: pd.DataFrame, block: Block) -> list[str]:
        notes = []
        if self.reference:
            notes.append(
                f"{'Bars' if self.parameter == SECONDS else 'Bands'}: {100 * self.level:g} % "
                "intervals of differences, each for itself."
            )
        if found["share"].notna().any():
            notes.append(
                f"Filled points: what the rule '{self.rule.label}' chooses; the larger, the more "
                "often."
            )
        else:
            notes.append(f"Grid points are chosen by {self.rule.label}.")
        if self.parameter == SECONDS:
            gaps = [context.scores(name, "gap", "train")["value"] for name in block.experiments]
            largest = max((float(own.max()) for own in gaps if len(own)), default=math.nan)
            notes.append("Seconds are of fits to the whole grid, on the machine of the run.")
            if not math.isnan(largest):
                notes[-1] += (
                    " Linear fits are solved as one path; none is farther from its minimum, by "
                    f"its certificate and relative to it, than {number(largest, 7)}."
                )
        return notes

    def _draw(
        self, context: Context, found: pd.DataFrame, methods: Sequence[str]
    ) -> figure.Figure:
        titles = list(dict.fromkeys(found["panel"]))
        share: Literal["all", "none"] = "all" if self.reference else "none"
        size = (WIDTH, HEIGHT)
        made, axes = figure.panels(len(titles), self.columns, size, below=0.3, share=share)
        for panel, own in zip(titles, axes, strict=True):
            here = found[found["panel"] == panel]
            for place, method in enumerate(methods):
                label, colour = figure.literal(context.method_label(method)), figure.colour(place)
                self._line(own, here[here["method"] == method], label, colour)
            if self.reference:
                own.axhline(0.0, color="black", linewidth=0.9, zorder=1)
            if self.margin:
                own.axhspan(-self.margin, self.margin, color="#eeeeee", zorder=0, linewidth=0)
            if found["x"].max() >= WIDE * found["x"].min() > 0:
                own.set_xscale("log")
                own.tick_params(axis="x", which="minor", labelbottom=False)
            figure.title(own, panel, bold=True)
            own.set_xlabel(figure.literal(self.label or self.parameter))
            text = parse(found["metric"].iloc[0]).label
            text += f" minus {context.method_label(self.reference)}" if self.reference else ""
            own.set_ylabel(figure.wrapped(text, 0.8 * HEIGHT))
        figure.legend(made)
        return made

    def _line(self, axes: figure.Axes, line: pd.DataFrame, label: str, colour: str) -> None:
        """Draw a method's line with its intervals and, along a grid, what was chosen."""
        axes.plot(line["x"], line["value"], color=colour, linewidth=1.5, label=label, marker=".")
        if self.reference:  # bands of levels say nothing of differences, which are paired
            ends = line["low"], line["high"]
            if len(line) > 1:
                axes.fill_between(line["x"], *ends, color=colour, alpha=0.18, linewidth=0)
            else:  # a band of one point is nothing
                axes.vlines(line["x"], *ends, color=colour, linewidth=1.0)
        taken = line[line["share"].astype(float) > 0.0]
        if len(taken):
            axes.scatter(taken["x"], taken["value"], s=90 * taken["share"], color=colour, zorder=3)


def _range(values: pd.Series, digits: int, sign: str) -> str:
    """Return between what values lie."""
    low, high = (number(end, digits, sign=bool(sign)) for end in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"
