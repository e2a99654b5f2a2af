"""Data kept as our own files: `.npz` without pickles, written atomically, checked when read."""

import json
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankexp.data.dataset import Dataset, Feature, Table
from rankexp.errors import DataError, one_line
from rankexp.files import write_atomically

FORMAT = 1
Read = TypeVar("Read")


def _naming_the_file(read: Callable[[Path], Read]) -> Callable[[Path], Read]:
    """Let whatever goes wrong while a file is read be an error that names the file."""

    @wraps(read)
    def named(path: Path) -> Read:
        try:
            return read(path)
        except DataError:
            raise
        except FileNotFoundError as error:
            raise DataError(f"snapshot {path} does not exist; run again to make it") from error
        except Exception as error:  # numpy, zipfile and what they call raise nearly anything
            reason = one_line(error)
            raise DataError(f"snapshot {path} cannot be read: {reason}; delete it") from error

    return named


@lru_cache(maxsize=32)
def load_snapshot(path: str | Path) -> Dataset:
    """Return the data set of a snapshot, once a process.

    Raises
    ------
    DataError
        Where the file is missing, damaged or no snapshot of ours.
    """
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
    if dataset.weights is not None:
        arrays["weights"] = dataset.weights
    _write(head, arrays, path)


@_naming_the_file
def read_dataset(path: Path) -> Dataset:
    """Read what `write_dataset` wrote and check it against its own hash."""
    head, arrays = _read(path, "dataset")
    levels = None if head["levels"] is None else tuple(head["levels"])
    features = _features(head["features"])
    found = Dataset(
        head["name"],
        arrays["X"],
        arrays["y"],
        features,
        levels,
        arrays.get("groups"),
        head["provenance"],
        tuple(head["group_names"]) if "group_names" in head else None,
        arrays.get("weights"),
    )
    if found.fingerprint != head["content"]:
        raise DataError(f"snapshot {path} is damaged: its content is not what was written")
    return found


def table_hash(table: Table) -> str:
    """Return the SHA-256 of a table's content: values, names, kinds, categories."""
    return Dataset(table.name, table.values, np.empty(0), table.columns).fingerprint


def write_table(table: Table, path: Path) -> None:
    """Write a raw table; the file is there whole or not at all."""
    head = _head("table", table.name, table.columns, table.provenance)
    head["content"] = table_hash(table)
    _write(head, {"values": table.values}, path)


@_naming_the_file
def read_table(path: Path) -> Table:
    """Read what `write_table` wrote and check it against its own hash."""
    head, arrays = _read(path, "table")
    found = Table(head["name"], _features(head["features"]), arrays["values"], head["provenance"])
    if table_hash(found) != head["content"]:
        raise DataError(f"snapshot {path} is damaged: its content is not what was written")
    return found


def _head(kind: str, name: str, features: tuple[Feature, ...], provenance: Any) -> dict[str, Any]:
    described = [[f.name, f.kind, list(f.categories)] for f in features]
    return {
        "format": FORMAT,
        "kind": kind,
        "name": name,
        "features": described,
        "provenance": dict(provenance),
    }


def _features(described: list[Any]) -> tuple[Feature, ...]:
    return tuple(Feature(name, kind, tuple(texts)) for name, kind, texts in described)


def _write(head: dict[str, Any], arrays: dict[str, NDArray[Any]], path: Path) -> None:
    text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)

    def write(file: BinaryIO) -> None:
        np.savez(file, head=text, **arrays)  # type: ignore[arg-type]

    write_atomically(path, write, "RANKEXP_CACHE")


def _read(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    head = json.loads(arrays.pop("head").tobytes())
    for array in arrays.values():
        array.setflags(write=False)  # a process shares them between its jobs
    if head.get("format") != FORMAT or head.get("kind") != kind:
        raise DataError(f"snapshot {path} is not a {kind} of format {FORMAT}")
    return head, arrays
