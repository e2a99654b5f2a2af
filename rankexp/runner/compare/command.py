"""``rankexp compare`` from the file to the answer."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from joblib import cpu_count

from rankexp.errors import ConfigError
from rankexp.runner.compare import study
from rankexp.runner.compare.methods import offer
from rankexp.runner.compare.pilot import FEWEST_ROWS
from rankexp.runner.compare.question import MARGINS, ask, check_rows
from rankexp.runner.compare.session import Session, say
from rankexp.runner.config.asking import flag, message
from rankexp.runner.data.build import target_values
from rankexp.runner.data.frames import ordered_values
from rankexp.runner.data.memory import size_of
from rankexp.runner.data.readers.compressed import format_suffix
from rankexp.runner.data.sources.file import KINDS

CELLS_A_MINUTE, COLUMNS = 1.5e7, 30
"""Cells that are looked at and tested on in about a minute, and how many more a row costs.
Measured with 2,000,000 rows of 50 columns."""


@dataclass(frozen=True)
class Options:
    """What a user asks for; see ``rankexp compare --help``."""

    target: str
    test: Path | None = None
    positive: str | None = None
    levels: list[str] | None = None
    continuous: bool = False
    merge: list[list[str]] | None = None
    time: str | None = None
    groups: str | None = None
    queries: str | None = None
    weights: str | None = None
    methods: list[str] | None = None
    margin: float | None = None
    minutes: float = 5.0
    out: Path | None = None
    jobs: int | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)  # options of the data entry
    notes: Sequence[str] = ()  # what is to be said of the table
    held: str = ""  # Python for the table, where its file does not stay


def compare(
    table: Path, options: Options, begun: tuple[float, float] | None = None
) -> tuple[int, Session]:
    """Answer whether training on pairs helps on a table; return the exit code and the session.

    It has `begun` at these seconds of the clock and of the processor, by default now. ConfigError
    or DataError where the table cannot be read, or an option or the target is wrong.
    """
    begun = begun or (time.monotonic(), time.process_time())
    _check(options)
    out, said = study.choose(options.out, table.stem)
    asked = _asked(table, _in_time(table, options))
    session = Session(asked, out, options.jobs or cpu_count(), options.minutes, begun)
    session.read()
    for line in options.notes:
        session.tell(line)
    for line in filter(None, (asked.offer.remark, *(f"{line}." for line in said))):
        say(line)
    session.design()
    session.first()
    session.widen()
    return session.finish(), session


def _check(options: Options) -> None:
    """Refuse options that contradict each other, by the names that the user gave."""
    if options.time is not None and options.test is not None:
        raise ConfigError(message("compare.time_and_test"))
    for name, value, least in (("minutes", options.minutes, 0.1), ("jobs", options.jobs, 1)):
        if value is not None and value < least:
            raise ConfigError(f"{flag(name)}: expected {least} or more, got {value:g}")
    margin = options.margin
    if margin is not None and not (margin > 0 and math.isfinite(margin)):
        raise ConfigError(f"{flag('margin')}: expected a number above 0, got {margin:g}")
    if options.groups is not None and options.queries is not None:
        raise ConfigError(message("compare.groups_and_queries"))
    own = {name: [vars(options)[name]] for name in ("groups", "queries", "weights")}
    columns = {**own, **options.reading}
    for name in (*own, "drop"):
        if options.target in (columns.get(name) or ()):
            raise ConfigError(f"{flag(name)}: column '{options.target}' is the target already")


def _in_time(table: Path, options: Options) -> Options:
    """Let no more rows be used than there are minutes to look at, if the file tells how many."""
    own = {name: value for name, value in options.reading.items() if value is not None}
    rows, width = size_of(table, KINDS.get(format_suffix(table), "text"))
    most = CELLS_A_MINUTE * options.minutes / (width + COLUMNS)
    if rows <= most:
        return options
    return replace(options, reading={"rows": int(float(f"{most:.1g}"))} | own)


def _asked(table: Path, options: Options) -> study.Asked:
    """Tell what is asked of the table."""
    groups, within = options.groups or options.queries, options.queries is not None
    given = {"groups": groups, "weights": options.weights, "time": options.time}
    known = {**options.reading, **given, "identifiers": "drop_groups"}
    how = {name: value for name, value in known.items() if value not in (None, [], ())}
    test = {} if options.test is None else {"test": options.test}
    values = target_values(table, target=options.target, **how, **test)
    told = {name: vars(options)[name] for name in ("positive", "levels", "continuous")}
    if not (options.merge or any(told.values())):
        told |= {"levels": ordered_values(table, options.target, values)}
    question = ask(options.target, values, merge=options.merge or (), **told)
    check_rows(options.target, question, FEWEST_ROWS)
    offered = offer(question.kind, options.methods, within=within)
    margin = MARGINS[question.metric] if options.margin is None else options.margin
    asked = study.Asked(table, options.target, question, offered, how, margin, test=options.test)
    return replace(asked, groups=groups or "", within=within, held=options.held)
