"""Jobs handed out to worker processes, or done here; a dead worker costs at most its job.

What is assumed of a process: `run_job` holds for any one, but its CPU seconds are those of the
whole process, as are the warnings that `evaluate` records, so that one process does one job at a
time; threads of one process would mix both. `_call` is for processes that our own pool has
started: these ignore Ctrl-C and end with their parent. In the process that `execute` runs in,
SIGTERM is taken as Ctrl-C, in the main thread only.
"""

import gc
import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar, TypeVarTuple

from rankexp.runner.plan import Job, PlanCell
from rankexp.runner.run.evaluate import evaluate, failure
from rankexp.runner.run.record import Record
from rankexp.runner.run.store import pack
from rankexp.runner.spec import digest

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


def run_job(job: Job) -> Done:
    """Evaluate a job in this process."""
    global _spent
    records = evaluate(job)
    before, _spent = _spent, time.process_time()
    return done(job, records, cpu=_spent - before)


@cache
def _spare_collector() -> None:
    """Take what the first call imported from the garbage collector, once.

    loky collects after every task; over a few hundred thousand objects of imported modules that
    costs 5 % of a job.
    """
    gc.freeze()


_leave = os._exit  # while a method runs the name in `os` is refused, see `run.evaluate`


@cache
def _follow(parent: int) -> None:
    """Let this process leave Ctrl-C to its parent, and end with it; once.

    Nothing is done where the parent is another: the process is not ours to end, as with the
    workers of dask or ray, which may be on another machine.
    """
    if os.getppid() != parent:
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        _leave(1)

    threading.Thread(target=watch, daemon=True).start()


def run_here(jobs: Sequence[Job]) -> Generator[Done, None, None]:
    """Evaluate jobs in this process, with as many BLAS threads as a worker has: one."""
    from threadpoolctl import threadpool_limits

    # A worker's numeric libraries read their thread counts when loaded; ours are limited here.
    import rankexp.runner.run.fitting  # noqa: F401

    with threadpool_limits(limits=1):
        for job in jobs:
            yield run_job(job)


def run_in_workers(
    jobs: Sequence[Job], workers: int, warn: Callable[[str], None]
) -> Generator[Done, None, None]:
    """Evaluate jobs in worker processes; yield what comes, as it comes.

    Where a worker dies, what was in flight runs again, see `_alone`; `warn` takes a line.
    """
    waiting = list(jobs)
    while waiting:
        unsent, returned = iter(waiting), set()
        try:
            for result in _pool(unsent, min(workers, len(waiting))):
                returned.add(result.job)
                yield result
            return
        except BrokenProcessPool:
            left = list(unsent)
            known = returned | {job.key for job in left}
            suspects = [job for job in waiting if job.key not in known]
            waiting = left
            warn(
                f"a worker was killed or ran out of memory; {len(suspects)} jobs "
                "that were under way run again, one by one"
            )
        for job in suspects:
            yield from _alone(job)


def _alone(job: Job) -> Iterator[Done]:
    """Evaluate one job in a worker, with no other job to blame for its death.

    If that dies, too, the job is taken apart by method; one that still does so has failed records.
    """
    try:
        yield from _pool(iter([job]), 2)
    except BrokenProcessPool:
        parts = _by_method(job)
        if len(parts) > 1:
            for part in parts:
                yield from _alone(part)
            return
        error = RuntimeError("its worker was killed or ran out of memory, twice")
        yield done(job, [failure(cell, error) for cell in job.cells])


def _by_method(job: Job) -> list[Job]:
    parts: dict[str, list[PlanCell]] = {}
    for cell in job.cells:
        parts.setdefault(cell.method, []).append(cell)
    each = ((digest([cell.key for cell in part]), tuple(part)) for part in parts.values())
    return [replace(job, key=key, cells=cells) for key, cells in each]


def _pool(jobs: Iterator[Job], workers: int) -> Generator[Done, None, None]:
    from joblib import Parallel, delayed, parallel_config

    # One job a task and no memory maps: what is sent is small, and what is done comes at once.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(
            n_jobs=max(workers, 2), return_as="generator_unordered", batch_size=1, max_nbytes=None
        )
        results = parallel(delayed(_call)(run_job, (job,), os.getpid()) for job in jobs)
    try:
        # `yield from` would close it before we can be quiet.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with warnings.catch_warnings(action="ignore"):  # giving up what is under way is our wish
            results.close()


def side_by_side(
    function: Callable[[*Ts], T], arguments: Sequence[tuple[*Ts]], workers: int
) -> list[T | None]:
    """Return what calls of a function give in workers like those of jobs; None where one died."""
    from joblib import Parallel, delayed, parallel_config

    calls = [delayed(_call)(function, each, os.getpid()) for each in arguments]
    try:
        with parallel_config(backend="loky", inner_max_num_threads=1):
            return list(Parallel(n_jobs=max(workers, 2), batch_size=1, max_nbytes=None)(calls))
    except BrokenProcessPool:
        if len(arguments) == 1:
            return [None]
        return [side_by_side(function, [one], workers)[0] for one in arguments]


def _call(function: Callable[[*Ts], T], arguments: tuple[*Ts], parent: int) -> T:
    """Call a function in a worker of the process with id `parent`."""
    _follow(parent)
    result = function(*arguments)
    _spare_collector()
    return result


def default_workers() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system has it
        return os.cpu_count() or 1
