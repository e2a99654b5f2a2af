"""Every state that a disk may be in after a power cut, from a record of what was asked of it.

What a file system has not been told to bring to disk (`fsync` of a file for its bytes, of a folder
for the names in it) may be there or not, in any order; a move within a folder is there whole or
not at all. That is weaker than what ext4 and others promise (Pillai et al., 2014, ALICE; Mohan
et al., 2018, CrashMonkey).
"""

import os
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from disk import Disk, Real

MOST = 3  # so many operations are lost, or are all that is there
Tree = dict[str, bytes | None]  # content by path, None for a folder


class Killed(BaseException):
    """The process ended here."""


@dataclass
class File:
    """The bytes of a file, and those that are surely on disk."""

    content: bytes = b""
    on_disk: bytes = b""

    def perhaps(self) -> list[bytes]:
        """Return what else may be there: nothing of what is new, half of it, or zeros."""
        new, kept = self.content, self.on_disk
        return [kept, new[: (len(kept) + len(new)) // 2], bytes(len(new))]


@dataclass
class Change:
    """Names that come or go at once, each with its folder and the number of what it names."""

    names: list[tuple[int, str, int | None]]
    on_disk: bool = False


@dataclass
class State:
    """A file system: folders, files and changes since the start by number."""

    start: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}})
    files: dict[int, File] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    def names(self, changes: list[Change]) -> dict[int, dict[str, int]]:
        """Return what is in each folder after some of the changes."""
        found = {folder: dict(names) for folder, names in self.start.items()}
        for change in changes:
            for folder, name, what in change.names:
                inside = found.setdefault(folder, {})
                if what is None:
                    inside.pop(name, None)
                else:
                    inside[name] = what
        return found

    def tree(self, changes: list[Change], content: dict[int, bytes]) -> Tree:
        """Return what can be found from the top."""
        names, found = self.names(changes), Tree()
        waiting = [("", 0)]
        while waiting:
            above, folder = waiting.pop()
            for name, what in names.get(folder, {}).items():
                path = f"{above}{name}"
                found[path] = content.get(what)
                if what not in self.files:
                    waiting.append((f"{path}/", what))
        return found

    def after_a_cut(self) -> Iterator[Tree]:
        """Yield what may be found after a power cut."""
        changes = [change for change in self.changes if not change.on_disk]
        files = [ino for ino, file in self.files.items() if file.content != file.on_disk]
        pending: list[Any] = [*map(id, changes), *files]
        content = {ino: file.content for ino, file in self.files.items()}
        for count in range(MOST + 1):
            for some in combinations(pending, min(count, len(pending))):
                for lost in ({*some}, {*pending} - {*some}):
                    kept = [c for c in self.changes if c.on_disk or id(c) not in lost]
                    bare = [ino for ino in files if ino in lost]
                    for kind in range(3 if bare else 1):
                        less = {ino: self.files[ino].perhaps()[kind] for ino in bare}
                        yield self.tree(kept, content | less)


