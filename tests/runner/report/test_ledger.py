"""The ledger of claims on made-up records: change the records, and the verdict changes."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.runner.config.claims import COLUMNS
from rankexp.runner.config.schema import Block
from rankexp.runner.grid import Point
from rankexp.runner.plan import PlanCell
from rankexp.runner.report import build
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output, Page, Section
from rankexp.runner.report.render import html, markdown
from rankexp.runner.report.render.text import all_notes, rows
from rankexp.runner.run.record import Record, RecordRow

Make = Callable[..., Context]
X = np.linspace(-2, 2, 9)
OF_BOXES = {"experiment": "boxes", "problem": "*", "metric": "rank_loss", "rule": "oracle"}
TRIED = {"experiment": "tried", "metric": "prior_observed"}


def claim(name: str = "a", **values: str) -> dict[str, str]:
    """Return a row of claims as a manifest has it."""
    given = {"claim": name, "words": "So it is.", "page": "p. 1", "line": "2"}
    return dict.fromkeys(COLUMNS, "") | given | values


def of(method: str, test: str, reference: str = "", threshold: str = "", **values: str) -> Any:
    said = {"method": method, "test": test, "reference": reference, "threshold": threshold}
    return claim(**(OF_BOXES | said | values))


def show(made: Context, *claims: dict[str, str], experiment: str = "boxes") -> Output:
    made.manifest = made.manifest | {"claims": list(claims)}
    block = Block(block="claims", name="claims", experiment=experiment)
    output: Output = registry.get("report.blocks", "claims")().build(made, block)
    return output


def verdicts(made: Context, *claims: dict[str, str]) -> list[str]:
    return [row[-1] for row in rows(show(made, *claims).tables[0])]


def shift(amount: float, method: str = "svm_or", noise: float = 0.0) -> Any:
    """Return a change that adds to the losses of a method, and noise to those of single models."""

    def change(cell: PlanCell, record: Record) -> Record:
        if cell.method != method:
            return record
        more = amount + noise * (-1) ** (cell.place.model or cell.place.rep or 0)
        changed = [
            row._replace(value=row.value + more) if row.quantity == "rank_loss" else row
            for row in record.rows
        ]
        return Record(record.key, grid=record.grid, rows=changed)

    return change


@pytest.fixture(scope="module")
def changed(make: Make) -> Callable[[Any], Context]:
    """Return what makes the study with a change, once each: claims alone are set anew."""
    return cache(lambda change: make(change=change))


# svm_or is .01 below exponential and .01 above logistic, with noise of .001.
HOLDS, FAILS, OPEN = shift(0), shift(0.1), shift(0.01, noise=0.1)
LOW = shift(-0.1)


@pytest.mark.parametrize(
    "row, holds, fails",
    [
        (of("svm_or", "lower", "exponential"), HOLDS, FAILS),
        (of("svm_or", "lower", "exponential", "0.005"), HOLDS, FAILS),
        (of("svm_or", "lower", "exponential", "0.05"), LOW, HOLDS),
        (of("svm_or", "higher", "logistic"), HOLDS, LOW),
        (of("svm_or", "higher", "logistic", "0.05"), FAILS, HOLDS),
        (of("svm_or", "higher", "logistic exponential"), FAILS, HOLDS),
        (of("svm_or", "not lower", "logistic", "0.02"), HOLDS, LOW),
        (of("svm_or", "not higher", "logistic", "0.02"), HOLDS, FAILS),
        (of("svm_or", "within", "logistic", "0.02"), HOLDS, FAILS),
        (of("svm_or", "within", "logistic", "0.02"), HOLDS, LOW),
        (of("svm_or", "best"), LOW, HOLDS),
        (of("svm_or", "worst"), FAILS, HOLDS),
        (of("svm_or", "between", threshold="0.0..0.2"), HOLDS, shift(0.3)),
        (of("svm_or", "between", "logistic", "0.005..0.015"), HOLDS, LOW),
        (of("svm_or", "lower", "exponential", rule="nested", experiment="folds", problem="vote"),
         HOLDS, FAILS),
        (of("svm_or", "not higher", "easy", "0.03", problem="hard"), HOLDS, None),
        (of("svm_or", "higher", "bayes"), HOLDS, LOW),
    ],
)  # fmt: skip
def test_every_test_has_every_verdict(
    changed: Callable[[Any], Context], row: Any, holds: Any, fails: Any
) -> None:
    assert verdicts(changed(holds), row) == ["holds"]
    if fails is not None:
        assert verdicts(changed(fails), row) == ["does not hold"]
    assert verdicts(changed(OPEN), row) == ["undecided"]


def test_always_looks_at_every_split(make: Make) -> None:
    row = of("svm_or", "always", "exponential", "-0.02..0")
    assert verdicts(make(change=shift(0, noise=0.0)), row) == ["holds"]
    assert verdicts(make(change=shift(0, noise=0.02)), row) == ["does not hold"]


@pytest.mark.parametrize(
    "test, threshold, must",
    [
        ("always", "0.00001", "0 ± 1e−5"),
        ("always", "0..0", "= 0"),
        ("always", "0.0001..inf", "≥ .0001"),
        ("always", "-inf..2", "≤ 2"),
        ("always", "0.25..1", ".25 to 1"),
        ("lower", "", "< 0"),
        ("higher", "0.1", "> .1"),
        ("within", "0.1", "0 ± .1"),
    ],
)
def test_equalities_inequalities_and_counts_are_told_apart(
    make: Make, test: str, threshold: str, must: str
) -> None:
    reference = "" if test == "always" else "prior"
    row = claim(**TRIED, reference=reference, test=test, threshold=threshold)
    assert rows(show(make(), row).tables[0])[0][2] == must


def test_without_a_test_the_value_nearest_to_an_end_is_shown(make: Make) -> None:
    def small(cell: PlanCell, record: Record) -> Record:
        values = [row._replace(value=3e-13 * (cell.place.setting or 0)) for row in record.rows]
        return Record(record.key, grid=record.grid, rows=values)

    row = claim(**TRIED, test="always", threshold="0.000001")
    assert rows(show(make(change=small), row).tables[0])[0][1:4:2] == [
        "3e−13",
        "observed share of positives, p = .9",
    ]
    row = claim(**TRIED, test="always", threshold="1e-12..inf")
    assert rows(show(make(change=small), row).tables[0])[0][3:] == [
        "observed share of positives, p = .5",
        "does not hold",
    ]


@pytest.mark.parametrize(
    "row, verdict",
    [
        (claim(**TRIED, reference="prior", test="within", threshold="0.05"), "holds"),
        (claim(**TRIED, reference="prior", test="higher", threshold="0.1"), "does not hold"),
        (claim(**TRIED, reference="prior", test="within", threshold="0.001"), "undecided"),
        (claim(**TRIED, test="always", threshold="0.4..1"), "holds"),
        (claim(**TRIED, test="between", threshold="0.8..1"), "does not hold"),  # p = .5
    ],
)
def test_checks_are_claims_over_their_repetitions(make: Make, row: Any, verdict: str) -> None:
    output = show(make(), row)
    assert rows(output.tables[0])[0][-1] == verdict
    assert output.numbers is not None
    assert [text.partition(" p=")[2] for text in output.numbers["label"]] == ["0.5", "0.9"]


def test_a_group_of_a_check_is_a_quantity_of_its_own(make: Make) -> None:
    def grouped(cell: PlanCell, record: Record) -> Record:
        more = [r._replace(group="far", value=r.value + 1.0) for r in record.rows]
        return Record(record.key, grid=record.grid, rows=[*record.rows, *more])

    row = claim(experiment="tried", metric="prior of far", test="always", threshold="1.4..2")
    plain = row | {"metric": "prior", "claim": "b"}
    assert verdicts(make(change=grouped), row, plain) == ["holds", "does not hold"]
    with pytest.raises(ConfigError, match=r":7: the check 'flip_noise' has no 'prior of far'"):
        show(make(), row | {"line": "7"})
    with pytest.raises(ConfigError, match="has no 'piror' \\(did you mean 'prior'"):
        show(make(), row | {"metric": "piror"})


def test_over_data_sets_needs_all_of_them(make: Make) -> None:
    study: dict[str, Any] = make().study.model_dump(mode="json")
    names = [f"d{i}" for i in range(8)]
    study["data"] = {name: study["data"]["vote"] | {"label": name} for name in names}
    study["experiments"]["folds"]["problems"] = names
    study["experiments"].pop("once")
    row = of(
        "svm_or", "lower", "exponential", experiment="folds", problem=f"over {' '.join(names)}"
    )
    assert verdicts(make(study, None, names), row) == ["holds"]
    assert verdicts(make(study, FAILS, names), row) == ["does not hold"]
    few = row | {"problem": "over d0 d1 d2 d3"}
    output = show(make(study, None, names), few)
    assert rows(output.tables[1])[0][3] == (
        "rank loss of SVM-OR lower than exponential (folds; over 4 data sets; best test mean)"
    )
    assert rows(output.tables[0])[0][-1] == "undecided"
    gone = make(study, lambda cell, r: None if cell.problem == "d3" else r, names)
    assert verdicts(gone, row) == ["not run"]


def test_what_was_not_run_is_said(make: Make) -> None:
    row = of("svm_or", "lower", "exponential")
    none = make(change=lambda cell, r: None if cell.experiment == "boxes" else r)
    output = show(none, row)
    assert rows(output.tables[0])[0][-1] == "not run" and output.incomplete
    assert output.gist == "Not run: 1 claim (a)."
    part = make(change=lambda c, r: None if (c.experiment, c.place.rep) == ("boxes", 1) else r)
    (line,) = rows(show(part, row).tables[0])
    assert line[-1] == "not run" and "INCOMPLETE: " in line[3]
    outside = [
        row | {"experiment": "wide"},
        row | {"problem": "harder"},
        row | {"method": "ridge"},
    ]
    assert (
        verdicts(make(), *[one | {"claim": str(i)} for i, one in enumerate(outside)])
        == ["not run"] * 3
    )
    lost = make(change=undefine("svm_or"))
    (line,) = rows(show(lost, row).tables[0])
    assert line[-1] == "undecided" and "a split has a value for one side only" in line[3]


def undefine(method: str) -> Any:
    def change(cell: PlanCell, record: Record) -> Record:
        if cell.method != method or cell.place.model != 0:
            return record
        changed = [row._replace(value=math.nan) for row in record.rows]
        return Record(record.key, grid=record.grid, rows=changed)

    return change


def test_a_single_split_has_no_error(make: Make) -> None:
    row = claim(experiment="once", problem="vote", metric="rank_loss", rule="oracle")
    output = show(make(), row | {"method": "logistic", "test": "between", "threshold": "0..1"})
    (line,) = rows(output.tables[0])
    assert line[-1] == "undecided" and "a single value has no error" in line[3]


def test_rows_of_a_claim_must_all_hold_and_a_share_of_their_problems(make: Make) -> None:
    good, bad = of("svm_or", "lower", "exponential"), of("svm_or", "lower", "logistic")
    assert verdicts(make(), good, bad | {"claim": "b"}) == ["holds", "does not hold"]
    assert verdicts(make(), good, bad) == ["does not hold"]
    half = good | {"share": "0.5"}

    def hard(cell: PlanCell, record: Record) -> Record:
        return FAILS(cell, record) if cell.problem == "hard" else record  # type: ignore[no-any-return]

    assert verdicts(make(change=hard), good) == ["does not hold"]
    assert verdicts(make(change=hard), half) == ["holds"]
    output = show(make(change=hard), half)
    shown = rows(output.tables[1])[0]
    assert shown[3].endswith(", in at least 50 % of the cases; 1 of 2 hold")
    ((name, each),) = output.unfolded.items()
    assert each.caption == f"{name} (holds): 1 of 2 comparisons hold"
    assert sorted(row[3] for row in rows(each)) == ["does not hold", "holds"]
    assert all(cell.claimed == (-math.inf, 0.0) for cell in each.cells() if cell.interval)
    page = html.page(
        Page("t", "", "", [], [Section("Claims", "", output, ["claims.csv"])]), Output()
    )
    assert page.count('href="#claims-all-0"') == 2 and page.count('id="claims-all-0"') == 1
    assert page.count('class="claimed"') == 3, "the ledger's own, and one a comparison"


def test_the_gist_names_what_does_not_hold(make: Make) -> None:
    output = show(
        make(change=shift(0, noise=0.003)),
        of("svm_or", "lower", "exponential", claim="good"),
        of("svm_or", "lower", "logistic", claim="bad", note="As printed."),
        of("svm_or", "within", "logistic", "0.0101", claim="open"),
        claim("theorem", test="not tested", note="Proved."),
    )
    assert output.gist == ("1 of 3 claims tested hold; not: 1 claim refuted (bad), 1 undecided.")
    shown = rows(output.tables[0])
    assert shown[3] == ["theorem", "–", "–", "–", "not tested here"]
    assert "[2] Proved." in all_notes(output)
    assert output.tables[1].detail and rows(output.tables[1])[1] == [
        "bad",
        "So it is.",
        "p. 1",
        "rank loss of SVM-OR lower than logistic (boxes; best test mean); 0 of 2 hold",
    ]
    assert shown[1][0] == "bad" and shown[1][1].startswith("+.01") and " to +.0" in shown[1][1]
    assert output.facts["bad"].verdict == "does not hold"
    assert output.facts["bad"].text == shown[1][1]
    assert output.facts["open"].text.endswith("as much data would tell, if the estimate stays)")
    assert output.numbers is not None
    assert output.numbers["verdict"].tolist() == [
        *["holds"] * 2, *["does not hold"] * 2, *["undecided"] * 2, "not tested here",
    ]  # fmt: skip
    table = output.numbers[output.numbers["claim"] == "bad"]
    assert (table["low"] < table["value"]).all() and (table["p_fails"] < 0.05).all()


def test_what_the_source_does_not_claim_is_counted_apart(make: Make) -> None:
    source = of("svm_or", "lower", "exponential", claim="good")
    ours = of("svm_or", "lower", "logistic", claim="more", ours="true")
    good = ours | {"claim": "less", "reference": "exponential"}
    output = show(
        make(), source, ours, good, claim("idea", test="not tested", ours="true", note="Why.")
    )
    assert output.tally is not None and output.tally.found == "1 of 1 claims tested hold"
    assert output.tally.lacks == "" and output.gist == (
        "1 of 1 claims tested hold. Also tried, which the source does not claim: 1 of 2 hold."
    )
    assert [table.caption for table in output.tables if not table.detail] == [
        "Claims",
        "Also tried, which the source does not claim: 1 of 2 hold",
    ]
    assert [[row[0] for row in rows(table)] for table in output.tables] == (
        [["good"]] * 2 + [["more", "less", "idea"]] * 2
    )
    assert output.numbers is not None
    assert dict(output.numbers[["claim", "ours"]].to_numpy().tolist()) == {
        "good": False, "more": True, "less": True, "idea": True,
    }  # fmt: skip
    worse = show(make(change=FAILS), source, ours, good)
    assert "0 of 1 claims" in worse.gist and "claim: 0 of 2 hold." in worse.gist
    assert worse.tally is not None and worse.tally.lacks == "1 claim refuted (good)"
    alone = show(make(), source | {"ours": "true"}, ours)
    assert alone.tally is None
    assert alone.gist == "Also tried, which the source does not claim: 1 of 2 hold."


def test_the_number_shown_is_nearest_to_an_end_or_furthest_beyond(make: Make) -> None:
    def apart(**by: float) -> Any:
        """Return a change: what each problem's difference to logistic is, with a noise of .001."""

        def change(cell: PlanCell, record: Record) -> Record:
            if cell.method != "svm_or":
                return record
            return shift(by.get(cell.problem, 0.0), noise=0.001)(cell, record)  # type: ignore[no-any-return]

        return change

    def shown(row: dict[str, str], change: Any) -> tuple[float, str, str]:
        (line,) = rows(show(make(change=change), row).tables[0])
        value = float(line[1].split(" ")[0].replace("−", "-"))
        return round(value, 2), line[3].rpartition(", ")[2], line[-1]

    row = of("svm_or", "not lower", "logistic", "0.05")  # it is .01 above logistic unchanged
    assert shown(row, apart(easy=-0.03, hard=0.0)) == (-0.02, "balanced", "holds")
    assert shown(row, apart(easy=0.0, hard=-0.03)) == (-0.02, "hard", "holds")
    assert shown(row, apart(easy=-0.08, hard=-0.09)) == (-0.08, "hard", "does not hold")
    assert shown(row, apart(easy=-0.08, hard=0.09)) == (-0.07, "balanced", "does not hold")

    def wide(cell: PlanCell, record: Record) -> Record:  # neither is shown, both p-values are 1
        by = {"easy": -0.02, "hard": -0.05}.get(cell.problem, 0.0)
        return shift(by, noise=0.2)(cell, record)  # type: ignore[no-any-return]

    output = show(make(change=wide), of("svm_or", "within", "logistic", "0.05"))
    assert output.numbers is not None and (output.numbers["p_fails"] == 1).all()
    (line,) = rows(output.tables[0])
    near = output.numbers.loc[(output.numbers["value"].abs() - 0.05).abs().idxmin()]
    assert line[3] == near["label"] and line[-1] == "undecided"
    assert near.name == 1  # the first of both is not taken


