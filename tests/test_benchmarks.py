"""`make bench` takes minutes; that its modules import and measure something is seen here."""

import importlib
import math
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
NAMES = sorted(p.stem for p in (ROOT / "benchmarks").glob("*.py") if p.stem[0] != "_")
STAND_IN = """#!{python}
import pathlib, sys
rows = pathlib.Path(sys.argv[{rows}]).read_text().splitlines()
assert rows == {data!r}
with open({log!r}, "a") as log:
    print(*sys.argv[1:], file=log)
pathlib.Path(sys.argv[{model}]).write_text({text!r})
"""


def module(name: str):
    return importlib.import_module(f"benchmarks.{name}")


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_and_has_rows(name: str) -> None:
    assert callable(module(name).rows)


def test_a_package_that_is_not_there_is_said_and_is_no_miss(capsys) -> None:
    peers = module("_peers")

    def rows():
        peers.package("no_such_package")
        yield "never", 0.0, 1.0

    assert module("__main__").show(peers.beside("ours / theirs", rows)) == 0
    said = capsys.readouterr().out
    assert "no_such_package" in said and "make bench" in said and "not measured" in said


def test_packages_that_rows_are_beside_are_in_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    known = {
        re.split("[=<>]", line)[0] for line in extras["project"]["optional-dependencies"]["bench"]
    }
    text = "".join((ROOT / "benchmarks" / f"{one}.py").read_text() for one in ("peers", "lists"))
    imported = {name.partition(".")[0] for name in re.findall(r'package\("([\w.]+)"\)', text)}
    sold_as = {"sksurv": "scikit-survival", "pytrec_eval": "pytrec-eval-terrier"}
    sold_as["dlib"] = "dlib-bin"
    needed = {sold_as.get(name, name).replace("_", "-") for name in imported}
    assert needed - {"statsmodels"} == known  # which the tests need, too


@pytest.mark.parametrize("apart", [1e-3, math.nan])
def test_values_that_differ_are_a_miss_however_fast_ours_is(apart: float, capsys) -> None:
    row = module("_peers").compared("ours / theirs", lambda: 0, lambda: 0, apart, 1e-6)
    assert row[1] == math.inf and module("__main__").show([row]) == 1
    assert "NOT EQUAL" in capsys.readouterr().out


def small_case():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + rng.standard_normal(60) > 0
    return module("_solvers").Case(X, y, (1.0, 0.1), rounds=1)


def test_scikit_learns_solvers_end_as_low_as_ours() -> None:
    solvers = module("_solvers")
    for solver in solvers.of_scikit_learn("lbfgs", "liblinear"):
        found = small_case().against(solver)
        assert found.equal and 0.0 < found.measured < math.inf
        assert -1e-9 < found.ours < 1e-6


def test_a_solver_that_ends_too_high_is_not_compared_by_time() -> None:
    solvers = module("_solvers")
    lazy = solvers.Solver("lazy", lambda X, y, lam, tol, w: np.zeros(4))
    found = small_case().against(lazy)
    assert not found.equal and found.measured == math.inf and "NOT EQUAL" in found.said
    name, found = small_case().fastest([lazy, *solvers.of_scikit_learn("lbfgs")])
    assert name == "lbfgs" and found.equal


@pytest.mark.parametrize("kind", ["text", "normal", "uniform", "scaled"])
def test_sparse_rows_are_of_their_kind(kind: str) -> None:
    X, y = module("widths").sparse(200, 1000, kind)
    assert X.shape == (200, 1000) and 0.02 < X.nnz / 2e5 < 0.2
    assert 0.2 < y.mean() < 0.8
    assert X.indices.dtype == X.indptr.dtype == np.int32  # liblinear takes no others
    if kind == "scaled":
        mean = X.multiply(X).sum(axis=0) / 200
        assert np.allclose(mean[mean > 0], 1.0)


@pytest.mark.parametrize("power", [1, 2])
def test_the_objective_of_pairs_is_that_of_all_pairs(power: int) -> None:
    rng = np.random.default_rng(0)
    s, y = np.round(rng.standard_normal(40), 1), rng.random(40) < 0.4
    D = s[y][:, None] - s[~y]
    found = module("_built").objective(s, y, power)
    assert found == pytest.approx((np.maximum(0.0, 1.0 - D) ** power).mean(), rel=1e-12)


