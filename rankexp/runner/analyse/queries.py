"""Means over the queries of test sets, and their rows.

A method's value is the mean over folds of the mean over a fold's queries, as LETOR has it (Qin et
al., Information Retrieval 13, 2010). The folds' test sets have no query in common: queries are
what is independent, and folds are strata (:func:`rankexp.statistics.paired.stratified`).
"""

from collections.abc import Sequence

import pandas as pd

from rankexp.runner.analyse.frame import NONE

QUERY = "query"  # a column of frames, and a level of indices: the query's number, NONE for none
SAME = 1e-9  # two ways to one mean differ by less
SPLIT = ["problem", "method", "model", "rep", "fold", "grid"]


def are_pairs(splits: pd.DataFrame, values: pd.DataFrame) -> bool:
    """Tell whether splits are means over queries that no other fold has.

    If not (metrics over all rows, folds that share a test set), an error over queries is not that
    of their values. Both are of :func:`rankexp.runner.analyse.frame.scores`, `values` by query.
    """
    places = values[["problem", "fold", QUERY]].drop_duplicates()
    means = values.groupby(SPLIT).value.mean().rename("mean").reset_index()
    both = splits.merge(means, on=SPLIT, how="left").dropna(subset=["value"])
    close = (both.value - both["mean"]).abs() <= SAME * (1 + both.value.abs())
    return bool(close.all()) and not places.duplicated(["problem", QUERY]).any()


def spread(splits: pd.DataFrame, values: pd.DataFrame, problems: Sequence[str]) -> pd.DataFrame:
    """Return splits with a row a query in place of those of some problems, and the column `QUERY`.

    `splits` and `values` are as above; the query is the unit of the rows that are spread.
    """
    own = splits.problem.isin(list(problems))
    each = splits.loc[own, SPLIT].merge(values, on=SPLIT)
    each["unit"] = each[QUERY]
    return pd.concat([splits[~own].assign(**{QUERY: NONE}), each], ignore_index=True)
