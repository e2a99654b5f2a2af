import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankexp
from rankexp import registry

ROOT = Path(rankexp.__file__).parent
ROOMS = list(registry.ROOMS)
TARGETS = [(room, name, target) for room in ROOMS for name, target in registry._room(room).items()]
PUBLIC = ["losses", "risks", "estimators", "generators", "metrics", "theory"]
OURS = [target for target in TARGETS if target[2].package == "rankexp"]
HEAVY = ("numpy", "scipy", "sklearn", "pandas", "numba", "matplotlib", "pydantic", "openml")


def loaded_after(code: str) -> set[str]:
    """Return which heavy packages another interpreter has imported after some code."""
    code += f"\nimport sys; print(*(name for name in {HEAVY} if name in sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.splitlines()[-1].split())


def test_listing_names_imports_nothing_heavy():
    code = f"from rankexp import registry; print([registry.names(r) for r in {ROOMS}])"
    assert loaded_after(code) == set()


def test_help_imports_nothing_heavy():
    code = "import sys\nfrom rankexp.runner.cli import main\nsys.argv[1:] = ['--help']\n"
    assert loaded_after(code + "try:\n    main()\nexcept SystemExit:\n    pass") == set()


def test_a_room_is_entered_without_importing_what_is_in_it():
    rooms = [room.folder for room in registry.ROOMS.values() if "." not in room.folder]
    code = "; ".join(f"import rankexp.{room} as {room}; dir({room})" for room in rooms)
    assert loaded_after(code) == set()
    assert "numpy" in loaded_after("from rankexp.metrics import rank_loss")


@pytest.mark.parametrize(("room", "name"), [target[:2] for target in OURS])
def test_what_is_found_by_its_name_knows_it(room, name):
    assert registry.name_of(room, registry.get(room, name)) == name


@pytest.mark.parametrize(("room", "name", "target"), [t for t in OURS if t[0] in PUBLIC])
def test_public_names_come_from_their_room(room, name, target):
    """Also once their module has been imported, which would hide an object of its name."""
    assert target.module.split(".")[-1] != target.attribute
    package = importlib.import_module(f"rankexp.{room}")
    assert getattr(package, target.attribute) is registry.get(room, name)
    assert target.attribute in dir(package)


@pytest.mark.parametrize("room", ROOMS)
def test_no_name_is_declared_twice(room):
    declared = [
        name
        for folder in registry._folders(room)
        for _, file in registry._files(folder)
        for name in registry._literal(file, "REGISTER", dict[str, str]())
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
            "'zzz': no installed package offers it; known: discrete, exponential_family, folded",
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
    assert registry._literal(file, "REGISTER", dict[str, str]()) == {"a": "A"}
    file.write_text("OTHER = {'a': 'A'}\n", encoding="utf-8")
    assert registry._literal(file, "REGISTER", dict[str, str]()) == {}


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("REGISTER: dict[str, str] = {'a': 'A'}", {"a": "A"}),
        ("REGISTER: dict[str, str]", {}),
        ("REGISTER = {'a': 'A', **MORE}", None),
        ("REGISTER = dict(a='A')", None),
        ("REGISTER = ['A']", None),
    ],
)
def test_a_declaration_is_a_literal(tmp_path, text, declared):
    file = tmp_path / "one.py"
    file.write_text(text, encoding="utf-8")
    if declared is None:
        with pytest.raises(ValueError, match=r"one\.py, line 1: REGISTER must be written out"):
            registry._literal(file, "REGISTER", dict[str, str]())
    else:
        assert registry._literal(file, "REGISTER", dict[str, str]()) == declared


