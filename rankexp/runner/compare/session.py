"""One comparison: what is run becomes known step by step, each step a run of the study."""

import math
import sys
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rankexp.errors import ConfigError, DataError
from rankexp.metrics.metric import parse
from rankexp.runner.compare import budget, looking, results, study
from rankexp.runner.compare.methods import growth, narrowed, widened
from rankexp.runner.compare.pilot import HANGS, SHORTEST, pilot
from rankexp.runner.config.asking import message
from rankexp.runner.config.load import load
from rankexp.runner.config.methods import takes
from rankexp.runner.config.schema import Method, Study
from rankexp.runner.data.build import inspect_table
from rankexp.runner.data.find import find
from rankexp.runner.data.reading import terminal_width
from rankexp.runner.diagnostics.diagnostic import Diagnosis
from rankexp.runner.files import write_atomically
from rankexp.runner.report.build import ANSWER, Report, open_report
from rankexp.runner.report.render import terminal
from rankexp.runner.run.execute import execute
from rankexp.runner.run.progress import duration
from rankexp.runner.run.record import Record
from rankexp.runner.run.store import Store
from rankexp.runner.sentences import capital, listed

REPORT = 2.5  # seconds of a processor kept for the report
MOST_RESERVED = 0.25  # of the time, on a machine that is busy
LEAST = 0.05  # of the time: no method is left out to save less
SLOWEST = 8.0  # times a second of a processor may take on a machine that others use, too
LATE = 0.25  # of the time: an answer that comes so much later says so
INTERRUPTED = 130
ROUNDS = 4  # times that grids are made wider before the answer is given with what there is


def say(text: str) -> None:
    """Print a sentence."""
    print(terminal.wrapped(text, terminal_width()))


