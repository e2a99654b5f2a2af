"""Quantities of simulations along a parameter, and the pictures of the two algorithms."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from rankexp import registry
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report.blocks.figures.simulation_along import SimulationAlong
from rankexp.runner.report.build import open_report
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.execute import execute

STUDY: dict[str, Any] = {
    "version": 1,
    "study": "small",
    "title": "Small",
    "seed": 1,
    "experiments": {
        "along": {
            "kind": "simulate",
            "title": "Small ones",
            "check": "second_stage",
            "grid": {"n": [200, 12, 50]},
            "repetitions": 3,
        },
        "top": {
            "kind": "simulate",
            "check": "second_stage",
            "grid": {"top": [1, 5], "n": [9, 40]},
        },
        "words": {
            "kind": "simulate",
            "check": "second_stage",
            "grid": {"target": ["general", "bipartite"]},
        },
        "boosted": {"kind": "simulate", "check": "boosting_rounds", "params": {"rounds": 5}},
        "watched": {"kind": "simulate", "check": "watched_sorts", "params": {"n": 6}},
    },
}
CALLS = ["calls of QuickSort", "calls of sort by degree", "calls of QuickSort in theory"]
OPTIONS: dict[str, Any] = {
    "parameter": "n",
    "quantities": {"calls": CALLS, "loss": ["loss of h"], "time": ["seconds"]},
    "dashed": CALLS[2:],
    "exponents": CALLS[:2],
}


def run(results: Path) -> Context:
    done = execute(Study.model_validate(STUDY), results=results, workers=1, quiet=True)
    assert done.exit_code == 0
    return open_report(Path(done.folder)).context


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return run(tmp_path_factory.mktemp("small"))


def show(context: Context, name: str, experiment: str, **options: Any) -> Output:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    kind = registry.get("report.blocks", name).model_validate(options)
    assert not list(kind.faults(context.study, block))
    output: Output = kind.build(context, block)
    return output


def test_lines_along_a_parameter(context: Context) -> None:
    output = show(context, "simulation_along", "along", **OPTIONS)
    numbers, frame = output.numbers, context.frame
    assert numbers is not None and isinstance(output.figure, Figure)
    own = numbers[numbers["quantity"] == CALLS[0]].set_index("n")
    assert own.index.tolist() == [12, 50, 200]  # in order, whatever the grid's
    here = frame[(frame["experiment"] == "along") & (frame["metric"] == CALLS[0])]
    values = here[here["setting"].astype(int) == 0]["value"]  # n = 200
    assert own.loc[200, "mean"] == pytest.approx(values.mean())
    assert own.loc[200, "se"] == pytest.approx(values.sem())
    times = numbers[numbers["quantity"] == "seconds"]
    assert (times["mean"] > 0).all() and (times["repetitions"] == 3).all()
    panels = [axes for axes in output.figure.axes if axes.get_visible()]
    assert [axes.get_ylabel() for axes in panels] == ["calls", "loss", "time"]
    assert panels[0].get_yscale() == "log"
    table = rows(output.tables[0])
    assert ["Small ones", "calls of sort by degree", "66 ± 0"] in [r[:3] for r in table]
    assert "calls of sort by degree 2.03" in output.gist
    assert output.facts["exponent of calls of sort by degree"].text == "2.03"


def test_exponents_are_slopes_of_logarithms(context: Context) -> None:
    output = show(context, "simulation_along", "along", **OPTIONS)
    assert output.numbers is not None
    frame, sizes = context.frame, {0: 200, 1: 12, 2: 50}
    here = frame[(frame["experiment"] == "along") & (frame["metric"] == CALLS[0])]
    slopes = [
        np.polyfit(np.log(own["setting"].astype(int).map(sizes)), np.log(own["value"]), 1)[0]
        for _, own in here.groupby(here["rep"].fillna(0))
    ]
    own = output.numbers[output.numbers["quantity"] == CALLS[0]]
    assert own["exponent"].tolist() == pytest.approx([np.mean(slopes)] * 3)
    assert len(slopes) == 3
    without = show(context, "simulation_along", "along", **OPTIONS | {"exponents": []})
    assert "exponent" not in without.tables[0].labels
    assert not without.gist


def test_lines_along_steps(context: Context) -> None:
    quantities = {"loss": ["pair loss of RankBoost"]}
    output = show(context, "simulation_along", "boosted", parameter="step", quantities=quantities)
    assert output.numbers is not None
    assert output.numbers["step"].tolist() == [1, 2, 3, 4, 5]
    assert (output.numbers["mean"].diff().dropna() < 0).all()
    assert set(output.numbers["experiment"]) == {"boosted"}


@pytest.mark.parametrize(("experiment", "parameter"), [("words", "target"), ("along", "share")])
def test_grids_that_are_no_line(context: Context, experiment: str, parameter: str) -> None:
    kind = SimulationAlong(parameter=parameter, quantities={"calls": CALLS})
    block = Block(block="simulation_along", name="x", experiment=experiment)
    (fault,) = kind.faults(context.study, block)
    assert fault.text == f"the grid of '{experiment}' has no numbers '{parameter}'"


def test_lines_of_each_setting_against_a_quantity(context: Context) -> None:
    options = {"parameter": "n", "quantities": {"calls": CALLS[:1]}, "exponents": CALLS[:1]}
    output = show(context, "simulation_along", "top", **options, against=CALLS[2])
    assert output.numbers is not None and isinstance(output.figure, Figure)
    wide = output.numbers.pivot_table(index="n", columns="quantity", values="mean")
    assert set(wide.columns) == {f"{name}, {top}" for name in CALLS[::2] for top in (1, 5)}
    for top in (1, 5):
        x, y = (np.log(wide[f"{name}, {top}"]) for name in (CALLS[2], CALLS[0]))
        own = output.numbers[output.numbers["quantity"] == f"{CALLS[0]}, {top}"]
        slope = (y[40] - y[9]) / (x[40] - x[9])
        assert own["exponent"].tolist() == pytest.approx([slope] * 2)
    (axes,) = [one for one in output.figure.axes if one.get_visible()]
    assert axes.get_xlabel() == CALLS[2] and len(axes.lines) == 2
    assert len({line.get_marker() for line in axes.lines}) == 2  # not by colour alone


def test_pictures(context: Context) -> None:
    output = show(context, "second_stage", "watched")
    numbers = output.numbers
    assert numbers is not None and isinstance(output.figure, Figure)
    H = numbers[[f"above {j}" for j in range(6)]].to_numpy()
    wrong = int(np.tril(H, -1).sum())
    assert f"Of 15 pairs, h has {wrong} wrong" in output.gist
    titles = [axes.get_title() for axes in output.figure.axes]
    assert titles == ["preferences h", "sort by degree", "QuickSort"]
    squares = [len(part.get_offsets()) for part in output.figure.axes[0].collections]
    assert squares == [15 - wrong, wrong]
    labels = [text.get_text() for text in output.figure.axes[2].texts]
    assert labels == ["1", "2", "3", "4", "5", "6"]
    edges = output.figure.axes[2].lines
    assert len(edges) == 5  # a tree
    assert show(context, "second_stage", "watched", repetition=7).figure is None
