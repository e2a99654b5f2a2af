"""The verdict on a reproduced number beside the published one."""

import math

from rankexp.config.published import COLUMNS, Key, Published, table

__all__ = ["COLUMNS", "Key", "Published", "table", "verdict"]


def verdict(difference: float, se: float, last_digit: float) -> str:
    """Return what to say of a reproduced number.

    Parameters
    ----------
    difference : float
        Reproduced minus published.
    se : float
        Standard error of the reproduced number; NaN where it is unknown, and then the last
        digit alone decides.
    last_digit : float
        Unit of the last printed digit.

    Returns
    -------
    str
        ``reproduced`` if |difference| <= max(2 SE, half of the last digit), ``near`` if
        <= 4 SE, else ``not reproduced``; ``not run`` for a NaN difference.
    """
    if math.isnan(difference):
        return "not run"
    size = abs(difference)
    slack = 1e-9 * last_digit  # binary fractions: .1225 - .1224 is not exactly .0001
    known = 0.0 if math.isnan(se) else se
    if size <= max(2 * known, last_digit / 2) + slack:
        return "reproduced"
    return "near" if size <= 4 * known + slack else "not reproduced"
