"""Memory: what is free, what reading a table takes at its peak, and how many workers have room."""

import re
import resource
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.data.readers.compressed import OPENERS

PEAK = {"text": 2.2, "arff": 2.9, "letor": 3.9, "parquet": 5.8}
"""Memory at the peak of reading a table, over the matrix of its numbers: the growth of a process
until the snapshot was written, for 200,000 rows of 50 columns of text and of Parquet, 50,000 of 50
of ARFF, and 100,000 of 136 in LETOR's format."""
WORKER, BASE = 5.4, 0.34e9  # what one takes: over the matrix, and bytes without it
SMALL = 1e9  # bytes: what needs less is not refused
HEAD = 1 << 20  # bytes by which rows of text are estimated; packed, 4 times, for it is read ahead
_LIMITS = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")
_SPARE = re.compile(r"^(?:total_)?inactive_file (\d+)$", re.MULTILINE)  # of files, given back


def free() -> float:
    """Return the bytes that processes may still take, within the limits of their control group."""
    found = float(psutil.virtual_memory().available)
    for folder in _control_groups():
        for limit, used in _LIMITS:
            with suppress(OSError, ValueError):  # no such limit
                spare = max(map(int, _SPARE.findall((folder / "memory.stat").read_text())))
                taken = int((folder / used).read_text()) - spare
                found = min(found, int((folder / limit).read_text()) - taken)
    return max(found, 0.0)


def _control_groups() -> list[Path]:
    """Return the folders of this process's groups that may limit its memory, and all above."""
    known, found = Path("/proc/self/cgroup"), list[Path]()
    for line in known.read_text().splitlines() if known.exists() else ():
        _, kind, path = line.split(":", 2)
        if kind in ("", "memory"):
            own = Path("/sys/fs/cgroup", kind, path.lstrip("/"))
            found += [own, *own.parents]
    return found


def _allowed() -> float:
    """Return the bytes that this process may still take."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    own = limit - psutil.Process().memory_info().vms
    return free() if limit == resource.RLIM_INFINITY else max(min(free(), own), 0.0)


def check(needed: float, rows: float, what: str, why: str = "") -> None:
    """Hold that what needs so many bytes for its rows has them, or say how many rows would fit."""
    if needed >= SMALL and needed > (room := _allowed()):
        fit = {"rows": float(f"{rows * room / needed:.2g}"), "free": room}
        raise DataError(message("data.memory", what=what, why=why, needed=needed, **fit))


def check_matrix(rows: int, width: int, why: str = "") -> None:
    """Hold that there is room for a matrix; `why` says where its width comes from."""
    check(8.0 * rows * width, rows, f"the matrix of {rows:,} rows and {width:,} columns", why)


def check_reading(path: Path, kind: str, delimiter: str | None = None) -> None:
    """Hold that there is room to read a file, as far as its beginning tells."""
    if kind in PEAK:
        rows, width = size_of(path, kind, delimiter)
        check(PEAK[kind] * 8 * rows * width, rows, f"reading {path}")


def size_of(path: Path, kind: str, delimiter: str | None = None) -> tuple[float, int]:
    """Return about how many rows and columns a file has, by its beginning; (0, 0): unknown."""
    try:
        small = kind != "parquet" and path.stat().st_size < HEAD
        return (0.0, 0) if small else _shape(path, kind, delimiter)
    except Exception:  # what is wrong with a file, its reader says
        return 0.0, 0


def _shape(path: Path, kind: str, delimiter: str | None) -> tuple[float, int]:
    if kind == "parquet":
        from pyarrow import parquet

        meta = parquet.read_metadata(path)
        return meta.num_rows, meta.num_columns
    with path.open("rb") as packed:
        opener = OPENERS.get(path.suffix.lower())
        head = opener(packed, "rb").read(4 * HEAD) if opener else packed.read(HEAD)
        size = path.stat().st_size * len(head) / max(packed.tell(), 1)
    lines = head[: head.rfind(b"\n")].splitlines()
    if kind == "text":
        from rankexp.runner.data.readers.delimited import width_of

        width = width_of(path, b"\n".join(lines), delimiter)
    elif kind == "letor":
        width = max(int(i) for i in re.findall(rb" (\d+):", b"\n".join(lines)))
    else:
        width = sum(line.lower().startswith(b"@attribute") for line in lines)
    return size * len(lines) / len(head), width


def affordable(workers: int, snapshots: Iterable[str]) -> tuple[int, str]:
    """Return how many workers have room for the largest data set, and a sentence if not all."""
    largest = max((Path(path).stat().st_size for path in snapshots), default=0)
    each, room = WORKER * largest + BASE, free()
    most = max(1, min(workers, int(room / each)))
    if WORKER * largest < BASE or most == workers:
        return workers, ""
    return most, message("run.fewer", most=most, workers=workers, each=each, free=room)
