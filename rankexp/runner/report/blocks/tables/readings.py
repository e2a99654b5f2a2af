"""What each reading of a paper gives beside its print: how many cells it meets, and how nearly."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pandas as pd
from pydantic import Field

from rankexp.runner.analyse import compare
from rankexp.runner.analyse.notes import Kind, Note
from rankexp.runner.analyse.verdicts import LEVEL
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Cell, Entry, Fact, Output, Table
from rankexp.runner.report.numbers import number
from rankexp.runner.report.options import AtRule, ExperimentName, MethodName

REGISTER = {"readings": "Readings"}


class Readings(AtRule):
    """A row a reading, an experiment with some methods: how near each column's methods come.

    Published values are those of one experiment; the others do the same in another way.
    """

    published: ExperimentName | None = None
    """The experiment under which the published values stand. Default: the first."""
    readings: dict[str, dict[MethodName, MethodName]] = Field(default_factory=dict)
    """What a reading is called -> its method -> that whose published value it stands for.
    Default: one reading, of all methods for themselves."""

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield a value of each problem and method that a reading stands for."""
        for experiment in block.experiments:
            setup = context.evaluate(experiment)
            named = self.readings.values() or [{name: name for name in setup.methods}]
            own = {
                of for targets in named for name, of in targets.items() if name in setup.methods
            }
            for problem, target in product(setup.problems, own):
                yield self._key(context, block, experiment, problem, target)

    def _key(
        self, context: Context, block: Block, experiment: str, problem: str, target: str
    ) -> PublishedKey:
        metric = str(context.metric(experiment, self.metric))
        return PublishedKey(self.published or block.experiments[0], problem, target, metric)

    def output(self, context: Context, block: Block) -> Output:
        """Return the table of readings, and the nearest of each cell for a warning."""
        lines = pd.DataFrame(
            line for name in block.experiments for line in self._lines(context, block, name)
        )
        if lines.empty:
            return Output(notes=["None of it was run."])
        methods = list(dict.fromkeys(lines["target"]))
        tables = [self._table(context, lines, methods)]
        met = lines.groupby("reading", sort=False)["within"].sum()
        cells = len(lines[["problem", "target"]].drop_duplicates())
        text = f"the best of {len(met)} readings meets {met.max()} of {cells} values"
        facts = {"best": Fact("", text)}
        return Output(lines, tables, notes=self._notes(lines), gist=self._gist(lines), facts=facts)

    def _lines(self, context: Context, block: Block, experiment: str) -> list[dict[str, Any]]:
        setup = context.evaluate(experiment)
        named = self.readings or {"": {name: name for name in setup.methods}}
        title, made = setup.title or experiment, []
        for label, targets in named.items():
            own = {m: t for m, t in targets.items() if m in setup.methods}
            found = compare.summary(self.units(context, experiment, list(own)))
            for row in found.to_dict("records"):
                target = own[row["method"]]
                key = self._key(context, block, experiment, row["problem"], target)
                printed = context.published.get(key)
                if printed is None or math.isnan(row["mean"]):
                    continue
                difference = row["mean"] - printed.value
                _, noise = compare.noise(row, printed)
                made.append(
                    {
                        "experiment": experiment,
                        "reading": ", ".join(filter(None, [title, label])),
                        "problem": row["problem"],
                        "method": row["method"],
                        "target": target,
                        "published": printed.value,
                        "reproduced": row["mean"],
                        "se": row["se"],
                        "difference": difference,
                        "z": difference / noise.se if noise.se > 0 else math.nan,
                        "within": abs(difference) <= noise.reproduced,
                    }
                )
        return made

    def _table(self, context: Context, lines: pd.DataFrame, methods: Sequence[str]) -> Table:
        """Return a row a reading: mean sizes of differences and cells met."""
        rows: list[list[Entry]] = []
        for reading, own in lines.groupby("reading", sort=False):
            row: list[Entry] = [str(reading)]
            for name in [*methods, None]:
                part = own if name is None else own[own["target"] == name]
                size = float(part["difference"].abs().mean())
                remark = f"{int(part['within'].sum())} of {len(part)}"
                row.append(Cell(size, remark=remark, digits=self.digits))
            rows.append(row)
        header = ["Reading", *map(context.method_label, methods), "all"]
        return Table(header, rows, "Mean |difference| to the print (cells within its noise)")

    def _notes(self, lines: pd.DataFrame) -> list[Note | str]:
        cells = lines.groupby(["problem", "target"], sort=False)
        met, count = int(cells["within"].any().sum()), lines["reading"].nunique()
        size = float(cells["difference"].agg(lambda own: own.abs().min()).mean())
        most = lines.groupby("reading", sort=False)["within"].sum().max()
        return [
            f"Within noise: {100 * LEVEL:g} % of perfect reproductions are; the print is a draw "
            "too. A reading with few repeats has more noise, so that its cells meet more.",
            Note(
                Kind.WARNING,
                f"Warning: the nearest of {count} readings, chosen cell by cell, meets {met} "
                f"of {cells.ngroups} cells (mean |difference| {number(size, self.digits)}), while "
                f"no single reading meets more than {most}. That is fishing: of so many readings "
                "some come near whatever was printed. Only a row as a whole says how the paper "
                "was made.",
            ),
        ]

    def _gist(self, lines: pd.DataFrame) -> str:
        """Say which readings come nearest and farthest as a whole."""
        sizes = lines["difference"].abs().groupby(lines["reading"], sort=False).mean()
        (best, least), (worst, most) = (
            (str(name), number(sizes[str(name)], self.digits))
            for name in (sizes.idxmin(), sizes.idxmax())
        )
        return (
            f"Of {len(sizes)} readings of what is not printed, '{best}' comes nearest to the "
            f"print as a whole (mean |difference| {least}), '{worst}' least near ({most})."
        )