def test_a_claim_links_to_the_blocks_that_tell_more(make: Make) -> None:
    row = claim(test="not tested", note="Proved.", see="claims zero other-study/worst")
    made = make()
    made.study.report[:] = [Block(block="claims", name="claims", experiment="boxes")]
    output = show(made, row)
    text = markdown.render(output) or ""
    linked = "not tested here \\[1]; see [claims](claims.md); see [worst (other-study)]"
    assert f"{linked}(../other-study/worst.md) |" in text
    assert rows(output.tables[0])[0][-1] == (
        "not tested here; see claims; see worst (other-study)"  # a profile lacks the block zero
    )
    output = show(made, claim(test="not tested", note="Proved.", see="kotlowski2011/table1"))
    assert "see [Table 1: rank loss on real data (kotlowski2011)](" in (
        markdown.render(output) or ""
    )


def test_without_claims_the_block_says_so(make: Make) -> None:
    output = show(make())
    assert any("holds no claims" in note for note in output.texts)


CURVES: dict[str, Any] = {
    "version": 1,
    "study": "curves",
    "title": "Curves",
    "seed": 1,
    "generators": {"two": {"generator": "gaussian"}},
    "methods": {"svm_or": {"params": {"loss": "exponential"}}, "logistic": {}},
    "experiments": {
        "e": {
            "problems": ["two"],
            "protocol": {
                "kind": "models",
                "models": 6,
                "training_sets": 1,
                "n_train": 9,
                "n_test": 9,
            },
            "methods": ["svm_or", "logistic"],
            "keep": {
                "splits": 6,
                "curves": ["scoring_function"],
                "at": {"low": -2, "high": 2, "points": 9},
                "fitted": ["thresholds_"],
            },
        }
    },
}


