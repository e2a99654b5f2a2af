"""``rankexp compare`` from the file to the answer."""

import math
import re
import sys
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.analyse import select
from rankexp.compare import budget, study
from rankexp.compare.methods import offer
from rankexp.compare.question import MARGINS, ask
from rankexp.compare.widening import widened
from rankexp.config.load import load
from rankexp.config.methods import takes
from rankexp.config.schema import Method, Study
from rankexp.data.dataset import Dataset
from rankexp.data.find import find
from rankexp.data.inspect import inspect_table, target_values
from rankexp.data.reading import Reading
from rankexp.errors import ConfigError
from rankexp.files import write_atomically
from rankexp.protocols.dealing import duplicates
from rankexp.report.build import Report, open_report
from rankexp.report.render import terminal
from rankexp.run.execute import Outcome, execute
from rankexp.run.workers import default_workers

FEWEST_ROWS = 3
"""Of each level: with fewer there is nothing to split."""
RESERVED = 8.0
"""Seconds kept for starting workers and for the report."""
INTERRUPTED = 130
FEWEST_DIFFERENT = 10
"""Combinations of features: with fewer, splits between them would be too coarse."""
WIDTH = 100
WRITTEN = ("study.yaml", "report.md")
"""Of what is written, what a user may have under the same name."""
ROUNDS = 4
"""Times that grids are made wider before the answer is given with what there is."""


@dataclass(frozen=True)
class Options:
    """What a user asks for; see ``rankexp compare --help``."""

    target: str
    positive: str | None = None
    levels: list[str] | None = None
    continuous: bool = False
    groups: str | None = None
    weights: str | None = None
    methods: list[str] | None = None
    margin: float | None = None
    minutes: float = 5.0
    out: Path | None = None
    jobs: int | None = None
    reading: Mapping[str, Any] = field(
        default_factory=dict
    )  # options of the data entry on how the file is read


def compare(table: Path, options: Options) -> int:
    """Answer whether training on pairs helps on a table; return the exit code.

    Raises
    ------
    ConfigError, DataError
        The table cannot be read, the target says nothing, an option names what there is not.
    """
    end = time.monotonic() + 60 * options.minutes
    _check(options)
    folder = options.out or Path(f"compare-{_safe(table.stem)}")
    _check_folder(folder)
    asked, reading = _asked(table, options)
    print(reading.text())
    for line in [*(f"Guessed: {guess}." for guess in asked.question.guesses), asked.offer.remark]:
        print(line) if line else None
    session = _Session(asked, folder, options.jobs or default_workers(), end)
    session.design()
    session.widen()
    return session.finish()


def _check(options: Options) -> None:
    """Refuse options that contradict each other, by the names that the user gave."""
    margin = options.margin
    if margin is not None and not (margin > 0 and math.isfinite(margin)):
        raise ConfigError(f"--margin: expected a number above 0, got {margin:g}")
    uses = {
        "--groups": [options.groups],
        "--weights": [options.weights],
        "--drop": options.reading.get("drop", ()),
    }
    for name, columns in uses.items():
        if options.target in columns:
            raise ConfigError(f"{name}: column '{options.target}' is the target already")


