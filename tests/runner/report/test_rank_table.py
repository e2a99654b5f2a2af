"""The table of average ranks: ranks, their noise, and the print beside them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rankexp import registry
from rankexp.runner.config.schema import Block
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record

Make = Callable[..., Context]
BEST = {"logistic": 1.0, "svm_or": 2.0, "exponential": 3.0}
"""What the made-up losses lead to, far beyond their noise."""


def show(context: Context, experiment: str, **options: Any) -> Output:
    block = Block(block="rank_table", name="x", experiment=experiment, options=options)
    kind = registry.get("report.blocks", "rank_table")
    output: Output = kind.model_validate(options).build(context, block)
    return output


def printed(context: Context, **ranks: float) -> Context:
    """Let average ranks of ``boxes`` be published."""
    shared = {"experiment": "boxes", "problem": "*", "quantity": "average_rank(rank_loss)"}
    shared |= {"last_digit": "0.25", "source": "p. 1", "verified": "true", "note": ""}
    context.manifest["published"] = [
        shared | {"method": name, "value": str(value)} for name, value in ranks.items()
    ]
    return context


def test_ranks_stand_beside_the_print(make: Make) -> None:
    output = show(printed(make(), logistic=1.0, svm_or=3.0, exponential=2.5), "boxes")
    frame = output.numbers.set_index("method")
    assert frame["average_rank"].to_dict() == BEST
    assert frame["published"].to_dict() == {"logistic": 1.0, "svm_or": 3.0, "exponential": 2.5}
    assert set(frame["spearman"]) == {0.5} and set(frame["spearman_of_two_runs"]) == {1.0}
    assert set(frame["published_sum"]) == {6.5} and set(frame["average_rank_sum"]) == {6.0}
    assert output.tally is not None
    assert frame["verdict"].to_dict() == {
        "logistic": "reproduced",
        "svm_or": "not reproduced",
        "exponential": "not reproduced",
    }
    assert output.tally.found == "1 of 3 published average ranks reproduced"
    assert "furthest SVM-OR by rank loss (2.00 here, 3.00 printed)" in output.tally.lacks
    assert output.facts["rank loss"].text == ".50, two runs of this study have 1.00 (1.00 to 1.00)"
    table, detail = output.tables
    assert detail.detail and not table.detail
    shown = rows(table)
    assert [row[0] for row in shown] == [
        *("exponential", "SVM-OR", "logistic", "All together"),
        "Spearman's rho, with the published ranks / of two runs",
    ]
    assert "≠" in shown[0][1] and "≠" not in shown[2][1]
    assert shown[3][1] == "6.50 / 6.00" and shown[4][1] == ".50 / 1.00"
    assert rows(detail)[4][1] == ".50 / 1.00 (1.00 to 1.00)"
    assert rows(detail)[0][1] == "2.50 / 3.00 ± .00 ≠"


def test_nothing_is_said_of_a_print_that_there_is_not(make: Make) -> None:
    output = show(make(), "boxes")
    assert output.tally is None and output.numbers["verdict"].isna().all()
    assert output.numbers["spearman"].isna().all()
    shown = rows(output.tables[0])
    assert shown[-1] == ["Spearman's rho", "1.00"] and len(shown) == 5
    assert (
        shown[3][1] == "6.00"
        and "/" not in shown[0][1]
        and "published" not in output.tables[0].caption
    )
    assert not any("≠" in note for note in output.texts)


def test_ranks_that_two_runs_need_not_share_cannot_be_told(make: Make) -> None:
    rng = np.random.default_rng(1)  # noise alone: no method is better than another

    def alike(cell: PlanCell, record: Record) -> Record:
        rows = [row._replace(value=rng.normal(0.5, 0.01)) for row in record.rows]
        return Record(record.key, grid=record.grid, rows=rows)

    made = printed(make(change=alike), logistic=2.01, svm_or=2.02, exponential=2.03)
    output = show(made, "boxes")
    assert output.numbers is not None and output.tally is not None
    assert set(output.numbers["verdict"]) == {"cannot tell"}
    assert output.numbers["two_runs_low"].max() <= 0
    assert output.tally.found == "3 of 3 published average ranks too noisy to tell"
    assert "?" in rows(output.tables[0])[0][1]


def test_one_method_has_no_rank(make: Make) -> None:
    (note,) = show(make(), "boxes", methods=["logistic"]).texts
    assert note == "boxes: ranks need two methods or more."


def test_data_sets_that_were_not_run_are_refused_or_named(make: Make) -> None:
    (note,) = show(make(), "folds").texts
    assert note == "folds: refused: values are missing (gone: not run)."
    output = show(make(), "folds", incomplete="drop")
    assert output.texts[-1] == "dropped 1 (gone: not run)."
    assert output.numbers.set_index("method")["average_rank"].to_dict() == BEST


def test_a_missing_record_refuses_its_data_set(make: Make) -> None:
    def lost(cell: PlanCell, record: Record) -> Record | None:
        gone = cell.problem == "easy" and cell.method == "logistic" and cell.place.model == 0
        return None if gone else record

    (note,) = show(make(change=lost), "boxes").texts
    assert "easy: 3 of 15 splits lack a value" in note


def test_a_single_repeat_has_no_noise_that_is_known(make: Make) -> None:
    (note,) = show(make(), "once").texts
    assert note == "once: a data set needs two repeats or more."
