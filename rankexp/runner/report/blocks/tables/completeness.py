"""What a run lacks: missing and failed records, undefined values, warnings, data, versions."""

import pandas as pd

from rankexp.runner.config.schema import Block, Evaluate, Simulate
from rankexp.runner.labels import spoken
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, METHOD, PROBLEM, Role, heads
from rankexp.runner.report.model import Entry, Output, Table
from rankexp.runner.report.options import BlockKind
from rankexp.runner.report.runs import good, wrong

REGISTER = {"completeness": "Completeness"}

NUMBERS = ["expected", "ok", "missing", "failed", "timeout", "skipped", "nan", "warned"]
ALL = ("all", "all")  # problems and methods


class Completeness(BlockKind):
    """One row an experiment, one a cell of it that lacks something; what is wrong, in words.

    The CSV has every cell, and the totals as rows of their own kind.
    """

    shows = (Evaluate, Simulate)

    def output(self, context: Context, block: Block) -> Output:
        names = block.experiments
        counts = {key: count for key, count in context.counts.items() if key[0] in names}
        totals = {(name, *ALL): context.total(name) for name in names}
        rows = [
            [*key, *(getattr(count, name) for name in NUMBERS), "total" if whole else "cell"]
            for whole, own in enumerate((counts, totals))
            for key, count in own.items()
        ]
        named = ["experiment", "problem", "method", *NUMBERS, "kind"]
        numbers = pd.DataFrame(rows, columns=named)
        header = [EXPERIMENT, PROBLEM, METHOD]
        header += heads(Role.COUNT, *NUMBERS[:-2], "undefined", "warned")
        shown = [row for name in names for row in _rows(context, name)]
        notes = [good(context, names), *wrong(context, names)]
        return Output(numbers, [Table(header, shown, "Records", detail=True)], notes=notes)


def _rows(context: Context, experiment: str) -> list[list[Entry]]:
    rows = [(ALL, context.total(experiment))]
    check = isinstance(context.study.experiments[experiment], Simulate)
    called = (spoken, spoken) if check else (context.problem_label, context.method_label)
    rows += [
        ((called[0](problem), called[1](method)), count)
        for (name, problem, method), count in context.counts.items()
        if name == experiment and (count.ok < count.expected or count.nan or count.warned)
    ]
    return [
        [experiment, *place, *(getattr(count, name) for name in NUMBERS)] for place, count in rows
    ]
