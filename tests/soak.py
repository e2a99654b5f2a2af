"""A study run again and again while everything goes wrong; at the end its tables must be right.

Run as ``python tests/soak.py --minutes 10``, or ``make soak MINUTES=10``. Runs and workers are
killed, the disk fills, reads and writes fail, bytes of files flip, folders are removed, the clock
goes back, a second run and `rankexp pack` work in the same folder, all at random. After each run
no record may be lost that was reported as made (but for those in files that were damaged), and
none may be wrong. After a few, one plain run must give the tables of an undisturbed run.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[1]
RUNNER = ROOT / "tests/runner/run"
sys.path[:0] = [str(ROOT), str(RUNNER)]
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [*sys.path[:2], os.getenv("PYTHONPATH")]))

import pandas as pd  # noqa: E402, F401
import pyarrow.compute  # noqa: E402
import pyarrow.csv  # noqa: E402, F401
import sklearn.linear_model  # noqa: E402, F401
from disk import ERRORS, Failing  # noqa: E402

from rankexp.errors import ConfigError  # noqa: E402
from rankexp.runner import cli  # noqa: E402
from rankexp.runner.run.record import Record  # noqa: E402
from rankexp.runner.run.sealed import open_sealed  # noqa: E402
from rankexp.runner.run.store import Store, unpack  # noqa: E402

STUDY = """
version: 1
study: soak
title: Do records survive?
seed: 7
data: {{customers: {{source: {{file: {data}}}, target: left, levels: ["no", "yes"]}}}}
generators: {{line: {{generator: linear, params: {{d: 3}}}}}}
methods:
  points: {{params: {{loss: logistic, risk: classification}}, lambdas: [1, 0.01]}}
  pairs: {{params: {{loss: logistic, risk: bipartite}}, lambdas: [1, 0.01]}}
  slow: {{estimator: toys.Slow}}
experiments:
  figure:
    problems: [line]
    methods: [points, slow]
    protocol: {{kind: models, models: 8, training_sets: 2, n_train: 60, n_test: 80}}
  table:
    problems: [customers]
    methods: [points, pairs, slow]
    metrics: [auc]
    keep: {{scores: true}}
    protocol: {{kind: cross_validation, repeats: 2, folds: 5, stratified: true}}
report:
  - {{block: chosen_grid, name: chosen, experiment: table}}
  - {{block: completeness, name: done, experiment: [figure, table]}}
"""
LONGEST = 300.0  # seconds of a run, on a machine that does much else
CODES = {0, 1, 4, cli.INTERRUPTED, -signal.SIGKILL, -signal.SIGTERM}


def content_of(folder: Path) -> dict[str, str]:
    """Return the records, times aside."""
    return {k: told(r) for k, r in Store(folder).read().items()}


def told(record: Record) -> str:
    """Return what a record says, but for times, and that kept scores were damaged."""
    warnings = [text for text in record.warnings if "kept scores" not in text]
    return repr(replace(record, times={}, warnings=warnings))


def tables_of(folder: Path) -> dict[str, bytes]:
    """Return what a report has written into its folder."""
    return {f.name: f.read_bytes() for f in folder.iterdir() if f.is_file()}


@dataclass
class Process:
    """A command at work, in a process of its own, with its output in a file."""

    pid: int
    output: Path
    jobs: int
    code: int | None = None
    since: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Whether it has ended."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code is not None

    def workers(self) -> list[int]:
        """Return the processes that belong to it, where the system tells."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError, ValueError):
                known = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(known[1]) == self.pid and "popen_loky" in (entry / "cmdline").read_text():
                    found.append(int(entry.name))
        return found


