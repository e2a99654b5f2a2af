"""The lines of Python that `compare` ends with run when pasted, and train what was compared."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

from rankexp.estimators import LinearRanker
from rankexp.runner.compare import command, results
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


def of_frame(session: Session) -> Session:
    """Return a session whose table is a frame of the caller's, called `frame`."""
    session.asked = replace(session.asked, held="frame.rename(columns=str)")
    return session


def trained(
    session: Session, name: str, point: dict[str, float] | None = None, **left: object
) -> tuple[object, ...]:
    """Return what the lines for a method leave behind: the model, its rows and its scores."""
    lines = results.lines(session.asked, session.dataset, name, point or {}, "m.joblib")
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


def written(values: pd.Series, how: str) -> pd.Series:
    """Return numbers as people write them."""
    texts = values.map("{:,.2f}".format)
    if how == "euros":
        swapped = texts.str.translate(str.maketrans(",.", ".,"))
        return swapped.where(values.isna(), swapped + " €")
    return texts.where(values.isna(), "$" + texts if how == "dollars" else texts + "%")


@pytest.mark.parametrize("how", ["euros", "dollars", "percent", "frame"])
def test_numbers_with_signs_become_numbers(how: str) -> None:
    table = frame()[["age", "spend", "plan", "score"]]
    table["score"] = 3e4 + 1e4 * table["score"]
    table["age"] = 5e3 + 1e3 * table["age"]
    for column in ("age", "score"):
        table[column] = written(table[column], how)
    own = {"sep": ";", "decimal": ","} if how == "euros" else {}
    table.to_csv("t.csv", index=False, **own)  # type: ignore[call-overload]
    if how == "frame":
        table.to_parquet("t.parquet")
    session = read("t.parquet" if how == "frame" else "t.csv", "score")
    _, rows, scores = trained(session, "ridge")
    assert len(rows) == N - 2  # type: ignore[arg-type]
    assert rows["score"].between(-2e4, 8e4).all()  # type: ignore[index]
    assert np.corrcoef(scores, rows["score"])[0, 1] > 0.6  # type: ignore[call-overload,index]


@pytest.mark.parametrize("kind", ["text", "category", "bool", "Int64", "marked", "true in CSV"])
def test_a_target_of_any_type_becomes_levels(kind: str) -> None:
    table = frame()[["age", "spend"]].fillna(0)
    truth = table["spend"] + table["age"] > 0
    plain = truth.astype(int)
    as_asked = {"text": plain.astype(str), "category": plain.astype(str).astype("category")}
    as_asked |= {"bool": truth, "Int64": plain.astype("Int64"), "true in CSV": truth}
    table["y"] = as_asked.get(kind, plain.astype(str))
    if kind == "marked":
        table.loc[4, "y"] = "NA"
    table["y"] = table["y"].map({True: "true", False: "false"}) if "CSV" in kind else table["y"]
    table.to_csv("t.csv", index=False)
    table.to_parquet("t.parquet")
    session = read("t.csv" if "CSV" in kind else "t.parquet", "y")
    session = of_frame(session) if "CSV" not in kind else session
    _, rows, scores = trained(session, "points-logistic", frame=table)
    assert np.isfinite(scores).all()  # type: ignore[call-overload]
    assert len(rows) == N - (kind == "marked")  # type: ignore[arg-type]
    found = truth[rows.index]  # type: ignore[attr-defined]
    assert scores[found].mean() > scores[~found].mean()  # type: ignore[index]


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
    lines = results.lines(session.asked, session.dataset, names[0], {}, "m.joblib")
    beside = re.search(r"ranker__(\w+)=table\['(\w+)'\]", lines)
    expected = {"weights": ("sample_weight", "weight"), "queries": ("groups", "query")}
    wanted = next((value for key, value in expected.items() if key in given), None)
    assert (beside.groups() if beside else None) == wanted
