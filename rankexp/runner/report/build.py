"""Rebuild every table and figure of a results folder from its manifest and records alone."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from rankexp import registry
from rankexp.charts import letters
from rankexp.charts.frame import drawn, finish, styled
from rankexp.errors import ConfigError, RankexpError, one_line
from rankexp.metrics.metric import parse
from rankexp.runner import plan
from rankexp.runner.analyse.frame import COLUMNS
from rankexp.runner.config.asking import message, messages
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Block, Evaluate, Study
from rankexp.runner.config.shipped import shipped
from rankexp.runner.files import write_atomically
from rankexp.runner.report import index, runs
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output, Page, Section
from rankexp.runner.report.render import csv, html, latex, markdown, terminal
from rankexp.runner.run.opened import opened
from rankexp.runner.run.store import Store

RENDERERS = (csv, markdown, latex)  # each makes a file of text a block
SLICE = " (quick slice: the numbers are no findings)"


def files(name: str, output: Output) -> dict[str, bytes]:
    """Return a block's files by name: ``name.png``, ``.pdf``, ``.csv``, ``.md``, ``.tex``.

    Where it shows every unit, these are in ``name-units.csv``.
    """
    made = {}
    if output.figure is not None:
        finish(output.figure, output.incomplete)
        made = {f"{name}.{kind}": content for kind, content in drawn(output.figure)}
    for renderer in RENDERERS:
        if (content := renderer.render(output)) is not None:
            made[f"{name}.{renderer.SUFFIX}"] = content.encode()
    if output.units is not None:
        made[f"{name}-units.csv"] = csv.table(output.units).encode()
    return made


def page(context: Context, sections: Sequence[Section], aside: Sequence[Section] = ()) -> Page:
    """Return the page of a study, its blocks being the sections, some of them set aside."""
    study = context.study
    names = list(study.experiments)
    notes = [*runs.facts(context), *runs.wrong(context, names)]
    quick, name = study.study.endswith("-quick"), study.study.removesuffix("-quick")
    return Page(
        title=study.title + SLICE * quick,
        source=study.source or "",
        text=study.text or "",
        incomplete=[" ".join(context.incomplete(names))] if context.incomplete(names) else [],
        sections=[*sections, Section("How it was run", "", Output(notes=notes))],
        aside=aside,
        quick=quick,
        cite=runs.bibtex(context),
        command=f"rankexp run {name}{' --quick' * quick}" if name in shipped() else "",
        problems=sorted({context.problem_label(name) for name in study.data}, key=str.lower),
    )


REFERENCE = "reference"  # beside results: that of full runs, into which no ordinary run writes
PAGE, ANSWER = "report.html", "answer.html"  # of a study, and of `rankexp compare`
MANY = 1_000_000  # rows of scores.csv beyond which they are written as Parquet, too
LOG = "logs/report.log"  # tracebacks of blocks that failed, in the folder of results
REPORTED = ("title", "source", "bibtex", "text", "report")  # what of a study a report alone shows


@dataclass(frozen=True)
class Built:
    """A block of a report as it is written."""

    block: Block
    output: Output
    files: dict[str, bytes] = field(default_factory=dict)  # by name
    error: Exception | None = None  # why it failed

    @property
    def section(self) -> Section:
        """Its part of the page."""
        own, of = self.block, (self.block.block, self.block.primary)
        return Section(own.title or own.name, own.text or "", self.output, [*self.files], *of)

    def on_page(self, said: set[str]) -> Section:
        """Return its part of a page with a head: what has no table is told by its gist, but once.

        `said` are the gists further up.
        """
        own, gist = self.output, "" if self.output.gist in said else self.output.gist
        told = not own.lead and all(one.detail for one in own.tables)
        if gist and (told or self.block.aside):
            said.add(gist)
        lead = [gist] if gist and told else own.lead
        return replace(self.section, output=replace(own, lead=lead, gist=gist))


@dataclass
class Report:
    """All blocks of a study, made once; one that fails takes nothing from the others."""

    context: Context
    folder: Path  # where the files go
    page: str = PAGE
    unwritten: Exception | None = None  # why there is no page to look at

    @cached_property
    def blocks(self) -> list[Built]:
        """Each block of the study with what it shows, or why it cannot.

        Those that gather what others show are built last, and stand in their place.
        """
        blocks, made = self.context.study.report, dict[str, Built]()
        with styled():
            for block in sorted(blocks, key=_gathers):
                made[block.name] = self._build(block)
                self.context.shown[block.name] = made[block.name].output
        return [made[block.name] for block in blocks]

    def _build(self, block: Block) -> Built:
        try:
            output = self._output(block)
            return Built(block, output, files(block.name, output))
        except Exception as error:
            known = isinstance(error, RankexpError)
            why = str(error) if known else f"{one_line(error)} (see {LOG})"
            said = message("report.failed", name=block.name, why=why)
            return Built(block, Output(incomplete=[said], failed=True), error=error)

    def _output(self, block: Block) -> Output:
        try:
            kind = registry.get("report.blocks", block.block)
            options = kind.model_validate(block.options)
        except (registry.UnknownNameError, ValidationError) as error:
            raise ConfigError(f"its options are wrong: {error}") from error
        for fault in options.faults(self.context.study, block):
            raise ConfigError(fault.text)
        output = options.build(self.context, block)
        assert isinstance(output, Output)
        return output

    @property
    def failures(self) -> list[str]:
        """A sentence a block that failed, and one of a page that could not be written."""
        lines = [line for own in self.blocks if own.error for line in own.output.incomplete]
        if self.unwritten:
            known = {"page": self.page, "why": one_line(self.unwritten), "log": LOG}
            lines.append(message("report.unwritten", **known))
        return lines

    @property
    def exit_code(self) -> int:
        """0 where all blocks were made, else the exit code of the worst error."""
        errors = (own.error for own in self.blocks if own.error)
        return max((getattr(error, "exit_code", 1) for error in errors), default=0)

    def write(self) -> list[Path]:
        """Write all files and return their paths.

        Where there are no records it is an error: tables that came without them, as those of a
        fresh clone do, are kept rather than replaced by empty ones.
        """
        if not self.context.records:
            raise ConfigError(message("report.no_records", folder=self.folder))
        # It is the largest: written before blocks are made, it takes no memory beside theirs.
        table = scores_table(self.context)
        contents = {"scores.csv": csv.table(table).encode()}
        contents |= {"scores.parquet": table.to_parquet(index=False)} if len(table) > MANY else {}
        written = [self._written(name, contents.pop(name)) for name in [*contents]]
        for own in self.blocks:
            contents |= own.files
        headed, said = any(_gathers(own.block) for own in self.blocks), set[str]()
        ordered = sorted(self.blocks, key=lambda own: own.block.aside)
        sections = [own.on_page(said) if headed else own.section for own in ordered]
        count = sum(not own.block.aside for own in ordered)
        shown = page(self.context, sections[:count], sections[count:])
        contents |= self._pages(shown)
        if first := index.summary(shown, self.context.study.study):
            contents[index.SUMMARY] = first.encode()
        errors = [*(own.error for own in self.blocks), self.unwritten]
        traces = ["".join(traceback.format_exception(error)) for error in errors if error]
        if traces:
            contents[LOG] = "\n".join(traces).encode(errors="replace")
            (self.folder / LOG).parent.mkdir(exist_ok=True)
        return written + [self._written(name, content) for name, content in contents.items()]

    def _written(self, name: str, content: bytes) -> Path:
        write_atomically(self.folder / name, content)
        return self.folder / name

    def _pages(self, shown: Page) -> dict[str, bytes]:
        """Return the pages by name; one that its template cannot write is left out."""
        run = runs.whole(self.context)
        made = {
            "report.md": markdown.page(shown),
            "run.md": markdown.body(run) + "\n",
            "cite.bib": runs.bibtex(self.context),
        }
        try:
            made[self.page] = html.page(shown, run)
        except Exception as error:
            self.unwritten = error
        return {name: text.encode(errors="replace") for name, text in made.items()}

    @property
    def first(self) -> Path:
        """The page to begin with."""
        return self.folder / ("report.md" if self.unwritten else self.page)

    def summary(self) -> str:
        """Return what the page shows as plain text, without blocks that nothing was run for."""
        totals = [map(self.context.total, own.block.experiments) for own in self.blocks]
        return "\n\n\n".join(
            f"{letters.one_line(own.section.title)}\n\n{terminal.render(own.output)}"
            for own, run in zip(self.blocks, totals, strict=True)
            if own.error or (any(t.missing < t.expected for t in run) and not own.block.aside)
        )


def _gathers(block: Block) -> bool:
    try:
        return bool(registry.get("report.blocks", block.block).gathers)
    except registry.UnknownNameError:  # said where it is built
        return False


def open_report(
    folder: Path,
    study: Study | None = None,
    cells: Sequence[plan.PlanCell] | None = None,
    store: Store | None = None,
    page: str = "",
) -> Report:
    """Return the report of a results folder, see `opened`; `page` is what its page is called."""
    found = opened(folder, study, cells, store)
    reference = folder.resolve().parent / REFERENCE / found.study.study
    page = page or (ANSWER if (folder / ANSWER).is_file() else PAGE)
    return Report(Context(**vars(found), reference=reference), folder, page)


def edited(manifest: Mapping[str, Any]) -> str | None:
    """Say if the file that a study was run from has another report section now."""
    file, then = manifest.get("config"), manifest.get("study", {})
    if not file or not Path(file).is_file():
        return None
    try:
        study = load(Path(file))
        quick = f"{study.study}-quick" == then.get("study")
        study = load(Path(file), "quick") if quick else study
    except RankexpError:
        return f"{file}: there are errors in it now, so the report is that of the last run"
    now = study.model_dump(mode="json", include=set(REPORTED))
    if all(now[part] == then.get(part) for part in REPORTED):
        return None
    return message("report.changed", file=file, quick=quick)


def packed(folder: Path) -> str:
    """Seal the records of the study as it was run, and say what was done."""
    store = Store(folder)
    context = open_report(folder, store=store).context
    keys = dict.fromkeys(cell.key for cell in context.cells)
    file = store.seal({key: context.records[key] for key in keys if key in context.records})
    known = {"folder": folder, "name": file and file.relative_to(folder), "records": len(keys)}
    sealed, useless = len(keys.keys() & store.sealed), len(store.sealed - keys.keys())
    mb = file.stat().st_size / 1e6 if file else 0.0
    lines = messages("packed", sealed=sealed, useless=useless, mb=mb, **known)
    return "\n  ".join([*lines, *context.problems])


def scores_table(context: Context) -> pd.DataFrame:
    """Return the rows of ``scores.csv``: every metric of every grid point.

    Fitted quantities (objective, gap, ...) stay in the records. What belongs to a model, not
    to a method (``rank_loss:bayes``, the Bayes scorer's loss), stands there once a model, with
    an empty method, rep and grid.
    """
    frame = context.frame.assign(grid=context.frame.grid.cat.rename_categories(str))
    keep = frame.metric == ""
    bayes = pd.Series(False, index=frame.index)
    for name, setup in context.study.experiments.items():
        own = frame.experiment == name
        if not isinstance(setup, Evaluate):
            keep |= own
            continue
        metrics = list(map(parse, setup.metrics))
        keep |= own & frame.metric.isin(list(map(repr, metrics)))
        bayes |= own & frame.metric.isin([metric.of_bayes for metric in metrics])
    once = frame[bayes].drop_duplicates(["experiment", "problem", "model", "metric"])
    once = once.drop(columns=["rep", "fold", "method", "grid"])
    return pd.concat([frame[keep], once], ignore_index=True)[COLUMNS]
