"""Dates as numbers that ascend with time."""

import re
import warnings
from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from rankexp.runner.data.dataset import Feature, Floats

_SHORT = re.compile(r"([0-9]{1,2})[./-]([0-9]{1,2})[./-][0-9]{2,4}.*", re.DOTALL)
"""A date that begins with the day or with the month."""
NEARLY = 0.99  # Spearman's correlation with the row number from which rows are in order
SAMPLE = 500  # rows at which a column is looked at


def orders(column: Feature, values: Floats) -> list[Floats]:
    """Return the times, (n,), that a column may hold, NaN where it has none; empty for no times.

    There are several where its dates may begin with the day or with the month.
    """
    if column.kind == "numeric":
        return [values]
    known, found = ~np.isnan(values), []
    used, index = np.unique(values[known].astype(int), return_inverse=True)
    texts = [column.categories[code] for code in used]
    for day_first in _day_first(texts):
        if (parsed := _parsed(texts, day_first)) is not None:
            found.append(np.full(len(values), np.nan))
            found[-1][known] = parsed[index]
    return found


def ascends(column: Feature, values: Floats) -> bool | None:
    """Tell whether rows stand in order of a column, the oldest (true) or the newest first.

    A little noise does not count. None where they do not, or where it has fewer than three times.
    """
    some = values[:: max(1, len(values) // SAMPLE)]
    ways = {way for times in orders(column, some) if (way := _way(times)) is not None}
    return True in ways if ways else None


def _way(times: Floats) -> bool | None:
    known = times[~np.isnan(times)]
    if 2 * len(known) < len(times) or len(np.unique(known)) < 3:
        return None
    along = float(np.corrcoef(rankdata(known), np.arange(len(known)))[0, 1])
    return along > 0 if abs(along) >= NEARLY else None


def _day_first(texts: Sequence[str]) -> list[bool]:
    """Return whether dates begin with the day, both where they may begin with the month, too."""
    short = [match for text in texts if (match := _SHORT.fullmatch(text))]
    if any("." in match[0][:3] or int(match[1]) > 12 for match in short):
        return [True]
    return [False] if not short or any(int(match[2]) > 12 for match in short) else [True, False]


def _parsed(texts: Sequence[str], day_first: bool) -> Floats | None:
    import pandas as pd

    series = pd.Series(texts, dtype=str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formats that are looked for text by text
        for how in ("ISO8601", None, "mixed"):
            found = pd.to_datetime(series, "coerce", dayfirst=day_first, format=how, utc=True)
            if found.notna().all():
                return found.to_numpy(dtype="datetime64[ns]").astype(np.int64) / 1e9
    return None
