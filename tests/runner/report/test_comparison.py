"""Comparison, answer, average ranks and critical differences on made-up records."""

import copy
import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rankexp import registry
from rankexp.charts.numbers import span
from rankexp.metrics.metric import Metric, MetricReading
from rankexp.runner.analyse.complete_blocks import WORDS
from rankexp.runner.config.schema import Block
from rankexp.runner.plan import PlanCell
from rankexp.runner.report import build
from rankexp.runner.report.blocks.statistics.average_ranks import RankPanel
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render import latex, markdown, terminal
from rankexp.runner.report.render.text import rows
from rankexp.runner.report.verdict_words import fact, headline, tallied
from rankexp.runner.report.verdict_words import words as words_of
from rankexp.runner.run.record import Record
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.needed import Needed
from rankexp.statistics.several import ranking
from rankexp.statistics.verdicts import Verdict
from rankexp.studies.kotlowski2011.blocks.critical_difference import (
    Bar,
    RankMark,
    bars,
    draw,
    ends,
    marks,
)

Make = Callable[..., Context]
Change = Callable[[PlanCell, Record], Record | None]
PAIR: dict[str, Any] = {"method": "svm_or", "references": ["logistic", "exponential"]}


def show(context: Context, name: str, experiment: Any, **options: Any) -> Output:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    model = registry.get("report.blocks", name).model_validate(options)
    output: Output = model.build(context, block)
    return output


def test_captions_say_nothing_of_choosing_where_no_method_has_a_grid(make: Make) -> None:
    known = make()
    methods = {
        name: one if name == "exponential" else one.model_copy(update={"lambdas": [0.1]})
        for name, one in known.study.methods.items()
    }
    study = known.study.model_copy(update={"methods": methods})
    context = replace(known, study=study)
    tables = show(context, "comparison", "boxes", **PAIR, margin=0.015).tables
    assert [one.caption for one in tables] == [
        "boxes, rank loss: SVM-OR − logistic",
        "boxes, rank loss, settings chosen by best test mean: SVM-OR − exponential",
    ]
    own = {"contrasts": {"pairs": [["svm_or", "logistic"]]}, "margin": 0.015}
    (table,) = show(context, "contrasts", "boxes", **own).tables
    assert table.caption == "boxes: differences in rank loss (95 % CI for both at once)"


def drop(wanted: Callable[[PlanCell], bool]) -> Change:
    return lambda cell, record: None if wanted(cell) else record


def undefine(wanted: Callable[[PlanCell], bool]) -> Change:
    def change(cell: PlanCell, record: Record) -> Record:
        if not wanted(cell):
            return record
        rows = [r._replace(value=math.nan) if r.part == "test" else r for r in record.rows]
        return Record(record.key, grid=record.grid, rows=rows)

    return change


def test_the_comparison_judges_every_problem_and_reference(make: Make) -> None:
    output = show(make(), "comparison", "boxes", **PAIR, margin=0.015)
    assert output.numbers is not None and len(output.numbers) == 2 * 3
    table = output.numbers.set_index(["reference", "problem"])
    # svm_or is .01 above logistic and .01 below exponential, with noise of .001.
    assert set(table.loc["logistic", "verdict"]) == {"worse, equivalent"}
    assert set(table.loc["exponential", "verdict"]) == {"better, equivalent"}
    assert table.loc[("logistic", "easy"), "difference"] == pytest.approx(0.01, abs=0.002)
    assert [table.caption for table in output.tables] == [
        "boxes, rank loss, settings chosen by best test mean: SVM-OR − logistic",
        "boxes, rank loss, settings chosen by best test mean: SVM-OR − exponential",
    ]
    row = rows(output.tables[0])[0]
    assert row[:2] == ["linear, balanced", "5 models"] and "±" in row[2]
    assert row[-1].startswith("worse by .0")
    assert row[-1].endswith("but equivalent within .015 and within 10 % of the loss")
    assert rows(output.tables[0])[-1][0] == "all settings"
    assert WORDS["refuse"] in output.texts
    assert {one.better for one in output.tables} == {"lower"}
    assert not output.incomplete