@dataclass
class Session:
    """One comparison, which began at these seconds of the clock and of the processor."""

    asked: study.Asked
    folder: Path
    workers: int
    minutes: float
    begun: tuple[float, float]
    told: list[str] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)  # of the table
    report: Report | None = None  # once there is one
    ran: bool = False
    records: Mapping[str, Record] | None = None  # of the last run, once they are read
    code: str = ""  # trains the method that the report recommends

    def __post_init__(self) -> None:
        self.end = self.begun[0] + 60 * self.minutes
        self.methods = dict(self.asked.offer.methods)
        self.protocol: Mapping[str, Any] = {"kind": "cross_validation", "folds": 2}
        self.file = self.folder / study.STUDY
        self.reserved = REPORT
        self.given = f"{self.minutes:g} minute{'s' * (self.minutes != 1)}"
        # where intervals come from the spread over splits, most of the time is left for repeats
        spread = self.asked.within or self.asked.question.kind == "continuous"
        self.share = budget.SPREAD_SHARE if spread else budget.SHARE

    @property
    def left(self) -> float:
        """Seconds left for fitting."""
        return self.end - time.monotonic() - self.reserved

    def _content(self, repeats: int) -> dict[str, Any]:
        """Return the study as it is written."""
        more = {} if self.asked.one_test_set else {"repeats": repeats}
        return study.content(self.asked, self.folder, {**self.protocol, **more}, self.methods)

    def read(self) -> None:
        """Read the table, and show how."""
        asked = self.asked
        files = {key: str(file) for key, file in asked.files.items()}
        (entry,) = Study.model_validate(self._content(1)).data.values()
        entry = entry.model_copy(update={"source": files})  # the folder may not exist
        try:
            self.dataset = find(study.PROBLEM, entry, []).dataset
        except DataError:  # what was read shows why
            given = {"levels": asked.question.levels, "test": asked.test, **asked.entry}
            print(inspect_table(asked.table, target=asked.target, **given).text())
            raise
        assert self.dataset.reading is not None
        print(self.dataset.reading.text())
        self.asked = replace(asked, remarks=study.used(self.dataset.reading))
        self.diagnoses = looking.of_table(self.dataset, asked.question)
        for finding in self.diagnoses:
            self.tell(finding.unstopped)
        for guess in asked.question.guesses:
            self.tell(f"guessed: {guess}")
        wall, cpu = time.monotonic() - self.begun[0], time.process_time() - self.begun[1]
        busy = min(max(wall / max(cpu, 0.1), 1.0), SLOWEST)
        self.reserved = max(REPORT, min(REPORT * busy, MOST_RESERVED * 60 * self.minutes))

    def design(self) -> None:
        """Time the methods on parts of the data, and take the splits that the time allows."""
        asked = self.asked
        training, remarks = budget.training(looking.by_time(self.dataset), within=asked.within)
        self._leave_out_without_weights()
        if "weights" in asked.entry:
            remarks = f"{message('compare.weighted')} {remarks}".strip()
        together, said = budget.together(training, "queries" if asked.within else "groups")
        for line in filter(None, (remarks, said)):
            say(line)
        remarks = " ".join(filter(None, (remarks, self.asked.remarks)))
        self.asked = replace(self.asked, inner=budget.inner_folds(training), remarks=remarks)
        for line in looking.of_queries(training, asked.groups, within=asked.within):
            self.tell(line)
        stratified = self.dataset.levels is not None and not asked.one_test_set
        base = {name: v for name, v in (("stratified", stratified), ("together", together)) if v}
        workers = min(self.workers, 1 if asked.one_test_set else budget.outer_folds(training))
        needed = next(iter(asked.contrasts(self.methods).items()))
        if len(training.y) < budget.FEWEST_BOOSTED:
            boosted = [name for name in self.methods if "boost" in name and name != "rankboost"]
            self._leave_out(dict.fromkeys(boosted, budget.CONSTANT))
        made = Study.model_validate(self._content(1))
        least = LEAST * 60 * self.minutes
        costs, failed = pilot(made, training, max(self.left, least), workers, needed)
        self._leave_out(failed)
        allowed = (self.left, workers, self.asked.inner, self._label, self.share, least)
        costs = {name: costs[name] for name in self.methods}
        shares = {name: narrowed(method)[1] for name, method in self.methods.items()}
        given = self.asked.contrasts(self.methods), training, budget.Allowance(*allowed), base
        found = budget.design(costs, *given, shares)
        for line in found.words:
            self.tell(line)
        narrow = {name: narrowed(self.methods[name])[0] for name in found.narrow}
        self.methods = {name: (self.methods | narrow)[name] for name in found.methods}
        self.most, self.fewest, self.stages = found.repeats, found.fewest, found.stages
        self.protocol = found.protocol if self.dataset.times is None else looking.LATER

    def _label(self, name: str) -> str:
        return Method.model_validate(self.asked.offer.methods[name].content).label or name

    def tell(self, text: str) -> None:
        """Say a thing once, here and above the answer in the report."""
        said = f"{capital(text)}."
        if said not in self.asked.remarks:
            say(said)
            self.told.append(said)
            self.asked = replace(self.asked, remarks=f"{self.asked.remarks} {said}".strip())

    def _leave_out_without_weights(self) -> None:
        """Leave out methods that take no weights, where rows have weights."""
        if (weights := self.asked.entry.get("weights")) is None:
            return
        measure = parse(self.asked.question.metric)
        if "sample_weight" not in measure.takes:
            raise ConfigError(message("compare.weightless", measure=measure, weights=weights))
        taken = {n: takes(Method.model_validate(m.content)) for n, m in self.methods.items()}
        lone = [name for name, own in taken.items() if "sample_weight" not in own]
        self._leave_out(dict.fromkeys(lone, "it takes no row weights"))

    def _leave_out(self, reasons: Mapping[str, str]) -> None:
        for name, why in reasons.items():
            self.tell(f"{self._label(name)} is left out: {why}")
            del self.methods[name]
        if not self.asked.contrasts(self.methods):
            raise ConfigError("no loss is left for which both pairs and points can be trained on")

    def first(self) -> None:
        """Run the first repeat: the question to its end, then slow methods while there is time."""
        whole, planned, self.methods = self.methods, 0.0, {}
        for names, seconds in self.stages:
            before = self.methods
            self.methods = {n: m for n, m in whole.items() if n in before or n in names}
            if not before:
                self._run(self.fewest)
            else:
                needed = seconds * self._seconds(before) / planned
                late = needed > self.left
                if late or not self._run(self.fewest, self.end - self.reserved):
                    self.methods = before
                    self._say_late(names, needed if late else None)
                    continue
            planned += seconds
            if not self.going:
                return
        self._run(self.fewest) if self.outcome.stopped else None

    def _say_late(self, names: Sequence[str], needed: float | None) -> None:
        """Say that methods are left out, and how to have them."""
        minutes = math.ceil((60 * self.minutes - self.left + (needed or 0.0)) / self.share / 60)
        known = {"given": self.given, "minutes": minutes, "time": needed and duration(needed)}
        self.tell(message("compare.late", names=[*map(self._label, names)], **known))

    def widen(self) -> None:
        """Run the first repeat again with wider grids where choices lie at an edge."""
        room = self.left * (self.share if self.share < budget.SHARE else 1.0)
        for _ in range(ROUNDS):
            edges = study.edges(self.folder) if self.going else {}
            wider, late, needed = {}, [], 0.0
            for name, own in edges.items():
                if (made := widened(self.methods[name], own)) is None:
                    continue
                seconds = growth(self.methods[name], made) * self._seconds([name])
                if needed + seconds > min(room, self.left):
                    late.append(self._label(name))
                else:
                    wider[name], needed = made, needed + seconds
            room -= needed
            if late:
                self.tell(f"No time is left to try more settings of {listed(late)}")
            if not wider:
                return
            named, before = listed([self._label(name) for name in wider]), self.methods
            say(f"The best settings of {named} are at the end of the range tried. It is widened.")
            self.methods = before | wider
            if not self._run(self.fewest, self.end - self.reserved):
                say("Time ran out; the answer uses the original settings.")
                self.methods = before
                self._run(self.fewest)
                return

    @property
    def going(self) -> bool:
        """Whether the last run left something to go on with."""
        return self.outcome.exit_code in (0, 1) and self.outcome.records > 0

    def _known(self) -> Mapping[str, Record]:
        """Return what the last run left, which is read once."""
        if self.records is None:
            self.records = Store(self.outcome.folder).read()
        return self.records

    def _seconds(self, methods: Container[str], repeats: int = 0) -> float:
        """Return the seconds that repeats take the workers, as the methods' first one took.

        By default they are the fewest.
        """
        known = self._known()
        cells = [c for c in self.outcome.cells or () if c.key in known and not c.place.rep]
        jobs = len({c.place for c in cells})
        records = (known[cell.key] for cell in cells if cell.method in methods)
        spent = sum(record.seconds for record in records if record.times)  # a failed one has none
        return spent / max(jobs, 1) * math.ceil(jobs * (repeats or self.fewest) / self.workers)

    def _run(self, repeats: int, until: float | None = None) -> bool:
        """Run the study as it stands, and tell whether all of it was done in time."""
        parent = self.folder.parent if self.folder.name else self.folder.resolve().parent
        text = study.text(self._content(repeats), self.file.as_posix(), parent.as_posix())
        write_atomically(self.file, text.encode())
        self.outcome = execute(
            load(self.file),
            results=self.folder.resolve().parent,
            config=self.file,
            workers=self.workers,
            retry_failed=not self.ran,  # those of an earlier answer
            plan=False,
            until=until,
            longest=lambda: max(HANGS * self.left, SHORTEST),
        )
        self.ran, self.records = True, None
        return not self.outcome.stopped

    def _repeat(self) -> None:
        """Run further repeats until the time is over; count those that are whole."""
        each = self._seconds(self.methods, budget.MOST_REPEATS) / budget.MOST_REPEATS
        wanted = min(self.most, 1 + int(self.left / max(0.9 * each, 0.1)))
        if wanted <= self.fewest:
            return
        in_time, failed = self._run(wanted, self.end - self.reserved), self.outcome.failed
        if in_time and not failed:
            return
        good = {key for key, record in self._known().items() if record.status == "ok"}
        lacking = [c.place.rep or 0 for c in self.outcome.cells or () if c.key not in good]
        whole = max(min(lacking, default=wanted), self.fewest)
        why = "without a method that failed" if failed else f"within {self.given}"
        self.tell(f"{whole} of {wanted} repeats were run {why}")
        self._run(whole)

    def finish(self) -> int:
        """Run the further repeats that there is time for, and print the answer."""
        if self.going:
            self._repeat()
        for line in self.outcome.messages:
            print(line, file=sys.stderr)
        if not self.outcome.records or self.outcome.exit_code == INTERRUPTED:
            return self.outcome.exit_code
        study, cells = load(self.file), self.outcome.cells
        made = self.report = open_report(self.outcome.folder, study, cells, page=ANSWER)
        written = made.write()
        print(f"\n{terminal.render(made.blocks[0].output, terminal_width())}\n")
        self.code = results.of_report(made, self.asked, self.dataset, self.folder)
        if self.code:
            write_atomically(self.folder / "train.py", self.code.encode())
            say("train.py trains the method recommended on all rows, and saves it:")
            print(f"\n{self.code}")
        else:  # of an earlier answer
            (self.folder / "train.py").unlink(missing_ok=True)
        say(message("compare.written", files=written, folder=self.folder, made=made))
        if (late := time.monotonic() - self.end) > LATE * 60 * self.minutes:
            say(message("compare.took", late=duration(late), given=self.given))
        return max(self.outcome.exit_code, made.exit_code)
