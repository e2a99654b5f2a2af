"""What a type checker and an editor see of the public names."""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankexp
from rankexp import registry

ROOT = Path(rankexp.__file__).parent
ROOMS = (
    "estimators",
    "metrics",
    "losses",
    "risks",
    "generators",
    "theory",
)

SCRIPT = """\
import numpy as np
from rankexp.estimators import LinearRanker
from rankexp.losses import Logistic, parse
from rankexp.metrics import rank_loss
from rankexp.risks import table
from rankexp.generators import Linear

X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
ranker = LinearRanker(loss=Logistic(), risk="bipartite", lam=0.1)
reveal_type(ranker.fit(X, y))
reveal_type(ranker.decision_function(X))
reveal_type(ranker.path(X, y, [1.0]).coef)
reveal_type(ranker.takes())
reveal_type(rank_loss(y, X[:, 0]))
reveal_type(parse("hinge"))
reveal_type(table())
reveal_type(Linear(p=0.5).draw_model(np.random.default_rng(0)))
LinearRanker(lamb=0.1)
rank_loss(y, X[:, 0], ties="wrst")
"""
REVEALED = [
    "LinearRanker",
    "numpy.ndarray[",
    "numpy.ndarray[",
    "frozenset[",
    "float | numpy.ndarray[",
    "Loss",
    "dict[tuple[str, str], str | None]",
    "rankexp.generators.",
]
WRONG = ['Unexpected keyword argument "lamb" for "LinearRanker"', 'incompatible type "Literal[']


def declared(room):
    """Return ``__all__`` of a room and the names that it imports for type checkers."""
    tree = ast.parse(ROOT.joinpath(room, "__init__.py").read_text(encoding="utf-8"))
    imported = {
        (alias.name, node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith(f"rankexp.{room}.")
        for alias in node.names
    }
    return importlib.import_module(f"rankexp.{room}").__all__, imported


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_all_that_is_registered(room):
    """After adding a file, add its line to the room's ``__init__.py``."""
    names, imported = declared(room)
    package = importlib.import_module(f"rankexp.{room}")
    ours = [target for target in registry._room(room).values() if target.package == "rankexp"]
    extra = {
        (name, module)
        for name, module in imported
        if module in (f"rankexp.{room}.base", f"rankexp.{room}.scorers")
    }
    assert imported == {(target.attribute, target.module) for target in ours} | extra
    assert sorted(names) == sorted(name for name, _ in imported)
    for name, module in imported:
        assert getattr(package, name) is getattr(importlib.import_module(module), name)
    assert set(names) <= set(dir(package))
    given = {}
    exec(f"from rankexp.{room} import *", given)
    assert set(names) <= set(given)


def mypy(script, folder):
    """Return what mypy says of a user's script, with its default settings."""
    pytest.importorskip("mypy")
    file = folder / "script.py"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir=cache", file.name],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(ROOT.parent)},
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_users_script_is_typed(tmp_path):
    public = [(room, name) for room in ROOMS for name in declared(room)[0]]
    each = "".join(f"import rankexp.{room}\n" for room in ROOMS)
    each += "".join(f"reveal_type(rankexp.{room}.{name})\n" for room, name in public)
    each += "rankexp.losses.Nothing\n"
    said = mypy(SCRIPT + each, tmp_path)
    revealed = re.findall(r'Revealed type is "(.*)"', said)
    assert len(revealed) == len(REVEALED) + len(public), said
    for text, expected in zip(revealed, REVEALED, strict=False):
        assert expected in text.replace("builtins.", "").replace("Union", ""), (text, expected)
    untyped = [
        name
        for (_, name), text in zip(public, revealed[len(REVEALED) :], strict=True)
        if text == "Any"
    ]
    assert not untyped
    for expected in (*WRONG, 'Module has no attribute "Nothing"'):
        assert expected in said, said


def test_types_reach_users():
    assert (ROOT / "py.typed").exists()
