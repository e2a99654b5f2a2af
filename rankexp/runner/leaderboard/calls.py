"""``rankexp.verdicts``: the command, of a frame or a file."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import pandas as pd

from rankexp.errors import ConfigError
from rankexp.runner.compare.results import folded, page, told
from rankexp.runner.config.asking import said
from rankexp.runner.data.frames import Table, save
from rankexp.runner.leaderboard import command
from rankexp.runner.leaderboard.asked import VerdictOptions
from rankexp.runner.report.render.text import all_notes, led, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LISTS = ("split", "where")  # arguments that may be a single text


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


@dataclass(frozen=True, eq=False, repr=False)
class VerdictsResult:
    """An answer: its sentences and tables; a notebook shows all of it."""

    made: command.Verdicts

    @property
    def answer(self) -> list[str]:
        """What is best, what is as good, tiers, and what would tell more."""
        return [" ".join(filter(None, led(one))) for one in self.made.answer.lead]

    @property
    def remarks(self) -> list[str]:
        """How the table was read, what was guessed and what is missing."""
        return self.made.reading.texts

    @property
    def standings(self) -> pd.DataFrame:
        """A row a method, the best first, with its difference from the best."""
        return self._numbers("standings")

    @property
    def pairs(self) -> pd.DataFrame:
        """A row a pair of methods, over data sets and on each."""
        return self._numbers("pairs")

    @property
    def sets(self) -> pd.DataFrame:
        """A row a data set and method; empty where there is one data set."""
        return self._numbers("sets")

    @property
    def figure(self) -> "Figure | None":
        """Each method minus the best, drawn by matplotlib."""
        return self.made.first.figure

    def _numbers(self, name: str) -> pd.DataFrame:
        section = self.made.sections.get(name)
        numbers = None if section is None else section.output.numbers
        return pd.DataFrame() if numbers is None else numbers

    def __repr__(self) -> str:
        return "\n\n".join([*self.answer, *self.remarks])

    def _repr_html_(self) -> str:
        output = self.made.first
        (shown,) = output.tables
        table = pd.DataFrame(rows(shown), columns=shown.labels)
        drawn = table.to_html(index=False, border=0, justify="left")
        return page(
            told(self.answer),
            f'<div style="overflow-x: auto">{drawn}</div>',
            folded("What the table says", all_notes(output)),
            folded("How the table was read", self.remarks),
        )


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
        matters; `incomplete` is ``"drop"`` or ``"refuse"``.

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
        asked = VerdictOptions(**given, out=None if out is None else Path(out))
        stem = Path(table).stem if isinstance(table, str | PathLike) else "frame"
        if asked.out is not None:
            command.folder_for(asked.out, stem)
        made = command.verdicts(saved.table, asked)
        if asked.out is not None:
            title = f"{stem}: verdicts by {made.found.results.metric}"
            command.write(made, asked.out, title)
    return VerdictsResult(made)
