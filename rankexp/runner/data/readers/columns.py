"""Columns of texts, as pyarrow holds them: cut out of text, and made numbers or codes, quickly."""

import codecs
import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TextIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute, csv

from rankexp.arrays import Floats

LONGEST_CELL = 131_072  # characters: more mean a quote that was not closed
PIECE = 1 << 21  # characters that are cut at once
_NUMBER = b"0123456789.+-eE"
_QUOTE, _SPACE = b'" '
Codes = NDArray[np.signedinteger]
Columns = list[pa.StringArray]
Marks = Counter[str]


class DoubtError(ValueError):
    """Python's csv module may cut this text otherwise."""


def cut(file: TextIO, delimiter: str, width: int, which: Sequence[int]) -> Iterator[Columns]:
    """Yield some columns as Python's csv module cuts them; ValueError where that is in doubt."""
    if len(delimiter.encode()) > 1 or delimiter in '"\r\n' or width < 2:
        raise DoubtError
    names = [str(j) for j in range(width)]
    wanted = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), include_columns=[names[j] for j in which]
    )
    for text in _pieces(file, spaced=delimiter == " "):
        data = text.encode()
        spaced = _check(data, delimiter.encode())
        table = csv.read_csv(
            pa.py_buffer(data),
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values='"' in text),
            wanted,
        )
        columns = [column.chunk(0) for column in table.columns]
        if max(int(lengths(column).max(initial=0)) for column in columns) > LONGEST_CELL:
            raise DoubtError
        yield [compute.utf8_ltrim(column, " ") for column in columns] if spaced else columns


def ahead(pieces: Iterator[Columns]) -> Iterator[Columns]:
    """Yield the pieces; a thread cuts the next one while the caller works on this one."""
    with ThreadPoolExecutor(1) as pool:
        coming = [pool.submit(next, pieces, None)]
        while (piece := coming.pop().result()) is not None:
            coming.append(pool.submit(next, pieces, None))
            yield piece


def _pieces(file: TextIO, *, spaced: bool) -> Iterator[str]:
    """Yield text to the end of a row, white space as one space if that is what separates."""
    while text := file.read(PIECE):
        text += file.readline()
        more, length, is_open = [text], 0, text.count('"') % 2
        while is_open:
            if not (line := file.readline()) or length > LONGEST_CELL:
                raise DoubtError
            more.append(line)
            length, is_open = length + len(line), (is_open + line.count('"')) % 2
        text = "".join(more)
        if spaced:
            text = "".join(" ".join(line.split()) + "\n" for line in io.StringIO(text, newline=""))
        yield text


def _check(data: bytes, delimiter: bytes) -> bool:
    """Hold that quotes enclose cells and lines end alike; tell whether cells begin with a space.

    Between two quoted texts there is nothing, where a quote is meant, or an end of a cell and the
    beginning of another.
    """
    if data.startswith(codecs.BOM_UTF8):  # pyarrow leaves it out
        raise DoubtError
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise DoubtError
    spaced = delimiter != b" " and b" " in data  # sought first, as it is found out soonest
    if spaced:
        spaced = data.startswith(b" ") or delimiter + b" " in data or b"\n " in data
    if b'"' not in data:
        return spaced
    text = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    ends = (*delimiter, *b"\r\n")
    quotes = np.flatnonzero(text == _QUOTE)
    first, last = quotes[::2], quotes[1::2]
    begun, ended = np.isin(text[first - 1], ends), np.isin(text[last + 1], ends)
    meant = first[1:] == last[:-1] + 1
    if not (begun[0] and ended[-1] and (meant | (ended[:-1] & begun[1:])).all()):
        raise DoubtError
    if spaced:
        spaces = np.flatnonzero((text[1:] == _SPACE) & np.isin(text[:-1], ends)) + 1
        if (np.searchsorted(quotes, spaces) % 2 == 0).any():
            raise DoubtError
    return False


def lengths(column: pa.StringArray) -> Codes:
    """Return the bytes of each text."""
    return np.diff(_offsets(column))


def numbers(column: pa.StringArray, missing: Collection[str]) -> tuple[Floats | None, Marks]:
    """Return the numbers of a column, NaN where missing, or None; and its marks of missing.

    Texts are the numbers that they are for Python, but for 1_000 and the digits of other scripts.
    """
    some = joined(column).translate(None, _NUMBER) or not lengths(column).all()
    if some or any(not mark.encode().translate(None, _NUMBER) for mark in missing if mark):
        unknown = compute.is_in(column, pa.array(missing, pa.string()))
        if unknown.true_count:
            known = column.filter(compute.invert(unknown))
            found = _floats(known, plain=not joined(known).translate(None, _NUMBER))
            if found is None:
                return None, Counter()
            values = np.full(len(column), np.nan)
            values[~unknown.to_numpy(zero_copy_only=False)] = found
            marked = compute.value_counts(column.filter(unknown))
            counts = zip(*(marked.field(i).to_pylist() for i in range(2)), strict=True)
            return values, Counter(dict(counts))
    return _floats(column, plain=not some), Counter()


def _floats(column: pa.StringArray, *, plain: bool) -> Floats | None:
    with suppress(pa.ArrowInvalid):
        if plain:
            return np.asarray(compute.cast(column, pa.float64()))
    found = plain_numbers(column.to_pylist())
    return None if found is None else np.array(found)


def plain_numbers(texts: Sequence[str]) -> list[float] | None:
    """Return the numbers of texts; None where one is none, 1_000 or in another script's digits."""
    whole = "".join(texts)
    if "_" in whole or not whole.isascii():
        return None
    try:
        return [float(text) for text in texts]
    except ValueError:
        return None


def any_padded(column: pa.StringArray) -> bool:
    """Tell whether a text begins with a zero and another digit."""
    return bool(compute.any(compute.match_substring_regex(column, "^0[0-9]")).as_py())


def _offsets(column: pa.StringArray) -> Codes:
    offsets = np.frombuffer(column.buffers()[1] or bytes(4), dtype=np.int32)
    return offsets[column.offset : column.offset + len(column) + 1]


def joined(column: pa.StringArray) -> bytes:
    """Return the texts of a column, one after the other."""
    offsets = _offsets(column)
    return bytes(memoryview(column.buffers()[2] or b"")[offsets[0] : offsets[-1]])


class Coded:
    """Distinct texts of a column, numbered as they appear, and which of them each row has."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self._codes: list[Codes] = []

    def add(self, column: pa.StringArray) -> None:
        """Take more rows."""
        found = column.dictionary_encode()
        number = [self.known.setdefault(t, len(self.known)) for t in found.dictionary.to_pylist()]
        few = len(self.known) <= np.iinfo(np.int16).max
        numbered = np.array(number, dtype=np.int16 if few else np.int32)
        self._codes.append(numbered[found.indices.to_numpy()])

    def codes(self) -> Codes:
        """Return the number of each row's text."""
        self._codes = [np.concatenate(self._codes)]
        return self._codes[0]
