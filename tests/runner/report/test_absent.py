"""The head of a page where data or experiments are missing: what there is, and what is not."""

import copy
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from rankexp import registry
from rankexp.runner.config.claims import COLUMNS
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.plan import PlanCell
from rankexp.runner.report import build, runs
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Tally
from rankexp.runner.report.render.text import cell_text
from rankexp.runner.report.runs import absent
from rankexp.runner.run.manifest import to_add
from rankexp.runner.run.record import Record
from rankexp.runner.sentences import counted_names

pytestmark = pytest.mark.usefixtures("undrawn")

Make = Callable[..., Context]
SETS = [f"d{i}" for i in range(7)]
INTERNAL = re.compile(
    r"no test|dropped|refused|nothing is known|\bnan\b|inf|–|not run: .*not run:"
)
PAIRS = "pairs in place of points"
MEANS = {
    "block": "contrasts",
    "of": f"{PAIRS} in folds",
    "say": "pairs change the rank loss by {}",
    "otherwise": [
        {"block": "contrasts", "of": f"{PAIRS} in boxes, counted", "say": "pairs change it by {}"}
    ],
}


def claim(name: str, **values: str) -> dict[str, str]:
    given = {"claim": name, "words": "So it is.", "page": "p. 1", "line": "2", "rule": "oracle"}
    given |= {"metric": "rank_loss", "method": "svm_or", "test": "higher", "reference": "logistic"}
    return dict.fromkeys(COLUMNS, "") | given | values


CLAIMS = [
    claim("on artificial data", experiment="boxes", problem="*"),
    claim("over all", experiment="folds", problem=f"over {' '.join(SETS)}"),
    claim("on the first", experiment="folds", problem="d0"),
    claim("a theorem", test="not tested", note="It is a theorem."),
]


@pytest.fixture(name="study", scope="module")
def _study(make: Make) -> dict[str, Any]:
    """A study of seven data sets and two settings of a generator, and what its page needs."""
    study: dict[str, Any] = copy.deepcopy(make().manifest["study"])
    vote = study["data"]["vote"] | {"label": None}
    study["data"] = {name: copy.deepcopy(vote) for name in SETS}
    few = {"methods": ["logistic", "svm_or"]}
    repeated = {"kind": "cross_validation", "repeats": 2, "folds": 2}
    study["experiments"]["folds"] |= {"problems": SETS, "protocol": repeated} | few
    study["experiments"]["boxes"] |= few
    study["experiments"]["boxes"]["protocol"] |= {"training_sets": 1}
    study["experiments"].pop("once")
    head = {"asked": "Is it so?", "reproduced": ["table1", "claims"], "means": [MEANS]}
    contrast = {PAIRS: [["svm_or", "logistic"]]}
    options = {"contrasts": contrast, "margin": 0.05, "incomplete": "drop"}
    study["report"] = [
        {"block": "summary", "name": "summary", "options": head},
        {"block": "published_table", "name": "table1", "experiment": "folds"},
        {"block": "claims", "name": "claims"},
        {"block": "contrasts", "name": "contrasts", "experiment": ["boxes", "folds"]}
        | {"options": options},
    ]
    return study


def with_only(
    make: Make,
    study: dict[str, Any],
    sets: Collection[str] = SETS,
    only: Collection[str] = ("boxes", "folds", "tried"),
    reps: int = 2,
) -> Context:
    """Return the study's context where some data sets are here and some experiments were run."""

    def run(cell: PlanCell, record: Record) -> Record | None:
        last = cell.experiment == "folds" and (cell.place.rep or 0) >= reps
        return None if last or cell.experiment not in only else record

    made = make(study, run, data=sets)
    row = made.manifest["published"][0]
    printed = [
        row | {"problem": name, "method": method}
        for name in SETS
        for method in ("logistic", "svm_or")
    ]
    lost = {name: "nowhere" for name in SETS if name not in sets}
    made.manifest |= {"published": printed, "claims": CLAIMS, "missing_data": lost, "data": {}}
    return made


def head(made: Context, *blocks: str) -> dict[str, str]:
    """Return the sentences of the head, made of some blocks alone or of all."""
    made.study.report[:] = [b for b in made.study.report if not blocks or b.name in blocks]
    shown = {one.block.name: one for one in build.Report(made, Path()).blocks}
    assert not any(one.error for one in shown.values())
    return {said.label: said.text for said in shown["summary"].output.lead}  # type: ignore[union-attr]


MEANT = ("summary", "contrasts")


def test_nothing_is_said_where_nothing_is_missing(make: Make, study: dict[str, Any]) -> None:
    said = head(with_only(make, study))
    assert said["Answer"].startswith("Pairs change the rank loss by +.0")
    alone = r", the pseudo-median of 7 data sets \(one by one, 7 of 7 are decided\), within both "
    ending = r"margins, \.05 and 10 % of the loss\. A margin of \.01\d\d \(rounded up\) would do, "
    ending += r"too, by the 90 % CI\.$"
    assert re.search(alone + ending, said["Answer"])
    assert "not run" not in "".join(said.values())
    assert said["What was run"].startswith(
        "2 methods, 7 data sets, 2 artificial problems, 1 simulation; all"
    )


