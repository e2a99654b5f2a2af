"""What an entry says of how texts are read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankexp.runner.config.data_entry import DataEntry

USUAL = frozenset(
    ("", "?", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan")
) | {"NULL", "null", "None", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
"""Marks of missing cells: those of pandas, and the question mark."""


@dataclass(frozen=True)
class TextRules:
    """What an entry says of how texts are read; None is found out.

    `missing` are the marks of missing cells, `lenient` columns in which a stray text is no
    mistake, `labels` those whose values are names of groups or parts, `levels` the values of the
    target that are named and so not missing.
    """

    missing: frozenset[str] = USUAL
    lenient: frozenset[str] = frozenset()
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    target: str = ""
    levels: frozenset[str] = frozenset()
    labels: frozenset[str | None] = frozenset()

    def marks(self, column: str) -> frozenset[str]:
        """Return the marks of missing cells of a column."""
        return self.missing - self.levels if column == self.target else self.missing

    @classmethod
    def of(cls, entry: "DataEntry", usual: frozenset[str] = USUAL) -> "TextRules":
        """Return the rules of an entry; `usual` marks where it names none."""
        marks = usual if entry.missing_values is None else frozenset(entry.missing_values)
        given = (v if isinstance(v, list) else [v] for v in entry.levels or ())
        levels = frozenset(str(value) for level in given for value in level)
        return cls(
            marks | {str(mark) for mark in entry.missing},
            frozenset([*entry.nominal, *([entry.target] if levels else [])]),
            entry.header,
            entry.decimal,
            entry.thousands,
            entry.encoding,
            entry.delimiter,
            entry.sheet,
            entry.target,
            levels,
            frozenset([entry.groups, entry.part]),
        )


DEFAULT = TextRules()
