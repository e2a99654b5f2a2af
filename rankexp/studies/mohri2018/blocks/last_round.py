"""Differences of boosters after the last round that is told, repetition by repetition."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.charts.numbers import number
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import BlockKind

REGISTER = {"last_round": "LastRound"}

Pair = Annotated[list[str], Field(min_length=2, max_length=2)]


class Last(NamedTuple):
    """A quantity of a booster and of a reference after the last round, means over repetitions."""

    experiment: str
    quantity: str
    booster: str
    reference: str
    round: int
    mean: float
    reference_mean: float
    difference: float
    difference_se: float
    repetitions: int


class LastRound(BlockKind):
    """A row an experiment, quantity and pair of names: the paired difference after the last round.

    The check tells its quantities by steps, as ``test error of RankBoost``.
    """

    shows = (Simulate,)
    check = "boosting_rounds"

    quantities: Annotated[list[str], Field(min_length=1)]
    """Such as ``test error``, without the name."""
    pairs: Annotated[list[Pair], Field(min_length=1)]
    """Whose value, less whose."""
    digits: Annotated[int, Field(ge=0, le=12)] = 4

    def output(self, context: Context, block: Block) -> Output:
        """Return the table; a fact is ``test error of <one> less <other> in <experiment>``."""
        rows = [row for name in block.experiments for row in self._rows(context, name)]
        facts = {}
        for row in rows:
            name = f"{row.quantity} of {row.booster} less {row.reference} in {row.experiment}"
            change = number(row.difference, self.digits, sign=True)
            facts[name] = Fact("", f"{change} ± {number(2.0 * row.difference_se, self.digits)}")
        notes = ["Differences are paired by repetition, ± SE."]
        return Output(pd.DataFrame(rows), [self._table(context, rows)], notes=notes, facts=facts)

    def _rows(self, context: Context, experiment: str) -> Iterator[Last]:
        found = compare.as_found(context.frame, experiment, "step")
        last = found[found.step == found.step.max()]
        step, n = int(last.step.iloc[0]), len(last)
        for what in self.quantities:
            for pair in self.pairs:
                own, other = (last[f"{what} of {one}"].to_numpy() for one in pair)
                se = float((own - other).std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
                means = float(own.mean()), float(other.mean())
                yield Last(
                    experiment, what, pair[0], pair[1], step, *means, means[0] - means[1], se, n
                )

    def _table(self, context: Context, rows: list[Last]) -> Table:
        header = [EXPERIMENT, *heads(Role.METRIC, "quantity"), *heads(Role.METHOD, "booster")]
        header += [*heads(Role.LABEL, "reference"), *heads(Role.COUNT, "round")]
        header += heads(Role.VALUE, "booster", "reference") + heads(Role.DIFFERENCE, "difference")
        cells: list[list[Entry]] = []
        for row in rows:
            title = context.study.experiments[row.experiment].title or row.experiment
            means = [Cell(x, digits=self.digits) for x in (row.mean, row.reference_mean)]
            change = Cell(row.difference, row.difference_se, digits=self.digits, sign=True)
            cells.append([title, *row[1:5], *means, change])
        return Table(header, cells, "After the last round")
