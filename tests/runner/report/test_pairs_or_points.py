"""What training on pairs gains, said of records whose true differences are known."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankexp import registry
from rankexp.charts.paint import painted
from rankexp.metrics.metric import parse
from rankexp.runner.analyse.contrast import Contrast
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.blocks.statistics.pairs_or_points import chart
from rankexp.runner.report.context import Context
from rankexp.runner.report.gain_words import Words, advice, recommended
from rankexp.runner.report.gains import Gains, MethodStanding
from rankexp.runner.report.model import Output
from rankexp.runner.report.render import terminal
from rankexp.runner.run.record import Record, RecordRow
from rankexp.statistics.verdicts import UNDECIDED, Verdict

Make = Callable[..., Context]
CONTRASTS = {"svm_or": "logistic"}
NAN = math.nan
POINTS = 3  # of each grid


def one(make: Make) -> dict[str, Any]:
    """Return the made-up study with one data set in five repeats of two folds."""
    study: dict[str, Any] = make().study.model_dump(mode="json")
    study["experiments"]["folds"]["problems"] = ["vote"]
    study["experiments"]["folds"]["protocol"]["repeats"] = 5
    return study


def losses(values: Mapping[str, float], spread: float = 0.001, best: int = 1) -> Any:
    """Return records with these mean losses, the grid point `best` being the best."""

    def change(cell: PlanCell, record: Record) -> Record:
        rng = np.random.default_rng(int(cell.key[:8], 16))
        base = values[cell.method] + spread * float(rng.normal())
        rows = [
            RecordRow(part, grid, None, None, "rank_loss", base + 0.02 * abs(grid - best))
            for part in ("test", "inner")
            for grid in range(POINTS)
        ]
        times = {"fit": 2.0 if cell.method == "svm_or" else 0.5}
        return Record(
            record.key, grid=record.grid, rows=rows, times=times, warnings=record.warnings
        )

    return lambda cell, record: change(cell, record) if cell.experiment == "folds" else record


def shown(make: Make, change: Any, **options: Any) -> Output:
    given = {"contrasts": CONTRASTS, "margin": 0.01, **options}
    model = registry.get("report.blocks", "pairs_or_points").model_validate(given)
    block = Block(block="pairs_or_points", name="answer", experiment="folds", options=given)
    output: Output = model.build(make(one(make), change), block)
    return output


def test_a_gain_is_said_with_its_size_and_what_it_cost(make: Make) -> None:
    output = shown(make, losses({"svm_or": 0.10, "logistic": 0.15, "exponential": 0.30}))
    text = terminal.render(output)
    assert output.lead[0].startswith("Training on pairs helps. Rank loss")
    assert "SVM-OR against logistic −.0" in output.lead[0]
    assert "Train on pairs" in output.lead[-1]
    assert "Best rank loss: SVM-OR (." in text
    assert "significantly ahead of every other method" in text
    assert "SVM-OR 2 s, logistic .5 s" in text
    assert output.numbers is not None
    assert list(output.numbers["method"]) == ["svm_or", "logistic", "exponential"]
    first = output.numbers.set_index("method").loc["svm_or"]
    assert first["difference"] == pytest.approx(-0.05, abs=0.002)
    assert first["low_all"] < first["difference"] < first["high_all"]
    assert first["low"] < first["mean"] < first["high"]
    assert first["on_points"] == "logistic"
    assert first["verdict"] == "better"


def test_no_gain_of_importance_and_a_better_form_of_score(make: Make) -> None:
    output = shown(make, losses({"svm_or": 0.201, "logistic": 0.2, "exponential": 0.1}))
    assert output.lead[0].startswith("Training on pairs brings no gain that matters.")
    assert output.lead[-1].startswith(
        "What now? Train exponential. It is ahead of all methods that have"
    )
    assert re.search(r"by at least \.(1|099)", output.lead[-1])


def test_a_loss_is_a_loss(make: Make) -> None:
    output = shown(make, losses({"svm_or": 0.25, "logistic": 0.2, "exponential": 0.3}))
    assert output.lead[0].startswith("Training on pairs hurts.")
    assert "Train on points" in output.lead[-1]


def test_undecided_says_how_many_rows_would_decide(make: Make) -> None:
    output = shown(make, losses({"svm_or": 0.2, "logistic": 0.2, "exponential": 0.2}, 0.02))
    assert output.lead[0].startswith("The data are too few to tell")
    needed = re.search(
        r" Showing a difference of the size seen would take .* rows; showing equivalence, "
        r"if there is no difference, would take about ([\d,]+) rows \(there are 400\), judging by "
        r"the "
        r"standard error; more repeats help little\.$",
        output.lead[0],
    )
    assert needed is not None
    assert output.numbers is not None
    error = output.numbers.set_index("method").loc["svm_or", "difference_se"]
    # Ten folds stay ten folds: t in place of z, and a power that knows of the error's own error.
    wanted = 400 * ((1.645 + 1.2816) * float(error) / 0.01) ** 2
    assert 1.05 * wanted < float(needed[1].replace(",", "")) < 1.4 * wanted
    assert "or more data show a gain" in output.lead[-1]


def test_edges_are_told_apart_by_whether_the_metric_still_changes(make: Make) -> None:
    values = {"svm_or": 0.2, "logistic": 0.2, "exponential": 0.2}
    steep = shown(make, losses(values, best=0)).lead[-2]
    assert "Other settings may do better" in steep
    assert "SVM-OR (10 of 10 at the lowest λ)" in steep

    def flat(cell: PlanCell, record: Record) -> Record:
        made = losses(values, best=0)(cell, record)
        rows = [r._replace(value=0.2 + 1e-5 * r.grid) for r in made.rows]
        return Record(made.key, grid=made.grid, rows=rows, times=made.times)

    assert "where results hardly change" in shown(make, flat).lead[-2]
    assert "end of" not in shown(make, losses(values)).lead[-2]


def test_what_a_run_lacks_is_said_in_place_of_a_verdict(make: Make) -> None:
    good = losses({"svm_or": 0.2, "logistic": 0.2, "exponential": 0.2})

    def lacking(cell: PlanCell, record: Record) -> Record | None:
        gone = cell.experiment == "folds" and cell.method == "logistic" and cell.place.rep == 0
        return None if gone else good(cell, record)

    output = shown(make, lacking)
    assert "No interval: values are missing (" in output.lead[0]
    assert output.incomplete


def test_a_method_without_any_record_stands_last_without_a_value(make: Make) -> None:
    good = losses({"svm_or": 0.2, "logistic": 0.2, "exponential": 0.2})
    output = shown(make, lambda c, r: None if c.method == "exponential" else good(c, r))
    assert output.numbers is not None
    assert output.numbers["method"].iloc[-1] == "exponential"
    assert math.isnan(output.numbers["mean"].iloc[-1])
    assert "exponential unknown" in output.lead[2]


def test_the_block_is_for_one_problem_and_a_metric_with_a_margin(make: Make) -> None:
    model = registry.get("report.blocks", "pairs_or_points").model_validate(
        {"contrasts": CONTRASTS}
    )
    study = make().study
    block = Block(block="pairs_or_points", name="x", experiment="folds", options={})
    texts = [fault.text for fault in model.faults(study, block)]
    assert texts == ["block 'pairs_or_points' is for one problem, got vote, gone"]
    other = one(make)
    other["experiments"]["folds"]["metrics"] = ["vus"]
    texts = [fault.text for fault in model.faults(Study.model_validate(other), block)]
    assert len(texts) == 1 and "margin" in texts[0]


def test_perfect_methods_leave_no_gain_to_find(make: Make) -> None:
    output = shown(make, losses({"svm_or": 0.0, "logistic": 0.0, "exponential": 0.0}, 0.0))
    asked, first, *_, advice = map(str, output.lead)
    assert "(RK207)" in asked
    assert first.startswith("Both pairs and points rank these rows (almost) perfectly")
    assert "would take" not in first and "no gain is left to find" in advice
    assert output.numbers is not None
    assert (output.numbers["se"] > 0).all()


@pytest.mark.parametrize(("low", "said"), [(math.nan, "AUC, no interval"), (0.8, "95 % CI")])
def test_the_figure_names_an_interval_only_where_it_draws_one(low: float, said: str) -> None:
    one = MethodStanding("a", 0.9, 0.01, low, low + 0.2, 1.0, "")
    metric = parse("auc")
    made = painted(chart(Gains(metric, 0.01, 0.95, 90.0, [one], {}, {}, {}), str))
    assert said in made.axes[0].get_xlabel()


@pytest.mark.parametrize("size", [1e-6, 0.3])
@pytest.mark.parametrize("higher", [True, False])
def test_the_margin_is_in_view_so_that_nothing_tiny_looks_large(size: float, higher: bool) -> None:
    means = [0.9, 0.9 - size] if higher else [0.1, 0.1 + size]
    found = [
        MethodStanding(name, m, NAN, NAN, NAN, 1.0, "")
        for name, m in zip("ab", means, strict=True)
    ]
    contrast = Contrast("d", n=9, difference=size, low=NAN, high=NAN)
    made = painted(
        chart(Gains(parse("auc"), 0.01, 0.95, 90.0, found, {"b": "a"}, {"b": contrast}, {}), str)
    )
    left, right = (axes.get_xlim() for axes in made.axes)
    behind = means[0] - 0.01 if higher else means[0] + 0.01
    assert left[0] < min(behind, *means) and max(behind, *means) < left[1]
    assert right[0] <= -0.02 and right[1] >= 0.02 and right[1] > size
    assert left[1] - left[0] >= 0.0199


def gains(verdicts: Mapping[str, Verdict], **given: Any) -> Gains:
    """Return gains of these methods on pairs, of which each looks better by .03."""
    interval = given.pop("interval", (-0.012, 0.072))
    difference = given.pop("difference", 0.03)
    contrasts = {
        method: Contrast(
            "d",
            test="t",
            difference=difference,
            low_all=interval[0],
            high_all=interval[1],
            verdict=verdict,
        )
        for method, verdict in verdicts.items()
    }
    pairs = dict.fromkeys(verdicts, "points")
    means = {**dict.fromkeys(pairs, 0.8 + difference), "points": 0.8}
    standings = [
        MethodStanding(method, mean, 0.01, 0.7, 0.9, 1.0, None) for method, mean in means.items()
    ]
    return Gains(parse("auc"), 0.01, 0.95, 400, standings, pairs, contrasts, {}, **given)


def spoken(make: Make, found: Gains) -> Words:
    return Words(make(), found, 3)


def test_advice_asks_for_repeats_before_rows_where_pairs_look_better(make: Make) -> None:
    found = gains({"svm_or": UNDECIDED}, repeats=1)
    text = advice(spoken(make, found))
    assert text.startswith("SVM-OR looks better by .0300, which is not shown. First run more ")
    assert "larger --minutes: 1 repeat was run of up to 10. If that does not" in text
    text = advice(spoken(make, gains({"svm_or": UNDECIDED}, repeats=10)))
    assert "repeats" not in text and "A gain of this size would probably be shown by" in text
    assert "Until then: Train on points" in text
    text = advice(spoken(make, gains({"svm_or": UNDECIDED}, repeats=2, difference=0.002)))
    assert "until a larger --minutes, which runs more repeats, or more data show a gain" in text
    assert "looks better" not in text
    wide = gains({"svm_or": UNDECIDED}, repeats=1, interval=(-0.05, 0.11))
    assert "looks better" not in advice(spoken(make, wide)), "it is as likely chance"


BETTER, SAME_ = Verdict("better"), Verdict(None, equivalent=True)


def test_what_is_recommended_is_what_the_advice_names() -> None:
    best = recommended(gains({"svm_or": BETTER}))
    assert best is not None and best.method == "svm_or"
    best = recommended(gains({"svm_or": SAME_}))
    assert best is not None and best.method == "points"


@pytest.mark.parametrize("ahead", [0.85, 0.825])
def test_pairs_that_only_beat_a_poor_loss_are_not_advised(make: Make, ahead: float) -> None:
    found = gains({"svm_or": BETTER, "exponential": UNDECIDED})
    found.standings.insert(0, replace(found.standings[-1], method="logistic", mean=ahead))
    found = replace(found, pairs={"svm_or": "points", "exponential": "logistic"})
    best = recommended(found)
    assert best is not None and best.method == "logistic"
    text = advice(spoken(make, found))
    assert text.startswith("Train on points: logistic. It ranks as high as SVM-OR.")
    said = spoken(make, found).answer()[0]
    assert "raining on pairs helps with SVM-OR alone, but logistic ranks as high." in said
    promise = replace(
        found, contrasts=gains({"svm_or": SAME_, "exponential": UNDECIDED}).contrasts
    )
    assert promise.promising is None or ahead < promise.standings[1].mean
