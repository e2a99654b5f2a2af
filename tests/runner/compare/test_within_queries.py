"""Rows that are ranked within queries: pairs of one query train and count, and tables say so."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankexp.runner.compare import budget, command, looking, methods, session
from rankexp.runner.config.asking import typed
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.reading import Column, Layout, Reading
from rankexp.runner.diagnostics.diagnostic import TableFacts
from rankexp.runner.diagnostics.tables import PerhapsQueries


def said_of(*given: Any, within: bool) -> list[str]:
    return list(looking.of_queries(*given, within=within))


def data(names: str = "a", groups: int | None = None, levels: int = 4, n: int = 120) -> Dataset:
    columns = tuple(Column(name, "numeric", "feature") for name in names.split())
    reading = Reading("t.csv", Layout("delimited text"), n, columns=columns)
    rng, known = np.random.default_rng(0), ("worst", "bad", "fair", "best")[-levels:]
    own = None if groups is None else np.arange(n) // groups
    y = rng.integers(0, levels or 2, n)
    one = Dataset("d", rng.normal(size=(n, 1)), y, (Feature("a"),), known if levels else None)
    return replace(one, groups=own, reading=reading)


@pytest.mark.parametrize("name", ["qid", "Query", "query_id", "Session-ID", "srch_id"])
def test_a_column_called_like_queries_is_named_with_the_option(name: str) -> None:
    def found(made: Dataset) -> str:
        assert made.reading is not None
        with typed():
            return str(PerhapsQueries().look(TableFacts(made.reading, made)))

    assert f"among each other, say --queries {name}" in found(data(f"a {name}"))
    assert "None" == found(data("a customer_id")) == found(data(f"a {name}", groups=6))
    own = data(f"a {name}")
    assert own.reading is not None
    target = replace(own.reading.columns[1], role="target")
    own = replace(own, reading=replace(own.reading, columns=(own.reading.columns[0], target)))
    assert found(own) == "None"
    left = replace(own.reading.columns[0], name="person", kind="groups", role="left out")  # type: ignore[union-attr]
    own = replace(own, reading=replace(own.reading, columns=(left,)))  # type: ignore[arg-type]
    assert "say --queries person. If they are persons" in found(own)


def test_groups_say_which_pairs_count_and_when_they_look_like_queries() -> None:
    counted, hint = said_of(data(groups=6), "who", within=False)
    assert "Pairs of rows of different groups count" in counted
    assert "'who' has 6 rows a value" in hint and "--queries who" in hint
    assert len(said_of(data(groups=60), "who", within=False)) == 1, "many rows"
    assert len(said_of(data(groups=6, levels=0), "who", within=False)) == 1
    (within,) = said_of(data(groups=6), "who", within=True)
    assert "20 queries with 6 to 6 rows" in within and "--queries" not in within


def test_within_queries_all_pairs_stand_beside_and_numbers_are_refused() -> None:
    assert "all-pairs-logistic" in methods.offer("ordered", None, within=True).methods
    assert "all-pairs-logistic" not in methods.offer("ordered", None).methods
    with pytest.raises(Exception, match="--queries: rankexp cannot train on pairs of numbers"):
        methods.offer("continuous", None, within=True)


def search(file: Path, n: int = 40, rows: int = 8, seed: int = 0) -> None:
    """Write queries with an offset each, in the target and in what is known of the rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, rows, 3))
    truth = X @ [1.0, 0.7, 0.4] + rng.normal(size=(n, rows))
    y = np.digitize(truth + 2 * rng.normal(size=(n, 1)), [-1.5, 0, 1.5])
    X[:, :, 0] += 2 * rng.normal(size=(n, 1))
    lines = [
        f"q{q},{','.join(f'{v:.3f}' for v in X[q, i])},{y[q, i]}"
        for q in range(n)
        for i in range(rows)
    ]
    file.write_text("\n".join(["query,a,b,c,grade", *lines]) + "\n", encoding="utf-8")


def test_pairs_within_queries_gain_where_each_query_has_an_offset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session, "ROUNDS", 0)
    monkeypatch.setattr(session.budget, "MOST_REPEATS", 1)
    search(tmp_path / "t.csv")
    few = ["points-logistic", "pairs-logistic"]
    given = {"target": "grade", "methods": few, "jobs": 1, "minutes": 0.5}
    code, _ = command.compare(Path("t.csv"), command.Options(queries="query", **given))  # type: ignore[arg-type]
    assert code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "For linear scorers, training on pairs helps." in text
    assert "in the mean over queries" in text and "groups together" in text
    assert "What now? Train on pairs: logistic on pairs." in text
    assert "ranker__groups=table['query']" in text and "UndefinedMetric" not in text
    made = (tmp_path / "compare-t" / "study.yaml").read_text(encoding="utf-8")
    assert "within_groups" not in made and "together: groups" in made and "keep:" not in made


def test_groups_and_queries_exclude_each_other() -> None:
    with pytest.raises(Exception, match="--groups and --queries exclude each other"):
        command.compare(Path("t.csv"), command.Options("y", groups="a", queries="b"))
    with pytest.raises(Exception, match="--queries: column 'y' is the target"):
        command.compare(Path("t.csv"), command.Options("y", queries="y"))


def test_with_a_test_file_rows_of_queries_are_not_called_independent() -> None:
    parts = (np.arange(120) >= 60).astype(np.int64)
    given = replace(data(groups=6), parts=parts, part_names=("train", "test"))
    for within, called in ((True, "10 queries"), (False, "10 groups")):
        _, said = budget.training(given, within=within)
        assert f"0 of the {called} of the test file" in said
        assert ("test rows as independent" in said) == (not within)
