"""How a study was run: its experiments and data as tables, and what is wrong in sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankexp import __version__
from rankexp.charts.numbers import NOTHING
from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Block, Evaluate, Simulate
from rankexp.runner.labels import spoken
from rankexp.runner.report import diagnosed
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import EXPERIMENT, Role, heads
from rankexp.runner.report.model import Output, Table
from rankexp.runner.run import opened
from rankexp.runner.run.manifest import to_add
from rankexp.runner.run.progress import duration
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.verdicts import Kind, Note

MOST_LETTERS = 200  # of a warning
CITED = """\
@software{{rankexp,
  title = {{rankexp: experiments on training scoring functions to rank}},
  author = {{{{The rankexp developers}}}},
  version = {{{version}}}
}}
"""


def whole(context: Context) -> Output:
    """Return all that is known of a run, for a file of its own."""
    names = list(context.study.experiments)
    tables = [experiments(context), *([found] if (found := data(context)).rows else [])]
    notes: list[Note | str] = [*facts(context), *paragraphs("machine", found=context.manifest)]
    notes += [good(context, names), *wrong(context, names), *diagnosed.of_run(context)]
    return Output(tables=tables, notes=notes)


def experiments(context: Context) -> Table:
    """Return a row an experiment."""
    rows = []
    for name, setup in context.study.experiments.items():
        does = setup.methods if isinstance(setup, Evaluate) else [spoken(setup.check)]
        given, does = (setup.problems, does) if setup.problems else (does, [NOTHING])
        what = [", ".join(given), protocol(setup), ", ".join(does)]
        total = context.total(name)
        rows.append([name, *what, f"{total.ok} of {total.expected}"])
    header = [EXPERIMENT, *heads(Role.LABEL, "Problems", "Protocol", "Methods", "Records")]
    return Table(header, rows, "Experiments")


def protocol(setup: Evaluate | Simulate) -> str:
    """Return how often and on what an experiment is done, in words."""
    if isinstance(setup, Evaluate):
        return setup.protocol.words()
    return f"{setup.repetitions} repetition{'s' * (setup.repetitions > 1)} a setting"


def data(context: Context) -> Table:
    """Return a row a data set, as it was read."""
    found: Mapping[str, Any] = context.manifest.get("data", {})
    rows = []
    for name in context.study.data:
        known, why = found.get(name), context.missing_data(name)
        if known is not None:
            where = _provenance(known.get("provenance", {}))
            prints = str(known.get("fingerprint", ""))[:12]
            read = _reading(known.get("reading", {}))
            rows.append([name, str(known.get("rows", NOTHING)), *read, where, prints])
        elif why is not None:
            rows.append([name, *[NOTHING] * 5, f"not available: {why}", NOTHING])
    header = heads(Role.PROBLEM, "Data set")
    header += heads(Role.COUNT, "Rows", "Features", "Missing")
    header += heads(Role.LABEL, "Target", "Left out", "From", "SHA-256")
    return Table(header, rows, "Data")


def _reading(read: Mapping[str, Any]) -> list[str]:
    """Return features, missing cells, target and columns left out, as they were read."""
    known = [read.get("features"), read.get("missing"), read.get("target")]
    out = [f"{column} ({why})" for column, why in read.get("left_out", {}).items()]
    more = f", and {len(out) - 5} more" if len(out) > 5 else ""
    texts = [NOTHING if value is None else str(value) for value in known]
    return [*texts, ", ".join(out[:5]) + more or NOTHING]


def _provenance(facts: Mapping[str, Any]) -> str:
    """Return where data came from in words; a long hash by its beginning."""
    texts = {
        name: "; ".join(map(" ".join, value.items())) if isinstance(value, Mapping) else str(value)
        for name, value in facts.items()
    }
    hashes = {name for name, text in texts.items() if re.fullmatch(r"[0-9a-f]{32,}", text)}
    words = (f"{name} {text[:12] if name in hashes else text}" for name, text in texts.items())
    return ", ".join(words) or NOTHING


def facts(context: Context) -> list[str]:
    """Return lines on seed, versions and time, each where the manifest has it."""
    manifest = context.manifest
    versions = {"rankexp": manifest.get("rankexp", "?")} | manifest.get("packages", {})
    if manifest.get("python"):
        versions["Python"] = manifest["python"]
    known = {"seed": context.study.seed, "versions": versions, "duration": duration}
    return paragraphs("facts", **known, only=manifest.get("only"), used=manifest.get("used"))


def good(context: Context, names: Sequence[str]) -> str:
    """Say how many records of some experiments are good."""
    total = opened.total(map(context.total, names))
    what = "A record is one fit of a method on one split, or one repetition of a simulation."
    return f"{total.ok} of {total.expected} records are good. {what}"


def wrong(context: Context, names: Sequence[str]) -> list[Note | str]:
    """Say what is wrong with the records of some experiments; an empty list where nothing is."""
    total = opened.total(map(context.total, names))
    notes: list[Note | str] = []
    if total.nan:
        notes.append(message("report.undefined", records=total.nan))
    for category, count in sorted(total.categories.items()):
        example = " ".join(total.examples[category][:MOST_LETTERS].split())
        (text,) = paragraphs("warned", count=count, category=category, example=example)
        notes.append(Note(Kind.WARNING, text, {"records": count}))
    for reason, count in total.reasons.most_common(20):
        notes.append(f"{count} records: {reason}")
    setups = (context.study.experiments[name] for name in names)
    wanted = dict.fromkeys(problem for one in setups for problem in one.problems)
    absent = [name for name in wanted if context.missing_data(name) is not None]
    if absent:  # the table of data says why
        notes.append(f"Data not available: {', '.join(absent)}.")
        notes.append(f"{to_add(context.study, absent)}.")
    used = {cell.key for cell in context.cells} & context.records.keys()
    for version, count in opened.versions(context.records[key] for key in used).items():
        if version and version != __version__:
            notes.append(f"{count} records were made by version {version}, not {__version__}.")
    return [*notes, *context.problems]


def bibtex(context: Context) -> str:
    """Return what to cite: the study's source, where it says how, and this package."""
    own = CITED.format(version=context.manifest.get("rankexp", __version__))
    return "\n\n".join(filter(None, [(context.study.bibtex or "").strip(), own]))


