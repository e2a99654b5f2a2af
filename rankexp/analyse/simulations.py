"""What a check found, as it was found: one row a group, or a step, of a repetition."""

import numpy as np
import pandas as pd


def wide(frame: pd.DataFrame, experiment: str, by: str) -> pd.DataFrame:
    """Return a `simulate` experiment's rows of groups or steps, one column a quantity.

    `by` is "group" or "step". Columns: setting (index into the grid's product), rep, `by`, and the
    quantities; sorted by the first three, steps by number, groups as they come. Empty where there
    are no such rows.
    """
    other = "group" if by == "step" else "step"
    wanted = (frame["part"] == "test") & frame[by].notna() & frame[other].isna()
    rows = frame[(frame["experiment"] == experiment) & wanted]
    long = pd.DataFrame(
        {
            "setting": rows["setting"].fillna(0).astype(np.int64),
            "rep": rows["rep"].fillna(0).astype(np.int64),
            by: rows[by].astype(np.int64 if by == "step" else object),
            "quantity": rows["metric"].astype(object),
            "value": rows["value"],
        }
    )
    keys = ["setting", "rep", by]
    table = long.pivot_table(
        index=keys, columns="quantity", values="value", sort=by == "step", dropna=False
    )
    return table.rename_axis(columns=None).reset_index()
