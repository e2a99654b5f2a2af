"""Losses drawn: curves by the formulas, weights beside, and what cannot be drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rankexp.losses import parse
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.studies.menon2014.blocks.loss_curves import LossCurves

Make = Callable[..., Context]
LOSSES = ["logistic", "exponential", "p_classification(p=4)"]


def show(context: Context, **options: Any) -> Output:
    block = Block(block="loss_curves", name="x", experiment="tried", options=options)
    return LossCurves.model_validate(options).build(context, block)


def test_curves_are_the_losses_and_their_weights(make: Make) -> None:
    output = show(make(), losses=LOSSES, reach=2.0)
    assert output.numbers is not None and output.figure is not None
    for text in LOSSES:
        loss = parse(text)
        own = output.numbers[output.numbers["loss"] == text].groupby("what")
        weight, positive, negative = map(own.get_group, ("weight", "positive", "negative"))
        np.testing.assert_allclose(weight["y"], loss.weight(weight["x"].to_numpy()))
        np.testing.assert_allclose(positive["y"], loss.value(1.0, positive["x"].to_numpy()))
        np.testing.assert_allclose(negative["y"], loss.value(-1.0, negative["x"].to_numpy()))
        assert (positive["x"].min(), positive["x"].max()) == (-2.0, 2.0)
    panels = output.figure.axes
    assert [axes.get_ylabel() for axes in panels] == ["weight w(c)", "l(1, v)", "l(−1, v)"]
    drawn = panels[1].get_lines()[2].get_ydata()
    np.testing.assert_allclose(drawn, np.exp(-np.linspace(-2, 2, 201)))
    assert rows(output.tables[0])[2] == [
        "p-classification (p = 4)",
        "3.83",
        "1.60",
        "14.32",
        "3.74",
    ]
    own = output.numbers[output.numbers["loss"] == LOSSES[2]].set_index("what")["y"]
    heads = list(map(str, output.tables[0].columns[1:]))
    assert [f"{own[head]:.2f}" for head in heads] == rows(output.tables[0])[2][1:]
    assert output.gist.endswith("logistic 1.00, exponential 1.00, p-classification (p = 4) 3.74.")
    assert output.incomplete == []


def test_losses_without_weights_are_drawn_alone(make: Make) -> None:
    options = {"losses": ["hinge", "logistic"], "what": ["positive"]}
    output = show(make(), **options)
    assert output.figure is not None and len(output.figure.axes) == 1
    assert output.tables == [] and output.gist == ""
    for what, faults in ((["positive"], 0), (["weight"], 1)):
        kind = LossCurves.model_validate(options | {"what": what})
        block = Block(block="loss_curves", name="x", experiment="tried")
        found = list(kind.faults(make().study, block))
        assert len(found) == faults
    assert (
        found[0].path == ("options", "losses", 0) and "loss hinge is not proper" in found[0].text
    )


@pytest.mark.parametrize("losses", [[], ["logistik"], [3], ["p_classification(p=-1)"]])
def test_what_is_no_loss_is_refused(losses: list[Any]) -> None:
    with pytest.raises(ValidationError):
        LossCurves.model_validate({"losses": losses})
