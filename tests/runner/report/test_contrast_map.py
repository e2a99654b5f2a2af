"""Maps of contrasts, extreme cases of checks, and questions that are answered by other blocks."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from rankexp import registry
from rankexp.charts.model import Chart, Map
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.grid import Point
from rankexp.runner.report.build import open_report
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Fact, Output, Said
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.execute import execute

Make = Callable[..., Context]
MAP: dict[str, Any] = {
    "contrasts": {"pairs": [["svm_or", "logistic"]]},
    "margin": 0.05,
    "row": "p",
    "column": "n_train",
    "label": "examples",
}
WORST: dict[str, Any] = {
    "version": 1,
    "study": "worst",
    "title": "Worst",
    "seed": 1,
    "experiments": {
        "search": {
            "kind": "simulate",
            "title": "Search",
            "check": "worst_regret",
            "params": {"rounds": 2},
            "grid": {"points": [2, 3]},
            "repetitions": 2,
        }
    },
}


@pytest.fixture(name="sizes")
def _sizes(make: Make) -> Context:
    """Two experiments of the same generators, with 10 and with 40 examples."""
    study: dict[str, Any] = copy.deepcopy(make().manifest["study"])
    more = copy.deepcopy(study["experiments"]["boxes"])
    more["protocol"]["n_train"] = 40
    study["experiments"]["more"] = more
    return make(study)


def test_a_map_has_a_cell_a_share_and_size(sizes: Context) -> None:
    block = Block(block="contrast_map", name="x", experiment=["more", "boxes"], options=MAP)
    kind = registry.get("report.blocks", "contrast_map").model_validate(MAP)
    assert not list(kind.faults(sizes.study, block))
    output = kind.build(sizes, block)
    (table,) = output.tables
    assert table.labels == ["p", "10", "40"]
    assert [row[0] for row in rows(table)] == ["linear, .5", "linear, .9"]
    numbers = output.numbers.set_index(["experiment", "problem"])
    scores = sizes.scores("boxes", sizes.metric("boxes", None))
    for problem in ("easy", "hard"):
        own = numbers.loc[("boxes", problem)]
        values = scores[
            (scores["problem"] == problem) & (scores["grid"] == Point.parse("lam=0.1"))
        ]
        means = values.groupby(["method", "model"])["value"].mean()
        expected = (means["svm_or"] - means["logistic"]).mean()
        assert np.sign(own["difference"]) == np.sign(expected)
        # four cells: intervals are at 1 - .05/4
        assert own["high_all"] - own["low_all"] > own["high"] - own["low"]
    assert isinstance(output.chart, Chart) and isinstance(output.figure, Figure)
    (drawn,) = output.chart.panels
    assert isinstance(drawn, Map) and drawn.title == "pairs: linear"
    assert (drawn.rows, drawn.columns) == ([".5", ".9"], ["10", "40"])
    assert np.isfinite(drawn.values).all() and drawn.shown is not None and drawn.shown.all()
    words = [text.get_text() for text in output.figure.axes[1].get_yticklabels()]
    better, same, worse = words  # of a loss: what is higher is worse
    assert better.startswith("−") and better.endswith("better")
    assert worse.startswith("+") and worse.endswith("worse") and same.strip() == ".000"
    assert output.facts["pairs"].text.startswith(
        "within ±.05 in 4 of 4 cells, among them all with 10 examples or more; "
    )
    worse = output.numbers["verdict"].str.contains("worse").sum()
    assert worse == 4 and not output.numbers["verdict"].str.contains("better").any()
    fact = output.facts["pairs"]
    assert "; significantly worse in 4 of the 4, better in none (" in fact.text
    assert fact.verdict == "worse" and "significant ones from +.0" in fact.text
    turned = kind.model_copy(update={"contrasts": {"pairs": [("logistic", "svm_or")]}})
    assert turned.build(sizes, block).facts["pairs"].verdict == "better"
    strict = kind.model_copy(update={"margin": 1e-9})
    assert (
        strict.build(sizes, block).facts["pairs"].text.startswith("within ±1e−9 in 0 of 4 cells; ")
    )


def test_a_map_explains_an_interval_beyond_the_margin_beside_near(sizes: Context) -> None:
    first = _map(sizes, margin=9.0)
    largest = first.numbers[["low_all", "high_all"]].abs().to_numpy().max()
    for margin, beyond in ((0.999 * largest, 1), (1.001 * largest, 0)):
        output = _map(sizes, margin=margin)
        assert output.numbers["verdict"].str.contains("equivalent").all()
        notes = [note for note in output.texts if note.startswith("≈: two one-sided tests")]
        assert len(notes) == beyond
        assert not beyond or "90 %. 1 of the wider intervals shown" in notes[0]


def _map(context: Context, **options: Any) -> Output:
    block = Block(block="contrast_map", name="x", experiment=["more", "boxes"], options=MAP)
    kind = registry.get("report.blocks", "contrast_map").model_validate(MAP | options)
    output: Output = kind.build(context, block)
    return output


@pytest.fixture(name="worst", scope="module")
def _worst(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    study = Study.model_validate(WORST)
    done = execute(study, results=tmp_path_factory.mktemp("worst"), workers=1, quiet=True)
    yield open_report(Path(done.folder)).context


def test_an_extreme_case_is_the_largest_with_its_steps(worst: Context) -> None:
    options = {"quantity": "ratio", "compare_with": ["constant", "prior", "nothing"]}
    kind = registry.get("report.blocks", "extreme_case").model_validate(options)
    block = Block(block="extreme_case", name="x", experiment="search", options=options)
    output: Output = kind.build(worst, block)
    frame = worst.frame
    ratios = frame[frame["metric"] == "ratio"]
    best = ratios.loc[ratios["value"].idxmax()]
    same = (frame["setting"].fillna(0) == (best["setting"] or 0)) & (frame["rep"] == best["rep"])
    scores = frame[same & (frame["metric"] == "score")].sort_values("step")
    assert output.numbers is not None
    assert output.numbers["score"].tolist() == scores["value"].tolist()
    assert (output.numbers["ratio"] == best["value"]).all()
    assert set(output.numbers["constant"]) == {2.0}
    assert set(output.numbers["ratio / constant"]) == {best["value"] / 2}
    share = f"{best['value'] / 2:.3f}".lstrip("0")
    assert f", {share} of the paper's constant 2.000, " in output.facts["Search"].text
    head = rows(output.tables[0])
    assert len(head) == 1 and head[0][0] == "Search" and head[0][-1] == "–"
    none = kind.model_copy(update={"quantity": "nothing"}).build(worst, block)
    assert not none.facts and not none.gist


def test_a_simulation_tells_of_each_setting(worst: Context) -> None:
    kind = registry.get("report.blocks", "simulation_table").model_validate({})
    output = kind.build(worst, Block(block="simulation_table", name="x", experiment="search"))
    ratios = worst.frame[worst.frame["metric"] == "ratio"]
    own = ratios[ratios["setting"] == 1]["value"]
    mean, se = (f"{x:.4f}".removeprefix("0") for x in (own.mean(), 2 * own.sem()))
    assert output.facts["ratio at points=3"].text == f"{mean} ± {se}"


def test_answers_are_told_of_other_blocks(make: Make) -> None:
    context = make()
    context.shown["table"] = Output(facts={"it": Fact("holds", "3")}, incomplete=["1 missing"])
    told = [
        {"block": "table", "of": "it", "say": {"holds": "yes, {}"}},
        {"block": "table", "of": "that"},
    ]
    options = {"answers": {"Is it so?": told}}
    kind = registry.get("report.blocks", "answers").model_validate(options)
    (said,) = kind.build(context, Block(block="answers", name="x", options=options)).lead
    assert isinstance(said, Said) and said.label == "Is it so?"
    assert said.text.startswith("INCOMPLETE (table): Yes, 3. Block 'table' has no fact 'that'")
    assert isinstance(context.frame, pd.DataFrame)
