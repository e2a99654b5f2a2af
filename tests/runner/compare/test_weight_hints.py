"""A column called like weights of rows is asked about; the weight of a thing is a feature."""

from dataclasses import replace

import numpy as np
import pytest

from rankexp.runner.compare import looking
from rankexp.runner.config.asking import typed
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.reading import Column, Layout, Reading

N = 40


def said(name: str, low: float, levels: bool = True, groups: bool = False) -> str:
    column = Column(name, "numeric", "feature", low=low, high=300.0)
    reading = Reading("t.csv", Layout("delimited text"), N, columns=(column,))
    known = ("no", "yes") if levels else None
    made = Dataset("d", np.ones((N, 1)), np.arange(N) % 2, (Feature(name),), known)
    made = replace(made, reading=reading, groups=np.arange(N) // 2 if groups else None)
    with typed():
        return " ".join(looking.of_queries(made, "who" if groups else "", within=False))


@pytest.mark.parametrize(
    ("name", "low", "asked"),
    [
        ("design_weight", 0.2, True),
        ("fnlwgt", 12_285, True),
        ("pweight", 350, True),
        ("Survey Weight", 3, True),
        ("Fallgewicht", 2.5, True),
        ("weight", 0.4, True),
        ("weight", 48, False),  # of a person
        ("Gewicht", 900, False),  # of a car
        ("body_weight", 0.4, False),
        ("birth weight", 1.1, False),
        ("design_weight", 0, False),
        ("weighted_sum", 1, False),
    ],
)
def test_names_that_mean_weights_are_asked_about(name: str, low: float, asked: bool) -> None:
    assert (f"say --weights {name}" in said(name, low)) is asked
    assert ("--weights" in said(name, low, groups=True)) is asked, "with groups, too"


def test_no_weights_are_offered_that_the_measure_does_not_take() -> None:
    found = said("design_weight", 0.2, levels=False)
    assert "--weights" not in found and found.endswith("leave it out with --drop design_weight")
