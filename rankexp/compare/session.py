"""One comparison: what is run becomes known step by step, each step a run of the study."""

import sys
import textwrap
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.analyse import select
from rankexp.compare import budget, study
from rankexp.compare.folder import STUDY, safe
from rankexp.compare.pilot import pilot
from rankexp.compare.widening import narrowed, widened
from rankexp.config.load import load
from rankexp.config.methods import takes
from rankexp.config.schema import Method, Study
from rankexp.data.dataset import Dataset
from rankexp.data.find import find
from rankexp.errors import ConfigError
from rankexp.files import write_atomically
from rankexp.metrics.base import parse
from rankexp.protocols.dealing import duplicates
from rankexp.report.build import Report, open_report
from rankexp.report.render import terminal
from rankexp.run.execute import Outcome, execute

FEWEST_ROWS = 3
"""Of each level, and groups: with fewer there is nothing to split."""
FEWEST_DIFFERENT = 10
"""Combinations of features: with fewer, splits between them would be too coarse."""
RESERVED = 8.0
"""Seconds kept for starting workers and for the report."""
INTERRUPTED = 130
WIDTH = 100
ROUNDS = 4
"""Times that grids are made wider before the answer is given with what there is."""
WEIGHTED = (
    "A row of weight 2 counts as two equal rows: a pair counts the product of both weights, in "
    "training on pairs and in the measure."
)


def say(text: str) -> None:
    """Print a sentence."""
    print(textwrap.fill(text, WIDTH))


