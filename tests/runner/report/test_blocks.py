"""Each block on made-up records: what it shows, and that it says what is lacking."""

import copy
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from rankexp import registry
from rankexp.charts.model import Chart
from rankexp.metrics.metric import parse
from rankexp.runner.analyse.select import ORACLE as BEST
from rankexp.runner.config.schema import Block
from rankexp.runner.grid import Point
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.build import files
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render import markdown, terminal
from rankexp.runner.report.render.text import all_notes, rows
from rankexp.runner.run.record import Record, RecordRow
from rankexp.studies.kotlowski2011.boxes import Boxes
from rankexp.testing.blocks import names_what_it_looks_up

Make = Callable[..., Context]


def show(context: Context, name: str, experiment: Any, **options: Any) -> Output:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    output: Output = (
        registry.get("report.blocks", name).model_validate(options).build(context, block)
    )
    return output


def drop(wanted: Callable[[PlanCell], bool]) -> Callable[[PlanCell, Record], Record | None]:
    return lambda cell, record: None if wanted(cell) else record


@pytest.mark.parametrize("name", registry.names("report.blocks"))
def test_every_block_refuses_unknown_options(name: str) -> None:
    with pytest.raises(ValidationError, match="colour"):
        registry.get("report.blocks", name).model_validate({"colour": "red"})


def test_rules_are_checked() -> None:
    model = registry.get("report.blocks", "published_table")
    model.model_validate({"rules": ["oracle", "fixed:lam=0.1", "one_standard_error"]})
    for wrong in (["orakel"], ["fixed:"], []):
        with pytest.raises(ValidationError, match="rules"):
            model.model_validate({"rules": wrong})


def test_what_was_run_but_has_no_value_is_undefined(make: Make) -> None:
    def undefined(cell: PlanCell, record: Record) -> Record:
        changed = [r._replace(value=np.nan) if r.part == "test" else r for r in record.rows]
        return Record(record.key, grid=record.grid, rows=changed)

    (row, gone, *_) = rows(show(make(change=undefined), "published_table", "folds").tables[0])
    assert {cell.split(" / ")[1] for cell in row[1:]} == {"undefined"}
    assert {cell.split(" / ")[1] for cell in gone[1:]} == {"not run"}


def test_details_and_their_notes_can_be_left_out(make: Make) -> None:
    whole = show(make(), "published_table", "folds")
    short = show(make(), "published_table", "folds", details=False)
    assert [table.caption for table in whole.tables][1:] == ["Details"]
    (table,) = short.tables
    assert rows(table) == rows(whole.tables[0])
    reasons = {"[1] A loose solver.", "[2] Its data was not available."}
    assert set(all_notes(whole)) - set(all_notes(short)) == reasons
    assert whole.numbers is not None and whole.numbers.equals(short.numbers)


def test_the_published_table_compares_the_first_rule(make: Make) -> None:
    output = show(make(), "published_table", ["folds", "once"])
    assert output.numbers is not None and not output.incomplete
    table = output.numbers.set_index(["experiment", "problem", "method"])
    row = table.loc[("folds", "vote", "logistic")]
    assert row["published"] == 0.1195
    assert row["reproduced"] == pytest.approx(0.11, abs=0.002)
    assert row["by nested"] == pytest.approx(row["reproduced"] + 0.01)
    assert row["difference"] == row["reproduced"] - row["published"]
    assert (row["verdict"], row["note"]) == ("not reproduced", "A loose solver.")
    assert (str(row["chosen"]), row["edge"], row["splits"], row["state"]) == (
        *("lam=0.1", "", 6),
        "complete",
    )
    assert pd.isna(table.loc[("folds", "vote", "svm_or"), "verdict"])
    assert table.loc[("folds", "gone", "logistic"), "state"] == "not run"
    single = table.loc[("once", "vote", "logistic")]
    assert single["se_of"] == "test examples" and 0.01 < single["se"] < 0.05
    # One split in two halves of 200: a difference of the margin would pass, too.
    assert single["verdict"] == "cannot tell" and single["note"] == ""
    assert single["tolerance"] == pytest.approx(1.96 * 2**0.5 * single["se"], rel=1e-4)
    assert row["z"] == pytest.approx(row["difference"] / (row["se"] * 2**0.5))
    assert row["relative"] == pytest.approx(row["difference"] / 0.1195)
    assert row["printed_units"] == 3
    assert math.isnan(table.loc[("folds", "gone", "logistic"), "tolerance"])
    wide = output.tables[0]
    assert wide.labels == ["Data set", "exponential", "SVM-OR", "logistic"]
    texts = rows(wide)
    assert [row[0] for row in texts] == [
        *("vote_84 & more (folds)", "gone", "vote_84 & more (once)"),
        "mean difference",
    ]
    assert texts[0][1].startswith(".5000 / .1") and "≠" in texts[0][1]
    assert texts[-1][1].startswith("−.37") and texts[-1][1].endswith("(over 1)")


