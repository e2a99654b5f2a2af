"""Published values: the file that a study keeps them in, read and checked."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.runner.config.schema import Evaluate, Study

COLUMNS = [
    *("experiment", "problem", "method", "quantity"),
    *("value", "last_digit", "source", "verified", "note"),
]
UNITS = "units"  # a further column, which may be empty or not there
ALL = "*"  # in place of a problem: a value over all of the experiment's
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Published:
    """One published number."""

    value: float
    last_digit: float
    """The unit of its last printed digit, such as 0.0001."""
    source: str = ""
    """Page, table or figure."""
    verified: bool = True
    """Whether somebody read it off the print."""
    note: str = ""
    """Why it does not reproduce, where it does not."""
    units: int | None = None
    """Models, repeats or seeds that it averages over. Default: as many as the run."""


def table(
    rows: Iterable[Mapping[str, str]], where: str = "published values"
) -> dict[Key, Published]:
    """Return published values by (experiment, problem, method, quantity).

    ConfigError where a column is missing, a value is not a number, or a row occurs twice.
    """
    found: dict[Key, Published] = {}
    for index, row in enumerate(rows, start=1):
        missing = [name for name in COLUMNS if row.get(name) is None]
        if missing:
            raise ConfigError(f"{where}: row {index} lacks {', '.join(missing)}")
        key = (row["experiment"], row["problem"], row["method"], row["quantity"])
        if key in found:
            raise ConfigError(f"{where}: row {index}: {' / '.join(key)} occurs twice")
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
    units = (row.get(UNITS) or "").strip()
    if units and not (units.isdecimal() and int(units) > 0):
        raise ConfigError(f"{where}: {UNITS} must be a whole number above 0 or empty, got {units}")
    note = row["note"].strip()
    return Published(value, last_digit, row["source"], verified, note, int(units or 0) or None)


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file of published values; lines that begin with # are comments.

    ConfigError where it cannot be read, a column is missing, or a row is longer than the header.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(line for line in lines if not line.startswith("#"))
            rows = list(reader)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 text") from error
    except (OSError, csv.Error) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
    if lacking:
        raise ConfigError(f"{file}: its first line lacks the columns {', '.join(lacking)}")
    for index, row in enumerate(rows, start=1):
        if None in row:
            raise ConfigError(f"{file}: row {index} has more values than there are columns")
    return rows


def rows_of(study: Study) -> list[dict[str, str]] | None:
    """Return a study's published values, so that a report can be rebuilt from results alone."""
    file = study.published_file
    return read(file) if file and file.is_file() else None


def faults(study: Study) -> Iterator[str]:
    """Say what is wrong with a study's published values, if anything is."""
    file = study.published_file
    try:
        keys = list(table(rows_of(study) or [], str(file)))
    except ConfigError as error:
        yield str(error)
        return
    for index, (name, *rest) in enumerate(keys, start=1):
        experiment = study.experiments.get(name)
        if not isinstance(experiment, Evaluate):
            hint = registry.did_you_mean(name, study.experiments)
            yield f"{file}: row {index}: the study evaluates no experiment '{name}'{hint}"
            continue
        several = ([*experiment.problems, ALL], experiment.methods)
        for what, value, known in zip(("problem", "method"), rest, several, strict=False):
            if value not in known:
                hint = registry.did_you_mean(value, known)
                yield f"{file}: row {index}: experiment '{name}' has no {what} '{value}'{hint}"