def test_a_metric_where_more_is_better_turns_the_verdicts_round(make: Make) -> None:
    study = copy.deepcopy(make().manifest["study"])
    study["experiments"]["boxes"]["metrics"] = ["auc"]

    def flip(cell: PlanCell, record: Record) -> Record:
        own = [row for row in record.rows if row.quantity == "rank_loss"]
        rows = [row._replace(quantity="auc", value=1 - row.value) for row in own]
        return Record(record.key, grid=record.grid, rows=rows)

    output = show(make(study, flip), "comparison", "boxes", **PAIR, margin=0.015)
    assert output.numbers is not None
    table = output.numbers.set_index(["reference", "problem"])
    assert set(table.loc["logistic", "verdict"]) == {"worse, equivalent"}
    assert table.loc[("logistic", "easy"), "difference"] == pytest.approx(-0.01, abs=0.002)
    assert {one.better for one in output.tables} == {"higher"}
    ranks = show(make(study, flip), "average_ranks", "boxes").numbers
    assert ranks is not None
    easy = ranks[ranks["panel"] == "easy"].set_index("method")["average_rank"]
    assert easy.to_dict() == {"exponential": 3, "svm_or": 2, "logistic": 1}


def test_rules_may_differ_between_experiments(make: Make) -> None:
    rules = {"boxes": "oracle", "folds": "nested"}
    output = show(make(), "comparison", ["boxes", "folds"], **PAIR, rule=rules, incomplete="drop")
    assert output.numbers is not None
    assert set(output.numbers.groupby("experiment")["rule"].unique().explode()) == {
        *rules.values()
    }
    folds = output.numbers[output.numbers["experiment"] == "folds"].set_index("problem")
    assert set(folds.loc["vote", "unit"]) == {"folds"} and set(folds.loc["vote", "n"]) == {6}
    assert set(folds.loc["gone", "verdict"]) == {"not run"}
    assert "folds / gone: not run." in output.texts


def test_missing_fits_are_refused_or_dropped_and_said(make: Make) -> None:
    context = make(None, drop(lambda cell: cell.place.model == 2 and cell.method == "svm_or"))
    strict = show(context, "comparison", "boxes", **PAIR)
    assert strict.numbers is not None
    assert strict.incomplete == ["INCOMPLETE: 84 of 90 records are good (6 missing) of boxes."]
    assert strict.numbers["p"].isna().all()
    assert set(strict.numbers["verdict"]) == {"undecided"}
    assert any("refused: values are missing (easy, model 2" in n for n in strict.texts)
    lax = show(context, "comparison", "boxes", **PAIR, incomplete="drop")
    assert lax.numbers is not None and set(lax.numbers["n"]) == {4, 2}
    assert WORDS["drop"] in lax.texts
    assert any("dropped 1 (easy, model 2: 3 of 3 splits" in note for note in lax.texts)
    for policy, note in (("refuse", "refused: values are"), ("drop", "dropped 1 (easy")):
        ranked = show(context, "average_ranks", "boxes", incomplete=policy)
        assert any(note in text for text in ranked.texts), ranked.texts


def test_undefined_folds_are_counted(make: Make) -> None:
    context = make(None, undefine(lambda cell: cell.place.fold == 0 and cell.place.rep == 0))
    output = show(context, "comparison", "folds", **PAIR, incomplete="refuse")
    assert output.numbers is not None
    vote = output.numbers[output.numbers["problem"] == "vote"]
    assert set(vote["n"]) == {5} and set(vote["undefined"]) == {1}
    assert "folds / vote_84 & more: splits in which no method has a value: 1." in output.texts


def test_options_that_make_no_sense_are_refused(make: Make) -> None:
    for name in ("comparison", "answer"):
        model = registry.get("report.blocks", name)
        with pytest.raises(ValidationError, match="cannot be compared with itself"):
            model.model_validate({"method": "a", "references": ["b", "a"]})
        for wrong in (
            {"references": []},
            {"margin": 0.0},
            {"level": 1.0},
            {"incomplete": "guess"},
        ):
            with pytest.raises(ValidationError, match=next(iter(wrong))):
                model.model_validate({**PAIR, **wrong})
    with pytest.raises(ValidationError, match="posthoc"):
        registry.get("report.blocks", "average_ranks").model_validate({"posthoc": "dunn"})


