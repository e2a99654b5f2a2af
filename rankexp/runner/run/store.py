"""Records as files, one a job: written atomically, verified when read.

A file is named by its job and its generation, ``<job key>.json`` and ``<job key>-2.json``, and
holds that job's cells for ever. A cell that is made again goes into a file of a generation above
those of all files known to hold it, and of two records of a cell the higher generation counts.
A file goes when each of its cells is in a file of a higher generation: then nothing that
another run writes under the same name meanwhile could count, so no run can take away what
counts, whatever it knows of the others. Nothing depends on a clock or on a lock.

`Store.seal` puts records that count into one file more, ``sealed-<checksum>.xz``, which is never
changed again. Of two records of a cell in one generation the sealed one counts, whoever writes
the other. A file of a job goes when all it holds is sealed, read back, and alike in every bit.
"""

import contextlib
import hashlib
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, get_args

from rankexp import __version__
from rankexp.errors import EnvironmentProblemError
from rankexp.runner.config.asking import message
from rankexp.runner.files import bring_to_disk, write_atomically
from rankexp.runner.run.record import Record, Status
from rankexp.runner.run.sealed import NAME, Sealed, name_of, open_sealed, same, seal
from rankexp.runner.spec import canonical, digest

FORMAT = 1
_PLACES = {int, str, type(None)}  # what the step and the group of a row may be
_OURS = re.compile(r"[0-9a-f]{64}(-[0-9]+)?\.json")


def pack(job_key: str, records: Sequence[Record]) -> bytes:
    """Return the content of a job's file: ``format``, version, checksum and the payload.

    The checksum is the SHA-256 of the payload's canonical JSON. Workers call this, so that all
    that is left for the parent is to write bytes.
    """
    payload = canonical({"job": job_key, "records": [record.to_json() for record in records]})
    checksum, now = hashlib.sha256(payload.encode()).hexdigest(), time.time_ns()
    head = canonical(
        {"format": FORMAT, "rankexp": __version__, "written": now, "checksum": checksum}
    )
    return f'{head[:-1]},"payload":{payload}}}\n'.encode()