def test_what_a_module_lists_is_a_literal(tmp_path):
    file = tmp_path / "one.py"
    file.write_text("REGISTER = {'a': 'A'}\n__all__ = ['B']\n", encoding="utf-8")
    assert registry._literal(file, "__all__", []) == ["B"]
    file.write_text("__all__ = [*OTHERS]\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"one\.py, line 1: __all__ must be written out"):
        registry._literal(file, "__all__", [])


@pytest.mark.parametrize("name", [5, None, ["auc"], {"auc": 1}, 1.5, True])
def test_a_name_that_is_no_text_is_said(name):
    with pytest.raises(registry.UnknownNameError, match="expected the name of a metric, got"):
        registry.get("metrics", name)


def test_a_long_name_is_not_shown_whole():
    with pytest.raises(registry.UnknownNameError, match="unknown metric 'aaa") as error:
        registry.get("metrics", "a" * 90_000)
    assert len(str(error.value)) < 1000


# ---- Other packages -------------------------------------------------------------------------


def test_entry_points_add_names(plug_in, monkeypatch):
    plug_in(("checks", "their_check", "fractions:Fraction.limit_denominator"))
    from fractions import Fraction

    assert "their_check" in registry.names("checks")
    assert registry.get("checks", "their_check") is Fraction.limit_denominator
    assert registry.summaries("checks")["their_check"].startswith("Closest Fraction")


BROKEN = [
    ("malformed", "no colon", "is not name = module:attribute"),
    ("not a name", "fractions:Fraction", "is not name = module:attribute"),
    ("empty", "", "is not name = module:attribute"),
    ("twice", "fractions:Fraction:x", "is not name = module:attribute"),
]


@pytest.mark.parametrize(("name", "value", "why"), BROKEN, ids=[b[0] for b in BROKEN])
def test_a_malformed_entry_point_is_named_and_skipped(plug_in, name, value, why):
    plug_in(("metrics", name, value))
    with pytest.warns(registry.PluginWarning, match=f"the metric '{name}' is left out: .*{why}"):
        assert name not in registry.names("metrics")
    assert registry.get("metrics", "auc").__name__ == "auc"


def test_a_name_of_ours_stays_ours(plug_in):
    plug_in(("metrics", "auc", "fractions:Fraction"))
    with pytest.warns(registry.PluginWarning, match=r"'fractions'.* 'auc' is that of rankexp"):
        assert registry.get("metrics", "auc").__name__ == "auc"


def test_the_first_of_two_packages_keeps_a_name(plug_in):
    plug_in(("checks", "same", "fractions:Fraction"), ("checks", "same", "decimal:Decimal"))
    with pytest.warns(registry.PluginWarning, match=r"'fractions'.* 'same' is that of decimal"):
        assert registry.get("checks", "same").__name__ == "Decimal"


def test_one_package_found_twice_is_no_clash(plug_in, recwarn):
    plug_in(("checks", "same", "fractions:Fraction"), ("checks", "same", "fractions:Fraction"))
    assert registry.get("checks", "same").__name__ == "Fraction"
    assert not recwarn.list


def test_metadata_that_cannot_be_read_stops_nothing(monkeypatch):
    def broken(group):
        raise TypeError("Pair.__new__() missing 1 required positional argument")

    monkeypatch.setattr(registry, "entry_points", broken)
    registry._room.cache_clear()
    with pytest.warns(registry.PluginWarning, match="entry points cannot be read"):
        assert "auc" in registry.names("metrics")
    registry._room.cache_clear()


UNUSABLE = [
    ("checks", "not_there_at_all:x", "ModuleNotFoundError: No module named 'not_there_at_all'"),
    ("checks", "fractions:Nothing", "has no attribute 'Nothing'"),
    ("checks", "sys:version_info", "neither a class nor a function"),
    ("checks", "broken_module:x", "ZeroDivisionError"),
    ("checks", "leaving_module:x", "SystemExit"),
    ("metrics", "fractions:Fraction", "Fraction does not implement: declaration: mark it"),
]


@pytest.mark.parametrize(("room", "value", "why"), UNUSABLE, ids=[u[1] for u in UNUSABLE])
def test_what_cannot_be_used_is_listed_nowhere_and_said_when_used(
    plug_in, tmp_path, monkeypatch, room, value, why
):
    (tmp_path / "broken_module.py").write_text("1 / 0", encoding="utf-8")
    (tmp_path / "leaving_module.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    plug_in((room, "theirs", value))
    with pytest.raises(registry.PluginError, match=f"'theirs' of package '.*{why}") as error:
        registry.get(room, "theirs")
    assert isinstance(error.value, registry.UnknownNameError), "check says the line"
    with pytest.warns(registry.PluginWarning, match="'theirs' of package"):
        assert "theirs" not in registry.summaries(room)


def test_a_broken_plug_in_breaks_no_import_and_no_listing(tmp_path):
    """Also `from rankexp.metrics import *` and `rankexp list`, in another interpreter."""
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    lines = "malformed = nothing\nauc = theirs:auc\nabsent = theirs.absent:absent\n"
    (info / "entry_points.txt").write_text(f"[rankexp.metrics]\n{lines}[rankexp.losses]\n{lines}")
    code = (
        "from rankexp.metrics import *\nfrom rankexp.losses import *\nimport rankexp.losses\n"
        "dir(rankexp.losses)\nfrom rankexp.runner.cli import main\nimport sys\n"
        "sys.argv = ['rankexp', 'list', 'metrics']\nmain()"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT.parent)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("auc "), done.stdout
    assert "absent" not in done.stdout
    for said in (
        "package 'theirs': the metric 'malformed'",
        "'auc' is that of rankexp",
        "'absent'",
    ):
        assert said in done.stderr