def test_without_a_margin_equivalence_is_relative_alone(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Metric, "reading", MetricReading())
    output = show(make(), "comparison", "boxes", **PAIR)
    assert output.numbers is not None and output.numbers["p_equivalence"].isna().all()
    assert set(output.numbers["verdict"]) == {"better", "worse"}
    assert set(output.numbers["within_relative"]) <= {"yes", "no", "undecided"}
    assert any("rank loss: no margin, so equivalence is tested" in note for note in output.texts)
    assert "equivalent" not in output.gist and "margin" not in output.gist
    assert "margin" not in output.facts["logistic in boxes"].text
    given = show(make(), "comparison", "boxes", **PAIR, margin=0.02).numbers
    assert given is not None and given["verdict"].str.endswith("equivalent").all()


def test_both_margins_are_named(make: Make) -> None:
    margin = {"absolute": 0.015, "relative": 0.01}
    output = show(make(), "comparison", "boxes", **PAIR, margin=margin)
    assert output.numbers is not None
    table = output.numbers.set_index(["reference", "problem"])
    # .01 of the losses, .11 to .15, is .0011 to .0015, far below the difference of .01.
    own = table.loc[("logistic", "easy")]
    assert own["margin_relative"] == pytest.approx(0.01 * own["loss"]) and own["loss"] > 0.1
    assert (own["verdict"], own["within_relative"]) == ("worse, equivalent", "no")
    row = rows(output.tables[0])[0]
    assert (
        row[-1].endswith("equivalent within .015, but not within 1 % of the loss")
        and row[-2] == "no"
    )
    wide = show(make(), "answer", "boxes", **PAIR, margin={"absolute": 0.015, "relative": 0.2})
    assert rows(wide.tables[0])[0][2].endswith("); slightly worse")
    near = show(make(), "answer", "boxes", **PAIR, margin=margin)
    assert rows(near.tables[0])[0][2].endswith("); slightly worse (beyond 1 % of the loss)")
    assert "equivalent within .015 and within 20 % of the loss" in wide.lead[0]
    floor = show(make(), "comparison", "boxes", **PAIR, margin={"absolute": 0.1, "least": 0.5})
    assert floor.numbers is not None and set(floor.numbers["margin_relative"].dropna()) == {0.5}
    # A floor that is more than the share is not called by the share.
    assert rows(floor.tables[0])[0][-1].endswith("but equivalent within .1 and within .5")


def test_no_mean_is_shown_over_effects_of_opposite_signs(make: Make) -> None:
    def turn(cell: PlanCell, record: Record) -> Record:
        if cell.problem != "hard" or cell.method != "svm_or":
            return record
        rows = [row._replace(value=row.value - 0.02) for row in record.rows]
        return Record(record.key, grid=record.grid, rows=rows)

    context = make(None, turn)
    output = show(context, "answer", "boxes", **PAIR)
    assert output.numbers is not None
    overall = output.numbers.query("reference == 'logistic' and problem == ''").iloc[0]
    assert math.isnan(overall["difference"]) and overall["verdict"].startswith("better on some")
    said = "over the 2 settings better (hard), worse (linear, balanced): no mean is shown"
    assert said in output.lead[0]
    assert rows(output.tables[0])[-1][2] == "better on some, worse on others: no mean is shown"
    assert output.gist.startswith("SVM-OR against logistic: better on 1 of 2, worse on 1")
    assert output.facts["logistic"].verdict == output.facts["logistic in boxes"].verdict == "mixed"
    assert rows(show(context, "comparison", "boxes", **PAIR).tables[0])[-1][2] == "–"


def test_nothing_run_is_no_error(make: Make) -> None:
    context = make(None, lambda cell, record: None)
    for name, options in (
        ("comparison", PAIR),
        ("answer", PAIR),
        ("average_ranks", {}),
        ("critical_difference", {}),
    ):
        output = show(context, name, ["boxes", "folds"], **options)
        assert output.incomplete and output.incomplete[0].startswith("INCOMPLETE: 0 of")
        assert markdown.body(output)
    answer = show(context, "answer", ["boxes", "folds"], **PAIR)
    assert answer.lead[0] == "SVM-OR against logistic: nothing was run."


# ---- The answer in words --------------------------------------------------------------------


BOTH = [Verdict(shown, same) for shown in ("better", "worse", None) for same in (False, True)]
VERDICTS = {str(one): one for one in [*BOTH, Verdict(compared=False)]}


