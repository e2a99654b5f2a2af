"""What a study names is imported when it is checked, and no more than that is done with it."""

from importlib.metadata import EntryPoint

import pytest

from rankexp import registry

STUDY = """version: 1
study: t
title: T
seed: 1
generators: {g: {generator: polynomial}}
methods: {m: {METHOD}}
experiments: {e: {problems: [g], methods: [m], metrics: [iauc], protocol:
  {kind: models, models: 1, training_sets: 1, n_train: 20, n_test: 20}}}
"""
TWO_CLASSES = STUDY.replace("polynomial", "gaussian").replace("iauc", "auc")
MODULE = """
import sys

def called(): raise AssertionError("was called")

class Exits:
    def __init__(self): sys.exit(0)
    def fit(self, X, y): return self
    def predict(self, X): return X[:, 0]

class Breaks(Exits):
    def __init__(self): raise RuntimeError("not\\ntoday")

class Silent(Exits):
    def __init__(self): raise Unprintable

class Unprintable(Exception):
    def __str__(self): raise ValueError

class Deaf:
    def predict(self, X): raise AssertionError

def __getattr__(name):
    if name == "Late":
        sys.exit(0)
    raise AttributeError(name)
"""


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    (tmp_path / "foreign_module.py").write_text(MODULE)
    (tmp_path / "foreign_exit.py").write_text("raise SystemExit(0)")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("foreign")
@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("estimator: «os.abort", "'os.abort' is neither an estimator"),
        ("estimator: «foreign_module.called", "not possible: AssertionError: was called"),
        ("estimator: «shutil.rmtree", "'shutil.rmtree' is not a class, but a function of 'sh"),
        ("estimator: «foreign_module.Deaf", "it has no method 'fit'"),
        ("estimator: «foreign_module.Late", "importing 'foreign_module.Late' failed: SystemExit"),
        ("estimator: «foreign_exit.A", "importing 'foreign_exit' failed: SystemExit: 0"),
        ("estimator: «foreign_module.Exits", "not possible: SystemExit: 0"),
        ("estimator: «foreign_module.Breaks", "not possible: RuntimeError: not today"),
        ("estimator: «foreign_module.Silent", "not possible: Unprintable: no message"),
        ("estimator: CRank, params: {classifier: «os.abort}", "'os.abort' is not a class"),
        ("estimator: CRank, params: {classifier: «sys.exit}", "'sys.exit' is not a class"),
        ("estimator: CRank, params: {classifier: «foreign_module.called}", "is not a class"),
        ("estimator: CRank, params: {classifier: «foreign_module.Deaf}", "no method 'fit'"),
        ("estimator: CRank, params: «{classifier: foreign_module.Exits}", "SystemExit: 0"),
        ("estimator: CRank, params: {classifier: «foreign_exit.A}", "failed: SystemExit: 0"),
    ],
)
def test_only_classes_that_fit_are_taken(errors, method, message):
    marked = STUDY.replace("{METHOD}", "{" + method + "}")
    if "«estimator" in method:  # its parameters are at fault, and there are none
        marked = marked.replace("«", "").replace("m: {", "«m: {", 1)
    (found,) = errors(marked)
    assert message in found


@pytest.mark.parametrize(
    "name", ["3", "1.5", "[a]", "{a: 1}", "null", "[[1]]", "'" + "x" * 90_000 + "'"]
)
@pytest.mark.parametrize("key", ["loss", "risk"])
def test_names_that_are_no_text(errors, key, name):
    (found,) = errors(TWO_CLASSES.replace("{METHOD}", "{params: {" + key + ": «" + name + "}}"))
    assert f"methods.m.params.{key}: " in found
    assert f"expected a {key} or its name, got" in found or f"too long for a {key}" in found
    assert len(found) < 1100


@pytest.mark.parametrize(
    ("room", "marked"),
    [
        ("report.blocks", STUDY + "report: [{block: «absent, name: a, experiment: e}]\n"),
        ("data.sources", STUDY + "data: {d: {source: {«absent: x}, target: t}}\n"),
        ("losses", TWO_CLASSES.replace("{METHOD}", "{params: {loss: «absent}}")),
        ("risks", TWO_CLASSES.replace("{METHOD}", "{params: {risk: «absent}}")),
        ("estimators", STUDY.replace("{METHOD}", "{estimator: «absent}")),
        ("metrics", STUDY.replace("iauc", "«absent")),
        ("generators", STUDY.replace("polynomial", "«absent")),
    ],
)
def test_what_another_package_registers_in_vain_is_said(errors, monkeypatch, room, marked):
    points = [EntryPoint("absent", "nowhere.to_be_found:x", f"rankexp.{room}")]
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    registry._room.cache_clear()
    found = errors(marked.replace("{METHOD}", "{estimator: KendallTree}"))
    registry._room.cache_clear()
    assert any("'absent' of package 'nowhere' cannot be used: importing" in f for f in found)
