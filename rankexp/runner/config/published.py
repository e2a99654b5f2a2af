"""The CSV files of a study, whose rows know their line; published values, read and checked."""

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.metrics.metric import parse
from rankexp.runner.config.schema import Block, Evaluate, Study

LINE = "line"  # a further key of each row: its line in the file


def read_rows(file: Path | None, columns: Sequence[str]) -> list[dict[str, str]] | None:
    """Return the rows of a file but comments (#), each with its line; None without a file."""
    if file is None or not file.is_file():
        return None
    rows, at, needed = [], 0, [name for name in columns if name not in FURTHER]

    def lines() -> Iterator[str]:
        nonlocal at
        for raw in file.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True):
            at += 1
            if not raw.startswith(b"#"):
                yield raw.decode("utf-8")

    try:
        reader = csv.DictReader(lines())
        names = reader.fieldnames or []
        if lacking := [name for name in needed if name not in names]:
            raise ConfigError(f"{file}:{at}: the first line lacks {', '.join(lacking)}")
        for name in {" ".join(own.split()) for own in {*names} - {*columns, UNITS}}:
            hint = registry.did_you_mean(name, [*columns, UNITS])
            raise ConfigError(f"{file}:{at}: the first line has an unknown column '{name}'{hint}")
        for row in reader:
            if None in row:
                raise ConfigError(f"{file}:{at}: more values than columns")
            if lacking := [name for name in needed if row[name] is None]:
                raise ConfigError(f"{file}:{at}: no value for {', '.join(lacking)}")
            rows.append({name: value or "" for name, value in row.items()} | {LINE: str(at)})
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}:{at}: not UTF-8 text") from error
    except (OSError, csv.Error) as error:
        raise ConfigError(f"{file}:{at}: cannot be read: {error}") from error
    return rows


def row_faults(
    file: Path | None, columns: Sequence[str], check: Callable[[Mapping[str, str]], None]
) -> Iterator[str]:
    """Say with file and line what is wrong with a file, or what `check` refuses of its rows."""
    try:
        rows = read_rows(file, columns) or []
    except ConfigError as error:
        yield str(error)
        return
    for row in rows:
        try:
            check(row)
        except (ConfigError, ValueError) as error:
            yield f"{file}:{row[LINE]}: {' '.join(str(error).split())}"  # cells may have lines


def block_kinds(study: Study) -> list[tuple[Block, Any]] | None:
    """Return the blocks of a study with their kinds; None if one is wrong."""
    try:
        named = [(block, registry.get("report.blocks", block.block)) for block in study.report]
        return [(block, kind.model_validate(block.options)) for block, kind in named]
    except ValueError:
        return None


def canonical(quantity: str) -> str:
    """Return a quantity in the one spelling of the metric that it is, or holds in brackets.

    >>> canonical("rank_loss(ties=expected)"), canonical("average_rank(rank_loss(ties=expected))")
    ('rank_loss', 'average_rank(rank_loss)')
    """
    try:
        return repr(parse(quantity))
    except ValueError:
        name, bracket, rest = quantity.partition("(")
        inner = canonical(rest.removesuffix(")")) if bracket else ""
        return f"{name}({inner})" if rest.endswith(")") else quantity


UNITS = "units"  # a further column, which may be empty or not there
FURTHER = ("ours", "see")  # columns of claims that files may lack
TRUE, FALSE = {"yes", "true", "1"}, {"no", "false", "0", ""}
ALL = "*"  # in place of a problem: a value over all of the experiment's


class PublishedKey(NamedTuple):
    """What a published value is of; a metric in its canonical form, or any other quantity."""

    experiment: str
    problem: str
    method: str
    quantity: str


COLUMNS = [*PublishedKey._fields, "value", "last_digit", "source", "verified", "note"]


@dataclass(frozen=True)
class Published:
    """One published number."""

    value: float
    last_digit: float  # the unit of its last printed digit, such as 0.0001
    source: str = ""  # page, table or figure
    verified: bool = True  # whether somebody read it off the print
    note: str = ""  # why it does not reproduce, where it does not
    units: int | None = None
    """Models, repeats or seeds that it averages over. Default: as many as the run."""
    line: str = ""  # its line in the file; empty in manifests of earlier versions


