"""Windows that expand: nothing is trained on what comes later, and equal times stay together."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.errors import ConfigError, DataError
from rankexp.runner.config.load import load
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.suitable import ascends, orders
from rankexp.runner.protocols.expanding import ExpandingWindow
from rankexp.runner.protocols.protocol import Loaded, Part
from rankexp.runner.report.build import open_report
from rankexp.runner.run.execute import execute

STUDY = """\
version: 1
study: late
title: Later rows
seed: 1
data: {{d: {{source: {{file: d.csv}}, target: y, levels: ["0", "1"]{entry}}}}}
methods:
  points: {{loss: logistic, lambdas: [0.01, 0.1]}}
experiments:
  e:
    problems: [d]
    methods: [points]
    metrics: [auc]
    protocol: {{kind: time{protocol}}}
    inner: {{folds: 2}}
report: []
""".replace(
    "{{loss: logistic, lambdas", "{{params: {{loss: logistic, risk: classification}}, lambdas"
)


def loaded(times: object) -> Loaded:
    values = np.asarray(times, dtype=float)
    rows = np.arange(len(values))
    return Loaded("d", Part(rows[:, None] * 1.0, rows % 2, rows=rows), 1, times=values)


@given(
    st.lists(st.integers(0, 40), min_size=20, max_size=60), st.integers(1, 4), st.floats(0.1, 0.9)
)
def test_no_row_is_trained_on_that_is_not_older(times: list[int], folds: int, test: float) -> None:
    protocol = ExpandingWindow(kind="time", folds=folds, test=test)
    source = loaded(times)
    assert source.times is not None
    tested: list[int] = []
    try:
        made = [protocol.parts(source, place, inner=False) for place in protocol.places()]
    except DataError as error:
        assert "different times" in str(error)
        return
    for parts in made:
        train, own = parts.train.rows, parts.test.rows
        assert train is not None and own is not None and len(train) and len(own)
        assert source.times[train].max() < source.times[own].min()
        assert (np.diff(train) > 0).all() and (np.diff(own) > 0).all()
        assert not set(tested) & set(own)
        assert not tested or set(tested) <= set(train)
        tested += own.tolist()
    oldest = made[0].train.rows
    assert oldest is not None
    assert sorted([*tested, *oldest]) == list(range(len(times)))


def test_windows_are_as_long_as_asked_where_times_differ() -> None:
    protocol = ExpandingWindow(kind="time", test=0.3, folds=3)
    made = [
        protocol.parts(loaded(np.arange(100)[::-1]), p, inner=False) for p in protocol.places()
    ]
    assert [(len(m.train.X), len(m.test.X)) for m in made] == [(70, 10), (80, 10), (90, 10)]
    assert made[0].test.rows is not None and set(made[0].test.rows) == set(range(20, 30))
    assert protocol.training_rows(100) == 80
    one = ExpandingWindow(kind="time")
    assert one.design().pairs == "examples" and "latest 30 %" in one.words()


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["2024-01-31", "2023-12-31", "2024-02-01"], [[1, 0, 2]]),
        (["31.01.2024", "01.02.2024", "02.01.2024"], [[2, 0, 1]]),
        (["01/31/2024", "02/01/2024", "01/02/2024"], [[2, 0, 1]]),
        (["03/01/2024", "02/05/2024", "01/07/2024"], [[0, 1, 2], [2, 1, 0]]),
        (["3 Mar 2024", "1 Feb 2024", "2 Dec 2023"], [[2, 1, 0]]),
        (["2024-01-31 10:00", "2024-01-31 09:59", "2024-02-01 00:00"], [[1, 0, 2]]),
        (["a", "b", "c"], []),
    ],
)
def test_dates_are_in_the_order_of_time(texts: list[str], found: list[list[int]]) -> None:
    column = Feature("date", "nominal", tuple(texts))
    made = orders(column, np.arange(3.0))
    assert [np.argsort(one).tolist() for one in made] == found
    assert [float(one[1]) for one in orders(column, np.array([0, np.nan, 1.0]))] in (
        [],
        [pytest.approx(np.nan, nan_ok=True)] * len(found),
    )


def test_rows_are_in_order_or_not() -> None:
    days = tuple(f"{d:02d}.{m:02d}.2024" for m in range(1, 13) for d in range(1, 29))
    column, rows = Feature("d", "nominal", days), np.arange(len(days)) * 1.0
    assert ascends(column, rows) is True
    assert ascends(column, rows[::-1].copy()) is False
    assert ascends(column, np.r_[rows[1:], 0.0]) is None
    assert ascends(column, np.zeros(20)) is None


def write(folder: Path, entry: str, protocol: str, dates: list[str]) -> Path:
    rng = np.random.default_rng(0)
    y = (np.arange(len(dates)) % 2).astype(int)
    rows = [
        f"{date},{x:.3f},{one}"
        for date, x, one in zip(dates, y + rng.normal(size=len(y)), y, strict=True)
    ]
    (folder / "d.csv").write_text("\n".join(["date,x,y", *rows]) + "\n", encoding="utf-8")
    file = folder / "late.yaml"
    file.write_text(STUDY.format(entry=entry, protocol=protocol), encoding="utf-8")
    return file


DAYS = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(120)][::-1]


@pytest.mark.parametrize(
    ("entry", "protocol"), [("", ", column: date, test: .25, folds: 3"), (", time: date", "")]
)
def test_a_study_tests_on_later_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, protocol: str
) -> None:
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    file = write(tmp_path, entry, protocol, DAYS)
    study = load(file)
    assert study.data["d"].time == "date"
    outcome = execute(study, results=tmp_path / "r", config=file, workers=1, quiet=True)
    assert outcome.exit_code == 0 and outcome.records == (3 if protocol else 1)
    report = open_report(outcome.folder, study, outcome.cells)
    scores = report.context.frame
    assert scores.value.notna().any()


@pytest.mark.parametrize(
    ("entry", "protocol", "why"),
    [
        ("", "", "needs 'column'"),
        (", time: x", ", column: date", "goes by the column 'x', not by 'date'"),
        (
            ", fingerprint: {rows: 9, features: 1}",
            ", column: date, folds: 5",
            "more folds than the 2",
        ),
        ("", ", column: y", "already the target"),
        ("", ", column: date, test: 1.5", "test"),
    ],
)
def test_what_cannot_be_is_found_before_anything_runs(
    tmp_path: Path, entry: str, protocol: str, why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        load(write(tmp_path, entry, protocol, DAYS))


@pytest.mark.parametrize(
    ("dates", "why"),
    [
        ([*DAYS[:-1], ""], "no date or number in row 120"),
        ([f"0{1 + i % 9}/0{1 + i // 15}/2024" for i in range(120)], "day or with the month"),
        (["here", "there"] * 60, "no date or number in any row"),
        (["2024-01-01"] * 120, "only 1 different times"),
    ],
)
def test_a_column_without_times_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dates: list[str], why: str
) -> None:
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    file = write(tmp_path, "", ", column: date", dates)
    outcome = execute(load(file), results=tmp_path / "r", config=file, workers=1, quiet=True)
    assert outcome.exit_code in (1, 3)
    assert why in " ".join(outcome.messages)
