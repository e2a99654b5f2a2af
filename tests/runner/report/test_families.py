"""What a study asks and what it only explores: primary blocks, families, and single data sets."""

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from rankexp import registry
from rankexp.runner.config.schema import Block
from rankexp.runner.config.shipped import shipped
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record, RecordRow

Make = Callable[..., Context]
Change = Callable[[PlanCell, Record], Record]
FOLDS = 5
STEPS = (-1.2649, -0.6325, 0.0, 0.6325, 1.2649)  # of mean 0 and standard deviation 1


def study(make: Make, sets: Sequence[str] = ("vote",), **blocks: Any) -> dict[str, Any]:
    """Return the made-up study with one pass of five folds on some data sets, and these blocks."""
    made: dict[str, Any] = copy.deepcopy(make().manifest["study"])
    made["data"] = dict.fromkeys(sets, made["data"]["vote"] | {"label": None})
    folds = made["experiments"]["folds"]
    folds |= {"problems": list(sets)}
    folds["protocol"] |= {"repeats": 1, "folds": FOLDS}
    made["experiments"] = {"folds": folds}
    common = {"block": "contrasts", "experiment": "folds"}
    made["report"] = [{"name": name} | common | own for name, own in blocks.items()]
    return made


def losses(values: dict[str, float], spread: dict[str, float]) -> Change:
    """Return records whose losses go up and down with the fold by a method's spread."""

    def change(cell: PlanCell, record: Record) -> Record:
        step = STEPS[cell.place.fold or 0] * spread.get(cell.method, 0.0)
        loss = values[cell.method] + step
        made = [
            RecordRow(part, at, None, None, "rank_loss", loss + 0.02 * abs(at - 1))
            for part in ("test", "inner")
            for at in range(3)
        ]
        return Record(record.key, grid=record.grid, rows=made, times={"fit": 1.0})

    return change


def contrast(margin: float = 0.01, **options: Any) -> dict[str, Any]:
    return {
        "options": {"contrasts": {"pairs": [["svm_or", "logistic"]]}, "margin": margin} | options
    }


OTHER = {"other": [["exponential", "logistic"]]}


def built(context: Context, name: str) -> Output:
    block = next(own for own in context.study.report if own.name == name)
    kind = registry.get("report.blocks", block.block).model_validate(block.options)
    output: Output = kind.build(context, block)
    return output


# SVM-OR is better by p = .03 alone; exponential by .3.
CLOSE = losses(
    {"svm_or": 0.1665, "logistic": 0.2, "exponential": 0.195},
    {"svm_or": 0.0155, "exponential": 0.01},
)


def test_blocks_of_a_family_are_adjusted_for_each_other(make: Make) -> None:
    """The same records: better by itself, undecided among the contrasts of two blocks."""
    beside = contrast(contrasts=OTHER)
    alone = make(study(make, first=contrast(), second=beside), CLOSE)
    word = {"family": "what pairs change"}
    both = study(make, first=contrast(**word), second=contrast(contrasts=OTHER, **word))
    joined = make(both, CLOSE)
    found = {name: built(joined, name).numbers.iloc[0] for name in ("first", "second")}
    (lone,) = built(alone, "first").numbers.itertuples()
    assert 0.025 < lone.p < 0.05 and lone.verdict == "better" and lone.tests == 1
    own = found["first"]
    assert own["tests"] == 2 and own["verdict"] == "undecided"
    adjusted = [min(1.0, 2 * one["p"]) for one in found.values()]
    assert [one["p_adjusted"] for one in found.values()] == pytest.approx(adjusted)
    assert own["low_all"] < lone.low_all and own["low"] == lone.low
    assert own["data_to_show"] > lone.data_to_show and own["detectable"] > lone.detectable
    fact = built(joined, "first").facts["pairs in folds"]
    assert "so it may exceed" in fact.text and "would show a difference of this size" in fact.turn
    assert "all 2 contrasts of the blocks of this family (what pairs change)" in str(
        built(joined, "first").texts
    )
    apart = copy.deepcopy(both)
    apart["report"][1]["options"]["family"] = "another"
    assert built(make(apart, CLOSE), "first").numbers.iloc[0]["verdict"] == "better"


