"""Metrics, checks and protocols from outside that misbehave harm nobody but themselves."""

from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any, Literal

import numpy as np
import pytest
import toys

from rankexp import registry
from rankexp.metrics.metric import Metric, declare, parse
from rankexp.runner.config import schema
from rankexp.runner.plan import Job, PlanCell, cells
from rankexp.runner.protocols.dividing import Holdout
from rankexp.runner.protocols.protocol import Part
from rankexp.runner.run.evaluate import _check_row, evaluate
from rankexp.runner.run.material import FoldRows
from rankexp.runner.run.measured import measured, rows_of


@declare("lower", source="a test")
def a_writes(y: Any, scores: Any, reference: Any) -> Any:
    scores.sort(axis=0)
    return np.zeros(scores.shape[1])


@declare("lower", source="a test")
def groups_seen(y: Any, scores: Any, groups: Any) -> Any:
    return np.full(scores.shape[1], float(len(set(groups.tolist()))))


class Mistaken(Holdout):
    """Registered under another name than its kind."""

    kind: Literal["split"]


def test_a_metric_cannot_write_into_the_scores_of_the_next() -> None:
    cell = next(cells(toys.study(), {}))
    spec: Any = cell.spec
    both = (Metric("a_writes", a_writes), parse("rank_loss"))
    changed = replace(spec, setting=replace(spec.setting, metrics=both))
    (record,) = evaluate(Job("j", (PlanCell("0" * 64, "e", "p", "m", changed),), 0.0))
    assert record.status == "failed" and "read-only" in (record.reason or "")


def test_a_metric_that_needs_groups_has_a_value_in_each() -> None:
    groups = np.array([0, 0, 1, 1])
    part = Part(np.zeros((4, 1)), np.array([0, 1, 0, 1]), groups=groups)
    metrics, tested = [Metric("groups_seen", groups_seen)], FoldRows(part.X, part)
    found = measured(metrics, np.zeros((4, 1)), {}, tested)
    rows = rows_of("test", metrics, *found, tested)
    assert [(row.group, row.value) for row in rows] == [(None, 2.0), ("0", 1.0), ("1", 1.0)]


def test_rows_of_checks_are_of_plain_types() -> None:
    row = _check_row("q", np.float64(1), step=np.int64(3), group=7)
    assert (type(row.step), row.step, row.group) == (int, 3, "7")
    with pytest.raises(TypeError):
        _check_row("q", 1.0, step=0.5)


def test_a_protocol_of_another_kind_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    target = f"{__name__}:Mistaken"
    point = EntryPoint("mine", target, "rankexp.protocols")
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [point] if group == point.group else []
    )
    registry._room.cache_clear()
    try:
        with pytest.warns(UserWarning, match="mine"):
            kinds = list(schema._protocols())
    finally:
        registry._room.cache_clear()
    names = [kind.__name__ for kind in kinds]
    assert "Mistaken" not in names and "Holdout" in names
    assert registry.unfit("protocols", int) is not None
