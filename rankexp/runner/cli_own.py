"""The verbs for one's own table: ``rankexp compare`` and ``rankexp inspect``."""

import csv
import inspect as python
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from rankexp.runner.config.asking import typed

Asked = TypeVar("Asked", bound="TableOptions")
Names = list[str] | None
"""Each with commas between names; a name that has a comma stands in double quotes."""
Text = str | None
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Worker processes. Default: one per core."),
]
Table = Annotated[Path, typer.Argument(help="CSV, TSV, ARFF, Parquet or Excel file.")]
LISTS = {"levels", "methods", "drop", "keep", "nominal", "missing"}


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a file is read."""

    drop: Annotated[
        Names, typer.Option(help="Columns to leave out: name,name. May be repeated.")
    ] = None
    keep: Annotated[
        Names, typer.Option(help="Columns to use although they look like identifiers: name,name.")
    ] = None
    nominal: Annotated[Names, typer.Option(help="Numeric columns that hold categories.")] = None
    missing: Annotated[
        Names, typer.Option(help="Texts that mark missing values, besides the usual ones.")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line holds column names.",
            show_default=False,
        ),
    ] = None
    decimal: Annotated[Text, typer.Option(help="Decimal mark: '.' or ','.")] = None
    thousands: Annotated[Text, typer.Option(help="Thousands separator.")] = None
    delimiter: Annotated[Text, typer.Option(help="Cell delimiter.")] = None
    encoding: Annotated[
        Text, typer.Option(help="Encoding of a text file, such as utf-8 or cp1252.")
    ] = None
    sheet: Annotated[Text, typer.Option(help="Sheet of an Excel file that has several.")] = None


@dataclass(frozen=True, kw_only=True)
class TableOptions(ReadingOptions):
    """What the columns of a table mean."""

    test: Annotated[
        Path | None, typer.Option(help="File with the test set: the same columns, other rows.")
    ] = None
    positive: Annotated[Text, typer.Option(help="Target value to rank first.")] = None
    levels: Annotated[
        Text, typer.Option(help="Target values from worst to best: bad,fair,good.")
    ] = None
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Treat the target as a number.")
    ] = False
    merge: Annotated[
        Names, typer.Option(help="Target values that mean the same: yes,Yes,y. May be repeated.")
    ] = None
    time: Annotated[
        Text,
        typer.Option(help="Column of dates or numbers. The latest 30 % of the rows are tested."),
    ] = None
    groups: Annotated[
        Text,
        typer.Option(
            help="Column with groups. Each group stays on one side of a split; pairs of rows of "
            "different groups count."
        ),
    ] = None
    queries: Annotated[
        Text, typer.Option(help="Column with queries. Only pairs of rows of one query count.")
    ] = None
    weights: Annotated[Text, typer.Option(help="Column with row weights.")] = None


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TableOptions):
    """What ``rankexp compare`` is asked."""

    table: Table
    target: Annotated[str, typer.Option(help="Column to rank by.")]
    methods: Annotated[
        Text,
        typer.Option(help="Methods to compare: default names or import paths, comma-separated."),
    ] = None
    margin: Annotated[
        float | None, typer.Option(help="Smallest difference that matters. Default: 0.01.")
    ] = None
    minutes: Annotated[float, typer.Option(min=0.1, help="Approximate time limit.")] = 5.0
    out: Annotated[Path | None, typer.Option(help="Output folder. Default: compare-TABLE.")] = None
    jobs: Jobs = None


@dataclass(frozen=True, kw_only=True)
class InspectOptions(TableOptions):
    """What ``rankexp inspect`` is asked."""

    table: Table
    target: Annotated[Text, typer.Option(help="Column to rank by.")] = None


def taking(kind: type[Asked]) -> Callable[[Callable[[Asked], None]], Callable[..., None]]:
    """Let a command have the fields of a dataclass as its options, its own fields first."""
    order = [name for one in kind.__mro__[:-1] for name in python.get_annotations(one)]
    known = python.signature(kind).parameters

    def command_of(run: Callable[[Asked], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            run(kind(**given))

        command.__doc__, command.__name__ = run.__doc__, run.__name__
        command.__annotations__ = {name: known[name].annotation for name in order}
        signature = python.Signature([known[name] for name in order])
        command.__signature__ = signature  # type: ignore[attr-defined]
        return command

    return command_of


@taking(CompareOptions)
def compare(asked: CompareOptions) -> None:
    """Tell whether training on pairs helps to rank the rows of a table, and what ranks best."""
    begun = time.monotonic(), time.process_time()  # imports count, too
    from rankexp.runner.compare.command import Options
    from rankexp.runner.compare.command import compare as run

    given = _given(asked)
    reading = {field.name: given.pop(field.name) for field in fields(ReadingOptions)}
    with typed():
        code = run(given.pop("table"), Options(**given, reading=reading), begun)
    raise typer.Exit(code)


@taking(InspectOptions)
def inspect(asked: InspectOptions) -> None:
    """Show how a table is read: column types, missing values, columns left out and why."""
    from rankexp.runner.compare.looking import look
    from rankexp.runner.compare.session import say

    given = _given(asked)
    given |= {"groups": given.pop("queries") or asked.groups}
    with typed():
        found = look(given.pop("table"), **given)
    print(found.reading.text())
    for text in found.sentences:
        print()
        say(text)


def _given(asked: TableOptions) -> dict[str, Any]:
    own = vars(asked)
    own = own | {"merge": [names(text) for text in asked.merge or ()]}
    return own | {name: names(own[name]) or None for name in LISTS & own.keys()}


def names(given: Names | str) -> list[str]:
    """Return the names of lists with commas, quoted as in CSV."""
    lists = [given] if isinstance(given, str) else given or []
    cells = (cell for row in csv.reader(lists, skipinitialspace=True) for cell in row)
    return [cell.strip() for cell in cells if cell.strip()]