class Session:
    """One comparison, from the methods to the answer; `end` is the clock's, in seconds."""

    def __init__(self, asked: study.Asked, folder: Path, workers: int, end: float) -> None:
        self.asked, self.folder, self.workers, self.end = asked, folder, workers, end
        self.methods = {name: dict(method) for name, method in asked.offer.methods.items()}
        self.protocol: dict[str, Any] = {"kind": "cross_validation", "folds": 2}
        self.file = folder / STUDY
        self.seconds = 0.0  # that one repeat took

    @property
    def left(self) -> float:
        """Seconds left for fitting."""
        return self.end - time.monotonic() - RESERVED

    def _content(self, repeats: int) -> dict[str, Any]:
        """Return the study as it is written."""
        protocol = dict(self.protocol)
        if protocol["kind"] != "given":
            protocol["repeats"] = repeats
        name = safe(self.folder.resolve().name)
        return study.content(self.asked, name, self.folder, protocol, self.methods)

    def design(self) -> None:
        """Time the methods on parts of the data, and take the splits that the time allows."""
        self._leave_out_without_weights()
        trial = Study.model_validate(self._content(1))
        files = {key: str(file) for key, file in self.asked.files.items()}
        entry = trial.data["data"].model_copy(update={"source": files})  # the folder may not exist
        dataset = find("data", entry, []).dataset
        training, remarks = _training(dataset)
        if "weights" in self.asked.entry and self.asked.question.kind == "two":
            remarks = f"{WEIGHTED} {remarks}".strip()
        say(remarks) if remarks else None
        inner = budget.inner_folds(training)
        self.asked = replace(self.asked, inner=inner, remarks=remarks)
        base: dict[str, object] = {}
        if dataset.levels is not None and dataset.parts is None:
            base["stratified"] = True
        if together := _together(training):
            base["together"] = together
        costs, failed = pilot(trial, training, self.left)
        self._leave_out(failed)
        found = budget.design(
            {name: costs[name] for name in self.methods},
            self.contrasts,
            training,
            budget.Allowance(self.left, self.workers, self.asked.inner),
            base,
            {name: narrowed(method)[1] for name, method in self.methods.items()},
        )
        for line in found.words:
            say(f"{line}.")
        for name in found.narrow:
            self.methods[name] = narrowed(self.methods[name])[0]
        self.methods = {name: self.methods[name] for name in found.methods}
        self.protocol, self.most = found.protocol, found.repeats

    @property
    def contrasts(self) -> dict[str, str]:
        """Methods on pairs and their likes that are still compared."""
        pairs = self.asked.offer.contrasts.items()
        return {p: q for p, q in pairs if p in self.methods and q in self.methods}

    def _leave_out_without_weights(self) -> None:
        """Leave out methods that take no weights, where rows have weights."""
        if weights := self.asked.entry.get("weights"):
            measure = parse(self.asked.question.metric)
            if "sample_weight" not in measure.takes:
                raise ConfigError(
                    "rows with weights can only be compared where the target has two values or is "
                    f"a number to rank by: the measure of ordered levels, {measure!r}, takes no "
                    "weights. To compare with every row counting the same, say --drop "
                    f"{weights} in place of --weights {weights}"
                )
            reason = "it takes no weights of rows"
            known = {n: takes(Method.model_validate(m)) for n, m in self.methods.items()}
            self._leave_out({n: reason for n, own in known.items() if "sample_weight" not in own})

    def _leave_out(self, reasons: Mapping[str, str]) -> None:
        for name, why in reasons.items():
            say(f"{name} is left out: {why}.")
            del self.methods[name]
        if not self.contrasts:
            raise ConfigError("no method on pairs is left beside its like on points")

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
            named = ", ".join(wider)
            say(f"The best settings lay at the end of those tried, so more are tried: {named}.")
            self.methods |= wider

    def _run(self, repeats: int) -> Outcome:
        parent = self.folder.parent if self.folder.name else self.folder.resolve().parent
        text = study.text(self._content(repeats), self.file.as_posix(), parent.as_posix())
        write_atomically(self.file, text.encode())
        self.outcome = execute(
            load(self.file),
            results=self.folder.resolve().parent,
            config=self.file,
            workers=self.workers,
            plan=False,
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
        say(
            f"{len(written)} files in {self.folder}: report.md has all, answer.png shows it; "
            "study.yaml is what was run, to edit and run again"
        )
        return max(self.outcome.exit_code, made.exit_code)


def _training(dataset: Dataset) -> tuple[Dataset, str]:
    """Return the rows to train on, all but those of the test file, and what both files share.

    Raises
    ------
    ConfigError
        A part has too few rows of a level.
    """
    if dataset.parts is None:
        return dataset, ""
    train = dataset.parts == dataset.part_names.index("train")
    for name, rows, least in (("training", train, FEWEST_ROWS), ("test", ~train, 1)):
        levels = dataset.levels or ()
        for code, level in enumerate(levels):
            if (count := int((dataset.y[rows] == code).sum())) < least:
                raise ConfigError(
                    f"the {name} file has {count} row{'s' * (count != 1)} of '{level}', and "
                    f"{least} are needed; merge rare values with others in both files, or leave "
                    "--test out and give all rows in one file"
                )
    said, same = [], duplicates(dataset.X)
    if repeated := int(np.isin(same[~train], same[train]).sum()):
        said.append(
            f"{repeated:,} of the {int((~train).sum()):,} test rows repeat the features of a "
            "training row: for these, methods may recall rather than rank."
        )
    groups, weights = dataset.groups, dataset.weights
    if groups is not None:
        tested = np.unique(groups[~train])
        both = int(np.isin(tested, groups[train]).sum())
        said.append(
            f"{both:,} of the {len(tested):,} groups of the test file are trained on, too; "
            "intervals take its rows as independent, within groups as well."
        )
    made = replace(
        dataset,
        X=dataset.X[train],
        y=dataset.y[train],
        groups=None if groups is None else groups[train],
        weights=None if weights is None else weights[train],
        parts=dataset.parts[train],
    )
    return made, " ".join(said)


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
        say(
            f"Rows have only {different} different combinations of features: equal ones may lie "
            "on both sides of a split."
        )
        return None
    if repeated:
        say(f"{repeated:,} rows repeat another's features: a split keeps them on one side.")
    return "duplicates" if repeated else None


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
