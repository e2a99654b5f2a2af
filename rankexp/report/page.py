"""The page that shows a study in order: what it is, what was run, every table and figure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rankexp.config.schema import Evaluate
from rankexp.report.context import Context
from rankexp.report.model import Output, Page, Section, Table
from rankexp.report.numbers import NOTHING


def page(context: Context, sections: Sequence[Section]) -> Page:
    """Return the page of a study, its blocks being the sections."""
    study = context.study
    data = _data(context)
    how = Output(
        tables=[_experiments(context), *([data] if data.rows else [])], notes=_facts(context)
    )
    closing = "Every score of every grid point: scores.csv, where the study was run."
    return Page(
        title=study.title,
        source=study.source or "",
        text=study.text or "",
        incomplete=context.incomplete(list(study.experiments)),
        sections=[*sections, Section("How it was run", "", how, closing=closing)],
    )


def _experiments(context: Context) -> Table:
    rows = []
    for name, setup in context.study.experiments.items():
        if isinstance(setup, Evaluate):
            what = [", ".join(setup.problems), setup.protocol.words(), ", ".join(setup.methods)]
        else:
            what = [setup.check, f"{setup.repetitions} repetitions a setting", NOTHING]
        total = context.total(name)
        rows.append([name, *what, f"{total.ok} of {total.expected}"])
    return Table(["Experiment", "Problems", "Protocol", "Methods", "Records"], rows, "Experiments")


def _data(context: Context) -> Table:
    found: Mapping[str, Any] = context.manifest.get("data", {})
    rows = []
    for name in context.study.data:
        facts, why = found.get(name), context.missing_data(name)
        if facts is not None:
            where = _provenance(facts.get("provenance", {}))
            prints = str(facts.get("fingerprint", ""))[:12]
            read = _reading(facts.get("reading", {}))
            rows.append([name, str(facts.get("rows", NOTHING)), *read, where, prints])
        elif why is not None:
            rows.append([name, *[NOTHING] * 5, f"not available: {why}", NOTHING])
    header = ["Data set", "Rows", "Features", "Missing", "Target", "Left out", "From", "SHA-256"]
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
    texts = {name: str(value) for name, value in facts.items()}
    hashes = {name for name, text in texts.items() if re.fullmatch(r"[0-9a-f]{32,}", text)}
    words = (f"{name} {text[:12] if name in hashes else text}" for name, text in texts.items())
    return ", ".join(words) or NOTHING


def _facts(context: Context) -> list[str]:
    """Return lines on seed, versions, machine and time, each where the manifest has it."""
    manifest = context.manifest
    versions = {"rankexp": manifest.get("rankexp", "?")} | manifest.get("packages", {})
    lines = [f"Seed {context.study.seed}."]
    lines.append("Versions: " + ", ".join(f"{k} {v}" for k, v in versions.items()) + ".")
    named = {"python": "Python", "platform": "Platform", "cpu": "CPU", "commit": "Git commit"}
    lines += [f"{label}: {manifest[key]}." for key, label in named.items() if manifest.get(key)]
    if manifest.get("only"):
        lines.append(f"Only asked for: {', '.join(manifest['only'])}.")
    used = manifest.get("used")
    if used:
        lines.append(
            f"Time, all runs together: {used['wall']:.0f} s, {used['cpu']:.0f} s of all "
            f"processors; {used['memory'] / 2**20:.0f} MiB in the largest process."
        )
    return lines
