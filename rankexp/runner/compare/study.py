"""The study that `compare` runs, a YAML file like any other, ready to be edited; and its folder.

What `compare` wrote may be written anew there; what a user edited stays.
"""

import hashlib
import itertools
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from rankexp.errors import ConfigError
from rankexp.runner.analyse import select
from rankexp.runner.analyse.delong import METRICS
from rankexp.runner.compare.methods import Candidate, Offer
from rankexp.runner.compare.question import Question
from rankexp.runner.config.asking import flag, message
from rankexp.runner.data.reading import Reading
from rankexp.runner.report.build import open_report

STUDY = "study.yaml"
WRITTEN = (STUDY, "report.md")  # what a user may have under the same name
MARK = "# Made by 'rankexp compare'."
HEAD = Path(__file__).with_suffix(".txt").read_text("utf-8")
State = Literal["free", "made", "edited", "foreign"]


def headed(body: str, name: str, results: str) -> str:
    """Return the text of a study, headed by how to run the file `name` again."""
    known = {"name": shlex.quote(name), "results": shlex.quote(results), "digest": _digest(body)}
    return HEAD.format(**known) + body


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def state(folder: Path) -> State:
    """Tell whether a folder holds a study, and whether it is as `compare` made it."""
    if not any((folder / name).exists() for name in WRITTEN):
        return "free"
    file = folder / STUDY
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    lines = text.split("\n", HEAD.count("\n"))
    if not lines[0].startswith(MARK):
        return "foreign"
    return "made" if lines[-2].endswith(_digest(lines[-1])) else "edited"


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
    first = Path(f"compare-{safe(stem)}")
    if first.is_file() or state(first) not in ("free", "made"):
        others = (Path(f"{first}-{number}") for number in itertools.count(2))
        folder = next(f for f in others if state(f) in ("free", "made") and not f.is_file())
        known = {"file": first / STUDY, "edited": state(first) == "edited", "folder": folder}
        return folder, [message("compare.stays", **known), *_replaced(folder)]
    return first, _replaced(first)


def _check(folder: Path) -> None:
    """Refuse a named folder in which something of the user's would be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{flag('out')}: '{folder}' is a file; name a folder")
    name = folder.resolve().name
    if name != safe(name):
        raise ConfigError(message("compare.folder_name", name=name, safe=safe(name)))
    found = state(folder)
    if found == "edited":
        raise ConfigError(message("compare.edited", file=folder / STUDY))
    if found == "foreign":
        there = [name for name in WRITTEN if (folder / name).exists()]
        raise ConfigError(message("compare.foreign", folder=folder, there=there))


def _replaced(folder: Path) -> list[str]:
    """Say what a run writes anew in a folder."""
    if state(folder) != "made":
        return []
    title = yaml.safe_load((folder / STUDY).read_text("utf-8"))["title"]
    return [message("compare.earlier", folder=folder, title=title)]


EXPERIMENT = "compare"
PROBLEM = "data"
SEED = 1
MOST_NAMED = 30  # columns that a report names


@dataclass(frozen=True)
class Asked:
    """What was asked of which table."""

    table: Path
    target: str
    question: Question
    offer: Offer
    entry: Mapping[str, Any]  # options of the data entry beside source, target and levels
    margin: float
    inner: int = 3  # folds inside each training part
    test: Path | None = None
    remarks: str = ""  # what the report says above the answer
    groups: str = ""  # their column
    held: str = ""  # Python for the table, where there is no file of it
    within: bool = False  # whether the groups are queries: only pairs within them count

    @property
    def files(self) -> dict[str, Path]:
        """The table's files, as a source has them."""
        found = {"file": self.table, "test": self.test}
        return {key: file.resolve() for key, file in found.items() if file is not None}

    @property
    def one_test_set(self) -> bool:
        """Whether there is one test set: a file of its own, or the latest rows."""
        return self.test is not None or "time" in self.entry

    def contrasts(self, methods: Mapping[str, Candidate]) -> dict[str, str]:
        """Return which of some methods train on pairs, each with its like on points."""
        return {p: q for p, q in self.offer.contrasts.items() if p in methods and q in methods}


