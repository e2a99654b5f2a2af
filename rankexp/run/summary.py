"""What a run would do: counts, and about how long it takes."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rankexp.plan import Cell, Job, jobs
from rankexp.run.progress import duration
from rankexp.run.record import Record
from rankexp.spec import SimulateSpec

SECONDS_A_FIT, SECONDS_A_ROW = 5e-4, 1.5e-6
"""A first guess at a fit of about 50 features, where no record tells the time it took."""


@dataclass(frozen=True)
class Plan:
    """Which jobs a run consists of; the counts are by experiment."""

    needed: Mapping[str, int]
    """Records that the study needs."""
    jobs: tuple[Job, ...]
    """What is missing."""
    fits: Mapping[str, int]
    """Fits to do."""
    done: Mapping[str, int]
    """Records there are."""
    failed: Mapping[str, int]
    """Failed ones among them."""
    seconds: float
    """About how long one process would take."""
    missing: Mapping[str, str]
    """Data sets that are not there, with the reason."""
    notes: Sequence[str]
    """What a user should know of the records found."""

    @property
    def total_fits(self) -> int:
        """Fits to do."""
        return sum(cell.spec.fits for job in self.jobs for cell in job.cells)

    def describe(self, workers: int = 1) -> str:
        """Return the plan as lines of text."""
        width = max((len(name) for name in self.needed), default=0)
        lines = [self._line(name, count, width) for name, count in self.needed.items()]
        lines += list(self.missing.values())
        lines += self.notes
        if not self.jobs:
            lines.append(
                "nothing to do: every record is there" if self.needed else "nothing to do"
            )
            return "\n".join(lines)
        busy = max(1, min(workers, len(self.jobs)))
        many = f"{busy} workers" if busy > 1 else "1 process"
        seconds = max(1.0, self.seconds / busy)
        lines.append(
            f"to do: {len(self.jobs):,} jobs, {self.total_fits:,} fits, "
            f"about {duration(seconds)} with {many}"
        )
        return "\n".join(lines)

    def _line(self, name: str, needed: int, width: int) -> str:
        text = f"{name:<{width}}  {needed:,} records, {self.done.get(name, 0):,} done"
        if self.failed.get(name):
            text += f" ({self.failed[name]:,} of them failed; --retry failed runs them again)"
        if self.fits.get(name):
            text += f", {self.fits[name]:,} fits to do"
        return text


def make_plan(
    cells: Sequence[Cell],
    records: Mapping[str, Record],
    *,
    again: Collection[str],
    missing: Mapping[str, str],
    notes: Sequence[str],
) -> Plan:
    """Return what is to be done, cells with a record among them if their keys are in `again`."""
    kept = {key for key in records if key not in again}
    todo = tuple(jobs(cells, kept))
    done, failed, work = Counter[str](), Counter[str](), Counter[str]()
    needed = Counter(cell.experiment for cell in cells)
    for cell in cells:
        if cell.key not in kept:
            work[cell.experiment] += cell.spec.fits
            continue
        done[cell.experiment] += 1
        failed[cell.experiment] += records[cell.key].status != "ok"
    seconds = _seconds(cells, records, todo)
    return Plan(needed, todo, work, done, failed, seconds, missing, notes)


def _seconds(cells: Sequence[Cell], records: Mapping[str, Record], todo: Sequence[Job]) -> float:
    """Estimate the time of jobs: by stored times of the same problem and method, if any."""
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for cell in cells:
        record = records.get(cell.key)
        if record is not None and "fit" in record.times:
            times[_kind(cell)].append(record.times["fit"] + record.times.get("score", 0.0))
    mean = {kind: sum(known) / len(known) for kind, known in times.items()}
    return sum(mean.get(_kind(cell), _guess(cell)) for job in todo for cell in job.cells)


def _kind(cell: Cell) -> tuple[str, str]:
    """Return what cells of about the same cost share."""
    spec = cell.spec
    same = spec.point.text if isinstance(spec, SimulateSpec) else spec.method.digest
    return cell.problem, same


def _guess(cell: Cell) -> float:
    return cell.spec.fits * (SECONDS_A_FIT + SECONDS_A_ROW * cell.spec.training_rows)