class Soak:
    """The folder, what was reported of it, and what went wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.draw = folder, random.Random(seed)
        self.results, self.study = folder / "results", folder / "study.yaml"
        self.place = self.results / "soak"
        self.reports = folder / "reported"
        self.damaged: dict[str, float] = {}  # when the record was last in a file that was damaged
        self.sealed: dict[Path, bytes] = {}  # sealed files that were damaged, as they were
        self.faults, self.wrong, self.codes = Counter[str](), Counter[str](), Counter[str]()
        self.story: list[str] = []  # of this round
        self.runs = self.rounds = 0
        os.environ["RANKEXP_CACHE"] = str(folder / "cache")
        shutil.copy(ROOT / "rankexp/../configs/example.csv", folder / "customers.csv")
        self.study.write_text(STUDY.format(data="customers.csv"))

    # What is run.

    def start(self, *command: str, disk: Failing | None = None, clock: float = 0.0) -> Process:
        """Start a command of rankexp in a process of its own, with its own group."""
        self.runs += 1
        output = self.folder / f"output-{self.runs}"
        output.touch()  # a process may be killed before it does anything
        pid = os.fork()
        if pid:
            return Process(pid, output, 2 if "2" in command else 1)
        code = 70
        try:
            os.setsid()
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(
                    number,
                    signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL,
                )
            file = os.open(output, os.O_WRONLY | os.O_APPEND)
            os.dup2(file, sys.stdout.fileno())
            os.dup2(file, sys.stderr.fileno())
            sys.argv = ["rankexp", *command]
            with ExitStack() as stack:
                self._reporting(stack)
                if clock:
                    now = time.time
                    stack.enter_context(mock.patch("time.time", lambda: now() - clock))
                    stack.enter_context(
                        mock.patch("time.time_ns", lambda: int((now() - clock) * 1e9))
                    )
                if disk:
                    stack.enter_context(disk)
                cli.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(Exception):
                sys.stdout.flush(), sys.stderr.flush()
            os._exit(code)

    def _reporting(self, stack: ExitStack) -> None:
        """Note each record that the store says it has written."""
        log = os.open(self.reports, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        real = Store.write_packed

        def write_packed(store: Store, job: str, keys: list[str], content: bytes) -> None:
            real(store, job, keys, content)
            os.write(log, (json.dumps([time.monotonic(), *keys]) + "\n").encode())

        stack.enter_context(mock.patch.object(Store, "write_packed", write_packed))

    def run(self, *options: str, jobs: int = 1, **how: object) -> Process:
        """Start a run of the study."""
        command = ["run", str(self.study), "--results", str(self.results), "--jobs", str(jobs)]
        return self.start(*command, *options, **how)  # type: ignore[arg-type]

    def wait(self, *processes: Process) -> None:
        """Wait until all have ended, and judge how."""
        while not all(process.over() for process in processes):
            for process in processes:
                if time.monotonic() - process.since > LONGEST and not process.over():
                    self.wrong["hung"] += 1
                    self.say("hung", process.output.read_text(errors="replace")[-2000:])
                    os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.01)
        for process in processes:
            text = process.output.read_text(errors="replace")
            self.codes[str(process.code)] += 1
            self.story.append(f"{time.monotonic():.2f} a run ended with {process.code}")
            if "internal error" in text or process.code == 70:
                self.wrong["an internal error"] += 1
                self.say("an internal error", text[-3000:])
            # What is damaged while it is in use ends a run in one sentence.
            elif process.code not in CODES | ({2} if self.sealed else set()) and not re.search(
                r"run the study first|manifest|snapshot|cannot be read", text
            ):
                self.wrong[f"exit code {process.code}"] += 1
                self.say(f"exit code {process.code}", text[-3000:])
            process.output.unlink()

    # What goes wrong.

    def fault(self, name: str) -> None:
        """Count a fault."""
        self.faults[name] += 1
        self.story.append(f"{time.monotonic():.2f} {name}")

    def disk(self) -> Failing:
        """Return a disk that fails once, or from some operation on."""
        name, ever = self.draw.choice([*ERRORS]), self.draw.random() < 0.4
        self.fault(f"{name}{' from then on' * ever}")
        return Failing(self.folder, ERRORS[name], self.draw.randrange(500), ever=ever)

    def kill(self, process: Process, how: str = "") -> None:
        """Kill a run, its workers, or both; or ask it to end."""
        if process.over():
            return
        how = how or self.draw.choice(["run", "group", "worker", "SIGTERM", "SIGINT"])
        if how == "worker":
            until = time.monotonic() + 20 * (process.jobs > 1)  # they take their time to come
            while not (workers := process.workers()) and time.monotonic() < until:
                if process.over():
                    return
                time.sleep(0.05)
            if not workers:
                return
            with suppress(ProcessLookupError):
                os.kill(self.draw.choice(workers), signal.SIGKILL)
        elif how == "group":
            with suppress(ProcessLookupError):  # it has not yet made one
                os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(process.pid, getattr(signal, how) if how[0] == "S" else signal.SIGKILL)
        self.fault(f"{how} killed" if how[0] != "S" else how)

    def damage(self) -> None:
        """Flip bits of a file, cut it, or empty it, whatever file it is."""
        below = [*self.place.rglob("*"), *(self.folder / "cache").rglob("*")]
        files = [f for f in below if f.is_file() and f.suffix in {".json", ".xz", ".npz", ".lock"}]
        records = [f for f in files if f.parent.parent.name == "records" or f.suffix == ".xz"]
        if not files:
            return
        file = self.draw.choice(records if records and self.draw.random() < 0.7 else files)
        with suppress(FileNotFoundError), file.open("r+b", buffering=0) as opened:
            content = opened.read()
            if not content:
                return
            self._exempt(file, content)
            match self.draw.choice(["flip", "flip", "cut", "empty"]):
                case "flip":
                    for _ in range(self.draw.choice([1, 8])):
                        at = self.draw.randrange(len(content))
                        opened.seek(at)
                        opened.write(bytes([content[at] ^ (1 << self.draw.randrange(8))]))
                    self.fault(f"bits flipped in {file.suffix or file.name}")
                case "cut":
                    opened.truncate(self.draw.randrange(len(content)))
                    self.fault(f"{file.suffix or file.name} cut")
                case "empty":
                    opened.truncate(0)
                    self.fault(f"{file.suffix or file.name} emptied")

    def _exempt(self, file: Path, content: bytes) -> None:
        """Expect nothing of the records that a file holds which is about to be damaged."""
        keys: list[str] = []
        if file.suffix == ".xz":
            with suppress(ConfigError):
                keys = [record.key for _, record in open_sealed(file)]
                self.sealed.setdefault(file, content)
        elif file.parent.parent.name == "records":
            with suppress(ValueError):
                keys = [record.key for record in unpack(content)[2]]
        self.damaged |= dict.fromkeys(keys, time.monotonic())

    def remove(self) -> None:
        """Remove a folder of records, or all of them, as a user might by mistake."""
        folders = [f for f in self.place.glob("records/*") if f.is_dir()]
        if not folders:
            return
        gone = self.draw.choice([*folders, self.place] if self.draw.random() < 0.2 else folders)
        for file in gone.rglob("*"):
            with suppress(OSError):
                if file.suffix in {".json", ".xz"}:
                    self._exempt(file, file.read_bytes())
        shutil.rmtree(gone, ignore_errors=True)
        for file in [*self.sealed]:
            if not file.exists():
                del self.sealed[file]
        everything = self.reported() if gone == self.place else {}
        self.damaged |= dict.fromkeys(everything, time.monotonic())
        self.fault("folder removed")

    # What must be.

    def reported(self) -> dict[str, float]:
        """Return when each record was last reported as made."""
        found: dict[str, float] = {}
        for line in self.reports.read_text().splitlines() if self.reports.exists() else ():
            when, *keys = json.loads(line)
            found |= dict.fromkeys(keys, when)
        return found

    def check(self, where: str) -> None:
        """Look for records that are lost, or wrong."""
        while True:
            try:
                found = Store(self.place).read()
                break
            except ConfigError as error:
                (file, before) = next(
                    (f, c) for f, c in self.sealed.items() if str(f) in str(error)
                )
                del self.sealed[file]
                restored = self.draw.random() < 0.5
                file.write_bytes(before) if restored else file.unlink()
        self.sealed.clear()
        lost = {
            key: when
            for key, when in self.reported().items()
            if key not in found and when > self.damaged.get(key, -1.0) + 1.0
        }
        if lost:
            self.wrong["lost"] += len(lost)
            self.say("lost", f"{where}: {len(lost)}, {[*lost.items()][:3]}")
        for key, record in found.items():
            killed = record.status == "failed" and "SIGKILL" in (record.reason or "")
            if not killed and told(record) != self.records.get(key):
                self.wrong["wrong"] += 1
                self.say("wrong", f"{where}: {record}")

    def undisturbed(self) -> None:
        """Run the study twice as it should be: what is equal in both is what must be, later."""
        both = []
        for turn in (1, 2):
            self.wait(process := self.run())
            assert process.code == 0, "the undisturbed run failed"
            both.append((content_of(self.place), tables_of(self.place)))
            shutil.rmtree(self.results)
            self.reports.unlink()
            print(f"undisturbed run {turn} of 2: {len(both[-1][0])} records", flush=True)
        (self.records, self.tables), (again, tables) = both
        assert self.records == again
        self.tables = {k: v for k, v in self.tables.items() if tables[k] == v}
        assert {"scores.csv", "chosen.csv", "done.csv", "chosen.md"} <= self.tables.keys()

    def round(self) -> None:
        """Run a few times with faults, then once without; all must be as undisturbed."""
        self.rounds += 1
        self.story.clear()
        for _ in range(self.draw.randint(3, 6)):
            self.disturbed()
        plain = self.run("--retry", "failed")
        self.wait(plain)
        self.check("after the plain run")
        if plain.code != 0:
            self.wrong["a plain run did not end well"] += 1
        content, tables = content_of(self.place), tables_of(self.place)
        if content != self.records:
            self.wrong["records"] += 1
            self.say("records", f"differ: {sorted(content.items() ^ self.records.items())[:2]}")
        rescored = any(
            "kept scores" in repr(r.warnings) for r in Store(self.place).read().values()
        )
        for name, made in self.tables.items():
            if rescored and name.startswith("done"):
                continue  # it counts warnings
            if tables.get(name) != made:
                self.wrong["tables"] += 1
                self.say("tables", f"{name} differs in round {self.rounds}")
        if self.draw.random() < 0.7:
            shutil.rmtree(self.results)
            self.reports.unlink(missing_ok=True)
            self.damaged.clear()

    def disturbed(self) -> None:
        """Run once, with what goes wrong meanwhile."""
        draw = self.draw
        disk = self.disk() if draw.random() < 0.4 else None
        clock = draw.choice([3600.0, 3e7]) if draw.random() < 0.1 else 0.0
        if clock:
            self.fault("clock back")
        again = ["--redo"] if draw.random() < 0.2 else []
        at_work = [self.run(*again, jobs=draw.choice([1, 1, 2]), disk=disk, clock=clock)]
        events: list[Callable[[], None]] = [
            lambda: self.kill(at_work[0]),
            lambda: self.kill(at_work[0]),
            self.damage,
            self.damage,
            self.remove,
            lambda: self.second(at_work),
            lambda: self.packing(at_work),
        ]
        weights = [4, 4, 3, 3, 1, 2, 1]
        if at_work[0].jobs > 1 and draw.random() < 0.6:
            self.kill(at_work[0], "worker")
        for event in draw.choices(events, weights, k=draw.randint(3, 7)):
            until = time.monotonic() + draw.choice([0.05, 0.5, 2.0]) * draw.random()
            while time.monotonic() < until and not at_work[0].over():
                time.sleep(0.005)
            event()
        self.wait(*at_work)
        self.check(f"in round {self.rounds}")

    def second(self, at_work: list[Process]) -> None:
        """Start a run beside the first."""
        self.fault("second run")
        at_work.append(self.run(jobs=self.draw.choice([1, 2])))

    def packing(self, at_work: list[Process]) -> None:
        """Seal records while they are made."""
        if (self.place / "manifest.json").exists():
            self.fault("packed meanwhile")
            at_work.append(self.start("pack", str(self.place)))

    def say(self, what: str, text: str) -> None:
        """Print what went wrong."""
        print(f"! {what}: {text[:3000]}\n  after {'; '.join(self.story)}", flush=True)

    def summary(self) -> str:
        """Return what was injected, survived and lost."""
        injected = self.faults.total()
        kinds = ", ".join(f"{count} {name}" for name, count in self.faults.most_common())
        codes = ", ".join(f"{code} ({count})" for code, count in self.codes.most_common())
        return (
            f"faults injected: {injected} ({kinds})\n"
            f"runs: {self.runs}, exit codes: {codes}; rounds that ended as undisturbed: "
            f"{self.rounds} of {self.rounds if not self.wrong else '?'}\n"
            f"survived: {injected - min(injected, self.wrong.total())}; records lost: "
            f"{self.wrong['lost']}, wrong: {self.wrong['wrong'] + self.wrong['records']}; tables "
            f"that differ: {self.wrong['tables']}; else: "
            + (
                ", ".join(
                    f"{count} {name}"
                    for name, count in self.wrong.items()
                    if count and name not in {"lost", "wrong", "records", "tables"}
                )
                or "nothing"
            )
        )


def main() -> int:
    """Soak for some minutes; 1 where anything was lost or wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rankexp-soak-") as name:
        soak = Soak(Path(name), options.seed)
        soak.undisturbed()
        end = told = time.monotonic() + options.minutes * 60
        told -= options.minutes * 60
        while time.monotonic() < end:
            soak.round()
            if time.monotonic() > told + 60:
                told = time.monotonic()
                print(f"{soak.rounds} rounds, {soak.faults.total()} faults", flush=True)
        print(soak.summary())
    return int(soak.wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