def stand_in(folder: Path, data: list[str], text: str, rows: int, model: int) -> Path:
    """Return a program that checks its data, notes how it was called, and writes a model."""
    program = folder / "program"
    log = str(folder / "log.txt")
    program.write_text(
        STAND_IN.format(
            python=sys.executable, data=data, log=log, text=text, rows=rows, model=model
        )
    )
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("power", [1, 2])
def test_a_linear_program_is_called_as_documented_and_its_model_is_read(
    power: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, wide = module("_built"), module("widths").wide
    monkeypatch.setattr(built, "ROUNDS", 1)
    monkeypatch.setattr(built, "SHORT", -math.inf)
    monkeypatch.setattr(built, "LAMS", (0.1,))
    X, y = wide(30, 2, "normal")
    loss = "hinge" if power == 1 else "squared_hinge"
    w = built.LinearRanker(loss=loss, risk="bipartite", lam=0.1).fit(X, y).coef_[0].tolist()
    head = "SVM-light Version V6.20\n" + "0 # kernel type\n" * 9 + "0 # threshold b\n"
    text = f"{head}1 1:{w[0]!r} 2:{w[1]!r} #\n"
    if power == 2:
        head = "solver_type L2R_L2LOSS_RANKSVM\nnr_class 2\nnr_feature 2\nbias -1\nw\n"
        text = f"{head}{w[0]!r} \n{w[1]!r} \n"
    group = "" if power == 1 else " qid:1"
    data = [
        f"{2 * int(b) - 1}{group} 1:{a!r} 2:{c!r}" for b, (a, c) in zip(y, X.tolist(), strict=True)
    ]
    program = built.Program("it", str(stand_in(tmp_path, data, text, -2, -1)), power, ("0.5",))
    ((name, _, target),) = built.linear(program, tmp_path, [(30, 2)])
    assert target == 1.0
    ours, theirs = re.findall(r"\((\S+), (\S+)\)", name)[0]
    assert ours == theirs and float(ours) < 1e-6
    calls = [line.split()[:-2] for line in (tmp_path / "log.txt").read_text().splitlines()]
    # C times 100 (a percentage), or times the number of pairs, is 1 / lam.
    count, cost = (100, "-w 3 -l 10 --b 0") if power == 1 else (y.sum() * (~y).sum(), "-s 8")
    for call, effort in zip(calls, (program.least, "0.5"), strict=True):
        assert float(call.pop(call.index("-c") + 1)) * count == pytest.approx(10.0, rel=1e-12)
        call.remove("-c")
        assert call == [*cost.split(), "-e", effort]


def test_the_stumps_of_a_boosted_program_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = module("_built")
    monkeypatch.setattr(built, "ROUNDS", 1)
    monkeypatch.setattr(built, "SHORT", -math.inf)
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [0.5, 0.5]])
    y, query = np.array([0, 1, 2, 0]), np.array([1, 1, 1, 1])
    monkeypatch.setattr(built.queries, "made", lambda: (X, y, query))
    text = (
        "## RankBoost\n## Iteration = 2\n## No. of threshold candidates = 10\n1:0.7:0.5 2:2:0.25"
    )
    data = [f"{b} qid:1 1:{a!r} 2:{c!r}" for b, (a, c) in zip(y, X.tolist(), strict=True)]
    program = stand_in(tmp_path, data, text, -3, -1)
    ((name, _, target),) = built.ranklib(str(program), "it.jar", tmp_path, rounds=2)
    assert target == 1.0 and "2 rounds" in name
    assert built.stumps(tmp_path / "model.txt", X).tolist() == [0.0, 0.5, 0.75, 0.0]
    calls = (tmp_path / "log.txt").read_text().splitlines()
    counts = [
        re.search(r"-jar it.jar -ranker 2 -tc 10 -silent -round (\d+)", one) for one in calls
    ]
    assert [found and found[1] for found in counts] == ["1", "2"]


def test_without_a_path_nothing_is_measured(capsys) -> None:
    with pytest.raises(SystemExit):
        module("_built").main([])
    assert "no program" in capsys.readouterr().err


def test_a_benchmark_that_fails_hides_no_other(monkeypatch, capsys) -> None:
    main = module("__main__")

    def measure(name):
        yield f"{name} began", 0.5, 1.0
        if name == "cli":
            raise AttributeError("no attribute 'evaluate'")

    monkeypatch.setattr(main, "measure", measure)
    assert main.main(["cli", "hinge"]) == 1
    said = capsys.readouterr()
    assert "hinge began" in said.out and "1 missed" in said.out
    assert "no attribute 'evaluate'" in said.err


def test_what_a_run_adds_to_its_work_is_measured() -> None:
    assert 0.0 < module("overhead").overhead(1) < 20.0