@dataclass(frozen=True)
class Absent:
    """What there is not of some experiments."""

    sets: int  # data sets that the experiments name
    data: list[str]  # labels of those of which nothing was run, as they were not found
    idle: list[str]  # experiments of which nothing was run, though no data need be missing
    begun: list[str]  # experiments of which some records are missing or not good, with counts

    def words(self) -> list[str]:
        """Return a sentence, without its stop, for each kind of thing that is not here."""
        return paragraphs("absent", **vars(self))


def absent(context: Context, names: Iterable[str]) -> Absent:
    """Return what a run lacks of experiments, which the study need not have."""
    known = list(dict.fromkeys(names))
    setups = {n: context.study.experiments[n] for n in known if n in context.study.experiments}
    problems = dict.fromkeys(p for setup in setups.values() for p in setup.problems)
    sets = [name for name in problems if name in context.study.data]
    data = [p for p in sets if context.missing_data(p) is not None and not ran(context, setups, p)]
    lost = {name for name, one in setups.items() if one.problems and {*one.problems} <= {*data}}
    idle = [n for n in known if n not in lost and not (n in setups and context.ran(n))]
    totals = {name: context.total(name) for name in setups if name not in idle}
    short = {name: own for name, own in totals.items() if not own.complete}
    begun = [f"{n} {own.ok:,} of {own.expected:,} records are good" for n, own in short.items()]
    labels = [f"'{one}'" if "," in one else one for one in map(context.problem_label, data)]
    return Absent(len(sets), labels, idle, begun)


def ran(context: Context, names: Iterable[str], problem: str) -> bool:
    """Whether any of some experiments has a record of a problem."""
    own = {*names}
    counts = (c for (name, p, _), c in context.counts.items() if name in own and p == problem)
    total = opened.total(counts)
    return total.missing < total.expected


def artificial(context: Context, wanted: Iterable[str], used: Iterable[str]) -> bool:
    """Whether experiments that are to have data sets are answered by others without any."""
    data, experiments = context.study.data, context.study.experiments

    def sets(names: Iterable[str]) -> set[str]:
        setups = (experiments[name] for name in names if name in experiments)
        return {p for setup in setups for p in setup.problems if p in data}

    own = list(used)
    return bool(sets(wanted)) and not any(ran(context, own, p) for p in sets(own))


def experiments_of(context: Context, block: str) -> Sequence[str]:
    """Return the experiments of a block of the report; empty for one that there is not."""
    found: list[Block] = [one for one in context.study.report if one.name == block]
    return found[0].experiments if found else []
