"""Everything known before a run: the data there is, the records there are, what is missing."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from rankexp import __version__, registry
from rankexp.errors import ConfigError, DataError, DataNotFoundError
from rankexp.runner.config.asking import message
from rankexp.runner.config.experiments import metric_of
from rankexp.runner.config.limits import UNLIMITED, Limits
from rankexp.runner.config.meaning import remarks
from rankexp.runner.config.methods import takes
from rankexp.runner.config.outside import Outside, outside
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.plan import DataFacts, Job, PlanCell, cells, chosen, jobs
from rankexp.runner.run.manifest import study_before
from rankexp.runner.run.progress import duration, how_many
from rankexp.runner.run.record import Record
from rankexp.runner.run.scored import with_scores
from rankexp.runner.run.shards import Shard
from rankexp.runner.run.store import Store
from rankexp.runner.sentences import paragraphs
from rankexp.runner.spec import SimulateSpec

SECONDS_A_FIT = 5e-4, 1.5e-6
"""A first guess at a fit, and more for each row, where no record tells the time it took."""
SECONDS_A_ROUND, ROUNDS = (2e-4, 1e-7), {"n_rounds": 1, "n_estimators": 20}
"""The same for a round of boosting, and how many rounds what a parameter counts is like."""
SECONDS_A_CHECK = 0.1
NONE = Record("")


@dataclass(frozen=True)
class Plan:
    """Which jobs a run consists of; the counts are by experiment."""

    needed: Mapping[str, int]  # records that the study needs
    jobs: tuple[Job, ...]  # what is missing
    fits: Mapping[str, int]  # to do
    done: Mapping[str, int]  # records there are
    failed: Mapping[str, int]  # among them
    seconds: Mapping[str, float]  # by the key of a missing record: about what one process takes
    missing: Mapping[str, str]  # data sets that are not there, with the reason
    notes: Sequence[str]  # what a user should know of the records found
    guessed: bool  # whether some of the time is a guess: no record tells
    scored: Collection[str]  # keys of missing records that need no fits: their scores are kept

    @property
    def total_fits(self) -> int:
        """Fits to do."""
        return sum(self.fits_of(cell) for job in self.jobs for cell in job.cells)

    def fits_of(self, cell: PlanCell) -> int:
        """Return how many fits a missing cell takes."""
        return 0 if cell.key in self.scored else cell.spec.fits

    def describe(self, workers: int = 1) -> str:
        """Return the plan as lines of text."""
        busy = max(1, min(workers, len(self.jobs)))
        seconds = max(1.0, sum(self.seconds.values()) / busy)
        width = max((len(name) for name in self.needed), default=0)
        known = {"busy": busy, "time": duration(seconds), "width": width, "how_many": how_many}
        return "\n".join(paragraphs("plan", plan=self, **known))


def make_plan(
    cells: Sequence[PlanCell],
    records: Mapping[str, Record],
    again: Collection[str],
    missing: Mapping[str, str],
    notes: Sequence[str],
    folder: Path,
    size: float = 1.0,
) -> Plan:
    """Return what is to be done, cells with a record among them if their keys are in `again`."""
    kept = {key for key in records if key not in again}
    todo = tuple(jobs(cells, kept, size))
    missing_cells = {cell.key: cell.spec for job in todo for cell in job.cells}
    scored = with_scores({k: s for k, s in missing_cells.items() if k not in again}, folder)
    needed, done, failed, work = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for cell in cells:
        needed[cell.experiment] += 1
        if cell.key in kept:
            done[cell.experiment] += 1
            failed[cell.experiment] += records[cell.key].status != "ok"
        elif cell.key not in scored:
            work[cell.experiment] += cell.spec.fits
    fitted = [c for job in todo for c in job.cells if c.key not in scored]
    seconds, guessed = _seconds(cells, records, fitted)
    return Plan(needed, todo, work, done, failed, seconds, missing, notes, guessed, scored)


def _seconds(
    cells: Sequence[PlanCell], records: Mapping[str, Record], todo: Sequence[PlanCell]
) -> tuple[dict[str, float], bool]:
    """Estimate times of fits: by stored times of the same problem and method, or a guess."""
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for cell in cells:
        record = records.get(cell.key)
        if record is not None and not math.isnan(record.seconds):
            times[_kind(cell)].append(record.seconds)
    mean = {kind: sum(known) / len(known) for kind, known in times.items()}
    guessed = any(_kind(cell) not in mean for cell in todo)
    return {cell.key: mean.get(_kind(cell), _guess(cell)) for cell in todo}, guessed


def _kind(cell: PlanCell) -> tuple[str, str]:
    """Return what cells of about the same cost share."""
    spec = cell.spec
    if isinstance(spec, SimulateSpec):
        return cell.problem, f"{spec.check} {spec.point.text}"
    return cell.problem, spec.method.digest


def _guess(cell: PlanCell) -> float:
    if isinstance(cell.spec, SimulateSpec):
        return SECONDS_A_CHECK
    (once, a_row), method = SECONDS_A_FIT, cell.spec.method
    for name, given in {**method.params, **method.grid}.items():
        tried = [n for n in (given if isinstance(given, list) else [given]) if isinstance(n, int)]
        if tried and (like := ROUNDS.get(name.rpartition("__")[2])):
            rounds = like * sum(tried) / len(tried)
            once, a_row = (rounds * seconds for seconds in SECONDS_A_ROUND)
    return cell.spec.fits * (once + a_row * cell.spec.training_rows)


class DataFound(NamedTuple):
    """What came of looking for a study's data sets, by their names."""

    facts: dict[str, DataFacts]
    provenance: dict[str, dict[str, Any]]  # and the reading in short, where there is one
    nowhere: dict[str, str]  # with where they were looked for
    wrong: dict[str, str]  # found, but not what was declared: the reason
    said: list[str]  # what their reading warns of


