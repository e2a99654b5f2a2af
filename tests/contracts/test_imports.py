"""Imports go one way: every room may use only the rooms below it."""

import ast
from pathlib import Path

import pytest

import rankexp

ROOT = Path(rankexp.__file__).parent
BASE = {
    "arrays",
    "blas",
    "categories",
    "errors",
    "files",
    "imports",
    "registry",
    "names",
    "seeds",
    "compiled",
}
NUMERIC = {
    "losses",
    "metrics",
    "generators",
    "solvers",
    "risks",
    "objectives",
    "estimators",
    "preference",
    "theory",
    "checks",
}
HEAVY = {"pydantic", "typer", "rich", "pandas", "yaml", "joblib", "matplotlib", "openml"}
MAY_USE = {
    "arrays": set(),
    "blas": set(),
    "categories": set(),
    "errors": set(),
    "files": set(),
    "imports": set(),
    "registry": set(),
    "names": {"registry"},
    "seeds": set(),
    "compiled": set(),
    "losses": set(),
    "metrics": set(),
    "generators": set(),
    "solvers": {"losses", "metrics"},
    "risks": {"losses", "metrics", "solvers"},
    "objectives": {"losses", "metrics", "solvers", "risks"},
    "estimators": {"losses", "metrics", "solvers", "risks", "objectives"},
    "preference": {"metrics", "estimators"},
    "theory": {"losses", "metrics", "generators"},
    "checks": NUMERIC,
    "grid": set(),
    "strict": set(),
    "keep": {"metrics"},
    "protocols": {"strict"},
    "config": NUMERIC | {"strict", "grid", "protocols"},
    "spec": {"config", "metrics", "grid", "protocols"},
    "plan": {"config", "metrics", "grid", "protocols", "spec"},
    "data": {"config", "plan"},
    "run": NUMERIC | {"config", "keep", "plan", "data", "grid", "protocols", "spec"},
    "analyse": {"metrics", "config", "keep", "plan", "run", "grid", "protocols", "spec"},
    "report": {
        "losses",
        "metrics",
        "theory",
        "config",
        "keep",
        "plan",
        "run",
        "analyse",
        "grid",
        "strict",
        "protocols",
    },
    "testing": NUMERIC | {"config", "plan", "data", "protocols", "run", "report", "grid", "spec"},
    "compare": {
        "config",
        "data",
        "metrics",
        "plan",
        "protocols",
        "run",
        "analyse",
        "report",
        "spec",
    },
    "cli_data": {"config", "data"},
    "cli_own": {"compare", "data"},
    "cli": NUMERIC | {"cli_data", "cli_own", "config", "plan", "data", "run", "analyse", "report"},
    "__main__": {"cli"},
    "__init__": set(),
}


def room(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            module = node.module or ""
            found |= (
                {f"{module}.{a.name}" for a in node.names} if module == "rankexp" else {module}
            )
    return found


FILES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(ROOT)))
def test_a_room_uses_only_rooms_below_it(file: Path) -> None:
    here = room(file)
    used = {name.split(".")[1] for name in imported(file) if name.startswith("rankexp.")}
    used = {name for name in used if (ROOT / name).is_dir() or (ROOT / f"{name}.py").exists()}
    above = used - MAY_USE[here] - BASE - {here}
    assert not above, f"{here} must not import {sorted(above)}"


def test_nothing_uses_the_contracts() -> None:
    """They are for tests, ours and others', and ask for no tool of tests."""
    for file in FILES:
        used = {".".join(name.split(".")[:2]) for name in imported(file)}
        assert room(file) == "testing" or "rankexp.testing" not in used, file
        assert not used & {"pytest", "hypothesis"}, file


@pytest.mark.parametrize(
    "file", [f for f in FILES if room(f) in NUMERIC], ids=lambda f: str(f.relative_to(ROOT))
)
def test_numeric_rooms_know_no_front_end(file: Path) -> None:
    used = {name.split(".")[0] for name in imported(file)} & HEAVY
    assert not used, f"a numeric room imports {sorted(used)}"
