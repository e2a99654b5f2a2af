"""Losses drawn by their formulas, with the weights over cost ratios that they are integrals of."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field

from rankexp.arrays import Floats
from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import MINUS, number, short
from rankexp.losses.loss import parse
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Evaluate, Simulate, Study
from rankexp.runner.labels import spoken
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import BlockKind

REGISTER = {"loss_curves": "LossCurves"}

What = Literal["weight", "positive", "negative"]

AXES: dict[What, tuple[str, str]] = {
    "weight": ("c", "weight w(c)"),
    "positive": ("v", "l(1, v)"),
    "negative": ("v", f"l({MINUS}1, v)"),
}
COSTS = np.array([0.1, 0.5, 0.9])
POINTS = 201


def _known(text: str) -> str:
    parse(text)
    return text


LossName = Annotated[str, AfterValidator(_known)]


class LossCurves(BlockKind):
    """Panels of weights w(c), of l(1, v) and l(−1, v), a line a loss; nothing is run for it."""

    shows = (Evaluate, Simulate)

    losses: Annotated[list[LossName], Field(min_length=1)]
    what: Annotated[list[What], Field(min_length=1)] = Field(default_factory=lambda: list(AXES))
    """The panels, in order. Weights are those of proper losses."""
    reach: Annotated[float, Field(gt=0, le=100)] = 3.0
    """Scores are drawn from minus this to it."""
    highest: Annotated[float, Field(gt=0)] = 5.0
    """Where panels of losses end."""

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find losses that have no weight where weights are asked for."""
        yield from super().faults(study, block)
        for i, name in enumerate(self.losses):
            if "weight" in self.what and not parse(name).proper:
                text = (
                    f"loss {name} is not proper and has no weight function; remove it from "
                    "'losses' or remove 'weight' from 'what'"
                )
                yield Fault(("options", "losses", i), text)

    def build(self, context: Context, block: Block) -> Output:
        """Return the figure, which lacks nothing whatever was run."""
        return self.output(context, block)

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, the curves, and what the weights favour."""
        ends: dict[What, tuple[float, float]] = {"weight": (0.01, 0.99)}
        parts, panels = [], []
        for what in self.what:
            x = np.linspace(*ends.get(what, (-self.reach, self.reach)), POINTS)
            curves = {name: values(name, what, x) for name in self.losses}
            parts += [
                pd.DataFrame({"loss": name, "what": what, "x": x, "y": y})
                for name, y in curves.items()
            ]
            panels.append(self._panel(what, x, curves))
        numbers = pd.concat(parts, ignore_index=True)
        drawn = Chart(panels, len(panels), (2.5, 2.3), below=0.4)
        if "weight" not in self.what:
            return Output(numbers, [], drawn)
        table = self._weights()
        told = pd.DataFrame(self._at_costs(), columns=["loss", "what", "x", "y"])
        numbers = pd.concat([numbers, told], ignore_index=True)
        said = ", ".join(f"{spoken(name)} {number(favour(name), 2)}" for name in self.losses)
        low, _, high = (f"{cost:g}"[1:] for cost in COSTS)
        return Output(
            numbers, [table], drawn, gist=f"Weight at {high} over that at {low}: {said}."
        )

    def _at_costs(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield the rows of what the table shows: loss, head, cost ratio and value."""
        names = [f"w({short(cost)})" for cost in COSTS]
        for name in self.losses:
            for head, x, y in zip(names, COSTS, values(name, "weight", COSTS), strict=True):
                yield name, head, x, y
            yield name, f"{names[-1]}/{names[0]}", np.nan, favour(name)

    def _weights(self) -> Table:
        found: dict[str, dict[str, Entry]] = {}
        for name, head, _, value in self._at_costs():
            found.setdefault(spoken(name), {})[head] = Cell(value, digits=2)
        rows: list[list[Entry]] = [[name, *own.values()] for name, own in found.items()]
        header = ["Loss", *next(iter(found.values()))]
        return Table(header, rows, "Weights over cost ratios")

    def _panel(self, what: What, x: Floats, curves: Mapping[str, Floats]) -> Lines:
        lines = [
            Line(spoken(name), x, y, method=place, marked=False)
            for place, (name, y) in enumerate(curves.items())
        ]
        across, up = AXES[what]
        weight = what == "weight"
        axis = Axis(up, log=True) if weight else Axis(up, low=0.0, high=self.highest)
        return Lines("", lines, Axis(across), axis)


def values(name: str, what: What, x: Floats) -> Floats:
    """Return a weight at cost ratios, or a partial loss at scores."""
    loss = parse(name)
    found = (
        loss.weight(x) if what == "weight" else loss.value(1.0 if what == "positive" else -1.0, x)
    )
    return np.asarray(found)


def favour(name: str) -> float:
    """Return how much more a loss weighs a high cost ratio than a low one."""
    low, _, high = values(name, "weight", COSTS)
    return float(high / low)
