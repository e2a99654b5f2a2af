"""Open a data file, plain or compressed, and decode its lines."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from rankexp.errors import DataError

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


@contextmanager
def open_data(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, decompressed by its suffix.

    Raises
    ------
    DataError
        Not there, not readable, or damaged, also where this shows while reading.
    """
    opener: Callable[..., Any] = OPENERS.get(path.suffix.lower(), open)
    try:
        with opener(path, "rb") as file:
            yield cast(BinaryIO, file)
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: cannot be read: {reason}") from error


def lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank."""
    for number, raw in enumerate(file, start=1):
        text = decode(raw, first=number == 1).strip()
        if text:
            yield number, text


def decode(raw: bytes, *, first: bool = False) -> str:
    """Return a line's text, of UTF-8 or else Latin-1, without the mark that may open a file."""
    try:
        return raw.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def format_suffix(path: Path) -> str:
    """Return the suffix that tells the format: ``.arff`` of ``vote.arff.gz``."""
    inner = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return inner.suffix.lower()