@dataclass
class Prepared:
    """Everything known before a run: the plan, the data, the store."""

    cells: list[PlanCell]  # what the experiments need, done or not
    plan: Plan
    folder: Path  # ``results/<study>``
    store: Store
    data: DataFound
    known: frozenset[str]  # keys of the trustworthy records that the plan has use for
    alone: bool  # whether the folder has no record at all
    outside: Outside  # what the study takes from outside rankexp
    shard: str = ""  # the part that is planned; empty: all

    @property
    def snapshots(self) -> set[str]:
        """The files of the data sets that jobs need."""
        used = {cell.problem for job in self.plan.jobs for cell in job.cells}
        return {facts.snapshot for name, facts in self.data.facts.items() if name in used}


def prepare(
    study: Study,
    results: Path,
    folders: Sequence[Path] = (),
    only: Sequence[str] = (),
    *,
    retry_failed: bool = False,
    redo: Sequence[str] = (),
    online: bool = False,
    limits: Limits = UNLIMITED,
    most: float = math.inf,
    shard: Shard | None = None,
    size: float = 1.0,
) -> Prepared:
    """Find the data, which may be fetched if `online`, read the records, plan what is missing.

    `limits` go before those of the study; `most` are the seconds that a step may take in any case.
    Of the records only those of a `shard` are planned, if one is given; `size` is that of jobs.
    """
    folder = Path(results) / study.study
    data = _find_data(study, only, folders, online=online)
    store = Store(folder)
    records = store.read()
    theirs = outside(study)
    planned = list(cells(study, data.facts, only, theirs, limits=limits))
    if shard:
        planned = [cell for cell in planned if shard.has(cell.key)]
    relevant = {cell.key: records[cell.key] for cell in planned if cell.key in records}
    again = _again(study, planned, relevant, retry_failed=retry_failed, redo=redo)
    late = {key for key, record in relevant.items() if record.status == "timeout"} - again
    longer = {
        c.key for c in planned if relevant.get(c.key, NONE).limit < min(c.limits.seconds, most)
    }
    again |= longer
    notes = [*store.problems, *data.said]
    for took in filter(None, (late & longer, late - longer)):
        known = {"records": how_many(len(took), "record"), "longer": took <= longer}
        notes.append(message("run.late", **known))
    notes += _aged(record for key, record in relevant.items() if key not in again)
    notes += _ungrouped(study, only)
    lacks = data.nowhere | data.wrong
    how = (lacks, notes, folder, size)
    plan = make_plan(planned, relevant, again, *how)
    if not plan.scored:
        asked = study.model_copy(update={"experiments": chosen(study, only)})
        notes += _remeasured(asked, folder, {*records} - {*relevant}, data)  # the plan's, too
    own = frozenset(relevant), not records, theirs, str(shard or "")
    return Prepared(planned, plan, folder, store, data, *own)


