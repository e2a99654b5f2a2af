"""Rebuild every table and figure of a results folder from its manifest and records alone."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd
from pydantic import ValidationError

from rankexp import plan, registry
from rankexp.analyse import complete
from rankexp.analyse.frame import COLUMNS
from rankexp.config.schema import Block, Evaluate, Study
from rankexp.errors import ConfigError
from rankexp.metrics.base import parse
from rankexp.report.context import Context
from rankexp.report.figure import finish, styled
from rankexp.report.model import Output, Section
from rankexp.report.page import page
from rankexp.report.render import csv, markdown, terminal
from rankexp.report.write import pictures, texts, write_figure, write_texts
from rankexp.run.manifest import facts_of, read_manifest
from rankexp.run.store import Store


@dataclass
class Report:
    """All blocks of a study, made once.

    Attributes
    ----------
    context : Context
    folder : Path
        Where the files go.
    """

    context: Context
    folder: Path

    @cached_property
    def blocks(self) -> list[tuple[Block, Output]]:
        """Each block of the study with what it shows.

        Raises
        ------
        ConfigError
            Where a block's kind or options are wrong.
        """
        with styled():
            return [(block, self._output(block)) for block in self.context.study.report]

    def _output(self, block: Block) -> Output:
        try:
            kind = registry.get("report.blocks", block.block)
            options = kind.model_validate(block.options)
        except (registry.UnknownNameError, ValidationError) as error:
            raise ConfigError(f"report block '{block.name}': {error}") from error
        output = options.output(self.context, block)
        assert isinstance(output, Output)
        if output.figure is not None:
            finish(output.figure, output.incomplete)
        return output

    def write(self) -> list[Path]:
        """Write all files and return their paths."""
        scores = csv.table(scores_table(self.context))
        written = write_texts(self.folder, {"scores.csv": scores})
        sections = []
        with styled():
            for block, output in self.blocks:
                made = texts(block.name, output)
                written += write_texts(self.folder, made)
                written += write_figure(self.folder, block.name, output)
                files = [*pictures(block.name, output), *made]
                title = block.title or block.name
                sections.append(Section(title, block.text or "", output, files))
        report = markdown.page(page(self.context, sections))
        return [*written, *write_texts(self.folder, {"report.md": report})]

    def summary(self) -> str:
        """Return the main tables as plain text, without blocks that nothing was run for."""
        parts = []
        for block, output in self.blocks:
            if self.context.has_records(self.context.experiments(block)):
                parts.append(f"{block.title or block.name}\n\n{terminal.render(output)}")
        return "\n\n\n".join(parts)


def open_report(folder: Path) -> Report:
    """Return the report of a results folder.

    Raises
    ------
    ConfigError
        Where the manifest is missing or of another format.
    """
    return Report(open_results(folder), folder)


def open_results(folder: Path) -> Context:
    """Read a results folder's manifest and records (see `open_report`)."""
    manifest = read_manifest(folder)
    if not manifest:
        raise ConfigError(f"{folder / 'manifest.json'} is missing; run the study again")
    try:
        study = Study.model_validate(manifest["study"])
    except ValidationError as error:
        raise ConfigError(
            f"{folder / 'manifest.json'}: its study is of another format; run the study again: "
            f"{error}"
        ) from error
    cells = list(plan.cells(study, facts_of(manifest)))
    store = Store(folder)
    records = store.read()
    return Context(study, cells, records, manifest, list(store.problems))


def build(folder: Path) -> list[Path]:
    """Write every table, figure and the page of a results folder; return the files' paths.

    Raises
    ------
    ConfigError
        See `open_report`; also where there are no records: tables that came without them, as
        those of a fresh clone do, are kept rather than replaced by empty ones.
    """
    report = open_report(folder)
    if not report.context.records:
        raise ConfigError(
            f"{folder}: there are no records to make tables from, so its files were left as they "
            "are; run the study first"
        )
    return report.write()


def summary(folder: Path) -> str:
    """Return the main tables of a results folder as plain text."""
    return open_report(folder).summary()


def progress(folder: Path) -> str:
    """Return what is done, missing and failed in a results folder, a line an experiment."""
    context = open_results(folder)
    lines = [f"{folder}: {context.study.title}"]
    for name in context.study.experiments:
        total = complete.total(c for key, c in context.counts.items() if key[0] == name)
        lines.append(f"  {name}: {complete.shortfall(total) or f'complete, {total.ok} records'}")
        lines += [f"    {count} x {reason}" for reason, count in total.reasons.most_common(5)]
    lines += [f"  {problem}" for problem in context.problems]
    return "\n".join(lines)


def scores_table(context: Context) -> pd.DataFrame:
    """Return the rows of ``scores.csv``: every metric of every grid point.

    Fitted quantities (objective, gap, ...) stay in the records. What belongs to a model, not
    to a method (``rank_loss:bayes``, the Bayes scorer's loss), stands there once a model, with
    an empty method, rep and grid.
    """
    frame = context.frame
    keep = frame["metric"] == ""
    bayes = frame["metric"] == "\0"
    for name, setup in context.study.experiments.items():
        own = frame["experiment"] == name
        if not isinstance(setup, Evaluate):
            keep |= own
            continue
        metrics = [repr(parse(metric)) for metric in setup.metrics]
        keep |= own & frame["metric"].isin(metrics)
        bayes |= own & frame["metric"].isin([f"{metric}:bayes" for metric in metrics])
    once = frame[bayes].drop_duplicates(["experiment", "problem", "model", "metric"])
    once = once.drop(columns=["rep", "fold", "method", "grid"])
    return pd.concat([frame[keep], once], ignore_index=True)[COLUMNS]
