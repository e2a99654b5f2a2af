"""Which method has the best mean on how many problems, in a sentence."""

import pandas as pd

from rankexp.metrics.base import Metric
from rankexp.runner.report.context import Context


def leaders(context: Context, table: pd.DataFrame, column: str, metric: Metric) -> str:
    """Return the methods by the problems on which none has a better value; "" without values.

    `table` has a row an experiment, problem and method. Nothing is tested.
    """
    higher = metric.direction == "higher"
    known = table.dropna(subset=[column])
    problems = known.groupby(["experiment", "problem"], sort=False)[column]
    best = known[known[column] == problems.transform("max" if higher else "min")]
    counts = best.groupby("method", sort=False).size().sort_values(ascending=False, kind="stable")
    parts = [f"{context.method_label(str(name))} on {n}" for name, n in counts.items()]
    if not parts:
        return ""
    parts[0] += f" of {problems.ngroups} problem{'s' * (problems.ngroups > 1)}"
    return f"Best {metric.label}: {', '.join(parts)}."
