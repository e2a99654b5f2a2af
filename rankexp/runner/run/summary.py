"""What a run would do: counts, and about how long it takes."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankexp.runner.plan import Job, PlanCell, jobs
from rankexp.runner.run.progress import duration
from rankexp.runner.run.record import Record
from rankexp.runner.run.scored import with_scores
from rankexp.runner.spec import SimulateSpec

SECONDS_A_FIT = 5e-4, 1.5e-6
"""A first guess at a fit, and more for each row, where no record tells the time it took."""
SECONDS_A_ROUND, ROUNDS = (2e-4, 1e-7), {"n_rounds": 1, "n_estimators": 20}
"""The same for a round of boosting, and how many rounds what a parameter counts is like."""
SECONDS_A_CHECK = 0.1


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
    seconds: Mapping[str, float]
    """Key of a missing record -> about how long one process takes for it."""
    missing: Mapping[str, str]
    """Data sets that are not there, with the reason."""
    notes: Sequence[str]
    """What a user should know of the records found."""
    guessed: bool = False
    """Whether some of the time is a guess: no record tells."""
    scored: Collection[str] = ()
    """Keys of the missing records whose scores are kept: nothing is fitted for them."""

    @property
    def total_fits(self) -> int:
        """Fits to do."""
        return sum(self.fits_of(cell) for job in self.jobs for cell in job.cells)

    def fits_of(self, cell: PlanCell) -> int:
        """Return how many fits a missing cell takes."""
        return 0 if cell.key in self.scored else cell.spec.fits

    def describe(self, workers: int = 1) -> str:
        """Return the plan as lines of text."""
        width = max((len(name) for name in self.needed), default=0)
        lines = [self._line(name, count, width) for name, count in self.needed.items()]
        lines += list(self.missing.values())
        lines += self.notes
        if self.scored:
            lines.append(
                f"{len(self.scored):,} records are computed from kept scores, without fits"
            )
        if not self.jobs:
            lines.append(
                "nothing to do: every record is there" if self.needed else "nothing to do"
            )
            return "\n".join(lines)
        busy = max(1, min(workers, len(self.jobs)))
        many = f"{busy} workers" if busy > 1 else "1 process"
        seconds = max(1.0, sum(self.seconds.values()) / busy)
        lines.append(
            f"to do: {len(self.jobs):,} jobs, {self.total_fits:,} fits, "
            f"about {duration(seconds)} with {many}"
            + (" (a guess from rows and rounds; kernels take longer)" * self.guessed)
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
    cells: Sequence[PlanCell],
    records: Mapping[str, Record],
    *,
    again: Collection[str],
    missing: Mapping[str, str],
    notes: Sequence[str],
    folder: Path,
) -> Plan:
    """Return what is to be done, cells with a record among them if their keys are in `again`.

    `folder` is that of the results, where scores may be kept.
    """
    kept = {key for key in records if key not in again}
    todo = tuple(jobs(cells, kept))
    missing_cells = {cell.key: cell.spec for job in todo for cell in job.cells}
    scored = with_scores({k: s for k, s in missing_cells.items() if k not in again}, folder)
    done, failed, work = Counter[str](), Counter[str](), Counter[str]()
    needed = Counter(cell.experiment for cell in cells)
    for cell in cells:
        if cell.key not in kept:
            work[cell.experiment] += 0 if cell.key in scored else cell.spec.fits
            continue
        done[cell.experiment] += 1
        failed[cell.experiment] += records[cell.key].status != "ok"
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
