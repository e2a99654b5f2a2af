"""Imports go one way: between the three houses, and between the rooms of one house."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from test_budgets import package

import rankexp
from rankexp import registry

ROOT = Path(rankexp.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
HOUSES = {
    "library": set(),
    "runner": {"library"},
    "testing": {"library", "runner"},
    "studies": {"library", "runner"},
    "top": {"library", "runner"},
}
"""Each house, and the houses that it may use. A wing uses no other wing."""
DOORS = {"__init__.py"}  # where the function of a wing is offered
DOTTED = re.compile(r"rankexp(\.\w+)+")
TOP = {"__init__", "__main__", "plugin"}
HEAVY = {"pydantic", "typer", "rich", "pandas", "yaml", "joblib", "matplotlib", "openml"}
FRONT_END = {"runner", "studies", "testing"}

EVERYWHERE = {
    "arrays",
    "blas",
    "categories",
    "compiled",
    "errors",
    "imports",
    "names",
    "registry",
    "seeds",
    "warn",
}
LIBRARY = {
    "losses": set(),
    "metrics": set(),
    "generators": set(),
    "solvers": {"losses", "metrics"},
    "risks": {"losses", "metrics", "solvers"},
    "objectives": {"losses", "metrics", "solvers", "risks"},
    "estimators": {"losses", "metrics", "solvers", "risks", "objectives"},
    "preference": {"metrics", "estimators"},
    "theory": {"losses", "metrics", "generators"},
    "statistics": set(),
    "checks": {"metrics"},
    "charts": set(),
}
"""Each room of the library, and the rooms that it may use."""
RUNNER = {
    "files": set(),
    "keep": set(),
    "labels": set(),
    "sentences": set(),
    "grid": {"labels", "strict"},
    "strict": set(),
    "protocols": {"strict", "sentences"},
    "config": {"strict", "files", "grid", "keep", "protocols", "sentences"},
    "spec": {"config", "grid", "protocols", "strict"},
    "plan": {"config", "grid", "protocols", "spec"},
    "data": {"config", "plan", "files"},
    "diagnostics": {"config", "data", "protocols", "sentences"},
    "run": {
        *("config", "plan", "data", "diagnostics", "grid", "keep", "protocols", "spec"),
        *("files", "sentences"),
    },
    "analyse": {"config", "keep", "labels", "plan", "run", "grid", "protocols", "spec"},
    "report": {
        *("config", "plan", "run", "analyse", "grid", "strict", "protocols", "files"),
        *("diagnostics", "labels", "sentences"),
    },
    "compare": {
        "config",
        "diagnostics",
        "data",
        "plan",
        "protocols",
        "run",
        "analyse",
        "report",
        "sentences",
        "spec",
        "strict",
        "files",
    },
    "cli_data": {"cli_own", "config", "data"},
    "cli_results": {"cli_own", "run"},
    "cli_own": {"cli_complete", "compare", "config", "data"},
    "cli_complete": {"config"},
    "cli": {
        "cli_complete",
        "cli_data",
        "cli_own",
        "cli_results",
        "config",
        "plan",
        "data",
        "run",
        "analyse",
        "report",
    },
}
"""Each room of the runner, and the rooms that it may use, besides the library."""


def parts(file: Path) -> tuple[str, ...]:
    """Return the folders of a file below the package, and its own name."""
    return file.relative_to(ROOT).with_suffix("").parts


def house(name: str) -> str:
    """Return the house of a top folder or module."""
    if name in TOP:
        return "top"
    return name if name in FRONT_END else "library"


def _typing_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _way(node: ast.expr) -> str:
    """Return ``a.b.c`` of attributes of a name, or nothing."""
    if isinstance(node, ast.Attribute):
        return f"{way}.{node.attr}" if (way := _way(node.value)) else ""
    return node.id if isinstance(node, ast.Name) else ""


@cache
def imported(file: Path, *, for_types: bool = True) -> set[tuple[str, ...]]:
    """Return what a file imports, at once or later, as the parts of dotted names.

    A dotted name in a text, and a way through attributes of the package, count as imports.
    """
    return imports_of(package()[file.relative_to(ROOT)], for_types=for_types)


def imports_of(tree: ast.Module, *, for_types: bool = True) -> set[tuple[str, ...]]:
    """Return the same for a file's syntax tree."""
    found: set[str] = set()
    tops = tree.body if for_types else [top for top in tree.body if not _typing_only(top)]
    for node in (node for top in tops for node in ast.walk(top)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import, line {node.lineno}"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value} if DOTTED.fullmatch(node.value) else set()
        elif isinstance(node, ast.Attribute) and (way := _way(node)).startswith("rankexp."):
            found.add(way)
    return {tuple(name.split(".")) for name in found}


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    from rankexp.runner.plan import Plan",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import rankexp.runner.plan",
        "import importlib\nimportlib.import_module('rankexp.runner.plan')",
        "Target('rankexp.runner.plan', 'Plan').load()",
        "import rankexp\nrankexp.runner.plan.Plan",
    ],
)
def test_an_import_is_seen_however_it_is_written(text: str) -> None:
    assert any(name[:3] == ("rankexp", "runner", "plan") for name in imports_of(ast.parse(text)))


