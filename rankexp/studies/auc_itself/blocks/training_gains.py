"""The AUC of training examples before and after it is optimised, beside that of test examples."""

import pandas as pd

from rankexp.charts.numbers import span
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import PROBLEM, Role, heads
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import AtRule, MethodName

REGISTER = {"training_gains": "TrainingGains"}

KEPT = {"before": "start_auc_", "after": "training_auc_", "sweeps": "n_sweeps_"}
KEYS = ["problem", "method", "model", "rep", "fold", "grid"]


class TrainingGains(AtRule):
    """A row a problem: means over splits of what a method keeps of its training examples."""

    method: MethodName

    reference: MethodName
    """The start, to whose test AUC the method's is compared."""

    def output(self, context: Context, block: Block) -> Output:
        """Return the table."""
        numbers = pd.concat([self._means(context, name) for name in block.experiments])
        rows: list[list[Entry]] = []
        places = list(zip(numbers.experiment, numbers.problem, strict=True))
        for label, (_, row) in zip(context.row_labels(places), numbers.iterrows(), strict=True):
            ends = (row.least, row.largest)
            cells = [Cell(row.before, digits=3), Cell(row.after, digits=3)]
            cells.append(Cell(row.gain, interval=ends, digits=4, sign=True))
            cells.append(Cell(row.test, digits=4, sign=True))
            rows.append([label, *cells, Cell(row.sweeps, digits=1)])
        header = [PROBLEM, *heads(Role.VALUE, "Before", "After"), *heads(Role.DIFFERENCE, "Gain")]
        header += [*heads(Role.DIFFERENCE, "Gain in test"), *heads(Role.VALUE, "Sweeps")]
        table = Table(header, rows, "AUC of the training examples: means over splits")
        note = (
            "Behind a gain stand the least and the largest of all splits. Before: the fit that a "
            "search starts from. Each method draws its own inner folds, so that fit may have "
            "another penalty than the logistic regression that claims compare with. Gains in test "
            "are mean differences; their intervals stand in the tables of differences."
        )
        gist = f"Gains in training: {span(numbers.gain.min(), numbers.gain.max(), 4)}; in test: "
        gist += f"{span(numbers.test.min(), numbers.test.max(), 4)}."
        return Output(numbers, [table], notes=[note], gist=gist)

    def _means(self, context: Context, name: str) -> pd.DataFrame:
        chosen = self.chosen(context, name, [self.method, self.reference])
        own = chosen[chosen.method == self.method].rename(columns={"value": "own"})
        for column, attribute in KEPT.items():
            found = context.scores(name, attribute, "train")[[*KEYS, "value"]]
            own = own.merge(found.rename(columns={"value": column}), on=KEYS)
        other = chosen[chosen.method == self.reference].rename(columns={"value": "other"})
        place = [key for key in KEYS if key not in ("method", "grid")]
        own = own.merge(other[[*place, "other"]], on=place)
        own = own.assign(gain=own.after - own.before, test=own.own - own.other)
        over = own.groupby("problem", sort=False)
        means = over[["before", "after", "gain", "test", "sweeps"]].mean().reset_index()
        means = means.assign(least=over.gain.min().values, largest=over.gain.max().values)
        means.insert(0, "experiment", name)
        return means
