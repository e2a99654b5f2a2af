"""Find a data set, compare it with what its entry declares, keep a snapshot for the workers."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from rankexp import registry
from rankexp.errors import DataError, EnvironmentProblemError
from rankexp.runner.config.asking import manner, message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data import memory, origins
from rankexp.runner.data.build import build, differences, first_difference
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.origins import Origin, cache_folder
from rankexp.runner.data.snapshot import load_snapshot, read_dataset, write_dataset
from rankexp.runner.files import write_atomically
from rankexp.runner.plan import DataFacts

__all__ = ["FoundData", "add", "cache_folder", "find", "listing", "load_snapshot", "verify"]

READING = 6  # raised when files come to be read otherwise, so that snapshots are made anew

ASIDE = {"label", "source", "verified", "fingerprint", "optional", "note", "origin"}
"""What of an entry does not determine the data set made of a table."""


Declared = Mapping[str, tuple[DataEntry, Sequence[Path]]]  # entries, and folders to look in
_temporary = cache(partial(TemporaryDirectory[str], prefix="rankexp-"))  # goes with this process


@dataclass(frozen=True)
class FoundData:
    """A data set, what planning needs of it, and where it was found, in words."""

    dataset: Dataset
    facts: DataFacts
    where: str


def find(
    name: str,
    entry: DataEntry,
    folders: Sequence[Path],
    cache: Path | None = None,
    *,
    online: bool = True,
) -> FoundData:
    """Return a data set as its entry declares it and leave a snapshot of it for the workers.

    Looked for in `folders`, then in what was added by hand, then in what rankexp or scikit-learn
    brings, then in what was fetched before, then, where `online`, on OpenML. The first that is
    there counts: one that is broken or has another fingerprint is a DataError, as is none.
    """
    cache = cache or cache_folder()
    return _keep(name, entry, _origin(name, entry, folders, cache, online=online), cache)


def _origin(
    name: str, entry: DataEntry, folders: Sequence[Path], cache: Path, *, online: bool
) -> Origin:
    reasons: list[str] = []
    origin = origins.local(name, entry, folders, cache, reasons)
    if origin is None and online:
        origin = origins.remote(entry, cache, reasons)
    if origin is None:
        raise origins.not_found(name, entry, folders, cache, reasons)
    return origin


def add(name: str, entry: DataEntry, file: Path, cache: Path | None = None) -> FoundData:
    """Check the user's copy of a declared data set and keep it in the cache if it is right."""
    cache = cache or cache_folder()
    if not file.is_file():
        raise DataError(f"{file}: no such file")
    if entry.files:
        raise DataError(message("data.files", name=name, files=list(entry.files)))
    _built(name, entry, origins.from_file(file, entry))
    kept = origins.added_folder(name, cache) / file.name
    if kept.resolve() != file.resolve():
        with file.open("rb") as original:
            copy = partial(shutil.copyfileobj, original)
            write_atomically(kept, copy, "RANKEXP_CACHE", lasting=True)
    for other in origins.added(name, cache):
        if other != kept:
            other.unlink()
    return _keep(name, entry, origins.from_file(kept, entry), cache)


def verify(name: str, entry: DataEntry, folders: Sequence[Path], cache: Path | None = None) -> str:
    """Read a data set that is here again, whatever its snapshot holds; return what was found."""
    origin = _origin(name, entry, folders, cache or cache_folder(), online=False)
    dataset = _built(name, entry, origin)
    classes = None if dataset.levels is None else np.bincount(dataset.y).tolist()
    known = {"shape": dataset.X.shape, "classes": classes, "missing": np.isnan(dataset.X).sum()}
    return message("data.verified", where=origin.where, declared=entry.fingerprint, **known)


def listing(declared: Declared, cache: Path | None = None) -> list[str]:
    """Return a line a data set: where it is in its folders, or how to get it; asks no network."""
    cache = cache or cache_folder()
    width = max((len(name) for name in declared), default=0)
    return [
        f"{name:<{width}}  {origins.whereabouts(name, entry, folders, cache)}"
        for name, (entry, folders) in declared.items()
    ]


def _keep(name: str, entry: DataEntry, origin: Origin, cache: Path) -> FoundData:
    """Build the data set, or load it where it was built before, and check it as declared."""
    declared = entry.model_dump(mode="json", exclude=ASIDE)
    said = [READING, *filter(None, [manner()])]  # a reading has messages
    key = json.dumps([said, name, origin.identity, declared], sort_keys=True)
    path = cache / "snapshots" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
    try:
        dataset = read_dataset(path)
    except DataError:  # none, or none that can be trusted
        dataset = _built(name, entry, origin)
        try:
            write_dataset(dataset, path)
        except EnvironmentProblemError:  # nobody asked for the user's own cache
            if "RANKEXP_CACHE" in os.environ:
                raise
            path = Path(_temporary().name, path.name)
            write_dataset(dataset, path)
    else:
        _check(dataset, entry, origin)
    needed = memory.WORKER * dataset.X.nbytes + memory.BASE
    memory.check(needed, len(dataset.y), f"a worker with the data set '{name}'")
    facts = DataFacts(len(dataset.y), dataset.fingerprint, str(path))
    return FoundData(dataset, facts, origin.where)


def _built(name: str, entry: DataEntry, origin: Origin) -> Dataset:
    table = origin.table()
    try:
        dataset = build(name, table, entry, {"sha256": origin.identity})
    except DataError as error:
        raise DataError(f"data set '{name}' ({origin.where}): {error}") from error
    _check(dataset, entry, origin)
    return dataset


def _check(dataset: Dataset, entry: DataEntry, origin: Origin) -> None:
    if wrong := differences(dataset, entry):
        wrong += _beside_shipped(dataset, entry) if "shipped" in entry.sources else []
        raise DataError(message("data.differs", name=dataset.name, origin=origin, wrong=wrong))


def _beside_shipped(dataset: Dataset, entry: DataEntry) -> list[str]:
    """Return where a data set is not as the one that rankexp ships, if that can be told."""
    try:
        table = registry.get("data.sources", "shipped")(entry.sources["shipped"], entry, ())
        where = first_difference(dataset, build(dataset.name, table, entry))
    except DataError:  # the entry is not for the one that is shipped
        return []
    return [f"compared with the copy that rankexp ships, {where}"] if where else []
