"""Numbers as the papers print them, on pages and in figures: ``.0051``, ``−.0019``."""

import math
import re

MINUS = "\N{MINUS SIGN}"
NOTHING = "–"  # printed where there is no value
TINY = 1e-4


def number(value: float, digits: int = 4, *, sign: bool = False, tiny: bool = False) -> str:
    """Return a number as the papers print it: ``.0051``, ``−.0019``, ``1,000``; NaN is a dash.

    With `tiny` what is small, but not 0, is a power of ten: ``3e−13``; and 0 is ``0``.
    """
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return f"{MINUS}∞" if value < 0 else "∞"
    if tiny and value == 0:
        return "0"
    small = tiny and 0 < abs(value) < min(10.0**-digits, TINY)
    form = ".3e" if abs(value) >= 1e15 else f",.{digits}f"  # a float has no more digits
    text = f"{value:{'+' if sign else ''}{'.0e' if small else form}}"
    return printed(text if text.strip("+-0.") else text.lstrip("+-"))


def amount(value: float, digits: int) -> str:
    """Return a number that is not 0 with so many decimals that one is not 0, either."""
    while value != 0 and float(f"{value:.{digits}f}") == 0 and digits < 12:
        digits += 1
    return number(value, digits)


def span(low: float, high: float, digits: int, *, sign: bool = True, tiny: bool = False) -> str:
    """Return an interval, ``−.0021 to −.0017``; in words where it excludes nothing."""
    if math.isinf(low) and math.isinf(high):
        return "no interval"
    if math.isnan(low) or math.isnan(high):
        return NOTHING
    return " to ".join(number(end, digits, sign=sign, tiny=tiny) for end in (low, high))


def short(value: float) -> str:
    """Return a number as it was given: ``.01``, ``1,000,000``, ``1e−6``."""
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    whole = 1000 <= abs(value) < 1e9 and value == int(value)
    return printed(f"{value:,.0f}" if whole else f"{value:g}")


def printed(text: str) -> str:
    """Return a formatted number without a leading zero, with minus signs in place of hyphens."""
    text = re.sub(r"^([+-]?)0\.", r"\1.", text)
    return re.sub(r"e\+?(-?)0*(?=\d)", r"e\1", text).replace("-", MINUS)
