"""Numbers in words and in tables: as the papers print them."""

import math
from collections.abc import Sequence

from rankexp.runner.labels import MINUS, printed, short

__all__ = ["NOTHING", "amount", "counted_names", "listed", "number", "short", "span"]

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
    text = f"{value:{'+' if sign else ''},.{0 if small else digits}{'e' if small else 'f'}}"
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


def capital(text: str) -> str:
    """Return a text as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(names: Sequence[str]) -> str:
    """Return names in words: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted_names(what: str, count: int, names: Sequence[str]) -> str:
    """Return how many there are, and three by name: ``6 values (vote and colic)``; "" for none."""
    if not count:
        return ""
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return f"{count} {what}{'s' * (count > 1)}{f' ({listed(shown)})' * bool(names)}"
