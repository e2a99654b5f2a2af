"""Columns of texts made numbers or categories, in the one number format that a table has."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import Feature, Floats, Ints, called, large
from rankexp.runner.data.readers.columns import Codes
from rankexp.runner.data.readers.numbers import (
    FORMATS,
    LIKE_A_NUMBER,
    SIGNS,
    NumberFormat,
    TextRules,
    shape_of,
    without_signs,
)
from rankexp.runner.data.reading import EMPTY

TOP = 10  # rows of a file among which the line of names may be
MOSTLY_NUMBERS = 0.5  # of cells or of distinct texts; above it other texts are strays


class TextColumn(NamedTuple):
    """A column of texts: the distinct ones, which of them each row has; -1 is missing."""

    name: str
    texts: list[str]
    codes: Codes

    def first(self) -> Ints:
        """Return the first row that has each text."""
        rows = np.zeros(len(self.texts) + 1, dtype=np.int64)  # the last is for what is missing
        rows[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        return rows

    def shapes(self) -> list[str]:
        """Return a text, without its sign, of each sequence of digits and marks that there is."""
        texts = reversed(without_signs(self.texts))
        return list({shape_of(text): text for text in texts}.values())


@dataclass
class Maker:
    """Makes the columns of one table, and keeps what is to be said of it."""

    path: str
    lines: Ints  # of each row in the file; below 0 in the second file
    rules: TextRules
    second: str | None = None
    marks: Counter[str] = field(default_factory=Counter)
    format: NumberFormat = FORMATS[0]
    notes: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    signed: list[str] = field(default_factory=list)

    def cells(self, name: str, known: Mapping[str, int], codes: Codes) -> TextColumn:
        """Return a column of texts, without its missing marks, which are counted."""
        counts = np.bincount(codes, minlength=len(known))
        missing = self.rules.marks(name)
        stripped: dict[str, int] = {}
        renumbered = np.empty(len(known), dtype=codes.dtype)
        for cell, code in known.items():
            text = cell.strip()
            if text in missing:
                if count := int(counts[code]):  # of Parquet the empty cell may occur nowhere
                    self.marks[text] += count
                renumbered[code] = -1
            else:
                renumbered[code] = stripped.setdefault(text, len(stripped))
        return TextColumn(name, list(stripped), renumbered[codes])

    def settle(self, columns: Sequence[TextColumn]) -> None:
        """Find the number format of all columns of numbers; DataError unless there is just one."""
        decimal, thousands = self.rules.decimal, self.rules.thousands
        allowed = [f for f in FORMATS if decimal in (None, f.decimal)]
        allowed = [f for f in allowed if thousands in (None, f.thousands)]
        allowed = allowed or [NumberFormat(decimal or ".", thousands or "")]
        numbers: list[tuple[TextColumn, list[str], list[NumberFormat]]] = []
        for column in columns:
            texts = column.shapes()
            fits = [f for f in allowed if texts and all(map(f.fits, texts))]
            if fits and column.name not in self.rules.lenient:
                numbers.append((column, texts, fits))
        common = [f for f in allowed if all(f in fits for _, _, fits in numbers)]
        if not common:
            raise self._contradiction(numbers)
        self.format = common[0]
        if self.format == FORMATS[0]:
            return
        for column, texts, _ in numbers:
            for text, other in product(texts, common[1:]):
                if self.format.value(text) != other.value(text):
                    known = {"where": self._where(column, text), "shown": short(text)}
                    known |= {"name": column.name, "text": text}
                    raise DataError(message("data.doubt", one=self.format, two=other, **known))

    def said(self) -> tuple[str, ...]:
        """Return the notes, with the number format if it was found out."""
        found = self.format != FORMATS[0] and not (self.rules.decimal or self.rules.thousands)
        said = f"numbers were read with {self.format}, inferred from the table"
        return (said, *self.notes) if found else tuple(self.notes)

    def _where(self, column: TextColumn, text: str) -> str:
        code = without_signs(column.texts).index(text)
        return ":".join(self._place(self.lines[column.first()[code]]))

    def _place(self, line: int) -> tuple[str, str]:
        return (self.path, str(line)) if line > 0 else (str(self.second), str(-line))

    def _contradiction(
        self, numbers: Sequence[tuple[TextColumn, list[str], list[NumberFormat]]]
    ) -> DataError:
        """Name two columns whose numbers have no format in common, or else the first and last."""
        _, _, fits = numbers[0]
        second = next((n for n in numbers if not set(n[2]) & set(fits)), numbers[-1])
        said = []
        for column, texts, _ in (numbers[0], second):
            text = min(texts, key=lambda t: sum(f.fits(t) for f in FORMATS))
            said.append(f"'{short(text)}' in column '{column.name}'")
        return DataError(message("data.contradiction", where=self._where(column, text), said=said))

    def make(self, column: TextColumn) -> tuple[Feature, Floats]:
        """Return a column as numbers or as categories; DataError where it is mostly numbers."""
        texts = without_signs(column.texts)
        lenient = column.name in self.rules.lenient
        numbers = column.texts if lenient else texts
        made = np.array([np.nan])
        if fits := all(map(self.format.fits, numbers)):
            made = np.array([*map(self.format.value, numbers), np.nan])
        codes = lenient or column.name in self.rules.labels
        if fits and not (codes and large(made).any()):
            if merged := self.format.merged(numbers, made[:-1]):
                text = short(merged[0])
                self.notes.append(message("data.digits", name=column.name, text=text))
            signed = [t for t, bare in zip(column.texts, texts, strict=True) if t != bare]
            if signed and not lenient:
                self.notes.append(message("data.unsigned", name=column.name, text=signed[0]))
                self.signed.append(column.name)
            return Feature(column.name), made[column.codes]
        if all(called("dates", text) for text in column.texts):
            self.dates.append(column.name)
        elif not (fits or lenient):
            self._refuse_strays(column)
        order = sorted(range(len(column.texts)), key=column.texts.__getitem__)
        rank = np.full(len(order) + 1, np.nan)
        rank[order] = np.arange(len(order))
        categories = tuple(column.texts[code] for code in order)
        return Feature(column.name, "nominal", categories), rank[column.codes]

    def _refuse_strays(self, column: TextColumn) -> None:
        """Hold that a column is not one of numbers with mistakes in it."""
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts))
        is_number = np.array([LIKE_A_NUMBER.fullmatch(text) is not None for text in column.texts])
        if max(is_number.mean(), counts[is_number].sum() / counts.sum()) <= MOSTLY_NUMBERS:
            return
        strays = [code for code, text in enumerate(column.texts) if not self.format.fits(text)]
        first = column.first()
        strays.sort(key=lambda code: (is_number[code], first[code]))
        shown = [short(column.texts[code]) for code in strays[:3]]
        places = [self._place(self.lines[first[code]]) for code in strays[:3]]
        signs = [sign for sign in SIGNS if any(sign in text for text in column.texts)]
        known = {"name": column.name, "shown": shown, "places": places}
        words = [code for code in strays if not is_number[code]]
        if len(signs) > 1 and not words:
            raise DataError(message("data.signs", signs=signs, **known))
        marks = [short(column.texts[code]) for code in strays[:3] if not is_number[code]]
        named = not re.fullmatch(r"column\d+", column.name)
        last = int(np.flatnonzero(np.isin(column.codes, words)).max(initial=-1))
        # It may hold the names, below notes, or units, below the names.
        top = abs(self.lines[last]) if 0 <= last < (1 if named else TOP) else 0
        raise DataError(message("data.stray", marks=marks, named=named, top=top, **known))


def short(text: str) -> str:
    """Return a text that fits into a message."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 40 else text[:37] + "..."


def described(marks: Mapping[str, int]) -> dict[str, int]:
    """Return marks, most frequent first; the empty cell by its words."""
    ordered = sorted(marks.items(), key=lambda item: (-item[1], item[0]))
    return {text or EMPTY: count for text, count in ordered}
