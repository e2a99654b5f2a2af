"""Records as files, one a job: written atomically, verified when read."""

import contextlib
import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rankexp import __version__
from rankexp.errors import EnvironmentProblemError
from rankexp.plan import canonical
from rankexp.run.record import Record

FORMAT = 1
_OURS = re.compile(r"[0-9a-f]{64}\.json")


def pack(job_key: str, records: Sequence[Record]) -> bytes:
    """Return the content of a job's file: ``format``, version, checksum and the payload.

    The checksum is the SHA-256 of the payload's canonical JSON. Workers call this, so that all
    that is left for the parent is to write bytes.
    """
    payload = canonical({"job": job_key, "records": [record.to_json() for record in records]})
    head = canonical(
        {
            "format": FORMAT,
            "rankexp": __version__,
            "written": time.time_ns(),
            "checksum": hashlib.sha256(payload.encode()).hexdigest(),
        }
    )
    return f'{head[:-1]},"payload":{payload}}}\n'.encode()


def unpack(content: bytes) -> tuple[str, int, list[Record]]:
    """Return job key, time of writing (ns) and records of a file's content.

    Raises
    ------
    ValueError
        Where the content is not a job's file, or not as it was written; says which.
    """
    try:
        data = json.loads(content)
    except ValueError as error:
        raise ValueError("is truncated or not JSON") from error
    if not isinstance(data, dict) or "format" not in data or "payload" not in data:
        raise ValueError("is not a file of records")
    if data["format"] != FORMAT:
        raise ValueError(f"has format {data['format']}, not {FORMAT}")
    payload = data["payload"]
    try:
        checksum = hashlib.sha256(canonical(payload).encode()).hexdigest()
    except ValueError as error:
        raise ValueError("was altered: it holds NaN or Infinity") from error
    if checksum != data.get("checksum"):
        raise ValueError("was altered: its checksum differs")
    try:
        records = [Record.from_json(record) for record in payload["records"]]
        return payload["job"], int(data["written"]), records
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("holds records of another shape") from error


def _age(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


class Store:
    """The records of a study, in ``<folder>/records/<2 hex>/<job key>.json``.

    Parameters
    ----------
    folder : Path
        ``results/<study>``; nothing is made before the first write.

    Attributes
    ----------
    problems : list of str
        One line for each file that the last `read` could not trust; its cells are missing.
    untrusted : list of Path
        The files that these lines are about, where their names are those of our own.
    stale : dict of str to int
        Other package versions among the records last read, with how many records each has.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder) / "records"
        self.problems: list[str] = []
        self.untrusted: list[Path] = []
        self.stale: dict[str, int] = {}
        self._holders: dict[str, set[Path]] = {}
        self._keys: dict[Path, set[str]] = {}

    def read(self) -> dict[str, Record]:
        """Return every trustworthy record by its key.

        Where two files hold the same cell, an ok record goes before one that isn't, then the
        newer package, then the one written later.
        """
        self.problems, self.untrusted, self.stale = [], [], {}
        self._holders, self._keys = {}, {}
        found: dict[str, tuple[tuple[Any, ...], Record]] = {}
        for file in self._files():
            try:
                job_key, written, records = unpack(file.read_bytes())
                if job_key != file.stem:
                    raise ValueError("belongs to another job")
            except (ValueError, OSError) as error:
                what = error.strerror if isinstance(error, OSError) else error
                self.problems.append(f"{file}: {what}; what it should hold is done again")
                if _OURS.fullmatch(file.name):
                    self.untrusted.append(file)
                continue
            self._note(file, [record.key for record in records])
            for record in records:
                rank = (record.status == "ok", _age(record.version), written, file.stem)
                if record.key not in found or rank > found[record.key][0]:
                    found[record.key] = (rank, record)
        for _, record in found.values():
            if record.version != __version__:
                self.stale[record.version] = self.stale.get(record.version, 0) + 1
        return {key: record for key, (_, record) in found.items()}

    def _files(self) -> Iterator[Path]:
        """Yield the files in order; leftovers of a killed write are not ours to read."""
        for folder in sorted(self.folder.glob("*")):
            if folder.is_dir():
                files = sorted(folder.iterdir())
                yield from (file for file in files if file.suffix != ".tmp")
            else:
                yield folder

    def _note(self, file: Path, keys: Iterable[str]) -> None:
        self._keys[file] = set(keys)
        for key in self._keys[file]:
            self._holders.setdefault(key, set()).add(file)

    def path(self, job_key: str) -> Path:
        """Return the file of a job."""
        return self.folder / job_key[:2] / f"{job_key}.json"

    def write(self, job_key: str, records: Sequence[Record]) -> None:
        """Write a job's records at once: after a crash the file is whole or not there.

        Raises
        ------
        EnvironmentProblemError
            Where the folder cannot be written to, or the disk is full.
        """
        self.write_packed(job_key, [record.key for record in records], pack(job_key, records))

    def write_packed(self, job_key: str, keys: Sequence[str], content: bytes) -> None:
        """Write what `pack` made of a job's records; older records of its cells go."""
        file = self.path(job_key)
        write_atomically(file, content)
        if file in self.untrusted:
            self.untrusted.remove(file)
        self._supersede(file, keys)
        self._note(file, keys)

    def _supersede(self, file: Path, keys: Sequence[str]) -> None:
        """Take cells out of the other files that hold them, and remove what is left empty."""
        others = {other for key in keys for other in self._holders.get(key, ())} - {file}
        for other in sorted(others):
            left = self._keys[other] - set(keys)
            for key in self._keys.pop(other):
                self._holders[key].discard(other)
            if left:
                job_key, _, records = unpack(other.read_bytes())
                kept = [record for record in records if record.key in left]
                write_atomically(other, pack(job_key, kept))
                self._note(other, left)
            else:
                other.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove what killed writes left behind; not while another run is writing."""
        for file in self.folder.glob("*/*.tmp"):
            with contextlib.suppress(OSError):
                file.unlink()


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file under a temporary name, bring it to disk, move it into place.

    Raises
    ------
    EnvironmentProblemError
        Where that fails, with the reason and what to do.
    """
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            temporary.replace(file)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise explained(file.parent, error) from error


def explained(folder: Path, error: OSError) -> EnvironmentProblemError:
    """Return the story of a failed write: what happened, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EnvironmentProblemError(
            f"the disk is full: cannot write to '{folder}'; make room and run again, "
            "what is done is kept"
        )
    reason = error.strerror or str(error)
    return EnvironmentProblemError(
        f"cannot write to '{folder}': {reason}; make it writable or choose another folder with "
        "--results"
    )
