"""Run what is missing of a study: hand out jobs, keep every record as it comes."""

import contextlib
import math
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import NoReturn

from joblib import cpu_count

from rankexp.errors import EnvironmentProblemError, Interrupted, OutOfTime
from rankexp.runner.config.asking import message
from rankexp.runner.config.limits import UNLIMITED, Limits
from rankexp.runner.config.schema import Study
from rankexp.runner.data.memory import affordable
from rankexp.runner.files import explained, open_to_append, write_atomically
from rankexp.runner.plan import Job, PlanCell
from rankexp.runner.run.engines import SLOTS_A_SECOND, Cluster
from rankexp.runner.run.lock import advisory_lock
from rankexp.runner.run.manifest import Manifest, Usage, diagnose, to_add
from rankexp.runner.run.prepare import Prepared, prepare
from rankexp.runner.run.progress import Progress, how_many, printed_lines
from rankexp.runner.run.remote import Requirements
from rankexp.runner.run.scored import FOLDER, path_of
from rankexp.runner.run.shards import Shard
from rankexp.runner.run.workers import Done, Hands, part, run_here, trusted
from rankexp.runner.spec import EvaluateSpec

PRECEDENCE = (130, 2, 4, 1, 3)
CERTAIN = ("DataError", "ValueError", "TypeError", "FloatingPointError", "NotFittedError")
"""Errors that come again with the same study, data and packages."""
SAVE_EVERY = 15.0  # seconds between manifests, so that a killed run's time is not lost


@dataclass
class Outcome:
    """What came of a run: messages for the user's eyes, records there are, made now, failed."""

    folder: Path
    exit_code: int = 0  # 0 done; 1 a job failed; 3 data missing; 4 environment; 130 interrupted
    messages: list[str] = field(default_factory=list)
    records: int = 0
    made: int = 0
    failed: int = 0
    stopped: bool = False  # because the time was over before all was done
    cells: Sequence[PlanCell] | None = None
    """All cells of the study, where the run planned for all of them: a report needs no others."""

    def note(self, code: int, message: str) -> None:
        """Add a message, but for what a terminal would obey, and the exit code it stands for."""
        self.messages.append(printed_lines(message))
        self.exit_code = next((c for c in PRECEDENCE if c in (code, self.exit_code)), 0)


def execute(
    study: Study,
    *,
    results: Path,
    config: Path | None = None,
    folders: Sequence[Path] = (),
    only: Sequence[str] = (),
    workers: int | None = None,
    retry_failed: bool = False,
    redo: Sequence[str] = (),
    quiet: bool = False,
    plan: bool = True,
    until: float | None = None,
    limits: Limits = UNLIMITED,
    longest: Callable[[], float] | None = None,
    shard: Shard | None = None,
    engine: Cluster | None = None,
) -> Outcome:
    """Run what is missing of a study.

    Results go to a folder of the study's name in `results`; data files are looked for in
    `folders`. `only` names experiments, all if empty; `redo` names methods to run again, or is
    ``["all"]``; `retry_failed` runs failed records again. `config` is the study's file, for the
    manifest. There is one worker process a core by default, and one works in this process. At
    `until`, a time of `time.monotonic`, the run stops as by Ctrl-C (in the main thread only).
    `limits` go before those of the study; `shard` is the part to run. `longest` tells how many
    seconds a method may take at one training part by now; what takes longer is not tried again.
    An `engine` does the work, of which `workers` jobs at most are then under way at a time.

    ConfigError where `only` or `redo` name nothing of the study; EnvironmentProblemError where
    the folder cannot be read, or not be written to from the start.
    """
    prepared = prepare(
        study,
        results,
        folders,
        only,
        retry_failed=retry_failed,
        redo=redo,
        online=True,
        limits=limits,
        most=longest() if longest else math.inf,
        shard=shard,
        size=max(1.0, engine.slots() / SLOTS_A_SECOND) if engine else 1.0,
    )
    for name, facts in prepared.data.facts.items():
        prepared.data.provenance[name] |= {"diagnosis": asdict(diagnose(study, name, facts))}
    busy, fewer = _at_a_time(workers, engine, prepared)
    if plan and not quiet:
        _show(prepared, busy)
    outcome = Outcome(prepared.folder, records=len(prepared.known))
    outcome.failed = sum(prepared.plan.failed.values())
    _note_data(study, prepared, outcome, fewer)
    manifest = Manifest(prepared, study, config, only)
    if not only and not shard and manifest.data.keys() == prepared.data.facts.keys():
        outcome.cells = prepared.cells
    theirs = {k: version for own in prepared.outside.code.values() for k, version in own.items()}
    run, most = _Run(prepared, manifest, outcome), workers or sys.maxsize if engine else busy
    run.go(Hands(most, run.died, theirs, longest, engine), until, quiet=quiet)
    return outcome