def test_the_print_counts_with_the_noise_of_its_own_units(make: Make) -> None:
    context = make()
    for row in context.manifest["published"]:
        row["units"] = "1"
    output = show(context, "published_table", "folds")
    assert output.numbers is not None
    row = output.numbers.set_index(["problem", "method"]).loc[("vote", "logistic")]
    assert row["printed_units"] == 1
    assert row["z"] == pytest.approx(row["difference"] / (row["se"] * 2))


def test_the_gist_counts_what_is_reproduced_and_names_what_is_not(make: Make) -> None:
    output = show(make(), "published_table", ["folds", "once"])
    assert output.gist.startswith("1 of 3 published values too noisy to tell; not")
    assert "; not: 2 of 3 values, furthest vote_84 & more exponential (.1" in output.gist
    assert output.gist.endswith(" here, .5000 published).")
    marked = [row[-1] for row in rows(output.tables[0]) if row[0].endswith("(once)")]
    assert " ? / " in marked[0]
    context = make()
    context.manifest["published"] = None
    said = show(context, "published_table", "folds").gist
    assert said == "Best rank loss: logistic on 1 of 1 problem."


def test_a_method_stands_beside_anothers_published_value(make: Make) -> None:
    output = show(make(), "published_table", "folds", beside={"svm_or": "logistic"})
    assert output.numbers is not None
    table = output.numbers.set_index(["problem", "method"])
    row = table.loc[("vote", "svm_or")]
    assert (row["published"], row["compared_with"], row["note"]) == (0.1195, "logistic", "")
    assert output.tables[0].labels[-1] == "SVM-OR"
    assert rows(output.tables[0])[0][-1].count(" / ") == 1  # its own, without a published one


def test_the_edge_of_the_grid_is_marked(make: Make) -> None:
    output = show(make(), "published_table", "folds", rules=["nested"])
    assert output.numbers is not None
    assert set(output.numbers["edge"][:3]) == {"highest lam"}
    assert any("Warning: 3 of 6" in note for note in output.texts)


def test_a_run_without_published_values_has_no_verdicts(make: Make) -> None:
    context = make()
    context.manifest["published"] = None
    output = show(context, "published_table", "folds")
    assert rows(output.tables[0])[0][1].startswith(".1")
    assert output.tables[0].caption == "rank loss: mean ± SE / nested cross-validation"
    assert len(rows(output.tables[0])) == 2


def test_a_metric_where_more_is_better_turns_the_choice_round(make: Make) -> None:
    study = copy.deepcopy(make().manifest["study"])
    study["experiments"]["folds"]["metrics"] = ["auc"]

    def flip(cell: PlanCell, record: Record) -> Record:
        rows = [row._replace(quantity="auc", value=1 - row.value) for row in record.rows]
        return Record(record.key, grid=record.grid, rows=rows)

    table = show(make(study, flip), "published_table", "folds").numbers
    assert table is not None
    vote = table[table["problem"] == "vote"]
    assert set(map(str, vote["chosen"])) == {"lam=0.1"}
    assert (vote["by nested"] < vote["reproduced"]).all()


