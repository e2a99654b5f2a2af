"""The least expected pairwise hinge loss is a staircase; beside it, what estimators fit."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.charts.model import Axis, Chart, Line, Lines
from rankexp.runner.analyse import compare, kept
from rankexp.runner.config.fault import Fault
from rankexp.runner.config.schema import Block, Evaluate, Simulate, Study
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import AtRule, ProblemName
from rankexp.runner.report.render.text import cell_text
from rankexp.studies.uematsu2010.checks.hinge import LABELS
from rankexp.studies.uematsu2010.theories import samples

REGISTER = {"staircase": "Staircase"}

Title = tuple[str, str]  # an experiment's, and a method


class Staircase(AtRule):
    """The steps of the check `hinge_staircase` beside the log of the likelihood ratio.

    With an `evaluate` experiment behind the simulation also the curves that its methods keep
    ``at`` fixed points, a panel an experiment and method, of its first problem.
    """

    problem: ProblemName | None = None
    """Another problem than the experiments' first one."""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Of the samples that a band holds at each x."""

    shows = (Evaluate, Simulate)
    check = "hinge_staircase"

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find what cannot be shown; of simulations it needs one, and no more."""
        yield from super().faults(study, block)
        setups = [study.experiments.get(name) for name in block.experiments]
        count = sum(isinstance(setup, Simulate) for setup in setups)
        if count != 1 and None not in setups:
            text = f"block '{block.block}' shows one simulation, and {count} are named"
            yield Fault(("experiment",), text)

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return no methods, for all of them and the simulation."""
        return []

    def output(self, context: Context, block: Block) -> Output:
        """Return the figure, the steps, and a table of what the check says of them."""
        names = block.experiments
        runs = [n for n in names if isinstance(context.study.experiments[n], Evaluate)]
        simulated = [name for name in names if name not in runs]
        steps = compare.as_found(context.frame, simulated[0], "step")
        if not len(steps):
            return Output(notes=["There are no steps."])
        steps = steps[(steps.setting == 0) & (steps.rep == 0)].reset_index(drop=True)
        log_ratio = np.log(steps.p_plus / steps.p_minus)
        steps = steps.assign(log_ratio=log_ratio - (log_ratio.max() + log_ratio.min()) / 2)
        fitted = {
            (context.title(name), method): curves
            for name in runs
            for method, curves in self._fitted(context, name).items()
        }
        whole = self._whole(context, simulated[0])
        numbers, table = steps.drop(columns=["setting", "rep"]).assign(**whole), self._grid(whole)
        gist = "; ".join(f"{name} {cell_text(value)}" for name, value in table.rows)
        drawn, notes = self._chart(context, steps, fitted), self._notes(fitted)
        return Output(numbers, [table], drawn, notes, gist=f"The lowest hinge loss: {gist}.")

    def _fitted(self, context: Context, experiment: str) -> dict[str, list[kept.KeptItem]]:
        setup = context.evaluate(experiment)
        if setup.keep is None or setup.keep.at is None:
            return {}
        methods = [name for name in self.methods or setup.methods if name in setup.methods]
        curves = kept.curves(self.sources(context, experiment, methods), "scoring_function")
        found = kept.by_method(curves, self.problem or setup.problems[0])
        return {name: found[name] for name in methods if name in found}

    def _whole(self, context: Context, experiment: str) -> dict[str, float]:
        """Return what the check says of the whole staircase, in columns of the numbers."""
        table = compare.simulated(context.frame, experiment)
        first = table[(table.setting == 0) & (table.group == "")]
        return dict(zip(first.quantity, first["mean"], strict=True))

    def _grid(self, values: Mapping[str, float]) -> Table:
        rows: list[list[Entry]] = [
            [text, Cell(values[name], digits=0 if name == "levels" else self.digits)]
            for name, text in LABELS.items()
            if name in values
        ]
        return Table(["In the population", "Value"], rows, "The staircase and the log ratio")

    def _notes(self, fitted: Mapping[Title, Sequence[kept.KeptItem]]) -> list[str]:
        notes = [
            "The steps minimise the expected hinge loss on pairs over a grid, which is a linear "
            "program. All heights are whole numbers. The logistic loss is lowest at the log ratio "
            "and the exponential loss at half of it; neither ties any points."
        ]
        if fitted:
            notes.append(
                f"Curves: the mean over samples, a band that holds {100 * self.share:g} % of them "
                "at each x, and the first sample in grey; each is centred at its mean over the "
                "grid."
            )
        return notes

    def _chart(
        self,
        context: Context,
        steps: pd.DataFrame,
        fitted: Mapping[Title, Sequence[kept.KeptItem]],
    ) -> Chart:
        x = steps.x.to_numpy()
        low, high = float(x[0]), float(x[-1])
        middles = (x[1:] + x[:-1]) / 2  # where steps are
        stairs = np.r_[low, np.repeat(middles, 2), high], np.repeat(steps.r.to_numpy(), 2)
        theory = [
            Line("lowest expected hinge loss", *stairs, marked=False),
            Line("log of the ratio", x, steps.log_ratio.to_numpy(), dashed=True, marked=False),
        ]
        sides = Axis("x", low=low, high=high), Axis("centred score")
        panels = [] if fitted else [Lines("", theory, *sides)]
        for (title, method), curves in fitted.items():
            grid = curves[0].x
            inside = (grid >= low) & (grid <= high)
            centred = kept.centred(np.array([one.y for one in curves]), inside)[:, inside]
            lines = [*samples(grid[inside], centred, self.share), *theory]
            panels.append(Lines(f"{context.method_label(method)}, {title}", lines, *sides))
        columns, size = (2, (3.4, 2.8)) if len(panels) in (1, 4) else (3, (2.6, 2.8))
        return Chart(panels, columns, size, "all", below=0.5)
