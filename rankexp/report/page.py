"""The page that shows a study in order: what it is, what was run, every table and figure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rankexp.analyse import complete
from rankexp.config.schema import (
    Block,
    CrossValidation,
    Evaluate,
    Experiment,
    Holdout,
    Models,
    Protocol,
)
from rankexp.report.context import Context
from rankexp.report.output import Grid, Output
from rankexp.report.text import markdown, markdown_grid, markdown_output


def page(context: Context, blocks: Sequence[tuple[Block, Output]]) -> str:
    """Return ``report.md``."""
    study = context.study
    parts = [f"# {study.title}"]
    if study.source:
        parts.append(f"Source: {study.source}")
    if study.text:
        parts.append(study.text.strip())
    short = context.incomplete(list(study.experiments))
    parts += [f"**{markdown(line)}**" for line in short]
    parts += [_section(block, output) for block, output in blocks]
    parts += ["## How it was run", *_run(context)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(block: Block, output: Output) -> str:
    """Return one block: title, text, figure, tables, notes, and where its files are."""
    parts = [f"## {block.title or block.name}"]
    if block.text:
        parts.append(block.text.strip())
    kinds = []
    if output.figure is not None:
        parts.append(f"![{block.title or block.name}]({block.name}.png)")
        kinds += ["png", "pdf"]
    parts.append(markdown_output(output))
    kinds += ["csv"] if output.numbers is not None else []
    kinds += ["md", "tex"] if output.grids else []
    links = ", ".join(f"[{block.name}.{kind}]({block.name}.{kind})" for kind in kinds)
    return "\n\n".join(
        [*(part for part in parts if part), *([f"Files: {links}"] if links else [])]
    )


def _run(context: Context) -> list[str]:
    """Return the tables of experiments and data, and how the study was run."""
    parts = [markdown_grid(_experiments(context))]
    data = _data(context)
    if data.rows:
        parts.append(markdown_grid(data))
    parts.append("\n".join(f"- {line}" for line in _facts(context)))
    parts.append("Every score of every grid point: scores.csv, where the study was run.")
    return parts


def _experiments(context: Context) -> Grid:
    rows = []
    for name, setup in context.study.experiments.items():
        own = (count for key, count in context.counts.items() if key[0] == name)
        total = complete.total(own)
        rows.append([name, *describe(setup), f"{total.ok} of {total.expected}"])
    return Grid(["Experiment", "Problems", "Protocol", "Methods", "Records"], rows, "Experiments")


def describe(setup: Experiment) -> list[str]:
    """Return an experiment's problems, protocol and methods in words."""
    if not isinstance(setup, Evaluate):
        return [setup.check, f"{setup.repetitions} repetitions a setting", NO_METHODS]
    problems = ", ".join(setup.problems)
    return [problems, describe_protocol(setup.protocol), ", ".join(setup.methods)]


NO_METHODS = "–"


def describe_protocol(protocol: Protocol) -> str:
    """Return a protocol in words."""
    match protocol:
        case Models():
            return (
                f"{protocol.models} models × {protocol.training_sets} training sets of "
                f"{protocol.n_train}, tested on {protocol.n_test}"
            )
        case CrossValidation():
            kind = "stratified" if protocol.stratified else "plain"
            return f"{protocol.repeats} × {protocol.folds} folds, {kind}{_kept(protocol.together)}"
        case Holdout():
            times = "one random split" if protocol.repeats == 1 else f"{protocol.repeats} splits"
            return f"{times}, test part {protocol.test:g}{_kept(protocol.together)}"


def _kept(together: str) -> str:
    return {"none": "", "duplicates": ", equal rows together"}.get(together, ", groups together")


def _data(context: Context) -> Grid:
    found: Mapping[str, Any] = context.manifest.get("data", {})
    rows = []
    for name in context.study.data:
        facts = found.get(name)
        if facts is None:
            why = context.missing_data(name)
            rows += [] if why is None else [[name, "–", f"not available: {why}", "–"]]
            continue
        where = _provenance(facts.get("provenance", {}))
        prints = str(facts.get("fingerprint", ""))[:12]
        rows.append([name, str(facts.get("rows", "–")), where, prints])
    return Grid(["Data set", "Rows", "From", "SHA-256"], rows, "Data")


def _provenance(facts: Mapping[str, Any]) -> str:
    """Return where data came from in words; a long hash by its beginning."""

    def short(value: Any) -> str:
        text = str(value)
        return text[:12] if re.fullmatch(r"[0-9a-f]{32,}", text) else text

    return ", ".join(f"{name} {short(value)}" for name, value in facts.items()) or "–"


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