def test_missing_fits_are_said_in_every_block(make: Make) -> None:
    context = make(None, drop(lambda cell: cell.place.fold == 1 and cell.method == "logistic"))
    message = "INCOMPLETE: 15 of 18 records are good (3 missing) of folds."
    for name in ("published_table", "paired_table", "chosen_grid", "completeness"):
        assert show(context, name, "folds").incomplete == [message]
    table = show(context, "published_table", "folds").numbers
    assert table is not None
    states = table.set_index(["problem", "method"])["state"]
    assert states["vote", "logistic"] == "incomplete" and states["vote", "svm_or"] == "complete"


def test_undefined_folds_are_counted_and_left_out(make: Make) -> None:
    def undefine(cell: PlanCell, record: Record) -> Record:
        if cell.place.fold != 0 or cell.place.rep != 0:
            return record
        rows = [r._replace(value=float("nan")) if r.part == "test" else r for r in record.rows]
        return Record(record.key, grid=record.grid, rows=rows)

    context = make(None, undefine)
    output = show(context, "published_table", "folds")
    assert output.numbers is not None and not output.incomplete
    vote = output.numbers[output.numbers["problem"] == "vote"]
    assert set(vote["nan"]) == {1} and set(vote["splits"]) == {5}
    assert vote["reproduced"].notna().all()
    complete = show(context, "completeness", ["boxes", "folds"])
    assert any(n.startswith("3 records have an undefined test value") for n in complete.texts)
    places = [tuple(row[:2]) for row in rows(complete.tables[0])]
    assert places[:2] == [("boxes", "all"), ("folds", "all")], "sums, where nothing is wrong"
    assert set(places[2:]) == {("folds", "vote_84 & more")}
    assert complete.numbers is not None
    assert len(complete.numbers) > len(places)


def test_nothing_run_is_no_error(make: Make) -> None:
    context = make(None, lambda cell, record: None)
    for block in context.study.report:
        output = show(context, block.block, block.experiment, **block.options)
        assert output.incomplete and output.incomplete[0].startswith("INCOMPLETE: 0 of")


def test_boxes_show_the_models_and_their_differences(make: Make) -> None:
    context = make()
    output = show(context, "boxplots", "boxes", reference="logistic", bayes={"easy": 0.1})
    assert output.figure is not None and output.numbers is not None
    upper, other_upper, lower, other_lower = output.figure.axes  # differences below the boxes
    numbers = output.numbers.set_index(["problem", "method"]).loc["easy"]
    medians = [line for line in upper.lines if line.get_linewidth() == 1.3]
    assert [line.get_xdata().mean() for line in medians] == [0, 1, 2]
    np.testing.assert_allclose(
        [line.get_ydata()[0] for line in medians],
        numbers.loc[["exponential", "svm_or", "logistic"], "median"],
    )
    dashed = [line for line in upper.lines if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in dashed] == [0.1]
    assert [t.get_text() for t in lower.get_xticklabels()] == ["exponential", "SVM-OR"]
    assert upper.get_ylim() == other_upper.get_ylim(), "one axis a row"
    assert lower.get_ylim() == other_lower.get_ylim(), "one axis for all differences"
    shaded = [patch.get_y() for patch in lower.patches if hasattr(patch, "get_y")]
    assert shaded == [-0.01], "the margin of rank loss"
    dots = [line for line in upper.lines if line.get_marker() == "o" and line.get_alpha()]
    assert [len(line.get_ydata()) for line in dots] == [int(n) for n in numbers["units"]]
    differences = [line for line in lower.lines if line.get_linewidth() == 1.3]
    assert [line.get_xdata().mean() for line in differences] == [0, 1]
    for line, method in zip(differences, ("exponential", "svm_or"), strict=True):
        assert line.get_ydata()[0] == pytest.approx(numbers.loc[method, "difference"], abs=0.002)
    assert [line.get_ydata()[0] for line in lower.lines if line.get_linewidth() == 0.9][-1] == 0.0
    second = output.figure.axes[1]
    assert not [line for line in second.lines if line.get_linestyle() == "--"]
    assert output.units is not None and isinstance(output.chart, Chart)
    own = output.units.groupby(["problem", "method"]).value
    assert own.median()["easy", "svm_or"] == numbers.loc["svm_or", "median"]
    assert "boxes-units.csv" in files("boxes", output)
    panel = output.chart.panels[0]
    assert isinstance(panel, Boxes) and panel.unit == "model"
    below = own.get_group(("easy", "svm_or")).to_numpy() < (
        own.get_group(("easy", "logistic")).to_numpy()
    )
    word, count = (
        ("better", below.sum())
        if below.sum() * 2 > len(below)
        else ("worse", len(below) - below.sum())
    )
    assert f"SVM-OR is {word} than logistic in {count} of {len(below)} models" in panel.told


