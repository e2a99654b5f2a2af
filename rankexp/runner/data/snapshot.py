"""Data kept as our own files: `.npz` without pickles, written atomically, checked when read."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankexp.errors import DataError, one_line
from rankexp.runner.data.dataset import Dataset, DataTable, Feature, Provenance
from rankexp.runner.data.reading import Reading, frozen
from rankexp.runner.files import write_atomically

FORMAT = 1
Arrays = dict[str, NDArray[Any]]
Read = TypeVar("Read")


@lru_cache(maxsize=32)
def load_snapshot(path: str | Path) -> Dataset:
    """Return the data set of a snapshot, once a process; errors as of `read_dataset`."""
    return read_dataset(Path(path))


@dataclass(frozen=True, kw_only=True)
class SnapshotHead:
    """What a snapshot holds beside arrays, written as JSON; None is left out."""

    kind: str
    name: str
    features: tuple[tuple[str, Literal["numeric", "nominal"], tuple[str, ...]], ...]
    provenance: Provenance
    content: str
    """SHA-256."""
    format: int = FORMAT
    levels: tuple[str, ...] | None = None
    group_names: tuple[str, ...] | None = None
    part_names: tuple[str, ...] = ()
    reading: Reading | None = None

    def columns(self) -> tuple[Feature, ...]:
        """Return the features."""
        return tuple(Feature(*described) for described in self.features)


def write_dataset(dataset: Dataset, path: Path) -> None:
    """Write a data set; the file is there whole or not at all."""
    head = SnapshotHead(
        kind="dataset",
        name=dataset.name,
        features=_described(dataset.features),
        provenance=dict(dataset.provenance),
        content=dataset.fingerprint,
        levels=dataset.levels,
        group_names=dataset.group_names,
        part_names=dataset.part_names,
        reading=dataset.reading,
    )
    optional = {"groups": dataset.groups, "weights": dataset.weights, "parts": dataset.parts}
    arrays = {"X": dataset.X, "y": dataset.y} | {
        name: array for name, array in optional.items() if array is not None
    }
    _write(head, arrays, path)


def read_dataset(path: Path) -> Dataset:
    """Read what `write_dataset` wrote and check it against its own hash; DataError if not so."""

    def made(head: SnapshotHead, arrays: Arrays) -> Dataset:
        return Dataset(
            name=head.name,
            features=head.columns(),
            levels=head.levels,
            provenance=head.provenance,
            group_names=head.group_names,
            reading=head.reading,
            part_names=head.part_names,
            **arrays,
        )

    return _read(path, "dataset", made, lambda found: found.fingerprint)


def table_hash(table: DataTable) -> str:
    """Return the SHA-256 of a table's content: values, names, kinds, categories."""
    return Dataset(table.name, table.values, np.empty(0), table.columns).fingerprint


def write_table(table: DataTable, path: Path) -> None:
    """Write a raw table; the file is there whole or not at all."""
    head = SnapshotHead(
        kind="table",
        name=table.name,
        features=_described(table.columns),
        provenance=dict(table.provenance),
        content=table_hash(table),
    )
    _write(head, {"values": table.values}, path)


def read_table(path: Path) -> DataTable:
    """Read what `write_table` wrote and check it against its own hash; errors as above."""

    def made(head: SnapshotHead, arrays: Arrays) -> DataTable:
        (values,) = arrays.values()
        return DataTable(head.name, head.columns(), values, head.provenance)

    return _read(path, "table", made, table_hash)


def _described(
    features: tuple[Feature, ...],
) -> tuple[tuple[str, Literal["numeric", "nominal"], tuple[str, ...]], ...]:
    return tuple((feature.name, feature.kind, feature.categories) for feature in features)


def _write(head: SnapshotHead, arrays: Arrays, path: Path) -> None:
    known = {name: value for name, value in asdict(head).items() if value is not None}
    text = np.frombuffer(json.dumps(known).encode(), dtype=np.uint8)
    write_atomically(path, partial(np.savez, head=text, **arrays), "RANKEXP_CACHE")  # type: ignore[arg-type]


def _read(
    path: Path,
    kind: str,
    make: Callable[[SnapshotHead, Arrays], Read],
    content: Callable[[Read], str],
) -> Read:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        raw = json.loads(arrays.pop("head").tobytes())
        for array in arrays.values():
            array.setflags(write=False)  # a process shares them between its jobs
        if (raw.get("format"), raw.get("kind")) != (FORMAT, kind):
            raise DataError(f"snapshot {path} is not a {kind} of format {FORMAT}")
        provenance, said = raw.pop("provenance"), raw.pop("reading", None)
        reading = None if said is None else Reading.from_dict(said)
        head = SnapshotHead(**frozen(raw), provenance=provenance, reading=reading)
        found = make(head, arrays)
        if content(found) != head.content:
            raise DataError(f"snapshot {path} is damaged: its content has changed")
    except DataError:
        raise
    except FileNotFoundError as error:
        raise DataError(f"snapshot {path} does not exist; run again to create it") from error
    except Exception as error:  # numpy, zipfile and what they call raise nearly anything
        reason = one_line(error)
        raise DataError(f"snapshot {path} cannot be read: {reason}; delete it") from error
    return found
