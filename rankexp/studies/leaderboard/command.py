"""``rankexp verdicts`` and ``rankexp.verdicts``: from the table to the page."""

import tempfile
from collections.abc import Sequence
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.charts.frame import styled
from rankexp.errors import ConfigError, DataError
from rankexp.runner.compare.study import safe
from rankexp.runner.config.asking import flag, message, messages, said
from rankexp.runner.data.frames import Table, save
from rankexp.runner.data.reading import terminal_width
from rankexp.runner.files import write_atomically
from rankexp.runner.report.build import ANSWER, files
from rankexp.runner.report.model import Output, Page, Section
from rankexp.runner.report.render import html, markdown, terminal
from rankexp.runner.report.runs import CITED
from rankexp.studies.leaderboard.asked import VerdictOptions
from rankexp.studies.leaderboard.judge import judge
from rankexp.studies.leaderboard.result import VerdictsResult
from rankexp.studies.leaderboard.table import results

SHARES = 0.01  # margin where higher values are better, and all are between 0 and 1
PARTS = ("standings", "ranks", "pairs", "sets")
READING = ("nominal", "missing")  # options that say how texts are read
LISTS = ("split", "where", *READING)  # options that may be a single text


def verdicts(
    table: Table,
    *,
    out: str | PathLike[str] | None = None,
    **options: str | float | Sequence[str] | None,
) -> VerdictsResult:
    """Tell which methods of a table of results are better, as good, or not told apart.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or path
        A row a value of a method on a data set and a split, seed or item.
    out : path, optional
        Folder for the page, tables and pictures. Default: nothing is written.
    **options
        Those of ``rankexp verdicts``. Columns: `method`, `data`, `split` (one or several),
        `metric`, `value`, `error` (standard errors), guessed from their names by default. `of`
        names a metric; `better` is ``"higher"`` or ``"lower"``; `each` says what a value is from:
        ``"fold"``, ``"split"`` (with `test_share`), ``"run"`` or ``"item"``. `where` takes rows by
        ``"column=value"``, `last` the last of each curve. `margin` is the smallest difference that
        matters; `incomplete` is ``"drop"`` or ``"refuse"``. `nominal` are columns of numbers and
        texts that hold names, `missing` texts that mark missing values.

    Raises
    ------
    ConfigError, DataError
        Where an option is wrong, or the table cannot be read or judged.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankexp
    >>> rows = [(m, i, float(i % 5 > k)) for k, m in enumerate("ab") for i in range(100)]
    >>> frame = pd.DataFrame(rows, columns=["system", "item", "solved"])
    >>> found = rankexp.verdicts(frame)
    >>> found.standings[["method", "mean", "tier"]]
      method  mean  tier
    0      a   0.8     1
    1      b   0.6     2
    """
    given: dict[str, Any] = {name: own for name, own in options.items() if own is not None}
    with tempfile.TemporaryDirectory(prefix="rankexp-") as place, said("python"):
        known = {one.name for one in fields(VerdictOptions)} - {"reading"}
        if unknown := given.keys() - known - {*READING}:
            raise ConfigError(f"verdicts() has no option '{min(unknown)}'")
        given = {k: [v] if k in LISTS and isinstance(v, str) else v for k, v in given.items()}
        reading = {name: given.pop(name, []) for name in READING}
        asked = VerdictOptions(**given, out=Path(out) if out else None, reading=reading)
        stem = Path(table).stem if isinstance(table, str | PathLike) else "frame"
        if asked.out is not None:
            folder_for(asked.out, stem)
        made = answered(save(table, None, Path(place), None, []).table, asked)
        if asked.out is not None:
            write(made, asked.out, stem)
    return made


def run(path: Path, options: VerdictOptions) -> None:
    """Print the answer and write its files."""
    folder = folder_for(options.out, path.stem)
    made = answered(path, options)
    count, width = write(made, folder, path.name), terminal_width()  # before a pipe may break
    main = [own.output for name, own in made.sections.items() if name.startswith(PARTS[0])]
    for output in (made.reading, made.lead, *main):
        print(f"{terminal.render(output, width)}\n")
    known = {"files": count, "folder": folder, "first": ANSWER}
    print(terminal.wrapped(message("leaderboard.written", **known), width))


def answered(path: Path, options: VerdictOptions) -> VerdictsResult:
    """Judge a table; ConfigError and DataError where an option or the table does not fit."""
    table = results(path, options)
    ends = [end(one.values) for one in table.sets for end in (np.nanmin, np.nanmax)]
    shares = table.asked.better == "higher" and min(ends) >= 0 and max(ends) <= 1
    margin = options.margin or (SHARES if shares else None)  # of a loss it may be all there is
    if options.incomplete == "refuse" and table.missing:
        raise DataError(message("leaderboard.refused", why=table.missing))
    found = judge(table, margin)
    if not any(one.known for one in found.main):
        why = next(str(own.refusal) for one in found.main for own in one.pairs.values())
        raise DataError(message("leaderboard.nothing", why=why, least=3))
    known = {"results": table, "options": options, "margin": margin}
    return VerdictsResult(found, Output(notes=messages("leaderboard.read", **known)))


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
    from rankexp import __version__

    title, new = f"{stem}: verdicts by {made.found.results.metric}", dict[str, bytes]()
    sections = [Section("The answer", "", made.lead, role="summary")]
    with styled():
        for name, section in made.sections.items():
            own, first = files(name, section.output), len(sections) == 1
            sections.append(replace(section, files=list(own), role=name, primary=first))
            new |= own
    page = Page(title, "", "", [], sections, cite=CITED.format(version=__version__))
    last = Section("How the table was read", "", made.reading)
    text = markdown.page(Page(title, "", "", [], [*sections, last]))
    new |= {ANSWER: html.page(page, made.reading).encode(errors="replace")}
    new |= {"answer.md": text.encode(errors="replace")}
    for name, content in new.items():
        write_atomically(folder / name, content, flag("out"))
    for old in [one for one in folder.iterdir() if one.name not in new]:
        old.unlink()
    return len(new)
