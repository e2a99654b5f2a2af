"""What a results folder holds, and how complete it is; without what reports and fits need."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rankexp.charts import letters
from rankexp.errors import ConfigError
from rankexp.runner import plan
from rankexp.runner.config import claims, published
from rankexp.runner.config.asking import message
from rankexp.runner.config.outside import kept, lacking
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import PlanCell
from rankexp.runner.run.manifest import facts_of, protocol_of, read_manifest, shards_of
from rankexp.runner.run.progress import how_many
from rankexp.runner.run.record import Record, RecordRows
from rankexp.runner.run.shards import unmade
from rankexp.runner.run.store import Store
from rankexp.runner.spec import EvaluateSpec

Key = tuple[str, str, str]
LONGEST = 300  # most characters of a reason that reports repeat


@dataclass
class Count:
    """How the cells of one experiment, problem and method stand."""

    expected: int = 0
    ok: int = 0
    missing: int = 0
    failed: int = 0
    timeout: int = 0
    skipped: int = 0
    nan: int = 0  # cells that are ok with at least one undefined test value (one class in a fold)
    warned: int = 0  # cells with a warning
    categories: Counter[str] = field(default_factory=Counter)  # cells by category of warning
    examples: dict[str, str] = field(default_factory=dict)  # a warning of each category
    reasons: Counter[str] = field(default_factory=Counter)  # cells by reason of not being ok

    @property
    def complete(self) -> bool:
        """Whether every cell expected is ok; undefined values do not make a run incomplete."""
        return self.ok == self.expected

    def add(self, record: Record | None, *, evaluated: bool = True) -> None:
        """Count one cell with its record, if it has one; values of single groups may be NaN."""
        self.expected += 1
        if record is None:
            self.missing += 1
            return
        setattr(self, record.status, getattr(self, record.status) + 1)
        if record.status != "ok":
            reason = record.reason or record.status
            cut = f"{reason[:LONGEST]}... (whole in the records)"
            self.reasons[reason if len(reason) <= LONGEST else cut] += 1
        rows = record.rows  # of 100,000 records most are told at a glance
        if not isinstance(rows, RecordRows) or math.isnan(sum(rows.values)):
            counts = (r for r in rows if r.part == "test" and (r.group is None or not evaluated))
            self.nan += any(math.isnan(row.value) for row in counts)
        if record.warnings:
            self.warned += 1
            self.categories.update([*record.warned])
            self.examples |= record.warned


def completeness(cells: Iterable[PlanCell], records: Mapping[str, Record]) -> dict[Key, Count]:
    """Count the cells of each (experiment, problem, method), in the order of the plan."""
    counts: dict[Key, Count] = {}
    for cell in cells:
        count = counts.setdefault((cell.experiment, cell.problem, cell.method), Count())
        count.add(records.get(cell.key), evaluated=isinstance(cell.spec, EvaluateSpec))
    return counts


def total(counts: Iterable[Count]) -> Count:
    """Return the sum of some counts."""
    result = Count()
    for count in counts:
        for name, value in vars(count).items():
            if isinstance(value, Counter | dict):
                getattr(result, name).update(value)
            else:
                setattr(result, name, getattr(result, name) + value)
    return result


def shortfall(count: Count) -> str | None:
    """Say in one line what an incomplete run lacks; None where it is complete."""
    if count.complete:
        return None
    known = {word: getattr(count, word) for word in ("missing", "failed", "timeout", "skipped")}
    lacks = [f"{number} {word}" for word, number in known.items() if number]
    return f"INCOMPLETE: {count.ok} of {count.expected} records are good ({', '.join(lacks)})"


def versions(records: Iterable[Record]) -> dict[str, int]:
    """Return how many records each package version made, by version."""
    return dict(sorted(Counter(record.version for record in records).items()))


@dataclass
class Opened:
    """A study with its records."""

    study: Study
    cells: list[PlanCell]  # what a complete run would have
    records: Mapping[str, Record]  # what there is, by key
    manifest: dict[str, Any] = field(default_factory=dict)  # how it was run
    problems: list[str] = field(default_factory=list)  # faults found in the store

    @cached_property
    def counts(self) -> dict[Key, Count]:
        """How the cells stand, by experiment, problem and method."""
        return completeness(self.cells, self.records)

    def total(self, experiment: str, methods: Sequence[str] = ()) -> Count:
        """Return how the cells of an experiment stand, of all methods or of some."""
        return total(
            count
            for (name, _, method), count in self.counts.items()
            if name == experiment and (not methods or method in methods)
        )


def opened(
    folder: Path,
    study: Study | None = None,
    cells: Sequence[PlanCell] | None = None,
    store: Store | None = None,
) -> Opened:
    """Return what a results folder holds.

    `study` is as it is now in its file, by default as it was run; `cells` are its own with the
    data that the manifest has, planned by default. Raises `ConfigError` where the manifest is
    missing or of another format.
    """
    manifest = read_manifest(folder)
    if not manifest:
        raise ConfigError(f"{folder / 'manifest.json'} is missing; run the study again")
    if study is not None:
        manifest |= {"published": published.rows_of(study), "claims": claims.rows_of(study)}
    try:
        study = study or Study.model_validate(manifest["study"])
    except ValidationError as error:
        why = "; ".join(lacking(kept(manifest))) or str(error)
        file = folder / "manifest.json"
        raise ConfigError(message("report.other_format", file=file, why=why)) from error
    missing = lacking(kept(manifest))
    if cells is None:
        known = (kept(manifest), protocol_of(folder))
        cells = list(plan.cells(study, facts_of(manifest), (), *known))
    store = store or Store(folder)
    records = store.read()
    unseen = published.unseen(study, manifest.get("published") or [])
    shards = unmade(folder, shards_of(folder), (cell.key for cell in cells), records)
    problems = [*store.problems, *missing, *unseen, *shards]
    return Opened(study, list(cells), records, manifest, problems)


def progress(folder: Path) -> str:
    """Return what is done, missing and failed in a results folder, a line an experiment."""
    found = opened(folder)
    lines = [f"{folder}: {found.study.title}"]
    for name in found.study.experiments:
        own = found.total(name)
        done = f"complete, {how_many(own.ok, 'record')}"
        lines.append(f"  {name}: {shortfall(own) or done}")
        lines += [f"    {count} x {reason}" for reason, count in own.reasons.most_common(5)]
    lines += [f"  {problem}" for problem in found.problems]
    return "\n".join(map(letters.one_line, lines))
