"""Lines along a parameter, contrasts of methods, and readings of a paper, on made-up records."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from pydantic import ValidationError
from scipy import stats

from rankexp import registry
from rankexp.charts.numbers import span
from rankexp.errors import ConfigError
from rankexp.runner.config.schema import Block
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record

Make = Callable[..., Context]


def show(context: Context, name: str, experiment: Any, **options: Any) -> Output:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    kind = registry.get("report.blocks", name)
    output: Output = kind.model_validate(options).build(context, block)
    return output


def study_of(make: Make) -> dict[str, Any]:
    """The made-up study as it would stand in a file."""
    return copy.deepcopy(make().manifest["study"])  # type: ignore[no-any-return]


def several(make: Make, **experiments: int) -> dict[str, Any]:
    """A study with the experiment `boxes` again, on other numbers of training examples."""
    study = study_of(make)
    for name, n in experiments.items():
        study["experiments"][name] = copy.deepcopy(study["experiments"]["boxes"])
        study["experiments"][name]["protocol"]["n_train"] = n
    return study


def timed(cell: PlanCell, record: Record) -> Record:
    seconds = {"logistic": 2.0, "svm_or": 8.0}.get(cell.method, 1.0)
    return Record(record.key, grid=record.grid, rows=record.rows, times={"fit": seconds})


def test_a_line_leads_along_the_parameter_of_a_protocol(make: Make) -> None:
    context = make(several(make, more=1000, some=100))
    output = show(context, "along", ["more", "boxes", "some"], parameter="n_train")
    assert output.numbers is not None and output.figure is not None
    own = output.numbers[
        (output.numbers["panel"] == "linear, balanced") & (output.numbers["method"] == "svm_or")
    ]
    assert own["x"].tolist() == [10, 100, 1000]
    chosen = context.chosen("some", context.metric("some", None), _oracle(), ["svm_or"])
    models = chosen[chosen["problem"] == "easy"].groupby("model")["value"].mean()
    line = own.set_index("x").loc[100]
    assert line["value"] == pytest.approx(models.mean())
    half = stats.t.ppf(0.975, 4) * models.sem()
    assert [line["low"], line["high"]] == pytest.approx(
        [models.mean() - half, models.mean() + half]
    )
    assert [row[:2] for row in rows(output.tables[0])][:2] == [
        ["linear, balanced", "10"],
        ["linear, balanced", "100"],
    ]


def _oracle() -> Any:
    from rankexp.runner.analyse.select import ORACLE

    return ORACLE


def test_differences_along_a_parameter_are_paired(make: Make) -> None:
    output = show(make(), "along", "boxes", parameter="n_train", reference="logistic")
    levels = show(make(), "along", "boxes", parameter="n_train")
    assert output.numbers is not None and levels.numbers is not None
    assert set(output.numbers["method"]) == {"exponential", "svm_or"}
    keys = ["problem", "method"]
    means = levels.numbers.set_index(keys)["value"]
    for line in output.numbers.to_dict("records"):
        apart = means[line["problem"], line["method"]] - means[line["problem"], "logistic"]
        assert line["value"] == pytest.approx(apart)
    # Models differ by .01 a step, which pairs take off.
    assert output.numbers["se"].max() < 0.1 * levels.numbers["se"].min()
    assert "exponential minus logistic" in output.gist


def test_problems_that_differ_in_the_parameter_share_a_panel(make: Make) -> None:
    study = study_of(make)
    study["generators"]["hard"]["params"] = {"p": 0.9}
    output = show(make(study), "along", "boxes", parameter="p")
    assert output.numbers is not None
    assert set(output.numbers["panel"]) == {"linear"}
    assert set(output.numbers["x"]) == {0.5, 0.9}
    apart = show(make(), "along", "boxes", parameter="p")  # another Bayes risk, too
    assert apart.numbers is not None
    assert set(apart.numbers["panel"]) == {"linear, balanced", "hard"}


def test_along_a_grid_the_choices_are_marked(make: Make) -> None:
    output = show(make(), "along", "folds", parameter="lam", rule="nested", methods=["logistic"])
    assert output.numbers is not None and not output.tables
    assert output.numbers["x"].tolist() == [0.01, 0.1, 1.0]
    assert output.numbers["share"].tolist() == [0, 0, 1]  # what the inner folds choose
    assert output.numbers["value"].idxmin() == output.numbers.index[1]
    assert any("nested" in note for note in output.texts)


def test_along_seconds_each_method_has_its_own(make: Make) -> None:
    context = make(several(make, more=1000), change=timed)
    output = show(context, "along", ["boxes", "more"], parameter="seconds")
    assert output.numbers is not None
    found = output.numbers.groupby("method")["x"].unique()
    assert {name: own.tolist() for name, own in found.items()} == {
        "exponential": [1.0],
        "svm_or": [8.0],
        "logistic": [2.0],
    }
    assert rows(output.tables[0])[0][3].startswith("8 s: ")
    assert "SVM-OR 8 s for" in output.gist


def test_the_interval_of_a_single_point_is_drawn(make: Make) -> None:
    context = make(change=timed)
    output = show(context, "along", "boxes", parameter="seconds", reference="logistic")
    assert output.numbers is not None and output.figure is not None
    line = output.numbers[output.numbers["panel"] == output.numbers["panel"].iloc[0]]
    drawn = [own for own in output.figure.axes[0].collections if isinstance(own, LineCollection)]
    ends = [bar.get_segments()[0].tolist() for bar in drawn]
    assert ends == [
        [[one.x, pytest.approx(one.low)], [one.x, pytest.approx(one.high)]]
        for one in line.itertuples()
    ]
    assert any(note.startswith("Bars are 95 % confidence intervals") for note in output.texts)


def test_a_parameter_that_is_nowhere_is_an_error(make: Make) -> None:
    with pytest.raises(ConfigError, match="no number 'depth'"):
        show(make(), "along", "boxes", parameter="depth")


CONTRASTS = {
    "pairs": [["svm_or", "logistic"], ["svm_or", "exponential"]],
    "loss": [["exponential", "logistic"]],
}


def test_a_contrast_is_the_mean_of_its_differences(make: Make) -> None:
    context = make()
    output = show(context, "contrasts", "boxes", contrasts=CONTRASTS, margin=0.01)
    assert output.numbers is not None
    chosen = context.chosen(
        "boxes", context.metric("boxes", None), _oracle(), context.study.methods
    )
    means = chosen.groupby(["problem", "model", "method"])["value"].mean().unstack()
    expected = means["svm_or"] - (means["logistic"] + means["exponential"]) / 2
    for problem in ("easy", "hard"):
        line = output.numbers.set_index(["contrast", "problem"]).loc["pairs", problem]
        assert line["difference"] == pytest.approx(expected[problem].mean())
        assert line["se"] == pytest.approx(expected[problem].sem())
    assert output.numbers["problem"].tolist() == ["easy", "hard"] * 2  # settings are not averaged
    assert "worse" in str(output.numbers.set_index("contrast").loc["loss", "verdict"].tolist())
    assert output.tables[0].labels == ["Problem", "pairs", "loss"]
    ends = sorted(expected[problem].mean() for problem in ("easy", "hard"))
    assert output.facts["pairs in boxes"].text == span(*ends, 4)  # not the last one alone
    gone = show(context, "contrasts", "folds", contrasts=CONTRASTS, margin=0.01).facts
    told = gone["pairs in folds"]  # of one data set, which settles nothing
    assert told.verdict == "undecided" and told.experiments == ["folds"]
    assert " on vote_84 & more; a test over data sets needs at least 6" in told.text


def test_an_interval_beyond_the_margin_beside_equivalent_is_explained(make: Make) -> None:
    context = make()
    first = show(context, "contrasts", "boxes", contrasts=CONTRASTS, margin=9.0).numbers
    assert first is not None
    largest = first[["low_all", "high_all"]].abs().to_numpy().max()
    for margin, beyond in ((0.999 * largest, 1), (1.001 * largest, 0)):
        output = show(context, "contrasts", "boxes", contrasts=CONTRASTS, margin=margin)
        assert output.numbers is not None
        assert output.numbers["verdict"].str.contains("equivalent").all()
        notes = [note for note in output.texts if note.startswith("Equivalent: two one-sided")]
        assert len(notes) == beyond
        assert not beyond or "intervals of 90 %. 1 of the wider intervals shown" in notes[0]


def test_a_contrast_needs_two_known_methods(make: Make) -> None:
    model = registry.get("report.blocks", "contrasts")
    for wrong in ([["svm_or"]], [["a", "b", "c"]], []):
        with pytest.raises(ValidationError, match="contrasts"):
            model.model_validate({"contrasts": {"pairs": wrong}, "margin": 0.01})
    known = {"method": ["logistic"], "problem": [], "metric": [], "experiment": []}
    with pytest.raises(ValidationError, match="unknown method 'svm_or'"):
        model.model_validate({"contrasts": CONTRASTS, "margin": 0.01}, context=known)


def test_readings_are_counted_as_a_whole_and_fishing_is_named(make: Make) -> None:
    study = study_of(make)
    other = study["experiments"]["folds"] = copy.deepcopy(study["experiments"]["folds"])
    study["experiments"]["codes"] = {**other, "title": "codes", "preprocess": {"nominal": "codes"}}
    readings = {"as is": {"logistic": "logistic"}, "other": {"exponential": "logistic"}}
    output = show(make(study), "readings", ["folds", "codes"], readings=readings)
    assert output.numbers is not None
    frame = output.numbers
    assert list(dict.fromkeys(frame["reading"])) == [
        *("folds, as is", "folds, other"),
        *("codes, as is", "codes, other"),
    ]
    assert set(frame["published"]) == {0.1195}
    apart = frame["reproduced"] - 0.1195
    assert np.allclose(frame["difference"], apart)
    two_draws = stats.t.ppf(0.975, 2) * np.sqrt(2) * frame["se"]  # of three repeats each
    within = apart.abs() <= two_draws
    assert frame["within"].tolist() == within.tolist()
    assert set(frame["repeats"]) == {3}
    assert rows(output.tables[0])[0][1].endswith(f"({int(within.iloc[0])} of 1)")
    for end in ("", "_all"):  # one value a reading
        assert frame[f"mean_difference{end}"].tolist() == pytest.approx(apart.abs().tolist())
        assert frame[f"count_within{end}"].tolist() == within.astype(int).tolist()
        assert set(frame[f"count{end}"]) == {1}
    (warning,) = [note for note in output.texts if note.startswith("Warning")]
    assert f"{int(within.any())} of 1 values are within the noise" in warning
    nearest = frame.loc[apart.abs().idxmin(), "reading"]
    assert f"'{nearest}' is nearest on average" in output.gist
    best = f"with 3 repeats of each, the best of 4 readings meets {int(within.any())} of 1 values"
    assert output.facts["best"].text.startswith(best)


def test_readings_are_judged_by_as_many_repeats_of_each(make: Make) -> None:
    study = study_of(make)
    other = study["experiments"]["few"] = copy.deepcopy(study["experiments"]["folds"])
    other["protocol"]["repeats"] = 2
    readings = {"as is": {"logistic": "logistic"}}
    output = show(make(study), "readings", ["folds", "few"], readings=readings)
    assert output.numbers is not None and set(output.numbers["repeats"]) == {2}
    table = show(make(study), "published_table", "few", rules=["oracle"]).numbers
    assert table is not None
    row = table[(table.problem == "vote") & (table.method == "logistic")].iloc[0]
    # The two repeats of either experiment are the same, and so are mean and noise.
    assert output.numbers["reproduced"].tolist() == pytest.approx([row["reproduced"]] * 2)
    assert output.numbers["se"].tolist() == pytest.approx([row["se"]] * 2)
    assert "judged by the first 2 repeats of each" in output.texts[0]


def test_values_that_no_reading_meets_are_named(make: Make) -> None:
    far = make()
    far.manifest["published"] = [row | {"value": "0.9"} for row in far.manifest["published"]]
    output = show(far, "readings", "folds", readings={"as is": {"logistic": "logistic"}})
    assert output.facts["none"].text == "none meets 1 value (vote_84 & more logistic)"
    assert output.gist.endswith("none meets 1 value (vote_84 & more logistic).")


def test_choices_at_an_edge_that_is_flat_are_told_apart(make: Make) -> None:
    def flat(cell: PlanCell, record: Record) -> Record:
        grid = [row._replace(value=0.1) if row.part == "test" else row for row in record.rows]
        return Record(record.key, grid=record.grid, rows=grid)

    steep = show(make(), "chosen_grid", "folds", rules=["nested"])
    (note,) = [note for note in steep.texts if note.startswith("Warning")]
    assert "18 of 18" in note and "may do better" in note and "of these cases" not in note
    even = show(make(change=flat), "chosen_grid", "folds", rules=["nested"])
    assert not any(note.startswith("Warning") for note in even.texts)
    (note,) = [note for note in even.texts if "at the edge of their grid" in note]
    assert "18 of 18" in note and "always differs by less than .1 of the margin" in note
    assert isinstance(even.numbers, pd.DataFrame)
