"""``rankexp verdicts`` from the table to the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankexp.charts.frame import styled
from rankexp.errors import ConfigError, DataError
from rankexp.runner.compare.study import safe
from rankexp.runner.config.asking import flag, message
from rankexp.runner.data.reading import terminal_width
from rankexp.runner.files import write_atomically
from rankexp.runner.leaderboard.asked import VerdictOptions
from rankexp.runner.leaderboard.judge import Found, judge
from rankexp.runner.leaderboard.shown import Shown
from rankexp.runner.leaderboard.table import Results, results
from rankexp.runner.report.build import ANSWER, files
from rankexp.runner.report.model import Output, Page, Section
from rankexp.runner.report.render import html, markdown, terminal
from rankexp.runner.report.runs import CITED

SHARES = 0.01  # margin of a metric whose values are all between 0 and 1
PARTS = ("standings", "ranks", "pairs", "sets")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What was found, and how it is shown."""

    found: Found
    answer: Output
    sections: dict[str, Section]  # by the names of their files
    reading: Output

    @property
    def first(self) -> Output:
        """The methods by what decides."""
        return next(iter(self.sections.values())).output


def verdicts(path: Path, options: VerdictOptions) -> Verdicts:
    """Judge a table; ConfigError and DataError where an option or the table does not fit."""
    _check(options)
    table = results(path, options)
    margin = options.margin or _margin(table)
    _refuse(table, options)
    found = judge(table, options, margin)
    if not any(one.known for one in found.main):
        why = next(str(own.refusal) for one in found.main for own in one.pairs.values())
        raise DataError(message("leaderboard.nothing", why=why, least=3))
    with styled():
        shown = Shown(found)
        sections = dict(shown.sections())
        reading = Output(notes=shown.reading(margin))
        return Verdicts(found, shown.answer(), sections, reading)


def _check(options: VerdictOptions) -> None:
    margin = options.margin
    if margin is not None and not 0 < margin < np.inf:
        raise ConfigError(f"{flag('margin')}: expected a number above 0, got {margin:g}")
    if options.incomplete not in (None, "drop", "refuse"):
        got = options.incomplete
        raise ConfigError(f"{flag('incomplete')}: expected 'drop' or 'refuse', got '{got}'")


def _margin(table: Results) -> float | None:
    shares = all(np.nanmin(one.values) >= 0 and np.nanmax(one.values) <= 1 for one in table.sets)
    return SHARES if shares else None


def _refuse(table: Results, options: VerdictOptions) -> None:
    if options.incomplete == "refuse" and table.missing:
        raise DataError(message("leaderboard.refused", why=table.missing[0]))


def contents(made: Verdicts, title: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an answer by name."""
    sections: list[Section] = []
    for name, section in made.sections.items():
        own = files(name, section.output)
        yield from own.items()
        first = not sections
        sections.append(
            Section(section.title, "", section.output, list(own), role=name, primary=first)
        )
    head = Section("The answer", "", made.answer, role="summary")
    page = Page(title, "", "", [], [head, *sections], cite=CITED.format(version=_version()))
    yield ANSWER, html.page(page, made.reading).encode(errors="replace")
    last = Section("How the table was read", "", made.reading)
    text = markdown.page(Page(title, "", "", [], [head, *sections, last]))
    yield "answer.md", text.encode(errors="replace")


def _version() -> str:
    from rankexp import __version__

    return __version__


def folder_for(named: Path | None, stem: str) -> Path:
    """Return where an answer goes; files that are not of an earlier one are never replaced."""
    folder = Path(f"verdicts-{safe(stem)}") if named is None else named
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{flag('out')}: '{folder}' is a file; name a folder")
    there = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    foreign = [one for one in there if not one.startswith((*PARTS, "answer."))]
    if foreign or (there and ANSWER not in there):
        name = (foreign or there)[0]
        raise ConfigError(message("leaderboard.folder", folder=folder, there=name))
    return folder


def write(made: Verdicts, folder: Path, title: str) -> int:
    """Write all files of an answer, in place of an earlier one's; return how many."""
    new = dict(contents(made, title))
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in new.items():
        write_atomically(folder / name, content)
    for old in [one for one in folder.iterdir() if one.name not in new]:
        old.unlink()
    return len(new)


def run(path: Path, options: VerdictOptions) -> None:
    """Print the answer and write its files."""
    folder = folder_for(options.out, path.stem)
    made = verdicts(path, options)
    width = terminal_width()
    print(terminal.render(made.reading, width))
    print(f"\n{terminal.render(made.answer, width)}\n")
    print(f"{terminal.render(made.first, width)}\n")
    count = write(made, folder, f"{path.name}: verdicts by {made.found.results.metric}")
    known = {"files": count, "folder": folder, "first": ANSWER}
    print(terminal.wrapped(message("leaderboard.written", **known), width))