@pytest.mark.parametrize(("asked", "expected"), [(True, [0.1, 0.05]), (0.2, [0.2, 0.2])])
def test_the_bayes_risk_is_the_generators_or_the_one_given(
    make: Make, asked: Any, expected: list[float]
) -> None:
    figure = show(make(), "boxplots", "boxes", bayes=asked).figure
    assert figure is not None
    lines = [[line for line in a.lines if line.get_linestyle() == "--"] for a in figure.axes]
    assert [line[0].get_ydata()[0] for line in lines] == expected


def test_panels_stand_in_the_order_asked_for(make: Make) -> None:
    output = show(make(), "boxplots", "boxes", panels=["hard", "easy"], columns=1)
    assert output.figure is not None
    assert [a.get_title() for a in output.figure.axes] == ["hard", "linear, balanced"]


def test_paired_differences_are_over_models(make: Make) -> None:
    output = show(make(), "paired_table", "boxes", reference="logistic", methods=["svm_or"])
    assert output.numbers is not None
    assert list(output.numbers["method"]) == ["svm_or", "svm_or"]
    assert list(output.numbers["difference"]) == pytest.approx([0.01, 0.01], abs=0.001)
    # The models differ by .01, their differences do not: pairing takes that out.
    assert (output.numbers["difference_se"] < 0.1 * output.numbers["se"]).all()
    assert output.tables[0].labels[-1] == "− logistic"


def test_differences_over_folds_have_the_error_of_a_comparison(make: Make) -> None:
    table = show(make(), "paired_table", "folds", reference="logistic")
    pair = {"method": "svm_or", "references": ["logistic"]}
    judged = show(make(), "comparison", "folds", incomplete="drop", **pair)
    assert table.numbers is not None and judged.numbers is not None
    shown = table.numbers.set_index(["problem", "method"]).loc[("vote", "svm_or")]
    own = judged.numbers.set_index("problem").loc["vote"]
    assert shown["difference_se"] == pytest.approx(own["se"])
    assert shown["difference"] == pytest.approx(own["difference"])
    # That of the means stays the noise of the partition, under its name.
    values = make().chosen("folds", make().metric("folds", None), BEST, ["svm_or"])
    repeats = values.groupby("rep")["value"].mean()
    assert shown["se"] == pytest.approx(repeats.std() / np.sqrt(3))
    means, differences, error = table.texts
    assert means.endswith("repeats of the split, which show the noise of splitting alone.")
    assert error.startswith("The SE over folds is corrected for overlapping training sets")
    figure = show(make(), "boxplots", "folds", reference="logistic")
    assert {differences, error} <= {*figure.texts}