def contrasts(*verdicts: str) -> list[Contrast]:
    values = [math.nan if text == "not run" else 0.0 for text in verdicts]
    return [
        Contrast(f"p{i}", difference=value, verdict=VERDICTS[text])
        for i, (text, value) in enumerate(zip(verdicts, values, strict=True))
    ]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["better", "worse, equivalent"], "a gain on 1 of 2 problems, a loss on 1"),
        (["better", "undecided"], "a gain on 1 of 2 problems, a loss on none"),
        (["better", "better, equivalent"], "a gain on every problem"),
        (["worse", "equivalent"], "a loss on 1 of 2 problems, a gain on none"),
        (["worse", "worse"], "a loss on every problem"),
        (
            ["equivalent", "equivalent"],
            "no gain anywhere: all differences are shown to be within ±.01, but none is shown",
        ),
        (["equivalent", "undecided"], "no significant difference on any problem, but"),
        (["not run", "better"], "a gain"),
        (["not run"], "nothing was run"),
    ],
)
def test_headlines(verdicts: list[str], expected: str) -> None:
    assert headline(contrasts(*verdicts), Settings()).startswith(expected)


def test_verdicts_with_their_numbers() -> None:
    def words(verdict: str, difference: float) -> str:
        return words_of(
            Contrast("p", difference=difference, verdict=VERDICTS[verdict]), Settings(), 4
        )

    assert words("worse, equivalent", 0.0019) == "worse by .0019, but equivalent within .01"
    assert words("better", -0.0116) == "better by .0116"
    assert words("better, equivalent", -0.000012) == (
        "better by .00001, but equivalent within .01"
    )
    assert words("equivalent", 0.002) == "equivalent within .01"
    assert words("undecided", 0.002) == "undecided" and words("not run", math.nan) == "not run"


INTERVAL: dict[str, Any] = {"unit": "data sets", "n": 9}


@pytest.mark.parametrize(
    ("verdict", "low", "high", "word", "ending"),
    [
        (
            "equivalent",
            -0.001,
            0.002,
            "equivalent",
            "the pseudo-median of 9 data sets, within the margin of .01. a margin of "
            ".0018 (rounded up) would do, too, by the 90 % CI",
        ),
        (
            "better, equivalent",
            -0.003,
            -0.001,
            "equivalent",
            ", within the margin of .01. a margin of "
            ".0018 (rounded up) would do, too, by the 90 % CI",
        ),
        ("better", -0.03, -0.02, "better", ", beyond the margin of .01"),
        ("worse", 0.002, 0.02, "worse", ", which may lie within the margin of .01"),
        (
            "undecided",
            -0.01,
            0.03,
            "undecided",
            "so it may exceed the margin of .01. about 20 data sets would show a "
            "difference of this size; about 81 data sets would show equivalence, if there is no "
            "difference",
        ),
        (
            "undecided",
            -math.inf,
            math.inf,
            "undecided",
            ". deciding it takes at least 6 data sets",
        ),
        ("undecided", math.nan, math.nan, "undecided", "so it may exceed the margin of .01"),
    ],
)
def test_a_fact_says_what_was_found_or_what_is_needed(
    verdict: str, low: float, high: float, word: str, ending: str
) -> None:
    middle = (low + high) / 2 if math.isfinite(low) else 0.0
    own = Contrast(
        "", difference=middle, low_all=low, high_all=high, verdict=VERDICTS[verdict], **INTERVAL
    )
    own = replace(own, least_margin=0.00171, needed=Needed(2.12, 8.91))
    found = fact(own, Settings(), 4)
    said = f"{found.text}. {found.turn}" if found.turn else found.text
    assert found.verdict == word and said.endswith(ending)
    assert ("95 % CI" in found.text) == math.isfinite(low)
    folds = fact(replace(own, unit="folds"), Settings(), 4).text
    assert "folds)" not in folds or math.isinf(low)


def test_several_problems_are_counted() -> None:
    def said(*verdicts: str) -> tuple[str, str]:
        found = tallied(contrasts(*verdicts), Settings(), 4)
        return found.verdict, found.text

    assert said("better, equivalent", "equivalent")[0] == "equivalent"
    assert said("better", "worse", "not run") == (
        "mixed",
        "better on 1 of 2, worse on 1 (margin .01)",
    )
    assert said("not run", "not run") == ("not run", "nothing was run (margin .01)")
    open_ = replace(contrasts("undecided")[0], low_all=-0.02, high_all=0.02, unit="folds")
    open_ = replace(open_, needed=Needed(math.inf, 8.9))
    wider = replace(open_, low_all=-0.03, needed=Needed(120.0, 0.9, math.inf, 3.2))
    assert tallied([open_, open_], Settings(), 4).text == (
        "undecided on 2 of 2 (margin .01); where the interval is widest, about 9 times as much "
        "data would show equivalence, if there is no difference"
    )
    assert tallied([open_, wider], Settings(), 4).text.endswith(
        "; where the interval is widest, more than 100 times as much data would show a "
        "difference of this size; about 3 times as many repeats would show equivalence, if there "
        "is no difference"
    )
    assert tallied([open_], Settings(), 4) == fact(open_, Settings(), 4)
    by_query = replace(open_, difference=0.0, unit="queries")
    of_queries = fact(by_query, Settings(), 4).turn
    assert "about 9 times as many queries would show equivalence" in of_queries


