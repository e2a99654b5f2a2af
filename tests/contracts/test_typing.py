"""What a type checker and an editor see of the public names."""

import ast
import doctest
import importlib
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import rankexp

ROOT = Path(rankexp.__file__).parent
ROOMS = (
    "estimators",
    "metrics",
    "losses",
    "risks",
    "generators",
    "theory",
    "preference",
    "objectives",
    "testing",
)

SCRIPT = """\
import numpy as np
import pandas as pd
from rankexp.estimators import BoostedRanker, LinearRanker, OrdinalSVM
from rankexp.losses import Logistic, parse
from rankexp.metrics import auc, auc_scorer, d_tau, iauc, mean_average_precision, ndcg
from rankexp.metrics import rank_loss, u_pairs
from rankexp.risks import table
from rankexp.generators import Gaussian, Linear
from rankexp.objectives import PairObjective
from rankexp.preference import quicksort_rank
from rankexp.theory import likelihood_ratio

X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
ranker = LinearRanker(loss=Logistic(), risk="bipartite", lam=0.1)
reveal_type(ranker.fit(X, y))
reveal_type(ranker.decision_function(X))
reveal_type(ranker.path(X, y, [1.0]).coef)
reveal_type(ranker.takes())
reveal_type(rank_loss(y, X[:, 0]))
scores = np.zeros((4, 3))
reveal_type(rank_loss(y, scores))
shares: list[float] = [
    auc(y, X[:, 0]),
    auc(y, ranker.decision_function(X), levels=ranker.classes_),
    u_pairs(y, [1.0, 2.0, 1.0, 0.0], groups=y),
    iauc(y, X[:, 0]) - d_tau(y, X[:, 0]),
    ndcg(y, X[:, 0], y, k=10),
    mean_average_precision(y, pd.Series(y)),
]
scorer = auc_scorer.set_score_request(groups=True)
BoostedRanker(risk="pairs").fit(X, y, eval_set=(X, y)).score(X, y, groups=y)
reveal_type(parse("hinge"))
reveal_type(table())
reveal_type(Linear(p=0.5).draw_model(np.random.default_rng(0)))
frame, words = pd.DataFrame({"a": [0.0, 1.0]}), ["low", "high"]
LinearRanker(levels=words, costs=[[0, 1], [0, 0]]).fit(frame, words, groups=pd.Series(words))
LinearRanker(class_weight={"low": 2.0}).fit([[0.0], [1.0]], words, sample_weight=[1, 2])
OrdinalSVM(levels=pd.Index(words)).fit(frame, pd.Series(words)).predict(frame)
BoostedRanker(params={"max_delta_step": 2.0}).fit(frame, pd.Categorical(words))
PairObjective()([0, 1], np.zeros(2))
quicksort_rank(lambda u, v: u > v, [2.0, 5.0], np.random.default_rng(0))
likelihood_ratio(Gaussian().draw_model(np.random.default_rng(0)), [[0.0]])
LinearRanker(lamb=0.1)
LinearRanker("hinge")
ranker.fit(object(), y)
rank_loss(y, X[:, 0], ties="wrst")
"""
REVEALED = [
    "LinearRanker",
    "numpy.ndarray[",
    "numpy.ndarray[",
    "frozenset[",
    "float",
    "float | numpy.ndarray[",
    "Loss",
    "dict[tuple[str, str], str | None]",
    "rankexp.generators.",
]
WRONG = [
    'Unexpected keyword argument "lamb" for "LinearRanker"',
    'Too many positional arguments for "LinearRanker"',
    'Argument 1 to "fit" of "LinearRanker" has incompatible type "object"',
    'No overload variant of "__call__" of "OfScores" matches',
    'Module has no attribute "Nothing"',
]


def public(room):
    """Return the public names of a room, as its stub gives them to type checkers."""
    tree = ast.parse(ROOT.joinpath(room, "__init__.pyi").read_text(encoding="utf-8"))
    return {alias.name: node.module for node in tree.body for alias in node.names}


