"""The bytes of a data file, unpacked within bounds, and their text."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rankexp.errors import DataError

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
LIMIT = "RANKEXP_UNPACKED_MB"
"""Environment variable: megabytes that a packed file may hold, whatever its ratio."""
MOST_UNPACKED = 2_000_000_000
"""Bytes that a packed file may hold."""
MOST_RATIO = 200
"""By which it may be packed, where it holds more than `SMALL`; tables are by 2 to 50."""
SMALL = 50_000_000
_STEP = 1 << 20

FOREIGN = {
    b"PK\x03\x04": "is a zip archive: unpack it first",
    b"\xd0\xcf\x11\xe0": "is an old Excel file: save it as .xlsx or as CSV",
    b"\x1f\x8b": "is packed by gzip: its name must end in .gz",
    b"BZh9": "is packed by bzip2: its name must end in .bz2",
    b"\xfd7zXZ": "is packed by xz: its name must end in .xz",
    b"\x28\xb5\x2f\xfd": "is packed by zstd: unpack it first",
    b"SQLite": "is a database of SQLite: export the table as CSV",
    b"%PDF": "is a PDF file, no table",
    b"\x93NUMPY": "is an array of numpy: write a table, say as CSV",
    b"PAR1": "is a Parquet file: its name must end in .parquet",
    b"\x80\x04\x95": "is a pickle, which is never read: write CSV or Parquet",
    b"\x80\x05\x95": "is a pickle, which is never read: write CSV or Parquet",
}
"""What a file can begin with, and what to do then."""
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def unpacked(path: Path) -> bytes:
    """Return the content of a file, unpacked by its suffix; errors as of `pieces`."""
    packed = path.suffix.lower() in OPENERS
    return b"".join(pieces(path, _STEP if packed else -1))


def pieces(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a file, unpacked by its suffix, so many bytes at a time; -1: all.

    Raises
    ------
    DataError
        Not there, not readable, damaged, or more than may be unpacked.
    """
    packed = path.suffix.lower() in OPENERS
    opener: Callable[..., Any] = OPENERS[path.suffix.lower()] if packed else open
    total = 0
    try:
        with opener(path, "rb") as file:
            while part := file.read(size):
                total += len(part)
                if packed:
                    check_size(path, total)
                yield part
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: cannot be read: {reason}") from error


def check_size(path: Path, size: int) -> None:
    """Hold that a packed file does not hold more than it may."""
    named = os.environ.get(LIMIT, "")
    packed = path.stat().st_size
    if named.isdecimal():
        most = int(named) * 1_000_000
    else:
        most = min(MOST_UNPACKED, max(SMALL, MOST_RATIO * packed))
    if size > most:
        raise DataError(
            f"{path}: its {packed / 1e6:,.2f} MB hold more than {most / 1e6:,.0f} MB when "
            f"unpacked; if that is what you expect, allow more megabytes by {LIMIT}"
        )


def encoding_of(path: Path, content: bytes, given: str | None = None, first: int = 1) -> str:
    """Return the encoding of a text, given or found out: by its mark, UTF-8, Windows-1252.

    It begins with the line `first` of the file.

    Raises
    ------
    DataError
        No text, or not in the encoding given.
    """
    for start, what in FOREIGN.items():
        if content.startswith(start):
            raise DataError(f"{path}: {what}")
    marked = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    if given and marked and given.lower().startswith(marked.removesuffix("-sig")):
        given = marked  # which takes the mark off
    tried = [given] if given else [marked] if marked else ["utf-8", "cp1252"]
    if not (given or marked) and b"\0" in content:
        wide = content[1:200:2].count(0) > 50 or content[:200:2].count(0) > 50
        hint = "; if it is UTF-16, say 'encoding: utf-16-le' or 'utf-16-be'" if wide else ""
        raise DataError(f"{path}: is no text: byte {content.index(0) + 1:,} is zero{hint}")
    for name in tried:
        try:
            zero = content.decode(name).find("\0")
        except LookupError as error:
            raise DataError(f"{path}: there is no text encoding '{name}'") from error
        except ValueError as error:
            at = getattr(error, "start", 0) + 3 * (name == "utf-8-sig")  # its mark is not counted
        else:
            if zero >= 0:
                raise DataError(f"{path}: is no text: character {zero + 1:,} is zero")
            return name
    line = content.count(b"\n", 0, at) + first
    raise DataError(
        f"{path}:{line}: is not in the encoding {tried[-1]}; say which it is by 'encoding'"
    )


def opened(content: bytes, encoding: str) -> io.TextIOWrapper:
    """Return a text as a file, whose lines keep their ends, whichever of three they have."""
    return io.TextIOWrapper(io.BytesIO(content), encoding, newline="")


def lines(content: bytes, encoding: str) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank."""
    for number, raw in enumerate(opened(content, encoding), start=1):
        text = raw.strip()
        if text and text != "\x1a":  # ends files of DOS
            yield number, text


def format_suffix(path: Path) -> str:
    """Return the suffix that tells the format: ``.arff`` of ``vote.arff.gz``."""
    inner = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return inner.suffix.lower()
