"""Data kept as our own files: `.npz` without pickles, written atomically, checked when read."""

import json
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankexp.errors import DataError, one_line
from rankexp.runner.data.dataset import Dataset, Feature, Table
from rankexp.runner.data.reading import Reading
from rankexp.runner.files import write_atomically

FORMAT = 1
Arrays = dict[str, NDArray[Any]]
Read = TypeVar("Read")


@lru_cache(maxsize=32)
def load_snapshot(path: str | Path) -> Dataset:
    """Return the data set of a snapshot, once a process; errors as of `read_dataset`."""
    return read_dataset(Path(path))


def write_dataset(dataset: Dataset, path: Path) -> None:
    """Write a data set; the file is there whole or not at all."""
    head = _head("dataset", dataset.name, dataset.features, dataset.provenance)
    head |= {"levels": dataset.levels, "content": dataset.fingerprint}
    arrays = {"X": dataset.X, "y": dataset.y}
    if dataset.groups is not None:
        arrays["groups"] = dataset.groups
    if dataset.group_names is not None:
        head["group_names"] = dataset.group_names
    if dataset.parts is not None:
        arrays["parts"], head["part_names"] = dataset.parts, dataset.part_names
    if dataset.reading is not None:
        head["reading"] = dataset.reading.as_dict()
    if dataset.weights is not None:
        arrays["weights"] = dataset.weights
    _write(head, arrays, path)


def read_dataset(path: Path) -> Dataset:
    """Read what `write_dataset` wrote and check it against its own hash.

    Raises
    ------
    DataError
        Where the file is missing, damaged or no snapshot of ours.
    """

    def made(head: dict[str, Any], arrays: Arrays) -> Dataset:
        return Dataset(
            head["name"],
            arrays["X"],
            arrays["y"],
            _features(head["features"]),
            None if head["levels"] is None else tuple(head["levels"]),
            arrays.get("groups"),
            head["provenance"],
            tuple(head["group_names"]) if "group_names" in head else None,
            arrays.get("weights"),
            Reading.from_dict(head["reading"]) if "reading" in head else None,
            arrays.get("parts"),
            tuple(head.get("part_names", ())),
        )

    return _read(path, "dataset", made, lambda found: found.fingerprint)


def table_hash(table: Table) -> str:
    """Return the SHA-256 of a table's content: values, names, kinds, categories."""
    return Dataset(table.name, table.values, np.empty(0), table.columns).fingerprint


def write_table(table: Table, path: Path) -> None:
    """Write a raw table; the file is there whole or not at all."""
    head = _head("table", table.name, table.columns, table.provenance)
    _write(head | {"content": table_hash(table)}, {"values": table.values}, path)


def read_table(path: Path) -> Table:
    """Read what `write_table` wrote and check it against its own hash; errors as above."""

    def made(head: dict[str, Any], arrays: Arrays) -> Table:
        columns = _features(head["features"])
        return Table(head["name"], columns, arrays["values"], head["provenance"])

    return _read(path, "table", made, table_hash)


def _head(kind: str, name: str, features: tuple[Feature, ...], provenance: Any) -> dict[str, Any]:
    described = [[f.name, f.kind, list(f.categories)] for f in features]
    head = {"format": FORMAT, "kind": kind, "name": name}
    return head | {"features": described, "provenance": dict(provenance)}


def _features(described: list[Any]) -> tuple[Feature, ...]:
    return tuple(Feature(name, kind, tuple(texts)) for name, kind, texts in described)


def _write(head: dict[str, Any], arrays: Arrays, path: Path) -> None:
    text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    write_atomically(path, partial(np.savez, head=text, **arrays), "RANKEXP_CACHE")  # type: ignore[arg-type]


def _read(
    path: Path,
    kind: str,
    make: Callable[[dict[str, Any], Arrays], Read],
    content: Callable[[Read], str],
) -> Read:
    """Return what a file holds; whatever goes wrong is an error that names the file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays.pop("head").tobytes())
        for array in arrays.values():
            array.setflags(write=False)  # a process shares them between its jobs
        if head.get("format") != FORMAT or head.get("kind") != kind:
            raise DataError(f"snapshot {path} is not a {kind} of format {FORMAT}")
        found = make(head, arrays)
        if content(found) != head["content"]:
            raise DataError(f"snapshot {path} is damaged: its content is not what was written")
    except DataError:
        raise
    except FileNotFoundError as error:
        raise DataError(f"snapshot {path} does not exist; run again to make it") from error
    except Exception as error:  # numpy, zipfile and what they call raise nearly anything
        reason = one_line(error)
        raise DataError(f"snapshot {path} cannot be read: {reason}; delete it") from error
    return found