def drawn(cell: PlanCell, _: Record) -> Record:
    """Return a record whose curve has the slope 1 or 2, and a kink beyond |x| = 1."""
    noise = 0.01 * (-1) ** (cell.place.model or 0)
    slope = noise + (1.0 if cell.method == "svm_or" else 2.0)
    y = slope * X + 3.0 * (np.abs(X) > 1) + 7.0
    fitted = [
        RecordRow("train", 0, None, None, f"thresholds_[{i}]", v) for i, v in enumerate((1, 3))
    ]
    found = [RecordRow("test", 0, None, None, "rank_loss", 0.1), *fitted]
    curves = {"scoring_function:0": {"x": X.tolist(), "y": y.tolist()}}
    return Record(cell.key, grid=(Point(()),), rows=found, curves=curves)


@pytest.mark.parametrize(
    "values, verdict",
    [
        ({"metric": "slope(low=-1, high=1)", "test": "between", "threshold": "0.9..1.1"}, "holds"),
        ({"metric": "slope", "test": "between", "threshold": "0.9..1.1"}, "holds"),
        ({"metric": "slope(low=-1, high=1)", "method": "logistic", "test": "between",
          "threshold": "0.9..1.1"}, "does not hold"),
        ({"metric": "slope(low=-1, high=1)", "test": "lower", "reference": "logistic"}, "holds"),
        ({"metric": "rms(low=-1, high=1)", "test": "within", "reference": "logistic",
          "threshold": "0.1"}, "does not hold"),
        ({"metric": "rms(low=-1, high=1)", "test": "within", "reference": "logistic",
          "threshold": "0.8"}, "holds"),
        ({"metric": "thresholds_[1]", "reference": "thresholds_[0]", "test": "always",
          "threshold": "2..2"}, "holds"),
        ({"metric": "thresholds_[1]", "test": "always", "threshold": "2..2"}, "does not hold"),
        ({"metric": "thresholds_[5]", "test": "always", "threshold": "2..2"}, "undecided"),
    ],
)  # fmt: skip
def test_curves_and_fitted_quantities_are_claims_too(
    make: Make, values: dict[str, str], verdict: str
) -> None:
    row = claim(**({"experiment": "e", "problem": "two", "method": "svm_or"} | values))
    output = show(make(CURVES, drawn), row, experiment="e")
    assert rows(output.tables[0])[0][-1] == verdict
    if "rms" in values["metric"]:  # x from -1 to 1, of which the squares' mean is 1/2
        assert output.numbers is not None
        assert output.numbers["value"][0] == pytest.approx(math.sqrt(0.5), abs=0.01)


def test_a_report_has_them_from_the_manifest_alone(
    make: Make, save: Callable[[Context, Path], Path], tmp_path: Path
) -> None:
    study = make().study.model_dump(mode="json")
    study["claims"] = "said.csv"  # a file that is not at hand
    study["report"] = [{"block": "claims", "name": "said", "experiment": "boxes"}]
    made = make(study)
    made.manifest = made.manifest | {"claims": [of("svm_or", "lower", "exponential")]}
    report = build.open_report(save(made, tmp_path / "made-up"))
    assert report.failures == []
    report.write()
    assert "| holds |" in (tmp_path / "made-up" / "said.md").read_text(encoding="utf-8")
