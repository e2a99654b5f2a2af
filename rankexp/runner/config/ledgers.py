"""The CSV files of a study, published values and claims: rows that know their line."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.metrics.base import parse
from rankexp.runner.config.schema import Block, Study

LINE = "line"  # a further key of each row: its line in the file


def read(file: Path | None, columns: Sequence[str]) -> list[dict[str, str]] | None:
    """Return the rows of a file, each with its line; None without a file.

    Lines that begin with # are comments. ConfigError where the file cannot be read, lacks a
    column, or has a row with more or fewer values than the first line has names.
    """
    if file is None or not file.is_file():
        return None
    rows, at = [], 0

    def lines() -> Iterator[str]:
        nonlocal at
        for raw in file.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True):
            at += 1
            if not raw.startswith(b"#"):
                yield raw.decode("utf-8")

    try:
        reader = csv.DictReader(lines())
        names = reader.fieldnames or []
        if lacking := [name for name in columns if name not in names]:
            raise ConfigError(f"{file}:{at}: the first line lacks {', '.join(lacking)}")
        for row in reader:
            if None in row:
                raise ConfigError(f"{file}:{at}: more values than columns")
            if lacking := [name for name in columns if row[name] is None]:
                raise ConfigError(f"{file}:{at}: no value for {', '.join(lacking)}")
            rows.append({name: value or "" for name, value in row.items()} | {LINE: str(at)})
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}:{at}: not UTF-8 text") from error
    except (OSError, csv.Error) as error:
        raise ConfigError(f"{file}:{at}: cannot be read: {error}") from error
    return rows


def faults(
    file: Path | None, columns: Sequence[str], check: Callable[[Mapping[str, str]], None]
) -> Iterator[str]:
    """Say with file and line what is wrong with a file, or what `check` refuses of its rows."""
    try:
        rows = read(file, columns) or []
    except ConfigError as error:
        yield str(error)
        return
    for row in rows:
        try:
            check(row)
        except (ConfigError, ValueError) as error:
            yield f"{file}:{row[LINE]}: {error}"


def kinds(study: Study) -> list[tuple[Block, Any]] | None:
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
