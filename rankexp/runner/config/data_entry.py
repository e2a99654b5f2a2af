"""What a study's file says of a data set."""

import re
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from rankexp.runner.strict import Keyed

Value = bool | int | float | str | None
Level = Value | list[Value]
Files = Annotated[dict[str, str], Field(min_length=1)]  # part of the data -> its file
SECOND = "test"  # in `source`, beside ``file``: the file whose rows are the test part
PACKAGE, NAME = "package", "name"  # in `source`, beside ``package``: which of its tables


class Fingerprint(Keyed):
    """What a data set must look like, so that other data under its name is an error."""

    rows: PositiveInt
    features: PositiveInt
    classes: list[PositiveInt] | None = None
    missing: NonNegativeInt | None = 0
    sha256: str | None = None

    @field_validator("sha256")
    @classmethod
    def _is_a_hash(cls, given: str | None) -> str | None:
        if given is not None and not re.fullmatch("[0-9a-f]{64}", given):
            raise ValueError(f"must be 64 digits and letters a to f, got {len(given)} characters")
        return given


class DataEntry(Keyed):
    """A data set: where it comes from, what its columns mean, what it must look like."""

    label: str | None = None
    source: Annotated[dict[str, Value | Files], Field(min_length=1)]
    target: str
    levels: Annotated[list[Level], Field(min_length=2)] | None = None
    drop: list[str] = []
    nominal: list[str] = []
    numeric: list[str] = []
    keep: list[str] = []
    identifiers: Literal["drop", "drop_groups", "keep", "refuse"] | None = None
    most_coded: PositiveInt = 5000
    rows: PositiveInt | None = None
    missing: list[int | float | str] = []
    missing_values: list[str] | None = None
    missing_codes: dict[int | float | str, list[str]] = {}
    header: bool | None = None
    decimal: Literal[".", ","] | None = None
    thousands: Literal[",", ".", " ", "'", ""] | None = None
    encoding: str | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    sheet: str | None = None
    groups: str | None = None
    weights: str | None = None
    part: str | None = None
    time: str | None = None
    fingerprint: Fingerprint | None = None
    verified: list[str] = []
    optional: bool = False
    note: str | None = None
    origin: str | None = None

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
    def _has_one_way_to_name_what_it_takes(self) -> "DataEntry":
        if NAME in self.source and "package" not in self.source:
            raise ValueError("'name' says which table of a package: give 'package' as well")
        if SECOND in self.source and list(self.sources) != ["file"]:
            raise ValueError("'test' names a second file: give exactly 'file' and 'test'")
        if SECOND in self.source and self.part is not None:
            raise ValueError("'part' and a test file both define parts: give only one of them")
        return self