def test_differences_without_spread_have_what_the_examples_allow(make: Make) -> None:
    def perfect(cell: PlanCell, record: Record) -> Record:
        rows = [row._replace(value=0.0) for row in record.rows]
        return Record(record.key, grid=record.grid, rows=rows)

    context = make(None, perfect)
    table = show(context, "paired_table", "folds", reference="logistic").numbers
    assert table is not None
    vote = table[(table["problem"] == "vote") & (table["method"] == "svm_or")].iloc[0]
    assert vote["difference"] == 0.0 and vote["difference_se"] == pytest.approx(2 / 200)
    pair = {"method": "svm_or", "references": ["logistic"]}
    answer = show(context, "answer", "folds", incomplete="drop", **pair)
    assert "no significant difference" in answer.lead[0]
    assert not any("there is no gain" in text for text in answer.lead)
    assert any("which count as 200, allow" in note for note in answer.texts)


def test_what_bounds_the_standard_error(make: Make) -> None:
    context = make()
    loss, tau, error = map(parse, ("rank_loss", "d_tau", "mse"))
    assert context.examples("vote", loss) == 200  # the smaller class, as the fingerprint has it
    assert context.examples("vote", tau) == 400 / 2  # a row is in 2/n of all pairs
    assert np.isnan(context.examples("vote", error))
    assert context.examples("easy", loss) == np.inf
    study = copy.deepcopy(context.manifest["study"])
    study["data"]["vote"]["fingerprint"] = None
    study["data"]["vote"]["levels"] = ["a", "b"]
    assert make(study).examples("vote", loss) == 200  # no class is smaller than half at most


@pytest.mark.parametrize("block", ["published_table", "paired_table"])
def test_a_problem_of_two_experiments_is_told_apart(make: Make, block: str) -> None:
    output = show(make(), block, ["folds", "once"], methods=["logistic"])
    labels = {row[0] for table in output.tables for row in rows(table)}
    vote = make().problem_label("vote")
    assert labels >= {f"{vote} (folds)", f"{vote} (once)"} and vote not in labels


def test_a_simulation_is_compared_with_what_it_should_be(make: Make) -> None:
    output = show(make(), "simulation_table", "tried", expected={"prior_observed": "prior"})
    assert output.numbers is not None
    table = output.numbers.set_index(["p", "quantity"])
    row = table.loc[(0.9, "prior_observed")]
    assert row["expected"] == pytest.approx(0.9) and row["repetitions"] == 4
    assert row["difference"] == pytest.approx(row["mean"] - 0.9)
    assert row["difference_se"] == pytest.approx(row["se"])
    assert [cells[:2] for cells in rows(output.tables[0])] == [
        [".5", "observed share of positives"],
        [".9", "observed share of positives"],
    ]
    wide = show(make(), "simulation_table", "tried", wide=True)
    assert wide.tables[0].labels == ["p", "share of positives", "observed share of positives"]
    found = [cells[:2] for cells in rows(wide.tables[0])]
    assert found == [[".5", ".5000 ± .0000"], [".9", ".9000 ± .0000"]]
    with pytest.raises(ValueError, match="no room for 'expected'"):
        show(make(), "simulation_table", "tried", wide=True, expected={"prior": 0.5})
    fixed = show(make(), "simulation_table", "tried", expected={"prior": 0.5}).numbers
    assert fixed is not None
    differences = fixed.set_index(["p", "quantity"])["difference"]
    assert differences[0.9, "prior"] == pytest.approx(0.4)


def test_chosen_points_are_counted_by_rule(make: Make) -> None:
    output = show(make(), "chosen_grid", ["boxes", "folds"])
    assert output.numbers is not None
    counts = output.numbers.set_index(["experiment", "problem", "method", "rule"])["count"]
    assert counts["boxes", "easy", "logistic", "oracle"] == 5
    assert counts["folds", "vote", "logistic", "nested"] == 6
    assert rows(output.tables[0])[-1][-2:] == ["λ = .1 (6)", "λ = 1* (6)"]


