"""The study that `compare` runs: a YAML file like any other, ready to be edited."""

import hashlib
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from rankexp.errors import ConfigError
from rankexp.runner.analyse.one_test_set import KEPT
from rankexp.runner.compare.methods import Offer
from rankexp.runner.compare.question import Question

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


EXPERIMENT = "compare"
SEED = 1


@dataclass(frozen=True)
class Asked:
    """What was asked of which table.

    `entry` has the options of the data entry beside source, target and levels; `inner` are the
    folds inside each training part, `remarks` what the report says above the answer.
    """

    table: Path
    target: str
    question: Question
    offer: Offer
    entry: Mapping[str, Any]
    margin: float
    inner: int = 3
    test: Path | None = None
    remarks: str = ""

    @property
    def files(self) -> dict[str, Path]:
        """The table's files, as a source has them."""
        found = {"file": self.table, "test": self.test}
        return {key: file.resolve() for key, file in found.items() if file is not None}


def content(
    asked: Asked,
    name: str,
    folder: Path,
    protocol: Mapping[str, Any],
    methods: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the study `name` as it is written to `folder`, where paths in it start.

    `methods` are those that are run, their grids as wide as they have become.
    """
    question = asked.question
    problem = "data"
    here = folder.resolve()
    source = {k: Path(os.path.relpath(f, here)).as_posix() for k, f in asked.files.items()}
    levels = {} if question.levels is None else {"levels": question.levels}
    entry = {
        "label": asked.table.name,
        "source": source,
        "target": asked.target,
        **levels,
        **asked.entry,
    }
    strata = {} if question.kind == "continuous" else {"stratified": True}
    contrasts = {p: q for p, q in asked.offer.contrasts.items() if p in methods and q in methods}
    options = {"contrasts": contrasts, "margin": asked.margin}
    return {
        "version": 1,
        "study": name,
        "title": f"{asked.table.name}: does training on pairs help to rank by {asked.target}?",
        "seed": SEED,
        "data": {problem: entry},
        "methods": {name: dict(method) for name, method in methods.items()},
        "experiments": {
            EXPERIMENT: {
                "problems": [problem],
                "methods": list(methods),
                "metrics": [question.metric],
                "protocol": dict(protocol),
                "inner": {"folds": asked.inner, **strata},
                **({"within_groups": False} if "groups" in asked.entry else {}),
                **({} if asked.test is None else {"keep": {"curves": [KEPT]}}),
            }
        },
        "report": [
            _block("pairs_or_points", "answer", "The answer", options, asked.remarks),
            _block("chosen_grid", "chosen", "What was chosen", {"rules": ["nested"]}),
        ],
    }


def _block(
    kind: str, name: str, title: str, options: Mapping[str, Any], text: str = ""
) -> dict[str, Any]:
    said = {"title": title, **({"text": text} if text else {})}
    return {"block": kind, "name": name, **said, "experiment": EXPERIMENT, "options": options}


class _Dumper(yaml.SafeDumper):
    """Mappings of many keys in lines of their own, short lists in one line."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: a reader should not have to look for an anchor."""
        return True


def _sequence(dumper: yaml.SafeDumper, values: Sequence[Any]) -> yaml.Node:
    plain = all(not isinstance(value, dict) for value in values)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=plain)


_Dumper.add_representer(list, _sequence)


def text(study: Mapping[str, Any], name: str, results: str) -> str:
    """Return the YAML of a study, headed by how to run the file `name` again."""
    made = yaml.dump(
        study,
        Dumper=_Dumper,
        sort_keys=False,
        width=98,
        allow_unicode=True,
        default_flow_style=False,
    )
    return headed(made, name, results)
