"""Folders of results of one study joined, as those of its shards, or one of them verified.

Everything is read, and compared, before anything is written. Records then go into one sealed file,
which is there whole or not at all, after scores that are kept and before the manifest. So a
merge that is killed loses nothing, and the same command again does what is left.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rankexp.errors import ConfigError, one_line
from rankexp.runner.config.asking import message
from rankexp.runner.config.outside import kept, lacking
from rankexp.runner.config.schema import Study
from rankexp.runner.data.reading import Json
from rankexp.runner.files import write_atomically
from rankexp.runner.plan import PlanCell, cells
from rankexp.runner.run import scored
from rankexp.runner.run.lock import advisory_lock
from rankexp.runner.run.manifest import NOTHING, RunTold, facts_of, read_told
from rankexp.runner.run.progress import how_many
from rankexp.runner.run.record import Record
from rankexp.runner.run.sealed import same
from rankexp.runner.run.store import Store

FIXED = ("rankexp", "protocol", "seed", "study", "data", "outside", "published", "claims")
"""What the manifests of one study's folders share."""
MACHINES = ("commit", "platform", "cpu")  # what the joined one lists
VERSIONS = ("python", "packages")


@dataclass(frozen=True)
class _Opened:
    """A folder of results, all of it read."""

    folder: Path
    told: RunTold
    manifest: Mapping[str, Any]
    store: Store
    records: Mapping[str, Record]
    scores: Mapping[str, Path]


def verified(folder: Path) -> str:
    """Return what a folder of results holds; ConfigError names the first thing that is wrong."""
    own = _opened(folder)
    keys = {cell.key for cell in _planned(own, own.manifest)}
    known = {"own": own, "count": how_many, "useless": len(own.records.keys() - keys)}
    versions = {own.records[key].version for key in keys & own.records.keys()}
    other = sorted(versions - {own.manifest.get(FIXED[0])})
    said = message("shards.verified", needed=len(keys), other=other, **known)
    return "\n  ".join([said, *own.store.problems])


def merged(into: Path, sources: Sequence[Path]) -> str:
    """Join folders of one study in a folder, which may be one of them, made before; say what came.

    ConfigError, before anything is written, where a folder or file is damaged, two folders are of
    different runs, or two finished records of one cell differ in more than their times.
    """
    _distinct([into, *sources])
    theirs = [_opened(folder) for folder in sources]
    base = _opened(into, new=True)
    run = [own for own in (base, *theirs) if own.manifest]
    notes = [text for own in run[1:] for text in _compared(run[0], own)]
    notes += [text for own in (base, *theirs) for text in own.store.problems]
    whole = _manifest(run)
    planned = {cell.key: cell for cell in _planned(run[0], whole)}
    taken = _taken(planned, [base, *theirs])
    new = {key: own.records[key] for key, own in taken.items() if own is not base}
    scores = _scores([base, *theirs])
    with advisory_lock(into) as other:
        if other is None:
            base.store.tidy(killed=not base.told.complete)
        for key, file in scores.items():
            if key not in base.scores:
                there = scored.path_of(into, key)
                write_atomically(there, file.read_bytes(), lasting=True)
        base.store.take(new)
        used = base.told.used
        for own in theirs:
            if {*own.told.shards} - {*base.told.shards} or any(o is own for o in taken.values()):
                used += own.told.used
        content = json.dumps({**whole, "used": asdict(used)}, indent=1, ensure_ascii=False) + "\n"
        write_atomically(into / "manifest.json", content.encode(), lasting=True)
    useless = sum(len(own.records.keys() - planned.keys()) for own in theirs)
    known = {"folder": into, "new": len(new), "done": len(taken), "needed": len(planned)}
    said = message("shards.merged", useless=useless, count=how_many, **known)
    return "\n  ".join(filter(None, [said, other, *dict.fromkeys(notes)]))


def _distinct(folders: Sequence[Path]) -> None:
    seen: dict[Path, Path] = {}
    for folder in folders:
        real = folder.resolve()
        if real in seen:
            known = {"other": seen[real], "into": seen[real] == folders[0]}
            raise ConfigError(message("shards.twice", folder=folder, **known))
        seen[real] = folder