def unpack(content: bytes) -> tuple[str, int, list[Record]]:
    """Return job key, generation and records of a file's content; ValueError says what it is."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError("is truncated or not JSON") from error
    match data:
        case {"format": found, "payload": payload}:
            if found != FORMAT:
                raise ValueError(f"has format {str(found)[:20]}, not {FORMAT}")
        case _:
            raise ValueError("is not a file of records")
    try:
        checksum = digest(payload)
    except (ValueError, RecursionError) as error:
        raise ValueError("was altered: it holds NaN or Infinity, or lists too deep") from error
    if checksum != data.get("checksum"):
        raise ValueError("was altered: its checksum differs")
    try:
        job, records = (payload[name] for name in ("job", "records"))
        made = [_checked(Record.from_json(**record)) for record in records]
        return str(job), int(data.get("generation", 0)), made
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError("holds records of another shape") from error


@cache
def _age(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def _checked(record: Record) -> Record:
    """Return a record whose fields are of their types and whose rows belong to its grid."""
    texts = [record.key, record.version, *record.texts, *record.texts.values(), *record.warnings]
    places = {row[1:4] for row in record.rows}  # few, while rows are most of a store
    good = (
        all(isinstance(text, str) for text in texts)
        and record.status in get_args(Status)
        and isinstance(record.reason, str | None)
        and all(isinstance(seconds, int | float) for seconds in record.times.values())
        and all(
            type(point) is int
            and 0 <= point < len(record.grid)
            and {type(step), type(group)} <= _PLACES
            for point, step, group in places
        )
        and all(
            curve.keys() == {"x", "y"} and len({*map(len, curve.values())}) == 1
            for curve in record.curves.values()
        )
    )
    if not good:
        raise ValueError("a field is of another type")
    return record


class Store:
    """The records of a study, in ``<folder>/records/<2 hex>/<job key>.json``, or sealed.

    Nothing is made before the first write. `problems` has one line for each file that the last
    `read` could not trust; its cells are missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder) / "records"
        self._forget()

    def _forget(self) -> None:
        self.problems: list[str] = []
        self.untrusted: dict[Path, str] = {}  # why not
        self._held: dict[Path, tuple[int, frozenset[str]]] = {}
        self._newest: defaultdict[str, int] = defaultdict(lambda: -1)
        self._holders: defaultdict[str, set[Path]] = defaultdict(set)
        self.sealed: set[str] = set()  # keys of records that are sealed

    def read(self) -> dict[str, Record]:
        """Return every trustworthy record by its key.

        Where two files hold the same cell, the higher generation goes first; of the same one, as
        two runs at once may leave them, a sealed one, an ok record, then the newer package.
        ConfigError where a sealed file is damaged.
        """
        self._forget()
        found: dict[str, tuple[tuple[Any, ...], Record]] = {}
        for file in self._files():
            try:
                generation, records = self._unpacked(file, file)
            except FileNotFoundError:
                continue  # superseded by another run since it was listed
            except (ValueError, OSError) as error:
                what = str(error.strerror if isinstance(error, OSError) else error)
                self.problems.append(f"{file}: {what}; its records are computed again")
                self.untrusted[file] = what
                continue
            self._note(file, generation, [record.key for record in records])
            for record in records:
                age = _age(record.version)
                rank = (generation, False, record.status == "ok", age, file.stem)
                if record.key not in found or rank > found[record.key][0]:
                    found[record.key] = (rank, record)
        unlike, sealed = set(), dict[int, tuple[int, bool]]()  # ranks by generation, each once
        for generation, record in self._sealed():  # last: another process may seal meanwhile
            rank, other = found.get(record.key, ((-1,), record))
            if rank[:2] == (generation, False) and not same(record, other):
                unlike.add(self.folder / rank[-1][:2] / f"{rank[-1]}.json")
            if rank[:2] < (own := sealed.setdefault(generation, (generation, True))):
                found[record.key] = own, record
                self._newest[record.key] = generation
        self.problems += [message("run.unlike", file=file) for file in sorted(unlike)]
        self.sealed = {key for key, (rank, _) in found.items() if rank[1]}
        return {key: found.pop(key)[1] for key in [*found]}  # of many none is kept twice

    def _sealed(self) -> Iterator[Sealed]:
        for file in sorted(self.folder.glob("*")):
            if re.fullmatch(NAME, file.name):
                yield from open_sealed(file)

    def seal(self, records: Mapping[str, Record]) -> Path | None:
        """Put those that the last `read` gave and that are not sealed into one file, if any.

        Files that hold nothing else go, those among them that a killed process left behind. A
        kill at any moment loses nothing.
        """
        file, new = None, [k for k in records if k in self._newest and k not in self.sealed]
        if new:
            content = seal([(self._newest[key], records[key]) for key in new])
            file = self.folder / name_of(content)
            write_atomically(file, content, lasting=True)
        bring_to_disk(self.folder)
        sealed = sorted(self._sealed(), key=itemgetter(0))
        known = {record.key: (generation, record) for generation, record in sealed}
        for single in sorted(self._held):
            with contextlib.suppress(KeyError, OSError, ValueError):
                generation, held = self._unpacked(single, single)
                kept = ((record, *known[record.key]) for record in held)
                if all(g > generation or (g == generation and same(r, s)) for r, g, s in kept):
                    single.unlink()
        self.sealed.update(new)
        return file

    def take(self, records: Mapping[str, Record]) -> None:
        """Put records of another store into one sealed file; they count from then on."""
        if records:
            content = seal([(1 + self._newest[key], own) for key, own in records.items()])
            write_atomically(self.folder / name_of(content), content, lasting=True)

    def _unpacked(self, there: Path, file: Path) -> tuple[int, list[Record]]:
        """Return generation and records of what a file holds that is, or was, called `file`."""
        job_key, generation, records = unpack(there.read_bytes())
        if file != self.path(job_key, generation):
            raise ValueError("belongs to another job")
        return generation, records

    def _files(self) -> Iterator[Path]:
        """Yield the files in order; hidden ones are leftovers of a killed write, or a system's."""
        try:
            for folder in sorted(self.folder.iterdir()):
                for file in sorted(folder.iterdir()) if folder.is_dir() else [folder]:
                    if _OURS.fullmatch(file.name):
                        yield file
                    elif not file.name.startswith(".") and not re.fullmatch(NAME, file.name):
                        self.problems.append(f"{file}: not a file of records; it is left alone")
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            why = f"cannot read '{error.filename}': {error.strerror}"
            advice = "make it readable or choose another folder with --results"
            raise EnvironmentProblemError(f"{why}; {advice}") from error

    def _note(self, file: Path, generation: int, keys: Iterable[str]) -> None:
        self._held[file] = generation, frozenset(keys)
        for key in self._held[file][1]:
            self._holders[key].add(file)
            self._newest[key] = max(self._newest[key], generation)

    def path(self, job_key: str, generation: int = 0) -> Path:
        """Return the file of a job."""
        name = f"{job_key}-{generation}.json" if generation else f"{job_key}.json"
        return self.folder / job_key[:2] / name

    def write(self, job_key: str, records: Sequence[Record]) -> None:
        """Write a job's records at once: after a crash the file is whole or not there."""
        self.write_packed(job_key, [record.key for record in records], pack(job_key, records))

    def write_packed(self, job_key: str, keys: Sequence[str], content: bytes) -> None:
        """Write what `pack` made of a job's records, for good; files that hold nothing else go."""
        generation = 1 + max((self._newest[key] for key in keys), default=-1)
        while (file := self.path(job_key, generation)).is_dir():
            generation += 1
        if generation:
            content = b'{"generation":%d,' % generation + content.removeprefix(b"{")
        write_atomically(file, content, lasting=True)
        self.untrusted.pop(file, None)
        self._note(file, generation, keys)
        self._remove_superseded({other for key in keys for other in self._holders[key]})

    def _remove_superseded(self, files: Iterable[Path]) -> None:
        """Remove those of some files whose every cell is in a file of a higher generation."""
        known = [(file, *self._held[file]) for file in sorted(files)]
        gone = [(f, keys) for f, g, keys in known if all(self._newest[key] > g for key in keys)]
        if gone:  # another run may have made what counts, and not brought it to disk
            kept = {f.parent for _, keys in gone for key in keys for f in self._holders[key]}
            for folder in sorted({self.folder, *kept}):
                bring_to_disk(folder)
        for file, keys in gone:
            with contextlib.suppress(OSError):
                file.unlink()
            del self._held[file]
            for key in keys:
                self._holders[key].discard(file)

    def tidy(self, *, killed: bool = False) -> None:
        """Remove what killed writes left behind; not while another run is writing.

        What was read is brought to disk if the run that wrote it may have been `killed`.
        """
        for folder in {file.parent for file in self._held} if killed else ():
            bring_to_disk(folder)
        self._remove_superseded(list(self._held))
        for left in (".*.tmp", "scores/*/.*.tmp", "records/.*.tmp", "records/*/*.tmp"):
            with contextlib.suppress(OSError):
                for file in self.folder.parent.glob(left):
                    file.unlink(missing_ok=True)

    def lost(self) -> Set[str]:
        """Return the keys of records that were read or written here and that nobody has now."""
        if all(file.exists() for file in self._held):
            return set()
        return self._newest.keys() - Store(self.folder.parent).read().keys()

    def discard_untrusted(self) -> None:
        """Remove the files that could not be trusted, now that their records are made again.

        Each is first moved aside and read again: another run may have written it meanwhile.
        """
        for file in self.untrusted:
            aside = file.with_name(f".{file.name}.tmp")
            with contextlib.suppress(OSError):
                file.rename(aside)
                try:
                    self._unpacked(aside, file)
                except (ValueError, OSError):
                    aside.rmdir() if aside.is_dir() else aside.unlink()
                else:
                    aside.replace(file)
        self.untrusted.clear()
