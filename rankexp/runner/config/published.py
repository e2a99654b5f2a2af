"""Published values: the file that a study keeps them in, read and checked."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.config import ledgers
from rankexp.runner.config.schema import Evaluate, Study

COLUMNS = [
    *("experiment", "problem", "method", "quantity"),
    *("value", "last_digit", "source", "verified", "note"),
]
UNITS = "units"  # a further column, which may be empty or not there
ALL = "*"  # in place of a problem: a value over all of the experiment's


class PublishedKey(NamedTuple):
    """What a published value is of."""

    experiment: str
    problem: str
    method: str
    quantity: str
    """A metric in its canonical form, or any other name."""


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
    line: str = ""
    """Its line in the file; empty in manifests of earlier versions."""


def table(rows: Iterable[Mapping[str, str]]) -> dict[PublishedKey, Published]:
    """Return published values by what they are of; ConfigError names the line of a wrong row."""
    found: dict[PublishedKey, Published] = {}
    for row in rows:
        try:
            _add(found, row)
        except ConfigError as error:
            line = row.get(ledgers.LINE, "?")
            raise ConfigError(f"published values, line {line}: {error}") from error
    return found


def _add(found: dict[PublishedKey, Published], row: Mapping[str, str]) -> None:
    """Add a row's value; ConfigError where it is no number, or there is one already."""
    if lacking := [name for name in COLUMNS if name not in row]:
        raise ConfigError(f"no value for {', '.join(lacking)}")
    experiment, problem, method, quantity, *numbers, source, verified, note = (
        row[name].strip() for name in COLUMNS
    )
    key = PublishedKey(experiment, problem, method, ledgers.canonical(quantity))
    if key in found:
        first = f", first in line {line}" if (line := found[key].line) else ""
        raise ConfigError(f"{' / '.join(key)} occurs twice{first}")
    try:
        value, last_digit = map(float, numbers)
    except ValueError as error:
        raise ConfigError(f"value and last_digit must be numbers: {error}") from error
    if not (math.isfinite(value) and last_digit > 0):
        raise ConfigError("value must be finite and last_digit above 0, such as 0.0001")
    units = (row.get(UNITS) or "").strip()
    if units and not (units.isdecimal() and int(units) > 0):
        raise ConfigError(f"{UNITS} must be a whole number above 0 or empty, got {units}")
    found[key] = Published(
        value,
        last_digit,
        source=source,
        verified=verified.lower() in {"yes", "true", "1"},
        note=note,
        units=int(units or 0) or None,
        line=row.get(ledgers.LINE, ""),
    )


def rows_of(study: Study) -> list[dict[str, str]] | None:
    """Return a study's published values, so that a report can be rebuilt from results alone."""
    return ledgers.read(study.published_file, COLUMNS)


def faults(study: Study) -> Iterator[str]:
    """Say what is wrong with a study's published values, and which of them no block shows."""
    found: dict[PublishedKey, Published] = {}
    shown = _shown(study)

    def check(row: Mapping[str, str]) -> None:
        _add(found, row)
        key = next(reversed(found))
        if why := _strange(study, key) or (_unseen(key, shown) if shown is not None else None):
            raise ConfigError(why)

    yield from ledgers.faults(study.published_file, COLUMNS, check)


def unseen(study: Study, rows: Iterable[Mapping[str, str]]) -> list[str]:
    """Say which published values no block shows, those aside that a profile has nothing for."""
    try:
        found = table(rows)
    except ConfigError:  # said by the blocks that ask for them
        return []
    shown, where = _shown(study) or set(), study.published or "published values"
    own = {key: one.line for key, one in found.items() if not _strange(study, key)}
    told = ((line, _unseen(key, shown)) for key, line in own.items())
    return [f"{where}:{line}: {why}" for line, why in told if why]


def _strange(study: Study, key: PublishedKey) -> str | None:
    """Say which experiment, problem or method of a value the study has not."""
    name = key.experiment
    setup = study.experiments.get(name)
    if not isinstance(setup, Evaluate):
        hint = did_you_mean(name, study.experiments)
        return f"the study evaluates no experiment '{name}'{hint}"
    known = {"problem": [*setup.problems, ALL], "method": setup.methods}
    for what, own in (("problem", key.problem), ("method", key.method)):
        if own not in known[what]:
            hint = did_you_mean(own, known[what])
            return f"experiment '{name}' has no {what} '{own}'{hint}"
    return None


def _shown(study: Study) -> set[PublishedKey] | None:
    """Return what the blocks of a study look up; None where a block is wrong."""
    if (kinds := ledgers.kinds(study)) is None:
        return None
    try:
        return {key for block, kind in kinds for key in kind.published_keys(study, block)}
    except (LookupError, ValueError, ConfigError):  # a fault that is found elsewhere
        return None


def _unseen(key: PublishedKey, shown: set[PublishedKey]) -> str | None:
    """Say that no block shows a value, and what is shown in its place; None where one does."""
    if key in shown:
        return None
    for what, own in reversed(key._asdict().items()):
        near = sorted(getattr(k, what) for k in shown if k._replace(**{what: own}) == key)
        if near:
            said = f"the {what} '{own}'{did_you_mean(own, near)}; shown: {', '.join(near)}"
            return f"no block of the report shows {said}"
    return f"no block of the report shows {' / '.join(key)}"