def test_too_few_data_sets_for_an_interval_are_told_in_words(make: Make) -> None:
    assert span(-math.inf, math.inf, 4) == "no interval"
    assert span(-0.0021, 0.0017, 4) == "−.0021 to +.0017"
    study = copy.deepcopy(make().manifest["study"])
    names = ["vote", "second", "third"]
    study["experiments"]["folds"]["problems"] = names
    study["data"] |= dict.fromkeys(names, study["data"]["vote"])
    output = show(make(study, data=names), "answer", "folds", **PAIR)
    *_, overall = rows(output.tables[0])
    assert len(rows(output.tables[0])) == 4  # though the three have one label
    assert all(" (no interval); " in cell for cell in overall[2:])
    assert "deciding it takes at least 6 data sets" in output.facts["logistic in folds"].turn
    assert "∞" not in markdown.body(output)


def test_the_answer_says_what_is_gained_and_how_much_at_most(make: Make) -> None:
    output = show(make(), "answer", "boxes", **PAIR, margin=0.015)
    first, second = output.lead
    assert first.startswith(
        "SVM-OR against logistic: a loss on every problem; over the 2 settings worse by"
    )
    assert second.startswith("SVM-OR against exponential: a gain on every problem; over the 2")
    assert (
        "the largest significant gain is .01" in second
        or "the largest significant gain is .00" in second
    )
    assert output.gist == (
        "SVM-OR against logistic: worse on 2 of 2 (margin .015). "
        "SVM-OR against exponential: better on 2 of 2 (margin .015)."
    )
    texts = rows(output.tables[0])
    assert [row[1] for row in texts] == ["linear, balanced", "hard", "all settings"]
    assert texts[0][2].startswith("+.0") and texts[0][2].endswith("); slightly worse")


@pytest.mark.usefixtures("undrawn")
def test_the_answer_stands_first_in_every_format(make: Make, tmp_path: Path, save: Any) -> None:
    study = copy.deepcopy(make().manifest["study"])
    answer = {"block": "answer", "name": "answer", "experiment": "boxes", "options": PAIR}
    study["report"] = [{**answer, "title": "Is anything gained?"}, *study["report"]]
    folder = save(make(study), tmp_path / "a")
    build.open_report(folder).write()
    page = (folder / "report.md").read_text(encoding="utf-8").splitlines()
    place = page.index("## Is anything gained?")
    assert place < 8 and page[place + 2].startswith("SVM-OR against logistic: ")
    output = show(make(study), "answer", "boxes", **PAIR)
    for written in (terminal.render(output), latex.render(output) or ""):
        assert written.index("SVM-OR against logistic") < written.index("Differences of SVM-OR")


# ---- Ranks and diagrams ---------------------------------------------------------------------


def test_ranks_are_over_models_for_each_problem(make: Make) -> None:
    output = show(make(), "average_ranks", "boxes")
    assert output.numbers is not None
    assert list(output.numbers["panel"].unique()) == ["easy", "hard"]
    assert set(output.numbers["blocks"]) == {5}
    assert rows(output.tables[0])[0][:5] == [
        "linear, balanced",
        "5 models",
        "3.00",
        "2.00",
        "1.00",
    ]
    pairs = rows(output.tables[1])
    assert len(pairs) == 2 * 3 and pairs[1][1] == "exponential – logistic"
    assert (
        pairs[1][3] == "differ" and pairs[0][3] == "no significant difference"
    )  # CD 1.48 of 5 models


