"""Refuse impossible parameters with the range allowed."""

from math import isfinite


def check_count(name: str, value: int) -> None:
    """Raise ValueError unless a parameter is a whole number, 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name}={value}: expected a whole number, 1 or more")


def check_number(name: str, value: float, *, least: float, open_below: bool = False) -> None:
    """Raise ValueError unless a parameter is finite and at least (or above) a bound."""
    fine = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not fine or value < least or (open_below and value == least):
        bound = f"{'>' if open_below else '>='} {least:g}"
        raise ValueError(f"{name}={value}: expected a number {bound}")
