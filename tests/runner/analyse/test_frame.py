import numpy as np
import pandas as pd

from rankexp.runner.analyse.frame import COLUMNS, NONE, long_frame, scores
from rankexp.runner.grid import Point
from rankexp.runner.plan import PlanCell
from rankexp.runner.protocols.protocol import Place
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.spec import SimulateSpec


def cell(key: str, experiment: str = "e", **place: int) -> PlanCell:
    where = Place(**({"rep": 0, "fold": 0} | place))  # type: ignore[arg-type]
    return PlanCell(key, experiment, "p", "m", SimulateSpec(0, "m", {}, Point(()), where))


RECORD = Record(
    "a",
    grid=(Point.of({"lam": 0.01}), Point.of({"lam": 1e-5, "kind": "x"})),
    rows=[
        RecordRow("test", 0, None, None, "rank_loss", 0.25),
        RecordRow("test", 1, None, None, "rank_loss", float("nan")),
        RecordRow("inner", 1, None, None, "rank_loss", 0.5),
        RecordRow("test", 1, 3, None, "rank_loss", 0.75),
        RecordRow("test", 1, None, "q1", "rank_loss", 1.0),
    ],
)


def test_the_frame_has_every_row_of_every_cell_with_a_record() -> None:
    cells = [cell("a", fold=1), cell("missing"), cell("a", experiment="f"), cell("b", model=4)]
    failed = Record("b", status="failed", reason="no")
    frame = long_frame(cells, {"a": RECORD, "b": failed, "foreign": RECORD})
    assert list(frame.columns) == ["setting", *COLUMNS]
    assert list(frame["experiment"]) == ["e"] * 5 + ["f"] * 5 + ["e"]
    assert [str(point) for point in frame["grid"][:5]] == ["lam=0.01"] + ["kind=x,lam=1e-05"] * 4
    assert list(frame["fold"][[0, 5]]) == [1, 0]
    assert frame["model"].isna().tolist() == [True] * 10 + [False]
    last = frame.iloc[-1]
    assert (last["status"], last["metric"], last["part"], str(last["grid"])) == (
        "failed",
        "",
        "",
        "",
    )
    assert np.isnan(last["value"])
    np.testing.assert_array_equal(frame["value"][:5], [0.25, np.nan, 0.5, 0.75, 1.0])
    assert frame["step"].isna().tolist()[:5] == [True, True, True, False, True]
    assert frame["group"].isna().tolist()[:5] == [True, True, True, True, False]


def test_an_empty_study_has_an_empty_frame() -> None:
    frame = long_frame([cell("a")], {})
    assert list(frame.columns) == ["setting", *COLUMNS] and len(frame) == 0


def test_a_slice_holds_one_part_of_one_metric_without_steps_and_groups() -> None:
    frame = long_frame([cell("a"), cell("a", experiment="f")], {"a": RECORD})
    test = scores(frame, "e", "rank_loss")
    assert [str(point) for point in test["grid"]] == ["lam=0.01", "kind=x,lam=1e-05"]
    assert (test["model"] == NONE).all() and (test["rep"] == 0).all()
    assert list(scores(frame, "e", "rank_loss", "inner")["value"]) == [0.5]
    assert len(scores(frame, "e", "auc")) == 0


def test_the_unit_is_the_model_else_the_repeat() -> None:
    frame = long_frame([cell("a", model=7, rep=2), cell("b", rep=3)], {"a": RECORD, "b": RECORD})
    units = scores(frame, "e", "rank_loss")
    pd.testing.assert_series_equal(
        units["unit"], pd.Series([7, 7, 3, 3], name="unit"), check_dtype=False
    )
