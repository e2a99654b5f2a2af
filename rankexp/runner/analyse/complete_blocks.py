"""Complete blocks only: which pairs, models or data sets a comparison may use, and which not.

A split is *undefined* where every method ran and none has a value (one class in the test part):
that is the data's doing and takes nothing from any method. It is *incomplete* where a record is
missing or failed, or some methods have a value and others not. What happens to incomplete blocks
is declared: ``refuse`` or ``drop``; values are never made up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rankexp.runner.analyse.frame import NONE, QUERY
from rankexp.runner.plan import PlanCell
from rankexp.statistics.contrast import Policy
from rankexp.statistics.verdicts import Lack, Refusal

WORDS: dict[Policy, str] = {
    "refuse": "Where a value is missing, no comparison is made.",
    "drop": "Splits, models or data sets with a missing value are left out.",
}
PLACE = ["problem", "model", "rep", "fold"]


class IncompleteError(ValueError):
    """Blocks are incomplete and the policy refuses them; the refusal names them."""

    def __init__(self, reason: str) -> None:
        self.refusal = Refusal(reason, lack=Lack.BLOCKS)
        super().__init__(str(self.refusal))


@dataclass(frozen=True)
class Blocks:
    """Values of several methods in complete blocks."""

    values: pd.DataFrame  # one row a block, one column a method, all finite
    left_out: dict[str, str]  # block -> why it was dropped
    undefined: int  # splits without a value for any method, left out of their block


def places(cells: Iterable[PlanCell], experiment: str) -> pd.DataFrame:
    """Return the splits that an experiment expects, as problem, model, rep, fold."""
    own = [cell for cell in cells if cell.experiment == experiment]
    rows = {(cell.problem, *(NONE if v is None else v for v in cell.place[:3])) for cell in own}
    return pd.DataFrame(sorted(rows), columns=PLACE)


def wide(splits: pd.DataFrame, expected: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return one row an expected split, by `PLACE`: its value by each method, and its ``state``.

    A state is whole, undefined or incomplete; a value that there is not is NaN. Splits that are
    spread over queries have a row for each, by `QUERY`, too, which is undefined where any method
    that ran has no value.
    """
    by = PLACE
    if QUERY in splits:
        by = [*PLACE, QUERY]
        expected = expected.merge(splits[by].drop_duplicates(), on=PLACE, how="left")
        expected = expected.fillna({QUERY: NONE}).astype({QUERY: np.int64})
    index = pd.MultiIndex.from_frame(expected[by])
    own = splits[splits.method.isin(list(methods))].assign(there=1.0)
    tables = [
        own.pivot_table(index=by, columns="method", values=name, dropna=False, observed=True)
        if len(own)
        else pd.DataFrame(index=index)
        for name in ("value", "there")
    ]
    values, there = (table.reindex(index=index, columns=list(methods)) for table in tables)
    finite = np.isfinite(values.to_numpy(dtype=np.float64))
    lacks = ~finite.any(axis=1)
    if QUERY in splits:
        lacks = np.where(expected[QUERY] == NONE, lacks, ~finite.all(axis=1))
    none = there.notna().to_numpy().all(axis=1) & lacks
    state = np.where(finite.all(axis=1), "whole", np.where(none, "undefined", "incomplete"))
    result = values.where(finite)
    result.columns.name = None
    return result.assign(state=state)


def complete(
    table: pd.DataFrame, by: Sequence[str], policy: Policy, missing: Sequence[str] = ()
) -> Blocks:
    """Return the complete blocks of :func:`wide`, the means over their whole splits.

    `by` says what makes a block, some or all of `PLACE`, and perhaps `QUERY`, without which splits
    count alike, however many queries they have; `missing` are blocks of which nothing was run.
    Raises `IncompleteError` where the policy is ``refuse`` and a block is incomplete.
    """
    methods = [name for name in table.columns if name != "state"]
    left_out = dict.fromkeys(missing, "not run")
    state = table.state
    outer = [name for name in by if name != QUERY]  # a split is lacking as a whole
    lacking = (state == "incomplete").groupby(level=outer, sort=False).agg(["sum", "size"])
    for key, (count, size) in zip(lacking.index, lacking.to_numpy(), strict=True):
        if count:
            what = "queries" if QUERY in by and size > 1 else "splits"
            left_out[_name(key, outer)] = f"{count} of {size} {what} lack a value"
    if left_out and policy == "refuse":
        listed = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:5])
        more = f"; and {len(left_out) - 5} more" if len(left_out) > 5 else ""
        raise IncompleteError(f"values are missing ({listed}{more})")
    good = lacking.index[lacking["sum"] == 0]
    whole = table[state == "whole"][methods]
    if QUERY in table.index.names and QUERY not in by:
        whole = whole.groupby(level=PLACE, sort=False).mean()
    means = whole.groupby(level=list(by), sort=False).mean()
    own = means.reset_index(QUERY).index if QUERY in by else means.index
    values = means[own.isin(good)]
    if outer != PLACE:  # an undefined split that is a block of its own is only counted
        for key in good[~good.isin(means.index)]:
            left_out[_name(key, by)] = "no split has a value"
    return Blocks(values, left_out, int((state == "undefined").sum()))


def _name(key: Any, by: Sequence[str]) -> str:
    """Name a block, ``vote`` or ``vote, repeat 3, fold 7`` (counted from 0, as in scores.csv)."""
    parts = key if isinstance(key, tuple) else (key,)
    words = {"problem": "", "model": "model ", "rep": "repeat ", "fold": "fold "}
    named = zip(by, parts, strict=True)
    return ", ".join(f"{words[name]}{part}" for name, part in named if part != NONE)
