"""Fitted scoring functions over many samples, with bands, beside what theory says of them."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import number, short
from rankexp.runner.analyse import kept
from rankexp.runner.analyse.frame import typed
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.labels import spoken
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import METHOD, PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import AtRule, ProblemName
from rankexp.studies.uematsu2010.theories import (
    RMSE_OF_MEAN,
    SLOPE,
    Against,
    CurvePanel,
    band,
    samples,
)

REGISTER = {"curves_against_theory": "CurvesAgainstTheory"}


class CurveMean(NamedTuple):
    """A quantity of a method's curves on a problem, over samples."""

    problem: str
    method: str
    quantity: str
    theory: float
    published: float
    mean: float
    se: float
    sd: float
    low: float
    high: float
    splits: int


class CurvesAgainstTheory(AtRule, Against):
    """A row of panels a problem, a panel a method: mean curve and band, theory dashed.

    For experiments that keep scoring functions ``at`` fixed points.
    """

    keeps = "scoring_function"

    panels: list[ProblemName] | None = None
    """Problems in the order of reading. Default: the experiments' own."""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Of the splits that the band holds at each x."""
    digits: Annotated[int, Field(ge=0, le=12)] = 3

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield each quantity of the curves of each method."""
        for experiment in block.experiments:
            for problem, method in product(
                self._problems(context, experiment), self.shown(context, block)
            ):
                for quantity in self.quantities(method):
                    yield PublishedKey(experiment, problem, method, quantity)

    def _problems(self, context: Context, experiment: str) -> list[str]:
        own = context.evaluate(experiment).problems
        return [name for name in self.panels or own if name in own]

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, its curves, and a table of slopes, distances and differences."""
        methods = self.shown(context, block)
        found = [one for name in block.experiments for one in self._panels(context, name, methods)]
        if not found:
            text = "No scoring function is kept at fixed points; see 'keep' of the experiment."
            return Output(notes=[text])
        numbers = pd.concat([self._numbers(context, one) for one in found], ignore_index=True)
        drawn = self._chart(context, found)
        of_mean = numbers.quantity == RMSE_OF_MEAN
        grids = [
            self._grid(context, numbers[~of_mean]),
            self._grid(context, numbers[of_mean], detail=True),
        ]
        notes, gist = self._notes(context), self._gist(context, numbers)
        return Output(numbers, grids, drawn, notes, gist=gist)

    def _gist(self, context: Context, numbers: pd.DataFrame) -> str:
        """Say the slope of each method's curves beside that of theory."""
        own = numbers[(numbers.quantity == SLOPE) & numbers.theory.notna()]
        named = [
            f"{context.method_label(row.method)}: {number(row.mean, 2)} ± {number(row.se, 2)} "
            f"({number(row.theory, 2)})"
            for row in typed(own, CurveMean)
        ]
        return f"Mean slopes, theory's in parentheses. {'; '.join(named)}." if named else ""

    def _panels(
        self, context: Context, experiment: str, methods: Sequence[str]
    ) -> list[CurvePanel]:
        setup = context.evaluate(experiment)
        if setup.keep is None or setup.keep.at is None:
            return []
        curves = kept.curves(self.sources(context, experiment, methods), self.keeps)
        found = []
        for problem in self._problems(context, experiment):
            own = kept.by_method(curves, problem)
            for method in [name for name in methods if name in own]:
                chosen = self.chosen(context, experiment, [method])
                found.append(self.panel(context, experiment, own[method], chosen))
        return found

    def _numbers(self, context: Context, panel: CurvePanel) -> pd.DataFrame:
        where = {"experiment": panel.experiment, "problem": panel.problem, "method": panel.method}
        rows = []
        for name, (values, expected) in panel.values.items():
            printed = context.published.get(PublishedKey(**where, quantity=name))
            deviation = float(values.std(ddof=1)) if len(values) > 1 else math.nan
            rows.append(
                {
                    "quantity": name,
                    "theory": expected,
                    "published": printed.value if printed else math.nan,
                    "mean": float(values.mean()),
                    "se": deviation / math.sqrt(len(values)),
                    "sd": deviation,
                    "low": float(np.quantile(values, (1 - self.share) / 2)),
                    "high": float(np.quantile(values, (1 + self.share) / 2)),
                }
            )
        own = band(panel.curves, self.share)
        shown = math.nan if panel.theory is None else panel.theory
        curve = {"quantity": "score", "x": panel.x, "theory": shown, "first": panel.curves[0]}
        table = pd.concat([pd.DataFrame(rows), pd.DataFrame(curve | own._asdict())])
        columns = ["quantity", "x", "theory", "published", "mean", "se", "sd", "low", "high"]
        table = table.assign(**where, splits=len(panel.curves))
        return table.reindex(columns=[*where, *columns, "first", "splits"])

    def _grid(self, context: Context, numbers: pd.DataFrame, *, detail: bool = False) -> Table:
        printed = bool(numbers.published.notna().any())
        header = [METHOD, *heads(Role.METRIC, "Quantity"), *heads(Role.VALUE, "Theory")]
        header += heads(Role.PUBLISHED, "Published") * printed
        several = numbers.problem.nunique() > 1
        rows: list[list[Entry]] = []
        for row in typed(numbers[numbers.quantity != "score"], CurveMean):
            expected = [row.theory, *([row.published] if printed else [])]
            spread = None if math.isnan(row.sd) else (row.low, row.high)
            rows.append(
                [
                    *([context.problem_label(row.problem)] if several else []),
                    context.method_label(row.method),
                    row.quantity,
                    *(Cell(value, digits=self.digits) for value in expected),
                    Cell(row.mean, row.se, digits=self.digits),
                    Cell(interval=spread, digits=self.digits),
                    row.splits,
                ]
            )
        header = [*([PROBLEM] if several else []), *header, *heads(Role.VALUE, "Mean ± SE")]
        header += heads(Role.INTERVAL, f"{100 * self.share:g} % of samples")
        header += heads(Role.COUNT, "Samples")
        window = "for x from {} to {}".format(*map(short, self.window)) if self.window else ""
        return Table(header, rows, f"Curves {window or 'at all points kept'}", detail=detail)

    def _notes(self, context: Context) -> list[str]:
        what = " and ".join(map(spoken, self.centre))
        centre = f"the mean of {what}" if self.centre else "its mean in the window"
        notes = [
            "The solid line is the mean over samples. The shaded band holds "
            f"{100 * self.share:g} % of them at each x. The thin line is the first sample; the "
            f"dotted line is theory. Each curve is centred: {centre} is subtracted.",
            "Slope: that of the least-squares line through a curve in the window, beside that of "
            "theory. RMSE: the root mean squared distance of a curve from theory in the window. "
            "RMSE of the mean: the same for the mean curve; more samples do not reduce it.",
        ]
        if self.rescaled:
            labels = ", ".join(context.method_label(name) for name in self.rescaled)
            notes.append(
                f"The scores of {labels} have no scale, so each curve is multiplied by the number "
                "that brings it nearest to theory."
            )
        return notes

    def _chart(self, context: Context, found: Sequence[CurvePanel]) -> Chart:
        places = [(one.experiment, one.problem) for one in found]
        several = len({*places}) > 1
        panels = []
        for one in found:
            lines = samples(one.x, one.curves, self.share)
            if one.theory is not None:
                lines.append(Line("theory", one.x, one.theory, dashed=True, marked=False))
            x = Axis("x", low=float(one.x[0]), high=float(one.x[-1]))
            title = context.method_label(one.method)
            title += f", {context.problem_label(one.problem)}" * several
            panels.append(Lines(title, lines, x, Axis("centred score"), window=self.window or ()))
        columns = max(map(places.count, places))
        return Chart(panels, columns, (2.5, 2.35), "row", below=0.55)