def test_without_data_the_answer_is_of_artificial_data(make: Make, study: dict[str, Any]) -> None:
    said = head(with_only(make, study, []))
    assert re.fullmatch(
        r"On artificial data only: pairs change it by \+\.0\d+ to \+\.0\d+ over 2 settings, each "
        r"within the margin of \.05\. None of the 7 data sets is available: d0, d1, .*, d6\.",
        said["Answer"],
    )
    assert said["What was run"].startswith(
        "2 methods, 2 artificial problems, 1 simulation; all 28 fits and repetitions of "
        "simulations"
    )
    assert said["Reproduced"] == (
        "1 of 1 claims tested hold; not run: 14 published values (d0, d1, d2 and 4 more) "
        "and 2 claims (over all and on the first)."
    )
    assert said["Not reproduced"] == "Nothing that was compared."


@pytest.mark.parametrize("lost", [True, False])
def test_data_that_nobody_asked_for_are_not_called_unavailable(
    make: Make, study: dict[str, Any], lost: bool
) -> None:
    made = with_only(make, study, [])
    made.manifest["missing_data"] = made.manifest["missing_data"] if lost else {}
    made.study.report[:] = [block for block in made.study.report if block.name == "claims"]
    (claims,) = build.Report(made, Path()).blocks
    assert ("its data is not available" in str(claims.output)) == lost
    assert "not run" in str(claims.output)


def test_too_few_data_sets_for_a_test_are_told_one_by_one(
    make: Make, study: dict[str, Any]
) -> None:
    two = head(with_only(make, study, ["d0", "d3"]), *MEANT)["Answer"]
    each = r"\+\.0\d+ \(95 % CI for both at once \S+ to \S+\) on d"
    assert re.match(f"Pairs change the rank loss by {each}0 and {each}3; a test over", two)
    ending = "needs at least 6. 5 of the 7 data sets are missing: d1, d2, d4, d5, d6."
    assert two.endswith(f"a test over data sets {ending}")
    four = head(with_only(make, study, SETS[:4]), *MEANT)["Answer"]
    assert "of 4 data sets" in four and "Deciding it takes at least 6 data sets" in four
    assert four.endswith(". 3 of the 7 data sets are missing: d4, d5, d6.")
    six = head(with_only(make, study, SETS[:6]), *MEANT)["Answer"]
    assert six.endswith(" would do, too, by the 90 % CI. 1 of the 7 data sets is missing: d6.")
    assert "; for a new data set +.00" in six, "it is the longer interval"
    assert "(one by one, 6 of 6 are decided), within both margins, .05 and 10 % of" in six


def test_data_sets_that_are_to_be_compared_together_are_told_without_the_rest(
    make: Make, study: dict[str, Any]
) -> None:
    strict = copy.deepcopy(study)
    strict["report"][-1]["options"]["incomplete"] = "refuse"
    for sets, why in ((SETS[:6], "over all 7 also needs the others"), (SETS[:3], "at least 6")):
        said = head(with_only(make, strict, sets), *MEANT)["Answer"]
        assert f" over {len(sets)} data sets, each within the margin of .05; a test" in said
        assert f"{why}. " in said and not INTERNAL.search(said)


def test_experiments_that_were_not_run_are_named(make: Make, study: dict[str, Any]) -> None:
    said = head(with_only(make, study, only=["boxes"]))
    assert said["Answer"].startswith("On artificial data only: pairs change it by ")
    assert said["Answer"].endswith(" of .05. The experiment folds was not run.")
    assert said["What was run"].startswith(
        "2 methods, 2 artificial problems; all 20 fits are done, none failed; "
    )
    assert "; not run: 2 experiments (folds and tried); " in said["What was run"]
    assert not any("INCOMPLETE" in text for text in said.values())
    nothing = head(with_only(make, study, only=["tried"]))
    assert nothing["Answer"] == "Nothing yet. The experiment folds was not run."
    assert nothing["Reproduced"] == (
        "No published value was compared; not run: 14 published values (d0, d1, d2 and 4 "
        "more) and 3 claims (on artificial data, over all and on the first)."
    )
    assert nothing["Not reproduced"] == "No published value was compared."
    neither = head(with_only(make, study, [], only=["tried"]), *MEANT)["Answer"]
    assert neither.startswith("Nothing yet. None of the 7 data sets is available: d0, ")
    assert head(with_only(make, study, [], only=[]), "summary")["What was run"].startswith(
        "Nothing was run; no data"
    )


def test_what_was_begun_says_how_far_it_came(make: Make, study: dict[str, Any]) -> None:
    strict = copy.deepcopy(study)
    strict["report"][-1]["options"] |= {"incomplete": "refuse"}
    strict["report"][0]["options"]["means"][0] = MEANS | {"otherwise": []}
    said = head(with_only(make, strict, reps=1))
    assert said["Answer"] == ("Nothing yet. Of the experiment folds 28 of 56 records are good.")
    assert said["Reproduced"].startswith("INCOMPLETE (table1, claims): ")
    assert said["Reproduced"].endswith("; not run: 2 claims (over all and on the first).")


