"""Data kept as our own files: `.npz` without pickles, written atomically, checked when read."""

import json
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankexp.errors import DataError, EnvironmentProblemError, one_line
from rankexp.runner.data.dataset import Dataset, DataTable, Feature
from rankexp.runner.data.reading import Reading, frozen
from rankexp.runner.files import write_atomically

FORMAT = 1
ARRAYS = ("X", "y", "groups", "weights", "parts", "times")  # of a data set, where it has them
Arrays = dict[str, NDArray[Any]]


@lru_cache(maxsize=32)
def load_snapshot(path: str | Path) -> Dataset:
    """Return the data set of a snapshot, once a process.

    EnvironmentProblemError where it cannot be trusted: no method that asks for it is to blame.
    """
    try:
        return read_dataset(Path(path))
    except DataError as error:
        raise EnvironmentProblemError(f"{error}; run again to make it anew") from error


def write_dataset(dataset: Dataset, path: Path) -> None:
    """Write a data set; the file is there whole or not at all."""
    arrays = {name: getattr(dataset, name) for name in ARRAYS}
    _write("dataset", dataset, {n: own for n, own in arrays.items() if own is not None}, path)


def read_dataset(path: Path) -> Dataset:
    """Read what `write_dataset` wrote and check it against its own hash; DataError if not so."""
    return _read("dataset", path)


def _as_dataset(table: DataTable) -> Dataset:
    where = table.provenance
    return Dataset(table.name, table.values, np.empty(0), table.columns, provenance=where)


def table_hash(table: DataTable) -> str:
    """Return the SHA-256 of a table's content: values, names, kinds, categories."""
    return _as_dataset(table).fingerprint


def write_table(table: DataTable, path: Path) -> None:
    """Write a raw table; the file is there whole or not at all."""
    _write("table", _as_dataset(table), {"values": table.values}, path)


def read_table(path: Path) -> DataTable:
    """Read what `write_table` wrote and check it against its own hash; errors as above."""
    found = _read("table", path)
    return DataTable(found.name, found.features, found.X, found.provenance)


def _write(kind: str, dataset: Dataset, arrays: Arrays, path: Path) -> None:
    head = {
        "format": FORMAT,
        "kind": kind,
        "name": dataset.name,
        "features": [(f.name, f.kind, f.categories) for f in dataset.features],
        "provenance": dict(dataset.provenance),
        "content": dataset.fingerprint,
        "levels": dataset.levels,
        "group_names": dataset.group_names,
        "part_names": dataset.part_names,
        "reading": None if dataset.reading is None else asdict(dataset.reading),
    }
    known = {name: value for name, value in head.items() if value is not None}
    text = np.frombuffer(json.dumps(known).encode(), dtype=np.uint8)
    write_atomically(path, partial(np.savez, head=text, **arrays), "RANKEXP_CACHE")  # type: ignore[arg-type]


def _read(kind: str, path: Path) -> Dataset:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        raw = json.loads(arrays.pop("head").tobytes())
        for array in arrays.values():
            array.setflags(write=False)  # a process shares them between its jobs
        if (raw.pop("format", None), raw.pop("kind", None)) != (FORMAT, kind):
            raise DataError(f"snapshot {path} is not a {kind} of format {FORMAT}")
        if kind == "table":
            arrays = {"X": arrays.pop("values"), "y": np.empty(0)}
        content, provenance = raw.pop("content"), raw.pop("provenance")
        features = tuple(Feature(*column) for column in frozen(raw.pop("features")))
        said = raw.pop("reading", None)
        reading = None if said is None else Reading.from_dict(said)
        known = {"features": features, "provenance": provenance, "reading": reading}
        found = Dataset(**frozen(raw), **known, **arrays)
        if found.fingerprint != content:
            raise DataError(f"snapshot {path} is damaged: its content has changed")
    except DataError:
        raise
    except FileNotFoundError as error:
        raise DataError(f"snapshot {path} does not exist") from error
    except Exception as error:  # numpy, zipfile and what they call raise nearly anything
        reason = one_line(error)
        raise DataError(f"snapshot {path} cannot be read: {reason}") from error
    return found
