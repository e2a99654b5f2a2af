"""Scores of examples, kept beside records (``keep: {scores: true}``): no new metric needs a fit.

One file a cell, ``scores/<2 hex>/<key>.npz``, without pickles: for the split, and each inner fold,
the scores of each part that is scored (n, G), its y and rows, and what else came of the fits. The
key is that of the cell without its metrics and curves, which can be made of what is kept. A file
is written whole or not at all; one that is damaged, or that is of other rows, is not used.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankexp import __version__
from rankexp.errors import one_line
from rankexp.runner.files import write_atomically
from rankexp.runner.run.fitting import Fitted
from rankexp.runner.run.material import Fold
from rankexp.runner.spec import EvaluateSpec, Spec

FORMAT = 1
FOLDER = "scores"
Arrays = dict[str, NDArray[Any]]


def path_of(folder: Path, key: str) -> Path:
    """Return the file of a key in a folder of results."""
    return folder / FOLDER / key[:2] / f"{key}.npz"


class _FoldKept(NamedTuple):
    """What is kept of a fold beside arrays, as `Fitted` has it."""

    numbers: dict[str, list[tuple[int, float]]]
    seconds: float
    texts: dict[str, str]
    known: list[str]
    warnings: list[str]
    parts: list[str]


class Scores:
    """What is kept of one cell's fits, fold by fold: the split first, then its inner folds."""

    def __init__(self, spec: EvaluateSpec, folder: str, fresh: bool, versions: Mapping[str, str]):
        self.versions = dict(versions)  # of rankexp and other packages, of what made the fits
        self.problem = ""  # why a file was not used
        self._key = spec.scores_key if folder else ""
        self._folder = Path(folder)
        self._file = path_of(self._folder, self._key)
        self._writes = bool(folder) and spec.scores
        self._place, self._new = 0, False
        self._arrays: Arrays = {}
        self._folds: list[_FoldKept] = []
        if fresh and folder:
            self._file.unlink(missing_ok=True)  # nothing shall count that other code made
        elif folder and self._file.is_file():
            self._read()

    def _read(self) -> None:
        try:
            head, arrays = read(self._file)
        except Exception as error:  # numpy, zipfile and what they call raise nearly anything
            self.problem = f"kept scores {self._file.name} are not used: {one_line(error)}"
            return
        folds, self.versions = (head[name] for name in ("folds", "versions"))
        self._arrays, self._folds = arrays, [_FoldKept(**kept) for kept in folds]

    def next(self, fold: Fold) -> tuple[Fitted, list[str]] | None:
        """Return what is kept of the next fold and its warnings; None where there is nothing."""
        i, self._place = self._place, self._place + 1
        if i >= len(self._folds) or self._new:
            return None
        said, arrays = self._folds[i], self._arrays
        for name, rows in fold.tests.items():
            if not np.array_equal(arrays.get(f"{i}.{name}.y", ()), rows.part.y):
                self.problem = f"kept scores {self._file.name} are of other rows, and not used"
                self._folds, self._place = self._folds[:i], i
                return self.next(fold)
        found = Fitted(
            {name: arrays[f"{i}.{name}.scores"] for name in fold.tests},
            {name: [(int(g), v) for g, v in pairs] for name, pairs in said.numbers.items()},
            said.seconds,
            {name: arrays[f"{i}.known.{name}"] for name in said.known},
            said.texts,
            arrays.get(f"{i}.at"),
        )
        return found, said.warnings

    def add(self, fold: Fold, fitted: Fitted, warnings: Sequence[str]) -> None:
        """Take what was fitted on the next fold."""
        self._new = True
        if not self._writes:
            return
        i = self._place - 1
        for name, rows in fold.tests.items():
            where = np.arange(len(rows.X)) if rows.part.rows is None else rows.part.rows
            kept = {"scores": fitted.scores[name], "y": rows.part.y, "rows": where}
            self._arrays |= {f"{i}.{name}.{what}": values for what, values in kept.items()}
        self._arrays |= {f"{i}.known.{name}": values for name, values in fitted.known.items()}
        if fitted.at is not None:
            self._arrays[f"{i}.at"] = fitted.at
        names, parts = list(fitted.known), list(fold.tests)
        own = fitted.numbers, fitted.seconds, fitted.texts
        self._folds = [*self._folds[:i], _FoldKept(*own, names, list(warnings), parts)]

    def write(self, points: Sequence[str]) -> None:
        """Write the file, if the cell keeps scores and there are new ones."""
        if not (self._writes and self._new):
            return
        head = {"format": FORMAT, "key": self._key, "rankexp": __version__, "grid": list(points)}
        folds = [kept._asdict() for kept in self._folds]
        head |= {"versions": self.versions, "folds": folds}
        head |= {"sha256": _hash(head, self._arrays)}
        text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
        save = partial(np.savez_compressed, head=text, **self._arrays)  # type: ignore[arg-type]
        write_atomically(self._file, save)


def read(file: Path) -> tuple[dict[str, Any], Arrays]:
    """Return head and arrays of a file; ValueError, or nearly anything, where it is damaged."""
    with np.load(file, allow_pickle=False) as opened:
        arrays = {name: opened[name] for name in opened.files}
    head = json.loads(arrays.pop("head").tobytes())
    if not {"format": FORMAT, "key": file.stem}.items() <= head.items():
        raise ValueError(f"it holds other scores, or is not of format {FORMAT}")
    if head.pop("sha256") != _hash(head, arrays):
        raise ValueError("it was altered: its checksum differs")
    return head, arrays


def _hash(head: Mapping[str, Any], arrays: Arrays) -> str:
    made = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
    for name in sorted(arrays):
        made.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        made.update(np.ascontiguousarray(arrays[name]).tobytes())
    return made.hexdigest()


def with_scores(specs: Mapping[str, Spec], folder: Path) -> Collection[str]:
    """Return which cells, specifications by key, have their scores in a folder of results."""
    kept = {file.stem for file in (folder / FOLDER).glob("??/*.npz")}
    fitted = {k: spec for k, spec in specs.items() if kept and isinstance(spec, EvaluateSpec)}
    return frozenset(key for key, spec in fitted.items() if spec.scores_key in kept)