def _check_folder(folder: Path) -> None:
    """Refuse a folder in which something of the user's would be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--out: '{folder}' is a file; name a folder")
    if folder.resolve().name != _safe(folder.resolve().name):
        raise ConfigError(
            f"--out: the folder's name is that of the study, too; instead of "
            f"'{folder.resolve().name}' take letters, digits, '_', '.' and '-': "
            f"'{_safe(folder.resolve().name)}'"
        )
    file = folder / "study.yaml"
    ours = file.is_file() and file.read_text(encoding="utf-8", errors="replace").startswith(
        study.MARK
    )
    there = [name for name in WRITTEN if (folder / name).exists()]
    if there and not ours:
        raise ConfigError(
            f"'{folder}' holds {' and '.join(there)} that 'rankexp compare' did not write; name "
            "another folder with --out"
        )


def _beside(folder: Path) -> str:
    """Return the folder to name as that of results, so that a run goes on with what is done."""
    return folder.parent.as_posix() if folder.name else folder.resolve().parent.as_posix()


def _together(dataset: Dataset) -> str | None:
    """Return which rows a split keeps on one side, and say what is not plain; None: no rows."""
    if dataset.groups is not None:
        if (groups := len(np.unique(dataset.groups))) < FEWEST_ROWS:
            raise ConfigError(
                f"--groups: the column has {groups} different values; at least {FEWEST_ROWS} are "
                "needed to train on some and to test on others"
            )
        return "groups"
    different = len(np.unique(duplicates(dataset.X)))
    if different < 2:
        raise ConfigError("the features are the same in every row: there is nothing to rank by")
    repeated = len(dataset.X) - different
    if repeated and different < FEWEST_DIFFERENT:
        print(
            f"Rows have only {different} different combinations of features: equal ones may lie "
            "on both sides of a split."
        )
        return None
    if repeated:
        print(f"{repeated:,} rows repeat another's features: a split keeps them on one side.")
    return "duplicates" if repeated else None


def _safe(text: str) -> str:
    """Return a text that a folder and a study can be called by."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-._") or "table"


def _asked(table: Path, options: Options) -> tuple[study.Asked, Reading]:
    """Read the table and tell what is asked of it."""
    how = dict(options.reading) | {
        "groups": options.groups,
        "weights": options.weights,
    }
    how = {name: value for name, value in how.items() if value not in (None, [], ())}
    question = ask(
        options.target,
        target_values(table, target=options.target, **how),
        positive=options.positive,
        levels=options.levels,
        continuous=options.continuous,
    )
    if question.fewest is not None and question.fewest < FEWEST_ROWS:
        rare = min(question.counts, key=lambda name: question.counts[name])
        rows = f"{question.fewest} row{'s' * (question.fewest > 1)}"
        raise ConfigError(
            f"target '{options.target}' has {rows} of '{rare}'; at least {FEWEST_ROWS} of each "
            "value are needed to train on some and to test on others"
        )
    reading = inspect_table(table, target=options.target, levels=question.levels, **how)
    offered = offer(question.kind, options.methods)
    margin = MARGINS[question.metric] if options.margin is None else options.margin
    return study.Asked(table, options.target, question, offered, how, margin), reading


