"""Bounds that keep the code readable: sizes, circles, and what a room may be called."""

import ast
import graphlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from test_budgets import nodes, package

import rankexp

ROOT = Path(rankexp.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
LINES_OF_A_FUNCTION = 60
"""With its docstring. About 40 is what we aim at."""
ARGUMENTS = 7
MORE_ARGUMENTS = 5
"""So many functions may have more arguments; `__init__` of scikit-learn's estimators aside."""


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Give every function of the package with its place, ``file:name``."""
    for file, tree in package().items():
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{file.as_posix()}:{node.name}", node


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the arguments of a function, without `self` or `cls`."""
    given = function.args
    named = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    starred = (given.vararg is not None) + (given.kwarg is not None)
    return len(named) + starred - (named[:1] in (["self"], ["cls"]))


def test_no_function_is_too_long() -> None:
    long = {
        place: size
        for place, node in functions()
        if (size := (node.end_lineno or 0) - node.lineno + 1) > LINES_OF_A_FUNCTION
    }
    assert not long, f"lines: {long}"


def test_few_functions_have_many_arguments() -> None:
    many = {
        place: count
        for place, node in functions()
        if (count := arguments(node)) > ARGUMENTS
        and not (place.startswith("estimators/") and place.endswith(":__init__"))
    }
    assert len(many) <= MORE_ARGUMENTS, f"arguments: {many}"


def module(file: Path) -> str:
    """Return the name that a file is imported by."""
    parts = ("rankexp", *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def imported(node: ast.AST) -> Iterator[str]:
    """Give what a module imports, at once or later; not what it imports for types only."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(source), names=names):
                yield source
                yield from (f"{source}.{alias.name}" for alias in names)
        yield from imported(child)


@cache
def graph() -> dict[str, set[str]]:
    """Return the modules that each one imports, its own packages aside."""
    names = {module(file): file for file in FILES}
    found: dict[str, set[str]] = {}
    for name, file in names.items():
        used = set(imported(package()[file.relative_to(ROOT)]))
        own = {name, *(name.rsplit(".", maxsplit=n)[0] for n in range(1, name.count(".") + 1))}
        found[name] = (used & set(names)) - own
    return found


def circle(graph: dict[str, set[str]]) -> str:
    """Return a circle in words, or nothing."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as fault:
        return " <- ".join(fault.args[1])
    return ""


def between_folders(graph: dict[str, set[str]]) -> dict[str, dict[str, set[str]]]:
    """Return by package which of its folders import which, with all that lies in them."""
    inside = {name.rpartition(".")[0] for name in graph}  # packages are folders
    found: dict[str, dict[str, set[str]]] = {}
    for name, used in graph.items():
        for other in used:
            ways = [(n if n in inside else n.rpartition(".")[0]).split(".") for n in (name, other)]
            parted = next((i for i, (a, b) in enumerate(zip(*ways, strict=False)) if a != b), None)
            if parted is not None:
                here, there = (way[parted] for way in ways)
                found.setdefault(".".join(ways[0][:parted]), {}).setdefault(here, set()).add(there)
    return found


def test_no_imports_go_in_a_circle() -> None:
    assert sum(map(len, graph().values())) > len(FILES)
    assert not circle(graph())


def test_no_folders_import_each_other() -> None:
    """Folders of one package, at every depth; a folder and its own parent are one."""
    found = between_folders(graph())
    assert {"rankexp", "rankexp.solvers"} <= set(found)
    assert not {package: way for package, each in found.items() if (way := circle(each))}


def test_a_circle_between_folders_is_found() -> None:
    made = {"p.a.x.one": {"p.b"}, "p.b": set(), "p.b.two": {"p.a.y.three"}, "p.a.y.three": set()}
    assert circle(made) == ""
    assert circle(between_folders(made)["p"]) in {"a <- b <- a", "b <- a <- b"}


def test_what_a_file_registers_is_a_literal() -> None:
    """Listing names reads the declaration and runs nothing."""
    for file, tree in package().items():
        for node in tree.body:
            single = [getattr(node, "target", None)]
            targets = node.targets if isinstance(node, ast.Assign) else single
            if any(isinstance(t, ast.Name) and t.id == "REGISTER" for t in targets):
                assert isinstance(node, ast.Assign), f"{file}: REGISTER = {{...}}, not annotated"
                said = ast.literal_eval(node.value)
                assert said and all(isinstance(w, str) for pair in said.items() for w in pair)


def test_there_is_no_utils() -> None:
    named = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
    assert not [path for path in named if "util" in path.stem or "helper" in path.stem]
