"""The verbs for one's own table: ``rankexp compare`` and ``rankexp inspect``."""

import csv
from pathlib import Path
from typing import Annotated

import typer

Table = Annotated[
    Path, typer.Argument(help="CSV, TSV, ARFF, Parquet or Excel file.", show_default=False)
]
Target = Annotated[str, typer.Option("--target", help="Column to rank by.", show_default=False)]
Positive = Annotated[
    str | None, typer.Option("--positive", help="Value of the target that is to rank first.")
]
Levels = Annotated[
    str | None,
    typer.Option("--levels", help="The target's values, worst to best: bad,fair,good."),
]
Groups = Annotated[
    str | None,
    typer.Option("--groups", help="Column whose equal values stay on one side of each split."),
]
Weights = Annotated[str | None, typer.Option("--weights", help="Column of what a row counts.")]
Test = Annotated[
    Path | None,
    typer.Option("--test", help="File of the test set: the same columns, rows not trained on."),
]
Names = list[str] | None
"""Each with commas between names; a name that has a comma stands in double quotes."""
Drop = Annotated[
    Names,
    typer.Option(help="Columns that are not to be used: name,name, or several times."),
]
Keep = Annotated[
    Names, typer.Option(help="Columns to use although they look like identifiers: name,name.")
]
Nominal = Annotated[Names, typer.Option(help="Columns of numbers that name categories.")]
Missing = Annotated[Names, typer.Option(help="Texts that mean missing, beside the usual ones.")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns.",
        show_default=False,
    ),
]
Decimal = Annotated[str | None, typer.Option("--decimal", help="Decimal mark, '.' or ','.")]
Thousands = Annotated[str | None, typer.Option("--thousands", help="Mark between thousands.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="Between the cells of a line.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Of a text file: utf-8, cp1252.")]


def compare(
    table: Table,
    target: Target,
    test: Test = None,
    positive: Positive = None,
    levels: Levels = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Take the target as a number to rank by.")
    ] = False,
    groups: Groups = None,
    weights: Weights = None,
    drop: Drop = None,
    methods: Annotated[
        str | None,
        typer.Option("--methods", help="Of the default methods, or import paths: name,name."),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option("--margin", help="Differences that are of no importance. Default: 0.01."),
    ] = None,
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="About how long it may take.")
    ] = 5.0,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for everything. Default: compare-TABLE.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Worker processes. Default: one a core."),
    ] = None,
    keep: Keep = None,
    nominal: Nominal = None,
    missing: Missing = None,
    header: Header = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Say whether training on pairs helps to rank the rows of a table, and what ranks best."""
    from rankexp.runner.compare.command import Options
    from rankexp.runner.compare.command import compare as run

    own = {"header": header, "decimal": decimal, "thousands": thousands, "delimiter": delimiter}
    options = Options(
        target=target,
        test=test,
        positive=positive,
        levels=_names(levels) or None,
        continuous=continuous,
        groups=groups,
        weights=weights,
        methods=_names(methods) or None,
        margin=margin,
        minutes=minutes,
        out=out,
        jobs=jobs,
        reading=_reading(drop, keep, nominal, missing) | own | {"encoding": encoding},
    )
    raise typer.Exit(run(table, options))


def inspect(
    table: Table,
    target: Annotated[str | None, typer.Option("--target", help="Column to rank by.")] = None,
    test: Test = None,
    positive: Positive = None,
    levels: Levels = None,
    groups: Groups = None,
    weights: Weights = None,
    drop: Drop = None,
    keep: Keep = None,
    nominal: Nominal = None,
    missing: Missing = None,
    header: Header = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Say how a table is read: each column's type, what is missing, what is left out and why."""
    from rankexp.runner.data.inspect import inspect_table

    own = {"header": header, "decimal": decimal, "thousands": thousands, "delimiter": delimiter}
    reading = inspect_table(
        table,
        target=target,
        test=test,
        positive=positive,
        levels=_names(levels) or None,
        groups=groups,
        weights=weights,
        **_reading(drop, keep, nominal, missing),
        **own,
        encoding=encoding,
    )
    print(reading.text())
    if target and len(reading.levels) == 2 and not (positive or levels):
        from rankexp.runner.compare.question import ask

        *_, better = ask(target, dict(reading.levels)).counts
        print(f"\ncompare will rank '{better}' first; --positive changes this.")


def _names(given: Names | str) -> list[str]:
    """Return the names of lists with commas, quoted as in CSV."""
    lists = [given] if isinstance(given, str) else given or []
    cells = (cell for row in csv.reader(lists, skipinitialspace=True) for cell in row)
    return [cell.strip() for cell in cells if cell.strip()]


def _reading(*lists: Names) -> dict[str, list[str]]:
    """Return the options of reading that hold several names, those that were given."""
    named = zip(("drop", "keep", "nominal", "missing"), map(_names, lists), strict=True)
    return {name: values for name, values in named if values}