def test_completeness_names_what_is_wrong(make: Make) -> None:
    def spoil(cell: PlanCell, record: Record) -> Record:
        if cell.method == "svm_or":
            return Record(record.key, status="failed", reason="singular")
        rows = [RecordRow("test", 0, None, None, "rank_loss", 0.1)]
        warnings = ["ConvergenceWarning: gap 1e-3"]
        return Record(record.key, grid=(Point(()),), rows=rows, warnings=warnings, version="0.0.1")

    context = make(None, spoil)
    context.problems.append("records/00/x.json is truncated")
    output = show(context, "completeness", ["folds"])
    assert output.numbers is not None
    kinds = dict(list(output.numbers.groupby("kind")))
    (total,) = kinds["total"].drop(columns="kind").to_dict("records")
    assert total["failed"] == kinds["cell"]["failed"].sum() == 6
    shown = [str(total[name]) for name in ("experiment", "problem", "method", "expected")]
    assert rows(output.tables[0])[0][:4] == shown
    notes = output.texts
    assert "6 records: singular" in notes
    said = "In 12 records a fit stopped before it converged, such as: “gap 1e-3”. "
    assert f"{said}These records count all the same." in notes
    assert any("were made by version 0.0.1" in note for note in notes)
    assert "Data not available: gone." in notes
    assert notes[-1] == "records/00/x.json is truncated"


BOTH: dict[str, Any] = {"method": "svm_or", "references": ["logistic", "exponential"]}
OF_METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "along": ("folds", {"parameter": "lam"}),
    "answer": ("boxes", BOTH | {"margin": 0.01}),
    "average_ranks": ("boxes", {}),
    "boxplots": ("boxes", {"reference": "logistic"}),
    "chosen_grid": ("boxes", {}),
    "comparison": ("boxes", BOTH | {"margin": 0.01}),
    "completeness": ("boxes", {}),
    "contrast_map": (
        "boxes",
        {
            "contrasts": {"pairs": [["svm_or", "logistic"]]},
            "margin": 0.01,
            "row": "p",
            "column": "n_train",
        },
    ),
    "contrasts": ("boxes", {"contrasts": {"pairs": [["svm_or", "logistic"]]}, "margin": 0.01}),
    "critical_difference": ("boxes", {}),
    "optimum": ("boxes", {}),
    "paired_table": ("boxes", {"reference": "logistic"}),
    "pairs_or_points": ("boxes", {"contrasts": {"svm_or": "logistic"}, "margin": 0.01}),
    "published_spread": ("boxes", {}),
    "published_table": ("folds", {}),
    "rank_table": ("folds", {"incomplete": "drop"}),
}
WITHOUT = {
    "curves_against_theory",
    "curves_along",
    "iroc_curves",
    "region_map",
    "scoring_functions",
}
WITHOUT |= {
    "claims",
    "loss_curves",
    "readings",
    "simulation_table",
    "staircase",
    "summary",
    "together",
    "tree",
}
WITHOUT |= {"last_round", "losses_by_pairs", "regret_bounds", "roc_curve"}
WITHOUT |= {"training_gains"}
WITHOUT |= {"answers", "extreme_case", "second_stage", "simulation_along"}


def test_all_blocks_are_tried_with_a_metric() -> None:
    assert set(registry.names("report.blocks")) == set(OF_METRICS) | WITHOUT


PARAMETERS = "pair_risk(costs=1 2 1, ties=worst)"


@pytest.fixture(scope="module")
def renamed(make: Make) -> Context:
    """The study with a metric that has two parameters; blocks only read it."""
    study = copy.deepcopy(make().manifest["study"])
    for experiment in ("boxes", "folds"):
        study["experiments"][experiment]["metrics"] = [PARAMETERS]

    def rename(cell: PlanCell, record: Record) -> Record:
        rows = [
            row._replace(quantity=row.quantity.replace("rank_loss", PARAMETERS))
            for row in record.rows
        ]
        return Record(record.key, grid=record.grid, rows=rows)

    return make(study, rename)


@pytest.mark.parametrize("name", OF_METRICS)
def test_a_metric_with_two_parameters_goes_through_every_block(
    renamed: Context, name: str
) -> None:
    experiment, options = OF_METRICS[name]
    takes = "metric" in registry.get("report.blocks", name).model_fields  # if not: the first
    metrics = {"metric": PARAMETERS} if takes else {}
    output = show(renamed, name, experiment, **options, **metrics)
    assert output.numbers is not None and len(output.numbers)
    if name != "completeness":
        values = output.numbers.select_dtypes("number")
        assert values.notna().any(axis=None), output.texts