@pytest.mark.parametrize(
    ("count", "only"), [(0, ["folds"]), (1, ["folds"]), (3, ["boxes"]), (4, ["folds", "boxes"])]
)
def test_the_sentences_count_alike_and_count_everything(
    make: Make, study: dict[str, Any], count: int, only: list[str]
) -> None:
    made = with_only(make, study, SETS[:count], only)
    said = head(made)
    assert not any(map(INTERNAL.search, (said["Answer"], said["Not reproduced"])))
    assert not re.search(r"not run|undecided claim", said["Not reproduced"])
    run = {"values": 2 * count * ("folds" in only)}
    run["claims"] = ("boxes" in only) + ("folds" in only) * ((count > 0) + (count == 7))
    for what, name, total in (("values", "published values", 14), ("claims", "claims", 3)):
        of = re.findall(rf"\d+ of (\d+) (?:published )?{what}", said["Reproduced"])
        assert list(map(int, of)) == [run[what]] * (run[what] > 0)
        of = re.findall(rf"\d+ of (\d+) {what}", said["Not reproduced"])
        assert {*map(int, of)} <= {run[what]}
        left = re.findall(rf"(\d+) {name[:-1]}s? \(", said["Reproduced"])
        assert sum(map(int, left)) == total - run[what]
    ledger = made.shown["claims"].tables[0].rows
    verdicts = [cell_text(row[-1]) for row in ledger]
    assert verdicts.count("not run") == 3 - run["claims"]


def test_optional_data_is_named_once(make: Make, study: dict[str, Any]) -> None:
    free = copy.deepcopy(study)
    free["data"]["d6"]["optional"] = True
    said = head(with_only(make, free, SETS[:6]), "summary", "table1")
    assert "; no data for d6; " in said["What was run"]
    assert "published values (" not in said["Reproduced"].partition("not run")[2]
    both = head(with_only(make, free, SETS[:5]), "summary", "table1")  # as the table counts them
    assert "not run: 4 published values (d5 and d6)" in both["Reproduced"]


def test_reasons_that_were_not_run_are_left_out(make: Make, study: dict[str, Any]) -> None:
    why = {"block": "contrasts", "of": f"{PAIRS} in boxes", "say": "pairs differ by {}"}
    reasoned = copy.deepcopy(study)
    for reasons, ending in (
        ([why], "Why: the experiment that would tell was not run."),
        ([why, "scaling is not printed"], "Why: conjecture: scaling is not printed."),
    ):
        reasoned["report"][0]["options"]["why"] = reasons
        said = head(with_only(make, reasoned, only=["folds"]), "summary", "table1", "contrasts")[
            "Not reproduced"
        ]
        assert said.endswith(ending)


def test_each_data_set_is_named_with_the_command_that_adds_it(
    make: Make, study: dict[str, Any]
) -> None:
    made = with_only(make, study, SETS[:5])
    notes = runs.wrong(made, list(made.study.experiments))
    assert any(
        note.startswith(
            "To add your own copy: rankexp data add d5 FILE; rankexp data add d6 FILE;"
        )
        for note in notes
    )
    given = copy.deepcopy(study)
    given["data"]["d5"]["source"] = {"file": "a.csv", "test": "b.csv"}
    assert "data add" not in to_add(Study.model_validate(given), ["d5"])


def test_what_is_absent_as_values(make: Make, study: dict[str, Any]) -> None:
    labelled = copy.deepcopy(study)
    labelled["data"]["d6"]["label"] = "wine, red"
    found = absent(with_only(make, labelled, SETS[:6], only=["folds"]), ["boxes", "folds", "no"])
    assert (found.sets, found.data, found.idle) == (7, ["'wine, red'"], ["boxes", "no"])
    assert found.words()[1] == "the experiments boxes and no were not run"
    made = with_only(make, study, SETS[:6])
    made.study.experiments["folds"].problems[:] = ["d6"]
    assert absent(made, ["folds"]).words() == ["the data set d6 is missing"]


def test_pieces_of_sentences() -> None:
    assert counted_names("claim", 0, []) == "" and counted_names("claim", 2, []) == "2 claims"
    assert counted_names("claim", 1, ["a"]) == "1 claim (a)"
    assert counted_names("claim", 4, list("abcd")) == "4 claims (a, b, c and d)"
    assert Tally("1 of 2 hold", "1 claim", "2 claims").gist == (
        "1 of 2 hold; not: 1 claim; not run: 2 claims."
    )


def test_ranks_that_were_not_run_are_counted(make: Make, study: dict[str, Any]) -> None:
    made = with_only(make, study, SETS[:2])
    rank = {"problem": "*", "quantity": "average_rank(rank_loss)", "value": "2"}
    made.manifest["published"] = [made.manifest["published"][0] | rank]
    options = registry.get("report.blocks", "rank_table").model_validate({})
    output = options.build(made, Block(block="rank_table", name="x", experiment="folds"))
    assert output.tally == Tally(left="1 published average rank")
