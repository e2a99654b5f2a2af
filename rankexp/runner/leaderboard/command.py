"""``rankexp verdicts`` from the table to the page."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankexp.charts.frame import styled
from rankexp.errors import ConfigError, DataError
from rankexp.runner.compare.study import safe
from rankexp.runner.config.asking import flag, message
from rankexp.runner.data.reading import terminal_width
from rankexp.runner.files import explained, write_atomically
from rankexp.runner.leaderboard.asked import VerdictOptions
from rankexp.runner.leaderboard.judge import judge
from rankexp.runner.leaderboard.result import VerdictsResult
from rankexp.runner.leaderboard.table import Results, results
from rankexp.runner.report.build import ANSWER, files
from rankexp.runner.report.model import Output, Page, Section
from rankexp.runner.report.render import html, markdown, terminal
from rankexp.runner.report.runs import CITED
from rankexp.runner.sentences import paragraphs

SHARES = 0.01  # margin where higher values are better, and all are between 0 and 1
PARTS = ("standings", "ranks", "pairs", "sets")


def verdicts(path: Path, options: VerdictOptions) -> VerdictsResult:
    """Judge a table; ConfigError and DataError where an option or the table does not fit."""
    table = results(path, options)
    margin = options.margin or _margin(table)
    if options.incomplete == "refuse" and table.missing:
        raise DataError(message("leaderboard.refused", why=table.missing))
    found = judge(table, margin)
    if not any(one.known for one in found.main):
        why = next(str(own.refusal) for one in found.main for own in one.pairs.values())
        raise DataError(message("leaderboard.nothing", why=why, least=3))
    known = {"results": table, "options": options, "margin": margin}
    return VerdictsResult(found, Output(notes=paragraphs("leaderboard.read", flag=flag, **known)))


def _margin(table: Results) -> float | None:
    """Return the margin of shares of what is right: of a loss .01 may be all there is."""
    ends = [(np.nanmin(one.values), np.nanmax(one.values)) for one in table.sets]
    shares = table.asked.better == "higher" and all(low >= 0 and high <= 1 for low, high in ends)
    return SHARES if shares else None


def contents(made: VerdictsResult, title: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an answer by name."""
    from rankexp import __version__

    sections = [Section("The answer", "", made.lead, role="summary")]
    for name, section in made.sections.items():
        with styled():
            own = files(name, section.output)
        yield from own.items()
        first = len(sections) == 1
        sections.append(replace(section, files=list(own), role=name, primary=first))
    page = Page(title, "", "", [], sections, cite=CITED.format(version=__version__))
    yield ANSWER, html.page(page, made.reading).encode(errors="replace")
    last = Section("How the table was read", "", made.reading)
    text = markdown.page(Page(title, "", "", [], [*sections, last]))
    yield "answer.md", text.encode(errors="replace")


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


def write(made: VerdictsResult, folder: Path, stem: str) -> int:
    """Write all files of an answer, in place of an earlier one's; return how many."""
    new = dict(contents(made, f"{stem}: verdicts by {made.found.results.metric}"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in new.items():
            write_atomically(folder / name, content)
        for old in [one for one in folder.iterdir() if one.name not in new]:
            old.unlink()
    except OSError as error:
        raise explained(folder, error, flag("out")) from error
    return len(new)


def run(path: Path, options: VerdictOptions) -> None:
    """Print the answer and write its files."""
    folder = folder_for(options.out, path.stem)
    made = verdicts(path, options)
    count, width = write(made, folder, path.name), terminal_width()  # before a pipe may break
    main = [own.output for name, own in made.sections.items() if name.startswith(PARTS[0])]
    for output in (made.reading, made.lead, *main):
        print(f"{terminal.render(output, width)}\n")
    known = {"files": count, "folder": folder, "first": ANSWER}
    print(terminal.wrapped(message("leaderboard.written", **known), width))
