import importlib
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import rankexp
from rankexp import registry

ROOT = Path(rankexp.__file__).parent
ROOMS = [
    room
    for room in (
        "losses",
        "estimators",
        "generators",
        "metrics",
        "theory",
        "checks",
        "data.sources",
        "report.blocks",
    )
    if ROOT.joinpath(*room.split("."), "__init__.py").exists()
]
TARGETS = [(room, name, target) for room in ROOMS for name, target in registry._room(room).items()]
HEAVY = ("numpy", "scipy", "sklearn", "pandas", "numba", "matplotlib", "pydantic", "openml")


def loaded_after(code: str) -> set[str]:
    """Return which heavy packages another interpreter has imported after some code."""
    code += f"; import sys; print(*(name for name in {HEAVY} if name in sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.splitlines()[-1].split())


def test_listing_names_imports_nothing_heavy():
    code = f"from rankexp import registry; print([registry.names(r) for r in {ROOMS}])"
    assert loaded_after(code) == set()


def test_a_room_is_entered_without_importing_what_is_in_it():
    code = "import rankexp.metrics, rankexp.generators, rankexp.losses; dir(rankexp.metrics)"
    assert loaded_after(code) == set()
    assert "numpy" in loaded_after("from rankexp.metrics import rank_loss")


@pytest.mark.parametrize(("room", "name", "target"), TARGETS)
def test_what_is_declared_is_there(room, name, target):
    module, attribute = target.split(":")
    assert registry.get(room, name) is getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize(("room", "name", "target"), [t for t in TARGETS if "." not in t[0]])
def test_public_names_come_from_their_room(room, name, target):
    """Also once their module has been imported, which would hide an object of its name."""
    module, attribute = target.split(":")
    assert module.split(".")[-1] != attribute
    package = importlib.import_module(f"rankexp.{room}")
    assert getattr(package, attribute) is registry.get(room, name)
    assert attribute in dir(package)


@pytest.mark.parametrize("room", ROOMS)
def test_no_name_is_declared_twice(room):
    declared = [
        name
        for file in ROOT.joinpath(*room.split(".")).glob("*.py")
        for name in registry._declared(file)
    ]
    assert sorted(declared) == sorted(set(declared))


@pytest.mark.parametrize(
    ("room", "name", "message"),
    [
        ("metrics", "rankloss", r"unknown metric 'rankloss' \(did you mean 'rank_loss'\?\)"),
        ("metrics", "AUC", r"did you mean 'auc'"),
        ("generators", "rule", r"unknown generator 'rule' \(did you mean 'rules'\?\)"),
        ("losses", "logstic", r"unknown loss 'logstic' \(did you mean 'logistic'\?\)"),
        (
            "generators",
            "zzz",
            r"unknown generator 'zzz'; known: discrete, exponential_family, folded",
        ),
    ],
)
def test_an_unknown_name_answers_with_the_nearest(room, name, message):
    with pytest.raises(registry.UnknownNameError, match=message):
        registry.get(room, name)


def test_an_unknown_attribute_of_a_room_is_an_attribute_error():
    package = importlib.import_module("rankexp.metrics")
    with pytest.raises(AttributeError, match=r"'rankexp\.metrics' has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_a_room_that_does_not_exist_is_empty():
    assert registry.names("nowhere") == []


def test_declarations_are_read_not_run(tmp_path):
    file = tmp_path / "one.py"
    file.write_text("import not_there\nREGISTER = {'a': 'A'}\n", encoding="utf-8")
    assert registry._declared(file) == {"a": "A"}
    file.write_text("OTHER = {'a': 'A'}\n", encoding="utf-8")
    assert registry._declared(file) == {}


@pytest.fixture
def plug_in(monkeypatch):
    """Install an entry point for a loss of another package, and one that hides ours."""
    points = [
        EntryPoint("their_metric", "fractions:Fraction", "rankexp.metrics"),
        EntryPoint("auc", "fractions:Fraction", "rankexp.metrics"),
    ]
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    registry._room.cache_clear()
    yield
    registry._room.cache_clear()


def test_entry_points_add_names_and_replace_none(plug_in):
    from fractions import Fraction

    assert "their_metric" in registry.names("metrics")
    assert registry.get("metrics", "their_metric") is Fraction
    assert registry.get("metrics", "auc") is not Fraction
