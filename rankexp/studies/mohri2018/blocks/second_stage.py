"""Pictures of sort by degree and of QuickSort on a few items, by preferences that err."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.arrays import Floats
from rankexp.charts import frame as figure
from rankexp.charts.model import Drawing
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import BlockKind

REGISTER = {"second_stage": "SecondStage"}

WRONG = figure.COLOURS[1]


class SecondStage(BlockKind):
    """Which pairs h prefers the wrong way, and how the two algorithms rank by it.

    Items are called by their places in the target, so that 1, 2, 3, ... is the order to find.
    """

    shows = (Simulate,)
    check = "watched_sorts"

    repetition: Annotated[int, Field(ge=0)] = 0

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure and what it is drawn from."""
        found = compare.as_found(context.frame, block.experiments[0], "group")
        here = found[(found.setting == 0) & (found.rep == self.repetition)]
        if not len(here):
            return Output(notes=["There is no such repetition."])
        items = here.assign(item=here.group.astype(int)).sort_values("item")
        numbers = items.drop(columns=["setting", "rep", "group"]).reset_index(drop=True)
        n = len(numbers)
        H = numbers[[f"above {j}" for j in range(n)]].to_numpy()
        wrong = int(np.tril(H, -1).sum())
        places = [numbers[f"place by {name}"].to_numpy() for name in ("degree", "QuickSort")]
        degree, quick = (int(np.tril(place[:, None] < place, -1).sum()) for place in places)
        gist = (
            f"Of {n * (n - 1) // 2} pairs, h has {wrong} wrong, the order by degree {degree} and "
            f"QuickSort's order {quick}."
        )
        note = (
            "Left: a square means that h prefers the row to the column; a red square is an error. "
            "Middle: the number of items that each item is preferred to, in the order found. "
            "Right: each item stands below the last pivot that it was compared with. The order "
            "found is from left to right."
        )
        drawn = Drawing(self._draw(numbers, H, *places))
        return Output(numbers, chart=drawn, notes=[note], gist=gist)

    def _draw(
        self, numbers: pd.DataFrame, H: Floats, by_degree: Floats, by_quick: Floats
    ) -> figure.Figure:
        made, (matrix, bars, tree) = figure.panels(3, 3, (2.9, 2.9))
        n = len(numbers)
        names = [str(i + 1) for i in range(n)]
        for part, colour in ((np.triu(H), figure.colour(0)), (np.tril(H), WRONG)):
            rows, columns = np.nonzero(part)
            matrix.scatter(columns, rows, marker="s", s=8000 / n**2, color=colour)
        matrix.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
        matrix.set_xticks(range(n), names)
        matrix.set_yticks(range(n), names)
        figure.title(matrix, "preferences h", bold=True)
        bars.barh(by_degree, numbers.degree, color=figure.colour(0), height=0.7)
        bars.set_yticks(by_degree, names)
        bars.set(ylim=(n - 0.5, -0.5), xlabel="degree")
        figure.title(bars, "sort by degree", bold=True)
        x, y = by_quick, numbers.depth.to_numpy()
        for i, pivot in enumerate(numbers["pivot"].astype(int)):
            if pivot >= 0:
                ends = [i, pivot]
                tree.plot(x[ends], y[ends], color="#888888", linewidth=0.9, zorder=1)
            tree.scatter(x[i], y[i], s=170, color="white", edgecolors=figure.colour(0), zorder=2)
            tree.text(x[i], y[i], names[i], ha="center", va="center", fontsize=figure.SMALL)
        tree.set(xlim=(-0.6, n - 0.4), ylim=(y.max() + 0.5, -0.5), ylabel="depth")
        tree.set_yticks(range(int(y.max()) + 1))
        tree.set_xticks([])
        figure.title(tree, "QuickSort", bold=True)
        return made