def test_what_is_not_the_primary_block_is_called_exploratory(make: Make) -> None:
    given = study(make, first=contrast(), second=contrast(contrasts=OTHER))
    plain = make(given, CLOSE)
    assert "xploratory" not in str(built(plain, "second"))
    given["report"][0] |= {"primary": True, "title": "What pairs change"}
    given["report"].append(
        {"block": "answer", "name": "third", "experiment": "folds"}
        | {"options": {"method": "svm_or", "references": ["logistic"], "rule": "oracle"}}
    )
    declared = make(given, CLOSE)
    first, second, third = (built(declared, name) for name in ("first", "second", "third"))
    assert "xploratory" not in str(first)
    assert second.facts["other in folds"].text.endswith(" (exploratory)")
    assert second.gist.startswith("Exploratory: Other ") and third.gist.startswith("Exploratory: ")
    assert second.texts[0] == (
        "Exploratory: the study's question is decided by its primary block, “What pairs change”."
    )
    assert third.facts["logistic"].text.endswith(" (exploratory)")


def test_every_study_with_several_tables_of_contrasts_says_what_they_are() -> None:
    """One block is primary, or each block of contrasts is of a family, one for each question."""
    checked = []
    for path in shipped().values():
        given = yaml.load(Path(path).read_text(encoding="utf-8"), yaml.CSafeLoader)
        tests = ("contrasts", "contrast_map", "answer", "comparison")
        blocks = [one for one in given["report"] if one["block"] in tests]
        families = {one["options"].get("family") for one in blocks if one["block"] == "contrasts"}
        primary = [one["name"] for one in blocks if one.get("primary")]
        if len(blocks) > 1:
            assert len(primary) == 1 or (not primary and families and None not in families), path
            checked.append(given["study"])
    assert {"boosting", "letor-ohsumed", "menon2014", "uematsu2010"} <= {*checked}


def test_the_relative_margin_stands_beside_the_absolute_one(make: Make) -> None:
    """A loss of .001 that is tripled is within .01, and beyond a tenth of the loss."""

    def said(loss: float) -> tuple[str, str, str]:
        values = {"svm_or": loss, "logistic": 0.001, "exponential": 0.1}
        context = make(study(make, first=contrast()), losses(values, {"svm_or": 0.0001}))
        output = built(context, "first")
        cell = rows(output.tables[0])[0][1]
        fact = output.facts["pairs in folds"]
        return cell, f"{fact.text}. {fact.turn}", output.numbers["verdict"].iloc[0]

    cell, text, verdict = said(0.003)
    assert verdict == "worse, equivalent" and cell.endswith(
        "; slightly worse (beyond 10 % of the loss)"
    )
    assert ", within the margin of .01, but not within .001. a margin of .0" in text
    cell, text, _ = said(0.00205)
    assert (
        cell.endswith("(10 % of the loss: undecided)")
        and ", but not shown within .001. a margin of" in text
    )
    cell, text, _ = said(0.00105)
    assert "10 %" not in cell and "within both margins, .01 and .001. a margin of" in text


SETS = [f"d{i}" for i in range(7)]