@pytest.mark.parametrize("name", registry.names("report.blocks"))
def test_what_passes_the_check_shows_something(make: Make, name: str) -> None:  # noqa: PLR0912
    context, shown = make(), 0
    for experiment, setup in context.study.experiments.items():
        options: dict[str, Any] = {}
        if name in {"comparison", "answer"}:
            method, *references = getattr(setup, "methods", ["logistic"])
            options = {"method": method, "references": references or ["svm_or"]}
        if name == "pairs_or_points":
            options = {"contrasts": {"svm_or": "logistic"}}
        if name in {"along", "curves_along"}:
            options = {"parameter": "lam"}
        if name == "simulation_along":
            options = {"parameter": "p", "quantities": {"share": ["prior"]}}
        if name == "answers":
            options = {"answers": {"Is it so?": [{"block": "table1", "say": "it is {}"}]}}
        if name == "extreme_case":
            options = {"quantity": "prior"}
        if name == "contrast_map":
            options = OF_METRICS[name][1]
        if name == "last_round":
            options = {"quantities": ["test error"], "pairs": [["AdaBoost", "RankBoost"]]}
        if name == "training_gains":
            options = {"method": "svm_or", "reference": "logistic"}
        if name in {"contrasts", "losses_by_pairs"}:
            options = {"contrasts": {"pairs": [["svm_or", "logistic"]]}, "margin": 0.01}
        if name == "loss_curves":
            options = {"losses": ["logistic"]}
        if name == "together":
            options = {"published": "folds", "of": "logistic"}
        kind = registry.get("report.blocks", name).model_validate(options)
        block = Block(block=name, name="x", experiment=experiment, options=options)
        if not list(kind.faults(context.study, block)):
            output = show(context, name, experiment, **options)
            assert markdown.body(output) and terminal.render(output)
            shown += 1
            if shown == 1:  # it builds the block again, which looks up the same elsewhere
                names_what_it_looks_up(type(kind), context, block)


def test_the_block_of_the_documentation_shows_means(make: Make) -> None:
    page = Path(__file__).parents[3] / "docs" / "reports.md"
    (source,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    made: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(source, str(page), "exec"), made)
    block = Block(block="means", name="x", experiment="boxes")
    output = made["Means"].model_validate({"digits": 2}).build(make(), block)
    (table,) = output.tables
    assert [row[0] for row in table.rows] == ["exponential", "SVM-OR", "logistic"]
    assert all(re.fullmatch(r"\.\d\d ± \.\d\d", row[1]) for row in rows(table))


@pytest.mark.parametrize("counts", [[3, 7], [50, 50], [2, 12, 90, 300, 84]])
def test_an_example_moves_a_metric_by_one_over_what_a_design_counts(
    make: Make, counts: list[int]
) -> None:
    study = copy.deepcopy(make().manifest["study"])
    study["data"]["vote"]["fingerprint"] = {"rows": sum(counts), "features": 3, "classes": counts}
    context = make(study)
    y = np.repeat(np.arange(len(counts)), counts)
    best = y.astype(float)
    moved = {}
    for name in ("u_pairs", "u_ovo"):
        metric = registry.get("metrics", name)
        worst = [
            np.where(np.arange(len(y)) == i, len(y) * (1 if y[i] == 0 else -1), best)
            for i in (0, -1)
        ]
        worst += [
            np.where(np.arange(len(y)) == np.flatnonzero(y == level)[0], sign * len(y), best)
            for level in range(len(counts))
            for sign in (-1, 1)
        ]
        moved[name] = max(1.0 - metric(y, scores) for scores in worst)
        assert moved[name] <= 1.0 / context.examples("vote", parse(name)) + 1e-12
