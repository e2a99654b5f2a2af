"""Everything known before a run: the data there is, the records there are, what is missing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankexp import __version__, registry
from rankexp.errors import ConfigError, DataError, DataNotFoundError
from rankexp.runner.config.meaning import remarks
from rankexp.runner.config.methods import takes
from rankexp.runner.config.outside import Outside, outside
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.plan import DataFacts, PlanCell, cells, chosen
from rankexp.runner.run.record import Record
from rankexp.runner.run.store import Store
from rankexp.runner.run.summary import Plan, make_plan


@dataclass
class Prepared:
    """Everything known before a run: the plan, the data, the store."""

    cells: list[PlanCell]
    """What the experiments need, done or not."""
    plan: Plan
    folder: Path
    """``results/<study>``."""
    store: Store
    facts: Mapping[str, DataFacts]
    provenance: Mapping[str, Mapping[str, Any]]  # and the reading in short, where there is one
    absent: tuple[str, ...]
    """Data sets not found that the study cannot do without."""
    wrong: Mapping[str, str]
    """Data sets that were found but are not what was declared, with the reason."""
    known: frozenset[str]
    """Keys of the trustworthy records that the plan has use for."""
    alone: bool
    """Whether the folder has no record at all."""
    outside: Outside
    """What the study takes from outside rankexp."""


def prepare(
    study: Study,
    results: Path,
    folders: Sequence[Path] = (),
    only: Sequence[str] = (),
    *,
    retry_failed: bool = False,
    redo: Sequence[str] = (),
    online: bool = False,
) -> Prepared:
    """Find the data, read the records, and plan what is missing.

    See `rankexp.runner.run.execute.execute`; `online` says whether missing data may be fetched.
    """
    folder = Path(results) / study.study
    said: list[str] = []
    facts, provenance, nowhere, wrong = _find_data(study, only, folders, said, online=online)
    store = Store(folder)
    records = store.read()
    theirs = outside(study)
    planned = list(cells(study, facts, only, theirs))
    wanted = {cell.key for cell in planned}
    relevant = {key: record for key, record in records.items() if key in wanted}
    again = _again(study, planned, relevant, retry_failed=retry_failed, redo=redo)
    notes = [*store.problems, *said]
    stale = Counter(r.version for k, r in relevant.items() if k not in again)
    notes += [
        f"{count:,} records are of rankexp {then}, this is {__version__}; "
        "they are reused (--redo makes them anew)"
        for then, count in sorted(stale.items())
        if then != __version__
    ]
    notes += _aged(record for key, record in relevant.items() if key not in again)
    notes += _ungrouped(study, only)
    lacks = nowhere | wrong
    plan = make_plan(planned, relevant, again=again, missing=lacks, notes=notes, folder=folder)
    absent = tuple(name for name in nowhere if not study.data[name].optional)
    found = (facts, provenance, absent, wrong)
    return Prepared(planned, plan, folder, store, *found, frozenset(relevant), not records, theirs)


def _aged(reused: Iterable[Record]) -> Iterator[str]:
    """Say which records that are reused were made with another scikit-learn."""
    counts = Counter(pair for record in reused for pair in record.packages.items())
    for (package, then), count in sorted(counts.items()):
        if then != (now := version(package)):
            yield (
                f"{count:,} records were made with {package} {then}, this is {now}; "
                "they are reused (--redo makes them anew)"
            )


def _ungrouped(study: Study, only: Sequence[str]) -> Iterator[str]:
    """Say which methods make no use of groups that their data has."""
    for name, setup in chosen(study, only).items():
        if not isinstance(setup, Evaluate) or not setup.within_groups:
            continue
        data = [p for p in setup.problems if p in study.data and study.data[p].groups]
        lone = [m for m in setup.methods if data and "groups" not in takes(study.methods[m])]
        if lone:
            yield (
                f"{name}: {', '.join(lone)} train on all rows of {', '.join(data)} alike, as they "
                "cannot train within groups; metrics are means over groups"
            )


def _find_data(
    study: Study, only: Sequence[str], folders: Sequence[Path], said: list[str], *, online: bool
) -> tuple[dict[str, DataFacts], dict[str, Mapping[str, Any]], dict[str, str], dict[str, str]]:
    """Return facts and provenance of the data sets found, and why others were not or are wrong.

    What their reading warns of goes into `said`.
    """
    from rankexp.runner.data.find import find

    folders = [*folders, study.folder] if study.folder else folders  # beside the study, last
    facts: dict[str, DataFacts] = {}
    provenance: dict[str, Mapping[str, Any]] = {}
    nowhere: dict[str, str] = {}
    wrong: dict[str, str] = {}
    aside = list(remarks(study, chosen(study, only)))
    setups = chosen(study, only).values()
    used = dict.fromkeys(problem for setup in setups for problem in setup.problems)
    for name in [problem for problem in used if problem in study.data]:
        try:
            found = find(name, study.data[name], folders, online=online)
        except DataNotFoundError as error:
            nowhere[name] = error.where
        except DataError as error:
            wrong[name] = str(error)
        else:
            facts[name] = found.facts
            reading = found.dataset.reading
            beside = [text for problem, text in aside if problem == name]
            if reading is not None:
                reading = replace(reading, warnings=(*reading.warnings, *beside))
            provenance[name] = {
                "provenance": dict(found.dataset.provenance),
                **({"reading": reading.in_short()} if reading else {}),
            }
            said += [f"{name}: {warning}" for warning in reading.warnings] if reading else beside
    return facts, provenance, nowhere, wrong


def to_add(study: Study, names: Iterable[str]) -> str:
    """Say how a user adds data sets: a command each, but for those that several files make."""
    single = [name for name in names if not study.data[name].files]
    ways = [f"rankexp data add {name} FILE" for name in single]
    folder = "put the files into a folder and name that in --data or RANKEXP_DATA"
    return f"To add your own copy: {'; '.join([*ways, 'or ' * bool(ways) + folder])}"


def _again(
    study: Study,
    planned: Sequence[PlanCell],
    records: Mapping[str, Record],
    *,
    retry_failed: bool,
    redo: Sequence[str],
) -> set[str]:
    """Return the cells to be done although they have a record."""
    for name in redo:
        if name != "all" and name not in study.methods:
            hint = registry.did_you_mean(name, study.methods)
            known = ", ".join(study.methods)
            raise ConfigError(f"--redo {name}: no method '{name}'{hint}; the study has: {known}")
    again = {cell.key for cell in planned if "all" in redo or cell.method in redo}
    if retry_failed:
        again |= {key for key, record in records.items() if record.status != "ok"}
    return again & records.keys()
