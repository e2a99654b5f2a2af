"""Numbers in words and in tables: as the papers print them."""

import math
import re

NOTHING = "–"  # printed where there is no value


def number(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """Return a number as the papers print it: ``.0051``, ``-.0019``, ``∞``; NaN is a dash."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "-∞" if value < 0 else "∞"
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("+-")
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def amount(value: float, digits: int) -> str:
    """Return a number that is not 0 with so many decimals that one is not 0, either."""
    while value != 0 and float(f"{value:.{digits}f}") == 0 and digits < 12:
        digits += 1
    return number(value, digits)


def short(value: float) -> str:
    """Return a number as it was given, without a leading zero: ``.01``."""
    text = f"{value:g}"
    return text[1:] if text.startswith("0.") else text


def span(low: float, high: float, digits: int, *, sign: bool = True) -> str:
    """Return an interval, ``-.0021 to -.0017``; in words where it excludes nothing."""
    if math.isinf(low) and math.isinf(high):
        return "no interval"
    if math.isnan(low) or math.isnan(high):
        return NOTHING
    return f"{number(low, digits, sign=sign)} to {number(high, digits, sign=sign)}"