def content(
    asked: Asked, folder: Path, protocol: Mapping[str, Any], methods: Mapping[str, Candidate]
) -> dict[str, Any]:
    """Return the study as it is written to `folder`, where paths in it start.

    `methods` are those that are run, their grids as wide as they have become.
    """
    question, here = asked.question, folder.resolve()
    source = {k: Path(os.path.relpath(f, here)).as_posix() for k, f in asked.files.items()}
    entry: dict[str, Any] = {"label": asked.table.name, "source": source, "target": asked.target}
    entry |= {} if question.levels is None else {"levels": question.levels}
    strata = {} if question.kind == "continuous" else {"stratified": True}
    setup: dict[str, Any] = {"problems": [PROBLEM], "methods": list(methods)}
    setup |= {"metrics": [question.metric], "protocol": dict(protocol)}
    setup |= {"inner": {"folds": asked.inner, **strata}}
    setup |= {"within_groups": False} if "groups" in asked.entry and not asked.within else {}
    if question.metric in METRICS and not asked.within:
        setup |= {"keep": {"curves": [METRICS[question.metric][1]]}}
    contrasts = asked.contrasts(methods)
    options = {"contrasts": contrasts, "margin": asked.margin}
    named = {p: what for p, what in asked.offer.scorers.items() if p in contrasts}
    options |= {"scorers": named} if named else {}
    others = [name for name in asked.offer.points if name in methods]
    options |= {"points": others} if others else {}
    answer = {"block": "pairs_or_points", "name": "answer", "title": "The answer"}
    answer |= {"text": asked.remarks} if asked.remarks else {}
    chosen = {"block": "chosen_grid", "name": "chosen", "title": "What was chosen"}
    shown = ((answer, options), (chosen, {"rules": ["nested"]}))
    title = f"{asked.table.name}: does training on pairs help to rank by {asked.target}?"
    head = {"version": 1, "study": safe(here.name), "title": title, "seed": SEED}
    return head | {
        "data": {PROBLEM: {**entry, **asked.entry}},
        "methods": {name: method.content for name, method in methods.items()},
        "experiments": {EXPERIMENT: setup},
        "report": [own | {"experiment": EXPERIMENT, "options": how} for own, how in shown],
    }


def used(reading: Reading) -> str:
    """Say what of a table is used, for the report."""
    return message("compare.used", reading=reading, most=MOST_NAMED)


def edges(folder: Path) -> dict[str, set[select.Edge]]:
    """Return the ends of grids at which choices lie, by method, of the study in a folder."""
    context = open_report(folder).context
    setup = context.evaluate(EXPERIMENT)
    metric = context.metric(EXPERIMENT, None)
    chosen = context.chosen(EXPERIMENT, metric, select.Rule("nested"), setup.methods)
    counts = select.chosen_counts(chosen, context.scores(EXPERIMENT, metric))
    return {str(m): set(own.edge.dropna()) for m, own in counts.groupby("method", sort=False)}


class _Dumper(yaml.SafeDumper):
    """Lists of plain values in one line, and no anchors that a reader would have to look for."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out."""
        return True


def _sequence(dumper: yaml.SafeDumper, values: Sequence[Any]) -> yaml.Node:
    plain = all(not isinstance(value, dict) for value in values)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=plain)


_Dumper.add_representer(list, _sequence)


def text(study: Mapping[str, Any], name: str, results: str) -> str:
    """Return the YAML of a study, headed by how to run the file `name` again."""
    how: dict[str, Any] = {"sort_keys": False, "width": 98, "allow_unicode": True}
    return headed(yaml.dump(study, Dumper=_Dumper, **how), name, results)
