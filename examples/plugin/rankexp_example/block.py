"""A kind of table, with options that hold names of methods."""

import pandas as pd

from rankexp.plugin import ORACLE, Block, Choosing, Context, MethodName, Output, Rule, Table


class Wins(Choosing):
    """In how many splits each method is better than another, as good, and worse."""

    against: MethodName
    """A name of a method that the experiments have; any other is an error with its place."""
    rule: Rule = ORACLE

    def output(self, context: Context, block: Block) -> Output:
        """Return a table with a row a problem and method."""
        numbers = pd.concat([self._counts(context, block, name) for name in block.experiments])
        rows = [
            [context.problem_label(problem), context.method_label(method), *counts]
            for problem, method, *counts in numbers.itertuples(index=False)
        ]
        header = ["Problem", "Method", "better", "equal", "worse"]
        caption = f"Splits against {context.method_label(self.against)}"
        return Output(numbers, [Table(header, rows, caption)])

    def _counts(self, context: Context, block: Block, experiment: str) -> pd.DataFrame:
        metric = context.metric(experiment, self.metric)
        others = [name for name in self.shown(context, block) if name != self.against]
        chosen = context.chosen(experiment, metric, self.rule, [*others, self.against])
        places = ["problem", "model", "rep", "fold"]
        wide = chosen.pivot(index=places, columns="method", values="value")
        sign = 1 if metric.direction == "higher" else -1
        gain = wide[others].sub(wide[self.against], axis=0) * sign
        counts = {
            word: holds.groupby("problem", sort=False).sum().stack()
            for word, holds in (("better", gain > 0), ("equal", gain == 0), ("worse", gain < 0))
        }
        return pd.DataFrame(counts).reset_index()
