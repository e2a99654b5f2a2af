"""IROC curves, averaged over the splits that keep them."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.arrays import Floats
from rankexp.charts import frame as figure
from rankexp.charts.letters import literal
from rankexp.charts.model import Drawing
from rankexp.keep import BAYES
from rankexp.runner.analyse import kept
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import AtRule, ProblemName

REGISTER = {"iroc_curves": "IrocCurves"}

Curve = tuple[Floats, Floats, int]  # x and mean y, (g,), and the number of splits
Found = dict[str, dict[str, Curve]]  # by problem and method


class IrocCurves(AtRule):
    """One panel a problem: a curve a method, and one of the best scorer where it is known."""

    keeps = "iroc"

    panels: list[ProblemName] | None = None
    """Problems in the order of reading. Default: the experiments' own."""
    columns: Annotated[int, Field(ge=1)] = 4

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, and the curves drawn."""
        methods = self.shown(context, block)
        found: Found = {}
        for experiment in block.experiments:
            own = kept.curves(self.sources(context, experiment, methods), self.keeps)
            for problem in context.evaluate(experiment).problems:
                found[problem] = {
                    method: (curves[0].x, np.mean([one.y for one in curves], axis=0), len(curves))
                    for method, curves in kept.by_method(own, problem).items()
                }
        shown = {name: found[name] for name in self.panels or found if found.get(name)}
        if not shown:
            return Output(notes=["No IROC curve is kept."])
        parts = [
            pd.DataFrame({"problem": problem, "method": method, "splits": n, "x": x, "y": y})
            for problem, own in shown.items()
            for method, (x, y, n) in own.items()
        ]
        numbers = pd.concat(parts, ignore_index=True)
        counts = sorted(set(numbers.splits))
        many = f"Means over {' or '.join(map(str, counts))} splits."
        notes = [
            "One split." if counts == [1] else many,
            "The area below an IROC curve is the IAUC by (5), which gives every cut-off the same "
            "weight.",
        ]
        labels = {name: context.method_label(name) for name in methods} | {BAYES: "optimal"}
        return Output(numbers, [], Drawing(self._draw(context, shown, labels)), notes)

    def _draw(self, context: Context, found: Found, labels: Mapping[str, str]) -> figure.Figure:
        columns = min(self.columns, len(found))
        size = (2.3, 2.45)
        made, axes = figure.panels(len(found), columns, size, below=0.5, least=4.0, share="all")
        for own, (problem, curves) in zip(axes, found.items(), strict=True):
            _panel(own, curves, labels)
            figure.title(own, context.problem_label(problem))
        for own in axes[::columns]:
            own.set_ylabel("true positives")
        for own in axes[-columns:]:
            own.set_xlabel("false positives")
        figure.legend(made)
        return made


def _panel(axes: figure.Axes, own: Mapping[str, Curve], labels: Mapping[str, str]) -> None:
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.7, zorder=1)
    for place, method in enumerate(labels):
        if method not in own:
            continue
        x, y, _ = own[method]
        best = method == BAYES
        axes.plot(
            x,
            y,
            color="black" if best else figure.colour(place),
            linestyle="--" if best else "-",
            linewidth=1.2 if best else max(1.1, 2.4 - 0.6 * place),  # those below show, too
            label=literal(labels[method]),
        )
    axes.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
