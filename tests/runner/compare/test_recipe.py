"""The lines of Python that `compare` ends with run when pasted, and train what was compared."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

from rankexp.estimators import LinearRanker
from rankexp.runner.compare import command, recipe
from rankexp.runner.compare.session import Session
from rankexp.runner.config.schema import Preprocess
from rankexp.runner.data.preprocess import Preprocessor

N = 90


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    yield


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, N)).round(3)
    made = pd.DataFrame({"age": a, "spend": b, "plan": rng.choice(["s", "m", "l"], N)})
    made["pay"] = rng.choice(["card", "bank"], N)
    made["query"] = np.arange(N) // 6
    made["weight"] = rng.integers(1, 4, N)
    made["score"] = (a + 0.5 * b + (made["plan"] == "l") + rng.normal(size=N) / 2).round(3)
    made["level"] = np.digitize(made["score"], [-0.5, 0.5])
    made["word"] = np.array(["bad", "fair", "good"])[made["level"]]
    made["left"] = np.where(made["score"] > 0, "yes", "no")
    made.loc[made.index % 11 == 3, ["age", "plan"]] = None
    made.loc[[5, 6], ["score", "level", "word", "left"]] = None
    return made


def read(file: str, target: str, **given: object) -> Session:
    """Return a session that has read a table."""
    options = command.Options(target=target, **given)  # type: ignore[arg-type]
    asked = command._asked(Path(file), options)
    now = time.monotonic(), time.process_time()
    session = Session(asked, Path("answer"), 1, 5.0, now)
    session.read()
    return session


def trained(
    session: Session, name: str, point: dict[str, float] | None = None
) -> tuple[object, ...]:
    """Return what the lines for a method leave behind: the model, its rows and its scores."""
    lines = recipe.lines(session.asked, session.dataset, name, point or {}, "m.joblib")
    left: dict[str, object] = {}
    exec(compile(lines, "pasted", "exec"), left)
    assert joblib.load("m.joblib")
    return left["model"], left["table"], left["scores"]


def test_they_train_what_was_compared_on_the_same_numbers() -> None:
    drop = ["score", "level", "word", "query", "weight"]
    frame().to_csv("t.csv", index=False)
    session = read("t.csv", "left", reading={"drop": drop})
    *_, scores = trained(session, "pairs-logistic", {"lam": 0.01})
    data = session.dataset
    X = Preprocessor(Preprocess(), data.features).fit(data.X).transform(data.X)
    ours = LinearRanker(loss="logistic", risk="bipartite", lam=0.01).fit(X, data.y)
    np.testing.assert_allclose(scores, ours.decision_function(X), atol=1e-5)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["german", "parquet", "excel", "two files"])
def test_they_read_the_file_as_it_was_read(layout: str) -> None:
    table = frame()[["age", "spend", "plan", "pay", "left"]]
    file, given = "t.csv", dict[str, object]()
    match layout:
        case "german":
            table["plan"] = table["plan"].map({"s": "größer", "m": "mäßig", "l": "klein"})
            text = table.to_csv(index=False, sep=";", decimal=",", na_rep="k.A.")
            Path(file).write_text(text, encoding="cp1252")
            given = {"missing": ["k.A."]}
        case "parquet":
            file = "t.parquet"
            table.convert_dtypes().to_parquet(file)
        case "excel":
            pytest.importorskip("openpyxl")
            file = "t.xlsx"
            table.to_excel(file, index=False)
        case _:
            table[:60].to_csv(file, index=False)
            table[60:].to_csv("more.csv", index=False)
    more = {"test": Path("more.csv")} if layout == "two files" else {}
    session = read(file, "left", reading=given, **more)
    _, rows, scores = trained(session, "points-logistic")
    assert len(rows) == N - 2  # type: ignore[arg-type]
    assert np.isfinite(scores).all()  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("target", "given", "names"),
    [
        ("left", {}, ["points-hinge", "rankboost", "pairs-boosted"]),
        ("left", {"weights": "weight"}, ["pairs-logistic"]),
        ("left", {"positive": "no"}, ["pairs-hinge"]),
        ("level", {"queries": "query"}, ["pairs-logistic", "points-logistic"]),
        ("word", {"levels": ["bad", "fair", "good"]}, ["points-boosted", "ridge"]),
        ("word", {"positive": "good"}, ["pairs-hinge"]),
        ("score", {}, ["ridge-ranks", "boosting-ranks", "pairs-tree"]),
    ],
)
def test_each_method_ranks_the_rows_by_the_target(
    target: str, given: dict[str, object], names: list[str]
) -> None:
    used = {target, given.get("weights"), given.get("queries")}
    others = {"score", "level", "word", "left", "query", "weight"} - used
    frame().to_csv("t.csv", index=False)
    session = read("t.csv", target, reading={"drop": sorted(others)}, **given)
    for name in names:
        if "boosted" in name:
            pytest.importorskip("lightgbm")
        model, rows, scores = trained(session, name)
        table = rows["score"]  # type: ignore[index]
        worse = given.get("positive") == "no"
        assert np.corrcoef(scores, -table if worse else table)[0, 1] > 0.4, (name, model)  # type: ignore[call-overload]
    lines = recipe.lines(session.asked, session.dataset, names[0], {}, "m.joblib")
    beside = re.search(r"ranker__(\w+)=table\['(\w+)'\]", lines)
    expected = {"weights": ("sample_weight", "weight"), "queries": ("groups", "query")}
    wanted = next((value for key, value in expected.items() if key in given), None)
    assert (beside.groups() if beside else None) == wanted
