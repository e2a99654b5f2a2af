"""``rankexp.verdicts``: the command, of a frame or a file."""

import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

from rankexp.errors import ConfigError
from rankexp.runner.config.asking import said
from rankexp.runner.data.frames import Table, save
from rankexp.runner.leaderboard import command
from rankexp.runner.leaderboard.asked import VerdictOptions
from rankexp.runner.leaderboard.result import VerdictsResult

READING = ("nominal", "missing")  # arguments that say how texts are read
LISTS = ("split", "where", *READING)  # arguments that may be a single text


class VerdictsArguments(TypedDict, total=False):
    """What columns mean, and how methods are judged; as ``rankexp verdicts --help`` says."""

    method: str
    data: str
    split: str | Sequence[str]
    metric: str
    value: str
    error: str
    of: str
    better: str
    each: str
    test_share: float
    where: str | Sequence[str]
    last: str
    margin: float
    incomplete: str
    nominal: str | Sequence[str]
    missing: str | Sequence[str]


def verdicts(
    table: Table, *, out: str | PathLike[str] | None = None, **options: Unpack[VerdictsArguments]
) -> VerdictsResult:
    """Tell which methods of a table of results are better, as good, or not told apart.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or path
        A row a value of a method on a data set and a split, seed or item.
    out : path, optional
        Folder for the page, tables and pictures. Default: nothing is written.
    **options
        Those of ``rankexp verdicts``. Columns: `method`, `data`, `split` (one or several),
        `metric`, `value`, `error` (standard errors), guessed from their names by default. `of`
        names a metric; `better` is ``"higher"`` or ``"lower"``; `each` says what a value is from:
        ``"fold"``, ``"split"`` (with `test_share`), ``"run"`` or ``"item"``. `where` takes rows by
        ``"column=value"``, `last` the last of each curve. `margin` is the smallest difference that
        matters; `incomplete` is ``"drop"`` or ``"refuse"``. `nominal` are columns of numbers and
        texts that hold names, `missing` texts that mark missing values.

    Raises
    ------
    ConfigError, DataError
        Where an option is wrong, or the table cannot be read or judged.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankexp
    >>> rows = [(m, i, float(i % 5 > k)) for k, m in enumerate("ab") for i in range(100)]
    >>> frame = pd.DataFrame(rows, columns=["system", "item", "solved"])
    >>> found = rankexp.verdicts(frame)
    >>> found.standings[["method", "mean", "tier"]]
      method  mean  tier
    0      a   0.8     1
    1      b   0.6     2
    """
    with tempfile.TemporaryDirectory(prefix="rankexp-") as place, said("python"):
        given: dict[str, Any] = {name: own for name, own in options.items() if own is not None}
        if unknown := given.keys() - VerdictsArguments.__annotations__.keys():
            raise ConfigError(f"verdicts() has no option '{min(unknown)}'")
        given = {k: [v] if k in LISTS and isinstance(v, str) else v for k, v in given.items()}
        saved = save(table, None, Path(place), None, [])
        reading = {name: given.pop(name, []) for name in READING}
        asked = VerdictOptions(**given, out=Path(out) if out else None, reading=reading)
        stem = Path(table).stem if isinstance(table, str | PathLike) else "frame"
        if asked.out is not None:
            command.folder_for(asked.out, stem)
        made = command.verdicts(saved.table, asked)
        if asked.out is not None:
            command.write(made, asked.out, stem)
    return made
