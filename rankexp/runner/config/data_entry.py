"""What a study's file says of a data set."""

import re
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from rankexp.runner.strict import Strict

Value = bool | int | float | str | None
Level = Value | list[Value]
Files = Annotated[dict[str, str], Field(min_length=1)]
"""Part of the data -> its file."""
SECOND = "test"
"""In `source`, beside ``file``: the file whose rows are the test part."""


class Fingerprint(Strict):
    """What a data set must look like, so that other data under its name is an error."""

    rows: PositiveInt
    features: PositiveInt
    classes: list[PositiveInt] | None = None
    """Examples of each level, worst to best; none for continuous targets."""
    missing: NonNegativeInt | None = 0
    """Missing cells among the features; None: not known, so not checked."""
    sha256: str | None = None
    """Of the content: names, values, levels (`Dataset.fingerprint`); None: not checked."""

    @field_validator("sha256")
    @classmethod
    def _is_a_hash(cls, given: str | None) -> str | None:
        if given is not None and not re.fullmatch("[0-9a-f]{64}", given):
            raise ValueError(f"must be 64 digits and letters a to f, got {len(given)} characters")
        return given


class DataEntry(Strict):
    """One real data set: where it may come from, what its columns mean, what it must look like."""

    label: str | None = None
    source: Annotated[dict[str, Value | Files], Field(min_length=1)]
    """Registered source -> its reference, in order: ``{file: vote.arff, openml: 56}``. A second
    file, ``{file: train.csv, test: test.csv}``, has the rows of the part ``test``, the first those
    of ``train``. For sources that take it, a file for each part: ``{letor: {S1: S1.txt}}``."""
    target: str
    levels: Annotated[list[Level], Field(min_length=2)] | None = None
    """Worst to best; a list merges raw values; ``"*"`` is every value not named. The last is
    positive where there are two. None: the target is continuous."""
    drop: list[str] = []
    nominal: list[str] = []
    """Columns to read as nominal although the file holds numbers."""
    keep: list[str] = []
    """Columns that stay features although they look like identifiers, dates or names."""
    identifiers: Literal["drop", "keep", "refuse"] | None = None
    """What becomes of identifiers, dates and texts that differ in nearly every row: left out and
    said, kept, or an error. None: left out of files, kept of other sources."""
    most_coded: PositiveInt = 5000
    """Columns that one-hot coding may make of all nominals together."""
    missing: list[int | float | str] = []
    """Marks of missing cells, besides the usual: ``[n/k, -9]``."""
    missing_values: list[str] | None = None
    """Marks in place of the usual, which are ``?``, nothing, and in tables of texts also those of
    pandas: ``NA``, ``N/A``, ``NaN``, ``null``, ``None`` and their like."""
    missing_codes: dict[int | float | str, list[str]] = {}
    """Values that mean missing in some columns only: ``{999: [column22, column23]}``."""
    header: bool | None = None
    """Whether the first line names the columns; None: it does if no cell of it is a number, and
    where only some are, the reading may refuse. ``columnN`` is the N-th column of any file that
    has no column of this name."""
    decimal: Literal[".", ","] | None = None
    """Decimal mark of a file of text; None: found out, or refused where it is in doubt."""
    thousands: Literal[",", ".", " ", "'", ""] | None = None
    """What separates thousands, ``""`` for nothing; None: found out likewise."""
    encoding: str | None = None
    """None: UTF-8, UTF-16 with its mark, else Windows-1252."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """None: the one of tab, semicolon, bar, comma and white space that fits the first lines."""
    sheet: str | None = None
    """Of an Excel file with several."""
    groups: str | None = None
    """Column of query or cluster labels; not a feature. Methods that can train within groups do,
    and each metric is kept for each group, too."""
    weights: str | None = None
    """Column of what each row counts, in training and in metrics; not a feature."""
    part: str | None = None
    """Column that says which part of the data a row is in, for the protocol ``given``; not a
    feature, and apart from `groups`."""
    time: str | None = None
    """Column of dates or numbers that say when a row is from, for the protocol ``time``; not a
    feature. None: the protocol's `column`."""
    fingerprint: Fingerprint | None = None
    verified: list[str] = []
    """Sources that somebody has fetched by their reference, and that held the declared data; of
    others it is said that they were not verified."""
    optional: bool = False
    """Whether the study goes on without it (large or licensed data)."""
    note: str | None = None
    origin: str | None = None
    """Where its files can be had from and how to tell them; said where they are not found."""

    @property
    def test_file(self) -> str | None:
        """The second file, whose rows are the part ``test``."""
        return None if SECOND not in self.source else str(self.source[SECOND])

    @property
    def sources(self) -> dict[str, Value | dict[str, str]]:
        """The registered sources with their references."""
        return {name: value for name, value in self.source.items() if name != SECOND}

    @property
    def files(self) -> list[str]:
        """The files that make the data together, where there are several."""
        if SECOND in self.source:
            return [str(self.source["file"]), str(self.source[SECOND])]
        return [file for v in self.source.values() if isinstance(v, dict) for file in v.values()]

    @model_validator(mode="after")
    def _has_one_way_to_name_parts(self) -> "DataEntry":
        if SECOND in self.source and list(self.sources) != ["file"]:
            raise ValueError("'test' names a second file: give exactly 'file' and 'test'")
        if SECOND in self.source and self.part is not None:
            raise ValueError("'part' and a test file both define parts: give only one of them")
        return self
