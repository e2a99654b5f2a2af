"""Means of the chosen rows with their standard errors, and paired differences.

A standard error is over what is independent: the models of a generator, or the repeats of a
split. Repeats share one sample, so over repeats it is the noise of the partition alone; `correct`
gives differences the error that comparisons judge them by.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.runner.analyse.frame import NONE, QUERY, typed
from rankexp.statistics import paired as of_pairs
from rankexp.statistics.design import QUERIES, Design
from rankexp.statistics.several import holm, settled

SPLIT = ["problem", "model", "rep", "fold", "unit"]
OF_MODELS = "models"
OF_REPEATS = "partition"
OF_EXAMPLES = "test examples"
OF_QUERIES = "queries"
OF_NOTHING = "none"
CASE = ["problem", "setting", "group"]  # what the repetitions of a check share


class Mean(NamedTuple):
    """The mean of a method on a problem, over units: a row of `summary`."""

    problem: str
    method: str
    mean: float
    se: float
    se_of: str
    q1: float
    median: float
    q3: float
    units: int
    splits: int
    nan: int


def unit_means(splits: pd.DataFrame) -> pd.DataFrame:
    """Return problem, method, unit, value: the mean over the splits of each unit, NaN left out."""
    keys = ["problem", "method", "unit"]
    return splits.groupby(keys, sort=False).value.mean().reset_index()


def by_method(units: pd.DataFrame, methods: Sequence[str]) -> dict[str, Floats]:
    """Return the values of each method that are no NaN, of `unit_means`."""
    known = units.dropna(subset=["value"])
    return {name: known.loc[known.method == name, "value"].to_numpy() for name in methods}


def summary(splits: pd.DataFrame) -> pd.DataFrame:
    """Return mean (of the units' means), se, se_of and quartiles a problem and method, and counts.

    Of the counts `splits` have a value, and `nan` are left out for lack of one. Where splits are
    spread over queries, these are the units, and the mean is of the folds' means.
    """
    keys = ["problem", "method"]
    units = unit_means(splits).dropna(subset=["value"])
    over = units.groupby(keys, sort=False).value
    result = over.agg(
        mean="mean",
        se=lambda values: values.std(ddof=1) / math.sqrt(len(values)),
        q1=lambda values: values.quantile(0.25),
        median="median",
        q3=lambda values: values.quantile(0.75),
        units="count",
    )
    per = splits.groupby(keys, sort=False)
    counts = per.value.agg(splits="count", size="size")
    counts["nan"] = counts.pop("size") - counts.splits
    counts["se_of"] = np.where(per.model.max() != NONE, OF_MODELS, OF_REPEATS)
    table: pd.DataFrame = counts.join(result).reset_index()
    if QUERY in splits:
        over_folds = splits[splits[QUERY] != NONE].dropna(subset=["value"])
        for key, own in over_folds.groupby(keys, sort=False):
            mean, se, _ = of_pairs.stratified(own.value, own.fold)
            found = {"mean": mean, "se": se, "se_of": OF_QUERIES, "splits": own.fold.nunique()}
            place = (table.problem == key[0]) & (table.method == key[1])
            for name, value in found.items():
                table.loc[place, name] = value
    table.loc[table.se.isna(), "se_of"] = OF_NOTHING
    return table[list(Mean._fields)]


def means(splits: pd.DataFrame) -> list[Mean]:
    """Return the rows of a `summary`."""
    return typed(summary(splits), Mean)


def paired(splits: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return `splits` with the differences to a reference, which itself is left out, as values.

    Splits that either lacks, or where either is NaN, are left out, too.
    """
    other = splits.loc[splits.method == reference, [*SPLIT, "value"]]
    mine = splits[splits.method != reference]
    both = mine.merge(other, on=SPLIT, suffixes=("", "_reference"))
    both["value"] = both.value - both.pop("value_reference")
    return both.dropna(subset=["value"]).reset_index(drop=True)


def correct(
    differences: pd.DataFrame, summarised: pd.DataFrame, designs: Mapping[str, Design]
) -> pd.DataFrame:
    """Return a `summary` of differences with the SE that the design of each problem has.

    Over models it is that of `summary`. Over folds and splits, whose training parts overlap, it is
    that of the comparisons: over all splits, corrected, not below what the test examples allow;
    over queries with folds as strata.
    Columns low_all and high_all are added: 95 % intervals for all problems of a method at once.
    """
    errors = {}
    for (problem, method), own in differences.groupby(["problem", "method"], sort=False):
        design = designs[str(problem)]
        if design.pairs != "models":
            found, _ = of_pairs.of_design(settled(own.value), design, own.fold)
            errors[problem, method] = float(found.se)
    keys = zip(summarised.problem, summarised.method, summarised.se, strict=True)
    table = summarised.assign(se=[errors.get((p, m), se) for p, m, se in keys])
    tests = table.se.notna().groupby(table.method).transform("sum").clip(lower=1)
    pairs = np.array([designs[name].pairs for name in table.problem], dtype=object)
    units, splits = table.units.to_numpy(), table.splits.to_numpy()
    df = np.where(pairs == "models", units, splits) - 1.0
    df = np.where(pairs == QUERIES, units - splits, df)  # here splits are folds
    found = of_pairs.Estimate(table["mean"], table.se, df)
    low, high = of_pairs.interval(found, 1 - 0.05 / tests.to_numpy(dtype=np.float64))
    return table.assign(low_all=low, high_all=high)


def resampled(
    differences: pd.DataFrame, designs: Mapping[str, Design], seed: int = 0
) -> pd.DataFrame:
    """Return what resampling says of differences over queries, a row a problem and method.

    Intervals are at 95 %, each for itself; p-values are adjusted by Holm for all rows, too.
    """
    rows = []
    for (problem, method), own in differences.groupby(["problem", "method"], sort=False):
        if designs[str(problem)].pairs == QUERIES and len(own) > own.fold.nunique():
            values, folds = settled(own.value), own.fold.to_numpy()
            ends = of_pairs.stratified_bootstrap(values, folds, 0.95, seed)
            rows.append([problem, method, *ends, of_pairs.randomisation(values, folds, seed)])
    names = ["problem", "method", "boot_low", "boot_high", "p_random"]
    table = pd.DataFrame(rows, columns=names)
    return table.assign(p_random_adjusted=holm(table.p_random))


def simulated(frame: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return mean and SE over repetitions of every problem, setting, group and quantity.

    Settings are places in the grid's product. What a check finds step by step is left out.
    """
    table = simulated_rows(frame, experiment)
    over = table.groupby([*CASE, "quantity"], sort=False).value
    result = over.agg(mean="mean", std="std", repetitions="count", size="size").reset_index()
    result["se"] = result["std"] / np.sqrt(result.repetitions)
    result["nan"] = result["size"] - result.repetitions
    return result.drop(columns=["std", "size"])


def simulated_differences(
    frame: pd.DataFrame, experiment: str, expected: Mapping[str, float | str]
) -> pd.DataFrame:
    """Return how far quantities are from what they should be, in the mean over repetitions.

    `expected`: quantity -> a number, or another quantity of the same repetition.
    """
    rows = simulated_rows(frame, experiment)
    keys = [*CASE, "rep"]
    parts = []
    for quantity, target in expected.items():
        own = rows[rows.quantity == quantity]
        if isinstance(target, str):
            other = rows[rows.quantity == target].rename(columns={"value": "expected"})
            own = own.merge(other[[*keys, "expected"]], on=keys)
        else:
            own = own.assign(expected=float(target))
        parts.append(own.assign(difference=own.value - own.expected))
    joined = pd.concat([*parts, rows.iloc[:0].assign(expected=0.0, difference=0.0)])
    over = joined.groupby([*CASE, "quantity"], sort=False)
    result = over.expected.mean().to_frame()
    result["difference"] = over.difference.mean()
    result["difference_se"] = over.difference.std() / np.sqrt(over.difference.count())
    return result.reset_index()


def as_found(
    frame: pd.DataFrame, experiment: str, by: str, problem: str | None = None
) -> pd.DataFrame:
    """Return a `simulate` experiment's rows of groups or steps, one column a quantity.

    `by` is "group" or "step". Rows are sorted by setting, rep and `by`, groups as they come.
    Of a check of data sets `problem` says which.
    """
    other = "group" if by == "step" else "step"
    wanted = (frame.part == "test") & frame[by].notna() & frame[other].isna()
    if problem is not None:
        wanted &= frame.problem == problem
    rows = frame[(frame.experiment == experiment) & wanted]
    long = _rows_of_check(rows)
    if by == "step":
        long["step"] = rows.step.astype(np.int64)
    keys = ["setting", "rep", by]
    table = long.pivot_table(
        index=keys, columns="quantity", values="value", sort=by == "step", dropna=False
    )
    return table.rename_axis(columns=None).reset_index()


def simulated_rows(frame: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return problem, setting, rep, group, quantity and value of what a check found, no steps."""
    wanted = (frame.experiment == experiment) & (frame.metric != "") & frame.step.isna()
    return _rows_of_check(frame[wanted])


def _rows_of_check(rows: pd.DataFrame) -> pd.DataFrame:
    """Return problem, setting, rep, group, quantity and value of rows of a `simulate` experiment.

    The problem is the check's name where it takes none.
    """
    return pd.DataFrame(
        {
            "problem": rows.problem.astype(object),
            "setting": rows.setting.fillna(0).astype(np.int64),
            "rep": rows.rep.fillna(0).astype(np.int64),
            "group": rows.group.astype(object).where(rows.group.notna(), ""),
            "quantity": rows.metric.astype(object),
            "value": rows.value,
        }
    )
