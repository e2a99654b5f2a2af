"""Dates as numbers that ascend with time."""

import re
import warnings
from collections.abc import Sequence

import numpy as np

from rankexp.runner.data.dataset import Feature, Floats

_SHORT = re.compile(r"([0-9]{1,2})[./-]([0-9]{1,2})[./-][0-9]{2,4}.*", re.DOTALL)
"""A date that begins with the day or with the month."""
SAMPLE = 500
"""Rows at which a column is looked at first."""


def orders(column: Feature, values: Floats) -> list[Floats]:
    """Return the times, (n,), that a column may hold, NaN where it has none; empty for no times.

    There are several where its dates may begin with the day or with the month.
    """
    if column.kind == "numeric":
        return [values]
    used, index = np.unique(values[~np.isnan(values)].astype(int), return_inverse=True)
    texts = [column.categories[code] for code in used]
    found: list[Floats] = []
    for day_first in _day_first(texts) if texts else ():
        parsed = _parsed(texts, day_first)
        if parsed is not None:
            times = np.full(len(values), np.nan)
            times[~np.isnan(values)] = parsed[index]
            found.append(times)
    return found


def ascends(column: Feature, values: Floats) -> bool | None:
    """Tell whether rows stand in order of a column, the oldest (true) or the newest first.

    None where they do not, or where the column has fewer than three different times.
    """
    some = values[:: max(1, len(values) // SAMPLE)]
    for rows in (some, values) if len(some) < len(values) else (values,):
        ways = {way for times in orders(column, rows) if (way := _way(times)) is not None}
        if not ways:
            return None
    return True in ways


def _way(times: Floats) -> bool | None:
    step = np.diff(times[~np.isnan(times)])
    if np.count_nonzero(step) < 2 or not ((step >= 0).all() or (step <= 0).all()):
        return None
    return bool((step >= 0).all())


def _day_first(texts: Sequence[str]) -> list[bool]:
    """Return whether dates begin with the day, both where they may begin with the month, too."""
    short = [match for text in texts if (match := _SHORT.fullmatch(text))]
    if any("." in match[0][:3] or int(match[1]) > 12 for match in short):
        return [True]
    return [False] if not short or any(int(match[2]) > 12 for match in short) else [True, False]


def _parsed(texts: Sequence[str], day_first: bool) -> Floats | None:
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formats that are looked for text by text
        for how in ({"format": "ISO8601"}, {"dayfirst": day_first}, {"format": "mixed"}):
            given = how if "ISO8601" in how.values() else {"dayfirst": day_first, **how}
            found = pd.to_datetime(pd.Series(texts), errors="coerce", utc=True, **given)
            if found.notna().all():
                return found.to_numpy(dtype="datetime64[ns]").astype(np.int64) / 1e9
    return None
