"""Parts of the documentation site that are made from the code, as Markdown."""

import ast
import csv
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
import yaml
import yaml_page

from rankexp import registry

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "results" / "reference"

SHARED = {
    "adjust": "Whether p-values are adjusted for their number.",
    "alpha": "The level of the tests.",
    "by": "The metric that chooses, where the rule does not name one.",
    "columns": "Panels beside each other.",
    "contrasts": "By name, pairs of methods: the first is compared with the second.",
    "digits": "Digits behind the decimal point.",
    "label": "What the axis is called. Default: the name of the parameter.",
    "level": "The level of intervals.",
    "margin": "The size below which a difference does not matter.",
    "method": "The method that is compared.",
    "methods": "Which methods are shown, in this order. Default: all.",
    "metric": "The metric that is shown. Default: the first of the experiment.",
    "metrics": "The metrics that are shown. Default: the first of the experiment.",
    "power": "The power with which the smallest detectable difference is computed.",
    "problem": "The problem that is shown.",
    "published": "The experiment under which the published values are listed.",
    "reference": "The method that others are compared with.",
    "references": "The methods that it is compared with.",
    "rule": "Which grid point is shown.",
    "rules": "Which grid points are shown.",
}
"""What options mean that have no docstring of their own."""


def _cell(text: str) -> str:
    return " ".join(text.replace("``", "`").split()).replace("|", "\\|")


def _command_tree() -> Iterator[tuple[str, Any]]:
    """Yield the commands with their full names, those of a group after it."""
    from rankexp.runner.cli import app

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield name, command
        for own in getattr(command, "commands", {}).values():
            yield from walk(f"{name} {own.name}", own)

    yield from walk("rankexp", typer.main.get_command(app))


def _default(option: Any) -> str:
    given = option.default
    if option.required:
        return "**needed**"
    said = given is None or callable(given) or given is False or given in ((), [])
    return "" if said or not option.show_default else f"`{given}`"


def commands() -> str:
    """Return a section for each command of the command line, from what `--help` is made of."""
    text = []
    for name, command in _command_tree():
        given = [one for one in command.params if one.param_type_name == "argument"]
        options = [one for one in command.params if one.param_type_name == "option"]
        names = [str(one.metavar or one.name).strip("{}[].") for one in given]
        takes = " ".join(
            name.upper() if one.required else f"[{name.upper()}]"
            for name, one in zip(names, given, strict=True)
        )
        usage = f"{name} {'[OPTIONS] ' * bool(options)}{takes}".strip()
        usage += " COMMAND ..." * hasattr(command, "commands")
        help_text = inspect.cleandoc(command.help or "").replace("\b", "").replace("``", "`")
        text += [f"## {name}\n", help_text, "", "```text", usage, "```", ""]
        rows = [
            (f"`{name.upper()}`", _cell(one.help or ""), _default(one))
            for name, one in zip(names, given, strict=True)
        ]
        for one in options:
            spelled = ", ".join(f"`{o}`" for o in (*one.opts, *one.secondary_opts))
            rows.append((spelled, _cell(one.help or ""), _default(one)))
        if rows:
            text += ["| option | meaning | default |", "|---|---|---|"]
            text += [f"| {' | '.join(row)} |" for row in rows] + [""]
    return "\n".join(text)


def _studies() -> dict[str, Any]:
    """Return the studies with results in the repository, by name."""
    found = {}
    for folder in sorted(one for one in REFERENCE.iterdir() if one.is_dir()):
        text = (ROOT / "configs" / f"{folder.name}.yaml").read_text(encoding="utf-8")
        found[folder.name] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found


def uses() -> dict[str, list[tuple[str, str, str]]]:
    """Return by kind of block where studies use it: study, name of the block, title."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for name, study in _studies().items():
        for block in study.get("report", []):
            place = (name, block["name"], block.get("title", block["name"]))
            found.setdefault(block["block"], []).append(place)
    return found


def _said(kind: type) -> dict[str, str]:
    """Return what the docstrings below the options of a block say, its bases' included."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if not one.__module__.startswith("rankexp."):
            continue
        body = ast.parse(inspect.cleandoc("\n" + inspect.getsource(one))).body[0].body
        for line, below in pairwise(body):
            match line, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = text
    return found


def _options(kind: type) -> Iterator[str]:
    schema, said = kind.model_json_schema(), _said(kind)  # type: ignore[attr-defined]
    needed = schema.get("required", [])
    rows = []
    for name, one in schema.get("properties", {}).items():
        try:
            holds = yaml_page.kind(one, {})
        except (ValueError, KeyError):
            holds = "see the text above"
        given = one.get("default")
        given = given.get("name", given) if isinstance(given, dict) else given
        shown = "" if given in (None, [], {}) else f"`{given}`"
        meaning = said.get(name) or SHARED.get(name, "")
        rows.append(
            (f"`{name}`", holds, "**needed**" if name in needed else shown, _cell(meaning))
        )
    if rows:
        yield "| option | holds | default | meaning |\n|---|---|---|---|"
        yield from (f"| {' | '.join(row)} |" for row in rows)
        yield ""


def blocks() -> str:
    """Return a section for each kind of block: what it shows, its options, and a picture."""
    text, used = [], uses()
    for name in registry.names("report.blocks"):
        kind = registry.get("report.blocks", name)
        if not kind.__module__.startswith("rankexp."):
            continue
        said = inspect.cleandoc(kind.__doc__ or "").replace("``", "`")
        text += [f"## {name}\n", said.replace("{}", "`{}`"), "", *_options(kind)]
        places = used.get(name, [])
        drawn = [one for one in places if (REFERENCE / one[0] / f"{one[1]}.png").exists()]
        if drawn:
            study, own, title = min(drawn, key=lambda one: _size(REFERENCE, one))
            alt = re.sub(r"[\[\]]", "", title)
            text += [f"![{alt}](../../results/reference/{study}/{own}.png)", ""]
            text += [f"From the study [{study}](../explanation/studies/{study}.md): {alt}.", ""]
        elif places:
            studies = sorted({study for study, _, _ in places})
            links = [f"[{one}](../explanation/studies/{one}.md)" for one in studies]
            text += [f"It makes no picture. Used in {', '.join(links)}.", ""]
    return "\n".join(text)


def _size(folder: Path, place: tuple[str, str, str]) -> int:
    return (folder / place[0] / f"{place[1]}.png").stat().st_size


def heads() -> dict[tuple[str, str], list[str]]:
    """Return the columns of each CSV of the studies' results, by study and name."""
    found = {}
    for file in sorted(REFERENCE.glob("*/*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            found[file.parent.name, file.stem] = next(csv.reader(lines))
    return found


def pattern(column: str) -> str:
    """Return what columns that differ by a number or by a method's name have in common."""
    column = re.sub(r"^(p against|by) .+", r"\1 ...", column)
    return re.sub(r"^above \d+$", "above ...", column)


def columns() -> str:
    """Return a table of the columns that each kind of block writes in the studies' results."""
    by_file = heads()
    rows = []
    for kind, places in sorted(uses().items()):
        names: dict[str, None] = {}
        for study, name, _ in places:
            names |= dict.fromkeys(pattern(one) for one in by_file.get((study, name), []))
        if names:
            shown = ", ".join(f"`{one}`" for one in names)
            rows.append(f"| [`{kind}`](blocks.md#{kind}) | {shown} |")
    return "\n".join(["| block | columns |", "|---|---|", *rows, ""])
