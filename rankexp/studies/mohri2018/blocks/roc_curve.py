"""A ROC curve and how a threshold moves along it, after Figures 10.3 and 10.4."""

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.charts.numbers import number
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import BlockKind

REGISTER = {"roc_curve": "RocCurve"}

RATES = ("false", "true")


class RocCurve(BlockKind):
    """The curve of scores of two classes, a threshold on it, and both rates by the threshold."""

    shows = (Simulate,)
    check = "roc_points"

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, and the corners that it is drawn from."""
        experiment = block.experiments[0]
        found = compare.as_found(context.frame, experiment, "group")
        here = found[(found.setting == 0) & (found.rep == 0)]
        if not len(here):
            return Output(notes=["There is no such repetition."])
        corners = here.dropna(subset=["false"]).sort_values("threshold", ascending=False)
        numbers = corners[["threshold", *RATES]].reset_index(drop=True)
        rows = compare.simulated_rows(context.frame, experiment)
        plain = rows[(rows.group == "") & (rows.rep == 0)].set_index("quantity").value
        at = [float(plain[f"{rate} at"]) for rate in RATES]
        gist = (
            f"The area under the curve is {number(float(plain.area), 3)}, and so is the share "
            "of pairs in order. At the threshold marked, "
            f"{number(at[1], 2)} of the positives and {number(at[0], 2)} of the negatives are "
            "called positive."
        )
        panels = [_curve(numbers, at), _rates(numbers)]
        return Output(numbers, chart=Chart(panels, 2, (3.0, 2.6), below=0.4), gist=gist)


def _curve(numbers: pd.DataFrame, at: list[float]) -> Lines:
    x, y = (numbers[rate].to_numpy() for rate in RATES)
    ends = np.array([0.0, 1.0])
    lines = [
        Line("by chance", ends, ends, marked=False, faint=True),
        Line("ROC curve", x, y, method=0, marked=False),
        Line("at the threshold", np.array(at[:1]), np.array(at[1:]), method=1),
    ]
    across, up = (Axis(f"{rate} positives", low=0.0, high=1.01) for rate in RATES)
    return Lines("the curve", lines, across, up)


def _rates(numbers: pd.DataFrame) -> Lines:
    cuts: Floats = numbers.threshold.to_numpy()
    x = np.repeat(cuts, 2)[1:]  # a rate holds down to the next threshold
    lines = []
    for place, rate in enumerate(RATES, start=2):
        y = np.repeat(numbers[rate].to_numpy(), 2)[:-1]
        lines.append(Line(f"{rate} positives", x, y, method=place, marked=False))
    return Lines("both rates", lines, Axis("threshold"), Axis("rate", low=0.0, high=1.01))