def table(rows: Iterable[Mapping[str, str]]) -> dict[PublishedKey, Published]:
    """Return published values by what they are of; ConfigError names the line of a wrong row."""
    found: dict[PublishedKey, Published] = {}
    for row in rows:
        try:
            _add(found, row)
        except ConfigError as error:
            line = row.get(LINE, "?")
            raise ConfigError(f"published values, line {line}: {error}") from error
    return found


def _add(found: dict[PublishedKey, Published], row: Mapping[str, str]) -> None:
    if lacking := [name for name in COLUMNS if name not in row]:
        raise ConfigError(f"no value for {', '.join(lacking)}")
    *own, quantity, number, digit, source, verified, note = (row[c].strip() for c in COLUMNS)
    key = PublishedKey._make([*own, canonical(quantity)])
    if key in found:
        first = f", first in line {line}" if (line := found[key].line) else ""
        raise ConfigError(f"{' / '.join(key)} occurs twice{first}")
    try:
        value, last_digit = map(float, (number, digit))
    except ValueError as error:
        raise ConfigError(f"value and last_digit must be numbers: {error}") from error
    if not (math.isfinite(value) and last_digit > 0):
        raise ConfigError("value must be finite and last_digit above 0, such as 0.0001")
    units = (row.get(UNITS) or "").strip()
    if units and not (units.isdecimal() and int(units) > 0):
        raise ConfigError(f"{UNITS} must be a whole number above 0 or empty, got {units}")
    read = truth("verified", verified)
    count, line = int(units or 0) or None, row.get(LINE, "")
    found[key] = Published(value, last_digit, source, read, note, count, line)


def truth(column: str, text: str) -> bool:
    """Return whether a cell says yes; an empty one says no."""
    said = text.lower() in TRUE
    if not said and text.lower() not in FALSE:
        raise ConfigError(f"{column} must be true or false, got '{text}'")
    return said


def rows_of(study: Study) -> list[dict[str, str]] | None:
    """Return a study's published values, so that a report can be rebuilt from results alone."""
    return read_rows(study.published_file, COLUMNS)


def faults(study: Study) -> Iterator[str]:
    """Say what is wrong with a study's published values, and which of them no block shows."""
    found: dict[PublishedKey, Published] = {}
    shown = _shown(study)

    def check(row: Mapping[str, str]) -> None:
        _add(found, row)
        key = next(reversed(found))
        if why := _strange(study, key) or (_unseen(key, shown) if shown is not None else None):
            raise ConfigError(why)

    yield from row_faults(study.published_file, COLUMNS, check)


def unseen(study: Study, rows: Iterable[Mapping[str, str]]) -> list[str]:
    """Say which published values no block shows, those aside that a profile has nothing for."""
    try:
        found = table(rows)
    except ConfigError:  # said by the blocks that ask for them
        return []
    where = study.published or "published values"
    shown = (found and _shown(study)) or set()  # blocks take a second to import
    own = {key: one.line for key, one in found.items() if not _strange(study, key)}
    told = ((line, _unseen(key, shown)) for key, line in own.items())
    return [f"{where}:{line}: {why}" for line, why in told if why]


def _strange(study: Study, key: PublishedKey) -> str | None:
    name = key.experiment
    setup = study.experiments.get(name)
    if not isinstance(setup, Evaluate):
        hint = registry.did_you_mean(name, study.experiments)
        return f"the study evaluates no experiment '{name}'{hint}"
    problem = ("problem", key.problem, [*setup.problems, ALL])
    for what, own, known in (problem, ("method", key.method, setup.methods)):
        if own not in known:
            return f"experiment '{name}' has no {what} '{own}'{registry.did_you_mean(own, known)}"
    return None


def _shown(study: Study) -> set[PublishedKey] | None:
    if (kinds := block_kinds(study)) is None:
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
            hint = registry.did_you_mean(own, near)
            said = f"the {what} '{own}'{hint}; shown: {', '.join(near)}"
            return f"no block of the report shows {said}"
    return f"no block of the report shows {' / '.join(filter(None, key))}"