def _aged(reused: Iterable[Record]) -> Iterator[str]:
    """Say which records that are reused were made with another rankexp or scikit-learn."""
    made = ({"rankexp": record.version} | record.packages for record in reused)
    counts = Counter(pair for versions in made for pair in versions.items())
    for (package, then), count in sorted(counts.items()):
        now = __version__ if package == "rankexp" else version(package)
        if then not in ("", now):
            yield message("run.aged", count=count, package=package, then=then, now=now)


def _ungrouped(study: Study, only: Sequence[str]) -> Iterator[str]:
    """Say which methods make no use of groups that their data has."""
    for name, setup in chosen(study, only).items():
        if not isinstance(setup, Evaluate) or not setup.within_groups:
            continue
        data = [p for p in setup.problems if p in study.data and study.data[p].groups]
        lone = [m for m in setup.methods if data and "groups" not in takes(study.methods[m])]
        if lone:
            yield message("run.ungrouped", name=name, methods=lone, data=data)


def _remeasured(study: Study, folder: Path, unused: Set[str], data: DataFound) -> Iterator[str]:
    """Say which records are of no use for the only reason that the metrics changed."""
    before = study_before(folder) if unused else None
    for name, setup in study.experiments.items() if before else ():
        match before and before.experiments.get(name), setup:
            case Evaluate(metrics=was), Evaluate(metrics=now) if was != now and all(
                map(metric_of, was)
            ):
                same = {name: setup.model_copy(update={"metrics": was})}
                needed = cells(study.model_copy(update={"experiments": same}), data.facts)
                if count := sum(cell.key in unused for cell in needed):
                    records = how_many(count, "record")
                    yield message("run.remeasured", name=name, records=records, was=was)


def _find_data(
    study: Study, only: Sequence[str], folders: Sequence[Path], *, online: bool
) -> DataFound:
    from rankexp.runner.data.find import find

    folders = [*folders, study.folder] if study.folder else folders  # beside the study, last
    made = DataFound({}, {}, {}, {}, [])
    aside = list(remarks(study, chosen(study, only)))
    used = dict.fromkeys(p for setup in chosen(study, only).values() for p in setup.problems)
    for name in [problem for problem in used if problem in study.data]:
        try:
            found = find(name, study.data[name], folders, online=online)
        except DataNotFoundError as error:
            made.nowhere[name] = error.where
        except DataError as error:
            made.wrong[name] = str(error)
        else:
            made.facts[name] = found.facts
            made.provenance[name] = {"provenance": dict(found.dataset.provenance)}
            warned = [text for problem, text in aside if problem == name]
            if (reading := found.dataset.reading) is not None:
                reading = replace(reading, warnings=(*reading.warnings, *warned))
                made.provenance[name] |= {"reading": reading.in_short()}
                warned = [f"{name}: {warning}" for warning in reading.warnings]
            made.said.extend(warned)
    return made


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