def _show(prepared: Prepared, busy: int) -> None:
    """Print the plan; why data is not used is said once, at the end."""
    short = {name: f"data set '{name}' is not used" for name in prepared.data.wrong}
    shown = replace(prepared.plan, missing={**prepared.plan.missing, **short})
    print(shown.describe(busy), flush=True)


def _at_a_time(workers: int | None, engine: Cluster | None, prepared: Prepared) -> tuple[int, str]:
    """Return how many jobs are done at a time, and a sentence if it is for lack of memory."""
    if engine is not None:
        return min(workers or sys.maxsize, engine.slots()), ""
    return affordable(workers or cpu_count(), prepared.snapshots)


def _note_data(study: Study, prepared: Prepared, outcome: Outcome, fewer: str) -> None:
    """Say what memory has no room for, which data could not be had, and how to add it."""
    if fewer:
        outcome.note(0, fewer)
    for name, reason in prepared.data.wrong.items():
        outcome.note(3, f"data set '{name}' is not used: {reason}")
    for code, what in ((3, "missing data"), (0, "missing data that the study can do without")):
        if names := [n for n in prepared.data.nowhere if study.data[n].optional == (code == 0)]:
            outcome.note(code, f"{what}: {', '.join(names)}. {to_add(study, names)}")


class _Run:
    """One run of a plan's jobs, until they are done or something stops it."""

    def __init__(self, prepared: Prepared, manifest: Manifest, outcome: Outcome) -> None:
        self.prepared, self.manifest, self.outcome = prepared, manifest, outcome
        self.log_file = prepared.folder / "logs" / "run.log"
        self.log("start")
        known, jobs = prepared.known, prepared.plan.jobs
        self.cells = {cell.key: cell for job in jobs for cell in job.cells}
        specs = (cell.spec for cell in self.cells.values())
        keeps = (isinstance(spec, EvaluateSpec) and spec.scores for spec in specs)
        kept = (prepared.folder / FOLDER).is_dir()
        folder = str(prepared.folder) if kept or any(keeps) else ""
        self.jobs = [
            replace(job, folder=folder, again=known & {cell.key for cell in job.cells})
            for job in jobs
        ]
        self.say: Callable[[str], None] = print
        self.said: set[str] = set()
        self.reasons: Counter[str] = Counter()
        self.warned: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.used = Usage()
        self.worker_cpu = 0.0
        self.clock = (time.monotonic(), time.process_time())
        self.saved = self.clock[0]

    def log(self, text: str) -> None:
        """Add to ``logs/run.log`` what the terminal has no room for, with the time.

        A folder in which this cannot be written takes no records either.
        """
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        try:
            self.log_file.parent.mkdir(parents=True, exist_ok=True)
            with open_to_append(self.log_file) as log:
                log.write(f"{stamp} {text}\n")
        except OSError as error:
            raise explained(self.log_file.parent, error) from error

    def go(self, hands: Hands, until: float | None = None, *, quiet: bool) -> None:
        """Do the jobs; whatever stops this becomes part of the outcome."""
        complete, plan = False, self.prepared.plan
        try:
            work = sum(plan.seconds.values())
            with (
                _terminable(until),
                advisory_lock(self.prepared.folder) as other,
                Progress(plan.total_fits, work, quiet=quiet or not self.jobs) as progress,
            ):
                if other is None:
                    self.prepared.store.tidy(killed=not self.manifest.before.complete)
                for warning in filter(None, (other, self.manifest.damage)):
                    progress.say(warning)
                self._save()
                self.say = progress.say
                with contextlib.closing(self._results(hands)) as results:
                    for done in results:
                        self.worker_cpu += done.cpu
                        self._keep(done, progress)
                self.prepared.store.discard_untrusted()
                self._check_that_all_are_there()
                complete = True
        except OutOfTime:
            self.outcome.stopped = True  # whoever set the time says what that means
        except KeyboardInterrupt:
            kept = f"{self.outcome.made:,} records made by this run are kept"
            self.outcome.note(130, f"interrupted; {kept}, running again goes on from there")
        except EnvironmentProblemError as error:
            self.outcome.note(4, str(error))
        self._report()
        try:
            self._save(complete=complete)
            self.log(f"end, exit code {self.outcome.exit_code}")
        except EnvironmentProblemError as error:
            if str(error) not in self.outcome.messages:
                self.outcome.note(4, str(error))

    def _results(self, hands: Hands) -> Generator[Done, None, None]:
        alone = min(hands.workers, len(self.jobs)) <= 1 and hands.longest is None
        if hands.engine is not None and self.jobs:
            yield from self._elsewhere(hands, hands.engine)
        elif alone and all(map(trusted, self.jobs)):
            yield from run_here(self.jobs)
        else:
            yield from hands.run(self.jobs)

    def _elsewhere(self, hands: Hands, engine: Cluster) -> Generator[Done, None, None]:
        """Have a cluster do the jobs, but for what is made of scores that are kept here."""
        if not engine.slots():
            self.say(message("engines.wait", cluster=engine))
        engine.equip(Requirements.of(self.cells.values(), self.prepared.snapshots, hands.code))
        scored, kept, sent = self.prepared.plan.scored, list[Job](), list[Job]()
        for job in self.jobs:
            for jobs, same in ((kept, True), (sent, False)):
                if own := [cell for cell in job.cells if (cell.key in scored) is same]:
                    jobs.append(part(job, own))
        yield from replace(hands, engine=None, workers=cpu_count()).run(kept)
        for cell in [cell for job in sent for cell in job.cells if cell.key in job.again]:
            if isinstance(cell.spec, EvaluateSpec):  # nothing shall count that other code made
                path_of(self.prepared.folder, cell.spec.scores_key).unlink(missing_ok=True)
        yield from hands.run(sent)

    def died(self, text: str, printed: str) -> None:
        """Tell of a worker's death, in the same words once; the log has all."""
        self.log(f"{text}\n{printed}".strip())
        if text not in self.said:
            self.say(text)
        self.said.add(text)

    def _keep(self, done: Done, progress: Progress) -> None:
        """Store a job's records, and count them."""
        for key, content in done.files.items():
            write_atomically(path_of(self.prepared.folder, key), content)
        self.prepared.store.write_packed(done.job, done.keys, done.content)
        self.hosts.update(dict.fromkeys(filter(None, [done.host]), len(done.keys)))
        self.outcome.made += len(done.keys)
        self.outcome.records += sum(key not in self.prepared.known for key in done.keys)
        plan = self.prepared.plan
        count = sum(plan.fits_of(self.cells[key]) for key in done.keys)
        self.used.jobs += 1
        self.used.fits += count
        self.used.memory = max(self.used.memory, done.memory)
        self.warned.update(done.warnings)
        if done.printed:
            self.log(f"printed in job {done.job}:\n{done.printed}")
        for key, reason, trace in done.failures:
            cell = self.cells[key]
            where = f"{cell.experiment} / {cell.problem} / {cell.method}"
            self.reasons[f"{where}: {reason}"] += 1
            self.log(f"failed: {where}, {cell.place}, record {key}\n{trace}")
        progress.advance(count, sum(plan.seconds.get(key, 0.0) for key in done.keys))
        if time.monotonic() - self.saved > SAVE_EVERY:
            self._save()

    def _check_that_all_are_there(self) -> None:
        lost = self.prepared.store.lost() & {*self.prepared.known, *self.cells}
        self.outcome.records -= len(lost)
        if lost:
            known = {"records": how_many(len(lost), "record"), "folder": self.prepared.folder}
            raise EnvironmentProblemError(message("run.removed", **known))

    def _save(self, *, complete: bool = False) -> None:
        self.saved = time.monotonic()
        self.used.wall = self.saved - self.clock[0]
        self.used.cpu = time.process_time() - self.clock[1] + self.worker_cpu
        self.manifest.write(self.used, complete=complete, hosts=self.hosts)

    def _report(self) -> None:
        """Complete the outcome: counts, and a line for what failed or warned."""
        outcome = self.outcome
        for reason, count in self.reasons.most_common(5):
            outcome.note(0, f"failed, {count} records: {reason}")
        before = outcome.failed
        outcome.failed += self.reasons.total()
        if outcome.failed:
            retry = "--retry failed runs them again"
            if not before and all(any(f": {k}: " in r for k in CERTAIN) for r in self.reasons):
                retry = "they would fail again as they are"
            failed = how_many(outcome.failed, "record")
            outcome.note(1, f"{failed} failed; see {self.log_file}; {retry}")
        for category, count in self.warned.most_common():
            outcome.note(0, f"{category} in {how_many(count, 'record')} of this run")


@contextlib.contextmanager
def _terminable(until: float | None) -> Iterator[None]:
    """Let SIGTERM and the end of the time stop a run as cleanly as Ctrl-C does.

    All are told from a method's doing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise OutOfTime if number == signal.SIGALRM else Interrupted

    stops = (signal.SIGTERM, signal.SIGINT, *([] if until is None else [signal.SIGALRM]))
    before = {number: signal.signal(number, stop) for number in stops}
    try:
        if until is not None:
            signal.setitimer(signal.ITIMER_REAL, max(until - time.monotonic(), 1e-3))
        yield
    finally:
        if until is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
