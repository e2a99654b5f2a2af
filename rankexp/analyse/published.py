"""Published numbers and the verdict on a reproduced one beside them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rankexp.errors import ConfigError

COLUMNS = [
    *("experiment", "problem", "method", "quantity"),
    *("value", "last_digit", "source", "verified", "note"),
]
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Published:
    """One published number.

    Attributes
    ----------
    value : float
    last_digit : float
        The unit of its last printed digit, such as 0.0001.
    source : str
        Page, table or figure.
    verified : bool
        Whether somebody read it off the print.
    note : str
        Why it does not reproduce, where it does not.
    """

    value: float
    last_digit: float
    source: str = ""
    verified: bool = True
    note: str = ""


def table(
    rows: Iterable[Mapping[str, str]], where: str = "published values"
) -> dict[Key, Published]:
    """Return published values by (experiment, problem, method, quantity).

    Raises
    ------
    ConfigError
        Where a column is missing, a number is none, or a value stands there twice.
    """
    found: dict[Key, Published] = {}
    for index, row in enumerate(rows, start=1):
        missing = [name for name in COLUMNS if row.get(name) is None]
        if missing:
            raise ConfigError(f"{where}: row {index} lacks {', '.join(missing)}")
        key = (row["experiment"], row["problem"], row["method"], row["quantity"])
        if key in found:
            raise ConfigError(f"{where}: row {index}: {' / '.join(key)} stands there twice")
        found[key] = _published(row, f"{where}: row {index}")
    return found


def _published(row: Mapping[str, str], where: str) -> Published:
    try:
        value, last_digit = float(row["value"]), float(row["last_digit"])
    except ValueError as error:
        raise ConfigError(f"{where}: value and last_digit must be numbers: {error}") from error
    if not (math.isfinite(value) and last_digit > 0):
        raise ConfigError(f"{where}: value must be finite and last_digit above 0, such as 0.0001")
    verified = row["verified"].strip().lower() in {"yes", "true", "1"}
    return Published(value, last_digit, row["source"], verified, row["note"].strip())


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
