"""Rank regret against the root of the regret of a loss: bounds, worst cases, trained scorers."""

import numpy as np
import pandas as pd

from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import number
from rankexp.losses.loss import parse
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.grid import points
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import BlockKind
from rankexp.studies.kotlowski2011_theory.theory.univariate_bounds import (
    CONSTANTS,
    proper_regret_bound,
    regret_bound,
)

REGISTER = {"regret_bounds": "RegretBounds"}

WORST = "k_points"  # the check of the worst cases; all others are of trained scorers
SIZE = (3.5, 2.9)


class RegretBounds(BlockKind):
    """A panel a loss: bounds on the rank regret, distributions on k points, trained scorers.

    The first experiment is of the check ``k_points``, with the loss in its grid. Others are of
    ``surrogate_regrets``; they are means over repetitions.
    """

    shows = (Simulate,)

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, and a table of the ratios that k points reach."""
        found = pd.concat([self._rows(context, name) for name in block.experiments])
        if found.empty:
            return Output(notes=["There is nothing to show."])
        worst = found[found.points.notna()]
        losses = list(dict.fromkeys(worst.loss))
        panels = [self._panel(context, found[found.loss == loss], loss) for loss in losses]
        best = worst.loc[worst.groupby(["loss", "points"]).ratio.idxmax()]
        each = zip(best.loss, best.points, best.ratio, strict=True)
        facts = {f"{loss}, {k:g} points": Fact("", number(ratio, 4)) for loss, k, ratio in each}
        most = {loss: worst[worst.loss == loss].ratio.max() for loss in losses}
        limits = {loss: float(proper_regret_bound(1.0, parse(loss))) for loss in losses}
        said = "; ".join(
            f"{loss} {number(most[loss], 4)} of {number(limits[loss], 4)}" for loss in losses
        )
        return Output(
            found,
            [self._table(best, losses)],
            Chart(panels, 2, SIZE, below=0.75),
            gist=f"Largest ratio on k points, of the best constant: {said}.",
            facts=facts,
        )

    def _rows(self, context: Context, name: str) -> pd.DataFrame:
        """Return loss, points or n, and mean regrets of each setting of an experiment."""
        setup = context.study.experiments[name]
        assert isinstance(setup, Simulate)  # see `shows`
        rows = compare.simulated_rows(context.frame, name)
        own = rows[(rows.group == "") & rows.quantity.isin(["rank_regret", "loss_regret"])]
        wide = own.groupby(["setting", "quantity"]).value.mean().unstack()
        columns = {"experiment": name, "points": np.nan, "n": np.nan, "width": np.nan}
        grid = [columns | dict(points(setup.grid)[int(at)].values) for at in wide.index]
        made = pd.DataFrame(grid, index=wide.index).join(wide).reset_index(drop=True)
        made = made.assign(root=np.sqrt(np.maximum(made.loss_regret, 0.0)))
        return made.assign(ratio=made.rank_regret / made.root)

    def _panel(self, context: Context, own: pd.DataFrame, loss: str) -> Lines:
        made, ends = parse(loss), own.root
        x = np.array([ends[ends > 0.0].min() / 1.5, ends.max() * 1.5])
        best = proper_regret_bound(x**2, made)
        lines = [Line("best constant", x, best, marked=False)]
        if repr(made) in CONSTANTS:
            paper = regret_bound(x**2, made)
            lines.append(Line("Theorem 4.1", x, paper, dashed=True, marked=False))
        agarwal = np.sqrt(3.0) * best
        lines.append(Line("Agarwal (2014)", x, agarwal, dashed=True, faint=True, marked=False))
        sizes = own.points.dropna().unique()
        for method, size in enumerate(sizes):
            some = own[own.points == size].sort_values("root")
            values = some.root.to_numpy(), some.rank_regret.to_numpy()
            lines.append(Line(f"{size:g} points", *values, method=method))
        trained = own[own.points.isna()]
        for method, (name, some) in enumerate(trained.groupby("experiment", sort=False)):
            above = some[some.rank_regret > 0.0].sort_values("n")
            values = above.root.to_numpy(), above.rank_regret.to_numpy()
            label = f"trained, {context.title(str(name))}"
            lines.append(Line(label, *values, method=len(sizes) + method))
        roots, ranks = "root of the regret of the loss", "rank regret"
        return Lines(loss, lines, Axis(roots, log=True), Axis(ranks, log=True, better="lower"))

    def _table(self, best: pd.DataFrame, losses: list[str]) -> Table:
        sizes = sorted(best.points.unique())
        rows: list[list[Entry]] = []
        for loss in losses:
            own = best[best.loss == loss].set_index("points").ratio
            limit = float(proper_regret_bound(1.0, parse(loss)))
            rows.append([loss, *(Cell(float(own[k]), digits=4) for k in sizes)])
            closed = (limit * np.sqrt(1.0 - k**-2.0) for k in sizes)
            entries = [*(Cell(float(value), digits=4) for value in closed)]
            rows.append([f"{loss}, limit in closed form", *entries])
        header = heads(Role.SETTING, "Loss")
        header += heads(Role.VALUE, *(f"{k:g} points" for k in sizes))
        return Table(header, rows, "Largest ratio of the rank regret to the root")