class _Session:
    """One comparison: what is run becomes known step by step, each step a run of the study."""

    def __init__(self, asked: study.Asked, folder: Path, workers: int, end: float) -> None:
        self.asked, self.folder, self.workers, self.end = asked, folder, workers, end
        self.methods = {name: dict(method) for name, method in asked.offer.methods.items()}
        self.protocol: dict[str, Any] = {"kind": "cross_validation", "folds": 2}
        self.file = folder / "study.yaml"
        self.repeats = 1
        self.seconds = 0.0  # that one repeat took

    @property
    def left(self) -> float:
        """Seconds left for fitting."""
        return self.end - time.monotonic() - RESERVED

    def _write(self, repeats: int) -> Study:
        """Write the study and return it as it is read."""
        protocol = {**self.protocol, "repeats": repeats}
        name = _safe(self.folder.resolve().name)
        made = study.content(self.asked, name, self.folder, protocol, self.methods)
        write_atomically(
            self.file, study.text(made, self.file.as_posix(), _beside(self.folder)).encode()
        )
        return load(self.file)

    def design(self) -> None:
        """Time the methods on parts of the data, and take the splits that the time allows."""
        self._leave_out_without_weights()
        trial = self._write(1)
        dataset = find("data", trial.data["data"], [self.folder]).dataset
        self.asked = replace(self.asked, inner=budget.inner_folds(dataset))
        base: dict[str, object] = {}
        if dataset.levels is not None:
            base["stratified"] = True
        if together := _together(dataset):
            base["together"] = together
        costs, failed = budget.pilot(trial, dataset, self.left)
        self._leave_out(failed)
        found = budget.design(
            {name: costs[name] for name in self.methods},
            self.contrasts,
            dataset,
            budget.Allowance(self.left, self.workers, self.asked.inner),
            base,
        )
        for line in found.words:
            print(f"{line}.")
        self.methods = {name: self.methods[name] for name in found.methods}
        self.protocol, self.most = found.protocol, found.repeats

    @property
    def contrasts(self) -> dict[str, str]:
        """Methods on pairs and their likes that are still compared."""
        pairs = self.asked.offer.contrasts.items()
        return {p: q for p, q in pairs if p in self.methods and q in self.methods}

    def _leave_out_without_weights(self) -> None:
        """Leave out methods that take no weights, where rows have weights."""
        if "weights" in self.asked.entry:
            self._leave_out(
                {
                    name: "it takes no weights of rows"
                    for name, method in self.methods.items()
                    if "sample_weight" not in takes(Method.model_validate(method))
                }
            )

    def _leave_out(self, reasons: Mapping[str, str]) -> None:
        for name, why in reasons.items():
            print(f"{name} is left out: {why}.")
            del self.methods[name]
        if not self.contrasts:
            weights = self.asked.entry.get("weights")
            way = f"; without --weights and with --drop {weights} there is" if weights else ""
            raise ConfigError(f"no method on pairs is left beside its like on points{way}")

    def widen(self) -> None:
        """Run the first repeat; where choices lie at an edge, with wider grids, again."""
        for _ in range(ROUNDS):
            start = time.monotonic()
            outcome = self._run(1)
            self.seconds = max(self.seconds, time.monotonic() - start)
            if outcome.exit_code not in (0, 1) or self.left < 2 * self.seconds:
                return
            wider = {
                name: made
                for name, edges in _edges(self.folder).items()
                if (made := widened(self.methods[name], edges)) is not None
            }
            if not wider:
                return
            print(f"Wider grids, as choices lay at their ends: {', '.join(wider)}.")
            self.methods |= wider

    def _run(self, repeats: int) -> Outcome:
        self.repeats = repeats
        made = self._write(repeats)
        results = self.folder.resolve().parent
        self.outcome = execute(
            made, results=results, config=self.file, workers=self.workers, plan=False
        )
        return self.outcome

    def finish(self) -> int:
        """Run the further repeats that there is time for, and print the answer."""
        repeats = min(self.most, 1 + int(max(0.0, self.left) // max(self.seconds, 0.1)))
        if self.outcome.exit_code in (0, 1) and repeats > 1:
            self._run(repeats)
        for line in self.outcome.messages:
            print(line, file=sys.stderr)
        if not self.outcome.records or self.outcome.exit_code == INTERRUPTED:
            return self.outcome.exit_code
        made = open_report(self.outcome.folder, load(self.file), self.outcome.cells)
        written = made.write()
        print(f"\n{_first_screen(made)}\n")
        print(
            f"{len(written)} files in {self.folder}: report.md has all, answer.png shows it; "
            "study.yaml is what was run, to edit and run again"
        )
        return max(self.outcome.exit_code, made.exit_code)


def _first_screen(made: Report) -> str:
    """Return the answer and its table, without the rest of the report."""
    lines = terminal.render(made.blocks[0].output).split("\n")
    table = {
        line for one in made.blocks[0].output.tables for line in terminal.table(one).split("\n")
    }
    return "\n".join(line if line in table else textwrap.fill(line, WIDTH) for line in lines)


def _edges(folder: Path) -> dict[str, list[str]]:
    """Return where in their grids choices lie, for each method of which one lies at an edge."""
    context = open_report(folder).context
    setup = context.evaluate(study.EXPERIMENT)
    metric = context.metric(study.EXPERIMENT, None)
    chosen = context.chosen(study.EXPERIMENT, metric, select.Rule("nested"), setup.methods)
    found: dict[str, list[str]] = {}
    scores = context.scores(study.EXPERIMENT, metric)
    for method, own in chosen.groupby("method", sort=False):
        grids = list(scores.loc[scores["method"] == method, "grid"].unique())
        edges = [edge for grid in own["grid"] if (edge := select.edge(grid, grids))]
        if edges:
            found[str(method)] = edges
    return found
