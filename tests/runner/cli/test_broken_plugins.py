"""Packages whose entry points are broken are named and left out: no command dies of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = """\
version: 1
study: tiny
title: A study beside a broken package
seed: 3
generators: {flips: {generator: linear, params: {d: 3}}}
methods: {points: {params: {loss: LOSS, risk: classification}}}
experiments:
  sim:
    problems: [flips]
    protocol: {kind: models, models: 1, training_sets: 2, n_train: 40, n_test: 60}
    methods: [points]
    lambdas: [0.1]
report: [{block: paired_table, name: table, experiment: sim}]
"""
BROKEN = {
    "import fails": "raise RuntimeError('the driver is not there')",
    "import exits": "import sys; sys.exit(0)",
    "nothing there": "",
    "wrong kind": "Theirs = dict",
}


# The gravest here, the others by `make slow`: each is three processes.
@pytest.fixture(
    params=[
        "import exits",
        *(pytest.param(name, marks=pytest.mark.slow) for name in BROKEN if name != "import exits"),
    ]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a folder with a study and, installed in ``site``, a package that is broken."""
    metadata = tmp_path / "site" / "theirs-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    points = ["[rankexp.losses]", "theirs = theirs:Theirs", "not-a-name = theirs:Theirs"]
    (metadata / "entry_points.txt").write_text("\n".join(points) + "\n")
    (tmp_path / "site" / "theirs.py").write_text(BROKEN[request.param] + "\n")
    return tmp_path


def rankexp(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the broken package installed."""
    paths = [str(place / "site"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "rankexp", *words],
        cwd=place,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_names_are_listed_without_it(place: Path) -> None:
    done = rankexp(place, "list", "losses")
    assert done.returncode == 0, done.stderr
    assert "logistic" in done.stdout
    assert "theirs" not in done.stdout
    assert "package 'theirs'" in done.stderr
    assert "not-a-name" in done.stderr


@pytest.mark.slow
def test_a_study_that_does_not_name_it_runs(place: Path) -> None:
    (place / "study.yaml").write_text(STUDY.replace("LOSS", "logistic"))
    done = rankexp(place, "run", "study.yaml", "-j1")
    assert done.returncode == 0, done.stderr
    assert (place / "results/tiny/table.csv").is_file()


def test_a_study_that_names_it_is_told_whose_it_is(place: Path) -> None:
    (place / "study.yaml").write_text(STUDY.replace("LOSS", "theirs"))
    done = rankexp(place, "check", "study.yaml")
    assert done.returncode == 2
    assert "study.yaml:6:" in done.stderr
    assert "loss 'theirs' of package 'theirs' cannot be used" in done.stderr


@pytest.mark.slow
def test_one_module_may_offer_several_kinds(tmp_path: Path) -> None:
    """Protocols are asked for while the types are made that the other kinds import."""
    own = Path(__file__).parents[3] / "examples" / "plugin" / "rankexp_example"
    texts = [(own / f"{name}.py").read_text(encoding="utf-8") for name in ("protocol", "block")]
    site = tmp_path / "site"
    metadata = site / "theirs-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    points = ["[rankexp.protocols]", "rolling = theirs:Rolling"]
    points += ["[rankexp.report.blocks]", "wins = theirs:Wins"]
    (metadata / "entry_points.txt").write_text("\n".join(points) + "\n")
    (site / "theirs.py").write_text("\n".join(texts), encoding="utf-8")
    wins = "report: [{block: wins, name: table, experiment: sim, options: {against: points}}]"
    study = STUDY.replace("LOSS", "logistic")
    (tmp_path / "study.yaml").write_text(study[: study.index("report:")] + wins)
    done = rankexp(tmp_path, "check", "study.yaml")
    assert done.returncode == 0, done.stderr
    assert "cannot be used" not in done.stderr
    strange = study.replace("kind: models", "kind: rollin")
    (tmp_path / "study.yaml").write_text(strange)
    assert "did you mean 'rolling'" in rankexp(tmp_path, "check", "study.yaml").stderr
