"""What a check found, as it was found: one row a group, or a step, of a repetition."""

import numpy as np
import pandas as pd

from rankexp.analyse.compare import rows_of_check


def wide(frame: pd.DataFrame, experiment: str, by: str) -> pd.DataFrame:
    """Return a `simulate` experiment's rows of groups or steps, one column a quantity.

    `by` is "group" or "step". Rows are sorted by setting, rep and `by`, groups as they come.
    """
    other = "group" if by == "step" else "step"
    wanted = (frame["part"] == "test") & frame[by].notna() & frame[other].isna()
    rows = frame[(frame["experiment"] == experiment) & wanted]
    long = rows_of_check(rows)
    if by == "step":
        long["step"] = rows["step"].astype(np.int64)
    keys = ["setting", "rep", by]
    table = long.pivot_table(
        index=keys, columns="quantity", values="value", sort=by == "step", dropna=False
    )
    return table.rename_axis(columns=None).reset_index()
