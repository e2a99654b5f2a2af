"""The repetition of a check in which a quantity is largest, with what it found step by step."""

import math
from functools import partial

import pandas as pd
from pydantic import Field

from rankexp.charts.numbers import number
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Simulate
from rankexp.runner.grid import points
from rankexp.runner.labels import spoken
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, Role, heads
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.options import BlockKind

REGISTER = {"extreme_case": "ExtremeCase"}

PLACE = ["setting", "rep"]
WHERE = ["problem", *PLACE]


class ExtremeCase(BlockKind):
    """A row an experiment: the largest value of a quantity; and a table of the steps found there.

    What it is compared with, such as a bound, is of the same repetition.
    """

    shows = (Simulate,)

    quantity: str
    """It has no groups."""
    compare_with: list[str] = Field(default_factory=list)
    """Quantities that it is compared with, and is told a share of."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the tables, and a fact of each experiment."""
        largest: list[list[Entry]] = []
        tables, found, facts, labels = [], [], {}, context.labels(block.experiments[0])
        for name in block.experiments:
            setup = context.study.experiments[name]
            assert isinstance(setup, Simulate)  # see `shows`
            rows = compare.simulated_rows(context.frame, name)
            plain = rows[rows.group == ""]
            wide = plain.pivot(index=WHERE, columns="quantity", values="value")
            if self.quantity not in wide or wide[self.quantity].isna().any():
                continue
            place = int(wide[self.quantity].to_numpy().argmax())
            (problem, *where), label = wide.index[place], setup.title or name
            labels = context.labels(name)
            top = float(wide[self.quantity].max())
            best = wide.reindex(columns=self.compare_with).iloc[place]
            others = {str(one): float(value) for one, value in best.items()}
            values = [top, *others.values(), *(top / value for value in others.values())]
            label_of = context.problem_label(problem) if setup.problems else ""
            point = ", ".join(filter(None, [label_of, points(setup.grid)[where[0]].named(labels)]))
            largest.append([label, point, *(Cell(value, digits=3) for value in values)])
            facts[label] = Fact("", _told(top, {spoken(k, labels): v for k, v in others.items()}))
            steps = compare.as_found(context.frame, name, "step", problem).set_index(PLACE)
            if tuple(where) in steps.index:
                own = steps.loc[[tuple(where)]].dropna(how="any").reset_index()
                shown = own.drop(columns=PLACE).set_index("step")
                tables.append(_steps(label, shown.rename(columns=partial(spoken, own=labels))))
                on = {"problem": problem} if setup.problems else {}
                shares = others | {f"{self.quantity} / {k}": top / v for k, v in others.items()}
                found.append(own.assign(experiment=name, **on, **{self.quantity: top}, **shares))
        said = "; ".join(f"{label} {one.text}" for label, one in facts.items())
        beside = [spoken(one, labels) for one in (self.quantity, *self.compare_with)]
        ratios = [f"{beside[0]} / {one}" for one in beside[1:]]
        header = [EXPERIMENT, *heads(Role.SETTING, "Setting")]
        header += heads(Role.VALUE, *beside, *ratios)
        return Output(
            pd.concat(found) if found else None,
            [Table(header, largest, f"Largest {beside[0]}"), *tables],
            gist=f"Largest {beside[0]}: {said}." if said else "",
            facts=facts,
        )


def _told(top: float, others: dict[str, float]) -> str:
    shares = [
        f"{number(top / value, 3)} of the {name} {number(value, 3)}"
        for name, value in others.items()
        if not math.isnan(value)
    ]
    return ", ".join([number(top, 3), *shares])


def _steps(label: str, steps: pd.DataFrame) -> Table:
    rows: list[list[Entry]] = [
        [str(name), *(Cell(float(value), digits=3, tiny=True) for value in own)]
        for name, own in steps.items()
    ]
    header = heads(Role.METRIC, "Quantity")
    header += heads(Role.VALUE, *(str(int(step) + 1) for step in steps.index))
    return Table(header, rows, label)