class Trace(Disk):
    """Note what changes files; `said` takes what is promised to outlast a power cut from there."""

    def __init__(self, root: Path, end: int | None = None) -> None:
        super().__init__(root)
        self.state, self.events = State(), list[tuple[Any, ...]]()
        self._open: dict[int, int] = {}
        self._count, self.end = 1, end
        self._take("", 0)

    def _take(self, below: str, number: int) -> None:
        """Take what is there as being on disk."""
        for entry in sorted(os.scandir(os.path.join(self.root, below)), key=lambda e: e.name):
            own, self._count = self._count, self._count + 1
            self.state.start[number][entry.name] = own
            path = os.path.join(below, entry.name)
            if entry.is_dir():
                self.state.start[own] = {}
                self._take(path, own)
            else:
                content = Path(self.root, path).read_bytes()
                self.state.files[own] = File(content, content)

    def said(self, *what: Hashable) -> None:
        """Promise something."""
        self.events.append(("said", what))

    def asked(self, name: str, path: str, real: Real, *arguments: Any, **named: Any) -> Any:
        if self.end is not None and len(self.events) >= self.end:
            raise Killed
        there = os.path.lexists(path)
        if name in {"read", "listdir", "scandir"}:
            return real(*arguments, **named)
        if name == "write":
            size = os.fstat(arguments[0]).st_size
            appends = self._open[arguments[0]] < 0
            at = size if appends else os.lseek(arguments[0], 0, os.SEEK_CUR)
        result = real(*arguments, **named)
        short = os.path.relpath(path, self.root)
        match name:
            case "open":
                self._opened(result, path, arguments[1], there)
            case "close":
                self._open.pop(arguments[0])
            case "write":
                ino = abs(self._open[arguments[0]])
                self.events.append(("write", ino, at, bytes(arguments[1])[:result]))
            case "ftruncate":
                self.events.append(("cut", abs(self._open[arguments[0]]), arguments[1]))
            case "fsync":
                self.events.append(("sync", abs(self._open[arguments[0]])))
            case "mkdir":
                self._name(short, self._new())
            case "unlink" | "remove" | "rmdir":
                self._name(short, None)
            case "rename" | "replace":
                onto = os.path.relpath(arguments[1], self.root)
                self.events.append(("names", [self._at(short, None), self._at(onto, short)]))
        return result

    def _new(self) -> int:
        self._count += 1
        return self._count

    def _number(self, short: str) -> int:
        """Return the number of what is at a path now."""
        number, names = 0, self._now().names(self._now().changes)
        for part in Path(short).parts:
            number = names[number][part]
        return number

    def _now(self) -> State:
        return replayed(self.state, self.events)

    def _at(self, short: str, what: int | str | None) -> tuple[int, str, int | None]:
        folder, name = os.path.split(short)
        return self._number(folder), name, self._number(what) if isinstance(what, str) else what

    def _name(self, short: str, what: int | None) -> None:
        self.events.append(("names", [self._at(short, what)]))

    def _opened(self, handle: int, path: str, flags: int, there: bool) -> None:
        short = os.path.relpath(path, self.root)
        if not there:
            new = self._new()
            self.events.append(("file", new))
            self._name(short, new)
        ino = self._number("" if short == "." else short)
        if there and flags & os.O_TRUNC:
            self.events.append(("cut", ino, 0))
        self._open[handle] = -ino if flags & os.O_APPEND else ino


def replayed(start: State, events: list[tuple[Any, ...]]) -> State:
    """Return the file system after some events."""
    files = {ino: File(file.content, file.on_disk) for ino, file in start.files.items()}
    now = State(start.start, files, [])
    for event in events:
        match event:
            case "file", ino:
                now.files[ino] = File()
            case "write", ino, at, data:
                old = now.files[ino].content.ljust(at, b"\0")
                now.files[ino].content = old[:at] + data + old[at + len(data) :]
            case "cut", ino, size:
                now.files[ino].content = now.files[ino].content[:size].ljust(size, b"\0")
            case "sync", ino if ino in now.files:
                now.files[ino].on_disk = now.files[ino].content
            case "sync", folder:
                for change in now.changes:
                    if any(own == folder for own, *_ in change.names):
                        change.on_disk = True
            case "names", names:
                now.changes.append(Change(names))
    return now


def after_cuts(trace: Trace, first: int = 0) -> Iterator[tuple[Tree, list[tuple[Any, ...]]]]:
    """Yield each state after a cut at any event from `first` on, once, and what was said till then."""
    seen = set[Hashable]()
    for end in range(first, len(trace.events) + 1):
        said = [event[1] for event in trace.events[:end] if event[0] == "said"]
        for tree in replayed(trace.state, trace.events[:end]).after_a_cut():
            key = (len(said), frozenset(tree.items()))
            if key not in seen:
                seen.add(key)
                yield tree, said


def made(tree: Tree, folder: Path) -> None:
    """Write a tree into an empty folder."""
    for path, content in sorted(tree.items()):
        if content is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(content)
