"""The ROC curve and the table of the last round, on a small run."""

from pathlib import Path

import numpy as np
import pytest

from rankexp import registry
from rankexp.metrics import auc
from rankexp.runner.analyse import compare
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report.build import open_report
from rankexp.runner.run.execute import execute

STUDY = {
    "version": 1,
    "study": "small",
    "title": "Small",
    "seed": 1,
    "experiments": {
        "boosted": {
            "kind": "simulate",
            "title": "Small ones",
            "check": "boosting_rounds",
            "params": {"rounds": 5, "n": 30, "test": 50},
            "repetitions": 3,
        },
        "once": {"kind": "simulate", "check": "boosting_rounds", "params": {"rounds": 3, "n": 30}},
        "roc": {"kind": "simulate", "check": "roc_points", "params": {"n": 12}},
    },
}


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    done = execute(
        Study.model_validate(STUDY), results=tmp_path_factory.mktemp("r"), workers=1, quiet=True
    )
    assert done.exit_code == 0
    return open_report(Path(done.folder)).context


def show(context, name, experiment, **options):
    block = Block(block=name, name="x", experiment=experiment, options=options)
    return registry.get("report.blocks", name).model_validate(options).build(context, block)


def test_differences_after_the_last_round(context):
    pair = ["AdaBoost", "RankBoost"]
    shown = show(context, "last_round", "boosted", quantities=["test error"], pairs=[pair])
    found = compare.as_found(context.frame, "boosted", "step")
    last = found[found.step == 5]
    apart = last["test error of AdaBoost"] - last["test error of RankBoost"]
    row = shown.numbers.iloc[0]
    assert row["round"] == 5 and row["repetitions"] == 3
    assert row["difference"] == pytest.approx(apart.mean())
    assert row["difference_se"] == pytest.approx(apart.std() / np.sqrt(3))
    fact = shown.facts["test error of AdaBoost less RankBoost in boosted"].text
    assert "±" in fact
    assert shown.tables[0].rows[0][0] == "Small ones"


def test_a_single_repetition_has_no_error(context):
    pair = ["smooth margin", "RankBoost"]
    shown = show(context, "last_round", "once", quantities=["least margin"], pairs=[pair])
    assert np.isnan(shown.numbers["difference_se"].iloc[0])


def test_a_roc_curve(context):
    shown = show(context, "roc_curve", "roc")
    numbers = shown.numbers
    assert numbers["false"].iloc[0] == numbers["true"].iloc[0] == 0
    assert numbers["false"].iloc[-1] == numbers["true"].iloc[-1] == 1
    assert (np.diff(numbers[["false", "true"]], axis=0) >= 0).all()
    scores = compare.as_found(context.frame, "roc", "group").dropna(subset=["score"])
    area = np.trapezoid(numbers["true"], numbers["false"])
    assert area == pytest.approx(auc(scores["class"], scores["score"]))
    assert "share of pairs in order" in shown.gist
    assert [len(panel.lines) for panel in shown.chart.panels] == [3, 2]
    assert shown.figure is not None
