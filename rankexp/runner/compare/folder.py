"""The folder of an answer: what may be written anew there, and what a user's edits keep."""

import hashlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rankexp.errors import ConfigError

STUDY = "study.yaml"
WRITTEN = (STUDY, "report.md")
"""Of what is written, what a user may have under the same name."""
MARK = "# Made by 'rankexp compare'."
HEAD = f"""\
{MARK} Edit it and run it again: rankexp run {{name}} --results {{results}}
# What is done is not done again. Once edited, 'rankexp compare' does not write it anew.
# docs/own-data.md says what each key means. As made: {{digest}}
"""
State = Literal["free", "made", "edited", "foreign"]


def headed(body: str, name: str, results: str) -> str:
    """Return the text of a study, headed by how to run the file `name` again."""
    digest = hashlib.sha256(body.encode()).hexdigest()[:16]
    return HEAD.format(name=shlex.quote(name), results=shlex.quote(results), digest=digest) + body


def state(folder: Path) -> State:
    """Tell whether a folder holds a study, and whether it is as `compare` made it."""
    if not any((folder / name).exists() for name in WRITTEN):
        return "free"
    file = folder / STUDY
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    lines = text.split("\n", HEAD.count("\n"))
    if not lines[0].startswith(MARK):
        return "foreign"
    digest = hashlib.sha256(lines[-1].encode()).hexdigest()[:16]
    return "made" if lines[-2].endswith(digest) else "edited"


def safe(text: str) -> str:
    """Return a text that a folder and a study can be called by."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-._") or "table"


def choose(named: Path | None, stem: str) -> tuple[Path, list[str]]:
    """Return the folder to write to, and what is to be said of it.

    A study that was edited stays as it is: the answer then goes to the next number, or, where a
    folder was named, is refused.
    """
    if named is not None:
        _check(named)
        return named, _replaced(named)
    for folder in _numbered(f"compare-{safe(stem)}"):
        found = state(folder)
        if found in ("free", "made") and not folder.is_file():
            break
    first = Path(f"compare-{safe(stem)}")
    if folder == first:
        return folder, _replaced(folder)
    why = "was edited" if state(first) == "edited" else "is not of 'rankexp compare'"
    said = f"{first / STUDY} {why} and stays as it is: this answer goes to {folder}"
    return folder, [said, *_replaced(folder)]


def _numbered(name: str) -> Iterator[Path]:
    yield Path(name)
    number = 1
    while True:
        number += 1
        yield Path(f"{name}-{number}")


def _check(folder: Path) -> None:
    """Refuse a named folder in which something of the user's would be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--out: '{folder}' is a file; name a folder")
    name = folder.resolve().name
    if name != safe(name):
        raise ConfigError(
            f"--out: the folder's name is that of the study, too; instead of '{name}' take "
            f"letters, digits, '_', '.' and '-': '{safe(name)}'"
        )
    found = state(folder)
    if found == "edited":
        raise ConfigError(
            f"{folder / STUDY} was edited since 'rankexp compare' wrote it, and would be lost; "
            "run it with 'rankexp run', or name another folder with --out"
        )
    if found == "foreign":
        there = [name for name in WRITTEN if (folder / name).exists()]
        raise ConfigError(
            f"'{folder}' holds {' and '.join(there)} that 'rankexp compare' did not write; name "
            "another folder with --out"
        )


def _replaced(folder: Path) -> list[str]:
    """Say what a run writes anew in a folder."""
    if state(folder) != "made":
        return []
    title = re.search(
        r"^title: (.*(?:\n  .*)*)", (folder / STUDY).read_text("utf-8"), re.MULTILINE
    )
    of = f" ({' '.join(title[1].split()).strip(chr(39))})" if title else ""
    return [
        f"{folder} holds an earlier answer{of}: it is replaced, fits that are the same are used "
        "again; --out keeps it, with another folder for this one"
    ]
