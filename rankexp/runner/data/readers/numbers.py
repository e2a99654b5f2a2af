"""How texts of numbers look: formats, and signs of per cent and currency."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import large

SIGNS = "%$€£"
SPACES = " \u00a0\u202f"

_DIGITS = str.maketrans("012345678", "9" * 9)

LIKE_A_NUMBER = re.compile(
    r"\(?[+\u2212-]?[$€£]?\s*[\d.,][\d.,_' \u00a0\u202f]*+([eE][+-]?[0-9]+)?\s*[%$€£]?\)?"
)


@dataclass(frozen=True)
class NumberFormat:
    """A way to write numbers."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        point, whole = re.escape(self.decimal), "[0-9]+"
        if self.thousands:
            mark = f"[{SPACES}]" if self.thousands == " " else re.escape(self.thousands)
            whole = rf"(?:[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+|[0-9]+)"
        number = rf"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:e[+-]?[0-9]+)?"
        return re.compile(rf"[+-]?(?:{number}|inf|infinity|nan)", re.IGNORECASE)

    def fits(self, text: str) -> bool:
        """Tell whether a text is a number in this format."""
        return self._pattern.fullmatch(text) is not None

    def value(self, text: str) -> float:
        """Return the number that a fitting text is."""
        return float(self._plain(text))

    def _plain(self, text: str) -> str:
        for mark in SPACES if self.thousands == " " else self.thousands:
            text = text.replace(mark, "")
        return text.replace(self.decimal, ".")

    def merged(self, texts: list[str], values: Floats) -> list[str]:
        """Return texts of large numbers where some of them differ and have the same value."""
        some = [texts[i] for i in np.flatnonzero(large(values))]
        exact = {Decimal(self._plain(text)) for text in some}
        return some if len(exact) > len(set(map(float, exact))) else []

    def __str__(self) -> str:
        apart = f", thousands {self.thousands!r}" if self.thousands else ""
        return f"decimal {self.decimal!r}{apart}"


_MARKS = product(("", ",", ".", " ", "'"), (".", ","))
FORMATS = [NumberFormat(point, thousands) for thousands, point in _MARKS if point != thousands]


def without_signs(texts: list[str]) -> list[str]:
    """Return texts without a sign of per cent or currency that they all have."""
    for sign in SIGNS:
        if texts and all(sign in text for text in texts):
            bare = [_without_sign(text, sign) for text in texts]
            if None not in bare:
                return [text for text in bare if text is not None]
    return texts


def _without_sign(text: str, sign: str) -> str | None:
    if text.endswith(sign):
        return text[:-1].rstrip()
    if text.startswith(sign):
        return text[1:].lstrip()
    if text[:1] in ("+", "-") and text[1:2] == sign:
        return text[0] + text[2:].lstrip()
    return None


def shape_of(text: str) -> str:
    """Return a text with its digits alike, but for a zero that comes first."""
    shape = text.translate(_DIGITS)
    return shape.replace("9", "0", 1) if text.lstrip("+-")[:1] == "0" else shape


USUAL = frozenset(
    ("", "?", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan")
) | {"NULL", "null", "None", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
"""Marks of missing cells: those of pandas, and the question mark."""


@dataclass(frozen=True)
class TextRules:
    """What an entry says of how texts are read; None is found out.

    `missing` are marks of missing cells, except `levels` of the target; in `lenient` columns a
    stray text is no mistake; the values of `labels` name groups or parts.
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
    def of(cls, entry: DataEntry, usual: frozenset[str] = USUAL) -> "TextRules":
        """Return the rules of an entry; `usual` marks where it names none."""
        marks = usual if entry.missing_values is None else frozenset(entry.missing_values)
        given = (v if isinstance(v, list) else [v] for v in entry.levels or ())
        levels = frozenset(str(value) for level in given for value in level)
        names = ("header", "decimal", "thousands", "encoding", "delimiter", "sheet", "target")
        missing = marks | {str(mark) for mark in entry.missing}
        lenient = frozenset([*entry.nominal, *([entry.target] if levels else [])])
        labels = frozenset([entry.groups, entry.part])
        said = {name: getattr(entry, name) for name in names}
        return cls(missing, lenient, levels=levels, labels=labels, **said)


DEFAULT = TextRules()
