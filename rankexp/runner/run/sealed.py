"""Records sealed in one compressed file: what they share once, and their numbers in columns.

A file is two xz streams, which ``xz -d`` opens as one. They hold in this order:

- a line of JSON: format, number of records, the distinct values of each of `FIELDS`, and for each
  column whether it is of integers;
- the keys, 32 bytes a record; then for each field which of its values each record has, 4 bytes;
- the columns, in the order in which outlines name them: rows by part and quantity (those of groups
  apart), x and y of each kind of curve, each time; in each, first the records of the first
  outline. They are floats, or integers over a million where that loses no bit. All numbers are
  little-endian.

The name has the start of the content's SHA-256. The same records give the same bytes.
"""

import hashlib
import json
import lzma
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankexp.arrays import Floats, Numbers, Signed
from rankexp.errors import ConfigError
from rankexp.runner.config.asking import message
from rankexp.runner.run.record import Label, Record, RecordRows, grid_of
from rankexp.runner.spec import canonical

FORMAT = 1
NAME = r"sealed-[0-9a-f]{16}\.xz"
NO_CURVES: dict[str, dict[str, list[float]]] = {}  # one for all records that have none
AS_IS = ("status", "reason", "texts", "warnings", "version", "packages")
FIELDS = ("outline", "generation", "grid", *AS_IS)
ALTERED = (lzma.LZMAError, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError)
NUMBERS = {"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 3, "pb": 3}  # of 8 bytes

Sealed = tuple[int, Record]  # with its generation


class _Outline(NamedTuple):
    """What the numbers of a record are, one after the other: rows, curves, times."""

    labels: tuple[Label, ...]
    curves: dict[str, int]  # how many points
    times: list[str]

    def columns(self) -> dict[str, list[int]]:
        """Return the places of the numbers that go into each column."""
        rows = (
            f"{label.part} {label.quantity}{' of a group' * (label.group is not None)}"
            for label in self.labels
        )
        points = (
            f"{axis} of {name.partition(':')[0]}"
            for name, count in self.curves.items()
            for axis in "xy"
            for _ in range(count)
        )
        found: dict[str, list[int]] = {}
        for place, name in enumerate([*rows, *points, *self.times]):
            found.setdefault(name, []).append(place)
        return found

    def parts(
        self, numbers: Floats
    ) -> tuple[RecordRows, dict[str, dict[str, list[float]]], dict[str, float]]:
        """Return the rows, curves and times that have these numbers."""
        count = len(self.labels)
        rows = RecordRows.of(self.labels, array("d", numbers[:count].tobytes()))
        rest = iter(numbers[count:].tolist())
        curves = {
            name: {axis: list(islice(rest, length)) for axis in "xy"}
            for name, length in self.curves.items()
        }
        return rows, curves or NO_CURVES, dict(zip(self.times, rest, strict=True))


class _Head(NamedTuple):
    sealed: int  # the format
    records: int
    values: list[list[Any]]  # of each field
    integers: list[bool]  # whether a column is of them

    @property
    def outlines(self) -> list[_Outline]:
        return [
            _Outline(RecordRows((*label, 0.0) for label in labels).labels, *others)
            for labels, *others in self.values[0]
        ]


def name_of(content: bytes) -> str:
    """Return the name of the file that has this content."""
    return f"sealed-{hashlib.sha256(content).hexdigest()[:16]}.xz"


def same(one: Record, other: Record) -> bool:
    """Tell whether two records that were read are alike in every bit."""
    first, second = (repr(replace(record, rows=[])) for record in (one, other))
    return one.rows == other.rows and first == second


def open_sealed(file: Path) -> list[Sealed]:
    """Return what a sealed file holds; ConfigError says what is wrong with it, and the way out."""
    try:
        content = file.read_bytes()
        if name_of(content) != file.name:
            raise ValueError("was altered: its name is not that of its content")
        return unseal(content)
    except (OSError, ValueError) as error:
        what = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else error
        raise ConfigError(message("run.sealed", file=file, what=what)) from error


def seal(records: Sequence[Sealed]) -> bytes:
    """Return the content of a file of records that were read; their keys are SHA-256."""
    found: list[dict[str, int]] = [{} for _ in FIELDS]
    which, numbers = [], []
    for generation, record in records:
        outline, own = _outlined(record)
        grid = [dict(point.values) for point in record.grid]
        plain = [outline, generation, grid, *(getattr(record, name) for name in AS_IS)]
        texts = zip(found, map(canonical, plain), strict=True)
        which.append([known.setdefault(text, len(known)) for known, text in texts])
        numbers.append(own)
    places = np.array(which, dtype="<i4").reshape(-1, len(FIELDS)).T
    head = _Head(FORMAT, len(records), [[json.loads(text) for text in own] for own in found], [])
    parts: dict[str, list[Floats]] = {}
    for members, columns in _alike(head.outlines, places[0]):
        table = np.array([numbers[i] for i in members], dtype="<f8")
        for name, at in columns.items():
            parts.setdefault(name, []).append(table[:, at].ravel())
    coded = [_coded(np.concatenate(part)) for part in parts.values()]
    head.integers.extend(column.dtype.kind == "i" for column in coded)
    keys = bytes.fromhex("".join(record.key for _, record in records))
    start = canonical(head._asdict()).encode() + b"\n" + keys + places.tobytes()
    body = b"".join(column.tobytes() for column in coded)
    return lzma.compress(start) + lzma.compress(body, filters=[NUMBERS])


def unseal(content: bytes) -> list[Sealed]:
    """Return records and generations of a file's content; ValueError says what it is."""
    try:
        line, _, body = lzma.decompress(content).partition(b"\n")
        if (head := _Head(**json.loads(line))).sealed != FORMAT:
            raise ValueError(f"has format {head.sealed}, and this rankexp reads {FORMAT}")
        return _records(head, body)
    except ALTERED as error:
        raise ValueError("is not a file of sealed records") from error


def _records(head: _Head, body: bytes) -> list[Sealed]:
    outlines, generations, grids, *others = head.outlines, *head.values[1:]
    if sum(sum(one.curves.values()) for one in outlines) > len(body):  # each has a record
        raise ValueError("was altered: it lacks points of curves")
    keys, start = body[: 32 * head.records].hex(), 32 * head.records
    places = np.frombuffer(body, "<i4", len(FIELDS) * head.records, start)
    places = places.reshape(len(FIELDS), -1)
    numbers = _numbers(head, places[0], np.frombuffer(body[start + places.nbytes :], "<f8"))
    grids = list(map(grid_of, grids))
    records = []
    for i, (outline, generation, grid, *rest) in enumerate(places.T.tolist()):
        fields = {name: own[at] for name, own, at in zip(AS_IS, others, rest, strict=True)}
        key = keys[64 * i : 64 * i + 64]
        rows, curves, times = outlines[outline].parts(numbers[i])
        fields |= {"grid": grids[grid], "rows": rows, "curves": curves, "times": times}
        records.append((generations[generation], Record(key, **fields)))
    return records


def _outlined(record: Record) -> tuple[_Outline, Floats]:
    """Return what a record's numbers are, and the numbers."""
    rows = record.rows if isinstance(record.rows, RecordRows) else RecordRows(record.rows)
    kept = sorted(record.curves.items())
    curves = {name: [curve[axis] for axis in "xy"] for name, curve in kept}
    times = dict(sorted(record.times.items()))
    outline = _Outline(rows.labels, {name: len(x) for name, (x, _) in curves.items()}, list(times))
    return outline, np.concatenate([rows.values, *chain(*curves.values()), list(times.values())])


def _alike(
    outlines: Sequence[_Outline], which: Signed
) -> Iterator[tuple[Signed, dict[str, list[int]]]]:
    """Yield for each outline whose it is, and which of their numbers go into each column."""
    for place, outline in enumerate(outlines):
        yield np.flatnonzero(which == place), outline.columns()


def _numbers(head: _Head, which: Signed, rest: Floats) -> dict[int, Floats]:
    """Return the numbers of each record, by its place, from those of all columns."""
    alike = list(_alike(head.outlines, which))
    columns, found = dict[str, Floats](), dict[int, Floats]()
    sizes: Counter[str] = Counter()
    for members, own in alike:
        sizes.update({name: len(members) * len(at) for name, at in own.items()})
    for (name, size), integers in zip(sizes.items(), head.integers, strict=True):
        column, rest = np.split(rest, [size])
        columns[name] = column.view("<i8") / 1e6 if integers else column
    for members, own in alike:
        table = np.empty((len(members), sum(map(len, own.values()))))
        for name, at in own.items():
            part, columns[name] = np.split(columns[name], [len(members) * len(at)])
            table[:, at] = part.reshape(len(members), -1)
        found |= zip(members.tolist(), table, strict=True)
    return found


def _coded(column: Floats) -> Numbers:
    """Return a column as integers, its values in millionths, if that keeps every bit."""
    with np.errstate(invalid="ignore", over="ignore"):
        integers = np.rint(column * 1e6).astype("<i8")
    return integers if (integers / 1e6).tobytes() == column.tobytes() else column
