"""The bytes of a data file, unpacked within bounds, and their text."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from rankexp.errors import DataError
from rankexp.runner.config.asking import message

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
LIMIT = "RANKEXP_UNPACKED_MB"  # variable: megabytes that a packed file may hold in any case
MOST_UNPACKED = 2_000_000_000  # bytes that a packed file may hold
MOST_RATIO = 200  # by which more than `SMALL` may be packed; tables are by 2 to 50
SMALL = 50_000_000

_STARTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FOREIGN = {start.encode("latin-1"): what for start, what in _STARTS.items()}
"""First bytes of a file that cannot be read, and what to do."""
_MARKS = {codecs.BOM_UTF8: "utf-8-sig"}
_MARKS |= dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32")  # before UTF-16's
_MARKS |= dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16")


def unpacked(path: Path) -> bytes:
    """Return the content of a file, unpacked by its suffix; errors as of `pieces`."""
    return b"".join(pieces(path))


def pieces(path: Path, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield the content of a file, unpacked by its suffix, so many bytes at a time."""
    opener: Callable[..., Any] = OPENERS.get(path.suffix.lower(), open)
    total = 0
    try:
        with opener(path, "rb") as file:
            while part := file.read(size):
                total += len(part)
                if opener is not open:
                    check_size(path, total)
                yield part
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise DataError(f"{path}: cannot read the file: {reason}") from error


def check_size(path: Path, size: int) -> None:
    """Hold that a packed file does not hold more than it may."""
    named, packed = os.environ.get(LIMIT, ""), path.stat().st_size
    usual = min(MOST_UNPACKED, max(SMALL, MOST_RATIO * packed))
    if size > (most := int(named) * 1_000_000 if named.isdecimal() else usual):
        raise DataError(message("data.large", path=path, packed=packed, most=most, limit=LIMIT))


def encoding_of(
    path: Path, content: Callable[[], Iterable[bytes]], given: str | None = None, first: int = 1
) -> str:
    """Return the encoding of a text, given, or by its mark, or UTF-8, or Windows-1252.

    It begins with the line `first` of the file, and `content` gives its pieces anew.
    """
    head = next(iter(content()), b"")[:200]
    for start, what in FOREIGN.items():
        if head.startswith(start):
            raise DataError(f"{path}: {what}")
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if given and marked and given.lower().startswith(marked.removesuffix("-sig")):
        given = marked  # which takes the mark off
    known = given or marked
    for name in [known] if known else ["utf-8", "cp1252"]:
        wrong = _first_wrong(path, content(), name, None if known else head)
        if wrong is None:
            return name
    line = b"".join(content())[:wrong].count(b"\n") + first
    raise DataError(message("data.encoding", path=path, line=line, name=name))


def _first_wrong(
    path: Path, content: Iterable[bytes], name: str, unmarked: bytes | None
) -> int | None:
    """Return how many bytes come before the first that an encoding does not have; None: it fits.

    A zero is an error, after wrong bytes only in a guessed encoding; `unmarked` begins such a
    text.
    """
    try:
        b"".decode(name)
        decoder = codecs.getincrementaldecoder(name)()
    except LookupError as error:
        raise DataError(f"{path}: '{name}' is not a known text encoding") from error
    seen, read, zero, wrong = 0, 0, 0, None
    for piece in chain(content, [b""]):
        if unmarked is not None and b"\0" in piece:
            wide = unmarked[1::2].count(0) > 50 or unmarked[::2].count(0) > 50
            byte = read + piece.index(0) + 1
            raise DataError(message("data.zero", path=path, byte=byte, wide=wide))
        if wrong is None:
            try:
                text = decoder.decode(piece, not piece)
            except UnicodeDecodeError as error:
                wrong = read + len(piece) - len(error.object) + error.start
            except ValueError:  # no mark
                wrong = 0
            else:
                zero = zero or ("\0" in text and seen + text.index("\0") + 1)
                seen += len(text)
        read += len(piece)
    if zero and wrong is None:
        raise DataError(f"{path}: the file is not text: character {zero:,} is zero")
    return wrong


def opened(source: Path | bytes, encoding: str) -> io.TextIOWrapper:
    """Return a text as a file, whose lines keep their ends, whichever of three they have."""
    if isinstance(source, bytes):
        return io.TextIOWrapper(io.BytesIO(source), encoding, newline="")
    opener: Callable[..., Any] = OPENERS.get(source.suffix.lower(), open)
    return io.TextIOWrapper(opener(source, "rb"), encoding, newline="")


def lines(path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank."""
    with opened(path, encoding) as file:
        for number, raw in enumerate(file, start=1):
            text = raw.strip()
            if text and text != "\x1a":  # ends files of DOS
                yield number, text


def format_suffix(path: Path) -> str:
    """Return the suffix that tells the format: ``.arff`` of ``vote.arff.gz``."""
    return (path.with_suffix("") if path.suffix.lower() in OPENERS else path).suffix.lower()