def test_one_record_changes_what_data_sets_say_together(make: Make) -> None:
    """One fold of one set: it is no longer decided by itself, and a new set is less certain."""
    base = losses({"svm_or": 0.201, "logistic": 0.2, "exponential": 0.1}, {"svm_or": 0.0005})

    def spoilt(cell: PlanCell, record: Record) -> Record:
        made = base(cell, record)
        if (cell.problem, cell.method, cell.place.fold) != ("d3", "svm_or", 2):
            return made
        moved = [row._replace(value=row.value + 0.1) for row in made.rows]
        return Record(made.key, grid=made.grid, rows=moved, times=made.times)

    given = study(make, SETS, first=contrast(margin=0.005))
    good, bad = (built(make(given, one, data=SETS), "first") for one in (base, spoilt))
    before, after = (one.numbers.iloc[-1] for one in (good, bad))
    assert (before["decided"], after["decided"]) == (7, 6)
    assert (
        "the pseudo-median of 7 data sets (one by one, 7 of 7 are decided)"
        in good.facts["pairs in folds"].text
    )
    assert (
        "the pseudo-median of 7 data sets (one by one, 6 of 7 are decided)"
        in bad.facts["pairs in folds"].text
    )
    assert "6 of 7 are decided" in bad.gist
    own = bad.numbers.iloc[3]
    assert own["problem"] == "d3" and own["verdict"] == "undecided" and own["difference"] > 0.02
    for one in (before, after):
        assert one["common_low"] < one["common"] < one["common_high"]
        assert one["common"] == pytest.approx(0.001, abs=2e-4)  # d3 weighs next to nothing
        assert one["new_low"] < one["new_high"] and 0 <= one["tau"] <= one["tau_high"]
    assert after["least_margin"] >= before["least_margin"]
    note = next(text for text in bad.texts if "weighted by precision" in text)
    assert note.startswith("folds, pairs: over 7 data sets weighted by precision +.00")
    assert note.partition("prediction interval for a new data set ")[2].startswith("+.00")
    assert "new data set" not in bad.facts["pairs in folds"].text, "it is the shorter one"
    assert good.numbers.iloc[0].isna()[["common", "tau", "new_low", "decided"]].all()


def test_the_smallest_margin_is_where_the_verdict_turns(make: Make) -> None:
    """A margin a little larger is equivalent, one a little smaller is not: on a set, over sets."""
    values = {"svm_or": 0.204, "logistic": 0.2, "exponential": 0.1}

    def found(name: str, margin: float, sets: Sequence[str]) -> Any:
        change = losses(values, {"svm_or": 0.004})
        return built(make(study(make, sets, **{name: contrast(margin)}), change, data=sets), name)

    for sets in (["d0"], SETS):
        least = found("first", 0.05, sets).numbers.iloc[-1]["least_margin"]
        for share, equivalent in ((1.001, True), (0.999, False)):
            verdict = found("first", share * least, sets).numbers.iloc[-1]["verdict"]
            assert ("equivalent" in verdict) == equivalent


def advice(make: Make, values: dict[str, float], spread: float) -> tuple[str, str]:
    options = {"contrasts": {"svm_or": "logistic"}, "margin": 0.01}
    own = {"block": "pairs_or_points", "options": options}
    context = make(study(make, first=own), losses(values, {"svm_or": spread}))
    block = Block(block="pairs_or_points", name="first", experiment="folds", options=options)
    kind = registry.get("report.blocks", "pairs_or_points").model_validate(options)
    output: Output = kind.build(context, block)
    return str(output.lead[0]), str(output.lead[-1])


def test_the_advice_looks_at_the_estimate(make: Make) -> None:
    """-.0280 (-.0565 to +.0005) after one repeat: two more would probably show it."""
    values = {"svm_or": 0.172, "logistic": 0.2, "exponential": 0.3}
    first, last = advice(make, values, 0.0153)
    assert "−.0280 (−.0565 to +.0005)" in first
    assert "Showing a difference of the size seen would take about 2 times" in first
    assert (
        "showing equivalence, if there is no difference, would take about 5,400 rows (there are "
        "400)" in first
    )
    assert (
        "SVM-OR looks better by .0280, which is not shown. A gain of this size would probably be "
        "shown by about 2 times as many repeats, with a larger --minutes. Until then: Train on "
        "points"
    ) in last
    turned = advice(make, values | {"svm_or": 0.228}, 0.0153)[1]
    assert "looks better" not in turned and "Train on points" in turned
    wide = advice(make, values, 0.03)[1]  # a loss that matters may be there, too
    assert "looks better" not in wide
    small = advice(make, values | {"svm_or": 0.195}, 0.006)[1]  # of no importance
    assert "looks better" not in small


def test_methods_that_agree_need_rows_and_not_their_square(make: Make) -> None:
    """Without any spread the error is a bound, which falls as 1/n: 400 rows, some 1,600 more."""
    same = {"svm_or": 0.2, "logistic": 0.2, "exponential": 0.3}
    first, _ = advice(make, same, 0.0)
    assert "size seen" not in first and "repeats; " not in first
    count = int(first.split("take about ")[1].split(" rows")[0].replace(",", ""))
    assert 500 < count < 1500
