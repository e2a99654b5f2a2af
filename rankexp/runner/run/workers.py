"""Jobs handed out to worker processes, or done here; a dead worker costs its job alone.

What is assumed of a process: `run_job` holds for any one, but its CPU seconds are those of the
whole process, as are the warnings that `evaluate` records, so that one process does one job at a
time; threads of one process would mix both. In the process that `execute` runs in, SIGTERM is
taken as Ctrl-C, in the main thread only.
"""

import math
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from rankexp.runner.config.limits import UNLIMITED
from rankexp.runner.plan import Job, PlanCell
from rankexp.runner.run.pool import Death, answers
from rankexp.runner.run.record import Record
from rankexp.runner.run.store import pack
from rankexp.runner.spec import digest

if TYPE_CHECKING:
    from rankexp.runner.run.engines import Cluster

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
_spent = 0.0  # CPU seconds of this process already reported with a job


@dataclass(frozen=True)
class Done:
    """What comes back of a job: a file's content, and what the parent has to say of it."""

    job: str
    keys: tuple[str, ...]
    content: bytes  # as `store.pack` made it
    failures: tuple[tuple[str, str, str], ...]  # key, reason and traceback
    warnings: tuple[str, ...]  # categories, each once a record
    cpu: float  # seconds this process spent since it last reported; imports are the first job's
    memory: int  # largest memory of this process so far, bytes
    printed: str = ""  # the beginning of what its methods printed
    host: str = ""  # another machine that has done it
    files: Mapping[str, bytes] = field(default_factory=dict)  # scores kept there, by their keys


def done(job: Job, records: Sequence[Record], *, cpu: float = 0.0) -> Done:
    """Return what comes back of a job with these records."""
    failed = [r for r in records if r.status != "ok"]
    unit = 1 if sys.platform == "darwin" else 1024
    return Done(
        job.key,
        tuple(record.key for record in records),
        pack(job.key, records),
        tuple((r.key, r.reason or r.status, r.texts.get("traceback", "")) for r in failed),
        tuple(kind for record in records for kind in record.warned),
        cpu,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
    )


def run_job(job: Job, most: float = math.inf) -> Done:
    """Evaluate a job in this process, each step of a method in at most so many seconds."""
    from rankexp.runner.run.evaluate import evaluate

    global _spent
    records = evaluate(job, most)
    before, _spent = _spent, time.process_time()
    return done(job, records, cpu=_spent - before)


def run_here(jobs: Sequence[Job]) -> Generator[Done, None, None]:
    """Evaluate jobs in this process, with as many BLAS threads as a worker has: one."""
    from threadpoolctl import threadpool_limits

    # A worker's numeric libraries read their thread counts when loaded; ours are limited here.
    import rankexp.runner.run.fitting  # noqa: F401

    with threadpool_limits(limits=1):
        for job in jobs:
            yield run_job(job)


def trusted(job: Job) -> bool:
    """Tell whether a job may be done in the parent: all code is ours, and nothing is limited."""
    return not any(cell.spec.foreign or cell.limits != UNLIMITED for cell in job.cells)


@dataclass(frozen=True)
class Hands:
    """What a run's jobs are done with."""

    workers: int
    warn: Callable[[str, str], None]  # takes a line, and what a worker that died has printed
    code: Mapping[str, str]  # what jobs take from outside, in which version
    longest: Callable[[], float] | None = None
    """Tells how many seconds a step may take by now; what takes longer is not tried again."""
    engine: "Cluster | None" = None  # a cluster that does the work in place of our own processes

    def run(self, jobs: Sequence[Job]) -> Generator[Done, None, None]:
        """Evaluate jobs in worker processes; yield what comes, as it comes.

        Where a worker dies, the method that it was about is taken out of its job, and tried again
        alone when all else is done.
        """
        suspects: deque[Job] = deque()
        yield from self._run(deque(jobs), suspects)
        yield from replace(self, workers=1)._run(suspects, None)

    def _run(self, waiting: deque[Job], suspects: deque[Job] | None) -> Iterator[Done]:
        def more() -> partial[Done] | None:
            most = self.longest() if self.longest else math.inf
            return partial(run_job, waiting.popleft(), most) if waiting else None

        ours = partial(answers, code=self.code)
        source = self.engine.answers if self.engine else ours
        for answer in source(more, self.workers):
            job: Job = answer.call.args[0]
            if not isinstance(died := answer.result, Death):
                yield replace(died, printed=answer.printed)
                continue
            from rankexp.runner.run.evaluate import ended

            final = suspects is None or (died.late and self.longest is not None)
            about = [cell for cell in job.cells if cell.key == died.step.key]
            method = {cell.method for cell in about if not final}  # all of it is tried again
            same = [cell for cell in job.cells if cell.method in method]
            blamed = part(job, same or about or job.cells)
            if suspects is None or final:
                yield done(blamed, [ended(cell, died) for cell in blamed.cells])
            else:
                methods = dict.fromkeys(cell.method for cell in blamed.cells)
                for own in methods:  # where a cluster lost the job, it may be any of them
                    suspects.append(part(job, [c for c in blamed.cells if c.method == own]))
                self.warn(f"{_named(blamed)}: {died}; it is tried again alone", answer.printed)
            taken = {cell.key for cell in blamed.cells}
            if rest := [cell for cell in job.cells if cell.key not in taken]:
                waiting.append(part(job, rest))


def part(job: Job, cells: Sequence[PlanCell]) -> Job:
    """Return a job of some cells of another."""
    return replace(job, key=digest([cell.key for cell in cells]), cells=tuple(cells))


def _named(job: Job) -> str:
    first = job.cells[0]
    methods = dict.fromkeys(cell.method for cell in job.cells)
    return f"{first.experiment} / {first.problem} / {', '.join(methods)}"


def side_by_side(
    function: Callable[[*Ts], T], arguments: Sequence[tuple[*Ts]], workers: int
) -> list[T | Death]:
    """Return what calls of a function give in workers like those of jobs, or how these died."""
    calls = [partial(function, *each) for each in arguments]
    waiting = iter(calls)
    made = answers(lambda: next(waiting, None), workers, {})
    found = {id(answer.call): answer.result for answer in made}
    return [found[id(call)] for call in calls]