def test_stubs_name_all_that_is_public():
    exports = runpy.run_path(str(ROOT.parent / ".ci" / "exports.py"))
    assert set(ROOMS) <= set(exports["rooms"]())
    stale = ", ".join(str(file.relative_to(ROOT.parent)) for file in exports["stale"]())
    assert not stale, f"{stale}: run `make exports` and commit what it writes"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_gives_what_its_stub_names(room):
    package, names = importlib.import_module(f"rankexp.{room}"), public(room)
    for name, module in names.items():
        assert getattr(package, name) is getattr(importlib.import_module(module), name)
    assert package.__all__ == sorted(names)
    assert set(names) <= set(dir(package))
    given = {}
    exec(f"from rankexp.{room} import *", given)
    assert set(names) <= set(given)


def mypy(script, folder, *more):
    """Return what mypy says of a user's script, strictly."""
    pytest.importorskip("mypy")
    file = folder / "script.py"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--follow-imports=silent",
            "--cache-dir=cache",
            *more,
            file.name,
        ],
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
    names = [(room, name) for room in ROOMS for name in public(room)]
    each = "".join(f"import rankexp.{room}\n" for room in ROOMS)
    each += "".join(f"reveal_type(rankexp.{room}.{name})\n" for room, name in names)
    each += "rankexp.losses.Nothing\n"
    said = mypy(SCRIPT + each, tmp_path)
    revealed = re.findall(r'Revealed type is "(.*)"', said)
    assert len(revealed) == len(REVEALED) + len(names), said
    for text, expected in zip(revealed, REVEALED, strict=False):
        assert expected in text.replace("builtins.", "").replace("Union", ""), (text, expected)
    untyped = [
        name
        for (_, name), text in zip(names, revealed[len(REVEALED) :], strict=True)
        if text == "Any"
    ]
    assert not untyped
    for expected in WRONG:
        assert expected in said, said
    assert said.count(": error:") == len(WRONG), said


def scripts():
    """Yield the names and the Python of pages for users, as pasted."""
    for page in ("README.md", "docs/library.md", "docs/compare.md", "docs/rank-pairwise.md"):
        text = (ROOT.parent / page).read_text(encoding="utf-8")
        pasted = "".join(one.source for one in doctest.DocTestParser().get_examples(text))
        yield from [(page, own) for own in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]
        yield from [(page, pasted)] * bool(pasted)


WRONG_USE = 'import rankexp\nrankexp.compare("t.csv", target="y", minuts=3)\nrankexp.nothing\n'


@pytest.fixture
def pasted(tmp_path):
    """Return the files of the docs' scripts, in a folder of their own."""
    files = []
    for place, (page, code) in enumerate(scripts()):
        files.append(tmp_path / f"{Path(page).stem.replace('-', '_')}_{place}.py")
        files[-1].write_text(code, encoding="utf-8")
    assert len(files) >= 5
    return files


@pytest.mark.slow
def test_the_scripts_of_the_docs_are_typed(tmp_path, pasted):
    """scikit-learn has no types, so what comes of it has none."""
    names = [file.name for file in pasted]
    said = mypy(WRONG_USE, tmp_path, "--disable-error-code=import-untyped", *names)
    assert said.count(": error:") == 2, said
    assert 'Unexpected keyword argument "minuts" for "compare"' in said
    assert 'Module has no attribute "nothing"' in said


@pytest.mark.slow
def test_pyright_accepts_the_scripts_of_the_docs(tmp_path, pasted):
    """`make pyright` installs what this needs."""
    pytest.importorskip("pyright")
    (tmp_path / "wrong.py").write_text(WRONG_USE, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT.parent)]}))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == len(pasted) + 1
    errors = [one for one in found["generalDiagnostics"] if one["severity"] == "error"]
    assert {Path(one["file"]).name for one in errors} == {"wrong.py"}, errors
    assert {one["rule"] for one in errors} == {"reportCallIssue", "reportAttributeAccessIssue"}


def test_types_reach_users():
    assert (ROOT / "py.typed").exists()