def test_too_few_data_sets_are_said(make: Make) -> None:
    for incomplete, note in (
        ("drop", "ranks need at least 3 blocks, there are 1"),
        ("refuse", "gone: not run"),
    ):
        output = show(make(), "average_ranks", "folds", incomplete=incomplete)
        assert any(note in text for text in output.texts), output.texts
    single = show(make(), "average_ranks", "boxes", methods=["logistic"])
    assert any("a single method cannot be ranked" in text for text in single.texts)


def test_metrics_of_different_directions_are_not_ranked_together(make: Make) -> None:
    study = copy.deepcopy(make().manifest["study"])
    study["experiments"]["again"] = copy.deepcopy(study["experiments"]["folds"])
    study["experiments"]["again"]["metrics"] = ["auc"]
    output = show(make(study), "average_ranks", ["folds", "again"], incomplete="drop")
    assert any("rank loss and AUC have different directions" in text for text in output.texts)
    answer = show(make(study), "answer", ["folds", "again"], **PAIR, incomplete="drop")
    assert answer.lead == [
        "There is no short answer, because differences in rank loss and AUC cannot be compared. "
        "Give each metric a block of its own."
    ]


def test_the_places_of_a_diagram_worked_by_hand() -> None:
    # Best first: 2, 0, 1, 3. The better half to the right, the outermost labels uppermost.
    average = [2.0, 2.5, 1.2, 3.9]
    assert marks(average) == [
        *(RankMark(2, 1.2, "right", 0), RankMark(0, 2.0, "right", 1)),
        *(RankMark(1, 2.5, "left", 1), RankMark(3, 3.9, "left", 0)),
    ]
    assert bars(average, [(2, 0, 1), (0, 1, 3)]) == [Bar(1.2, 2.5, 0), Bar(2.0, 3.9, 1)]
    # Far apart they share a row; nearly touching they do not.
    wide = [1.0, 2.0, 5.0, 6.0]
    assert bars(wide, [(0, 1), (2, 3)]) == [Bar(1.0, 2.0, 0), Bar(5.0, 6.0, 0)]
    assert [bar.row for bar in bars([1.0, 2.0, 2.3, 3.0], [(0, 1), (2, 3)])] == [0, 1]
    # A bar ends before the next method, however near.
    assert ends(Bar(1.0, 2.0, 0), [1.0, 2.0, 2.03], 0.1) == pytest.approx((0.9, 2.01))
    assert len(marks([1.0, 2.0, 3.0])) == 3 and bars(average, []) == []


def test_the_diagram_shows_its_data() -> None:
    shift = np.array([0, 0.3, 1.0, 3.0])
    for seed, higher in itertools.product(range(4), (False, True)):
        values = np.random.default_rng(seed).normal(size=(30, 4)) + shift
        found = ranking(values, higher=higher, posthoc="nemenyi", alpha=0.05)
        panel = RankPanel("p", "thirty", list("abcd"), (), (), "models", found)
        axes = draw([panel], list("abcd"), 1).axes[0]
        left, right = axes.get_xlim()
        assert left > right  # rank 1, the best, is to the right
        lines = {kind: [x for x in axes.lines if x.get_gid() == kind] for kind in ("mark", "bar")}
        drawn = sorted(float(line.get_xdata()[0]) for line in lines["mark"])  # type: ignore[index]
        np.testing.assert_allclose(drawn, np.sort(found.average))
        joined = [np.sort(np.asarray(line.get_xdata(), dtype=float)) for line in lines["bar"]]
        for (low, high), group in zip(joined, found.bars, strict=True):
            own = found.average[list(group)]
            inside = {i for i, rank in enumerate(found.average) if low <= rank <= high}
            assert inside == set(group) and low < own.min() and own.max() < high
        best = "d" if higher else "a"
        texts = {text.get_text(): text for text in axes.texts}
        label = next(text for name, text in texts.items() if name.endswith(f"  {best}"))
        assert label.xy[0] < 1.0  # type: ignore[attr-defined]
        assert any("critical difference .86" in text for text in texts)


def test_a_panel_that_cannot_be_ranked_is_drawn_as_such(make: Make) -> None:
    output = show(make(), "critical_difference", ["boxes", "folds"])
    assert output.figure is not None
    titles = [axes.get_title() for axes in output.figure.axes]
    assert titles == ["linear, balanced", "hard", "folds", ""]
    assert "not ranked, see below" in [text.get_text() for text in output.figure.axes[2].texts]
    assert any(note.startswith("folds: refused") for note in output.texts)
    assert output.texts[0].startswith("Ranks are better to the right")