@cache
def own(file: Path) -> set[tuple[str, ...]]:
    """Return what a file imports of this package, without the package's name."""
    return {
        name[1:]
        for name in imported(file)
        if name[0] == "rankexp"
        and len(name) > 1
        and (ROOT / f"{name[1]}.py").exists() | (ROOT / name[1]).is_dir()
    }


def test_a_house_uses_only_houses_below_it() -> None:
    for file in FILES:
        here = house(parts(file)[0])
        used = {house(name[0]) for name in own(file)} - {here}
        used -= {"studies"} if file.relative_to(ROOT).as_posix() in DOORS else set()
        assert used <= HOUSES[here], f"{file}: must not import {sorted(used - HOUSES[here])}"


def test_a_wing_uses_no_other_wing() -> None:
    for file in FILES:
        assert ("studies",) not in own(file), f"{file}: names the folder of all wings"
        wings = {name[1] for name in own(file) if name[0] == "studies"}
        wings -= {"leaderboard"} if file.relative_to(ROOT).as_posix() in DOORS else set()
        assert wings <= set(parts(file)[1:2]), file


def test_a_wing_lies_in_a_folder_called_like_its_study() -> None:
    known = {path.stem.replace("-", "_") for path in (ROOT.parent / "configs").glob("*.yaml")}
    assert set(registry.wings()) - {"leaderboard"} <= known  # the wing of a verb
    assert registry.wings()


def _rooms(file: Path) -> tuple[str, dict[str, set[str]], set[str]]:
    """Return a file's room, what each room of its house may use, and the rooms that it uses."""
    at = parts(file)
    if house(at[0]) == "library":
        return at[0], LIBRARY, {name[0] for name in own(file)} - EVERYWHERE - FRONT_END
    return at[1], RUNNER, {name[1] for name in own(file) if name[0] == "runner" and len(name) > 1}


def test_a_room_uses_only_rooms_below_it() -> None:
    for file in FILES:
        if house(parts(file)[0]) not in {"library", "runner"}:
            continue
        here, may_use, used = _rooms(file)
        if here in EVERYWHERE:
            assert used == set(), file
        elif here != "__init__":
            above = used - may_use[here] - {here}
            assert not above, f"{file}: {here} must not import {sorted(above)}"


def test_nothing_asks_for_a_tool_of_tests() -> None:
    """Contracts are for the tests of others, too."""
    for file in FILES:
        assert not {name[0] for name in imported(file)} & {"pytest", "hypothesis"}, file


def test_the_library_knows_no_front_end() -> None:
    for file in FILES:
        if house(parts(file)[0]) == "library":
            draws = {"matplotlib"} if parts(file)[0] == "charts" else set()  # where it is asked to
            used = {name[0] for name in imported(file, for_types=False)} & HEAVY - draws
            assert not used, f"{file} imports {sorted(used)}"
