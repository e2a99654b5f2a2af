"""What a run lacks: missing and failed records, undefined values, warnings, data, versions."""

import pandas as pd

from rankexp import __version__
from rankexp.analyse import complete
from rankexp.config.schema import Block, Evaluate, Simulate
from rankexp.report.context import Context
from rankexp.report.model import Entry, Output, Table
from rankexp.report.options import BlockKind

REGISTER = {"completeness": "Completeness"}

NUMBERS = ["expected", "ok", "missing", "failed", "timeout", "skipped", "nan", "warned"]


class Completeness(BlockKind):
    """One row an experiment, one a cell of it that lacks something; what is wrong, in words.

    The CSV has every cell.
    """

    shows = (Evaluate, Simulate)

    def output(self, context: Context, block: Block) -> Output:
        """Return the table and the sentences."""
        names = block.experiments
        counts = {key: count for key, count in context.counts.items() if key[0] in names}
        rows = [
            [*key, *(getattr(count, name) for name in NUMBERS)] for key, count in counts.items()
        ]
        numbers = pd.DataFrame(rows, columns=["experiment", "problem", "method", *NUMBERS])
        header = ["Experiment", "Problem", "Method", *NUMBERS[:-2], "NaN", "warned"]
        shown = [row for name in names for row in _rows(context, name)]
        notes = self._notes(context, names, complete.total(counts.values()))
        return Output(numbers, [Table(header, shown, "Records", detail=True)], notes=notes)

    def _notes(self, context: Context, names: list[str], total: complete.Count) -> list[str]:
        notes = [f"{total.ok} of {total.expected} records are good."]
        if total.nan:
            notes.append(
                f"{total.nan} of them have an undefined test value (a class or level without an "
                "example in the test part); these are left out of every mean."
            )
        for category, count in sorted(total.categories.items()):
            notes.append(f"Warning {category} in {count} records.")
        for reason, count in total.reasons.most_common(20):
            notes.append(f"{count} records: {reason}")
        setups = (context.study.experiments[name] for name in names)
        wanted = dict.fromkeys(
            p for one in setups if isinstance(one, Evaluate) for p in one.problems
        )
        absent = [name for name in wanted if context.missing_data(name) is not None]
        if absent:  # the page's table of data says why
            notes.append(f"Data not available: {', '.join(absent)}.")
        used = {cell.key for cell in context.cells} & context.records.keys()
        for version, count in complete.versions(context.records[key] for key in used).items():
            if version and version != __version__:
                notes.append(f"{count} records were made by version {version}, not {__version__}.")
        return notes + context.problems


def _rows(context: Context, experiment: str) -> list[list[Entry]]:
    """Return the sums of an experiment, then its cells that are not perfect."""
    rows = [(("all", "all"), context.total(experiment))]
    rows += [
        ((problem, method), count)
        for (name, problem, method), count in context.counts.items()
        if name == experiment and (count.ok < count.expected or count.nan or count.warned)
    ]
    return [
        [experiment, *place, *(getattr(count, name) for name in NUMBERS)] for place, count in rows
    ]