def _opened(folder: Path, *, new: bool = False) -> _Opened:
    """Read a folder and check all of it; a `new` one may be missing or without a manifest."""
    told, manifest = read_told(folder) if folder.is_dir() else (NOTHING, {})
    store = Store(folder)
    shown = folder.is_dir() and [f for f in folder.iterdir() if f.name[0] != "."]
    empty = not folder.exists() or shown == []
    if not manifest and not (
        new and (empty or any(map(Path.is_dir, (store.folder, folder / scored.FOLDER))))
    ):
        known = {"there": folder.exists(), "empty": empty, "new": new}
        raise ConfigError(message("shards.no_folder", folder=folder, **known))
    records = store.read()
    for file, why in store.untrusted.items():
        raise ConfigError(message("shards.damaged", file=file, why=why))
    scores = {file.stem: file for file in sorted((folder / scored.FOLDER).glob("??/*.npz"))}
    for file in scores.values():
        try:
            scored.read(file)
        except Exception as error:  # numpy, zipfile and what they call raise nearly anything
            raise ConfigError(message("shards.damaged", file=file, why=one_line(error))) from error
    return _Opened(folder, told, manifest, store, records, scores)


def _planned(own: _Opened, manifest: Mapping[str, Json]) -> list[PlanCell]:
    """Return what a folder's study needs, with the data of a manifest."""
    try:
        study = Study.model_validate(own.told.study)
    except ValidationError as error:
        file = own.folder / "manifest.json"
        why = "; ".join(lacking(kept(manifest))) or str(error)
        raise ConfigError(message("report.other_format", file=file, why=why)) from error
    return list(cells(study, facts_of(manifest), (), kept(manifest), own.told.protocol))


def _compared(first: _Opened, other: _Opened) -> Iterator[str]:
    """Say in what versions two folders differ; ConfigError where they are not of one run."""
    told = list[str]()
    for name in FIXED:
        one, two = first.manifest.get(name), other.manifest.get(name)
        if name == "data":
            one, two = (
                {k: own.fingerprint for k, own in o.told.data.items()} for o in (first, other)
            )
            both = one.keys() & two.keys()
            one, two = ({k: known[k] for k in both} for known in (one, two))
        if one != two:
            told.append(message("shards.differ", name=name, one=one, two=two))
    if told:
        folders = {"folder": other.folder, "first": first.folder}
        raise ConfigError(message("shards.other", told=told, **folders))
    for name in VERSIONS:
        one, two = first.manifest.get(name), other.manifest.get(name)
        if one != two:
            text = message("shards.differ", name=name, one=one, two=two)
            yield message("shards.versions", folder=other.folder, first=first.folder, text=text)


def _taken(planned: Mapping[str, PlanCell], folders: Sequence[_Opened]) -> dict[str, _Opened]:
    """Return whose record of each cell counts: the first finished one, else the first."""
    taken: dict[str, _Opened] = {}
    for own in folders:
        for key in own.records.keys() & planned.keys():
            first = taken.setdefault(key, own)
            one, other = first.records[key], own.records[key]
            if other.status == "ok" != one.status:
                taken[key] = own
            elif other.status == one.status == "ok" and not _alike(one, other):
                known = {"folder": own.folder, "first": first.folder, "cell": planned[key]}
                raise ConfigError(message("shards.unlike", **known))
    return {key: taken[key] for key in planned if key in taken}


def _alike(one: Record, other: Record) -> bool:
    return one is other or same(replace(one, times={}), replace(other, times={}))


def _scores(folders: Iterable[_Opened]) -> dict[str, Path]:
    """Return the file of each cell's scores; ConfigError where two are of other scores."""
    found: dict[str, Path] = {}
    for own in folders:
        for key, file in own.scores.items():
            if found.setdefault(key, file) != file:
                one, two = (scored.read(each)[1] for each in (found[key], file))
                if one.keys() != two.keys() or any(
                    values.tobytes() != two[name].tobytes() for name, values in one.items()
                ):
                    raise ConfigError(message("shards.other_scores", file=file, first=found[key]))
    return found


def _manifest(run: Sequence[_Opened]) -> dict[str, Json]:
    """Return what the manifests say together, but for the time used."""
    made = dict(run[0].manifest)
    data, lost = dict[str, Any](), dict[str, str]()
    for own in reversed(run):
        lost |= own.told.missing_data
        data |= {k: v.model_dump(exclude_unset=True) for k, v in own.told.data.items()}
    made |= {"data": {name: data[name] for name in sorted(data)}}
    made |= {"missing_data": {name: why for name, why in lost.items() if name not in data}}
    only = [own.told.only for own in run]
    made |= {"only": sorted({*chain(*only)}) if all(only) else [], "complete": True}
    hosts = dict(reduce(or_, (Counter(own.told.hosts) for own in run)))
    made |= {"hosts": hosts} if hosts else {}
    for name in MACHINES:
        texts = [part for own in run for part in str(own.manifest.get(name)).split("; ")]
        made[name] = "; ".join(dict.fromkeys(texts))
    shards = sorted({shard for own in run for shard in own.told.shards})
    return made | ({"shards": shards} if shards else {})
